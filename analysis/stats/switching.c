#include "analysis/stats/switching.h"

#include "analysis/stats/stats.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 20, SMOOTH = 3 /* values on each side */ };

static const double STAYS = 20, LEAVES = 1; /* prior counts of each side */
static const double CORRELATION_MOST = 0.95;
static const double ENOUGH = 0.01; /* a smaller change of the logarithm of the likelihood is none */
static const double TWO_PI = 6.283185307179586;

struct model {
	double level[2], rho, variance; /* of the innovations */
	double leave[2];
};

struct fit {
	const double *x;
	size_t n;
	struct model m;
	double (*density)[4];  /* of x[t], by the side before times two, plus its own; of x[0] by its own */
	double (*forward)[2];
	double log_likelihood;
};

static double move(const struct model *m, int from, int to)
{
	return from == to ? 1 - m->leave[from] : m->leave[from];
}

/* Returns the logarithm of the density of x[t]. */
static double log_density(const struct fit *f, size_t t, int from, int to)
{
	const struct model *m = &f->m;
	double variance = t ? m->variance : m->variance / (1 - m->rho * m->rho);
	double off = f->x[t] - m->level[to] - (t ? m->rho * (f->x[t - 1] - m->level[from]) : 0);

	return -0.5 * (log(TWO_PI * variance) + off * off / variance);
}

static void forward(struct fit *f)
{
	double log_likelihood = 0;

	for (size_t t = 0; t < f->n; t++) {
		double most = -HUGE_VAL, l[4], sum;

		for (int k = 0; k < 4; k++) {
			l[k] = log_density(f, t, k / 2, k % 2);
			most = fmax(most, l[k]);
		}
		for (int k = 0; k < 4; k++)
			f->density[t][k] = exp(l[k] - most);
		for (int to = 0; to < 2; to++)
			f->forward[t][to] = t ? f->forward[t - 1][0] * move(&f->m, 0, to) * f->density[t][to] +
							f->forward[t - 1][1] * move(&f->m, 1, to) * f->density[t][2 + to]
					      : f->density[t][to] / 2;
		sum = f->forward[t][0] + f->forward[t][1];
		f->forward[t][0] /= sum;
		f->forward[t][1] /= sum;
		for (int k = 0; k < 4; k++)
			f->density[t][k] /= sum;
		log_likelihood += log(sum) + most;
	}
	f->log_likelihood = log_likelihood;
}

/* What the next model is made of: sums over the moves, weighted by their chance. */
struct sums {
	double moves[4];
	double a[2][2], b[2]; /* normal equations of the levels */
};

/* Computes the chance of each move into the density's place, and the sums. */
static void backward(struct fit *f, struct sums *s)
{
	double after[2] = {1, 1}, rho = f->m.rho;

	*s = (struct sums){.moves = {0}};
	for (size_t t = f->n; t-- > 1;) {
		double before[2] = {0, 0};

		for (int k = 0; k < 4; k++) {
			int from = k / 2, to = k % 2;
			double w = move(&f->m, from, to) * f->density[t][k] * after[to], chance = f->forward[t - 1][from] * w;
			double d[2] = {(to == 0) - rho * (from == 0), (to == 1) - rho * (from == 1)};
			double y = f->x[t] - rho * f->x[t - 1];

			before[from] += w;
			f->density[t][k] = chance;
			s->moves[k] += chance;
			for (int i = 0; i < 2; i++) {
				s->b[i] += chance * d[i] * y;
				for (int j = 0; j < 2; j++)
					s->a[i][j] += chance * d[i] * d[j];
			}
		}
		after[0] = before[0];
		after[1] = before[1];
	}
}

/* Improves the model by the chances of the moves; false if the levels have become one. */
static bool improve(struct fit *f)
{
	struct model *m = &f->m;
	double product = 0, square = 0, rest = 0, det;
	struct sums s;

	backward(f, &s);
	det = s.a[0][0] * s.a[1][1] - s.a[0][1] * s.a[1][0];
	if (!(det > 1e-9 * s.a[0][0] * s.a[1][1]))
		return false;
	m->level[0] = (s.b[0] * s.a[1][1] - s.b[1] * s.a[0][1]) / det;
	m->level[1] = (s.b[1] * s.a[0][0] - s.b[0] * s.a[1][0]) / det;
	for (int side = 0; side < 2; side++) {
		double stays = s.moves[3 * side] + STAYS, leaves = s.moves[1 + side] + LEAVES;

		m->leave[side] = leaves / (stays + leaves);
	}
	for (size_t t = 1; t < f->n; t++)
		for (int k = 0; k < 4; k++) {
			double before = f->x[t - 1] - m->level[k / 2], now = f->x[t] - m->level[k % 2];

			product += f->density[t][k] * before * now;
			square += f->density[t][k] * before * before;
			rest += f->density[t][k] * now * now;
		}
	m->rho = square > 0 ? fmin(fmax(product / square, 0), CORRELATION_MOST) : 0;
	rest = rest - 2 * m->rho * product + m->rho * m->rho * square;
	m->variance = rest / (double)(f->n - 1);
	return m->variance > 0 && isfinite(m->variance);
}

/* Begins with the values above and below the middle of y, which are split until they stay. */
static void begin(struct fit *f, const double *y)
{
	double low = y[0], high = y[0], rest = 0, sum[2], count[2];

	for (size_t t = 0; t < f->n; t++) {
		low = fmin(low, y[t]);
		high = fmax(high, y[t]);
	}
	for (int round = 0; round < 12; round++) {
		double middle = low / 2 + high / 2;

		sum[0] = sum[1] = count[0] = count[1] = 0;
		for (size_t t = 0; t < f->n; t++) {
			sum[y[t] >= middle] += f->x[t];
			count[y[t] >= middle]++;
		}
		if (!(count[0] > 0 && count[1] > 0))
			break;
		low = sum[0] / count[0];
		high = sum[1] / count[1];
	}
	for (size_t t = 0; t < f->n; t++)
		rest += fmin((f->x[t] - low) * (f->x[t] - low), (f->x[t] - high) * (f->x[t] - high));
	f->m = (struct model){.level = {low, high}, .variance = rest / (double)f->n, .leave = {0.05, 0.05}};
}

/* Finds the path, with the density's place for the best score of each side and where it came from. */
static void path(struct fit *f, uint8_t *side)
{
	double score[2] = {log_density(f, 0, 0, 0), log_density(f, 0, 0, 1)};

	for (size_t t = 1; t < f->n; t++) {
		double next[2];

		for (int to = 0; to < 2; to++) {
			double by[2];

			for (int from = 0; from < 2; from++)
				by[from] = score[from] + log(move(&f->m, from, to)) + log_density(f, t, from, to);
			f->density[t][to] = by[1] > by[0];
			next[to] = fmax(by[0], by[1]);
		}
		score[0] = next[0];
		score[1] = next[1];
	}
	side[f->n - 1] = score[1] > score[0];
	for (size_t t = f->n; t-- > 1;)
		side[t - 1] = f->density[t][side[t]] > 0;
}

static void climb(struct fit *f)
{
	forward(f);
	for (int round = 0; round < ROUNDS; round++) {
		struct model before = f->m;
		double was = f->log_likelihood;

		if (!improve(f)) {
			f->m = before;
			forward(f);
			return;
		}
		forward(f);
		if (fabs(f->log_likelihood - was) < ENOUGH)
			return;
	}
}

enum ts_status ts_switching_fit(const double *x, size_t n, struct ts_arena *arena, struct ts_switching *ret, struct ts_error *err)
{
	struct fit f = {.x = x, .n = n}, best;
	double *smooth = ts_arena_array(arena, n, sizeof *smooth);
	uint8_t *side = ts_arena_array(arena, n, sizeof *side);

	f.density = ts_arena_array(arena, n, sizeof *f.density);
	f.forward = ts_arena_array(arena, n, sizeof *f.forward);
	if (!smooth || !side || !f.density || !f.forward)
		return ts_arena_error(arena, err);
	for (size_t t = 0; t < n; t++) {
		size_t from = t < SMOOTH ? 0 : t - SMOOTH, to = n - t <= SMOOTH ? n : t + SMOOTH + 1;

		for (size_t i = from; i < to; i++)
			smooth[t] += x[i] / (double)(to - from);
	}
	begin(&f, x);
	climb(&f);
	best = f;
	begin(&f, smooth);
	climb(&f);
	if (f.log_likelihood > best.log_likelihood)
		best = f;
	path(&best, side);
	if (best.m.level[0] > best.m.level[1]) {
		double level = best.m.level[0], leave = best.m.leave[0];

		best.m.level[0] = best.m.level[1];
		best.m.level[1] = level;
		best.m.leave[0] = best.m.leave[1];
		best.m.leave[1] = leave;
		for (size_t t = 0; t < n; t++)
			side[t] = !side[t];
	}
	*ret = (struct ts_switching){
		.level = {best.m.level[0], best.m.level[1]},
		.deviation = sqrt(best.m.variance / (1 - best.m.rho * best.m.rho)),
		.correlation = best.m.rho,
		.leave = {best.m.leave[0], best.m.leave[1]},
		.likelihood = 2 * best.log_likelihood + (double)n * (log(TWO_PI) + 1),
		.side = side,
	};
	return TS_OK;
}
