/* diff_repeats.c - see diff_repeats.h. */
#include "service/handlers/diff/diff_repeats.h"

#include "base/limits.h"
#include "service/handlers/diff/diff_evidence.h"
#include "service/handlers/diff/diff_matrix.h"
#include "service/handlers/diff/series_cursor.h"

#include <math.h>

/* The same series of every repeat and, last, of the candidate, read in parallel. */
struct side_by_side {
	struct ts_series_walk *walk;
	struct ts_series_cursor *cursors;
	size_t n; /* number of cursors */
	double *values; /* one value for each cursor */
	struct ts_envelope envelope;
	struct ts_level_meter levels;
	bool judging;
	uint64_t at; /* number of points so far in this pass */
};

static const struct ts_column *find_column(const struct ts_run *run, int32_t rank, struct ts_span name,
					   const struct ts_table **ret_table)
{
	const struct ts_index *index = ts_run_rank(run, rank);

	return index ? ts_index_column(index, TS_TABLE_STEPS, name, TS_COLUMN_F64, ret_table) : NULL;
}

/* Starts a cursor for each run that has the series on that rank, and returns their number. */
static size_t start_cursors(struct ts_series_cursor *cursors, const struct ts_run *const *runs, size_t n, int32_t rank,
			    struct ts_span name)
{
	size_t has = 0;

	for (size_t i = 0; i < n; i++) {
		struct ts_series_side side;

		side.column = find_column(runs[i], rank, name, &side.table);
		if (!side.column)
			continue;
		ts_cursor_start(&cursors[i], side);
		has++;
	}
	return has;
}

static bool any_at_end(const struct side_by_side *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (ts_cursor_at_end(&s->cursors[i]))
			return true;
	return false;
}

/* Skips blocks that end before the step at which another series continues: they have no common step with it. */
static bool skip_blocks(struct side_by_side *s)
{
	int64_t most = INT64_MIN;
	bool any = false;

	for (size_t i = 0; i < s->n; i++)
		most = ts_cursor_step(&s->cursors[i]) > most ? ts_cursor_step(&s->cursors[i]) : most;
	for (size_t i = 0; i < s->n; i++)
		if (ts_cursor_block(&s->cursors[i])->last_key < most) {
			ts_cursor_next_block(&s->cursors[i]);
			any = true;
		}
	return any;
}

/* Returns whether all series are in the same block and its values are not needed: the values at the end are needed for
 * the levels. */
static bool is_one_block(const struct side_by_side *s)
{
	const struct ts_series_cursor *first = &s->cursors[0];

	if (s->judging && ts_level_want(&s->levels, s->at + ts_cursor_block(first)->rows - 1))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		const struct ts_series_cursor *c = &s->cursors[i];

		if (c->row != 0 || !ts_id_eq(&ts_cursor_block(c)->keys, &ts_cursor_block(first)->keys) ||
		    !ts_id_eq(ts_cursor_values(c), ts_cursor_values(first)))
			return false;
	}
	return true;
}

static enum ts_status add_point(struct side_by_side *s, int64_t step, struct ts_error *err)
{
	bool ok = s->judging ? ts_envelope_judge(&s->envelope, step, s->values, s->values[s->n - 1])
			     : ts_envelope_learn(&s->envelope, s->values);

	if (s->judging && ts_level_want(&s->levels, s->at))
		ts_level_add(&s->levels, step, s->values);
	s->at++;
	return ok ? TS_OK : ts_arena_error(s->envelope.arena, err);
}

/* All series have the same numbers in this block, so only their count and their steps matter. */
static enum ts_status add_one_block(struct side_by_side *s, struct ts_error *err)
{
	const struct ts_block *block = ts_cursor_block(&s->cursors[0]);
	const int64_t *keys;

	if (ts_block_cache_keys(s->walk->cache, block, &keys, err))
		return err->status;
	for (size_t i = 0; i < s->n; i++)
		s->values[i] = 1;
	for (uint32_t k = 0; k < block->rows; k++)
		if (add_point(s, keys[k], err))
			return err->status;
	for (size_t i = 0; i < s->n; i++)
		ts_cursor_next_block(&s->cursors[i]);
	return TS_OK;
}

/* Moves every row to the greatest step of any; returns true when all are at one step. rows are below their ends. */
static bool line_up(const struct side_by_side *s, size_t *rows, const size_t *ends, bool *ret_end)
{
	int64_t most = INT64_MIN;
	bool all = true;

	*ret_end = false;
	for (size_t i = 0; i < s->n; i++) {
		if (rows[i] == ends[i]) {
			*ret_end = true;
			return false;
		}
		most = s->cursors[i].keys[rows[i]] > most ? s->cursors[i].keys[rows[i]] : most;
	}
	for (size_t i = 0; i < s->n; i++) {
		while (rows[i] < ends[i] && s->cursors[i].keys[rows[i]] < most)
			rows[i]++;
		all = all && rows[i] < ends[i] && s->cursors[i].keys[rows[i]] == most;
	}
	return all;
}

static enum ts_status add_rows(struct side_by_side *s, size_t *rows, const size_t *ends, struct ts_error *err)
{
	bool end = false;

	while (!end) {
		if (!line_up(s, rows, ends, &end))
			continue;
		for (size_t i = 0; i < s->n; i++)
			memcpy(&s->values[i], &s->cursors[i].words[rows[i]], sizeof s->values[i]);
		if (add_point(s, s->cursors[0].keys[rows[0]], err))
			return err->status;
		for (size_t i = 0; i < s->n; i++)
			rows[i]++;
	}
	return TS_OK;
}

/* Adds the rows up to the end of the block that ends first. */
static enum ts_status add_blocks(struct side_by_side *s, struct ts_arena *scratch, struct ts_error *err)
{
	size_t *rows = ts_arena_array(scratch, s->n, sizeof *rows), *ends = ts_arena_array(scratch, s->n, sizeof *ends);
	int64_t last = INT64_MAX;

	if (!rows || !ends)
		return ts_arena_error(scratch, err);
	for (size_t i = 0; i < s->n; i++) {
		struct ts_series_cursor *c = &s->cursors[i];

		if (ts_cursor_read(s->walk, c, err))
			return err->status;
		last = ts_cursor_block(c)->last_key < last ? ts_cursor_block(c)->last_key : last;
	}
	for (size_t i = 0; i < s->n; i++) {
		rows[i] = s->cursors[i].row;
		ends[i] = ts_cursor_row_behind(&s->cursors[i], last);
	}
	if (add_rows(s, rows, ends, err))
		return err->status;
	for (size_t i = 0; i < s->n; i++)
		ts_cursor_advance(&s->cursors[i], ts_cursor_row_behind(&s->cursors[i], last));
	return TS_OK;
}

static enum ts_status pass(struct side_by_side *s, struct ts_error *err)
{
	struct ts_arena scratch;
	enum ts_status status = TS_OK;

	s->at = 0;
	ts_arena_init(&scratch, TS_CALL_ARENA);
	while (!status && !any_at_end(s)) {
		ts_arena_reset(&scratch);
		if (skip_blocks(s))
			continue;
		status = is_one_block(s) ? add_one_block(s, err) : add_blocks(s, &scratch, err);
	}
	ts_arena_finish(&scratch);
	return status;
}

/* The state of one diff with repeats. */
struct repeating {
	struct ts_fetch *fetch;
	const struct ts_run **runs; /* the repeats, then the candidate */
	size_t n;		    /* number of repeats */
	const struct ts_cuts *cuts;
	const struct ts_diff *diff;
	struct ts_arena *arena;
	struct ts_repeats *out;
	size_t n_levels; /* number of series for which levels are requested */
};

/* One series, and what is requested for it. */
struct question {
	struct ts_span name;
	bool envelope, level;
};

/* What was found for it. */
struct found {
	struct ts_envelope_row envelope;
	struct ts_level_row level;
};

/* Finds the step at which the two runs differ visibly in the series, or else the first at which they differ. */
static bool parting_of(const struct ts_diff *diff, struct ts_span name, int32_t rank, int64_t *ret_step)
{
	for (size_t i = 0; i < diff->n_series; i++) {
		const struct ts_series_row *row = &diff->series[i];

		if (row->state != TS_SERIES_PARTS || row->rank != rank || !ts_span_eq(row->name, name))
			continue;
		if (diff->axis.len)
			*ret_step = row->step_a; /* the other steps are positions on the axis */
		else
			*ret_step = row->gap.known && row->gap.visible ? row->gap.visible_step : row->first_step;
		return true;
	}
	return false;
}

static enum ts_status both_passes(const struct repeating *r, struct side_by_side *s, struct found *found, struct ts_error *err)
{
	struct ts_span name = found->envelope.name;
	int32_t rank = found->envelope.rank;
	struct ts_resolution *resolutions = ts_arena_array(r->arena, s->n, sizeof *resolutions);
	int64_t step = 0;
	bool has_step = parting_of(r->diff, name, rank, &step);

	if (!resolutions)
		return ts_arena_error(r->arena, err);
	for (size_t i = 0; i < s->n; i++) {
		const struct ts_column *column = s->cursors[i].side.column;

		resolutions[i] = (struct ts_resolution){column->precision, column->digits};
	}
	ts_envelope_begin(&s->envelope, r->n, resolutions, ts_pattern_is_chance(r->out->pattern), r->arena);
	s->envelope.cuts = r->cuts;
	if (pass(s, err))
		return err->status;
	s->judging = true;
	(void)start_cursors(s->cursors, r->runs, s->n, rank, name);
	if (!ts_level_begin(&s->levels, r->n, s->at, r->arena))
		return ts_arena_error(r->arena, err);
	if (pass(s, err))
		return err->status;
	return ts_envelope_end(&s->envelope, has_step, step, &found->envelope) && ts_level_end(&s->levels, r->n_levels, &found->level)
		       ? TS_OK
		       : ts_arena_error(r->arena, err);
}

static enum ts_status measure(const struct repeating *r, struct ts_series_cursor *cursors, struct found *found,
			      struct ts_error *err)
{
	struct side_by_side s = {.cursors = cursors, .n = r->n + 1};
	enum ts_status status;

	s.values = ts_arena_array(r->arena, s.n, sizeof *s.values);
	if (!s.values)
		return ts_arena_error(r->arena, err);
	status = ts_series_walk_create(r->fetch, &s.walk, err);
	if (status)
		return status;
	/* The keys and values of every cursor stay in memory while all of them are read. */
	ts_series_walk_keep(s.walk, (2 * s.n + 1) * (TS_BLOCK_ROWS_MAX + 64) * sizeof(uint64_t));
	status = both_passes(r, &s, found, err);
	ts_series_walk_destroy(s.walk);
	return status;
}

/* Finds the lowest rank on which both runs have the series, if any, and prefers the lowest on which the repeats have it too. */
static bool find_rank(const struct repeating *r, struct ts_series_cursor *cursors, struct ts_span name, int32_t *ret_rank,
		      bool *ret_all)
{
	const struct ts_run *a = r->runs[0], *b = r->runs[r->n];
	const struct ts_table *table;
	bool both = false;

	*ret_all = false;
	for (size_t k = 0; k < a->head.n_ranks && !*ret_all; k++) {
		int32_t rank = a->head.ranks[k].rank;

		if (!find_column(a, rank, name, &table) || !find_column(b, rank, name, &table))
			continue;
		*ret_all = start_cursors(cursors, r->runs, r->n + 1, rank, name) == r->n + 1;
		if (!both || *ret_all)
			*ret_rank = rank;
		both = true;
	}
	return both;
}

/* Adds the requested rows for the series, if the two runs have it. */
static enum ts_status add_series(const struct repeating *r, struct ts_series_cursor *cursors, const struct question *q,
				 struct ts_error *err)
{
	struct ts_span why_not = ts_span_str("not all of the repeats have this series on a rank that both runs have");
	struct found found = {.envelope = {.name = q->name, .why_not = why_not}, .level = {.name = q->name, .why_not = why_not}};
	int32_t rank;
	bool all;

	if (!find_rank(r, cursors, q->name, &rank, &all))
		return TS_OK;
	found.envelope.rank = found.level.rank = rank;
	if (all && measure(r, cursors, &found, err))
		return err->status;
	if (q->envelope)
		r->out->rows[r->out->n_rows++] = found.envelope;
	if (q->level)
		r->out->levels[r->out->n_levels++] = found.level;
	return TS_OK;
}

enum { QUESTIONS_MOST = 10 }; /* the loss, the gradient norm, and the first eight losses of evaluations */

static bool is_evaluated_loss(const struct ts_column *column)
{
	enum ts_series_kind kind = ts_series_kind_of(column->name, column->type, ts_role_of(column->name, NULL));

	return kind == TS_KIND_EVAL && column->type == TS_COLUMN_F64 && ts_span_contains(column->name, "loss");
}

static bool is_asked(const struct question *questions, size_t n, struct ts_span name)
{
	for (size_t i = 0; i < n; i++)
		if (ts_span_eq(questions[i].name, name))
			return true;
	return false;
}

static void ask_evaluations(const struct ts_index *index, struct question *questions, size_t *n)
{
	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t c = 0; table->kind == TS_TABLE_STEPS && c < table->n_columns && *n < QUESTIONS_MOST; c++)
			if (is_evaluated_loss(&table->columns[c]) && !is_asked(questions, *n, table->columns[c].name))
				questions[(*n)++] = (struct question){.name = table->columns[c].name, .level = true};
	}
}

/* Counts the series for which levels are computed: those that the two runs both have. */
static size_t count_levels(const struct repeating *r, struct ts_series_cursor *cursors, const struct question *questions,
			   size_t n)
{
	size_t levels = 0;
	int32_t rank;
	bool all;

	for (size_t i = 0; i < n; i++)
		levels += questions[i].level && find_rank(r, cursors, questions[i].name, &rank, &all) && all;
	return levels ? levels : 1;
}

static enum ts_status ask_all(struct repeating *r, struct ts_series_cursor *cursors, struct ts_error *err)
{
	struct question questions[QUESTIONS_MOST] = {
		{.name = ts_span_str("scalars.loss"), .envelope = true, .level = true},
		{.name = ts_span_str("scalars.grad_norm"), .envelope = true},
	};
	const struct ts_run *a = r->runs[0];
	enum ts_status status = TS_OK;
	size_t n = 2;

	for (size_t k = 0; k < a->head.n_ranks; k++)
		ask_evaluations(&a->indexes[k], questions, &n);
	r->n_levels = count_levels(r, cursors, questions, n);
	for (size_t i = 0; !status && i < n; i++)
		status = add_series(r, cursors, &questions[i], err);
	return status;
}

static enum ts_status add_envelopes(struct repeating *r, struct ts_error *err)
{
	struct ts_series_cursor *cursors = ts_arena_array(r->arena, r->n + 1, sizeof *cursors);
	enum ts_status status;

	r->out->rows = ts_arena_array(r->arena, QUESTIONS_MOST, sizeof *r->out->rows);
	r->out->levels = ts_arena_array(r->arena, QUESTIONS_MOST, sizeof *r->out->levels);
	if (!cursors || !r->out->rows || !r->out->levels)
		return ts_arena_error(r->arena, err);
	for (size_t i = 0; i <= r->n; i++)
		ts_cursor_init(&cursors[i]);
	status = ask_all(r, cursors, err);
	for (size_t i = 0; i <= r->n; i++)
		ts_cursor_finish(&cursors[i]);
	return status;
}

static bool is_among(const struct ts_run *runs, size_t n, const struct ts_id *id)
{
	for (size_t i = 0; i < n; i++)
		if (ts_id_eq(&runs[i].id, id))
			return true;
	return false;
}

enum ts_status ts_diff_repeats(struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b,
			       struct ts_run_ids named, const struct ts_cuts *cuts, const struct ts_diff *diff,
			       struct ts_arena *arena, struct ts_repeats *ret_repeats, struct ts_error *err)
{
	struct ts_repeats out = {.asked = true};
	struct repeating r = {.fetch = f, .cuts = cuts, .diff = diff, .arena = arena, .out = &out};
	struct ts_run *runs = ts_arena_array(arena, named.n + 1, sizeof *runs);

	r.runs = ts_arena_array(arena, named.n + 2, sizeof(const struct ts_run *));
	if (!runs || !r.runs)
		return ts_arena_error(arena, err);
	runs[r.n++] = *a;
	for (size_t i = 0; i < named.n; i++) {
		if (ts_id_eq(&named.ids[i], &b->id) || is_among(runs, r.n, &named.ids[i]))
			continue;
		if (ts_run_open(f, &named.ids[i], arena, &runs[r.n++], err))
			return ts_error_prefix(err, "repeat %zu", i + 1);
	}
	for (size_t i = 0; i < r.n; i++)
		r.runs[i] = &runs[i];
	r.runs[r.n] = b;
	if (ts_diff_matrix(f, runs, r.n, arena, &out.matrix, err))
		return err->status;
	if (!ts_repeats_judge(&out, arena))
		return ts_arena_error(arena, err);
	if (r.n >= TS_REPEATS_LEAST && add_envelopes(&r, err))
		return err->status;
	if (!ts_repeats_conclude(&out, arena) || !ts_repeats_say_axis(&out, diff->axis, arena))
		return ts_arena_error(arena, err);
	*ret_repeats = out;
	return TS_OK;
}

static enum ts_repeats_answer answer_of(enum ts_pattern pattern)
{
	switch (pattern) {
	case TS_PATTERN_SAME:
		return TS_REPEATS_EQUAL;
	case TS_PATTERN_ODD:
		return TS_REPEATS_ODD;
	case TS_PATTERN_SCATTERED:
		return TS_REPEATS_SCATTERED;
	case TS_PATTERN_UNKNOWN:
	case TS_PATTERN_GROUPS:
	case TS_PATTERN_TOGETHER:
		break;
	}
	return TS_REPEATS_UNKNOWN;
}

struct ts_repeats_seen ts_repeats_seen_of(const struct ts_repeats *repeats)
{
	if (!repeats->asked || isnan(repeats->spread))
		return (struct ts_repeats_seen){.runs = 0, .statistical = repeats->statistical};
	return (struct ts_repeats_seen){
		.runs = repeats->matrix.n,
		.statistical = repeats->statistical,
		.answer = answer_of(repeats->pattern),
		.spread = repeats->spread,
		.inside = repeats->inside,
	};
}
