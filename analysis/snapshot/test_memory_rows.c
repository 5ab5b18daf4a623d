/* The rows that rules look at, by hand and of the made-up trainings; every measure of group "snapshot" is made by some of them. */
#include "analysis/answer/test_seen.h"
#include "analysis/rules/rule.h"
#include "analysis/snapshot/memory_rows.h"
#include "analysis/snapshot/scaling.h"
#include "analysis/snapshot/test_snapshot_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define MIB(n) ((uint64_t)(n) << 20)
#define A MIB(1000)
#define FORWARD "/app/net.py:forward < /v/site-packages/torch/nn/modules/module.py:_call_impl < /app/train.py:step"
#define STEP "/app/sgd.py:step < /v/site-packages/torch/optim/optimizer.py:wrapper < /app/train.py:step"
#define KEEP "/app/plots.py:remember < " FORWARD

static struct ts_arena arena;
static struct ts_measures rows;
static uint64_t allocated; /* at the peak, at least */

static void look(uint64_t capacity)
{
	struct ts_memory_answer answer;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	rows = (struct ts_measures){0};
	assert_int_equal(ts_memory_of(made_end(), capacity, &arena, &answer, &err), TS_OK);
	assert_int_equal(answer.n, 1);
	allocated = answer.devices[0].peak_allocated;
	assert_int_equal(ts_memory_rows(&answer.devices[0], &arena, &rows, &err), TS_OK);
	assert_true(test_seen(&rows));
}

static double value(enum ts_measure_name what, const char *of)
{
	double v = NAN;

	assert_true(ts_measure_value(&rows, what, ts_span_str(of), &v));
	return v;
}

static const char *text(enum ts_measure_name what)
{
	const struct ts_measure *row = ts_measure_find(&rows, what, TS_NO_SUBJECT);

	assert_non_null(row);
	return row->known ? (const char *)row->text.data : (const char *)row->reason.data;
}

/* Two steps of an optimizer: 1 MiB that is kept for a plot, 30 MiB of forward at the peak, 4 MiB of state. */
static void rows_of_a_training(void **state)
{
	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, A, MIB(1), KEEP);
	made_event(TS_ACTION_ALLOC, A + MIB(1), MIB(30) - 100, FORWARD); /* takes 30 MiB */
	made_free(A + MIB(1), MIB(30) - 100, FORWARD);
	made_event(TS_ACTION_ALLOC, A + MIB(50), MIB(4), STEP);
	made_event(TS_ACTION_ALLOC, A + MIB(60), MIB(3), FORWARD);
	made_free(A + MIB(60), MIB(3), FORWARD);
	made_event(TS_ACTION_ALLOC, A + MIB(70), 512, STEP);
	made_free(A + MIB(70), 512, STEP);
	made_event(TS_ACTION_SEGMENT_FREE, MIB(9000), MIB(7), FORWARD);
	made_event(TS_ACTION_OOM, MIB(2), MIB(200), NULL);
	made_same_stack(12, 11);
	made_segment(A, MIB(100));
	made_block(MIB(1), MIB(1), TS_BLOCK_ACTIVE, KEEP);
	made_block(MIB(49), 0, TS_BLOCK_INACTIVE, NULL);
	made_block(MIB(4), MIB(4), TS_BLOCK_ACTIVE, STEP);
	made_block(MIB(46), 0, TS_BLOCK_INACTIVE, NULL);
	look(MIB(128));
	assert_int_equal(allocated, MIB(31));
	assert_true(value(TS_M_SNAPSHOT_PEAK, "") == (double)(MIB(31) - 100));
	assert_true(value(TS_M_SNAPSHOT_PEAK_RESERVED, "") == (double)MIB(107));
	assert_string_equal(text(TS_M_SNAPSHOT_PEAK_PHASE), "forward");
	assert_true(value(TS_M_SNAPSHOT_KIND, "temporary") == (double)(MIB(30) - 100));
	assert_true(value(TS_M_SNAPSHOT_KIND_SHARE, "kept by forward") == (double)MIB(1) / (double)(MIB(31) - 100));
	assert_true(value(TS_M_SNAPSHOT_KIND, "unknown") == 0);
	assert_true(value(TS_M_SNAPSHOT_KIND, "optimizer state") == 0);
	assert_true(value(TS_M_SNAPSHOT_RESERVED, "") == (double)MIB(100));
	assert_true(value(TS_M_SNAPSHOT_STUCK, "") == (double)MIB(95));
	assert_true(value(TS_M_SNAPSHOT_STUCK_SHARE, "") == 0.95);
	assert_true(value(TS_M_SNAPSHOT_CACHED, "") == 0);
	assert_true(value(TS_M_SNAPSHOT_EXPANDABLE, "") == 0);
	assert_true(value(TS_M_SNAPSHOT_RETRIES, "") == 1); /* segment_free right before oom, in one call */
	assert_true(value(TS_M_SNAPSHOT_RETRIED, "") == (double)MIB(7));
	assert_true(value(TS_M_SNAPSHOT_EMPTIED, "") == 0);
	assert_true(value(TS_M_SNAPSHOT_RETRY_TIME, "") == 10.0 / 120); /* of the 12 times 10 us between 13 events */
	assert_true(value(TS_M_SNAPSHOT_ALLOCATOR_TIME, "") == 10.0 / 120);
	assert_true(value(TS_M_SNAPSHOT_REFUSED, "") == 1);
	assert_true(value(TS_M_SNAPSHOT_REFUSED_BYTES, "") == (double)MIB(200));
	assert_true(value(TS_M_SNAPSHOT_REFUSED_FREE, "") == (double)MIB(95));
	assert_true(value(TS_M_SNAPSHOT_REFUSED_LARGEST, "") == (double)MIB(49));
	assert_true(value(TS_M_SNAPSHOT_CAPACITY, "") == (double)MIB(128));
	assert_true(value(TS_M_SNAPSHOT_HEADROOM, "") == (double)MIB(21));
	assert_true(value(TS_M_SNAPSHOT_CHURN, "") == (double)(MIB(1) + MIB(30) - 100 + MIB(4) + MIB(3) + 512));
	assert_true(value(TS_M_SNAPSHOT_CHURN_LARGEST, "") == (double)(MIB(33) - 100));
	assert_string_equal(text(TS_M_SNAPSHOT_CHURN_SOURCE), "forward");
	assert_true(value(TS_M_SNAPSHOT_STEPS, "") == 2);
	assert_true(value(TS_M_SNAPSHOT_CARRIED, "") == (double)MIB(1));
	assert_true(value(TS_M_SNAPSHOT_CARRIED_SHARE, "") == (double)MIB(1) / (double)(MIB(31) - 100));
	assert_string_equal(text(TS_M_SNAPSHOT_CARRIED_SOURCE), "remember");
	ts_arena_finish(&arena);
}

/* The peak lies in the second forward, where 3 MiB are there of the step before, 2 MiB of this one, and 4 MiB are DDP's bucket. */
static void rows_of_gradients_that_are_kept(void **state)
{
	static const char backward[] = "??:torch::autograd::Engine::thread_main()";

	(void)state;
	made_begin();
	made_event(TS_ACTION_ALLOC, MIB(10), MIB(4), "??:c10d::Reducer::initialize_buckets(x) < " FORWARD);
	made_event(TS_ACTION_ALLOC, MIB(20), MIB(3), backward);
	made_event(TS_ACTION_ALLOC, MIB(30), 512, STEP);
	made_event(TS_ACTION_ALLOC, MIB(40), MIB(2), backward);
	made_event(TS_ACTION_ALLOC, MIB(50), MIB(1), FORWARD);
	made_event(TS_ACTION_ALLOC, MIB(60), MIB(16), FORWARD);
	made_free(MIB(60), MIB(16), FORWARD);
	look(0);
	assert_string_equal(text(TS_M_SNAPSHOT_PEAK_PHASE), "forward");
	assert_true(value(TS_M_SNAPSHOT_KIND, "gradients") == (double)MIB(9));
	assert_true(value(TS_M_SNAPSHOT_KEPT, "") == (double)MIB(3));
	assert_true(value(TS_M_SNAPSHOT_KEPT_SHARE, "") == (double)MIB(3) / value(TS_M_SNAPSHOT_PEAK, ""));
	ts_arena_finish(&arena);
	made_begin(); /* the same before any step: they are accumulated */
	made_event(TS_ACTION_ALLOC, MIB(20), MIB(3), backward);
	made_event(TS_ACTION_ALLOC, MIB(60), MIB(16), FORWARD);
	made_free(MIB(60), MIB(16), FORWARD);
	made_event(TS_ACTION_ALLOC, MIB(30), 512, STEP);
	look(0);
	assert_true(value(TS_M_SNAPSHOT_KIND, "gradients") == (double)MIB(3));
	assert_true(value(TS_M_SNAPSHOT_KEPT, "") == 0);
	ts_arena_finish(&arena);
	made_begin(); /* and there before recording */
	made_event(TS_ACTION_ALLOC, MIB(60), MIB(16), FORWARD);
	made_free(MIB(60), MIB(16), FORWARD);
	made_free(MIB(20), MIB(3), "/v/site-packages/torch/optim/optimizer.py:zero_grad < /app/train.py:step");
	look(0);
	assert_true(value(TS_M_SNAPSHOT_KEPT, "") == (double)MIB(3));
	ts_arena_finish(&arena);
}

/* Segments that are given back where no request follows, and sizes that would fit. */
static void rows_of_a_cache_that_is_emptied(void **state)
{
	struct ts_scaling fit = {.has_capacity = true, .grows = true, .least = 24, .most = 35};
	struct ts_error err;

	(void)state;
	made_begin();
	for (int i = 0; i < 3; i++) {
		made_event(TS_ACTION_SEGMENT_ALLOC, A + MIB(100), MIB(20), FORWARD);
		made_event(TS_ACTION_SEGMENT_FREE, A + MIB(100), MIB(20), KEEP);
	}
	made_event(TS_ACTION_ALLOC, A, MIB(1), KEEP);
	made_segment(A, MIB(2));
	made_block(MIB(1), MIB(1), TS_BLOCK_ACTIVE, KEEP);
	made_block(MIB(1), 0, TS_BLOCK_INACTIVE, NULL);
	look(0);
	assert_true(value(TS_M_SNAPSHOT_EMPTIED, "") == (double)MIB(60));
	assert_true(value(TS_M_SNAPSHOT_RETRIES, "") == 0);
	assert_true(value(TS_M_SNAPSHOT_RETRY_TIME, "") == 0);
	assert_true(value(TS_M_SNAPSHOT_PEAK_RESERVED, "") == (double)MIB(22));
	assert_int_equal(ts_memory_rows_fit(&fit, &arena, &rows, &err), TS_OK);
	assert_true(test_seen(&rows));
	assert_string_equal(text(TS_M_SNAPSHOT_FIT_OF), "batch");
	assert_true(value(TS_M_SNAPSHOT_FIT_LEAST, "") == 24 && value(TS_M_SNAPSHOT_FIT_MOST, "") == 35);
	ts_arena_finish(&arena);
}

/* What is not there is not known, and not 0. */
/* A function whose name is the longest that a pickle may have: sentences have its begin and its end. */
static void a_name_of_a_mebibyte_is_cut(void **state)
{
	static char frames[(1 << 20) + 64];
	const char *said;

	(void)state;
	memset(frames, 'y', 1 << 20);
	memcpy(frames, "/app/x.py:\xc3\xbcnder", 16);
	frames[1 << 20] = 0;
	made_begin();
	made_event(TS_ACTION_ALLOC, 1, 100, frames);
	made_segment(1, 512);
	made_block(512, 100, TS_BLOCK_ACTIVE, frames);
	look(0);
	said = text(TS_M_SNAPSHOT_CHURN_SOURCE);
	assert_int_equal(strlen(said), 400 + 3);
	assert_memory_equal(said, "\xc3\xbcnderyyy", 9);
	assert_memory_equal(said + 200, "...yyy", 6);
	ts_arena_finish(&arena);
}

static void rows_without_history(void **state)
{
	static const enum ts_measure_name of_events[] = {
		TS_M_SNAPSHOT_PEAK,	     TS_M_SNAPSHOT_PEAK_RESERVED, TS_M_SNAPSHOT_PEAK_PHASE,
		TS_M_SNAPSHOT_RETRIES,	     TS_M_SNAPSHOT_REFUSED,	  TS_M_SNAPSHOT_CHURN,
		TS_M_SNAPSHOT_CHURN_LARGEST, TS_M_SNAPSHOT_CARRIED,	  TS_M_SNAPSHOT_STEPS,
	};

	(void)state;
	made_begin();
	made_segment(A, MIB(2));
	made_block(MIB(2), 0, TS_BLOCK_INACTIVE, NULL);
	look(0);
	for (size_t i = 0; i < sizeof of_events / sizeof *of_events; i++) {
		const struct ts_measure *row = ts_measure_find(&rows, of_events[i], TS_NO_SUBJECT);

		assert_true(row && !row->known);
		assert_non_null(strstr(text(of_events[i]), "no history"));
	}
	assert_non_null(strstr(text(TS_M_SNAPSHOT_HEADROOM), "--device-memory"));
	assert_true(value(TS_M_SNAPSHOT_CACHED, "") == (double)MIB(2));
	ts_arena_finish(&arena);
	assert_true(test_seen_all(TS_ANSWER_SNAPSHOT, NULL));
}

/* A rule finds every row that it asks for, and the reason in it. */
static void rows_of_what_was_not_read(void **state)
{
	struct ts_findings found;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 0);
	rows = (struct ts_measures){0};
	assert_int_equal(ts_memory_rows_unread("it is too long", &arena, &rows, &err), TS_OK);
	assert_int_equal(ts_findings_of_snapshot(&rows, NULL, &arena, &found, &err), TS_OK);
	assert_int_equal(found.n, 0);
	for (size_t i = 0; i < ts_rules_n; i++)
		found.n += ts_rules[i].of_snapshot;
	assert_int_equal(found.n_unchecked, found.n);
	for (size_t i = 0; i < found.n_unchecked; i++)
		assert_true(ts_span_is(found.unchecked[i].reason, "it is too long"));
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_a_training),
		cmocka_unit_test(rows_of_gradients_that_are_kept),
		cmocka_unit_test(rows_of_a_cache_that_is_emptied),
		cmocka_unit_test(a_name_of_a_mebibyte_is_cut),
		cmocka_unit_test(rows_without_history),
		cmocka_unit_test(rows_of_what_was_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
