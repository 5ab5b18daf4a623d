#include "service/handlers/diff/fact_diff.h"

#include "base/grow.h"
#include "base/order.h"
#include "base/text.h"

struct rows {
	struct ts_fact_globs ignore;
	struct ts_arena *arena;
	struct ts_fact_row *items;
	size_t n, cap;
	uint64_t ignored; /* ignored facts that differ as well */
	bool full; /* the arena is full */
};

static struct ts_fact_row *row_next(struct rows *rows)
{
	if (!TS_GROW_IN(rows->arena, rows->items, rows->cap, rows->n + 1, 16)) {
		rows->full = true;
		return NULL;
	}
	return &rows->items[rows->n++];
}

bool ts_fact_globs_match(struct ts_fact_globs globs, struct ts_span path)
{
	for (size_t i = 0; i < globs.n; i++)
		if (ts_glob(globs.items[i], path))
			return true;
	return false;
}

static void compare(struct rows *rows, struct ts_span path, int32_t rank, const struct ts_fact *a,
		    const struct ts_fact *b)
{
	enum ts_group group = TS_GROUP_OTHER;
	struct ts_fact_row *row;

	if ((!a && !b) || (a && b && ts_fact_same(a, b)))
		return;
	if (ts_fact_globs_match(rows->ignore, path)) {
		rows->ignored++;
		return;
	}
	row = row_next(rows);
	if (!row)
		return;
	(void)ts_group_of(path, &group);
	*row = (struct ts_fact_row){
		.group = group,
		.change = !a ? TS_FACT_ONLY_B : (!b ? TS_FACT_ONLY_A : TS_FACT_CHANGED),
		.rank = rank,
		.path = path,
		.a = a,
		.b = b,
	};
}

/* When several sources have a fact with the same path, the last one is effective. */
static size_t path_end(const struct ts_facts *facts, size_t at)
{
	size_t end = at + 1;

	while (end < facts->n && ts_span_eq(facts->items[at].path, facts->items[end].path))
		end++;
	return end;
}

/* Walks both sets by path and returns for each path its effective facts, NULL where a side has none. */
struct pairs {
	const struct ts_facts *a, *b;
	size_t at_a, at_b;
	struct ts_span path;
	const struct ts_fact *fact_a, *fact_b;
};

static bool pairs_next(struct pairs *p)
{
	bool end_a = p->at_a == p->a->n, end_b = p->at_b == p->b->n;
	int c;

	if (end_a && end_b)
		return false;
	c = end_a ? 1 : (end_b ? -1 : ts_span_cmp(p->a->items[p->at_a].path, p->b->items[p->at_b].path));
	p->path = c <= 0 ? p->a->items[p->at_a].path : p->b->items[p->at_b].path;
	p->fact_a = p->fact_b = NULL;
	if (c <= 0) {
		p->at_a = path_end(p->a, p->at_a);
		p->fact_a = &p->a->items[p->at_a - 1];
	}
	if (c >= 0) {
		p->at_b = path_end(p->b, p->at_b);
		p->fact_b = &p->b->items[p->at_b - 1];
	}
	return true;
}

static void diff_heads(struct rows *rows, const struct ts_head *a, const struct ts_head *b)
{
	struct pairs p = {.a = &a->facts, .b = &b->facts};
	bool same[TS_GROUPS];

	for (int g = 0; g < TS_GROUPS; g++)
		same[g] = ts_id_eq(&a->groups[g], &b->groups[g]);
	while (pairs_next(&p)) {
		enum ts_group group = TS_GROUP_OTHER;

		if (!ts_group_of(p.path, &group) || !same[group])
			compare(rows, p.path, TS_RANK_JOB, p.fact_a, p.fact_b);
	}
}

/* Returns the fact that holds on a rank: the fact of the rank itself, else that of the head. */
static const struct ts_fact *effective(const struct ts_fact *own, const struct ts_facts *head, struct ts_span path)
{
	if (!own)
		return ts_facts_find(head, path);
	return own->type == TS_FACT_ABSENT ? NULL : own;
}

static void diff_rank(struct rows *rows, const struct ts_run *a, const struct ts_index *rank_a, const struct ts_run *b,
		      const struct ts_index *rank_b)
{
	struct pairs p = {.a = &rank_a->facts, .b = &rank_b->facts};

	while (pairs_next(&p))
		compare(rows, p.path, rank_a->rank, effective(p.fact_a, &a->head.facts, p.path),
			effective(p.fact_b, &b->head.facts, p.path));
}

TS_ORDER(by_group, struct ts_fact_row, TS_UP(group); TS_TEXT(path); TS_UP(rank))

enum ts_status ts_facts_diff(const struct ts_run *a, const struct ts_run *b, struct ts_fact_globs ignore,
			     struct ts_arena *arena, struct ts_fact_row **ret_rows, size_t *ret_n, uint64_t *ret_ignored,
			     struct ts_error *err)
{
	struct rows rows = {.ignore = ignore, .arena = arena};

	diff_heads(&rows, &a->head, &b->head);
	for (size_t i = 0; i < a->head.n_ranks; i++) {
		const struct ts_index *other = ts_run_rank(b, a->head.ranks[i].rank);

		if (other)
			diff_rank(&rows, a, &a->indexes[i], b, other);
	}
	if (rows.full)
		return ts_arena_error(arena, err);
	TS_SORT(rows.items, rows.n, by_group);
	*ret_rows = rows.items;
	*ret_n = rows.n;
	*ret_ignored = rows.ignored;
	return TS_OK;
}
