/* experiment_copies.h - the files of the user's clone that git does not track and the runs of an experiment get copies of.
 *
 * --copy PATH names a file, or a folder, of which all files are meant that git does not track. What recorded runs read within their
 * repository needs no naming, as far as this clone has it and it is TS_COPIES_UNASKED bytes at most: a run that is given an absolute
 * path needs no copy, and nothing in a record tells that.
 */
#ifndef TSCOPE_CLI_VERBS_EXPERIMENT_COPIES_H
#define TSCOPE_CLI_VERBS_EXPERIMENT_COPIES_H

#include "cli/core/context.h"
#include "run/fact.h"

#define TS_COPIES_UNASKED (UINT64_C(256) << 20)

/* records: the facts of n recorded runs, whose lists are loaded. *ret_files: paths below the top of the clone, which end with NULL
 * (launch/recipe.h). TS_INVALID: --copy names nothing that git does not track. */
enum ts_status ts_experiment_copies(struct ts_cli *cli, const char *clone, const struct ts_facts *const *records, size_t n,
				    const char *const **ret_files, struct ts_error *err);

#endif
