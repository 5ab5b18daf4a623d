/* scatter.h - whether repeats of two recipes lie apart, and which of them another run is nearer to, where no run repeats to the bit.
 *
 * Each run is a row of numbers, as the logarithm of its loss at each step. The axis goes from the mean of the first group (0) to that
 * of the second (1), each step weighed by its scatter within the groups. A member is placed on the axis of all the others: rows that
 * differ by chance lie about the middle then, because an axis between two means that chance alone parts has nothing to do with a row
 * that did not make it. So `t`, the mean place of the second group less that of the first beside its standard error, is about 0 or
 * below where both are drawn from the same runs, and has nothing of the gain that an axis has from those it was made of.
 */
#ifndef TSCOPE_EXPERIMENT_SCATTER_H
#define TSCOPE_EXPERIMENT_SCATTER_H

#include <stdbool.h>
#include <stddef.h>

enum { TS_SCATTER_RUNS_MOST = 16, TS_SCATTER_STEPS_MOST = 256 };
#define TS_SCATTER_FAR 8.0

struct ts_scatter_group {
	const double *rows[TS_SCATTER_RUNS_MOST]; /* each of as many numbers, all finite */
	size_t n;				  /* at least 3 */
};

struct ts_scatter {
	size_t steps; /* 1 to TS_SCATTER_STEPS_MOST */
	double mean[2][TS_SCATTER_STEPS_MOST];
	double weight[TS_SCATTER_STEPS_MOST];
	double within; /* mean square distance of a row from the mean of its group */
	double sd;     /* of the place of one run */
	double t;      /* 0 where the groups have no axis */
};

void ts_scatter_of(const struct ts_scatter_group *a, const struct ts_scatter_group *b, size_t steps, struct ts_scatter *ret_scatter);

/* Where a row lies: 0 as the first group, 1 as the second. *ret_far: its distance from the nearer group is more than TS_SCATTER_FAR
 * times that of its members. */
double ts_scatter_place(const struct ts_scatter *s, const double *row, bool *ret_far);

#endif
