/* Logs that several processes print into: whose each line is, and what looks like a rank and is none. */
#include "ingest/core/test_support.h"
#include "ingest/text/text_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { STEPS = 12, RANKS = 3, TEXT_MAX = 16384 };

/* Appends the form with numbers in place of '%': the rank, the step and 1000 times the loss. */
static size_t put_line(char *out, const char *form, const int numbers[3])
{
	size_t n = 0, k = 0;

	for (; *form; form++)
		if (*form == '%' && k < 3)
			n += (size_t)snprintf(out + n, 16, "%d", numbers[k++]);
		else
			out[n++] = *form;
	out[n++] = '\n';
	out[n] = '\0';
	return n;
}

/* The log that three ranks print, whose lines stand in another order at each step, or one rank's behind the other's. */
static void write_log(struct test_run *t, const char *form, bool blocks)
{
	static char text[TEXT_MAX];
	size_t n = 0;

	for (int i = 0; i < STEPS * RANKS; i++) {
		int step = blocks ? i % STEPS : i / RANKS, rank = blocks ? i / STEPS : (i + step) % RANKS;
		const int numbers[] = {rank, step + 1, 900 + 10 * rank - step};

		n += put_line(text + n, form, numbers);
	}
	test_write(t, "a.log", text);
}

static const char check[] = "rows = [json.loads(line) for line in open(sys.argv[2])]\n"
			    "got = {(r['rank'], r['step']): r['scalars']['loss'] for r in rows}\n"
			    "want = {(k, s + 1): (900 + 10 * k - s) / 1000 for k in range(3) for s in range(12)}\n"
			    "assert got == want, got\n";

static void each_rank_has_its_steps(void **state)
{
	static const char *const forms[] = {
		"[rank%]: step % loss 0.% lr 0.1",
		"[default%]:step % loss 0.% lr 0.1",
		"%: step % loss 0.% lr 0.1",
		" %: 10:00:00 | INFO | iter %: loss 0.%, time 12.50ms",
		"[1,%]<stdout>: Step=% Loss=0.% lr=0.1",
		"[worker%]: step % loss 0.% lr 0.1",
		"2026-11-20 10:00:00,123 INFO [Rank %] step % loss 0.% lr 0.1",
		"[rank: %] step % loss 0.% lr 0.1",
		"RANK %: step % loss 0.% lr 0.1",
		"[GPU%] step % loss 0.% lr 0.1",
		"rank=% step=% loss=0.% lr=0.1",
		"[%] iter %: loss 0.%, time 12.50ms",
		"(rank %) iteration %/ 100 | lm loss: 0.% | grad norm: 1.5 |",
		"%: iteration %/ 100 | lm loss: 0.% | grad norm: 1.5 |",
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof forms / sizeof forms[0]; i++) {
		struct test_run t;
		char path[256];

		test_run_init(&t);
		write_log(&t, forms[i / 2], i % 2);
		(void)snprintf(path, sizeof path, "%s/a.log", t.base);
		if (test_ingest_path(&t, path))
			fail_msg("%s: %s", forms[i / 2], t.err.text);
		if (t.result.n_ranks != RANKS || ts_notices_skipped(&t.result.notices))
			fail_msg("%s: %zu ranks", forms[i / 2], t.result.n_ranks);
		test_script(&t, check, "x", NULL, "x");
		test_run_finish(&t);
	}
}

/* Two nodes of two: both have a default0 and a default1. A prefix of srun before the same number is one of the rank itself. */
static void nodes_are_counted(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"0: [default0]: iteration 1/ 9 | lm loss: 1 |\n0: [default1]: iteration 1/ 9 | lm loss: 2 |\n"
		 "1: [default0]: iteration 1/ 9 | lm loss: 3 |\n1: [default1]: iteration 1/ 9 | lm loss: 4 |\n",
		 "0 1.0|1 2.0|2 3.0|3 4.0"},
		{"0: [rank0]: iteration 1/ 9 | lm loss: 1 |\n5: [rank5]: iteration 1/ 9 | lm loss: 2 |\n", "0 1.0|5 2.0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;

		test_run_init(&t);
		assert_int_equal(test_ingest_text(&t, "a.log", cases[i].text), TS_OK);
		test_script(&t,
			    "got = '|'.join('%d %s' % (r['rank'], r['scalars']['loss']) for r in map(json.loads, open(sys.argv[2])))\n"
			    "assert got == sys.argv[1], got\n",
			    cases[i].want, NULL, "x");
		test_run_finish(&t);
	}
}

#define TIMES5(f, a) f(a##0) f(a##1) f(a##2) f(a##3) f(a##4)
#define COUNTED(n) #n ": step " #n " loss 2." #n " lr 0.1\n"
#define OF_EPOCH(n) "[epoch" #n "]: step " #n "0 loss 2." #n "\n[epoch" #n "]: step " #n "5 loss 2." #n "\n"
#define OF_RANK(n) "mean rank " #n "9, step " #n ", loss 2." #n ", lr 0.1\n"
#define NO_STEP(n) #n ": {'loss': 2." #n ", 'learning_rate': 0.1}\n"
#define OF_FOLD(f, n) "[fold" #f "]: step " #n " loss 2." #n "\n"
#define FOLD(f) OF_FOLD(f, 1) OF_FOLD(f, 2) OF_FOLD(f, 3) OF_FOLD(f, 4)
#define OF_RAY(n) "(W pid=70, ip=1.2.3.4) step " #n " loss 2." #n " lr 1\n(W pid=60) step " #n " loss 3." #n " lr 1\n"
#define BRACKET(n) "[" #n "] loss 2." #n " lr 0.1\n"
#define BOTH(n) "[rank0]: iter " #n ": loss 2." #n ", time 1ms\n[rank1]: iter " #n ": loss 3." #n ", time 1ms\n"

/* Numbers that count, words that tell other parts apart, and a line that lost its prefix. */
static void other_numbers_are_no_ranks(void **state)
{
	static const struct {
		const char *text;
		size_t ranks;
		uint64_t steps, other;
	} cases[] = {
		{TIMES5(COUNTED, 1) TIMES5(COUNTED, 2), 1, 10, 0},
		{TIMES5(OF_EPOCH, 1), 1, 10, 0},
		{TIMES5(OF_RANK, 1) TIMES5(OF_RANK, 2), 1, 10, 0},
		{TIMES5(NO_STEP, 1) TIMES5(NO_STEP, 2), 1, 10, 0},
		{FOLD(0) FOLD(1) FOLD(2), 1, 4, 8},
		{TIMES5(OF_RAY, 1) TIMES5(OF_RAY, 2), 1, 10, 10},
		{TIMES5(BRACKET, 1) TIMES5(BRACKET, 2) TIMES5(BRACKET, 3), 1, 15, 0},
		{TIMES5(BOTH, 1) "iter 14: loss 9.1, time 1ms\n" TIMES5(BOTH, 2), 2, 10, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;
		const struct ts_notice *other;

		test_run_init(&t);
		if (test_ingest_text(&t, "a.log", cases[i].text))
			fail_msg("%zu: %s", i, t.err.text);
		other = test_notice(&t, "other_rank");
		if (t.result.n_ranks != cases[i].ranks || t.result.steps != cases[i].steps ||
		    (other ? other->count : 0) != cases[i].other)
			fail_msg("%zu: %zu ranks, %d steps, %s", i, t.result.n_ranks, (int)t.result.steps, test_jsonl(&t));
		test_run_finish(&t);
	}
}

/* Each rank is restarted on its own, and has the columns that it prints. */
static void each_rank_has_its_order(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	assert_int_equal(test_ingest_text(&t, "a.log",
					  "[rank0]: step: 1  loss: 2.5\n[rank1]: step: 1  loss: 3.5  tps: 7\n"
					  "[rank0]: step: 2  loss: 2.25\n"
					  "[rank1]: step: 2  loss: 3.25  tps: 8\n[rank0]: step: 3  loss: 2\n"
					  "[rank1]: step: 2  loss: 3.125  tps: 9\n[rank1]: step: 1  loss: 3\n"),
			 TS_OK);
	assert_int_equal(t.result.n_ranks, 2);
	assert_int_equal(t.result.superseded, 2);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":2.5}}\n"
					    "{\"rank\":0,\"step\":2,\"scalars\":{\"loss\":2.25}}\n"
					    "{\"rank\":0,\"step\":3,\"scalars\":{\"loss\":2.0}}\n"
					    "{\"rank\":1,\"step\":1,\"scalars\":{\"loss\":3.0}}\n");
	test_round_trip(&t);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rank_has_its_steps),
		cmocka_unit_test(nodes_are_counted),
		cmocka_unit_test(other_numbers_are_no_ranks),
		cmocka_unit_test(each_rank_has_its_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
