/* lmdb_page.h - reads LMDB's pages without trusting one: get and walk of a snapshot, in place. LMDB itself believes what a page
 * says of its own length and children, and a damaged one ends the process; here it is an error that names the page. Internal to
 * store/lmdb_*.c.
 *
 * The form is that of LMDB 0.9, little-endian, 64 bits, without LMDB's duplicates. Page 0 and 1 are metas, written in turn.
 * What is read of a page is held to its bounds, its number and its kind; what it says is what was written there once, and perhaps
 * not last: only the sums of the superblock know that (superblock.h).
 * Return codes: 0, MDB_NOTFOUND, MDB_CORRUPTED with pages->bad set to the page.
 * Threads: a struct ts_tree belongs to one thread; pages are read only.
 */
#ifndef TSCOPE_STORE_LMDB_PAGE_H
#define TSCOPE_STORE_LMDB_PAGE_H

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

enum { TS_META_AT = 16, TS_META_BYTES = 136, TS_ROOT_BYTES = 48, TS_TREE_DEPTH = 32 };
enum { TS_PAGE_BRANCH = 1, TS_PAGE_LEAF = 2, TS_PAGE_OVERFLOW = 4, TS_PAGE_META = 8 };
#define TS_NO_PAGE UINT64_MAX

struct ts_pages {
	const uint8_t *at; /* page 0 */
	uint64_t n;	   /* pages that may be read */
	uint32_t size;	   /* of one */
	uint64_t bad;	   /* the last page that was found damaged */
};

/* Where a tree begins, and what LMDB counts of it. */
struct ts_root {
	uint64_t page; /* TS_NO_PAGE: it is empty */
	uint64_t branches, leaves, overflows, records;
	uint16_t depth;
};

struct ts_meta {
	struct ts_root free, main;
	uint64_t last; /* page that is in use, or was */
	uint64_t txn;
	uint32_t page_size;
};

struct ts_node {
	struct ts_span key, value; /* of a leaf: value.data is NULL when it lies in pages of its own */
	uint64_t page;		   /* of a branch the child; of such a value its first page */
};

/* False if these are not the bytes of a meta (TS_META_BYTES of them, as they lie at TS_META_AT in its page). */
bool ts_meta_parse(struct ts_span bytes, struct ts_meta *ret);
bool ts_root_parse(struct ts_span bytes, struct ts_root *ret);
/* Finds the newer of both metas; false if none is sound. `size` bytes may be read; *ret_both: both are sound. */
bool ts_metas_find(const uint8_t *file, uint64_t size, struct ts_meta *ret, bool *ret_both);

/* A page of a tree, or NULL. `kind` is TS_PAGE_BRANCH or TS_PAGE_LEAF. */
const uint8_t *ts_tree_page(struct ts_pages *p, uint64_t number, unsigned kind);
static inline unsigned ts_page_nodes(const uint8_t *page)
{
	return (unsigned)((page[12] | page[13] << 8) - 16) / 2;
}
bool ts_page_node(struct ts_pages *p, const uint8_t *page, unsigned kind, unsigned i, struct ts_node *ret);
/* Whether a page that may be damaged has, as far as can be told, children and no records: it says so, or its first key is empty, as no
 * record's is. */
bool ts_page_is_branch(const struct ts_pages *p, const uint8_t *page);
/* Whether a page has the form of a leaf that is whole, wherever it lies. */
bool ts_page_is_leaf(struct ts_pages *p, const uint8_t *page);
/* The record of a leaf that begins at a byte of its page, of which the header and the other nodes may be damaged. What it says is held
 * to its own checksum. */
bool ts_page_record_at(struct ts_pages *p, const uint8_t *page, unsigned at, struct ts_node *ret);
/* Every node lies where it can, they fill the page as LMDB fills it, and keys rise; of integers, as those of the free list are. */
bool ts_page_check(struct ts_pages *p, const uint8_t *page, unsigned kind, bool integers);
/* The value of a node that lies in pages of its own. */
int ts_node_value(struct ts_pages *p, struct ts_node *node);
static inline uint64_t ts_node_pages(const struct ts_pages *p, const struct ts_node *node)
{
	return (node->value.len + 15) / p->size + 1;
}

/* A place in a tree. */
struct ts_tree {
	struct ts_pages *pages;
	struct ts_root root;
	bool integers; /* keys are numbers of 64 bits, as those of the free list */
	struct {
		const uint8_t *page;
		unsigned at;
	} stack[TS_TREE_DEPTH];
};

int ts_tree_get(struct ts_pages *p, const struct ts_root *root, struct ts_span key, struct ts_span *ret_value);
/* Down to where a key is, or would be: the place in the leaf may be one behind its last node. */
int ts_tree_seek(struct ts_tree *t, struct ts_span key, bool *ret_same);
int ts_tree_first(struct ts_tree *t, struct ts_node *ret);
/* To the first record that is not below key. */
int ts_tree_from(struct ts_tree *t, struct ts_span key, struct ts_node *ret);
/* To the last one that is below. */
int ts_tree_below(struct ts_tree *t, struct ts_span key, struct ts_node *ret);
int ts_tree_next(struct ts_tree *t, struct ts_node *ret);
int ts_tree_prev(struct ts_tree *t, struct ts_node *ret);

#endif
