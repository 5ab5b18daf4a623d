/* lmdb_sweep.c - frees what no ref and no lease reaches, while this and other processes push.
 *
 *  1. A read transaction lists all objects and marks what refs reach. Nobody waits for this, however long it takes.
 *  2. One write transaction, so that no ref moves meanwhile, marks again from every ref (only what changed since is new), reads the
 *     leases anew and marks what leased objects reach. Then it deletes the records that are left unmarked, and every pack whose
 *     objects are all gone. Marks are never taken back, so an object that lost its ref since step 1 stays for the next sweep; an
 *     object that was put since is not in the list, and stays.
 *  3. Small write transactions write what is left of packs that are mostly dead into new packs.
 *
 * Why that is right: the set that step 2 keeps is closed under references, so no record that stays (with its TS_COMPLETE
 * flag) refers to one that is deleted. The number of a pack is never used twice, and no pack gains objects after it was
 * written, so a pack whose rows are all dead or moved holds nothing else. A crash between transactions leaves a store that
 * is merely larger.
 */
#include "store/lmdb_internal.h"

#include "base/alloc.h"

enum { MOVE_BYTES = 16 << 20 };

struct sweep {
	struct ts_lmdb *l;
	struct ts_table table;
	struct ts_row **rows; /* by pack */
	int64_t since_ns;     /* leases newer than this are valid */
	uint64_t next_pack;   /* the next pack number when the rows were listed */
	struct ts_sweep_report report;
	size_t from, to; /* the rows of the packs that one step moves */
};

static enum ts_status load_and_mark(struct sweep *s, struct ts_error *err)
{
	enum ts_status status;
	struct ts_read r;

	if (ts_read_begin(s->l->env, &r, err))
		return err->status;
	status = ts_read_u64(r, "next_pack", &s->next_pack, err);
	if (!status)
		status = ts_table_load(&s->table, r, err);
	if (!status)
		status = ts_table_mark_names(&s->table, r, err);
	ts_read_end(&r);
	return status ? status : ts_table_by_pack(&s->table, &s->rows, err);
}

/* Reads the current state of a row: another process may have swept it, or have renewed its lease. */
static enum ts_status refresh(struct sweep *s, struct ts_read r, struct ts_error *err)
{
	for (size_t i = 0; i < s->table.n; i++) {
		struct ts_row *row = &s->table.rows[i];
		struct ts_entry record;
		bool found;

		row->gone = false;
		if (row->marked)
			continue;
		if (ts_entry_get(r, &row->id, &record, &found, err))
			return err->status;
		row->gone = !found;
		if (found)
			row->lease_ns = record.lease_ns;
	}
	return TS_OK;
}

static uint64_t count_marked(const struct ts_table *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->rows[i].marked;
	return n;
}

/* Marks the objects that have a valid lease, and what they refer to. References of an object that cannot be followed do
 * not matter here, since no name needs that object. */
static enum ts_status mark_leased(struct sweep *s, struct ts_read r, struct ts_error *err)
{
	struct ts_idmap lost = {0};
	struct ts_closure closure;
	enum ts_status status = TS_OK;

	s->table.damaged = &lost;
	s->table.missing = &lost;
	ts_table_closure(&s->table, &closure);
	for (size_t i = 0; i < s->table.n && !status; i++) {
		const struct ts_row *row = &s->table.rows[i];

		if (!row->marked && !row->gone && row->lease_ns > s->since_ns)
			status = ts_table_mark_from(&s->table, r, &row->id, &closure, err);
	}
	ts_closure_finish(&closure);
	s->table.damaged = NULL;
	s->table.missing = NULL;
	ts_idmap_finish(&lost);
	return status;
}

static enum ts_status decide(struct sweep *s, struct ts_read r, struct ts_error *err)
{
	uint64_t named = count_marked(&s->table);

	if (refresh(s, r, err) || mark_leased(s, r, err))
		return err->status;
	s->report = (struct ts_sweep_report){.kept = count_marked(&s->table)};
	s->report.leased = s->report.kept - named;
	for (size_t i = 0; i < s->table.n; i++) {
		const struct ts_row *row = &s->table.rows[i];

		s->report.freed += !row->marked && !row->gone;
		s->report.freed_bytes += row->marked || row->gone ? 0 : row->len;
	}
	return TS_OK;
}

/* Returns the end of the rows that are in the same pack as the row at `from`. */
static size_t pack_end(const struct sweep *s, size_t from)
{
	size_t to = from + 1;

	while (to < s->table.n && s->rows[to]->pack == s->rows[from]->pack)
		to++;
	return to;
}

static bool any_marked(const struct sweep *s, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (s->rows[i]->marked)
			return true;
	return false;
}

static enum ts_status delete_pack(struct ts_write *w, uint64_t pack, struct ts_error *err)
{
	uint8_t key[8];

	ts_pack_key(pack, key);
	return ts_write_delete(w, TS_DB_PACKS, ts_span_of(key, sizeof key), err);
}

static uint64_t pack_of_key(struct ts_span key)
{
	uint64_t pack = 0;

	for (size_t i = 0; i < key.len; i++)
		pack = pack << 8 | key.data[i];
	return pack;
}

/* Deletes packs that have no row left: two sweeps of two processes can leave such packs. Both lists are sorted. */
static enum ts_status delete_orphans(struct sweep *s, struct ts_write *w, struct ts_error *err)
{
	struct ts_walk walk;
	enum ts_status status;
	uint8_t next[8];
	size_t row = 0;
	bool found;

	if (ts_walk_begin(&walk, ts_read_of(w), TS_DB_PACKS, err))
		return err->status;
	status = ts_walk_seek(&walk, ts_span_of(NULL, 0), &found, err);
	while (!status && found && pack_of_key(walk.key) < s->next_pack) {
		uint64_t pack = pack_of_key(walk.key);

		while (row < s->table.n && s->rows[row]->pack < pack)
			row++;
		if (row == s->table.n || s->rows[row]->pack != pack)
			status = delete_pack(w, pack, err);
		ts_pack_key(pack + 1, next);
		if (!status)
			status = ts_walk_seek(&walk, ts_span_of(next, sizeof next), &found, err);
	}
	ts_walk_end(&walk);
	return status;
}

static enum ts_status delete_dead(struct sweep *s, struct ts_write *w, struct ts_error *err)
{
	uint64_t stored;
	size_t to;

	for (size_t from = 0; from < s->table.n; from = to) {
		to = pack_end(s, from);
		for (size_t i = from; i < to; i++)
			if (!s->rows[i]->marked && !s->rows[i]->gone &&
			    ts_write_delete(w, TS_DB_OBJECTS, ts_id_span(&s->rows[i]->id), err))
				return err->status;
		if (!any_marked(s, from, to) && delete_pack(w, s->rows[from]->pack, err))
			return err->status;
	}
	if (delete_orphans(s, w, err) || ts_lmdb_extracts_sweep(w, err) || ts_read_u64(ts_read_of(w), "stored", &stored, err))
		return err->status;
	return ts_write_u64(w, "stored", stored > s->report.freed_bytes ? stored - s->report.freed_bytes : 0, err);
}

static enum ts_status run_sweep(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct sweep *s = ctx;

	if (ts_table_mark_names(&s->table, ts_read_of(w), err) || decide(s, ts_read_of(w), err) || ts_lmdb_notes_forget(w, err))
		return err->status;
	return s->report.freed ? delete_dead(s, w, err) : TS_OK;
}

/* Moves the marked objects of the packs of rows [from, to) into new packs, and deletes the old packs. */
static enum ts_status run_move(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct sweep *s = ctx;
	struct ts_span *parts = ts_alloc_array(s->to - s->from, sizeof *parts);
	struct ts_packer packer;
	enum ts_status status;

	if (!parts)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to move %zu objects", s->to - s->from);
	status = ts_packer_begin(&packer, w, parts, err);
	for (size_t i = s->from; i < s->to && !status; i++) {
		const struct ts_row *row = s->rows[i];
		struct ts_entry record;
		struct ts_sealed sealed;
		bool found;

		if (!row->marked)
			continue;
		status = ts_entry_get(ts_read_of(w), &row->id, &record, &found, err);
		if (status || !found || record.pack != row->pack)
			continue;
		status = ts_entry_sealed(ts_read_of(w), &row->id, &record, &sealed, err);
		if (!status)
			status = ts_packer_add(&packer, &row->id, sealed.bytes, &record, err);
	}
	if (!status)
		status = ts_packer_end(&packer, err);
	for (size_t i = s->from; i < s->to && !status; i++)
		if (i == s->from || s->rows[i]->pack != s->rows[i - 1]->pack)
			status = delete_pack(w, s->rows[i]->pack, err);
	ts_free(parts);
	return status;
}

/* Returns whether more than a quarter of a pack is garbage. */
static bool is_sparse(const struct sweep *s, size_t from, size_t to, size_t *ret_live, size_t *ret_size)
{
	size_t live = 0;
	size_t size = 0;

	for (size_t i = from; i < to; i++) {
		size_t end = (size_t)s->rows[i]->offset + s->rows[i]->len;

		size = end > size ? end : size;
		live += s->rows[i]->marked ? s->rows[i]->len : 0;
	}
	*ret_live = live;
	*ret_size = size;
	return live && live < size - size / 4;
}

/* Sparse packs that are adjacent are moved in one step. */
static enum ts_status move_sparse(struct sweep *s, struct ts_error *err)
{
	size_t bytes = 0;
	size_t to;

	s->from = s->to = 0;
	for (size_t from = 0; from < s->table.n; from = to) {
		size_t live;
		size_t size;
		bool sparse;

		to = pack_end(s, from);
		sparse = is_sparse(s, from, to, &live, &size);
		if (s->from < s->to && (!sparse || bytes + live > MOVE_BYTES)) {
			if (ts_lane_run(s->l, run_move, s, bytes, err))
				return err->status;
			s->from = s->to;
		}
		if (!sparse)
			continue;
		if (s->from == s->to) {
			s->from = from;
			bytes = 0;
		}
		s->to = to;
		bytes += live;
	}
	return s->from < s->to ? ts_lane_run(s->l, run_move, s, bytes, err) : TS_OK;
}

static enum ts_status count_only(struct sweep *s, struct ts_error *err)
{
	enum ts_status status;
	struct ts_read r;

	if (ts_read_begin(s->l->env, &r, err))
		return err->status;
	status = decide(s, r, err);
	ts_read_end(&r);
	return status;
}

enum ts_status ts_lmdb_sweep(struct ts_engine *e, int64_t now_ns, int64_t lease_ns, bool dry_run,
			     struct ts_sweep_report *ret_report, struct ts_error *err)
{
	struct sweep s = {.l = (struct ts_lmdb *)(void *)e, .since_ns = now_ns - lease_ns};
	enum ts_status status;

	ts_env_check_readers(s.l->env);
	status = load_and_mark(&s, err);
	if (!status)
		status = dry_run ? count_only(&s, err) : ts_lane_run(s.l, run_sweep, &s, 0, err);
	if (!status && !dry_run)
		status = move_sparse(&s, err);
	ts_table_finish(&s.table);
	ts_free(s.rows);
	if (!status)
		*ret_report = s.report;
	return status;
}
