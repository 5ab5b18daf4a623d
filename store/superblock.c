/* superblock.c - the blocks of the superblock: packed, and parsed again if their checksums are right. */
#include "store/superblock.h"

#include "base/cursor.h"

#include <xxhash.h>

enum { NAME = 16, TABLE = NAME + 16, TABLES_AT = 48 };
static const char slot_mark[] = "tscopeSB", held_mark[] = "tscopeHD", verdict_mark[] = "tscopeVD";

uint64_t ts_record_hash(enum ts_db db, struct ts_span key, struct ts_span value)
{
	uint64_t seed = XXH3_64bits(key.data, key.len);
	uint8_t len[8];

	if (db != TS_DB_PACKS)
		return XXH3_64bits_withSeed(value.data, value.len, seed);
	ts_store_u64(len, value.len);
	return XXH3_64bits_withSeed(len, sizeof len, seed);
}

void ts_super_pack(const struct ts_super_slot *slot, uint8_t out[TS_SUPER_BLOCK])
{
	uint8_t *at = out + TABLES_AT;

	memset(out, 0, TS_SUPER_BLOCK);
	memcpy(out, slot_mark, 8);
	ts_store_u32(out + 8, TS_SUPER_VERSION);
	ts_store_u32(out + 12, TS_DBS);
	memcpy(out + 16, slot->store, TS_STORE_ID);
	ts_store_u64(out + 32, slot->txn);
	ts_store_u64(out + 40, slot->format);
	for (int db = 0; db < TS_DBS; db++, at += TABLE) {
		const char *name = ts_db_name((enum ts_db)db);

		memcpy(at, name, strlen(name));
		ts_store_u64(at + NAME, slot->tables[db].records);
		ts_store_u64(at + NAME + 8, slot->tables[db].sum);
	}
	ts_store_u64(out + TS_SUPER_HELD - 8, XXH3_64bits(out, TS_SUPER_HELD - 8));
}

/* Reads what stands before the checksum of a slot. */
static bool parse_tables(struct ts_span in, struct ts_super_slot *ret)
{
	const uint8_t *at = in.data;
	struct ts_super_slot slot = {.txn = 0};
	uint32_t tables;

	if (in.len < TABLES_AT || memcmp(at, slot_mark, 8) != 0)
		return false;
	tables = ts_load_u32(at + 12);
	if (ts_load_u32(at + 8) != TS_SUPER_VERSION || tables > (in.len - TABLES_AT) / TABLE)
		return false;
	memcpy(slot.store, at + 16, TS_STORE_ID);
	slot.txn = ts_load_le(at + 32, 8);
	slot.format = ts_load_le(at + 40, 8);
	for (at += TABLES_AT; tables; tables--, at += TABLE)
		for (int db = 0; db < TS_DBS; db++)
			if (strncmp((const char *)at, ts_db_name((enum ts_db)db), NAME) == 0) {
				slot.tables[db] = (struct ts_sum){ts_load_le(at + NAME, 8), ts_load_le(at + NAME + 8, 8)};
				slot.known |= UINT64_C(1) << db;
			}
	*ret = slot;
	return true;
}

bool ts_super_parse(struct ts_span block, struct ts_super_slot *ret)
{
	enum { CHECK_AT = TS_SUPER_HELD - 8 };

	return block.len == TS_SUPER_BLOCK && ts_load_le(block.data + CHECK_AT, 8) == XXH3_64bits(block.data, CHECK_AT) &&
	       parse_tables(ts_span_of(block.data, CHECK_AT), ret);
}

void ts_sums_pack(const uint8_t block[TS_SUPER_BLOCK], uint8_t out[TS_SUMS_BYTES])
{
	memcpy(out, block, TS_SUMS_BYTES - 8);
	ts_store_u64(out + TS_SUMS_BYTES - 8, XXH3_64bits(out, TS_SUMS_BYTES - 8));
}

bool ts_sums_parse(struct ts_span record, struct ts_super_slot *ret)
{
	struct ts_span in = ts_span_of(record.data, record.len < 8 ? 0 : record.len - 8);

	return record.len > 8 && ts_load_le(record.data + in.len, 8) == XXH3_64bits(in.data, in.len) && parse_tables(in, ret);
}

void ts_held_pack(uint64_t txn, const uint8_t meta[TS_META_BYTES], uint8_t out[TS_HELD_BYTES])
{
	memcpy(out, held_mark, 8);
	ts_store_u64(out + 8, txn);
	memcpy(out + 16, meta, TS_META_BYTES);
	ts_store_u64(out + TS_HELD_BYTES - 8, XXH3_64bits(out, TS_HELD_BYTES - 8));
}

bool ts_held_parse(struct ts_span block, uint64_t txn, struct ts_span *ret_meta)
{
	const uint8_t *at = block.data + TS_SUPER_HELD;

	if (block.len != TS_SUPER_BLOCK || memcmp(at, held_mark, 8) != 0 || ts_load_le(at + 8, 8) != txn ||
	    ts_load_le(at + TS_HELD_BYTES - 8, 8) != XXH3_64bits(at, TS_HELD_BYTES - 8))
		return false;
	*ret_meta = ts_span_of(at + 16, TS_META_BYTES);
	return true;
}

void ts_verdict_pack(struct ts_span text, uint32_t harm, uint8_t out[TS_SUPER_BLOCK])
{
	if (text.len > TS_VERDICT_MAX)
		text.len = TS_VERDICT_MAX;
	memset(out, 0, TS_SUPER_BLOCK);
	memcpy(out, verdict_mark, 8);
	ts_store_u32(out + 8, (uint32_t)text.len);
	ts_store_u32(out + 12, harm);
	memcpy(out + 16, text.data, text.len);
	ts_store_u64(out + TS_SUPER_BLOCK - 8, XXH3_64bits(out, TS_SUPER_BLOCK - 8));
}

bool ts_verdict_parse(struct ts_span block, struct ts_span *ret_text, uint32_t *ret_harm)
{
	uint32_t len;

	if (block.len != TS_SUPER_BLOCK || memcmp(block.data, verdict_mark, 8) != 0 ||
	    ts_load_le(block.data + TS_SUPER_BLOCK - 8, 8) != XXH3_64bits(block.data, TS_SUPER_BLOCK - 8))
		return false;
	len = ts_load_u32(block.data + 8);
	if (len == 0 || len > TS_VERDICT_MAX)
		return false;
	*ret_text = ts_span_of(block.data + 16, len);
	*ret_harm = ts_load_u32(block.data + 12);
	return true;
}
