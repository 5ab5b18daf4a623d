/* store_removed.c - names that were removed, with their logs and notes, and entries of logs that were retired: they keep their objects
 * until they expire, and come back.
 *
 * The records of one removal begin with the same bytes, its place: kind, name, 0, and the time (latest first). At the place itself lies
 * what the ref was and who removed it; behind it follow 'l' with the entries of the log and 'n' with the notes. Entries alone have a
 * place, too: its ref has the number 0, the id of one of them and the time at which the log began, and their count follows. */
#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/grow.h"
#include "base/limits.h"

enum {
	PLACE_MAX = 1 + TS_REF_NAME_MAX + 1 + 8,
	KEY_MAX = PLACE_MAX + 1 + TS_NOTE_KEY_MAX,
	VALUE_MAX = 128 + 2 * TS_WHO_MAX + TS_SUMMARY_MAX + TS_NOTE_MAX,
};

struct place {
	uint8_t bytes[KEY_MAX]; /* with room for what follows */
	size_t len;
};

static struct ts_span place_span(const struct place *place)
{
	return ts_span_of(place->bytes, place->len);
}

static struct place place_of(enum ts_ref_kind kind, struct ts_span name)
{
	struct place place = {.len = name.len + 2};

	place.bytes[0] = (uint8_t)kind;
	memcpy(place.bytes + 1, name.data, name.len);
	place.bytes[1 + name.len] = 0;
	return place;
}

static struct place place_at(enum ts_ref_kind kind, struct ts_span name, int64_t removed_ns)
{
	struct place place = place_of(kind, name);

	ts_time_key(removed_ns, place.bytes + place.len);
	place.len += 8;
	return place;
}

/* Returns whether a key is a place, and what stands in it. */
static bool split_place(struct ts_span key, struct ts_span *ret_name, int64_t *ret_removed_ns)
{
	struct ts_span name = key.len ? ts_span_through(ts_span_from(key, 1), 0) : key; /* with the byte that ends it */

	if (!name.len || key.len != name.len + 9)
		return false;
	*ret_name = ts_span_of(name.data, name.len - 1);
	*ret_removed_ns = ts_time_of_key(name.data + name.len);
	return true;
}

/* ---- records ---- */

static enum ts_status put_checked(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_span value, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(VALUE_MAX);

	ts_buf_span(&buf, value);
	return ts_write_record(w, db, key, &buf, err);
}

/* An entry that leaves a log, or comes back to one, is no longer or again what its project has. */
static enum ts_status index_moved(struct ts_write *w, enum ts_db from, struct ts_span old_key, enum ts_db to, struct ts_span new_key,
				  struct ts_span value, struct ts_error *err)
{
	struct ts_id id;

	memcpy(id.bytes, value.data, TS_ID_BYTES);
	if (from == TS_DB_LOG && ts_head_drop(w, old_key, &id, err))
		return err->status;
	return to == TS_DB_LOG ? ts_head_put(w, new_key, &id, err) : TS_OK;
}

/* Moves the first record under a prefix; a damaged one is dropped. */
static enum ts_status move_first(struct ts_write *w, enum ts_db from, struct ts_span prefix, enum ts_db to, struct ts_span new_prefix,
				 bool *ret_found, struct ts_error *err)
{
	uint8_t old_key[KEY_MAX], new_key[KEY_MAX], room[VALUE_MAX];
	struct ts_span value = {NULL, 0};
	struct ts_walk walk;
	enum ts_status status;
	struct ts_error damage;
	size_t len = 0, new_len;
	bool whole = false;

	if (ts_walk_begin(&walk, ts_read_of(w), from, err))
		return err->status;
	status = ts_walk_seek(&walk, prefix, ret_found, err);
	*ret_found = !status && *ret_found && ts_span_starts(walk.key, prefix) && walk.key.len <= sizeof old_key;
	if (*ret_found) {
		len = walk.key.len;
		memcpy(old_key, walk.key.data, len);
		whole = !ts_check_split(walk.key, walk.value, &value, &damage) && value.len <= sizeof room &&
			new_prefix.len + len - prefix.len <= sizeof new_key;
		if (whole)
			value = ts_span_of(memcpy(room, value.data, value.len), value.len);
	}
	ts_walk_end(&walk);
	if (status || !*ret_found)
		return status;
	if (ts_write_delete(w, from, ts_span_of(old_key, len), err))
		return err->status;
	if (!whole)
		return TS_OK;
	memcpy(new_key, new_prefix.data, new_prefix.len);
	memcpy(new_key + new_prefix.len, old_key + prefix.len, len - prefix.len);
	new_len = new_prefix.len + len - prefix.len;
	if (put_checked(w, to, ts_span_of(new_key, new_len), value, err))
		return err->status;
	if (value.len < TS_ID_BYTES)
		return TS_OK;
	return index_moved(w, from, ts_span_of(old_key, len), to, ts_span_of(new_key, new_len), value, err);
}

/* *ret_n is how many there were. */
static enum ts_status move_all(struct ts_write *w, enum ts_db from, struct ts_span prefix, enum ts_db to, struct ts_span new_prefix,
			       size_t *ret_n, struct ts_error *err)
{
	bool found = true;
	size_t n = 0;

	while (found) {
		if (move_first(w, from, prefix, to, new_prefix, &found, err))
			return err->status;
		n += found;
	}
	*ret_n = n;
	return TS_OK;
}

static struct place part_of(const struct place *place, char letter)
{
	struct place part = *place;

	part.bytes[part.len++] = (uint8_t)letter;
	return part;
}

/* Moves the log and the notes of a name to a place, or back. */
static enum ts_status move_parts(struct ts_write *w, enum ts_ref_kind kind, struct ts_span name, const struct place *place, bool back,
				 size_t *ret_notes, struct ts_error *err)
{
	size_t entries;
	struct place log = part_of(place, 'l'), notes = part_of(place, 'n'), key = place_of(kind, name);
	struct ts_span of_log = place_span(&key), of_notes = ts_span_of(key.bytes + 1, key.len - 1);
	enum ts_status status;

	if (back)
		status = move_all(w, TS_DB_REMOVED, place_span(&log), TS_DB_LOG, of_log, &entries, err);
	else
		status = move_all(w, TS_DB_LOG, of_log, TS_DB_REMOVED, place_span(&log), &entries, err);
	*ret_notes = 0;
	if (status || kind != TS_REF_RUN)
		return status;
	if (back)
		return move_all(w, TS_DB_REMOVED, place_span(&notes), TS_DB_NOTES, of_notes, ret_notes, err);
	return move_all(w, TS_DB_NOTES, of_notes, TS_DB_REMOVED, place_span(&notes), ret_notes, err);
}

/* ---- one removed name ---- */

static enum ts_status parse_removed(struct ts_span key, struct ts_span stored, struct ts_removed_name *ret, struct ts_error *err)
{
	struct ts_removed_name removed = {0};
	struct ts_span value, id;
	struct ts_cursor c;

	if (!split_place(key, &removed.ref.name, &removed.removed_ns) || ts_check_split(key, stored, &value, err))
		return ts_error_set(err, TS_DAMAGED, "the record of a removed name is damaged");
	c = ts_cursor_of(value);
	removed.ref.kind = (enum ts_ref_kind)key.data[0];
	id = ts_cursor_bytes(&c, TS_ID_BYTES);
	removed.ref.seq = ts_cursor_u64(&c);
	removed.ref.moved_ns = (int64_t)ts_cursor_u64(&c);
	removed.ref.who = ts_text_take(&c);
	removed.ref.summary = ts_text_take(&c);
	removed.by = ts_text_take(&c);
	removed.entries = removed.ref.seq == 0 ? ts_cursor_u64(&c) : 0;
	if (c.failed)
		return ts_error_set(err, TS_DAMAGED, "the record of a removed name is too short");
	memcpy(removed.ref.id.bytes, id.data, TS_ID_BYTES);
	*ret = removed;
	return TS_OK;
}

/* entries of a ref with the number 0 only */
static enum ts_status put_removed(struct ts_write *w, const struct place *place, const struct ts_ref *ref, struct ts_span by,
				  uint64_t entries, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(VALUE_MAX);
	enum ts_status status;

	ts_ref_append(&buf, ref);
	ts_text_append(&buf, by);
	if (ref->seq == 0)
		ts_buf_u64(&buf, entries);
	status = ts_buf_check(&buf, err);
	if (!status)
		status = put_checked(w, TS_DB_REMOVED, place_span(place), ts_buf_view(&buf), err);
	ts_buf_finish(&buf);
	return status;
}

/* Finds the last removal of a name. Spans of *ret are valid until the next write. */
static enum ts_status find_newest(struct ts_read r, enum ts_ref_kind kind, struct ts_span name, struct ts_removed_name *ret,
				  bool *ret_found, struct ts_error *err)
{
	struct place prefix = place_of(kind, name);
	struct ts_walk walk;
	enum ts_status status;

	if (ts_walk_begin(&walk, r, TS_DB_REMOVED, err))
		return err->status;
	status = ts_walk_seek(&walk, place_span(&prefix), ret_found, err);
	*ret_found = !status && *ret_found && ts_span_starts(walk.key, place_span(&prefix));
	if (*ret_found)
		status = parse_removed(walk.key, walk.value, ret, err);
	ts_walk_end(&walk);
	return status;
}

enum ts_status ts_removed_keep(struct ts_write *w, const struct ts_ref *ref, int64_t now_ns, struct ts_span by, size_t *ret_notes,
			       struct ts_error *err)
{
	struct ts_removed_name before;
	struct ts_swept_time swept;
	struct place place;
	bool found;

	if (find_newest(ts_read_of(w), ref->kind, ref->name, &before, &found, err) || ts_swept_time_read(ts_read_of(w), &swept, err))
		return err->status;
	/* By a clock that is behind, the name would be old once the clock is right again, and the next sweep would forget it. */
	if (now_ns < swept.at_ns)
		now_ns = swept.at_ns;
	place = place_at(ref->kind, ref->name, found && before.removed_ns >= now_ns ? before.removed_ns + 1 : now_ns);
	if (put_removed(w, &place, ref, by, 0, err))
		return err->status;
	return move_parts(w, ref->kind, ref->name, &place, false, ret_notes, err);
}

enum ts_status ts_removed_keep_entry(struct ts_write *w, const struct ts_retired *entry, int64_t born_ns, int64_t now_ns,
				     struct ts_span by, struct ts_error *err)
{
	struct ts_ref ref = {.kind = entry->kind, .name = entry->name, .id = entry->id, .moved_ns = born_ns};
	uint8_t room[TS_LOG_KEY_MAX];
	struct ts_span key = ts_log_key(entry->kind, entry->name, entry->seq, room);
	struct ts_removed_name before;
	struct place place, part;
	uint64_t entries = 1;
	int64_t at_ns = now_ns;
	bool found;

	if (find_newest(ts_read_of(w), entry->kind, entry->name, &before, &found, err))
		return err->status;
	if (found && before.entries && before.ref.moved_ns == born_ns && before.removed_ns == now_ns)
		entries += before.entries;
	else if (found && before.removed_ns >= now_ns)
		at_ns = before.removed_ns + 1;
	place = place_at(entry->kind, entry->name, at_ns);
	part = part_of(&place, 'l');
	ts_pack_key(entry->seq, part.bytes + part.len);
	part.len += 8;
	if (put_removed(w, &place, &ref, by, entries, err))
		return err->status;
	return move_first(w, TS_DB_LOG, key, TS_DB_REMOVED, place_span(&part), &found, err);
}

enum ts_status ts_removed_again(struct ts_write *w, struct ts_span name, const struct ts_id *id, size_t *ret_notes,
				struct ts_error *err)
{
	struct ts_removed_name removed;
	struct place place, notes, key = place_of(TS_REF_RUN, name);
	bool found;

	*ret_notes = 0;
	if (find_newest(ts_read_of(w), TS_REF_RUN, name, &removed, &found, err))
		return err->status;
	if (!found || !ts_id_eq(&removed.ref.id, id))
		return TS_OK;
	place = place_at(TS_REF_RUN, name, removed.removed_ns);
	notes = part_of(&place, 'n');
	if (move_all(w, TS_DB_REMOVED, place_span(&notes), TS_DB_NOTES, ts_span_of(key.bytes + 1, key.len - 1), ret_notes, err))
		return err->status;
	return ts_write_delete_prefix(w, TS_DB_REMOVED, place_span(&place), err);
}

/* ---- list ---- */

static enum ts_status copy_removed(struct ts_arena *arena, const struct ts_removed_name *in, struct ts_removed_name *ret,
				   struct ts_error *err)
{
	struct ts_removed_name copy = *in;

	copy.by = ts_arena_span(arena, in->by);
	if (!copy.by.data)
		return ts_arena_error(arena, err);
	if (ts_ref_copy(arena, &in->ref, &copy.ref, err))
		return err->status;
	*ret = copy;
	return TS_OK;
}

/* Goes from a place to the next one. */
static enum ts_status next_place(struct ts_walk *walk, bool *ret_found, struct ts_error *err)
{
	struct place behind = {.len = walk->key.len};

	memcpy(behind.bytes, walk->key.data, walk->key.len);
	behind.bytes[behind.len++] = 0xff;
	return ts_walk_seek(walk, place_span(&behind), ret_found, err);
}

static enum ts_status collect(struct ts_walk *walk, const struct ts_removed_query *query, struct ts_arena *arena,
			      struct ts_removed_name *names, size_t *ret_n, bool *ret_more, struct ts_error *err)
{
	struct ts_removed_name removed;
	enum ts_status status;
	bool found;
	size_t n = 0;

	*ret_more = false;
	status = ts_walk_seek(walk, ts_span_of(NULL, 0), &found, err);
	while (!status && found) {
		struct ts_span name;
		int64_t when;

		if (walk->key.len > PLACE_MAX || !split_place(walk->key, &name, &when))
			return ts_error_set(err, TS_DAMAGED, "a record of a removed name is not where it should be");
		if (ts_span_starts(name, query->prefix)) {
			*ret_more = n == query->limit;
			if (*ret_more)
				break;
			if (parse_removed(walk->key, walk->value, &removed, err) || copy_removed(arena, &removed, &names[n], err))
				return err->status;
			n++;
		}
		status = next_place(walk, &found, err);
	}
	*ret_n = n;
	return status;
}

enum ts_status ts_store_removed_list(struct ts_engine *e, const struct ts_removed_query *query, struct ts_arena *arena,
				    struct ts_removed_name **ret_names, size_t *ret_n, bool *ret_more, struct ts_error *err)
{
	struct ts_removed_name *names = ts_arena_array(arena, query->limit, sizeof *names);
	enum ts_status status;
	struct ts_walk walk;
	struct ts_read r;
	bool more = false;
	size_t n = 0;

	if (!names)
		return ts_arena_error(arena, err);
	if (ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	status = ts_walk_begin(&walk, r, TS_DB_REMOVED, err);
	if (!status)
		status = collect(&walk, query, arena, names, &n, &more, err);
	ts_walk_end(&walk);
	ts_read_end(&r);
	if (status)
		return status;
	*ret_names = names;
	*ret_n = n;
	*ret_more = more;
	return TS_OK;
}

/* ---- restore ---- */

struct restore {
	struct ts_store *store;
	enum ts_ref_kind kind;
	struct ts_span name, as;
	struct ts_arena *arena;
	struct ts_ref ref;
};

struct ids {
	struct ts_id *items;
	size_t n, cap;
};

static enum ts_status add_id(struct ids *ids, const uint8_t bytes[TS_ID_BYTES], struct ts_error *err)
{
	if (!TS_GROW(ids->items, ids->cap, ids->n + 1, 16))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a log");
	memcpy(ids->items[ids->n++].bytes, bytes, TS_ID_BYTES);
	return TS_OK;
}

/* What the log of a removed branch has. */
static enum ts_status add_log(struct ids *ids, struct ts_read r, const struct place *place, struct ts_error *err)
{
	struct place part = part_of(place, 'l');
	struct ts_walk walk;
	enum ts_status status;
	bool found;

	for (status = ts_walk_open(&walk, r, TS_DB_REMOVED, place_span(&part), &found, err); !status && found;
	     status = status ? status : ts_walk_on(&walk, &found, err)) {
		struct ts_error damage;
		struct ts_span value;

		if (!ts_check_split(walk.key, walk.value, &value, &damage) && value.len >= TS_ID_BYTES)
			status = add_id(ids, value.data, err);
	}
	ts_walk_end(&walk);
	return status;
}

/* A project to which a name comes from another one reaches what it had not. */
static enum ts_status reach_anew(struct ts_write *w, const struct restore *restore, const struct place *place, struct ts_error *err)
{
	struct ts_span project = ts_project_of(restore->as);
	struct ids ids = {0};
	enum ts_status status = TS_OK;

	if (ts_span_eq(project, ts_project_of(restore->name)))
		return TS_OK;
	if (restore->kind == TS_REF_BRANCH)
		status = add_log(&ids, ts_read_of(w), place, err);
	if (!status)
		status = add_id(&ids, restore->ref.id.bytes, err);
	if (!status)
		status = ts_ref_reach(w, restore->store, project, ids.items, ids.n, err);
	ts_free(ids.items);
	return status;
}

/* Writes the ref that comes back, with its log and notes. */
static enum ts_status write_restored(struct ts_write *w, struct restore *restore, const struct place *place, struct ts_bill *bill,
				     struct ts_error *err)
{
	struct ts_span project = ts_project_of(restore->as);
	size_t notes;

	if (ts_bill_project(bill, project, TS_USE_NAMES, 1, err) || ts_bill_check(bill, ts_read_of(w), restore->store->spending, err) ||
	    reach_anew(w, restore, place, err) || ts_ref_write(w, &restore->ref, err) ||
	    move_parts(w, restore->kind, restore->as, place, true, &notes, err) ||
	    ts_bill_project(bill, project, TS_USE_NOTES, (int64_t)notes, err) || ts_bill_write(bill, w, err))
		return err->status;
	return ts_write_delete_prefix(w, TS_DB_REMOVED, place_span(place), err);
}

/* Whether the log from which entries were retired is there, and none of them is in it. */
static enum ts_status check_log(struct ts_write *w, const struct restore *restore, const struct ts_removed_name *removed,
				struct ts_log_gap *ret_gap, struct ts_error *err)
{
	if (!ts_span_eq(restore->name, restore->as))
		return ts_error_set(err, TS_INVALID, "what last went of %.*s are entries of its history, which go back to it only",
				    TS_SPAN_ARG(restore->name));
	if (ts_log_gap_read(ts_read_of(w), restore->kind, restore->name, ret_gap, err))
		return err->status;
	if (ret_gap->pruned.entries < removed->entries || ret_gap->born_ns != removed->ref.moved_ns)
		return ts_error_set(err, TS_CONFLICT, "%s %.*s is not the one whose history had these %" PRIu64 " entries",
				    ts_ref_word(restore->kind), TS_SPAN_ARG(restore->name), removed->entries);
	return TS_OK;
}

static enum ts_status restore_entries(struct ts_write *w, struct restore *restore, const struct ts_removed_name *removed,
				      struct ts_error *err)
{
	struct place place = place_at(restore->kind, restore->name, removed->removed_ns);
	uint64_t entries = removed->entries;
	uint8_t who[TS_WHO_MAX], owner[TS_WHO_MAX];
	struct ts_log_gap gap;
	struct ts_ref now;
	size_t notes;
	bool found;

	if (ts_ref_read(ts_read_of(w), restore->kind, restore->name, &now, &found, err))
		return err->status;
	if (!found)
		return ts_error_set(err, TS_CONFLICT, "%s %.*s, to whose history these %" PRIu64 " entries belong, is not there",
				    ts_ref_word(restore->kind), TS_SPAN_ARG(restore->name), entries);
	if (check_log(w, restore, removed, &gap, err) || ts_ref_copy(restore->arena, &now, &restore->ref, err))
		return err->status;
	gap.pruned.who = ts_who_copy(gap.pruned.who, who);
	gap.pruned.owner = ts_who_copy(gap.pruned.owner, owner);
	gap.pruned.entries -= entries;
	if (move_parts(w, restore->kind, restore->name, &place, true, &notes, err) ||
	    ts_write_delete_prefix(w, TS_DB_REMOVED, place_span(&place), err))
		return err->status;
	return ts_log_gap_write(w, restore->kind, restore->name, &gap, err);
}

static enum ts_status run_restore(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct restore *restore = ctx;
	struct ts_removed_name removed;
	struct ts_bill bill = {0};
	enum ts_status status;
	struct place place;
	struct ts_ref now;
	bool found;

	if (find_newest(ts_read_of(w), restore->kind, restore->name, &removed, &found, err))
		return err->status;
	if (!found)
		return ts_error_set(err, TS_NOT_FOUND, "no %s %.*s was removed, or gc has freed it since", ts_ref_word(restore->kind),
				    TS_SPAN_ARG(restore->name));
	if (removed.entries)
		return restore_entries(w, restore, &removed, err);
	if (ts_ref_read(ts_read_of(w), restore->kind, restore->as, &now, &found, err))
		return err->status;
	if (found)
		return ts_error_set(err, TS_CONFLICT, "%s %.*s exists again", ts_ref_word(restore->kind), TS_SPAN_ARG(restore->as));
	if (ts_ref_copy(restore->arena, &removed.ref, &restore->ref, err))
		return err->status;
	restore->ref.name = restore->as;
	place = place_at(restore->kind, restore->name, removed.removed_ns);
	status = write_restored(w, restore, &place, &bill, err);
	ts_bill_finish(&bill);
	return status;
}

enum ts_status ts_store_ref_restore(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_span as,
				   struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err)
{
	struct restore restore = {.store = ts_store_of(e),
				  .kind = kind,
				  .name = name,
				  .as = as.len ? as : name,
				  .arena = arena};

	if (ts_ref_kind_check(kind, err) || ts_ref_name_check(name, err) || ts_ref_name_check(restore.as, err) ||
	    ts_store_write(ts_store_of(e), run_restore, &restore, 0, err))
		return err->status;
	*ret_ref = restore.ref;
	return TS_OK;
}

/* ---- expiry ---- */

/* Whether the time of a removal that a clock running ahead wrote must be written anew. */
static bool is_ahead(int64_t removed_ns, int64_t now_ns)
{
	return ts_lease_is_ahead(removed_ns, now_ns);
}

/* Lets a name that a clock running ahead removed count as removed now. */
static enum ts_status date_back(struct ts_write *w, const struct place *from, int64_t now_ns, struct ts_error *err)
{
	struct place to = *from;
	size_t n;

	ts_time_key(now_ns, to.bytes + to.len - 8);
	return move_all(w, TS_DB_REMOVED, place_span(from), TS_DB_REMOVED, place_span(&to), &n, err);
}

/* Forgets what a place holds, and with the last trace of a run's name the history of its notes. */
static enum ts_status forget(struct ts_write *w, const struct place *place, struct ts_error *err)
{
	struct ts_removed_name other;
	struct ts_error damage;
	struct ts_span name;
	struct ts_ref ref;
	int64_t when;
	bool found = true;

	if (ts_write_delete_prefix(w, TS_DB_REMOVED, place_span(place), err))
		return err->status;
	if (place->bytes[0] != TS_REF_RUN || !split_place(place_span(place), &name, &when))
		return TS_OK;
	if (ts_ref_read(ts_read_of(w), TS_REF_RUN, name, &ref, &found, &damage) ||
	    (!found && find_newest(ts_read_of(w), TS_REF_RUN, name, &other, &found, &damage))) {
		*err = damage;
		return damage.status == TS_DAMAGED ? TS_OK : damage.status; /* for verify to tell */
	}
	return found ? TS_OK : ts_note_log_forget(w, name, err);
}

enum ts_status ts_removed_expire(struct ts_write *w, int64_t now_ns, int64_t keep_ns, bool rewrite, bool *ret_more,
				 struct ts_error *err)
{
	enum ts_status status;
	struct ts_walk walk;
	struct place place = {.len = 0};
	bool found, old = false, ahead = false;

	if (ts_walk_begin(&walk, ts_read_of(w), TS_DB_REMOVED, err))
		return err->status;
	status = ts_walk_seek(&walk, ts_span_of(NULL, 0), &found, err);
	while (!status && found && !old && !ahead) {
		struct ts_span name;
		int64_t when;

		if (walk.key.len <= PLACE_MAX && split_place(walk.key, &name, &when)) {
			ahead = rewrite && is_ahead(when, now_ns);
			old = when <= now_ns - keep_ns;
		} else { /* parts of a name that is not there */
			old = true;
		}
		place.len = walk.key.len < KEY_MAX ? walk.key.len : KEY_MAX;
		memcpy(place.bytes, walk.key.data, place.len);
		if (!old && !ahead)
			status = next_place(&walk, &found, err);
	}
	ts_walk_end(&walk);
	*ret_more = !status && (old || ahead);
	if (!*ret_more)
		return status;
	return old ? forget(w, &place, err) : date_back(w, &place, now_ns, err);
}

bool ts_removed_root(struct ts_span key, int64_t since_ns, bool *ret_log)
{
	const uint8_t *end = key.len > 2 ? memchr(key.data + 1, 0, key.len - 1) : NULL;
	size_t at = end ? (size_t)(end - key.data) + 1 : 0;

	if (!end || key.len < at + 8 || ts_time_of_key(key.data + at) <= since_ns)
		return false;
	*ret_log = key.len == at + 8 + 1 + 8 && key.data[at + 8] == 'l' && key.data[0] == TS_REF_BRANCH;
	return *ret_log || key.len == at + 8;
}

enum ts_status ts_removed_id(struct ts_span key, struct ts_span stored, struct ts_id *ret_id, struct ts_error *err)
{
	struct ts_removed_name removed;

	if (parse_removed(key, stored, &removed, err))
		return err->status;
	*ret_id = removed.ref.id;
	return TS_OK;
}
