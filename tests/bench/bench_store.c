#include "bench_store.h"

#include "base/limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS_MAX = 16 };

void bench_must(enum ts_status status, const struct ts_error *err)
{
	if (status) {
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, err->text);
		exit(1);
	}
}

struct ts_engine *bench_open(const char *path)
{
	struct ts_lmdb_options options = {.path = path, .create = true};
	struct ts_engine *engine;
	struct ts_error err;

	bench_must(ts_digest_init(&err), &err);
	bench_must(ts_lmdb_open(&options, &engine, &err), &err);
	return engine;
}

double bench_noise(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) * 0x1p-53;
}

static enum ts_status put(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	struct ts_engine *engine = ctx;
	struct ts_arena arena;
	struct ts_sealed sealed;
	struct ts_put_stats stats;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = ts_seal(id, object, &arena, &sealed, err);
	if (!status)
		status = engine->ops->put_many(engine, &sealed, 1, &stats, err);
	ts_arena_finish(&arena);
	return status;
}

struct ts_builder *bench_rank_begin(struct ts_engine *engine, int32_t rank)
{
	struct ts_builder *b;
	struct ts_error err;

	bench_must(ts_builder_create(rank, put, engine, &b, &err), &err);
	return b;
}

struct ts_id bench_rank_end(struct ts_builder *b)
{
	static const struct ts_facts none;
	struct ts_error err;
	struct ts_id id;

	bench_must(ts_builder_finish(b, &none, &id, &err), &err);
	ts_builder_destroy(b);
	return id;
}

struct ts_id bench_rank(struct ts_engine *engine, int32_t rank, uint64_t seed, const struct bench_column *columns,
			size_t n, int64_t steps)
{
	struct ts_builder *b = bench_rank_begin(engine, rank);
	uint64_t state = 88172645463325252u + seed;
	uint32_t ids[COLUMNS_MAX];
	struct ts_error err;
	double end = 1.7e9;

	for (size_t i = 0; i < n; i++)
		bench_must(ts_builder_column(b, ts_span_str(columns[i].name), TS_COLUMN_F64, &ids[i], &err), &err);
	for (int64_t step = 0; step < steps; step++) {
		double sum = 0;

		ts_builder_row(b, TS_TABLE_STEPS, step);
		for (size_t i = 0; i < n; i++) {
			/* The value has whole nanoseconds, as clocks give them. */
			double v = (double)(int64_t)(columns[i].scale * (1 + 0.1 * bench_noise(&state)) * 1e9) / 1e9;

			sum += v;
			if (columns[i].scale == 0)
				v = end += sum + 0.0001;
			ts_builder_f64(b, ids[i], v);
		}
		bench_must(ts_builder_row_end(b, &err), &err);
	}
	return bench_rank_end(b);
}

struct ts_id bench_run(struct ts_engine *engine, struct ts_head *head)
{
	struct ts_buf bytes = TS_BUF_INIT(TS_HEAD_MAX);
	struct ts_error err;
	struct ts_id id;

	bench_must(ts_head_digest_groups(head, &err), &err);
	bench_must(ts_head_encode(head, &bytes, &err), &err);
	ts_digest(ts_buf_view(&bytes), &id);
	bench_must(put(engine, &id, ts_buf_view(&bytes), &err), &err);
	ts_buf_finish(&bytes);
	return id;
}

struct ts_id bench_run_of(struct ts_engine *engine, struct ts_id index)
{
	struct ts_rank_ref rank = {.rank = 0, .index = index};
	struct ts_head head = {.ranks = &rank, .n_ranks = 1};

	return bench_run(engine, &head);
}
