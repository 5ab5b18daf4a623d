/* store_note.c - writes and lists the notes of the name of a run.
 *
 * In a store of format 1 the notes of a name that was removed stayed, behind a record without a note's key. */
#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/limits.h"

enum { NOTE_PREFIX_MAX = TS_REF_NAME_MAX + 1, NOTE_VALUE_MAX = 40 + TS_WHO_MAX + TS_NOTE_MAX };

/* Builds the key prefix "name 0" in room. */
static struct ts_span note_prefix(struct ts_span name, uint8_t *room)
{
	memcpy(room, name.data, name.len);
	room[name.len] = 0;
	return ts_span_of(room, name.len + 1);
}

/* Finds a name whose notes were set aside, from `from` on. *ret_name, in room: the key of its record. */
static enum ts_status find_aside(struct ts_read r, struct ts_span from, uint8_t *room, struct ts_span *ret_key, bool *ret_found,
				 struct ts_error *err)
{
	struct ts_walk walk;
	enum ts_status status;

	if (ts_walk_begin(&walk, r, TS_DB_NOTES, err))
		return err->status;
	status = ts_walk_seek(&walk, from, ret_found, err);
	while (!status && *ret_found && (walk.key.data[walk.key.len - 1] != 0 || walk.key.len > NOTE_PREFIX_MAX))
		status = ts_walk_next(&walk, ret_found, err);
	if (!status && *ret_found) {
		memcpy(room, walk.key.data, walk.key.len);
		*ret_key = ts_span_of(room, walk.key.len);
	}
	ts_walk_end(&walk);
	return status;
}

enum ts_status ts_store_notes_forget(struct ts_write *w, struct ts_error *err)
{
	uint8_t room[NOTE_PREFIX_MAX];
	struct ts_span key = {0};
	bool found = true;

	while (found) {
		if (find_aside(ts_read_of(w), key, room, &key, &found, err) ||
		    (found && ts_write_delete_prefix(w, TS_DB_NOTES, key, err)))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_store_noted_since(struct ts_read r, struct ts_span name, int64_t since_ns, bool *ret_noted, struct ts_error *err)
{
	uint8_t room[NOTE_PREFIX_MAX];
	struct ts_span prefix = note_prefix(name, room), value;
	struct ts_walk walk;
	enum ts_status status;
	bool found;

	*ret_noted = false;
	for (status = ts_walk_open(&walk, r, TS_DB_NOTES, prefix, &found, err); !status && found && !*ret_noted;
	     status = status ? status : ts_walk_on(&walk, &found, err)) {
		struct ts_cursor c;

		status = ts_check_split(walk.key, walk.value, &value, err);
		c = ts_cursor_of(value);
		*ret_noted = !status && (int64_t)ts_cursor_u64(&c) > since_ns;
	}
	ts_walk_end(&walk);
	return status;
}

struct put_note {
	const struct ts_spending *spending;
	struct ts_span name;
	const struct ts_note *note;
};

void ts_note_append(struct ts_buf *buf, const struct ts_note *note)
{
	ts_buf_u64(buf, (uint64_t)note->at_ns);
	ts_text_append(buf, note->who);
	ts_text_append(buf, note->value);
	ts_buf_u8(buf, (uint8_t)note->standing);
}

static enum ts_status write_note(struct ts_write *w, struct ts_span key, const struct ts_note *note, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(NOTE_VALUE_MAX);

	ts_note_append(&buf, note);
	return ts_write_record(w, TS_DB_NOTES, key, &buf, err);
}

static struct ts_span note_key(struct ts_span name, struct ts_span note, uint8_t room[NOTE_PREFIX_MAX + TS_NOTE_KEY_MAX])
{
	struct ts_span key = note_prefix(name, room);

	memcpy(room + key.len, note.data, note.len);
	key.len += note.len;
	return key;
}

enum ts_status ts_store_note_more(struct ts_read r, struct ts_span name, const struct ts_note *note, int *ret_more,
				  struct ts_error *err)
{
	uint8_t room[NOTE_PREFIX_MAX + TS_NOTE_KEY_MAX];
	struct ts_span stored;
	bool found;

	if (ts_read_get(r, TS_DB_NOTES, note_key(name, note->key, room), &stored, &found, err))
		return err->status;
	*ret_more = (note->value.len != 0) - found;
	return TS_OK;
}

enum ts_status ts_store_note_write(struct ts_write *w, struct ts_span name, const struct ts_note *note, struct ts_error *err)
{
	uint8_t room[NOTE_PREFIX_MAX + TS_NOTE_KEY_MAX];
	struct ts_span key = note_key(name, note->key, room), stored;
	bool found;

	if (ts_read_get(ts_read_of(w), TS_DB_NOTES, key, &stored, &found, err))
		return err->status;
	if (!found && note->value.len == 0)
		return TS_OK;
	if (ts_note_log_add(w, name, note, err))
		return err->status;
	return note->value.len ? write_note(w, key, note, err) : ts_write_delete(w, TS_DB_NOTES, key, err);
}

static enum ts_status count_and_write(struct put_note *put, struct ts_write *w, struct ts_bill *bill, struct ts_error *err)
{
	int more;

	if (ts_store_note_more(ts_read_of(w), put->name, put->note, &more, err) ||
	    ts_bill_project(bill, ts_project_of(put->name), TS_USE_NOTES, more, err) ||
	    ts_bill_check(bill, ts_read_of(w), put->spending, err) || ts_store_note_write(w, put->name, put->note, err))
		return err->status;
	return ts_bill_write(bill, w, err);
}

static enum ts_status run_put_note(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct put_note *put = ctx;
	struct ts_bill bill = {0};
	enum ts_status status;
	struct ts_ref ref;
	bool found;

	if (ts_ref_read(ts_read_of(w), TS_REF_RUN, put->name, &ref, &found, err))
		return err->status;
	if (!found)
		return ts_no_ref(TS_REF_RUN, put->name, err);
	status = count_and_write(put, w, &bill, err);
	ts_bill_finish(&bill);
	return status;
}

enum ts_status ts_store_note_put(struct ts_engine *e, struct ts_span name, const struct ts_note *note,
				struct ts_error *err)
{
	struct put_note put = {.spending = ts_store_of(e)->spending, .name = name, .note = note};

	if (ts_note_check(name, note, err) || (note->value.len && ts_kv_room(ts_kv_of(e), err)))
		return err->status;
	return ts_store_write(ts_store_of(e), run_put_note, &put, note->value.len, err);
}

enum ts_status ts_note_read(struct ts_span record, struct ts_span stored, struct ts_span key, struct ts_arena *arena,
			    struct ts_note *ret, struct ts_error *err)
{
	struct ts_span value;
	struct ts_cursor c;

	if (ts_check_split(record, stored, &value, err))
		return ts_error_prefix(err, "note of %s", (const char *)record.data); /* the name ends with 0 */
	c = ts_cursor_of(value);
	ret->at_ns = (int64_t)ts_cursor_u64(&c);
	ret->who = ts_text_take(&c);
	ret->value = ts_text_take(&c);
	ret->standing = ts_standing_take(&c);
	ret->key = key;
	if (c.failed)
		return ts_error_set(err, TS_DAMAGED, "a note of %zu bytes is too short", stored.len);
	return ts_texts_copy(arena, (struct ts_span *[]){&ret->who, &ret->value, &ret->key}, 3, err);
}

/* Callers walk the notes twice: once to count, and once to fill notes (then not NULL). */
static enum ts_status walk_notes(struct ts_walk *walk, struct ts_span prefix, struct ts_arena *arena,
				 struct ts_note *notes, size_t *ret_n, struct ts_error *err)
{
	enum ts_status status;
	bool found;
	size_t n = 0;

	status = ts_walk_seek(walk, prefix, &found, err);
	found = found && !ts_span_eq(walk->key, prefix); /* else they were set aside */
	for (; !status && found && ts_span_starts(walk->key, prefix); n++) {
		if (notes && ts_note_read(walk->key, walk->value, ts_span_from(walk->key, prefix.len), arena, &notes[n], err))
			return err->status;
		status = ts_walk_next(walk, &found, err);
	}
	*ret_n = n;
	return status;
}

static enum ts_status list_notes(struct ts_read r, struct ts_span prefix, struct ts_arena *arena,
				 struct ts_note **ret_notes, size_t *ret_n, struct ts_error *err)
{
	struct ts_note *notes = NULL;
	struct ts_walk walk;
	enum ts_status status;
	size_t n = 0;

	if (ts_walk_begin(&walk, r, TS_DB_NOTES, err))
		return err->status;
	status = walk_notes(&walk, prefix, arena, NULL, &n, err);
	if (!status) {
		notes = ts_arena_array(arena, n, sizeof *notes);
		status = notes ? walk_notes(&walk, prefix, arena, notes, &n, err) : ts_arena_error(arena, err);
	}
	ts_walk_end(&walk);
	if (status)
		return status;
	*ret_notes = notes;
	*ret_n = n;
	return TS_OK;
}

enum ts_status ts_store_note_list(struct ts_engine *e, struct ts_span name, struct ts_arena *arena, struct ts_ref *ret_ref,
				 struct ts_note **ret_notes, size_t *ret_n, struct ts_error *err)
{
	uint8_t room[NOTE_PREFIX_MAX];
	enum ts_status status;
	struct ts_read r;
	struct ts_ref ref;
	bool found;

	if (ts_ref_name_check(name, err) || ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	status = ts_ref_read(r, TS_REF_RUN, name, &ref, &found, err);
	if (!status && !found)
		status = ts_no_ref(TS_REF_RUN, name, err);
	if (!status && ret_ref)
		status = ts_ref_copy(arena, &ref, ret_ref, err);
	if (!status)
		status = list_notes(r, note_prefix(name, room), arena, ret_notes, ret_n, err);
	ts_read_end(&r);
	return status;
}
