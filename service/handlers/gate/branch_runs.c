/* branch_runs.c - see branch_runs.h. Names are not indexed by what they point at: the ids of the branch are sorted, and all
 * names of the project go past them, a page at a time. */
#include "service/handlers/gate/branch_runs.h"

#include "base/bisect.h"
#include "base/limits.h"
#include "base/order.h"
#include "run/ending.h"
#include <stdlib.h>

enum { PAGE = 1024 };

struct by_id {
	struct ts_id id;
	size_t at;
};

struct history {
	struct ts_fetch *f;
	struct ts_engine *engine;
	struct ts_arena *arena;
	struct ts_branch_run *runs;
	size_t n;
	struct by_id *sorted;
	struct ts_arena pages[2]; /* for names: the token of one page is in its arena while the next is read */
	struct ts_arena name;	  /* for one name: its notes, its log */
};

/* Orders runs by id; equal ids stay in the order of the log, newest first. */
TS_ORDER(compare_ids, struct by_id, TS_THEN(ts_id_cmp(&a->id, &b->id)); TS_UP(at))

static struct ts_branch_run *find(const struct history *h, const struct ts_id *id)
{
	size_t at = 0;
	bool found;

	TS_SEEK(at, h->n, i, ts_id_cmp(&h->sorted[i].id, id), found);
	return found ? &h->runs[h->sorted[at].at] : NULL;
}

/* Turns log entries into runs, with each id once. */
static enum ts_status take_entries(struct history *h, const struct ts_log_entry *entries, size_t n, struct ts_error *err)
{
	struct by_id *all = ts_arena_array(h->arena, n, sizeof *all);

	h->runs = ts_arena_array(h->arena, n, sizeof *h->runs);
	h->sorted = ts_arena_array(h->arena, n, sizeof *h->sorted);
	if (!all || !h->runs || !h->sorted)
		return ts_arena_error(h->arena, err);
	for (size_t i = 0; i < n; i++)
		all[i] = (struct by_id){entries[i].id, i};
	TS_SORT(all, n, compare_ids);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || !ts_id_eq(&all[i].id, &all[i - 1].id))
			h->runs[all[i].at].seq = entries[all[i].at].seq;
	for (size_t i = 0; i < n; i++)
		if (h->runs[i].seq) {
			h->runs[h->n] = (struct ts_branch_run){
				.run.id = entries[i].id, .seq = entries[i].seq, .moved_ns = entries[i].moved_ns, .who = entries[i].who,
				.standing = entries[i].standing, .later = SIZE_MAX};
			h->sorted[h->n] = (struct by_id){entries[i].id, h->n};
			h->n++;
		}
	TS_SORT(h->sorted, h->n, compare_ids);
	return TS_OK;
}

static enum ts_status keep(struct history *h, struct ts_span text, struct ts_span *out, struct ts_error *err)
{
	struct ts_span copy = ts_arena_span(h->arena, text);

	if (!copy.data)
		return ts_arena_error(h->arena, err);
	*out = copy;
	return TS_OK;
}

/* Adds notes to an entry: all, or of one that the name has left, those that are not about its state. */
static enum ts_status take_notes(struct history *h, const struct ts_note *notes, size_t n, bool left, struct ts_branch_run *run,
				 struct ts_error *err)
{
	for (size_t i = 0; i < n; i++) {
		struct ts_note note = notes[i];

		if (ts_span_is(note.key, "state")) {
			if (left)
				continue;
			run->training |= ts_end_goes_on(note.value);
		}
		if (!ts_note_steers(note.key))
			continue;
		if (keep(h, note.value, &note.value, err) || keep(h, note.who, &note.who, err))
			return err->status;
		ts_run_marks_add(&run->marks, &note);
		if (ts_span_is(note.key, "bad"))
			run->bad = note.value;
		if (ts_span_is(note.key, "accepted"))
			run->accepted = note.value;
	}
	return TS_OK;
}

/* Finds older entries of the branch at which this name has pointed: each of them has a newer version of the run, which `at` is the
 * first of; SIZE_MAX: that is not on the branch. */
static enum ts_status take_log(struct history *h, struct ts_span name, size_t at, const struct ts_note *notes, size_t n_notes,
			       struct ts_error *err)
{
	struct ts_log_entry *entries;
	size_t n;

	if (h->engine->ops->ref_log(h->engine, TS_REF_RUN, name, 0, &h->name, &entries, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status;
	for (size_t i = 0; i < n; i++) {
		struct ts_branch_run *old = find(h, &entries[i].id);

		if (!old || (at != SIZE_MAX && old <= &h->runs[at]))
			continue;
		if (take_notes(h, notes, n_notes, true, old, err))
			return err->status;
		old->later = at;
		at = (size_t)(old - h->runs);
	}
	return TS_OK;
}

static enum ts_status take_name(struct history *h, const struct ts_ref *ref, struct ts_error *err)
{
	struct ts_branch_run *run = find(h, &ref->id);
	struct ts_note *notes;
	size_t n;

	if (!run && ref->seq <= 1)
		return TS_OK;
	ts_arena_reset(&h->name);
	if (h->engine->ops->note_list(h->engine, ref->name, &h->name, NULL, &notes, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status; /* the name was removed meanwhile */
	if (run && run->run.name.len == 0 && keep(h, ref->name, &run->run.name, err))
		return err->status;
	if (run && take_notes(h, notes, n, false, run, err))
		return err->status;
	return ref->seq > 1 ? take_log(h, ref->name, run ? (size_t)(run - h->runs) : SIZE_MAX, notes, n, err) : TS_OK;
}

static enum ts_status take_names(struct history *h, struct ts_span project, struct ts_error *err)
{
	struct ts_ref_query query = {.kind = TS_REF_RUN, .prefix = project, .order = TS_ORDER_NAME, .limit = PAGE};
	int turn = 0;

	do {
		struct ts_ref *refs;
		struct ts_span next;
		size_t n = 0;

		turn = !turn;
		ts_arena_reset(&h->pages[turn]);
		if (ts_call_check(h->f->call, err) ||
		    h->engine->ops->ref_list(h->engine, &query, &h->pages[turn], &refs, &n, &next, err))
			return err->status;
		for (size_t i = 0; i < n; i++)
			if (take_name(h, &refs[i], err))
				return err->status;
		query.after = next;
	} while (query.after.len);
	return TS_OK;
}

/* A branch has had as many entries as its newest one has as number. */
static uint64_t older_than(const struct ts_log_entry *entries, size_t n, uint64_t pruned)
{
	return entries[0].seq > n + pruned ? entries[0].seq - n - pruned : 0;
}

enum ts_status ts_branch_entries(struct ts_fetch *f, struct ts_span branch, size_t limit, struct ts_arena *arena,
				 struct ts_branch_run **ret_runs, size_t *ret_n, uint64_t *ret_older, struct ts_pruned *ret_pruned,
				 struct ts_error *err)
{
	struct history h = {.f = f, .engine = f->call->engine, .arena = arena};
	struct ts_log_entry *entries;
	enum ts_status status;
	size_t n;

	if (h.engine->ops->ref_log(h.engine, TS_REF_BRANCH, branch, limit, arena, &entries, &n, err) ||
	    h.engine->ops->log_pruned(h.engine, TS_REF_BRANCH, branch, arena, ret_pruned, err) || take_entries(&h, entries, n, err))
		return err->status;
	ts_arena_init(&h.pages[0], TS_CALL_ARENA);
	ts_arena_init(&h.pages[1], TS_CALL_ARENA);
	ts_arena_init(&h.name, TS_CALL_ARENA);
	status = h.n ? take_names(&h, ts_span_through(branch, '/'), err) : TS_OK;
	ts_arena_finish(&h.name);
	ts_arena_finish(&h.pages[1]);
	ts_arena_finish(&h.pages[0]);
	if (status)
		return status;
	*ret_runs = h.runs;
	*ret_n = h.n;
	*ret_older = limit && n == limit ? older_than(entries, n, ret_pruned->entries) : 0;
	return TS_OK;
}

/* Returns whether an error is about one run only, so that the other runs can still be read. */
static bool is_of_the_run(enum ts_status status)
{
	return status == TS_NOT_FOUND || status == TS_DAMAGED || status == TS_INVALID || status == TS_TOO_LARGE ||
	       status == TS_UNSUPPORTED;
}

enum ts_status ts_branch_reduce(struct ts_fetch *f, const struct ts_gate_policy *policy, struct ts_arena *arena,
				struct ts_branch_run *run, struct ts_error *err)
{
	struct ts_error mine;
	const char *why;
	enum ts_status status;

	if (ts_call_check(f->call, err))
		return err->status;
	status = ts_logged_reduce(f, &run->run.id, policy, arena, &run->run, &mine);
	if (status && !is_of_the_run(status)) {
		*err = mine;
		return status;
	}
	if (!status)
		return TS_OK;
	why = ts_arena_printf(arena, "it cannot be read: %s", mine.text);
	if (!why)
		return ts_arena_error(arena, err);
	run->gone = true;
	run->bad = ts_span_str(why);
	return TS_OK;
}

bool ts_branch_same_run(const struct ts_workload *entry, const struct ts_workload *later)
{
	return entry->started_ns == later->started_ns && ts_span_eq(entry->session, later->session) &&
	       ts_span_eq(entry->commit, later->commit);
}
