/* Any bytes as a trace: no crash, no leak, and details of spans that are there; by every scanner, through small and large windows, the
 * same rows and the same notices. */
#include "ingest/trace/trace_read.h"

#include "tests/fuzz/fuzz_hold.h"

#include <stdlib.h>

struct seen {
	uint64_t hash;
	enum ts_status status;
	size_t names, threads, notices;
	char text[TS_ERROR_TEXT];
};

static uint64_t mix(uint64_t h, const void *data, size_t n)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001B3);
	return h;
}

static void hash_rows(const struct ts_trace *t, struct seen *s)
{
#define HASH_COLUMN(type, column) s->hash = table->n ? mix(s->hash, table->column, table->n * sizeof(type)) : s->hash;
#define HASH_TABLE(type, member, columns)                                                                                              \
	{                                                                                                                              \
		const struct type *table = &t->rows.member;                                                                            \
		columns(HASH_COLUMN)                                                                                                   \
	}
	TS_TRACE_TABLES(HASH_TABLE)
	for (size_t i = 0; i < t->n_names; i++)
		s->hash = mix(s->hash, t->names[i].data, t->names[i].len);
	s->names = t->n_names;
	s->threads = t->n_threads;
}

/* The spans of each table of details increase, and are there. */
static void hold_details(const struct ts_trace_rows *r)
{
#define HOLD_TABLE(type, table, columns)                                                                                               \
	for (size_t i = 0; i < r->table.n; i++)                                                                                        \
		hold(r->table.span[i] < r->spans.n && (!i || r->table.span[i - 1] < r->table.span[i]));
	TS_TRACE_DETAIL_TABLES(HOLD_TABLE)
}

static struct seen read_once(struct ts_span bytes, const struct ts_trace_scanner *scanner, size_t window)
{
	struct ts_source source = {.fd = -1, .memory = bytes, .size = bytes.len, .name = ts_span_str("t"), .path = ts_span_str("t")};
	struct seen seen = {0};
	struct ts_arena arena;
	struct ts_notices notices = {.arena = &arena};
	struct ts_trace_reading reading = {.scanner = scanner, .window = window, .notices = &notices};
	struct ts_trace_file file;
	struct ts_trace trace;
	struct ts_error err = {0};

	ts_arena_init(&arena, 0);
	seen.status = ts_trace_load(&source, &reading, &trace, &file, &err);
	if (!seen.status) {
		hold_details(&trace.rows);
		hash_rows(&trace, &seen);
		ts_trace_finish(&trace);
		ts_trace_file_finish(&file);
	} else if (seen.status != TS_DAMAGED) { /* zlib sees damage some bytes earlier or later */
		memcpy(seen.text, err.text, sizeof seen.text);
	}
	seen.notices = notices.n;
	ts_arena_finish(&arena);
	return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t nothing[1];
	struct ts_span bytes = ts_span_of(size ? data : nothing, size);
	const struct ts_trace_scanner *scanner;
	struct seen first = read_once(bytes, NULL, 0);

	for (size_t i = 0; (scanner = ts_trace_scanner_at(i)); i++) {
		struct seen other = read_once(bytes, scanner, i ? 4096 : 16);

		hold(memcmp(&first, &other, sizeof first) == 0);
	}
	return 0;
}
