/* store_retire.c - lets go what a policy names: runs' names are removed, and entries leave the log of their branch. Both go where
 * removed names are (store_removed.c), and come back from there until they expire.
 *
 * A log from which entries are missing has a record with number 0. It begins as an entry does: with the oldest run that is left, so
 * that it keeps nothing by itself, with the time of the last retirement and with who did it. Then follow the count of the missing
 * entries, the author of the first entry of the log (its owner, ts_call_need_own) and when that one was made. It is a part of the
 * log: it goes and comes back with it. */
#include "store/store_internal.h"

#include "base/cursor.h"
#include "base/limits.h"

enum { GAP_MAX = 128 + 2 * TS_WHO_MAX };

/* ---- what is missing in a log ---- */

enum ts_status ts_log_gap_read(struct ts_read r, enum ts_ref_kind kind, struct ts_span name, struct ts_log_gap *ret_gap,
			       struct ts_error *err)
{
	uint8_t room[TS_LOG_KEY_MAX];
	struct ts_span key = ts_log_key(kind, name, 0, room), stored, value;
	struct ts_log_gap gap = {.born_ns = 0};
	struct ts_cursor c;
	bool found;

	*ret_gap = gap;
	if (ts_read_get(r, TS_DB_LOG, key, &stored, &found, err))
		return err->status;
	if (!found)
		return TS_OK;
	if (ts_check_split(key, stored, &value, err))
		return ts_error_set(err, TS_DAMAGED, "the record of what was pruned from %.*s is damaged", TS_SPAN_ARG(name));
	c = ts_cursor_of(value);
	(void)ts_cursor_bytes(&c, TS_ID_BYTES);
	gap.pruned.at_ns = (int64_t)ts_cursor_u64(&c);
	gap.pruned.who = ts_text_take(&c);
	(void)ts_text_take(&c);
	gap.pruned.entries = ts_cursor_u64(&c);
	gap.pruned.owner = ts_text_take(&c);
	gap.born_ns = (int64_t)ts_cursor_u64(&c);
	if (c.failed || gap.pruned.who.len > TS_WHO_MAX || gap.pruned.owner.len > TS_WHO_MAX)
		return ts_error_set(err, TS_DAMAGED, "the record of what was pruned from %.*s is not valid", TS_SPAN_ARG(name));
	*ret_gap = gap;
	return TS_OK;
}

/* Reads the oldest entry that a log still has. Its spans are valid until the next write. */
static enum ts_status oldest(struct ts_read r, enum ts_ref_kind kind, struct ts_span name, struct ts_log_entry *ret,
			     struct ts_error *err)
{
	uint8_t room[TS_LOG_KEY_MAX];
	struct ts_span from = ts_log_key(kind, name, 1, room);
	struct ts_walk walk;
	enum ts_status status;
	bool found;

	if (ts_walk_begin(&walk, r, TS_DB_LOG, err))
		return err->status;
	status = ts_walk_seek(&walk, from, &found, err);
	if (!status && !(found && ts_span_starts(walk.key, ts_span_of(from.data, from.len - 8))))
		status = ts_error_set(err, TS_DAMAGED, "the log of %.*s has no entry", TS_SPAN_ARG(name));
	if (!status)
		status = ts_log_parse(walk.key, walk.value, ret, err);
	ts_walk_end(&walk);
	return status;
}

enum ts_status ts_log_gap_write(struct ts_write *w, enum ts_ref_kind kind, struct ts_span name, const struct ts_log_gap *gap,
				struct ts_error *err)
{
	uint8_t room[TS_LOG_KEY_MAX];
	struct ts_span key = ts_log_key(kind, name, 0, room);
	struct ts_buf buf = TS_BUF_INIT(GAP_MAX);
	struct ts_log_entry first;

	if (gap->pruned.entries == 0)
		return ts_write_delete(w, TS_DB_LOG, key, err);
	if (oldest(ts_read_of(w), kind, name, &first, err))
		return err->status;
	ts_buf_bytes(&buf, first.id.bytes, TS_ID_BYTES);
	ts_buf_u64(&buf, (uint64_t)gap->pruned.at_ns);
	ts_text_append(&buf, gap->pruned.who);
	ts_text_append(&buf, ts_span_of(NULL, 0));
	ts_buf_u64(&buf, gap->pruned.entries);
	ts_text_append(&buf, gap->pruned.owner);
	ts_buf_u64(&buf, (uint64_t)gap->born_ns);
	return ts_write_record(w, TS_DB_LOG, key, &buf, err);
}

enum ts_status ts_store_log_pruned(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
				  struct ts_pruned *ret_pruned, struct ts_error *err)
{
	struct ts_log_gap gap;
	enum ts_status status;
	struct ts_read r;

	if (ts_ref_kind_check(kind, err) || ts_ref_name_check(name, err) || ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	status = ts_log_gap_read(r, kind, name, &gap, err);
	if (!status)
		status = ts_pruned_copy(arena, &gap.pruned, ret_pruned, err);
	ts_read_end(&r);
	return status;
}

/* ---- retire ---- */

struct retire {
	const struct ts_retire *what;
	enum ts_retire_outcome *outcomes;
	struct ts_idmap tagged;
	struct ts_bill bill;
};

static enum ts_status note_tags(struct retire *retire, struct ts_read r, struct ts_error *err)
{
	uint8_t tag = TS_REF_TAG;
	struct ts_walk walk;
	enum ts_status status;
	bool found, added;

	ts_idmap_finish(&retire->tagged);
	for (status = ts_walk_open(&walk, r, TS_DB_REFS, ts_span_of(&tag, 1), &found, err); !status && found;
	     status = status ? status : ts_walk_on(&walk, &found, err)) {
		struct ts_ref ref;

		status = ts_ref_parse(walk.key, walk.value, &ref, err);
		if (!status)
			status = ts_idmap_add(&retire->tagged, &ref.id, &added, err);
	}
	ts_walk_end(&walk);
	return status;
}

static enum ts_status look_at_entry(struct ts_read r, const struct ts_retired *item, const struct ts_ref *ref,
				    enum ts_retire_outcome *ret, struct ts_error *err)
{
	uint8_t room[TS_LOG_KEY_MAX];
	struct ts_span key = ts_log_key(item->kind, item->name, item->seq, room), stored;
	struct ts_log_entry entry = {.seq = 0};
	bool found;

	if (item->seq == ref->seq) {
		*ret = TS_STAYS_NEWEST;
		return TS_OK;
	}
	if (ts_read_get(r, TS_DB_LOG, key, &stored, &found, err) || (found && ts_log_parse(key, stored, &entry, err)))
		return err->status;
	*ret = found && item->seq && ts_id_eq(&entry.id, &item->id) ? TS_RETIRED : TS_STAYS_CHANGED;
	return TS_OK;
}

static enum ts_status look_at(struct retire *retire, struct ts_read r, const struct ts_retired *item, enum ts_retire_outcome *ret,
			      struct ts_error *err)
{
	struct ts_ref ref;
	bool found, noted = false;

	*ret = TS_STAYS_CHANGED;
	if (ts_ref_read(r, item->kind, item->name, &ref, &found, err))
		return err->status;
	if (!found)
		return TS_OK;
	if (item->kind == TS_REF_BRANCH) {
		if (look_at_entry(r, item, &ref, ret, err))
			return err->status;
	} else {
		if (ts_store_noted_since(r, item->name, retire->what->planned_ns, &noted, err))
			return err->status;
		if (!noted && ref.moved_ns <= retire->what->planned_ns && ts_id_eq(&ref.id, &item->id))
			*ret = TS_RETIRED;
	}
	if (*ret == TS_RETIRED && ts_idmap_get(&retire->tagged, &item->id))
		*ret = TS_STAYS_TAGGED;
	return TS_OK;
}

struct ts_span ts_who_copy(struct ts_span text, uint8_t room[TS_WHO_MAX])
{
	return text.len ? ts_span_of(memcpy(room, text.data, text.len), text.len) : ts_span_of(room, 0);
}

static enum ts_status retire_entry(struct ts_write *w, const struct ts_retire *what, const struct ts_retired *item,
				   struct ts_error *err)
{
	uint8_t owner[TS_WHO_MAX];
	struct ts_log_gap gap;

	if (ts_log_gap_read(ts_read_of(w), item->kind, item->name, &gap, err))
		return err->status;
	if (gap.pruned.entries == 0) {
		struct ts_log_entry first;

		if (oldest(ts_read_of(w), item->kind, item->name, &first, err))
			return err->status;
		gap.pruned.owner = first.who;
		gap.born_ns = first.moved_ns;
	}
	if (gap.pruned.owner.len > sizeof owner)
		return ts_error_set(err, TS_DAMAGED, "the author of the first entry of %.*s is too long", TS_SPAN_ARG(item->name));
	gap.pruned.owner = ts_who_copy(gap.pruned.owner, owner);
	gap.pruned.entries++;
	gap.pruned.at_ns = what->now_ns;
	gap.pruned.who = what->who;
	if (ts_removed_keep_entry(w, item, gap.born_ns, what->now_ns, what->who, err))
		return err->status;
	return ts_log_gap_write(w, item->kind, item->name, &gap, err);
}

/* A name goes, and the project pays for one less; its objects it pays for until they expire. */
static enum ts_status retire_name(struct ts_write *w, struct retire *retire, const struct ts_retired *item, struct ts_error *err)
{
	if (ts_bill_project(&retire->bill, ts_project_of(item->name), TS_USE_NAMES, -1, err))
		return err->status;
	return ts_ref_remove(w, item->kind, item->name, retire->what->now_ns, retire->what->who, &retire->bill, err);
}

static enum ts_status run_retire(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct retire *retire = ctx;
	const struct ts_retire *what = retire->what;

	retire->bill.n = 0;
	if (note_tags(retire, ts_read_of(w), err))
		return err->status;
	for (size_t i = 0; i < what->n; i++)
		if (look_at(retire, ts_read_of(w), &what->items[i], &retire->outcomes[i], err))
			return err->status;
	for (size_t i = 0; i < what->n; i++) {
		const struct ts_retired *item = &what->items[i];

		if (retire->outcomes[i] != TS_RETIRED)
			continue;
		if (item->kind == TS_REF_BRANCH ? retire_entry(w, what, item, err)
						: retire_name(w, retire, item, err))
			return err->status;
	}
	return ts_bill_write(&retire->bill, w, err);
}

enum ts_status ts_store_retire(struct ts_engine *e, const struct ts_retire *what, enum ts_retire_outcome *ret_outcomes,
			      struct ts_error *err)
{
	struct retire retire = {.what = what, .outcomes = ret_outcomes};
	enum ts_status status;

	if (ts_retire_check(what, err))
		return err->status;
	status = ts_store_write(ts_store_of(e), run_retire, &retire, what->n * GAP_MAX, err);
	ts_idmap_finish(&retire.tagged);
	ts_bill_finish(&retire.bill);
	return status;
}
