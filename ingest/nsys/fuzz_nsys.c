/* Any bytes as an export of Nsight Systems: no crash, no leak, and rows that hold. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/nsys/nsys_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_folder_put("x.sqlite", ts_span_of(data ? data : (const uint8_t *)"", size));
	struct ts_trace_file file;
	struct ts_notices notices;
	struct ts_trace trace;
	struct ts_arena arena;
	struct ts_error err;

	(void)ts_nsys_is(path);
	ts_arena_init(&arena, 0);
	notices = (struct ts_notices){.arena = &arena};
	if (!ts_nsys_load(path, &(struct ts_trace_reading){.notices = &notices, .columns_most = 64 << 20}, &trace, &file, &err)) {
		if (ts_trace_check(&trace, &err))
			__builtin_trap();
		ts_trace_finish(&trace);
		ts_trace_file_finish(&file);
	}
	ts_arena_finish(&arena);
	return 0;
}
