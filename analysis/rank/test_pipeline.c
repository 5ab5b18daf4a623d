#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/pipeline.h"

#include "analysis/answer/test_seen.h"

enum { CEILING = 64 << 20, EVENTS = 8192 };

struct bench {
	struct ts_arena arena;
	struct ts_measures m;
	double stage[EVENTS], start[EVENTS], end[EVENTS], step[EVENTS], microbatch[EVENTS], chunk[EVENTS];
	size_t n;
	struct ts_pipeline_plan plan;
	bool with_step, with_microbatch, with_chunk;
};

static int setup(void **state)
{
	struct bench *b = test_calloc(1, sizeof *b);

	ts_arena_init(&b->arena, CEILING);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	ts_arena_finish(&b->arena);
	test_free(b);
	return 0;
}

static void event(struct bench *b, double stage, double start, double end)
{
	assert_true(b->n < EVENTS);
	b->stage[b->n] = stage;
	b->start[b->n] = start;
	b->end[b->n++] = end;
}

static void report(struct bench *b)
{
	struct ts_pipeline_events events = {
		.stage = b->stage,
		.start_s = b->start,
		.end_s = b->end,
		.step = b->with_step ? b->step : NULL,
		.microbatch = b->with_microbatch ? b->microbatch : NULL,
		.chunk = b->with_chunk ? b->chunk : NULL,
		.n = b->n,
	};
	struct ts_error err;

	b->m.n = 0;
	assert_int_equal(ts_pipeline(&events, &b->plan, &b->arena, &b->m, &err), TS_OK);
	assert_true(test_seen(&b->m));
}

static double value(struct bench *b, const char *subject, const char *name)
{
	double v = NAN;

	if (!test_value(&b->m, "pipeline", subject, name, &v))
		fail_msg("pipeline/%s/%s is not known", subject, name);
	return v;
}

static void is(struct bench *b, const char *subject, const char *name, double want)
{
	double v = value(b, subject, name);

	if (!(fabs(v - want) <= 1e-9))
		fail_msg("pipeline/%s/%s is %.17g, not %.17g", subject, name, v, want);
}

static void is_unknown(struct bench *b, const char *name, const char *why)
{
	const struct ts_measure *m = test_find(&b->m, "pipeline", "all", name);

	assert_non_null(m);
	assert_false(m->known);
	assert_true(ts_span_is(m->reason, why));
}

static void is_text(struct bench *b, const char *name, const char *want)
{
	const struct ts_measure *m = test_find(&b->m, "pipeline", "all", name);

	assert_non_null(m);
	assert_true(m->known && ts_span_is(m->text, want));
}

/* All forward passes come first, then all backward passes: microbatch i is in stage s from s + i on, and returns
 * through the later stages first. */
static void gpipe(struct bench *b, size_t p, size_t m, bool backward)
{
	double forward = 0.001, back = 0.002, turn = forward * (double)(m + p - 1);

	b->n = 0;
	for (size_t i = 0; i < m; i++)
		for (size_t s = 0; s < p; s++) {
			double at = forward * (double)(s + i), from = turn + back * (double)(p - 1 - s + i);

			b->microbatch[b->n] = (double)i;
			event(b, (double)s, at, at + forward);
			if (backward) {
				b->microbatch[b->n] = (double)i;
				event(b, (double)s, from, from + back);
			}
		}
}

static void gpipe_is_its_closed_form(void **state)
{
	static const size_t stages[] = {2, 4, 8}, microbatches[] = {1, 4, 16, 64};
	struct bench *b = *state;

	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 4; k++)
			for (int backward = 0; backward < 2; backward++) {
				size_t p = stages[i], m = microbatches[k];
				double want = (double)(p - 1) / (double)(m + p - 1);

				gpipe(b, p, m, backward);
				b->plan = (struct ts_pipeline_plan){p, m, 1};
				report(b);
				is(b, "all", "bubble", want);
				is(b, "all", "ideal", want);
				is(b, "all", "excess", 0.0);
				is(b, "all", "stages", (double)p);
				is(b, "stage 0", "bubble", want);
				is(b, "stage 1", "busy", (backward ? 0.003 : 0.001) * (double)m);
			}
}

/* Each stage runs the forward passes of v chunks in turn, in groups of p microbatches: p - 1 of v m + p - 1 slots
 * stay empty. */
static void interleaved_is_its_closed_form(void **state)
{
	static const size_t stages[] = {2, 4, 8}, groups[] = {1, 2, 4}, chunks[] = {2, 3};
	struct bench *b = *state;

	for (size_t i = 0; i < 3; i++)
		for (size_t g = 0; g < 3; g++)
			for (size_t k = 0; k < 2; k++) {
				size_t p = stages[i], m = groups[g] * p, v = chunks[k];

				b->n = 0;
				for (size_t s = 0; s < p; s++)
					for (size_t slot = 0; slot < v * m; slot++) {
						b->chunk[b->n] = (double)(slot / p % v);
						b->microbatch[b->n] = (double)(slot / (p * v) * p + slot % p);
						event(b, (double)s, (double)(s + slot), (double)(s + slot + 1));
					}
				b->plan = (struct ts_pipeline_plan){.stages = 0};
				b->with_chunk = b->with_microbatch = true; /* both numbers are counted from the columns */
				report(b);
				is(b, "all", "microbatches", (double)m);
				is(b, "all", "virtual_stages", (double)v);
				is(b, "all", "ideal", (double)(p - 1) / (double)(v * m + p - 1));
				is(b, "all", "bubble", (double)(p - 1) / (double)(v * m + p - 1));
			}
	is_text(b, "microbatches_source", "column microbatch");
}

static void what_overlaps_counts_once(void **state)
{
	struct bench *b = *state;

	event(b, 0, 4, 6);
	event(b, 0, 0, 3);
	event(b, 0, 1, 2);   /* this event lies inside the first */
	event(b, 0, 2.5, 5); /* this event joins both */
	event(b, 1, 6, 8);
	event(b, 1, 6, 8); /* the second stage is equally busy */
	b->plan.microbatches = 1;
	report(b);
	is(b, "stage 0", "busy", 6);
	is(b, "stage 1", "busy", 2);
	is(b, "all", "makespan", 8);
	is(b, "all", "bubble", 1 - 8.0 / 16);
	is(b, "all", "ideal", 0.5);
	is(b, "all", "excess", 0);
	is_text(b, "busiest", "stage 0");
	is_text(b, "idlest", "stage 1");
}

static void excess_of_an_unbalanced_pipeline(void **state)
{
	struct bench *b = *state;

	event(b, 7, 0, 4); /* stage numbers need not be consecutive */
	event(b, 3, 4, 5);
	b->plan.microbatches = 4;
	report(b);
	is(b, "all", "bubble", 0.5);
	is(b, "all", "ideal", 0.2);
	is(b, "all", "excess", 0.3);
	is_text(b, "busiest", "stage 7");
	is(b, "stage 3", "bubble", 0.8);
}

/* The pause between two steps is not part of the bubble. */
static void steps_are_apart(void **state)
{
	struct bench *b = *state;

	for (size_t i = 0; i < 2; i++) {
		double at = 100.0 * (double)i;

		b->step[b->n] = (double)(10 - i);
		event(b, 0, at, at + 1);
		b->step[b->n] = (double)(10 - i);
		event(b, 1, at + 1, at + 2);
	}
	b->with_step = true;
	report(b);
	is(b, "all", "steps", 2);
	is(b, "all", "makespan", 4);
	is(b, "all", "bubble", 0.5);
	is_unknown(b, "ideal", "the number of microbatches is neither declared nor recorded in the events");
	is_unknown(b, "microbatches", "the number of microbatches is neither declared nor recorded in the events");
}

static void odd_events_are_skipped_and_counted(void **state)
{
	struct bench *b = *state;

	event(b, 0, 0, 1);
	event(b, 1, 1, 2);
	event(b, 1, 1, (double)NAN);
	event(b, 1, -(double)INFINITY, 2);
	event(b, 1, 5, 4);
	event(b, -1, 0, 9);
	event(b, 0.5, 0, 9);
	event(b, (double)NAN, 0, 9);
	event(b, 1e300, 0, 9);
	event(b, 0, -1e308, 1e308);
	report(b);
	is(b, "all", "events", 2);
	is(b, "all", "skipped", 8);
	is(b, "all", "bubble", 0.5);
}

static void what_is_no_pipeline(void **state)
{
	struct bench *b = *state;

	report(b);
	assert_int_equal(b->m.n, 0);
	event(b, 0, 0, 1);
	report(b);
	is_unknown(b, "bubble", "fewer than two stages have events");
	event(b, 1, 0, (double)NAN);
	report(b);
	is_unknown(b, "bubble", "fewer than two stages have events");
	is(b, "all", "skipped", 1);
	b->n = 0;
	event(b, 0, 1, 1);
	event(b, 1, 1, 1);
	report(b);
	is_unknown(b, "bubble", "the duration of the events is 0 or not finite");
	b->n = 0;
	event(b, 0, (double)NAN, 1);
	report(b);
	is_unknown(b, "bubble", "no event has a stage, a start and an end");
	b->n = 0;
	for (size_t i = 0; i < TS_PIPELINE_STAGES + 1; i++)
		event(b, (double)i, 0, 1);
	report(b);
	is_unknown(b, "bubble", "the events have more stages than tscope accepts");
}

static void a_stage_that_is_missing(void **state)
{
	struct bench *b = *state;

	gpipe(b, 4, 8, false);
	b->plan = (struct ts_pipeline_plan){.stages = 5, .microbatches = 8};
	report(b);
	is(b, "all", "declared_stages", 5);
	is(b, "all", "bubble", 3.0 / 11);
	is_unknown(b, "ideal", "the number of stages with events differs from parallelism.pipeline_stages");
}

static void a_full_arena_is_said(void **state)
{
	struct bench *b = *state;
	struct ts_pipeline_events events = {.stage = b->stage, .start_s = b->start, .end_s = b->end, .n = 0};
	struct ts_error err;
	size_t failed = 0;

	gpipe(b, 8, 16, true);
	events.n = b->n;
	for (size_t room = 64; room < 65536; room += 64) {
		enum ts_status status;

		b->m.n = 0;
		b->arena.ceiling = b->arena.used + room;
		status = ts_pipeline(&events, &b->plan, &b->arena, &b->m, &err);
		if (status == TS_OK)
			break;
		failed++;
	}
	assert_true(failed > 3);
	is(b, "all", "stages", 8);
}

/* A measure that no scenario produces would be a name in measures.inc and nothing else. */
static void every_measure_is_made(void **state)
{
	(void)state;
	assert_true(test_seen_all(TS_ANSWER_PIPELINE, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		TEST(gpipe_is_its_closed_form),	 TEST(interleaved_is_its_closed_form),
		TEST(what_overlaps_counts_once), TEST(excess_of_an_unbalanced_pipeline),
		TEST(steps_are_apart),		 TEST(odd_events_are_skipped_and_counted),
		TEST(what_is_no_pipeline),	 TEST(a_stage_that_is_missing),
		TEST(a_full_arena_is_said),	 cmocka_unit_test(every_measure_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
