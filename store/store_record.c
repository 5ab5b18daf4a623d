/* store_record.c - the records of a store that are about no run. They lie in meta, behind a prefix. */
#include "store/store_internal.h"

#include "base/limits.h"

#define PREFIX "record/"

enum { PREFIX_LEN = sizeof PREFIX - 1, KEY_MAX = PREFIX_LEN + TS_RECORD_KEY_MAX };

static struct ts_span key_of(struct ts_span key, uint8_t room[KEY_MAX])
{
	memcpy(room, PREFIX, PREFIX_LEN);
	if (key.len)
		memcpy(room + PREFIX_LEN, key.data, key.len);
	return ts_span_of(room, PREFIX_LEN + key.len);
}

struct put {
	const struct ts_record *record;
	const struct ts_records_seen *seen;
};

static bool is_seen(const struct ts_record *seen, struct ts_span key, struct ts_span stored)
{
	struct ts_error ignored;
	struct ts_span value;

	return ts_span_eq(seen->key, ts_span_from(key, PREFIX_LEN)) && !ts_check_split(key, stored, &value, &ignored) &&
	       ts_span_eq(seen->value, value);
}

static enum ts_status check_seen(struct ts_read r, const struct ts_records_seen *seen, struct ts_error *err)
{
	uint8_t room[KEY_MAX];
	enum ts_status status;
	struct ts_walk walk;
	bool found, same = true;
	size_t n = 0;

	for (status = ts_walk_open(&walk, r, TS_DB_META, key_of(seen->prefix, room), &found, err); !status && found && same;
	     status = ts_walk_on(&walk, &found, err), n++)
		same = n < seen->n && is_seen(&seen->records[n], walk.key, walk.value);
	ts_walk_end(&walk);
	if (!status && (!same || n != seen->n))
		return ts_error_set(err, TS_CONFLICT, "the records %.*s... were changed meanwhile", TS_SPAN_ARG(seen->prefix));
	return status;
}

static enum ts_status run_put(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct put *put = ctx;
	struct ts_buf buf = TS_BUF_INIT(TS_RECORD_MAX + 8);
	uint8_t room[KEY_MAX];
	struct ts_span key = key_of(put->record->key, room);

	if (put->seen && check_seen(ts_read_of(w), put->seen, err))
		return err->status;
	if (put->record->value.len == 0)
		return ts_write_delete(w, TS_DB_META, key, err);
	ts_buf_span(&buf, put->record->value);
	return ts_write_record(w, TS_DB_META, key, &buf, err);
}

enum ts_status ts_store_record_put(struct ts_engine *e, const struct ts_record *record, const struct ts_records_seen *seen,
				    struct ts_error *err)
{
	struct put put = {record, seen};

	if (ts_record_check(record, err))
		return err->status;
	return ts_store_write(ts_store_of(e), run_put, &put, record->value.len, err);
}

static enum ts_status take(struct ts_span key, struct ts_span stored, struct ts_arena *arena, struct ts_record *ret,
			   struct ts_error *err)
{
	struct ts_span value;

	if (ts_check_split(key, stored, &value, err))
		return ts_error_prefix(err, "%.*s", TS_SPAN_ARG(key));
	*ret = (struct ts_record){.key = ts_span_from(key, PREFIX_LEN), .value = value};
	return ts_texts_copy(arena, (struct ts_span *[]){&ret->key, &ret->value}, 2, err);
}

enum ts_status ts_store_record_get(struct ts_engine *e, struct ts_span key, struct ts_arena *arena, struct ts_span *ret_value,
				  struct ts_error *err)
{
	struct ts_record record = {.key = key};
	uint8_t room[KEY_MAX];
	struct ts_span stored;
	enum ts_status status;
	struct ts_read r;
	bool found;

	if (ts_record_check(&record, err) || ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	key = key_of(key, room);
	status = ts_read_get(r, TS_DB_META, key, &stored, &found, err);
	if (!status && !found)
		status = ts_error_set(err, TS_NOT_FOUND, "there is no %.*s", TS_SPAN_ARG(key));
	if (!status)
		status = take(key, stored, arena, &record, err);
	ts_read_end(&r);
	if (!status)
		*ret_value = record.value;
	return status;
}

/* Walks the records twice: once to count, and once to fill records (then not NULL). */
static enum ts_status walk(struct ts_read r, struct ts_span prefix, struct ts_arena *arena, struct ts_record *records, size_t *ret_n,
			   struct ts_error *err)
{
	struct ts_walk walk;
	enum ts_status status;
	bool found;
	size_t n = 0;

	for (status = ts_walk_open(&walk, r, TS_DB_META, prefix, &found, err); !status && found;
	     status = status ? status : ts_walk_on(&walk, &found, err), n++)
		if (records)
			status = take(walk.key, walk.value, arena, &records[n], err);
	ts_walk_end(&walk);
	if (!status)
		*ret_n = n;
	return status;
}

enum ts_status ts_store_record_list(struct ts_engine *e, struct ts_span prefix, struct ts_arena *arena, struct ts_record **ret_records,
				   size_t *ret_n, struct ts_error *err)
{
	struct ts_record *records = NULL;
	uint8_t room[KEY_MAX];
	enum ts_status status;
	struct ts_read r;
	size_t n = 0;

	if (prefix.len > TS_RECORD_KEY_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "the key of a record has at most %d bytes", TS_RECORD_KEY_MAX);
	if (ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	status = walk(r, key_of(prefix, room), arena, NULL, &n, err);
	if (!status) {
		records = ts_arena_array(arena, n, sizeof *records);
		status = records ? walk(r, key_of(prefix, room), arena, records, &n, err) : ts_arena_error(arena, err);
	}
	ts_read_end(&r);
	if (status)
		return status;
	*ret_records = records;
	*ret_n = n;
	return TS_OK;
}
