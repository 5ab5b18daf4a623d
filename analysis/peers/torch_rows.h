/* torch_rows.h - the rows of key_averages() of torch's profiler over a trace.
 *
 * A row is a name of an operator, annotation, call or overhead of the host, of work of a device, or of an annotation there. On the
 * host, spans stand within one another by torch's own rule (EventList, torch 2.13): of a thread by begin, the longer first, what ends
 * before a span does is no longer open; a span that is the only one within one of its name counts as that one. Its time on devices is
 * that of what the operator launched that is the innermost around the call, and of all within it. Its memory is what was allocated,
 * less what was freed, between its begin and its end, by whichever thread. Python functions are none: the profiler of KempnerForge
 * records no stacks.
 *
 * Right are: of totals the spans that do not stand within another of their row, and of memory what their own thread did.
 */
#ifndef TSCOPE_ANALYSIS_PEERS_TORCH_ROWS_H
#define TSCOPE_ANALYSIS_PEERS_TORCH_ROWS_H

#include "analysis/trace/nest.h"

enum ts_torch_class { TS_TORCH_HOST, TS_TORCH_MARK, TS_TORCH_DEVICE, TS_TORCH_DEVICE_MARK, TS_TORCH_CLASSES };

/* Of the host, and of devices. */
enum { TS_TORCH_CPU, TS_TORCH_CUDA, TS_TORCH_PLACES };

/* Times in nanoseconds, memory in bytes. A double is exact up to 2^53 of either. Of what torch has, self_ is without what stands
 * within; of what is right, _once is without spans that stand within another of the row, and own_ what the span's own thread did. */
struct ts_torch_row {
	struct ts_span name;
	enum ts_torch_class is;
	uint64_t count, flops;
	bool shapeless; /* of some, FLOPs are not known */
	double self_cpu, cpu, cpu_once;
	double self_cuda, cuda, cuda_once;
	double memory[TS_TORCH_PLACES], own_memory[TS_TORCH_PLACES], self_memory[TS_TORCH_PLACES], own_self_memory[TS_TORCH_PLACES];
	int64_t first_ns, first_took_ns; /* the first span, by begin; of several the longest, of those the first of the trace */
	size_t first_span;
};

struct ts_torch_rows {
	struct ts_torch_row *rows; /* by first */
	size_t n;
	double self_cpu, cuda; /* sums: of the host, of the work of devices */
	double busy;	       /* the union of the latter */
	bool with_memory, with_device_memory;
};

/* busy_ns: as the timeline of all devices has it. Everything lies in the arena; names are the trace's. */
enum ts_status ts_torch_rows(const struct ts_trace *trace, uint64_t busy_ns, struct ts_arena *arena, struct ts_torch_rows *ret,
			     struct ts_error *err);

#endif
