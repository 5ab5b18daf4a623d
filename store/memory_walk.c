/* memory_walk.c - follows references in a memory engine: checks whether a run is complete, verifies, sweeps. */
#include "store/memory_internal.h"

#include "base/alloc.h"

enum { NAMED_IDS = 64 };

/* A walk over the objects of this engine. base, if there is one, is trusted to hold the closure of every object that it holds. */
struct walk {
	struct ts_memory *m;
	bool again;	/* objects that are known to be complete are followed as well */
	bool base_too;	/* ids that are not here are looked for in base; otherwise they are skipped */
	struct ts_idmap elsewhere; /* ids that were seen and are not here */
	struct ts_idmap *missing;  /* collects missing and damaged objects, if not NULL; otherwise the first one ends the walk */
};

static enum ts_status walk_visit(void *ctx, const struct ts_id *id, bool *ret_first, struct ts_error *err)
{
	struct walk *w = ctx;
	struct ts_held *held = ts_idmap_get(&w->m->objects, id);

	if (!held && w->base_too)
		return ts_idmap_add(&w->elsewhere, id, ret_first, err);
	*ret_first = held && held->epoch != w->m->epoch;
	if (held)
		held->epoch = w->m->epoch;
	return TS_OK;
}

static enum ts_status walk_look(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_found *ret_found,
				struct ts_error *err)
{
	struct walk *w = ctx;
	struct ts_held *held = ts_idmap_get(&w->m->objects, id);
	bool present = false;

	(void)arena;
	if (held) {
		ret_found->follow = held->sealed.nrefs && (w->again || !held->complete);
		ret_found->sealed = held->sealed;
		return TS_OK;
	}
	if (ts_idmap_get(&w->m->base_known, id))
		return TS_OK;
	if (ts_memory_base_has(w->m, id, 1, &present, err))
		return err->status;
	return present ? TS_OK : ts_no_object(id, err);
}

static enum ts_status walk_trouble(void *ctx, const struct ts_id *id, struct ts_error *err)
{
	struct walk *w = ctx;
	bool added;

	if (w->missing)
		return ts_idmap_add(w->missing, id, &added, err);
	return err->status == TS_NOT_FOUND ? ts_incomplete(id, err) : err->status;
}

static const struct ts_closure_ops walk_ops = {walk_visit, walk_look, walk_trouble};

enum ts_status ts_memory_check_complete(struct ts_memory *m, const struct ts_id *id, struct ts_error *err)
{
	struct walk w = {.m = m, .base_too = true};
	struct ts_closure closure;
	enum ts_status status;

	m->epoch++;
	ts_closure_init(&closure, &walk_ops, &w);
	status = ts_closure_walk(&closure, id, err);
	for (size_t i = 0; i < m->objects.cap && !status; i++) {
		struct ts_held *held = m->objects.slots[i].value;

		if (held && held->epoch == m->epoch)
			held->complete = true;
	}
	ts_closure_finish(&closure);
	ts_idmap_finish(&w.elsewhere);
	return status;
}

/* The n_without items of struct ts_sweep_options. */
struct left_out {
	const struct ts_retired *items;
	size_t n;
};

static bool is_left_out(const struct left_out *out, const struct ts_memory_name *name, const struct ts_memory_move *move)
{
	for (size_t i = 0; i < out->n; i++)
		if (out->items[i].kind == name->kind && ts_span_eq(out->items[i].name, name->name) &&
		    (name->kind == TS_REF_RUN || out->items[i].seq == move->ref.seq))
			return true;
	return false;
}

/* Walks from every object that a name reaches: for a branch, from every entry of its log. */
static enum ts_status walk_names(struct ts_memory *m, const struct left_out *out, struct ts_closure *closure, struct ts_error *err)
{
	for (size_t i = 0; i < m->n_names; i++) {
		struct ts_memory_move *move = m->names[i]->moves;

		for (; move; move = move->older) {
			if (!is_left_out(out, m->names[i], move) && ts_closure_walk(closure, &move->ref.id, err))
				return err->status;
			if (m->names[i]->kind != TS_REF_BRANCH)
				break;
		}
	}
	return TS_OK;
}

static enum ts_status verify_objects(struct ts_memory *m, bool (*progress)(void *ctx, uint64_t done, uint64_t total),
				     void *ctx, struct ts_idmap *bad, struct ts_verify_report *report,
				     struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_arena arena;

	ts_arena_init(&arena, 0);
	for (size_t i = 0; i < m->objects.cap && !status; i++) {
		struct ts_held *held = m->objects.slots[i].value;
		struct ts_span bytes;
		bool added;

		if (!held)
			continue;
		ts_arena_reset(&arena);
		status = ts_sealed_verify(&held->sealed, &arena, &bytes, err);
		if (status == TS_DAMAGED) {
			report->damaged++;
			status = ts_idmap_add(bad, &held->sealed.id, &added, err);
		}
		report->objects++;
		report->bytes += held->sealed.bytes.len;
		if (!status && progress && !progress(ctx, report->objects, m->objects.used))
			status = ts_error_set(err, TS_CANCELLED, "verify was stopped");
	}
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status name_bad(const struct ts_idmap *bad, const struct ts_idmap *missing, struct ts_arena *arena,
			       struct ts_verify_report *report, struct ts_error *err)
{
	const struct ts_idmap *maps[2] = {bad, missing};

	report->ids = ts_arena_array(arena, NAMED_IDS, sizeof *report->ids);
	if (!report->ids)
		return ts_arena_error(arena, err);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < maps[k]->cap && report->n_ids < NAMED_IDS; i++)
			if (maps[k]->slots[i].value)
				report->ids[report->n_ids++] = maps[k]->slots[i].id;
	return TS_OK;
}

enum ts_status ts_memory_verify(struct ts_engine *e, bool (*progress)(void *ctx, uint64_t done, uint64_t total),
				void *ctx, struct ts_arena *arena, struct ts_verify_report *ret_report,
				struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	struct ts_verify_report report = {0};
	struct ts_idmap missing = {0};
	struct ts_idmap bad = {0};
	struct walk w = {.m = m, .again = true, .base_too = true, .missing = &missing};
	struct ts_closure closure;
	enum ts_status status;

	pthread_mutex_lock(&m->lock);
	m->epoch++;
	ts_closure_init(&closure, &walk_ops, &w);
	status = verify_objects(m, progress, ctx, &bad, &report, err);
	if (!status)
		status = walk_names(m, &(struct left_out){NULL, 0}, &closure, err);
	for (size_t i = 0; i < bad.cap && !status; i++)
		if (bad.slots[i].value) /* a damaged index is one finding, not two */
			ts_idmap_remove(&missing, &bad.slots[i].id);
	report.missing = missing.used;
	if (!status)
		status = name_bad(&bad, &missing, arena, &report, err);
	pthread_mutex_unlock(&m->lock);
	ts_closure_finish(&closure);
	ts_idmap_finish(&w.elsewhere);
	ts_idmap_finish(&missing);
	ts_idmap_finish(&bad);
	if (!status)
		*ret_report = report;
	return status;
}

/* Walks from every object whose lease is newer than now_ns - lease_ns, and follows its references. */
static enum ts_status walk_leased(struct ts_memory *m, int64_t now_ns, int64_t lease_ns, struct ts_closure *closure,
				  struct ts_error *err)
{
	for (size_t i = 0; i < m->objects.cap; i++) {
		struct ts_held *held = m->objects.slots[i].value;

		if (held && ts_lease_is_ahead(held->lease_ns, now_ns))
			held->lease_ns = now_ns;
		if (held && held->lease_ns > now_ns - lease_ns && ts_closure_walk(closure, &held->sealed.id, err))
			return err->status;
	}
	return TS_OK;
}

static uint64_t count_seen(const struct ts_memory *m, uint64_t *ret_bytes)
{
	uint64_t n = 0;

	*ret_bytes = 0;
	for (size_t i = 0; i < m->objects.cap; i++) {
		const struct ts_held *held = m->objects.slots[i].value;

		n += held && held->epoch == m->epoch;
		*ret_bytes += held && held->epoch == m->epoch ? held->sealed.bytes.len : 0;
	}
	return n;
}

static void free_unseen(struct ts_memory *m, bool dry_run, struct ts_sweep_report *report)
{
	for (size_t i = 0; i < m->objects.cap;) {
		struct ts_held *held = m->objects.slots[i].value;

		if (!held || held->epoch == m->epoch) {
			i++;
			continue;
		}
		report->freed++;
		report->freed_bytes += held->sealed.bytes.len;
		if (dry_run) {
			i++;
			continue;
		}
		m->stored_bytes -= held->sealed.bytes.len;
		ts_idmap_remove(&m->objects, &m->objects.slots[i].id); /* may move another entry here */
		ts_memory_let_go(m, held);
	}
}

static enum ts_status walk_left_out(struct ts_memory *m, const struct left_out *out, struct ts_closure *closure,
				    struct ts_sweep_report *report, struct ts_error *err)
{
	uint64_t before_bytes, before = count_seen(m, &before_bytes), bytes;

	for (size_t i = 0; i < out->n; i++)
		if (ts_closure_walk(closure, &out->items[i].id, err))
			return err->status;
	report->retired = count_seen(m, &bytes) - before;
	report->retired_bytes = bytes - before_bytes;
	return TS_OK;
}

enum ts_status ts_memory_sweep(struct ts_engine *e, const struct ts_sweep_options *options, struct ts_sweep_report *ret_report,
			       struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	struct ts_sweep_report report = {0};
	struct walk w = {.m = m, .again = true};
	struct ts_closure closure;
	enum ts_status status;
	struct left_out out = {options->without, options->dry_run ? options->n_without : 0};
	uint64_t named = 0, bytes;

	pthread_mutex_lock(&m->lock);
	m->epoch++;
	ts_closure_init(&closure, &walk_ops, &w);
	status = walk_names(m, &out, &closure, err);
	if (!status)
		status = walk_left_out(m, &out, &closure, &report, err);
	if (!status) {
		named = count_seen(m, &bytes);
		status = walk_leased(m, options->now_ns, options->lease_ns, &closure, err);
	}
	if (!status) {
		report.kept = count_seen(m, &bytes);
		report.leased = report.kept - named;
		free_unseen(m, options->dry_run, &report);
		if (!options->dry_run)
			ts_memory_notes_forget(m);
		if (!options->dry_run && !m->base)
			ts_memory_extracts_sweep(m);
	}
	pthread_mutex_unlock(&m->lock);
	ts_closure_finish(&closure);
	if (!status)
		*ret_report = report;
	return status;
}
