/* gate_test.h - the statistical tests of a gate on plain numbers: one metric, one number a run or session.
 *
 * The scale is the logarithm of a value, or a difference over the baseline's magnitude (metric.h); larger is worse. A draw is
 * the mean of one session. gate.h has the formulas, docs/gate.md their measured rates. Sums go in the order of the arguments, so
 * a caller who wants the same bits for the same runs sorts them first.
 *
 * Numbers too large to be squared give p = NaN, which is below no level, so they decide nothing.
 */
#ifndef TSCOPE_ANALYSIS_GATE_GATE_TEST_H
#define TSCOPE_ANALYSIS_GATE_GATE_TEST_H

#include <stdbool.h>
#include <stddef.h>


/* At a first look, the result must also be this unlikely without any change. A clean change then costs some 0.05 extra runs on
 * average, whatever the noise, because a clean change that is suspect runs at most 3.9 pairs on average. */
#define TS_GATE_CLEAN_ALPHA 0.0065
/* A standard deviation and what it rests on. */
struct ts_gate_spread {
	double sd;
	double df; /* 0: nothing is known */
};

/* What a metric and a policy require of a difference. */
struct ts_gate_rule {
	double delta;	 /* a difference up to this counts as no change */
	double min_size; /* a difference below this is ignored */
	double floor_sd; /* the smallest standard deviation of a draw that the test uses */
};

struct ts_gate_look {
	double difference; /* of means, candidate less baseline */
	double sd, df;	   /* of one draw, or of one pair's difference */
	double error;	   /* standard error of the difference */
	double t, p;	   /* one-sided test that the difference is above delta */
	double p_clean;	   /* that it is above 0 */
	double p_better;   /* that it is below -delta */
	size_t pairs;	   /* how many pairs the look used; 0 for a first look */
	double drift;	   /* of pairs: by how much each run is worse than the one before it; NaN: not estimated */
	double drift_error; /* standard error of drift; NaN where drift is */
	bool ends;	   /* of pairs: the first of two looks ended the test */
	bool noisy;	   /* the pairs scatter more than was known beforehand, and are tested with their own spread */
	int first;	   /* of pairs: the base ran first in each of them (1), or the candidate (-1); 0: neither, or not recorded */
};

/* What a first look adds to its error. All 0: nothing. */
struct ts_gate_allowance {
	double variance; /* of the candidates' mean, because their runs are shorter than those of the baselines */
	double leverage; /* of the baselines' level, in units of s^2, where it is read off a line (gate_level.h) */
	double fitted;	 /* degrees of freedom that the line took */
};

/* The pooled variance within groups. x holds n_groups groups one after the other, the i-th with sizes[i] values. */
struct ts_gate_spread ts_gate_pooled(const double *x, const size_t *sizes, size_t n_groups);

/* Two spreads pooled. */
struct ts_gate_spread ts_gate_both(struct ts_gate_spread a, struct ts_gate_spread b);

/* Sets sd, error, t and the p of a look whose difference, sd and df are there: the error is factor sd, and less than floor_sd is not
 * believed. */
void ts_gate_look_judge(struct ts_gate_look *look, double factor, double floor_sd, double delta);
/* s^2 of base, candidate and prior pooled; no less than floor_sd. The error is s sqrt(1/R + 1/K), and what is allowed for; allowance
 * may be NULL. n_base and n_candidate are at least 1; where no degree of
 * freedom is left, t, p and error are NaN. */
void ts_gate_first_look(const double *base, size_t n_base, const double *candidate, size_t n_candidate, struct ts_gate_spread prior,
			const struct ts_gate_allowance *allowance, const struct ts_gate_rule *rule, struct ts_gate_look *ret_look);

/* The difference is above delta at level alpha, above 0 at TS_GATE_CLEAN_ALPHA (or alpha, if that is stricter: which is then no
 * question), and not below min_size. */
bool ts_gate_worse(const struct ts_gate_look *look, const struct ts_gate_rule *rule, double alpha);
bool ts_gate_better(const struct ts_gate_look *look, const struct ts_gate_rule *rule, double alpha);
/* The true difference from which ts_gate_worse is true with 95 % probability, s being what it was here: with c = max(delta +
 * t(1 - alpha) error, t(1 - TS_GATE_CLEAN_ALPHA) error, min_size), c + t(0.95) error. Exact for one candidate: T is
 * Student's with the same s. */
double ts_gate_found_from(const struct ts_gate_look *look, const struct ts_gate_rule *rule, double alpha);
/* Half the width of the two-sided confidence interval of this level (0.99). */
double ts_gate_interval(const struct ts_gate_look *look, double level);

/* Holm (1979): the level for the p at `at`, one of n that share alpha: alpha / (n - how many are smaller), or 0 if one of the smaller
 * ones is above its own level. NaN counts as 1. */
double ts_gate_holm(const double *p, size_t n, size_t at, double alpha);

#endif
