/* Any bytes as run.json, facts.json and --fact, and as a patch that may have secrets. Facts that are written again read back the
 * same, nested and by their paths. */
#include "base/digest.h"
#include "base/limits.h"
#include "ingest/facts/facts_json.h"
#include "ingest/facts/facts_write.h"
#include "ingest/facts/redact.h"
#include "tests/fuzz/fuzz_hold.h"

#include <stdlib.h>

enum { TEXT_MAX = 64 << 20 };

static bool same(const struct ts_facts *a, const struct ts_facts *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!ts_span_eq(a->items[i].path, b->items[i].path) || !ts_fact_same(&a->items[i], &b->items[i]))
			return false;
	return true;
}

static void read_again(const struct ts_buf *json, const struct ts_facts *facts, struct ts_arena *arena)
{
	struct ts_facts again = {.n = 0};
	struct ts_error err;
	uint64_t repeated = 0;

	if (json->len > TS_JSON_FILE_MAX)
		return;
	hold(ts_facts_from_json(ts_buf_view(json), TS_SOURCE_HOST, arena, &again, &repeated, &err) == TS_OK);
	(void)ts_facts_sort(&again);
	hold(same(facts, &again) && repeated == 0);
}

/* Writes the effective facts as if they came from a single source, and reads them back. Only "paths" can say that a
 * group is a value or a list. */
static void write_and_read(const struct ts_facts *facts, struct ts_arena *arena)
{
	struct ts_buf nested = TS_BUF_INIT(TEXT_MAX), paths = TS_BUF_INIT(TEXT_MAX);
	struct ts_json j = ts_json_of(&paths);
	struct ts_facts own = {.n = 0};
	struct ts_error err;
	bool groups = true;

	for (size_t i = 0; i < facts->n; i++) {
		struct ts_span path = facts->items[i].path;
		const uint8_t *dot = memchr(path.data, '.', path.len), *bracket = memchr(path.data, '[', path.len);

		if (path.len > TS_PATH_MAX)
			return;
		groups = groups && dot && (!bracket || dot < bracket);
		if (i + 1 == facts->n || !ts_span_eq(path, facts->items[i + 1].path))
			hold(ts_facts_add(&own, &facts->items[i], arena, &err) == TS_OK);
	}
	j.python = true;
	ts_facts_to_json(&own, &nested);
	hold(!nested.failed);
	if (groups)
		read_again(&nested, &own, arena);
	ts_json_object(&j);
	ts_facts_write_paths(&own, &j);
	ts_json_end(&j);
	hold(!paths.failed);
	read_again(&paths, &own, arena);
	ts_buf_finish(&nested);
	ts_buf_finish(&paths);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span bytes = ts_span_of(data, size);
	struct ts_facts run = {.n = 0}, facts = {.n = 0};
	struct ts_arena arena;
	struct ts_fact fact;
	struct ts_error err;
	size_t line;

	if (ts_digest_init(&err))
		abort();
	ts_arena_init(&arena, 256 << 20);
	(void)ts_facts_from_run_json(bytes, &arena, &run, NULL, &err);
	(void)ts_fact_from_arg(bytes, TS_SOURCE_PUSHER, &arena, &fact, &err);
	(void)ts_secret_code(bytes, &line);
	if (!ts_facts_from_json(bytes, TS_SOURCE_HOST, &arena, &facts, NULL, &err)) {
		(void)ts_facts_sort(&facts);
		write_and_read(&facts, &arena);
	}
	ts_arena_finish(&arena);
	return 0;
}
