#include "analysis/trace/test_trace_made.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

void made_begin(struct made *m)
{
	static const char *const names[NAMES] = {"",
						 "volta_sgemm_128x64_nt",
						 "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)",
						 "ncclDevKernel_AllGather_RING_LL(ncclDevComm*)",
						 "ProfilerStep#1",
						 "ProfilerStep#2"};

	memset(m, 0, sizeof *m);
	for (size_t i = 0; i < NAMES; i++)
		m->names[i] = ts_span_str(names[i]);
	m->trace.names = m->names;
	m->trace.n_names = NAMES;
	m->trace.threads = m->threads;
	m->trace.n_threads = THREADS;
	ts_arena_init(&m->arena, 0);
	assert_int_equal(ts_trace_rows_reserve(&m->one, 1, &m->err), TS_OK);
}

void made_add(struct made *m, enum ts_trace_kind kind, uint32_t name, int32_t stream, int64_t start, int64_t end, int64_t correlation)
{
	struct ts_trace_spans *s = &m->one.spans;

	s->n = 1;
	s->kind[0] = (uint8_t)kind;
	s->name[0] = name;
	s->start_ns[0] = start;
	s->duration_ns[0] = end - start;
	s->correlation[0] = correlation;
	s->external[0] = s->bytes[0] = TS_TRACE_NONE;
	s->device[0] = stream / 10;
	s->stream[0] = stream % 10;
	s->thread[0] = s->category[0] = s->shapes[0] = s->collective[0] = s->group[0] = 0;
	assert_int_equal(ts_trace_append(&m->trace, &m->one, &m->err), TS_OK);
}

uint32_t made_name(struct made *m, const char *name)
{
	for (size_t i = 0; i < m->trace.n_names; i++)
		if (ts_span_is(m->names[i], name))
			return (uint32_t)i;
	assert_true(m->trace.n_names < NAMES_MAX);
	m->names[m->trace.n_names] = ts_span_str(name);
	return (uint32_t)m->trace.n_names++;
}

void made_host(struct made *m, enum ts_trace_kind kind, const char *name, uint32_t thread, int64_t start, int64_t end)
{
	made_add(m, kind, made_name(m, name), 0, start, end, TS_TRACE_NONE);
	m->trace.rows.spans.thread[m->trace.rows.spans.n - 1] = thread;
}

void made_stack(struct made *m, const char *name, uint32_t thread, int64_t start, int64_t end, const char *stack)
{
	struct ts_trace_operators *o = &m->one.operators;

	o->n = 1;
	o->span[0] = 0;
	o->sequence[0] = TS_TRACE_NONE;
	o->forward_thread[0] = TS_TRACE_NONE;
	o->stack[0] = made_name(m, stack);
	o->module[0] = o->types[0] = o->inputs[0] = 0;
	made_host(m, TS_TRACE_OPERATOR, name, thread, start, end);
	o->n = 0;
}

void made_call(struct made *m, enum ts_trace_kind kind, const char *name, int32_t stream, int64_t call, int64_t called, int64_t start,
	       int64_t end)
{
	int64_t correlation = 1000 + (int64_t)m->trace.rows.spans.n;

	made_add(m, TS_TRACE_RUNTIME, made_name(m, "cudaLaunchKernel"), 0, call, called, correlation);
	made_add(m, kind, made_name(m, name), stream, start, end, correlation);
}

void made_launch(struct made *m, enum ts_trace_kind kind, const char *name, int32_t stream, int64_t call, int64_t start, int64_t end)
{
	made_call(m, kind, name, stream, call, call + 1, start, end);
}

/* Appends the rows that are prepared, a detail of the last span. */
static void detail(struct made *m, uint32_t *span, size_t *n)
{
	m->one.spans.n = 0;
	*n = 1;
	span[0] = 0;
	assert_int_equal(ts_trace_append(&m->trace, &m->one, &m->err), TS_OK);
	*n = 0;
}

void made_arguments(struct made *m, const char *shapes, const char *types, const char *inputs)
{
	struct ts_trace_operators *o = &m->trace.rows.operators;

	m->trace.rows.spans.shapes[m->trace.rows.spans.n - 1] = made_name(m, shapes);
	if (!o->n || o->span[o->n - 1] != m->trace.rows.spans.n - 1) {
		m->one.operators.sequence[0] = m->one.operators.forward_thread[0] = TS_TRACE_NONE;
		m->one.operators.stack[0] = m->one.operators.module[0] = 0;
		m->one.operators.types[0] = m->one.operators.inputs[0] = 0;
		detail(m, m->one.operators.span, &m->one.operators.n);
		o->span[o->n - 1] = (uint32_t)m->trace.rows.spans.n - 1;
	}
	o->types[o->n - 1] = made_name(m, types);
	o->inputs[o->n - 1] = made_name(m, inputs);
}

void made_operator(struct made *m, const char *name, uint32_t thread, int64_t start, int64_t end, int64_t sequence,
		   int64_t forward_thread)
{
	struct ts_trace_operators *o = &m->trace.rows.operators;

	made_host(m, TS_TRACE_OPERATOR, name, thread, start, end);
	made_arguments(m, "", "", "");
	o->sequence[o->n - 1] = sequence;
	o->forward_thread[o->n - 1] = forward_thread;
}

void made_kernel(struct made *m, const char *grid, double occupancy, double warps, int64_t graph)
{
	struct ts_trace_kernels *k = &m->one.kernels;

	k->grid[0] = made_name(m, grid);
	k->block[0] = 0;
	k->occupancy[0] = occupancy;
	k->warps[0] = warps;
	k->registers[0] = k->shared_bytes[0] = TS_TRACE_NONE;
	k->graph[0] = graph;
	k->node[0] = TS_TRACE_NONE;
	k->name[0] = 0;
	detail(m, k->span, &k->n);
	m->trace.rows.kernels.span[m->trace.rows.kernels.n - 1] = (uint32_t)m->trace.rows.spans.n - 1;
}

void made_node(struct made *m, int64_t node)
{
	made_kernel(m, "", NAN, NAN, 1);
	m->trace.rows.kernels.node[m->trace.rows.kernels.n - 1] = node;
}

void made_launches(struct made *m, const char *kernel)
{
	made_kernel(m, "", NAN, NAN, TS_TRACE_NONE);
	m->trace.rows.kernels.name[m->trace.rows.kernels.n - 1] = made_name(m, kernel);
}

void made_arrow(struct made *m, int64_t id, uint32_t from, int64_t from_ns, uint32_t to, int64_t to_ns)
{
	struct ts_trace_flows *f = &m->one.flows;

	m->one.spans.n = 0;
	for (uint8_t end = 0; end < 2; end++) {
		f->n = 1;
		f->time_ns[0] = end ? to_ns : from_ns;
		f->id[0] = id;
		f->category[0] = made_name(m, "fwdbwd");
		f->thread[0] = end ? to : from;
		f->end[0] = end;
		assert_int_equal(ts_trace_append(&m->trace, &m->one, &m->err), TS_OK);
	}
	f->n = 0;
}

void made_finish(struct made *m)
{
	ts_trace_finish(&m->trace);
	ts_trace_rows_finish(&m->one);
	ts_arena_finish(&m->arena);
}
