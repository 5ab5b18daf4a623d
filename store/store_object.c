/* store_object.c - puts, gets and looks for objects, and renews the leases of those that no name reaches yet. */
#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/cursor.h"

#include <xxhash.h>

enum ts_status ts_store_get(struct ts_engine *e, const struct ts_id *id, struct ts_arena *arena,
			   struct ts_sealed *ret_sealed, struct ts_error *err)
{
	struct ts_depot *depot = ts_store_of(e)->depot;
	struct ts_entry record;
	struct ts_sealed sealed;
	struct ts_read r;
	enum ts_status status;
	bool found = false;

	if (ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	status = ts_entry_get(r, id, &record, &found, err);
	if (!status && found)
		status = ts_entry_sealed(r, id, &record, &sealed, err);
	if (!status && found) {
		sealed.bytes.data = ts_arena_dup(arena, sealed.bytes.data, sealed.bytes.len);
		if (!sealed.bytes.data)
			status = ts_arena_error(arena, err);
	}
	ts_read_end(&r);
	if (status)
		return status;
	if (!found)
		return depot ? depot->ops->get(depot, id, arena, ret_sealed, err) : ts_no_object(id, err);
	if (XXH3_64bits(sealed.bytes.data, sealed.bytes.len) != sealed.checksum) {
		char hex[TS_ID_HEX + 1];

		return ts_error_set(err, TS_DAMAGED, "object %s: the checksum of its %zu stored bytes is wrong",
				    ts_id_hex(id, hex), sealed.bytes.len);
	}
	*ret_sealed = sealed;
	return TS_OK;
}

struct has {
	const struct ts_id *ids;
	size_t n;
	int64_t now_ns;
	struct ts_sweeping sweeping;
	bool *present;
	const bool *below; /* which of them the engine below has; NULL: there is none */
	uint64_t bytes; /* stored, of those that are there */
	bool stale;	/* some lease must be renewed */
};

/* A damaged record counts as absent, so that pushing the object again repairs it. */
static enum ts_status look_up(struct ts_read r, const struct ts_id *id, struct ts_entry *ret, bool *ret_found,
			      struct ts_error *err)
{
	struct ts_error damage;
	enum ts_status status = ts_entry_get(r, id, ret, ret_found, &damage);

	if (status == TS_DAMAGED)
		*ret_found = false;
	else if (status)
		*err = damage;
	return status == TS_DAMAGED ? TS_OK : status;
}

bool ts_sweeping_must_renew(const struct ts_kv *kv, const struct ts_sweeping *sweeping, const struct ts_entry *entry, int64_t now_ns)
{
	return !ts_entry_is_below(kv, entry) &&
	       (ts_lease_is_old(entry->lease_ns, now_ns) || !ts_sweeping_honours(sweeping, entry->lease_ns, now_ns));
}

static enum ts_status has_now(struct ts_read r, struct has *has, struct ts_error *err)
{
	if (ts_sweeping_read(r, &has->sweeping, err) || ts_entries_ahead(r, has->ids, sizeof *has->ids, has->n, err))
		return err->status;
	for (size_t i = 0; i < has->n; i++) {
		struct ts_entry record;
		bool found;

		if (look_up(r, &has->ids[i], &record, &found, err))
			return err->status;
		has->present[i] = found || (has->below && has->below[i]);
		if (found)
			has->bytes += record.len;
		if (found && ts_sweeping_must_renew(r.kv, &has->sweeping, &record, has->now_ns))
			has->stale = true;
	}
	return TS_OK;
}

static enum ts_status renew(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct has *has = ctx;

	if (ts_sweeping_read(ts_read_of(w), &has->sweeping, err) ||
	    ts_entries_ahead(ts_read_of(w), has->ids, sizeof *has->ids, has->n, err))
		return err->status;
	for (size_t i = 0; i < has->n; i++) {
		struct ts_entry record;
		bool found;

		if (look_up(ts_read_of(w), &has->ids[i], &record, &found, err))
			return err->status;
		has->present[i] = found || (has->below && has->below[i]);
		if (!found || !ts_sweeping_must_renew(w->kv, &has->sweeping, &record, has->now_ns))
			continue;
		record.lease_ns = ts_sweeping_lease(&has->sweeping, has->now_ns);
		if (ts_entry_put(w, &has->ids[i], &record, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status note_known(struct ts_store *s, const struct ts_id *ids, size_t n, const bool *present, struct ts_error *err)
{
	enum ts_status status = TS_OK;
	bool added;

	pthread_mutex_lock(&s->known_lock);
	for (size_t i = 0; i < n && !status; i++)
		if (present[i])
			status = ts_idmap_add(&s->known, &ids[i], &added, err);
	pthread_mutex_unlock(&s->known_lock);
	return status;
}

/* Asks what this engine is laid over for all at once, since that may be far away. */
static enum ts_status ask_below(struct ts_store *s, const struct ts_id *ids, size_t n, bool *ret_present, struct ts_error *err)
{
	if (s->below)
		return s->below->ops->has_many(s->below, ids, n, ret_present, err);
	return s->depot->ops->has_many(s->depot, ids, n, ret_present, err) ? err->status : note_known(s, ids, n, ret_present, err);
}

enum ts_status ts_store_ask_depot(struct ts_store *s, const struct ts_id *id, struct ts_error *err)
{
	bool is_there;

	pthread_mutex_lock(&s->known_lock);
	is_there = ts_idmap_get(&s->known, id) != NULL;
	pthread_mutex_unlock(&s->known_lock);
	if (!is_there && s->depot && ask_below(s, id, 1, &is_there, err))
		return err->status;
	return is_there ? TS_OK : ts_no_object(id, err);
}

enum ts_status ts_store_has_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
				struct ts_error *err)
{
	struct ts_store *s = ts_store_of(e);
	struct has has = {.ids = ids, .n = n, .now_ns = ts_kv_now(s->kv)};
	enum ts_status status;
	struct ts_read r;

	has.present = ts_alloc_array(n + 1, 2 * sizeof *has.present);
	if (!has.present)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu ids", n);
	has.below = s->below || s->depot ? has.present + n : NULL;
	status = has.below ? ask_below(s, ids, n, has.present + n, err) : TS_OK;
	if (!status)
		status = ts_read_begin(s->kv, &r, err);
	if (!status) {
		status = has_now(r, &has, err);
		ts_read_end(&r);
	}
	if (!status && has.stale && !s->read_only)
		status = ts_store_write_beside(s, renew, &has, n * TS_RECORD_BYTES, err);
	if (!status) {
		memcpy(ret_present, has.present, n * sizeof *ret_present);
		atomic_fetch_add(&s->kv->asked_bytes, has.bytes);
	}
	ts_free(has.present);
	return status;
}

enum ts_status ts_store_look_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
				 bool *ret_leased, struct ts_error *err)
{
	struct ts_store *s = ts_store_of(e);
	struct has has = {.ids = ids, .n = n, .now_ns = ts_kv_now(s->kv), .present = ret_present};
	enum ts_status status;
	bool leased = !s->depot;
	struct ts_read r;

	if (s->below && s->below->ops->look_many(s->below, ids, n, ret_present, &leased, err))
		return err->status;
	has.below = s->below ? ret_present : NULL;
	if (!leased || !ts_read_try(s->kv, &r)) {
		*ret_leased = false;
		return TS_OK;
	}
	status = has_now(r, &has, err);
	ts_read_end(&r);
	if (status)
		return status;
	*ret_leased = !has.stale || s->read_only;
	if (*ret_leased)
		atomic_fetch_add(&s->kv->asked_bytes, has.bytes);
	return TS_OK;
}

/* A depot has no outlines: an object is fetched. What is not there, or is damaged, is absent. */
static enum ts_status outline_of(struct ts_depot *depot, const struct ts_id *id, struct ts_outline *ret, struct ts_error *err)
{
	struct ts_error trouble;
	struct ts_sealed sealed;
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = depot->ops->get(depot, id, &arena, &sealed, &trouble);
	if (!status)
		*ret = (struct ts_outline){.present = true, .kind = sealed.kind, .nrefs = sealed.nrefs, .raw_len = sealed.raw_len};
	ts_arena_finish(&arena);
	if (!status || status == TS_NOT_FOUND || status == TS_DAMAGED)
		return TS_OK;
	*err = trouble;
	return status;
}

enum ts_status ts_store_outline_many(struct ts_engine *e, const struct ts_id *ids, size_t n, struct ts_outline *ret_outlines,
				     struct ts_error *err)
{
	struct ts_depot *depot = ts_store_of(e)->depot;
	enum ts_status status;
	struct ts_read r;

	if (ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	status = ts_entries_ahead(r, ids, sizeof *ids, n, err);
	for (size_t i = 0; i < n && !status; i++) {
		struct ts_entry record = {0};
		bool found = false;

		status = look_up(r, &ids[i], &record, &found, err);
		ret_outlines[i] =
			(struct ts_outline){.present = found, .kind = record.kind, .nrefs = record.nrefs, .raw_len = record.raw_len};
	}
	ts_read_end(&r);
	for (size_t i = 0; depot && i < n && !status; i++)
		if (!ret_outlines[i].present)
			status = outline_of(depot, &ids[i], &ret_outlines[i], err);
	return status;
}

struct put {
	const struct ts_sealed *objects;
	size_t n;
	struct ts_span sender; /* empty: nobody */
	const struct ts_spending *spending;
	struct ts_span *parts;
	int64_t now_ns;
	struct ts_sweeping sweeping;
	struct ts_error full; /* what keeps new objects from being stored; TS_OK: nothing */
	struct ts_put_stats stats;
};

/* Whoever sends what is there already has shown that it has it. */
static enum ts_status note_again(struct ts_write *w, struct put *put, const struct ts_sealed *object, const struct ts_entry *record,
				 struct ts_error *err)
{
	uint64_t sender = ts_sender_key(put->sender);
	struct ts_unnamed unnamed;
	bool found, is_new;

	if (!sender)
		return TS_OK;
	if (ts_unnamed_get(ts_read_of(w), record->pack, record->offset, &unnamed, &found, err))
		return err->status;
	if (found && unnamed.sender == sender)
		return TS_OK;
	if (ts_sent_put(w, sender, &object->id, put->now_ns, &is_new, err))
		return err->status;
	put->stats.again_objects += is_new;
	put->stats.again_bytes += is_new ? object->bytes.len : 0;
	return TS_OK;
}

static enum ts_status put_one(struct ts_packer *packer, const struct ts_sealed *object, struct put *put,
			      struct ts_error *err)
{
	struct ts_entry record;
	bool found;

	if (look_up(ts_read_of(packer->w), &object->id, &record, &found, err))
		return err->status;
	if (found && note_again(packer->w, put, object, &record, err))
		return err->status;
	if (found && !ts_entry_is_below(packer->w->kv, &record)) {
		if (!ts_sweeping_must_renew(packer->w->kv, &put->sweeping, &record, put->now_ns))
			return TS_OK;
		record.lease_ns = ts_sweeping_lease(&put->sweeping, put->now_ns);
		return ts_entry_put(packer->w, &object->id, &record, err);
	}
	if (put->full.status) {
		*err = put->full;
		return err->status;
	}
	record = (struct ts_entry){
		.raw_len = object->raw_len,
		.nrefs = object->nrefs,
		.checksum = object->checksum,
		.lease_ns = ts_sweeping_lease(&put->sweeping, put->now_ns),
		.codec = object->codec,
		.kind = object->kind,
	};
	put->stats.new_objects++;
	put->stats.new_bytes += object->bytes.len;
	if (ts_packer_add(packer, &object->id, object->bytes, &record, err))
		return err->status;
	return ts_unnamed_put(packer->w, record.pack, record.offset,
			      &(struct ts_unnamed){.sender = ts_sender_key(put->sender), .len = record.len}, err);
}

static enum ts_status bill_sender(const struct put *put, uint64_t bytes, struct ts_bill *bill, struct ts_error *err)
{
	return ts_bill_sender(bill, ts_sender_key(put->sender), put->sender, (int64_t)bytes, err);
}

/* Counts what is new among the objects. */
static enum ts_status new_bytes(const struct put *put, struct ts_read r, uint64_t *ret_bytes, struct ts_error *err)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < put->n; i++) {
		struct ts_entry record;
		bool found;

		if (look_up(r, &put->objects[i].id, &record, &found, err))
			return err->status;
		bytes += found ? 0 : put->objects[i].bytes.len;
	}
	*ret_bytes = bytes;
	return TS_OK;
}

/* Whether the sender may send so much. Only if all together were too much, it matters which are new. */
static enum ts_status may_send(const struct put *put, struct ts_read r, struct ts_error *err)
{
	struct ts_bill bill = {0};
	struct ts_over over = {.found = false};
	enum ts_status status;
	uint64_t bytes = 0;

	for (size_t i = 0; i < put->n; i++)
		bytes += put->objects[i].bytes.len;
	status = bill_sender(put, bytes, &bill, err);
	if (!status)
		status = ts_bill_look(&bill, r, put->spending, &over, err);
	if (!status && over.found) {
		bill.n = 0;
		status = new_bytes(put, r, &bytes, err);
		if (!status)
			status = bill_sender(put, bytes, &bill, err);
		if (!status)
			status = ts_bill_check(&bill, r, put->spending, err);
	}
	ts_bill_finish(&bill);
	return status;
}

static enum ts_status count_sent(const struct put *put, struct ts_write *w, struct ts_error *err)
{
	struct ts_bill bill = {0};
	enum ts_status status = bill_sender(put, put->stats.new_bytes, &bill, err);

	if (!status)
		status = ts_bill_write(&bill, w, err);
	ts_bill_finish(&bill);
	return status;
}

static enum ts_status put_all(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct put *put = ctx;
	struct ts_packer packer;
	uint64_t stored;

	put->stats = (struct ts_put_stats){.objects = put->n};
	if (ts_entries_ahead(ts_read_of(w), &put->objects[0].id, sizeof put->objects[0], put->n, err) ||
	    may_send(put, ts_read_of(w), err) || ts_sweeping_read(ts_read_of(w), &put->sweeping, err) ||
	    ts_packer_begin(&packer, w, put->parts, err))
		return err->status;
	for (size_t i = 0; i < put->n; i++)
		if (put_one(&packer, &put->objects[i], put, err))
			return err->status;
	if (put->stats.new_objects == 0)
		return TS_OK;
	if (ts_packer_end(&packer, err) || count_sent(put, w, err) || ts_read_u64(ts_read_of(w), "stored", &stored, err))
		return err->status;
	return ts_write_u64(w, "stored", stored + put->stats.new_bytes, err);
}

enum ts_status ts_store_put_many(struct ts_engine *e, const struct ts_sealed *objects, size_t n,
				struct ts_put_stats *ret_stats, struct ts_error *err)
{
	return ts_store_upload_many(e, ts_span_of(NULL, 0), objects, n, ret_stats, err);
}

enum ts_status ts_store_upload_many(struct ts_engine *e, struct ts_span sender, const struct ts_sealed *objects, size_t n,
				   struct ts_put_stats *ret_stats, struct ts_error *err)
{
	struct put put = {.objects = objects,
			  .n = n,
			  .sender = sender,
			  .spending = ts_store_of(e)->spending,
			  .now_ns = ts_kv_now(ts_kv_of(e))};
	enum ts_status status;
	size_t bytes = 0;

	if (sender.len > TS_WHO_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "the name of a sender has at most %d bytes", TS_WHO_MAX);
	(void)ts_kv_room(ts_kv_of(e), &put.full);
	for (size_t i = 0; i < n; i++)
		bytes += objects[i].bytes.len;
	put.parts = ts_alloc_array(n ? n : 1, sizeof *put.parts);
	if (!put.parts)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu objects", n);
	status = n ? ts_store_write(ts_store_of(e), put_all, &put, bytes, err) : TS_OK;
	ts_free(put.parts);
	if (status)
		return status;
	atomic_fetch_add(&ts_kv_of(e)->asked_bytes, bytes);
	atomic_fetch_add(&ts_kv_of(e)->new_bytes, put.stats.new_bytes);
	if (ret_stats)
		*ret_stats = put.stats;
	return TS_OK;
}

static enum ts_status collect_prefix(struct ts_walk *walk, uint8_t kind, const struct ts_id *first,
				     const struct ts_id *last, struct ts_id *ids, size_t limit, size_t *ret_n,
				     struct ts_error *err)
{
	enum ts_status status;
	bool found;
	size_t n = 0;

	status = ts_walk_seek(walk, ts_id_span(first), &found, err);
	while (!status && found && n < limit && ts_span_cmp(walk->key, ts_id_span(last)) <= 0) {
		struct ts_entry record;
		struct ts_id id;

		memcpy(id.bytes, walk->key.data, TS_ID_BYTES);
		if (ts_entry_parse(&id, walk->value, &record, err) == TS_OK && record.kind == kind)
			ids[n++] = id;
		status = ts_walk_next(walk, &found, err);
	}
	*ret_n = n;
	return status;
}

/* What a depot has is found by whole ids only. */
static enum ts_status find_in_depot(struct ts_store *s, struct ts_span hex, const struct ts_id *whole, struct ts_id *ids, size_t *io_n,
				     struct ts_error *err)
{
	bool is_there;

	if (hex.len < TS_ID_HEX)
		return ts_error_set(err, TS_UNSUPPORTED, "looking for a part of an id is not possible on the objects of %s",
				    s->depot->where);
	if (*io_n)
		return TS_OK;
	if (ask_below(s, whole, 1, &is_there, err))
		return err->status;
	if (is_there)
		ids[(*io_n)++] = *whole;
	return TS_OK;
}

enum ts_status ts_store_find_prefix(struct ts_engine *e, uint8_t kind, struct ts_span hex, size_t limit,
				    struct ts_arena *arena, struct ts_id **ret_ids, size_t *ret_n, struct ts_error *err)
{
	struct ts_store *s = ts_store_of(e);
	struct ts_id first, last, *ids;
	enum ts_status status;
	struct ts_walk walk;
	struct ts_read r;
	size_t n = 0;

	limit = limit < TS_LIST_MAX ? limit : TS_LIST_MAX;
	if (ts_prefix_range(hex, &first, &last, err))
		return err->status;
	ids = ts_arena_array(arena, limit + 1, sizeof *ids);
	if (!ids)
		return ts_arena_error(arena, err);
	if (ts_read_begin(s->kv, &r, err))
		return err->status;
	status = ts_walk_begin(&walk, r, TS_DB_OBJECTS, err);
	if (!status)
		status = collect_prefix(&walk, kind, &first, &last, ids, limit, &n, err);
	ts_walk_end(&walk);
	ts_read_end(&r);
	if (!status && s->depot)
		status = find_in_depot(s, hex, &first, ids, &n, err);
	if (status)
		return status;
	*ret_ids = ids;
	*ret_n = n < limit ? n : limit;
	return TS_OK;
}
