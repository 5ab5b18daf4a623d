/* path_run.h - a run directory in the place of a run's name: ingested for this one command, nothing is written. */
#ifndef TSCOPE_CLI_CORE_PATH_RUN_H
#define TSCOPE_CLI_CORE_PATH_RUN_H

#include "cli/core/context.h"
#include "ingest/ingest.h"

/* /, ./ or ../ in front, or . or .. itself: no run's name begins so. */
bool ts_is_path(const char *word);

/* Reads the directory into the target's overlay; *ret_spec is the id of its head. What was skipped goes to stderr. */
enum ts_status ts_path_run(struct ts_cli *cli, const char *path, struct ts_span *ret_spec, struct ts_error *err);

/* One line on stderr for each kind of trouble and file: runs/exp1/steps.jsonl:17: cut_line (3 times): detail. Those that
 * lost nothing are shown only if all is set. */
void ts_say_notices(const struct ts_cli *cli, const char *path, const struct ts_notices *notices, bool all);

#endif
