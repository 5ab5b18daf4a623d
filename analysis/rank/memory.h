/* memory.h - how much memory a run took, whether it keeps growing, and when the device would be full.
 *
 * Values that are no number of bytes (NaN, infinite, negative) are left out of everything; if a column has some, a row
 * `invalid` counts them. Group "memory", by subject (docs/numerics.md has the table of definitions):
 *
 * peak_alloc, peak_reserved
 *	peak BYTES, at STEP (the first that reached it), over the steps >= first. Without such a column the subject is "alloc" or
 *	"reserved", whose values are taken between steps, where memory use is lowest, so they are below the true peak.
 * alloc, reserved
 *	mean BYTES, last BYTES, over the steps >= first.
 * growth
 *	slope, slope_low, slope_high BYTES_PER_STEP (the 95 % interval), p_value NONE, jump BYTES and STEP (absent if there is
 *	none): slope.h, for memory.alloc over the steps >= steady_first. Growth is significant if p_value < TS_MEMORY_ALPHA.
 *	Growth that begins within the run, that comes in stairs, or that cycles hide (a leak under a sawtooth, or under garbage
 *	collection at random times), has no such p-value. There is then a row since STEP, from which memory grows, while the p-value
 *	stays that of the whole series. Memory that rises in stairs (stairs.h) has rises COUNT; since is the first of them, slope and
 *	interval are those of the middles of the rises, and total is what they come to; three to five rises have no interval. Where
 *	the floor keeps growing to the end (ts_growth_find in rise.h), slope, interval and total are those of the floor from there
 *	on: of the lowest values of 12 blocks, or of at most 12 groups of cycles. Where an interval holds 0 there is no such row.
 *	Growth that slows down until its last third has less than a sixth of the rise, as caches fill, counts as the last third
 *	does: slope, interval, p-value and total are those.
 *	total BYTES: slope times (last - first step number). method and column TEXT, steps and points COUNT (slope.h: values, and
 *	the points that they were reduced to). Without memory.alloc the column is memory.peak_alloc, unless that never falls:
 *	then it may be a maximum since the start (capture tools that never reset the counter log it so), which rises without
 *	any leak.
 * capacity
 *	device BYTES (as declared). pressure RATIO: peak reserved, else peak allocated, over device. steps_left COUNT, with
 *	steps_left_low, steps_left_high from the ends of the slope's interval: (device - level) / slope, 0 if it is already full.
 *	level: the largest memory.peak_alloc of the last twelfth of the steps if it still changes there, else the largest value
 *	there of the column that grows. Other use of the device (CUDA context, other processes) is not known, so the forecast is
 *	an upper bound. It is unknown if the capacity is, or if the growth is not significant.
 * fragmentation
 *	ratio RATIO: (peak_reserved - peak_alloc) / peak_reserved, the maximum of each over the run. reserved_unused BYTES: the
 *	difference. In-step peaks are used on purpose: memory.alloc is taken between steps, when activations are freed, so
 *	pytscope's mean of (reserved - alloc) / reserved is 60 % in a healthy run that uses 9.8 of 10 GB within its steps.
 *	Maxima over the run are used instead of each step's values, because if shapes vary, a small step leaves unused what a
 *	large one needs. With values taken between steps only, it is unknown.
 * creep
 *	kind TEXT, delta BYTES, score NONE, metric TEXT: creep.h, of memory.peak_alloc and memory.peak_reserved (else alloc,
 *	reserved) over the steps >= first, the stronger of the two. There is one rank: its worst and median series are the same.
 *
 * Plots: memory/alloc/value and memory/reserved/value, or the plot of the peak column if only that exists.
 *
 * pytscope 0.2.1 has the same peaks and mean_alloc. Its growth is some 10 % too low, is computed by list position, without
 * interval or p-value, and counts the warm-up. For its fragmentation see above.
 */
#ifndef TSCOPE_ANALYSIS_RANK_MEMORY_H
#define TSCOPE_ANALYSIS_RANK_MEMORY_H

#include "analysis/answer/measure.h"
#include "analysis/answer/plot.h"
#include "analysis/stats/series.h"

#define TS_MEMORY_ALPHA 0.01

/* Appends rows and plots. Any of the four series may be NULL. capacity_bytes is the memory of the device, 0 if unknown. The
 * arena also holds work memory: up to 5 MB, and 16 bytes a step for a column that has invalid values. */
enum ts_status ts_memory_summary(const struct ts_series *alloc, const struct ts_series *reserved,
				 const struct ts_series *peak_alloc, const struct ts_series *peak_reserved, int64_t first,
				 int64_t steady_first, double capacity_bytes, struct ts_arena *arena,
				 struct ts_measures *measures, struct ts_plots *plots, struct ts_error *err);

/* Peak and growth of one rank, as above but with 128 blocks instead of 500: some 10 ns a step. The reasons are static text. */
struct ts_rank_memory {
	bool has_peak;
	double peak;	/* bytes */
	const char *no_peak; /* the reason why there is no peak */
	bool has_growth;
	double growth;	/* bytes a step */
	double p_value; /* NaN if it is not known */
	bool late;	/* it grows from `since` on, though the p-value does not show it; see growth above */
	int64_t since;	/* step */
	const char *no_growth; /* the reason why there is no growth */
};

/* Either series may be NULL. The call takes some 200 kB of scratch. */
enum ts_status ts_memory_rank(const struct ts_series *alloc, const struct ts_series *peak_alloc, int64_t first,
			      int64_t steady_first, struct ts_arena *scratch, struct ts_rank_memory *ret_rank,
			      struct ts_error *err);

#endif
