#include "analysis/gate/gate_level.h"

#include "analysis/stats/stats.h"
#include "analysis/stats/student.h"

#include <math.h>

enum { PART_LEAST = 3, LOOKED = 512 /* values: with more, a drift is seen without comparing it with two levels */ };

static double squares(const double *x, size_t n)
{
	double sd = ts_stddev(x, n, ts_mean(x, n));

	return sd * sd * (double)n;
}

/* Returns the smallest sum of squares around the means of those before a place and those from it on. */
static double two_levels(const double *x, const double *place, size_t n)
{
	double best = HUGE_VAL;

	for (size_t cut = 0; cut < n; cut++) {
		double sum[2] = {0, 0}, of[2] = {0, 0}, left = 0;

		for (size_t i = 0; i < n; i++) {
			sum[place[i] >= place[cut]] += x[i];
			of[place[i] >= place[cut]]++;
		}
		for (size_t i = 0; i < n; i++) {
			size_t side = place[i] >= place[cut];
			double far = x[i] - sum[side] / of[side];

			left += far * far;
		}
		best = left < best ? left : best;
	}
	return best;
}

struct ts_gate_line ts_gate_drift(const double *x, const double *place, size_t n)
{
	struct ts_gate_line line = {0, ts_mean(place, n), 0};
	double mean = ts_mean(x, n), sxy = 0, whole = 0, left, t, df = (double)n - 2;

	for (size_t i = 0; i < n; i++) {
		line.sxx += (place[i] - line.place) * (place[i] - line.place);
		sxy += (place[i] - line.place) * (x[i] - mean);
		whole += (x[i] - mean) * (x[i] - mean);
	}
	if (n < TS_GATE_LEVEL_LEAST || !(line.sxx > 0) || !isfinite(whole))
		return line;
	left = fmax(whole - sxy * sxy / line.sxx, 0);
	t = fabs(sxy) / sqrt(line.sxx * fmax(left, 1e-12 * whole) / df);
	if (!(t > ts_student_quantile(1 - TS_GATE_DRIFT_P / 2, df)) || (n <= LOOKED && !(left < two_levels(x, place, n))))
		return line;
	line.slope = sxy / line.sxx;
	return line;
}

size_t ts_gate_two_kinds(const double *x, size_t n)
{
	size_t least = (n + 4) / 5 < PART_LEAST ? PART_LEAST : (n + 4) / 5, at = 0;
	double share = fmin(0.1, 0.2 - 1.5 / (double)n), whole = squares(x, n), low = 0, all = ts_sum(x, n), most = 0;

	if (n < TS_GATE_LEVEL_LEAST || !isfinite(whole))
		return 0;
	/* The sum of squares between both parts is largest where that within them is smallest. */
	for (size_t k = 1; k + least <= n; k++) {
		double far, between, a = (double)k, b = (double)(n - k);

		low += x[k - 1];
		far = low / a - (all - low) / b;
		between = far * far * a * b / (double)n;
		if (k < least || between <= most)
			continue;
		most = between;
		at = k;
	}
	return whole > 0 && whole - most < share * whole ? at : 0;
}
