/* memory_engine.c - the engine that keeps objects in memory, alone or laid over another store that it only reads. */
#include "store/memory_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"

#include <stdlib.h>

enum {
	CACHE_BYTES_MAX = 16 << 20,
	SLAB = 8 << 20,
	SLABS_FROM = 4 << 20, /* stored bytes from which on objects go into slabs: most stores are smaller than one */
	SLAB_OBJECT = 256 << 10,
};

struct ts_memory_cached {
	struct ts_span value;
	uint8_t bytes[];
};

enum ts_status ts_memory_base_has(struct ts_memory *m, const struct ts_id *ids, size_t n, bool *ret_present,
				  struct ts_error *err)
{
	if (!m->base) {
		for (size_t i = 0; i < n; i++)
			ret_present[i] = false;
		return TS_OK;
	}
	if (m->base->ops->has_many(m->base, ids, n, ret_present, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		bool added;

		if (ret_present[i] && ts_idmap_add(&m->base_known, &ids[i], &added, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status memory_has_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
				      struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	bool *present = ts_alloc_array(n ? n : 1, sizeof *present);
	int64_t now_ns = ts_now_real_ns();
	enum ts_status status;

	if (!present)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu ids", n);
	pthread_mutex_lock(&m->lock);
	status = ts_memory_base_has(m, ids, n, present, err);
	for (size_t i = 0; i < n && !status; i++) {
		struct ts_held *held = ts_idmap_get(&m->objects, &ids[i]);

		if (held && ts_lease_is_old(held->lease_ns, now_ns))
			held->lease_ns = now_ns;
		ret_present[i] = held || present[i];
	}
	pthread_mutex_unlock(&m->lock);
	ts_free(present);
	return status;
}

/* The caller holds the lock. */
static enum ts_status look(struct ts_memory *m, const struct ts_id *ids, size_t n, bool *ret_present, bool *ret_leased,
			   struct ts_error *err)
{
	int64_t now_ns = ts_now_real_ns();
	bool leased = true;

	for (size_t i = 0; i < n; i++)
		ret_present[i] = false;
	if (m->base && m->base->ops->look_many(m->base, ids, n, ret_present, &leased, err))
		return err->status;
	for (size_t i = 0; i < n && leased; i++) {
		const struct ts_held *held = ts_idmap_get(&m->objects, &ids[i]);

		leased = !held || !ts_lease_is_old(held->lease_ns, now_ns);
		ret_present[i] |= held != NULL;
	}
	*ret_leased = leased;
	return TS_OK;
}

static enum ts_status memory_look_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
				       bool *ret_leased, struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	enum ts_status status;

	/* The thread that holds the lock may be walking every object, or asking a base, which can take long. */
	if (pthread_mutex_trylock(&m->lock)) {
		*ret_leased = false;
		return TS_OK;
	}
	status = look(m, ids, n, ret_present, ret_leased, err);
	pthread_mutex_unlock(&m->lock);
	return status;
}

/* The base is asked for all at once, before the lock is taken, because it may have to ask a server. */
static enum ts_status memory_outline_many(struct ts_engine *e, const struct ts_id *ids, size_t n, struct ts_outline *ret_outlines,
					  struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);

	for (size_t i = 0; i < n && !m->base; i++)
		ret_outlines[i] = (struct ts_outline){0};
	if (m->base && m->base->ops->outline_many(m->base, ids, n, ret_outlines, err))
		return err->status;
	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < n; i++) {
		const struct ts_held *held = ts_idmap_get(&m->objects, &ids[i]);

		if (held)
			ret_outlines[i] = (struct ts_outline){.present = true,
							      .kind = held->sealed.kind,
							      .nrefs = held->sealed.nrefs,
							      .raw_len = held->sealed.raw_len};
	}
	pthread_mutex_unlock(&m->lock);
	return TS_OK;
}

static enum ts_status copy_sealed(const struct ts_held *held, struct ts_arena *arena, struct ts_sealed *ret,
				  struct ts_error *err)
{
	struct ts_sealed sealed = held->sealed;

	sealed.bytes.data = ts_arena_dup(arena, sealed.bytes.data, sealed.bytes.len);
	if (!sealed.bytes.data)
		return ts_arena_error(arena, err);
	*ret = sealed;
	return TS_OK;
}

static enum ts_status memory_get(struct ts_engine *e, const struct ts_id *id, struct ts_arena *arena,
				 struct ts_sealed *ret_sealed, struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	struct ts_held *held;
	enum ts_status status = TS_OK;

	pthread_mutex_lock(&m->lock);
	held = ts_idmap_get(&m->objects, id);
	if (held)
		status = copy_sealed(held, arena, ret_sealed, err);
	pthread_mutex_unlock(&m->lock);
	if (held)
		return status;
	if (m->base)
		return m->base->ops->get(m->base, id, arena, ret_sealed, err);
	return ts_no_object(id, err);
}

static void leave_slab(struct ts_memory *m)
{
	if (m->slab && m->slab->objects == 0)
		ts_free(m->slab);
	m->slab = NULL;
}

/* Gives room for an object in a slab. */
static struct ts_held *room_in_slab(struct ts_memory *m, size_t size)
{
	struct ts_held *held;

	size = (size + 15) & ~(size_t)15;
	if (m->slab && SLAB - sizeof *m->slab - m->slab->used < size)
		leave_slab(m);
	if (!m->slab) {
		m->slab = ts_alloc(SLAB);
		if (!m->slab)
			return NULL;
		m->slab->used = m->slab->objects = 0;
	}
	held = (struct ts_held *)(void *)(m->slab->bytes + m->slab->used);
	m->slab->used += size;
	m->slab->objects++;
	held->slab = m->slab;
	return held;
}

void ts_memory_let_go(struct ts_memory *m, struct ts_held *held)
{
	struct ts_slab *slab = held->slab;

	if (!slab)
		ts_free(held);
	else if (--slab->objects == 0) {
		slab->used = 0;
		if (slab != m->slab)
			ts_free(slab);
	}
}

static struct ts_held *room_for(struct ts_memory *m, size_t size)
{
	struct ts_held *held;

	if (m->stored_bytes >= SLABS_FROM && size <= SLAB_OBJECT)
		return room_in_slab(m, size);
	held = ts_alloc(size);
	if (held)
		held->slab = NULL;
	return held;
}

static struct ts_held *hold(struct ts_memory *m, const struct ts_sealed *sealed, int64_t now_ns)
{
	struct ts_held *held;
	size_t size;

	held = ts_size_add(sizeof *held, sealed->bytes.len, &size) ? room_for(m, size) : NULL;
	if (!held)
		return NULL;
	*held = (struct ts_held){.slab = held->slab, .sealed = *sealed, .lease_ns = now_ns};
	if (sealed->bytes.len)
		memcpy(held->bytes, sealed->bytes.data, sealed->bytes.len);
	held->sealed.bytes.data = held->bytes;
	return held;
}

/* Objects that were put before memory ran out stay: they are garbage until somebody commits them. */
static enum ts_status put_one(struct ts_memory *m, const struct ts_sealed *sealed, int64_t now_ns,
			      struct ts_put_stats *stats, struct ts_error *err)
{
	struct ts_held *held = ts_idmap_get(&m->objects, &sealed->id);

	if (held) {
		if (ts_lease_is_old(held->lease_ns, now_ns))
			held->lease_ns = now_ns;
		return TS_OK;
	}
	if (ts_idmap_reserve(&m->objects, 1, err))
		return err->status;
	held = hold(m, sealed, now_ns);
	if (!held)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for an object of %zu bytes",
				    sealed->bytes.len);
	ts_idmap_put(&m->objects, &sealed->id, held);
	m->stored_bytes += sealed->bytes.len;
	stats->new_objects++;
	stats->new_bytes += sealed->bytes.len;
	return TS_OK;
}

static enum ts_status memory_put_many(struct ts_engine *e, const struct ts_sealed *objects, size_t n,
				      struct ts_put_stats *ret_stats, struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	struct ts_put_stats stats = {.objects = n};
	int64_t now_ns = ts_now_real_ns();
	enum ts_status status = TS_OK;

	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < n && !status; i++)
		status = put_one(m, &objects[i], now_ns, &stats, err);
	pthread_mutex_unlock(&m->lock);
	if (!status && ret_stats)
		*ret_stats = stats;
	return status;
}

static int compare_ids(const void *a, const void *b)
{
	return ts_id_cmp(a, b);
}

/* Merges the ids of base (n_ids of them) with those of this engine, sorted, each once. */
static size_t merge_ids(struct ts_memory *m, uint8_t kind, const struct ts_id *first, const struct ts_id *last,
			struct ts_id *ids, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->objects.cap; i++) {
		struct ts_held *held = m->objects.slots[i].value;

		if (held && held->sealed.kind == kind && ts_id_cmp(&held->sealed.id, first) >= 0 &&
		    ts_id_cmp(&held->sealed.id, last) <= 0)
			ids[n++] = held->sealed.id;
	}
	if (n)
		qsort(ids, n, sizeof *ids, compare_ids);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || !ts_id_eq(&ids[kept - 1], &ids[i]))
			ids[kept++] = ids[i];
	return kept;
}

static enum ts_status memory_find_prefix(struct ts_engine *e, uint8_t kind, struct ts_span hex, size_t limit,
					 struct ts_arena *arena, struct ts_id **ret_ids, size_t *ret_n,
					 struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	struct ts_id *base_ids = NULL;
	struct ts_id first;
	struct ts_id last;
	struct ts_id *ids;
	size_t n_base = 0;
	size_t n;

	if (ts_prefix_range(hex, &first, &last, err))
		return err->status;
	if (m->base && m->base->ops->find_prefix(m->base, kind, hex, limit, arena, &base_ids, &n_base, err))
		return err->status;
	pthread_mutex_lock(&m->lock);
	ids = ts_arena_array(arena, m->objects.used + n_base, sizeof *ids);
	if (!ids) {
		pthread_mutex_unlock(&m->lock);
		return ts_arena_error(arena, err);
	}
	if (n_base)
		memcpy(ids, base_ids, n_base * sizeof *ids);
	n = merge_ids(m, kind, &first, &last, ids, n_base);
	pthread_mutex_unlock(&m->lock);
	*ret_ids = ids;
	*ret_n = n < limit ? n : limit;
	return TS_OK;
}

static enum ts_status memory_cache_get(struct ts_engine *e, struct ts_span key, struct ts_arena *arena,
				       struct ts_span *ret_value, struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	struct ts_memory_cached *cached;
	struct ts_span value = {0};
	struct ts_id id;

	ts_digest(key, &id);
	pthread_mutex_lock(&m->lock);
	cached = ts_idmap_get(&m->cache, &id);
	if (cached)
		value = ts_arena_span(arena, cached->value);
	pthread_mutex_unlock(&m->lock);
	if (!cached && m->base)
		return m->base->ops->cache_get(m->base, key, arena, ret_value, err);
	if (!cached)
		return ts_error_set(err, TS_NOT_FOUND, "not in the cache");
	if (!value.data)
		return ts_arena_error(arena, err);
	*ret_value = value;
	return TS_OK;
}

static void forget_cache(struct ts_memory *m)
{
	for (size_t i = 0; i < m->cache.cap; i++)
		ts_free(m->cache.slots[i].value);
	ts_idmap_finish(&m->cache);
	m->cache_bytes = 0;
}

static void memory_cache_put(struct ts_engine *e, struct ts_span key, struct ts_span value)
{
	struct ts_memory *m = ts_memory_of(e);
	struct ts_memory_cached *cached;
	struct ts_error ignored;
	struct ts_id id;

	if (value.len > CACHE_BYTES_MAX)
		return;
	cached = ts_alloc(sizeof *cached + value.len);
	if (!cached)
		return;
	if (value.len)
		memcpy(cached->bytes, value.data, value.len);
	cached->value = ts_span_of(cached->bytes, value.len);
	ts_digest(key, &id);
	pthread_mutex_lock(&m->lock);
	if (m->cache_bytes > CACHE_BYTES_MAX)
		forget_cache(m);
	if (ts_idmap_reserve(&m->cache, 1, &ignored)) {
		ts_free(cached);
	} else {
		ts_free(ts_idmap_get(&m->cache, &id));
		ts_idmap_put(&m->cache, &id, cached);
		m->cache_bytes += sizeof *cached + value.len;
	}
	pthread_mutex_unlock(&m->lock);
}

static enum ts_status memory_backup(struct ts_engine *e, const char *path, struct ts_error *err)
{
	(void)e;
	return ts_error_set(err, TS_UNSUPPORTED, "%s: a store in memory has no files that could be copied", path);
}

static enum ts_status memory_stats(struct ts_engine *e, struct ts_store_stats *ret_stats, struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	struct ts_store_stats stats = {0};

	(void)err;
	pthread_mutex_lock(&m->lock);
	stats.objects = m->objects.used;
	stats.stored_bytes = m->stored_bytes;
	for (size_t i = 0; i < m->n_names; i++)
		stats.refs += m->names[i]->moves != NULL;
	pthread_mutex_unlock(&m->lock);
	*ret_stats = stats;
	return TS_OK;
}

static void memory_destroy(struct ts_engine *e)
{
	struct ts_memory *m = ts_memory_of(e);

	for (size_t i = 0; i < m->objects.cap; i++)
		if (m->objects.slots[i].value)
			ts_memory_let_go(m, m->objects.slots[i].value);
	leave_slab(m);
	ts_idmap_finish(&m->objects);
	ts_idmap_finish(&m->base_known);
	forget_cache(m);
	ts_memory_extracts_forget(m);
	ts_memory_free_names(m);
	ts_memory_records_drop(m);
	pthread_mutex_destroy(&m->lock);
	ts_free(m);
}

static enum ts_status removed_list(struct ts_engine *e, const struct ts_removed_query *query, struct ts_arena *arena,
				   struct ts_removed_name **ret_names, size_t *ret_n, bool *ret_more, struct ts_error *err)
{
	(void)e, (void)query, (void)arena, (void)err;
	*ret_names = NULL;
	*ret_n = 0;
	*ret_more = false;
	return TS_OK;
}

static enum ts_status ref_restore(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_span as,
				  struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err)
{
	(void)e, (void)kind, (void)as, (void)arena, (void)ret_ref;
	return ts_error_set(err, TS_UNSUPPORTED, "%.*s: a store in memory keeps no removed names", TS_SPAN_ARG(name));
}

static enum ts_status upload_many(struct ts_engine *e, struct ts_span sender, const struct ts_sealed *objects, size_t n,
				  struct ts_put_stats *ret_stats, struct ts_error *err)
{
	(void)sender;
	return memory_put_many(e, objects, n, ret_stats, err);
}

static enum ts_status counts_nothing(struct ts_error *err)
{
	return ts_error_set(err, TS_UNSUPPORTED, "a store in memory does not count what projects use");
}

static enum ts_status usage_get(struct ts_engine *e, bool sender, struct ts_span name, uint64_t ret_used[TS_USES], bool *ret_counted,
				struct ts_error *err)
{
	(void)e, (void)sender, (void)name, (void)ret_used, (void)ret_counted;
	return counts_nothing(err);
}

static enum ts_status usage_list(struct ts_engine *e, struct ts_arena *arena, struct ts_account **ret_accounts, size_t *ret_n,
				 bool *ret_counted, struct ts_error *err)
{
	(void)e, (void)arena, (void)ret_accounts, (void)ret_n, (void)ret_counted;
	return counts_nothing(err);
}

static enum ts_status recount(struct ts_engine *e, struct ts_error *err)
{
	(void)e;
	return counts_nothing(err);
}

static enum ts_status vitals(struct ts_engine *e, struct ts_store_vitals *ret_vitals, struct ts_error *err)
{
	(void)e, (void)ret_vitals;
	return counts_nothing(err);
}

static const struct ts_engine_ops memory_ops = {
	.has_many = memory_has_many,
	.look_many = memory_look_many,
	.outline_many = memory_outline_many,
	.get = memory_get,
	.put_many = memory_put_many,
	.upload_many = upload_many,
	.usage_get = usage_get,
	.usage_list = usage_list,
	.recount = recount,
	.commit = ts_memory_commit,
	.ref_get = ts_memory_ref_get,
	.ref_list = ts_memory_ref_list,
	.ref_log = ts_memory_ref_log,
	.log_pruned = ts_memory_log_pruned,
	.retire = ts_memory_retire,
	.removed_list = removed_list,
	.ref_restore = ref_restore,
	.note_put = ts_memory_note_put,
	.note_list = ts_memory_note_list,
	.record_put = ts_memory_record_put,
	.record_get = ts_memory_record_get,
	.record_list = ts_memory_record_list,
	.extracts_put = ts_memory_extracts_put,
	.extract_get = ts_memory_extract_get,
	.extracts_walk = ts_memory_extracts_walk,
	.find_prefix = memory_find_prefix,
	.cache_get = memory_cache_get,
	.cache_put = memory_cache_put,
	.verify = ts_memory_verify,
	.sweep = ts_memory_sweep,
	.backup = memory_backup,
	.stats = memory_stats,
	.vitals = vitals,
	.destroy = memory_destroy,
};

enum ts_status ts_memory_open(struct ts_engine *base, struct ts_engine **ret_engine, struct ts_error *err)
{
	struct ts_memory *m = ts_alloc_array(1, sizeof *m);

	if (!m)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a store in memory");
	m->engine.ops = &memory_ops;
	m->base = base;
	pthread_mutex_init(&m->lock, NULL);
	*ret_engine = &m->engine;
	return TS_OK;
}
