/* door.h and held.h: what holds passes; what does not ends the program where doors are on, and is not looked at where they are off. */
#include "base/held.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static size_t looked_at;

static bool holds(bool yes)
{
	looked_at++;
	return yes;
}

static pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;

static void passes(void)
{
	static const int keys[] = {1, 2, 2, 5};
	size_t none = 0;

	TS_DOOR(holds(true));
	TS_DOOR_ALL(i, 4, holds(keys[i] > 0));
	TS_DOOR_SORTED(i, 4, holds(keys[i - 1] <= keys[i]));
	TS_DOOR_ALL(i, none, holds(false));
	(void)pthread_mutex_lock(&taken);
	TS_DOOR_HELD(&taken);
	(void)pthread_mutex_unlock(&taken);
}

static void single(void)
{
	TS_DOOR(holds(false));
}

static void last_of_all(void)
{
	static const int keys[] = {1, 2, 0};

	TS_DOOR_ALL(i, 3, keys[i] > 0);
}

static void last_of_sorted(void)
{
	static const int keys[] = {1, 2, 2};

	TS_DOOR_SORTED(i, 3, keys[i - 1] < keys[i]);
}

static void without_the_lock(void)
{
	TS_DOOR_HELD(&taken);
}

/* How a process ends that goes through the door. */
static int end_of(void (*door)(void))
{
	int status = 0;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		(void)close(STDERR_FILENO);
		door();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void it_stops_what_breaks_a_promise(void **state)
{
	static void (*const broken[])(void) = {single, last_of_all, last_of_sorted, without_the_lock};

	(void)state;
	assert_int_equal(end_of(passes), 0);
	for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
		int status = end_of(broken[i]);

#ifdef TS_DOORS
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
#else
		assert_int_equal(status, 0);
#endif
	}
}

static void it_looks_only_where_doors_are_on(void **state)
{
	(void)state;
	looked_at = 0;
	passes();
#ifdef TS_DOORS
	assert_int_equal(looked_at, 1 + 4 + 3);
#else
	assert_int_equal(looked_at, 0);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_stops_what_breaks_a_promise),
		cmocka_unit_test(it_looks_only_where_doors_are_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
