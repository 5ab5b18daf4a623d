/* bench_gate.c - what a gate takes: bench_gate STORE BASELINES STEPS. Fills a store with a branch of BASELINES runs and a
 * candidate, of STEPS steps and seven columns each, opens it again, and asks Gate through the local channel. Prints seconds of
 * wall time, a line each: the first call, which reduces every run, and the best of the later ones.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "proto/wire.h"
#include "run/builder.h"
#include "run/head.h"
#include "service/handlers/channel.h"
#include "store/engine.h"

#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 5 };

static void must(enum ts_status status, const struct ts_error *err)
{
	if (status) {
		fprintf(stderr, "bench_gate: %s\n", err->text);
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

static const char *const names[] = {"phases.data", "phases.forward", "phases.backward",	 "phases.optimizer",
				    "timestamp",   "scalars.loss",   "memory.peak_alloc"};
static const double scale[] = {0.005, 0.03, 0.06, 0.01, 0, 1, 1e10};

enum { COLUMNS = sizeof names / sizeof names[0], STAMP = 4 };

static struct ts_id make_rank(struct ts_engine *engine, int run, int64_t steps)
{
	static const struct ts_facts none;
	uint64_t state = 88172645463325252u + (uint64_t)run;
	uint32_t columns[COLUMNS];
	struct ts_builder *b;
	struct ts_error err;
	struct ts_id id;
	double end = 1.7e9;

	must(ts_builder_create(0, put, engine, &b, &err), &err);
	for (size_t i = 0; i < COLUMNS; i++)
		must(ts_builder_column(b, ts_span_str(names[i]), TS_COLUMN_F64, &columns[i], &err), &err);
	for (int64_t step = 0; step < steps; step++) {
		double sum = 0;

		ts_builder_row(b, TS_TABLE_STEPS, step);
		for (size_t i = 0; i < COLUMNS; i++) {
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

static void add(struct ts_facts *facts, const char *path, const char *text, struct ts_arena *arena)
{
	struct ts_fact fact = {
		.path = ts_span_str(path), .type = TS_FACT_TEXT, .source = TS_SOURCE_HOST, .text = ts_span_str(text)};
	struct ts_error err;

	must(ts_facts_add(facts, &fact, arena, &err), &err);
}

/* Each of its own commit and machine. */
static void make_run(struct ts_engine *engine, int run, int64_t steps, bool candidate)
{
	struct ts_ref_update updates[2];
	struct ts_buf bytes = TS_BUF_INIT(TS_HEAD_MAX);
	struct ts_rank_ref ref = {.rank = 0};
	struct ts_head head = {.ranks = &ref, .n_ranks = 1};
	struct ts_arena arena;
	struct ts_error err;
	struct ts_id id;
	char commit[64], host[64], name[64];

	ts_arena_init(&arena, 0);
	(void)snprintf(commit, sizeof commit, "%040d", run);
	(void)snprintf(host, sizeof host, "host%d", run);
	(void)snprintf(name, sizeof name, candidate ? "p/new" : "p/run%d", run);
	add(&head.facts, "code.commit", commit, &arena);
	add(&head.facts, "session.host", host, &arena);
	(void)ts_facts_sort(&head.facts);
	ref.index = make_rank(engine, run, steps);
	ts_head_digest_groups(&head);
	must(ts_head_encode(&head, &bytes, &err), &err);
	ts_digest(ts_buf_view(&bytes), &id);
	must(put(engine, &id, ts_buf_view(&bytes), &err), &err);
	updates[0] = (struct ts_ref_update){.kind = TS_REF_RUN, .name = ts_span_str(name), .id = id, .now_ns = run + 1};
	updates[1] = (struct ts_ref_update){
		.kind = TS_REF_BRANCH, .name = ts_span_str("p/main"), .id = id, .now_ns = run + 1};
	must(engine->ops->commit(engine, updates, candidate ? 1 : 2, &arena, NULL, &err), &err);
	ts_buf_finish(&bytes);
	ts_arena_finish(&arena);
}

static double ask(struct ts_channel *channel, size_t baselines)
{
	struct ts_span candidate = ts_span_str("run:p/new"), branch = ts_span_str("branch:p/main"), answer;
	struct ts_gate_request request = {
		.candidates = &candidate, .n_candidates = 1, .baselines = &branch, .n_baselines = 1};
	struct ts_buf packed = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_verdict verdict;
	struct ts_arena arena;
	struct ts_error err;
	size_t n = 0;
	int64_t began = ts_now_mono_ns(), took;

	ts_arena_init(&arena, 0);
	must(ts_wire_pack_gate_request(&request, &packed, &err), &err);
	must(channel->ops->call(channel, "Gate", ts_buf_view(&packed), &arena, &answer, &err), &err);
	must(ts_wire_unpack_gate_reply(answer, &arena, &verdict, &err), &err);
	took = ts_now_mono_ns() - began;
	for (size_t i = 0; i < verdict.input.n_runs; i++)
		n += verdict.input.runs[i].role == TS_GATE_BASELINE;
	if (n != baselines || verdict.state != TS_GATE_PASS) {
		fprintf(stderr, "bench_gate: %zu baselines, %.*s\n", n, TS_SPAN_ARG(verdict.sentence));
		exit(1);
	}
	ts_buf_finish(&packed);
	ts_arena_finish(&arena);
	return (double)took / 1e9;
}

int main(int argc, char **argv)
{
	struct ts_lmdb_options options = {.path = argc > 3 ? argv[1] : "", .create = true};
	int n = argc > 3 ? atoi(argv[2]) : 0;
	int64_t steps = argc > 3 ? atoll(argv[3]) : 0;
	struct ts_channel *channel;
	struct ts_engine *engine;
	struct ts_error err;
	double least = 1e9;

	if (n < 3 || steps < 100) {
		fprintf(stderr, "usage: bench_gate STORE BASELINES STEPS\n");
		return 2;
	}
	must(ts_digest_init(&err), &err);
	must(ts_lmdb_open(&options, &engine, &err), &err);
	for (int i = 0; i <= n; i++)
		make_run(engine, i, steps, i == n);
	ts_engine_destroy(engine);
	must(ts_lmdb_open(&options, &engine, &err), &err);
	must(ts_channel_local(engine, "bench", &channel, &err), &err);
	printf("first\t%.9f\n", ask(channel, (size_t)n));
	for (int i = 0; i < CALLS; i++) {
		double took = ask(channel, (size_t)n);

		least = took < least ? took : least;
	}
	printf("cached\t%.9f\n", least);
	channel->ops->destroy(channel);
	ts_engine_destroy(engine);
	return 0;
}
