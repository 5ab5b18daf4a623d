/* store_sweep.c - frees what no ref and no lease reaches, while this and other processes push.
 *
 *  0. Removed names that expired are forgotten, one in a transaction.
 *  1. A read transaction lists all objects and marks what refs reach. Nobody waits for this, however long it takes.
 *  2. A write of a few records makes this the sweep that deletes. Until it is over, a commit trusts no TS_COMPLETE and leases
 *     everything that its names reach, and who asks for an object renews a lease that this sweep would not honour.
 *  3. A second read transaction marks again from every ref (only what moved since 1 is new), reads the leases anew and marks
 *     what leased objects reach.
 *  4. Small write transactions go through the records that no ref reaches, those of one page together. What is marked or was leased
 *     since 3 stays and loses TS_COMPLETE; the rest is deleted. Others delete the packs that no record names any more.
 *  5. Small write transactions write what is left of packs that are mostly dead into new packs.
 *  6. A write puts what projects and senders were counted to use right by what 3 found, others add what projects reach, and the last
 *     one says that the sweep is over.
 *
 * Why that is right: a name that comes before 2 is seen by 3, and one that comes later has leased what it reaches before 4 can delete
 * it. Between two transactions of 4 an object may be there without what it refers to: no commit trusts its TS_COMPLETE before 6, and
 * by then it has lost it. A sweep that was killed leaves the mark of 2, so nothing is trusted until another one was run to its end. A
 * sweep that begins takes the mark over from one that is running, whose next write fails. The number of a pack is never used twice, and
 * no pack gains objects after it was written, so a pack whose rows are all gone or moved holds nothing else.
 */
#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/clock.h"

#include <assert.h>
#include <time.h>

enum {
	MOVE_BYTES = 4 << 20,
	ROWS_MOST = 1024,   /* records that one transaction deletes: in the worst case each is in a page of its own, 4 MiB */
	PACKS_MOST = 256,
	EXTRACTS_MOST = 4096,
	PAUSE_NS = 1000000, /* after each transaction, so that another process gets its turn */
};

struct sweep {
	struct ts_store *store;
	struct ts_table table;
	struct ts_row **rows; /* by pack */
	int64_t now_ns;	      /* as far as it is believed */
	struct ts_believed believed;
	int64_t since_ns;     /* leases newer than this are valid */
	int64_t removed_ns;
	bool more;	      /* names may have expired */
	uint64_t number;      /* of this sweep, among all of the store */
	uint64_t next_pack;   /* the next pack number when the rows were listed */
	struct ts_sweep_report report;
	size_t from, to;      /* the rows of one transaction */
	struct ts_sweep_report done; /* by that transaction */
	uint64_t *packs;      /* which no record names */
	size_t n_packs;
	struct ts_extracts_place place, next_place;
	struct ts_count count;
	struct ts_bill bill; /* what senders get back by one transaction */
	bool dry_run;
	const struct ts_retired *without;
	size_t n_without;
};

enum ts_status ts_sweeping_read(struct ts_read r, struct ts_sweeping *ret, struct ts_error *err)
{
	struct ts_sweeping sweeping = {0};
	uint64_t since;

	if (ts_read_u64(r, "sweeping", &sweeping.number, err) || ts_read_u64(r, "sweep_since", &since, err))
		return err->status;
	sweeping.since_ns = (int64_t)since;
	*ret = sweeping;
	return TS_OK;
}

bool ts_sweeping_honours(const struct ts_sweeping *sweeping, int64_t lease_ns, int64_t now_ns)
{
	return !sweeping->number || (lease_ns > sweeping->since_ns && !ts_lease_is_ahead(lease_ns, now_ns));
}

int64_t ts_sweeping_lease(const struct ts_sweeping *sweeping, int64_t now_ns)
{
	return sweeping->number && now_ns <= sweeping->since_ns ? sweeping->since_ns + 1 : now_ns;
}

/* Whether a lease is valid. One from a clock that ran ahead counts as made now. */
static bool holds(const struct sweep *s, int64_t lease_ns)
{
	return (ts_lease_is_ahead(lease_ns, s->now_ns) ? s->now_ns : lease_ns) > s->since_ns;
}

/* ---- what is dead ---- */

static enum ts_status load_and_mark(struct sweep *s, struct ts_error *err)
{
	enum ts_status status;
	struct ts_read r;

	if (ts_read_begin(s->store->kv, &r, err))
		return err->status;
	status = ts_read_u64(r, "next_pack", &s->next_pack, err);
	if (!status)
		status = ts_table_load(&s->table, s->store, r, err);
	if (!status)
		status = ts_table_mark_names(&s->table, r, err);
	ts_read_end(&r);
	return status ? status : ts_table_by_pack(&s->table, &s->rows, err);
}

/* Sums up what was marked since the last call, and is reached by names from now on. */
static void name_marked(struct ts_table *t, uint64_t *ret_n, uint64_t *ret_bytes)
{
	*ret_n = *ret_bytes = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct ts_row *row = &t->rows[i];

		*ret_n += row->marked && !row->named;
		*ret_bytes += row->marked && !row->named ? row->len : 0;
		row->named = row->marked;
	}
}

/* Reads the current state of a row: another process may have swept it, or have renewed its lease. */
static enum ts_status refresh(struct sweep *s, struct ts_read r, struct ts_error *err)
{
	for (size_t i = 0; i < s->table.n; i++) {
		struct ts_row *row = &s->table.rows[i];
		struct ts_entry record;
		bool found;

		row->gone = false;
		if (row->named)
			continue;
		if (ts_budget_check(err) || ts_entry_get(r, &row->id, &record, &found, err))
			return err->status;
		row->gone = !found;
		if (found)
			row->lease_ns = record.lease_ns;
	}
	return TS_OK;
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

		if (!row->marked && !row->gone && holds(s, row->lease_ns))
			status = ts_table_mark_from(&s->table, r, &row->id, &closure, err);
	}
	ts_closure_finish(&closure);
	s->table.damaged = NULL;
	s->table.missing = NULL;
	ts_idmap_finish(&lost);
	return status;
}

/* ---- what would go without some names ---- */

static enum ts_status leave_out(struct sweep *s, const struct ts_sweep_options *options, struct ts_error *err)
{
	for (size_t i = 0; i < options->n_without; i++) {
		const struct ts_retired *item = &options->without[i];
		uint8_t room[TS_LOG_KEY_MAX];
		struct ts_span key = item->kind == TS_REF_BRANCH ? ts_log_key(item->kind, item->name, item->seq, room)
								 : ts_ref_key(item->kind, item->name, room);
		struct ts_id digest;
		bool added;

		ts_digest(key, &digest);
		if (ts_idmap_add(&s->table.without, &digest, &added, err))
			return err->status;
	}
	return TS_OK;
}

/* Marks what they reach, and nothing that was marked before. */
static enum ts_status mark_left_out(struct sweep *s, struct ts_read r, struct ts_error *err)
{
	struct ts_closure closure;
	enum ts_status status = TS_OK;

	ts_table_closure(&s->table, &closure);
	for (size_t i = 0; i < s->n_without && !status; i++)
		status = ts_table_mark_from(&s->table, r, &s->without[i].id, &closure, err);
	ts_closure_finish(&closure);
	name_marked(&s->table, &s->report.retired, &s->report.retired_bytes);
	return status;
}

static void count_rows(struct sweep *s)
{
	for (size_t i = 0; i < s->table.n; i++) {
		const struct ts_row *row = &s->table.rows[i];

		s->report.kept += row->marked;
		s->report.leased += row->marked && !row->named;
		s->report.freed += !row->marked && !row->gone;
		s->report.freed_bytes += row->marked || row->gone ? 0 : row->len;
	}
}

static enum ts_status decide(struct sweep *s, struct ts_error *err)
{
	enum ts_status status;
	uint64_t n, bytes;
	struct ts_read r;

	if (ts_read_begin(s->store->kv, &r, err))
		return err->status;
	status = ts_table_mark_names(&s->table, r, err);
	name_marked(&s->table, &n, &bytes);
	if (!status)
		status = ts_table_mark_removed(&s->table, r, err);
	name_marked(&s->table, &s->report.removed, &s->report.removed_bytes);
	if (!status && !s->dry_run)
		status = ts_count_all(&s->count, &s->table, s->rows, r, err);
	if (!status)
		status = mark_left_out(s, r, err);
	if (!status)
		status = refresh(s, r, err);
	if (!status)
		status = mark_leased(s, r, err);
	ts_read_end(&r);
	if (!status)
		count_rows(s);
	return status;
}

/* ---- small transactions ---- */

static enum ts_status check_mine(const struct sweep *s, struct ts_write *w, struct ts_error *err)
{
	struct ts_sweeping now;

	if (ts_sweeping_read(ts_read_of(w), &now, err))
		return err->status;
	if (now.number != s->number)
		return ts_error_set(err, TS_CONFLICT, "another gc of this store began meanwhile, and goes on in place of this one");
	return TS_OK;
}

static enum ts_status run_begin(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct sweep *s = ctx;

	if (ts_read_u64(ts_read_of(w), "sweeps", &s->number, err))
		return err->status;
	s->number++;
	if (ts_write_u64(w, "sweeps", s->number, err) || ts_write_u64(w, "sweeping", s->number, err) ||
	    (s->believed.next.boot && ts_swept_time_write(w, &s->believed.next, err)))
		return err->status;
	return ts_write_u64(w, "sweep_since", (uint64_t)s->since_ns, err);
}

static enum ts_status run_end(struct ts_write *w, void *ctx, struct ts_error *err)
{
	return check_mine(ctx, w, err) ? err->status : ts_write_u64(w, "sweeping", 0, err);
}

/* Runs a write, and then lets another process have its turn. A sweep that nobody waits for ends between two writes, like one that was
 * killed there. */
static enum ts_status step(struct sweep *s, ts_write_fn *run, size_t bytes, struct ts_error *err)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	enum ts_status status = ts_budget_check(err);

	assert(s->number && !s->dry_run); /* it is the sweep that deletes */
	if (!status)
		status = ts_store_write(s->store, run, s, bytes, err);
	(void)nanosleep(&pause, NULL);
	return status;
}

/* ---- records ---- */

static enum ts_status settle(struct sweep *s, struct ts_write *w, struct ts_row *row, struct ts_error *err)
{
	struct ts_entry record;
	bool found;

	if (ts_entry_get(ts_read_of(w), &row->id, &record, &found, err))
		return err->status;
	row->gone = !found || record.pack != row->pack;
	if (!found)
		return TS_OK;
	if (row->marked || holds(s, record.lease_ns)) {
		bool ahead = !s->believed.behind && ts_lease_is_ahead(record.lease_ns, s->now_ns);

		s->done.leased += !row->marked;
		if (!(record.flags & TS_COMPLETE) && !ahead)
			return TS_OK;
		record.flags &= (uint8_t)~TS_COMPLETE;
		if (ahead)
			record.lease_ns = s->now_ns;
		return ts_entry_put(w, &row->id, &record, err);
	}
	row->gone = true;
	s->done.freed++;
	s->done.freed_bytes += record.len;
	if (ts_unnamed_drop(w, record.pack, record.offset, &s->bill, err) || ts_named_drop(w, record.pack, record.offset, err))
		return err->status;
	return ts_write_delete(w, TS_DB_OBJECTS, ts_id_span(&row->id), err);
}

static enum ts_status run_settle(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct sweep *s = ctx;
	uint64_t stored;

	assert(s->from < s->to && s->to <= s->table.n && !s->dry_run);
	s->done = (struct ts_sweep_report){0};
	s->bill.n = 0;
	if (check_mine(s, w, err) || ts_read_u64(ts_read_of(w), "stored", &stored, err))
		return err->status;
	for (size_t i = s->from; i < s->to; i++)
		if (!s->table.rows[i].named && settle(s, w, &s->table.rows[i], err))
			return err->status;
	if (!s->done.freed)
		return TS_OK;
	if (ts_bill_write(&s->bill, w, err))
		return err->status;
	return ts_write_u64(w, "stored", stored > s->done.freed_bytes ? stored - s->done.freed_bytes : 0, err);
}

/* Returns the end of the rows from `from` on of which `most` are not named. */
static size_t rows_end(const struct sweep *s, size_t from, size_t most)
{
	size_t to = from;

	for (size_t n = 0; to < s->table.n && n < most; to++)
		n += !s->table.rows[to].named;
	return to;
}

/* On a full disk a smaller transaction may still find pages. */
static enum ts_status settle_all(struct sweep *s, struct ts_error *err)
{
	size_t most = ROWS_MOST;

	s->report.freed = s->report.freed_bytes = 0;
	for (s->from = 0; s->from < s->table.n;) {
		s->to = rows_end(s, s->from, most);
		if (step(s, run_settle, most * TS_RECORD_BYTES, err)) {
			if (err->status != TS_FULL || most == 1)
				return err->status;
			most = most / 4 ? most / 4 : 1;
			continue;
		}
		s->report.freed += s->done.freed;
		s->report.freed_bytes += s->done.freed_bytes;
		s->report.kept += s->done.leased;
		s->report.leased += s->done.leased;
		s->from = s->to;
		most = most * 2 < ROWS_MOST ? most * 2 : ROWS_MOST;
	}
	return TS_OK;
}

/* ---- packs ---- */

/* Returns the end of the rows that are in the same pack as the row at `from`. */
static size_t pack_end(const struct sweep *s, size_t from)
{
	size_t to = from + 1;

	while (to < s->table.n && s->rows[to]->pack == s->rows[from]->pack)
		to++;
	return to;
}

static enum ts_status delete_pack(struct ts_write *w, uint64_t pack, struct ts_error *err)
{
	uint8_t key[8];

	ts_pack_key(pack, key);
	return ts_write_delete(w, TS_DB_PACKS, ts_span_of(key, sizeof key), err);
}

static uint64_t pack_of_key(struct ts_span key)
{
	return ts_load_be(key.data, key.len);
}

/* Lists the packs of which no row is left; a sweep that was killed can have left such packs, too. Both lists are sorted. A key of
 * another length is no pack's, and lies behind them all. */
static enum ts_status list_empty_packs(struct sweep *s, struct ts_read r, struct ts_error *err)
{
	struct ts_walk walk;
	enum ts_status status;
	uint64_t packs;
	uint8_t first[8];
	size_t row = 0;
	bool found;

	s->n_packs = 0;
	if (ts_read_count(r, TS_DB_PACKS, &packs, err))
		return err->status;
	s->packs = ts_alloc_array((size_t)packs + 1, sizeof *s->packs);
	if (!s->packs)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a list of packs");
	if (ts_walk_begin(&walk, r, TS_DB_PACKS, err))
		return err->status;
	walk.keys = true;
	ts_pack_key(r.kv->first_pack, first);
	status = ts_walk_seek(&walk, ts_span_of(first, sizeof first), &found, err);
	while (!status && found && walk.key.len == sizeof first && pack_of_key(walk.key) < s->next_pack) {
		uint64_t pack = pack_of_key(walk.key);

		while (row < s->table.n && (s->rows[row]->pack < pack || (s->rows[row]->pack == pack && s->rows[row]->gone)))
			row++;
		if (row == s->table.n || s->rows[row]->pack != pack)
			s->packs[s->n_packs++] = pack;
		status = ts_walk_next(&walk, &found, err);
	}
	ts_walk_end(&walk);
	return status;
}

static enum ts_status run_delete_packs(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct sweep *s = ctx;

	if (check_mine(s, w, err))
		return err->status;
	for (size_t i = s->from; i < s->to; i++)
		if (delete_pack(w, s->packs[i], err))
			return err->status;
	return TS_OK;
}

static enum ts_status delete_packs(struct sweep *s, struct ts_error *err)
{
	size_t most = PACKS_MOST;
	enum ts_status status;
	struct ts_read r;

	if (ts_read_begin(s->store->kv, &r, err))
		return err->status;
	status = list_empty_packs(s, r, err);
	ts_read_end(&r);
	for (s->from = 0; !status && s->from < s->n_packs;) {
		s->to = s->from + most < s->n_packs ? s->from + most : s->n_packs;
		status = step(s, run_delete_packs, 0, err);
		if (status == TS_FULL && most > 1) {
			most = most / 4 ? most / 4 : 1;
			status = TS_OK;
			continue;
		}
		s->from = s->to;
	}
	ts_free(s->packs);
	s->packs = NULL;
	return status;
}

/* ---- extracts, removed names ---- */

static enum ts_status run_sweep_extracts(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct sweep *s = ctx;

	s->next_place = s->place;
	return check_mine(s, w, err) ? err->status : ts_store_extracts_sweep(w, &s->next_place, EXTRACTS_MOST, err);
}

static enum ts_status run_sweep_sent(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct sweep *s = ctx;

	s->next_place = s->place;
	return check_mine(s, w, err) ? err->status : ts_sent_sweep(w, &s->next_place, s->now_ns, s->since_ns, err);
}

/* Sweeps a database by some of its records at a time. */
static enum ts_status sweep_database(struct sweep *s, ts_write_fn *run, struct ts_error *err)
{
	s->place.len = 0;
	do {
		if (step(s, run, 0, err))
			return err->status;
		s->place = s->next_place;
	} while (s->place.len);
	return TS_OK;
}

static enum ts_status run_expire(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct sweep *s = ctx;

	return ts_removed_expire(w, s->now_ns, s->removed_ns, !s->believed.behind, &s->more, err);
}

static enum ts_status expire(struct sweep *s, struct ts_error *err)
{
	do {
		if (ts_store_write(s->store, run_expire, s, 0, err))
			return err->status;
	} while (s->more);
	return TS_OK;
}

/* ---- moving ---- */

static enum ts_status move_row(struct ts_packer *packer, const struct ts_row *row, struct ts_span bytes, struct ts_entry *record,
			       struct ts_error *err)
{
	uint32_t offset = record->offset;

	if (ts_packer_add(packer, &row->id, bytes, record, err) ||
	    ts_named_move(packer->w, row->pack, offset, record->pack, record->offset, err))
		return err->status;
	return row->named ? TS_OK : ts_unnamed_move(packer->w, row->pack, offset, record->pack, record->offset, err);
}

/* Moves the live objects of the packs of rows [from, to) into new packs, and deletes the old packs. */
static enum ts_status run_move(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct sweep *s = ctx;
	struct ts_span *parts = ts_alloc_array(s->to - s->from, sizeof *parts);
	struct ts_packer packer;
	enum ts_status status;

	if (!parts)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to move %zu objects", s->to - s->from);
	status = check_mine(s, w, err);
	if (!status)
		status = ts_packer_begin(&packer, w, parts, err);
	for (size_t i = s->from; i < s->to && !status; i++) {
		const struct ts_row *row = s->rows[i];
		struct ts_entry record;
		struct ts_sealed sealed;
		bool found;

		if (row->gone)
			continue;
		status = ts_entry_get(ts_read_of(w), &row->id, &record, &found, err);
		if (status || !found || record.pack != row->pack)
			continue;
		status = ts_entry_sealed(ts_read_of(w), &row->id, &record, &sealed, err);
		if (!status)
			status = move_row(&packer, row, sealed.bytes, &record, err);
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
		live += s->rows[i]->gone ? 0 : s->rows[i]->len;
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
			if (step(s, run_move, bytes, err))
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
	return s->from < s->to ? step(s, run_move, bytes, err) : TS_OK;
}

static enum ts_status sweep(struct sweep *s, struct ts_error *err)
{
	enum ts_status status;

	if (ts_store_write(s->store, run_begin, s, 0, err) || decide(s, err) || settle_all(s, err) || delete_packs(s, err) ||
	    sweep_database(s, run_sweep_extracts, err) || sweep_database(s, run_sweep_sent, err))
		return err->status;
	status = move_sparse(s, err);
	if (status && status != TS_FULL) /* without room to move anything, what was freed is free all the same */
		return status;
	if (ts_store_write(s->store, ts_count_settle, &s->count, 0, err) && err->status != TS_FULL)
		return err->status;
	if (ts_count_name(s->store, &s->count, err) && err->status != TS_FULL)
		return err->status;
	return ts_store_write(s->store, run_end, s, 0, err);
}

/* What the clock of this machine is ahead of the one that all share; 0 where that is the same. Less than a second is no skew, but the
 * time in which that clock's answer came: removed names have the times of servers, and would be kept or freed by it. */
static int64_t ahead_of_shared(struct ts_kv *kv)
{
	enum { ANSWER_NS = 1000000000 };

	for (; kv; kv = kv->base)
		if (kv->ops->now) {
			int64_t ahead_ns = ts_now_real_ns() - kv->ops->now(kv);

			return ahead_ns > -ANSWER_NS && ahead_ns < ANSWER_NS ? 0 : ahead_ns;
		}
	return 0;
}

static enum ts_status believe(struct sweep *s, const struct ts_sweep_options *options, struct ts_error *err)
{
	int64_t now_ns = options->now_ns - ahead_of_shared(s->store->kv);
	struct ts_swept_time last;
	enum ts_status status;
	struct ts_read r;

	if (ts_read_begin(s->store->kv, &r, err))
		return err->status;
	status = ts_swept_time_read(r, &last, err);
	ts_read_end(&r);
	if (status)
		return status;
	ts_clock_believe(&last, options->clock, now_ns, &s->believed);
	s->now_ns = s->believed.now_ns;
	s->since_ns = s->now_ns - options->lease_ns;
	s->table.removed_since_ns = s->now_ns - options->removed_ns;
	s->report.ahead_ns = options->now_ns - s->now_ns;
	return TS_OK;
}

enum ts_status ts_store_sweep(struct ts_engine *e, const struct ts_sweep_options *options, struct ts_sweep_report *ret_report,
			     struct ts_error *err)
{
	struct sweep s = {.store = ts_store_of(e),
			  .removed_ns = options->removed_ns,
			  .dry_run = options->dry_run,
			  .without = options->without,
			  .n_without = options->dry_run ? options->n_without : 0};
	enum ts_status status = believe(&s, options, err);

	if (!status && s.store->kv->ops->tidy)
		s.store->kv->ops->tidy(s.store->kv);
	if (!status)
		status = options->dry_run ? leave_out(&s, options, err) : expire(&s, err);
	if (!status)
		status = load_and_mark(&s, err);
	if (!status)
		status = options->dry_run ? decide(&s, err) : sweep(&s, err);
	ts_table_finish(&s.table);
	ts_free(s.rows);
	ts_count_finish(&s.count);
	ts_bill_finish(&s.bill);
	if (!status)
		*ret_report = s.report;
	return status;
}
