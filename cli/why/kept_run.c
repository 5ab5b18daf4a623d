#include "cli/why/kept_run.h"

#include "base/digest.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/text.h"
#include "cli/why/run_output.h"

#include <string.h>
#include <unistd.h>

enum { ATTEMPTS = 1000, DONE_MOST = 4096 };

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

void ts_kept_run_words(struct ts_buf *text, const char *before, const char *const *words)
{
	for (size_t i = 0; words && words[i]; i++)
		ts_buf_printf(text, "%s%zu %s\n", before, strlen(words[i]), words[i]);
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

/* --- runs that are being made --- */

struct ts_making {
	char key[TS_KEPT_RUN_KEY + 1];
	const char *directory; /* of the clone, in which the command runs */
	uint32_t job;
	bool over, taken;
	struct ts_kept_run kept;
};

static struct ts_making *making_of(const struct ts_kept_runs *runs, const char *key)
{
	for (size_t i = 0; i < runs->n; i++)
		if (!runs->items[i].taken && strcmp(runs->items[i].key, key) == 0)
			return &runs->items[i];
	return NULL;
}

bool ts_kept_runs_has(const struct ts_kept_runs *runs, const char *key)
{
	return making_of(runs, key) != NULL;
}

size_t ts_kept_runs_making(const struct ts_kept_runs *runs)
{
	size_t n = 0;

	for (size_t i = 0; i < runs->n; i++)
		n += !runs->items[i].over;
	return n;
}

enum ts_status ts_kept_run_begin(struct ts_kept_runs *runs, const char *key, const struct ts_recipe *recipe,
				 const struct ts_kept_run *kept, struct ts_error *err)
{
	struct ts_making making = {.kept = *kept, .directory = recipe->directory};
	struct ts_recipe with = *recipe;

	with.files = runs->files;
	if (!TS_GROW_IN(runs->arena, runs->items, runs->cap, runs->n + 1, 16))
		return ts_arena_error(runs->arena, err);
	if (ts_runner_begin(runs->runner, runs->clone, &with, &making.job, err))
		return err->status;
	memcpy(making.key, key, sizeof making.key);
	runs->items[runs->n++] = making;
	return TS_OK;
}

/* Notes how a run ended. */
static enum ts_status note(struct ts_kept_runs *runs, const struct ts_ran *ran, struct ts_error *err)
{
	struct ts_making *m = NULL;
	const char *done, *text;

	for (size_t i = 0; i < runs->n; i++)
		if (!runs->items[i].over && runs->items[i].job == ran->job)
			m = &runs->items[i];
	if (!m)
		return TS_OK;
	m->over = true;
	if (ran->kind == TS_RAN_ENDED)
		return ts_error_set(err, TS_CANCELLED, "the run was ended");
	m->kept.seconds = (double)ran->took_ns / 1e9;
	if (ran->kind != TS_RAN_WELL)
		m->kept.problem = ts_run_output_problem(ran->why, m->kept.folder, runs->clone, m->directory, runs->arena);
	done = ts_arena_printf(runs->arena, "%s.done", m->kept.folder);
	text = m->kept.problem ? ts_arena_printf(runs->arena, "cannot %s", m->kept.problem) : "ran";
	if (!done || !text)
		return ts_arena_error(runs->arena, err);
	return ts_file_replace(done, ts_span_str(text), 0600, err);
}

enum ts_status ts_kept_run_take(struct ts_kept_runs *runs, const char *key, struct ts_kept_run *ret_kept, struct ts_error *err)
{
	struct ts_making *m = making_of(runs, key);
	struct ts_ran ran;

	if (!m)
		return ts_error_set(err, TS_NOT_FOUND, "no run %s is made", key);
	while (!m->over)
		if (ts_runner_wait(runs->runner, -1, &ran, err) || note(runs, &ran, err))
			return err->status;
	m->taken = true;
	*ret_kept = m->kept;
	return TS_OK;
}

size_t ts_kept_runs_end(struct ts_kept_runs *runs)
{
	struct ts_error ignored;
	struct ts_ran ran;
	size_t n = 0;

	for (size_t i = 0; i < runs->n; i++) {
		n += !runs->items[i].taken;
		if (!runs->items[i].over)
			ts_runner_end(runs->runner, runs->items[i].job);
	}
	while (ts_kept_runs_making(runs) && !ts_runner_wait(runs->runner, -1, &ran, &ignored))
		(void)note(runs, &ran, &ignored);
	runs->n = 0;
	return n;
}
