/* Who may come in: a token, a host and an origin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "web/admit.h"

static const char *const hosts[] = {"train.example.com"};
static struct ts_door door = {.address = "192.0.2.1", .port = 8765, .hosts = hosts, .n_hosts = 1};

static int setup(void **state)
{
	struct ts_error err;

	(void)state;
	return ts_door_make(&door, &err);
}

static struct ts_http_request to(const char *host)
{
	static char cookie[256];

	(void)snprintf(cookie, sizeof cookie, "other=1; tscope_8765=%s; x=y", door.token);
	return (struct ts_http_request){.host = ts_span_str(host), .cookie = ts_span_str(cookie)};
}

static void takes_the_token(void **state)
{
	struct ts_http_request r = to("localhost:8765");
	char text[256];

	(void)state;
	assert_int_equal(strlen(door.token), 64);
	assert_int_equal(ts_door_ask(&door, &r), TS_DOOR_IN);
	r.cookie = ts_span_str("");
	assert_int_equal(ts_door_ask(&door, &r), TS_DOOR_STRANGER);
	(void)snprintf(text, sizeof text, "Bearer %s", door.token);
	r.authorization = ts_span_str(text);
	assert_int_equal(ts_door_ask(&door, &r), TS_DOOR_IN);
	text[strlen(text) - 1] ^= 1;
	assert_int_equal(ts_door_ask(&door, &r), TS_DOOR_STRANGER);
	r.authorization = ts_span_str("");
	(void)snprintf(text, sizeof text, "q=1&token=%s", door.token);
	r.query = ts_span_str(text);
	assert_int_equal(ts_door_ask(&door, &r), TS_DOOR_LINK);
	r.query.len--;
	assert_int_equal(ts_door_ask(&door, &r), TS_DOOR_STRANGER);
	r.query = ts_span_str("");
	(void)snprintf(text, sizeof text, "tscope_8766=%s; tscope_8765=", door.token);
	r.cookie = ts_span_str(text);
	assert_int_equal(ts_door_ask(&door, &r), TS_DOOR_STRANGER);
}

static void knows_its_hosts(void **state)
{
	static const char *const ours[] = {"127.0.0.1:8765", "localhost:8765",	  "[::1]:8765",		  "localhost",
					   "192.0.2.1:8765", "train.example.com", "train.example.com:443"};
	static const char *const others[] = {"",
					     "evil.example",
					     "localhost.evil.example:8765",
					     "127.0.0.1:80",
					     "127.0.0.1:8765.evil.example",
					     "train.example.com.evil.example",
					     "LOCALHOST.:8765",
					     "192.0.2.1:1",
					     ":8765"};

	(void)state;
	for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
		struct ts_http_request r = to(ours[i]);

		if (ts_door_ask(&door, &r) != TS_DOOR_IN)
			fail_msg("%s", ours[i]);
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		struct ts_http_request r = to(others[i]);

		if (ts_door_ask(&door, &r) != TS_DOOR_OTHER_HOST)
			fail_msg("%s", others[i]);
	}
}

static void knows_where_writes_come_from(void **state)
{
	struct ts_http_request r = to("localhost:8765");

	(void)state;
	r.method = TS_HTTP_POST;
	assert_int_equal(ts_door_ask(&door, &r), TS_DOOR_OTHER_PAGE); /* a cookie alone is sent by any page */
	r.origin = ts_span_str("http://localhost:8765");
	assert_int_equal(ts_door_ask(&door, &r), TS_DOOR_IN);
	r.origin = ts_span_str("http://localhost:8766");
	assert_int_equal(ts_door_ask(&door, &r), TS_DOOR_OTHER_PAGE);
	r.origin = ts_span_str("null");
	assert_int_equal(ts_door_ask(&door, &r), TS_DOOR_OTHER_PAGE);
	r.origin = ts_span_str("");
	r.fetch_site = ts_span_str("same-origin");
	assert_int_equal(ts_door_ask(&door, &r), TS_DOOR_IN);
	r.fetch_site = ts_span_str("same-site");
	assert_int_equal(ts_door_ask(&door, &r), TS_DOOR_OTHER_PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_the_token),
		cmocka_unit_test(knows_its_hosts),
		cmocka_unit_test(knows_where_writes_come_from),
	};

	return cmocka_run_group_tests_name("door", tests, setup, NULL);
}
