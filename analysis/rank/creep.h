/* creep.h - memory creep as TraceML 0.3 defines it (its step-memory diagnosis): a second opinion beside the slope of
 * memory.h.
 *
 * Creep means that the means of three bands of the series, 15-25 %, 45-55 % and 90-100 % of its values (the start is rounded
 * down, the end up), rise from one band to the next. delta is the last mean minus the first, in bytes: from 1 GiB on the
 * result is TS_CREEP_CONFIRMED, otherwise TS_CREEP_EARLY. score is delta / 100 MiB + 10 * worst growth + 6 * median growth,
 * where growth is relative to the first band. TraceML takes these from the worst and from the median rank; with one rank
 * both are the same series, so here score is delta / 100 MiB + 16 * growth.
 *
 * The method does not leave out a warm-up, has no model of noise, and calls half of all fluctuating series that happen to
 * end high "rising". So it decides nothing here.
 */
#ifndef TSCOPE_ANALYSIS_RANK_CREEP_H
#define TSCOPE_ANALYSIS_RANK_CREEP_H

#include "analysis/answer/row_words.h"

#include <stdbool.h>
#include <stddef.h>

enum { TS_CREEP_LEAST = 50 };

struct ts_creep {
	enum ts_creep_kind kind;
	double delta; /* bytes; negative when memory fell */
	double score; /* 0 for TS_CREEP_NONE */
};

/* bytes holds n finite values. False if n < TS_CREEP_LEAST. */
bool ts_creep_find(const double *bytes, size_t n, struct ts_creep *ret_creep);

#endif
