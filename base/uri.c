/* uri.c - see uri.h. */
#include "base/uri.h"

#include "base/text.h"

static bool is_plain(uint8_t c, bool slashes)
{
	return ts_is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~' || (slashes && c == '/');
}

void ts_uri_encode(struct ts_buf *out, struct ts_span text, bool slashes)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.data[i];

		if (is_plain(c, slashes)) {
			ts_buf_char(out, (char)c);
			continue;
		}
		ts_buf_char(out, '%');
		ts_buf_char(out, digits[c >> 4]);
		ts_buf_char(out, digits[c & 15]);
	}
}

void ts_uri_encode_name(struct ts_buf *out, struct ts_span name)
{
	static const char end[] = ".json";
	bool json = ts_span_ends(name, end);

	ts_uri_encode(out, ts_span_part(name, 0, name.len - (json ? sizeof end - 1 : 0)), true);
	if (json)
		ts_buf_str(out, "%2Ejson");
}

enum ts_status ts_uri_decode(struct ts_span text, bool query, struct ts_arena *arena, struct ts_span *ret_text, struct ts_error *err)
{
	uint8_t *out = ts_arena_alloc(arena, text.len + 1);
	size_t n = 0;

	if (!out)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.data[i];

		if (c == '%') {
			if (text.len - i < 3 || !ts_parse_hex(ts_span_part(text, i + 1, 2), &c))
				return ts_error_set(err, TS_INVALID, "an address has a '%%' without two hex digits behind it");
			i += 2;
		} else if (query && c == '+') {
			c = ' ';
		}
		if (!c)
			return ts_error_set(err, TS_INVALID, "an address has a byte of zero");
		out[n++] = c;
	}
	out[n] = 0;
	*ret_text = ts_span_of(out, n);
	return ts_utf8_valid(*ret_text) ? TS_OK : ts_error_set(err, TS_INVALID, "an address has bytes that are not UTF-8");
}

static size_t find(struct ts_span in, char c)
{
	const uint8_t *at = in.len ? memchr(in.data, c, in.len) : NULL;

	return at ? (size_t)(at - in.data) : in.len;
}

bool ts_uri_field(struct ts_span *io_query, struct ts_span *ret_name, struct ts_span *ret_value)
{
	struct ts_span field;
	size_t end, mark;

	do {
		if (io_query->len == 0)
			return false;
		end = find(*io_query, '&');
		field = ts_span_part(*io_query, 0, end);
		*io_query = ts_span_from(*io_query, end < io_query->len ? end + 1 : end);
	} while (field.len == 0);
	mark = find(field, '=');
	*ret_name = ts_span_part(field, 0, mark);
	*ret_value = mark < field.len ? ts_span_from(field, mark + 1) : ts_span_of("", 0);
	return true;
}
