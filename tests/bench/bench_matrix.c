/* bench_matrix.c - fills a store with RUNS runs of STEPS steps for ./dev bench: bench_matrix STORE RUNS STEPS.
 *
 * The runs are a family: each is one of those before it up to some step, and its own from there on, in a loss and a gradient
 * norm. Prints a line "I J STEP" for each two, with the first step at which they part as the family tree has it: the
 * matrix is held against that.
 */
#include "bench_store.h"

#include "base/clock.h"
#include "service/handlers/core/describe.h"
#include "service/handlers/core/summary.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS_MAX = 256 };

/* The values from step `from` up to the next piece are those of `salt`. */
struct piece {
	int64_t from;
	uint64_t salt;
};

struct lineage {
	struct piece pieces[RUNS_MAX + 1];
	size_t n;
};

static struct lineage family[RUNS_MAX];

/* This is splitmix64. */
static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static double unit(uint64_t x)
{
	return (double)(mix(x) >> 11) * 0x1p-53;
}

/* Run i branches off an earlier run at a random step. */
static void grow(long runs, int64_t steps)
{
	family[0] = (struct lineage){.pieces = {{0, 1}}, .n = 1};
	for (long i = 1; i < runs; i++) {
		const struct lineage *parent = &family[mix((uint64_t)i) % (uint64_t)i];
		int64_t from = 1 + (int64_t)(mix((uint64_t)i + 1000) % (uint64_t)(steps - 1));
		struct lineage *own = &family[i];

		for (; own->n < parent->n && parent->pieces[own->n].from < from; own->n++)
			own->pieces[own->n] = parent->pieces[own->n];
		own->pieces[own->n++] = (struct piece){from, (uint64_t)i + 1};
	}
}

/* Returns where the first piece begins that the two runs do not share. */
static int64_t parting(const struct lineage *a, const struct lineage *b)
{
	size_t k = 0;

	while (k < a->n && k < b->n && a->pieces[k].from == b->pieces[k].from && a->pieces[k].salt == b->pieces[k].salt)
		k++;
	if (k == a->n)
		return b->pieces[k].from;
	if (k == b->n)
		return a->pieces[k].from;
	return a->pieces[k].from < b->pieces[k].from ? a->pieces[k].from : b->pieces[k].from;
}

static struct ts_id make_run(struct ts_engine *engine, const struct lineage *line, int64_t steps)
{
	struct ts_builder *b = bench_rank_begin(engine, 0);
	struct ts_error err;
	uint32_t loss, norm;
	size_t piece = 0;

	bench_must(ts_builder_column(b, ts_span_str("scalars.loss"), TS_COLUMN_F64, &loss, &err), &err);
	bench_must(ts_builder_column(b, ts_span_str("scalars.grad_norm"), TS_COLUMN_F64, &norm, &err), &err);
	for (int64_t step = 0; step < steps; step++) {
		uint64_t seed;

		while (piece + 1 < line->n && line->pieces[piece + 1].from <= step)
			piece++;
		seed = line->pieces[piece].salt << 40 ^ (uint64_t)step << 1;
		ts_builder_row(b, TS_TABLE_STEPS, step);
		ts_builder_f64(b, loss, 1.0 + unit(seed));
		ts_builder_f64(b, norm, unit(seed + 1));
		bench_must(ts_builder_row_end(b, &err), &err);
	}
	return bench_run_of(engine, bench_rank_end(b));
}

static void name_run(struct ts_engine *engine, long i, struct ts_id id, int64_t steps)
{
	struct ts_description description = {
		.run = {.id = id, .steps = (uint64_t)steps, .last_step = steps - 1, .ranks = 1}};
	struct ts_ref_update update = {.kind = TS_REF_RUN, .id = id, .expect = TS_EXPECT_ABSENT, .who = ts_span_str("bench")};
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	update.name = ts_span_str(ts_arena_printf(&arena, "bench/r%03ld", i));
	update.now_ns = ts_now_real_ns();
	bench_must(ts_summary_make(&description, &arena, &update.summary, &err), &err);
	bench_must(engine->ops->commit(engine, &update, 1, &arena, NULL, &err), &err);
	ts_arena_finish(&arena);
}

int main(int argc, char **argv)
{
	struct ts_engine *engine;
	long runs = argc == 4 ? strtol(argv[2], NULL, 10) : 0, steps = argc == 4 ? strtol(argv[3], NULL, 10) : 0;

	if (runs < 2 || runs > RUNS_MAX || steps < 2) {
		fprintf(stderr, "usage: bench_matrix STORE RUNS STEPS, with 2 to %d runs of at least 2 steps\n", RUNS_MAX);
		return 2;
	}
	engine = bench_open(argv[1]);
	grow(runs, steps);
	for (long i = 0; i < runs; i++)
		name_run(engine, i, make_run(engine, &family[i], steps), steps);
	ts_engine_destroy(engine);
	for (long i = 0; i < runs; i++)
		for (long j = i + 1; j < runs; j++)
			printf("%ld %ld %" PRId64 "\n", i, j, parting(&family[i], &family[j]));
	return 0;
}
