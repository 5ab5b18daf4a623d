/* Lines of quotas, which of them holds, and what somebody who would use more is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "service/auth/quota.h"

static struct ts_quota lines[8];
static struct ts_quotas quotas;
static struct ts_error err;

static int setup(void **state)
{
	(void)state;
	quotas = (struct ts_quotas){.lines = lines};
	return 0;
}

static void add(const char *text)
{
	assert_int_equal(ts_quota_parse(ts_span_str(text), &lines[quotas.n++], &err), TS_OK);
}

static void refused(const char *text, const char *why)
{
	struct ts_quota quota;

	assert_int_equal(ts_quota_parse(ts_span_str(text), &quota, &err), TS_INVALID);
	if (!strstr(err.text, why))
		fail_msg("%s: %s", text, err.text);
}

static uint64_t limit(int kind, const char *whose)
{
	return ts_quota_limit(&quotas, kind, ts_span_str(whose));
}

static void the_line_of_a_project_holds_before_that_of_each(void **state)
{
	(void)state;
	add("speed sealed 200GiB");
	add("* sealed 50GiB");
	add("free sealed none");
	add("speed names 7");
	add("speed names 8");
	assert_int_equal(limit(TS_USE_SEALED, "speed"), UINT64_C(214748364800));
	assert_int_equal(limit(TS_USE_SEALED, "other"), UINT64_C(53687091200));
	assert_int_equal(limit(TS_USE_SEALED, "free"), UINT64_MAX);
	assert_int_equal(limit(TS_USE_NAMES, "speed"), 8);
	assert_int_equal(limit(TS_USE_NAMES, "other"), UINT64_MAX);
	assert_int_equal(limit(TS_USE_RAW, "speed"), UINT64_MAX);
	assert_int_equal(ts_quota_limit(NULL, TS_USE_SEALED, ts_span_str("speed")), UINT64_MAX);
}

static void senders_are_named_as_grants_name_them(void **state)
{
	(void)state;
	add("user:ada unnamed 1KiB");
	add("token:ci unnamed 2048");
	add("cert:spiffe://x/y unnamed 3MiB");
	add("user:1003 unnamed 4TiB");
	add("10.0.0.1 unnamed 0");
	assert_int_equal(limit(TS_USE_UNNAMED, "ada"), 1024);
	assert_int_equal(limit(TS_USE_UNNAMED, "token:ci"), 2048);
	assert_int_equal(limit(TS_USE_UNNAMED, "cert:spiffe://x/y"), 3145728);
	assert_int_equal(limit(TS_USE_UNNAMED, "uid 1003"), UINT64_C(4398046511104));
	assert_int_equal(limit(TS_USE_UNNAMED, "10.0.0.1"), 0);
	assert_int_equal(limit(TS_USE_UNNAMED, "bea"), UINT64_MAX);
}

static void lines_that_are_none_are_refused(void **state)
{
	(void)state;
	refused("", "the form 'WHOSE WHAT LIMIT'");
	refused("speed sealed", "the form 'WHOSE WHAT LIMIT'");
	refused("speed sealed 1 GiB", "the form 'WHOSE WHAT LIMIT'");
	refused("speed bytes 1GiB", "'bytes' is not sealed, raw, names, notes, rows or unnamed");
	refused("speed/run sealed 1GiB", "'speed/run' is not a project");
	refused("speed names 1KiB", "'1KiB' is not a limit: give a number, or none");
	refused("speed sealed 1GB", "'1GB' is not a limit: give a size such as 200GiB, or none");
	refused("speed sealed GiB", "is not a limit");
	refused("speed sealed -1", "is not a limit");
	refused("speed sealed 18446744073709551615", "is not a limit");
	refused("speed sealed 16777216TiB", "is not a limit");
	refused("user: unnamed 1GiB", "must be followed by a name");
}

static void has(const char *part)
{
	if (!strstr(err.text, part))
		fail_msg("'%s' is not in '%s'", part, err.text);
}

static void who_would_use_more_is_told_everything(void **state)
{
	struct ts_spending spending = ts_quota_spending(&quotas);
	struct ts_account project = {.name = ts_span_str("speed"), .used = {[TS_USE_SEALED] = 1000, [TS_USE_NAMES] = 41}};
	struct ts_account ada = {.sender = true, .name = ts_span_str("ada"), .used = {[TS_USE_UNNAMED] = 2048}};

	(void)state;
	add("* sealed 1KiB");
	add("speed names 42");
	add("* unnamed 3KiB");
	add("speed rows 1000");
	assert_int_equal(spending.limit(spending.ctx, &project, TS_USE_SEALED), 1024);
	assert_int_equal(spending.refuse(spending.ctx, &project, TS_USE_SEALED, 25, &err), TS_TOO_LARGE);
	has("the quota 'sealed' of project speed");
	has("it uses 1000 B, this needs 25 B more, and 1 KiB (1024 bytes) are allowed");
	has("tscope rm");
	has("tscope gc --removed 0s");
	has("ask an admin");
	assert_int_equal(spending.refuse(spending.ctx, &project, TS_USE_NAMES, 2, &err), TS_TOO_LARGE);
	has("the quota 'names' of project speed does not allow this: it uses 41, this needs 2 more, and 42 are allowed");
	assert_int_equal(spending.refuse(spending.ctx, &ada, TS_USE_UNNAMED, 1025, &err), TS_TOO_LARGE);
	has("the quota 'unnamed' of ada");
	has("it uses 2 KiB (2048 bytes), this needs 1 KiB (1025 bytes) more, and 3 KiB (3072 bytes) are allowed");
	assert_int_equal(ts_quota_check_rows(&quotas, ts_span_str("speed/run"), 1000, &err), TS_OK);
	assert_int_equal(ts_quota_check_rows(&quotas, ts_span_str("speed2/run"), 1001, &err), TS_OK);
	assert_int_equal(ts_quota_check_rows(NULL, ts_span_str("speed/run"), 1001, &err), TS_OK);
	assert_int_equal(ts_quota_check_rows(&quotas, ts_span_str("speed/run"), 1001, &err), TS_TOO_LARGE);
	has("rows a run in project speed does not allow this: the run has 1,001, and 1,000 are allowed");
	assert_int_equal(quotas.refused[TS_USE_SEALED] + quotas.refused[TS_USE_NAMES], 2);
	assert_int_equal(quotas.refused[TS_QUOTA_ROWS], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_line_of_a_project_holds_before_that_of_each, setup),
		cmocka_unit_test_setup(senders_are_named_as_grants_name_them, setup),
		cmocka_unit_test_setup(lines_that_are_none_are_refused, setup),
		cmocka_unit_test_setup(who_would_use_more_is_told_everything, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
