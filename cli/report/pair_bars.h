/* pair_bars.h - what a whole is made of on two sides, as two bars of one scale with the same colours, for pages that compare. */
#ifndef TSCOPE_CLI_REPORT_PAIR_BARS_H
#define TSCOPE_CLI_REPORT_PAIR_BARS_H

#include "base/arena.h"
#include "base/buf.h"

struct ts_pair_part {
	const char *label;
	double a, b; /* parts that are not above 0 are not drawn */
	int colour;  /* class "p0" to "p11"; below 0: it takes a free one */
};

/* "3.2 ms": a value as people read it. NULL: no memory. */
typedef const char *ts_pair_say(double value, struct ts_arena *arena);

/* Appends a figure: a bar for A, one for B, and what the colours mean, the largest part first; parts beyond the ninth are drawn as one.
 * title says what the bars are of. Nothing where neither side has a part. */
void ts_pair_bars(struct ts_buf *out, const char *title, const struct ts_pair_part *parts, size_t n, ts_pair_say *say,
		  struct ts_arena *arena);

#endif
