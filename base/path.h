/* path.h - paths as text: joined, and their last part. Nothing is looked up on disk. Threads: any. */
#ifndef TSCOPE_BASE_PATH_H
#define TSCOPE_BASE_PATH_H

#include "base/arena.h"

/* directory/name in the arena; NULL when it is full. */
char *ts_path_join(struct ts_arena *arena, const char *directory, const char *name);
/* Behind the last '/'; the whole path if there is none. */
const char *ts_path_last(const char *path);
/* The name has that ending, ".csv", and something before it. */
bool ts_file_ends(const char *name, const char *ending);

#endif
