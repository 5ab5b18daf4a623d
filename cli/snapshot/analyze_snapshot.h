/* analyze_snapshot.h - tscope analyze of a memory snapshot that is named by its path. */
#ifndef TSCOPE_CLI_SNAPSHOT_ANALYZE_SNAPSHOT_H
#define TSCOPE_CLI_SNAPSHOT_ANALYZE_SNAPSHOT_H

#include "cli/core/context.h"

/* Whether the word is the path of a snapshot. */
bool ts_is_snapshot(const char *word);
/* Reads the snapshot and shows what it says; no server is asked. */
enum ts_status ts_analyze_snapshot(struct ts_cli *cli, const char *path, struct ts_error *err);

#endif
