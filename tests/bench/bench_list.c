/* bench_list.c - fills a store with N names for ./dev bench: bench_list STORE N. Every name points at one small run; what a list
 * costs depends on the names, not on what they point at. */
#include "base/clock.h"
#include "base/limits.h"
#include "run/builder.h"
#include "run/head.h"
#include "service/handlers/describe.h"
#include "service/handlers/summary.h"
#include "store/engine.h"

#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 1000 };

static void must(enum ts_status status, const struct ts_error *err)
{
	if (status) {
		fprintf(stderr, "bench_list: %s\n", err->text);
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

static struct ts_id make_run(struct ts_engine *engine)
{
	struct ts_builder *b;
	struct ts_error err;
	struct ts_head head = {.n_ranks = 1};
	struct ts_rank_ref rank = {.rank = 0};
	struct ts_buf bytes = TS_BUF_INIT(TS_HEAD_MAX);
	struct ts_facts none = {0};
	struct ts_id id;
	uint32_t loss;

	must(ts_builder_create(0, put, engine, &b, &err), &err);
	must(ts_builder_column(b, ts_span_str("scalars.loss"), TS_COLUMN_F64, &loss, &err), &err);
	for (int64_t step = 0; step < 100; step++) {
		ts_builder_row(b, TS_TABLE_STEPS, step);
		ts_builder_f64(b, loss, 1.0 / (double)(step + 1));
		must(ts_builder_row_end(b, &err), &err);
	}
	must(ts_builder_finish(b, &none, &rank.index, &err), &err);
	ts_builder_destroy(b);
	head.ranks = &rank;
	ts_head_digest_groups(&head);
	must(ts_head_encode(&head, &bytes, &err), &err);
	ts_digest(ts_buf_view(&bytes), &id);
	must(put(engine, &id, ts_buf_view(&bytes), &err), &err);
	ts_buf_finish(&bytes);
	return id;
}

int main(int argc, char **argv)
{
	struct ts_lmdb_options options = {.create = true};
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
	options.path = argv[1];
	must(ts_digest_init(&err), &err);
	must(ts_lmdb_open(&options, &engine, &err), &err);
	ts_arena_init(&arena, 0);
	ts_arena_init(&kept, 0);
	id = make_run(engine);
	description.run.id = id;
	must(ts_summary_make(&description, &kept, &summary, &err), &err);
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
		must(engine->ops->commit(engine, updates, BATCH, &arena, NULL, &err), &err);
		ts_arena_reset(&arena);
	}
	ts_arena_finish(&arena);
	ts_arena_finish(&kept);
	ts_engine_destroy(engine);
	printf("%ld names\n", total);
	return 0;
}
