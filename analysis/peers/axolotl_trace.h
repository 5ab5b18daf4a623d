/* axolotl_trace.h - what Axolotl's analyze_profile.py (067b021c) prints of a trace, computed as it computes, and what is right.
 *
 * It counts kernels and copies of the category names `kernel` and `gpu_memcpy`, so none of the traces of 2021 and no memset. Of more
 * than 1000 it takes those that begin behind 45 % of the time from the first begin to the last, as doubles of microseconds. It finds
 * a step where begins are further apart than 50 medians and 100 ms. What it prints while it loads is left out, and so is the option
 * of a GPU's size. Given a file instead of a folder it then stops, because it opens the trace as a pickle; the summary is printed
 * here as of a folder.
 *
 * Right are: of device time the union of all kernels, copies and fills of the whole trace; of steps the ProfilerSteps; of a category
 * or a kernel the sum over the whole trace, categories as amended (axolotl_kernels.h). docs/peers.md has the words that say why.
 */
#ifndef TSCOPE_ANALYSIS_PEERS_AXOLOTL_TRACE_H
#define TSCOPE_ANALYSIS_PEERS_AXOLOTL_TRACE_H

#include "analysis/peers/peer_page.h"
#include "analysis/trace/trace_answer.h"

/* answer is that of the same trace. label is what its headings name. */
enum ts_status ts_axolotl_trace(const struct ts_trace *trace, const struct ts_trace_answer *answer, const char *label,
				struct ts_arena *arena, struct ts_peer_answer *ret, struct ts_error *err);
/* The two traces and the comparison that --compare prints. */
enum ts_status ts_axolotl_compare(const struct ts_trace *const traces[2], const struct ts_trace_answer *const answers[2],
				  const char *const labels[2], struct ts_arena *arena, struct ts_peer_answer *ret,
				  struct ts_error *err);

#endif
