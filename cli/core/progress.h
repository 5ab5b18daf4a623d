/* progress.h - a bar on stderr while something long goes on; nothing when stderr is no terminal, or with --quiet.
 *
 * It appears after a third of a second, is drawn at most ten times a second, and is gone when it ends.
 */
#ifndef TSCOPE_CLI_CORE_PROGRESS_H
#define TSCOPE_CLI_CORE_PROGRESS_H

#include "cli/core/context.h"

struct ts_progress {
	bool on;
	bool drawn;
	bool counts;	  /* objects, not bytes */
	int width;
	const char *verb; /* "reading" */
	const char *what; /* escaped before it is drawn */
	int64_t started_ns, drawn_ns;
};

void ts_progress_begin(struct ts_progress *p, const struct ts_cli *cli, const char *verb, const char *what);
/* Of the form that ingest and verify call: ctx is the ts_progress; always true. total 0 = not known. */
bool ts_progress_step(void *ctx, uint64_t done, uint64_t total);
void ts_progress_end(struct ts_progress *p);

/* The line that is drawn, for tests: width columns at most. */
void ts_progress_line(const struct ts_progress *p, uint64_t done, uint64_t total, int64_t elapsed_ns,
		      struct ts_buf *out);

/* before, n in decimal, after; cut to fit nothing: out has room for both texts and 20 digits. */
void ts_text_u64(char *out, const char *before, uint64_t n, const char *after);

#endif
