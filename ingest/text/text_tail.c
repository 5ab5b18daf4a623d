#include "ingest/text/text_tail.h"

#include "base/number.h"
#include "base/text.h"
#include "ingest/facts/facts_json.h"

#include <stdio.h>

/* --- lines --- */

struct ts_span ts_text_tail_plain(struct ts_span line, uint8_t to[TS_TEXT_TAIL_LINE])
{
	size_t n = 0;

	for (size_t i = 0; i < line.len && n < TS_TEXT_TAIL_LINE; i++) {
		uint8_t c = line.data[i];

		if (c == 0x1B && i + 1 < line.len && line.data[i + 1] == '[') {
			for (i += 2; i < line.len && (line.data[i] < 0x40 || line.data[i] > 0x7E); i++)
				;
		} else if (c == '\r') {
			n = i + 1 < line.len ? 0 : n;
		} else {
			to[n++] = c;
		}
	}
	return ts_utf8_cut(ts_span_of(to, n), n);
}

/* Takes "[rank3]: " off the line. Returns 3, or -1. */
static int32_t rank_of(struct ts_span *io_line)
{
	struct ts_span line = *io_line;
	size_t n = 5;
	int64_t rank;

	if (!ts_span_starts(line, ts_span_str("[rank")))
		return -1;
	while (n < line.len && ts_is_digit(line.data[n]))
		n++;
	if (n + 1 >= line.len || line.data[n] != ']' || line.data[n + 1] != ':' || n > 14 ||
	    !ts_parse_i64(ts_span_part(line, 5, n - 5), &rank) || rank > INT32_MAX)
		return -1;
	n += 2;
	n += n < line.len && line.data[n] == ' ';
	*io_line = ts_span_from(line, n);
	return (int32_t)rank;
}

/* `  File "train.py", line 12, in main`: of libraries the program's own frame before them counts. */
static void take_frame(struct ts_text_tail *s, struct ts_span line)
{
	struct ts_span text = ts_trim(ts_text_without_bar(line)), path;
	const uint8_t *quote;
	size_t at;
	int64_t number;

	if (!ts_span_starts(text, ts_span_str("File \"")))
		return;
	path = ts_span_from(text, 6);
	quote = memchr(path.data, '"', path.len);
	if (!quote)
		return;
	at = (size_t)(quote - path.data);
	text = ts_span_from(path, at);
	path.len = at;
	if (!ts_span_starts(text, ts_span_str("\", line ")))
		return;
	text = ts_span_from(text, 8);
	for (at = 0; at < text.len && ts_is_digit(text.data[at]); at++)
		;
	if (!ts_parse_i64(ts_span_part(text, 0, at), &number))
		return;
	if (*s->frame && ts_text_is_library(path))
		return;
	(void)snprintf(s->frame, sizeof s->frame, "%.*s:%" PRId64, (int)(path.len < 400 ? path.len : 400), (const char *)path.data,
		       number);
	if (s->chain == TS_TAIL_FOLLOWED && !ts_text_is_library(path))
		memcpy(s->at, s->frame, sizeof s->at);
}

/* An exception that a library catches and answers by another one has only the library's frames; the program's are in the traceback of
 * the other. */
static void take_chain(struct ts_text_tail *s, struct ts_span line)
{
	for (size_t i = 0; ts_text_links[i]; i++)
		if (ts_span_starts(line, ts_span_str(ts_text_links[i])))
			s->chain = ts_text_is_library(ts_span_str(s->at)) ? TS_TAIL_FOLLOWS : TS_TAIL_ALONE;
	if (!ts_span_contains(line, "Traceback (most recent call last)"))
		return;
	s->frame[0] = '\0';
	s->chain = s->chain == TS_TAIL_FOLLOWS ? TS_TAIL_FOLLOWED : TS_TAIL_ALONE;
}

/* The number behind the beginning of a line. */
static bool number_behind(struct ts_span line, const char *begin, int64_t *ret)
{
	struct ts_span rest = line;

	if (!ts_span_starts(line, ts_span_str(begin)))
		return false;
	rest = ts_span_from(line, strlen(begin));
	return ts_parse_i64(ts_next_word(&rest), ret);
}

/* "step 12", "Epoch: 3", "iter=7/100" at the beginning of a line. */
static bool is_progress(struct ts_span line)
{
	static const char *const words[] = {"step", "epoch", "iter", "iteration", NULL};
	struct ts_span text = ts_trim(line);
	char word[16];
	size_t n = 0;

	while (n < text.len && n + 1 < sizeof word && ts_is_alpha(text.data[n])) {
		word[n] = (char)(text.data[n] | 32);
		n++;
	}
	word[n] = '\0';
	while (n < text.len && (text.data[n] == ' ' || text.data[n] == ':' || text.data[n] == '=' || text.data[n] == '['))
		n++;
	return n < text.len && ts_is_digit(text.data[n]) && ts_word_among(word, words);
}

/* Others may go on where one rank has failed, so that only an exception that no rank is named with was caught. */
static void take_progress(struct ts_text_tail *s, int32_t rank, struct ts_span line)
{
	if (!s->others && s->end.said && s->end.rank < 0 && rank < 0 && !s->end.n_waits && *s->end.type &&
	    s->end.cause != TS_END_SIGNAL && is_progress(line)) {
		s->passed = s->end;
		memcpy(s->passed_at, s->at, sizeof s->at);
		ts_text_end_step(&s->end);
		s->at[0] = '\0';
	}
}

/* The exit code of the rank that failed first, by torchrun. Python's for an exception that nobody caught is 1. */
static void take_root_code(struct ts_text_tail *s, int64_t code)
{
	s->root_code = code;
	if (code == 1 && s->passed.said && !*s->end.type) {
		s->end = s->passed;
		memcpy(s->at, s->passed_at, sizeof s->at);
	}
}

static void keep_last(struct ts_text_tail *s, struct ts_span line)
{
	struct ts_span text = ts_utf8_cut(ts_trim(line), sizeof s->last - 1);

	s->ours = ts_span_starts(line, ts_span_str("tscope: ")) || (s->ours && line.len && line.data[0] == ' ');
	if (!text.len || s->ours || !ts_utf8_valid(text))
		return;
	memcpy(s->last, text.data, text.len);
	s->last[text.len] = '\0';
}

static void take_line(struct ts_text_tail *s, uint64_t number, int32_t of, struct ts_span line)
{
	int32_t said = rank_of(&line), rank = said < 0 ? of : said;
	uint64_t before = s->end.said ? s->end.line : 0;
	struct ts_span rest;
	int64_t root;

	take_progress(s, rank, line);
	keep_last(s, line);
	take_chain(s, line);
	take_frame(s, line);
	ts_text_end_line(&s->end, number, rank, line);
	if (s->end.said && s->end.line == number && before != number)
		memcpy(s->at, s->frame, sizeof s->at);
	s->root |= ts_span_contains(line, "Root Cause (first observed failure)");
	rest = ts_trim(line);
	if (s->root && s->root_rank < 0 && number_behind(rest, "rank      : ", &root) && root >= 0 && root <= INT32_MAX)
		s->root_rank = (int32_t)root;
	else if (s->root && !s->root_code && number_behind(rest, "exitcode  : ", &root) && root > -128)
		take_root_code(s, root);
}

void ts_text_tail_read(struct ts_text_tail *tail, int32_t rank, struct ts_span text)
{
	uint8_t bytes[TS_TEXT_TAIL_LINE];

	while (text.len) {
		const uint8_t *newline = memchr(text.data, '\n', text.len);
		size_t n = newline ? (size_t)(newline - text.data) : text.len;

		take_line(tail, ++tail->lines, rank, ts_text_tail_plain(ts_span_of(text.data, n), bytes));
		text = ts_span_from(text, n + (newline != NULL));
	}
}

/* --- facts --- */

static enum ts_status add_text(struct ts_facts *facts, const char *path, const char *text, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_fact fact = {.path = ts_span_str(path), .type = TS_FACT_TEXT, .source = TS_SOURCE_HOST};

	if (!*text || !ts_utf8_valid(ts_span_str(text)))
		return TS_OK;
	fact.text = ts_arena_span(arena, ts_span_str(text));
	return fact.text.data ? ts_facts_add(facts, &fact, arena, err) : ts_arena_error(arena, err);
}

/* What the lines say, in the words of session.end. */
static void write_end(const struct ts_text_tail *tail, struct ts_json *j)
{
	ts_json_object(j);
	ts_json_key(j, "session");
	ts_json_object(j);
	ts_json_key(j, "launch");
	ts_json_object(j);
	ts_text_end_write(&tail->end, j);
	ts_json_end(j);
	ts_json_end(j);
	ts_json_end(j);
}

enum ts_status ts_text_tail_facts(const struct ts_text_tail *tail, const char *record, struct ts_arena *arena, struct ts_facts *facts,
				  struct ts_error *err)
{
	struct ts_buf json = TS_BUF_INIT(65536);
	struct ts_json j = ts_json_of(&json);
	struct ts_facts found = {.n = 0};
	enum ts_status status;

	if (!tail->end.said)
		return TS_OK;
	write_end(tail, &j);
	status = ts_buf_check(&json, err);
	if (!status)
		status = ts_facts_from_json(ts_buf_view(&json), TS_SOURCE_HOST, arena, &found, NULL, err);
	for (size_t i = 0; !status && i < found.n; i++)
		if (!ts_span_is(found.items[i].path, "session.launch.end.record")) /* a line of the file's end alone */
			status = ts_facts_add(facts, &found.items[i], arena, err);
	ts_buf_finish(&json);
	if (status || add_text(facts, "session.launch.end.record", record, arena, err) ||
	    add_text(facts, "session.launch.end.at", tail->at, arena, err))
		return err->status;
	return TS_OK;
}
