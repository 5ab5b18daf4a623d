/* test_diagnose_patterns.c - what a diagnosis says of a multiplied objective, of steps counted at another rate and of a skipped
 * update.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/diagnose.h"

#include <math.h>

enum { LAST = 199 };

struct scene {
	struct ts_arena arena;
	struct ts_evidence e;
	struct ts_evidence_series series[8];
	struct ts_fact_row rows[2];
	struct ts_diagnosis d;
};

static void open_scene(struct scene *s)
{
	memset(s, 0, sizeof *s);
	ts_arena_init(&s->arena, 1 << 20);
	s->e.series = s->series;
	s->e.facts = s->rows;
}

static struct ts_evidence_series *add(struct scene *s, enum ts_series_kind kind, const char *name)
{
	struct ts_evidence_series *series = &s->series[s->e.n_series++];

	*series = (struct ts_evidence_series){.kind = kind,
					      .name = ts_span_str(name),
					      .in_a = true,
					      .in_b = true,
					      .common = LAST + 1,
					      .from_first = true,
					      .last_common = LAST,
					      .cadence = 1};
	return series;
}

static void parts(struct scene *s, enum ts_series_kind kind, const char *name, int64_t step, double a, double b)
{
	struct ts_evidence_series *series = add(s, kind, name);
	double r = isfinite(a) && isfinite(b) ? fabs(a - b) / fmax(fabs(a), fabs(b)) : 1;

	series->parts = true;
	series->first = step;
	series->after_known = step > 0;
	series->after = step - 1;
	series->a = a;
	series->b = b;
	series->gap = (struct ts_gap){.known = true,
				      .visible = true,
				      .visible_step = step,
				      .first = r,
				      .at_visible = r,
				      .after_10 = r,
				      .after_30 = r,
				      .after_100 = r,
				      .slope = NAN,
				      .saturation = r,
				      .greatest = r,
				      .greatest_step = step,
				      .points = LAST + 1 - (uint64_t)step,
				      .differing = LAST + 1 - (uint64_t)step,
				      .ratio_least = b / a,
				      .ratio_most = b / a,
				      .spread_a = 0.5,
				      .bias = 0.5,
				      .last_step = LAST};
}

static void diagnose(struct scene *s, enum ts_cause cause, const char *sentence)
{
	struct ts_error err;

	assert_int_equal(ts_diagnose(&s->e, NULL, &s->arena, &s->d, &err), TS_OK);
	if (s->d.cause != cause || !ts_span_contains(s->d.sentence, sentence))
		fail_msg("%s: %.*s", ts_cause_word(s->d.cause), TS_SPAN_ARG(s->d.sentence));
	ts_arena_finish(&s->arena);
}

static void test_objective(void **state)
{
	static const struct ts_fact two = {.type = TS_FACT_INT, .integer = 2}, sixteen = {.type = TS_FACT_INT, .integer = 16};
	struct scene s;

	(void)state;
	open_scene(&s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 6.25, 50);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 0, 4.5, 36);
	diagnose(&s, TS_CAUSE_CODE, "The objective is multiplied by 8");
	open_scene(&s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 6.25, 50);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 0, 4.5, 36);
	s.rows[0] = (struct ts_fact_row){
		.group = TS_GROUP_CONFIG, .path = ts_span_str("config.accumulation"), .a = &two, .b = &sixteen};
	s.e.n_facts = 1;
	diagnose(&s, TS_CAUSE_CONFIG, "config.accumulation differs by the same factor");
	/* Other batches explain another loss, whatever its factor. */
	open_scene(&s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 6.25, 50);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 0, 4.5, 36);
	parts(&s, TS_KIND_BATCH, "digests.batch", 0, 0, 1);
	diagnose(&s, TS_CAUSE_ORDER_OR_SET, "batches");
}

static void test_gradient(void **state)
{
	struct scene s;

	(void)state;
	open_scene(&s);
	parts(&s, TS_KIND_LOSS, "loss", 1, 2, 2.02);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 0, 1.5, 6);
	diagnose(&s, TS_CAUSE_CODE, "The gradient is multiplied by 4, but the first loss is not");
}

/* The losses agree to the end: the norm is in another unit, or the optimizer divides the factor out. */
static void test_norm_in_another_unit(void **state)
{
	struct scene s;

	(void)state;
	open_scene(&s);
	(void)add(&s, TS_KIND_LOSS, "loss");
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 0, 1.5, 4.5);
	diagnose(&s, TS_CAUSE_UNKNOWN,
		 "The gradient norm of the second run is 3 times that of the first run, at every one of 200 steps");
}

static void test_stride(void **state)
{
	struct scene s;

	(void)state;
	open_scene(&s);
	parts(&s, TS_KIND_LOSS, "loss", 1, 2, 2.5);
	s.e.stride = (struct ts_pattern_stride){.found = true, .second = true, .times = 2, .plus = 1, .steps = 200};
	diagnose(&s, TS_CAUSE_STEP_NUMBERING, "step s of the first run is step 2 s + 1 of the second run");
}

static void overflow(struct scene *s, struct ts_pattern_skips *skips)
{
	s->e.skips_a.looked = s->e.skips_b.looked = true;
	skips->n = 1;
	skips->kept[0] = (struct ts_skip){.step = 60, .overflowed = true, .lowered = true, .from = 131072, .to = 65536};
}

static void test_skip(void **state)
{
	static const struct ts_fact often = {.type = TS_FACT_INT, .integer = 20}, rarely = {.type = TS_FACT_INT, .integer = 2000};
	struct scene s;

	(void)state;
	open_scene(&s);
	parts(&s, TS_KIND_LOSS, "loss", 61, 1.2, 1.201);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 0.4, INFINITY);
	overflow(&s, &s.e.skips_b);
	diagnose(&s, TS_CAUSE_COMPUTATION, "Only the second run skipped its update, at step 60");
	open_scene(&s);
	parts(&s, TS_KIND_LOSS, "loss", 61, 1.2, 1.201);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, INFINITY, 0.4);
	parts(&s, TS_KIND_SCALE, "scale", 20, 131072, 65536);
	overflow(&s, &s.e.skips_a);
	s.rows[0] = (struct ts_fact_row){
		.group = TS_GROUP_CONFIG, .path = ts_span_str("config.growth_interval"), .a = &often, .b = &rarely};
	s.e.n_facts = 1;
	diagnose(&s, TS_CAUSE_CONFIG, "these settings of the scaler differ: config.growth_interval");
	/* The scale with which the first step was skipped differs, at the same record. */
	open_scene(&s);
	parts(&s, TS_KIND_LOSS, "loss", 61, 1.2, 1.201);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 0.4, INFINITY);
	parts(&s, TS_KIND_SCALE, "scale", 60, 65536, 131072);
	overflow(&s, &s.e.skips_b);
	diagnose(&s, TS_CAUSE_CONFIG, "Only the second run skipped its update, at step 60");
	/* Where it was written behind the skipped update, it differs by that alone. */
	open_scene(&s);
	parts(&s, TS_KIND_LOSS, "loss", 61, 1.2, 1.201);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 0.4, INFINITY);
	parts(&s, TS_KIND_SCALE, "scale", 60, 131072, 65536);
	overflow(&s, &s.e.skips_b);
	diagnose(&s, TS_CAUSE_COMPUTATION, "Only the second run skipped its update, at step 60");
	/* The losses that were recorded agree: the skipped update is the event all the same. */
	open_scene(&s);
	(void)add(&s, TS_KIND_LOSS, "loss");
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 0.4, INFINITY);
	overflow(&s, &s.e.skips_b);
	diagnose(&s, TS_CAUSE_COMPUTATION, "Only the second run skipped its update, at step 60");
	/* The losses differ where it was skipped: the pass was given something else. */
	open_scene(&s);
	parts(&s, TS_KIND_LOSS, "loss", 60, 1.2, 1.9);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 0.4, INFINITY);
	overflow(&s, &s.e.skips_b);
	diagnose(&s, TS_CAUSE_UNKNOWN, "Only the second run skipped its update, at step 60");
	/* Without a scale it is a guess. */
	open_scene(&s);
	parts(&s, TS_KIND_LOSS, "loss", 61, 1.2, 1.201);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 0.4, INFINITY);
	overflow(&s, &s.e.skips_b);
	s.e.skips_b.kept[0].lowered = false;
	diagnose(&s, TS_CAUSE_UNKNOWN, "it skipped that update or replaced the gradient");
	/* Nothing was skipped: one run blew up. */
	open_scene(&s);
	parts(&s, TS_KIND_LOSS, "loss", 61, 1.2, NAN);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 0.4, INFINITY);
	diagnose(&s, TS_CAUSE_BLOW_UP, "blows up");
}

static void test_scale_alone(void **state)
{
	static const int64_t resume = 20;
	struct scene s;

	(void)state;
	open_scene(&s);
	(void)add(&s, TS_KIND_LOSS, "loss");
	(void)add(&s, TS_KIND_GRAD_NORM, "grad_norm");
	parts(&s, TS_KIND_SCALE, "scale", 20, 131072, 65536);
	diagnose(&s, TS_CAUSE_REPORTING, "The loss scale differs from step 20 on, but the training agrees");
	open_scene(&s);
	(void)add(&s, TS_KIND_LOSS, "loss");
	parts(&s, TS_KIND_SCALE, "scale", 20, 131072, 65536);
	s.e.resumes_b = (struct ts_steps_list){&resume, 1};
	diagnose(&s, TS_CAUSE_RESUME_STATE, "behind the resume at step 20, as where the gradient scaler was not restored");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objective), cmocka_unit_test(test_gradient), cmocka_unit_test(test_stride),
		cmocka_unit_test(test_norm_in_another_unit),
		cmocka_unit_test(test_skip),	  cmocka_unit_test(test_scale_alone),
	};

	return cmocka_run_group_tests_name("diagnose_patterns", tests, NULL, NULL);
}
