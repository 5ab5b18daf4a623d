/* bench_reduce.c - what it takes to reduce stored runs: bench_reduce STORE STEPS RANKS RANK_STEPS. Fills a store with a run of
 * STEPS steps of one rank and one of RANK_STEPS steps of RANKS ranks, opens it again and prints a line each, name and
 * seconds: reading all columns of the first, reducing it, reducing the second, and one of ten thousand reductions from the cache.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "run/builder.h"
#include "run/head.h"
#include "service/handlers/analyze_columns.h"
#include "service/handlers/reduce.h"
#include "service/handlers/reduce_cache.h"
#include "store/engine.h"

#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 5, CACHED = 10000 };

static void must(enum ts_status status, const struct ts_error *err)
{
	if (status) {
		fprintf(stderr, "bench_reduce: %s\n", err->text);
		exit(1);
	}
}

static enum ts_status put(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	struct ts_engine *engine = ctx;
	struct ts_arena arena;
	struct ts_sealed sealed;
	struct ts_put_stats stats;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = ts_seal_as(id, object, &arena, &sealed, err);
	if (!status)
		status = engine->ops->put_many(engine, &sealed, 1, &stats, err);
	ts_arena_finish(&arena);
	return status;
}

/* xorshift: noise that does not compress, the same on every machine. */
static double noise(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) * 0x1p-53;
}

static const char *const names[] = {"phases.data",	"phases.forward", "phases.backward", "phases.optimizer",
				    "phases.comm",	"timestamp",	  "scalars.loss",    "memory.peak_alloc",
				    "tokens"};
static const double scale[] = {0.005, 0.03, 0.06, 0.01, 0.004, 0, 1, 1e10, 4096};

enum { COLUMNS = sizeof names / sizeof names[0], STAMP = 5 };

static struct ts_id make_rank(struct ts_engine *engine, int32_t rank, int64_t steps)
{
	static const struct ts_facts none;
	uint64_t state = 88172645463325252u + (uint64_t)rank;
	uint32_t columns[COLUMNS];
	struct ts_builder *b;
	struct ts_error err;
	struct ts_id id;
	double end = 1.7e9;

	must(ts_builder_create(rank, put, engine, &b, &err), &err);
	for (size_t i = 0; i < COLUMNS; i++)
		must(ts_builder_column(b, ts_span_str(names[i]), TS_COLUMN_F64, &columns[i], &err), &err);
	for (int64_t step = 0; step < steps; step++) {
		double sum = 0;

		ts_builder_row(b, TS_TABLE_STEPS, step);
		for (size_t i = 0; i < COLUMNS; i++) {
			/* Nanoseconds, as clocks give them. */
			double v = (double)(int64_t)(scale[i] * (1 + 0.1 * noise(&state)) * 1e9) / 1e9;

			sum += i < STAMP ? v : 0;
			end += i == STAMP ? sum + 0.0001 : 0;
			ts_builder_f64(b, columns[i], i == STAMP ? end : v);
		}
		must(ts_builder_row_end(b, &err), &err);
	}
	must(ts_builder_finish(b, &none, &id, &err), &err);
	ts_builder_destroy(b);
	return id;
}

static struct ts_id make_run(struct ts_engine *engine, int32_t ranks, int64_t steps)
{
	struct ts_rank_ref *refs = calloc((size_t)ranks, sizeof *refs);
	struct ts_head head = {.ranks = refs, .n_ranks = (size_t)ranks};
	struct ts_buf bytes = TS_BUF_INIT(TS_HEAD_MAX);
	struct ts_error err;
	struct ts_id id;

	if (!refs)
		exit(1);
	for (int32_t r = 0; r < ranks; r++)
		refs[r] = (struct ts_rank_ref){.rank = r, .index = make_rank(engine, r, steps)};
	ts_head_digest_groups(&head);
	must(ts_head_encode(&head, &bytes, &err), &err);
	ts_digest(ts_buf_view(&bytes), &id);
	must(put(engine, &id, ts_buf_view(&bytes), &err), &err);
	ts_buf_finish(&bytes);
	free(refs);
	return id;
}

/* Every column of the run's first rank, one after the other. */
static void read_columns(struct ts_fetch *f, struct ts_id id, struct ts_arena *arena)
{
	struct ts_columns columns;
	struct ts_error err;
	struct ts_run run;

	must(ts_run_open(f, &id, arena, &run, &err), &err);
	ts_columns_init(&columns, f);
	for (size_t t = 0; t < run.indexes[0].n_tables; t++)
		for (size_t c = 0; c < run.indexes[0].tables[t].n_columns; c++) {
			struct ts_series series;

			must(ts_columns_load(&columns, &run.indexes[0].tables[t], &run.indexes[0].tables[t].columns[c], &series, &err),
			     &err);
			ts_columns_done(&columns);
		}
	ts_columns_finish(&columns);
}

static uint64_t fresh; /* a warm-up that was not asked for yet is not in the cache */

static void reduce(struct ts_fetch *f, struct ts_id id, struct ts_arena *arena)
{
	struct ts_gate_policy policy = {.reduce = {.has_warmup = true, .warmup = ++fresh}};
	struct ts_gate_run run = {.group = 0};
	struct ts_error err;

	must(ts_reduce_run(f, &id, &policy, arena, &run, &err), &err);
	if (!run.reduction.metrics[TS_METRIC_STEP_TIME].known)
		exit(1);
}

static void best(const char *name, void (*what)(struct ts_fetch *f, struct ts_id id, struct ts_arena *arena), struct ts_fetch *f,
		 struct ts_id id)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < CALLS; i++) {
		struct ts_arena arena;
		int64_t began = ts_now_cpu_ns(), took;

		ts_arena_init(&arena, 0);
		what(f, id, &arena);
		ts_arena_finish(&arena);
		took = ts_now_cpu_ns() - began;
		least = took < least ? took : least;
	}
	printf("%s\t%.9f\n", name, (double)least / 1e9);
}

/* The id of the i-th run that stands for others: what was kept of the first is kept under each. */
static struct ts_id other(struct ts_id id, uint32_t i)
{
	memcpy(id.bytes, &i, sizeof i);
	return id;
}

static const struct ts_gate_policy first = {.reduce = {.has_warmup = true, .warmup = 1}};

static void keep_many(struct ts_engine *engine, struct ts_id id)
{
	struct ts_gate_run run, ignored;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	if (!ts_reduce_cached(engine, &id, &first, &arena, &run))
		exit(1);
	for (uint32_t i = 0; i < CACHED; i++) {
		run.id = other(id, i);
		must(ts_reduce_keep(engine, &run, &first, &arena, &ignored, &err), &err);
	}
	ts_arena_finish(&arena);
}

static void cached(struct ts_engine *engine, struct ts_id id)
{
	struct ts_gate_run run;
	struct ts_arena arena;
	int64_t began = ts_now_cpu_ns();

	ts_arena_init(&arena, 0);
	for (uint32_t i = 0; i < CACHED; i++) {
		struct ts_id of = other(id, i * 7919 % CACHED);

		if (!ts_reduce_cached(engine, &of, &first, &arena, &run)) {
			fprintf(stderr, "bench_reduce: the cache forgot\n");
			exit(1);
		}
		ts_arena_reset(&arena);
	}
	ts_arena_finish(&arena);
	printf("cached\t%.9f\n", (double)(ts_now_cpu_ns() - began) / 1e9 / CACHED);
}

static void measure(struct ts_engine *engine, struct ts_id one, struct ts_id many)
{
	struct ts_arena arena;
	struct ts_call call = {.engine = engine, .arena = &arena, .deadline_ns = INT64_MAX};
	struct ts_fetch fetch;

	ts_arena_init(&arena, 0);
	ts_fetch_init(&fetch, &call);
	best("columns", read_columns, &fetch, one);
	best("one", reduce, &fetch, one);
	best("many", reduce, &fetch, many);
	ts_fetch_finish(&fetch);
	ts_arena_finish(&arena);
}

int main(int argc, char **argv)
{
	struct ts_lmdb_options options = {.create = true};
	long steps = argc == 5 ? strtol(argv[2], NULL, 10) : 0, ranks = argc == 5 ? strtol(argv[3], NULL, 10) : 0;
	long rank_steps = argc == 5 ? strtol(argv[4], NULL, 10) : 0;
	struct ts_engine *engine;
	struct ts_error err;
	struct ts_id one, many;

	if (steps < 100 || rank_steps < 100 || ranks < 1 || ranks > TS_RANKS_MAX) {
		fprintf(stderr, "usage: bench_reduce STORE STEPS RANKS RANK_STEPS\n");
		return 2;
	}
	options.path = argv[1];
	must(ts_digest_init(&err), &err);
	must(ts_lmdb_open(&options, &engine, &err), &err);
	one = make_run(engine, 1, steps);
	many = make_run(engine, (int32_t)ranks, rank_steps);
	ts_engine_destroy(engine);
	must(ts_lmdb_open(&options, &engine, &err), &err);
	measure(engine, one, many);
	keep_many(engine, one);
	ts_engine_destroy(engine);
	/* What was kept was written when the engine was closed. */
	must(ts_lmdb_open(&options, &engine, &err), &err);
	cached(engine, one);
	ts_engine_destroy(engine);
	return 0;
}
