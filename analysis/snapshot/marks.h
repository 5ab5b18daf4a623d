/* marks.h - the annotations of the profiler as stretches of a device's events: "Optimizer.step#AdamW.step", from event to event.
 *
 * A START and the next END of its name are a stretch; they nest. What never ends lasts to the last event, an END alone began before the
 * first. An event belongs to a stretch if its time lies in it; where times go back, an event counts as no earlier than those before it.
 * Annotations of no device are those of every device. Without times there are none. All memory is the arena's. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_MARKS_H
#define TSCOPE_ANALYSIS_SNAPSHOT_MARKS_H

#include "analysis/snapshot/replay.h"

struct ts_mark_stretch {
	uint32_t name;	     /* text */
	uint32_t first, end; /* events, from first up to, not including, end */
	uint32_t depth;	     /* 0: within no other */
	bool began, ended;   /* the snapshot has its START, its END */
};

struct ts_mark_stretches {
	struct ts_mark_stretch *items; /* by first event; what encloses another comes before it */
	size_t n;
};

/* Of one name: what all its stretches come to. */
struct ts_mark_sum {
	uint32_t name;
	uint64_t n;
	uint64_t n_events;
	bool known;	     /* the events reach to one of them: before the first and behind the last event nothing is known */
	uint64_t peak;	     /* the most that was requested in any of these */
	uint32_t peak_event; /* valid if n_events > 0 */
	int64_t kept;	     /* requested after less before, all these together */
};

struct ts_mark_sums {
	struct ts_mark_sum *items; /* most kept first, those that are not known last */
	size_t n;
};

enum ts_status ts_mark_stretches_of(const struct ts_replay *r, struct ts_arena *arena, struct ts_mark_stretches *ret_stretches,
				    struct ts_error *err);
enum ts_status ts_mark_stretches_sum(const struct ts_replay *r, const struct ts_mark_stretches *stretches, struct ts_arena *arena,
				     struct ts_mark_sums *ret_sums, struct ts_error *err);
/* The innermost stretch that holds the event; NULL: none. */
const struct ts_mark_stretch *ts_mark_stretch_at(const struct ts_mark_stretches *stretches, uint32_t event);

#endif
