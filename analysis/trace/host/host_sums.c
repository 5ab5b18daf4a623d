/* host_sums.c - what operators and Python functions took by name, on each kind of thread, and what each thread did. */
#include "analysis/trace/host/trace_host.h"
#include "base/order.h"

#include "analysis/trace/device/nest.h"
#include "analysis/trace/device/saturate.h"
#include "base/door.h"
#include "base/scratch.h"

enum { OPERATORS, PYTHON, TABLES };

struct sums {
	const struct ts_trace *trace;
	const struct ts_nest *nest;
	const struct ts_host_names *names;
	struct ts_host_sum *tables[TABLES]; /* of each kind of thread and name */
	uint32_t *open[TABLES];		    /* how many spans of each name are open */
	struct ts_host_thread *threads;
	const uint64_t *self;
	uint32_t *stack; /* rows */
	size_t depth;
};

static int table_of(uint8_t kind)
{
	return kind == TS_TRACE_OPERATOR ? OPERATORS : kind == TS_TRACE_PYTHON ? PYTHON : TABLES;
}

static void enter(struct sums *t, uint32_t row)
{
	const struct ts_trace_spans *s = &t->trace->rows.spans;
	int64_t begin = s->start_ns[row], end = begin + s->duration_ns[row];
	struct ts_host_thread *thread = &t->threads[s->thread[row]];
	int table = table_of(s->kind[row]);

	t->stack[t->depth++] = row;
	if (!thread->spans++ || end > thread->end_ns)
		thread->end_ns = end;
	if (thread->spans == 1)
		thread->begin_ns = begin;
	if (table < TABLES)
		t->open[table][t->names->same[s->name[row]]]++;
}

static void add(struct sums *t, int table, uint32_t row, uint64_t self)
{
	const struct ts_trace_spans *s = &t->trace->rows.spans;
	uint32_t name = t->names->same[s->name[row]];
	uint8_t on = t->names->kinds[s->thread[row]];
	struct ts_host_sum *sum = &t->tables[table][on * t->trace->n_names + name];
	uint64_t duration = (uint64_t)s->duration_ns[row];

	sum->name = t->names->texts[name];
	sum->on = (enum ts_host_thread_kind)on;
	sum->count++;
	sum->self_ns = ts_plus(sum->self_ns, self);
	sum->longest_ns = duration > sum->longest_ns ? duration : sum->longest_ns;
	if (--t->open[table][name] == 0)
		sum->total_ns = ts_plus(sum->total_ns, duration);
}

static void leave(struct sums *t)
{
	const struct ts_trace_spans *s = &t->trace->rows.spans;
	uint32_t row = t->stack[--t->depth];
	uint64_t self = t->self[row];
	struct ts_host_thread *thread = &t->threads[s->thread[row]];
	int table = table_of(s->kind[row]);

	if (table < TABLES)
		add(t, table, row, self);
	if (table == OPERATORS)
		thread->operator_ns = ts_plus(thread->operator_ns, self);
	else if (table == PYTHON)
		thread->python_ns = ts_plus(thread->python_ns, self);
	else if (s->kind[row] == TS_TRACE_RUNTIME)
		thread->call_ns = ts_plus(thread->call_ns, self);
}

static void walk(struct sums *t)
{
	for (size_t k = 0; k < t->nest->n_order; k++) {
		uint32_t row = t->nest->order[k], parent = t->nest->parent[row];

		while (t->depth && t->stack[t->depth - 1] != parent)
			leave(t);
		enter(t, row);
	}
	while (t->depth)
		leave(t);
}

/* --- what is given back --- */

TS_ORDER(by_self, struct ts_host_sum, TS_UP(on); TS_DOWN(self_ns); TS_DOWN(total_ns); TS_TEXT(name))

TS_ORDER(by_spans, struct ts_host_thread, TS_UP(kind); TS_DOWN(spans); TS_UP(thread))

/* Leaves those that occur, in order. */
static size_t settle(struct ts_host_sum *items, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (items[i].count)
			items[kept++] = items[i];
	TS_SORT(items, kept, by_self);
	return kept;
}

static void settle_threads(struct sums *t, struct ts_host_sums *out)
{
	out->threads = t->threads;
	for (size_t i = 0; i < t->trace->n_threads; i++) {
		struct ts_host_thread thread = t->threads[i];

		if (!thread.spans)
			continue;
		thread.thread = (uint32_t)i;
		thread.id = t->trace->threads[i].tid_text ? TS_TRACE_NONE : t->trace->threads[i].tid;
		thread.kind = (enum ts_host_thread_kind)t->names->kinds[i];
		out->threads[out->n_threads++] = thread;
	}
	TS_SORT(out->threads, out->n_threads, by_spans);
}

enum ts_status ts_host_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_host_names *names,
			    struct ts_arena *arena, struct ts_host_sums *ret, struct ts_error *err)
{
	size_t places = trace->n_names * TS_HOST_THREAD_KINDS;
	struct sums t = {.trace = trace, .nest = nest, .names = names};
	struct ts_host_sums out = {0};
	uint64_t *self;

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	if (ts_self_times(trace, nest, arena, &self, err))
		return err->status;
	t.self = self;
	for (int i = 0; i < TABLES; i++) {
		t.tables[i] = ts_arena_array(arena, places, sizeof *t.tables[i]);
		t.open[i] = ts_arena_array(arena, trace->n_names, sizeof *t.open[i]);
		if (!t.tables[i] || !t.open[i])
			return ts_arena_error(arena, err);
	}
	t.threads = ts_arena_array(arena, trace->n_threads, sizeof *t.threads);
	t.stack = ts_arena_array(arena, nest->n_order, sizeof *t.stack);
	if (!t.threads || !t.stack)
		return ts_arena_error(arena, err);
	walk(&t);
	ts_scratch_give(arena, self);
	ts_scratch_give(arena, t.stack);
	out.operators = t.tables[OPERATORS];
	out.n_operators = settle(out.operators, places);
	out.python = t.tables[PYTHON];
	out.n_python = settle(out.python, places);
	settle_threads(&t, &out);
	*ret = out;
	return TS_OK;
}
