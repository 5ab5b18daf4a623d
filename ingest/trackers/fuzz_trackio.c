/* Any bytes as trackio's database: no crash, no leak. Only with libsqlite3 is anything of it read. */
#include "ingest/core/fuzz_reader.h"
#include "ingest/trackers/reader_trackio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_folder_put("x.db", ts_span_of(data ? data : (const uint8_t *)"", size));
	struct ts_ingest_options options = {.path = path};
	struct ts_ingest_result result;
	struct ts_arena arena;
	struct ts_error err;
	char **parts;
	size_t n = 0, deleted;

	(void)ts_trackio_sniff(path);
	ts_arena_init(&arena, 0);
	if (ts_trackio_parts(path, &arena, &parts, &n, &deleted, &err))
		n = 0;
	for (size_t i = 0; i < n && i < 3; i++) {
		options.part = parts[i];
		(void)ts_trackio_read(&options, fuzz_drop, NULL, &arena, &result, &err);
	}
	ts_arena_finish(&arena);
	fuzz_read(path, ts_trackio_read);
	return 0;
}
