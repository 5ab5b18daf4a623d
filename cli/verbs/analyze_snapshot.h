/* analyze_snapshot.h - tscope analyze of a memory snapshot that is named by its path. */
#ifndef TSCOPE_CLI_VERBS_ANALYZE_SNAPSHOT_H
#define TSCOPE_CLI_VERBS_ANALYZE_SNAPSHOT_H

#include "cli/core/context.h"
#include "proto/wire.h"

/* Whether the word is the path of a snapshot. */
bool ts_is_snapshot(const char *word);
/* Reads the snapshot and shows what it says; no server is asked. */
enum ts_status ts_analyze_snapshot(struct ts_cli *cli, const char *path, struct ts_error *err);
/* The same of a snapshot that was pushed with a run; has_rank: the file of this rank. */
enum ts_status ts_analyze_stored_snapshot(struct ts_cli *cli, const struct ts_get_reply *run, const char *name, bool has_rank,
					  int32_t rank, struct ts_error *err);

#endif
