/* The ranks of a job by their traces: how often equal ranks are accused, a slow one is found, and clocks are set right. Ranks compute,
 * come to two collectives a step, and wait there for each other; each stamps by its own clock. */
#include "quality.h"
#include "quality_parts.h"

#include "analysis/trace/ranks/job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 64, STEPS_MAX = 400, EACH = 2, TRIALS = 400, POWER_TRIALS = 200 };

#define COMPUTE_NS 5e6
#define TRANSFER_NS 4e5

enum noise { WHITE, AUTOREGRESSIVE, LOGNORMAL, ODD_STEP, NOISES };

static const char *const noise_names[NOISES] = {"white 5 %", "AR .8 5 %", "lognormal .2", "white 5 %, one odd step"};

struct setting {
	size_t n_ranks, n;
	enum noise noise;
	double by;	  /* rank 1 is slow by so much; 0: none is */
	double offset_ns; /* the most by which a clock is off */
	double drift;	  /* the most by which one runs fast */
	double jitter_ns; /* by which ends of a collective differ */
};

struct clock {
	double offset, drift;
};

static struct ts_job_trace traces[RANKS_MAX];
static struct ts_job_arrival arrivals[RANKS_MAX][STEPS_MAX * EACH];
static struct ts_job_interval exposed[RANKS_MAX][STEPS_MAX * EACH];
static struct ts_job_step steps[RANKS_MAX][STEPS_MAX];
static struct ts_job_group_name all = {.ordinal = -1, .size = TS_TRACE_NONE};
static struct clock clocks[RANKS_MAX];
static struct ts_trace_job job;

static double uniform(struct ts_random *r)
{
	return (double)ts_random_below(r, 1 << 30) / (1 << 30);
}

static int64_t stamp(const struct clock *c, double true_ns)
{
	return (int64_t)llround((true_ns - c->offset) / (1 + c->drift));
}

static void job_begin(const struct setting *s, struct ts_random *r)
{
	all.name = ts_span_str("0");
	for (size_t a = 0; a < s->n_ranks; a++) {
		clocks[a] = (struct clock){.offset = a ? s->offset_ns * (2 * uniform(r) - 1) : 0,
					   .drift = a ? s->drift * (2 * uniform(r) - 1) : 0};
		traces[a] = (struct ts_job_trace){.file = "a",
						  .has_rank = true,
						  .any = true,
						  .rank = (int64_t)a,
						  .arrivals = arrivals[a],
						  .exposed = exposed[a],
						  .steps = steps[a],
						  .groups = &all,
						  .n_groups = 1,
						  .events = 1,
						  .from = stamp(&clocks[a], 0)};
	}
}

static double factor_of(const struct setting *s, struct ts_random *r, double *state, bool odd)
{
	double f = 1 + 0.05 * ts_random_normal(r);

	if (s->noise == AUTOREGRESSIVE)
		f = 1 + quality_ar1(r, 0.8, 0.05, state);
	else if (s->noise == LOGNORMAL)
		f = quality_lognormal(r, 0.2);
	return odd ? f * 5 : f;
}

static void arrive(size_t rank, double begin, double end, size_t i)
{
	struct ts_job_trace *t = &traces[rank];
	int64_t from = stamp(&clocks[rank], begin), until = stamp(&clocks[rank], end);

	t->arrivals[t->n_arrivals++] = (struct ts_job_arrival){.begin = from,
							       .end = until,
							       .sequence = (int64_t)i,
							       .elements_in = TS_TRACE_NONE,
							       .elements_out = TS_TRACE_NONE,
							       .collective = TS_COLLECTIVE_ALL_REDUCE,
							       .launched = true};
	t->exposed[t->n_exposed++] = (struct ts_job_interval){from, until};
	t->until = until;
}

static void make_job(const struct setting *s, struct ts_random *r)
{
	double now[RANKS_MAX] = {0}, state[RANKS_MAX];
	size_t odd[RANKS_MAX];

	job_begin(s, r);
	for (size_t a = 0; a < s->n_ranks; a++) {
		state[a] = NAN;
		odd[a] = s->noise == ODD_STEP ? ts_random_below(r, s->n) : SIZE_MAX;
	}
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < EACH; k++) {
			double come[RANKS_MAX], last = 0;

			for (size_t a = 0; a < s->n_ranks; a++) {
				if (k == 0)
					steps[a][i].begin = stamp(&clocks[a], now[a]);
				come[a] = now[a] +
					  COMPUTE_NS * fmax(0.1, factor_of(s, r, &state[a], odd[a] == i)) * (a == 1 ? 1 + s->by : 1);
				last = come[a] > last ? come[a] : last;
			}
			for (size_t a = 0; a < s->n_ranks; a++) {
				now[a] = last + TRANSFER_NS + s->jitter_ns * uniform(r);
				arrive(a, come[a], now[a], i * EACH + k);
				steps[a][i].number = (int64_t)i;
				steps[a][i].there = true;
				steps[a][i].end = stamp(&clocks[a], now[a]);
				traces[a].n_steps = i + 1;
			}
		}
}

static void analyze(const struct setting *s, struct ts_arena *arena)
{
	static enum ts_job_file_state states[RANKS_MAX];
	static const char *whys[RANKS_MAX];
	struct ts_error err;

	ts_arena_reset(arena);
	if (ts_trace_job(traces, s->n_ranks, states, whys, arena, &job, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

static size_t how_many(void)
{
	size_t n = 0;

	for (size_t a = 0; a < job.n_ranks; a++)
		n += job.ranks[a].straggler;
	return n;
}

static void run(struct quality *q, struct ts_arena *arena, struct quality_case c, const struct setting *s, bool (*happened)(void))
{
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, c.at_least ? POWER_TRIALS : TRIALS); i++) {
		quality_random(&c, i, &r);
		make_job(s, &r);
		analyze(s, arena);
		quality_count(&c, happened());
	}
	quality_report(q, &c);
}

static bool anybody_is_named(void)
{
	return how_many() > 0;
}

static bool rank_1_is_named(void)
{
	return how_many() == 1 && job.ranks[1].straggler;
}

static bool it_is_decided(void)
{
	return job.decidable;
}

static bool any_clock_is_corrected(void)
{
	for (size_t a = 0; a < job.n_ranks; a++)
		if (job.ranks[a].clock.corrected)
			return true;
	return false;
}

/* The correction that the truth would be lies outside of what is said to be possible. Halves of a nanosecond are those of stamps. */
static bool a_clock_is_out_of_bounds(void)
{
	for (size_t a = 0; a < job.n_ranks; a++) {
		double error = clocks[a].offset - clocks[0].offset - (double)job.ranks[a].clock.offset_ns;

		if (!job.ranks[a].clock.bounded || error < (double)job.ranks[a].clock.low_ns - 1 ||
		    error > (double)job.ranks[a].clock.high_ns + 1)
			return true;
	}
	return false;
}

/* At the begin or the end of the recording some corrected clock is off by more than the ends of collectives differ. */
static bool a_clock_is_wrong(void)
{
	for (size_t a = 0; a < job.n_ranks; a++)
		for (int k = 0; k < 2; k++) {
			const struct ts_job_clock *c = &job.ranks[a].clock;
			double at = k ? (double)traces[a].until : (double)traces[a].from;
			double truth = at * (1 + clocks[a].drift) + clocks[a].offset;
			double said = at + (double)c->offset_ns + at * (double)c->drift_ppb / 1e9;

			if (fabs(said - truth) > TS_JOB_CLOCK_SHOWS_NS)
				return true;
		}
	return false;
}

static void accused(struct quality *q, struct ts_arena *arena)
{
	static const size_t some_ranks[] = {2, 8, 64}, some_steps[] = {3, 10, 30, 100};
	char name[96];

	for (int noise = 0; noise < NOISES; noise++)
		for (size_t a = 0; a < 3; a++)
			for (size_t s = 0; s < 4; s++) {
				struct setting of = {some_ranks[a], some_steps[s], (enum noise)noise, 0, 0, 0, 2e4};

				(void)snprintf(name, sizeof name, "traces: false straggler, N %zu, S %zu, %s", of.n_ranks, of.n,
					       noise_names[noise]);
				run(q, arena, quality_at_most(name, 0.01), &of, anybody_is_named);
			}
	run(q, arena, quality_at_most("traces: false straggler, N 8, S 100, clocks off and drifting", 0.01),
	    &(struct setting){8, 100, WHITE, 0, 5e7, 5e-5, 2e4}, anybody_is_named);
}

static void found(struct quality *q, struct ts_arena *arena)
{
	static const struct {
		const char *name;
		struct setting s;
	} cases[] = {
		{"traces: rank +20 %, N 2, S 100, white 5 %", {2, 100, WHITE, 0.2, 0, 0, 2e4}},
		{"traces: rank +20 %, N 8, S 30, white 5 %", {8, 30, WHITE, 0.2, 0, 0, 2e4}},
		{"traces: rank +20 %, N 64, S 30, white 5 %", {64, 30, WHITE, 0.2, 0, 0, 2e4}},
		{"traces: rank +20 %, N 8, S 100, AR .8 5 %", {8, 100, AUTOREGRESSIVE, 0.2, 0, 0, 2e4}},
		{"traces: rank +20 %, N 8, S 30, one odd step", {8, 30, ODD_STEP, 0.2, 0, 0, 2e4}},
		{"traces: rank +20 %, N 8, S 30, clocks off and drifting", {8, 30, WHITE, 0.2, 5e7, 5e-5, 2e4}},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		run(q, arena, quality_at_least(cases[i].name, 0.95), &cases[i].s, rank_1_is_named);
	run(q, arena, quality_at_least("traces: 8 equal ranks are decided in 30 steps", 0.95),
	    &(struct setting){8, 30, WHITE, 0, 0, 0, 2e4}, it_is_decided);
	run(q, arena, quality_at_most("traces: 8 ranks are decided in 5 steps", 0), &(struct setting){8, 5, WHITE, 0, 0, 0, 2e4},
	    it_is_decided);
}

/* Two ranks have but each other to be compared with, so that blocks of steps must be many. */
static void decided(struct quality *q, struct ts_arena *arena)
{
	static const size_t some_steps[] = {30, 60, 100};
	char name[64];

	for (size_t i = 0; i < sizeof some_steps / sizeof some_steps[0]; i++) {
		struct setting of = {2, some_steps[i], WHITE, 0.2, 0, 0, 2e4};
		struct quality_case c;
		struct ts_random r;

		(void)snprintf(name, sizeof name, "traces: 2 ranks are decided in %zu steps", of.n);
		c = quality_at_least(name, 0.95);
		for (uint64_t k = 0; quality_wants(q, &c) && k < quality_trials(q, POWER_TRIALS); k++) {
			quality_random(&c, k, &r);
			make_job(&of, &r);
			analyze(&of, arena);
			quality_count(&c, it_is_decided());
		}
		quality_report_only(q, &c, "measured");
	}
}

static void clocks_are_right(struct quality *q, struct ts_arena *arena)
{
	run(q, arena, quality_at_most("traces: one clock is corrected, N 8, S 30", 0.01), &(struct setting){8, 30, WHITE, 0, 0, 0, 3e4},
	    any_clock_is_corrected);
	run(q, arena, quality_at_most("traces: an offset is out of its bounds, N 8, S 30", 0),
	    &(struct setting){8, 30, WHITE, 0, 5e7, 0, 3e4}, a_clock_is_out_of_bounds);
	run(q, arena, quality_at_most("traces: an offset is out of its bounds, N 2, S 3", 0),
	    &(struct setting){2, 3, WHITE, 0, 5e7, 0, 3e4}, a_clock_is_out_of_bounds);
	run(q, arena, quality_at_most("traces: an offset of 1 ms or less is wrong by 50 us, N 8, S 30", 0.01),
	    &(struct setting){8, 30, WHITE, 0, 1e6, 0, 3e4}, a_clock_is_wrong);
	run(q, arena, quality_at_most("traces: a drifting clock is wrong by 50 us, N 8, S 100", 0.01),
	    &(struct setting){8, 100, WHITE, 0, 5e7, 5e-5, 3e4}, a_clock_is_wrong);
	run(q, arena, quality_at_most("traces: a drifting clock is wrong by 50 us, N 8, S 400, AR .8", 0.01),
	    &(struct setting){8, 400, AUTOREGRESSIVE, 0, 5e7, 5e-5, 3e4}, a_clock_is_wrong);
}

void quality_traces(struct quality *q)
{
	struct ts_arena arena;

	ts_arena_init(&arena, 0);
	accused(q, &arena);
	found(q, &arena);
	decided(q, &arena);
	clocks_are_right(q, &arena);
	ts_arena_finish(&arena);
}
