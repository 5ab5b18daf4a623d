/* quality_efficiency.c - what must hold always: lines that add up, an MFU above 1 that is shown, the closed form of a pipeline. */
#include "quality_parts.h"

#include "analysis/answer/test_words.h"
#include "analysis/rank/efficiency.h"
#include "analysis/rank/pipeline.h"

#include <math.h>

enum { CEILING = 64 << 20, MICROBATCHES = 64, STAGES = 16 };

static const char *const phases[] = {"data", "forward", "backward", "optimizer", "compute", "comm", "other", "eval", "step", "wall"};

enum { PHASES = sizeof phases / sizeof phases[0] };

/* Draws from 12 decades around 1; some are 0. */
static double seconds(struct ts_random *r)
{
	return ts_random_below(r, 8) == 0 ? 0.0 : pow(10.0, 12.0 * ts_random_unit(r) - 6.0);
}

static void phase(struct ts_measures *m, struct ts_arena *arena, const char *name, double total)
{
	struct ts_span s = ts_span_str(name);

	(void)ts_measure_add(m, arena, TS_M_PHASE_MEAN, s, total);
	(void)ts_measure_add(m, arena, TS_M_PHASE_SHARE, s, 0.0);
	(void)ts_measure_add(m, arena, TS_M_PHASE_TOTAL, s, total);
}

/* Makes rows of a rank with random phases, some with timestamps, some with other ranks, in either mode of communication. */
static void rows(struct ts_random *r, struct ts_arena *arena, struct ts_measures *m, double *ret_steps)
{
	*ret_steps = 1.0 + ts_random_below(r, 1000000);
	(void)ts_measure_add(m, arena, TS_M_STEP_COUNT, TS_NO_SUBJECT, *ret_steps);
	(void)ts_measure_add(m, arena, TS_M_STEP_MEAN, TS_NO_SUBJECT, 1.0);
	for (size_t i = 0; i < PHASES; i++)
		if (ts_random_below(r, 3))
			phase(m, arena, phases[i], seconds(r));
	phase(m, arena, "forward_2", 1.0); /* so that the step has some time */
	if (ts_random_below(r, 2))
		(void)ts_measure_add(m, arena, TS_M_WALL_UNATTRIBUTED, TS_NO_SUBJECT,
				     ts_random_below(r, 4) ? seconds(r) : -seconds(r));
	if (ts_random_below(r, 2)) {
		const char *mode = ts_random_below(r, 2) ? "explicit comm" : "hidden in backward";

		(void)ts_measure_text(m, arena, TS_M_RANKS_MODE, TS_NO_SUBJECT, ts_span_str(mode));
		(void)ts_measure_add(m, arena, TS_M_RANK_WAIT, ts_span_str("rank 0"), seconds(r) / *ret_steps);
	}
}

static void work_of(struct ts_random *r, double flops, double peak, struct ts_work *ret)
{
	struct ts_facts none = {.n = 0};

	ts_work_of_facts(&none, ret);
	ts_work_override(&ret->flops_per_step, flops);
	ts_work_override(&ret->peak_flops, peak);
	ret->n_ranks = 1 + ts_random_below(r, 2);
}

static bool adds_up(const struct ts_measures *m)
{
	double sum = 0.0, wall;
	bool any = false;

	if (!test_value(m, "budget", "wall", "seconds", &wall))
		return false;
	for (size_t i = 0; i < m->n; i++) {
		const struct ts_measure *row = &m->items[i];

		if (!ts_span_is(row->group, "budget") || !ts_span_is(row->name, "seconds") || !row->known)
			continue;
		if (ts_span_is(row->subject, "wall"))
			break;
		sum += row->value;
		any = true;
	}
	return any && sum == wall;
}

static void lines_add_up(struct quality *q)
{
	struct quality_case c = quality_at_least("budget: lines add up to wall in the last bit", 1.0);

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 20000); i++) {
		struct ts_measures m = {.n = 0};
		struct ts_random r;
		struct ts_arena arena;
		struct ts_error err;
		struct ts_work work;
		double n;

		quality_random(&c, i, &r);
		ts_arena_init(&arena, CEILING);
		rows(&r, &arena, &m, &n);
		work_of(&r, 1e12 * seconds(&r) + 1.0, 1e14 * seconds(&r) + 1.0, &work);
		quality_count(&c, ts_efficiency(&work, &arena, &m, &err) == TS_OK && adds_up(&m));
		ts_arena_finish(&arena);
	}
	quality_report(q, &c);
}

/* Makes one forward phase of `wall` seconds, whose claimed FLOPs are `times` those of the peak. */
static bool says_error(struct ts_random *r, double times)
{
	double wall = seconds(r) + 1e-3, steps = 1.0 + ts_random_below(r, 100000), peak = 1e12 * (1.0 + 999.0 * ts_random_unit(r));
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;
	struct ts_error err;
	struct ts_work work;
	bool shown;

	ts_arena_init(&arena, CEILING);
	(void)ts_measure_add(&m, &arena, TS_M_STEP_COUNT, TS_NO_SUBJECT, steps);
	phase(&m, &arena, "forward", wall);
	work_of(r, times * wall * peak / steps, peak, &work);
	shown = ts_efficiency(&work, &arena, &m, &err) == TS_OK && test_find(&m, "efficiency", "error", "text");
	ts_arena_finish(&arena);
	return shown;
}

static void impossible_is_shown(struct quality *q)
{
	struct quality_case above = quality_at_least("MFU above 100 %: the error is shown", 1.0);
	struct quality_case below = quality_at_most("MFU up to 100 %: an error is shown", 0.0);
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &above) && i < quality_trials(q, 5000); i++) {
		quality_random(&above, i, &r);
		quality_count(&above, says_error(&r, 1.0 + 1e-9 + pow(10.0, 6.0 * ts_random_unit(&r) - 6.0)));
	}
	quality_report(q, &above);
	for (uint64_t i = 0; quality_wants(q, &below) && i < quality_trials(q, 5000); i++) {
		quality_random(&below, i, &r);
		quality_count(&below, says_error(&r, (1.0 - 1e-9) * ts_random_unit(&r)));
	}
	quality_report(q, &below);
}

/* Makes a GPipe schedule: stages of equal length, events in any order, some of them twice. */
static bool has_closed_form(struct ts_random *r)
{
	static double stage[4 * STAGES * MICROBATCHES], start[4 * STAGES * MICROBATCHES], end[4 * STAGES * MICROBATCHES];
	size_t p = 2 + ts_random_below(r, STAGES - 1), m = 1 + ts_random_below(r, MICROBATCHES), n = 0;
	double each = seconds(r) + 1e-6, bubble, ideal = (double)(p - 1) / (double)(m + p - 1);
	struct ts_pipeline_events events = {stage, start, end, NULL, NULL, NULL, 0};
	struct ts_pipeline_plan plan = {p, m, 1};
	struct ts_measures rows = {.n = 0};
	struct ts_arena arena;
	struct ts_error err;
	bool same;

	for (size_t s = 0; s < p; s++)
		for (size_t i = 0; i < m; i++)
			for (uint32_t again = 0; again <= ts_random_below(r, 4) / 3; again++) {
				size_t at = ts_random_below(r, (uint32_t)n + 1);

				stage[n] = stage[at];
				start[n] = start[at];
				end[n++] = end[at];
				stage[at] = (double)s;
				start[at] = each * (double)(s + i);
				end[at] = each * (double)(s + i + 1);
			}
	events.n = n;
	ts_arena_init(&arena, CEILING);
	same = ts_pipeline(&events, &plan, &arena, &rows, &err) == TS_OK &&
	       test_value(&rows, "pipeline", "all", "bubble", &bubble) && fabs(bubble - ideal) <= 1e-9;
	ts_arena_finish(&arena);
	return same;
}

static void pipelines_have_their_closed_form(struct quality *q)
{
	struct quality_case c = quality_at_least("pipeline: bubble is (p-1)/(m+p-1) within 1e-9", 1.0);

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 2000); i++) {
		struct ts_random r;

		quality_random(&c, i, &r);
		quality_count(&c, has_closed_form(&r));
	}
	quality_report(q, &c);
}

void quality_efficiency(struct quality *q)
{
	lines_add_up(q);
	impossible_is_shown(q);
	pipelines_have_their_closed_form(q);
}
