/* waits.h: what a thread waited for a CPU is given to the steps that it made long. Figures by hand, in ms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "record/cpu.h"
#include "record/tscope.h"
#include "record/waits.h"

#define MS INT64_C(1000000)

static int64_t said; /* ns, by the system; -1: the thread is gone */

int ts_cpu_open(void)
{
	return 1000; /* no such file is open: to close it does nothing */
}

bool ts_cpu_waited(int fd, int64_t *ret_ns)
{
	assert_int_equal(fd, 1000);
	if (said >= 0)
		*ret_ns = said;
	return said >= 0;
}

struct given {
	int n;
	struct {
		int64_t step, ms;
	} of[8];
};

static void give(void *arg, int64_t step, int64_t waited_ns)
{
	struct given *g = arg;

	assert_true(g->n < 8);
	g->of[g->n].step = step;
	g->of[g->n++].ms = waited_ns / MS;
}

/* After 20 steps of 10 ms, from step 0 at 0 ms on. */
static void begin(struct ts_waits *w)
{
	said = 0;
	memset(w, 0, sizeof *w);
	ts_waits_begin(w, 0);
	for (int64_t i = 0; i < 20; i++)
		ts_waits_step(w, i, 10 * i * MS, 10 * (i + 1) * MS);
}

static struct given turn(struct ts_waits *w, int64_t at_ms, int64_t step, int64_t waited_ms)
{
	struct given g = {0};

	said += waited_ms * MS;
	ts_waits_turn(w, at_ms * MS, step, give, &g);
	return g;
}

#define GIVES(g, count, first_step, first_ms)                                                                                          \
	do {                                                                                                                           \
		struct given given_ = (g);                                                                                             \
                                                                                                                                       \
		assert_int_equal(given_.n, count);                                                                                     \
		assert_int_equal(given_.of[0].step, first_step);                                                                       \
		assert_int_equal(given_.of[0].ms, first_ms);                                                                           \
	} while (0)

static void a_long_step_has_what_was_waited_in_its_turn(void **state)
{
	struct ts_waits w;

	(void)state;
	begin(&w);
	GIVES(turn(&w, 200, 20, 0), 0, 0, 0);
	ts_waits_step(&w, 20, 200 * MS, 210 * MS);
	ts_waits_step(&w, 21, 210 * MS, 260 * MS);
	ts_waits_step(&w, 22, 260 * MS, 270 * MS);
	GIVES(turn(&w, 300, 24, 40), 1, 21, 40);
	GIVES(turn(&w, 400, 34, 0), 0, 0, 0);
	/* A minute does not make the step behind it a usual one. */
	ts_waits_step(&w, 34, 390 * MS, 60390 * MS);
	ts_waits_step(&w, 35, 60390 * MS, 60400 * MS);
	ts_waits_step(&w, 36, 60400 * MS, 60490 * MS);
	(void)turn(&w, 60400, 36, 0);
	GIVES(turn(&w, 60500, 37, 0), 0, 0, 0);
	ts_waits_step(&w, 37, 60500 * MS, 60590 * MS);
	GIVES(turn(&w, 60600, 38, 70), 1, 37, 70);
}

/* A step of 500 ms is open at two turns; the wait from 220 to 650 ms is counted when it is over. */
static void a_wait_that_is_longer_than_a_turn(void **state)
{
	struct ts_waits w;

	(void)state;
	begin(&w);
	GIVES(turn(&w, 200, 20, 0), 0, 0, 0);
	GIVES(turn(&w, 300, 20, 5), 0, 0, 0);
	GIVES(turn(&w, 600, 20, 0), 0, 0, 0);
	ts_waits_step(&w, 20, 200 * MS, 700 * MS);
	GIVES(turn(&w, 710, 21, 430), 1, 20, 435);
	GIVES(turn(&w, 810, 31, 0), 0, 0, 0);
}

/* The thread waited in a step that ends behind the turn in which that was counted. */
static void a_wait_is_held_for_the_open_step(void **state)
{
	struct ts_waits w;
	struct given g;

	(void)state;
	begin(&w);
	GIVES(turn(&w, 200, 20, 0), 0, 0, 0);
	ts_waits_step(&w, 20, 200 * MS, 240 * MS);
	GIVES(turn(&w, 300, 21, 90), 1, 20, 40);
	ts_waits_step(&w, 21, 240 * MS, 330 * MS);
	ts_waits_step(&w, 22, 330 * MS, 370 * MS);
	g = turn(&w, 400, 25, 30);
	assert_int_equal(g.n, 1); /* 21 had room for both */
	assert_int_equal(g.of[0].step, 21);
	assert_int_equal(g.of[0].ms, 80);
	g = turn(&w, 500, 35, 0);
	assert_int_equal(g.n, 0);
}

/* Where no step is long, the one that was open has all; nothing is lost of the sum, and what is shorter than 1 ms waits for more. */
static void short_waits_keep_their_sum(void **state)
{
	int64_t sum = 0;
	struct ts_waits w;

	(void)state;
	begin(&w);
	(void)turn(&w, 200, 20, 0);
	for (int64_t i = 0; i < 50; i++) {
		struct given g = turn(&w, 300 + 10 * i, 21 + i, 0);

		assert_true(g.n <= 1);
		sum += g.n ? g.of[0].ms : 0;
		assert_true(!g.n || (g.of[0].ms == 1 && g.of[0].step == 20 + i));
		said += MS / 5; /* in the next turn */
	}
	assert_int_equal(sum, 9);
}

static void what_was_waited_before_the_first_step(void **state)
{
	struct ts_waits w = {0};

	(void)state;
	said = 0;
	ts_waits_begin(&w, 0);
	GIVES(turn(&w, 100, TSCOPE_NEXT, 50), 0, 0, 0);
	GIVES(turn(&w, 200, 0, 20), 0, 0, 0);
	GIVES(turn(&w, 300, 5, 0), 1, 0, 20);
}

static void more_long_steps_than_are_noted(void **state)
{
	struct ts_waits w;

	(void)state;
	begin(&w);
	(void)turn(&w, 200, 20, 0);
	for (int64_t i = 0; i < 2 * TS_WAITS_LONG; i++) {
		ts_waits_step(&w, 20 + 2 * i, (200 + 100 * i) * MS, (290 + 100 * i) * MS);
		ts_waits_step(&w, 21 + 2 * i, (290 + 100 * i) * MS, (300 + 100 * i) * MS);
	}
	GIVES(turn(&w, 9000, 400, 60), 1, 20, 60);
	ts_waits_step(&w, 400, 9000 * MS, 9090 * MS);
	GIVES(turn(&w, 9100, 401, 60), 1, 400, 60);
}

static void *make_a_step(void *arg)
{
	ts_waits_step(arg, 20, 200 * MS, 290 * MS);
	return NULL;
}

static void nothing_is_known_of_another_thread(void **state)
{
	struct ts_waits w;
	pthread_t thread;

	(void)state;
	begin(&w);
	assert_int_equal(pthread_create(&thread, NULL, make_a_step, &w), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	GIVES(turn(&w, 300, 21, 50), 0, 0, 0);
	assert_int_equal(w.fd, -1);
	begin(&w);
	said = -2;
	GIVES(turn(&w, 300, 21, 0), 0, 0, 0);
	assert_int_equal(w.fd, -1);
	GIVES(turn(&w, 400, 22, 0), 0, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_step_has_what_was_waited_in_its_turn),
		cmocka_unit_test(a_wait_that_is_longer_than_a_turn),
		cmocka_unit_test(a_wait_is_held_for_the_open_step),
		cmocka_unit_test(short_waits_keep_their_sum),
		cmocka_unit_test(what_was_waited_before_the_first_step),
		cmocka_unit_test(more_long_steps_than_are_noted),
		cmocka_unit_test(nothing_is_known_of_another_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
