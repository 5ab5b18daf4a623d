/* host_threads.c - what each thread of the host is for, and the names of its functions without what differs from call to call. */
#include "analysis/trace/host/trace_host.h"
#include "base/order.h"
#include "base/words.h"

#include "analysis/trace/device/trace_steps.h"
#include "base/door.h"

TS_WORDS(ts_host_thread_word, enum ts_host_thread_kind, "unknown", [TS_HOST_MAIN] = "main", [TS_HOST_BACKWARD] = "backward",
	 [TS_HOST_OTHER] = "other")

/* --- threads --- */

enum { HAS_STEP = 1, HAS_LOOP = 2, IS_BACKWARD = 4, HAS_SPANS = 8 };

/* Of a thread: its flags, and what makes it the main one where no thread has a step. */
struct seen {
	uint8_t flags;
	uint64_t loops, python, others;
};

static uint8_t said_by_name(const struct ts_step_mark *mark, struct ts_span name)
{
	if (ts_is_step(mark, name))
		return HAS_STEP;
	if (ts_span_starts(name, ts_span_str("Optimizer.")) || ts_span_starts(name, ts_span_str("enumerate(Data")))
		return HAS_LOOP;
	return ts_span_starts(name, ts_span_str("autograd::engine::evaluate_function")) ? IS_BACKWARD : 0;
}

static bool more_main(const struct seen *a, const struct seen *b)
{
	if (a->loops != b->loops)
		return a->loops > b->loops;
	if (a->python != b->python)
		return a->python > b->python;
	if ((a->flags ^ b->flags) & IS_BACKWARD && a->others && b->others)
		return !(a->flags & IS_BACKWARD);
	return a->others > b->others;
}

static void judge(const struct seen *threads, size_t n, uint8_t *kinds)
{
	bool has_step = false;
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		has_step |= (threads[i].flags & HAS_STEP) != 0;
		most = more_main(&threads[i], &threads[most]) ? i : most;
	}
	for (size_t i = 0; i < n; i++) {
		bool main = has_step ? (threads[i].flags & HAS_STEP) != 0 : i == most;

		if (!(threads[i].flags & HAS_SPANS))
			kinds[i] = TS_HOST_THREAD_KINDS;
		else
			kinds[i] = main ? TS_HOST_MAIN : threads[i].flags & IS_BACKWARD ? TS_HOST_BACKWARD : TS_HOST_OTHER;
	}
}

static void see(struct seen *thread, uint8_t kind, uint8_t said)
{
	thread->flags |= HAS_SPANS | (said & (kind == TS_TRACE_OPERATOR ? IS_BACKWARD : kind == TS_TRACE_ANNOTATION ? HAS_STEP : 0));
	thread->loops += said == HAS_LOOP && (kind == TS_TRACE_OPERATOR || kind == TS_TRACE_ANNOTATION);
	thread->python += kind == TS_TRACE_PYTHON;
	thread->others += kind == TS_TRACE_OPERATOR || kind == TS_TRACE_RUNTIME;
}

static enum ts_status find_kinds(const struct ts_trace *trace, struct ts_arena *arena, uint8_t *kinds, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct seen *threads = ts_arena_array(arena, trace->n_threads + 1, sizeof *threads);
	uint8_t *names = ts_arena_array(arena, trace->n_names + 1, 1);
	struct ts_step_mark mark = ts_step_mark(trace);

	if (!threads || !names)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < trace->n_names; i++)
		names[i] = said_by_name(&mark, trace->names[i]);
	for (size_t i = 0; i < s->n; i++)
		if (s->kind[i] <= TS_TRACE_RUNTIME)
			see(&threads[s->thread[i]], s->kind[i], names[s->name[i]]);
	for (size_t i = 0; i < trace->rows.operators.n; i++)
		if (trace->rows.operators.forward_thread[i] > 0)
			threads[s->thread[trace->rows.operators.span[i]]].flags |= IS_BACKWARD;
	judge(threads, trace->n_threads, kinds);
	return TS_OK;
}

/* --- names --- */

struct named {
	struct ts_span text;
	uint32_t name;
};

TS_ORDER(by_text, struct named, TS_TEXT(text); TS_UP(name))

/* Where " at 0x7cc4c7>" begins at the end of a name; its length if it does not. */
static size_t address_of(struct ts_span name)
{
	size_t at = name.len;

	if (!at || name.data[at - 1] != '>')
		return name.len;
	for (at--; at; at--) {
		uint8_t c = name.data[at - 1];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
			break;
	}
	return at >= 6 && at < name.len - 1 && memcmp(name.data + at - 6, " at 0x", 6) == 0 ? at - 6 : name.len;
}

static enum ts_status find_names(const struct ts_trace *trace, struct ts_arena *arena, struct ts_host_names *out, struct ts_error *err)
{
	struct named *named;
	size_t n = 0;

	for (size_t i = 0; i < trace->n_names; i++)
		n += address_of(trace->names[i]) < trace->names[i].len;
	named = ts_arena_array(arena, n, sizeof *named);
	if (!named)
		return ts_arena_error(arena, err);
	n = 0;
	for (size_t i = 0; i < trace->n_names; i++) {
		size_t at = address_of(trace->names[i]);

		out->same[i] = (uint32_t)i;
		out->texts[i] = trace->names[i];
		if (at < trace->names[i].len)
			named[n++] = (struct named){ts_span_part(trace->names[i], 0, at), (uint32_t)i};
	}
	TS_SORT(named, n, by_text);
	for (size_t i = 0, first = 0; i < n; i++) {
		if (!i || !ts_span_eq(named[i].text, named[first].text)) {
			char *text = ts_arena_printf(arena, "%.*s>", TS_SPAN_ARG(named[i].text));

			if (!text)
				return ts_arena_error(arena, err);
			first = i;
			out->texts[named[i].name] = ts_span_str(text);
		}
		out->same[named[i].name] = named[first].name;
	}
	return TS_OK;
}

enum ts_status ts_host_names(const struct ts_trace *trace, struct ts_arena *arena, struct ts_host_names *ret, struct ts_error *err)
{
	struct ts_host_names out = {.kinds = ts_arena_array(arena, trace->n_threads + 1, 1),
				    .same = ts_arena_array(arena, trace->n_names + 1, sizeof *out.same),
				    .texts = ts_arena_array(arena, trace->n_names + 1, sizeof *out.texts)};

	TS_DOOR(ts_trace_holds(trace));
	if (!out.kinds || !out.same || !out.texts)
		return ts_arena_error(arena, err);
	if (find_kinds(trace, arena, out.kinds, err) || find_names(trace, arena, &out, err))
		return err->status;
	*ret = out;
	return TS_OK;
}
