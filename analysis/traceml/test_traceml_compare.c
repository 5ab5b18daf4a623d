/* Tests TraceML's compare: its own answers for 96 pairs (tests/golden/traceml/compare.jsonl), its numbers, and the
 * differences that its rule does not report.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/traceml/traceml_compare.h"

#include "base/json_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 16384 };

struct test {
	struct ts_arena arena;
	struct ts_buf scratch, path;
	struct ts_error err;
};

static void start(struct test *t)
{
	ts_arena_init(&t->arena, 0);
	t->scratch = TS_BUF_INIT(LINE);
	t->path = TS_BUF_INIT(LINE);
}

static void stop(struct test *t)
{
	ts_arena_finish(&t->arena);
	ts_buf_finish(&t->scratch);
	ts_buf_finish(&t->path);
}

static void next(struct test *t, struct ts_json_reader *r, struct ts_json_token *token)
{
	if (ts_json_next(r, token, &t->err))
		fail_msg("%s", t->err.text);
}

static struct ts_fact fact_of(struct test *t, const struct ts_json_token *token)
{
	struct ts_fact f = {
		.type = TS_FACT_NULL, .source = TS_SOURCE_RUN_JSON, .path = ts_arena_span(&t->arena, ts_buf_view(&t->path))};

	if (token->type == TS_JSON_STRING) {
		f.type = TS_FACT_TEXT;
		f.text = ts_arena_span(&t->arena, token->text);
	} else if (token->type == TS_JSON_NUMBER && token->integer) {
		f.type = TS_FACT_INT;
		f.integer = (int64_t)token->number;
	} else if (token->type == TS_JSON_NUMBER) {
		f.type = TS_FACT_FLOAT;
		f.real = token->number;
	}
	return f;
}

/* Adds the rest of an object as facts below the path. */
static void flatten(struct test *t, struct ts_json_reader *r, struct ts_facts *facts)
{
	struct ts_json_token token;

	for (next(t, r, &token); token.type == TS_JSON_KEY; next(t, r, &token)) {
		size_t len = t->path.len;

		ts_path_key(&t->path, token.text);
		next(t, r, &token);
		if (token.type == TS_JSON_OBJECT) {
			flatten(t, r, facts);
		} else {
			struct ts_fact f = fact_of(t, &token);

			assert_int_equal(ts_facts_add(facts, &f, &t->arena, &t->err), TS_OK);
		}
		t->path.len = len;
	}
	assert_int_equal(token.type, TS_JSON_END);
}

/* Reads a summary from its JSON. */
static struct ts_traceml_summary summary(struct test *t, struct ts_span json)
{
	struct ts_facts facts = {.n = 0};
	struct ts_traceml_summary s;
	struct ts_json_reader r;
	struct ts_json_token token;

	ts_buf_reset(&t->path);
	ts_buf_str(&t->path, "other.traceml");
	ts_json_reader_init(&r, json, &t->scratch);
	next(t, &r, &token);
	flatten(t, &r, &facts);
	(void)ts_facts_sort(&facts);
	assert_true(ts_traceml_summary_of(&facts, &s));
	return s;
}

static struct ts_traceml_comparison compare(struct test *t, struct ts_span a, struct ts_span b)
{
	struct ts_traceml_summary sa = summary(t, a), sb = summary(t, b);
	struct ts_traceml_comparison c;

	assert_int_equal(ts_traceml_compare(&sa, &sb, &t->arena, &c, &t->err), TS_OK);
	return c;
}

/* --- the 96 cases --- */

static void put_number(struct ts_buf *out, const char *key, struct ts_traceml_number n)
{
	if (n.known)
		ts_buf_printf(out, " %s %.12g", key, n.value);
	else
		ts_buf_printf(out, " %s null", key);
}

static const char *or_null(const char *word)
{
	return word ? word : "null";
}

static void ours(struct ts_buf *out, const struct ts_traceml_comparison *c)
{
	const struct ts_traceml_finding *f = &c->findings[0];

	ts_buf_printf(out, "status %s outcome %s severity %s primary_domain %s primary_metric %s",
		      ts_traceml_verdict_word(f->verdict), ts_traceml_outcome(f->verdict), f->severity, f->domain,
		      or_null(f->metric));
	ts_buf_str(out, " finding_priorities");
	for (size_t i = 0; i < c->n_findings; i++)
		ts_buf_printf(out, " %d", c->findings[i].priority);
	ts_buf_printf(out, " comparability %s %s %s clock %s", ts_traceml_state_word(c->overall),
		      ts_traceml_state_word(c->step_time), ts_traceml_state_word(c->step_memory),
		      or_null(ts_traceml_clock_name(c->clock)));
	put_number(out, "step_pct", c->step.pct);
	put_number(out, "mem_pct", c->memory.pct);
	ts_buf_printf(out, " warnings %d", c->warning.len > 0);
}

/* Writes the expected members in the same words and the same order. exit_code is left out, because it belongs to the
 * program. */
static void theirs(struct test *t, struct ts_buf *out, struct ts_span json)
{
	struct ts_json_reader r;
	struct ts_json_token token;
	const char *between = "";

	ts_json_reader_init(&r, json, &t->scratch);
	next(t, &r, &token);
	for (next(t, &r, &token); token.type != TS_JSON_EOF; next(t, &r, &token)) {
		if (token.type == TS_JSON_KEY &&
		    (ts_span_is(token.text, "id") || ts_span_is(token.text, "name") || ts_span_is(token.text, "exit_code"))) {
			assert_int_equal(ts_json_skip(&r, NULL, &t->err), TS_OK);
			continue;
		}
		if (token.type == TS_JSON_ARRAY || token.type == TS_JSON_END)
			continue;
		ts_buf_str(out, between);
		between = " ";
		if (token.type == TS_JSON_NUMBER)
			ts_buf_printf(out, "%.12g", token.number);
		else if (token.type == TS_JSON_NULL)
			ts_buf_str(out, "null");
		else
			ts_buf_span(out, token.text);
	}
}

static void one_case(struct test *t, struct ts_span line, struct ts_span *first)
{
	struct ts_span expected = {NULL, 0}, a = *first, b = {NULL, 0}, *to;
	struct ts_buf got = TS_BUF_INIT(4096), want = TS_BUF_INIT(4096);
	struct ts_traceml_comparison c;
	struct ts_json_reader r;
	struct ts_json_token token;

	ts_json_reader_init(&r, line, &t->scratch);
	next(t, &r, &token);
	for (next(t, &r, &token); token.type == TS_JSON_KEY; next(t, &r, &token)) {
		to = ts_span_is(token.text, "expected") ? &expected : ts_span_is(token.text, "a") ? &a : &b;
		assert_int_equal(ts_json_skip(&r, to, &t->err), TS_OK);
	}
	if (!first->data)
		*first = ts_arena_span(&t->arena, a);
	c = compare(t, a, b);
	ours(&got, &c);
	theirs(t, &want, expected);
	ts_buf_char(&got, '\0');
	ts_buf_char(&want, '\0');
	if (strcmp((char *)got.data, (char *)want.data) != 0)
		fail_msg("%.60s\nours   %s\ntheirs %s", (const char *)line.data, (char *)got.data, (char *)want.data);
	ts_buf_finish(&got);
	ts_buf_finish(&want);
}

static void agrees_with_every_case(void **state)
{
	FILE *f = fopen("tests/golden/traceml/compare.jsonl", "r");
	struct ts_span first = {NULL, 0};
	static char line[LINE];
	struct test t;
	size_t n = 0;

	(void)state;
	assert_non_null(f);
	start(&t);
	while (fgets(line, sizeof line, f)) {
		one_case(&t, ts_span_str(line), &first);
		n++;
	}
	assert_int_equal(n, 96);
	stop(&t);
	(void)fclose(f);
}

/* --- numbers: what Python 3.11 says of float(text) --- */

static void numbers_are_read_as_python_does(void **state)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {{"100.0", 100},	 {" 12\n", 12},	  {"+1.5", 1.5},    {"-2", -2},	       {".5", 0.5},
		    {"5.", 5},		 {"1_000", 1000}, {"007", 7},	    {"00.25", 0.25},   {"1e3", 1000},
		    {"1.E-2", 0.01},	 {"1E+2", 100},	  {"-.5e1", -5},    {"inf", INFINITY}, {"-Infinity", -INFINITY},
		    {"1e999", INFINITY}, {"0_1", 1},	  {"1_0.5_0", 10.5}};
	static const char *const bad[] = {"",	  " ",	 "slow", "1__0", "_1",	 "1_",	 "1e", "e5",	".",   "+",	"--1",
					  "0x10", "1,5", "1 2",	 "1._5", "1_.5", "nano", "in", "1.2.3", "+-1", "1e5.0", ".e1"};
	double got;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		if (!ts_traceml_float(ts_span_str(good[i].text), &got))
			fail_msg("'%s' is a number", good[i].text);
		if (!(got <= good[i].value && got >= good[i].value))
			fail_msg("'%s' is %.17g, not %.17g", good[i].text, good[i].value, got);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (ts_traceml_float(ts_span_str(bad[i]), &got))
			fail_msg("'%s' is no number", bad[i]);
	assert_true(ts_traceml_float(ts_span_str("NaN"), &got) && isnan(got));
}

/* --- what its rule passes over --- */

#define SUMMARY(step_status, worst, input, forward, memory, world)                                                             \
	"{\"schema_version\":1.7,\"meta\":{\"world_size\":" world                                                              \
	"},\"system\":{},\"process\":{},\"step_time\":{\"diagnosis\":"                                                         \
	"{\"status\":\"" step_status                                                                                           \
	"\"},\"global\":{\"window\":{\"diagnosis_clock\":\"gpu\",\"steps_analyzed\":200},\"average\":"                         \
	"{\"step_time_gpu_ms\":100.0,\"input_wait_ms\":" input ",\"forward_ms\":" forward                                      \
	",\"backward_ms\":60.0,\"residual_ms\":1.0},"                                                                          \
	"\"worst\":{\"step_time_gpu_ms\":{\"value\":" worst                                                                    \
	",\"idx\":\"1\"}}}},\"step_memory\":{\"diagnosis\":{\"status\":\"BALANCED\"},"                                         \
	"\"global\":{\"worst\":{\"peak_reserved_bytes\":{\"value\":" memory "}}}}}"

static const char *missed(const struct ts_traceml_comparison *c, const char *code)
{
	static char text[512];

	for (size_t i = 0; i < c->n_missed; i++)
		if (strcmp(c->missed[i].code, code) == 0) {
			(void)snprintf(text, sizeof text, "%.*s", TS_SPAN_ARG(c->missed[i].sentence));
			return text;
		}
	return NULL;
}

static struct ts_traceml_comparison against(struct test *t, const char *b)
{
	return compare(t, ts_span_str(SUMMARY("INPUT-BOUND", "100.0", "15.0", "30.0", "1000000000", "4")), ts_span_str(b));
}

static void equal_summaries_miss_nothing(void **state)
{
	struct ts_traceml_comparison c;
	struct test t;

	(void)state;
	start(&t);
	c = against(&t, SUMMARY("INPUT-BOUND", "100.0", "15.0", "30.0", "1000000000", "4"));
	assert_int_equal(c.n_missed, 0);
	assert_int_equal(c.findings[0].verdict, TS_TRACEML_EQUIVALENT);
	assert_true(c.size >= 0.03 && c.size <= 0.03);
	stop(&t);
}

static void what_equivalent_hides_is_told(void **state)
{
	struct ts_traceml_comparison c;
	struct test t;

	(void)state;
	start(&t);
	c = against(&t, SUMMARY("BALANCED", "108.0", "9.0", "36.0", "1050000000", "8"));
	assert_int_equal(c.findings[0].verdict, TS_TRACEML_EQUIVALENT);
	assert_string_equal(
		missed(&c, "phases"),
		"phase times changed in opposite directions: input wait -40.0 % (-6 ms), forward +20.0 % (+6 ms)");
	assert_string_equal(missed(&c, "ranks"), "the step time of the slowest rank changed by +8.00 %, the average of "
						 "all ranks by +0.00 %; only the average counts");
	assert_string_equal(missed(&c, "memory"), "peak reserved memory changed by +5.00 % (47.7 MiB), which is within "
						  "its limit of 10 %"); /* the change is 5e7 / 2^20 */
	assert_string_equal(missed(&c, "diagnosis"), "the diagnosis of step_time went from INPUT-BOUND to BALANCED");
	assert_string_equal(missed(&c, "other_job"), "the jobs differ in world size: 4 and 8");
	assert_int_equal(c.n_missed, 5);
	stop(&t);
}

static void phases_that_move_one_way_are_told(void **state)
{
	struct ts_traceml_comparison c;
	struct test t;

	(void)state;
	start(&t);
	c = against(&t, SUMMARY("INPUT-BOUND", "100.0", "15.0", "33.0", "1000000000", "4"));
	assert_string_equal(missed(&c, "phases"), "phase times changed: forward +10.0 % (+3 ms)");
	assert_int_equal(c.n_missed, 1);
	c = against(&t, SUMMARY("INPUT-BOUND", "100.0", "15.9", "30.9", "1000000000", "4")); /* the change is less than 1 ms of 100 */
	assert_int_equal(c.n_missed, 0);
	stop(&t);
}

static void another_slow_rank_is_told(void **state)
{
	const char *slow = SUMMARY("INPUT-BOUND", "110.0", "15.0", "30.0", "1000000000", "4");
	char moved[2048];
	struct ts_traceml_comparison c;
	struct test t;

	(void)state;
	start(&t);
	(void)snprintf(moved, sizeof moved, "%s", slow);
	memcpy(strstr(moved, "\"idx\":\"1\""), "\"idx\":\"3\"", 9);
	c = compare(&t, ts_span_str(slow), ts_span_str(moved));
	assert_string_equal(missed(&c, "ranks"), "a different rank is the slowest: first 1, then 3");
	assert_int_equal(c.n_missed, 1);
	memcpy(strstr(moved, "110.0"), "102.0", 5); /* 2 % above the average does not make a slow rank, and the worst
						     * rank became faster */
	c = compare(&t, ts_span_str(slow), ts_span_str(moved));
	assert_string_equal(missed(&c, "ranks"), "the step time of the slowest rank changed by -7.27 %, the average of "
						 "all ranks by +0.00 %; only the average counts");
	assert_int_equal(c.n_missed, 1);
	stop(&t);
}

static void unknown_is_not_equal(void **state)
{
	struct ts_traceml_comparison c;
	struct test t;

	(void)state;
	start(&t);
	c = compare(&t,
		    ts_span_str("{\"schema_version\":1.7,\"step_time\":{\"global\":{\"average\":{\"step_time_gpu_ms\":0.0}}},"
				"\"step_memory\":"
				"{\"global\":{\"worst\":{\"peak_reserved_bytes\":{\"value\":5}}}}}"),
		    ts_span_str("{\"schema_version\":1.7,\"step_time\":{\"global\":{\"average\":{\"step_time_gpu_ms\":80.0}}},"
				"\"step_memory\":"
				"{\"global\":{\"worst\":{\"peak_reserved_bytes\":{\"value\":5}}}}}"));
	assert_int_equal(c.findings[0].verdict, TS_TRACEML_EQUIVALENT);
	assert_false(c.step.pct.known);
	assert_string_equal(missed(&c, "no_percentage"), "step time (ms) went from 0 to 80; this change has no "
							 "percentage, so the rule compares it with no limit");
	stop(&t);
}

/* Expected values by scipy 1.17.1: the least n with max(d + t(0.9) e, t(0.993) e, m) + t(0.95) e <= log(1 + size),
 * where d = log 1.01, m = log 1.02, e = noise sqrt(1 + 1/n), with n - 1 degrees of freedom. */
static void baselines_are_counted_as_a_gate_wants_them(void **state)
{
	static const struct {
		double size, noise;
		unsigned n;
	} want[] = {{0.03, 0.002, 3}, {0.03, 0.005, 10}, {0.03, 0.01, 0}, {0.03, 0.02, 0},
		    {0.055, 0.01, 9}, {0.1, 0.01, 4},	 {0.1, 0.02, 15}, {0.5, 0.02, 3}};

	(void)state;
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		assert_int_equal(ts_traceml_baselines_for(want[i].size, want[i].noise), want[i].n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_every_case),
		cmocka_unit_test(numbers_are_read_as_python_does),
		cmocka_unit_test(equal_summaries_miss_nothing),
		cmocka_unit_test(what_equivalent_hides_is_told),
		cmocka_unit_test(phases_that_move_one_way_are_told),
		cmocka_unit_test(another_slow_rank_is_told),
		cmocka_unit_test(unknown_is_not_equal),
		cmocka_unit_test(baselines_are_counted_as_a_gate_wants_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
