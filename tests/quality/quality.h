/* quality.h - how often a detector is wrong, measured on seeded data and printed with its bound.
 *
 * Each file quality_*.c has one function that runs its cases; quality.c has the table of them, and main. A case counts how often
 * something happened in n trials and says how often it may or must:
 *
 *	struct quality_case c = quality_at_most("false straggler, N 8, S 100, white", 0.01);
 *	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 2000); i++) {
 *		quality_random(&c, i, &random);
 *		quality_count(&c, detects(&random));
 *	}
 *	quality_report(q, &c);
 *
 * A case holds when the data do not contradict its goal: "at most" fails when the lower 95 % bound of the rate (Clopper and Pearson
 * 1934, one-sided) is above the goal, "at least" when the upper one is below it. `quality` runs all trials and fails also
 * where the observed rate itself misses the goal; `quality --some` runs a thirtieth of them, with the same seeds. `quality --seed N`
 * draws other data for every case: a rate that holds for one seed alone is chance. Limits are chosen by other seeds than 0, and the
 * rates that documents give are those of seed 0.
 */
#ifndef TSCOPE_TESTS_QUALITY_QUALITY_H
#define TSCOPE_TESTS_QUALITY_QUALITY_H

#include "analysis/stats/random.h"

#include <stdbool.h>
#include <stddef.h>

struct quality {
	bool some;
	const char *only; /* run cases whose name holds this; NULL = all */
	unsigned failed;
	unsigned cases;
};

struct quality_case {
	const char *name;
	double goal; /* a rate, 0 to 1 */
	bool at_least;
	uint64_t n, hits;
};

/* All of `full`; or, of some, a thirtieth, and 10 where `full` is below 600. */
uint64_t quality_trials(const struct quality *q, uint64_t full);
/* Starts the random numbers of trial i of a case: other cases have other ones. */
void quality_random(const struct quality_case *c, uint64_t i, struct ts_random *ret_random);
struct quality_case quality_at_most(const char *name, double goal);
struct quality_case quality_at_least(const char *name, double goal);
/* Is this case asked for? */
bool quality_wants(const struct quality *q, const struct quality_case *c);
void quality_count(struct quality_case *c, bool happened);
/* Prints name, n, hits, rate, its two-sided 95 % interval, the goal, and whether it holds. */
void quality_report(struct quality *q, const struct quality_case *c);
/* A row that decides nothing, and why: its goal is out of reach, or it is what others do. */
void quality_report_only(const struct quality *q, const struct quality_case *c, const char *why);
/* The mean of c->n numbers, not a share of hits: in percent of one, with the normal interval of the mean. At most the goal. */
void quality_report_mean(struct quality *q, const struct quality_case *c, double sum, double squares);

/* Noise: AR(1) of coefficient rho and marginal deviation sd; *state is the one before, NAN at the start. */
double quality_ar1(struct ts_random *r, double rho, double sd, double *state);
/* exp of a normal of deviation sigma, scaled to mean 1. */
double quality_lognormal(struct ts_random *r, double sigma);

#endif
