/* bisection.h - finds the first bad one of versions 1 to n, where version 0 is good and n is bad, by a judge that may be wrong.
 *
 * A judgement of a version is the logarithm of how much likelier what was seen is of a bad version than of a good one: +- log((1-e)/e)
 * of a judge that is wrong with probability e, or what ts_level_evidence makes of a measured number. Which version is the first bad one
 * has a posterior by Bayes' rule. The next version is the one whose judgement would tell most: that with half of the posterior on
 * either side, which is a plain binary search where the judge is never wrong, and a repeat where it is. The search ends when one
 * version has at least `sure` of the posterior, when nothing is left that can be judged, or after `most` judgements.
 *
 * A version that cannot be judged (it does not build) is passed over from then on, and those near it are asked for later than others,
 * because what breaks one version mostly breaks its neighbours. Where all that are left between two versions cannot be judged, the
 * answer is a range. Source: Ben-Or and Hassidim 2008; Waeber, Frazier and Henderson 2013 for the posterior of a noisy binary search. /
 */
#ifndef TSCOPE_EXPERIMENT_BISECTION_H
#define TSCOPE_EXPERIMENT_BISECTION_H

#include "base/arena.h"

#include <stdint.h>

enum { TS_BISECTION_VERSIONS_MOST = 100000 };

struct ts_bisection {
	size_t n;
	const double *prior; /* n weights, of versions 1 to n, each above 0; NULL: all equal */
	double sure;	     /* 0.5 to below 1; usually 0.99 */
	size_t most;	     /* judgements, with those of versions that could not be judged */
};

struct ts_judged {
	size_t version; /* 1 to n; 0 is known to be good, and a judgement of n may say that it is not bad */
	bool skipped;
	double evidence; /* of bad; finite; cut to +-TS_EVIDENCE_MOST, so that one judgement alone cannot exclude anything */
};

#define TS_EVIDENCE_MOST 30.0

enum ts_bisection_end {
	TS_BISECTION_GOES_ON,
	TS_BISECTION_FOUND, /* one version is sure */
	TS_BISECTION_RANGE, /* those from first to last together are sure: what lies between them cannot be judged */
	TS_BISECTION_OVER,  /* the judgements are used up: a range, too */
};

struct ts_bisection_step {
	enum ts_bisection_end end;
	size_t next;	    /* the version to judge, where it goes on */
	size_t first, last; /* the likeliest version, or the range: the first bad one is among them */
	double chance;	    /* of this answer, by the posterior */
};

enum ts_status ts_bisection_next(const struct ts_bisection *b, const struct ts_judged *judged, size_t n, struct ts_arena *arena,
				 struct ts_bisection_step *ret_step, struct ts_error *err);

/* What a judge that is wrong with this probability (above 0, below 1/2) says by one judgement. */
double ts_judge_evidence(bool bad, double wrong);

/* Levels of a measured number: what runs of good and of bad versions gave, and the standard deviation of one run, above 0. */
struct ts_two_levels {
	double good, bad;
	double n_good, n_bad; /* runs that these are means of; at least 1 */
	double sd;
};

/* Levels of runs of both ends, 3 or more of each, where nobody knows how far one run scatters: by their own spread, which is taken for
 * wider than they show, as Student's t is wider than a normal distribution, and is at least this share of the good level. */
void ts_levels_of(const double *good, size_t n_good, const double *bad, size_t n_bad, double least, struct ts_two_levels *ret_levels);

/* The evidence of one measured number, between two levels that are themselves measured; never more than a judge says that is wrong with
 * probability `wrong` for reasons other than noise. */
double ts_level_evidence(const struct ts_two_levels *levels, double value, double wrong);

/* Sets the evidence of all n judgements from the numbers that they measured. The levels are those of known runs, and of each measured
 * one as far as it is known to be of a good version or of a bad one, so that they become surer while the search goes on. */
enum ts_status ts_measured_evidence(const struct ts_bisection *b, const struct ts_two_levels *known, const double *values, double wrong,
				    struct ts_judged *judged, size_t n, struct ts_arena *arena, struct ts_error *err);

#endif
