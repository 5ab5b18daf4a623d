/* Stragglers: how often equal ranks are accused, and how often a slow one is found and said to be slow as it is. */
#include "analysis/answer/test_words.h"
#include "quality.h"
#include "quality_parts.h"

#include "analysis/ranks/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 64, STEPS_MAX = 2000, TRIALS = 600, POWER_TRIALS = 400 };

#define STEP_SECONDS 0.015

enum noise {
	WHITE, AUTOREGRESSIVE, LOGNORMAL, COMMON, BELOW_WHITE, PAUSES_5, PAUSES_8, PAUSES_9, PAUSES_95, TOGETHER, STUDENT, NOISES
};

static const char *const noise_names[NOISES] = {
	"white 5 %", "AR .98 6 %", "lognormal .2", "common AR .98 20 %, white 5 %", "AR .98 3 % below white 5 %",
	"AR .5 5 %, pauses", "AR .8 5 %, pauses", "AR .9 5 %, pauses", "AR .95 5 %, pauses",
	"AR .8, pauses, drift and stalls of all", "Student t of 3, 5 %",
};

/* How rank 1 (and 2, if there are two) is slow: by which factor and in which steps. */
struct slow {
	double by;	 /* 0: no rank is slow */
	size_t ranks;	 /* the number of slow ranks */
	size_t from;	 /* from this step on */
	size_t until;	 /* to before this step; 0: to the end */
	size_t every;	 /* only in one of so many steps; 0 or 1: in all steps */
};

struct job {
	size_t n_ranks, n;
	int64_t steps[STEPS_MAX];
	int32_t ranks[RANKS_MAX];
	double phases[RANKS_MAX][TS_RANK_PHASES][STEPS_MAX];
	const double *at[RANKS_MAX][TS_RANK_PHASES];
};

static struct job job;

static double uniform(struct ts_random *r)
{
	return (double)ts_random_below(r, 1 << 30) / (1 << 30);
}

/* One step of 200 takes up to five times as long. */
static double paused(struct ts_random *r, double rho, double *state)
{
	double factor = 1 + quality_ar1(r, rho, 0.05, state);

	return uniform(r) < 0.005 ? factor * (1 + 4 * uniform(r)) : factor;
}

/* Student's t of 3 degrees of freedom, times 5 %. */
static double student_3(struct ts_random *r)
{
	double square = 0, z = ts_random_normal(r);

	for (int i = 0; i < 3; i++) {
		double x = ts_random_normal(r);

		square += x * x / 3;
	}
	return fmax(0.2, 1 + 0.05 * z / sqrt(square));
}

/* Draws a factor around 1 for what slows all ranks together. */
static double common_of(enum noise noise, struct ts_random *r, double *together, double share)
{
	if (noise == COMMON)
		return 1 + quality_ar1(r, 0.98, 0.2, together);
	if (noise == TOGETHER)
		return 1 + 0.3 * share + (uniform(r) < 0.01 ? 5 : 0);
	return 1;
}

/* Draws a factor around 1 for one rank in one step. */
static double factor_of(enum noise noise, struct ts_random *r, double *state)
{
	switch (noise) {
	case AUTOREGRESSIVE:
		return 1 + quality_ar1(r, 0.98, 0.06, state);
	case LOGNORMAL:
		return quality_lognormal(r, 0.2);
	case BELOW_WHITE:
		return 1 + quality_ar1(r, 0.98, 0.03, state) + 0.05 * ts_random_normal(r);
	case PAUSES_5:
		return paused(r, 0.5, state);
	case PAUSES_8:
	case TOGETHER:
		return paused(r, 0.8, state);
	case PAUSES_9:
		return paused(r, 0.9, state);
	case PAUSES_95:
		return paused(r, 0.95, state);
	case STUDENT:
		return student_3(r);
	case WHITE:
	case COMMON:
	case NOISES:
		break;
	}
	return 1 + 0.05 * ts_random_normal(r);
}

static void job_begin(size_t n_ranks, size_t n)
{
	job.n_ranks = n_ranks;
	job.n = n;
	for (size_t i = 0; i < n; i++)
		job.steps[i] = (int64_t)(100 + i);
	for (size_t a = 0; a < n_ranks; a++) {
		job.ranks[a] = (int32_t)a;
		for (int p = 0; p < TS_RANK_PHASES; p++)
			job.at[a][p] = NULL;
	}
}

static bool is_slow(const struct slow *s, size_t rank, size_t i)
{
	return rank >= 1 && rank <= s->ranks && i >= s->from && (!s->until || i < s->until) && (s->every < 2 || i % s->every == 0);
}

/* Makes ranks that only compute. */
static void make_job(size_t n_ranks, size_t n, enum noise noise, const struct slow *slow, struct ts_random *r)
{
	double state[RANKS_MAX], together = NAN;

	job_begin(n_ranks, n);
	for (size_t a = 0; a < n_ranks; a++) {
		state[a] = NAN;
		job.at[a][TS_RANK_COMPUTE] = job.phases[a][TS_RANK_COMPUTE];
	}
	for (size_t i = 0; i < n; i++) {
		double common = common_of(noise, r, &together, (double)i / (double)n);

		for (size_t a = 0; a < n_ranks; a++) {
			double v = STEP_SECONDS * common * factor_of(noise, r, &state[a]);

			job.phases[a][TS_RANK_COMPUTE][i] = is_slow(slow, a, i) ? v * (1 + slow->by) : v;
		}
	}
}

/* This is DDP: backward ends on all ranks together, so a rank that reaches it late waits least. Rank 1 loses time in
 * one phase. If this is the optimizer, it affects only the next step. */
static void make_hidden_job(size_t n_ranks, size_t n, enum noise noise, enum ts_rank_phase where, double late_s,
			    struct ts_random *r)
{
	double start[RANKS_MAX] = {0}, end = 0, state[RANKS_MAX];

	job_begin(n_ranks, n);
	for (size_t a = 0; a < n_ranks; a++) {
		state[a] = NAN;
		for (int p = TS_RANK_DATA; p <= TS_RANK_OPTIMIZER; p++)
			job.at[a][p] = job.phases[a][p];
	}
	for (size_t i = 0; i < n; i++) {
		double at[RANKS_MAX], last = 0;

		for (size_t a = 0; a < n_ranks; a++) {
			double data = 0.001 * quality_lognormal(r, 0.3), forward = 0.004 * factor_of(noise, r, &state[a]);
			double optimizer = 0.002 * (1 + 0.05 * ts_random_normal(r));

			job.phases[a][TS_RANK_DATA][i] = data + (a == 1 && where == TS_RANK_DATA ? late_s : 0);
			job.phases[a][TS_RANK_FORWARD][i] = forward + (a == 1 && where == TS_RANK_FORWARD ? late_s : 0);
			job.phases[a][TS_RANK_OPTIMIZER][i] = optimizer + (a == 1 && where == TS_RANK_OPTIMIZER ? late_s : 0);
			at[a] = start[a] + job.phases[a][TS_RANK_DATA][i] + job.phases[a][TS_RANK_FORWARD][i];
			end = at[a] + 0.008 * (1 + 0.05 * ts_random_normal(r));
			last = end > last ? end : last;
		}
		for (size_t a = 0; a < n_ranks; a++) {
			job.phases[a][TS_RANK_BACKWARD][i] = last - at[a];
			start[a] = last + job.phases[a][TS_RANK_OPTIMIZER][i];
		}
	}
}

static struct ts_measures rows;
static struct ts_events events;

static void analyze(struct ts_arena *arena)
{
	struct ts_plots plots = {.n = 0};
	struct ts_rank_window window = {.steps = job.steps, .n = job.n, .phases = (void *)job.at};
	struct ts_error err;
	struct ts_ranks r;

	rows = (struct ts_measures){.n = 0};
	events = (struct ts_events){.n = 0};
	ts_arena_reset(arena);
	if (ts_ranks_begin(&r, job.ranks, job.n_ranks, 0, job.n, arena, &err) || ts_ranks_window(&r, &window, &err) ||
	    ts_ranks_finish(&r, arena, &rows, &events, &plots, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

static double value(size_t rank, const char *name)
{
	char subject[32];
	double v;

	(void)snprintf(subject, sizeof subject, "rank %zu", rank);
	return test_value(&rows, "ranks", subject, name, &v) ? v : (double)NAN;
}

static const char *kind_of(size_t rank, char *ret, size_t cap)
{
	const struct ts_measure *row;

	(void)snprintf(ret, cap, "rank %zu", rank);
	row = test_find(&rows, "ranks", ret, "straggler");
	(void)snprintf(ret, cap, "%.*s", row ? (int)row->text.len : 0, row ? (const char *)row->text.data : "");
	return ret;
}

static bool named(size_t rank)
{
	char word[32];

	return kind_of(rank, word, sizeof word)[0] != '\0';
}

static size_t how_many(void)
{
	double v;

	return test_value(&rows, "ranks", "all", "stragglers", &v) ? (size_t)v : 0;
}

/* With few ranks and steps, noise whose correlation lasts longer than the run and is below the white noise cannot be
 * told from a slow rank: that rank is slow for as long as it was observed. */
static bool can_be_known(enum noise noise, size_t n_ranks, size_t n)
{
	return noise != BELOW_WHITE || n_ranks >= 8 || n >= 2000;
}

/* The noises with pauses are measured at some sizes only. */
static bool is_measured(size_t n_ranks, size_t n)
{
	return (n_ranks == 2 || n_ranks == 8 || n_ranks == 64) && n >= 100;
}

static void equal_ranks(struct quality *q, struct ts_arena *arena)
{
	static const size_t some_ranks[] = {2, 3, 4, 8, 16, 64}, some_steps[] = {1, 5, 20, 50, 100, 200, 500, 2000};
	static const struct slow nobody = {.by = 0};
	struct ts_random r;
	char name[96];

	for (int noise = 0; noise < NOISES; noise++)
		for (size_t a = 0; a < sizeof some_ranks / sizeof some_ranks[0]; a++)
			for (size_t s = 0; s < sizeof some_steps / sizeof some_steps[0]; s++) {
				struct quality_case c = quality_at_most(name, 0.01);

				if (!can_be_known((enum noise)noise, some_ranks[a], some_steps[s]) ||
				    (noise >= PAUSES_5 && !is_measured(some_ranks[a], some_steps[s])))
					continue;
				(void)snprintf(name, sizeof name, "false straggler, N %zu, S %zu, %s", some_ranks[a],
					       some_steps[s], noise_names[noise]);
				for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS); i++) {
					quality_random(&c, i, &r);
					make_job(some_ranks[a], some_steps[s], (enum noise)noise, &nobody, &r);
					analyze(arena);
					quality_count(&c, how_many() > 0);
				}
				quality_report(q, &c);
			}
}

/* Rank 1 (or ranks 1 and 2) are slow, and no other rank may be named. */
static void slow_ranks(struct quality *q, struct ts_arena *arena, const char *name, size_t n_ranks, size_t n,
		       const struct slow *slow, const char *kind)
{
	struct quality_case c = quality_at_least(name, 0.95);
	struct ts_random r;
	char word[32];

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, POWER_TRIALS); i++) {
		bool ok = true;

		quality_random(&c, i, &r);
		make_job(n_ranks, n, WHITE, slow, &r);
		analyze(arena);
		for (size_t a = 1; a <= slow->ranks; a++)
			ok = ok && strcmp(kind_of(a, word, sizeof word), kind) == 0;
		if (slow->from)
			ok = ok && fabs(value(1, "onset") - (double)(100 + slow->from)) <= 5;
		if (slow->every)
			ok = ok && value(1, "period") == (double)slow->every;
		quality_count(&c, ok && how_many() == slow->ranks);
	}
	quality_report(q, &c);
}

static void power(struct quality *q, struct ts_arena *arena)
{
	static const size_t some_ranks[] = {2, 3, 4, 8, 16, 64};
	char name[96];

	for (size_t a = 0; a < sizeof some_ranks / sizeof some_ranks[0]; a++) {
		size_t n = some_ranks[a];

		(void)snprintf(name, sizeof name, "rank +20 %%, N %zu, S 100, white 5 %%", n);
		slow_ranks(q, arena, name, n, 100, &(struct slow){.by = 0.2, .ranks = 1}, "persistent");
		(void)snprintf(name, sizeof name, "rank +40 %% in the last 45 %%, N %zu, S 200", n);
		slow_ranks(q, arena, name, n, 200, &(struct slow){.by = 0.4, .ranks = 1, .from = 110}, "late");
		(void)snprintf(name, sizeof name, "rank +300 %% every 10th step, N %zu, S 200", n);
		slow_ranks(q, arena, name, n, 200, &(struct slow){.by = 3, .ranks = 1, .every = 10}, "periodic");
	}
	slow_ranks(q, arena, "two of 64 +50 %, S 200, white 5 %", 64, 200, &(struct slow){.by = 0.5, .ranks = 2}, "persistent");
	slow_ranks(q, arena, "two of 8 +50 %, S 100, white 5 %", 8, 100, &(struct slow){.by = 0.5, .ranks = 2}, "persistent");
}

static void hidden_case(struct quality *q, struct ts_arena *arena, struct quality_case c, size_t n_ranks, size_t n,
			enum noise noise, enum ts_rank_phase where, double late_s)
{
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, late_s > 0 ? POWER_TRIALS : TRIALS); i++) {
		quality_random(&c, i, &r);
		make_hidden_job(n_ranks, n, noise, where, late_s, &r);
		analyze(arena);
		quality_count(&c, late_s > 0 ? named(1) && how_many() == 1 : how_many() > 0);
	}
	quality_report(q, &c);
}

static void hidden(struct quality *q, struct ts_arena *arena)
{
	static const size_t some_ranks[] = {2, 3, 8, 64}, some_steps[] = {20, 100, 500};
	static const struct {
		enum ts_rank_phase phase;
		const char *name;
	} places[] = {{TS_RANK_DATA, "data"}, {TS_RANK_FORWARD, "forward"}, {TS_RANK_OPTIMIZER, "optimizer"}};
	char name[96];

	for (size_t a = 0; a < 4; a++)
		for (size_t p = 0; p < 3; p++) {
			(void)snprintf(name, sizeof name, "hidden in backward, +10 ms of 15 ms in %s, N %zu, S 100",
				       places[p].name, some_ranks[a]);
			hidden_case(q, arena, quality_at_least(name, 0.95), some_ranks[a], 100, WHITE, places[p].phase, 0.01);
		}
	for (size_t a = 0; a < 4; a++)
		for (size_t s = 0; s < 3; s++) {
			(void)snprintf(name, sizeof name, "false straggler hidden in backward, N %zu, S %zu", some_ranks[a],
				       some_steps[s]);
			hidden_case(q, arena, quality_at_most(name, 0.01), some_ranks[a], some_steps[s], WHITE, TS_RANK_DATA, 0);
		}
}

/* Rank 1 or 2 is named, and no rank but these. */
static bool names_slow(const struct slow *slow)
{
	for (size_t a = 1; a <= slow->ranks; a++)
		if (!named(a))
			return false;
	return how_many() == slow->ranks;
}

/* Slow ranks in noise that is correlated and has pauses. */
static void power_in_pauses(struct quality *q, struct ts_arena *arena)
{
	static const struct {
		const char *name;
		size_t n_ranks, n;
		enum noise noise;
		struct slow slow;
	} cases[] = {
		{"rank +30 %, N 8, S 400, AR .5 and pauses", 8, 400, PAUSES_5, {.by = 0.3, .ranks = 1}},
		{"rank +30 %, N 8, S 400, AR .8 and pauses", 8, 400, PAUSES_8, {.by = 0.3, .ranks = 1}},
		{"rank +30 %, N 8, S 2000, AR .95 and pauses", 8, 2000, PAUSES_95, {.by = 0.3, .ranks = 1}},
		{"rank +30 %, N 8, S 400, drift and stalls of all", 8, 400, TOGETHER, {.by = 0.3, .ranks = 1}},
		{"rank +30 %, N 64, S 400, AR .8 and pauses", 64, 400, PAUSES_8, {.by = 0.3, .ranks = 1}},
		{"rank +50 % in the last 10 %, N 8, S 400, AR .8", 8, 400, PAUSES_8, {.by = 0.5, .ranks = 1, .from = 360}},
		{"rank +80 % in the last 10 %, N 64, S 400, AR .8", 64, 400, PAUSES_8, {.by = 0.8, .ranks = 1, .from = 360}},
		{"rank +50 % in the last 10 %, N 64, S 400, AR .8", 64, 400, PAUSES_8, {.by = 0.5, .ranks = 1, .from = 360}},
		{"rank +50 % in the last 10 %, N 64, S 2000, AR .9", 64, 2000, PAUSES_9, {.by = 0.5, .ranks = 1, .from = 1800}},
		{"rank +30 %, N 2, S 2000, AR .9 and pauses", 2, 2000, PAUSES_9, {.by = 0.3, .ranks = 1}},
		{"rank +30 %, N 4, S 400, AR .8 and pauses", 4, 400, PAUSES_8, {.by = 0.3, .ranks = 1}},
		{"rank +30 %, N 8, S 200, AR .9 and pauses", 8, 200, PAUSES_9, {.by = 0.3, .ranks = 1}},
		{"rank +30 %, N 8, S 400, AR .95 and pauses", 8, 400, PAUSES_95, {.by = 0.3, .ranks = 1}},
		{"rank +30 %, N 16, S 200, Student t of 3", 16, 200, STUDENT, {.by = 0.3, .ranks = 1}},
		{"rank +50 % in the last 10 %, N 2, S 2000, AR .8", 2, 2000, PAUSES_8, {.by = 0.5, .ranks = 1, .from = 1800}},
		{"rank +50 % in a window of 20 %, N 8, S 400, AR .8", 8, 400, PAUSES_8,
		 {.by = 0.5, .ranks = 1, .from = 140, .until = 220}},
		{"rank +50 % in a window of 20 %, N 8, S 2000, AR .8", 8, 2000, TOGETHER,
		 {.by = 0.5, .ranks = 1, .from = 700, .until = 1100}},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_least(cases[k].name, 0.9);
		struct ts_random r;

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, POWER_TRIALS); i++) {
			quality_random(&c, i, &r);
			make_job(cases[k].n_ranks, cases[k].n, cases[k].noise, &cases[k].slow, &r);
			analyze(arena);
			quality_count(&c, names_slow(&cases[k].slow));
		}
		quality_report(q, &c);
	}
	hidden_case(q, arena, quality_at_least("hidden in backward, forward +30 %, N 8, S 400, AR .8 and pauses", 0.95), 8, 400,
		    PAUSES_8, TS_RANK_FORWARD, 0.0012);
}

/* How often nothing can be said of equal ranks. */
static void undecided(struct quality *q, struct ts_arena *arena)
{
	static const struct slow nobody = {.by = 0};
	static const enum noise noises[] = {WHITE, PAUSES_5, PAUSES_8, PAUSES_9, TOGETHER};
	static const struct {
		size_t ranks, steps;
	} sizes[] = {{2, 2000}, {4, 400}, {8, 200}, {8, 400}, {8, 2000}, {64, 200}};
	struct ts_random r;
	char name[96];

	for (size_t k = 0; k < sizeof noises / sizeof noises[0]; k++)
		for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
			struct quality_case c;
			double v;

			(void)snprintf(name, sizeof name, "undecided, N %zu, S %zu, %s", sizes[s].ranks, sizes[s].steps,
				       noise_names[noises[k]]);
			c = quality_at_most(name, 0.02);
			for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, POWER_TRIALS); i++) {
				quality_random(&c, i, &r);
				make_job(sizes[s].ranks, sizes[s].steps, noises[k], &nobody, &r);
				analyze(arena);
				quality_count(&c, !test_value(&rows, "ranks", "all", "stragglers", &v));
			}
			quality_report(q, &c);
		}
}

/* Rank 1 is slow in the first half and rank 2 in the second: both are named and no other. */
static void switching(struct quality *q, struct ts_arena *arena)
{
	static const struct slow nobody = {.by = 0};
	static const size_t some_steps[] = {400, 2000};
	struct ts_random r;
	char name[96];

	for (size_t s = 0; s < sizeof some_steps / sizeof some_steps[0]; s++) {
		size_t n = some_steps[s];
		struct quality_case c = quality_at_least(name, 0.9);

		(void)snprintf(name, sizeof name, "rank +30 %%, another one from half on, N 8, S %zu, AR .8", n);
		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, POWER_TRIALS); i++) {
			quality_random(&c, i, &r);
			make_job(8, n, PAUSES_8, &nobody, &r);
			for (size_t k = 0; k < n; k++)
				job.phases[k < n / 2 ? 1 : 2][TS_RANK_COMPUTE][k] *= 1.3;
			analyze(arena);
			quality_count(&c, named(1) && named(2) && how_many() == 2);
		}
		quality_report(q, &c);
	}
}

/* Another rank each step takes longer: no rank is a straggler. */
static void wandering(struct quality *q, struct ts_arena *arena)
{
	static const struct slow nobody = {.by = 0};
	static const size_t some_ranks[] = {4, 8, 64};
	struct ts_random r;
	char name[96];

	for (size_t a = 0; a < sizeof some_ranks / sizeof some_ranks[0]; a++) {
		size_t n = some_ranks[a];
		struct quality_case c = quality_at_most(name, 0.01);

		(void)snprintf(name, sizeof name, "false straggler, +30 %% on another rank each step, N %zu, S 400, AR .8", n);
		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, POWER_TRIALS); i++) {
			quality_random(&c, i, &r);
			make_job(n, 400, PAUSES_8, &nobody, &r);
			for (size_t k = 0; k < 400; k++)
				job.phases[ts_random_below(&r, (uint32_t)n)][TS_RANK_COMPUTE][k] *= 1.3;
			analyze(arena);
			quality_count(&c, how_many() > 0);
		}
		quality_report(q, &c);
	}
}

/* Bursts that may hit any rank: how many a rank has in the run, for how many steps they last, how much longer steps then take. */
struct bursts {
	double each;   /* the expected number a rank */
	double length; /* the mean, of a geometric distribution */
	double least, most; /* the added share, drawn evenly for each burst */
};

/* Adds bursts to a job that make_job has made. */
static void add_bursts(const struct bursts *b, struct ts_random *r)
{
	double start = b->each / (double)job.n, stop = 1 / b->length;

	for (size_t a = 0; a < job.n_ranks; a++) {
		double by = 0;

		for (size_t i = 0; i < job.n; i++) {
			if (by > 0 && uniform(r) < stop)
				by = 0;
			else if (by <= 0 && uniform(r) < start)
				by = b->least + (b->most - b->least) * uniform(r);
			job.phases[a][TS_RANK_COMPUTE][i] *= 1 + by;
		}
	}
}

static double log_uniform(struct ts_random *r, double least, double most)
{
	return least * pow(most / least, uniform(r));
}

static const enum noise under_bursts[] = {WHITE, LOGNORMAL, PAUSES_8, STUDENT};

/* Makes a job of any size with bursts of any kind. */
static void any_bursts(size_t n_ranks, struct ts_random *r)
{
	static const struct slow nobody = {.by = 0};
	size_t n = (size_t)log_uniform(r, 100, STEPS_MAX);
	double length = log_uniform(r, 1, 20);
	struct bursts b = {.each = log_uniform(r, 0.05, 10), .length = fmin(length, (double)n / 50), .least = log_uniform(r, 0.1, 3)};

	b.length = fmax(b.length, 1);
	b.most = b.least * log_uniform(r, 1, 4);
	make_job(n_ranks, n, under_bursts[ts_random_below(r, 4)], &nobody, r);
	add_bursts(&b, r);
}

/* A tenth of all steps lies in bursts. */
static void frequent_bursts(struct quality *q, struct ts_arena *arena)
{
	static const struct slow nobody = {.by = 0};
	static const struct bursts often = {10, 20, 0.3, 3};
	struct quality_case c = quality_at_most("false straggler, N 8, S 2000, AR .8, 10 bursts of 20 each", 0.01);
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS); i++) {
		quality_random(&c, i, &r);
		make_job(8, 2000, PAUSES_8, &nobody, &r);
		add_bursts(&often, &r);
		analyze(arena);
		quality_count(&c, how_many() > 0);
	}
	quality_report_only(q, &c, "about the goal: a tenth of all steps lies in bursts");
}

/* The same bursts may hit every rank. */
static void bursts_on_all(struct quality *q, struct ts_arena *arena)
{
	static const struct slow nobody = {.by = 0};
	static const struct {
		size_t n_ranks, n;
		enum noise noise;
		struct bursts bursts;
	} cases[] = {
		{8, 1000, PAUSES_8, {2.5, 6, 1, 3}},  {4, 1000, PAUSES_8, {2.5, 6, 1, 3}}, {64, 1000, PAUSES_8, {2.5, 6, 1, 3}},
		{8, 1000, WHITE, {2.5, 6, 1, 3}},     {16, 1000, WHITE, {0.2, 10, 1, 3}},  {8, 1000, WHITE, {0.2, 20, 0.3, 0.6}},
		{8, 400, PAUSES_8, {1, 8, 0.5, 3}},   {8, 200, WHITE, {1, 4, 0.5, 3}},	   {32, 400, STUDENT, {0.5, 8, 1, 3}},
		{4, 2000, WHITE, {1, 20, 0.3, 3}},  {64, 2000, LOGNORMAL, {0.1, 30, 0.5, 3}},
	};
	static const size_t some_ranks[] = {2, 4, 8, 16, 64};
	struct ts_random r;
	char name[96];

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		const struct bursts *b = &cases[k].bursts;
		struct quality_case c = quality_at_most(name, 0.01);

		(void)snprintf(name, sizeof name, "false straggler, N %zu, S %zu, %s, %g bursts of %g each", cases[k].n_ranks,
			       cases[k].n, noise_names[cases[k].noise], b->each, b->length);
		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS); i++) {
			quality_random(&c, i, &r);
			make_job(cases[k].n_ranks, cases[k].n, cases[k].noise, &nobody, &r);
			add_bursts(b, &r);
			analyze(arena);
			quality_count(&c, how_many() > 0);
		}
		quality_report(q, &c);
	}
	for (size_t k = 0; k < sizeof some_ranks / sizeof some_ranks[0]; k++) {
		struct quality_case c = quality_at_most(name, 0.01);

		(void)snprintf(name, sizeof name, "false straggler, N %zu, bursts of all kinds", some_ranks[k]);
		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 2000); i++) {
			quality_random(&c, i, &r);
			any_bursts(some_ranks[k], &r);
			analyze(arena);
			quality_count(&c, how_many() > 0);
		}
		quality_report(q, &c);
	}
	frequent_bursts(q, arena);
}

/* Slow ranks among bursts that hit every rank. */
static void power_in_bursts(struct quality *q, struct ts_arena *arena)
{
	static const struct bursts bursts = {2.5, 6, 1, 3};
	static const struct {
		const char *name;
		size_t n_ranks, n;
		enum noise noise;
		struct slow slow;
	} cases[] = {
		{"rank +10 % among bursts, N 8, S 1000, white 5 %", 8, 1000, WHITE, {.by = 0.1, .ranks = 1}},
		{"rank +30 % among bursts, N 8, S 1000, AR .8", 8, 1000, PAUSES_8, {.by = 0.3, .ranks = 1}},
		{"rank +50 % in the last 10 % among bursts, N 8, S 1000, AR .8", 8, 1000, PAUSES_8,
		 {.by = 0.5, .ranks = 1, .from = 900}},
		{"rank +300 % every 10th step among bursts, N 8, S 1000", 8, 1000, WHITE, {.by = 3, .ranks = 1, .every = 10}},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_least(cases[k].name, 0.9);
		struct ts_random r;

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, POWER_TRIALS); i++) {
			quality_random(&c, i, &r);
			make_job(cases[k].n_ranks, cases[k].n, cases[k].noise, &cases[k].slow, &r);
			add_bursts(&bursts, &r);
			analyze(arena);
			quality_count(&c, names_slow(&cases[k].slow));
		}
		quality_report(q, &c);
	}
}

void quality_ranks(struct quality *q)
{
	struct ts_arena arena;

	ts_arena_init(&arena, (size_t)1 << 30);
	equal_ranks(q, &arena);
	power(q, &arena);
	power_in_pauses(q, &arena);
	undecided(q, &arena);
	switching(q, &arena);
	wandering(q, &arena);
	bursts_on_all(q, &arena);
	power_in_bursts(q, &arena);
	hidden(q, &arena);
	ts_arena_finish(&arena);
}
