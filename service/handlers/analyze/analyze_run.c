#include "service/handlers/analyze/analyze_run.h"

#include "analysis/policy.h"
#include "analysis/rank/efficiency.h"
#include "analysis/rank/logged.h"
#include "analysis/rank/memory.h"
#include "analysis/rank/setup.h"
#include "analysis/rank/work.h"
#include "analysis/rules/rule.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "service/handlers/analyze/analyze_attempts.h"
#include "service/handlers/analyze/analyze_bound.h"
#include "service/handlers/analyze/analyze_cache.h"
#include "service/handlers/analyze/analyze_gaps.h"
#include "service/handlers/core/run_happenings.h"
#include "service/handlers/analyze/analyze_layers.h"
#include "service/handlers/analyze/analyze_machine_rows.h"
#include "service/handlers/analyze/analyze_pipeline.h"
#include "service/handlers/analyze/analyze_rank.h"
#include "service/handlers/analyze/analyze_ranks.h"
#include "service/handlers/analyze/analyze_replicas.h"
#include "service/handlers/analyze/analyze_snapshot_rows.h"
#include "service/handlers/analyze/whole_time.h"
#include "service/handlers/core/cost.h"
#include "service/handlers/core/fit.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/resolve.h"
#include "service/handlers/core/run_ending.h"

enum { WARMUP_MOST = 1 << 30 }; /* steps; a run that declares more declares nothing */

struct analyzing {
	struct ts_fetch *fetch;
	const struct ts_run *run;
	const struct ts_index *index; /* of the analyzed rank */
	const struct ts_analyze_request *request; /* what was asked, or `declared` */
	struct ts_analyze_request declared; /* the same with the warm-up that the run declares */
	struct ts_arena *arena; /* for the result */
	struct ts_analysis *out;
	struct ts_notes notes;
	struct ts_description about;
	struct ts_facts facts; /* of the analyzed rank */
	struct ts_work work;
	struct ts_traces traces, snapshots;
	int64_t first_in_view; /* the first step whose time counts, of the analyzed rank */
	int64_t *first_timed;  /* of each rank of the run, in the order of its indexes */
};

/* Chooses the requested rank, else the lowest rank that has steps, else the lowest rank; without any rank, an empty one. */
static enum ts_status choose_rank(struct analyzing *a, struct ts_error *err)
{
	static const struct ts_index nothing = {.rank = 0};
	const struct ts_run *run = a->run;
	const struct ts_index *lowest = NULL;

	if (a->request->has_rank) {
		a->index = a->request->rank == TS_RANK_JOB ? NULL : ts_run_rank(run, a->request->rank);
		return a->index ? TS_OK : ts_no_such_rank(run, a->request->rank, err);
	}
	for (size_t i = 0; i < run->head.n_ranks; i++) {
		const struct ts_index *index = &run->indexes[i];

		if (index->rank == TS_RANK_JOB)
			continue;
		lowest = lowest ? lowest : index;
		if (ts_rank_has_steps(index)) {
			a->index = index;
			return TS_OK;
		}
	}
	a->index = lowest ? lowest : &nothing;
	return TS_OK;
}

/* --- work per step, from facts and columns --- */

/* Adds the values of a rank's column over the steps that count. */
static enum ts_status sum_column(struct analyzing *a, struct ts_columns *columns, size_t rank, const char *name,
				 struct ts_work_number *io, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column = ts_columns_find(&a->run->indexes[rank], name, &table);
	struct ts_series series;

	if (!column)
		return TS_OK;
	if (ts_columns_load(columns, table, column, &series, err))
		return err->status;
	for (size_t i = 0; i < series.n; i++)
		if (series.keys[i] >= a->first_timed[rank])
			io->value += series.values[i];
	ts_columns_done(columns);
	io->known = io->said = true;
	io->source = "column";
	return TS_OK;
}

static void check_total(struct ts_work_number *io, const char *none)
{
	if (!io->known)
		io->reason = none;
	else if (!(io->value > 0) || isinf(io->value)) {
		io->known = false;
		io->reason = "the sum of its values is not a number above 0";
	}
}

static enum ts_status count_work(struct analyzing *a, struct ts_error *err)
{
	struct ts_work_number tokens = {.value = 0}, samples = {.value = 0};
	struct ts_columns columns;
	enum ts_status status = TS_OK;

	ts_columns_init(&columns, a->fetch);
	for (size_t i = 0; !status && i < a->run->head.n_ranks; i++) {
		if (a->run->indexes[i].rank == TS_RANK_JOB)
			continue;
		ts_columns_leave(&columns);
		status = sum_column(a, &columns, i, "tokens", &tokens, err);
		if (!status)
			status = sum_column(a, &columns, i, "samples", &samples, err);
	}
	ts_columns_finish(&columns);
	check_total(&tokens, "the run has no column tokens");
	check_total(&samples, "the run has no column samples");
	a->work.tokens = tokens;
	a->work.samples = samples;
	return status;
}

static enum ts_status read_work(struct analyzing *a, struct ts_error *err)
{
	const struct ts_analyze_request *r = a->request;

	if (ts_run_facts(a->run, a->index, a->arena, &a->facts, err))
		return err->status;
	ts_work_of_facts(&a->facts, &a->work);
	if (r->has_flops_per_step)
		ts_work_override(&a->work.flops_per_step, r->flops_per_step);
	if (r->has_peak_flops_per_s)
		ts_work_override(&a->work.peak_flops, r->peak_flops_per_s);
	if (r->has_microbatches)
		ts_work_override(&a->work.microbatches, r->microbatches);
	if (ts_note_device_memory(&a->notes, r, &a->work.device_bytes, err))
		return err->status;
	if (r->has_device_bytes)
		ts_work_override(&a->work.device_bytes, r->device_bytes);
	if (r->dtype.len) {
		a->work.dtype.text = r->dtype;
		a->work.dtype.source = "command line";
	}
	a->work.rank = a->index->rank;
	a->work.n_ranks = a->out->run.ranks;
	return TS_OK;
}

/* Takes what the columns of a rank say of the use of the hardware. */
static enum ts_status logged_by(struct analyzing *a, size_t rank, struct ts_columns *columns, struct ts_arena *work,
				struct ts_logged_use *io, struct ts_error *err)
{
	const struct ts_index *index = &a->run->indexes[rank];
	struct ts_logged_name name;
	struct ts_series series;

	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t i = 0; table->kind == TS_TABLE_STEPS && i < table->n_columns; i++) {
			const struct ts_column *column = &table->columns[i];

			if (column->type != TS_COLUMN_F64 || !ts_span_starts(column->name, ts_span_str("scalars.")) ||
			    (!ts_logged_name_of(column->name, &name) && !ts_logged_speed_of(column->name, &name)))
				continue;
			if (ts_columns_load(columns, table, column, &series, err) ||
			    ts_logged_take(io, column->name, &series, a->first_timed[rank], work, err))
				return err->status;
			ts_columns_done(columns);
		}
	}
	return TS_OK;
}

static bool any_logged(const struct ts_logged_use *use)
{
	for (size_t i = 0; i < TS_LOGGED; i++)
		if (use->of[i].found)
			return true;
	return false;
}

/* Reads the rank in view, else the first that logged a use: tools write it on the first or on the last rank. */
static enum ts_status logged_use(struct analyzing *a, struct ts_error *err)
{
	struct ts_logged_use use = {.of[0].found = false};
	enum ts_status status = TS_OK;
	struct ts_columns columns;
	struct ts_arena work;

	ts_columns_init(&columns, a->fetch);
	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	for (size_t i = 0; !status && i < a->run->head.n_ranks; i++)
		if (&a->run->indexes[i] == a->index)
			status = logged_by(a, i, &columns, &work, &use, err);
	for (size_t i = 0; !status && !any_logged(&use) && i < a->run->head.n_ranks; i++) {
		ts_columns_leave(&columns);
		status = logged_by(a, i, &columns, &work, &use, err);
	}
	ts_columns_finish(&columns);
	ts_arena_finish(&work);
	return status ? status : ts_logged_rows(&use, &a->work, a->arena, &a->out->measures, err);
}

/* --- ranks --- */

/* The first step of a rank that counts in what is no time: only a warm-up that was declared is left out there. */
static int64_t first_declared(const struct analyzing *a, int64_t first_timed)
{
	return a->request->has_warmup ? first_timed : INT64_MIN;
}

static enum ts_status memory_of_rank(struct analyzing *a, struct ts_columns *columns, struct ts_arena *scratch,
				     const struct ts_index *index, struct ts_rank_memory *ret, struct ts_error *err)
{
	static const char *const names[] = {"memory.alloc", "memory.peak_alloc"};
	struct ts_series series[2];
	const struct ts_series *at[2];
	int64_t first_timed = a->first_timed[index - a->run->indexes], first = first_declared(a, first_timed);

	ts_columns_leave(columns);
	ts_arena_reset(scratch);
	if (ts_columns_load_named(columns, index, names, 2, series, at, err) ||
	    ts_memory_rank(at[0], at[1], first, first_timed, scratch, ret, err))
		return ts_error_prefix(err, "rank %" PRId32, index->rank);
	return TS_OK;
}

static enum ts_status memory_of_ranks(struct analyzing *a, const struct ts_ranks_in *in, struct ts_rank_memory *ret,
				      struct ts_error *err)
{
	struct ts_columns columns;
	struct ts_arena scratch;
	enum ts_status status = TS_OK;

	ts_columns_init(&columns, a->fetch);
	ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
	for (size_t i = 0; !status && i < in->n; i++)
		status = memory_of_rank(a, &columns, &scratch, in->indexes[i], &ret[i], err);
	ts_columns_finish(&columns);
	ts_arena_finish(&scratch);
	return status;
}

static enum ts_status compare_ranks(struct analyzing *a, const struct ts_ranks_in *in, struct ts_arena *work,
				    struct ts_error *err)
{
	int32_t *ranks = ts_arena_array(a->arena, in->n, sizeof *ranks);
	struct ts_rank_memory *memory = ts_arena_array(work, in->n, sizeof *memory);
	struct ts_ranks r;

	if (!ranks || !memory)
		return ts_arena_error(a->arena, err);
	for (size_t i = 0; i < in->n; i++)
		ranks[i] = in->indexes[i]->rank;
	if (ts_ranks_begin(&r, ranks, in->n, (uint32_t)a->about.world_size, in->n_steps, work, err) ||
	    ts_ranks_feed(in, &r, err) || memory_of_ranks(a, in, memory, err))
		return err->status;
	ts_ranks_memory(&r, memory);
	return ts_ranks_finish(&r, a->arena, &a->out->measures, &a->out->events, &a->out->plots, err);
}

/* Returns the first step that counts on every rank that has times. */
static int64_t first_of_all(const struct analyzing *a)
{
	int64_t first = INT64_MIN;

	for (size_t i = 0; i < a->run->head.n_ranks; i++) {
		const struct ts_index *index = &a->run->indexes[i];
		bool timed = false;

		for (size_t t = 0; index->rank != TS_RANK_JOB && t < index->n_tables; t++)
			timed |= ts_table_has_phase(&index->tables[t]);
		if (timed && a->first_timed[i] > first)
			first = a->first_timed[i];
	}
	return first;
}

static enum ts_status all_ranks(struct analyzing *a, struct ts_error *err)
{
	struct ts_ranks_in in;
	struct ts_arena work;
	enum ts_status status;

	if (a->out->run.ranks < 2)
		return TS_OK;
	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	status = ts_ranks_align(a->fetch, a->run, first_of_all(a), &work, &in, err);
	if (!status && in.n)
		status = ts_note_untimed(&a->notes, in.untimed, in.n_untimed, err);
	if (!status && in.n)
		status = compare_ranks(a, &in, &work, err);
	ts_arena_finish(&work);
	return status;
}

/* --- the whole analysis --- */

/* A declared warm-up is of the first steps of each rank, which need not begin at one step; one that was found in the analyzed
 * rank is left out of all. */
static enum ts_status first_steps(struct analyzing *a, struct ts_error *err)
{
	size_t n = a->run->head.n_ranks, cut;
	enum ts_status status = TS_OK;
	struct ts_arena work;

	a->first_timed = ts_arena_array(a->arena, n, sizeof *a->first_timed);
	if (!a->first_timed)
		return ts_arena_error(a->arena, err);
	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	for (size_t i = 0; !status && i < n; i++) {
		a->first_timed[i] = a->first_in_view;
		ts_arena_reset(&work);
		if (a->request->has_warmup && a->run->indexes[i].rank != TS_RANK_JOB)
			status = ts_rank_first_step(a->fetch, &a->run->indexes[i], a->request->warmup, &work, &a->first_timed[i],
						    &cut, err);
	}
	ts_arena_finish(&work);
	return status;
}

/* Analyzes a rank, and beside its steps its trace, its memory snapshot and its machine, if it has them. */
static enum ts_status rank_and_files(struct analyzing *a, struct ts_rank_analysis *rank, struct ts_rank_rows *ret_rows,
				     struct ts_error *err)
{
	size_t n;
	const struct ts_run_trace *snapshot = ts_traces_of_rank(&a->snapshots, rank->index->rank, &n);
	struct ts_machine_from from;

	if (ts_analyze_rank(rank, err))
		return err->status;
	if (ts_rank_has_steps(rank->index) &&
	    ts_traces_rows(a->fetch, &a->traces, rank->index->rank, rank->arena, &rank->out->measures, err))
		return ts_error_prefix(err, "the trace of rank %" PRId32, rank->index->rank);
	if (snapshot &&
	    ts_snapshots_rows(a->fetch, snapshot, ts_work_capacity(rank->work), rank->arena, &rank->out->measures, err))
		return ts_error_prefix(err, "the memory snapshot of rank %" PRId32, rank->index->rank);
	from = (struct ts_machine_from){a->run, rank->index, first_declared(a, rank->first_timed)};
	if (ts_machine_rows_of(a->fetch, rank->index, &from, rank->arena, &rank->out->measures, err))
		return err->status;
	return ts_analyze_own_rows(rank, a->arena, ret_rows, err);
}

/* Analyzes the rank in view; its rows and plots are those of the answer. ret_rows holds what this rank itself recorded. */
static enum ts_status rank_in_view(struct analyzing *a, struct ts_rank_rows *ret_rows, struct ts_error *err)
{
	struct ts_rank_analysis rank = {
		.fetch = a->fetch,
		.run = a->run,
		.index = a->index,
		.request = a->request,
		.work = &a->work,
		.arena = a->arena,
		.out = a->out,
		.notes = &a->notes,
	};

	if (rank_and_files(a, &rank, ret_rows, err) || ts_layers_of_rank(a->fetch, a->index, a->arena, &a->out->measures, err))
		return err->status;
	a->work.warmup_cut = a->out->warmup_cut;
	a->first_in_view = rank.first_timed;
	return first_steps(a, err);
}

/* Analyzes another rank for the rules alone: only its rows and events are kept. */
static enum ts_status other_rank(struct analyzing *a, const struct ts_index *index, struct ts_arena *scratch,
				 struct ts_rank_rows *ret_rows, struct ts_error *err)
{
	struct ts_analysis out = {.n_notes = 0};
	struct ts_rank_analysis rank = {
		.fetch = a->fetch,
		.run = a->run,
		.index = index,
		.request = a->request,
		.arena = scratch,
		.out = &out,
	};
	struct ts_facts facts;
	struct ts_work work;

	if (ts_run_facts(a->run, index, scratch, &facts, err))
		return err->status;
	ts_work_of_facts(&facts, &work);
	if (a->request->has_device_bytes)
		ts_work_override(&work.device_bytes, a->request->device_bytes);
	rank.work = &work;
	return rank_and_files(a, &rank, ret_rows, err);
}

/* Analyzes one rank after another, so that the memory of one is needed at a time. If the caller chose a rank, or there is
 * one only, the rows of the answer are all that rules see. */
static enum ts_status each_rank(struct analyzing *a, struct ts_error *err)
{
	struct ts_rank_rows *rows = ts_arena_array(a->arena, a->run->head.n_ranks + 1, sizeof *rows), viewed;
	enum ts_status status = TS_OK;
	struct ts_arena scratch;
	size_t n = 0;

	if (!rows)
		return ts_arena_error(a->arena, err);
	if (rank_in_view(a, &viewed, err))
		return err->status;
	if (a->request->has_rank)
		return TS_OK;
	ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
	for (size_t i = 0; !status && i < a->run->head.n_ranks; i++) {
		const struct ts_index *index = &a->run->indexes[i];

		if (index->rank == TS_RANK_JOB || !ts_rank_has_steps(index))
			continue;
		if (index == a->index)
			rows[n++] = viewed;
		else
			status = other_rank(a, index, &scratch, &rows[n++], err);
		ts_arena_reset(&scratch);
	}
	ts_arena_finish(&scratch);
	if (!status && n > 1) {
		a->out->ranks = rows;
		a->out->n_ranks = n;
	}
	return status;
}

/* The events of a pipeline are on whichever ranks wrote them. */
static enum ts_status pipeline(struct analyzing *a, struct ts_error *err)
{
	const struct ts_work *work = &a->work;
	struct ts_pipeline_plan plan = {
		.stages = work->pipeline_stages.known ? (uint64_t)work->pipeline_stages.value : 0,
		.microbatches = work->microbatches.known ? (uint64_t)work->microbatches.value : 0,
		.virtual_stages = work->virtual_stages.known ? (uint64_t)work->virtual_stages.value : 0,
	};

	return ts_analyze_pipeline(a->fetch, a->run, &plan, a->arena, &a->out->measures, err);
}

/* Says which trace or which snapshot counts, where a rank that is looked at has several. */
static enum ts_status note_several(struct analyzing *a, const struct ts_traces *files, const char *what, struct ts_error *err)
{
	const struct ts_run_trace *first = NULL;
	size_t n, n_first = 0, others = 0;

	for (size_t i = 0; i < a->run->head.n_ranks; i++) {
		const struct ts_index *index = &a->run->indexes[i];
		const struct ts_run_trace *last = ts_traces_of_rank(files, index->rank, &n);

		if (n < 2 || index->rank == TS_RANK_JOB || !ts_rank_has_steps(index) || (a->request->has_rank && index != a->index))
			continue;
		if (first) {
			others++;
			continue;
		}
		first = last;
		n_first = n;
	}
	return first ? ts_note_files(&a->notes, what, first->rank, n_first, first->name, others, err) : TS_OK;
}

/* A snapshot that may be of any rank counts where no rank has one of its own; with --rank, only that rank's do. */
static enum ts_status snapshot_of_any(struct analyzing *a, struct ts_error *err)
{
	size_t n;
	const struct ts_run_trace *of = ts_traces_of_rank(&a->snapshots, TS_RANK_JOB, &n);
	bool counts = n == a->snapshots.n && !a->request->has_rank;

	if (!of)
		return TS_OK;
	if (counts && ts_snapshots_rows(a->fetch, of, ts_work_capacity(&a->work), a->arena, &a->out->measures, err))
		return ts_error_prefix(err, "the memory snapshot");
	return ts_note_snapshot_of_any(&a->notes, n, of->name, counts, err);
}

/* A warm-up that the program declared counts where none is asked for. */
static void take_declared_warmup(struct analyzing *a)
{
	const struct ts_work_number *steps = &a->work.warmup_steps;

	if (a->request->has_warmup || !steps->known || steps->value > WARMUP_MOST)
		return;
	a->declared = *a->request;
	a->declared.has_warmup = true;
	a->declared.warmup = (uint64_t)steps->value;
	a->request = &a->declared;
}

static enum ts_status find_files(struct analyzing *a, struct ts_error *err)
{
	if (ts_traces_find(a->fetch, a->run, a->arena, &a->traces, err) ||
	    ts_snapshots_find(a->fetch, a->run, a->arena, &a->snapshots, err))
		return err->status;
	return TS_OK;
}

static enum ts_status note_files(struct analyzing *a, struct ts_error *err)
{
	if (note_several(a, &a->traces, "traces", err) || note_several(a, &a->snapshots, "memory snapshots", err))
		return err->status;
	return snapshot_of_any(a, err);
}

static bool has_steps_of(const struct analyzing *a, int32_t rank)
{
	for (size_t i = 0; i < a->run->head.n_ranks; i++)
		if (a->run->indexes[i].rank == rank)
			return rank != TS_RANK_JOB && ts_rank_has_steps(&a->run->indexes[i]);
	return false;
}

/* Says which trace counts nowhere, in a run that has steps. */
static enum ts_status note_unused_traces(struct analyzing *a, struct ts_error *err)
{
	const struct ts_run_trace *first = NULL;
	size_t others = 0;

	for (size_t i = 0; i < a->traces.n && a->out->run.steps; i++) {
		const struct ts_run_trace *trace = &a->traces.items[i];

		if (has_steps_of(a, trace->rank))
			continue;
		others += first != NULL;
		first = first ? first : trace;
	}
	return first ? ts_note_unused_trace(&a->notes, first->name, first->rank, others, err) : TS_OK;
}

static enum ts_status reduce(struct analyzing *a, struct ts_error *err)
{
	struct ts_machine_from from;

	if (ts_describe(a->fetch, a->run, a->arena, &a->about, err) ||
	    ts_run_ending(a->fetch, a->run, a->arena, &a->out->ending, err) ||
	    ts_happenings_of_run(a->fetch, a->run, a->arena, &a->out->happenings, err) || choose_rank(a, err))
		return err->status;
	a->out->run = a->about.run;
	a->out->rank = a->index->rank;
	if (ts_note_rank(&a->notes, a->request, a->index, err) || read_work(a, err))
		return err->status;
	take_declared_warmup(a);
	if (find_files(a, err) || each_rank(a, err) || note_files(a, err) || note_unused_traces(a, err) ||
	    ts_note_warmup(&a->notes, a->request, a->request == &a->declared, err) || ts_note_missing(&a->notes, &a->about, err) ||
	    ts_note_superseded(&a->notes, a->index, err) || ts_gaps_of_rank(a->fetch, a->index, &a->facts, &a->notes, err))
		return err->status;
	if (all_ranks(a, err) || ts_replicas_of_run(a->fetch, a->run, a->arena, &a->out->measures, err))
		return err->status;
	from = (struct ts_machine_from){a->run, a->index, first_declared(a, a->first_in_view)};
	if (ts_machine_rows_of_job(a->fetch, a->run, &from, a->arena, &a->out->measures, err))
		return err->status;
	if (count_work(a, err) || ts_efficiency(&a->work, a->arena, &a->out->measures, err) ||
	    ts_attempts_of_rank(a->fetch, a->index, &a->facts, a->arena, &a->out->measures, err) || logged_use(a, err) ||
	    pipeline(a, err))
		return err->status;
	return ts_setup(&a->facts, &a->work, a->index, a->arena, &a->out->measures, err);
}

enum ts_status ts_analyze_reduce(struct ts_fetch *f, const struct ts_id *id, const struct ts_analyze_request *request,
				 struct ts_arena *arena, struct ts_analysis *ret_analysis, struct ts_error *err)
{
	struct ts_analysis out = {.n_notes = 0};
	struct analyzing a = {.fetch = f, .request = request, .arena = arena, .out = &out, .notes = {&out, arena}};
	struct ts_run run;

	/* Keys and one column of the longest table lie in memory at once. */
	if (ts_run_open(f, id, arena, &run, err) || ts_cost_check("analyze", ts_cost_rows(&run, NULL), 2, err))
		return err->status;
	ts_whole_time_take(&run);
	a.run = &run;
	if (reduce(&a, err))
		return err->status;
	*ret_analysis = out;
	return TS_OK;
}

enum ts_status ts_analyze_run(struct ts_fetch *f, const struct ts_id *id, const struct ts_analyze_request *request,
			      struct ts_arena *arena, struct ts_analysis *ret_analysis, struct ts_error *err)
{
	struct ts_engine *engine = f->call->engine;
	struct ts_analysis out;

	if (ts_policy_check(&request->policy, err))
		return err->status;
	if (request->fresh || !ts_analyze_cached(engine, id, request, arena, &out)) {
		if (ts_analyze_reduce(f, id, request, arena, &out, err))
			return err->status;
		ts_analyze_keep(engine, id, request, &out);
	}
	if (ts_analyze_bound(&out, arena, err) ||
	    ts_findings_check(&out.measures, &out.events, out.ranks, out.n_ranks, &request->policy, arena, &out.findings,
			      err))
		return err->status;
	out.ranks = NULL;
	out.n_ranks = 0;
	*ret_analysis = out;
	return TS_OK;
}

TS_REPLIER(analyze_reply, ts_analysis);

/* Of a run that went on when it was pushed, whether it is lost since. */
static enum ts_status lose(struct ts_fetch *f, const struct ts_resolved *what, struct ts_arena *arena, struct ts_ending *ending,
			   struct ts_error *err)
{
	struct ts_run run;

	if (ending->state != TS_END_RUNNING && ending->state != TS_END_HUNG)
		return TS_OK;
	if (ts_run_open(f, &what->id, arena, &run, err))
		return err->status;
	return ts_run_lose(f->call, &run, what->by_ref ? &what->ref : NULL, arena, ending, err);
}

static enum ts_status answer(struct ts_call *call, const struct ts_analyze_request *request, struct ts_arena *arena,
			     struct ts_error *err)
{
	struct ts_resolved run;
	struct ts_fetch fetch;
	struct ts_analysis analysis;
	enum ts_status status;

	if (ts_resolve(call->engine, request->spec, arena, &run, err))
		return err->status;
	ts_fetch_init(&fetch, call);
	status = ts_analyze_run(&fetch, &run.id, request, arena, &analysis, err);
	if (!status)
		status = lose(&fetch, &run, arena, &analysis.ending, err);
	ts_fetch_finish(&fetch);
	return status ? ts_blame(call, &request->spec, 1, err) : reply_analyze_reply(call, &analysis, err);
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
