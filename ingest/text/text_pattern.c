#include "ingest/text/text_pattern.h"

#include "base/number.h"
#include "base/text.h"
#include "ingest/rows/log_axes.h"
#include "ingest/text/text_doing.h"
#include "ingest/text/text_named.h"
#include "ingest/text/text_number.h"
#include "ingest/text/text_token.h"

enum {
	TRIES = 256, /* how often a {} may reach further, in one line */
	NAME_BYTES = 256,
};

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

/* {*}, and {val_*}, whose names get what stands before the star. */
static bool is_rest(const struct part *p)
{
	return p->kind == PART_FIELD && ts_span_ends(p->name, "*");
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
		if (is_rest(&p) && from && at != pattern.len)
			return broken(from, "{*} that is neither at the beginning nor at the end", err);
		if (p.kind == PART_FIELD && after_field)
			return broken(from, "a field right behind another; something must stand between them", err);
		after_field = p.kind == PART_FIELD;
		all += after_field;
		fields += after_field && p.name.len;
	}
	if (all > TS_TEXT_CELLS)
		return ts_error_set(err, TS_INVALID, "the template has more than %d fields", TS_TEXT_CELLS);
	return fields ? TS_OK : ts_error_set(err, TS_INVALID, "the template has no field with a name, such as {loss}");
}

/* --- matching --- */

static void skip_spaces(struct ts_span line, size_t *at)
{
	while (*at < line.len && ts_is_space(line.data[*at]))
		(*at)++;
}

/* A number with what belongs to it: "0:10:00", "12/400", "20.57GiB", unless the template goes on inside of it. */
static size_t number_len(struct ts_span line, size_t at, const struct part *next)
{
	struct ts_span text = ts_span_from(line, at);
	size_t n = ts_text_number_len(text), more;
	double seconds;

	if (n && next->kind == PART_CHAR && n < text.len && text.data[n] == next->c)
		return n;
	if (n > 1 && next->kind == PART_CHAR && next->c == '.' && text.data[n - 1] == '.')
		return n - 1;
	more = n ? ts_text_duration(text, &seconds) : 0;
	if (more)
		return more;
	more = n;
	while (more < text.len && (ts_is_digit(text.data[more]) || text.data[more] == '/'))
		more++;
	if (n && ts_log_fraction(ts_span_part(text, 0, more)) == n)
		return more;
	return n + (n ? ts_text_unit(ts_span_from(text, n)) : 0);
}

/* The bytes of the field at line.data[at] before the part next. */
static size_t field_len(struct ts_span line, size_t at, const struct part *next)
{
	size_t n = number_len(line, at, next), end = at + n;
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

static bool is_epoch(struct ts_span name)
{
	return ts_span_is(name, "epoch");
}

/* The number of steps that there will be: that of "/{}" or "of {}" behind the step. */
static int64_t total_behind(struct ts_span pattern, size_t in, struct ts_span line, size_t at)
{
	struct part slash = next_part(pattern, &in), field;
	int64_t total;
	size_t n;

	while (slash.kind == PART_SPACE)
		slash = next_part(pattern, &in);
	skip_spaces(line, &at);
	if (slash.kind == PART_CHAR && slash.c == 'o' && ts_span_starts(ts_span_from(line, at), ts_span_str("of ")) &&
	    next_part(pattern, &in).c == 'f')
		at++; /* "of {}" */
	else if (slash.kind != PART_CHAR || slash.c != '/' || at >= line.len || line.data[at] != '/')
		return 0;
	for (at++, field = next_part(pattern, &in); field.kind == PART_SPACE;)
		field = next_part(pattern, &in);
	skip_spaces(line, &at);
	for (n = 0; at + n < line.len && ts_is_digit(line.data[at + n]); n++)
		;
	return field.kind == PART_FIELD && n && n < 16 && ts_parse_i64(ts_span_part(line, at, n), &total) ? total : 0;
}

/* What all fields of a template have in common. */
struct manner {
	bool numbers; /* they are numbers only */
	bool listed;  /* commas stand between them, and in no number: "{step},{loss}" */
};

/* The line up to the comma behind at. */
static struct ts_span to_comma(struct ts_span line, size_t at)
{
	const uint8_t *comma = at < line.len ? memchr(line.data + at, ',', line.len - at) : NULL;

	return comma ? ts_span_of(line.data, (size_t)(comma - line.data)) : line;
}

/* Takes the field before the part next at line.data[*at]. Of a list, one that is not kept is all up to the comma. */
static bool take_field(struct ts_span name, struct ts_span line, size_t *at, const struct part *next, const struct manner *manner,
		       struct ts_text_record *r)
{
	bool axis = ts_log_axis_rank(name) != TS_LOG_AXIS_NONE, number = manner->numbers || axis;
	bool all = manner->listed && !name.len && !number;
	struct ts_span cell = manner->listed ? to_comma(line, *at) : line;
	size_t n = all ? cell.len - *at : field_len(cell, *at, next), cells = r->n;

	struct ts_span value = ts_span_part(line, *at, n);
	double seconds;

	/* "[14:00:01] WARNING" has a time where "[{step}]" has a step. */
	if (n == 0 || (axis && memchr(value.data, ':', n) && ts_text_duration(value, &seconds) == n))
		return false;
	/* The dot that ends a sentence: "Step: 19000. Mean Reward: 2.5." */
	if (n > 1 && line.data[*at + n - 1] == '.' &&
	    (ts_text_number_len(value) >= n - 1 || ts_log_fraction(ts_span_part(value, 0, n - 1))))
		value.len--;
	if (name.len)
		ts_text_record_value(r, name, value);
	else if (number && !ts_text_number_len(value))
		return false;
	if (name.len && number && (r->n == cells || r->cells[r->n - 1].is_text))
		return false;
	*at += n;
	return true;
}

/* Whether a name of this rank is more certain to be the step than that of the cell that is taken for it. */
static bool is_better_step(const struct ts_text_record *r, struct ts_span name, size_t rank)
{
	return rank != TS_LOG_AXIS_NONE && !is_epoch(name) &&
	       (r->step == TS_TEXT_CELLS || rank < ts_log_axis_rank(r->cells[r->step].name));
}

static bool has_digit(struct ts_span text)
{
	size_t i = 0;

	while (i < text.len && !ts_is_digit(text.data[i]))
		i++;
	return i < text.len;
}

/* Where a match stands: in the template, in the line, and what the record has so far. */
struct place {
	size_t in, at, cells, texts, pooled, step;
	int64_t total;
	bool full;
};

static struct place place_of(size_t in, size_t at, const struct ts_text_record *r)
{
	return (struct place){in, at, r->n, r->texts, r->pooled, r->step, r->total, r->full};
}

static void go_back(const struct place *p, struct ts_text_record *r)
{
	r->n = p->cells;
	r->texts = p->texts;
	r->pooled = p->pooled;
	r->step = p->step;
	r->total = p->total;
	r->full = p->full;
}

/* Moves the end of a field that is not kept to where the template may go on next; false: nowhere in the line. */
static bool reach_on(struct ts_span pattern, struct ts_span line, struct place *p)
{
	size_t in = p->in;
	struct part next = next_part(pattern, &in);
	bool spaced = next.kind == PART_SPACE;

	if (spaced)
		next = next_part(pattern, &in);
	if (next.kind != PART_CHAR)
		return false;
	for (p->at++; p->at < line.len; p->at++) {
		size_t at = p->at;

		if (spaced && !ts_is_space(line.data[at]))
			continue;
		skip_spaces(line, &at);
		if ((spaced || at == p->at) && at < line.len && line.data[at] == next.c)
			return true;
	}
	return false;
}

/* Puts the prefix before the names of the cells from `from` on, but those that say themselves what the program did with its data. */
static void put_before(struct ts_text_record *r, size_t from, struct ts_span prefix)
{
	char both[NAME_BYTES];

	for (size_t i = from; prefix.len && i < r->n; i++) {
		struct ts_span name = r->cells[i].name;

		if (ts_text_is_doing(ts_text_first_word(name)) || prefix.len + name.len > sizeof both)
			continue;
		memcpy(both, prefix.data, prefix.len);
		memcpy(both + prefix.len, name.data, name.len);
		r->cells[i].name = ts_text_record_keep(r, ts_span_of(both, prefix.len + name.len));
	}
}

/* Whether the first of the cells from `from` on says that it is of something else than the prefix: "train loss" and "val_". */
static bool is_of_other(const struct ts_text_record *r, size_t from, struct ts_span prefix)
{
	struct ts_span name = from < r->n ? r->cells[from].name : ts_span_of(NULL, 0);
	const char *ours = ts_text_evaluation(name);

	return ts_text_is_doing(ts_text_first_word(name)) && !(ours && ts_span_is(prefix, ours));
}

/* Matches one part of the template at line.data[*at], and moves behind it. *ret_done: the template ends with it. */
static bool match_part(struct ts_span pattern, size_t *in, struct ts_span line, size_t *at, const struct manner *manner,
		       struct ts_text_record *r, bool *ret_done)
{
	struct part p = next_part(pattern, in), next;
	size_t peek = *in, rank;

	*ret_done = p.kind == PART_END || is_rest(&p);
	if (p.kind == PART_END || p.kind == PART_BROKEN)
		return p.kind == PART_END;
	if (p.kind == PART_SPACE) {
		skip_spaces(line, at);
		return true;
	}
	if (p.kind == PART_CHAR)
		return *at < line.len && line.data[(*at)++] == p.c;
	if (is_rest(&p)) {
		size_t cells = r->n;

		r->more = r->brief && has_digit(ts_span_from(line, *at));
		if (!r->brief || ts_span_contains(ts_span_from(line, *at), "poch"))
			(void)ts_text_named_in(ts_span_from(line, *at), r);
		if (p.name.len > 1 && is_of_other(r, cells, ts_span_part(p.name, 0, p.name.len - 1)))
			return false;
		put_before(r, cells, ts_span_part(p.name, 0, p.name.len - 1));
		return true;
	}
	next = next_part(pattern, &peek);
	skip_spaces(line, at);
	rank = ts_log_axis_rank(p.name);
	if (!take_field(p.name, line, at, &next, manner, r))
		return false;
	if (is_better_step(r, p.name, rank)) {
		r->step = r->n - 1;
		r->total = total_behind(pattern, *in, line, *at);
	}
	return true;
}

/* Matches the template at line.data[*at], and moves behind it. Where it does not fit, the last field that is not kept reaches further,
 * so that it may stand for any text. */
static bool match_here(struct ts_span pattern, struct ts_span line, size_t *at, const struct manner *manner, size_t *tries,
		       struct ts_text_record *r)
{
	struct place back = {.in = 0};
	bool can_go_back = false, done = false;
	size_t in = 0;

	while (!done) {
		size_t from = in, peek = in;
		struct part p = next_part(pattern, &peek);
		bool fits = match_part(pattern, &in, line, at, manner, r, &done);

		if (fits && from && p.kind == PART_FIELD && !p.name.len && !manner->numbers) {
			back = place_of(in, *at, r);
			can_go_back = true;
		}
		if (fits)
			continue;
		if (!can_go_back || !*tries)
			return false;
		(*tries)--;
		if (!reach_on(pattern, line, &back))
			return false;
		go_back(&back, r);
		in = back.in;
		*at = back.at;
		done = false;
	}
	return true;
}

/* Whether a digit at line.data[at] goes on with a time, a date or a number: "00" of "10:00". */
static bool goes_on(struct ts_span line, size_t at)
{
	return at > 1 && ts_is_digit(line.data[at]) && ts_is_digit(line.data[at - 2]) && memchr(":./", line.data[at - 1], 3);
}

/* Whether a word begins at line.data[at]: "epoch 1" is not found in "subepoch 1". */
static bool begins_word(struct ts_span line, size_t at)
{
	if (goes_on(line, at))
		return false;
	return at == 0 || !ts_is_alnum(line.data[at]) || (!ts_is_alnum(line.data[at - 1]) && line.data[at - 1] != '_');
}

/* Whether a template has fields and spaces only. */
static bool is_bare(struct ts_span pattern)
{
	size_t at = 0;
	struct part p;

	do
		p = next_part(pattern, &at);
	while (p.kind == PART_SPACE || (p.kind == PART_FIELD && !is_rest(&p)));
	return p.kind == PART_END;
}

/* Whether a comma, with a space before it at most, stands between two fields of the template. */
static bool is_list(struct ts_span pattern)
{
	struct part two[2] = {{.kind = PART_END}, {.kind = PART_END}}, p;
	size_t at = 0;

	do {
		p = next_part(pattern, &at);
		if (p.kind == PART_FIELD && two[0].kind == PART_FIELD && two[1].kind == PART_CHAR && two[1].c == ',')
			return true;
		if (p.kind == PART_SPACE && two[1].kind == PART_FIELD)
			continue;
		two[0] = two[1];
		two[1] = p;
	} while (p.kind != PART_END && p.kind != PART_BROKEN);
	return false;
}

/* Whether the line has the template's own characters, one behind the other: without them it fits nowhere. */
static bool has_characters(struct ts_span pattern, struct ts_span line)
{
	size_t in = 0, at = 0;

	for (struct part p = next_part(pattern, &in); p.kind != PART_END && p.kind != PART_BROKEN; p = next_part(pattern, &in)) {
		const uint8_t *found;

		if (p.kind != PART_CHAR)
			continue;
		found = at < line.len ? memchr(line.data + at, p.c, line.len - at) : NULL;
		if (!found)
			return false;
		at = (size_t)(found - line.data) + 1;
	}
	return true;
}

/* Finds the first place where a template without {*} before it fits. */
static bool find_place(struct ts_span pattern, struct ts_span line, struct ts_text_record *r, size_t *ret_from, size_t *ret_end)
{
	size_t first_at = 0;
	size_t tries = TRIES;
	struct manner manner;
	struct part first;
	bool bare;

	do
		first = next_part(pattern, &first_at);
	while (first.kind == PART_SPACE);
	if (first.kind == PART_FIELD && !has_characters(pattern, line))
		return false; /* such a template is tried at each word */
	bare = first.kind == PART_FIELD && is_bare(pattern);
	manner = (struct manner){bare, memchr(pattern.data, ',', pattern.len) && is_list(pattern)};
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
		if (match_here(pattern, line, &at, &manner, &tries, r) && (!bare || at == line.len)) {
			*ret_from = from;
			*ret_end = at;
			return true;
		}
		if (bare)
			return false;
	}
	return false;
}

/* Whether the template is {*} alone, or {val_*}, whose prefix *ret_prefix is. */
static bool is_alone(struct ts_span pattern, struct ts_span *ret_prefix)
{
	size_t at = 0;
	struct part p = next_part(pattern, &at);

	*ret_prefix = is_rest(&p) ? ts_span_part(p.name, 0, p.name.len - 1) : ts_span_of(NULL, 0);
	return is_rest(&p) && ts_trim(ts_span_from(pattern, at)).len == 0;
}

bool ts_text_pattern_is_alone(struct ts_span pattern)
{
	struct ts_span prefix;

	return is_alone(pattern, &prefix);
}

/* Whether the name begins with the word that a prefix stands for: "Valid loss" and "val_", "foo: 2" and "foo_". */
static bool begins_as(struct ts_span name, struct ts_span prefix)
{
	const char *ours = ts_text_evaluation(name);
	size_t n = prefix.len;

	while (n && !ts_is_alnum(prefix.data[n - 1]))
		n--;
	return (ours && ts_span_is(prefix, ours)) || ts_span_starts(name, ts_span_part(prefix, 0, n));
}

bool ts_text_pattern_match(struct ts_span pattern, struct ts_span line, struct ts_text_record *r, struct ts_span *ret_rest,
			   size_t *ret_at)
{
	size_t from = 0, end = line.len;
	struct ts_span prefix;
	bool before = ts_span_starts(pattern, ts_span_str("{*}")), fits;

	if (is_alone(pattern, &prefix)) {
		ts_text_record_clear(r);
		fits = ts_text_named_in(line, r) && r->n > 0 && (!prefix.len || begins_as(r->cells[0].name, prefix));
		put_before(r, 0, prefix);
	} else {
		fits = find_place(before ? ts_trim(ts_span_from(pattern, 3)) : pattern, line, r, &from, &end);
		if (fits && before)
			(void)ts_text_named_in(ts_span_part(line, 0, from), r);
	}
	if (!fits) {
		ts_text_record_clear(r);
		return false;
	}
	for (size_t i = 0; before && i < r->n; i++)
		if (!r->cells[i].is_text && is_better_step(r, r->cells[i].name, ts_log_axis_rank(r->cells[i].name)))
			r->step = i;
	if (ret_rest)
		*ret_rest = ts_span_from(line, end);
	if (ret_at)
		*ret_at = from;
	return true;
}
