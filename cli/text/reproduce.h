/* reproduce.h - the lines for bash that would run a recorded run again, as far as its facts say it: checkout, patch,
 * directory, environment, command.
 *
 * What is not recorded is named, never made up.
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

/* From the facts of one run, sorted, long texts with them. run is how `tscope facts` finds it. */
enum ts_status ts_reproduce_of(const struct ts_facts *facts, const char *run, struct ts_arena *arena,
			       struct ts_reproduce_side *ret_side, struct ts_error *err);
/* Asks for the facts of the run's head, which is a round trip, and one more for each of patch and command that is long. typed is
 * the word that named the run: a directory is found again by its path alone; JSON says the id, whatever was typed. */
enum ts_status ts_reproduce_ask(struct ts_cli *cli, const char *typed, struct ts_span spec, struct ts_reproduce_side *ret_side,
				struct ts_error *err);

#endif
