/* event.h - something that happened at a step or over a few steps: a spike, a level shift, the onset of a straggler.
 *
 * An analysis counts all events that it finds in a measure. It lists at most TS_EVENTS_MAX of a kind and subject, those of
 * the greatest score, ordered by step. Spans are not copied.
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_EVENT_H
#define TSCOPE_ANALYSIS_ANSWER_EVENT_H

#include "base/arena.h"

enum ts_event_kind {
	TS_EVENT_SPIKE = 1,	  /* a value far above its neighbourhood, which is back within a few steps */
	TS_EVENT_DIP = 2,	  /* a value far below its neighbourhood */
	TS_EVENT_SHIFT = 3,	  /* the level changed and stayed */
	TS_EVENT_NONFINITE = 4,	  /* the values are NaN or infinite from first_step to last_step */
	TS_EVENT_BLOW_UP = 5,	  /* finite values beyond all earlier ones, which did not come back */
	TS_EVENT_COINCIDENCE = 6, /* several series at once; the subject names them: "grad_norm, loss" */
	TS_EVENT_ONSET = 7,	  /* a rank became slow; subject is "rank 3" */
};

enum { TS_EVENTS_MAX = 256 };

struct ts_event {
	enum ts_event_kind kind;
	struct ts_span group;	       /* as in measures: "timing", "convergence", "ranks", "cross" */
	struct ts_span subject;	       /* "step", "loss", "rank 3" */
	int64_t first_step, last_step; /* equal for one step */
	double value;		/* at the most extreme step of the event, in the unit of the series */
	double expected;	/* the value that its neighbourhood leads to expect; NaN if that has no meaning */
	double score;		/* distance in robust standard deviations; for COINCIDENCE -log10 of the p-value */
};

struct ts_events {
	struct ts_event *items;
	size_t n;
	size_t cap;
};

/* Each is of a kind that there is, has a group and a subject, and does not end before it begins. */
bool ts_events_hold(const struct ts_events *events);
/* Appends a copy of the event. False when the arena is full. */
bool ts_event_add(struct ts_events *events, struct ts_arena *arena, const struct ts_event *event);
/* Of the events from index `from` on, keeps the TS_EVENTS_MAX of greatest score and sorts them by step. */
void ts_events_trim(struct ts_events *events, size_t from);
const char *ts_event_word(enum ts_event_kind kind); /* "spike", "level_shift", ...; "" if kind is not valid */

#endif
