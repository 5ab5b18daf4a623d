/* Holds TS_ANALYSIS_VERSION to the answers: a digest of what a cache would keep of the runs of tests/golden and tests/cli, and of a
 * made one, stands beside the version, and a change of one without the other fails. What is digested is the bytes that
 * analyze_cache.c and reduce_cache.c keep, less the id of the run: each bit of each number, and the order of everything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/policy.h"
#include "base/limits.h"
#include "ingest/discover.h"
#include "ingest/ingest.h"
#include "proto/wire.h"
#include "service/handlers/analyze/analyze_run.h"
#include "service/handlers/analyze/reduce.h"
#include "service/handlers/core/test_series_runs.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const folders[] = {
	"tests/golden/demo/runs", "tests/golden/pytscope",    "tests/golden/files",
	"tests/golden/huggingface", "tests/golden/mlflow",    "tests/golden/pairs/runs",
	"tests/golden/tensorboard", "tests/golden/traceml",   "tests/golden/wandb",
	"tests/cli/runs",
};

struct digesting {
	struct ts_hasher hasher;
	struct ts_buf bytes; /* the answer as bytes */
	size_t answers, runs;
};

static struct ts_error err;

static enum ts_status put(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *e)
{
	(void)id;
	(void)e;
	(void)put_object(ctx, object);
	return TS_OK;
}

static void add_bytes(struct digesting *d)
{
	uint64_t len = d->bytes.len;

	assert_int_equal(ts_buf_check(&d->bytes, &err), TS_OK);
	ts_hasher_add(&d->hasher, ts_span_of(&len, sizeof len));
	ts_hasher_add(&d->hasher, ts_buf_view(&d->bytes));
	ts_buf_reset(&d->bytes);
	d->answers++;
}

/* An error is part of the digest like an answer. */
static void add_error(struct digesting *d)
{
	ts_buf_str(&d->bytes, ts_status_word(err.status));
	ts_buf_str(&d->bytes, err.text);
	add_bytes(d);
}

static void add_analysis(struct digesting *d, struct world *w, const struct ts_id *id,
			 const struct ts_analyze_request *request)
{
	struct ts_analysis analysis;

	if (ts_analyze_reduce(&w->fetch, id, request, &w->arena, &analysis, &err)) {
		add_error(d);
		return;
	}
	analysis.run.id = (struct ts_id){{0}};
	must(ts_wire_pack_analyze_reply(&analysis, &d->bytes, &err), &err);
	add_bytes(d);
}

static void add_reduction(struct digesting *d, struct world *w, const struct ts_id *id,
			  const struct ts_gate_policy *policy)
{
	struct ts_gate_run run = {.role = TS_GATE_BASELINE};

	if (ts_reduce_run(&w->fetch, id, policy, &w->arena, &run, &err)) {
		add_error(d);
		return;
	}
	run.id = (struct ts_id){{0}};
	must(ts_wire_pack_gate_run(&run, &d->bytes, &err), &err);
	add_bytes(d);
}

/* Each answer is asked for without options, and with each option that changes its content. */
static void add_answers(struct digesting *d, struct world *w, const struct ts_id *id)
{
	static const struct ts_exclude excludes[] = {{.kind = TS_EXCLUDE_EVERY, .every = 10}};
	struct ts_gate_policy policy;

	add_analysis(d, w, id, &(struct ts_analyze_request){.has_warmup = false});
	add_analysis(d, w, id, &(struct ts_analyze_request){.has_warmup = true, .warmup = 2, .has_rank = true, .rank = 0});
	add_analysis(d, w, id,
		     &(struct ts_analyze_request){.has_flops_per_step = true,
						  .flops_per_step = 6e12,
						  .has_peak_flops_per_s = true,
						  .peak_flops_per_s = 312e12,
						  .has_microbatches = true,
						  .microbatches = 4,
						  .dtype = ts_span_str("bf16")});
	ts_gate_policy_default(&policy);
	add_reduction(d, w, id, &policy);
	policy.reduce = (struct ts_reduce_options){.has_warmup = true, .warmup = 2, .excludes = excludes, .n_excludes = 1};
	add_reduction(d, w, id, &policy);
	d->runs++;
}

static void add_found(struct digesting *d, const struct ts_found_run *found)
{
	struct ts_ingest_options options = {.path = found->path, .part = found->part};
	struct ts_ingest_result result;
	struct world w;

	world_open(&w);
	if (ts_ingest(&options, put, &w, &w.arena, &result, &err))
		add_error(d); /* some folders of tests/cli are not runs */
	else
		add_answers(d, &w, &result.head);
	world_close(&w);
}

/* --- a run that has what the recorded ones lack --- */

struct made {
	struct cells cells;
	uint64_t state; /* the state of the noise generator */
	int32_t rank;
	int64_t step;
};

static void cell(struct made *m, const char *name, double value)
{
	(void)cells_add(&m->cells, m->rank, name, m->step, value);
}

static double noise(struct made *m)
{
	return (double)(draw(&m->state) >> 11) * 0x1p-53;
}

/* Rank 2 is slow from step 200 on; memory grows; the loss and the gradient norm jump at step 120; another series ends
 * in NaN. */
static void make_step(struct made *m)
{
	double slow = m->rank == 2 && m->step >= 200 ? 1.2 : 1;
	double jump = m->step == 120 ? 2 : 0, grown = 1e6 * (double)m->step;

	cell(m, "timestamp", 100 + 0.05 * (double)m->step + 0.001 * noise(m));
	cell(m, "phases.data", 0.002 + 0.001 * noise(m));
	cell(m, "phases.forward", slow * (0.01 + 0.0005 * noise(m)));
	cell(m, "phases.backward", 0.02 + 0.001 * noise(m));
	cell(m, "phases.allreduce", (m->step >= 200 && slow == 1 ? 0.002 : 0) + 0.003 + 0.0002 * noise(m));
	cell(m, "phases.optimizer", 0.003 + 0.0001 * noise(m));
	cell(m, "memory.alloc", 4e9 + grown + 1e5 * noise(m));
	cell(m, "memory.reserved", 6e9 + grown + 1e5 * noise(m));
	cell(m, "memory.peak_alloc", 5e9 + grown + 1e6 * noise(m));
	cell(m, "memory.peak_reserved", 7e9 + grown);
	cell(m, "scalars.loss", 2 / (1 + (double)m->step / 50) + 0.05 * noise(m) + jump);
	cell(m, "scalars.grad_norm", 1 + 0.1 * noise(m) + 5 * jump);
	cell(m, "scalars.aux_loss", m->step < 390 ? noise(m) : (double)NAN);
	cell(m, "tokens", 4096);
	cell(m, "samples", 8);
}

/* There are two stages with one rank each and four microbatches: first all forward passes, then all backward passes. */
static void make_event(struct made *m, int64_t step, int64_t microbatch, double start, double end)
{
	const struct {
		const char *name;
		double value;
	} values[] = {{"stage", m->rank},
		      {"start", start},
		      {"end", end},
		      {"step", (double)step},
		      {"microbatch", (double)microbatch}};

	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
		cells_add(&m->cells, m->rank, values[i].name, m->step, values[i].value)->table = TS_TABLE_PIPELINE;
	m->step++;
}

static void make_events(struct made *m)
{
	m->step = 0;
	for (int64_t step = 0; step < 6; step++)
		for (int64_t k = 0; k < 8; k++) {
			double start = (double)step + 0.1 * (double)(k + (k < 4 ? m->rank : 1 - m->rank)) + (k < 4 ? 0 : 0.1);

			make_event(m, step, k % 4, start, start + 0.08 + 0.02 * noise(m));
		}
}

static void add_made(struct digesting *d)
{
	static const struct told facts[] = {
		{TS_RANK_JOB, "hardware.gpu", "NVIDIA H100 80GB HBM3", 0}, {TS_RANK_JOB, "parallelism.pipeline_stages", NULL, 2},
		{TS_RANK_JOB, "parallelism.world_size", NULL, 4},	   {TS_RANK_JOB, "work.recompute", "full", 0},
	};
	struct made m = {.state = 1};
	struct ts_id id;
	struct world w;

	for (m.rank = 0; m.rank < 4; m.rank++) {
		for (m.step = 0; m.step < 400; m.step++)
			make_step(&m);
		if (m.rank < 2)
			make_events(&m);
	}
	world_open(&w);
	id = make_run(&w, &m.cells, facts, sizeof facts / sizeof facts[0]);
	add_answers(d, &w, &id);
	world_close(&w);
	cells_free(&m.cells);
}

/* --- all of them --- */

static int by_path(const void *x, const void *y)
{
	return strcmp(((const struct ts_found_run *)x)->path, ((const struct ts_found_run *)y)->path);
}

static void add_folder(struct digesting *d, const char *folder)
{
	struct ts_found_run *runs;
	struct ts_arena arena;
	size_t n;

	ts_arena_init(&arena, 0);
	must(ts_discover(folder, &arena, &runs, &n, &err), &err);
	qsort(runs, n, sizeof *runs, by_path);
	for (size_t i = 0; i < n; i++)
		add_found(d, &runs[i]);
	ts_arena_finish(&arena);
}

static void version_is_of_the_answers(void **state)
{
	struct digesting d = {.bytes = TS_BUF_INIT(TS_MESSAGE_MAX)};
	char hex[TS_ID_HEX + 1], said[TS_ID_HEX + 16];
	struct ts_id id;
	int written = 0; /* the version under which the digest was written down */

	(void)state;
	must(ts_hasher_init(&d.hasher, &err), &err);
	ts_hasher_start(&d.hasher);
	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
		add_folder(&d, folders[i]);
	add_made(&d);
	ts_hasher_end(&d.hasher, &id);
	ts_hasher_finish(&d.hasher);
	ts_buf_finish(&d.bytes);
	print_message("%zu answers of %zu runs\n", d.answers, d.runs);
	for (const char *c = TS_ANALYSIS_ANSWERS; *c >= '0' && *c <= '9'; c++)
		written = written * 10 + (*c - '0');
	(void)snprintf(said, sizeof said, "%d %s", written, ts_id_hex(&id, hex));
	if (strcmp(said, TS_ANALYSIS_ANSWERS) != 0 && written == TS_ANALYSIS_VERSION)
		fail_msg("the answers of analyze or gate for the same runs changed, and a cache would still give the old ones: in "
			 "analysis/analysis.h set TS_ANALYSIS_VERSION = %d and TS_ANALYSIS_ANSWERS \"%d %s\"",
			 TS_ANALYSIS_VERSION + 1, TS_ANALYSIS_VERSION + 1, hex);
	if (written != TS_ANALYSIS_VERSION)
		fail_msg("TS_ANALYSIS_ANSWERS is of version %d, and this is %d: in analysis/analysis.h set TS_ANALYSIS_ANSWERS "
			 "\"%d %s\"",
			 written, TS_ANALYSIS_VERSION, TS_ANALYSIS_VERSION, hex);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(version_is_of_the_answers)};

	return cmocka_run_group_tests_name("answers", tests, NULL, NULL);
}
