/* diff_matrix.c - see diff_matrix.h. */
#include "service/handlers/diff/diff_matrix.h"

#include "base/limits.h"
#include "base/order.h"
#include "service/handlers/core/describe.h"
#include "service/handlers/core/fit.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/resolve.h"
#include "service/handlers/core/run_ending.h"
#include "service/handlers/diff/series_alias.h"

/* What is known of a pair of runs so far. */
struct tally {
	bool one;	 /* the ids are equal, so nothing is compared */
	bool parts;
	bool common;	 /* there is a trajectory series with a common step */
	bool incomplete; /* one side lacks steps, a trajectory series or a rank */
	bool unknown;	 /* a series of unknown role differs */
	int64_t step;
};

/* One series of a rank in all runs. */
struct across {
	struct ts_series_side *sides; /* one for each run; table == NULL where the run lacks the series */
	enum ts_role *roles;	      /* valid where the run has the series */
	size_t *at;		      /* its place in the list of the run; valid where the run has it */
};

struct matrix_walk {
	struct ts_fetch *fetch;
	const struct ts_run *runs;
	size_t n;
	struct ts_series_walk *walk;
	struct tally *pairs;	/* as ts_diff_matrix.pairs */
	struct ts_arena rank;	/* for one rank: its series in all runs */
	struct ts_arena cell;	/* for one comparison */
	struct ts_arena *kept;	/* for the answer */
	struct ts_matrix_alias *aliases;
	size_t n_aliases;
};

/* The series of one run on the rank, and how many have been taken. */
struct queue {
	struct ts_series_list list;
	struct ts_facts facts;
	size_t at;
	bool present;
	struct ts_aliases *with; /* by the number of a later run; its arrays are NULL until they are asked for */
};

static enum ts_status open_queues(struct matrix_walk *w, int32_t rank, struct queue *queues, struct ts_error *err)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct ts_index *index = ts_run_rank(&w->runs[i], rank);

		queues[i].present = index != NULL;
		queues[i].with = ts_arena_array(&w->rank, w->n, sizeof *queues[i].with);
		if (!queues[i].with)
			return ts_arena_error(&w->rank, err);
		if (index && (ts_series_list_of(index, &w->rank, &queues[i].list, err) ||
			      ts_series_facts(&w->runs[i], index, &w->rank, &queues[i].facts, err)))
			return err->status;
	}
	return TS_OK;
}

static const struct ts_series_side *front(const struct queue *q)
{
	return q->at < q->list.n ? &q->list.items[q->at] : NULL;
}

static const struct ts_series_side *least(const struct queue *queues, size_t n)
{
	const struct ts_series_side *low = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct ts_series_side *side = front(&queues[i]);

		if (side && (!low || ts_series_side_cmp(side, low) < 0))
			low = side;
	}
	return low;
}

/* Takes the first series by name from every queue that has it. *ret_any: it may affect the answer. */
static enum ts_status take(struct matrix_walk *w, struct queue *queues, struct across *ret, bool *ret_any,
			   struct ts_error *err)
{
	const struct ts_series_side first = *least(queues, w->n);
	struct across out = {
		.sides = ts_arena_array(&w->rank, w->n, sizeof *out.sides),
		.roles = ts_arena_array(&w->rank, w->n, sizeof *out.roles),
		.at = ts_arena_array(&w->rank, w->n, sizeof *out.at),
	};
	bool any = false;

	if (!out.sides || !out.roles || !out.at)
		return ts_arena_error(&w->rank, err);
	for (size_t i = 0; i < w->n; i++) {
		const struct ts_series_side *side = front(&queues[i]);

		if (!side || ts_series_side_cmp(side, &first) != 0)
			continue;
		out.sides[i] = *side;
		out.at[i] = queues[i].at;
		out.roles[i] = side->table->kind == TS_TABLE_PIPELINE ? TS_ROLE_OBSERVATION
								       : ts_role_of(side->column->name, &queues[i].facts);
		any |= out.roles[i] != TS_ROLE_OBSERVATION;
		queues[i].at++;
	}
	*ret = out;
	*ret_any = any;
	return TS_OK;
}

static enum ts_status list_across(struct matrix_walk *w, struct queue *queues, struct across **ret_series, size_t *ret_n,
				  struct ts_error *err)
{
	struct across *series;
	size_t most = 0, n = 0;

	for (size_t i = 0; i < w->n; i++)
		most += queues[i].list.n;
	series = ts_arena_array(&w->rank, most, sizeof *series);
	if (!series)
		return ts_arena_error(&w->rank, err);
	while (least(queues, w->n)) {
		bool any = false;

		if (take(w, queues, &series[n], &any, err))
			return err->status;
		n += any;
	}
	*ret_series = series;
	*ret_n = n;
	return TS_OK;
}

/* Two sides of one series. */
struct both {
	struct ts_series_side a, b;
};

static enum ts_status compare_parted(struct matrix_walk *w, struct tally *t, const struct both *s, struct ts_error *err)
{
	struct ts_series_row row = {.type = s->a.column->type};

	if (t->step == INT64_MIN)
		return TS_OK;
	if (ts_series_compare_upto(w->walk, s->a, s->b, t->step - 1, &w->cell, &row, err))
		return err->status;
	if (row.state == TS_SERIES_PARTS && row.first_step < t->step)
		t->step = row.first_step;
	return TS_OK;
}

static enum ts_status compare_both(struct matrix_walk *w, struct tally *t, const struct both *s, enum ts_role role,
				   struct ts_error *err)
{
	struct ts_series_row row = {.type = s->a.column->type};

	ts_arena_reset(&w->cell);
	if (t->parts)
		return compare_parted(w, t, s, err);
	if (ts_series_compare(w->walk, s->a, s->b, &w->cell, &row, err))
		return err->status;
	if (role == TS_ROLE_UNKNOWN) {
		t->unknown |= row.state != TS_SERIES_SAME;
		return TS_OK;
	}
	t->parts = row.state == TS_SERIES_PARTS;
	t->step = row.first_step;
	t->common |= row.state != TS_SERIES_DISJOINT;
	t->incomplete |= row.state != TS_SERIES_SAME;
	return TS_OK;
}

/* Notes two names once, however many runs and ranks have them so. */
static enum ts_status keep_alias(struct matrix_walk *w, struct ts_span a, struct ts_span b, struct ts_error *err)
{
	for (size_t i = 0; i < w->n_aliases; i++)
		if (ts_span_eq(w->aliases[i].a, a) && ts_span_eq(w->aliases[i].b, b))
			return TS_OK;
	if (w->n_aliases == TS_MATRIX_ALIASES_MAX)
		return TS_OK;
	if (!w->aliases)
		w->aliases = ts_arena_array(w->kept, TS_MATRIX_ALIASES_MAX, sizeof *w->aliases);
	if (!w->aliases)
		return ts_arena_error(w->kept, err);
	w->aliases[w->n_aliases++] = (struct ts_matrix_alias){a, b};
	return TS_OK;
}

/* What run i has under one name and run j under another, i < j; looked for when a series of the trajectory is first found in one of
 * the two alone. */
static enum ts_status aliases_of(struct matrix_walk *w, const struct queue *queues, size_t i, size_t j,
				 const struct ts_aliases **ret, struct ts_error *err)
{
	struct ts_aliases *with = &queues[i].with[j];

	*ret = with;
	if (with->of_a)
		return TS_OK;
	return ts_aliases_find(w->walk, (const struct ts_series_list[2]){queues[i].list, queues[j].list},
			       (const struct ts_facts[2]){queues[i].facts, queues[j].facts}, &w->rank, with, err);
}

/* Run i has a series that run j has under another name, or j one that i has so: *ret_done says so. They are compared under
 * the name of i. */
static enum ts_status compare_alias(struct matrix_walk *w, const struct queue *queues, const struct across *s, size_t i, size_t j,
				    struct tally *t, bool *ret_done, struct ts_error *err)
{
	const struct ts_aliases *aliases;
	int64_t of;

	*ret_done = false;
	if (!queues[i].present || !queues[j].present)
		return TS_OK;
	if (aliases_of(w, queues, i, j, &aliases, err))
		return err->status;
	of = s->sides[i].table ? aliases->of_a[s->at[i]] : aliases->of_b[s->at[j]];
	*ret_done = of != TS_ALIAS_NONE;
	if (!*ret_done || !s->sides[i].table)
		return TS_OK;
	if (keep_alias(w, s->sides[i].column->name, queues[j].list.items[of].column->name, err))
		return err->status;
	return compare_both(w, t, &(struct both){s->sides[i], queues[j].list.items[of]}, TS_ROLE_TRAJECTORY, err);
}

static enum ts_status compare_pair(struct matrix_walk *w, const struct queue *queues, const struct across *s, size_t i, size_t j,
				   enum ts_role wanted, struct ts_error *err)
{
	struct tally *t = &w->pairs[ts_pair_index(w->n, i, j)];
	bool has_i = s->sides[i].table != NULL, has_j = s->sides[j].table != NULL, done;
	enum ts_role role = has_i ? s->roles[i] : s->roles[j];

	if (has_i && has_j)
		role = ts_series_joint_role(role, s->roles[j]);
	if (t->one || role != wanted || (t->parts && wanted == TS_ROLE_UNKNOWN))
		return TS_OK;
	if (has_i && has_j)
		return compare_both(w, t, &(struct both){s->sides[i], s->sides[j]}, role, err);
	if (wanted == TS_ROLE_TRAJECTORY) {
		if (compare_alias(w, queues, s, i, j, t, &done, err))
			return err->status;
		if (done)
			return TS_OK;
	}
	t->incomplete |= wanted == TS_ROLE_TRAJECTORY;
	t->unknown |= wanted == TS_ROLE_UNKNOWN;
	return TS_OK;
}

/* Compares series that at least one of two runs has, on a rank that both have. Series of no rank are compared even if
 * only one run has any. */
static enum ts_status compare_series(struct matrix_walk *w, int32_t rank, const struct queue *queues, const struct across *s,
				     enum ts_role wanted, struct ts_error *err)
{
	for (size_t i = 0; i < w->n; i++) {
		if (ts_call_check(w->fetch->call, err))
			return err->status;
		for (size_t j = i + 1; j < w->n; j++) {
			if (!s->sides[i].table && !s->sides[j].table)
				continue;
			if (rank != TS_RANK_JOB && !(queues[i].present && queues[j].present))
				continue;
			if (compare_pair(w, queues, s, i, j, wanted, err))
				return err->status;
		}
	}
	return TS_OK;
}

static void note_ranks(struct matrix_walk *w, const struct queue *queues)
{
	for (size_t i = 0; i < w->n; i++)
		for (size_t j = i + 1; j < w->n; j++)
			w->pairs[ts_pair_index(w->n, i, j)].incomplete |= queues[i].present != queues[j].present;
}

/* Compares the trajectory first: where it differs, nothing else is compared. */
static enum ts_status compare_rank(struct matrix_walk *w, int32_t rank, struct ts_error *err)
{
	static const enum ts_role order[] = {TS_ROLE_TRAJECTORY, TS_ROLE_UNKNOWN};
	struct queue *queues;
	struct across *series = NULL;
	size_t n = 0;

	ts_arena_reset(&w->rank);
	queues = ts_arena_array(&w->rank, w->n, sizeof *queues);
	if (!queues)
		return ts_arena_error(&w->rank, err);
	if (open_queues(w, rank, queues, err) || list_across(w, queues, &series, &n, err))
		return err->status;
	if (rank != TS_RANK_JOB)
		note_ranks(w, queues);
	for (size_t pass = 0; pass < sizeof order / sizeof order[0]; pass++)
		for (size_t s = 0; s < n; s++)
			if (compare_series(w, rank, queues, &series[s], order[pass], err))
				return ts_error_prefix(err, "rank %d", rank);
	return TS_OK;
}

/* Lists the ranks of all runs, ascending. */
static enum ts_status all_ranks(const struct matrix_walk *w, struct ts_arena *arena, int32_t **ret_ranks, size_t *ret_n,
				struct ts_error *err)
{
	int32_t *ranks;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < w->n; i++)
		n += w->runs[i].head.n_ranks;
	ranks = ts_arena_array(arena, n, sizeof *ranks);
	if (!ranks)
		return ts_arena_error(arena, err);
	n = 0;
	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < w->runs[i].head.n_ranks; k++)
			ranks[n++] = w->runs[i].head.ranks[k].rank;
	TS_SORT(ranks, n, ts_by_i32);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || ranks[i] != ranks[i - 1])
			ranks[kept++] = ranks[i];
	*ret_ranks = ranks;
	*ret_n = kept;
	return TS_OK;
}

static struct ts_pair pair_of(const struct tally *t)
{
	if (t->one)
		return (struct ts_pair){TS_PAIR_SAME, 0};
	if (t->parts)
		return (struct ts_pair){TS_PAIR_PARTS, t->step};
	if (!t->common)
		return (struct ts_pair){TS_PAIR_APART, 0};
	if (t->incomplete)
		return (struct ts_pair){TS_PAIR_EXTENT, 0};
	return (struct ts_pair){t->unknown ? TS_PAIR_COLUMNS : TS_PAIR_SAME, 0};
}

static enum ts_status walk_ranks(struct matrix_walk *w, struct ts_arena *arena, struct ts_error *err)
{
	int32_t *ranks = NULL;
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		for (size_t j = i + 1; j < w->n; j++)
			w->pairs[ts_pair_index(w->n, i, j)].one = ts_id_eq(&w->runs[i].id, &w->runs[j].id);
	if (all_ranks(w, arena, &ranks, &n, err))
		return err->status;
	for (size_t r = 0; r < n; r++)
		if (compare_rank(w, ranks[r], err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_diff_matrix(struct ts_fetch *f, const struct ts_run *runs, size_t n, struct ts_arena *arena,
			      struct ts_diff_matrix *ret_matrix, struct ts_error *err)
{
	size_t n_pairs = n * (n - 1) / 2;
	struct matrix_walk w = {.fetch = f, .runs = runs, .n = n, .kept = arena};
	struct ts_diff_matrix out = {.n = n, .n_pairs = n_pairs};
	enum ts_status status;

	out.runs = ts_arena_array(arena, n, sizeof *out.runs);
	out.pairs = ts_arena_array(arena, n_pairs, sizeof *out.pairs);
	w.pairs = ts_arena_array(arena, n_pairs, sizeof *w.pairs);
	if (!out.runs || !out.pairs || !w.pairs)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		if (ts_run_describe(f, &runs[i], &out.runs[i], err))
			return ts_error_prefix(err, "run %zu", i + 1);
	ts_arena_init(&w.rank, TS_ANALYSIS_ARENA);
	ts_arena_init(&w.cell, TS_CALL_ARENA);
	status = ts_series_walk_create(f, &w.walk, err);
	if (!status) {
		ts_series_walk_keep(w.walk, TS_MATRIX_CACHE);
		status = walk_ranks(&w, arena, err);
	}
	ts_series_walk_destroy(w.walk);
	ts_arena_finish(&w.rank);
	ts_arena_finish(&w.cell);
	if (status)
		return status;
	for (size_t i = 0; i < n_pairs; i++)
		out.pairs[i] = pair_of(&w.pairs[i]);
	out.aliases = w.aliases;
	out.n_aliases = w.n_aliases;
	*ret_matrix = out;
	return TS_OK;
}

TS_REPLIER(matrix_reply, ts_diff_matrix);

static enum ts_status say_endings(struct ts_fetch *f, const struct ts_run *runs, size_t n, struct ts_arena *arena,
				  struct ts_diff_matrix *m, struct ts_error *err)
{
	m->endings = ts_arena_array(arena, n, sizeof *m->endings);
	if (!m->endings)
		return ts_arena_error(arena, err);
	for (m->n_endings = 0; m->n_endings < n; m->n_endings++)
		if (ts_run_ending(f, &runs[m->n_endings], arena, &m->endings[m->n_endings], err))
			return ts_error_prefix(err, "run %zu", m->n_endings + 1);
	return TS_OK;
}

static enum ts_status answer(struct ts_call *call, const struct ts_matrix_request *request, struct ts_fetch *f,
			     struct ts_arena *arena, struct ts_error *err)
{
	struct ts_run *runs = ts_arena_array(arena, request->n, sizeof *runs);
	struct ts_diff_matrix matrix;

	if (!runs)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < request->n; i++) {
		struct ts_resolved found;

		if (ts_resolve(call->engine, request->runs[i], arena, &found, err) ||
		    ts_run_open(f, &found.id, arena, &runs[i], err))
			return ts_error_prefix(err, "run %zu", i + 1);
	}
	if (ts_diff_matrix(f, runs, request->n, arena, &matrix, err) || say_endings(f, runs, request->n, arena, &matrix, err))
		return err->status;
	return reply_matrix_reply(call, &matrix, err);
}

enum ts_status ts_handle_diff_matrix(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	struct ts_matrix_request asked;
	struct ts_arena arena;
	struct ts_fetch fetch;
	enum ts_status status;

	(void)state;
	if (ts_wire_unpack_matrix_request(request, call->arena, &asked, err))
		return err->status;
	/* The indexes of 256 runs may take more memory than an ordinary call is allowed. */
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	ts_fetch_init(&fetch, call);
	status = answer(call, &asked, &fetch, &arena, err);
	if (status)
		status = ts_blame(call, asked.runs, asked.n, err);
	ts_fetch_finish(&fetch);
	ts_arena_finish(&arena);
	return status;
}
