/* store_verify_records.c - counts what is damaged beside the objects: names, their logs and notes, what was counted, and the order in
 * which lists read names.
 *
 * A record's checksum covers its key. But who looks for a key that has changed does not find it, and nobody asks for the changed one:
 * so only a walk over all records sees that a note or a name has gone from the lists. */
#include "store/store_internal.h"

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

enum ts_status ts_store_verify_records(struct ts_read r, uint64_t *ret_bad, struct ts_error *err)
{
	uint64_t bad = 0;

	for (int db = 0; db < TS_DBS; db++)
		if (ts_db_is_checked((enum ts_db)db) && check_database(r, (enum ts_db)db, &bad, err))
			return err->status;
	if (check_order(r, &bad, err))
		return err->status;
	*ret_bad = bad;
	return TS_OK;
}
