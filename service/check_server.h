/* check_server.h - what `tscoped --check` says: whether a server with these settings would start and could do its work.
 *
 * One line for each thing that was looked at: what, "ok" or "failed", and what was found. Nothing is made or changed, and a server may
 * run on the same store and addresses. What only the start can tell (a port that is taken, a disk that breaks) is not looked at.
 */
#ifndef TSCOPE_SERVICE_CHECK_SERVER_H
#define TSCOPE_SERVICE_CHECK_SERVER_H

#include "base/buf.h"
#include "service/config.h"
#include "service/rpc/listen.h"

/* Appends the lines, as they are for the user that asks. Returns how many failed; "unsure" is what an administrator has to know and the
 * start may still find well. */
unsigned ts_check_server(struct ts_config *config, const struct ts_listener *listeners, size_t n, struct ts_buf *out);

#endif
