#include "analysis/stats/resolution.h"

#include <float.h>
#include <math.h>

/* These are half an ulp of a double and of a product with it, and half an ulp of a float32. */
#define DOUBLE_OFF 4e-16
#define FLOAT_OFF 0x1p-24

double ts_resolution_quantum(struct ts_resolution r, double x)
{
	switch (r.precision) {
	case TS_PRECISION_F32:
		return isfinite(x) ? ts_float32_spacing(x) : 0;
	case TS_PRECISION_DECIMALS:
		return pow(10, -(double)r.digits);
	case TS_PRECISION_F64:
		break;
	}
	return 0;
}

/* Distinct values that are not whole numbers, up to as many as are needed. */
struct different {
	double values[TS_RESOLUTION_LEAST];
	size_t n;
};

static void note(struct different *d, double x)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->values[i] == x)
			return;
	if (d->n < TS_RESOLUTION_LEAST && x != floor(x))
		d->values[d->n++] = x;
}

static bool is_float32(double x)
{
	return fabs(x) <= (double)FLT_MAX && (double)(float)x == x;
}

/* Decimals that were float32 miss the grid by up to half of the float32 spacing, which must be far less than the
 * grid's. */
static bool on_grid(double x, double per_unit, bool floats)
{
	double y = x * per_unit, off = fabs(y - nearbyint(y));

	if (!floats)
		return off <= fabs(y) * DOUBLE_OFF;
	return off <= fabs(y) * (FLOAT_OFF + DOUBLE_OFF) && fabs(y) * 2 * FLOAT_OFF <= 0.02;
}

static bool all_on_grid(const double *values, size_t n, double per_unit, bool floats)
{
	for (size_t i = 0; i < n; i++)
		if (isfinite(values[i]) && !on_grid(values[i], per_unit, floats))
			return false;
	return true;
}

/* Returns 0 if no number of decimals fits. */
static unsigned decimals_of(const double *values, size_t n, bool floats)
{
	double per_unit = 1;

	for (unsigned digits = 1; digits <= TS_RESOLUTION_DIGITS; digits++) {
		per_unit *= 10;
		if (all_on_grid(values, n, per_unit, false) || (floats && all_on_grid(values, n, per_unit, true)))
			return digits;
	}
	return 0;
}

/* Values of few decimals fit both kinds. */
static bool needs_more_digits(const double *values, size_t n)
{
	double per_unit = pow(10, TS_RESOLUTION_DIGITS);

	for (size_t i = 0; i < n; i++)
		if (isfinite(values[i]) && !on_grid(values[i], per_unit, false))
			return true;
	return false;
}

struct ts_writing ts_resolution_infer(struct ts_resolution declared, bool measured, const double *values, size_t n)
{
	struct ts_writing out = {.resolution = declared};
	struct different different = {.n = 0};
	bool floats = true;
	unsigned digits;

	n = n < TS_RESOLUTION_MOST ? n : TS_RESOLUTION_MOST;
	if (declared.precision == TS_PRECISION_DECIMALS)
		return out;
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(values[i]))
			continue;
		note(&different, values[i]);
		floats = floats && is_float32(values[i]);
		out.values++;
	}
	digits = measured && different.n == TS_RESOLUTION_LEAST ? decimals_of(values, n, floats) : 0;
	floats = floats && declared.precision == TS_PRECISION_F64 && needs_more_digits(values, n);
	out.inferred = digits || floats;
	if (digits)
		out.resolution = (struct ts_resolution){TS_PRECISION_DECIMALS, (uint8_t)digits};
	else if (floats)
		out.resolution = (struct ts_resolution){TS_PRECISION_F32, 0};
	return out;
}
