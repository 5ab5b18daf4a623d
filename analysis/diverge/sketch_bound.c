#include "analysis/diverge/sketch_bound.h"

#include <math.h>

double ts_sketch_bound(double roundoff, uint64_t place, uint64_t elements)
{
	double length = 1 + (elements > 1 ? log2((double)elements) / 16 : 0);

	return roundoff * (TS_SKETCH_BOUND_BASE + TS_SKETCH_BOUND_STEP * sqrt((double)place)) * length;
}
