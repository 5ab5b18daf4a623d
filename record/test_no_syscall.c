/* A step makes no system call: 10,000 of them by a thread that the kernel kills at the first one. And the clock's shortcut keeps to
 * the clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/recorder.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 10000 };

static char directory[] = "test_no_syscall.XXXXXX";

/* From here on this thread may exit, and nothing else. */
static void forbid_calls(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(77);
}

static void train(struct tscope_run *run, const tscope_column phase[4], const tscope_column number[3], int steps)
{
	for (int i = 0; i < steps; i++) {
		tscope_step_begin(run, TSCOPE_NEXT);
		for (int k = 0; k < 4; k++)
			tscope_mark(run, phase[k]);
		for (int k = 0; k < 3; k++)
			tscope_log(run, number[k], i);
		(void)tscope_step_end(run);
	}
}

/* Until the keeper has emptied what the steps filled, and enough slots are empty for all others: one for every 480. Two are the steps'
 * own, and on a busy machine one is the keeper's, for the waits that it saw. */
static void wait_for_slots(struct tscope_run *run)
{
	struct timespec moment = {.tv_nsec = 1000000};

	for (int i = 0; i < 60000 && atomic_load(&run->area->in_use) > 3; i++)
		(void)nanosleep(&moment, NULL);
}

/* In a child. Exit code 0: all steps are recorded, by nobody's waiting. */
static void record(int forbid)
{
	static const char *const names[] = {"data", "forward", "backward", "optimizer", "loss", "lr", "norm"};
	struct tscope_options o = {.directory = directory, .keeper = getenv("TSCOPE_KEEPER")};
	struct tscope_trouble before, after;
	struct tscope_run *run;
	tscope_column c[7];

	if (tscope_open(&o, &run, NULL))
		_exit(2);
	for (int i = 0; i < 7; i++)
		c[i] = tscope_declare(run, i < 4 ? TSCOPE_PHASE : TSCOPE_NUMBER, names[i]);
	train(run, c, c + 4, STEPS);
	wait_for_slots(run);
	tscope_trouble(run, &before);
	if (forbid)
		forbid_calls();
	train(run, c, c + 4, STEPS);
	tscope_trouble(run, &after);
	syscall(SYS_exit_group, after.waits - before.waits + after.lost_frames + 10 * (tscope_step_now(run) != 2 * STEPS - 1));
}

static int status_of(int forbid)
{
	static const char *const names[] = {"recording.tscope", "run.json"};
	char path[64];
	int status;
	pid_t child;

	memcpy(directory + sizeof directory - 7, "XXXXXX", 6);
	assert_non_null(mkdtemp(directory));
	child = fork();
	if (child == 0)
		record(forbid);
	assert_int_equal(waitpid(child, &status, 0), child);
	for (int i = 0; i < 2; i++) {
		(void)snprintf(path, sizeof path, "%s/%s", directory, names[i]);
		(void)unlink(path);
	}
	(void)rmdir(directory);
	return status;
}

static void a_step_makes_no_system_call(void **state)
{
	int status;

	(void)state;
	status = status_of(1);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

static int64_t monotonic(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The clock is asked before and after; between two turns of the keeper what NTP does may add up to 50 us. */
static void the_counter_keeps_to_the_clock(void **state)
{
	const int64_t off = 100000;

	(void)state;
	for (int turn = 0; turn < 20; turn++) {
		struct timespec moment = {.tv_nsec = 20000000};

		ts_tick_follow();
		(void)nanosleep(&moment, NULL);
		for (int i = 0; i < 1000; i++) {
			int64_t before = monotonic(), here = ts_tick_ns(), after = monotonic();

			assert_true(before - off <= here && here <= after + off);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_makes_no_system_call),
		cmocka_unit_test(the_counter_keeps_to_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
