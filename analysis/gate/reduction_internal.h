/* reduction_internal.h - what reduction.c and reduction_ranks.c share. */
#ifndef TSCOPE_ANALYSIS_GATE_REDUCTION_INTERNAL_H
#define TSCOPE_ANALYSIS_GATE_REDUCTION_INTERNAL_H

#include "analysis/gate/reduction.h"
#include "analysis/rank/efficiency.h"
#include "analysis/ranks/ranks_internal.h"

/* Parts and ranks of io, from what the windows brought; nothing where none came. */
enum ts_status ts_reducer_parts(struct ts_reducer *r, struct ts_reduction *io, struct ts_error *err);

#endif
