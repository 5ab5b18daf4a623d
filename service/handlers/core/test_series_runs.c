#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/handlers/core/test_series_runs.h"

#include "run/builder.h"
#include "run/snapshot_columns.h"
#include "run/trace_columns.h"
#include "store/test_seal.h"

#include <stdlib.h>

static bool is_cancelled(const struct ts_call *call)
{
	return ((const struct world *)call->driver)->cancelled;
}

void world_open(struct world *w)
{
	struct ts_error err;

	*w = (struct world){.engine = NULL};
	must(ts_digest_init(&err), &err);
	must(ts_memory_open(NULL, &w->engine, &err), &err);
	ts_arena_init(&w->arena, 0);
	w->call = (struct ts_call){
		.engine = w->engine,
		.arena = &w->arena,
		.deadline_ns = INT64_MAX,
		.cancelled = is_cancelled,
		.driver = w,
	};
	ts_fetch_init(&w->fetch, &w->call);
}

void world_close(struct world *w)
{
	ts_fetch_finish(&w->fetch);
	ts_arena_finish(&w->arena);
	ts_engine_destroy(w->engine);
}

static struct cell *cells_next(struct cells *cells)
{
	if (cells->n == cells->cap) {
		cells->cap = cells->cap ? cells->cap * 2 : 64;
		cells->items = test_realloc(cells->items, cells->cap * sizeof *cells->items);
		assert_non_null(cells->items);
	}
	return &cells->items[cells->n++];
}

struct cell *cells_add(struct cells *cells, int32_t rank, const char *name, int64_t step, double value)
{
	struct cell *cell = cells_next(cells);

	*cell = (struct cell){.rank = rank, .name = name, .type = TS_COLUMN_F64, .step = step};
	memcpy(&cell->word, &value, sizeof value);
	return cell;
}

void cells_add_word(struct cells *cells, int32_t rank, const char *name, int64_t step, uint64_t word)
{
	*cells_next(cells) =
		(struct cell){.rank = rank, .name = name, .type = TS_COLUMN_U64, .step = step, .word = word};
}

void cells_add_text(struct cells *cells, int32_t rank, const char *name, int64_t step, const char *text)
{
	*cells_next(cells) =
		(struct cell){.rank = rank, .name = name, .type = TS_COLUMN_TEXT, .step = step, .text = text};
}

void cells_copy(const struct cells *from, struct cells *to)
{
	*to = (struct cells){.n = 0};
	for (size_t i = 0; i < from->n; i++)
		*cells_next(to) = from->items[i];
}

void cells_free(struct cells *cells)
{
	if (cells->items)
		test_free(cells->items);
	*cells = (struct cells){.n = 0};
}

static int by_series(const void *x, const void *y)
{
	const struct cell *a = x, *b = y;
	int c = (a->rank > b->rank) - (a->rank < b->rank);

	if (!c)
		c = strcmp(a->name, b->name);
	if (!c)
		c = (a->type > b->type) - (a->type < b->type);
	return c ? c : (a->step > b->step) - (a->step < b->step);
}

void cells_sort(struct cells *cells)
{
	if (cells->n)
		qsort(cells->items, cells->n, sizeof *cells->items, by_series);
}

static enum ts_table_kind kind_of(const struct cell *c)
{
	return c->table ? c->table : TS_TABLE_STEPS;
}

static int by_step(const void *x, const void *y)
{
	const struct cell *a = x, *b = y;
	int c = (a->rank > b->rank) - (a->rank < b->rank);

	if (!c)
		c = (int)kind_of(a) - (int)kind_of(b);
	return c ? c : (a->step > b->step) - (a->step < b->step);
}

struct ts_id put_object(struct world *w, struct ts_span object)
{
	struct ts_put_stats stats;
	struct ts_sealed sealed;
	struct ts_error err;
	struct ts_arena arena;

	ts_arena_init(&arena, 0);
	must(test_seal_bytes(object, &arena, &sealed, &err), &err);
	must(w->engine->ops->put_many(w->engine, &sealed, 1, &stats, &err), &err);
	ts_arena_finish(&arena);
	return sealed.id;
}

static enum ts_status sink(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	(void)id;
	(void)err;
	(void)put_object(ctx, object);
	return TS_OK;
}

static void collect_facts(const struct told *told, size_t n, int32_t rank, struct ts_arena *arena, struct ts_facts *ret)
{
	struct ts_error err;

	for (size_t i = 0; i < n; i++) {
		struct ts_fact fact = {
			.path = ts_span_str(told[i].path),
			.type = told[i].text ? TS_FACT_TEXT : (told[i].integer ? TS_FACT_INT : TS_FACT_ABSENT),
			.source = TS_SOURCE_RUN_JSON,
			.integer = told[i].integer,
			.text = ts_span_str(told[i].text ? told[i].text : ""),
		};

		if (told[i].rank == rank)
			must(ts_facts_add(ret, &fact, arena, &err), &err);
	}
	ts_facts_sort(ret);
}

static void add_cell(struct ts_builder *b, const struct cell *c)
{
	struct ts_error err;
	uint32_t column;
	double real;

	must(ts_builder_column(b, ts_span_str(c->name), c->type, &column, &err), &err);
	ts_builder_precision(b, column, c->precision, c->digits);
	memcpy(&real, &c->word, sizeof real);
	if (c->type == TS_COLUMN_F64)
		ts_builder_f64(b, column, real);
	else if (c->type == TS_COLUMN_U64)
		ts_builder_u64(b, column, c->word);
	else
		ts_builder_text(b, column, ts_span_str(c->text));
}

static void keep_file(struct ts_builder *b, const char *name, const struct ts_id *columns)
{
	struct ts_error err;

	must(ts_builder_file_begin(b, ts_span_str(name), &err), &err);
	must(ts_builder_file_add(b, ts_span_str("{}"), &err), &err);
	must(ts_builder_file_end(b, &err), &err);
	must(ts_builder_file_columns(b, columns, &err), &err);
}

static void keep_trace(struct world *w, struct ts_builder *b, const struct kept_trace *kept)
{
	struct ts_trace_record record = {.events = kept->events};
	struct ts_trace_writer *writer;
	struct ts_error err;
	struct ts_id columns;

	must(ts_trace_writer_create(sink, w, &writer, &err), &err);
	must(ts_trace_writer_take(writer, &kept->trace->rows, &err), &err);
	must(ts_trace_writer_finish(writer, kept->trace, &record, &columns, &err), &err);
	ts_trace_writer_destroy(writer);
	keep_file(b, kept->name, &columns);
}

static void keep_snapshot(struct world *w, struct ts_builder *b, const struct kept_snapshot *kept)
{
	struct ts_error err;
	struct ts_id columns;

	must(ts_snapshot_columns_write(kept->snapshot, sink, w, &columns, &err), &err);
	keep_file(b, kept->name, &columns);
}

static struct ts_id make_rank(struct world *w, const struct cell *cells, size_t n, int32_t rank,
			      const struct ts_facts *facts)
{
	struct ts_builder *b;
	struct ts_error err;
	struct ts_id id;

	must(ts_builder_create(rank, sink, w, &b, &err), &err);
	for (size_t i = 0; i < n;) {
		const struct cell *first = &cells[i];

		ts_builder_row(b, kind_of(first), first->step);
		for (; i < n && cells[i].step == first->step && kind_of(&cells[i]) == kind_of(first); i++)
			add_cell(b, &cells[i]);
		must(ts_builder_row_end(b, &err), &err);
	}
	for (size_t i = 0; i < w->n_traces; i++)
		if (w->traces[i].rank == rank)
			keep_trace(w, b, &w->traces[i]);
	for (size_t i = 0; i < w->n_snapshots; i++)
		if (w->snapshots[i].rank == rank)
			keep_snapshot(w, b, &w->snapshots[i]);
	must(ts_builder_finish(b, facts, &id, &err), &err);
	ts_builder_destroy(b);
	return id;
}

/* Returns the ranks below 64 that have cells or facts, as bits. */
static uint64_t ranks_of(const struct cells *cells, const struct told *facts, size_t n_facts)
{
	uint64_t set = 0;

	for (size_t i = 0; i < cells->n; i++)
		set |= UINT64_C(1) << cells->items[i].rank;
	for (size_t i = 0; i < n_facts; i++)
		if (facts[i].rank >= 0)
			set |= UINT64_C(1) << facts[i].rank;
	return set;
}

/* Files of the job stand in an index of their own, which comes first. */
static void make_job(struct world *w, struct ts_rank_ref *refs, size_t *io_n)
{
	struct ts_facts none = {.n = 0};
	bool any = false;

	for (size_t i = 0; i < w->n_traces; i++)
		any |= w->traces[i].rank == TS_RANK_JOB;
	for (size_t i = 0; i < w->n_snapshots; i++)
		any |= w->snapshots[i].rank == TS_RANK_JOB;
	if (any)
		refs[(*io_n)++] = (struct ts_rank_ref){.rank = TS_RANK_JOB, .index = make_rank(w, NULL, 0, TS_RANK_JOB, &none)};
}

struct ts_id make_run(struct world *w, const struct cells *cells, const struct told *facts, size_t n_facts)
{
	uint64_t ranks = ranks_of(cells, facts, n_facts);
	struct ts_head head = {.n_ranks = 0};
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_rank_ref refs[65];
	struct ts_arena arena;
	struct cells sorted;
	struct ts_error err;
	struct ts_id id;
	size_t at = 0;

	ts_arena_init(&arena, 0);
	cells_copy(cells, &sorted);
	if (sorted.n)
		qsort(sorted.items, sorted.n, sizeof *sorted.items, by_step);
	head.ranks = refs;
	make_job(w, refs, &head.n_ranks);
	for (int32_t rank = 0; rank < 64; rank++) {
		struct ts_facts own = {.n = 0};
		size_t n = 0;

		if (!(ranks >> rank & 1))
			continue;
		collect_facts(facts, n_facts, rank, &arena, &own);
		while (at + n < sorted.n && sorted.items[at + n].rank == rank)
			n++;
		refs[head.n_ranks].rank = rank;
		refs[head.n_ranks++].index = make_rank(w, sorted.items + at, n, rank, &own);
		at += n;
	}
	collect_facts(facts, n_facts, TS_RANK_JOB, &arena, &head.facts);
	must(ts_head_digest_groups(&head, &err), &err);
	must(ts_head_encode(&head, &out, &err), &err);
	id = put_object(w, ts_buf_view(&out));
	ts_buf_finish(&out);
	cells_free(&sorted);
	ts_arena_finish(&arena);
	return id;
}

uint64_t draw(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return x * UINT64_C(0x2545f4914f6cdd1d);
}

uint64_t draw_below(uint64_t *state, uint64_t n)
{
	return (draw(state) >> 11) % n;
}
