/* student.h - Student's t: its distribution function, and the quantiles that bounds and intervals are made of.
 *
 *	P(T <= -t) = I(df / (df + t^2); df/2, 1/2) / 2 for t >= 0 (Abramowitz and Stegun 26.7.1 and 26.5.27), where I is the
 *	regularized incomplete beta function, from its continued fraction (NIST DLMF 8.17.22) by Lentz's algorithm in the form of
 *	Thompson and Barnett (1986).
 *
 * Each tail is computed directly: P(T > t) is ts_student_cdf(-t, df), to full relative accuracy. Measured against mpmath (40
 * digits), for df from 0.1 and probabilities down to 1e-200, the relative error of either function is below 1e-13 up to df
 * 100, 1e-11 up to 10,000 and 1e-10 up to 1,000,000. From df 1e9 on the normal distribution is used, whose relative error is
 * t^4 / (4 df). df may be infinite. The functions are pure and thread-safe.
 */
#ifndef TSCOPE_ANALYSIS_STATS_STUDENT_H
#define TSCOPE_ANALYSIS_STATS_STUDENT_H

/* P(T <= t), from 0 to 1; df need not be a whole number. NaN if an argument is NaN or df <= 0. */
double ts_student_cdf(double t, double df);
/* The t with P(T <= t) = p: -infinity for p = 0, infinity for p = 1 and where t exceeds a double. NaN if p is outside 0 to 1,
 * an argument is NaN, or df <= 0. */
double ts_student_quantile(double p, double df);

#endif
