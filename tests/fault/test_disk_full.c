/* P1 and P5 against a full disk: writes say TS_FULL, reads go on, nothing acknowledged is lost, and when there is room again
 * writes succeed. The disk is pretended by powerlog.so, so that this needs no root and can be full at any byte. */
#include "base/file.h"
#include "store/test_store.h"
#include "tests/fault/fault.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Runs the program at so many points. text is its stdout, and the result is its exit status. */
static int run_full(const char *dir, const char *points, char *text, size_t size)
{
	char preload[640];
	const char *argv[] = {"/bin/sh", "-c", "exec \"$0\" \"$1\" \"$2\" >&3", FAULT_FULL, dir, points, NULL};
	const char *env[] = {preload, NULL};
	struct ts_error err;
	int status = -1;
	size_t n = 0;
	int fds[2];
	pid_t pid;

	(void)snprintf(preload, sizeof preload, "LD_PRELOAD=%s", FAULT_POWERLOG);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fault_spawn(argv, env, fds[1]);
	(void)close(fds[1]);
	assert_true(pid > 0);
	assert_int_equal(ts_read_full(fds[0], text, size - 1, &n, &err), TS_OK);
	text[n] = '\0';
	(void)close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void p5_full_disk_is_said_and_survived(void **state)
{
	char dir[256];
	char text[2048];
	int status;

	test_make_dir(dir, sizeof dir);
	status = run_full(dir, *state, text, sizeof text);
	if (status != 0 || strncmp(text, "full at ", 8) != 0)
		fail_msg("status %d: %s", status, text);
	print_message("%s", text);
	test_remove_dir(dir);
}

/* test_disk_full [POINTS] */
int main(int argc, char **argv)
{
	static char few[] = "40";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(p5_full_disk_is_said_and_survived, argc > 1 ? argv[1] : few)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
