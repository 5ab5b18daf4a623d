/* store_note_log.c - what the notes of a name were. Each write of a note adds an entry, in the same transaction; one that removes the
 * note has an empty value. Of each key the newest TS_NOTE_LOG_MAX entries are kept.
 *
 * Entries stay where they are when their name is removed, since who takes a name away must not take its history away. They go when the
 * last removal of the name expires. */
#include "base/order.h"
#include "store/store_internal.h"

#include "base/cursor.h"
#include "base/limits.h"

enum { LOG_KEY_MAX = TS_REF_NAME_MAX + 1 + TS_NOTE_KEY_MAX + 1 + 8, LOG_VALUE_MAX = 40 + TS_WHO_MAX + TS_NOTE_MAX };

/* Builds "name 0", or with a key "name 0 key 0", with room for a number behind it. */
static struct ts_span prefix_of(struct ts_span name, struct ts_span key, uint8_t room[LOG_KEY_MAX])
{
	size_t len = name.len;

	memcpy(room, name.data, name.len);
	room[len++] = 0;
	if (key.len) {
		memcpy(room + len, key.data, key.len);
		len += key.len;
		room[len++] = 0;
	}
	return ts_span_of(room, len);
}

static struct ts_span entry_key(struct ts_span name, struct ts_span key, uint64_t seq, uint8_t room[LOG_KEY_MAX])
{
	struct ts_span prefix = prefix_of(name, key, room);

	ts_pack_key(seq, room + prefix.len);
	return ts_span_of(room, prefix.len + 8);
}

/* The number of the newest entry of a key; 0: there is none. */
static enum ts_status newest(struct ts_read r, struct ts_span name, struct ts_span key, uint64_t *ret_seq, struct ts_error *err)
{
	uint8_t room[LOG_KEY_MAX];
	struct ts_span below = entry_key(name, key, UINT64_MAX, room);
	struct ts_walk walk;
	enum ts_status status;
	bool found;

	*ret_seq = 0;
	if (ts_walk_begin(&walk, r, TS_DB_NOTE_LOG, err))
		return err->status;
	status = ts_walk_seek_below(&walk, below, &found, err);
	if (!status && found && walk.key.len == below.len && ts_span_starts(walk.key, ts_span_of(room, below.len - 8)))
		*ret_seq = ts_load_be(walk.key.data + below.len - 8, 8);
	ts_walk_end(&walk);
	return status;
}

enum ts_status ts_note_log_add(struct ts_write *w, struct ts_span name, const struct ts_note *note, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(LOG_VALUE_MAX);
	uint8_t room[LOG_KEY_MAX];
	uint64_t seq;

	if (newest(ts_read_of(w), name, note->key, &seq, err))
		return err->status;
	ts_note_append(&buf, note);
	if (ts_write_record(w, TS_DB_NOTE_LOG, entry_key(name, note->key, seq + 1, room), &buf, err))
		return err->status;
	if (seq < TS_NOTE_LOG_MAX)
		return TS_OK;
	return ts_write_delete(w, TS_DB_NOTE_LOG, entry_key(name, note->key, seq + 1 - TS_NOTE_LOG_MAX, room), err);
}

enum ts_status ts_note_log_forget(struct ts_write *w, struct ts_span name, struct ts_error *err)
{
	uint8_t room[LOG_KEY_MAX];

	return ts_write_delete_prefix(w, TS_DB_NOTE_LOG, prefix_of(name, ts_span_of(NULL, 0), room), err);
}

TS_ORDER(newest_first, struct ts_note, TS_DOWN(at_ns))

/* Callers walk the entries twice: once to count, and once to fill notes (then not NULL). */
static enum ts_status walk(struct ts_read r, struct ts_span prefix, struct ts_arena *arena, struct ts_note *notes, size_t *ret_n,
			   struct ts_error *err)
{
	struct ts_walk walk;
	enum ts_status status;
	bool found;
	size_t n = 0;

	for (status = ts_walk_open(&walk, r, TS_DB_NOTE_LOG, prefix, &found, err); !status && found;
	     status = status ? status : ts_walk_on(&walk, &found, err), n++) {
		struct ts_span key = ts_span_from(walk.key, prefix.len);

		if (key.len < 9 || key.data[key.len - 9] != 0)
			status = ts_error_set(err, TS_DAMAGED, "the history of a note is not where it should be");
		else if (notes)
			status = ts_note_read(walk.key, walk.value, ts_span_of(key.data, key.len - 9), arena, &notes[n], err);
	}
	ts_walk_end(&walk);
	*ret_n = n;
	return status;
}

enum ts_status ts_store_note_log(struct ts_engine *e, struct ts_span name, struct ts_arena *arena, struct ts_note **ret_notes,
				 size_t *ret_n, struct ts_error *err)
{
	uint8_t room[LOG_KEY_MAX];
	struct ts_note *notes = NULL;
	struct ts_span prefix;
	enum ts_status status;
	struct ts_read r;
	size_t n = 0;

	if (ts_ref_name_check(name, err) || ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	prefix = prefix_of(name, ts_span_of(NULL, 0), room);
	status = walk(r, prefix, arena, NULL, &n, err);
	if (!status) {
		notes = ts_arena_array(arena, n, sizeof *notes);
		status = notes ? walk(r, prefix, arena, notes, &n, err) : ts_arena_error(arena, err);
	}
	ts_read_end(&r);
	if (status)
		return status;
	TS_SORT(notes, n, newest_first);
	*ret_notes = notes;
	*ret_n = n;
	return TS_OK;
}
