/* spool_artifacts.c - see spool.h: files that belong to a run. */
#include "web/mlflow/spool.h"

#include "base/file.h"
#include "base/path.h"
#include "base/text.h"
#include "web/mlflow/spool_internal.h"

#include <errno.h>
#include <sys/stat.h>

enum { PATH_BYTES = 1024, PART_BYTES = 250 };

/* Each part is a name, and none leads up. An empty path is the folder itself. */
static enum ts_status check_path(struct ts_span path, struct ts_error *err)
{
	size_t begin = 0;

	if (path.len > PATH_BYTES || !ts_utf8_valid(path))
		return ts_error_set(err, TS_INVALID, "the path of an artifact has at most %d bytes of UTF-8", PATH_BYTES);
	for (size_t i = 0; path.len && i <= path.len; i++) {
		struct ts_span part;

		if (i < path.len && path.data[i] < ' ')
			return ts_error_set(err, TS_INVALID, "the path of an artifact has a control character");
		if (i < path.len && path.data[i] != '/')
			continue;
		part = ts_span_part(path, begin, i - begin);
		if (!part.len || part.len > PART_BYTES || ts_span_is(part, ".") || ts_span_is(part, ".."))
			return ts_error_set(err, TS_INVALID, "Invalid path: %s", ts_show(path).text);
		begin = i + 1;
	}
	return TS_OK;
}

static const char *path_of(const struct ts_spool *s, const struct ts_spool_run *run, struct ts_span path, struct ts_arena *arena)
{
	const char *name = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(path));

	return name ? ts_spool_path(s, run, "artifacts", path.len ? name : NULL, arena) : NULL;
}

static enum ts_status make_way(const char *path, struct ts_arena *arena, struct ts_error *err)
{
	char *folder = ts_arena_printf(arena, "%.*s", (int)(ts_path_last(path) - path - 1), path);

	return folder ? ts_make_dirs(folder, 0700, err) : ts_arena_error(arena, err);
}

enum ts_status ts_spool_put_artifact(struct ts_spool *s, const struct ts_spool_run *run, struct ts_span path, struct ts_span bytes,
				     struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status;
	const char *file;

	if (check_path(path, err))
		return err->status;
	if (!path.len)
		return ts_error_set(err, TS_INVALID, "an artifact has no name");
	if (bytes.len > TS_SPOOL_ARTIFACT_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "an artifact has at most %d MiB", TS_SPOOL_ARTIFACT_MAX >> 20);
	ts_arena_init(&arena, 64 << 10);
	file = path_of(s, run, path, &arena);
	status = file ? ts_spool_lock(s, run->id, err) : ts_arena_error(&arena, err);
	if (!status) {
		status = make_way(file, &arena, err);
		if (!status)
			status = ts_spool_put(s, file, bytes, err);
		ts_spool_unlock(s);
	}
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_spool_make_artifacts(struct ts_spool *s, const struct ts_spool_run *run, struct ts_span path, struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status;
	const char *folder;

	if (check_path(path, err))
		return err->status;
	ts_arena_init(&arena, 64 << 10);
	folder = path_of(s, run, path, &arena);
	status = folder ? make_way(folder, &arena, err) : ts_arena_error(&arena, err);
	if (!status && mkdir(folder, 0700) != 0)
		status = errno == EEXIST ? ts_error_set(err, TS_CONFLICT, "the run has artifacts at %s", ts_show(path).text)
					 : ts_error_errno(err, errno, "%s", folder);
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_spool_get_artifact(struct ts_spool *s, const struct ts_spool_run *run, struct ts_span path, struct ts_buf *out,
				     struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status;
	const char *file;

	if (check_path(path, err))
		return err->status;
	ts_arena_init(&arena, 64 << 10);
	file = path_of(s, run, path, &arena);
	if (!file)
		status = ts_arena_error(&arena, err);
	else if (ts_file_kind(file) != TS_FILE_REGULAR)
		status = ts_error_set(err, TS_NOT_FOUND, "the run has no artifact %s", ts_show(path).text);
	else
		status = ts_file_read(file, out, err);
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_spool_list_artifacts(struct ts_spool *s, const struct ts_spool_run *run, struct ts_span path, struct ts_arena *arena,
				       struct ts_spool_file **ret, size_t *ret_n, struct ts_error *err)
{
	const char *folder = check_path(path, err) ? NULL : path_of(s, run, path, arena);
	struct ts_spool_file *files;
	char **names;
	size_t n, k = 0;

	*ret_n = 0;
	*ret = NULL;
	if (!folder)
		return arena->failed ? ts_arena_error(arena, err) : err->status;
	if (ts_file_kind(folder) != TS_FILE_DIRECTORY)
		return TS_OK;
	if (ts_list_dir(folder, arena, &names, &n, err))
		return err->status;
	files = ts_arena_array(arena, TS_SPOOL_LISTED, sizeof *files);
	if (!files)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n && k < TS_SPOOL_LISTED; i++) {
		const char *file = ts_path_join(arena, folder, names[i]);
		struct stat st;

		if (file && lstat(file, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
			files[k++] = (struct ts_spool_file){names[i], S_ISDIR(st.st_mode), (uint64_t)st.st_size};
	}
	*ret = files;
	*ret_n = k;
	return ts_arena_check(arena, err);
}
