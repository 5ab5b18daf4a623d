#include "service/handlers/core/run_happenings.h"

#include "base/limits.h"
#include "service/handlers/core/run_events.h"

#include <math.h>

enum { EVENTS_READ = 1 << 18 };

/* One rank, while it is read. */
struct gathering {
	struct ts_fetch *fetch;
	const struct ts_index *index;
	struct ts_arena *scratch;
	struct ts_happening *items;
	size_t n, cap;
	double start_s; /* of the run, as far as it was read; NaN: not known */
};

static void began(struct gathering *g, double time)
{
	if (isfinite(time) && !(g->start_s <= time))
		g->start_s = time;
}

static enum ts_status make_room(struct gathering *g, size_t most, struct ts_error *err)
{
	g->n = 0;
	g->items = ts_arena_array(g->scratch, most + TS_SEGMENTS_MAX, sizeof *g->items);
	g->cap = most + TS_SEGMENTS_MAX;
	return g->items ? TS_OK : ts_arena_error(g->scratch, err);
}

static void take_events(struct gathering *g, const struct ts_run_events *e)
{
	for (size_t i = 0; i < e->events.n; i++) {
		const struct ts_timed_event *event = &e->events.items[i];

		began(g, e->times[i]);
		if (event->region || g->n == g->cap)
			continue;
		g->items[g->n++] = (struct ts_happening){
			.kind = ts_happening_kind_of(event->name, event->text),
			.name = event->name,
			.text = event->text,
			.has_value = event->has_value,
			.value = event->value,
			.has_step = event->where == TS_EVENT_IN || event->where == TS_EVENT_BEHIND,
			.step = event->step,
			.after = event->where == TS_EVENT_BEHIND,
			.has_time = isfinite(e->times[i]) != 0,
			.time_s = e->times[i],
		};
	}
}

/* --- restarts --- */

/* Where each segment began. */
struct segments {
	bool seen[TS_SEGMENTS_MAX], timed[TS_SEGMENTS_MAX];
	int64_t step[TS_SEGMENTS_MAX];
	double time[TS_SEGMENTS_MAX];
};

static void see_row(struct segments *s, double segment, int64_t step, double time)
{
	size_t at;

	if (!(segment >= 1 && segment < TS_SEGMENTS_MAX))
		return;
	at = (size_t)segment;
	if (s->seen[at] && s->step[at] <= step)
		return;
	s->seen[at] = true;
	s->step[at] = step;
	s->timed[at] = isfinite(time) != 0;
	s->time[at] = time;
}

/* The values of a column of that table, or NULL if another table or none has it. */
static enum ts_status column_of(struct gathering *g, enum ts_table_kind kind, const struct ts_table *want, const char *name,
				double **ret, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column = ts_index_column(g->index, kind, ts_span_str(name), TS_COLUMN_F64, &table);

	*ret = NULL;
	return column && table == want ? ts_fetch_f64(g->fetch, table, column, g->scratch, ret, err) : TS_OK;
}

static enum ts_status see_rows(struct gathering *g, enum ts_table_kind kind, struct segments *s, struct ts_error *err)
{
	const struct ts_table *table;
	double *segment, *time, *steps = NULL;
	int64_t *keys = NULL;

	if (!ts_index_column(g->index, kind, ts_span_str("segment"), TS_COLUMN_F64, &table))
		return TS_OK;
	if (column_of(g, kind, table, "segment", &segment, err) || column_of(g, kind, table, "timestamp", &time, err))
		return err->status;
	if (kind == TS_TABLE_STEPS ? ts_fetch_keys(g->fetch, table, g->scratch, &keys, err)
				   : column_of(g, kind, table, "step", &steps, err))
		return err->status;
	for (uint64_t i = 0; i < table->rows && (keys || steps); i++)
		if (keys || fabs(steps[i]) < 0x1p53)
			see_row(s, segment[i], keys ? keys[i] : (int64_t)steps[i], time ? time[i] : (double)NAN);
	return TS_OK;
}

static enum ts_status take_restarts(struct gathering *g, struct ts_error *err)
{
	struct segments *s;

	if (!ts_index_column(g->index, TS_TABLE_STEPS, ts_span_str("segment"), TS_COLUMN_F64, NULL))
		return TS_OK;
	s = ts_arena_array(g->scratch, 1, sizeof *s);
	if (!s)
		return ts_arena_error(g->scratch, err);
	*s = (struct segments){.seen = {false}};
	if (see_rows(g, TS_TABLE_STEPS, s, err) || see_rows(g, TS_TABLE_SUPERSEDED, s, err))
		return err->status;
	for (size_t i = 1; i < TS_SEGMENTS_MAX && g->n < g->cap; i++) {
		const char *text = s->seen[i] ? ts_arena_printf(g->scratch, "segment %zu begins", i) : "";

		if (!text)
			return ts_arena_error(g->scratch, err);
		if (s->seen[i])
			g->items[g->n++] = (struct ts_happening){
				.kind = TS_HAPPENING_RESTART,
				.name = ts_span_str("restart"),
				.text = ts_span_str(text),
				.has_step = true,
				.step = s->step[i],
				.has_time = s->timed[i],
				.time_s = s->time[i],
			};
	}
	return TS_OK;
}

/* --- when the run began --- */

static enum ts_status see_first_stamp(struct gathering *g, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column =
		ts_index_column(g->index, TS_TABLE_STEPS, ts_span_str("timestamp"), TS_COLUMN_F64, &table);
	double *values;

	if (!column || !table->n_blocks)
		return TS_OK;
	values = ts_arena_array(g->scratch, table->blocks[0].rows, sizeof *values);
	if (!values)
		return ts_arena_error(g->scratch, err);
	if (ts_fetch_block_words(g->fetch, &column->blocks[0], TS_COLUMN_F64, table->blocks[0].rows, (uint64_t *)values, err))
		return err->status;
	began(g, values[0]);
	return TS_OK;
}

static void see_start(struct gathering *g, const struct ts_run *run)
{
	const struct ts_fact *fact = ts_facts_find(&run->head.facts, ts_span_str("session.started"));

	if (fact && fact->type == TS_FACT_FLOAT)
		began(g, fact->real);
	else if (fact && fact->type == TS_FACT_INT)
		began(g, (double)fact->integer);
}

/* --- all ranks --- */

/* Rows of a table that has this column; 0: the rank has none. */
static uint64_t rows_with(const struct ts_index *index, const char *name, enum ts_column_type type)
{
	const struct ts_table *table;

	return ts_index_column(index, TS_TABLE_EVENTS, ts_span_str(name), type, &table) ? table->rows : 0;
}

static enum ts_status gather_rank(struct gathering *g, struct ts_arena *arena, struct ts_happenings *h, struct ts_error *err)
{
	uint64_t regions = rows_with(g->index, "duration", TS_COLUMN_F64), all = rows_with(g->index, "name", TS_COLUMN_TEXT);
	struct ts_run_events events;
	uint64_t before = h->all, restarts;

	if (ts_run_events(g->fetch, g->index, EVENTS_READ, true, g->scratch, &events, err) || make_room(g, events.events.n, err))
		return err->status;
	take_events(g, &events);
	restarts = g->n;
	if (take_restarts(g, err))
		return err->status;
	restarts = g->n - restarts;
	if (see_first_stamp(g, err) || ts_happenings_rank(h, g->index->rank, g->items, g->n, arena, err))
		return err->status;
	/* Also of those that were not read. */
	h->all = before + restarts + (all > regions ? all - regions : 0);
	h->regions += regions;
	return TS_OK;
}

enum ts_status ts_happenings_of_run(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena,
				    struct ts_happenings *ret_happenings, struct ts_error *err)
{
	struct ts_happenings h = {.n = 0};
	struct ts_arena scratch;
	struct gathering g = {.fetch = f, .scratch = &scratch, .start_s = NAN};
	enum ts_status status = TS_OK;

	see_start(&g, run);
	ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
	for (size_t i = 0; !status && i < run->head.n_ranks; i++) {
		ts_arena_reset(&scratch);
		g.index = &run->indexes[i];
		status = gather_rank(&g, arena, &h, err);
		if (status)
			(void)ts_error_prefix(err, "rank %" PRId32, g.index->rank);
	}
	ts_arena_finish(&scratch);
	if (status || ts_happenings_finish(&h, g.start_s, arena, err))
		return err->status;
	*ret_happenings = h;
	return TS_OK;
}
