#include "cli/why/kept_run.h"

#include "base/digest.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/view/show_value.h"

#include <string.h>
#include <unistd.h>

enum { ATTEMPTS = 1000, DONE_MOST = 4096, TAIL = 4096, LINE_SHOWN = 200 };

enum ts_status ts_kept_run_key(struct ts_buf *text, char ret_key[TS_KEPT_RUN_KEY + 1], struct ts_error *err)
{
	char hex[TS_ID_HEX + 1] = "";
	bool failed = text->failed;
	struct ts_id id;

	if (!failed) {
		ts_digest(ts_buf_view(text), &id);
		(void)ts_id_hex(&id, hex);
	}
	ts_buf_finish(text);
	if (failed)
		return ts_error_set(err, TS_TOO_LARGE, "the command, and what differs, is too long");
	memcpy(ret_key, hex, TS_KEPT_RUN_KEY);
	ret_key[TS_KEPT_RUN_KEY] = '\0';
	return TS_OK;
}

/* FOLDER.done has "ran", or "cannot WHY". */
static bool is_done(const char *folder, struct ts_arena *arena, struct ts_kept_run *kept)
{
	static const char cannot[] = "cannot ";
	struct ts_buf text = TS_BUF_INIT(DONE_MOST);
	const char *path = ts_arena_phrase(arena, "%s.done", folder);
	struct ts_error ignored;
	bool done = !ts_file_read(path, &text, &ignored);
	struct ts_span said = ts_buf_view(&text);

	if (done && ts_span_starts(said, ts_span_str(cannot)))
		kept->problem = ts_arena_phrase(arena, "%.*s", TS_SPAN_ARG(ts_span_from(said, strlen(cannot))));
	ts_buf_finish(&text);
	return done;
}

enum ts_status ts_kept_run_find(const char *directory, const char *key, struct ts_arena *arena, struct ts_kept_run *ret_kept,
				struct ts_error *err)
{
	struct ts_kept_run kept = {.there = false};

	for (unsigned i = 1; i <= ATTEMPTS; i++) {
		kept.folder = ts_arena_printf(arena, "%s/%s.%u", directory, key, i);
		if (!kept.folder)
			return ts_arena_error(arena, err);
		kept.there = is_done(kept.folder, arena, &kept);
		/* A folder that is not done was cut off. */
		if (kept.there || ts_file_kind(kept.folder) == TS_FILE_NONE) {
			*ret_kept = kept;
			return TS_OK;
		}
	}
	return ts_error_set(err, TS_TOO_LARGE, "%s: %d runs of one kind were cut off there", directory, ATTEMPTS);
}

void ts_kept_run_forget(const struct ts_kept_run *kept, struct ts_arena *arena)
{
	(void)unlink(ts_arena_phrase(arena, "%s.done", kept->folder));
}

/* The last line with anything in it that a run printed; empty: it printed none. */
static struct ts_span last_line(const char *folder, struct ts_arena *arena)
{
	char *text = ts_arena_alloc(arena, TAIL);
	struct ts_span line = {NULL, 0}, rest;
	struct ts_error ignored;
	uint64_t size;
	size_t n = 0;
	int fd;

	if (!text || ts_file_open(ts_arena_phrase(arena, "%s/output.txt", folder), &fd, &size, &ignored))
		return line;
	if (ts_pread_full(fd, text, TAIL, size > TAIL ? size - TAIL : 0, &n, &ignored))
		n = 0;
	(void)close(fd);
	for (rest = ts_span_of(text, n); rest.len;) {
		struct ts_span through = ts_span_through(rest, '\n'), part = through.len ? through : rest;

		rest = ts_span_from(rest, part.len);
		if (ts_trim(part).len)
			line = ts_trim(part);
	}
	return line.len > LINE_SHOWN ? ts_span_part(line, 0, LINE_SHOWN) : line;
}

static const char *problem_of(const char *why, const char *folder, struct ts_arena *arena)
{
	struct ts_span line = last_line(folder, arena);

	return line.len ? ts_arena_phrase(arena, "%s: %s", why, ts_show_text(line, arena)) : ts_arena_phrase(arena, "%s", why);
}

enum ts_status ts_kept_run_make(struct ts_runner *runner, const char *clone, const struct ts_recipe *recipe, struct ts_arena *arena,
				struct ts_kept_run *kept, struct ts_error *err)
{
	struct ts_ran ran;
	uint32_t job;
	const char *done = ts_arena_printf(arena, "%s.done", kept->folder), *text;

	if (ts_runner_begin(runner, clone, recipe, &job, err) || ts_runner_wait(runner, -1, &ran, err))
		return err->status;
	if (ran.kind == TS_RAN_ENDED)
		return ts_error_set(err, TS_CANCELLED, "the run was ended");
	kept->seconds = (double)ran.took_ns / 1e9;
	if (ran.kind != TS_RAN_WELL)
		kept->problem = problem_of(ran.why, kept->folder, arena);
	text = kept->problem ? ts_arena_printf(arena, "cannot %s", kept->problem) : "ran";
	if (!done || !text)
		return ts_arena_error(arena, err);
	return ts_file_replace(done, ts_span_str(text), 0600, err);
}
