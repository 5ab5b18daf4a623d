/* bisect_others.h - what the store knows of a bisection already: judgements of the same question by others, and runs that were recorded
 * before anybody asked.
 *
 * Each run of a bisection that is pushed says of which question it is (session.experiment.question), of which version, how it was
 * judged, and where it was made. So several machines search together through one server: each takes what the others found, and runs
 * one of the versions that may be asked for next (experiment/foresight.h). Nobody waits for anybody, and nothing has to be cleaned
 * up behind a machine that is gone; two may run the same version, which costs a run and harms nothing.
 *
 * What others say is data: it moves the search, and nothing of it is executed. Whoever may push to the project may say it.
 */
#ifndef TSCOPE_CLI_WHY_BISECT_OTHERS_H
#define TSCOPE_CLI_WHY_BISECT_OTHERS_H

#include "cli/core/context.h"

enum { TS_BISECT_OTHERS_MOST = 256 };

struct ts_bisect_other {
	size_t version; /* 0: not known, then by its commit */
	struct ts_span commit; /* of a run that was recorded before; empty: one of a bisection */
	bool bad;
	struct ts_span name; /* of the run */
};

struct ts_bisect_others {
	struct ts_cli *cli;
	struct ts_span project;
	const char *question; /* all that it is made of, as a digest */
	const char *place;    /* where this command makes its runs; runs from there are not those of others */
	struct ts_id seen[TS_BISECT_OTHERS_MOST];
	size_t n_seen;
};

/* Those that were not given before. A store without any is no error; with more than TS_BISECT_OTHERS_MOST the rest is left. */
enum ts_status ts_bisect_others_new(struct ts_bisect_others *others, struct ts_bisect_other ret[TS_BISECT_OTHERS_MOST], size_t *ret_n,
				    struct ts_error *err);

/* Runs of the project that were recorded from other commits with the command and the settings of this one, on a machine like its,
 * and without uncommitted changes: bad, where what they computed differs in the first steps (0: in all of the good run). spec: the
 * good run. */
enum ts_status ts_bisect_recorded(struct ts_cli *cli, struct ts_span spec, int64_t steps,
				  struct ts_bisect_other ret[TS_BISECT_OTHERS_MOST], size_t *ret_n, struct ts_error *err);

#endif
