/* bundle_keeper.c - the thread that makes bundles of packs, takes those apart that are half dead, and deletes the dead ones.
 *
 * Making one: a snapshot gives packs that no bundle has; a write says which bundle comes, so that no other server gathers them and that
 * one which is left behind is found; the bundle is put; a write gives the packs their places, unless it is said by then that another
 * bundle comes; and small writes delete their bytes. A server that stood still meanwhile finds that nothing more may be written, and
 * its bundle is deleted as a dead one.
 */
#include "store/cluster/bundle_internal.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/system.h"

enum { DELETES_MOST = 16, BACK_BYTES = 4 << 20, DEAD_MOST = 1024, LOOK_BYTES = 4 << 20 };
static const int64_t COMING_NS = 600 * INT64_C(1000000000); /* how long putting a bundle may take */
static const int64_t WAIT_NS = 30 * INT64_C(1000000000);    /* then the thread looks what other servers have put */

/* ---- gathering ---- */

struct gather {
	struct ts_bundles *b;
	struct ts_bundle_part *parts;
	size_t n, cap;
	struct ts_buf bytes, bundle;
	uint64_t *placed; /* packs whose bytes are left beside their places */
	size_t n_placed, cap_placed;
	uint64_t deletes; /* how often packs had been deleted */
	struct ts_coming coming;
	bool mine;
	size_t from; /* of the bytes that are deleted */
	const uint64_t *gone;
	size_t n_gone;
};

static enum ts_status take_pack(struct gather *g, struct ts_read r, uint64_t pack, struct ts_span bytes, struct ts_error *err)
{
	struct ts_place place;
	bool found;

	if (bytes.len == 0)
		return TS_OK; /* there is nothing of it to be put anywhere */
	if (ts_place_get(r, pack, &place, &found, err))
		return err->status;
	if (!TS_GROW(g->parts, g->cap, g->n + 1, 64) || !TS_GROW(g->placed, g->cap_placed, g->n_placed + 1, 16))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to gather packs");
	if (found) {
		g->placed[g->n_placed++] = pack;
		return TS_OK;
	}
	g->parts[g->n] = (struct ts_bundle_part){.pack = pack, .len = (uint32_t)bytes.len};
	ts_digest(bytes, &g->parts[g->n++].digest);
	ts_buf_span(&g->bytes, bytes);
	return ts_buf_check(&g->bytes, err);
}

static enum ts_status take_packs(struct gather *g, struct ts_read r, struct ts_error *err)
{
	enum ts_status status = ts_deletes_get(r, &g->deletes, err);
	struct ts_walk walk;
	bool found = false;

	if (status)
		return status;
	status = ts_walk_open(&walk, r, TS_DB_PACKS, ts_span_of(NULL, 0), &found, err);
	while (!status && found && walk.key.data[0] < TS_BUNDLE_FIRST && g->n < TS_BUNDLE_PARTS_MOST &&
	       (g->n == 0 || g->bytes.len + walk.value.len <= TS_BUNDLE_MOST)) {
		status = take_pack(g, r, ts_load_be(walk.key.data, TS_PACK_KEY), walk.value, err);
		if (!status)
			status = ts_walk_on(&walk, &found, err);
	}
	ts_walk_end(&walk);
	return status;
}

static enum ts_status run_coming(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct gather *g = ctx;
	struct ts_coming other;
	bool found;

	if (ts_coming_get(ts_read_of(w), &other, &found, err))
		return err->status;
	g->mine = !found || other.until_ns < g->coming.until_ns - COMING_NS;
	if (!g->mine)
		return TS_OK;
	if (found && ts_dead_put(w, 0, &other.bundle, err))
		return err->status;
	return ts_coming_put(w, &g->coming, err);
}

/* Whether the bundle of a gathering is the one that comes, and if so, it comes no more. */
static enum ts_status end_coming(struct gather *g, struct ts_write *w, struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of(TS_KIND_COMING);
	struct ts_coming now;
	bool found;

	if (ts_coming_get(ts_read_of(w), &now, &found, err))
		return err->status;
	g->mine = found && ts_id_eq(&now.bundle, &g->coming.bundle);
	return g->mine ? ts_write_delete(w, TS_DB_PACKS, ts_bundle_key_span(&key), err) : TS_OK;
}

static enum ts_status run_give_up(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct gather *g = ctx;

	if (end_coming(g, w, err))
		return err->status;
	return g->mine ? ts_dead_put(w, 0, &g->coming.bundle, err) : TS_OK;
}

/* Whether a pack still has the bytes that were gathered, and no bundle has it. */
static enum ts_status is_there(struct ts_read r, const struct ts_bundle_part *part, bool *ret_there, struct ts_error *err)
{
	uint8_t key[TS_PACK_KEY];
	struct ts_place place;
	struct ts_span value;
	struct ts_id is;
	bool placed;

	*ret_there = false;
	ts_store_be(key, part->pack, sizeof key);
	if (ts_place_get(r, part->pack, &place, &placed, err))
		return err->status;
	if (placed)
		return TS_OK;
	if (ts_read_get(r, TS_DB_PACKS, ts_span_of(key, sizeof key), &value, ret_there, err))
		return err->status;
	if (!*ret_there)
		return TS_OK;
	ts_digest(value, &is);
	*ret_there = ts_id_eq(&is, &part->digest);
	return TS_OK;
}

/* Since the packs were read they may have been deleted or put anew, or another server may have given them places; only then each is
 * looked for. */
static enum ts_status run_places(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct gather *g = ctx;
	struct ts_bundle bundle = {.bytes = g->bundle.len};
	uint64_t deletes;

	if (ts_deletes_get(ts_read_of(w), &deletes, err) || end_coming(g, w, err))
		return err->status;
	for (size_t i = 0; i < g->n && g->mine; i++) {
		const struct ts_bundle_part *part = &g->parts[i];
		const struct ts_place place = {
			.bundle = g->coming.bundle, .offset = part->offset, .len = part->len, .digest = part->digest};
		bool there = true;

		if (deletes != g->deletes && is_there(ts_read_of(w), part, &there, err))
			return err->status;
		if (there && ts_place_put(w, part->pack, &place, err))
			return err->status;
		bundle.live_bytes += there ? part->len : 0;
	}
	if (!g->mine)
		return TS_OK;
	if (ts_deletes_add(w, err))
		return err->status;
	return bundle.live_bytes ? ts_bundle_put(w, &g->coming.bundle, &bundle, err) : ts_dead_put(w, 0, &g->coming.bundle, err);
}

/* One that lost its place meanwhile was put anew, or deleted. */
static enum ts_status run_delete_bytes(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct gather *g = ctx;
	struct ts_bundle_key places[DELETES_MOST];
	struct ts_span keys[DELETES_MOST] = {{0}};
	size_t n = g->n_gone - g->from < DELETES_MOST ? g->n_gone - g->from : DELETES_MOST;

	for (size_t i = 0; i < n; i++) {
		places[i] = ts_key_of_place(g->gone[g->from + i]);
		keys[i] = ts_bundle_key_span(&places[i]);
	}
	if (ts_read_ahead(ts_read_of(w), TS_DB_PACKS, keys, n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		uint64_t pack = g->gone[g->from + i];
		uint8_t key[TS_PACK_KEY];
		struct ts_place place;
		bool placed;

		if (ts_place_get(ts_read_of(w), pack, &place, &placed, err))
			return err->status;
		ts_store_be(key, pack, sizeof key);
		if (placed && ts_write_delete(w, TS_DB_PACKS, ts_span_of(key, sizeof key), err))
			return err->status;
	}
	return TS_OK;
}

/* A few at a time, so that no push waits long. */
static enum ts_status delete_bytes(struct gather *g, const uint64_t *packs, size_t n, struct ts_error *err)
{
	g->gone = packs;
	g->n_gone = n;
	for (g->from = 0; g->from < n; g->from += DELETES_MOST)
		if (ts_bundles_write(g->b, run_delete_bytes, g, err))
			return err->status;
	return TS_OK;
}

static enum ts_status make_bundle(struct gather *g, struct ts_error *err)
{
	uint8_t random[16];

	if (ts_system_random(random, sizeof random, err))
		return err->status;
	ts_bundle_begin(&g->bundle, random, g->parts, g->n);
	ts_buf_span(&g->bundle, ts_buf_view(&g->bytes));
	if (ts_buf_check(&g->bundle, err))
		return err->status;
	ts_buf_finish(&g->bytes);
	ts_digest(ts_buf_view(&g->bundle), &g->coming.bundle);
	g->coming.bytes = g->bundle.len;
	return TS_OK;
}

static enum ts_status put_bundle(struct gather *g, struct ts_error *err)
{
	int64_t began_ns = ts_system_uptime_ns();
	struct ts_error ignored;
	char name[TS_BUNDLE_NAME];

	if (g->b->as.now(g->b->as.under, &g->coming.until_ns, err))
		return err->status;
	g->coming.until_ns += COMING_NS;
	if (ts_bundles_write(g->b, run_coming, g, err))
		return err->status;
	if (!g->mine)
		return TS_OK;
	if (ts_system_uptime_ns() - began_ns > COMING_NS)
		(void)ts_error_set(err, TS_UNAVAILABLE, "this server stood still");
	else if (ts_bucket_put(g->b->as.bucket, ts_bundle_name(g->b->uid, &g->coming.bundle, name), ts_buf_view(&g->bundle),
			       &g->coming.bundle, err) == TS_OK)
		return TS_OK;
	(void)ts_bundles_write(g->b, run_give_up, g, &ignored);
	return err->status;
}

/* They were just pushed, and are read soon. */
static void cache_parts(const struct gather *g)
{
	for (size_t i = 0; i < g->n; i++)
		ts_pack_cache_put(g->b->as.cache, &g->parts[i].digest,
				  ts_span_of(g->bundle.data + g->parts[i].offset, g->parts[i].len));
}

static enum ts_status shelve(struct gather *g, struct ts_error *err)
{
	uint64_t *packs;
	enum ts_status status;

	if (make_bundle(g, err) || put_bundle(g, err))
		return err->status;
	if (g->mine && ts_bundles_write(g->b, run_places, g, err))
		return err->status;
	if (!g->mine)
		return TS_OK; /* another server gathers them */
	cache_parts(g);
	packs = ts_alloc_array(g->n, sizeof *packs);
	if (!packs)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to gather packs");
	for (size_t i = 0; i < g->n; i++)
		packs[i] = g->parts[i].pack;
	status = delete_bytes(g, packs, g->n, err);
	ts_free(packs);
	return status;
}

static enum ts_status see_waiting(struct ts_read r, struct ts_waiting *ret, struct ts_error *err)
{
	struct ts_waiting seen = {.n = 0};
	enum ts_status status;
	struct ts_walk walk;
	bool found = false;

	status = ts_walk_begin(&walk, r, TS_DB_PACKS, err);
	walk.keys = true;
	if (!status)
		status = ts_walk_seek(&walk, ts_span_of(NULL, 0), &found, err);
	for (; !status && found && walk.key.data[0] < TS_BUNDLE_FIRST; status = ts_walk_next(&walk, &found, err)) {
		uint64_t pack = ts_load_be(walk.key.data, TS_PACK_KEY);

		seen.first = seen.n++ ? seen.first : pack;
		seen.last = pack;
	}
	ts_walk_end(&walk);
	*ret = seen;
	return status;
}

/* Whether it is worth reading the packs that wait: not while another server gathers them, nor, but for `all`, where they are those that
 * were too few before. */
static enum ts_status is_worth(struct ts_bundles *b, bool all, struct ts_waiting *ret_seen, bool *ret_worth, struct ts_error *err)
{
	enum ts_status status;
	struct ts_coming coming;
	int64_t now_ns;
	struct ts_read r;
	bool found = false;

	if (ts_read_begin(b->as.under, &r, err))
		return err->status;
	status = see_waiting(r, ret_seen, err);
	if (!status)
		status = ts_coming_get(r, &coming, &found, err);
	ts_read_end(&r);
	if (!status && found)
		status = b->as.now(b->as.under, &now_ns, err);
	*ret_worth = !status && ret_seen->n && (!found || coming.until_ns < now_ns) &&
		     (all || ret_seen->n != b->too_few.n || ret_seen->first != b->too_few.first || ret_seen->last != b->too_few.last);
	return status;
}

/* Makes one bundle, if there is enough for it; *ret_did. */
static enum ts_status gather(struct ts_bundles *b, bool all, bool *ret_did, struct ts_error *err)
{
	struct gather g = {
		.b = b, .bytes = TS_BUF_INIT(TS_BUNDLE_MOST + (64 << 20)), .bundle = TS_BUF_INIT(TS_BUNDLE_MOST + (80 << 20))};
	enum ts_status status;
	struct ts_waiting seen;
	struct ts_read r;
	bool worth = false;

	*ret_did = false;
	if (is_worth(b, all, &seen, &worth, err))
		return err->status;
	if (!worth)
		return TS_OK;
	if (ts_read_begin(b->as.under, &r, err))
		return err->status;
	status = take_packs(&g, r, err);
	ts_read_end(&r);
	if (!status && g.n_placed)
		status = delete_bytes(&g, g.placed, g.n_placed, err);
	if (!status && g.n && (all || g.bytes.len >= b->as.least_bytes)) {
		status = shelve(&g, err);
		*ret_did = !status && g.mine;
	} else if (!status) {
		b->too_few = seen;
	}
	ts_buf_finish(&g.bytes);
	ts_buf_finish(&g.bundle);
	ts_free(g.parts);
	ts_free(g.placed);
	return status;
}

/* ---- taking apart ---- */

struct apart {
	struct ts_bundles *b;
	struct ts_id bundle;
	struct ts_bundle_part *parts;
	size_t n, from, to;
	struct ts_buf bytes;
	size_t *at; /* where those of a pack are in bytes; SIZE_MAX: it is no pack any more */
};

/* Reads the packs of a bundle that still are, from `from` on, as many as one write shall put. */
static enum ts_status read_parts(struct apart *a, struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_read r;

	ts_buf_reset(&a->bytes);
	if (ts_read_begin(a->b->as.under, &r, err))
		return err->status;
	for (a->to = a->from; a->to < a->n && !status && a->bytes.len < BACK_BYTES; a->to++) {
		const struct ts_bundle_part *part = &a->parts[a->to];
		struct ts_place place;
		uint8_t *room;
		bool found;

		a->at[a->to] = SIZE_MAX;
		status = ts_place_get(r, part->pack, &place, &found, err);
		if (status || !found || !ts_id_eq(&place.bundle, &a->bundle))
			continue;
		room = ts_buf_reserve(&a->bytes, place.len);
		if (!room) {
			status = ts_buf_check(&a->bytes, err);
		} else if (!ts_pack_cache_get(a->b->as.cache, &place.digest, place.len, room)) {
			status = ts_bundles_fetch(a->b, &place, 1, room, err);
		}
		a->at[a->to] = a->bytes.len;
		a->bytes.len += status ? 0 : place.len;
	}
	ts_read_end(&r);
	return status;
}

static enum ts_status run_back(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct apart *a = ctx;

	for (size_t i = a->from; i < a->to; i++) {
		const struct ts_bundle_part *part = &a->parts[i];
		struct ts_bundle_key place_key = ts_key_of_place(part->pack);
		uint8_t key[TS_PACK_KEY];
		struct ts_place place;
		bool found;

		if (a->at[i] == SIZE_MAX)
			continue;
		if (ts_place_get(ts_read_of(w), part->pack, &place, &found, err))
			return err->status;
		if (!found || !ts_id_eq(&place.bundle, &a->bundle))
			continue;
		ts_store_be(key, part->pack, sizeof key);
		if (ts_write_put(w, TS_DB_PACKS, ts_span_of(key, sizeof key), ts_span_of(a->bytes.data + a->at[i], place.len), err) ||
		    ts_write_delete(w, TS_DB_PACKS, ts_bundle_key_span(&place_key), err) ||
		    ts_bundle_lose(w, &a->bundle, place.len, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status read_table(struct apart *a, uint64_t bytes, struct ts_error *err)
{
	uint8_t head[TS_BUNDLE_HEAD], *rows;
	char name[TS_BUNDLE_NAME];
	enum ts_status status;

	(void)ts_bundle_name(a->b->uid, &a->bundle, name);
	if (ts_bucket_get(a->b->as.bucket, name, 0, sizeof head, head, err) ||
	    ts_bundle_head_parse(ts_span_of(head, sizeof head), &a->n, err))
		return err->status;
	a->parts = ts_alloc_array(a->n, sizeof *a->parts);
	a->at = ts_alloc_array(a->n, sizeof *a->at);
	rows = ts_alloc(a->n * TS_BUNDLE_ROW);
	if (!a->parts || !a->at || !rows)
		status = ts_error_set(err, TS_NO_MEMORY, "out of memory for a bundle");
	else
		status = ts_bucket_get(a->b->as.bucket, name, TS_BUNDLE_HEAD, a->n * TS_BUNDLE_ROW, rows, err);
	if (!status)
		status = ts_bundle_rows_parse(ts_span_of(rows, a->n * TS_BUNDLE_ROW), a->n, bytes, a->parts, err);
	ts_free(rows);
	return status;
}

/* What a bundle has by the records of where packs lie, for one whose table is damaged; its rows alone say so, and each pack is held
 * against its own digest. */
static enum ts_status list_places(struct apart *a, struct ts_error *err)
{
	struct ts_bundle_key prefix = ts_key_of(TS_KIND_PLACE);
	enum ts_status status;
	struct ts_walk walk;
	struct ts_read r;
	size_t cap = 0;
	bool found;

	ts_free(a->parts);
	ts_free(a->at);
	a->parts = NULL;
	a->at = NULL;
	a->n = 0;
	if (ts_read_begin(a->b->as.under, &r, err))
		return err->status;
	status = ts_walk_open(&walk, r, TS_DB_PACKS, ts_bundle_key_span(&prefix), &found, err);
	for (; !status && found; status = ts_walk_on(&walk, &found, err)) {
		struct ts_error ignored; /* whoever reads it says so */
		struct ts_place place;

		if (ts_place_parse(walk.key, walk.value, &place, &ignored) || !ts_id_eq(&place.bundle, &a->bundle))
			continue;
		if (!TS_GROW(a->parts, cap, a->n + 1, 64)) {
			status = ts_error_set(err, TS_NO_MEMORY, "out of memory for a bundle");
			break;
		}
		a->parts[a->n++] = (struct ts_bundle_part){.pack = ts_load_be(walk.key.data + 1, TS_PACK_KEY)};
	}
	ts_walk_end(&walk);
	ts_read_end(&r);
	a->at = ts_alloc_array(a->n + 1, sizeof *a->at);
	return status || a->at ? status : ts_error_set(err, TS_NO_MEMORY, "out of memory for a bundle");
}

static enum ts_status take_apart(struct ts_bundles *b, const struct ts_id *bundle, struct ts_error *err)
{
	struct apart a = {.b = b, .bundle = *bundle, .bytes = TS_BUF_INIT(BACK_BYTES + (64 << 20))};
	struct ts_bundle record;
	enum ts_status status;
	struct ts_read r;
	bool found;

	if (ts_read_begin(b->as.under, &r, err))
		return err->status;
	status = ts_bundle_get(r, bundle, &record, &found, err);
	ts_read_end(&r);
	if (!status && found)
		status = read_table(&a, record.bytes, err);
	if (status == TS_DAMAGED)
		status = list_places(&a, err);
	for (; !status && a.from < a.n; a.from = a.to) {
		status = read_parts(&a, err);
		if (!status)
			status = ts_bundles_write(b, run_back, &a, err);
	}
	ts_buf_finish(&a.bytes);
	ts_free(a.parts);
	ts_free(a.at);
	return status;
}

/* ---- lists of bundles ---- */

struct named {
	struct ts_id id;
	int64_t at_ns; /* of a dead one */
};
struct list {
	struct named *items;
	size_t n, cap;
};

/* Lists what keys of a kind name: the last 32 bytes are the digest. */
static enum ts_status list_kind(struct ts_bundles *b, enum ts_bundle_kind kind, size_t most, struct list *list, struct ts_error *err)
{
	struct ts_bundle_key prefix = ts_key_of(kind);
	enum ts_status status;
	struct ts_walk walk;
	struct ts_read r;
	bool found;

	if (ts_read_begin(b->as.under, &r, err))
		return err->status;
	status = ts_walk_open(&walk, r, TS_DB_PACKS, ts_bundle_key_span(&prefix), &found, err);
	for (; !status && found && list->n < most; status = ts_walk_on(&walk, &found, err)) {
		struct named *item;

		if (walk.key.len != 1 + TS_ID_BYTES + (kind == TS_KIND_DEAD ? 8u : 0u))
			continue;
		if (!TS_GROW(list->items, list->cap, list->n + 1, 64)) {
			status = ts_error_set(err, TS_NO_MEMORY, "out of memory for a list of bundles");
			break;
		}
		item = &list->items[list->n++];
		memcpy(item->id.bytes, walk.key.data + walk.key.len - TS_ID_BYTES, TS_ID_BYTES);
		item->at_ns = kind == TS_KIND_DEAD ? (int64_t)ts_load_be(walk.key.data + 1, 8) : 0;
	}
	ts_walk_end(&walk);
	ts_read_end(&r);
	return status;
}

static enum ts_status take_all_apart(struct ts_bundles *b, struct ts_error *err)
{
	struct list thin = {.n = 0};
	enum ts_status status = list_kind(b, TS_KIND_THIN, DEAD_MOST, &thin, err), worst = TS_OK;
	struct ts_error one;

	for (size_t i = 0; !status && i < thin.n; i++)
		if (take_apart(b, &thin.items[i].id, &one) && !worst) {
			worst = one.status; /* one that is damaged keeps no other one from being taken apart */
			*err = one;
		}
	ts_free(thin.items);
	return status ? status : worst;
}

/* ---- the dead ---- */

struct burial {
	const struct list *dead;
	int64_t now_ns;
	struct named gone; /* from the bucket */
};

static enum ts_status run_date(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct burial *burial = ctx;

	for (size_t i = 0; i < burial->dead->n && burial->dead->items[i].at_ns == 0; i++) {
		struct ts_bundle_key key = ts_key_of_dead(0, &burial->dead->items[i].id);

		if (ts_write_delete(w, TS_DB_PACKS, ts_bundle_key_span(&key), err) ||
		    ts_dead_put(w, burial->now_ns, &burial->dead->items[i].id, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status run_gone(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct burial *burial = ctx;
	struct ts_bundle_key key = ts_key_of_dead(burial->gone.at_ns, &burial->gone.id);

	return ts_write_delete(w, TS_DB_PACKS, ts_bundle_key_span(&key), err);
}

static enum ts_status bury(struct ts_bundles *b, struct ts_error *err)
{
	struct list dead = {.n = 0};
	struct burial burial = {.dead = &dead};
	enum ts_status status = list_kind(b, TS_KIND_DEAD, DEAD_MOST, &dead, err);
	char name[TS_BUNDLE_NAME];

	if (!status && dead.n)
		status = b->as.now(b->as.under, &burial.now_ns, err);
	if (!status && dead.n && dead.items[0].at_ns == 0)
		status = ts_bundles_write(b, run_date, &burial, err);
	for (size_t i = 0; !status && i < dead.n; i++) {
		burial.gone = dead.items[i];
		if (burial.gone.at_ns == 0 || burial.now_ns - burial.gone.at_ns < b->as.keep_ns)
			continue;
		status = ts_bucket_delete(b->as.bucket, ts_bundle_name(b->uid, &burial.gone.id, name), err);
		if (!status)
			status = ts_bundles_write(b, run_gone, &burial, err);
	}
	ts_free(dead.items);
	return status;
}

enum ts_status ts_bundles_pass(struct ts_kv *kv, bool all, struct ts_error *err)
{
	struct ts_bundles *b = ts_bundles_of(kv);
	enum ts_status status = take_all_apart(b, err);
	struct ts_error other;
	bool did = true;

	while (did)
		if (gather(b, all, &did, &other)) {
			*err = other;
			return err->status;
		}
	if (bury(b, &other)) {
		*err = other;
		return err->status;
	}
	return status;
}

/* ---- looking at all ---- */

static enum ts_status is_sound(struct ts_bundles *b, const struct ts_id *id, bool *ret_sound, struct ts_error *err)
{
	uint8_t *bytes = ts_alloc(LOOK_BYTES);
	enum ts_status status = bytes ? TS_OK : ts_error_set(err, TS_NO_MEMORY, "out of memory to look at a bundle");
	char name[TS_BUNDLE_NAME];
	struct ts_hasher hasher;
	struct ts_id is;
	uint64_t size = 0;

	(void)ts_bundle_name(b->uid, id, name);
	if (!status)
		status = ts_bucket_size(b->as.bucket, name, &size, err);
	if (!status)
		status = ts_hasher_init(&hasher, err);
	if (status) {
		ts_free(bytes);
		*ret_sound = false;
		return status == TS_NOT_FOUND ? TS_OK : status;
	}
	ts_hasher_start(&hasher);
	for (uint64_t at = 0; at < size && !status; at += LOOK_BYTES) {
		size_t len = size - at < LOOK_BYTES ? (size_t)(size - at) : LOOK_BYTES;

		status = ts_budget_check(err);
		if (!status)
			status = ts_bucket_get(b->as.bucket, name, at, len, bytes, err);
		if (!status)
			ts_hasher_add(&hasher, ts_span_of(bytes, len));
	}
	ts_hasher_end(&hasher, &is);
	ts_hasher_finish(&hasher);
	ts_free(bytes);
	*ret_sound = !status && ts_id_eq(&is, id);
	return status == TS_DAMAGED || status == TS_NOT_FOUND ? TS_OK : status;
}

/* Objects of it may all be sound, as where its table is altered: then no run is named. */
static void say_damaged(struct ts_bundles *b, const struct ts_id *id)
{
	char name[TS_BUNDLE_NAME];
	struct ts_log line;

	ts_log_begin(&line, TS_LOG_ERROR, "damaged");
	ts_log_str(&line, "bucket", ts_bucket_where(b->as.bucket));
	ts_log_str(&line, "bundle", ts_bundle_name(b->uid, id, name));
	ts_log_str(&line, "reason", "it is missing, cut or altered; verify names the runs that this takes, if any");
	ts_log_end(&line);
}

/* Takes the bundles away that a verify has vouched for. */
static enum ts_status leave_vouched(struct ts_bundles *b, struct list *all, struct ts_error *err)
{
	struct list vouched = {.n = 0};
	struct ts_idmap ids = {.n = 0};
	enum ts_status status = list_kind(b, TS_KIND_VOUCHED, SIZE_MAX, &vouched, err);
	size_t left = 0;
	bool added;

	for (size_t i = 0; !status && i < vouched.n; i++)
		status = ts_idmap_add(&ids, &vouched.items[i].id, &added, err);
	for (size_t i = 0; !status && i < all->n; i++)
		if (!ts_idmap_get(&ids, &all->items[i].id))
			all->items[left++] = all->items[i];
	all->n = status ? all->n : left;
	ts_idmap_finish(&ids);
	ts_free(vouched.items);
	return status;
}

/* A pack that has a place. Of a bad bundle the cache forgets it, so that whoever reads it finds what is in the bucket. */
static enum ts_status take_place(struct ts_bundles *b, const struct ts_walk *at, const struct ts_idmap *bad, bool only_new,
				 struct ts_looked *looked, struct ts_error *err)
{
	struct ts_place place;
	struct ts_error damage;
	bool is_bad;

	if (ts_place_parse(at->key, at->value, &place, &damage))
		return TS_OK; /* whoever reads it says so */
	is_bad = ts_idmap_get(bad, &place.bundle) != NULL;
	if (is_bad)
		ts_pack_cache_drop(b->as.cache, &place.digest);
	if (!only_new || (!is_bad && !ts_idmap_get(&looked->sound, &place.bundle)))
		return TS_OK;
	if (!TS_GROW(looked->packs, looked->cap_packs, looked->n_packs + 1, 64))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a list of packs");
	looked->packs[looked->n_packs++] = ts_load_be(at->key.data + 1, TS_PACK_KEY);
	return TS_OK;
}

static enum ts_status take_places(struct ts_bundles *b, const struct ts_idmap *bad, bool only_new, struct ts_looked *looked,
				  struct ts_error *err)
{
	struct ts_bundle_key prefix = ts_key_of(TS_KIND_PLACE);
	enum ts_status status;
	struct ts_walk walk;
	struct ts_read r;
	bool found;

	if (ts_read_begin(b->as.under, &r, err))
		return err->status;
	for (status = ts_walk_open(&walk, r, TS_DB_PACKS, ts_bundle_key_span(&prefix), &found, err); !status && found;
	     status = status ? status : ts_walk_on(&walk, &found, err))
		status = take_place(b, &walk, bad, only_new, looked, err);
	ts_walk_end(&walk);
	ts_read_end(&r);
	return status;
}

static enum ts_status list_bundles(struct ts_bundles *b, bool only_new, struct list *ret, struct ts_error *err)
{
	struct ts_read r;
	enum ts_status status = ts_read_begin(b->as.under, &r, err);

	if (status)
		return status;
	status = ts_bundles_know(b, r, err);
	ts_read_end(&r);
	if (!status)
		status = list_kind(b, TS_KIND_BUNDLE, SIZE_MAX, ret, err);
	return status || !only_new ? status : leave_vouched(b, ret, err);
}

enum ts_status ts_bundles_look(struct ts_kv *kv, bool only_new, struct ts_looked *looked, struct ts_error *err)
{
	struct ts_bundles *b = ts_bundles_of(kv);
	struct list all = {.n = 0};
	struct ts_idmap bad = {.n = 0};
	enum ts_status status = list_bundles(b, only_new, &all, err);

	for (size_t i = 0; !status && i < all.n; i++) {
		bool sound, added;

		status = is_sound(b, &all.items[i].id, &sound, err);
		if (!status && !sound)
			say_damaged(b, &all.items[i].id);
		if (!status)
			status = ts_idmap_add(sound ? &looked->sound : &bad, &all.items[i].id, &added, err);
	}
	if (!status && (bad.n || only_new))
		status = take_places(b, &bad, only_new, looked, err);
	ts_idmap_finish(&bad);
	ts_free(all.items);
	return status;
}

/* ---- the thread ---- */

/* One line where turns begin to fail, and one where they succeed again: what fails for a day fails 2,880 times. */
static void say_turn(struct ts_bundles *b, const struct ts_error *failure)
{
	struct ts_log line;

	if (b->failing == (failure != NULL))
		return;
	ts_log_begin(&line, failure ? TS_LOG_WARNING : TS_LOG_INFO, "bucket");
	ts_log_str(&line, "bucket", ts_bucket_where(b->as.bucket));
	ts_log_str(&line, "status", failure ? ts_status_word(failure->status) : "ok");
	if (failure)
		ts_log_str(&line, "reason", failure->text);
	ts_log_str(&line, "note", failure ? "packs wait in the database, and it is tried again" : "packs are moved again");
	ts_log_end(&line);
	b->failing = failure != NULL;
}

static void *keep_on(void *ctx)
{
	struct ts_bundles *b = ctx;

	pthread_mutex_lock(&b->lock);
	while (!b->ending) {
		const struct timespec until = ts_system_cond_limit(ts_now_mono_ns() + WAIT_NS);
		struct ts_error failure;
		bool failed;

		while (!b->ending && b->fresh_bytes < b->as.least_bytes && pthread_cond_timedwait(&b->woken, &b->lock, &until) == 0)
			;
		if (b->ending)
			break;
		b->fresh_bytes = 0;
		pthread_mutex_unlock(&b->lock);
		failed = ts_bundles_pass(&b->kv, false, &failure) != TS_OK;
		pthread_mutex_lock(&b->lock);
		b->failures += failed;
		if (!b->ending)
			say_turn(b, failed ? &failure : NULL);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

enum ts_status ts_bundles_begin(struct ts_bundles *b, struct ts_error *err)
{
	int rc = pthread_create(&b->thread, NULL, keep_on, b);

	b->runs = rc == 0;
	return rc ? ts_error_errno(err, rc, "a thread for bundles") : TS_OK;
}

void ts_bundles_end(struct ts_bundles *b)
{
	if (!b->runs)
		return;
	pthread_mutex_lock(&b->lock);
	b->ending = true;
	pthread_cond_signal(&b->woken);
	pthread_mutex_unlock(&b->lock);
	ts_bucket_stop(b->as.bucket);
	(void)pthread_join(b->thread, NULL);
	b->runs = false;
}

void ts_bundles_put_more(struct ts_bundles *b, uint64_t bytes)
{
	if (!bytes)
		return;
	pthread_mutex_lock(&b->lock);
	b->fresh_bytes += bytes;
	if (b->fresh_bytes >= b->as.least_bytes)
		pthread_cond_signal(&b->woken);
	pthread_mutex_unlock(&b->lock);
}
