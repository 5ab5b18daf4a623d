/* stale.h - what must move with training and does not, in the order of its records.
 *
 * Gradients that are the same in every bit at records between which the parameters changed were not computed from these. A loss that is
 * the same in every bit on batches that differ does not depend on them.
 */
#ifndef TSCOPE_ANALYSIS_RANK_STALE_H
#define TSCOPE_ANALYSIS_RANK_STALE_H

#include <stddef.h>
#include <stdint.h>

enum {
	TS_STALE_GRADS = 3,   /* least number of gradients in a row that are the same, and of batches on which a loss is */
	TS_STALE_LOSSES = 20, /* least number of losses in a row that are the same */
};

/* How many of the last gradients are the same while the parameters differ from each record to the next; 0: fewer than
 * TS_STALE_GRADS. */
size_t ts_stale_gradients(const uint64_t *grads, const uint64_t *params, size_t n);
/* How many of the last values are the same in every bit, all of them finite; 0: fewer than TS_STALE_LOSSES. */
size_t ts_stale_values(const double *values, size_t n);
/* How many of the n digests differ from the one before, and one more: 1 where all are the same, 0 of none. */
size_t ts_stale_changes(const uint64_t *digests, size_t n);

#endif
