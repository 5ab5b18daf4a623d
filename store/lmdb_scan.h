/* lmdb_scan.h - reads every page of a snapshot's trees, and holds each to the form that LMDB gives it, every page to one owner, and
 * every table to its sum. Internal to store/lmdb_*.c. Objects' bytes are not read, since each has a checksum; verify reads them.
 *
 * Work: the pages of trees, which are a hundredth of a store, and three bits for each page of the file.
 */
#ifndef TSCOPE_STORE_LMDB_SCAN_H
#define TSCOPE_STORE_LMDB_SCAN_H

#include "base/error.h"
#include "store/superblock.h"

enum { TS_SCAN_FREE = TS_DBS_EVER, TS_SCAN_MAIN, TS_SCAN_TREES };

/* Called with each record of a sound page; db may be one that this program does not sum. */
typedef enum ts_status ts_scan_visit(void *ctx, enum ts_db db, struct ts_span key, struct ts_span value, struct ts_error *err);

struct ts_scan {
	/* given */
	struct ts_pages pages;
	struct ts_meta meta;
	ts_scan_visit *visit; /* NULL: none */
	void *ctx;
	/* found */
	struct ts_root roots[TS_DBS_EVER];
	struct ts_sum found[TS_DBS];
	uint64_t lost[TS_SCAN_TREES]; /* damaged places of each tree */
	uint64_t bad;		      /* the first damaged page; 0: none */
	unsigned bad_tree;	      /* and its tree */
	uint64_t tree_pages;
	uint8_t *used;	 /* a bit for each page that is in a tree or free */
	uint8_t *harmed; /* and for each that is in a tree and was found damaged */
	uint8_t *sent;	 /* and for each of these that is in the tree of packs, whose values somebody sent */
};

/* The caller frees with ts_scan_finish, also after a failure. TS_NO_MEMORY, or what visit returns; damage is no failure. */
enum ts_status ts_scan_run(struct ts_scan *s, struct ts_error *err);
void ts_scan_finish(struct ts_scan *s);
static inline bool ts_scan_is_used(const struct ts_scan *s, uint64_t page)
{
	return s->used[page / 8] >> page % 8 & 1;
}
static inline bool ts_scan_is_harmed(const struct ts_scan *s, uint64_t page)
{
	return s->harmed[page / 8] >> page % 8 & 1;
}
static inline bool ts_scan_is_sent(const struct ts_scan *s, uint64_t page)
{
	return s->sent[page / 8] >> page % 8 & 1;
}
/* What a table is called in a sentence. */
const char *ts_scan_word(unsigned tree);
/* The roots of a snapshot's tables, by its catalogue; absent ones are empty. MDB_CORRUPTED where the catalogue cannot be read. */
int ts_roots_find(struct ts_pages *p, const struct ts_meta *meta, struct ts_root roots[TS_DBS]);
/* Whether a list of free pages, the value of a record of the free list, is one. */
bool ts_free_pages_check(const struct ts_meta *meta, struct ts_span value, uint64_t *ret_n);

#endif
