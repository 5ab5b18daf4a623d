/* kept_find.c - which files of a folder are kept. */
#include "base/below.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "ingest/core/reader.h"
#include "ingest/kept/kept.h"
#include "ingest/snapshot/snapshot_read.h"
#include "ingest/trace/trace_sniff.h"
#include "record/frame.h"
#include "run/trace.h"

#include <unistd.h>

/* JSON that is no trace by its name may be one by its content: whoever exports a trace may name it as he likes. */
static bool may_be(const char *name)
{
	static const char *const others[] = {"run.json", "facts.json"};

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (strcmp(name, others[i]) == 0)
			return false;
	return ts_file_ends(name, ".json") || ts_file_ends(name, ".json.gz");
}

static bool is_pickle(const char *name)
{
	static const char *const endings[] = {".pickle", ".pkl", ".pickle.gz", ".pkl.gz"};

	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
		if (ts_file_ends(name, endings[i]))
			return true;
	return false;
}

enum ts_status ts_kept_is(const char *top, const char *path, enum ts_kept_kind *ret, struct ts_error *err)
{
	const char *name = ts_path_last(path);
	bool trace = ts_trace_named(path);

	*ret = TS_KEPT_NOT;
	if (!trace && ts_below_kind(top, path) == TS_FILE_REGULAR) {
		if (may_be(name) && ts_trace_sniff(path, &trace, err))
			return err->status;
		if (is_pickle(name) && ts_snapshot_sniff(path))
			*ret = TS_KEPT_SNAPSHOT;
	}
	if (trace)
		*ret = TS_KEPT_TRACE;
	return TS_OK;
}

bool ts_kept_here(const char *top, const char *directory)
{
	return ts_below_any(top, directory, ts_trace_named);
}

static bool is_taken(const struct ts_kept_set *kept, struct ts_span name, int32_t rank)
{
	for (size_t i = 0; i < kept->n; i++)
		if (kept->items[i].rank == rank && ts_span_eq(kept->items[i].name, name))
			return true;
	return false;
}

void ts_kept_move(struct ts_kept_set *kept, size_t i, int32_t rank)
{
	if (!is_taken(kept, kept->items[i].name, rank))
		kept->items[i].rank = rank;
}

static enum ts_status add(struct ts_kept_set *kept, const struct ts_kept_file *file, struct ts_error *err)
{
	if (kept->n == TS_KEPT_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%s: more than %d traces in one run", file->path, TS_KEPT_MAX);
	if (kept->n == kept->cap) {
		size_t cap = kept->cap ? kept->cap * 2 : 8;
		struct ts_kept_file *items = ts_arena_array(kept->arena, cap, sizeof *items);

		if (!items)
			return ts_arena_error(kept->arena, err);
		if (kept->n)
			memcpy(items, kept->items, kept->n * sizeof *items);
		kept->items = items;
		kept->cap = cap;
	}
	kept->items[kept->n++] = *file;
	return TS_OK;
}

/* Adds the file, under a name with its folder's before it where the name alone is taken. folder may be NULL. */
static enum ts_status add_file(struct ts_kept_set *kept, const struct ts_kept_file *file, const char *folder, struct ts_error *err)
{
	struct ts_kept_file mine = *file;
	struct ts_error cannot;
	int fd;

	if (ts_below_open(mine.top, mine.path, &fd, &mine.size, &cannot) == TS_OK)
		(void)close(fd); /* else keeping it says why */
	if (folder && is_taken(kept, mine.name, mine.rank)) {
		char *name = ts_arena_printf(kept->arena, "%s.%.*s", folder, TS_SPAN_ARG(mine.name));

		if (!name)
			return ts_arena_error(kept->arena, err);
		mine.name = ts_span_str(name);
	}
	if (ts_file_name_valid(mine.name) && !is_taken(kept, mine.name, mine.rank))
		return add(kept, &mine, err);
	ts_notice_add(kept->notices, "same_name", TS_NOTICE_SKIPPED, mine.shown, 0, "another kept file of this rank has its name");
	return TS_OK;
}

enum ts_status ts_kept_add(struct ts_kept_set *kept, const char *top, const char *path, const char *name, int32_t rank,
			   struct ts_error *err)
{
	const struct ts_kept_file file = {.kind = TS_KEPT_TRACE,
					  .top = top,
					  .path = path,
					  .name = ts_span_str(name),
					  .shown = ts_span_str(""),
					  .rank = rank,
					  .said_rank = TS_TRACE_NONE,
					  .said_world = TS_TRACE_NONE};

	return add_file(kept, &file, NULL, err);
}

static enum ts_status take(struct ts_kept_set *kept, const struct ts_kept_file *file, const char *folder, struct ts_error *err)
{
	struct ts_kept_file mine = *file;

	if (ts_kept_is(file->top, file->path, &mine.kind, err))
		return err->status;
	if (mine.kind == TS_KEPT_NOT || !ts_reader_has(file->top, file->path, file->shown, kept->notices))
		return TS_OK;
	return add_file(kept, &mine, folder, err);
}

bool ts_kept_is_rank(const char *name)
{
	if (strncmp(name, "rank", 4) != 0 || !name[4])
		return false;
	for (const char *at = name + 4; *at; at++)
		if (!ts_is_digit((uint8_t)*at))
			return false;
	return true;
}

/* A folder that is a run of its own keeps its files. */
static bool is_run(const char *top, const char *directory, struct ts_arena *arena)
{
	static const char *const names[] = {"steps.jsonl", TS_FRAME_FILE, "run.json"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		char *path = ts_path_join(arena, directory, names[i]);

		if (path && ts_below_kind(top, path) != TS_FILE_NONE)
			return true;
	}
	return false;
}

static enum ts_status find(struct ts_kept_set *kept, const struct ts_kept_file *where, const char *folder, struct ts_error *err);

/* The files of a folder below that of the run, unless it is another run or may not be read. */
static enum ts_status find_below(struct ts_kept_set *kept, const struct ts_kept_file *where, const char *name, struct ts_error *err)
{
	struct ts_kept_file below = *where;
	char *prefix = ts_arena_printf(kept->arena, "%.*s/", TS_SPAN_ARG(where->shown));
	struct ts_error cannot;
	enum ts_status status;

	if (!prefix)
		return ts_arena_error(kept->arena, err);
	if (name[0] == '.' || ts_kept_is_rank(name) || is_run(where->top, where->path, kept->arena))
		return TS_OK;
	below.shown = ts_span_str(prefix);
	status = find(kept, &below, name, &cannot);
	if (status != TS_NO_MEMORY && status != TS_TOO_LARGE)
		return TS_OK;
	*err = cannot;
	return status;
}

/* where: the folder, with what stands before the names of its files. folder: NULL for the folder of the run, whose own files come
 * before those of the folders in it; else its name below that, which is not looked below. */
static enum ts_status find(struct ts_kept_set *kept, const struct ts_kept_file *where, const char *folder, struct ts_error *err)
{
	char **names;
	size_t n;

	if (ts_below_list(where->top, where->path, kept->arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < (folder ? n : 2 * n); i++) {
		const char *name = names[i % n];
		struct ts_kept_file entry = *where;
		char *path = ts_path_join(kept->arena, where->path, name);
		char *shown = ts_arena_printf(kept->arena, "%.*s%s", TS_SPAN_ARG(where->shown), name);
		bool below;

		if (!path || !shown)
			return ts_arena_error(kept->arena, err);
		entry.path = path;
		entry.name = ts_span_str(name);
		entry.shown = ts_span_str(shown);
		below = ts_below_kind(where->top, path) == TS_FILE_DIRECTORY;
		if (i < n && !below && take(kept, &entry, folder, err))
			return err->status;
		if (i >= n && below && find_below(kept, &entry, name, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_kept_find(struct ts_kept_set *kept, const char *top, const char *directory, struct ts_span prefix, int32_t rank,
			    struct ts_error *err)
{
	const struct ts_kept_file where = {
		.top = top, .path = directory, .shown = prefix, .rank = rank, .said_rank = TS_TRACE_NONE, .said_world = TS_TRACE_NONE};

	return find(kept, &where, NULL, err);
}
