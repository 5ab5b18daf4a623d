/* analyze_snapshot.h - tscope analyze and tscope show of a memory snapshot: a file that is named by its path, or one of a run. */
#ifndef TSCOPE_CLI_SNAPSHOT_ANALYZE_SNAPSHOT_H
#define TSCOPE_CLI_SNAPSHOT_ANALYZE_SNAPSHOT_H

#include "analysis/answer/finding.h"
#include "cli/core/context.h"
#include "cli/snapshot/stored_snapshot.h"

/* Whether the word is the path of a file that begins as a snapshot or has the name of one; reading it says what is wrong with it. */
bool ts_is_snapshot(const char *word);
/* Reads the snapshot and shows what it says, or the moment that --at names; no server is asked. The findings are those of the device
 * whose first one is the most severe. */
enum ts_status ts_analyze_snapshot(struct ts_cli *cli, const char *path, struct ts_findings *ret_findings, struct ts_error *err);
/* The same of a snapshot that was pushed with a run. */
enum ts_status ts_analyze_stored_snapshot(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_snapshot_choice *choice,
					  struct ts_findings *ret_findings, struct ts_error *err);
/* Shows the moment that --at names, else the end. */
enum ts_status ts_show_snapshot(struct ts_cli *cli, const char *path, struct ts_error *err);
enum ts_status ts_show_stored_snapshot(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_snapshot_choice *choice,
				       struct ts_error *err);

#endif
