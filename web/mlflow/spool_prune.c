/* spool_prune.c - see spool.h: runs that ended long ago leave the folder. */
#include "web/mlflow/spool.h"

#include "base/file.h"
#include "base/path.h"
#include "base/text.h"
#include "web/mlflow/spool_internal.h"

#include <stdio.h>
#include <sys/stat.h>

static const char gone_begin[] = ".gone-"; /* of a folder that is being removed; such a name is no run's */

static bool is_older(const char *path, int64_t before_s)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (int64_t)st.st_mtime < before_s;
}

/* Takes the folder away at once, and the run out of what is known; its files are removed later. The lock is held. */
static bool leave(struct ts_spool *s, struct ts_spool_known *known, int64_t before_s, struct ts_arena *arena)
{
	struct ts_spool_run run = {.deleted = false};
	const char *marker, *models, *folder, *gone;

	memcpy(run.id, known->id, sizeof run.id);
	memcpy(run.experiment, s->experiments[known->experiment].id, sizeof run.experiment);
	marker = ts_spool_path(s, &run, ts_spool_stored, NULL, arena);
	models = ts_spool_path(s, &run, "models", NULL, arena);
	folder = ts_spool_folder(s, &run, arena);
	gone = ts_arena_printf(arena, "%s/%s%s", s->folder, gone_begin, run.id);
	if (!marker || !models || !folder || !gone || !is_older(marker, before_s) || ts_file_kind(models) != TS_FILE_NONE ||
	    rename(folder, gone) != 0)
		return false;
	known->id[0] = '\0'; /* it is found by no id any more */
	known->marked = known->stored = false;
	s->n_left++;
	return true;
}

/* Also those that an earlier process did not come to. */
static void remove_gone(const struct ts_spool *s, struct ts_arena *arena)
{
	struct ts_error err;
	char **names;
	size_t n;

	if (ts_list_dir(s->folder, arena, &names, &n, &err))
		return;
	for (size_t i = 0; i < n; i++) {
		const char *path = ts_path_join(arena, s->folder, names[i]);

		if (path && ts_span_starts(ts_span_str(names[i]), ts_span_str(gone_begin)))
			ts_remove_tree(path);
	}
}

size_t ts_spool_prune(struct ts_spool *s, int64_t before_s)
{
	struct ts_arena arena;
	size_t n = 0;

	ts_arena_init(&arena, 0);
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->n_runs; i++) {
		ts_arena_reset(&arena);
		if (s->runs[i].stored && !s->runs[i].queued)
			n += leave(s, &s->runs[i], before_s, &arena);
	}
	pthread_mutex_unlock(&s->lock);
	ts_arena_reset(&arena);
	remove_gone(s, &arena);
	ts_arena_finish(&arena);
	return n;
}
