#include "service/handlers/analyze/reduce_rows.h"

#include "base/json_reader.h"
#include "base/limits.h"
#include "service/handlers/analyze/analyze_ranks.h"

struct reading {
	struct ts_fetch *fetch;
	const struct ts_run *run;
	const struct ts_reduce_options *options;
	struct ts_arena *arena;
	struct ts_ranks_in in; /* the ranks that have times, and the rows */
	double *ends, *times;
	bool *starts, *tagged, *phased;
	double *tokens, *samples, *cpu;
	double *segments; /* the segment of the previous row, for each rank */
	size_t at;	  /* number of rows that were read in this pass */
};

/* --- when steps ended --- */

static bool is_timestamp(const struct ts_column *column)
{
	return column->type == TS_COLUMN_F64 && ts_span_is(column->name, "timestamp");
}

static bool has_timestamp(const struct ts_table *table)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (is_timestamp(&table->columns[i]))
			return true;
	return false;
}

static int slot_of_timestamp(const void *ctx, const struct ts_column *column)
{
	(void)ctx;
	return is_timestamp(column) ? 0 : -1;
}

static int slot_of_phase(const void *ctx, const struct ts_column *column)
{
	(void)ctx;
	return ts_column_is_phase(column) ? 0 : -1;
}

static bool is_known(double end)
{
	return end > 0 && end <= 1e300;
}

/* A step ends when the last rank ends it; the end is unknown where it is unknown for one rank. */
static enum ts_status take_ends(void *ctx, const int64_t *steps, size_t n, double **values, struct ts_error *err)
{
	struct reading *r = ctx;

	(void)steps;
	(void)err;
	for (size_t i = 0; i < n; i++) {
		double end = values[0][i];

		for (size_t k = 1; k < r->in.n; k++)
			end = is_known(end) && (values[k][i] > end || !is_known(values[k][i])) ? values[k][i] : end;
		r->ends[r->at + i] = end;
	}
	r->at += n;
	return TS_OK;
}

/* The time of a step is the longest of any rank; NaN where the time of one rank is not a number. */
static enum ts_status take_times(void *ctx, const int64_t *steps, size_t n, double **values, struct ts_error *err)
{
	struct reading *r = ctx;

	(void)steps;
	(void)err;
	for (size_t i = 0; i < n; i++) {
		double time = values[0][i];

		for (size_t k = 1; k < r->in.n; k++)
			time = values[k][i] > time || isnan(values[k][i]) ? values[k][i] : time;
		r->times[r->at + i] = time;
	}
	r->at += n;
	return TS_OK;
}

static enum ts_status feed(struct reading *r, const struct ts_ranks_in *in, const struct ts_rank_slots *slots,
			   ts_rank_window_sink *sink, struct ts_error *err)
{
	r->at = 0;
	return ts_rank_windows(in, slots, sink, r, err);
}

static bool enough_ends(const struct reading *r)
{
	size_t known = 0;

	for (size_t i = 0; i < r->in.n_steps && known < 2; i++)
		known += is_known(r->ends[i]);
	return known >= 2;
}

static enum ts_status read_ends(struct reading *r, struct ts_error *err)
{
	const struct ts_rank_slots slots = {.n = 1, .of = slot_of_timestamp};

	if (ts_rank_steps(r->fetch, r->run, has_timestamp, INT64_MIN, r->arena, &r->in, err))
		return err->status;
	r->ends = ts_arena_array(r->arena, r->in.n_steps, sizeof *r->ends);
	if (!r->ends)
		return ts_arena_error(r->arena, err);
	if (feed(r, &r->in, &slots, take_ends, err))
		return err->status;
	if (!enough_ends(r))
		r->ends = NULL;
	return TS_OK;
}

static enum ts_status read_times(struct reading *r, struct ts_error *err)
{
	const struct ts_rank_slots slots = {.n = 1, .of = slot_of_phase};

	if (ts_rank_steps(r->fetch, r->run, ts_table_has_phase, INT64_MIN, r->arena, &r->in, err))
		return err->status;
	r->times = ts_arena_array(r->arena, r->in.n_steps, sizeof *r->times);
	if (!r->times)
		return ts_arena_error(r->arena, err);
	return feed(r, &r->in, &slots, take_times, err);
}

static const char *why_no_time(const struct reading *r)
{
	if (r->ends || (r->times && r->in.n_steps))
		return NULL;
	if (r->in.n == 0)
		return "no step of the run has a timestamp or phases";
	return "the run has no timestamps, and no step has phases on every rank that records phases";

}

/* --- segments, and phases that are left out --- */

enum { EXCLUDED, SEGMENT, MARKS };

static int slot_of_mark(const void *ctx, const struct ts_column *column)
{
	const struct ts_reduce_options *options = ctx;

	if (ts_span_is(column->name, "segment"))
		return SEGMENT;
	for (size_t i = 0; i < options->n_excludes; i++)
		if (options->excludes[i].kind == TS_EXCLUDE_PHASE && ts_column_is_phase(column) &&
		    ts_span_eq(options->excludes[i].name, ts_phase_name(column)))
			return EXCLUDED;
	return -1;
}

static enum ts_status take_marks(void *ctx, const int64_t *steps, size_t n, double **values, struct ts_error *err)
{
	struct reading *r = ctx;

	(void)steps;
	(void)err;
	for (size_t k = 0; k < r->in.n; k++) {
		const double *excluded = values[k * MARKS + EXCLUDED], *segment = values[k * MARKS + SEGMENT];

		for (size_t i = 0; excluded && i < n; i++)
			r->phased[r->at + i] |= !(excluded[i] == 0);
		for (size_t i = 0; segment && i < n; i++) {
			r->starts[r->at + i] |= segment[i] != r->segments[k];
			r->segments[k] = segment[i];
		}
	}
	r->at += n;
	return TS_OK;
}

static bool any_column(const struct ts_run *run, int (*of)(const void *ctx, const struct ts_column *column), const void *ctx)
{
	for (size_t i = 0; i < run->head.n_ranks; i++)
		for (size_t t = 0; t < run->indexes[i].n_tables; t++) {
			const struct ts_table *table = &run->indexes[i].tables[t];

			for (size_t c = 0; table->kind == TS_TABLE_STEPS && c < table->n_columns; c++)
				if (table->columns[c].type == TS_COLUMN_F64 && of(ctx, &table->columns[c]) >= 0)
					return true;
		}
	return false;
}

static enum ts_status read_marks(struct reading *r, struct ts_error *err)
{
	const struct ts_rank_slots slots = {.n = MARKS, .of = slot_of_mark, .ctx = r->options};

	if (!any_column(r->run, slot_of_mark, r->options))
		return TS_OK;
	r->starts = ts_arena_array(r->arena, r->in.n_steps, sizeof *r->starts);
	r->phased = ts_arena_array(r->arena, r->in.n_steps, sizeof *r->phased);
	r->segments = ts_arena_array(r->arena, r->in.n, sizeof *r->segments);
	if (!r->starts || !r->phased || !r->segments)
		return ts_arena_error(r->arena, err);
	for (size_t k = 0; k < r->in.n; k++)
		r->segments[k] = (double)NAN;
	return feed(r, &r->in, &slots, take_marks, err);
}

/* --- tokens, samples and CPU time --- */

enum { TOKENS, SAMPLES, CPU, COUNTS };

static int slot_of_count(const void *ctx, const struct ts_column *column)
{
	(void)ctx;
	return ts_span_is(column->name, "tokens")     ? TOKENS
	       : ts_span_is(column->name, "samples")  ? SAMPLES
	       : ts_span_is(column->name, "cpu_time") ? CPU
						      : -1;
}

static bool has_count(const struct ts_table *table)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (table->columns[i].type == TS_COLUMN_F64 && slot_of_count(NULL, &table->columns[i]) >= 0)
			return true;
	return false;
}

struct counting {
	struct reading *r;
	size_t ranks;
};

static enum ts_status take_counts(void *ctx, const int64_t *steps, size_t n, double **values, struct ts_error *err)
{
	struct counting *c = ctx;
	struct reading *r = c->r;

	(void)steps;
	for (size_t k = 0; k < c->ranks; k++)
		for (int s = 0; s < COUNTS; s++) {
			const double *x = values[k * COUNTS + (size_t)s];
			double **to = s == TOKENS ? &r->tokens : s == SAMPLES ? &r->samples : &r->cpu;

			if (!x)
				continue;
			if (!*to)
				*to = ts_arena_array(r->arena, r->in.n_steps, sizeof **to);
			if (!*to)
				return ts_arena_error(r->arena, err);
			for (size_t i = 0; i < n; i++)
				(*to)[r->at + i] += x[i];
		}
	r->at += n;
	return TS_OK;
}

static enum ts_status read_counts(struct reading *r, struct ts_error *err)
{
	const struct ts_rank_slots slots = {.n = COUNTS, .of = slot_of_count};
	struct counting counting = {.r = r};
	struct ts_ranks_in in;

	if (!any_column(r->run, slot_of_count, NULL))
		return TS_OK;
	if (ts_rank_steps(r->fetch, r->run, has_count, INT64_MIN, r->arena, &in, err))
		return err->status;
	in.steps = r->in.steps;
	in.n_steps = r->in.n_steps;
	counting.ranks = in.n;
	r->at = 0;
	return ts_rank_windows(&in, &slots, take_counts, &counting, err);
}

/* --- tags --- */

struct tags {
	struct reading *r;
	struct ts_arena block;
	struct ts_buf scratch;
	size_t row; /* the first row of this table that may still match */
};

static bool is_excluded_tag(const struct ts_reduce_options *options, struct ts_span tag)
{
	for (size_t i = 0; i < options->n_excludes; i++)
		if (options->excludes[i].kind == TS_EXCLUDE_TAG && ts_span_eq(options->excludes[i].name, tag))
			return true;
	return false;
}

static bool wants_tags(const struct ts_reduce_options *options)
{
	for (size_t i = 0; i < options->n_excludes; i++)
		if (options->excludes[i].kind == TS_EXCLUDE_TAG)
			return true;
	return false;
}

/* Returns whether the cell, a tag or a list of tags, has a tag that is left out; other values are no tags. */
static bool has_tag(struct tags *t, enum ts_column_type type, struct ts_span cell)
{
	struct ts_json_reader reader;
	struct ts_json_token token;
	struct ts_error ignored;

	if (type == TS_COLUMN_TEXT)
		return is_excluded_tag(t->r->options, cell);
	ts_json_reader_init(&reader, cell, &t->scratch);
	while (ts_json_next(&reader, &token, &ignored) == TS_OK && token.type != TS_JSON_EOF)
		if (token.type == TS_JSON_STRING && is_excluded_tag(t->r->options, token.text))
			return true;
	return false;
}

static void mark_row(struct tags *t, int64_t step)
{
	const struct ts_ranks_in *in = &t->r->in;

	while (t->row < in->n_steps && in->steps[t->row] < step)
		t->row++;
	if (t->row < in->n_steps && in->steps[t->row] == step)
		t->r->tagged[t->row] = true;
}

static enum ts_status tags_of_block(struct tags *t, const struct ts_table *table, const struct ts_column *column, size_t b,
				    struct ts_error *err)
{
	struct ts_span *cells, before = {NULL, 0};
	bool tagged = false;
	int64_t *keys;

	ts_arena_reset(&t->block);
	if (ts_fetch_text_rows(t->r->fetch, table, column, b, &t->block, &keys, &cells, err))
		return err->status;
	for (size_t i = 0; i < table->blocks[b].rows; i++) {
		/* Most rows have the same tags as the row before. */
		if (i == 0 || !ts_span_eq(cells[i], before))
			tagged = has_tag(t, column->type, cells[i]);
		before = cells[i];
		if (tagged)
			mark_row(t, keys[i]);
	}
	return TS_OK;
}

static enum ts_status tags_of_rank(struct tags *t, const struct ts_index *index, struct ts_error *err)
{
	for (size_t k = 0; k < index->n_tables; k++) {
		const struct ts_table *table = &index->tables[k];

		for (size_t c = 0; table->kind == TS_TABLE_STEPS && c < table->n_columns; c++) {
			const struct ts_column *column = &table->columns[c];

			if (!ts_span_is(column->name, "tags") || (column->type != TS_COLUMN_JSON && column->type != TS_COLUMN_TEXT))
				continue;
			t->row = 0;
			for (size_t b = 0; b < table->n_blocks; b++)
				if (tags_of_block(t, table, column, b, err))
					return ts_error_prefix(err, "rank %d", index->rank);
		}
	}
	return TS_OK;
}

static enum ts_status read_tags(struct reading *r, struct ts_error *err)
{
	struct tags t = {.r = r, .scratch = TS_BUF_INIT(TS_TEXT_MAX + 64)};
	enum ts_status status = TS_OK;

	if (!wants_tags(r->options))
		return TS_OK;
	r->tagged = ts_arena_array(r->arena, r->in.n_steps, sizeof *r->tagged);
	if (!r->tagged)
		return ts_arena_error(r->arena, err);
	ts_arena_init(&t.block, TS_ANALYSIS_ARENA);
	for (size_t i = 0; !status && i < r->run->head.n_ranks; i++)
		status = tags_of_rank(&t, &r->run->indexes[i], err);
	ts_arena_finish(&t.block);
	ts_buf_finish(&t.scratch);
	return status;
}

/* --- all rows --- */

enum ts_status ts_job_rows_read(struct ts_fetch *f, const struct ts_run *run, const struct ts_reduce_options *options,
				struct ts_arena *arena, struct ts_job_rows *ret_rows, struct ts_error *err)
{
	struct reading r = {.fetch = f, .run = run, .options = options, .arena = arena};

	if (read_ends(&r, err) || (!r.ends && read_times(&r, err)) || read_marks(&r, err) || read_counts(&r, err) || read_tags(&r, err))
		return err->status;
	*ret_rows = (struct ts_job_rows){
		.no_time = why_no_time(&r),
		.rows =
			{
				.steps = r.in.steps,
				.n = r.in.n_steps,
				.ends = r.ends,
				.times = r.times,
				.starts = r.starts,
				.tagged = r.tagged,
				.phased = r.phased,
				.tokens = r.tokens,
				.samples = r.samples,
				.cpu = r.cpu,
			},
	};
	return TS_OK;
}
