#include "ingest/recording/growth.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/grow.h"
#include "record/crc32c.h"

#include <fcntl.h>

enum {
	PATIENCE = 5, /* looks for which a row waits for the names of its columns */
	AHEAD = 2,    /* chunks without a header that are looked at behind the last one that has one */
	WAITS = 20,   /* looks after which a frame that is not whole counts as damaged */
};

void ts_growth_init(struct ts_growth *g)
{
	*g = (struct ts_growth){.rank = -1};
	ts_declared_init(&g->columns);
}

void ts_growth_finish(struct ts_growth *g)
{
	ts_declared_finish(&g->columns);
	ts_free(g->chunks);
	ts_free(g->data);
	ts_free(g->cells);
	*g = (struct ts_growth){.rank = -1};
}

bool ts_growth_held(int fd)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};

	return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* --- headers --- */

/* *ret_there: the file is long enough and its header is written. */
static enum ts_status read_header(struct ts_growth *g, int fd, bool *ret_there, struct ts_error *err)
{
	uint8_t h[TS_FRAME_FILE_HEADER];
	size_t got = 0;

	*ret_there = g->has_header;
	if (g->has_header)
		return TS_OK;
	if (ts_pread_full(fd, h, sizeof h, 0, &got, err))
		return err->status;
	if (got < sizeof h || ts_load_u32(h) == 0)
		return TS_OK;
	if (memcmp(h, TS_FRAME_MAGIC, 8) != 0 || ts_load_u32(h + TS_FRAME_FILE_CRC) != ts_crc32c(0, h, TS_FRAME_FILE_CRC))
		return ts_error_set(err, TS_INVALID, "its header is damaged, or it is no recording");
	if (ts_load_u32(h + TS_FRAME_FILE_VERSION) != TS_FRAME_VERSION || ts_load_u32(h + TS_FRAME_FILE_CHUNK) != TS_FRAME_CHUNK)
		return ts_error_set(err, TS_INVALID, "a recording of version %" PRIu32 ", which this version of tscope does not read",
				    ts_load_u32(h + TS_FRAME_FILE_VERSION));
	g->rank = (int32_t)ts_load_u32(h + TS_FRAME_FILE_RANK);
	g->unix_ns = ts_frame_i64(h, TS_FRAME_FILE_UNIX_NS);
	g->mono_ns = ts_frame_i64(h, TS_FRAME_FILE_MONO_NS);
	*ret_there = g->has_header = true;
	return TS_OK;
}

static enum ts_status make_chunks(struct ts_growth *g, size_t n, struct ts_error *err)
{
	if (!TS_GROW(g->chunks, g->cap, n, 16))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for chunks");
	g->n = n > g->n ? n : g->n;
	if (!g->data)
		g->data = ts_alloc(TS_FRAME_CHUNK);
	return g->data ? TS_OK : ts_error_set(err, TS_NO_MEMORY, "out of memory for a chunk");
}

static enum ts_status look_at_header(struct ts_growth *g, int fd, size_t number, struct ts_error *err)
{
	struct ts_growth_chunk *chunk = &g->chunks[number];
	uint8_t h[TS_FRAME_CHUNK_HEADER];
	size_t at = ts_chunk_header_at((uint32_t)number), got = 0;

	if (ts_pread_full(fd, h, sizeof h, (uint64_t)number * TS_FRAME_CHUNK + at, &got, err))
		return err->status;
	if (got < sizeof h || !ts_chunk_header_sound(h, (uint32_t)number))
		return TS_OK;
	chunk->lane = ts_load_u32(h + TS_FRAME_CHUNK_LANE);
	chunk->ordinal = ts_load_u32(h + TS_FRAME_CHUNK_ORDINAL);
	chunk->at = (uint32_t)(at + TS_FRAME_CHUNK_HEADER);
	return TS_OK;
}

/* Whether the lane of this chunk has gone on to a later one: then no frame comes any more. */
static bool is_left(const struct ts_growth *g, size_t number)
{
	const struct ts_growth_chunk *chunk = &g->chunks[number];

	for (size_t i = number + 1; i < g->n; i++)
		if (g->chunks[i].at && g->chunks[i].lane == chunk->lane && g->chunks[i].ordinal > chunk->ordinal)
			return true;
	return false;
}

/* --- frames --- */

static double seconds_of(const struct ts_growth *g, int64_t time)
{
	return (double)(int64_t)((uint64_t)g->unix_ns + (uint64_t)time - (uint64_t)g->mono_ns) / 1e9;
}

static enum ts_status make_cells(struct ts_growth *g, size_t n, struct ts_error *err)
{
	if (!TS_GROW(g->cells, g->cap_cells, n, 16))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a row");
	return TS_OK;
}

static double value_of(const struct ts_declared_column *column, uint64_t bits)
{
	double value;

	if (ts_declared_is_time(column->kind))
		return (double)(int64_t)bits / 1e9;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static enum ts_status take_row(struct ts_growth *g, uint32_t kind, const uint8_t *frame, ts_growth_take *take, void *ctx,
			       struct ts_error *err)
{
	struct ts_frame_cells cells = ts_frame_cells(kind, frame);
	struct ts_growth_row row = {.late = kind == TS_FRAME_LATE, .step = ts_frame_i64(frame, TS_FRAME_STEP_STEP)};
	size_t n = 0;

	if (make_cells(g, cells.n ? cells.n : 1, err))
		return err->status;
	for (uint32_t i = 0; i < cells.n; i++) {
		struct ts_declared_column *column = ts_declared_at(&g->columns, ts_frame_u16(cells.columns, 2 * (size_t)i));

		if (column && column->path.len && column->kind != TSCOPE_DIGEST && column->kind != TSCOPE_EVENT)
			g->cells[n++] = (struct ts_growth_cell){column, value_of(column, ts_load_le(cells.values + 8 * (size_t)i, 8))};
	}
	if (!row.late)
		row.time = seconds_of(
			g, ts_time_add(ts_frame_i64(frame, TS_FRAME_STEP_BEGIN), ts_frame_i64(frame, TS_FRAME_STEP_DURATION)));
	row.cells = g->cells;
	row.n = n;
	take(ctx, &row);
	return TS_OK;
}

static enum ts_status take_frame(struct ts_growth *g, const uint8_t *frame, size_t len, ts_growth_take *take, void *ctx, uint64_t *rows,
				 struct ts_error *err)
{
	uint32_t kind = TS_FRAME_KIND(ts_load_u32(frame));
	const char *why;

	if (!ts_frame_fits(frame, len))
		return TS_OK;
	if (kind == TS_FRAME_COLUMN)
		return ts_declared_add(&g->columns, frame, &why, err);
	g->ended |= kind == TS_FRAME_END;
	if (kind != TS_FRAME_STEP && kind != TS_FRAME_LATE)
		return TS_OK;
	++*rows;
	return take_row(g, kind, frame, take, ctx, err);
}

/* The length of the whole frame at data; 0: there is none. */
static size_t whole_frame(const uint8_t *data, size_t room)
{
	uint32_t word = room >= TS_FRAME_HEADER ? ts_load_u32(data) : 0;
	size_t len = TS_FRAME_LENGTH(word);

	if (len < TS_FRAME_HEADER || len % 8 || len > room)
		return 0;
	return ts_crc32c(ts_crc32c(0, data, 4), data + TS_FRAME_HEADER, len - TS_FRAME_HEADER) == ts_load_u32(data + 4) ? len : 0;
}

/* Whether all columns of a row are declared. Another thread may declare them, in a chunk that is read later. */
static bool is_named(const struct ts_growth *g, const uint8_t *frame, size_t len)
{
	uint32_t kind = TS_FRAME_KIND(ts_load_u32(frame));
	struct ts_frame_cells cells;

	if ((kind != TS_FRAME_STEP && kind != TS_FRAME_LATE) || !ts_frame_fits(frame, len))
		return true;
	cells = ts_frame_cells(kind, frame);
	for (uint32_t i = 0; i < cells.n; i++) {
		uint32_t number = ts_frame_u16(cells.columns, 2 * (size_t)i);

		if (number >= g->columns.n || !g->columns.items[number].kind)
			return false;
	}
	return true;
}

/* What stands where the next frame is expected is none: nothing, one that is being written, or damage. */
static void wait_for(struct ts_growth *g, size_t number, bool empty, bool moved)
{
	struct ts_growth_chunk *chunk = &g->chunks[number];
	bool left = is_left(g, number);

	chunk->waited = moved ? 0 : (uint8_t)(chunk->waited + 1);
	if (empty && !left)
		chunk->waited = 0;
	if (left && empty && !moved)
		chunk->done = true;
	if (chunk->waited < WAITS)
		return;
	chunk->done = true;
	g->damaged++;
}

/* *ret_unnamed: a row waits for the names of its columns. */
static enum ts_status read_chunk(struct ts_growth *g, int fd, size_t number, ts_growth_take *take, void *ctx, uint64_t *rows,
				 bool *ret_unnamed, struct ts_error *err)
{
	struct ts_growth_chunk *chunk = &g->chunks[number];
	size_t room = TS_FRAME_CHUNK - chunk->at, got = 0, at = 0, len;
	uint64_t before = *rows;

	/* Mostly nothing is new, and a read of a page says so. */
	if (room > 4096 && chunk->waited == 0 && chunk->at > TS_FRAME_FILE_HEADER + TS_FRAME_CHUNK_HEADER) {
		uint8_t word[4];

		if (ts_pread_full(fd, word, sizeof word, (uint64_t)number * TS_FRAME_CHUNK + chunk->at, &got, err))
			return err->status;
		if (got < sizeof word || ts_load_u32(word) == 0) {
			wait_for(g, number, true, false);
			return TS_OK;
		}
	}
	if (ts_pread_full(fd, g->data, room, (uint64_t)number * TS_FRAME_CHUNK + chunk->at, &got, err))
		return err->status;
	chunk->stuck = false;
	while ((len = whole_frame(g->data + at, got - at)) != 0) {
		if (chunk->waited < PATIENCE && !is_named(g, g->data + at, len)) {
			*ret_unnamed = chunk->stuck = g->waiting = true;
			break;
		}
		if (take_frame(g, g->data + at, len, take, ctx, rows, err))
			return err->status;
		at += len;
	}
	chunk->at += (uint32_t)at;
	g->taken += at;
	if (chunk->at + TS_FRAME_HEADER > TS_FRAME_CHUNK)
		chunk->done = true;
	else
		wait_for(g, number, got - at < 4 || ts_load_u32(g->data + at) == 0, at > 0 || *rows != before);
	return TS_OK;
}

/* Whether rows of an earlier chunk of the lane still wait: the order of a lane is that of its steps. */
static bool is_behind(const struct ts_growth *g, size_t number)
{
	for (size_t i = 0; g->waiting && i < number; i++)
		if (g->chunks[i].stuck && g->chunks[i].lane == g->chunks[number].lane)
			return true;
	return false;
}

/* Takes the names of all columns that are there, before the first row is taken: another thread than that of the steps may declare
 * them, and what it adds to steps is to find them. */
static enum ts_status take_names(struct ts_growth *g, int fd, struct ts_error *err)
{
	for (size_t i = 0; i < g->n; i++) {
		size_t at = ts_chunk_header_at((uint32_t)i) + TS_FRAME_CHUNK_HEADER, got = 0, len;
		const char *why;

		if (ts_pread_full(fd, g->data, TS_FRAME_CHUNK, (uint64_t)i * TS_FRAME_CHUNK, &got, err))
			return err->status;
		for (; at < got && (len = whole_frame(g->data + at, got - at)) != 0; at += len)
			if (TS_FRAME_KIND(ts_load_u32(g->data + at)) == TS_FRAME_COLUMN && ts_frame_fits(g->data + at, len) &&
			    ts_declared_add(&g->columns, g->data + at, &why, err))
				return err->status;
	}
	return TS_OK;
}

/* One look at all chunks. *ret_unnamed as in read_chunk. */
static enum ts_status read_chunks(struct ts_growth *g, int fd, ts_growth_take *take, void *ctx, uint64_t *rows, bool *ret_unnamed,
				  struct ts_error *err)
{
	size_t unknown = 0;

	g->waiting = false;
	for (size_t i = 0; i < g->n && unknown <= AHEAD; i++) {
		if (!g->chunks[i].at && look_at_header(g, fd, i, err))
			return err->status;
		unknown += !g->chunks[i].at;
		if (g->chunks[i].at && !g->chunks[i].done && !is_behind(g, i) &&
		    read_chunk(g, fd, i, take, ctx, rows, ret_unnamed, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_growth_read(struct ts_growth *g, int fd, uint64_t size, ts_growth_take *take, void *ctx, uint64_t *ret_rows,
			      struct ts_error *err)
{
	uint64_t n = size / TS_FRAME_CHUNK + (size % TS_FRAME_CHUNK != 0), rows = 0;
	bool there, first, unnamed = true, grew = true;

	if (read_header(g, fd, &there, err))
		return err->status;
	if (n > UINT32_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "too long for a recording");
	first = there && !g->n;
	if (there && make_chunks(g, (size_t)n, err))
		return err->status;
	if (first && take_names(g, fd, err))
		return err->status;
	while (there && unnamed && grew) {
		uint64_t before = g->taken;

		unnamed = false;
		if (read_chunks(g, fd, take, ctx, &rows, &unnamed, err))
			return err->status;
		grew = g->taken != before;
	}
	*ret_rows = rows;
	return TS_OK;
}
