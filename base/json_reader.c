/* json_reader.c - a cursor over the text, and one bit for each level of nesting. A token is read completely before anything
 * in the reader changes, so an error repeats if the caller asks again.
 */
#include "base/json_reader.h"

#include "base/number.h"
#include "base/text.h"

#include <math.h>

#define REPEAT(byte) (UINT64_C(0x0101010101010101) * (byte))

void ts_json_reader_init(struct ts_json_reader *r, struct ts_span in, struct ts_buf *scratch)
{
	r->in = in;
	r->at = 0;
	r->scratch = scratch;
	r->depth = 0;
	r->need_value = false;
	r->any = false;
}

static enum ts_status expected(struct ts_error *err, const struct ts_json_reader *r, size_t at, const char *what)
{
	const char *where = r->depth == 0 ? "" : r->in_array[r->depth - 1] ? " inside an array" : " inside an object";

	if (at >= r->in.len)
		return ts_error_set(err, TS_INVALID, "byte %zu: the text ends%s, expected %s", r->in.len, where, what);
	return ts_error_set(err, TS_INVALID, "byte %zu: expected %s", at, what);
}

static enum ts_status expected_value(struct ts_error *err, const struct ts_json_reader *r, size_t at)
{
	bool may_end = r->depth > 0 && r->in_array[r->depth - 1] && !r->any && !r->need_value;

	return expected(err, r, at, may_end ? "a value or ']'" : "a value");
}

static inline size_t skip_space(struct ts_span in, size_t at)
{
	while (at < in.len && (in.data[at] == ' ' || in.data[at] == '\n' || in.data[at] == '\r' || in.data[at] == '\t'))
		at++;
	return at;
}

/* Skips characters that need no handling; stops at a quote, a backslash, a control character or a byte from 0x80. */
static inline size_t skip_plain(struct ts_span in, size_t at)
{
	while (in.len - at >= 8) {
		uint64_t v;
		uint64_t quote;
		uint64_t slash;
		uint64_t stop;

		memcpy(&v, in.data + at, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		v = __builtin_bswap64(v);
#endif
		/* A borrow can mark a byte wrongly, but only after a byte that is marked rightly. */
		quote = v ^ REPEAT('"');
		slash = v ^ REPEAT('\\');
		stop = ((quote - REPEAT(1)) & ~quote) | ((slash - REPEAT(1)) & ~slash) | (v - REPEAT(0x20)) | v;
		stop &= REPEAT(0x80);
		if (stop)
			return at + (size_t)(__builtin_ctzll(stop) >> 3);
		at += 8;
	}
	while (at < in.len && in.data[at] >= 0x20 && in.data[at] < 0x80 && in.data[at] != '"' && in.data[at] != '\\')
		at++;
	return at;
}

/* Skips plain and multi-byte characters up to the next quote or backslash. */
static enum ts_status skip_text(const struct ts_json_reader *r, size_t *at, struct ts_error *err)
{
	for (;;) {
		size_t i = skip_plain(r->in, *at);
		uint32_t point;
		size_t n;

		if (i == r->in.len)
			return expected(err, r, i, "'\"'");
		*at = i;
		if (r->in.data[i] == '"' || r->in.data[i] == '\\')
			return TS_OK;
		if (r->in.data[i] < 0x20)
			return ts_error_set(err, TS_INVALID, "byte %zu: a control character in a string", i);
		n = ts_utf8_next(ts_span_of(r->in.data + i, r->in.len - i), &point);
		if (n == 0)
			return ts_error_set(err, TS_INVALID, "byte %zu: the text is not UTF-8", i);
		*at = i + n;
	}
}

/* Reads four hex digits at `at`; returns -1 if they are not all hex digits. */
static int32_t hex4(struct ts_span in, size_t at)
{
	int32_t v = 0;

	if (in.len < 4 || at > in.len - 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		uint8_t c = in.data[at + (size_t)i];
		uint8_t letter = c | 32;

		if (ts_is_digit(c))
			v = v * 16 + (c - '0');
		else if (letter >= 'a' && letter <= 'f')
			v = v * 16 + (letter - 'a' + 10);
		else
			return -1;
	}
	return v;
}

/* Reads the escape whose 'u' stands before *at. A surrogate without its other half becomes U+FFFD. */
static enum ts_status unescape_unicode(const struct ts_json_reader *r, size_t *at, struct ts_error *err)
{
	struct ts_span in = r->in;
	int32_t high = hex4(in, *at);
	uint32_t point = (uint32_t)high;
	uint8_t utf8[4];

	if (high < 0)
		return expected(err, r, *at, "four hex digits after '\\u'");
	*at += 4;
	if (high >= 0xD800 && high < 0xE000) {
		int32_t low = -1;

		if (high < 0xDC00 && in.len - *at >= 6 && in.data[*at] == '\\' && in.data[*at + 1] == 'u')
			low = hex4(in, *at + 2);
		point = 0xFFFD;
		if (low >= 0xDC00 && low < 0xE000) {
			point = 0x10000 + ((uint32_t)(high - 0xD800) << 10) + (uint32_t)(low - 0xDC00);
			*at += 6;
		}
	}
	ts_buf_bytes(r->scratch, utf8, ts_utf8_put(point, utf8));
	return TS_OK;
}

/* Reads the escape whose backslash stands at *at. */
static enum ts_status unescape(const struct ts_json_reader *r, size_t *at, struct ts_error *err)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";
	size_t i = *at + 1;
	const char *name;

	if (i == r->in.len)
		return expected(err, r, i, "an escape");
	*at = i + 1;
	if (r->in.data[i] == 'u')
		return unescape_unicode(r, at, err);
	name = r->in.data[i] ? strchr(from, r->in.data[i]) : NULL;
	if (!name)
		return ts_error_set(err, TS_INVALID, "byte %zu: this escape is not allowed in a string", i - 1);
	ts_buf_char(r->scratch, to[name - from]);
	return TS_OK;
}

/* Reads a string with escapes: `at` is the position of the first backslash, `from` is where the text begins. */
static enum ts_status read_escaped(const struct ts_json_reader *r, size_t from, size_t *ret_at,
				   struct ts_span *ret_text, struct ts_error *err)
{
	size_t at = *ret_at;

	ts_buf_reset(r->scratch);
	for (;;) {
		enum ts_status status;

		ts_buf_bytes(r->scratch, r->in.data + from, at - from);
		if (r->in.data[at] == '"')
			break;
		if (unescape(r, &at, err))
			return err->status;
		from = at;
		status = skip_text(r, &at, err);
		if (status)
			return status;
	}
	if (ts_buf_check(r->scratch, err))
		return ts_error_prefix(err, "byte %zu: a string", from);
	*ret_at = at + 1;
	*ret_text = ts_buf_view(r->scratch);
	return TS_OK;
}

/* Reads the string whose first quote stands at *at; *at moves past its last quote. */
static enum ts_status read_string(const struct ts_json_reader *r, size_t *at, struct ts_span *ret_text,
				  struct ts_error *err)
{
	size_t from = *at + 1;
	size_t end = skip_plain(r->in, from);

	if (end < r->in.len && r->in.data[end] == '"') {
		*ret_text = ts_span_of(r->in.data + from, end - from);
		*at = end + 1;
		return TS_OK;
	}
	if (skip_text(r, &end, err))
		return err->status;
	if (r->in.data[end] == '"') {
		*ret_text = ts_span_of(r->in.data + from, end - from);
		*at = end + 1;
		return TS_OK;
	}
	*at = end;
	return read_escaped(r, from, at, ret_text, err);
}

static enum ts_status read_key(struct ts_json_reader *r, size_t at, struct ts_json_token *t, struct ts_error *err)
{
	struct ts_span text;

	if (at == r->in.len || r->in.data[at] != '"')
		return expected(err, r, at, r->any ? "'\"'" : "'\"' or '}'");
	t->at = at;
	if (read_string(r, &at, &text, err))
		return err->status;
	if (at < r->in.len && r->in.data[at] != ':')
		at = skip_space(r->in, at);
	if (at == r->in.len || r->in.data[at] != ':')
		return expected(err, r, at, "':'");
	t->type = TS_JSON_KEY;
	t->text = text;
	r->at = at + 1;
	r->need_value = true;
	return TS_OK;
}

static enum ts_status open_container(struct ts_json_reader *r, size_t at, struct ts_json_token *t,
				     struct ts_error *err)
{
	bool array = r->in.data[at] == '[';

	if (r->depth == TS_JSON_DEPTH)
		return ts_error_set(err, TS_INVALID, "byte %zu: nested deeper than %d", at, TS_JSON_DEPTH);
	r->in_array[r->depth++] = array;
	r->any = false;
	r->need_value = false;
	r->at = at + 1;
	t->at = at;
	t->type = array ? TS_JSON_ARRAY : TS_JSON_OBJECT;
	return TS_OK;
}

static enum ts_status close_container(struct ts_json_reader *r, size_t at, struct ts_json_token *t)
{
	r->depth--;
	r->any = true;
	r->at = at + 1;
	t->at = at;
	t->type = TS_JSON_END;
	return TS_OK;
}

static inline void end_value(struct ts_json_reader *r, size_t at)
{
	r->at = at;
	r->any = true;
	r->need_value = false;
}

/* At depth 0 no other check would reject "01" or "nullx". */
static bool runs_on(const struct ts_json_reader *r, size_t at)
{
	uint8_t c;

	if (r->depth > 0 || at == r->in.len)
		return false;
	c = r->in.data[at];
	return ts_is_digit(c) || ts_is_alpha(c) || c == '.' || c == '+' || c == '-' || c == '_';
}

static const struct {
	const char *text;
	enum ts_json_type type;
	double number;
} words[] = {
	{"true", TS_JSON_TRUE, 0},     {"false", TS_JSON_FALSE, 0},
	{"null", TS_JSON_NULL, 0},     {"NaN", TS_JSON_NUMBER, (double)NAN},
	{"Infinity", TS_JSON_NUMBER, (double)INFINITY}, {"-Infinity", TS_JSON_NUMBER, -(double)INFINITY},
};

static enum ts_status read_word(struct ts_json_reader *r, size_t at, struct ts_json_token *t, struct ts_error *err)
{
	struct ts_span rest = ts_span_of(r->in.data + at, r->in.len - at);

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		struct ts_span word = ts_span_str(words[i].text);

		if (!ts_span_starts(rest, word) || runs_on(r, at + word.len))
			continue;
		t->type = words[i].type;
		t->at = at;
		if (t->type == TS_JSON_NUMBER) {
			t->number = words[i].number;
			t->integer = false;
			t->raw = ts_span_of(rest.data, word.len);
		}
		end_value(r, at + word.len);
		return TS_OK;
	}
	return expected_value(err, r, at);
}

static enum ts_status read_number(struct ts_json_reader *r, size_t at, struct ts_json_token *t, struct ts_error *err)
{
	struct ts_span rest = ts_span_of(r->in.data + at, r->in.len - at);
	size_t n = ts_number_scan(rest, &t->number, &t->integer);

	if (n == 0)
		return read_word(r, at, t, err);
	if (runs_on(r, at + n))
		return expected(err, r, at + n, "the end of a number");
	t->type = TS_JSON_NUMBER;
	t->raw = ts_span_of(rest.data, n);
	t->at = at;
	end_value(r, at + n);
	return TS_OK;
}

static enum ts_status read_value(struct ts_json_reader *r, size_t at, struct ts_json_token *t, struct ts_error *err)
{
	uint8_t c;

	if (at == r->in.len)
		return expected_value(err, r, at);
	c = r->in.data[at];
	if (c == '-' || ts_is_digit(c))
		return read_number(r, at, t, err);
	if (c == '{' || c == '[')
		return open_container(r, at, t, err);
	if (c != '"')
		return read_word(r, at, t, err);
	t->at = at;
	if (read_string(r, &at, &t->text, err))
		return err->status;
	t->type = TS_JSON_STRING;
	end_value(r, at);
	return TS_OK;
}

static enum ts_status next(struct ts_json_reader *r, struct ts_json_token *t, struct ts_error *err)
{
	size_t at = skip_space(r->in, r->at);
	bool array;

	if (r->need_value)
		return read_value(r, at, t, err);
	if (r->depth == 0) {
		if (at < r->in.len)
			return read_value(r, at, t, err);
		r->at = at;
		t->at = at;
		t->type = TS_JSON_EOF;
		return TS_OK;
	}
	array = r->in_array[r->depth - 1];
	if (at < r->in.len && r->in.data[at] == (array ? ']' : '}'))
		return close_container(r, at, t);
	if (r->any) {
		if (at == r->in.len || r->in.data[at] != ',')
			return expected(err, r, at, array ? "',' or ']'" : "',' or '}'");
		at = skip_space(r->in, at + 1);
	}
	return array ? read_value(r, at, t, err) : read_key(r, at, t, err);
}

enum ts_status ts_json_next(struct ts_json_reader *r, struct ts_json_token *ret_token, struct ts_error *err)
{
	return next(r, ret_token, err);
}

enum ts_status ts_json_skip(struct ts_json_reader *r, struct ts_span *ret_raw, struct ts_error *err)
{
	bool inside = r->depth > 0 && !r->any && !r->need_value;
	int depth = inside ? r->depth - 1 : r->depth;
	size_t start = r->at - inside;
	bool started = inside;
	struct ts_json_token t;

	do {
		if (next(r, &t, err))
			return err->status;
		if (r->depth < depth || t.type == TS_JSON_EOF)
			return expected(err, r, t.at, "a value");
		if (!started && t.type != TS_JSON_KEY) {
			start = t.at;
			started = true;
		}
	} while (r->depth > depth || t.type == TS_JSON_KEY);
	if (ret_raw)
		*ret_raw = ts_span_of(r->in.data + start, r->at - start);
	return TS_OK;
}
