/* equivalence.h - whether a run ends at the same level of its loss as repeats of another recipe do, by a test that
 * counts each run once.
 *
 * The level of a run is the mean of a series over the last tenth of the points that all runs have, at least one. However its
 * steps hang together, a run gives one number, and what lies between runs is seen by comparing runs only.
 *
 *	difference	candidate / mean of the repeats - 1
 *	error		s sqrt(1 + 1/n) / |mean|: s the deviation (n - 1) of the levels of the n repeats. One more run of their
 *			recipe has a difference with Student's t of n - 1 degrees of freedom times that: the candidate may
 *			scatter as they do.
 *	low, high	difference -+ t(1 - TS_EQUIVALENCE_ALPHA) error
 *	p_value		of no difference, two-sided
 *	seen		(t(1 - a / 2) + t(TS_EQUIVALENCE_POWER)) error: what would have been called a difference that often
 *
 *	HOLDS		low to high lies within TS_EQUIVALENCE_MARGIN: two one-sided tests (Schuirmann 1987) at TS_EQUIVALENCE_ALPHA. A
 *			candidate that is truly off by the margin is called equivalent no more often than that.
 *	FAILS		p_value <= a, a = TS_DIFFERENCE_ALPHA over the number of series that are asked: a difference. Or the candidate's
 *			level is no finite number and the repeats' are.
 *	UNKNOWN		otherwise: neither was shown
 *
 * In that order: a difference that is more than chance and less than the margin is none. Of several series all must hold, and one
 * that fails is enough. Repeats that agree to the bit scatter by nothing: their recipe has one level, and error is 0.
 *
 * Margin: runs of one recipe that differ in their seed alone end at levels with a deviation of about 1 % (reference: 1.15 % over
 * a published replication), so a recipe that moves it by less is lost among its own repeats. Levels are not quite normal: both
 * levels of significance are half of the rates that are promised, 1 % of false differences and 5 % of false equivalences at the
 * margin, so that trainings keep them too (`quality repeats`). 0.005 is also that of the gate.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_EQUIVALENCE_H
#define TSCOPE_ANALYSIS_DIVERGE_EQUIVALENCE_H

#include "analysis/answer/diagnosis.h"

#define TS_EQUIVALENCE_MARGIN 0.01
#define TS_EQUIVALENCE_ALPHA 0.025
#define TS_EQUIVALENCE_POWER 0.9
#define TS_DIFFERENCE_ALPHA 0.005

enum { TS_EQUIVALENCE_LEAST = 3 }; /* repeats */

struct ts_level_row {
	struct ts_span name;		    /* of the series */
	int32_t rank;
	bool known;
	struct ts_span why_not;		    /* if it is not */
	uint64_t points;		    /* that a level is the mean of */
	int64_t first_step, last_step;	    /* of those */
	size_t n;			    /* repeats */
	double mean, deviation;		    /* of their levels; deviation divides by n - 1 */
	double candidate;		    /* its level; may be no finite number */
	double difference, low, high, seen; /* ratios; NaN where the candidate's level is not finite */
	double p_value;			    /* NaN there too */
	enum ts_tier_answer answer;
};

/* What of a series makes levels: points in order, of which only the last tenth is added.
 *
 *	ts_level_begin(&l, n, points, &arena)	    n repeats, and the number of points that all runs have
 *	if (ts_level_want(&l, at))		    for point `at`, counted from 0
 *		ts_level_add(&l, step, values)	    n values, then the candidate's
 *	ts_level_end(&l, series, &row)		    series: how many are asked of the candidate
 */
struct ts_level_meter {
	size_t n;
	uint64_t points, from, added;
	int64_t first_step, last_step;
	double *sums, *carries; /* of the repeats, then of the candidate */
	struct ts_arena *arena;
};

bool ts_level_begin(struct ts_level_meter *l, size_t n, uint64_t points, struct ts_arena *arena); /* false: the arena is full */
bool ts_level_want(const struct ts_level_meter *l, uint64_t at);
void ts_level_add(struct ts_level_meter *l, int64_t step, const double *values);
/* ret_row keeps its name and rank. False when the arena is full. */
bool ts_level_end(struct ts_level_meter *l, size_t series, struct ts_level_row *ret_row);

/* Fills everything of the row from n on from its levels. */
void ts_level_test(const double *levels, size_t n, double candidate, size_t series, struct ts_level_row *row);

/* The tier that the rows of n_repeats come to, with the record that supports it. False when the arena is full. */
bool ts_equivalence_tier(const struct ts_level_row *rows, size_t n, size_t n_repeats, struct ts_arena *arena,
			 struct ts_tier *ret_tier);

#endif
