/* increment.c - the parts of the file of an increment: packed, and parsed again if their checksums are right. */
#include "store/increment.h"

#include "base/cursor.h"
#include "store/lmdb_scan.h"

#include <xxhash.h>

enum { HEAD_FIXED = 64, CHECK = 8 };
static const char head_mark[] = "tscopeIN", end_mark[] = "tscopeIE";

static uint64_t hash_of(struct ts_span bytes)
{
	return XXH3_64bits(bytes.data, bytes.len);
}

void ts_state_of(const struct ts_super_slot *slot, struct ts_id *ret)
{
	uint8_t bytes[TS_STORE_ID + TS_DBS * 32] = {0}, *at = bytes + TS_STORE_ID;

	memcpy(bytes, slot->store, TS_STORE_ID);
	for (int db = 0; db < TS_DBS; db++) {
		const char *name = ts_db_name((enum ts_db)db);

		/* A table that a later version adds is empty here, and changes no state. */
		if (!ts_db_is_summed((enum ts_db)db) || !slot->tables[db].records)
			continue;
		memcpy(at, name, strlen(name));
		ts_store_u64(at + 16, slot->tables[db].records);
		ts_store_u64(at + 24, slot->tables[db].sum);
		at += 32;
	}
	ts_digest(ts_span_of(bytes, (size_t)(at - bytes)), ret);
}

/* ---- written ---- */

static void put_text(struct ts_buf *out, struct ts_span text)
{
	ts_buf_u16(out, (uint16_t)text.len);
	ts_buf_span(out, text);
}

void ts_increment_head(struct ts_buf *out, const struct ts_super_slot *slot, const struct ts_id *before, struct ts_span name,
		       struct ts_span folder)
{
	size_t at = out->len;

	ts_buf_bytes(out, head_mark, 8);
	ts_buf_u32(out, TS_INCREMENT_VERSION);
	ts_buf_u32(out, (uint32_t)(HEAD_FIXED + 4 + name.len + folder.len + CHECK));
	ts_buf_bytes(out, slot->store, TS_STORE_ID);
	ts_buf_span(out, ts_id_span(before));
	put_text(out, name);
	put_text(out, folder);
	ts_buf_u64(out, hash_of(ts_span_from(ts_buf_view(out), at)));
}

void ts_increment_entry(struct ts_buf *index, const struct ts_increment_record *record)
{
	ts_buf_u64(index, record->at);
	ts_buf_u64(index, record->hash);
	ts_buf_u32(index, (uint32_t)record->value.len);
	ts_buf_u16(index, (uint16_t)record->key.len);
	ts_buf_u8(index, (uint8_t)record->db);
	ts_buf_u8(index, record->gone);
}

void ts_increment_tail(struct ts_buf *out, const struct ts_super_slot *slot, uint64_t index_at, struct ts_span index)
{
	uint8_t block[TS_SUPER_BLOCK], sums[TS_SUMS_BYTES];
	size_t at = out->len;

	ts_super_pack(slot, block);
	ts_sums_pack(block, sums);
	ts_buf_bytes(out, sums, sizeof sums);
	ts_buf_u64(out, index_at);
	ts_buf_u64(out, index.len / TS_INCREMENT_ENTRY);
	ts_buf_u64(out, hash_of(index));
	ts_buf_u64(out, sizeof sums + TS_INCREMENT_TAIL);
	ts_buf_u64(out, hash_of(ts_span_from(ts_buf_view(out), at)));
	ts_buf_bytes(out, end_mark, 8);
}

/* ---- read ---- */

static enum ts_status damaged(struct ts_error *err, const char *what, uint64_t at)
{
	return ts_error_set(err, TS_DAMAGED, "%s at byte %" PRIu64 " is not what was written", what, at);
}

static struct ts_span take_text(struct ts_cursor *c)
{
	return ts_cursor_bytes(c, ts_cursor_u16(c));
}

static enum ts_status parse_head(struct ts_increment *inc, size_t *ret_end, struct ts_error *err)
{
	struct ts_cursor c = ts_cursor_of(inc->file);
	struct ts_span mark = ts_cursor_bytes(&c, 8), before;
	uint32_t version = ts_cursor_u32(&c), bytes = ts_cursor_u32(&c);

	if (c.failed || memcmp(mark.data, head_mark, 8) != 0)
		return damaged(err, "the beginning", 0);
	if (version != TS_INCREMENT_VERSION)
		return ts_error_set(err, TS_UNSUPPORTED, "its form is number %" PRIu32 ", and this tscope reads number %d", version,
				    TS_INCREMENT_VERSION);
	if (bytes < HEAD_FIXED + 4 + CHECK || bytes > inc->file.len ||
	    hash_of(ts_span_part(inc->file, 0, bytes - CHECK)) != ts_load_le(inc->file.data + bytes - CHECK, 8))
		return damaged(err, "the head", 0);
	c.in.len = bytes - CHECK;
	(void)ts_cursor_bytes(&c, TS_STORE_ID); /* the tail has it, too */
	before = ts_cursor_bytes(&c, TS_ID_BYTES);
	inc->name = take_text(&c);
	inc->folder = take_text(&c);
	if (c.failed || ts_cursor_left(&c) || !inc->name.len || inc->name.len > TS_INCREMENT_NAME_MAX ||
	    inc->folder.len > TS_INCREMENT_NAME_MAX || memchr(inc->name.data, 0, inc->name.len) ||
	    memchr(inc->name.data, '/', inc->name.len) || (inc->folder.len && memchr(inc->folder.data, 0, inc->folder.len)))
		return damaged(err, "the head", 0);
	memcpy(inc->before.bytes, before.data, TS_ID_BYTES);
	*ret_end = bytes;
	return TS_OK;
}

/* Which table each number stands for. */
static void name_tables(struct ts_increment *inc, struct ts_span sums)
{
	const uint8_t *at = sums.data + 48;

	inc->n_tables = ts_load_u32(sums.data + 12);
	for (size_t i = 0; i < inc->n_tables && i < TS_INCREMENT_TABLES; i++, at += 32) {
		inc->tables[i] = TS_DBS;
		for (int db = 0; db < TS_DBS; db++)
			if (strncmp((const char *)at, ts_db_name((enum ts_db)db), 16) == 0)
				inc->tables[i] = (enum ts_db)db;
	}
}

static enum ts_status parse_tail(struct ts_increment *inc, size_t head_end, struct ts_error *err)
{
	size_t left = inc->file.len - head_end, tail_at;
	const uint8_t *end = inc->file.data + inc->file.len, *numbers = end - TS_INCREMENT_TAIL;
	uint64_t index_at, bytes;
	struct ts_span sums;

	if (left < TS_INCREMENT_TAIL || memcmp(end - 8, end_mark, 8) != 0)
		return damaged(err, "the end", inc->file.len);
	bytes = ts_load_le(end - 24, 8);
	if (bytes < TS_INCREMENT_TAIL || bytes > left ||
	    hash_of(ts_span_of(end - bytes, (size_t)bytes - 16)) != ts_load_le(end - 16, 8))
		return damaged(err, "the tail", inc->file.len - TS_INCREMENT_TAIL);
	tail_at = inc->file.len - (size_t)bytes;
	sums = ts_span_of(end - bytes, (size_t)bytes - TS_INCREMENT_TAIL);
	index_at = ts_load_le(numbers, 8);
	inc->n = ts_load_le(numbers + 8, 8);
	if (!ts_sums_parse(sums, &inc->slot) || index_at < head_end || index_at > tail_at ||
	    inc->n != (tail_at - index_at) / TS_INCREMENT_ENTRY || (tail_at - index_at) % TS_INCREMENT_ENTRY)
		return damaged(err, "the tail", tail_at);
	name_tables(inc, sums);
	inc->index = ts_span_part(inc->file, (size_t)index_at, tail_at - (size_t)index_at);
	return hash_of(inc->index) == ts_load_le(numbers + 16, 8) ? TS_OK : damaged(err, "the index", index_at);
}

enum ts_status ts_increment_parse(struct ts_span file, struct ts_increment *ret, struct ts_error *err)
{
	struct ts_increment inc = {.file = file};
	size_t head_end = 0;

	if (parse_head(&inc, &head_end, err) || parse_tail(&inc, head_end, err))
		return err->status;
	*ret = inc;
	return TS_OK;
}

enum ts_status ts_increment_record(const struct ts_increment *inc, uint64_t i, struct ts_increment_record *ret, struct ts_error *err)
{
	struct ts_cursor c = ts_cursor_of(ts_span_part(inc->index, (size_t)i * TS_INCREMENT_ENTRY, TS_INCREMENT_ENTRY));
	uint64_t at = ts_cursor_u64(&c), hash = ts_cursor_u64(&c), end = (uint64_t)(inc->index.data - inc->file.data);
	uint32_t value = ts_cursor_u32(&c);
	uint16_t key = ts_cursor_u16(&c);
	uint8_t db = ts_cursor_u8(&c), gone = ts_cursor_u8(&c);
	struct ts_increment_record record = {.gone = gone, .at = at, .hash = hash};

	if (db >= inc->n_tables || db >= TS_INCREMENT_TABLES || gone > 1 || key == 0 || key > TS_KEY_MAX || at > end ||
	    (uint64_t)key + value > end - at)
		return damaged(err, "the index", end);
	record.db = inc->tables[db];
	if (record.db == TS_DBS)
		return ts_error_set(err, TS_UNSUPPORTED, "it has a table that a newer tscope wrote");
	record.key = ts_span_part(inc->file, (size_t)at, key);
	record.value = ts_span_part(inc->file, (size_t)at + key, value);
	if (ts_record_hash(record.db, record.key, record.value) != hash)
		return ts_error_set(err, TS_DAMAGED, "the record of %s at byte %" PRIu64 " is not what was written",
				    ts_scan_word(record.db), at);
	*ret = record;
	return TS_OK;
}
