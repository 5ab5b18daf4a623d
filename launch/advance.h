/* advance.h - how far the steps of one rank have come, by its recording while it grows (docs/recording.md).
 *
 *	ts_advance_open(&a, path)		a recording that is there
 *	ts_advance_look(&a, now_ns)		now and then: what is new of it
 *
 * Only what came since the last look is read. Every byte is foreign: frames whose checksum is wrong are waited for, and passed over
 * once the recorder has gone on to a later chunk. Threads: one at a time.
 */
#ifndef TSCOPE_LAUNCH_ADVANCE_H
#define TSCOPE_LAUNCH_ADVANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TS_ADVANCE_RECENT = 64 };

struct ts_advance {
	int fd;
	int32_t rank;
	uint32_t process;
	uint64_t chunk, at; /* the chunk that is read, and where in it */
	uint32_t ordinal;   /* of its lane */
	bool ended;	    /* the recorder closed it */
	uint64_t steps;
	int64_t last_step; /* where steps > 0 */
	int64_t begun_ns;  /* of the last step, by the recorder's clock */
	int64_t seen_ns;   /* when the last step was new, by the clock of looking */
	double recent[TS_ADVANCE_RECENT]; /* seconds from the beginning of a step to that of the next, newest at (n - 1) % RECENT */
	uint64_t n_recent;
	double longest; /* of all of them */
};

/* Whether a file of this name is a recording, of whatever attempt. */
bool ts_advance_named(const char *name);
/* False: it is not there, or no recording of this version. */
bool ts_advance_open(struct ts_advance *advance, const char *path);
void ts_advance_look(struct ts_advance *advance, int64_t now_ns);
void ts_advance_close(struct ts_advance *advance);
/* The median of the recent steps in seconds; below 0: too few steps say it. */
double ts_advance_usual(const struct ts_advance *advance);

#endif
