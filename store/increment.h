/* increment.h - the form of the file `increment`, which is a backup that holds only what changed since another one. Internal to store/.
 *
 * It has, of each table, the records that are new or others than in the backup before, and the keys of those that are gone; of packs,
 * which never change, the new ones. Little-endian:
 *	head	"tscopeIN" u32:version u32:bytes of the head, bytes16:store bytes32:state of the backup before, of its name and of its
 *		folder u16:length and the text, XXH3 of what lies before
 *	records	key and value of each
 *	index	of each record u64:place u64:hash u32:length of the value, u16:length of the key u8:table u8:1 if it is gone
 *	tail	the sums of all tables after it (ts_sums_pack), u64:place of the index u64:records u64:XXH3 of the index
 *		u64:bytes of the tail u64:XXH3 of what lies before in the tail, "tscopeIE"
 * The number of a table is its place in those sums, which have its name. The hash of a record is that of the sums, so of a pack it
 * covers the key and the length: each object in it has a checksum.
 *
 * A state is a digest of the sums: two stores of one state hold the same records.
 */
#ifndef TSCOPE_STORE_INCREMENT_H
#define TSCOPE_STORE_INCREMENT_H

#include "base/digest.h"
#include "store/superblock.h"

#define TS_INCREMENT_FILE "increment"
enum { TS_INCREMENT_VERSION = 1, TS_INCREMENT_ENTRY = 24, TS_INCREMENT_TAIL = 48 };
enum { TS_INCREMENT_NAME_MAX = 4095, TS_INCREMENT_TABLES = 64 };

struct ts_increment {
	struct ts_span file; /* not owned; the rest points into it */
	struct ts_super_slot slot;
	struct ts_id before;	    /* state of the backup that it builds on */
	struct ts_span name, folder; /* of that one: the last part of its path, and what lies before it */
	struct ts_span index;
	uint64_t n;
	enum ts_db tables[TS_INCREMENT_TABLES]; /* TS_DBS: one that this program does not know */
	size_t n_tables;
};

struct ts_increment_record {
	enum ts_db db;
	bool gone;
	struct ts_span key, value;
	uint64_t at; /* of the key in the file */
	uint64_t hash;
};

/* The state of a store of which a slot tells. */
void ts_state_of(const struct ts_super_slot *slot, struct ts_id *ret);

/* TS_DAMAGED with the byte, or TS_UNSUPPORTED for a newer form. */
enum ts_status ts_increment_parse(struct ts_span file, struct ts_increment *ret, struct ts_error *err);
/* Record i, which is less than n, held to its hash: TS_DAMAGED with the byte and the table. */
enum ts_status ts_increment_record(const struct ts_increment *inc, uint64_t i, struct ts_increment_record *ret, struct ts_error *err);

/* Append the parts that a writer makes. */
void ts_increment_head(struct ts_buf *out, const struct ts_super_slot *slot, const struct ts_id *before, struct ts_span name,
		       struct ts_span folder);
void ts_increment_entry(struct ts_buf *index, const struct ts_increment_record *record);
void ts_increment_tail(struct ts_buf *out, const struct ts_super_slot *slot, uint64_t index_at, struct ts_span index);

#endif
