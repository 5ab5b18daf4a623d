/* Any bytes as run.json, facts.json and --fact. What is accepted as facts.json and written again reads back the same. */
#include "base/digest.h"
#include "ingest/facts/facts_json.h"

#include <stdlib.h>

static bool same(const struct ts_facts *a, const struct ts_facts *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!ts_span_eq(a->items[i].path, b->items[i].path) || !ts_fact_same(&a->items[i], &b->items[i]))
			return false;
	return true;
}

/* Nested JSON holds every set of facts of one source, unless "paths" set some that no JSON can hold together. */
static void write_and_read(const struct ts_facts *facts, struct ts_arena *arena)
{
	struct ts_buf out = TS_BUF_INIT(64 << 20);
	struct ts_facts again = {.n = 0};
	struct ts_error err;

	ts_facts_to_json(facts, &out);
	if (!out.failed && !ts_facts_from_json(ts_buf_view(&out), TS_SOURCE_HOST, arena, &again, &err)) {
		(void)ts_facts_sort(&again);
		if (!same(facts, &again))
			abort();
	}
	ts_buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span bytes = ts_span_of(data, size);
	struct ts_facts run = {.n = 0}, facts = {.n = 0};
	bool one_source = true;
	struct ts_arena arena;
	struct ts_fact fact;
	struct ts_error err;

	if (ts_digest_init(&err))
		abort();
	ts_arena_init(&arena, 256 << 20);
	(void)ts_facts_from_run_json(bytes, &arena, &run, &err);
	(void)ts_fact_from_arg(bytes, TS_SOURCE_PUSHER, &arena, &fact, &err);
	if (!ts_facts_from_json(bytes, TS_SOURCE_HOST, &arena, &facts, &err)) {
		(void)ts_facts_sort(&facts);
		for (size_t i = 0; i < facts.n; i++)
			one_source = one_source && facts.items[i].source == TS_SOURCE_HOST;
		if (one_source && !memmem(data, size, "\"paths\"", 7) && !memmem(data, size, "\\u", 2))
			write_and_read(&facts, &arena);
	}
	ts_arena_finish(&arena);
	return 0;
}
