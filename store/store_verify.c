/* store_verify.c - reads every object again and reports what is damaged or missing.
 *
 * Objects are read in the order in which they lie on disk, a few at a time, in transactions of their own, so that a long
 * verify does not prevent the reuse of pages; closures are walked in one transaction.
 */
#include "store/store_internal.h"

#include "base/alloc.h"

#include <stdio.h>

enum { NAMED_IDS = 64, BATCH_BYTES = 4 << 20, BATCH_OBJECTS = 256 };

struct verify {
	struct ts_store *store;
	bool (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
	struct ts_table table;
	struct ts_row **rows;
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

/* Copies rows from `at` on, as many as one transaction should read. */
static enum ts_status copy_batch(struct verify *v, size_t at, struct ts_sealed *sealed, size_t *ret_n,
				 struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_read r;
	size_t n = 0;

	if (ts_read_begin(v->store->kv, &r, err))
		return err->status;
	while (!status && at + n < v->table.n && n < BATCH_OBJECTS && v->arena.used < BATCH_BYTES) {
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
	if (!status && v->progress && !v->progress(v->ctx, v->report.objects, v->table.n))
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
	for (size_t at = 0; at < v->table.n && !status; at += n) {
		ts_arena_reset(&v->arena);
		status = copy_batch(v, at, sealed, &n, err);
		for (size_t i = 0; i < n && !status; i++)
			status = verify_one(v, &sealed[i], err);
	}
	ts_free(sealed);
	return status;
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
	return status ? status : ts_table_by_pack(&v->table, &v->rows, err);
}

static enum ts_status walk_names(struct verify *v, struct ts_error *err)
{
	enum ts_status status;
	bool complete = false;
	struct ts_read r;

	if (ts_read_begin(v->store->kv, &r, err))
		return err->status;
	status = ts_store_verify_records(r, &v->report.records, err);
	if (!status)
		status = ts_table_mark_names(&v->table, r, err);
	if (!status)
		status = ts_table_mark_removed(&v->table, r, err);
	for (size_t i = 0; i < v->table.n; i++)
		v->table.rows[i].named = v->table.rows[i].marked;
	if (!status)
		status = ts_count_all(&v->count, &v->table, v->rows, r, err);
	if (!status)
		status = ts_named_complete(r, &complete, err);
	v->report.records += complete ? v->count.n_lacks : 0;
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

/* What was found damaged is written over by nobody. */
static void condemn(struct ts_kv *kv, const struct ts_verify_report *report)
{
	char what[256];

	if (report->damaged + report->missing + report->records == 0)
		return;
	(void)snprintf(what, sizeof what,
		       "lost are %" PRIu64 " objects that are damaged, %" PRIu64 " that are missing, and %" PRIu64
		       " records of names, logs or notes; sound is all else",
		       report->damaged, report->missing, report->records);
	ts_kv_condemn(kv, what);
}

enum ts_status ts_store_verify(struct ts_engine *e, bool (*progress)(void *ctx, uint64_t done, uint64_t total), void *ctx,
			      struct ts_arena *arena, struct ts_verify_report *ret_report, struct ts_error *err)
{
	struct verify v = {.store = ts_store_of(e), .progress = progress, .ctx = ctx};
	enum ts_status status;

	if (ts_kv_sound(v.store->kv, true, err))
		return err->status;
	ts_arena_init(&v.arena, 0);
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
	ts_count_finish(&v.count);
	ts_table_finish(&v.table);
	ts_free(v.rows);
	ts_idmap_finish(&v.damaged);
	ts_idmap_finish(&v.missing);
	ts_arena_finish(&v.arena);
	if (status)
		return status;
	condemn(v.store->kv, &v.report);
	*ret_report = v.report;
	return TS_OK;
}
