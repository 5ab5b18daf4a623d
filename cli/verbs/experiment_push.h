/* experiment_push.h - puts the run of an experiment into the store, or to the server, with the reason why it was made. */
#ifndef TSCOPE_CLI_VERBS_EXPERIMENT_PUSH_H
#define TSCOPE_CLI_VERBS_EXPERIMENT_PUSH_H

#include "cli/core/context.h"

struct ts_experiment_fact {
	const char *path, *value; /* session.experiment.reason */
};

/* Runs the verb push for the command's project, store and server (inner.h). A push that fails is said on stderr, and *ret_pushed is
 * false: the experiment goes on from its folder. */
void ts_experiment_push(struct ts_cli *cli, const char *folder, const char *name, const struct ts_experiment_fact *facts, size_t n,
			bool *ret_pushed);

#endif
