#include "service/handlers/runs/join.h"

#include "base/limits.h"
#include "service/handlers/core/describe.h"

struct joining {
	struct ts_engine *engine;
	struct ts_arena *arena;
	struct ts_head head;
	struct ts_index **indexes; /* one for each of head.ranks */
	const struct ts_run **of; /* the run from which each index comes */
	struct ts_buf scratch;
};

static enum ts_status keep(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	struct joining *j = ctx;
	struct ts_arena arena;
	struct ts_sealed sealed;
	struct ts_put_stats stats;
	enum ts_status status;

	ts_arena_init(&arena, TS_CALL_ARENA);
	status = ts_seal(id, object, &arena, &sealed, err);
	if (!status)
		status = j->engine->ops->put_many(j->engine, &sealed, 1, &stats, err);
	ts_arena_finish(&arena);
	return status;
}

/* Merges the ranks of both runs, ascending; for a rank that both have, added's is taken. */
static enum ts_status unite(struct joining *j, const struct ts_run *base, const struct ts_run *added,
			    struct ts_error *err)
{
	size_t most = base->head.n_ranks + added->head.n_ranks, a = 0, b = 0;

	j->head.ranks = ts_arena_array(j->arena, most, sizeof *j->head.ranks);
	j->indexes = ts_arena_array(j->arena, most, sizeof(struct ts_index *));
	j->of = ts_arena_array(j->arena, most, sizeof(struct ts_run *));
	if (!j->head.ranks || !j->indexes || !j->of)
		return ts_arena_error(j->arena, err);
	while (a < base->head.n_ranks || b < added->head.n_ranks) {
		bool from_added = b < added->head.n_ranks &&
				  (a == base->head.n_ranks || added->head.ranks[b].rank <= base->head.ranks[a].rank);
		const struct ts_run *run = from_added ? added : base;
		size_t at = from_added ? b : a;

		if (from_added && a < base->head.n_ranks && added->head.ranks[b].rank == base->head.ranks[a].rank)
			a++;
		a += !from_added;
		b += from_added;
		j->of[j->head.n_ranks] = run;
		j->indexes[j->head.n_ranks] = &run->indexes[at];
		j->head.ranks[j->head.n_ranks++] = run->head.ranks[at];
	}
	return TS_OK;
}

/* Applies the rule of docs/run-directory.md: the facts of the run are those of the first rank that run.json describes,
 * else those of the first rank. The job has no facts of its own. */
static enum ts_status choose_facts(struct joining *j, struct ts_error *err)
{
	size_t first = j->head.n_ranks > 1 && j->head.ranks[0].rank == TS_RANK_JOB;

	if (j->head.n_ranks == 0)
		return ts_error_set(err, TS_INVALID, "neither of the two runs has a rank");
	if (j->head.ranks[first].rank == TS_RANK_JOB) {
		j->head.facts = j->of[first]->head.facts;
		return TS_OK;
	}
	for (size_t i = first; i < j->head.n_ranks; i++) {
		struct ts_facts facts;

		if (ts_facts_whole(&j->of[i]->head.facts, &j->indexes[i]->facts, j->arena, &facts, err))
			return err->status;
		if (i == first || ts_facts_have_source(&facts, TS_SOURCE_RUN_JSON))
			j->head.facts = facts;
		if (ts_facts_have_source(&facts, TS_SOURCE_RUN_JSON))
			return TS_OK;
	}
	return TS_OK;
}

static bool same_facts(const struct ts_facts *a, const struct ts_facts *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!ts_span_eq(a->items[i].path, b->items[i].path) || a->items[i].source != b->items[i].source ||
		    !ts_fact_same(&a->items[i], &b->items[i]))
			return false;
	return true;
}

/* Writes the rank's index again if, with the new head, it must record other facts. */
static enum ts_status restate(struct joining *j, size_t i, struct ts_error *err)
{
	struct ts_index index = *j->indexes[i];
	struct ts_facts whole;

	if (j->head.ranks[i].rank == TS_RANK_JOB)
		return TS_OK;
	if (ts_facts_whole(&j->of[i]->head.facts, &j->indexes[i]->facts, j->arena, &whole, err) ||
	    ts_facts_differences(&j->head.facts, &whole, j->arena, &index.facts, err))
		return err->status;
	if (same_facts(&index.facts, &j->indexes[i]->facts))
		return TS_OK;
	ts_buf_reset(&j->scratch);
	return ts_index_encode(&index, keep, j, &j->scratch, &j->head.ranks[i].index, err);
}

static enum ts_status write_all(struct joining *j, struct ts_id *ret_head, struct ts_error *err)
{
	for (size_t i = 0; i < j->head.n_ranks; i++)
		if (restate(j, i, err))
			return err->status;
	ts_buf_reset(&j->scratch);
	if (ts_head_digest_groups(&j->head, err) || ts_head_encode(&j->head, &j->scratch, err))
		return err->status;
	ts_digest(ts_buf_view(&j->scratch), ret_head);
	return keep(j, ret_head, ts_buf_view(&j->scratch), err);
}

static enum ts_status check_worlds(const struct ts_run *base, const struct ts_run *added, struct ts_error *err)
{
	int64_t a, b;

	if (ts_fact_int(&base->head.facts, "parallelism.world_size", &a) &&
	    ts_fact_int(&added->head.facts, "parallelism.world_size", &b) && a != b)
		return ts_error_set(err, TS_CONFLICT,
				    "these ranks belong to a world size of %" PRId64
				    ", and the stored ranks to one of %" PRId64 "; join these "
				    "ranks under another --name",
				    b, a);
	return TS_OK;
}

enum ts_status ts_runs_join(struct ts_fetch *f, const struct ts_run *base, const struct ts_run *added,
			    struct ts_arena *arena, struct ts_id *ret_head, struct ts_error *err)
{
	struct joining j = {.engine = f->call->engine, .arena = arena, .scratch = TS_BUF_INIT(TS_OBJECT_MAX)};
	enum ts_status status;

	if (check_worlds(base, added, err) || unite(&j, base, added, err) || choose_facts(&j, err))
		return err->status;
	status = write_all(&j, ret_head, err);
	ts_buf_finish(&j.scratch);
	return status;
}
