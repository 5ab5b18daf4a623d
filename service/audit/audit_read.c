#include "service/audit/audit_read.h"

#include "base/file.h"
#include "base/text.h"
#include "service/audit/audit_line.h"

#include <stdio.h>

enum { FILE_MAX = 1 << 30, ARENA = 1 << 20 };

/* Whether a file is one that the log `base` was rotated into: "base.", and digits. */
static bool is_rotated(const char *name, const char *base)
{
	size_t len = strlen(base);

	if (strncmp(name, base, len) != 0 || name[len] != '.' || !name[len + 1])
		return false;
	for (const char *c = name + len + 1; *c; c++)
		if (!ts_is_digit((uint8_t)*c))
			return false;
	return true;
}

enum ts_status ts_audit_files(const char *path, struct ts_arena *arena, char ***ret_names, size_t *ret_n, struct ts_error *err)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *dir = slash ? ts_arena_printf(arena, "%.*s", slash == path ? 1 : (int)(slash - path), path) : ".";
	char **all, **names;
	size_t n = 0, kept = 0;

	if (!dir)
		return ts_arena_error(arena, err);
	if (ts_list_dir(dir, arena, &all, &n, err))
		return err->status;
	names = ts_arena_array(arena, n + 1, sizeof *names);
	if (!names)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) { /* sorted: numbers have as many digits each */
		if (!is_rotated(all[i], base))
			continue;
		names[kept] = (char *)(uintptr_t)ts_arena_printf(arena, "%s/%s", dir, all[i]);
		if (!names[kept++])
			return ts_arena_error(arena, err);
	}
	if (ts_file_kind(path) == TS_FILE_REGULAR) {
		names[kept] = (char *)(uintptr_t)ts_arena_printf(arena, "%s", path);
		if (!names[kept++])
			return ts_arena_error(arena, err);
	}
	*ret_names = names;
	*ret_n = kept;
	return TS_OK;
}

struct reading {
	ts_audit_visit *visit;
	void *ctx;
	struct ts_audit_report report;
	struct ts_arena arena; /* of one line */
};

/* What does not follow the line before is the first of its kind: then the chain begins anew, so that later lines can be held to it. */
static void follow(struct reading *reading, struct ts_span line, uint64_t n, const char *said)
{
	struct ts_audit_report *r = &reading->report;
	char chain[TS_AUDIT_CHAIN + 1];
	bool first = r->lines == 0;

	ts_audit_chain(r->chain, line, chain);
	/* Of a log whose older files are elsewhere, the first line is taken as it is. */
	if (!r->broken && !(first && n > 1) && (n != r->last + 1 || strcmp(chain, said) != 0))
		r->broken = n;
	if (first)
		r->first = n;
	r->last = n;
	memcpy(r->chain, said, sizeof r->chain);
}

static enum ts_status take_line(struct reading *reading, struct ts_span line, struct ts_error *err)
{
	struct ts_audit_entry entry;
	char said[TS_AUDIT_CHAIN + 1];
	struct ts_error mine;
	uint64_t n;

	ts_arena_reset(&reading->arena);
	if (ts_audit_line_read(line, &reading->arena, &entry, &n, said, &mine)) {
		if (mine.status == TS_NO_MEMORY)
			return *err = mine, err->status;
		reading->report.torn++;
		return TS_OK;
	}
	follow(reading, line, n, said);
	reading->report.lines++;
	return reading->visit(reading->ctx, &entry, n, err);
}

static enum ts_status take_file(struct reading *reading, const char *path, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(FILE_MAX);
	enum ts_status status = ts_file_read(path, &buf, err);
	struct ts_span rest = ts_buf_view(&buf);

	while (!status && rest.len) {
		const uint8_t *end = memchr(rest.data, '\n', rest.len);
		size_t len = end ? (size_t)(end - rest.data) : rest.len;

		if (len)
			status = take_line(reading, ts_span_of(rest.data, len), err);
		rest = ts_span_from(rest, end ? len + 1 : len);
	}
	ts_buf_finish(&buf);
	reading->report.files++;
	return status;
}

enum ts_status ts_audit_read(const char *path, ts_audit_visit *visit, void *ctx, struct ts_audit_report *ret_report,
			     struct ts_error *err)
{
	struct reading reading = {.visit = visit, .ctx = ctx};
	struct ts_arena names_arena;
	enum ts_status status;
	char **names = NULL;
	size_t n = 0;

	memset(reading.report.chain, '0', TS_AUDIT_CHAIN);
	ts_arena_init(&names_arena, ARENA);
	ts_arena_init(&reading.arena, ARENA);
	status = ts_audit_files(path, &names_arena, &names, &n, err);
	if (!status && n == 0)
		status = ts_error_set(err, TS_NOT_FOUND, "there is no audit log %s", path);
	for (size_t i = 0; i < n && !status; i++)
		status = take_file(&reading, names[i], err);
	ts_arena_finish(&reading.arena);
	ts_arena_finish(&names_arena);
	*ret_report = reading.report;
	return status;
}
