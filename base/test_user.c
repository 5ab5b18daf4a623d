/* Names of users: from the environment, from the system, and numbers without a name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/user.h"

#include <cmocka.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void the_system_names_its_users(void **state)
{
	char text[TS_USER_TEXT];

	(void)state;
	assert_string_equal(ts_user_name(0, text), "root");
	assert_string_equal(ts_user_name(3999999991u, text), "uid 3999999991"); /* no system gives this number to anybody */
	assert_string_equal(ts_user_group(0, text), "root");
	assert_string_equal(ts_user_group(3999999991u, text), "gid 3999999991");
}

static void the_environment_names_who_runs_the_program(void **state)
{
	char text[TS_USER_TEXT], system[TS_USER_TEXT], long_name[TS_USER_TEXT + 1];

	(void)state;
	ts_user_name(geteuid(), system);
	memset(long_name, 'a', TS_USER_TEXT);
	long_name[TS_USER_TEXT] = '\0';
	setenv("LOGNAME", "ada", 1);
	setenv("USER", "eve", 1);
	assert_string_equal(ts_user_self(text), "ada");
	setenv("LOGNAME", "", 1);
	assert_string_equal(ts_user_self(text), "eve");
	unsetenv("LOGNAME");
	assert_string_equal(ts_user_self(text), "eve");
	setenv("USER", "two words", 1);
	assert_string_equal(ts_user_self(text), system);
	setenv("USER", "\x1b[31mred", 1);
	assert_string_equal(ts_user_self(text), system);
	setenv("USER", long_name, 1);
	assert_string_equal(ts_user_self(text), system);
	unsetenv("USER");
	assert_string_equal(ts_user_self(text), system);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_system_names_its_users),
		cmocka_unit_test(the_environment_names_who_runs_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
