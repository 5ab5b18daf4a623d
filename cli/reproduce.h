/* reproduce.h - what would run a recorded run again, as lines for a shell, as far as its facts say it: checkout, patch, environment,
 * command. What is not recorded is named, never made up.
 */
#ifndef TSCOPE_CLI_REPRODUCE_H
#define TSCOPE_CLI_REPRODUCE_H

#include "cli/context.h"
#include "run/fact.h"

struct ts_reproduce_side {
	const char **commands; /* quoted for a POSIX shell, harmless to print */
	size_t n;
	const char **missing; /* "the command: no fact session.command or session.argv" */
	size_t n_missing;
};

struct ts_reproduce {
	struct ts_reproduce_side a, b;
};

/* From the facts of one run, one a path. */
enum ts_status ts_reproduce_of(const struct ts_facts *facts, struct ts_arena *arena, struct ts_reproduce_side *ret_side,
			       struct ts_error *err);
/* Asks for the facts of the run's head, which is a round trip. */
enum ts_status ts_reproduce_ask(struct ts_cli *cli, struct ts_span spec, struct ts_reproduce_side *ret_side, struct ts_error *err);

#endif
