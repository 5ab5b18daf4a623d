/* quality_moves.c - moves of any series that a user logs (analysis/rank/move.h): how often a clean one is said to have moved, and how
 * often one that did is found.
 *
 * Each trial is one series, with the direction that its name would tell. Clean kinds are what trainers log of a run that is well: noise
 * that depends on itself or not, decays, warm-ups that settle, bounded accuracies, counts, heavy tails, few points, schedules. Random
 * walks have no level to leave; their rows say how often a move is claimed and decide nothing.
 */
#include "quality_parts.h"

#include "analysis/rank/move.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 10000 };

struct bench {
	struct quality *q;
	struct ts_arena arena;
	int64_t *keys;
	double *values, *rate;
	bool frozen; /* the learning rate is 0 */
	char name[96];
};

static const struct {
	size_t n;
	uint64_t trials;
	const char *word;
} lengths[] = {{12, 4000, "12"}, {40, 4000, "40"}, {200, 4000, "200"}, {2000, 1500, "2k"}, {10000, 600, "10k"}};

enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

/* --- clean series --- */

enum clean {
	WHITE,
	AR_5,
	AR_9,
	HEAVY,
	EXPONENTIAL,
	COUNTS,
	DECAY,
	STEEP_DECAY,
	STEPPED_DECAY,
	SETTLING,
	ACCURACY,
	FRACTION,
	AROUND_0,
	ROUNDED,
	CYCLES,
	SCHEDULE,
	WALK,
	LOG_WALK,
	CLEANS,
};

static const struct {
	const char *word;
	enum ts_direction direction;
	bool only_said; /* decides nothing */
} cleans[CLEANS] = {
	[WHITE] = {"white noise", TS_DIRECTION_UNKNOWN, false},
	[AR_5] = {"AR 0.5", TS_DIRECTION_DOWN, false},
	[AR_9] = {"AR 0.9", TS_DIRECTION_DOWN, false},
	[HEAVY] = {"t of 3 degrees", TS_DIRECTION_UNKNOWN, false},
	[EXPONENTIAL] = {"exponential", TS_DIRECTION_DOWN, false},
	[COUNTS] = {"counts of mean 4", TS_DIRECTION_UNKNOWN, false},
	[DECAY] = {"decay, AR 0.5", TS_DIRECTION_DOWN, false},
	[STEEP_DECAY] = {"steep decay", TS_DIRECTION_DOWN, false},
	[STEPPED_DECAY] = {"decay in steps of its rate", TS_DIRECTION_DOWN, false},
	[SETTLING] = {"grows and settles", TS_DIRECTION_UNKNOWN, false},
	[ACCURACY] = {"accuracy", TS_DIRECTION_UP, false},
	[FRACTION] = {"fraction of a batch", TS_DIRECTION_UP, false},
	[AROUND_0] = {"around 0, AR 0.5", TS_DIRECTION_DOWN, false},
	[ROUNDED] = {"four decimals", TS_DIRECTION_UNKNOWN, false},
	[CYCLES] = {"cycles", TS_DIRECTION_UNKNOWN, false},
	[SCHEDULE] = {"schedule in steps", TS_DIRECTION_UNKNOWN, false},
	[WALK] = {"random walk", TS_DIRECTION_DOWN, true},
	[LOG_WALK] = {"walk of the logarithm", TS_DIRECTION_UNKNOWN, true},
};

static double poisson(struct ts_random *r, double mean)
{
	double limit = exp(-mean), product = ts_random_unit(r);
	int k = 0;

	while (product > limit) {
		product *= ts_random_unit(r);
		k++;
	}
	return k;
}

static double share_of_batch(struct ts_random *r, double p)
{
	int k = 0;

	for (int i = 0; i < 32; i++)
		k += ts_random_unit(r) < p;
	return k / 32.0;
}

static double clean_value(enum clean kind, double t, size_t i, struct ts_random *r, double *state, double *walk)
{
	double ar5 = quality_ar1(r, 0.5, 1, &state[0]), ar9 = quality_ar1(r, 0.9, 1, &state[1]), z = ts_random_normal(r);
	double chi = 0;

	*walk += z;
	switch (kind) {
	case WHITE:
		return 1 + 0.3 * z;
	case AR_5:
		return 1 + 0.2 * ar5;
	case AR_9:
		return 1 + 0.1 * ar9;
	case HEAVY:
		for (int k = 0; k < 3; k++) {
			double g = ts_random_normal(r);

			chi += g * g;
		}
		return 2 + 0.2 * z / sqrt(chi / 3);
	case EXPONENTIAL:
		return -0.1 * log(1 - ts_random_unit(r));
	case COUNTS:
		return poisson(r, 4);
	case DECAY:
		return 1.5 + 4 * exp(-6 * t) + 0.1 * ar5;
	case STEEP_DECAY:
		return 0.01 + 8 / (1 + 200 * t) * exp(0.1 * z);
	case STEPPED_DECAY:
		return (t < 0.4 ? 2.2 : t < 0.75 ? 0.9 : 0.4) * exp(0.05 * z) + exp(-20 * t);
	case SETTLING:
		return 0.03 * (1 - exp(-8 * t)) * exp(0.2 * ar5) + 1e-5;
	case ACCURACY:
		return 0.9 - 0.8 * exp(-7 * t) + 0.01 * z;
	case FRACTION:
		return share_of_batch(r, 0.3 + 0.5 * (1 - exp(-5 * t)));
	case AROUND_0:
		return 0.01 * ar5;
	case ROUNDED:
		return round((0.5 + 0.01 * z) * 1e4) / 1e4;
	case CYCLES:
		return 1 + 0.3 * sin(40 * t) + 0.1 * z;
	case SCHEDULE:
		return t < 0.3 ? 1024 : t < 0.6 ? 2048 : 4096;
	case WALK:
		return 100 + *walk;
	case LOG_WALK:
		return exp(0.02 * *walk);
	case CLEANS:
		break;
	}
	return (double)i;
}

/* The steps of the decay are those of its learning rate. */
static void make_clean(struct bench *b, enum clean kind, size_t n, struct ts_random *r)
{
	double state[2] = {(double)NAN, (double)NAN}, walk = 0;

	for (size_t i = 0; i < n; i++) {
		double t = (double)i / (double)n;

		b->values[i] = clean_value(kind, t, i, r, state, &walk);
		b->rate[i] = b->frozen ? 0 : kind == STEPPED_DECAY ? (t < 0.4 ? 0.1 : t < 0.75 ? 0.01 : 0.001) : 0.1;
	}
}

static struct ts_move move_of(struct bench *b, enum ts_direction direction, size_t n)
{
	struct ts_series series = {ts_span_str("x"), b->keys, b->values, n}, rate = {ts_span_str("lr"), b->keys, b->rate, n};
	struct ts_move_about about = {.direction = direction};
	struct ts_move move = {.kind = TS_MOVE_NONE};
	struct ts_error err;

	if (ts_move_of_rate(&rate, &b->arena, &about, &err) || ts_move_find(&series, &about, NULL, &b->arena, &move, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		b->q->failed++;
	}
	ts_arena_finish(&b->arena);
	return move;
}

static bool has_moved(struct ts_move move)
{
	return move.kind != TS_MOVE_NONE || move.lost;
}

static void clean(struct bench *b, enum clean kind, size_t l)
{
	struct quality_case c;

	(void)snprintf(b->name, sizeof b->name, "false move, %s%s, N %s", cleans[kind].word, b->frozen ? " without learning" : "",
		       lengths[l].word);
	c = quality_at_most(b->name, 0.01);
	for (uint64_t i = 0; quality_wants(b->q, &c) && i < quality_trials(b->q, lengths[l].trials); i++) {
		struct ts_random r;

		quality_random(&c, i, &r);
		make_clean(b, kind, lengths[l].n, &r);
		quality_count(&c, has_moved(move_of(b, cleans[kind].direction, lengths[l].n)));
	}
	if (cleans[kind].only_said)
		quality_report_only(b->q, &c, "no level to leave");
	else
		quality_report(b->q, &c);
}

/* --- series that moved --- */

enum moved { JUMP_UP, FALL_3, BLOWN, WORSENING, COLLAPSE, FACTOR, FROZEN, NAN_END, MOVED };

static const struct {
	const char *word;
	enum ts_direction direction;
	size_t n;
	double goal;
} moved[MOVED] = {
	[JUMP_UP] = {"jump of 20 %, white 4 %", TS_DIRECTION_DOWN, 400, 0.9},
	[FALL_3] = {"fall by a third in one step", TS_DIRECTION_DOWN, 300, 0.9},
	[BLOWN] = {"few points, level times 3 after the fourth", TS_DIRECTION_DOWN, 24, 0.9},
	[WORSENING] = {"validation rises by 30 % at the end", TS_DIRECTION_DOWN, 200, 0.8},
	[COLLAPSE] = {"reward falls to a third", TS_DIRECTION_UP, 500, 0.8},
	[FACTOR] = {"times 5 over the last half, direction not known", TS_DIRECTION_UNKNOWN, 500, 0.8},
	[FROZEN] = {"grows by a factor of 3 without learning", TS_DIRECTION_UNKNOWN, 200, 0.7},
	[NAN_END] = {"NaN to the end", TS_DIRECTION_UNKNOWN, 100, 0.99},
};

static double moved_value(enum moved kind, double t, double at, double z)
{
	switch (kind) {
	case JUMP_UP:
		return (t < at ? 1 : 1.2) * (1 + 0.04 * z);
	case FALL_3:
		return (t < at ? 12.7 : 4) + 0.3 * z;
	case BLOWN:
		return (t < 4 / 24.0 ? 1.5 : 4.5) * (1 + 0.15 * z);
	case WORSENING:
		return 1 + exp(-20 * t) + (t > 0.6 ? 0.75 * (t - 0.6) : 0) + 0.02 * z;
	case COLLAPSE:
		return 0.6 * (1 - exp(-6 * t)) - (t > 0.7 ? 1.4 * (t - 0.7) : 0) + 0.03 * z;
	case FACTOR:
		return 0.01 * (t > 0.5 ? 1 + 8 * (t - 0.5) : 1) * exp(0.2 * z);
	case FROZEN:
		return (1 + 2 * t) * exp(0.2 * z);
	case NAN_END:
		return t > at ? (double)NAN : z;
	case MOVED:
		break;
	}
	return 0;
}

static void power(struct bench *b, enum moved kind)
{
	struct quality_case c;

	(void)snprintf(b->name, sizeof b->name, "move found, %s, N %zu", moved[kind].word, moved[kind].n);
	c = quality_at_least(b->name, moved[kind].goal);
	for (uint64_t i = 0; quality_wants(b->q, &c) && i < quality_trials(b->q, 1000); i++) {
		struct ts_random r;
		double at;

		quality_random(&c, i, &r);
		at = 0.2 + 0.6 * ts_random_unit(&r);
		for (size_t k = 0; k < moved[kind].n; k++) {
			b->values[k] = moved_value(kind, (double)k / (double)moved[kind].n, at, ts_random_normal(&r));
			b->rate[k] = kind == FROZEN ? 0 : 0.1;
		}
		quality_count(&c, has_moved(move_of(b, moved[kind].direction, moved[kind].n)));
	}
	quality_report(b->q, &c);
}

void quality_moves(struct quality *q)
{
	struct bench b = {.q = q};

	ts_arena_init(&b.arena, (size_t)1 << 28);
	b.keys = malloc(MOST * sizeof *b.keys);
	b.values = malloc(MOST * sizeof *b.values);
	b.rate = malloc(MOST * sizeof *b.rate);
	if (b.keys && b.values && b.rate) {
		for (size_t i = 0; i < MOST; i++)
			b.keys[i] = (int64_t)i;
		for (int kind = 0; kind < CLEANS; kind++)
			for (size_t l = 0; l < LENGTHS; l++)
				clean(&b, (enum clean)kind, l);
		b.frozen = true;
		for (int kind = 0; kind <= COUNTS; kind++)
			for (size_t l = 0; l < LENGTHS; l++)
				clean(&b, (enum clean)kind, l);
		b.frozen = false;
		for (int kind = 0; kind < MOVED; kind++)
			power(&b, (enum moved)kind);
	} else {
		(void)fprintf(stderr, "no memory\n");
		q->failed++;
	}
	free(b.keys);
	free(b.values);
	free(b.rate);
	ts_arena_finish(&b.arena);
}
