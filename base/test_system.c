/* Both files behind system.h keep its promises: the program is built once with each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void test_descriptors_are_not_inherited(void **state)
{
	char path[] = "/tmp/tscope-system-XXXXXX";
	int ends[2], file, stream;
	char read_back[4] = "";

	(void)state;
	assert_int_equal(ts_system_pipe(ends), 0);
	file = ts_system_temp(path);
	assert_true(file >= 0);
	stream = ts_system_stream_socket(AF_UNIX);
	assert_true(stream >= 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(fcntl((int[]){ends[0], ends[1], file, stream}[i], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(fcntl(stream, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	assert_int_equal(fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(write(ends[1], "abc", 3), 3);
	assert_int_equal(read(ends[0], read_back, 3), 3);
	assert_string_equal(read_back, "abc");
	assert_int_equal(write(file, "abc", 3), 3);
	assert_int_equal(pread(file, read_back, 3, 0), 3);
	assert_int_equal(access(path, R_OK), 0);
	assert_int_equal(unlink(path), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(close((int[]){ends[0], ends[1], file, stream}[i]), 0);
}

static void test_failures_are_those_of_the_system(void **state)
{
	char path[] = "/nowhere/at/all-XXXXXX";

	(void)state;
	errno = 0;
	assert_int_equal(ts_system_temp(path), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(ts_system_stream_socket(-1), -1);
	assert_int_equal(errno, EAFNOSUPPORT);
}

/* A wait ends at its limit: neither at once nor an hour later, which a limit of the wrong clock would do. */
static void test_a_wait_ends_at_its_limit(void **state)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond;
	int64_t began = ts_now_mono_ns(), limit_ns = began + 50000000;
	struct timespec limit = ts_system_cond_limit(limit_ns);
	int rc = 0;

	(void)state;
	ts_system_cond_init(&cond);
	pthread_mutex_lock(&mutex);
	while (rc == 0)
		rc = pthread_cond_timedwait(&cond, &mutex, &limit);
	pthread_mutex_unlock(&mutex);
	assert_int_equal(rc, ETIMEDOUT);
	assert_true(ts_now_mono_ns() - began >= 45000000);
	assert_true(ts_now_mono_ns() - began < INT64_C(20000000000));
	limit = ts_system_cond_limit(INT64_MAX);
	assert_true(limit.tv_sec > 0 && limit.tv_nsec >= 0 && limit.tv_nsec < 1000000000);
	pthread_cond_destroy(&cond);
}

/* The file for all systems does not know; that of Linux says what /proc/meminfo says, or less. */
static void test_memory_is_that_of_the_machine_or_less(void **state)
{
	uint64_t total = 0;
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128] = "";

	(void)state;
	if (file && fgets(line, sizeof line, file))
		total = strtoull(line + strcspn(line, "0123456789"), NULL, 10);
	if (file)
		(void)fclose(file);
	if (ts_system_memory())
		assert_in_range(ts_system_memory(), 1 << 20, total ? total << 10 : UINT64_MAX);
}

static void test_locks_cores_and_the_boot(void **state)
{
	struct ts_buf id = TS_BUF_INIT(1 << 10);
	pthread_rwlock_t lock;
	struct ts_error err;
	enum ts_status status = ts_system_boot_id(&id, &err);

	(void)state;
	ts_system_lock_init(&lock);
	assert_int_equal(pthread_rwlock_rdlock(&lock), 0);
	assert_int_equal(pthread_rwlock_tryrdlock(&lock), 0);
	assert_int_equal(pthread_rwlock_trywrlock(&lock), EBUSY);
	assert_int_equal(pthread_rwlock_unlock(&lock), 0);
	assert_int_equal(pthread_rwlock_unlock(&lock), 0);
	assert_int_equal(pthread_rwlock_destroy(&lock), 0);
	assert_true(ts_system_cores() >= 1);
	assert_true(status == TS_NOT_FOUND || (status == TS_OK && id.len > 30));
	ts_buf_finish(&id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descriptors_are_not_inherited),
		cmocka_unit_test(test_failures_are_those_of_the_system),
		cmocka_unit_test(test_a_wait_ends_at_its_limit),
		cmocka_unit_test(test_memory_is_that_of_the_machine_or_less),
		cmocka_unit_test(test_locks_cores_and_the_boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
