/* Two levels against what was planted, and the likelihood against a sum over all paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/random.h"
#include "analysis/stats/switching.h"

#include <math.h>

enum { N = 600, FEW = 12 };

static struct ts_arena arena;
static double x[N];
static int sides[N];

/* Two levels 1 apart that change each `visit` values, in AR(1) noise. */
static void plant(size_t n, size_t visit, double rho, double deviation, uint64_t seed)
{
	struct ts_random r;
	double off = 0;

	ts_random_init(&r, seed);
	for (size_t t = 0; t < n; t++) {
		off = rho * off + deviation * sqrt(1 - rho * rho) * ts_random_normal(&r);
		sides[t] = t / visit % 2;
		x[t] = 5 + sides[t] + off;
	}
}

static struct ts_switching fit(size_t n)
{
	struct ts_switching s;
	struct ts_error err;

	ts_arena_reset(&arena);
	assert_int_equal(ts_switching_fit(x, n, &arena, &s, &err), TS_OK);
	return s;
}

static void what_was_planted(void **state)
{
	static const double correlations[] = {0, 0.5, 0.8};

	(void)state;
	for (uint64_t k = 0; k < 3; k++) {
		struct ts_switching s;
		size_t wrong = 0;

		plant(N, 40, correlations[k], 0.25, k);
		s = fit(N);
		for (size_t t = 0; t < N; t++)
			wrong += s.side[t] != sides[t];
		assert_true(wrong <= N / 50);
		assert_true(fabs(s.level[0] - 5) < 0.1 && fabs(s.level[1] - 6) < 0.1);
		assert_true(fabs(s.deviation - 0.25) < 0.05 && fabs(s.correlation - correlations[k]) < 0.1);
		assert_true(s.leave[0] > 0.01 && s.leave[0] < 0.06 && s.leave[1] > 0.01 && s.leave[1] < 0.06);
	}
}

static double density(double off, double variance)
{
	return exp(-off * off / (2 * variance)) / sqrt(2 * acos(-1) * variance);
}

/* Returns the chance of x by one path, whose sides are the bits. */
static double chance_of(const struct ts_switching *s, unsigned path)
{
	double rho = s->correlation, variance = s->deviation * s->deviation;
	double before = x[0] - s->level[path & 1], chance = density(before, variance) / 2;

	for (size_t t = 1; t < FEW; t++) {
		unsigned from = path >> (t - 1) & 1, to = path >> t & 1;
		double off = x[t] - s->level[to];

		chance *= from == to ? 1 - s->leave[from] : s->leave[from];
		chance *= density(off - rho * before, variance * (1 - rho * rho));
		before = off;
	}
	return chance;
}

static void likelihood_of_all_paths(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		unsigned best = 0, found = 0;
		struct ts_switching s;
		double sum = 0;

		plant(FEW, 3, 0.4, 0.3, seed);
		s = fit(FEW);
		for (unsigned path = 0; path < 1u << FEW; path++) {
			sum += chance_of(&s, path);
			best = chance_of(&s, path) > chance_of(&s, best) ? path : best;
		}
		for (size_t t = 0; t < FEW; t++)
			found |= (unsigned)s.side[t] << t;
		assert_true(fabs(s.likelihood - (2 * log(sum) + FEW * (log(2 * acos(-1)) + 1))) < 1e-6);
		assert_true(chance_of(&s, found) >= chance_of(&s, best) * (1 - 1e-9));
	}
}

static void short_memory_is_told(void **state)
{
	enum ts_status status = TS_NO_MEMORY;
	struct ts_switching s;
	struct ts_error err;

	(void)state;
	plant(N, 40, 0, 0.25, 1);
	for (size_t ceiling = 1; status == TS_NO_MEMORY && ceiling < 1 << 20; ceiling += ceiling / 8 + 1) {
		struct ts_arena small;

		ts_arena_init(&small, ceiling);
		status = ts_switching_fit(x, N, &small, &s, &err);
		ts_arena_finish(&small);
	}
	assert_int_equal(status, TS_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_planted),
		cmocka_unit_test(likelihood_of_all_paths),
		cmocka_unit_test(short_memory_is_told),
	};
	int failed;

	ts_arena_init(&arena, 1 << 20);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	ts_arena_finish(&arena);
	return failed;
}
