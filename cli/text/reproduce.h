/* reproduce.h - the bash commands that repeat a recorded run, as far as its facts record them: checkout, patch, directory,
 * environment, command.
 *
 * Parts that are not recorded are named as missing, never invented.
 */
#ifndef TSCOPE_CLI_TEXT_REPRODUCE_H
#define TSCOPE_CLI_TEXT_REPRODUCE_H

#include "cli/core/context.h"
#include "run/fact.h"

struct ts_reproduce_side {
	const char **commands; /* quoted for a POSIX shell, harmless to print */
	size_t n;
	const char **missing; /* "the environment: no fact determinism.env.*" */
	size_t n_missing;
};

struct ts_reproduce {
	struct ts_reproduce_side a, b;
};

/* Makes the commands from the facts of one run, which are sorted and include their long texts. run is the word by which
 * `tscope facts` finds the run. */
enum ts_status ts_reproduce_of(const struct ts_facts *facts, const char *run, struct ts_arena *arena,
			       struct ts_reproduce_side *ret_side, struct ts_error *err);
/* Asks for the facts of the run's head and then does the same. This takes one round trip, and one more for each of patch and
 * command that is a long text. typed is the word that named the run: a directory can be found again only by its path. JSON uses
 * the id, whatever was typed. */
enum ts_status ts_reproduce_ask(struct ts_cli *cli, const char *typed, struct ts_span spec, struct ts_reproduce_side *ret_side,
				struct ts_error *err);

#endif
