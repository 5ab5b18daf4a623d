/* find_runs.h - finds the runs that one word stands for: a glob of names, a glob of directories, or a filter. */
#ifndef TSCOPE_CLI_CORE_FIND_RUNS_H
#define TSCOPE_CLI_CORE_FIND_RUNS_H

#include "cli/core/context.h"

/* The runs that were found: those that match a glob of names as ids, others as words for ts_cli_runs. Ids are needed because later
 * requests may go to an overlay, which has no names. */
struct ts_found_runs {
	struct ts_span *ids;
	struct ts_span *names; /* of each id, with its project */
	size_t n_ids;
	const char **words;
	size_t n_words;
	size_t most; /* limit of n_ids + n_words */
};

enum ts_status ts_found_runs_init(struct ts_found_runs *found, size_t most, struct ts_arena *arena,
				  struct ts_error *err);
/* Adds the runs that a word stands for: a glob of names of the project (run/name.h; where none matches, of another project that stands
 * in front), a glob of directories, or one run, which becomes a word. The target must be open. option is named in errors, such as
 * "--repeats". TS_NOT_FOUND: nothing matches. TS_TOO_LARGE: more runs match than io->most. */
enum ts_status ts_find_runs(struct ts_cli *cli, const char *option, const char *glob, struct ts_found_runs *io,
			    struct ts_error *err);

/* Adds the runs of the project that a filter of list selects, in order of their names. The target must be open. Errors as above. */
enum ts_status ts_filter_runs(struct ts_cli *cli, const char *filter, struct ts_found_runs *io, struct ts_error *err);

#endif
