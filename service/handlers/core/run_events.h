/* run_events.h - the events and regions of a stored rank, by time: what they are called, say, and between which steps they came.
 *
 * An event without a step lies behind the last step that had ended when it came, by the time stamps of the steps; it lies nowhere if
 * the steps have none, if these go back, or if there are more than four million.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_RUN_EVENTS_H
#define TSCOPE_SERVICE_HANDLERS_CORE_RUN_EVENTS_H

#include "service/handlers/core/read.h"

struct ts_run_events {
	struct ts_timed_events events;
	double *times; /* of each, Unix seconds; NaN: not known */
	bool cut;      /* the rank has more than were asked for */
};

/* Reads at most so many, the first or the newest; none if the rank has none. All lies in the arena, with whole columns of steps where
 * an event has no step. */
enum ts_status ts_run_events(struct ts_fetch *f, const struct ts_index *index, size_t most, bool newest, struct ts_arena *arena,
			     struct ts_run_events *ret_events, struct ts_error *err);

#endif
