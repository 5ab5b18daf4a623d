/* quality_bound.c - is the verdict of what a run is bound by the cause that was built into it?
 *
 * A trial is a job of 4 to 16 ranks whose steps are made of phases with noise, so that one cause takes a share of the
 * wall time drawn from a range of its own, and the others stay a fifth below what would make them the verdict. The
 * ranges begin a tenth above the documented limits: nearer to a limit there is no right answer to be labelled with. The
 * rank in view is drawn, too: in a job that waits it may be the straggler. The arrays go through timing, ranks,
 * efficiency and bound as those of a run do.
 */
#include "quality_parts.h"

#include "analysis/rank/efficiency.h"
#include "analysis/rank/timing.h"
#include "analysis/ranks/ranks.h"
#include "analysis/rules/bound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 16, STEPS = 400, PHASES = 6 };

#define STEP_S 0.1

static const char *const names[PHASES] = {"phases.data",      "phases.forward", "phases.backward",
					  "phases.optimizer", "phases.comm",	"phases.checkpoint"};
static const enum ts_rank_phase of_rank[PHASES] = {TS_RANK_DATA,      TS_RANK_FORWARD, TS_RANK_BACKWARD,
						   TS_RANK_OPTIMIZER, TS_RANK_COMM,    TS_RANK_OTHER};

enum { DATA, FORWARD, BACKWARD, OPTIMIZER, COMM, CHECKPOINT };

static struct {
	size_t ranks, n;
	bool has[PHASES];
	bool hidden; /* the collective runs inside backward */
	int64_t steps[STEPS];
	double phase[RANKS][PHASES][STEPS];
	double stamp[RANKS][STEPS];
} job;

/* The shares of the wall time of which a job is made. Compute is the rest. */
struct recipe {
	double input, communication, wait, phases, gaps; /* phases and gaps belong to the host */
};

static double between(struct ts_random *r, double low, double high)
{
	return low + (high - low) * ts_random_unit(r);
}

/* The cause gets at least a tenth more than its limit, and the others stay a fifth below theirs. The limits are 25, 25,
 * 15 and 20 %. */
static struct recipe draw(enum ts_bound_kind cause, struct ts_random *r)
{
	struct recipe s = {0};
	double little = cause == TS_BOUND_COMPUTE ? 0.02 : 0.08;

	s.input = between(r, 0, little);
	s.communication = between(r, 0, little);
	s.wait = between(r, 0, little / 2);
	s.phases = between(r, 0, little / 2);
	s.gaps = between(r, 0, little / 2);
	if (cause == TS_BOUND_INPUT)
		s.input = between(r, 0.275, 0.60);
	if (cause == TS_BOUND_COMMUNICATION)
		s.communication = between(r, 0.275, 0.60);
	if (cause == TS_BOUND_WAIT)
		s.wait = between(r, 0.165, 0.45);
	if (cause == TS_BOUND_HOST) {
		double all = between(r, 0.22, 0.50), part = ts_random_unit(r);

		s.phases = all * part;
		s.gaps = all - s.phases;
	}
	if (cause == TS_BOUND_BALANCED) {
		s.input = between(r, 0.10, 0.20);
		s.communication = between(r, 0.10, 0.20);
		s.phases = between(r, 0.02, 0.06);
		s.gaps = between(r, 0.02, 0.06);
	}
	return s;
}

/* The noise is 10 % of white noise and, now and then, a step that takes half as long again. */
static double noise(struct ts_random *r)
{
	return quality_lognormal(r, 0.1) * (ts_random_below(r, 50) == 0 ? 1.5 : 1);
}

/* One rank is late by so much that the others wait for the share `wait` of the time on average. The scatter alone
 * causes some of that wait. */
static double late_of(const struct recipe *s, bool straggles)
{
	return straggles ? s->wait * STEP_S * (double)job.ranks / (double)(job.ranks - 1) : 0;
}

/* Makes one step on every rank: its own time up to the collective, then the wait for the last rank, then the transfer. */
static void make_step(const struct recipe *s, size_t slow, size_t i, struct ts_random *r)
{
	double late = late_of(s, s->wait > 0), last = 0, at[RANKS];
	double rest = 1 - s->input - s->communication - s->wait - s->phases - s->gaps;
	double transfer = s->communication * STEP_S * noise(r);

	for (size_t a = 0; a < job.ranks; a++) {
		double(*p)[STEPS] = job.phase[a];
		double compute = rest * STEP_S;

		p[DATA][i] = s->input * STEP_S * noise(r);
		p[FORWARD][i] = 0.30 * compute * noise(r) + (a == slow ? late : 0);
		p[BACKWARD][i] = 0.62 * compute * quality_lognormal(r, 0.02);
		p[OPTIMIZER][i] = 0.08 * compute * noise(r);
		p[CHECKPOINT][i] = s->phases * STEP_S * noise(r);
		at[a] = p[DATA][i] + p[FORWARD][i] + p[CHECKPOINT][i] + p[BACKWARD][i];
		last = at[a] > last ? at[a] : last;
	}
	for (size_t a = 0; a < job.ranks; a++) {
		double(*p)[STEPS] = job.phase[a];
		double waited = last - at[a] + transfer, length = 0;

		p[job.hidden ? BACKWARD : COMM][i] = job.hidden ? p[BACKWARD][i] + waited : waited;
		for (int k = 0; k < PHASES; k++)
			length += job.has[k] ? p[k][i] : 0;
		job.stamp[a][i] = (i ? job.stamp[a][i - 1] : 0) + length + s->gaps * STEP_S * noise(r);
	}
}

static void make(enum ts_bound_kind cause, bool hidden, struct ts_random *r)
{
	struct recipe s = draw(cause, r);
	size_t slow;

	job.ranks = 4 + ts_random_below(r, RANKS - 3);
	job.n = 60 + ts_random_below(r, STEPS - 59);
	job.hidden = hidden;
	slow = ts_random_below(r, (uint32_t)job.ranks);
	for (int k = 0; k < PHASES; k++)
		job.has[k] = true;
	job.has[COMM] = !hidden;
	if (hidden)
		s.communication = 0;
	for (size_t i = 0; i < job.n; i++) {
		job.steps[i] = (int64_t)i;
		make_step(&s, slow, i, r);
	}
}

static struct ts_series series(size_t rank, int phase)
{
	return (struct ts_series){ts_span_str(names[phase]), job.steps, job.phase[rank][phase], job.n};
}

static enum ts_status timing(size_t rank, struct ts_arena *arena, struct ts_measures *m, struct ts_error *err)
{
	struct ts_series stamps = {ts_span_str("timestamp"), job.steps, job.stamp[rank], job.n};
	struct ts_timing t;
	enum ts_status status = ts_timing_begin(&t, job.steps, job.n, arena, err);

	for (int pass = 0; !status && pass < 2; pass++) {
		for (int k = 0; !status && k < PHASES; k++) {
			struct ts_series s = series(rank, k);

			if (job.has[k])
				status = pass ? ts_timing_phase(&t, &s, err) : ts_timing_total(&t, &s, err);
		}
		if (!status && pass == 0)
			status = ts_timing_cut(&t, true, 0, err);
	}
	return status ? status : ts_timing_finish(&t, &stamps, arena, m, NULL, NULL, err);
}

static enum ts_status ranks(struct ts_arena *arena, struct ts_measures *m, struct ts_error *err)
{
	static const double *at[RANKS][TS_RANK_PHASES];
	struct ts_rank_window window = {job.steps, job.n, (void *)at};
	struct ts_events events = {.n = 0};
	struct ts_plots plots = {.n = 0};
	int32_t numbers[RANKS];
	struct ts_ranks r;
	enum ts_status status;

	for (size_t a = 0; a < job.ranks; a++) {
		numbers[a] = (int32_t)a;
		for (int p = 0; p < TS_RANK_PHASES; p++)
			at[a][p] = NULL;
		for (int k = 0; k < PHASES; k++)
			if (job.has[k])
				at[a][of_rank[k]] = job.phase[a][k];
	}
	status = ts_ranks_begin(&r, numbers, job.ranks, (uint32_t)job.ranks, job.n, arena, err);
	if (!status)
		status = ts_ranks_window(&r, &window, err);
	return status ? status : ts_ranks_finish(&r, arena, m, &events, &plots, err);
}

/* Returns the verdict on the job when rank `rank` is analyzed. If alone is set, the steps of the other ranks are missing. */
static enum ts_bound_kind verdict(size_t rank, bool alone, struct ts_arena *arena)
{
	struct ts_measures m = {.n = 0};
	struct ts_facts none = {.n = 0};
	struct ts_bound bound;
	struct ts_error err;
	struct ts_work work;
	enum ts_status status;

	ts_arena_reset(arena);
	ts_work_of_facts(&none, &work);
	work.rank = (int32_t)rank;
	work.n_ranks = alone ? 1 : (uint32_t)job.ranks;
	status = timing(rank, arena, &m, &err);
	if (!status && !alone)
		status = ranks(arena, &m, &err);
	if (!status)
		status = ts_efficiency(&work, arena, &m, &err);
	if (!status)
		status = ts_bound_decide(&m, arena, &bound, &err);
	if (status) {
		(void)fprintf(stderr, "%s\n", err.text);
		abort();
	}
	return bound.kind;
}

void quality_bound(struct quality *q)
{
	static const struct {
		const char *name;
		enum ts_bound_kind cause;
		bool hidden, alone;
	} cases[] = {
		{"bound: input, named so", TS_BOUND_INPUT, false, false},
		{"bound: input, one rank's data alone", TS_BOUND_INPUT, false, true},
		{"bound: input, collectives inside backward", TS_BOUND_INPUT, true, false},
		{"bound: compute, named so", TS_BOUND_COMPUTE, false, false},
		{"bound: compute, collectives inside backward", TS_BOUND_COMPUTE, true, false},
		{"bound: communication, named so", TS_BOUND_COMMUNICATION, false, false},
		{"bound: wait for a straggler, named so", TS_BOUND_WAIT, false, false},
		{"bound: wait for a straggler, hidden in backward", TS_BOUND_WAIT, true, false},
		{"bound: host, named so", TS_BOUND_HOST, false, false},
		{"bound: host, one rank's data alone", TS_BOUND_HOST, false, true},
		{"bound: balanced, named so", TS_BOUND_BALANCED, false, false},
	};
	struct ts_arena arena;

	ts_arena_init(&arena, (size_t)256 << 20);
	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_least(cases[k].name, 0.95);

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 1000); i++) {
			struct ts_random random;
			enum ts_bound_kind got;

			quality_random(&c, i, &random);
			make(cases[k].cause, cases[k].hidden, &random);
			got = verdict(ts_random_below(&random, (uint32_t)job.ranks), cases[k].alone, &arena);
			quality_count(&c, got == cases[k].cause);
		}
		quality_report(q, &c);
	}
	ts_arena_finish(&arena);
}
