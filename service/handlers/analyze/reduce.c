#include "service/handlers/analyze/reduce.h"

#include "analysis/rank/timing.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/order.h"
#include "service/handlers/analyze/analyze_columns.h"
#include "service/handlers/analyze/analyze_ranks.h"
#include "service/handlers/analyze/reduce_cache.h"
#include "service/handlers/analyze/reduce_loss.h"
#include "service/handlers/analyze/reduce_rows.h"
#include "service/handlers/analyze/whole_time.h"
#include "service/handlers/core/cost.h"

struct reducing {
	struct ts_fetch *fetch;
	const struct ts_run *run;
	const struct ts_gate_policy *policy;
	struct ts_arena *arena; /* for everything temporary */
	struct ts_arena kept;	/* except for what is kept of each rank */
	struct ts_work work;
	struct ts_reducer reducer;
	struct ts_reduce_ends ends;
};

/* --- phases of the steps that count --- */

/* Names of phases, sorted; when there are too many, the rest share one name. */
struct names {
	struct ts_span *items;
	size_t n;
	bool more; /* the last name stands for all others */
};

TS_ORDER(by_display_order, struct ts_span, TS_THEN(ts_phase_order(*a, *b)))

static enum ts_status list_names(const struct ts_ranks_in *in, struct ts_arena *arena, struct names *ret, struct ts_error *err)
{
	struct names out = {.n = 0};
	size_t all = 0, kept = 0;

	for (size_t i = 0; i < in->n; i++)
		for (size_t t = 0; t < in->indexes[i]->n_tables; t++)
			all += in->indexes[i]->tables[t].n_columns;
	out.items = ts_arena_array(arena, all, sizeof *out.items);
	if (!out.items)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < in->n; i++)
		for (size_t t = 0; t < in->indexes[i]->n_tables; t++) {
			const struct ts_table *table = &in->indexes[i]->tables[t];

			for (size_t c = 0; table->kind == TS_TABLE_STEPS && c < table->n_columns; c++)
				if (ts_column_is_phase(&table->columns[c]))
					out.items[out.n++] = ts_phase_name(&table->columns[c]);
		}
	TS_SORT(out.items, out.n, by_display_order);
	for (size_t i = 0; i < out.n; i++)
		if (kept == 0 || !ts_span_eq(out.items[kept - 1], out.items[i]))
			out.items[kept++] = out.items[i];
	out.n = kept;
	if (out.n >= TS_REDUCE_PARTS_MAX) {
		out.n = TS_REDUCE_PARTS_MAX - 1;
		out.items[out.n - 1] = ts_span_str("all other phases");
		out.more = true;
	}
	*ret = out;
	return TS_OK;
}

static int slot_of_name(const void *ctx, const struct ts_column *column)
{
	const struct names *names = ctx;
	struct ts_span name;

	if (!ts_column_is_phase(column))
		return -1;
	name = ts_phase_name(column);
	for (size_t i = 0; i < names->n; i++)
		if (ts_span_eq(names->items[i], name))
			return (int)i;
	return names->more ? (int)names->n - 1 : -1;
}

static enum ts_status take_window(void *ctx, const int64_t *steps, size_t n, double **values, struct ts_error *err)
{
	const struct ts_reduce_window window = {.steps = steps, .n = n, .seconds = (const double *const *)values};

	return ts_reducer_window(ctx, &window, err);
}

static enum ts_status read_phases(struct reducing *r, struct ts_error *err)
{
	struct ts_rank_slots slots = {.of = slot_of_name};
	struct ts_ranks_in in;
	struct names names;
	int32_t *ranks;

	if (ts_rank_steps(r->fetch, r->run, ts_table_has_phase, INT64_MIN, r->arena, &in, err))
		return err->status;
	if (in.n == 0)
		return TS_OK;
	in.n_steps = ts_steps_intersect(in.steps, in.n_steps, r->reducer.steps, r->reducer.n_steps);
	ranks = ts_arena_array(r->arena, in.n, sizeof *ranks);
	if (!ranks)
		return ts_arena_error(r->arena, err);
	for (size_t i = 0; i < in.n; i++)
		ranks[i] = in.indexes[i]->rank;
	if (list_names(&in, r->arena, &names, err))
		return err->status;
	slots.n = names.n;
	slots.ctx = &names;
	if (ts_reducer_ranks(&r->reducer, ranks, in.n, names.items, names.n, in.n_steps, &r->kept, err))
		return err->status;
	return ts_rank_windows(&in, &slots, take_window, &r->reducer, err);
}

/* --- memory --- */

static void take_peak(struct ts_reduce_ends *ends, const struct ts_series *series)
{
	for (size_t i = 0; i < series->n; i++) {
		double v = series->values[i];

		if (!isfinite(v) || v < 0 || (ends->has_peak && v <= ends->peak_bytes))
			continue;
		ends->has_peak = true;
		ends->peak_bytes = v;
	}
}

/* Takes the peak within steps where it was recorded, otherwise the memory recorded between steps. */
static enum ts_status read_peak(struct reducing *r, struct ts_columns *columns, struct ts_error *err)
{
	r->ends.no_peak = "the run has no column memory.peak_alloc or memory.alloc";
	for (size_t i = 0; i < r->run->head.n_ranks; i++) {
		const struct ts_index *index = &r->run->indexes[i];
		const struct ts_table *table;
		const struct ts_column *column = ts_columns_find(index, "memory.peak_alloc", &table);
		struct ts_series series;

		column = column ? column : ts_columns_find(index, "memory.alloc", &table);
		if (!column)
			continue;
		r->ends.no_peak = "the memory columns of the run hold no number of bytes";
		ts_columns_leave(columns);
		if (ts_columns_load(columns, table, column, &series, err))
			return ts_error_prefix(err, "rank %" PRId32, index->rank);
		take_peak(&r->ends, &series);
	}
	return TS_OK;
}

static enum ts_status read_ends(struct reducing *r, struct ts_error *err)
{
	struct ts_columns columns;
	enum ts_status status;

	for (size_t i = 0; i < r->run->head.n_ranks; i++)
		r->ends.devices += r->run->head.ranks[i].rank != TS_RANK_JOB;
	ts_columns_init(&columns, r->fetch);
	status = read_peak(r, &columns, err);
	ts_columns_finish(&columns);
	return status ? status : ts_reduce_read_loss(r->fetch, r->run, r->arena, &r->ends, err);
}

/* --- the workload --- */

/* Adds a device of another rank as a fact of the job: hardware.ranks[3].gpus[0].name. */
static enum ts_status add_device(const struct ts_fact *fact, int32_t rank, struct ts_arena *arena, struct ts_facts *io,
				 struct ts_error *err)
{
	struct ts_span rest = ts_span_of(fact->path.data + strlen("hardware."), fact->path.len - strlen("hardware."));
	struct ts_fact copy = *fact;
	char *path = ts_arena_printf(arena, "hardware.ranks[%" PRId32 "].%.*s", rank, TS_SPAN_ARG(rest));

	if (!path)
		return ts_arena_error(arena, err);
	copy.path = ts_span_str(path);
	return ts_facts_add(io, &copy, arena, err);
}

static bool is_device(struct ts_span path)
{
	struct ts_span gpus = ts_span_str("hardware.gpus["), end = ts_span_str("].name");

	if (ts_span_is(path, "hardware.gpu") || ts_span_is(path, "hardware.gpu_count"))
		return true;
	if (!ts_span_starts(path, gpus))
		return false;
	return (path.len > end.len && memcmp(path.data + path.len - end.len, end.data, end.len) == 0) ||
	       (path.len > 8 && memcmp(path.data + path.len - 8, "].memory", 8) == 0);
}

enum ts_status ts_reduce_facts(const struct ts_run *run, struct ts_arena *arena, struct ts_facts *ret_facts, struct ts_error *err)
{
	struct ts_facts facts = {.n = 0};

	for (size_t i = 0; i < run->head.facts.n; i++)
		if (ts_facts_add(&facts, &run->head.facts.items[i], arena, err))
			return err->status;
	for (size_t k = 0; k < run->head.n_ranks; k++)
		for (size_t i = 0; i < run->indexes[k].facts.n; i++) {
			const struct ts_fact *fact = &run->indexes[k].facts.items[i];

			if (fact->type != TS_FACT_ABSENT && is_device(fact->path) &&
			    add_device(fact, run->indexes[k].rank, arena, &facts, err))
				return err->status;
		}
	(void)ts_facts_sort(&facts);
	*ret_facts = facts;
	return TS_OK;
}

static enum ts_status read_facts(struct reducing *r, struct ts_workload *ret_workload, struct ts_error *err)
{
	struct ts_facts facts;
	const struct ts_fact *collected;

	if (ts_reduce_facts(r->run, r->arena, &facts, err))
		return err->status;
	ts_work_of_facts(&facts, &r->work);
	if (ts_workload_of(&facts, r->policy->ignore, r->arena, ret_workload, err))
		return err->status;
	collected = ts_facts_find(&facts, ts_span_str("session.collected_at"));
	if (ret_workload->started_ns == 0 && collected && collected->type == TS_FACT_TEXT)
		(void)ts_time_parse(collected->text, &ret_workload->started_ns);
	return TS_OK;
}

/* --- the reduction --- */

static enum ts_status reduce(struct reducing *r, struct ts_gate_run *out, struct ts_error *err)
{
	struct ts_job_rows rows;

	if (read_facts(r, &out->workload, err) ||
	    ts_reducer_begin(&r->reducer, &r->policy->reduce, &r->work, r->arena, err) ||
	    ts_job_rows_read(r->fetch, r->run, &r->policy->reduce, r->arena, &rows, err))
		return err->status;
	r->ends.no_time = rows.no_time;
	if (ts_reducer_rows(&r->reducer, &rows.rows, err) || read_phases(r, err) || read_ends(r, err))
		return err->status;
	return ts_reducer_finish(&r->reducer, &r->ends, &out->reduction, err);
}

static bool has_timestamp(const struct ts_table *table)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (ts_span_is(table->columns[i].name, "timestamp") && table->columns[i].type == TS_COLUMN_F64)
			return table->kind == TS_TABLE_STEPS;
	return false;
}

static bool has_phase(const struct ts_table *table)
{
	return table->kind == TS_TABLE_STEPS && ts_table_has_phase(table);
}

/* The steps of a rank, and of one rank alone the ends or times of as many, lie in memory at once; more ranks may have few steps in
 * common. */
enum ts_status ts_reduce_expect(const struct ts_run *run, struct ts_error *err)
{
	uint64_t rows = ts_cost_rows(run, has_timestamp);

	if (rows == 0)
		rows = ts_cost_rows(run, has_phase);
	return ts_cost_check("reduce", rows, run->head.n_ranks == 1 ? 2 : 1, err);
}

static enum ts_status reduce_anew(struct ts_fetch *f, const struct ts_id *id, const struct ts_gate_policy *policy,
				  struct ts_arena *arena, struct ts_gate_run *ret_run, struct ts_error *err)
{
	struct ts_gate_run out = {.role = TS_GATE_CANDIDATE, .id = *id};
	struct ts_arena work;
	struct ts_run run;
	struct reducing r = {.fetch = f, .run = &run, .policy = policy, .arena = &work};
	enum ts_status status;

	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	ts_arena_init(&r.kept, TS_ANALYSIS_ARENA);
	status = ts_run_open(f, id, &work, &run, err);
	if (!status) {
		ts_whole_time_take(&run);
		status = ts_reduce_expect(&run, err);
	}
	if (!status)
		status = reduce(&r, &out, err);
	if (!status)
		status = ts_reduce_keep(f->call->engine, &out, policy, arena, ret_run, err);
	ts_arena_finish(&work);
	ts_arena_finish(&r.kept);
	return status;
}

enum ts_status ts_reduce_run(struct ts_fetch *f, const struct ts_id *id, const struct ts_gate_policy *policy, struct ts_arena *arena,
			     struct ts_gate_run *ret_run, struct ts_error *err)
{
	struct ts_gate_run out;

	if (!ts_reduce_cached(f->call->engine, id, policy, arena, &out) && reduce_anew(f, id, policy, arena, &out, err))
		return err->status;
	ret_run->workload = out.workload;
	ret_run->reduction = out.reduction;
	return TS_OK;
}
