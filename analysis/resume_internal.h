/* resume_internal.h - what resume.c sees in one series, for resume_judge.c. */
#ifndef TSCOPE_ANALYSIS_RESUME_INTERNAL_H
#define TSCOPE_ANALYSIS_RESUME_INTERNAL_H

#include "analysis/resume.h"

struct ts_resume_look {
	const struct ts_resume_series *series;
	size_t equal;	      /* points whose bits agree; ±0 and NaN as in gap.h */
	size_t first_bits;    /* the first that differs; n = none */
	size_t first_beyond;  /* the first whose r is beyond the tolerance and the quantum; n = none */
	double at_start;      /* r of the first point */
	double at_bits;	      /* r at first_bits; 0 without one */
	double greatest;      /* r */
	int64_t greatest_step;
	double following;     /* median r of the points behind the first ones, within the window; NaN: there are none */
	bool first_ok;	      /* the first ones are within the tolerance */
	bool following_ok;    /* following is within the envelope, or there are none */
	double grid;	      /* the quantum, declared or seen; 0 = doubles */
	bool digest;
};

/* Tolerances: what full precision gives, and what a reduced format gives; the latter is also the least for what follows. */
#define TS_RESUME_FULL 1e-6
#define TS_RESUME_REDUCED 5e-3

/* False: out of memory. */
bool ts_resume_look_at(const struct ts_resume_series *s, double tolerance, struct ts_arena *scratch,
		       struct ts_resume_look *ret);
bool ts_resume_is_digest(enum ts_resume_kind kind);

#endif
