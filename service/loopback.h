/* loopback.h - answers GET on one port of the loopback address, for a monitoring system on this machine.
 *
 *	ts_loopback_start(port, pages, n, ctx, &http, err)	port 0 takes a free one
 *	ts_loopback_port(http)
 *	ts_loopback_stop(http)
 *
 * One thread, one answer a connection (HTTP/1.0 and 1.1, always closed after it), some hundred connections at once. A client has
 * TS_LOOPBACK_SECONDS for its request and the answer; where all places are taken, whoever has held one longest without a request gives
 * it up, so that half requests keep nobody out. A request by another host's name than this one's is refused. It is not meant for more:
 * there is no TLS, and every user of the machine may ask. docs/decisions/0009-metrics.md says why there is no library for it.
 */
#ifndef TSCOPE_SERVICE_LOOPBACK_H
#define TSCOPE_SERVICE_LOOPBACK_H

#include "base/buf.h"

enum { TS_LOOPBACK_SECONDS = 2, TS_LOOPBACK_PAGE = 1 << 20 };

struct ts_loopback_page {
	const char *path; /* "/metrics" */
	const char *type; /* "text/plain; version=0.0.4" */
	/* Fills in the body. bearer: what the request shows as a token, empty: nothing. Returns the status: 200 or 503. */
	int (*fill)(void *ctx, struct ts_span bearer, struct ts_buf *out);
};

struct ts_loopback;

/* TS_CONFLICT: the port is taken. The pages must live as long. */
enum ts_status ts_loopback_start(unsigned port, const struct ts_loopback_page *pages, size_t n, void *ctx,
				 struct ts_loopback **ret_http, struct ts_error *err);
unsigned ts_loopback_port(const struct ts_loopback *http);
void ts_loopback_stop(struct ts_loopback *http); /* NULL is allowed */

#endif
