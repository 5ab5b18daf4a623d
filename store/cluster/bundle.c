#include "store/cluster/bundle.h"

#include "base/cursor.h"

#include <assert.h>
#include <stdio.h>
#include <xxhash.h>

static const char magic[] = "TSBNDL1\n";

enum { MAGIC = 8, RANDOM = 16, ROOM = 256 };

/* ---- the table ---- */

/* Over a row and its place in the table; never 0, which rows of older versions have. */
static uint32_t row_checksum(const struct ts_bundle_part *part, size_t i)
{
	uint8_t bytes[TS_PACK_KEY + 4 + TS_ID_BYTES];

	ts_store_be(bytes, part->pack, TS_PACK_KEY);
	ts_store_be(bytes + TS_PACK_KEY, part->len, 4);
	memcpy(bytes + TS_PACK_KEY + 4, part->digest.bytes, TS_ID_BYTES);
	return (uint32_t)XXH3_64bits_withSeed(bytes, sizeof bytes, i) | 1;
}

void ts_bundle_begin(struct ts_buf *out, const uint8_t random[16], struct ts_bundle_part *parts, size_t n)
{
	uint64_t at = TS_BUNDLE_HEAD + (uint64_t)n * TS_BUNDLE_ROW;

	assert(n <= TS_BUNDLE_PARTS_MOST);
	ts_buf_bytes(out, magic, MAGIC);
	ts_buf_bytes(out, random, RANDOM);
	ts_buf_u32(out, (uint32_t)n);
	ts_buf_u32(out, 0);
	for (size_t i = 0; i < n; i++) {
		parts[i].offset = at;
		at += parts[i].len;
		ts_buf_u64(out, parts[i].pack);
		ts_buf_u32(out, parts[i].len);
		ts_buf_u32(out, row_checksum(&parts[i], i));
		ts_buf_span(out, ts_id_span(&parts[i].digest));
	}
}

enum ts_status ts_bundle_head_parse(struct ts_span head, size_t *ret_n, struct ts_error *err)
{
	size_t n;

	if (head.len != TS_BUNDLE_HEAD || memcmp(head.data, magic, MAGIC) != 0)
		return ts_error_set(err, TS_DAMAGED, "it does not begin as a bundle does");
	n = (size_t)ts_load_le(head.data + MAGIC + RANDOM, 4);
	if (n == 0 || n > TS_BUNDLE_PARTS_MOST || ts_load_le(head.data + MAGIC + RANDOM + 4, 4) != 0)
		return ts_error_set(err, TS_DAMAGED, "a bundle of %zu packs", n);
	*ret_n = n;
	return TS_OK;
}

enum ts_status ts_bundle_rows_parse(struct ts_span rows, size_t n, uint64_t bytes, struct ts_bundle_part *parts, struct ts_error *err)
{
	struct ts_cursor c = ts_cursor_of(rows);
	uint64_t at = TS_BUNDLE_HEAD + (uint64_t)n * TS_BUNDLE_ROW;

	if (rows.len != n * TS_BUNDLE_ROW)
		return ts_error_set(err, TS_DAMAGED, "a table of %zu bytes for %zu packs", rows.len, n);
	for (size_t i = 0; i < n; i++) {
		struct ts_bundle_part *part = &parts[i];
		uint32_t checksum;

		part->pack = ts_cursor_u64(&c);
		part->len = ts_cursor_u32(&c);
		checksum = ts_cursor_u32(&c);
		memcpy(part->digest.bytes, ts_cursor_bytes(&c, TS_ID_BYTES).data, TS_ID_BYTES);
		if (checksum && checksum != row_checksum(part, i))
			return ts_error_set(err, TS_DAMAGED, "row %zu of its table is altered", i);
		part->offset = at;
		at += part->len;
	}
	if (at != bytes)
		return ts_error_set(err, TS_DAMAGED, "its packs end at %" PRIu64 ", and it has %" PRIu64 " bytes", at, bytes);
	return TS_OK;
}

/* In the folder of a store. */
static const char *name_in(const uint8_t uid[TS_STORE_UID], const char *name, char room[TS_BUNDLE_NAME])
{
	for (int i = 0; i < TS_STORE_UID; i++)
		(void)snprintf(room + 2 * i, 3, "%02x", uid[i]);
	(void)snprintf(room + 2 * TS_STORE_UID, TS_BUNDLE_NAME - 2 * TS_STORE_UID, "/%s", name);
	return room;
}

const char *ts_bundle_name(const uint8_t uid[TS_STORE_UID], const struct ts_id *bundle, char room[TS_BUNDLE_NAME])
{
	char hex[TS_ID_HEX + 1], name[TS_BUNDLE_NAME - 2 * TS_STORE_UID - 1];

	(void)ts_id_hex(bundle, hex);
	(void)snprintf(name, sizeof name, "%.2s/%s.bundle", hex, hex);
	return name_in(uid, name, room);
}

const char *ts_marker_name(const uint8_t uid[TS_STORE_UID], char room[TS_BUNDLE_NAME])
{
	return name_in(uid, "tscope-store", room);
}

/* ---- keys ---- */

struct ts_bundle_key ts_key_of(enum ts_bundle_kind kind)
{
	return (struct ts_bundle_key){.bytes = {(uint8_t)kind}, .len = 1};
}

static void add_to_key(struct ts_bundle_key *key, const void *bytes, size_t n)
{
	memcpy(key->bytes + key->len, bytes, n);
	key->len += n;
}

struct ts_bundle_key ts_key_of_bundle(enum ts_bundle_kind kind, const struct ts_id *bundle)
{
	struct ts_bundle_key key = ts_key_of(kind);

	add_to_key(&key, bundle->bytes, TS_ID_BYTES);
	return key;
}

struct ts_bundle_key ts_key_of_dead(int64_t at_ns, const struct ts_id *bundle)
{
	struct ts_bundle_key key = ts_key_of(TS_KIND_DEAD);
	uint8_t at[8];

	ts_store_be(at, (uint64_t)at_ns, sizeof at);
	add_to_key(&key, at, sizeof at);
	add_to_key(&key, bundle->bytes, TS_ID_BYTES);
	return key;
}

struct ts_bundle_key ts_key_of_place(uint64_t pack)
{
	struct ts_bundle_key key = ts_key_of(TS_KIND_PLACE);
	uint8_t number[TS_PACK_KEY];

	ts_store_be(number, pack, sizeof number);
	add_to_key(&key, number, sizeof number);
	return key;
}

/* ---- records ---- */

/* Finds a record and splits its checksum off; its value is valid as long as what was read. */
static enum ts_status get(struct ts_read r, const struct ts_bundle_key *key, struct ts_span *ret, bool *ret_found, struct ts_error *err)
{
	struct ts_span stored;

	if (ts_read_get(r, TS_DB_PACKS, ts_bundle_key_span(key), &stored, ret_found, err))
		return err->status;
	if (*ret_found && ts_check_split(ts_bundle_key_span(key), stored, ret, err))
		return ts_error_prefix(err, "%s: where packs lie", r.kv->where);
	return TS_OK;
}

static enum ts_status put(struct ts_write *w, const struct ts_bundle_key *key, struct ts_buf *value, struct ts_error *err)
{
	return ts_write_record(w, TS_DB_PACKS, ts_bundle_key_span(key), value, err);
}

static enum ts_status end(const struct ts_cursor *c, struct ts_error *err)
{
	return c->failed || c->at != c->in.len ? ts_error_set(err, TS_DAMAGED, "a record of where packs lie has another length")
					       : TS_OK;
}

static struct ts_id take_id(struct ts_cursor *c)
{
	struct ts_span bytes = ts_cursor_bytes(c, TS_ID_BYTES);
	struct ts_id id = {{0}};

	if (!c->failed)
		memcpy(id.bytes, bytes.data, TS_ID_BYTES);
	return id;
}

enum ts_status ts_place_parse(struct ts_span key, struct ts_span stored, struct ts_place *ret, struct ts_error *err)
{
	struct ts_place place;
	struct ts_cursor c;
	struct ts_span value;

	if (ts_check_split(key, stored, &value, err))
		return err->status;
	c = ts_cursor_of(value);
	place.bundle = take_id(&c);
	place.offset = ts_cursor_u64(&c);
	place.len = ts_cursor_u32(&c);
	place.digest = take_id(&c);
	if (end(&c, err))
		return err->status;
	*ret = place;
	return TS_OK;
}

enum ts_status ts_place_get(struct ts_read r, uint64_t pack, struct ts_place *ret, bool *ret_found, struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of_place(pack);
	struct ts_span stored;

	if (ts_read_get(r, TS_DB_PACKS, ts_bundle_key_span(&key), &stored, ret_found, err))
		return err->status;
	return *ret_found ? ts_place_parse(ts_bundle_key_span(&key), stored, ret, err) : TS_OK;
}

enum ts_status ts_place_put(struct ts_write *w, uint64_t pack, const struct ts_place *place, struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of_place(pack);
	struct ts_buf value = TS_BUF_INIT(ROOM);

	ts_buf_span(&value, ts_id_span(&place->bundle));
	ts_buf_u64(&value, place->offset);
	ts_buf_u32(&value, place->len);
	ts_buf_span(&value, ts_id_span(&place->digest));
	return put(w, &key, &value, err);
}

enum ts_status ts_bundle_get(struct ts_read r, const struct ts_id *id, struct ts_bundle *ret, bool *ret_found, struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of_bundle(TS_KIND_BUNDLE, id);
	struct ts_bundle bundle;
	struct ts_span value;
	struct ts_cursor c;

	if (get(r, &key, &value, ret_found, err))
		return err->status;
	if (!*ret_found)
		return TS_OK;
	c = ts_cursor_of(value);
	bundle.bytes = ts_cursor_u64(&c);
	bundle.live_bytes = ts_cursor_u64(&c);
	if (end(&c, err))
		return err->status;
	*ret = bundle;
	return TS_OK;
}

enum ts_status ts_bundle_put(struct ts_write *w, const struct ts_id *id, const struct ts_bundle *bundle, struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of_bundle(TS_KIND_BUNDLE, id);
	struct ts_buf value = TS_BUF_INIT(ROOM);

	ts_buf_u64(&value, bundle->bytes);
	ts_buf_u64(&value, bundle->live_bytes);
	return put(w, &key, &value, err);
}

enum ts_status ts_coming_get(struct ts_read r, struct ts_coming *ret, bool *ret_found, struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of(TS_KIND_COMING);
	struct ts_coming coming;
	struct ts_span value;
	struct ts_cursor c;

	if (get(r, &key, &value, ret_found, err))
		return err->status;
	if (!*ret_found)
		return TS_OK;
	c = ts_cursor_of(value);
	coming.bundle = take_id(&c);
	coming.until_ns = (int64_t)ts_cursor_u64(&c);
	coming.bytes = ts_cursor_u64(&c);
	if (end(&c, err))
		return err->status;
	*ret = coming;
	return TS_OK;
}

enum ts_status ts_coming_put(struct ts_write *w, const struct ts_coming *coming, struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of(TS_KIND_COMING);
	struct ts_buf value = TS_BUF_INIT(ROOM);

	ts_buf_span(&value, ts_id_span(&coming->bundle));
	ts_buf_u64(&value, (uint64_t)coming->until_ns);
	ts_buf_u64(&value, coming->bytes);
	return put(w, &key, &value, err);
}

static enum ts_status put_empty(struct ts_write *w, struct ts_bundle_key key, struct ts_error *err)
{
	struct ts_buf value = TS_BUF_INIT(ROOM);

	return put(w, &key, &value, err);
}

enum ts_status ts_dead_put(struct ts_write *w, int64_t at_ns, const struct ts_id *bundle, struct ts_error *err)
{
	return put_empty(w, ts_key_of_dead(at_ns, bundle), err);
}

enum ts_status ts_vouched_put(struct ts_write *w, const struct ts_id *bundle, struct ts_error *err)
{
	struct ts_bundle is;
	bool found;

	if (ts_bundle_get(ts_read_of(w), bundle, &is, &found, err))
		return err->status;
	return found ? put_empty(w, ts_key_of_bundle(TS_KIND_VOUCHED, bundle), err) : TS_OK;
}

enum ts_status ts_about_get(struct ts_read r, uint8_t ret_uid[TS_STORE_UID], bool *ret_found, struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of(TS_KIND_ABOUT);
	struct ts_span value;

	if (get(r, &key, &value, ret_found, err))
		return err->status;
	if (*ret_found && value.len != TS_STORE_UID)
		return ts_error_set(err, TS_DAMAGED, "%s: what it is called in its bucket has %zu bytes", r.kv->where, value.len);
	if (*ret_found)
		memcpy(ret_uid, value.data, TS_STORE_UID);
	return TS_OK;
}

enum ts_status ts_about_put(struct ts_write *w, const uint8_t uid[TS_STORE_UID], struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of(TS_KIND_ABOUT);
	struct ts_buf value = TS_BUF_INIT(ROOM);

	ts_buf_bytes(&value, uid, TS_STORE_UID);
	return put(w, &key, &value, err);
}

enum ts_status ts_deletes_get(struct ts_read r, uint64_t *ret_n, struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of(TS_KIND_DELETES);
	struct ts_span value;
	bool found;

	if (get(r, &key, &value, &found, err))
		return err->status;
	if (found && value.len != 8)
		return ts_error_set(err, TS_DAMAGED, "%s: how often packs were deleted has %zu bytes", r.kv->where, value.len);
	*ret_n = found ? ts_load_le(value.data, 8) : 0;
	return TS_OK;
}

enum ts_status ts_deletes_add(struct ts_write *w, struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of(TS_KIND_DELETES);
	struct ts_buf value = TS_BUF_INIT(ROOM);
	uint64_t n;

	if (ts_deletes_get(ts_read_of(w), &n, err))
		return err->status;
	ts_buf_u64(&value, n + 1);
	return put(w, &key, &value, err);
}

enum ts_status ts_bundle_lose(struct ts_write *w, const struct ts_id *id, uint32_t bytes, struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of_bundle(TS_KIND_BUNDLE, id), thin = ts_key_of_bundle(TS_KIND_THIN, id);
	struct ts_bundle_key vouched = ts_key_of_bundle(TS_KIND_VOUCHED, id);
	struct ts_bundle bundle;
	bool found, was_thin;

	if (ts_bundle_get(ts_read_of(w), id, &bundle, &found, err))
		return err->status;
	if (!found)
		return TS_OK;
	was_thin = bundle.live_bytes < bundle.bytes / 2;
	bundle.live_bytes -= bytes < bundle.live_bytes ? bytes : bundle.live_bytes;
	if (bundle.live_bytes) {
		if (ts_bundle_put(w, id, &bundle, err))
			return err->status;
		return !was_thin && bundle.live_bytes < bundle.bytes / 2 ? put_empty(w, thin, err) : TS_OK;
	}
	if (ts_write_delete(w, TS_DB_PACKS, ts_bundle_key_span(&key), err) ||
	    ts_write_delete(w, TS_DB_PACKS, ts_bundle_key_span(&thin), err) ||
	    ts_write_delete(w, TS_DB_PACKS, ts_bundle_key_span(&vouched), err))
		return err->status;
	return ts_dead_put(w, 0, id, err);
}
