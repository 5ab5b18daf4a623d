/* kernel_sums.h - what the kernels, copies and fills of a trace took by category and by name.
 *
 * A sum adds durations, so what ran at once on several streams counts for each; timeline.h has the times without that. Shares are of
 * the sum of all. Copies and fills have categories of their own beside those of kernel.h.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DEVICE_KERNEL_SUMS_H
#define TSCOPE_ANALYSIS_TRACE_DEVICE_KERNEL_SUMS_H

#include "analysis/trace/device/kernel.h"
#include "base/arena.h"
#include "run/trace.h"

/* Beside enum ts_kernel_category. */
enum { TS_SUM_COPY = TS_KERNEL_CATEGORIES, TS_SUM_FILL, TS_SUM_CATEGORIES };

struct ts_kernel_sum {
	struct ts_span name; /* of one name; of a category empty */
	uint32_t category;   /* enum ts_kernel_category, TS_SUM_COPY or TS_SUM_FILL */
	uint8_t by;	     /* of a name of kernels: enum ts_kernel_by, what told the category, */
	struct ts_span evidence; /* and by which pattern or operator; empty: nothing told it */
	uint8_t units;		 /* of a name: enum ts_kernel_units */
	uint64_t count, sum_ns, max_ns;
	uint64_t bytes; /* of copies and fills, where they say so */
};

struct ts_kernel_sums {
	uint64_t sum_ns;		  /* of all */
	struct ts_kernel_sum *categories; /* those that occur, the longest first */
	size_t n_categories;
	struct ts_kernel_sum *names; /* the longest first */
	size_t n_names;
};

/* Everything lies in the arena but names, which are the trace's. */
enum ts_status ts_kernel_sums(const struct ts_trace *trace, struct ts_arena *arena, struct ts_kernel_sums *ret, struct ts_error *err);
/* The category of a span of a device. */
uint32_t ts_sum_category_of(const struct ts_trace *trace, size_t span);
/* "gemm", "memcpy". */
const char *ts_sum_category_word(uint32_t category);

#endif
