/* launch_ranks.h - makes of the words of tscope run the command that is started, and how many processes of it.
 *
 * A script of Python has a python before it. Of several ranks torch's launcher starts the processes where it is installed, else tscope.
 */
#ifndef TSCOPE_CLI_VERBS_LAUNCH_RANKS_H
#define TSCOPE_CLI_VERBS_LAUNCH_RANKS_H

#include "cli/core/context.h"
#include "launch/launch.h"

/* Sets *ret_words, which ends with NULL, and of wanted ranks and variables. */
enum ts_status ts_launch_words(struct ts_cli *cli, struct ts_launch_wanted *wanted, const char *const **ret_words,
			       struct ts_error *err);

#endif
