/* reader.c - what every reader does for who asked it: tell how far it is, and look for files. */
#include "ingest/core/reader.h"

#include "base/below.h"
#include "base/grow.h"

#include <stdio.h>

enum { TELL_BYTES = 4 << 20 };

enum ts_status ts_ingest_tell(const struct ts_ingest_options *options, uint64_t *told, uint64_t at, uint64_t total,
			      struct ts_error *err)
{
	if (!options->progress || at - *told < TELL_BYTES)
		return TS_OK;
	*told = at;
	return options->progress(options->progress_ctx, at, total) ? TS_OK : ts_error_set(err, TS_CANCELLED, "stopped");
}

bool ts_reader_has(const char *top, const char *path, struct ts_span name, struct ts_notices *notices)
{
	const char *what = ts_below_what(top, path);
	char detail[64];

	if (!what)
		return ts_below_kind(top, path) == TS_FILE_REGULAR;
	(void)snprintf(detail, sizeof detail, "%s, which is not read", what);
	if (notices)
		ts_notice_add(notices, "not_file", TS_NOTICE_SKIPPED, name, 0, detail);
	return false;
}

struct ts_span ts_notice_place(const char *path, struct ts_span file)
{
	const char *slash = strrchr(path, '/');
	struct ts_span folder = slash ? ts_span_of(path, (size_t)(slash - path)) : ts_span_str(".");
	char beside[4096];
	int n = snprintf(beside, sizeof beside, "%.*s/%.*s", TS_SPAN_ARG(folder), TS_SPAN_ARG(file));

	if (!file.len || n < 0 || (size_t)n >= sizeof beside || ts_below_kind(path, path) != TS_FILE_REGULAR ||
	    ts_file_kind(beside) == TS_FILE_NONE)
		return ts_span_str(path);
	return folder;
}

enum ts_status ts_reader_add_part(struct ts_span id, struct ts_span own_name, struct ts_arena *arena, struct ts_reader_part **parts,
				  size_t *n, size_t *cap, struct ts_error *err)
{
	struct ts_reader_part part = {.own_name = NULL};

	if (*n == TS_READER_PARTS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d runs", TS_READER_PARTS_MAX);
	if (!TS_GROW_IN(arena, *parts, *cap, *n + 1, 16))
		return ts_arena_error(arena, err);
	part.id = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(id));
	if (own_name.len)
		part.own_name = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(own_name));
	if (!part.id || (own_name.len && !part.own_name))
		return ts_arena_error(arena, err);
	(*parts)[(*n)++] = part;
	return TS_OK;
}
