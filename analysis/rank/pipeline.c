#include "analysis/rank/pipeline.h"

#include "base/bisect.h"
#include "base/door.h"
#include "base/order.h"
#include <stdlib.h>

struct event {
	double step;
	uint32_t stage;
	double start, end;
	size_t at; /* the position in the columns */
};

struct stage {
	uint32_t number;
	double busy;
};

struct pipeline {
	const struct ts_pipeline_events *columns;
	const struct ts_pipeline_plan *plan;
	struct ts_arena *arena;
	struct ts_measures *measures;
	struct event *events;
	size_t n, skipped;
	struct stage *stages; /* indexed by their number */
	size_t n_stages;
	double makespan;
	uint64_t steps;
};

/* --- events --- */

static bool is_count(double v)
{
	return v >= 0.0 && v < 4294967296.0 && v == floor(v);
}

static bool take(const struct ts_pipeline_events *c, size_t i, struct event *e)
{
	if (!is_count(c->stage[i]) || !isfinite(c->start_s[i]) || !isfinite(c->end_s[i]) || c->end_s[i] < c->start_s[i] ||
	    !isfinite(c->end_s[i] - c->start_s[i]) || (c->step && !isfinite(c->step[i])))
		return false;
	*e = (struct event){c->step ? c->step[i] : 0.0, (uint32_t)c->stage[i], c->start_s[i], c->end_s[i], i};
	return true;
}

/* Sorts by step, stage and start, then by position. */
TS_ORDER(in_order, struct event, TS_UP(step); TS_UP(stage); TS_UP(start); TS_UP(at))

static enum ts_status gather(struct pipeline *p, struct ts_error *err)
{
	uint32_t *numbers = ts_arena_array(p->arena, p->columns->n, sizeof *numbers);
	size_t n = 0;

	p->events = ts_arena_array(p->arena, p->columns->n, sizeof *p->events);
	if (!numbers || !p->events)
		return ts_arena_error(p->arena, err);
	for (size_t i = 0; i < p->columns->n; i++) {
		if (take(p->columns, i, &p->events[p->n]))
			p->n++;
		else
			p->skipped++;
	}
	for (size_t i = 0; i < p->n; i++)
		numbers[i] = p->events[i].stage;
	if (p->n) {
		TS_SORT(numbers, p->n, ts_by_u32);
		TS_SORT(p->events, p->n, in_order);
	}
	for (size_t i = 0; i < p->n; i++)
		n += i == 0 || numbers[i] != numbers[i - 1];
	p->stages = ts_arena_array(p->arena, n, sizeof *p->stages);
	if (!p->stages)
		return ts_arena_error(p->arena, err);
	for (size_t i = 0; i < p->n; i++)
		if (i == 0 || numbers[i] != numbers[i - 1])
			p->stages[p->n_stages++].number = numbers[i];
	return TS_OK;
}

static struct stage *stage_of(struct pipeline *p, uint32_t number)
{
	size_t at = 0;

	TS_BISECT(at, p->n_stages, i, p->stages[i].number < number);
	return &p->stages[at];
}

/* Returns the length of the union of the intervals of one stage in one step: events [from, to), sorted by start. */
static double united(const struct event *events, size_t from, size_t to)
{
	double start = events[from].start, end = events[from].end, busy = 0.0;

	for (size_t i = from + 1; i < to; i++) {
		if (events[i].start > end) {
			busy += end - start;
			start = events[i].start;
		}
		if (events[i].end > end)
			end = events[i].end;
	}
	return busy + (end - start);
}

/* Adds events [from, to) of one step. */
static void one_step(struct pipeline *p, size_t from, size_t to)
{
	double first = p->events[from].start, last = p->events[from].end;

	for (size_t i = from; i < to;) {
		size_t next = i;

		for (; next < to && p->events[next].stage == p->events[i].stage; next++) {
			first = p->events[next].start < first ? p->events[next].start : first;
			last = p->events[next].end > last ? p->events[next].end : last;
		}
		stage_of(p, p->events[i].stage)->busy += united(p->events, i, next);
		i = next;
	}
	p->makespan += last - first;
	p->steps++;
}

static void all_steps(struct pipeline *p)
{
	for (size_t i = 0; i < p->n;) {
		size_t next = i;

		while (next < p->n && p->events[next].step == p->events[i].step)
			next++;
		one_step(p, i, next);
		i = next;
	}
}

/* --- microbatches and chunks --- */

/* Finds the largest number of distinct values of a column in one step; 0 where there is no column, or a value is not
 * an index. */
static enum ts_status most_distinct(struct pipeline *p, const double *column, uint64_t *ret_most, struct ts_error *err)
{
	double *values = ts_arena_array(p->arena, p->n, sizeof *values);

	*ret_most = 0;
	if (!values)
		return ts_arena_error(p->arena, err);
	for (size_t i = 0; column && i < p->n;) {
		size_t n = 0, step = i;
		uint64_t distinct = 0;

		for (; i < p->n && p->events[i].step == p->events[step].step; i++)
			if (is_count(column[p->events[i].at]))
				values[n++] = column[p->events[i].at];
		TS_SORT(values, n, ts_by_double);
		for (size_t k = 0; k < n; k++)
			distinct += k == 0 || values[k] != values[k - 1];
		*ret_most = distinct > *ret_most ? distinct : *ret_most;
	}
	return TS_OK;
}

/* --- rows --- */

static void row(struct pipeline *p, enum ts_measure_name what, double value)
{
	(void)ts_measure_add(p->measures, p->arena, what, TS_NO_SUBJECT, value);
}

static void row_unknown(struct pipeline *p, enum ts_measure_name what, const char *reason)
{
	(void)ts_measure_unknown(p->measures, p->arena, what, TS_NO_SUBJECT, reason);
}

static void row_text(struct pipeline *p, enum ts_measure_name what, const char *text)
{
	if (text)
		(void)ts_measure_text(p->measures, p->arena, what, TS_NO_SUBJECT, ts_span_str(text));
}

static double not_below_0(double v)
{
	return v > 0.0 ? v : 0.0;
}

static const char *stage_name(const struct pipeline *p, const struct stage *s)
{
	return ts_measure_subject(TS_M_STAGE_BUSY, s->number, p->arena);
}

static void stage_rows(struct pipeline *p)
{
	const struct stage *most = &p->stages[0], *least = &p->stages[0];

	for (size_t i = 1; i < p->n_stages; i++) {
		most = p->stages[i].busy > most->busy ? &p->stages[i] : most;
		least = p->stages[i].busy < least->busy ? &p->stages[i] : least;
	}
	row_text(p, TS_M_PIPELINE_BUSIEST, stage_name(p, most));
	row_text(p, TS_M_PIPELINE_IDLEST, stage_name(p, least));
	for (size_t i = 0; i < p->n_stages; i++) {
		const struct stage *s = &p->stages[i];
		const char *subject = stage_name(p, s);

		if (!subject)
			return;
		(void)ts_measure_add(p->measures, p->arena, TS_M_STAGE_BUSY, ts_span_str(subject), s->busy);
		(void)ts_measure_add(p->measures, p->arena, TS_M_STAGE_BUBBLE, ts_span_str(subject),
				     not_below_0(1.0 - s->busy / p->makespan));
	}
}

static const char *why_none(const struct pipeline *p)
{
	if (p->n == 0)
		return "no event has a stage, a start and an end";
	if (p->n_stages < 2)
		return "fewer than two stages have events";
	if (p->n_stages > TS_PIPELINE_STAGES)
		return "the events have more stages than tscope accepts";
	return isfinite(p->makespan) && p->makespan > 0.0 ? NULL : "the duration of the events is 0 or not finite";
}

/* Adds the rows of the closed form and of the bubble above it. */
static void ideal_rows(struct pipeline *p, double bubble, uint64_t microbatches, uint64_t chunks)
{
	double stages = (double)p->n_stages, ideal;

	if (microbatches == 0 || (p->plan->stages && p->plan->stages != p->n_stages)) {
		const char *reason =
			microbatches ? "the number of stages with events differs from parallelism.pipeline_stages"
				     : "the number of microbatches is neither declared nor recorded in the events";

		row_unknown(p, TS_M_PIPELINE_IDEAL, reason);
		row_unknown(p, TS_M_PIPELINE_EXCESS, reason);
		return;
	}
	ideal = (stages - 1.0) / ((double)chunks * (double)microbatches + stages - 1.0);
	row(p, TS_M_PIPELINE_IDEAL, ideal);
	row(p, TS_M_PIPELINE_EXCESS, not_below_0(bubble - ideal));
}

static void bubble_rows(struct pipeline *p, uint64_t microbatches, uint64_t chunks)
{
	double busy = 0.0, bubble;

	for (size_t i = 0; i < p->n_stages; i++)
		busy += p->stages[i].busy;
	bubble = not_below_0(1.0 - busy / ((double)p->n_stages * p->makespan));
	row(p, TS_M_PIPELINE_MAKESPAN, p->makespan);
	row(p, TS_M_PIPELINE_BUBBLE, bubble);
	ideal_rows(p, bubble, microbatches, chunks);
	stage_rows(p);
}

static void count_rows(struct pipeline *p, uint64_t microbatches, uint64_t chunks)
{
	row(p, TS_M_PIPELINE_EVENTS, (double)p->n);
	row(p, TS_M_PIPELINE_SKIPPED, (double)p->skipped);
	row(p, TS_M_PIPELINE_STEPS, (double)p->steps);
	row(p, TS_M_PIPELINE_STAGES, (double)p->n_stages);
	if (p->plan->stages)
		row(p, TS_M_PIPELINE_DECLARED_STAGES, (double)p->plan->stages);
	if (microbatches) {
		row(p, TS_M_PIPELINE_MICROBATCHES, (double)microbatches);
		row_text(p, TS_M_PIPELINE_MICROBATCHES_SOURCE,
			 p->plan->microbatches ? "declared" : "column microbatch");
	} else {
		row_unknown(p, TS_M_PIPELINE_MICROBATCHES,
			    "the number of microbatches is neither declared nor recorded in the events");
	}
	row(p, TS_M_PIPELINE_VIRTUAL_STAGES, (double)chunks);
}

enum ts_status ts_pipeline(const struct ts_pipeline_events *events, const struct ts_pipeline_plan *plan, struct ts_arena *arena,
			   struct ts_measures *measures, struct ts_error *err)
{
	struct pipeline p = {.columns = events, .plan = plan, .arena = arena, .measures = measures};
	uint64_t microbatches = plan->microbatches, chunks = plan->virtual_stages;
	const char *none;

	TS_DOOR(ts_measures_hold(measures));
	if (events->n == 0)
		return TS_OK;
	if (gather(&p, err))
		return err->status;
	all_steps(&p);
	if ((!microbatches && most_distinct(&p, events->microbatch, &microbatches, err)) ||
	    (!chunks && most_distinct(&p, events->chunk, &chunks, err)))
		return err->status;
	chunks = chunks ? chunks : 1;
	count_rows(&p, microbatches, chunks);
	none = why_none(&p);
	if (none) {
		row_unknown(&p, TS_M_PIPELINE_MAKESPAN, none);
		row_unknown(&p, TS_M_PIPELINE_BUBBLE, none);
		row_unknown(&p, TS_M_PIPELINE_IDEAL, none);
		row_unknown(&p, TS_M_PIPELINE_EXCESS, none);
	} else {
		bubble_rows(&p, microbatches, chunks);
	}
	return ts_arena_check(arena, err);
}
