/* trace_rows.c and trace_verdict.c: rows, findings and advice of traces whose times were found on paper. */
#include "analysis/trace/advice/trace_answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/answer/rank_rows.h"
#include "analysis/answer/test_seen.h"
#include "analysis/trace/ranks/job.h"
#include "analysis/trace/test_trace_made.h"

#define MS 1000000

static struct ts_trace_answer answer;

static void judge(struct made *m, const struct ts_policy *policy)
{
	assert_int_equal(ts_trace_answer(&m->trace, NULL, &m->arena, &answer, &m->err), TS_OK);
	assert_int_equal(ts_trace_judge(&answer, policy, &m->arena, &m->err), TS_OK);
	assert_true(test_seen(&answer.verdict.measures));
}

static void is(const char *subject, const char *name, double want)
{
	double got = NAN;

	if (!test_value(&answer.verdict.measures, "trace", subject, name, &got) || fabs(got - want) > 1e-15)
		fail_msg("%s %s is %.17g and not %.17g", subject, name, got, want);
}

static const struct ts_finding *finding(const char *code)
{
	for (size_t i = 0; i < answer.verdict.findings.n; i++)
		if (ts_span_is(answer.verdict.findings.items[i].code, code))
			return &answer.verdict.findings.items[i];
	return NULL;
}

/* The demo of pytscope: six steps of 8 ms of computation and 6 ms of all-reduce that begins 4 ms before its end. 36 ms of
 * communication, 24 of them overlapped, 12 exposed, of 60 ms in all. */
static void six_steps(struct made *m)
{
	for (int64_t i = 0; i < 6; i++) {
		int64_t t = 10 * i * MS;

		made_add(m, TS_TRACE_KERNEL, NAME_GEMM, 7, t, t + 8 * MS, TS_TRACE_NONE);
		made_add(m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 9, t + 4 * MS, t + 10 * MS, TS_TRACE_NONE);
	}
}

static void exposed_communication(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m);
	six_steps(&m);
	judge(&m, NULL);
	is("communication", "time_s", 0.036);
	is("communication", "overlapped_ratio", 24.0 / 36);
	is("exposed_communication", "time_s", 0.012);
	is("exposed_communication", "share_ratio", 0.2);
	is("span", "time_s", 0.060);
	is("devices", "events_count", 12);
	is("devices", "unlaunched_ratio", 1);
	is("category", "top_ratio", 48.0 / 84);
	assert_non_null(finding("DIST.EXPOSED_COMM"));
	assert_int_equal(finding("DIST.EXPOSED_COMM")->severity, TS_SEVERITY_HIGH);
	assert_int_equal(answer.verdict.findings.n, 1);
	assert_int_equal(answer.verdict.n_advice, 1);
	assert_int_equal(answer.verdict.advice[0].saves_most_ns, 12 * MS);
	assert_int_equal(answer.verdict.span_ns, 60 * MS);
	made_finish(&m);
}

static void a_policy_moves_limits(void **state)
{
	struct ts_policy_item higher = {.code = ts_span_str("DIST.EXPOSED_COMM"), .threshold = ts_span_str("min_share"), .value = 0.21};
	struct ts_policy policy = {&higher, 1};
	struct made m;

	(void)state;
	made_begin(&m);
	six_steps(&m);
	judge(&m, &policy);
	assert_int_equal(answer.verdict.findings.n, 0);
	assert_int_equal(answer.verdict.n_advice, 0);
	made_finish(&m);
}

/* Communication of one device is not hidden by computation of another: 10 of 20 ms of each device are exposed on the second alone. */
static void each_device_counts_by_itself(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 0, 20 * MS, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 10, 0, 10 * MS, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 10, 10 * MS, 20 * MS, TS_TRACE_NONE);
	judge(&m, NULL);
	is("span", "time_s", 0.040);
	is("exposed_communication", "time_s", 0.010);
	is("exposed_communication", "share_ratio", 0.25);
	is("devices", "count", 2);
	made_finish(&m);
}

/* 60 kernels of 1 ms, each asked for 1 ms after the last has ended, and begun 1 ms later: of 178 ms 59 are host and 59 launch. In two
 * steps of 90 ms. */
static void idle_for_the_host(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_ANNOTATION, NAME_STEP_1, 0, -2 * MS, 88 * MS, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_ANNOTATION, NAME_STEP_2, 0, 88 * MS, 178 * MS, TS_TRACE_NONE);
	for (int64_t i = 0; i < 60; i++) {
		int64_t t = 3 * i * MS;

		made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, t - MS, t - MS + 1000, i + 1);
		made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, t, t + MS, i + 1);
	}
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 1, 10 * MS + 1, 10 * MS + 2, TS_TRACE_NONE);
	judge(&m, NULL);
	is("span", "time_s", 0.178);
	is("idle_host", "time_s", 0.058999998); /* without 1 ns that communicates, and 1 ns before that */
	is("idle_launch", "time_s", 0.059);
	is("idle_unknown", "time_s", 1e-9);
	is("kernels", "mean_s", (0.060 + 1e-9) / 61);
	is("steps", "count", 2);
	is("steps", "mean_s", 0.090);
	is("steps", "exposed_communication_s", 0.5e-9);
	assert_int_equal(answer.verdict.n_advice, 2);
	assert_true(ts_span_is(answer.verdict.advice[0].code, "TRACE.LAUNCH_BOUND"));
	assert_int_equal(answer.verdict.advice[0].saves_most_ns, 59 * MS);
	assert_true(ts_span_is(answer.verdict.advice[1].code, "TRACE.HOST_BOUND"));
	assert_int_equal(answer.verdict.advice[1].saves_most_ns, 59 * MS - 2);
	assert_int_equal(finding("TRACE.HOST_BOUND")->severity, TS_SEVERITY_MEDIUM);
	assert_int_equal(finding("TRACE.LAUNCH_BOUND")->severity, TS_SEVERITY_HIGH);
	made_finish(&m);
}

/* A graph is captured, of so many launches. */
static void capture(struct made *m, int64_t launches)
{
	made_add(m, TS_TRACE_RUNTIME, made_name(m, "cudaStreamBeginCapture"), 0, 0, 1, 1000);
	for (int64_t i = 0; i < launches; i++)
		made_add(m, TS_TRACE_RUNTIME, made_name(m, "cudaLaunchKernel"), 0, 10 + i, 11 + i, 2000 + i);
}

/* While graphs are captured devices wait for the host, and no advice follows from that; where what ran is more than three quarters
 * of what was launched it does. */
static void a_capture_is_no_sample(void **state)
{
	(void)state;
	for (int64_t captured = 19; captured <= 20; captured++) {
		struct made m;

		made_begin(&m);
		capture(&m, captured);
		for (int64_t i = 0; i < 60; i++)
			made_call(&m, TS_TRACE_KERNEL, "gemm", 0, 3 * i * MS - 1000, 3 * i * MS, 3 * i * MS, (3 * i + 1) * MS);
		judge(&m, NULL);
		assert_int_equal(answer.verdict.captures, captured == 20);
		assert_int_equal(answer.verdict.n_advice, captured == 20 ? 0 : 1);
		assert_int_equal(finding("TRACE.HOST_BOUND") != NULL, captured == 19); /* the findings say no other thing */
		made_finish(&m);
	}
}

/* Twenty launches are captured, and what graphs run later is as much as all calls that launch a kernel, or one less. */
static void a_capture_that_is_replayed_is_one(void **state)
{
	(void)state;
	for (int64_t ran = 19; ran <= 20; ran++) {
		struct made m;

		made_begin(&m);
		capture(&m, 20);
		for (int64_t i = 0; i < 60; i++) {
			bool graph = i < ran;

			made_add(&m, TS_TRACE_RUNTIME, made_name(&m, graph ? "cudaGraphLaunch" : "cudaMemcpyAsync"), 0,
				 3 * i * MS - 1000, 3 * i * MS, i + 1);
			made_add(&m, graph ? TS_TRACE_KERNEL : TS_TRACE_COPY, NAME_GEMM, 0, 3 * i * MS, (3 * i + 1) * MS, i + 1);
		}
		judge(&m, NULL);
		assert_int_equal(answer.verdict.captures, ran == 19);
		assert_int_equal(answer.verdict.n_advice > 0, ran == 20);
		made_finish(&m);
	}
}

/* Nothing is found of a capture, however little it ran. */
static void a_capture_of_which_little_ran(void **state)
{
	(void)state;
	for (int fills = 0; fills < 2; fills++) {
		struct made m;

		made_begin(&m);
		capture(&m, 20);
		for (int64_t i = 0; i < 2; i++)
			made_add(&m, fills ? TS_TRACE_FILL : TS_TRACE_KERNEL, NAME_GEMM, 0, 100 * i * MS, 100 * i * MS + 1000, i + 1);
		judge(&m, NULL);
		assert_int_equal(answer.verdict.findings.n, 0);
		assert_true(!answer.verdict.n_slight && !answer.verdict.n_advice && answer.verdict.captures);
		made_finish(&m);
	}
}

/* Three steps, and in each the device waits 60 ms for the host before 50 kernels take 40: of 240 ms 120 are for the host. The longest
 * gap is not all there is. */
static void a_gap_of_each_step_is_no_exception(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m);
	for (int64_t step = 0; step < 3; step++) {
		int64_t t = 100 * step * MS;

		made_add(&m, TS_TRACE_ANNOTATION, NAME_STEP_1, 0, t - 60 * MS, t + 40 * MS, TS_TRACE_NONE);
		for (int64_t i = 0; i < 50; i++)
			made_launch(&m, TS_TRACE_KERNEL, "gemm", 0, t, t + i * 800000, t + i * 800000 + 799000);
	}
	judge(&m, NULL);
	is("steps", "count", 3);
	assert_true(answer.idle[0].gaps > 30);
	assert_non_null(finding("TRACE.HOST_BOUND"));
	made_finish(&m);
}

/* Kernels of a graph say so by the call that launched them, too, as ROCm's do, which have no graph id. */
static void graphs_by_their_launch(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m);
	for (int64_t i = 0; i < 60; i++) {
		made_add(&m, TS_TRACE_RUNTIME, made_name(&m, "hipGraphLaunch"), 0, 3 * i * MS - 1000, 3 * i * MS, i + 1);
		made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 3 * i * MS, (3 * i + 1) * MS, i + 1);
	}
	judge(&m, NULL);
	assert_int_equal(answer.verdict.n_advice, 1);
	assert_true(ts_span_contains(answer.verdict.advice[0].how, "CUDA graphs launch most kernels"));
	made_finish(&m);
}

/* Where graphs launch most kernels, advice does not ask for graphs. */
static void graphs_that_are_in_use(void **state)
{
	(void)state;
	for (int64_t in_graphs = 30; in_graphs <= 31; in_graphs++) {
		struct made m;

		made_begin(&m);
		for (int64_t i = 0; i < 60; i++) {
			made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 3 * i * MS - 1000, 3 * i * MS, i + 1);
			made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 3 * i * MS, (3 * i + 1) * MS, i + 1);
			made_kernel(&m, "[1,1,1]", NAN, NAN, i < in_graphs ? 5 : TS_TRACE_NONE);
		}
		judge(&m, NULL);
		assert_int_equal(answer.verdict.n_advice, 1);
		assert_true(ts_span_is(answer.verdict.advice[0].code, "TRACE.HOST_BOUND"));
		assert_int_equal(ts_span_contains(answer.verdict.advice[0].how, "capture CUDA graphs"), in_graphs == 30);
		assert_int_equal(ts_span_contains(answer.verdict.advice[0].how, "CUDA graphs launch most kernels"), in_graphs == 31);
		made_finish(&m);
	}
}

/* Of four findings the three of the longest times are advice, the longest first. */
static void three_pieces_at_most(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m);
	for (int64_t i = 0; i < 60; i++) {
		int64_t t = 100 * i * MS;

		made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, t - 15 * MS, t, i + 1);
		made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, t, t + 30 * MS, i + 1);
		made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 0, t + 30 * MS, t + 40 * MS, i + 1);
		made_add(&m, TS_TRACE_COPY, NAME_NONE, 0, t + 40 * MS, t + 47 * MS, i + 1);
	}
	judge(&m, NULL);
	assert_int_equal(answer.verdict.findings.n, 4);
	assert_int_equal(answer.verdict.n_advice, 3);
	assert_true(ts_span_is(answer.verdict.advice[0].code, "TRACE.HOST_BOUND"));
	assert_int_equal(answer.verdict.advice[0].saves_most_ns, INT64_C(59) * 38 * MS);
	assert_true(ts_span_is(answer.verdict.advice[1].code, "TRACE.LAUNCH_BOUND"));
	assert_true(ts_span_is(answer.verdict.advice[2].code, "DIST.EXPOSED_COMM"));
	made_finish(&m);
}

/* 60 kernels of 7 ms, each asked for 2.5 ms after the last has ended, and begun 0.5 ms later. Behind each `every`th the host waited. */
static void waits_behind(struct made *m, int64_t every)
{
	made_begin(m);
	for (int64_t i = 0; i < 60; i++) {
		int64_t t = 10 * i * MS;

		made_launch(m, TS_TRACE_KERNEL, "gemm", 0, t - MS / 2, t, t + 7 * MS);
		if (i % every)
			continue;
		made_host(m, TS_TRACE_PYTHON, i / every % 3 ? "train.py(7): main" : "log.py(3): show", 0, t + MS, t + 8 * MS);
		made_host(m, TS_TRACE_RUNTIME, "cudaStreamSynchronize", 0, t + 2 * MS, t + 7 * MS + 1000);
	}
	judge(m, NULL);
	assert_non_null(finding("TRACE.SYNC"));
	assert_non_null(finding("TRACE.HOST_BOUND"));
	is("idle_host", "time_s", 0.1475);
	assert_int_equal(answer.verdict.n_advice, 1);
}

/* What is computed for the rows alone says the same as the whole answer, and needs nothing of the trace afterwards. */
static void rows_alone_say_the_same(void **state)
{
	struct ts_measures rows = {0};
	struct ts_arena scratch;
	struct made m;

	(void)state;
	waits_behind(&m, 4);
	ts_arena_init(&scratch, 0);
	assert_int_equal(ts_trace_rows_of(&m.trace, &scratch, &m.arena, &rows, &m.err), TS_OK);
	ts_arena_finish(&scratch);
	assert_int_equal(rows.n, answer.verdict.measures.n);
	for (size_t i = 0; i < rows.n; i++) {
		const struct ts_measure *a = &rows.items[i], *b = &answer.verdict.measures.items[i];

		if (!ts_span_eq(a->subject, b->subject) || !ts_span_eq(a->name, b->name) || a->known != b->known ||
		    !ts_span_eq(a->text, b->text) || (a->known && a->unit != TS_UNIT_TEXT && !(fabs(a->value - b->value) <= 0)))
			fail_msg("%.*s %.*s differs", TS_SPAN_ARG(a->subject), TS_SPAN_ARG(a->name));
	}
	made_finish(&m);
}

/* The same idle time is not advised twice. */
static void waits_or_the_host(void **state)
{
	struct made m;

	(void)state;
	waits_behind(&m, 1);
	is("idle_after_waits", "time_s", 0.177);
	assert_int_equal(finding("TRACE.SYNC")->severity, TS_SEVERITY_HIGH);
	assert_true(ts_span_contains(finding("TRACE.SYNC")->detail, "; most often it waited at train.py(7): main"));
	assert_true(ts_span_is(answer.verdict.advice[0].code, "TRACE.SYNC"));
	assert_int_equal(answer.verdict.advice[0].saves_most_ns, 177 * MS);
	made_finish(&m);
	waits_behind(&m, 4);
	is("idle_after_waits", "time_s", 0.045);
	assert_true(ts_span_is(answer.verdict.advice[0].code, "TRACE.HOST_BOUND"));
	made_finish(&m);
}

/* Of 14 ms one device is idle for 10: 3 while it is set up, one in which the host asks for nothing else, and twice 3 in calls that load
 * what they launch, once from the begin of the call on, and once, as the call began before, from that of the gap on. */
static void what_is_set_up_is_no_slow_host(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m);
	made_call(&m, TS_TRACE_KERNEL, "a", 0, -1000, 0, 0, MS);
	made_host(&m, TS_TRACE_RUNTIME, "cudaFree", 0, MS, 4 * MS);
	made_call(&m, TS_TRACE_KERNEL, "b", 0, 5 * MS, 8 * MS, 8 * MS, 10 * MS);
	made_call(&m, TS_TRACE_KERNEL, "c", 0, 9 * MS, 13 * MS, 13 * MS, 14 * MS);
	judge(&m, NULL);
	is("idle", "time_s", 0.010);
	is("idle_host", "time_s", 0.001);
	is("idle_launch", "time_s", 0);
	is("idle_queued", "time_s", 0);
	is("idle_first_launch", "time_s", 0.009);
	is("idle_after_waits", "time_s", 0);
	assert_int_equal(answer.verdict.findings.n, 1);
	assert_non_null(finding("TRACE.FIRST_LAUNCH"));
	assert_int_equal(answer.verdict.n_advice, 0);
	made_finish(&m);
}

/* A loop that reads its loss by .item() in each step of 10 ms: a kernel that is asked for at 0 and runs from 0.01 to `busy` ms, and a
 * copy behind it, in the call that waits for both. Then the host works until the next step. After 7 ms of work the wait took longer
 * than the 2.99 ms that are idle, all of which it cost. After 1 ms the host was late by 8.99 ms, of which the wait, from 0.02 to 1.03
 * ms, cost no more than it took. */
static void an_item_in_each_step(void **state)
{
	static const struct {
		int64_t busy;
		double cost, host;
		const char *first;
	} paper[] = {{7, 59 * 0.00299, 59 * 0.00298, "TRACE.SYNC"}, {1, 59 * 0.00101, 59 * 0.00898, "TRACE.HOST_BOUND"}};

	(void)state;
	for (size_t which = 0; which < 2; which++) {
		struct made m;

		made_begin(&m);
		for (int64_t i = 0; i < 60; i++) {
			int64_t t = 10 * i * MS, until = t + paper[which].busy * MS;

			made_call(&m, TS_TRACE_KERNEL, "gemm", 0, t, t + 5000, t + 10000, until);
			made_host(&m, TS_TRACE_PYTHON, "train.py(7): main", 0, t + 10000, until + 60000);
			made_host(&m, TS_TRACE_OPERATOR, "aten::item", 0, t + 15000, until + 50000);
			made_call(&m, TS_TRACE_COPY, "Memcpy DtoH (Device -> Pageable)", 0, t + 20000, until + 30000, until + 10000,
				  until + 20000);
			made_host(&m, TS_TRACE_RUNTIME, "cudaStreamSynchronize", 0, until + 35000, until + 40000);
		}
		judge(&m, NULL);
		is("idle_after_waits", "time_s", paper[which].cost);
		is("idle_host", "time_s", paper[which].host);
		assert_true(ts_span_contains(finding("TRACE.SYNC")->detail, "; most often it waited at train.py(7): main"));
		assert_true(ts_span_is(answer.verdict.advice[0].code, paper[which].first));
		made_finish(&m);
	}
}

/* Behind each wait the host loads for 2.4 ms, or for 1.1 ms, of the 3 ms until the next kernel. The 59 gaps are all idle
 * time, so what was loading was behind waits, too. */
static void waits_or_loading(void **state)
{
	struct made m;

	(void)state;
	for (int shorter = 0; shorter < 2; shorter++) {
		made_begin(&m);
		for (int64_t i = 0; i < 60; i++) {
			int64_t t = 10 * i * MS;

			made_launch(&m, TS_TRACE_KERNEL, "gemm", 0, t - MS / 2, t, t + 7 * MS);
			made_host(&m, TS_TRACE_RUNTIME, "cudaStreamSynchronize", 0, t + 2 * MS, t + 7 * MS + 1000);
			made_host(&m, TS_TRACE_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0,
				  t + 7 * MS + 2000, t + 7 * MS + 2000 + (shorter ? 1100000 : 2400000));
		}
		judge(&m, NULL);
		is("idle", "time_s", 0.177);
		is("idle_after_waits", "time_s", 0.177);
		is("idle_loading", "time_s", shorter ? 0.0649 : 0.1416);
		assert_non_null(finding("TRACE.LOADER") && finding("TRACE.SYNC") ? finding("TRACE.HOST_BOUND") : NULL);
		assert_int_equal(answer.verdict.n_advice, shorter ? 2 : 1);
		assert_true(ts_span_is(answer.verdict.advice[0].code, shorter ? "TRACE.SYNC" : "TRACE.LOADER"));
		if (shorter) {
			/* The same time is not advised twice: what did not load is left for the waits. */
			assert_int_equal(answer.verdict.advice[0].saves_most_ns, 177 * MS - 64900000);
			assert_int_equal(answer.verdict.advice[1].saves_most_ns, 64900000);
		}
		made_finish(&m);
	}
}

/* 60 kernels so long, one every 10 ms, each asked for 1 ms before it begins, and before that the host loads so long. The operator is
 * the one that launched them. */
static void load_between(struct made *m, int64_t kernel, int64_t loading, const char *in_operator)
{
	made_begin(m);
	for (int64_t i = 0; i < 60; i++) {
		int64_t t = 10 * i * MS;

		made_host(m, TS_TRACE_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, t - MS - loading,
			  t - MS);
		made_host(m, TS_TRACE_OPERATOR, in_operator, 0, t - MS, t);
		made_launch(m, TS_TRACE_KERNEL, "gemm", 0, t - MS, t, t + kernel);
	}
	judge(m, NULL);
}

/* Of 59 times 4 ms that wait for the host 1.2 are in a loader: less than half, but as much as the rule asks for. */
static void loading_and_the_rest(void **state)
{
	struct made m;

	(void)state;
	load_between(&m, 5 * MS, 1200000, "aten::mm");
	is("idle_host", "time_s", 0.236);
	is("idle_loading", "time_s", 0.0708);
	assert_int_equal(answer.verdict.n_advice, 2);
	assert_true(ts_span_is(answer.verdict.advice[0].code, "TRACE.HOST_BOUND"));
	assert_int_equal(answer.verdict.advice[0].saves_most_ns, 236 * MS - 70800000);
	assert_true(ts_span_is(answer.verdict.advice[1].code, "TRACE.LOADER"));
	assert_int_equal(answer.verdict.advice[1].saves_most_ns, 70800000);
	made_finish(&m);
}

/* A loader that has workers is not given some; one of two may. */
static void loaders_that_have_workers(void **state)
{
	static const char with[] = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
	static const char without[] = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
	struct made m;

	(void)state;
	for (int others = 0; others < 2; others++) {
		made_begin(&m);
		for (int64_t i = 0; i < 60; i++) {
			made_host(&m, TS_TRACE_ANNOTATION, others && i == 7 ? without : with, 0, 10 * i * MS - 4 * MS,
				  10 * i * MS - MS);
			made_launch(&m, TS_TRACE_KERNEL, "gemm", 0, 10 * i * MS - MS, 10 * i * MS, (10 * i + 5) * MS);
		}
		judge(&m, NULL);
		assert_int_equal(answer.verdict.n_advice, 1);
		assert_true(ts_span_is(answer.verdict.advice[0].code, "TRACE.LOADER"));
		assert_int_equal(ts_span_contains(answer.verdict.advice[0].how, "has workers already"), !others);
		assert_int_equal(ts_span_contains(answer.verdict.advice[0].how, "(num_workers)"), others);
		made_finish(&m);
	}
}

/* What is compiled already is not to be compiled, but captured: 31 of 60 kernels in a region or a backward graph, and no less. */
static void the_host_of_what_is_compiled(void **state)
{
	struct made m;

	(void)state;
	for (int compiled = 0; compiled < 4; compiled++) {
		bool most = compiled % 2;

		made_begin(&m);
		made_host(&m, TS_TRACE_OPERATOR, compiled < 2 ? "Torch-Compiled Region: 0/0" : "CompiledFunctionBackward", 0, -5 * MS,
			  295 * MS + (most ? 10 * MS : 0));
		for (int64_t i = 0; i < 60; i++)
			made_launch(&m, TS_TRACE_KERNEL, "gemm", 0, 10 * i * MS - MS / 2, 10 * i * MS, (10 * i + 5) * MS);
		judge(&m, NULL);
		assert_int_equal(answer.verdict.n_advice, 1);
		assert_true(ts_span_is(answer.verdict.advice[0].code, "TRACE.HOST_BOUND"));
		assert_int_equal(ts_span_contains(answer.verdict.advice[0].how, "Compile the model"), !most);
		assert_int_equal(ts_span_contains(answer.verdict.advice[0].how, "let CUDA graphs launch it"), most);
		made_finish(&m);
	}
}

/* Copies of 1 ms within the device, of pinned memory and of pageable memory, so many of each, and kernels of 10 ms between them that
 * cover four more of pinned memory. */
static void copies_of_a_kind(void **state)
{
	static const char *const names[] = {"Memcpy DtoD (Device -> Device)", "Memcpy HtoD (Pinned -> Device)",
					    "Memcpy DtoH (Device -> Pageable)"};
	static const struct {
		int n[3];
		const char *how;
	} cases[] = {
		{{3, 1, 1}, "Copies within a device take most"},
		{{1, 3, 1}, "is pinned already take most"},
		{{0, 1, 1}, "Pin the memory of the host and copy with non_blocking=True on a stream of its own, ahead of the work"},
		{{1, 0, 2}, "is pageable take most"},
	};
	struct made m;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int64_t t = 0;

		made_begin(&m);
		for (int kind = 0; kind < 3; kind++)
			for (int k = 0; k < cases[i].n[kind]; k++, t += 11 * MS) {
				made_add(&m, TS_TRACE_COPY, made_name(&m, names[kind]), 7, t, t + MS, TS_TRACE_NONE);
				made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 7, t + MS, t + 11 * MS, TS_TRACE_NONE);
			}
		for (int k = 0; k < 4; k++)
			made_add(&m, TS_TRACE_COPY, made_name(&m, names[1]), 8, (2 + k) * MS, (3 + k) * MS, TS_TRACE_NONE);
		judge(&m, NULL);
		is("exposed_copies", "share_ratio", 1.0 / 11);
		assert_int_equal(answer.verdict.n_advice, 1);
		if (!ts_span_contains(answer.verdict.advice[0].how, cases[i].how))
			fail_msg("case %zu: %.*s", i, TS_SPAN_ARG(answer.verdict.advice[0].how));
		made_finish(&m);
	}
}

/* Attention takes 240 ms of 594, which a fused kernel takes a part of, too. Loading, which workers hide wholly, takes 59 times 4 ms, or
 * 3.9: less by 4 or 9.9 ms, where 5.94 are 1 %. */
static void idle_before_work_of_about_its_size(void **state)
{
	struct made m;

	(void)state;
	for (int shorter = 0; shorter < 2; shorter++) {
		load_between(&m, 4 * MS, shorter ? 3900000 : 4000000, "aten::_scaled_dot_product_attention_math");
		is("math_attention", "time_s", 0.240);
		is("idle_loading", "time_s", shorter ? 0.2301 : 0.236);
		assert_int_equal(answer.verdict.n_advice, 2);
		assert_true(ts_span_is(answer.verdict.advice[0].code, shorter ? "TRACE.MATH_ATTENTION" : "TRACE.LOADER"));
		assert_true(ts_span_is(answer.verdict.advice[1].code, shorter ? "TRACE.LOADER" : "TRACE.MATH_ATTENTION"));
		made_finish(&m);
	}
}

/* 60 kernels of 7 ms, each asked for 2 ms after the last has ended, of which the host is in a data loader for 1.5 ms, and begun 1 ms
 * later. Twelve of them are of attention that computes all scores. The host compiles for 30 of the 600 ms. */
static void loading_attention_compiling(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m);
	for (int64_t i = 0; i < 60; i++) {
		int64_t t = 10 * i * MS;

		made_host(&m, TS_TRACE_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, t - 5 * MS / 2,
		t - MS);
		made_host(&m, TS_TRACE_OPERATOR, i % 5 ? "aten::mm" : "aten::_scaled_dot_product_attention_math", 0, t - MS, t);
		made_launch(&m, TS_TRACE_KERNEL, "gemm", 0, t - MS, t, t + 7 * MS);
	}
	made_host(&m, TS_TRACE_ANNOTATION, "_compile.compile_inner (dynamo_timed)", 0, 600 * MS, 630 * MS);
	judge(&m, NULL);
	is("idle_host", "time_s", 0.118);
	is("idle_loading", "time_s", 0.0885);
	is("math_attention", "time_s", 0.084);
	is("math_attention", "share_ratio", 0.2);
	is("compiled", "compiling_s", 0.030);
	is("compiled", "compiling_ratio", 30 / 632.5); /* of the thread, from the first loading on */
	assert_non_null(finding("TRACE.LOADER"));
	assert_non_null(finding("TRACE.MATH_ATTENTION"));
	/* Most of the idle time for the host lies in the loader, so that is what is advised. */
	assert_null(finding("TRACE.RECOMPILED"));
	assert_int_equal(answer.verdict.n_advice, 2);
	assert_true(ts_span_is(answer.verdict.advice[0].code, "TRACE.LOADER"));
	assert_true(ts_span_is(answer.verdict.advice[1].code, "TRACE.MATH_ATTENTION"));
	made_finish(&m);
}

/* Kernels of a product, a softmax and a product, 1 ms each: attention by their shapes, and without them nobody knows. */
static void attention_in_single_operations(void **state)
{
	static const char *const names[] = {"aten::bmm", "aten::_softmax", "aten::bmm"};
	static const char *const shapes[] = {"[[6,5,4],[6,4,7]]", "[[2,3,5,7],[],[]]", "[[6,5,7],[6,7,4]]"};
	struct made m;
	double got;

	(void)state;
	for (int said = 0; said < 2; said++) {
		made_begin(&m);
		for (int i = 0; i < 3; i++) {
			made_host(&m, TS_TRACE_OPERATOR, names[i], 0, i * MS, (i + 1) * MS);
			made_arguments(&m, said ? shapes[i] : "", "", "");
			made_launch(&m, TS_TRACE_KERNEL, "k", 0, i * MS + 1, i * MS + 2, (i + 1) * MS + 2);
		}
		judge(&m, NULL);
		assert_int_equal(finding("TRACE.MATH_ATTENTION") != NULL, said);
		if (said) {
			is("math_attention", "time_s", 0.003);
			is("math_attention", "share_ratio", 1);
		} else {
			assert_false(test_value(&answer.verdict.measures, "trace", "math_attention", "share_ratio", &got));
		}
		made_finish(&m);
	}
}

/* 18 fills of 25 us are all that a device does in 45 or 46 ms: all of the work, and 1 % of the time, or a little less. */
static void what_saves_little_is_no_advice(void **state)
{
	struct made m;

	(void)state;
	for (int longer = 0; longer < 2; longer++) {
		made_begin(&m);
		for (int64_t i = 0; i < 18; i++) {
			int64_t t = i == 17 ? (45 + longer) * MS - 25000 : i * MS;

			made_add(&m, TS_TRACE_FILL, NAME_NONE, 0, t, t + 25000, TS_TRACE_NONE);
		}
		judge(&m, NULL);
		is("fills", "share_ratio", 1);
		is("fills", "time_s", 0.00045);
		assert_non_null(finding("TRACE.FILLS"));
		assert_int_equal(answer.verdict.n_advice, !longer);
		assert_int_equal(answer.verdict.n_slight, longer);
		made_finish(&m);
	}
}

/* A job of three ranks, whose rows are those of six_steps (12 of 60 ms are exposed communication). Ranks
 * 0 and 2 wait for rank 1 so long. */
static struct ts_trace_job job;
static struct ts_job_rank ranks[3];
static struct ts_rank_rows rank_rows[3];

static void judge_job(struct made *m, uint64_t waits, uint64_t span, size_t n_collectives)
{
	made_begin(m);
	six_steps(m);
	judge(m, NULL);
	job = (struct ts_trace_job){.ranks = ranks, .n_ranks = 3, .n_collectives = n_collectives};
	for (int32_t i = 0; i < 3; i++) {
		rank_rows[i] = (struct ts_rank_rows){.rank = i};
		assert_int_equal(ts_trace_rows(&answer, &m->arena, &rank_rows[i].measures, &m->err), TS_OK);
		ranks[i] = (struct ts_job_rank){.rank = i};
		ranks[i].ns[TS_JOB_SPAN] = span;
		ranks[i].ns[TS_JOB_COMMUNICATION] = 36 * MS;
		ranks[i].ns[TS_JOB_EXPOSED_WAITING] = i == 1 ? 1 : waits;
		ranks[i].caused_ns = i == 1 ? 2 * waits : (uint64_t)i;
	}
	assert_int_equal(ts_trace_job_judge(&job, rank_rows, 3, NULL, &m->arena, &m->err), TS_OK);
	for (size_t i = 0; i < 3; i++)
		assert_true(test_seen(&rank_rows[i].measures));
}

static void ranks_that_wait(void **state)
{
	struct made m;
	double got;

	(void)state;
	judge_job(&m, 9 * MS, 60 * MS, 7); /* 18 of 36 ms of all ranks: half of it */
	assert_int_equal(job.findings.n, 2);
	assert_true(test_value(&rank_rows[0].measures, "trace", "exposed_waiting", "share_ratio", &got) && fabs(got - 0.15) < 1e-15);
	assert_true(test_value(&rank_rows[0].measures, "trace", "exposed_waiting", "waited_ratio", &got) &&
		    fabs(got - 18e6 / (18e6 + 2)) < 1e-15); /* 18 ms were for rank 1, and 2 ns for rank 2 */
	assert_true(ts_span_is(job.findings.items[1].code, "TRACE.WAITING"));
	assert_int_equal(job.findings.items[1].severity, TS_SEVERITY_HIGH);
	assert_int_equal(job.findings.items[1].n_ranks, 2);
	assert_true(ts_span_contains(job.findings.items[1].detail, "for 15 % of its time, 9.00 ms; of all ranks, rank 1 is the one"));
	assert_int_equal(job.n_advice, 1);
	assert_true(ts_span_is(job.advice[0].code, "TRACE.WAITING"));
	made_finish(&m);
	judge_job(&m, 9 * MS - 1000, 60 * MS, 7); /* less than half: exposed communication is advised, and nothing twice */
	assert_int_equal(job.findings.n, 2);
	assert_int_equal(job.n_advice, 1);
	assert_true(ts_span_is(job.advice[0].code, "DIST.EXPOSED_COMM"));
	made_finish(&m);
	judge_job(&m, 0, 60 * MS, 0); /* nothing is known of waiting */
	assert_int_equal(job.findings.n, 1);
	assert_int_equal(job.findings.n_unchecked, 7); /* 12 events without calls say nothing of idle time, operators and compiling */
	assert_true(ts_span_is(job.findings.unchecked[6].code, "TRACE.WAITING"));
	assert_true(ts_span_is(job.findings.unchecked[6].reason, "of no collective of the traces it is known who waited"));
	made_finish(&m);
}

/* The same fills on each of two ranks that do not communicate. */
static void slight_on_a_rank(void **state)
{
	struct made m;

	(void)state;
	for (int longer = 0; longer < 2; longer++) {
		made_begin(&m);
		made_add(&m, TS_TRACE_FILL, NAME_NONE, 0, 0, 225000, TS_TRACE_NONE);
		made_add(&m, TS_TRACE_FILL, NAME_NONE, 0, (45 + longer) * MS - 225000, (45 + longer) * MS, TS_TRACE_NONE);
		judge(&m, NULL);
		job = (struct ts_trace_job){.ranks = ranks, .n_ranks = 2};
		for (int32_t i = 0; i < 2; i++) {
			ranks[i] = (struct ts_job_rank){.rank = i};
			rank_rows[i] = (struct ts_rank_rows){.rank = i, .measures = answer.verdict.measures};
		}
		assert_int_equal(ts_trace_job_judge(&job, rank_rows, 2, NULL, &m.arena, &m.err), TS_OK);
		assert_int_equal(job.findings.n, 1);
		assert_int_equal(job.n_advice, !longer);
		assert_int_equal(job.n_slight, longer);
		made_finish(&m);
	}
}

static void without_a_device(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_OPERATOR, NAME_GEMM, 0, 0, 10, TS_TRACE_NONE);
	judge(&m, NULL);
	assert_int_equal(answer.verdict.findings.n, 0);
	assert_int_equal(answer.verdict.findings.n_unchecked, 9); /* without ranks and communication DIST.EXPOSED_COMM does not apply */
	assert_true(ts_span_is(answer.verdict.findings.unchecked[0].reason, "the trace has no events of devices"));
	answer.has_world_size = true;
	answer.world_size = 2;
	assert_int_equal(ts_trace_judge(&answer, NULL, &m.arena, &m.err), TS_OK);
	assert_int_equal(answer.verdict.findings.n_unchecked, 10);
	made_finish(&m);
}

/* Times that end at the largest number, and sums of them that do not fit. */
static void sums_that_do_not_fit(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m);
	for (int32_t device = 0; device < 4; device++) {
		made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 10 * device, -(INT64_C(1) << 62), 0, TS_TRACE_NONE);
		made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 10 * device, 0, INT64_MAX, TS_TRACE_NONE);
	}
	judge(&m, NULL);
	is("span", "share_ratio", 1);
	is("exposed_communication", "share_ratio", 1);
	assert_true(answer.verdict.span_ns == UINT64_MAX);
	made_finish(&m);
}

/* What kernels are by their names: of 100 ms 20 are a product in float32, 30 one in TF32, 40 a convolution, 10 generated. */
static void kinds_of_kernels(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m);
	made_launch(&m, TS_TRACE_KERNEL, "ampere_sgemm_128x64_tn", 0, 0, 0, 20 * MS);
	made_launch(&m, TS_TRACE_KERNEL, "ampere_s1688gemm_128x128_ldg8_stages_32x1_tn", 0, 20 * MS, 20 * MS, 50 * MS);
	made_launch(&m, TS_TRACE_KERNEL, "implicit_convolve_sgemm", 0, 50 * MS, 50 * MS, 90 * MS);
	made_launch(&m, TS_TRACE_KERNEL, "triton_poi_fused_add_0", 0, 90 * MS, 90 * MS, 100 * MS);
	judge(&m, NULL);
	is("float32_products", "time_s", 0.020);
	is("float32_products", "share_ratio", 0.2);
	is("convolutions", "share_ratio", 0.4);
	is("generated", "share_ratio", 0.1);
	made_finish(&m);
}

/* A sum is fused with its neighbours, and so are a cast and a transpose; a memcpy is not. 20 + 10 of 100 or 101 ms. */
static void casts_are_elementwise(void **state)
{
	struct made m;

	(void)state;
	for (int longer = 0; longer < 2; longer++) {
		made_begin(&m);
		made_launch(&m, TS_TRACE_KERNEL,
			    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)",
			    0, 0, 0, 20 * MS);
		made_launch(&m, TS_TRACE_KERNEL, "nchwToNhwcKernel", 0, 20 * MS, 20 * MS, 30 * MS);
		made_launch(&m, TS_TRACE_COPY, "Memcpy DtoD (Device -> Device)", 0, 30 * MS, 30 * MS, 40 * MS);
		made_launch(&m, TS_TRACE_KERNEL, "gemm", 0, 40 * MS, 40 * MS, (100 + longer) * MS);
		judge(&m, NULL);
		is("elementwise", "time_s", 0.030);
		assert_int_equal(finding("TRACE.ELEMENTWISE") != NULL, !longer);
		made_finish(&m);
	}
}

static void each_row_was_made(void **state)
{
	(void)state;
	assert_true(test_seen_all(TS_ANSWER_TRACE, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exposed_communication),
		cmocka_unit_test(a_policy_moves_limits),
		cmocka_unit_test(each_device_counts_by_itself),
		cmocka_unit_test(idle_for_the_host),
		cmocka_unit_test(graphs_that_are_in_use),
		cmocka_unit_test(graphs_by_their_launch),
		cmocka_unit_test(a_capture_is_no_sample),
		cmocka_unit_test(a_capture_that_is_replayed_is_one),
		cmocka_unit_test(a_capture_of_which_little_ran),
		cmocka_unit_test(a_gap_of_each_step_is_no_exception),
		cmocka_unit_test(three_pieces_at_most),
		cmocka_unit_test(waits_or_the_host),
		cmocka_unit_test(what_is_set_up_is_no_slow_host),
		cmocka_unit_test(an_item_in_each_step),
		cmocka_unit_test(waits_or_loading),
		cmocka_unit_test(loading_and_the_rest),
		cmocka_unit_test(idle_before_work_of_about_its_size),
		cmocka_unit_test(copies_of_a_kind),
		cmocka_unit_test(loaders_that_have_workers),
		cmocka_unit_test(the_host_of_what_is_compiled),
		cmocka_unit_test(loading_attention_compiling),
		cmocka_unit_test(attention_in_single_operations),
		cmocka_unit_test(what_saves_little_is_no_advice),
		cmocka_unit_test(ranks_that_wait),
		cmocka_unit_test(slight_on_a_rank),
		cmocka_unit_test(rows_alone_say_the_same),
		cmocka_unit_test(without_a_device),
		cmocka_unit_test(sums_that_do_not_fit),
		cmocka_unit_test(kinds_of_kernels),
		cmocka_unit_test(casts_are_elementwise),
		cmocka_unit_test(each_row_was_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
