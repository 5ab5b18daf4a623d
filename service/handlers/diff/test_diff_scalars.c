#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/handlers/core/test_series_runs.h"
#include "service/handlers/diff/diff_scalars.h"

static const struct ts_outcome *named(const struct ts_diff *d, const char *name)
{
	for (size_t i = 0; i < d->n_outcomes; i++)
		if (ts_span_is(d->outcomes[i].name, name))
			return &d->outcomes[i];
	return NULL;
}

/* Thirty steps: a bpb that ends a little worse, a mismatch that grows to four times what it was in b alone, a series that differs by
 * 5 %, one that is the same, one of time, and one that only a has. */
static void fill(struct cells *c, bool is_b)
{
	for (int64_t i = 0; i < 30; i++) {
		double t = (double)i;

		cells_add(c, 0, "scalars.loss", i, 3 - 0.1 * t);
		cells_add(c, 0, "scalars.val_bpb", i, (is_b ? 0.902 : 0.9) + 0.1 * (t < 27));
		cells_add(c, 0, "scalars.rollout_mismatch", i, !is_b || i < 3 ? 0.01 : i < 27 ? 0.02 : 0.04);
		cells_add(c, 0, "scalars.entropy", i, is_b ? 1.05 : 1);
		cells_add(c, 0, "scalars.kl", i, 0.5 + 0.01 * t);
		cells_add(c, 0, "scalars.rollout_time", i, is_b ? 2 : 1);
		if (!is_b)
			cells_add(c, 0, "scalars.reward", i, t);
	}
}

static void series_that_came_to_something_else(void **state)
{
	static const struct ts_span losses[2] = {{(const uint8_t *)"scalars.loss", 12}, {(const uint8_t *)"scalars.loss", 12}};
	struct ts_outcome before[] = {{.name = ts_span_str("best_loss")}, {.name = ts_span_str("steps")}};
	struct ts_diff diff = {
		.outcomes = before, .n_outcomes = 2, .diagnosis = {.cause = TS_CAUSE_INIT_OR_DATA, .confidence = TS_CONFIDENCE_LOW}};
	struct cells a = {.n = 0}, b = {.n = 0};
	const struct ts_outcome *o;
	struct ts_error err;
	struct ts_id id_a, id_b;
	struct world w;

	(void)state;
	world_open(&w);
	fill(&a, false);
	fill(&b, true);
	id_a = make_run(&w, &a, NULL, 0);
	id_b = make_run(&w, &b, NULL, 0);
	must(ts_diff_scalars(&w.fetch, &id_a, &id_b, losses, &w.arena, &diff, &err), &err);
	assert_int_equal(diff.n_outcomes, 5);
	assert_true(ts_span_is(diff.outcomes[0].name, "best_loss") && ts_span_is(diff.outcomes[4].name, "steps"));
	o = named(&diff, "scalars.val_bpb");
	assert_non_null(o);
	assert_true(ts_span_is(o->title, "val_bpb, last tenth"));
	assert_true(o->compared && fabs(o->a.value - 0.9) < 1e-12 && fabs(o->change - 0.002) < 1e-12);
	o = named(&diff, "scalars.rollout_mismatch");
	assert_true(o && fabs(o->b.value - 0.04) < 1e-12);
	o = named(&diff, "growth of scalars.rollout_mismatch");
	assert_true(o && fabs(o->a.value) < 1e-12 && fabs(o->b.value - 3) < 1e-12 && o->unit == TS_UNIT_RATIO);
	assert_int_equal(diff.diagnosis.cause, TS_CAUSE_UNKNOWN);
	assert_true(ts_span_contains(diff.diagnosis.sentence, "rollout_mismatch begins alike in both runs, and grows by 300 %"));
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(series_that_came_to_something_else)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
