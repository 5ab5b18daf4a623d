#include "cli/watch/lines.h"

#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"
#include "ingest/rows/log_axes.h"
#include "ingest/rows/log_names.h"
#include "ingest/rundir/record.h"
#include "ingest/text/text_formats.h"
#include "ingest/text/text_line.h"
#include "ingest/text/text_named.h"

#include <math.h>

enum { LINE_MAX_BYTES = 1 << 20, NAMES_MAX = 1 << 20 };

struct ts_lines {
	struct ts_live *live;
	struct ts_record record;
	struct ts_arena names; /* of one line of text */
	struct ts_buf carry, scratch;
	struct ts_buf cells; /* struct ts_live_cell each */
	bool skipping;	     /* the rest of a line that is too long */
	bool records;
	int64_t next; /* the number of a record without a step */
};

enum ts_status ts_lines_create(struct ts_live *live, bool records, struct ts_lines **ret_lines, struct ts_error *err)
{
	struct ts_lines *l = ts_alloc(sizeof *l);

	if (!l)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for lines");
	*l = (struct ts_lines){.live = live,
			       .records = records,
			       .carry = TS_BUF_INIT(LINE_MAX_BYTES),
			       .scratch = TS_BUF_INIT(LINE_MAX_BYTES),
			       .cells = TS_BUF_INIT((size_t)TS_LIVE_COLUMNS * sizeof(struct ts_live_cell))};
	ts_arena_init(&l->names, NAMES_MAX);
	if (ts_record_init(&l->record, TS_RECORD_STEP, err)) {
		ts_lines_destroy(l);
		return err->status;
	}
	*ret_lines = l;
	return TS_OK;
}

void ts_lines_destroy(struct ts_lines *l)
{
	if (!l)
		return;
	ts_record_finish(&l->record);
	ts_arena_finish(&l->names);
	ts_buf_finish(&l->carry);
	ts_buf_finish(&l->scratch);
	ts_buf_finish(&l->cells);
	ts_free(l);
}

void ts_lines_again(struct ts_lines *l)
{
	l->skipping = false;
	ts_buf_reset(&l->carry);
}

static void add_cell(struct ts_lines *l, struct ts_span path, double value)
{
	struct ts_live_cell cell = {ts_live_column(l->live, path), value};

	if (cell.column != TS_LIVE_NONE)
		ts_buf_bytes(&l->cells, &cell, sizeof cell);
}

static void give(struct ts_lines *l, int32_t number, int64_t step, double time)
{
	struct ts_live_rank *rank = ts_live_rank(l->live, number);
	const struct ts_live_step row = {.step = step,
					 .time = time,
					 .cells = (const struct ts_live_cell *)(const void *)l->cells.data,
					 .n = l->cells.len / sizeof(struct ts_live_cell)};

	if (rank)
		ts_live_step(l->live, rank, &row);
}

/* --- records of steps.jsonl --- */

/* A record of JSON Lines has names of its own, as push reads them. */
static enum ts_status add_named(struct ts_lines *l, struct ts_log_names *names, struct ts_span path, double value, struct ts_error *err)
{
	struct ts_log_name name = {.column = path, .factor = 1};

	if (!l->records && !memchr(path.data, '.', path.len) && ts_log_name(names, path, &name, err))
		return err->status;
	add_cell(l, name.column, value * name.factor);
	return TS_OK;
}

static enum ts_status take_record(struct ts_lines *l, int32_t rank, double now, struct ts_error *err)
{
	struct ts_log_names names = {.arena = &l->names};
	double time = l->records ? (double)NAN : now;

	ts_arena_reset(&l->names);
	ts_buf_reset(&l->cells);
	for (size_t i = 0; i < l->record.n; i++) {
		const struct ts_cell *cell = &l->record.cells[i];

		if (cell->type != TS_COLUMN_F64)
			continue;
		ts_buf_reset(&l->scratch);
		ts_keys_path(&l->record.keys, cell->key, &l->scratch);
		if (ts_span_is(ts_buf_view(&l->scratch), "timestamp"))
			time = cell->real;
		else if (add_named(l, &names, ts_buf_view(&l->scratch), cell->real, err))
			return err->status;
	}
	l->next = l->record.step < INT64_MAX ? l->record.step + 1 : 0;
	give(l, rank, l->record.step, time);
	return TS_OK;
}

/* *ret_taken: it was one. */
static enum ts_status try_record(struct ts_lines *l, int32_t rank, struct ts_span line, double now, bool *ret_taken,
				 struct ts_error *err)
{
	struct ts_outcome outcome;

	*ret_taken = false;
	if (!line.len || line.data[0] != '{')
		return TS_OK;
	if (ts_record_parse(&l->record, line, &outcome, err))
		return err->status;
	*ret_taken = !outcome.rejected;
	return *ret_taken ? take_record(l, rank, now, err) : TS_OK;
}

/* --- what a training prints --- */

static const struct ts_text_cell *step_of(const struct ts_text_record *r)
{
	const struct ts_text_cell *best = NULL;
	size_t least = TS_LOG_AXIS_NONE;

	for (size_t i = 0; i < r->n; i++) {
		size_t rank = r->cells[i].is_text ? TS_LOG_AXIS_NONE : ts_log_axis_rank(r->cells[i].name);

		if (rank < least) {
			least = rank;
			best = &r->cells[i];
		}
	}
	return best;
}

/* A whole number, also as "12.0" and "12/400". */
static bool whole(struct ts_span text, int64_t *ret)
{
	double value;
	bool integer;

	if (ts_number_scan(text, &value, &integer) == 0 || !(value >= 0 && value < 9e15) || value != floor(value))
		return false;
	*ret = (int64_t)value;
	return true;
}

static enum ts_status add_text_cells(struct ts_lines *l, const struct ts_text_record *r, const struct ts_text_cell *step,
				     struct ts_error *err)
{
	struct ts_log_names names = {.arena = &l->names};

	for (size_t i = 0; i < r->n; i++) {
		const struct ts_text_cell *cell = &r->cells[i];
		struct ts_log_name name;
		double value;
		bool integer;

		if (cell == step || cell->is_text || !cell->name.len)
			continue;
		if (ts_number_scan(cell->value, &value, &integer) == 0) {
			if (!ts_span_is(cell->value, "nan") && !ts_span_is(cell->value, "NaN"))
				continue;
			value = NAN;
		}
		if (ts_log_name(&names, cell->name, &name, err))
			return err->status;
		add_cell(l, name.column, value * name.factor);
	}
	return TS_OK;
}

static bool recognize(struct ts_span text, struct ts_text_record *r)
{
	struct ts_text_bar bar;
	bool is_bar = false;

	if (ts_text_recognize(text, r, &bar, &is_bar) != TS_TEXT_NONE && r->n)
		return true;
	ts_text_record_clear(r);
	(void)ts_text_named_in(text, r);
	return r->n != 0;
}

static enum ts_status take_text(struct ts_lines *l, int32_t rank, struct ts_span raw, double now, struct ts_error *err)
{
	struct ts_text_record r = {.n = 0};
	const struct ts_text_cell *axis;
	struct ts_text_line line;
	int64_t step;

	ts_arena_reset(&l->names);
	ts_buf_reset(&l->scratch);
	ts_buf_reset(&l->cells);
	if (raw.len > TS_TEXT_LINE_MAX)
		return TS_OK;
	if (ts_text_line_clean(raw, &l->scratch, &line, err))
		return err->status;
	ts_text_record_clear(&r);
	if (!recognize(line.text, &r))
		return TS_OK;
	axis = step_of(&r);
	if (axis ? !whole(axis->value, &step) : !ts_text_record_find(&r, "loss"))
		return TS_OK;
	if (add_text_cells(l, &r, axis, err))
		return err->status;
	if (!axis)
		step = l->next;
	if (!l->cells.len)
		return TS_OK;
	l->next = step + 1;
	give(l, line.naming >= TS_TEXT_BY_RANK ? line.rank : rank, step, now);
	return TS_OK;
}

/* --- lines --- */

static enum ts_status take_line(struct ts_lines *l, int32_t rank, struct ts_span line, double now, struct ts_error *err)
{
	bool taken;

	line = ts_trim(line);
	if (try_record(l, rank, line, now, &taken, err))
		return err->status;
	return taken || l->records || !line.len ? TS_OK : take_text(l, rank, line, now, err);
}

static void carry(struct ts_lines *l, struct ts_span piece)
{
	if (l->carry.len + piece.len > LINE_MAX_BYTES) {
		l->skipping = true;
		ts_buf_reset(&l->carry);
	}
	if (!l->skipping)
		ts_buf_span(&l->carry, piece);
}

enum ts_status ts_lines_feed(struct ts_lines *l, int32_t rank, double now, struct ts_span bytes, struct ts_error *err)
{
	while (bytes.len) {
		const uint8_t *end = memchr(bytes.data, '\n', bytes.len), *turn = memchr(bytes.data, '\r', bytes.len);
		struct ts_span line;

		if (turn && !l->records && (!end || turn < end)) /* a progress bar goes back to the beginning of its line */
			end = turn;
		carry(l, end ? ts_span_of(bytes.data, (size_t)(end - bytes.data)) : bytes);
		if (!end)
			return ts_buf_check(&l->carry, err);
		if (ts_buf_check(&l->carry, err))
			return err->status;
		bytes = ts_span_from(bytes, (size_t)(end - bytes.data) + 1);
		line = ts_buf_view(&l->carry);
		if (!l->skipping && take_line(l, rank, line, now, err))
			return err->status;
		l->skipping = false;
		ts_buf_reset(&l->carry);
	}
	return TS_OK;
}
