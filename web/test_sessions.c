/* Sessions: found by what the browser has, for twelve hours, and no more of them than there is room for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "web/sessions.h"

static const int64_t hour_ns = INT64_C(3600) * 1000000000;

static struct ts_sessions *open_sessions(void)
{
	struct ts_sessions *s;
	struct ts_error err;

	assert_int_equal(ts_sessions_open(&s, &err), TS_OK);
	return s;
}

static void begin(struct ts_sessions *s, const char *token, int64_t now, char id[TS_SESSION_ID])
{
	struct ts_error err;

	assert_int_equal(ts_sessions_begin(s, ts_span_str(token), ts_span_str("token:ann"), now, id, &err), TS_OK);
}

static void lives_for_hours(void **state)
{
	struct ts_sessions *s = open_sessions();
	struct ts_session found;
	char a[TS_SESSION_ID], b[TS_SESSION_ID];

	(void)state;
	begin(s, "one", 1, a);
	begin(s, "two", 1, b);
	assert_string_not_equal(a, b);
	assert_true(ts_sessions_find(s, ts_span_str(a), 2, &found));
	assert_string_equal(found.token, "one");
	assert_string_equal(found.who, "token:ann");
	assert_true(ts_sessions_of_key(s, found.key, 2, &found));
	assert_string_equal(found.token, "one");
	assert_null(strstr(a, found.key)); /* the key opens nothing */
	assert_true(ts_sessions_find(s, ts_span_str(b), TS_SESSION_HOURS * hour_ns, &found));
	assert_false(ts_sessions_find(s, ts_span_str(b), TS_SESSION_HOURS * hour_ns + 1, &found));
	ts_sessions_end(s, ts_span_str(a));
	assert_false(ts_sessions_find(s, ts_span_str(a), 2, &found));
	a[0] ^= 1;
	assert_false(ts_sessions_find(s, ts_span_str(a), 2, &found));
	assert_false(ts_sessions_find(s, ts_span_str(""), 2, &found));
	ts_sessions_close(s);
}

static void lets_the_oldest_go(void **state)
{
	struct ts_sessions *s = open_sessions();
	struct ts_session found;
	char first[TS_SESSION_ID], second[TS_SESSION_ID], id[TS_SESSION_ID];

	(void)state;
	begin(s, "first", 1, first);
	begin(s, "second", 2, second);
	for (int i = 0; i < TS_SESSIONS - 1; i++)
		begin(s, "more", 3, id);
	assert_false(ts_sessions_find(s, ts_span_str(first), 4, &found));
	assert_true(ts_sessions_find(s, ts_span_str(second), 4, &found));
	ts_sessions_close(s);
}

static void refuses_what_is_no_token(void **state)
{
	struct ts_sessions *s = open_sessions();
	char text[2 * TS_SESSION_TOKEN], id[TS_SESSION_ID];
	struct ts_error err;

	(void)state;
	memset(text, 'a', sizeof text);
	assert_int_equal(ts_sessions_begin(s, ts_span_of(text, sizeof text), ts_span_str("x"), 1, id, &err), TS_INVALID);
	ts_sessions_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lives_for_hours),
		cmocka_unit_test(lets_the_oldest_go),
		cmocka_unit_test(refuses_what_is_no_token),
	};

	return cmocka_run_group_tests_name("sessions", tests, NULL, NULL);
}
