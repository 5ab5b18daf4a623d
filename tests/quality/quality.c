/* quality [--some] [--seed N] [NAME] - false alarms and power of every detector, see quality.h. */
#include "quality_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUALITY_ROW(name) {name},
static const struct {
	void (*run)(struct quality *q);
} parts[] = {QUALITY_PARTS(QUALITY_ROW)};

/* Other data for every case; 0: those that the documents tell of. */
static uint64_t seed;

uint64_t quality_trials(const struct quality *q, uint64_t full)
{
	uint64_t some = full < 600 ? 10 : full / 30;

	return q->some && some < full ? some : full;
}

void quality_random(const struct quality_case *c, uint64_t i, struct ts_random *ret_random)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* This is FNV-1a of the name. */

	for (const char *at = c->name; *at; at++)
		hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
	ts_random_init(ret_random, hash + i * UINT64_C(0x9e3779b97f4a7c15) + seed * UINT64_C(0xd1342543de82ef95));
}

struct quality_case quality_at_most(const char *name, double goal)
{
	return (struct quality_case){.name = name, .goal = goal};
}

struct quality_case quality_at_least(const char *name, double goal)
{
	return (struct quality_case){.name = name, .goal = goal, .at_least = true};
}

bool quality_wants(const struct quality *q, const struct quality_case *c)
{
	return !q->only || strstr(c->name, q->only);
}

void quality_count(struct quality_case *c, bool happened)
{
	c->n++;
	c->hits += happened;
}

/* Returns P(X <= k) of a binomial. It is summed from logarithms, which is exact enough for n of some thousands. */
static double binomial_at_most(uint64_t k, uint64_t n, double p)
{
	double sum = 0;

	if (p <= 0)
		return 1;
	if (p >= 1)
		return k >= n;
	for (uint64_t i = 0; i <= k; i++)
		sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) + (double)i * log(p) +
			   (double)(n - i) * log1p(-p));
	return sum;
}

/* Returns the p for which k or more hits of n have the probability tail. It sums the side with fewer terms. */
static double lower_of_few(uint64_t k, uint64_t n, double tail)
{
	double lo = 0, hi = 1;

	if (k == 0)
		return 0;
	for (int i = 0; i < 60; i++) {
		double mid = (lo + hi) / 2;

		if (1 - binomial_at_most(k - 1, n, mid) > tail)
			hi = mid;
		else
			lo = mid;
	}
	return lo;
}

/* Returns the p for which k or fewer hits of n have the probability tail: the upper Clopper-Pearson bound. */
static double upper_bound(uint64_t k, uint64_t n, double tail)
{
	double lo = 0, hi = 1;

	if (k >= n)
		return 1;
	if (k > n / 2)
		return 1 - lower_of_few(n - k, n, tail);
	for (int i = 0; i < 60; i++) {
		double mid = (lo + hi) / 2;

		if (binomial_at_most(k, n, mid) > tail)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

static double lower_bound(uint64_t k, uint64_t n, double tail)
{
	return 1 - upper_bound(n - k, n, tail);
}

static bool holds(const struct quality *q, const struct quality_case *c)
{
	double rate = (double)c->hits / (double)c->n;

	if (c->at_least)
		return upper_bound(c->hits, c->n, 0.05) >= c->goal && (q->some || rate >= c->goal);
	return lower_bound(c->hits, c->n, 0.05) <= c->goal && (q->some || rate <= c->goal);
}

static void print_row(const struct quality_case *c, double rate, double low, double high)
{
	(void)printf("%-62s %6" PRIu64 " %6" PRIu64 " %7.2f%% [%6.2f%%, %6.2f%%]  %s %.2f%%  ", c->name, c->n, c->hits,
		     100 * rate, 100 * low, 100 * high, c->at_least ? ">=" : "<=", 100 * c->goal);
}

static void print_case(const struct quality_case *c)
{
	if (c->n == 0)
		print_row(c, 0, 0, 1);
	else
		print_row(c, (double)c->hits / (double)c->n, lower_bound(c->hits, c->n, 0.025), upper_bound(c->hits, c->n, 0.025));
}

static void end_row(struct quality *q, bool ok)
{
	q->cases++;
	q->failed += !ok;
	(void)printf("%s\n", ok ? "yes" : "NO");
	(void)fflush(stdout);
}

void quality_report(struct quality *q, const struct quality_case *c)
{
	if (!quality_wants(q, c))
		return;
	print_case(c);
	end_row(q, c->n > 0 && holds(q, c));
}

void quality_report_only(const struct quality *q, const struct quality_case *c, const char *why)
{
	if (!quality_wants(q, c))
		return;
	print_case(c);
	(void)printf("%s\n", why);
	(void)fflush(stdout);
}

void quality_report_mean(struct quality *q, const struct quality_case *c, double sum, double squares)
{
	struct quality_case row = *c;
	double n = (double)c->n, mean = sum / n, half = 1.96 * sqrt((squares / n - mean * mean) / n);

	if (!quality_wants(q, c))
		return;
	row.hits = (uint64_t)sum;
	print_row(&row, mean, mean - half, mean + half);
	end_row(q, c->n > 0 && (q->some ? mean - half : mean) <= c->goal);
}

double quality_ar1(struct ts_random *r, double rho, double sd, double *state)
{
	if (isnan(*state))
		*state = sd * ts_random_normal(r);
	else
		*state = rho * *state + sd * sqrt(1 - rho * rho) * ts_random_normal(r);
	return *state;
}

double quality_lognormal(struct ts_random *r, double sigma)
{
	return exp(sigma * ts_random_normal(r) - sigma * sigma / 2);
}

int main(int argc, char **argv)
{
	struct quality q = {0};

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--some") == 0)
			q.some = true;
		else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
			seed = strtoull(argv[++i], NULL, 10);
		else
			q.only = argv[i];
	}
	(void)printf("%-62s %6s %6s %8s %18s  %9s\n", "", "n", "hits", "rate", "95 %", "goal");
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		parts[i].run(&q);
	(void)printf("%u of %u cases hold\n", q.cases - q.failed, q.cases);
	return q.failed ? 1 : 0;
}
