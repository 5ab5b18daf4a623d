#include "analysis/trace/device/trace_steps.h"

#include "analysis/trace/device/device_events.h"
#include "base/door.h"
#include "base/number.h"
#include "base/text.h"
#include "base/words.h"

TS_WORDS(ts_step_phase_word, enum ts_step_phase, "unknown", [TS_STEP_UNSAID] = "unknown", [TS_STEP_PREFILL] = "prefill",
	 [TS_STEP_DECODE] = "decode", [TS_STEP_MIXED] = "both")

static const char *const marks[TS_STEP_KINDS] = {
	[TS_STEPS_PROFILER] = "ProfilerStep#", [TS_STEPS_EXECUTE] = "execute_", [TS_STEPS_SERVER] = "step[", [TS_STEPS_NAMED] = ""};

/* --- which annotations --- */

/* What the names of the annotations begin with. */
static struct ts_span begin_of(const struct ts_step_mark *mark)
{
	return mark->kind == TS_STEPS_NAMED ? mark->name : ts_span_str(marks[mark->kind]);
}

bool ts_is_step(const struct ts_step_mark *mark, struct ts_span name)
{
	return ts_span_starts(name, begin_of(mark));
}

/* The number of its own that a name has: 12 of "ProfilerStep#12", and behind what was said of "train_step 12" and "iter_12". */
static bool number_of(const struct ts_step_mark *mark, struct ts_span name, int64_t *ret)
{
	if (mark->kind != TS_STEPS_PROFILER && mark->kind != TS_STEPS_NAMED)
		return false;
	name = ts_span_from(name, begin_of(mark).len);
	while (mark->kind == TS_STEPS_NAMED && name.len && !ts_is_digit(name.data[0]))
		name = ts_span_from(name, 1);
	return ts_parse_i64(name, ret);
}

struct ts_step_mark ts_step_mark(const struct ts_trace *trace)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	size_t n[TS_STEP_KINDS] = {0};
	enum ts_step_kind kind = TS_STEPS_PROFILER;

	if (trace->step_name.len)
		return (struct ts_step_mark){TS_STEPS_NAMED, trace->step_name};
	for (size_t i = 0; i < s->n; i++)
		for (int k = TS_STEPS_PROFILER; s->kind[i] == TS_TRACE_ANNOTATION && k <= TS_STEPS_SERVER; k++)
			n[k] += ts_is_step(&(struct ts_step_mark){.kind = (enum ts_step_kind)k}, trace->names[s->name[i]]);
	if (n[TS_STEPS_EXECUTE] > n[TS_STEPS_PROFILER])
		kind = TS_STEPS_EXECUTE;
	else if (n[TS_STEPS_SERVER] > n[TS_STEPS_PROFILER])
		kind = TS_STEPS_SERVER;
	return (struct ts_step_mark){.kind = kind};
}

/* --- what a name says --- */

static bool take_number(struct ts_span *io, uint64_t *ret)
{
	size_t n = 0;

	while (n < io->len && ts_is_digit(io->data[n]))
		n++;
	if (!ts_parse_u64(ts_span_part(*io, 0, n), ret))
		return false;
	*io = ts_span_from(*io, n);
	return true;
}

/* "3(sq8155sk8430...)" or "3(888_788544)": how many requests, and of how many tokens. */
static bool take_part(struct ts_span *io, uint64_t *ret_requests, uint64_t *ret_tokens)
{
	if (!take_number(io, ret_requests) || !ts_span_skip(io, "("))
		return false;
	(void)ts_span_skip(io, "sq");
	return take_number(io, ret_tokens);
}

/* "execute_8192_context_9(...)_generation_37(...)", or without the 8192: a request in generation then has one token. */
static struct ts_step_said execute(struct ts_span name)
{
	uint64_t whole = 0, requests[2] = {0}, tokens[2] = {0};
	bool has_whole = take_number(&name, &whole) && ts_span_skip(&name, "_");
	struct ts_step_said said = {.phase = TS_STEP_UNSAID};

	if (!ts_span_skip(&name, "context_") || !take_part(&name, &requests[0], &tokens[0]))
		return said;
	while (name.len && !ts_span_starts(name, ts_span_str("_generation_")))
		name = ts_span_from(name, 1);
	if (!ts_span_skip(&name, "_generation_") || !take_part(&name, &requests[1], &tokens[1]))
		return said;
	if (requests[0] || requests[1])
		said.phase = !requests[1] ? TS_STEP_PREFILL : requests[0] ? TS_STEP_MIXED : TS_STEP_DECODE;
	said.has_requests = said.has_tokens = true;
	said.requests = requests[0] + requests[1];
	said.tokens = has_whole ? whole : tokens[0] + requests[1];
	return said;
}

/* "step[EXTEND bs=15 toks=15360]". */
static struct ts_step_said server(struct ts_span name)
{
	static const struct {
		const char *word;
		enum ts_step_phase phase;
	} modes[] = {{"EXTEND ", TS_STEP_PREFILL},
		     {"PREFILL ", TS_STEP_PREFILL},
		     {"DECODE ", TS_STEP_DECODE},
		     {"MIXED ", TS_STEP_MIXED}};
	struct ts_step_said said = {.phase = TS_STEP_UNSAID};

	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
		if (ts_span_skip(&name, modes[i].word)) {
			said.phase = modes[i].phase;
			break;
		}
	for (; name.len; name = ts_span_from(name, 1))
		if (ts_span_skip(&name, "bs="))
			said.has_requests = take_number(&name, &said.requests);
		else if (ts_span_skip(&name, "toks="))
			said.has_tokens = take_number(&name, &said.tokens);
	return said;
}

struct ts_step_said ts_step_said(struct ts_span name)
{
	if (ts_span_skip(&name, marks[TS_STEPS_EXECUTE]))
		return execute(name);
	if (ts_span_skip(&name, marks[TS_STEPS_SERVER]))
		return server(name);
	return (struct ts_step_said){.phase = TS_STEP_UNSAID};
}

/* --- the steps --- */

/* *ret_number is set if the step has one. */
static bool is_counted(const struct ts_trace *trace, const struct ts_step_mark *mark, size_t i, bool *ret_has, int64_t *ret_number)
{
	struct ts_span name = trace->names[trace->rows.spans.name[i]];

	if (trace->rows.spans.kind[i] != TS_TRACE_ANNOTATION || !ts_is_step(mark, name))
		return false;
	*ret_has = number_of(mark, name, ret_number);
	return *ret_has || mark->kind != TS_STEPS_PROFILER;
}

static size_t count_steps(const struct ts_trace *trace, const struct ts_step_mark *mark)
{
	int64_t number;
	size_t n = 0;
	bool has;

	for (size_t i = 0; i < trace->rows.spans.n; i++)
		n += is_counted(trace, mark, i, &has, &number);
	return n;
}

size_t ts_trace_steps_count(const struct ts_trace *trace)
{
	struct ts_step_mark mark = ts_step_mark(trace);

	return count_steps(trace, &mark);
}

enum ts_status ts_trace_steps(const struct ts_trace *trace, struct ts_arena *arena, struct ts_trace_step **ret, size_t *ret_n,
			      struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_step_mark mark = ts_step_mark(trace);
	struct ts_device_event *w, *spare;
	struct ts_trace_step *steps;
	int64_t number = 0;
	size_t n = count_steps(trace, &mark);
	bool has, numbered = true;

	w = ts_arena_array(arena, n, sizeof *w);
	spare = ts_arena_array(arena, n, sizeof *spare);
	steps = ts_arena_array(arena, n, sizeof *steps);
	if (!w || !spare || !steps)
		return ts_arena_error(arena, err);
	n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (is_counted(trace, &mark, i, &has, &number)) {
			w[n++] = (struct ts_device_event){.begin = s->start_ns[i], .group = (uint64_t)number, .row = (uint32_t)i};
			numbered &= has;
		}
	ts_device_events_by_begin(w, n, spare);
	for (size_t i = 0; i < n; i++)
		steps[i] = (struct ts_trace_step){numbered ? (int64_t)w[i].group : (int64_t)(i + trace->warmup.steps), w[i].begin,
						  w[i].row};
	*ret = steps;
	TS_DOOR_SORTED(i, n, steps[i - 1].start_ns <= steps[i].start_ns);
	*ret_n = n;
	return TS_OK;
}
