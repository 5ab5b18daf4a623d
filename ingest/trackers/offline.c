#include "ingest/trackers/offline.h"

#include "base/below.h"
#include "base/path.h"
#include "ingest/formats/unzip.h"

static bool folder_has(const char *path, const char *name, struct ts_arena *arena)
{
	char *file = ts_path_join(arena, path, name);

	return file && ts_below_kind(path, file) == TS_FILE_REGULAR;
}

static bool archive_has(const char *path, const char *first, const char *second, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_unzip_member *a = NULL, *b = NULL;
	struct ts_unzip zip;

	if (ts_unzip_open(path, path, arena, &zip, err))
		return false;
	/* A name that is there twice is the reader's to refuse. */
	(void)ts_unzip_find(&zip, first, &a, err);
	(void)ts_unzip_find(&zip, second, &b, err);
	ts_unzip_close(&zip);
	return a && b;
}

enum ts_status ts_offline_has(const char *path, const char *first, const char *second, bool *ret_has, struct ts_error *err)
{
	enum ts_file_kind kind = ts_file_kind(path);
	struct ts_error why = {.status = TS_OK};
	struct ts_arena arena;

	ts_arena_init(&arena, 0);
	*ret_has = false;
	if (kind == TS_FILE_DIRECTORY)
		*ret_has = folder_has(path, first, &arena) && folder_has(path, second, &arena);
	else if (kind == TS_FILE_REGULAR && ts_file_ends(path, ".zip"))
		*ret_has = archive_has(path, first, second, &arena, &why);
	if (arena.failed || why.status == TS_NO_MEMORY)
		(void)ts_error_set(&why, TS_NO_MEMORY, "%s: out of memory", path);
	ts_arena_finish(&arena);
	if (why.status != TS_NO_MEMORY)
		return TS_OK;
	*err = why;
	return err->status;
}

enum ts_status ts_offline_read(const char *top, const char *path, const char *name, struct ts_arena *arena, struct ts_buf *out,
			       struct ts_error *err)
{
	const struct ts_unzip_member *m;
	struct ts_unzip zip;
	enum ts_status status;

	if (ts_file_kind(path) == TS_FILE_DIRECTORY) {
		const char *file = ts_path_join(arena, path, name);

		return file ? ts_below_read(top, file, out, err) : ts_arena_error(arena, err);
	}
	if (ts_unzip_open(top, path, arena, &zip, err))
		return err->status;
	status = ts_unzip_find(&zip, name, &m, err);
	if (!status)
		status = m ? ts_unzip_read(&zip, m, out, err) : ts_error_set(err, TS_INVALID, "%s: there is no %s in it", path, name);
	ts_unzip_close(&zip);
	return status;
}
