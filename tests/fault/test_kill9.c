/* P1, P2 and P9 against kill -9: a writer pushes, retires and acknowledges, is killed at a random instant, and everything that it
 * acknowledged is there, complete, and every entry that is missing in a history is counted. */
#include "base/clock.h"
#include "base/file.h"
#include "store/test_store.h"
#include "tests/fault/fault.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROUNDS = 120, ROUNDS_OF_A_STORE = 15, ACKS_MAX = 1 << 20 };

static uint8_t acks[ACKS_MAX];

static void sleep_us(unsigned us)
{
	(void)poll(NULL, 0, (int)(us / 1000));
	(void)usleep(us % 1000);
}

/* Runs the writer until it is killed. It appends its acknowledgements. Returns how many bytes of them there are now. */
static size_t live_and_die(const char *dir, uint64_t first, unsigned us, size_t n)
{
	char number[32];
	const char *argv[] = {FAULT_WRITER, dir, number, "0", "4", NULL};
	struct ts_error err;
	size_t got = 0;
	int status;
	int fds[2];
	pid_t pid;

	(void)snprintf(number, sizeof number, "%" PRIu64, first);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fault_spawn(argv, NULL, fds[1]);
	assert_true(pid > 0);
	(void)close(fds[1]);
	sleep_us(us);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(ts_read_full(fds[0], acks + n, sizeof acks - n, &got, &err), TS_OK);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); /* the writer did not end for another reason */
	(void)close(fds[0]);
	return n + got / FAULT_ACK * FAULT_ACK;
}

static void p1_survives_kill9(void **state)
{
	unsigned random = 20261120;
	size_t acknowledged = 0;
	size_t n = 0;
	char dir[256];

	(void)state;
	test_make_dir(dir, sizeof dir);
	for (int round = 0; round < ROUNDS; round++) {
		struct ts_store_stats stats;
		const char *bad;

		random = random * 1664525 + 1013904223;
		n = live_and_die(dir, round * 100000, 20000 + (random >> 8) % 120000, n);
		bad = fault_check(dir, acks, n, &stats);
		if (bad)
			fail_msg("round %d, %zu acknowledged: %s", round, n / FAULT_ACK, bad);
		if (round % ROUNDS_OF_A_STORE == ROUNDS_OF_A_STORE - 1) {
			test_remove_dir(dir);
			test_make_dir(dir, sizeof dir);
			acknowledged += n / FAULT_ACK;
			n = 0;
		}
	}
	test_remove_dir(dir);
	print_message("%d kills, %zu pushes acknowledged\n", ROUNDS, acknowledged);
	assert_true(acknowledged > ROUNDS); /* otherwise nothing was tested */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(p1_survives_kill9)};
	struct ts_error err;

	if (ts_digest_init(&err))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
