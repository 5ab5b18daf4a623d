/* store_engine.c - the engine as a whole: its table of operations, statistics, and how it runs a write. */
#include "store/store_internal.h"

#include "base/alloc.h"

#include <assert.h>

enum ts_status ts_store_write_beside(struct ts_store *s, ts_write_fn *run, void *ctx, size_t bytes, struct ts_error *err)
{
	if (s->read_only)
		return ts_error_set(err, TS_DENIED, "%s is open for reading only", s->kv->where);
	return s->kv->ops->commit(s->kv, run, ctx, bytes, err);
}

struct admitted {
	const struct ts_store *store;
	ts_write_fn *run;
	void *ctx;
};

static enum ts_status run_admitted(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct admitted *a = ctx;

	return ts_mirrored_admit(a->store, ts_read_of(w), err) ? err->status : a->run(w, a->ctx, err);
}

enum ts_status ts_store_write(struct ts_store *s, ts_write_fn *run, void *ctx, size_t bytes, struct ts_error *err)
{
	struct admitted a = {s, run, ctx};

	return ts_store_write_beside(s, run_admitted, &a, bytes, err);
}

static enum ts_status store_stats(struct ts_engine *e, struct ts_store_stats *ret_stats, struct ts_error *err)
{
	struct ts_kv *kv = ts_kv_of(e);
	struct ts_store_stats stats;
	struct ts_read r;
	enum ts_status status;

	if (ts_read_begin(kv, &r, err))
		return err->status;
	status = ts_read_count(r, TS_DB_OBJECTS, &stats.objects, err);
	if (!status)
		status = ts_read_count(r, TS_DB_REFS, &stats.refs, err);
	if (!status)
		status = ts_read_u64(r, "stored", &stats.stored_bytes, err);
	stats.file_bytes = kv->ops->file_bytes ? kv->ops->file_bytes(r) : 0;
	ts_read_end(&r);
	if (!status)
		*ret_stats = stats;
	return status;
}

static enum ts_status count_unnamed(struct ts_read r, struct ts_store_vitals *vitals, struct ts_error *err)
{
	enum ts_status status;
	uint8_t sender = 's';
	struct ts_walk walk;
	bool found;

	if (ts_read_count(r, TS_DB_UNNAMED, &vitals->unnamed_objects, err))
		return err->status;
	for (status = ts_walk_open(&walk, r, TS_DB_USAGE, ts_span_of(&sender, 1), &found, err); !status && found;
	     status = ts_walk_on(&walk, &found, err)) {
		struct ts_account account;
		uint64_t key;

		if (ts_usage_parse(walk.key, walk.value, &account, &key))
			vitals->unnamed_bytes += account.used[TS_USE_UNNAMED];
	}
	ts_walk_end(&walk);
	return status;
}

static enum ts_status store_vitals(struct ts_engine *e, struct ts_store_vitals *ret_vitals, struct ts_error *err)
{
	struct ts_kv *kv = ts_kv_of(e);
	struct ts_kv_vitals below = {.readers = 0};
	struct ts_store_vitals vitals;
	enum ts_status status;
	struct ts_read r;

	if ((kv->ops->vitals && kv->ops->vitals(kv, &below, err)) || ts_read_begin(kv, &r, err))
		return err->status;
	vitals = (struct ts_store_vitals){
		.readers = below.readers,
		.reader_slots = below.reader_slots,
		.oldest_reader_s = below.oldest_reader_s,
		.gathers = below.gathers,
		.gather_failures = below.gather_failures,
		.asked_bytes = atomic_load(&kv->asked_bytes),
		.new_bytes = atomic_load(&kv->new_bytes),
	};
	status = count_unnamed(r, &vitals, err);
	ts_read_end(&r);
	if (!status)
		*ret_vitals = vitals;
	return status;
}

static enum ts_status store_backup(struct ts_engine *e, const char *path, struct ts_error *err)
{
	struct ts_kv *kv = ts_kv_of(e);

	return kv->ops->backup ? kv->ops->backup(kv, path, err)
			       : ts_error_set(err, TS_UNSUPPORTED, "%s: a store in memory has no files that could be copied", path);
}

/* ---- reads: what one finds damaged, nobody writes over ---- */

static enum ts_status told(struct ts_engine *e, enum ts_status status, const struct ts_error *err)
{
	struct ts_error sound;

	if (status == TS_DAMAGED && ts_kv_sound(ts_kv_of(e), false, &sound) == TS_OK)
		ts_kv_condemn(ts_kv_of(e), err->text);
	return status;
}

static enum ts_status store_get(struct ts_engine *e, const struct ts_id *id, struct ts_arena *arena, struct ts_sealed *ret_sealed,
				struct ts_error *err)
{
	return told(e, ts_store_get(e, id, arena, ret_sealed, err), err);
}

static enum ts_status store_ref_get(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
				    struct ts_ref *ret_ref, struct ts_error *err)
{
	return told(e, ts_store_ref_get(e, kind, name, arena, ret_ref, err), err);
}

static enum ts_status store_ref_list(struct ts_engine *e, const struct ts_ref_query *query, struct ts_arena *arena,
				     struct ts_ref **ret_refs, size_t *ret_n, struct ts_span *ret_next, struct ts_error *err)
{
	return told(e, ts_store_ref_list(e, query, arena, ret_refs, ret_n, ret_next, err), err);
}

static enum ts_status store_ref_log(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, size_t limit,
				    struct ts_arena *arena, struct ts_log_entry **ret_entries, size_t *ret_n, struct ts_error *err)
{
	return told(e, ts_store_ref_log(e, kind, name, limit, arena, ret_entries, ret_n, err), err);
}

static enum ts_status store_note_list(struct ts_engine *e, struct ts_span name, struct ts_arena *arena, struct ts_ref *ret_ref,
				      struct ts_note **ret_notes, size_t *ret_n, struct ts_error *err)
{
	return told(e, ts_store_note_list(e, name, arena, ret_ref, ret_notes, ret_n, err), err);
}

static enum ts_status store_note_log(struct ts_engine *e, struct ts_span name, struct ts_arena *arena, struct ts_note **ret_notes,
				     size_t *ret_n, struct ts_error *err)
{
	return told(e, ts_store_note_log(e, name, arena, ret_notes, ret_n, err), err);
}

static enum ts_status store_record_get(struct ts_engine *e, struct ts_span key, struct ts_arena *arena, struct ts_span *ret_value,
				       struct ts_error *err)
{
	return told(e, ts_store_record_get(e, key, arena, ret_value, err), err);
}

static enum ts_status store_sound(struct ts_engine *e, struct ts_error *err)
{
	return ts_kv_sound(ts_kv_of(e), false, err);
}

static void store_destroy(struct ts_engine *e)
{
	struct ts_store *s = ts_store_of(e);

	s->kv->ops->release(s->kv);
	ts_idmap_finish(&s->known);
	pthread_mutex_destroy(&s->known_lock);
	ts_buf_finish(&s->mirroring);
	ts_reached_finish(&s->reached);
	ts_free(s);
}

static const struct ts_engine_ops store_ops = {
	.has_many = ts_store_has_many,
	.look_many = ts_store_look_many,
	.outline_many = ts_store_outline_many,
	.get = store_get,
	.put_many = ts_store_put_many,
	.upload_many = ts_store_upload_many,
	.commit = ts_store_commit,
	.ref_get = store_ref_get,
	.ref_list = store_ref_list,
	.ref_log = store_ref_log,
	.log_pruned = ts_store_log_pruned,
	.retire = ts_store_retire,
	.removed_list = ts_store_removed_list,
	.ref_restore = ts_store_ref_restore,
	.note_put = ts_store_note_put,
	.note_list = store_note_list,
	.note_log = store_note_log,
	.extracts_put = ts_store_extracts_put,
	.extract_get = ts_store_extract_get,
	.extracts_walk = ts_store_extracts_walk,
	.record_put = ts_store_record_put,
	.record_get = store_record_get,
	.record_list = ts_store_record_list,
	.usage_get = ts_store_usage_get,
	.usage_list = ts_store_usage_list,
	.recount = ts_store_recount,
	.find_prefix = ts_store_find_prefix,
	.heads_find = ts_store_heads_find,
	.known_many = ts_store_known_many,
	.prove = ts_store_prove,
	.cache_get = ts_store_cache_get,
	.cache_put = ts_store_cache_put,
	.verify = ts_store_verify,
	.sweep = ts_store_sweep,
	.backup = store_backup,
	.mirror = ts_store_mirror,
	.sound = store_sound,
	.stats = store_stats,
	.vitals = store_vitals,
	.destroy = store_destroy,
};

enum ts_status ts_store_open(struct ts_kv *kv, const struct ts_store *as, struct ts_engine **ret_engine, struct ts_error *err)
{
	struct ts_store *s = ts_alloc_array(1, sizeof *s);

	if (!s) {
		kv->ops->release(kv);
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a store");
	}
	*s = *as;
	assert(!(s->below && s->depot) && kv->base == (s->below ? ts_kv_of(s->below) : NULL));
	s->engine.ops = &store_ops;
	s->kv = kv;
	pthread_mutex_init(&s->known_lock, NULL);
	ts_reached_init(&s->reached);
	*ret_engine = &s->engine;
	return TS_OK;
}
