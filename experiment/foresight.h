/* foresight.h - what a search may ask for next, before it is known how the runs before that come out, so that runs can be made side by
 * side.
 *
 * The trial that is asked for now comes first. The others are those that would be asked for if the ones before them came out as A or as
 * B (of a bisection: as good or as bad), nearest first, each once. Some of them will turn out not to be needed: runs side by side cost
 * more runs, and less time.
 *
 * Pure. Threads: safe.
 */
#ifndef TSCOPE_EXPERIMENT_FORESIGHT_H
#define TSCOPE_EXPERIMENT_FORESIGHT_H

#include "experiment/bisection.h"
#include "experiment/search.h"

enum { TS_AHEAD_MOST = 64 };

/* At most `most` trials that have no answer yet (1 to TS_AHEAD_MOST). None: the search has its verdict. */
enum ts_status ts_search_ahead(const struct ts_search *search, const struct ts_trial_answer *answers, size_t n, size_t most,
			       struct ts_arena *arena, struct ts_trial *ret_trials, size_t *ret_n, struct ts_error *err);

struct ts_ahead_version {
	size_t version;
	size_t repeat; /* how many judgements of it there are before */
};

/* The same of versions. evidence: what a judgement is worth, above 0. */
enum ts_status ts_bisection_ahead(const struct ts_bisection *b, const struct ts_judged *judged, size_t n, double evidence, size_t most,
				  struct ts_arena *arena, struct ts_ahead_version *ret_versions, size_t *ret_n, struct ts_error *err);

#endif
