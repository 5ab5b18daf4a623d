/* store_count.c - counts what every project and sender uses, by a walk over what the names of each project reach.
 *
 * All is counted as of one read transaction, and so is what the records of usage said then. What differs is added later to the records
 * as they are by then, so that those who wrote meanwhile are not forgotten. */
#include "base/bisect.h"
#include "base/grow.h"
#include "base/order.h"
#include "store/store_internal.h"

#include "base/alloc.h"

enum { NAMED_AT_ONCE = 4096 };

/* What keeps objects for a project: a name, an entry of a branch's log, a removed name. */
struct root {
	struct ts_span project;
	struct ts_id id;
	bool name;
};

struct roots {
	struct root *items;
	size_t n;
	size_t cap;
};

struct counting {
	struct ts_count *count;
	struct ts_table *table;
	struct ts_row *const *rows;
	struct ts_read read;
	struct roots roots;
	/* of the project whose roots are walked */
	uint32_t number;
	struct ts_project_key key;
	struct ts_idmap newer; /* objects without a row */
	uint64_t sealed, raw;
};

void ts_count_finish(struct ts_count *c)
{
	ts_arena_finish(&c->arena);
	ts_bill_finish(&c->bill);
	ts_free(c->tallies);
	ts_free(c->stale);
	ts_free(c->lacks);
	*c = (struct ts_count){0};
}

static enum ts_status no_memory(size_t n, struct ts_error *err)
{
	return ts_error_set(err, TS_NO_MEMORY, "out of memory to count %zu names", n + 1);
}

/* ---- tallies ---- */

static struct ts_tally *find_tally(struct ts_count *c, bool sender, uint64_t key, struct ts_span name)
{
	struct ts_tally *found = NULL;
	size_t at = 0;
	bool is_there;

	TS_SEEK(at, sender ? 0 : c->sorted, i, ts_span_cmp(c->tallies[i].account.name, name), is_there);
	if (is_there)
		found = &c->tallies[at];
	for (size_t i = c->sorted; i < c->n && !found; i++)
		if (c->tallies[i].account.sender == sender &&
		    (sender ? c->tallies[i].key == key : ts_span_eq(c->tallies[i].account.name, name)))
			found = &c->tallies[i];
	return found;
}

/* The tally of a project or a sender, which is made if it is not there. It is valid until the next one is made. */
static enum ts_status tally_of(struct ts_count *c, bool sender, uint64_t key, struct ts_span name, struct ts_tally **ret,
			       struct ts_error *err)
{
	struct ts_tally *tally = find_tally(c, sender, key, name);

	if (!tally) {
		struct ts_span copy = ts_arena_span(&c->arena, name);

		if (!copy.data)
			return ts_arena_error(&c->arena, err);
		if (!TS_GROW(c->tallies, c->cap, c->n + 1, 64))
			return no_memory(c->n, err);
		tally = &c->tallies[c->n++];
		*tally = (struct ts_tally){.account = {.sender = sender, .name = copy}, .key = key};
	}
	*ret = tally;
	return TS_OK;
}

bool ts_tally_drifted(const struct ts_tally *tally)
{
	return memcmp(tally->found, tally->account.used, sizeof tally->found) != 0;
}

/* ---- roots ---- */

static enum ts_status add_root(struct counting *c, struct ts_span name, const struct ts_id *id, bool is_name, struct ts_error *err)
{
	struct ts_span project = ts_arena_span(&c->count->arena, ts_project_of(name));

	if (!project.data)
		return ts_arena_error(&c->count->arena, err);
	if (!TS_GROW(c->roots.items, c->roots.cap, c->roots.n + 1, 64))
		return no_memory(c->roots.n, err);
	c->roots.items[c->roots.n++] = (struct root){.project = project, .id = *id, .name = is_name};
	return TS_OK;
}

static enum ts_status root_of_ref(struct counting *c, const struct ts_walk *walk, struct ts_error *err)
{
	struct ts_ref ref;

	return ts_ref_parse(walk->key, walk->value, &ref, err) ? err->status : add_root(c, ref.name, &ref.id, true, err);
}

static enum ts_status root_of_log(struct counting *c, const struct ts_walk *walk, struct ts_error *err)
{
	struct ts_log_entry entry;

	return ts_log_parse(walk->key, walk->value, &entry, err) ? err->status
								 : add_root(c, ts_span_from(walk->key, 1), &entry.id, false, err);
}

static enum ts_status root_of_removed(struct counting *c, const struct ts_walk *walk, struct ts_error *err)
{
	struct ts_log_entry entry;
	struct ts_id id;
	bool log;

	if (!ts_removed_root(walk->key, c->table->removed_since_ns, &log))
		return TS_OK;
	if (log ? ts_log_parse(walk->key, walk->value, &entry, err) : ts_removed_id(walk->key, walk->value, &id, err))
		return err->status;
	return add_root(c, ts_span_from(walk->key, 1), log ? &entry.id : &id, false, err);
}

typedef enum ts_status take_fn(struct counting *c, const struct ts_walk *walk, struct ts_error *err);

/* Calls take for every record whose key begins with the prefix. A damaged one counts as nothing. */
static enum ts_status take_all(struct counting *c, enum ts_db db, struct ts_span prefix, take_fn *take, struct ts_error *err)
{
	struct ts_walk walk;
	enum ts_status status;
	bool found;

	status = ts_walk_open(&walk, c->read, db, prefix, &found, err);
	while (!status && found) {
		status = take(c, &walk, err);
		if (!status || status == TS_DAMAGED)
			status = ts_walk_on(&walk, &found, err);
	}
	ts_walk_end(&walk);
	return status;
}

TS_ORDER(compare_roots, struct root, TS_TEXT(project); TS_THEN(ts_id_cmp(&a->id, &b->id)))

/* ---- walks ---- */

static enum ts_status note_lack(struct ts_count *count, const struct ts_lack *lack, struct ts_error *err)
{
	if (count->n_lacks == TS_LACKS_MAX) {
		count->more_lacks = true;
		return TS_OK;
	}
	if (!TS_GROW(count->lacks, count->cap_lacks, count->n_lacks + 1, 64))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu objects", count->n_lacks + 1);
	count->lacks[count->n_lacks++] = *lack;
	return TS_OK;
}

/* A damaged record counts as none: it is counted elsewhere. */
static enum ts_status entry_of(struct ts_read r, const struct ts_id *id, struct ts_entry *ret, bool *ret_found, struct ts_error *err)
{
	enum ts_status status = ts_entry_get(r, id, ret, ret_found, err);

	if (status == TS_DAMAGED)
		*ret_found = false;
	return status == TS_DAMAGED ? TS_OK : status;
}

/* Whether there is a record that the project reaches the object of a row, where the row says or where the object has moved since. */
static enum ts_status check_named(struct counting *c, const struct ts_row *row, struct ts_error *err)
{
	struct ts_entry record;
	bool found = false, is_there = false;

	if (ts_named_get(c->read, row->pack, row->offset, &c->key, &found, err))
		return err->status;
	if (found)
		return TS_OK;
	if (entry_of(c->read, &row->id, &record, &is_there, err))
		return err->status;
	if (!is_there)
		return TS_OK;
	if (record.pack != row->pack && ts_named_get(c->read, record.pack, record.offset, &c->key, &found, err))
		return err->status;
	return found ? TS_OK : note_lack(c->count, &(struct ts_lack){row->id, c->key}, err);
}

static enum ts_status visit(void *ctx, const struct ts_id *id, bool *ret_first, struct ts_error *err)
{
	struct counting *c = ctx;
	struct ts_row *row = ts_table_find(c->table, id);

	if (!row)
		return ts_idmap_add(&c->newer, id, ret_first, err);
	*ret_first = row->project != c->number && row->nrefs;
	if (row->project != c->number && check_named(c, row, err))
		return err->status;
	if (row->project != c->number && !row->nrefs) { /* the row says all */
		c->sealed += row->len;
		c->raw += row->raw_len;
	}
	row->project = c->number;
	return TS_OK;
}

static enum ts_status look(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_found *ret_found, struct ts_error *err)
{
	struct counting *c = ctx;
	struct ts_entry record;
	bool found;

	(void)arena;
	if (ts_entry_get(c->read, id, &record, &found, err))
		return err->status;
	if (!found)
		return ts_no_object(id, err);
	c->sealed += record.len;
	c->raw += record.raw_len;
	ret_found->follow = record.nrefs != 0;
	return record.nrefs ? ts_entry_sealed(c->read, id, &record, &ret_found->sealed, err) : TS_OK;
}

static enum ts_status trouble(void *ctx, const struct ts_id *id, struct ts_error *err)
{
	(void)ctx, (void)id, (void)err;
	return TS_OK;
}

static const struct ts_closure_ops walk_ops = {visit, look, trouble, NULL};

/* Counts one project, whose roots are [from, to). */
static enum ts_status count_project(struct counting *c, size_t from, size_t to, struct ts_error *err)
{
	const struct root *roots = c->roots.items;
	struct ts_closure closure;
	struct ts_tally *tally;
	enum ts_status status;
	uint64_t names = 0;

	c->number++;
	c->key = ts_project_key(roots[from].project);
	c->sealed = c->raw = 0;
	ts_closure_init(&closure, &walk_ops, c);
	status = tally_of(c->count, false, 0, roots[from].project, &tally, err);
	for (size_t i = from; i < to && !status; i++) {
		names += roots[i].name;
		status = ts_closure_walk(&closure, &roots[i].id, err);
	}
	ts_closure_finish(&closure);
	ts_idmap_finish(&c->newer);
	if (status)
		return status;
	tally->found[TS_USE_SEALED] = c->sealed;
	tally->found[TS_USE_RAW] = c->raw;
	tally->found[TS_USE_NAMES] = names;
	return TS_OK;
}

static enum ts_status count_projects(struct counting *c, struct ts_error *err)
{
	uint8_t branch = TS_REF_BRANCH;
	size_t to;

	if (take_all(c, TS_DB_REFS, ts_span_of(NULL, 0), root_of_ref, err) ||
	    take_all(c, TS_DB_LOG, ts_span_of(&branch, 1), root_of_log, err) ||
	    take_all(c, TS_DB_REMOVED, ts_span_of(NULL, 0), root_of_removed, err))
		return err->status;
	TS_SORT(c->roots.items, c->roots.n, compare_roots);
	for (size_t from = 0; from < c->roots.n; from = to) {
		for (to = from + 1; to < c->roots.n && ts_span_eq(c->roots.items[to].project, c->roots.items[from].project);)
			to++;
		if (count_project(c, from, to, err))
			return err->status;
	}
	c->count->sorted = c->count->n;
	return TS_OK;
}

/* ---- notes, unnamed objects, records ---- */

static enum ts_status count_note(struct counting *c, const struct ts_walk *walk, struct ts_error *err)
{
	struct ts_tally *tally;

	if (tally_of(c->count, false, 0, ts_project_of(walk->key), &tally, err))
		return err->status;
	tally->found[TS_USE_NOTES]++;
	return TS_OK;
}

/* The first row from `low` on that does not lie before a place. */
static size_t row_at(const struct counting *c, uint64_t pack, uint32_t offset)
{
	size_t at = 0;

	TS_BISECT(at, c->table->n, i, c->rows[i]->pack < pack || (c->rows[i]->pack == pack && c->rows[i]->offset < offset));
	return at;
}

static enum ts_status note_stale(struct ts_count *count, struct ts_span key, struct ts_error *err)
{
	struct ts_span copy = ts_arena_span(&count->arena, key);

	if (!copy.data)
		return ts_arena_error(&count->arena, err);
	if (!TS_GROW(count->stale, count->cap_stale, count->n_stale + 1, 64))
		return no_memory(count->n_stale, err);
	count->stale[count->n_stale++] = copy;
	return TS_OK;
}

/* Objects that were put after the table was made have no row, and are what their record says. */
static enum ts_status count_unnamed(struct counting *c, const struct ts_walk *walk, struct ts_error *err)
{
	uint64_t newest = c->table->n ? c->rows[c->table->n - 1]->pack : 0, pack, offset;
	struct ts_unnamed unnamed;
	struct ts_tally *tally;
	size_t at;

	if (!ts_unnamed_parse(walk->key, walk->value, &unnamed))
		return note_stale(c->count, walk->key, err);
	pack = ts_load_be(walk->key.data, 8);
	offset = ts_load_be(walk->key.data + 8, TS_UNNAMED_KEY - 8);
	at = row_at(c, pack, (uint32_t)offset);
	if (pack <= newest && (at == c->table->n || c->rows[at]->pack != pack || c->rows[at]->offset != offset || c->rows[at]->named))
		return note_stale(c->count, walk->key, err);
	if (!unnamed.sender)
		return TS_OK;
	if (tally_of(c->count, true, unnamed.sender, ts_span_of(NULL, 0), &tally, err))
		return err->status;
	tally->found[TS_USE_UNNAMED] += unnamed.len;
	return TS_OK;
}

static enum ts_status take_record(struct counting *c, const struct ts_walk *walk, struct ts_error *err)
{
	struct ts_account account;
	struct ts_tally *tally;
	uint64_t key;

	if (!ts_usage_parse(walk->key, walk->value, &account, &key))
		return TS_OK;
	if (tally_of(c->count, account.sender, key, account.name, &tally, err))
		return err->status;
	memcpy(tally->account.used, account.used, sizeof account.used);
	if (account.sender && tally->account.name.len == 0) {
		tally->account.name = ts_arena_span(&c->count->arena, account.name);
		if (!tally->account.name.data)
			return ts_arena_error(&c->count->arena, err);
	}
	return TS_OK;
}

enum ts_status ts_count_all(struct ts_count *count, struct ts_table *t, struct ts_row *const *rows, struct ts_read r,
			    struct ts_error *err)
{
	struct counting c = {.count = count, .table = t, .rows = rows, .read = r};
	struct ts_span all = ts_span_of(NULL, 0);
	enum ts_status status;

	ts_arena_init(&count->arena, 0);
	status = count_projects(&c, err);
	if (!status)
		status = take_all(&c, TS_DB_NOTES, all, count_note, err);
	if (!status)
		status = take_all(&c, TS_DB_UNNAMED, all, count_unnamed, err);
	if (!status)
		status = take_all(&c, TS_DB_USAGE, all, take_record, err);
	ts_free(c.roots.items);
	ts_idmap_finish(&c.newer);
	return status;
}

/* ---- settling ---- */

static enum ts_status settle_tally(struct ts_count *count, const struct ts_tally *tally, struct ts_error *err)
{
	const struct ts_account *account = &tally->account;

	if (account->sender)
		return ts_bill_sender(&count->bill, tally->key, account->name,
				      (int64_t)(tally->found[TS_USE_UNNAMED] - account->used[TS_USE_UNNAMED]), err);
	for (int i = 0; i < TS_USES; i++)
		if (ts_bill_project(&count->bill, account->name, (enum ts_use)i, (int64_t)(tally->found[i] - account->used[i]), err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_count_settle(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct ts_count *count = ctx;
	uint64_t counted;

	count->bill.n = 0;
	if (ts_read_u64(ts_read_of(w), "counted", &counted, err))
		return err->status;
	for (size_t i = 0; i < count->n; i++)
		if (settle_tally(count, &count->tallies[i], err))
			return err->status;
	for (size_t i = 0; i < count->n_stale; i++)
		if (ts_write_delete(w, TS_DB_UNNAMED, count->stale[i], err))
			return err->status;
	if (ts_bill_write(&count->bill, w, err))
		return err->status;
	return counted ? TS_OK : ts_write_u64(w, "counted", 1, err);
}

struct naming {
	const struct ts_lack *lacks;
	size_t n;
	bool last;
};

/* Names some objects, which may have moved or gone since. */
static enum ts_status run_name(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct naming *naming = ctx;

	for (size_t i = 0; i < naming->n; i++) {
		const struct ts_lack *lack = &naming->lacks[i];
		struct ts_entry record;
		bool found;

		if (entry_of(ts_read_of(w), &lack->id, &record, &found, err) ||
		    (found && ts_named_put(w, record.pack, record.offset, &lack->project, err)))
			return err->status;
	}
	return naming->last ? ts_named_begin(w, true, err) : TS_OK;
}

enum ts_status ts_count_name(struct ts_store *s, struct ts_count *c, struct ts_error *err)
{
	enum ts_status status;
	bool complete = false;
	struct ts_read r;

	if (ts_read_begin(s->kv, &r, err))
		return err->status;
	status = ts_named_complete(r, &complete, err);
	ts_read_end(&r);
	for (size_t at = 0; !status && (at < c->n_lacks || !complete); at += NAMED_AT_ONCE) {
		size_t left = at < c->n_lacks ? c->n_lacks - at : 0;
		struct naming naming = {.lacks = c->lacks + at, .n = left < NAMED_AT_ONCE ? left : NAMED_AT_ONCE};

		naming.last = left <= NAMED_AT_ONCE && !c->more_lacks;
		status = ts_store_write(s, run_name, &naming, naming.n * TS_RECORD_BYTES, err);
		complete = left <= NAMED_AT_ONCE; /* as far as this count knows */
	}
	return status;
}

/* Lists all objects, and finds those that names reach. */
static enum ts_status count_now(struct ts_store *s, struct ts_count *count, struct ts_table *t, struct ts_row ***rows,
				struct ts_read r, struct ts_error *err)
{
	if (ts_table_load(t, s, r, err) || ts_table_by_pack(t, rows, err) || ts_table_mark_names(t, r, err) ||
	    ts_table_mark_removed(t, r, err))
		return err->status;
	for (size_t i = 0; i < t->n; i++)
		t->rows[i].named = t->rows[i].marked;
	return ts_count_all(count, t, *rows, r, err);
}

enum ts_status ts_store_recount(struct ts_engine *e, struct ts_error *err)
{
	struct ts_store *s = ts_store_of(e);
	struct ts_table table = {.removed_since_ns = INT64_MIN};
	struct ts_count count = {.n = 0};
	struct ts_idmap lost = {0};
	struct ts_row **rows = NULL;
	enum ts_status status;
	struct ts_read r;

	table.damaged = &lost;
	table.missing = &lost;
	if (ts_read_begin(s->kv, &r, err))
		return err->status;
	status = count_now(s, &count, &table, &rows, r, err);
	ts_read_end(&r);
	if (!status)
		status = ts_store_write(s, ts_count_settle, &count, count.n * sizeof count.tallies[0], err);
	if (!status)
		status = ts_count_name(s, &count, err);
	ts_count_finish(&count);
	ts_table_finish(&table);
	ts_idmap_finish(&lost);
	ts_free(rows);
	return status;
}
