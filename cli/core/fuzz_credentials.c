/* Any bytes as a file of credentials: refused with a line, or written again they read the same; and as a token. */
#include "cli/core/credentials.h"
#include "service/auth/token.h"
#include "tests/fuzz/fuzz_hold.h"

static void check_token(struct ts_span text)
{
	uint8_t bytes[TS_TOKEN_BYTES];
	struct ts_error err;

	if (!ts_token_parse(text, bytes, &err))
		hold(text.len == TS_TOKEN_SECRET);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_credentials all = {.n = 0};
	struct ts_error err;

	check_token(ts_span_of(data, size));
	if (ts_credentials_parse(ts_span_of(data, size), "credentials", &all, &err)) {
		hold(err.status == TS_INVALID);
		return 0;
	}
	hold(all.n <= TS_CREDENTIALS_MAX);
	for (size_t i = 0; i < all.n; i++) {
		hold(ts_credentials_find(&all, all.items[i].server) == &all.items[i]);
		check_token(all.items[i].token);
	}
	return 0;
}
