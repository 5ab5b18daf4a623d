/* foresight.c - see foresight.h. */
#include "experiment/foresight.h"

#include "base/door.h"

/* How many supposed courses are looked at for each trial that is wanted: different ones may ask for the same. */
enum { COURSES_EACH = 4 };

/* What a trial would come to if it came out as this side. Runs with deterministic kernels have numbers of their own. */
static struct ts_trial_result supposed(const struct ts_search *search, const struct ts_trial *trial, unsigned side)
{
	return (struct ts_trial_result){.like = trial->deterministic ? TS_LIKE_OTHER + side : side,
					.parts_from_b = side == TS_LIKE_B ? INT64_MAX : search->first,
					.effects = search->effects[side],
					.n_effects = search->n_effects[side]};
}

static bool has_trial(const struct ts_trial *trials, size_t n, const struct ts_trial *trial)
{
	for (size_t i = 0; i < n; i++)
		if (ts_trials_equal(&trials[i], trial))
			return true;
	return false;
}

struct course {
	struct ts_trial_answer *answers;
	size_t n;
};

enum ts_status ts_search_ahead(const struct ts_search *search, const struct ts_trial_answer *answers, size_t n, size_t most,
			       struct ts_arena *arena, struct ts_trial *ret_trials, size_t *ret_n, struct ts_error *err)
{
	const size_t courses_most = most * COURSES_EACH;
	struct course *courses = ts_arena_array(arena, courses_most + 2, sizeof *courses);
	size_t n_courses = 1, found = 0;

	TS_DOOR(most >= 1 && most <= TS_AHEAD_MOST);
	if (!courses)
		return ts_arena_error(arena, err);
	courses[0] = (struct course){(struct ts_trial_answer *)(uintptr_t)answers, n};
	for (size_t at = 0; at < n_courses && found < most; at++) {
		const struct course *c = &courses[at];
		struct ts_search_step step;

		if (ts_search_next(search, c->answers, c->n, arena, &step, err))
			return err->status;
		if (step.done)
			continue;
		if (!has_trial(ret_trials, found, &step.trial))
			ret_trials[found++] = step.trial;
		for (unsigned side = 0; side < 2 && n_courses < courses_most && c->n < TS_SEARCH_ANSWERS_MOST; side++) {
			struct course next = {ts_arena_array(arena, c->n + 1, sizeof *next.answers), c->n + 1};

			if (!next.answers)
				return ts_arena_error(arena, err);
			for (size_t i = 0; i < c->n; i++)
				next.answers[i] = c->answers[i];
			/* Both reruns of the beginning come out as recorded, before anything else is supposed. */
			next.answers[c->n] = (struct ts_trial_answer){
				step.trial,
				supposed(search, &step.trial, side != (step.trial.why == TS_TRIAL_B_AGAIN) ? TS_LIKE_B : TS_LIKE_A)};
			courses[n_courses++] = next;
		}
	}
	*ret_n = found;
	return TS_OK;
}

static bool has_version(const struct ts_ahead_version *versions, size_t n, const struct ts_ahead_version *version)
{
	for (size_t i = 0; i < n; i++)
		if (versions[i].version == version->version && versions[i].repeat == version->repeat)
			return true;
	return false;
}

struct judgements {
	struct ts_judged *judged;
	size_t n;
};

enum ts_status ts_bisection_ahead(const struct ts_bisection *b, const struct ts_judged *judged, size_t n, double evidence, size_t most,
				  struct ts_arena *arena, struct ts_ahead_version *ret_versions, size_t *ret_n, struct ts_error *err)
{
	const size_t courses_most = most * COURSES_EACH;
	struct judgements *courses = ts_arena_array(arena, courses_most + 2, sizeof *courses);
	size_t n_courses = 1, found = 0;

	TS_DOOR(most >= 1 && most <= TS_AHEAD_MOST && evidence > 0);
	if (!courses)
		return ts_arena_error(arena, err);
	courses[0] = (struct judgements){(struct ts_judged *)(uintptr_t)judged, n};
	for (size_t at = 0; at < n_courses && found < most; at++) {
		const struct judgements *c = &courses[at];
		struct ts_ahead_version version = {0};
		struct ts_bisection_step step;

		if (ts_bisection_next(b, c->judged, c->n, arena, &step, err))
			return err->status;
		if (step.end != TS_BISECTION_GOES_ON)
			continue;
		version.version = step.next;
		for (size_t i = 0; i < c->n; i++)
			version.repeat += c->judged[i].version == step.next;
		if (!has_version(ret_versions, found, &version))
			ret_versions[found++] = version;
		for (int bad = 0; bad < 2 && n_courses < courses_most; bad++) {
			struct judgements next = {ts_arena_array(arena, c->n + 1, sizeof *next.judged), c->n + 1};

			if (!next.judged)
				return ts_arena_error(arena, err);
			for (size_t i = 0; i < c->n; i++)
				next.judged[i] = c->judged[i];
			next.judged[c->n] = (struct ts_judged){step.next, false, bad ? evidence : -evidence};
			courses[n_courses++] = next;
		}
	}
	*ret_n = found;
	return TS_OK;
}
