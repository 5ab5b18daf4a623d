/* fuzz_json.c - reads any bytes as JSON and as a number. Besides not crashing: tokens lie inside the text and in order,
 * every object and array that opens is closed before the end, skipping a value moves as far as reading it does, and a number
 * prints and reads back to the same bits.
 */
#include "base/json_reader.h"
#include "base/number.h"
#include "tests/fuzz/fuzz_hold.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_print(double value)
{
	char text[TS_DOUBLE_TEXT];
	double back;

	if (!isfinite(value))
		return;
	hold(ts_parse_double(ts_span_of(text, ts_print_double(value, text)), &back));
	hold(memcmp(&value, &back, sizeof value) == 0);
}

static void check_scan(struct ts_span text)
{
	double value;
	double again;
	bool integer;
	bool integer_again;
	size_t n = ts_number_scan(text, &value, &integer);

	hold(n <= text.len);
	if (n == 0)
		return;
	/* Bytes after a number must not change how it is read. */
	hold(ts_number_scan(ts_span_of(text.data, n), &again, &integer_again) == n);
	hold(memcmp(&value, &again, sizeof value) == 0 && integer == integer_again);
	check_print(value);
}

/* Returns the position at which the text became invalid, or its length. */
static size_t read_all(struct ts_span text, struct ts_buf *scratch)
{
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error err;
	size_t before = 0;
	int depth = 0;

	ts_json_reader_init(&r, text, scratch);
	for (;;) {
		if (ts_json_next(&r, &token, &err))
			return r.at;
		hold(token.at >= before && token.at <= r.at && r.at <= text.len);
		before = r.at;
		if (token.type == TS_JSON_EOF)
			break;
		if (token.type == TS_JSON_OBJECT || token.type == TS_JSON_ARRAY)
			depth++;
		if (token.type == TS_JSON_END)
			depth--;
		if (token.type == TS_JSON_NUMBER)
			check_print(token.number);
		hold(depth >= 0 && depth <= TS_JSON_DEPTH);
	}
	hold(depth == 0 && r.at == text.len);
	return text.len;
}

static void check_skip(struct ts_span text, struct ts_buf *scratch, size_t good)
{
	struct ts_json_reader r;
	struct ts_span raw;
	struct ts_error err;

	ts_json_reader_init(&r, text, scratch);
	while (ts_json_skip(&r, &raw, &err) == TS_OK) {
		hold(raw.len > 0 && raw.data >= text.data && raw.data + raw.len == text.data + r.at);
		hold(r.at <= good);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_buf scratch = TS_BUF_INIT(1 << 20);
	struct ts_span text = ts_span_of(data, size);

	check_scan(text);
	check_skip(text, &scratch, read_all(text, &scratch));
	ts_buf_finish(&scratch);
	return 0;
}
