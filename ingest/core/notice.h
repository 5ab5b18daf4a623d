/* notice.h - counts what a reader skipped, repaired or doubts, and keeps the first place of each, so that nothing is lost silently.
 *
 * A notice is one kind of problem in one file. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_CORE_NOTICE_H
#define TSCOPE_INGEST_CORE_NOTICE_H

#include "base/arena.h"

enum ts_notice_level {
	TS_NOTICE_INFO,	   /* nothing was lost: two records on one line, a null value, steps written again after a restart */
	TS_NOTICE_SKIPPED, /* some input is not in the run; --strict refuses it */
};

struct ts_notice {
	const char *code;	/* "cut_line", "bad_json", "no_step", ...: static text, documented in docs/run-directory.md */
	enum ts_notice_level level;
	struct ts_span file;	/* relative to the given directory */
	uint64_t line;		/* line of the first case, from 1; 0 = the whole file */
	uint64_t count;
	struct ts_span detail;	/* of the first case: "byte 17: expected ',' or '}'" */
};

struct ts_notices {
	struct ts_notice *items;
	size_t n;
	size_t cap;
	struct ts_arena *arena;
};

/* Counts one more case of (code, file); line and detail stay those of the first case. If the arena is full, the detail is dropped,
 * or a new notice; the count of an existing notice stays right. */
void ts_notice_add(struct ts_notices *notices, const char *code, enum ts_notice_level level, struct ts_span file,
		   uint64_t line, const char *detail);
/* Adds what others counted, each with its count; codes are static texts there, too. */
void ts_notices_merge(struct ts_notices *notices, const struct ts_notices *others);
uint64_t ts_notices_skipped(const struct ts_notices *notices);

#endif
