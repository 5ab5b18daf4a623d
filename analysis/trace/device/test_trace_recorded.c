/* trace_recorded.h: the envelopes are as PyTorch and Kineto write them on CUDA and ROCm; versions as cudaRuntimeGetVersion and
 * hipRuntimeGetVersion pack them. */
#include "analysis/trace/device/trace_recorded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SAID_MOST = 8 };

struct made {
	struct ts_trace_said said[SAID_MOST];
	struct ts_trace_device device;
	struct ts_trace_about about;
};

static struct ts_arena arena;

static int begin(void **state)
{
	(void)state;
	ts_arena_init(&arena, 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static void say(struct made *m, const char *key, const char *json)
{
	m->about.said = m->said;
	m->said[m->about.n_said++] = (struct ts_trace_said){ts_span_str(key), ts_span_str(json)};
}

static void on_device(struct made *m, const char *name)
{
	m->device.name = ts_span_str(name);
	m->about.devices = &m->device;
	m->about.n_devices = 1;
}

static struct ts_trace_recorded of(const struct made *m)
{
	struct ts_trace_recorded ret;
	struct ts_error err;

	assert_int_equal(ts_trace_recorded(&m->about, &arena, &ret, &err), TS_OK);
	return ret;
}

static void expect_text(const struct made *m, const char *text)
{
	const struct ts_trace_recorded r = of(m);

	assert_string_equal(ts_trace_recorded_text(&r, &arena), text);
}

static void expect_apart(const struct made *a, const struct made *b, const char *text)
{
	const struct ts_trace_recorded x = of(a), y = of(b);

	assert_string_equal(ts_trace_recorded_apart(&x, "A", &y, "B", &arena), text);
}

static void test_cuda(void **state)
{
	struct made m = {0};

	(void)state;
	say(&m, "schemaVersion", "1");
	say(&m, "cupti_version", "28");
	say(&m, "cuda_runtime_version", "12090");
	say(&m, "cuda_driver_version", "13000");
	say(&m, "with_stack", "1");
	say(&m, "record_shapes", "1");
	say(&m, "profile_memory", "0");
	expect_text(&m, "CUDA runtime 12.9, CUDA driver 13.0, CUPTI 28; with stacks and shapes");
	assert_true(of(&m).said[TS_RECORDED_MEMORY] && !of(&m).on[TS_RECORDED_MEMORY]);
	assert_false(of(&m).said[TS_RECORDED_FLOPS]);
	assert_true(ts_span_is(of(&m).versions[TS_RECORDED_SCHEMA], "1"));
}

static void test_rocm(void **state)
{
	struct made m = {0};

	(void)state;
	say(&m, "roctracer_version", "4.1");
	say(&m, "hip_runtime_version", "70051831");
	say(&m, "hip_driver_version", "71460850");
	say(&m, "with_flops", "true");
	say(&m, "with_modules", "1");
	say(&m, "profile_memory", "1");
	expect_text(&m, "HIP runtime 7.0.51831, HIP driver 7.14.60850, roctracer 4.1; with memory, operations and modules");
}

/* Nothing is made up of what is not there, of no version, or of what no writer means. */
static void test_unknown(void **state)
{
	struct made m = {0};

	(void)state;
	expect_text(&m, "");
	say(&m, "cuda_runtime_version", "0");
	say(&m, "cuda_driver_version", "{\"a\":1}");
	say(&m, "cupti_version", "\"a\\u001bb\"");
	say(&m, "roctracer_version", "null");
	say(&m, "hip_runtime_version", "\"\"");
	say(&m, "with_stack", "[1]");
	expect_text(&m, "");
	assert_false(of(&m).said[TS_RECORDED_STACKS]);
	say(&m, "cuda_runtime_version", "\"13.1-rc\"");
	expect_text(&m, "CUDA runtime 13.1-rc");
}

static void test_apart(void **state)
{
	struct made a = {0}, b = {0};

	(void)state;
	expect_apart(&a, &b, "");
	say(&a, "cuda_runtime_version", "12040");
	say(&a, "cuda_driver_version", "12060");
	on_device(&a, "NVIDIA A100");
	expect_apart(&a, &b, ""); /* B says nothing of it */
	say(&b, "cuda_runtime_version", "12040");
	say(&b, "cuda_driver_version", "13000");
	on_device(&b, "NVIDIA A100");
	expect_apart(&a, &b, "CUDA driver 12.6 in A and 13.0 in B");
	on_device(&b, "NVIDIA H100");
	say(&a, "with_stack", "1");
	say(&b, "record_shapes", "1");
	say(&b, "with_stack", "0");
	expect_apart(&a, &b,
		     "device NVIDIA A100 in A and NVIDIA H100 in B, CUDA driver 12.6 in A and 13.0 in B, stacks in A alone, "
		     "shapes in B alone");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cuda, begin, end),
		cmocka_unit_test_setup_teardown(test_rocm, begin, end),
		cmocka_unit_test_setup_teardown(test_unknown, begin, end),
		cmocka_unit_test_setup_teardown(test_apart, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
