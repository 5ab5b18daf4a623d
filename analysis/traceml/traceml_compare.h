/* traceml_compare.h - what TraceML's compare says of two of its summaries, and what its rule does not see.
 *
 * The rule: fixed limits (3 % of step time, 10 % of peak reserved memory) on one number of one run a side, and ranks of its
 * diagnoses' names. Findings have priorities; the lowest number wins, all are kept. Step time is of the GPU clock if both have
 * it, else of the CPU clock if both have, else there is none. The numbers of the rule are 1 to 11 and 99, as its own files
 * write them.
 *
 * What it does not see: differences that are in the two summaries and do not reach its verdict, each with its numbers; and that
 * one run a side says nothing of how runs scatter, with how many baselines a gate would want to find such a difference
 * (gate_test.h). Source: TraceML v0.3.6, its rules in our own words; reproduces its answers for the cases of
 * tests/golden/traceml.
 */
#ifndef TSCOPE_ANALYSIS_TRACEML_TRACEML_COMPARE_H
#define TSCOPE_ANALYSIS_TRACEML_TRACEML_COMPARE_H

#include "analysis/traceml/traceml_summary.h"

#define TS_TRACEML_STEP_PCT 3.0
#define TS_TRACEML_MEMORY_PCT 10.0
#define TS_TRACEML_TINY 1e-12 /* a number no larger has no percentage */

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
	TS_TRACEML_INSUFFICIENT, /* of all */
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

/* One number of both. */
struct ts_traceml_pair {
	struct ts_traceml_number a, b;
	struct ts_traceml_number pct; /* 100 (b - a) / a; not known where a is next to 0, or where it is no number */
};

/* Something that the rule passes over. */
struct ts_traceml_missed {
	const char *code; /* "phases" */
	struct ts_span sentence;
};

/* How many baselines a gate wants to find the difference in 95 of 100 cases, by how much runs scatter. */
struct ts_traceml_baselines {
	double noise; /* relative standard deviation between runs */
	unsigned n;   /* 0: more than TS_TRACEML_BASELINES_MOST */
};

enum { TS_TRACEML_FINDINGS = 8, TS_TRACEML_MISSED = 24, TS_TRACEML_NOISES = 4, TS_TRACEML_BASELINES_MOST = 20 };

struct ts_traceml_comparison {
	struct ts_traceml_finding findings[TS_TRACEML_FINDINGS]; /* the first one wins */
	size_t n_findings;
	enum ts_traceml_state overall, step_time, step_memory;
	enum ts_traceml_clock clock; /* of the step times */
	struct ts_traceml_pair step, memory;
	struct ts_span warning; /* empty: none */
	struct ts_traceml_missed missed[TS_TRACEML_MISSED];
	size_t n_missed;
	double size; /* relative difference that baselines are counted for */
	struct ts_traceml_baselines baselines[TS_TRACEML_NOISES];
};

/* Sentences lie in the arena. */
enum ts_status ts_traceml_compare(const struct ts_traceml_summary *a, const struct ts_traceml_summary *b,
				  struct ts_arena *arena, struct ts_traceml_comparison *ret, struct ts_error *err);
/* The smallest n with which a first look (gate.h) at one candidate finds a worsening of this relative size in 95 of 100 cases,
 * where runs scatter by noise and nothing is known of it but the baselines. 0: not even TS_TRACEML_BASELINES_MOST do. */
unsigned ts_traceml_baselines_for(double size, double noise);

const char *ts_traceml_verdict_word(enum ts_traceml_verdict verdict); /* "REGRESSION" */
const char *ts_traceml_outcome(enum ts_traceml_verdict verdict);      /* "regression"; "unclear" of INCONCLUSIVE */
const char *ts_traceml_state_word(enum ts_traceml_state state);	      /* "missing_one_side" */

#endif
