#include "ingest/trace/test_trace_text.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum ts_status test_trace_try(struct test_trace *t, struct ts_span bytes, const struct ts_trace_scanner *scanner, size_t window)
{
	struct ts_source source = {
		.fd = -1, .memory = bytes, .size = bytes.len, .name = ts_span_str("t.json"), .path = ts_span_str("t.json")};
	struct ts_trace_reading reading = {.scanner = scanner, .window = window, .notices = &t->notices};
	enum ts_status status;

	memset(t, 0, sizeof *t);
	ts_arena_init(&t->arena, 0);
	t->notices.arena = &t->arena;
	status = ts_trace_load(&source, &reading, &t->trace, &t->file, &t->err);
	t->loaded = !status;
	return status;
}

void test_trace_finish(struct test_trace *t)
{
	if (t->loaded) {
		ts_trace_finish(&t->trace);
		ts_trace_file_finish(&t->file);
	}
	ts_arena_finish(&t->arena);
	ts_free(t->shown);
}

static void word(const struct test_trace *t, struct ts_buf *out, const char *before, uint32_t word)
{
	assert_true(word < t->trace.n_names);
	if (!word)
		return;
	ts_buf_str(out, before);
	ts_buf_span(out, t->trace.names[word]);
}

static void number(struct ts_buf *out, const char *before, int64_t v, int64_t none)
{
	if (v != none)
		ts_buf_printf(out, "%s%" PRId64, before, v);
}

static void thread(const struct test_trace *t, struct ts_buf *out, uint32_t i)
{
	const struct ts_trace_thread *th = &t->trace.threads[i];

	assert_true(i < t->trace.n_threads);
	number(out, " pid ", th->pid, TS_TRACE_NONE);
	word(t, out, " pid:", th->pid_text);
	number(out, " tid ", th->tid, TS_TRACE_NONE);
	word(t, out, " tid:", th->tid_text);
}

static void real(struct ts_buf *out, const char *before, double v)
{
	if (!isnan(v))
		ts_buf_printf(out, "%s%g", before, v);
}

static void show_operator(const struct test_trace *t, struct ts_buf *out, size_t i)
{
	const struct ts_trace_operators *o = &t->trace.rows.operators;

	number(out, " sequence ", o->sequence[i], TS_TRACE_NONE);
	number(out, " forward-thread ", o->forward_thread[i], TS_TRACE_NONE);
	word(t, out, " stack ", o->stack[i]);
	word(t, out, " module ", o->module[i]);
	word(t, out, " types ", o->types[i]);
	word(t, out, " inputs ", o->inputs[i]);
}

static void show_frame(const struct test_trace *t, struct ts_buf *out, size_t i)
{
	const struct ts_trace_frames *f = &t->trace.rows.frames;

	number(out, " id ", f->id[i], TS_TRACE_NONE);
	number(out, " parent ", f->parent[i], TS_TRACE_NONE);
	number(out, " module ", f->module[i], TS_TRACE_NONE);
}

static void show_kernel(const struct test_trace *t, struct ts_buf *out, size_t i)
{
	const struct ts_trace_kernels *k = &t->trace.rows.kernels;

	word(t, out, " grid ", k->grid[i]);
	word(t, out, " block ", k->block[i]);
	real(out, " occupancy ", k->occupancy[i]);
	real(out, " warps ", k->warps[i]);
	number(out, " registers ", k->registers[i], TS_TRACE_NONE);
	number(out, " shared ", k->shared_bytes[i], TS_TRACE_NONE);
	number(out, " graph ", k->graph[i], TS_TRACE_NONE);
	number(out, " node ", k->node[i], TS_TRACE_NONE);
	word(t, out, " launches ", k->name[i]);
}

static void show_collective(const struct test_trace *t, struct ts_buf *out, size_t i)
{
	const struct ts_trace_collectives *c = &t->trace.rows.collectives;

	number(out, " in ", c->elements_in[i], TS_TRACE_NONE);
	number(out, " out ", c->elements_out[i], TS_TRACE_NONE);
	number(out, " of ", c->group_size[i], TS_TRACE_NONE);
	number(out, " sequence ", c->sequence[i], TS_TRACE_NONE);
	number(out, " rank ", c->rank[i], TS_TRACE_NONE);
	number(out, " from ", c->source[i], TS_TRACE_NONE);
	number(out, " to ", c->destination[i], TS_TRACE_NONE);
	word(t, out, " type ", c->type[i]);
	word(t, out, " ranks ", c->ranks[i]);
	word(t, out, " about ", c->about[i]);
}

static void show_sync(const struct test_trace *t, struct ts_buf *out, size_t i)
{
	const struct ts_trace_syncs *s = &t->trace.rows.syncs;

	word(t, out, " what ", s->what[i]);
	number(out, " on ", s->on_stream[i], TS_TRACE_NONE);
	number(out, " event ", s->event[i], TS_TRACE_NONE);
	number(out, " recorded-by ", s->recorded_by[i], TS_TRACE_NONE);
}

/* " {table column value ...}" for each table that has a row of the span. */
static void show_details(const struct test_trace *t, struct ts_buf *out, uint32_t span)
{
	const struct ts_trace_rows *r = &t->trace.rows;
#define SHOW(one, table)                                                                                                               \
	if (ts_trace_detail(r->table.span, r->table.n, span) != SIZE_MAX) {                                                            \
		ts_buf_str(out, " {" #one);                                                                                            \
		show_##one(t, out, ts_trace_detail(r->table.span, r->table.n, span));                                                  \
		ts_buf_char(out, '}');                                                                                                 \
	}
	SHOW(operator, operators)
	SHOW(frame, frames)
	SHOW(kernel, kernels)
	SHOW(collective, collectives)
	SHOW(sync, syncs)
#undef SHOW
}

static void show_span(const struct test_trace *t, struct ts_buf *out, size_t i)
{
	static const char *const kinds[TS_TRACE_KINDS] = {"other",    "operator", "python", "annotation",	 "runtime",
							  "overhead", "window",	  "sync",   "device-annotation", "kernel",
							  "copy",     "fill"};
	const struct ts_trace_spans *s = &t->trace.rows.spans;

	ts_buf_printf(out, "%s %" PRId64 "+%" PRId64, kinds[s->kind[i]], s->start_ns[i], s->duration_ns[i]);
	word(t, out, " ", s->name[i]);
	word(t, out, " category:", s->category[i]);
	thread(t, out, s->thread[i]);
	number(out, " device ", s->device[i], TS_TRACE_NO_DEVICE);
	number(out, " stream ", s->stream[i], TS_TRACE_NO_DEVICE);
	number(out, " correlation ", s->correlation[i], TS_TRACE_NONE);
	number(out, " external ", s->external[i], TS_TRACE_NONE);
	number(out, " bytes ", s->bytes[i], TS_TRACE_NONE);
	word(t, out, " shapes ", s->shapes[i]);
	word(t, out, " collective ", s->collective[i]);
	word(t, out, " group ", s->group[i]);
	show_details(t, out, (uint32_t)i);
	ts_buf_char(out, '\n');
}

static void show_others(const struct test_trace *t, struct ts_buf *out)
{
	const struct ts_trace_rows *r = &t->trace.rows;

	for (size_t i = 0; i < r->flows.n; i++) {
		ts_buf_printf(out, "flow %s %" PRId64 " id %" PRId64, r->flows.end[i] ? "to" : "from", r->flows.time_ns[i],
			      r->flows.id[i]);
		word(t, out, " ", r->flows.category[i]);
		thread(t, out, r->flows.thread[i]);
		ts_buf_char(out, '\n');
	}
	for (size_t i = 0; i < r->allocations.n; i++) {
		ts_buf_printf(out, "memory %" PRId64 " bytes %" PRId64, r->allocations.time_ns[i], r->allocations.bytes[i]);
		number(out, " at ", r->allocations.address[i], TS_TRACE_NONE);
		number(out, " allocated ", r->allocations.allocated[i], TS_TRACE_NONE);
		number(out, " reserved ", r->allocations.reserved[i], TS_TRACE_NONE);
		number(out, " type ", r->allocations.device_type[i], TS_TRACE_NO_DEVICE);
		number(out, " device ", r->allocations.device[i], TS_TRACE_NO_DEVICE);
		ts_buf_char(out, '\n');
	}
	for (size_t i = 0; i < r->counters.n; i++) {
		ts_buf_printf(out, "counter %" PRId64 " = %g", r->counters.time_ns[i], r->counters.value[i]);
		word(t, out, " ", r->counters.name[i]);
		word(t, out, ".", r->counters.series[i]);
		ts_buf_char(out, '\n');
	}
}

/* The spans of each table of details increase, and are there. */
static void details_are_of_spans(const struct ts_trace_rows *r)
{
#define IN_ORDER(type, table, columns)                                                                                                 \
	for (size_t i = 0; i < r->table.n; i++) {                                                                                      \
		assert_true(r->table.span[i] < r->spans.n);                                                                            \
		assert_true(!i || r->table.span[i - 1] < r->table.span[i]);                                                            \
	}
	TS_TRACE_DETAIL_TABLES(IN_ORDER)
#undef IN_ORDER
}

const char *test_trace_show(struct test_trace *t)
{
	struct ts_buf out = TS_BUF_INIT(64 << 20);

	if (!t->loaded)
		return t->err.text;
	details_are_of_spans(&t->trace.rows);
	for (size_t i = 0; i < t->trace.rows.spans.n; i++)
		show_span(t, &out, i);
	show_others(t, &out);
	ts_buf_char(&out, '\0');
	assert_int_equal(ts_buf_check(&out, &t->err), TS_OK);
	ts_free(t->shown);
	t->shown = (char *)out.data;
	return t->shown;
}

enum ts_status test_trace_read(struct test_trace *t, struct ts_span bytes)
{
	static const size_t windows[] = {1, 7, 64, 100, 4096};
	enum ts_status status = test_trace_try(t, bytes, NULL, 0);
	const char *first = test_trace_show(t);
	const struct ts_trace_scanner *scanner;

	for (size_t n = 0; (scanner = ts_trace_scanner_at(n)); n++)
		for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
			struct test_trace other;

			assert_int_equal(test_trace_try(&other, bytes, scanner, windows[i]), status);
			assert_string_equal(test_trace_show(&other), first);
			assert_int_equal(other.notices.n, t->notices.n);
			for (size_t k = 0; k < other.notices.n; k++)
				assert_true(ts_span_eq(other.notices.items[k].detail, t->notices.items[k].detail));
			test_trace_finish(&other);
		}
	return status;
}

void test_trace_ok(struct test_trace *t, const char *json)
{
	if (test_trace_read(t, ts_span_str(json)))
		fail_msg("%s", t->err.text);
}

uint64_t test_trace_notice(const struct test_trace *t, const char *code)
{
	for (size_t i = 0; i < t->notices.n; i++)
		if (strcmp(t->notices.items[i].code, code) == 0)
			return t->notices.items[i].count;
	return 0;
}
