/* planted.h - engines that break one promise on purpose, to see whether the suite finds it. */
#ifndef TSCOPE_TESTS_ENGINES_PLANTED_H
#define TSCOPE_TESTS_ENGINES_PLANTED_H

#include "tests/engines/subject.h"

struct planted {
	int promise;
	const char *what; /* "P4: expectations are not asked for" */
	void (*opened)(struct subject *s); /* breaks the engine that was opened */
	bool in_schedules; /* the schedules must find it, too */
};
enum { PLANTED = 10 };
extern const struct planted planted_faults[PLANTED];

#endif
