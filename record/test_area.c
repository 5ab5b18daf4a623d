/* area.h: a recording thread gets memory for more slots without waiting for whoever else gives memory to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "record/area.h"
#include "record/disk.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HALF = TS_AREA_SLOTS / 2 * TS_FRAME_CHUNK };

/* How often this process gave its CPU up by itself. */
static long switches(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_nvcsw;
}

/* A keeper that allocates what is allocated already, and so holds that lock nearly always. */
static pid_t start_busy_keeper(int fd)
{
	pid_t child = fork();

	while (child == 0)
		(void)ts_disk_allocate(fd, 0, HALF);
	return child;
}

static void more_memory_waits_for_no_lock_of_the_keeper(void **state)
{
	struct ts_area *area;
	struct ts_slot *slot = NULL;
	uint32_t slots = TS_AREA_SLOTS / 2;
	pid_t keeper;
	long before, after;
	int fd;

	(void)state;
	assert_int_equal(ts_area_create(HALF, &area, &fd), 0);
	if (!area->shared || ts_disk_warm(area, 1) == EINVAL)
		skip();
	keeper = start_busy_keeper(fd);
	assert_true(keeper > 0);
	(void)usleep(20000);
	before = switches();
	for (; slots < TS_AREA_SLOTS && atomic_load(&area->ready) == slots; slots += TS_AREA_MORE)
		ts_area_more(area, fd);
	after = switches();
	assert_int_equal(kill(keeper, SIGKILL), 0);
	assert_int_equal(waitpid(keeper, NULL, 0), keeper);
	assert_int_equal(after, before);
	assert_int_equal(slots, TS_AREA_SLOTS);
	for (uint32_t i = 0; i < TS_AREA_SLOTS; i++) {
		slot = ts_area_take(area);
		assert_non_null(slot);
		memset(ts_area_bytes(area, slot), 0xff, TS_FRAME_CHUNK);
	}
	assert_null(ts_area_take(area));
	ts_area_more(area, fd);
	assert_int_equal(atomic_load(&area->ready), TS_AREA_SLOTS);
	ts_area_destroy(area);
	assert_int_equal(close(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_memory_waits_for_no_lock_of_the_keeper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
