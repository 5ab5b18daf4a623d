/* analyze_trace_rows.h: runs with steps and traces whose times were found on paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_words.h"
#include "analysis/rank/test_expected.h"
#include "analysis/trace/test_trace_made.h"
#include "service/handlers/analyze/analyze_run.h"
#include "service/handlers/core/test_series_runs.h"

#define MS 1000000

enum { STEPS = 12 };

/* Work of 8 ms, and an all-reduce of 6 ms that begins 4 ms before its end: of 10 ms, `exposed` more are communication alone. */
static void make_trace(struct made *m, int64_t rank, int64_t exposed)
{
	made_begin(m);
	made_add(m, TS_TRACE_KERNEL, NAME_GEMM, 7, 0, 8 * MS, TS_TRACE_NONE);
	made_add(m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 9, 4 * MS, (8 + exposed) * MS, TS_TRACE_NONE);
	m->trace.about.rank = rank;
	m->trace.about.world_size = 2;
}

static struct ts_id make(struct world *w, int32_t ranks, const struct kept_trace *traces, size_t n)
{
	struct cells c = {.n = 0};
	struct ts_id id;

	for (int32_t rank = 0; rank < ranks; rank++)
		for (int64_t i = 0; i < STEPS; i++)
			cells_add(&c, rank, "phases.forward", i, 1.0);
	w->traces = traces;
	w->n_traces = n;
	id = make_run(w, &c, NULL, 0);
	cells_free(&c);
	return id;
}

static void analyze(struct world *w, struct ts_id id, struct ts_analyze_request options, struct ts_analysis *ret)
{
	struct ts_error err;

	must(ts_analyze_run(&w->fetch, &id, &options, &w->arena, ret, &err), &err);
}

static const struct ts_finding *exposed(const struct ts_analysis *a)
{
	for (size_t i = 0; i < a->findings.n; i++)
		if (ts_span_is(a->findings.items[i].code, "DIST.EXPOSED_COMM"))
			return &a->findings.items[i];
	return NULL;
}

static const struct ts_unchecked *unchecked(const struct ts_analysis *a)
{
	for (size_t i = 0; i < a->findings.n_unchecked; i++)
		if (ts_span_is(a->findings.unchecked[i].code, "DIST.EXPOSED_COMM"))
			return &a->findings.unchecked[i];
	return NULL;
}

static bool noted(const struct ts_analysis *a, const char *text)
{
	for (size_t i = 0; i < a->n_notes; i++)
		if (ts_span_is(a->notes[i], text))
			return true;
	return false;
}

static void the_rules_on_traces_are_asked(void **state)
{
	struct kept_trace kept = {0, "trace.json", NULL, 2};
	struct ts_analysis a;
	struct made m;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	make_trace(&m, 0, 2);
	kept.trace = &m.trace;
	id = make(&w, 1, &kept, 1);
	for (int again = 0; again < 2; again++) { /* the second is the one that was kept */
		analyze(&w, id, (struct ts_analyze_request){.fresh = false}, &a);
		expect_measure(&a.measures, "trace", "exposed_communication", "share_ratio", 0.2);
		expect_measure(&a.measures, "trace", "exposed_communication", "time_s", 0.002);
		expect_measure(&a.measures, "timing", "step", "mean_s", 1);
		assert_non_null(exposed(&a));
		assert_int_equal(exposed(&a)->severity, TS_SEVERITY_HIGH);
		assert_int_equal(a.n_notes, 0);
	}
	/* The same steps without a trace have none of its rows, nor the finding. */
	id = make(&w, 1, NULL, 0);
	analyze(&w, id, (struct ts_analyze_request){.fresh = false}, &a);
	assert_null(test_find(&a.measures, "trace", "exposed_communication", "share_ratio"));
	assert_null(exposed(&a));
	made_finish(&m);
	world_close(&w);
}

/* 60 kernels of 7 ms, each asked for 2.5 ms after the last has ended; behind each the host waited, and 3 ms were idle. */
static void waits_of_the_host_are_known(void **state)
{
	struct kept_trace kept = {0, "trace.json", NULL, 240};
	struct ts_analysis a;
	struct made m;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	made_begin(&m);
	for (int64_t i = 0; i < 60; i++) {
		int64_t t = 10 * i * MS;

		made_launch(&m, TS_TRACE_KERNEL, "gemm", 0, t - MS / 2, t, t + 7 * MS);
		made_host(&m, TS_TRACE_PYTHON, "train.py(7): main", 0, t + MS, t + 8 * MS);
		made_host(&m, TS_TRACE_RUNTIME, "cudaStreamSynchronize", 0, t + 2 * MS, t + 7 * MS + 1000);
	}
	m.trace.about.rank = 0;
	kept.trace = &m.trace;
	id = make(&w, 1, &kept, 1);
	analyze(&w, id, (struct ts_analyze_request){.fresh = false}, &a);
	expect_measure(&a.measures, "trace", "idle_after_waits", "time_s", 0.177);
	for (size_t i = 0; i < a.bound.n_fixes; i++)
		if (ts_span_is(a.bound.fixes[i].name, "do not wait for the device in the loop")) {
			assert_true(ts_span_ends(a.bound.fixes[i].how, "; most often at train.py(7): main"));
			made_finish(&m);
			world_close(&w);
			return;
		}
	fail_msg("the wait is not advised against");
}

static void each_rank_has_its_own(void **state)
{
	struct kept_trace kept[] = {
		{0, "t.json", NULL, 2}, {1, "t-10.json", NULL, 2}, {1, "t-200.json", NULL, 2}, {1, "t.json", NULL, 2}};
	struct ts_analysis a;
	struct made m[4];
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	for (int i = 0; i < 4; i++) {
		make_trace(&m[i], kept[i].rank, i == 0 ? 0 : i == 2 ? 2 : 8);
		kept[i].trace = &m[i].trace;
	}
	id = make(&w, 2, kept, 4);
	analyze(&w, id, (struct ts_analyze_request){.fresh = false}, &a);
	assert_int_equal(a.rank, 0);
	expect_measure(&a.measures, "trace", "exposed_communication", "share_ratio", 0);
	assert_non_null(exposed(&a));
	assert_int_equal(exposed(&a)->rank, 1);
	assert_int_equal(exposed(&a)->n_ranks, 1);
	assert_true(noted(&a, "rank 1 has 3 traces, of which t-200.json, the last by name, counts"));
	analyze(&w, id, (struct ts_analyze_request){.has_rank = true, .rank = 1}, &a);
	expect_measure(&a.measures, "trace", "exposed_communication", "share_ratio", 0.2);
	for (int i = 0; i < 4; i++)
		made_finish(&m[i]);
	world_close(&w);
}

static void a_long_trace_is_not_read(void **state)
{
	struct kept_trace kept = {0, "trace.json", NULL, TS_SERVED_TRACE_EVENTS + 1};
	struct ts_analysis a;
	struct made m;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	make_trace(&m, 0, 2);
	kept.trace = &m.trace;
	id = make(&w, 1, &kept, 1);
	analyze(&w, id, (struct ts_analyze_request){.fresh = false}, &a);
	expect_unknown(&a.measures, "trace", "exposed_communication", "share_ratio");
	assert_null(exposed(&a));
	assert_non_null(unchecked(&a));
	assert_true(ts_span_is(unchecked(&a)->reason, "the trace has 500001 events, and those of more than 500000 are not read here: "
						      "tscope analyze RUN --trace NAME reads it"));
	made_finish(&m);
	world_close(&w);
}

/* Rank 1 has no steps, and one trace says no rank: neither counts, which is said once. */
static void what_counts_nowhere_is_said(void **state)
{
	struct kept_trace kept[] = {{TS_RANK_JOB, "a.json", NULL, 2}, {TS_RANK_JOB, "b.json", NULL, 2}};
	struct ts_analysis a;
	struct made m[2];
	struct world w;
	struct ts_id id;

	(void)state;
	for (int32_t ranks = 1; ranks <= 2; ranks++) {
		world_open(&w);
		make_trace(&m[0], 1, 2);
		make_trace(&m[1], TS_TRACE_NONE, 2);
		for (int i = 0; i < 2; i++)
			kept[i].trace = &m[i].trace;
		id = make(&w, ranks, kept, 2);
		analyze(&w, id, (struct ts_analyze_request){.fresh = false}, &a);
		assert_int_equal(noted(&a, "the trace a.json says that it is of rank 1, of which the run has no steps; so its figures "
					   "do not count here, and --trace a.json shows them; the same holds for 1 other trace"),
				 ranks == 1);
		assert_int_equal(noted(&a, "the trace b.json does not say of which rank it is; so its figures do not count here, and "
					   "--trace b.json shows them"),
				 ranks == 2);
		for (int i = 0; i < 2; i++)
			made_finish(&m[i]);
		world_close(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rules_on_traces_are_asked),
		cmocka_unit_test(waits_of_the_host_are_known),
		cmocka_unit_test(each_rank_has_its_own),
		cmocka_unit_test(a_long_trace_is_not_read),
		cmocka_unit_test(what_counts_nowhere_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
