#include "ingest/logs/log_table.h"

#include "base/alloc.h"
#include "base/below.h"
#include "base/clock.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "ingest/facts/keys.h"
#include "ingest/logs/log_digits.h"
#include "ingest/rows/import.h"
#include "ingest/rows/log_axes.h"
#include "ingest/rows/log_memory.h"
#include "ingest/rows/log_names.h"

#include <math.h>
#include <stdio.h>

enum { NAMES_MAX = 65536, MAP_BYTES_MAX = 64 << 10, TELL_BYTES = 4 << 20, CLOCK_LEAST = 5, RUNS_LEAST = 8 };

#define MFU_MOST 2.0		     /* a greater model FLOPs utilization is a percentage, however wrongly it was counted */
#define EXACT_MAX 9007199254740992.0 /* 2^53 */
#define SECONDS_LEAST 1e9	     /* the year 2001 */
#define SECONDS_MOST 1e10	     /* the year 2286 */

static const char *const time_names[] = {"timestamp", "_timestamp", "wall_time", "walltime", "time", "date", "datetime"};

/* Of seconds since the training began, if they only rise. */
static const char *const clock_names[] = {"wall",	 "elapsed",	  "elapsed_time", "time_elapsed",      "time_time_elapsed",
					  "total_time",	 "wall_clock",	  "wall_time",	  "walltime",	       "wallclock",
					  "_runtime",	 "runtime",	  "elapsed_s",	  "time_since_start",  "cumulative_time",
					  "elapsed_sec", "relative_time", "time",	  "total_elapsed_time"};

enum { UNASKED, NO, YES };
enum use { USE_VALUE = 0, USE_STEP, USE_TIME, USE_NOTHING };

/* The cells that have the same name. */
struct series {
	uint64_t numbers, texts, times, whole;
	uint64_t parts;	   /* numbers that are finite and not whole */
	uint64_t folds;	   /* rows with the same value of it, and another value of another series, as the row before them */
	uint64_t restarts; /* rows in which it is less than before and the epoch is more */
	bool not_seconds, not_milliseconds, zoneless;
	double before, before_epoch; /* its last number, and the epoch there; NaN: none */
	double latest;		     /* the last number of all, */
	uint64_t rises;		     /* how often it was more than the one before, */
	bool fell;		     /* and whether it ever was less, or is no number of seconds */
	double least;		     /* of its numbers */
	uint8_t grouping;	     /* whether its texts say of what a row is: UNASKED, NO, YES */
	bool alone;		     /* a row of a training has it; */
	uint32_t grouped;	     /* the same name of rows of an evaluation, from TS_KEY_ROOT + 1 on */
	uint64_t falls, begins;	     /* how often it was less than the one before, and how often of these less than half of it */
	struct ts_log_digits digits;
	struct ts_span mapped; /* the column in .tscope-map; if empty, log_names.h decides */
	enum use use;
	/* used while feeding */
	uint32_t column[2]; /* for numbers and for texts: the column's number + 1; 0: not yet made */
	bool no_column;
	double factor;
	bool given;
	int64_t last_step;
	double last_value;
};

struct cell {
	uint32_t key;
	bool is_text;
	double number;
	size_t text, len; /* in texts: the number as written, or the text */
};

struct ts_log_table {
	const struct ts_log_source *source;
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices *notices;
	struct ts_keys keys;
	struct series *series; /* one for each key */
	struct cell *cells;
	size_t cap_series, n_cells, cap_cells;
	struct ts_buf texts;
	uint64_t line, row;
	bool grouped; /* a text of the row may say of what it is */
	bool failed;
	/* used while feeding; if rows is NULL, the table is only looked at */
	struct ts_rows *rows;
	struct ts_log_names names;
	uint32_t step_key, time_key; /* TS_KEY_NONE if there is none */
	double time_factor;
	bool clock; /* it counts from the beginning of the training */
	int64_t step;
	uint64_t told;
	size_t rank; /* the which one is read */
	uint64_t *bytes_read;
};

/* --- names --- */

/* Returns the number of the name, which has a series. TS_KEY_NONE: there are too many names, or (failed) memory ran out. */
static uint32_t key_of(struct ts_log_table *t, struct ts_span name)
{
	uint32_t key = ts_keys_get(&t->keys, TS_KEY_ROOT, name);

	if (key == TS_KEY_NONE) {
		t->failed |= t->keys.no_memory;
		return key;
	}
	if (!TS_GROW(t->series, t->cap_series, (size_t)key + 1, 64)) {
		t->failed = true;
		return TS_KEY_NONE;
	}
	return key;
}

static bool fold_is(struct ts_span name, const char *want)
{
	size_t n = strlen(want);

	if (name.len != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint8_t c = name.data[i];

		if (c >= 'A' && c <= 'Z')
			c |= 32;
		if ((c == '-' || c == ' ' || c == '/' || c == '.' ? '_' : c) != (uint8_t)want[i])
			return false;
	}
	return true;
}

static size_t rank_in(struct ts_span name, const char *const *names, size_t n)
{
	size_t i = 0;

	while (i < n && !fold_is(name, names[i]))
		i++;
	return i;
}

static size_t time_rank(struct ts_span name)
{
	return rank_in(name, time_names, sizeof time_names / sizeof time_names[0]);
}

static struct ts_span name_of(const struct ts_log_table *t, uint32_t key)
{
	return ts_key_at(&t->keys, key)->text;
}

/* --- maps of names --- */

/* Splits "SOURCE = COLUMN". A name may contain '=', so the last one is the separator. */
static enum ts_status split_map(struct ts_span line, struct ts_span *ret_name, struct ts_span *ret_column, struct ts_error *err)
{
	size_t at = line.len;

	while (at > 0 && line.data[at - 1] != '=')
		at--;
	if (!at)
		return ts_error_set(err, TS_INVALID, "'%.*s': a line must have the form SOURCE = COLUMN",
				    TS_SPAN_ARG(line));
	*ret_name = ts_trim(ts_span_part(line, 0, at - 1));
	*ret_column = ts_trim(ts_span_from(line, at));
	if (!ret_name->len || !ts_utf8_valid(*ret_name) || !ts_utf8_valid(*ret_column) || !ts_path_valid(*ret_column))
		return ts_error_set(err, TS_INVALID, "'%.*s' is not the name of a column", TS_SPAN_ARG(*ret_column));
	return TS_OK;
}

/* A word that is none of these and names no group is a scalar: "loss" is scalars.loss. */
static enum ts_status plain_column(struct ts_log_table *t, struct ts_span *column, struct ts_error *err)
{
	static const char *const own[] = {"step", "timestamp", "-", "epoch", "samples", "tokens"};
	const char *scalar;

	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		if (ts_span_is(*column, own[i]))
			return TS_OK;
	if (ts_span_contains(*column, ".") || ts_span_contains(*column, "["))
		return TS_OK;
	scalar = ts_arena_printf(t->arena, "scalars.%.*s", TS_SPAN_ARG(*column));
	if (!scalar)
		return ts_arena_error(t->arena, err);
	*column = ts_span_str(scalar);
	return TS_OK;
}

static enum ts_status map_line(struct ts_log_table *t, struct ts_span line, struct ts_error *err)
{
	struct ts_span name, column;
	struct series *s;
	uint32_t key;

	if (split_map(line, &name, &column, err) || plain_column(t, &column, err))
		return err->status;
	key = key_of(t, name);
	if (key == TS_KEY_NONE)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for names");
	s = &t->series[key];
	s->use = ts_span_is(column, "step")	   ? USE_STEP
		 : ts_span_is(column, "timestamp") ? USE_TIME
		 : ts_span_is(column, "-")	   ? USE_NOTHING
						   : USE_VALUE;
	s->mapped = ts_arena_span(t->arena, column);
	return s->mapped.data ? TS_OK : ts_arena_error(t->arena, err);
}

static enum ts_status map_text(struct ts_log_table *t, struct ts_span text, struct ts_error *err)
{
	for (size_t at = 0, number = 1; at < text.len; number++) {
		const uint8_t *end = memchr(text.data + at, '\n', text.len - at);
		size_t n = end ? (size_t)(end - text.data) - at : text.len - at;
		struct ts_span line = ts_trim(ts_span_of(text.data + at, n));

		at += n + 1;
		if (line.len && line.data[0] != '#' && map_line(t, line, err))
			return ts_error_prefix(err, "line %zu", number);
	}
	return TS_OK;
}

bool ts_log_table_knows(struct ts_span name)
{
	struct ts_arena arena;
	struct ts_log_names names = {.arena = &arena};
	struct ts_log_name ours = {.known = false};
	struct ts_error ignored;

	if (ts_log_axis_tells(name))
		return true;
	ts_arena_init(&arena, 0);
	if (ts_log_name(&names, name, &ours, &ignored))
		ours.known = false;
	ts_arena_finish(&arena);
	return ours.known;
}

bool ts_log_table_has_map(const char *file)
{
	int folder = (int)(ts_path_last(file) - file);
	char path[4096];

	return (size_t)snprintf(path, sizeof path, "%.*s" TS_LOG_MAP, folder, file) < sizeof path &&
	       ts_below_kind(file, path) == TS_FILE_REGULAR;
}

/* What the file says of a column that the caller maps is void. */
static void void_map(struct ts_log_table *t, struct ts_span column)
{
	for (uint32_t key = 1; key < t->keys.n; key++)
		if (t->series[key].mapped.len && ts_span_eq(t->series[key].mapped, column)) {
			t->series[key].mapped.len = 0;
			t->series[key].use = USE_VALUE;
		}
}

static enum ts_status read_given_maps(struct ts_log_table *t, struct ts_error *err)
{
	const struct ts_ingest_options *o = t->options;
	struct ts_span name, column;

	for (size_t i = 0; i < o->n_maps; i++) {
		if (split_map(ts_span_str(o->maps[i]), &name, &column, err))
			return ts_error_prefix(err, "--map %s", o->maps[i]);
		if (plain_column(t, &column, err))
			return err->status;
		if (!ts_span_is(column, "-"))
			void_map(t, column);
	}
	for (size_t i = 0; i < o->n_maps; i++)
		if (map_line(t, ts_span_str(o->maps[i]), err))
			return ts_error_prefix(err, "--map %s", o->maps[i]);
	return TS_OK;
}

static enum ts_status read_map(struct ts_log_table *t, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(MAP_BYTES_MAX);
	char *path;
	enum ts_status status;

	if (!t->source->directory)
		return TS_OK;
	path = ts_path_join(t->arena, t->source->directory, TS_LOG_MAP);
	if (!path)
		return ts_arena_error(t->arena, err);
	if (!ts_reader_has(ts_top(t->options), path, ts_span_str(TS_LOG_MAP), t->notices))
		return TS_OK;
	status = ts_below_read(ts_top(t->options), path, &text, err);
	if (!status && map_text(t, ts_buf_view(&text), err))
		status = ts_error_prefix(err, "%s", path);
	ts_buf_finish(&text);
	return status;
}

/* --- cells --- */

void ts_log_table_tell(struct ts_log_table *t, const char *code, enum ts_notice_level level, struct ts_span file, uint64_t line,
		       const char *detail)
{
	ts_notice_add(t->notices, code, level, file, line, detail);
}

void ts_log_table_row(struct ts_log_table *t, uint64_t line)
{
	t->n_cells = 0;
	t->grouped = false;
	t->line = line;
	ts_buf_reset(&t->texts);
}

static struct cell *add_cell(struct ts_log_table *t, struct ts_span name, struct ts_span text)
{
	uint32_t key = key_of(t, name);
	struct cell *c;

	if (!TS_GROW(t->cells, t->cap_cells, t->n_cells + 1, 64))
		t->failed = true;
	if (key == TS_KEY_NONE || t->failed || t->n_cells == NAMES_MAX) {
		if (!t->failed)
			ts_notice_add(t->notices, "too_many_columns", TS_NOTICE_SKIPPED, t->source->file, t->line,
				      "more than 65535 names");
		return NULL;
	}
	c = &t->cells[t->n_cells++];
	*c = (struct cell){.key = key, .text = t->texts.len, .len = text.len};
	ts_buf_span(&t->texts, text);
	return c;
}

void ts_log_table_number(struct ts_log_table *t, struct ts_span name, double value, struct ts_span written)
{
	struct cell *c = add_cell(t, name, written);

	if (c)
		c->number = value;
}

/* Returns whether a person would read the text as one number: "0,5", "42 %", "1_000". */
static bool looks_like_number(struct ts_span text)
{
	size_t digits = 0, signs = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (!memchr("0123456789.,_+-eE %'", text.data[i], sizeof "0123456789.,_+-eE %'" - 1))
			return false;
		digits += ts_is_digit(text.data[i]) != 0;
		signs += i > 0 && (text.data[i] == '-' || text.data[i] == '+') && (text.data[i - 1] | 32) != 'e';
	}
	return digits > 0 && signs == 0 && (ts_is_digit(text.data[0]) || memchr("+-.", text.data[0], 3));
}

/* Whether texts of that name say of what their row is: "train", "val". */
static bool is_grouping(struct ts_log_table *t, uint32_t key)
{
	static const char *const names[] = {"mode", "phase", "split", "stage", "subset", "_type"};
	const size_t n = sizeof names / sizeof names[0];
	struct series *s = &t->series[key];

	if (s->grouping == UNASKED)
		s->grouping = rank_in(name_of(t, key), names, n) < n ? YES : NO;
	return s->grouping == YES;
}

static void tell_number(struct ts_log_table *t, struct ts_span name, struct ts_span text)
{
	char detail[200];

	(void)snprintf(detail, sizeof detail, "'%.*s' of %.*s is kept as text, for it is not certain which number it is",
		       (int)(text.len < 40 ? text.len : 40), (const char *)text.data, (int)(name.len < 60 ? name.len : 60),
		       (const char *)name.data);
	ts_notice_add(t->notices, "text_number", TS_NOTICE_SKIPPED, t->source->file, t->line, detail);
}

/* "601/2161" under the name of a step is the step 601. */
static bool add_fraction(struct ts_log_table *t, struct ts_span name, struct ts_span text)
{
	size_t n = ts_log_fraction(text);
	int64_t step;

	if (!n || ts_log_axis_rank(name) == TS_LOG_AXIS_NONE || !ts_parse_i64(ts_span_part(text, 0, n), &step))
		return false;
	ts_log_table_number(t, name, (double)step, ts_span_part(text, 0, n));
	return true;
}

void ts_log_table_text(struct ts_log_table *t, struct ts_span name, struct ts_span text)
{
	struct cell *c;

	if (add_fraction(t, name, text))
		return;
	c = add_cell(t, name, text);
	if (c) {
		c->is_text = true;
		t->grouped |= is_grouping(t, c->key);
	}
	if (c && looks_like_number(text))
		tell_number(t, name, text);
}

static struct ts_span text_of(const struct ts_log_table *t, const struct cell *c)
{
	return ts_span_part(ts_buf_view(&t->texts), c->text, c->len);
}

/* Writes "0012.5", ".5" and "5." as JSON spells them. Returns false if the text is none of these or does not fit. The
 * result is at most a byte longer than text. */
static bool respell(struct ts_span text, char out[TS_DOUBLE_TEXT * 2], size_t *ret_len)
{
	size_t n = 0, i = 0;
	bool point = false;

	if (text.len == 0 || text.len > TS_DOUBLE_TEXT * 2 - 4)
		return false;
	if (text.data[0] == '-')
		out[n++] = '-';
	i = text.data[0] == '-' || text.data[0] == '+';
	if (i < text.len && !ts_is_digit(text.data[i]) && text.data[i] != '.')
		return false;
	while (i + 1 < text.len && text.data[i] == '0' && ts_is_digit(text.data[i + 1]))
		i++;
	if (i < text.len && text.data[i] == '.') {
		if (i + 1 >= text.len || !ts_is_digit(text.data[i + 1]))
			return false;
		out[n++] = '0';
	}
	for (; i < text.len; i++) {
		if (text.data[i] == '.' && point)
			return false;
		point |= text.data[i] == '.';
		out[n++] = (char)text.data[i];
		if (text.data[i] == '.' && (i + 1 == text.len || !ts_is_digit(text.data[i + 1])))
			out[n++] = '0';
	}
	*ret_len = n;
	return true;
}

static bool word_number(struct ts_span text, double *ret_value)
{
	static const struct {
		const char *word;
		double value;
	} words[] = {{"nan", (double)NAN},
		     {"-nan", (double)NAN},
		     {"inf", INFINITY},
		     {"+inf", INFINITY},
		     {"-inf", -INFINITY},
		     {"infinity", INFINITY},
		     {"-infinity", -INFINITY},
		     {"+infinity", INFINITY},
		     {"true", 1},
		     {"false", 0}};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (fold_is(text, words[i].word) || (text.len && text.data[0] == '-' && words[i].word[0] == '-' &&
						     fold_is(ts_span_of(text.data + 1, text.len - 1), words[i].word + 1))) {
			*ret_value = words[i].value;
			return true;
		}
	return false;
}

bool ts_log_number(struct ts_span text, double *ret_value, struct ts_span *ret_written)
{
	char spelled[TS_DOUBLE_TEXT * 2];
	size_t n;

	*ret_written = text;
	if (ts_parse_double(text, ret_value))
		return true;
	if (respell(text, spelled, &n) && ts_parse_double(ts_span_of(spelled, n), ret_value))
		return true;
	*ret_written = ts_span_of(NULL, 0);
	return word_number(text, ret_value);
}

static bool step_value(const struct ts_log_table *t, const struct cell *c, int64_t *ret_step)
{
	if (!c->is_text && c->len && ts_parse_i64(text_of(t, c), ret_step))
		return true;
	if (c->is_text || !(fabs(c->number) <= EXACT_MAX) || c->number != floor(c->number))
		return false;
	*ret_step = (int64_t)c->number;
	return true;
}

/* --- looking --- */

static const struct cell *epoch_of(const struct ts_log_table *t)
{
	for (size_t i = 0; i < t->n_cells; i++)
		if (!t->cells[i].is_text && fold_is(name_of(t, t->cells[i].key), "epoch"))
			return &t->cells[i];
	return NULL;
}

/* An epoch that several rows have would put them into one row, and a number that begins again in each epoch would be many restarts. */
static void look_at_epoch(struct ts_log_table *t)
{
	const struct cell *epoch = epoch_of(t);
	bool folds = false;

	for (size_t i = 0; epoch && i < t->n_cells; i++) {
		const struct cell *c = &t->cells[i];
		struct series *s = &t->series[c->key];

		if (c->is_text || c == epoch)
			continue;
		folds |= s->numbers > 1 && s->before_epoch == epoch->number && s->before != c->number;
		s->restarts += s->numbers > 1 && c->number < s->before && epoch->number > s->before_epoch;
		s->before = c->number;
		s->before_epoch = epoch->number;
	}
	if (folds)
		t->series[epoch->key].folds++;
}

static void look(struct ts_log_table *t)
{
	for (size_t i = 0; i < t->n_cells; i++) {
		const struct cell *c = &t->cells[i];
		struct series *s = &t->series[c->key];
		int64_t ns;

		if (c->is_text) {
			bool zoneless = false;

			s->texts++;
			s->times += ts_time_parse_zoneless(text_of(t, c), &ns, &zoneless);
			s->zoneless |= zoneless;
			continue;
		}
		s->fell |= !(c->number >= (s->numbers ? s->latest : 0)) || !(c->number < SECONDS_LEAST);
		s->rises += s->numbers && c->number > s->latest;
		s->falls += s->numbers && c->number < s->latest;
		s->begins += s->numbers && c->number < s->latest / 2;
		s->least = s->numbers && !(c->number < s->least) ? s->least : c->number;
		s->latest = c->number;
		s->numbers++;
		s->digits.significant = t->source->significant;
		s->whole += step_value(t, c, &ns);
		s->parts += isfinite(c->number) && c->number != floor(c->number);
		s->not_seconds |= !(c->number >= SECONDS_LEAST && c->number < SECONDS_MOST);
		s->not_milliseconds |= !(c->number >= SECONDS_LEAST * 1e3 && c->number < SECONDS_MOST * 1e3);
		if (c->len)
			ts_log_digits_add(&s->digits, text_of(t, c), c->number);
		else if (isfinite(c->number) && c->number != floor(c->number))
			s->digits.beyond = true;
	}
	look_at_epoch(t);
}

/* At least half of the cells must be whole numbers, so that a single wrong one is left out with a notice, and not all
 * the others. */
static bool may_be_step(const struct series *s)
{
	if (2 * s->folds >= s->numbers || s->restarts)
		return false;
	return s->use == USE_VALUE && !s->mapped.len && s->whole > 0 && s->whole >= s->numbers + s->texts - s->whole;
}

/* Epochs with parts of one, 0.5 and 1.0, are no steps, though some are whole. */
static bool counts_parts(const struct series *s, size_t rank)
{
	return rank == ts_log_axis_rank(ts_span_str("epoch")) && s->parts;
}

/* Returns whether the series may be a time. *ret_factor is 0 if the times are text. */
static bool may_be_time(const struct series *s, double *ret_factor)
{
	if (s->use != USE_VALUE || s->mapped.len)
		return false;
	*ret_factor = s->texts ? 0 : s->not_seconds ? 1e-3 : 1;
	return s->texts ? s->times == s->texts && !s->numbers : s->numbers > 0 && (!s->not_seconds || !s->not_milliseconds);
}

static void find_step(struct ts_log_table *t)
{
	size_t best = TS_LOG_AXIS_NONE;

	t->step_key = TS_KEY_NONE;
	for (uint32_t key = 1; key < t->keys.n; key++) {
		size_t rank = ts_log_axis_rank(name_of(t, key));

		if (t->series[key].use == USE_STEP) {
			t->step_key = key;
			return;
		}
		if (rank < best && may_be_step(&t->series[key]) && !counts_parts(&t->series[key], rank)) {
			best = rank;
			t->step_key = key;
		}
	}
}

/* Whether the series counts seconds since the training began: five values or more that never fall, and rise nine times in ten. */
static bool is_clock(const struct series *s)
{
	return s->use == USE_VALUE && !s->mapped.len && !s->texts && !s->fell && s->numbers >= CLOCK_LEAST &&
	       10 * s->rises >= 9 * (s->numbers - 1);
}

/* Whether a series that has the name of a step's time says how long the training, or its epoch, has gone on: it rises four times in
 * five, to far more than it began with, and where it falls it begins again, with the first of as many steps as then follow. */
static bool runs_on(const struct series *s)
{
	return s->numbers >= RUNS_LEAST && 5 * s->rises >= 4 * (s->numbers - 1) && 50 * (s->falls - s->begins) <= s->numbers &&
	       s->digits.largest > 3 * s->least &&
	       (!s->begins || 5 * s->digits.largest * (double)(s->begins + 1) > 4 * s->least * (double)s->rises);
}

static void find_clock(struct ts_log_table *t)
{
	size_t best = sizeof clock_names / sizeof clock_names[0];

	for (uint32_t key = 1; key < t->keys.n; key++) {
		size_t rank = rank_in(name_of(t, key), clock_names, sizeof clock_names / sizeof clock_names[0]);

		if (key != t->step_key && rank < best && is_clock(&t->series[key])) {
			best = rank;
			t->time_key = key;
			t->time_factor = 1;
			t->clock = true;
		}
	}
}

static void find_time(struct ts_log_table *t)
{
	size_t best = sizeof time_names / sizeof time_names[0];
	double factor;

	t->time_key = TS_KEY_NONE;
	t->clock = false;
	for (uint32_t key = 1; key < t->keys.n; key++) {
		struct series *s = &t->series[key];
		size_t rank = time_rank(name_of(t, key));

		if (s->use == USE_TIME) {
			t->time_key = key;
			t->time_factor = s->texts ? 0 : s->not_seconds && !s->not_milliseconds ? 1e-3 : 1;
			return;
		}
		if (key != t->step_key && rank < best && may_be_time(s, &factor)) {
			best = rank;
			t->time_key = key;
			t->time_factor = factor;
		}
	}
	if (t->time_key == TS_KEY_NONE)
		find_clock(t);
}

static enum ts_status choose(struct ts_log_table *t, struct ts_error *err)
{
	/* If two names are mapped to the step, the reader cannot know which one is meant. */
	size_t steps = 0;

	for (uint32_t key = 1; key < t->keys.n; key++) {
		const struct series *s = &t->series[key];

		steps += s->use == USE_STEP;
		if (s->use == USE_STEP && !s->numbers)
			return ts_error_set(err, TS_INVALID,
					    TS_LOG_MAP " or --map says that '%.*s' is the step, and no row has a number of that name",
					    TS_SPAN_ARG(name_of(t, key)));
	}
	if (steps > 1)
		return ts_error_set(err, TS_INVALID,
				    TS_LOG_MAP " or --map names %zu columns as the step, and there can only be one", steps);
	find_step(t);
	find_time(t);
	return TS_OK;
}

/* --- feeding --- */

/* Values that a person chose have few digits because of that choice, not because the log rounded them. */
static bool is_measured(struct ts_span column)
{
	return !ts_span_is(column, "scalars.lr") && !ts_span_is(column, "epoch");
}

/* Makes the name one key below a group. */
static enum ts_status own_name(struct ts_log_table *t, const char *group, struct ts_span name, struct ts_span *ret_column,
			       struct ts_error *err)
{
	struct ts_buf path = TS_BUF_INIT(4 * TS_PATH_MAX + 16);
	enum ts_status status;

	ts_buf_str(&path, group);
	ts_path_key(&path, name.len ? name : ts_span_str("unnamed"));
	status = ts_buf_check(&path, err);
	if (!status) {
		*ret_column = ts_arena_span(t->arena, ts_buf_view(&path));
		status = ret_column->data ? TS_OK : ts_arena_error(t->arena, err);
	}
	ts_buf_finish(&path);
	return status;
}

static bool is_mapped_to(const struct ts_log_table *t, struct ts_span column)
{
	for (uint32_t key = 1; key < t->keys.n; key++)
		if (t->series[key].mapped.len && ts_span_eq(t->series[key].mapped, column))
			return true;
	return false;
}

static void tell_unit(struct ts_log_table *t, uint32_t key, const char *unit)
{
	struct ts_span name = name_of(t, key);
	char detail[160], largest[TS_DOUBLE_TEXT];

	largest[ts_print_double(t->series[key].digits.largest, largest)] = '\0';
	(void)snprintf(detail, sizeof detail,
		       "%.*s is a memory without a unit, which is taken as %s, since bytes cannot be as few as %s",
		       (int)(name.len < 60 ? name.len : 60), (const char *)name.data, unit, largest);
	ts_notice_add(t->notices, "memory_unit", TS_NOTICE_INFO, t->source->file, t->line, detail);
}

/* The factor for a memory whose name says no unit. */
static double unit_of(struct ts_log_table *t, uint32_t key)
{
	const char *unit;
	double factor = ts_log_memory_guess(t->series[key].digits.largest, &unit);

	if (factor > 1)
		tell_unit(t, key, unit);
	return factor;
}

/* A memory that a person mapped to a column of bytes: with the unit of its name, if it has one. */
static double unit_of_mapped(struct ts_log_table *t, uint32_t key)
{
	struct ts_span column = t->series[key].mapped;
	double bytes = ts_log_memory_unit(name_of(t, key));

	if (!ts_span_skip(&column, "memory."))
		return 1;
	return bytes > 0 ? bytes : unit_of(t, key);
}

static void tell_running(struct ts_log_table *t, uint32_t key)
{
	struct ts_span name = name_of(t, key);
	char detail[160];

	(void)snprintf(detail, sizeof detail,
		       "%.*s rises from row to row, so it is the time since the beginning, and not that of a step",
		       (int)(name.len < 60 ? name.len : 60), (const char *)name.data);
	ts_notice_add(t->notices, "running_time", TS_NOTICE_INFO, t->source->file, t->line, detail);
}

static enum ts_status name_column(struct ts_log_table *t, uint32_t key, bool is_text, struct ts_rows_column *column,
				  struct ts_error *err)
{
	struct series *s = &t->series[key];
	struct ts_log_name ours;
	const char *memory;
	double bytes;

	s->factor = 1;
	if (s->mapped.len) {
		column->name = s->mapped;
		s->factor = is_text ? 1 : unit_of_mapped(t, key);
		return TS_OK;
	}
	if (is_text && ts_span_is(name_of(t, key), TS_LOG_TAGS)) {
		column->name = ts_span_str(TS_LOG_TAGS);
		return TS_OK;
	}
	if (is_text)
		return own_name(t, "extra", name_of(t, key), &column->name, err);
	if (ts_log_name(&t->names, name_of(t, key), &ours, err))
		return err->status;
	memory = ours.known ? NULL : ts_log_memory(name_of(t, key), &bytes);
	if (memory && bytes == 0 && ts_log_name_as(&t->names, name_of(t, key), memory, unit_of(t, key), &ours, err))
		return err->status;
	if (ours.known && is_mapped_to(t, ours.column))
		return own_name(t, "scalars", name_of(t, key), &column->name, err);
	if (ts_span_is(ours.column, "phases.step") && runs_on(s)) {
		tell_running(t, key);
		return own_name(t, "scalars", ts_span_str("elapsed"), &column->name, err);
	}
	column->name = ours.column;
	s->factor = ours.factor;
	if (ts_span_is(ours.column, "scalars.mfu") && ours.factor == 1 && s->digits.largest > MFU_MOST)
		s->factor = 1e-2;
	return TS_OK;
}

static enum ts_status make_column(struct ts_log_table *t, uint32_t key, bool is_text, struct ts_error *err)
{
	struct series *s = &t->series[key];
	struct ts_rows_column column = {.source = name_of(t, key), .type = is_text ? TS_COLUMN_TEXT : TS_COLUMN_F64};
	uint32_t number;

	if (is_text && name_of(t, key).len > TS_PATH_MAX / 2) {
		ts_notice_add(t->notices, "long_key", TS_NOTICE_SKIPPED, t->source->file, t->line,
			      "a name of more than 256 bytes");
		s->no_column = true;
		return TS_OK;
	}
	if (name_column(t, key, is_text, &column, err))
		return err->status;
	column.count = ts_log_axis_rank(column.source) != TS_LOG_AXIS_NONE;
	if (ts_span_eq(column.name, column.source))
		column.source.len = 0;
	if (column.name.len > TS_PATH_MAX) {
		ts_notice_add(t->notices, "long_key", TS_NOTICE_SKIPPED, t->source->file, t->line,
			      "a name of more than 512 bytes");
		s->no_column = true;
		return TS_OK;
	}
	if (!is_text && s->factor == 1 && ts_log_digits_known(&s->digits, is_measured(column.name), &column.digits))
		column.precision = TS_PRECISION_DECIMALS;
	if (ts_rows_column(t->rows, &column, &number, err))
		return err->status;
	s->column[is_text] = number == UINT32_MAX ? number : number + 1;
	return TS_OK;
}

static enum ts_status put_time(struct ts_log_table *t, const struct cell *c, struct ts_error *err)
{
	struct series *s = &t->series[c->key];
	struct ts_rows_column column = {
		.name = ts_span_str("timestamp"), .source = name_of(t, c->key), .type = TS_COLUMN_F64, .quiet = true};
	double value = c->number * t->time_factor;
	int64_t ns;

	if (c->is_text) {
		bool zoneless;

		if (!ts_time_parse_zoneless(text_of(t, c), &ns, &zoneless))
			return TS_OK;
		if (zoneless)
			ts_notice_add(t->notices, "no_zone", TS_NOTICE_INFO, t->source->file, t->line,
				      "a time without an offset, taken as UTC");
		value = (double)ns / 1e9;
	}
	if (s->column[0] == 0) {
		if (ts_span_is(column.source, "timestamp"))
			column.source.len = 0;
		if (ts_rows_column(t->rows, &column, &s->column[0], err))
			return err->status;
		s->column[0]++;
	}
	return ts_rows_f64(t->rows, s->column[0] - 1, value, err);
}

static enum ts_status put_text(struct ts_log_table *t, const struct cell *c, struct ts_error *err)
{
	struct ts_span text = text_of(t, c);

	if (text.len > TS_TEXT_MAX) {
		ts_notice_add(t->notices, "long_text", TS_NOTICE_SKIPPED, t->source->file, t->line, "a text of more than 64 KiB");
		return TS_OK;
	}
	return ts_rows_text(t->rows, t->series[c->key].column[1] - 1, text, err);
}

static enum ts_status put_cell(struct ts_log_table *t, const struct cell *c, struct ts_error *err)
{
	struct series *s = &t->series[c->key];

	if (c->key == t->step_key || s->use == USE_NOTHING || s->use == USE_STEP)
		return TS_OK;
	if (c->key == t->time_key)
		return put_time(t, c, err);
	/* A second record of the same step may repeat a value: the records of a training and of its evaluation have the
	 * same epoch. */
	if (!c->is_text && s->given && s->last_step == t->step &&
	    (s->last_value == c->number || (isnan(s->last_value) && isnan(c->number))))
		return TS_OK;
	if (!s->no_column && s->column[c->is_text] == 0 && make_column(t, c->key, c->is_text, err))
		return err->status;
	if (s->no_column)
		return TS_OK;
	if (c->is_text)
		return put_text(t, c, err);
	s->given = true;
	s->last_step = t->step;
	s->last_value = c->number;
	return ts_rows_f64(t->rows, s->column[0] - 1, c->number * s->factor, err);
}

/* Returns false if the row is left out, with a notice. */
static bool step_of(struct ts_log_table *t, int64_t *ret_step)
{
	const struct cell *found = NULL;

	if (t->step_key == TS_KEY_NONE) {
		*ret_step = (int64_t)t->row - 1;
		return true;
	}
	for (size_t i = 0; i < t->n_cells; i++)
		if (t->cells[i].key == t->step_key)
			found = &t->cells[i];
	if (!found) {
		ts_notice_add(t->notices, "no_step", TS_NOTICE_SKIPPED, t->source->file, t->line, "a row without a step");
		return false;
	}
	if (!step_value(t, found, ret_step)) {
		ts_notice_add(t->notices, "bad_step", TS_NOTICE_SKIPPED, t->source->file, t->line,
			      "a step that is not a whole number of 64 bits");
		return false;
	}
	return true;
}

static enum ts_status put_row(struct ts_log_table *t, struct ts_error *err)
{
	int64_t step;

	if (!step_of(t, &step))
		return TS_OK;
	if (ts_rows_step(t->rows, step, err))
		return err->status;
	t->step = step;
	for (size_t i = 0; i < t->n_cells; i++)
		if (put_cell(t, &t->cells[i], err))
			return err->status;
	return TS_OK;
}

/* --- rows of an evaluation --- */

/* What a text such as "val_epoch" or "Test" puts before the names of its row; NULL: nothing, as of a training. */
static const char *group_of(struct ts_span text)
{
	static const char *const groups[][2] = {{"val", "val"},	  {"valid", "val"}, {"validation", "val"}, {"eval", "val"},
						{"evaluation", "val"}, {"dev", "val"},   {"test", "test"}};
	size_t n = 0;

	if (text.len < 3 || !strchr("vedt", text.data[0] | 32) || (text.data[1] | 32) == 'r')
		return NULL; /* such as "train" */
	while (n < text.len && ts_is_alpha(text.data[n]))
		n++;
	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
		if (fold_is(ts_span_part(text, 0, n), groups[i][0]))
			return groups[i][1];
	return NULL;
}

/* Rows of a training and of its evaluation have the same steps and names, and a cell that says which they are. */
static const char *row_group(struct ts_log_table *t)
{
	for (size_t i = 0; i < t->n_cells; i++)
		if (t->cells[i].is_text && is_grouping(t, t->cells[i].key))
			return group_of(text_of(t, &t->cells[i]));
	return NULL;
}

/* "loss" of a row whose mode is "val" is "val/loss". */
static void name_group(struct ts_log_table *t)
{
	const char *group = t->grouped ? row_group(t) : NULL;

	for (size_t i = 0; group && i < t->n_cells; i++) {
		struct cell *c = &t->cells[i];
		struct ts_span name = name_of(t, c->key);
		char both[TS_PATH_MAX];
		uint32_t key;
		int len;

		if (c->is_text || ts_log_axis_rank(name) != TS_LOG_AXIS_NONE ||
		    time_rank(name) < sizeof time_names / sizeof time_names[0])
			continue;
		if (t->rows && !t->series[c->key].alone)
			continue; /* no row of the training has the name */
		len = snprintf(both, sizeof both, "%s/%.*s", group, TS_SPAN_ARG(name));
		key = len > 0 && (size_t)len < sizeof both ? key_of(t, ts_span_of(both, (size_t)len)) : TS_KEY_NONE;
		if (key == TS_KEY_NONE)
			continue;
		t->series[c->key].grouped = key;
		c->key = key;
	}
	for (size_t i = 0; !group && !t->rows && i < t->n_cells; i++)
		t->series[t->cells[i].key].alone = true;
}

/* What was seen of "val/map", where no row of the training has "map", is that of "map". */
static void ungroup(struct ts_log_table *t)
{
	for (uint32_t key = 1; key < t->keys.n; key++) {
		struct series *s = &t->series[key], *from = &t->series[s->grouped];
		enum use use = s->use;
		struct ts_span mapped = s->mapped;

		if (!s->grouped || s->alone)
			continue;
		*s = *from;
		s->use = use;
		s->mapped = mapped;
		from->numbers = from->texts = 0;
	}
}

enum ts_status ts_log_table_end(struct ts_log_table *t, struct ts_error *err)
{
	if (!t->failed && (t->grouped || !t->rows))
		name_group(t);
	if (t->failed)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for names");
	if (ts_buf_check(&t->texts, err))
		return err->status;
	t->row++;
	if (t->rows)
		return put_row(t, err);
	look(t);
	return TS_OK;
}

enum ts_status ts_log_table_at(struct ts_log_table *t, uint64_t at, uint64_t total, struct ts_error *err)
{
	uint64_t looks = 2 * t->rank + (t->rows != NULL), ranks = t->source->n_ranks ? t->source->n_ranks : 1;

	if (!t->options->progress || (at >= t->told && at - t->told < TELL_BYTES))
		return TS_OK;
	t->told = at;
	return t->options->progress(t->options->progress_ctx, looks * total + at, 2 * ranks * total)
		       ? TS_OK
		       : ts_error_set(err, TS_CANCELLED, "stopped");
}

/* --- import --- */

/* A log with "train loss" of its evaluations before the "loss" of its steps gives the column of the loss to the latter. */
static enum ts_status claim_columns(struct ts_log_table *t, struct ts_error *err)
{
	struct ts_log_name ours;

	for (uint32_t key = 1; key < t->keys.n; key++)
		if (t->series[key].numbers && t->series[key].use == USE_VALUE && !t->series[key].mapped.len &&
		    ts_log_name_is_column(name_of(t, key)) && ts_log_name(&t->names, name_of(t, key), &ours, err))
			return err->status;
	return TS_OK;
}

static void tell_clock(struct ts_log_table *t)
{
	struct ts_span name = name_of(t, t->time_key);
	char detail[160];

	(void)snprintf(detail, sizeof detail, "%.*s only rises, so it is taken for the seconds since the training began",
		       (int)(name.len < 60 ? name.len : 60), (const char *)name.data);
	ts_notice_add(t->notices, "clock", TS_NOTICE_INFO, t->source->file, 0, detail);
}

static enum ts_status feed(void *ctx, struct ts_rows *rows, struct ts_error *err)
{
	struct ts_log_table *t = ctx;

	t->rows = rows;
	t->names.n = 0;
	t->names.notices = t->notices;
	t->names.file = t->source->file;
	t->row = 0;
	t->told = 0;
	for (uint32_t key = 1; key < t->keys.n; key++) {
		struct series *s = &t->series[key];

		s->column[0] = s->column[1] = 0;
		s->no_column = s->given = false;
		if (s->mapped.len && !s->numbers && !s->texts)
			ts_notice_add(t->notices, "map_unused", TS_NOTICE_INFO, ts_span_str(""), 0,
				      "a name in --map or " TS_LOG_MAP " that the log does not have");
	}
	if (t->step_key == TS_KEY_NONE && t->keys.n > 1)
		ts_notice_add(t->notices, "rows_numbered", TS_NOTICE_INFO, t->source->file, 0,
			      "no column is the step, so the rows are numbered");
	if (t->clock)
		tell_clock(t);
	if (claim_columns(t, err))
		return err->status;
	return t->source->read(t->source->ctx, t, err);
}

static void write_source(struct ts_json *j, const char *column, struct ts_span source)
{
	ts_json_key(j, column);
	ts_json_object(j);
	ts_json_key(j, "source");
	ts_json_span(j, source);
	ts_json_end(j);
}

static void write_known(struct ts_log_table *t, struct ts_json *j)
{
	struct ts_rows_column c;

	for (size_t i = 0; t->source->column && ts_rows_column_at(t->rows, i, &c); i++) {
		ts_json_key_span(j, c.name);
		ts_json_object(j);
		t->source->column(t->source->ctx, c.source, j);
		ts_json_end(j);
	}
}

static enum ts_status facts(void *ctx, struct ts_buf *json, struct ts_error *err)
{
	struct ts_log_table *t = ctx;
	struct ts_json j = ts_json_of(json);
	bool step = t->step_key != TS_KEY_NONE && !ts_span_is(name_of(t, t->step_key), "step");

	ts_json_object(&j);
	if (t->source->facts && t->source->facts(t->source->ctx, &j, err))
		return err->status;
	ts_json_key(&j, "columns");
	ts_json_object(&j);
	if (step)
		write_source(&j, "step", name_of(t, t->step_key));
	write_known(t, &j);
	ts_json_end(&j);
	ts_json_end(&j);
	return TS_OK;
}

static bool finished(void *ctx)
{
	struct ts_log_table *t = ctx;

	return t->source->finished && t->source->finished(t->source->ctx);
}

/* Finds which cells are the step and the time, and how precisely each series is written. Notices of this pass are
 * repeated by the feed. */
static enum ts_status look_at_all(struct ts_log_table *t, struct ts_error *err)
{
	uint64_t bytes = *t->bytes_read;
	size_t n = t->notices->n;

	if (t->source->read(t->source->ctx, t, err))
		return err->status == TS_CANCELLED ? err->status : ts_error_prefix(err, "%s", t->options->path);
	*t->bytes_read = bytes;
	t->notices->n = n;
	ungroup(t);
	if (choose(t, err))
		return ts_error_prefix(err, "%s", t->options->path);
	return TS_OK;
}

/* What another rank's rows said is forgotten: each has its own columns, written as precisely as they are there. */
static enum ts_status begin_names(struct ts_log_table *t, struct ts_error *err)
{
	enum ts_status status;

	ts_keys_finish(&t->keys);
	ts_free(t->series);
	t->series = NULL;
	t->cap_series = 0;
	t->rows = NULL;
	t->row = t->told = 0;
	ts_keys_init(&t->keys, NAMES_MAX - 1);
	status = read_map(t, err);
	if (!status)
		status = read_given_maps(t, err);
	return status;
}

static enum ts_status begin_rank(void *ctx, size_t i, int32_t *ret_rank, struct ts_error *err)
{
	struct ts_log_table *t = ctx;

	t->rank = i;
	if ((i && begin_names(t, err)) || t->source->begin_rank(t->source->ctx, i, ret_rank, err))
		return err->status;
	return look_at_all(t, err);
}

enum ts_status ts_log_table_import(const struct ts_log_source *source, const struct ts_ingest_options *options,
				   ts_object_sink *sink, void *sink_ctx, struct ts_notices *notices, uint64_t *bytes_read,
				   struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct ts_log_table t = {.source = source,
				 .options = options,
				 .arena = arena,
				 .notices = notices,
				 .bytes_read = bytes_read,
				 .names = {.arena = arena},
				 .texts = TS_BUF_INIT(2 * TS_LINE_MAX)};
	struct ts_import import = {
		.format = source->format,
		.rows = {.feed = feed, .ctx = &t, .unordered = source->unordered},
		.n_ranks = source->n_ranks,
		.begin_rank = source->n_ranks ? begin_rank : NULL,
		.facts = facts,
		.ctx = &t,
		.finished = finished};
	enum ts_status status = begin_names(&t, err);

	if (!status && !source->n_ranks)
		status = look_at_all(&t, err);
	if (!status)
		status = ts_import_run(&import, options, sink, sink_ctx, notices, bytes_read, arena, ret_result, err);
	ts_keys_finish(&t.keys);
	ts_buf_finish(&t.texts);
	ts_free(t.series);
	ts_free(t.cells);
	return status;
}
