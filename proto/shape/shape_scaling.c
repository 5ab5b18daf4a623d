/* shape_scaling.c - the tables of what would fit, a part of the answer about a memory snapshot (shape_memory.c). */
#include "analysis/snapshot/scaling.h"
#include "proto/shape/shape_rows.h"

#define TYPE struct ts_scaling_line
static const struct ts_shape_field line_rows[] = {
	{NULL, "fixed_bytes", F64(fixed), HAS(known)},
	{NULL, "per_unit_bytes", F64(per_unit), HAS(known)},
	{NULL, "per_square_bytes", F64(per_square), HAS(known)},
	{NULL, "off_bytes", F64(off), HAS(own_error), ABOUT("the largest distance of a snapshot; null: nothing is left to tell it by")},
};
static const struct ts_shape line_shape = {JSON_SHAPE("memory_line", line_rows)};
#undef TYPE

#define TYPE struct ts_scaling_point
static const struct ts_shape_field point_rows[] = {
	{NULL, "size", F64(size)},
	{NULL, "peak_bytes", U64(peak)},
	{NULL, "reserved_peak_bytes", U64(reserved)},
	{NULL, "needs_bytes", FIXED(U64, needs),
	 ABOUT("the most that was requested in each part: forward and backward, optimizer, other")},
	{NULL, "kinds_bytes", FIXED(U64, kinds), ABOUT("at the moment that decides, in the order of `kinds` of a device")},
};
static const struct ts_shape point_shape = {JSON_SHAPE("memory_size", point_rows)};
#undef TYPE

#define TYPE struct ts_scaling
static bool sized(const void *in)
{
	const struct ts_scaling *s = in;

	return s->has_capacity && s->grows;
}
static bool likely_known(const void *in)
{
	const struct ts_scaling *s = in;

	return sized(in) && !(s->lengths && s->n == 2);
}
static const struct ts_shape_field scaling_rows[] = {
	{NULL, "by_length", BOOL(lengths), ABOUT("else by batch")},
	{NULL, "snapshots", MANY(points, n, point_shape, TS_SCALING_MOST)},
	{NULL, "parts", FIXED(ONE, lines), OF(line_shape), ABOUT("forward and backward, optimizer, other")},
	{NULL, "kinds", FIXED(ONE, kinds), OF(line_shape),
	 ABOUT("at the moment that decides, in the order of `kinds` of a device")},
	{NULL, "state_off_ratio", F64(state_off), ABOUT("by which parameters and optimizer state differ between the snapshots")},
	{NULL, "capacity_bytes", F64(capacity), HAS(has_capacity)},
	{NULL, "least_size", F64(least), WHEN(sized)},
	{NULL, "likely_size", F64(likely), WHEN(likely_known),
	 ABOUT("null of two lengths, which do not tell how much grows with the square")},
	{NULL, "most_size", F64(most), WHEN(sized)},
	{NULL, "deciding", ONE(deciding, line_shape), HAS(moves),
	 ABOUT("of the moment of forward or backward that needs most at the likely size, where that is more than `parts` say")},
};
const struct ts_shape ts_shape_scaling = {JSON_SHAPE("memory_fit", scaling_rows)};
#undef TYPE
