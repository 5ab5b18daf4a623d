/* gate_test.h - the statistical tests of a gate on plain numbers: one metric, one number a run or session.
 *
 * The scale is the logarithm of a value, or a difference over the baseline's magnitude (metric.h); above 0 is worse. A draw is
 * the mean of one session. gate.h has the formulas, docs/gate.md their measured rates. Sums go in the order of the arguments,
 * so that who wants the same bits for the same runs sorts them.
 *
 * Numbers too large to be squared give p = NaN, which is below no limit: nothing is decided by them.
 */
#ifndef TSCOPE_ANALYSIS_GATE_TEST_H
#define TSCOPE_ANALYSIS_GATE_TEST_H

#include <stdbool.h>
#include <stddef.h>


/* No change at all must be this unlikely at a first look. With the looks of pairs below a clean change then costs at most
 * 0.05 more runs on average, whatever the noise: a suspect of a clean change runs 3.3 pairs on average. */
#define TS_GATE_CLEAN_ALPHA 0.007
/* A standard deviation and what it rests on. */
struct ts_gate_spread {
	double sd;
	double df; /* 0: nothing is known */
};

/* What a metric and a policy ask of a difference. */
struct ts_gate_rule {
	double delta;	 /* a difference up to this is none */
	double min_size; /* one below this does not matter */
	double floor_sd; /* of a draw: less is not believed */
};

struct ts_gate_look {
	double difference; /* of means, candidate less baseline */
	double sd, df;	   /* of one draw, or of one pair's difference */
	double error;	   /* standard error of the difference */
	double t, p;	   /* that it is above delta: one-sided */
	double p_clean;	   /* that it is above 0 */
	double p_better;   /* that it is below -delta */
	size_t pairs;	   /* that count; 0 of a first look */
	double drift;	   /* of pairs: what each run is worse than the one before it; NaN: not estimated */
	bool noisy;	   /* pairs: they scatter by more than what was known beforehand, and are held to their own scatter */
};

/* Variances within groups pooled: x holds the groups one behind the other, n_groups of them of sizes[i] values each. */
struct ts_gate_spread ts_gate_pooled(const double *x, const size_t *sizes, size_t n_groups);

/* Sets sd, error, t and the p of a look whose difference, sd and df are there: the error is factor sd, and less than floor_sd is not
 * believed. */
void ts_gate_look_judge(struct ts_gate_look *look, double factor, double floor_sd, double delta);
/* s^2 of base, candidate and prior pooled; no less than floor_sd. n_base and n_candidate are at least 1; where no degree of
 * freedom is left, t, p and error are NaN. */
void ts_gate_first_look(const double *base, size_t n_base, const double *candidate, size_t n_candidate, struct ts_gate_spread prior,
			const struct ts_gate_rule *rule, struct ts_gate_look *ret_look);

/* The difference is above delta at level alpha, above 0 at TS_GATE_CLEAN_ALPHA (or alpha, if that is stricter: which is then no
 * question), and not below min_size. */
bool ts_gate_worse(const struct ts_gate_look *look, const struct ts_gate_rule *rule, double alpha);
bool ts_gate_better(const struct ts_gate_look *look, const struct ts_gate_rule *rule, double alpha);
/* The true difference from which ts_gate_worse is true with 95 % probability, s being what it was here: with c = max(delta +
 * t(1 - alpha) error, t(1 - TS_GATE_CLEAN_ALPHA) error, min_size), c + t(0.95) error. Exact for one candidate: T is
 * Student's with the same s. */
double ts_gate_found_from(const struct ts_gate_look *look, const struct ts_gate_rule *rule, double alpha);
/* Half the width of the two-sided interval of this level (0.99). */
double ts_gate_interval(const struct ts_gate_look *look, double level);

/* Holm (1979): the level that the p at `at` is held against, of n of them at alpha in all: alpha / (n - how many are
 * smaller), and 0 as soon as one that is smaller misses its own. NaN counts as 1. */
double ts_gate_holm(const double *p, size_t n, size_t at, double alpha);

#endif
