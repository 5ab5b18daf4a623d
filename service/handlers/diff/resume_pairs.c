/* resume_pairs.c - two runs; resume_restart.c has the executions of one. */
#include "service/handlers/diff/resume_pairs.h"

#include "base/limits.h"
#include "service/handlers/diff/resume_rows.h"
#include "service/handlers/diff/series_alias.h"

/* The limit of rows of the parent: it may log every step where the child logs every sixteenth. */
enum { PARENT_ROWS = 16 * TS_RESUME_ROWS };

struct pairing {
	struct ts_fetch *fetch;
	const struct ts_run *parent, *child;
	struct ts_arena *arena;
	struct ts_arena scratch; /* for the rows of one column */
	struct ts_arena names;	 /* for the names of one rank */
	struct ts_resume_series *series;
	size_t n;
	int64_t step;
	struct ts_resume_level level;
};

/* A column of the child, and the same column of the parent. */
struct both {
	const struct ts_table *parent_table, *child_table;
	const struct ts_column *parent, *child;
	enum ts_resume_kind kind;
	int32_t rank;
};

/* Finds the shift of batches or rates: all of the parent's are searched, up to the end. */
static enum ts_status shift_of(struct pairing *p, const struct both *c, const struct ts_rows *child, int64_t from,
			       struct ts_resume_shift *ret, struct ts_error *err)
{
	struct ts_rows all;
	size_t at = 0;

	if (ts_rows_load(p->fetch, c->parent_table, c->parent, INT64_MIN, INT64_MAX, SIZE_MAX, false, &p->scratch, &all, err))
		return err->status;
	while (at < child->n && child->keys[at] < from)
		at++;
	if (at < child->n)
		ts_resume_find_shift(all.keys, all.words, all.n, child->keys + at, child->words + at, child->n - at, ret);
	return TS_OK;
}

static bool first_differing(const struct ts_row_pairs *pairs, int64_t *ret_step)
{
	for (size_t i = 0; i < pairs->n; i++) {
		if (pairs->a[i] == pairs->b[i])
			continue;
		*ret_step = pairs->steps[i];
		return true;
	}
	return false;
}

/* The level is that of the first rank that has a loss. */
static enum ts_status level_of(struct pairing *p, const struct both *c, const struct ts_rows *child, struct ts_error *err)
{
	struct ts_series after = {.keys = child->keys, .values = ts_rows_real(child), .n = child->n}, before;
	struct ts_rows tail;

	if (p->level.known || p->step == INT64_MIN)
		return TS_OK;
	if (ts_rows_load(p->fetch, c->parent_table, c->parent, INT64_MIN, p->step - 1, TS_RESUME_TAIL, true,
			 &p->scratch, &tail, err))
		return err->status;
	before = (struct ts_series){.keys = tail.keys, .values = ts_rows_real(&tail), .n = tail.n};
	return ts_resume_level_of(&before, &after, &p->scratch, &p->level) ? TS_OK : ts_arena_error(&p->scratch, err);
}

static enum ts_status pair_column(struct pairing *p, const struct both *c, struct ts_error *err)
{
	struct ts_rows child, parent = {.n = 0};
	struct ts_row_pairs pairs;
	struct ts_resume_series *s;
	double quantum_parent, quantum_child;
	int64_t from = p->step;

	ts_arena_reset(&p->scratch);
	if (ts_rows_load(p->fetch, c->child_table, c->child, p->step, INT64_MAX, TS_RESUME_ROWS, false, &p->scratch, &child, err))
		return err->status;
	if (child.n && ts_rows_load(p->fetch, c->parent_table, c->parent, p->step, child.keys[child.n - 1], PARENT_ROWS, false,
				    &p->scratch, &parent, err))
		return err->status;
	if (!ts_rows_pair(&parent, &child, TS_RESUME_WINDOW, p->arena, &pairs))
		return ts_arena_error(p->arena, err);
	s = &p->series[p->n++];
	*s = ts_resume_series_of(c->kind, c->child->name, c->rank, &pairs, &p->parent->head.facts, &p->child->head.facts);
	quantum_parent = ts_resume_quantum(c->parent, &pairs);
	quantum_child = ts_resume_quantum(c->child, &pairs);
	if (!ts_span_eq(c->parent->name, c->child->name))
		s->name_a = c->parent->name;
	s->quantum = quantum_parent > quantum_child ? quantum_parent : quantum_child;
	if (c->kind == TS_RESUME_LOSS && pairs.n == 0 && level_of(p, c, &child, err))
		return err->status;
	if ((c->kind == TS_RESUME_BATCH || c->kind == TS_RESUME_RATE) && (pairs.n == 0 || first_differing(&pairs, &from)))
		return shift_of(p, c, &child, from, &s->shift, err);
	return TS_OK;
}

/* What the parent logs under another name: series of the child, and for each the parent's or TS_ALIAS_NONE. */
struct renamed {
	struct ts_series_list lists[2]; /* the parent's, the child's */
	struct ts_aliases aliases;
};

static enum ts_status find_renamed(struct pairing *p, const struct ts_index *child, const struct ts_index *parent,
				   struct renamed *ret, struct ts_error *err)
{
	struct ts_facts facts[2];
	struct ts_series_walk *walk;
	enum ts_status status;

	ts_arena_reset(&p->names);
	if (ts_series_list_of(parent, &p->names, &ret->lists[0], err) || ts_series_list_of(child, &p->names, &ret->lists[1], err) ||
	    ts_series_facts(p->parent, parent, &p->names, &facts[0], err) ||
	    ts_series_facts(p->child, child, &p->names, &facts[1], err) || ts_series_walk_create(p->fetch, &walk, err))
		return err->status;
	status = ts_aliases_find(walk, ret->lists, facts, &p->names, &ret->aliases, err);
	ts_series_walk_destroy(walk);
	return status;
}

static void look_for_renamed(const struct renamed *names, struct both *c)
{
	const struct ts_series_list *children = &names->lists[1];

	for (size_t i = 0; i < children->n; i++) {
		int64_t of = names->aliases.of_b[i];

		if (children->items[i].column != c->child || of == TS_ALIAS_NONE)
			continue;
		c->parent_table = names->lists[0].items[of].table;
		c->parent = names->lists[0].items[of].column;
		return;
	}
}

static enum ts_status pair_rank(struct pairing *p, const struct ts_index *child, const struct ts_index *parent,
				struct ts_error *err)
{
	struct renamed names;

	if (find_renamed(p, child, parent, &names, err))
		return ts_error_prefix(err, "rank %d", child->rank);
	for (size_t t = 0; t < child->n_tables; t++) {
		const struct ts_table *table = &child->tables[t];

		for (size_t i = 0; table->kind == TS_TABLE_STEPS && i < table->n_columns; i++) {
			struct both c = {.child_table = table, .child = &table->columns[i], .rank = child->rank};

			if (!ts_resume_kind_of(child, &p->child->head.facts, c.child, &c.kind))
				continue;
			c.parent = ts_index_column(parent, TS_TABLE_STEPS, c.child->name, c.child->type, &c.parent_table);
			if (!c.parent)
				look_for_renamed(&names, &c);
			if (c.parent && pair_column(p, &c, err))
				return ts_error_prefix(err, "rank %d", child->rank);
		}
	}
	return TS_OK;
}

enum ts_status ts_resume_pair_runs(struct ts_fetch *f, const struct ts_run *parent, const struct ts_run *child,
				   struct ts_arena *arena, struct ts_resume_evidence *e, struct ts_error *err)
{
	struct pairing p = {.fetch = f, .parent = parent, .child = child, .arena = arena, .step = e->step};
	enum ts_status status = TS_OK;
	size_t ranks = 0;

	p.series = ts_arena_array(arena, ts_run_count_columns(child), sizeof *p.series);
	if (!p.series)
		return ts_arena_error(arena, err);
	ts_arena_init(&p.scratch, TS_ANALYSIS_ARENA);
	ts_arena_init(&p.names, TS_CALL_ARENA);
	for (size_t i = 0; !status && i < child->head.n_ranks; i++) {
		const struct ts_index *other = ts_run_rank(parent, child->indexes[i].rank);

		if (!other || other->rank == TS_RANK_JOB)
			continue;
		if (ranks++ == TS_RESUME_RANKS) {
			e->ranks_left_out = true;
			break;
		}
		status = pair_rank(&p, &child->indexes[i], other, err);
	}
	ts_arena_finish(&p.scratch);
	ts_arena_finish(&p.names);
	e->series = p.series;
	e->n_series = p.n;
	e->level = p.level;
	return status;
}
