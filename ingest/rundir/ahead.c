#include "ingest/rundir/ahead.h"

#include "base/alloc.h"

enum { RECORDS = 1024, CELLS = 16 << 10, READ_HERE = 1024 };

void ts_ahead_init(struct ts_ahead *a, struct ts_range *range, struct ts_record *record, struct ts_notices *notices)
{
	*a = (struct ts_ahead){.range = range, .record = record, .notices = notices, .here = READ_HERE};
}

void ts_ahead_finish(struct ts_ahead *a)
{
	if (a->filling)
		ts_helper_wait(a->helper);
	ts_helper_dismiss(a->helper);
	for (size_t i = 0; i < 2; i++) {
		ts_free(a->batches[i].items);
		ts_free(a->batches[i].cells);
	}
}

/* Without memory for batches there is no helper either. */
static bool make_room(struct ts_ahead *a)
{
	for (size_t i = 0; i < 2; i++) {
		struct ts_batch *b = &a->batches[i];

		if (!b->items)
			b->items = ts_alloc(RECORDS * sizeof *b->items);
		if (!b->cells)
			b->cells = ts_alloc(CELLS * sizeof *b->cells);
		if (!b->items || !b->cells)
			return false;
	}
	return true;
}

/* Puts the record that was just taken into the batch; false if it does not fit. */
static bool put(struct ts_batch *b, const struct ts_range *range, const struct ts_record *record)
{
	struct ts_cell *cells = b->cells + b->n_cells;

	if (record->n > CELLS - b->n_cells)
		return false;
	if (record->n)
		memcpy(cells, record->cells, record->n * sizeof *cells);
	b->n_cells += record->n;
	b->items[b->n++] = (struct ts_taken){
		.step = record->step,
		.line = ts_range_line(range),
		.offset = ts_range_offset(range),
		.cells = cells,
		.n = record->n,
	};
	return true;
}

/* Fills the batch that is not in use. This runs in the helper. */
static void fill(void *ctx)
{
	struct ts_ahead *a = ctx;
	struct ts_batch *b = &a->batches[!a->now];
	bool good;

	*b = (struct ts_batch){.items = b->items, .cells = b->cells};
	while (b->n < RECORDS) {
		if (ts_range_fast(a->range, a->record, &good, &b->err) || !good)
			return;
		if (!put(b, a->range, a->record)) {
			ts_range_untake(a->range);
			b->full = b->n > 0; /* a record that fits into no batch is the caller's */
			return;
		}
	}
	b->full = true;
}

static void begin(struct ts_ahead *a)
{
	a->filling = true;
	ts_helper_give(a->helper, fill, a);
}

static enum ts_status read_here(struct ts_ahead *a, struct ts_taken *ret_taken, bool *ret_more, struct ts_error *err)
{
	if (ts_range_next(a->range, a->record, a->notices, ret_more, err))
		return err->status;
	if (*ret_more)
		*ret_taken = (struct ts_taken){
			.step = a->record->step,
			.line = ts_range_line(a->range),
			.offset = ts_range_offset(a->range),
			.cells = a->record->cells,
			.n = a->record->n,
			.restart = ts_range_restarted(a->range),
		};
	if (a->here == 0)
		a->here = READ_HERE;
	/* Where no helper can be had now, it is tried again later. */
	if (--a->here == 0 && !a->helper && make_room(a))
		a->helper = ts_helper_hire();
	return TS_OK;
}

bool ts_ahead_rests(const struct ts_ahead *a)
{
	return a->here == 0 && !a->filling && a->batches[a->now].at == a->batches[a->now].n;
}

void ts_ahead_moved(struct ts_ahead *a)
{
	a->here = READ_HERE;
}

/* Waits for the batch that is being filled, and has the next one begun. */
static void turn(struct ts_ahead *a)
{
	if (!a->filling)
		begin(a);
	ts_helper_wait(a->helper);
	a->filling = false;
	a->now = !a->now;
	if (a->batches[a->now].full)
		begin(a);
}

enum ts_status ts_ahead_next(struct ts_ahead *a, struct ts_taken *ret_taken, bool *ret_more, struct ts_error *err)
{
	struct ts_batch *b = &a->batches[a->now];

	if (b->at == b->n && !b->err.status && a->helper && a->here == 0) {
		turn(a);
		b = &a->batches[a->now];
	}
	if (b->at < b->n) {
		*ret_taken = b->items[b->at++];
		*ret_more = true;
		return TS_OK;
	}
	if (!b->err.status)
		return read_here(a, ret_taken, ret_more, err);
	*err = b->err;
	return err->status;
}
