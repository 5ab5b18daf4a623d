#include "service/rpc/bearer.h"

#include "base/clock.h"
#include "service/rpc/core.h"

enum ts_status ts_bearer_take(struct ts_engine *engine, const grpc_metadata_array *headers, const struct ts_peer *peer,
			      struct ts_token *ret_token, bool *ret_shown, struct ts_error *err)
{
	struct ts_span value = {NULL, 0};
	size_t n = 0;

	for (size_t i = 0; i < headers->count; i++) {
		if (!ts_span_is(ts_core_span(&headers->metadata[i].key), TS_BEARER_KEY))
			continue;
		value = ts_core_span(&headers->metadata[i].value);
		n++;
	}
	*ret_shown = n > 0;
	if (n == 0)
		return TS_OK;
	if (n > 1)
		return ts_error_set(err, TS_DENIED, "the call has %zu headers " TS_BEARER_KEY ", and one is allowed", n);
	if (!peer->private_line)
		return ts_error_set(
			err, TS_DENIED,
			"a token came over plain TCP, where others can read it, and is not taken; revoke it, and use tls:HOST:PORT, a "
			"unix socket or ssh://HOST");
	if (!ts_span_skip(&value, TS_BEARER_WORD))
		return ts_error_set(err, TS_DENIED, "the header " TS_BEARER_KEY " does not begin with 'Bearer '");
	return ts_token_find(engine, value, ts_now_real_ns(), ret_token, err);
}
