/* trace_warmup.h: what stays of a trace, found on paper. */
#include "analysis/trace/device/trace_warmup.h"

#include "analysis/trace/advice/trace_answer.h"
#include "analysis/trace/device/trace_steps.h"
#include "analysis/trace/diff/trace_diff.h"
#include "analysis/trace/ranks/job_trace.h"
#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Three steps on the host at 1000, 2000 and 3000, of 900 each. Each launches a kernel of 500 that runs 1200 after its step's begin, so
 * that the first one runs during the second step; and a Python function stands around them all. */
static void begin(struct made *m)
{
	made_begin(m);
	made_host(m, TS_TRACE_PYTHON, "train", 0, 500, 4000);
	for (int64_t step = 1; step <= 3; step++) {
		made_host(m, TS_TRACE_ANNOTATION, step == 1 ? "ProfilerStep#1" : step == 2 ? "ProfilerStep#2" : "ProfilerStep#3", 0,
			  1000 * step, 1000 * step + 900);
		made_operator(m, "aten::mm", 0, 1000 * step + 100, 1000 * step + 300, step, TS_TRACE_NONE);
		made_launch(m, TS_TRACE_KERNEL, "gemm", 7, 1000 * step + 200, 1000 * step + 1200, 1000 * step + 1700);
	}
	made_arrow(m, 1, 0, 1150, 1, 1160);
	made_arrow(m, 2, 0, 2150, 1, 2160);
}

static enum ts_status leave_out(struct made *m, uint64_t steps)
{
	struct ts_warmup_asked asked = {true, steps};
	struct ts_arena scratch;
	enum ts_status status;

	ts_arena_init(&scratch, 0);
	status = ts_warmup_leave_out(&m->trace, &asked, "t.json", &scratch, &m->err);
	ts_arena_finish(&scratch);
	return status;
}

static size_t of_kind(const struct made *m, enum ts_trace_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < m->trace.rows.spans.n; i++)
		n += m->trace.rows.spans.kind[i] == kind;
	return n;
}

/* The kernel of step 1 begins during step 2, and goes with the call that launched it. */
static void what_belongs_to_a_step_goes_with_it(void **state)
{
	struct ts_trace_answer a;
	struct made m;

	(void)state;
	begin(&m);
	assert_int_equal(ts_trace_steps_count(&m.trace), 3);
	assert_int_equal(leave_out(&m, 1), TS_OK);
	assert_int_equal(m.trace.warmup.steps, 1);
	assert_int_equal(m.trace.warmup.marked, 3);
	assert_int_equal(m.trace.warmup.events, 1);
	assert_int_equal(m.trace.warmup.done_ns, 2700);
	assert_int_equal(of_kind(&m, TS_TRACE_ANNOTATION), 2);
	assert_int_equal(of_kind(&m, TS_TRACE_OPERATOR), 2);
	assert_int_equal(of_kind(&m, TS_TRACE_RUNTIME), 2);
	assert_int_equal(of_kind(&m, TS_TRACE_KERNEL), 2);
	assert_int_equal(of_kind(&m, TS_TRACE_PYTHON), 1);
	assert_int_equal(m.trace.rows.flows.n, 2); /* the arrow of step 2 */
	assert_int_equal(m.trace.rows.operators.n, 2);
	for (size_t i = 0; i < 2; i++) { /* each row still names its own span */
		uint32_t span = m.trace.rows.operators.span[i];

		assert_int_equal(m.trace.rows.spans.kind[span], TS_TRACE_OPERATOR);
		assert_int_equal(m.trace.rows.spans.start_ns[span], 2100 + 1000 * (int64_t)i);
		assert_int_equal(m.trace.rows.operators.sequence[i], 2 + (int64_t)i);
	}
	assert_int_equal(ts_trace_check(&m.trace, &m.err), TS_OK);
	assert_int_equal(ts_trace_answer(&m.trace, NULL, &m.arena, &a, &m.err), TS_OK);
	assert_int_equal(a.lines.n_steps, 2);
	assert_int_equal(a.lines.all.events, 2);
	assert_int_equal(a.lines.all.begin_ns, 3200);
	assert_int_equal(a.lines.all.span_ns, 1500);
	assert_int_equal(a.lines.all.busy_ns, 1000);
	assert_int_equal(a.warmup.steps, 1);
	made_finish(&m);
}

/* The function around the training ran for 2000 since the begin of step 2, in which operators took 400. */
static void what_was_open_counts_from_then_on(void **state)
{
	struct ts_trace_answer a;
	struct made m;

	(void)state;
	begin(&m);
	assert_int_equal(leave_out(&m, 1), TS_OK);
	for (size_t i = 0; i < m.trace.rows.spans.n; i++)
		if (m.trace.rows.spans.kind[i] == TS_TRACE_PYTHON) {
			assert_int_equal(m.trace.rows.spans.start_ns[i], 2000);
			assert_int_equal(m.trace.rows.spans.duration_ns[i], 2000);
		}
	assert_int_equal(ts_trace_answer(&m.trace, NULL, &m.arena, &a, &m.err), TS_OK);
	assert_int_equal(a.host.steps.all.wall_ns, 2000);
	made_finish(&m);
}

/* Without --warmup the means leave out the first of three; with it they are over what is left. */
static void means_are_over_what_is_left(void **state)
{
	struct ts_trace_answer a;
	struct made m;

	(void)state;
	begin(&m);
	assert_int_equal(ts_trace_answer(&m.trace, NULL, &m.arena, &a, &m.err), TS_OK);
	assert_int_equal(a.work.steps.steps, 2);
	assert_int_equal(a.work.steps.warmup, 1);
	assert_int_equal(leave_out(&m, 0), TS_OK);
	assert_true(m.trace.warmup.given);
	assert_int_equal(of_kind(&m, TS_TRACE_KERNEL), 3);
	assert_int_equal(ts_trace_answer(&m.trace, NULL, &m.arena, &a, &m.err), TS_OK);
	assert_int_equal(a.work.steps.steps, 3);
	assert_int_equal(a.work.steps.warmup, 0);
	assert_int_equal(leave_out(&m, 2), TS_OK);
	assert_int_equal(ts_trace_answer(&m.trace, NULL, &m.arena, &a, &m.err), TS_OK);
	assert_int_equal(a.work.steps.steps, 1);
	assert_int_equal(a.work.steps.first, 3);
	made_finish(&m);
}

/* As devices saw it, step 2 goes from the end of the kernel of step 1 to that of its own, whether step 1 is there or not. */
static void steps_of_a_job_keep_their_bounds(void **state)
{
	struct ts_job_trace whole, cut;
	struct ts_arena scratch;
	struct made m;

	(void)state;
	begin(&m);
	ts_arena_init(&scratch, 0);
	assert_int_equal(ts_job_trace_of(&m.trace, &scratch, &m.arena, &whole, &m.err), TS_OK);
	assert_int_equal(leave_out(&m, 1), TS_OK);
	assert_int_equal(ts_job_trace_of(&m.trace, &scratch, &m.arena, &cut, &m.err), TS_OK);
	assert_int_equal(whole.n_steps, 3);
	assert_int_equal(cut.n_steps, 2);
	assert_int_equal(whole.steps[1].begin, 2700);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(cut.steps[i].number, whole.steps[i + 1].number);
		assert_int_equal(cut.steps[i].begin, whole.steps[i + 1].begin);
		assert_int_equal(cut.steps[i].end, whole.steps[i + 1].end);
	}
	ts_arena_finish(&scratch);
	made_finish(&m);
}

static void a_side_leaves_out_as_many(void **state)
{
	struct ts_trace_side side;
	struct made m;

	(void)state;
	begin(&m);
	for (uint64_t n = 0; n < 3; n++) {
		assert_int_equal(ts_trace_side(&m.trace, true, &(struct ts_warmup_asked){true, n}, &m.arena, &side, &m.err), TS_OK);
		assert_int_equal(side.n_recorded, 3);
		assert_int_equal(side.skipped, n);
		assert_int_equal(side.n, 3 - n);
		assert_int_equal(side.first, 1 + (int64_t)n);
		assert_int_equal(side.windows[side.n - 1].begin, 3700);
	}
	made_finish(&m);
}

/* The windows of the steps that are left are those that they have beside the others. */
static void a_path_leaves_out_as_many(void **state)
{
	struct ts_critical_path all, path;
	struct ts_nest nest;
	struct made m;

	(void)state;
	begin(&m);
	assert_int_equal(ts_nest(&m.trace, &m.arena, &nest, &m.err), TS_OK);
	assert_int_equal(ts_critical_path(&m.trace, &nest, &(struct ts_path_asked){.has_warmup = true}, &m.arena, &all, &m.err), TS_OK);
	assert_int_equal(all.n_windows, 3);
	assert_int_equal(all.ns, 4700 - 1000); /* from the begin of step 1 on the host to the end of the last kernel */
	for (size_t n = 1; n < 3; n++) {
		assert_int_equal(ts_critical_path(&m.trace, &nest, &(struct ts_path_asked){.has_warmup = true, .warmup = n}, &m.arena,
						  &path, &m.err),
				 TS_OK);
		assert_int_equal(path.n_windows, 3 - n);
		assert_int_equal(path.windows[0].step, 1 + (int64_t)n);
		assert_int_equal(path.windows[0].begin_ns, all.windows[n].begin_ns);
		assert_int_equal(path.windows[0].ns, all.windows[n].ns);
	}
	made_finish(&m);
}

static void a_step_must_be_left(void **state)
{
	struct made m;

	(void)state;
	begin(&m);
	assert_int_equal(leave_out(&m, 3), TS_INVALID);
	assert_string_equal(m.err.text, "--warmup 3 leaves no step of t.json, which marks 3 (ProfilerStep); at most 2 can be left out");
	assert_int_equal(of_kind(&m, TS_TRACE_KERNEL), 3);
	made_finish(&m);
	made_begin(&m);
	made_launch(&m, TS_TRACE_KERNEL, "gemm", 7, 100, 200, 300);
	assert_int_equal(leave_out(&m, 0), TS_OK);
	assert_int_equal(leave_out(&m, 1), TS_INVALID);
	assert_string_equal(m.err.text, "--warmup 1: t.json marks no steps (ProfilerStep), so that none can be left out");
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_belongs_to_a_step_goes_with_it),
		cmocka_unit_test(what_was_open_counts_from_then_on),
		cmocka_unit_test(means_are_over_what_is_left),
		cmocka_unit_test(steps_of_a_job_keep_their_bounds),
		cmocka_unit_test(a_side_leaves_out_as_many),
		cmocka_unit_test(a_path_leaves_out_as_many),
		cmocka_unit_test(a_step_must_be_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
