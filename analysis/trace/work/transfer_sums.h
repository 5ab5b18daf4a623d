/* transfer_sums.h - copies by direction, and fills by the shape of what is filled.
 *
 * The direction of a copy is what its name says: "Memcpy HtoD (Pageable -> Device)" is HtoD from pageable memory, "CopyHostToDevice" of
 * ROCm HtoD of memory that is not said. Bandwidth is bytes by duration of the copies that say their bytes; the others count apart.
 * The shape of a fill is "Input Dims" of the nearest operator around its call that has one. What fills are: events of kind FILL, and
 * kernels of the category fill of kernel.h. Linear but for sorts. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_TRANSFER_SUMS_H
#define TSCOPE_ANALYSIS_TRACE_WORK_TRANSFER_SUMS_H

#include "analysis/trace/work/device_work.h"

enum ts_direction {
	TS_DIRECTION_HTOD,
	TS_DIRECTION_DTOH,
	TS_DIRECTION_DTOD,
	TS_DIRECTION_PTOP, /* between devices */
	TS_DIRECTION_HTOH,
	TS_DIRECTION_UNKNOWN,
	TS_DIRECTIONS,
};

/* The memory of the host's side. */
enum ts_host_memory { TS_HOST_MEMORY_UNSAID, TS_HOST_MEMORY_PAGEABLE, TS_HOST_MEMORY_PINNED, TS_HOST_MEMORIES };

const char *ts_direction_word(enum ts_direction direction);
const char *ts_host_memory_word(enum ts_host_memory memory);
void ts_copy_direction(struct ts_span name, enum ts_direction *ret, enum ts_host_memory *ret_memory);

struct ts_copy_sum {
	enum ts_direction direction;
	enum ts_host_memory memory;
	struct ts_work_sum sum;
	uint64_t sized, sized_ns; /* of them, those that say their bytes: how many, and how long they took */
	uint64_t bytes;
};

struct ts_fill_sum {
	struct ts_span shape;	    /* "[[64,3],[]]"; empty: not recorded */
	struct ts_span in_operator; /* that has the shape, or launched the fill; empty: none is known */
	struct ts_work_sum sum;
	uint64_t bytes; /* of those that say it */
};

struct ts_transfers {
	struct ts_copy_sum *copies; /* the longest first */
	size_t n_copies;
	struct ts_fill_sum *fills; /* the longest first */
	size_t n_fills;
	struct ts_work_sum filled; /* all fills */
};

enum ts_status ts_transfer_sums(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
				struct ts_transfers *ret, struct ts_error *err);

#endif
