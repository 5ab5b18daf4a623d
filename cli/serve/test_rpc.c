#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/serve/message_lines.h"
#include "cli/serve/revision.h"
#include "cli/serve/rpc.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct ts_arena arena;

static void check(const char *line, enum ts_rpc_code want, const char *id)
{
	struct ts_rpc_message message;
	enum ts_rpc_code code;
	struct ts_error err;

	assert_int_not_equal(ts_rpc_read(ts_span_str(line), &arena, &message, &code, &err), TS_OK);
	assert_int_equal(code, want);
	assert_true(ts_span_is(message.id, id));
	assert_true(err.text[0]);
}

static struct ts_rpc_message good(const char *line)
{
	struct ts_rpc_message message;
	enum ts_rpc_code code;
	struct ts_error err;

	assert_int_equal(ts_rpc_read(ts_span_str(line), &arena, &message, &code, &err), TS_OK);
	return message;
}

static void test_messages(void **state)
{
	struct ts_rpc_message m = good("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}");

	(void)state;
	assert_int_equal(m.kind, TS_RPC_REQUEST);
	assert_true(ts_span_is(m.id, "7"));
	assert_true(ts_span_is(m.method, "ping"));
	assert_int_equal(m.params.len, 0);
	m = good("{\"params\":{\"a\":[1,{}]},\"method\":\"tools\\u002fcall\",\"id\":\"x\\n\",\"jsonrpc\":\"2.0\",\"more\":[1]}");
	assert_true(ts_span_is(m.id, "\"x\\n\""));
	assert_true(ts_span_is(m.method, "tools/call"));
	assert_true(ts_span_is(m.params, "{\"a\":[1,{}]}"));
	assert_int_equal(good("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}").kind, TS_RPC_NOTIFICATION);
	assert_int_equal(good("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}").kind, TS_RPC_REPLY);
}

static void test_no_messages(void **state)
{
	(void)state;
	check("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":", TS_RPC_NOT_JSON, "1"); /* an answer can still name it */
	check("", TS_RPC_NO_REQUEST, "");
	check("7", TS_RPC_NO_REQUEST, "");
	check("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", TS_RPC_NO_REQUEST, "");
	check("{\"jsonrpc\":\"1.0\",\"id\":3,\"method\":\"ping\"}", TS_RPC_NO_REQUEST, "3");
	check("{\"jsonrpc\":\"2.0\",\"id\":4}", TS_RPC_NO_REQUEST, "4");
	check("{\"jsonrpc\":\"2.0\",\"method\":8,\"id\":4}", TS_RPC_NO_REQUEST, "4");
	check("{\"jsonrpc\":\"2.0\",\"method\":[8,{}],\"id\":4}", TS_RPC_NO_REQUEST, "4");
	check("{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":[1],\"id\":5}", TS_RPC_NO_REQUEST, "5");
	check("{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":null}", TS_RPC_NO_REQUEST, "");
	check("{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1.5}", TS_RPC_NO_REQUEST, "");
	check("{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":{\"a\":[]}}", TS_RPC_NO_REQUEST, "");
	check("{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":true}", TS_RPC_NO_REQUEST, "");
	check("{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}{}", TS_RPC_NO_REQUEST, "1");
	check("{\"jsonrpc\":\"2.0\",\"method\":\"a\xff\",\"id\":1}", TS_RPC_NOT_JSON, "");
}

static void test_deep(void **state)
{
	char line[20000];
	size_t n = 0;

	(void)state;
	n += (size_t)snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":");
	memset(line + n, '[', 9000);
	memset(line + n + 9000, ']', 9000);
	(void)snprintf(line + n + 18000, sizeof line - n - 18000, "}}");
	check(line, TS_RPC_NOT_JSON, "1");
}

static void test_members(void **state)
{
	struct ts_span object = ts_span_str("{\"a\":\"x\\u0041\",\"b\":[1, 2],\"a\":\"y\",\"nul\":\"\\u0000\"}"), value;

	(void)state;
	assert_true(ts_rpc_text(object, "a", &arena, &value));
	assert_true(ts_span_is(value, "y"));
	assert_true(ts_rpc_member(object, "b", &value));
	assert_true(ts_span_is(value, "[1, 2]"));
	assert_false(ts_rpc_text(object, "b", &arena, &value));
	assert_false(ts_rpc_text(object, "nul", &arena, &value));
	assert_false(ts_rpc_text(object, "c", &arena, &value));
	assert_false(ts_rpc_member(ts_span_str("[1]"), "a", &value));
	assert_false(ts_rpc_member(ts_span_str(""), "a", &value));
}

static void test_answers(void **state)
{
	struct ts_buf out = TS_BUF_INIT(1000);

	(void)state;
	ts_rpc_result(&out, ts_span_str("\"q\""), NULL, ts_span_str("{\n  \"a\": \"x\\ny\"\n}\n"));
	ts_rpc_error(&out, ts_span_of(NULL, 0), TS_RPC_NOT_JSON, "a \"b\"\n");
	assert_true(ts_span_is(ts_buf_view(&out),
			       "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{  \"a\": \"x\\ny\"}}\n"
			       "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"a \\\"b\\\"\\n\"}}\n"));
	ts_buf_reset(&out);
	ts_rpc_result(&out, ts_span_str("1"), "\"m\":1", ts_span_str("{\n  \"a\": 2\n}"));
	ts_rpc_result(&out, ts_span_str("1"), "\"m\":1", ts_span_str("{ }"));
	ts_rpc_error_data(&out, ts_span_str("2"), TS_RPC_OTHER_REVISION, "no", ts_span_str("{\n\"b\": []}"));
	assert_true(ts_span_is(ts_buf_view(&out), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"m\":1,\"a\": 2}}\n"
						  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"m\":1}}\n"
						  "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":"
						  "{\"code\":-32022,\"message\":\"no\",\"data\":{\"b\": []}}}\n"));
	ts_buf_finish(&out);
}

static void test_revisions(void **state)
{
	static const struct {
		const char *params, *named;
		enum ts_request_revision is;
	} cases[] = {
		{"", "", TS_REQUEST_OF_SESSION},
		{"{}", "", TS_REQUEST_OF_SESSION},
		{"{\"_meta\":{\"progressToken\":1}}", "", TS_REQUEST_OF_SESSION},
		{"{\"_meta\":7}", "", TS_REQUEST_OF_SESSION},
		{"{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}", "2026-07-28", TS_REQUEST_NAMES_ONE},
		{"{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2025-11-25\"}}", "2025-11-25", TS_REQUEST_NAMES_OTHER},
		{"{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"zzz\"}}", "zzz", TS_REQUEST_NAMES_OTHER},
		{"{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":[1]}}", "", TS_REQUEST_NAMES_OTHER},
	};
	struct ts_span named;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(ts_request_revision(ts_span_str(cases[i].params), &arena, &named), cases[i].is);
		assert_true(ts_span_is(named, cases[i].named));
	}
	assert_string_equal(ts_revision_of_session(ts_span_str("2024-11-05")), "2024-11-05");
	assert_string_equal(ts_revision_of_session(ts_span_str("2026-07-28")), "2025-11-25");
	assert_null(strstr(ts_revision_members(ts_span_str("tools/call")), "ttlMs"));
	assert_non_null(strstr(ts_revision_members(ts_span_str("tools/list")), "ttlMs"));
}

static void expect_line(struct ts_message_lines *lines, const char *want, bool want_whole)
{
	struct ts_error err;
	struct ts_span line;
	bool whole;

	assert_int_equal(ts_message_lines_next(lines, &line, &whole, &err), TS_OK);
	assert_int_equal(line.data != NULL, want != NULL);
	assert_int_equal(whole, want_whole);
	if (want && want_whole)
		assert_true(ts_span_is(line, want));
}

static void test_lines(void **state)
{
	static const char text[] = "one\n\ntwelve bytes\n123456789012\n1234567890123\nthree\n12345678901234567890\nlast";
	struct ts_message_lines lines;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], text, sizeof text - 1), sizeof text - 1);
	close(fds[1]);
	ts_message_lines_init(&lines, fds[0], 12);
	expect_line(&lines, "one", true);
	expect_line(&lines, "", true);
	expect_line(&lines, "twelve bytes", true);
	expect_line(&lines, "123456789012", true);
	expect_line(&lines, "", false);
	expect_line(&lines, "three", true);
	expect_line(&lines, "", false);
	expect_line(&lines, "last", true);
	expect_line(&lines, NULL, true);
	expect_line(&lines, NULL, true);
	ts_message_lines_finish(&lines);
	close(fds[0]);
}

static int begin(void **state)
{
	(void)state;
	ts_arena_init(&arena, 1 << 20);
	return 0;
}

static int end(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_messages, begin, end),
		cmocka_unit_test_setup_teardown(test_no_messages, begin, end),
		cmocka_unit_test_setup_teardown(test_deep, begin, end),
		cmocka_unit_test_setup_teardown(test_members, begin, end),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_revisions),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
