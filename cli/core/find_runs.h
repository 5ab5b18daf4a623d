/* find_runs.h - several runs behind one word: a glob of names, or of directories. */
#ifndef TSCOPE_CLI_CORE_FIND_RUNS_H
#define TSCOPE_CLI_CORE_FIND_RUNS_H

#include "cli/core/context.h"

/* What was found: names as ids, directories as words that ts_cli_runs takes. Ids, because what is asked afterwards may go to an
 * overlay that knows no names. */
struct ts_found_runs {
	struct ts_span *ids;
	size_t n_ids;
	const char **words;
	size_t n_words;
	size_t most; /* of both together */
};

enum ts_status ts_found_runs_init(struct ts_found_runs *found, size_t most, struct ts_arena *arena,
				  struct ts_error *err);
/* Adds what answers to a glob (a path, or a glob of names: with '/' of whole names, others of names in the project). The target
 * is open. option stands in errors, "--repeats"; TS_NOT_FOUND where nothing answers, TS_TOO_LARGE where more do than are wanted. */
enum ts_status ts_find_runs(struct ts_cli *cli, const char *option, const char *glob, struct ts_found_runs *io,
			    struct ts_error *err);

#endif
