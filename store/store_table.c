/* store_table.c - a list of all objects at one moment, marked by what reaches them, for sweep and verify. */
#include "base/bisect.h"
#include "base/order.h"
#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/budget.h"

void ts_table_finish(struct ts_table *t)
{
	ts_free(t->rows);
	ts_idmap_finish(&t->newer);
	ts_idmap_finish(&t->without);
	*t = (struct ts_table){0};
}

static enum ts_status note_id(struct ts_idmap *map, const struct ts_id *id, struct ts_error *err)
{
	bool added;

	return map ? ts_idmap_add(map, id, &added, err) : err->status;
}

static enum ts_status add_row(struct ts_table *t, struct ts_span key, struct ts_span stored, struct ts_error *err)
{
	struct ts_entry record;
	struct ts_row *row;
	struct ts_id id = {{0}};

	memcpy(id.bytes, key.data, key.len < TS_ID_BYTES ? key.len : TS_ID_BYTES);
	if (ts_entry_parse(&id, stored, &record, err))
		return note_id(t->damaged, &id, err);
	if (ts_entry_is_below(t->store->kv, &record))
		return TS_OK;
	if (t->n == t->cap)
		return ts_error_set(err, TS_DAMAGED, "more objects than there are");
	row = &t->rows[t->n++];
	*row = (struct ts_row){
		.id = id,
		.pack = record.pack,
		.lease_ns = record.lease_ns,
		.offset = record.offset,
		.len = record.len,
		.raw_len = record.raw_len,
		.nrefs = record.nrefs,
	};
	return TS_OK;
}

enum ts_status ts_table_load(struct ts_table *t, struct ts_store *s, struct ts_read r, struct ts_error *err)
{
	struct ts_walk walk;
	enum ts_status status;
	uint64_t n;
	bool found;

	t->store = s;
	t->n = 0;
	if (ts_read_count(r, TS_DB_OBJECTS, &n, err))
		return err->status;
	t->cap = n;
	t->rows = ts_alloc_array(t->cap + 1, sizeof *t->rows);
	if (!t->rows)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a table of %zu objects", t->cap);
	for (status = ts_walk_open(&walk, r, TS_DB_OBJECTS, ts_span_of(NULL, 0), &found, err); !status && found;
	     status = status ? status : ts_walk_on(&walk, &found, err))
		status = add_row(t, walk.key, walk.value, err);
	ts_walk_end(&walk);
	return status;
}

struct ts_row *ts_table_find(struct ts_table *t, const struct ts_id *id)
{
	size_t at = 0;
	bool found;

	TS_SEEK(at, t->n, i, ts_id_cmp(&t->rows[i].id, id), found);
	return found ? &t->rows[at] : NULL;
}

static enum ts_status table_visit(void *ctx, const struct ts_id *id, bool *ret_first, struct ts_error *err)
{
	struct ts_table *t = ctx;
	struct ts_row *row = ts_table_find(t, id);

	if (ts_budget_check(err))
		return err->status;
	if (!row)
		return ts_idmap_add(&t->newer, id, ret_first, err);
	*ret_first = !row->marked && row->nrefs; /* of what refers to nothing, the row says all */
	row->marked = true;
	return TS_OK;
}

static enum ts_status table_look(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_found *ret_found,
				 struct ts_error *err)
{
	struct ts_table *t = ctx;
	struct ts_entry record;
	bool found;

	(void)arena;
	if (ts_entry_get(t->read, id, &record, &found, err))
		return err->status;
	if (!found)
		return ts_store_ask_depot(t->store, id, err);
	ret_found->follow = record.nrefs != 0;
	return record.nrefs ? ts_entry_sealed(t->read, id, &record, &ret_found->sealed, err) : TS_OK;
}

static enum ts_status table_trouble(void *ctx, const struct ts_id *id, struct ts_error *err)
{
	struct ts_table *t = ctx;

	if (err->status == TS_NOT_FOUND && !t->missing) {
		(void)ts_incomplete(id, err);
		return err->status = TS_DAMAGED;
	}
	return note_id(err->status == TS_NOT_FOUND ? t->missing : t->damaged, id, err);
}

static const struct ts_closure_ops table_ops = {table_visit, table_look, table_trouble, NULL};

void ts_table_closure(struct ts_table *t, struct ts_closure *ret_closure)
{
	ts_closure_init(ret_closure, &table_ops, t);
}

enum ts_status ts_table_mark_from(struct ts_table *t, struct ts_read r, const struct ts_id *id, struct ts_closure *closure,
				  struct ts_error *err)
{
	t->read = r;
	return ts_closure_walk(closure, id, err);
}

static enum ts_status mark_ref(struct ts_table *t, const struct ts_walk *walk, struct ts_closure *closure,
			       struct ts_error *err)
{
	struct ts_ref ref;

	if (ts_ref_parse(walk->key, walk->value, &ref, err))
		return err->status;
	if (t->recent && ref.moved_ns < t->moved_ns)
		return TS_OK;
	if (ts_table_mark_from(t, walk->read, &ref.id, closure, err))
		return ts_error_prefix(err, "%.*s", TS_SPAN_ARG(ref.name));
	return TS_OK;
}

static enum ts_status mark_log(struct ts_table *t, const struct ts_walk *walk, struct ts_closure *closure,
			       struct ts_error *err)
{
	struct ts_log_entry entry;

	if (ts_log_parse(walk->key, walk->value, &entry, err))
		return err->status;
	if (t->recent && entry.moved_ns < t->moved_ns)
		return TS_OK;
	return ts_table_mark_from(t, walk->read, &entry.id, closure, err);
}

static bool does_not_count(const struct ts_table *t, struct ts_span key)
{
	struct ts_id digest;

	if (!t->without.n)
		return false;
	ts_digest(key, &digest);
	return ts_idmap_get(&t->without, &digest) != NULL;
}

typedef enum ts_status mark_fn(struct ts_table *t, const struct ts_walk *walk, struct ts_closure *closure,
			       struct ts_error *err);

/* Calls mark for every record of db whose key begins with the prefix. */
static enum ts_status mark_all(struct ts_table *t, struct ts_read r, enum ts_db db, struct ts_span prefix, mark_fn *mark,
			       struct ts_error *err)
{
	struct ts_closure closure;
	struct ts_walk walk;
	enum ts_status status;
	bool found;

	ts_table_closure(t, &closure);
	for (status = ts_walk_open(&walk, r, db, prefix, &found, err); !status && found;
	     status = status ? status : ts_walk_on(&walk, &found, err)) {
		status = does_not_count(t, walk.key) ? TS_OK : mark(t, &walk, &closure, err);
		if (status == TS_DAMAGED && t->damaged) { /* a damaged record of a name is counted and skipped */
			struct ts_id nameless;

			ts_digest(walk.key, &nameless);
			status = note_id(t->damaged, &nameless, err);
		}
	}
	ts_closure_finish(&closure);
	ts_walk_end(&walk);
	return status;
}

enum ts_status ts_table_mark_names(struct ts_table *t, struct ts_read r, struct ts_error *err)
{
	uint8_t branch = TS_REF_BRANCH;

	if (mark_all(t, r, TS_DB_REFS, ts_span_of(NULL, 0), mark_ref, err))
		return err->status;
	return mark_all(t, r, TS_DB_LOG, ts_span_of(&branch, 1), mark_log, err);
}

static enum ts_status mark_removed(struct ts_table *t, const struct ts_walk *walk, struct ts_closure *closure, struct ts_error *err)
{
	struct ts_log_entry entry;
	struct ts_id id;
	bool log;

	if (!ts_removed_root(walk->key, t->removed_since_ns, &log))
		return TS_OK;
	if (log ? ts_log_parse(walk->key, walk->value, &entry, err) : ts_removed_id(walk->key, walk->value, &id, err))
		return err->status;
	return ts_table_mark_from(t, walk->read, log ? &entry.id : &id, closure, err);
}

enum ts_status ts_table_mark_removed(struct ts_table *t, struct ts_read r, struct ts_error *err)
{
	return mark_all(t, r, TS_DB_REMOVED, ts_span_of(NULL, 0), mark_removed, err);
}

TS_ORDER_OF_POINTERS(compare_place, struct ts_row, TS_UP(pack); TS_UP(offset))

enum ts_status ts_table_by_pack(const struct ts_table *t, struct ts_row ***ret_rows, struct ts_error *err)
{
	struct ts_row **rows = ts_alloc_array(t->n + 1, sizeof(struct ts_row *));

	if (!rows)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a table of %zu objects", t->n);
	for (size_t i = 0; i < t->n; i++)
		rows[i] = &t->rows[i];
	TS_SORT(rows, t->n, compare_place);
	*ret_rows = rows;
	return TS_OK;
}
