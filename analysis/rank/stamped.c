#include "analysis/rank/stamped.h"

#include "analysis/rank/wall.h"
#include "analysis/stats/stats.h"
#include "base/door.h"

double ts_usual_distance(const int64_t *steps, size_t n, double *scratch)
{
	if (n < 2)
		return (double)NAN;
	if (ts_key_distance(steps[0], steps[n - 1]) == (double)(n - 1))
		return 1;
	for (size_t i = 1; i < n; i++)
		scratch[i - 1] = ts_key_distance(steps[i - 1], steps[i]);
	return ts_median(scratch, n - 1, scratch);
}

/* Returns the segment of a step, or of the last step before it that has one; *io_at begins at 0, and steps ascend. */
static double segment_of(const struct ts_series *segments, int64_t step, size_t *io_at)
{
	while (segments && *io_at + 1 < segments->n && segments->keys[*io_at + 1] <= step)
		++*io_at;
	return segments && segments->n && segments->keys[*io_at] <= step ? segments->values[*io_at] : 0.0;
}

enum ts_status ts_stamped_times(const struct ts_series *stamps, const struct ts_series *segments, struct ts_arena *arena,
				struct ts_series *ret_times, uint64_t *ret_coarse, struct ts_error *err)
{
	int64_t *keys = ts_arena_array(arena, stamps->n, sizeof *keys);
	double *times = ts_arena_array(arena, stamps->n, sizeof *times), usual, segment = 0.0;
	size_t n = 0, at = 0, before = stamps->n;
	uint64_t coarse = 0;

	TS_DOOR(ts_series_holds(stamps));
	if (!keys || !times)
		return ts_arena_error(arena, err);
	usual = ts_usual_distance(stamps->keys, stamps->n, times);
	for (size_t i = 0; i < stamps->n; i++) {
		double now = segment_of(segments, stamps->keys[i], &at);

		if (!ts_stamp_known(stamps->values[i]))
			continue;
		if (now == segment && ts_stamp_stays(stamps->values, stamps->n, i)) {
			coarse += 1 + (before + 1 == i);
			continue;
		}
		if (before < stamps->n && now == segment) {
			double passed = stamps->values[i] - stamps->values[before];
			double steps = ts_key_distance(stamps->keys[before], stamps->keys[i]);

			if (passed >= 0.0 && steps <= TS_STAMPED_FAR * usual) {
				keys[n] = stamps->keys[i];
				times[n++] = passed / steps;
			}
		}
		before = i;
		segment = now;
	}
	*ret_coarse = coarse;
	*ret_times = (struct ts_series){.name = ts_span_str("step"), .keys = keys, .values = times, .n = n};
	return TS_OK;
}
