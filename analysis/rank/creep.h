/* creep.h - memory creep as TraceML 0.3 defines it (its step-memory diagnosis): a second opinion beside the slope of memory.h.
 *
 * The means of three bands of the series, 15-25 %, 45-55 % and 90-100 % of its values (start rounded down, end up), rise from
 * one to the next. delta: last minus first of them, in bytes. TS_CREEP_CONFIRMED from 1 GiB on, else TS_CREEP_EARLY.
 * score: delta / 100 MiB + 10 * worst growth + 6 * median growth, growth being relative to the first band. TraceML asks this of
 * the worst and of the median rank; of one rank both are the same series, so score is delta / 100 MiB + 16 * growth here.
 *
 * What it cannot do: it cuts no warm-up, has no notion of noise, and calls half of all wavering series that happen to end high
 * "rising". So it decides nothing here.
 */
#ifndef TSCOPE_ANALYSIS_RANK_CREEP_H
#define TSCOPE_ANALYSIS_RANK_CREEP_H

#include <stdbool.h>
#include <stddef.h>

enum { TS_CREEP_LEAST = 50 };

enum ts_creep_kind { TS_CREEP_NONE, TS_CREEP_EARLY, TS_CREEP_CONFIRMED };

struct ts_creep {
	enum ts_creep_kind kind;
	double delta; /* bytes; negative when memory fell */
	double score; /* 0 for TS_CREEP_NONE */
};

/* False if there are fewer than TS_CREEP_LEAST values. They must be finite. */
bool ts_creep_find(const double *bytes, size_t n, struct ts_creep *ret_creep);
const char *ts_creep_word(enum ts_creep_kind kind); /* "none", "early", "confirmed" */

#endif
