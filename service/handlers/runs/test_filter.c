/* Filters over a table of what a run says, against answers written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/test_arena.h"
#include "service/handlers/runs/filter.h"

#include <math.h>

static struct ts_error err;

static struct ts_fact text_fact(const char *text)
{
	return (struct ts_fact){.type = TS_FACT_TEXT, .text = ts_span_str(text)};
}

/* 2026-11-20T11:27:00Z, by Python: 1795174020. */
#define NOON_NS INT64_C(1795174020000000000)

static bool lookup(void *ctx, struct ts_span path, struct ts_fact *ret)
{
	const struct {
		const char *path;
		struct ts_fact fact;
	} run[] = {
		{"name", text_fact("team/exp1")},
		{"state", text_fact("finished")},
		{"id", text_fact("18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912")},
		{"steps", {.type = TS_FACT_INT, .integer = 1000}},
		{"started", {.type = TS_FACT_INT, .integer = NOON_NS}},
		{"config.lr", {.type = TS_FACT_FLOAT, .real = 3e-4}},
		{"config.nan", {.type = TS_FACT_FLOAT, .real = NAN}},
		{"config.amp", {.type = TS_FACT_BOOL, .boolean = true}},
		{"config.none", {.type = TS_FACT_NULL}},
		{"config.big", {.type = TS_FACT_NUMBER, .text = ts_span_str("100000000000000000000")}},
		{"config.huge", {.type = TS_FACT_INT, .integer = INT64_C(9007199254740993)}},
		{"config.text", text_fact("a \"b\" (c)")},
		{"config.word", text_fact("12")},
		{"config.layers", {.type = TS_FACT_ARRAY}},
		{"config.a\\.b", {.type = TS_FACT_INT, .integer = 7}},
		{"config.l[0].w", {.type = TS_FACT_INT, .integer = 8}},
		{"config.long", {.type = TS_FACT_LONG, .text_len = 5000}},
	};

	(*(int *)ctx)++;
	for (size_t i = 0; i < sizeof run / sizeof run[0]; i++)
		if (ts_span_is(path, run[i].path)) {
			*ret = run[i].fact;
			return true;
		}
	return false;
}

static enum ts_truth eval(const char *text)
{
	struct ts_filter *filter;
	int looked = 0;

	if (ts_filter_parse(ts_span_str(text), &arena, &filter, &err))
		fail_msg("%s: %s", text, err.text);
	return ts_filter_eval(filter, lookup, &looked);
}

static void expect(enum ts_truth truth, const char *text)
{
	enum ts_truth is = eval(text);

	if (is != truth)
		fail_msg("%s is %d, not %d", text, is, truth);
}

static void compares(void **state)
{
	(void)state;
	expect(TS_TRUE, "config.lr>1e-4 and steps>=1000");
	expect(TS_FALSE, "config.lr>1e-4 and steps>1000");
	expect(TS_TRUE, "steps<=1000");
	expect(TS_TRUE, "steps<1e3 or steps = 1000.0");
	expect(TS_TRUE, "config.lr=0.0003");
	expect(TS_FALSE, "config.lr!=3e-4");
	expect(TS_TRUE, "config.amp=true");
	expect(TS_FALSE, "config.amp=false");
	expect(TS_TRUE, "config.amp!=false");
	expect(TS_TRUE, "config.none=null");
	expect(TS_FALSE, "config.amp=null");
	expect(TS_TRUE, "config.big>99999999999999999999");
	expect(TS_TRUE, "config.big=100000000000000000000");
	expect(TS_FALSE, "config.big=100000000000000000001");
	expect(TS_TRUE, "config.big>-200000000000000000000");
	expect(TS_TRUE, "config.big<1e21");
	expect(TS_FALSE, "config.huge=9007199254740992"); /* as doubles they would be equal */
	expect(TS_TRUE, "config.huge>9007199254740992");
	expect(TS_TRUE, "config.word=12");
	expect(TS_TRUE, "config.text=\"a \\\"b\\\" (c)\"");
	expect(TS_TRUE, "config.text = 'a \"b\" (c)'");
	expect(TS_TRUE, "config.a\\.b=7");
	expect(TS_TRUE, "config.l[0].w>=8");
	expect(TS_TRUE, "name=exp1");
	expect(TS_TRUE, "name=team/exp1");
	expect(TS_FALSE, "name=other/exp1");
	expect(TS_TRUE, "name~exp*");
	expect(TS_TRUE, "name~t*/*1");
	expect(TS_FALSE, "name~t*1"); /* the project is no part of a name without a slash */
	expect(TS_FALSE, "name~x*");
	expect(TS_TRUE, "steps~10?0");
	expect(TS_TRUE, "state<running");
	expect(TS_TRUE, "state~f*");
	expect(TS_TRUE, "id=18fc3da2967f"); /* as many digits as list shows */
	expect(TS_FALSE, "id!=18fc3da2967f");
	expect(TS_FALSE, "id=18fc3da2967e");
	expect(TS_TRUE, "id=18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912");
	expect(TS_FALSE, "id=18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d9123");
}

static void compares_times(void **state)
{
	(void)state;
	expect(TS_TRUE, "started>2026-11-20");
	expect(TS_TRUE, "started<2026-11-21");
	expect(TS_TRUE, "started=2026-11-20T11:27:00Z");
	expect(TS_TRUE, "started = '2026-11-20T13:27:00+02:00'");
	expect(TS_FALSE, "started>=2026-11-20T11:27:00.000000001Z");
}

/* Values of different types are not equal and have no order; NaN equals nothing. */
static void keeps_types_apart(void **state)
{
	(void)state;
	expect(TS_FALSE, "config.lr=text");
	expect(TS_TRUE, "config.lr!=text");
	expect(TS_UNKNOWN, "config.lr<text");
	expect(TS_FALSE, "config.amp=1");
	expect(TS_UNKNOWN, "config.amp>false");
	expect(TS_FALSE, "config.amp='true'");
	expect(TS_FALSE, "config.layers=3");
	expect(TS_FALSE, "config.nan=1");
	expect(TS_FALSE, "config.nan<1");
	expect(TS_FALSE, "config.nan>=1");
	expect(TS_TRUE, "config.nan!=1");
}

/* A word with * or ? outside of quotes is a pattern for = and !=. */
static void a_word_can_be_a_pattern(void **state)
{
	(void)state;
	expect(TS_TRUE, "state=fin*");
	expect(TS_FALSE, "state!=fin*");
	expect(TS_TRUE, "name=team/*");
	expect(TS_FALSE, "name='team/*'");
	expect(TS_UNKNOWN, "config.absent!=x*");
}

/* A fact that the run lacks is unknown, and so is its negation. */
static void knows_three_values(void **state)
{
	(void)state;
	expect(TS_UNKNOWN, "config.absent=1");
	expect(TS_UNKNOWN, "not config.absent=1");
	expect(TS_UNKNOWN, "config.absent!=1");
	expect(TS_UNKNOWN, "config.long=x");
	expect(TS_FALSE, "config.absent=1 and steps=1");
	expect(TS_UNKNOWN, "config.absent=1 and steps=1000");
	expect(TS_TRUE, "config.absent=1 or steps=1000");
	expect(TS_UNKNOWN, "config.absent=1 or steps=1");
	expect(TS_TRUE, "not (config.absent=1 and steps=1)");
}

/* The operator "and" binds more tightly than "or", and "not" binds more tightly than both. */
static void binds(void **state)
{
	(void)state;
	expect(TS_TRUE, "steps=1000 or steps=1 and steps=2");
	expect(TS_FALSE, "(steps=1000 or steps=1) and steps=2");
	expect(TS_FALSE, "not steps=1000 and steps=2");
	expect(TS_TRUE, "not (steps=1000 and steps=2)");
	expect(TS_TRUE, "not not steps=1000");
	expect(TS_TRUE, "steps=1 or steps=2 or steps=1000");
	expect(TS_TRUE, "((((steps=1000))))");
	expect(TS_TRUE, "");
	expect(TS_TRUE, "  \t ");
}

static void refuse(const char *text, const char *where)
{
	struct ts_filter *filter;

	if (!ts_filter_parse(ts_span_str(text), &arena, &filter, &err))
		fail_msg("%s was taken", text);
	assert_int_equal(err.status, TS_INVALID);
	if (!strstr(err.text, where))
		fail_msg("%s: %s", text, err.text);
}

static void refuses_with_the_place(void **state)
{
	char deep[300];

	(void)state;
	refuse("steps", "at its end");
	refuse("steps=", "at its end");
	refuse("steps==", "at its end");
	refuse("steps 5", "at byte 7");
	refuse("stepps=5", "at byte 1: stepps is not one of name");
	refuse("steps=5 config.lr=1", "at byte 9");
	refuse("steps=5 and", "at its end");
	refuse("(steps=5", "at byte 1 (^(steps=5): this parenthesis");
	refuse("steps=5)", "at byte 8");
	refuse("config.t='abc", "at byte 10 (config.t=^'abc): this quote");
	refuse("started>tomorrow", "at byte 9 (started>^tomorrow): a time");
	refuse("steps>many", "at byte 7 (steps>^many): a number");
	refuse("ranks='2'", "at byte 7 (ranks=^'2'): a number");
	refuse("last_step=NaN", "at byte 11 (last_step=^NaN): a number");
	refuse("state=finsihed", "at byte 7 (state=^finsihed): a state");
	refuse("steps=1 and started<", "at its end");
	refuse("=5", "at byte 1");
	refuse("()", "at byte 2");
	memset(deep, '(', sizeof deep - 1);
	deep[sizeof deep - 1] = '\0';
	refuse(deep, "nested too deeply");
}

static bool is_there;

static enum ts_status named(void *ctx, struct ts_span text, bool *ret_is_name, struct ts_error *e)
{
	(void)e;
	assert_true(ts_span_is(text, ctx));
	*ret_is_name = is_there;
	return TS_OK;
}

static bool look_sweep(void *ctx, struct ts_span path, struct ts_fact *ret)
{
	(void)ctx;
	*ret = text_fact("team/Sweep/exp1");
	return ts_span_is(path, "name");
}

static void expect_sweep(enum ts_truth truth, const char *text, const char *word)
{
	struct ts_filter *filter;

	assert_int_equal(ts_filter_parse(ts_span_str(text), &arena, &filter, &err), TS_OK);
	if (word)
		assert_int_equal(ts_filter_complete(filter, named, (void *)(uintptr_t)word, &err), TS_OK);
	if (ts_filter_eval(filter, look_sweep, NULL) != truth)
		fail_msg("%s", text);
}

/* A slash belongs to a name; the project may stand in front. */
static void names_with_slashes(void **state)
{
	(void)state;
	is_there = false;
	expect_sweep(TS_TRUE, "name=Sweep/exp1", "Sweep/exp1");
	expect_sweep(TS_TRUE, "name=team/Sweep/exp1", "team/Sweep/exp1");
	expect_sweep(TS_FALSE, "name!=Sweep/exp1", "Sweep/exp1");
	expect_sweep(TS_FALSE, "name=exp1", NULL);
	expect_sweep(TS_TRUE, "name=exp1", "exp1");
	expect_sweep(TS_FALSE, "name!=exp1", "exp1");
	is_there = true;
	expect_sweep(TS_FALSE, "name=exp1", "exp1");
	expect_sweep(TS_TRUE, "name~exp*", NULL);
	expect_sweep(TS_TRUE, "name=Sweep/*", NULL);
	expect_sweep(TS_TRUE, "name~Sweep/", NULL);
	expect_sweep(TS_TRUE, "name~team/Sweep/*", NULL);
	expect_sweep(TS_FALSE, "name~team/*", NULL);
	expect_sweep(TS_FALSE, "name~Sweep*", NULL);
	expect_sweep(TS_TRUE, "name!=Sweep*", NULL);
}

static void words_alone(void **state)
{
	(void)state;
	expect_sweep(TS_TRUE, "exp", NULL);
	expect_sweep(TS_TRUE, " sweep ", NULL);
	expect_sweep(TS_TRUE, "p/EXP1", NULL);
	expect_sweep(TS_FALSE, "team", NULL);
	expect_sweep(TS_FALSE, "exp2", NULL);
	expect_sweep(TS_TRUE, "exp and not foo", NULL);
	expect_sweep(TS_TRUE, "(foo or exp) and name~exp*", NULL);
	expect_sweep(TS_TRUE, "'exp1'", NULL);
	expect_sweep(TS_FALSE, "'exp*'", NULL);
	expect_sweep(TS_TRUE, "exp*", NULL);
	expect_sweep(TS_FALSE, "xp*", NULL);
	refuse("exp foo", "'and' or 'or' is expected here");
	refuse("exp (foo)", "'and' or 'or' is expected here");
	refuse("name", "one of = != < <= > >= ~ is expected here");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(compares),           T(compares_times), T(keeps_types_apart), T(a_word_can_be_a_pattern),
		T(knows_three_values), T(binds),          T(refuses_with_the_place),
		T(names_with_slashes), T(words_alone),
	};

	return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
