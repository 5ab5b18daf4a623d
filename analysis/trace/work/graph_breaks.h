/* graph_breaks.h - what a trace proves of code that torch.compile compiled: how often it was entered, where it ended early, and which
 * calls ran as they are.
 *
 * Entry: an operator or annotation "Torch-Compiled Region...". TorchDynamo runs a compiled frame within one.
 *
 * Graph break: an entry within which another region is entered, but not within a call of a compiled graph ("CompiledFunction...",
 * "## Call CompiledFxGraph ..."), whose own operators may be compiled. The code of a frame ends at its first break, and what follows is
 * a frame of its own, or calls some; so such an entry is one break. A break behind which nothing compiled is entered does not show.
 *
 * Lookup: "TorchDynamo Cache Lookup", before a frame that Dynamo looks at. If no region is entered behind it on its thread, where it
 * stands, before the next lookup there, the frame fell back: it ran as Python does, because it is skipped or was compiled too often.
 * The last span of a thread says nothing, because the recording ended. Without regions in the trace, fallbacks are not known.
 *
 * The backward pass of compiled code calls graphs, and enters no frames. Linear. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_GRAPH_BREAKS_H
#define TSCOPE_ANALYSIS_TRACE_WORK_GRAPH_BREAKS_H

#include "analysis/trace/device/nest.h"

/* In the recording, or within its ProfilerSteps. */
struct ts_break_counts {
	uint64_t entries, breaks, lookups, fell_back;
};

struct ts_graph_breaks {
	struct ts_break_counts all, in_steps;
	uint64_t steps;	      /* ProfilerStep annotations */
	uint64_t graph_calls; /* of compiled graphs, the outermost, within no region and no backward pass */
};

enum ts_status ts_graph_breaks(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
			       struct ts_graph_breaks *ret, struct ts_error *err);

#endif
