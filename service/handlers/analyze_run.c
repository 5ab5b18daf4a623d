#include "service/handlers/analyze_run.h"

#include "analysis/convergence.h"
#include "analysis/memory.h"
#include "analysis/timing.h"
#include "base/limits.h"
#include "base/text.h"
#include "service/handlers/analyze_notes.h"
#include "service/handlers/methods.h"
#include "service/handlers/resolve.h"
#include "service/handlers/run_steps.h"

#include <inttypes.h>
#include <stdlib.h>

struct analyzing {
	struct ts_fetch *fetch;
	struct ts_arena *arena; /* of the result */
	struct ts_arena work; /* of one rank: its steps and what is summed over them */
	struct ts_arena keys; /* the keys of one table */
	struct ts_arena values; /* the columns in hand */
	const struct ts_run *run;
	const struct ts_table *keys_of; /* whose keys lie in keys */
	const int64_t *table_keys;
	struct ts_analysis out;
	struct ts_notes notes;
};

/* --- columns --- */

static enum ts_status keys_of_table(struct analyzing *a, const struct ts_table *table, struct ts_error *err)
{
	int64_t *keys;

	if (a->keys_of == table)
		return TS_OK;
	ts_arena_reset(&a->keys);
	a->keys_of = NULL;
	if (ts_fetch_keys(a->fetch, table, &a->keys, &keys, err))
		return err->status;
	a->keys_of = table;
	a->table_keys = keys;
	return TS_OK;
}

/* The keys are good until a column of another table is loaded, the values until values_done. */
static enum ts_status load(struct analyzing *a, const struct ts_table *table, const struct ts_column *column,
			   struct ts_series *ret_series, struct ts_error *err)
{
	double *values;

	if (keys_of_table(a, table, err) || ts_fetch_f64(a->fetch, table, column, &a->values, &values, err))
		return ts_error_prefix(err, "column %.*s", TS_SPAN_ARG(column->name));
	*ret_series = (struct ts_series){
		.name = column->name,
		.keys = a->table_keys,
		.values = values,
		.n = (size_t)table->rows,
	};
	return TS_OK;
}

static void values_done(struct analyzing *a)
{
	ts_arena_reset(&a->values);
}

static const struct ts_column *find(const struct ts_index *index, const char *name, const struct ts_table **ret_table)
{
	return ts_index_column(index, TS_TABLE_STEPS, ts_span_str(name), TS_COLUMN_F64, ret_table);
}

/* --- timing --- */

struct phase {
	const struct ts_table *table;
	const struct ts_column *column;
};

static bool is_phase(const struct ts_column *column)
{
	return column->type == TS_COLUMN_F64 && ts_span_starts(column->name, ts_span_str("phases."));
}

static bool has_phase(const struct ts_table *table)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (is_phase(&table->columns[i]))
			return true;
	return false;
}

static struct ts_span phase_name(const struct phase *p)
{
	size_t skip = strlen("phases.");

	return ts_span_of(p->column->name.data + skip, p->column->name.len - skip);
}

static int by_display_order(const void *x, const void *y)
{
	return ts_phase_order(phase_name(x), phase_name(y));
}

static enum ts_status list_phases(const struct ts_index *index, struct ts_arena *arena, struct phase **ret_phases,
				  size_t *ret_n, struct ts_error *err)
{
	struct phase *phases;
	size_t n = 0;

	for (size_t t = 0; t < index->n_tables; t++)
		n += index->tables[t].n_columns;
	phases = ts_arena_array(arena, n, sizeof *phases);
	if (!phases)
		return ts_arena_error(arena, err);
	n = 0;
	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t i = 0; table->kind == TS_TABLE_STEPS && i < table->n_columns; i++)
			if (is_phase(&table->columns[i]))
				phases[n++] = (struct phase){table, &table->columns[i]};
	}
	if (n)
		qsort(phases, n, sizeof *phases, by_display_order);
	*ret_phases = phases;
	*ret_n = n;
	return TS_OK;
}

/* The first step that counts, after `warmup` distinct steps of the rank; *ret_cut of them were there to be cut. */
static enum ts_status first_step(struct analyzing *a, const struct ts_index *index, uint64_t warmup, int64_t *ret_first,
				 uint64_t *ret_cut, struct ts_error *err)
{
	struct ts_step_set set;
	int64_t *steps;
	size_t n = 0;

	if (warmup == 0) {
		*ret_first = INT64_MIN;
		*ret_cut = 0;
		return TS_OK;
	}
	if (ts_steps_of(index, NULL, &a->work, &set, err) || ts_steps_fetch(a->fetch, &set, &a->work, &steps, &n, err))
		return err->status;
	*ret_cut = warmup < n ? warmup : n;
	*ret_first = *ret_cut < n ? steps[*ret_cut] : INT64_MAX;
	return TS_OK;
}

/* The timing of a rank, up to before ts_timing_finish. Steps before first are cut. */
static enum ts_status time_phases(struct analyzing *a, const struct ts_index *index, int64_t first, struct ts_timing *t,
				  struct ts_error *err)
{
	struct ts_step_set set;
	struct phase *phases = NULL;
	size_t n_phases = 0, n = 0, cut = 0;
	int64_t *steps;

	if (list_phases(index, &a->work, &phases, &n_phases, err) ||
	    ts_steps_of(index, has_phase, &a->work, &set, err) ||
	    ts_steps_fetch(a->fetch, &set, &a->work, &steps, &n, err))
		return err->status;
	while (cut < n && steps[cut] < first)
		cut++;
	if (ts_timing_begin(t, steps, n, &a->work, err))
		return err->status;
	for (int pass = 1; pass <= 2; pass++) {
		for (size_t i = 0; i < n_phases; i++) {
			struct ts_series series;

			if (load(a, phases[i].table, phases[i].column, &series, err) ||
			    (pass == 1 ? ts_timing_total : ts_timing_phase)(t, &series, err))
				return err->status;
			values_done(a);
		}
		if (pass == 1 && ts_timing_cut(t, true, cut, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status timing(struct analyzing *a, const struct ts_index *index, int64_t first, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column = find(index, "timestamp", &table);
	struct ts_series stamps = {.n = 0};
	struct ts_timing t;

	if (time_phases(a, index, first, &t, err))
		return err->status;
	if (column && load(a, table, column, &stamps, err))
		return err->status;
	if (ts_timing_finish(&t, column ? &stamps : NULL, a->arena, &a->out.measures, &a->out.events, &a->out.plots, err))
		return err->status;
	values_done(a);
	return TS_OK;
}

/* --- memory --- */

static const char *const memory_columns[] = {"memory.alloc", "memory.reserved", "memory.peak_alloc",
					     "memory.peak_reserved"};

enum { MEMORY_COLUMNS = sizeof memory_columns / sizeof memory_columns[0] };

/* Keys that stay when those of another table are loaded: once a table, beside the values. */
static const int64_t *lasting_keys(struct analyzing *a, const struct ts_series *series,
				   const struct ts_table *const *tables, size_t i)
{
	for (size_t before = 0; before < i; before++)
		if (tables[before] == tables[i])
			return series[before].keys;
	return ts_arena_dup(&a->values, series[i].keys, series[i].n * sizeof(int64_t));
}

/* Four columns at once, mostly of one table. */
static enum ts_status load_memory(struct analyzing *a, const struct ts_index *index, struct ts_series *series,
				  const struct ts_series **ret, struct ts_error *err)
{
	const struct ts_table *tables[MEMORY_COLUMNS] = {NULL};

	for (size_t i = 0; i < MEMORY_COLUMNS; i++) {
		const struct ts_column *column = find(index, memory_columns[i], &tables[i]);

		ret[i] = NULL;
		if (!column)
			continue;
		if (load(a, tables[i], column, &series[i], err))
			return err->status;
		series[i].keys = lasting_keys(a, series, tables, i);
		if (!series[i].keys)
			return ts_arena_error(&a->values, err);
		ret[i] = &series[i];
	}
	return TS_OK;
}

static enum ts_status memory(struct analyzing *a, const struct ts_index *index, int64_t first,
			     struct ts_measures *measures, struct ts_plots *plots, struct ts_arena *arena,
			     struct ts_error *err)
{
	struct ts_series series[MEMORY_COLUMNS];
	const struct ts_series *at[MEMORY_COLUMNS];

	if (load_memory(a, index, series, at, err) ||
	    ts_memory_summary(at[0], at[1], at[2], at[3], first, first, 0, arena, measures, plots, err))
		return err->status;
	values_done(a);
	return TS_OK;
}

/* --- convergence --- */

static bool is_loss_like(const struct ts_column *column)
{
	struct ts_span prefix = ts_span_str("scalars.");

	return column->type == TS_COLUMN_F64 && ts_span_starts(column->name, prefix) &&
	       (ts_glob(ts_span_str("scalars.*loss"), column->name) || ts_span_is(column->name, "scalars.grad_norm"));
}

/* Loss first, then the others as they stand. */
static enum ts_status convergence(struct analyzing *a, const struct ts_index *index, int64_t first,
				  struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *loss = find(index, "scalars.loss", &table);
	struct ts_series series;

	if (!loss && !ts_measure_unknown(&a->out.measures, a->arena, "convergence", ts_span_str("loss"), "last",
					 TS_UNIT_NONE, "no column scalars.loss"))
		return ts_arena_error(a->arena, err);
	if (loss && (load(a, table, loss, &series, err) ||
		     ts_convergence_summary(&series, first, a->arena, &a->out.measures, err)))
		return err->status;
	values_done(a);
	for (size_t t = 0; t < index->n_tables; t++) {
		table = &index->tables[t];
		for (size_t i = 0; table->kind == TS_TABLE_STEPS && i < table->n_columns; i++) {
			const struct ts_column *column = &table->columns[i];

			if (column == loss || !is_loss_like(column))
				continue;
			if (load(a, table, column, &series, err) ||
			    ts_convergence_summary(&series, first, a->arena, &a->out.measures, err))
				return err->status;
			values_done(a);
		}
	}
	return TS_OK;
}

/* --- ranks --- */

static void rank_done(struct analyzing *a)
{
	ts_arena_reset(&a->work);
	ts_arena_reset(&a->keys);
	a->keys_of = NULL;
	values_done(a);
}

/* Copies one measure of a rank into group "ranks". Its reason lies in static text. */
static bool take(struct analyzing *a, const struct ts_measure *from, struct ts_span subject, const char *name,
		 enum ts_unit unit)
{
	struct ts_measures *to = &a->out.measures;

	if (from && from->known)
		return ts_measure_add(to, a->arena, "ranks", subject, name, unit, from->value);
	return ts_measure_unknown(to, a->arena, "ranks", subject, name, unit,
				  from ? (const char *)from->reason.data : "not known");
}

static const struct ts_measure *peak_of(const struct ts_measures *m)
{
	const struct ts_measure *peak = ts_measure_find(m, "memory", "peak_alloc", "peak");

	return peak ? peak : ts_measure_find(m, "memory", "alloc", "peak");
}

/* What a rank itself does in a step: a rank that waits for a slower one spends that time in comm. Means, because they add up. */
static bool work(struct analyzing *a, const struct ts_measures *m, struct ts_span subject)
{
	const struct ts_measure *step = ts_measure_find(m, "timing", "step", "mean");
	const struct ts_measure *comm = ts_measure_find(m, "timing", "comm", "mean");

	if (!comm)
		return ts_measure_unknown(&a->out.measures, a->arena, "ranks", subject, "work", TS_UNIT_SECONDS,
					  "no column phases.comm");
	if (!step || !step->known || !comm->known)
		return take(a, step, subject, "work", TS_UNIT_SECONDS);
	return ts_measure_add(&a->out.measures, a->arena, "ranks", subject, "work", TS_UNIT_SECONDS,
			      step->value - comm->value);
}

static enum ts_status one_rank(struct analyzing *a, const struct ts_index *index, uint64_t warmup, struct ts_error *err)
{
	char *name = ts_arena_printf(a->arena, "rank %" PRId32, index->rank);
	struct ts_measures m = {.n = 0};
	struct ts_plots plots = {.n = 0};
	struct ts_step_set set;
	struct ts_timing t;
	uint64_t cut, n = 0;
	int64_t first;
	bool ok;

	rank_done(a);
	if (!name)
		return ts_arena_error(a->arena, err);
	if (ts_steps_of(index, NULL, &a->work, &set, err) || ts_steps_count(a->fetch, &set, &n, err) ||
	    first_step(a, index, warmup, &first, &cut, err) || time_phases(a, index, first, &t, err) ||
	    ts_timing_finish(&t, NULL, &a->work, &m, NULL, NULL, err) || memory(a, index, first, &m, &plots, &a->work, err))
		return ts_error_prefix(err, "rank %" PRId32, index->rank);
	ok = ts_measure_add(&a->out.measures, a->arena, "ranks", ts_span_str(name), "steps", TS_UNIT_COUNT,
			    (double)n) &&
	     take(a, ts_measure_find(&m, "timing", "step", "median"), ts_span_str(name), "median", TS_UNIT_SECONDS) &&
	     work(a, &m, ts_span_str(name)) &&
	     take(a, peak_of(&m), ts_span_str(name), "peak", TS_UNIT_BYTES);
	return ok ? TS_OK : ts_arena_error(a->arena, err);
}

static enum ts_status all_ranks(struct analyzing *a, uint64_t warmup, struct ts_error *err)
{
	const struct ts_run *run = a->run;
	size_t listed = 0;

	for (size_t i = 0; i < run->head.n_ranks && a->out.run.ranks > 1; i++) {
		if (run->head.ranks[i].rank == TS_RANK_JOB)
			continue;
		if (listed == TS_ANALYZE_RANKS)
			return ts_note_listed(&a->notes, listed, err);
		if (one_rank(a, &run->indexes[i], warmup, err))
			return err->status;
		listed++;
	}
	return TS_OK;
}

/* --- the whole --- */

/* The rank asked for, else the lowest that has steps, else the lowest; NULL if there is none at all. */
static enum ts_status choose_rank(const struct ts_run *run, const struct ts_analyze_options *options,
				  const struct ts_index **ret_index, struct ts_error *err)
{
	const struct ts_index *lowest = NULL;

	if (options->has_rank) {
		const struct ts_index *index = options->rank == TS_RANK_JOB ? NULL : ts_run_rank(run, options->rank);

		if (!index)
			return ts_no_such_rank(run, options->rank, err);
		*ret_index = index;
		return TS_OK;
	}
	for (size_t i = 0; i < run->head.n_ranks; i++) {
		const struct ts_index *index = &run->indexes[i];

		if (index->rank == TS_RANK_JOB)
			continue;
		lowest = lowest ? lowest : index;
		if (ts_rank_has_steps(index)) {
			*ret_index = index;
			return TS_OK;
		}
	}
	*ret_index = lowest;
	return TS_OK;
}

static enum ts_status analyze(struct analyzing *a, const struct ts_analyze_options *options, struct ts_error *err)
{
	static const struct ts_index nothing = {.rank = 0};
	struct ts_description d;
	const struct ts_index *index = NULL;
	int64_t first;

	if (ts_describe(a->fetch, a->run, a->arena, &d, err) || choose_rank(a->run, options, &index, err))
		return err->status;
	index = index ? index : &nothing;
	a->out.run = d.run;
	a->out.rank = index->rank;
	if (first_step(a, index, options->has_warmup ? options->warmup : 0, &first, &a->out.warmup_cut, err) ||
	    ts_note_rank(&a->notes, options, index, err) || ts_note_warmup(&a->notes, options, err) ||
	    ts_note_missing(&a->notes, &d, err) || ts_note_superseded(&a->notes, index, err))
		return err->status;
	if (timing(a, index, first, err) || memory(a, index, first, &a->out.measures, &a->out.plots, a->arena, err) ||
	    convergence(a, index, first, err))
		return ts_error_prefix(err, "rank %" PRId32, index->rank);
	return all_ranks(a, options->has_warmup ? options->warmup : 0, err);
}

enum ts_status ts_analyze_run(struct ts_fetch *f, const struct ts_id *id, const struct ts_analyze_options *options,
			      struct ts_arena *arena, struct ts_analysis *ret_analysis, struct ts_error *err)
{
	struct analyzing a = {.fetch = f, .arena = arena};
	struct ts_run run;
	enum ts_status status;

	a.notes = (struct ts_notes){&a.out, arena};
	if (ts_run_open(f, id, arena, &run, err))
		return err->status;
	a.run = &run;
	ts_arena_init(&a.work, TS_ANALYSIS_ARENA);
	ts_arena_init(&a.keys, TS_ANALYSIS_ARENA);
	ts_arena_init(&a.values, TS_ANALYSIS_ARENA);
	status = analyze(&a, options, err);
	ts_arena_finish(&a.work);
	ts_arena_finish(&a.keys);
	ts_arena_finish(&a.values);
	if (!status)
		*ret_analysis = a.out;
	return status;
}

TS_REPLIER(analyze_reply, ts_analysis);

static enum ts_status answer(struct ts_call *call, const struct ts_analyze_request *request, struct ts_arena *arena,
			     struct ts_error *err)
{
	struct ts_analyze_options options = {request->has_warmup, request->warmup, request->has_rank, request->rank};
	struct ts_resolved run;
	struct ts_fetch fetch;
	struct ts_analysis analysis;
	enum ts_status status;

	if (ts_resolve(call->engine, request->spec, arena, &run, err))
		return err->status;
	ts_fetch_init(&fetch, call);
	status = ts_analyze_run(&fetch, &run.id, &options, arena, &analysis, err);
	ts_fetch_finish(&fetch);
	return status ? status : reply_analyze_reply(call, &analysis, err);
}

enum ts_status ts_handle_analyze(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	struct ts_analyze_request asked;
	struct ts_arena arena;
	enum ts_status status;

	(void)state;
	if (ts_wire_unpack_analyze_request(request, call->arena, &asked, err))
		return err->status;
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	status = answer(call, &asked, &arena, err);
	ts_arena_finish(&arena);
	return status;
}
