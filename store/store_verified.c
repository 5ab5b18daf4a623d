/* store_verified.c - what the last verify that found all sound left in the store, so that the next one can leave out what has not
 * changed.
 *
 * A record of meta, little-endian, with a checksum as others have: u64:pack i64:whole i64:last id:place. It is of the bytes that lie in
 * this place: a backup that was put back has it from its original, and there it does not count. Whoever follows or copies the store
 * does not get it, and a store has none while it is a copy, since a copy may put a pack anew. */
#include "store/store_internal.h"

#include "base/cursor.h"
#include "store/superblock.h"

enum ts_status ts_verified_read(struct ts_read r, const struct ts_id *place, struct ts_verified *ret, struct ts_error *err)
{
	struct ts_span key = ts_span_str(TS_VERIFIED_KEY), stored, value;
	struct ts_verified verified = {.is = false};
	struct ts_error damage;
	struct ts_cursor c;
	struct ts_span at;
	bool copy;

	if (ts_store_is_copy(r, &copy, err) || ts_read_get(r, TS_DB_META, key, &stored, &verified.is, err))
		return err->status;
	if (copy || !verified.is || ts_check_split(key, stored, &value, &damage)) {
		*ret = (struct ts_verified){.copy = copy};
		return TS_OK;
	}
	c = ts_cursor_of(value);
	verified.pack = ts_cursor_u64(&c);
	verified.whole_ns = (int64_t)ts_cursor_u64(&c);
	verified.last_ns = (int64_t)ts_cursor_u64(&c);
	at = ts_cursor_bytes(&c, TS_ID_BYTES);
	verified.is = !c.failed && place && ts_span_eq(at, ts_id_span(place));
	if (verified.is)
		verified.place = *place;
	*ret = verified.is ? verified : (struct ts_verified){.copy = false};
	return TS_OK;
}

enum ts_status ts_verified_write(struct ts_write *w, const struct ts_verified *verified, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(128);

	ts_buf_u64(&buf, verified->pack);
	ts_buf_u64(&buf, (uint64_t)verified->whole_ns);
	ts_buf_u64(&buf, (uint64_t)verified->last_ns);
	ts_buf_span(&buf, ts_id_span(&verified->place));
	return ts_write_record(w, TS_DB_META, ts_span_str(TS_VERIFIED_KEY), &buf, err);
}

enum ts_status ts_verified_forget(struct ts_write *w, struct ts_error *err)
{
	return ts_write_delete(w, TS_DB_META, ts_span_str(TS_VERIFIED_KEY), err);
}
