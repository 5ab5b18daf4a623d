/* store_verify.c - reads every object again and reports what is damaged or missing.
 *
 * Objects are read in the order in which they lie on disk, a few at a time, in transactions of their own, so that a long
 * verify does not prevent the reuse of pages; closures are walked in one transaction.
 *
 * What is new since the last verify that found all sound: packs are numbered, are not changed, and no number is used twice; so these
 * are the packs from a number on (store_verified.c), and older ones that came to lie elsewhere (`look` in kv.h).
 */
#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/bisect.h"

#include <stdio.h>

enum { NAMED_IDS = 64, BATCH_BYTES = 4 << 20, BATCH_OBJECTS = 256, VOUCH_MOST = 256, PLACE_MOST = 4096 };
static const int64_t SKEW_NS = 24 * 3600 * INT64_C(1000000000); /* by which the clocks of those who move names may differ */

struct verify {
	struct ts_store *store;
	const struct ts_verify_options *options;
	struct ts_verified since; /* what is left out; what the store said when it began, if nothing is */
	struct ts_verified now;	  /* what the store says from now on, if all is sound */
	bool placed;		  /* now.place is known */
	bool only_new;
	struct ts_looked looked;
	struct ts_table table;
	struct ts_row **rows; /* n of them are read */
	size_t n;
	struct ts_idmap damaged;
	struct ts_idmap missing;
	struct ts_count count;
	struct ts_arena arena;
	struct ts_verify_report report;
};

static enum ts_status is_bad(struct verify *v, const struct ts_id *id, struct ts_error *err)
{
	bool added;

	return ts_idmap_add(&v->damaged, id, &added, err);
}

/* Copies the sealed object that a row stands for; *ret_sealed.bytes.data is NULL when the object was swept, or is
 * damaged and noted. */
static enum ts_status copy_row(struct verify *v, struct ts_read r, const struct ts_row *row, struct ts_sealed *ret_sealed,
			       struct ts_error *err)
{
	struct ts_entry record;
	enum ts_status status;
	bool found;

	*ret_sealed = (struct ts_sealed){0};
	status = ts_entry_get(r, &row->id, &record, &found, err);
	if (!status && !found)
		return TS_OK;
	if (!status)
		status = ts_entry_sealed(r, &row->id, &record, ret_sealed, err);
	if (status == TS_DAMAGED) {
		ret_sealed->bytes.data = NULL;
		return is_bad(v, &row->id, err);
	}
	if (status)
		return status;
	ret_sealed->bytes.data = ts_arena_dup(&v->arena, ret_sealed->bytes.data, ret_sealed->bytes.len);
	return ret_sealed->bytes.data ? TS_OK : ts_arena_error(&v->arena, err);
}

/* Says that the entries of the rows from `at` on will be read next. */
static enum ts_status rows_ahead(const struct verify *v, struct ts_read r, size_t at, struct ts_error *err)
{
	struct ts_id ids[BATCH_OBJECTS];
	size_t n = 0;

	for (; n < BATCH_OBJECTS && at + n < v->n; n++)
		ids[n] = v->rows[at + n]->id;
	return ts_entries_ahead(r, ids, sizeof *ids, n, err);
}

/* Copies rows from `at` on, as many as one transaction should read. */
static enum ts_status copy_batch(struct verify *v, size_t at, struct ts_sealed *sealed, size_t *ret_n,
				 struct ts_error *err)
{
	enum ts_status status;
	struct ts_read r;
	size_t n = 0;

	if (ts_read_begin(v->store->kv, &r, err))
		return err->status;
	status = rows_ahead(v, r, at, err);
	while (!status && at + n < v->n && n < BATCH_OBJECTS && v->arena.used < BATCH_BYTES) {
		status = copy_row(v, r, v->rows[at + n], &sealed[n], err);
		n++;
	}
	ts_read_end(&r);
	*ret_n = n;
	return status;
}

static enum ts_status verify_one(struct verify *v, const struct ts_sealed *sealed, struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_arena own;
	struct ts_span bytes;

	v->report.objects++;
	v->report.bytes += sealed->bytes.len;
	if (sealed->bytes.data) {
		ts_arena_init(&own, 0);
		status = ts_sealed_verify(sealed, &own, &bytes, err);
		ts_arena_finish(&own);
	}
	if (status == TS_DAMAGED)
		status = is_bad(v, &sealed->id, err);
	if (!status && v->options->progress && !v->options->progress(v->options->ctx, v->report.objects, v->n))
		return ts_error_set(err, TS_CANCELLED, "verify was stopped");
	return status;
}

static enum ts_status verify_objects(struct verify *v, struct ts_error *err)
{
	struct ts_sealed *sealed = ts_alloc_array(BATCH_OBJECTS, sizeof *sealed);
	enum ts_status status = TS_OK;
	size_t n = 0;

	if (!sealed)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to verify");
	for (size_t at = 0; at < v->n && !status; at += n) {
		ts_arena_reset(&v->arena);
		status = copy_batch(v, at, sealed, &n, err);
		for (size_t i = 0; i < n && !status; i++)
			status = verify_one(v, &sealed[i], err);
	}
	ts_free(sealed);
	return status;
}

/* Where the bytes lie that this one reads. */
static enum ts_status find_place(struct verify *v, struct ts_error *err)
{
	struct ts_buf place = TS_BUF_INIT(PLACE_MOST);
	enum ts_status status = ts_kv_place(v->store->kv, &place, err);

	v->placed = !status;
	if (!status)
		status = ts_buf_check(&place, err);
	if (!status)
		ts_digest(ts_buf_view(&place), &v->now.place);
	ts_buf_finish(&place);
	return status == TS_NOT_FOUND ? TS_OK : status;
}

/* Finds what the last one left, and what this one will say: of packs that come from now on it does not know. What is to be looked at as
 * a whole is not read before. */
static enum ts_status begin(struct verify *v, struct ts_error *err)
{
	enum ts_status status;
	struct ts_read r;

	if (ts_kv_sound(v->store->kv, !v->options->only_new, err) || find_place(v, err) || ts_read_begin(v->store->kv, &r, err))
		return err->status;
	status = ts_verified_read(r, v->placed ? &v->now.place : NULL, &v->since, err);
	if (!status)
		status = ts_read_u64(r, "next_pack", &v->now.pack, err);
	ts_read_end(&r);
	if (status)
		return status;
	v->only_new = v->options->only_new && v->since.is && !v->store->kv->base;
	v->now.is = v->options->more && v->placed && !v->since.copy && !v->store->kv->base && !v->store->read_only;
	v->now.last_ns = ts_kv_now(v->store->kv);
	v->now.whole_ns = v->only_new ? v->since.whole_ns : v->now.last_ns;
	return v->options->only_new && !v->only_new ? ts_kv_sound(v->store->kv, true, err) : TS_OK;
}

static bool is_new(const struct verify *v, const struct ts_row *row)
{
	size_t at = 0;

	TS_BISECT(at, v->looked.n_packs, i, v->looked.packs[i] < row->pack);
	return row->pack >= v->since.pack || (at < v->looked.n_packs && v->looked.packs[at] == row->pack);
}

static void leave_out(struct verify *v)
{
	v->n = 0;
	for (size_t i = 0; i < v->table.n; i++)
		if (is_new(v, v->rows[i]))
			v->rows[v->n++] = v->rows[i];
	v->report.sound_ns = v->since.whole_ns;
	v->report.unread = v->table.n - v->n;
	v->report.moved_ns = v->since.last_ns - SKEW_NS;
	v->table.recent = true;
	v->table.moved_ns = v->table.removed_since_ns = v->report.moved_ns;
}

static enum ts_status load(struct verify *v, struct ts_error *err)
{
	enum ts_status status;
	struct ts_read r;

	v->table.damaged = &v->damaged;
	v->table.missing = &v->missing;
	v->table.removed_since_ns = INT64_MIN;
	if (ts_read_begin(v->store->kv, &r, err))
		return err->status;
	status = ts_table_load(&v->table, v->store, r, err);
	ts_read_end(&r);
	if (status || ts_table_by_pack(&v->table, &v->rows, err))
		return err->status;
	v->n = v->table.n;
	if (v->only_new)
		leave_out(v);
	return TS_OK;
}

static enum ts_status count(struct verify *v, struct ts_read r, struct ts_error *err)
{
	bool complete = false;

	for (size_t i = 0; i < v->table.n; i++)
		v->table.rows[i].named = v->table.rows[i].marked;
	if (ts_count_all(&v->count, &v->table, v->rows, r, err) || ts_named_complete(r, &complete, err))
		return err->status;
	v->report.records += complete ? v->count.n_lacks : 0;
	return TS_OK;
}

static enum ts_status walk_names(struct verify *v, struct ts_error *err)
{
	enum ts_status status;
	struct ts_read r;

	if (ts_read_begin(v->store->kv, &r, err))
		return err->status;
	status = ts_store_verify_records(r, &v->report.records, err);
	if (!status)
		status = ts_table_mark_names(&v->table, r, err);
	if (!status)
		status = ts_table_mark_removed(&v->table, r, err);
	if (!status && !v->only_new)
		status = count(v, r, err);
	ts_read_end(&r);
	return status;
}

/* Names the accounts that use something else than was counted. */
static enum ts_status name_drifts(struct verify *v, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_verify_report *report = &v->report;

	report->drifts = ts_arena_array(arena, NAMED_IDS, sizeof *report->drifts);
	if (!report->drifts)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < v->count.n; i++) {
		const struct ts_tally *tally = &v->count.tallies[i];
		struct ts_drift *drift = &report->drifts[report->n_drifts];

		if (!ts_tally_drifted(tally))
			continue;
		report->drifted++;
		if (report->n_drifts == NAMED_IDS)
			continue;
		drift->counted = tally->account;
		drift->counted.name = ts_arena_span(arena, tally->account.name);
		memcpy(drift->found, tally->found, sizeof drift->found);
		if (!drift->counted.name.data)
			return ts_arena_error(arena, err);
		report->n_drifts++;
	}
	return TS_OK;
}

/* TS_DAMAGED if the checksum of a record is wrong. */
static enum ts_status read_records(struct verify *v, struct ts_engine *e, struct ts_error *err)
{
	struct ts_record *records;
	size_t n;

	return ts_store_record_list(e, ts_span_of(NULL, 0), &v->arena, &records, &n, err);
}

static enum ts_status name_bad(struct verify *v, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_idmap *maps[2] = {&v->damaged, &v->missing};

	v->report.damaged = v->damaged.n;
	v->report.missing = v->missing.n;
	v->report.ids = ts_arena_array(arena, NAMED_IDS, sizeof *v->report.ids);
	if (!v->report.ids)
		return ts_arena_error(arena, err);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < maps[k]->n && v->report.n_ids < NAMED_IDS; i++)
			v->report.ids[v->report.n_ids++] = maps[k]->items[i].id;
	return TS_OK;
}

static bool is_sound(const struct ts_verify_report *report)
{
	return report->damaged + report->missing + report->records == 0;
}

/* ---- what it leaves ---- */

/* Places of packs that are vouched for by one write. */
struct vouching {
	const struct ts_iditem *places;
	size_t n;
};

static enum ts_status run_vouch(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct vouching *vouching = ctx;

	return w->kv->ops->vouch(w, vouching->places, vouching->n, err);
}

/* Of two verifies that overlap, the one that goes by an earlier one says nothing where that is not what counts any more. */
static enum ts_status run_leave(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct verify *v = ctx;
	struct ts_verified is;

	if (ts_verified_read(ts_read_of(w), &v->now.place, &is, err))
		return err->status;
	if (is.copy || (v->only_new && (!is.is || is.pack != v->since.pack || is.whole_ns != v->since.whole_ns)))
		return TS_OK;
	return ts_verified_write(w, &v->now, err);
}

static enum ts_status run_forget(struct ts_write *w, void *ctx, struct ts_error *err)
{
	(void)ctx;
	return ts_verified_forget(w, err);
}

/* The answer holds also where this cannot be written, as on a full disk: the next verify reads more then. */
static void leave(struct verify *v, bool sound)
{
	const struct ts_idmap *places = &v->looked.sound;
	struct ts_error ignored;

	if (!v->now.is)
		return;
	if (!sound) {
		(void)ts_store_write_beside(v->store, run_forget, NULL, 0, &ignored);
		return;
	}
	for (size_t at = 0; at < places->n; at += VOUCH_MOST) {
		size_t n = places->n - at < VOUCH_MOST ? places->n - at : VOUCH_MOST;

		if (ts_store_write_beside(v->store, run_vouch, &(struct vouching){&places->items[at], n}, 0, &ignored))
			return;
	}
	(void)ts_store_write_beside(v->store, run_leave, v, 0, &ignored);
}

/* What was found damaged is written over by nobody. */
static void condemn(struct ts_kv *kv, const struct ts_verify_report *report)
{
	char what[256];

	(void)snprintf(what, sizeof what,
		       "lost are %" PRIu64 " objects that are damaged, %" PRIu64 " that are missing, and %" PRIu64
		       " records of names, logs or notes; sound is all else",
		       report->damaged, report->missing, report->records);
	ts_kv_condemn(kv, what);
}

enum ts_status ts_store_verify(struct ts_engine *e, const struct ts_verify_options *options, struct ts_arena *arena,
			      struct ts_verify_report *ret_report, struct ts_error *err)
{
	static const struct ts_verify_options all = {.only_new = false};
	struct verify v = {.store = ts_store_of(e), .options = options ? options : &all};
	bool sound = true;
	enum ts_status status;

	if (begin(&v, err))
		return err->status;
	ts_arena_init(&v.arena, 0);
	status = ts_kv_look(v.store->kv, v.only_new, &v.looked, err);
	if (!status)
		status = load(&v, err);
	if (!status)
		status = verify_objects(&v, err);
	if (!status)
		status = walk_names(&v, err);
	if (!status)
		status = read_records(&v, e, err);
	if (!status)
		status = name_bad(&v, arena, err);
	if (!status)
		status = name_drifts(&v, arena, err);
	if (!status && v.options->more)
		status = v.options->more(v.options->ctx, &v.report, &sound, err);
	if (!status)
		leave(&v, sound && is_sound(&v.report));
	ts_looked_finish(&v.looked);
	ts_count_finish(&v.count);
	ts_table_finish(&v.table);
	ts_free(v.rows);
	ts_idmap_finish(&v.damaged);
	ts_idmap_finish(&v.missing);
	ts_arena_finish(&v.arena);
	if (status)
		return status;
	if (!is_sound(&v.report))
		condemn(v.store->kv, &v.report);
	*ret_report = v.report;
	return TS_OK;
}
