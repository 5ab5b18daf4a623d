/* memory_kv.c - the layer of keys and values in memory, alone or laid over another layer, which it only reads.
 *
 * Each database is a skip list of items that never change: a write links new ones and notes what it did, so that a failure is undone by
 * going back. A lock lets any number read, or one write: what a reader sees is of one moment because nobody writes meanwhile.
 *
 * Over a base, a key that is not here is looked for there. An item may say that a key is gone, though the base has it.
 */
#include "base/grow.h"
#include "store/kv.h"

#include "base/alloc.h"
#include "base/system.h"
#include "store/store_internal.h"

#include <assert.h>

enum { TOP = 12 }; /* rows of a list: every fourth item of one is in the next, so 4^12 items are found in some 50 steps */

/* Packs of a layer over another one are numbered from here on, so that none hides one that the base gets meanwhile. */
static const uint64_t packs_over = (uint64_t)1 << 63;

struct item {
	size_t key_len, value_len;
	unsigned height;
	bool gone;
	const uint8_t *outside; /* where the value lies, if it is not here */
	struct item *next[]; /* height of them, then the bytes of the key and of the value */
};

struct list {
	struct item *head[TOP];
	uint64_t n;
};

struct change {
	enum ts_db db;
	struct item *added, *removed; /* NULL: none */
};

struct txn {
	struct ts_read base;
	struct change *changes; /* of a write */
	size_t n, cap;
};

struct memory {
	struct ts_kv kv; /* must be first */
	pthread_rwlock_t lock;
	struct list lists[TS_DBS];
	struct ts_kv *under; /* what shines through; NULL: none */
	bool gathers;	     /* what is written here is put into `under` by and by */
	struct ts_memory_files files; /* of a layer that shows files */
	uint64_t noise;	  /* decides how high an item is */
	struct txn alone; /* of all readers where there is no base */
};

static struct memory *memory_of(struct ts_kv *kv)
{
	return (struct memory *)(void *)kv;
}

/* ---- items and lists ---- */

static uint8_t *bytes_of(struct item *item)
{
	return (uint8_t *)(item->next + item->height);
}

static struct ts_span key_of(struct item *item)
{
	return ts_span_of(bytes_of(item), item->key_len);
}

static struct ts_span value_of(struct item *item)
{
	return ts_span_of(item->outside ? item->outside : bytes_of(item) + item->key_len, item->value_len);
}

static struct item *make_item(struct memory *m, struct ts_span key, size_t value_len)
{
	unsigned height = 1;
	struct item *item;
	size_t size;

	m->noise = m->noise * 6364136223846793005u + 1442695040888963407u;
	for (uint64_t bits = m->noise >> 32; height < TOP && (bits & 3) == 0; bits >>= 2)
		height++;
	if (!ts_size_add(sizeof *item + height * sizeof item->next[0] + key.len, value_len, &size))
		return NULL;
	item = ts_alloc(size);
	if (!item)
		return NULL;
	*item = (struct item){.key_len = key.len, .value_len = value_len, .height = height};
	memcpy(bytes_of(item), key.data, key.len);
	return item;
}

/* Finds the first item that is not below the key, the last one that is (*ret_below), and for each row the link that passes the key
 * (links). ret_below and links may be NULL. */
static struct item *find(struct list *list, struct ts_span key, struct item **ret_below, struct item **links[TOP])
{
	struct item **row = list->head, *below = NULL;

	for (int level = TOP - 1; level >= 0; level--) {
		while (row[level] && ts_span_cmp(key_of(row[level]), key) < 0) {
			below = row[level];
			row = below->next;
		}
		if (links)
			links[level] = &row[level];
	}
	if (ret_below)
		*ret_below = below;
	return row[0];
}

static struct item *find_exact(struct list *list, struct ts_span key, struct item **links[TOP])
{
	struct item *item = find(list, key, NULL, links);

	return item && ts_span_eq(key_of(item), key) ? item : NULL;
}

static void link_item(struct list *list, struct item *item)
{
	struct item **links[TOP];

	assert(item->height <= TOP && !find_exact(list, key_of(item), NULL));
	(void)find(list, key_of(item), NULL, links);
	for (unsigned level = 0; level < item->height; level++) {
		item->next[level] = *links[level];
		*links[level] = item;
	}
	list->n++;
}

static void unlink_item(struct list *list, struct item *item)
{
	struct item **links[TOP], *found = find_exact(list, key_of(item), links);

	assert(found == item);
	for (unsigned level = 0; level < found->height; level++)
		*links[level] = found->next[level];
	list->n--;
}

/* ---- reading ---- */

static enum ts_status begin_base(struct ts_kv *base, bool wait, struct ts_read *ret, struct ts_error *err)
{
	return base ? base->ops->begin(base, wait, ret, err) : TS_OK;
}

static void end_base(struct txn *txn)
{
	if (txn->base.kv)
		ts_read_end(&txn->base);
}

static enum ts_status memory_begin(struct ts_kv *kv, bool wait, struct ts_read *ret, struct ts_error *err)
{
	struct memory *m = memory_of(kv);
	struct txn *txn = m->under ? ts_alloc_array(1, sizeof *txn) : &m->alone;

	if (!txn)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to read");
	if ((wait ? pthread_rwlock_rdlock(&m->lock) : pthread_rwlock_tryrdlock(&m->lock)) != 0) {
		ts_error_set(err, TS_UNAVAILABLE, "%s cannot be read at once", kv->where);
	} else if (!begin_base(m->under, wait, &txn->base, err)) {
		*ret = (struct ts_read){.kv = kv, .txn = txn};
		return TS_OK;
	} else {
		pthread_rwlock_unlock(&m->lock);
	}
	if (m->under)
		ts_free(txn);
	return err->status;
}

static void memory_end(struct ts_read *r)
{
	struct memory *m = memory_of(r->kv);
	struct txn *txn = r->txn;

	end_base(txn);
	pthread_rwlock_unlock(&m->lock);
	if (m->under)
		ts_free(txn);
}

static enum ts_status memory_get(struct ts_read r, enum ts_db db, struct ts_span key, struct ts_span *ret_value, bool *ret_found,
				 struct ts_error *err)
{
	struct item *item = find_exact(&memory_of(r.kv)->lists[db], key, NULL);

	if (!item && memory_of(r.kv)->under)
		return ts_read_get(((struct txn *)r.txn)->base, db, key, ret_value, ret_found, err);
	*ret_found = item && !item->gone;
	if (*ret_found)
		*ret_value = value_of(item);
	return TS_OK;
}

static enum ts_status memory_ahead(struct ts_read r, enum ts_db db, const struct ts_span *keys, size_t n, struct ts_error *err)
{
	return ts_read_ahead(((struct txn *)r.txn)->base, db, keys, n, err);
}

/* A walk here has no place but its key; over a base, w->at is the walk through that. */
struct base_walk {
	struct ts_walk walk; /* must be first */
	bool found;	     /* it stands somewhere, */
	bool ahead;	     /* and there at the first key that is not below the one that was asked for, or at the end */
};

static enum ts_status memory_walk_begin(struct ts_walk *w, struct ts_error *err)
{
	struct base_walk *base;

	if (!memory_of(w->read.kv)->under)
		return TS_OK;
	base = ts_alloc_array(1, sizeof *base);
	if (!base)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a walk");
	if (ts_walk_begin(&base->walk, ((struct txn *)w->read.txn)->base, w->db, err)) {
		ts_free(base);
		return err->status;
	}
	w->at = base;
	return TS_OK;
}

static void memory_walk_end(struct ts_walk *w)
{
	ts_walk_end(w->at);
	ts_free(w->at);
}

static struct item *move_here(struct list *list, enum ts_move move, struct ts_span key)
{
	struct item *below, *item = find(list, key, &below, NULL);

	if (move == TS_MOVE_BELOW || move == TS_MOVE_PREV)
		return below;
	return move == TS_MOVE_NEXT && item && ts_span_eq(key_of(item), key) ? item->next[0] : item;
}

static enum ts_status seek_base(struct ts_walk *base, enum ts_move move, struct ts_span key, bool *ret_found, struct ts_error *err)
{
	if (move == TS_MOVE_BELOW || move == TS_MOVE_PREV)
		return ts_walk_seek_below(base, key, ret_found, err);
	if (ts_walk_seek(base, key, ret_found, err))
		return err->status;
	return move == TS_MOVE_NEXT && *ret_found && ts_span_eq(base->key, key) ? ts_walk_next(base, ret_found, err) : TS_OK;
}

/* Whoever goes on forward finds the base where it is next, or one before. */
static enum ts_status move_base(struct base_walk *base, enum ts_move move, struct ts_span key, bool *ret_found, struct ts_error *err)
{
	bool was_ahead = base->ahead && move == TS_MOVE_NEXT;
	int order = was_ahead && base->found ? ts_span_cmp(base->walk.key, key) : 1;
	enum ts_status status = TS_OK;

	base->ahead = false;
	if (was_ahead && order == 0)
		status = ts_walk_next(&base->walk, &base->found, err);
	else if (!was_ahead || order < 0)
		status = seek_base(&base->walk, move, key, &base->found, err);
	*ret_found = base->found;
	base->ahead = !status && (move == TS_MOVE_FROM || move == TS_MOVE_NEXT);
	return status;
}

/* Whether the item here comes before where the base stands, or hides it. */
static bool comes_first(struct item *item, const struct ts_walk *base, bool found, bool back)
{
	int order = item && found ? ts_span_cmp(key_of(item), base->key) : 0;

	return item && (!found || (back ? order >= 0 : order <= 0));
}

static enum ts_status memory_walk_move(struct ts_walk *w, enum ts_move move, struct ts_span key, bool *ret_found, struct ts_error *err)
{
	struct list *list = &memory_of(w->read.kv)->lists[w->db];
	bool back = move == TS_MOVE_BELOW || move == TS_MOVE_PREV, found = false;
	struct item *item = move_here(list, move, key);

	while (w->at) {
		if (move_base(w->at, move, key, &found, err))
			return err->status;
		if (!comes_first(item, w->at, found, back) || !item->gone)
			break;
		key = key_of(item); /* it is gone: on to what comes behind it */
		move = back ? TS_MOVE_PREV : TS_MOVE_NEXT;
		item = move_here(list, move, key);
	}
	*ret_found = item || found;
	if (w->at && !comes_first(item, w->at, found, back)) {
		w->key = ((struct ts_walk *)w->at)->key;
		w->value = ((struct ts_walk *)w->at)->value;
	} else if (item) {
		w->key = key_of(item);
		w->value = value_of(item);
	}
	return TS_OK;
}

/* Over a base, which may have any of the keys, they are counted one by one. */
static enum ts_status memory_count(struct ts_read r, enum ts_db db, uint64_t *ret_n, struct ts_error *err)
{
	enum ts_status status;
	struct ts_walk walk;
	uint64_t n = 0;
	bool found;

	if (!memory_of(r.kv)->under) {
		*ret_n = memory_of(r.kv)->lists[db].n;
		return TS_OK;
	}
	for (status = ts_walk_open(&walk, r, db, ts_span_of(NULL, 0), &found, err); !status && found;
	     status = ts_walk_on(&walk, &found, err))
		n++;
	ts_walk_end(&walk);
	*ret_n = n;
	return status;
}

/* ---- writing ---- */

/* Makes room to note a change, so that what follows can be undone. */
static struct change *next_change(struct txn *txn)
{
	return TS_GROW(txn->changes, txn->cap, txn->n + 1, 64) ? &txn->changes[txn->n] : NULL;
}

static void apply(struct memory *m, struct txn *txn, struct change change)
{
	struct list *list = &m->lists[change.db];

	assert(txn->n < txn->cap && (change.added || change.removed));
	if (change.removed)
		unlink_item(list, change.removed);
	if (change.added)
		link_item(list, change.added);
	txn->changes[txn->n++] = change;
}

static enum ts_status no_room(struct ts_error *err)
{
	return ts_error_set(err, TS_NO_MEMORY, "out of memory to write");
}

static enum ts_status memory_put(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_span value, uint8_t **ret_room,
				 struct ts_error *err)
{
	struct memory *m = memory_of(w->kv);
	struct item *item = next_change(w->txn) ? make_item(m, key, value.len) : NULL;

	if (!item)
		return no_room(err);
	if (ret_room)
		*ret_room = bytes_of(item) + key.len;
	else if (value.len)
		memcpy(bytes_of(item) + key.len, value.data, value.len);
	apply(m, w->txn, (struct change){.db = db, .added = item, .removed = find_exact(&m->lists[db], key, NULL)});
	return TS_OK;
}

/* The same for a value that lies elsewhere, for as long as the layer. */
static enum ts_status put_outside(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_span value, struct ts_error *err)
{
	struct memory *m = memory_of(w->kv);
	struct item *item = next_change(w->txn) ? make_item(m, key, 0) : NULL;

	if (!item)
		return no_room(err);
	item->outside = value.data;
	item->value_len = value.len;
	apply(m, w->txn, (struct change){.db = db, .added = item, .removed = find_exact(&m->lists[db], key, NULL)});
	return TS_OK;
}

/* Whether what is deleted here is gone although the layer below has it. An object of a store below stays: who sweeps this layer lets go
 * only what was put here. */
static bool hides(const struct memory *m, enum ts_db db)
{
	return m->under && !(m->kv.base && db == TS_DB_OBJECTS);
}

static enum ts_status memory_delete(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_error *err)
{
	struct memory *m = memory_of(w->kv);
	struct change change = {.db = db, .removed = find_exact(&m->lists[db], key, NULL)};
	struct ts_span value;
	bool below = m->gathers; /* what it may have is deleted in any case */

	if (!below && hides(m, db) && ts_read_get(((struct txn *)w->txn)->base, db, key, &value, &below, err))
		return err->status;
	if (!below && !change.removed)
		return TS_OK;
	if (!next_change(w->txn))
		return no_room(err);
	if (below) {
		change.added = make_item(m, key, 0);
		if (!change.added)
			return no_room(err);
		change.added->gone = true;
	}
	apply(m, w->txn, change);
	return TS_OK;
}

static void undo(struct memory *m, struct txn *txn)
{
	while (txn->n) {
		struct change change = txn->changes[--txn->n];

		if (change.added)
			unlink_item(&m->lists[change.db], change.added);
		if (change.removed)
			link_item(&m->lists[change.db], change.removed);
		ts_free(change.added);
	}
}

static enum ts_status memory_commit(struct ts_kv *kv, ts_write_fn *run, void *ctx, size_t bytes, struct ts_error *err)
{
	struct memory *m = memory_of(kv);
	struct txn txn = {.n = 0};
	struct ts_write w = {.kv = kv, .txn = &txn};
	enum ts_status status;

	(void)bytes;
	pthread_rwlock_wrlock(&m->lock);
	status = begin_base(m->under, true, &txn.base, err);
	if (!status)
		status = run(&w, ctx, err);
	if (status)
		undo(m, &txn);
	for (size_t i = 0; i < txn.n; i++)
		ts_free(txn.changes[i].removed);
	end_base(&txn);
	pthread_rwlock_unlock(&m->lock);
	ts_free(txn.changes);
	return status;
}

static void memory_release(struct ts_kv *kv)
{
	struct memory *m = memory_of(kv);

	for (int db = 0; db < TS_DBS; db++)
		while (m->lists[db].head[0]) {
			struct item *next = m->lists[db].head[0]->next[0];

			ts_free(m->lists[db].head[0]);
			m->lists[db].head[0] = next;
		}
	if (m->files.finish)
		m->files.finish(m->files.owner);
	ts_kv_finish(kv);
	pthread_rwlock_destroy(&m->lock);
	ts_free(m);
}

static const struct ts_kv_ops memory_ops = {
	.begin = memory_begin,
	.end = memory_end,
	.get = memory_get,
	.ahead = memory_ahead,
	.count = memory_count,
	.walk_begin = memory_walk_begin,
	.walk_move = memory_walk_move,
	.walk_end = memory_walk_end,
	.put = memory_put,
	.delete = memory_delete,
	.commit = memory_commit,
	.release = memory_release,
};

static enum ts_status run_begin(struct ts_write *w, void *ctx, struct ts_error *err)
{
	(void)ctx;
	return ts_format_begin(w, err);
}

static struct memory *make(const char *where)
{
	struct memory *m = ts_alloc_array(1, sizeof *m);

	if (m) {
		ts_kv_init(&m->kv, &memory_ops, where);
		ts_system_lock_init(&m->lock);
	}
	return m;
}

static enum ts_status open_as(const struct ts_store *as, struct ts_engine **ret_engine, struct ts_error *err)
{
	struct memory *m = make("the store in memory");

	if (!m)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a store in memory");
	if (as->below) {
		m->kv.base = m->under = ts_kv_of(as->below);
		m->kv.far = m->under->far;
		m->kv.first_pack = packs_over;
	} else if (memory_commit(&m->kv, run_begin, NULL, 0, err)) {
		memory_release(&m->kv);
		return err->status;
	}
	return ts_store_open(&m->kv, as, ret_engine, err);
}

enum ts_status ts_memory_open(struct ts_engine *base, struct ts_engine **ret_engine, struct ts_error *err)
{
	return open_as(&(struct ts_store){.below = base}, ret_engine, err);
}

enum ts_status ts_memory_over(struct ts_depot *depot, struct ts_engine **ret_engine, struct ts_error *err)
{
	return open_as(&(struct ts_store){.depot = depot}, ret_engine, err);
}

/* ---- files over a layer ---- */

static enum ts_status files_backup(struct ts_kv *kv, const char *path, struct ts_error *err)
{
	return memory_of(kv)->files.backup(kv, path, err);
}

static enum ts_status files_sound(struct ts_kv *kv, bool look, struct ts_error *err)
{
	return memory_of(kv)->files.sound(kv, look, err);
}

/* What such a layer shows is read alone: it is filled once, by its maker. */
static const struct ts_kv_ops files_ops = {
	.begin = memory_begin,
	.end = memory_end,
	.get = memory_get,
	.ahead = memory_ahead,
	.count = memory_count,
	.walk_begin = memory_walk_begin,
	.walk_move = memory_walk_move,
	.walk_end = memory_walk_end,
	.put = memory_put,
	.delete = memory_delete,
	.commit = memory_commit,
	.release = memory_release,
	.backup = files_backup,
	.sound = files_sound,
};

struct filling {
	ts_memory_next *next;
	void *ctx;
};

static enum ts_status run_fill(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct filling *filling = ctx;
	struct ts_memory_record record;
	bool found;

	for (;;) {
		if (filling->next(filling->ctx, &record, &found, err))
			return err->status;
		if (!found)
			return TS_OK;
		if (record.gone ? memory_delete(w, record.db, record.key, err)
				: put_outside(w, record.db, record.key, record.value, err))
			return err->status;
	}
}

enum ts_status ts_memory_kv(const struct ts_memory_files *files, ts_memory_next *next, void *ctx, struct ts_kv **ret_kv,
			    struct ts_error *err)
{
	struct memory *m = make(files->where);

	if (!m)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to read %s", files->where);
	m->kv.ops = &files_ops;
	m->under = files->under;
	if (memory_commit(&m->kv, run_fill, &(struct filling){next, ctx}, 0, err)) {
		memory_release(&m->kv);
		return err->status;
	}
	m->files = *files;
	*ret_kv = &m->kv;
	return TS_OK;
}

const struct ts_memory_files *ts_memory_files_of(struct ts_kv *kv)
{
	return kv->ops == &files_ops ? &memory_of(kv)->files : NULL;
}

/* ---- writes that are gathered over another layer ---- */

enum ts_status ts_gather_begin(struct ts_kv *under, struct ts_kv **ret_kv, struct ts_error *err)
{
	struct memory *m = make(under->where);

	if (!m)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to write %s", under->where);
	m->under = under;
	m->gathers = true;
	m->kv.far = under->far;
	*ret_kv = &m->kv;
	return TS_OK;
}

enum ts_status ts_gather_visit(struct ts_kv *kv, ts_gather_fn *visit, void *ctx, struct ts_error *err)
{
	for (int db = 0; db < TS_DBS; db++)
		for (struct item *item = memory_of(kv)->lists[db].head[0]; item; item = item->next[0])
			if (visit(ctx, (enum ts_db)db, key_of(item), value_of(item), item->gone, err))
				return err->status;
	return TS_OK;
}
