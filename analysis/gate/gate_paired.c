#include "analysis/gate/gate_paired.h"

#include "analysis/gate/gate_odd.h"
#include "analysis/stats/stats.h"

#include <math.h>

struct ts_gate_spread ts_gate_within(struct ts_gate_spread within, const struct ts_gate_look *first)
{
	if (within.df >= TS_GATE_WITHIN_LEAST || !first || !(first->df > 0) || !isfinite(first->sd))
		return within;
	return (struct ts_gate_spread){first->sd, first->df};
}

/* Returns the median difference of the pairs whose turn has that sign, and the mean of their turns; NaN if there are
 * none. */
static double median_turn(const struct ts_gate_difference *pairs, size_t n, double sign, double *scratch, double *ret_turn)
{
	double turns = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (pairs[i].turn * sign > 0) {
			scratch[k++] = pairs[i].d;
			turns += pairs[i].turn;
		}
	*ret_turn = k ? turns / (double)k : (double)NAN;
	return k ? ts_median_few(scratch, k) : (double)NAN;
}

/* Marks the pairs that are outliers once the drift between both orders is removed, and returns how many count. */
static size_t mark(struct ts_gate_difference *pairs, size_t n, struct ts_gate_spread within, double run, double *scratch)
{
	double after, before, slower = median_turn(pairs, n, 1, scratch, &after), faster = median_turn(pairs, n, -1, scratch, &before);
	double drift = n >= TS_GATE_DRIFT_LEAST ? (slower - faster) / (after - before) : 0;
	struct ts_gate_spread known = {sqrt(2.0) * run, within.df};
	size_t odd;
	bool flags[TS_GATE_PAIRS_LOOKED];

	drift = isfinite(drift) ? drift : 0;
	for (size_t i = 0; i < n; i++) {
		scratch[n + i] = pairs[i].d - drift * pairs[i].turn;
		pairs[i].odd = false;
	}
	if (n > TS_GATE_PAIRS_LOOKED)
		return n;
	odd = ts_gate_odd(scratch + n, &n, 1, known, 0, scratch, flags);
	for (size_t i = 0; i < n; i++)
		pairs[i].odd = flags[i];
	return n - odd;
}

/* The sums of squares and products around the means, of y over x, over the pairs that count. */
struct slope {
	double n, x, y, xx, xy;
};

static struct slope by_turns(const struct ts_gate_difference *pairs, size_t n)
{
	struct slope s = {0};

	for (size_t i = 0; i < n; i++)
		if (!pairs[i].odd) {
			s.n++;
			s.x += pairs[i].turn;
			s.y += pairs[i].d;
		}
	s.x /= s.n;
	s.y /= s.n;
	for (size_t i = 0; i < n; i++)
		if (!pairs[i].odd) {
			s.xx += (pairs[i].turn - s.x) * (pairs[i].turn - s.x);
			s.xy += (pairs[i].turn - s.x) * (pairs[i].d - s.y);
		}
	return s;
}

/* Fits the middles of pairs over their places, each session around its own means. */
static struct slope by_places(const struct ts_gate_difference *pairs, size_t n)
{
	struct slope s = {0};

	for (size_t i = 0; i < n; i++) {
		double place = 0, middle = 0, of = 0;

		if (pairs[i].odd)
			continue;
		for (size_t j = 0; j < n; j++)
			if (!pairs[j].odd && pairs[j].session == pairs[i].session) {
				place += pairs[j].place;
				middle += pairs[j].middle;
				of++;
			}
		s.xx += (pairs[i].place - place / of) * (pairs[i].place - place / of);
		s.xy += (pairs[i].place - place / of) * (pairs[i].middle - middle / of);
	}
	return s;
}

void ts_gate_pairs_look(struct ts_gate_difference *pairs, size_t n, struct ts_gate_spread within, const struct ts_gate_rule *rule,
			double *scratch, struct ts_gate_look *ret_look)
{
	double run = fmax(within.sd, rule->floor_sd), known = 2 * run * run, sum = 0, variance;
	struct ts_gate_look look = {.pairs = mark(pairs, n, within, run, scratch), .drift = (double)NAN};
	struct slope turns = by_turns(pairs, n), places = by_places(pairs, n);
	bool both = turns.xx > 0 && look.pairs >= TS_GATE_DRIFT_LEAST;
	double slope = both ? turns.xy / turns.xx : 0;

	for (size_t i = 0; i < n; i++) {
		double far = pairs[i].d - turns.y - slope * (pairs[i].turn - turns.x);

		sum += pairs[i].odd ? 0 : far * far;
	}
	variance = both ? 1 / turns.n + turns.x * turns.x / turns.xx : 1 / turns.n;
	if (both) {
		look.drift = slope;
	} else if (turns.x != 0 && turns.xx == 0 && places.xx > 0) {
		look.drift = places.xy / places.xx;
		slope = look.drift * turns.x > 0 ? look.drift : 0;
		/* A middle is the mean of two runs, so its variance is a quarter of that of their difference. */
		variance += turns.x * turns.x / (4 * places.xx);
	}
	look.difference = turns.y - slope * turns.x;
	look.df = turns.n - 1 - both;
	look.noisy = within.df > 0 && look.df > 0 && sum / look.df > TS_GATE_NOISY * TS_GATE_NOISY * known;
	if (within.df > 0 && !look.noisy) {
		sum += within.df * known;
		look.df += within.df;
	}
	look.sd = look.df > 0 ? sqrt(sum / look.df) : (double)NAN;
	ts_gate_look_judge(&look, sqrt(variance), sqrt(2.0) * rule->floor_sd, rule->delta);
	*ret_look = look;
}

enum ts_gate_pairs_answer ts_gate_pairs_judge(struct ts_gate_difference *pairs, size_t n, const struct ts_gate_pairs_plan *plan,
					      struct ts_gate_spread within, const struct ts_gate_rule *rule, double *scratch,
					      struct ts_gate_look *ret_look)
{
	double alpha = plan->first < plan->most ? plan->alpha / 2 : plan->alpha;

	ts_gate_pairs_look(pairs, n < plan->first ? n : plan->first, within, rule, scratch, ret_look);
	if (n < plan->first)
		return TS_GATE_PAIRS_FEW;
	if (ts_gate_worse(ret_look, rule, alpha))
		return TS_GATE_PAIRS_CONFIRM;
	if (plan->first == plan->most || (ret_look->difference <= rule->delta && !ret_look->noisy))
		return TS_GATE_PAIRS_REFUTE;
	if (n < plan->most)
		return TS_GATE_PAIRS_OPEN;
	ts_gate_pairs_look(pairs, plan->most, within, rule, scratch, ret_look);
	return ts_gate_worse(ret_look, rule, alpha) ? TS_GATE_PAIRS_CONFIRM : TS_GATE_PAIRS_REFUTE;
}
