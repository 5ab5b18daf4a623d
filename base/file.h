/* file.h - functions on files that handle EINTR, short counts and durability.
 *
 * Paths are NUL-terminated. Errors name the path.
 * Threads: safe.
 */
#ifndef TSCOPE_BASE_FILE_H
#define TSCOPE_BASE_FILE_H

#include "base/buf.h"

#include <dirent.h>
#include <sys/types.h>

/* Reads up to n bytes at the descriptor's position; *ret_n < n only at end of file. */
enum ts_status ts_read_full(int fd, void *data, size_t n, size_t *ret_n, struct ts_error *err);
enum ts_status ts_pread_full(int fd, void *data, size_t n, uint64_t offset, size_t *ret_n, struct ts_error *err);
enum ts_status ts_write_full(int fd, const void *data, size_t n, struct ts_error *err);

/* Opens a regular file for reading (O_CLOEXEC). TS_NOT_FOUND if it does not exist, TS_INVALID if it is not a regular file. */
enum ts_status ts_file_open(const char *path, int *ret_fd, uint64_t *ret_size, struct ts_error *err);
/* Appends the rest of an open file, whose size is a hint, to buf. The error does not name the file. */
enum ts_status ts_read_rest(int fd, uint64_t size, struct ts_buf *buf, struct ts_error *err);
/* Appends the whole file to buf; TS_TOO_LARGE if it exceeds the ceiling of buf. */
enum ts_status ts_file_read(const char *path, struct ts_buf *buf, struct ts_error *err);
/* Replaces a file atomically: writes a file beside it, syncs that, renames it over path and syncs the directory, so that
 * readers see either the old bytes or the new ones. */
enum ts_status ts_file_replace(const char *path, struct ts_span bytes, mode_t mode, struct ts_error *err);
/* Makes a directory and its parents, as mkdir -p does; an existing directory is no error. */
enum ts_status ts_make_dirs(const char *path, mode_t mode, struct ts_error *err);

/* Removes a directory and all that is in it, or a file, without following links, up to the first that cannot be removed. */
void ts_remove_tree(const char *path);

enum ts_file_kind { TS_FILE_NONE, TS_FILE_REGULAR, TS_FILE_DIRECTORY, TS_FILE_LINK, TS_FILE_OTHER };
/* The kind of what the path names; symbolic links are followed, so it is never TS_FILE_LINK. */
enum ts_file_kind ts_file_kind(const char *path);

/* Lists the names in a directory except . and .., sorted by bytes, in the arena. */
struct ts_arena;
enum ts_status ts_list_dir(const char *path, struct ts_arena *arena, char ***ret_names, size_t *ret_n,
			   struct ts_error *err);
/* The same for a directory that is open, and which it closes. The error does not name it. */
enum ts_status ts_list_open_dir(DIR *dir, struct ts_arena *arena, char ***ret_names, size_t *ret_n, struct ts_error *err);

#endif
