#include "ingest/formats/flat_yaml.h"

#include "base/text.h"

struct ts_flat_yaml ts_flat_yaml_of(struct ts_span text)
{
	return (struct ts_flat_yaml){.text = text, .line = 1};
}

/* The next line without its end; false at the end of the text. */
static bool next_line(struct ts_flat_yaml *y, struct ts_span *line)
{
	struct ts_span rest = ts_span_from(y->text, y->at);
	const uint8_t *newline;
	size_t n;

	if (!rest.len)
		return false;
	newline = memchr(rest.data, '\n', rest.len);
	n = newline ? (size_t)(newline - rest.data) : rest.len;
	y->at += n + (newline != NULL);
	y->line++;
	while (n > 0 && rest.data[n - 1] == '\r')
		n--;
	*line = ts_span_of(rest.data, n);
	return true;
}

static struct ts_span trim(struct ts_span s)
{
	while (s.len && (s.data[0] == ' ' || s.data[0] == '\t'))
		s.data++, s.len--;
	while (s.len && (s.data[s.len - 1] == ' ' || s.data[s.len - 1] == '\t'))
		s.len--;
	return s;
}

/* A line that goes on with the value before it: indented, or empty. Items of a list may stand at the left margin. */
static bool goes_on(struct ts_span line)
{
	bool item = line.len && line.data[0] == '-' && (line.len == 1 || line.data[1] == ' ');

	return line.len == 0 || line.data[0] == ' ' || line.data[0] == '\t' || item;
}

/* Where `key:` ends, which a space or the end of the line must follow; 0 if the line has none. */
static size_t key_end(struct ts_span line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.data[i] == ':' && (i + 1 == line.len || line.data[i + 1] == ' '))
			return i;
	return 0;
}

/* --- quoted scalars --- */

/* \xNN, \uNNNN, \UNNNNNNNN: the digits that follow. */
static size_t put_point(struct ts_span text, size_t digits, struct ts_buf *out)
{
	uint32_t point = 0;
	uint8_t utf8[4];

	if (text.len < digits)
		return 0;
	for (size_t i = 0; i < digits; i++) {
		uint8_t c = text.data[i];

		if (!ts_is_digit(c) && !((c | 32) >= 'a' && (c | 32) <= 'f'))
			return 0;
		point = point << 4 | (uint32_t)(ts_is_digit(c) ? c - '0' : (c | 32) - 'a' + 10);
	}
	if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
		return 0;
	ts_buf_bytes(out, utf8, ts_utf8_put(point, utf8));
	return digits;
}

/* What stands behind a backslash; returns its bytes, 0 if YAML has no such escape. */
static size_t put_escape(struct ts_span text, struct ts_buf *out)
{
	static const char from[] = "0abtnvfre \"/\\", to[] = "\0\a\b\t\n\v\f\r\033 \"/\\";
	const char *at;
	size_t digits;

	if (!text.len)
		return 0;
	at = text.data[0] ? strchr(from, text.data[0]) : NULL;
	if (at) {
		ts_buf_char(out, to[at - from]);
		return 1;
	}
	switch (text.data[0]) {
	case 'N':
		ts_buf_str(out, "\xc2\x85");
		return 1;
	case '_':
		ts_buf_str(out, "\xc2\xa0");
		return 1;
	case 'L':
		ts_buf_str(out, "\xe2\x80\xa8");
		return 1;
	case 'P':
		ts_buf_str(out, "\xe2\x80\xa9");
		return 1;
	case 'x':
		digits = 2;
		break;
	case 'u':
		digits = 4;
		break;
	case 'U':
		digits = 8;
		break;
	default:
		return 0;
	}
	return put_point(ts_span_of(text.data + 1, text.len - 1), digits, out) ? 1 + digits : 0;
}

struct scalar {
	struct ts_flat_yaml *y;
	struct ts_buf *out;
	struct ts_span line; /* what is left of it */
	bool cut;	     /* the text ended inside */
};

/* A line ends inside a scalar: one end is a space, each further empty line a newline. `escaped`: neither. Leading white space goes. */
static void fold(struct scalar *s, bool escaped)
{
	uint64_t empty = 0;

	while (next_line(s->y, &s->line)) {
		s->line = trim(s->line);
		if (s->line.len) {
			for (uint64_t i = 0; i < empty; i++)
				ts_buf_char(s->out, '\n');
			if (!empty && !escaped)
				ts_buf_char(s->out, ' ');
			return;
		}
		empty++;
	}
	s->cut = true;
}

/* White space before a line's end is not of the scalar, unless an escape wrote it. */
static void drop_blanks(struct ts_buf *out, size_t from)
{
	while (out->len > from && (out->data[out->len - 1] == ' ' || out->data[out->len - 1] == '\t'))
		out->len--;
}

static bool read_single(struct scalar *s)
{
	size_t kept = 0;

	while (!s->cut && !s->out->failed) {
		size_t i;

		for (i = 0; i < s->line.len; i++) {
			if (s->line.data[i] == '\'' && (i + 1 == s->line.len || s->line.data[i + 1] != '\''))
				return trim(ts_span_of(s->line.data + i + 1, s->line.len - i - 1)).len == 0;
			ts_buf_char(s->out, (char)s->line.data[i]);
			i += s->line.data[i] == '\'';
		}
		drop_blanks(s->out, kept);
		fold(s, false);
		kept = s->out->len;
	}
	return false;
}

static bool read_double(struct scalar *s)
{
	size_t kept = 0;

	while (!s->cut && !s->out->failed) {
		bool escaped = false;
		size_t i, n;

		for (i = 0; i < s->line.len; i += n) {
			n = 1;
			if (s->line.data[i] == '"')
				return trim(ts_span_of(s->line.data + i + 1, s->line.len - i - 1)).len == 0;
			if (s->line.data[i] != '\\') {
				ts_buf_char(s->out, (char)s->line.data[i]);
				continue;
			}
			escaped = i + 1 == s->line.len;
			if (escaped)
				break;
			n = 1 + put_escape(ts_span_of(s->line.data + i + 1, s->line.len - i - 1), s->out);
			if (n == 1)
				return false;
			kept = s->out->len;
		}
		if (!escaped)
			drop_blanks(s->out, kept);
		fold(s, escaped);
		kept = s->out->len;
	}
	return false;
}

/* --- pairs --- */

/* Lines that belong to the value, joined as a plain scalar's are, or only passed over. */
static void read_rest(struct ts_flat_yaml *y, struct ts_buf *out)
{
	struct ts_flat_yaml ahead = *y;
	struct ts_span line;
	uint64_t empty = 0;

	while (next_line(&ahead, &line) && goes_on(line)) {
		*y = ahead;
		line = trim(line);
		if (!line.len) {
			empty++;
			continue;
		}
		for (uint64_t i = 0; out && i < empty; i++)
			ts_buf_char(out, '\n');
		if (out && !empty)
			ts_buf_char(out, ' ');
		if (out)
			ts_buf_span(out, line);
		empty = 0;
	}
}

static void read_plain(struct ts_flat_yaml *y, struct ts_span rest, struct ts_buf *value, struct ts_yaml_pair *pair)
{
	static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};

	for (size_t i = 0; i + 1 < rest.len; i++)
		if (rest.data[i] == ' ' && rest.data[i + 1] == '#') /* a comment */
			rest.len = i;
	rest = trim(rest);
	if (rest.len == 0 || memchr("[{|>&!*%@`-?,", rest.data[0], rest.len > 1 && rest.data[1] != ' ' ? 10 : 13)) {
		pair->kind = TS_YAML_OTHER;
		/* "key:" with nothing behind it is null, or the head of a list or a mapping. */
		if (rest.len == 0) {
			struct ts_flat_yaml ahead = *y;
			struct ts_span line;

			if (!next_line(&ahead, &line) || !goes_on(line) || !line.len)
				pair->kind = TS_YAML_NULL;
		}
		read_rest(y, NULL);
		return;
	}
	ts_buf_span(value, rest);
	read_rest(y, value);
	for (size_t i = 0; i < sizeof nulls / sizeof nulls[0]; i++)
		if (ts_span_is(ts_buf_view(value), nulls[i]))
			pair->kind = TS_YAML_NULL;
}

static void bad_line(struct ts_flat_yaml *y, uint64_t line)
{
	if (y->bad++ == 0)
		y->bad_line = line;
}

/* false: the line was no pair. */
static bool read_pair(struct ts_flat_yaml *y, struct ts_span line, struct ts_buf *value, struct ts_yaml_pair *pair)
{
	size_t n = key_end(line);
	struct scalar s = {.y = y, .out = value};
	bool good = true;

	if (n == 0 || goes_on(line) || memchr("#\"'[{&!*?", line.data[0], 9))
		return false;
	*pair = (struct ts_yaml_pair){.key = ts_span_of(line.data, n), .line = y->line - 1};
	s.line = trim(ts_span_of(line.data + n + 1, line.len - n - 1));
	ts_buf_reset(value);
	if (s.line.len && (s.line.data[0] == '\'' || s.line.data[0] == '"')) {
		bool single = s.line.data[0] == '\'';

		s.line = ts_span_of(s.line.data + 1, s.line.len - 1);
		good = single ? read_single(&s) : read_double(&s);
	} else {
		read_plain(y, s.line, value, pair);
	}
	pair->value = ts_buf_view(value);
	return good;
}

bool ts_flat_yaml_next(struct ts_flat_yaml *y, struct ts_buf *value, struct ts_yaml_pair *ret_pair)
{
	struct ts_span line;

	while (next_line(y, &line)) {
		uint64_t number = y->line - 1;

		if (trim(line).len == 0 || line.data[0] == '#' || ts_span_is(line, "---") || ts_span_is(line, "..."))
			continue;
		if (read_pair(y, line, value, ret_pair))
			return true;
		bad_line(y, number);
	}
	return false;
}
