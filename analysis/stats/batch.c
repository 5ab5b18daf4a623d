#include "analysis/stats/batch.h"

#include "analysis/stats/stats.h"

#include <math.h>
#include <string.h>

/* The error of a mean whose squared deviations are `rest`, of which df are free. */
static double error_of(double rest, double df)
{
	double error = sqrt(rest / df / TS_BATCHES);

	return isfinite(error) ? error : (double)NAN;
}

double ts_batch_error(const double batches[TS_BATCHES])
{
	double mean = ts_mean(batches, TS_BATCHES), rest = 0;

	for (int i = 0; i < TS_BATCHES; i++)
		rest += (batches[i] - mean) * (batches[i] - mean);
	return error_of(rest, TS_BATCHES - 1);
}

double ts_batch_error_of_median(const double batches[TS_BATCHES])
{
	static const double which[] = {100.0 * 2 / (TS_BATCHES - 1), 100.0 * (TS_BATCHES - 3) / (TS_BATCHES - 1)};
	double copy[TS_BATCHES], at[2], error;

	memcpy(copy, batches, sizeof copy);
	for (int i = 0; i < TS_BATCHES; i++)
		if (!isfinite(batches[i]))
			return (double)NAN;
	ts_percentiles(copy, TS_BATCHES, which, 2, at);
	error = 0.285 * (at[1] - at[0]);
	return isfinite(error) ? error : (double)NAN;
}

double ts_batch_error_of_trend(const double batches[TS_BATCHES])
{
	double mean = ts_mean(batches, TS_BATCHES), slope = 0, all = 0, rest = 0;

	for (int i = 0; i < TS_BATCHES; i++) {
		double x = i - (TS_BATCHES - 1) / 2.0;

		slope += x * (batches[i] - mean);
		all += x * x;
	}
	slope /= all;
	for (int i = 0; i < TS_BATCHES; i++) {
		double d = batches[i] - mean - slope * (i - (TS_BATCHES - 1) / 2.0);

		rest += d * d;
	}
	return error_of(rest, TS_BATCHES - 2);
}
