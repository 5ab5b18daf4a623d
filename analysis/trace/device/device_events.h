/* device_events.h - the work of devices in a trace, sorted and joined with the calls that launched it: what the analyses begin with.
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DEVICE_DEVICE_EVENTS_H
#define TSCOPE_ANALYSIS_TRACE_DEVICE_DEVICE_EVENTS_H

#include "base/arena.h"
#include "run/trace.h"

/* What an event counts as (timeline.h). */
enum ts_part { TS_PART_COMPUTATION = 1, TS_PART_COMMUNICATION = 2, TS_PART_MEMORY = 4 };

struct ts_device_event {
	int64_t begin, end;
	uint64_t group; /* what a sort is by; of a launch its correlation */
	uint32_t row;	/* of spans */
	uint8_t class;	/* of enum ts_part */
	uint8_t collective;
};

/* Kernels, copies and fills, in the order of the trace, in the arena. */
enum ts_status ts_device_events(const struct ts_trace *trace, struct ts_arena *arena, struct ts_device_event **ret, size_t *ret_n,
				struct ts_error *err);
/* Stable sorts, fast for events that are nearly in order; spare has room for n, too. */
void ts_device_events_by_begin(struct ts_device_event *w, size_t n, struct ts_device_event *spare);
void ts_device_events_by_group(struct ts_device_event *w, size_t n, struct ts_device_event *spare);
/* By group, by begin, the longer first, by class. */
void ts_device_events_by_nesting(struct ts_device_event *w, size_t n, struct ts_device_event *spare);

/* The calls that launched something, by correlation. begin and end are those of the call. */
struct ts_launches {
	struct ts_device_event *items;
	size_t n, last;
};

enum ts_status ts_launches_find(const struct ts_trace *trace, struct ts_arena *arena, struct ts_launches *ret, struct ts_error *err);
/* The first call with this correlation, or NULL. Who asks in the order of correlations finds the next at once. */
const struct ts_device_event *ts_launch_of(struct ts_launches *l, uint64_t correlation);

#endif
