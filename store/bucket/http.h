/* http.h - one request of HTTP after the other over connections that are kept, from any number of threads. A request that takes longer
 * than most do is asked a second time beside the first, and the first answer counts.
 *
 *	ts_http_open(&http, &err)
 *	ts_http_ask(http, &request, &answer, &err)	answer.status is what the other side says, also 404 and 503
 *	ts_buf_finish(&answer.body)
 *
 * Errors: TS_UNAVAILABLE where no whole answer came, TS_TOO_LARGE where it is longer than `most`.
 */
#ifndef TSCOPE_STORE_BUCKET_HTTP_H
#define TSCOPE_STORE_BUCKET_HTTP_H

#include "base/buf.h"

#include <stdatomic.h>
#include <stdbool.h>

struct ts_http;

struct ts_http_request {
	const char *method, *url;
	const char *const *headers; /* lines "name: value" */
	size_t n_headers;
	struct ts_span body;
	bool no_body;		    /* the answer has none, as that to HEAD */
	size_t most;		    /* bytes of the answer */
	int64_t limit_ns;	    /* how long it may take */
	const atomic_bool *give_up; /* once true, it ends soon; NULL: never */
	int64_t hedge_ns;	    /* after how long it is asked once more; 0: never. Only for what may be done twice */
};

enum { TS_HTTP_TEXT = 64 };
struct ts_http_answer {
	int status;
	struct ts_buf body;
	uint64_t length;	   /* as it says; of HEAD, that of the object */
	char region[TS_HTTP_TEXT]; /* x-amz-bucket-region; empty: it has none */
	bool hedged;		   /* it was asked twice */
};

enum ts_status ts_http_open(struct ts_http **ret, struct ts_error *err);
void ts_http_close(struct ts_http *http); /* NULL is allowed */
enum ts_status ts_http_ask(struct ts_http *http, const struct ts_http_request *request, struct ts_http_answer *ret_answer,
			   struct ts_error *err);

#endif
