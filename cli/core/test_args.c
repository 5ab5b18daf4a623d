/* Options: long with = or space, short joined, what ends them, and what an error says. */
#include "base/suggest.h"
#include "base/test_arena.h"
#include "cli/core/args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const struct ts_option own[] = {
	{"name", 'n', "NAME", "", TS_COMPLETE_NONE, NULL, false},
	{"fact", 0, "FACT", "", TS_COMPLETE_NONE, NULL, true},
	{"state", 0, "STATE", "", TS_COMPLETE_CHOICE, "running finished", false},
	{"force", 'f', NULL, "", TS_COMPLETE_NONE, NULL, false},
	{NULL, 0, NULL, NULL, TS_COMPLETE_NONE, NULL, false},
};
static const struct ts_option common[] = {
	{"json", 'j', NULL, "", TS_COMPLETE_NONE, NULL, false},
	{NULL, 0, NULL, NULL, TS_COMPLETE_NONE, NULL, false},
};

#define PARSE(args, err, ...)                                                                                       \
	parse(args, err, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static enum ts_status parse(struct ts_args *args, struct ts_error *err, const char *const *argv, size_t n)
{
	*args = (struct ts_args){0};
	return ts_args_parse(args, own, common, (int)n, argv, false, &arena, err);
}

static void long_options(void **state)
{
	struct ts_args a;
	struct ts_error err;

	(void)state;
	assert_int_equal(PARSE(&a, &err, "--name", "x", "w1", "--force", "--fact=a=b", "--fact", "-c", "--json", "w2"), TS_OK);
	assert_string_equal(ts_args_text(&a, "name"), "x");
	assert_true(ts_args_has(&a, "force"));
	assert_true(ts_args_has(&a, "json"));
	assert_false(ts_args_has(&a, "state"));
	assert_false(ts_args_by_letter(&a, "force"));
	assert_int_equal(PARSE(&a, &err, "-f", "--force"), TS_OK);
	assert_false(ts_args_by_letter(&a, "force"));
	assert_int_equal(PARSE(&a, &err, "--name", "x", "w1", "--force", "--fact=a=b", "--fact", "-c", "--json", "w2"), TS_OK);
	assert_string_equal(ts_args_nth(&a, "fact", 0), "a=b"); /* only the first '=' separates the option from its value */
	assert_string_equal(ts_args_nth(&a, "fact", 1), "-c");	/* a value may begin with a dash */
	assert_null(ts_args_nth(&a, "fact", 2));
	assert_int_equal(a.n_words, 2);
	assert_string_equal(a.words[0], "w1");
	assert_string_equal(a.words[1], "w2");
}

static void short_options(void **state)
{
	struct ts_args a;
	struct ts_error err;

	(void)state;
	assert_int_equal(PARSE(&a, &err, "-fj", "-nx", "-", "-n", "y"), TS_OK);
	assert_true(ts_args_by_letter(&a, "force"));
	assert_true(ts_args_by_letter(&a, "name"));
	assert_false(ts_args_by_letter(&a, "fact")); /* it was not given */
	assert_true(ts_args_has(&a, "force"));
	assert_true(ts_args_has(&a, "json"));
	assert_string_equal(ts_args_text(&a, "name"), "y"); /* the last value counts */
	assert_string_equal(ts_args_nth(&a, "name", 0), "x");
	assert_int_equal(a.n_words, 1);
	assert_string_equal(a.words[0], "-");
}

static void dashes_end_options(void **state)
{
	struct ts_args a;
	struct ts_error err;

	(void)state;
	assert_int_equal(PARSE(&a, &err, "--", "--name", "-f", "--"), TS_OK);
	assert_int_equal(a.n, 0);
	assert_int_equal(a.n_words, 3);
	assert_string_equal(a.words[2], "--");
}

static void stops_at_the_verb(void **state)
{
	static const char *const argv[] = {"--json", "push", "--name", "x"};
	struct ts_args a = {0};
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_args_parse(&a, NULL, common, 4, argv, true, &arena, &err), TS_OK);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.n_words, 3);
	assert_string_equal(a.words[0], "push");
}

static void says(struct ts_error *err, const char *text)
{
	assert_int_equal(err->status, TS_INVALID);
	if (!strstr(err->text, text))
		fail_msg("'%s' does not say '%s'", err->text, text);
}

static void errors_name_the_option(void **state)
{
	struct ts_args a;
	struct ts_error err;

	(void)state;
	assert_int_not_equal(PARSE(&a, &err, "--nmae", "x"), TS_OK);
	says(&err, "--nmae; did you mean --name?");
	assert_int_not_equal(PARSE(&a, &err, "--wholly-else"), TS_OK);
	says(&err, "unknown option --wholly-else");
	assert_int_not_equal(PARSE(&a, &err, "-x"), TS_OK);
	says(&err, "-x");
	assert_int_not_equal(PARSE(&a, &err, "w", "--name"), TS_OK);
	says(&err, "--name needs a value");
	assert_int_not_equal(PARSE(&a, &err, "-n"), TS_OK);
	says(&err, "-n needs a value");
	assert_int_not_equal(PARSE(&a, &err, "--force=yes"), TS_OK);
	says(&err, "--force takes no value");
	assert_int_not_equal(PARSE(&a, &err, "--state", "runn"), TS_OK);
	says(&err, "running finished; it is 'runn'");
	assert_int_not_equal(PARSE(&a, &err, "--state="), TS_OK);
	assert_int_equal(PARSE(&a, &err, "--state=running"), TS_OK);
}

/* Whoever types an option that is gone is told what shows the same; another value of it is wrong as before. */
static void an_option_that_is_gone(void **state)
{
	static const struct ts_option as[] = {{.name = "as", .argument = "TOOL", .complete = TS_COMPLETE_CHOICE, .choices = "traceml"},
					      {0}};
	static const char *const words[] = {"--as", "axolotl"}, *const joined[] = {"--as=kempner"}, *const other[] = {"--as", "else"},
				 *const alone[] = {"--as"};
	struct ts_args a = {0};
	struct ts_error err;

	(void)state;
	assert_int_not_equal(ts_args_parse(&a, NULL, NULL, 2, words, false, &arena, &err), TS_OK);
	says(&err, "--as axolotl is gone: tscope analyze of a trace or a memory snapshot");
	assert_int_not_equal(ts_args_parse(&a, as, NULL, 2, words, false, &arena, &err), TS_OK);
	says(&err, "--as axolotl is gone");
	assert_int_not_equal(ts_args_parse(&a, NULL, NULL, 1, joined, false, &arena, &err), TS_OK);
	says(&err, "--as kempner is gone: tscope analyze of a trace shows");
	assert_int_not_equal(ts_args_parse(&a, as, NULL, 2, other, false, &arena, &err), TS_OK);
	says(&err, "--as must be one of: traceml; it is 'else'");
	assert_int_not_equal(ts_args_parse(&a, NULL, NULL, 1, alone, false, &arena, &err), TS_OK);
	says(&err, "unknown option --as");
}

static void numbers(void **state)
{
	struct ts_args a;
	struct ts_error err;
	uint64_t n = 99;
	bool given;

	(void)state;
	assert_int_equal(PARSE(&a, &err, "--name", "12"), TS_OK);
	assert_int_equal(ts_args_uint(&a, "name", 12, &given, &n, &err), TS_OK);
	assert_true(given);
	assert_int_equal(n, 12);
	assert_int_not_equal(ts_args_uint(&a, "name", 11, &given, &n, &err), TS_OK);
	says(&err, "from 0 to 11; it is '12'");
	assert_int_equal(ts_args_uint(&a, "fact", 11, &given, &n, &err), TS_OK);
	assert_false(given);
	assert_int_equal(PARSE(&a, &err, "--name", "-1"), TS_OK);
	assert_int_not_equal(ts_args_uint(&a, "name", 11, &given, &n, &err), TS_OK);
}

static void numbers_above_zero(void **state)
{
	static const char *const bad[] = {"0", "-1", "-0.0", "1e400", "NaN", "Infinity", "1x", "", " 1", "0x10", "1e-400"};
	struct ts_args a;
	struct ts_error err;
	double x = 99;
	bool given;

	(void)state;
	assert_int_equal(PARSE(&a, &err, "--name", "6.1e12"), TS_OK);
	assert_int_equal(ts_args_above_zero(&a, "name", &given, &x, &err), TS_OK);
	assert_true(given);
	assert_true(x == 6.1e12);
	assert_int_equal(ts_args_above_zero(&a, "fact", &given, &x, &err), TS_OK);
	assert_false(given);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(PARSE(&a, &err, "--name", bad[i]), TS_OK);
		assert_int_not_equal(ts_args_above_zero(&a, "name", &given, &x, &err), TS_OK);
		says(&err, "--name must be a number above 0; it is '");
	}
}

static void sizes(void **state)
{
	static const struct { const char *text; double want; } good[] = {
		{"80GiB", 85899345920.0}, {"79.5 GiB", 85362475008.0}, {"141GB", 141e9},
		{"81559MiB", 85520809984.0}, {"1TiB", 1099511627776.0}, {"1KiB", 1024}, {"1kB", 1000}, {"2e3MB", 2e9}, {"1TB", 1e12}};
	static const char *const bad[] = {"", "80", "GiB", " GiB", "0GiB", "-1GiB", "NaNGiB", "80 G",
					  "80gib", "80GiBs", "1e400GiB", "80  GiB"};
	struct ts_args a;
	struct ts_error err;
	double x = 99;
	bool given;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		assert_int_equal(PARSE(&a, &err, "--name", good[i].text), TS_OK);
		assert_int_equal(ts_args_bytes(&a, "name", &given, &x, &err), TS_OK);
		assert_true(given && x == good[i].want);
	}
	assert_int_equal(ts_args_bytes(&a, "fact", &given, &x, &err), TS_OK);
	assert_false(given);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(PARSE(&a, &err, "--name", bad[i]), TS_OK);
		if (ts_args_bytes(&a, "name", &given, &x, &err) == TS_OK)
			fail_msg("'%s' was taken for a size", bad[i]);
		says(&err, "--name must be a size with its unit, such as 80GiB or 81559MiB; it is '");
	}
}

static uint64_t seconds(const char *text, bool *ret_ok)
{
	struct ts_option option = own[0];
	struct ts_arg arg = {.option = &option, .value = text};
	struct ts_args a = {.items = &arg, .n = 1};
	struct ts_error err;
	uint64_t n = 0;
	bool given;

	*ret_ok = ts_args_seconds(&a, "name", &given, &n, &err) == TS_OK;
	return n;
}

static void durations(void **state)
{
	static const struct { const char *text; uint64_t want; } good[] = {
		{"90", 90}, {"90s", 90}, {"15m", 900}, {"24h", 86400}, {"7d", 604800}, {"0s", 0}};
	static const char *const bad[] = {"", "s", "1y", "-1s", "1.5h", "99999999999999999999d", "99999999999d"};
	bool ok;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		assert_int_equal(seconds(good[i].text, &ok), good[i].want);
		assert_true(ok);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		seconds(bad[i], &ok);
		if (ok)
			fail_msg("'%s' was taken for a duration", bad[i]);
	}
}

static void distances(void **state)
{
	(void)state;
	assert_int_equal(ts_word_distance("list", "list"), 0);
	assert_int_equal(ts_word_distance("lsit", "list"), 1); /* two letters are swapped */
	assert_int_equal(ts_word_distance("lst", "list"), 1);
	assert_int_equal(ts_word_distance("", "list"), 4);
	assert_int_equal(ts_word_distance("kitten", "sitting"), 3);
	assert_int_equal(ts_word_distance("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "b"), TS_SUGGEST_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_options),
		cmocka_unit_test(short_options),
		cmocka_unit_test(dashes_end_options),
		cmocka_unit_test(stops_at_the_verb),
		cmocka_unit_test(errors_name_the_option),
		cmocka_unit_test(an_option_that_is_gone),
		cmocka_unit_test(numbers),
		cmocka_unit_test(numbers_above_zero),
		cmocka_unit_test(sizes),
		cmocka_unit_test(durations),
		cmocka_unit_test(distances),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
