/* store_cache.c - keeps results that can be computed again: values that may be lost at any time.
 *
 * Values wait in memory for the next transaction that commits anyway, or for the end of the process; none of this may fail a caller.
 * All that waits is forgotten when it has grown large.
 */
#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/held.h"

#include <assert.h>

enum { WAITING_MAX = 16 << 20 };

void ts_spare_drop(struct ts_idmap *waiting)
{
	for (size_t i = 0; i < waiting->n; i++)
		ts_free(waiting->items[i].value);
	ts_idmap_finish(waiting);
}

void ts_spare_take(struct ts_spare *spare, struct ts_idmap *ret)
{
	pthread_mutex_lock(&spare->lock);
	*ret = spare->waiting;
	spare->waiting = (struct ts_idmap){.n = 0};
	spare->bytes = 0;
	pthread_mutex_unlock(&spare->lock);
}

/* Returns what is to be freed: the value that was there, or the new one where there is no memory. */
static struct ts_spare_value *place(struct ts_spare *spare, const struct ts_id *id, struct ts_spare_value *made)
{
	struct ts_spare_value *old;
	struct ts_error ignored;

	TS_DOOR_HELD(&spare->lock);
	assert(made->len >= 4); /* its checksum */
	if (spare->bytes > WAITING_MAX) {
		ts_spare_drop(&spare->waiting);
		spare->bytes = 0;
	}
	old = ts_idmap_get(&spare->waiting, id);
	if (ts_idmap_put(&spare->waiting, id, made, &ignored))
		return made;
	spare->bytes += sizeof *made + made->len;
	return old;
}

void ts_spare_give(struct ts_spare *spare, struct ts_idmap *waiting)
{
	pthread_mutex_lock(&spare->lock);
	for (size_t i = 0; i < waiting->n; i++)
		ts_free(place(spare, &waiting->items[i].id, waiting->items[i].value));
	pthread_mutex_unlock(&spare->lock);
	ts_idmap_finish(waiting);
}

void ts_store_cache_put(struct ts_engine *e, struct ts_span key, struct ts_span value)
{
	struct ts_store *s = ts_store_of(e);
	struct ts_spare *spare = &s->kv->spare;
	struct ts_spare_value *made;
	struct ts_error full;
	struct ts_buf buf;
	struct ts_id id;

	if (s->read_only || value.len > WAITING_MAX || ts_kv_room(s->kv, &full))
		return;
	made = ts_alloc(sizeof *made + value.len + 4);
	if (!made)
		return;
	ts_digest(key, &id);
	buf = (struct ts_buf){.data = made->bytes, .cap = value.len + 4, .ceiling = value.len + 4};
	ts_buf_span(&buf, value);
	ts_check_append(&buf, ts_id_span(&id));
	made->len = buf.len;
	pthread_mutex_lock(&spare->lock);
	made = place(spare, &id, made);
	pthread_mutex_unlock(&spare->lock);
	ts_free(made);
}

/* *ret_found says whether the value waits here to be written. */
static enum ts_status get_waiting(struct ts_spare *spare, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret,
				  bool *ret_found, struct ts_error *err)
{
	const struct ts_spare_value *found;
	struct ts_span value = {0};

	pthread_mutex_lock(&spare->lock);
	found = ts_idmap_get(&spare->waiting, id);
	if (found)
		value = ts_arena_span(arena, ts_span_of(found->bytes, found->len - 4));
	pthread_mutex_unlock(&spare->lock);
	*ret_found = found != NULL;
	if (found && !value.data)
		return ts_arena_error(arena, err);
	if (found)
		*ret = value;
	return TS_OK;
}

static enum ts_status get_written(struct ts_kv *kv, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret_value,
				  struct ts_error *err)
{
	struct ts_span stored, value;
	struct ts_error damage;
	enum ts_status status;
	struct ts_read r;
	bool found;

	if (ts_read_begin(kv, &r, err))
		return err->status;
	status = ts_read_get(r, TS_DB_CACHE, ts_id_span(id), &stored, &found, err);
	if (!status && (!found || ts_check_split(ts_id_span(id), stored, &value, &damage)))
		status = ts_error_set(err, TS_NOT_FOUND, "not in the cache");
	if (!status) {
		value = ts_arena_span(arena, value);
		status = value.data ? TS_OK : ts_arena_error(arena, err);
	}
	ts_read_end(&r);
	if (!status)
		*ret_value = value;
	return status;
}

enum ts_status ts_store_cache_get(struct ts_engine *e, struct ts_span key, struct ts_arena *arena, struct ts_span *ret_value,
				  struct ts_error *err)
{
	bool found = false;
	struct ts_id id;

	ts_digest(key, &id);
	for (struct ts_kv *kv = ts_kv_of(e); kv && !found; kv = kv->base)
		if (get_waiting(&kv->spare, &id, arena, ret_value, &found, err))
			return err->status;
	return found ? TS_OK : get_written(ts_kv_of(e), &id, arena, ret_value, err);
}
