/* repeats.h - several runs of one recipe: which are the same, which is the odd one out, and how far chance alone takes them apart.
 *
 * Pattern, from the first step at which each two differ. A run that agrees as far as it goes agrees. One run that differs from all
 * others, which agree, is the odd one out and no more: a rare race, a different machine and a different input look the same until one
 * of the runs is repeated. Source: docs/divergence.md.
 *
 * Envelope of a series (loss, gradient norm), over the points that all repeats and the candidate have:
 *
 *	spread of a window	the greatest r between two repeats at any of its TS_ENVELOPE_WINDOW points (r: gap.h)
 *	spread at a point	the greatest of its window and the two beside it. Where chance is at work, which is where repeats differ
 *				and not in groups that agree, no less than the median spread of the windows in which they differ:
 *				how early chance sets in is itself chance.
 *	limit at a point	that, times 1 + 4 / (n - 1) for n repeats: TS_ENVELOPE_TIMES for three, and the more there are the
 *				nearer to what they themselves reach; and no less than the quantum of the coarsest source
 *	outside			the least r between the candidate and a repeat exceeds the limit
 *
 * TS_ENVELOPE_RUN points outside in a row are a real difference where there is no chance. Where there is, size alone does not
 * tell: low precision holds rounding still for tens of steps and then amplifies it by three decades within as many, and a few
 * repeats that happen not to have come there yet say nothing of how far it goes. There a real difference is one that is outside for
 *
 *	TS_ENVELOPE_RUN points, while the spread is TS_ENVELOPE_AMPLIFIED or more: the repeats have come there themselves; or
 *	TS_ENVELOPE_RUN points, each by more than TS_ENVELOPE_CHANCE: farther than amplified rounding goes; or
 *	TS_ENVELOPE_AT_ONCE points from the first that is outside in a window's length, each by more than rounding
 *	(TS_ENVELOPE_ROUNDING, and TS_ENVELOPE_QUANTA quanta of the coarsest source): pushed, not grown. Chance goes out and in
 *	before it stays out.
 *
 * TS_ENVELOPE_RUN points that are none of these have grown as chance does: then it is not known whether the candidate is one of
 * the repeats, until more of them were run. Without any the candidate is numerically equivalent to the repeats; a real difference
 * smaller than their spread stays inside. `quality repeats` has the rates of false differences and of missed ones.
 * Source: TTrace (arXiv 2506.09280), with measured repeats in the place of perturbed inputs; the growth of rounding as measured
 * (docs/divergence.md).
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_REPEATS_H
#define TSCOPE_ANALYSIS_DIVERGE_REPEATS_H

#include "analysis/diverge/cuts.h"
#include "analysis/diverge/equivalence.h"
#include "analysis/diverge/gap.h"
#include "analysis/diverge/matrix.h"

enum {
	TS_REPEATS_LEAST = 3,	  /* runs of which a pattern or an envelope says something */
	TS_ENVELOPE_WINDOW = 64,  /* points */
	TS_ENVELOPE_RUN = 5,	  /* points outside in a row */
	TS_ENVELOPE_AT_ONCE = 10, /* the same, of what was pushed */
	TS_ENVELOPE_QUANTA = 20,  /* what amplification makes of one quantum in as many points: 1.35^10 */
};
#define TS_ENVELOPE_TIMES 3.0	  /* the spread of three repeats */
#define TS_ENVELOPE_ROUNDING 2e-6 /* r: where rounding begins, at most */
#define TS_ENVELOPE_AMPLIFIED 1e-3 /* r: where low precision has brought it, at least */
#define TS_ENVELOPE_CHANCE 3e-2	  /* r: and at most */

enum ts_pattern {
	TS_PATTERN_UNKNOWN = 0,	  /* too few, or some have no step in common */
	TS_PATTERN_SAME = 1,	  /* all agree */
	TS_PATTERN_ODD = 2,	  /* all but one agree */
	TS_PATTERN_GROUPS = 3,	  /* groups of at least two that agree, and that all first differ at one step */
	TS_PATTERN_TOGETHER = 4,  /* those that differ first differ at one step, and not all have one that they agree with */
	TS_PATTERN_SCATTERED = 5, /* they first differ at different steps */
};

struct ts_envelope_row {
	struct ts_span name; /* of the series */
	int32_t rank;
	bool known;
	struct ts_span why_not;	 /* if it is not */
	uint64_t points;	 /* common to all */
	double spread;		 /* the greatest */
	double level;		 /* median spread of the windows in which repeats differ; 0: none */
	double spread_there;	 /* of the windows around the step that was asked for; NaN: not asked, or before the first point */
	double greatest;	 /* the candidate's r to the nearest repeat; first such step */
	int64_t greatest_step;
	uint64_t outside;	 /* points */
	bool stays_outside;	 /* real or grown */
	bool real;		 /* a real difference */
	bool grown;		 /* none, but TS_ENVELOPE_RUN of them in a row */
	int64_t first_step;	 /* where those points in a row begin, if it stays outside */
	double first_r, first_limit; /* there */
};

struct ts_repeats {
	bool asked;
	struct ts_diff_matrix matrix; /* the first run of the diff is the first */
	size_t *groups;		      /* of each run, counted from 0; those of a group agree */
	size_t n_groups;
	enum ts_pattern pattern;
	bool has_odd;
	size_t odd;		      /* the odd one out */
	struct ts_span sentence;      /* about the repeats */
	struct ts_envelope_row *rows;
	size_t n_rows;
	enum ts_tier_answer inside;   /* the candidate: HOLDS inside, FAILS a real difference, UNKNOWN also where one has grown */
	struct ts_span verdict;	      /* about the candidate, or why nothing is said */
	struct ts_level_row *levels;  /* the loss and the losses of evaluations, where both runs have them */
	size_t n_levels;
	struct ts_tier statistical;   /* the candidate, by those */
	double spread;		      /* of the first row that is known: spread_there, else the greatest; NaN: none is known */
};

/* Fills groups, pattern, odd and sentence from the matrix. False when the arena is full. */
bool ts_repeats_judge(struct ts_repeats *repeats, struct ts_arena *arena);
/* Fills inside, verdict, spread and statistical from the rows, the levels and the number of runs. */
bool ts_repeats_conclude(struct ts_repeats *repeats, struct ts_arena *arena);
/* Adds to the verdict that repeats are paired by step where the diff goes by an axis (empty: it does not). */
bool ts_repeats_say_axis(struct ts_repeats *repeats, struct ts_span axis, struct ts_arena *arena);
const char *ts_pattern_word(enum ts_pattern pattern); /* "unknown", "same", "odd_one_out", "groups", "together", "scattered" */

/* Two passes over the same points, in order:
 *
 *	ts_envelope_begin(&e, n, resolutions, chance, &arena)
 *	ts_envelope_learn(&e, values)			n values, one a repeat
 *	ts_envelope_judge(&e, step, values, candidate)
 *	ts_envelope_end(&e, has_step, step, &row)
 *
 * learn and judge are false when the arena is full. */
struct ts_envelope {
	size_t n;
	struct ts_resolution *resolutions; /* of the repeats, then of the candidate */
	bool chance;
	struct ts_arena *arena;
	double *windows; /* spread of each */
	size_t n_windows, cap;
	uint64_t learnt, judged;
	bool ready;
	int64_t *starts; /* first step of each window */
	const struct ts_cuts *cuts; /* set it after ts_envelope_begin; NULL: the defaults */
	struct ts_envelope_row row;
	/* points outside in a row, and where they began */
	size_t streak;
	bool streak_is_first;	    /* in a window's length */
	int64_t streak_step;
	double streak_r, streak_limit;
	double streak_least;	    /* r */
	double streak_rounding;	    /* the greatest r that rounding and quanta explain at one of them */
	uint64_t quiet;		    /* points inside before it */
};

/* Do runs of the recipe differ by chance, as far as their pattern shows? */
bool ts_pattern_is_chance(enum ts_pattern pattern);
/* resolutions: n + 1 of them, the candidate's last; they must outlive the envelope. n >= 2. */
void ts_envelope_begin(struct ts_envelope *e, size_t n, struct ts_resolution *resolutions, bool chance, struct ts_arena *arena);
bool ts_envelope_learn(struct ts_envelope *e, const double *values);
bool ts_envelope_judge(struct ts_envelope *e, int64_t step, const double *values, double candidate);
/* ret_row keeps its name and rank. */
bool ts_envelope_end(struct ts_envelope *e, bool has_step, int64_t step, struct ts_envelope_row *ret_row);

#endif
