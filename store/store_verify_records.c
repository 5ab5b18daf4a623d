/* store_verify_records.c - counts what is damaged beside the objects: names, their logs and notes, what was counted, the order in
 * which lists read names, and what one of these tables has and the other lacks.
 *
 * A record's checksum covers its key. But who looks for a key that has changed does not find it, and nobody asks for the changed one:
 * so only a walk over all records sees that a note or a name has gone from the lists. */
#include "store/store_internal.h"

#include "base/limits.h"

static enum ts_status check_database(struct ts_read r, enum ts_db db, uint64_t *io_bad, struct ts_error *err)
{
	struct ts_error damage;
	enum ts_status status;
	struct ts_span value;
	struct ts_walk walk;
	bool found;

	for (status = ts_walk_open(&walk, r, db, ts_span_of(NULL, 0), &found, err); !status && found;
	     status = ts_walk_on(&walk, &found, err))
		*io_bad += ts_check_split(walk.key, walk.value, &value, &damage) != TS_OK;
	ts_walk_end(&walk);
	return status;
}

/* Whether an entry of the order is that of a ref as it is now. */
static enum ts_status is_current(struct ts_read r, struct ts_span key, bool *ret_current, struct ts_error *err)
{
	uint8_t room[TS_RECENT_KEY_MAX];
	struct ts_error damage;
	struct ts_ref ref;
	bool found = false;

	*ret_current = false;
	if (key.len <= TS_RECENT_PREFIX || key.len > TS_RECENT_KEY_MAX)
		return TS_OK;
	if (ts_ref_read(r, (enum ts_ref_kind)key.data[0], ts_span_from(key, TS_RECENT_PREFIX), &ref, &found, &damage)) {
		*err = damage;
		return damage.status == TS_DAMAGED ? TS_OK : damage.status; /* counted among the refs */
	}
	*ret_current = found && ts_span_eq(ts_recent_key(ref.kind, ref.moved_ns, ref.name, room), key);
	return TS_OK;
}

/* Every entry of the order is a ref, and there are as many: so each ref has one. */
static enum ts_status check_order(struct ts_read r, uint64_t *io_bad, struct ts_error *err)
{
	uint64_t current_ones = 0, refs;
	enum ts_status status;
	struct ts_walk walk;
	bool found, current;

	if (ts_read_count(r, TS_DB_REFS, &refs, err))
		return err->status;
	for (status = ts_walk_open(&walk, r, TS_DB_RECENT, ts_span_of(NULL, 0), &found, err); !status && found;
	     status = status ? status : ts_walk_on(&walk, &found, err)) {
		status = is_current(r, walk.key, &current, err);
		current_ones += current;
		*io_bad += !current;
	}
	ts_walk_end(&walk);
	*io_bad += refs > current_ones ? refs - current_ones : 0;
	return status;
}

/* ---- both ways: what one table says of another ---- */

typedef enum ts_status pair_fn(struct ts_read r, const struct ts_walk *at, bool *ret_sound, struct ts_error *err);

/* The last entry of a name's log is what the name points at. A damaged ref is counted among the refs. */
static enum ts_status ref_has_log(struct ts_read r, const struct ts_walk *at, bool *ret_sound, struct ts_error *err)
{
	uint8_t room[TS_LOG_KEY_MAX];
	struct ts_log_entry entry;
	struct ts_error damage;
	struct ts_span stored;
	struct ts_ref ref;
	struct ts_span key;
	bool found;

	*ret_sound = true;
	if (ts_ref_parse(at->key, at->value, &ref, &damage) || ref.name.len > TS_REF_NAME_MAX)
		return TS_OK;
	key = ts_log_key(ref.kind, ref.name, ref.seq, room);
	if (ts_read_get(r, TS_DB_LOG, key, &stored, &found, err))
		return err->status;
	*ret_sound = found && (ts_log_parse(key, stored, &entry, &damage) || ts_id_eq(&entry.id, &ref.id));
	return TS_OK;
}

static enum ts_status is_named(struct ts_read r, enum ts_ref_kind kind, struct ts_span name, bool *ret_named, struct ts_error *err)
{
	uint8_t room[TS_REF_KEY_MAX];
	struct ts_span stored;

	*ret_named = false;
	if (name.len == 0 || name.len > TS_REF_NAME_MAX)
		return TS_OK;
	return ts_read_get(r, TS_DB_REFS, ts_ref_key(kind, name, room), &stored, ret_named, err);
}

static enum ts_status log_has_ref(struct ts_read r, const struct ts_walk *at, bool *ret_sound, struct ts_error *err)
{
	struct ts_span key = at->key;

	*ret_sound = false;
	return key.len < 11 ? TS_OK :
			      is_named(r, (enum ts_ref_kind)key.data[0], ts_span_part(key, 1, key.len - 10), ret_sound, err);
}

static enum ts_status note_has_ref(struct ts_read r, const struct ts_walk *at, bool *ret_sound, struct ts_error *err)
{
	const uint8_t *end = memchr(at->key.data, 0, at->key.len);

	*ret_sound = false;
	return end ? is_named(r, TS_REF_RUN, ts_span_of(at->key.data, (size_t)(end - at->key.data)), ret_sound, err) : TS_OK;
}

static enum ts_status check_pairs(struct ts_read r, enum ts_db db, pair_fn *pair, uint64_t *io_bad, struct ts_error *err)
{
	enum ts_status status;
	struct ts_walk walk;
	bool found, sound = true;

	for (status = ts_walk_open(&walk, r, db, ts_span_of(NULL, 0), &found, err); !status && found;
	     status = status ? status : ts_walk_on(&walk, &found, err)) {
		status = pair(r, &walk, &sound, err);
		*io_bad += !sound;
	}
	ts_walk_end(&walk);
	return status;
}

/* A store of format 1, which is only read, has notes of removed names among the others. */
static enum ts_status check_both_ways(struct ts_read r, uint64_t *io_bad, struct ts_error *err)
{
	uint64_t format;
	bool indexed;

	if (ts_read_u64(r, "format", &format, err) || ts_heads_indexed(r, &indexed, err) ||
	    check_pairs(r, TS_DB_REFS, ref_has_log, io_bad, err) || check_pairs(r, TS_DB_LOG, log_has_ref, io_bad, err) ||
	    (indexed && check_pairs(r, TS_DB_LOG, ts_log_has_head, io_bad, err)) ||
	    (indexed && check_pairs(r, TS_DB_HEADS, ts_head_has_log, io_bad, err)))
		return err->status;
	return format > 1 ? check_pairs(r, TS_DB_NOTES, note_has_ref, io_bad, err) : TS_OK;
}

enum ts_status ts_store_verify_records(struct ts_read r, uint64_t *ret_bad, struct ts_error *err)
{
	uint64_t bad = 0;

	for (int db = 0; db < TS_DBS; db++)
		if (ts_db_is_checked((enum ts_db)db) && check_database(r, (enum ts_db)db, &bad, err))
			return err->status;
	if (check_order(r, &bad, err) || check_both_ways(r, &bad, err))
		return err->status;
	*ret_bad = bad;
	return TS_OK;
}
