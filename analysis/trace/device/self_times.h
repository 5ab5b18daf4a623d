/* self_times.h - the time of each span of the host that no span covers which stands within it (nest.h). */
#ifndef TSCOPE_ANALYSIS_TRACE_DEVICE_SELF_TIMES_H
#define TSCOPE_ANALYSIS_TRACE_DEVICE_SELF_TIMES_H

#include "analysis/trace/device/nest.h"

/* Of each span, in the arena; of work of devices 0. */
enum ts_status ts_self_times(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena, uint64_t **ret,
			     struct ts_error *err);

#endif
