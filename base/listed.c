#include "base/listed.h"

#include "base/file.h"
#include "base/system.h"

#include <string.h>
#include <sys/stat.h>

enum { LISTED_MAX = 1 << 30 };

void ts_listed_finish(struct ts_listed *listed)
{
	if (listed->begun)
		ts_arena_finish(&listed->arena);
	*listed = (struct ts_listed)TS_LISTED_INIT;
}

static bool is_current(const struct ts_listed *listed, const char *path, const struct timespec *changed)
{
	return listed->path && strcmp(listed->path, path) == 0 && listed->changed.tv_sec == changed->tv_sec &&
	       listed->changed.tv_nsec == changed->tv_nsec;
}

enum ts_status ts_listed_names(struct ts_listed *listed, const char *path, char ***ret_names, size_t *ret_n, struct ts_error *err)
{
	struct timespec changed = {0};
	struct stat st;
	bool known = stat(path, &st) == 0 && ts_system_changed(&st, &changed);

	if (!known || !is_current(listed, path, &changed)) {
		ts_listed_finish(listed);
		ts_arena_init(&listed->arena, LISTED_MAX);
		listed->begun = true;
		if (ts_list_dir(path, &listed->arena, &listed->names, &listed->n, err))
			return err->status;
		listed->path = known ? ts_arena_printf(&listed->arena, "%s", path) : NULL;
		listed->changed = changed;
	}
	*ret_names = listed->names;
	*ret_n = listed->n;
	return TS_OK;
}
