#include "ingest/core/fuzz_reader.h"

#include "base/digest.h"

#include <stdlib.h>

enum ts_status fuzz_drop(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	(void)ctx;
	(void)id;
	(void)object;
	(void)err;
	return TS_OK;
}

void fuzz_read(const char *path, fuzz_read_fn *read)
{
	struct ts_ingest_options options = {.path = path};
	struct ts_ingest_result result;
	struct ts_arena arena;
	struct ts_error err;

	if (ts_digest_init(&err))
		abort();
	ts_arena_init(&arena, 0);
	(void)read(&options, fuzz_drop, NULL, &arena, &result, &err);
	ts_arena_finish(&arena);
}

void fuzz_runs(const struct ts_reader *reader, const char *path)
{
	struct ts_ingest_options options = {.path = path};
	struct ts_ingest_result result;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_reader_part *parts;
	size_t n = 0, deleted;

	(void)reader->sniff(path);
	ts_arena_init(&arena, 0);
	if (reader->parts(path, &arena, &parts, &n, &deleted, &err))
		n = 0;
	for (size_t i = 0; i < n && i < 3; i++) {
		options.part = parts[i].id;
		(void)reader->read(&options, fuzz_drop, NULL, &arena, &result, &err);
	}
	ts_arena_finish(&arena);
	fuzz_read(path, reader->read);
}
