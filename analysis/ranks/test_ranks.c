#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_seen.h"
#include "analysis/ranks/test_rank_runs.h"
#include "analysis/stats/random.h"

#define GOLDEN "tests/golden/pytscope/"
#define CORPUS "../shared/corpus/pytscope/runs/"

enum { CEILING = 256 << 20 };

struct fixture {
	struct ts_arena arena;
	struct rank_run run;
	struct ts_measures m;
	struct ts_events events;
	struct ts_plots plots;
};

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);

	ts_arena_init(&f->arena, CEILING);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ts_arena_finish(&f->arena);
	test_free(f);
	return 0;
}

static void analyze(struct fixture *f, uint32_t world_size, size_t window)
{
	rank_run_analyze(&f->run, world_size, window, &f->arena, &f->m, &f->events, &f->plots);
	assert_true(test_seen(&f->m));
}

static double *phase(struct fixture *f, size_t rank, enum ts_rank_phase p)
{
	return rank_run_phase(&f->run, rank, p, &f->arena);
}

/* The value is known, and equal within 1e-12: sums of a step's phases are plain sums here. */
static void near(struct fixture *f, const char *subject, const char *name, double want)
{
	const struct ts_measure *row = test_find(&f->m, "ranks", subject, name);

	if (!row || !row->known)
		fail_msg("%s/%s is not known: %.*s", subject, name, TS_SPAN_ARG(row ? row->reason : ts_span_str("no row")));
	if (!(fabs(row->value - want) <= fabs(want) * 1e-12))
		fail_msg("%s/%s is %.17g, expected %.17g", subject, name, row->value, want);
}

static void text_is(struct fixture *f, const char *subject, const char *name, const char *want)
{
	for (size_t i = 0; i < f->m.n; i++) {
		const struct ts_measure *row = &f->m.items[i];

		if (row->unit != TS_UNIT_TEXT || !ts_span_is(row->subject, subject) || !ts_span_is(row->name, name))
			continue;
		if (!ts_span_is(row->text, want))
			fail_msg("%s/%s is %.*s, expected %s", subject, name, TS_SPAN_ARG(row->text), want);
		return;
	}
	fail_msg("there is no text %s/%s", subject, name);
}

static void unknown(struct fixture *f, const char *subject, const char *name)
{
	expect_unknown(&f->m, "ranks", subject, name);
}

/* The expected values are from pytscope 0.2.1 (corpus, expected/ddp_manual.json). Wall, transfer, wait, work and
 * blame were computed with Python's fsum over the same files, from the definitions in ranks.h. */
static void a_real_job_agrees_with_pytscope(void **state)
{
	struct fixture *f = *state;

	assert_true(rank_run_load(GOLDEN "ddp_manual", 3, &f->arena, &f->run));
	for (size_t window = 0; window < 50; window += 13) { /* the result is the same however the steps are cut into windows */
		analyze(f, 3, window);
		near(f, "all", "aligned_steps", 60);
		near(f, "all", "imbalance_cv", 0.9224165382503835);
		near(f, "all", "skew", 0.010058877);
		near(f, "all", "lost_ratio", 0.5559235602820216);
		near(f, "all", "comm_max", 0.7097918622489932);
		near(f, "rank 0", "own", 0.0019504236166666667);
		near(f, "rank 0", "own_median", 0.001772313);
		near(f, "rank 0", "slowest_count", 0);
		near(f, "rank 1", "own", 0.012164346583333334);
		near(f, "rank 1", "own_median", 0.01188842);
		near(f, "rank 1", "slowest_count", 60);
		near(f, "rank 1", "slowest_ratio", 1);
		near(f, "rank 2", "own", 0.002090928966666667);
		near(f, "rank 2", "own_median", 0.001799417);
		/* The value differs on purpose from pytscope's mean_step_wall 0.0439, which adds the fast ranks'
		 * wait to the slow rank's work. */
		near(f, "all", "wall", 0.03433799401666667);
		near(f, "all", "transfer_s", 0.020755408516666667);
		near(f, "all", "wait_s", 0.006757249988888888);
		near(f, "all", "wait_ratio", 0.1967863931017378);
		near(f, "rank 0", "wait", 0.010230442933333334);
		near(f, "rank 1", "wait", 0);
		near(f, "rank 1", "work", 0.032919755099999996);
		near(f, "rank 1", "median", 0.031332912);
		near(f, "rank 1", "blame", 0.592224728);
		near(f, "rank 2", "blame", 0);
		text_is(f, "all", "mode", "explicit comm");
		text_is(f, "all", "resolution", "steps");
		near(f, "all", "stragglers", 1); /* rank 1 was slowed down on purpose */
		text_is(f, "rank 1", "straggler", "persistent");
		near(f, "traceml input_wait", "median_s", 9.153325000000001e-05);
		near(f, "traceml input_wait", "median_rank", 0);
		near(f, "traceml input_wait", "worst_s", 0.010225932883333334);
		near(f, "traceml input_wait", "worst_rank", 1);
		near(f, "traceml input_wait", "skew_ratio", 110.71823226350351);
		near(f, "traceml compute", "median_s", 0.0019384137);
		near(f, "traceml residual", "worst_s", 0.03098585145);
		near(f, "traceml step_time", "worst_rank", 0);
		near(f, "traceml", "culprit", 0); /* this rank has the least backward time, but no rank waits in backward here */
		near(f, "traceml", "victim", 1);
		text_is(f, "traceml", "kind", "none");
	}
}

static void sixty_four_ranks_agree_with_pytscope(void **state)
{
	struct fixture *f = *state;

	if (!rank_run_load(CORPUS "two64", 64, &f->arena, &f->run))
		skip();
	analyze(f, 64, 0);
	near(f, "all", "imbalance_cv", 0.08659194009999571);
	near(f, "all", "skew", 0.005089475440152793);
	near(f, "all", "lost_ratio", 0.326949004136981);
	near(f, "all", "comm_max", 0.06215411351071007);
	near(f, "rank 3", "own", 0.014996433865018475);
	near(f, "rank 3", "own_median", 0.014991828080676353);
	near(f, "rank 3", "slowest_count", 89);
	near(f, "rank 3", "slowest_ratio", 0.445);
	near(f, "rank 40", "own", 0.015023217268344697);
	near(f, "rank 40", "slowest_count", 111);
	near(f, "rank 63", "own_median", 0.010004162016060969);
	near(f, "all", "wait_s", 0);
	near(f, "all", "stragglers", 2); /* the rank was made 50 % slower than the others, which pytscope does not see */
	text_is(f, "rank 3", "straggler", "persistent");
	text_is(f, "rank 40", "straggler", "persistent");
	text_is(f, "all", "decidable", "yes");
}

/* Two ranks have two steps each, and the sums were computed by hand: own 2 3 | 4 1, comm 3 2 | 1 5. */
static void what_is_wait_and_what_is_transfer(void **state)
{
	struct fixture *f = *state;

	rank_run_init(&f->run, 2, 2, &f->arena);
	memcpy(phase(f, 0, TS_RANK_FORWARD), (const double[]){1, 3}, 16);
	memcpy(phase(f, 0, TS_RANK_OTHER), (const double[]){1, 1}, 16); /* phases with unknown names count as own time */
	memcpy(phase(f, 0, TS_RANK_COMM), (const double[]){3, 1}, 16);
	memcpy(phase(f, 1, TS_RANK_FORWARD), (const double[]){3, 1}, 16);
	memcpy(phase(f, 1, TS_RANK_COMM), (const double[]){2, 5}, 16);
	analyze(f, 2, 1);
	near(f, "all", "wall", 5.5);		/* (max(5, 5) + max(5, 6)) / 2 */
	near(f, "all", "transfer_s", 1.5);	/* (2 + 1) / 2 */
	near(f, "all", "wait_s", 1.25);		/* (1 + 0 + 0 + 4) / 2 / 2 */
	near(f, "all", "comm_ratio", 0.5);	/* 2.75 / 5.5 */
	near(f, "all", "lost_ratio", 2.0 / 7);	/* (0.5 + 1.5) / (3 + 4) */
	near(f, "all", "lost_s", 2);
	near(f, "rank 0", "own", 3);
	near(f, "rank 0", "wait", 0.5);
	near(f, "rank 0", "work", 4.5); /* own 3 and transfer 1.5 */
	near(f, "rank 0", "blame", 3);	/* 4 - 1 */
	near(f, "rank 1", "blame", 1);	/* 3 - 2 */
	near(f, "rank 0", "slowest_count", 1);
}

static void missing_ranks_are_named(void **state)
{
	static const int32_t some[] = {0, 2, 9};
	struct fixture *f = *state;

	rank_run_init(&f->run, 3, 4, &f->arena);
	memcpy(f->run.ranks, some, sizeof some);
	for (size_t a = 0; a < 3; a++)
		for (size_t i = 0; i < 4; i++)
			phase(f, a, TS_RANK_COMPUTE)[i] = 1;
	analyze(f, 12, 0);
	near(f, "all", "present", 3);
	near(f, "all", "missing_count", 9);
	text_is(f, "all", "missing", "1, 3-8, 10-11");
	near(f, "rank 9", "own", 1);
	analyze(f, 0, 0); /* if the number of ranks is not known, no rank can be missing */
	unknown(f, "all", "missing_count");
	unknown(f, "all", "world_size");
	unknown(f, "all", "transfer_s"); /* a rank without comm is not the same as a rank that spends no time in it */
	unknown(f, "rank 0", "wait");
	text_is(f, "all", "mode", "none");
}

static void what_is_no_number_is_left_out_and_counted(void **state)
{
	static const double odd[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300};
	struct fixture *f = *state;

	rank_run_init(&f->run, 2, 6, &f->arena);
	for (size_t i = 0; i < 6; i++) {
		phase(f, 0, TS_RANK_BACKWARD)[i] = i < 4 ? odd[i] : 2;
		phase(f, 1, TS_RANK_BACKWARD)[i] = 4;
		phase(f, 1, TS_RANK_COMM)[i] = 1;
	}
	analyze(f, 2, 0);
	near(f, "all", "left_out", 4);
	near(f, "rank 0", "own", 2);
	near(f, "rank 0", "steps", 2);
	near(f, "all", "wall", 5);
	f->run.n = 4;
	analyze(f, 2, 0);
	unknown(f, "all", "wall");
	unknown(f, "rank 0", "own");
	unknown(f, "rank 0", "median");
	f->run.n = 0;
	analyze(f, 2, 0);
	unknown(f, "all", "lost_ratio");
	f->run.n_ranks = 0;
	analyze(f, 2, 0);
	text_is(f, "all", "missing", "0-1");
	unknown(f, "all", "skew");
}

/* All ranks end backward together: the time of the other phases is missing from backward. */
static void waiting_inside_backward_is_found(void **state)
{
	struct fixture *f = *state;
	struct ts_random r;

	rank_run_init(&f->run, 3, 40, &f->arena);
	ts_random_init(&r, 7);
	for (size_t i = 0; i < 40; i++) {
		double pre[3], last = 0;

		for (size_t a = 0; a < 3; a++) {
			pre[a] = 2 + ts_random_unit(&r) + (a == 1 ? 10 : 0);
			last = pre[a] > last ? pre[a] : last;
		}
		for (size_t a = 0; a < 3; a++) {
			phase(f, a, TS_RANK_FORWARD)[i] = pre[a];
			phase(f, a, TS_RANK_BACKWARD)[i] = 5 + last - pre[a];
		}
	}
	analyze(f, 3, 7);
	text_is(f, "all", "mode", "hidden in backward");
	near(f, "rank 1", "wait", 0);
	near(f, "rank 1", "slowest_ratio", 1);
	assert_true(test_find(&f->m, "ranks", "rank 0", "wait")->value > 9);
	unknown(f, "all", "transfer_s");
	for (size_t i = 0; i < 40; i++) /* a backward whose time does not depend on the other phases hides no wait */
		for (size_t a = 0; a < 3; a++)
			phase(f, a, TS_RANK_BACKWARD)[i] = 5 + ts_random_unit(&r);
	analyze(f, 3, 7);
	text_is(f, "all", "mode", "none");
	for (size_t i = 0; i < 40; i++) /* neither does a backward that shortens by a fifth of their time */
		for (size_t a = 0; a < 3; a++)
			phase(f, a, TS_RANK_BACKWARD)[i] = 20 - phase(f, a, TS_RANK_FORWARD)[i] / 5;
	analyze(f, 3, 7);
	text_is(f, "all", "mode", "none");
	/* Nor does one whose slope on their time is -1.2 if the rest of it, which that does not explain, is the larger part by far. */
	for (size_t i = 0; i < 40; i++)
		for (size_t a = 0; a < 3; a++) {
			phase(f, a, TS_RANK_FORWARD)[i] = 10 + (double)a;
			phase(f, a, TS_RANK_BACKWARD)[i] = 50 - 1.2 * (double)a + (a == 1 ? -4 : 2);
		}
	analyze(f, 3, 7);
	text_is(f, "all", "mode", "none");
}

/* Makes n ranks whose own time is 1, with 2 % of noise. */
static void alike(struct fixture *f, size_t n_ranks, size_t n)
{
	struct ts_random r;

	rank_run_init(&f->run, n_ranks, n, &f->arena);
	ts_random_init(&r, 21);
	for (size_t a = 0; a < n_ranks; a++)
		for (size_t i = 0; i < n; i++)
			phase(f, a, TS_RANK_COMPUTE)[i] = 1 + 0.02 * ts_random_normal(&r);
	for (size_t i = 0; i < n; i++)
		f->run.steps[i] = 1000 + 10 * (int64_t)i; /* step numbers are not indexes */
}

static void a_late_straggler_has_an_onset(void **state)
{
	struct fixture *f = *state;
	const struct ts_event *e;

	alike(f, 4, 300);
	for (size_t i = 170; i < 300; i++)
		phase(f, 2, TS_RANK_COMPUTE)[i] += 0.5;
	analyze(f, 4, 64);
	text_is(f, "rank 2", "straggler", "late");
	near(f, "rank 2", "onset_step", 2700);
	near(f, "all", "stragglers", 1);
	assert_int_equal(f->events.n, 1);
	e = &f->events.items[0];
	assert_int_equal(e->kind, TS_EVENT_ONSET);
	assert_true(ts_span_is(e->subject, "rank 2"));
	assert_int_equal(e->first_step, 2700);
	assert_int_equal(e->last_step, 3990);
	assert_true(fabs(e->value - 1.5) < 0.01 && fabs(e->expected - 1) < 0.01);
	assert_true(e->score > 10 && e->score < 40); /* 0.5 / 0.02 */
	/* Each of the 130 steps costs 0.5, less the amount by which the largest of three others of deviation 0.02 is
	 * above 1: 0.017. */
	assert_true(fabs(test_find(&f->m, "ranks", "all", "saved_s")->value - 130 * (0.5 - 0.017)) < 1);
	assert_null(test_find(&f->m, "ranks", "rank 1", "straggler"));
}

static void a_periodic_straggler_has_a_period(void **state)
{
	struct fixture *f = *state;

	alike(f, 4, 300);
	for (size_t i = 4; i < 300; i += 20)
		phase(f, 3, TS_RANK_COMPUTE)[i] += 4;
	analyze(f, 4, 0);
	text_is(f, "rank 3", "straggler", "periodic");
	near(f, "rank 3", "period_count", 20);
	near(f, "rank 3", "onset_step", 1040);
}

static void too_few_steps_are_said_to_be(void **state)
{
	struct fixture *f = *state;

	alike(f, 2, 4);
	analyze(f, 2, 0);
	text_is(f, "all", "decidable",
		"the test for stragglers needs more steps: 4 steps do not show their autocorrelation");
	unknown(f, "all", "stragglers");
	unknown(f, "rank 0", "p_value");
	assert_non_null(test_find(&f->m, "ranks", "rank 0", "slowdown"));
	alike(f, 1, 50);
	analyze(f, 1, 0);
	text_is(f, "all", "decidable", "the test for stragglers cannot run: only one rank has steps");
	near(f, "rank 0", "steps", 50);
}

/* From the middle on, rank 2 takes half as much time again; all ranks take longer and longer. */
static void ranks_are_drawn_against_their_median(void **state)
{
	struct fixture *f = *state;
	const struct ts_plot *plot;

	rank_run_init(&f->run, 3, 192, &f->arena);
	for (size_t a = 0; a < 3; a++)
		for (size_t i = 0; i < 192; i++)
			phase(f, a, TS_RANK_COMPUTE)[i] = (a == 2 && i >= 96 ? 1.5 : 1) * (1 + (double)i);
	analyze(f, 3, 50);
	assert_int_equal(f->plots.n, 3);
	near(f, "all", "plotted", 3);
	plot = &f->plots.items[2];
	assert_true(ts_span_is(plot->subject, "rank 2"));
	assert_true(ts_span_is(plot->name, "slowdown"));
	assert_int_equal(plot->n, TS_RANKS_PLOT_CELLS);
	assert_true(fabs(plot->mean[47] - 1) < 1e-12);
	assert_true(fabs(plot->mean[48] - 1.5) < 1e-12);
	assert_true(fabs(f->plots.items[0].mean[48] - 1) < 1e-12);
}

/* The whole analysis runs with arenas of every size: either it reports that memory is short, or it completes. */
static void short_memory_is_told(void **state)
{
	struct fixture *f = *state;
	const double *at[4][TS_RANK_PHASES] = {{NULL}};
	bool short_of_it = true;
	size_t ceiling = 1;

	alike(f, 4, 100);
	for (size_t i = 50; i < 100; i++)
		phase(f, 2, TS_RANK_COMPUTE)[i] += 0.5;
	for (size_t a = 0; a < 4; a++) {
		at[a][TS_RANK_COMPUTE] = at[a][TS_RANK_BACKWARD] = phase(f, a, TS_RANK_COMPUTE);
		at[a][TS_RANK_COMM] = phase(f, a, TS_RANK_COMM);
	}
	for (; short_of_it && ceiling < CEILING; ceiling += ceiling / 16 + 1) {
		struct ts_rank_window w = {.steps = f->run.steps, .n = 100, .phases = (void *)at};
		enum ts_status status;
		struct ts_measures m;
		struct ts_events events;
		struct ts_plots plots;
		struct ts_arena scratch, results;
		struct ts_error err;
		struct ts_ranks r;

		short_of_it = false;
		for (int side = 0; side < 2; side++) { /* one of the two arenas is short */
			ts_arena_init(&scratch, side ? CEILING : ceiling);
			ts_arena_init(&results, side ? ceiling : CEILING);
			m = (struct ts_measures){.n = 0};
			events = (struct ts_events){.n = 0};
			plots = (struct ts_plots){.n = 0};
			status = ts_ranks_begin(&r, f->run.ranks, 4, 6, 100, &scratch, &err);
			status = status ? status : ts_ranks_window(&r, &w, &err);
			status = status ? status : ts_ranks_finish(&r, &results, &m, &events, &plots, &err);
			assert_true(status == TS_OK || status == TS_NO_MEMORY);
			short_of_it |= status != TS_OK;
			ts_arena_finish(&scratch);
			ts_arena_finish(&results);
		}
	}
	assert_false(short_of_it);
	assert_true(ceiling > 10000);
}

static void more_than_was_kept_is_said(void **state)
{
	struct fixture *f = *state;
	size_t n = 300000; /* 64 ranks of so many steps have more values than TS_RANKS_EXACT */

	rank_run_init(&f->run, 64, n, &f->arena);
	for (size_t a = 0; a < 64; a++)
		f->run.phases[a][TS_RANK_COMPUTE] = a ? f->run.phases[0][TS_RANK_COMPUTE] : phase(f, 0, TS_RANK_COMPUTE);
	for (size_t i = 0; i < n; i++)
		phase(f, 0, TS_RANK_COMPUTE)[i] = 1 + (double)(i % 2);
	analyze(f, 64, 16384);
	text_is(f, "all", "resolution", "cells of 74 steps"); /* ceil(300000 / 4096) */
	near(f, "rank 5", "own_median", 1.5);		      /* the mean of each cell */
	assert_int_equal(f->plots.n, 64);
	for (size_t i = 0; i < f->plots.items[63].n; i++) /* 4055 cells are drawn as 96 */
		assert_in_range(f->plots.items[63].count[i], 40, 44);
}

/* Peak and growth are the values that were given; each has its own reason where it is not known. */
static void memory_of_the_ranks(void **state)
{
	static const double own[] = {1, 2};
	static const int64_t steps[] = {0, 1};
	static const int32_t ranks[] = {0, 1};
	static const struct ts_rank_memory memory[] = {
		{.has_peak = true, .peak = 9e9, .no_growth = "fewer than 3 steps"},
		{.no_peak = "no column", .has_growth = true, .growth = 512}};
	const double *at[2][TS_RANK_PHASES] = {{NULL}};
	struct ts_rank_window w = {.steps = steps, .n = 2, .phases = (void *)at};
	struct fixture *f = *state;
	struct ts_error err = {.status = TS_OK};
	struct ts_ranks r;

	assert_int_equal(ts_ranks_begin(&r, ranks, 2, 2, 2, &f->arena, &err), TS_OK);
	at[0][TS_RANK_FORWARD] = at[1][TS_RANK_FORWARD] = own;
	assert_int_equal(ts_ranks_window(&r, &w, &err), TS_OK);
	ts_ranks_memory(&r, memory);
	assert_int_equal(ts_ranks_finish(&r, &f->arena, &f->m, &f->events, &f->plots, &err), TS_OK);
	assert_true(test_seen(&f->m));
	near(f, "rank 0", "peak_bytes", 9e9);
	unknown(f, "rank 0", "growth_bytes_per_step");
	unknown(f, "rank 1", "peak_bytes");
	near(f, "rank 1", "growth_bytes_per_step", 512);
}

/* The rank has comm only from its second window on. */
static void a_phase_may_begin_late(void **state)
{
	static const double own[] = {1, 2, 3, 4}, comm[] = {10, 20};
	static const int64_t steps[] = {0, 1, 2, 3};
	static const int32_t ranks[] = {0, 1};
	const double *at[2][TS_RANK_PHASES] = {{NULL}};
	struct ts_rank_window w = {.steps = steps, .n = 2, .phases = (void *)at};
	struct fixture *f = *state;
	struct ts_error err = {.status = TS_OK};
	struct ts_ranks r;

	assert_int_equal(ts_ranks_begin(&r, ranks, 2, 2, 4, &f->arena, &err), TS_OK);
	at[0][TS_RANK_FORWARD] = at[1][TS_RANK_FORWARD] = own;
	assert_int_equal(ts_ranks_window(&r, &w, &err), TS_OK);
	at[0][TS_RANK_FORWARD] = at[1][TS_RANK_FORWARD] = own + 2;
	at[0][TS_RANK_COMM] = at[1][TS_RANK_COMM] = comm;
	w.steps = steps + 2;
	assert_int_equal(ts_ranks_window(&r, &w, &err), TS_OK);
	assert_int_equal(ts_ranks_finish(&r, &f->arena, &f->m, &f->events, &f->plots, &err), TS_OK);
	near(f, "rank 1", "median", 7.5);  /* the median of 1 2 13 24 */
	near(f, "all", "transfer_s", 7.5); /* (0 + 0 + 10 + 20) / 4 */
}

static void too_many_steps_are_refused(void **state)
{
	struct fixture *f = *state;
	const double *at[1][TS_RANK_PHASES] = {{NULL}};
	struct ts_rank_window w = {.n = 3, .phases = (void *)at};
	struct ts_error err = {.status = TS_OK};
	struct ts_ranks r;
	int32_t rank = 0;

	assert_int_equal(ts_ranks_begin(&r, &rank, 1, 1, 2, &f->arena, &err), TS_OK);
	assert_int_equal(ts_ranks_window(&r, &w, &err), TS_INTERNAL);
}

/* A measure that no scenario produces would be a name in measures.inc and nothing else. */
static void every_measure_is_made(void **state)
{
	static const enum ts_measure_name of_replicas[] = {/* test_replicas.c has them */
							   TS_M_RANK_APART,	TS_M_REPLICAS_APART,	  TS_M_REPLICAS_STEPS,
							   TS_M_REPLICAS_RANKS, TS_M_REPLICAS_LAST_EQUAL, TS_M_REPLICAS_FIRST_APART,
							   TS_M_REPLICAS_ODD,	TS_M_REPLICAS_ODD_LIST,	  TS_MEASURE_NAMES};

	(void)state;
	assert_true(test_seen_all(TS_ANSWER_RANKS, of_replicas));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_real_job_agrees_with_pytscope, setup, teardown),
		cmocka_unit_test_setup_teardown(sixty_four_ranks_agree_with_pytscope, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_wait_and_what_is_transfer, setup, teardown),
		cmocka_unit_test_setup_teardown(missing_ranks_are_named, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_number_is_left_out_and_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(waiting_inside_backward_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown(a_late_straggler_has_an_onset, setup, teardown),
		cmocka_unit_test_setup_teardown(a_periodic_straggler_has_a_period, setup, teardown),
		cmocka_unit_test_setup_teardown(too_few_steps_are_said_to_be, setup, teardown),
		cmocka_unit_test_setup_teardown(ranks_are_drawn_against_their_median, setup, teardown),
		cmocka_unit_test_setup_teardown(short_memory_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(more_than_was_kept_is_said, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_of_the_ranks, setup, teardown),
		cmocka_unit_test_setup_teardown(a_phase_may_begin_late, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_steps_are_refused, setup, teardown),
		cmocka_unit_test(every_measure_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
