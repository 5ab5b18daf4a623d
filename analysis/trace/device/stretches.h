/* stretches.h - the union of intervals, to be asked how much of it lies before a time. Threads: one at a time. */
#ifndef TSCOPE_ANALYSIS_TRACE_DEVICE_STRETCHES_H
#define TSCOPE_ANALYSIS_TRACE_DEVICE_STRETCHES_H

#include "analysis/trace/device/device_events.h"

/* Intervals that do not touch, in order, and how much there is before each. */
struct ts_stretches {
	struct ts_trace_stretch {
		int64_t begin, end;
		uint64_t before;
	} * items;
	size_t n;
};

/* w is sorted by begin, and s->items has room for n. */
void ts_stretches_find(struct ts_stretches *s, const struct ts_device_event *w, size_t n);
/* How much of them lies before t. */
uint64_t ts_stretches_before(const struct ts_stretches *s, int64_t t);

#endif
