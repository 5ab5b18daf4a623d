#include "analysis/gate/gate_paired.h"

#include "analysis/gate/gate_odd.h"
#include "analysis/stats/stats.h"
#include "analysis/stats/student.h"

#include <math.h>

#define REFUTED 0.01 /* at could_miss, the first look ends the test with this probability, and the second look misses 0.05 */

/* The spread of the first look and of the candidate's distance, as one value more: without any change that is independent of t (Basu
 * 1955), so it is right where t is large by chance. Beyond the t that makes a candidate suspect, chance is not assumed. With few
 * degrees of freedom the distance would be most of the spread, and hide the change. */
static double with_candidate(const struct ts_gate_look *first)
{
	double t = fabs(first->difference / first->error), most = ts_student_quantile(1 - TS_GATE_CLEAN_ALPHA, first->df);

	t = isfinite(t) && first->df >= TS_GATE_WITHIN_LEAST ? fmax(1, fmin(t, most)) : 1;
	return first->sd * sqrt((first->df + t * t) / (first->df + 1));
}

struct ts_gate_spread ts_gate_within(struct ts_gate_spread within, const struct ts_gate_look *first)
{
	if (within.df >= TS_GATE_WITHIN_LEAST || !first || !(first->df > 0) || !isfinite(first->sd))
		return within;
	return (struct ts_gate_spread){with_candidate(first), first->df};
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
static size_t mark(struct ts_gate_difference *pairs, size_t n, struct ts_gate_spread known, double *scratch)
{
	double after, before, slower = median_turn(pairs, n, 1, scratch, &after), faster = median_turn(pairs, n, -1, scratch, &before);
	double drift = n >= TS_GATE_DRIFT_LEAST ? (slower - faster) / (after - before) : 0;
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
	double n, x, y, xx, xy, yy; /* n: of places, how many sessions */
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
		s.yy += (pairs[i].middle - middle / of) * (pairs[i].middle - middle / of);
		s.n += 1 / of;
	}
	return s;
}

/* The scatter of the runs of one side around their mean, by sessions: the variance of one run. It also shows a machine whose state
 * moves both runs of a pair alike, so that the differences agree by chance. NaN: no session has two pairs. */
static double side_scatter(const struct ts_gate_difference *pairs, size_t n)
{
	double squares = 0, df = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			double base = pairs[i].middle - pairs[i].d / 2 - pairs[j].middle + pairs[j].d / 2;
			double candidate = pairs[i].middle + pairs[i].d / 2 - pairs[j].middle - pairs[j].d / 2;

			if (pairs[i].odd || pairs[j].odd || pairs[i].session != pairs[j].session)
				continue;
			squares += base * base + candidate * candidate;
			df += 4; /* each is the difference of two runs, on two sides */
		}
	return squares / df;
}

/* Asks whether the level of a machine wanders: the middles of its pairs lie around their line further than runs of a quiet session do.
 * Differences of neighbours in time then look more alike than they are. known: the variance of a difference, four times that of a
 * middle. */
static bool wanders(const struct ts_gate_difference *pairs, size_t n, size_t counted, double known)
{
	struct slope s = by_places(pairs, n);
	double df = (double)counted - s.n - 1;

	return counted >= TS_GATE_DRIFT_LEAST && s.xx > 0 && df > 0.5 &&
	       4 * (s.yy - s.xy * s.xy / s.xx) / df > TS_GATE_NOISY * TS_GATE_NOISY * known;
}

/* Asks whether one side ran first in every pair that counts and whose order is recorded. */
static int always_first(const struct ts_gate_difference *pairs, size_t n)
{
	bool base = false, candidate = false;

	for (size_t i = 0; i < n; i++) {
		base = base || (!pairs[i].odd && pairs[i].turn > 0);
		candidate = candidate || (!pairs[i].odd && pairs[i].turn < 0);
	}
	return base - candidate;
}

void ts_gate_pairs_alternate(const struct ts_gate_difference *pairs, size_t n, struct ts_gate_difference *out)
{
	size_t at[2] = {0, 0}, taken[2] = {0, 0};

	/* at[0] walks over the pairs whose candidate ran first, at[1] over all others. */
	for (size_t i = 0; i < n; i++) {
		size_t next;

		for (size_t k = 0; k < 2; k++)
			while (at[k] < n && (pairs[at[k]].turn < 0) == (k == 1))
				at[k]++;
		next = taken[0] < taken[1] ? 0 : taken[1] < taken[0] ? 1 : at[1] < at[0];
		next = at[next] < n ? next : !next;
		out[i] = pairs[at[next]++];
		taken[next]++;
	}
}

static double median_steps(const struct ts_gate_difference *pairs, size_t n, double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = pairs[i].steps;
	return ts_median_few(scratch, n);
}

static double mean_steps(const struct ts_gate_difference *pairs, size_t n)
{
	double sum = 0, of = 0;

	for (size_t i = 0; i < n; i++) {
		sum += pairs[i].odd ? 0 : pairs[i].steps;
		of += !pairs[i].odd;
	}
	return sum / of;
}

/* Asks whether the pairs ran under more noise than the known variance of a difference says. With TS_GATE_DRIFT_LEAST pairs their
 * differences say enough, and a drift of the machine would make the sides scatter. */
static bool is_noisy(const struct ts_gate_difference *pairs, size_t n, const struct ts_gate_look *look, double squares, double known,
		     double steps)
{
	if (steps > known || (look->df > 0 && squares / look->df > TS_GATE_NOISY * TS_GATE_NOISY * (known + steps)))
		return true;
	return look->pairs < TS_GATE_DRIFT_LEAST && 2 * side_scatter(pairs, n) > TS_GATE_SIDES * TS_GATE_SIDES * (known + steps);
}

void ts_gate_pairs_look(struct ts_gate_difference *pairs, size_t n, struct ts_gate_spread within, const struct ts_gate_rule *rule,
			double *scratch, struct ts_gate_look *ret_look)
{
	double run = fmax(within.sd, rule->floor_sd), known = 2 * run * run, sum = 0, variance;
	struct ts_gate_spread usual = {sqrt(known + median_steps(pairs, n, scratch)), within.df};
	struct ts_gate_look look = {.pairs = mark(pairs, n, usual, scratch), .drift = (double)NAN, .drift_error = (double)NAN};
	bool adrift = within.df > 0 && wanders(pairs, n, look.pairs, known + mean_steps(pairs, n)), both;
	struct slope turns, places;
	double steps, slope, slope_factor = 0;

	/* Where the level wanders, a pair that lies far from the others is one of many such, and leaving it out makes the rest look
	 * alike. */
	for (size_t i = 0; adrift && i < n; i++)
		pairs[i].odd = false;
	look.pairs = adrift ? n : look.pairs;
	steps = mean_steps(pairs, n);
	turns = by_turns(pairs, n);
	places = by_places(pairs, n);
	both = turns.xx > 0 && look.pairs >= TS_GATE_DRIFT_LEAST;
	slope = both ? turns.xy / turns.xx : 0;
	for (size_t i = 0; i < n; i++) {
		double far = pairs[i].d - turns.y - slope * (pairs[i].turn - turns.x);

		sum += pairs[i].odd ? 0 : far * far;
	}
	variance = both ? 1 / turns.n + turns.x * turns.x / turns.xx : 1 / turns.n;
	if (both) {
		look.drift = slope;
		slope_factor = 1 / sqrt(turns.xx);
	} else if (turns.x != 0 && turns.xx == 0 && places.xx > 0) {
		look.drift = places.xy / places.xx;
		slope = look.drift * turns.x > 0 ? look.drift : 0;
		/* A middle is the mean of two runs, so its variance is a quarter of that of their difference. */
		variance += turns.x * turns.x / (4 * places.xx);
		slope_factor = 1 / sqrt(4 * places.xx);
	}
	look.difference = turns.y - slope * turns.x;
	look.first = always_first(pairs, n);
	look.df = turns.n - 1 - both;
	look.noisy = adrift || (within.df > 0 && is_noisy(pairs, n, &look, sum, known, steps));
	if (within.df > 0 && !look.noisy) {
		double df = look.pairs < TS_GATE_DRIFT_LEAST ? fmin(within.df, TS_GATE_FEW_DF) : within.df;

		sum += df * (known + steps);
		look.df += df;
	}
	look.sd = look.df > 0 ? sqrt(fmax(sum / look.df, steps)) : (double)NAN;
	ts_gate_look_judge(&look, sqrt(variance), sqrt(2.0) * rule->floor_sd, rule->delta);
	look.drift_error = slope_factor * look.sd;
	*ret_look = look;
}

static enum ts_gate_pairs_answer answer_of(const struct ts_gate_look *look, const struct ts_gate_rule *rule, double alpha)
{
	if (ts_gate_worse(look, rule, alpha))
		return TS_GATE_PAIRS_CONFIRM;
	return ts_gate_better(look, rule, alpha) ? TS_GATE_PAIRS_BETTER : TS_GATE_PAIRS_REFUTE;
}

/* Asks whether the single runs contradict the pairs: both measure the same change. By Welch's test. */
static bool disagree(const struct ts_gate_look *single, const struct ts_gate_look *look)
{
	double a, b, df;

	if (!single || !(single->df > 0) || !(look->df > 0))
		return false;
	a = single->error * single->error;
	b = look->error * look->error;
	df = (a + b) * (a + b) / (a * a / single->df + b * b / look->df);
	return fabs(look->difference - single->difference) > ts_student_quantile(1 - TS_GATE_DISAGREE / 2, df) * sqrt(a + b);
}

/* Looks at the first n pairs. A change that the single runs contradict is tested with the pairs' own spread. Two noisy pairs agree too
 * often to decide anything. */
static enum ts_gate_pairs_answer look_at(struct ts_gate_difference *pairs, size_t n, const struct ts_gate_pairs_plan *plan,
					 struct ts_gate_spread within, const struct ts_gate_rule *rule, double *scratch,
					 struct ts_gate_look *ret_look)
{
	const struct ts_gate_spread unknown = {0, 0};
	double alpha = plan->first < plan->most ? plan->alpha / 2 : plan->alpha;

	ts_gate_pairs_look(pairs, n, within, rule, scratch, ret_look);
	if (!ret_look->noisy && answer_of(ret_look, rule, alpha) != TS_GATE_PAIRS_REFUTE && disagree(plan->single, ret_look)) {
		ts_gate_pairs_look(pairs, n, unknown, rule, scratch, ret_look);
		ret_look->noisy = true;
	}
	return ret_look->noisy && ret_look->df < 2 ? TS_GATE_PAIRS_REFUTE : answer_of(ret_look, rule, alpha);
}

double ts_gate_pairs_found_from(const struct ts_gate_look *look, const struct ts_gate_pairs_plan *plan, struct ts_gate_spread within,
				const struct ts_gate_rule *rule)
{
	double run = fmax(within.sd, rule->floor_sd), known = within.df > 0 ? sqrt(2.0) * run : 0, kept;
	bool many = plan->most >= TS_GATE_DRIFT_LEAST;
	struct ts_gate_look later = *look;

	if (plan->first == plan->most || look->noisy)
		return ts_gate_found_from(look, rule, plan->see_alpha);
	later.df = (double)plan->most - 1 - many + (many ? within.df : fmin(within.df, TS_GATE_FEW_DF));
	later.error *= fmax(look->sd, known) / look->sd * sqrt((double)plan->first / (double)plan->most);
	kept = rule->delta + ts_student_quantile(1 - REFUTED, look->df) * look->error;
	return fmax(kept, ts_gate_found_from(&later, rule, plan->see_alpha));
}

enum ts_gate_pairs_answer ts_gate_pairs_judge(struct ts_gate_difference *pairs, size_t n, const struct ts_gate_pairs_plan *plan,
					      struct ts_gate_spread within, const struct ts_gate_rule *rule, double *scratch,
					      struct ts_gate_look *ret_look)
{
	enum ts_gate_pairs_answer answer;
	bool one_order;

	if (n < plan->first) {
		ts_gate_pairs_look(pairs, n, within, rule, scratch, ret_look);
		return TS_GATE_PAIRS_FEW;
	}
	answer = look_at(pairs, plan->first, plan, within, rule, scratch, ret_look);
	one_order = ret_look->first && plan->most > 1;
	ret_look->ends = !one_order && plan->first < plan->most;
	if (!one_order && (answer != TS_GATE_PAIRS_REFUTE || plan->first == plan->most))
		return answer;
	if (!one_order && ret_look->difference <= rule->delta && !ret_look->noisy &&
	    (!(plan->must_see > 0) || ts_gate_pairs_found_from(ret_look, plan, within, rule) <= plan->must_see))
		return answer;
	ret_look->ends = false;
	if (n < plan->most)
		return TS_GATE_PAIRS_OPEN;
	answer = look_at(pairs, plan->most, plan, within, rule, scratch, ret_look);
	return ret_look->first && plan->most > 1 ? TS_GATE_PAIRS_OPEN : answer;
}
