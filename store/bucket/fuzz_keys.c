/* Reads any bytes as a file of keys and as what an instance says of its keys: what is read can be sent in a header, and no error
 * repeats a line. */
#include "store/bucket/s3_keyring.h"
#include "tests/fuzz/fuzz_hold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void hold_text(const char *text)
{
	for (; *text; text++)
		hold(*text > ' ' && *text < 127);
}

static void hold_keys(const struct ts_s3_keys *keys)
{
	hold(keys->id[0] && keys->secret[0]);
	hold_text(keys->id);
	hold_text(keys->secret);
	hold_text(keys->token);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_s3_keys keys;
	struct ts_error err;
	int64_t until_ns;

	if (ts_s3_keys_parse(ts_span_of(data, size), &keys, &err) == TS_OK)
		hold_keys(&keys);
	if (ts_s3_keys_from_json(ts_span_of(data, size), &keys, &until_ns, &err) == TS_OK)
		hold_keys(&keys);
	return 0;
}
