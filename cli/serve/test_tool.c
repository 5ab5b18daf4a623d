#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/serve/tool.h"

#include <stdio.h>
#include <string.h>

static struct ts_arena arena;

static const struct ts_option options[] = {
	{.name = "rank", .argument = "N", .help = "this rank"},
	{.name = "ignore", .argument = "GLOB", .help = "not these", .repeat = true},
	{.name = "all", .help = "everything"},
	{.name = "html", .argument = "FILE", .help = "writes a page"},
	{.name = NULL},
};
static const struct ts_verb diff = {.name = "diff",
				    .summary = "compare",
				    .usage = "RUN RUN [RUN...]",
				    .about = "About.",
				    .options = options,
				    .min_words = 2,
				    .max_words = 9};
static const struct ts_verb check = {.name = "check",
				     .summary = "check",
				     .usage = "[PARENT] RUN",
				     .about = "About.",
				     .options = options,
				     .min_words = 1,
				     .max_words = 2};
static const struct ts_verb facts = {.name = "facts", .summary = "facts", .usage = "[RUN [GLOB]]", .about = "About.", .max_words = 2};
static const struct ts_verb plot = {
	.name = "plot", .summary = "plot", .usage = "COLUMN RUN...", .about = "About.", .min_words = 2, .max_words = 9};

static const struct ts_tool tool_diff = {"diff", "rank ignore all", 2, 9, NULL}, tool_check = {"check", "all", 1, 2, NULL},
			    tool_facts = {"facts", "", 1, 2, NULL}, tool_plot = {"plot", "", 2, 9, NULL};

/* The words, with spaces between them. */
static const char *words(const struct ts_tool *tool, const struct ts_verb *verb, const char *arguments)
{
	static char line[2000];
	struct ts_tool_call call;
	struct ts_error err;
	size_t n = 0;

	if (ts_tool_read(tool, verb, ts_span_str(arguments), &arena, &call, &err)) {
		assert_int_equal(err.status, TS_INVALID);
		(void)snprintf(line, sizeof line, "! %s", err.text);
		return line;
	}
	for (size_t i = 0; i < call.n; i++)
		n += (size_t)snprintf(line + n, sizeof line - n, "%s%s", i ? " " : "", call.words[i]);
	return line;
}

static void test_words(void **state)
{
	(void)state;
	assert_string_equal(words(&tool_diff, &diff, "{\"runs\":[\"a\",\"b\"]}"), "diff --json -- a b");
	assert_string_equal(words(&tool_diff, &diff,
				  "{\"all\":true,\"rank\":3,\"ignore\":[\"x\",\"y\"],\"runs\":[\"-a\",\"b\"],\"answer\":\"text\"}"),
			    "diff --all --rank=3 --ignore=x --ignore=y -- -a b");
	assert_string_equal(
		words(&tool_diff, &diff, "{\"all\":false,\"rank\":null,\"runs\":[\"a\",\"b\"],\"answer\":\"page\",\"project\":\"p\"}"),
		"diff --project=p --html=- -- a b");
	assert_string_equal(words(&tool_check, &check, "{\"run\":\"r\",\"answer\":\"brief\"}"), "check --json -- r");
	assert_string_equal(words(&tool_plot, &plot, "{\"column\":\"c\",\"runs\":[\"r\"],\"answer\":\"page\"}"), "plot -- c r");
	assert_string_equal(words(&tool_check, &check, "{\"run\":\"r\",\"parent\":\"p\"}"), "check --json -- p r");
	assert_string_equal(words(&tool_facts, &facts, "{\"run\":\"r\",\"glob\":\"config.*\"}"), "facts --json -- r config.*");
	assert_string_equal(words(&tool_plot, &plot, "{\"column\":\"loss\",\"runs\":\"r\"}"), "plot --json -- loss r");
}

static void test_refused(void **state)
{
	(void)state;
	assert_string_equal(words(&tool_diff, &diff, "{\"html\":\"x\",\"runs\":[\"a\",\"b\"]}"), "! diff has no argument html");
	assert_string_equal(words(&tool_diff, &diff, "{\"rnak\":1}"), "! diff has no argument rnak; did you mean rank?");
	assert_string_equal(words(&tool_diff, &diff, "{\"runs\":[\"a\",7.5,{}]}"), "! diff: runs is not a text or a list of texts");
	assert_string_equal(words(&tool_diff, &diff, "{\"all\":1}"), "! diff: all is not true or false");
	assert_string_equal(words(&tool_diff, &diff, "{\"rank\":[1]}"), "! diff: rank is not a text or a number");
	assert_string_equal(words(&tool_diff, &diff, "{\"ignore\":[\"a\\u0000b\"]}"),
			    "! diff: ignore is not a text or a list of texts");
	assert_string_equal(words(&tool_diff, &diff, "{}"), "! diff: runs is not given; usage: tscope diff RUN RUN [RUN...]");
	assert_string_equal(words(&tool_diff, &diff, "[1]"), "! diff: arguments are an object");
	assert_string_equal(words(&tool_check, &check, "{\"run\":\"\"}"), "! check: run is not a name; it is empty");
	assert_string_equal(words(&tool_facts, &facts, ""), "! facts: run is not given; usage: tscope facts [RUN [GLOB]]");
	assert_string_equal(words(&tool_plot, &plot, "{\"runs\":\"r\",\"column\":\"c\",\"answer\":\"xml\"}"),
			    "! plot: answer is not document, brief, text or page");
}

static bool has(const struct ts_buf *out, const char *text)
{
	return ts_span_has(ts_buf_view(out), ts_span_str(text));
}

static void test_described(void **state)
{
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_json j = ts_json_of(&out);

	(void)state;
	ts_tool_describe(&tool_diff, &diff, &j, &arena);
	assert_true(has(&out, "\"name\":\"diff\""));
	assert_true(has(&out, "\"runs\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":2}"));
	assert_true(has(&out, "\"rank\":{\"type\":\"integer\",\"description\":\"this rank\"}"));
	assert_true(has(&out, "\"all\":{\"type\":\"boolean\""));
	assert_true(has(&out, "\"enum\":[\"document\",\"brief\",\"text\",\"page\"]"));
	assert_true(has(&out, "\"required\":[\"runs\"]"));
	assert_false(has(&out, "\"html\""));
	ts_buf_finish(&out);
}

static int begin(void **state)
{
	(void)state;
	ts_arena_init(&arena, 1 << 22);
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
		cmocka_unit_test_setup_teardown(test_words, begin, end),
		cmocka_unit_test_setup_teardown(test_refused, begin, end),
		cmocka_unit_test_setup_teardown(test_described, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
