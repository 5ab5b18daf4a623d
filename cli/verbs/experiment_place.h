/* experiment_place.h - where experiments run: the user's clone, the runner, and the folder of their runs. */
#ifndef TSCOPE_CLI_VERBS_EXPERIMENT_PLACE_H
#define TSCOPE_CLI_VERBS_EXPERIMENT_PLACE_H

#include "cli/core/context.h"
#include "launch/runner.h"

/* The top of the clone that --clone names, or that the command stands in. */
enum ts_status ts_experiment_clone(struct ts_cli *cli, const char **ret_clone, struct ts_error *err);
/* Opens the runner; before any thread is made. */
enum ts_status ts_experiment_runner(struct ts_cli *cli, struct ts_runner **ret_runner, struct ts_error *err);
/* The folder of the runs: --directory, else that of this name below the user's state folder. It is made. */
enum ts_status ts_experiment_folder(struct ts_cli *cli, const char *name, const char **ret_folder, struct ts_error *err);
/* The same, else one of the user's that follows from both ids, so that the same question finds it again. It
 * is made. */
enum ts_status ts_experiment_directory(struct ts_cli *cli, const char *what, const struct ts_id *a, const struct ts_id *b,
				       const char **ret_directory, struct ts_error *err);
/* The folder of this name below the user's state folder, whatever --directory says. It is made. */
enum ts_status ts_experiment_state(struct ts_cli *cli, const char *name, const char **ret_folder, struct ts_error *err);
/* The words of --runner, by which runs are made elsewhere (launch/runner.h); NULL: they are made here. A program that is named by a
 * path is that of this folder, wherever the run is. Nothing of it is given to a shell. */
enum ts_status ts_experiment_launcher(struct ts_cli *cli, const char *const **ret_words, struct ts_error *err);
/* How many runs --jobs allows side by side; 1 without it. */
enum ts_status ts_experiment_jobs(struct ts_cli *cli, size_t *ret_jobs, struct ts_error *err);
/* Asks on the terminal whether to do it. TS_INVALID: no, or there is no terminal and no --yes. */
enum ts_status ts_experiment_confirm(struct ts_cli *cli, const char *what, struct ts_error *err);

#endif
