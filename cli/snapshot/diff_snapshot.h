/* diff_snapshot.h - `tscope diff ./a.pickle ./b.pickle`: what grew between two memory snapshots. */
#ifndef TSCOPE_CLI_SNAPSHOT_DIFF_SNAPSHOT_H
#define TSCOPE_CLI_SNAPSHOT_DIFF_SNAPSHOT_H

#include "cli/core/context.h"

/* Sets the exit code, too: 0 the same to the byte, 1 something differs, 3 they have no device in common. */
enum ts_status ts_diff_snapshots(struct ts_cli *cli, const char *path_a, const char *path_b, struct ts_error *err);

#endif
