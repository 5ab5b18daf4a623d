/* store_pack.c - where the bytes of objects lie: many small objects share one value of LMDB, a pack.
 *
 * Objects are small, and LMDB gives every larger value whole pages, so the objects of one write lie in packs: values of
 * about 256 KiB, of which a record names a part. An object larger than that is a pack of its own.
 */
#include "base/object.h"
#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/cursor.h"

#include <assert.h>

enum ts_status ts_entry_parse(const struct ts_id *id, struct ts_span stored, struct ts_entry *ret, struct ts_error *err)
{
	struct ts_entry record;
	struct ts_cursor c;
	struct ts_span value;

	if (ts_check_split(ts_id_span(id), stored, &value, err))
		return ts_object_error(id, err);
	c = ts_cursor_of(value);
	record.pack = ts_cursor_u64(&c);
	record.offset = ts_cursor_u32(&c);
	record.len = ts_cursor_u32(&c);
	record.raw_len = ts_cursor_u32(&c);
	record.nrefs = ts_cursor_u32(&c);
	record.checksum = ts_cursor_u64(&c);
	record.lease_ns = (int64_t)ts_cursor_u64(&c);
	record.codec = ts_cursor_u8(&c);
	record.kind = ts_cursor_u8(&c);
	record.flags = ts_cursor_u8(&c);
	if (c.failed)
		return ts_error_set(err, TS_DAMAGED, "a record of %zu bytes", stored.len);
	*ret = record;
	return TS_OK;
}

enum ts_status ts_entry_get(struct ts_read r, const struct ts_id *id, struct ts_entry *ret, bool *ret_found,
			     struct ts_error *err)
{
	struct ts_span stored;

	if (ts_read_get(r, TS_DB_OBJECTS, ts_id_span(id), &stored, ret_found, err))
		return err->status;
	return *ret_found ? ts_entry_parse(id, stored, ret, err) : TS_OK;
}

enum ts_status ts_entries_ahead(struct ts_read r, const struct ts_id *first, size_t stride, size_t n, struct ts_error *err)
{
	struct ts_span *keys;
	enum ts_status status;

	if (!r.kv->far || n < 2)
		return TS_OK;
	keys = ts_alloc_array(n, sizeof *keys);
	if (!keys)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu ids", n);
	for (size_t i = 0; i < n; i++)
		keys[i] = ts_span_of((const uint8_t *)first + i * stride, TS_ID_BYTES);
	status = ts_read_ahead(r, TS_DB_OBJECTS, keys, n, err);
	ts_free(keys);
	return status;
}

enum ts_status ts_entry_put(struct ts_write *w, const struct ts_id *id, const struct ts_entry *record,
			     struct ts_error *err)
{
	struct ts_span key = ts_id_span(id);
	uint8_t room[TS_RECORD_BYTES] = {0};
	struct ts_buf buf = {.data = room, .cap = sizeof room, .ceiling = sizeof room};

	if (ts_entry_is_below(w->kv, record))
		return TS_OK;
	ts_buf_u64(&buf, record->pack);
	ts_buf_u32(&buf, record->offset);
	ts_buf_u32(&buf, record->len);
	ts_buf_u32(&buf, record->raw_len);
	ts_buf_u32(&buf, record->nrefs);
	ts_buf_u64(&buf, record->checksum);
	ts_buf_u64(&buf, (uint64_t)record->lease_ns);
	ts_buf_u8(&buf, record->codec);
	ts_buf_u8(&buf, record->kind);
	ts_buf_u8(&buf, record->flags);
	ts_buf_u8(&buf, 0);
	ts_check_append(&buf, key);
	return ts_write_put(w, TS_DB_OBJECTS, key, ts_buf_view(&buf), err);
}

void ts_pack_key(uint64_t pack, uint8_t out[8])
{
	ts_store_be(out, pack, 8);
}

enum ts_status ts_entry_sealed(struct ts_read r, const struct ts_id *id, const struct ts_entry *record,
				struct ts_sealed *ret, struct ts_error *err)
{
	uint8_t key[8];
	struct ts_span pack;
	bool found;

	ts_pack_key(record->pack, key);
	if (ts_read_get(r, TS_DB_PACKS, ts_span_of(key, sizeof key), &pack, &found, err))
		return err->status;
	if (!found || record->offset > pack.len || record->len > pack.len - record->offset) {
		ts_error_set(err, TS_DAMAGED, "its bytes are not where they should be (pack %" PRIu64 ")",
			     record->pack);
		return ts_object_error(id, err);
	}
	*ret = (struct ts_sealed){
		.id = *id,
		.codec = record->codec,
		.kind = record->kind,
		.nrefs = record->nrefs,
		.raw_len = record->raw_len,
		.checksum = record->checksum,
		.bytes = ts_span_of(pack.data + record->offset, record->len),
	};
	return TS_OK;
}

/* A pack number is never used twice, not even after its pack was swept: a sweep recognizes by the number the pack that it saw. */
enum ts_status ts_packer_begin(struct ts_packer *p, struct ts_write *w, struct ts_span *parts, struct ts_error *err)
{
	*p = (struct ts_packer){.w = w, .parts = parts};
	if (ts_read_u64(ts_read_of(w), "next_pack", &p->pack, err))
		return err->status;
	if (p->pack < w->kv->first_pack)
		p->pack = w->kv->first_pack;
	return TS_OK;
}

static enum ts_status write_pack(struct ts_packer *p, struct ts_error *err)
{
	uint8_t key[8];
	uint8_t *at;

	ts_pack_key(p->pack, key);
	if (ts_write_reserve(p->w, TS_DB_PACKS, ts_span_of(key, sizeof key), p->fill, &at, err))
		return err->status;
	for (size_t i = 0; i < p->n_parts; i++) {
		if (p->parts[i].len)
			memcpy(at, p->parts[i].data, p->parts[i].len);
		at += p->parts[i].len;
	}
	p->pack++;
	p->n_parts = 0;
	p->fill = 0;
	return TS_OK;
}

enum ts_status ts_packer_add(struct ts_packer *p, const struct ts_id *id, struct ts_span bytes, struct ts_entry *record,
			     struct ts_error *err)
{
	if (p->n_parts && p->fill + bytes.len > TS_PACK_BYTES && write_pack(p, err))
		return err->status;
	assert(p->pack >= p->w->kv->first_pack && p->fill <= UINT32_MAX && bytes.len <= UINT32_MAX);
	record->pack = p->pack;
	record->offset = (uint32_t)p->fill;
	record->len = (uint32_t)bytes.len;
	p->parts[p->n_parts++] = bytes;
	p->fill += bytes.len;
	return ts_entry_put(p->w, id, record, err);
}

enum ts_status ts_packer_end(struct ts_packer *p, struct ts_error *err)
{
	if (p->n_parts && write_pack(p, err))
		return err->status;
	return ts_write_u64(p->w, "next_pack", p->pack, err);
}
