/* dump_trace.c - prints the columns of details of a trace, for tests/golden/trace/details.py: a line of JSON a row, [table, column,
 * ...], in which what was not said is null. With --rows, for tests/golden/mutate.py: the rows of the other tables, without their
 * places, so that those of two files can be compared as sets. */
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

static void put_thread(struct ts_json *j, const struct ts_trace *trace, uint32_t thread)
{
	const struct ts_trace_thread *t = &trace->threads[thread];

	put_int64_t(j, trace, t->pid);
	put_int64_t(j, trace, t->tid);
	put_ts_trace_name_no(j, trace, t->pid_text);
	put_ts_trace_name_no(j, trace, t->tid_text);
}

static void put_out(struct ts_json *j, struct ts_buf *out)
{
	struct ts_error err;

	ts_json_end(j);
	ts_buf_char(out, '\n');
	must(ts_buf_check(out, &err), &err);
	(void)fwrite(out->data, 1, out->len, stdout);
	ts_buf_reset(out);
}

static void dump_spans(const struct ts_trace *trace, struct ts_buf *out)
{
	const struct ts_trace_spans *s = &trace->rows.spans;

	for (size_t i = 0; i < s->n; i++) {
		struct ts_json j = ts_json_of(out);

		ts_json_array(&j);
		ts_json_string(&j, "spans");
		ts_json_u64(&j, s->kind[i]);
		put_ts_trace_name_no(&j, trace, s->name[i]);
		put_thread(&j, trace, s->thread[i]);
		ts_json_i64(&j, s->start_ns[i]);
		ts_json_i64(&j, s->duration_ns[i]);
		put_int64_t(&j, trace, s->correlation[i]);
		put_int64_t(&j, trace, s->external[i]);
		put_int64_t(&j, trace, s->bytes[i]);
		ts_json_i64(&j, s->device[i]);
		ts_json_i64(&j, s->stream[i]);
		put_ts_trace_name_no(&j, trace, s->category[i]);
		put_ts_trace_name_no(&j, trace, s->shapes[i]);
		put_ts_trace_name_no(&j, trace, s->collective[i]);
		put_ts_trace_name_no(&j, trace, s->group[i]);
		put_out(&j, out);
	}
}

static void dump_others(const struct ts_trace *trace, struct ts_buf *out)
{
	const struct ts_trace_flows *f = &trace->rows.flows;
	const struct ts_trace_allocations *a = &trace->rows.allocations;

	for (size_t i = 0; i < f->n; i++) {
		struct ts_json j = ts_json_of(out);

		ts_json_array(&j);
		ts_json_string(&j, "flows");
		put_ts_trace_name_no(&j, trace, f->category[i]);
		put_thread(&j, trace, f->thread[i]);
		ts_json_i64(&j, f->time_ns[i]);
		ts_json_i64(&j, f->id[i]);
		ts_json_bool(&j, f->end[i]);
		put_out(&j, out);
	}
	for (size_t i = 0; i < a->n; i++) {
		struct ts_json j = ts_json_of(out);

		ts_json_array(&j);
		ts_json_string(&j, "allocations");
		put_thread(&j, trace, a->thread[i]);
		ts_json_i64(&j, a->time_ns[i]);
		put_int64_t(&j, trace, a->address[i]);
		ts_json_i64(&j, a->bytes[i]);
		put_int64_t(&j, trace, a->allocated[i]);
		put_int64_t(&j, trace, a->reserved[i]);
		ts_json_i64(&j, a->device[i]);
		put_out(&j, out);
	}
}

static void dump_rows(const struct ts_trace *trace)
{
	struct ts_buf out = TS_BUF_INIT(256 << 20);

	dump_spans(trace, &out);
	dump_others(trace, &out);
	ts_buf_finish(&out);
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

	bool rows = argc == 3 && strcmp(argv[1], "--rows") == 0;
	const char *path = argv[argc - 1];

	if (argc != 2 && !rows) {
		fprintf(stderr, "usage: dump_trace [--rows] FILE\n");
		return 2;
	}
	source.name = source.path = ts_span_str(path);
	ts_arena_init(&arena, 0);
	must(ts_below_open(path, path, &source.fd, &source.size, &err), &err);
	must(ts_trace_load(&source, &reading, &trace, &file, &err), &err);
	if (rows)
		dump_rows(&trace);
	else
		dump(&trace);
	ts_trace_finish(&trace);
	ts_trace_file_finish(&file);
	ts_arena_finish(&arena);
	return 0;
}
