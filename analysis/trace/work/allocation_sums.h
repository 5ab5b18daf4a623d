/* allocation_sums.h - what operators allocated and freed, by the instants [memory] of a trace (profile_memory=True): of each device,
 * and of the host.
 *
 * An instant belongs to the innermost operator that is open then on its own thread; what was freed counts for the operator that freed
 * it. A peak is the most that the instants themselves say was allocated, so what was there before the recording is in it. Who keeps
 * memory, and by which line, a memory snapshot tells (docs/memory.md). n log n. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_ALLOCATION_SUMS_H
#define TSCOPE_ANALYSIS_TRACE_WORK_ALLOCATION_SUMS_H

#include "analysis/trace/device/nest.h"

struct ts_allocation_sum {
	struct ts_span name;	   /* of the operator; empty: none was open */
	uint64_t count;		   /* of what was allocated */
	uint64_t allocated, freed; /* bytes; the largest, where 64 bits cannot hold them */
};

/* The memory of a device, or of the host. */
struct ts_allocation_place {
	bool host;
	int32_t device; /* TS_TRACE_NO_DEVICE: not said */
	struct ts_allocation_sum all;
	bool has_peak; /* an instant says what was allocated */
	int64_t peak, peak_ns;
	struct ts_span peak_in;		 /* the operator then; empty: none */
	struct ts_allocation_sum *items; /* those that allocated most first */
	size_t n;
};

/* Devices first, by number, then the host. Instants without bytes are left out. Everything lies in the arena but texts. */
enum ts_status ts_allocation_sums(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
				  struct ts_allocation_place **ret, size_t *ret_n, struct ts_error *err);

#endif
