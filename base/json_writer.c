#include "base/json_writer.h"

#include "base/number.h"
#include "base/text.h"

#include <assert.h>
#include <math.h>

#define EXACT_MAX (INT64_C(1) << 53)

struct ts_json ts_json_of(struct ts_buf *buf)
{
	return (struct ts_json){.buf = buf};
}

static void new_line(struct ts_json *j)
{
	if (!j->indent)
		return;
	ts_buf_char(j->buf, '\n');
	for (int i = 0; i < j->depth * j->indent; i++)
		ts_buf_char(j->buf, ' ');
}

/* Writes the separator that stands before a key or a value. */
static void separate(struct ts_json *j, bool key)
{
	bool in_object = j->depth > 0 && j->close[j->depth] == '}';

	assert(key ? in_object && !j->after_key : in_object == j->after_key);
	(void)in_object;
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->any[j->depth])
		ts_buf_char(j->buf, j->depth ? ',' : '\n');
	j->any[j->depth] = true;
	if (j->depth)
		new_line(j);
	(void)key;
}

static void open_container(struct ts_json *j, char open, char close)
{
	separate(j, false);
	assert(j->depth + 1 < TS_JSON_NEST);
	ts_buf_char(j->buf, open);
	j->depth++;
	j->close[j->depth] = close;
	j->any[j->depth] = false;
}

void ts_json_object(struct ts_json *j)
{
	open_container(j, '{', '}');
}

void ts_json_array(struct ts_json *j)
{
	open_container(j, '[', ']');
}

void ts_json_end(struct ts_json *j)
{
	char close = j->close[j->depth];
	bool any = j->any[j->depth];

	assert(j->depth > 0 && !j->after_key);
	j->depth--;
	if (any)
		new_line(j);
	ts_buf_char(j->buf, close);
}

static void write_escape(struct ts_buf *buf, uint32_t point)
{
	static const char names[] = "btn\0fr"; /* U+0008 to U+000D */

	if (point == '"' || point == '\\')
		ts_buf_printf(buf, "\\%c", (int)point);
	else if (point >= 8 && point <= 13 && point != 11)
		ts_buf_printf(buf, "\\%c", names[point - 8]);
	else if (point > 0xFFFF)
		ts_buf_printf(buf, "\\u%04x\\u%04x", 0xD800 + ((unsigned)(point - 0x10000) >> 10), 0xDC00 + ((unsigned)point & 0x3FF));
	else
		ts_buf_printf(buf, "\\u%04x", (unsigned)point);
}

static bool is_plain(const struct ts_json *j, struct ts_span text, size_t at, uint32_t point)
{
	if (point < 0x80)
		return point >= 0x20 && point != '"' && point != '\\' && point != 0x7F && !(j->shown && ts_order_at(text, at));
	return !j->shown || !ts_harmful(point);
}

static void write_text(struct ts_json *j, struct ts_span text)
{
	struct ts_buf *buf = j->buf;
	size_t plain = 0;
	size_t at = 0;

	ts_buf_char(buf, '"');
	while (at < text.len) {
		uint32_t point = text.data[at];
		size_t n = point < 0x80 ? 1 : ts_utf8_next(ts_span_of(text.data + at, text.len - at), &point);

		if (n && is_plain(j, text, at, point)) {
			at += n;
			continue;
		}
		ts_buf_bytes(buf, text.data + plain, at - plain);
		if (n)
			write_escape(buf, point);
		else
			ts_buf_str(buf, "\xEF\xBF\xBD");
		plain = at += n ? n : 1;
	}
	if (at > plain)
		ts_buf_bytes(buf, text.data + plain, at - plain);
	ts_buf_char(buf, '"');
}

void ts_json_key_span(struct ts_json *j, struct ts_span key)
{
	separate(j, true);
	write_text(j, key);
	ts_buf_str(j->buf, j->indent ? ": " : ":");
	j->after_key = true;
}

void ts_json_key(struct ts_json *j, const char *key)
{
	ts_json_key_span(j, ts_span_str(key));
}

void ts_json_raw(struct ts_json *j, struct ts_span json)
{
	separate(j, false);
	ts_buf_span(j->buf, json);
}

void ts_json_null(struct ts_json *j)
{
	ts_json_raw(j, ts_span_str("null"));
}

void ts_json_bool(struct ts_json *j, bool value)
{
	ts_json_raw(j, ts_span_str(value ? "true" : "false"));
}

void ts_json_i64(struct ts_json *j, int64_t value)
{
	const char *quote = value > EXACT_MAX || value < -EXACT_MAX ? "\"" : "";

	separate(j, false);
	ts_buf_printf(j->buf, "%s%" PRId64 "%s", quote, value, quote);
}

void ts_json_u64(struct ts_json *j, uint64_t value)
{
	const char *quote = value > (uint64_t)EXACT_MAX ? "\"" : "";

	separate(j, false);
	ts_buf_printf(j->buf, "%s%" PRIu64 "%s", quote, value, quote);
}

void ts_json_hex64(struct ts_json *j, uint64_t value)
{
	separate(j, false);
	ts_buf_printf(j->buf, "\"%016" PRIx64 "\"", value);
}

void ts_json_double(struct ts_json *j, double value)
{
	char text[TS_DOUBLE_TEXT];
	struct ts_span span = ts_span_of(text, ts_print_double(value, text));

	if (isfinite(value) || j->python)
		ts_json_raw(j, span);
	else
		ts_json_span(j, span);
}

void ts_json_span(struct ts_json *j, struct ts_span text)
{
	separate(j, false);
	write_text(j, text);
}

void ts_json_string(struct ts_json *j, const char *text)
{
	if (text)
		ts_json_span(j, ts_span_str(text));
	else
		ts_json_null(j);
}
