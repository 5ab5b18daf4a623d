/* trace_tables.h - the tables of a trace as lists of columns that code can go through, for what stores, loads and exports them.
 *
 * To the tables of run/trace.h come those of what their numbers refer to and of what the trace says of itself, which stand beside the
 * rows while it is read: threads, devices, the other members of the envelope, what the reader noted, and one row about the whole. Texts
 * in them are numbers of names, too. A new column is a line in a list of columns, here or in run/trace.h, and nothing else. Only the
 * files trace_columns*.c, trace_tables.c and trace_sheet.* use this header.
 */
#ifndef TSCOPE_RUN_TRACE_TABLES_H
#define TSCOPE_RUN_TRACE_TABLES_H

#include "run/index.h"
#include "run/trace.h"

#define TS_TRACE_THREAD_COLUMNS(X)                                                                                                     \
	X(int64_t, pid)                                                                                                                \
	X(int64_t, tid)                                                                                                                \
	X(ts_trace_name_no, pid_text)                                                                                                  \
	X(ts_trace_name_no, tid_text)                                                                                                  \
	X(ts_trace_name_no, process)                                                                                                   \
	X(ts_trace_name_no, thread)                                                                                                    \
	X(ts_trace_name_no, label)
#define TS_TRACE_DEVICE_COLUMNS(X)                                                                                                     \
	X(int64_t, id)                                                                                                                 \
	X(ts_trace_name_no, name)                                                                                                      \
	X(int64_t, memory_bytes)                                                                                                       \
	X(int64_t, multiprocessors)
#define TS_TRACE_SAID_COLUMNS(X)                                                                                                       \
	X(ts_trace_name_no, key)                                                                                                       \
	X(ts_trace_name_no, json)
#define TS_TRACE_NOTICE_COLUMNS(X)                                                                                                     \
	X(ts_trace_name_no, code)                                                                                                      \
	X(uint8_t, skipped)                                                                                                            \
	X(int64_t, count)                                                                                                              \
	X(ts_trace_name_no, detail)
#define TS_TRACE_ABOUT_COLUMNS(X)                                                                                                      \
	X(int64_t, schema)                                                                                                             \
	X(int64_t, base_ns)                                                                                                            \
	X(int64_t, rank)                                                                                                               \
	X(int64_t, world_size)                                                                                                         \
	X(ts_trace_name_no, backend)                                                                                                   \
	X(ts_trace_name_no, trace_name)                                                                                                \
	X(ts_trace_name_no, trace_id)                                                                                                  \
	X(int64_t, events)                                                                                                             \
	X(int64_t, bytes)                                                                                                              \
	X(uint8_t, cut)
#define TS_TRACE_SIDE_TABLES(X)                                                                                                        \
	X(ts_trace_side_threads, threads, TS_TRACE_THREAD_COLUMNS)                                                                     \
	X(ts_trace_side_devices, devices, TS_TRACE_DEVICE_COLUMNS)                                                                     \
	X(ts_trace_side_said, said, TS_TRACE_SAID_COLUMNS)                                                                             \
	X(ts_trace_side_notices, notices, TS_TRACE_NOTICE_COLUMNS)                                                                     \
	X(ts_trace_side_about, about, TS_TRACE_ABOUT_COLUMNS)

#define TS_TRACE_MEMBER(type, column) type *column;
#define TS_TRACE_TABLE(table, member, columns)                                                                                         \
	struct table {                                                                                                                 \
		size_t n;                                                                                                              \
		columns(TS_TRACE_MEMBER)                                                                                               \
	};
TS_TRACE_SIDE_TABLES(TS_TRACE_TABLE)
#undef TS_TRACE_TABLE
#undef TS_TRACE_MEMBER

#define TS_TRACE_SIDE_MEMBER(table, member, columns) struct table member;
struct ts_trace_side {
	TS_TRACE_SIDE_TABLES(TS_TRACE_SIDE_MEMBER)
};
#undef TS_TRACE_SIDE_MEMBER

/* What a cell is, by the type that the list of columns gives it. */
enum ts_trace_cell {
	TS_CELL_int64_t,
	TS_CELL_double,
	TS_CELL_int32_t,
	TS_CELL_uint8_t,
	TS_CELL_ts_trace_name_no,
	TS_CELL_ts_trace_thread_no,
	TS_CELL_ts_trace_span_no,
};

enum { TS_TRACE_VIEWS_MAX = 24, TS_TRACE_PARTS = TS_TABLE_ABOUT - TS_TABLE_RANK_KINDS - 1 };

struct ts_trace_view {
	const char *name;
	enum ts_trace_cell cell;
	void *column; /* the address of the pointer to the cells */
};

struct ts_trace_part {
	enum ts_table_kind kind;
	size_t *n;
	struct ts_trace_view views[TS_TRACE_VIEWS_MAX];
	size_t n_views;
};

/* Lists the tables of rows; fills as many parts as the return value says. */
size_t ts_trace_row_parts(struct ts_trace_rows *rows, struct ts_trace_part *parts);
size_t ts_trace_side_parts(struct ts_trace_side *side, struct ts_trace_part *parts);
void ts_trace_side_finish(struct ts_trace_side *side);

size_t ts_trace_cell_size(enum ts_trace_cell cell);
enum ts_column_type ts_trace_cell_type(enum ts_trace_cell cell);

/* The bytes of a row of the table in memory. */
size_t ts_trace_part_row(const struct ts_trace_part *part);

/* The pointer to a view's cells, and how it is set. */
void *ts_trace_view_cells(const struct ts_trace_view *view);
void ts_trace_view_set(const struct ts_trace_view *view, void *cells);

#endif
