/* What analyze says of small runs, against numbers by hand and against pytscope's for its own runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_words.h"
#include "analysis/rank/test_expected.h"
#include "base/alloc.h"
#include "proto/wire.h"
#include "service/handlers/analyze/analyze_run.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/test_series_runs.h"

static void analyze(struct world *w, struct ts_id id, struct ts_analyze_request options, struct ts_analysis *ret)
{
	struct ts_error err;

	must(ts_analyze_run(&w->fetch, &id, &options, &w->arena, ret, &err), &err);
}

static bool has_note(const struct ts_analysis *a, const char *text)
{
	for (size_t i = 0; i < a->n_notes; i++)
		if (ts_span_is(a->notes[i], text))
			return true;
	for (size_t i = 0; i < a->n_notes; i++)
		print_message("note: %.*s\n", TS_SPAN_ARG(a->notes[i]));
	return false;
}

/* Rank 0 has steps 10 to 14 with a gap in eval, memory in two tables, and a loss every second step. Step times: 9 5 2 9 2. */
static void small_run(struct cells *c, int32_t rank, double more)
{
	static const double forward[] = {9.0, 1.0, 2.0, 3.0, 2.0};

	for (int64_t i = 0; i < 5; i++) {
		cells_add(c, rank, "phases.forward", 10 + i, forward[i] + more);
		cells_add(c, rank, "timestamp", 10 + i, 100.0 + 10.0 * (double)i);
		cells_add(c, rank, "memory.alloc", 10 + i, 100.0 * (double)(i + 1));
		if (i == 1)
			cells_add(c, rank, "phases.eval", 10 + i, 4.0);
		if (i == 3)
			cells_add(c, rank, "phases.eval", 10 + i, 6.0);
		if (i % 2 == 0) {
			cells_add(c, rank, "scalars.loss", 10 + i, 3.0 - (double)i);
			cells_add(c, rank, "memory.peak_alloc", 10 + i, 1000.0 - (double)i + more);
		}
	}
	cells_add(c, rank, "scalars.val_loss", 14, 0.25);
	cells_add_text(c, rank, "scalars.odd_loss", 12, "not a number");
}

static void one_rank(void **state)
{
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	small_run(&c, 0, 0.0);
	id = make_run(&w, &c, NULL, 0);
	analyze(&w, id, (struct ts_analyze_request){.has_warmup = false}, &a);
	assert_int_equal(a.rank, 0);
	assert_int_equal(a.run.steps, 5);
	assert_int_equal(a.warmup_cut, 0);
	assert_int_equal(a.n_notes, 0);
	expect_unknown(&a.measures, "timing", "warmup", "method"); /* five steps are too few to show a warm-up */
	expect_measure(&a.measures, "timing", "step", "count", 5);
	expect_measure(&a.measures, "timing", "step", "median_s", 5);
	expect_measure(&a.measures, "timing", "step", "total_s", 27);
	expect_measure(&a.measures, "timing", "eval", "mean_s", 2);
	expect_measure(&a.measures, "timing", "eval", "count", 2);
	expect_measure(&a.measures, "timing", "wall", "total_s", 40);
	expect_measure(&a.measures, "timing", "wall", "unattributed_s", 22); /* the phases of steps 11 to 14 add up to 18 */
	expect_measure(&a.measures, "memory", "peak_alloc", "peak_bytes", 1000);
	expect_measure(&a.measures, "memory", "peak_alloc", "at_step", 10);
	expect_measure(&a.measures, "memory", "alloc", "mean_bytes", 300);
	expect_unknown(&a.measures, "memory", "reserved", "mean_bytes");
	expect_measure(&a.measures, "convergence", "loss", "best", -1);
	expect_measure(&a.measures, "convergence", "loss", "best_step", 14);
	expect_measure(&a.measures, "convergence", "val_loss", "last", 0.25);
	assert_null(test_find(&a.measures, "convergence", "odd_loss", "count")); /* text is no series of numbers */
	assert_null(test_find(&a.measures, "ranks", "rank 0", "steps_count"));
	/* The warm-up counts distinct steps over all columns. */
	analyze(&w, id, (struct ts_analyze_request){.has_warmup = true, .warmup = 3}, &a);
	assert_int_equal(a.warmup_cut, 3);
	assert_true(has_note(&a, "the first 3 steps of each rank are left out"));
	expect_measure(&a.measures, "timing", "step", "total_s", 11);
	expect_measure(&a.measures, "timing", "eval", "count", 1);
	expect_measure(&a.measures, "timing", "wall", "total_s", 10);
	expect_measure(&a.measures, "memory", "peak_alloc", "at_step", 14);
	expect_measure(&a.measures, "memory", "alloc", "mean_bytes",
		       450); /* over its own steps, not those of peak_alloc */
	expect_measure(&a.measures, "convergence", "loss", "count", 1);
	analyze(&w, id, (struct ts_analyze_request){.has_warmup = true, .warmup = 0}, &a);
	assert_int_equal(a.n_notes, 0);
	analyze(&w, id, (struct ts_analyze_request){.has_warmup = true, .warmup = 99}, &a);
	assert_int_equal(a.warmup_cut, 5);
	expect_unknown(&a.measures, "timing", "step", "mean_s");
	expect_unknown(&a.measures, "memory", "alloc", "mean_bytes");
	expect_unknown(&a.measures, "convergence", "loss", "last");
	cells_free(&c);
	world_close(&w);
}

/* Five rows take 80 bytes for their keys and one column. */
static void what_memory_cannot_hold_is_said_at_once(void **state)
{
	struct ts_analyze_request request = {.has_warmup = false};
	struct cells c = {.n = 0};
	struct ts_budget budget;
	struct ts_analysis a;
	struct ts_error err;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	small_run(&c, 0, 0.0);
	id = make_run(&w, &c, NULL, 0);
	ts_budget_init(&budget, NULL, "this test", 79, 0);
	assert_null(ts_budget_enter(&budget));
	assert_int_equal(ts_analyze_run(&w.fetch, &id, &request, &w.arena, &a, &err), TS_NO_MEMORY);
	assert_ptr_equal(ts_budget_enter(NULL), &budget);
	assert_string_equal(err.text, "to analyze 5 rows takes at least 80 bytes: out of memory: this test may use at most 79 bytes, "
				      "and 0 are in use");
	assert_int_equal(atomic_load(&budget.used), 0);
	analyze(&w, id, request, &a);
	cells_free(&c);
	world_close(&w);
}

static void several_ranks(void **state)
{
	struct told world_size = {TS_RANK_JOB, "parallelism.world_size", NULL, 5};
	struct told nothing = {0, "session.host", "h", 0};
	struct told told[] = {world_size, nothing};
	struct ts_analyze_request other = {.has_rank = true, .rank = 3}, missing = {.has_rank = true, .rank = 2};
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct ts_error err;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	small_run(&c, 1, 0.0);
	small_run(&c, 3, 10.0);
	cells_add(&c, 3, "phases.comm", 10, 5.0);
	id = make_run(&w, &c, told, 2);
	analyze(&w, id, (struct ts_analyze_request){.has_rank = false}, &a);
	assert_int_equal(a.rank, 1); /* rank 0 has no steps */
	assert_true(has_note(&a, "the findings are about all ranks; the sections on timing, memory and convergence "
				 "show rank 1, the lowest rank that has steps, and --rank K shows another rank"));
	assert_true(has_note(&a, "the world size is 5, but ranks 2, 4 are not in this run"));
	expect_measure(&a.measures, "timing", "step", "median_s", 5);
	assert_true(has_note(&a, "rank 0 has no step times and is not compared with the other ranks"));
	assert_null(test_find(&a.measures, "ranks", "rank 0", "median"));
	expect_measure(&a.measures, "ranks", "rank 1", "steps_count", 5);
	expect_measure(&a.measures, "ranks", "rank 1", "median_s", 5);
	expect_measure(&a.measures, "ranks", "rank 3", "median_s", 15);
	expect_measure(&a.measures, "ranks", "rank 3", "own", 15.4); /* 24, 15, 12, 19, 12, less 5 of comm */
	expect_measure(&a.measures, "ranks", "rank 3", "peak_bytes", 1010);
	analyze(&w, id, other, &a);
	assert_int_equal(a.rank, 3);
	expect_measure(&a.measures, "timing", "step", "median_s", 15);
	assert_int_equal(ts_analyze_run(&w.fetch, &id, &missing, &w.arena, &a, &err), TS_NOT_FOUND);
	assert_string_equal(err.text, "the run has no rank 2; it has 0, 1, 3");
	cells_free(&c);
	world_close(&w);
}

/* The caller's memory of the device counts on every rank, and what the run says is said too. */
static void memory_of_the_device(void **state)
{
	struct told says = {0, "work.device_memory", NULL, 4096};
	struct ts_analyze_request given = {.has_device_bytes = true, .device_bytes = 1024};
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct world w;
	size_t full = 0;

	(void)state;
	world_open(&w);
	small_run(&c, 0, 0.0);
	small_run(&c, 1, 0.0);
	analyze(&w, make_run(&w, &c, NULL, 0), (struct ts_analyze_request){.has_rank = false}, &a);
	expect_unknown(&a.measures, "memory", "capacity", "device_bytes");
	analyze(&w, make_run(&w, &c, NULL, 0), given, &a);
	assert_true(has_note(&a, "the memory of the device is 1 KiB, as --device-memory says; the run does not say it"));
	expect_measure(&a.measures, "memory", "capacity", "device_bytes", 1024);
	for (size_t i = 0; i < a.findings.n; i++)
		if (ts_span_is(a.findings.items[i].code, "MEMORY.PRESSURE"))
			full = a.findings.items[i].n_ranks;
	assert_int_equal(full, 2);
	analyze(&w, make_run(&w, &c, &says, 1), given, &a);
	assert_true(has_note(&a, "the memory of the device is 1 KiB, as --device-memory says; the run says 4 KiB (run.json)"));
	expect_measure(&a.measures, "memory", "capacity", "device_bytes", 1024);
	given.device_bytes = 4096;
	analyze(&w, make_run(&w, &c, &says, 1), given, &a);
	for (size_t i = 0; i < a.n_notes; i++)
		assert_false(ts_span_starts(a.notes[i], ts_span_str("the memory of the device")));
	cells_free(&c);
	world_close(&w);
}

/* What the program declared counts, unless something else is asked for. */
static void warmup_that_the_run_declares(void **state)
{
	struct told two = {TS_RANK_JOB, "work.warmup_steps", NULL, 2}, many = {TS_RANK_JOB, "work.warmup_steps", NULL, 99};
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	small_run(&c, 0, 0.0);
	id = make_run(&w, &c, &two, 1);
	analyze(&w, id, (struct ts_analyze_request){.has_warmup = false}, &a);
	assert_int_equal(a.warmup_cut, 2);
	assert_true(has_note(&a, "the first 2 steps of each rank are left out, as the run declares by work.warmup_steps; "
				 "--warmup 0 keeps all"));
	expect_measure(&a.measures, "timing", "step", "total_s", 13);
	analyze(&w, id, (struct ts_analyze_request){.has_warmup = true, .warmup = 3}, &a);
	assert_int_equal(a.warmup_cut, 3);
	assert_true(has_note(&a, "the first 3 steps of each rank are left out"));
	analyze(&w, id, (struct ts_analyze_request){.has_warmup = true, .warmup = 0}, &a);
	assert_int_equal(a.warmup_cut, 0);
	analyze(&w, make_run(&w, &c, &many, 1), (struct ts_analyze_request){.has_warmup = false}, &a);
	assert_true(has_note(&a, "all 5 steps are left out, because work.warmup_steps = 99 covers the whole run; "
				 "--warmup 0 keeps them"));
	cells_free(&c);
	world_close(&w);
}

static void no_steps_at_all(void **state)
{
	struct told name = {TS_RANK_JOB, "session.name", "trace only", 0}, host = {2, "session.host", "h", 0};
	struct cells none = {.n = 0};
	struct ts_analysis a;
	struct world w;

	(void)state;
	world_open(&w);
	analyze(&w, make_run(&w, &none, &name, 1), (struct ts_analyze_request){.has_warmup = true, .warmup = 2}, &a);
	assert_true(has_note(&a, "the run has no steps"));
	expect_measure(&a.measures, "timing", "step", "count", 0);
	expect_unknown(&a.measures, "timing", "step", "median_s");
	expect_unknown(&a.measures, "timing", "wall", "total_s");
	expect_unknown(&a.measures, "memory", "peak_alloc", "peak_bytes");
	expect_unknown(&a.measures, "convergence", "loss", "last");
	analyze(&w, make_run(&w, &none, &host, 1), (struct ts_analyze_request){.has_rank = false}, &a);
	assert_true(has_note(&a, "the run has no steps"));
	assert_int_equal(a.rank, 2);
	world_close(&w);
}

/* Without phases, step times are the differences of timestamps, here 2 s and 12 s after step 21. */
static void step_times_by_timestamps(void **state)
{
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct world w;
	double now = 1000;

	(void)state;
	world_open(&w);
	for (int64_t i = 0; i < 30; i++, now += i == 22 ? 12 : 2) {
		cells_add(&c, 0, "timestamp", i, now);
		cells_add(&c, 0, "scalars.loss", i, 1.0);
	}
	analyze(&w, make_run(&w, &c, NULL, 0), (struct ts_analyze_request){.has_warmup = true, .warmup = 0}, &a);
	assert_true(has_note(&a, "no phase was recorded, so the time of a step is the time between its timestamp and the one before"));
	expect_measure(&a.measures, "timing", "step", "count", 29);
	expect_measure(&a.measures, "timing", "step", "median_s", 2);
	expect_measure(&a.measures, "timing", "step", "max_s", 12);
	expect_measure(&a.measures, "timing", "step", "max_step", 22);
	expect_measure(&a.measures, "timing", "wall", "total_s", 68);
	expect_unknown(&a.measures, "timing", "wall", "unattributed_s");
	assert_string_equal((const char *)test_find(&a.measures, "timing", "step", "source")->text.data, "timestamps");
	for (size_t i = 0; i < a.findings.n; i++)
		assert_false(ts_span_is(a.findings.items[i].code, "TIMING.UNATTRIBUTED"));
	/* A warm-up is counted in steps, of which the first has no time. */
	analyze(&w, make_run(&w, &c, NULL, 0), (struct ts_analyze_request){.has_warmup = true, .warmup = 5}, &a);
	expect_measure(&a.measures, "timing", "step", "count", 25);
	/* So on several ranks, of which those that are not in view say it of themselves alone. */
	for (int64_t i = 0; i < 30; i++)
		cells_add(&c, 1, "timestamp", i, 1000 + 2 * (double)i);
	analyze(&w, make_run(&w, &c, NULL, 0), (struct ts_analyze_request){.has_warmup = true, .warmup = 0}, &a);
	assert_true(has_note(&a, "no phase was recorded, so the time of a step is the time between its timestamp and the one before"));
	expect_measure(&a.measures, "timing", "step", "max_s", 12);
	cells_free(&c);
	world_close(&w);
}

static bool at_epoch_starts(const struct ts_analysis *a)
{
	const struct ts_measure *cause = test_find(&a->measures, "timing", "period 1", "cause");

	return cause && cause->known && ts_span_is(cause->text, "epoch starts");
}

/* Of two steps of 10 s one waited for a CPU for 8.5 s: of 38 s in all, 9 are a stall. */
static void what_waited_for_a_cpu(void **state)
{
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	for (int64_t i = 0; i < 20; i++)
		cells_add(&c, 0, "phases.step", i, i == 7 || i == 12 ? 10 : 1);
	cells_add(&c, 0, "regions.cpu_wait", 12, 8.5);
	id = make_run(&w, &c, NULL, 0);
	analyze(&w, id, (struct ts_analyze_request){.has_warmup = false}, &a);
	expect_measure(&a.measures, "timing", "step", "stall_ratio", 9 / 38.0);
	expect_measure(&a.measures, "timing", "step", "stall_step", 7);
	expect_measure(&a.measures, "timing", "cpu_wait", "waited_s", 8.5);
	cells_free(&c);
	world_close(&w);
}

/* The first steps of two epochs of unequal lengths are long: a column of epochs says so, or the length of an epoch where they are
 * equal. Nothing else tells them from stalls. */
static void slow_starts_of_epochs(void **state)
{
	struct told length = {0, "config.trainer.steps_per_epoch", NULL, 25};
	struct cells c = {.n = 0}, column = {.n = 0}, equal = {.n = 0};
	struct ts_analyze_request all = {.has_warmup = true};
	struct ts_analysis a;
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t i = 0; i < 60; i++) {
		bool starts = i == 20 || i == 50;

		cells_add(&c, 0, "phases.forward", i, starts ? 9 : 1);
		cells_add(&column, 0, "phases.forward", i, starts ? 9 : 1);
		cells_add(&column, 0, "scalars.epoch", i, i < 20 ? 0 : i < 50 ? 1 : 2);
		cells_add(&equal, 0, "phases.forward", i, i == 25 || i == 50 ? 9 : 1);
	}
	analyze(&w, make_run(&w, &c, NULL, 0), all, &a);
	assert_false(at_epoch_starts(&a));
	analyze(&w, make_run(&w, &column, NULL, 0), all, &a);
	assert_true(at_epoch_starts(&a));
	expect_measure(&a.measures, "timing", "period 1", "slow_count", 2);
	expect_measure(&a.measures, "timing", "period 1", "every_count", 30);
	analyze(&w, make_run(&w, &equal, &length, 1), all, &a);
	assert_true(at_epoch_starts(&a));
	cells_free(&c);
	cells_free(&column);
	cells_free(&equal);
	world_close(&w);
}

/* 200 steps without learning: a mismatch that grows to four times what it was, a count of tokens, a time, and a reward that is lost. */
static void series_of_any_name(void **state)
{
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	for (int64_t i = 0; i < 200; i++) {
		double wobble = 0.02 * (double)(i * 7919 % 13 - 6);

		cells_add(&c, 0, "scalars.lr", i, 0);
		cells_add(&c, 0, "scalars.rollout_mismatch", i, 0.01 * (1 + 3 * (double)i / 199 + wobble));
		cells_add(&c, 0, "scalars.seen_tokens", i, 100 * (double)i + wobble);
		cells_add(&c, 0, "scalars.rollout_time", i, i < 100 ? 1 + wobble : 9 + wobble);
		cells_add(&c, 0, "scalars.reward", i, i < 150 ? 1 + wobble : (double)NAN);
	}
	id = make_run(&w, &c, NULL, 0);
	analyze(&w, id, (struct ts_analyze_request){.has_warmup = true, .warmup = 0}, &a);
	expect_measure(&a.measures, "convergence", "all series", "asked_count", 2);
	assert_non_null(test_find(&a.measures, "convergence", "rollout_mismatch", "move"));
	expect_measure(&a.measures, "convergence", "rollout_mismatch", "move_frozen_count", 1);
	expect_measure(&a.measures, "convergence", "rollout_mismatch", "move_worse_count", 1);
	assert_non_null(test_find(&a.measures, "convergence", "rollout_mismatch", "move_step"));
	assert_non_null(test_find(&a.measures, "convergence", "rollout_mismatch", "move_before"));
	assert_non_null(test_find(&a.measures, "convergence", "rollout_mismatch", "move_after"));
	expect_measure(&a.measures, "convergence", "reward", "lost_step", 150);
	cells_free(&c);
	world_close(&w);
}

static bool finds(const struct ts_analysis *a, const char *code)
{
	for (size_t i = 0; i < a->findings.n; i++)
		if (ts_span_is(a->findings.items[i].code, code))
			return true;
	return false;
}

/* Two ranks of 100 steps: the batches of rank r at step i are batch(r, i), and the parameters of both are equal, or are shards. */
static void two_ranks(struct cells *c, bool same_batches, bool shards, int64_t epoch)
{
	for (int32_t rank = 0; rank < 2; rank++)
		for (int64_t i = 0; i < 100; i++) {
			cells_add(c, rank, "scalars.loss", i, 1.0 + (double)i);
			cells_add_word(c, rank, "digests.batch", i,
				       (uint64_t)(1 + i % epoch * 7919 + (same_batches ? 0 : rank * 104729)));
			cells_add_word(c, rank, "digests.params", i, (uint64_t)(1 + i * 31 + (shards ? rank : 0)));
		}
}

static void order_and_ranks_of_batches(void **state)
{
	struct told split = {TS_RANK_JOB, "parallelism.tensor_parallel_size", NULL, 2};
	struct ts_analyze_request all = {.has_warmup = false};
	struct cells own = {.n = 0}, same = {.n = 0}, shards = {.n = 0}, one = {.n = 0};
	struct ts_analysis a;
	struct world w;

	(void)state;
	world_open(&w);
	two_ranks(&own, false, false, 60);
	two_ranks(&same, true, false, 1000);
	two_ranks(&shards, true, true, 1000);
	analyze(&w, make_run(&w, &own, NULL, 0), all, &a);
	expect_measure(&a.measures, "convergence", "batches", "recorded_count", 100);
	expect_measure(&a.measures, "convergence", "batches", "period_count", 60);
	expect_measure(&a.measures, "convergence", "batches", "repeated_count", 40);
	expect_measure(&a.measures, "convergence", "batches", "repeated_step", 60);
	assert_true(finds(&a, "CONVERGENCE.BATCHES_REPEAT") && !finds(&a, "CONVERGENCE.EQUAL_BATCHES"));
	analyze(&w, make_run(&w, &same, NULL, 0), all, &a);
	expect_measure(&a.measures, "convergence", "batches", "shared_count", 1);
	assert_true(finds(&a, "CONVERGENCE.EQUAL_BATCHES") && !finds(&a, "CONVERGENCE.BATCHES_REPEAT"));
	analyze(&w, make_run(&w, &same, &split, 1), all, &a);
	assert_false(finds(&a, "CONVERGENCE.EQUAL_BATCHES"));
	analyze(&w, make_run(&w, &shards, NULL, 0), all, &a);
	assert_false(finds(&a, "CONVERGENCE.EQUAL_BATCHES"));
	two_ranks(&one, true, false, 1);
	analyze(&w, make_run(&w, &one, NULL, 0), all, &a);
	assert_true(finds(&a, "CONVERGENCE.BATCHES_REPEAT") && !finds(&a, "CONVERGENCE.EQUAL_BATCHES"));
	cells_free(&one);
	cells_free(&own);
	cells_free(&same);
	cells_free(&shards);
	world_close(&w);
}

static void superseded_rows_are_not_counted(void **state)
{
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct world w;

	(void)state;
	world_open(&w);
	small_run(&c, 0, 0.0);
	cells_add(&c, 0, "phases.forward", 12, 1e6)->table = TS_TABLE_SUPERSEDED;
	cells_add(&c, 0, "scalars.loss", 12, -1e6)->table = TS_TABLE_SUPERSEDED;
	analyze(&w, make_run(&w, &c, NULL, 0), (struct ts_analyze_request){.has_warmup = false}, &a);
	assert_int_equal(a.run.steps, 5);
	expect_measure(&a.measures, "timing", "step", "total_s", 27);
	expect_measure(&a.measures, "convergence", "loss", "best", -1);
	assert_true(has_note(&a, "1 row that a restart wrote again is not counted"));
	cells_free(&c);
	world_close(&w);
}

/* A run that was written as blocks and read back gives the same numbers as pytscope does for the same records. */
static void agrees_with_pytscope(void **state)
{
	static const char *const names[] = {"demo", "cross", "lossnan", "10k_a"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct expected_run *run = test_malloc(sizeof *run);
		struct cells c = {.n = 0};
		struct ts_analysis a;
		struct world w;

		world_open(&w);
		if (expected_load(names[i], &w.arena, run)) {
			for (size_t s = 0; s < run->n_columns; s++)
				for (size_t r = 0; r < run->columns[s].n; r++)
					cells_add(&c, 0, (const char *)run->columns[s].name.data,
						  run->columns[s].keys[r], run->columns[s].values[r]);
			analyze(&w, make_run(&w, &c, NULL, 0), (struct ts_analyze_request){.has_warmup = false}, &a);
			expect_measure(&a.measures, "timing", "step", "mean_s",
				       expected_number(run, "timing.mean_step_time"));
			expect_measure(&a.measures, "timing", "step", "p95_s",
				       expected_number(run, "timing.p95_step_time"));
			expect_measure(&a.measures, "timing", "step", "total_s",
				       expected_number(run, "timing.total_time"));
			if (expected_column(run, "scalars.loss"))
				expect_measure(&a.measures, "convergence", "loss", "best",
					       expected_number(run, "convergence.best_loss"));
			else
				expect_unknown(&a.measures, "convergence", "loss", "last");
			if (expected_column(run, "memory.peak_alloc"))
				expect_measure(&a.measures, "memory", "peak_alloc", "peak_bytes",
					       expected_number(run, "memory.peak_alloc_bytes"));
		} else {
			assert_string_equal(names[i], "10k_a"); /* the only run without a copy here */
		}
		test_free(run);
		cells_free(&c);
		world_close(&w);
	}
}

/* Every allocation of an analysis fails once: the analysis reports it and leaks nothing. */
static void any_allocation_may_fail(void **state)
{
	struct ts_analyze_request options = {.has_warmup = true, .warmup = 1};
	enum ts_status status = TS_NO_MEMORY;
	struct cells c = {.n = 0};
	struct ts_error err;
	struct ts_id id;
	struct world w;

	(void)state;
	world_open(&w);
	small_run(&c, 0, 0.0);
	small_run(&c, 1, 0.0);
	id = make_run(&w, &c, NULL, 0);
	for (size_t n = 1; status; n++) {
		struct ts_analysis a;
		struct ts_arena arena;
		struct ts_fetch f;

		ts_arena_init(&arena, 0);
		ts_fetch_init(&f, &w.call);
		ts_alloc_fail_at(n);
		status = ts_analyze_reduce(&f, &id, &options, &arena, &a, &err);
		ts_alloc_fail_at(0);
		ts_fetch_finish(&f);
		ts_arena_finish(&arena);
		assert_true(status == TS_OK || status == TS_NO_MEMORY);
		assert_true(n > 5 || status == TS_NO_MEMORY);
	}
	/* With the cache around it, a result that cannot be cached is no failure. */
	for (size_t n = 1; n < 400; n++) {
		struct ts_analysis a;
		struct ts_arena arena;
		struct ts_fetch f;

		ts_arena_init(&arena, 0);
		ts_fetch_init(&f, &w.call);
		ts_alloc_fail_at(n);
		options.fresh = n % 2;
		status = ts_analyze_run(&f, &id, &options, &arena, &a, &err);
		ts_alloc_fail_at(0);
		ts_fetch_finish(&f);
		ts_arena_finish(&arena);
		assert_true(status == TS_OK || status == TS_NO_MEMORY);
	}
	cells_free(&c);
	world_close(&w);
}

/* --- the method --- */

static enum ts_status keep_reply(struct ts_call *call, struct ts_span message, struct ts_error *err)
{
	return ts_wire_unpack_analyze_reply(ts_arena_span(call->arena, message), call->arena, call->driver, err);
}

static bool never(const struct ts_call *call)
{
	(void)call;
	return false;
}

static void the_method_answers(void **state)
{
	struct ts_buf message = TS_BUF_INIT(1 << 20);
	struct ts_analyze_request request = {.has_warmup = true, .warmup = 1, .has_rank = true, .rank = 0};
	struct ts_analysis a = {.rank = -7};
	struct cells c = {.n = 0};
	char spec[80] = "id:";
	struct ts_error err;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	small_run(&c, 0, 0.0);
	id = make_run(&w, &c, NULL, 0);
	ts_id_hex(&id, spec + 3);
	request.spec = ts_span_str(spec);
	must(ts_wire_pack_analyze_request(&request, &message, &err), &err);
	w.call.reply = keep_reply;
	w.call.driver = &a;
	w.call.cancelled = never;
	must(ts_handle_analyze(&w.call, NULL, ts_buf_view(&message), &err), &err);
	assert_int_equal(a.rank, 0);
	assert_int_equal(a.warmup_cut, 1);
	expect_measure(&a.measures, "timing", "step", "count", 4);
	expect_unknown(&a.measures, "memory", "reserved", "mean_bytes");
	ts_buf_finish(&message);
	cells_free(&c);
	world_close(&w);
}

/* The scale falls at step 20, where the gradient overflows, and at step 30, where the gradient is finite. */
static void updates_that_were_skipped(void **state)
{
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t i = 0; i < 40; i++) {
		cells_add(&c, 0, "scalars.loss", i, 3.0);
		cells_add(&c, 0, "scalars.grad_norm", i, i == 20 ? (double)INFINITY : 1.0);
		cells_add(&c, 0, "scalars.amp/scale", i, i < 20 ? 64 : i < 25 ? 32 : i < 30 ? 64 : 16);
	}
	analyze(&w, make_run(&w, &c, NULL, 0), (struct ts_analyze_request){.has_warmup = false}, &a);
	expect_measure(&a.measures, "convergence", "updates", "skipped_count", 1);
	expect_measure(&a.measures, "convergence", "updates", "recorded_count", 40);
	expect_measure(&a.measures, "convergence", "updates", "first_skipped_step", 20);
	expect_measure(&a.measures, "convergence", "updates", "last_skipped_step", 20);
	expect_measure(&a.measures, "convergence", "updates", "overflowed_count", 1);
	expect_measure(&a.measures, "convergence", "updates", "scale_before", 64);
	expect_measure(&a.measures, "convergence", "updates", "scale_after", 32);
	cells_free(&c);
	world_close(&w);
}

/* From step 30 on the digest of the parameters stays, while the learning rate is 0.01; every batch comes twice. */
static void parameters_that_stay(void **state)
{
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t i = 0; i < 50; i++) {
		cells_add(&c, 0, "scalars.loss", i, 3.0);
		cells_add(&c, 0, "scalars.lr", i, 0.01);
		cells_add_word(&c, 0, "digests.params", i, 1000 + (uint64_t)(i < 30 ? i : 30));
		cells_add_word(&c, 0, "digests.batch", i, 2000 + (uint64_t)i / 2);
	}
	analyze(&w, make_run(&w, &c, NULL, 0), (struct ts_analyze_request){.has_warmup = false}, &a);
	expect_measure(&a.measures, "convergence", "parameters", "recorded_count", 50);
	expect_measure(&a.measures, "convergence", "parameters", "still_count", 20);
	expect_measure(&a.measures, "convergence", "parameters", "still_step", 30);
	expect_measure(&a.measures, "convergence", "parameters", "least_rate", 0.01);
	expect_measure(&a.measures, "convergence", "batches", "doubled_count", 25);
	assert_true(finds(&a, "CONVERGENCE.NOT_TRAINED") && finds(&a, "CONVERGENCE.BATCHES_REPEAT"));
	cells_free(&c);
	world_close(&w);
}

/* What the recorder says of modes becomes rows; what is no number of that kind says nothing. */
static void modes_of_models(void **state)
{
	struct told told[] = {
		{0, "work.modes.classes_in_eval", "BatchNorm2d (4), Dropout (2)", 0},
		{0, "work.modes.dropouts_in_eval", NULL, 2},
		{0, "work.modes.first_part", NULL, 7},
		{0, "work.modes.first_whole", NULL, 40},
		{0, "work.modes.modules", NULL, 30},
		{0, "work.modes.modules_in_eval", NULL, 30},
		{0, "work.modes.norms_in_eval", NULL, 4},
		{0, "work.modes.observed", NULL, 12},
		{0, "work.modes.parameters", NULL, 60},
		{0, "work.modes.part", NULL, 1},
		{0, "work.modes.updated", NULL, 60},
		{0, "work.modes.whole", NULL, 9},
	};
	enum { TOLD = sizeof told / sizeof told[0] };
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct world w;

	(void)state;
	world_open(&w);
	small_run(&c, 0, 0.0);
	analyze(&w, make_run(&w, &c, told, TOLD), (struct ts_analyze_request){.has_rank = false}, &a);
	expect_measure(&a.measures, "convergence", "modes", "whole_count", 9);
	expect_measure(&a.measures, "convergence", "modes", "whole_step", 40);
	assert_true(finds(&a, "CONVERGENCE.EVAL_MODE") && !finds(&a, "CONVERGENCE.EVAL_PART"));
	told[TOLD - 1].integer = -9;
	analyze(&w, make_run(&w, &c, told, TOLD), (struct ts_analyze_request){.has_rank = false}, &a);
	assert_null(test_find(&a.measures, "convergence", "modes", "observed"));
	assert_false(finds(&a, "CONVERGENCE.EVAL_MODE"));
	told[TOLD - 1] = (struct told){0, "work.modes.whole", "nine", 0};
	analyze(&w, make_run(&w, &c, told, TOLD), (struct ts_analyze_request){.has_rank = false}, &a);
	assert_false(finds(&a, "CONVERGENCE.EVAL_MODE"));
	cells_free(&c);
	world_close(&w);
}

/* Gradients and loss stay although parameters and batches change; the rest is what a recorder says of it. */
static void what_goes_wrong_in_silence(void **state)
{
	struct told told[] = {
		{0, "session.checks.untrained_unheld.parameters", NULL, 2}, {0, "session.checks.untrained_unheld.of", NULL, 6},
		{0, "session.checks.untrained_unheld.names", "0.weight", 0}, {0, "session.checks.untrained_unheld.first", NULL, 3},
		{0, "session.checks.untrained_unheld.last", NULL, 40},	     {0, "session.checks.untrained_frozen.parameters", NULL, 0},
		{0, "session.checks.untrained_no_rate.parameters", "2", 0},  {0, "session.checks.kept.times", NULL, 4},
		{0, "session.checks.kept.of", NULL, 5},			     {0, "session.checks.kept.name", "b", 0},
		{0, "session.checks.kept.first", NULL, 2},		     {0, "session.checks.batch.again", NULL, 3},
		{0, "session.checks.batch.of", NULL, 4},		     {0, "session.checks.batch.first", NULL, 1},
		{0, "session.checks.input.parts", NULL, 1},		     {0, "session.checks.input.names", "[0]", 0},
		{0, "session.checks.input.first", NULL, 5},		     {0, "session.checks.input.times", NULL, 3},
		{0, "session.checks.evaluation.times", NULL, 2},	     {0, "session.checks.evaluation.of", NULL, 2},
		{0, "session.checks.evaluation.statistics", NULL, 3},	     {0, "session.checks.evaluation.others", NULL, 1},
		{0, "session.checks.evaluation.names", "1.running_mean", 0}, {0, "session.checks.evaluation.first", NULL, 9},
		{0, "session.checks.evaluation.every", NULL, 10},
	};
	struct cells c = {.n = 0};
	struct ts_analysis a;
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t i = 0; i < 50; i++) {
		cells_add(&c, 0, "scalars.loss", i, i < 20 ? (double)i : 2.5);
		cells_add_word(&c, 0, "digests.params", i, 1000 + (uint64_t)i);
		cells_add_word(&c, 0, "digests.grads", i, i < 40 ? (uint64_t)i : 77);
		cells_add_word(&c, 0, "digests.batch", i, 2000 + (uint64_t)i);
	}
	analyze(&w, make_run(&w, &c, told, sizeof told / sizeof told[0]), (struct ts_analyze_request){.has_warmup = false}, &a);
	expect_measure(&a.measures, "convergence", "gradients", "recorded_count", 50);
	expect_measure(&a.measures, "convergence", "gradients", "stale_count", 10);
	expect_measure(&a.measures, "convergence", "gradients", "stale_step", 40);
	expect_measure(&a.measures, "convergence", "constant loss", "same_count", 30);
	expect_measure(&a.measures, "convergence", "constant loss", "recorded_count", 50);
	expect_measure(&a.measures, "convergence", "constant loss", "same_step", 20);
	expect_measure(&a.measures, "convergence", "constant loss", "batches_count", 30);
	expect_measure(&a.measures, "convergence", "constant loss", "value", 2.5);
	expect_measure(&a.measures, "convergence", "untrained by unheld", "parameters_count", 2);
	expect_measure(&a.measures, "convergence", "untrained by unheld", "of_count", 6);
	expect_measure(&a.measures, "convergence", "untrained by unheld", "first_step", 3);
	expect_measure(&a.measures, "convergence", "untrained by unheld", "last_step", 40);
	assert_null(test_find(&a.measures, "convergence", "untrained by frozen", "parameters_count"));
	assert_null(test_find(&a.measures, "convergence", "untrained by no_rate", "parameters_count"));
	expect_measure(&a.measures, "convergence", "kept gradients", "times_count", 4);
	expect_measure(&a.measures, "convergence", "kept gradients", "of_count", 5);
	expect_measure(&a.measures, "convergence", "kept gradients", "first_step", 2);
	expect_measure(&a.measures, "convergence", "batches", "next_same_count", 3);
	expect_measure(&a.measures, "convergence", "batches", "next_count", 4);
	expect_measure(&a.measures, "convergence", "batches", "next_step", 1);
	expect_measure(&a.measures, "convergence", "batches", "same_parts_count", 1);
	expect_measure(&a.measures, "convergence", "batches", "same_parts_step", 5);
	expect_measure(&a.measures, "convergence", "batches", "same_for_count", 3);
	expect_measure(&a.measures, "convergence", "evaluation", "writes_count", 2);
	expect_measure(&a.measures, "convergence", "evaluation", "every_count", 10);
	assert_true(finds(&a, "CONVERGENCE.EVALUATION_CHANGES"));
	assert_true(finds(&a, "CONVERGENCE.PART_NOT_TRAINED") && finds(&a, "CONVERGENCE.GRADIENTS_STALE"));
	assert_true(finds(&a, "CONVERGENCE.LOSS_CONSTANT") && finds(&a, "CONVERGENCE.INPUT_CONSTANT"));
	assert_false(finds(&a, "CONVERGENCE.GRADIENTS_KEPT") || finds(&a, "CONVERGENCE.BATCHES_REPEAT"));
	cells_free(&c);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_rank),
		cmocka_unit_test(what_memory_cannot_hold_is_said_at_once),
		cmocka_unit_test(several_ranks),
		cmocka_unit_test(memory_of_the_device),
		cmocka_unit_test(warmup_that_the_run_declares),
		cmocka_unit_test(no_steps_at_all),
		cmocka_unit_test(step_times_by_timestamps),
		cmocka_unit_test(what_waited_for_a_cpu),
		cmocka_unit_test(slow_starts_of_epochs),
		cmocka_unit_test(series_of_any_name),
		cmocka_unit_test(order_and_ranks_of_batches),
		cmocka_unit_test(updates_that_were_skipped),
		cmocka_unit_test(parameters_that_stay),
		cmocka_unit_test(what_goes_wrong_in_silence),
		cmocka_unit_test(superseded_rows_are_not_counted),
		cmocka_unit_test(agrees_with_pytscope),
		cmocka_unit_test(any_allocation_may_fail),
		cmocka_unit_test(modes_of_models),
		cmocka_unit_test(the_method_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
