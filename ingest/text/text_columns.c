#include "ingest/text/text_columns.h"

#include "base/number.h"
#include "base/text.h"
#include "ingest/formats/log_lines.h"
#include "ingest/text/text_guess.h"
#include "ingest/text/text_number.h"

/* What the lines had so far. */
struct columns {
	size_t lines, alike; /* that are not empty; that are n numbers */
	size_t n;	     /* numbers of the first line that is numbers alone; 0: none yet */
	uint8_t between;     /* what parts them: ' ', ',' or ';' */
	int64_t last;
	bool any_step, rises;
	char word[24]; /* the letters before the first number: "epoch" of "epoch12 0.25" */
};

static struct ts_span cell_at(struct ts_span line, size_t at, uint8_t between)
{
	size_t n = 0;

	while (at + n < line.len && (between == ' ' ? !ts_is_space(line.data[at + n]) : line.data[at + n] != between))
		n++;
	return ts_span_part(line, at, n);
}

/* The letters before the digits that a cell ends in: "epoch" of "epoch12"; 0: it is no such word. */
static size_t letters_before(struct ts_span cell)
{
	size_t n = 0, end;

	while (n < cell.len && (ts_is_alpha(cell.data[n]) || cell.data[n] == '_'))
		n++;
	for (end = n; end < cell.len && ts_is_digit(cell.data[end]); end++)
		;
	return n && n < cell.len && end == cell.len && n < sizeof((struct columns *)NULL)->word ? n : 0;
}

/* How many numbers the line is, and whether the first is whole; 0: it has something else. *ret_word: the letters before the first. */
static size_t count(struct ts_span line, uint8_t between, int64_t *ret_first, bool *ret_whole, struct ts_span *ret_word)
{
	size_t n = 0;

	*ret_whole = false;
	*ret_word = ts_span_of(NULL, 0);
	for (size_t at = 0; at <= line.len;) {
		struct ts_span raw = cell_at(line, at, between), cell = ts_trim(raw);

		if (raw.len || between != ' ') {
			size_t letters = n ? 0 : letters_before(cell);

			if (letters) {
				*ret_word = ts_span_part(cell, 0, letters);
				cell = ts_span_from(cell, letters);
			}
			if (!cell.len || ts_text_number_len(cell) != cell.len || n == TS_TEXT_COLUMNS_MOST)
				return 0;
			if (n++ == 0)
				*ret_whole = ts_parse_i64(cell, ret_first);
		}
		at += raw.len + 1;
	}
	return n;
}

static void look(struct columns *c, struct ts_span line)
{
	struct ts_span word;
	int64_t first = 0;
	size_t n;
	bool whole;

	line = ts_trim(line);
	if (!line.len)
		return;
	c->lines++;
	if (!c->n)
		c->between = memchr(line.data, ';', line.len) ? ';' : memchr(line.data, ',', line.len) ? ',' : ' ';
	n = count(line, c->between, &first, &whole, &word);
	if (!n || (c->n && (n != c->n || !ts_span_is(word, c->word))))
		return;
	if (!c->n && word.len)
		memcpy(c->word, word.data, word.len);
	c->rises = c->n ? c->rises && whole && (!c->any_step || first > c->last) : whole;
	c->any_step |= whole;
	c->last = first;
	c->n = n;
	c->alike++;
}

/* A number alone is no step: nothing is left that it would be the step of. */
static const char *template_of(const struct columns *c, struct ts_arena *arena)
{
	bool step = c->rises && c->n > 1;
	const char *text = ts_arena_printf(arena, "%s%s", c->word, step ? "{step}" : "{value_1}");

	for (size_t i = 1; text && i < c->n; i++)
		text = ts_arena_printf(arena, "%s%c{value_%zu}", text, c->between, step ? i : i + 1);
	return text;
}

const char *ts_text_columns(const char *top, const char *path, struct ts_arena *arena)
{
	struct columns c = {.n = 0};
	struct ts_log_lines lines;
	enum ts_log_line_end end;
	struct ts_error ignored;
	struct ts_span line;

	if (ts_log_lines_open(&lines, top, path, 0, &ignored)) {
		ts_log_lines_close(&lines);
		return NULL;
	}
	while (c.lines < TS_TEXT_COLUMNS_LINES && ts_log_lines_at(&lines) < TS_TEXT_GUESS_BYTES &&
	       !ts_log_lines_next(&lines, &line, &end, &ignored) && end == TS_LOG_LINE)
		look(&c, line);
	ts_log_lines_close(&lines);
	if (c.n == 1 && (c.rises || c.word[0]))
		return NULL; /* a list of numbers that count something */
	return c.alike >= TS_TEXT_COLUMNS_LEAST && 10 * c.alike >= 9 * c.lines ? template_of(&c, arena) : NULL;
}
