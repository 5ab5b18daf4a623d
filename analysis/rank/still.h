/* still.h - whether the parameters of a run stopped changing, by digests of them, in the order of their records.
 *
 * Two states of parameters that an update lies between have the same digest only if it changed no bit. Where digests are taken at every
 * micro-batch, or the optimizer steps at every k-th record, some in a row are the same; the last ones count as still where there are
 * TS_STILL_LEAST of them, and more than twice as many as ever in a row before.
 */
#ifndef TSCOPE_ANALYSIS_RANK_STILL_H
#define TSCOPE_ANALYSIS_RANK_STILL_H

#include <stddef.h>
#include <stdint.h>

enum { TS_STILL_LEAST = 5 };

/* How many of the last digests are the same, if that is still; 0 otherwise. */
size_t ts_still_find(const uint64_t *digests, size_t n);

#endif
