/* measure.h - one number that an analysis reports, as a row: later analyses add rows, not fields.
 *
 * What a row is of, and its unit, is a symbol (measure_name.h); a row carries their words, since it may come from the wire. Where the
 * symbol's subject is a kind, `of` is the whole subject: "forward" of TS_M_PHASE_MEAN, "rank 3" of TS_M_RANK_OWN; else it is
 * TS_NO_SUBJECT. An unknown measure has no value and says why; it is never shown as 0.
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
	double value;		/* if known; may be NaN or infinite when that is the answer */
	struct ts_span text;	/* if known and of TS_UNIT_TEXT */
	struct ts_span reason;	/* if not known: "the run has no column memory.alloc" */
};

struct ts_measures {
	struct ts_measure *items;
	size_t n;
	size_t cap;
};

#define TS_NO_SUBJECT ((struct ts_span){NULL, 0})

/* Adds one; spans are not copied. False when the arena is full. */
bool ts_measure_add(struct ts_measures *m, struct ts_arena *arena, enum ts_measure_name what, struct ts_span of,
		    double value);
bool ts_measure_unknown(struct ts_measures *m, struct ts_arena *arena, enum ts_measure_name what, struct ts_span of,
			const char *reason);
/* text must not be empty. */
bool ts_measure_text(struct ts_measures *m, struct ts_arena *arena, enum ts_measure_name what, struct ts_span of,
		     struct ts_span text);
/* For a row whose name is a kind too: an unknown row without a reason, to be filled and put. */
struct ts_measure ts_measure_row(enum ts_measure_name what, struct ts_span of);
bool ts_measure_put(struct ts_measures *m, struct ts_arena *arena, const struct ts_measure *row);

/* The first such row, known or not. NULL if none. */
const struct ts_measure *ts_measure_find(const struct ts_measures *m, enum ts_measure_name what, struct ts_span of);
/* The value of such a row if there is one and it is known. */
bool ts_measure_value(const struct ts_measures *m, enum ts_measure_name what, struct ts_span of, double *ret_value);
/* Whether a row is this measure, of whatever subject. A phase may be called "step": then a row is two measures at once. */
bool ts_measure_is(const struct ts_measure *row, enum ts_measure_name what);
bool ts_measure_in(const struct ts_measure *row, enum ts_answer_group group);
/* What follows the name in a key: "_s" in median_s; nothing where the name is the unit: count, ratio, seconds. */
const char *ts_measure_suffix(const struct ts_measure *row);

#endif
