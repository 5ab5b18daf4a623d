/* gate_internal.h - what the files of the gate share: the samples of one metric, and a verdict while it is made. */
#ifndef TSCOPE_ANALYSIS_GATE_GATE_INTERNAL_H
#define TSCOPE_ANALYSIS_GATE_GATE_INTERNAL_H

#include "analysis/gate/gate.h"
#include "analysis/gate/gate_paired.h"

/* A base and a candidate run that follow one another on one allocation. */
struct ts_gate_pair {
	uint32_t number;
	const struct ts_gate_run *base, *candidate; /* NULL: there is none */
	const char *why_not;			    /* why the pair does not count; NULL: it counts */
};

/* Runs of one role that do not count for one metric. */
struct ts_gate_lacking {
	uint64_t runs, of;     /* how many do not count, of how many */
	struct ts_span reason; /* of one of them */
	struct ts_span names;  /* of logged series: which runs, "run/a, run/b and 3 more" */
};

/* Baselines of two kinds. */
struct ts_gate_kinds {
	size_t better, worse; /* draws of each; 0: all are of one kind */
	double apart;	      /* distance of their means, on the scale on which values are compared */
	struct ts_span path;  /* the fact that tells them apart; empty: none is known */
	int own;	      /* the candidate's kind: 0 the better, 1 the worse, -1 not known */
};

/* One metric of all runs, on the scale on which values are compared: larger is worse. Draws are sorted in ascending order, so that
 * the result does not depend on the order of the runs. */
struct ts_gate_sample {
	struct ts_span reason; /* why the metric cannot be compared; empty: it can */
	double sign;	       /* 1: the scale is the metric's own; -1: more of the metric is better. Of a series of which nobody knows
				  that, the way in which the candidates differ counts as the worse one */
	double *base, *candidate;
	struct ts_gate_difference *pairs; /* in the order in which they began, both orders in turn (ts_gate_pairs_alternate) */
	int taken_first;		  /* the base ran first in each pair of the look (1), or the candidate (-1); 0: neither */
	int first;			  /* the same, where it leaves the verdict open: the other order is missing */
	double *scratch;		  /* memory for looks at the pairs */
	double drift;			  /* by how much each run of the pairs is worse than the run before it; NaN: not estimated */
	size_t n_base, n_candidate, n_pairs;
	struct ts_gate_spread prior, within; /* of draws, and of the runs of one session */
	double magnitude;		     /* of the baseline, to which differences are relative; 1 where logarithms are compared */
	bool relative;			     /* false: the baseline is 0, and relative sizes have no meaning */
	struct ts_gate_lacking no_base, no_candidate, no_pair;
	const struct ts_gate_run **odd; /* baselines that lie far from the others and do not count; odd_by: by how much */
	double *odd_by;
	size_t n_odd;
	double faster; /* several of the odd draws are better than the others, by so much: the candidate may be of that kind; else 0 */
	struct ts_gate_allowance allowance; /* for candidates that are shorter than the baselines, and for a drift of these */
	double base_drift; /* by how much each baseline is worse than the one before it; the values in base are moved to the
				   candidate's place; 0: there is none */
	size_t n_low;	   /* the baselines are of two kinds that no fact tells apart, and so many are of the better one; 0: of one */
	struct ts_gate_kinds kinds; /* what is said of two kinds */
	const size_t *base_runs;    /* of each draw in base: the number of runs of which it is the mean */
	int nearer;		    /* where n_low is above 0: the kind it was compared with, 0 the better; -1: none yet */
	bool ahead;		    /* the first look found an improvement, and by the policy one run cannot show it */
	bool one_session; /* the baselines are runs of the candidates' own session */
	uint64_t unnamed; /* baselines that count and do not record their session */
};

/* A verdict in the making. */
struct ts_gate_court {
	const struct ts_gate_input *input;
	struct ts_arena *arena;
	struct ts_verdict v;
	struct ts_gate_pair *pairs;
	size_t n_pairs;
	struct ts_gate_sample samples[TS_METRICS_ALL];
	const struct ts_gate_run *candidate; /* the first one; NULL: there is none */
	const char *without;		     /* the state that the verdict would have, had no baseline been lost; NULL: it has it */
	struct ts_span other_work;	     /* how the candidate's steps differ from those of its baselines; empty: not */
	enum ts_metric stands_in;	     /* the rate that decides in place of step time; TS_METRICS: none */
	double *places;			     /* of each run of the input, in time; larger is later */
	size_t cap_warnings;
	bool full; /* the arena has no room left */
};

/* Rows, samples and pairs are those of the input, and of the draws that are of two kinds some are of each. */
bool ts_gate_court_holds(const struct ts_gate_court *c);

/* False when the arena is full. */
bool ts_gate_pairs_find(struct ts_gate_court *c);
bool ts_gate_places_find(struct ts_gate_court *c);
bool ts_gate_sample_of(struct ts_gate_court *c, enum ts_metric metric, struct ts_gate_sample *ret_sample);
/* The metric's value in a run; of a metric of the table, policy may be NULL. False: the run has no value that can be compared, and
 * *ret_reason says why. */
bool ts_gate_value(const struct ts_gate_policy *policy, const struct ts_gate_run *run, enum ts_metric metric, double *ret_value,
		   struct ts_span *ret_reason);
/* How the value was measured. Values that were measured in different ways are not compared. */
struct ts_span ts_gate_basis(const struct ts_gate_run *run, enum ts_metric metric);

/* Of gate_court.c, which calls no other file of the gate. The metric is a time or is computed from one: it depends on how time was
 * measured, and gate_why.c can split its difference. */
bool ts_gate_timed(enum ts_metric metric);
/* The number of runs of which the baseline draws are with which the candidate was compared: those of both kinds where it was compared
 * with neither. */
uint64_t ts_gate_runs_compared(const struct ts_gate_sample *s);
/* Formats a text in the arena; sets c->full where the arena has no room. */
struct ts_span ts_gate_text(struct ts_gate_court *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a warning to the verdict. */
void ts_gate_warn(struct ts_gate_court *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Of gate_work.c. Asks whether a step of the candidate does other work than one of the run, as far as both record it. */
bool ts_gate_other_work(struct ts_gate_court *c, const struct ts_gate_run *run, struct ts_span *ret_reason);
/* The metric is an amount of one step, so that other work has another amount. */
bool ts_gate_per_step(enum ts_metric metric);
/* Sets c->candidate, c->other_work and c->stands_in. */
void ts_gate_work_find(struct ts_gate_court *c);
/* Lets a rate decide where a time cannot. */
void ts_gate_work_gates(struct ts_gate_court *c);
/* Writes c->v.rates, and warnings where a rate decides. */
void ts_gate_work_say(struct ts_gate_court *c);

/* Of gate_length.c. Asks whether a metric of the end of a run (loss, a logged series, step_time_end) is that of other steps than the
 * baselines'; a value that is not finite is one at any step. */
bool ts_gate_ends_elsewhere(struct ts_gate_court *c, const struct ts_gate_run *run, enum ts_metric metric, struct ts_span *ret_reason);
/* Asks whether the run ended in the warm-up that its baselines leave out, or soon after. */
bool ts_gate_still_warm(struct ts_gate_court *c, const struct ts_gate_run *run, struct ts_span *ret_reason);
/* The variance that runs of a role have beyond that of the baselines, because they are shorter: the mean of one run. *ret_n is the
 * number of runs. */
double ts_gate_shorter(const struct ts_gate_input *input, enum ts_metric metric, enum ts_gate_role role, size_t *ret_n);

/* Of gate_labels.c. Lists facts of a run that none of the others shares: "session.host is node7"; empty: none stands out. */
struct ts_span ts_gate_only_of(struct ts_gate_court *c, const struct ts_gate_run *run, const struct ts_gate_run *const *others,
			       size_t n);
/* Finds a fact of which the first n_low runs and the others have no value in common. */
bool ts_gate_apart(const struct ts_gate_run *const *runs, size_t n_low, size_t n, struct ts_span *ret_path);
/* Returns 0 or 1 for the kind whose value of this fact the run shares, or -1. */
int ts_gate_kind_of(const struct ts_gate_run *const *runs, size_t n_low, size_t n, struct ts_span path, const struct ts_gate_run *run);

/* The row that the verdict's sentence is about, by states and p; NULL: no metric decides. */
const struct ts_gate_row *ts_gate_deciding(const struct ts_verdict *v);
void ts_gate_why_fill(struct ts_gate_court *c);
void ts_gate_say_fill(struct ts_gate_court *c);
/* Why the pairs of a metric, which are of one order, decide nothing. */
struct ts_span ts_gate_one_order(struct ts_gate_court *c, enum ts_metric metric);
/* By how much a series moved whose direction nobody knows, and what to do, as part of a sentence. */
struct ts_span ts_gate_moved_text(struct ts_gate_court *c, const struct ts_gate_row *row);
/* What a floor says of the row, as part of a sentence. */
struct ts_span ts_gate_floor_text(struct ts_gate_court *c, const struct ts_gate_row *row);

#endif
