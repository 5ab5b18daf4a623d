/* web_folder.h - a folder of runs as a store that pages can be made of, also while the runs grow.
 *
 *	ts_web_folder_open(cli, "./runs", "default", &folder, err)
 *	ts_web_folder_store(folder)	the path of a store, for targets
 *	ts_web_folder_close(folder)
 *
 * The store lies in a temporary folder that only this user can read, and goes when the folder is closed: what is true stays what lies
 * in the runs. Once a second, or as often as ten times the look itself takes, a thread looks which files have changed, and pushes what
 * they belong to; a run whose folder is gone loses its name.
 * Threads: open and close are one thread's. The store may be opened by any, for reading, while the folder is open.
 */
#ifndef TSCOPE_CLI_VERBS_WEB_FOLDER_H
#define TSCOPE_CLI_VERBS_WEB_FOLDER_H

#include "cli/core/context.h"

struct ts_web_folder;

/* TS_INVALID if there is no run below the path. Of one run it waits until that is read; the runs of a folder of several come one after
 * the other. What cannot be read is said once, on stderr. */
enum ts_status ts_web_folder_open(struct ts_cli *cli, const char *path, const char *project, struct ts_web_folder **ret_folder,
				  struct ts_error *err);
const char *ts_web_folder_store(const struct ts_web_folder *folder);
/* The name, without its project, of the only run; NULL: there are several, or it could not be read. It lies in the arena. */
const char *ts_web_folder_run(struct ts_web_folder *folder, struct ts_arena *arena);
void ts_web_folder_close(struct ts_web_folder *folder);

#endif
