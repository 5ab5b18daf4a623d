/* bundle.h - packs of a store (store_pack.c) gathered into one object of a bucket, a bundle, and the records that say where they lie.
 *
 * A bundle has 8 to 32 MiB, never changes, and is named by its SHA-256. It begins with a table of its packs, so that it can be read
 * without the database:
 *
 *	8	"TSBNDL1\n"
 *	16	random: no two bundles are equal, so that one that is being deleted is never put again
 *	4, 4	n, 0
 *	n x 48	number of the pack (8), its length (4), checksum of the row (4; 0: an older version wrote it), its SHA-256 (32)
 *	...	the bytes of the packs, one after the other
 *
 * Numbers are little-endian. The records lie in the database of packs (kv.h) beside the packs that no bundle has yet, whose keys have 8
 * bytes; each ends in a checksum as others do:
 *
 *	f8 digest	vouched: verify has read the bundle, and all that lies in it, and found it sound
 *	f9 digest	thin: less than half of what the bundle has is a pack still
 *	fa		how often packs were deleted, put anew, or got places
 *	fb time digest	dead: nothing of the bundle is a pack; time by the database, big-endian, 0: not known yet
 *	fc		coming: the bundle that is being put -> digest, until when by the database, bytes
 *	fd		about: 16 bytes that no other store has
 *	fe digest	a bundle -> its bytes, those that are packs still
 *	ff pack		place -> digest of the bundle, offset, length, SHA-256 of the pack
 *
 * Where a pack has a place and bytes, the place counts. Pure. Threads: safe.
 */
#ifndef TSCOPE_STORE_CLUSTER_BUNDLE_H
#define TSCOPE_STORE_CLUSTER_BUNDLE_H

#include "base/digest.h"
#include "store/kv.h"

enum { TS_BUNDLE_LEAST = 8 << 20, TS_BUNDLE_MOST = 32 << 20, TS_BUNDLE_HEAD = 32, TS_BUNDLE_ROW = 48, TS_BUNDLE_PARTS_MOST = 1 << 16 };
enum { TS_STORE_UID = 16, TS_PACK_KEY = 8, TS_BUNDLE_KEY_MAX = 41, TS_BUNDLE_FIRST = 0xf0 };

struct ts_bundle_part {
	uint64_t pack, offset;
	uint32_t len;
	struct ts_id digest;
};

struct ts_place {
	struct ts_id bundle;
	uint64_t offset;
	uint32_t len;
	struct ts_id digest;
};
struct ts_bundle {
	uint64_t bytes, live_bytes;
};
struct ts_coming {
	struct ts_id bundle;
	int64_t until_ns;
	uint64_t bytes;
};

/* Appends the table; sets the offsets of the parts, whose bytes come next. */
void ts_bundle_begin(struct ts_buf *out, const uint8_t random[16], struct ts_bundle_part *parts, size_t n);
/* Reads the first TS_BUNDLE_HEAD bytes; *ret_n: rows follow. TS_DAMAGED. */
enum ts_status ts_bundle_head_parse(struct ts_span head, size_t *ret_n, struct ts_error *err);
/* Reads the n rows that follow. parts has room for them. TS_DAMAGED for a table that cannot be of `bytes`, the length of the bundle. */
enum ts_status ts_bundle_rows_parse(struct ts_span rows, size_t n, uint64_t bytes, struct ts_bundle_part *parts, struct ts_error *err);

enum ts_bundle_kind {
	TS_KIND_VOUCHED = 0xf8,
	TS_KIND_THIN,
	TS_KIND_DELETES,
	TS_KIND_DEAD,
	TS_KIND_COMING,
	TS_KIND_ABOUT,
	TS_KIND_BUNDLE,
	TS_KIND_PLACE
};

/* A key in the room of its caller. */
struct ts_bundle_key {
	uint8_t bytes[TS_BUNDLE_KEY_MAX];
	size_t len;
};
struct ts_bundle_key ts_key_of(enum ts_bundle_kind kind);				     /* also the prefix of all of the kind */
struct ts_bundle_key ts_key_of_bundle(enum ts_bundle_kind kind, const struct ts_id *bundle); /* VOUCHED, THIN, BUNDLE */
struct ts_bundle_key ts_key_of_dead(int64_t at_ns, const struct ts_id *bundle);
struct ts_bundle_key ts_key_of_place(uint64_t pack);
static inline struct ts_span ts_bundle_key_span(const struct ts_bundle_key *key)
{
	return ts_span_of(key->bytes, key->len);
}

/* Each reads or writes one record. What is damaged is TS_DAMAGED. */
enum ts_status ts_place_parse(struct ts_span key, struct ts_span stored, struct ts_place *ret, struct ts_error *err);
enum ts_status ts_place_get(struct ts_read r, uint64_t pack, struct ts_place *ret, bool *ret_found, struct ts_error *err);
enum ts_status ts_place_put(struct ts_write *w, uint64_t pack, const struct ts_place *place, struct ts_error *err);
enum ts_status ts_bundle_get(struct ts_read r, const struct ts_id *id, struct ts_bundle *ret, bool *ret_found, struct ts_error *err);
enum ts_status ts_bundle_put(struct ts_write *w, const struct ts_id *id, const struct ts_bundle *bundle, struct ts_error *err);
enum ts_status ts_coming_get(struct ts_read r, struct ts_coming *ret, bool *ret_found, struct ts_error *err);
enum ts_status ts_coming_put(struct ts_write *w, const struct ts_coming *coming, struct ts_error *err);
enum ts_status ts_dead_put(struct ts_write *w, int64_t at_ns, const struct ts_id *bundle, struct ts_error *err);
/* Of a bundle that is not there any more, nothing is written. */
enum ts_status ts_vouched_put(struct ts_write *w, const struct ts_id *bundle, struct ts_error *err);
enum ts_status ts_about_get(struct ts_read r, uint8_t ret_uid[TS_STORE_UID], bool *ret_found, struct ts_error *err);
enum ts_status ts_about_put(struct ts_write *w, const uint8_t uid[TS_STORE_UID], struct ts_error *err);
enum ts_status ts_deletes_get(struct ts_read r, uint64_t *ret_n, struct ts_error *err);
/* A pack of a bundle goes: what is left of it, and whether it becomes thin or dead. */
enum ts_status ts_bundle_lose(struct ts_write *w, const struct ts_id *id, uint32_t bytes, struct ts_error *err);
enum ts_status ts_deletes_add(struct ts_write *w, struct ts_error *err);
/* The name of a bundle in the bucket, and of the object that says whose its folder is. */
enum { TS_BUNDLE_NAME = 128 };
const char *ts_bundle_name(const uint8_t uid[TS_STORE_UID], const struct ts_id *bundle, char room[TS_BUNDLE_NAME]);
const char *ts_marker_name(const uint8_t uid[TS_STORE_UID], char room[TS_BUNDLE_NAME]);

#endif
