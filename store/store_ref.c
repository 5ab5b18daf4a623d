/* store_ref.c - moves names, in the transaction that checks that everything behind the new target is there. */
#include "base/grow.h"
#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/limits.h"

enum {
	REF_VALUE_MAX = 64 + TS_WHO_MAX + TS_SUMMARY_MAX,
	LOG_VALUE_MAX = 64 + TS_WHO_MAX + TS_NOTE_MAX,
	EXTRACT_RECORD = 2048, /* a page of them */
};

struct ts_span ts_ref_key(enum ts_ref_kind kind, struct ts_span name, uint8_t out[TS_REF_KEY_MAX])
{
	out[0] = (uint8_t)kind;
	memcpy(out + 1, name.data, name.len);
	return ts_span_of(out, 1 + name.len);
}

struct ts_span ts_text_take(struct ts_cursor *c)
{
	return ts_cursor_bytes(c, ts_cursor_u16(c));
}

void ts_text_append(struct ts_buf *buf, struct ts_span text)
{
	ts_buf_u16(buf, (uint16_t)text.len);
	ts_buf_span(buf, text);
}

enum ts_standing ts_standing_take(struct ts_cursor *c)
{
	uint8_t standing = ts_cursor_left(c) ? ts_cursor_u8(c) : 0;

	return standing <= TS_STANDING_MAINTAINER ? (enum ts_standing)standing : TS_STANDING_UNKNOWN;
}

static struct ts_id read_id(struct ts_cursor *c)
{
	struct ts_span bytes = ts_cursor_bytes(c, TS_ID_BYTES);
	struct ts_id id = {{0}};

	if (bytes.len)
		memcpy(id.bytes, bytes.data, TS_ID_BYTES);
	return id;
}

enum ts_status ts_ref_parse(struct ts_span key, struct ts_span stored, struct ts_ref *ret, struct ts_error *err)
{
	struct ts_span value;
	struct ts_cursor c;
	struct ts_ref ref;

	if (key.len < 2 || ts_check_split(key, stored, &value, err))
		return ts_error_set(err, TS_DAMAGED, "the record of %.*s is damaged", TS_SPAN_ARG(key));
	c = ts_cursor_of(value);
	ref.kind = (enum ts_ref_kind)key.data[0];
	ref.name = ts_span_of(key.data + 1, key.len - 1);
	ref.id = read_id(&c);
	ref.seq = ts_cursor_u64(&c);
	ref.moved_ns = (int64_t)ts_cursor_u64(&c);
	ref.who = ts_text_take(&c);
	ref.summary = ts_text_take(&c);
	if (c.failed)
		return ts_error_set(err, TS_DAMAGED, "the record of %.*s is too short", TS_SPAN_ARG(ref.name));
	*ret = ref;
	return TS_OK;
}

enum ts_status ts_ref_read(struct ts_read r, enum ts_ref_kind kind, struct ts_span name, struct ts_ref *ret,
			   bool *ret_found, struct ts_error *err)
{
	uint8_t room[TS_REF_KEY_MAX];
	struct ts_span key = ts_ref_key(kind, name, room);
	struct ts_span stored;

	if (ts_read_get(r, TS_DB_REFS, key, &stored, ret_found, err))
		return err->status;
	if (!*ret_found)
		return TS_OK;
	if (ts_ref_parse(key, stored, ret, err))
		return err->status;
	ret->name = name; /* not the key, which is ours */
	return TS_OK;
}

enum ts_status ts_log_parse(struct ts_span key, struct ts_span stored, struct ts_log_entry *ret, struct ts_error *err)
{
	struct ts_log_entry entry = {0};
	struct ts_span value;
	struct ts_cursor c;

	if (key.len < 10 || ts_check_split(key, stored, &value, err))
		return ts_error_set(err, TS_DAMAGED, "a log entry of %.*s is damaged", TS_SPAN_ARG(key));
	entry.seq = ts_load_be(key.data + key.len - 8, 8);
	c = ts_cursor_of(value);
	entry.id = read_id(&c);
	entry.moved_ns = (int64_t)ts_cursor_u64(&c);
	entry.who = ts_text_take(&c);
	entry.message = ts_text_take(&c);
	entry.standing = ts_standing_take(&c);
	if (c.failed)
		return ts_error_set(err, TS_DAMAGED, "a log entry of %.*s is too short", TS_SPAN_ARG(key));
	*ret = entry;
	return TS_OK;
}

/* The place of an object that this commit names: for the first time at all, or for a project. */
struct place {
	uint64_t pack;
	uint32_t offset;
	struct ts_project_key project;
};
struct places {
	struct place *items;
	size_t n;
	size_t cap;
};

struct commit {
	const struct ts_ref_update *updates;
	size_t n;
	struct ts_store *store;
	struct ts_ref *current; /* for each update; seq 0 = none. The first write ends its spans; id, seq, moved_ns stay */
	struct ts_arena *arena;
	struct ts_ref *ret_ref;
	struct ts_ref first;
	/* for the walk over the closure */
	struct ts_read read;
	struct ts_idmap seen; /* below the names of one project */
	struct ts_idmap billed;
	struct ts_sweeping sweeping;
	int64_t now_ns;
	struct ts_id *walked; /* objects with references whose closure was walked, and those that a sweep would not keep */
	size_t n_walked;
	size_t cap_walked;
	struct ts_span project; /* of the update whose closure is walked */
	struct ts_project_key project_key;
	struct places fresh, named;
	struct ts_bill bill;
};

static enum ts_status commit_visit(void *ctx, const struct ts_id *id, bool *ret_first, struct ts_error *err)
{
	return ts_idmap_add(&((struct commit *)ctx)->seen, id, ret_first, err);
}

static enum ts_status remember(struct commit *commit, const struct ts_id *id, struct ts_error *err)
{
	if (!TS_GROW(commit->walked, commit->cap_walked, commit->n_walked + 1, 64))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu ids", commit->n_walked + 1);
	commit->walked[commit->n_walked++] = *id;
	return TS_OK;
}

static enum ts_status add_place(struct places *places, const struct ts_entry *record, const struct ts_project_key *project,
				struct ts_error *err)
{
	if (!TS_GROW(places->items, places->cap, places->n + 1, 64))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu objects", places->n + 1);
	places->items[places->n++] = (struct place){record->pack, record->offset, *project};
	return TS_OK;
}

/* An object that no name had reached goes from the account of who sent it to that of the project. */
static enum ts_status bill_object(struct commit *commit, const struct ts_id *id, const struct ts_entry *record, struct ts_error *err)
{
	struct ts_unnamed unnamed;
	bool found, first;

	if (ts_unnamed_get(commit->read, record->pack, record->offset, &unnamed, &found, err))
		return err->status;
	if (found && ts_idmap_add(&commit->billed, id, &first, err))
		return err->status;
	if (!found || !first)
		return TS_OK;
	if (add_place(&commit->fresh, record, &commit->project_key, err) ||
	    ts_bill_sender(&commit->bill, unnamed.sender, ts_span_of(NULL, 0), -(int64_t)unnamed.len, err) ||
	    ts_bill_project(&commit->bill, commit->project, TS_USE_SEALED, record->len, err))
		return err->status;
	return ts_bill_project(&commit->bill, commit->project, TS_USE_RAW, record->raw_len, err);
}

/* An object that no name of this project had reached; what it refers to may be such, too. */
static enum ts_status name_object(struct commit *commit, const struct ts_id *id, const struct ts_entry *record, bool *ret_named,
				  struct ts_error *err)
{
	if (ts_named_get(commit->read, record->pack, record->offset, &commit->project_key, ret_named, err))
		return err->status;
	if (*ret_named)
		return TS_OK;
	return bill_object(commit, id, record, err) ? err->status : add_place(&commit->named, record, &commit->project_key, err);
}

static enum ts_status commit_look(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_found *ret_found,
				  struct ts_error *err)
{
	struct commit *commit = ctx;
	struct ts_entry record;
	bool found, named;

	(void)arena;
	if (ts_entry_get(commit->read, id, &record, &found, err))
		return err->status;
	if (!found)
		return ts_store_ask_depot(commit->store, id, err);
	if (name_object(commit, id, &record, &named, err))
		return err->status;
	ret_found->follow = record.nrefs && (commit->sweeping.number || !named || !(record.flags & TS_COMPLETE));
	if ((ret_found->follow || !ts_sweeping_honours(&commit->sweeping, record.lease_ns, commit->now_ns)) &&
	    remember(commit, id, err))
		return err->status;
	if (!ret_found->follow)
		return TS_OK;
	return ts_entry_sealed(commit->read, id, &record, &ret_found->sealed, err);
}

static enum ts_status commit_trouble(void *ctx, const struct ts_id *id, struct ts_error *err)
{
	(void)ctx;
	return err->status == TS_NOT_FOUND ? ts_incomplete(id, err) : err->status;
}

static enum ts_status commit_ahead(void *ctx, const struct ts_id *ids, size_t n, struct ts_error *err)
{
	struct commit *commit = ctx;
	struct ts_entry *places;
	enum ts_status status;
	size_t n_places = 0;

	if (!commit->read.kv->far || n < 2)
		return TS_OK;
	places = ts_alloc_array(n, sizeof *places);
	if (!places)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu ids", n);
	status = ts_entries_ahead(commit->read, ids, sizeof *ids, n, err);
	for (size_t i = 0; i < n && !status; i++) {
		struct ts_error later; /* who looks at it says it */
		bool found = false;

		if (ts_entry_get(commit->read, &ids[i], &places[n_places], &found, &later) == TS_OK)
			n_places += found;
	}
	if (!status)
		status = ts_places_ahead(commit->read, places, n_places, &commit->project_key, 1, err);
	ts_free(places);
	return status;
}

static const struct ts_closure_ops commit_ops = {commit_visit, commit_look, commit_trouble, commit_ahead};

/* How many names and notes more there are. */
static enum ts_status bill_name(struct commit *commit, const struct ts_ref_update *u, bool found, struct ts_error *err)
{
	int notes = 0;

	if (u->note && ts_store_note_more(commit->read, u->name, u->note, &notes, err))
		return err->status;
	if (ts_bill_project(&commit->bill, commit->project, TS_USE_NAMES, u->remove ? -1 : !found, err))
		return err->status;
	return ts_bill_project(&commit->bill, commit->project, TS_USE_NOTES, notes, err);
}

/* What was seen below the names of one project, the next one may not have. */
static void set_project(struct commit *commit, struct ts_span project)
{
	if (!ts_span_eq(commit->project, project))
		ts_idmap_finish(&commit->seen);
	commit->project = project;
	commit->project_key = ts_project_key(project);
}

static enum ts_status check_update(struct commit *commit, size_t i, struct ts_closure *closure, struct ts_error *err)
{
	const struct ts_ref_update *u = &commit->updates[i];
	struct ts_ref *current = &commit->current[i];
	bool found;

	*current = (struct ts_ref){0};
	if (ts_ref_read(commit->read, u->kind, u->name, current, &found, err) ||
	    ts_expect_check(u, found ? &current->id : NULL, err))
		return err->status;
	if (i == 0 && commit->ret_ref) {
		struct ts_ref after = ts_ref_after(u, current);

		if (ts_ref_copy(commit->arena, &after, &commit->first, err))
			return err->status;
	}
	set_project(commit, ts_project_of(u->name));
	if (bill_name(commit, u, found, err))
		return err->status;
	return u->remove ? TS_OK : ts_closure_walk(closure, &u->id, err);
}

/* Checks everything that can be wrong with a commit before anything is written. */
static enum ts_status check_commit(struct commit *commit, struct ts_error *err)
{
	struct ts_closure closure;
	enum ts_status status = TS_OK;

	commit->n_walked = commit->fresh.n = commit->named.n = commit->bill.n = 0;
	if (ts_sweeping_read(commit->read, &commit->sweeping, err))
		return err->status;
	ts_closure_init(&closure, &commit_ops, commit);
	for (size_t i = 0; i < commit->n && !status; i++)
		status = check_update(commit, i, &closure, err);
	ts_closure_finish(&closure);
	ts_idmap_finish(&commit->seen);
	ts_idmap_finish(&commit->billed);
	return status ? status : ts_bill_check(&commit->bill, commit->read, commit->store->spending, err);
}

static enum ts_status mark_complete(struct ts_write *w, const struct commit *commit, const struct ts_id *id, struct ts_error *err)
{
	struct ts_entry record;
	bool found;

	if (ts_entry_get(ts_read_of(w), id, &record, &found, err))
		return err->status;
	if (!found)
		return ts_no_object(id, err);
	if (record.nrefs)
		record.flags |= TS_COMPLETE;
	if (!ts_sweeping_honours(&commit->sweeping, record.lease_ns, commit->now_ns))
		record.lease_ns = ts_sweeping_lease(&commit->sweeping, commit->now_ns);
	return ts_entry_put(w, id, &record, err);
}

struct ts_span ts_recent_key(enum ts_ref_kind kind, int64_t moved_ns, struct ts_span name, uint8_t out[TS_RECENT_KEY_MAX])
{
	out[0] = (uint8_t)kind;
	ts_time_key(moved_ns, out + 1);
	memcpy(out + TS_RECENT_PREFIX, name.data, name.len);
	return ts_span_of(out, TS_RECENT_PREFIX + name.len);
}

void ts_ref_append(struct ts_buf *buf, const struct ts_ref *ref)
{
	ts_buf_bytes(buf, ref->id.bytes, TS_ID_BYTES);
	ts_buf_u64(buf, ref->seq);
	ts_buf_u64(buf, (uint64_t)ref->moved_ns);
	ts_text_append(buf, ref->who);
	ts_text_append(buf, ref->summary);
}

enum ts_status ts_ref_write(struct ts_write *w, const struct ts_ref *ref, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(REF_VALUE_MAX);
	uint8_t key_room[TS_REF_KEY_MAX];
	struct ts_span key = ts_ref_key(ref->kind, ref->name, key_room);
	uint8_t recent_room[TS_RECENT_KEY_MAX];
	enum ts_status status;

	ts_ref_append(&buf, ref);
	ts_check_append(&buf, key);
	status = ts_buf_check(&buf, err);
	if (!status)
		status = ts_write_put(w, TS_DB_REFS, key, ts_buf_view(&buf), err);
	if (!status)
		status = ts_write_put(w, TS_DB_RECENT, ts_recent_key(ref->kind, ref->moved_ns, ref->name, recent_room),
				      ts_span_of(NULL, 0), err);
	ts_buf_finish(&buf);
	return status;
}

struct ts_span ts_log_key(enum ts_ref_kind kind, struct ts_span name, uint64_t seq, uint8_t out[TS_LOG_KEY_MAX])
{
	struct ts_span key = ts_ref_key(kind, name, out);

	out[key.len] = 0;
	ts_pack_key(seq, out + key.len + 1);
	return ts_span_of(out, key.len + 9);
}

static enum ts_status put_log(struct ts_write *w, const struct ts_ref *ref, const struct ts_ref_update *u, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(LOG_VALUE_MAX);
	uint8_t room[TS_LOG_KEY_MAX];
	struct ts_span key = ts_log_key(ref->kind, ref->name, ref->seq, room);

	ts_buf_bytes(&buf, ref->id.bytes, TS_ID_BYTES);
	ts_buf_u64(&buf, (uint64_t)ref->moved_ns);
	ts_text_append(&buf, ref->who);
	ts_text_append(&buf, u->message);
	ts_buf_u8(&buf, (uint8_t)u->standing);
	return ts_write_record(w, TS_DB_LOG, key, &buf, err) ? err->status : ts_head_put(w, key, &ref->id, err);
}

enum ts_status ts_ref_remove(struct ts_write *w, enum ts_ref_kind kind, struct ts_span name, int64_t now_ns, struct ts_span by,
			     struct ts_bill *bill, struct ts_error *err)
{
	size_t notes = 0;
	uint8_t room[TS_REF_KEY_MAX + 1], recent_room[TS_RECENT_KEY_MAX];
	struct ts_span key = ts_ref_key(kind, name, room), recent;
	struct ts_span prefix = ts_span_of(room, key.len + 1);
	struct ts_ref current;
	bool found;

	room[key.len] = 0;
	if (ts_ref_read(ts_read_of(w), kind, name, &current, &found, err))
		return err->status;
	if (!found)
		return TS_OK;
	recent = ts_recent_key(kind, current.moved_ns, name, recent_room);
	if (kind != TS_REF_STAGE && ts_removed_keep(w, &current, now_ns, by, &notes, err))
		return err->status;
	if (ts_bill_project(bill, ts_project_of(name), TS_USE_NOTES, -(int64_t)notes, err) ||
	    ts_write_delete(w, TS_DB_RECENT, recent, err) || ts_write_delete(w, TS_DB_REFS, key, err) ||
	    ts_heads_drop_log(w, prefix, err))
		return err->status;
	return ts_write_delete_prefix(w, TS_DB_LOG, prefix, err);
}

/* Gives a name that comes back to the same run its notes back. The bill has the note of the update as a new one, which may be among
 * them. */
static enum ts_status notes_again(struct ts_write *w, const struct ts_ref_update *u, struct ts_bill *bill, struct ts_error *err)
{
	int before = 0, now = 0;
	size_t notes;

	if ((u->note && ts_store_note_more(ts_read_of(w), u->name, u->note, &before, err)) ||
	    ts_removed_again(w, u->name, &u->id, &notes, err) ||
	    (u->note && ts_store_note_more(ts_read_of(w), u->name, u->note, &now, err)))
		return err->status;
	return ts_bill_project(bill, ts_project_of(u->name), TS_USE_NOTES, (int64_t)notes + now - before, err);
}

static enum ts_status apply_update(struct ts_write *w, const struct ts_ref_update *u, const struct ts_ref *current,
				   struct ts_bill *bill, struct ts_error *err)
{
	uint8_t room[TS_RECENT_KEY_MAX];
	struct ts_ref after;

	if (u->remove)
		return ts_ref_remove(w, u->kind, u->name, u->now_ns, u->who, bill, err);
	if (current->seq &&
	    ts_write_delete(w, TS_DB_RECENT, ts_recent_key(u->kind, current->moved_ns, u->name, room), err))
		return err->status;
	if (u->kind == TS_REF_RUN && !current->seq && notes_again(w, u, bill, err))
		return err->status;
	after = ts_ref_after(u, current);
	if (ts_ref_write(w, &after, err) || put_log(w, &after, u, err))
		return err->status;
	if (ts_store_extracts_write(w, &u->id, u->extracts, u->n_extracts, err))
		return err->status;
	return u->note ? ts_store_note_write(w, u->name, u->note, err) : TS_OK;
}

static enum ts_status forget_fresh(struct ts_write *w, const struct place *fresh, struct ts_error *err)
{
	uint8_t room[TS_UNNAMED_KEY];

	return ts_write_delete(w, TS_DB_UNNAMED, ts_unnamed_key(fresh->pack, fresh->offset, room), err);
}

static enum ts_status write_reached(struct ts_write *w, const struct commit *commit, struct ts_error *err)
{
	if (ts_entries_ahead(ts_read_of(w), commit->walked, sizeof *commit->walked, commit->n_walked, err))
		return err->status;
	for (size_t i = 0; i < commit->n_walked; i++)
		if (mark_complete(w, commit, &commit->walked[i], err))
			return err->status;
	for (size_t i = 0; i < commit->fresh.n; i++)
		if (forget_fresh(w, &commit->fresh.items[i], err))
			return err->status;
	for (size_t i = 0; i < commit->named.n; i++) {
		const struct place *at = &commit->named.items[i];

		if (ts_named_put(w, at->pack, at->offset, &at->project, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status run_commit(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct commit *commit = ctx;

	commit->read = ts_read_of(w);
	if (check_commit(commit, err) || write_reached(w, commit, err))
		return err->status;
	for (size_t i = 0; i < commit->n; i++)
		if (apply_update(w, &commit->updates[i], &commit->current[i], &commit->bill, err))
			return err->status;
	return ts_bill_write(&commit->bill, w, err);
}

static void finish_commit(struct commit *commit)
{
	ts_free(commit->walked);
	ts_free(commit->fresh.items);
	ts_free(commit->named.items);
	ts_bill_finish(&commit->bill);
}

enum ts_status ts_ref_reach(struct ts_write *w, struct ts_store *s, struct ts_span project, const struct ts_id *ids, size_t n,
			    struct ts_error *err)
{
	struct commit commit = {.store = s, .read = ts_read_of(w), .now_ns = ts_kv_now(s->kv)};
	struct ts_closure closure;
	enum ts_status status = ts_sweeping_read(commit.read, &commit.sweeping, err);

	set_project(&commit, project);
	ts_closure_init(&closure, &commit_ops, &commit);
	for (size_t i = 0; i < n && !status; i++)
		status = ts_closure_walk(&closure, &ids[i], err);
	ts_closure_finish(&closure);
	ts_idmap_finish(&commit.seen);
	ts_idmap_finish(&commit.billed);
	if (!status)
		status = ts_bill_check(&commit.bill, commit.read, s->spending, err);
	if (!status)
		status = write_reached(w, &commit, err);
	if (!status)
		status = ts_bill_write(&commit.bill, w, err);
	finish_commit(&commit);
	return status;
}

/* Roughly what a commit writes. */
static size_t bytes_of(const struct ts_ref_update *updates, size_t n)
{
	size_t bytes = n * REF_VALUE_MAX;

	for (size_t i = 0; i < n; i++)
		bytes += updates[i].n_extracts * EXTRACT_RECORD;
	return bytes;
}

/* Names can be removed from a store that is full. */
static enum ts_status check_room(struct ts_kv *kv, const struct ts_ref_update *updates, size_t n, struct ts_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (!updates[i].remove)
			return ts_kv_room(kv, err);
	return TS_OK;
}

enum ts_status ts_store_commit(struct ts_engine *e, const struct ts_ref_update *updates, size_t n,
			      struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err)
{
	struct commit commit = {.updates = updates,
				.n = n,
				.store = ts_store_of(e),
				.arena = arena,
				.ret_ref = ret_ref,
				.now_ns = ts_kv_now(ts_kv_of(e))};
	enum ts_status status;

	if (n == 0)
		return TS_OK;
	if (ts_updates_check(updates, n, err) || check_room(ts_kv_of(e), updates, n, err))
		return err->status;
	commit.current = ts_arena_array(arena, n, sizeof *commit.current);
	if (!commit.current)
		return ts_arena_error(arena, err);
	status = ts_store_write(commit.store, run_commit, &commit, bytes_of(updates, n), err);
	finish_commit(&commit);
	if (!status && ret_ref)
		*ret_ref = commit.first;
	return status;
}
