/* bench_reduce.c - what it takes to reduce stored runs: bench_reduce STORE STEPS RANKS RANK_STEPS. Fills a store with a run of
 * STEPS steps of one rank and one of RANK_STEPS steps of RANKS ranks, opens it again and prints a line each, name and
 * seconds: reading all columns of the first, reducing it, reducing the second, and one of ten thousand reductions from the cache.
 */
#include "bench_clock.h"
#include "bench_store.h"

#include "base/limits.h"
#include "service/handlers/analyze/analyze_columns.h"
#include "service/handlers/analyze/reduce.h"
#include "service/handlers/analyze/reduce_cache.h"

#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 5, CACHED = 10000 };

static const struct bench_column logged[] = {
	{"phases.data", 0.005},	    {"phases.forward", 0.03},	 {"phases.backward", 0.06},
	{"phases.optimizer", 0.01}, {"phases.comm", 0.004},	 {"timestamp", 0},
	{"scalars.loss", 1},	    {"memory.peak_alloc", 1e10}, {"tokens", 4096},
};

static struct ts_id make_run(struct ts_engine *engine, int32_t ranks, int64_t steps)
{
	struct ts_rank_ref *refs = calloc((size_t)ranks, sizeof *refs);
	struct ts_head head = {.ranks = refs, .n_ranks = (size_t)ranks};
	struct ts_id id;

	if (!refs)
		exit(1);
	for (int32_t r = 0; r < ranks; r++)
		refs[r] = (struct ts_rank_ref){
			.rank = r,
			.index = bench_rank(engine, r, (uint64_t)r, logged, sizeof logged / sizeof *logged, steps)};
	id = bench_run(engine, &head);
	free(refs);
	return id;
}

/* Reads every column of the run's first rank, one after the other. */
static void read_columns(struct ts_fetch *f, struct ts_id id, struct ts_arena *arena)
{
	struct ts_columns columns;
	struct ts_error err;
	struct ts_run run;

	bench_must(ts_run_open(f, &id, arena, &run, &err), &err);
	ts_columns_init(&columns, f);
	for (size_t t = 0; t < run.indexes[0].n_tables; t++)
		for (size_t c = 0; c < run.indexes[0].tables[t].n_columns; c++) {
			struct ts_series series;

			bench_must(ts_columns_load(&columns, &run.indexes[0].tables[t], &run.indexes[0].tables[t].columns[c], &series,
						   &err),
				   &err);
			ts_columns_done(&columns);
		}
	ts_columns_finish(&columns);
}

static uint64_t fresh; /* a warm-up that no call has used yet, so that its reduction is not in the cache */

static void reduce(struct ts_fetch *f, struct ts_id id, struct ts_arena *arena)
{
	struct ts_gate_policy policy = {.reduce = {.has_warmup = true, .warmup = ++fresh}};
	struct ts_gate_run run = {.group = 0};
	struct ts_error err;

	bench_must(ts_reduce_run(f, &id, &policy, arena, &run, &err), &err);
	if (!run.reduction.metrics[TS_METRIC_STEP_TIME].known)
		exit(1);
}

static void best(const char *name, void (*what)(struct ts_fetch *f, struct ts_id id, struct ts_arena *arena), struct ts_fetch *f,
		 struct ts_id id)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < CALLS; i++) {
		struct ts_arena arena;
		int64_t began = bench_cpu_ns(), took;

		ts_arena_init(&arena, 0);
		what(f, id, &arena);
		ts_arena_finish(&arena);
		took = bench_cpu_ns() - began;
		least = took < least ? took : least;
	}
	printf("%s\t%.9f\n", name, (double)least / 1e9);
}

/* Returns the id of the i-th run that stands for others. The cached reduction of the first run is stored under each of
 * these ids. */
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
		bench_must(ts_reduce_keep(engine, &run, &first, &arena, &ignored, &err), &err);
	}
	ts_arena_finish(&arena);
}

static void cached(struct ts_engine *engine, struct ts_id id)
{
	struct ts_gate_run run;
	struct ts_arena arena;
	int64_t began = bench_cpu_ns();

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
	printf("cached\t%.9f\n", (double)(bench_cpu_ns() - began) / 1e9 / CACHED);
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
	long steps = argc == 5 ? strtol(argv[2], NULL, 10) : 0, ranks = argc == 5 ? strtol(argv[3], NULL, 10) : 0;
	long rank_steps = argc == 5 ? strtol(argv[4], NULL, 10) : 0;
	struct ts_engine *engine;
	struct ts_id one, many;

	if (steps < 100 || rank_steps < 100 || ranks < 1 || ranks > TS_RANKS_MAX) {
		fprintf(stderr, "usage: bench_reduce STORE STEPS RANKS RANK_STEPS\n");
		return 2;
	}
	engine = bench_open(argv[1]);
	one = make_run(engine, 1, steps);
	many = make_run(engine, (int32_t)ranks, rank_steps);
	ts_engine_destroy(engine);
	engine = bench_open(argv[1]);
	measure(engine, one, many);
	keep_many(engine, one);
	ts_engine_destroy(engine);
	/* The cache was written when the engine was closed. */
	engine = bench_open(argv[1]);
	cached(engine, one);
	ts_engine_destroy(engine);
	return 0;
}
