/* Any bytes as a steps.jsonl, and as each of the files beside it: no crash, no leak; a window of any size gives
 * the same objects, and what was read is read again the same. */
#include "base/digest.h"
#include "ingest/core/fuzz_reader.h"
#include "ingest/rundir/side_read.h"
#include "ingest/rundir/steps.h"

#include <stdlib.h>

static bool read_once(struct ts_span bytes, size_t window, struct ts_id *ret_id)
{
	struct ts_sink_count sink = {.sink = fuzz_drop};
	struct ts_arena arena;
	struct ts_notices notices = {.arena = &arena};
	struct ts_steps_input input = {
		.source = {.fd = -1, .memory = bytes, .size = bytes.len, .name = ts_span_str("steps.jsonl")},
		.notices = &notices,
		.sink = &sink,
		.window = window};
	struct ts_side_input beside = {.source = input.source, .notices = &notices, .window = window};
	struct ts_facts none = {.n = 0};
	struct ts_builder *b;
	struct ts_error err;
	uint64_t segments;
	bool ok;

	ts_arena_init(&arena, 0);
	ok = ts_steps_read(&input, &b, &segments, &err) == TS_OK;
	if (ok) {
		for (size_t i = 0; ok && i < TS_SIDE_FILES; i++) {
			beside.file = &ts_side_files[i];
			ok = ts_side_read(&beside, b, &err) == TS_OK;
		}
		ok = ok && ts_builder_finish(b, &none, ret_id, &err) == TS_OK;
		ts_builder_destroy(b);
	}
	ts_arena_finish(&arena);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t nothing[1];
	struct ts_id a, b;
	struct ts_error err;
	bool ok;

	if (ts_digest_init(&err))
		abort();
	data = size ? data : nothing;
	ok = read_once(ts_span_of(data, size), 1 << 16, &a);
	if (ok != read_once(ts_span_of(data, size), 1 + size / 3, &b) || (ok && !ts_id_eq(&a, &b)))
		abort();
	return 0;
}
