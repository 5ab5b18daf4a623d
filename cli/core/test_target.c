/* Which folder the local store is: that of the option, of TSCOPE_STORE, of the XDG Base Directory Specification, or of home. And to
 * which server the token of the environment is shown. */
#include "base/test_arena.h"
#include "cli/core/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void put(const char *name, const char *value)
{
	assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

/* An argument that is NULL stands for an option or a variable that is not set. */
static const char *store_of(const char *option, const char *store, const char *data, const char *home)
{
	const char *path = "untouched";
	struct ts_error err;

	put("TSCOPE_STORE", store);
	put("XDG_DATA_HOME", data);
	put("HOME", home);
	if (ts_store_path(option, &arena, &path, &err) == TS_OK)
		return path;
	assert_int_equal(err.status, TS_INVALID);
	assert_string_equal(path, "untouched");
	return NULL;
}

static void the_nearest_wins(void **state)
{
	(void)state;
	assert_string_equal(store_of("o", "s", "/data", "/home/me"), "o");
	assert_string_equal(store_of(NULL, "s", "/data", "/home/me"), "s");
	assert_string_equal(store_of("", "s", "/data", "/home/me"), "s");
	assert_string_equal(store_of(NULL, NULL, "/data", "/home/me"), "/data/tscope/store");
	assert_string_equal(store_of(NULL, "", "/data", "/home/me"), "/data/tscope/store");
	assert_string_equal(store_of(NULL, NULL, NULL, "/home/me"), "/home/me/.local/share/tscope/store");
}

/* The XDG specification says: "All paths set in these environment variables must be absolute. If an implementation
 * encounters a relative path in any of these variables it should consider the path invalid and ignore it." */
static void a_relative_folder_is_ignored(void **state)
{
	static const char *const relative[] = {"data", "./data", "../data", "~/data", "", " /data"};

	(void)state;
	for (size_t i = 0; i < sizeof relative / sizeof relative[0]; i++) {
		assert_string_equal(store_of(NULL, NULL, relative[i], "/home/me"), "/home/me/.local/share/tscope/store");
		assert_null(store_of(NULL, NULL, relative[i], NULL));
		assert_null(store_of(NULL, NULL, NULL, relative[i]));
	}
}

static void a_further_server_is_not_shown_the_token(void **state)
{
	struct ts_target target;
	struct ts_error err;

	(void)state;
	put("XDG_CONFIG_HOME", "/nowhere");
	put("TSCOPE_TOKEN", "of the first");
	put("TSCOPE_CA", "/ca.pem");
	assert_int_equal(ts_target_open(&target, NULL, "unix:/nowhere/a", TS_USE_READ, &arena, &err), TS_UNAVAILABLE);
	assert_string_equal(target.login.token, "of the first");
	assert_int_equal(ts_target_open_further(&target, "unix:/nowhere/b", "--also", &arena, &err), TS_UNAVAILABLE);
	assert_null(target.login.token);
	assert_string_equal(target.login.ca, "/ca.pem");
	assert_non_null(strstr(err.text, "--also"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(the_nearest_wins, setup, teardown),
					   cmocka_unit_test_setup_teardown(a_relative_folder_is_ignored, setup, teardown),
					   cmocka_unit_test_setup_teardown(a_further_server_is_not_shown_the_token, setup, teardown)};

	return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
