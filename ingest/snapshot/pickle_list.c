/* pickle_list.c - what rows ask of a pickle: the items of its lists, lists of frames as stacks, and errors at the opcode. */
#include "ingest/snapshot/pickle.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

bool ts_pickle_fail(struct ts_pickle *p, enum ts_status status, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	ts_error_set(p->err, status, "%.*s: byte %" PRIu64 " of the pickle: %s", TS_SPAN_ARG(p->path), p->op_at, text);
	return false;
}

bool ts_pickle_fail_memory(struct ts_pickle *p)
{
	if (p->ration.failed == TS_TOO_LARGE)
		return ts_pickle_fail(p, TS_TOO_LARGE,
				      "its first %" PRIu64 " bytes would take more than %" PRIu64
				      " bytes of memory, which no snapshot does",
				      ts_pickle_offset(p), p->ration.held);
	return ts_pickle_fail(p, TS_NO_MEMORY, "out of memory");
}

uint64_t ts_pickle_offset(const struct ts_pickle *p)
{
	return p->window_at + (uint64_t)(p->at - p->window);
}

struct ts_pickle_value ts_pickle_item(const struct ts_pickle_object *o, uint32_t i)
{
	if (o->shape == TS_SHAPE_ROWS)
		return (struct ts_pickle_value){.kind = TS_VALUE_ROW, .row = o->row, .id = o->first + i};
	return o->items[i];
}

bool ts_pickle_are_frames(const struct ts_pickle_value *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (items[i].kind != TS_VALUE_FRAME)
			return false;
	return n > 0;
}

bool ts_pickle_stack_put(struct ts_pickle *p, const struct ts_pickle_value *items, size_t n, uint32_t *ret_stack)
{
	uint32_t *frames;

	p->scratch.n = 0;
	if (n > UINT32_MAX || !ts_vector_room(&p->ration, &p->scratch, sizeof *frames, n))
		return ts_pickle_fail_memory(p);
	frames = p->scratch.data;
	for (size_t i = 0; i < n; i++)
		frames[i] = items[i].id;
	*ret_stack = ts_intern_stack(&p->intern, frames, (uint32_t)n);
	return *ret_stack != TS_SNAPSHOT_NONE || ts_pickle_fail_memory(p);
}

/* Gives back the items of an object, which is shape `shape` of `first` from now on. */
static void fold(struct ts_pickle *p, struct ts_pickle_object *o, enum ts_pickle_shape shape, uint32_t first)
{
	ts_ration_give(&p->ration, o->cap * sizeof *o->items);
	ts_free(o->items);
	*o = (struct ts_pickle_object){.shape = (uint8_t)shape, .first = first, .taken = o->taken};
}

bool ts_pickle_stack_of(struct ts_pickle *p, struct ts_pickle_value value, bool *ret_frames, uint32_t *ret_stack)
{
	struct ts_pickle_object *o = value.kind == TS_VALUE_OBJECT ? ts_pickle_object_of(p, value.id) : NULL;
	uint32_t stack;

	*ret_stack = TS_SNAPSHOT_NONE;
	*ret_frames = value.kind == TS_VALUE_NONE;
	if (!o)
		return true;
	if ((o->shape == TS_SHAPE_LIST || o->shape == TS_SHAPE_TUPLE) && ts_pickle_are_frames(o->items, o->n)) {
		if (!ts_pickle_stack_put(p, o->items, o->n, &stack))
			return false;
		fold(p, o, TS_SHAPE_STACK, stack);
	}
	if (o->shape == TS_SHAPE_STACK)
		*ret_stack = o->first;
	*ret_frames = o->shape == TS_SHAPE_STACK || o->shape == TS_SHAPE_LIST_EMPTY || (o->shape == TS_SHAPE_TUPLE && !o->n);
	o->taken |= *ret_frames;
	return true;
}
