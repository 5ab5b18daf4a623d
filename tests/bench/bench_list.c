/* bench_list.c - fills a store with N names for ./dev bench: bench_list STORE N [PROJECTS], in 100 projects or so many. Each name
 * points at a run of its own, which shares the steps with the others and has its own facts and metrics; what a list costs depends on
 * names and metrics, not on steps.
 * bench_list STORE prints the processor time in ms of reading every name and one metric of every run, and doing nothing with them. */
#include "bench_clock.h"
#include "bench_store.h"

#include "base/clock.h"
#include "base/limits.h"
#include "service/handlers/core/describe.h"
#include "service/handlers/core/scores.h"
#include "service/handlers/core/summary.h"

#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 1000 };

static const char *const series[] = {"scalars.loss",  "scalars.val_loss", "scalars.val_acc", "scalars.grad_norm", "scalars.lr",
				     "phases.forward", "phases.backward",  "memory.alloc",   "scalars.val_f1",	"scalars.tokens"};
enum { SERIES = sizeof series / sizeof series[0] };

static struct ts_id make_steps(struct ts_engine *engine)
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
	return bench_rank_end(b);
}

/* The head of a run of its own, sealed in the arena. */
static struct ts_sealed make_head(struct ts_id index, long number, struct ts_arena *arena)
{
	struct ts_fact seed = {
		.path = ts_span_str("seeds.torch"), .type = TS_FACT_INT, .source = TS_SOURCE_RUN_JSON, .integer = number};
	struct ts_rank_ref rank = {.rank = 0, .index = index};
	struct ts_head head = {.facts = {.items = &seed, .n = 1}, .ranks = &rank, .n_ranks = 1};
	struct ts_buf bytes = TS_BUF_INIT(TS_HEAD_MAX);
	struct ts_sealed sealed;
	struct ts_error err;
	struct ts_id id;

	bench_must(ts_head_digest_groups(&head, &err), &err);
	bench_must(ts_head_encode(&head, &bytes, &err), &err);
	ts_digest(ts_buf_view(&bytes), &id);
	bench_must(ts_seal(&id, ts_buf_view(&bytes), arena, &sealed, &err), &err);
	sealed.bytes = ts_arena_span(arena, sealed.bytes);
	ts_buf_finish(&bytes);
	return sealed;
}

/* Scores as a training of 100 steps might have them. */
static void make_extracts(uint64_t *noise, struct ts_arena *arena, struct ts_ref_update *u)
{
	struct ts_column_score items[SERIES];
	struct ts_scores scores = {items, SERIES};
	struct ts_extract *extracts;
	struct ts_error err;

	for (size_t i = 0; i < SERIES; i++) {
		double v = bench_noise(noise);

		items[i] = (struct ts_column_score){
			.name = ts_span_str(series[i]),
			.score = {.count = 100, .last = v, .min = v / 2, .max = 2 * v, .mean = v, .last_step = 99}};
	}
	bench_must(ts_scores_extracts(&scores, arena, &extracts, &u->n_extracts, &err), &err);
	u->extracts = extracts;
}

static enum ts_status count(void *ctx, const struct ts_id *id, struct ts_span value, struct ts_error *err)
{
	(void)err;
	*(uint64_t *)ctx += id->bytes[0] + value.len;
	return TS_OK;
}

static uint64_t read_names(struct ts_engine *engine)
{
	struct ts_ref_query query = {.kind = TS_REF_RUN, .order = TS_ORDER_NAME, .limit = 256};
	struct ts_arena pages[2];
	struct ts_error err;
	uint64_t seen = 0;
	int turn = 0;

	ts_arena_init(&pages[0], 0);
	ts_arena_init(&pages[1], 0);
	do {
		struct ts_ref *refs;
		size_t n;

		turn = !turn;
		ts_arena_reset(&pages[turn]);
		bench_must(engine->ops->ref_list(engine, &query, &pages[turn], &refs, &n, &query.after, &err), &err);
		seen += n;
	} while (query.after.len);
	ts_arena_finish(&pages[0]);
	ts_arena_finish(&pages[1]);
	return seen;
}

static int read_all(const char *store)
{
	int64_t began = bench_cpu_ns();
	struct ts_engine *engine = bench_open(store);
	struct ts_extract_key key;
	struct ts_error err;
	uint64_t seen = read_names(engine);

	ts_score_key(ts_span_str("scalars.val_acc"), &key);
	bench_must(engine->ops->extracts_walk(engine, &key, count, &seen, &err), &err);
	ts_engine_destroy(engine);
	printf("%.2f\n", (double)(bench_cpu_ns() - began) / 1e6);
	return seen == 0;
}

int main(int argc, char **argv)
{
	struct ts_engine *engine;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_id index;
	struct ts_put_stats stats;
	uint64_t noise = 1;
	struct ts_description description = {.run = {.steps = 100, .last_step = 99, .ranks = 1}};
	struct ts_arena kept;
	struct ts_span summary;
	long total = argc >= 3 ? strtol(argv[2], NULL, 10) : 0, projects = argc == 4 ? strtol(argv[3], NULL, 10) : 100;

	if (argc == 2)
		return read_all(argv[1]);
	if (total <= 0 || projects <= 0) {
		fprintf(stderr, "usage: bench_list STORE [N [PROJECTS]]\n");
		return 2;
	}
	engine = bench_open(argv[1]);
	ts_arena_init(&arena, 0);
	ts_arena_init(&kept, 0);
	index = make_steps(engine);
	bench_must(ts_summary_make(&description, &kept, &summary, &err), &err);
	for (long at = 0; at < total; at += BATCH) {
		struct ts_ref_update *updates = ts_arena_array(&arena, BATCH, sizeof *updates);
		struct ts_sealed *heads = ts_arena_array(&arena, BATCH, sizeof *heads);

		for (long i = 0; updates && heads && i < BATCH; i++) {
			heads[i] = make_head(index, at + i, &arena);
			updates[i] = (struct ts_ref_update){
				.kind = TS_REF_RUN,
				.name = ts_span_str(ts_arena_printf(&arena, "project-%ld/run-%06ld", (at + i) % projects, at + i)),
				.id = heads[i].id,
				.expect = TS_EXPECT_ABSENT,
				.now_ns = ts_now_real_ns() + i,
				.who = ts_span_str("bench"),
				.summary = summary,
			};
			make_extracts(&noise, &arena, &updates[i]);
		}
		bench_must(engine->ops->put_many(engine, heads, BATCH, &stats, &err), &err);
		bench_must(engine->ops->commit(engine, updates, BATCH, &arena, NULL, &err), &err);
		ts_arena_reset(&arena);
	}
	ts_arena_finish(&arena);
	ts_arena_finish(&kept);
	ts_engine_destroy(engine);
	printf("%ld names\n", total);
	return 0;
}
