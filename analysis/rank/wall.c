#include "analysis/rank/wall.h"

#include "analysis/stats/stats.h"
#include "base/door.h"

static const double GAP_LEAST = 5.0; /* s: a process does not restart in less time */
static const double GAP_INTERVALS = 20.0;

/* Goes through the intervals from one known timestamp to the next. */
struct walk {
	const int64_t *steps;
	const double *times;
	size_t n;
	const struct ts_series *stamps;
	int64_t first;
	size_t i, at; /* the next timestamp, and the next step */
	bool begun;
	double begin, end; /* the first and the last timestamp so far */
	size_t stamped;	   /* steps of the run so far that have a timestamp */
};

/* Gives the seconds of the next interval, and those that the phases of its steps take. */
static bool next(struct walk *w, double *ret_passed, double *ret_claimed)
{
	while (w->i < w->stamps->n) {
		int64_t key = w->stamps->keys[w->i];
		double stamp = w->stamps->values[w->i++];
		size_t from = w->at;
		bool begun = w->begun;

		if (key < w->first || !ts_stamp_known(stamp))
			continue;
		while (w->at < w->n && w->steps[w->at] <= key)
			w->at++;
		w->stamped += w->at > from && w->steps[w->at - 1] == key;
		*ret_passed = stamp - w->end;
		w->begin = begun ? w->begin : stamp;
		w->begun = true;
		w->end = stamp;
		if (!begun)
			continue;
		*ret_claimed = w->at - from == 1 ? w->times[from] + 0.0 : ts_sum(w->times + from, w->at - from);
		return true;
	}
	return false;
}

/* Sums up what phases claim as ts_sum does, because their times add up to the time of all steps. */
struct sum {
	double sum, carry, plain;
};

static void add(struct sum *s, double x)
{
	double t = s->sum + x;

	s->carry += fabs(s->sum) >= fabs(x) ? (s->sum - t) + x : (x - t) + s->sum;
	s->sum = t;
	s->plain += x;
}

/* Subtracts the first timestamp from the last, except for the intervals in which the clock was set back. Returns the number of
 * intervals, whose seconds are in scratch. */
static size_t total_of(struct walk walk, double *scratch, struct ts_wall *wall)
{
	struct sum claimed = {0.0, 0.0, 0.0};
	double set = 0.0, claims;
	size_t n = 0;

	for (; next(&walk, &scratch[n], &claims); n++) {
		add(&claimed, claims);
		if (scratch[n] < 0.0) {
			wall->backwards++;
			set += claims - scratch[n];
		}
	}
	wall->unstamped = walk.n - walk.stamped;
	wall->total = walk.end - walk.begin + set;
	wall->attributed = isfinite(claimed.sum + claimed.carry) ? claimed.sum + claimed.carry : claimed.plain;
	return n;
}

static void gaps_of(struct walk walk, double *scratch, size_t n, struct ts_wall *wall)
{
	static const double half = 50.0;
	double median, least, passed, claimed;

	ts_percentiles(scratch, n, &half, 1, &median);
	least = GAP_INTERVALS * median > GAP_LEAST ? GAP_INTERVALS * median : GAP_LEAST;
	while (next(&walk, &passed, &claimed))
		if (passed - claimed > least) {
			wall->gap += passed - claimed;
			wall->gaps++;
		}
}

/* Whether no time passed from one known timestamp to the next. */
static bool walk_stands(struct walk walk)
{
	double passed, claimed;

	while (next(&walk, &passed, &claimed))
		if (passed != 0.0)
			return false;
	return true;
}

void ts_wall_measure(const int64_t *steps, const double *times, size_t n, const struct ts_series *timestamps, int64_t first,
		     double *scratch, struct ts_wall *ret_wall)
{
	struct walk walk = {.steps = steps, .times = times, .n = n, .stamps = timestamps, .first = first};
	struct ts_wall wall = {.unstamped = n};
	size_t intervals;

	TS_DOOR(!timestamps || ts_series_holds(timestamps));
	if (!timestamps || timestamps->n == 0) {
		wall.reason = "the run has no column timestamp";
		*ret_wall = wall;
		return;
	}
	intervals = total_of(walk, scratch, &wall);
	if (intervals == 0)
		wall = (struct ts_wall){.reason = "fewer than two steps have a timestamp", .unstamped = wall.unstamped};
	else if (intervals > 1 && walk_stands(walk))
		wall = (struct ts_wall){.reason = "all timestamps are the same, which is too coarse", .unstamped = wall.unstamped};
	else
		gaps_of(walk, scratch, intervals, &wall);
	*ret_wall = wall;
}
