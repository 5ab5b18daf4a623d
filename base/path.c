#include "base/path.h"

char *ts_path_join(struct ts_arena *arena, const char *directory, const char *name)
{
	size_t len = strlen(directory);
	const char *slash = len && directory[len - 1] == '/' ? "" : "/";

	return ts_arena_printf(arena, "%s%s%s", directory, slash, name);
}

const char *ts_path_last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool ts_file_ends(const char *name, const char *ending)
{
	size_t n = strlen(name), m = strlen(ending);

	return n > m && strcmp(name + n - m, ending) == 0;
}
