#include "service/rpc/remote_depot.h"

#include "base/alloc.h"
#include "base/held.h"
#include "base/limits.h"
#include "proto/wire.h"

#include <pthread.h>

enum { SLOTS = 4096 }; /* number of chains of the cache; ids are evenly distributed by themselves */

struct cached {
	struct cached *next;
	struct ts_sealed sealed;
};

struct remote {
	struct ts_depot depot; /* must be first */
	struct ts_channel *channel;
	pthread_mutex_t mutex;
	struct ts_arena kept; /* only for cached objects */
	struct cached *slots[SLOTS];
};

/* ---- cache; the caller holds the mutex ---- */

static struct cached **slot_of(struct remote *remote, const struct ts_id *id)
{
	TS_DOOR_HELD(&remote->mutex);
	return &remote->slots[(id->bytes[0] | (size_t)id->bytes[1] << 8) % SLOTS];
}

static const struct ts_sealed *find(struct remote *remote, const struct ts_id *id)
{
	TS_DOOR_HELD(&remote->mutex);
	for (struct cached *at = *slot_of(remote, id); at; at = at->next) {
		if (ts_id_eq(&at->sealed.id, id))
			return &at->sealed;
	}
	return NULL;
}

static void forget_all(struct remote *remote)
{
	memset(remote->slots, 0, sizeof remote->slots);
	ts_arena_reset(&remote->kept);
}

static enum ts_status keep(struct remote *remote, const struct ts_sealed *sealed, struct ts_error *err)
{
	struct cached **slot = slot_of(remote, &sealed->id);
	struct cached *entry = ts_arena_alloc(&remote->kept, sizeof *entry);

	TS_DOOR_HELD(&remote->mutex);
	if (!entry)
		return ts_arena_error(&remote->kept, err);
	*entry = (struct cached){.next = *slot, .sealed = *sealed};
	entry->sealed.bytes = ts_arena_span(&remote->kept, sealed->bytes);
	if (!entry->sealed.bytes.data)
		return ts_arena_error(&remote->kept, err);
	*slot = entry;
	return TS_OK;
}

/* ---- fetching ---- */

struct fetch {
	struct remote *remote;
	const struct ts_id *id;
	bool done;
	struct ts_arena arena; /* for one message */
};

/* The object is checked against its id. */
static enum ts_status on_objects(void *ctx, struct ts_span message, struct ts_error *err)
{
	struct fetch *fetch = ctx;
	struct ts_put_request reply;

	ts_arena_reset(&fetch->arena);
	if (ts_wire_unpack_objects_reply(message, &fetch->arena, &reply, err))
		return err->status;
	for (size_t i = 0; i < reply.n; i++) {
		struct ts_span object;

		if (fetch->done || !ts_id_eq(&reply.objects[i].id, fetch->id))
			return ts_error_set(err, TS_DAMAGED, "%s sent an object that was not asked for",
					    fetch->remote->channel->where);
		if (ts_sealed_verify(&reply.objects[i], &fetch->arena, &object, err) ||
		    keep(fetch->remote, &reply.objects[i], err))
			return err->status;
		fetch->done = true;
	}
	return TS_OK;
}

/* The caller holds the mutex. The id is not in the cache. */
static enum ts_status fetch_one(struct remote *remote, const struct ts_id *id, struct ts_error *err)
{
	struct fetch fetch = {.remote = remote, .id = id};
	struct ts_buf request = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_objects_request wanted = {.n = 1, .heads = remote->channel->heads, .n_heads = ts_channel_heads(remote->channel),
					    .codecs = TS_SEALED_CODECS};
	enum ts_status status;

	TS_DOOR_HELD(&remote->mutex);
	wanted.ids = (struct ts_id *)(uintptr_t)id; /* only read */
	ts_arena_init(&fetch.arena, TS_CALL_ARENA);
	status = ts_wire_pack_objects_request(&wanted, &request, err);
	if (!status)
		status = remote->channel->ops->download(remote->channel, "GetObjects", ts_buf_view(&request), on_objects,
							&fetch, err);
	if (!status && !fetch.done)
		status = ts_error_set(err, TS_DAMAGED, "%s ended before the object was sent", remote->channel->where);
	ts_arena_finish(&fetch.arena);
	ts_buf_finish(&request);
	return status;
}

/* ---- the depot ---- */

static enum ts_status remote_get(struct ts_depot *depot, const struct ts_id *id, struct ts_arena *arena,
				 struct ts_sealed *ret_sealed, struct ts_error *err)
{
	struct remote *remote = (struct remote *)(void *)depot;
	const struct ts_sealed *sealed;
	enum ts_status status = TS_OK;
	struct ts_sealed out;

	pthread_mutex_lock(&remote->mutex);
	sealed = find(remote, id);
	if (!sealed) {
		if (remote->kept.used > TS_REMOTE_CACHE)
			forget_all(remote);
		status = fetch_one(remote, id, err);
		sealed = status ? NULL : find(remote, id);
	}
	if (!status) {
		out = *sealed;
		out.bytes = ts_arena_span(arena, sealed->bytes);
		status = out.bytes.data ? TS_OK : ts_arena_error(arena, err);
	}
	pthread_mutex_unlock(&remote->mutex);
	if (!status)
		*ret_sealed = out;
	return status;
}

/* The caller holds the mutex. Finds which of at most TS_IDS_MAX ids are present. The reply lists the missing ones in
 * the order of the request. */
static enum ts_status ask_some(struct remote *remote, const struct ts_id *ids, size_t n, bool *ret_present,
			       struct ts_error *err)
{
	struct ts_buf request = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_has_request question = {.n = n};
	struct ts_has_reply reply;
	struct ts_span bytes;
	struct ts_arena arena;
	enum ts_status status;
	size_t at = 0;

	TS_DOOR_HELD(&remote->mutex);
	question.ids = (struct ts_id *)(uintptr_t)ids;
	ts_arena_init(&arena, TS_CALL_ARENA);
	status = ts_wire_pack_has_request(&question, &request, err);
	if (!status)
		status = remote->channel->ops->call(remote->channel, "HasObjects", ts_buf_view(&request), &arena, &bytes, err);
	if (!status)
		status = ts_wire_unpack_has_reply(bytes, &arena, &reply, err);
	for (size_t i = 0; i < n && !status; i++) {
		ret_present[i] = at == reply.n || !ts_id_eq(&ids[i], &reply.missing[at]);
		at += !ret_present[i];
	}
	if (!status && at < reply.n)
		status = ts_error_set(err, TS_DAMAGED, "%s lacks an object that was not asked for", remote->channel->where);
	ts_arena_finish(&arena);
	ts_buf_finish(&request);
	return status;
}

static enum ts_status remote_has_many(struct ts_depot *depot, const struct ts_id *ids, size_t n, bool *ret_present,
				      struct ts_error *err)
{
	struct remote *remote = (struct remote *)(void *)depot;
	enum ts_status status = TS_OK;

	pthread_mutex_lock(&remote->mutex);
	for (size_t at = 0; at < n && !status; at += TS_IDS_MAX) {
		size_t some = n - at < TS_IDS_MAX ? n - at : TS_IDS_MAX;

		status = ask_some(remote, ids + at, some, ret_present + at, err);
	}
	pthread_mutex_unlock(&remote->mutex);
	return status;
}

static void remote_destroy(struct ts_depot *depot)
{
	struct remote *remote = (struct remote *)(void *)depot;

	ts_arena_finish(&remote->kept);
	pthread_mutex_destroy(&remote->mutex);
	ts_free(remote);
}

enum ts_status ts_remote_depot_open(struct ts_channel *channel, struct ts_depot **ret_depot, struct ts_error *err)
{
	static const struct ts_depot_ops remote_ops = {.has_many = remote_has_many, .get = remote_get, .destroy = remote_destroy};
	struct remote *remote = ts_alloc_array(1, sizeof *remote);

	if (!remote)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for what a server has");
	remote->depot = (struct ts_depot){.ops = &remote_ops, .where = channel->where};
	remote->channel = channel;
	ts_arena_init(&remote->kept, 0);
	pthread_mutex_init(&remote->mutex, NULL);
	*ret_depot = &remote->depot;
	return TS_OK;
}
