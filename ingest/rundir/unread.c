#include "ingest/rundir/unread.h"

#include "base/below.h"
#include "base/path.h"
#include "base/text.h"
#include "ingest/rundir/side_read.h"
#include "record/attempt.h"
#include "record/frame.h"

#include <stdio.h>

enum { SHOWN = 4 };

static bool is_known(const char *name)
{
	static const char *const names[] = {"steps.jsonl", TS_FRAME_FILE, "run.json", "facts.json", "launch.json"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	for (size_t i = 0; i < TS_SIDE_FILES; i++)
		if (strcmp(name, ts_side_files[i].name) == 0)
			return true;
	if (ts_attempt_of(name, "recording", "tscope") || ts_attempt_of(name, "run", "json") || ts_attempt_of(name, "facts", "json"))
		return true;
	/* Of these another notice tells. */
	return strncmp(name, "steps", 5) == 0 && ts_file_ends(name, ".jsonl");
}

/* The entry is a kept file, or a folder with one. */
static bool is_kept(const struct ts_kept_set *kept, const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < kept->n; i++)
		if (strncmp(kept->items[i].path, path, n) == 0 && (!kept->items[i].path[n] || kept->items[i].path[n] == '/'))
			return true;
	return false;
}

/* What is gathered on the way through the folders. */
struct telling {
	const struct ts_kept_set *kept;
	const char *top;
	const char *said; /* the first names */
	uint64_t count;
};

static bool is_passed_over(const char *name, enum ts_file_kind kind, bool inner)
{
	if (name[0] == '.' || (kind != TS_FILE_REGULAR && kind != TS_FILE_DIRECTORY))
		return true;
	/* The names of a run's files and folders mean something in its own folder alone. */
	return !inner && (is_known(name) || (kind == TS_FILE_DIRECTORY && ts_kept_is_rank(name)));
}

static enum ts_status say(struct telling *t, const char *shown, struct ts_error *err)
{
	if (++t->count > SHOWN)
		return TS_OK;
	t->said = ts_arena_printf(t->kept->arena, "%s%s%s", t->said ? t->said : "", t->said ? ", " : "",
				  ts_show(ts_span_str(shown)).text);
	return t->said ? TS_OK : ts_arena_error(t->kept->arena, err);
}

/* Each folder that is gone into has a kept file below it, so they are few, and no deeper than files are looked for. */
static enum ts_status tell_folder(struct telling *t, const char *directory, const char *inner, struct ts_error *err)
{
	struct ts_arena *arena = t->kept->arena;
	struct ts_error cannot;
	char **names;
	size_t n = 0;

	if (ts_below_list(t->top, directory, arena, &names, &n, &cannot) == TS_NO_MEMORY) {
		*err = cannot;
		return err->status;
	}
	for (size_t i = 0; i < n; i++) {
		const char *path = ts_path_join(arena, directory, names[i]);
		enum ts_file_kind kind = path ? ts_below_kind(t->top, path) : TS_FILE_NONE;
		const char *shown = ts_arena_printf(arena, "%s%s%s", inner, names[i], kind == TS_FILE_DIRECTORY ? "/" : "");

		if (!path || !shown)
			return ts_arena_error(arena, err);
		if (is_passed_over(names[i], kind, *inner) || ts_kept_is_other(t->kept, path))
			continue;
		if (!is_kept(t->kept, path) ? say(t, shown, err)
					    : kind == TS_FILE_DIRECTORY && tell_folder(t, path, shown, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_unread_tell(const struct ts_kept_set *kept, const char *top, const char *directory, struct ts_span prefix,
			      struct ts_error *err)
{
	struct ts_notice one = {.code = "unread", .level = TS_NOTICE_INFO, .file = prefix};
	struct ts_notices told = {.items = &one, .n = 1};
	struct telling t = {.kept = kept, .top = top};

	if (tell_folder(&t, directory, "", err))
		return err->status;
	if (!t.count)
		return TS_OK;
	if (t.count > SHOWN)
		t.said = ts_arena_printf(kept->arena, "%s and %" PRIu64 " more", t.said, t.count - SHOWN);
	if (!t.said)
		return ts_arena_error(kept->arena, err);
	one.count = t.count;
	one.detail = ts_span_str(t.said);
	ts_notices_merge(kept->notices, &told);
	return TS_OK;
}
