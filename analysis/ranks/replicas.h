/* replicas.h - ranks that hold copies of one model, and whether the copies part.
 *
 *	ts_replicas_judge(ranks, n, promised, arena, &found, err)		digests of one set of tensors on each rank
 *	ts_replicas_rows(&found, column, arena, measures, err)
 *
 * Ranks are replicas if the record proves it: at the first step that all of them recorded their digests are equal, and they are
 * equal again with another digest, behind an update. Shards of parameters, of an optimizer's state or of gradients never are:
 * two tensors with the same bits by chance have a chance of 2^-64, and shards that began equal (all zeros) part at the first
 * update. Or the recorder says it: it saw DistributedDataParallel around the model (session.replicas), which gives all ranks the
 * parameters of the first and keeps them equal, so that one step at which they are equal is enough. Ranks that begin with other
 * digests are other replicas, or shards: each set of equal ranks is judged by itself, so that copies of shards are found, too.
 *
 * Replicas part at the first step where digests of a set differ, if they stay apart to the end of what was recorded; copies
 * that meet again (local SGD) do not. The odd ranks are those outside of the greatest set of equal ones, if that is more than
 * half; of two ranks neither is. A digest of 0 is of no tensor, and is left out. Pure.
 */
#ifndef TSCOPE_ANALYSIS_RANKS_REPLICAS_H
#define TSCOPE_ANALYSIS_RANKS_REPLICAS_H

#include "analysis/answer/measure.h"
#include "run/fact.h"

struct ts_replica {
	int32_t rank;
	const int64_t *keys; /* steps, increasing */
	const uint64_t *values;
	size_t n;
};

struct ts_replicas {
	bool judged;	    /* there are replicas */
	const char *reason; /* judged is false: why */
	bool apart;
	size_t n_ranks;	    /* of the set of replicas that parts first, or of the greatest set */
	uint64_t steps;	    /* at which this set was compared */
	int64_t last_equal, first_apart; /* of apart */
	uint64_t apart_steps;
	bool majority;
	int32_t *odd;	    /* ascending; without a majority all of the set */
	size_t n_odd;
};

/* ranks: at least 2, ascending; promised: the recorder says that they are replicas. Lists of the result lie in the arena. */
enum ts_status ts_replicas_judge(const struct ts_replica *ranks, size_t n, bool promised, struct ts_arena *arena,
				 struct ts_replicas *ret_found, struct ts_error *err);
/* Rows of group "ranks", subject "replicas of params" for the column "params". */
enum ts_status ts_replicas_rows(const struct ts_replicas *found, const char *column, struct ts_arena *arena, struct ts_measures *m,
				struct ts_error *err);
/* A row for each odd rank, where a majority says which they are. */
enum ts_status ts_replicas_rank_rows(const struct ts_replicas *found, struct ts_arena *arena, struct ts_measures *m,
				    struct ts_error *err);
/* Whether facts say that copies may part on purpose: local SGD, DiLoCo, federated training. */
bool ts_replicas_may_part(const struct ts_facts *facts);
/* Whether the recorder says that the ranks hold copies which are kept equal. */
bool ts_replicas_promised(const struct ts_facts *facts);

#endif
