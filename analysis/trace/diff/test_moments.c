/* moments.c: stretches found on paper. */
#include "analysis/trace/diff/trace_diff_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/stats/random.h"

static void holds(const struct ts_layered *events, size_t n, const struct ts_layered *want, size_t n_want)
{
	struct ts_layered *got = NULL;
	struct ts_arena arena;
	struct ts_error err;
	size_t n_got = 0;

	ts_arena_init(&arena, 0);
	assert_int_equal(ts_moments(events, n, &arena, &got, &n_got, &err), TS_OK);
	assert_int_equal(n_got, n_want);
	for (size_t i = 0; i < n_want; i++) {
		assert_int_equal(got[i].begin, want[i].begin);
		assert_int_equal(got[i].end, want[i].end);
		assert_int_equal(got[i].row, want[i].row);
	}
	ts_arena_finish(&arena);
}

static void the_first_keeps_the_moment(void **state)
{
	static const struct ts_layered events[] = {{0, 10, 1, 0}, {2, 5, 2, 0}, {4, 20, 3, 0}, {20, 20, 4, 0}},
				       want[] = {{0, 10, 1, 0}, {10, 20, 3, 0}};

	(void)state;
	holds(events, 4, want, 2);
	holds(NULL, 0, NULL, 0);
}

static void a_lower_layer_hides_the_others(void **state)
{
	/* communication 0 to 30 under two kernels, a copy that sticks out at both ends */
	static const struct ts_layered events[] = {{-5, 40, 9, 2}, {0, 30, 1, 1}, {5, 10, 2, 0}, {20, 35, 3, 0}},
				       want[] = {{-5, 0, 9, 2},	 {0, 5, 1, 1},	 {5, 10, 2, 0},
						 {10, 20, 1, 1}, {20, 35, 3, 0}, {35, 40, 9, 2}};

	(void)state;
	holds(events, 4, want, 6);
}

/* Each nanosecond of random events, asked one by one. */
static void as_one_by_one(void **state)
{
	enum { EVENTS = 40, TIME = 100 };
	struct ts_layered events[EVENTS], *got = NULL;
	struct ts_arena arena;
	struct ts_random r;
	struct ts_error err;

	(void)state;
	ts_random_init(&r, 7);
	for (int round = 0; round < 200; round++) {
		int64_t begin = 0;
		size_t n = 0, k = 0;

		for (uint32_t i = 0; i < EVENTS; i++) {
			begin += ts_random_below(&r, 4);
			events[i] =
				(struct ts_layered){begin, begin + ts_random_below(&r, 12), i, (uint8_t)ts_random_below(&r, TS_LAYERS)};
		}
		ts_arena_init(&arena, 0);
		assert_int_equal(ts_moments(events, EVENTS, &arena, &got, &n, &err), TS_OK);
		for (int64_t t = 0; t < TIME + 60; t++) {
			const struct ts_layered *best = NULL;

			for (size_t i = 0; i < EVENTS; i++)
				if (events[i].begin <= t && t < events[i].end && (!best || events[i].layer < best->layer))
					best = &events[i];
			while (k < n && got[k].end <= t)
				k++;
			if (!best)
				assert_true(k == n || got[k].begin > t);
			else
				assert_true(k < n && got[k].begin <= t && got[k].row == best->row);
		}
		ts_arena_finish(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_keeps_the_moment),
		cmocka_unit_test(a_lower_layer_hides_the_others),
		cmocka_unit_test(as_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
