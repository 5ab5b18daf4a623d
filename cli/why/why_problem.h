/* why_problem.h - two recorded runs and a command as a problem for the search: what differs, what of it a new run can be given, and
 * how.
 *
 * Nothing that was recorded is executed. The command is the user's words. A word with {config.lr} in it gets the value that the run's
 * side recorded at that path; {config-file} is the path of a JSON file with the whole recorded configuration, so that every setting can
 * be set. A recorded environment variable is set as it was recorded; one whose digest alone was recorded, if it has that digest
 * here, or was not set. Commits are those that the user's own clone has. A patch of
 * uncommitted code was shown and confirmed before (cli/verbs/verb_why.c).
 */
#ifndef TSCOPE_CLI_WHY_WHY_PROBLEM_H
#define TSCOPE_CLI_WHY_WHY_PROBLEM_H

#include "analysis/diverge/diff.h"
#include "cli/core/context.h"
#include "cli/why/why_record.h"
#include "experiment/search.h"

struct ts_why_value { /* of a factor */
	struct ts_span path;
	const char *variable; /* of TS_FACTOR_ENVIRONMENT and TS_FACTOR_HERE: its name */
	const char *side[2];  /* its value in A and B as text; NULL: not set */
	bool own;	      /* the value is this environment's own: it is set, and never shown */
};

struct ts_why_problem {
	struct ts_cli *cli;
	const char *words[2]; /* A and B, as typed */
	struct ts_diff diff;
	struct ts_facts facts[2];
	struct ts_why_things apart; /* of both records, beside settings and code */
	const char *const *argv; /* ends with NULL; NULL: none was given, and runs are only planned */
	const char *clone;	 /* the top of the user's clone; NULL: none is here */
	const char *const *launcher; /* by which runs are made elsewhere; NULL: here */
	struct ts_factor factors[TS_FACTORS_MOST];
	struct ts_why_value values[TS_FACTORS_MOST];
	size_t n;
	bool config_file;
	const char *commit[2];	 /* NULL: not recorded */
	bool backwards;		 /* B's commit is an ancestor of A's */
	size_t n_commits;	 /* between them, with B's */
	struct ts_span patch[2]; /* empty: none */
	bool lost_patch[2];
	struct ts_id environment; /* of the variables here, where both records have theirs: no run of another environment is taken */
	struct ts_span *fixed; /* what differs and cannot be set, with the reason */
	size_t n_fixed;
	int64_t start, first, end; /* of effects */
	struct ts_search search;
};

/* Reads both runs and compares them. TS_INVALID: they do not differ in what the training computed, or a slot has no value. */
enum ts_status ts_why_problem_of(struct ts_cli *cli, const char *const words[2], const char *const *argv, const char *clone,
				 struct ts_why_problem *ret_problem, struct ts_error *err);

/* The first step at which the effects of a diff differ (loss, gradient norm, digests of parameters and gradients, and what else is
 * computed; never generators, rates or batches), before `stop`; INT64_MAX: none. */
int64_t ts_why_parts(const struct ts_diff *diff, int64_t stop);

/* The i-th commit from A's towards B's, 1 to n_commits, as 40 or 64 digits. */
enum ts_status ts_why_commit(const struct ts_why_problem *p, size_t i, struct ts_arena *arena, const char **ret_commit,
			     struct ts_error *err);
/* Its subject line; "" where git tells none. */
const char *ts_why_subject(const struct ts_why_problem *p, const char *commit, struct ts_arena *arena);

#endif
