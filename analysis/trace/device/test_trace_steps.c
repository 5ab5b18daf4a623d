/* Which annotations mark the steps of a trace, and what the names of a server's iterations say, as vLLM, SGLang and xDiT write them. */
#include "analysis/trace/device/timeline.h"
#include "analysis/trace/device/trace_steps.h"
#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct made m;
static struct ts_trace_step *steps;
static size_t n_steps;

static void mark(const char *name, int64_t start)
{
	made_host(&m, TS_TRACE_ANNOTATION, name, 1, start, start + 50);
}

static void look(void)
{
	assert_int_equal(ts_trace_steps(&m.trace, &m.arena, &steps, &n_steps, &m.err), TS_OK);
	assert_int_equal(ts_trace_steps_count(&m.trace), n_steps);
}

static void expect_said(const char *name, enum ts_step_phase phase, int64_t requests, int64_t tokens)
{
	struct ts_step_said said = ts_step_said(ts_span_str(name));

	assert_int_equal(said.phase, phase);
	assert_int_equal(said.has_requests ? (int64_t)said.requests : -1, requests);
	assert_int_equal(said.has_tokens ? (int64_t)said.tokens : -1, tokens);
}

static void what_names_say(void **state)
{
	(void)state;
	expect_said("execute_context_1(888_788544)_generation_0(0)", TS_STEP_PREFILL, 1, 888);
	expect_said("execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)", TS_STEP_DECODE, 32, 32);
	expect_said("execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)_generation_37(sq37sk34489sqsq37sqsk34489)",
		    TS_STEP_MIXED, 46, 8192);
	expect_said("execute_context_2(10_50)_generation_3(900)", TS_STEP_MIXED, 5, 13);
	expect_said("step[EXTEND bs=15 toks=15360]", TS_STEP_PREFILL, 15, 15360);
	expect_said("step[DECODE bs=32]", TS_STEP_DECODE, 32, -1);
	expect_said("execute_diffusion_1_256x256", TS_STEP_UNSAID, -1, -1);
	expect_said("execute_context_1(", TS_STEP_UNSAID, -1, -1);
	expect_said("execute_99999999999999999999_context_1(1)", TS_STEP_UNSAID, -1, -1);
	expect_said("execute_context_0(0_0)_generation_0(0)", TS_STEP_UNSAID, 0, 0);
	expect_said("step[", TS_STEP_UNSAID, -1, -1);
	expect_said("ProfilerStep#3", TS_STEP_UNSAID, -1, -1);
}

/* Iterations are numbered in the order of their begins; SGLang's tools put its own step within vLLM's form, which counts once. */
static void iterations_are_steps(void **state)
{
	(void)state;
	made_begin(&m);
	mark("step[DECODE bs=4]", 1010);
	mark("execute_4_context_0(sq0)_generation_4(sq4)", 1000);
	mark("execute_7_context_1(sq7)_generation_0(sq0)", 0);
	look();
	assert_int_equal(n_steps, 2);
	assert_int_equal(steps[0].number, 0);
	assert_int_equal(steps[0].start_ns, 0);
	assert_int_equal(steps[1].number, 1);
	assert_int_equal(steps[1].start_ns, 1000);
	made_finish(&m);
	made_begin(&m);
	mark("step[DECODE bs=4]", 1000);
	look();
	assert_int_equal(n_steps, 1);
	made_finish(&m);
}

/* A profiler's one step around a server's iterations is none of a training; steps of a training with one iteration each are. */
static void the_profilers_steps_count_where_they_are_as_many(void **state)
{
	(void)state;
	made_begin(&m);
	mark("ProfilerStep#3", 0);
	mark("execute_diffusion_1_256x256", 10);
	look();
	assert_int_equal(n_steps, 1);
	assert_int_equal(steps[0].number, 3);
	mark("execute_diffusion_1_256x256", 30);
	look();
	assert_int_equal(n_steps, 2);
	assert_int_equal(steps[1].number, 1);
	made_finish(&m);
}

static void a_name_that_was_said(void **state)
{
	(void)state;
	made_begin(&m);
	mark("ProfilerStep#3", 0);
	mark("train_step 12", 10);
	mark("train_step 13", 100);
	m.trace.step_name = ts_span_str("train_step");
	look();
	assert_int_equal(n_steps, 2);
	assert_int_equal(steps[0].number, 12);
	assert_int_equal(steps[1].number, 13);
	mark("train_step", 200); /* one without a number: all are numbered in order */
	look();
	assert_int_equal(n_steps, 3);
	assert_int_equal(steps[0].number, 0);
	assert_int_equal(steps[2].number, 2);
	m.trace.step_name = ts_span_str("nobody");
	look();
	assert_int_equal(n_steps, 0);
	made_finish(&m);
}

/* Of two decodes and a prefill: tokens are those of the phase, and of a phase of which one step does not say them they are unknown. */
static void phases_add_up(void **state)
{
	struct ts_timelines lines;

	(void)state;
	made_begin(&m);
	mark("step[EXTEND bs=2 toks=100]", 0);
	mark("step[DECODE bs=2]", 100);
	mark("step[DECODE bs=3]", 200);
	made_launch(&m, TS_TRACE_KERNEL, "gemm", 0, 10, 20, 60);
	made_launch(&m, TS_TRACE_KERNEL, "gemm", 0, 110, 120, 127);
	made_launch(&m, TS_TRACE_KERNEL, "gemm", 0, 210, 220, 230);
	assert_int_equal(ts_timelines(&m.trace, &m.arena, &lines, &m.err), TS_OK);
	assert_int_equal(lines.n_phases, 2);
	assert_int_equal(lines.phases[0].phase, TS_STEP_PREFILL);
	assert_int_equal(lines.phases[0].steps, 1);
	assert_int_equal(lines.phases[0].busy_ns, 40);
	assert_true(lines.phases[0].has_tokens && lines.phases[0].tokens == 100);
	assert_int_equal(lines.phases[1].phase, TS_STEP_DECODE);
	assert_int_equal(lines.phases[1].steps, 2);
	assert_int_equal(lines.phases[1].busy_ns, 17);
	assert_int_equal(lines.phases[1].host_ns, 100);
	assert_true(lines.phases[1].has_requests && lines.phases[1].requests == 5 && !lines.phases[1].has_tokens);
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_names_say),
		cmocka_unit_test(iterations_are_steps),
		cmocka_unit_test(the_profilers_steps_count_where_they_are_as_many),
		cmocka_unit_test(a_name_that_was_said),
		cmocka_unit_test(phases_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
