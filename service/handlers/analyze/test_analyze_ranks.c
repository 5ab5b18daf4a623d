/* The windows that ranks are fed in, against plain loops over the cells; and the cache of reductions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_words.h"
#include "analysis/rank/test_expected.h"
#include "service/handlers/analyze/analyze_ranks.h"
#include "service/handlers/analyze/analyze_run.h"
#include "service/handlers/core/test_series_runs.h"

#include <stdio.h>

enum { STEPS = 40000, RANKS = 3 };

/* Rank 1 lacks every 7th step. eval is in a sparse table, and comm of rank 2 is too. */
static bool has_step(int32_t rank, int64_t step)
{
	return rank != 1 || step % 7 != 3;
}

static double forward_of(int32_t rank, int64_t step)
{
	return 0.01 + 1e-6 * (double)((step * 31 + rank * 17) % 1000);
}

static double eval_of(int64_t step)
{
	return step % 1000 == 0 ? 0.5 : 0;
}

/* The column has another unknown name; it has values on the steps of eval and on others. */
static double save_of(int64_t step)
{
	return step % 500 == 0 ? 0.25 : 0;
}

static double comm_of(int32_t rank, int64_t step)
{
	return rank == 2 && step % 3 ? 0 : 0.002 + 1e-7 * (double)(step % 50);
}

static void make_cells(struct cells *c)
{
	for (int32_t rank = 0; rank < RANKS; rank++) {
		for (int64_t step = 0; step < STEPS; step++) {
			if (!has_step(rank, step))
				continue;
			cells_add(c, rank, "phases.forward", step, forward_of(rank, step));
			if (eval_of(step) > 0)
				cells_add(c, rank, "phases.eval", step, eval_of(step));
			if (save_of(step) > 0)
				cells_add(c, rank, "phases.save", step, save_of(step));
			if (comm_of(rank, step) > 0)
				cells_add(c, rank, "phases.comm", step, comm_of(rank, step));
		}
	}
}

/* Returns the step that follows the first `cut` steps of rank 1, which lacks the most. */
static int64_t after(int64_t cut)
{
	int64_t step = 0;

	while (cut > 0)
		cut -= has_step(1, step++);
	return step;
}

/* Computes with plain loops what remains after the first `cut` steps of each rank. */
static void expect_own(struct world *w, struct ts_id id, int64_t cut)
{
	struct ts_analyze_request request = {.has_warmup = true, .warmup = (uint64_t)cut};
	double own[RANKS] = {0}, n = 0;
	struct ts_analysis a;
	struct ts_error err;

	must(ts_analyze_reduce(&w->fetch, &id, &request, &w->arena, &a, &err), &err);
	for (int64_t step = after(cut); step < STEPS; step++) {
		if (!has_step(1, step))
			continue;
		n++;
		for (int32_t rank = 0; rank < RANKS; rank++)
			own[rank] += forward_of(rank, step) + eval_of(step) + save_of(step);
	}
	expect_measure(&a.measures, "ranks", "all", "aligned_steps", n);
	for (int32_t rank = 0; rank < RANKS; rank++) {
		const struct ts_measure *row;
		char subject[32];

		(void)snprintf(subject, sizeof subject, "rank %d", rank);
		row = test_find(&a.measures, "ranks", subject, "own");
		assert_non_null(row);
		assert_true(row->known);
		/* Plain sums of 34,000 terms are accurate to about 1e-12. */
		assert_true(fabs(row->value - own[rank] / n) < 1e-11 * row->value);
	}
}

static void windows_hold_every_value(void **state)
{
	struct cells c = {.n = 0};
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	make_cells(&c);
	id = make_run(&w, &c, NULL, 0);
	expect_own(&w, id, 0);
	/* The last step of a block is the first of a window. */
	assert_int_equal(after(28086), 32767);
	expect_own(&w, id, 28086);
	cells_free(&c);
	world_close(&w);
}

/* A rank that was restarted begins later: --warmup leaves out the first steps of each rank, by hand here. */
static void a_warmup_is_of_each_rank(void **state)
{
	struct ts_analyze_request request = {.has_warmup = true, .warmup = 5};
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct ts_error err;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	for (int64_t step = 0; step < 60; step++)
		for (int32_t rank = 0; rank < 2; rank++) {
			if (step < 20 * rank)
				continue;
			/* The first five steps of each rank are slow and hold much memory. */
			cells_add(&c, rank, "phases.forward", step, step < 20 * rank + 5 ? 9 : 1);
			cells_add(&c, rank, "memory.peak_alloc", step, step < 20 * rank + 5 ? 900 : 100);
			cells_add(&c, rank, "tokens", step, 10);
			cells_add(&c, rank, rank ? "scalars.aux_loss" : "scalars.loss", step, step < 20 * rank + 5 ? 50 : 2);
		}
	id = make_run(&w, &c, NULL, 0);
	must(ts_analyze_run(&w.fetch, &id, &request, &w.arena, &a, &err), &err);
	expect_measure(&a.measures, "timing", "step", "count", 55);
	expect_measure(&a.measures, "ranks", "all", "aligned_steps", 35); /* 25 to 59 */
	for (int32_t rank = 0; rank < 2; rank++) {
		const char *subject = rank ? "rank 1" : "rank 0";

		expect_measure(&a.measures, "ranks", subject, "own", 1);
		expect_measure(&a.measures, "ranks", subject, "peak_bytes", 100);
	}
	expect_measure(&a.measures, "convergence", "aux_loss", "count", 35);
	cells_free(&c);
	world_close(&w);
}

static bool always(const struct ts_call *call)
{
	(void)call;
	return true;
}

/* A cancelled call fetches nothing, so its answer came from the cache. */
static void reductions_are_kept(void **state)
{
	struct ts_analyze_request request = {.has_rank = true, .rank = 0}, other = request;
	struct ts_policy_item no_jitter = {.code = ts_span_str("TIMING.JITTER"), .off = true};
	struct cells c = {.n = 0};
	struct ts_analysis first, again;
	struct ts_error err;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	for (int64_t step = 0; step < 100; step++)
		cells_add(&c, 0, "phases.forward", step, 0.01 + 0.001 * (double)(step % 3));
	id = make_run(&w, &c, NULL, 0);
	must(ts_analyze_run(&w.fetch, &id, &request, &w.arena, &first, &err), &err);
	w.call.cancelled = always;
	must(ts_analyze_run(&w.fetch, &id, &request, &w.arena, &again, &err), &err);
	assert_int_equal(again.measures.n, first.measures.n);
	assert_int_equal(again.findings.n, first.findings.n);
	assert_int_equal(again.plots.n, first.plots.n);
	assert_int_equal(again.bound.kind, first.bound.kind);
	/* Another policy uses the same reductions. */
	other.policy = (struct ts_policy){&no_jitter, 1};
	must(ts_analyze_run(&w.fetch, &id, &other, &w.arena, &again, &err), &err);
	/* Every other change of the request needs other reductions. */
	other = request;
	other.fresh = true;
	assert_int_equal(ts_analyze_run(&w.fetch, &id, &other, &w.arena, &again, &err), TS_CANCELLED);
	other = request;
	other.has_warmup = true;
	assert_int_equal(ts_analyze_run(&w.fetch, &id, &other, &w.arena, &again, &err), TS_CANCELLED);
	other = request;
	other.has_flops_per_step = true;
	other.flops_per_step = 1;
	assert_int_equal(ts_analyze_run(&w.fetch, &id, &other, &w.arena, &again, &err), TS_CANCELLED);
	other = request;
	other.dtype = ts_span_str("bf16");
	assert_int_equal(ts_analyze_run(&w.fetch, &id, &other, &w.arena, &again, &err), TS_CANCELLED);
	cells_free(&c);
	world_close(&w);
}

/* With pipeline parallelism the last stage logs the loss: the answer shows it and names its rank. */
static void a_loss_may_be_of_another_rank(void **state)
{
	struct ts_analyze_request request = {.has_rank = false};
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct ts_error err;
	struct world w;
	struct ts_id id;
	bool said = false;

	(void)state;
	world_open(&w);
	for (int64_t step = 0; step < 20; step++) {
		for (int32_t rank = 0; rank < 3; rank++)
			cells_add(&c, rank, "phases.forward", step, 0.01);
		cells_add(&c, 1, "scalars.loss", step, 2.0);
		cells_add(&c, 2, "scalars.loss", step, 5.0);
	}
	id = make_run(&w, &c, NULL, 0);
	must(ts_analyze_run(&w.fetch, &id, &request, &w.arena, &a, &err), &err);
	assert_int_equal(a.rank, 0);
	expect_measure(&a.measures, "convergence", "loss", "last", 2);
	for (size_t i = 0; i < a.n_notes; i++)
		said |= ts_span_is(a.notes[i], "loss comes from rank 1, the lowest rank that has it");
	assert_true(said);
	cells_free(&c);
	world_close(&w);
}

static void add_event(struct cells *c, int32_t rank, int64_t i, double stage, double start)
{
	cells_add(c, rank, "stage", i, stage)->table = TS_TABLE_PIPELINE;
	cells_add(c, rank, "start", i, start)->table = TS_TABLE_PIPELINE;
	cells_add(c, rank, "end", i, start + 1)->table = TS_TABLE_PIPELINE;
}

/* The pipeline has two stages and two microbatches, forward only, each stage on its own rank: each works two of three
 * units of time. */
static void a_pipeline_is_gathered_from_its_ranks(void **state)
{
	struct ts_analyze_request request = {.has_microbatches = true, .microbatches = 2};
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct ts_error err;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	for (int32_t rank = 0; rank < 2; rank++)
		for (int64_t i = 0; i < 2; i++)
			add_event(&c, rank, i, rank, (double)(rank + i));
	id = make_run(&w, &c, NULL, 0);
	must(ts_analyze_run(&w.fetch, &id, &request, &w.arena, &a, &err), &err);
	expect_measure(&a.measures, "pipeline", "all", "stages", 2);
	expect_measure(&a.measures, "pipeline", "all", "makespan_s", 3);
	expect_measure(&a.measures, "pipeline", "all", "bubble_ratio", 1.0 / 3);
	expect_measure(&a.measures, "pipeline", "all", "ideal_ratio", 1.0 / 3);
	/* An event without its end makes the table unusable for a pipeline. */
	cells_add(&c, 1, "stage", 2, 1)->table = TS_TABLE_PIPELINE;
	id = make_run(&w, &c, NULL, 0);
	must(ts_analyze_run(&w.fetch, &id, &request, &w.arena, &a, &err), &err);
	expect_measure(&a.measures, "pipeline", "all", "stages", 1);
	cells_free(&c);
	world_close(&w);
}

static void a_policy_must_be_of_our_rules(void **state)
{
	struct ts_policy_item unknown = {.code = ts_span_str("NO.SUCH_RULE"), .off = true};
	struct ts_analyze_request request = {.policy = {&unknown, 1}};
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct ts_error err;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	cells_add(&c, 0, "phases.forward", 0, 1);
	id = make_run(&w, &c, NULL, 0);
	assert_int_equal(ts_analyze_run(&w.fetch, &id, &request, &w.arena, &a, &err), TS_UNSUPPORTED);
	assert_non_null(strstr(err.text, "NO.SUCH_RULE"));
	cells_free(&c);
	world_close(&w);
}

/* A fault on a rank that is not in view is a finding. With --rank the rank in view is all that rules see. */
static void a_fault_on_any_rank_is_found(void **state)
{
	struct ts_analyze_request all = {.fresh = false}, first = {.has_rank = true, .rank = 0};
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct ts_error err;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	for (int32_t rank = 0; rank < 4; rank++)
		for (int64_t step = 0; step < 100; step++) {
			cells_add(&c, rank, "phases.forward", step, 0.01 + 0.001 * (double)((step + rank) % 3));
			cells_add(&c, rank, "scalars.loss", step, rank == 2 && step >= 70 ? (double)NAN : 3 - 0.01 * (double)step);
		}
	id = make_run(&w, &c, NULL, 0);
	for (int again = 0; again < 2; again++) { /* the second time from the cache */
		must(ts_analyze_run(&w.fetch, &id, &all, &w.arena, &a, &err), &err);
		assert_true(a.findings.n > 0);
		assert_true(ts_span_is(a.findings.items[0].code, "CONVERGENCE.DIVERGED"));
		assert_int_equal(a.findings.items[0].first_step, 70);
		assert_int_equal(a.findings.items[0].n_ranks, 1);
		assert_int_equal(a.findings.items[0].rank, 2);
		assert_int_equal(a.rank, 0);
		assert_int_equal(a.n_ranks, 0); /* a reply does not carry the rows of every rank */
	}
	must(ts_analyze_run(&w.fetch, &id, &first, &w.arena, &a, &err), &err);
	for (size_t i = 0; i < a.findings.n; i++)
		assert_false(ts_span_is(a.findings.items[i].code, "CONVERGENCE.DIVERGED"));
	cells_free(&c);
	world_close(&w);
}

/* With pipeline parallelism only the last stage has the loss: it is shown as the run's, and a finding names the rank that
 * recorded it. */
static void a_series_from_elsewhere_keeps_its_rank(void **state)
{
	struct ts_analyze_request request = {.fresh = true};
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct ts_error err;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	for (int32_t rank = 0; rank < 3; rank++)
		for (int64_t step = 0; step < 100; step++) {
			cells_add(&c, rank, "phases.forward", step, 0.01 + 0.001 * (double)((step + rank) % 3));
			if (rank == 2)
				cells_add(&c, rank, "scalars.loss", step, step >= 70 ? (double)NAN : 3 - 0.01 * (double)step);
		}
	id = make_run(&w, &c, NULL, 0);
	must(ts_analyze_run(&w.fetch, &id, &request, &w.arena, &a, &err), &err);
	expect_measure(&a.measures, "convergence", "loss", "nonfinite_count", 30);
	assert_true(a.findings.n > 0);
	assert_true(ts_span_is(a.findings.items[0].code, "CONVERGENCE.DIVERGED"));
	assert_int_equal(a.findings.items[0].n_ranks, 1);
	assert_int_equal(a.findings.items[0].ranks[0], 2);
	cells_free(&c);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_hold_every_value),
		cmocka_unit_test(a_warmup_is_of_each_rank),
		cmocka_unit_test(reductions_are_kept),
		cmocka_unit_test(a_loss_may_be_of_another_rank),
		cmocka_unit_test(a_pipeline_is_gathered_from_its_ranks),
		cmocka_unit_test(a_policy_must_be_of_our_rules),
		cmocka_unit_test(a_fault_on_any_rank_is_found),
		cmocka_unit_test(a_series_from_elsewhere_keeps_its_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
