#include "analysis/trace/test_trace_made.h"

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

void made_finish(struct made *m)
{
	ts_trace_finish(&m->trace);
	ts_trace_rows_finish(&m->one);
	ts_arena_finish(&m->arena);
}
