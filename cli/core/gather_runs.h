/* gather_runs.h - the runs that the words of a command stand for, with the names under which they are shown.
 *
 * A word is a run's name, a tag, an id or a directory; a glob of names or directories; or a filter as list takes it, which has an =, <,
 * > or ~: "name~exp*", "config.lr>1e-4".
 */
#ifndef TSCOPE_CLI_CORE_GATHER_RUNS_H
#define TSCOPE_CLI_CORE_GATHER_RUNS_H

#include "cli/core/context.h"

struct ts_gathered {
	const char **words; /* for ts_cli_runs */
	const char **names; /* harmless to print */
	size_t n;
};

/* Opens the target. TS_TOO_LARGE: there are more than `most` runs. */
enum ts_status ts_gather_runs(struct ts_cli *cli, const char *const *typed, size_t n, size_t most, struct ts_gathered *ret_gathered,
			      struct ts_error *err);

#endif
