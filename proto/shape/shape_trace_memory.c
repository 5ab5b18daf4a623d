/* shape_trace_memory.c - what operators allocated, by a trace's own instants of the allocator. JSON only. */
#include "analysis/trace/work/allocation_sums.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shapes.h"

enum { MANY_ROWS = 1 << 25, TEXT_MAX_BYTES = 4096 };

#define TYPE struct ts_allocation_sum
static const struct ts_shape_field sum_rows[] = {
	{NULL, "operator", BYTES(name, TEXT_MAX_BYTES), OR_NULL, HEAD("operator"), SHOW(NAME), NARROW(20), ABSENT("none"),
	 ABOUT("null: all, or in a list what no operator encloses")},
	{NULL, "allocation_count", U64(count), HEAD("times")},
	{NULL, "allocated_bytes", U64(allocated), HEAD("allocated")},
	{NULL, "freed_bytes", U64(freed), HEAD("freed"), ABOUT("by it, whoever allocated them")},
};
const struct ts_shape ts_shape_trace_allocations = {JSON_SHAPE("trace_allocations", sum_rows)};
#undef TYPE

#define TYPE struct ts_allocation_place
static bool of_device(const void *in)
{
	return !((const TYPE *)in)->host && ((const TYPE *)in)->device != TS_TRACE_NO_DEVICE;
}

static const struct ts_shape_field place_rows[] = {
	{NULL, "host", BOOL(host), ABOUT("memory of the host, and of no device")},
	{NULL, "device", I32(device), WHEN(of_device), ABOUT("null: of the host, or not said")},
	{NULL, "all", ONE(all, ts_shape_trace_allocations)},
	{NULL, "peak_bytes", I64(peak), HAS(has_peak),
	 ABOUT("the most that an instant says was allocated, with what was there before")},
	{NULL, "peak_ns", I64(peak_ns), HAS(has_peak), ABOUT("since base_ns")},
	{NULL, "peak_operator", BYTES(peak_in, TEXT_MAX_BYTES), OR_NULL, ABOUT("that was open then; null: none")},
	{NULL, "operators", MANY(items, n, ts_shape_trace_allocations, MANY_ROWS), ABOUT("those that allocated most first")},
};
const struct ts_shape ts_shape_allocation_place = {JSON_SHAPE("trace_memory", place_rows)};
#undef TYPE
