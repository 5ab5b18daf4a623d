/* find_repeats.h - the runs that --repeats of diff names: by their names, or as directories. */
#ifndef TSCOPE_CLI_CORE_FIND_REPEATS_H
#define TSCOPE_CLI_CORE_FIND_REPEATS_H

#include "cli/core/context.h"
#include "proto/wire.h"

/* The words for one call of ts_cli_runs: the two runs as they were typed, then the repeats that no glob of names stands for. */
struct ts_repeat_words {
	const char **words;
	size_t n;
};

/* Expands the globs of --repeats (find_runs.h): those of names become ids in request->repeats, others words. Opens the target.
 * TS_NOT_FOUND: a glob matches nothing. */
enum ts_status ts_find_repeats(struct ts_cli *cli, struct ts_diff_request *request, struct ts_repeat_words *ret_words,
			       struct ts_error *err);
/* Puts the specs that ts_cli_runs made of the words into the request: the first two are the runs, the others are repeats. */
void ts_take_specs(const struct ts_span *specs, size_t n, struct ts_diff_request *request);

#endif
