/* launch_python.h - has a script of Python that a command line starts recorded, as `python -m tscope` records it.
 *
 * Words that are known are python, torchrun, and srun, mpirun, mpiexec, env, nice, numactl, taskset, timeout and stdbuf before a
 * python. Any other command stays as it is. Results lie in the arena.
 */
#ifndef TSCOPE_CLI_VERBS_LAUNCH_PYTHON_H
#define TSCOPE_CLI_VERBS_LAUNCH_PYTHON_H

#include "cli/core/context.h"

/* Whether the word names a script of Python, which a python has to be put before. */
bool ts_python_is_script(const char *word);
/* The program that runs scripts here: python3, else python. NULL: there is none in PATH. */
const char *ts_python_program(void);
/* Whether the python finds a package; it is not imported. */
bool ts_python_has(const char *python, const char *package);
/* Puts `-m tscope --directory DIR` where it belongs. *ret_why says in a line why a script of Python is not recorded; NULL where it is,
 * or where the command is no script that is known. name may be NULL. */
enum ts_status ts_python_record(const char *const *words, const char *directory, const char *name, struct ts_arena *arena,
				const char *const **ret_words, const char **ret_why, struct ts_error *err);

#endif
