/* notice.h - what a reader skipped, repaired or doubts: counted, with the first place, never silent.
 *
 * A notice is one kind of trouble in one file. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_CORE_NOTICE_H
#define TSCOPE_INGEST_CORE_NOTICE_H

#include "base/arena.h"

enum ts_notice_level {
	TS_NOTICE_INFO,	   /* nothing was lost: two records on one line, a null value, steps written again after a restart */
	TS_NOTICE_SKIPPED, /* something was there and is not in the run; --strict refuses it */
};

struct ts_notice {
	const char *code;	/* "cut_line", "bad_json", "no_step", ...: static text, documented in docs/run-directory.md */
	enum ts_notice_level level;
	struct ts_span file;	/* relative to the directory named */
	uint64_t line;		/* of the first, from 1; 0 = the whole file */
	uint64_t count;
	struct ts_span detail;	/* of the first: "byte 17: expected ',' or '}'" */
};

struct ts_notices {
	struct ts_notice *items;
	size_t n;
	size_t cap;
	struct ts_arena *arena;
};

/* Counts one more of (code, file); the first one's line and detail stay. An arena that is full drops the detail, then
 * the notice, never the count of those there are. */
void ts_notice_add(struct ts_notices *notices, const char *code, enum ts_notice_level level, struct ts_span file,
		   uint64_t line, const char *detail);
uint64_t ts_notices_skipped(const struct ts_notices *notices);

#endif
