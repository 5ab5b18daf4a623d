#include "analysis/rank/wall.h"

#include "analysis/stats/stats.h"

static const double GAP_LEAST = 5.0; /* s: a process does not restart in less time */
static const double GAP_INTERVALS = 20.0;

/* The intervals from one known timestamp to the next. */
struct intervals {
	double *passed;	 /* s */
	double *claimed; /* s, taken by the phases of the steps in the interval */
	size_t n;
	double begin, end; /* the first and the last timestamp */
	size_t stamped;	   /* steps of the run that have a timestamp */
};

/* The sums are compensated: the claimed times of all intervals add up to the time of all steps. */
static void intervals_of(const int64_t *steps, const double *times, size_t n, const struct ts_series *stamps,
			 int64_t first, struct intervals *in)
{
	size_t at = 0;
	bool begun = false;

	for (size_t i = 0; i < stamps->n; i++) {
		size_t from = at;

		if (stamps->keys[i] < first || !ts_stamp_known(stamps->values[i]))
			continue;
		while (at < n && steps[at] <= stamps->keys[i])
			at++;
		in->stamped += at > from && steps[at - 1] == stamps->keys[i];
		if (begun) {
			in->passed[in->n] = stamps->values[i] - in->end;
			in->claimed[in->n++] = ts_sum(times + from, at - from);
		} else {
			in->begin = stamps->values[i];
			begun = true;
		}
		in->end = stamps->values[i];
	}
}

/* Subtracts the first timestamp from the last, except for the intervals in which the clock was set back. */
static void total_of(const struct intervals *in, struct ts_wall *wall)
{
	double set = 0.0;

	for (size_t i = 0; i < in->n; i++)
		if (in->passed[i] < 0.0) {
			wall->backwards++;
			set += in->claimed[i] - in->passed[i];
		}
	wall->total = in->end - in->begin + set;
	wall->attributed = ts_sum(in->claimed, in->n);
}

/* Overwrites the intervals: `claimed` becomes the unclaimed time, and `passed` is used for selection. */
static void gaps_of(struct intervals *in, struct ts_wall *wall)
{
	static const double half = 50.0;
	double median, least;

	for (size_t i = 0; i < in->n; i++)
		in->claimed[i] = in->passed[i] - in->claimed[i];
	ts_percentiles(in->passed, in->n, &half, 1, &median);
	least = GAP_INTERVALS * median > GAP_LEAST ? GAP_INTERVALS * median : GAP_LEAST;
	for (size_t i = 0; i < in->n; i++)
		if (in->claimed[i] > least) {
			wall->gap += in->claimed[i];
			wall->gaps++;
		}
}

enum ts_status ts_wall_measure(const int64_t *steps, const double *times, size_t n, const struct ts_series *timestamps,
			       int64_t first, struct ts_arena *arena, struct ts_wall *ret_wall, struct ts_error *err)
{
	struct ts_wall wall = {.unstamped = n};
	struct intervals in = {.n = 0};

	if (!timestamps || timestamps->n == 0) {
		wall.reason = "the run has no column timestamp";
		*ret_wall = wall;
		return TS_OK;
	}
	in.passed = ts_arena_alloc(arena, timestamps->n * sizeof *in.passed);
	in.claimed = ts_arena_alloc(arena, timestamps->n * sizeof *in.claimed);
	if (!in.passed || !in.claimed)
		return ts_arena_error(arena, err);
	intervals_of(steps, times, n, timestamps, first, &in);
	wall.unstamped = n - in.stamped;
	if (in.n == 0) {
		wall.reason = "fewer than two steps have a timestamp";
	} else {
		total_of(&in, &wall);
		gaps_of(&in, &wall);
	}
	*ret_wall = wall;
	return TS_OK;
}
