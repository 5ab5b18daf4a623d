/* watch.h - shows a run while it goes on: reads what is new, asks what an analysis finds, draws, and says what happens.
 *
 *	ts_watch(&cli, err)
 *
 * cli->exit_code: 0 the run came to its end, or the user left; 1 what --until names came about. Threads: one; the asker is a process.
 */
#ifndef TSCOPE_CLI_WATCH_WATCH_H
#define TSCOPE_CLI_WATCH_WATCH_H

#include "cli/core/context.h"

enum ts_status ts_watch(struct ts_cli *cli, struct ts_error *err);

#endif
