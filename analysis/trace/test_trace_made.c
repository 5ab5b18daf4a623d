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

void made_finish(struct made *m)
{
	ts_trace_finish(&m->trace);
	ts_trace_rows_finish(&m->one);
	ts_arena_finish(&m->arena);
}
