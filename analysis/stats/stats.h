/* stats.h - sums and order statistics with their definitions; docs/numerics.md has the reasons.
 *
 * Sums are compensated (Neumaier) in index order. Percentiles interpolate linearly: pos = q/100 * (n-1). The median of
 * an even count is the mean of the two middle values. n is at least 1 unless said. NaN in the input gives NaN; infinities
 * add up as IEEE 754 says (inf - inf is NaN). Selection is linear in n whatever the values and their order.
 */
#ifndef TSCOPE_ANALYSIS_STATS_STATS_H
#define TSCOPE_ANALYSIS_STATS_STATS_H

#include <stddef.h>

double ts_sum(const double *x, size_t n); /* 0 for n = 0 */
double ts_mean(const double *x, size_t n);
/* Population standard deviation, two passes around the mean. */
double ts_stddev(const double *x, size_t n, double mean);
/* The q-th percentiles (each 0 to 100), by selection; scratch holds the n values on entry and is used up. */
void ts_percentiles(double *scratch, size_t n, const double *q, size_t n_q, double *out);
/* The 50th. scratch has room for n values and is used up; x stays as it is, unless it is the scratch. */
double ts_median(const double *x, size_t n, double *scratch);
/* |a - b| / max(|a|, |b|), 0 to 2. 0 where they are equal or both NaN, 1 where they are not and one of them is no finite number. */
double ts_relative_gap(double a, double b);
/* Ascending, for qsort; no NaN. */
int ts_by_double(const void *a, const void *b);
/* The k-th smallest, k < n, by quickselect; no NaN. x is reordered: nothing before k is larger, nothing behind it smaller. For
 * the few values of one step over ranks, where a histogram would cost more; hostile orders of many values make it quadratic. */
double ts_nth(double *x, size_t n, size_t k);
/* The median by it; x is reordered. */
double ts_median_few(double *x, size_t n);

#endif
