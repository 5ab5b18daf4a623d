/* project.h - which project bare names belong to, by the folder one works in.
 *
 * A .tscope file has lines "project = NAME", blank lines and lines that begin with '#'; anything else is TS_INVALID
 * with file and line. The nearest one upward from the working folder counts.
 */
#ifndef TSCOPE_CLI_CORE_PROJECT_H
#define TSCOPE_CLI_CORE_PROJECT_H

#include "base/arena.h"

#define TS_PROJECT_DEFAULT "default"

/* Parses a .tscope file. text is the whole file; errors name path. *ret_project is NULL when the file names no project. */
enum ts_status ts_project_parse(struct ts_span text, const char *path, struct ts_arena *arena,
				const char **ret_project, struct ts_error *err);
/* Looks for a .tscope file in directory (an absolute path) and upward to /. *ret_project is NULL if there is none. */
enum ts_status ts_project_find(const char *directory, struct ts_arena *arena, const char **ret_project,
			       struct ts_error *err);
/* The project here: TSCOPE_PROJECT, else that of the nearest .tscope file, else TS_PROJECT_DEFAULT. */
enum ts_status ts_project_here(struct ts_arena *arena, const char **ret_project, struct ts_error *err);
/* Checks that name is one component: [A-Za-z0-9][A-Za-z0-9._+-]*. The error names its origin, what ("TSCOPE_PROJECT"). */
enum ts_status ts_project_check(const char *name, const char *what, struct ts_error *err);

#endif
