/* outlier.h - which of a few numbers stand out above the rest.
 *
 * Generalized extreme Studentized deviate test (Rosner 1983), upward only: the largest is held against mean and deviation of the
 * others by Student's t at alpha over the numbers left, then the next largest without it, and so on; all up to the last that
 * fails the test stand out, so that two of them do not hide each other.
 */
#ifndef TSCOPE_ANALYSIS_STATS_OUTLIER_H
#define TSCOPE_ANALYSIS_STATS_OUTLIER_H

#include "base/arena.h"

#include <stddef.h>

enum { TS_OUTLIERS_OF = 5 }; /* of fewer numbers than these none can be called odd */

/* At most half of the numbers stand out. n >= TS_OUTLIERS_OF, x finite. */
enum ts_status ts_outliers(const double *x, size_t n, double alpha, struct ts_arena *arena, bool *ret_out, struct ts_error *err);

#endif
