#include "cli/core/prefetch.h"

#include "base/bisect.h"
#include "base/order.h"
#include "proto/wire.h"

TS_ORDER(by_id, struct ts_sealed, TS_THEN(ts_id_cmp(&a->id, &b->id)))

struct coming {
	struct ts_prefetch *prefetch;
	const struct ts_id *ids;
	size_t n, came;
	struct ts_arena message;
};

/* Objects come in the order of the request. */
static enum ts_status take(void *ctx, struct ts_span message, struct ts_error *err)
{
	struct coming *c = ctx;
	struct ts_prefetch *prefetch = c->prefetch;
	struct ts_put_request reply;

	ts_arena_reset(&c->message);
	if (ts_wire_unpack_objects_reply(message, &c->message, &reply, err))
		return err->status;
	for (size_t i = 0; i < reply.n; i++) {
		struct ts_sealed *kept = &prefetch->objects[prefetch->n];

		if (c->came == c->n || !ts_id_eq(&reply.objects[i].id, &c->ids[c->came++]))
			return ts_error_set(err, TS_DAMAGED, "the server sent another object than the one that was asked for");
		if (prefetch->arena.used + reply.objects[i].bytes.len > TS_REMOTE_CACHE)
			continue;
		*kept = reply.objects[i];
		kept->bytes = ts_arena_span(&prefetch->arena, kept->bytes);
		if (!kept->bytes.data)
			return ts_arena_error(&prefetch->arena, err);
		prefetch->n++;
	}
	return TS_OK;
}

static enum ts_status ask(struct coming *c, struct ts_channel *ch, struct ts_error *err)
{
	struct ts_objects_request in = {.n = c->n, .heads = ch->heads, .n_heads = ts_channel_heads(ch), .codecs = TS_SEALED_CODECS};
	struct ts_buf packed = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status;

	in.ids = ts_arena_dup(&c->prefetch->arena, c->ids, c->n * sizeof *c->ids);
	c->prefetch->objects = ts_arena_array(&c->prefetch->arena, c->n, sizeof *c->prefetch->objects);
	if (!in.ids || !c->prefetch->objects)
		return ts_arena_error(&c->prefetch->arena, err);
	status = ts_wire_pack_objects_request(&in, &packed, err);
	if (!status)
		status = ch->ops->download(ch, "GetObjects", ts_buf_view(&packed), take, c, err);
	ts_buf_finish(&packed);
	return status;
}

enum ts_status ts_prefetch_ask(struct ts_prefetch *prefetch, struct ts_channel *ch, const struct ts_id *ids, size_t n,
			       struct ts_error *err)
{
	struct coming c = {.prefetch = prefetch, .ids = ids, .n = n < TS_IDS_MAX ? n : TS_IDS_MAX};
	enum ts_status status;

	ts_prefetch_finish(prefetch);
	if (!n)
		return TS_OK;
	ts_arena_init(&prefetch->arena, 0);
	ts_arena_init(&c.message, TS_CALL_ARENA);
	status = ask(&c, ch, err);
	ts_arena_finish(&c.message);
	if (status)
		ts_prefetch_finish(prefetch);
	else
		TS_SORT(prefetch->objects, prefetch->n, by_id);
	return status;
}

enum ts_status ts_prefetch_get(const struct ts_prefetch *prefetch, const struct ts_id *id, struct ts_arena *arena,
			       struct ts_span *ret_object, struct ts_error *err)
{
	size_t at = 0;
	bool found;

	*ret_object = ts_span_of(NULL, 0);
	TS_SEEK(at, prefetch->n, i, ts_id_cmp(&prefetch->objects[i].id, id), found);
	if (!found)
		return TS_OK;
	if (ts_sealed_verify(&prefetch->objects[at], arena, ret_object, err))
		return err->status;
	/* The next ask would take away what is not compressed, and so lies here. */
	if (ret_object->data == prefetch->objects[at].bytes.data)
		*ret_object = ts_arena_span(arena, *ret_object);
	return ret_object->data ? TS_OK : ts_arena_error(arena, err);
}

void ts_prefetch_finish(struct ts_prefetch *prefetch)
{
	ts_arena_finish(&prefetch->arena);
	*prefetch = (struct ts_prefetch){.n = 0};
}
