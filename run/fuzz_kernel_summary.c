/* Any bytes as a summary of the kernels of a trace. No crash, no leak. */
#include "run/kernel_summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_kernel_summary summary;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	(void)ts_kernel_summary_read(ts_span_of(data, size), &arena, &summary, &err);
	ts_arena_finish(&arena);
	return 0;
}
