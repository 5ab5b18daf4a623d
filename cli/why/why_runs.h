/* why_runs.h - makes the runs that a search asks for (kept_run.h), and says whom each is like. */
#ifndef TSCOPE_CLI_WHY_WHY_RUNS_H
#define TSCOPE_CLI_WHY_WHY_RUNS_H

#include "cli/why/kept_run.h"
#include "cli/why/why_problem.h"

struct ts_why_run {
	struct ts_kept_run kept;
	const char *commit; /* NULL: that of its side */
};

/* What a rerun of a side shows of its record. */
struct ts_why_known {
	bool compared;
	const char *lacks;	   /* what the record does not have; NULL: nothing */
	struct ts_why_things gone; /* what is not as it was */
};

struct ts_why_runs {
	const struct ts_why_problem *problem;
	const char *directory;	  /* absolute; it is there */
	struct ts_kept_runs making; /* without a runner no run can be made that is not there */
	int64_t limit_ns;	  /* of one run; 0: none */
	struct ts_trial_answer answers[TS_SEARCH_ANSWERS_MOST];
	struct ts_why_run runs[TS_SEARCH_ANSWERS_MOST];
	struct ts_span specs[TS_SEARCH_ANSWERS_MOST]; /* by which a diff names them */
	size_t n;
	struct ts_why_known known[2]; /* of A and B, by the last rerun of each */
	size_t more_runs; /* that were made for operations alone, with what they cost */
	int64_t more_steps;
	double more_s;
	const char *operation; /* the first that differs where the first cause acts, with its line; NULL: not known */
	unsigned numbers; /* of results so far */
	double spent_s;	  /* of this search itself: comparing, git */
};

/* Begins runs of trials that may be asked for, side by side with others, as long as fewer than `jobs` are being made. */
enum ts_status ts_why_begin(struct ts_why_runs *runs, const struct ts_trial *trials, size_t n, size_t jobs, struct ts_error *err);
/* Makes the run of a trial, or takes the one that is there, and appends its answer. */
enum ts_status ts_why_run(struct ts_why_runs *runs, const struct ts_trial *trial, struct ts_error *err);

/* Finds the operation, of a verdict whose first cause is a set of facts, by two more runs of a training with torch: with it and without
 * it, or of the commit and the one before it. That no operation is found is no error. */
enum ts_status ts_why_operation(struct ts_why_runs *runs, const struct ts_search_verdict *verdict, struct ts_error *err);

/* Whether all that goes into A (0) or B (1) was recorded and is the same here, by its last rerun. */
enum ts_search_record ts_why_record_of(const struct ts_why_runs *runs, size_t side);

/* What a run is made of, for people: "A with config.lr, config.wd of B". */
const char *ts_why_trial_text(const struct ts_why_problem *p, const struct ts_trial *trial, struct ts_arena *arena);

#endif
