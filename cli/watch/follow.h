/* follow.h - follows the files of a run directory while they grow: recordings and steps.jsonl of all its ranks.
 *
 *	ts_follow_open(&f, path, &live, err)	TS_NOT_FOUND: nothing there can be followed (yet)
 *	ts_follow_read(&f, now, err)		reads what is new
 *	ts_follow_close(&f)
 *
 * Only what is new is read, so that a look costs the same whatever the length of the run. Ranks and attempts that come later are
 * found within seconds. Files are opened by base/below.h. A file that cannot be read ends nothing: f->trouble says what happened,
 * once. Threads: one at a time.
 */
#ifndef TSCOPE_CLI_WATCH_FOLLOW_H
#define TSCOPE_CLI_WATCH_FOLLOW_H

#include "cli/watch/lines.h"
#include "ingest/recording/growth.h"

struct ts_followed {
	int32_t rank;
	const char *top, *path; /* of its directory */
	uint32_t attempt;	/* of the recording that is read; 0: a steps.jsonl */
	int fd;			/* -1: none yet */
	bool lines;
	uint64_t at; /* lines: bytes that were read */
	struct ts_growth growth;
	struct ts_lines *reader;
	bool held; /* a process holds the recording */
	bool ended;
	bool dead; /* it could not be read; not tried again */
};

struct ts_follow {
	struct ts_live *live;
	struct ts_arena arena;
	const char *path;
	struct ts_followed *items;
	size_t n, cap;
	uint8_t *window;
	int64_t looked_ns; /* for ranks and attempts */
	int64_t grew_ns;   /* when something came last, monotonic; 0: never */
	char trouble[256]; /* empty: none */
};

enum ts_status ts_follow_open(struct ts_follow *f, const char *path, struct ts_live *live, struct ts_error *err);
void ts_follow_close(struct ts_follow *f);
/* now_ns: monotonic; now: Unix seconds. TS_NO_MEMORY only. */
enum ts_status ts_follow_read(struct ts_follow *f, int64_t now_ns, double now, struct ts_error *err);

/* The folder of a rank that is followed; that of the run where there is no such rank. */
const char *ts_follow_folder(const struct ts_follow *f, int32_t rank);

/* What the files say of how it goes on. */
enum ts_follow_state {
	TS_FOLLOW_UNKNOWN, /* nothing tells, as of a steps.jsonl */
	TS_FOLLOW_RUNS,	   /* a process holds a recording */
	TS_FOLLOW_CLOSED,  /* all recordings were closed */
	TS_FOLLOW_LEFT,	   /* one was not, and nobody holds it: killed, or it goes on on another machine */
};
enum ts_follow_state ts_follow_state(const struct ts_follow *f);

#endif
