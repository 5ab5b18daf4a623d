/* lmdb_scan.c - the scan of a snapshot: each page of its trees once, the list of free pages, and the sums of its tables. */
#include "store/lmdb_scan.h"

#include "base/alloc.h"
#include "base/cursor.h"

#include <lmdb.h>

struct range {
	struct ts_span low, high; /* data NULL: none */
};

struct tree {
	struct ts_scan *scan;
	unsigned number; /* of its database, or TS_SCAN_FREE, TS_SCAN_MAIN */
	struct ts_root root;
	struct ts_root counted;
	struct ts_error *err;
};

const char *ts_scan_word(unsigned tree)
{
	static const char *const words[TS_SCAN_TREES] = {
		[TS_DB_META] = "counters and tokens",
		[TS_DB_OBJECTS] = "the index of objects",
		[TS_DB_PACKS] = "objects",
		[TS_DB_REFS] = "names",
		[TS_DB_LOG] = "logs",
		[TS_DB_RECENT] = "the order of names",
		[TS_DB_NOTES] = "notes",
		[TS_DB_CACHE] = "the cache",
		[TS_DB_EXTRACTS] = "extracts for lists",
		[TS_DB_REMOVED] = "removed names",
		[TS_DB_USAGE] = "what projects use",
		[TS_DB_UNNAMED] = "what senders use",
		[TS_DB_NOTE_LOG] = "what notes were",
		[TS_DB_HEADS] = "the index of heads by project",
		[TS_DB_NAMED] = "what projects reach",
		[TS_DB_SENT] = "what was sent again",
		[TS_DB_EXTRACTS_OLD] = "old extracts",
		[TS_SCAN_FREE] = "the list of free pages",
		[TS_SCAN_MAIN] = "the list of tables",
	};

	return words[tree];
}

static void damaged(struct tree *t, uint64_t page)
{
	struct ts_scan *s = t->scan;

	if (!s->bad) {
		s->bad = page ? page : 1;
		s->bad_tree = t->number;
	}
	if (page <= s->meta.last)
		s->harmed[page / 8] |= (uint8_t)(1 << page % 8);
	if (page <= s->meta.last && t->number == TS_DB_PACKS)
		s->sent[page / 8] |= (uint8_t)(1 << page % 8);
	s->lost[t->number]++;
}

/* Takes n pages; false if one of them is another's already, or not in the file. */
static bool claim(struct ts_scan *s, uint64_t page, uint64_t n)
{
	if (page < 2 || page > s->meta.last || n > s->meta.last + 1 - page)
		return false;
	for (uint64_t i = page; i < page + n; i++) {
		if (ts_scan_is_used(s, i))
			return false;
		s->used[i / 8] |= (uint8_t)(1 << i % 8);
	}
	return true;
}

static int order(unsigned tree, struct ts_span a, struct ts_span b)
{
	if (tree == TS_SCAN_FREE && a.len == 8 && b.len == 8) {
		uint64_t x = ts_load_le(a.data, 8), y = ts_load_le(b.data, 8);

		return x < y ? -1 : x > y;
	}
	return ts_span_cmp(a, b);
}

static bool is_within(const struct tree *t, struct ts_span key, const struct range *range)
{
	return (!range->low.data || order(t->number, range->low, key) <= 0) &&
	       (!range->high.data || order(t->number, key, range->high) < 0);
}

bool ts_free_pages_check(const struct ts_meta *meta, struct ts_span value, uint64_t *ret_n)
{
	uint64_t n = value.len >= 8 ? ts_load_le(value.data, 8) : 0, last = meta->last + 1;

	if (value.len < 8 || n > value.len / 8 - 1)
		return false;
	for (uint64_t i = 1; i <= n; i++) {
		uint64_t page = ts_load_le(value.data + 8 * i, 8);

		if (page < 2 || page >= last)
			return false;
		last = page;
	}
	*ret_n = n;
	return true;
}

static bool take_free(struct tree *t, struct ts_span value)
{
	uint64_t n;

	if (!ts_free_pages_check(&t->scan->meta, value, &n))
		return false;
	for (uint64_t i = 1; i <= n; i++)
		if (!claim(t->scan, ts_load_le(value.data + 8 * i, 8), 1))
			return false;
	return true;
}

static bool take_table(struct ts_scan *s, const struct ts_node *node)
{
	struct ts_root root;

	for (int db = 0; db < TS_DBS_EVER; db++)
		if (ts_span_is(node->key, ts_db_name((enum ts_db)db))) {
			if (!ts_root_parse(node->value, &root))
				return false;
			s->roots[db] = root;
		}
	return true;
}

/* A record; *ret_sound is false if it is not what it can be. */
static enum ts_status take(struct tree *t, struct ts_node *node, bool *ret_sound)
{
	struct ts_scan *s = t->scan;
	bool own = !node->value.data;
	uint64_t n = ts_node_pages(&s->pages, node);

	*ret_sound = false;
	if (own && (!claim(s, node->page, n) || node->page + n > s->pages.n))
		return TS_OK;
	t->counted.overflows += own ? n : 0;
	/* A pack is read by who reads its objects, which have checksums. */
	if (own && t->number != TS_DB_PACKS && ts_node_value(&s->pages, node))
		return TS_OK;
	t->counted.records++;
	if (t->number == TS_SCAN_FREE)
		*ret_sound = node->key.len == 8 && take_free(t, node->value);
	else if (t->number == TS_SCAN_MAIN)
		*ret_sound = take_table(s, node);
	else
		*ret_sound = true;
	if (t->number >= TS_DBS)
		return TS_OK;
	if (t->number == TS_DB_META && ts_span_is(node->key, TS_SUMS_KEY))
		return TS_OK;
	s->found[t->number].records++;
	s->found[t->number].sum += ts_record_hash((enum ts_db)t->number, node->key, node->value);
	if (!s->visit)
		return TS_OK;
	if (t->number == TS_DB_PACKS && ts_node_value(&s->pages, node)) {
		*ret_sound = false;
		return TS_OK;
	}
	return s->visit(s->ctx, (enum ts_db)t->number, node->key, node->value, t->err);
}

static enum ts_status walk(struct tree *t, uint64_t number, unsigned level, struct range range)
{
	struct ts_scan *s = t->scan;
	unsigned kind = level + 1 == t->root.depth ? TS_PAGE_LEAF : TS_PAGE_BRANCH;
	bool integers = t->number == TS_SCAN_FREE, sound = claim(s, number, 1);
	const uint8_t *page = sound ? ts_tree_page(&s->pages, number, kind) : NULL;
	enum ts_status status = TS_OK;

	if (!page || !ts_page_check(&s->pages, page, kind, integers)) {
		damaged(t, number);
		return TS_OK;
	}
	s->tree_pages++;
	*(kind == TS_PAGE_LEAF ? &t->counted.leaves : &t->counted.branches) += 1;
	for (unsigned i = 0; i < ts_page_nodes(page) && !status; i++) {
		struct ts_node node, next;
		struct range inner = range;

		sound = ts_page_node(&s->pages, page, kind, i, &node);
		if (sound && (kind == TS_PAGE_LEAF || i) && !is_within(t, node.key, &range))
			sound = false;
		if (!sound || kind == TS_PAGE_LEAF) {
			if (sound)
				status = take(t, &node, &sound);
			if (!sound)
				damaged(t, number);
			continue;
		}
		if (i)
			inner.low = node.key;
		if (i + 1 < ts_page_nodes(page) && ts_page_node(&s->pages, page, kind, i + 1, &next))
			inner.high = next.key;
		status = walk(t, node.page, level + 1, inner);
	}
	return status;
}

static enum ts_status scan_tree(struct ts_scan *s, unsigned number, const struct ts_root *root, struct ts_error *err)
{
	struct tree t = {.scan = s, .number = number, .root = *root, .err = err};
	enum ts_status status;

	if (root->page == TS_NO_PAGE || root->page == 0)
		return TS_OK;
	status = walk(&t, root->page, 0, (struct range){.low = {0}});
	if (!status && !s->lost[number] &&
	    (t.counted.records != root->records || t.counted.leaves != root->leaves || t.counted.branches != root->branches ||
	     t.counted.overflows != root->overflows))
		damaged(&t, root->page);
	return status;
}

enum ts_status ts_scan_run(struct ts_scan *s, struct ts_error *err)
{
	s->used = ts_alloc_array((size_t)(s->meta.last / 8 + 1), 1);
	s->harmed = ts_alloc_array((size_t)(s->meta.last / 8 + 1), 1);
	s->sent = ts_alloc_array((size_t)(s->meta.last / 8 + 1), 1);
	if (!s->used || !s->harmed || !s->sent)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to look at the pages of a store");
	if (scan_tree(s, TS_SCAN_FREE, &s->meta.free, err) || scan_tree(s, TS_SCAN_MAIN, &s->meta.main, err))
		return err->status;
	for (unsigned db = 0; db < TS_DBS_EVER; db++)
		if (scan_tree(s, db, &s->roots[db], err))
			return err->status;
	return TS_OK;
}

void ts_scan_finish(struct ts_scan *s)
{
	ts_free(s->used);
	ts_free(s->harmed);
	ts_free(s->sent);
	s->used = s->harmed = s->sent = NULL;
}

int ts_roots_find(struct ts_pages *p, const struct ts_meta *meta, struct ts_root roots[TS_DBS])
{
	for (int db = 0; db < TS_DBS; db++) {
		struct ts_span value;
		int rc = ts_tree_get(p, &meta->main, ts_span_str(ts_db_name((enum ts_db)db)), &value);

		if (rc == MDB_NOTFOUND)
			roots[db] = (struct ts_root){.page = TS_NO_PAGE};
		else if (rc || !ts_root_parse(value, &roots[db]))
			return MDB_CORRUPTED;
	}
	return 0;
}
