/* shape_trace_recorded.c - with what a trace was recorded, of one trace, of those of a job and of two that are compared. JSON only. */
#include "analysis/trace/device/trace_recorded.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shapes.h"

#define TYPE struct ts_trace_recorded
#define VERSION(which) PLAIN(BYTES, struct ts_span, versions[TS_RECORDED_##which]), OR_NULL
#define OPTION(which) PLAIN(BOOL, bool, on[TS_RECORDED_##which]), HAS(said[TS_RECORDED_##which])
static const struct ts_shape_field recorded_rows[] = {
	{NULL, "cuda_runtime_version", VERSION(CUDA_RUNTIME), ABOUT("such as 12.9; here and below null: the trace does not say it")},
	{NULL, "cuda_driver_version", VERSION(CUDA_DRIVER), ABOUT("the newest CUDA that the driver can do")},
	{NULL, "cupti_version", VERSION(CUPTI)},
	{NULL, "hip_runtime_version", VERSION(HIP_RUNTIME)},
	{NULL, "hip_driver_version", VERSION(HIP_DRIVER)},
	{NULL, "roctracer_version", VERSION(ROCTRACER)},
	{NULL, "schema_version", VERSION(SCHEMA), ABOUT("of the file")},
	{NULL, "with_stack", OPTION(STACKS), ABOUT("this and the next: options of the profiler; PyTorch names those that are on")},
	{NULL, "record_shapes", OPTION(SHAPES)},
	{NULL, "profile_memory", OPTION(MEMORY)},
	{NULL, "with_flops", OPTION(FLOPS)},
	{NULL, "with_modules", OPTION(MODULES)},
};
const struct ts_shape ts_shape_trace_recorded = {JSON_SHAPE("trace_recorded", recorded_rows)};
#undef TYPE
