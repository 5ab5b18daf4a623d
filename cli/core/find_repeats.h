/* find_repeats.h - the runs that --repeats of diff names: by their names, or as directories. */
#ifndef TSCOPE_CLI_CORE_FIND_REPEATS_H
#define TSCOPE_CLI_CORE_FIND_REPEATS_H

#include "cli/core/context.h"
#include "proto/wire.h"

/* Two runs, as they were typed, and the directories among the repeats: what ts_cli_runs takes in one go. */
struct ts_repeat_words {
	const char **words;
	size_t n;
};

/* Globs of names become ids in request->repeats (a glob with '/' is of the whole name, others of names in the project), globs of
 * paths words. Opens the target. A glob that nothing answers to is TS_NOT_FOUND. */
enum ts_status ts_find_repeats(struct ts_cli *cli, struct ts_diff_request *request, struct ts_repeat_words *ret_words,
			       struct ts_error *err);
/* What became of the words: the first two are the runs, the others repeats. */
void ts_take_specs(const struct ts_span *specs, size_t n, struct ts_diff_request *request);

#endif
