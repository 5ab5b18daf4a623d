/* project.h - which project bare names belong to, by the folder one works in.
 *
 * A .tscope file has lines "project = NAME", blank lines and lines that begin with '#'; anything else is TS_INVALID
 * with file and line. The nearest one upward from the working folder counts.
 */
#ifndef TSCOPE_CLI_CORE_PROJECT_H
#define TSCOPE_CLI_CORE_PROJECT_H

#include "base/arena.h"

#define TS_PROJECT_DEFAULT "default"

/* text is the whole file; path stands in errors. *ret_project is NULL when the file names none. */
enum ts_status ts_project_parse(struct ts_span text, const char *path, struct ts_arena *arena,
				const char **ret_project, struct ts_error *err);
/* From directory (absolute) upward to /. *ret_project is NULL without a file. */
enum ts_status ts_project_find(const char *directory, struct ts_arena *arena, const char **ret_project,
			       struct ts_error *err);
/* TSCOPE_PROJECT, else the nearest file, else TS_PROJECT_DEFAULT. */
enum ts_status ts_project_here(struct ts_arena *arena, const char **ret_project, struct ts_error *err);
/* One component of a name: [A-Za-z0-9][A-Za-z0-9._+-]*. what stands in the error ("TSCOPE_PROJECT"). */
enum ts_status ts_project_check(const char *name, const char *what, struct ts_error *err);

/* A run's name made of a directory's: characters that a name may not have become '-', leading ones that it may not
 * begin with go. *ret_changed says whether it had to be. TS_INVALID when nothing is left. */
enum ts_status ts_name_from_path(const char *path, struct ts_arena *arena, const char **ret_name, bool *ret_changed,
				 struct ts_error *err);

#endif
