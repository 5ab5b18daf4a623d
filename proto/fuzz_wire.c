/* Any bytes as any message, which the first byte picks, and as those of health: unpacked, packed, unpacked, packed to the same. And as
 * a request of reflection: what was accepted is answered. */
#include "base/limits.h"
#include "proto/health.h"
#include "proto/reflection.h"
#include "proto/test_again.h"
#include "tests/fuzz/fuzz_hold.h"

static void check_health(struct ts_span in, struct ts_arena *arena)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_span service, same;
	enum ts_health health, again;
	struct ts_error err;

	if (!ts_wire_unpack_health_request(in, arena, &service, &err)) {
		hold(ts_wire_pack_health_request(service, &out, &err) == TS_OK);
		hold(ts_wire_unpack_health_request(ts_buf_view(&out), arena, &same, &err) == TS_OK && ts_span_eq(service, same));
	}
	ts_buf_reset(&out);
	if (!ts_wire_unpack_health_reply(in, arena, &health, &err)) {
		hold(ts_wire_pack_health_reply(health, &out, &err) == TS_OK);
		hold(ts_wire_unpack_health_reply(ts_buf_view(&out), arena, &again, &err) == TS_OK && health == again);
	}
	ts_buf_finish(&out);
}

static void check_reflection(struct ts_span in, struct ts_arena *arena)
{
	struct ts_buf out = TS_BUF_INIT(1 << 22);
	struct ts_reflection_request request;
	struct ts_error err;

	if (!ts_wire_unpack_reflection_request(in, arena, &request, &err))
		hold(ts_wire_pack_reflection_reply(&request, &out, &err) == TS_OK && out.len > 0);
	ts_buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_buf first = TS_BUF_INIT(1 << 26), second = TS_BUF_INIT(1 << 26);
	struct ts_arena arena;
	struct ts_error err;

	if (size == 0)
		return 0;
	ts_arena_init(&arena, TS_CALL_ARENA);
	check_health(ts_span_of(data + 1, size - 1), &arena);
	check_reflection(ts_span_of(data + 1, size - 1), &arena);
	if (!test_messages[data[0] % test_n_messages].again(ts_span_of(data + 1, size - 1), &arena, &first, &err) &&
	    (test_messages[data[0] % test_n_messages].again(ts_buf_view(&first), &arena, &second, &err) ||
	     !ts_span_eq(ts_buf_view(&first), ts_buf_view(&second))))
		abort();
	ts_arena_finish(&arena);
	ts_buf_finish(&first);
	ts_buf_finish(&second);
	return 0;
}
