#include "ingest/rundir/unread.h"

#include "base/below.h"
#include "base/path.h"
#include "base/text.h"
#include "ingest/rundir/side_read.h"
#include "record/frame.h"

#include <stdio.h>

enum { SHOWN = 4 };

static bool is_known(const char *name)
{
	static const char *const names[] = {"steps.jsonl", TS_FRAME_FILE, "run.json", "facts.json"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	for (size_t i = 0; i < TS_SIDE_FILES; i++)
		if (strcmp(name, ts_side_files[i].name) == 0)
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

static bool is_unread(const struct ts_kept_set *kept, const char *top, const char *path, const char *name)
{
	enum ts_file_kind kind = ts_below_kind(top, path);

	if (name[0] == '.' || is_known(name) || (kind != TS_FILE_REGULAR && kind != TS_FILE_DIRECTORY))
		return false;
	return !(kind == TS_FILE_DIRECTORY && ts_kept_is_rank(name)) && !is_kept(kept, path);
}

enum ts_status ts_unread_tell(const struct ts_kept_set *kept, const char *top, const char *directory, struct ts_span prefix,
			      struct ts_error *err)
{
	struct ts_notice one = {.code = "unread", .level = TS_NOTICE_INFO, .file = prefix};
	struct ts_notices told = {.items = &one, .n = 1};
	struct ts_error cannot;
	char **names, *said = NULL;
	size_t n = 0;

	if (ts_below_list(top, directory, kept->arena, &names, &n, &cannot) == TS_NO_MEMORY) {
		*err = cannot;
		return err->status;
	}
	for (size_t i = 0; i < n; i++) {
		const char *path = ts_path_join(kept->arena, directory, names[i]);

		if (!path)
			return ts_arena_error(kept->arena, err);
		if (!is_unread(kept, top, path, names[i]) || ++one.count > SHOWN)
			continue;
		said = ts_arena_printf(kept->arena, "%s%s%s%s", said ? said : "", said ? ", " : "", ts_show(ts_span_str(names[i])).text,
				       ts_below_kind(top, path) == TS_FILE_DIRECTORY ? "/" : "");
		if (!said)
			return ts_arena_error(kept->arena, err);
	}
	if (!one.count)
		return TS_OK;
	if (one.count > SHOWN)
		said = ts_arena_printf(kept->arena, "%s and %" PRIu64 " more", said, one.count - SHOWN);
	if (!said)
		return ts_arena_error(kept->arena, err);
	one.detail = ts_span_str(said);
	ts_notices_merge(kept->notices, &told);
	return TS_OK;
}
