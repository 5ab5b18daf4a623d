/* kempner.h - what KempnerForge's profiler (5666d0d1) prints at the end and writes as summary.md, over a trace, and what is right.
 *
 * It works on key_averages() of a live profiler: a row for each name of a kernel, copy or fill (the time that it took), a row for each
 * name of an operator (the time of what its calls launched themselves), and a row for each annotation on the device. A trace has all
 * three, and here stand for the rows: the events of devices; operators, with the events of which each is the innermost one around the
 * launching call; and `gpu_user_annotation`. It adds all of them, so a kernel counts once, twice or three times. FLOPs are torch's own
 * count by shapes (torch_flops.h). The time of the trace stands for the date, its folder for that of the traces.
 *
 * Right are the kernels, copies and fills alone, by the categories of kernel.h. docs/peers.md has the words that say why.
 */
#ifndef TSCOPE_ANALYSIS_PEERS_KEMPNER_H
#define TSCOPE_ANALYSIS_PEERS_KEMPNER_H

#include "analysis/peers/peer_page.h"
#include "analysis/trace/trace_answer.h"

enum ts_status ts_kempner(const struct ts_trace *trace, const struct ts_trace_answer *answer, const char *folder,
			  struct ts_arena *arena, struct ts_peer_answer *ret, struct ts_error *err);

#endif
