#include "service/handlers/analyze/analyze_rank.h"

#include "analysis/rank/coincidence.h"
#include "analysis/rank/convergence.h"
#include "analysis/rank/epochs.h"
#include "analysis/rank/memory.h"
#include "analysis/rank/stamped.h"
#include "analysis/rank/timing.h"
#include "analysis/rank/wall.h"
#include "base/door.h"
#include "base/helper.h"
#include "base/limits.h"
#include "base/order.h"
#include "base/text.h"
#include "run/lost.h"
#include "run/meaning.h"
#include "service/handlers/analyze/analyze_batches.h"
#include "service/handlers/analyze/analyze_checks.h"
#include "service/handlers/analyze/analyze_modes.h"
#include "service/handlers/analyze/analyze_moves.h"
#include "service/handlers/analyze/analyze_ranks.h"
#include "service/handlers/analyze/analyze_skips.h"
#include "service/handlers/analyze/analyze_tags.h"
#include "service/handlers/analyze/phase_clock.h"
#include "service/handlers/core/run_steps.h"

#include <math.h>

static const double OVERLAP_LEAST = 1.01, STAMP_RESOLUTION = 1e-6; /* s */
enum { HELPED_ROWS = 8192 }; /* with fewer, the losses are not worth a thread of their own */

/* What one thread works with. */
struct working {
	struct ts_rank_analysis *a;
	struct ts_fetch *fetch;
	struct ts_arena *arena; /* for results */
	struct ts_analysis *out;
	struct ts_columns columns;
	struct ts_arena work; /* for steps, and sums over steps */
	struct ts_arena hits; /* for those of axes */
	struct ts_arena keys; /* of the table that both parts read most */
	struct ts_coincidence cross;
	int64_t first; /* of this rank, the first step after the declared warm-up: earlier steps are ignored */
};

/* The losses of the rank and the signal of its memory, which a helper may analyze while its times and the rest of its memory are
 * analyzed. */
struct apart {
	struct working w;
	struct ts_fetch fetch;
	struct ts_arena arena;
	struct ts_analysis out;
	struct ts_error err;
};

static bool declared(const struct ts_rank_analysis *a)
{
	return a->request->has_warmup;
}

/* --- timing --- */

struct phase {
	const struct ts_table *table;
	const struct ts_column *column;
};

TS_ORDER(by_display_order, struct phase, TS_THEN(ts_phase_order(ts_phase_name(a->column), ts_phase_name(b->column))))

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
			if (ts_column_is_phase(&table->columns[i]))
				phases[n++] = (struct phase){table, &table->columns[i]};
	}
	TS_SORT(phases, n, by_display_order);
	*ret_phases = phases;
	*ret_n = n;
	return TS_OK;
}

enum ts_status ts_rank_first_step(struct ts_fetch *f, const struct ts_index *index, uint64_t warmup, struct ts_arena *work,
				  int64_t *ret_first, size_t *ret_cut, struct ts_error *err)
{
	struct ts_step_set set;
	int64_t *steps;
	size_t n = 0, cut;

	TS_DOOR(ts_index_holds(index));
	*ret_first = INT64_MIN;
	*ret_cut = 0;
	if (warmup == 0)
		return TS_OK;
	if (ts_steps_of(index, NULL, work, &set, err) || ts_steps_fetch(f, &set, work, &steps, &n, err))
		return err->status;
	cut = warmup < n ? (size_t)warmup : n;
	*ret_cut = cut;
	*ret_first = cut < n ? steps[cut] : INT64_MAX;
	return TS_OK;
}

/* Finds the first step of a rank that is not declared as warm-up. */
static enum ts_status first_step(struct working *w, const struct ts_index *index, int64_t *ret_first, size_t *ret_cut,
				 struct ts_error *err)
{
	struct ts_rank_analysis *a = w->a;

	return ts_rank_first_step(w->fetch, index, declared(a) ? a->request->warmup : 0, &w->work, ret_first, ret_cut, err);
}

typedef enum ts_status ts_timing_take(struct ts_timing *t, const struct ts_series *phase, struct ts_error *err);

static enum ts_status each_phase(struct working *w, const struct phase *phases, size_t n, struct ts_timing *t,
				 ts_timing_take *take, struct ts_error *err)
{
	for (size_t i = 0; i < n; i++) {
		struct ts_series series;

		if (ts_columns_load(&w->columns, phases[i].table, phases[i].column, &series, err) || take(t, &series, err))
			return err->status;
		ts_columns_done(&w->columns);
	}
	return TS_OK;
}

static enum ts_status finish_timing(struct working *w, struct ts_timing *t, struct ts_error *err)
{
	struct ts_rank_analysis *a = w->a;
	const struct ts_table *table;
	const struct ts_column *column = ts_columns_find(a->index, "timestamp", &table);
	struct ts_series stamps = {.n = 0};

	struct ts_timing_tag tags[TS_TIMING_TAGS];

	if (column && ts_columns_load(&w->columns, table, column, &stamps, err))
		return err->status;
	t->tags = tags;
	if (ts_analyze_tags(w->fetch, a->index, &w->work, tags, &t->n_tags, err))
		return err->status;
	if (ts_timing_finish(t, column ? &stamps : NULL, w->arena, &w->out->measures, &w->out->events, &w->out->plots, err))
		return err->status;
	ts_columns_done(&w->columns);
	return TS_OK;
}

/* Returns the number if it is a whole one, else 0. */
static uint64_t whole(const struct ts_work_number *n)
{
	return n->known && n->value == floor(n->value) && n->value < (double)INT32_MAX ? (uint64_t)n->value : 0;
}

/* What timing reads: the phases, or where there are none the differences of timestamps. */
struct times {
	struct phase *phases;
	size_t n_phases;
	struct ts_series stamped;
	const int64_t *steps;
	size_t n;
	bool by_stamps;
	uint64_t coarse; /* rows whose timestamp is that of others beside them */
	bool overlapped; /* by stamps although there are phases, which add up to more */
};

static bool in_one_table(const struct phase *phases, size_t n, const struct ts_table *table)
{
	for (size_t i = 0; i < n; i++)
		if (phases[i].table != table)
			return false;
	return true;
}

static enum ts_status times_of_phases(struct working *w, struct times *ret, struct ts_error *err)
{
	struct ts_rank_analysis *a = w->a;
	struct ts_step_set set;
	int64_t *steps;

	if (list_phases(a->index, &w->work, &ret->phases, &ret->n_phases, err))
		return err->status;
	if (ret->n_phases && in_one_table(ret->phases, ret->n_phases, w->columns.lent_of)) {
		ret->steps = w->columns.lent_keys;
		ret->n = (size_t)w->columns.lent_of->rows;
		return TS_OK;
	}
	if (ts_steps_of(a->index, ts_table_has_phase, &w->work, &set, err) ||
	    ts_steps_fetch(w->fetch, &set, &w->work, &steps, &ret->n, err))
		return err->status;
	ret->steps = steps;
	return TS_OK;
}

static enum ts_status times_of_stamps(struct working *w, struct times *ret, struct ts_error *err)
{
	static const char *const names[] = {"timestamp", "segment"};
	struct ts_series series[2];
	const struct ts_series *at[2];

	if (ts_columns_load_named(&w->columns, w->a->index, names, 2, series, at, err) ||
	    (at[0] && ts_stamped_times(at[0], at[1], &w->work, &ret->stamped, &ret->coarse, err)))
		return err->status;
	ts_columns_done(&w->columns);
	ret->by_stamps = ret->stamped.n > 0;
	return TS_OK;
}

static enum ts_status times_without_phases(struct working *w, struct times *ret, struct ts_error *err)
{
	if (times_of_stamps(w, ret, err))
		return err->status;
	if (!w->a->notes || (ret->by_stamps && ts_note_stamped(w->a->notes, err)))
		return w->a->notes ? err->status : TS_OK;
	return ts_note_coarse(w->a->notes, ret->coarse, ret->by_stamps, err);
}

static bool any_of_device(const struct working *w, const struct times *times)
{
	for (size_t i = 0; i < times->n_phases; i++)
		if (ts_phase_of_device(&w->a->run->head.facts, times->phases[i].column->name))
			return true;
	return false;
}

/* Whether all phases together take longer than the timestamps say that the steps took, by more than a timestamp resolves. */
static enum ts_status sum_exceeds_wall(struct working *w, const struct times *times, bool *ret, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column = ts_columns_find(w->a->index, "timestamp", &table);
	struct ts_series stamps;
	struct ts_wall wall;
	struct ts_timing t;
	double *scratch;

	*ret = false;
	if (!column)
		return TS_OK;
	if (ts_timing_begin(&t, times->steps, times->n, &w->work, err) ||
	    each_phase(w, times->phases, times->n_phases, &t, ts_timing_total, err) ||
	    ts_columns_load(&w->columns, table, column, &stamps, err))
		return err->status;
	scratch = ts_arena_array(&w->work, stamps.n, sizeof *scratch);
	if (!scratch)
		return ts_arena_error(&w->work, err);
	ts_wall_measure(times->steps, t.total, times->n, &stamps, INT64_MIN, scratch, &wall);
	ts_columns_done(&w->columns);
	*ret = !wall.reason && wall.attributed > OVERLAP_LEAST * wall.total + STAMP_RESOLUTION;
	return TS_OK;
}

/* The phases of a device and the waits of the host for it are the same time: where they add up to more than the wall time, that tells
 * how long steps take. */
static enum ts_status times_where_phases_overlap(struct working *w, struct times *times, struct ts_error *err)
{
	if (!any_of_device(w, times))
		return TS_OK;
	if (sum_exceeds_wall(w, times, &times->overlapped, err))
		return err->status;
	if (!times->overlapped)
		return TS_OK;
	if (times_of_stamps(w, times, err))
		return err->status;
	times->overlapped = times->by_stamps;
	return times->overlapped && w->a->notes ? ts_note_overlapped(w->a->notes, err) : TS_OK;
}

/* Gives a phase without the steps whose time is not known. */
static enum ts_status take_timed(struct ts_timing *t, const struct ts_series *phase, struct ts_error *err)
{
	struct ts_series timed = {.name = phase->name};
	int64_t *keys = ts_arena_array(t->arena, phase->n, sizeof *keys);
	double *values = ts_arena_array(t->arena, phase->n, sizeof *values);
	size_t at = 0;

	if (!keys || !values)
		return ts_arena_error(t->arena, err);
	for (size_t i = 0; i < phase->n; i++) {
		while (at < t->n && t->steps[at] < phase->keys[i])
			at++;
		if (at == t->n || t->steps[at] != phase->keys[i])
			continue;
		keys[timed.n] = phase->keys[i];
		values[timed.n++] = phase->values[i];
	}
	timed.keys = keys;
	timed.values = values;
	return ts_timing_phase(t, &timed, err);
}

/* Finds where epochs begin: by the column of epochs, else by their declared length. */
static enum ts_status read_epochs(struct working *w, struct ts_timing *t, struct ts_error *err)
{
	static const char *const names[] = {"epoch", "scalars.epoch"};
	uint64_t length = whole(&w->a->work->steps_per_epoch);
	struct ts_series series[2];
	const struct ts_series *at[2];
	int64_t *epochs = NULL;

	if (ts_columns_load_named(&w->columns, w->a->index, names, 2, series, at, err))
		return err->status;
	at[0] = at[0] ? at[0] : at[1];
	if (at[0] && ts_epochs_of_column(at[0], &w->work, &epochs, &t->n_epochs, err))
		return err->status;
	ts_columns_done(&w->columns);
	if (!epochs && length >= 2 && ts_epochs_of_length(t->steps, t->n, length, &w->work, &epochs, &t->n_epochs, err))
		return err->status;
	t->epochs = epochs;
	return TS_OK;
}

static enum ts_status read_waits(struct working *w, struct ts_timing *t, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column = ts_columns_find(w->a->index, "regions.cpu_wait", &table);
	struct ts_series waits;

	if (!column)
		return TS_OK;
	if (ts_columns_load(&w->columns, table, column, &waits, err) || ts_timing_waits(t, &waits, err))
		return err->status;
	ts_columns_done(&w->columns);
	return TS_OK;
}

static enum ts_status read_times(struct working *w, const struct times *in, struct ts_timing *t, struct ts_error *err)
{
	const struct ts_work *work = w->a->work;
	const int64_t *steps = in->by_stamps ? in->stamped.keys : in->steps;
	size_t n = in->by_stamps ? in->stamped.n : in->n, cut = 0;

	while (cut < n && steps[cut] < w->first)
		cut++;
	if (ts_timing_begin(t, steps, n, &w->work, err))
		return err->status;
	t->stamped = in->by_stamps;
	t->overlapped = in->overlapped;
	t->accumulation = whole(&work->accumulation);
	t->loader_workers = whole(&work->loader_workers);
	if (read_epochs(w, t, err) || (in->by_stamps && ts_timing_total(t, &in->stamped, err)))
		return err->status;
	if ((!in->overlapped && each_phase(w, in->phases, in->n_phases, t, ts_timing_total, err)) ||
	    ts_timing_cut(t, declared(w->a), cut, err))
		return err->status;
	return each_phase(w, in->phases, in->n_phases, t, in->overlapped ? take_timed : ts_timing_phase, err);
}

static enum ts_status timing(struct working *w, struct ts_error *err)
{
	struct ts_rank_analysis *a = w->a;
	struct times times = {.n = 0};
	struct ts_timing t;

	if (times_of_phases(w, &times, err) || (times.n == 0 && times_without_phases(w, &times, err)) ||
	    times_where_phases_overlap(w, &times, err) || read_times(w, &times, &t, err) || read_waits(w, &t, err) ||
	    finish_timing(w, &t, err))
		return err->status;
	if (!declared(a))
		w->out->warmup_cut = t.warmup_cut;
	/* Where no step has a time, none is known to warm up. */
	a->first_timed = declared(a) || !times.n ? w->first : t.first;
	return ts_coincidence_fitted(&w->cross, ts_span_str("step_time"), t.fit, err);
}

/* --- memory --- */

static enum ts_status memory(struct working *w, struct ts_error *err)
{
	static const char *const names[] = {"memory.alloc", "memory.reserved", "memory.peak_alloc", "memory.peak_reserved"};
	struct ts_rank_analysis *a = w->a;
	double capacity = a->work->device_bytes.known ? a->work->device_bytes.value : 0;
	struct ts_series series[4];
	const struct ts_series *at[4];

	if (ts_columns_load_named(&w->columns, a->index, names, 4, series, at, err) ||
	    ts_memory_summary(at[0], at[1], at[2], at[3], w->first, a->first_timed, capacity, w->arena,
			      &w->out->measures, &w->out->plots, err))
		return err->status;
	ts_columns_done(&w->columns);
	return TS_OK;
}

/* Needs nothing of the times, unlike the rest of memory. */
static enum ts_status memory_axis(struct working *w, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column = ts_columns_find(w->a->index, "memory.alloc", &table);
	const struct ts_spikes_fit *fit;
	struct ts_series series;

	if (!column)
		return TS_OK;
	if (ts_columns_load(&w->columns, table, column, &series, err) || ts_spikes_fit(&series, &w->work, &fit, err) ||
	    ts_coincidence_fitted(&w->cross, ts_span_str("memory"), fit, err))
		return err->status;
	ts_columns_done(&w->columns);
	ts_arena_finish(&w->work);
	return TS_OK;
}

/* --- losses --- */

static bool is_learning_rate(struct ts_span name)
{
	return ts_span_is(name, "scalars.lr") || ts_span_is(name, "scalars.learning_rate");
}

static bool is_grad_norm(struct ts_span name)
{
	return ts_span_is(name, "scalars.grad_norm");
}

static bool is_loss(struct ts_span name)
{
	return ts_span_starts(name, ts_span_str("scalars.")) && ts_column_ends_as_loss(name);
}

/* What stands for the loss, the gradient norm and the learning rate of a rank that has none of that name. */
struct stand_ins {
	bool objectives;	      /* whatever is minimized */
	const struct ts_column *norm; /* the only one; NULL: there are several, or none */
	const struct ts_column *rate;
};

static bool is_number(const struct ts_column *column)
{
	return column->type == TS_COLUMN_F64 && ts_span_starts(column->name, ts_span_str("scalars."));
}

static struct stand_ins stand_ins_of(const struct ts_index *index)
{
	struct stand_ins out = {.objectives = true};
	size_t norms = 0, rates = 0;

	for (size_t t = 0; t < index->n_tables; t++)
		for (size_t i = 0; index->tables[t].kind == TS_TABLE_STEPS && i < index->tables[t].n_columns; i++) {
			const struct ts_column *column = &index->tables[t].columns[i];
			enum ts_meaning meaning = is_number(column) ? ts_column_meaning(column->name) : TS_MEANS_NOTHING;

			out.objectives &= meaning != TS_MEANS_LOSS;
			if (meaning == TS_MEANS_GRAD_NORM)
				out.norm = norms++ ? NULL : column;
			if (meaning == TS_MEANS_RATE)
				out.rate = rates++ ? NULL : column;
		}
	return out;
}

static bool is_loss_like(const struct stand_ins *s, const struct ts_column *column)
{
	struct ts_span name = column->name;

	return is_number(column) &&
	       (is_loss(name) || is_grad_norm(name) || is_learning_rate(name) || column == s->norm || column == s->rate ||
		(s->objectives && ts_column_meaning(name) == TS_MEANS_OBJECTIVE));
}

static struct ts_span without_section(struct ts_span name)
{
	size_t skip = strlen("scalars.");

	return ts_span_of(name.data + skip, name.len - skip);
}

static bool is_axis(struct ts_span name)
{
	return ts_span_is(name, "scalars.loss") || is_grad_norm(name) || is_learning_rate(name);
}

/* An axis has the steps of a declared warm-up, too; without one it is what spikes were fitted to. */
static enum ts_status axis_of(struct working *w, struct ts_span name, const struct ts_series *series, const struct ts_spikes_fit *fit,
			      struct ts_error *err)
{
	if (ts_spikes_series(fit)->n == series->n)
		return ts_coincidence_fitted(&w->cross, name, fit, err);
	return ts_coincidence_axis(&w->cross, name, series->keys, series->values, series->n, err);
}

/* Makes NaN of losses of 0 that are none (lost.h), in a copy. */
static enum ts_status without_lost(struct working *w, const struct ts_table *table, const struct ts_column *column,
				   struct ts_series *io_loss, struct ts_error *err)
{
	const struct ts_column *of_norm = ts_lost_norm(table, column->name);
	struct ts_series norm;
	double *values;

	if (!of_norm)
		return TS_OK;
	if (ts_columns_load(&w->columns, table, of_norm, &norm, err))
		return err->status;
	if (norm.n != io_loss->n)
		return TS_OK;
	values = ts_arena_dup(&w->columns.values, io_loss->values, io_loss->n * sizeof *values);
	if (!values)
		return ts_arena_error(&w->columns.values, err);
	ts_lost_take(values, norm.values, norm.n);
	io_loss->values = values;
	return TS_OK;
}

static bool has_zero(const struct ts_series *series)
{
	for (size_t i = 0; i < series->n; i++)
		if (series->values[i] == 0.0)
			return true;
	return false;
}

static enum ts_status one_scalar(struct working *w, const struct ts_table *table, const struct ts_column *column,
				 int64_t first, struct ts_error *err)
{
	const struct ts_spikes_fit *fit;
	struct ts_series series;

	if (ts_columns_load(&w->columns, table, column, &series, err) ||
	    (has_zero(&series) && without_lost(w, table, column, &series, err)) ||
	    ts_convergence_summary(&series, first, w->arena, &w->out->measures, &w->out->events, &w->out->plots, &fit, err))
		return err->status;
	if (is_axis(column->name) && axis_of(w, without_section(column->name), &series, fit, err))
		return err->status;
	ts_columns_done(&w->columns);
	return TS_OK;
}

static bool rank_has(const struct ts_index *index, const struct ts_column *column)
{
	const struct ts_table *table;

	return ts_index_column(index, TS_TABLE_STEPS, column->name, TS_COLUMN_F64, &table);
}

/* Returns whether the analyzed rank, or a rank before run->indexes[i], has the column: then it was analyzed there. */
static bool seen_before(const struct ts_rank_analysis *a, size_t i, const struct ts_column *column)
{
	if (rank_has(a->index, column))
		return true;
	for (size_t k = 0; k < i; k++)
		if (rank_has(&a->run->indexes[k], column))
			return true;
	return false;
}

/* Analyzes the loss first, then the other scalars in the order of the index. */
static enum ts_status scalars_of(struct working *w, const struct ts_index *index, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *loss = ts_columns_find(index, "scalars.loss", &table);
	struct stand_ins s = stand_ins_of(index);

	if (loss && one_scalar(w, table, loss, w->first, err))
		return err->status;
	for (size_t t = 0; t < index->n_tables; t++) {
		table = &index->tables[t];
		for (size_t i = 0; table->kind == TS_TABLE_STEPS && i < table->n_columns; i++)
			if (&table->columns[i] != loss && is_loss_like(&s, &table->columns[i]) &&
			    one_scalar(w, table, &table->columns[i], w->first, err))
				return err->status;
	}
	return TS_OK;
}

/* Analyzes scalars that only other ranks have: with pipeline parallelism the ranks of the last stage log the loss. For
 * each, the lowest rank that has it is taken. */
static enum ts_status scalars_elsewhere(struct working *w, struct ts_error *err)
{
	struct ts_rank_analysis *a = w->a;

	for (size_t r = 0; r < a->run->head.n_ranks; r++) {
		const struct ts_index *index = &a->run->indexes[r];
		struct stand_ins s;
		int64_t first;
		size_t cut;

		if (index == a->index || index->rank == TS_RANK_JOB)
			continue;
		if (first_step(w, index, &first, &cut, err))
			return err->status;
		s = stand_ins_of(index);
		for (size_t t = 0; t < index->n_tables; t++) {
			const struct ts_table *table = &index->tables[t];

			for (size_t i = 0; table->kind == TS_TABLE_STEPS && i < table->n_columns; i++) {
				const struct ts_column *column = &table->columns[i];

				if (!is_loss_like(&s, column) || seen_before(a, r, column))
					continue;
				ts_columns_leave(&w->columns);
				if (one_scalar(w, table, column, first, err) ||
				    ts_note_elsewhere(a->notes, without_section(column->name), index->rank, err))
					return err->status;
			}
		}
	}
	ts_columns_leave(&w->columns);
	return TS_OK;
}

static bool has_objective(const struct ts_measures *measures)
{
	for (size_t i = 0; i < measures->n; i++)
		if (ts_measure_is(&measures->items[i], TS_M_SERIES_COUNT) &&
		    ts_column_meaning(measures->items[i].subject) == TS_MEANS_OBJECTIVE)
			return true;
	return false;
}

/* Adds what other ranks alone recorded to the losses of the rank. */
static enum ts_status losses_elsewhere(struct working *w, struct ts_error *err)
{
	struct ts_rank_analysis *a = w->a;
	struct ts_span loss = ts_span_str("loss");

	a->from.measures = a->out->measures.n;
	a->from.events = a->out->events.n;
	if (a->notes && scalars_elsewhere(w, err))
		return err->status;
	a->to.measures = a->out->measures.n;
	a->to.events = a->out->events.n;
	if (ts_measure_find(&a->out->measures, TS_M_SERIES_COUNT, loss) || has_objective(&a->out->measures))
		return TS_OK;
	return ts_measure_unknown(&a->out->measures, a->arena, TS_M_SERIES_LAST, loss, "the run has no column scalars.loss")
		       ? TS_OK
		       : ts_arena_error(a->arena, err);
}

/* --- the parts --- */

static void begin_working(struct working *w, struct ts_rank_analysis *a, struct ts_fetch *fetch, struct ts_arena *arena,
			  struct ts_analysis *out)
{
	*w = (struct working){.a = a, .fetch = fetch, .arena = arena, .out = out};
	ts_columns_init(&w->columns, fetch);
	ts_arena_init(&w->work, TS_ANALYSIS_ARENA);
	ts_arena_init(&w->hits, TS_ANALYSIS_ARENA);
	ts_arena_init(&w->keys, TS_ANALYSIS_ARENA);
	ts_coincidence_begin(&w->cross, &w->hits);
}

static void finish_working(struct working *w)
{
	ts_columns_finish(&w->columns);
	ts_arena_finish(&w->work);
	ts_arena_finish(&w->hits);
	ts_arena_finish(&w->keys);
}

static void losses_apart(void *ctx)
{
	struct apart *p = ctx;

	struct working *w = &p->w;

	if (!memory_axis(w, &p->err) && !scalars_of(w, w->a->index, &p->err) &&
	    !ts_analyze_skips(&w->columns, w->a->index, w->first, w->arena, &w->out->measures, &p->err))
		(void)ts_analyze_moves(&w->columns, w->a->index, &w->a->run->head.facts, w->first, w->arena, &w->out->measures,
				       &p->err);
	ts_columns_leave(&p->w.columns);
}

static enum ts_status times_and_memory(struct working *w, struct ts_error *err)
{
	if (timing(w, err))
		return err->status;
	ts_arena_finish(&w->work); /* many columns, which are not needed beside those of memory */
	return memory(w, err);
}

/* Appends the answer of a part, whose arena the result takes over. */
static enum ts_status join(struct working *w, struct apart *p, struct ts_error *err)
{
	struct ts_analysis *out = w->out;
	bool ok = ts_arena_adopt(w->arena, &p->arena);

	for (size_t i = 0; ok && i < p->out.measures.n; i++)
		ok = ts_measure_put(&out->measures, w->arena, &p->out.measures.items[i]);
	for (size_t i = 0; ok && i < p->out.events.n; i++)
		ok = ts_event_add(&out->events, w->arena, &p->out.events.items[i]);
	for (size_t i = 0; ok && i < p->out.plots.n; i++)
		ok = ts_plot_append(&out->plots, w->arena, &p->out.plots.items[i]);
	return ok ? ts_coincidence_join(&w->cross, &p->w.cross, err) : ts_arena_error(w->arena, err);
}

static const struct ts_table *longest(const struct ts_index *index)
{
	const struct ts_table *longest = NULL;

	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		if (table->kind == TS_TABLE_STEPS && table->n_columns && (!longest || table->rows > longest->rows))
			longest = table;
	}
	return longest;
}

/* Has both parts read the keys of the table only once. If that fails, they fail by themselves, and say at which column. */
static void share_keys(struct working *w, struct working *other, const struct ts_table *table)
{
	struct ts_error ignored;
	int64_t *keys;

	if (ts_fetch_keys(w->fetch, table, &w->keys, &keys, &ignored))
		return;
	ts_columns_lend(&w->columns, table, keys);
	ts_columns_lend(&other->columns, table, keys);
}

static enum ts_status both_parts(struct working *w, struct apart *p, struct ts_error *err)
{
	const struct ts_table *table = longest(w->a->index);
	bool is_long = table && table->rows >= HELPED_ROWS;
	struct ts_helper *helper = is_long ? ts_helper_hire() : NULL;
	enum ts_status status;

	if (is_long)
		share_keys(w, &p->w, table);
	ts_helper_give(helper, losses_apart, p);
	status = times_and_memory(w, err);
	ts_helper_wait(helper);
	ts_helper_dismiss(helper);
	if (status)
		return status;
	if (p->err.status) {
		*err = p->err;
		return err->status;
	}
	return join(w, p, err);
}

static enum ts_status analyze(struct working *w, struct apart *p, struct ts_error *err)
{
	struct ts_rank_analysis *a = w->a;
	size_t cut;

	if (first_step(w, a->index, &w->first, &cut, err))
		return err->status;
	a->out->warmup_cut = cut;
	p->w.first = w->first;
	if (both_parts(w, p, err) || ts_analyze_batches(a, w->fetch, err) || ts_analyze_checks(a, w->fetch, err) ||
	    ts_analyze_modes(a, err) ||
	    losses_elsewhere(w, err))
		return err->status;
	return ts_coincidence_finish(&w->cross, a->arena, &a->out->measures, &a->out->events, err);
}

enum ts_status ts_analyze_rank(struct ts_rank_analysis *a, struct ts_error *err)
{
	struct apart p = {.err.status = TS_OK};
	struct working w;
	enum ts_status status;

	begin_working(&w, a, a->fetch, a->arena, a->out);
	ts_fetch_init(&p.fetch, a->fetch->call);
	ts_arena_init(&p.arena, a->arena->ceiling);
	begin_working(&p.w, a, &p.fetch, &p.arena, &p.out);
	status = analyze(&w, &p, err);
	finish_working(&w);
	finish_working(&p.w);
	ts_arena_finish(&p.arena);
	ts_fetch_finish(&p.fetch);
	return status ? ts_error_prefix(err, "rank %d", a->index->rank) : TS_OK;
}

enum ts_status ts_analyze_own_rows(const struct ts_rank_analysis *a, struct ts_arena *arena, struct ts_rank_rows *ret_rows,
				   struct ts_error *err)
{
	const struct ts_measures *m = &a->out->measures;
	const struct ts_events *e = &a->out->events;
	struct ts_rank_rows rows = {.rank = a->index->rank};

	if (!ts_rank_rows_measures(&rows, arena, m, 0, a->from.measures) ||
	    !ts_rank_rows_measures(&rows, arena, m, a->to.measures, m->n) ||
	    !ts_rank_rows_events(&rows, arena, e, 0, a->from.events) ||
	    !ts_rank_rows_events(&rows, arena, e, a->to.events, e->n))
		return ts_arena_error(arena, err);
	*ret_rows = rows;
	return TS_OK;
}
