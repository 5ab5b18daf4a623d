/* bundle_kv.c - reads and writes of the layer of bundles: all databases are those of the layer below, but that packs which it has no
 * more are read by their places, and that its own records among them are seen by nobody above. */
#include "store/cluster/bundle_internal.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/system.h"
#include "store/cluster/packs_kept.h"

enum { AHEAD = 16, AHEAD_BYTES = 2 << 20, AGAIN_MOST = 256 };
static const int64_t KEEP_NS = 24 * 3600 * INT64_C(1000000000);

/* Packs that lie one behind the other in a bundle and are read by one request, the first one for somebody. */
struct stretch {
	struct ts_place places[AHEAD];
	size_t n;
};

/* A write, for as long as its caller waits. It holds the lock of all writes, so it never waits for the bucket: it ends where it lacks a
 * pack, which is then read, and runs again. */
struct job {
	struct ts_bundles *b;
	ts_write_fn *run;
	void *ctx;
	uint64_t put_bytes;
	struct ts_packs_kept kept;
	struct stretch wants; /* that it ended for */
	bool waits;	      /* it reads the bucket all the same */
};

/* A snapshot, or a write. */
struct txn {
	struct ts_read under;
	struct ts_packs_kept *kept;
	struct ts_packs_kept own; /* of a snapshot */
	struct job *job;	  /* NULL: it only reads */
	struct ts_write *w;	  /* of a job */
	bool has_last;		  /* the next two are set: the pack that was read last, and not changed since */
	uint64_t last;
	struct ts_span last_bytes;
	bool changed;	 /* ts_deletes_add was called */
	bool knows_last; /* the next one is set */
	uint64_t end;	 /* above all packs that were there before its first one was put */
};

static struct ts_read under_of(struct ts_read r)
{
	return ((struct txn *)r.txn)->under;
}

/* ---- packs of bundles ---- */

/* Whether a pack is to be read with the first one: it lies behind the last one so far. */
static bool follows(struct ts_bundles *b, const struct ts_place *first, const struct ts_place *last, const struct ts_place *at)
{
	return ts_id_eq(&at->bundle, &first->bundle) && at->offset == last->offset + last->len &&
	       at->offset + at->len - first->offset <= AHEAD_BYTES && !ts_pack_cache_has(b->as.cache, &at->digest);
}

/* The places of a pack and of those that lie right behind it in its bundle and are not in the cache. */
static enum ts_status find_places(struct ts_bundles *b, struct ts_read under, uint64_t pack, struct stretch *ret,
				  struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of_place(pack), kind = ts_key_of(TS_KIND_PLACE);
	enum ts_status status;
	struct ts_error ignored;
	struct ts_walk walk;
	bool found = false;
	size_t n = 0;

	status = ts_walk_begin(&walk, under, TS_DB_PACKS, err);
	if (!status)
		status = ts_walk_seek(&walk, ts_bundle_key_span(&key), &found, err);
	while (!status && found && n < AHEAD && ts_span_starts(walk.key, ts_bundle_key_span(&kind))) {
		struct ts_place *at = &ret->places[n];

		if (n == 0 && !ts_span_eq(walk.key, ts_bundle_key_span(&key)))
			break;
		status = ts_place_parse(walk.key, walk.value, at, n ? &ignored : err);
		if (n && (status || !follows(b, &ret->places[0], &ret->places[n - 1], at))) {
			status = TS_OK; /* a damaged one is no concern of whoever reads the first one */
			break;
		}
		n++;
		if (!status)
			status = ts_walk_next(&walk, &found, err);
	}
	ts_walk_end(&walk);
	ret->n = n;
	return status;
}

/* Reads packs of the bucket, the first one for *ret. */
static enum ts_status load(struct ts_bundles *b, struct ts_packs_kept *kept, const struct stretch *s, struct ts_span *ret,
			   struct ts_error *err)
{
	const struct ts_place *first = &s->places[0], *last = &s->places[s->n - 1];
	uint8_t *out = ts_alloc((size_t)(last->offset + last->len - first->offset) + 1);
	enum ts_status status = out ? TS_OK : ts_error_set(err, TS_NO_MEMORY, "out of memory for a pack");
	struct ts_error ignored;

	if (!status)
		status = ts_bundles_fetch(b, s->places, s->n, out, err);
	for (size_t i = 0; !status && i < s->n; i++) {
		const struct ts_place *place = &s->places[i];
		const uint8_t *at = out + (place->offset - first->offset);

		if (i && !ts_place_is_right(place, at))
			continue;
		if (b->as.cache)
			ts_pack_cache_put(b->as.cache, &place->digest, ts_span_of(at, place->len));
		else if (i && !ts_packs_kept_find(kept, &place->digest, ret))
			(void)ts_packs_kept_add(kept, &place->digest, ts_span_of(at, place->len), ret, &ignored);
	}
	if (!status)
		status = ts_packs_kept_add(kept, &first->digest, ts_span_of(out, first->len), ret, err);
	ts_free(out);
	return status;
}

static enum ts_status from_cache(struct ts_bundles *b, struct ts_packs_kept *kept, const struct ts_place *place, struct ts_span *ret,
				 bool *ret_found, struct ts_error *err)
{
	enum ts_status status = TS_OK;
	uint8_t *out;

	*ret_found = false;
	if (!ts_pack_cache_has(b->as.cache, &place->digest))
		return TS_OK;
	out = ts_alloc((size_t)place->len + 1);
	if (!out)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a pack");
	*ret_found = ts_pack_cache_get(b->as.cache, &place->digest, place->len, out);
	if (*ret_found)
		status = ts_packs_kept_add(kept, &place->digest, ts_span_of(out, place->len), ret, err);
	ts_free(out);
	return status;
}

static void rest(struct ts_read under, bool rests)
{
	if (under.kv->ops->rest)
		under.kv->ops->rest(under, rests);
}

static enum ts_status read_stretch(struct ts_bundles *b, struct txn *t, const struct stretch *s, struct ts_span *ret,
				   struct ts_error *err)
{
	enum ts_status status;
	bool found;

	if (ts_packs_kept_find(t->kept, &s->places[0].digest, ret))
		return TS_OK;
	if (from_cache(b, t->kept, &s->places[0], ret, &found, err))
		return err->status;
	if (found)
		return TS_OK;
	if (!t->job) {
		rest(t->under, true); /* the bucket may be silent for long */
		status = load(b, t->kept, s, ret, err);
		rest(t->under, false);
		return status;
	}
	if (t->job->waits)
		return load(b, t->kept, s, ret, err);
	t->job->wants = *s;
	return ts_error_set(err, TS_UNAVAILABLE, "a pack is read before this is written");
}

/* Reads a pack by its place, if it has one. */
static enum ts_status read_placed(struct ts_bundles *b, struct txn *t, uint64_t pack, struct ts_span *ret, bool *ret_found,
				  struct ts_error *err)
{
	struct stretch s;

	*ret_found = true;
	if (t->has_last && t->last == pack) {
		*ret = t->last_bytes;
		return TS_OK;
	}
	if (find_places(b, t->under, pack, &s, err))
		return err->status;
	*ret_found = s.n > 0;
	if (s.n == 0)
		return TS_OK;
	if (ts_bundles_know(b, t->under, err) || read_stretch(b, t, &s, ret, err))
		return err->status;
	t->has_last = true;
	t->last = pack;
	t->last_bytes = *ret;
	return TS_OK;
}

/* ---- reading ---- */

static enum ts_status bundles_begin(struct ts_kv *kv, bool wait, struct ts_read *ret, struct ts_error *err)
{
	struct ts_kv *under = ts_bundles_of(kv)->as.under;
	struct txn *t = ts_alloc_array(1, sizeof *t);

	if (!t)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to read");
	if (under->ops->begin(under, wait, &t->under, err)) {
		ts_free(t);
		return err->status;
	}
	ts_packs_kept_init(&t->own);
	t->kept = &t->own;
	*ret = (struct ts_read){.kv = kv, .txn = t};
	return TS_OK;
}

static void bundles_end(struct ts_read *r)
{
	struct txn *t = r->txn;

	ts_read_end(&t->under);
	ts_packs_kept_finish(&t->own);
	ts_free(t);
}

static enum ts_status bundles_get(struct ts_read r, enum ts_db db, struct ts_span key, struct ts_span *ret_value, bool *ret_found,
				  struct ts_error *err)
{
	bool found = false;

	if (db == TS_DB_PACKS && key.len == TS_PACK_KEY &&
	    read_placed(ts_bundles_of(r.kv), r.txn, ts_load_be(key.data, TS_PACK_KEY), ret_value, &found, err))
		return err->status;
	if (!found)
		return ts_read_get(under_of(r), db, key, ret_value, ret_found, err);
	*ret_found = true;
	return TS_OK;
}

static enum ts_status bundles_ahead(struct ts_read r, enum ts_db db, const struct ts_span *keys, size_t n, struct ts_error *err)
{
	return ts_read_ahead(under_of(r), db, keys, n, err);
}

/* Of the records of packs, those that a store sees. */
static enum ts_status count_packs(struct ts_read r, uint64_t *ret_n, struct ts_error *err)
{
	struct ts_walk walk;
	enum ts_status status = ts_walk_begin(&walk, r, TS_DB_PACKS, err);
	uint64_t n = 0;
	bool found = false;

	walk.keys = true;
	if (!status)
		status = ts_walk_seek(&walk, ts_span_of(NULL, 0), &found, err);
	for (; !status && found; status = ts_walk_next(&walk, &found, err))
		n++;
	ts_walk_end(&walk);
	*ret_n = n;
	return status;
}

static enum ts_status bundles_count(struct ts_read r, enum ts_db db, uint64_t *ret_n, struct ts_error *err)
{
	return db == TS_DB_PACKS ? count_packs(r, ret_n, err) : ts_read_count(under_of(r), db, ret_n, err);
}

/* ---- walks ---- */

/* Over packs two walks go side by side: through those below, and through places. */
struct side {
	struct ts_walk walk;
	bool found;
	bool ended; /* a walk upward found no more */
};
struct walk {
	struct side sides[2]; /* [1]: places; of other databases the first one alone is used */
};

static struct ts_span pack_key(const struct side *side, int i)
{
	return i ? ts_span_from(side->walk.key, 1) : side->walk.key;
}

static enum ts_status bundles_walk_begin(struct ts_walk *w, struct ts_error *err)
{
	struct walk *walk = ts_alloc_array(1, sizeof *walk);

	if (!walk)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a walk");
	w->at = walk;
	for (int i = 0; i < (w->db == TS_DB_PACKS ? 2 : 1); i++)
		if (ts_walk_begin(&walk->sides[i].walk, under_of(w->read), w->db, err))
			return err->status;
	return TS_OK;
}

static void bundles_walk_end(struct ts_walk *w)
{
	struct walk *walk = w->at;

	for (int i = 0; i < 2; i++)
		ts_walk_end(&walk->sides[i].walk);
	ts_free(walk);
}

/* Moves one side to the first pack from a key on, or behind it; or to the last one below it. */
static enum ts_status move_side(struct side *side, int i, enum ts_move move, struct ts_span key, struct ts_error *err)
{
	bool up = move == TS_MOVE_FROM || move == TS_MOVE_NEXT;
	struct ts_bundle_key room = ts_key_of(TS_KIND_PLACE);
	enum ts_status status;

	if (i) {
		size_t len = key.len < TS_PACK_KEY ? key.len : TS_PACK_KEY;

		if (len)
			memcpy(room.bytes + 1, key.data, len);
		room.len += len;
		key = ts_bundle_key_span(&room);
	} else if (!up && key.data[0] >= TS_BUNDLE_FIRST) {
		room.bytes[0] = TS_BUNDLE_FIRST; /* below what is no pack */
		key = ts_bundle_key_span(&room);
	}
	if (side->ended && move == TS_MOVE_NEXT)
		return TS_OK;
	if (side->found && move == TS_MOVE_NEXT && ts_span_cmp(side->walk.key, key) > 0)
		return TS_OK;
	if (side->found && move == TS_MOVE_NEXT && ts_span_eq(side->walk.key, key)) {
		status = ts_walk_next(&side->walk, &side->found, err);
	} else {
		status = up ? ts_walk_seek(&side->walk, key, &side->found, err)
			    : ts_walk_seek_below(&side->walk, key, &side->found, err);
		if (!status && move == TS_MOVE_NEXT && side->found && ts_span_eq(side->walk.key, key))
			status = ts_walk_next(&side->walk, &side->found, err);
	}
	if (!status && side->found)
		side->found = i ? side->walk.key.data[0] == TS_KIND_PLACE : side->walk.key.data[0] < TS_BUNDLE_FIRST;
	side->ended = !status && up && !side->found;
	return status;
}

/* The length of a pack by its place. */
static enum ts_status size_of(const struct ts_walk *place_walk, struct ts_span *ret, struct ts_error *err)
{
	struct ts_place place;

	if (ts_place_parse(place_walk->key, place_walk->value, &place, err))
		return err->status;
	*ret = ts_span_of(NULL, place.len);
	return TS_OK;
}

static enum ts_status move_packs(struct ts_walk *w, enum ts_move move, struct ts_span key, bool *ret_found, struct ts_error *err)
{
	struct side *sides = ((struct walk *)w->at)->sides;
	bool up = move == TS_MOVE_FROM || move == TS_MOVE_NEXT;
	int order, i;

	if (move_side(&sides[0], 0, move, key, err) || move_side(&sides[1], 1, move, key, err))
		return err->status;
	*ret_found = sides[0].found || sides[1].found;
	if (!*ret_found)
		return TS_OK;
	order = sides[0].found && sides[1].found ? ts_span_cmp(pack_key(&sides[0], 0), pack_key(&sides[1], 1)) : 0;
	i = order == 0 ? sides[1].found : (order > 0) == up; /* of both, the place counts */
	w->key = pack_key(&sides[i], i);
	w->value = i ? ts_span_of(NULL, 0) : sides[i].walk.value;
	if (!i || w->keys)
		return TS_OK;
	if (w->sizes)
		return size_of(&sides[1].walk, &w->value, err);
	return read_placed(ts_bundles_of(w->read.kv), w->read.txn, ts_load_be(w->key.data, TS_PACK_KEY), &w->value, ret_found, err);
}

static enum ts_status bundles_walk_move(struct ts_walk *w, enum ts_move move, struct ts_span key, bool *ret_found, struct ts_error *err)
{
	struct ts_walk *under = &((struct walk *)w->at)->sides[0].walk;

	if (w->db == TS_DB_PACKS)
		return move_packs(w, move, key, ret_found, err);
	under->expects = w->expects;
	if (under->read.kv->ops->walk_move(under, move, key, ret_found, err))
		return err->status;
	if (*ret_found) {
		w->key = under->key;
		w->value = under->value;
	}
	return TS_OK;
}

/* ---- writing ---- */

static struct ts_write *under_write(struct ts_write *w)
{
	return ((struct txn *)w->txn)->w;
}

/* Says to whoever gathers that a pack is not any more what it was. */
static enum ts_status note_change(struct txn *t, struct ts_error *err)
{
	if (!t->changed && ts_deletes_add(t->w, err))
		return err->status;
	t->changed = true;
	return TS_OK;
}

/* Takes the place of a pack away, if it has one. */
static enum ts_status lose_place(struct txn *t, uint64_t pack, struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of_place(pack);
	struct ts_place place;
	bool found;

	if (ts_place_get(t->under, pack, &place, &found, err))
		return err->status;
	if (!found)
		return TS_OK;
	return ts_write_delete(t->w, TS_DB_PACKS, ts_bundle_key_span(&key), err)
		       ? err->status
		       : ts_bundle_lose(t->w, &place.bundle, place.len, err);
}

static enum ts_status last_below(struct ts_read under, struct ts_span key, struct ts_walk *walk, bool *ret_found, struct ts_error *err)
{
	if (ts_walk_begin(walk, under, TS_DB_PACKS, err))
		return err->status;
	walk->keys = true;
	return ts_walk_seek_below(walk, key, ret_found, err);
}

static enum ts_status find_end(struct txn *t, struct ts_error *err)
{
	static const uint8_t above[TS_PACK_KEY + 2] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
	const uint8_t first = TS_BUNDLE_FIRST;
	enum ts_status status;
	struct ts_walk walk;
	uint64_t last = 0;
	bool found = false;

	status = last_below(t->under, ts_span_of(above, sizeof above), &walk, &found, err);
	if (!status && found && walk.key.data[0] == TS_KIND_PLACE)
		last = ts_load_be(walk.key.data + 1, TS_PACK_KEY) + 1;
	ts_walk_end(&walk);
	if (status)
		return status;
	status = last_below(t->under, ts_span_of(&first, 1), &walk, &found, err);
	if (!status && found && ts_load_be(walk.key.data, TS_PACK_KEY) >= last)
		last = ts_load_be(walk.key.data, TS_PACK_KEY) + 1;
	ts_walk_end(&walk);
	t->end = last;
	t->knows_last = !status;
	return status;
}

/* A store puts each number once, but a copy may put what its original has put anew. */
static enum ts_status before_put(struct txn *t, uint64_t pack, struct ts_error *err)
{
	if (!t->knows_last && find_end(t, err))
		return err->status;
	if (pack >= t->end)
		return TS_OK;
	return note_change(t, err) ? err->status : lose_place(t, pack, err);
}

static enum ts_status bundles_put(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_span value, uint8_t **ret_room,
				  struct ts_error *err)
{
	struct ts_write *under = under_write(w);
	struct txn *t = w->txn;

	if (db == TS_DB_PACKS && key.len == TS_PACK_KEY) {
		t->has_last = false;
		if (before_put(t, ts_load_be(key.data, TS_PACK_KEY), err))
			return err->status;
		t->job->put_bytes += value.len;
	}
	under->dirty = true;
	return under->kv->ops->put(under, db, key, value, ret_room, err);
}

/* A pack goes with its place. */
static enum ts_status delete_pack(struct ts_write *w, struct ts_span key, struct ts_error *err)
{
	struct txn *t = w->txn;

	t->has_last = false;
	return note_change(t, err) || ts_write_delete(t->w, TS_DB_PACKS, key, err)
		       ? err->status
		       : lose_place(t, ts_load_be(key.data, TS_PACK_KEY), err);
}

static enum ts_status bundles_delete(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_error *err)
{
	return db == TS_DB_PACKS && key.len == TS_PACK_KEY ? delete_pack(w, key, err) : ts_write_delete(under_write(w), db, key, err);
}

static enum ts_status run_job(struct ts_write *under, void *ctx, struct ts_error *err)
{
	struct job *job = ctx;
	struct txn t = {.under = ts_read_of(under), .w = under, .kept = &job->kept, .job = job};
	struct ts_write w = {.kv = &job->b->kv, .txn = &t};
	enum ts_status status;

	job->wants.n = 0;
	job->put_bytes = 0;
	status = job->run(&w, job->ctx, err);
	under->dirty = under->dirty || w.dirty;
	return job->wants.n ? ts_error_set(err, TS_UNAVAILABLE, "a pack is read before this is written") : status;
}

/* What waits to be written into the cache of answers waits below, where it is written. */
static void move_spare(struct ts_bundles *b)
{
	struct ts_idmap waiting = {0};

	ts_spare_take(&b->kv.spare, &waiting);
	ts_spare_give(&b->as.under->spare, &waiting);
}

/* Reads what a write ended for. That the bucket is away is told to whoever writes; all else is found by the write itself, which may
 * have more to say. */
static enum ts_status read_wanted(struct job *job, struct ts_error *err)
{
	struct ts_span ignored;
	enum ts_status status = load(job->b, &job->kept, &job->wants, &ignored, err);

	job->waits = status && status != TS_UNAVAILABLE;
	return job->waits ? TS_OK : status;
}

static enum ts_status bundles_commit(struct ts_kv *kv, ts_write_fn *run, void *ctx, size_t bytes, struct ts_error *err)
{
	struct ts_bundles *b = ts_bundles_of(kv);
	struct job job = {.b = b, .run = run, .ctx = ctx};
	enum ts_status status;
	int again = 0;

	move_spare(b);
	ts_packs_kept_init(&job.kept);
	do {
		job.wants.n = 0;
		status = b->as.under->ops->commit(b->as.under, run_job, &job, bytes, err);
		if (!job.wants.n)
			break;
		status = read_wanted(&job, err);
		job.waits = job.waits || ++again == AGAIN_MOST; /* nothing keeps what is read */
	} while (!status);
	ts_packs_kept_finish(&job.kept);
	if (!status)
		ts_bundles_put_more(b, job.put_bytes);
	return status;
}

/* ---- opening ---- */

static void bundles_release(struct ts_kv *kv)
{
	struct ts_bundles *b = ts_bundles_of(kv);

	ts_bundles_end(b);
	move_spare(b);
	if (b->as.under)
		b->as.under->ops->release(b->as.under);
	ts_pack_cache_close(b->as.cache);
	ts_bucket_close(b->as.bucket);
	pthread_cond_destroy(&b->woken);
	pthread_mutex_destroy(&b->lock);
	ts_kv_finish(kv);
	ts_free(b);
}

static enum ts_status bundles_sound(struct ts_kv *kv, bool look, struct ts_error *err)
{
	return ts_kv_sound(ts_bundles_of(kv)->as.under, look, err);
}

static enum ts_status bundles_vouch(struct ts_write *w, const struct ts_iditem *places, size_t n, struct ts_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (ts_vouched_put(under_write(w), &places[i].id, err))
			return err->status;
	return TS_OK;
}

static enum ts_status bundles_place(struct ts_kv *kv, struct ts_buf *out, struct ts_error *err)
{
	const struct ts_bundles *b = ts_bundles_of(kv);

	ts_buf_str(out, ts_bucket_where(b->as.bucket));
	return ts_kv_place(b->as.under, out, err);
}

static int64_t bundles_now(struct ts_kv *kv)
{
	return ts_kv_now(ts_bundles_of(kv)->as.under);
}

static enum ts_status bundles_vitals(struct ts_kv *kv, struct ts_kv_vitals *ret, struct ts_error *err)
{
	struct ts_bundles *b = ts_bundles_of(kv);

	(void)err;
	pthread_mutex_lock(&b->lock);
	ret->gathers = true;
	ret->gather_failures = b->failures;
	pthread_mutex_unlock(&b->lock);
	return TS_OK;
}

static const struct ts_kv_ops bundles_ops = {
	.begin = bundles_begin,
	.end = bundles_end,
	.get = bundles_get,
	.ahead = bundles_ahead,
	.count = bundles_count,
	.walk_begin = bundles_walk_begin,
	.walk_move = bundles_walk_move,
	.walk_end = bundles_walk_end,
	.put = bundles_put,
	.delete = bundles_delete,
	.commit = bundles_commit,
	.release = bundles_release,
	.now = bundles_now,
	.vitals = bundles_vitals,
	.sound = bundles_sound,
	.look = ts_bundles_look,
	.vouch = bundles_vouch,
	.place = bundles_place,
};

static enum ts_status read_about(struct ts_kv *under, uint8_t ret_uid[TS_STORE_UID], bool *ret_found, struct ts_error *err)
{
	enum ts_status status;
	struct ts_read r;

	if (ts_read_begin(under, &r, err))
		return err->status;
	status = ts_about_get(r, ret_uid, ret_found, err);
	ts_read_end(&r);
	return status;
}

enum ts_status ts_bundles_none(struct ts_kv *under, struct ts_error *err)
{
	uint8_t uid[TS_STORE_UID];
	bool found;

	if (read_about(under, uid, &found, err))
		return err->status;
	return found ? ts_error_set(
			       err, TS_INVALID,
			       "%s: packs of its store lie in a bucket: say which by bucket = https://..., as its other servers do",
			       under->where)
		     : TS_OK;
}

static enum ts_status run_about(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct ts_bundles *b = ctx;
	bool found;

	if (ts_about_get(ts_read_of(w), b->uid, &found, err))
		return err->status;
	return found ? TS_OK : ts_about_put(w, b->uid, err);
}

/* The bucket gets an object that says whose its folder is, and then the database says which folder it is. */
static enum ts_status claim(struct ts_bundles *b, struct ts_error *err)
{
	struct ts_id digest;
	char name[TS_BUNDLE_NAME];
	struct ts_span text = ts_span_str("packs of a store of tscope\n");

	if (ts_bucket_check(b->as.bucket, err) || ts_system_random(b->uid, sizeof b->uid, err))
		return err->status;
	ts_digest(text, &digest);
	if (ts_bucket_put(b->as.bucket, ts_marker_name(b->uid, name), text, &digest, err))
		return err->status;
	return ts_bundles_write(b, run_about, b, err); /* another server may have been faster: its folder counts */
}

/* A bucket that is away for a moment keeps no server from starting. */
static enum ts_status find_folder(struct ts_bundles *b, struct ts_error *err)
{
	char name[TS_BUNDLE_NAME];
	enum ts_status status;
	uint64_t bytes;
	bool found;

	if (read_about(b->as.under, b->uid, &found, err))
		return err->status;
	b->known = found || !b->as.read_only;
	if (!found)
		return b->as.read_only ? ts_bucket_look(b->as.bucket, err) : claim(b, err);
	status = ts_bucket_size(b->as.bucket, ts_marker_name(b->uid, name), &bytes, err);
	if (status == TS_NOT_FOUND)
		return ts_error_set(err, TS_CONFLICT, "%s is not the bucket that holds the packs of this store: it has no %s",
				    ts_bucket_where(b->as.bucket), name);
	return status == TS_UNAVAILABLE ? TS_OK : status;
}

enum ts_status ts_bundles_open(const struct ts_bundles_options *options, struct ts_kv **ret, struct ts_error *err)
{
	struct ts_bundles *b = ts_alloc_array(1, sizeof *b);

	if (!b) {
		options->under->ops->release(options->under);
		ts_pack_cache_close(options->cache);
		ts_bucket_close(options->bucket);
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a store");
	}
	b->as = *options;
	b->as.keep_ns = options->keep_ns ? options->keep_ns : KEEP_NS;
	b->as.least_bytes = options->least_bytes ? options->least_bytes : TS_BUNDLE_LEAST;
	ts_kv_init(&b->kv, &bundles_ops, options->under->where);
	b->kv.first_pack = options->under->first_pack;
	b->kv.far = options->under->far;
	pthread_mutex_init(&b->lock, NULL);
	ts_system_cond_init(&b->woken);
	if (find_folder(b, err) || (!b->as.read_only && !b->as.by_hand && ts_bundles_begin(b, err))) {
		bundles_release(&b->kv);
		return err->status;
	}
	*ret = &b->kv;
	return TS_OK;
}
