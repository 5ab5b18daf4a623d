/* trace_diff_parts.h - what trace_diff.c is made of: which kernel took whose place, and the sentence. */
#ifndef TSCOPE_ANALYSIS_TRACE_DIFF_TRACE_DIFF_PARTS_H
#define TSCOPE_ANALYSIS_TRACE_DIFF_TRACE_DIFF_PARTS_H

#include "analysis/trace/diff/trace_diff.h"

/* Sets category of the rows of kernels, and for those that B lacks replaced_by. */
enum ts_status ts_trace_diff_replaced(struct ts_trace_diff *d, const struct ts_trace_side sides[2], struct ts_arena *arena,
				      struct ts_error *err);
/* Sets the sentence. */
enum ts_status ts_trace_diff_say(struct ts_trace_diff *d, struct ts_arena *arena, struct ts_error *err);

#endif
