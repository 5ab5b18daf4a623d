/* path.h - functions on the text of paths; none of them looks at the disk. Threads: safe. */
#ifndef TSCOPE_BASE_PATH_H
#define TSCOPE_BASE_PATH_H

#include "base/arena.h"

/* Joins directory/name in the arena; NULL when it is full. */
char *ts_path_join(struct ts_arena *arena, const char *directory, const char *name);
/* The part after the last '/'; the whole path if it has none. */
const char *ts_path_last(const char *path);
/* True if the name ends like this (".csv") and has something before the ending. */
bool ts_file_ends(const char *name, const char *ending);

#endif
