/* fuzz_text.c - reads any bytes as the small things that are written as text: a time, an id, base64, hex, numbers, UTF-8.
 * What is read and printed reads back the same. base64 has one spelling. Text that was escaped for a terminal is harmless,
 * and escaping it again does not change it.
 */
#include "base/base64.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/text.h"
#include "tests/fuzz/fuzz_hold.h"

#include <stdlib.h>

static void check_time(struct ts_span text)
{
	char printed[TS_TIME_TEXT];
	int64_t ns, again;
	bool zoneless;

	if (ts_time_parse(text, &ns))
		hold(ts_time_parse(ts_span_str(ts_time_text(ns, printed)), &again) && again == ns);
	if (ts_time_parse_zoneless(text, &again, &zoneless))
		hold(zoneless || (ts_time_parse(text, &ns) && ns == again));
}

static void check_id(struct ts_span text)
{
	char printed[TS_ID_HEX + 1];
	struct ts_id id, again;

	if (ts_id_parse(text, &id))
		hold(ts_id_parse(ts_span_str(ts_id_hex(&id, printed)), &again) && ts_id_eq(&id, &again));
}

/* Checks both directions: encoding the bytes as text, and decoding the bytes as if they were text. */
static void check_base64(struct ts_span text)
{
	struct ts_buf printed = TS_BUF_INIT(4 << 20);
	size_t n, at = 0;
	uint8_t *bytes = malloc(ts_base64_len(text) + text.len + 1);

	hold(bytes != NULL);
	if (ts_base64_parse(text, bytes, &at)) {
		ts_base64_print(&printed, ts_span_of(bytes, ts_base64_len(text)));
		hold(!printed.failed && ts_span_eq(ts_buf_view(&printed), text));
	} else {
		hold(at <= text.len);
	}
	ts_buf_reset(&printed);
	ts_base64_print(&printed, text);
	n = ts_base64_len(ts_buf_view(&printed));
	hold(!printed.failed && n == text.len && ts_base64_parse(ts_buf_view(&printed), bytes, &at));
	hold(ts_span_eq(ts_span_of(bytes, n), text));
	free(bytes);
	ts_buf_finish(&printed);
}

static void check_hex(struct ts_span text)
{
	struct ts_buf printed = TS_BUF_INIT(4 << 20);
	uint8_t *bytes = malloc(text.len + 1), *again = malloc(text.len + 1);

	hold(bytes && again);
	if (ts_parse_hex(text, bytes)) {
		ts_print_hex(&printed, ts_span_of(bytes, text.len / 2));
		hold(!printed.failed && ts_parse_hex(ts_buf_view(&printed), again) && memcmp(bytes, again, text.len / 2) == 0);
	}
	free(bytes);
	free(again);
	ts_buf_finish(&printed);
}

/* Nothing harmful, and no order to what reads a log, stands in it. */
static void check_harmless(struct ts_span shown)
{
	for (size_t at = 0; at < shown.len;) {
		uint32_t point = 0;
		size_t n = ts_utf8_next(ts_span_from(shown, at), &point);

		hold(n && !ts_harmful(point) && !ts_order_at(shown, at));
		at += n;
	}
}

/* What the JSON writer shows is harmless, too, and reads back to the text. */
static void check_shown_json(struct ts_span text)
{
	struct ts_buf out = TS_BUF_INIT(64 << 20), scratch = TS_BUF_INIT(64 << 20);
	struct ts_json j = ts_json_of(&out);
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error err;

	if (!ts_utf8_valid(text))
		return;
	j.shown = true;
	ts_json_span(&j, text);
	hold(!out.failed);
	check_harmless(ts_buf_view(&out));
	ts_json_reader_init(&r, ts_buf_view(&out), &scratch);
	hold(ts_json_next(&r, &token, &err) == TS_OK && token.type == TS_JSON_STRING && ts_span_eq(token.text, text));
	ts_buf_finish(&out);
	ts_buf_finish(&scratch);
}

static void check_escape(struct ts_span text)
{
	struct ts_buf shown = TS_BUF_INIT(64 << 20), again = TS_BUF_INIT(64 << 20);

	ts_escape(&shown, text);
	ts_escape(&again, ts_buf_view(&shown));
	hold(!shown.failed && ts_utf8_valid(ts_buf_view(&shown)) && ts_text_width(ts_buf_view(&shown)) >= 0);
	hold(ts_span_eq(ts_buf_view(&shown), ts_buf_view(&again)));
	check_harmless(ts_buf_view(&shown));
	(void)ts_show(text);
	ts_buf_finish(&shown);
	ts_buf_finish(&again);
}

/* The bytes before the first 0 are a pattern, the bytes after it are a text. */
static void check_glob(struct ts_span text)
{
	const uint8_t *zero = text.len ? memchr(text.data, 0, text.len) : NULL;

	if (zero && text.len < 4096)
		(void)ts_glob(ts_span_of(text.data, (size_t)(zero - text.data)), ts_span_from(text, (size_t)(zero + 1 - text.data)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span text = ts_span_of(data, size);
	struct ts_span trimmed = ts_trim(text);
	uint64_t word;
	int64_t integer;

	hold(trimmed.len <= text.len);
	check_time(text);
	check_id(text);
	check_base64(text);
	check_hex(text);
	check_escape(text);
	check_shown_json(text);
	check_glob(text);
	(void)ts_parse_hex64(text, &word);
	(void)ts_parse_u64(text, &word);
	(void)ts_parse_i64(text, &integer);
	return 0;
}
