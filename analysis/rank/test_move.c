#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/move.h"
#include "analysis/stats/random.h"

#include <math.h>
#include <string.h>

enum { N = 300, CEILING = 64 << 20 };

struct bench {
	struct ts_arena arena;
	struct ts_move_about about;
	struct ts_random random;
	int64_t keys[N];
	double values[N];
};

static int setup(void **state)
{
	struct bench *b = test_calloc(1, sizeof *b);

	ts_arena_init(&b->arena, CEILING);
	ts_random_init(&b->random, 7);
	for (int64_t i = 0; i < N; i++)
		b->keys[i] = 100 + 10 * i;
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

static struct ts_move find(struct bench *b, size_t n)
{
	struct ts_series s = {.keys = b->keys, .values = b->values, .n = n};
	struct ts_move move;
	struct ts_error err;

	assert_int_equal(ts_move_find(&s, &b->about, NULL, &b->arena, &move, &err), TS_OK);
	return move;
}

/* level * (1 + sd z) from `from` to `to` */
static void fill(struct bench *b, size_t from, size_t to, double level, double sd)
{
	for (size_t i = from; i < to; i++)
		b->values[i] = level * (1 + sd * ts_random_normal(&b->random));
}

static void a_fall_in_one_step(void **state)
{
	struct bench *b = *state;
	struct ts_move move;

	fill(b, 0, 120, 12.7, 0.02);
	fill(b, 120, N, 4, 0.05);
	b->about.direction = TS_DIRECTION_DOWN;
	move = find(b, N);
	assert_int_equal(move.kind, TS_MOVE_JUMP);
	assert_int_equal(move.from, 100 + 10 * 120);
	assert_false(move.worse);
	assert_true(fabs(move.before - 12.7) < 0.3 && fabs(move.after - 4) < 0.3);
}

/* The learning rate changes there, too. */
static void a_fall_that_a_schedule_explains(void **state)
{
	struct bench *b = *state;
	int64_t keys[N];
	double rates[N];
	struct ts_series rate = {.keys = keys, .values = rates, .n = N};
	struct ts_error err;

	fill(b, 0, 120, 12.7, 0.02);
	fill(b, 120, N, 4, 0.05);
	for (size_t i = 0; i < N; i++) {
		keys[i] = b->keys[i];
		rates[i] = i < 120 ? 0.1 : 0.01;
	}
	assert_int_equal(ts_move_of_rate(&rate, &b->arena, &b->about, &err), TS_OK);
	assert_false(b->about.frozen);
	assert_int_equal(b->about.n_excused, 1);
	assert_int_equal(find(b, N).kind, TS_MOVE_NONE);
}

/* Two records of about 1.5, and then about 4.5 to the end. */
static void a_level_left_early(void **state)
{
	static const double values[] = {1.6, 1.4, 3.3, 6.4, 5.5, 4.9, 4.9, 4.6, 4.2, 4.3,  4.4,	 4.3,
					4.2, 4.5, 4.4, 4.3, 4.6, 4.4, 4.3, 4.5, 4.2, 4.35, 4.41, 4.44};
	size_t n = sizeof values / sizeof values[0];
	struct bench *b = *state;
	struct ts_move move;

	memcpy(b->values, values, sizeof values);
	b->about.direction = TS_DIRECTION_DOWN;
	move = find(b, n);
	assert_int_equal(move.kind, TS_MOVE_LEFT);
	assert_int_equal(move.from, 100 + 10 * 2);
	assert_true(move.worse);
	b->about.direction = TS_DIRECTION_UP;
	assert_int_equal(find(b, n).kind, TS_MOVE_NONE);
}

static void a_rise_at_the_end(void **state)
{
	struct bench *b = *state;
	struct ts_move move;

	fill(b, 0, N, 1, 0.02);
	for (size_t i = 200; i < N; i++)
		b->values[i] *= 1 + 0.003 * (double)(i - 200);
	b->about.direction = TS_DIRECTION_DOWN;
	move = find(b, N);
	assert_int_equal(move.kind, TS_MOVE_RISE);
	assert_true(move.worse && move.after > 1.2 && move.from > 100 + 1900 && move.from < 100 + 2500);
	b->about.direction = TS_DIRECTION_UNKNOWN; /* less than a factor of two */
	assert_int_equal(find(b, N).kind, TS_MOVE_NONE);
	b->about.direction = TS_DIRECTION_UP; /* to the better */
	assert_int_equal(find(b, N).kind, TS_MOVE_NONE);
}

static void a_drift_counts_only_without_learning(void **state)
{
	struct bench *b = *state;

	fill(b, 0, N, 0.01, 0.2);
	for (size_t i = 0; i < N; i++)
		b->values[i] *= 1 + 6 * (double)i / N;
	assert_int_equal(find(b, N).kind, TS_MOVE_NONE);
	b->about.frozen = true;
	assert_int_equal(find(b, N).kind, TS_MOVE_DRIFT);
}

static void lost_to_the_end(void **state)
{
	struct bench *b = *state;
	struct ts_move move;

	fill(b, 0, N, 1, 0.1);
	b->values[40] = NAN;
	assert_false(find(b, N).lost);
	for (size_t i = 250; i < N; i++)
		b->values[i] = i % 2 ? NAN : INFINITY;
	move = find(b, N);
	assert_true(move.lost);
	assert_int_equal(move.lost_from, 100 + 2500);
	assert_int_equal(move.kind, TS_MOVE_NONE);
	fill(b, 0, 100, 3, 0.1);
	move = find(b, N);
	assert_true(move.lost);
	assert_int_equal(move.kind, TS_MOVE_JUMP);
}

static void settings_do_not_move(void **state)
{
	struct bench *b = *state;

	for (size_t i = 0; i < N; i++)
		b->values[i] = i < 150 ? 1024 : 4096;
	assert_int_equal(find(b, N).kind, TS_MOVE_NONE);
	for (size_t i = 0; i < N; i++)
		b->values[i] = exp((double)i / 30);
	assert_int_equal(find(b, N).kind, TS_MOVE_NONE);
	assert_int_equal(find(b, 0).kind, TS_MOVE_NONE);
	assert_int_equal(find(b, 3).kind, TS_MOVE_NONE);
}

static void a_full_arena_is_an_error(void **state)
{
	struct bench *b = *state;
	struct ts_series s = {.keys = b->keys, .values = b->values, .n = N};
	struct ts_arena small;
	struct ts_move move;
	struct ts_error err;

	fill(b, 0, N, 1, 0.1);
	ts_arena_init(&small, 1024);
	assert_int_equal(ts_move_find(&s, &b->about, NULL, &small, &move, &err), TS_NO_MEMORY);
	ts_arena_finish(&small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		TEST(a_fall_in_one_step),
		TEST(a_fall_that_a_schedule_explains),
		TEST(a_level_left_early),
		TEST(a_rise_at_the_end),
		TEST(a_drift_counts_only_without_learning),
		TEST(lost_to_the_end),
		TEST(settings_do_not_move),
		TEST(a_full_arena_is_an_error),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
