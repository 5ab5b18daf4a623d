/* diff_events.h - which events and regions one stored run has and another has not: the tables of events for
 * analysis/diverge/event_diff.h.
 *
 * Ranks that both have are compared one after the other. Where an event without a step lies, service/handlers/core/run_events.h
 * says. Of a rank at most a million events are looked at.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_EVENTS_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_EVENTS_H

#include "service/handlers/core/read.h"

/* Rows and texts lie in the arena. */
enum ts_status ts_diff_events(struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b, struct ts_arena *arena,
			      struct ts_event_diff *ret_events, struct ts_error *err);

#endif
