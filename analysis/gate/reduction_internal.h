/* reduction_internal.h - what reduction.c and reduction_ranks.c share. */
#ifndef TSCOPE_ANALYSIS_GATE_REDUCTION_INTERNAL_H
#define TSCOPE_ANALYSIS_GATE_REDUCTION_INTERNAL_H

#include "analysis/gate/reduction.h"
#include "analysis/rank/efficiency.h"
#include "analysis/ranks/ranks_internal.h"

/* Parts and ranks of io, from what the windows brought; nothing where none came. */
enum ts_status ts_reducer_parts(struct ts_reducer *r, struct ts_reduction *io, struct ts_error *err);

/* Computes step_time and step_time_mean, in any unit, of the n records from the one at `from` on. */
typedef void ts_reduce_piece(void *ctx, size_t from, size_t n, double *ret_time, double *ret_mean);
/* The pieces of a run of n records that count. */
enum ts_status ts_reducer_pieces(size_t n, ts_reduce_piece *reduce, void *ctx, struct ts_arena *arena, struct ts_reduction *io,
				 struct ts_error *err);

#endif
