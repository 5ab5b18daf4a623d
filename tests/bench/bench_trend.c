/* bench_trend.c - fills a store with a branch of N runs for ./dev bench: bench_trend STORE N. Each has 64 steps of one rank; from the
 * second half on they take 3 % longer, which a trend must find. */
#include "bench_store.h"

#include "analysis/stats/random.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 64 };

static struct ts_id make_run(struct ts_engine *engine, long number, double seconds, struct ts_arena *arena)
{
	struct ts_fact facts[] = {{.path = ts_span_str("code.commit"),
				   .type = TS_FACT_TEXT,
				   .text = ts_span_str(ts_arena_printf(arena, "%040lx", number))},
				  {.path = ts_span_str("config.model"), .type = TS_FACT_TEXT, .text = ts_span_str("bench")}};
	struct ts_rank_ref rank = {.rank = 0};
	struct ts_head head = {.ranks = &rank, .n_ranks = 1};
	struct ts_builder *b = bench_rank_begin(engine, 0);
	struct ts_error err;
	uint32_t forward;

	bench_must(ts_builder_column(b, ts_span_str("phases.forward"), TS_COLUMN_F64, &forward, &err), &err);
	for (int64_t step = 0; step < STEPS; step++) {
		ts_builder_row(b, TS_TABLE_STEPS, step);
		ts_builder_f64(b, forward, seconds);
		bench_must(ts_builder_row_end(b, &err), &err);
	}
	rank.index = bench_rank_end(b);
	for (size_t i = 0; i < 2; i++) {
		facts[i].source = TS_SOURCE_RUN_JSON;
		bench_must(ts_facts_add(&head.facts, &facts[i], arena, &err), &err);
	}
	(void)ts_facts_sort(&head.facts);
	return bench_run(engine, &head);
}

int main(int argc, char **argv)
{
	struct ts_engine *engine;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_random random;
	struct ts_id before = {{0}};
	long total = argc == 3 ? strtol(argv[2], NULL, 10) : 0;

	if (total <= 0) {
		fprintf(stderr, "usage: bench_trend STORE N\n");
		return 2;
	}
	ts_random_init(&random, 1);
	engine = bench_open(argv[1]);
	ts_arena_init(&arena, 0);
	for (long i = 0; i < total; i++) {
		double seconds = 0.1 * (1 + 0.005 * ts_random_normal(&random)) * (i < total / 2 ? 1 : 1.03);
		struct ts_id id = make_run(engine, i, seconds, &arena);
		struct ts_ref_update updates[] = {
			{.kind = TS_REF_RUN,
			 .name = ts_span_str(ts_arena_printf(&arena, "default/run-%06ld", i)),
			 .id = id,
			 .expect = TS_EXPECT_ABSENT,
			 .now_ns = ts_now_real_ns()},
			{.kind = TS_REF_BRANCH,
			 .name = ts_span_str("default/main"),
			 .id = id,
			 .expect = i ? TS_EXPECT_ID : TS_EXPECT_ABSENT,
			 .expected = before,
			 .now_ns = ts_now_real_ns()},
		};

		bench_must(engine->ops->commit(engine, updates, 2, &arena, NULL, &err), &err);
		before = id;
		ts_arena_reset(&arena);
	}
	ts_arena_finish(&arena);
	ts_engine_destroy(engine);
	printf("%ld runs\n", total);
	return 0;
}
