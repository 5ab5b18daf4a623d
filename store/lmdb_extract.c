/* lmdb_extract.c - keeps the extracts of runs: those of one key lie together, so that a list reads only what it shows. */
#include "store/lmdb_internal.h"

#include "base/limits.h"

enum { KEY_BYTES = 8, EXTRACT_KEY = KEY_BYTES + TS_ID_BYTES };

static struct ts_span extract_key(const struct ts_extract_key *key, const struct ts_id *id, uint8_t room[EXTRACT_KEY])
{
	memcpy(room, key->bytes, KEY_BYTES);
	memcpy(room + KEY_BYTES, id->bytes, TS_ID_BYTES);
	return ts_span_of(room, EXTRACT_KEY);
}

static enum ts_status write_extract(struct ts_write *w, const struct ts_id *id, const struct ts_extract *extract, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(TS_EXTRACT_MAX + 4);
	uint8_t room[EXTRACT_KEY];
	struct ts_span key = extract_key(&extract->key, id, room);
	enum ts_status status;

	ts_buf_span(&buf, extract->value);
	ts_check_append(&buf, key);
	status = ts_buf_check(&buf, err);
	if (!status)
		status = ts_write_put(w, TS_DB_EXTRACTS, key, ts_buf_view(&buf), err);
	ts_buf_finish(&buf);
	return status;
}

enum ts_status ts_lmdb_extracts_write(struct ts_write *w, const struct ts_id *id, const struct ts_extract *extracts, size_t n,
				     struct ts_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (write_extract(w, id, &extracts[i], err))
			return err->status;
	return TS_OK;
}

struct put_extracts {
	const struct ts_id *id;
	const struct ts_extract *extracts;
	size_t n;
};

static enum ts_status run_put_extracts(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct put_extracts *put = ctx;

	return ts_lmdb_extracts_write(w, put->id, put->extracts, put->n, err);
}

enum ts_status ts_lmdb_extracts_put(struct ts_engine *e, const struct ts_id *id, const struct ts_extract *extracts, size_t n,
				   struct ts_error *err)
{
	struct put_extracts put = {id, extracts, n};

	if (ts_extracts_check(extracts, n, err))
		return err->status;
	return ts_lane_run((struct ts_lmdb *)(void *)e, run_put_extracts, &put, n * (EXTRACT_KEY + TS_EXTRACT_MAX), err);
}

static bool has_extracts(const struct ts_lmdb_env *env)
{
	return env->dbi[TS_DB_EXTRACTS] != TS_NO_DBI;
}

enum ts_status ts_lmdb_extract_get(struct ts_engine *e, const struct ts_extract_key *key, const struct ts_id *id,
				  struct ts_arena *arena, struct ts_span *ret_value, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of(e);
	uint8_t room[EXTRACT_KEY];
	struct ts_span k = extract_key(key, id, room), stored, value;
	enum ts_status status;
	struct ts_read r;
	bool found;

	if (ts_read_begin(env, &r, err))
		return err->status;
	if (!has_extracts(env)) {
		ts_read_end(&r);
		return ts_no_extract(err);
	}
	status = ts_read_get(r, TS_DB_EXTRACTS, k, &stored, &found, err);
	if (!status && (!found || ts_check_split(k, stored, &value, err)))
		status = ts_no_extract(err);
	if (!status) {
		value = ts_arena_span(arena, value);
		status = value.data ? TS_OK : ts_arena_error(arena, err);
	}
	ts_read_end(&r);
	if (!status)
		*ret_value = value;
	return status;
}

/* Damage of an extract makes it absent, and nothing worse. */
static enum ts_status visit_one(const struct ts_walk *walk, ts_extract_visit *visit, void *ctx, struct ts_error *err)
{
	struct ts_error damage;
	struct ts_span value;
	struct ts_id id;

	if (walk->key.len != EXTRACT_KEY || ts_check_split(walk->key, walk->value, &value, &damage))
		return TS_OK;
	memcpy(id.bytes, walk->key.data + KEY_BYTES, TS_ID_BYTES);
	return visit(ctx, &id, value, err);
}

enum ts_status ts_lmdb_extracts_walk(struct ts_engine *e, const struct ts_extract_key *key, ts_extract_visit *visit, void *ctx,
				    struct ts_error *err)
{
	struct ts_span prefix = ts_span_of(key->bytes, KEY_BYTES);
	struct ts_lmdb_env *env = ts_env_of(e);
	enum ts_status status = TS_OK;
	struct ts_read r;
	struct ts_walk walk;
	bool found;

	if (ts_read_begin(env, &r, err))
		return err->status;
	if (has_extracts(env)) {
		status = ts_walk_begin(&walk, r, TS_DB_EXTRACTS, err);
		if (!status) {
			status = ts_walk_seek(&walk, prefix, &found, err);
			while (!status && found && ts_span_starts(walk.key, prefix)) {
				status = visit_one(&walk, visit, ctx, err);
				if (!status)
					status = ts_walk_next(&walk, &found, err);
			}
			ts_walk_end(&walk);
		}
	}
	ts_read_end(&r);
	return status;
}

/* Whether the object of this record is there. */
static enum ts_status is_needed(struct ts_write *w, struct ts_span key, bool *ret_needed, struct ts_error *err)
{
	struct ts_entry record;
	struct ts_id id;

	*ret_needed = false;
	if (key.len != EXTRACT_KEY)
		return TS_OK;
	memcpy(id.bytes, key.data + KEY_BYTES, TS_ID_BYTES);
	return ts_entry_get(ts_read_of(w), &id, &record, ret_needed, err);
}

enum ts_status ts_lmdb_extracts_sweep(struct ts_write *w, struct ts_error *err)
{
	enum ts_status status;
	struct ts_walk walk;
	uint8_t room[EXTRACT_KEY];
	bool found, needed;

	if (ts_walk_begin(&walk, ts_read_of(w), TS_DB_EXTRACTS, err))
		return err->status;
	status = ts_walk_seek(&walk, ts_span_of(NULL, 0), &found, err);
	while (!status && found) {
		size_t len = walk.key.len < sizeof room ? walk.key.len : sizeof room;

		status = is_needed(w, walk.key, &needed, err);
		if (status)
			break;
		if (needed) {
			status = ts_walk_next(&walk, &found, err);
			continue;
		}
		memcpy(room, walk.key.data, len);
		status = ts_write_delete(w, TS_DB_EXTRACTS, ts_span_of(room, len), err);
		if (!status) /* the walk starts again behind what is gone */
			status = ts_walk_seek(&walk, ts_span_of(room, len), &found, err);
	}
	ts_walk_end(&walk);
	return status;
}
