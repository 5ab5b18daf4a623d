/* outlier.h - which of a few numbers stand out above the rest.
 *
 * This is the generalized extreme Studentized deviate test (Rosner 1983), upward only. It compares the largest number with
 * the mean and deviation of the others by Student's t, at alpha divided by how many numbers are left; then it leaves that
 * number out and compares the next largest, and so on. All numbers up to the last one that is significant stand out, so that
 * two outliers do not hide each other.
 */
#ifndef TSCOPE_ANALYSIS_STATS_OUTLIER_H
#define TSCOPE_ANALYSIS_STATS_OUTLIER_H

#include "base/arena.h"

#include <stddef.h>

enum { TS_OUTLIERS_OF = 5 }; /* with fewer numbers, none can be called an outlier */

/* Sets ret_out[i] to whether x[i] stands out; at most half of the numbers do. n >= TS_OUTLIERS_OF, x finite. */
enum ts_status ts_outliers(const double *x, size_t n, double alpha, struct ts_arena *arena, bool *ret_out, struct ts_error *err);

#endif
