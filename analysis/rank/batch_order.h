/* batch_order.h - whether the batches of one run come back: the same batch at every step, or the sequence of an earlier epoch again, as
 * where a distributed sampler is never told of a new epoch.
 *
 * By digests of batches, in the order of their records. The sequence is read from its end: P is the distance from the last batch to
 * where it was before, and counts where so many batches in a row as below are those of P records before. Batches that are drawn
 * anew, or the same batches in an order that is drawn anew, do not do that by chance.
 *
 * Workers of a loader that draw the same numbers give each batch as many times as there are workers: then a large part of all batches
 * is the one before, which whole batches in an order drawn anew are once in as many as there are of them.
 */
#ifndef TSCOPE_ANALYSIS_RANK_BATCH_ORDER_H
#define TSCOPE_ANALYSIS_RANK_BATCH_ORDER_H

#include <stddef.h>
#include <stdint.h>

enum {
	TS_BATCHES_REPEATED = 20,     /* least number of batches in a row that come back */
	TS_BATCHES_REPEATED_FEW = 40, /* the same where there are 2 to 8 batches, which an order that is drawn anew may repeat */
	TS_BATCHES_FEW = 8,
};

struct ts_batch_order {
	size_t period;	 /* records from a batch to the same one again; 1: it never changes; 0: they do not come back */
	size_t repeated; /* batches in a row, up to the last, that are those of `period` records before */
	size_t from;	 /* the place of the first of them */
	size_t doubled;	 /* batches of all that are the one before; 0 where there are TS_BATCHES_FEW different ones, or fewer */
};

struct ts_batch_order ts_batch_order_find(const uint64_t *digests, size_t n);

#endif
