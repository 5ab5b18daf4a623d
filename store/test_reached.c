/* What is remembered of places that projects reach: what was added and nothing else, within a bound. */
#include "store/reached.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void what_was_added_is_there_and_nothing_else(void **state)
{
	const struct ts_reached_place place = {.pack = 7, .project = 11, .offset = 13};
	const struct ts_reached_place others[] = {{8, 11, 13}, {7, 12, 13}, {7, 11, 14}, {11, 7, 13}, {13, 11, 7}};
	struct ts_reached r;

	(void)state;
	ts_reached_init(&r);
	assert_false(ts_reached_has(&r, &place));
	ts_reached_add(&r, &place);
	assert_true(ts_reached_has(&r, &place));
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		assert_false(ts_reached_has(&r, &others[i]));
	ts_reached_finish(&r);
}

/* Twice as many as have room: each of the newest is there or was taken out by a later one, and most of them are. */
static void others_take_the_room(void **state)
{
	struct ts_reached_place place = {.project = UINT64_C(0x9e3779b97f4a7c15)};
	struct ts_reached r;
	unsigned kept = 0;

	(void)state;
	ts_reached_init(&r);
	for (uint32_t i = 0; i < 2 * TS_REACHED_SLOTS; i++) {
		place.pack = i / 100;
		place.offset = i % 100 * 4000;
		ts_reached_add(&r, &place);
		assert_true(ts_reached_has(&r, &place));
	}
	for (uint32_t i = 0; i < 2 * TS_REACHED_SLOTS; i++) {
		place.pack = i / 100;
		place.offset = i % 100 * 4000;
		kept += ts_reached_has(&r, &place);
	}
	/* With places by chance, 1 - 1/e^2 of the slots are taken. */
	assert_in_range(kept, TS_REACHED_SLOTS / 2, TS_REACHED_SLOTS);
	ts_reached_finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_added_is_there_and_nothing_else),
		cmocka_unit_test(others_take_the_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
