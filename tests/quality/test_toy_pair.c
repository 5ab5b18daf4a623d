#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toy_pair.h"

#include <math.h>
#include <string.h>

/* The rows have round numbers, so that the expected results can be computed by hand. */

enum { STEPS = 40 };

static struct toy_row rows[STEPS];
static struct toy_recording a, b;
static struct ts_arena arena;

static int setup(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < STEPS; i++)
		rows[i] = (struct toy_row){
			.loss = 1 + i, .grad_norm = 100 + i, .lr = 0.5, .params = i, .grads = 2 * i, .batch = 3 * i, .rng = 7};
	toy_record(&a, rows, STEPS, TOY_ALL, 1);
	toy_record(&b, rows, STEPS, TOY_ALL, 1);
	ts_arena_init(&arena, 1 << 22);
	return 0;
}

static int finish(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static const struct ts_evidence_series *find(const struct ts_evidence *e, enum ts_series_kind kind)
{
	for (size_t i = 0; i < e->n_series; i++)
		if (e->series[i].kind == kind)
			return &e->series[i];
	return NULL;
}

static void equal_recordings_part_nowhere(void **state)
{
	struct ts_evidence e;

	(void)state;
	toy_evidence(&a, &b, &arena, &e);
	assert_int_equal(e.n_series, 7);
	for (size_t i = 0; i < e.n_series; i++) {
		assert_false(e.series[i].parts);
		assert_int_equal(e.series[i].common, STEPS);
		assert_int_equal(e.series[i].cadence, 1);
		assert_int_equal(e.series[i].after, STEPS - 1);
	}
	assert_int_equal(e.batches.answer, TS_BATCHES_SAME);
	assert_int_equal(e.epochs.items[0], TOY_BATCHES);
}

static void one_difference_is_where_it_is(void **state)
{
	const struct ts_evidence_series *loss;
	struct ts_evidence e;

	(void)state;
	b.columns[TOY_LOSS].values[9].number = 10.5; /* the value was 10 */
	b.columns[TOY_DIGEST_GRADS].values[4].word = 1;
	toy_evidence(&a, &b, &arena, &e);
	loss = find(&e, TS_KIND_LOSS);
	assert_true(loss->parts && loss->first == 9 && loss->after == 8 && loss->a == 10 && loss->b == 10.5);
	assert_true(loss->gap.visible && loss->gap.visible_step == 9 && fabs(loss->gap.at_visible - 0.5 / 10.5) < 1e-15);
	assert_int_equal(loss->gap.differing, 1);
	assert_true(find(&e, TS_KIND_GRADS)->parts && find(&e, TS_KIND_GRADS)->first == 4);
	assert_false(find(&e, TS_KIND_GRAD_NORM)->parts);
}

/* Each rank has its own digest of the gradients. */
static void ranks_have_their_own_gradients(void **state)
{
	struct toy_row moved[STEPS];
	struct ts_evidence e;

	(void)state;
	memcpy(moved, rows, sizeof moved);
	moved[6].rank_grads[2] = 55;
	toy_record(&a, rows, STEPS, TOY_ALL, 4);
	toy_record(&b, moved, STEPS, TOY_ALL, 4);
	toy_evidence(&a, &b, &arena, &e);
	assert_int_equal(e.n_series, 10);
	for (size_t i = 0; i < e.n_series; i++) {
		assert_int_equal(e.series[i].parts, e.series[i].kind == TS_KIND_GRADS && e.series[i].rank == 2);
		assert_true(!e.series[i].parts || e.series[i].first == 6);
	}
}

static void columns_not_asked_for_are_not_there(void **state)
{
	struct ts_evidence e;

	(void)state;
	toy_record(&a, rows, STEPS, TOY_LOSS_ALONE, 1);
	toy_evidence(&a, &b, &arena, &e);
	assert_true(find(&e, TS_KIND_LOSS)->in_a && find(&e, TS_KIND_LOSS)->in_b);
	assert_true(!find(&e, TS_KIND_RNG)->in_a && find(&e, TS_KIND_RNG)->in_b);
	assert_int_equal(find(&e, TS_KIND_RNG)->common, 0);
	assert_int_equal(e.batches.answer, TS_BATCHES_UNKNOWN);
}

static void a_cut_tail_is_gone(void **state)
{
	struct ts_evidence e;

	(void)state;
	toy_cut_tail(&b, 12);
	toy_evidence(&a, &b, &arena, &e);
	assert_int_equal(find(&e, TS_KIND_LOSS)->common, 12);
	assert_int_equal(find(&e, TS_KIND_BATCH)->last_common, 11);
}

/* A step that is lost is lost in every column, and the other steps are unchanged. */
static void lost_steps_leave_the_others(void **state)
{
	struct ts_evidence e;
	size_t n;

	(void)state;
	toy_lose(&b, 0.5, 3);
	n = b.columns[TOY_LOSS].n;
	assert_true(n > 8 && n < 32); /* expected are 20, within 4 deviations of 3.2 */
	for (size_t i = 0; i < n; i++) {
		assert_true(b.columns[TOY_LOSS].values[i].number == 1 + (double)b.columns[TOY_LOSS].steps[i]);
		assert_int_equal(b.columns[TOY_DIGEST_BATCH].steps[i], b.columns[TOY_LOSS].steps[i]);
	}
	toy_evidence(&a, &b, &arena, &e);
	assert_int_equal(find(&e, TS_KIND_LOSS)->common, n);
	assert_false(find(&e, TS_KIND_LOSS)->parts);
}

/* The first execution of steps 17, 18 and 19 was wrong. The second one counts. */
static void of_steps_twice_the_last_counts(void **state)
{
	struct ts_evidence e;

	(void)state;
	toy_write_twice(&b, 20, 3, 2);
	assert_int_equal(b.columns[TOY_LOSS].n, STEPS + 3);
	assert_true(b.columns[TOY_LOSS].values[17].number == 36 && b.columns[TOY_LOSS].steps[20] == 17);
	assert_true(b.columns[TOY_LOSS].values[20].number == 18);
	toy_evidence(&a, &b, &arena, &e);
	for (size_t i = 0; i < e.n_series; i++)
		assert_true(e.series[i].common == STEPS && !e.series[i].parts);
	assert_true(e.resumes_a.n == 0 && e.resumes_b.n == 1 && e.resumes_b.items[0] == 17);
}

static void decimals_hide_what_is_smaller(void **state)
{
	struct ts_evidence e;

	(void)state;
	b.columns[TOY_LOSS].values[5].number += 3e-5;
	b.columns[TOY_LOSS].values[7].number += 8e-5;
	toy_decimals(&b);
	toy_evidence(&a, &b, &arena, &e);
	assert_true(find(&e, TS_KIND_LOSS)->first == 7 && find(&e, TS_KIND_LOSS)->gap.visible);
	assert_true(fabs(find(&e, TS_KIND_LOSS)->gap.quantum - 1e-4) < 1e-18);
}

static void doubles_are_the_same_floats(void **state)
{
	struct ts_evidence e;

	(void)state;
	toy_doubles(&b, 4);
	for (size_t i = 0; i < STEPS; i++) {
		double x = b.columns[TOY_LOSS].values[i].number;

		assert_true((double)(float)x == rows[i].loss);
		assert_true(x != rows[i].loss);
	}
	toy_evidence(&a, &b, &arena, &e);
	assert_true(find(&e, TS_KIND_LOSS)->parts && !find(&e, TS_KIND_LOSS)->gap.visible);
	assert_int_equal(find(&e, TS_KIND_LOSS)->writing_a.resolution.precision, TS_PRECISION_F32);
	assert_int_equal(find(&e, TS_KIND_LOSS)->writing_b.resolution.precision, TS_PRECISION_F64);
	assert_false(find(&e, TS_KIND_PARAMS)->parts);
}

/* The mean of 1 to 10 is 5.5. The norm is that of the last step. */
static void intervals_are_means(void **state)
{
	struct ts_evidence e;

	(void)state;
	toy_intervals(&b);
	assert_int_equal(b.columns[TOY_LOSS].n, 4);
	assert_int_equal(b.columns[TOY_LOSS].steps[0], 9);
	assert_true(b.columns[TOY_LOSS].values[0].number == 5.5 && b.columns[TOY_LOSS].values[3].number == 35.5);
	assert_true(b.columns[TOY_GRAD_NORM].values[0].number == 109);
	toy_evidence(&a, &b, &arena, &e);
	assert_int_equal(find(&e, TS_KIND_LOSS)->cadence, 10);
	assert_true(find(&e, TS_KIND_LOSS)->other_cadence && !find(&e, TS_KIND_PARAMS)->other_cadence);
	assert_true(!find(&e, TS_KIND_LOSS)->from_first && find(&e, TS_KIND_PARAMS)->from_first);
	assert_int_equal(find(&e, TS_KIND_LOSS)->common, 4);
	assert_int_equal(find(&e, TS_KIND_PARAMS)->common, STEPS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_recordings_part_nowhere, setup, finish),
		cmocka_unit_test_setup_teardown(one_difference_is_where_it_is, setup, finish),
		cmocka_unit_test_setup_teardown(ranks_have_their_own_gradients, setup, finish),
		cmocka_unit_test_setup_teardown(columns_not_asked_for_are_not_there, setup, finish),
		cmocka_unit_test_setup_teardown(a_cut_tail_is_gone, setup, finish),
		cmocka_unit_test_setup_teardown(lost_steps_leave_the_others, setup, finish),
		cmocka_unit_test_setup_teardown(of_steps_twice_the_last_counts, setup, finish),
		cmocka_unit_test_setup_teardown(decimals_hide_what_is_smaller, setup, finish),
		cmocka_unit_test_setup_teardown(doubles_are_the_same_floats, setup, finish),
		cmocka_unit_test_setup_teardown(intervals_are_means, setup, finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
