/* alarm.h - which findings of a run that goes on are said: what is found by chance at one of many looks is not.
 *
 *	from = ts_alarms_fresh(&alarms, steps)		which steps the next look leaves out at the beginning; 0: none
 *	ts_alarms_look(&alarms, found, n, from, steps)	what it found
 *	while ((alarm = ts_alarms_next(&alarms)) ...)	what is to be said now, each once
 *
 * Looks are at the whole run and at its last quarter in turn, since what begins late is little of the whole. A rule that is asked again
 * and again as a run grows is wrong far more often than its level says for one look. So a finding that rests on a chance is first only
 * seen, and said once steps that had no part in it show it, too: those behind the look that saw it, at least TS_ALARM_FRESH_LEAST and
 * an eighth as many as there were. Where these do not show it, it is forgotten, and the next sighting begins anew; so a training of any
 * length has few tries, as many as it grew by an eighth. What happens once, such as a level that rises, is not shown by later steps: it
 * is said when two later looks at the whole still say so, and not low. What no chance makes (a loss that is NaN, parameters that differ
 * between ranks) is said at once. `./dev bench quality watch_alarms` prints how often each is wrong on clean runs, and how soon planted
 * faults are said. Pure. */
#ifndef TSCOPE_CLI_WATCH_ALARM_H
#define TSCOPE_CLI_WATCH_ALARM_H

#include "base/span.h"

#include <stdint.h>

enum {
	TS_ALARMS = 64,
	TS_ALARM_FRESH_LEAST = 100, /* steps */
	TS_ALARM_FRESH_SHARE = 8,
	TS_ALARM_RECENT_LEAST = 200, /* steps of a look at the end */
	TS_ALARM_RECENT_SHARE = 4,
	TS_ALARM_CODE = 48,
};

/* A finding, as a look has it. */
struct ts_found {
	struct ts_span code;
	bool low; /* its severity */
};

enum ts_alarm_kind {
	TS_ALARM_CERTAIN, /* said at once */
	TS_ALARM_CHANGE,  /* happened once, and stays true of the whole */
	TS_ALARM_STATE,	  /* goes on, so that later steps show it */
};

enum ts_alarm_state { TS_ALARM_SEEN = 1, TS_ALARM_DUE, TS_ALARM_SAID };

struct ts_alarm {
	char code[TS_ALARM_CODE];
	enum ts_alarm_kind kind;
	enum ts_alarm_state state;
	uint64_t since; /* steps at the look that saw it */
	unsigned looks; /* CHANGE: at which it was found since */
};

struct ts_alarms {
	struct ts_alarm items[TS_ALARMS];
	size_t n;
	bool recent; /* the next look that confirms nothing is at the end of the run */
};

enum ts_alarm_kind ts_alarm_kind_of(struct ts_span code);
/* steps: how many there were at the last look. */
uint64_t ts_alarms_fresh(struct ts_alarms *a, uint64_t steps);
void ts_alarms_look(struct ts_alarms *a, const struct ts_found *found, size_t n, uint64_t from, uint64_t steps);
/* The next that is due, which counts as said from then on; NULL: none. */
const struct ts_alarm *ts_alarms_next(struct ts_alarms *a);
/* Whether it was said, or is due. */
bool ts_alarms_said(const struct ts_alarms *a, struct ts_span code);

#endif
