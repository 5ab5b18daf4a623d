#include "experiment/bisection.h"

#include "base/door.h"

#include <math.h>

enum { ROUNDS = 5 }; /* after which levels hardly move */
enum { AWAY = 2 };   /* so many versions from one that cannot be judged, a judgement counts half */
#define NOTHING 1e-9 /* of the posterior: a judgement with no more on one side tells nothing */

double ts_judge_evidence(bool bad, double wrong)
{
	double evidence;

	TS_DOOR(wrong > 0 && wrong < 0.5);
	evidence = log1p(-wrong) - log(wrong);
	return bad ? evidence : -evidence;
}

/* The mean of n numbers; adds the squares of their distances from it. */
static double mean_of(const double *values, size_t n, double *io_squares)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	for (size_t i = 0; i < n; i++)
		*io_squares += (values[i] - sum / (double)n) * (values[i] - sum / (double)n);
	return sum / (double)n;
}

void ts_levels_of(const double *good, size_t n_good, const double *bad, size_t n_bad, double least, struct ts_two_levels *ret_levels)
{
	double squares = 0, low, high;

	TS_DOOR(n_good >= 3 && n_bad >= 3);
	low = mean_of(good, n_good, &squares);
	high = mean_of(bad, n_bad, &squares);
	/* The variance of Student's t with n_good + n_bad - 2 degrees of freedom. */
	*ret_levels = (struct ts_two_levels){low, high, (double)n_good, (double)n_bad,
					     fmax(sqrt(squares / ((double)(n_good + n_bad) - 4)), least * fabs(low))};
}

double ts_level_evidence(const struct ts_two_levels *levels, double value, double wrong)
{
	double of_good, of_bad, good, bad, most;

	TS_DOOR(levels->n_good >= 1 && levels->n_bad >= 1 && levels->sd > 0 && isfinite(value));
	of_good = levels->sd * sqrt(1 + 1 / levels->n_good);
	of_bad = levels->sd * sqrt(1 + 1 / levels->n_bad);
	good = (value - levels->good) / of_good;
	bad = (value - levels->bad) / of_bad;
	/* A level farther out on the good side, or on the bad one, is as good, or as bad. */
	if ((levels->bad > levels->good) == (value < levels->good))
		good = 0;
	if ((levels->bad > levels->good) == (value > levels->bad))
		bad = 0;
	most = ts_judge_evidence(true, wrong);
	return fmax(-most, fmin(most, (good * good - bad * bad) / 2 + log(of_good / of_bad)));
}

/* The posterior of each version as logarithms, from judgements: the first bad one is k where version v is bad for v >= k. */
static void weigh(const struct ts_bisection *b, const struct ts_judged *judged, size_t n, double *post)
{
	double top = -INFINITY, sum = 0;

	/* What a judgement of v adds to k <= v is gathered at v, and summed from behind. */
	for (size_t i = 0; i < n; i++)
		if (!judged[i].skipped)
			post[judged[i].version - 1] += fmax(-TS_EVIDENCE_MOST, fmin(TS_EVIDENCE_MOST, judged[i].evidence));
	for (size_t k = b->n; k--;) {
		sum += post[k];
		post[k] = sum + (b->prior ? log(b->prior[k]) : 0);
		top = fmax(top, post[k]);
	}
	sum = 0;
	for (size_t k = 0; k < b->n; k++)
		sum += post[k] = exp(post[k] - top);
	for (size_t k = 0; k < b->n; k++)
		post[k] /= sum;
}

enum ts_status ts_measured_evidence(const struct ts_bisection *b, const struct ts_two_levels *known, const double *values, double wrong,
				    struct ts_judged *judged, size_t n, struct ts_arena *arena, struct ts_error *err)
{
	double *post = ts_arena_array(arena, b->n, sizeof *post);
	struct ts_two_levels levels = *known;

	if (!post)
		return ts_arena_error(arena, err);
	for (int round = 0; round < ROUNDS; round++) {
		double sum[2] = {known->good * known->n_good, known->bad * known->n_bad}, runs[2] = {known->n_good, known->n_bad};

		for (size_t i = 0; i < n; i++)
			judged[i].evidence = judged[i].skipped ? 0 : ts_level_evidence(&levels, values[i], wrong);
		for (size_t k = 0; k < b->n; k++)
			post[k] = 0;
		weigh(b, judged, n, post);
		for (size_t k = 1; k < b->n; k++) /* now: that the version is bad */
			post[k] += post[k - 1];
		for (size_t i = 0; i < n; i++)
			for (size_t side = 0; side < 2 && !judged[i].skipped; side++) {
				double bad = post[judged[i].version - 1], share = side ? bad : 1 - bad;

				sum[side] += share * values[i];
				runs[side] += share;
			}
		levels = (struct ts_two_levels){sum[0] / runs[0], sum[1] / runs[1], runs[0], runs[1], known->sd};
	}
	return TS_OK;
}

/* The version, of those that can be judged, with as near to half of the posterior at or before it as there is; 0: none has
 * any posterior on either side. The last one is not asked for: that it is bad is given. */
static size_t middle(const struct ts_bisection *b, const double *post, const bool *skipped)
{
	double before = 0, best = 0;
	size_t at = 0, behind = b->n, ahead = 1;

	for (size_t v = 1; v < b->n; v++) {
		double tells;

		before += post[v - 1];
		tells = fmin(before, 1 - before);
		behind = skipped[v] ? 0 : behind + 1;
		if (ahead <= v)
			for (ahead = v; ahead < b->n && !skipped[ahead];)
				ahead++;
		if (tells < NOTHING || skipped[v])
			continue;
		if (behind < b->n)
			tells *= (double)behind / (double)(behind + AWAY);
		if (ahead < b->n)
			tells *= (double)(ahead - v) / (double)(ahead - v + AWAY);
		if (tells > best) {
			best = tells;
			at = v;
		}
	}
	return at;
}

/* The versions around k that no version which can be judged parts from it. */
static void around(const struct ts_bisection *b, const bool *skipped, size_t k, struct ts_bisection_step *step)
{
	step->first = step->last = k;
	while (step->first > 1 && skipped[step->first - 1])
		step->first--;
	while (step->last < b->n && skipped[step->last])
		step->last++;
}

static double chance(const double *post, const struct ts_bisection_step *step)
{
	double sum = 0;

	for (size_t k = step->first; k <= step->last; k++)
		sum += post[k - 1];
	return fmin(sum, 1);
}

/* The range that has all but (1 - sure) of the posterior, half of that cut off at each end. */
static void trim(const struct ts_bisection *b, const double *post, struct ts_bisection_step *step)
{
	const double cut = (1 - b->sure) / 2;
	double less = 0, more = 0;

	for (step->first = 1; step->first < b->n && less + post[step->first - 1] <= cut; step->first++)
		less += post[step->first - 1];
	for (step->last = b->n; step->last > step->first && more + post[step->last - 1] <= cut; step->last--)
		more += post[step->last - 1];
}

enum ts_status ts_bisection_next(const struct ts_bisection *b, const struct ts_judged *judged, size_t n, struct ts_arena *arena,
				 struct ts_bisection_step *ret_step, struct ts_error *err)
{
	struct ts_bisection_step step = {TS_BISECTION_GOES_ON, 0, 1, 1, 0};
	size_t likeliest = 1;
	double *post;
	bool *skipped;

	TS_DOOR(b->n && b->n <= TS_BISECTION_VERSIONS_MOST && b->sure >= 0.5 && b->sure < 1);
	TS_DOOR_ALL(i, n, judged[i].version >= 1 && judged[i].version <= b->n);
	post = ts_arena_array(arena, b->n, sizeof *post);
	skipped = ts_arena_array(arena, b->n + 1, sizeof *skipped);
	if (!post || !skipped)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		skipped[judged[i].version] |= judged[i].skipped;
	weigh(b, judged, n, post);
	for (size_t k = 1; k <= b->n; k++)
		if (post[k - 1] > post[likeliest - 1])
			likeliest = k;
	around(b, skipped, likeliest, &step);
	step.chance = chance(post, &step);
	step.next = middle(b, post, skipped);
	if (step.chance >= b->sure || !step.next) {
		step.end = step.first == step.last ? TS_BISECTION_FOUND : TS_BISECTION_RANGE;
	} else if (n >= b->most) {
		step.end = TS_BISECTION_OVER;
		trim(b, post, &step);
		step.chance = chance(post, &step);
	}
	if (step.end != TS_BISECTION_GOES_ON)
		step.next = 0;
	*ret_step = step;
	return TS_OK;
}
