#include "ingest/text/text_alike.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/number.h"
#include "base/text.h"
#include "ingest/formats/log_lines.h"
#include "ingest/rows/log_axes.h"
#include "ingest/text/text_guess.h"
#include "ingest/text/text_line.h"
#include "ingest/text/text_pattern.h"
#include "ingest/text/text_token.h"

#include <stdio.h>

enum { LEAST = 5, NONE = TS_TEXT_ALIKE_NUMBERS, NAME_BYTES = 40 };

/* A number at one place of lines that are alike. */
struct number {
	bool counts;   /* it is a whole number in each of them */
	bool decimals; /* it has some in one of them */
	int64_t last;
	size_t rises, falls;
};

struct shape {
	uint64_t hash;
	char line[TS_TEXT_ALIKE_BYTES]; /* the first */
	size_t len, lines, n, decimals;
	bool worded;
	struct number numbers[TS_TEXT_ALIKE_NUMBERS];
};

struct shapes {
	struct shape *items; /* TS_TEXT_ALIKE_KINDS */
	size_t n, lines;     /* lines that are not empty */
	struct ts_text_tokens tokens;
	struct ts_buf form;
};

static bool is_number(const struct ts_text_token *t)
{
	return t->kind == TS_TEXT_NUMBER || t->kind == TS_TEXT_FRACTION;
}

/* Behind the last date or time before the first number: where a template of the line begins. */
static size_t first_token(const struct ts_text_tokens *t)
{
	size_t from = 0;

	for (size_t i = 0; i < t->n && !is_number(&t->items[i]); i++)
		if (t->items[i].kind == TS_TEXT_OTHER || t->items[i].kind == TS_TEXT_DURATION)
			from = i + 1;
	return from;
}

static void count(struct number *n, const struct ts_text_token *t, bool first)
{
	int64_t value = 0;

	n->decimals |= t->kind == TS_TEXT_NUMBER && memchr(t->text.data, '.', t->text.len);
	n->counts = (first || n->counts) && !ts_span_is(t->unit, "%") && ts_parse_i64(t->text, &value);
	n->rises += !first && n->counts && value > n->last;
	n->falls += !first && n->counts && value < n->last;
	n->last = value;
}

/* What the line is but for its numbers; 0: it cannot be written as a template. */
static uint64_t hash_of(struct ts_span line, const struct ts_text_tokens *t, struct ts_buf *form, size_t *ret_numbers)
{
	form->len = 0;
	*ret_numbers = 0;
	for (size_t i = first_token(t); i < t->n; i++) {
		const struct ts_text_token *token = &t->items[i];
		struct ts_span text = ts_span_part(line, token->at, token->end - token->at);
		bool number = is_number(token);

		if (number && (ts_log_axis_rank(token->unit) != TS_LOG_AXIS_NONE || text.data != token->text.data))
			return 0; /* "3epoch", "[1-682]" */
		*ret_numbers += number;
		if (number)
			text = token->unit.len ? token->unit : ts_span_str("0");
		else if (token->kind == TS_TEXT_OTHER || token->kind == TS_TEXT_DURATION)
			text = ts_span_str("?");
		ts_buf_bytes(form, text.data, text.len);
		ts_buf_str(form, "\n");
	}
	if (!*ret_numbers || *ret_numbers > TS_TEXT_ALIKE_NUMBERS || t->full || form->failed)
		return 0;
	return ts_hash_bytes(ts_hash_open, ts_buf_view(form));
}

static struct shape *shape_of(struct shapes *s, uint64_t hash)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].hash == hash)
			return &s->items[i];
	if (s->n == TS_TEXT_ALIKE_KINDS)
		return NULL;
	s->items[s->n] = (struct shape){.hash = hash};
	return &s->items[s->n++];
}

static void look(struct shapes *s, struct ts_span line)
{
	const struct ts_text_tokens *t = &s->tokens;
	struct shape *shape;
	size_t n, k = 0;
	uint64_t hash;

	line = ts_trim(line);
	s->lines += line.len > 0;
	if (!line.len || line.len > TS_TEXT_ALIKE_BYTES)
		return;
	ts_text_tokenize(line, &s->tokens);
	hash = hash_of(line, t, &s->form, &n);
	shape = hash ? shape_of(s, hash) : NULL;
	if (!shape)
		return;
	for (size_t i = first_token(t); i < t->n; i++) {
		if (is_number(&t->items[i])) {
			struct number *number = &shape->numbers[k++];
			bool before = number->decimals;

			count(number, &t->items[i], shape->lines == 0);
			shape->decimals += number->decimals && !before;
		}
		shape->worded |= t->items[i].kind == TS_TEXT_WORD;
	}
	if (!shape->lines) {
		memcpy(shape->line, line.data, line.len);
		shape->len = line.len;
		shape->n = n;
	}
	shape->lines++;
}

static bool rises_often(const struct shape *s, size_t i)
{
	return s->numbers[i].counts && 2 * s->numbers[i].rises + 1 >= s->lines;
}

/* The one is the same in most lines, and rises where the other begins again. */
static bool is_epoch_of(const struct number *epoch, const struct number *step, size_t lines)
{
	return epoch->counts && !epoch->falls && 2 * epoch->rises + 1 <= lines && step->falls && step->falls <= epoch->rises;
}

/* The number that is the step, and that of its epoch; NONE: there is none. */
static void find_axes(const struct shape *s, size_t *ret_step, size_t *ret_epoch)
{
	*ret_step = *ret_epoch = NONE;
	for (size_t i = 1; i < s->n && *ret_step == NONE; i++)
		for (size_t k = 0; k < i && *ret_step == NONE; k++)
			if (rises_often(s, i) && is_epoch_of(&s->numbers[k], &s->numbers[i], s->lines)) {
				*ret_step = i;
				*ret_epoch = k;
			}
	for (size_t i = 0; i < s->n && *ret_step == NONE; i++)
		if (rises_often(s, i) && !s->numbers[i].falls)
			*ret_step = i;
}

/* The word before a number, with one mark between them at most, if it can be a name; else empty. */
static struct ts_span name_before(struct ts_span line, const struct ts_text_tokens *t, size_t i)
{
	const struct ts_text_token *word;
	struct ts_span name;

	if (i && t->items[i - 1].kind == TS_TEXT_MARK && memchr(":=-", t->items[i - 1].mark, 3))
		i--;
	word = i ? &t->items[i - 1] : NULL;
	if (!word || word->kind != TS_TEXT_WORD)
		return ts_span_of(NULL, 0);
	name = ts_span_part(line, word->at, word->end - word->at);
	for (size_t k = 0; k < name.len; k++)
		if (!ts_is_alnum(name.data[k]) && !memchr("_/.", name.data[k], 3))
			return ts_span_of(NULL, 0);
	return name.len < NAME_BYTES && ts_log_axis_rank(name) == TS_LOG_AXIS_NONE ? name : ts_span_of(NULL, 0);
}

static void put_literal(struct ts_buf *out, struct ts_span text)
{
	for (size_t i = 0; i < text.len; i++)
		for (int times = 1 + (text.data[i] == '{' || text.data[i] == '}'); times > 0; times--)
			ts_buf_bytes(out, text.data + i, 1);
}

static void put_field(struct ts_buf *out, struct ts_span name, size_t *io_unnamed)
{
	char text[NAME_BYTES + 2];
	int n = name.len ? snprintf(text, sizeof text, "{%.*s}", TS_SPAN_ARG(name)) : 0;

	if (!n || ts_span_has(ts_buf_view(out), ts_span_of(text, (size_t)n)))
		n = snprintf(text, sizeof text, "{value_%zu}", ++*io_unnamed);
	ts_buf_bytes(out, text, (size_t)n);
}

static const char *template_of(struct shapes *s, const struct shape *shape, struct ts_arena *arena, bool *ret_step)
{
	struct ts_buf out = TS_BUF_INIT(TS_TEXT_PATTERN_MAX);
	struct ts_span line = ts_span_of(shape->line, shape->len);
	size_t step, epoch, unnamed = 0, k = 0;
	const char *template = NULL;
	struct ts_error none;

	find_axes(shape, &step, &epoch);
	ts_text_tokenize(line, &s->tokens);
	for (size_t i = first_token(&s->tokens), from = i; i < s->tokens.n; i++) {
		const struct ts_text_token *t = &s->tokens.items[i];

		if (i > from && t->gap)
			ts_buf_str(&out, " ");
		if (t->kind == TS_TEXT_OTHER || t->kind == TS_TEXT_DURATION) {
			ts_buf_str(&out, "{}");
		} else if (is_number(t)) {
			put_field(&out,
				  k == step    ? ts_span_str("step")
				  : k == epoch ? ts_span_str("epoch")
					       : name_before(line, &s->tokens, i),
				  &unnamed);
			k++;
			put_literal(&out, ts_span_part(line, t->at + t->text.len, t->end - t->at - t->text.len));
		} else {
			put_literal(&out, ts_span_part(line, t->at, t->end - t->at));
		}
	}
	*ret_step = step != NONE;
	if (!ts_buf_check(&out, &none) && !ts_text_pattern_check(ts_buf_view(&out), &none))
		template = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(ts_buf_view(&out)));
	ts_buf_finish(&out);
	return template;
}

/* Whether one shape is more like the line of a step than another: it has a step, words, several numbers with decimals, more of them. */
static bool is_better(const struct shape *a, const struct shape *b)
{
	size_t rank[2], step, epoch;
	const struct shape *of[] = {a, b};

	for (int i = 0; i < 2; i++) {
		find_axes(of[i], &step, &epoch);
		rank[i] = step == NONE ? 0 : of[i]->worded && of[i]->decimals > 1 ? 2 : 1;
	}
	return rank[0] != rank[1] ? rank[0] > rank[1] : a->decimals * a->lines > b->decimals * b->lines;
}

/* Whether the template takes two numbers or more of the line that it was made of. */
static bool fits(const char *template, const struct shape *shape, struct ts_arena *arena)
{
	struct ts_text_record *r = ts_arena_array(arena, 1, sizeof *r);

	return r && ts_text_pattern_match(ts_span_str(template), ts_span_of(shape->line, shape->len), r, NULL, NULL) &&
	       r->n - r->texts > 1;
}

static enum ts_status read_lines(const char *top, const char *path, struct shapes *s, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(TS_LINE_MAX);
	struct ts_log_lines lines;
	enum ts_log_line_end end;
	struct ts_text_line line;
	struct ts_span raw;
	enum ts_status status = ts_log_lines_open(&lines, top, path, '\r', err);

	/* Empty lines are none of these, so that their number alone bounds nothing. */
	while (!status && s->lines < TS_TEXT_ALIKE_LINES && ts_log_lines_at(&lines) < TS_TEXT_GUESS_BYTES) {
		status = ts_log_lines_next(&lines, &raw, &end, err);
		if (status || end != TS_LOG_LINE || (raw.len && memchr(raw.data, '\0', raw.len)))
			break;
		status = ts_text_line_clean(raw, &scratch, &line, err);
		if (!status)
			look(s, line.text);
	}
	ts_log_lines_close(&lines);
	ts_buf_finish(&scratch);
	return status;
}

bool ts_text_alike(const char *top, const char *path, struct ts_arena *arena, struct ts_text_alike *ret)
{
	struct shapes *s = ts_arena_array(arena, 1, sizeof *s);
	const struct shape *best = NULL;
	const char *template;
	struct ts_error ignored;
	bool step = false;

	if (!s)
		return false;
	s->form = TS_BUF_INIT(4 * TS_TEXT_ALIKE_BYTES);
	s->items = ts_arena_array(arena, TS_TEXT_ALIKE_KINDS, sizeof *s->items);
	if (s->items && read_lines(top, path, s, &ignored))
		s->n = 0;
	ts_buf_finish(&s->form);
	if (!s->items)
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].lines >= LEAST && s->items[i].decimals && (!best || is_better(&s->items[i], best)))
			best = &s->items[i];
	template = best ? template_of(s, best, arena, &step) : NULL;
	if (!template || !fits(template, best, arena) || (!step && 4 * best->lines < s->lines))
		return false;
	*ret = (struct ts_text_alike){template, step, best->decimals};
	return true;
}
