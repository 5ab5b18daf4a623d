/* Any bytes as what a client sends: the judgement is the same however they are cut, and what is not a flood by its size is judged
 * without reading beyond them. */
#include "service/rpc/guard/conduct.h"

#include "tests/fuzz/fuzz_hold.h"

static enum ts_cutoff judge(struct ts_conduct *c, const uint8_t *data, size_t size, size_t piece)
{
	enum ts_cutoff cause = TS_CUTOFF_NONE;

	ts_conduct_init(c, 1);
	for (size_t at = 0; at < size && !cause; at += piece)
		cause = ts_conduct_up(c, ts_span_of(data + at, piece < size - at ? piece : size - at), 1);
	return cause;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ts_conduct whole, cut;
	size_t piece;

	if (size < 1)
		return 0;
	piece = (size_t)data[0] + 1;
	hold(judge(&whole, data + 1, size - 1, size) == judge(&cut, data + 1, size - 1, piece));
	hold(whole.streams.n == cut.streams.n && whole.window == cut.window && whole.resets == cut.resets);
	hold(whole.streams.n <= TS_STREAMS_MAX && (!whole.block || whole.block_bytes <= 32 << 10));
	/* The same bytes as the server's, which a guard only counts. */
	ts_conduct_down(&whole, ts_span_of(data + 1, size - 1), 1);
	(void)ts_conduct_overdue(&whole, INT64_C(100000000000));
	return 0;
}
