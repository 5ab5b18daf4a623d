#include "service/handlers/diff/diff_events.h"

#include "base/limits.h"

#include <math.h>

enum { EVENTS_MAX = 1 << 20, STEPS_MAX = 4 << 20 };

/* This is 2^53: the whole numbers that ingest accepts are below it. */
#define WHOLE_MAX 9007199254740992.0

/* One rank of one run, while it is read. */
struct loading {
	struct ts_fetch *fetch;
	const struct ts_index *index;
	struct ts_arena *arena; /* for the events */
	struct ts_timed_event *items;
	double *times;
	size_t n;
	bool cut;
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
		if (keys[i] >= 0 && (uint64_t)keys[i] < l->n)
			take(l, (size_t)keys[i], values ? values[i] : 0, texts ? texts[i] : ts_span_of(NULL, 0));
	return TS_OK;
}

static enum ts_status read_column(struct loading *l, size_t which, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column = ts_index_column(l->index, TS_TABLE_EVENTS, ts_span_str(columns[which].name),
							 columns[which].type, &table);

	for (size_t i = 0; column && i < table->n_blocks; i++)
		if (table->blocks[i].first_key < (int64_t)l->n &&
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
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (stamps[mid] <= time)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
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

static enum ts_status load(struct loading *l, struct ts_timed_events *ret_events, struct ts_error *err)
{
	const struct ts_table *table;

	*ret_events = (struct ts_timed_events){.last_step = last_step(l->index)};
	if (!ts_index_column(l->index, TS_TABLE_EVENTS, ts_span_str("name"), TS_COLUMN_TEXT, &table))
		return TS_OK;
	l->cut = table->rows > EVENTS_MAX;
	l->n = l->cut ? EVENTS_MAX : (size_t)table->rows;
	l->items = ts_arena_array(l->arena, l->n, sizeof *l->items);
	l->times = ts_arena_array(l->arena, l->n, sizeof *l->times);
	if (!l->items || !l->times)
		return ts_arena_error(l->arena, err);
	for (size_t i = 0; i < l->n; i++) {
		l->items[i] = (struct ts_timed_event){.where = TS_EVENT_NOWHERE, .ordinal = i, .lane = -1};
		l->times[i] = NAN;
	}
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		if (read_column(l, i, err))
			return err->status;
	if (place(l, err))
		return err->status;
	ret_events->items = l->items;
	ret_events->n = l->n;
	return TS_OK;
}

static enum ts_status diff_rank(struct ts_fetch *f, const struct ts_index *a, const struct ts_index *b, struct ts_arena *scratch,
				struct ts_arena *arena, struct ts_event_diff *events, struct ts_error *err)
{
	struct loading of_a = {.fetch = f, .index = a, .arena = scratch}, of_b = {.fetch = f, .index = b, .arena = scratch};
	struct ts_timed_events all_a, all_b;

	ts_arena_reset(scratch);
	if (load(&of_a, &all_a, err) || load(&of_b, &all_b, err))
		return err->status;
	events->cut |= of_a.cut || of_b.cut;
	return ts_event_diff_rank(events, a->rank, &all_a, &all_b, scratch, arena, err);
}

static enum ts_status diff_ranks(struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b, struct ts_arena *scratch,
				 struct ts_arena *arena, struct ts_event_diff *events, struct ts_error *err)
{
	static const struct ts_index nothing = {.rank = TS_RANK_JOB};
	const struct ts_index *job_a = ts_run_rank(a, TS_RANK_JOB), *job_b = ts_run_rank(b, TS_RANK_JOB);

	for (size_t i = 0; i < a->head.n_ranks; i++) {
		const struct ts_index *of_b = ts_run_rank(b, a->head.ranks[i].rank);

		if (of_b && of_b->rank != TS_RANK_JOB && diff_rank(f, &a->indexes[i], of_b, scratch, arena, events, err))
			return ts_error_prefix(err, "rank %d", of_b->rank);
	}
	return diff_rank(f, job_a ? job_a : &nothing, job_b ? job_b : &nothing, scratch, arena, events, err);
}

enum ts_status ts_diff_events(struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b, struct ts_arena *arena,
			      struct ts_event_diff *ret_events, struct ts_error *err)
{
	struct ts_event_diff events = {.n = 0};
	struct ts_arena scratch;
	enum ts_status status;

	ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
	status = diff_ranks(f, a, b, &scratch, arena, &events, err);
	ts_arena_finish(&scratch);
	if (!status)
		*ret_events = events;
	return status;
}
