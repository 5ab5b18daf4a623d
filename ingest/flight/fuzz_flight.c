/* Any bytes as a dump of a Flight Recorder: no crash, no leak; and those of two ranks can be judged. */
#include "ingest/flight/flight_behind.h"
#include "ingest/flight/flight_read.h"
#include "tests/fuzz/fuzz_hold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_flight_dump dumps[2];
	struct ts_flight_behind behind;
	struct ts_arena arena;
	struct ts_error err;
	size_t n = 0;

	ts_arena_init(&arena, (size_t)256 << 20);
	for (int32_t rank = 0; rank < 2; rank++) { /* the second has what is left behind the first half */
		struct ts_span part = rank ? ts_span_of(data + size / 2, size - size / 2) : ts_span_of(data, size);
		struct ts_source source = {
			.fd = -1, .memory = part, .size = part.len, .name = ts_span_str("a"), .path = ts_span_str("a")};

		n += ts_flight_read(&source, rank, &arena, &dumps[n], &err) == TS_OK;
	}
	if (ts_flight_judge(dumps, n, 3, &arena, &behind, &err) == TS_OK)
		hold(behind.n_ranks <= 3 && (behind.said || !behind.n_ranks));
	ts_arena_finish(&arena);
	return 0;
}
