/* quality_sketch.c - how far the distance of two sketches lies from that of their tensors.
 *
 * A trial draws a tensor x and a difference d of one shape: what rounding, a wrong scale, a missing column, a stale row, one weight
 * or one hot channel leave. The sketch of x + d against that of x estimates |d| / |x|; a trial counts where it is off by more than
 * 15 %. The pattern of a sketch is fixed, so a trial also draws where the tensor begins in the whole, as a shard does.
 *
 * Goal: off by more than 15 % in at most 4.55 % of the trials, which is what two standard deviations leave out.
 */
#include "quality_parts.h"

#include "record/sketch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t sizes[] = {300, 768, 4096, 65536, 1048576};

enum shape { ROUNDING, GAUSSIAN, SCALE, HEAVY, SPARSE, COLUMN, ROW, CHANNEL, OUTER, CONSTANT, ALTERNATING, ASCENDING, SHAPES };

static const char *const shape_names[SHAPES] = {"rounding",    "Gaussian", "wrong scale",     "heavy tails",   "1 % of the elements",
						"one column",  "one row",  "one hot channel", "outer product", "constant",
						"alternating", "ascending"};

/* Tensors are matrices of this many columns, which divides 256: the hardest case, because a column then has one r. */
static size_t columns_of(size_t n)
{
	return n >= 65536 ? 1024 : n >= 4096 ? 64 : 12;
}

/* One element of d; u and v are what the whole tensor shares. */
static double element(enum shape shape, size_t i, size_t n, double x, const double *u, size_t chosen, struct ts_random *r)
{
	size_t columns = columns_of(n), column = i % columns, row = i / columns;

	switch (shape) {
	case ROUNDING:
		return (double)(float)x - x;
	case SCALE:
		return 0.01 * x;
	case HEAVY:
		return ts_random_normal(r) / (1e-3 + ts_random_unit(r));
	case SPARSE:
		return ts_random_below(r, 100) ? 0 : ts_random_normal(r);
	case COLUMN:
		return column == chosen % columns ? ts_random_normal(r) : 0;
	case ROW:
		return row == chosen % (n / columns) ? ts_random_normal(r) : 0;
	case CHANNEL:
		return ts_random_normal(r) * (column == chosen % columns ? 100 : 1);
	case OUTER:
		return u[row % 512] * u[512 + column % 512];
	case CONSTANT:
		return 1e-3;
	case ALTERNATING:
		return i & 1 ? 1e-3 : -1e-3;
	case ASCENDING:
		return 1e-6 * (double)i;
	case GAUSSIAN:
	default:
		return ts_random_normal(r);
	}
}

static double error_of(enum shape shape, size_t n, double *x, double *y, struct ts_random *r)
{
	struct tscope_sketch a = TSCOPE_SKETCH_NONE, b = TSCOPE_SKETCH_NONE;
	uint64_t first = (uint64_t)ts_random_below(r, 1 << 20) * 256;
	size_t chosen = ts_random_below(r, (uint32_t)n);
	double u[1024], squares = 0, of_x = 0;

	for (size_t i = 0; i < 1024; i++)
		u[i] = ts_random_normal(r);
	for (size_t i = 0; i < n; i++) {
		double d;

		x[i] = ts_random_normal(r);
		y[i] = x[i] + element(shape, i, n, x[i], u, chosen, r);
		d = y[i] - x[i];
		squares += d * d;
		of_x += x[i] * x[i];
	}
	tscope_sketch_f64(&a, x, n, first);
	tscope_sketch_f64(&b, y, n, first);
	if (squares == 0)
		return tscope_sketch_distance(&a, &b);
	return tscope_sketch_distance(&a, &b) / sqrt(squares / of_x) - 1;
}

static void one(struct quality *q, enum shape shape, size_t n, double *x, double *y)
{
	char name[96];
	struct quality_case c;
	double sum = 0, worst = 0;

	snprintf(name, sizeof name, "sketch: distance off by more than 15 %%, %s, %zu elements", shape_names[shape], n);
	c = quality_at_most(name, 0.0455);
	if (!quality_wants(q, &c))
		return;
	for (uint64_t i = 0; i < quality_trials(q, n > 65536 ? 60 : n > 4096 ? 400 : 2000); i++) {
		struct ts_random r;
		double error;

		quality_random(&c, i, &r);
		error = error_of(shape, n, x, y, &r);
		sum += error * error;
		worst = fmax(worst, fabs(error));
		quality_count(&c, fabs(error) > 0.15);
	}
	quality_report(q, &c);
	printf("  deviation %.1f %%, worst %.1f %%\n", 100 * sqrt(sum / (double)c.n), 100 * worst);
}

void quality_sketch(struct quality *q)
{
	double *x = malloc(2 * sizes[4] * sizeof *x);

	if (!x)
		abort();
	for (unsigned shape = 0; shape < SHAPES; shape++)
		for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
			one(q, shape, sizes[i], x, x + sizes[4]);
	free(x);
}
