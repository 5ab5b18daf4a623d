/* bench_list.c - fills a store with N names for ./dev bench: bench_list STORE N. Every name points at one small run; what a list
 * costs depends on the names, not on what they point at. */
#include "bench_store.h"

#include "base/clock.h"
#include "service/handlers/core/describe.h"
#include "service/handlers/core/summary.h"

#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 1000 };

static struct ts_id make_run(struct ts_engine *engine)
{
	struct ts_builder *b = bench_rank_begin(engine, 0);
	struct ts_error err;
	uint32_t loss;

	bench_must(ts_builder_column(b, ts_span_str("scalars.loss"), TS_COLUMN_F64, &loss, &err), &err);
	for (int64_t step = 0; step < 100; step++) {
		ts_builder_row(b, TS_TABLE_STEPS, step);
		ts_builder_f64(b, loss, 1.0 / (double)(step + 1));
		bench_must(ts_builder_row_end(b, &err), &err);
	}
	return bench_run_of(engine, bench_rank_end(b));
}

int main(int argc, char **argv)
{
	struct ts_engine *engine;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_id id;
	struct ts_description description = {.run = {.steps = 100, .last_step = 99, .ranks = 1}};
	struct ts_arena kept;
	struct ts_span summary;
	long total = argc == 3 ? strtol(argv[2], NULL, 10) : 0;

	if (total <= 0) {
		fprintf(stderr, "usage: bench_list STORE N\n");
		return 2;
	}
	engine = bench_open(argv[1]);
	ts_arena_init(&arena, 0);
	ts_arena_init(&kept, 0);
	id = make_run(engine);
	description.run.id = id;
	bench_must(ts_summary_make(&description, &kept, &summary, &err), &err);
	for (long at = 0; at < total; at += BATCH) {
		struct ts_ref_update *updates = ts_arena_array(&arena, BATCH, sizeof *updates);

		for (long i = 0; updates && i < BATCH; i++)
			updates[i] = (struct ts_ref_update){
				.kind = TS_REF_RUN,
				.name = ts_span_str(ts_arena_printf(&arena, "project-%ld/run-%06ld", (at + i) % 100, at + i)),
				.id = id,
				.expect = TS_EXPECT_ABSENT,
				.now_ns = ts_now_real_ns() + i,
				.who = ts_span_str("bench"),
				.summary = summary,
			};
		bench_must(engine->ops->commit(engine, updates, BATCH, &arena, NULL, &err), &err);
		ts_arena_reset(&arena);
	}
	ts_arena_finish(&arena);
	ts_arena_finish(&kept);
	ts_engine_destroy(engine);
	printf("%ld names\n", total);
	return 0;
}
