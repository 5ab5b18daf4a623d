/* say.h - numbers inside the sentences of findings and verdicts, as people read them.
 *
 * Each function returns its text by value, so that the call can be an argument of printf:
 *
 *	ts_arena_printf(arena, "%s of %s", ts_say_percent(share).text, ts_say_seconds(total).text)
 *
 * Values that are not finite read "NaN", "infinite", "-infinite".
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_SAY_H
#define TSCOPE_ANALYSIS_ANSWER_SAY_H

#include "analysis/answer/measure.h"

enum { TS_SAY_TEXT = 48 };

struct ts_say {
	char text[TS_SAY_TEXT];
};

struct ts_say ts_say_percent(double ratio);    /* 0.5 -> "50 %"; below 10 % with a decimal: "4.2 %" */
struct ts_say ts_say_seconds(double seconds);  /* "12.3 ms", "4.56 s", "1 h 02 m" */
struct ts_say ts_say_bytes(double bytes);      /* "1.21 MiB", "-3 B" */
struct ts_say ts_say_count(double n);	       /* "1,234,567"; rounded to a whole number */
struct ts_say ts_say_number(double x);	       /* four significant digits: "2.143", "1.2e+09" */
struct ts_say ts_say_steps(int64_t first, int64_t last); /* "step 7", "steps 7 to 9" */
struct ts_say ts_say_plural(double n, const char *word); /* "1 spike", "1,204 spikes" */
/* The value in its unit; a value of TS_UNIT_TEXT or TS_UNIT_NONE is written as a plain number. */
struct ts_say ts_say_value(double value, enum ts_unit unit);
/* Ascending ranks as a sentence names them: "rank 3", "ranks 1, 3 and 7", "ranks 0 to 62 and 1 more". NULL when the arena is
 * full. */
char *ts_say_ranks(const int32_t *ranks, size_t n, struct ts_arena *arena);

#endif
