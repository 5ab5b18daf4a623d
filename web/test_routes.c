/* Addresses: each is the words of one command line, and what is none is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "web/routes.h"

static struct ts_arena arena;
static struct ts_error err;

static int setup(void **state)
{
	(void)state;
	ts_arena_init(&arena, 1 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static enum ts_status find(const char *path, const char *query, const char *accept, struct ts_routed *r)
{
	const struct ts_http_request request = {.path = ts_span_str(path), .query = ts_span_str(query), .accept = ts_span_str(accept)};

	return ts_route_find(&request, &arena, r, &err);
}

static void expect(const char *path, const char *query, const char *words)
{
	struct ts_buf all = TS_BUF_INIT(4096);
	struct ts_routed r;

	assert_int_equal(find(path, query, "text/html", &r), TS_OK);
	for (size_t i = 0; i < r.n; i++) {
		ts_buf_str(&all, i ? " | " : "");
		ts_buf_str(&all, r.words[i]);
	}
	if (!ts_span_is(ts_buf_view(&all), words))
		fail_msg("%s?%s is %.*s", path, query, TS_SPAN_ARG(ts_buf_view(&all)));
	ts_buf_finish(&all);
}

static void become_words(void **state)
{
	(void)state;
	expect("/p/default/runs", "", "list | --project=default | --");
	expect("/p/a%20b/runs", "q=loss.last%3C2+and+steps%3E1&sort=-loss.last",
	       "list | --project=a b | --sort=-loss.last | -- | loss.last<2 and steps>1");
	expect("/p/d/runs", "q=&sort=", "list | --project=d | --");
	expect("/p/d/tags", "", "list | --project=d | --tags | --");
	expect("/p/d/r/sweep/lr%3D0.1", "rank=2", "analyze | --project=d | --rank=2 | -- | sweep/lr=0.1");
	expect("/p/d/r/--json", "", "analyze | --project=d | -- | --json");
	expect("/p/d/diff/a..b", "", "diff | --project=d | -- | a | b");
	expect("/p/d/diff/s/a..s/b", "all=1", "diff | --project=d | --all | -- | s/a | s/b");
	expect("/p/d/diff", "a=x..y&b=z", "diff | --project=d | -- | x..y | z");
	expect("/p/d/plot/loss", "run=a&run=b&log=1&smooth=5", "plot | --project=d | --log | --smooth=5 | -- | loss | a | b");
	expect("/p/d/b/main", "", "trend | --project=d | -- | main");
	expect("/projects", "", "projects | --");
}

static void have_twins(void **state)
{
	struct ts_routed r;

	(void)state;
	assert_int_equal(find("/p/d/r/a.json", "", "text/html", &r), TS_OK);
	assert_true(r.json && ts_span_is(r.name, "a"));
	assert_int_equal(find("/p/d/r/a%2Ejson", "", "text/html", &r), TS_OK);
	assert_true(!r.json && ts_span_is(r.name, "a.json"));
	assert_int_equal(find("/p/d/r/a", "", "application/json", &r), TS_OK);
	assert_true(r.json);
	assert_int_equal(find("/p/d/r/a", "", "text/html,application/json;q=0.9", &r), TS_OK);
	assert_false(r.json);
	assert_int_equal(find("/projects.json", "", "", &r), TS_OK);
	assert_true(r.json);
}

static void refuse(void **state)
{
	static const char *const nowhere[] = {"",	"/",	  "//",		  "/p",	       "/p/",	   "/p//runs",
					      "/p/d",	"/p/d/",  "/p/d/nothing", "/q/d/runs", "p/d/runs", "/p/d//projects",
					      "/p/d/r", "/p/d/r/"};
	static const char *const unread[] = {"/p/d/r/%",    "/p/d/r/a%00b",  "/p/%ff/runs",
					     "/p/d/diff/a", "/p/d/diff/..b", "/p/d/plot/loss"};
	struct ts_routed r;

	(void)state;
	for (size_t i = 0; i < sizeof nowhere / sizeof nowhere[0]; i++)
		assert_int_equal(find(nowhere[i], "", "", &r), TS_NOT_FOUND);
	for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++)
		assert_int_equal(find(unread[i], "", "", &r), TS_INVALID);
	assert_int_equal(find("/p/d/runs", "html=/tmp/x", "", &r), TS_INVALID);
	assert_int_equal(find("/p/d/runs", "store=/tmp/x", "", &r), TS_INVALID);
	assert_int_equal(find("/p/d/r/a", "policy=/etc/passwd", "", &r), TS_INVALID);
	assert_int_equal(find("/p/d/r/a", "ran=1", "", &r), TS_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(become_words, setup, teardown),
		cmocka_unit_test_setup_teardown(have_twins, setup, teardown),
		cmocka_unit_test_setup_teardown(refuse, setup, teardown),
	};

	return cmocka_run_group_tests_name("routes", tests, NULL, NULL);
}
