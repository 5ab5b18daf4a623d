/* bisect_runs.h - the first bad one of many commits or versions, by runs of the user's command and a judge (experiment/bisection.h).
 *
 * A judge is one of
 *	diff	a run is bad if it differs from the good one in what the training computed, at any step that both have
 *	gate	what tscope gate measures of the run. Good and bad are run until the gate calls bad a regression against good, and how
 *		far runs of one version scatter is known from these
 *	a program, which is called with the folder of the run: 0 is good, 125 cannot be judged, anything else bad. With a noise, what it
 *		prints is a number, which is compared with those of the good and the bad version
 */
#ifndef TSCOPE_CLI_WHY_BISECT_RUNS_H
#define TSCOPE_CLI_WHY_BISECT_RUNS_H

#include "analysis/answer/bisected.h"
#include "cli/core/context.h"
#include "cli/why/bisect_others.h"
#include "experiment/bisection.h"
#include "cli/why/kept_run.h"

enum { TS_BISECT_RUNS_MOST = 512 };

struct ts_bisect_judgement {
	bool skipped, ran; /* ran: the training itself was well */
	double evidence, value; /* value: NaN where nothing was measured */
	const char *problem;
};

enum { TS_BISECT_ENDS_LEAST = 4, TS_BISECT_ENDS_MOST = 8 /* runs of each end, where the judge measures both together */ };

/* What a judge says of both ends together. */
struct ts_bisect_ends {
	bool apart;
	const char *why; /* they are not */
	double values[2][TS_BISECT_ENDS_MOST]; /* of good, of bad: what was measured of those runs that have it; above 0 */
	size_t n[2];			       /* at least 3, where they are apart */
};

struct ts_bisect_question {
	struct ts_cli *cli;
	struct ts_kept_runs *making; /* of the clone */
	size_t jobs;		     /* runs side by side; 1, where the time of a run is measured */
	const char *clone, *directory;
	const char *const *launcher; /* by which runs are made elsewhere; NULL: here */
	const char *const *argv;
	const char *good, *bad;	     /* commits; with a list of versions the commit that all run */
	const char *const *versions; /* behind the good one, the last is the bad one; NULL: commits */
	const char *good_version;
	size_t n;
	int64_t steps;	  /* each run ends after so many; 0: at its own end */
	int64_t limit_ns; /* of one run; 0: none */
	double sure;
	size_t most;  /* runs */
	double noise; /* of a measured number, as a share; 0: the judge says good or bad, or `ends` tells it */
	double wrong; /* how often the judge is */
	/* Judges the run in a folder. version: 0 is the good one. */
	enum ts_status (*judge)(void *ctx, const char *folder, size_t version, struct ts_bisect_judgement *ret, struct ts_error *err);
	/* Of a judge that measures and whose noise nobody knows: n runs of each end. Whether they are apart, and what was measured.
	 * NULL: the judge is none. */
	enum ts_status (*ends)(void *ctx, const char *const *good, const char *const *bad, size_t n, struct ts_bisect_ends *ret,
			       struct ts_error *err);
	void *ctx;
	struct ts_bisect_others *others; /* whose judgements count, too; NULL: nobody's, as where one machine measures */
	struct ts_span recorded;	 /* the good run, beside which runs that were recorded before are judged; empty: none */
	size_t part, parts;		 /* of the machines that search together, this is the part-th; 1 of 1: alone */
};

enum ts_status ts_bisect_by_runs(const struct ts_bisect_question *q, struct ts_bisected *ret, struct ts_error *err);
enum ts_status ts_render_bisected_text(struct ts_cli *cli, const struct ts_bisected *b, struct ts_error *err);

/* The number of commits from good to bad along first parents; 0: good is no ancestor of bad. */
size_t ts_bisect_count(const char *clone, const char *good, const char *bad);
/* The commit that a word of git names, as its digits; NULL: none. */
const char *ts_bisect_commit(const char *clone, const char *word, struct ts_arena *arena);

#endif
