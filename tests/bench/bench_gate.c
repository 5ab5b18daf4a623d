/* bench_gate.c - what a gate takes: bench_gate STORE BASELINES STEPS. Fills a store with a branch of BASELINES runs and a
 * candidate, of STEPS steps and seven columns each, opens it again, and asks Gate through the local channel. Prints seconds of
 * wall time, a line each: the first call, which reduces every run, and the best of the later ones.
 */
#include "bench_store.h"

#include "base/clock.h"
#include "base/limits.h"
#include "proto/wire.h"
#include "service/handlers/channel.h"

#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 5 };

static const struct bench_column logged[] = {
	{"phases.data", 0.005}, {"phases.forward", 0.03}, {"phases.backward", 0.06},   {"phases.optimizer", 0.01},
	{"timestamp", 0},	{"scalars.loss", 1},	  {"memory.peak_alloc", 1e10},
};

static void add(struct ts_facts *facts, const char *path, const char *text, struct ts_arena *arena)
{
	struct ts_fact fact = {
		.path = ts_span_str(path), .type = TS_FACT_TEXT, .source = TS_SOURCE_HOST, .text = ts_span_str(text)};
	struct ts_error err;

	bench_must(ts_facts_add(facts, &fact, arena, &err), &err);
}

/* Each run has its own commit and its own machine. */
static void make_run(struct ts_engine *engine, int run, int64_t steps, bool candidate)
{
	struct ts_ref_update updates[2];
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
	ref.index = bench_rank(engine, 0, (uint64_t)run, logged, sizeof logged / sizeof *logged, steps);
	id = bench_run(engine, &head);
	updates[0] = (struct ts_ref_update){.kind = TS_REF_RUN, .name = ts_span_str(name), .id = id, .now_ns = run + 1};
	updates[1] = (struct ts_ref_update){
		.kind = TS_REF_BRANCH, .name = ts_span_str("p/main"), .id = id, .now_ns = run + 1};
	bench_must(engine->ops->commit(engine, updates, candidate ? 1 : 2, &arena, NULL, &err), &err);
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
	bench_must(ts_wire_pack_gate_request(&request, &packed, &err), &err);
	bench_must(channel->ops->call(channel, "Gate", ts_buf_view(&packed), &arena, &answer, &err), &err);
	bench_must(ts_wire_unpack_gate_reply(answer, &arena, &verdict, &err), &err);
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
	engine = bench_open(argv[1]);
	for (int i = 0; i <= n; i++)
		make_run(engine, i, steps, i == n);
	ts_engine_destroy(engine);
	engine = bench_open(argv[1]);
	bench_must(ts_channel_local(engine, "bench", &channel, &err), &err);
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
