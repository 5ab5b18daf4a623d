/* quality_trend.c - change points of a branch: how often there is one where nothing changed, and how soon one is found that is there.
 *
 * A run gives one value; series are logarithms of step times, as trend.c makes them. The seed of the permutations is that of the trial:
 * the product's is fixed, and a rate over trials must not hang on it. */
#include "quality_parts.h"

#include "analysis/stats/change_point.h"

#include <math.h>
#include <stdio.h>

enum { RUNS = 100, MOST = 400 };

struct bench {
	struct quality *q;
	struct ts_arena arena;
	double x[MOST];
	struct ts_change_point *points;
	size_t n;
	char name[120];
};

/* The noise between runs. */
struct noise {
	const char *what;
	double sd, rho, odd; /* odd: the share of runs that are 5 to 50 % slower, each independently */
	bool heavy;	     /* Student's t of 3 degrees of freedom */
};

static double draw(const struct noise *noise, struct ts_random *r, double *state)
{
	double x, squares = 0;

	if (!noise->heavy)
		x = quality_ar1(r, noise->rho, noise->sd, state);
	else {
		x = noise->sd * ts_random_normal(r);
		for (int k = 0; k < 3; k++) {
			double g = ts_random_normal(r);

			squares += g * g;
		}
		x /= sqrt(squares);
	}
	if (ts_random_unit(r) < noise->odd)
		x += log(1.05 + 0.45 * ts_random_unit(r));
	return x;
}

static void fill(struct bench *b, size_t n, const struct noise *noise, struct ts_random *r)
{
	double state = (double)NAN;

	for (size_t i = 0; i < n; i++)
		b->x[i] = draw(noise, r, &state);
}

static void shift(struct bench *b, size_t from, size_t to, double size)
{
	for (size_t i = from; i < to; i++)
		b->x[i] += log1p(size);
}

static void find(struct bench *b, size_t n, double least, uint64_t seed)
{
	struct ts_change_options options = {.max_p = 0.001, .min_size = log1p(least), .seed = seed};
	struct ts_error err;

	ts_arena_reset(&b->arena);
	b->n = 0;
	if (ts_change_points(b->x, n, &options, &b->arena, &b->points, &b->n, &err))
		(void)fprintf(stderr, "%s\n", err.text);
}

static bool found(const struct bench *b, size_t at, size_t off)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->points[i].at + off >= at && b->points[i].at <= at + off)
			return true;
	return false;
}

/* Counts any change in 100 runs that have none. */
static void false_change(struct bench *b, const struct noise *noise, double least, double goal)
{
	struct quality_case c;
	struct ts_random r;

	(void)snprintf(b->name, sizeof b->name, "trend: false in 100 runs, %s, from %g %%", noise->what, least * 100);
	c = quality_at_most(b->name, goal);
	for (uint64_t i = 0; quality_wants(b->q, &c) && i < quality_trials(b->q, 5000); i++) {
		quality_random(&c, i, &r);
		fill(b, RUNS, noise, &r);
		find(b, RUNS, least, i);
		quality_count(&c, b->n > 0);
	}
	quality_report(b->q, &c);
}

/* A step happened `since` runs ago, behind `before` runs at the old level. It must be found at most `off` runs from its
 * place. */
static void step_found(struct bench *b, const struct noise *noise, double size, size_t before, size_t since, size_t off, double goal)
{
	struct quality_case c;
	struct ts_random r;

	(void)snprintf(b->name, sizeof b->name, "trend: %g %% since %zu runs behind %zu, %s", size * 100, since, before, noise->what);
	c = quality_at_least(b->name, goal);
	for (uint64_t i = 0; quality_wants(b->q, &c) && i < quality_trials(b->q, 1000); i++) {
		quality_random(&c, i, &r);
		fill(b, before + since, noise, &r);
		shift(b, before, before + since, size);
		/* If steps are as large as the least size, every other one is estimated as smaller, so a policy that is
		 * interested in 1 % asks for less. */
		find(b, before + since, size < 0.03 ? size / 2 : 0.02, i);
		quality_count(&c, found(b, before, off));
	}
	quality_report(b->q, &c);
}

/* Some runs are slower, and then the level returns. Both ends must be found, each at most one run from its place. */
static void passing(struct bench *b, const struct noise *noise, size_t length, double goal)
{
	struct quality_case c;
	struct ts_random r;

	(void)snprintf(b->name, sizeof b->name, "trend: 3 %% for %zu runs and back, %s", length, noise->what);
	c = quality_at_least(b->name, goal);
	for (uint64_t i = 0; quality_wants(b->q, &c) && i < quality_trials(b->q, 1000); i++) {
		size_t at;

		quality_random(&c, i, &r);
		at = 40 + ts_random_below(&r, 20);
		fill(b, 120, noise, &r);
		shift(b, at, at + length, 0.03);
		find(b, 120, 0.02, i);
		quality_count(&c, found(b, at, 1) && found(b, at + length, 1));
	}
	quality_report(b->q, &c);
}

/* The drift is 4 % over 200 runs, or 0.02 % per run. Any upward change counts, and there must be no downward change. */
static void drift(struct bench *b, const struct noise *noise, double goal)
{
	struct quality_case c;
	struct ts_random r;

	(void)snprintf(b->name, sizeof b->name, "trend: drift of 4 %% over 200 runs, %s", noise->what);
	c = quality_at_least(b->name, goal);
	for (uint64_t i = 0; quality_wants(b->q, &c) && i < quality_trials(b->q, 1000); i++) {
		bool up = false, down = false;

		quality_random(&c, i, &r);
		fill(b, 300, noise, &r);
		for (size_t k = 50; k < 300; k++)
			b->x[k] += 0.0002 * (double)(k < 250 ? k - 50 : 200);
		find(b, 300, 0.02, i);
		for (size_t k = 0; k < b->n; k++) {
			up |= b->points[k].after > b->points[k].before;
			down |= b->points[k].after < b->points[k].before;
		}
		quality_count(&c, up && !down);
	}
	quality_report(b->q, &c);
}

void quality_trend(struct quality *q)
{
	static const struct noise half = {"0.5 %", 0.005, 0, 0, false}, one = {"1 %", 0.01, 0, 0, false},
				  two = {"2 %", 0.02, 0, 0, false}, heavy = {"t3 of 1 %", 0.01, 0, 0, true},
				  odd = {"0.5 % and 10 % odd runs", 0.005, 0, 0.1, false},
				  odd_one = {"1 % and 10 % odd runs", 0.01, 0, 0.1, false},
				  wander_3 = {"AR(1) 0.3 of 1 %", 0.01, 0.3, 0, false},
				  wander_5 = {"AR(1) 0.5 of 1 %", 0.01, 0.5, 0, false},
				  wander_8 = {"AR(1) 0.8 of 1 %", 0.01, 0.8, 0, false},
				  wander_half = {"AR(1) 0.8 of 0.5 %", 0.005, 0.8, 0, false};
	static struct bench b;

	b.q = q;
	ts_arena_init(&b.arena, (size_t)1 << 26);
	false_change(&b, &half, 0.02, 0.01);
	false_change(&b, &one, 0.02, 0.01);
	false_change(&b, &two, 0.02, 0.01);
	false_change(&b, &heavy, 0.02, 0.01);
	false_change(&b, &odd, 0.02, 0.01);
	false_change(&b, &odd_one, 0.02, 0.01);
	/* Without a least size, only chance decides: there are about 30 looks at p 0.001, most of them at the same runs. */
	false_change(&b, &two, 0, 0.02);
	/* Permutations do not fit runs that depend on the run before. This row shows the cost. */
	false_change(&b, &wander_half, 0.02, 0.01);
	false_change(&b, &wander_3, 0.02, 0.02);
	false_change(&b, &wander_5, 0.02, 0.05);
	false_change(&b, &wander_8, 0.02, 0.15);
	step_found(&b, &half, 0.03, 97, 3, 2, 0.95);
	step_found(&b, &half, 0.03, 47, 3, 2, 0.95);
	step_found(&b, &half, 0.03, 30, 3, 2, 0.75);
	step_found(&b, &half, 0.03, 30, 4, 2, 0.95);
	step_found(&b, &half, 0.03, 20, 5, 2, 0.95);
	step_found(&b, &half, 0.03, 10, 7, 2, 0.95);
	step_found(&b, &half, 0.01, 97, 10, 5, 0.75);
	step_found(&b, &half, 0.01, 97, 25, 5, 0.9);
	step_found(&b, &half, 0.02, 97, 3, 2, 0.8);
	step_found(&b, &half, 0.02, 97, 5, 2, 0.95);
	step_found(&b, &half, 0.05, 97, 3, 2, 0.95);
	step_found(&b, &one, 0.05, 97, 5, 2, 0.95);
	step_found(&b, &odd, 0.03, 97, 5, 2, 0.6);
	step_found(&b, &odd, 0.03, 97, 10, 2, 0.85);
	passing(&b, &half, 6, 0.95);
	passing(&b, &half, 12, 0.95);
	drift(&b, &half, 0.95);
	ts_arena_finish(&b.arena);
}
