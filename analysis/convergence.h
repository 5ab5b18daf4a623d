/* convergence.h - what a loss-like series did. Group "convergence", subject = the series' name without "scalars.": count, first,
 * last, best (minimum) and best_step over finite values, nonfinite_count and first_nonfinite_step where there are any. */
#ifndef TSCOPE_ANALYSIS_CONVERGENCE_H
#define TSCOPE_ANALYSIS_CONVERGENCE_H

#include "analysis/measure.h"
#include "analysis/series.h"

enum ts_status ts_convergence_summary(const struct ts_series *series, int64_t first, struct ts_arena *arena,
				      struct ts_measures *measures, struct ts_error *err);

#endif
