#include "cli/why/run_output.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/view/show_value.h"
#include "launch/git.h"

#include <string.h>
#include <unistd.h>

enum { TAIL = 4096, LINE_SHOWN = 200 };

static const char *path_of(const char *folder, struct ts_arena *arena)
{
	return ts_arena_phrase(arena, "%s/output.txt", folder);
}

/* The last line with anything in it; empty: it printed none. */
static struct ts_span last_line(const char *folder, struct ts_arena *arena)
{
	char *text = ts_arena_alloc(arena, TAIL);
	struct ts_span line = {NULL, 0}, rest;
	struct ts_error ignored;
	uint64_t size;
	size_t n = 0;
	int fd;

	if (!text || ts_file_open(path_of(folder, arena), &fd, &size, &ignored))
		return line;
	if (ts_pread_full(fd, text, TAIL, size > TAIL ? size - TAIL : 0, &n, &ignored))
		n = 0;
	(void)close(fd);
	for (rest = ts_span_of(text, n); rest.len;) {
		struct ts_span next = ts_trim(ts_span_next_line(&rest));

		line = next.len ? next : line;
	}
	return line;
}

static bool is_untracked(const char *clone, const char *path, struct ts_arena *arena)
{
	return ts_file_kind(ts_arena_phrase(arena, "%s/%s", clone, path)) != TS_FILE_NONE && !ts_git_tracks(clone, path);
}

/* A path as a run names it, as that of the clone: below the folder of the command, or, of one in the run's worktree, what is left of it
 * without the folders that lead there. NULL: the clone has no such file, or git tracks it. */
static const char *in_clone(const char *path, const char *clone, const char *directory, struct ts_arena *arena)
{
	const char *below = directory && directory[0] ? ts_arena_phrase(arena, "%s/%s", directory, path) : path;

	if (strstr(path, ".."))
		return NULL;
	if (path[0] != '/' && is_untracked(clone, below, arena))
		return below;
	while (path[0] == '/' && (path = strchr(path + 1, '/')) != NULL)
		if (path[1] && is_untracked(clone, path + 1, arena))
			return path + 1;
	return NULL;
}

/* The path of the clone that some word of a line names and git does not track; NULL: none. */
static const char *untracked_in(struct ts_span line, const char *clone, const char *directory, struct ts_arena *arena)
{
	static const char between[] = " \t'\"`:;,()[]<>=";
	char *text = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(line)), *rest = NULL;
	const char *found = NULL;

	for (char *word = text ? strtok_r(text, between, &rest) : NULL; word && !found; word = strtok_r(NULL, between, &rest))
		if (strpbrk(word, "/."))
			found = in_clone(word, clone, directory, arena);
	return found;
}

const char *ts_run_output_problem(const char *why, const char *folder, const char *clone, const char *directory,
				  struct ts_arena *arena)
{
	struct ts_span line = last_line(folder, arena);
	const char *lacks = line.len && clone ? untracked_in(line, clone, directory, arena) : NULL;
	const char *said = line.len ? ts_arena_phrase(arena, "%s: %s", why, ts_show_text(ts_utf8_cut(line, LINE_SHOWN), arena))
				    : ts_arena_phrase(arena, "%s", why);

	return lacks ? ts_arena_phrase(arena, "%s; git does not track %s, and --copy %s gives runs a copy", said,
				       ts_show_text(ts_span_str(lacks), arena), ts_show_text(ts_span_str(lacks), arena))
		     : said;
}

const char *ts_run_output_place(const char *folder, struct ts_arena *arena)
{
	struct ts_error ignored;
	uint64_t size = 0;
	int fd;

	if (ts_file_open(path_of(folder, arena), &fd, &size, &ignored))
		return "";
	(void)close(fd);
	return size ? ts_arena_phrase(arena, "; what it printed is in %s", path_of(folder, arena)) : "";
}
