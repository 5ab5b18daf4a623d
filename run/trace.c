#include "run/trace.h"

#include "base/alloc.h"
#include "base/bisect.h"

/* Each column is its own block, so that a table grows without a block as large as all of it. */
static bool grow(void *column, size_t size, size_t cap)
{
	void *old, *block;
	size_t bytes;

	memcpy(&old, column, sizeof old);
	block = ts_size_mul(cap, size, &bytes) ? ts_realloc(old, bytes) : NULL;
	if (block)
		memcpy(column, &block, sizeof block);
	return block != NULL;
}

static size_t larger(size_t cap, size_t n)
{
	enum { FIRST = 1024 };
	size_t next = cap ? cap + cap / 2 : FIRST;

	return next < n ? n : next;
}

#define COLUMN_GROWS(type, column) &&grow(&t->column, sizeof(type), cap)
#define COLUMN_FREE(type, column) ts_free(t->column);
#define COLUMN_COPY(type, column) memcpy(t->column + t->n, from->column, from->n * sizeof(type));
#define TABLE_FUNCTIONS(table, member, columns)                                                                                        \
	static bool member##_reserve(struct table *t, size_t cap)                                                                      \
	{                                                                                                                              \
		bool ok = true columns(COLUMN_GROWS);                                                                                  \
                                                                                                                                       \
		t->cap = ok ? cap : t->cap;                                                                                            \
		return ok;                                                                                                             \
	}                                                                                                                              \
	static void member##_finish(struct table *t)                                                                                   \
	{                                                                                                                              \
		columns(COLUMN_FREE) *t = (struct table){0};                                                                           \
	}                                                                                                                              \
	static bool member##_append(struct table *t, const struct table *from)                                                         \
	{                                                                                                                              \
		if (!from->n)                                                                                                          \
			return true;                                                                                                   \
		if (t->cap - t->n < from->n && !member##_reserve(t, larger(t->cap, t->n + from->n)))                                   \
			return false;                                                                                                  \
		columns(COLUMN_COPY) t->n += from->n;                                                                                  \
		return true;                                                                                                           \
	}
TS_TRACE_TABLES(TABLE_FUNCTIONS)

static enum ts_status no_memory(struct ts_error *err)
{
	return ts_error_set(err, TS_NO_MEMORY, "out of memory for the columns of a trace");
}

enum ts_status ts_trace_rows_reserve(struct ts_trace_rows *rows, size_t each, struct ts_error *err)
{
#define TABLE_RESERVE(table, member, columns) &&member##_reserve(&rows->member, each)
	return true TS_TRACE_TABLES(TABLE_RESERVE) ? TS_OK : no_memory(err);
}

void ts_trace_rows_finish(struct ts_trace_rows *rows)
{
#define TABLE_FINISH(table, member, columns) member##_finish(&rows->member);
	TS_TRACE_TABLES(TABLE_FINISH)
}

void ts_trace_rows_clear(struct ts_trace_rows *rows)
{
#define TABLE_CLEAR(table, member, columns) rows->member.n = 0;
	TS_TRACE_TABLES(TABLE_CLEAR)
}

#define CELL_BYTES(type, column) +sizeof(type)
uint64_t ts_trace_rows_bytes(const struct ts_trace_rows *rows)
{
#define TABLE_TAKES(table, member, columns) +(uint64_t)rows->member.cap *(0 columns(CELL_BYTES))
	return 0 TS_TRACE_TABLES(TABLE_TAKES);
}

static uint64_t rows_bytes(const struct ts_trace_rows *rows)
{
#define TABLE_BYTES(table, member, columns) +(uint64_t)rows->member.n *(0 columns(CELL_BYTES))
	return 0 TS_TRACE_TABLES(TABLE_BYTES);
}

/* The spans of details that were appended behind `before` spans. */
static void shift(uint32_t *spans, size_t first, size_t n, size_t before)
{
	for (size_t i = first; i < n; i++)
		spans[i] += (uint32_t)before;
}

size_t ts_trace_detail(const uint32_t *spans, size_t n, uint32_t span)
{
	size_t low = 0;

	TS_BISECT(low, n, i, spans[i] < span);
	return low < n && spans[low] == span ? low : SIZE_MAX;
}

enum ts_status ts_trace_append(struct ts_trace *trace, const struct ts_trace_rows *rows, struct ts_error *err)
{
#define TABLE_IS_FULL(table, member, columns) || trace->rows.member.n + rows->member.n > TS_TRACE_ROWS_MAX
#define TABLE_APPEND(table, member, columns) &&member##_append(&trace->rows.member, &rows->member)
#define TABLE_SHIFT(table, member, columns)                                                                                            \
	shift(trace->rows.member.span, trace->rows.member.n - rows->member.n, trace->rows.member.n, before);
	size_t before = trace->rows.spans.n;

	if (false TS_TRACE_TABLES(TABLE_IS_FULL))
		return ts_error_set(err, TS_TOO_LARGE, "more than %" PRIu64 " spans, flows, allocations or counters",
				    TS_TRACE_ROWS_MAX);
	if (rows_bytes(&trace->rows) + rows_bytes(rows) > TS_TRACE_BYTES_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %" PRIu64 " GiB of columns", TS_TRACE_BYTES_MAX >> 30);
	if (!(true TS_TRACE_TABLES(TABLE_APPEND)))
		return no_memory(err);
	TS_TRACE_DETAIL_TABLES(TABLE_SHIFT)
	return TS_OK;
}

/* --- what is promised --- */

static bool all_below(const uint32_t *numbers, size_t n, size_t below)
{
	uint32_t most = 0;

	for (size_t i = 0; i < n; i++)
		most = numbers[i] > most ? numbers[i] : most;
	return !n || most < below;
}

static bool increases(const uint32_t *numbers, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (numbers[i] <= numbers[i - 1])
			return false;
	return true;
}

#define CELLS_int64_t(column) true
#define CELLS_int32_t(column) true
#define CELLS_uint8_t(column) true
#define CELLS_double(column) true
#define CELLS_ts_trace_name_no(column) all_below(t->column, t->n, trace->n_names)
#define CELLS_ts_trace_thread_no(column) all_below(t->column, t->n, trace->n_threads)
#define CELLS_ts_trace_span_no(column) (all_below(t->column, t->n, trace->rows.spans.n) && increases(t->column, t->n))
#define COLUMN_HOLDS(type, column) &&CELLS_##type(column)
#define TABLE_HOLDS(table, member, columns)                                                                                            \
	static bool member##_hold(const struct ts_trace *trace)                                                                        \
	{                                                                                                                              \
		const struct table *t = &trace->rows.member;                                                                           \
                                                                                                                                       \
		return true columns(COLUMN_HOLDS);                                                                                     \
	}
TS_TRACE_TABLES(TABLE_HOLDS)

static bool threads_hold(const struct ts_trace *trace)
{
	for (size_t i = 0; i < trace->n_threads; i++) {
		const struct ts_trace_thread *t = &trace->threads[i];
		const uint32_t names[] = {t->pid_text, t->tid_text, t->process, t->thread, t->label};

		if (!all_below(names, sizeof names / sizeof names[0], trace->n_names))
			return false;
	}
	return true;
}

static bool times_hold(const struct ts_trace_spans *spans)
{
	int64_t end;

	for (size_t i = 0; i < spans->n; i++)
		if (spans->start_ns[i] == TS_TRACE_NONE || spans->duration_ns[i] < 0 || spans->kind[i] >= TS_TRACE_KINDS ||
		    __builtin_add_overflow(spans->start_ns[i], spans->duration_ns[i], &end))
			return false;
	return true;
}

enum ts_status ts_trace_check(const struct ts_trace *trace, struct ts_error *err)
{
#define OR_NOT(table, member, columns) || !member##_hold(trace)
	if (false TS_TRACE_TABLES(OR_NOT) || !threads_hold(trace))
		return ts_error_set(err, TS_DAMAGED, "a number of a name, a thread or a span that is not there");
	if (!times_hold(&trace->rows.spans))
		return ts_error_set(err, TS_DAMAGED, "a span of an unknown kind, or without its time");
	return TS_OK;
}

bool ts_trace_holds(const struct ts_trace *trace)
{
	struct ts_error ignored;

	return ts_trace_check(trace, &ignored) == TS_OK;
}

void ts_trace_finish(struct ts_trace *trace)
{
	ts_trace_rows_finish(&trace->rows);
}
