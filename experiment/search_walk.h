/* search_walk.h - the walk through a search: its procedure is straight code that asks for trials, and each asking is answered from the
 * answers so far. At the first that has none the walk ends, and that trial is what to run next. So every function here that asks
 * returns false where the walk is over, by that or by a verdict, and its caller returns false, too.
 */
#ifndef TSCOPE_EXPERIMENT_SEARCH_WALK_H
#define TSCOPE_EXPERIMENT_SEARCH_WALK_H

#include "experiment/scatter.h"
#include "experiment/search.h"

/* Numbers of repeats, so that no two purposes share a run that has to be another one. */
enum { TS_REPEAT_AGAIN = 1, TS_REPEAT_OFTEN = 10, TS_REPEAT_SCATTER = 20 };

enum ts_trial_like { TS_IS_A, TS_IS_B, TS_IS_OTHER, TS_IS_UNTESTABLE };

struct ts_search_walk {
	const struct ts_search *search;
	const struct ts_trial_answer *answers;
	size_t n_answers;
	struct ts_arena *arena;
	struct ts_error *err;
	enum ts_status status;
	struct ts_search_step step;
	struct ts_factor_set all;  /* what makes A into B */
	struct ts_factor_set here; /* TS_FACTOR_HERE */
	int64_t stop;		   /* of short runs */
	unsigned like_a, like_b;   /* the numbers that outcomes are judged by */
	bool deterministic;
	const struct ts_scatter *scatter; /* runs do not repeat, and are placed by it */
};

/* The outcome of a trial. False: it is not known yet, or the budget has no room for it (then the walk has its verdict). */
bool ts_search_ask(struct ts_search_walk *w, const struct ts_trial *trial, const struct ts_trial_result **ret_outcome);
/* Whom a short run is like with these factors from B, and this commit (0: that of its side). */
bool ts_search_ask_like(struct ts_search_walk *w, const struct ts_factor_set *from_b, size_t commit, enum ts_trial_why why,
			enum ts_trial_like *ret_like);
/* Is the trial answered, or may it still be run within the budget? */
bool ts_walk_has_room(const struct ts_search_walk *w, const struct ts_trial *trial);
/* Ends the walk without a decision: the cause at hand has members of `remains`. Returns false. */
bool ts_walk_ends_open(struct ts_search_walk *w, enum ts_undecided why, const struct ts_factor_set *remains);
/* The cause that is being looked for. */
struct ts_root_cause *ts_walk_cause(struct ts_search_walk *w);

/* smallest.c: the smallest set of `candidates` that, added to `base`, gives `goal`, which base and all candidates together give and
 * base alone does not. Sets set and needed of the cause at hand. */
bool ts_smallest(struct ts_search_walk *w, const struct ts_factor_set *base, const struct ts_factor_set *candidates,
		 enum ts_trial_like goal, enum ts_trial_why why);

#endif
