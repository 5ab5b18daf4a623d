/* tail.h - the end of what a process printed, in a file that is there while it prints: its last 64 KiB, or all of it.
 *
 * The file has at least the last TS_TAIL_KEPT bytes at each moment, and at most twice as many unless all is kept, whoever is killed.
 * A disk that is full ends the file and not the tail, which is in memory, too. Threads: one at a time for a tail.
 */
#ifndef TSCOPE_LAUNCH_TAIL_H
#define TSCOPE_LAUNCH_TAIL_H

#include "base/error.h"
#include "base/span.h"

enum { TS_TAIL_KEPT = 64 << 10 };

struct ts_tail {
	char *path; /* of the file */
	int fd;	    /* -1: there is none */
	bool all;   /* the file keeps all */
	int error;  /* the first of the file; 0: none */
	uint8_t *bytes;
	size_t len;
};

/* Makes the file; where it is there already, the tail goes on behind it. One that cannot be made is no error: tail->error says why. */
enum ts_status ts_tail_open(struct ts_tail *tail, const char *path, bool all, struct ts_error *err);
void ts_tail_add(struct ts_tail *tail, const void *bytes, size_t len);
/* At most the last TS_TAIL_KEPT bytes; also once it is closed. */
struct ts_span ts_tail_view(const struct ts_tail *tail);
/* Takes the file down to its last TS_TAIL_KEPT bytes, unless all is kept, and closes it. */
void ts_tail_close(struct ts_tail *tail);
void ts_tail_free(struct ts_tail *tail);

#endif
