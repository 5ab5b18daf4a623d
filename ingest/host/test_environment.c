/* test_environment.c - digests of variables: the same for the same value, of no use without the key; and a key for its user alone. */
#include "ingest/host/environment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char home[64];

/* The digest of a variable; "" where it is not listed. */
static const char *digest_of(const struct ts_environment_key *key, const char *name)
{
	static char found[TS_ENVIRONMENT_HEX + 1];
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_arena arena;
	struct ts_error err;
	char line[128];
	const char *at;

	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(ts_environment_write(key, &arena, &out, &err), TS_OK);
	ts_buf_char(&out, '\0');
	(void)snprintf(line, sizeof line, "\n%s ", name);
	at = strstr((const char *)out.data, line);
	(void)snprintf(found, sizeof found, "%.16s", at ? at + strlen(line) : "");
	ts_buf_finish(&out);
	ts_arena_finish(&arena);
	return found;
}

static void test_two_values_are_told_apart_and_one_is_itself(void **unused)
{
	struct ts_environment_key key, again;
	char first[TS_ENVIRONMENT_HEX + 1];

	(void)unused;
	assert_true(ts_environment_key(&key));
	assert_true(ts_environment_key(&again));
	assert_string_equal(key.id, again.id);
	assert_int_equal(setenv("LAB_SECRET", "hunter2", 1), 0);
	(void)snprintf(first, sizeof first, "%s", digest_of(&key, "LAB_SECRET"));
	assert_int_equal(strlen(first), 16);
	assert_string_equal(digest_of(&again, "LAB_SECRET"), first);
	assert_int_equal(setenv("LAB_SECRET", "hunter3", 1), 0);
	assert_string_not_equal(digest_of(&key, "LAB_SECRET"), first);
	assert_int_equal(setenv("LAB_OTHER", "hunter2", 1), 0); /* one value under two names tells nothing of the other */
	assert_string_not_equal(digest_of(&key, "LAB_OTHER"), first);
	assert_int_equal(unsetenv("LAB_SECRET"), 0);
	assert_string_equal(digest_of(&key, "LAB_SECRET"), "");
	assert_string_equal(digest_of(&key, "PWD"), "");
}

static void test_the_key_is_its_users_alone(void **unused)
{
	struct ts_environment_key key, other;
	char path[128];
	struct stat st;

	(void)unused;
	assert_true(ts_environment_key(&key));
	(void)snprintf(path, sizeof path, "%s/.config/tscope/environment.key", home);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_size, TS_ENVIRONMENT_KEY);
	assert_int_equal(chmod(path, 0644), 0);
	assert_false(ts_environment_key(&other)); /* others may have read it */
	assert_int_equal(unlink(path), 0);
	assert_true(ts_environment_key(&other));
	assert_string_not_equal(other.id, key.id);
	assert_int_equal(setenv("LAB", "1", 1), 0);
	{
		char first[TS_ENVIRONMENT_HEX + 1];

		(void)snprintf(first, sizeof first, "%s", digest_of(&key, "LAB"));
		assert_string_not_equal(digest_of(&other, "LAB"), first);
	}
	assert_int_equal(unsetenv("HOME"), 0);
	assert_false(ts_environment_key(&other));
	assert_int_equal(setenv("HOME", home, 1), 0);
}

static int set_up(void **unused)
{
	(void)unused;
	(void)snprintf(home, sizeof home, "/tmp/tscope-environment-XXXXXX");
	assert_non_null(mkdtemp(home));
	return setenv("HOME", home, 1) || unsetenv("XDG_CONFIG_HOME");
}

static int tear_down(void **unused)
{
	char line[128];

	(void)unused;
	(void)snprintf(line, sizeof line, "rm -rf %s", home);
	return system(line); // NOLINT
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_values_are_told_apart_and_one_is_itself),
		cmocka_unit_test(test_the_key_is_its_users_alone),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
