/* why.h - the answer to "which facts make two runs differ", as experiments found it: the causes, the runs that prove them, what could
 * not be tried. Texts are spans, so that an answer holds nothing but itself. */
#ifndef TSCOPE_ANALYSIS_ANSWER_WHY_H
#define TSCOPE_ANALYSIS_ANSWER_WHY_H

#include "analysis/answer/run_ref.h"

struct ts_why_fact {
	struct ts_span path;
	struct ts_span a, b; /* its values, as text; empty: not set */
	bool needed;	     /* without it, a run did not give the second run's result */
};

struct ts_why_cause {
	struct ts_span found;	  /* "facts", "here", "one_off", "gone", "not_again", "patch", "nondeterminism", "elsewhere", ... */
	struct ts_span undecided; /* why: "budget", "untestable", "scatter", "contradicts"; empty: it is not */
	struct ts_span sentence;
	struct ts_why_fact *facts; /* the smallest set that was found, or what remains */
	size_t n_facts;
	int64_t step;			       /* from which on it acts */
	struct ts_span commit, commit_subject; /* the first that is not as the first run; empty: none was looked for */
	struct ts_span commit_last;	       /* where it is one of several that could not be parted: the last of them; else empty */
	struct ts_span commit_whole;	       /* from which on the result is the second run's; empty: none */
	bool put_back, to_end, alone;
	uint64_t repeats; /* reruns in which it did not come back */
	struct ts_span operation; /* the first that differs where it acts, with its line of code; empty: not known */
	struct ts_span *gone; /* of "gone" and "not_again": what of the record is not as it was, in words */
	size_t n_gone;
};

struct ts_why_trial {
	uint64_t number;
	struct ts_span why;	/* "b_again", ... */
	struct ts_span what;	/* in words */
	struct ts_span *from_b; /* paths of the facts that it has from the second run */
	size_t n_from_b;
	struct ts_span commit; /* empty: that of its side */
	bool deterministic;
	int64_t stop; /* the step before which it stops */
	uint64_t repeat, steps;
	struct ts_span result;	/* "a", "b", "other", "untestable"; "planned": it was not run */
	struct ts_span problem; /* why it could not be run; empty */
	struct ts_span folder;	/* of the run; empty */
	double seconds;
};

struct ts_why {
	struct ts_run_ref a, b;
	struct ts_span sentence;
	bool decided, proved; /* proved: each cause is a set of facts that is needed, checked both ways and to the end */
	bool deterministic, placed, only_here; /* how it was judged (experiment/search.h) */
	struct ts_why_cause *causes;
	size_t n_causes;
	struct ts_why_trial *trials;
	size_t n_trials;
	struct ts_span *fixed; /* what differs and cannot be set by the command, with the reason */
	size_t n_fixed;
	uint64_t runs, steps;
	double seconds;	 /* of the runs */
	double search_s; /* of comparing them */
};

#endif
