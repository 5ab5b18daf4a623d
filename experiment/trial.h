/* trial.h - one run that a search asks for, and what it came to.
 *
 * A trial is the first run's recipe (A) with some factors taken from the second (B): the empty set is A again, and all factors but
 * those of this machine (TS_FACTOR_HERE) are B again. It stops before the step `stop`.
 *
 * Its outcome says whom it is like, by effects alone (loss, gradient norm, digests of parameters and gradients), over all steps that
 * it ran: recorded A, recorded B, or a number from 2 on, which runs have in common that are equal in every bit. Where a run is equal to
 * both it is like A. A run is compared with those that ran as far as it did, or further. Trials with deterministic kernels are compared
 * with one another only, so theirs are numbers from 2 on.
 */
#ifndef TSCOPE_EXPERIMENT_TRIAL_H
#define TSCOPE_EXPERIMENT_TRIAL_H

#include "experiment/factor.h"

enum ts_trial_why {
	TS_TRIAL_B_AGAIN,
	TS_TRIAL_A_AGAIN,
	TS_TRIAL_REPEAT,     /* does a rerun repeat? */
	TS_TRIAL_LIKELIEST,  /* the likeliest factor alone */
	TS_TRIAL_SEARCH,     /* a group of factors from B */
	TS_TRIAL_NEEDED,     /* the found set without one member */
	TS_TRIAL_PUT_BACK,   /* B with the found set put back */
	TS_TRIAL_TO_THE_END, /* A with the found set, to the end */
	TS_TRIAL_COMMIT,
	TS_TRIAL_HERE,		/* without something of this machine */
	TS_TRIAL_DETERMINISTIC, /* do runs repeat with deterministic kernels? */
	TS_TRIAL_SCATTER,	/* how far do repeats lie apart? */
	TS_TRIAL_OFTEN,		/* how often does a fault come back? */
	TS_TRIAL_WHYS
};

const char *ts_trial_why_word(enum ts_trial_why why); /* "b_again", ...: for JSON */
const char *ts_trial_why_text(enum ts_trial_why why); /* "the second run again, as it was recorded" */

struct ts_trial {
	struct ts_factor_set from_b;
	size_t commit;	    /* 0: of the side that the code is from; else the i-th after that of A */
	bool deterministic; /* with deterministic kernels and one thread */
	int64_t stop;
	unsigned repeat; /* 0: the first of this recipe and stop */
	enum ts_trial_why why;
};

enum { TS_LIKE_A = 0, TS_LIKE_B = 1, TS_LIKE_OTHER = 2 };

struct ts_trial_result {
	bool untestable; /* it could not be run, or not so far: nothing else counts */
	unsigned like;
	int64_t parts_from_b;  /* the first step at which it differs from B; INT64_MAX: none of those that it ran */
	const double *effects; /* the loss, or what else says most, at each step from the first: for runs that do not repeat */
	size_t n_effects;
};

struct ts_trial_answer {
	struct ts_trial trial;
	struct ts_trial_result outcome;
};

/* Are they the same run? Why it is asked for does not count. */
bool ts_trials_equal(const struct ts_trial *a, const struct ts_trial *b);

#endif
