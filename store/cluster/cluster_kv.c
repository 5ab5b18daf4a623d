/* cluster_kv.c - the layer of keys and values in a database.
 *
 * A snapshot is a transaction of one connection that reads as of its first question, with which it begins, so that a snapshot of one
 * record costs one round trip; its end is sent and not waited for. Walks fetch records in batches that grow.
 *
 * A write reads in a transaction that holds the lock of all writes, and gathers what it puts and deletes in memory; two statements
 * carry that at the end. One thread of a process writes for all that wait (the lane), and what one of them does wrong is undone alone.
 *
 * Each write leaves a mark: beside the records, under a name of this process, how many it has written. When a connection is lost while
 * it commits, another one looks whether the mark is there.
 */
#include "store/cluster/cluster_kv.h"

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/grow.h"
#include "base/order.h"
#include "base/system.h"
#include "store/cluster/bundle.h"
#include "store/store_internal.h"

#include <time.h>

enum {
	BATCH_LEAST = 16, /* records of the first fetch of a walk */
	BATCH_MOST = 2048,
	BATCH_BYTES = 4 << 20,	/* a walk whose batch has so many fetches no more at once */
	KEPT_BYTES = 64 << 20,	/* of answers that a snapshot keeps at least, since its values lie there */
	SENT_BYTES = 64 << 20,	/* of one statement that writes */
	PACKS_KEPT = 128,	/* that a snapshot has read, */
	PACK_BYTES = 512 << 10, /* if they are no larger than that */
	JOBS_MOST = 64,
	MARKS = 0x7fff, /* in place of the number of a database */
	ASK_EACH_NS = 500000000,
};
static const int64_t ASKED_NS = 35 * INT64_C(1000000000); /* how long to ask what became of a commit */

struct kept {
	struct pg_result *result;
	size_t bytes;
};

/* What was fetched before it is read. */
struct ahead {
	struct pg_result *result; /* NULL: nothing; rows are sorted by key */
	struct ts_span *keys;	  /* that were asked for, sorted; their bytes lie behind them */
	size_t n;
};

/* A pack that was read: it holds many objects, which are read one by one. */
struct read_pack {
	uint8_t key[8];
	struct pg_result *result; /* NULL: none */
};

struct txn {
	struct ts_database *db;
	struct ts_budget *budget; /* of whoever reads; NULL: none */
	struct ts_connection *c;
	bool begun;
	struct ahead ahead[TS_DBS];
	struct read_pack packs[PACKS_KEPT]; /* by the end of their number */
	struct kept *kept; /* from `first` on they are there, the oldest first */
	size_t first, n, cap, bytes;
};

/* A write, for as long as its caller waits. */
struct job {
	struct job *next;
	ts_write_fn *run;
	void *ctx;
	struct ts_error err;
	enum ts_status status;
	bool done;
};

struct cluster {
	struct ts_kv kv;   /* must be first */
	struct ts_kv view; /* the transaction of a write, for what is gathered over it */
	struct ts_database db;
	char *where, *conninfo;
	pthread_mutex_t lane;
	pthread_cond_t turn;
	struct job *waiting, **waiting_end;
	bool busy;
	struct ts_connection *writer; /* of whoever leads; NULL: none is open */
	struct txn writing;
	bool has_bundles; /* a layer over this one knows packs that lie in a bucket */
	uint8_t self[16]; /* what no other process is called by */
	uint64_t writes;  /* that were begun */
};

static struct cluster *cluster_of(struct ts_kv *kv)
{
	return (struct cluster *)(void *)kv;
}

struct ts_database *ts_cluster_database(struct ts_kv *kv)
{
	return &cluster_of(kv)->db;
}

void ts_cluster_has_bundles(struct ts_kv *kv)
{
	cluster_of(kv)->has_bundles = true;
}

/* ---- transactions ---- */

/* What answers take counts as the memory of whoever reads, from ask() until drop(). */
static void drop(struct txn *t, struct pg_result *result)
{
	if (!result)
		return;
	ts_budget_give(t->budget, t->db->pq->PQresultMemorySize(result));
	t->db->pq->PQclear(result);
}

/* Keeps an answer, whose values somebody may look at until the snapshot ends, or until much more was read. */
static void keep(struct txn *t, struct pg_result *result)
{
	size_t bytes = t->db->pq->PQresultMemorySize(result);

	while (t->n && t->bytes > KEPT_BYTES) {
		drop(t, t->kept[t->first].result);
		t->bytes -= t->kept[t->first++].bytes;
		t->n--;
	}
	if (t->first > t->n) {
		memmove(t->kept, t->kept + t->first, t->n * sizeof *t->kept);
		t->first = 0;
	}
	if (!TS_GROW(t->kept, t->cap, t->first + t->n + 1, 16)) {
		t->c->failed = true; /* it cannot be kept, and must not be given back: the snapshot ends */
		drop(t, result);
		return;
	}
	t->kept[t->first + t->n++] = (struct kept){result, bytes};
	t->bytes += bytes;
}

static void forget(struct txn *t)
{
	for (size_t i = 0; i < t->n; i++)
		drop(t, t->kept[t->first + i].result);
	ts_free(t->kept);
	t->kept = NULL;
	t->first = t->n = t->cap = t->bytes = 0;
	for (int db = 0; db < TS_DBS; db++) {
		drop(t, t->ahead[db].result);
		ts_free(t->ahead[db].keys);
		t->ahead[db] = (struct ahead){.n = 0};
	}
	for (int i = 0; i < PACKS_KEPT; i++) {
		drop(t, t->packs[i].result);
		t->packs[i].result = NULL;
	}
}

static enum ts_status ask_once(struct txn *t, bool first, enum ts_statement statement, const struct ts_span *params, int n,
			       struct pg_result **ret, struct ts_error *err)
{
	if (first)
		ts_send(t->db, t->c, TS_SEND_BEGIN_READ, NULL, 0);
	ts_send(t->db, t->c, statement, params, n);
	if (ts_exchange(t->db, t->c, ret, err))
		return err->status;
	return *ret ? TS_OK : ts_error_set(err, TS_INTERNAL, "%s: its database gave no answer", t->db->where);
}

/* A connection that waited may have been cut meanwhile: as long as nothing was read, another one takes its place. */
static enum ts_status begin_again(struct txn *t, struct ts_error *err)
{
	struct ts_connection *c;

	if (ts_database_connect(t->db, &c, err))
		return err->status;
	ts_database_close(t->db, t->c);
	t->c = c;
	return TS_OK;
}

static enum ts_status ask_twice(struct txn *t, enum ts_statement statement, const struct ts_span *params, int n, struct pg_result **ret,
				struct ts_error *err)
{
	bool first = !t->begun;

	if (t->c->failed && !first)
		return ts_error_set(err, TS_UNAVAILABLE, "%s: its database was lost while it was read", t->db->where);
	t->begun = true;
	if (ask_once(t, first, statement, params, n, ret, err) == TS_OK)
		return TS_OK;
	if (!first || err->status != TS_UNAVAILABLE || begin_again(t, err))
		return err->status;
	return ask_once(t, first, statement, params, n, ret, err);
}

static enum ts_status ask(struct txn *t, enum ts_statement statement, const struct ts_span *params, int n, struct pg_result **ret,
			  struct ts_error *err)
{
	const struct ts_budget *lacks;

	if (ask_twice(t, statement, params, n, ret, err))
		return err->status;
	lacks = ts_budget_take(t->budget, t->db->pq->PQresultMemorySize(*ret));
	if (!lacks)
		return TS_OK;
	t->db->pq->PQclear(*ret);
	return ts_budget_error(lacks, err);
}

static enum ts_status cluster_begin(struct ts_kv *kv, bool wait, struct ts_read *ret, struct ts_error *err)
{
	struct cluster *cl = cluster_of(kv);
	struct txn *t;

	if (!wait)
		return ts_error_set(err, TS_UNAVAILABLE, "%s cannot be read at once", kv->where);
	t = ts_alloc_array(1, sizeof *t);
	if (!t)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to read");
	t->db = &cl->db;
	t->budget = ts_budget_current();
	if (ts_database_take(t->db, &t->c, err)) {
		ts_free(t);
		return err->status;
	}
	*ret = (struct ts_read){.kv = kv, .txn = t};
	return TS_OK;
}

static void cluster_end(struct ts_read *r)
{
	struct txn *t = r->txn;

	forget(t);
	if (t->begun && !t->c->failed) {
		ts_send(t->db, t->c, TS_SEND_END, NULL, 0);
		ts_send_off(t->db, t->c); /* whoever takes the connection next reads the answer */
	}
	ts_database_give(t->db, t->c);
	ts_free(t);
}

/* ---- reading ---- */

static struct ts_span cell(const struct ts_database *db, const struct pg_result *result, int row, int column)
{
	return ts_span_of(db->pq->PQgetvalue(result, row, column), (size_t)db->pq->PQgetlength(result, row, column));
}

/* ---- arrays ---- */

/* An array in PostgreSQL's binary form: dimensions, no nulls, type, length, first index; then each element behind its length. */
enum { ARRAY_HEAD = 20, TYPE_INT2 = 21, TYPE_BYTEA = 17 };

static void put_u32(struct ts_buf *buf, uint32_t v)
{
	uint8_t bytes[4];

	ts_store_be(bytes, v, sizeof bytes);
	ts_buf_bytes(buf, bytes, sizeof bytes);
}

static void begin_array(struct ts_buf *buf, uint32_t type)
{
	const uint32_t head[] = {1, 0, type, 0, 1};

	ts_buf_reset(buf);
	for (size_t i = 0; i < 5; i++)
		put_u32(buf, head[i]);
}

static void add_element(struct ts_buf *buf, struct ts_span bytes)
{
	put_u32(buf, (uint32_t)bytes.len);
	ts_buf_span(buf, bytes);
}

static void end_array(struct ts_buf *buf, uint32_t n)
{
	if (!buf->failed)
		ts_store_be(buf->data + 12, n, 4);
}

/* ---- ahead ---- */

TS_ORDER(by_key, struct ts_span, TS_THEN(ts_span_cmp(*a, *b)))

/* Whether a key was asked for ahead; then *ret_found says whether it is there. */
static bool was_fetched(const struct txn *t, enum ts_db db, struct ts_span key, struct ts_span *ret_value, bool *ret_found)
{
	const struct ahead *a = &t->ahead[db];
	size_t at = 0, row = 0;
	bool asked;

	TS_SEEK(at, a->n, i, ts_span_cmp(a->keys[i], key), asked);
	if (!asked)
		return false;
	TS_SEEK(row, (size_t)t->db->pq->PQntuples(a->result), i, ts_span_cmp(cell(t->db, a->result, (int)i, 0), key), *ret_found);
	if (*ret_found)
		*ret_value = cell(t->db, a->result, (int)row, 1);
	return true;
}

/* A sorted copy of keys; NULL: no memory. */
static struct ts_span *copy_keys(const struct ts_span *keys, size_t n)
{
	struct ts_span *copy;
	size_t bytes = 0;
	uint8_t *at;

	for (size_t i = 0; i < n; i++)
		bytes += keys[i].len;
	copy = ts_alloc(n * sizeof *copy + bytes);
	if (!copy)
		return NULL;
	at = (uint8_t *)(copy + n);
	for (size_t i = 0; i < n; i++) {
		memcpy(at, keys[i].data, keys[i].len);
		copy[i] = ts_span_of(at, keys[i].len);
		at += keys[i].len;
	}
	TS_SORT(copy, n, by_key);
	return copy;
}

static enum ts_status cluster_ahead(struct ts_read r, enum ts_db db, const struct ts_span *keys, size_t n, struct ts_error *err)
{
	struct ts_buf array = TS_BUF_INIT(SENT_BYTES);
	struct txn *t = r.txn;
	struct ahead next = {.keys = copy_keys(keys, n), .n = n};
	enum ts_status status;
	uint8_t number[2];

	if (!next.keys)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu keys", n);
	begin_array(&array, TYPE_BYTEA);
	for (size_t i = 0; i < n; i++)
		add_element(&array, next.keys[i]);
	end_array(&array, (uint32_t)n);
	ts_store_be(number, db, sizeof number);
	status = ts_buf_check(&array, err);
	if (!status)
		status = ask(t, TS_SEND_AHEAD, (const struct ts_span[]){ts_span_of(number, 2), ts_buf_view(&array)}, 2, &next.result,
			     err);
	ts_buf_finish(&array);
	if (status) {
		ts_free(next.keys);
		return status;
	}
	if (t->ahead[db].result)
		keep(t, t->ahead[db].result); /* somebody may still look at its values */
	ts_free(t->ahead[db].keys);
	t->ahead[db] = next;
	return TS_OK;
}

/* Where a pack is if it was read and is still kept; NULL: the key is not one of a pack. */
static struct read_pack *pack_of(struct txn *t, enum ts_db db, struct ts_span key)
{
	return db == TS_DB_PACKS && key.len == sizeof t->packs->key ? &t->packs[key.data[key.len - 1] % PACKS_KEPT] : NULL;
}

/* Keeps an answer to get, a pack where it is found again. */
static void keep_got(struct txn *t, struct read_pack *pack, struct ts_span key, struct pg_result *result)
{
	if (!pack || t->db->pq->PQresultMemorySize(result) > PACK_BYTES) {
		keep(t, result);
		return;
	}
	if (pack->result)
		keep(t, pack->result); /* somebody may still look at it */
	memcpy(pack->key, key.data, sizeof pack->key);
	pack->result = result;
}

static enum ts_status cluster_get(struct ts_read r, enum ts_db db, struct ts_span key, struct ts_span *ret_value, bool *ret_found,
				  struct ts_error *err)
{
	struct read_pack *pack = pack_of(r.txn, db, key);
	struct txn *t = r.txn;
	struct pg_result *result;
	uint8_t number[2];
	const struct ts_span params[] = {ts_span_of(number, 2), key};

	if (was_fetched(t, db, key, ret_value, ret_found))
		return TS_OK;
	*ret_found = pack && pack->result && memcmp(pack->key, key.data, sizeof pack->key) == 0;
	if (*ret_found) {
		*ret_value = cell(t->db, pack->result, 0, 0);
		return TS_OK;
	}
	ts_store_be(number, db, sizeof number);
	if (ts_budget_check(err) || ask(t, TS_SEND_GET, params, 2, &result, err))
		return err->status;
	*ret_found = t->db->pq->PQntuples(result) > 0;
	if (!*ret_found) {
		drop(t, result);
		return TS_OK;
	}
	*ret_value = cell(t->db, result, 0, 0);
	keep_got(t, pack, key, result);
	return t->c->failed ? ts_error_set(err, TS_NO_MEMORY, "out of memory for what was read") : TS_OK;
}

static enum ts_status cluster_count(struct ts_read r, enum ts_db db, uint64_t *ret_n, struct ts_error *err)
{
	struct txn *t = r.txn;
	struct pg_result *result;
	uint8_t number[2];
	struct ts_span param = ts_span_of(number, 2), n;

	ts_store_be(number, db, sizeof number);
	if (ask(t, TS_SEND_COUNT, &param, 1, &result, err))
		return err->status;
	n = cell(t->db, result, 0, 0);
	*ret_n = n.len == 8 ? ts_load_be(n.data, 8) : 0;
	drop(t, result);
	return TS_OK;
}

struct batch {
	struct pg_result *result; /* NULL: none was fetched */
	int at, n;
	bool up;  /* its keys rise */
	bool end; /* nothing comes behind it */
	unsigned most;
};

static enum ts_status cluster_walk_begin(struct ts_walk *w, struct ts_error *err)
{
	struct batch *b = ts_alloc_array(1, sizeof *b);

	if (!b)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a walk");
	b->most = BATCH_LEAST;
	w->at = b;
	return TS_OK;
}

static void cluster_walk_end(struct ts_walk *w)
{
	struct batch *b = w->at;

	if (b->result)
		keep(w->read.txn, b->result);
	ts_free(b);
}

/* Fetches the records from a key on; what was fetched before stays until the snapshot ends. */
static enum ts_status fetch(struct ts_walk *w, enum ts_statement statement, struct ts_span key, struct ts_error *err)
{
	struct txn *t = w->read.txn;
	struct batch *b = w->at;
	struct pg_result *result;
	uint8_t number[2], most[8];
	const struct ts_span params[] = {ts_span_of(number, 2), key, ts_span_of(most, 8)};

	ts_store_be(number, w->db, sizeof number);
	ts_store_be(most, b->most, sizeof most);
	if (ask(t, statement, params, 3, &result, err))
		return err->status;
	if (b->result)
		keep(t, b->result);
	b->result = result;
	b->n = t->db->pq->PQntuples(result);
	b->at = 0;
	b->up = statement != TS_SEND_BELOW;
	b->end = b->n < (int)b->most;
	if (b->most < BATCH_MOST && t->db->pq->PQresultMemorySize(result) < BATCH_BYTES)
		b->most *= 2;
	else if (b->most > 1 && t->db->pq->PQresultMemorySize(result) > 2 * BATCH_BYTES)
		b->most /= 2;
	return TS_OK;
}

/* How many records a walk fetches first. */
static unsigned first_batch(const struct ts_walk *w)
{
	if (w->expects <= BATCH_LEAST)
		return BATCH_LEAST;
	return w->expects < BATCH_MOST ? (unsigned)w->expects : BATCH_MOST;
}

static enum ts_status cluster_walk_move(struct ts_walk *w, enum ts_move move, struct ts_span key, bool *ret_found, struct ts_error *err)
{
	struct txn *t = w->read.txn;
	struct batch *b = w->at;
	bool up = move == TS_MOVE_FROM || move == TS_MOVE_NEXT, goes_on = (move == TS_MOVE_NEXT || move == TS_MOVE_PREV) && b->up == up;

	if (goes_on && b->at + 1 < b->n) {
		b->at++;
	} else if (goes_on && b->end) {
		b->at = b->n;
	} else {
		if (!goes_on && (move == TS_MOVE_FROM || move == TS_MOVE_BELOW))
			b->most = first_batch(w);
		if (fetch(w, move == TS_MOVE_FROM ? TS_SEND_FROM : up ? TS_SEND_BEHIND : TS_SEND_BELOW, key, err))
			return err->status;
	}
	*ret_found = b->at < b->n;
	if (!*ret_found)
		return TS_OK;
	w->key = cell(t->db, b->result, b->at, 0);
	w->value = cell(t->db, b->result, b->at, 1);
	return TS_OK;
}

/* ---- the view of a write ---- */

static struct cluster *cluster_of_view(struct ts_kv *view)
{
	return (struct cluster *)(void *)((char *)view - offsetof(struct cluster, view));
}

static enum ts_status view_begin(struct ts_kv *kv, bool wait, struct ts_read *ret, struct ts_error *err)
{
	(void)wait, (void)err;
	*ret = (struct ts_read){.kv = kv, .txn = &cluster_of_view(kv)->writing};
	return TS_OK;
}

static void view_end(struct ts_read *r)
{
	(void)r; /* whoever leads ends it */
}

static int64_t view_now(struct ts_kv *kv)
{
	return ts_database_time(&cluster_of_view(kv)->db);
}

static const struct ts_kv_ops view_ops = {
	.begin = view_begin,
	.end = view_end,
	.get = cluster_get,
	.ahead = cluster_ahead,
	.count = cluster_count,
	.walk_begin = cluster_walk_begin,
	.walk_move = cluster_walk_move,
	.walk_end = cluster_walk_end,
	.now = view_now,
};

/* ---- what is written ---- */

/* The arrays of one statement, and how many elements they have. */
struct arrays {
	enum ts_statement statement;
	struct ts_buf dbs, keys, values;
	uint32_t n;
};

struct sending {
	struct ts_database *db;
	struct ts_connection *c;
	struct arrays puts, deletes;
	size_t records;
};

static void begin_arrays(struct arrays *a)
{
	begin_array(&a->dbs, TYPE_INT2);
	begin_array(&a->keys, TYPE_BYTEA);
	begin_array(&a->values, TYPE_BYTEA);
	a->n = 0;
}

static enum ts_status send_arrays(struct sending *s, struct arrays *a, struct ts_error *err)
{
	struct ts_span params[3];

	if (a->n == 0)
		return TS_OK;
	end_array(&a->dbs, a->n);
	end_array(&a->keys, a->n);
	end_array(&a->values, a->n);
	if (ts_buf_check(&a->dbs, err) || ts_buf_check(&a->keys, err) || ts_buf_check(&a->values, err))
		return err->status;
	params[0] = ts_buf_view(&a->dbs);
	params[1] = ts_buf_view(&a->keys);
	params[2] = ts_buf_view(&a->values);
	ts_send(s->db, s->c, a->statement, params, a->statement == TS_SEND_PUT ? 3 : 2);
	begin_arrays(a);
	return TS_OK;
}

static enum ts_status send_record(void *ctx, enum ts_db db, struct ts_span key, struct ts_span value, bool gone, struct ts_error *err)
{
	struct sending *s = ctx;
	struct arrays *a = gone ? &s->deletes : &s->puts;
	uint8_t number[2];

	s->records++;
	if (a->n && a->values.len + value.len > SENT_BYTES / 2 && send_arrays(s, a, err))
		return err->status;
	ts_store_be(number, db, sizeof number);
	add_element(&a->dbs, ts_span_of(number, 2));
	add_element(&a->keys, key);
	if (!gone)
		add_element(&a->values, value);
	a->n++;
	return TS_OK;
}

static void init_arrays(struct arrays *a, enum ts_statement statement)
{
	*a = (struct arrays){.statement = statement};
	a->dbs = a->keys = a->values = TS_BUF_INIT((size_t)1 << 30);
	begin_arrays(a);
}

static void finish_arrays(struct arrays *a)
{
	ts_buf_finish(&a->dbs);
	ts_buf_finish(&a->keys);
	ts_buf_finish(&a->values);
}

static enum ts_status send_mark(struct sending *s, const struct cluster *cl, struct ts_error *err)
{
	uint8_t mark[8];

	ts_store_be(mark, cl->writes, sizeof mark);
	return send_record(s, (enum ts_db)MARKS, ts_span_of(cl->self, sizeof cl->self), ts_span_of(mark, sizeof mark), false, err);
}

/* Sends all that was gathered, with a mark; *ret_any says whether that is something. */
static enum ts_status send_gathered(struct cluster *cl, struct ts_kv *gathered, bool *ret_any, struct ts_error *err)
{
	struct sending s = {.db = &cl->db, .c = cl->writer};
	enum ts_status status;

	init_arrays(&s.puts, TS_SEND_PUT);
	init_arrays(&s.deletes, TS_SEND_DELETE);
	status = ts_gather_visit(gathered, send_record, &s, err);
	if (!status && s.records)
		status = send_mark(&s, cl, err);
	if (!status)
		status = send_arrays(&s, &s.puts, err);
	if (!status)
		status = send_arrays(&s, &s.deletes, err);
	finish_arrays(&s.puts);
	finish_arrays(&s.deletes);
	*ret_any = s.records > 0;
	return status;
}

/* ---- commit ---- */

static enum ts_status run_spare(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct ts_idmap *waiting = ctx;

	for (size_t i = 0; i < waiting->n; i++) {
		const struct ts_spare_value *value = waiting->items[i].value;

		if (ts_write_put(w, TS_DB_CACHE, ts_id_span(&waiting->items[i].id), ts_span_of(value->bytes, value->len), err))
			return err->status;
	}
	return TS_OK;
}

/* Asks what became of a write whose answer was lost: whether its mark is there, once nobody writes. The number of its transaction would
 * say less: a database that crashed or failed over gives one that it had not written down yet to another transaction. */
static enum ts_status became(struct cluster *cl, struct ts_error *err)
{
	const int64_t until_ns = ts_now_mono_ns() + ASKED_NS;
	uint8_t number[2], mark[8];
	const struct ts_span params[] = {ts_span_of(number, 2), ts_span_of(cl->self, sizeof cl->self)};

	ts_database_close(&cl->db, cl->writer); /* it may hold the lock */
	cl->writer = NULL;
	ts_store_be(number, MARKS, sizeof number);
	ts_store_be(mark, cl->writes, sizeof mark);
	do {
		struct pg_result *result = NULL;
		struct ts_connection *c;
		struct ts_error ignored;
		bool known = false, done = false;

		if (ts_database_connect(&cl->db, &c, &ignored) == TS_OK) {
			ts_send(&cl->db, c, TS_SEND_BEGIN_WRITE, NULL, 0);
			ts_send(&cl->db, c, TS_SEND_GET, params, 2);
			ts_send(&cl->db, c, TS_SEND_END, NULL, 0);
			known = ts_exchange(&cl->db, c, &result, &ignored) == TS_OK && result;
			done = known && cl->db.pq->PQntuples(result) == 1 &&
			       ts_span_eq(cell(&cl->db, result, 0, 0), ts_span_of(mark, sizeof mark));
			cl->db.pq->PQclear(result);
			ts_database_close(&cl->db, c);
		}
		if (known)
			return done ? TS_OK : err->status;
		(void)nanosleep(&(struct timespec){.tv_nsec = ASK_EACH_NS}, NULL);
	} while (ts_now_mono_ns() < until_ns);
	return ts_error_set(
		err, TS_UNAVAILABLE,
		"%s: its database was lost while it was written, and does not say whether that was done: look before trying again",
		cl->kv.where);
}

/* Begins a transaction. A store may get a bucket while servers go on that were told of none: they must not write to it, since a sweep
 * of theirs would take places of packs for packs. */
static enum ts_status begin_one(struct cluster *cl, struct ts_error *err)
{
	const struct ts_bundle_key about = ts_key_of(TS_KIND_ABOUT);
	struct pg_result *result = NULL;
	uint8_t number[2];
	const struct ts_span params[] = {ts_span_of(number, 2), ts_bundle_key_span(&about)};
	bool late;

	ts_send(&cl->db, cl->writer, TS_SEND_BEGIN_WRITE, NULL, 0);
	ts_store_be(number, TS_DB_PACKS, sizeof number);
	if (!cl->has_bundles)
		ts_send(&cl->db, cl->writer, TS_SEND_BEGUN, params, 2);
	if (ts_exchange(&cl->db, cl->writer, &result, err))
		return err->status;
	ts_database_tell(&cl->db, result, cl->has_bundles ? 2 : 0);
	late = !cl->has_bundles && result && cl->db.pq->PQntuples(result) == 1 && ts_span_is(cell(&cl->db, result, 0, 1), "true");
	cl->db.pq->PQclear(result);
	if (late)
		return ts_error_set(err, TS_INVALID,
				    "%s: packs of its store lie in a bucket, of which this server was told nothing: say which by "
				    "bucket = https://..., as its other servers do, and start it again",
				    cl->kv.where);
	return TS_OK;
}

/* Begins the transaction of a write; one round trip. */
static enum ts_status begin_write(struct cluster *cl, struct ts_error *err)
{
	bool fresh = !cl->writer;

	for (;;) {
		if (!cl->writer && ts_database_connect(&cl->db, &cl->writer, err))
			return err->status;
		if (fresh)
			ts_send_command(&cl->db, cl->writer, "SET idle_in_transaction_session_timeout = 30000");
		ts_send_off(&cl->db, cl->writer);
		if (begin_one(cl, err) == TS_OK)
			break;
		ts_database_close(&cl->db, cl->writer);
		cl->writer = NULL;
		if (fresh || err->status != TS_UNAVAILABLE)
			return err->status;
		fresh = true; /* it had waited, and may have been cut meanwhile: once more */
	}
	cl->writes++;
	cl->writing = (struct txn){.db = &cl->db, .c = cl->writer, .begun = true};
	return TS_OK;
}

static enum ts_status end_write(struct cluster *cl, struct ts_kv *gathered, struct ts_error *err)
{
	bool any = false;

	if (cl->writer->failed)
		return ts_error_set(err, TS_UNAVAILABLE, "%s: its database was lost while it was read", cl->kv.where);
	if (send_gathered(cl, gathered, &any, err))
		return err->status;
	ts_send(&cl->db, cl->writer, TS_SEND_END, NULL, 0);
	if (!any) {
		ts_send_off(&cl->db, cl->writer);
		return TS_OK;
	}
	/* Also whoever stops because its disk fails may have written what it says that it has not. */
	return ts_exchange(&cl->db, cl->writer, NULL, err) ? became(cl, err) : TS_OK;
}

/* Runs the writes of a list in one transaction. */
static enum ts_status write_all(struct cluster *cl, struct job *jobs, struct ts_error *err)
{
	struct ts_kv *gathered;
	struct ts_idmap spare;
	enum ts_status status;
	struct ts_error ignored;

	if (begin_write(cl, err))
		return err->status;
	status = ts_gather_begin(&cl->view, &gathered, err);
	if (!status) {
		for (struct job *job = jobs; job; job = job->next)
			job->status = gathered->ops->commit(gathered, job->run, job->ctx, 0, &job->err);
		ts_spare_take(&cl->kv.spare, &spare);
		(void)gathered->ops->commit(gathered, run_spare, &spare, 0, &ignored);
		status = end_write(cl, gathered, err);
		ts_spare_drop(&spare);
		gathered->ops->release(gathered);
	}
	forget(&cl->writing);
	if (status || !cl->writer || cl->writer->failed) {
		ts_database_close(&cl->db, cl->writer);
		cl->writer = NULL;
	}
	return status;
}

static void lead(struct cluster *cl)
{
	struct job *jobs = cl->waiting, **end = &jobs;
	struct ts_budget *own;
	struct ts_error err;
	enum ts_status status;

	for (int n = 0; *end && n < JOBS_MOST; n++)
		end = &(*end)->next;
	cl->waiting = *end;
	*end = NULL;
	if (!cl->waiting)
		cl->waiting_end = &cl->waiting;
	cl->busy = true;
	pthread_mutex_unlock(&cl->lane);
	own = ts_budget_enter(NULL); /* what others write neither counts as the leader's nor ends when its client goes */
	status = write_all(cl, jobs, &err);
	(void)ts_budget_enter(own);
	pthread_mutex_lock(&cl->lane);
	while (jobs) {
		struct job *next = jobs->next; /* the job is freed once its caller sees it done */

		if (status && !jobs->status) {
			jobs->status = status;
			jobs->err = err;
		}
		jobs->done = true;
		jobs = next;
	}
	cl->busy = false;
	pthread_cond_broadcast(&cl->turn);
}

static enum ts_status cluster_commit(struct ts_kv *kv, ts_write_fn *run, void *ctx, size_t bytes, struct ts_error *err)
{
	struct cluster *cl = cluster_of(kv);
	struct job job = {.run = run, .ctx = ctx};

	(void)bytes;
	pthread_mutex_lock(&cl->lane);
	*cl->waiting_end = &job;
	cl->waiting_end = &job.next;
	while (!job.done) {
		if (cl->busy)
			pthread_cond_wait(&cl->turn, &cl->lane);
		else
			lead(cl);
	}
	pthread_mutex_unlock(&cl->lane);
	if (job.status)
		*err = job.err;
	return job.status;
}

static enum ts_status run_nothing(struct ts_write *w, void *ctx, struct ts_error *err)
{
	(void)w, (void)ctx, (void)err;
	return TS_OK;
}

static void cluster_release(struct ts_kv *kv)
{
	struct cluster *cl = cluster_of(kv);
	struct ts_error ignored;

	if (kv->spare.waiting.n)
		(void)cluster_commit(kv, run_nothing, NULL, 0, &ignored);
	ts_database_close(&cl->db, cl->writer);
	ts_database_finish(&cl->db);
	pthread_cond_destroy(&cl->turn);
	pthread_mutex_destroy(&cl->lane);
	ts_kv_finish(kv);
	ts_free(cl->where);
	ts_free(cl->conninfo);
	ts_free(cl);
}

static int64_t cluster_now(struct ts_kv *kv)
{
	return ts_database_time(&cluster_of(kv)->db);
}

/* A database that was restored or promoted has a timeline of its own, and one that was loaded from a dump another number. One that
 * somebody else runs may lack these functions, or allow nobody to call them. */
static enum ts_status cluster_place(struct ts_kv *kv, struct ts_buf *out, struct ts_error *err)
{
	static const char ask_place[] =
		"SELECT (SELECT system_identifier FROM pg_control_system()) || ' ' || "
		"(SELECT oid FROM pg_database WHERE datname = current_database()) || ' ' || "
		"CASE WHEN pg_is_in_recovery() THEN 'replica' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END";
	struct ts_database *db = &cluster_of(kv)->db;
	struct pg_result *result;

	if (ts_database_ask(db, ask_place, &result, err)) {
		if (err->status == TS_DENIED || err->status == TS_IO)
			err->status = TS_NOT_FOUND;
		return err->status;
	}
	ts_buf_span(out, cell(db, result, 0, 0));
	db->pq->PQclear(result);
	return TS_OK;
}

static void cluster_rest(struct ts_read r, bool rests)
{
	ts_database_rest(((struct txn *)r.txn)->db, rests);
}

static const struct ts_kv_ops cluster_ops = {
	.begin = cluster_begin,
	.end = cluster_end,
	.get = cluster_get,
	.ahead = cluster_ahead,
	.count = cluster_count,
	.walk_begin = cluster_walk_begin,
	.walk_move = cluster_walk_move,
	.walk_end = cluster_walk_end,
	.commit = cluster_commit,
	.release = cluster_release,
	.now = cluster_now,
	.rest = cluster_rest,
	.place = cluster_place,
};

enum ts_status ts_cluster_kv(const struct ts_libpq *pq, char *where, char *conninfo, unsigned connections, struct ts_kv **ret,
			     struct ts_error *err)
{
	struct cluster *cl = ts_alloc_array(1, sizeof *cl);

	if (!cl)
		(void)ts_error_set(err, TS_NO_MEMORY, "out of memory for a store");
	if (!cl || ts_system_random(cl->self, sizeof cl->self, err)) {
		ts_free(cl);
		ts_free(where);
		ts_free(conninfo);
		return err->status;
	}
	ts_kv_init(&cl->kv, &cluster_ops, where);
	cl->kv.far = true;
	cl->view = (struct ts_kv){.ops = &view_ops, .where = where, .first_pack = 1, .far = true};
	ts_database_init(&cl->db, pq, where, conninfo, connections);
	cl->where = where;
	cl->conninfo = conninfo;
	cl->waiting_end = &cl->waiting;
	pthread_mutex_init(&cl->lane, NULL);
	pthread_cond_init(&cl->turn, NULL);
	*ret = &cl->kv;
	return TS_OK;
}
