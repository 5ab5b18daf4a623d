/* bench_diff.c - what Diff takes at the server: bench_diff STORE STEPS. Fills a store with runs of loss and gradient norm that
 * share all but the last block, or nothing, or the values but not how finely or how often they were written; then asks through the
 * local channel. One line a pair: name, seconds of the best of a few calls, the answer. */
#include "base/clock.h"
#include "base/limits.h"
#include "proto/wire.h"
#include "run/builder.h"
#include "run/head.h"
#include "service/handlers/channel.h"
#include "store/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 5 };

static void must(enum ts_status status, const struct ts_error *err)
{
	if (status) {
		fprintf(stderr, "bench_diff: %s\n", err->text);
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

struct kind {
	const char *name;
	uint64_t seed;
	int64_t parts_before_end; /* 0: nowhere */
	enum ts_precision precision;
	int64_t every; /* steps logged */
};

static struct ts_id make_run(struct ts_engine *engine, const struct kind *kind, int64_t steps)
{
	struct ts_builder *b;
	struct ts_error err;
	struct ts_head head = {.n_ranks = 1};
	struct ts_rank_ref rank = {.rank = 0};
	struct ts_buf bytes = TS_BUF_INIT(TS_HEAD_MAX);
	struct ts_facts none = {0};
	uint64_t state = kind->seed;
	uint32_t loss, norm;
	struct ts_id id;

	must(ts_builder_create(0, put, engine, &b, &err), &err);
	must(ts_builder_column(b, ts_span_str("scalars.loss"), TS_COLUMN_F64, &loss, &err), &err);
	must(ts_builder_column(b, ts_span_str("scalars.grad_norm"), TS_COLUMN_F64, &norm, &err), &err);
	ts_builder_precision(b, loss, kind->precision, 0);
	ts_builder_precision(b, norm, kind->precision, 0);
	for (int64_t step = 0; step < steps; step++) {
		double nudge = steps - step <= kind->parts_before_end ? 1 + 1e-6 : 1;
		double x = (2 + 8 / sqrt((double)step + 1) + 0.1 * noise(&state)) * nudge,
		       y = (1 + noise(&state)) * nudge;

		if (step % kind->every)
			continue;
		ts_builder_row(b, TS_TABLE_STEPS, step);
		ts_builder_f64(b, loss, kind->precision == TS_PRECISION_F32 ? (double)(float)x : x);
		ts_builder_f64(b, norm, kind->precision == TS_PRECISION_F32 ? (double)(float)y : y);
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

static void ask(struct ts_channel *ch, const char *what, struct ts_id a, struct ts_id b)
{
	char hex_a[TS_ID_HEX + 1], hex_b[TS_ID_HEX + 1];
	struct ts_diff_request request = {.a = ts_span_str(ts_id_hex(&a, hex_a)),
					  .b = ts_span_str(ts_id_hex(&b, hex_b))};
	struct ts_buf bytes = TS_BUF_INIT(1 << 16);
	struct ts_arena arena;
	struct ts_span reply;
	struct ts_error err;
	struct ts_diff diff;
	double best = HUGE_VAL;

	ts_arena_init(&arena, 0);
	must(ts_wire_pack_diff_request(&request, &bytes, &err), &err);
	for (int i = 0; i < CALLS; i++) {
		int64_t began = ts_now_mono_ns();

		ts_arena_reset(&arena);
		must(ch->ops->call(ch, "Diff", ts_buf_view(&bytes), &arena, &reply, &err), &err);
		best = fmin(best, (double)(ts_now_mono_ns() - began) * 1e-9);
	}
	must(ts_wire_unpack_diff_reply(reply, &arena, &diff, &err), &err);
	printf("%s\t%.6f\t%.*s\n", what, best, TS_SPAN_ARG(diff.reason));
	ts_buf_finish(&bytes);
	ts_arena_finish(&arena);
}

int main(int argc, char **argv)
{
	static const struct kind kinds[] = {
		{"first", 1, 0, TS_PRECISION_F64, 1},
		{"last block", 1, 1000, TS_PRECISION_F64, 1},
		{"wholly different", 2, 0, TS_PRECISION_F64, 1},
		{"as float32", 1, 0, TS_PRECISION_F32, 1}, /* no difference is visible: all is read */
		{"every third step", 1, 1000, TS_PRECISION_F64, 3},
	};
	struct ts_lmdb_options options = {.create = true};
	long long steps = argc == 3 ? strtoll(argv[2], NULL, 10) : 0;
	struct ts_id ids[sizeof kinds / sizeof *kinds];
	struct ts_channel *ch;
	struct ts_engine *engine;
	struct ts_error err;

	if (steps < 2000) {
		fprintf(stderr, "usage: bench_diff STORE STEPS\n");
		return 2;
	}
	options.path = argv[1];
	must(ts_digest_init(&err), &err);
	must(ts_lmdb_open(&options, &engine, &err), &err);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		ids[i] = make_run(engine, &kinds[i], steps);
	must(ts_channel_local(engine, "bench", &ch, &err), &err);
	for (size_t i = 1; i < sizeof kinds / sizeof *kinds; i++)
		ask(ch, kinds[i].name, ids[0], ids[i]);
	ch->ops->destroy(ch);
	ts_engine_destroy(engine);
	return 0;
}
