#include "run/payload.h"

#include "base/alloc.h"

enum ts_status ts_payload_open(struct ts_span object, enum ts_kind kind, enum ts_layout layout,
			       struct ts_object *ret_frame, struct ts_error *err)
{
	struct ts_object frame;

	if (ts_object_parse(object, &frame, err))
		return err->status;
	if (frame.kind != kind)
		return ts_error_set(err, TS_DAMAGED, "byte 4: an object of kind %u where kind %d is due", frame.kind,
				    (int)kind);
	if (frame.version != TS_FORMAT_VERSION)
		return ts_error_set(err, TS_UNSUPPORTED,
				    "an object of kind %u in format version %u; this build reads %d", frame.kind,
				    frame.version, TS_FORMAT_VERSION);
	if (frame.layout != layout)
		return ts_error_set(err, TS_DAMAGED, "byte 6: layout %u where %d is due", frame.layout, (int)layout);
	*ret_frame = frame;
	return TS_OK;
}

struct ts_payload ts_payload_of(const struct ts_object *frame)
{
	return (struct ts_payload){.c = ts_cursor_of(frame->payload), .frame = *frame};
}

size_t ts_payload_at(const struct ts_payload *p)
{
	return TS_OBJECT_HEADER + (size_t)p->frame.nrefs * TS_ID_BYTES + p->c.at;
}

bool ts_payload_ref(struct ts_payload *p, struct ts_id *ret_id)
{
	if (p->c.failed || p->refs_used == p->frame.nrefs) {
		p->c.failed = true;
		return false;
	}
	*ret_id = ts_object_ref(&p->frame, p->refs_used++);
	return true;
}

enum ts_status ts_payload_end(const struct ts_payload *p, struct ts_error *err)
{
	if (p->c.failed)
		return ts_error_set(err, TS_DAMAGED, "byte %zu: the object ends too early", ts_payload_at(p));
	if (ts_cursor_left(&p->c))
		return ts_error_set(err, TS_DAMAGED, "byte %zu: %zu bytes too many", ts_payload_at(p),
				    ts_cursor_left(&p->c));
	if (p->refs_used != p->frame.nrefs)
		return ts_error_set(err, TS_DAMAGED, "byte 8: %u references, %u used", p->frame.nrefs, p->refs_used);
	return TS_OK;
}

static size_t room_of(size_t n)
{
	size_t room = 1;

	while (room < n && room <= SIZE_MAX / 2)
		room *= 2;
	return n ? room : 0;
}

void *ts_arena_more(struct ts_arena *arena, void *items, size_t n, size_t more, size_t size)
{
	size_t need;
	void *grown;

	if (!ts_size_add(n, more, &need))
		return NULL;
	if (items && need <= room_of(n))
		return items;
	grown = ts_arena_array(arena, room_of(need), size);
	if (grown && n)
		memcpy(grown, items, n * size);
	return grown;
}
