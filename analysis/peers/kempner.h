/* kempner.h - what KempnerForge's profiler (5666d0d1) prints at the end and writes as summary.md, over a trace, and what is right.
 *
 * It works on key_averages() of a live profiler, of which it prints the table (torch_table.h), and adds the time on devices of all
 * rows: of kernels, copies and fills what they took, of operators what their calls launched themselves, of annotations on the device
 * what they took. So a kernel counts once, twice or three times. FLOPs are torch's own count by shapes (torch_flops.h). The time of the
 * trace stands for the date, its folder for that of the traces.
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
