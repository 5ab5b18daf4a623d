/* search.c - see search.h. */
#include "experiment/search.h"

#include "base/door.h"
#include "base/words.h"
#include "experiment/bisection.h"
#include "experiment/search_walk.h"

#include <math.h>

TS_WORDS(ts_root_word, enum ts_root_kind, "", [TS_ROOT_SET] = "facts", [TS_ROOT_HERE] = "here", [TS_ROOT_ONE_OFF] = "one_off",
	 [TS_ROOT_GONE] = "gone", [TS_ROOT_NOT_AGAIN] = "not_again", [TS_ROOT_PATCH] = "patch",
	 [TS_ROOT_NONDETERMINISM] = "nondeterminism", [TS_ROOT_ELSEWHERE] = "elsewhere", [TS_ROOT_UNDECIDED] = "undecided")

TS_WORDS(ts_undecided_word, enum ts_undecided, "", [TS_UNDECIDED_NOT] = "", [TS_UNDECIDED_BUDGET] = "budget",
	 [TS_UNDECIDED_UNTESTABLE] = "untestable", [TS_UNDECIDED_SCATTER] = "scatter", [TS_UNDECIDED_CONTRADICTS] = "contradicts")

bool ts_root_decided(enum ts_root_kind found)
{
	return found != TS_ROOT_UNDECIDED && found != TS_ROOT_NOT_AGAIN;
}

double ts_comes_at_most(unsigned n)
{
	return n ? 1 - pow(0.05, 1 / (double)n) : 1;
}

static int64_t short_stop(const struct ts_search_walk *w, int64_t first)
{
	return w->search->end - first > TS_SEARCH_BEHIND ? first + TS_SEARCH_BEHIND : w->search->end;
}

/* Ends the walk with this of the cause at hand. Returns false, as whoever asks then has to. */
static bool ends(struct ts_search_walk *w, enum ts_root_kind found)
{
	ts_walk_cause(w)->found = found;
	ts_walk_cause(w)->undecided = TS_UNDECIDED_NOT;
	w->step.done = true;
	return false;
}

static bool ends_of(struct ts_search_walk *w, enum ts_root_kind found, unsigned side, unsigned repeats)
{
	ts_walk_cause(w)->side = side;
	ts_walk_cause(w)->repeats = repeats;
	return ends(w, found);
}

static bool ask_for(struct ts_search_walk *w, const struct ts_factor_set *from_b, int64_t stop, unsigned repeat, enum ts_trial_why why,
		    const struct ts_trial_result **ret_outcome)
{
	const struct ts_trial trial = {*from_b, 0, w->deterministic, stop, repeat, why};

	return ts_search_ask(w, &trial, ret_outcome);
}

/* --- which commit --- */

/* Asks commits between `from` (which is not) and `to` (which is) for the first that is not as A is, or that is as B is. */
static bool first_commit(struct ts_search_walk *w, const struct ts_factor_set *with, size_t from, size_t to, enum ts_trial_like goal,
			 bool is_goal, struct ts_bisection_step *ret_step)
{
	struct ts_judged judged[TS_SEARCH_COMMITS_MOST];
	const struct ts_bisection bisection = {.n = to - from, .sure = 0.999, .most = TS_SEARCH_COMMITS_MOST};
	size_t n = 0;

	for (;;) {
		enum ts_trial_like like;

		if (ts_bisection_next(&bisection, judged, n, w->arena, ret_step, w->err)) {
			w->status = w->err->status;
			return false;
		}
		if (ret_step->end != TS_BISECTION_GOES_ON)
			break;
		if (!ts_search_ask_like(w, with, from + ret_step->next, TS_TRIAL_COMMIT, &like))
			return false;
		judged[n++] = (struct ts_judged){ret_step->next, like == TS_IS_UNTESTABLE,
						 ts_judge_evidence((like == goal) == is_goal, w->scatter ? 1e-3 : 1e-9)};
	}
	ret_step->first += from;
	ret_step->last += from;
	return true;
}

/* The first commit whose result is not that of A's code, with the other members of the set from B, and the first that gives B. */
static bool find_commit(struct ts_search_walk *w, const struct ts_factor_set *with, size_t code)
{
	struct ts_root_cause *cause = ts_walk_cause(w);
	struct ts_factor_set without = *with;
	struct ts_bisection_step step;
	enum ts_trial_like before, at;

	ts_factor_take(&without, code);
	if (!ts_search_ask_like(w, &without, 0, TS_TRIAL_COMMIT, &before))
		return false;
	if (before == TS_IS_UNTESTABLE || before == TS_IS_B)
		return true;
	if (before == TS_IS_OTHER) {
		/* The set without the code has a result of its own, which has no number here: only where B begins can be asked for. */
		if (!first_commit(w, with, 0, w->search->n_commits, TS_IS_B, true, &step))
			return false;
		cause->commit_first = step.first;
		cause->commit_last = step.last;
		cause->commit_whole = step.last;
		return true;
	}
	if (!first_commit(w, with, 0, w->search->n_commits, TS_IS_A, false, &step))
		return false;
	cause->commit_first = step.first;
	cause->commit_last = step.last;
	if (step.last == w->search->n_commits) {
		cause->commit_whole = step.last;
		return true;
	}
	if (!ts_search_ask_like(w, with, step.last, TS_TRIAL_COMMIT, &at))
		return false;
	if (at != TS_IS_B && !first_commit(w, with, step.last, w->search->n_commits, TS_IS_B, true, &step))
		return false;
	cause->commit_whole = step.last;
	return true;
}

/* --- bits decide --- */

static size_t code_of(const struct ts_search *search, const struct ts_factor_set *set)
{
	for (size_t i = 0; i < search->n; i++)
		if (search->factors[i].kind == TS_FACTOR_CODE && ts_factor_in(set, i))
			return i;
	return search->n;
}

static bool is_proved(const struct ts_search_verdict *v)
{
	for (size_t i = 0; i < v->n_causes; i++)
		if (v->causes[i].found != TS_ROOT_SET || !v->causes[i].put_back ||
		    !ts_factor_sets_equal(&v->causes[i].set, &v->causes[i].needed))
			return false;
	return v->causes[v->n_causes - 1].to_end && !v->only_here;
}

static bool next_cause(struct ts_search_walk *w, int64_t step)
{
	struct ts_search_verdict *v = &w->step.verdict;

	if (v->n_causes == TS_SEARCH_CAUSES_MOST)
		return false;
	v->causes[v->n_causes++] = (struct ts_root_cause){.found = TS_ROOT_UNDECIDED, .step = step};
	return true;
}

/* What it is that does not come back, by what is known of the side's record. */
static enum ts_root_kind kind_of_gone(const struct ts_search_walk *w, unsigned side)
{
	switch (w->search->record[side]) {
	case TS_RECORD_WHOLE:
		return TS_ROOT_ONE_OFF;
	case TS_RECORD_ONE_GONE:
		return TS_ROOT_GONE;
	case TS_RECORD_OPEN:
		break;
	}
	return TS_ROOT_NOT_AGAIN;
}

/* The result of a side did not come back in a rerun. Two more, to the end, tell whether it ever does, and whether reruns agree. */
static bool not_again(struct ts_search_walk *w, unsigned side, const struct ts_factor_set *recipe)
{
	const struct ts_trial_result *outcome[2];
	unsigned repeats = 1, other = side == TS_LIKE_B ? w->like_a : TS_LIKE_B;

	for (unsigned i = 0; i < 2; i++) {
		const struct ts_trial trial = {*recipe, 0, w->deterministic, w->search->end, TS_REPEAT_OFTEN + i, TS_TRIAL_OFTEN};

		if (!ts_walk_has_room(w, &trial))
			return ends_of(w, TS_ROOT_NOT_AGAIN, side, repeats);
		if (!ts_search_ask(w, &trial, &outcome[i]))
			return false;
		if (outcome[i]->untestable)
			return ends_of(w, TS_ROOT_NOT_AGAIN, side, repeats);
		if (outcome[i]->like == side || (i && outcome[0]->like != outcome[1]->like))
			return ends(w, TS_ROOT_NONDETERMINISM);
		repeats++;
	}
	/* Reruns that agree with the other side to its end leave nothing but this side's own run. */
	return ends_of(w, outcome[0]->like == other ? kind_of_gone(w, side) : TS_ROOT_NOT_AGAIN, side, repeats);
}

/* One cause: A with `base` is as like_a says, with all candidates as like_b. *ret_set is what it takes, of all causes that it found. */
static bool one_cause(struct ts_search_walk *w, const struct ts_factor_set *base, const struct ts_factor_set *candidates,
		      struct ts_factor_set *ret_set)
{
	struct ts_factor_set rest = *candidates, back, with;
	enum ts_trial_like like;
	size_t code;

	if (!ts_smallest(w, base, candidates, TS_IS_B, TS_TRIAL_SEARCH))
		return false;
	for (;;) {
		struct ts_root_cause *cause = ts_walk_cause(w);

		cause->found = TS_ROOT_SET;
		with = ts_factor_union(base, &cause->set);
		code = code_of(w->search, &cause->set);
		if (code < w->search->n && w->search->n_commits > 1 && !find_commit(w, &with, code))
			return false;
		rest = ts_factor_without(&rest, &cause->set);
		back = ts_factor_union(base, &rest);
		like = TS_IS_A;
		if (ts_factor_count(&rest) && !ts_search_ask_like(w, &back, 0, TS_TRIAL_PUT_BACK, &like))
			return false;
		cause->put_back = like == TS_IS_A;
		if (like != TS_IS_B)
			break;
		/* What is left gives B, too: another set that is enough alone. */
		if (!next_cause(w, cause->step))
			break;
		ts_walk_cause(w)->alone = true;
		if (!ts_smallest(w, base, &rest, TS_IS_B, TS_TRIAL_SEARCH))
			return false;
	}
	/* Where several sets are enough, it is the last one whose return gave A, with all those before it gone as well. */
	if (like == TS_IS_A)
		for (struct ts_root_cause *c = ts_walk_cause(w); c->alone; c--)
			c[-1].put_back = true;
	*ret_set = with;
	return true;
}

/* A run to the end that parts from B does so again, a few steps behind that; else it is made once more, and *outcome is of the one
 * that does. */
static bool same_again(struct ts_search_walk *w, const struct ts_factor_set *with, const struct ts_trial_result **outcome)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct ts_trial_result *again;

		if ((*outcome)->untestable || (*outcome)->like == w->like_b)
			return true;
		if (!ask_for(w, with, short_stop(w, (*outcome)->parts_from_b), TS_REPEAT_AGAIN, TS_TRIAL_A_AGAIN, &again))
			return false;
		if (again->like == (*outcome)->like)
			return true;
		if (!i && !ask_for(w, with, w->search->end, TS_REPEAT_AGAIN, TS_TRIAL_TO_THE_END, outcome))
			return false;
	}
	return ts_walk_ends_open(w, TS_UNDECIDED_CONTRADICTS, with);
}

static bool finished(struct ts_search_walk *w)
{
	w->step.verdict.proved = is_proved(&w->step.verdict);
	return ends(w, TS_ROOT_SET);
}

/* Finds a cause, and those that act later. */
static bool causes(struct ts_search_walk *w)
{
	struct ts_factor_set base = {{0}}, candidates = w->all, with;
	const struct ts_trial_result *outcome;

	for (;;) {
		struct ts_trial trial = {.stop = w->search->end, .deterministic = w->deterministic, .why = TS_TRIAL_TO_THE_END};

		if (!one_cause(w, &base, &candidates, &with))
			return false;
		trial.from_b = with;
		if (w->scatter || w->step.verdict.only_here || !ts_walk_has_room(w, &trial))
			return finished(w);
		if (w->deterministic && w->stop < w->search->end) {
			if (!ask_for(w, &w->all, w->search->end, 0, TS_TRIAL_TO_THE_END, &outcome))
				return false;
			w->like_b = outcome->like;
		}
		if (!ts_search_ask(w, &trial, &outcome))
			return false;
		if (outcome->untestable)
			return finished(w);
		if (outcome->like == w->like_b) {
			ts_walk_cause(w)->to_end = true;
			return finished(w);
		}
		if (w->deterministic) /* The first step at which they part is known of recorded B alone. */
			return finished(w);
		if (outcome->parts_from_b < w->stop || outcome->parts_from_b >= w->search->end)
			return ts_walk_ends_open(w, TS_UNDECIDED_CONTRADICTS, &with);
		if (!same_again(w, &with, &outcome))
			return false;
		if (outcome->like == w->like_b) {
			ts_walk_cause(w)->to_end = true;
			return finished(w);
		}
		if (!next_cause(w, outcome->parts_from_b))
			return finished(w);
		w->like_a = outcome->like;
		w->stop = short_stop(w, outcome->parts_from_b);
		base = with;
		candidates = ts_factor_without(&w->all, &with);
		ts_walk_cause(w)->set = candidates;
		if (!ask_for(w, &w->all, w->stop, 0, TS_TRIAL_B_AGAIN, &outcome))
			return false;
		if (outcome->untestable)
			return ts_walk_ends_open(w, TS_UNDECIDED_UNTESTABLE, &candidates);
		if (outcome->like == w->like_a)
			return not_again(w, TS_LIKE_B, &w->all);
		if (outcome->like != w->like_b)
			return ts_walk_ends_open(w, TS_UNDECIDED_CONTRADICTS, &candidates);
	}
}

/* --- what is not among the recorded facts --- */

/* A again is as B: takes away what of this machine no record knows. */
static bool something_here(struct ts_search_walk *w)
{
	const struct ts_factor_set none = {{0}};
	enum ts_trial_like like = TS_IS_OTHER;

	if (ts_factor_count(&w->here)) {
		ts_walk_cause(w)->set = w->here;
		if (!ts_search_ask_like(w, &w->here, 0, TS_TRIAL_HERE, &like))
			return false;
		if (like == TS_IS_A) {
			if (!ts_smallest(w, &none, &w->here, TS_IS_A, TS_TRIAL_HERE))
				return false;
			return ends(w, TS_ROOT_HERE);
		}
	}
	return not_again(w, TS_LIKE_A, &none);
}

/* --- runs that do not repeat --- */

/* A recipe twice with deterministic kernels: *repeats becomes false where it is not the same twice. */
static bool ask_twice(struct ts_search_walk *w, const struct ts_factor_set *recipe, const struct ts_trial_result **first, bool *repeats)
{
	const struct ts_trial_result *again;

	if (!ask_for(w, recipe, w->stop, 0, TS_TRIAL_DETERMINISTIC, first))
		return false;
	*repeats = !(*first)->untestable;
	if (*repeats && !ask_for(w, recipe, w->stop, TS_REPEAT_AGAIN, TS_TRIAL_DETERMINISTIC, &again))
		return false;
	*repeats = *repeats && !again->untestable && again->like == (*first)->like;
	return true;
}

/* Both sides twice with deterministic kernels: *ret_repeats if each is the same twice; then bits decide from here on. */
static bool deterministic(struct ts_search_walk *w, bool *ret_repeats)
{
	const struct ts_factor_set none = {{0}};
	const struct ts_trial_result *a, *b;

	w->deterministic = true;
	*ret_repeats = true;
	if (!ask_twice(w, &none, &a, ret_repeats) || (*ret_repeats && !ask_twice(w, &w->all, &b, ret_repeats)))
		return false;
	if (!*ret_repeats) {
		w->deterministic = false;
		return true;
	}
	w->step.verdict.deterministic = true;
	if (b->like == a->like && w->stop < w->search->end) { /* It may act later. */
		const int64_t behind = w->stop;

		w->stop = w->search->end;
		if (!ask_twice(w, &none, &a, ret_repeats) || (*ret_repeats && !ask_twice(w, &w->all, &b, ret_repeats)))
			return false;
		if (!*ret_repeats) {
			w->stop = behind;
			w->deterministic = w->step.verdict.deterministic = false;
			return true;
		}
	}
	if (b->like == a->like)
		return ends(w, TS_ROOT_NONDETERMINISM);
	w->like_a = a->like;
	w->like_b = b->like;
	return causes(w);
}

static bool gather(struct ts_search_walk *w, unsigned side, const struct ts_factor_set *recipe, size_t want, size_t *steps,
		   struct ts_scatter_group *group)
{
	const struct ts_search *s = w->search;

	*group = (struct ts_scatter_group){.n = 0};
	if (s->effects[side] && s->n_effects[side] >= *steps)
		group->rows[group->n++] = s->effects[side];
	for (unsigned i = 0; group->n < want; i++) {
		const struct ts_trial_result *outcome;

		if (!ask_for(w, recipe, w->stop, TS_REPEAT_SCATTER + i, TS_TRIAL_SCATTER, &outcome))
			return false;
		if (outcome->untestable || !outcome->n_effects)
			return ts_walk_ends_open(w, TS_UNDECIDED_UNTESTABLE, &w->all);
		if (outcome->n_effects < *steps)
			*steps = outcome->n_effects;
		group->rows[group->n++] = outcome->effects;
	}
	return true;
}

/* Repeats of both sides until they lie apart; then trials are placed between them. */
static bool by_scatter(struct ts_search_walk *w)
{
	const struct ts_factor_set none = {{0}};
	struct ts_scatter *scatter = ts_arena_array(w->arena, 1, sizeof *scatter);
	int64_t window = w->search->start + TS_SEARCH_NOISY_STEPS;

	if (!scatter) {
		w->status = ts_arena_error(w->arena, w->err);
		return false;
	}
	if (w->stop < window)
		w->stop = window < w->search->end ? window : w->search->end;
	if (w->stop - w->search->start > TS_SCATTER_STEPS_MOST)
		return ts_walk_ends_open(w, TS_UNDECIDED_CONTRADICTS, &w->all);
	for (size_t want = 4; want <= TS_SEARCH_REPEATS_MOST; want += 2) {
		struct ts_scatter_group a, b;
		size_t steps = (size_t)(w->stop - w->search->start);

		if (!gather(w, TS_LIKE_A, &none, want, &steps, &a) || !gather(w, TS_LIKE_B, &w->all, want, &steps, &b))
			return false;
		ts_scatter_of(&a, &b, steps, scatter);
		if (scatter->t >= TS_SEARCH_T && 3 * scatter->sd / sqrt(TS_SEARCH_PLACED_MOST) < 0.5) {
			w->scatter = scatter;
			w->step.verdict.placed = true;
			return causes(w);
		}
	}
	return scatter->t < TS_SEARCH_T_NONE ? ends(w, TS_ROOT_NONDETERMINISM) : ts_walk_ends_open(w, TS_UNDECIDED_SCATTER, &w->all);
}

static bool unrepeatable(struct ts_search_walk *w)
{
	bool repeats;

	if (!deterministic(w, &repeats) || repeats)
		return false;
	return by_scatter(w);
}

/* --- the beginning --- */

/* A rerun of a side that is neither as A nor as B is made once more: *again is then that run. It repeats itself if both are equal, or
 * this one is as was recorded. */
static bool once_more(struct ts_search_walk *w, const struct ts_factor_set *recipe, const struct ts_trial_result **again,
		      bool *ret_repeats)
{
	const struct ts_trial_result *first = *again;

	if (first->like < TS_LIKE_OTHER)
		return true;
	if (!ask_for(w, recipe, w->stop, TS_REPEAT_AGAIN + 1, TS_TRIAL_REPEAT, again))
		return false;
	*ret_repeats &= !(*again)->untestable && ((*again)->like == first->like || (*again)->like < TS_LIKE_OTHER);
	return true;
}

static bool is_whole(const struct ts_search *search)
{
	return search->record[TS_LIKE_A] == TS_RECORD_WHOLE && search->record[TS_LIKE_B] == TS_RECORD_WHOLE;
}

static bool begin(struct ts_search_walk *w)
{
	const struct ts_factor_set none = {{0}};
	const struct ts_trial_result *a, *b;
	const bool *lost = w->search->lost_patch;
	bool repeat = true, settable = ts_factor_count(&w->all) > 0, a_odd, b_odd;

	if (!ask_for(w, &w->all, w->stop, 0, TS_TRIAL_B_AGAIN, &b))
		return false;
	/* Where nothing that differs can be set, both have one recipe, and this is its second run. */
	if (!ask_for(w, &none, w->stop, settable ? 0 : TS_REPEAT_AGAIN, TS_TRIAL_A_AGAIN, &a))
		return false;
	if (a->untestable || b->untestable)
		return ts_walk_ends_open(w, TS_UNDECIDED_UNTESTABLE, &w->all);
	if (!once_more(w, &none, &a, &repeat) || (repeat && !once_more(w, &w->all, &b, &repeat)))
		return false;
	if (!repeat || (a->like == TS_LIKE_B && b->like == TS_LIKE_A))
		return unrepeatable(w);
	a_odd = a->like >= TS_LIKE_OTHER;
	b_odd = b->like >= TS_LIKE_OTHER;
	if (a->like == TS_LIKE_A && b->like == TS_LIKE_B)
		return settable ? causes(w) : ends(w, TS_ROOT_NONDETERMINISM);
	if (lost[TS_LIKE_B] && a->like == TS_LIKE_A)
		return ends_of(w, TS_ROOT_PATCH, TS_LIKE_B, 0);
	if (lost[TS_LIKE_A] && b->like == TS_LIKE_B)
		return ends_of(w, TS_ROOT_PATCH, TS_LIKE_A, 0);
	if (!a_odd && !b_odd)
		return a->like == TS_LIKE_A ? not_again(w, TS_LIKE_B, &w->all) : something_here(w);
	if (a->like == b->like || !settable) /* Where all that goes into a run is the same here, it cannot be this place. */
		return ends(w, is_whole(w->search) ? TS_ROOT_NONDETERMINISM : TS_ROOT_ELSEWHERE);
	w->step.verdict.only_here = true;
	w->like_a = a->like;
	w->like_b = b->like;
	return causes(w);
}

enum ts_status ts_search_next(const struct ts_search *search, const struct ts_trial_answer *answers, size_t n, struct ts_arena *arena,
			      struct ts_search_step *ret_step, struct ts_error *err)
{
	struct ts_search_walk w = {
		.search = search, .answers = answers, .n_answers = n, .arena = arena, .err = err, .like_b = TS_LIKE_B};
	struct ts_search_verdict *v = &w.step.verdict;

	TS_DOOR(search->n <= TS_FACTORS_MOST && search->start <= search->first && search->first < search->end);
	TS_DOOR_ALL(i, search->n, search->factors[i].weight > 0);
	if (n > TS_SEARCH_ANSWERS_MOST)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d experiments", TS_SEARCH_ANSWERS_MOST);
	for (size_t i = 0; i < search->n; i++)
		ts_factor_put(search->factors[i].kind == TS_FACTOR_HERE ? &w.here : &w.all, i);
	v->n_causes = 1;
	v->causes[0] = (struct ts_root_cause){.found = TS_ROOT_UNDECIDED, .set = w.all, .step = search->first};
	v->runs = n;
	for (size_t i = 0; i < n; i++)
		v->steps += ts_trial_steps(search, &answers[i].trial);
	w.stop = short_stop(&w, search->first);
	(void)begin(&w);
	if (w.status)
		return w.status;
	*ret_step = w.step;
	return TS_OK;
}
