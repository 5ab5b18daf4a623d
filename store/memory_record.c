/* memory_record.c - the records of a memory engine. Those of base are its own. */
#include "store/memory_internal.h"

#include "base/alloc.h"

static struct ts_memory_record **place_of(struct ts_memory *m, struct ts_span key)
{
	struct ts_memory_record **at = &m->records;

	while (*at && ts_span_cmp((*at)->record.key, key) < 0)
		at = &(*at)->next;
	return at;
}

static struct ts_memory_record *make(const struct ts_record *record)
{
	struct ts_memory_record *made = ts_alloc(sizeof *made + record->key.len + record->value.len);

	if (!made)
		return NULL;
	memcpy(made->text, record->key.data, record->key.len);
	memcpy(made->text + record->key.len, record->value.data, record->value.len);
	made->record.key = ts_span_of(made->text, record->key.len);
	made->record.value = ts_span_of(made->text + record->key.len, record->value.len);
	return made;
}

enum ts_status ts_memory_record_put(struct ts_engine *e, const struct ts_record *record, struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	struct ts_memory_record *made = NULL, **at, *old;

	if (ts_record_check(record, err))
		return err->status;
	if (record->value.len && !(made = make(record)))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a record");
	pthread_mutex_lock(&m->lock);
	at = place_of(m, record->key);
	old = *at && ts_span_eq((*at)->record.key, record->key) ? *at : NULL;
	if (old)
		*at = old->next;
	if (made) {
		made->next = *at;
		*at = made;
	}
	pthread_mutex_unlock(&m->lock);
	ts_free(old);
	return TS_OK;
}

static enum ts_status copy(const struct ts_record *in, struct ts_arena *arena, struct ts_record *ret, struct ts_error *err)
{
	ret->key = ts_arena_span(arena, in->key);
	ret->value = ts_arena_span(arena, in->value);
	return ret->key.data && ret->value.data ? TS_OK : ts_arena_error(arena, err);
}

enum ts_status ts_memory_record_get(struct ts_engine *e, struct ts_span key, struct ts_arena *arena, struct ts_span *ret_value,
				    struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	struct ts_record found = {.key = key};
	const struct ts_memory_record *at;
	enum ts_status status;

	if (ts_record_check(&found, err))
		return err->status;
	pthread_mutex_lock(&m->lock);
	at = *place_of(m, key);
	if (at && ts_span_eq(at->record.key, key))
		status = copy(&at->record, arena, &found, err);
	else
		status = ts_error_set(err, TS_NOT_FOUND, "there is no record/%.*s", TS_SPAN_ARG(key));
	pthread_mutex_unlock(&m->lock);
	if (!status)
		*ret_value = found.value;
	return status;
}

enum ts_status ts_memory_record_list(struct ts_engine *e, struct ts_span prefix, struct ts_arena *arena,
				     struct ts_record **ret_records, size_t *ret_n, struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	struct ts_record *records;
	enum ts_status status = TS_OK;
	size_t n = 0, at = 0;

	pthread_mutex_lock(&m->lock);
	for (const struct ts_memory_record *r = m->records; r; r = r->next)
		n += ts_span_starts(r->record.key, prefix);
	records = ts_arena_array(arena, n, sizeof *records);
	if (!records)
		status = ts_arena_error(arena, err);
	for (const struct ts_memory_record *r = m->records; r && !status; r = r->next)
		if (ts_span_starts(r->record.key, prefix))
			status = copy(&r->record, arena, &records[at++], err);
	pthread_mutex_unlock(&m->lock);
	if (status)
		return status;
	*ret_records = records;
	*ret_n = n;
	return TS_OK;
}

void ts_memory_records_drop(struct ts_memory *m)
{
	while (m->records) {
		struct ts_memory_record *next = m->records->next;

		ts_free(m->records);
		m->records = next;
	}
}
