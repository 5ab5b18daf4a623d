/* Addresses as people write them, and what must never reach a command line. */
#include "service/rpc/address.h"

#include "base/span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static struct ts_address a;
static struct ts_error err;

static void unix_paths(void **state)
{
	static const char *const spellings[] = {"unix:/run/x", "unix:///run/x", "/run/x"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(ts_address_parse(spellings[i], &a, &err), TS_OK);
		assert_int_equal(a.kind, TS_ADDRESS_UNIX);
		assert_string_equal(a.path, "/run/x");
	}
	assert_int_equal(ts_address_parse("unix:here", &a, &err), TS_OK);
	assert_string_equal(a.path, "here");
	/* Further slashes belong to the path: a path that begins with a slash never becomes relative to the working directory. */
	assert_int_equal(ts_address_parse("//run/x", &a, &err), TS_OK);
	assert_string_equal(a.path, "//run/x");
	assert_int_equal(ts_address_parse("unix://run/x", &a, &err), TS_OK);
	assert_string_equal(a.path, "//run/x");
	assert_int_equal(ts_address_parse("unix:////run/x", &a, &err), TS_OK);
	assert_string_equal(a.path, "//run/x");
}

static void a_socket_path_has_a_limit(void **state)
{
	char text[256] = "unix:";

	(void)state;
	memset(text + 5, 'x', 107);
	assert_int_equal(ts_address_parse(text, &a, &err), TS_OK);
	text[5 + 107] = 'x';
	assert_int_equal(ts_address_parse(text, &a, &err), TS_TOO_LARGE);
}

static void tcp(void **state)
{
	(void)state;
	assert_int_equal(ts_address_parse("gpu-1.example:7443", &a, &err), TS_OK);
	assert_int_equal(a.kind, TS_ADDRESS_TCP);
	assert_string_equal(a.host, "gpu-1.example");
	assert_string_equal(a.port, "7443");
	assert_int_equal(ts_address_parse("[fe80::1%eth0]:0", &a, &err), TS_OK);
	assert_string_equal(a.host, "fe80::1%eth0");
	assert_string_equal(a.port, "0");
}

static void ssh(void **state)
{
	(void)state;
	assert_int_equal(ts_address_parse("ssh://gpu1", &a, &err), TS_OK);
	assert_int_equal(a.kind, TS_ADDRESS_SSH);
	assert_string_equal(a.user, "");
	assert_string_equal(a.host, "gpu1");
	assert_string_equal(a.port, "");
	assert_string_equal(a.path, "/run/tscope/tscoped.sock");
	assert_int_equal(ts_address_parse("ssh://ann@gpu1:2222/home/ann/s.sock", &a, &err), TS_OK);
	assert_string_equal(a.user, "ann");
	assert_string_equal(a.host, "gpu1");
	assert_string_equal(a.port, "2222");
	assert_string_equal(a.path, "/home/ann/s.sock");
	assert_int_equal(ts_address_parse("ssh://gpu1/", &a, &err), TS_OK);
	assert_string_equal(a.path, "/run/tscope/tscoped.sock");
	assert_int_equal(ts_address_parse("ssh://[::1]:22", &a, &err), TS_OK);
	assert_string_equal(a.host, "::1");
}

static void what_is_none(void **state)
{
	static const char *const bad[] = {
		"", "host", "host:", ":80", "host:80000", "host:-1", "host:-0", "ssh://host:-0", "host:+1", "host:1x", "::1:80",
		"[::1", "[::1]80", "a b:1", "unix:",
		"ssh://", "ssh:///path", "ssh://-oProxyCommand=x", "ssh://-oProxyCommand=x@host", "ssh://user@", "ssh://user@-host",
		"ssh://@host",
		"ssh://host:99999", "ssh://ho st", "ssh://$(id)", "ssh://host;id", "ssh://host/a:b", "-h:1", "http://x", "ssh://a`b`",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		if (ts_address_parse(bad[i], &a, &err) == TS_OK)
			fail_msg("'%s' passed", bad[i]);
		assert_true(strlen(err.text) > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unix_paths), cmocka_unit_test(a_socket_path_has_a_limit), cmocka_unit_test(tcp),
		cmocka_unit_test(ssh),	      cmocka_unit_test(what_is_none),
	};

	return cmocka_run_group_tests_name("address", tests, NULL, NULL);
}
