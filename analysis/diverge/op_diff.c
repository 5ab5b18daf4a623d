#include "analysis/diverge/op_diff.h"

#include "base/grow.h"
#include "base/map.h"
#include "base/order.h"
#include "base/words.h"
#include "run/head.h"

#include <stdlib.h>

#define NONE UINT32_MAX

/* --- executions --- */

enum ts_status ts_op_executions_add(struct ts_op_executions *all, const int64_t *steps, size_t n, struct ts_arena *arena,
				    struct ts_error *err)
{
	for (size_t i = 0; i < n; i++, all->records++) {
		struct ts_op_execution *last = all->n ? &all->items[all->n - 1] : NULL;

		if (last && last->step == steps[i]) {
			last->n++;
			continue;
		}
		all->back |= last && steps[i] < last->step;
		if (!TS_GROW_IN(arena, all->items, all->cap, all->n + 1, 64))
			return ts_arena_error(arena, err);
		all->items[all->n++] = (struct ts_op_execution){.step = steps[i], .first = all->records, .n = 1};
	}
	return TS_OK;
}

TS_ORDER(by_step, struct ts_op_execution, TS_UP(step); TS_UP(first))

void ts_op_executions_settle(struct ts_op_executions *all)
{
	size_t kept = 0;

	if (!all->back)
		return;
	TS_SORT(all->items, all->n, by_step);
	for (size_t i = 0; i < all->n; i++) {
		if (kept && all->items[kept - 1].step == all->items[i].step)
			kept--;
		all->items[kept++] = all->items[i];
	}
	all->n = kept;
}

/* --- alignment of one step --- */

/* All records of one name on both sides, in lists in order of occurrence. */
struct bucket {
	uint32_t name;
	uint32_t n[2];
	uint32_t head[2], tail[2];
	bool sorted[2];
};

struct align {
	const struct ts_op_records *side[2];
	uint64_t *occurrences[2]; /* declared or counted */
	uint32_t *next[2];	  /* the next one in the list of its bucket */
	uint32_t *partner;	  /* for each record of a: its place in b, or NONE */
	struct bucket *buckets;
	uint32_t n_buckets;
	struct ts_map map; /* of buckets by name */
	struct ts_arena *scratch;
};

/* Asks whether the records have the same names and occurrences one by one: then each has its partner at its own
 * place. */
static bool is_aligned(const struct ts_op_records *a, const struct ts_op_records *b)
{
	return a->n == b->n && (a->n == 0 || (memcmp(a->names, b->names, a->n * sizeof *a->names) == 0 &&
					      memcmp(a->occurrences, b->occurrences, a->n * sizeof *a->occurrences) == 0));
}

static bool allocate(struct align *al)
{
	size_t n = al->side[0]->n + al->side[1]->n;

	al->buckets = ts_arena_alloc(al->scratch, n * sizeof *al->buckets);
	al->partner = ts_arena_alloc(al->scratch, al->side[0]->n * sizeof *al->partner);
	for (int s = 0; s < 2; s++) {
		al->occurrences[s] = ts_arena_alloc(al->scratch, al->side[s]->n * sizeof *al->occurrences[s]);
		al->next[s] = ts_arena_alloc(al->scratch, al->side[s]->n * sizeof *al->next[s]);
		if (!al->occurrences[s] || !al->next[s])
			return false;
	}
	return ts_map_reserve_in(&al->map, al->scratch, n) && al->buckets && al->partner;
}

static struct bucket *bucket_of(struct align *al, uint32_t name)
{
	uint64_t hash = ts_hash_u64(ts_hash_open, name);
	uint32_t number;

	TS_MAP_FIND(al->map, hash, i, al->buckets[i].name == name, number);
	if (number != TS_MAP_NONE)
		return &al->buckets[number];
	al->buckets[al->n_buckets] = (struct bucket){
		.name = name, .head = {NONE, NONE}, .tail = {NONE, NONE}, .sorted = {true, true}};
	(void)ts_map_add(&al->map, hash, al->n_buckets); /* there is room for all */
	return &al->buckets[al->n_buckets++];
}

static void append(struct align *al, int s, struct bucket *b, uint32_t at)
{
	if (b->tail[s] == NONE)
		b->head[s] = at;
	else
		al->next[s][b->tail[s]] = at;
	al->next[s][at] = NONE;
	b->tail[s] = at;
}

static void list_side(struct align *al, int s)
{
	const struct ts_op_records *r = al->side[s];

	for (uint32_t i = 0; i < r->n; i++) {
		struct bucket *b = bucket_of(al, r->names[i]);
		uint64_t occurrence = r->occurrences[i] == TS_OP_COUNTED ? b->n[s] : r->occurrences[i];

		b->sorted[s] &= b->tail[s] == NONE || al->occurrences[s][b->tail[s]] <= occurrence;
		al->occurrences[s][i] = occurrence;
		append(al, s, b, i);
		b->n[s]++;
	}
}

struct place {
	uint64_t occurrence;
	uint32_t at;
};

TS_ORDER(by_occurrence, struct place, TS_UP(occurrence); TS_UP(at))

static enum ts_status sort_list(struct align *al, int s, struct bucket *b, struct ts_error *err)
{
	struct place *places = ts_arena_alloc(al->scratch, b->n[s] * sizeof *places);
	size_t n = 0;

	if (!places)
		return ts_arena_error(al->scratch, err);
	for (uint32_t i = b->head[s]; i != NONE; i = al->next[s][i])
		places[n++] = (struct place){al->occurrences[s][i], i};
	TS_SORT(places, n, by_occurrence);
	b->tail[s] = NONE;
	for (size_t i = 0; i < n; i++)
		append(al, s, b, places[i].at);
	return TS_OK;
}

/* Of several records with one name and occurrence, the k-th of a is paired with the k-th of b. */
static void pair_up(struct align *al, const struct bucket *b)
{
	uint32_t i = b->head[0], j = b->head[1];

	while (i != NONE) {
		uint64_t occurrence = al->occurrences[0][i];

		while (j != NONE && al->occurrences[1][j] < occurrence)
			j = al->next[1][j];
		if (j != NONE && al->occurrences[1][j] == occurrence) {
			al->partner[i] = j;
			j = al->next[1][j];
		} else {
			al->partner[i] = NONE;
		}
		i = al->next[0][i];
	}
}

static enum ts_status align(struct align *al, struct ts_error *err)
{
	if (al->side[0]->n >= NONE / 2 || al->side[1]->n >= NONE / 2)
		return ts_error_set(err, TS_TOO_LARGE, "a step with more than %u digests of operations", NONE / 2);
	if (!allocate(al))
		return ts_arena_error(al->scratch, err);
	list_side(al, 0);
	list_side(al, 1);
	for (uint32_t i = 0; i < al->n_buckets; i++) {
		struct bucket *b = &al->buckets[i];

		for (int s = 0; s < 2; s++)
			if (!b->sorted[s] && sort_list(al, s, b, err))
				return err->status;
		pair_up(al, b);
	}
	return TS_OK;
}

/* --- the walk --- */

void ts_op_walk_init(struct ts_op_walk *walk, int32_t rank, struct ts_arena *scratch)
{
	*walk = (struct ts_op_walk){.scratch = scratch, .row.rank = rank};
}

static uint64_t occurrence_of(const struct ts_op_records *r, size_t at)
{
	uint64_t before = 0;

	if (r->occurrences[at] != TS_OP_COUNTED)
		return r->occurrences[at];
	for (size_t i = 0; i < at; i++)
		before += r->names[i] == r->names[at];
	return before;
}

static void keep(struct ts_op_walk *w, int64_t step, const struct ts_op_records *a, size_t i,
		 const struct ts_op_records *b, size_t j, enum ts_op_role role)
{
	bool has_inputs = a->has_in[i] && b->has_in[j];

	w->parts = true;
	w->row_name = a->names[i];
	w->row = (struct ts_op_row){
		.rank = w->row.rank,
		.role = role,
		.step = step,
		.ordinal = i,
		.occurrence = occurrence_of(a, i),
		.has_inputs = has_inputs,
		.in_a = has_inputs ? a->in[i] : 0,
		.in_b = has_inputs ? b->in[j] : 0,
		.out_a = a->out[i],
		.out_b = b->out[j],
	};
}

/* Handles a pair of records on the first step that differs, perhaps this one. Returns true when later records do not
 * matter. */
static bool judge(struct ts_op_walk *w, int64_t step, const struct ts_op_records *a, size_t i,
		  const struct ts_op_records *b, size_t j)
{
	bool inputs = a->has_in[i] && b->has_in[j];
	bool in_differs = inputs && a->in[i] != b->in[j], out_differs = a->out[i] != b->out[j];

	if (inputs && !in_differs && out_differs) {
		keep(w, step, a, i, b, j, TS_OP_ORIGIN);
		return true;
	}
	if ((in_differs || out_differs) && !w->parts)
		keep(w, step, a, i, b, j, TS_OP_RECEIVER);
	return false;
}

static void keep_apart(struct ts_op_walk *w, int64_t step, const struct ts_op_records *r, size_t at, enum ts_op_role role)
{
	w->has_apart = true;
	w->apart_name = r->names[at];
	w->has_after = at > 0;
	w->after_name = at > 0 ? r->names[at - 1] : 0;
	w->apart = (struct ts_op_row){
		.rank = w->row.rank,
		.role = role,
		.step = step,
		.ordinal = at,
		.occurrence = occurrence_of(r, at),
		.has_inputs = r->has_in[at],
		.in_a = r->has_in[at] && role != TS_OP_ONLY_B ? r->in[at] : 0,
		.in_b = r->has_in[at] && role == TS_OP_ONLY_B ? r->in[at] : 0,
		.out_a = role != TS_OP_ONLY_B ? r->out[at] : 0,
		.out_b = role == TS_OP_ONLY_B ? r->out[at] : 0,
	};
}

/* The first record of b that no record of a is paired with; b->n: there is none. */
static enum ts_status first_only_b(struct ts_op_walk *w, const struct ts_op_records *a, const struct ts_op_records *b,
				   const uint32_t *partner, size_t *ret_at, struct ts_error *err)
{
	bool *paired = ts_arena_array(w->scratch, b->n ? b->n : 1, sizeof *paired);
	size_t at = 0;

	if (!paired)
		return ts_arena_error(w->scratch, err);
	for (size_t i = 0; i < a->n; i++)
		if (partner[i] != NONE)
			paired[partner[i]] = true;
	while (at < b->n && paired[at])
		at++;
	*ret_at = at;
	return TS_OK;
}

static size_t first_only_a(const struct ts_op_records *a, const uint32_t *partner)
{
	size_t at = 0;

	while (at < a->n && partner[at] != NONE)
		at++;
	return at;
}

/* A record that stands behind one that comes later in the other run. */
static size_t first_moved(const struct ts_op_records *a, const uint32_t *partner)
{
	uint32_t last = 0;
	size_t at = 0;

	for (; at < a->n; at++) {
		if (partner[at] == NONE)
			continue;
		if (partner[at] < last)
			break;
		last = partner[at];
	}
	return at;
}

/* Looks at the first step that has such a record. */
static enum ts_status find_apart(struct ts_op_walk *w, int64_t step, const struct ts_op_records *a, const struct ts_op_records *b,
				 const uint32_t *partner, struct ts_error *err)
{
	size_t in_a = first_only_a(a, partner), in_b = 0, moved = first_moved(a, partner);

	if (w->has_apart)
		return TS_OK;
	if (first_only_b(w, a, b, partner, &in_b, err))
		return err->status;
	if (in_a < a->n && (in_b == b->n || in_a <= in_b))
		keep_apart(w, step, a, in_a, TS_OP_ONLY_A);
	else if (in_b < b->n)
		keep_apart(w, step, b, in_b, TS_OP_ONLY_B);
	else if (moved < a->n)
		keep_apart(w, step, a, moved, TS_OP_MOVED);
	return TS_OK;
}

/* partner is NULL where each record's partner is at its own place. */
static void compare(struct ts_op_walk *w, int64_t step, const struct ts_op_records *a, const struct ts_op_records *b,
		    const uint32_t *partner)
{
	bool done = w->parts;
	uint64_t common = 0;
	size_t last = 0;

	for (size_t i = 0; i < a->n; i++) {
		size_t j = partner ? partner[i] : i;

		if (partner && partner[i] == NONE)
			continue;
		w->reordered |= j < last;
		last = j;
		common++;
		done = done || judge(w, step, a, i, b, j);
	}
	w->compared += common;
	w->only_a += a->n - common;
	w->only_b += b->n - common;
}

enum ts_status ts_op_walk_step(struct ts_op_walk *w, int64_t step, const struct ts_op_records *a,
			       const struct ts_op_records *b, struct ts_error *err)
{
	struct align al = {.side = {a, b}, .scratch = w->scratch};

	if (is_aligned(a, b)) {
		compare(w, step, a, b, NULL);
		return TS_OK;
	}
	ts_arena_reset(w->scratch);
	if (align(&al, err))
		return ts_error_prefix(err, "step %" PRId64, step);
	compare(w, step, a, b, al.partner);
	return find_apart(w, step, a, b, al.partner, err);
}

/* --- all ranks --- */

static bool comes_before(const struct ts_op_row *a, const struct ts_op_row *b)
{
	if (a->step != b->step)
		return a->step < b->step;
	return a->ordinal != b->ordinal ? a->ordinal < b->ordinal : a->rank < b->rank;
}

/* Puts a row in its place, with names of its own. */
static enum ts_status insert(struct ts_op_row **io_rows, size_t *io_n, struct ts_op_row row, struct ts_arena *arena,
			     struct ts_error *err)
{
	size_t at = *io_n;

	row.name = ts_arena_span(arena, row.name);
	row.after = ts_arena_span(arena, row.after);
	if (!row.name.data || !row.after.data)
		return ts_arena_error(arena, err);
	if (!TS_GROW_BY_ONE_IN(arena, *io_rows, *io_n, 8))
		return ts_arena_error(arena, err);
	for (; at > 0 && comes_before(&row, &(*io_rows)[at - 1]); at--)
		(*io_rows)[at] = (*io_rows)[at - 1];
	(*io_rows)[at] = row;
	++*io_n;
	return TS_OK;
}

enum ts_status ts_op_diff_add(struct ts_op_diff *diff, const struct ts_op_walk *w, struct ts_arena *arena,
			      struct ts_error *err)
{
	if (w->parts && insert(&diff->rows, &diff->n, w->row, arena, err))
		return err->status;
	if (w->has_apart && insert(&diff->apart, &diff->n_apart, w->apart, arena, err))
		return err->status;
	diff->compared += w->compared;
	diff->only_a += w->only_a;
	diff->only_b += w->only_b;
	diff->reordered |= w->reordered;
	return TS_OK;
}

TS_WORDS(ts_op_role_word, enum ts_op_role, "receiver", [TS_OP_ORIGIN] = "origin", [TS_OP_RECEIVER] = "receiver",
	 [TS_OP_ONLY_A] = "only_a", [TS_OP_ONLY_B] = "only_b", [TS_OP_MOVED] = "moved")

const struct ts_op_row *ts_op_inserted(const struct ts_op_diff *diff)
{
	if (diff->n_apart == 0 || (diff->n && diff->rows[0].step < diff->apart[0].step))
		return NULL;
	return &diff->apart[0];
}

struct ts_span ts_op_apart_says(const struct ts_op_row *row, struct ts_arena *arena)
{
	const char *where =
		row->after.len ? ts_arena_printf(arena, "behind %.*s", TS_SPAN_ARG(row->after)) : "as the first of the step";
	const char *rank = row->rank == TS_RANK_JOB ? "" : ts_arena_printf(arena, " on rank %" PRId32, row->rank);
	const char *text = NULL;

	if (!where || !rank)
		return ts_span_of("", 0);
	if (row->role == TS_OP_MOVED)
		text = ts_arena_printf(arena,
				       "the operation %.*s (occurrence %" PRIu64
				       ") comes at another place in the second run: at step %" PRId64
				       "%s of the first run it stands %s",
				       TS_SPAN_ARG(row->name), row->occurrence, row->step, rank, where);
	else
		text = ts_arena_printf(arena,
				       "only the %s run has the operation %.*s (occurrence %" PRIu64 ") at step %" PRId64 "%s, %s",
				       row->role == TS_OP_ONLY_A ? "first" : "second", TS_SPAN_ARG(row->name), row->occurrence,
				       row->step, rank, where);
	return text ? ts_span_str(text) : ts_span_of("", 0);
}

const struct ts_op_row *ts_op_culprit(const struct ts_op_diff *diff)
{
	for (size_t i = 0; i < diff->n && diff->rows[i].step == diff->rows[0].step; i++)
		if (diff->rows[i].role == TS_OP_ORIGIN)
			return &diff->rows[i];
	return diff->n ? &diff->rows[0] : NULL;
}

const char *ts_op_role_says(const struct ts_op_row *row)
{
	if (row->role == TS_OP_ORIGIN)
		return "its inputs agree, but its output differs";
	return row->has_inputs ? "its inputs already differ" : "whether its inputs agree was not recorded";
}
