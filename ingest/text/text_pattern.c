#include "ingest/text/text_pattern.h"

#include "base/text.h"

enum part_kind { PART_END, PART_SPACE, PART_CHAR, PART_FIELD, PART_BROKEN };

struct part {
	enum part_kind kind;
	uint8_t c;	     /* of CHAR */
	struct ts_span name; /* of FIELD; empty: it is not kept */
};

/* Reads the part of the template at *at, and moves behind it. */
static struct part next_part(struct ts_span pattern, size_t *at)
{
	struct part p = {.kind = PART_END};
	const uint8_t *end;
	size_t from = *at;

	if (*at >= pattern.len)
		return p;
	p.c = pattern.data[(*at)++];
	if (ts_is_space(p.c)) {
		p.kind = PART_SPACE;
		while (*at < pattern.len && ts_is_space(pattern.data[*at]))
			(*at)++;
		return p;
	}
	p.kind = PART_CHAR;
	if (p.c != '{' && p.c != '}')
		return p;
	if (*at < pattern.len && pattern.data[*at] == p.c) {
		(*at)++;
		return p;
	}
	end = p.c == '{' && *at < pattern.len ? memchr(pattern.data + *at, '}', pattern.len - *at) : NULL;
	p.kind = end ? PART_FIELD : PART_BROKEN;
	if (!end)
		return p;
	p.name = ts_span_part(pattern, from + 1, (size_t)(end - pattern.data) - from - 1);
	*at = (size_t)(end - pattern.data) + 1;
	return p;
}

static enum ts_status broken(size_t at, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_INVALID, "the template, character %zu: %s", at + 1, what);
}

enum ts_status ts_text_pattern_check(struct ts_span pattern, struct ts_error *err)
{
	size_t at = 0, fields = 0, all = 0;
	bool after_field = false;

	if (pattern.len > TS_TEXT_PATTERN_MAX)
		return ts_error_set(err, TS_INVALID, "the template has more than %d characters", TS_TEXT_PATTERN_MAX);
	if (!ts_utf8_valid(pattern) || (pattern.len && memchr(pattern.data, 0, pattern.len)))
		return ts_error_set(err, TS_INVALID, "the template is not text");
	for (;;) {
		size_t from = at;
		struct part p = next_part(pattern, &at);

		if (p.kind == PART_END)
			break;
		if (p.kind == PART_BROKEN)
			return broken(from, "a brace without its other one; write {{ or }} for a brace of the line", err);
		if (p.kind == PART_FIELD && p.name.len && memchr(p.name.data, '{', p.name.len))
			return broken(from, "a name that has a brace", err);
		if (p.kind == PART_FIELD && after_field)
			return broken(from, "a field right behind another; something must stand between them", err);
		after_field = p.kind == PART_FIELD;
		all += after_field;
		fields += after_field && p.name.len;
	}
	if (all > TS_TEXT_CELLS)
		return ts_error_set(err, TS_INVALID, "the template has more than %d fields", TS_TEXT_CELLS);
	return fields ? TS_OK
		      : ts_error_set(err, TS_INVALID, "the template has no field with a name, such as {loss}");
}

/* --- matching --- */

static void skip_spaces(struct ts_span line, size_t *at)
{
	while (*at < line.len && ts_is_space(line.data[*at]))
		(*at)++;
}

/* The bytes of the field at line.data[at] before the part next. */
static size_t field_len(struct ts_span line, size_t at, const struct part *next)
{
	size_t n = ts_text_number_len(ts_span_from(line, at)), end = at + n;
	bool ends = end == line.len || ts_is_space(line.data[end]);

	if (n && next->kind == PART_CHAR && !ends && line.data[end] == next->c)
		return n;
	if (n && (ends || (next->kind != PART_CHAR && !ts_is_alnum(line.data[end]) && line.data[end] != '.')))
		return n;
	for (n = 0; at + n < line.len && !ts_is_space(line.data[at + n]); n++)
		if (n && next->kind == PART_CHAR && line.data[at + n] == next->c)
			break;
	return n;
}

/* Matches the template at line.data[*at], and moves behind it. */
static bool match_here(struct ts_span pattern, struct ts_span line, size_t *at, struct ts_text_record *r)
{
	size_t in = 0;

	for (;;) {
		struct part p = next_part(pattern, &in), next;
		size_t peek = in, n;

		if (p.kind == PART_END || p.kind == PART_BROKEN)
			return p.kind == PART_END;
		if (p.kind == PART_SPACE) {
			skip_spaces(line, at);
			continue;
		}
		if (p.kind == PART_CHAR) {
			if (*at >= line.len || line.data[*at] != p.c)
				return false;
			(*at)++;
			continue;
		}
		next = next_part(pattern, &peek);
		skip_spaces(line, at);
		n = field_len(line, *at, &next);
		if (n == 0)
			return false;
		if (p.name.len)
			ts_text_record_add(r, NULL, p.name, ts_span_part(line, *at, n));
		*at += n;
	}
}

/* Whether a word begins at line.data[at]: "epoch 1" is not found in "subepoch 1". */
static bool begins_word(struct ts_span line, size_t at)
{
	return at == 0 || !ts_is_alnum(line.data[at]) || (!ts_is_alnum(line.data[at - 1]) && line.data[at - 1] != '_');
}

bool ts_text_pattern_match(struct ts_span pattern, struct ts_span line, struct ts_text_record *r, struct ts_span *ret_rest,
			   size_t *ret_at)
{
	size_t first_at = 0;
	struct part first;

	do
		first = next_part(pattern, &first_at);
	while (first.kind == PART_SPACE);
	for (size_t from = 0; from < line.len; from++) {
		size_t at = from;

		if (first.kind == PART_CHAR) {
			const uint8_t *next = memchr(line.data + from, first.c, line.len - from);

			if (!next)
				return false;
			from = at = (size_t)(next - line.data);
		}
		if (!begins_word(line, from))
			continue;
		ts_text_record_clear(r);
		if (!match_here(pattern, line, &at, r))
			continue;
		if (ret_rest)
			*ret_rest = ts_span_from(line, at);
		if (ret_at)
			*ret_at = from;
		return true;
	}
	ts_text_record_clear(r);
	return false;
}
