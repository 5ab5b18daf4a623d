/* audit_line.h - one line of an audit log, as bytes and as a struct. Internal to service/audit and its tests.
 *
 *	{"n":7,"at_ns":"1795176099000000000","kind":"token","who":"ci",...,"chain":"9f3a..."}
 *
 * chain is the SHA-256, in hex, of the chain of the line before (64 zeros before the first), a newline, and the line up to ,"chain".
 */
#ifndef TSCOPE_SERVICE_AUDIT_AUDIT_LINE_H
#define TSCOPE_SERVICE_AUDIT_AUDIT_LINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "service/audit/audit.h"

enum { TS_AUDIT_LINE_MAX = 1 << 16 };

/* Appends the line with its newline, and writes its chain in place of that of the line before. TS_TOO_LARGE, TS_NO_MEMORY. */
enum ts_status ts_audit_line_write(const struct ts_audit_entry *entry, uint64_t n, char io_chain[TS_AUDIT_CHAIN + 1],
				   struct ts_buf *out, struct ts_error *err);
/* Takes a line apart, without its newline. Fields that it does not know are of a newer version, and passed over. TS_INVALID if it is no
 * such line; ret_chain is what it says of itself. Spans lie in the arena. */
enum ts_status ts_audit_line_read(struct ts_span line, struct ts_arena *arena, struct ts_audit_entry *ret_entry, uint64_t *ret_n,
				  char ret_chain[TS_AUDIT_CHAIN + 1], struct ts_error *err);
/* The chain that a line must have behind a line with the chain before. Empty if the line ends in none. */
void ts_audit_chain(const char before[TS_AUDIT_CHAIN + 1], struct ts_span line, char out[TS_AUDIT_CHAIN + 1]);

#endif
