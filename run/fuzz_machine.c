/* Any bytes as the table of observations of a machine. No crash, no leak. */
#include "run/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_machine_rows rows;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	(void)ts_machine_read(ts_span_of(data, size), &arena, &rows, &err);
	ts_arena_finish(&arena);
	return 0;
}
