/* logged.h - the use of the hardware that the training itself logged, as an MFU, an HFU, a rate of FLOPs or a speed: which column says
 * it, in which unit it stands, whether it can be true, and how it stands beside the MFU that is computed here.
 *
 *	ts_logged_take(&use, column, &series, first, arena, err)	for each column of scalars
 *	ts_logged_rows(&use, &work, arena, &measures, err)		after ts_efficiency
 *
 * Names are cut into words of letters and digits, without regard to case. A column logs an MFU if it has the word "mfu" (or "model
 * flops utilization"), an HFU if it has "hfu", and a rate if it has "tflops" or "tflop s", or "flops" and then "per sec" or "s", all
 * with the prefixes g, t and p. A word that makes it something else ("peak", "std", "total", "step") excludes it. A rate is of one
 * device if a word says so ("gpu", "device", "chip") or it has a prefix, as Megatron-LM and torchtitan write it; flops_per_sec alone is
 * of the whole job, as Composer and Lightning write it. Of several columns one of one device counts, then that with the fewest words,
 * then the first.
 *
 * A speed is tokens, samples, images, frames, iterations or steps per second, or is called tps, throughput, ips or sps.
 *
 * The value is the median of the finite values above 0 from step `first` on, without those at the beginning that are below half of it:
 * up to 10, and up to a tenth of all. They are those of steps that compile or warm up.
 *
 * Unit of an MFU: percent if the name says so ("%", "pct", "percent") or a value is -100, which nanoGPT writes for "not yet"; else the
 * one reading that is within a factor of 2 of the MFU that is computed here, or off by a factor that `note` explains; else percent if a
 * value is above 1.5, a share if all are at most 1, and between the two either, and both readings are said.
 *
 * Group "efficiency", subject "logged":
 *	mfu RATIO, mfu_column TEXT, mfu_unit TEXT	the value as a share, of which column, and how it was read; an HFU
 *					likewise. There is no row mfu if it may be either
 *	flops FLOPS_PER_S, flops_column TEXT, flops_of TEXT	the rate, and of what: "one device", "8 devices"
 *	flops_share RATIO		the rate of a device over its peak, if no MFU is logged
 *	peak FLOPS_PER_S		the peak that the program divided by, if it logs both
 *	error TEXT			why it cannot be true: above 100 %, or a rate above the device's peak
 *	times NONE			the logged MFU over that which is computed here
 *	note TEXT			what explains that they differ by more than a tenth, as far as something does
 *	speed PER_SECOND, speed_column TEXT	the speed as it is logged, and of which column
 *	warmup TEXT			which first steps were left out, and how slow they are
 */
#ifndef TSCOPE_ANALYSIS_RANK_LOGGED_H
#define TSCOPE_ANALYSIS_RANK_LOGGED_H

#include "analysis/answer/measure.h"
#include "analysis/rank/work.h"
#include "analysis/stats/series.h"

enum ts_logged_what { TS_LOGGED_MFU, TS_LOGGED_HFU, TS_LOGGED_RATE, TS_LOGGED_SPEED, TS_LOGGED };

/* What the name of a column says of its unit. */
struct ts_logged_name {
	enum ts_logged_what what;
	double factor;	 /* of a rate: FLOP/s of a value of 1 */
	bool percent;	 /* the name says so */
	bool per_device; /* the name says so */
	bool tokens;	 /* of a speed: it is of tokens */
	size_t words;
};

struct ts_logged {
	bool found;
	struct ts_logged_name name;
	struct ts_span column; /* without "scalars." */
	double value, most;    /* median, largest */
	bool marked;	       /* some value is -100 */
	size_t slow;	       /* values at the beginning that were left out */
	int64_t slow_first, slow_last;
	double slowest;
};

/* All zero before the first column. */
struct ts_logged_use {
	struct ts_logged of[TS_LOGGED];
};

/* The name is a column's; false for one that logs none of these. A speed is no use of the hardware. */
bool ts_logged_name_of(struct ts_span column, struct ts_logged_name *ret_name);
bool ts_logged_speed_of(struct ts_span column, struct ts_logged_name *ret_name);
/* The column's name must outlive use; the arena is for work. */
enum ts_status ts_logged_take(struct ts_logged_use *use, struct ts_span column, const struct ts_series *series, int64_t first,
			      struct ts_arena *arena, struct ts_error *err);
/* Appends rows, or nothing if no column was found. measures hold those of ts_efficiency. */
enum ts_status ts_logged_rows(const struct ts_logged_use *use, const struct ts_work *work, struct ts_arena *arena,
			      struct ts_measures *measures, struct ts_error *err);

#endif
