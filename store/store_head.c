/* store_head.c - which heads a project has, or had: an index of the logs by project and id, so that what a project does not have costs
 * the same to look for, whether another one has it or nobody.
 *
 * Each entry of a log (not the record of what is missing in it, number 0) has a record here, put and deleted in the same transaction.
 * A store that an older version wrote is indexed in small writes when it is opened for writing; until then, and while it is only read,
 * the logs of the project are walked. */
#include "store/store_internal.h"

#include "base/cursor.h"

enum {
	KEY_MAX = TS_REF_NAME_MAX + 1 + TS_ID_BYTES + 1 + 1 + 8,
	BUILD_STEP = 4096, /* entries of logs that one write indexes */
	SEQ = 8,
	LOG_KEY_LEAST = 1 + 1 + 1 + SEQ,
};
static const char indexed[] = "headed"; /* of meta: 1 if the index has all */

/* ---- keys ---- */

static struct ts_span prefix_of(struct ts_span project, const struct ts_id *id, uint8_t room[KEY_MAX])
{
	memcpy(room, project.data, project.len);
	room[project.len] = 0;
	memcpy(room + project.len + 1, id->bytes, TS_ID_BYTES);
	return ts_span_of(room, project.len + 1 + TS_ID_BYTES);
}

/* The name of a log's entry; empty if this is none, or what is missing in the log. */
static struct ts_span name_of_entry(struct ts_span log_key)
{
	if (log_key.len < LOG_KEY_LEAST || log_key.len > TS_LOG_KEY_MAX || log_key.data[log_key.len - SEQ - 1] != 0)
		return ts_span_of(NULL, 0);
	if (ts_load_be(log_key.data + log_key.len - SEQ, SEQ) == 0)
		return ts_span_of(NULL, 0);
	return ts_span_part(log_key, 1, log_key.len - SEQ - 2);
}

/* The key of the record of a log's entry. */
static struct ts_span key_of(struct ts_span log_key, struct ts_span name, const struct ts_id *id, uint8_t room[KEY_MAX])
{
	struct ts_span project = ts_project_of(name), key = prefix_of(project, id, room);
	struct ts_span rest = ts_span_from(log_key, 1 + project.len);

	room[key.len] = log_key.data[0];
	memcpy(room + key.len + 1, rest.data, rest.len);
	return ts_span_of(room, key.len + 1 + rest.len);
}

/* The entry of a log for which a record stands; false if it is the key of none. */
static bool entry_of_key(struct ts_span key, struct ts_id *ret_id, uint8_t room[TS_LOG_KEY_MAX], struct ts_span *ret_log_key)
{
	const uint8_t *end = memchr(key.data, 0, key.len);
	size_t project = end ? (size_t)(end - key.data) : 0, at = project + 1 + TS_ID_BYTES;

	if (!end || key.len > KEY_MAX || key.len < at + 1 + 1 + SEQ)
		return false;
	memcpy(ret_id->bytes, end + 1, TS_ID_BYTES);
	room[0] = key.data[at];
	memcpy(room + 1, key.data, project);
	memcpy(room + 1 + project, key.data + at + 1, key.len - at - 1);
	*ret_log_key = ts_span_of(room, 1 + project + key.len - at - 1);
	return true;
}

/* ---- kept up ---- */

enum ts_status ts_head_put(struct ts_write *w, struct ts_span log_key, const struct ts_id *id, struct ts_error *err)
{
	struct ts_span name = name_of_entry(log_key);
	struct ts_buf record = TS_BUF_INIT(16);
	uint8_t room[KEY_MAX];

	return name.len ? ts_write_record(w, TS_DB_HEADS, key_of(log_key, name, id, room), &record, err) : TS_OK;
}

enum ts_status ts_head_drop(struct ts_write *w, struct ts_span log_key, const struct ts_id *id, struct ts_error *err)
{
	struct ts_span name = name_of_entry(log_key);
	uint8_t room[KEY_MAX];

	return name.len ? ts_write_delete(w, TS_DB_HEADS, key_of(log_key, name, id, room), err) : TS_OK;
}

enum ts_status ts_heads_drop_log(struct ts_write *w, struct ts_span prefix, struct ts_error *err)
{
	struct ts_walk walk;
	enum ts_status status;
	bool found;

	for (status = ts_walk_open(&walk, ts_read_of(w), TS_DB_LOG, prefix, &found, err); !status && found;
	     status = status ? status : ts_walk_on(&walk, &found, err)) {
		struct ts_log_entry entry;
		struct ts_error damage;
		uint8_t room[TS_LOG_KEY_MAX];
		struct ts_span key = ts_span_of(room, walk.key.len < sizeof room ? walk.key.len : sizeof room);

		memcpy(room, walk.key.data, key.len);
		if (ts_log_parse(walk.key, walk.value, &entry, &damage) == TS_OK)
			status = ts_head_drop(w, key, &entry.id, err);
	}
	ts_walk_end(&walk);
	return status;
}

/* ---- made for an older store ---- */

struct build {
	uint8_t at[TS_LOG_KEY_MAX + 1]; /* where the next step begins */
	size_t len;
	uint8_t next[TS_LOG_KEY_MAX + 1];
	size_t next_len; /* 0: there is nothing left */
};

/* Indexes some entries. A damaged one is for verify to tell. */
static enum ts_status run_build(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct build *b = ctx;
	enum ts_status status;
	struct ts_walk walk;
	bool found;
	int left = BUILD_STEP;

	b->next_len = 0;
	if (ts_walk_begin(&walk, ts_read_of(w), TS_DB_LOG, err))
		return err->status;
	for (status = ts_walk_seek(&walk, ts_span_of(b->at, b->len), &found, err); !status && found && left--;
	     status = status ? status : ts_walk_next(&walk, &found, err)) {
		struct ts_log_entry entry;
		struct ts_error damage;

		b->next_len = walk.key.len < TS_LOG_KEY_MAX ? walk.key.len : TS_LOG_KEY_MAX;
		memcpy(b->next, walk.key.data, b->next_len);
		if (ts_log_parse(walk.key, walk.value, &entry, &damage) == TS_OK)
			status = ts_head_put(w, ts_span_of(b->next, b->next_len), &entry.id, err);
	}
	ts_walk_end(&walk);
	if (status)
		return status;
	if (!found)
		b->next_len = 0;
	return found ? TS_OK : ts_write_u64(w, indexed, 1, err);
}

enum ts_status ts_heads_indexed(struct ts_read r, bool *ret_is, struct ts_error *err)
{
	uint64_t has = 0;

	if (ts_read_u64(r, indexed, &has, err))
		return err->status;
	*ret_is = has != 0;
	return TS_OK;
}

enum ts_status ts_heads_begin(struct ts_write *w, bool all, struct ts_error *err)
{
	return ts_write_u64(w, indexed, all, err);
}

enum ts_status ts_heads_build(struct ts_store *s, struct ts_error *err)
{
	struct build b = {.len = 1}; /* before the first one */
	enum ts_status status;
	struct ts_read r;
	bool has = false;

	if (ts_read_begin(s->kv, &r, err))
		return err->status;
	status = ts_heads_indexed(r, &has, err);
	ts_read_end(&r);
	while (!status && !has) {
		status = ts_store_write_beside(s, run_build, &b, (size_t)BUILD_STEP * KEY_MAX, err);
		has = b.next_len == 0;
		memcpy(b.at, b.next, b.next_len);
		b.len = b.next_len;
		b.at[b.len++] = 0; /* behind the last one */
	}
	return status;
}

/* ---- asked ---- */

struct range {
	struct ts_span project;
	struct ts_id first, last;
	struct ts_id *ids;
	size_t limit;
	size_t n;
};

/* Steps from one id to the next, however many entries have it. */
static enum ts_status find_indexed(struct ts_read r, struct range *range, struct ts_error *err)
{
	uint8_t room[KEY_MAX];
	struct ts_span from = prefix_of(range->project, &range->first, room);
	size_t at = range->project.len + 1;
	enum ts_status status;
	struct ts_walk walk;
	bool found;

	if (ts_walk_begin(&walk, r, TS_DB_HEADS, err))
		return err->status;
	status = ts_walk_seek(&walk, from, &found, err);
	while (!status && found && range->n < range->limit) {
		struct ts_id id;

		if (walk.key.len < at + TS_ID_BYTES || memcmp(walk.key.data, room, at) != 0)
			break;
		memcpy(id.bytes, walk.key.data + at, TS_ID_BYTES);
		if (ts_id_cmp(&id, &range->last) > 0)
			break;
		range->ids[range->n++] = id;
		from = prefix_of(range->project, &id, room);
		room[from.len++] = 0xff; /* behind every kind */
		status = ts_walk_seek(&walk, from, &found, err);
	}
	ts_walk_end(&walk);
	return status;
}

static bool is_new(const struct range *range, const struct ts_id *id)
{
	for (size_t i = 0; i < range->n; i++)
		if (ts_id_eq(&range->ids[i], id))
			return false;
	return ts_id_cmp(&range->first, id) <= 0 && ts_id_cmp(id, &range->last) <= 0;
}

/* Walks the logs of one project and kind. */
static enum ts_status find_in_logs(struct ts_read r, enum ts_ref_kind kind, struct range *range, struct ts_error *err)
{
	uint8_t room[TS_REF_KEY_MAX + 1];
	struct ts_span prefix = ts_ref_key(kind, range->project, room);
	enum ts_status status;
	struct ts_walk walk;
	bool found;

	for (status = ts_walk_open(&walk, r, TS_DB_LOG, prefix, &found, err); !status && found && range->n < range->limit;
	     status = ts_walk_on(&walk, &found, err)) {
		struct ts_span name = name_of_entry(walk.key);
		struct ts_log_entry entry;
		struct ts_error damage;

		if (ts_span_eq(ts_project_of(name), range->project) && ts_log_parse(walk.key, walk.value, &entry, &damage) == TS_OK &&
		    is_new(range, &entry.id))
			range->ids[range->n++] = entry.id;
	}
	ts_walk_end(&walk);
	return status;
}

static enum ts_status find(struct ts_read r, struct range *range, struct ts_error *err)
{
	static const enum ts_ref_kind kinds[] = {TS_REF_RUN, TS_REF_TAG, TS_REF_BRANCH, TS_REF_STAGE};
	bool has = false;

	if (ts_heads_indexed(r, &has, err))
		return err->status;
	if (has)
		return find_indexed(r, range, err);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (find_in_logs(r, kinds[i], range, err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_heads_have(struct ts_read r, struct ts_span project, const struct ts_id *id, bool *ret_have, struct ts_error *err)
{
	struct ts_id found;
	struct range range = {.project = project, .first = *id, .last = *id, .ids = &found, .limit = 1};

	*ret_have = false;
	if (find(r, &range, err))
		return err->status;
	*ret_have = range.n > 0;
	return TS_OK;
}

enum ts_status ts_store_heads_find(struct ts_engine *e, struct ts_span project, struct ts_span hex, size_t limit,
				  struct ts_arena *arena, struct ts_id **ret_ids, size_t *ret_n, struct ts_error *err)
{
	struct range range = {.project = project, .limit = limit < TS_LIST_MAX ? limit : TS_LIST_MAX};
	enum ts_status status;
	struct ts_read r;

	if (ts_ref_name_check(project, err) || ts_prefix_range(hex, &range.first, &range.last, err))
		return err->status;
	range.ids = ts_arena_array(arena, range.limit + 1, sizeof *range.ids);
	if (!range.ids)
		return ts_arena_error(arena, err);
	if (ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	status = find(r, &range, err);
	ts_read_end(&r);
	if (status)
		return status;
	*ret_ids = range.ids;
	*ret_n = range.n;
	return TS_OK;
}

/* ---- for verify ---- */

enum ts_status ts_log_has_head(struct ts_read r, const struct ts_walk *at, bool *ret_sound, struct ts_error *err)
{
	struct ts_span name = name_of_entry(at->key), stored;
	struct ts_log_entry entry;
	struct ts_error damage;
	uint8_t room[KEY_MAX];

	*ret_sound = true;
	if (!name.len || ts_log_parse(at->key, at->value, &entry, &damage))
		return TS_OK; /* counted among the logs */
	return ts_read_get(r, TS_DB_HEADS, key_of(at->key, name, &entry.id, room), &stored, ret_sound, err);
}

enum ts_status ts_head_has_log(struct ts_read r, const struct ts_walk *at, bool *ret_sound, struct ts_error *err)
{
	uint8_t room[TS_LOG_KEY_MAX];
	struct ts_log_entry entry;
	struct ts_error damage;
	struct ts_span key, stored;
	struct ts_id id;
	bool found;

	*ret_sound = false;
	if (!entry_of_key(at->key, &id, room, &key))
		return TS_OK;
	if (ts_read_get(r, TS_DB_LOG, key, &stored, &found, err))
		return err->status;
	*ret_sound = found && (ts_log_parse(key, stored, &entry, &damage) || ts_id_eq(&entry.id, &id));
	return TS_OK;
}
