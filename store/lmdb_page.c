/* lmdb_page.c - LMDB's pages: metas, nodes, and the walk down a tree, each held to its bounds before it is read. */
#include "store/lmdb_page.h"

#include "base/bisect.h"
#include "base/cursor.h"

#include <lmdb.h>

enum { HEADER = 16, NODE = 8, BIG = 1, MAGIC_AT = 0, ROOTS_AT = 24, LAST_AT = 120, TXN_AT = 128 };
enum { PAGE_LEAST = 512, PAGE_MOST = 65536 };
static const uint32_t magic = 0xbeefc0de;

static inline unsigned u16(const uint8_t *at)
{
	return (unsigned)(at[0] | at[1] << 8);
}

bool ts_root_parse(struct ts_span bytes, struct ts_root *ret)
{
	if (bytes.len != TS_ROOT_BYTES)
		return false;
	*ret = (struct ts_root){
		.depth = (uint16_t)ts_load_le(bytes.data + 6, 2),
		.branches = ts_load_le(bytes.data + 8, 8),
		.leaves = ts_load_le(bytes.data + 16, 8),
		.overflows = ts_load_le(bytes.data + 24, 8),
		.records = ts_load_le(bytes.data + 32, 8),
		.page = ts_load_le(bytes.data + 40, 8),
	};
	if (ret->page == TS_NO_PAGE)
		return ret->depth == 0 && ret->records == 0;
	return ret->page >= 2 && ret->depth > 0 && ret->depth < TS_TREE_DEPTH && ret->records > 0;
}

bool ts_meta_parse(struct ts_span bytes, struct ts_meta *ret)
{
	const uint8_t *at = bytes.data;

	if (bytes.len != TS_META_BYTES || ts_load_le(at + MAGIC_AT, 4) != magic || ts_load_le(at + 4, 4) != 1)
		return false;
	ret->page_size = (uint32_t)ts_load_le(at + ROOTS_AT, 4);
	ret->last = ts_load_le(at + LAST_AT, 8);
	ret->txn = ts_load_le(at + TXN_AT, 8);
	return ret->page_size >= PAGE_LEAST && ret->page_size <= PAGE_MOST && !(ret->page_size & (ret->page_size - 1)) &&
	       ret->last > 0 && ret->last < (uint64_t)1 << 48 && ts_root_parse(ts_span_of(at + ROOTS_AT, TS_ROOT_BYTES), &ret->free) &&
	       ts_root_parse(ts_span_of(at + ROOTS_AT + TS_ROOT_BYTES, TS_ROOT_BYTES), &ret->main);
}

static bool meta_at(const uint8_t *file, uint64_t size, uint64_t which, uint32_t page_size, struct ts_meta *ret)
{
	const uint8_t *page = file + which * page_size;

	if (size < (which + 1) * page_size || ts_load_le(page, 8) != which || u16(page + 10) != TS_PAGE_META)
		return false;
	return ts_meta_parse(ts_span_of(page + TS_META_AT, TS_META_BYTES), ret) && ret->page_size == page_size;
}

bool ts_metas_find(const uint8_t *file, uint64_t size, struct ts_meta *ret, bool *ret_both)
{
	struct ts_meta metas[2];
	bool first = false, second = false;

	/* The first meta says how large pages are; without it, each size is tried. */
	for (uint32_t page_size = PAGE_LEAST; page_size <= PAGE_MOST && !first && !second; page_size *= 2) {
		first = meta_at(file, size, 0, page_size, &metas[0]);
		second = meta_at(file, size, 1, page_size, &metas[1]);
	}
	*ret_both = first && second;
	if (first || second)
		*ret = !second || (first && metas[0].txn > metas[1].txn) ? metas[0] : metas[1];
	return first || second;
}

static bool has_header(const struct ts_pages *p, const uint8_t *page, unsigned kind)
{
	unsigned lower = u16(page + 12), upper = u16(page + 14);

	return u16(page + 10) == kind && lower > HEADER && lower % 2 == 0 && lower <= upper && upper <= p->size;
}

const uint8_t *ts_tree_page(struct ts_pages *p, uint64_t number, unsigned kind)
{
	const uint8_t *page;

	p->bad = number;
	if (number < 2 || number >= p->n)
		return NULL;
	page = p->at + number * p->size;
	return ts_load_le(page, 8) == number && has_header(p, page, kind) ? page : NULL;
}

static bool node_at(const struct ts_pages *p, const uint8_t *page, unsigned kind, unsigned at, struct ts_node *ret)
{
	const uint8_t *node = page + at;
	unsigned room, keys;
	uint64_t size;

	if (at + NODE > p->size || at % 2)
		return false;
	room = p->size - at - NODE;
	keys = u16(node + 6);
	if (keys > room)
		return false;
	ret->key = ts_span_of(node + NODE, keys);
	size = u16(node) | (uint64_t)u16(node + 2) << 16;
	if (kind == TS_PAGE_BRANCH) {
		ret->page = size | (uint64_t)u16(node + 4) << 32;
		return true;
	}
	if (keys == 0)
		return false;
	ret->value = ts_span_of(node + NODE + keys, (size_t)size);
	if (!(u16(node + 4) & BIG))
		return size <= room - keys;
	if (room - keys < 8)
		return false;
	ret->page = ts_load_le(node + NODE + keys, 8);
	ret->value.data = NULL;
	return true;
}

bool ts_page_node(struct ts_pages *p, const uint8_t *page, unsigned kind, unsigned i, struct ts_node *ret)
{
	unsigned at = u16(page + HEADER + 2 * i);

	return at >= u16(page + 14) && node_at(p, page, kind, at, ret);
}

bool ts_page_is_branch(const struct ts_pages *p, const uint8_t *page)
{
	unsigned first = u16(page + HEADER);

	return u16(page + 10) == TS_PAGE_BRANCH || (first > HEADER && first + NODE <= p->size && u16(page + first + 6) == 0);
}

bool ts_page_record_at(struct ts_pages *p, const uint8_t *page, unsigned at, struct ts_node *ret)
{
	return at >= HEADER && node_at(p, page, TS_PAGE_LEAF, at, ret);
}

int ts_node_value(struct ts_pages *p, struct ts_node *node)
{
	uint64_t n = ts_node_pages(p, node);
	const uint8_t *page;

	if (node->value.data)
		return 0;
	p->bad = node->page;
	if (node->page < 2 || node->page >= p->n || n > p->n - node->page)
		return MDB_CORRUPTED;
	page = p->at + node->page * p->size;
	if (ts_load_le(page, 8) != node->page || u16(page + 10) != TS_PAGE_OVERFLOW || ts_load_le(page + 12, 4) != n)
		return MDB_CORRUPTED;
	node->value.data = page + HEADER;
	return 0;
}

static int order(struct ts_span a, struct ts_span b, bool integers)
{
	if (integers && a.len == 8 && b.len == 8) {
		uint64_t x = ts_load_le(a.data, 8), y = ts_load_le(b.data, 8);

		return x < y ? -1 : x > y;
	}
	return ts_span_cmp(a, b);
}

bool ts_page_check(struct ts_pages *p, const uint8_t *page, unsigned kind, bool integers)
{
	unsigned n = ts_page_nodes(page), filled = 0;
	struct ts_node node, last = {.page = 0};

	p->bad = ts_load_le(page, 8);
	if (kind == TS_PAGE_BRANCH && n < (integers ? 1 : 2))
		return false;
	for (unsigned i = 0; i < n; i++, last = node) {
		unsigned size;

		node = last;
		if (!ts_page_node(p, page, kind, i, &node) || (integers && (kind == TS_PAGE_LEAF || i) && node.key.len != 8))
			return false;
		if (i > (kind == TS_PAGE_BRANCH) && order(last.key, node.key, integers) >= 0)
			return false;
		size = NODE + (unsigned)node.key.len;
		if (kind == TS_PAGE_LEAF)
			size += node.value.data ? (unsigned)node.value.len : 8;
		filled += size + size % 2;
	}
	return filled == p->size - u16(page + 14);
}

bool ts_page_is_leaf(struct ts_pages *p, const uint8_t *page)
{
	return has_header(p, page, TS_PAGE_LEAF) && ts_page_check(p, page, TS_PAGE_LEAF, false);
}

/* ---- trees ---- */

static int enter(struct ts_tree *t, unsigned level, uint64_t number, const uint8_t **ret_page)
{
	const uint8_t *page = ts_tree_page(t->pages, number, level + 1 == t->root.depth ? TS_PAGE_LEAF : TS_PAGE_BRANCH);

	if (!page)
		return MDB_CORRUPTED;
	t->stack[level].page = page;
	*ret_page = page;
	return 0;
}

static int read_at(struct ts_tree *t, unsigned level, struct ts_node *ret)
{
	const uint8_t *page = t->stack[level].page;

	if (ts_page_node(t->pages, page, level + 1 == t->root.depth ? TS_PAGE_LEAF : TS_PAGE_BRANCH, t->stack[level].at, ret))
		return 0;
	t->pages->bad = ts_load_le(page, 8);
	return MDB_CORRUPTED;
}

static int found(struct ts_tree *t, struct ts_node *ret)
{
	int rc = read_at(t, t->root.depth - 1u, ret);

	return rc ? rc : ts_node_value(t->pages, ret);
}

/* Goes down from a level to the first or the last record below it. */
static int down(struct ts_tree *t, unsigned level, uint64_t number, bool last, struct ts_node *ret)
{
	for (;; level++) {
		const uint8_t *page;
		int rc = enter(t, level, number, &page);

		if (rc)
			return rc;
		t->stack[level].at = last ? ts_page_nodes(page) - 1 : 0;
		if (level + 1 == t->root.depth)
			return found(t, ret);
		rc = read_at(t, level, ret);
		if (rc)
			return rc;
		number = ret->page;
	}
}

int ts_tree_first(struct ts_tree *t, struct ts_node *ret)
{
	return t->root.page == TS_NO_PAGE ? MDB_NOTFOUND : down(t, 0, t->root.page, false, ret);
}

int ts_tree_next(struct ts_tree *t, struct ts_node *ret)
{
	unsigned level = t->root.depth;

	while (level > 0 && t->stack[level - 1].at + 1 >= ts_page_nodes(t->stack[level - 1].page))
		level--;
	if (level == 0)
		return MDB_NOTFOUND;
	t->stack[level - 1].at++;
	if (level == t->root.depth)
		return found(t, ret);
	return read_at(t, level - 1, ret) ? MDB_CORRUPTED : down(t, level, ret->page, false, ret);
}

int ts_tree_prev(struct ts_tree *t, struct ts_node *ret)
{
	unsigned level = t->root.depth;

	while (level > 0 && t->stack[level - 1].at == 0)
		level--;
	if (level == 0)
		return MDB_NOTFOUND;
	t->stack[level - 1].at--;
	if (level == t->root.depth)
		return found(t, ret);
	return read_at(t, level - 1, ret) ? MDB_CORRUPTED : down(t, level, ret->page, true, ret);
}

/* How the key of a node stands to this one: below 0, 0 or above 0. *ret_bad: the page has no such node. */
static int way_to(const struct ts_tree *t, const uint8_t *page, unsigned kind, size_t at, struct ts_span key, bool *ret_bad)
{
	struct ts_node node;

	if (ts_page_node(t->pages, page, kind, (unsigned)at, &node))
		return order(node.key, key, t->integers);
	*ret_bad = true;
	return 0;
}

/* The first node of a page whose key is not below; the first key of a branch is below all. *ret_same: that one has this key. */
static int search(struct ts_tree *t, unsigned level, struct ts_span key, unsigned *ret_at, bool *ret_same)
{
	const uint8_t *page = t->stack[level].page;
	unsigned kind = level + 1 == t->root.depth ? TS_PAGE_LEAF : TS_PAGE_BRANCH;
	unsigned at = kind == TS_PAGE_BRANCH, n = ts_page_nodes(page);
	bool bad = false, same;

	TS_SEEK(at, n > at ? n - at : 0, i, way_to(t, page, kind, i, key, &bad), same);
	if (bad) {
		t->pages->bad = ts_load_le(page, 8);
		return MDB_CORRUPTED;
	}
	*ret_at = at;
	*ret_same = same;
	return 0;
}

int ts_tree_seek(struct ts_tree *t, struct ts_span key, bool *ret_same)
{
	uint64_t number = t->root.page;

	for (unsigned level = 0;; level++) {
		struct ts_node child;
		const uint8_t *page;
		int rc = enter(t, level, number, &page);

		if (!rc)
			rc = search(t, level, key, &t->stack[level].at, ret_same);
		if (rc || level + 1 == t->root.depth)
			return rc;
		if (!*ret_same)
			t->stack[level].at--;
		rc = read_at(t, level, &child);
		if (rc)
			return rc;
		number = child.page;
	}
}

int ts_tree_from(struct ts_tree *t, struct ts_span key, struct ts_node *ret)
{
	unsigned leaf = t->root.depth - 1u;
	bool same;
	int rc;

	if (t->root.page == TS_NO_PAGE)
		return MDB_NOTFOUND;
	rc = ts_tree_seek(t, key, &same);
	if (rc)
		return rc;
	if (t->stack[leaf].at < ts_page_nodes(t->stack[leaf].page))
		return found(t, ret);
	t->stack[leaf].at--;
	return ts_tree_next(t, ret);
}

int ts_tree_below(struct ts_tree *t, struct ts_span key, struct ts_node *ret)
{
	bool same;
	int rc;

	if (t->root.page == TS_NO_PAGE)
		return MDB_NOTFOUND;
	rc = ts_tree_seek(t, key, &same);
	return rc ? rc : ts_tree_prev(t, ret);
}

int ts_tree_get(struct ts_pages *p, const struct ts_root *root, struct ts_span key, struct ts_span *ret_value)
{
	struct ts_tree t = {.pages = p, .root = *root};
	struct ts_node node;
	bool same;
	int rc;

	if (root->page == TS_NO_PAGE)
		return MDB_NOTFOUND;
	rc = ts_tree_seek(&t, key, &same);
	if (!rc && !same)
		rc = MDB_NOTFOUND;
	if (!rc)
		rc = found(&t, &node);
	if (!rc)
		*ret_value = node.value;
	return rc;
}
