/* attempt.h - the recordings of one rank of a training that several jobs made, beside each other in its directory: recording.tscope is
 * that of the first attempt, recording.2.tscope that of the second, and so on; run.json and facts.json of an attempt are named alike.
 *
 * A file of an attempt is never written to by another one. Threads: any.
 */
#ifndef TSCOPE_RECORD_ATTEMPT_H
#define TSCOPE_RECORD_ATTEMPT_H

#include <stddef.h>
#include <stdint.h>

enum {
	TS_ATTEMPTS_MAX = 400,	/* a reader has a file of each open */
	TS_ATTEMPT_NAME = 32,	/* room for a name */
	TS_ATTEMPT_WAIT_MS = 5000, /* how long a held file is waited for: the keeper of a killed trainer holds it until all is copied */
};

/* Writes the name of a file of this attempt: "recording", "tscope" and 3 make recording.3.tscope; 1 makes recording.tscope. */
void ts_attempt_name(char to[TS_ATTEMPT_NAME], const char *stem, const char *ending, uint32_t attempt);
/* The attempt whose file of this stem and ending has the name; 0: it is none. TS_ATTEMPTS_MAX + 1 stands for all that are above. */
uint32_t ts_attempt_of(const char *name, const char *stem, const char *ending);
/* The last attempt that the directory holds a recording of; 0: it holds none. Returns 0, or an error number. */
int ts_attempt_last(int directory, uint32_t *ret_attempt);
/* Returns 0 once no process holds the recording of this attempt, EBUSY where one still does after TS_ATTEMPT_WAIT_MS or is known to
 * live, or another error number. */
int ts_attempt_await(int directory, uint32_t attempt);

#endif
