/* traceml_compare.h - what TraceML's compare says of two of its summaries, and what its rule does not see.
 *
 * The rule has fixed limits (3 % of step time, 10 % of peak reserved memory) for one number of one run on each side, and an
 * order of the names of its diagnoses. Each finding has a priority; the lowest number decides, and all are kept. The step
 * time is that of the GPU clock if both summaries have it, else of the CPU clock if both have that, else there is none. The
 * priorities of the rule are 1 to 11 and 99, as TraceML's own files write them.
 *
 * What the rule does not see are differences between the two summaries that do not reach its verdict; each is listed with
 * its numbers. One more entry says that one run on each side does not show how runs vary, and how many baselines a gate
 * would need to find such a difference (gate_test.h).
 * Source: TraceML v0.3.6, its rules in our own words; reproduces its answers for the cases of tests/golden/traceml.
 */
#ifndef TSCOPE_ANALYSIS_TRACEML_TRACEML_COMPARE_H
#define TSCOPE_ANALYSIS_TRACEML_TRACEML_COMPARE_H

#include "analysis/traceml/traceml_summary.h"

#define TS_TRACEML_STEP_PCT 3.0
#define TS_TRACEML_MEMORY_PCT 10.0
#define TS_TRACEML_TINY 1e-12 /* no percentage is relative to a number of at most this size */

enum ts_traceml_verdict {
	TS_TRACEML_INCONCLUSIVE,
	TS_TRACEML_EQUIVALENT,
	TS_TRACEML_IMPROVEMENT,
	TS_TRACEML_REGRESSION,
	TS_TRACEML_MIXED,
};

enum ts_traceml_state {
	TS_TRACEML_COMPARABLE,
	TS_TRACEML_PARTIAL,
	TS_TRACEML_INSUFFICIENT, /* of the whole comparison only */
	TS_TRACEML_MISSING_ONE_SIDE,
	TS_TRACEML_MISSING_BOTH,
};

struct ts_traceml_finding {
	int priority;
	enum ts_traceml_verdict verdict;
	const char *severity; /* "info", "warning" */
	const char *domain;   /* "compare", "step_time", "step_memory" */
	const char *metric;   /* "step_time_ms", "peak_reserved_bytes", "diagnosis"; NULL: none */
	struct ts_span why;
};

/* One number in both summaries. */
struct ts_traceml_pair {
	struct ts_traceml_number a, b;
	struct ts_traceml_number pct; /* 100 (b - a) / a; not known if a is near 0 or one of them is not known */
};

/* A difference that the rule does not report. */
struct ts_traceml_missed {
	const char *code; /* "phases" */
	struct ts_span sentence;
};

/* How many baselines a gate needs to find the difference in 95 of 100 cases, if runs vary by this noise. */
struct ts_traceml_baselines {
	double noise; /* relative standard deviation between runs */
	unsigned n;   /* 0: more than TS_TRACEML_BASELINES_MOST */
};

enum { TS_TRACEML_FINDINGS = 8, TS_TRACEML_MISSED = 24, TS_TRACEML_NOISES = 4, TS_TRACEML_BASELINES_MOST = 20 };

struct ts_traceml_comparison {
	struct ts_traceml_finding findings[TS_TRACEML_FINDINGS]; /* the first one decides */
	size_t n_findings;
	enum ts_traceml_state overall, step_time, step_memory;
	enum ts_traceml_clock clock; /* of the step times */
	struct ts_traceml_pair step, memory;
	struct ts_span warning; /* empty: there is none */
	struct ts_traceml_missed missed[TS_TRACEML_MISSED];
	size_t n_missed;
	double size; /* the relative difference that the numbers of baselines are for */
	struct ts_traceml_baselines baselines[TS_TRACEML_NOISES];
};

/* Compares b with a. Sentences lie in the arena. */
enum ts_status ts_traceml_compare(const struct ts_traceml_summary *a, const struct ts_traceml_summary *b,
				  struct ts_arena *arena, struct ts_traceml_comparison *ret, struct ts_error *err);
/* The smallest number of baselines with which a first look (gate.h) at one candidate finds a worsening of this relative size
 * in 95 of 100 cases, if the relative standard deviation between runs is `noise` and is known only from the baselines. 0 if
 * more than TS_TRACEML_BASELINES_MOST are needed. */
unsigned ts_traceml_baselines_for(double size, double noise);

const char *ts_traceml_verdict_word(enum ts_traceml_verdict verdict); /* "REGRESSION" */
const char *ts_traceml_outcome(enum ts_traceml_verdict verdict);      /* "regression"; "unclear" for INCONCLUSIVE */
const char *ts_traceml_state_word(enum ts_traceml_state state);	      /* "missing_one_side" */

#endif
