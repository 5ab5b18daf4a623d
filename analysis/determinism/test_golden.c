/* test_golden.c - golden records as they are read and written, NVIDIA's among them, and what is called like what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/determinism/likeness.h"

#include <math.h>
#include <stdlib.h>

enum { ARENA = 64 << 20 };

/* As files of Megatron-LM's functional tests are. */
static const char nvidia[] =
	"{\"lm loss\": {\"start_step\": 1, \"end_step\": 4, \"step_interval\": 1, \"values\": "
	"{\"1\": 10.48367, \"2\": 10.48426, \"3\": 10.48254, \"4\": 10.48311}}, "
	"\"num-zeros\": {\"start_step\": 1, \"end_step\": 2, \"step_interval\": 1, \"values\": {\"1\": 2570.0, \"2\": 1923.0}}, "
	"\"iteration-time\": {\"start_step\": 1, \"end_step\": 2, \"step_interval\": 1, \"values\": {\"1\": \"nan\", \"2\": 1.03}}}";

struct seen {
	struct ts_arena arena;
	struct ts_golden golden;
	struct ts_error err;
};

static enum ts_status read_text(struct seen *s, const char *text)
{
	ts_arena_init(&s->arena, ARENA);
	return ts_golden_parse(ts_span_str(text), &s->arena, &s->golden, &s->err);
}

/* A run that logs what the file of NVIDIA has, in double, under our names. */
static void run_like_nvidia(struct ts_golden *run, struct ts_golden_series series[2], struct ts_golden_value values[6], double last)
{
	const double losses[] = {10.483671, 10.484258, 10.482543, last}, zeros[] = {2570, 1923};

	for (int i = 0; i < 4; i++)
		values[i] = (struct ts_golden_value){.step = i + 1, .real = losses[i]};
	for (int i = 0; i < 2; i++)
		values[4 + i] = (struct ts_golden_value){.step = i + 1, .real = zeros[i]};
	series[0] = (struct ts_golden_series){.name = ts_span_str("scalars.loss"), .values = values, .n = 4};
	series[1] = (struct ts_golden_series){.name = ts_span_str("scalars.num_zeros"), .values = values + 4, .n = 2};
	*run = (struct ts_golden){.series = series, .n = 2};
}

static struct ts_likeness compare(const struct ts_golden *a, const struct ts_golden *b, const char *profile, const double *limits)
{
	static struct ts_arena arena;
	struct ts_likeness like;
	struct ts_error err;

	ts_arena_finish(&arena);
	ts_arena_init(&arena, ARENA);
	assert_int_equal(ts_likeness_of(a, b, ts_profile_find(ts_span_str(profile)), limits, &arena, &like, &err), TS_OK);
	return like;
}

static void test_nvidia(void **state)
{
	struct ts_golden_series series[2];
	struct ts_golden_value values[6];
	struct ts_golden run;
	struct ts_likeness like;
	struct seen s;

	(void)state;
	assert_int_equal(read_text(&s, nvidia), TS_OK);
	assert_true(s.golden.nvidia);
	assert_int_equal(s.golden.n, 3);
	assert_int_equal(s.golden.series[2].n_empty, 1);
	run_like_nvidia(&run, series, values, 10.483113);
	like = compare(&s.golden, &run, "bitwise", NULL);
	assert_int_equal(like.proof, TS_PROOF_GREEN); /* the time of a step is no number of the training */
	assert_int_equal(like.points, 6);
	/* In the fifth decimal: Megatron's exact comparison refuses it, and its approximate one does not. */
	run_like_nvidia(&run, series, values, 10.48312);
	like = compare(&s.golden, &run, "bitwise", NULL);
	assert_int_equal(like.proof, TS_PROOF_RED);
	assert_int_equal(like.step, 4);
	assert_int_equal(compare(&s.golden, &run, "bf16", NULL).proof, TS_PROOF_GREEN);
	/* A step that the run lacks. */
	series[0].n = 3;
	like = compare(&s.golden, &run, "bitwise", NULL);
	assert_int_equal(like.proof, TS_PROOF_UNPROVED);
	assert_int_equal(like.no_points, 1);
	/* A series that it lacks. */
	run_like_nvidia(&run, series, values, 10.483113);
	run.n = 1;
	like = compare(&s.golden, &run, "bitwise", NULL);
	assert_int_equal(like.proof, TS_PROOF_UNPROVED);
	assert_int_equal(like.no_series, 1);
	ts_arena_finish(&s.arena);
}

static void test_own(void **state)
{
	struct ts_golden_value loss[] = {{.step = 0, .real = 0.1}, {.step = 1, .real = nextafter(0.1, 1)}, {.step = 2, .real = 1e-300}};
	struct ts_golden_value digests[] = {{.step = 0, .word = 0x0123456789abcdef}, {.step = 2, .word = 1}};
	struct ts_golden_series series[] = {{.name = ts_span_str("scalars.loss"), .values = loss, .n = 3},
					    {.name = ts_span_str("digests.params"), .digest = true, .values = digests, .n = 2}};
	struct ts_golden_accepted accepted[20];
	struct ts_golden golden = {.series = series, .n = 2, .accepted = accepted, .n_accepted = 20};
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_likeness like;
	struct seen s;

	(void)state;
	for (size_t i = 0; i < 20; i++)
		accepted[i] =
			(struct ts_golden_accepted){.by = ts_span_str("ada"), .why = ts_span_str(i == 19 ? "the \"last\"" : "one")};
	assert_int_equal(ts_golden_print(&golden, &out, &s.err), TS_OK);
	ts_buf_u8(&out, 0);
	assert_int_equal(read_text(&s, (const char *)out.data), TS_OK);
	assert_int_equal(s.golden.n_accepted, TS_GOLDEN_ACCEPTED);
	assert_true(ts_span_is(s.golden.accepted[TS_GOLDEN_ACCEPTED - 1].why, "the \"last\""));
	like = compare(&golden, &s.golden, "bitwise", NULL);
	assert_int_equal(like.proof, TS_PROOF_GREEN); /* every bit came back */
	assert_int_equal(like.points, 5);
	/* One unit in the last place. */
	s.golden.series[0].values[1].real = 0.1;
	like = compare(&golden, &s.golden, "bitwise", NULL);
	assert_int_equal(like.proof, TS_PROOF_RED);
	assert_int_equal(like.step, 1);
	assert_int_equal(compare(&golden, &s.golden, "float32", NULL).proof, TS_PROOF_GREEN);
	/* A digest alone: no number shows it. */
	s.golden.series[0].values[1].real = loss[1].real;
	s.golden.series[1].values[1].word = 2;
	assert_int_equal(compare(&golden, &s.golden, "bitwise", NULL).proof, TS_PROOF_RED);
	assert_int_equal(compare(&golden, &s.golden, "float32", NULL).proof, TS_PROOF_GREEN);
	/* And digests alone are no proof within a tolerance. */
	golden.series = &series[1];
	golden.n = 1;
	assert_int_equal(compare(&golden, &s.golden, "float32", NULL).proof, TS_PROOF_UNPROVED);
	ts_arena_finish(&s.arena);
	ts_buf_finish(&out);
}

/* Within three times of what repeats differ by. */
static void test_repeats(void **state)
{
	struct ts_golden_value a[] = {{.step = 0, .real = 1.0}}, b[] = {{.step = 0, .real = 1.001}},
			       c[] = {{.step = 0, .real = 1.0025}}, d[] = {{.step = 0, .real = 1.004}};
	struct ts_golden_value *const all[] = {a, b, c, d};
	struct ts_golden_series series[4];
	struct ts_golden runs[4];
	double limit = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		series[i] = (struct ts_golden_series){.name = ts_span_str("scalars.loss"), .values = all[i], .n = 1};
		runs[i] = (struct ts_golden){.series = &series[i], .n = 1};
	}
	ts_likeness_widen(&runs[0], &runs[1], &limit);
	assert_true(fabs(limit - 0.001 / 1.001) < 1e-12);
	assert_int_equal(compare(&runs[0], &runs[2], "repeats", &limit).proof, TS_PROOF_GREEN);
	assert_int_equal(compare(&runs[0], &runs[3], "repeats", &limit).proof, TS_PROOF_RED);
}

/* A series of n steps from 1 on, each of which has 2, and a run's, of which the first `bad` steps have so many times as much. */
struct pair {
	struct ts_golden_value golden_values[128], seen_values[128];
	struct ts_golden_series golden, seen;
};

static struct ts_likeness by_megatron(struct pair *p, const char *name, int64_t n, int64_t bad, double ratio, const char *profile)
{
	struct ts_golden golden = {.nvidia = true, .series = &p->golden, .n = 1}, seen = {.series = &p->seen, .n = 1};

	for (int64_t i = 0; i < n; i++) {
		p->golden_values[i] = (struct ts_golden_value){.step = i + 1, .real = 2};
		p->seen_values[i] = (struct ts_golden_value){.step = i + 1, .real = i < bad ? 2 * ratio : 2};
	}
	p->golden = (struct ts_golden_series){.name = ts_span_str(name), .rounded = true, .values = p->golden_values, .n = (size_t)n};
	p->seen = (struct ts_golden_series){.name = ts_span_str(name), .values = p->seen_values, .n = (size_t)n};
	return compare(&golden, &seen, profile, NULL);
}

/* Times of steps 51 to 56, the first `bad` nine times as long: the first four are compared, since none is from 30 to 45. */
static enum ts_proof of_late_steps(int64_t bad)
{
	struct ts_golden golden, seen;
	struct pair p;

	(void)by_megatron(&p, "iteration-time", 56, 50 + bad, 9, "megatron");
	p.golden.values += 50;
	p.golden.n = 6;
	golden = (struct ts_golden){.nvidia = true, .series = &p.golden, .n = 1};
	seen = (struct ts_golden){.series = &p.seen, .n = 1};
	return compare(&golden, &seen, "megatron", NULL).proof;
}

/* What Megatron-LM's tests answer, worked out by hand from their rules (megatron.h). */
static void test_megatron(void **state)
{
	static const char exact[] = "megatron", approximate[] = "megatron-approximate";
	struct pair p;
	struct ts_likeness like;

	(void)state;
	/* To five decimals, and every step. */
	assert_int_equal(by_megatron(&p, "lm loss", 100, 100, 1 + 2e-6, exact).proof, TS_PROOF_GREEN);
	like = by_megatron(&p, "lm loss", 100, 1, 1 + 4e-6, exact);
	assert_int_equal(like.proof, TS_PROOF_RED);
	assert_int_equal(like.step, 1);
	assert_true(ts_span_is(by_megatron(&p, "lm loss", 1, 1, 1, exact).sentence, "1 value of 1 series passes"));
	assert_true(ts_span_is(by_megatron(&p, "lm loss", 2, 2, 1, exact).sentence, "2 values of 1 series pass"));
	/* To 5 % of the golden value, but for one step in a hundred, at least one. */
	assert_int_equal(by_megatron(&p, "lm loss", 100, 100, 1.0499, approximate).proof, TS_PROOF_GREEN);
	like = by_megatron(&p, "lm loss", 100, 1, 9, approximate);
	assert_int_equal(like.proof, TS_PROOF_GREEN);
	assert_int_equal(like.let, 1);
	assert_int_equal(by_megatron(&p, "lm loss", 100, 2, 1.051, approximate).proof, TS_PROOF_RED);
	assert_int_equal(by_megatron(&p, "lm loss", 2, 1, 9, approximate).proof, TS_PROOF_GREEN);
	assert_int_equal(by_megatron(&p, "lm loss", 1, 1, 9, approximate).proof, TS_PROOF_RED);
	/* Memory is compared approximately in both ways; of times the median of the steady steps, which are 5 to 20 of 25. */
	assert_int_equal(by_megatron(&p, "mem-allocated-bytes", 100, 100, 1.04, exact).proof, TS_PROOF_GREEN);
	assert_int_equal(by_megatron(&p, "mem-allocated-bytes", 100, 100, 1.06, exact).proof, TS_PROOF_RED);
	assert_int_equal(by_megatron(&p, "iteration-time", 25, 11, 9, exact).proof, TS_PROOF_GREEN); /* seven of 16 */
	assert_int_equal(by_megatron(&p, "iteration-time", 25, 13, 9, exact).proof, TS_PROOF_RED);
	assert_int_equal(by_megatron(&p, "iteration-time", 26, 13, 9, exact).proof, TS_PROOF_UNPROVED); /* it has no step from 30 on */
	assert_int_equal(of_late_steps(1), TS_PROOF_GREEN);
	assert_int_equal(of_late_steps(3), TS_PROOF_RED);
	assert_int_equal(by_megatron(&p, "num-zeros", 100, 100, 1.19, approximate).proof, TS_PROOF_GREEN);
	assert_int_equal(by_megatron(&p, "num-zeros", 100, 100, 1.21, approximate).proof, TS_PROOF_RED);
	assert_int_equal(by_megatron(&p, "iteration-time", 100, 29, 9, exact).proof, TS_PROOF_GREEN);
	/* A run's own series, held against those of another run, go by the same rules. */
	assert_int_equal(by_megatron(&p, "scalars.mem-allocated-bytes", 100, 100, 1.04, exact).proof, TS_PROOF_GREEN);
	assert_int_equal(by_megatron(&p, "scalars.iteration_time", 25, 11, 9, exact).proof, TS_PROOF_GREEN);
	assert_int_equal(by_megatron(&p, "scalars.num_zeros", 100, 100, 1.19, approximate).proof, TS_PROOF_GREEN);
	/* No step took what a median is. */
	like = by_megatron(&p, "iteration-time", 25, 13, 9, exact);
	assert_true(ts_span_has(
		like.sentence, ts_span_str("the median of iteration-time over the steps that count, from step 5 on, is 2 against 18")));
}

/* A step without a value is like another one, and like nothing else. */
static void test_megatron_empty(void **state)
{
	struct ts_golden_value seen_values[] = {{.step = 1, .real = 2.5}, {.step = 2, .real = 0.015625}, {.step = 4, .real = 2}};
	struct ts_golden_series series = {.name = ts_span_str("scalars.loss"), .values = seen_values, .n = 3};
	struct ts_golden seen = {.series = &series, .n = 1};
	struct ts_likeness like;
	struct seen s;

	(void)state;
	assert_int_equal(read_text(&s, "{\"lm loss\": {\"start_step\": 1, \"end_step\": 3, \"step_interval\": 1, \"values\": "
				       "{\"1\": 2.5, \"2\": 0.01562, \"3\": \"nan\"}}}"), /* half of a decimal goes to the even one */
			 TS_OK);
	assert_int_equal(compare(&s.golden, &seen, "megatron", NULL).proof, TS_PROOF_GREEN);
	assert_int_equal(compare(&s.golden, &seen, "bitwise", NULL).proof, TS_PROOF_UNPROVED);
	seen_values[2].step = 3;
	like = compare(&s.golden, &seen, "megatron", NULL);
	assert_int_equal(like.proof, TS_PROOF_RED);
	assert_int_equal(like.step, 3);
	/* In doubles 2 / 3 is less than 1 - 1 / 3, so of three steps none is let pass. */
	assert_int_equal(compare(&s.golden, &seen, "megatron-approximate", NULL).proof, TS_PROOF_RED);
	series.n = 1;
	assert_int_equal(compare(&s.golden, &seen, "megatron", NULL).proof, TS_PROOF_RED); /* step 2 is not there */
	seen_values[0].real = NAN;
	series.n = 2;
	assert_int_equal(compare(&s.golden, &seen, "megatron", NULL).proof, TS_PROOF_RED);
	seen.n = 0;
	assert_int_equal(compare(&s.golden, &seen, "megatron", NULL).proof, TS_PROOF_UNPROVED);
	ts_arena_finish(&s.arena);
}

/* Of steps 1, 5, 10 to 995 the tests of Megatron-LM count 994 / 5 + 1, so one of 200 values may differ, and not two. */
static void test_megatron_interval(void **state)
{
	static const char begin[] = "{\"lm loss\": {\"start_step\": 1, \"end_step\": 995, \"step_interval\": 5, \"values\": {\"1\": 2";
	struct ts_buf text = TS_BUF_INIT(1 << 16);
	struct ts_golden_value seen_values[200];
	struct ts_golden_series series = {.name = ts_span_str("lm loss"), .values = seen_values, .n = 200};
	const struct ts_golden seen = {.series = &series, .n = 1};
	struct seen s;

	(void)state;
	ts_buf_str(&text, begin);
	for (int i = 0; i < 200; i++) {
		seen_values[i] = (struct ts_golden_value){.step = i ? 5 * i : 1, .real = i == 50 ? 9 : 2};
		if (i)
			ts_buf_printf(&text, ", \"%d\": 2", 5 * i);
	}
	ts_buf_str(&text, "}}}");
	ts_buf_char(&text, '\0');
	assert_int_equal(read_text(&s, (const char *)text.data), TS_OK);
	assert_int_equal(compare(&s.golden, &seen, "megatron-approximate", NULL).proof, TS_PROOF_GREEN);
	seen_values[60].real = 9;
	assert_int_equal(compare(&s.golden, &seen, "megatron-approximate", NULL).proof, TS_PROOF_RED);
	ts_buf_finish(&text);
	ts_arena_finish(&s.arena);
}

/* A file of torchtitan: comments, names, and numbers with the digits of a float of 32 bits. */
static void test_lines(void **state)
{
	struct ts_golden_value loss[] = {{.step = 1, .real = 8.0239696502685546875}, {.step = 2, .real = 7.69595909118652343750}};
	struct ts_golden_series series = {.name = ts_span_str("scalars.loss"), .values = loss, .n = 2};
	const struct ts_golden run = {.series = &series, .n = 1};
	struct seen s;

	(void)state;
	assert_int_equal(read_text(&s, "1 8.023969650268555\n2 7.695959091186523\n"), TS_OK);
	assert_int_equal(s.golden.n, 1);
	assert_int_equal(compare(&s.golden, &run, "bitwise", NULL).proof, TS_PROOF_GREEN);
	loss[1].real = nextafterf(7.695959091186523F, 8);
	assert_int_equal(compare(&s.golden, &run, "bitwise", NULL).proof, TS_PROOF_RED);
	ts_arena_finish(&s.arena);
	assert_int_equal(read_text(&s, "# ngpu: 8\n# step loss grad_norm\n\n1 8.5 1.25\n2 nan 1.5\n"), TS_OK);
	assert_int_equal(s.golden.n, 2);
	assert_true(ts_span_is(s.golden.series[1].name, "grad_norm"));
	assert_int_equal(s.golden.series[0].n, 1);
	assert_int_equal(s.golden.series[0].n_empty, 1);
	assert_true(s.golden.series[1].values[1].real == 1.5);
	ts_arena_finish(&s.arena);
}

static void test_hostile(void **state)
{
	static const char *const bad[] = {
		"",
		"[]",
		"{}",
		"{\"tscope_golden\": 2, \"series\": {}}",
		"{\"tscope_golden\": 1}",
		"{\"loss\": 1}",
		"{\"loss\": {}}",
		"{\"loss\": {\"values\": {\"x\": 1}}}",
		"{\"loss\": {\"values\": {\"1\": 1}, \"end_step\": \"1\"}}",
		"{\"loss\": {\"values\": {\"1\": []}}}",
		"{\"loss\": {\"values\": {\"1\": 1, \"1\": 2}}}",
		"{\"loss\": {\"values\": {\"1\": 1, \"2\": \"0123456789abcdef\"}}}",
		"{\"loss\": {\"values\": {\"1\": 1}}} {}",
		"{\"loss\": {\"values\": {\"1\": 1}}, \"loss\": {\"values\": {\"1\": 1}}}",
		"# step loss\n",
		"1\n",
		"1 2.5 3.5\n",
		"1 2.5\n1 2.5\n",
		"2 2.5\n1 2.5\n",
		"1 2.5\n2 x\n",
		"1.5 2.5\n",
		"# step loss loss\n1 2 3\n",
		"# step lo\xffss\n1 2\n",
		"1 1e999\n",
	};
	struct ts_golden_value *values = calloc(8000, sizeof *values);
	struct ts_golden_series series = {.name = ts_span_str("scalars.loss"), .values = values, .n = 8000};
	struct ts_golden golden = {.series = &series, .n = 1};
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct seen s;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		if (read_text(&s, bad[i]) != TS_INVALID)
			fail_msg("'%s' was read", bad[i]);
		ts_arena_finish(&s.arena);
	}
	for (int i = 0; i < 8000; i++)
		values[i] = (struct ts_golden_value){.step = i, .real = i};
	assert_int_equal(ts_golden_print(&golden, &out, &s.err), TS_TOO_LARGE);
	ts_buf_finish(&out);
	free(values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nvidia),	       cmocka_unit_test(test_own),
		cmocka_unit_test(test_repeats),	       cmocka_unit_test(test_megatron),
		cmocka_unit_test(test_megatron_empty), cmocka_unit_test(test_megatron_interval),
		cmocka_unit_test(test_lines),	       cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
