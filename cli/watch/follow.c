#include "cli/watch/follow.h"

#include "base/alloc.h"
#include "base/below.h"
#include "base/grow.h"
#include "base/path.h"
#include "ingest/rundir/layout.h"
#include "record/attempt.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 1 << 16, LOOK_S = 5 };

/* --- what there is --- */

static struct ts_followed *find(struct ts_follow *f, int32_t rank)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->items[i].rank == rank)
			return &f->items[i];
	return NULL;
}

static enum ts_status place(struct ts_follow *f, struct ts_followed *at, const struct ts_rank_dir *dir, struct ts_error *err)
{
	at->top = ts_arena_printf(&f->arena, "%s", dir->top);
	at->path = ts_arena_printf(&f->arena, "%s", dir->path);
	return at->top && at->path ? TS_OK : ts_arena_error(&f->arena, err);
}

static enum ts_status add(struct ts_follow *f, const struct ts_rank_dir *dir, struct ts_error *err)
{
	if (!TS_GROW(f->items, f->cap, f->n + 1, 8))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for ranks");
	f->items[f->n] = (struct ts_followed){.rank = dir->rank, .fd = -1};
	if (place(f, &f->items[f->n], dir, err))
		return err->status;
	f->n++;
	return TS_OK;
}

/* A folder in which no rank records yet looks as that of rank 0 alone: while the rank has nothing open, its folder may become
 * another. */
static enum ts_status add_or_place(struct ts_follow *f, const struct ts_rank_dir *dir, struct ts_error *err)
{
	struct ts_followed *at = find(f, dir->rank);

	if (!at)
		return add(f, dir, err);
	return at->fd < 0 && strcmp(at->path, dir->path) != 0 ? place(f, at, dir, err) : TS_OK;
}

static enum ts_status find_ranks(struct ts_follow *f, struct ts_error *err)
{
	struct ts_run_layout layout = {0};
	struct ts_notices notices;
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, (size_t)64 << 20);
	notices = (struct ts_notices){.arena = &arena};
	status = ts_layout_find(f->path, f->path, NULL, &notices, &arena, &layout, err);
	for (size_t i = 0; !status && i < layout.n; i++)
		status = add_or_place(f, &layout.ranks[i], err);
	ts_arena_finish(&arena);
	return status;
}

/* --- files --- */

static void leave_file(struct ts_followed *at)
{
	if (at->fd < 0)
		return;
	(void)close(at->fd);
	at->fd = -1;
	if (at->lines)
		ts_lines_destroy(at->reader);
	else
		ts_growth_finish(&at->growth);
}

static void tell(struct ts_follow *f, struct ts_followed *at, const struct ts_error *err)
{
	at->dead = true;
	if (!f->trouble[0])
		(void)snprintf(f->trouble, sizeof f->trouble, "rank %" PRId32 " is not followed: %.200s", at->rank, err->text);
}

static uint32_t last_attempt(const struct ts_followed *at)
{
	uint32_t attempt = 0;
	int folder = open(at->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0)
		return 0;
	if (ts_attempt_last(folder, &attempt))
		attempt = 0;
	(void)close(folder);
	return attempt;
}

static enum ts_status open_file(struct ts_follow *f, struct ts_followed *at, const char *name, uint32_t attempt, struct ts_error *err)
{
	char path[4096];
	uint64_t size;
	int n = snprintf(path, sizeof path, "%s/%s", at->path, name), fd;

	if (n < 0 || (size_t)n >= sizeof path)
		return ts_error_set(err, TS_TOO_LARGE, "%s: its path is too long", name);
	if (ts_below_open(at->top, path, &fd, &size, err))
		return err->status;
	leave_file(at);
	at->fd = fd;
	at->attempt = attempt;
	at->lines = attempt == 0;
	at->at = 0;
	if (!at->lines) {
		ts_growth_init(&at->growth);
		return TS_OK;
	}
	at->reader = NULL;
	return ts_lines_create(f->live, true, &at->reader, err);
}

/* Opens the newest attempt, or steps.jsonl; what is not there yet may come. */
static enum ts_status look_for_file(struct ts_follow *f, struct ts_followed *at, struct ts_error *err)
{
	uint32_t attempt = at->dead || (at->fd >= 0 && at->lines) ? at->attempt : last_attempt(at);
	char name[TS_ATTEMPT_NAME] = "steps.jsonl";
	enum ts_status status;

	if (at->dead || (at->fd >= 0 && attempt == at->attempt))
		return TS_OK;
	if (attempt)
		ts_attempt_name(name, "recording", "tscope", attempt);
	status = open_file(f, at, name, attempt, err);
	if (status && status != TS_NOT_FOUND && status != TS_NO_MEMORY)
		tell(f, at, err);
	return status == TS_NO_MEMORY ? status : TS_OK;
}

static enum ts_status look(struct ts_follow *f, struct ts_error *err)
{
	for (size_t i = 0; i < f->n; i++)
		if (look_for_file(f, &f->items[i], err))
			return err->status;
	return TS_OK;
}

/* --- reading --- */

struct taking {
	struct ts_live *live;
	struct ts_live_rank *rank;
	struct ts_buf cells;
};

static void take(void *ctx, const struct ts_growth_row *row)
{
	struct taking *t = ctx;
	struct ts_live_step step = {.step = row->step, .time = row->time};

	ts_buf_reset(&t->cells);
	for (size_t i = 0; i < row->n; i++) {
		struct ts_declared_column *column = row->cells[i].column;
		struct ts_live_cell cell = {.value = row->cells[i].value};

		if (!column->number)
			column->number = ts_live_column(t->live, column->path) + 1; /* TS_LIVE_NONE stays 0 */
		cell.column = column->number - 1;
		if (row->late)
			ts_live_late(t->live, t->rank, row->step, cell.column, cell.value);
		else
			ts_buf_bytes(&t->cells, &cell, sizeof cell);
	}
	step.cells = (const struct ts_live_cell *)(const void *)t->cells.data;
	step.n = t->cells.len / sizeof(struct ts_live_cell);
	if (!row->late)
		ts_live_step(t->live, t->rank, &step);
}

static enum ts_status read_recording(struct ts_follow *f, struct ts_followed *at, uint64_t size, bool *ret_grew, struct ts_error *err)
{
	struct taking t = {.live = f->live, .rank = ts_live_rank(f->live, at->rank), .cells = TS_BUF_INIT((size_t)16 << 20)};
	enum ts_status status;
	uint64_t rows = 0;

	if (!t.rank)
		return ts_error_set(err, TS_TOO_LARGE, "more ranks than can be watched");
	status = ts_growth_read(&at->growth, at->fd, size, take, &t, &rows, err);
	ts_buf_finish(&t.cells);
	at->ended = at->growth.ended;
	at->held = !at->ended && ts_growth_held(at->fd);
	*ret_grew = rows != 0;
	return status;
}

static enum ts_status read_lines(struct ts_follow *f, struct ts_followed *at, uint64_t size, double now, bool *ret_grew,
				 struct ts_error *err)
{
	if (size < at->at) { /* it was written anew */
		at->at = 0;
		ts_lines_again(at->reader);
	}
	while (at->at < size) {
		size_t got = 0, want = size - at->at < WINDOW ? (size_t)(size - at->at) : WINDOW;

		if (ts_pread_full(at->fd, f->window, want, at->at, &got, err))
			return err->status;
		if (!got)
			return TS_OK;
		if (ts_lines_feed(at->reader, at->rank, now, ts_span_of(f->window, got), err))
			return err->status;
		at->at += got;
		*ret_grew = true;
	}
	return TS_OK;
}

static enum ts_status read_file(struct ts_follow *f, struct ts_followed *at, double now, bool *ret_grew, struct ts_error *err)
{
	struct stat st;
	bool grew = false;
	enum ts_status status;

	if (at->fd < 0 || at->dead || at->ended || fstat(at->fd, &st) < 0)
		return TS_OK;
	status = at->lines ? read_lines(f, at, (uint64_t)st.st_size, now, &grew, err)
			   : read_recording(f, at, (uint64_t)st.st_size, &grew, err);
	*ret_grew |= grew;
	if (status && status != TS_NO_MEMORY) {
		tell(f, at, err);
		return TS_OK;
	}
	return status;
}

enum ts_status ts_follow_read(struct ts_follow *f, int64_t now_ns, double now, struct ts_error *err)
{
	bool grew = false;

	if (now_ns - f->looked_ns >= (int64_t)LOOK_S * 1000000000) {
		struct ts_error unread;

		f->looked_ns = now_ns;
		if (find_ranks(f, &unread) == TS_NO_MEMORY) {
			*err = unread;
			return err->status;
		}
		if (look(f, err))
			return err->status;
	}
	for (size_t i = 0; i < f->n; i++)
		if (read_file(f, &f->items[i], now, &grew, err))
			return err->status;
	if (grew)
		f->grew_ns = now_ns;
	return TS_OK;
}

enum ts_status ts_follow_open(struct ts_follow *f, const char *path, struct ts_live *live, struct ts_error *err)
{
	enum ts_status status;

	*f = (struct ts_follow){.live = live, .path = path, .window = ts_alloc(WINDOW), .looked_ns = INT64_MIN / 2};
	ts_arena_init(&f->arena, (size_t)64 << 20);
	if (!f->window)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a window");
	status = find_ranks(f, err) ? err->status : look(f, err);
	if (status)
		return status;
	for (size_t i = 0; i < f->n; i++)
		if (f->items[i].fd >= 0)
			return TS_OK;
	return ts_error_set(err, TS_NOT_FOUND, "%s: there is no recording and no steps.jsonl", path);
}

void ts_follow_close(struct ts_follow *f)
{
	for (size_t i = 0; i < f->n; i++)
		leave_file(&f->items[i]);
	ts_free(f->items);
	ts_free(f->window);
	ts_arena_finish(&f->arena);
	*f = (struct ts_follow){.n = 0};
}

enum ts_follow_state ts_follow_state(const struct ts_follow *f)
{
	size_t recordings = 0, ended = 0, held = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->items[i].fd < 0 || f->items[i].lines)
			continue;
		recordings++;
		ended += f->items[i].ended;
		held += f->items[i].held;
	}
	if (!recordings)
		return TS_FOLLOW_UNKNOWN;
	if (ended == recordings)
		return TS_FOLLOW_CLOSED;
	return held + ended == recordings ? TS_FOLLOW_RUNS : TS_FOLLOW_LEFT;
}

const char *ts_follow_folder(const struct ts_follow *f, int32_t rank)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->items[i].rank == rank)
			return f->items[i].path;
	return f->path;
}
