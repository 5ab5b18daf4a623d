#include "service/handlers/core/run_events.h"

#include "base/bisect.h"
#include "base/door.h"

#include <math.h>

enum { STEPS_MAX = 4 << 20 };

/* This is 2^53: the whole numbers that ingest accepts are below it. */
#define WHOLE_MAX 9007199254740992.0

/* One rank of one run, while it is read. */
struct loading {
	struct ts_fetch *fetch;
	const struct ts_index *index;
	struct ts_arena *arena; /* for the events */
	struct ts_timed_event *items;
	double *times;
	int64_t first; /* the key of the first that is looked at */
	size_t n;
};

/* One value of a column, for the event with this ordinal. */
typedef void take_value(struct loading *l, size_t at, double value, struct ts_span text);

static void take_name(struct loading *l, size_t at, double value, struct ts_span text)
{
	(void)value;
	l->items[at].name = text;
}

static void take_time(struct loading *l, size_t at, double value, struct ts_span text)
{
	(void)text;
	l->times[at] = value;
}

static void take_step(struct loading *l, size_t at, double value, struct ts_span text)
{
	(void)text;
	if (fabs(value) >= WHOLE_MAX || value != floor(value))
		return;
	l->items[at].where = TS_EVENT_IN;
	l->items[at].step = (int64_t)value;
}

static void take_number(struct loading *l, size_t at, double value, struct ts_span text)
{
	(void)text;
	l->items[at].has_value = true;
	l->items[at].value = value;
}

static void take_text(struct loading *l, size_t at, double value, struct ts_span text)
{
	(void)value;
	l->items[at].text = text;
}

static void take_duration(struct loading *l, size_t at, double value, struct ts_span text)
{
	(void)value;
	(void)text;
	l->items[at].region = true;
}

static void take_lane(struct loading *l, size_t at, double value, struct ts_span text)
{
	(void)text;
	l->items[at].lane = value;
}

static const struct {
	const char *name;
	enum ts_column_type type;
	take_value *take;
} columns[] = {
	{"name", TS_COLUMN_TEXT, take_name},	 {"time", TS_COLUMN_F64, take_time},  {"step", TS_COLUMN_F64, take_step},
	{"value", TS_COLUMN_F64, take_number},	 {"text", TS_COLUMN_TEXT, take_text}, {"duration", TS_COLUMN_F64, take_duration},
	{"lane", TS_COLUMN_F64, take_lane},
};

/* Reads one block of a column. Its keys are the ordinals of events. */
static enum ts_status read_block(struct loading *l, const struct ts_block *block, const struct ts_id *id, enum ts_column_type type,
				 take_value *take, struct ts_error *err)
{
	int64_t *keys = ts_arena_array(l->arena, block->rows, sizeof *keys);
	struct ts_span *texts = NULL;
	double *values = NULL;

	if (type == TS_COLUMN_TEXT)
		texts = ts_arena_array(l->arena, block->rows, sizeof *texts);
	else
		values = ts_arena_array(l->arena, block->rows, sizeof *values);
	if (!keys || (!texts && !values))
		return ts_arena_error(l->arena, err);
	if (ts_fetch_block_keys(l->fetch, block, keys, err))
		return err->status;
	if (texts ? ts_fetch_block_text(l->fetch, id, block->rows, l->arena, texts, err)
		  : ts_fetch_block_words(l->fetch, id, type, block->rows, (uint64_t *)values, err))
		return err->status;
	for (size_t i = 0; i < block->rows; i++)
		if (keys[i] >= l->first && (uint64_t)(keys[i] - l->first) < l->n)
			take(l, (size_t)(keys[i] - l->first), values ? values[i] : 0, texts ? texts[i] : ts_span_of(NULL, 0));
	return TS_OK;
}

static enum ts_status read_column(struct loading *l, size_t which, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column = ts_index_column(l->index, TS_TABLE_EVENTS, ts_span_str(columns[which].name),
							 columns[which].type, &table);

	for (size_t i = 0; column && i < table->n_blocks; i++)
		if (table->blocks[i].first_key < l->first + (int64_t)l->n && table->blocks[i].last_key >= l->first &&
		    read_block(l, &table->blocks[i], &column->blocks[i], columns[which].type, columns[which].take, err))
			return err->status;
	return TS_OK;
}

/* --- between which steps --- */

static bool is_placeless(const struct loading *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].where == TS_EVENT_NOWHERE)
			return true;
	return false;
}

/* Returns how many steps had ended at that time. */
static size_t ended(const double *stamps, size_t n, double time)
{
	size_t at = 0;

	TS_BISECT(at, n, i, stamps[i] <= time);
	return at;
}

static enum ts_status place(struct loading *l, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column =
		ts_index_column(l->index, TS_TABLE_STEPS, ts_span_str("timestamp"), TS_COLUMN_F64, &table);
	int64_t *steps;
	double *stamps;

	if (!column || table->rows == 0 || table->rows > STEPS_MAX || !is_placeless(l))
		return TS_OK;
	if (ts_fetch_keys(l->fetch, table, l->arena, &steps, err) || ts_fetch_f64(l->fetch, table, column, l->arena, &stamps, err))
		return err->status;
	for (size_t i = 1; i < table->rows; i++)
		if (!(stamps[i] >= stamps[i - 1]))
			return TS_OK;
	for (size_t i = 0; i < l->n; i++) {
		struct ts_timed_event *e = &l->items[i];
		size_t before;

		if (e->where != TS_EVENT_NOWHERE || !isfinite(l->times[i]))
			continue;
		before = ended(stamps, (size_t)table->rows, l->times[i]);
		e->where = before ? TS_EVENT_BEHIND : TS_EVENT_BEFORE_ALL;
		e->step = before ? steps[before - 1] : 0;
	}
	return TS_OK;
}

/* --- ranks --- */

static int64_t last_step(const struct ts_index *index)
{
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < index->n_tables; i++) {
		const struct ts_table *t = &index->tables[i];

		if (t->kind == TS_TABLE_STEPS && t->n_blocks && t->blocks[t->n_blocks - 1].last_key > last)
			last = t->blocks[t->n_blocks - 1].last_key;
	}
	return last;
}

enum ts_status ts_run_events(struct ts_fetch *f, const struct ts_index *index, size_t most, bool newest, struct ts_arena *arena,
			     struct ts_run_events *ret_events, struct ts_error *err)
{
	struct loading l = {.fetch = f, .index = index, .arena = arena};
	struct ts_run_events out = {.events = {.last_step = last_step(index)}};
	const struct ts_table *table;

	TS_DOOR(ts_index_holds(index));
	if (!ts_index_column(index, TS_TABLE_EVENTS, ts_span_str("name"), TS_COLUMN_TEXT, &table)) {
		*ret_events = out;
		return TS_OK;
	}
	out.cut = table->rows > most;
	l.n = out.cut ? most : (size_t)table->rows;
	l.first = newest ? (int64_t)(table->rows - l.n) : 0;
	l.items = ts_arena_array(arena, l.n, sizeof *l.items);
	l.times = ts_arena_array(arena, l.n, sizeof *l.times);
	if (!l.items || !l.times)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < l.n; i++) {
		l.items[i] = (struct ts_timed_event){.where = TS_EVENT_NOWHERE, .ordinal = (uint64_t)l.first + i, .lane = -1};
		l.times[i] = NAN;
	}
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		if (read_column(&l, i, err))
			return err->status;
	if (place(&l, err))
		return err->status;
	out.events.items = l.items;
	out.events.n = l.n;
	out.times = l.times;
	*ret_events = out;
	return TS_OK;
}
