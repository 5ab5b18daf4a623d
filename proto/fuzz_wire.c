/* Any bytes as any message: unpacked, packed, unpacked, packed to the same. The first byte picks the message. */
#include "base/limits.h"
#include "proto/test_again.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_buf first = TS_BUF_INIT(1 << 26), second = TS_BUF_INIT(1 << 26);
	struct ts_arena arena;
	struct ts_error err;

	if (size == 0)
		return 0;
	ts_arena_init(&arena, TS_CALL_ARENA);
	if (!test_messages[data[0] % test_n_messages].again(ts_span_of(data + 1, size - 1), &arena, &first, &err) &&
	    (test_messages[data[0] % test_n_messages].again(ts_buf_view(&first), &arena, &second, &err) ||
	     !ts_span_eq(ts_buf_view(&first), ts_buf_view(&second))))
		abort();
	ts_arena_finish(&arena);
	ts_buf_finish(&first);
	ts_buf_finish(&second);
	return 0;
}
