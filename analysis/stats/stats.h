/* stats.h - sums and order statistics with their definitions; docs/numerics.md gives the reasons.
 *
 * Sums are compensated (Neumaier) in index order. Percentiles interpolate linearly: pos = q/100 * (n-1). The median of an
 * even count is the mean of the two middle values. n is at least 1 unless the comment of a function says otherwise. NaN in
 * the input gives NaN; infinities add up as IEEE 754 says (inf - inf is NaN). Selection is linear in n whatever the values
 * and their order, except in ts_nth. The functions allocate nothing and have no state.
 */
#ifndef TSCOPE_ANALYSIS_STATS_STATS_H
#define TSCOPE_ANALYSIS_STATS_STATS_H

#include <stddef.h>

/* The standard deviation of a Gaussian divided by its median absolute deviation. */
#define TS_MAD_TO_SD 1.4826

double ts_sum(const double *x, size_t n); /* 0 for n = 0 */
double ts_mean(const double *x, size_t n);
/* Population standard deviation, two passes around the mean. */
double ts_stddev(const double *x, size_t n, double mean);
/* out[i] is the q[i]-th percentile (0 to 100), by selection; scratch holds the n values on entry and is overwritten. */
void ts_percentiles(double *scratch, size_t n, const double *q, size_t n_q, double *out);
/* The 50th percentile. scratch has room for n values and is overwritten; x is not changed, unless it is the scratch. It is faster if
 * it is not, and for 16 values. */
double ts_median(const double *x, size_t n, double *scratch);
/* The same of those values that are finite; NaN if none is, and n may be 0. */
double ts_median_finite(const double *x, size_t n, double *scratch);
/* Where the level changes from `before` to `after`: the place from low to high, both included, for which the distances of the values
 * from their levels are least in sum. Of places that are as good, the first that is met on the way from `at` down, and then up.
 * low <= at <= high, and the values from low on to before high are finite. */
size_t ts_level_split(const double *x, size_t low, size_t at, size_t high, double before, double after);
/* |a - b| / max(|a|, |b|), from 0 to 2. It is 0 if both are equal or both NaN, and 1 if they differ and one of them is not
 * finite. */
double ts_relative_gap(double a, double b);
/* The k-th smallest value (k from 0, k < n), by quickselect; no value may be NaN. x is reordered: no value before k is
 * larger, and none after it is smaller. Meant for the few values of one step over ranks, where the linear selection would
 * cost more: an unlucky order of many values takes quadratic time. */
double ts_nth(double *x, size_t n, size_t k);
/* Sorts 4 values, none of which may be NaN, in a time that does not depend on them. */
void ts_sort_4(double *x);
/* Sorts 16 values, none of which may be NaN, in a time that does not depend on them. */
void ts_sort_16(double *x);
/* The median by ts_nth; x is reordered. */
double ts_median_few(double *x, size_t n);

#endif
