/* test_again_words.c - words of recorded lines, as sh makes them, and lines that need a shell. */
#include "cli/verbs/again_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* What `sh -c 'printf "[%s]" LINE'` prints, and what the words are, in the same form. */
static void compare(const char *line)
{
	char command[1024], theirs[1024] = "", ours[1024] = "";
	struct ts_arena arena;
	const char *const *words;
	FILE *shell;

	ts_arena_init(&arena, 1 << 20);
	(void)snprintf(command, sizeof command, "printf '[%%s]' %s", line);
	shell = popen(command, "r"); // NOLINT
	assert_non_null(shell);
	theirs[fread(theirs, 1, sizeof theirs - 1, shell)] = '\0';
	assert_int_equal(pclose(shell), 0);
	words = ts_again_words(ts_span_str(line), &arena);
	if (!words)
		fail_msg("no words: %s", line);
	for (size_t i = 0; words && words[i]; i++)
		(void)snprintf(ours + strlen(ours), sizeof ours - strlen(ours), "[%s]", words[i]);
	assert_string_equal(ours, theirs);
	ts_arena_finish(&arena);
}

static void test_words_are_those_of_a_shell(void **unused)
{
	static const char *const lines[] = {
		"python train.py --lr 1e-3",   "  python\ttrain.py  ",
		"python 'it'\\''s' \"a b\"",   "a '' b \"\"",
		"a 'x;y|z$(w)`v`' \"p;q\"",    "a \"q\\\"u\\\\o\\$te\\n\" \\  \\;",
		"a --x=~/y b#c a!b",	       "./x/../y=1 --name='a b'c",
		"/usr/bin/python -m tscope t", "a \xc3\xa4 '\n'",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		compare(lines[i]);
}

static void test_what_needs_a_shell_has_no_words(void **unused)
{
	static const char *const lines[] = {
		"",	 "   ",	  "a | b",  "a; b",  "a && b", "a $HOME", "a \"$HOME\"", "a `b`",	  "a \"`b`\"", "a > b",
		"a < b", "(a)",	  "a *.py", "a ?",   "a [ab]", "a {b,c}", "a # b",	 "~/a",		  "a ~",       "!a",
		"a 'b",	 "a \"b", "a \\",   "A=1 b", "a\nb",   "a &",	  "a \\\nb",	 "eval $'a\\nb'",
	};
	struct ts_arena arena;

	(void)unused;
	ts_arena_init(&arena, 8 << 20);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (ts_again_words(ts_span_str(lines[i]), &arena))
			fail_msg("words of: %s", lines[i]);
	assert_null(ts_again_words(ts_span_of("a\0b", 3), &arena));
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_are_those_of_a_shell),
		cmocka_unit_test(test_what_needs_a_shell_has_no_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
