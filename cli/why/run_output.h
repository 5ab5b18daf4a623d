/* run_output.h - what a run of an experiment printed, for the sentences that say why it could not be made.
 *
 * The runner keeps it in FOLDER/output.txt (launch/runner.h), which is not there where the command never began.
 */
#ifndef TSCOPE_CLI_WHY_RUN_OUTPUT_H
#define TSCOPE_CLI_WHY_RUN_OUTPUT_H

#include "base/arena.h"

/* `why`, with the last line that it printed, and the option that gives runs a file which that line names: one of the clone that git
 * does not track. directory: below the top of the clone, in which the command ran; NULL or "": the top. */
const char *ts_run_output_problem(const char *why, const char *folder, const char *clone, const char *directory,
				  struct ts_arena *arena);
/* "; what it printed is in FOLDER/output.txt"; "": it printed nothing. */
const char *ts_run_output_place(const char *folder, struct ts_arena *arena);

#endif
