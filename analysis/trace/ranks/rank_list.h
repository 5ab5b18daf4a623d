/* rank_list.h - "Process Group Ranks" as a trace says it: "[0, 2, 4]". Long lists are cut: "[0, 1, ..., 7]". Threads: any. */
#ifndef TSCOPE_ANALYSIS_TRACE_RANKS_RANK_LIST_H
#define TSCOPE_ANALYSIS_TRACE_RANKS_RANK_LIST_H

#include "base/span.h"

/* Takes the next rank from "0, 2, 4]", what is left of a list behind its bracket; false: there is none. What is no number is passed
 * over. A list that is cut ends there. */
bool ts_rank_list_next(struct ts_span *list, int64_t *ret);
/* The n-th rank of the list, from 0; TS_TRACE_NONE: it has none. */
int64_t ts_rank_list_at(struct ts_span ranks, int64_t n);
/* The other one of a list of two ranks; TS_TRACE_NONE: it has not two, or `own` is none of them. */
int64_t ts_rank_list_other(struct ts_span ranks, int64_t own);

#endif
