/* below.h - opens and lists what lies below a path that somebody named, and never what lies elsewhere.
 *
 * `top` is the path that was named, and `path` what a reader looks for: top itself, or top with further parts behind it. Links in top
 * are followed, because who named it meant where it leads. In what stands behind it no part may be a symbolic link or "..", wherever
 * it leads: each part is opened in the folder before it, so that nobody can put a link there between a look and the opening.
 * A path that does not begin with top lies beside it (the map of names beside a table): then its last part alone must not be a link.
 * A hard link is the file itself to the system, so it is read.
 *
 * Named pipes, sockets and devices are never opened for reading, so nothing waits and nothing is done to a device.
 * Errors name the path. Threads: safe.
 */
#ifndef TSCOPE_BASE_BELOW_H
#define TSCOPE_BASE_BELOW_H

#include "base/file.h"

/* As ts_file_open. TS_INVALID also for a link below top. */
enum ts_status ts_below_open(const char *top, const char *path, int *ret_fd, uint64_t *ret_size, struct ts_error *err);
/* As ts_file_read. */
enum ts_status ts_below_read(const char *top, const char *path, struct ts_buf *buf, struct ts_error *err);
/* As ts_list_dir. */
enum ts_status ts_below_list(const char *top, const char *path, struct ts_arena *arena, char ***ret_names, size_t *ret_n,
			     struct ts_error *err);
/* Whether a regular file stands in the folder whose name matches. A folder that cannot be listed has none. */
bool ts_below_any(const char *top, const char *path, bool (*matches)(const char *name));
/* The kind of what stands there, for a choice of what to open, which looks again. A link below top, or in the way to path, is a
 * TS_FILE_LINK. */
enum ts_file_kind ts_below_kind(const char *top, const char *path);
/* What a file is, for a message: "a symbolic link", "a named pipe", "a directory". NULL: a regular file, or nothing is there. */
const char *ts_below_what(const char *top, const char *path);
/* Opens the folder in which the last part of path lies, to be used with openat; *ret_name is that part. */
enum ts_status ts_below_folder(const char *top, const char *path, int *ret_fd, const char **ret_name, struct ts_error *err);

#endif
