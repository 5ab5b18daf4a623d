/* lmdb_guard.c - looks at pages before LMDB writes: it copies a page, and moves and joins its nodes, by what the page says of itself.
 *
 * A write relies on the pages of the way to its key, on the neighbours of each, with which LMDB joins a page that has become empty,
 * and on what it takes free pages from. Those that the transaction has made by itself come from these. So once they are looked at
 * as the transaction found them, no write follows a length or a number that was never written. */
#include "store/lmdb_internal.h"

#include "base/cursor.h"
#include "base/grow.h"
#include "base/map.h"

#include <errno.h>

static int check(struct ts_lmdb_txn *t, uint64_t number, unsigned kind, bool integers)
{
	uint64_t hash = ts_hash_u64(ts_hash_open, number);
	const uint8_t *page;
	uint32_t found;

	TS_MAP_FIND(t->by_page, hash, i, t->checked[i] == number, found);
	if (found != TS_MAP_NONE)
		return 0;
	page = ts_tree_page(&t->view.pages, number, kind);
	if (!page || !ts_page_check(&t->view.pages, page, kind, integers))
		return MDB_CORRUPTED;
	if (!TS_GROW(t->checked, t->cap_checked, t->n_checked + 1, 128) || !ts_map_add(&t->by_page, hash, (uint32_t)t->n_checked))
		return ENOMEM;
	t->checked[t->n_checked++] = number;
	return 0;
}

static unsigned kind_at(const struct ts_tree *tree, unsigned level)
{
	return level + 1 == tree->root.depth ? TS_PAGE_LEAF : TS_PAGE_BRANCH;
}

/* The pages from a child of a page down to its first or last leaf. */
static int check_spine(struct ts_lmdb_txn *t, const struct ts_tree *tree, unsigned level, unsigned at, bool last)
{
	const uint8_t *page = tree->stack[level].page;

	for (;; level++) {
		struct ts_node node;
		int rc;

		if (!ts_page_node(&t->view.pages, page, TS_PAGE_BRANCH, at, &node))
			return MDB_CORRUPTED;
		rc = check(t, node.page, kind_at(tree, level + 1), tree->integers);
		if (rc || kind_at(tree, level + 1) == TS_PAGE_LEAF)
			return rc;
		page = ts_tree_page(&t->view.pages, node.page, TS_PAGE_BRANCH);
		if (!page)
			return MDB_CORRUPTED;
		at = last ? ts_page_nodes(page) - 1 : 0;
	}
}

static int check_way(struct ts_lmdb_txn *t, struct ts_tree *tree)
{
	for (unsigned level = 0; level < tree->root.depth; level++) {
		const uint8_t *page = tree->stack[level].page;
		unsigned at = tree->stack[level].at;
		int rc = check(t, ts_load_le(page, 8), kind_at(tree, level), tree->integers);

		if (!rc && kind_at(tree, level) == TS_PAGE_BRANCH && at + 1 < ts_page_nodes(page))
			rc = check_spine(t, tree, level, at + 1, false);
		if (!rc && kind_at(tree, level) == TS_PAGE_BRANCH && at > 0)
			rc = check_spine(t, tree, level, at - 1, false);
		if (!rc && kind_at(tree, level) == TS_PAGE_BRANCH && at > 0)
			rc = check_spine(t, tree, level, at - 1, true);
		if (rc)
			return rc;
	}
	return 0;
}

int ts_guard_key(struct ts_lmdb_env *env, struct ts_lmdb_txn *t, enum ts_db db, struct ts_span key)
{
	struct ts_tree tree = {.pages = &t->view.pages};
	struct ts_node node;
	bool same;
	int rc;

	if (db >= TS_DBS || t->view.roots[db].page == TS_NO_PAGE)
		return 0;
	tree.root = t->view.roots[db];
	rc = ts_tree_seek(&tree, key, &same);
	if (!rc)
		rc = check_way(t, &tree);
	if (!rc && same) {
		unsigned leaf = tree.root.depth - 1u;

		rc = ts_page_node(&t->view.pages, tree.stack[leaf].page, TS_PAGE_LEAF, tree.stack[leaf].at, &node) ? 0 : MDB_CORRUPTED;
		if (!rc)
			rc = ts_node_value(&t->view.pages, &node);
	}
	if (rc == MDB_CORRUPTED)
		ts_env_condemn_page(env, t->view.pages.bad, db);
	return rc;
}

static int check_all(struct ts_lmdb_txn *t, struct ts_tree *tree, bool free)
{
	struct ts_node node = {.page = 0};
	uint64_t n;
	int rc = ts_tree_first(tree, &node);

	for (; !rc; rc = ts_tree_next(tree, &node)) {
		for (unsigned level = 0; level < tree->root.depth && !rc; level++)
			rc = check(t, ts_load_le(tree->stack[level].page, 8), kind_at(tree, level), tree->integers);
		if (!rc && free && !ts_free_pages_check(&t->view.meta, node.value, &n))
			rc = MDB_CORRUPTED;
		if (rc)
			return rc;
	}
	return rc == MDB_NOTFOUND ? 0 : rc;
}

int ts_guard_commit(struct ts_lmdb_env *env, struct ts_lmdb_txn *t)
{
	struct ts_tree free = {.pages = &t->view.pages, .root = t->view.meta.free, .integers = true};
	struct ts_tree main = {.pages = &t->view.pages, .root = t->view.meta.main};
	int rc = check_all(t, &free, true);

	if (rc == MDB_CORRUPTED)
		ts_env_condemn_page(env, t->view.pages.bad, TS_SCAN_FREE);
	if (rc)
		return rc;
	rc = check_all(t, &main, false);
	if (rc == MDB_CORRUPTED)
		ts_env_condemn_page(env, t->view.pages.bad, TS_SCAN_MAIN);
	return rc;
}

int ts_guard_table(struct ts_lmdb_env *env, struct ts_lmdb_txn *t, enum ts_db db)
{
	struct ts_tree tree = {.pages = &t->view.pages, .root = t->view.roots[db]};
	int rc = check_all(t, &tree, false);

	if (rc == MDB_CORRUPTED)
		ts_env_condemn_page(env, t->view.pages.bad, db);
	return rc;
}
