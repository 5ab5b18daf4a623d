/* memory_extract.c - keeps the extracts of runs in a memory engine, and asks base for those that it does not have. */
#include "store/memory_internal.h"

#include "base/alloc.h"
#include "base/limits.h"

struct ts_memory_extract {
	struct ts_extract_key key;
	struct ts_id id;
	struct ts_span value;
	uint8_t bytes[];
};

static void place_of(const struct ts_extract_key *key, const struct ts_id *id, struct ts_id *ret)
{
	uint8_t room[sizeof key->bytes + TS_ID_BYTES];

	memcpy(room, key->bytes, sizeof key->bytes);
	memcpy(room + sizeof key->bytes, id->bytes, TS_ID_BYTES);
	ts_digest(ts_span_of(room, sizeof room), ret);
}

static struct ts_memory_extract *make(const struct ts_id *id, const struct ts_extract *extract)
{
	struct ts_memory_extract *made = ts_alloc(sizeof *made + extract->value.len);

	if (!made)
		return NULL;
	*made = (struct ts_memory_extract){.key = extract->key, .id = *id};
	if (extract->value.len)
		memcpy(made->bytes, extract->value.data, extract->value.len);
	made->value = ts_span_of(made->bytes, extract->value.len);
	return made;
}

enum ts_status ts_memory_extracts_place(struct ts_memory *m, const struct ts_id *id, const struct ts_extract *extracts, size_t n,
				       struct ts_error *err)
{
	if (ts_idmap_reserve(&m->extracts, n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		struct ts_memory_extract *made = make(id, &extracts[i]);
		struct ts_id place;

		if (!made)
			return ts_error_set(err, TS_NO_MEMORY, "out of memory for an extract");
		place_of(&extracts[i].key, id, &place);
		ts_free(ts_idmap_get(&m->extracts, &place));
		ts_idmap_put(&m->extracts, &place, made);
	}
	return TS_OK;
}

void ts_memory_extracts_sweep(struct ts_memory *m)
{
	for (size_t i = 0; i < m->extracts.cap;) {
		struct ts_memory_extract *extract = m->extracts.slots[i].value;
		struct ts_id place = m->extracts.slots[i].id;

		if (!extract || ts_idmap_get(&m->objects, &extract->id)) {
			i++;
			continue;
		}
		ts_idmap_remove(&m->extracts, &place); /* may move another entry here */
		ts_free(extract);
	}
}

void ts_memory_extracts_forget(struct ts_memory *m)
{
	for (size_t i = 0; i < m->extracts.cap; i++)
		ts_free(m->extracts.slots[i].value);
	ts_idmap_finish(&m->extracts);
}

enum ts_status ts_memory_extracts_put(struct ts_engine *e, const struct ts_extracts *runs, size_t n, struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	enum ts_status status = TS_OK;

	for (size_t i = 0; i < n; i++)
		if (ts_extracts_check(runs[i].items, runs[i].n, err))
			return err->status;
	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < n && !status; i++)
		status = ts_memory_extracts_place(m, &runs[i].id, runs[i].items, runs[i].n, err);
	pthread_mutex_unlock(&m->lock);
	return status;
}

enum ts_status ts_memory_extract_get(struct ts_engine *e, const struct ts_extract_key *key, const struct ts_id *id,
				    struct ts_arena *arena, struct ts_span *ret_value, struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	const struct ts_memory_extract *extract;
	struct ts_span value = {0};
	struct ts_id place;

	place_of(key, id, &place);
	pthread_mutex_lock(&m->lock);
	extract = ts_idmap_get(&m->extracts, &place);
	if (extract)
		value = ts_arena_span(arena, extract->value);
	pthread_mutex_unlock(&m->lock);
	if (!extract && m->base)
		return m->base->ops->extract_get(m->base, key, id, arena, ret_value, err);
	if (!extract)
		return ts_no_extract(err);
	if (!value.data)
		return ts_arena_error(arena, err);
	*ret_value = value;
	return TS_OK;
}

enum ts_status ts_memory_extracts_walk(struct ts_engine *e, const struct ts_extract_key *key, ts_extract_visit *visit, void *ctx,
				      struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	enum ts_status status = TS_OK;

	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < m->extracts.cap && !status; i++) {
		const struct ts_memory_extract *extract = m->extracts.slots[i].value;

		if (extract && memcmp(extract->key.bytes, key->bytes, sizeof key->bytes) == 0)
			status = visit(ctx, &extract->id, extract->value, err);
	}
	pthread_mutex_unlock(&m->lock);
	if (!status && m->base)
		status = m->base->ops->extracts_walk(m->base, key, visit, ctx, err);
	return status;
}
