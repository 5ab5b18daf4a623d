/* The run around a file: which one it is, and whose facts are taken. */
#include "ingest/rundir/around.h"
#include "ingest/core/test_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define FACTS(gpu) "{\"format\":1,\"hardware\":{\"gpu\":\"" gpu "\"}}"

/* What is said of hardware.gpu around base/file; "no run" without one. */
static const char *gpu_around(struct test_run *t, const char *file)
{
	struct ts_facts facts = {.n = 0};
	const struct ts_fact *fact;
	const char *run;
	char path[256];

	(void)snprintf(path, sizeof path, "%s/%s", t->base, file);
	if (ts_facts_around(path, &t->arena, &run, &facts, &t->err))
		return ts_status_word(t->err.status);
	if (!run)
		return "no run";
	fact = ts_facts_of_source(&facts, ts_span_str("hardware.gpu"), TS_SOURCE_FACTS_JSON);
	return fact ? ts_arena_printf(&t->arena, "%.*s", TS_SPAN_ARG(fact->text)) : "not said";
}

static void a_run_of_one_directory(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/facts.json", FACTS("A"));
	test_write(&t, "run/memory/x", "");
	test_write(&t, "run/memory/deep/x", "");
	test_write(&t, "beside/x", "");
	assert_string_equal(gpu_around(&t, "run/snapshot.pickle"), "A"); /* the file itself is not looked at */
	assert_string_equal(gpu_around(&t, "run/memory/snapshot.pickle"), "A");
	assert_string_equal(gpu_around(&t, "run/memory/deep/snapshot.pickle"), "no run"); /* where kept files do not lie */
	assert_string_equal(gpu_around(&t, "beside/snapshot.pickle"), "no run");
	assert_string_equal(gpu_around(&t, "nothing/snapshot.pickle"), "no run");
	test_run_finish(&t);
}

static void a_run_of_ranks(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/facts.json", "{\"format\":1,\"hardware\":{\"gpu\":\"root\"},\"work\":{\"dtype\":\"bf16\"}}");
	test_write(&t, "run/rank0/steps.jsonl", "");
	test_write(&t, "run/rank0/facts.json", FACTS("zero"));
	test_write(&t, "run/rank0/memory/x", "");
	test_write(&t, "run/rank1/facts.json", FACTS("one"));
	test_write(&t, "run/rank2/steps.jsonl", "");
	test_write(&t, "run/memory/x", "");
	assert_string_equal(gpu_around(&t, "run/rank0/snapshot.pickle"), "zero");
	assert_string_equal(gpu_around(&t, "run/rank0/memory/snapshot.pickle"), "zero");
	assert_string_equal(gpu_around(&t, "run/rank1/snapshot.pickle"), "one");
	assert_string_equal(gpu_around(&t, "run/rank2/snapshot.pickle"), "root"); /* it has no facts of its own */
	assert_string_equal(gpu_around(&t, "run/snapshot.pickle"), "zero"); /* of the job: those of the head */
	assert_string_equal(gpu_around(&t, "run/memory/snapshot.pickle"), "zero");
	test_run_finish(&t);
}

/* A run in a folder of another is not of that. */
static void a_run_within(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/facts.json", FACTS("outer"));
	test_write(&t, "run/exp1/facts.json", FACTS("inner"));
	test_write(&t, "runs/rank0/facts.json", FACTS("zero"));
	test_write(&t, "runs/exp1/facts.json", FACTS("own"));
	test_write(&t, "runs/rank0/exp1/facts.json", FACTS("within"));
	assert_string_equal(gpu_around(&t, "run/exp1/snapshot.pickle"), "inner");
	assert_string_equal(gpu_around(&t, "runs/exp1/snapshot.pickle"), "own");
	assert_string_equal(gpu_around(&t, "runs/rank0/exp1/snapshot.pickle"), "within");
	test_run_finish(&t);
}

static void facts_that_cannot_be_read(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/facts.json", "{\"format\":1,");
	assert_string_equal(gpu_around(&t, "run/snapshot.pickle"), "invalid");
	assert_non_null(strstr(t.err.text, "facts.json"));
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_of_one_directory),
		cmocka_unit_test(a_run_of_ranks),
		cmocka_unit_test(a_run_within),
		cmocka_unit_test(facts_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
