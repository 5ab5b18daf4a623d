/* trace_pairs.c - makes spans of duration events: on each thread an end belongs to what began last and has not ended. */
#include "base/grow.h"
#include "base/order.h"
#include "ingest/trace/trace_fill.h"

enum ts_status ts_trace_mark_add(struct ts_trace_fill *fill, const struct ts_trace_mark *mark, struct ts_error *err)
{
	if (fill->n_marks == TS_TRACE_MARKS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d begins and ends of duration events", TS_TRACE_MARKS_MAX);
	if (!TS_GROW(fill->marks, fill->cap_marks, fill->n_marks + 1, 1024))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for duration events");
	fill->marks[fill->n_marks] = *mark;
	fill->marks[fill->n_marks].order = (uint32_t)fill->n_marks;
	fill->n_marks++;
	return TS_OK;
}

TS_ORDER(by_thread_and_time, struct ts_trace_mark, TS_UP(thread); TS_UP(time_ns); TS_UP(order))

static void unpaired(struct ts_trace_fill *fill, const char *what)
{
	ts_notice_add(fill->notices, "trace_unpaired", TS_NOTICE_SKIPPED, fill->file, 0, what);
}

void ts_trace_pair(struct ts_trace_fill *fill)
{
	struct ts_trace_spans *begun = &fill->begun.rows.spans;
	struct ts_trace_mark *marks = fill->marks;
	size_t open = 0; /* marks[0 .. open) are a stack: what it holds was read already */

	for (size_t i = 0; i < begun->n; i++)
		begun->duration_ns[i] = TS_TRACE_UNENDED;
	TS_SORT(marks, fill->n_marks, by_thread_and_time);
	for (size_t i = 0; i < fill->n_marks; i++) {
		struct ts_trace_mark m = marks[i];
		int64_t duration;

		while (open && marks[open - 1].thread != m.thread) {
			unpaired(fill, "a duration event begins and does not end");
			open--;
		}
		if (m.row != UINT32_MAX) {
			marks[open++] = m;
			continue;
		}
		if (!open) {
			unpaired(fill, "a duration event ends and did not begin");
			continue;
		}
		open--;
		if (__builtin_sub_overflow(m.time_ns, marks[open].time_ns, &duration))
			unpaired(fill, "a duration event is longer than all time");
		else
			begun->duration_ns[marks[open].row] = duration;
	}
	for (; open; open--)
		unpaired(fill, "a duration event begins and does not end");
}
