#include "ingest/text/text_line.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"
#include "ingest/rows/log_axes.h"

enum {
	ESC = 0x1b,
	BEL = 7,
	PREFIXES = 3,
	RANK_DIGITS = 6,
	STAMP_LEAST = 20,
	TEXT_RANK_WITHIN = 1024,
	SEPARATORS = 3,
	PID_DIGITS = 9,
	PID_WITHIN = 80
};

/* How many bytes the escape sequence takes that text begins with. */
static size_t escape_len(struct ts_span text)
{
	size_t i = 2;

	if (text.len < 2)
		return text.len;
	if (text.data[1] == '[') {
		while (i < text.len && (text.data[i] < 0x40 || text.data[i] > 0x7e))
			i++;
		return i < text.len ? i + 1 : i;
	}
	if (text.data[1] == ']') {
		while (i < text.len && text.data[i] != BEL && text.data[i] != ESC)
			i++;
		return i < text.len && text.data[i] == BEL ? i + 1 : i;
	}
	return 2;
}

/* "[0]#011train-rmse:0.5": the tab of a line that went through a syslog, which writes it by its octal digits. What stands
 * behind a blank is a number: "Epoch #011". */
static enum ts_status put_tabs(struct ts_buf *scratch, struct ts_span *io_text, struct ts_error *err)
{
	static const char tab[] = "#011";
	struct ts_span text = *io_text, rest;

	if (!text.len || !memchr(text.data, '#', text.len) || !ts_span_contains(text, tab))
		return TS_OK;
	if (text.data != scratch->data) {
		ts_buf_reset(scratch);
		ts_buf_span(scratch, text);
	}
	if (ts_buf_check(scratch, err))
		return err->status;
	scratch->len = 0;
	rest = ts_span_of(scratch->data, text.len);
	while (rest.len) {
		bool is = ts_span_starts(rest, ts_span_str(tab)) && scratch->len && scratch->data[scratch->len - 1] != ' ';

		scratch->data[scratch->len++] = is ? '\t' : rest.data[0];
		rest = ts_span_from(rest, is ? sizeof tab - 1 : 1);
	}
	*io_text = ts_buf_view(scratch);
	return TS_OK;
}

static enum ts_status strip_escapes(struct ts_span raw, struct ts_buf *scratch, struct ts_span *ret_text, struct ts_error *err)
{
	*ret_text = raw;
	if (!raw.len || !memchr(raw.data, ESC, raw.len))
		return TS_OK;
	ts_buf_reset(scratch);
	for (size_t i = 0; i < raw.len;) {
		const uint8_t *next = memchr(raw.data + i, ESC, raw.len - i);
		size_t end = next ? (size_t)(next - raw.data) : raw.len;

		ts_buf_span(scratch, ts_span_part(raw, i, end - i));
		i = end + escape_len(ts_span_from(raw, end));
	}
	*ret_text = ts_buf_view(scratch);
	return ts_buf_check(scratch, err);
}

/* Reads the digits at text.data[*at] as a rank. */
static bool rank_at(struct ts_span text, size_t *at, int32_t *ret_rank)
{
	size_t from = *at;
	int64_t rank;

	while (*at < text.len && *at - from < RANK_DIGITS && ts_is_digit(text.data[*at]))
		(*at)++;
	if (*at == from || !ts_parse_i64(ts_span_part(text, from, *at - from), &rank))
		return false;
	*ret_rank = (int32_t)rank;
	return true;
}

#define PID "pid"

static bool is_rank_word(struct ts_span word)
{
	static const char *const words[] = {"rank", "default", "local_rank", "global_rank"};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (ts_span_is(word, words[i]))
			return true;
	return false;
}

/* "[rank3]:" and "[1,3]<stdout>:". A word that counts, as in "[epoch3]:", names no rank. */
static size_t bracket_rank(struct ts_span text, struct ts_text_line *line)
{
	size_t i = 1;
	bool mpi = false;
	struct ts_span word;

	while (i < text.len && (ts_is_alpha(text.data[i]) || (i > 1 && text.data[i] == '_')))
		i++;
	word = ts_span_part(text, 1, i - 1);
	if (i == 1) {
		while (i < text.len && ts_is_digit(text.data[i]))
			i++;
		if (i == 1 || i >= text.len || text.data[i] != ',')
			return 0;
		i++;
		mpi = true;
	}
	if (!rank_at(text, &i, &line->rank) || i >= text.len || text.data[i++] != ']')
		return 0;
	while (mpi && i < text.len && text.data[i] != ':' && text.data[i] != ' ')
		i++;
	if (i >= text.len || text.data[i] != ':' || ts_log_axis_rank(word) != TS_LOG_AXIS_NONE)
		return 0;
	line->naming = mpi || is_rank_word(word) ? TS_TEXT_BY_RANK : TS_TEXT_BY_WORD;
	line->word = word;
	return i + 1;
}

/* "(RayTrainWorker pid=4000, ip=10.0.0.2) ": a process, whose rank nobody knows. */
static size_t process_len(struct ts_span text, struct ts_text_line *line)
{
	static const char pid[] = " pid=";
	size_t i = 1, from;
	int64_t number;

	while (i < text.len && (ts_is_alnum(text.data[i]) || text.data[i] == '_' || text.data[i] == '.'))
		i++;
	if (i == 1 || !ts_span_starts(ts_span_from(text, i), ts_span_str(pid)))
		return 0;
	from = i + sizeof pid - 1;
	for (i = from; i < text.len && ts_is_digit(text.data[i]); i++)
		;
	if (i == from || i - from > PID_DIGITS || !ts_parse_i64(ts_span_part(text, from, i - from), &number))
		return 0;
	while (i < text.len && i < from + PID_WITHIN && text.data[i] != ')')
		i++;
	if (i >= text.len || text.data[i] != ')')
		return 0;
	line->rank = (int32_t)number;
	line->naming = TS_TEXT_BY_WORD;
	line->word = ts_span_str(PID);
	return i + 1;
}

/* The rank behind a word that ends at `at`: "rank 3", "rank=3", "\"rank\": 3". */
static bool rank_behind(struct ts_span text, size_t at, int32_t *ret_rank, size_t *ret_end)
{
	size_t end = at + SEPARATORS;

	while (at < end && at < text.len && memchr(" :=#-\"'", text.data[at], 7))
		at++;
	if (!rank_at(text, &at, ret_rank))
		return false;
	*ret_end = at;
	return at == text.len || (!ts_is_alnum(text.data[at]) && !memchr("._%", text.data[at], 3));
}

/* Whether "rank" at `at` is a word of its own, or that of "local_rank": that of "lora_rank" is none. */
static bool is_word_of_rank(struct ts_span text, size_t at)
{
	struct ts_span before = ts_span_part(text, 0, at);

	if (!at || (!ts_is_alnum(text.data[at - 1]) && text.data[at - 1] != '_'))
		return true;
	return ts_span_ends(before, "local_") || ts_span_ends(before, "global_");
}

/* Whether the word that ends at `at` is "rank", "local_rank" or "global_rank", in either case. */
static bool ends_in_rank(struct ts_span text, size_t at)
{
	static const char word[] = "rank";

	for (size_t i = 0; i < 4; i++)
		if ((text.data[at - 4 + i] | 32) != (uint8_t)word[i])
			return false;
	return is_word_of_rank(text, at - 4);
}

/* "[Rank 3] ", "(rank: 3) ", "[local_rank3] ". */
static size_t said_rank(struct ts_span text, struct ts_text_line *line)
{
	size_t i = 1, end;
	uint8_t close = text.data[0] == '[' ? ']' : ')';

	while (i < text.len && (ts_is_alpha(text.data[i]) || text.data[i] == '_'))
		i++;
	if (i < 5 || !ends_in_rank(text, i) || !rank_behind(text, i, &line->rank, &end) || end >= text.len || text.data[end] != close)
		return 0;
	line->naming = TS_TEXT_BY_TEXT;
	return end + 1;
}

/* How many bytes the rank takes that text begins with; 0: it begins with none. */
static size_t rank_len(struct ts_span text, struct ts_text_line *line)
{
	size_t i = 0, n = 0;

	if (text.len && text.data[0] == '[')
		n = bracket_rank(text, line);
	else if (text.len && text.data[0] == '(')
		n = process_len(text, line);
	if (text.len && (text.data[0] == '[' || text.data[0] == '('))
		return n ? n : said_rank(text, line);
	if (!rank_at(text, &i, &line->rank) || i + 1 >= text.len || text.data[i] != ':' || text.data[i + 1] != ' ')
		return 0;
	line->naming = TS_TEXT_BY_NUMBER;
	return i + 1;
}

/* --- ranks in the text --- */

/* The next "ank" that 'k' or 'K' ends, from *at on. */
static bool next_rank(struct ts_span text, size_t *at, uint8_t last)
{
	for (const uint8_t *k; *at < text.len && (k = memchr(text.data + *at, last, text.len - *at)) != NULL;) {
		size_t i = (size_t)(k - text.data);

		*at = i + 1;
		if (i >= 3 && ends_in_rank(text, i + 1))
			return true;
	}
	return false;
}

static bool rank_in_text(struct ts_span text, int32_t *ret_rank)
{
	size_t end;

	if (text.len > TEXT_RANK_WITHIN)
		text = ts_span_part(text, 0, TEXT_RANK_WITHIN);
	for (int i = 0; i < 2; i++)
		for (size_t at = 0; next_rank(text, &at, i ? 'K' : 'k');)
			if (rank_behind(text, at, ret_rank, &end))
				return true;
	return false;
}

static bool fold_begins(struct ts_span text, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < n; i++)
		if (i >= text.len || (text.data[i] | 32) != (uint8_t)word[i])
			return false;
	return true;
}

/* "[GPU3] step 5", "Process 3: step 5" */
static bool place_in_text(struct ts_span text, int32_t *ret_rank)
{
	static const char *const words[] = {"gpu", "cuda", "device", "process", "proc", "worker"};
	size_t from = text.len && (text.data[0] == '[' || text.data[0] == '('), end;

	if (text.len <= from || !memchr("gcdpwGCDPW", text.data[from], 10))
		return false;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (fold_begins(ts_span_from(text, from), words[i]) &&
		    rank_behind(text, from + strlen(words[i]), ret_rank, &end))
			return end < text.len && memchr(from ? "])" : ":|", text.data[end], 2) != NULL;
	return false;
}

/* "[3] step 5", as mpiexec -l writes it, or a step itself. */
static bool bracketed_number(struct ts_span text, int32_t *ret_rank)
{
	size_t i = 1;

	return text.len > 1 && text.data[0] == '[' && rank_at(text, &i, ret_rank) && i < text.len && text.data[i] == ']';
}

static void find_in_text(struct ts_text_line *line)
{
	if (bracketed_number(line->text, &line->rank))
		line->naming = TS_TEXT_BY_NUMBER;
	else if (rank_in_text(line->text, &line->rank) || place_in_text(line->text, &line->rank))
		line->naming = TS_TEXT_BY_TEXT;
	else
		line->rank = TS_TEXT_NO_RANK;
}

/* --- lines --- */

static size_t time_len(struct ts_span text)
{
	size_t i = 0;
	int64_t ns;

	while (i < text.len && !ts_is_space(text.data[i]))
		i++;
	return i >= STAMP_LEAST && ts_is_digit(text.data[0]) && text.data[10] == 'T' && ts_time_parse(ts_span_part(text, 0, i), &ns)
		       ? i
		       : 0;
}

/* Takes a rank from the beginning of the text. */
static size_t take_rank(struct ts_span text, struct ts_text_line *line)
{
	struct ts_text_line found = {.rank = TS_TEXT_NO_RANK};
	size_t n = rank_len(text, &found);

	if (!n)
		return 0;
	/* A process says nothing beside a rank; a number behind one is a step. */
	if (ts_span_is(found.word, PID) && line->rank != TS_TEXT_NO_RANK)
		return n;
	if (found.naming == TS_TEXT_BY_NUMBER && line->rank != TS_TEXT_NO_RANK)
		return 0;
	line->outer = ts_span_is(line->word, PID) ? TS_TEXT_NO_RANK : line->rank;
	line->rank = found.rank;
	if (found.naming >= line->naming) {
		line->naming = found.naming;
		line->word = found.word;
	}
	return n;
}

enum ts_status ts_text_line_clean(struct ts_span raw, struct ts_buf *scratch, struct ts_text_line *ret_line, struct ts_error *err)
{
	struct ts_span text, numbered = {.len = 0};

	*ret_line = (struct ts_text_line){.rank = TS_TEXT_NO_RANK, .outer = TS_TEXT_NO_RANK};
	if (strip_escapes(raw, scratch, &text, err) || put_tabs(scratch, &text, err))
		return err->status;
	text = ts_trim(text);
	for (int i = 0; i < PREFIXES; i++) {
		size_t n = take_rank(text, ret_line);

		if (n && !numbered.len && (text.data[0] != '[' || ret_line->naming == TS_TEXT_BY_TEXT))
			numbered = text;
		if (!n) {
			n = time_len(text);
			if (n)
				ret_line->time = ts_span_part(text, 0, n);
		}
		text = ts_trim(ts_span_from(text, n));
	}
	ret_line->text = text;
	ret_line->numbered = numbered.len ? numbered : text;
	if (ret_line->rank == TS_TEXT_NO_RANK)
		find_in_text(ret_line);
	return TS_OK;
}
