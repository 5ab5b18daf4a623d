/* lmdb_salvage.c - copies what is sound of a damaged store to a new one, and names the rest.
 *
 * Records are taken from every sound page that a tree reaches. For a table of which some were lost they are also taken one by one, by
 * their own checksums, from its damaged pages, and from sound pages that no tree reaches and that are not free: those below a damaged
 * page. What lies in pages of an object's bytes, which somebody sent, is never taken for a record as long as the tree of packs says
 * which pages these are; where packs are missing, a page that no tree reaches may be one of theirs, and no token is taken from one.
 * Then what was taken is held together: an object stays if its bytes are what its id says; a name if all that it needs is there, as
 * its log says it was last; a note and a log if their name is there. */
#include "base/grow.h"
#include "store/lmdb_internal.h"

#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/limits.h"
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BATCH = 4096, BATCH_BYTES = 8 << 20 };

struct record {
	enum ts_db db;
	struct ts_span key, value;
};

struct salvage {
	struct ts_engine *to;
	struct ts_arena *arena; /* of the report */
	struct ts_salvage_report report;
	struct record batch[BATCH]; /* in the pages of the damaged store */
	size_t n, bytes;
	bool keep;	     /* what the new store has already stays as it is */
	bool any_lie;	     /* some packs are missing: a page that no tree reaches may have been sent */
	bool intact[TS_DBS]; /* the table is what the superblock says */
	uint64_t stored, last_pack;
	struct ts_idmap whole; /* ids: &is_whole if all that they need is there, else &is_not */
	size_t cap_lost;
};

static int is_whole, is_not;

static enum ts_status lose(struct salvage *s, struct ts_error *err, const char *format, ...) __attribute__((format(printf, 3, 4)));
static enum ts_status lose(struct salvage *s, struct ts_error *err, const char *format, ...)
{
	struct ts_salvage_report *report = &s->report;
	char text[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (!TS_GROW_IN(s->arena, report->lost, s->cap_lost, report->n_lost + 1, 64))
		return ts_arena_error(s->arena, err);
	report->lost[report->n_lost] = ts_arena_span(s->arena, ts_span_str(text));
	return report->lost[report->n_lost++].data ? TS_OK : ts_arena_error(s->arena, err);
}

/* ---- taking records ---- */

/* A name is written with its place in the order of names. */
static enum ts_status put_one(struct ts_write *w, const struct record *record, struct ts_error *err)
{
	struct ts_error damage;
	struct ts_ref ref;

	if (record->db != TS_DB_REFS)
		return ts_write_put(w, record->db, record->key, record->value, err);
	return ts_ref_parse(record->key, record->value, &ref, &damage) ? TS_OK : ts_ref_write(w, &ref, err);
}

static enum ts_status put_batch(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct salvage *s = ctx;

	for (size_t i = 0; i < s->n; i++) {
		struct record *record = &s->batch[i];
		struct ts_span old;
		bool found = false;

		if (s->keep && ts_read_get(ts_read_of(w), record->db, record->key, &old, &found, err))
			return err->status;
		if (!found && put_one(w, record, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status flush(struct salvage *s, struct ts_error *err)
{
	enum ts_status status = s->n ? ts_store_write(ts_store_of(s->to), put_batch, s, s->bytes, err) : TS_OK;

	s->n = 0;
	s->bytes = 0;
	return status;
}

static bool is_record(struct ts_span key, struct ts_span value)
{
	struct ts_error damage;
	struct ts_span inner;

	return key.len <= TS_KEY_MAX && ts_check_split(key, value, &inner, &damage) == TS_OK;
}

static bool is_object(struct ts_span key, struct ts_span value)
{
	struct ts_error damage;
	struct ts_entry entry;
	struct ts_id id;

	if (key.len != TS_ID_BYTES)
		return false;
	memcpy(id.bytes, key.data, TS_ID_BYTES);
	return ts_entry_parse(&id, value, &entry, &damage) == TS_OK;
}

/* Which records are copied as they are; the others are made anew of them. */
static bool is_wanted(enum ts_db db, struct ts_span key, struct ts_span value)
{
	static const char tokens[] = "record/";

	if (db == TS_DB_OBJECTS)
		return is_object(key, value);
	if (db == TS_DB_PACKS)
		return key.len == 8;
	if (db == TS_DB_EXTRACTS)
		return key.len > 0 && key.len <= TS_KEY_MAX;
	if (db == TS_DB_META && !ts_span_starts(key, ts_span_str(tokens)))
		return false;
	return (db == TS_DB_META || db == TS_DB_REFS || db == TS_DB_LOG || db == TS_DB_NOTES || db == TS_DB_NOTE_LOG ||
		db == TS_DB_REMOVED) &&
	       is_record(key, value);
}

static enum ts_status take(void *ctx, enum ts_db db, struct ts_span key, struct ts_span value, struct ts_error *err)
{
	struct salvage *s = ctx;

	/* Extracts are taken where they are all that was written; else gc computes them anew. */
	if (!is_wanted(db, key, value) || (db == TS_DB_EXTRACTS && !s->intact[db]))
		return TS_OK;
	s->batch[s->n++] = (struct record){db, key, value};
	s->bytes += key.len + value.len;
	return s->n == BATCH || s->bytes > BATCH_BYTES ? flush(s, err) : TS_OK;
}

/* Whether bytes look like PROJECT/NAME. Keys of tables that are made anew are digests and numbers, which may have a 0 anywhere. */
static bool is_name(struct ts_span text)
{
	size_t through = ts_span_through(text, '/').len;

	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] <= ' ' || text.data[i] == 0x7f)
			return false;
	return through > 1 && through < text.len && text.len <= TS_REF_NAME_MAX && ts_utf8_valid(text);
}

static bool is_kind(uint8_t byte)
{
	return memchr("rtsb", byte, 4) != NULL;
}

/* Whether a key is the kind of a name and PROJECT/NAME before `end`, which lies behind its first byte. */
static bool begins_with_name(struct ts_span key, const uint8_t *end)
{
	return is_kind(key.data[0]) && is_name(ts_span_part(key, 1, (size_t)(end - key.data) - 1));
}

/* The table of a record that no tree says; TS_DBS: none that is copied. A log's entry ends in a number, whose first byte is 0; no
 * note's key has one, and what a note was has its key, a 0 and a number. */
static enum ts_db table_of(struct ts_span key, struct ts_span value)
{
	const uint8_t *end = key.len > 1 ? memchr(key.data + 1, 0, key.len - 1) : NULL;
	size_t behind = end ? (size_t)(key.data + key.len - end) - 1 : 0;
	struct ts_log_entry entry;
	struct ts_error damage;
	struct ts_ref ref;

	if (is_object(key, value))
		return TS_DB_OBJECTS;
	if (key.len == 8 && !is_record(key, value))
		return TS_DB_PACKS;
	if (!is_record(key, value) || value.len == 4) /* what is its key alone is made anew */
		return TS_DBS;
	if (ts_span_starts(key, ts_span_str("record/")))
		return TS_DB_META;
	if (!end)
		return is_kind(key.data[0]) && ts_ref_parse(key, value, &ref, &damage) == TS_OK ? TS_DB_REFS : TS_DBS;
	if (begins_with_name(key, end)) {
		if (behind == 8 && end[1] == 0)
			return ts_log_parse(key, value, &entry, &damage) == TS_OK ? TS_DB_LOG : TS_DBS;
		if (behind >= 8 && end[1] > 0x7f)
			return TS_DB_REMOVED;
	}
	if (!is_name(ts_span_of(key.data, (size_t)(end - key.data))))
		return TS_DBS;
	return behind > 9 && end[behind - 8] == 0 ? TS_DB_NOTE_LOG : TS_DB_NOTES;
}

/* Which records are looked for in pages that the scan did not take. */
enum rest { REST_OBJECTS, REST_RECORDS };

/* A record of a table that lacks some. The pages of an object's bytes belong to it from then on. */
static enum ts_status take_rest(struct salvage *s, struct ts_scan *scan, enum rest rest, struct ts_node *node, struct ts_error *err)
{
	bool own = !node->value.data;
	enum ts_db db;

	if (node->key.len == 0 || ts_node_value(&scan->pages, node))
		return TS_OK;
	db = table_of(node->key, node->value);
	if (db == TS_DBS || s->intact[db] || (db == TS_DB_PACKS) != (rest == REST_OBJECTS) || (db == TS_DB_META && s->any_lie))
		return TS_OK;
	for (uint64_t i = 0; own && i < ts_node_pages(&scan->pages, node); i++)
		scan->used[(node->page + i) / 8] |= (uint8_t)(1 << (node->page + i) % 8);
	return take(s, db, node->key, node->value, err);
}

/* The nodes of a leaf that is whole. */
static enum ts_status take_nodes(struct salvage *s, struct ts_scan *scan, enum rest rest, const uint8_t *page, struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_node node;

	for (unsigned i = 0; i < ts_page_nodes(page) && !status; i++)
		if (ts_page_node(&scan->pages, page, TS_PAGE_LEAF, i, &node))
			status = take_rest(s, scan, rest, &node, err);
	return status;
}

/* Each two bytes of a damaged page may say where a record begins, but for those that somebody sent. What a branch has behind a key
 * would be taken for the bytes of objects in the place of the true ones, since they have no checksum. */
static enum ts_status take_harmed(struct salvage *s, struct ts_scan *scan, enum rest rest, uint64_t number, struct ts_error *err)
{
	const uint8_t *page = scan->pages.at + number * scan->pages.size;
	enum ts_status status = TS_OK;
	struct ts_node node;

	if (ts_page_is_leaf(&scan->pages, page))
		return take_nodes(s, scan, rest, page, err);
	if (rest == REST_OBJECTS ? ts_page_is_branch(&scan->pages, page) : ts_scan_is_sent(scan, number))
		return TS_OK;
	for (unsigned at = 0; at + 2 <= scan->pages.size && !status; at += 2)
		if (ts_page_record_at(&scan->pages, page, (unsigned)ts_load_le(page + at, 2), &node))
			status = take_rest(s, scan, rest, &node, err);
	return status;
}

static enum ts_status take_stray(struct salvage *s, struct ts_scan *scan, enum rest rest, uint64_t number, struct ts_error *err)
{
	const uint8_t *page = ts_tree_page(&scan->pages, number, TS_PAGE_LEAF);

	return page && ts_page_is_leaf(&scan->pages, page) ? take_nodes(s, scan, rest, page, err) : TS_OK;
}

/* The bytes of objects first, so that no page of theirs is looked at for other records. */
static enum ts_status take_the_rest(struct salvage *s, struct ts_scan *scan, uint64_t packs, struct ts_error *err)
{
	const struct ts_sum *sums = ts_env_of_kv(ts_kv_of(s->to))->super.sums;
	enum ts_status status = flush(s, err);

	s->keep = true;
	for (enum rest rest = REST_OBJECTS; rest <= REST_RECORDS && !status; rest++) {
		s->any_lie = false;
		for (uint64_t number = 2; number < scan->pages.n && !status; number++)
			if (ts_scan_is_harmed(scan, number))
				status = take_harmed(s, scan, rest, number, err);
		status = status ? status : flush(s, err);
		s->any_lie = sums[TS_DB_PACKS].records < packs;
		for (uint64_t number = 2; number < scan->pages.n && !status; number++)
			if (!ts_scan_is_used(scan, number))
				status = take_stray(s, scan, rest, number, err);
		status = status ? status : flush(s, err);
	}
	return status;
}

/* What the superblock says of the last commit that it saw through; false if it says nothing. */
static bool newest_slot(struct ts_lmdb_env *from, struct ts_super_slot *ret)
{
	uint8_t meta[TS_META_BYTES];
	struct ts_super_slot slot;
	bool held, known = false;

	for (uint64_t i = 0; i < 2; i++)
		if (ts_super_last(from, i, &slot, meta, &held) && (!known || (held && slot.txn > ret->txn))) {
			*ret = slot;
			known = true;
		}
	return known;
}

static void find_intact(struct salvage *s, const struct ts_scan *scan, const struct ts_super_slot *slot)
{
	for (unsigned db = 0; db < TS_DBS; db++)
		s->intact[db] = !scan->lost[db] && scan->found[db].records == slot->tables[db].records &&
				scan->found[db].sum == slot->tables[db].sum;
}

/* A page as it was before leaves what it lacks in pages that no tree reaches, and nothing damaged. */
static bool lacks_some(const struct salvage *s)
{
	static const enum ts_db copied[] = {TS_DB_META, TS_DB_OBJECTS,	TS_DB_PACKS,	TS_DB_REFS, TS_DB_LOG,
					    TS_DB_NOTES, TS_DB_NOTE_LOG, TS_DB_REMOVED, TS_DB_EXTRACTS};
	bool lacks = false;

	for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
		lacks = lacks || !s->intact[copied[i]];
	return lacks;
}

static enum ts_status scan_twice(struct salvage *s, struct ts_lmdb_env *from, struct ts_lmdb_txn *t, struct ts_error *err)
{
	struct ts_scan scan = {.pages = t->view.pages, .meta = t->view.meta}, first = scan;
	struct ts_super_slot slot;
	enum ts_status status = ts_scan_run(&first, err);

	if (!newest_slot(from, &slot))
		slot = (struct ts_super_slot){.txn = 0};
	if (!status)
		find_intact(s, &first, &slot);
	if (!status && !s->intact[TS_DB_META])
		status = lose(s, err,
			      "tokens and other records of the server: some may be missing, and one that was revoked may be back; "
			      "compare `tscope token list`");
	ts_scan_finish(&first);
	scan.visit = take;
	scan.ctx = s;
	if (!status)
		status = ts_scan_run(&scan, err);
	if (!status)
		status = flush(s, err);
	if (!status && (scan.bad || lacks_some(s)))
		status = take_the_rest(s, &scan, slot.txn ? slot.tables[TS_DB_PACKS].records : UINT64_MAX, err);
	ts_scan_finish(&scan);
	return status;
}

static enum ts_status take_all(struct salvage *s, struct ts_lmdb_env *from, struct ts_error *err)
{
	struct ts_lmdb_txn *t;
	enum ts_status status;

	if (ts_env_begin(from, false, &t, err))
		return err->status;
	status = t->view.pages.size ? scan_twice(s, from, t, err)
				    : lose(s, err, "everything: neither data.mdb nor the superblock says where the tables are");
	ts_env_abort(from, t);
	return status;
}

/* ---- objects ---- */

enum { KEYS = 512 };

/* Keys of one database from a place on, copied, so that they can be changed one after the other. */
struct keys {
	uint8_t bytes[KEYS][TS_KEY_MAX];
	size_t lens[KEYS];
	size_t n;
};

static enum ts_status next_keys(struct ts_engine *e, enum ts_db db, struct keys *io, bool *ret_more, struct ts_error *err)
{
	struct ts_span after = io->n ? ts_span_of(io->bytes[io->n - 1], io->lens[io->n - 1]) : ts_span_of(NULL, 0);
	uint8_t last[TS_KEY_MAX];
	struct ts_walk walk;
	enum ts_status status;
	struct ts_read r;
	bool found;

	if (after.len)
		memcpy(last, after.data, after.len);
	after.data = after.len ? last : NULL;
	io->n = 0;
	if (ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	status = ts_walk_begin(&walk, r, db, err);
	if (!status)
		status = ts_walk_seek(&walk, after, &found, err);
	if (!status && found && after.len && ts_span_eq(walk.key, after))
		status = ts_walk_next(&walk, &found, err);
	for (; !status && found && io->n < KEYS; status = ts_walk_next(&walk, &found, err)) {
		memcpy(io->bytes[io->n], walk.key.data, walk.key.len);
		io->lens[io->n++] = walk.key.len;
	}
	ts_walk_end(&walk);
	ts_read_end(&r);
	*ret_more = io->n > 0;
	return status;
}

typedef enum ts_status each_fn(struct salvage *s, struct ts_span key, struct ts_error *err);

static enum ts_status each(struct salvage *s, enum ts_db db, each_fn *run, struct ts_error *err)
{
	struct keys *keys = ts_alloc_array(1, sizeof *keys);
	enum ts_status status;
	bool more = true;

	if (!keys)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to save a store");
	status = next_keys(s->to, db, keys, &more, err);
	while (!status && more) {
		for (size_t i = 0; i < keys->n && !status; i++)
			status = run(s, ts_span_of(keys->bytes[i], keys->lens[i]), err);
		if (!status)
			status = next_keys(s->to, db, keys, &more, err);
	}
	ts_free(keys);
	return status;
}

struct drop {
	enum ts_db db;
	struct ts_span key;
};

static enum ts_status run_drop(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct drop *drop = ctx;

	return ts_write_delete(w, drop->db, drop->key, err);
}

static enum ts_status drop(struct salvage *s, enum ts_db db, struct ts_span key, struct ts_error *err)
{
	return ts_store_write(ts_store_of(s->to), run_drop, &(struct drop){db, key}, key.len, err);
}

static enum ts_status look(struct salvage *s, const struct ts_id *id, bool *ret_whole, struct ts_error *err);

/* Whether an object's bytes are what its id says, and all that it refers to is there. */
static enum ts_status read_object(struct salvage *s, const struct ts_id *id, bool *ret_whole, struct ts_error *err)
{
	struct ts_sealed sealed;
	struct ts_object object;
	struct ts_arena own;
	struct ts_span bytes;
	struct ts_error why;
	enum ts_status status = TS_OK;

	*ret_whole = false;
	ts_arena_init(&own, 0);
	if (ts_store_get(s->to, id, &own, &sealed, &why) == TS_OK && ts_sealed_verify(&sealed, &own, &bytes, &why) == TS_OK &&
	    ts_object_parse(bytes, &object, &why) == TS_OK) {
		*ret_whole = true;
		for (uint32_t i = 0; i < object.nrefs && !status; i++) {
			struct ts_id ref = ts_object_ref(&object, i);
			bool whole;

			status = look(s, &ref, &whole, err);
			*ret_whole = *ret_whole && whole;
		}
	}
	ts_arena_finish(&own);
	return status;
}

static enum ts_status look(struct salvage *s, const struct ts_id *id, bool *ret_whole, struct ts_error *err)
{
	void *known = ts_idmap_get(&s->whole, id);

	if (known) {
		*ret_whole = known == &is_whole;
		return TS_OK;
	}
	/* An id is the digest of the ids below it, so none is met again below itself. */
	if (read_object(s, id, ret_whole, err))
		return err->status;
	return ts_idmap_put(&s->whole, id, *ret_whole ? &is_whole : &is_not, err);
}

/* An object of which something is missing below is not complete any more. */
static enum ts_status run_unmark(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct ts_id *id = ctx;
	struct ts_entry entry;
	bool found;

	if (ts_entry_get(ts_read_of(w), id, &entry, &found, err))
		return err->status;
	entry.flags = 0;
	return found ? ts_entry_put(w, id, &entry, err) : TS_OK;
}

static enum ts_status check_object(struct salvage *s, struct ts_span key, struct ts_error *err)
{
	char hex[TS_ID_HEX + 1];
	struct ts_sealed sealed;
	struct ts_error why;
	struct ts_arena own;
	struct ts_span bytes;
	struct ts_id id;
	bool whole, sound;

	memcpy(id.bytes, key.data, TS_ID_BYTES);
	if (look(s, &id, &whole, err))
		return err->status;
	ts_arena_init(&own, 0);
	sound = ts_store_get(s->to, &id, &own, &sealed, &why) == TS_OK && ts_sealed_verify(&sealed, &own, &bytes, &why) == TS_OK;
	ts_arena_finish(&own);
	if (sound) {
		s->report.objects++;
		s->stored += sealed.bytes.len;
		return whole ? TS_OK : ts_store_write(ts_store_of(s->to), run_unmark, &id, 64, err);
	}
	return drop(s, TS_DB_OBJECTS, key, err) ? err->status : lose(s, err, "object %s", ts_id_hex(&id, hex));
}

static enum ts_status note_pack(struct salvage *s, struct ts_span key, struct ts_error *err)
{
	uint64_t pack = ts_load_be(key.data, key.len);

	(void)err;
	if (pack > s->last_pack && pack < (uint64_t)1 << 62)
		s->last_pack = pack;
	return TS_OK;
}

/* ---- names ---- */

static enum ts_status put_ref(struct ts_write *w, void *ctx, struct ts_error *err)
{
	return ts_ref_write(w, ctx, err);
}

/* Writes the entry of a name's log that says what the name is. */
static enum ts_status put_entry(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct ts_ref *ref = ctx;
	struct ts_buf buf = TS_BUF_INIT(128 + TS_WHO_MAX);
	uint8_t room[TS_LOG_KEY_MAX];

	ts_buf_span(&buf, ts_id_span(&ref->id));
	ts_buf_u64(&buf, (uint64_t)ref->moved_ns);
	ts_text_append(&buf, ref->who);
	ts_text_append(&buf, ts_span_of(NULL, 0));
	return ts_write_record(w, TS_DB_LOG, ts_log_key(ref->kind, ref->name, ref->seq, room), &buf, err);
}

/* The last entry of a log that is whole, below a number; seq 0: none. Texts lie in the arena. */
static enum ts_status last_entry(struct salvage *s, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
				 struct ts_log_entry *ret, bool *ret_gaps, struct ts_error *err)
{
	struct ts_log_entry *entries;
	size_t n;

	*ret = (struct ts_log_entry){.seq = 0};
	*ret_gaps = false;
	if (ts_store_ref_log(s->to, kind, name, 0, arena, &entries, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status;
	for (size_t i = 0; i < n; i++) { /* newest first */
		uint8_t room[TS_LOG_KEY_MAX];
		bool whole;

		if (look(s, &entries[i].id, &whole, err))
			return err->status;
		if (whole && !ret->seq)
			*ret = entries[i];
		if (whole || kind != TS_REF_BRANCH)
			continue;
		*ret_gaps = true; /* a branch keeps the objects of each entry */
		if (drop(s, TS_DB_LOG, ts_log_key(kind, name, entries[i].seq, room), err))
			return err->status;
	}
	return TS_OK;
}

/* Makes a name of its log where its own record is lost or older. ref_log wants a ref: an empty one stands in. */
static enum ts_status name_of_log(struct salvage *s, struct ts_span key, struct ts_error *err)
{
	struct ts_ref ref = {.kind = (enum ts_ref_kind)key.data[0], .name = ts_span_of(key.data + 1, key.len - 10)}, old = {.seq = 0};
	struct ts_error why;
	struct ts_log_entry entry;
	enum ts_status status;
	struct ts_read r;
	bool found = false, whole = false;
	struct ts_span stored;

	if (key.len < 11 || !is_kind(key.data[0]))
		return TS_OK;
	if (ts_read_begin(ts_kv_of(s->to), &r, err))
		return err->status;
	status = ts_read_get(r, TS_DB_LOG, key, &stored, &found, err);
	if (!status && found && ts_log_parse(key, stored, &entry, &why))
		found = false;
	if (!status && found && ts_ref_read(r, ref.kind, ref.name, &old, &whole, &why))
		old.seq = 0;
	if (!whole)
		old.seq = 0;
	ref.who = found ? ts_arena_span(s->arena, entry.who) : ref.who;
	ts_read_end(&r);
	if (status || !found || entry.seq == 0 || entry.seq <= old.seq)
		return status;
	ref.id = entry.id;
	ref.seq = entry.seq;
	ref.moved_ns = entry.moved_ns;
	return ts_store_write(ts_store_of(s->to), put_ref, &ref, 256, err);
}

struct forget {
	struct ts_ref ref;
	struct ts_span key;
};

static enum ts_status run_forget(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct forget *forget = ctx;
	uint8_t room[TS_REF_KEY_MAX + 1];
	struct ts_span key = ts_ref_key(forget->ref.kind, forget->ref.name, room);

	if (ts_write_delete(w, TS_DB_REFS, key, err))
		return err->status;
	room[key.len] = 0;
	return ts_write_delete_prefix(w, TS_DB_LOG, ts_span_of(room, key.len + 1), err);
}

/* A name stays with the last of its runs that is whole. */
static enum ts_status check_name(struct salvage *s, struct ts_span key, struct ts_error *err)
{
	struct ts_arena own;
	struct ts_ref ref;
	struct ts_log_entry entry;
	bool whole = false, gaps = false, agrees, moves;
	enum ts_status status;

	ts_arena_init(&own, 0);
	status = ts_store_ref_get(s->to, (enum ts_ref_kind)key.data[0], ts_span_from(key, 1), &own, &ref, err);
	if (!status)
		status = look(s, &ref.id, &whole, err);
	if (!status)
		status = last_entry(s, ref.kind, ref.name, &own, &entry, &gaps, err);
	agrees = !status && entry.seq == ref.seq && ts_id_eq(&entry.id, &ref.id);
	moves = !status && entry.seq && (!whole || (!agrees && entry.seq == ref.seq && entry.moved_ns > ref.moved_ns));
	if (moves) {
		ref.id = entry.id;
		ref.seq = entry.seq;
		ref.moved_ns = entry.moved_ns;
		ref.who = entry.who;
		ref.summary = ts_span_of(NULL, 0);
	}
	s->report.names += !status && (whole || entry.seq);
	if (moves)
		status = ts_store_write(ts_store_of(s->to), put_ref, &ref, 256, err);
	else if (!status && whole && !agrees) /* its log is lost, or was that of an earlier name */
		status = ts_store_write(ts_store_of(s->to), put_entry, &ref, 256, err);
	else if (!status && !whole)
		status = ts_store_write(ts_store_of(s->to), run_forget, &(struct forget){.ref = ref}, 256, err);
	if (!status && (gaps || !whole))
		status = lose(s, err, "%s %.*s%s", ts_ref_word(ref.kind), TS_SPAN_ARG(ref.name),
			      whole	  ? ": entries whose runs are not whole"
			      : entry.seq ? ": it is back at an earlier run, since the last one is not whole"
					  : ": its run is not whole");
	ts_arena_finish(&own);
	return status;
}

static enum ts_status is_named(struct salvage *s, enum ts_ref_kind kind, struct ts_span name, bool *ret_found, struct ts_error *err)
{
	struct ts_error why;
	struct ts_ref ref;
	struct ts_read r;

	if (ts_read_begin(ts_kv_of(s->to), &r, err))
		return err->status;
	if (ts_ref_read(r, kind, name, &ref, ret_found, &why))
		*ret_found = false;
	ts_read_end(&r);
	return TS_OK;
}

/* A name that was put elsewhere has left its old place in the order. */
static enum ts_status check_place(struct salvage *s, struct ts_span key, struct ts_error *err)
{
	uint8_t room[TS_RECENT_KEY_MAX];
	struct ts_error why;
	struct ts_ref ref;
	struct ts_read r;
	bool found, stays;

	if (key.len <= TS_RECENT_PREFIX)
		return drop(s, TS_DB_RECENT, key, err);
	if (ts_read_begin(ts_kv_of(s->to), &r, err))
		return err->status;
	stays = ts_ref_read(r, (enum ts_ref_kind)key.data[0], ts_span_from(key, TS_RECENT_PREFIX), &ref, &found, &why) == TS_OK &&
		found && ts_span_eq(ts_recent_key(ref.kind, ref.moved_ns, ref.name, room), key);
	ts_read_end(&r);
	return stays ? TS_OK : drop(s, TS_DB_RECENT, key, err);
}

static enum ts_status check_note(struct salvage *s, struct ts_span key, struct ts_error *err)
{
	const uint8_t *end = memchr(key.data, 0, key.len);
	size_t len = end ? (size_t)(end - key.data) : key.len;
	enum ts_status status;
	bool found;

	if (is_named(s, TS_REF_RUN, ts_span_of(key.data, len), &found, err))
		return err->status;
	s->report.notes += found;
	if (found)
		return TS_OK;
	status = drop(s, TS_DB_NOTES, key, err);
	if (status || !is_name(ts_span_of(key.data, len)))
		return status;
	return lose(s, err, "a note of run %.*s, which is lost", (int)len, (const char *)key.data);
}

static enum ts_status check_log(struct salvage *s, struct ts_span key, struct ts_error *err)
{
	bool found;

	if (key.len < 11)
		return drop(s, TS_DB_LOG, key, err);
	if (is_named(s, (enum ts_ref_kind)key.data[0], ts_span_of(key.data + 1, key.len - 10), &found, err))
		return err->status;
	s->report.entries += found;
	return found ? TS_OK : drop(s, TS_DB_LOG, key, err);
}

static enum ts_status run_drop_place(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct ts_span *place = ctx;

	return ts_write_delete_prefix(w, TS_DB_REMOVED, *place, err);
}

/* What was removed can come back only whole: its place and the entries of its log begin with the id of a run. */
static enum ts_status check_removed(struct salvage *s, struct ts_span key, struct ts_error *err)
{
	const uint8_t *end = key.len > 2 ? memchr(key.data + 1, 0, key.len - 1) : NULL;
	struct ts_span place = ts_span_of(key.data, end ? (size_t)(end - key.data) + 9 : 0), value, inner;
	bool found, whole = true, is_place = key.len == place.len, is_entry = key.len > place.len && key.data[place.len] == 'l';
	struct ts_error why;
	struct ts_read r;
	struct ts_id id = {{0}};
	enum ts_status status;

	if (!end || key.len < place.len || !begins_with_name(key, end))
		return drop(s, TS_DB_REMOVED, key, err);
	if (ts_read_begin(ts_kv_of(s->to), &r, err))
		return err->status;
	status = ts_read_get(r, TS_DB_REMOVED, key, &value, &found, err);
	if (!status && found && ts_check_split(key, value, &inner, &why) == TS_OK && inner.len >= TS_ID_BYTES)
		memcpy(id.bytes, inner.data, TS_ID_BYTES);
	ts_read_end(&r);
	if (status || !found) /* its place went before */
		return status;
	if ((is_place || (is_entry && key.data[0] == TS_REF_BRANCH)) && look(s, &id, &whole, err))
		return err->status;
	s->report.removed += whole;
	if (whole)
		return TS_OK;
	if (ts_store_write(ts_store_of(s->to), run_drop_place, &place, 256, err))
		return err->status;
	return lose(s, err, "removed %s %.*s: its run is not whole", ts_ref_word((enum ts_ref_kind)key.data[0]),
		    (int)(end - key.data) - 1, (const char *)key.data + 1);
}

static enum ts_status count_token(struct salvage *s, struct ts_span key, struct ts_error *err)
{
	(void)err;
	s->report.records += ts_span_starts(key, ts_span_str("record/"));
	return TS_OK;
}

static enum ts_status put_counters(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct salvage *s = ctx;

	if (ts_write_u64(w, "next_pack", s->last_pack + 1, err) || ts_write_u64(w, "stored", s->stored, err))
		return err->status;
	if (ts_write_u64(w, "counted", 0, err) || ts_heads_begin(w, false, err))
		return err->status;
	return ts_named_begin(w, false, err);
}

static enum ts_status hold_together(struct salvage *s, struct ts_error *err)
{
	if (each(s, TS_DB_PACKS, note_pack, err) || each(s, TS_DB_OBJECTS, check_object, err) || each(s, TS_DB_LOG, name_of_log, err) ||
	    each(s, TS_DB_REFS, check_name, err) || each(s, TS_DB_RECENT, check_place, err) || each(s, TS_DB_LOG, check_log, err) ||
	    each(s, TS_DB_NOTES, check_note, err) || each(s, TS_DB_META, count_token, err) ||
	    each(s, TS_DB_REMOVED, check_removed, err))
		return err->status;
	if (ts_store_write(ts_store_of(s->to), put_counters, s, 256, err) || ts_heads_build(ts_store_of(s->to), err))
		return err->status;
	return s->to->ops->recount(s->to, err);
}

/* What the superblock counted and is not there any more. */
static enum ts_status compare(struct salvage *s, struct ts_lmdb_env *from, struct ts_error *err)
{
	static const enum ts_db tables[] = {TS_DB_REFS, TS_DB_LOG, TS_DB_NOTES, TS_DB_NOTE_LOG, TS_DB_REMOVED};
	const struct ts_sum *sums = ts_env_of_kv(ts_kv_of(s->to))->super.sums; /* of its last commit, which was ours */
	enum ts_status status = TS_OK;
	struct ts_super_slot newest;

	if (!newest_slot(from, &newest))
		return lose(s, err, "what the superblock would tell: it is not there, so nobody knows what is missing");
	status = TS_OK;
	for (size_t i = 0; i < sizeof tables / sizeof *tables && !status; i++) {
		const struct ts_sum *was = &newest.tables[tables[i]], *now = &sums[tables[i]];

		if (now->records < was->records)
			status = lose(s, err, "%" PRIu64 " of %" PRIu64 " records of %s", was->records - now->records, was->records,
				      ts_scan_word(tables[i]));
		else if (now->records > was->records || now->sum != was->sum)
			status =
				lose(s, err, "what some of %s were last: they are older, or had been removed", ts_scan_word(tables[i]));
	}
	return status;
}

static enum ts_status salvage(struct salvage *s, struct ts_engine *from, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(ts_kv_of(from));
	enum ts_status status;

	if (ts_env_scan(env, true, err))
		return err->status;
	s->report.damaged = atomic_load(&env->is_damaged);
	status = take_all(s, env, err);
	if (!status)
		status = hold_together(s, err);
	if (!status)
		status = compare(s, env, err);
	return status;
}

enum ts_status ts_lmdb_salvage(const char *from, const char *to, struct ts_arena *arena, struct ts_salvage_report *ret_report,
			       struct ts_error *err)
{
	struct ts_lmdb_options old = {.path = from, .read_only = true}, new = {.path = to, .create = true};
	struct salvage *s;
	struct ts_engine *e;
	enum ts_status status;
	struct stat st;

	if (lstat(to, &st) == 0)
		return ts_error_errno(err, EEXIST, "%s", to);
	if (ts_lmdb_open(&old, &e, err))
		return err->status;
	s = ts_alloc_array(1, sizeof *s);
	status = s ? ts_lmdb_open(&new, &s->to, err) : ts_error_set(err, TS_NO_MEMORY, "out of memory to save a store");
	if (!status)
		ts_store_of(s->to)->restoring = true;
	if (!status) {
		s->arena = arena;
		status = salvage(s, e, err);
		ts_engine_destroy(s->to);
		ts_idmap_finish(&s->whole);
	}
	if (!status)
		*ret_report = s->report;
	ts_free(s);
	ts_engine_destroy(e);
	return status;
}
