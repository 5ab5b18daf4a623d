/* trend_series.h - seeded series of runs with a known truth, for quality_trend.c and for the comparison with Apache Otava. */
#ifndef TSCOPE_TESTS_QUALITY_TREND_SERIES_H
#define TSCOPE_TESTS_QUALITY_TREND_SERIES_H

#include "analysis/gate/trend.h"
#include "analysis/stats/random.h"

enum { TREND_SERIES_MOST = 10000, TREND_STEPS_MOST = 16 };

/* The noise between runs, on the logarithms of their step times. A member of 0 has no part in it. */
struct trend_noise {
	const char *what;
	double sd, rho;	 /* AR(1) of coefficient rho, or white */
	double walk;	 /* the standard deviation of the steps of a random walk */
	double odd;	 /* the share of runs that are 5 to 50 % slower, each independently */
	double bursts;	 /* the chance that a burst begins at a run: three runs are 5 to 35 % slower */
	double modes;	 /* a quarter of the runs lies higher by so much */
	double switches; /* the level is another one, of this deviation, each 20 to 200 runs */
	int odd_runs;	 /* so many neighbours somewhere are 30 % slower */
	bool heavy;	 /* Student's t of 3 degrees of freedom */
	double grow;	 /* the deviation at the end is so many times that of the beginning */
	double quantum;	 /* values are rounded to multiples of this share of the level */
	double missing;	 /* the share of runs without a value */
	double weekdays; /* the levels of weekdays span so much; they are known from the start times */
	size_t a_day;	 /* runs a day; 0: 5 */
	double hosts;	 /* the deviation between hosts */
	size_t n_hosts, stay; /* runs of one host come in blocks of `stay` on average; stay 1: each run has any host */
	bool untold;	 /* neither hosts nor start times are recorded */
};

/* What really happened. Sizes are relative. */
struct trend_truth {
	double steps[TREND_STEPS_MOST]; /* 0: no more */
	size_t at[TREND_STEPS_MOST];
	double drift;	 /* over all runs */
	bool other_host; /* with the first step, all runs move to hosts that were not there before */
};

/* Fills n runs, n <= TREND_SERIES_MOST; spans are constant texts. held is the level of each run that noise->switches gave it, on the
 * logarithm; it may be NULL. */
void trend_series(const struct trend_noise *noise, const struct trend_truth *truth, size_t n, struct ts_random *r,
		  struct ts_trend_run *runs, double *held);

#endif
