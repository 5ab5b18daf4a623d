/* measure.h - one number that an analysis reports, as a row: later analyses add rows, not fields.
 *
 * group/subject/name say what it is: "timing"/"forward"/"median". The unit stands in the JSON key (median_s).
 * An unknown measure has no value and says why; it is never shown as 0.
 */
#ifndef TSCOPE_ANALYSIS_MEASURE_H
#define TSCOPE_ANALYSIS_MEASURE_H

#include "base/arena.h"

#include <math.h>

enum ts_unit {
	TS_UNIT_NONE = 0,   /* a count or a plain number */
	TS_UNIT_SECONDS = 1, /* _s */
	TS_UNIT_BYTES = 2,   /* _bytes */
	TS_UNIT_RATIO = 3,   /* _ratio, 1 = 100 % */
	TS_UNIT_PER_SECOND = 4, /* _per_s */
	TS_UNIT_STEP = 5,    /* _step: a step number */
	TS_UNIT_COUNT = 6,   /* _count */
	TS_UNIT_BYTES_PER_STEP = 7, /* _bytes_per_step */
	TS_UNIT_FLOPS = 8,   /* _flops: floating-point operations */
	TS_UNIT_FLOPS_PER_S = 9, /* _flops_per_s */
	TS_UNIT_TEXT = 10,   /* a word or a sentence: text, not value */
};

struct ts_measure {
	struct ts_span group;	/* "timing", "memory", "convergence", "ranks", ...: docs/analyses.md lists them */
	struct ts_span subject; /* "step", "forward", "alloc", "loss", "rank 3" */
	struct ts_span name;	/* "mean", "p95", "peak" */
	enum ts_unit unit;
	bool known;
	double value;		/* if known; may be NaN or infinite when that is the answer */
	struct ts_span text;	/* if known and of TS_UNIT_TEXT */
	struct ts_span reason;	/* if not known: "no column memory.alloc" */
};

struct ts_measures {
	struct ts_measure *items;
	size_t n;
	size_t cap;
};

/* Adds one; spans are not copied. False when the arena is full. */
bool ts_measure_add(struct ts_measures *m, struct ts_arena *arena, const char *group, struct ts_span subject,
		    const char *name, enum ts_unit unit, double value);
bool ts_measure_unknown(struct ts_measures *m, struct ts_arena *arena, const char *group, struct ts_span subject,
			const char *name, enum ts_unit unit, const char *reason);
/* text must not be empty. */
bool ts_measure_text(struct ts_measures *m, struct ts_arena *arena, const char *group, struct ts_span subject,
		     const char *name, struct ts_span text);
/* The value of such a row if there is one and it is known. */
bool ts_measure_value(const struct ts_measures *m, const char *group, const char *subject, const char *name,
		      double *ret_value);
/* The first such row; name with or without its unit's suffix ("best" is the value, "best_step" its step). NULL if none. */
const struct ts_measure *ts_measure_find(const struct ts_measures *m, const char *group, const char *subject,
					 const char *name);
const char *ts_unit_suffix(enum ts_unit unit); /* "", "_s", "_bytes", ... */

#endif
