/* trace_columns.c - writes the columns of a trace. */
#include "run/trace_columns.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "run/builder.h"
#include "run/head.h"
#include "run/trace_tables.h"

enum { BATCH = 4096 };

/* The numbers of a part's columns in the builder. */
struct known {
	bool made;
	uint32_t columns[TS_TRACE_VIEWS_MAX];
	uint64_t rows; /* written so far */
};

struct ts_trace_writer {
	struct ts_builder *builder;
	struct known known[TS_TABLE_KINDS + 1]; /* by kind */
	uint64_t *cells;			/* a batch, column by column */
	int64_t keys[BATCH];
};

enum ts_status ts_trace_writer_create(ts_object_sink *sink, void *ctx, struct ts_trace_writer **ret_writer, struct ts_error *err)
{
	struct ts_trace_writer *w = ts_alloc_array(1, sizeof *w);

	if (w)
		w->cells = ts_alloc_array((size_t)BATCH * TS_TRACE_VIEWS_MAX, sizeof *w->cells);
	if (!w || !w->cells) {
		ts_free(w);
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the columns of a trace");
	}
	if (ts_builder_create(TS_RANK_JOB, sink, ctx, &w->builder, err)) {
		ts_trace_writer_destroy(w);
		return err->status;
	}
	*ret_writer = w;
	return TS_OK;
}

void ts_trace_writer_destroy(struct ts_trace_writer *w)
{
	if (!w)
		return;
	ts_builder_destroy(w->builder);
	ts_free(w->cells);
	ts_free(w);
}

/* --- rows --- */

/* Cells as words: numbers as two's complement, doubles as their bits. Spans are counted from the first of the whole. */
static void words_of(const struct ts_trace_view *view, size_t from, size_t n, uint64_t first_span, uint64_t *out)
{
	const void *cells = ts_trace_view_cells(view);

	switch (view->cell) {
	case TS_CELL_int64_t:
	case TS_CELL_double:
		memcpy(out, (const uint64_t *)cells + from, n * sizeof *out);
		break;
	case TS_CELL_int32_t:
		for (size_t i = 0; i < n; i++)
			out[i] = (uint64_t)(int64_t)((const int32_t *)cells)[from + i];
		break;
	case TS_CELL_uint8_t:
		for (size_t i = 0; i < n; i++)
			out[i] = ((const uint8_t *)cells)[from + i];
		break;
	case TS_CELL_ts_trace_name_no:
	case TS_CELL_ts_trace_thread_no:
		for (size_t i = 0; i < n; i++)
			out[i] = ((const uint32_t *)cells)[from + i];
		break;
	case TS_CELL_ts_trace_span_no:
		for (size_t i = 0; i < n; i++)
			out[i] = first_span + ((const uint32_t *)cells)[from + i];
		break;
	}
}

static enum ts_status make_columns(struct ts_trace_writer *w, const struct ts_trace_part *part, struct known *known,
				   struct ts_error *err)
{
	for (size_t i = 0; i < part->n_views; i++)
		if (ts_builder_column(w->builder, ts_span_str(part->views[i].name), ts_trace_cell_type(part->views[i].cell),
				      &known->columns[i], err))
			return err->status;
	known->made = true;
	return TS_OK;
}

static enum ts_status put_part(struct ts_trace_writer *w, const struct ts_trace_part *part, uint64_t first_span, struct ts_error *err)
{
	struct known *known = &w->known[part->kind];
	struct ts_builder_rows_in in = {.kind = part->kind,
					.keys = w->keys,
					.columns = known->columns,
					.values = w->cells,
					.n_columns = part->n_views,
					.stride = BATCH};

	if (known->rows + *part->n > TS_TRACE_ROWS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %" PRIu64 " %s", TS_TRACE_ROWS_MAX, ts_table_word(part->kind));
	if (!known->made && make_columns(w, part, known, err))
		return err->status;
	for (size_t from = 0; from < *part->n; from += in.n) {
		in.n = *part->n - from < BATCH ? *part->n - from : BATCH;
		for (size_t i = 0; i < in.n; i++)
			w->keys[i] = (int64_t)(known->rows + i);
		for (size_t i = 0; i < part->n_views; i++)
			words_of(&part->views[i], from, in.n, first_span, w->cells + i * BATCH);
		if (ts_builder_number_rows(w->builder, &in, err))
			return err->status;
		known->rows += in.n;
	}
	return TS_OK;
}

enum ts_status ts_trace_writer_take(void *writer, const struct ts_trace_rows *rows, struct ts_error *err)
{
	struct ts_trace_writer *w = writer;
	struct ts_trace_rows copy = *rows; /* the parts point into it, and change nothing */
	struct ts_trace_part parts[TS_TRACE_PARTS];
	size_t n = ts_trace_row_parts(&copy, parts);
	uint64_t first_span = w->known[TS_TABLE_SPANS].rows;

	for (size_t i = 0; i < n; i++)
		if (*parts[i].n && put_part(w, &parts[i], first_span, err))
			return err->status;
	return TS_OK;
}

/* --- names --- */

struct naming {
	struct ts_trace_writer *w;
	uint32_t text, more; /* columns */
	int64_t row;
	uint32_t names; /* given so far */
	struct ts_error *err;
	bool failed;
};

/* A text that is longer than a cell may be goes on in the next row. */
static void put_name(struct naming *n, struct ts_span text)
{
	size_t at = 0;

	while (!n->failed) {
		size_t len = text.len - at < TS_TEXT_MAX ? text.len - at : TS_TEXT_MAX;

		ts_builder_row(n->w->builder, TS_TABLE_NAMES, n->row++);
		ts_builder_text(n->w->builder, n->text, ts_span_part(text, at, len));
		at += len;
		ts_builder_u64(n->w->builder, n->more, at < text.len);
		n->failed = ts_builder_row_end(n->w->builder, n->err) != TS_OK;
		if (at == text.len)
			break;
	}
	n->names++;
}

/* The number of a text that stands beside the rows; the empty one has 0. */
static ts_trace_name_no side_name(struct naming *n, struct ts_span text)
{
	if (!text.len)
		return 0;
	put_name(n, text);
	return n->names - 1;
}

static enum ts_status begin_names(struct naming *n, const struct ts_trace *trace)
{
	if (ts_builder_column(n->w->builder, ts_span_str("text"), TS_COLUMN_TEXT, &n->text, n->err) ||
	    ts_builder_column(n->w->builder, ts_span_str("more"), TS_COLUMN_U64, &n->more, n->err))
		return n->err->status;
	if (!trace->n_names)
		put_name(n, ts_span_str(""));
	for (size_t i = 0; i < trace->n_names && !n->failed; i++)
		put_name(n, trace->names[i]);
	return n->failed ? n->err->status : TS_OK;
}

/* --- what stands beside the rows --- */

static enum ts_status make_side(struct ts_trace_side *side, struct ts_error *err)
{
	struct ts_trace_part parts[TS_TRACE_PARTS];
	size_t n = ts_trace_side_parts(side, parts);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < parts[i].n_views && *parts[i].n; k++) {
			void *cells = ts_alloc_array(*parts[i].n, ts_trace_cell_size(parts[i].views[k].cell));

			if (!cells)
				return ts_error_set(err, TS_NO_MEMORY, "out of memory for the threads of a trace");
			ts_trace_view_set(&parts[i].views[k], cells);
		}
	return TS_OK;
}

static void fill_threads(const struct ts_trace *trace, struct ts_trace_side_threads *t)
{
	for (size_t i = 0; i < trace->n_threads; i++) {
#define FROM_THREAD(type, column) t->column[i] = trace->threads[i].column;
		TS_TRACE_THREAD_COLUMNS(FROM_THREAD)
	}
}

static void fill_about(struct naming *names, const struct ts_trace_about *about, const struct ts_trace_record *record,
		       struct ts_trace_side *side)
{
	for (size_t i = 0; i < about->n_devices; i++) {
		side->devices.id[i] = about->devices[i].id;
		side->devices.name[i] = side_name(names, about->devices[i].name);
		side->devices.memory_bytes[i] = about->devices[i].memory_bytes;
		side->devices.multiprocessors[i] = about->devices[i].multiprocessors;
	}
	for (size_t i = 0; i < about->n_said; i++) {
		side->said.key[i] = side_name(names, about->said[i].key);
		side->said.json[i] = side_name(names, about->said[i].json);
	}
	for (size_t i = 0; i < record->n_notices; i++) {
		side->notices.code[i] = side_name(names, ts_span_str(record->notices[i].code));
		side->notices.skipped[i] = record->notices[i].skipped;
		side->notices.count[i] = (int64_t)record->notices[i].count;
		side->notices.detail[i] = side_name(names, record->notices[i].detail);
	}
	side->about.schema[0] = about->schema;
	side->about.base_ns[0] = about->base_ns;
	side->about.rank[0] = about->rank;
	side->about.world_size[0] = about->world_size;
	side->about.backend[0] = side_name(names, about->backend);
	side->about.trace_name[0] = side_name(names, about->trace_name);
	side->about.trace_id[0] = side_name(names, about->trace_id);
	side->about.events[0] = (int64_t)record->events;
	side->about.bytes[0] = (int64_t)record->bytes;
	side->about.cut[0] = record->cut;
}

static enum ts_status put_side(struct ts_trace_writer *w, struct ts_trace_side *side, struct ts_error *err)
{
	struct ts_trace_part parts[TS_TRACE_PARTS];
	size_t n = ts_trace_side_parts(side, parts);

	for (size_t i = 0; i < n; i++)
		if (*parts[i].n && put_part(w, &parts[i], 0, err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_trace_writer_finish(struct ts_trace_writer *w, const struct ts_trace *trace, const struct ts_trace_record *record,
				      struct ts_id *ret_index, struct ts_error *err)
{
	struct naming names = {.w = w, .err = err};
	struct ts_trace_side side = {
		.threads.n = trace->n_threads,
		.devices.n = trace->about.n_devices,
		.said.n = trace->about.n_said,
		.notices.n = record->n_notices,
		.about.n = 1,
	};
	enum ts_status status = make_side(&side, err);

	if (!status)
		status = begin_names(&names, trace);
	if (!status) {
		fill_threads(trace, &side.threads);
		fill_about(&names, &trace->about, record, &side);
		status = names.failed ? err->status : put_side(w, &side, err);
	}
	ts_trace_side_finish(&side);
	return status ? status : ts_builder_finish(w->builder, NULL, ret_index, err);
}
