/* batch.h - the standard error of what a series comes to, from what its parts come to.
 *
 * Neighbouring steps are alike: they share clocks, data and other work on the machine, so a series of n values has fewer
 * than n independent ones, and the usual standard deviation / sqrt(n) is too small. Batches are long enough to be nearly
 * independent of each other: the series is cut into TS_BATCHES parts of equal length, the statistic is computed of each
 * part, and the spread between the parts is the error. Source: Schmeiser, Batch size effects in the analysis of simulation
 * output, Operations Research 30 (1982), which recommends 10 to 30 batches. Where the correlation reaches over a whole batch,
 * the error is still too small; `quality outcomes` measures by how much.
 */
#ifndef TSCOPE_ANALYSIS_STATS_BATCH_H
#define TSCOPE_ANALYSIS_STATS_BATCH_H

enum {
	TS_BATCHES = 10,
	TS_BATCH_DF = TS_BATCHES - 2, /* of both errors; the first has one more, which nobody uses */
};

/* The standard error of the mean of the batches; NaN if any is not finite. */
double ts_batch_error(const double batches[TS_BATCHES]);
/* The standard error of their median, as far as disturbances of a few batches leave it alone: 0.285 times the distance from the third
 * smallest to the third largest. For ten normal values this distance is 1.31 deviations on average, and the median has an error of
 * 0.372 (Harter, Expected values of normal order statistics, 1961). */
double ts_batch_error_of_median(const double batches[TS_BATCHES]);
/* The same as the first about a straight line through them, for a series that goes on falling. */
double ts_batch_error_of_trend(const double batches[TS_BATCHES]);

#endif
