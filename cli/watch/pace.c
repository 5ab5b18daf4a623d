#include "cli/watch/pace.h"

#include "base/order.h"

#include <math.h>

static double median(double *x, size_t n)
{
	if (!n)
		return NAN;
	TS_SORT(x, n, ts_by_double);
	return n % 2 ? x[n / 2] : x[n / 2 - 1] / 2 + x[n / 2] / 2;
}

/* --- one rank --- */

/* Of steps without times. What came first was there already, and no pause lies before it. */
static struct ts_pace pace_of_arrivals(const struct ts_live_rank *rank)
{
	struct ts_pace pace = {.per_second = NAN, .usual = NAN, .longest = rank->longest_wait, .by_arrival = true};
	const struct ts_live_arrival *first = rank->arrivals, *last = rank->arrivals + rank->n_arrivals - 1;
	double gaps[TS_LIVE_ARRIVALS];
	size_t n = 0;

	for (const struct ts_live_arrival *at = first; at < last; at++)
		gaps[n++] = at[1].time - at->time;
	pace.steps = n;
	pace.usual = median(gaps, n);
	if (last->time > first->time)
		pace.per_second = ((double)last->step - (double)first->step) / (last->time - first->time);
	return pace;
}

struct ts_pace ts_pace_of(const struct ts_live_rank *rank)
{
	struct ts_pace pace = {.per_second = NAN, .usual = NAN, .longest = rank->longest};
	size_t first = rank->n > TS_PACE_STEPS + 1 ? rank->n - TS_PACE_STEPS - 1 : 0;
	double gaps[TS_PACE_STEPS], whole = 0, steps = 0;
	size_t n = 0;

	for (size_t i = first + 1; i < rank->n; i++) {
		const struct ts_live_kept *before = ts_live_at(rank, i - 1), *at = ts_live_at(rank, i);
		double gap = at->time - before->time;

		if (!(gap >= 0)) /* NaN, too */
			continue;
		gaps[n++] = gap;
		whole += gap;
		steps += (double)at->step - (double)before->step; /* a log has each tenth step, or so */
	}
	if (!n && rank->n_arrivals >= 2)
		return pace_of_arrivals(rank);
	pace.steps = n;
	pace.usual = median(gaps, n);
	if (whole > 0)
		pace.per_second = steps / whole;
	return pace;
}

double ts_pace_left(const struct ts_pace *pace, int64_t newest, int64_t total)
{
	double left = (double)total - (double)newest;

	return left < 0 ? 0 : left / pace->per_second;
}

double ts_pace_limit(const struct ts_pace *pace)
{
	double limit = TS_HANG_TIMES * pace->usual;

	if (pace->steps < 2)
		return NAN;
	limit = fmax(limit, TS_HANG_LONGEST * pace->longest);
	return fmax(limit, TS_HANG_LEAST);
}

bool ts_pace_hangs(const struct ts_pace *pace, double age)
{
	return age > ts_pace_limit(pace);
}

/* --- all ranks --- */

const struct ts_live_rank *ts_pace_last_rank(const struct ts_live *live)
{
	const struct ts_live_rank *last = NULL;

	for (size_t i = 0; i < live->n_ranks; i++) {
		const struct ts_live_rank *rank = live->ranks[i];

		if (rank->n && (!last || ts_live_newest(rank)->step < ts_live_newest(last)->step))
			last = rank;
	}
	return last;
}

bool ts_pace_newest(const struct ts_live *live, int64_t *ret_step, double *ret_time)
{
	bool any = false;
	double time;

	for (size_t i = 0; i < live->n_ranks; i++) {
		const struct ts_live_kept *newest = ts_live_newest(live->ranks[i]);

		if (!newest)
			continue;
		*ret_step = !any || newest->step > *ret_step ? newest->step : *ret_step;
		time = ts_live_ended(live->ranks[i]);
		*ret_time = any ? fmax(*ret_time, time) : time; /* NaN is passed over */
		any = true;
	}
	return any;
}

/* Adds what a rank takes for a part; NaN where it has none. */
static void add(struct ts_shares *shares, double *values, int32_t rank, double value)
{
	if (!(value >= 0))
		return;
	if (!shares->ranks || value > shares->worst) {
		shares->worst = value;
		shares->who = rank;
	}
	values[shares->ranks++] = value;
}

struct sums {
	double whole, phases[TS_LIVE_PHASES];
	uint64_t wholes, n_phases[TS_LIVE_PHASES];
};

static void add_step(struct sums *sums, const struct ts_live_kept *at, const struct ts_live_kept *before)
{
	if (before && before->step + 1 == at->step && at->time > before->time) {
		sums->whole += at->time - before->time;
		sums->wholes++;
	}
	for (size_t p = 0; p < TS_LIVE_PHASES; p++)
		if (at->phases[p] >= 0) {
			sums->phases[p] += at->phases[p];
			sums->n_phases[p]++;
		}
}

/* Whether all other ranks that have steps kept this one. */
static bool all_have(const struct ts_live *live, int64_t step)
{
	for (size_t i = 0; i < live->n_ranks; i++)
		if (live->ranks[i]->n && !ts_live_find(live->ranks[i], step))
			return false;
	return true;
}

/* The steps that all have, the newest first. */
static size_t common_steps(const struct ts_live *live, const struct ts_live_rank *last, int64_t steps[TS_PACE_STEPS])
{
	size_t n = 0;

	for (size_t i = last->n; i-- > 0 && n < TS_PACE_STEPS;)
		if (all_have(live, ts_live_at(last, i)->step))
			steps[n++] = ts_live_at(last, i)->step;
	return n;
}

static double mean(double sum, uint64_t n)
{
	return n ? sum / (double)n : (double)NAN;
}

bool ts_pace_common(const struct ts_live *live, struct ts_arena *arena, struct ts_common *ret)
{
	const struct ts_live_rank *last = ts_pace_last_rank(live);
	double *values = ts_arena_array(arena, live->n_ranks ? live->n_ranks * (TS_LIVE_PHASES + 1) : 1, sizeof *values);
	int64_t steps[TS_PACE_STEPS];
	struct ts_common common = {0};

	if (!last || !values)
		return false;
	common.steps = common_steps(live, last, steps);
	if (!common.steps)
		return false;
	common.newest = steps[0];
	for (size_t i = 0; i < live->n_ranks; i++) {
		const struct ts_live_rank *rank = live->ranks[i];
		struct sums sums = {0};

		if (!rank->n)
			continue;
		common.ranks++;
		for (size_t k = 0; k < common.steps; k++) {
			const struct ts_live_kept *at = ts_live_find(rank, steps[k]);

			add_step(&sums, at, at == ts_live_at(rank, 0) ? NULL : ts_live_find(rank, steps[k] - 1));
		}
		add(&common.whole, values, rank->rank, mean(sums.whole, sums.wholes));
		for (size_t p = 0; p < TS_LIVE_PHASES; p++)
			add(&common.phases[p], values + (p + 1) * live->n_ranks, rank->rank, mean(sums.phases[p], sums.n_phases[p]));
	}
	common.whole.median = median(values, common.whole.ranks);
	for (size_t p = 0; p < TS_LIVE_PHASES; p++)
		common.phases[p].median = median(values + (p + 1) * live->n_ranks, common.phases[p].ranks);
	*ret = common;
	return true;
}
