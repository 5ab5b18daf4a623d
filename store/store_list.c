/* store_list.c - reads names: one of them, pages of them, and the log of where one has pointed. */
#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/bisect.h"

enum ts_status ts_store_ref_get(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
			       struct ts_ref *ret_ref, struct ts_error *err)
{
	enum ts_status status;
	struct ts_read r;
	struct ts_ref ref;
	bool found;

	if (ts_ref_kind_check(kind, err) || ts_ref_name_check(name, err) || ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	status = ts_ref_read(r, kind, name, &ref, &found, err);
	if (!status && !found)
		status = ts_no_ref(kind, name, err);
	if (!status)
		status = ts_ref_copy(arena, &ref, ret_ref, err);
	ts_read_end(&r);
	return status;
}

/* A page that is being collected. */
struct page {
	const struct ts_ref_query *query;
	struct ts_page from;
	struct ts_read read;
	struct ts_arena *arena;
	struct ts_ref *refs;
	size_t n;
	size_t limit;
	bool more;
};

/* Returns whether the page is full: the next entry then begins another page. */
static bool is_full(struct page *page)
{
	page->more = page->n == page->limit;
	return page->more;
}

static bool is_asked_for(const struct ts_ref_query *query, struct ts_span name)
{
	size_t at = 0;
	bool found;

	if (!ts_span_starts(name, query->prefix))
		return false;
	if (!query->projects)
		return true;
	TS_SEEK(at, query->n_projects, i, ts_span_cmp(query->projects[i], ts_project_of(name)), found);
	return found;
}

/* The key before the names of a project. */
static struct ts_span project_key(enum ts_ref_kind kind, struct ts_span project, uint8_t room[TS_REF_KEY_MAX])
{
	room[0] = (uint8_t)kind;
	memcpy(room + 1, project.data, project.len);
	room[1 + project.len] = '/';
	return ts_span_of(room, project.len + 2);
}

/* Goes on from a name to the next one, from a name of another project to the first name of the next project that is asked for. Projects
 * do not have the order of their names, which go on with a slash. */
static enum ts_status next_by_name(const struct page *page, struct ts_walk *walk, bool *ret_found, struct ts_error *err)
{
	const struct ts_ref_query *query = page->query;
	uint8_t room[TS_REF_KEY_MAX], nearest[TS_REF_KEY_MAX];
	struct ts_span next = {0};

	if (!query->projects || is_asked_for(query, ts_span_from(walk->key, 1)))
		return ts_walk_next(walk, ret_found, err);
	for (size_t i = 0; i < query->n_projects; i++) {
		struct ts_span begin;

		if (query->projects[i].len >= TS_REF_NAME_MAX)
			continue; /* no name is that long */
		begin = project_key(query->kind, query->projects[i], room);
		if (ts_span_cmp(begin, walk->key) > 0 && (!next.len || ts_span_cmp(begin, next) < 0)) {
			memcpy(nearest, room, begin.len);
			next = ts_span_of(nearest, begin.len);
		}
	}
	*ret_found = false;
	return next.len ? ts_walk_seek(walk, next, ret_found, err) : TS_OK;
}

static enum ts_status collect_by_name(struct page *page, struct ts_walk *walk, struct ts_error *err)
{
	struct ts_span first = page->from.begun && ts_span_cmp(page->from.name, page->query->prefix) > 0 ?
				       page->from.name :
				       page->query->prefix;
	uint8_t room[512] = {(uint8_t)page->query->kind};
	enum ts_status status;
	struct ts_ref ref;
	bool found;

	if (first.len > TS_REF_NAME_MAX)
		return TS_OK; /* no name is that long */
	if (first.len)
		memcpy(room + 1, first.data, first.len);
	status = ts_walk_seek(walk, ts_span_of(room, 1 + first.len), &found, err);
	for (; !status && found; status = next_by_name(page, walk, &found, err)) {
		struct ts_span name = ts_span_from(walk->key, 1);

		if (walk->key.data[0] != (uint8_t)page->query->kind || !ts_span_starts(name, page->query->prefix))
			break;
		if (!is_asked_for(page->query, name) || (page->from.begun && ts_span_cmp(name, page->from.name) <= 0))
			continue;
		if (is_full(page))
			break;
		if (ts_ref_parse(walk->key, walk->value, &ref, err) ||
		    ts_ref_copy(page->arena, &ref, &page->refs[page->n], err))
			return err->status;
		page->n++;
	}
	return status;
}

/* Builds, in room, the key where the walk over `recent` begins. */
static struct ts_span newest_start(const struct page *page, uint8_t *room)
{
	if (page->from.begun)
		return ts_recent_key(page->query->kind, page->from.moved_ns, page->from.name, room);
	room[0] = (uint8_t)page->query->kind;
	return ts_span_of(room, 1);
}

/* Their keys lie in an array of rooms of which each begins with the kind. */
static enum ts_status refs_ahead(struct page *page, const struct ts_span *names, size_t n, struct ts_error *err)
{
	uint8_t(*rooms)[TS_REF_KEY_MAX];
	struct ts_span *keys;
	enum ts_status status = TS_OK;

	if (!page->read.kv->far || n < 2)
		return TS_OK;
	rooms = ts_alloc_array(n, sizeof *rooms);
	keys = ts_alloc_array(n, sizeof *keys);
	if (!rooms || !keys)
		status = ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu names", n);
	for (size_t i = 0; i < n && !status; i++)
		keys[i] = ts_ref_key(page->query->kind, names[i], rooms[i]);
	if (!status)
		status = ts_read_ahead(page->read, TS_DB_REFS, keys, n, err);
	ts_free(rooms);
	ts_free(keys);
	return status;
}

/* Reads the refs of the names on a page. */
static enum ts_status read_refs(struct page *page, const struct ts_span *names, size_t n, struct ts_error *err)
{
	struct ts_ref ref;
	bool there;

	if (refs_ahead(page, names, n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		if (ts_ref_read(page->read, page->query->kind, names[i], &ref, &there, err))
			return err->status;
		if (!there)
			return ts_error_set(err, TS_DAMAGED, "the index of names lists %.*s, which is not there",
					    TS_SPAN_ARG(names[i]));
		if (ts_ref_copy(page->arena, &ref, &page->refs[i], err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status collect_newest(struct page *page, struct ts_walk *walk, struct ts_error *err)
{
	struct ts_span *names = ts_alloc_array(page->limit, sizeof *names);
	uint8_t room[TS_RECENT_KEY_MAX];
	struct ts_span start = newest_start(page, room);
	enum ts_status status;
	bool found;

	if (!names)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a page of %zu names", page->limit);
	status = ts_walk_seek(walk, start, &found, err);
	for (; !status && found; status = ts_walk_next(walk, &found, err)) {
		struct ts_span name;

		if (walk->key.data[0] != (uint8_t)page->query->kind || walk->key.len <= TS_RECENT_PREFIX)
			break;
		name = ts_span_from(walk->key, TS_RECENT_PREFIX);
		if (!is_asked_for(page->query, name) || (page->from.begun && ts_span_eq(walk->key, start)))
			continue;
		if (is_full(page))
			break;
		status = ts_texts_copy(page->arena, (struct ts_span *[]){&name}, 1, err); /* it goes as the walk does */
		if (status)
			break;
		names[page->n++] = name;
	}
	if (!status)
		status = read_refs(page, names, page->n, err);
	ts_free(names);
	return status;
}

static enum ts_status collect(struct page *page, struct ts_error *err)
{
	bool newest = page->query->order == TS_ORDER_NEWEST;
	struct ts_walk walk;
	enum ts_status status;

	if (ts_walk_begin(&walk, page->read, newest ? TS_DB_RECENT : TS_DB_REFS, err))
		return err->status;
	walk.expects = page->limit + 1; /* the last one says whether there is another page */
	status = newest ? collect_newest(page, &walk, err) : collect_by_name(page, &walk, err);
	ts_walk_end(&walk);
	return status;
}

enum ts_status ts_store_ref_list(struct ts_engine *e, const struct ts_ref_query *query, struct ts_arena *arena,
				struct ts_ref **ret_refs, size_t *ret_n, struct ts_span *ret_next, struct ts_error *err)
{
	struct page page = {.query = query, .arena = arena};
	struct ts_span next = {0};
	enum ts_status status;

	if (ts_page_of(query, &page.from, err))
		return err->status;
	page.limit = query->limit < TS_LIST_MAX ? query->limit : TS_LIST_MAX;
	page.refs = ts_arena_array(arena, page.limit, sizeof *page.refs);
	if (!page.refs)
		return ts_arena_error(arena, err);
	if (ts_read_begin(ts_kv_of(e), &page.read, err))
		return err->status;
	status = collect(&page, err);
	ts_read_end(&page.read);
	if (!status && page.more)
		status = ts_page_token(&page.refs[page.n - 1], query->order, arena, &next, err);
	if (status)
		return status;
	*ret_refs = page.refs;
	*ret_n = page.n;
	*ret_next = next;
	return TS_OK;
}

/* Callers walk the log twice, latest entry first: once to count, and once to fill entries (then not NULL). */
static enum ts_status walk_log(struct ts_walk *walk, struct ts_span prefix, size_t limit, struct ts_arena *arena,
			       struct ts_log_entry *entries, size_t *ret_n, struct ts_error *err)
{
	uint8_t end[TS_REF_KEY_MAX + 1], none[TS_LOG_KEY_MAX] = {0};
	struct ts_span gap = ts_span_of(none, prefix.len + 8); /* the record with number 0, which is no entry */
	enum ts_status status;
	bool found;
	size_t n = 0;

	memcpy(end, prefix.data, prefix.len);
	memcpy(none, prefix.data, prefix.len);
	end[prefix.len - 1] = 1; /* the prefix ends in 0 */
	status = ts_walk_seek_below(walk, ts_span_of(end, prefix.len), &found, err);
	while (!status && found && ts_span_starts(walk->key, prefix) && !ts_span_starts(walk->key, gap) && (limit == 0 || n < limit)) {
		if (entries && (ts_log_parse(walk->key, walk->value, &entries[n], err) ||
				ts_texts_copy(arena, (struct ts_span *[]){&entries[n].who, &entries[n].message}, 2, err)))
			return err->status;
		n++;
		status = ts_walk_prev(walk, &found, err);
	}
	*ret_n = n;
	return status;
}

static enum ts_status read_log(struct ts_read r, struct ts_span prefix, size_t limit, struct ts_arena *arena,
			       struct ts_log_entry **ret_entries, size_t *ret_n, struct ts_error *err)
{
	struct ts_log_entry *entries;
	struct ts_walk walk;
	enum ts_status status;
	size_t n = 0;

	if (ts_walk_begin(&walk, r, TS_DB_LOG, err))
		return err->status;
	status = walk_log(&walk, prefix, limit, arena, NULL, &n, err);
	entries = ts_arena_array(arena, n, sizeof *entries);
	if (!status && !entries)
		status = ts_arena_error(arena, err);
	if (!status)
		status = walk_log(&walk, prefix, n ? n : 1, arena, entries, &n, err);
	ts_walk_end(&walk);
	*ret_entries = entries;
	*ret_n = n;
	return status;
}

enum ts_status ts_store_ref_log(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, size_t limit,
			       struct ts_arena *arena, struct ts_log_entry **ret_entries, size_t *ret_n,
			       struct ts_error *err)
{
	uint8_t room[TS_REF_KEY_MAX + 1];
	struct ts_log_entry *entries = NULL;
	struct ts_span prefix;
	enum ts_status status;
	struct ts_read r;
	size_t n = 0;

	if (ts_ref_kind_check(kind, err) || ts_ref_name_check(name, err) || ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	prefix = ts_ref_key(kind, name, room);
	room[prefix.len++] = 0;
	status = read_log(r, prefix, limit, arena, &entries, &n, err);
	ts_read_end(&r);
	if (!status && n == 0)
		status = ts_no_ref(kind, name, err);
	if (status)
		return status;
	*ret_entries = entries;
	*ret_n = n;
	return TS_OK;
}
