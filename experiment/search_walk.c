/* search_walk.c - see search_walk.h. */
#include "experiment/search_walk.h"

#include <math.h>

#define NEAR 0.25 /* of the way between A and B: a run that lies further from both is as neither */

int64_t ts_trial_steps(const struct ts_search *search, const struct ts_trial *trial)
{
	return trial->stop - search->start;
}

struct ts_root_cause *ts_walk_cause(struct ts_search_walk *w)
{
	return &w->step.verdict.causes[w->step.verdict.n_causes - 1];
}

bool ts_walk_ends_open(struct ts_search_walk *w, enum ts_undecided why, const struct ts_factor_set *remains)
{
	ts_walk_cause(w)->set = *remains;
	ts_walk_cause(w)->found = TS_ROOT_UNDECIDED;
	ts_walk_cause(w)->undecided = why;
	w->step.done = true;
	return false;
}

static const struct ts_trial_result *answer_to(const struct ts_search_walk *w, const struct ts_trial *trial)
{
	for (size_t i = 0; i < w->n_answers; i++)
		if (ts_trials_equal(&w->answers[i].trial, trial))
			return &w->answers[i].outcome;
	return NULL;
}

bool ts_walk_has_room(const struct ts_search_walk *w, const struct ts_trial *trial)
{
	const struct ts_search_verdict *v = &w->step.verdict;

	return answer_to(w, trial) ||
	       (v->runs < w->search->most_runs && ts_trial_steps(w->search, trial) <= w->search->most_steps - v->steps);
}

bool ts_search_ask(struct ts_search_walk *w, const struct ts_trial *trial, const struct ts_trial_result **ret_outcome)
{
	struct ts_factor_set remains = ts_walk_cause(w)->set;
	const struct ts_trial_result *outcome = answer_to(w, trial);

	if (outcome) {
		*ret_outcome = outcome;
		return true;
	}
	if (!ts_walk_has_room(w, trial))
		return ts_walk_ends_open(w, TS_UNDECIDED_BUDGET, &remains);
	w->step.trial = *trial;
	return false;
}

/* Where runs do not repeat: the mean place of the run and its repeats, until it is near an end. */
static bool ask_placed(struct ts_search_walk *w, const struct ts_trial *trial, enum ts_trial_like *ret_like)
{
	struct ts_trial again = *trial;
	double sum = 0, place = 0.5;
	bool far = false;

	for (again.repeat = 0; again.repeat < TS_SEARCH_PLACED_MOST;) {
		const struct ts_trial_result *outcome;

		if (!ts_search_ask(w, &again, &outcome))
			return false;
		if (outcome->untestable || outcome->n_effects < w->scatter->steps) {
			*ret_like = TS_IS_UNTESTABLE;
			return true;
		}
		sum += ts_scatter_place(w->scatter, outcome->effects, &far);
		again.repeat++;
		place = sum / again.repeat;
		if (far || fabs(place - 0.5) > 3 * w->scatter->sd / sqrt(again.repeat))
			break;
	}
	*ret_like = far || fabs(fabs(place - 0.5) - 0.5) > NEAR + 3 * w->scatter->sd / sqrt(again.repeat) ? TS_IS_OTHER
		    : place > 0.5									  ? TS_IS_B
													  : TS_IS_A;
	return true;
}

/* Whom a run is like, by its number. *ret_new: it is like no other run. */
static enum ts_trial_like like_of(const struct ts_search_walk *w, const struct ts_trial_result *outcome, bool *ret_new)
{
	unsigned others = 0;

	for (size_t i = 0; i < w->n_answers; i++)
		others += !w->answers[i].outcome.untestable && w->answers[i].outcome.like == outcome->like;
	*ret_new = false;
	if (outcome->untestable)
		return TS_IS_UNTESTABLE;
	if (outcome->like == w->like_b)
		return TS_IS_B;
	if (outcome->like == w->like_a)
		return TS_IS_A;
	*ret_new = others < 2;
	return TS_IS_OTHER;
}

bool ts_search_ask_like(struct ts_search_walk *w, const struct ts_factor_set *from_b, size_t commit, enum ts_trial_why why,
			enum ts_trial_like *ret_like)
{
	struct ts_trial trial = {*from_b, commit, w->deterministic, w->stop, 0, why};
	const struct ts_trial_result *outcome;
	bool is_new;

	if (w->scatter)
		return ask_placed(w, &trial, ret_like);
	if (!ts_search_ask(w, &trial, &outcome))
		return false;
	*ret_like = like_of(w, outcome, &is_new);
	for (trial.repeat = TS_REPEAT_AGAIN; is_new && trial.repeat < TS_REPEAT_AGAIN + TS_SEARCH_NEW_MOST; trial.repeat++) {
		trial.why = TS_TRIAL_REPEAT;
		if (!ts_search_ask(w, &trial, &outcome))
			return false;
		*ret_like = like_of(w, outcome, &is_new);
	}
	return true;
}
