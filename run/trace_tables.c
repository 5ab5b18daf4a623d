#include "run/trace_tables.h"

#include "base/alloc.h"

/* In the order of TS_TRACE_TABLES. */
static const enum ts_table_kind row_kinds[] = {
	TS_TABLE_SPANS,	 TS_TABLE_FLOWS,   TS_TABLE_ALLOCATIONS, TS_TABLE_COUNTERS, TS_TABLE_OPERATORS,
	TS_TABLE_FRAMES, TS_TABLE_KERNELS, TS_TABLE_COLLECTIVES, TS_TABLE_SYNCS,
};
/* In the order of TS_TRACE_SIDE_TABLES. */
static const enum ts_table_kind side_kinds[] = {TS_TABLE_THREADS, TS_TABLE_DEVICES, TS_TABLE_SAID, TS_TABLE_NOTICES, TS_TABLE_ABOUT};

#define COUNT(...) +1
#define COLUMNS_FIT(table, member, columns)                                                                                            \
	_Static_assert((0 columns(COUNT)) <= TS_TRACE_VIEWS_MAX, "more columns than a part has room for");
TS_TRACE_TABLES(COLUMNS_FIT)
TS_TRACE_SIDE_TABLES(COLUMNS_FIT)
_Static_assert(sizeof row_kinds / sizeof row_kinds[0] == (0 TS_TRACE_TABLES(COUNT)), "each table has a kind");
_Static_assert(sizeof side_kinds / sizeof side_kinds[0] == (0 TS_TRACE_SIDE_TABLES(COUNT)), "each table has a kind");

#define VIEW(type, column) views[n++] = (struct ts_trace_view){#column, TS_CELL_##type, &t->column};
#define VIEWS(table, member, columns)                                                                                                  \
	static size_t member##_views(struct table *t, struct ts_trace_view *views)                                                     \
	{                                                                                                                              \
		size_t n = 0;                                                                                                          \
                                                                                                                                       \
		columns(VIEW) return n;                                                                                                \
	}
TS_TRACE_TABLES(VIEWS)
#define SIDE_VIEWS(table, member, columns)                                                                                             \
	static size_t side_##member##_views(struct table *t, struct ts_trace_view *views)                                              \
	{                                                                                                                              \
		size_t n = 0;                                                                                                          \
                                                                                                                                       \
		columns(VIEW) return n;                                                                                                \
	}
TS_TRACE_SIDE_TABLES(SIDE_VIEWS)

size_t ts_trace_row_parts(struct ts_trace_rows *rows, struct ts_trace_part *parts)
{
	size_t n = 0;

#define ROW_PART(table, member, columns)                                                                                               \
	parts[n].kind = row_kinds[n];                                                                                                  \
	parts[n].n = &rows->member.n;                                                                                                  \
	parts[n].n_views = member##_views(&rows->member, parts[n].views);                                                              \
	n++;
	TS_TRACE_TABLES(ROW_PART)
	return n;
}

size_t ts_trace_side_parts(struct ts_trace_side *side, struct ts_trace_part *parts)
{
	size_t n = 0;

#define SIDE_PART(table, member, columns)                                                                                              \
	parts[n].kind = side_kinds[n];                                                                                                 \
	parts[n].n = &side->member.n;                                                                                                  \
	parts[n].n_views = side_##member##_views(&side->member, parts[n].views);                                                       \
	n++;
	TS_TRACE_SIDE_TABLES(SIDE_PART)
	return n;
}

void ts_trace_side_finish(struct ts_trace_side *side)
{
	struct ts_trace_part parts[TS_TRACE_PARTS];
	size_t n = ts_trace_side_parts(side, parts);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < parts[i].n_views; k++)
			ts_free(ts_trace_view_cells(&parts[i].views[k]));
	*side = (struct ts_trace_side){.threads = {.n = 0}};
}

size_t ts_trace_cell_size(enum ts_trace_cell cell)
{
	static const uint8_t sizes[] = {
		[TS_CELL_int64_t] = sizeof(int64_t),
		[TS_CELL_double] = sizeof(double),
		[TS_CELL_int32_t] = sizeof(int32_t),
		[TS_CELL_uint8_t] = sizeof(uint8_t),
		[TS_CELL_ts_trace_name_no] = sizeof(ts_trace_name_no),
		[TS_CELL_ts_trace_thread_no] = sizeof(ts_trace_thread_no),
		[TS_CELL_ts_trace_span_no] = sizeof(ts_trace_span_no),
	};

	return sizes[cell];
}

enum ts_column_type ts_trace_cell_type(enum ts_trace_cell cell)
{
	return cell == TS_CELL_double ? TS_COLUMN_F64 : TS_COLUMN_U64;
}

void *ts_trace_view_cells(const struct ts_trace_view *view)
{
	void *cells;

	memcpy(&cells, view->column, sizeof cells);
	return cells;
}

void ts_trace_view_set(const struct ts_trace_view *view, void *cells)
{
	memcpy(view->column, &cells, sizeof cells);
}
