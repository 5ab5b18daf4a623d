/* resume_restart.c - the executions of one step within one directory: superseded rows, and the final one. */
#include "service/handlers/diff/resume_pairs.h"

#include "base/limits.h"
#include "service/handlers/diff/resume_rows.h"

/* One row: an execution of a step. */
struct executed {
	int64_t key; /* superseded rows: the ordinal; final rows: the step */
	int64_t step;
	int64_t segment;
};

struct executions {
	struct executed *items;
	size_t n;
};

/* One rank, while its executions are paired. */
struct pairing {
	struct ts_fetch *fetch;
	const struct ts_index *index;
	struct ts_arena *arena, *scratch;
	struct executions superseded; /* by step, then segment */
	struct executions final;      /* the final executions of those steps */
	struct ts_restart restart;
	const struct ts_facts *facts;
};

/* Returns whether x is a whole number that a double holds exactly. */
static bool whole(double x, int64_t *ret)
{
	if (!(fabs(x) <= 0x1p53) || x != floor(x))
		return false;
	*ret = (int64_t)x;
	return true;
}

static enum ts_status load_all(struct ts_fetch *f, const struct ts_index *index, enum ts_table_kind kind, const char *name,
			       int64_t first, int64_t last, struct ts_arena *arena, struct ts_rows *ret, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column = ts_index_column(index, kind, ts_span_str(name), TS_COLUMN_F64, &table);

	*ret = (struct ts_rows){.n = 0};
	return column ? ts_rows_load(f, table, column, first, last, SIZE_MAX, false, arena, ret, err) : TS_OK;
}

/* Loads superseded rows whose step and segment are numbers; steps beyond 2^53 are ignored. */
static enum ts_status load_superseded(struct ts_fetch *f, const struct ts_index *index, struct ts_arena *arena,
				      struct executions *ret, struct ts_error *err)
{
	struct executions out = {.n = 0};
	struct ts_rows steps, segments;
	struct ts_row_pairs both;

	if (load_all(f, index, TS_TABLE_SUPERSEDED, "step", INT64_MIN, INT64_MAX, arena, &steps, err) ||
	    load_all(f, index, TS_TABLE_SUPERSEDED, "segment", INT64_MIN, INT64_MAX, arena, &segments, err))
		return err->status;
	if (!ts_rows_pair(&steps, &segments, SIZE_MAX, arena, &both))
		return ts_arena_error(arena, err);
	out.items = ts_arena_array(arena, both.n, sizeof *out.items);
	if (!out.items)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < both.n; i++) {
		struct executed *row = &out.items[out.n];
		double step, segment;

		memcpy(&step, &both.a[i], sizeof step);
		memcpy(&segment, &both.b[i], sizeof segment);
		row->key = both.steps[i];
		out.n += whole(step, &row->step) && whole(segment, &row->segment);
	}
	*ret = out;
	return TS_OK;
}

static enum ts_status load_final(struct ts_fetch *f, const struct ts_index *index, int64_t first, int64_t last,
				 struct ts_arena *arena, struct executions *ret, struct ts_error *err)
{
	struct executions out = {.n = 0};
	struct ts_rows rows;

	if (load_all(f, index, TS_TABLE_STEPS, "segment", first, last, arena, &rows, err))
		return err->status;
	out.items = ts_arena_array(arena, rows.n, sizeof *out.items);
	if (!out.items)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < rows.n; i++) {
		struct executed *row = &out.items[out.n];

		row->key = row->step = rows.keys[i];
		out.n += whole(ts_rows_real(&rows)[i], &row->segment);
	}
	*ret = out;
	return TS_OK;
}

/* --- finding restarts --- */

static bool has_superseded(const struct ts_index *index)
{
	return ts_index_column(index, TS_TABLE_SUPERSEDED, ts_span_str("segment"), TS_COLUMN_F64, NULL) != NULL;
}

/* Returns the first rank that executed a step twice. */
static const struct ts_index *restarted_rank(const struct ts_run *run)
{
	for (size_t i = 0; i < run->head.n_ranks; i++)
		if (has_superseded(&run->indexes[i]))
			return &run->indexes[i];
	return NULL;
}

struct starts {
	bool seen[TS_SEGMENTS_MAX];
	int64_t step[TS_SEGMENTS_MAX];
};

static void note_starts(struct starts *starts, const struct executions *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		int64_t segment = rows->items[i].segment;

		if (segment < 0 || segment >= TS_SEGMENTS_MAX)
			continue;
		if (!starts->seen[segment] || rows->items[i].step < starts->step[segment])
			starts->step[segment] = rows->items[i].step;
		starts->seen[segment] = true;
	}
}

static enum ts_status list_restarts(const struct starts *starts, struct ts_arena *arena, struct ts_restart **ret,
				    size_t *ret_n, uint64_t *ret_all, struct ts_error *err)
{
	struct ts_restart *out = ts_arena_array(arena, TS_RESUME_RESTARTS, sizeof *out);
	uint64_t all = 0, skip, at = 0;
	size_t n = 0;

	if (!out)
		return ts_arena_error(arena, err);
	for (size_t i = 1; i < TS_SEGMENTS_MAX; i++)
		all += starts->seen[i];
	skip = all > TS_RESUME_RESTARTS ? all - TS_RESUME_RESTARTS : 0;
	for (size_t i = 1; i < TS_SEGMENTS_MAX; i++)
		if (starts->seen[i] && at++ >= skip)
			out[n++] = (struct ts_restart){(int64_t)i, starts->step[i]};
	*ret = out;
	*ret_n = n;
	*ret_all = all;
	return TS_OK;
}

enum ts_status ts_resume_restarts(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena,
				  struct ts_restart **ret, size_t *ret_n, uint64_t *ret_all, struct ts_error *err)
{
	const struct ts_index *index = restarted_rank(run);
	struct executions superseded, final;
	struct starts *starts;
	struct ts_arena scratch;
	enum ts_status status;

	*ret_n = 0;
	*ret_all = 0;
	if (!index)
		return TS_OK;
	ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
	starts = ts_arena_array(&scratch, 1, sizeof *starts);
	status = starts ? load_superseded(f, index, &scratch, &superseded, err) : ts_arena_error(&scratch, err);
	if (!status)
		status = load_final(f, index, INT64_MIN, INT64_MAX, &scratch, &final, err);
	if (!status) {
		note_starts(starts, &superseded);
		note_starts(starts, &final);
		status = list_restarts(starts, arena, ret, ret_n, ret_all, err);
	}
	ts_arena_finish(&scratch);
	return status;
}

/* --- steps that were executed again --- */

struct execution {
	int64_t step;
	int64_t segment;
	uint64_t word;
};

/* Reads the values of the rows; both are in ascending order of the key. */
static size_t give_values(const struct executions *rows, const struct ts_rows *values, struct execution *out)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < rows->n; i++) {
		while (k < values->n && values->keys[k] < rows->items[i].key)
			k++;
		if (k < values->n && values->keys[k] == rows->items[i].key)
			out[n++] = (struct execution){rows->items[i].step, rows->items[i].segment, values->words[k]};
	}
	return n;
}

/* Merges superseded and final executions by step, then segment; the final execution of a step is its last. */
static size_t join(const struct execution *superseded, size_t n_s, const struct execution *final, size_t n_f,
		   struct execution *out)
{
	size_t n = 0, i = 0, k = 0;

	while (i < n_s || k < n_f) {
		if (k == n_f || (i < n_s && superseded[i].step <= final[k].step))
			out[n++] = superseded[i++];
		else
			out[n++] = final[k++];
	}
	return n;
}

/* Pairs executions of the segment with the execution of the same step before it. */
static bool pair_executions(const struct execution *all, size_t n, int64_t segment, struct ts_arena *arena,
			    struct ts_row_pairs *ret)
{
	struct ts_row_pairs out = {.n = 0};
	size_t room = 0;

	for (size_t i = 1; i < n; i++)
		room += all[i].segment == segment && all[i].step == all[i - 1].step;
	out.steps = ts_arena_array(arena, room, sizeof *out.steps);
	out.a = ts_arena_array(arena, room, sizeof *out.a);
	out.b = ts_arena_array(arena, room, sizeof *out.b);
	if (!out.steps || !out.a || !out.b)
		return false;
	for (size_t i = 1; i < n; i++) {
		if (all[i].segment != segment || all[i].step != all[i - 1].step)
			continue;
		out.steps[out.n] = all[i].step;
		out.a[out.n] = all[i - 1].word;
		out.b[out.n++] = all[i].word;
	}
	*ret = out;
	return true;
}

/* Collects the batches of the training before the restart: final rows before it, then the rows that it superseded. */
static enum ts_status shift_of(struct pairing *p, const struct ts_table *table, const struct ts_column *column,
			       const struct ts_row_pairs *pairs, struct ts_resume_shift *ret, struct ts_error *err)
{
	struct ts_rows before = {.n = 0};
	size_t at = 0, n;
	int64_t *steps;
	uint64_t *words;

	while (at < pairs->n && pairs->a[at] == pairs->b[at])
		at++;
	if (at == pairs->n)
		return TS_OK;
	if (p->restart.step > INT64_MIN &&
	    ts_rows_load(p->fetch, table, column, INT64_MIN, p->restart.step - 1, SIZE_MAX, false, p->scratch, &before, err))
		return err->status;
	n = before.n + pairs->n;
	steps = ts_arena_array(p->scratch, n, sizeof *steps);
	words = ts_arena_array(p->scratch, n, sizeof *words);
	if (!steps || !words)
		return ts_arena_error(p->scratch, err);
	memcpy(steps, before.keys, before.n * sizeof *steps);
	memcpy(words, before.words, before.n * sizeof *words);
	memcpy(steps + before.n, pairs->steps, pairs->n * sizeof *steps);
	memcpy(words + before.n, pairs->a, pairs->n * sizeof *words);
	ts_resume_find_shift(steps, words, n, pairs->steps + at, pairs->b + at, pairs->n - at, ret);
	return TS_OK;
}

/* Loads the executions of one column, merged; *ret_final is the column of the final rows. */
static enum ts_status load_column(struct pairing *p, const struct ts_table *table, const struct ts_column *column,
				  const struct ts_table **ret_table, const struct ts_column **ret_final,
				  struct execution **ret, size_t *ret_n, struct ts_error *err)
{
	struct executions *s = &p->superseded;
	struct ts_rows old, now = {.n = 0};
	struct execution *x, *y;
	size_t n_x, n_y;

	*ret_final = ts_index_column(p->index, TS_TABLE_STEPS, column->name, column->type, ret_table);
	if (ts_rows_load(p->fetch, table, column, INT64_MIN, INT64_MAX, SIZE_MAX, false, p->scratch, &old, err))
		return err->status;
	if (*ret_final && s->n &&
	    ts_rows_load(p->fetch, *ret_table, *ret_final, s->items[0].step, s->items[s->n - 1].step, SIZE_MAX, false,
			 p->scratch, &now, err))
		return err->status;
	x = ts_arena_array(p->scratch, s->n, sizeof *x);
	y = ts_arena_array(p->scratch, p->final.n, sizeof *y);
	*ret = ts_arena_array(p->scratch, s->n + p->final.n, sizeof **ret);
	if (!x || !y || !*ret)
		return ts_arena_error(p->scratch, err);
	n_x = give_values(s, &old, x);
	n_y = give_values(&p->final, &now, y);
	*ret_n = join(x, n_x, y, n_y, *ret);
	return TS_OK;
}

static enum ts_status pair_column(struct pairing *p, const struct ts_table *table, const struct ts_column *column,
				  enum ts_resume_kind kind, struct ts_resume_evidence *e, struct ts_resume_series *series,
				  struct ts_error *err)
{
	const struct ts_table *final_table = NULL;
	const struct ts_column *final;
	struct ts_row_pairs pairs;
	struct execution *all = NULL;
	size_t n = 0;

	if (load_column(p, table, column, &final_table, &final, &all, &n, err))
		return err->status;
	if (!pair_executions(all, n, p->restart.segment, p->arena, &pairs))
		return ts_arena_error(p->arena, err);
	series[e->n_series] = ts_resume_series_of(kind, column->name, p->index->rank, &pairs, p->facts, p->facts);
	series[e->n_series].quantum = ts_resume_quantum(column, &pairs);
	if (kind == TS_RESUME_BATCH && final && shift_of(p, final_table, final, &pairs, &series[e->n_series].shift, err))
		return err->status;
	e->n_series++;
	return TS_OK;
}

static enum ts_status pair_rank(struct pairing *p, struct ts_resume_evidence *e, struct ts_resume_series *series,
				struct ts_error *err)
{
	struct executions *s = &p->superseded;

	if (load_superseded(p->fetch, p->index, p->scratch, s, err))
		return err->status;
	if (s->n == 0)
		return TS_OK;
	if (load_final(p->fetch, p->index, s->items[0].step, s->items[s->n - 1].step, p->scratch, &p->final, err))
		return err->status;
	for (size_t t = 0; t < p->index->n_tables; t++) {
		const struct ts_table *table = &p->index->tables[t];

		for (size_t i = 0; table->kind == TS_TABLE_SUPERSEDED && i < table->n_columns; i++) {
			enum ts_resume_kind kind;

			if (ts_resume_kind_of(p->index, p->facts, &table->columns[i], &kind) &&
			    pair_column(p, table, &table->columns[i], kind, e, series, err))
				return err->status;
		}
	}
	return TS_OK;
}

enum ts_status ts_resume_pair_restart(struct ts_fetch *f, const struct ts_run *run, struct ts_restart restart,
				      struct ts_arena *arena, struct ts_resume_evidence *e, struct ts_error *err)
{
	struct ts_resume_series *series = ts_arena_array(arena, ts_run_count_columns(run), sizeof *series);
	enum ts_status status = TS_OK;
	size_t ranks = 0;

	if (!series)
		return ts_arena_error(arena, err);
	e->series = series;
	for (size_t i = 0; !status && i < run->head.n_ranks; i++) {
		struct ts_arena scratch;
		struct pairing p = {
			.fetch = f, .index = &run->indexes[i], .arena = arena, .scratch = &scratch, .restart = restart,
			.facts = &run->head.facts};

		if (!has_superseded(p.index))
			continue;
		if (ranks++ == TS_RESUME_RANKS) {
			e->ranks_left_out = true;
			break;
		}
		ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
		status = pair_rank(&p, e, series, err);
		if (status)
			ts_error_prefix(err, "rank %d", p.index->rank);
		ts_arena_finish(&scratch);
	}
	return status;
}
