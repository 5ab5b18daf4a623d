#include "service/handlers/diff/diff_outcomes.h"

#include "analysis/gate/outcomes.h"
#include "service/handlers/analyze/reduce.h"

enum ts_status ts_diff_outcomes(struct ts_fetch *f, const struct ts_id *a, const struct ts_id *b, struct ts_arena *arena,
				struct ts_diff *io_diff, struct ts_error *err)
{
	struct ts_gate_policy policy;
	struct ts_gate_run runs[2];
	struct ts_outcome_of of_a = {&runs[0].reduction, io_diff->a.steps}, of_b = {&runs[1].reduction, io_diff->b.steps};

	if (ts_id_eq(a, b))
		return TS_OK;
	ts_gate_policy_default(&policy);
	if (ts_reduce_run(f, a, &policy, arena, &runs[0], err))
		return ts_error_prefix(err, "the first run");
	if (ts_reduce_run(f, b, &policy, arena, &runs[1], err))
		return ts_error_prefix(err, "the second run");
	return ts_outcomes_of(&of_a, &of_b, arena, &io_diff->outcomes, &io_diff->n_outcomes, err);
}
