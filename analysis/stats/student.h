/* student.h - Student's t: its distribution function, and the quantiles that bounds and intervals are made of.
 *
 *	P(T <= -t) = I(df / (df + t^2); df/2, 1/2) / 2 for t >= 0 (Abramowitz and Stegun 26.7.1 and 26.5.27), I being the
 *	regularized incomplete beta function, from its continued fraction (NIST DLMF 8.17.22) by Lentz's algorithm as Thompson and
 *	Barnett wrote it (1986).
 *
 * Both tails are computed as such: P(T > t) is ts_student_cdf(-t, df), to full relative accuracy. Measured against mpmath (40
 * digits), for df from 0.1 and probabilities down to 1e-200, the relative error of either function is below 1e-13 up to df 100,
 * 1e-11 up to 10,000 and 1e-10 up to 1,000,000; from df 1e9 on it is the normal distribution, which is off by a relative
 * t^4 / (4 df). df may be infinite. Pure; no state; safe in threads.
 */
#ifndef TSCOPE_ANALYSIS_STATS_STUDENT_H
#define TSCOPE_ANALYSIS_STATS_STUDENT_H

/* P(T <= t), 0 to 1; df > 0 need not be whole. NaN for a NaN or df <= 0. */
double ts_student_cdf(double t, double df);
/* The t with P(T <= t) = p: -infinity for 0, infinity for 1 and where t exceeds a double; NaN for p outside 0 to 1, NaN or df <= 0. */
double ts_student_quantile(double p, double df);

#endif
