/* gate.h - is the candidate slower than its baselines, by a test that can be trusted: from the values of runs to a verdict.
 *
 * Everything that a verdict rests on is in struct ts_gate_input, so that the same input gives the same verdict later, when the
 * runs are gone (`tscope gate --replay`). Nothing here reads a store.
 *
 * Unit: the session. Runs of one session (one allocation of the same hosts) share its luck and count as one draw, their mean;
 * a baseline that does not record its session is one of its own, candidates that do not are one together.
 *
 * First look, of each metric: x the means of R baseline sessions, y of K candidate sessions, D = mean y - mean x on the
 * metric's scale,
 *	s^2 = ((R-1) s_x^2 + (K-1) s_y^2 + nu0 s0^2) / (R+K-2+nu0),	T = (D - delta') / (s sqrt(1/R + 1/K))
 * where delta' = log(1 + delta) and s0^2, nu0 is the variance between runs of the project's history. Suspect: T > t(1 -
 * suspect_alpha), no change at all is unlikely too (TS_GATE_CLEAN_ALPHA), and the size is at least min_size. An improvement
 * is the mirror image at alpha.
 * Pairs: base and candidate alternately on one allocation; d = their differences; T = (mean d - delta') / (s_d /
 * sqrt(n)), looked at when there are `pairs` and when there are `pairs_most` (gate_test.h). A suspect becomes a REGRESSION
 * only by its pairs (at alpha, split over the looks), or at alpha alone where the policy says that nothing is run again;
 * where there are enough pairs they decide, whatever the first look says, and though there be no baselines. What a pass
 * could have missed: the size from which a suspect would have been found with 95 % probability. With several metrics that
 * gate, alpha goes by Holm (1979). docs/gate.md has the measured rates. Source: Kalibera and Jones 2013 (levels of
 * repetition); docs/gate.md.
 */
#ifndef TSCOPE_ANALYSIS_GATE_H
#define TSCOPE_ANALYSIS_GATE_H

#include "analysis/answer/diagnosis.h"
#include "analysis/gate/gate_policy.h"

enum { TS_GATE_LEAST = 3 /* baselines */, TS_GATE_RUNS_MAX = 4096 };

enum ts_gate_role {
	TS_GATE_CANDIDATE = 1,
	TS_GATE_BASELINE = 2,
	TS_GATE_HISTORY = 3,	    /* only its distance from others of its group counts */
	TS_GATE_PAIR_BASE = 4,
	TS_GATE_PAIR_CANDIDATE = 5,
};

struct ts_gate_run {
	enum ts_gate_role role;
	uint32_t group;		  /* HISTORY: runs of one group have one mean; PAIR_*: the number of the pair; else 0 */
	struct ts_id id;
	struct ts_span name;	  /* "project/run"; empty: none points at it any more, or a path */
	struct ts_workload workload;
	struct ts_reduction reduction;
};

/* A run that was looked at and does not count: "marked bad: broken fan", "still training", "config.lr differs". */
struct ts_gate_passed_over {
	struct ts_id id;
	struct ts_span name;
	struct ts_span reason;
};

/* A fact that changed between the newest baseline and the candidate. */
struct ts_gate_fact {
	struct ts_span path;
	struct ts_span a, b; /* as a person reads them; empty: not recorded */
};

/* The trajectory of the candidate against the newest baseline's, in the tiers of a diff. */
struct ts_gate_loss {
	enum ts_tier_answer bits, numeric, statistical;
	struct ts_span sentence; /* "loss parts at step 120: ..."; why nothing is known */
};

struct ts_gate_input {
	uint32_t analysis_version;	    /* TS_ANALYSIS_VERSION of the reductions */
	struct ts_gate_policy policy;
	struct ts_span baseline;	    /* what was asked for: "main" */
	struct ts_span sentence;	    /* how the baselines were chosen: "8 runs of main since the change accepted at 3f2a..." */
	struct ts_gate_run *runs;	    /* candidates, baselines newest first, history, pairs */
	size_t n_runs;
	struct ts_gate_passed_over *passed_over;
	size_t n_passed_over;
	/* Of candidate (b) and newest baseline (a); those not allowed make it inconclusive. */
	struct ts_workload_difference *differences;
	size_t n_differences;
	struct ts_span not_comparable;	    /* why nothing can be compared; empty: it can */
	struct ts_gate_fact *facts;	    /* changed since the newest baseline, at most 64 */
	size_t n_facts;
	uint64_t facts_more;		    /* not listed */
	struct ts_gate_loss loss;
};

enum ts_gate_state {
	TS_GATE_PASS = 1,
	TS_GATE_REGRESSION = 2,
	TS_GATE_IMPROVEMENT = 3,
	TS_GATE_SUSPECT = 4,	  /* pairs are asked for */
	TS_GATE_INCONCLUSIVE = 5, /* not comparable, or the metric is missing: never a pass */
	TS_GATE_COLLECTING = 6,	  /* fewer than TS_GATE_LEAST baselines */
};

/* One metric. Numbers are NaN where they have no meaning. Relative sizes: 0.05 = 5 % more of the metric. */
struct ts_gate_row {
	enum ts_metric metric;
	enum ts_gate_state state;
	bool gates;
	struct ts_span reason;	    /* INCONCLUSIVE, COLLECTING: why */
	double base, candidate;	    /* in the metric's unit: (geometric) means */
	uint64_t base_draws, candidate_draws; /* sessions */
	double size;		    /* relative; of the pairs where there are pairs */
	double low, high;	    /* 99 % confidence interval of it */
	double sd;		    /* between draws, on the scale compared: s above */
	double df;
	double prior_sd, prior_df;  /* what history gave; df 0: nothing */
	double t, p;		    /* of the first look, one-sided */
	double could_miss;	    /* relative size of a worsening from which on it would have been found with 95 % probability */
	bool weak;		    /* above must_catch */
	bool paired;
	uint64_t pairs;		    /* of the look that decided; else all that count */
	double pair_t, pair_p;
};

/* Where the difference lies. Seconds of an optimizer step. */
struct ts_gate_why {
	struct ts_span kind; /* "phase", "rank", "work", "wait" */
	struct ts_span name; /* "forward"; "rank 3", "ranks 8-15"; "all ranks" */
	double base, candidate;
	double share;	     /* of the whole difference; may exceed 1 or fall below 0 */
};

/* What a suspect asks for: exit 4. */
struct ts_gate_ask {
	uint64_t pairs;		      /* more of them; 0: nothing is asked for */
	struct ts_span base_commit;   /* of the newest baseline; empty: not recorded */
	struct ts_span candidate_commit;
	struct ts_id base, candidate; /* runs */
};

struct ts_verdict {
	struct ts_gate_input input;
	enum ts_gate_state state;   /* of all metrics that gate */
	int exit_code;		    /* 0, 1, 3, 4 */
	struct ts_span sentence;    /* one that a tired person can act on */
	struct ts_span *warnings;   /* "a pass, but a regression of 7 % could have been missed: ..." */
	size_t n_warnings;
	struct ts_gate_row rows[TS_METRICS]; /* in the order of the table */
	struct ts_gate_why *why;    /* largest share first; of REGRESSION, SUSPECT and IMPROVEMENT */
	size_t n_why;
	struct ts_gate_ask ask;
	struct ts_id policy_digest;
};

/* "pass", "regression", "improvement", "suspect", "inconclusive", "collecting" */
const char *ts_gate_state_word(enum ts_gate_state state);
const char *ts_gate_role_word(enum ts_gate_role role);	  /* "candidate", "baseline", "history", "pair_base", "pair_candidate" */

/* ret_verdict points into input; sentences lie in the arena. Same input, same verdict, to the bit. */
enum ts_status ts_gate_judge(const struct ts_gate_input *input, struct ts_arena *arena, struct ts_verdict *ret_verdict,
			     struct ts_error *err);
/* The test in words, with the numbers of a policy: `tscope gate --explain`. */
void ts_gate_explain(const struct ts_gate_policy *policy, struct ts_buf *out);

#endif
