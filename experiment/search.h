/* search.h - by which experiments the cause of a difference is found: what to run next, or the verdict.
 *
 *	while (ts_search_next(&search, answers, n, arena, &step, err) == TS_OK && !step.done)
 *		answers[n++] = (struct ts_trial_answer){step.trial, run(&step.trial)};
 *
 * Two recorded runs, A and B, differ from step `first` on. The search asks for short runs, which stop a few steps behind that, in this
 * order:
 *
 * 1. B again, then A again. Where both come out as recorded, bits decide (3).
 *    * B again is like A: what made B is not among the recorded facts. Two more repeats of B, to the end, tell whether it ever comes
 *      back. It is called a one-off only where the record of B is whole and all of it is the same here. Where one thing of it is not
 *      as it was, that is gone, and named by whoever compared the records; else a one-off, or something unrecorded that is gone.
 *    * A again is like B: what differs may be here. The factors TS_FACTOR_HERE are taken away by halves.
 *    * Neither: once more. What comes out as recorded then repeats, though not always. Where the repeats agree with each other, this is
 *      not the place of the recorded runs; where they still differ from one another between A and B, that difference is searched and
 *      said to be one of this place. Else runs do not repeat (2).
 * 2. A and B twice with deterministic kernels and one thread: if both repeat, bits decide among such runs. Else repeats of each side
 *    until they lie apart (scatter.h) by TS_SEARCH_T, 4 to TS_SEARCH_REPEATS_MOST of them; each trial is then placed between them and
 *    repeated, up to TS_SEARCH_PLACED_MOST times, until it is three standard errors from the middle. Sides with less than
 *    TS_SEARCH_T_NONE between them after all repeats are nondeterminism: B lies within the scatter of repeats. What lies between the
 *    two limits is undecided.
 * 3. The likeliest factor alone if it has over TS_SEARCH_NAMED of the weight; else the smallest prefix of the factors, the likeliest
 *    last, that gives B, halved by weight. Its last member is needed and kept; so on with those before it. Then the set without each of
 *    its members must not give B.
 * 4. B with the set put back must give A; else another set that is enough by itself is looked for among the rest. Of code, the commit:
 *    the first from which on the result is not that of A's code, and the first from which on it is B.
 * 5. A with the set, to the end, must be recorded B to the end; else a second cause is looked for from the step on where they part, and
 *    so on, up to TS_SEARCH_CAUSES_MOST causes.
 *
 * A set is `proved` only where 3, 4 and 5 held. What cannot be tested is never taken for A or B. A run that is as neither of them and
 * as no other run is repeated, up to TS_SEARCH_NEW_MOST times, since it may be one of those that do not always repeat. Where runs or
 * steps are used up, the verdict says what remains.
 */
#ifndef TSCOPE_EXPERIMENT_SEARCH_H
#define TSCOPE_EXPERIMENT_SEARCH_H

#include "base/arena.h"
#include "experiment/trial.h"

enum {
	TS_SEARCH_BEHIND = 4,	    /* steps that a short run goes on behind the first difference */
	TS_SEARCH_NOISY_STEPS = 40, /* steps of a run that is placed among repeats */
	TS_SEARCH_REPEATS_MOST = 8, /* of a side */
	TS_SEARCH_PLACED_MOST = 8,  /* repeats of a trial that is placed between them */
	TS_SEARCH_T = 8,	    /* standard errors between the sides, from which on trials are placed */
	TS_SEARCH_T_NONE = 3,	    /* below which both are said to be of one kind, after all repeats */
	TS_SEARCH_CAUSES_MOST = 4,
	TS_SEARCH_NEEDED_MOST = 12,  /* members that are tested for being needed */
	TS_SEARCH_NEW_MOST = 3,	     /* repeats of a run that is as no other */
	TS_SEARCH_COMMITS_MOST = 64, /* that are run for one question about them */
	TS_SEARCH_SPLITS_MOST = 4,   /* places to halve at, where some cannot be tested */
	TS_SEARCH_ANSWERS_MOST = 4096,
};
#define TS_SEARCH_NAMED (1.0 / 3)

/* What the record of a side has of all that goes into a run, beside a rerun of it here. */
enum ts_search_record {
	TS_RECORD_OPEN,	    /* not all is known, or several things are not as they were */
	TS_RECORD_ONE_GONE, /* all is known, and one thing that the other side does not have is not as it was */
	TS_RECORD_WHOLE,    /* all is known, and the same */
};

struct ts_search {
	const struct ts_factor *factors;
	size_t n;		  /* at most TS_FACTORS_MOST */
	size_t n_commits;	  /* on the way from the commit of A to that of B, whose number it is; 0: not known, or the same */
	int64_t start;		  /* the first step that a trial runs */
	int64_t first, end;	  /* the first step at which A and B differ; one past the last of both. start <= first < end */
	enum ts_search_record record[2]; /* of A, B */
	bool lost_patch[2];	  /* A, B: it had changes of code that are not to be had */
	const double *effects[2]; /* of recorded A and B, from step `start`; NULL: none */
	size_t n_effects[2];
	size_t most_runs;
	int64_t most_steps; /* of all trials together */
};

enum ts_root_kind {
	TS_ROOT_SET,	   /* the facts of the set */
	TS_ROOT_HERE,	   /* things of this machine that A did not have */
	TS_ROOT_ONE_OFF,   /* it did not come back, and all that goes into a run was recorded */
	TS_ROOT_GONE,	   /* it did not come back, and one thing of its record is not as it was */
	TS_ROOT_NOT_AGAIN, /* it did not come back: a one-off, or something unrecorded that is gone (in A: that is here) */
	TS_ROOT_PATCH,	   /* changes of code whose text is lost */
	TS_ROOT_NONDETERMINISM,
	TS_ROOT_ELSEWHERE, /* neither run can be made again here, though reruns repeat */
	TS_ROOT_UNDECIDED, /* undecided: see why */
	TS_ROOT_KINDS
};

enum ts_undecided {
	TS_UNDECIDED_NOT,
	TS_UNDECIDED_BUDGET,	  /* runs or steps are used up */
	TS_UNDECIDED_UNTESTABLE,  /* a run that everything depends on cannot be made */
	TS_UNDECIDED_SCATTER,	  /* runs do not repeat, and the sides lie neither apart nor together */
	TS_UNDECIDED_CONTRADICTS, /* answers contradict each other, as where runs do not repeat now and then */
	TS_UNDECIDED_WORDS
};

const char *ts_root_word(enum ts_root_kind found); /* "facts", "here", "one_off", ...: for JSON */
bool ts_root_decided(enum ts_root_kind found);	   /* false: more than one thing may have made it */
const char *ts_undecided_word(enum ts_undecided why);

struct ts_root_cause {
	enum ts_root_kind found;
	enum ts_undecided undecided;
	struct ts_factor_set set;	  /* the minimal set; of TS_ROOT_UNDECIDED, what remains: the cause has members of it */
	struct ts_factor_set needed;	  /* those of the set without which a run did not give B */
	int64_t step;			  /* from which on it acts, as far as was seen */
	unsigned side;			  /* TS_LIKE_A, TS_LIKE_B: of which run TS_ROOT_ONE_OFF, GONE, NOT_AGAIN and PATCH speak */
	size_t commit_first, commit_last; /* the first commit that is not as A is among these; 0: none was looked for, or none found */
	size_t commit_whole;		  /* from this one on it is as B; 0: none was found */
	bool put_back;			  /* B with it put back gave A */
	bool to_end;			  /* A with it gave B to the end; of the last cause alone, for all of them together */
	bool alone;			  /* it is enough without the causes before it */
	unsigned repeats;		  /* of TS_ROOT_ONE_OFF, GONE and NOT_AGAIN: reruns in which it did not come back */
};

struct ts_search_verdict {
	struct ts_root_cause causes[TS_SEARCH_CAUSES_MOST]; /* in the order in which they were found */
	size_t n_causes;				    /* at least 1 */
	bool proved;					    /* every cause is a set that is needed, both ways, and to the end */
	bool deterministic;				    /* found among runs with deterministic kernels */
	bool placed;					    /* by the nearest of repeats, not by bits */
	bool only_here; /* of a difference between reruns here: neither recorded run could be made again */
	size_t runs;
	int64_t steps; /* of all trials */
};

struct ts_search_step {
	bool done;
	struct ts_trial trial;		  /* what to run next, where it is not done */
	struct ts_search_verdict verdict; /* where it is; else what is known so far, with what remains */
};

/* The same problem and answers give the same step. Answers are those of steps before, in their order. */
enum ts_status ts_search_next(const struct ts_search *search, const struct ts_trial_answer *answers, size_t n, struct ts_arena *arena,
			      struct ts_search_step *ret_step, struct ts_error *err);

/* What a trial costs in steps. */
int64_t ts_trial_steps(const struct ts_search *search, const struct ts_trial *trial);

/* By 95 %: a result that did not come in n reruns comes in at most this share of them. */
double ts_comes_at_most(unsigned n);

#endif
