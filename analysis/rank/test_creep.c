#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/creep.h"

#include <math.h>

#define MIB 1048576.0

enum { MOST = 1000 };

static double bytes[MOST];

static struct ts_creep find(size_t n)
{
	struct ts_creep out;

	assert_true(ts_creep_find(bytes, n, &out));
	return out;
}

static void near(double got, double want)
{
	if (!(fabs(got - want) <= fabs(want) * 1e-12))
		fail_msg("%.17g, expected %.17g", got, want);
}

/* Computed by hand: of 100 values the bands are 15..24, 45..54 and 90..99; their means on a line of 1 MiB a step are
 * 19.5, 49.5, 94.5. */
static void early_and_confirmed(void **state)
{
	struct ts_creep c;

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		bytes[i] = (100 + (double)i) * MIB;
	c = find(100);
	assert_int_equal(c.kind, TS_CREEP_EARLY);
	near(c.delta, 75 * MIB);
	near(c.score, 0.75 + 16 * 75 / 119.5);
	for (size_t i = 0; i < MOST; i++)
		bytes[i] = (100 + 14 * (double)i) * MIB; /* 75 * 14 = 1050 MiB */
	c = find(100);
	assert_int_equal(c.kind, TS_CREEP_CONFIRMED);
	near(c.delta, 1050 * MIB);
	for (size_t i = 0; i < MOST; i++)
		bytes[i] = (100 + 13 * (double)i) * MIB; /* 975 MiB */
	assert_int_equal(find(100).kind, TS_CREEP_EARLY);
}

/* The bands of 51 values are floor(7.65) = 7 to ceil(12.75) = 13, 22 to 29, and 45 to 51; their means are 9.5, 25,
 * 47.5. */
static void bands_round_outwards(void **state)
{
	(void)state;
	for (size_t i = 0; i < MOST; i++)
		bytes[i] = (double)i * MIB;
	near(find(51).delta, 38 * MIB);
}

static void falling_and_late(void **state)
{
	struct ts_creep c;

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		bytes[i] = (2000 - (double)i) * MIB;
	c = find(100);
	assert_int_equal(c.kind, TS_CREEP_NONE);
	near(c.delta, -75 * MIB);
	assert_true(c.score >= 0 && c.score <= 0);
	for (size_t i = 0; i < MOST; i++)
		bytes[i] = i < 80 ? 1000 * MIB : 4000 * MIB; /* the base equals the middle */
	assert_int_equal(find(100).kind, TS_CREEP_NONE);
	for (size_t i = 0; i < MOST; i++)
		bytes[i] = (double)i; /* the base is near 0 */
	assert_int_equal(find(50).kind, TS_CREEP_EARLY);
}

static void fewer_than_fifty(void **state)
{
	struct ts_creep c = {.delta = 7};

	(void)state;
	assert_false(ts_creep_find(bytes, 49, &c));
	assert_false(ts_creep_find(bytes, 0, &c));
	near(c.delta, 7);
	assert_string_equal(ts_creep_word(TS_CREEP_CONFIRMED), "confirmed");
	assert_string_equal(ts_creep_word(TS_CREEP_NONE), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(early_and_confirmed),
		cmocka_unit_test(bands_round_outwards),
		cmocka_unit_test(falling_and_late),
		cmocka_unit_test(fewer_than_fifty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
