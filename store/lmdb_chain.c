/* lmdb_chain.c - reads an increment over the backups that it builds on, as one store that nobody writes, and makes a store of them.
 *
 * Each increment says what the tables held before it and after it, by their sums. So a backup that is missing, or is another one than
 * was built on, is found when the chain is opened; and a store that was made of a chain is, record for record, what was backed up. */
#include "store/lmdb_internal.h"

#include "store/increment.h"
#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS = 200, RESTORE_BYTES = 8 << 20, RESTORE_RECORDS = 20000 };

struct link {
	char path[TS_COPY_PATH]; /* of the directory */
	struct ts_lmdb_map map;
	struct ts_increment inc;
};

struct ts_chain {
	struct link *links[LINKS]; /* the newest first */
	size_t n;
	struct ts_engine *base;
	char path[TS_COPY_PATH];
	size_t link; /* while they are read: which one, and which of its records is next */
	uint64_t next;
};

static bool has_file(const char *directory, const char *file)
{
	char path[TS_COPY_PATH + 32];

	(void)snprintf(path, sizeof path, "%s/%s", directory, file);
	return ts_file_kind(path) == TS_FILE_REGULAR;
}

bool ts_chain_is(const char *path)
{
	return strlen(path) < TS_COPY_PATH && !has_file(path, "data.mdb") && has_file(path, TS_INCREMENT_FILE);
}

static void finish(void *owner)
{
	struct ts_chain *chain = owner;

	ts_engine_destroy(chain->base);
	for (size_t i = 0; i < chain->n; i++) {
		ts_map_unfile(&chain->links[i]->map);
		ts_free(chain->links[i]);
	}
	ts_free(chain);
}

/* ---- finding the links ---- */

static enum ts_status map_file(struct link *link, struct ts_error *err)
{
	char file[TS_COPY_PATH + 32];
	uint64_t size;
	int fd, rc;

	(void)snprintf(file, sizeof file, "%s/" TS_INCREMENT_FILE, link->path);
	if (ts_file_open(file, &fd, &size, err))
		return err->status;
	rc = size == 0 ? 0 : ts_map_file(fd, (size_t)size, &link->map);
	(void)close(fd);
	if (rc)
		return ts_error_errno(err, rc, "%s", file);
	if (ts_increment_parse(ts_span_of(link->map.at, link->map.bytes), &link->inc, err))
		return ts_error_prefix(err, "%s", file);
	return TS_OK;
}

static enum ts_status add_link(struct ts_chain *chain, const char *path, struct ts_error *err)
{
	struct link *link;

	if (chain->n == LINKS)
		return ts_error_set(err, TS_TOO_LARGE, "%s builds on more than %d increments; make a whole backup", chain->path, LINKS);
	link = ts_alloc_array(1, sizeof *link);
	if (!link)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to read %s", path);
	(void)snprintf(link->path, sizeof link->path, "%.*s", TS_COPY_PATH - 1, path);
	chain->links[chain->n++] = link;
	return map_file(link, err);
}

static bool is_backup(const char *path)
{
	return has_file(path, "data.mdb") || has_file(path, TS_INCREMENT_FILE);
}

/* The backup before lies beside its increment, or where it lay then. */
static enum ts_status find_before(const struct link *link, char ret[TS_COPY_PATH], struct ts_error *err)
{
	size_t folder = strlen(link->path);
	int len;

	while (folder > 1 && link->path[folder - 1] == '/')
		folder--;
	while (folder && link->path[folder - 1] != '/')
		folder--;
	len = snprintf(ret, TS_COPY_PATH, "%.*s%.*s", (int)folder, link->path, TS_SPAN_ARG(link->inc.name));
	if (len > 0 && len < TS_COPY_PATH && is_backup(ret))
		return TS_OK;
	len = snprintf(ret, TS_COPY_PATH, "%.*s/%.*s", TS_SPAN_ARG(link->inc.folder), TS_SPAN_ARG(link->inc.name));
	if (len > 0 && len < TS_COPY_PATH && is_backup(ret))
		return TS_OK;
	return ts_error_set(err, TS_NOT_FOUND,
			    "%s builds on the backup %.*s, which is neither beside it nor in %.*s: bring it back, or use a backup that "
			    "was made before",
			    link->path, TS_SPAN_ARG(link->inc.name), TS_SPAN_ARG(link->inc.folder));
}

static enum ts_status check_state(const struct link *link, const struct ts_super_slot *slot, const char *before, struct ts_error *err)
{
	struct ts_id state;

	ts_state_of(slot, &state);
	if (ts_id_eq(&state, &link->inc.before))
		return TS_OK;
	return ts_error_set(err, TS_CONFLICT, "%s builds on %s, which holds something else now than when it was built on", link->path,
			    before);
}

/* Finds the increments, and the path of the store below them. */
static enum ts_status find_links(struct ts_chain *chain, char before[TS_COPY_PATH], struct ts_error *err)
{
	if (add_link(chain, chain->path, err))
		return err->status;
	for (;;) {
		const struct link *link = chain->links[chain->n - 1];

		if (find_before(link, before, err))
			return err->status;
		if (has_file(before, "data.mdb"))
			return TS_OK;
		if (add_link(chain, before, err) || check_state(link, &chain->links[chain->n - 1]->inc.slot, before, err))
			return err->status;
	}
}

static enum ts_status open_base(struct ts_chain *chain, const char *path, struct ts_error *err)
{
	struct ts_lmdb_options options = {.path = path, .read_only = true};
	struct ts_super_slot slot;
	enum ts_status status;
	struct ts_read r;

	if (ts_lmdb_open(&options, &chain->base, err) || ts_kv_sound(ts_kv_of(chain->base), false, err) ||
	    ts_read_begin(ts_kv_of(chain->base), &r, err))
		return err->status;
	status = ts_backup_slot(ts_kv_of(chain->base), r, &slot, err);
	ts_read_end(&r);
	return status ? status : check_state(chain->links[chain->n - 1], &slot, path, err);
}

/* ---- as a layer ---- */

static enum ts_status next_record(void *ctx, struct ts_memory_record *ret, bool *ret_found, struct ts_error *err)
{
	struct ts_chain *chain = ctx;
	struct ts_increment_record record;
	const struct link *link;

	while (chain->link && chain->next == chain->links[chain->link - 1]->inc.n) {
		chain->link--;
		chain->next = 0;
	}
	*ret_found = chain->link > 0;
	if (!chain->link)
		return TS_OK;
	link = chain->links[chain->link - 1];
	if (ts_increment_record(&link->inc, chain->next++, &record, err))
		return ts_error_prefix(err, "%s/" TS_INCREMENT_FILE, link->path);
	*ret = (struct ts_memory_record){.db = record.db, .gone = record.gone, .key = record.key, .value = record.value};
	return TS_OK;
}

/* Sums up what the layer shows of a table. */
static enum ts_status sum_table(struct ts_read r, enum ts_db db, struct ts_sum *ret, struct ts_error *err)
{
	struct ts_sum sum = {0, 0};
	enum ts_status status;
	struct ts_walk walk;
	bool found;

	for (status = ts_walk_open(&walk, r, db, ts_span_of(NULL, 0), &found, err); !status && found;
	     status = ts_walk_on(&walk, &found, err)) {
		if (db == TS_DB_META && ts_span_is(walk.key, TS_SUMS_KEY))
			continue;
		sum.records++;
		sum.sum += ts_record_hash(db, walk.key, walk.value);
	}
	ts_walk_end(&walk);
	*ret = sum;
	return status;
}

/* Holds every table to what was backed up. */
static enum ts_status check_tables(struct ts_chain *chain, struct ts_kv *kv, struct ts_error *err)
{
	const struct ts_super_slot *slot = &chain->links[0]->inc.slot;
	enum ts_status status = TS_OK;
	struct ts_sum found;
	struct ts_read r;

	if (ts_read_begin(kv, &r, err))
		return err->status;
	for (int db = 0; db < TS_DBS && !status; db++) {
		if (!ts_db_is_summed((enum ts_db)db))
			continue;
		status = sum_table(r, (enum ts_db)db, &found, err);
		if (!status && (found.records != slot->tables[db].records || found.sum != slot->tables[db].sum))
			status = ts_error_set(err, TS_DAMAGED,
					      "%s: the backup is damaged: it has %" PRIu64 " records of %s, and there were %" PRIu64
					      " or others",
					      chain->path, found.records, ts_scan_word((unsigned)db), slot->tables[db].records);
	}
	ts_read_end(&r);
	return status;
}

static enum ts_status chain_sound(struct ts_kv *kv, bool look, struct ts_error *err)
{
	struct ts_chain *chain = ts_memory_files_of(kv)->owner;

	if (ts_kv_sound(ts_kv_of(chain->base), look, err))
		return err->status;
	return look ? check_tables(chain, kv, err) : TS_OK;
}

/* ---- made a store again ---- */

struct batch {
	struct ts_walk *walk;
	uint8_t from[TS_KEY_MAX]; /* where it begins, whenever it is run */
	size_t from_len;
	bool found;
};

static enum ts_status run_batch(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct batch *batch = ctx;
	struct ts_walk *walk = batch->walk;
	size_t records = 0, bytes = 0;

	if (ts_walk_seek(walk, ts_span_of(batch->from, batch->from_len), &batch->found, err))
		return err->status;
	for (; batch->found && records < RESTORE_RECORDS && bytes < RESTORE_BYTES; records++) {
		bytes += walk->key.len + walk->value.len;
		if (!(walk->db == TS_DB_META && ts_span_is(walk->key, TS_SUMS_KEY)) &&
		    ts_write_put(w, walk->db, walk->key, walk->value, err))
			return err->status;
		if (ts_walk_on(walk, &batch->found, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status copy_table(struct ts_engine *to, struct ts_read r, enum ts_db db, struct ts_error *err)
{
	struct ts_walk walk;
	struct batch batch = {.walk = &walk};
	enum ts_status status = ts_walk_open(&walk, r, db, ts_span_of(NULL, 0), &batch.found, err);

	while (!status && batch.found) {
		batch.from_len = walk.key.len;
		memcpy(batch.from, walk.key.data, walk.key.len);
		status = ts_store_write(ts_store_of(to), run_batch, &batch, RESTORE_BYTES, err);
	}
	ts_walk_end(&walk);
	return status;
}

static enum ts_status copy_tables(const struct ts_copy *copy, struct ts_kv *kv, struct ts_error *err)
{
	struct ts_lmdb_options options = {.path = copy->partial, .create = true, .reserve_bytes = -1};
	enum ts_status status = TS_OK;
	struct ts_engine *to;
	struct ts_read r;

	if (ts_lmdb_open(&options, &to, err))
		return err->status;
	ts_store_of(to)->restoring = true;
	status = ts_read_begin(kv, &r, err);
	if (!status) {
		for (int db = 0; db < TS_DBS && !status; db++)
			if (ts_db_is_summed((enum ts_db)db))
				status = copy_table(to, r, (enum ts_db)db, err);
		ts_read_end(&r);
	}
	ts_engine_destroy(to);
	return status;
}

/* The store gets the superblock of the one that was backed up, and is held to the sums of the last increment. */
static enum ts_status adopt(const struct ts_copy *copy, const struct ts_super_slot *slot, struct ts_error *err)
{
	struct ts_lmdb_options options = {.path = copy->partial, .read_only = true};
	struct ts_super_slot made;
	struct ts_id was, is;
	struct ts_engine *e;
	enum ts_status status;
	struct ts_read r;

	if (ts_copy_adopt(copy, err) || ts_lmdb_open(&options, &e, err))
		return err->status;
	status = ts_read_begin(ts_kv_of(e), &r, err);
	if (!status) {
		status = ts_backup_slot(ts_kv_of(e), r, &made, err);
		ts_read_end(&r);
	}
	ts_engine_destroy(e);
	if (status)
		return status;
	ts_state_of(slot, &was);
	ts_state_of(&made, &is);
	return ts_id_eq(&was, &is) ? TS_OK : ts_error_set(err, TS_DAMAGED, "what was restored is not what was backed up");
}

static enum ts_status chain_backup(struct ts_kv *kv, const char *path, struct ts_error *err)
{
	struct ts_chain *chain = ts_memory_files_of(kv)->owner;
	struct ts_copy copy;
	int rc;

	if (ts_copy_begin(path, "data.mdb", &copy, err))
		return err->status;
	if (check_tables(chain, kv, err) || copy_tables(&copy, kv, err) || adopt(&copy, &chain->links[0]->inc.slot, err)) {
		ts_copy_drop(&copy);
		return err->status;
	}
	rc = ts_copy_end(&copy, path);
	if (!rc)
		return TS_OK;
	(void)ts_error_errno(err, rc, "%s", path);
	ts_copy_drop(&copy);
	return err->status;
}

const struct ts_increment *ts_chain_newest(const struct ts_chain *chain)
{
	return &chain->links[0]->inc;
}

const struct ts_chain *ts_chain_of(struct ts_kv *kv)
{
	const struct ts_memory_files *files = ts_memory_files_of(kv);

	return files ? files->owner : NULL;
}

enum ts_status ts_backup_slot(struct ts_kv *kv, struct ts_read r, struct ts_super_slot *ret, struct ts_error *err)
{
	const struct ts_chain *chain = ts_chain_of(kv);
	struct ts_lmdb_txn *txn = r.txn;
	bool known;

	if (chain) {
		*ret = chain->links[0]->inc.slot;
		return TS_OK;
	}
	if (!ts_env_sums(ts_env_of_kv(kv), &txn->view, ret, &known))
		return ts_error_set(err, TS_UNAVAILABLE, "%s was written meanwhile", kv->where);
	if (known)
		return TS_OK;
	return ts_error_set(err, TS_UNSUPPORTED, "%s is of an older tscope, which summed nothing up: make a whole backup", kv->where);
}

enum ts_status ts_chain_open(const char *path, struct ts_engine **ret_engine, struct ts_error *err)
{
	struct ts_chain *chain = ts_alloc_array(1, sizeof *chain);
	struct ts_memory_files files = {.backup = chain_backup, .sound = chain_sound, .finish = finish, .owner = chain};
	char before[TS_COPY_PATH];
	struct ts_kv *kv;

	if (!chain)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to read %s", path);
	(void)snprintf(chain->path, sizeof chain->path, "%.*s", TS_COPY_PATH - 1, path);
	if (find_links(chain, before, err) || open_base(chain, before, err)) {
		finish(chain);
		return err->status;
	}
	files.where = chain->path;
	files.under = ts_kv_of(chain->base);
	chain->link = chain->n;
	if (ts_memory_kv(&files, next_record, chain, &kv, err)) {
		finish(chain);
		return err->status;
	}
	return ts_store_open(kv, &(struct ts_store){.read_only = true}, ret_engine, err);
}
