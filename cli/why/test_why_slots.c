#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/why/why_slots.h"
#include "cli/why/why_variables.h"

static void test_slots(void **state)
{
	static const char *const argv[] = {"python",	  "train.py", "--lr={config.lr}", "x{config.layers[0].width}y{seeds.torch}",
					   "{ not one }", "{}",	      "{config.lr",	  "f'{{config.wd}}'",
					   NULL};
	struct ts_span name;
	size_t at = 0;

	(void)state;
	assert_true(ts_why_has_slot(argv, ts_span_str("config.lr")));
	assert_true(ts_why_has_slot(argv, ts_span_str("config.layers[0].width")));
	assert_true(ts_why_has_slot(argv, ts_span_str("seeds.torch")));
	assert_false(ts_why_has_slot(argv, ts_span_str("config")));
	assert_false(ts_why_has_slot(argv, ts_span_str(" not one ")));
	assert_false(ts_why_has_slot(NULL, ts_span_str("config.lr")));
	assert_true(ts_why_next_slot(argv[3], &at, &name));
	assert_true(ts_span_is(name, "config.layers[0].width"));
	assert_true(ts_why_next_slot(argv[3], &at, &name));
	assert_true(ts_span_is(name, "seeds.torch"));
	assert_false(ts_why_next_slot(argv[3], &at, &name));
}

static struct ts_fact number(const char *path, int64_t n)
{
	return (struct ts_fact){.path = ts_span_str(path), .type = TS_FACT_INT, .source = TS_SOURCE_RUN_JSON, .integer = n};
}

static struct ts_fact text(const char *path, const char *of)
{
	return (struct ts_fact){.path = ts_span_str(path), .type = TS_FACT_TEXT, .source = TS_SOURCE_RUN_JSON, .text = ts_span_str(of)};
}

/* Paths are sorted as bytes, so that element 10 of an array stands before element 2; and a key may have a dot in it. */
static void test_config(void **state)
{
	struct ts_fact items[16] = {
		text("code.commit", "no setting"),
		number("config.a-b", 1),
		text("config.data\\.path", "/d"),
		{.path = ts_span_str("config.empty"), .type = TS_FACT_ARRAY, .source = TS_SOURCE_RUN_JSON},
		{.path = ts_span_str("config.lr"), .type = TS_FACT_FLOAT, .source = TS_SOURCE_RUN_JSON, .real = 0.1},
		{.path = ts_span_str("config.on"), .type = TS_FACT_BOOL, .source = TS_SOURCE_RUN_JSON, .boolean = true},
		number("config.opt.beta[0]", 9),
		number("config.opt.beta[1]", 8),
		number("config.opt.beta[2].x", 7),
		text("config.opt.name", "adam \"w\""),
		number("config.z", INT64_C(9007199254740993)),
		text("seeds.x", "1")};
	struct ts_facts facts = {items, 12, 16};
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(ts_why_config(&facts, &out, &arena, &err), TS_OK);
	assert_true(ts_span_is(ts_buf_view(&out),
			       "{\"a-b\":1,\"data.path\":\"/d\",\"empty\":[],\"lr\":0.1,\"on\":true,\"opt\":{\"beta\":[9,8,{\"x\":7}],"
			       "\"name\":\"adam \\\"w\\\"\"},\"z\":9007199254740993}"));
	ts_buf_finish(&out);
	facts.n = 1;
	assert_int_equal(ts_why_config(&facts, &out, &arena, &err), TS_INVALID);
	ts_buf_finish(&out);
	ts_arena_finish(&arena);
}

static void test_long_array(void **state)
{
	static const char *const order[] = {"config.a[0]", "config.a[10]", "config.a[1]", "config.a[2]", "config.a[3]", "config.a[4]",
					    "config.a[5]", "config.a[6]",  "config.a[7]", "config.a[8]", "config.a[9]"};
	struct ts_fact items[11];
	struct ts_facts facts = {items, 11, 11};
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	for (size_t i = 0; i < 11; i++)
		items[i] = number(order[i], (int64_t)i);
	assert_int_equal(ts_why_config(&facts, &out, &arena, &err), TS_OK);
	assert_true(ts_span_is(ts_buf_view(&out), "{\"a\":[0,2,3,4,5,6,7,8,9,10,1]}"));
	ts_buf_finish(&out);
	ts_arena_finish(&arena);
}

/* A record may be written by others. */
static void test_variables(void **state)
{
	(void)state;
	assert_true(ts_why_may_set("PYTHONHASHSEED", "3"));
	assert_true(ts_why_may_set("OMP_NUM_THREADS", NULL));
	assert_true(ts_why_may_set("CUBLAS_WORKSPACE_CONFIG", ":4096:8"));
	assert_true(ts_why_may_set("NCCL_ALGO", "Ring"));
	assert_true(ts_why_may_set("VECLIB_MAXIMUM_THREADS", "1"));
	assert_false(ts_why_may_set("LD_PRELOAD", "evil.so"));
	assert_false(ts_why_may_set("PATH", "bin"));
	assert_false(ts_why_may_set("PYTHONPATH", "x"));
	assert_false(ts_why_may_set("PYTHONSTARTUP", "x.py"));
	assert_false(ts_why_may_set("BASH_ENV", "x"));
	assert_false(ts_why_may_set("NCCL_NET_PLUGIN", "x"));
	assert_false(ts_why_may_set("NCCL_NET", "x"));
	assert_false(ts_why_may_set("OMP_TOOL_LIBRARIES", "x.so"));
	assert_false(ts_why_may_set("TRITON_CACHE_DIR", "x"));
	assert_false(ts_why_may_set("XLA_FLAGS", "--xla_gpu_cuda_data_dir=/tmp"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_long_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
