/* diff_snapshot.h - `tscope diff ./a.pickle ./b.pickle`: what grew between two memory snapshots, files or those of runs. */
#ifndef TSCOPE_CLI_SNAPSHOT_DIFF_SNAPSHOT_H
#define TSCOPE_CLI_SNAPSHOT_DIFF_SNAPSHOT_H

#include "cli/core/context.h"

/* Sets the exit code, too: 0 the same to the byte, 1 something differs, 3 they have no device in common. */
enum ts_status ts_diff_snapshots(struct ts_cli *cli, const char *path_a, const char *path_b, struct ts_error *err);
/* The same of the snapshots of two runs: those of one rank and name, or the only one of each; one that is left out makes a difference.
 * name: only those of this name, NULL for all. *ret_done is false, and nothing is shown, where there is no such pair. */
enum ts_status ts_diff_stored_snapshots(struct ts_cli *cli, const struct ts_id *a, const struct ts_id *b, const char *name,
					bool *ret_done, struct ts_error *err);
/* Says on stderr that both runs have snapshots, of which the answer of diff says nothing, and how to compare them. */
enum ts_status ts_mention_snapshots(struct ts_cli *cli, const struct ts_id *a, const struct ts_id *b, struct ts_error *err);

#endif
