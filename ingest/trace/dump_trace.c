/* dump_trace.c - prints the columns of details of a trace, for tests/golden/trace/details.py: a line of JSON a row, [table, column,
 * ...], in which what was not said is null. */
#include "base/below.h"
#include "base/json_writer.h"
#include "ingest/trace/trace_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void must(enum ts_status status, const struct ts_error *err)
{
	if (status) {
		fprintf(stderr, "dump_trace: %s\n", err->text);
		exit(1);
	}
}

static void put_int64_t(struct ts_json *j, const struct ts_trace *trace, int64_t v)
{
	(void)trace;
	if (v == TS_TRACE_NONE)
		ts_json_null(j);
	else
		ts_json_i64(j, v);
}

static void put_double(struct ts_json *j, const struct ts_trace *trace, double v)
{
	(void)trace;
	if (isnan(v))
		ts_json_null(j);
	else
		ts_json_double(j, v);
}

/* A number of a name. */
static void put_ts_trace_name_no(struct ts_json *j, const struct ts_trace *trace, uint32_t v)
{
	if (v)
		ts_json_span(j, trace->names[v]);
	else
		ts_json_null(j);
}

/* Its place and its shapes. */
static void put_ts_trace_span_no(struct ts_json *j, const struct ts_trace *trace, uint32_t span)
{
	ts_json_u64(j, span);
	put_ts_trace_name_no(j, trace, trace->rows.spans.shapes[span]);
}

#define PUT_CELL(type, column) put_##type(&j, trace, t->column[i]);
#define PUT_TABLE(type, table, columns)                                                                                                \
	for (size_t i = 0; i < trace->rows.table.n; i++) {                                                                             \
		const struct type *t = &trace->rows.table;                                                                             \
		struct ts_json j = ts_json_of(&out);                                                                                   \
                                                                                                                                       \
		ts_json_array(&j);                                                                                                     \
		ts_json_string(&j, #table);                                                                                            \
		columns(PUT_CELL) ts_json_end(&j);                                                                                     \
		ts_buf_char(&out, '\n');                                                                                               \
		must(ts_buf_check(&out, &err), &err);                                                                                  \
		(void)fwrite(out.data, 1, out.len, stdout);                                                                            \
		ts_buf_reset(&out);                                                                                                    \
	}

static void dump(const struct ts_trace *trace)
{
	struct ts_buf out = TS_BUF_INIT(256 << 20);
	struct ts_error err;

	TS_TRACE_DETAIL_TABLES(PUT_TABLE)
	ts_buf_finish(&out);
}

int main(int argc, char **argv)
{
	struct ts_source source = {0};
	struct ts_arena arena;
	struct ts_notices notices = {.arena = &arena};
	struct ts_trace_reading reading = {.notices = &notices};
	struct ts_trace_file file;
	struct ts_trace trace;
	struct ts_error err;

	if (argc != 2) {
		fprintf(stderr, "usage: dump_trace FILE\n");
		return 2;
	}
	source.name = source.path = ts_span_str(argv[1]);
	ts_arena_init(&arena, 0);
	must(ts_below_open(argv[1], argv[1], &source.fd, &source.size, &err), &err);
	must(ts_trace_load(&source, &reading, &trace, &file, &err), &err);
	dump(&trace);
	ts_trace_finish(&trace);
	ts_trace_file_finish(&file);
	ts_arena_finish(&arena);
	return 0;
}
