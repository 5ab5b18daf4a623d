/* store_mirror.c - lets a store follow another one, record by record: it says what it holds by the sums of ranges of keys, and gets the
 * records of those ranges that differ.
 *
 * Both messages are little-endian. What is asked: bytes24:moment, then of each table bytes16:name u32:ranges, and of each range
 * u16:bytes key, where it begins (none: at the first), u64:records u64:sum (ts_record_hash). A range ends where the next begins; the
 * last one begins behind the last key, so that what is new at the end repeats nothing. Answered are items, whole ones in a chunk:
 *	'T' bytes16:name			a table
 *	'R' u16:bytes key			a range, which begins here
 *	'P' u16:bytes u32:bytes key value	a record of it, in order
 *	'F' u16:bytes key			it ends before this key (none: with the table), and has no other record
 *	'E' bytes24:moment u64:time		the end, and what the moment was
 * A moment that is asked for and still holds is answered by 'E' alone, and so is a moment without tables: it asks what it is now.
 * The store's own id and sums are not sent.
 *
 * Tables come in the order in which they lean on each other. What fits into TAKE_BYTES is taken in one transaction, so that names and
 * what they point at change together; a follower that has never had anything takes more of them. */
#include "store/store_internal.h"

#include "base/clock.h"
#include "base/cursor.h"
#include "store/superblock.h"

enum { NAME = 16, TAKE_BYTES = 64 << 20, RANGE_BYTES = 8 << 20, CHUNK_BYTES = 1 << 20 };
enum { RANGES_MOST = 2000, RANGE_LEAST = 128, PACKS_LEAST = 4 };

static const enum ts_db order[] = {TS_DB_PACKS, TS_DB_OBJECTS, TS_DB_UNNAMED, TS_DB_NAMED,   TS_DB_SENT, TS_DB_USAGE,
				   TS_DB_EXTRACTS, TS_DB_NOTE_LOG, TS_DB_LOG,   TS_DB_HEADS, TS_DB_NOTES, TS_DB_REMOVED,
				   TS_DB_REFS,  TS_DB_RECENT,  TS_DB_META};
_Static_assert(sizeof order / sizeof order[0] == TS_DBS - 1, "every table but the cache has a place");
_Static_assert((int)TS_MIRROR_SOURCE == (int)TS_STORE_ID, "a copy knows the whole id of its source");
enum { TABLES = sizeof order / sizeof order[0] };

/* What each store has of its own. */
static bool is_own(enum ts_db db, struct ts_span key)
{
	return db == TS_DB_META && (ts_span_is(key, TS_SUMS_KEY) || ts_span_is(key, TS_STORE_KEY) || ts_span_is(key, TS_COPY_KEY) ||
				    ts_span_is(key, TS_MIRRORED_KEY) || ts_span_is(key, TS_VERIFIED_KEY));
}

static void put_name(struct ts_buf *out, enum ts_db db)
{
	char name[NAME] = {0};

	memcpy(name, ts_db_name(db), strlen(ts_db_name(db)));
	ts_buf_bytes(out, name, sizeof name);
}

static void put_key(struct ts_buf *out, struct ts_span key)
{
	ts_buf_u16(out, (uint16_t)key.len);
	ts_buf_span(out, key);
}

static struct ts_span take_key(struct ts_cursor *c)
{
	struct ts_span key = ts_cursor_bytes(c, ts_cursor_u16(c));

	c->failed = c->failed || key.len > TS_KEY_MAX;
	return key;
}

static bool take_name(struct ts_cursor *c, enum ts_db *ret)
{
	struct ts_span name = ts_cursor_bytes(c, NAME);

	for (size_t i = 0; i < TABLES && !c->failed; i++)
		if (strncmp((const char *)name.data, ts_db_name(order[i]), NAME) == 0) {
			*ret = order[i];
			return true;
		}
	return false;
}

static enum ts_status bad(struct ts_error *err)
{
	return ts_error_set(err, TS_INVALID, "this is no message between a store and one that follows it");
}

/* ---- what a follower holds ---- */

struct range {
	uint64_t records, sum;
};

static void put_range(struct ts_buf *out, struct range *range, uint32_t *ranges)
{
	ts_buf_u64(out, range->records);
	ts_buf_u64(out, range->sum);
	*range = (struct range){0, 0};
	++*ranges;
}

/* Goes to the first record of a table of which sums are made: of packs, those count their keys and lengths. */
static enum ts_status begin_sums(struct ts_walk *walk, struct ts_read r, enum ts_db db, bool *ret_found, struct ts_error *err)
{
	enum ts_status status = ts_walk_begin(walk, r, db, err);

	walk->sizes = db == TS_DB_PACKS;
	return status ? status : ts_walk_seek(walk, ts_span_of(NULL, 0), ret_found, err);
}

static enum ts_status ask_table(struct ts_read r, enum ts_db db, struct ts_buf *out, struct ts_error *err)
{
	uint8_t last[TS_KEY_MAX + 1] = {0};
	struct range range = {0, 0};
	enum ts_status status;
	size_t at, last_len = 0;
	uint64_t most, records;
	struct ts_walk walk;
	uint32_t ranges = 0;
	bool found;

	if (ts_read_count(r, db, &records, err))
		return err->status;
	most = records / RANGES_MOST;
	most = most < RANGE_LEAST ? (db == TS_DB_PACKS ? PACKS_LEAST : RANGE_LEAST) : most;
	put_name(out, db);
	at = out->len;
	ts_buf_u32(out, 0);
	put_key(out, ts_span_of(NULL, 0));
	status = begin_sums(&walk, r, db, &found, err);
	for (; !status && found; status = ts_walk_next(&walk, &found, err)) {
		if (is_own(db, walk.key))
			continue;
		if (range.records == most) {
			put_range(out, &range, &ranges);
			put_key(out, walk.key);
		}
		range.records++;
		range.sum += ts_record_hash(db, walk.key, walk.value);
		memcpy(last, walk.key.data, walk.key.len);
		last_len = walk.key.len;
	}
	ts_walk_end(&walk);
	put_range(out, &range, &ranges);
	if (last_len && last_len < TS_KEY_MAX) {
		last[last_len] = 0;
		put_key(out, ts_span_of(last, last_len + 1));
		put_range(out, &range, &ranges);
	}
	if (!status && !out->failed)
		ts_store_u32(out->data + at, ranges);
	return status;
}

enum ts_status ts_mirror_ask(struct ts_engine *e, const uint8_t moment[TS_MOMENT], struct ts_buf *out, struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_read r;

	if (ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	ts_buf_bytes(out, moment, TS_MOMENT);
	for (size_t i = 0; i < TABLES && !status; i++)
		status = ask_table(r, order[i], out, err);
	ts_read_end(&r);
	return status ? status : ts_buf_check(out, err);
}

/* ---- what the other one answers ---- */

struct answer {
	struct ts_read r;
	enum ts_db db;
	struct ts_buf out;   /* whole items */
	struct ts_buf range; /* the records of one */
	ts_mirror_send *send;
	void *ctx;
};

static enum ts_status flush(struct answer *a, struct ts_error *err)
{
	enum ts_status status = ts_buf_check(&a->out, err);

	if (!status && a->out.len)
		status = a->send(a->ctx, ts_buf_view(&a->out), err);
	ts_buf_reset(&a->out);
	return status;
}

static enum ts_status item(struct answer *a, char kind, struct ts_span key, struct ts_error *err)
{
	ts_buf_char(&a->out, kind);
	put_key(&a->out, key);
	return a->out.len < CHUNK_BYTES ? TS_OK : flush(a, err);
}

static enum ts_status record(struct answer *a, const struct ts_walk *walk, struct ts_error *err)
{
	ts_buf_char(&a->out, 'P');
	ts_buf_u16(&a->out, (uint16_t)walk->key.len);
	ts_buf_u32(&a->out, (uint32_t)walk->value.len);
	ts_buf_span(&a->out, walk->key);
	ts_buf_span(&a->out, walk->value);
	return a->out.len < CHUNK_BYTES ? TS_OK : flush(a, err);
}

/* Sends the records from one key up to another, in ranges that are not too large to be taken at once. */
static enum ts_status send_range(struct answer *a, struct ts_span from, struct ts_span to, struct ts_error *err)
{
	enum ts_status status;
	struct ts_walk walk;
	size_t bytes = 0;
	bool found;

	if (item(a, 'R', from, err) || ts_walk_begin(&walk, a->r, a->db, err))
		return err->status;
	status = ts_walk_seek(&walk, from, &found, err);
	while (!status && found && (!to.len || ts_span_cmp(walk.key, to) < 0)) {
		if (bytes > RANGE_BYTES) {
			bytes = 0;
			status = item(a, 'F', walk.key, err) ? err->status : item(a, 'R', walk.key, err);
		}
		if (!status && !is_own(a->db, walk.key))
			status = record(a, &walk, err);
		bytes += walk.key.len + walk.value.len;
		if (!status)
			status = ts_walk_next(&walk, &found, err);
	}
	ts_walk_end(&walk);
	return status ? status : item(a, 'F', to, err);
}

/* Sums up the records from where the walk stands up to a key. */
static enum ts_status sum_range(struct ts_walk *walk, bool *io_found, struct ts_span to, struct range *ret, struct ts_error *err)
{
	*ret = (struct range){0, 0};
	while (*io_found && (!to.len || ts_span_cmp(walk->key, to) < 0)) {
		if (!is_own(walk->db, walk->key)) {
			ret->records++;
			ret->sum += ts_record_hash(walk->db, walk->key, walk->value);
		}
		if (ts_walk_next(walk, io_found, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status answer_table(struct answer *a, struct ts_cursor *c, struct ts_error *err)
{
	uint32_t ranges = ts_cursor_u32(c);
	struct ts_span from = take_key(c), to;
	enum ts_status status;
	struct ts_walk walk;
	bool found;

	ts_buf_char(&a->out, 'T');
	put_name(&a->out, a->db);
	if (c->failed || ranges == 0 || from.len)
		return bad(err);
	status = begin_sums(&walk, a->r, a->db, &found, err);
	for (uint32_t i = 0; i < ranges && !status; i++) {
		struct range theirs = {.records = ts_cursor_u64(c)}, ours = {0, 0};

		theirs.sum = ts_cursor_u64(c);
		to = i + 1 < ranges ? take_key(c) : ts_span_of(NULL, 0);
		if (c->failed || (i + 1 < ranges && (!to.len || ts_span_cmp(to, from) <= 0)))
			status = bad(err);
		else
			status = sum_range(&walk, &found, to, &ours, err);
		if (!status && (ours.records != theirs.records || ours.sum != theirs.sum))
			status = send_range(a, from, to, err);
		from = to;
	}
	ts_walk_end(&walk);
	return status;
}

static enum ts_status answer_tables(struct answer *a, struct ts_cursor *c, struct ts_error *err)
{
	for (size_t i = 0; i < TABLES; i++)
		if (!take_name(c, &a->db) || a->db != order[i])
			return ts_error_set(err, TS_INVALID, "whoever follows a server is of its version and has the same tables");
		else if (answer_table(a, c, err))
			return err->status;
	return ts_cursor_left(c) ? bad(err) : TS_OK;
}

enum ts_status ts_store_mirror(struct ts_engine *e, struct ts_span asked, ts_mirror_send *send, void *ctx, struct ts_error *err)
{
	struct answer a = {.out = TS_BUF_INIT(64 << 20), .send = send, .ctx = ctx};
	struct ts_cursor c = ts_cursor_of(asked);
	struct ts_span moment = ts_cursor_bytes(&c, TS_MOMENT);
	uint8_t now[TS_MOMENT] = {0};
	enum ts_status status = TS_OK;
	bool known;

	if (c.failed)
		return bad(err);
	if (ts_read_begin(ts_kv_of(e), &a.r, err))
		return err->status;
	known = ts_lmdb_moment(a.r, now);
	if (ts_cursor_left(&c) && (!known || memcmp(moment.data, now, TS_MOMENT) != 0))
		status = answer_tables(&a, &c, err);
	ts_read_end(&a.r);
	ts_buf_char(&a.out, 'E');
	ts_buf_bytes(&a.out, now, TS_MOMENT);
	ts_buf_u64(&a.out, (uint64_t)ts_now_real_ns());
	if (!status)
		status = flush(&a, err);
	ts_buf_finish(&a.out);
	return status;
}

/* ---- what the follower takes ---- */

/* An id that meta has under a key; *ret_found is false where it has none. */
static enum ts_status read_id(struct ts_read r, const char *name, uint8_t ret[TS_STORE_ID], bool *ret_found, struct ts_error *err)
{
	struct ts_span key = ts_span_str(name), stored, id;

	if (ts_read_get(r, TS_DB_META, key, &stored, ret_found, err) ||
	    (*ret_found && ts_check_split(key, stored, &id, err)))
		return err->status;
	if (*ret_found && id.len != TS_STORE_ID)
		return ts_error_set(err, TS_DAMAGED, "%s: its record '%s' is damaged", r.kv->where, name);
	if (*ret_found)
		memcpy(ret, id.data, TS_STORE_ID);
	return TS_OK;
}

enum ts_status ts_store_id(struct ts_engine *e, uint8_t ret[TS_MIRROR_SOURCE], struct ts_error *err)
{
	struct ts_kv *kv = ts_kv_of(e);
	enum ts_status status;
	struct ts_read r;
	bool found;

	if (ts_read_begin(kv, &r, err))
		return err->status;
	status = read_id(r, TS_STORE_KEY, ret, &found, err);
	ts_read_end(&r);
	if (!status && !found)
		return ts_error_set(err, TS_UNSUPPORTED, "%s: the store has no id; open it for writing once", kv->where);
	return status;
}

/* One item of what was sent. */
struct taken {
	char kind;
	struct ts_span key, value;
	enum ts_db db;
	uint64_t time;
};

static bool take_item(struct ts_cursor *c, struct taken *ret)
{
	struct taken t = {.kind = (char)ts_cursor_u8(c)};
	uint16_t key;
	uint32_t value;
	bool known = true;

	switch (t.kind) {
	case 'T':
		known = take_name(c, &t.db);
		break;
	case 'R':
	case 'F':
		t.key = take_key(c);
		break;
	case 'P':
		key = ts_cursor_u16(c);
		value = ts_cursor_u32(c);
		t.key = ts_cursor_bytes(c, key);
		t.value = ts_cursor_bytes(c, value);
		known = key > 0 && key <= TS_KEY_MAX;
		break;
	case 'E':
		t.value = ts_cursor_bytes(c, TS_MOMENT);
		t.time = ts_cursor_u64(c);
		break;
	default:
		known = false;
	}
	*ret = t;
	return known && !c->failed;
}

struct applying {
	struct ts_write *w;
	enum ts_db db;
	struct ts_walk walk;
	bool found;
	uint8_t at[TS_KEY_MAX + 1]; /* own records below this are settled */
	size_t at_len;
};

static enum ts_status seek(struct applying *a, struct ts_error *err)
{
	do {
		if (ts_walk_seek(&a->walk, ts_span_of(a->at, a->at_len), &a->found, err))
			return err->status;
		if (!a->found || !is_own(a->db, a->walk.key))
			return TS_OK;
		a->at_len = a->walk.key.len + 1;
		memcpy(a->at, a->walk.key.data, a->walk.key.len);
		a->at[a->at_len - 1] = 0;
	} while (a->at_len <= TS_KEY_MAX);
	return TS_OK;
}

/* Removes own records below a key (none: all), which the other one does not have. */
static enum ts_status drop_below(struct applying *a, struct ts_span key, struct ts_error *err)
{
	uint8_t room[TS_KEY_MAX];

	for (;;) {
		if (seek(a, err))
			return err->status;
		if (!a->found || (key.len && ts_span_cmp(a->walk.key, key) >= 0))
			return TS_OK;
		memcpy(room, a->walk.key.data, a->walk.key.len);
		if (ts_write_delete(a->w, a->db, ts_span_of(room, a->walk.key.len), err))
			return err->status;
	}
}

static enum ts_status apply_record(struct applying *a, const struct taken *t, struct ts_error *err)
{
	if (drop_below(a, t->key, err))
		return err->status;
	if (!is_own(a->db, t->key) &&
	    !(a->found && ts_span_eq(a->walk.key, t->key) && ts_span_eq(a->walk.value, t->value)) &&
	    ts_write_put(a->w, a->db, t->key, t->value, err))
		return err->status;
	memcpy(a->at, t->key.data, t->key.len);
	a->at[t->key.len] = 0;
	a->at_len = t->key.len + 1;
	return TS_OK;
}

static enum ts_status apply_range(struct applying *a, struct ts_cursor *c, struct ts_error *err)
{
	enum ts_status status = ts_walk_begin(&a->walk, ts_read_of(a->w), a->db, err);
	struct taken t = {.kind = 0};

	while (!status && t.kind != 'F') {
		if (!take_item(c, &t) || (t.kind != 'P' && t.kind != 'F'))
			status = bad(err);
		else if (t.kind == 'P')
			status = apply_record(a, &t, err);
		else
			status = drop_below(a, t.key, err);
	}
	ts_walk_end(&a->walk);
	return status;
}

/* A server may have been started on the copy meanwhile: what it acknowledged must stay. */
static enum ts_status check_claim(const struct ts_mirror *m, struct ts_write *w, struct ts_error *err)
{
	uint8_t of[TS_STORE_ID];
	bool claimed;

	if (!m->held)
		return ts_mirrored_admit(ts_store_of(m->e), ts_read_of(w), err);
	if (read_id(ts_read_of(w), TS_COPY_KEY, of, &claimed, err))
		return err->status;
	if (claimed && memcmp(of, m->source, TS_STORE_ID) == 0)
		return TS_OK;
	return ts_error_set(err, TS_CONFLICT, "%s: a server was started on the copy, which is a store of its own from then on",
			    w->kv->where);
}

static enum ts_status run_take(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct ts_mirror *m = ctx;
	struct ts_cursor c = ts_cursor_of(ts_span_part(ts_buf_view(&m->items), 0, m->whole));
	struct applying a = {.w = w, .db = (enum ts_db)m->table};

	if (check_claim(m, w, err))
		return err->status;
	while (ts_cursor_left(&c)) {
		struct taken t;

		if (!take_item(&c, &t))
			return bad(err);
		if (t.kind == 'T')
			a.db = t.db;
		if (t.kind != 'R')
			continue;
		memcpy(a.at, t.key.data ? t.key.data : (const uint8_t *)"", t.key.len);
		a.at_len = t.key.len;
		if (apply_range(&a, &c, err))
			return err->status;
	}
	return TS_OK;
}

/* Commits the whole ranges that have come, and keeps the rest. */
static enum ts_status settle(struct ts_mirror *m, struct ts_error *err)
{
	size_t rest = m->items.len - m->whole;

	if (m->whole == 0)
		return TS_OK;
	if (ts_store_write_beside(ts_store_of(m->e), run_take, m, m->whole, err))
		return err->status;
	m->table = m->next_table;
	memmove(m->items.data, m->items.data + m->whole, rest);
	m->items.len = rest;
	m->whole = 0;
	return TS_OK;
}

void ts_mirror_begin(struct ts_mirror *m, struct ts_engine *e)
{
	*m = (struct ts_mirror){.e = e, .items = TS_BUF_INIT(TAKE_BYTES + 4 * (size_t)RANGE_BYTES), .table = TS_DB_META};
	m->next_table = m->table;
}

enum ts_status ts_mirror_hold(struct ts_mirror *m, struct ts_engine *from, struct ts_error *err)
{
	m->held = true;
	return ts_store_id(from, m->source, err);
}

void ts_mirror_finish(struct ts_mirror *m)
{
	ts_buf_finish(&m->items);
}

enum ts_status ts_mirror_take(struct ts_mirror *m, struct ts_span chunk, struct ts_error *err)
{
	struct ts_cursor c = ts_cursor_of(chunk);

	if (m->ended)
		return bad(err);
	while (ts_cursor_left(&c)) {
		size_t at = c.at;
		struct taken t;

		if (!take_item(&c, &t) || m->ended)
			return bad(err);
		if (t.kind == 'E') {
			memcpy(m->moment, t.value.data, TS_MOMENT);
			m->leader_ns = (int64_t)t.time;
			m->ended = true;
			continue;
		}
		ts_buf_span(&m->items, ts_span_part(chunk, at, c.at - at));
		if (ts_buf_check(&m->items, err))
			return err->status;
		m->records += t.kind == 'P';
		m->bytes += t.kind == 'P' ? t.key.len + t.value.len : 0;
		if (t.kind == 'T')
			m->next_table = (unsigned)t.db;
		if (t.kind == 'T' || t.kind == 'F')
			m->whole = m->items.len;
		if (m->whole > TAKE_BYTES && settle(m, err))
			return err->status;
	}
	return m->ended ? settle(m, err) : TS_OK;
}

/* ---- whose copy a store becomes ---- */

enum ts_status ts_store_is_empty(struct ts_read r, bool *ret_is, struct ts_error *err)
{
	struct ts_span mark;
	bool found = false;

	if (ts_read_get(r, TS_DB_META, ts_span_str(TS_MIRRORED_KEY), &mark, &found, err))
		return err->status;
	for (int db = 0; db < TS_DBS && !found; db++) {
		struct ts_span prefix = db == TS_DB_META ? ts_span_str("record/") : ts_span_of(NULL, 0);
		struct ts_walk walk;
		enum ts_status status;

		if (db == TS_DB_CACHE)
			continue;
		status = ts_walk_open(&walk, r, (enum ts_db)db, prefix, &found, err);
		ts_walk_end(&walk);
		if (status)
			return status;
	}
	*ret_is = !found;
	return TS_OK;
}

/* A store that is shared and was served is a copy of nobody: it has zeros in place of an id. */
static const uint8_t nobody[TS_STORE_ID];

enum ts_status ts_store_is_copy(struct ts_read r, bool *ret_is, struct ts_error *err)
{
	uint8_t of[TS_STORE_ID];
	struct ts_span mark;
	bool claimed, mirror;

	if (read_id(r, TS_COPY_KEY, of, &claimed, err) || ts_read_get(r, TS_DB_META, ts_span_str(TS_MIRRORED_KEY), &mark, &mirror, err))
		return err->status;
	*ret_is = mirror || (claimed && memcmp(of, nobody, TS_STORE_ID) != 0);
	return TS_OK;
}

static enum ts_status run_claim(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(64);
	struct ts_read r = ts_read_of(w);
	const uint8_t *from = ctx;
	uint8_t of[TS_STORE_ID];
	bool claimed, empty;

	if (read_id(r, TS_COPY_KEY, of, &claimed, err) || ts_store_is_empty(r, &empty, err))
		return err->status;
	if (claimed && memcmp(of, from, TS_STORE_ID) == 0)
		return TS_OK;
	if (!empty)
		return ts_error_set(err, TS_CONFLICT,
				    "%s holds what is not of that store, and a copy takes the place of all that is there: give it an "
				    "empty store",
				    r.kv->where);
	if (claimed && memcmp(of, nobody, TS_STORE_ID) == 0)
		return ts_error_set(err, TS_CONFLICT,
				    "%s has been served, and what a server writes there meanwhile would be lost: give it a store that "
				    "no server was started on",
				    r.kv->where);
	ts_buf_bytes(&buf, from, TS_STORE_ID);
	return ts_write_record(w, TS_DB_META, ts_span_str(TS_COPY_KEY), &buf, err) ? err->status : ts_verified_forget(w, err);
}

enum ts_status ts_mirror_claim(struct ts_engine *to, struct ts_engine *from, struct ts_error *err)
{
	uint8_t source[TS_STORE_ID], target[TS_STORE_ID];

	if (ts_store_id(from, source, err) || ts_store_id(to, target, err))
		return err->status;
	if (memcmp(source, target, TS_STORE_ID) == 0)
		return ts_error_set(err, TS_CONFLICT, "%s and %s are one store, or a copy of its files", ts_kv_of(from)->where,
				    ts_kv_of(to)->where);
	return ts_store_write_beside(ts_store_of(to), run_claim, source, TS_STORE_ID, err);
}

static enum ts_status run_release(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(64);
	const bool *shared = ctx;

	if (!*shared)
		return ts_write_delete(w, TS_DB_META, ts_span_str(TS_COPY_KEY), err);
	ts_buf_bytes(&buf, nobody, TS_STORE_ID);
	return ts_write_record(w, TS_DB_META, ts_span_str(TS_COPY_KEY), &buf, err);
}

enum ts_status ts_mirror_release(struct ts_engine *e, bool shared, struct ts_error *err)
{
	uint8_t of[TS_STORE_ID];
	enum ts_status status;
	bool claimed = false;
	struct ts_read r;

	if (ts_kv_of(e)->base) /* what is above another store is no copy of one */
		return TS_OK;
	if (ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	status = read_id(r, TS_COPY_KEY, of, &claimed, err);
	ts_read_end(&r);
	if (status || (shared ? claimed && memcmp(of, nobody, TS_STORE_ID) == 0 : !claimed))
		return status;
	return ts_store_write(ts_store_of(e), run_release, &shared, TS_STORE_ID, err);
}
