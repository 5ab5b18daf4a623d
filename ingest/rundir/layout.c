#include "ingest/rundir/layout.h"

#include "base/below.h"
#include "base/limits.h"
#include "base/listed.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "ingest/kept/kept.h"
#include "ingest/rundir/side_read.h"
#include "record/attempt.h"
#include "record/frame.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static enum ts_file_kind kind_of(const char *directory, const char *name)
{
	char path[4096];
	int n = snprintf(path, sizeof path, "%s/%s", directory, name);

	return n > 0 && (size_t)n < sizeof path ? ts_below_kind(directory, path) : TS_FILE_NONE;
}

/* Any kind of file counts: one that is not a regular file is refused by name when it is read. */
static bool has(const char *directory, const char *name)
{
	return kind_of(directory, name) != TS_FILE_NONE;
}

/* Reads "rank" and digits. Returns the number, -1 if the name has another form, -2 if the number is too large. */
static int64_t rank_of(struct ts_span name, struct ts_span prefix)
{
	int64_t rank;

	if (!ts_span_starts(name, prefix) || name.len == prefix.len)
		return -1;
	for (size_t i = prefix.len; i < name.len; i++)
		if (!ts_is_digit(name.data[i]))
			return -1;
	if (!ts_parse_i64(ts_span_of(name.data + prefix.len, name.len - prefix.len), &rank) || rank > INT32_MAX)
		return -2;
	return rank;
}

bool ts_layout_has_steps(const char *path)
{
	if (has(path, "steps.jsonl") || has(path, TS_FRAME_FILE) || has(path, "run.json") || has(path, "facts.json") ||
	    has(path, "launch.json"))
		return true;
	for (size_t i = 0; i < TS_SIDE_FILES; i++)
		if (ts_side_files[i].alone && has(path, ts_side_files[i].name))
			return true;
	return false;
}

enum ts_status ts_layout_has_ranks(const char *path, bool *ret_has, bool *ret_steps, struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status;
	bool found = false, steps = false;
	char **names;
	size_t n = 0;

	ts_arena_init(&arena, 0);
	status = ts_below_list(path, path, &arena, &names, &n, err);
	for (size_t i = 0; !status && i < n && !steps; i++) {
		char *child;

		if (rank_of(ts_span_str(names[i]), ts_span_str("rank")) == -1)
			continue;
		child = ts_path_join(&arena, path, names[i]);
		if (!child)
			status = ts_arena_error(&arena, err);
		else if (ts_below_kind(path, child) == TS_FILE_DIRECTORY) {
			found = true;
			steps = ts_layout_has_steps(child);
		}
	}
	ts_arena_finish(&arena);
	if (status == TS_NO_MEMORY)
		return status;
	*ret_has = found;
	*ret_steps = steps;
	return TS_OK;
}

enum ts_status ts_layout_looks_like_run(const char *path, bool *ret, struct ts_error *err)
{
	enum ts_kept_kind kept = TS_KEPT_NOT;
	bool steps = ts_layout_has_steps(path);

	if (!steps && ts_kept_here(path, path, &kept, err))
		return err->status;
	*ret = steps || kept != TS_KEPT_NOT;
	return TS_OK;
}

static enum ts_status add_rank(struct ts_run_layout *layout, int64_t rank, const char *top, const char *path, const char *name,
			       struct ts_arena *arena, struct ts_error *err)
{
	struct ts_rank_dir *dir;
	char *prefix = ts_arena_printf(arena, "%s/", name);
	size_t at;

	if (!path || !prefix)
		return ts_arena_error(arena, err);
	if (rank < 0)
		return ts_error_set(err, TS_INVALID, "%s: the rank is too large", path);
	for (at = layout->n; at > 0 && layout->ranks[at - 1].rank > rank; at--)
		;
	if (at > 0 && layout->ranks[at - 1].rank == rank)
		return ts_error_set(err, TS_INVALID, "%s and %s are both rank %" PRId64, layout->ranks[at - 1].path,
				    path, rank);
	if (layout->n == TS_WORLD_MAX) /* some may be empty, so the limit of ranks in a run is checked for the others later */
		return ts_error_set(err, TS_TOO_LARGE, "%s: more than %d rank directories; a run has at most %d ranks", layout->path,
				    TS_WORLD_MAX, TS_RANKS_MAX);
	dir = &layout->ranks[at];
	memmove(dir + 1, dir, (layout->n - at) * sizeof *dir);
	*dir = (struct ts_rank_dir){.rank = (int32_t)rank, .named = true, .top = top, .path = path, .name = ts_span_str(prefix)};
	layout->n++;
	return TS_OK;
}

/* Finds rank directories among names, which lie in `directory` and begin with prefix. */
static enum ts_status add_ranks(struct ts_run_layout *layout, const char *top, const char *directory, const char *prefix, char **names,
				size_t n, struct ts_notices *notices, struct ts_arena *arena, struct ts_error *err)
{
	for (size_t i = 0; i < n; i++) {
		int64_t rank = rank_of(ts_span_str(names[i]), ts_span_str(prefix));
		bool is_run = true;
		char *path;

		if (rank == -1)
			continue;
		path = ts_path_join(arena, directory, names[i]);
		if (!path)
			return ts_arena_error(arena, err);
		if (ts_below_kind(top, path) == TS_FILE_LINK)
			(void)ts_reader_has(top, path, ts_span_str(names[i]), notices);
		if (ts_below_kind(top, path) != TS_FILE_DIRECTORY)
			continue;
		if (access(path, X_OK) != 0) /* otherwise the directory would look empty */
			return ts_error_errno(err, errno, "%s", path);
		if (!layout->multi && rank != 0 && ts_layout_looks_like_run(path, &is_run, err))
			return err->status;
		if (!layout->multi && (rank == 0 || !is_run))
			continue;
		if (add_rank(layout, rank, top, path, names[i], arena, err))
			return err->status;
	}
	return TS_OK;
}

/* The first of sorted names that is not below this one. */
static size_t first_from(char **names, size_t n, const char *name)
{
	size_t low = 0;

	while (n > 0) {
		size_t half = n / 2;

		if (strcmp(names[low + half], name) < 0) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low;
}

/* Copies the names at the begin of sorted ones that begin with prefix into the arena, where they stay as long as the layout. */
static enum ts_status keep_prefixed(char **names, size_t n, const char *prefix, struct ts_arena *arena, char ***ret_names,
				    size_t *ret_n, struct ts_error *err)
{
	size_t some = 0;
	char **kept;

	while (some < n && strncmp(names[some], prefix, strlen(prefix)) == 0)
		some++;
	kept = ts_arena_array(arena, some + 1, sizeof *kept);
	for (size_t i = 0; kept && i < some; i++)
		kept[i] = ts_arena_printf(arena, "%s", names[i]);
	*ret_names = kept;
	*ret_n = some;
	return arena->failed ? ts_arena_error(arena, err) : TS_OK;
}

/* PATH itself is rank 0. PATH_rank<k> beside it are the other ranks. */
static enum ts_status add_siblings(struct ts_run_layout *layout, struct ts_listed *listed, struct ts_notices *notices,
				   struct ts_arena *arena, struct ts_error *err)
{
	char *real = realpath(layout->path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;
	enum ts_status status = TS_OK;
	struct ts_error why; /* a parent that may not be read gives no siblings */
	char *prefix;
	char *parent;
	char **names;
	size_t n, from;

	if (slash && slash[1]) {
		prefix = ts_arena_printf(arena, "%s_rank", slash + 1);
		parent = ts_arena_printf(arena, "%.*s", slash == real ? 1 : (int)(slash - real), real);
		if (!prefix || !parent)
			status = ts_arena_error(arena, err);
		else if ((listed ? ts_listed_names(listed, parent, &names, &n, &why)
				 : ts_below_list(parent, parent, arena, &names, &n, &why)) == TS_OK) {
			from = first_from(names, n, prefix);
			status = keep_prefixed(names + from, n - from, prefix, arena, &names, &n, err);
			layout->ranks = ts_arena_array(arena, n + 1, sizeof *layout->ranks);
			if (!status)
				status = layout->ranks ? add_ranks(layout, parent, parent, prefix, names, n, notices, arena, err)
						       : ts_arena_error(arena, err);
		} else if (why.status == TS_NO_MEMORY) {
			*err = why;
			status = why.status;
		}
	}
	free(real);
	return status;
}

static enum ts_status single(struct ts_run_layout *layout, const char *top, struct ts_listed *listed, struct ts_notices *notices,
			     struct ts_arena *arena, struct ts_error *err)
{
	bool steps = has(layout->path, "steps.jsonl") || has(layout->path, TS_FRAME_FILE) || has(layout->path, "run.json");
	bool is_run = false;

	if (ts_layout_looks_like_run(layout->path, &is_run, err))
		return err->status;
	if (!is_run)
		return ts_error_set(err, TS_INVALID,
				    "%s is not a run directory: it has no steps.jsonl, no recording.tscope, no run.json, no rank*/, no "
				    "trace and no snapshot of memory",
				    layout->path);
	if (steps && add_siblings(layout, listed, notices, arena, err))
		return err->status;
	if (!layout->ranks)
		layout->ranks = ts_arena_array(arena, 1, sizeof *layout->ranks);
	if (!layout->ranks)
		return ts_arena_error(arena, err);
	memmove(layout->ranks + 1, layout->ranks, layout->n * sizeof *layout->ranks);
	layout->ranks[0] = (struct ts_rank_dir){.top = top, .path = layout->path, .name = ts_span_str("")};
	layout->n++;
	return TS_OK;
}

static void tell_root_steps(const char *path, const char *name, struct ts_notices *notices)
{
	if (has(path, name))
		ts_notice_add(notices, "root_steps_ignored", TS_NOTICE_SKIPPED, ts_span_str(name), 0,
			      "the steps beside the rank directories do not belong to any rank");
}

static bool is_recording(const char *name)
{
	return ts_attempt_of(name, "recording", "tscope") > 0;
}

/* A recording beside rank directories is that of rank 0, if no directory is. There is room: the recording was listed, too. */
static bool add_rank_at_root(struct ts_run_layout *layout, const char *top)
{
	if (layout->ranks[0].rank == 0 || has(layout->path, "steps.jsonl") || !ts_below_any(top, layout->path, is_recording))
		return false;
	memmove(layout->ranks + 1, layout->ranks, layout->n * sizeof *layout->ranks);
	layout->ranks[0] = (struct ts_rank_dir){.named = true, .top = top, .path = layout->path, .name = ts_span_str("")};
	layout->n++;
	layout->rank_at_root = true;
	return true;
}

enum ts_status ts_layout_find(const char *top, const char *path, struct ts_listed *listed, struct ts_notices *notices,
			      struct ts_arena *arena, struct ts_run_layout *ret_layout, struct ts_error *err)
{
	struct ts_run_layout layout = {.path = path};
	enum ts_file_kind kind = ts_below_kind(top, path);
	char **names;
	size_t n;

	if (kind == TS_FILE_NONE)
		return ts_error_set(err, TS_NOT_FOUND, "%s: no such directory", path);
	if (kind != TS_FILE_DIRECTORY)
		return ts_error_set(err, TS_INVALID, "%s is a file; a run is a directory", path);
	if (ts_below_list(top, path, arena, &names, &n, err))
		return err->status;
	layout.multi = true;
	layout.ranks = ts_arena_array(arena, n ? n : 1, sizeof *layout.ranks);
	if (!layout.ranks)
		return ts_arena_error(arena, err);
	if (add_ranks(&layout, top, path, "rank", names, n, notices, arena, err))
		return err->status;
	if (layout.n == 0) {
		layout.multi = false;
		layout.ranks = NULL;
		if (single(&layout, top, listed, notices, arena, err))
			return err->status;
	} else {
		tell_root_steps(path, "steps.jsonl", notices);
		if (!add_rank_at_root(&layout, top))
			tell_root_steps(path, TS_FRAME_FILE, notices);
	}
	*ret_layout = layout;
	return TS_OK;
}
