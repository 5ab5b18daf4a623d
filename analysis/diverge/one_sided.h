/* one_sided.h - two runs whose first steps differ, as with other draws or data, and a series that begins alike in both and moves in one
 * alone: that is what they differ in for whoever compares them, and other draws do not explain it. `./dev bench quality one-sided`
 * prints how often it is wrong. */
#ifndef TSCOPE_ANALYSIS_DIVERGE_ONE_SIDED_H
#define TSCOPE_ANALYSIS_DIVERGE_ONE_SIDED_H

#include "analysis/answer/diagnosis.h"
#include "base/arena.h"

/* A series of one run: the means of its first and of its last tenth; the standard error of their difference, as if values were
 * independent; and how far the means of all its tenths lie apart. NaN: not known, or a tenth has less than three values. */
struct ts_sided {
	double first, last, error, range;
};

/* n is at least 1. */
struct ts_sided ts_sided_of(const double *values, size_t n);

/* Whether the series begins alike in both runs, and grows or falls by half or more in one of them alone: by more than chance, and by
 * more than it wanders in the other. */
bool ts_is_one_sided(const struct ts_sided *a, const struct ts_sided *b);
/* Says so in the place of a cause that only guesses at what differs at the first step; other causes stay. name: the column's. */
enum ts_status ts_diagnose_one_sided(struct ts_span name, const struct ts_sided *a, const struct ts_sided *b, struct ts_arena *arena,
				     struct ts_diagnosis *io, struct ts_error *err);

#endif
