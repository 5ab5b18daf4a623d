#include "service/handlers/diff/diff_outcomes.h"

#include "analysis/gate/outcomes.h"
#include "analysis/machine/machine_compare.h"
#include "base/helper.h"
#include "service/handlers/analyze/analyze_machine_rows.h"
#include "service/handlers/analyze/reduce.h"
#include "service/handlers/analyze/reduce_cache.h"
#include "service/handlers/diff/diff_scalars.h"

enum { HELPED_STEPS = 8192 }; /* with fewer, a run is not worth a thread of its own */

/* The reduction of the second run, which a helper may make while the first is reduced. */
struct second {
	struct ts_fetch fetch;
	const struct ts_id *id;
	const struct ts_gate_policy *policy;
	struct ts_arena arena;
	struct ts_gate_run *run;
	struct ts_error err;
};

static void reduce_second(void *ctx)
{
	struct second *s = ctx;

	if (ts_reduce_run(&s->fetch, s->id, s->policy, &s->arena, s->run, &s->err))
		(void)ts_error_prefix(&s->err, "the second run");
}

static enum ts_status reduce_both(struct ts_fetch *f, const struct ts_id *a, struct second *s, uint64_t steps, struct ts_arena *arena,
				  struct ts_gate_run *ret_first, struct ts_error *err)
{
	bool cached = ts_reduce_cached(f->call->engine, s->id, s->policy, arena, s->run);
	struct ts_helper *helper = !cached && steps >= HELPED_STEPS ? ts_helper_hire() : NULL;
	enum ts_status status;

	if (!cached)
		ts_helper_give(helper, reduce_second, s);
	status = ts_reduce_run(f, a, s->policy, arena, ret_first, err);
	ts_helper_wait(helper);
	ts_helper_dismiss(helper);
	if (status)
		return ts_error_prefix(err, "the first run");
	if (s->err.status) {
		*err = s->err;
		return err->status;
	}
	return ts_arena_adopt(arena, &s->arena) ? TS_OK : ts_arena_error(arena, err);
}

static enum ts_status compare_machines(struct ts_fetch *f, const struct ts_id *a, const struct ts_id *b, struct ts_arena *arena,
				       struct ts_diff *io_diff, struct ts_error *err)
{
	struct ts_measures of_a = {.n = 0}, of_b = {.n = 0};

	if (ts_machine_rows_of_run(f, a, arena, &of_a, err) || (of_a.n && ts_machine_rows_of_run(f, b, arena, &of_b, err)) ||
	    ts_machine_compare(&of_b, &of_a, arena, &io_diff->machines, err))
		return err->status;
	return TS_OK;
}

enum ts_status ts_diff_outcomes(struct ts_fetch *f, const struct ts_id *a, const struct ts_id *b, struct ts_arena *arena,
				struct ts_diff *io_diff, struct ts_error *err)
{
	struct ts_gate_policy policy;
	struct ts_gate_run runs[2];
	struct second second = {.id = b, .policy = &policy, .run = &runs[1], .err.status = TS_OK};
	struct ts_outcome_of of_a = {&runs[0].reduction, io_diff->a.steps}, of_b = {&runs[1].reduction, io_diff->b.steps};
	struct ts_span losses[2];
	enum ts_status status;

	if (ts_id_eq(a, b))
		return TS_OK;
	ts_gate_policy_default(&policy);
	ts_fetch_init(&second.fetch, f->call);
	ts_arena_init(&second.arena, arena->ceiling);
	status = reduce_both(f, a, &second, io_diff->b.steps, arena, &runs[0], err);
	ts_fetch_finish(&second.fetch);
	ts_arena_finish(&second.arena);
	if (status)
		return status;
	if (ts_outcomes_of(&of_a, &of_b, arena, &io_diff->outcomes, &io_diff->n_outcomes, err))
		return err->status;
	for (size_t i = 0; i < 2; i++)
		losses[i] = runs[i].reduction.loss_column.len ? runs[i].reduction.loss_column : ts_span_str("scalars.loss");
	if (ts_diff_scalars(f, a, b, losses, arena, io_diff, err))
		return err->status;
	return compare_machines(f, a, b, arena, io_diff, err);
}

enum ts_status ts_diff_outcomes_expect(struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b, struct ts_arena *arena,
				       struct ts_error *err)
{
	const struct ts_run *runs[2] = {a, b};
	struct ts_gate_policy policy;
	struct ts_gate_run cached;

	ts_gate_policy_default(&policy);
	for (size_t i = 0; i < 2; i++)
		if (!ts_reduce_cached(f->call->engine, &runs[i]->id, &policy, arena, &cached) && ts_reduce_expect(runs[i], err))
			return ts_error_prefix(err, "the %s run", i ? "second" : "first");
	return TS_OK;
}
