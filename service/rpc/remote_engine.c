#include "service/rpc/remote_engine.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "proto/wire.h"

#include <pthread.h>

enum { SLOTS = 4096 }; /* number of chains of the cache; ids are evenly distributed by themselves */

struct cached {
	struct cached *next;
	struct ts_sealed sealed;
};

struct remote {
	struct ts_engine base;
	struct ts_channel *channel;
	pthread_mutex_t mutex;
	struct ts_arena kept; /* only for cached objects */
	struct cached *slots[SLOTS];
};

/* ---- cache; the caller holds the mutex ---- */

static struct cached **slot_of(struct remote *remote, const struct ts_id *id)
{
	return &remote->slots[(id->bytes[0] | (size_t)id->bytes[1] << 8) % SLOTS];
}

static const struct ts_sealed *find(struct remote *remote, const struct ts_id *id)
{
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
	struct ts_objects_request wanted = {.n = 1, .heads = remote->channel->heads, .n_heads = ts_channel_heads(remote->channel)};
	enum ts_status status;

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

/* ---- the engine ---- */

static enum ts_status remote_get(struct ts_engine *e, const struct ts_id *id, struct ts_arena *arena,
				 struct ts_sealed *ret_sealed, struct ts_error *err)
{
	struct remote *remote = (struct remote *)e;
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

static enum ts_status remote_has_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
				      struct ts_error *err)
{
	struct remote *remote = (struct remote *)e;
	enum ts_status status = TS_OK;

	pthread_mutex_lock(&remote->mutex);
	for (size_t at = 0; at < n && !status; at += TS_IDS_MAX) {
		size_t some = n - at < TS_IDS_MAX ? n - at : TS_IDS_MAX;

		status = ask_some(remote, ids + at, some, ret_present + at, err);
	}
	pthread_mutex_unlock(&remote->mutex);
	return status;
}

/* Every answer needs the network, so nothing is known at once. */
static enum ts_status remote_look_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
				       bool *ret_leased, struct ts_error *err)
{
	(void)e, (void)ids, (void)n, (void)ret_present, (void)err;
	*ret_leased = false;
	return TS_OK;
}

/* The wire has no method for this: an object is fetched, and kept for who asks for it next. */
static enum ts_status remote_outline_many(struct ts_engine *e, const struct ts_id *ids, size_t n, struct ts_outline *ret_outlines,
					  struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_arena arena;

	ts_arena_init(&arena, TS_CALL_ARENA);
	for (size_t i = 0; i < n && !status; i++) {
		struct ts_sealed sealed;

		ts_arena_reset(&arena);
		status = remote_get(e, &ids[i], &arena, &sealed, err);
		ret_outlines[i] = (struct ts_outline){0};
		if (!status)
			ret_outlines[i] = (struct ts_outline){
				.present = true, .kind = sealed.kind, .nrefs = sealed.nrefs, .raw_len = sealed.raw_len};
		if (status == TS_NOT_FOUND || status == TS_DAMAGED)
			status = TS_OK;
	}
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status no(struct ts_engine *e, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_UNSUPPORTED, "%s is not possible on the objects of %s", what,
			    ((struct remote *)e)->channel->where);
}

static enum ts_status remote_put_many(struct ts_engine *e, const struct ts_sealed *objects, size_t n,
				      struct ts_put_stats *ret_stats, struct ts_error *err)
{
	(void)objects, (void)n, (void)ret_stats;
	return no(e, "writing", err);
}

static enum ts_status remote_upload_many(struct ts_engine *e, struct ts_span sender, const struct ts_sealed *objects, size_t n,
					 struct ts_put_stats *ret_stats, struct ts_error *err)
{
	(void)sender, (void)objects, (void)n, (void)ret_stats;
	return no(e, "writing", err);
}

static enum ts_status remote_usage_get(struct ts_engine *e, bool sender, struct ts_span name, uint64_t ret_used[TS_USES],
				       bool *ret_counted, struct ts_error *err)
{
	(void)sender, (void)name, (void)ret_used, (void)ret_counted;
	return no(e, "counting", err);
}

static enum ts_status remote_usage_list(struct ts_engine *e, struct ts_arena *arena, struct ts_account **ret_accounts, size_t *ret_n,
					bool *ret_counted, struct ts_error *err)
{
	(void)arena, (void)ret_accounts, (void)ret_n, (void)ret_counted;
	return no(e, "counting", err);
}

static enum ts_status remote_recount(struct ts_engine *e, struct ts_error *err)
{
	return no(e, "counting", err);
}

static enum ts_status remote_vitals(struct ts_engine *e, struct ts_store_vitals *ret_vitals, struct ts_error *err)
{
	(void)ret_vitals;
	return no(e, "counting", err);
}

static enum ts_status remote_commit(struct ts_engine *e, const struct ts_ref_update *updates, size_t n, struct ts_arena *arena,
				    struct ts_ref *ret_ref, struct ts_error *err)
{
	(void)updates, (void)n, (void)arena, (void)ret_ref;
	return no(e, "moving a name", err);
}

static enum ts_status remote_ref_get(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
				     struct ts_ref *ret_ref, struct ts_error *err)
{
	(void)kind, (void)name, (void)arena, (void)ret_ref;
	return no(e, "looking up a name", err);
}

/* There are none: no name of the server points at objects that only an overlay has, and the server itself answers for
 * the others. */
static enum ts_status remote_ref_list(struct ts_engine *e, const struct ts_ref_query *query, struct ts_arena *arena,
				      struct ts_ref **ret_refs, size_t *ret_n, struct ts_span *ret_next, struct ts_error *err)
{
	(void)e, (void)query, (void)arena, (void)err;
	*ret_refs = NULL;
	*ret_n = 0;
	*ret_next = ts_span_of(NULL, 0);
	return TS_OK;
}

static enum ts_status remote_ref_log(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, size_t limit,
				     struct ts_arena *arena, struct ts_log_entry **ret_entries, size_t *ret_n,
				     struct ts_error *err)
{
	(void)kind, (void)name, (void)limit, (void)arena, (void)ret_entries, (void)ret_n;
	return no(e, "reading the log of a name", err);
}

static enum ts_status remote_note_put(struct ts_engine *e, struct ts_span name, const struct ts_note *note,
				      struct ts_error *err)
{
	(void)name, (void)note;
	return no(e, "writing a note", err);
}

static enum ts_status remote_note_list(struct ts_engine *e, struct ts_span name, struct ts_arena *arena,
				       struct ts_note **ret_notes, size_t *ret_n, struct ts_error *err)
{
	(void)name, (void)arena, (void)ret_notes, (void)ret_n;
	return no(e, "reading notes", err);
}

static enum ts_status remote_record_put(struct ts_engine *e, const struct ts_record *record, struct ts_error *err)
{
	(void)record;
	return no(e, "writing a record", err);
}

static enum ts_status remote_record_get(struct ts_engine *e, struct ts_span key, struct ts_arena *arena, struct ts_span *ret_value,
					struct ts_error *err)
{
	(void)key, (void)arena, (void)ret_value;
	return no(e, "reading a record", err);
}

static enum ts_status remote_record_list(struct ts_engine *e, struct ts_span prefix, struct ts_arena *arena,
					 struct ts_record **ret_records, size_t *ret_n, struct ts_error *err)
{
	(void)prefix, (void)arena, (void)ret_records, (void)ret_n;
	return no(e, "listing records", err);
}

static enum ts_status remote_extracts_put(struct ts_engine *e, const struct ts_extracts *runs, size_t n, struct ts_error *err)
{
	(void)runs, (void)n;
	return no(e, "keeping extracts", err);
}

static enum ts_status remote_extract_get(struct ts_engine *e, const struct ts_extract_key *key, const struct ts_id *id,
					struct ts_arena *arena, struct ts_span *ret_value, struct ts_error *err)
{
	(void)e, (void)key, (void)id, (void)arena, (void)ret_value;
	return ts_error_set(err, TS_NOT_FOUND, "no extracts are known here");
}

/* There are none, as there are no names. */
static enum ts_status remote_extracts_walk(struct ts_engine *e, const struct ts_extract_key *key, ts_extract_visit *visit, void *ctx,
					  struct ts_error *err)
{
	(void)e, (void)key, (void)visit, (void)ctx, (void)err;
	return TS_OK;
}

/* Only whole ids are found, because a server can be asked only about those. */
static enum ts_status remote_find_prefix(struct ts_engine *e, uint8_t kind, struct ts_span hex, size_t limit,
					 struct ts_arena *arena, struct ts_id **ret_ids, size_t *ret_n, struct ts_error *err)
{
	struct ts_id *id = ts_arena_alloc(arena, sizeof *id);
	bool present;

	(void)kind;
	if (!id)
		return ts_arena_error(arena, err);
	if (limit == 0 || !ts_id_parse(hex, id))
		return no(e, "looking for a part of an id", err);
	if (remote_has_many(e, id, 1, &present, err))
		return err->status;
	*ret_ids = id;
	*ret_n = present;
	return TS_OK;
}

static enum ts_status remote_cache_get(struct ts_engine *e, struct ts_span key, struct ts_arena *arena,
				       struct ts_span *ret_value, struct ts_error *err)
{
	(void)e, (void)key, (void)arena, (void)ret_value;
	return ts_error_set(err, TS_NOT_FOUND, "not cached");
}

static void remote_cache_put(struct ts_engine *e, struct ts_span key, struct ts_span value)
{
	(void)e, (void)key, (void)value;
}

static enum ts_status remote_verify(struct ts_engine *e, bool (*progress)(void *ctx, uint64_t done, uint64_t total), void *ctx,
				    struct ts_arena *arena, struct ts_verify_report *ret_report, struct ts_error *err)
{
	(void)progress, (void)ctx, (void)arena, (void)ret_report;
	return no(e, "verifying", err);
}

static enum ts_status remote_removed_list(struct ts_engine *e, const struct ts_removed_query *query, struct ts_arena *arena,
					  struct ts_removed_name **ret_names, size_t *ret_n, bool *ret_more, struct ts_error *err)
{
	(void)query, (void)arena, (void)ret_names, (void)ret_n, (void)ret_more;
	return no(e, "listing removed names", err);
}

static enum ts_status remote_log_pruned(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
					struct ts_pruned *ret_pruned, struct ts_error *err)
{
	(void)kind, (void)name, (void)arena, (void)ret_pruned;
	return no(e, "reading the log of a name", err);
}

static enum ts_status remote_retire(struct ts_engine *e, const struct ts_retire *retire, enum ts_retire_outcome *ret_outcomes,
				    struct ts_error *err)
{
	(void)retire, (void)ret_outcomes;
	return no(e, "retiring names", err);
}

static enum ts_status remote_ref_restore(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_span as,
					 struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err)
{
	(void)kind, (void)name, (void)as, (void)arena, (void)ret_ref;
	return no(e, "restoring a name", err);
}

static enum ts_status remote_sweep(struct ts_engine *e, const struct ts_sweep_options *options, struct ts_sweep_report *ret_report,
				   struct ts_error *err)
{
	(void)options, (void)ret_report;
	return no(e, "collecting garbage", err);
}

static enum ts_status remote_backup(struct ts_engine *e, const char *path, struct ts_error *err)
{
	(void)path;
	return no(e, "a backup", err);
}

static enum ts_status remote_stats(struct ts_engine *e, struct ts_store_stats *ret_stats, struct ts_error *err)
{
	(void)ret_stats;
	return no(e, "counting", err);
}

static void remote_destroy(struct ts_engine *e)
{
	struct remote *remote = (struct remote *)e;

	ts_arena_finish(&remote->kept);
	pthread_mutex_destroy(&remote->mutex);
	ts_free(remote);
}

static const struct ts_engine_ops remote_ops = {
	.has_many = remote_has_many,
	.look_many = remote_look_many,
	.outline_many = remote_outline_many,
	.get = remote_get,
	.put_many = remote_put_many,
	.upload_many = remote_upload_many,
	.usage_get = remote_usage_get,
	.usage_list = remote_usage_list,
	.recount = remote_recount,
	.commit = remote_commit,
	.ref_get = remote_ref_get,
	.ref_list = remote_ref_list,
	.ref_log = remote_ref_log,
	.log_pruned = remote_log_pruned,
	.retire = remote_retire,
	.removed_list = remote_removed_list,
	.ref_restore = remote_ref_restore,
	.note_put = remote_note_put,
	.note_list = remote_note_list,
	.record_put = remote_record_put,
	.record_get = remote_record_get,
	.record_list = remote_record_list,
	.extracts_put = remote_extracts_put,
	.extract_get = remote_extract_get,
	.extracts_walk = remote_extracts_walk,
	.find_prefix = remote_find_prefix,
	.cache_get = remote_cache_get,
	.cache_put = remote_cache_put,
	.verify = remote_verify,
	.sweep = remote_sweep,
	.backup = remote_backup,
	.stats = remote_stats,
	.vitals = remote_vitals,
	.destroy = remote_destroy,
};

enum ts_status ts_remote_engine_open(struct ts_channel *channel, struct ts_engine **ret_engine, struct ts_error *err)
{
	struct remote *remote = ts_alloc_array(1, sizeof *remote);

	if (!remote)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for an engine");
	remote->base.ops = &remote_ops;
	remote->channel = channel;
	ts_arena_init(&remote->kept, 0);
	pthread_mutex_init(&remote->mutex, NULL);
	*ret_engine = &remote->base;
	return TS_OK;
}
