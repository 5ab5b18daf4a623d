/* path_run.h - lets a run directory stand in the place of a run's name: it is ingested for this one command, and nothing is
 * stored. */
#ifndef TSCOPE_CLI_CORE_PATH_RUN_H
#define TSCOPE_CLI_CORE_PATH_RUN_H

#include "cli/core/context.h"
#include "ingest/discover.h"
#include "ingest/ingest.h"

/* TS_NOT_FOUND if the word is a path, and no glob, at which nothing is. FILE#PART is there if FILE is. */
enum ts_status ts_path_check(const char *word, struct ts_arena *arena, struct ts_error *err);

/* Ingests the directory into the target's overlay; *ret_spec is the id of its head. Notices about skipped input go to stderr. */
enum ts_status ts_path_run(struct ts_cli *cli, const char *path, struct ts_span *ret_spec, struct ts_error *err);

/* Fills what the command's options --pattern and --map say about how to read a path. */
enum ts_status ts_path_options(struct ts_cli *cli, struct ts_ingest_options *options, struct ts_error *err);
/* Finds the runs of a path, as these options say (discover.h). */
enum ts_status ts_path_discover(struct ts_cli *cli, const char *path, struct ts_found_run **ret_runs, size_t *ret_n,
				struct ts_error *err);

enum { TS_SAID_ALONE = 3 }; /* files with one kind of problem that have a line each */

/* Prints one line to stderr for each notice, which is one kind of problem in one file: "runs/exp1/steps.jsonl:17: cut_line (3
 * times): detail". A kind that more than TS_SAID_ALONE files have, such as the attempts of one training, is one line with the first:
 * "runs/exp1/recording.tscope and 19 more files: no_end (20 times): detail". Notices that lost no data are shown only
 * if all is set, but that a run still grows is always said. */
void ts_say_notices(const struct ts_cli *cli, const char *path, const struct ts_notices *notices, bool all);

#endif
