/* web_runs.h - what `tscope web` does with runs that MLflow's clients log: where they lie, what they are called, and that they are
 * pushed as `tscope push` pushes. Threads: ts_web_runs is one thread's; the functions that it fills in are called by several. */
#ifndef TSCOPE_CLI_VERBS_WEB_RUNS_H
#define TSCOPE_CLI_VERBS_WEB_RUNS_H

#include "cli/core/context.h"
#include "web/mlflow/tracking.h"

#include <pthread.h>

struct ts_web_runs {
	const struct ts_cli *cli;
	const char *project, *server; /* server: that users sign in to, each with a token of their own; NULL: nobody signs in */
	uint64_t days; /* after which runs leave the folder; 0: never */
	pthread_mutex_t lock;
	char said[TS_ERROR_TEXT]; /* why the last push failed, which is said once */
};

/* Fills in where runs go. The folder is that of --spool, else one beside the local store. */
enum ts_status ts_web_runs(struct ts_cli *cli, const char *project, const char *server, struct ts_web_runs *runs,
			   struct ts_tracking_wanted *ret, struct ts_error *err);

#endif
