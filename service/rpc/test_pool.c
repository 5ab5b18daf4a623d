/* The pool: peers in turn, a thread that is left for the next, and nothing lost at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "service/rpc/pool.h"

#include <cmocka.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>

enum { ADA = 1, BOB = 2, CLEO = 3, MANY = 1000 };

struct job {
	struct ts_pool_task task;
	atomic_bool *until; /* runs until it is set */
	char name;
};

static atomic_int running, done;
static char order[MANY + 8];

static void run(struct ts_pool_task *task)
{
	struct job *job = (struct job *)task;

	atomic_fetch_add(&running, 1);
	while (job->until && !atomic_load(job->until))
		(void)poll(NULL, 0, 1);
	order[atomic_fetch_add(&done, 1)] = job->name;
	atomic_fetch_sub(&running, 1);
}

static struct ts_pool *start(unsigned threads)
{
	struct ts_pool *pool;
	struct ts_error err;

	atomic_store(&running, 0);
	atomic_store(&done, 0);
	memset(order, 0, sizeof order);
	assert_int_equal(ts_pool_create("test-pool", threads, 0, &pool, &err), TS_OK);
	return pool;
}

static struct job *push(struct ts_pool *pool, struct job *job, uint64_t peer, char name, atomic_bool *until)
{
	*job = (struct job){.task = {.run = run, .peer = peer}, .until = until, .name = name};
	ts_pool_push(pool, &job->task);
	return job;
}

static bool reaches(atomic_int *counter, int n)
{
	for (int i = 0; i < 10000 && atomic_load(counter) != n; i++)
		(void)poll(NULL, 0, 1);
	return atomic_load(counter) == n;
}

/* One thread, which a first task keeps busy while the queues fill. */
static void a_thousand_tasks_delay_one_by_a_turn(void **state)
{
	static struct job many[MANY], first, few[3];
	atomic_bool go = false;
	struct ts_pool *pool = start(1);

	(void)state;
	push(pool, &first, ADA, '-', &go);
	assert_true(reaches(&running, 1));
	assert_false(ts_pool_waits(pool));
	for (int i = 0; i < MANY; i++)
		push(pool, &many[i], ADA, 'a', NULL);
	push(pool, &few[0], BOB, 'b', NULL);
	push(pool, &few[1], BOB, 'B', NULL);
	push(pool, &few[2], CLEO, 'c', NULL);
	assert_true(ts_pool_waits(pool));
	atomic_store(&go, true);
	assert_true(reaches(&done, MANY + 4));
	assert_memory_equal(order, "-abcaBaaaa", 10);
	assert_false(ts_pool_waits(pool));
	ts_pool_destroy(pool);
}

static void who_is_alone_leaves_a_thread(void **state)
{
	static struct job ada[8], bob[8];
	atomic_bool go = false, go_bob = false;
	struct ts_pool *pool = start(4);

	(void)state;
	for (int i = 0; i < 8; i++)
		push(pool, &ada[i], ADA, 'a', &go);
	assert_true(reaches(&running, 3));
	(void)poll(NULL, 0, 30);
	assert_int_equal(atomic_load(&running), 3);
	push(pool, &bob[0], BOB, 'b', &go_bob); /* has the fourth at once */
	push(pool, &bob[1], BOB, 'b', &go_bob);
	assert_true(reaches(&running, 4));
	atomic_store(&go_bob, true); /* his second follows on the thread of his first: it is the others that are busy */
	assert_true(reaches(&done, 2));
	assert_memory_equal(order, "bb", 2);
	assert_int_equal(atomic_load(&running), 3);
	atomic_store(&go, true);
	assert_true(reaches(&done, 10));
	ts_pool_destroy(pool);
}

static void what_is_queued_is_run_before_the_end(void **state)
{
	static struct job jobs[64];
	struct ts_pool *pool = start(2);

	(void)state;
	for (int i = 0; i < 64; i++)
		push(pool, &jobs[i], (uint64_t)i % 5, 'x', NULL);
	ts_pool_destroy(pool);
	assert_int_equal(atomic_load(&done), 64);
	ts_pool_destroy(NULL);
}

static int seen_nice;
static char seen_name[16];

static void look(struct ts_pool_task *task)
{
	(void)task;
	seen_nice = getpriority(PRIO_PROCESS, 0);
	(void)pthread_getname_np(pthread_self(), seen_name, sizeof seen_name);
}

static void threads_stand_behind_by_their_step(void **state)
{
	struct ts_pool_task task = {.run = look};
	int own = getpriority(PRIO_PROCESS, 0);
	struct ts_pool *pool;
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_pool_create("behind", 1, 3, &pool, &err), TS_OK);
	ts_pool_push(pool, &task);
	ts_pool_destroy(pool);
	assert_int_equal(seen_nice, own < 16 ? own + 3 : 19);
	assert_string_equal(seen_name, "behind");
	assert_int_equal(getpriority(PRIO_PROCESS, 0), own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thousand_tasks_delay_one_by_a_turn),
		cmocka_unit_test(who_is_alone_leaves_a_thread),
		cmocka_unit_test(what_is_queued_is_run_before_the_end),
		cmocka_unit_test(threads_stand_behind_by_their_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
