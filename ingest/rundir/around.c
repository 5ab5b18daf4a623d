#include "ingest/rundir/around.h"

#include "base/path.h"
#include "ingest/kept/kept.h"
#include "ingest/rundir/layout.h"
#include "ingest/rundir/run_dir.h"

#include <stdlib.h>

enum { FOLDERS = 3 /* RUN/rank0/folder/file */ };

/* The folder in which a path lies; NULL: no memory. */
static const char *folder_of(const char *path, struct ts_arena *arena)
{
	size_t len = (size_t)(ts_path_last(path) - path);

	return len < 2 ? (len ? "/" : ".") : ts_arena_printf(arena, "%.*s", (int)(len - 1), path);
}

/* folders: that of the file, and those around it. *ret is NULL without a run. */
static enum ts_status find(const char *const folders[FOLDERS], const char **ret, struct ts_error *err)
{
	const char *alone = NULL; /* a run of one directory, or the directory of a rank */

	*ret = NULL;
	for (size_t i = 0; i < FOLDERS && !*ret; i++) {
		bool of_rank = i && ts_kept_is_rank(ts_path_last(folders[i - 1])), ranks = false, steps = false;

		if (ts_layout_has_ranks(folders[i], &ranks, &steps, err))
			return err->status;
		if (ranks && (i == 0 || (of_rank && (i == 1 || alone != folders[0])) || (i == 1 && !alone)))
			*ret = folders[i];
		else if (!ranks && !alone && i + 1 < FOLDERS && ts_layout_has_steps(folders[i]))
			alone = folders[i];
	}
	*ret = *ret ? *ret : alone;
	return TS_OK;
}

enum ts_status ts_facts_around(const char *file, struct ts_arena *arena, const char **ret_run, struct ts_facts *ret_facts,
			       struct ts_error *err)
{
	const char *folder = folder_of(file, arena), *folders[FOLDERS];
	char *real = folder ? realpath(folder, NULL) : NULL;

	*ret_run = NULL;
	if (!folder)
		return ts_arena_error(arena, err);
	if (!real)
		return TS_OK;
	folders[0] = ts_arena_printf(arena, "%s", real);
	free(real);
	for (size_t i = 1; i < FOLDERS; i++)
		folders[i] = folders[i - 1] ? folder_of(folders[i - 1], arena) : NULL;
	if (arena->failed)
		return ts_arena_error(arena, err);
	if (find(folders, ret_run, err))
		return err->status;
	return *ret_run ? ts_run_dir_facts(*ret_run, folders[0], arena, ret_facts, err) : TS_OK;
}
