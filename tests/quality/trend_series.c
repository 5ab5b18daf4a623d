#include "trend_series.h"

#include <math.h>

enum { HOSTS = 8, DAY_S = 86400 };

#define LEVEL 0.1
#define BEGAN INT64_C(1700000000)

static const char *const names[2 * HOSTS] = {"n0", "n1", "n2",	"n3",  "n4",  "n5",  "n6",  "n7",
					     "n8", "n9", "n10", "n11", "n12", "n13", "n14", "n15"};

/* The noise of one run; *state is that of the run before, NaN at the start. */
static double noise_of(const struct trend_noise *noise, struct ts_random *r, double *state)
{
	double squares = 0;

	if (!noise->heavy) {
		double fresh = isnan(*state) ? 1 : sqrt(1 - noise->rho * noise->rho);

		*state = (isnan(*state) ? 0 : noise->rho * *state) + noise->sd * fresh * ts_random_normal(r);
		return *state;
	}
	for (int k = 0; k < 3; k++) {
		double g = ts_random_normal(r);

		squares += g * g;
	}
	return noise->sd * ts_random_normal(r) / sqrt(squares);
}

static double shift(const struct trend_truth *truth, size_t i, size_t n)
{
	double x = log1p(truth->drift) * (double)i / (double)n;

	for (int k = 0; k < TREND_STEPS_MOST; k++)
		x += i >= truth->at[k] ? log1p(truth->steps[k]) : 0;
	return x;
}

/* What lies on a run beside its noise: bursts of three runs, a second mode, a level that is held for 20 to 200 runs. */
struct weather {
	double burst, level;
	size_t left, held;
};

static double weather_of(const struct trend_noise *noise, struct weather *w, struct ts_random *r)
{
	double x = 0;

	if (noise->bursts > 0 && w->left == 0 && ts_random_unit(r) < noise->bursts) {
		w->left = 3;
		w->burst = log(1.05 + 0.3 * ts_random_unit(r));
	}
	if (w->left > 0) {
		w->left--;
		x += w->burst;
	}
	if (noise->switches > 0 && w->held-- == 0) {
		w->held = 20 + ts_random_below(r, 181);
		w->level = noise->switches * ts_random_normal(r);
	}
	if (noise->modes > 0 && ts_random_unit(r) < 0.25)
		x += noise->modes;
	return x + w->level;
}

void trend_series(const struct trend_noise *noise, const struct trend_truth *truth, size_t n, struct ts_random *r,
		  struct ts_trend_run *runs, double *held)
{
	double state = (double)NAN, walk = 0, days[7], hosts[2 * HOSTS];
	size_t host = 0, a_day = noise->a_day ? noise->a_day : 5, odd = ts_random_below(r, (uint32_t)n);
	size_t n_hosts = noise->n_hosts ? noise->n_hosts : 1;
	struct weather weather = {0};

	for (int d = 0; d < 7; d++) /* in an order that is not that of the days */
		days[d] = noise->weekdays * (d * 3 % 7) / 6.0;
	for (int h = 0; h < 2 * HOSTS; h++)
		hosts[h] = noise->hosts * ts_random_normal(r);
	for (size_t i = 0; i < n; i++) {
		int64_t started = BEGAN + (int64_t)(i / a_day) * DAY_S + (int64_t)(i % a_day) * 600;
		double x = noise_of(noise, r, &state) * (1 + (noise->grow > 0 ? noise->grow - 1 : 0) * (double)i / (double)n);
		size_t here;

		if (noise->stay && (i == 0 || ts_random_unit(r) * (double)noise->stay < 1))
			host = ts_random_below(r, (uint32_t)n_hosts);
		here = truth->other_host && i >= truth->at[0] ? HOSTS + host : host;
		walk += i ? noise->walk * ts_random_normal(r) : 0;
		if (ts_random_unit(r) < noise->odd)
			x += log(1.05 + 0.45 * ts_random_unit(r));
		if (noise->odd_runs && i >= odd && i < odd + (size_t)noise->odd_runs)
			x += log(1.3);
		x += weather_of(noise, &weather, r);
		if (held)
			held[i] = weather.level;
		x += walk + days[started / DAY_S % 7] + hosts[here] + shift(truth, i, n);
		x = LEVEL * exp(x);
		if (noise->quantum > 0)
			x = nearbyint(x / LEVEL / noise->quantum) * noise->quantum * LEVEL;
		runs[i] = (struct ts_trend_run){.id = {{(uint8_t)(i >> 8), (uint8_t)i}},
						.known = !(ts_random_unit(r) < noise->missing),
						.reason = ts_span_str("missing"),
						.value = x,
						.started_ns = noise->untold ? 0 : started * 1000000000};
		if (noise->stay && !noise->untold)
			runs[i].host = ts_span_str(names[here]);
	}
}
