/* export_text.c - steps as CSV and as JSON Lines, rank after rank. */
#include "base/grow.h"
#include "base/order.h"
#include "ingest/export/export.h"

#include "base/csv.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/number.h"
#include "ingest/export/record_write.h"

enum { FLUSH_AT = 256 << 10 };

struct text_export {
	struct ts_view view;
	struct ts_buf out;
	int fd;
	struct ts_span *names; /* CSV: the names of all columns of all ranks */
	size_t n_names, cap;
	struct ts_arena arena;
	unsigned csv;	/* flags of base/csv.h */
	size_t *places; /* CSV: the index in names of each column of the rank */
};

static enum ts_status flush(struct text_export *x, size_t at_least, struct ts_error *err)
{
	if (ts_buf_check(&x->out, err))
		return err->status;
	if (x->out.len < at_least)
		return TS_OK;
	if (ts_write_full(x->fd, x->out.data, x->out.len, err))
		return err->status;
	ts_buf_reset(&x->out);
	return TS_OK;
}

typedef enum ts_status put_row(struct text_export *x, const struct ts_rows *rows, int32_t rank, struct ts_error *err);

static enum ts_status put_rows(struct text_export *x, struct ts_rows *rows, int32_t rank, put_row *put,
			       struct ts_error *err)
{
	for (;;) {
		bool more;

		if (ts_rows_next(rows, &more, err))
			return err->status;
		if (!more)
			return TS_OK;
		if (put(x, rows, rank, err) || flush(x, FLUSH_AT, err))
			return err->status;
	}
}

static enum ts_status find_places(struct text_export *x, const struct ts_rows *rows, struct ts_arena *arena,
				  struct ts_error *err)
{
	x->places = ts_arena_array(arena, rows->n_columns, sizeof *x->places);
	if (!x->places)
		return ts_arena_error(arena, err);
	for (size_t i = 0, place = 0; i < rows->n_columns; i++) {
		while (place < x->n_names && !ts_span_eq(x->names[place], rows->columns[i].column->name))
			place++;
		x->places[i] = place;
	}
	return TS_OK;
}

static enum ts_status put_rank(struct text_export *x, size_t i, put_row *put, struct ts_error *err)
{
	struct ts_arena arena;
	struct ts_index index;
	struct ts_rows rows;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = ts_view_index(&x->view, i, &arena, &index, err);
	if (!status)
		status = ts_rows_open(&rows, &x->view, &index, TS_TABLE_STEPS, err);
	if (!status) {
		status = find_places(x, &rows, &arena, err);
		if (!status)
			status = put_rows(x, &rows, index.rank, put, err);
		ts_rows_close(&rows);
	}
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status put_ranks(struct text_export *x, put_row *put, struct ts_error *err)
{
	for (size_t i = 0; i < x->view.head.n_ranks; i++)
		if (put_rank(x, i, put, err))
			return err->status;
	return flush(x, 0, err);
}

static enum ts_status open_export(struct text_export *x, const struct ts_id *head, ts_object_source *get, void *ctx,
				  int fd, struct ts_error *err)
{
	*x = (struct text_export){.fd = fd, .out = TS_BUF_INIT(FLUSH_AT + 64 * (size_t)TS_LINE_MAX)};
	ts_arena_init(&x->arena, 0);
	return ts_view_open(&x->view, head, get, ctx, err);
}

static void close_export(struct text_export *x)
{
	ts_view_close(&x->view);
	ts_arena_finish(&x->arena);
	ts_buf_finish(&x->out);
}

/* --- JSON Lines --- */

static enum ts_status put_json(struct text_export *x, const struct ts_rows *rows, int32_t rank, struct ts_error *err)
{
	struct ts_json j = ts_json_of(&x->out);

	ts_json_object(&j);
	ts_json_key(&j, "rank");
	ts_json_i64(&j, rank);
	ts_json_key(&j, "step");
	ts_json_i64(&j, rows->key);
	ts_record_write(rows, "rank", &j);
	ts_json_end(&j);
	ts_buf_char(&x->out, '\n');
	return ts_buf_check(&x->out, err);
}

enum ts_status ts_export_jsonl(const struct ts_id *head, ts_object_source *get, void *ctx, int fd,
			       struct ts_error *err)
{
	struct text_export x;
	enum ts_status status = open_export(&x, head, get, ctx, fd, err);

	if (!status)
		status = put_ranks(&x, put_json, err);
	close_export(&x);
	return status;
}

/* --- CSV --- */

static void put_value(struct ts_buf *out, unsigned flags, const struct ts_rows *rows, size_t i)
{
	char digits[TS_DOUBLE_TEXT];

	switch (rows->columns[i].column->type) {
	case TS_COLUMN_F64:
		ts_buf_bytes(out, digits, ts_print_double(ts_rows_f64(rows, i), digits));
		break;
	case TS_COLUMN_U64:
		ts_buf_printf(out, "%016" PRIx64, ts_rows_u64(rows, i));
		break;
	case TS_COLUMN_TEXT: /* always in quotes, so that it is no number when it is read again */
		ts_csv_cell(out, ts_rows_text(rows, i), flags | TS_CSV_QUOTED);
		break;
	case TS_COLUMN_JSON:
		ts_csv_cell(out, ts_rows_text(rows, i), flags);
		break;
	}
}

static enum ts_status put_csv(struct text_export *x, const struct ts_rows *rows, int32_t rank, struct ts_error *err)
{
	size_t at = 0; /* the number of columns whose comma is written */

	ts_buf_printf(&x->out, "%d,%" PRId64, (int)rank, rows->key);
	for (size_t i = 0; i < rows->n_columns; i++) {
		if (!ts_rows_has(rows, i))
			continue;
		for (; at <= x->places[i]; at++)
			ts_buf_char(&x->out, ',');
		put_value(&x->out, x->csv, rows, i);
	}
	for (; at < x->n_names; at++)
		ts_buf_char(&x->out, ',');
	ts_buf_char(&x->out, '\n');
	return ts_buf_check(&x->out, err);
}

TS_ORDER(compare_names, struct ts_span, TS_THEN(ts_column_order(*a, *b)))

static enum ts_status add_name(struct text_export *x, struct ts_span name, struct ts_error *err)
{
	if (!TS_GROW_IN(&x->arena, x->names, x->cap, x->n_names + 1, 64))
		return ts_arena_error(&x->arena, err);
	name = ts_arena_span(&x->arena, name);
	if (!name.data)
		return ts_arena_error(&x->arena, err);
	x->names[x->n_names++] = name;
	return TS_OK;
}

static void sort_names(struct text_export *x)
{
	size_t kept = 0;

	TS_SORT(x->names, x->n_names, compare_names);
	for (size_t i = 0; i < x->n_names; i++)
		if (kept == 0 || !ts_span_eq(x->names[kept - 1], x->names[i]))
			x->names[kept++] = x->names[i];
	x->n_names = kept;
}

/* Merges the names of one rank into the list, so that memory depends on the number of distinct names. */
static enum ts_status add_names(struct text_export *x, size_t i, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_index index;

	if (ts_view_index(&x->view, i, arena, &index, err))
		return err->status;
	for (size_t t = 0; t < index.n_tables; t++) {
		const struct ts_table *table = &index.tables[t];

		for (size_t c = 0; table->kind == TS_TABLE_STEPS && c < table->n_columns; c++)
			if (add_name(x, table->columns[c].name, err))
				return err->status;
	}
	sort_names(x);
	return TS_OK;
}

static enum ts_status put_header(struct text_export *x, struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status = TS_OK;

	ts_arena_init(&arena, 0);
	for (size_t i = 0; i < x->view.head.n_ranks && !status; i++) {
		ts_arena_reset(&arena);
		status = add_names(x, i, &arena, err);
	}
	ts_arena_finish(&arena);
	if (status)
		return status;
	ts_buf_str(&x->out, "rank,step");
	for (size_t i = 0; i < x->n_names; i++) {
		ts_buf_char(&x->out, ',');
		if (ts_span_is(x->names[i], "rank"))
			ts_buf_str(&x->out, "record.");
		ts_csv_cell(&x->out, x->names[i], x->csv);
	}
	ts_buf_char(&x->out, '\n');
	return ts_buf_check(&x->out, err);
}

static enum ts_status export_csv(const struct ts_id *head, ts_object_source *get, void *ctx, unsigned flags, int fd,
				 struct ts_error *err)
{
	struct text_export x;
	enum ts_status status = open_export(&x, head, get, ctx, fd, err);

	x.csv = flags;
	if (!status)
		status = put_header(&x, err);
	if (!status)
		status = put_ranks(&x, put_csv, err);
	close_export(&x);
	return status;
}

enum ts_status ts_export_csv(const struct ts_id *head, ts_object_source *get, void *ctx, int fd, struct ts_error *err)
{
	return export_csv(head, get, ctx, 0, fd, err);
}

enum ts_status ts_export_csv_no_formulas(const struct ts_id *head, ts_object_source *get, void *ctx, int fd, struct ts_error *err)
{
	return export_csv(head, get, ctx, TS_CSV_NO_FORMULA, fd, err);
}
