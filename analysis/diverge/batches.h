/* batches.h - whether two runs drew the same batches, the same in another order, some of the same or none, by the
 * digests of batches.
 *
 * From the first common step whose batches differ on: the second run's are the first's moved by a constant number of steps; the
 * same ones in another order; some of the same; or none. A batch that was drawn sample by sample in another order has a digest
 * of its own, so "none" tells another order from another data set only with a fact about the data.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_BATCHES_H
#define TSCOPE_ANALYSIS_DIVERGE_BATCHES_H

#include "base/arena.h"

enum ts_batch_answer {
	TS_BATCHES_UNKNOWN = 0, /* not recorded by both, or too few to say */
	TS_BATCHES_SAME = 1,
	TS_BATCHES_SHIFTED = 2,
	TS_BATCHES_REORDERED = 3, /* the same ones as often, elsewhere */
	TS_BATCHES_OVERLAP = 4,
	TS_BATCHES_DISJOINT = 5,
	TS_BATCHES_REPLACED = 6, /* some agree where they are, those that do not are nowhere else: none has moved */
};

struct ts_batch_relation {
	enum ts_batch_answer answer;
	int64_t step;	   /* the first that differs; not for SAME, UNKNOWN */
	int64_t shift;	   /* SHIFTED: batch of step s in the second run is that of step s + shift in the first */
	uint64_t compared; /* common steps from `step` on */
	uint64_t
		shared; /* of the second run's batches there that are not the first's of their step, those that it had at another */
	uint64_t kept; /* common steps from `step` on whose batches agree */
	uint64_t stretch; /* REPLACED: common steps from `step` on to the first that agrees again */
};

/* Digests by step, ascending. scratch is used and not reset. False when it is full. */
bool ts_batches_relate(const int64_t *steps_a, const uint64_t *a, size_t n_a, const int64_t *steps_b, const uint64_t *b, size_t n_b,
		       struct ts_arena *scratch, struct ts_batch_relation *ret);

#endif
