/* graph_capture.h - which operators and modules the kernels of CUDA graphs are of: those around the calls that captured them.
 *
 * A replayed graph is one call, and nothing of the host stands around its kernels. What captured it is in another trace, or in the
 * same one: calls that launch between the begin and the end of a capture, of which no work of a device has the correlation. Where a
 * trace has no begin of a capture, all such calls of it are one.
 *
 * A graph's events belong to the capture whose launches have the names of its events, each as often (ROCm writes the kernel's name at
 * the call); the k-th event of a name, by the graph's node and then by begin, to the k-th launch of it. Of several such captures, as of
 * the layers of a model, the graphs take turns, in order. Where no capture has just these names, it is the one that shares nine tenths
 * of the events and more, and names that it has another number of stay unknown: a profiler may miss a kernel of a graph. Where calls do
 * not name their kernels (CUDA), the numbers of kernels, copies and fills have to agree, and the k-th event is of the k-th launch:
 * `by_order` counts those, because a graph whose branches run at once may begin them in another order, unless it says its nodes.
 *
 * Each event is of the same kernel in the trace of the capture then, as if that had launched it; so all of nest.h and trace_work.h is
 * said of it in the same way. n log n.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_GRAPH_CAPTURE_H
#define TSCOPE_ANALYSIS_TRACE_WORK_GRAPH_CAPTURE_H

#include "analysis/trace/work/trace_work.h"

struct ts_graph_work {
	uint64_t captures;		/* in the trace of the capture */
	uint64_t graphs, found;		/* launches of graphs with work of devices, and those whose capture was found */
	struct ts_work_sum all, linked;	/* all that graphs ran, and what of it has the call that captured it */
	struct ts_work_sum by_order;	/* of these, what is known by its order alone */
	struct ts_work_sum in_operator, in_module; /* of these, what has an operator, a module */
	struct ts_work_sum device; /* all work of the replay */
	struct ts_operator_sum *operators;
	size_t n_operators;
	struct ts_module_sums modules;
};

/* capture may be the replay's own trace, read a second time: its work of devices is replaced by that of the graphs, so it is of no use
 * afterwards; its columns are freed with it as before. Texts are those of both traces. */
enum ts_status ts_graph_work(const struct ts_trace *replay, struct ts_trace *io_capture, struct ts_arena *arena,
			     struct ts_graph_work *ret, struct ts_error *err);

#endif
