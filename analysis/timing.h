/* timing.h - where the time of a step goes.
 *
 * The time of a step is the sum of its phases, known or unknown by name. `warmup` drops the first N distinct steps of the rank; how
 * many were cut is reported. Measures, group "timing": subject "step": count, mean_s, stddev_s, median_s, p95_s, p99_s, cv_ratio
 * (stddev/mean), tail_ratio (p95/median), rate_per_s (1/mean), total_s (attributed); a subject a phase: mean_s (per step of the
 * run, absent = 0), median_s, p95_s (over the steps that have it), share_ratio (of the attributed time), count; subject
 * "wall": total_s (last minus first timestamp, which leaves out the first step), unattributed_s.
 * Source: definitions of pytscope 0.2.1's timing section; wall from the timestamp column.
 *
 *	ts_timing_begin(&t, steps, n, warmup, arena, err)	the union of the steps on which any phase is present
 *	ts_timing_phase(&t, &series, err)			once a phase, in display order
 *	ts_timing_finish(&t, timestamps or NULL, arena, &measures, err)	the measures grow in that arena
 */
#ifndef TSCOPE_ANALYSIS_TIMING_H
#define TSCOPE_ANALYSIS_TIMING_H

#include "analysis/measure.h"
#include "analysis/series.h"

struct ts_timing {
	struct ts_arena *arena;
	const int64_t *steps; /* after warm-up */
	size_t n;
	int64_t first;	/* first step after warm-up */
	double *total;	/* per step */
	double *carry;	/* what total lost to rounding */
	double *scratch;
	struct ts_timing_phase *phases;
	size_t n_phases, cap_phases;
	size_t warmup_cut;
};

enum ts_status ts_timing_begin(struct ts_timing *t, const int64_t *steps, size_t n, size_t warmup,
			       struct ts_arena *arena, struct ts_error *err);
enum ts_status ts_timing_phase(struct ts_timing *t, const struct ts_series *phase, struct ts_error *err);
enum ts_status ts_timing_finish(struct ts_timing *t, const struct ts_series *timestamps, struct ts_arena *arena,
				struct ts_measures *measures, struct ts_error *err);
/* data forward backward optimizer compute comm other first, then the rest by code point. Below 0, 0, above 0. */
int ts_phase_order(struct ts_span a, struct ts_span b);

#endif
