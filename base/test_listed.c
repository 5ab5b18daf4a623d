/* The folder that was listed last is not listed again until it changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/listed.h"

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/tscope-listed-XXXXXX";
static struct ts_listed listed = TS_LISTED_INIT;
static struct ts_error err;

static void make(const char *name)
{
	char path[128];
	int fd;

	(void)snprintf(path, sizeof path, "%s/%s", root, name);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static void touch(time_t seconds)
{
	const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};

	assert_int_equal(utimensat(AT_FDCWD, root, times, 0), 0);
}

static void a_folder_is_listed_again_when_it_changed(void **state)
{
	char **names, **again;
	size_t n;

	(void)state;
	assert_non_null(mkdtemp(root));
	make("b");
	make("a");
	touch(1000);
	assert_int_equal(ts_listed_names(&listed, root, &names, &n, &err), TS_OK);
	assert_int_equal(n, 2);
	assert_string_equal(names[0], "a");
	assert_int_equal(ts_listed_names(&listed, root, &again, &n, &err), TS_OK);
	assert_ptr_equal(names, again);
	make("c");
	touch(1000); /* a change that leaves no trace is not seen, so the names are those that were kept */
	assert_int_equal(ts_listed_names(&listed, root, &again, &n, &err), TS_OK);
	assert_int_equal(n, 2);
	touch(1001);
	assert_int_equal(ts_listed_names(&listed, root, &again, &n, &err), TS_OK);
	assert_int_equal(n, 3);
	assert_int_equal(ts_listed_names(&listed, "/", &again, &n, &err), TS_OK);
	assert_int_equal(ts_listed_names(&listed, root, &again, &n, &err), TS_OK);
	assert_int_equal(n, 3);
	assert_int_equal(ts_listed_names(&listed, "/nonexistent", &again, &n, &err), TS_NOT_FOUND);
	assert_int_equal(ts_listed_names(&listed, root, &again, &n, &err), TS_OK);
	assert_int_equal(n, 3);
	ts_listed_finish(&listed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_folder_is_listed_again_when_it_changed)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
