/* rank_rows.h - what one rank of several measured: the rows and events of the groups that each rank has for itself (timing,
 * memory, convergence, cross).
 *
 * The rows of an answer show one rank; the rules are asked about every rank by these (analysis/rules/rule.h).
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_RANK_ROWS_H
#define TSCOPE_ANALYSIS_ANSWER_RANK_ROWS_H

#include "analysis/answer/event.h"
#include "analysis/answer/measure.h"

struct ts_rank_rows {
	int32_t rank;
	struct ts_measures measures;
	struct ts_events events;
};

/* Appends copies of rows [from, to) of both lists, with copies of their texts in the arena. False when the arena is full. */
bool ts_rank_rows_measures(struct ts_rank_rows *rows, struct ts_arena *arena, const struct ts_measures *m, size_t from, size_t to);
bool ts_rank_rows_events(struct ts_rank_rows *rows, struct ts_arena *arena, const struct ts_events *events, size_t from, size_t to);
/* Whether the rows of an answer have this measure, which those of no rank have: a memory snapshot of which nothing says whose it is, or
 * the observations of the machine on which all ranks are. */
bool ts_rank_rows_of_any(enum ts_measure_name what, const struct ts_measures *answer, const struct ts_rank_rows *ranks, size_t n_ranks);

#endif
