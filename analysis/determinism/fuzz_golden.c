/* Any bytes as a golden record. What is read is written, unless it is too large, and that is read again as the same values. */
#include "analysis/determinism/likeness.h"
#include "tests/fuzz/fuzz_hold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_golden golden, again;
	struct ts_likeness like;
	struct ts_arena arena;
	struct ts_buf out = TS_BUF_INIT(TS_GOLDEN_READ_MOST);
	struct ts_error err;

	ts_arena_init(&arena, 256 << 20);
	if (!ts_golden_parse(ts_span_of(data, size), &arena, &golden, &err) && !ts_golden_print(&golden, &out, &err)) {
		hold(ts_golden_parse(ts_buf_view(&out), &arena, &again, &err) == TS_OK);
		hold(again.n == golden.n);
		hold(ts_likeness_of(&golden, &again, ts_profile_find(ts_span_str("float32")), NULL, &arena, &like, &err) == TS_OK);
		hold(like.proof != TS_PROOF_RED);
	}
	ts_buf_finish(&out);
	ts_arena_finish(&arena);
	return 0;
}
