/* superblock.h - the form of the file `superblock` beside LMDB's data.mdb, which says what the tables of a store hold. Internal to
 * store/.
 *
 * LMDB has no checksums: an emptied file, an older page or a page of zeros can look like a sound store with less in it. So each commit
 * says here, before it is LMDB's, what will be there after it: the number of the transaction, and of each table how many records it has
 * and their sum, which is the sum of a hash of each record and so is kept up by a put and a delete alone.
 *
 * A file of three blocks of TS_SUPER_BLOCK bytes, little-endian: a slot for even transactions, one for odd ones, and the verdict, which
 * is there once the store was found damaged. What has a wrong checksum is not there.
 *	slot	"tscopeSB" u32:version u32:tables bytes16:store u64:transaction u64:format, then of each table
 *		bytes16:name u64:records u64:sum, and at TS_SUPER_HELD - 8 the XXH3 of what lies before
 *	held	at TS_SUPER_HELD in a slot, within one sector: "tscopeHD" u64:transaction, LMDB's own meta as it was committed, XXH3
 *	verdict	"tscopeVD" u32:bytes u32:harm, a sentence, and at the end of the block the XXH3 of what lies before
 *
 * Order of writes. A commit of transaction N+1: (1) the whole slot of N+1, over that of N-1, and a sync of the file, the only one
 * that is added to a commit (and so to a group of them); (2) LMDB's commit; (3) `held` of that slot, which nothing waits for: a
 * kill keeps it, and the next sync brings it to the disk. So whenever LMDB stands at N there is a sound slot of N: a write of it
 * that was torn is one over N-1, before LMDB stood at N+1, and (3) rewrites one sector with a checksum of its own.
 *
 * What opening does, when LMDB stands at transaction T:
 *	slot T			the tables are held to it, and LMDB's meta to `held` if it is there
 *	slot T+1, not held	a crash came between (1) and (2); nothing was acknowledged, and slot T counts
 *	slot T+1, held		the store has gone back by an acknowledged commit: it is damaged
 *	no slot T		the superblock is older, newer or torn as no crash leaves it: the store is damaged
 *	another store's		the superblock or the data file was exchanged: the store is damaged
 *	no file, old format	the store is scanned and gets one, with the number of this format, which older programs refuse
 *	no file, this format	a data file that was copied alone: the same, if the scan finds it sound
 *	no data file, or one
 *	of no bytes, T > 0	the data file was removed or emptied: it is damaged, and never begun anew
 */
#ifndef TSCOPE_STORE_SUPERBLOCK_H
#define TSCOPE_STORE_SUPERBLOCK_H

#include "store/kv.h"
#include "store/lmdb_page.h"

enum { TS_SUPER_BLOCK = 4096, TS_SUPER_HELD = 2048, TS_SUPER_BYTES = 3 * TS_SUPER_BLOCK, TS_SUPER_VERSION = 1 };
enum { TS_STORE_ID = 16, TS_VERDICT_MAX = 900 };

struct ts_sum {
	uint64_t records, sum;
};

struct ts_super_slot {
	uint8_t store[TS_STORE_ID]; /* drawn when the store was made */
	uint64_t txn;
	uint64_t format; /* TS_STORE_FORMAT of who wrote it */
	struct ts_sum tables[TS_DBS];
	uint64_t known; /* of a parsed one: a bit for each table that it lists; an older program knew fewer */
};

/* Records of meta: the sums of all others, for a data file that lies alone, whose they are, of whose store they become a copy, and of
 * what they are a read-only copy (store_mirrored.c). */
#define TS_SUMS_KEY "sums"
#define TS_STORE_KEY "store"
#define TS_COPY_KEY "copy_of"
#define TS_MIRRORED_KEY "mirror_of"
#define TS_VERIFIED_KEY "verified"

/* The hash of a record, for a sum; of a pack, that of its key and length, since each object in it has a checksum. */
uint64_t ts_record_hash(enum ts_db db, struct ts_span key, struct ts_span value);

void ts_super_pack(const struct ts_super_slot *slot, uint8_t out[TS_SUPER_BLOCK]);
/* False if this is no slot that this program can read. Tables that it does not know are passed over; those that it lacks are empty. */
bool ts_super_parse(struct ts_span block, struct ts_super_slot *ret);
/* The tables of a packed slot alone, with a checksum, as they lie in a record of meta; and read again. */
enum { TS_SUMS_BYTES = 48 + TS_DBS * 32 + 8 };
void ts_sums_pack(const uint8_t block[TS_SUPER_BLOCK], uint8_t out[TS_SUMS_BYTES]);
bool ts_sums_parse(struct ts_span record, struct ts_super_slot *ret);
/* The sector at TS_SUPER_HELD. */
enum { TS_HELD_BYTES = 16 + TS_META_BYTES + 8 };
void ts_held_pack(uint64_t txn, const uint8_t meta[TS_META_BYTES], uint8_t out[TS_HELD_BYTES]);
/* LMDB's meta of the slot's transaction; false if it is not there. */
bool ts_held_parse(struct ts_span block, uint64_t txn, struct ts_span *ret_meta);
void ts_verdict_pack(struct ts_span text, uint32_t harm, uint8_t out[TS_SUPER_BLOCK]);
bool ts_verdict_parse(struct ts_span block, struct ts_span *ret_text, uint32_t *ret_harm);

#endif
