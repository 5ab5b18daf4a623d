/* contrast.h - whether the means of two series of few numbers differ by more than their noise explains.
 *
 *	difference	mean of b less mean of a
 *	its error	each side's variance over n, times f n' / (n - f), where f = (1 + rho) / (1 - rho) is the autocorrelation time,
 *			at most TS_CONTRAST_TIME_MOST n, and n' = n - 1: neighbours that are alike count as fewer numbers, and their
 *			deviation is corrected for that
 *	rho		the lag-1 correlation of both sides together, (n r + 1) / (n - 3) against its bias (Kendall 1954), weighted by
 *			n - 3, and drawn towards TS_CONTRAST_RHO with a weight of TS_CONTRAST_WEIGHT; with four numbers or fewer on
 *			both sides, which say nothing of it, TS_CONTRAST_RHO
 *	interval	95 %, by Welch's t (1947) with the degrees of freedom of Welch and Satterthwaite, of n / sqrt(f) numbers a
 *			side: n / f would find little in five steps, and as many false differences. Of n where rho is assumed, since
 *			the interval is wide enough with an error for it
 *	p		of the hypothesis that the means differ by no more than `least`: twice the chance of t beyond (|difference| -
 *			least) / error, at most 1
 *
 * A series is given sparsely: only the numbers that are not 0, with their places. `floor` of a side is a variance that it has at
 * least, which is the error of its clock. With one number on a side nothing can be decided. tests/quality has the rates. Pure.
 */
#ifndef TSCOPE_ANALYSIS_STATS_CONTRAST_H
#define TSCOPE_ANALYSIS_STATS_CONTRAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_CONTRAST_RHO 0.3
#define TS_CONTRAST_WEIGHT 10.0
#define TS_CONTRAST_RHO_MOST 0.95
#define TS_CONTRAST_TIME_MOST 0.6
enum { TS_CONTRAST_RHO_FROM = 5 }; /* numbers on a side from which its correlation is looked at */

struct ts_contrast_number {
	uint32_t at; /* increasing */
	double value;
};

struct ts_contrast_side {
	const struct ts_contrast_number *numbers; /* of the n, those that are not 0 */
	size_t n_numbers, n;
	double floor;
};

struct ts_contrast {
	double a, b, difference; /* means; 0 of a side that has no numbers */
	bool decided;		 /* both sides have two numbers; else the rest is not valid */
	double low, high;	 /* of the difference */
	double p;
};

struct ts_contrast ts_contrast(const struct ts_contrast_side *a, const struct ts_contrast_side *b, double least);

/* Holm (1979): which of n chances stand out together at the level alpha. order is by p, ascending; *ret_n is how many of the first. */
size_t ts_contrast_holm(const double *p, size_t n, double alpha);

#endif
