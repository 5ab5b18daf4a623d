/* trace_details.c - the rows of the tables of details: what only some events say. */
#include "ingest/trace/trace_fill.h"

#include <math.h>

enum ts_status ts_trace_text_put(struct ts_trace_fill *fill, struct ts_trace_text text, uint64_t at, uint32_t *ret,
				 struct ts_error *err)
{
	if (ts_trace_word_if_room(fill->words, text, ret, err))
		return err->status;
	if (text.len && !*ret)
		ts_trace_note(fill, "trace_text", TS_NOTICE_SKIPPED, at,
			      "an argument is left out: the texts of this trace take too much room");
	return TS_OK;
}

/* Each of these writes the row behind the last one, and counts it if a column of it says something. */

static enum ts_status put_operator(struct ts_trace_fill *fill, struct ts_trace_operators *t, uint32_t span,
				   const struct ts_trace_says_operator *says, uint64_t at, struct ts_error *err)
{
	size_t i = t->n;

	t->span[i] = span;
	t->sequence[i] = says->sequence;
	t->forward_thread[i] = says->forward_thread;
	if (ts_trace_text_put(fill, says->stack, at, &t->stack[i], err) ||
	    ts_trace_text_put(fill, says->module, at, &t->module[i], err) ||
	    ts_trace_text_put(fill, says->types, at, &t->types[i], err) ||
	    ts_trace_text_put(fill, says->inputs, at, &t->inputs[i], err))
		return err->status;
	t->n += says->sequence != TS_TRACE_NONE || says->forward_thread != TS_TRACE_NONE || t->stack[i] || t->module[i] ||
		t->types[i] || t->inputs[i];
	return TS_OK;
}

static void put_frame(struct ts_trace_frames *t, uint32_t span, const struct ts_trace_says_frame *says)
{
	t->span[t->n] = span;
	t->id[t->n] = says->id;
	t->parent[t->n] = says->parent;
	t->module[t->n] = says->module;
	t->n += says->id != TS_TRACE_NONE || says->parent != TS_TRACE_NONE || says->module != TS_TRACE_NONE;
}

static enum ts_status put_kernel(struct ts_trace_fill *fill, struct ts_trace_kernels *t, uint32_t span,
				 const struct ts_trace_says_kernel *says, uint64_t at, struct ts_error *err)
{
	size_t i = t->n;

	t->span[i] = span;
	t->occupancy[i] = says->occupancy;
	t->warps[i] = says->warps;
	t->registers[i] = says->registers;
	t->shared_bytes[i] = says->shared_bytes;
	t->graph[i] = says->graph;
	t->node[i] = says->node;
	t->name[i] = 0;
	if (ts_trace_text_put(fill, says->grid, at, &t->grid[i], err) || ts_trace_text_put(fill, says->block, at, &t->block[i], err))
		return err->status;
	t->n += t->grid[i] || t->block[i] || !isnan(says->occupancy) || !isnan(says->warps) || says->registers != TS_TRACE_NONE ||
		says->shared_bytes != TS_TRACE_NONE || says->graph != TS_TRACE_NONE || says->node != TS_TRACE_NONE;
	return TS_OK;
}

/* A call of ROCm says of the kernel that it launches what the kernel says of itself; its name is what stands there alone. */
static enum ts_status put_launched(struct ts_trace_fill *fill, struct ts_trace_kernels *t, uint32_t span,
				   const struct ts_trace_says_kernel *says, uint64_t at, struct ts_error *err)
{
	size_t i = t->n;

	t->span[i] = span;
	t->occupancy[i] = t->warps[i] = NAN;
	t->registers[i] = t->shared_bytes[i] = t->graph[i] = t->node[i] = TS_TRACE_NONE;
	t->grid[i] = t->block[i] = 0;
	if (ts_trace_text_put(fill, says->name, at, &t->name[i], err))
		return err->status;
	t->n += t->name[i] != 0;
	return TS_OK;
}

static enum ts_status put_collective(struct ts_trace_fill *fill, struct ts_trace_collectives *t, uint32_t span,
				     const struct ts_trace_says_collective *says, uint64_t at, struct ts_error *err)
{
	size_t i = t->n;

	t->span[i] = span;
	t->elements_in[i] = says->elements_in;
	t->elements_out[i] = says->elements_out;
	t->group_size[i] = says->group_size;
	t->sequence[i] = says->sequence;
	t->rank[i] = says->rank;
	t->source[i] = says->source;
	t->destination[i] = says->destination;
	if (ts_trace_text_put(fill, says->type, at, &t->type[i], err) || ts_trace_text_put(fill, says->ranks, at, &t->ranks[i], err) ||
	    ts_trace_text_put(fill, says->about, at, &t->about[i], err))
		return err->status;
	t->n += says->elements_in != TS_TRACE_NONE || says->elements_out != TS_TRACE_NONE || says->group_size != TS_TRACE_NONE ||
		says->sequence != TS_TRACE_NONE || says->rank != TS_TRACE_NONE || says->source != TS_TRACE_NONE ||
		says->destination != TS_TRACE_NONE || t->type[i] || t->ranks[i] || t->about[i];
	return TS_OK;
}

static enum ts_status put_sync(struct ts_trace_fill *fill, struct ts_trace_syncs *t, uint32_t span,
			       const struct ts_trace_says_sync *says, uint64_t at, struct ts_error *err)
{
	size_t i = t->n;
	int32_t on_stream = ts_trace_place_put(fill, says->on_stream, at);

	t->span[i] = span;
	t->on_stream[i] = on_stream == TS_TRACE_NO_DEVICE ? TS_TRACE_NONE : on_stream;
	t->event[i] = says->event;
	t->recorded_by[i] = says->recorded_by;
	if (ts_trace_text_put(fill, says->what, at, &t->what[i], err))
		return err->status;
	t->n += t->what[i] || says->on_stream != TS_TRACE_NONE || says->event != TS_TRACE_NONE || says->recorded_by != TS_TRACE_NONE;
	return TS_OK;
}

enum ts_status ts_trace_details_put(struct ts_trace_fill *fill, struct ts_trace_rows *rows, uint32_t span,
				    const struct ts_trace_event *e, uint64_t at, struct ts_error *err)
{
	if (e->says & TS_TRACE_SAYS_FRAME)
		put_frame(&rows->frames, span, &e->frames);
	if (e->says & TS_TRACE_SAYS_OPERATOR && put_operator(fill, &rows->operators, span, &e->operators, at, err))
		return err->status;
	/* Calls of ROCm have a grid, and operators of Triton, too. */
	if (e->says & TS_TRACE_SAYS_KERNEL && rows->spans.kind[span] == TS_TRACE_KERNEL &&
	    put_kernel(fill, &rows->kernels, span, &e->kernels, at, err))
		return err->status;
	if (e->says & TS_TRACE_SAYS_KERNEL && rows->spans.kind[span] == TS_TRACE_RUNTIME &&
	    put_launched(fill, &rows->kernels, span, &e->kernels, at, err))
		return err->status;
	if (e->says & TS_TRACE_SAYS_COLLECTIVE && put_collective(fill, &rows->collectives, span, &e->collectives, at, err))
		return err->status;
	if (e->says & TS_TRACE_SAYS_SYNC && put_sync(fill, &rows->syncs, span, &e->syncs, at, err))
		return err->status;
	return TS_OK;
}

#define COPY_CELL(type, column) to->column[to->n] = from->column[row];
#define COPY_ROW(table, member, columns)                                                                                               \
	static void copy_##member(struct table *to, uint32_t span, const struct table *from, uint32_t from_span)                       \
	{                                                                                                                              \
		size_t row = ts_trace_detail(from->span, from->n, from_span);                                                          \
                                                                                                                                       \
		if (row == SIZE_MAX)                                                                                                   \
			return;                                                                                                        \
		columns(COPY_CELL) to->span[to->n++] = span;                                                                           \
	}
TS_TRACE_DETAIL_TABLES(COPY_ROW)

void ts_trace_details_copy(struct ts_trace_rows *rows, uint32_t span, const struct ts_trace_rows *begun, uint32_t from)
{
#define COPY(table, member, columns) copy_##member(&rows->member, span, &begun->member, from);
	TS_TRACE_DETAIL_TABLES(COPY)
}
