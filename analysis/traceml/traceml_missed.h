/* traceml_missed.h - differences between two TraceML summaries that TraceML's own rule does not report. */
#ifndef TSCOPE_ANALYSIS_TRACEML_TRACEML_MISSED_H
#define TSCOPE_ANALYSIS_TRACEML_TRACEML_MISSED_H

#include "analysis/traceml/traceml_compare.h"

/* Pairs two numbers and computes their percentage. */
struct ts_traceml_pair ts_traceml_pair_of(struct ts_traceml_number a, struct ts_traceml_number b);
/* True if the phases of both were measured with the same clock. */
bool ts_traceml_same_phase_clock(const struct ts_traceml_summary *a, const struct ts_traceml_summary *b);
/* Fills missed, size and baselines of a comparison whose findings are already filled. */
enum ts_status ts_traceml_find_missed(const struct ts_traceml_summary *a, const struct ts_traceml_summary *b,
				      struct ts_traceml_comparison *c, struct ts_arena *arena, struct ts_error *err);

#endif
