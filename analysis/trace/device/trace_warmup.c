#include "analysis/trace/device/trace_warmup.h"

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/timeline.h"
#include "analysis/trace/device/trace_steps.h"
#include "base/door.h"

#define GONE UINT32_MAX

enum ts_status ts_warmup_check(const struct ts_trace *trace, const struct ts_warmup_asked *asked, const char *name,
			       struct ts_error *err)
{
	return ts_warmup_check_steps(ts_trace_steps_count(trace), asked, name, err);
}

enum ts_status ts_warmup_check_steps(uint64_t marked, const struct ts_warmup_asked *asked, const char *name, struct ts_error *err)
{
	if (!asked->given || !asked->steps)
		return TS_OK;
	if (!marked)
		return ts_error_set(err, TS_INVALID,
				    "--warmup %" PRIu64 ": %s marks no steps (ProfilerStep), so that none can be left out",
				    asked->steps, name);
	if (asked->steps >= marked)
		return ts_error_set(err, TS_INVALID,
				    "--warmup %" PRIu64 " leaves no step of %s, which marks %" PRIu64
				    " (ProfilerStep); at most %" PRIu64 " can be left out",
				    asked->steps, name, marked, marked - 1);
	return TS_OK;
}

/* --- which rows stay --- */

struct cut {
	struct ts_trace *trace;
	int64_t from;	/* when the first step that is left begins */
	uint32_t *number; /* of each span among those that stay; GONE */
	bool *keep;	/* room for the rows of any table */
};

/* When a row of the device was launched, else when it began. */
static int64_t asked_at(const struct ts_trace_spans *s, size_t i, struct ts_launches *launches)
{
	const struct ts_device_event *call =
		s->correlation[i] == TS_TRACE_NONE ? NULL : ts_launch_of(launches, (uint64_t)s->correlation[i]);

	return call ? call->begin : s->start_ns[i];
}

/* Whether what was still open counts from then on: what stands around others, and the time of the recording. */
static bool goes_on(uint8_t kind)
{
	return kind == TS_TRACE_OPERATOR || kind == TS_TRACE_PYTHON || kind == TS_TRACE_WINDOW;
}

static void choose_spans(struct cut *c, struct ts_launches *launches)
{
	struct ts_trace_spans *s = &c->trace->rows.spans;
	uint32_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		bool device = ts_trace_on_device(s->kind[i]) || s->kind[i] == TS_TRACE_SYNC;
		int64_t end = s->start_ns[i] + s->duration_ns[i];

		c->keep[i] = (device ? asked_at(s, i, launches) : s->start_ns[i]) >= c->from;
		if (!c->keep[i] && goes_on(s->kind[i]) && end > c->from) {
			s->start_ns[i] = c->from;
			s->duration_ns[i] = end - c->from;
			c->keep[i] = true;
		}
		c->number[i] = c->keep[i] ? n++ : GONE;
		c->trace->warmup.events += !c->keep[i] && ts_trace_on_device(s->kind[i]);
	}
}

/* --- leaving out --- */

#define KEEP_COLUMN(type, column)                                                                                                      \
	for (size_t i = 0, to = 0; i < t->n; i++)                                                                                      \
		if (keep[i])                                                                                                           \
			t->column[to++] = t->column[i];
#define KEEP_ROWS(table, member, columns)                                                                                              \
	static void keep_##member(struct table *t, const bool *keep)                                                                   \
	{                                                                                                                              \
		size_t n = 0;                                                                                                          \
                                                                                                                                       \
		columns(KEEP_COLUMN);                                                                                                  \
		for (size_t i = 0; i < t->n; i++)                                                                                      \
			n += keep[i];                                                                                                  \
		t->n = n;                                                                                                              \
	}
TS_TRACE_TABLES(KEEP_ROWS)

#define KEEP_OF_SPANS(table, member, columns)                                                                                          \
	for (size_t i = 0; i < rows->member.n; i++)                                                                                    \
		c->keep[i] = c->number[rows->member.span[i]] != GONE;                                                                  \
	keep_##member(&rows->member, c->keep);                                                                                         \
	for (size_t i = 0; i < rows->member.n; i++)                                                                                    \
		rows->member.span[i] = c->number[rows->member.span[i]];
#define KEEP_FROM(member)                                                                                                              \
	for (size_t i = 0; i < rows->member.n; i++)                                                                                    \
		c->keep[i] = rows->member.time_ns[i] >= c->from;                                                                       \
	keep_##member(&rows->member, c->keep)

/* keep is that of spans. */
static void leave_out(struct cut *c)
{
	struct ts_trace_rows *rows = &c->trace->rows;

	keep_spans(&rows->spans, c->keep);
	TS_TRACE_DETAIL_TABLES(KEEP_OF_SPANS)
	KEEP_FROM(flows);
	KEEP_FROM(allocations);
	KEEP_FROM(counters);
}

static size_t longest(const struct ts_trace_rows *rows)
{
	size_t n = 1;

#define LONGEST(table, member, columns) n = rows->member.n > n ? rows->member.n : n;
	TS_TRACE_TABLES(LONGEST)
#undef LONGEST
	return n;
}

/* Steps follow each other on the devices (job_trace.h): each from the end of what those before had launched. */
static int64_t done_with(const struct ts_timelines *lines, uint64_t steps)
{
	int64_t done = lines->steps[0].start_ns;

	for (size_t i = 0; i < steps; i++) {
		const struct ts_timeline_step *step = &lines->steps[i];
		int64_t end = step->timeline.events ? step->timeline.end_ns : done;

		if (!lines->all.events)
			end = step->start_ns + (int64_t)step->duration_ns;
		done = end > done ? end : done;
	}
	return done;
}

enum ts_status ts_warmup_leave_out(struct ts_trace *io, const struct ts_warmup_asked *asked, const char *name, struct ts_arena *scratch,
				   struct ts_error *err)
{
	struct ts_launches launches = {0};
	struct cut c = {.trace = io};
	struct ts_timelines lines;

	TS_DOOR(ts_trace_holds(io));
	if (!asked->given)
		return TS_OK;
	if (ts_warmup_check(io, asked, name, err))
		return err->status;
	io->warmup = (struct ts_trace_warmup){.given = true, .steps = asked->steps, .marked = ts_trace_steps_count(io)};
	if (!asked->steps)
		return TS_OK;
	if (ts_timelines(io, scratch, &lines, err) || ts_launches_find(io, scratch, &launches, err))
		return err->status;
	c.from = lines.steps[asked->steps].start_ns;
	c.number = ts_arena_array(scratch, io->rows.spans.n, sizeof *c.number);
	c.keep = ts_arena_array(scratch, longest(&io->rows), sizeof *c.keep);
	if (!c.number || !c.keep)
		return ts_arena_error(scratch, err);
	io->warmup.done_ns = done_with(&lines, asked->steps);
	choose_spans(&c, &launches);
	leave_out(&c);
	TS_DOOR(ts_trace_holds(io));
	return TS_OK;
}
