/* Any bytes as the files of a run directory, parted by bytes 0: run.json, facts.json, steps.jsonl, digests.jsonl, pipeline.jsonl,
 * events.jsonl, sketches.jsonl, trace.json. What is ingested is exported, and that is the same run again. */
#include "base/digest.h"
#include "ingest/export/export.h"
#include "ingest/ingest.h"
#include "run/test_objects.h"
#include "tests/fuzz/fuzz_files.h"
#include "tests/fuzz/fuzz_hold.h"

#include <stdio.h>

static enum ts_status get(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret_object,
			  struct ts_error *err)
{
	struct ts_span bytes = test_objects_find(ctx, id);

	*ret_object = ts_arena_span(arena, bytes);
	return ret_object->data ? TS_OK : ts_arena_error(arena, err);
}

static enum ts_status ingest(const char *path, struct test_objects *objects, struct ts_id *ret_head, struct ts_error *err)
{
	struct ts_ingest_options options = {.path = path};
	struct ts_ingest_result result;
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = ts_ingest(&options, test_objects_sink, objects, &arena, &result, err);
	if (!status)
		*ret_head = result.head;
	ts_arena_finish(&arena);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"run/run.json",	  "run/facts.json",   "run/steps.jsonl",    "run/digests.jsonl",
					    "run/pipeline.jsonl", "run/events.jsonl", "run/sketches.jsonl", "run/trace.json"};
	struct ts_span rest = ts_span_of(data, size);
	struct test_objects objects = {.n = 0};
	struct ts_id head, again;
	struct ts_error err;
	char path[128];

	hold(ts_digest_init(&err) == TS_OK);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct ts_span part = fuzz_part(&rest);

		(void)fuzz_folder_put(names[i], part.len ? part : ts_span_of(NULL, 0));
	}
	(void)snprintf(path, sizeof path, "%s/run", fuzz_folder());
	if (!ingest(path, &objects, &head, &err)) {
		(void)snprintf(path, sizeof path, "%s", fuzz_folder_clear("again"));
		hold(ts_export_run_dir(&head, get, &objects, path, NULL, &err) == TS_OK);
		hold(ingest(path, &objects, &again, &err) == TS_OK && ts_id_eq(&head, &again));
	}
	test_objects_finish(&objects);
	return 0;
}
