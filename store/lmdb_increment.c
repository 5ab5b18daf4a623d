/* lmdb_increment.c - writes what changed in a store since a backup: both are walked side by side, table by table, and what differs is
 * copied. Of a store of 100,000 runs that is a walk over its tables, and no byte of an object that both have. */
#include "store/lmdb_internal.h"

#include "store/store_internal.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WRITE_BYTES = 1 << 20, TRIES = 20 };

struct side {
	struct ts_walk walk;
	bool found;
};

struct writer {
	int fd;
	uint64_t at; /* of the next byte */
	struct ts_buf bytes; /* that are not in the file yet */
	struct ts_buf index;
	struct ts_sum sums[TS_DBS]; /* of what is backed up, as it was read */
	struct ts_increment_report report;
};

static enum ts_status flush(struct writer *w, struct ts_error *err)
{
	if (ts_buf_check(&w->bytes, err) || ts_write_full(w->fd, w->bytes.data, w->bytes.len, err))
		return err->status;
	w->at += w->bytes.len;
	ts_buf_reset(&w->bytes);
	return TS_OK;
}

static enum ts_status add(struct writer *w, enum ts_db db, struct ts_span key, struct ts_span value, bool gone, struct ts_error *err)
{
	struct ts_increment_record record = {.db = db, .gone = gone, .key = key, .value = value, .at = w->at + w->bytes.len};

	record.hash = ts_record_hash(db, key, value);
	ts_buf_span(&w->bytes, key);
	ts_buf_span(&w->bytes, value);
	ts_increment_entry(&w->index, &record);
	w->report.records++;
	w->report.objects += db == TS_DB_OBJECTS && !gone;
	w->report.names += db == TS_DB_REFS && !gone;
	return w->bytes.len < WRITE_BYTES ? TS_OK : flush(w, err);
}

static void sum(struct writer *w, const struct side *now)
{
	struct ts_sum *s = &w->sums[now->walk.db];

	s->records++;
	s->sum += ts_record_hash(now->walk.db, now->walk.key, now->walk.value);
}

/* A pack never changes. */
static bool differs(const struct side *was, const struct side *now)
{
	return now->walk.db == TS_DB_PACKS ? was->walk.value.len != now->walk.value.len : !ts_span_eq(was->walk.value, now->walk.value);
}

static enum ts_status compare(struct writer *w, struct side *was, struct side *now, int *ret_order, struct ts_error *err)
{
	int order = !now->found ? -1 : !was->found ? 1 : ts_span_cmp(was->walk.key, now->walk.key);

	*ret_order = order;
	if (order >= 0)
		sum(w, now);
	if (order < 0)
		return add(w, was->walk.db, was->walk.key, ts_span_of(NULL, 0), true, err);
	if (order == 0 && !differs(was, now))
		return TS_OK;
	return add(w, now->walk.db, now->walk.key, now->walk.value, false, err);
}

/* The sums among the records are of all others, and no record of their own. */
static enum ts_status step(struct side *side, struct ts_error *err)
{
	enum ts_status status;

	do
		status = ts_walk_on(&side->walk, &side->found, err);
	while (!status && side->found && side->walk.db == TS_DB_META && ts_span_is(side->walk.key, TS_SUMS_KEY));
	return status;
}

static enum ts_status open_side(struct side *side, struct ts_read r, enum ts_db db, struct ts_error *err)
{
	if (ts_walk_open(&side->walk, r, db, ts_span_of(NULL, 0), &side->found, err))
		return err->status;
	return side->found && db == TS_DB_META && ts_span_is(side->walk.key, TS_SUMS_KEY) ? step(side, err) : TS_OK;
}

static enum ts_status write_table(struct writer *w, struct ts_read before, struct ts_read r, enum ts_db db, struct ts_error *err)
{
	struct side was, now = {.found = false};
	enum ts_status status = open_side(&was, before, db, err);
	int order;

	now.walk.at = NULL;
	if (!status)
		status = open_side(&now, r, db, err);
	while (!status && (was.found || now.found)) {
		status = compare(w, &was, &now, &order, err);
		if (!status && order <= 0)
			status = step(&was, err);
		if (!status && order >= 0)
			status = step(&now, err);
	}
	ts_walk_end(&was.walk);
	ts_walk_end(&now.walk);
	return status;
}

/* What was read is what the superblock says, or nothing is kept of it. */
static enum ts_status hold_to_sums(struct ts_lmdb_env *env, const struct writer *w, const struct ts_super_slot *slot,
				   struct ts_error *err)
{
	char what[200];

	for (unsigned db = 0; db < TS_DBS; db++) {
		if (!ts_db_is_summed((enum ts_db)db) ||
		    (w->sums[db].records == slot->tables[db].records && w->sums[db].sum == slot->tables[db].sum))
			continue;
		(void)snprintf(what, sizeof what, "%s are not what they were last", ts_scan_word(db));
		ts_env_condemn(env, TS_HARM_NOW, what);
		return ts_env_damage(env, err);
	}
	return TS_OK;
}

static enum ts_status write_tables(struct writer *w, struct ts_lmdb_env *env, struct ts_read before, struct ts_read r,
				   const struct ts_super_slot *slot, struct ts_error *err)
{
	uint64_t index_at;

	for (int db = 0; db < TS_DBS; db++)
		if (ts_db_is_summed((enum ts_db)db) && write_table(w, before, r, (enum ts_db)db, err))
			return err->status;
	if (hold_to_sums(env, w, slot, err) || flush(w, err) || ts_buf_check(&w->index, err))
		return err->status;
	index_at = w->at;
	if (ts_write_full(w->fd, w->index.data, w->index.len, err))
		return err->status;
	w->at += w->index.len;
	ts_increment_tail(&w->bytes, slot, index_at, ts_buf_view(&w->index));
	return flush(w, err);
}

/* The name of the backup before, and the folder that it lies in. */
static enum ts_status write_head(struct writer *w, const char *since, const struct ts_super_slot *was, struct ts_error *err)
{
	char *path = realpath(since, NULL), *slash = path ? strrchr(path, '/') : NULL;
	struct ts_id state;

	if (!slash) {
		free(path);
		return ts_error_errno(err, errno, "%s", since);
	}
	ts_state_of(was, &state);
	ts_increment_head(&w->bytes, was, &state, ts_span_str(slash + 1), ts_span_of(path, (size_t)(slash - path)));
	free(path);
	return TS_OK;
}

/* Begins a snapshot whose sums are known. */
static enum ts_status begin(struct ts_kv *kv, struct ts_read *ret, struct ts_super_slot *ret_slot, struct ts_error *err)
{
	for (int i = 0; i < TRIES; i++) {
		if (ts_read_begin(kv, ret, err))
			return err->status;
		if (ts_backup_slot(kv, *ret, ret_slot, err) == TS_OK)
			return TS_OK;
		ts_read_end(ret);
		if (err->status != TS_UNAVAILABLE)
			return err->status;
		ts_pause();
	}
	return err->status;
}

static enum ts_status write_since(struct writer *w, struct ts_lmdb_env *env, struct ts_kv *before, const char *since,
				  struct ts_error *err)
{
	struct ts_super_slot was, is;
	enum ts_status status;
	struct ts_read of, r;

	if (begin(before, &of, &was, err))
		return err->status;
	if (begin(&env->kv, &r, &is, err)) {
		ts_read_end(&of);
		return err->status;
	}
	if (memcmp(was.store, is.store, TS_STORE_ID) != 0)
		status = ts_error_set(err, TS_INVALID, "%s is no backup of this store, but of another one", since);
	else
		status = write_head(w, since, &was, err);
	if (!status)
		status = write_tables(w, env, of, r, &is, err);
	ts_read_end(&r);
	ts_read_end(&of);
	return status;
}

static enum ts_status write_file(struct ts_lmdb_env *env, const struct ts_copy *copy, const char *since,
				 struct ts_increment_report *ret_report, struct ts_error *err)
{
	struct ts_lmdb_options options = {.path = since, .read_only = true};
	struct writer w = {.bytes = TS_BUF_INIT(SIZE_MAX / 4), .index = TS_BUF_INIT(SIZE_MAX / 4)};
	enum ts_status status;
	struct ts_engine *e;

	if (ts_lmdb_open(&options, &e, err))
		return err->status;
	w.fd = open(copy->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	status = w.fd < 0 ? ts_error_errno(err, errno, "%s", copy->data) : ts_kv_sound(ts_kv_of(e), false, err);
	if (!status)
		status = write_since(&w, env, ts_kv_of(e), since, err);
	if (!status && fsync(w.fd) < 0)
		status = ts_error_errno(err, errno, "%s", copy->data);
	if (w.fd >= 0)
		(void)close(w.fd);
	w.report.bytes = w.at;
	ts_buf_finish(&w.bytes);
	ts_buf_finish(&w.index);
	ts_engine_destroy(e);
	if (!status)
		*ret_report = w.report;
	return status;
}

/* Reads again what is new, from the file. What is damaged of it is damaged in the store as well. */
static enum ts_status check(struct ts_engine *e, const struct ts_increment *inc, struct ts_increment_report *report,
			    struct ts_error *err)
{
	struct ts_increment_record record;
	enum ts_status status = TS_OK;
	struct ts_arena arena;

	ts_arena_init(&arena, 0);
	for (uint64_t i = 0; i < inc->n && !status; i++) {
		struct ts_sealed sealed;
		struct ts_span bytes;
		struct ts_id id = {{0}};

		status = ts_increment_record(inc, i, &record, err);
		if (status || record.db != TS_DB_OBJECTS || record.gone)
			continue;
		memcpy(id.bytes, record.key.data, record.key.len < TS_ID_BYTES ? record.key.len : TS_ID_BYTES);
		ts_arena_reset(&arena);
		status = ts_store_get(e, &id, &arena, &sealed, err);
		if (!status)
			status = ts_sealed_verify(&sealed, &arena, &bytes, err);
		report->damaged += status == TS_DAMAGED;
		status = status == TS_DAMAGED ? TS_OK : status;
	}
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_lmdb_increment(struct ts_engine *e, const char *since, const char *path, struct ts_increment_report *ret_report,
				 struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(ts_kv_of(e));
	struct ts_increment_report report;
	struct ts_engine *chain;
	enum ts_status status;
	struct ts_copy copy;
	int rc;

	if (ts_kv_of(e)->ops != &ts_lmdb_kv)
		return ts_error_set(err, TS_UNSUPPORTED, "%s is itself a backup: make a store of it first", ts_kv_of(e)->where);
	if (atomic_load(&env->is_damaged))
		return ts_env_damage(env, err);
	if (ts_copy_begin(path, TS_INCREMENT_FILE, &copy, err))
		return err->status;
	if (write_file(env, &copy, since, &report, err)) {
		ts_copy_drop(&copy);
		return err->status;
	}
	rc = ts_copy_end(&copy, path);
	if (rc) {
		(void)ts_error_errno(err, rc, "%s", path);
		ts_copy_drop(&copy);
		return err->status;
	}
	if (ts_chain_open(path, &chain, err))
		return err->status;
	status = check(chain, ts_chain_newest(ts_chain_of(ts_kv_of(chain))), &report, err);
	ts_engine_destroy(chain);
	if (!status)
		*ret_report = report;
	return status;
}
