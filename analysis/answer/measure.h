/* measure.h - one number that an analysis reports, as a row: later analyses add rows, not fields.
 *
 * A symbol (measure_name.h) says what a row measures and in which unit. The row itself carries the words of the symbol,
 * because it may have come from the wire. If the symbol has many subjects, `of` is the whole subject: "forward" for
 * TS_M_PHASE_MEAN, "rank 3" for TS_M_RANK_OWN; otherwise `of` is TS_NO_SUBJECT. An unknown measure has no value and a
 * reason; it is never shown as 0.
 *
 *	ts_measure_add(m, arena, TS_M_STEP_MEDIAN, TS_NO_SUBJECT, 0.013);
 *	ts_measure_value(m, TS_M_PHASE_SHARE, ts_span_str("data"), &share);
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_MEASURE_H
#define TSCOPE_ANALYSIS_ANSWER_MEASURE_H

#include "analysis/answer/measure_name.h"

#include <math.h>

struct ts_measure {
	struct ts_span group;	/* "timing" */
	struct ts_span subject; /* "step", "forward", "rank 3" */
	struct ts_span name;	/* "p95", without its unit */
	enum ts_unit unit;
	bool known;
	double value;		/* if known; may be NaN or infinite if that was measured */
	struct ts_span text;	/* if known and the unit is TS_UNIT_TEXT */
	struct ts_span reason;	/* if not known: "the run has no column memory.alloc" */
};

struct ts_measures {
	struct ts_measure *items;
	size_t n;
	size_t cap;
};

#define TS_NO_SUBJECT ((struct ts_span){NULL, 0})

/* Each row has a group, a subject and a name; a known one has its text if it is one, and any other a reason. Of rows that analyses
 * made: those from the wire may have anything. */
bool ts_measures_hold(const struct ts_measures *m);

/* Each of these appends one row; spans are not copied. False when the arena is full. */
bool ts_measure_add(struct ts_measures *m, struct ts_arena *arena, enum ts_measure_name what, struct ts_span of,
		    double value);
bool ts_measure_unknown(struct ts_measures *m, struct ts_arena *arena, enum ts_measure_name what, struct ts_span of,
			const char *reason);
/* The text must not be empty. */
bool ts_measure_text(struct ts_measures *m, struct ts_arena *arena, enum ts_measure_name what, struct ts_span of,
		     struct ts_span text);
/* An unknown row without a reason, which the caller fills and appends with ts_measure_put. It is for measures whose name
 * depends on the row too. */
struct ts_measure ts_measure_row(enum ts_measure_name what, struct ts_span of);
bool ts_measure_put(struct ts_measures *m, struct ts_arena *arena, const struct ts_measure *row);

/* The first row of this measure and subject, known or not; NULL if there is none. */
const struct ts_measure *ts_measure_find(const struct ts_measures *m, enum ts_measure_name what, struct ts_span of);
/* The value of that row; false if there is no such row or it is not known. */
bool ts_measure_value(const struct ts_measures *m, enum ts_measure_name what, struct ts_span of, double *ret_value);
/* True if the row is this measure, with any subject. A phase may be called "step": then one row is two measures. */
bool ts_measure_is(const struct ts_measure *row, enum ts_measure_name what);
bool ts_measure_in(const struct ts_measure *row, enum ts_answer_group group);
/* The suffix that follows the name in a JSON key: "_s" in median_s. It is "" if the name is the unit: count, ratio, seconds. */
const char *ts_measure_suffix(const struct ts_measure *row);

#endif
