/* Any text as a filter: refused with a place, or evaluated without harm. And as a fact that a store kept: no fact, or the same bytes
 * again. */
#include "base/limits.h"
#include "service/handlers/runs/fact_pack.h"
#include "service/handlers/runs/filter.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns facts of every kind, chosen by the path. */
static bool lookup(void *ctx, struct ts_span path, struct ts_fact *ret)
{
	(void)ctx;
	*ret = (struct ts_fact){.type = (enum ts_fact_type)(path.len % 10), .text = path, .integer = (int64_t)path.len};
	return path.len % 11 != 0;
}

static void unpack(struct ts_span bytes)
{
	struct ts_buf again = TS_BUF_INIT(TS_CALL_ARENA);
	struct ts_fact fact;
	enum ts_recall recall = ts_fact_unpack(bytes, &fact);

	if (recall == TS_RECALL_NOTHING)
		return;
	if (!ts_fact_pack(recall == TS_RECALL_FACT ? &fact : NULL, SIZE_MAX, &again) || again.len != bytes.len)
		abort();
	ts_buf_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_filter *filter;
	struct ts_arena arena;
	struct ts_error err;

	unpack(ts_span_of(data, size));
	ts_arena_init(&arena, TS_CALL_ARENA);
	if (!ts_filter_parse(ts_span_of(data, size), &arena, &filter, &err))
		(void)ts_filter_eval(filter, lookup, NULL);
	ts_arena_finish(&arena);
	return 0;
}
