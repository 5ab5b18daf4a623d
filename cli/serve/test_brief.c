#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/serve/brief.h"
#include "cli/serve/token_count.h"

#include <stdio.h>
#include <string.h>

static const char *brief_of(const char *document, const char *command, const char *next)
{
	static char text[TS_BRIEF_BYTES + 1];
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 1 << 24);
	assert_int_equal(ts_brief(ts_span_str(document), command, next, &arena, &out, &err), TS_OK);
	assert_true(out.len <= TS_BRIEF_BYTES);
	assert_true(ts_tokens_most(ts_buf_view(&out)) <= TS_BRIEF_TOKENS);
	memcpy(text, out.data, out.len);
	text[out.len] = '\0';
	ts_buf_finish(&out);
	ts_arena_finish(&arena);
	return text;
}

static const char *brief(const char *document, const char *next)
{
	return brief_of(document, "tscope diff a b", next);
}

static void test_order(void **state)
{
	(void)state;
	assert_string_equal(
		brief("{\"a\":null,\"plots\":[1],\"zeta\":{\"x\":1,\"y\":[]},\"rows\":[{\"k\":\"u\",\"v\":1},{\"k\":\"w\",\"v\":null}],"
		      "\"evidence_for\":[\"it is\"],\"verdict\":\"differ\",\"ok\":true,\"lost\":[]}",
		      "analyze"),
		"verdict: differ\nevidence_for: it is\nrows:\n k | v\n u | 1\n w | -\nzeta: x 1\nok: yes\nlost: none\n"
		"next: analyze\nall of it: tscope diff a b\n");
	/* A member of members is a column of its own; what nobody has is none; six digits of a fraction are shown. */
	assert_string_equal(
		brief("[{\"k\":\"u\",\"v\":{\"a\":0.123456789,\"b\":null},\"n_count\":0},{\"k\":\"w\",\"v\":{\"c\":[1,2]}}]", NULL),
		"k | v.a | v.c\nu | 0.123457 | -\nw | - | 1, 2\nall of it: tscope diff a b\n");
	assert_string_equal(brief("{\"experiments\":[{\"command\":\"tscope "
				  "x\"}],\"id\":\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}",
				  "analyze"),
			    "experiments:\n - command tscope x\nid: 0123456789abcdef\nall of it: tscope diff a b\n");
}

/* Whatever the size of a document, the sentence and what to run next stay, and no list is cut silently. */
static void test_cut(void **state)
{
	static char document[1 << 20];
	size_t n = (size_t)snprintf(document, sizeof document, "{\"rows\":[");
	const char *text;

	(void)state;
	for (int i = 0; i < 5000; i++)
		n += (size_t)snprintf(document + n, sizeof document - n, "%s{\"name\":\"run-%d\",\"say\":\"a text of some words, %d\"}",
				      i ? "," : "", i, i);
	(void)snprintf(document + n, sizeof document - n,
		       "],\"sentence\":\"they differ\",\"experiments\":[{\"command\":\"tscope y\"}]}");
	text = brief(document, NULL);
	assert_int_equal(strncmp(text, "sentence: they differ\n", 22), 0);
	assert_non_null(strstr(text, "command tscope y\n"));
	assert_non_null(strstr(text, " more)\n"));
	assert_non_null(strstr(text, "run-0"));
	assert_non_null(strstr(text, "all of it: tscope diff a b\n"));
}

/* Numbers take more tokens than words, so that few of their rows fit. The sentence beside them stays whole: here it is as long as that
 * of a gate of many metrics, in a list and in a member of a member. */
static void test_sentence_beside_numbers(void **state)
{
	static char document[1 << 16], sentence[1100];
	size_t n = 0, m = 0;
	const char *text;

	(void)state;
	for (int i = 0; i < 12; i++)
		m += (size_t)snprintf(sentence + m, sizeof sentence - m, "%smetric %d is %d.%d %% above what 5 baselines have",
				      i ? ", " : "", i, i, i);
	n = (size_t)snprintf(document, sizeof document, "{\"rows\":[");
	for (unsigned i = 0; i < 60; i++)
		n += (size_t)snprintf(document + n, sizeof document - n,
				      "%s{\"a\":\"-%u.%ue\",\"b\":\"-%u.%ue\",\"c\":\"-%u.%ue\",\"d\":\"-%u.%ue\",\"e\":\"-%u.%ue\"}",
				      i ? "," : "", i % 7, i, i % 5, 2 * i, i % 3, i + 9, i % 9, i + 7, i % 8, i + 5);
	(void)snprintf(document + n, sizeof document - n, "],\"diagnosis\":{\"sentence\":\"%s\"},\"sentences\":[\"%s\"]}", sentence,
		       sentence);
	text = brief(document, "analyze");
	assert_non_null(strstr(text, " more)\n"));
	assert_int_equal(strncmp(text, "sentences:\n - ", 14), 0);
	assert_int_equal(strncmp(text + 14, sentence, m), 0);
	assert_non_null(strstr(text + 14 + m, sentence));
	assert_non_null(strstr(text, "all of it: tscope diff a b\n"));
}

/* Where even the shortest form is too long, whole lines are kept, and the brief says that there was more. */
static void test_too_many_members(void **state)
{
	static const char *const names[] = {
		"confidence",	"cause",    "reason", "lost",	"bound",  "diagnosis", "findings", "first", "warnings",
		"evidence_for", "evidence", "tiers",  "detail", "advice", "shares",    "metrics",  "why",   "rates",
	};
	static char document[1 << 16];
	size_t n = (size_t)snprintf(document, sizeof document, "{\"sentence\":\"they differ\"");
	const char *text;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		n += (size_t)snprintf(document + n, sizeof document - n, ",\"%s\":\"%0110d\"", names[i], 0);
	(void)snprintf(document + n, sizeof document - n, "}");
	text = brief(document, NULL);
	assert_int_equal(strncmp(text, "sentence: they differ\n", 22), 0);
	assert_non_null(strstr(text, "0\n(what comes after this is left out)\nall of it: tscope diff a b\n"));
}

/* Members that no rule names are left out of what is still too long, and counted. */
static void test_members_left_out(void **state)
{
	static char document[1 << 16];
	size_t n = (size_t)snprintf(document, sizeof document, "{\"sentence\":\"they differ\"");

	(void)state;
	for (int i = 0; i < 60; i++)
		n += (size_t)snprintf(document + n, sizeof document - n, ",\"member_%d\":\"%0100d\"", i, i);
	(void)snprintf(document + n, sizeof document - n, "}");
	assert_string_equal(brief(document, NULL), "sentence: they differ\n(60 more)\nall of it: tscope diff a b\n");
}

/* A sentence whose bytes are a token each does not fit beside a long command: as much of it stays as fits, in whole letters. */
static void test_sentence_of_many_tokens(void **state)
{
	static const char *const letters[] = {"\xe6\xbc\xa2", "7"};
	static char document[4096], sentence[1201], command[400];
	const char *text, *end;

	(void)state;
	memset(command, '8', sizeof command - 1);
	for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
		size_t n = 0;

		while (n + strlen(letters[i]) < sizeof sentence)
			n += (size_t)snprintf(sentence + n, sizeof sentence - n, "%s", letters[i]);
		(void)snprintf(document, sizeof document, "{\"verdict\":\"differ\",\"sentence\":\"%s\",\"rows\":[1,2]}", sentence);
		text = brief_of(document, command, command);
		assert_int_equal(strncmp(text, "verdict: differ\nsentence: ", 26), 0);
		end = strstr(text, "...\n(what comes after this is left out)\nnext: 888");
		assert_non_null(end);
		assert_true(end - text > 26 + 800);
		assert_int_equal((size_t)(end - text - 26) % strlen(letters[i]), 0);
		assert_int_equal(strncmp(text + 26, sentence, (size_t)(end - text - 26)), 0);
	}
}

/* What is escaped takes four bytes for one, and the brief has its bounds all the same (brief_of asks for them). */
static void test_command_of_control_characters(void **state)
{
	static char command[301];
	const char *text;

	(void)state;
	memset(command, 1, sizeof command - 1);
	text = brief_of("{\"sentence\":\"they differ\"}", command, command);
	assert_int_equal(strncmp(text, "sentence: they differ\nnext: \\x01", 32), 0);
	assert_non_null(strstr(text, "...\nall of it: \\x01"));
}

static void test_no_document(void **state)
{
	struct ts_buf out = TS_BUF_INIT(1000);
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(ts_brief(ts_span_str("{\"a\":"), "x", NULL, &arena, &out, &err), TS_INVALID);
	assert_int_equal(ts_brief(ts_span_str(" "), "x", NULL, &arena, &out, &err), TS_INVALID);
	ts_arena_finish(&arena);
	ts_buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_sentence_beside_numbers),
		cmocka_unit_test(test_too_many_members),
		cmocka_unit_test(test_members_left_out),
		cmocka_unit_test(test_sentence_of_many_tokens),
		cmocka_unit_test(test_command_of_control_characters),
		cmocka_unit_test(test_no_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
