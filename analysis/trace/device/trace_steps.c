#include "analysis/trace/device/trace_steps.h"

#include "analysis/trace/device/device_events.h"
#include "base/door.h"
#include "base/number.h"

static const char mark[] = "ProfilerStep#";

bool ts_is_step(struct ts_span name)
{
	return ts_span_starts(name, ts_span_str(mark));
}

static bool number_of(struct ts_span name, int64_t *ret)
{
	return ts_span_skip(&name, mark) && ts_parse_i64(name, ret);
}

size_t ts_trace_steps_count(const struct ts_trace *trace)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	int64_t number;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->kind[i] == TS_TRACE_ANNOTATION && number_of(trace->names[s->name[i]], &number);
	return n;
}

enum ts_status ts_trace_steps(const struct ts_trace *trace, struct ts_arena *arena, struct ts_trace_step **ret, size_t *ret_n,
			      struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_device_event *w, *spare;
	struct ts_trace_step *steps;
	int64_t number = 0;
	size_t n = ts_trace_steps_count(trace);

	w = ts_arena_array(arena, n, sizeof *w);
	spare = ts_arena_array(arena, n, sizeof *spare);
	steps = ts_arena_array(arena, n, sizeof *steps);
	if (!w || !spare || !steps)
		return ts_arena_error(arena, err);
	n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->kind[i] == TS_TRACE_ANNOTATION && number_of(trace->names[s->name[i]], &number))
			w[n++] = (struct ts_device_event){.begin = s->start_ns[i], .group = (uint64_t)number, .row = (uint32_t)i};
	ts_device_events_by_begin(w, n, spare);
	for (size_t i = 0; i < n; i++)
		steps[i] = (struct ts_trace_step){(int64_t)w[i].group, w[i].begin, w[i].row};
	*ret = steps;
	TS_DOOR_SORTED(i, n, steps[i - 1].start_ns <= steps[i].start_ns);
	*ret_n = n;
	return TS_OK;
}
