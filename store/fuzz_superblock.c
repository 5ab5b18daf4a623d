/* fuzz_superblock.c - reads any bytes as the superblock of a store and the data file behind it. The target sets the right checksums
 * in the superblock, since otherwise no code after them would be reached; the pages of the data file have none. Besides not
 * crashing: what is parsed and packed again is the same; a scan takes each page once, so it ends; and whoever walks a tree ends,
 * too, within what the scan calls sound.
 */
#include "base/cursor.h"
#include "store/lmdb_scan.h"
#include "tests/fuzz/fuzz_hold.h"

#include <stdlib.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(uint8_t *block, size_t at)
{
	ts_store_u64(block + at, XXH3_64bits(block, at));
}

static void parse_slot(uint8_t block[TS_SUPER_BLOCK])
{
	uint8_t again[TS_SUPER_BLOCK], sums[TS_SUMS_BYTES], held[TS_HELD_BYTES];
	struct ts_super_slot slot, second;
	struct ts_meta lmdb;
	struct ts_span meta;

	check(block, TS_SUPER_HELD - 8);
	ts_store_u64(block + TS_SUPER_HELD + TS_HELD_BYTES - 8, XXH3_64bits(block + TS_SUPER_HELD, TS_HELD_BYTES - 8));
	if (!ts_super_parse(ts_span_of(block, TS_SUPER_BLOCK), &slot))
		return;
	ts_super_pack(&slot, again);
	slot.known = (UINT64_C(1) << TS_DBS) - 1; /* what is packed lists every table */
	hold(ts_super_parse(ts_span_of(again, TS_SUPER_BLOCK), &second) && memcmp(&slot, &second, sizeof slot) == 0);
	ts_sums_pack(again, sums);
	hold(ts_sums_parse(ts_span_of(sums, sizeof sums), &second) && memcmp(&slot, &second, sizeof slot) == 0);
	if (!ts_held_parse(ts_span_of(block, TS_SUPER_BLOCK), slot.txn, &meta))
		return;
	(void)ts_meta_parse(meta, &lmdb);
	ts_held_pack(slot.txn, meta.data, held);
	hold(memcmp(held, block + TS_SUPER_HELD, sizeof held) == 0);
}

static void parse_verdict(uint8_t block[TS_SUPER_BLOCK])
{
	uint8_t again[TS_SUPER_BLOCK];
	struct ts_span text, second;
	uint32_t harm, harm_again;

	check(block, TS_SUPER_BLOCK - 8);
	if (!ts_verdict_parse(ts_span_of(block, TS_SUPER_BLOCK), &text, &harm))
		return;
	ts_verdict_pack(text, harm, again);
	hold(ts_verdict_parse(ts_span_of(again, TS_SUPER_BLOCK), &second, &harm_again) && ts_span_eq(text, second) &&
	     harm == harm_again);
}

/* Walks a tree both ways, as far as the scan counted. */
static void walk_table(struct ts_scan *s, int db)
{
	struct ts_tree tree = {.pages = &s->pages, .root = s->roots[db]};
	uint64_t records = s->found[db].records, n = 0, back = 0;
	struct ts_node node;
	uint8_t key[TS_KEY_MAX];
	size_t len = 0;

	for (int rc = ts_tree_first(&tree, &node); rc == 0 && n <= records; rc = ts_tree_next(&tree, &node), n++) {
		len = node.key.len < sizeof key ? node.key.len : sizeof key;
		memcpy(key, node.key.data, len);
	}
	if (n == 0 || ts_tree_from(&tree, ts_span_of(key, len), &node))
		return;
	while (back <= records && ts_tree_prev(&tree, &node) == 0)
		back++;
	if (!s->bad && db != TS_DB_META)
		hold(n == records && back + 1 == n);
}

static void read_data(struct ts_span file)
{
	struct ts_scan s = {.used = NULL};
	struct ts_error err;
	bool both;

	if (!ts_metas_find(file.data, file.len, &s.meta, &both) || s.meta.last > 1 << 16)
		return;
	s.pages = (struct ts_pages){.at = file.data, .n = file.len / s.meta.page_size, .size = s.meta.page_size};
	if (ts_scan_run(&s, &err) == TS_OK)
		for (int db = 0; db < TS_DBS; db++)
			if (s.roots[db].page)
				walk_table(&s, db);
	hold(s.tree_pages <= s.pages.n);
	ts_scan_finish(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t super[TS_SUPER_BYTES] = {0};

	memcpy(super, data, size < sizeof super ? size : sizeof super);
	parse_slot(super);
	parse_slot(super + TS_SUPER_BLOCK);
	parse_verdict(super + 2 * TS_SUPER_BLOCK);
	if (size > TS_SUPER_BYTES)
		read_data(ts_span_of(data + TS_SUPER_BYTES, size - TS_SUPER_BYTES));
	return 0;
}
