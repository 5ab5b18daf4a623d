/* outlier.h - which of a few numbers stand out above the rest.
 *
 * This is the generalized extreme Studentized deviate test (Rosner 1983), upward only. It compares the largest number with
 * the mean and deviation of the others by Student's t, times how many numbers are left; then it leaves that
 * number out and compares the next largest, and so on. A number has the least of its own chance and those behind it, so that
 * two outliers do not hide each other.
 */
#ifndef TSCOPE_ANALYSIS_STATS_OUTLIER_H
#define TSCOPE_ANALYSIS_STATS_OUTLIER_H

#include "base/arena.h"

#include <stddef.h>

enum { TS_OUTLIERS_OF = 5 }; /* with fewer numbers, none can be called an outlier */

/* Sets ret_p[i] to the chance that a number stands out as x[i] does or more, if all are alike and normal; at most 1, and 1 for the
 * lower half. n >= TS_OUTLIERS_OF, x finite. */
enum ts_status ts_outliers(const double *x, size_t n, struct ts_arena *arena, double *ret_p, struct ts_error *err);

#endif
