/* gate.h - the regression test: from the values of candidate and baseline runs to a verdict with measured error rates.
 *
 * struct ts_gate_input holds everything that a verdict rests on, so that the same input gives the same verdict later, when the
 * runs are gone (`tscope gate --replay`). Nothing here reads a store.
 *
 * The unit of the test is the session (one allocation of the same hosts). Runs of one session ran under the same conditions, so
 * they count as one draw, which is their mean. A baseline that does not record its session counts as a session of its own;
 * candidates that do not record theirs count as one session together.
 *
 * First look at each metric: x are the means of R baseline sessions, y the means of K candidate sessions, and D = mean y -
 * mean x on the metric's scale,
 *	s^2 = ((R-1) s_x^2 + (K-1) s_y^2 + nu0 s0^2) / (R+K-2+nu0),	T = (D - delta') / (s sqrt(1/R + 1/K))
 * where delta' = log(1 + delta), and s0^2 and nu0 are the variance between runs of the project's history and its degrees of
 * freedom. A metric is suspect if T > t(1 - suspect_alpha), if such a T is also unlikely without any change
 * (TS_GATE_CLEAN_ALPHA), and if the difference is at least min_size. An improvement is the mirror image at alpha.
 *
 * Pairs: base and candidate run in turn on one allocation; d are the differences within the pairs, and T = (mean d - delta') /
 * (s_d / sqrt(n)). The test looks at them when there are `pairs` of them and again when there are `pairs_most` (gate_test.h). A
 * suspect becomes a REGRESSION only by its pairs (at alpha, split over the looks), or at alpha by the first look where the policy
 * sets rerun = off. Where there are enough pairs, they decide whatever the first look found, even without any baseline.
 *
 * Where a step of the candidate does other work than a step of its baselines (another batch, model or length of sequences), a time
 * says nothing, and MFU decides in its place, or tokens or samples per second and device. METRIC.least of the policy is a floor: the
 * row fails if the 99 % interval of the candidate's level, y +- t s sqrt(1/K), lies below it, and is BLIND if the interval spans it.
 *
 * A logged series (val_bpb, reward) has the mean of the last tenth of its values, as a loss. Which way it is better tells its name, or
 * the policy; if neither does, it is tested in both directions, at alpha over both, and where it moved, the row is INCONCLUSIVE and
 * says by how much.
 *
 * What a pass could have missed is the size from which a worsening would have been found with 95 % probability. Where that is
 * above the policy's must_catch, the row is BLIND. Where several metrics decide, they share alpha by Holm's procedure (1979).
 * docs/gate.md has the measured rates. Source: Kalibera and Jones
 * 2013 (levels of repetition); docs/gate.md.
 */
#ifndef TSCOPE_ANALYSIS_GATE_GATE_H
#define TSCOPE_ANALYSIS_GATE_GATE_H

#include "analysis/answer/diagnosis.h"
#include "analysis/gate/gate_policy.h"

enum { TS_GATE_LEAST = 3 /* baselines */, TS_GATE_RUNS_MAX = 4096 };

/* Where there are fewer baselines and no history, the gate assumes that runs of the same code differ by so much, with the weight of so
 * many degrees of freedom. Only a change that stands out from that is suspect while baselines are being collected. */
#define TS_GATE_ASSUMED_SD 0.1
#define TS_GATE_ASSUMED_DF 4.0
/* A metric that is watched counts where a clean run would be so much worse with a probability below this. */
#define TS_GATE_WATCH_ALPHA 0.001
/* Degrees of freedom of the history from which the spread between runs is known, so that one baseline is enough. */
#define TS_GATE_KNOWN_DF 8.0

enum ts_gate_role {
	TS_GATE_CANDIDATE = 1,
	TS_GATE_BASELINE = 2,
	TS_GATE_HISTORY = 3,	    /* an earlier run: only its distance from the others of its group counts */
	TS_GATE_PAIR_BASE = 4,
	TS_GATE_PAIR_CANDIDATE = 5,
};

struct ts_gate_run {
	enum ts_gate_role role;
	uint32_t group;		  /* HISTORY: runs of one group have one mean; PAIR_*: the number of the pair; else 0 */
	struct ts_id id;
	struct ts_span name;	  /* "project/run"; empty: no name points at the run any more, or it was given as a path */
	struct ts_workload workload;
	struct ts_reduction reduction;
};

/* A run that the gate looked at and that does not count, with the reason: "it is marked bad: broken fan", "it is still training". */
struct ts_gate_passed_over {
	struct ts_id id;
	struct ts_span name;
	struct ts_span reason;
};

/* A fact that changed between the newest baseline and the candidate. */
struct ts_gate_fact {
	struct ts_span path;
	struct ts_span a, b; /* of the baseline and of the candidate, as a person reads them; empty: not recorded */
};

/* How the loss curve of the candidate compares with that of the newest baseline, in the tiers of a diff. */
struct ts_gate_loss {
	enum ts_tier_answer bits, numeric, statistical;
	struct ts_span sentence; /* what was found, or why nothing is known */
};

struct ts_gate_input {
	uint32_t analysis_version;	    /* TS_ANALYSIS_VERSION of the reductions */
	struct ts_gate_policy policy;
	struct ts_span baseline;	    /* what the caller asked to compare with: "main" */
	struct ts_span sentence;	    /* how the baselines were chosen: "8 runs of main since the change accepted at 3f2a..." */
	struct ts_gate_run *runs;	    /* candidates, baselines newest first, history, pairs */
	size_t n_runs;
	struct ts_gate_passed_over *passed_over;
	size_t n_passed_over;
	/* How the workload of the candidate (b) differs from that of the newest baseline (a). A difference that the policy does not
	 * allow makes the verdict inconclusive. */
	struct ts_workload_difference *differences;
	size_t n_differences;
	struct ts_span not_comparable;	    /* why the runs cannot be compared; empty: they can */
	struct ts_span lost;		    /* which baselines went since the candidate came, and by whom: nothing is green then, but by
					     * pairs; empty: none */
	struct ts_span other_work;	    /* how the workload of the baselines differs; empty: they have the candidate's */
	struct ts_gate_fact *facts;	    /* facts that changed since the newest baseline, at most 64 */
	size_t n_facts;
	uint64_t facts_more;		    /* how many more changed that facts does not list */
	struct ts_gate_loss loss;
};

enum ts_gate_state {
	TS_GATE_PASS = 1,
	TS_GATE_REGRESSION = 2,
	TS_GATE_IMPROVEMENT = 3,
	TS_GATE_SUSPECT = 4,	  /* the first look found a regression, and pairs have to confirm it */
	TS_GATE_INCONCLUSIVE = 5, /* the runs are not comparable, or the metric is missing: never a pass */
	TS_GATE_COLLECTING = 6,	  /* there are fewer than TS_GATE_LEAST baselines, and the candidate is not suspect */
	TS_GATE_BLIND = 7,	  /* no regression was found, but one above must_catch could have been missed: never a pass */
};

/* The result for one metric. Numbers are NaN where they have no meaning. A relative size of 0.05 is 5 % more of the metric. */
struct ts_gate_row {
	enum ts_metric metric;
	struct ts_span name;	    /* "step_time", "val_bpb" */
	enum ts_better better;	    /* UNKNOWN: sizes are the metric's own, a row that moved either way is INCONCLUSIVE, never worse */
	enum ts_gate_state state;
	bool gates;		    /* the metric decides */
	bool counts;		    /* it decides, or it is watched and grossly worse; otherwise the row is only shown */
	struct ts_span reason;	    /* of INCONCLUSIVE and COLLECTING: why there is no verdict; of a REGRESSION to NaN: what it is */
	double base, candidate; /* means in the metric's unit (geometric where ratios are compared); of the pairs where they decide */
	uint64_t base_draws, candidate_draws; /* numbers of sessions */
	double size;		    /* relative difference; that of the pairs where pairs decide */
	double low, high;	    /* 99 % confidence interval of size */
	double value_low, value_high; /* 99 % confidence interval of the candidate's level, in the metric's unit */
	double least;		    /* the floor that the policy sets, in the metric's unit; NaN: none */
	bool floored;		    /* the state is that of the floor */
	double sd;		    /* between draws, on the scale on which values are compared: s above */
	double df;		    /* degrees of freedom of sd */
	double prior_sd, prior_df;  /* what the history of earlier runs gave; df 0: nothing */
	double t, p;		    /* of the first look, one-sided */
	double could_miss;	    /* relative size from which a worsening would have been found with 95 % probability */
	bool paired;		    /* pairs decided */
	uint64_t pairs;		    /* of the look that decided; otherwise all pairs that count */
	double pair_t, pair_p;
};

/* In which part of the step a difference lies. Of memory it is not about time; what machines have different may explain a time, and is
 * no part of it. */
enum ts_gate_part {
	TS_GATE_PART_OTHER, /* of a newer server */
	TS_GATE_PART_PHASE,
	TS_GATE_PART_RANK,
	TS_GATE_PART_WORK,
	TS_GATE_PART_WAIT,
	TS_GATE_PART_TRACE,
	TS_GATE_PART_MEMORY,
	TS_GATE_PART_MACHINE,
};

/* One part of the step in which the difference lies, or what holds the memory that a run needs more. */
struct ts_gate_why {
	struct ts_span kind; /* the word of an enum ts_gate_part */
	struct ts_span name; /* "forward"; "rank 3", "ranks 8-15"; "all ranks"; of files and machines the sentence on both */
	double base, candidate; /* seconds of an optimizer step; of a trace, of a step that was profiled; NaN: of others */
	double share;		/* of the whole difference; it may exceed 1 or fall below 0. NaN: of what is no part of it */
};

/* The pairs that a suspect verdict (exit 4) asks the caller to run. */
struct ts_gate_ask {
	uint64_t pairs;		      /* how many more; 0: none */
	struct ts_span base_commit;   /* of the newest baseline; empty: not recorded */
	struct ts_span candidate_commit;
	struct ts_id base, candidate; /* the newest baseline and the first candidate */
};

struct ts_verdict {
	struct ts_gate_input input;
	enum ts_gate_state state;   /* of all metrics that decide */
	uint32_t exit_code;	    /* 0, 1, 3, 4 */
	struct ts_span sentence;    /* the verdict in one sentence that a tired person can act on */
	struct ts_span *warnings;   /* "step time passes, but the gate could have missed a regression of up to 7 %, and ..." */
	size_t n_warnings;
	struct ts_span rates;	    /* MFU and tokens per second and device with their intervals, and what changed; empty: not known */
	struct ts_gate_row *rows;   /* in the order of ts_metrics, and then the logged series of the policy */
	size_t n_rows;
	struct ts_gate_why *why;    /* largest share first; only for REGRESSION, SUSPECT and IMPROVEMENT */
	size_t n_why;
	struct ts_gate_ask ask;
	struct ts_id policy_digest;
};

/* "phase", "rank", "work", "wait", "trace", "memory" */
const char *ts_gate_part_word(enum ts_gate_part part);
enum ts_gate_part ts_gate_part_of(struct ts_span word);
/* "pass", "regression", "improvement", "suspect", "inconclusive", "collecting", "blind" */
const char *ts_gate_state_word(enum ts_gate_state state);
const char *ts_gate_role_word(enum ts_gate_role role);	  /* "candidate", "baseline", "history", "pair_base", "pair_candidate" */

/* ret_verdict points into input; its sentences lie in the arena. The same input gives the same verdict, bit for bit. */
enum ts_status ts_gate_judge(const struct ts_gate_input *input, struct ts_arena *arena, struct ts_verdict *ret_verdict,
			     struct ts_error *err);
/* Whether the verdict is that the time of a step changed, so that `why` says where. */
bool ts_gate_asks_why(const struct ts_verdict *v);
/* Whether peak memory may have regressed, as far as that counts. */
bool ts_gate_asks_memory(const struct ts_verdict *v);
/* Puts a row in front of the others, or behind them. TS_NO_MEMORY. */
enum ts_status ts_gate_why_first(struct ts_verdict *v, struct ts_gate_why why, struct ts_arena *arena, struct ts_error *err);
enum ts_status ts_gate_why_last(struct ts_verdict *v, struct ts_gate_why why, struct ts_arena *arena, struct ts_error *err);
/* The title of a metric, with the columns of a loss that is not scalars.loss, or of a series that is logged under another name
 * (metric.h). NULL: the arena is full. */
const char *ts_gate_title(const struct ts_gate_input *input, enum ts_metric metric, struct ts_arena *arena);
/* In how many pairs the base ran first, and in how many the candidate, as far as their starts are recorded. The pairs that a verdict
 * asks for run in the order of which there are fewer so far. */
struct ts_gate_orders {
	uint64_t base, candidate;
};

struct ts_gate_orders ts_gate_orders_of(const struct ts_gate_input *input);
/* Does the base run first in the next pair, whose number this is? Counts the pair. */
bool ts_gate_base_first(struct ts_gate_orders *io_orders, uint64_t number);
/* Explains the test in words, with the numbers of a policy: what `tscope gate --explain` prints. */
void ts_gate_explain(const struct ts_gate_policy *policy, struct ts_buf *out);

#endif
