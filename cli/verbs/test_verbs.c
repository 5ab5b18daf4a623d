/* What an unknown verb is answered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/verbs/verbs.h"

static void expect(const char *word, const char *text)
{
	struct ts_error err;

	assert_int_equal(ts_verb_unknown(word, &err), TS_INVALID);
	if (!strstr(err.text, text))
		fail_msg("%s: %s", word, err.text);
}

static void words_of_other_programs(void **state)
{
	(void)state;
	expect("ls", "'tscope list' lists runs");
	expect("cmp", "'tscope diff A B'");
	expect("ui", "'tscope web'");
	expect("follow", "'tscope watch RUN' shows a run while it goes on");
	expect("delete", "'tscope rm NAME'");
	expect("status", "'tscope list' shows the state");
	expect("start", "'tscope run train.py'");
}

static void near_words(void **state)
{
	(void)state;
	expect("lsit", "did you mean 'list'?");
	expect("analyse", "did you mean 'analyze'?");
	expect("zzzzzz", "'tscope help' lists the verbs");
	expect("", "'tscope help' lists the verbs");
}

/* A hint for a word that is a verb would never be seen, or a verb would be missing. */
static void a_verb_has_no_hint(void **state)
{
	struct ts_error err;

	(void)state;
	for (size_t i = 0; i < ts_verbs_n; i++) {
		assert_int_equal(ts_verb_unknown(ts_verbs[i].name, &err), TS_INVALID);
		assert_non_null(strstr(err.text, "did you mean"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words_of_other_programs), cmocka_unit_test(near_words),
					   cmocka_unit_test(a_verb_has_no_hint)};

	return cmocka_run_group_tests_name("verbs", tests, NULL, NULL);
}
