/* diff_judge.c - from the rows of a diff to its verdict, and to what that rests on; diff_say.c has the words. */
#include "service/handlers/diff/diff_runs.h"

#include "analysis/diverge/effects.h"

static const struct ts_series_row *first_of_role(const struct ts_diff *diff, enum ts_role role)
{
	for (size_t i = 0; i < diff->n_series; i++)
		if (diff->series[i].role == role)
			return &diff->series[i];
	return NULL;
}

/* Returns the first ground that applies. */
static enum ts_diff_ground ground_of(const struct ts_diff *diff, const struct ts_diff_tally *tally)
{
	if (tally->parts)
		return TS_GROUND_SERIES;
	if (diff->ops.n)
		return TS_GROUND_OPERATION;
	if (ts_sketch_told(&diff->sketches))
		return TS_GROUND_TENSOR;
	if (diff->n_ranks_only_a || diff->n_ranks_only_b)
		return TS_GROUND_RANKS;
	if (tally->trajectory == 0 && diff->ops.compared == 0)
		return TS_GROUND_NO_RECORD;
	if (first_of_role(diff, TS_ROLE_TRAJECTORY))
		return TS_GROUND_INCOMPLETE;
	if (first_of_role(diff, TS_ROLE_UNKNOWN))
		return TS_GROUND_ROLE;
	if (tally->trajectory == 0 && tally->ops_apart)
		return TS_GROUND_OPERATIONS_APART;
	return TS_GROUND_SAME;
}

static enum ts_diff_verdict verdict_of(enum ts_diff_ground ground)
{
	switch (ground) {
	case TS_GROUND_SERIES:
	case TS_GROUND_OPERATION:
	case TS_GROUND_TENSOR:
		return TS_DIFF_DIFFERENT;
	case TS_GROUND_SAME:
		return TS_DIFF_SAME;
	case TS_GROUND_RANKS:
	case TS_GROUND_NO_RECORD:
	case TS_GROUND_INCOMPLETE:
	case TS_GROUND_ROLE:
	case TS_GROUND_OPERATIONS_APART:
		break;
	}
	return TS_DIFF_INCONCLUSIVE;
}

/* Facts by which no number changes, such as those of a session (hosts, times), explain nothing. */
static void count_facts(const struct ts_diff *diff, struct ts_fact_globs expected, struct ts_diff_basis *basis)
{
	for (size_t i = 0; i < diff->n_facts; i++) {
		if (!ts_effect_may_act(diff->facts[i].path) || ts_fact_globs_match(expected, diff->facts[i].path))
			continue;
		basis->fact = basis->fact ? basis->fact : &diff->facts[i];
		basis->facts++;
	}
}

enum ts_status ts_diff_judge(struct ts_diff *diff, const struct ts_diff_tally *tally, struct ts_fact_globs expected,
			     struct ts_arena *arena, struct ts_error *err)
{
	struct ts_diff_basis basis = {.ground = ground_of(diff, tally)};

	basis.row = first_of_role(diff, basis.ground == TS_GROUND_ROLE ? TS_ROLE_UNKNOWN : TS_ROLE_TRAJECTORY);
	count_facts(diff, expected, &basis);
	if (ts_diff_say(diff, tally, &basis, arena, &diff->reason, err))
		return err->status;
	diff->verdict = verdict_of(basis.ground);
	return TS_OK;
}
