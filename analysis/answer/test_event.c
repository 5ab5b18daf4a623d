#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/event.h"

#include <math.h>

enum { CEILING = 16 << 20, MANY = 1000 };

static void add(struct ts_events *events, struct ts_arena *arena, int64_t step, double score)
{
	struct ts_event event = {.kind = TS_EVENT_SPIKE, .first_step = step, .last_step = step, .score = score};

	assert_true(ts_event_add(events, arena, &event));
}

static void few_are_put_in_order(void **state)
{
	struct ts_events events = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	ts_events_trim(&events, 0);
	assert_int_equal(events.n, 0);
	add(&events, &arena, 9, 1.0); /* an event of another subject stays in its place */
	add(&events, &arena, 7, 5.0);
	add(&events, &arena, -3, (double)NAN);
	add(&events, &arena, 2, 8.0);
	ts_events_trim(&events, 1);
	assert_int_equal(events.n, 4);
	assert_int_equal(events.items[0].first_step, 9);
	assert_int_equal(events.items[1].first_step, -3);
	assert_int_equal(events.items[2].first_step, 2);
	assert_int_equal(events.items[3].first_step, 7);
	ts_arena_finish(&arena);
}

/* Steps 0 to 999 come in a shuffled order (7 and 1000 have no common factor) and their scores in another; every 10th
 * step has no score. */
static void the_strongest_stay(void **state)
{
	struct ts_events events = {.n = 0};
	struct ts_arena arena;
	int64_t step = 0;
	size_t kept = 0;

	(void)state;
	ts_arena_init(&arena, CEILING);
	for (int i = 0; i < MANY; i++) {
		add(&events, &arena, step, step % 10 == 0 ? (double)NAN : (double)(step * 3 % MANY));
		step = (step + 7) % MANY;
	}
	ts_events_trim(&events, 0);
	assert_int_equal(events.n, TS_EVENTS_MAX);
	/* Of the 900 scores, the 256 greatest are those from 716 on. 3 is prime to 1000, so each residue occurs
	 * once, except for the multiples of 10, which have no score. There are 284 numbers from 716 to 999, of which
	 * 28 are multiples of 10 (720 to 990). */
	for (step = 0; step < MANY; step++) {
		bool strong = step % 10 != 0 && step * 3 % MANY >= 716;

		if (strong)
			assert_int_equal(events.items[kept++].first_step, step);
	}
	assert_int_equal(kept, TS_EVENTS_MAX);
	ts_arena_finish(&arena);
}

/* Of equal scores the earlier steps stay; an event without a score is dropped before any that has one. */
static void ties(void **state)
{
	struct ts_events events = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	for (int i = TS_EVENTS_MAX; i >= 0; i--)
		add(&events, &arena, i, 4.0);
	ts_events_trim(&events, 0);
	assert_int_equal(events.n, TS_EVENTS_MAX);
	assert_int_equal(events.items[0].first_step, 0);
	assert_int_equal(events.items[TS_EVENTS_MAX - 1].first_step, TS_EVENTS_MAX - 1);
	add(&events, &arena, -1, (double)NAN);
	ts_events_trim(&events, 0);
	assert_int_equal(events.items[0].first_step, 0);
	ts_arena_finish(&arena);
}

static void a_full_arena_is_told(void **state)
{
	struct ts_events events = {.n = 0};
	struct ts_event event = {.kind = TS_EVENT_DIP};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, 64);
	assert_false(ts_event_add(&events, &arena, &event));
	assert_int_equal(events.n, 0);
	ts_arena_finish(&arena);
}

static void words(void **state)
{
	static const char *const want[] = {
		"", "spike", "dip", "level_shift", "nonfinite", "blow_up", "coincidence", "onset", ""};

	(void)state;
	for (int kind = 0; kind <= 8; kind++)
		assert_string_equal(ts_event_word((enum ts_event_kind)kind), want[kind]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_are_put_in_order),
		cmocka_unit_test(the_strongest_stay),
		cmocka_unit_test(ties),
		cmocka_unit_test(a_full_arena_is_told),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
