/* progress.h - a progress bar on stderr during long work; there is none with --quiet or when stderr is not a terminal.
 *
 * The bar appears after a third of a second, is drawn at most ten times a second, and is erased at the end.
 */
#ifndef TSCOPE_CLI_CORE_PROGRESS_H
#define TSCOPE_CLI_CORE_PROGRESS_H

#include "cli/core/context.h"

struct ts_progress {
	bool on;
	bool drawn;
	bool counts;	  /* progress is counted in objects, else in bytes */
	int width;
	const char *verb; /* "reading" */
	const char *what; /* escaped before it is drawn */
	int64_t started_ns, drawn_ns;
};

void ts_progress_begin(struct ts_progress *p, const struct ts_cli *cli, const char *verb, const char *what);
/* The callback for ingest and verify: ctx is the ts_progress, total 0 = not known. Always returns true. */
bool ts_progress_step(void *ctx, uint64_t done, uint64_t total);
void ts_progress_end(struct ts_progress *p);

/* Appends the line that would be drawn, of at most width columns. Tests call it too. */
void ts_progress_line(const struct ts_progress *p, uint64_t done, uint64_t total, int64_t elapsed_ns,
		      struct ts_buf *out);

/* Writes before, n in decimal, and after to out, which must have room for both texts, 20 digits and the final NUL. */
void ts_text_u64(char *out, const char *before, uint64_t n, const char *after);

#endif
