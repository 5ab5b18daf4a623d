/* membership.h - what a run belongs to: a sweep, a group, a job, a parent; known by the facts that launchers and trackers leave.
 *
 * Several facts tell the same thing, and no run has all of them: the first of the paths that a run records counts. A fact that a user
 * wrote stands before one that was found out, and of two programs that search for settings, the one that starts processes before
 * the one that works in them.
 */
#ifndef TSCOPE_RUN_MEMBERSHIP_H
#define TSCOPE_RUN_MEMBERSHIP_H

#include "base/buf.h"

enum ts_membership {
	TS_IN_SWEEP,	/* runs of one search for settings */
	TS_IN_GROUP,	/* runs that somebody put together */
	TS_IN_JOB,	/* runs in one allocation of a scheduler */
	TS_IN_PARENT,	/* runs that went on from one run, or are nested in it */
	TS_MEMBERSHIPS, /* how many there are */
};

enum { TS_MEMBERSHIP_PATHS = 8 }; /* at most, of one of them */

/* The word of a list: "sweep". */
const char *ts_membership_word(enum ts_membership membership);
/* The i-th path by which it is known; empty behind the last. i is below TS_MEMBERSHIP_PATHS. */
struct ts_span ts_membership_path(enum ts_membership membership, size_t i);

#endif
