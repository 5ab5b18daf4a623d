/* launch_folder.h - the folder of a run that tscope run starts: it is there before the command is, with what is known in launch.json.
 *
 * launch.json is in the form of facts.json (docs/run-directory.md), lies beside what the recorder writes, and is written by the
 * launcher alone. Under srun, mpirun and torchrun each process has its rank's folder in that of the run. Everything lies in the arena.
 */
#ifndef TSCOPE_CLI_VERBS_LAUNCH_FOLDER_H
#define TSCOPE_CLI_VERBS_LAUNCH_FOLDER_H

#include "cli/core/context.h"
#include "run/fact.h"

struct ts_launch_folder {
	struct ts_cli *cli;
	const char *run;  /* the folder of the run */
	const char *mine; /* that of this process: the same, or that of its rank */
	const char *lock; /* a file that is held while the command runs */
	int64_t rank;	  /* of such a process; else 0 */
	bool joins;	  /* it is one of several processes that some launcher started */
	struct ts_facts facts;
	int64_t began_ns; /* wall clock */
	int64_t mono_ns;
};

/* Makes the folder, which holds no run yet, for a command of these words; program: what it is called. */
enum ts_status ts_launch_folder_make(struct ts_cli *cli, const char *const *words, const char *program, struct ts_launch_folder *ret,
				     struct ts_error *err);
/* Sets a fact by its whole path; its texts lie as long as the folder does. */
enum ts_status ts_launch_fact(struct ts_launch_folder *folder, const struct ts_fact *fact, struct ts_error *err);
/* Sets the fact session.launch.NAME; a text is copied and NULL is none. */
enum ts_status ts_launch_fact_text(struct ts_launch_folder *folder, const char *name, const char *text, struct ts_error *err);
enum ts_status ts_launch_fact_int(struct ts_launch_folder *folder, const char *name, int64_t value, struct ts_error *err);
enum ts_status ts_launch_fact_real(struct ts_launch_folder *folder, const char *name, double value, struct ts_error *err);
/* Writes launch.json anew. */
enum ts_status ts_launch_folder_write(struct ts_launch_folder *folder, struct ts_error *err);

#endif
