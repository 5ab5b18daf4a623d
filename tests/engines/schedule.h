/* schedule.h - random operations on an engine and on the model of a store, which must give the same answers. */
#ifndef TSCOPE_TESTS_ENGINES_SCHEDULE_H
#define TSCOPE_TESTS_ENGINES_SCHEDULE_H

#include "tests/engines/subject.h"

enum { SCHEDULE_OPS = 60, SCHEDULE_TEXT = 4096 };

struct schedule_result {
	bool same;
	unsigned calls, crashes, cuts; /* calls that were compared; kills by SIGKILL; connections or a database that were cut off */
	char text[SCHEDULE_TEXT]; /* if not the same: where, and both texts */
};

/* Runs one schedule, in processes of its own. An engine that outlives them is killed some times. opened breaks the engine on
 * purpose, or is NULL. */
void schedule_run(const struct subject_kind *kind, uint64_t seed, void (*opened)(struct subject *s), struct schedule_result *ret);

#endif
