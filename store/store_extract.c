/* store_extract.c - keeps the extracts of runs: those of one key lie together in pages, so that a list reads only what it shows.
 *
 * A page is a record under the key of its extracts and the greatest id that it may hold; the last one of a key may hold any. It has
 * extracts one after the other, by id: id, u8 length, value. A page that would become too large is cut in two. Since ids are hashes,
 * pages fill evenly. A push writes one page for each key, as it would if each extract had a record of its own, and a list reads one
 * record where it would read twenty.
 */
#include "store/store_internal.h"

#include "base/cursor.h"
#include "base/limits.h"

/* LMDB keeps a record within a page of its own if two of them fit there. */
enum { KEY_BYTES = 8, PAGE_KEY = KEY_BYTES + TS_ID_BYTES, PAGE_MAX = 1984 };
enum { ITEM_LEAST = TS_ID_BYTES + 1, ITEM_MAX = ITEM_LEAST + TS_EXTRACT_MAX };

struct item {
	const struct ts_id *id; /* in the page */
	struct ts_span value;
};

static struct ts_span page_key(const struct ts_extract_key *key, const struct ts_id *id, uint8_t room[PAGE_KEY])
{
	memcpy(room, key->bytes, KEY_BYTES);
	memcpy(room + KEY_BYTES, id->bytes, TS_ID_BYTES);
	return ts_span_of(room, PAGE_KEY);
}

/* Reads the next extract of a page; false at its end. */
static bool next_item(struct ts_cursor *c, struct item *ret)
{
	struct ts_span id = ts_cursor_bytes(c, TS_ID_BYTES);

	ret->value = ts_cursor_bytes(c, ts_cursor_u8(c));
	ret->id = (const struct ts_id *)(const void *)id.data;
	return !c->failed;
}

static void put_item(struct ts_buf *page, const struct ts_id *id, struct ts_span value)
{
	ts_buf_bytes(page, id->bytes, TS_ID_BYTES);
	ts_buf_u8(page, (uint8_t)value.len);
	ts_buf_span(page, value);
}

/* Finds the page that holds the extract of this id, if there is one; its extracts are valid until the transaction ends or writes. A
 * damaged page has none. */
static enum ts_status find_page(struct ts_walk *walk, const struct ts_extract_key *key, const struct ts_id *id, bool *ret_found,
				struct ts_span *ret_items, struct ts_error *err)
{
	struct ts_error damage;
	uint8_t room[PAGE_KEY];

	if (ts_walk_seek(walk, page_key(key, id, room), ret_found, err))
		return err->status;
	*ret_found = *ret_found && walk->key.len == PAGE_KEY && memcmp(walk->key.data, key->bytes, KEY_BYTES) == 0;
	if (!*ret_found || ts_check_split(walk->key, walk->value, ret_items, &damage))
		*ret_items = ts_span_of(NULL, 0);
	return TS_OK;
}

static enum ts_status write_page(struct ts_write *w, struct ts_span key, struct ts_span items, struct ts_error *err)
{
	struct ts_buf record = TS_BUF_INIT(PAGE_MAX + 2 * ITEM_MAX);

	ts_buf_span(&record, items);
	return ts_write_record(w, TS_DB_EXTRACTS, key, &record, err);
}

/* Copies the extracts of a page, with one of them new or in place of the old one. *ret_cut is where the page is cut if it is too
 * large: in the middle, or before an extract at its end, so that extracts that come in order leave full pages. */
static void merge(struct ts_span items, const struct ts_id *id, struct ts_span value, struct ts_buf *out, size_t *ret_cut)
{
	struct ts_cursor c = ts_cursor_of(items);
	bool placed = false;
	struct item item;
	size_t cut = 0;

	while (next_item(&c, &item)) {
		int order = placed ? 1 : ts_id_cmp(item.id, id);

		if (order >= 0 && !placed) {
			put_item(out, id, value);
			placed = true;
		}
		if (order != 0)
			put_item(out, item.id, item.value);
		if (out->len <= PAGE_MAX / 2)
			cut = out->len;
	}
	*ret_cut = placed ? cut : out->len;
	if (!placed)
		put_item(out, id, value);
}

/* Writes what lies before the cut as a page of its own, under the id of its last extract. */
static enum ts_status write_first(struct ts_write *w, const struct ts_extract_key *key, struct ts_span items, struct ts_error *err)
{
	struct ts_cursor c = ts_cursor_of(items);
	struct item item, last = {0};
	uint8_t room[PAGE_KEY];

	while (next_item(&c, &item))
		last = item;
	return write_page(w, page_key(key, last.id, room), items, err);
}

static enum ts_status write_extract(struct ts_write *w, struct ts_walk *walk, const struct ts_id *id, const struct ts_extract *extract,
				    struct ts_error *err)
{
	struct ts_buf page = TS_BUF_INIT(PAGE_MAX + 2 * ITEM_MAX);
	uint8_t room[PAGE_KEY];
	enum ts_status status;
	struct ts_span items;
	size_t cut = 0;
	bool found;

	if (find_page(walk, &extract->key, id, &found, &items, err))
		return err->status;
	memset(room, 0xff, sizeof room); /* the last page of a key */
	memcpy(room, found ? walk->key.data : extract->key.bytes, found ? PAGE_KEY : KEY_BYTES);
	merge(items, id, extract->value, &page, &cut);
	status = ts_buf_check(&page, err);
	if (page.len <= PAGE_MAX)
		cut = 0;
	if (!status && cut)
		status = write_first(w, &extract->key, ts_span_of(page.data, cut), err);
	if (!status)
		status = write_page(w, ts_span_of(room, sizeof room), ts_span_of(page.data + cut, page.len - cut), err);
	ts_buf_finish(&page);
	return status;
}

enum ts_status ts_store_extracts_write(struct ts_write *w, const struct ts_id *id, const struct ts_extract *extracts, size_t n,
				     struct ts_error *err)
{
	enum ts_status status;
	struct ts_walk walk;

	if (n == 0)
		return TS_OK;
	if (ts_walk_begin(&walk, ts_read_of(w), TS_DB_EXTRACTS, err))
		return err->status;
	status = TS_OK;
	for (size_t i = 0; i < n && !status; i++)
		status = write_extract(w, &walk, id, &extracts[i], err);
	ts_walk_end(&walk);
	return status;
}

struct put_extracts {
	const struct ts_extracts *runs;
	size_t n;
};

static enum ts_status run_put_extracts(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct put_extracts *put = ctx;

	for (size_t i = 0; i < put->n; i++)
		if (ts_store_extracts_write(w, &put->runs[i].id, put->runs[i].items, put->runs[i].n, err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_store_extracts_put(struct ts_engine *e, const struct ts_extracts *runs, size_t n, struct ts_error *err)
{
	struct put_extracts put = {runs, n};
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++) {
		if (ts_extracts_check(runs[i].items, runs[i].n, err))
			return err->status;
		bytes += runs[i].n * PAGE_MAX;
	}
	if (ts_kv_room(ts_kv_of(e), err))
		return err->status;
	return ts_store_write_beside(ts_store_of(e), run_put_extracts, &put, bytes, err);
}

/* Finds one extract; its value is valid as long as the transaction. */
static enum ts_status find_extract(struct ts_read r, const struct ts_extract_key *key, const struct ts_id *id,
				   struct ts_span *ret_value, bool *ret_found, struct ts_error *err)
{
	enum ts_status status;
	struct ts_cursor c;
	struct ts_span items;
	struct ts_walk walk;
	struct item item;

	if (ts_walk_begin(&walk, r, TS_DB_EXTRACTS, err))
		return err->status;
	status = find_page(&walk, key, id, ret_found, &items, err);
	ts_walk_end(&walk);
	if (status || !*ret_found)
		return status;
	c = ts_cursor_of(items);
	*ret_found = false;
	while (!*ret_found && next_item(&c, &item))
		*ret_found = ts_id_eq(item.id, id);
	if (*ret_found)
		*ret_value = item.value;
	return TS_OK;
}

enum ts_status ts_store_extract_get(struct ts_engine *e, const struct ts_extract_key *key, const struct ts_id *id,
				  struct ts_arena *arena, struct ts_span *ret_value, struct ts_error *err)
{
	enum ts_status status;
	struct ts_span value;
	struct ts_read r;
	bool found = false;

	if (ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	status = find_extract(r, key, id, &value, &found, err);
	if (!status && !found)
		status = ts_no_extract(err);
	if (!status) {
		value = ts_arena_span(arena, value);
		status = value.data ? TS_OK : ts_arena_error(arena, err);
	}
	ts_read_end(&r);
	if (!status)
		*ret_value = value;
	return status;
}

/* Damage of a page makes its extracts absent, and nothing worse. */
static enum ts_status visit_page(const struct ts_walk *walk, ts_extract_visit *visit, void *ctx, struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_error damage;
	struct ts_span items;
	struct ts_cursor c;
	struct item item;

	if (ts_check_split(walk->key, walk->value, &items, &damage))
		return TS_OK;
	c = ts_cursor_of(items);
	while (!status && next_item(&c, &item))
		status = visit(ctx, item.id, item.value, err);
	return status;
}

enum ts_status ts_store_extracts_walk(struct ts_engine *e, const struct ts_extract_key *key, ts_extract_visit *visit, void *ctx,
				    struct ts_error *err)
{
	struct ts_span prefix = ts_span_of(key->bytes, KEY_BYTES);
	enum ts_status status;
	struct ts_read r;
	struct ts_walk walk;
	bool found;

	if (ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	for (status = ts_walk_open(&walk, r, TS_DB_EXTRACTS, prefix, &found, err); !status && found;
	     status = status ? status : ts_walk_on(&walk, &found, err))
		status = visit_page(&walk, visit, ctx, err);
	ts_walk_end(&walk);
	ts_read_end(&r);
	return status;
}

/* Copies the extracts of a page whose objects are there. */
static enum ts_status copy_needed(struct ts_write *w, struct ts_span items, struct ts_buf *out, struct ts_error *err)
{
	struct ts_cursor c = ts_cursor_of(items);
	struct ts_entry record;
	struct item item;
	bool needed;

	while (next_item(&c, &item)) {
		if (ts_entry_get(ts_read_of(w), item.id, &record, &needed, err))
			return err->status;
		if (needed)
			put_item(out, item.id, item.value);
	}
	return ts_buf_check(out, err);
}

static enum ts_status sweep_page(struct ts_write *w, struct ts_span key, struct ts_span stored, struct ts_error *err)
{
	struct ts_buf needed = TS_BUF_INIT(PAGE_MAX + 2 * ITEM_MAX);
	struct ts_span items = {0};
	struct ts_error damage;
	enum ts_status status = TS_OK;

	if (!ts_check_split(key, stored, &items, &damage))
		status = copy_needed(w, items, &needed, err);
	if (!status && needed.len == 0)
		status = ts_write_delete(w, TS_DB_EXTRACTS, key, err);
	else if (!status && needed.len < items.len)
		status = write_page(w, key, ts_buf_view(&needed), err);
	ts_buf_finish(&needed);
	return status;
}

enum ts_status ts_store_extracts_sweep(struct ts_write *w, struct ts_extracts_place *io_place, size_t most, struct ts_error *err)
{
	struct ts_extracts_place at = *io_place;
	enum ts_status status;
	struct ts_walk walk;
	bool found = false;

	if (ts_walk_begin(&walk, ts_read_of(w), TS_DB_EXTRACTS, err))
		return err->status;
	status = ts_walk_seek(&walk, ts_span_of(at.key, at.len), &found, err);
	while (!status && found && most) {
		size_t looked = 1 + walk.value.len / ITEM_LEAST;
		struct ts_span key = ts_span_of(at.key, walk.key.len < PAGE_KEY ? walk.key.len : PAGE_KEY);

		most -= looked < most ? looked : most;
		memcpy(at.key, walk.key.data, key.len);
		at.key[key.len] = 0; /* the walk goes on behind the page, which may be gone then */
		at.len = key.len + 1;
		status = sweep_page(w, key, walk.value, err);
		if (!status)
			status = ts_walk_seek(&walk, ts_span_of(at.key, at.len), &found, err);
	}
	if (!found)
		at.len = 0;
	ts_walk_end(&walk);
	if (!status)
		*io_place = at;
	return status;
}

/* The records of such stores are as those of extracts_write were before there were pages: key and id -> value. */
enum ts_status ts_store_extracts_move(struct ts_write *w, struct ts_error *err)
{
	enum ts_status status;
	struct ts_walk from, to;
	bool found;

	if (ts_walk_begin(&from, ts_read_of(w), TS_DB_EXTRACTS_OLD, err))
		return err->status;
	status = ts_walk_begin(&to, ts_read_of(w), TS_DB_EXTRACTS, err);
	if (status) {
		ts_walk_end(&from);
		return status;
	}
	status = ts_walk_seek(&from, ts_span_of(NULL, 0), &found, err);
	for (; !status && found; status = status ? status : ts_walk_next(&from, &found, err)) {
		struct ts_extract extract;
		struct ts_error damage;
		struct ts_id id;

		if (from.key.len != PAGE_KEY || ts_check_split(from.key, from.value, &extract.value, &damage))
			continue;
		memcpy(extract.key.bytes, from.key.data, KEY_BYTES);
		memcpy(id.bytes, from.key.data + KEY_BYTES, TS_ID_BYTES);
		status = write_extract(w, &to, &id, &extract, err);
	}
	ts_walk_end(&to);
	ts_walk_end(&from);
	return status;
}
