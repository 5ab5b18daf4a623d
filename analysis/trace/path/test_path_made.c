#include "analysis/trace/path/test_path_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_span words[PROGRAM_WORDS];

static void name_words(void)
{
	static const char *const texts[PROGRAM_WORDS] = {"",
							 "volta_sgemm_128x64_nt",
							 "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)",
							 "void at::native::vectorized_elementwise_kernel<4>(int)",
							 "aten::mm",
							 "cudaLaunchKernel",
							 "cudaEventRecord",
							 "cudaStreamWaitEvent",
							 "cudaStreamSynchronize",
							 "cudaEventSynchronize",
							 "cudaDeviceSynchronize",
							 "Stream Wait Event",
							 "Stream Sync",
							 "Event Sync",
							 "Context Sync",
							 "fwdbwd",
							 "AddmmBackward0",
							 "ProfilerStep#1",
							 "ProfilerStep#2",
							 "ProfilerStep#3",
							 "ProfilerStep#4"};

	for (size_t i = 0; i < PROGRAM_WORDS; i++)
		words[i] = ts_span_str(texts[i]);
}

/* --- writing down --- */

struct machine {
	const struct program *p;
	struct ts_trace *trace;
	struct ts_trace_rows one;
	int64_t now, end;
	uint32_t thread;
	int64_t correlation;
	int64_t free_at[PROGRAM_STREAMS]; /* the end of what a stream was given */
	bool any[PROGRAM_STREAMS];
	int64_t held[PROGRAM_STREAMS]; /* what was given next may not begin before */
	bool is_held[PROGRAM_STREAMS];
	struct {
		bool recorded, any;
		int stream;
		int64_t at, by;
	} events[PROGRAM_EVENTS];
};

static void put(struct machine *m, enum ts_trace_kind kind, uint32_t word, int stream, int64_t begin, int64_t end, int64_t correlation)
{
	struct ts_trace_spans *s = &m->one.spans;
	struct ts_error err;

	m->end = end > m->end && kind != TS_TRACE_SYNC ? end : m->end;
	if (!m->trace)
		return;
	m->one.spans.n = 1;
	s->kind[0] = (uint8_t)kind;
	s->name[0] = word;
	s->start_ns[0] = begin;
	s->duration_ns[0] = end - begin;
	s->correlation[0] = correlation;
	s->external[0] = s->bytes[0] = TS_TRACE_NONE;
	s->device[0] = 0;
	s->stream[0] = stream;
	s->thread[0] = kind == TS_TRACE_KERNEL || kind == TS_TRACE_SYNC ? 2 + (uint32_t)(stream + 1) : m->thread;
	s->category[0] = s->shapes[0] = s->collective[0] = s->group[0] = 0;
	assert_int_equal(ts_trace_append(m->trace, &m->one, &err), TS_OK);
	ts_trace_rows_clear(&m->one);
}

static void put_sync(struct machine *m, uint32_t word, int stream, int64_t begin, int64_t end, int event)
{
	struct ts_trace_syncs *s = &m->one.syncs;

	if (!m->trace)
		return;
	s->n = 1;
	s->span[0] = 0;
	s->what[0] = word;
	s->on_stream[0] = event < 0 ? TS_TRACE_NONE : m->events[event].stream;
	s->event[0] = event < 0 ? TS_TRACE_NONE : event;
	s->recorded_by[0] = event < 0 ? TS_TRACE_NONE : m->events[event].by;
	put(m, TS_TRACE_SYNC, word, stream, begin, end, m->correlation);
}

static void put_flow(struct machine *m, uint32_t thread, uint8_t end)
{
	struct ts_trace_flows *f = &m->one.flows;
	struct ts_error err;

	if (!m->trace)
		return;
	f->n = 1;
	f->time_ns[0] = m->now;
	f->id[0] = 7;
	f->category[0] = WORD_FLOWS;
	f->thread[0] = thread;
	f->end[0] = end;
	assert_int_equal(ts_trace_append(m->trace, &m->one, &err), TS_OK);
	ts_trace_rows_clear(&m->one);
}

/* --- what happens --- */

static int64_t max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void call(struct machine *m, uint32_t word, int64_t ns)
{
	put(m, TS_TRACE_RUNTIME, word, -1, m->now, m->now + ns, ++m->correlation);
}

static void launch(struct machine *m, const struct action *a)
{
	int64_t begin = m->now + m->p->launch;

	if (m->any[a->stream])
		begin = max(begin, m->free_at[a->stream] + m->p->order);
	if (m->is_held[a->stream])
		begin = max(begin, m->held[a->stream] + m->p->order);
	m->is_held[a->stream] = false;
	m->any[a->stream] = true;
	call(m, WORD_LAUNCH, m->p->call);
	put(m, TS_TRACE_KERNEL, a->word, a->stream, begin, begin + a->ns, m->correlation);
	m->free_at[a->stream] = begin + a->ns;
	m->now += m->p->call;
}

/* When all that a stream was given is done: its work, and what it waits for. */
static int64_t given_until(const struct machine *m, int stream)
{
	if (!m->any[stream])
		return m->held[stream];
	return m->is_held[stream] ? max(m->held[stream], m->free_at[stream]) : m->free_at[stream];
}

static void record(struct machine *m, const struct action *a)
{
	call(m, WORD_RECORD, m->p->call);
	m->events[a->event].recorded = true;
	m->events[a->event].any = m->any[a->stream] || m->is_held[a->stream];
	m->events[a->event].stream = a->stream;
	m->events[a->event].at = given_until(m, a->stream);
	m->events[a->event].by = m->correlation;
	m->now += m->p->call;
}

static void await(struct machine *m, const struct action *a)
{
	call(m, WORD_STREAM_WAIT_CALL, m->p->call);
	put_sync(m, WORD_STREAM_WAIT, a->stream, m->now, m->now + m->p->call, a->event);
	if (m->events[a->event].any) {
		m->held[a->stream] = m->is_held[a->stream] ? max(m->held[a->stream], m->events[a->event].at) : m->events[a->event].at;
		m->is_held[a->stream] = true;
	}
	m->now += m->p->call;
}

static void sync(struct machine *m, uint32_t word, uint32_t said, int stream, int event, bool any, int64_t done)
{
	int64_t end = m->now + m->p->sync;

	if (any)
		end = max(end, done + m->p->back);
	call(m, word, end - m->now);
	put_sync(m, said, stream, m->now, end, event);
	m->now = end;
}

static void sync_device(struct machine *m)
{
	int64_t done = 0;
	bool any = false;

	for (int i = 0; i < PROGRAM_STREAMS; i++) {
		done = m->any[i] && (!any || m->free_at[i] > done) ? m->free_at[i] : done;
		any |= m->any[i];
	}
	sync(m, WORD_DEVICE_SYNC_CALL, WORD_CONTEXT_SYNC, -1, -1, any, done);
}

static void act(struct machine *m, const struct action *a)
{
	switch (a->verb) {
	case DO_OPERATE:
		put(m, TS_TRACE_OPERATOR, a->word ? a->word : WORD_OPERATOR, -1, m->now, m->now + a->ns, TS_TRACE_NONE);
		m->now += a->ns;
		break;
	case DO_LAUNCH:
		launch(m, a);
		break;
	case DO_RECORD:
		record(m, a);
		break;
	case DO_AWAIT:
		if (m->events[a->event].recorded)
			await(m, a);
		break;
	case DO_SYNC_STREAM:
		sync(m, WORD_STREAM_SYNC_CALL, WORD_STREAM_SYNC, a->stream, -1, m->any[a->stream] || m->is_held[a->stream],
		     given_until(m, a->stream));
		break;
	case DO_SYNC_EVENT:
		if (m->events[a->event].recorded)
			sync(m, WORD_EVENT_SYNC_CALL, WORD_EVENT_SYNC, -1, a->event, m->events[a->event].any, m->events[a->event].at);
		break;
	case DO_SYNC_DEVICE:
		sync_device(m);
		break;
	case DO_NOTHING:
	case DO_STEP:
	case DO_BACKWARD: /* none here */
		m->now += a->ns;
		break;
	}
}

static void act_backward(struct machine *m, const struct action *actions, size_t n)
{
	put_flow(m, 0, 0);
	m->now += m->p->start;
	m->thread = 1;
	put_flow(m, 1, 1);
	for (size_t i = 0; i < n; i++)
		act(m, &actions[i]);
	m->thread = 0;
	m->now += m->p->join;
}

static void act_all(struct machine *m, const struct action *actions, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (actions[i].verb != DO_BACKWARD) {
			act(m, &actions[i]);
			continue;
		}
		act_backward(m, &actions[i + 1], (size_t)actions[i].ns);
		i += (size_t)actions[i].ns;
	}
}

static int64_t all_done(const struct machine *m)
{
	int64_t done = m->now;

	for (int i = 0; i < PROGRAM_STREAMS; i++)
		done = m->any[i] ? max(done, m->free_at[i]) : done;
	return done;
}

static void run_steps(struct machine *m, int64_t *done)
{
	const struct program *p = m->p;

	for (size_t i = 0; i < p->n; i++) {
		size_t n = p->actions[i].verb == DO_STEP || p->actions[i].verb == DO_BACKWARD ? (size_t)p->actions[i].ns : 0;
		int64_t begin = m->now;

		act_all(m, &p->actions[p->actions[i].verb == DO_STEP ? i + 1 : i], p->actions[i].verb == DO_STEP ? n : n + 1);
		if (p->actions[i].verb == DO_STEP) {
			put(m, TS_TRACE_ANNOTATION, p->actions[i].word, -1, begin, m->now, TS_TRACE_NONE);
			if (done)
				*done++ = all_done(m);
		}
		i += n;
	}
}

int64_t program_run(const struct program *p, struct ts_trace *trace, int64_t *done)
{
	static const struct ts_trace_thread threads[3 + PROGRAM_STREAMS];
	struct machine m = {.p = p, .trace = trace};
	struct ts_error err;

	if (trace) {
		name_words();
		memset(trace, 0, sizeof *trace);
		trace->names = words;
		trace->n_names = PROGRAM_WORDS;
		trace->threads = threads;
		trace->n_threads = 3 + PROGRAM_STREAMS;
		assert_int_equal(ts_trace_rows_reserve(&m.one, 1, &err), TS_OK);
	}
	run_steps(&m, done);
	if (trace)
		ts_trace_rows_finish(&m.one);
	return m.end;
}

void program_finish(struct ts_trace *trace)
{
	ts_trace_finish(trace);
}
