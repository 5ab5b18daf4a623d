/* show_value.h - formats values for people, in one place, so that every verb shows them alike.
 *
 * Texts lie in the arena and are harmless to print. NULL means that the arena is full; ts_view_text accepts NULL.
 */
#ifndef TSCOPE_CLI_VIEW_SHOW_VALUE_H
#define TSCOPE_CLI_VIEW_SHOW_VALUE_H

#include "analysis/diverge/diff.h"
#include "analysis/diverge/matrix.h"
#include "base/digest.h"
#include "run/index.h"
#include "store/engine.h"

enum { TS_ID_SHORT = 12 };

/* The address of the page of a run: what stands in front, and its id. */
const char *ts_show_link(const char *route, const struct ts_id *run, struct ts_arena *arena);
const char *ts_show_id(const struct ts_id *id, struct ts_arena *arena);   /* its first 12 digits */
const char *ts_show_hex(const struct ts_id *id, struct ts_arena *arena);  /* all 64 */
const char *ts_show_count(uint64_t n, struct ts_arena *arena);		  /* 1,234,567 */
const char *ts_show_step(int64_t step, struct ts_arena *arena);		  /* digits without separators */
const char *ts_show_apart(double r, struct ts_arena *arena); /* a relative difference, two digits: 3.2e-7; - for NaN */
const char *ts_show_rounded(double v, struct ts_arena *arena); /* six significant digits, or a whole number: 0.679464 */
const char *ts_show_bytes(double bytes, struct ts_arena *arena);	  /* 1.21 MiB */
const char *ts_show_share(uint64_t part, uint64_t whole, struct ts_arena *arena); /* 12.3 %, or - of nothing */
const char *ts_show_exact(uint64_t ns, struct ts_arena *arena); /* 12.345678 ms: all digits, because what is exact is shown so */
const char *ts_show_seconds(double seconds, struct ts_arena *arena);	  /* 12.3 ms, 4.56 s, 1 h 02 m */
/* The local time, as people read it; JSON and CSV have UTC and all digits. 2026-11-20 12:27:00+01:00, or Z at the end for UTC */
const char *ts_show_time(int64_t real_ns, struct ts_arena *arena);
const char *ts_show_minute(int64_t real_ns, struct ts_arena *arena); /* without seconds */
const char *ts_show_range(int64_t first, int64_t last, struct ts_arena *arena); /* 0 to 9999 */
const char *ts_show_ranks(const int32_t *ranks, size_t n, size_t all, struct ts_arena *arena); /* 0-3, 7 and 12 more */
/* "1 rank", "3 ranks": the word gets an s unless n is 1. */
const char *ts_show_plural(uint64_t n, const char *word, struct ts_arena *arena);

/* Escapes foreign text, including NUL bytes, so that it is safe to print and can be used as a string. Escaping it again changes
 * nothing, so it may pass through a table afterwards. */
const char *ts_show_text(struct ts_span text, struct ts_arena *arena);
/* The value of a fact; NULL gives "not recorded". Text that could be taken for another type ("1", "true", "") is quoted. */
const char *ts_show_fact(const struct ts_fact *fact, struct ts_arena *arena);
const char *ts_show_cell_value(const struct ts_value *value, struct ts_arena *arena);
/* A value with its unit: 22.1 ms, 7.0 GiB, 31.2 %, 43.1 /s; or "unknown". */
const char *ts_show_measure(const struct ts_measure *measure, struct ts_arena *arena);
/* The same with a fourth digit for times, 100.5 ms: for places where values one percent apart stand side by side. */
const char *ts_show_measure_close(const struct ts_measure *measure, struct ts_arena *arena);
/* The same with the digits of a time that tell it from one that is `step` (above 0) away, at least three: a tick of an axis. */
const char *ts_show_measure_apart(const struct ts_measure *measure, double step, struct ts_arena *arena);

/* How many spaces to put before each of two values so that equal digits stand below each other, and the first column in which they
 * differ. */
struct ts_parting {
	int pad_a, pad_b;
	int column; /* counted from the padded start; the end of the shorter value counts as a difference */
};
/* Numbers are aligned at the point, other text at its first character. */
struct ts_parting ts_show_parting(const char *a, const char *b);


#endif
