/* What of a record is not as it was: one thing of each kind, what is no difference, and what a record lacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "cli/why/why_record.h"

enum { FACTS = 16 };

struct record {
	struct ts_fact items[FACTS];
	size_t n;
};

static const struct ts_facts *facts_of(struct record *r)
{
	static struct ts_facts facts[2];
	static size_t turn;
	struct ts_facts *of = &facts[turn++ % 2];

	*of = (struct ts_facts){r->items, r->n, FACTS};
	r->n -= ts_facts_sort(of);
	return of;
}

static void put(struct record *r, const char *path, const char *text)
{
	assert_true(r->n < FACTS);
	r->items[r->n++] = (struct ts_fact){
		.path = ts_span_str(path), .type = TS_FACT_TEXT, .source = TS_SOURCE_RUN_JSON, .text = ts_span_str(text)};
}

/* A record that lacks nothing, in the repository /home/a/repo, with these variables and files. */
static struct record record(const char *top, const char *variables, const char *files)
{
	struct record r = {.n = 0};

	put(&r, "code.commit", "c0ffee");
	put(&r, "hardware.machine", "x86_64");
	put(&r, "session.command", "python train.py --config /home/a/one.json");
	put(&r, "session.environment", variables);
	put(&r, "session.environment_key", "0011223344556677");
	put(&r, "session.files_read.count", "1");
	put(&r, "session.files_read.list", files);
	put(&r, "session.packages.list", "numpy==2.4\ntorch==2.13\ntscope_ml==1.0\n");
	put(&r, "session.working_directory", top);
	return r;
}

static void expect(struct record *a, struct record *b, const char *const *want)
{
	struct ts_why_things things;
	struct ts_arena arena;
	struct ts_error err;
	size_t n = 0;

	ts_arena_init(&arena, 1 << 22);
	assert_int_equal(ts_why_apart(facts_of(a), facts_of(b), &arena, &things, &err), TS_OK);
	for (; want[n]; n++) {
		assert_true(n < things.n);
		assert_string_equal(ts_why_thing_text(&things.items[n], &arena), want[n]);
	}
	assert_int_equal(things.n, n);
	ts_arena_finish(&arena);
}

static void test_apart(void **state)
{
	struct record a = record(
		"/home/a/repo", "GAIN 00000000000000aa\nHOME 00000000000000bb\n",
		"1111111111111111 10 /data/x y.bin\n2222222222222222 5 /home/a/one.json\n3333333333333333 7 /home/a/repo/in/z\n");
	struct record same = record("/state/worktree", "GAIN 00000000000000aa\nHOME 00000000000000bb\n",
				    "1111111111111111 10 /data/x y.bin\n3333333333333333 7 /state/worktree/in/z\n");
	struct record other =
		record("/state/worktree", "HOME 00000000000000cc\nNEW 0000000000000001\n",
		       "4444444444444444 10 /data/x y.bin\n5555555555555555 1 /data/more\n3333333333333333 7 /state/worktree/in/z\n");

	(void)state;
	expect(&a, &a, (const char *const[]){NULL});
	/* The worktree of a rerun is another folder, and the file that its command named is its own. */
	expect(&a, &same, (const char *const[]){NULL});
	expect(&a, &other,
	       (const char *const[]){"the variable GAIN", "the variable HOME", "the variable NEW", "the file /data/more",
				     "the file /data/x y.bin", NULL});
	put(&other, "hardware.gpu", "1");
	expect(&same, &other,
	       (const char *const[]){"the variable GAIN", "the variable HOME", "the variable NEW", "the file /data/more",
				     "the file /data/x y.bin", "hardware.gpu", NULL});
}

static void test_packages(void **state)
{
	struct record a = record("/r", "A 0\n", ""), b = a;

	(void)state;
	for (size_t i = 0; i < b.n; i++)
		if (ts_span_is(b.items[i].path, "session.packages.list"))
			b.items[i].text = ts_span_str("numpy==2.5\ntorch==2.13\ntscope_ml==2.0\n");
	expect(&a, &b, (const char *const[]){"the package numpy", NULL});
}

/* Digests under another key tell nothing, and a list that is not there is not an empty one. */
static void test_lacks(void **state)
{
	static const char *const needed[] = {"session.environment", "session.files_read.count", "session.packages.list", "code.commit",
					     "hardware.machine"};
	struct record a = record("/r", "A 0\n", ""), b = record("/r", "A 1\n", "");

	(void)state;
	assert_null(ts_why_record_lacks(facts_of(&a)));
	assert_true(ts_why_comparable(facts_of(&a), facts_of(&b)));
	for (size_t i = 0; i < b.n; i++)
		if (ts_span_is(b.items[i].path, "session.environment_key"))
			b.items[i].text = ts_span_str("8888888888888888");
	assert_false(ts_why_comparable(facts_of(&a), facts_of(&b)));
	expect(&a, &b, (const char *const[]){NULL});
	for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
		struct record less = a;

		for (size_t i = 0; i < less.n; i++)
			if (ts_span_is(less.items[i].path, needed[k]))
				less.items[i].path = ts_span_str("a.nother");
		assert_non_null(ts_why_record_lacks(facts_of(&less)));
	}
	put(&a, "session.files_read.left_out", "3");
	assert_non_null(ts_why_record_lacks(facts_of(&a)));
}

static void test_digest_of(void **state)
{
	const struct ts_span list = ts_span_str("GAIN 00aa\nGAIN2 00bb\n");

	(void)state;
	assert_true(ts_span_is(ts_trim(ts_why_digest_of(list, ts_span_str("GAIN2"))), "00bb"));
	assert_int_equal(ts_why_digest_of(list, ts_span_str("GAI")).len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_apart),
		cmocka_unit_test(test_packages),
		cmocka_unit_test(test_lacks),
		cmocka_unit_test(test_digest_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
