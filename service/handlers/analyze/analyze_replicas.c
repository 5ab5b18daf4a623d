#include "service/handlers/analyze/analyze_replicas.h"

#include "analysis/ranks/replicas.h"
#include "base/limits.h"
#include "base/order.h"

enum { ROWS_MAX = 4 << 20 }; /* rows of digests of all ranks at once: 64 MiB */

static const struct {
	const char *column, *name;
	bool decides, promised; /* promised: what DistributedDataParallel keeps equal; an optimizer's state may be shards of it */
} sets[] = {{"digests.params", "params", true, true},
	    {"digests.optimizer", "optimizer", true, false},
	    {"digests.grads", "grads", false, false}};

enum { SETS = sizeof sets / sizeof sets[0] };

TS_ORDER(by_rank, struct ts_replica, TS_UP(rank))

static enum ts_status load(struct ts_fetch *f, const struct ts_run *run, const char *name, struct ts_arena *arena,
			   struct ts_replica *ranks, size_t *ret_n, struct ts_error *err)
{
	uint64_t rows = 0;
	size_t n = 0;

	for (size_t i = 0; i < run->head.n_ranks; i++) {
		const struct ts_index *index = &run->indexes[i];
		const struct ts_table *table;
		const struct ts_column *column = ts_index_column(index, TS_TABLE_STEPS, ts_span_str(name), TS_COLUMN_U64, &table);
		uint64_t *values;
		int64_t *keys;

		rows += column ? table->rows : 0;
		if (!column || index->rank == TS_RANK_JOB || rows > ROWS_MAX)
			continue;
		if (ts_fetch_keys(f, table, arena, &keys, err) || ts_fetch_u64(f, table, column, arena, &values, err))
			return ts_error_prefix(err, "rank %" PRId32, index->rank);
		ranks[n++] = (struct ts_replica){index->rank, keys, values, (size_t)table->rows};
	}
	TS_SORT(ranks, n, by_rank);
	*ret_n = n;
	return TS_OK;
}

static enum ts_status judge(struct ts_fetch *f, const struct ts_run *run, const char *name, bool promised, struct ts_arena *scratch,
			    struct ts_replicas *ret, size_t *ret_n, struct ts_error *err)
{
	struct ts_replica *ranks = ts_arena_array(scratch, run->head.n_ranks + 1, sizeof *ranks);

	if (!ranks)
		return ts_arena_error(scratch, err);
	if (load(f, run, name, scratch, ranks, ret_n, err))
		return err->status;
	return *ret_n < 2 ? TS_OK : ts_replicas_judge(ranks, *ret_n, promised, scratch, ret, err);
}

static enum ts_status all(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *scratch, struct ts_arena *arena,
			  struct ts_measures *m, struct ts_error *err)
{
	bool on_purpose = ts_replicas_may_part(&run->head.facts), promised = ts_replicas_promised(&run->head.facts);
	struct ts_replicas found[SETS], *first = NULL;

	for (size_t i = 0; i < SETS; i++) {
		size_t n = 0;

		if (judge(f, run, sets[i].column, promised && sets[i].promised, scratch, &found[i], &n, err))
			return err->status;
		if (n < 2)
			continue;
		if (on_purpose && found[i].apart)
			found[i] = (struct ts_replicas){.reason = "the configuration names a method in which copies part on purpose"};
		if (ts_replicas_rows(&found[i], sets[i].name, arena, m, err))
			return err->status;
		if (sets[i].decides && found[i].judged && found[i].apart && (!first || found[i].first_apart < first->first_apart))
			first = &found[i];
	}
	return first ? ts_replicas_rank_rows(first, arena, m, err) : TS_OK;
}

enum ts_status ts_replicas_of_run(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_measures *m,
				  struct ts_error *err)
{
	struct ts_arena scratch;
	enum ts_status status;

	ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
	status = all(f, run, &scratch, arena, m, err);
	ts_arena_finish(&scratch);
	return status;
}
