/* bench_diff.c - what Diff takes at the server: bench_diff STORE STEPS. Fills a store with runs of loss and gradient norm that
 * share all but the last block, or nothing, or the values but not how finely or how often they were written, and with runs of a digest
 * of parameters, gradients, batch and generators at each step and of every operation in the last of them; then asks through the
 * local channel. One line a pair: name, seconds of the best of a few calls, the answer.
 *
 * bench_diff --scan STEPS: the seconds that it takes to go through such digests of two runs that lie in memory. */
#include "bench_store.h"

#include "base/clock.h"
#include "proto/wire.h"
#include "service/handlers/channel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 5, PARTS_BEFORE_END = 1000, WINDOW = 2000, DIGESTS = 4, OPERATIONS = 8 };

struct kind {
	const char *name;
	uint64_t seed;
	int64_t parts_before_end; /* how many steps before the end the runs begin to differ; 0: they never differ */
	enum ts_precision precision;
	int64_t every; /* the interval between logged steps */
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

/* Parameters and gradients differ; batches and random generators do not. Runs that are wholly different differ in all
 * columns. */
static uint64_t digest_at(const struct kind *kind, int64_t steps, size_t column, int64_t step)
{
	bool apart = column < 2 && steps - step <= kind->parts_before_end;

	return mix((kind->seed << 48) + ((uint64_t)apart << 47) + ((uint64_t)column << 40) + (uint64_t)step);
}

/* Adds every operation of the last steps. The fifth is the first whose output differs. */
static void add_operations(struct ts_builder *b, const struct kind *kind, int64_t steps)
{
	static const char *const names[OPERATIONS] = {"embed", "block.0.attn", "block.0.mlp", "block.1.attn",
						      "block.1.mlp", "norm", "head", "loss"};
	uint32_t step_of, name, in, out;
	struct ts_error err;
	int64_t row = 0;

	bench_must(ts_builder_column(b, ts_span_str("step"), TS_COLUMN_F64, &step_of, &err), &err);
	bench_must(ts_builder_column(b, ts_span_str("name"), TS_COLUMN_TEXT, &name, &err), &err);
	bench_must(ts_builder_column(b, ts_span_str("in"), TS_COLUMN_U64, &in, &err), &err);
	bench_must(ts_builder_column(b, ts_span_str("out"), TS_COLUMN_U64, &out, &err), &err);
	for (int64_t step = steps - WINDOW; step < steps; step++)
		for (uint64_t i = 0; i < OPERATIONS; i++) {
			bool later = steps - step < kind->parts_before_end, there = steps - step == kind->parts_before_end;
			uint64_t seed = (kind->seed << 48) + ((uint64_t)step << 8), apart = (uint64_t)1 << 47;

			ts_builder_row(b, TS_TABLE_DIGESTS, row++);
			ts_builder_f64(b, step_of, (double)step);
			ts_builder_text(b, name, ts_span_str(names[i]));
			ts_builder_u64(b, in, mix(seed + i + (later || (there && i > 4) ? apart : 0)));
			ts_builder_u64(b, out, mix(seed + i + 1 + (later || (there && i > 3) ? apart : 0)));
			bench_must(ts_builder_row_end(b, &err), &err);
		}
}

static struct ts_id make_digests(struct ts_engine *engine, const struct kind *kind, int64_t steps)
{
	static const char *const names[DIGESTS] = {"digests.params", "digests.grads", "digests.batch", "digests.rng"};
	uint32_t columns[DIGESTS];
	struct ts_builder *b = bench_rank_begin(engine, 0);
	struct ts_error err;

	for (size_t i = 0; i < DIGESTS; i++)
		bench_must(ts_builder_column(b, ts_span_str(names[i]), TS_COLUMN_U64, &columns[i], &err), &err);
	for (int64_t step = 0; step < steps; step++) {
		ts_builder_row(b, TS_TABLE_STEPS, step);
		for (size_t i = 0; i < DIGESTS; i++)
			ts_builder_u64(b, columns[i], digest_at(kind, steps, i, step));
		bench_must(ts_builder_row_end(b, &err), &err);
	}
	add_operations(b, kind, steps);
	return bench_run_of(engine, bench_rank_end(b));
}

/* A lower limit for any index: the digests of both runs are plain arrays in memory, compared until they differ. */
static int scan(int64_t steps)
{
	const struct kind one = {.seed = 1}, other = {.seed = 1, .parts_before_end = PARTS_BEFORE_END};
	uint64_t *a = malloc((size_t)steps * sizeof *a), *b = malloc((size_t)steps * sizeof *b);
	int64_t first = steps;
	double seconds = 0;

	if (!a || !b)
		return 1;
	for (size_t column = 0; column < DIGESTS; column++) {
		int64_t began, i;

		for (i = 0; i < steps; i++) {
			a[i] = digest_at(&one, steps, column, i);
			b[i] = digest_at(&other, steps, column, i);
		}
		began = ts_now_mono_ns();
		for (i = 0; i < steps && a[i] == b[i]; i++)
			;
		seconds += (double)(ts_now_mono_ns() - began) * 1e-9;
		first = i < first ? i : first;
	}
	printf("scan\t%.6f\tstep %" PRId64 "\n", seconds, first);
	free(a);
	free(b);
	return 0;
}

static struct ts_id make_run(struct ts_engine *engine, const struct kind *kind, int64_t steps)
{
	struct ts_builder *b = bench_rank_begin(engine, 0);
	struct ts_error err;
	uint64_t state = kind->seed;
	uint32_t loss, norm;

	bench_must(ts_builder_column(b, ts_span_str("scalars.loss"), TS_COLUMN_F64, &loss, &err), &err);
	bench_must(ts_builder_column(b, ts_span_str("scalars.grad_norm"), TS_COLUMN_F64, &norm, &err), &err);
	ts_builder_precision(b, loss, kind->precision, 0);
	ts_builder_precision(b, norm, kind->precision, 0);
	for (int64_t step = 0; step < steps; step++) {
		double nudge = steps - step <= kind->parts_before_end ? 1 + 1e-6 : 1;
		double x = (2 + 8 / sqrt((double)step + 1) + 0.1 * bench_noise(&state)) * nudge,
		       y = (1 + bench_noise(&state)) * nudge;

		if (step % kind->every)
			continue;
		ts_builder_row(b, TS_TABLE_STEPS, step);
		ts_builder_f64(b, loss, kind->precision == TS_PRECISION_F32 ? (double)(float)x : x);
		ts_builder_f64(b, norm, kind->precision == TS_PRECISION_F32 ? (double)(float)y : y);
		bench_must(ts_builder_row_end(b, &err), &err);
	}
	return bench_run_of(engine, bench_rank_end(b));
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
	bench_must(ts_wire_pack_diff_request(&request, &bytes, &err), &err);
	for (int i = 0; i < CALLS; i++) {
		int64_t began = ts_now_mono_ns();

		ts_arena_reset(&arena);
		bench_must(ch->ops->call(ch, "Diff", ts_buf_view(&bytes), &arena, &reply, &err), &err);
		best = fmin(best, (double)(ts_now_mono_ns() - began) * 1e-9);
	}
	bench_must(ts_wire_unpack_diff_reply(reply, &arena, &diff, &err), &err);
	printf("%s\t%.6f\t%.*s\n", what, best, TS_SPAN_ARG(diff.reason));
	ts_buf_finish(&bytes);
	ts_arena_finish(&arena);
}

int main(int argc, char **argv)
{
	static const struct kind kinds[] = {
		{"first", 1, 0, TS_PRECISION_F64, 1},
		{"last block", 1, PARTS_BEFORE_END, TS_PRECISION_F64, 1},
		{"wholly different", 2, 0, TS_PRECISION_F64, 1},
		{"as float32", 1, 0, TS_PRECISION_F32, 1}, /* no difference is visible, so everything is read */
		{"every third step", 1, PARTS_BEFORE_END, TS_PRECISION_F64, 3},
	};
	static const struct kind digests[] = {
		{.name = "first", .seed = 1},
		{.name = "digests, last block", .seed = 1, .parts_before_end = PARTS_BEFORE_END},
		{.name = "digests, wholly different", .seed = 2},
	};
	int64_t steps = argc == 3 ? strtoll(argv[2], NULL, 10) : 0;
	struct ts_id ids[sizeof kinds / sizeof *kinds], digest_ids[sizeof digests / sizeof *digests];
	struct ts_channel *ch;
	struct ts_engine *engine;
	struct ts_error err;

	if (steps < WINDOW) {
		fprintf(stderr, "usage: bench_diff STORE STEPS\n       bench_diff --scan STEPS\n");
		return 2;
	}
	if (strcmp(argv[1], "--scan") == 0)
		return scan(steps);
	engine = bench_open(argv[1]);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		ids[i] = make_run(engine, &kinds[i], steps);
	for (size_t i = 0; i < sizeof digests / sizeof *digests; i++)
		digest_ids[i] = make_digests(engine, &digests[i], steps);
	bench_must(ts_channel_local(engine, "bench", &ch, &err), &err);
	for (size_t i = 1; i < sizeof kinds / sizeof *kinds; i++)
		ask(ch, kinds[i].name, ids[0], ids[i]);
	for (size_t i = 1; i < sizeof digests / sizeof *digests; i++)
		ask(ch, digests[i].name, digest_ids[0], digest_ids[i]);
	ch->ops->destroy(ch);
	ts_engine_destroy(engine);
	return 0;
}
