/* store_known.c - what somebody may know of the objects of a store: what the names of its projects reach, and what it has sent itself.
 *
 * An object that a name of a project reaches has a record in `named` by its place and the project; whoever has sent an object that was
 * there already has one in `sent` (what it sent first stands in `unnamed`, store_usage.c). So content is stored once, and nobody learns
 * from that what another has. Records of `named` stay while the object stays where it is, so a project goes on knowing what it had; of
 * a store that an older version wrote they are made by the next sweep or recount, and until then what they lack is sent again. */
#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/cursor.h"

enum { NAMED_KEY = TS_UNNAMED_KEY + TS_PROJECT_KEY, SENT_KEY = 8 + TS_ID_BYTES, SWEPT = 4096, AHEAD_MOST = 1 << 20 };
static const char complete[] = "named"; /* of meta: 1 if every project has all its records */

/* ---- what projects reach ---- */

struct ts_project_key ts_project_key(struct ts_span project)
{
	struct ts_project_key key;
	struct ts_id digest;

	ts_digest(project, &digest);
	memcpy(key.bytes, digest.bytes, TS_PROJECT_KEY);
	return key;
}

static struct ts_span named_key(uint64_t pack, uint32_t offset, const struct ts_project_key *project, uint8_t room[NAMED_KEY])
{
	(void)ts_unnamed_key(pack, offset, room);
	memcpy(room + TS_UNNAMED_KEY, project->bytes, TS_PROJECT_KEY);
	return ts_span_of(room, NAMED_KEY);
}

enum ts_status ts_named_get(struct ts_read r, uint64_t pack, uint32_t offset, const struct ts_project_key *project, bool *ret_found,
			    struct ts_error *err)
{
	uint8_t room[NAMED_KEY];
	struct ts_span stored;

	return ts_read_get(r, TS_DB_NAMED, named_key(pack, offset, project, room), &stored, ret_found, err);
}

/* The keys of one kind that will be read next. */
struct keys {
	struct ts_span *items;
	uint8_t *rooms; /* of `size` bytes each */
	size_t n, size;
};

static enum ts_status keys_begin(struct keys *k, size_t most, size_t size, struct ts_error *err)
{
	*k = (struct keys){.items = ts_alloc_array(most, sizeof *k->items), .rooms = ts_alloc_array(most, size), .size = size};
	return k->items && k->rooms ? TS_OK : ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu keys", most);
}

static uint8_t *keys_next(struct keys *k)
{
	uint8_t *room = k->rooms + k->n * k->size;

	k->items[k->n++] = ts_span_of(room, k->size);
	return room;
}

/* Says that they will be read, and forgets them. */
static enum ts_status keys_end(struct keys *k, struct ts_read r, enum ts_db db, enum ts_status status, struct ts_error *err)
{
	if (!status)
		status = ts_read_ahead(r, db, k->items, k->n, err);
	ts_free(k->items);
	ts_free(k->rooms);
	return status;
}

enum ts_status ts_places_ahead(struct ts_read r, const struct ts_entry *places, size_t n, const struct ts_project_key *projects,
			       size_t n_projects, struct ts_error *err)
{
	enum ts_status status;
	struct keys keys;

	if (!r.kv->far || n < 2)
		return TS_OK;
	status = keys_begin(&keys, n, TS_UNNAMED_KEY, err);
	for (size_t i = 0; i < n && !status; i++)
		(void)ts_unnamed_key(places[i].pack, places[i].offset, keys_next(&keys));
	status = keys_end(&keys, r, TS_DB_UNNAMED, status, err);
	if (status || n_projects == 0 || n > AHEAD_MOST / n_projects)
		return status;
	status = keys_begin(&keys, n * n_projects, NAMED_KEY, err);
	for (size_t i = 0; i < n * n_projects && !status; i++)
		(void)named_key(places[i / n_projects].pack, places[i / n_projects].offset, &projects[i % n_projects],
				keys_next(&keys));
	return keys_end(&keys, r, TS_DB_NAMED, status, err);
}

static enum ts_status put_named(struct ts_write *w, struct ts_span key, struct ts_error *err)
{
	struct ts_buf record = TS_BUF_INIT(16);

	return ts_write_record(w, TS_DB_NAMED, key, &record, err);
}

enum ts_status ts_named_put(struct ts_write *w, uint64_t pack, uint32_t offset, const struct ts_project_key *project,
			    struct ts_error *err)
{
	uint8_t room[NAMED_KEY];

	return put_named(w, named_key(pack, offset, project, room), err);
}

enum ts_status ts_named_drop(struct ts_write *w, uint64_t pack, uint32_t offset, struct ts_error *err)
{
	uint8_t room[TS_UNNAMED_KEY];

	return ts_write_delete_prefix(w, TS_DB_NAMED, ts_unnamed_key(pack, offset, room), err);
}

enum ts_status ts_named_move(struct ts_write *w, uint64_t pack, uint32_t offset, uint64_t to_pack, uint32_t to_offset,
			     struct ts_error *err)
{
	uint8_t place[TS_UNNAMED_KEY], from[NAMED_KEY], to[NAMED_KEY];
	struct ts_span prefix = ts_unnamed_key(pack, offset, place);
	enum ts_status status;
	struct ts_walk walk;
	bool found;

	status = ts_walk_open(&walk, ts_read_of(w), TS_DB_NAMED, prefix, &found, err);
	while (!status && found && walk.key.len == NAMED_KEY && ts_span_starts(walk.key, prefix)) {
		memcpy(from, walk.key.data, NAMED_KEY);
		(void)ts_unnamed_key(to_pack, to_offset, to);
		memcpy(to + TS_UNNAMED_KEY, from + TS_UNNAMED_KEY, TS_PROJECT_KEY);
		status = ts_write_delete(w, TS_DB_NAMED, ts_span_of(from, NAMED_KEY), err);
		if (!status)
			status = put_named(w, ts_span_of(to, NAMED_KEY), err);
		if (!status)
			status = ts_walk_seek(&walk, prefix, &found, err);
	}
	ts_walk_end(&walk);
	return status;
}

enum ts_status ts_named_begin(struct ts_write *w, bool all, struct ts_error *err)
{
	return ts_write_u64(w, complete, all, err);
}

enum ts_status ts_named_complete(struct ts_read r, bool *ret_is, struct ts_error *err)
{
	uint64_t has = 0;

	if (ts_read_u64(r, complete, &has, err))
		return err->status;
	*ret_is = has != 0;
	return TS_OK;
}

/* ---- what was sent and was there already ---- */

static struct ts_span sent_key(uint64_t sender, const struct ts_id *id, uint8_t room[SENT_KEY])
{
	ts_pack_key(sender, room);
	memcpy(room + 8, id->bytes, TS_ID_BYTES);
	return ts_span_of(room, SENT_KEY);
}

static enum ts_status sent_get(struct ts_read r, uint64_t sender, const struct ts_id *id, bool *ret_found, int64_t *ret_at_ns,
			       struct ts_error *err)
{
	uint8_t room[SENT_KEY];
	struct ts_span key = sent_key(sender, id, room), stored, value;
	struct ts_error damage;
	struct ts_cursor c;

	if (ts_read_get(r, TS_DB_SENT, key, &stored, ret_found, err))
		return err->status;
	*ret_found = *ret_found && ts_check_split(key, stored, &value, &damage) == TS_OK && value.len == 8;
	if (!*ret_found)
		return TS_OK;
	c = ts_cursor_of(value);
	*ret_at_ns = (int64_t)ts_cursor_u64(&c);
	return TS_OK;
}

enum ts_status ts_sent_put(struct ts_write *w, uint64_t sender, const struct ts_id *id, int64_t now_ns, bool *ret_new,
			   struct ts_error *err)
{
	struct ts_buf record = TS_BUF_INIT(32);
	uint8_t room[SENT_KEY];
	int64_t at_ns = 0;
	bool found;

	*ret_new = false;
	if (sent_get(ts_read_of(w), sender, id, &found, &at_ns, err))
		return err->status;
	if (found && !ts_lease_is_old(at_ns, now_ns))
		return TS_OK;
	*ret_new = !found;
	ts_buf_u64(&record, (uint64_t)now_ns);
	return ts_write_record(w, TS_DB_SENT, sent_key(sender, id, room), &record, err);
}

/* Whether a record is no longer valid, or of an object that has gone. */
static enum ts_status is_over(struct ts_read r, const struct ts_walk *walk, int64_t now_ns, int64_t since_ns, bool *ret_over,
			      struct ts_error *err)
{
	struct ts_error damage;
	struct ts_entry entry;
	struct ts_span value;
	struct ts_cursor c;
	struct ts_id id;
	int64_t at_ns;
	bool found;

	*ret_over = true;
	if (walk->key.len != SENT_KEY || ts_check_split(walk->key, walk->value, &value, &damage) || value.len != 8)
		return TS_OK;
	c = ts_cursor_of(value);
	at_ns = (int64_t)ts_cursor_u64(&c);
	memcpy(id.bytes, walk->key.data + 8, TS_ID_BYTES);
	if (ts_entry_get(r, &id, &entry, &found, &damage) && damage.status != TS_DAMAGED) {
		*err = damage;
		return err->status;
	}
	*ret_over = !found || at_ns <= since_ns || ts_lease_is_ahead(at_ns, now_ns);
	return TS_OK;
}

enum ts_status ts_sent_sweep(struct ts_write *w, struct ts_extracts_place *io_place, int64_t now_ns, int64_t since_ns,
			     struct ts_error *err)
{
	struct ts_extracts_place at = *io_place;
	enum ts_status status;
	struct ts_walk walk;
	bool found = false, over;
	int left = SWEPT;

	if (ts_walk_begin(&walk, ts_read_of(w), TS_DB_SENT, err))
		return err->status;
	status = ts_walk_seek(&walk, ts_span_of(at.key, at.len), &found, err);
	while (!status && found && left--) {
		struct ts_span key = ts_span_of(at.key, walk.key.len < sizeof at.key ? walk.key.len : sizeof at.key - 1);

		memcpy(at.key, walk.key.data, key.len);
		status = is_over(ts_read_of(w), &walk, now_ns, since_ns, &over, err);
		if (!status && over)
			status = ts_write_delete(w, TS_DB_SENT, key, err);
		at.key[key.len] = 0;
		at.len = key.len + 1;
		if (!status)
			status = ts_walk_seek(&walk, ts_span_of(at.key, at.len), &found, err);
	}
	ts_walk_end(&walk);
	if (!found)
		at.len = 0;
	if (!status)
		*io_place = at;
	return status;
}

/* ---- asked ---- */

struct asked {
	struct ts_store *store;
	const struct ts_viewer *viewer;
	struct ts_read read;
	uint64_t sender;
	struct ts_project_key *projects;
	bool complete;
	uint64_t packs; /* the number of the next one */
	struct ts_idmap seen; /* by a proof */
	struct ts_sweeping sweeping; /* the rest is of known_many */
	int64_t now_ns;
	uint64_t bytes; /* stored, of what it may know */
	bool stale;	/* the lease of some of that must be renewed */
};

static void end(struct asked *a)
{
	ts_idmap_finish(&a->seen);
	ts_read_end(&a->read);
	ts_free(a->projects);
}

static enum ts_status begin(struct asked *a, struct ts_engine *e, const struct ts_viewer *viewer, struct ts_error *err)
{
	*a = (struct asked){.store = ts_store_of(e), .viewer = viewer, .sender = ts_sender_key(viewer->sender)};
	a->projects = ts_alloc_array(viewer->n + 1, sizeof *a->projects);
	if (!a->projects)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu projects", viewer->n);
	for (size_t i = 0; i < viewer->n; i++)
		a->projects[i] = ts_project_key(viewer->projects[i]);
	if (ts_read_begin(a->store->kv, &a->read, err)) {
		ts_free(a->projects);
		return err->status;
	}
	if (ts_named_complete(a->read, &a->complete, err) || ts_read_u64(a->read, "next_pack", &a->packs, err)) {
		end(a);
		return err->status;
	}
	return TS_OK;
}

/* Of what is not there a place is made up among those that there are, so that it is looked for like what another has, in pages that are
 * as likely to be in memory. */
static void place_of_nothing(const struct asked *a, const struct ts_id *id, struct ts_entry *ret)
{
	*ret = (struct ts_entry){.pack = ts_load_le(id->bytes, 8) % (a->packs + 1), .offset = ts_load_u32(id->bytes + 8)};
}

/* A head of a store whose records are not all there yet is known by the logs. */
static enum ts_status is_head_of(struct asked *a, const struct ts_entry *entry, const struct ts_id *id, bool *ret_is,
				 struct ts_error *err)
{
	if (a->complete || !entry->nrefs)
		return TS_OK;
	for (size_t i = 0; i < a->viewer->n && !*ret_is; i++)
		if (ts_heads_have(a->read, a->viewer->projects[i], id, ret_is, err))
			return err->status;
	return TS_OK;
}

static struct ts_reached_place place_of(const struct asked *a, const struct ts_entry *entry, size_t project)
{
	return (struct ts_reached_place){entry->pack, ts_load_le(a->projects[project].bytes, 8), entry->offset};
}

static bool is_remembered(struct asked *a, const struct ts_entry *entry)
{
	bool is = false;

	for (size_t i = 0; i < a->viewer->n && !is; i++) {
		struct ts_reached_place place = place_of(a, entry, i);

		is = ts_reached_has(&a->store->reached, &place);
	}
	return is;
}

/* Whether a name of one of the projects reaches what lies in a place. Each is asked. */
static enum ts_status is_reached(struct asked *a, const struct ts_entry *entry, bool *ret_is, struct ts_error *err)
{
	*ret_is = false;
	for (size_t i = 0; i < a->viewer->n; i++) {
		struct ts_reached_place place = place_of(a, entry, i);
		bool is = false;

		if (ts_named_get(a->read, entry->pack, entry->offset, &a->projects[i], &is, err))
			return err->status;
		if (is)
			ts_reached_add(&a->store->reached, &place);
		*ret_is |= is;
	}
	return TS_OK;
}

static enum ts_status look(struct asked *a, const struct ts_id *id, struct ts_entry *ret_entry, enum ts_known *ret,
			   struct ts_error *err)
{
	bool found = false, reached = false, sent = false, first = false;
	struct ts_unnamed unnamed = {.sender = 0};
	struct ts_error damage;
	int64_t at_ns;

	if (ts_entry_get(a->read, id, ret_entry, &found, &damage)) {
		found = false; /* a damaged one is sent again */
		if (damage.status != TS_DAMAGED) {
			*err = damage;
			return err->status;
		}
	}
	if (!found)
		place_of_nothing(a, id, ret_entry);
	*ret = TS_KNOWN_REACHED;
	if (is_remembered(a, ret_entry) && found)
		return TS_OK;
	if (is_reached(a, ret_entry, &reached, err))
		return err->status;
	if (found && !reached && is_head_of(a, ret_entry, id, &reached, err))
		return err->status;
	if (found && reached)
		return TS_OK;
	if (ts_unnamed_get(a->read, ret_entry->pack, ret_entry->offset, &unnamed, &first, err) ||
	    sent_get(a->read, a->sender, id, &sent, &at_ns, err))
		return err->status;
	sent = a->sender && (sent || (first && unnamed.sender == a->sender));
	*ret = found && sent ? TS_KNOWN_SENT : TS_KNOWN_NOT;
	return TS_OK;
}

static enum ts_status look_at(struct asked *a, const struct ts_id *id, enum ts_known *ret, struct ts_error *err)
{
	struct ts_entry entry;

	if (look(a, id, &entry, ret, err))
		return err->status;
	if (*ret == TS_KNOWN_NOT)
		return TS_OK;
	a->bytes += entry.len;
	a->stale |= ts_sweeping_must_renew(a->read.kv, &a->sweeping, &entry, a->now_ns);
	return TS_OK;
}

/* All that look() will ask for, also of what is not there: that must not take longer. */
static enum ts_status look_ahead(struct asked *a, const struct ts_id *ids, size_t n, struct ts_error *err)
{
	struct ts_entry *places;
	enum ts_status status;
	struct keys sent;

	if (!a->read.kv->far || n < 2)
		return TS_OK;
	places = ts_alloc_array(n, sizeof *places);
	if (!places)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu ids", n);
	status = ts_entries_ahead(a->read, ids, sizeof *ids, n, err);
	for (size_t i = 0; i < n && !status; i++) {
		struct ts_error damage;
		bool found = false;

		if (ts_entry_get(a->read, &ids[i], &places[i], &found, &damage) || !found)
			place_of_nothing(a, &ids[i], &places[i]);
	}
	if (!status)
		status = ts_places_ahead(a->read, places, n, a->projects, a->viewer->n, err);
	ts_free(places);
	if (status)
		return status;
	status = keys_begin(&sent, n, SENT_KEY, err);
	for (size_t i = 0; i < n && !status; i++)
		(void)sent_key(a->sender, &ids[i], keys_next(&sent));
	return keys_end(&sent, a->read, TS_DB_SENT, status, err);
}

enum ts_status ts_store_known_many(struct ts_engine *e, const struct ts_viewer *viewer, const struct ts_id *ids, size_t n,
				   enum ts_known *ret_known, bool *ret_leased, struct ts_error *err)
{
	enum ts_status status;
	struct asked a;

	if (begin(&a, e, viewer, err))
		return err->status;
	a.now_ns = ts_kv_now(ts_kv_of(e));
	status = ts_sweeping_read(a.read, &a.sweeping, err);
	if (!status)
		status = look_ahead(&a, ids, n, err);
	for (size_t i = 0; i < n && !status; i++)
		status = look_at(&a, &ids[i], &ret_known[i], err);
	end(&a);
	if (status || !ret_leased)
		return status;
	*ret_leased = !a.stale || a.store->read_only;
	if (*ret_leased)
		atomic_fetch_add(&a.store->kv->asked_bytes, a.bytes);
	return TS_OK;
}

static enum ts_status proof_visit(void *ctx, const struct ts_id *id, bool *ret_first, struct ts_error *err)
{
	return ts_idmap_add(&((struct asked *)ctx)->seen, id, ret_first, err);
}

/* Whoever may know an object that a name reaches may know all that it refers to; whoever sent one has shown its own bytes alone. */
static enum ts_status proof_look(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_found *ret_found,
				 struct ts_error *err)
{
	struct asked *a = ctx;
	struct ts_entry entry;
	enum ts_known known;

	(void)arena;
	if (look(a, id, &entry, &known, err))
		return err->status;
	if (known == TS_KNOWN_NOT)
		return ts_no_object(id, err);
	ret_found->follow = known == TS_KNOWN_SENT && entry.nrefs;
	return ret_found->follow ? ts_entry_sealed(a->read, id, &entry, &ret_found->sealed, err) : TS_OK;
}

static enum ts_status proof_trouble(void *ctx, const struct ts_id *id, struct ts_error *err)
{
	char hex[TS_ID_HEX + 1];

	(void)ctx;
	if (err->status != TS_NOT_FOUND)
		return err->status;
	return ts_error_set(err, TS_NOT_FOUND, "the store does not have the object %s", ts_id_hex(id, hex));
}

enum ts_status ts_store_prove(struct ts_engine *e, const struct ts_viewer *viewer, const struct ts_id *id, struct ts_error *err)
{
	static const struct ts_closure_ops ops = {proof_visit, proof_look, proof_trouble, NULL};
	struct ts_closure closure;
	enum ts_status status;
	struct asked a;

	if (begin(&a, e, viewer, err))
		return err->status;
	ts_closure_init(&closure, &ops, &a);
	status = ts_closure_walk(&closure, id, err);
	ts_closure_finish(&closure);
	end(&a);
	return status;
}
