/* Stored runs to the numbers that runs are compared by. Expected values of the runs of tests/golden were computed with numpy
 * from their steps.jsonl and the definitions in analysis/gate/reduction.h; others by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "service/handlers/analyze/reduce.h"
#include "service/handlers/analyze/reduce_cache.h"
#include "service/handlers/core/test_series_runs.h"

#include <stdio.h>
#include <string.h>

static struct world w;
static struct cells c;
static struct ts_exclude excludes[4];
static struct ts_gate_policy policy;
static struct ts_error err;

static int set_up(void **state)
{
	(void)state;
	world_open(&w);
	memset(&c, 0, sizeof c);
	memset(&policy, 0, sizeof policy);
	policy.reduce = (struct ts_reduce_options){.has_warmup = true, .excludes = excludes};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	world_close(&w);
	return 0;
}

static struct ts_gate_run reduce_id(struct ts_id id)
{
	struct ts_gate_run run = {.role = TS_GATE_BASELINE, .group = 7};

	must(ts_reduce_run(&w.fetch, &id, &policy, &w.arena, &run, &err), &err);
	assert_int_equal(run.role, TS_GATE_BASELINE);
	assert_int_equal(run.group, 7);
	return run;
}

static struct ts_reduction reduce(const struct told *facts, size_t n_facts)
{
	return reduce_id(make_run(&w, &c, facts, n_facts)).reduction;
}

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-6 * fabs(want)))
		fail_msg("got %.17g, expected %.17g", got, want);
}

static void metric(const struct ts_reduction *r, enum ts_metric m, double want)
{
	if (!r->metrics[m].known)
		fail_msg("%s is not known: %.*s", ts_metrics[m].name, TS_SPAN_ARG(r->metrics[m].reason));
	near(r->metrics[m].value, want);
}

static void unknown(const struct ts_reduction *r, enum ts_metric m, const char *reason)
{
	assert_false(r->metrics[m].known);
	if (!ts_span_is(r->metrics[m].reason, reason))
		fail_msg("%s: %.*s", ts_metrics[m].name, TS_SPAN_ARG(r->metrics[m].reason));
}

static void part(const struct ts_reduction *r, const char *name, double want)
{
	for (size_t i = 0; i < r->n_parts; i++)
		if (ts_span_is(r->parts[i].name, name)) {
			if (!(fabs(r->parts[i].seconds - want) <= 1e-6 * fabs(want) + 1e-9))
				fail_msg("%s: %.17g, expected %.17g", name, r->parts[i].seconds, want);
			return;
		}
	fail_msg("no part %s", name);
}

/* --- golden runs --- */

/* Adds the numbers of a record under their names; lists and texts are skipped. */
static void add_record(int32_t rank, struct ts_span line)
{
	struct ts_buf scratch = TS_BUF_INIT(1 << 16);
	struct ts_json_reader reader;
	struct ts_json_token token;
	char section[64] = "", key[64] = "";
	int64_t step = -1;
	int depth = 0;

	ts_json_reader_init(&reader, line, &scratch);
	for (;;) {
		must(ts_json_next(&reader, &token, &err), &err);
		if (token.type == TS_JSON_EOF)
			break;
		if (token.type == TS_JSON_OBJECT && ++depth == 2)
			(void)snprintf(section, sizeof section, "%.62s.", key);
		if (token.type == TS_JSON_END && depth-- == 2)
			section[0] = 0;
		if (token.type == TS_JSON_KEY)
			(void)snprintf(key, sizeof key, "%.*s", TS_SPAN_ARG(token.text));
		if (token.type != TS_JSON_NUMBER)
			continue;
		if (strcmp(key, "step") == 0)
			step = (int64_t)token.number;
		else
			cells_add(&c, rank, ts_arena_printf(&w.arena, "%s%s", section, key), step, token.number);
	}
	ts_buf_finish(&scratch);
}

static void add_golden(int32_t rank, const char *path)
{
	static char line[1 << 16];
	FILE *file = fopen(path, "r");

	if (!file)
		fail_msg("%s", path);
	while (fgets(line, sizeof line, file))
		add_record(rank, ts_span_str(line));
	(void)fclose(file);
}

static void golden_demo(void **state)
{
	struct ts_reduction r;

	(void)state;
	add_golden(0, "tests/golden/pytscope/demo/steps.jsonl");
	policy.reduce.warmup = 5;
	r = reduce(NULL, 0);
	assert_true(ts_span_is(r.time_source, "timestamps"));
	assert_int_equal(r.records, 94);
	assert_int_equal(r.counted, 90);
	metric(&r, TS_METRIC_STEP_TIME, 0.023480288684368134);
	metric(&r, TS_METRIC_STEP_TIME_MEAN, 0.023470420307583281);
	metric(&r, TS_METRIC_STEP_TIME_P95, 0.023575007915496826);
	metric(&r, TS_METRIC_STALL_SHARE, 0);
	assert_int_equal(r.n_parts, 5);
	assert_true(ts_span_is(r.parts[0].name, "data"));
	part(&r, "backward", 0.0061074971999999991);
	part(&r, "data", 0.012123552744444445);
	part(&r, "forward", 0.0041055246777777785);
	part(&r, "optimizer", 0.0010927841888888888);
	part(&r, "unattributed", 4.1061496472167419e-05);
	unknown(&r, TS_METRIC_LOSS, "the run has no column scalars.loss");
	unknown(&r, TS_METRIC_PEAK_MEMORY, "the run has no column memory.peak_alloc or memory.alloc");
	unknown(&r, TS_METRIC_MFU, "the run does not record work.flops_per_step");
	assert_int_equal(r.n_ranks, 1);
	assert_true(isnan(r.ranks[0].wait));
	cells_free(&c);
}

static void golden_cross(void **state)
{
	struct ts_reduction r;

	(void)state;
	add_golden(0, "tests/golden/pytscope/cross/steps.jsonl");
	policy.reduce.warmup = 10;
	r = reduce(NULL, 0);
	assert_int_equal(r.counted, 110);
	metric(&r, TS_METRIC_STEP_TIME, 0.0052089765667915344);
	metric(&r, TS_METRIC_STEP_TIME_MEAN, 0.0055221384221857241);
	metric(&r, TS_METRIC_STEP_TIME_P95, 0.0053184151649475096);
	metric(&r, TS_METRIC_STALL_SHARE, 0.059279534086306131);
	metric(&r, TS_METRIC_LOSS, 0.16660607393234778);
	part(&r, "unattributed", 2.1900140367542287e-05);
	cells_free(&c);
}

static void golden_ranks(void **state)
{
	char path[96];
	struct ts_reduction r;

	(void)state;
	for (int i = 0; i < 3; i++) {
		(void)snprintf(path, sizeof path, "tests/golden/pytscope/ddp_manual/rank%d/steps.jsonl", i);
		add_golden(i, path);
	}
	policy.reduce.warmup = 5;
	r = reduce(NULL, 0);
	assert_int_equal(r.counted, 55);
	metric(&r, TS_METRIC_STEP_TIME, 0.03081870824098587);
	metric(&r, TS_METRIC_STEP_TIME_MEAN, 0.031490507992831145);
	metric(&r, TS_METRIC_STEP_TIME_P95, 0.044977879524230949);
	part(&r, "comm", 0.019507636981818181);
	part(&r, "data", 0.010158866963636364);
	part(&r, "unattributed", -0.00012645447989612785);
	assert_int_equal(r.n_ranks, 3);
	near(r.ranks[0].work, 0.021394677909090914);
	near(r.ranks[0].wait, 0.010152819345454546);
	near(r.ranks[1].work, 0.031616962472727279);
	assert_true(fabs(r.ranks[1].wait) < 1e-12);
	near(r.ranks[2].work, 0.02162473390909091);
	near(r.ranks[2].wait, 0.0099779172545454552);
	cells_free(&c);
}

/* --- synthetic runs --- */

/* Adds n steps of a rank: 0.1 s of forward, and a timestamp at the end of each, `late` s after the other ranks. */
static void add_steps(int32_t rank, int64_t n, double late, bool stamped)
{
	for (int64_t i = 0; i < n; i++) {
		cells_add(&c, rank, "phases.forward", i, 0.1);
		if (stamped)
			cells_add(&c, rank, "timestamp", i, 1.7e9 + 0.125 * (double)i + late);
	}
}

static void set_cell(int32_t rank, const char *name, int64_t step, double value)
{
	for (size_t i = 0; i < c.n; i++)
		if (c.items[i].rank == rank && c.items[i].step == step && strcmp(c.items[i].name, name) == 0)
			memcpy(&c.items[i].word, &value, sizeof value);
}

/* A step ends when the last rank ends it: when one rank is late once, that step is longer and the next one shorter. */
static void the_last_rank_ends_a_step(void **state)
{
	struct ts_reduction r;

	(void)state;
	add_steps(0, 101, 0, true);
	add_steps(1, 101, 0.001, true);
	set_cell(0, "timestamp", 50, 1.7e9 + 0.125 * 50 + 0.0625);
	r = reduce(NULL, 0);
	assert_int_equal(r.records, 100);
	metric(&r, TS_METRIC_STEP_TIME_MEAN, 0.125);
	part(&r, "unattributed", 0.025);
	/* If the longest interval of any rank counted, two steps would be long. */
	metric(&r, TS_METRIC_STEP_TIME, 0.125);
	cells_free(&c);
}

/* Ranks without timestamps do not determine when a step ended; a step that one of the other ranks lacks gives no row. */
static void some_ranks_have_timestamps(void **state)
{
	struct ts_reduction r;

	(void)state;
	add_steps(0, 90, 0, true);
	add_steps(1, 200, 0, false);
	r = reduce(NULL, 0);
	assert_true(ts_span_is(r.time_source, "timestamps"));
	assert_int_equal(r.records, 89);
	metric(&r, TS_METRIC_STEP_TIME, 0.125);
	assert_int_equal(r.n_ranks, 2);
	cells_free(&c);
}

static void without_timestamps(void **state)
{
	struct ts_reduction r;

	(void)state;
	add_steps(0, 90, 0, false);
	add_steps(1, 60, 0, false);
	for (int64_t i = 0; i < 60; i++)
		cells_add(&c, 1, "phases.comm", i, 0.05);
	r = reduce(NULL, 0);
	assert_true(ts_span_is(r.time_source, "phases"));
	assert_int_equal(r.records, 60);
	metric(&r, TS_METRIC_STEP_TIME, 0.15);
	/* Zeros do not count as timestamps. */
	for (int64_t i = 0; i < 90; i++)
		cells_add(&c, 0, "timestamp", i, 0);
	r = reduce(NULL, 0);
	assert_true(ts_span_is(r.time_source, "phases"));
	metric(&r, TS_METRIC_STEP_TIME, 0.15);
	cells_free(&c);
}

/* A column of whole step times is the time where nothing else says it, of each rank. */
static void a_column_of_step_times(void **state)
{
	struct ts_reduction r;

	(void)state;
	for (int64_t i = 0; i < 60; i++) {
		cells_add(&c, 0, "step_time", i, 0.25);
		cells_add(&c, 1, "scalars.step_time", i, 0.5);
		cells_add(&c, 0, "scalars.zebra", i, 9);
	}
	r = reduce(NULL, 0);
	assert_true(ts_span_is(r.time_source, "phases"));
	metric(&r, TS_METRIC_STEP_TIME, 0.5); /* of the slowest rank */
	part(&r, "step", 0.5);
	/* Phases say more, and it is no part of them. */
	for (int64_t i = 0; i < 60; i++)
		for (int32_t rank = 0; rank < 2; rank++)
			cells_add(&c, rank, "phases.forward", i, 0.125);
	r = reduce(NULL, 0);
	metric(&r, TS_METRIC_STEP_TIME, 0.125);
	cells_free(&c);
}

/* A loss is found by what its name means; of two nobody knows which is the one that is minimized. */
static void a_loss_of_another_name(void **state)
{
	struct ts_reduction r;

	(void)state;
	for (int64_t i = 0; i < 60; i++) {
		cells_add(&c, 0, "phases.forward", i, 0.125);
		cells_add(&c, 0, "scalars.objective", i, 3);
		cells_add(&c, 0, "scalars.accuracy", i, 0.5);
	}
	r = reduce(NULL, 0);
	metric(&r, TS_METRIC_LOSS, 3);
	assert_true(ts_span_is(r.loss_column, "scalars.objective"));
	for (int64_t i = 0; i < 60; i++) {
		cells_add(&c, 0, "scalars.contrastive_loss", i, 2);
		cells_add(&c, 0, "scalars.heldout/contrastive_loss", i, 1);
	}
	r = reduce(NULL, 0);
	metric(&r, TS_METRIC_LOSS, 2); /* it is called one, and the other is of an evaluation */
	assert_true(ts_span_is(r.loss_column, "scalars.contrastive_loss"));
	for (int64_t i = 0; i < 60; i++)
		cells_add(&c, 0, "scalars.triplet_loss", i, 4);
	r = reduce(NULL, 0);
	unknown(&r, TS_METRIC_LOSS, "the run has no column scalars.loss");
	cells_free(&c);
}

static void nothing_to_measure(void **state)
{
	const struct told facts[] = {{.rank = TS_RANK_JOB, .path = "config.lr", .text = "x"}};
	struct ts_reduction r = reduce(facts, 1);

	(void)state;
	unknown(&r, TS_METRIC_STEP_TIME, "no step of the run has a timestamp or phases");
	unknown(&r, TS_METRIC_LOSS, "the run has no column scalars.loss");
	assert_int_equal(r.n_parts, 0);
	for (int64_t i = 0; i < 30; i++) {
		cells_add(&c, 0, "phases.forward", 2 * i, 0.1);
		cells_add(&c, 1, "phases.forward", 2 * i + 1, 0.1);
	}
	r = reduce(NULL, 0);
	unknown(&r, TS_METRIC_STEP_TIME, "the run has no timestamps, and no step has phases on every rank that records phases");
	cells_free(&c);
}

static void one_step(void **state)
{
	struct ts_reduction r;

	(void)state;
	add_steps(0, 1, 0, true);
	r = reduce(NULL, 0);
	unknown(&r, TS_METRIC_STEP_TIME,
		"only 1 of 1 records are left after warm-up (0) and exclusions (0), and at least 20 are needed");
	assert_true(ts_span_is(r.time_source, "phases"));
	cells_free(&c);
}

/* --- steps that are left out --- */

static void add_tags(int32_t rank, int64_t step, enum ts_column_type type, const char *text)
{
	cells_add_text(&c, rank, "tags", step, text);
	c.items[c.n - 1].type = type;
}

static void by_tag(void **state)
{
	struct ts_reduction r;

	(void)state;
	add_steps(0, 100, 0, true);
	add_steps(1, 100, 0, true);
	add_tags(0, 10, TS_COLUMN_JSON, "[\"eval\",\"x\"]");
	add_tags(0, 11, TS_COLUMN_JSON, "[\"evaluation\"]");
	add_tags(0, 12, TS_COLUMN_JSON, "[]");
	add_tags(1, 20, TS_COLUMN_JSON, "[1,\"ev\\u0061l\"]");
	add_tags(1, 30, TS_COLUMN_TEXT, "eval");
	add_tags(1, 31, TS_COLUMN_TEXT, "profile");
	excludes[0] = (struct ts_exclude){.kind = TS_EXCLUDE_TAG, .name = ts_span_str("eval")};
	excludes[1] = (struct ts_exclude){.kind = TS_EXCLUDE_TAG, .name = ts_span_str("profile")};
	policy.reduce.n_excludes = 1;
	r = reduce(NULL, 0);
	assert_int_equal(r.excluded, 3);
	policy.reduce.n_excludes = 2;
	r = reduce(NULL, 0);
	assert_int_equal(r.excluded, 4);
	assert_int_equal(r.counted, 95);
	cells_free(&c);
}

/* When one rank saves a checkpoint, every rank waits, in that step or in the next. */
static void by_phase_and_the_step_after(void **state)
{
	struct ts_reduction r;

	(void)state;
	add_steps(0, 100, 0, true);
	add_steps(1, 100, 0, true);
	for (int64_t i = 0; i < 100; i++)
		cells_add(&c, 1, "phases.checkpoint", i, i % 25 == 24 ? 0.5 : 0);
	excludes[0] = (struct ts_exclude){.kind = TS_EXCLUDE_PHASE, .name = ts_span_str("checkpoint")};
	policy.reduce.n_excludes = 1;
	r = reduce(NULL, 0);
	/* the steps are 24 25, 49 50, 74 75, 99 */
	assert_int_equal(r.excluded, 7);
	part(&r, "checkpoint", 0);
	excludes[0] = (struct ts_exclude){.kind = TS_EXCLUDE_PHASE, .name = ts_span_str("check")};
	r = reduce(NULL, 0);
	assert_int_equal(r.excluded, 0);
	cells_free(&c);
}

static void by_number(void **state)
{
	struct ts_reduction r;

	(void)state;
	add_steps(0, 100, 0, true);
	excludes[0] = (struct ts_exclude){.kind = TS_EXCLUDE_EVERY, .every = 20};
	policy.reduce.n_excludes = 1;
	r = reduce(NULL, 0);
	assert_int_equal(r.excluded, 4); /* step 0 has no time */
	cells_free(&c);
}

/* After a restart, an hour passed that is no step time; each segment has its own warm-up. */
static void restarts(void **state)
{
	struct ts_reduction r;

	(void)state;
	add_steps(0, 100, 0, true);
	for (int64_t i = 0; i < 100; i++) {
		cells_add(&c, 0, "segment", i, i < 40 ? 0 : i < 70 ? 1 : 2);
		if (i >= 40)
			set_cell(0, "timestamp", i, 1.7e9 + 0.125 * (double)i + 3600);
	}
	policy.reduce.warmup = 3;
	r = reduce(NULL, 0);
	assert_int_equal(r.records, 97);
	assert_int_equal(r.warmup, 6);
	metric(&r, TS_METRIC_STEP_TIME_MEAN, 0.125);
	metric(&r, TS_METRIC_STEP_TIME_P95, 0.125);
	cells_free(&c);
}

/* --- the other metrics --- */

static void counts_of_work(void **state)
{
	const struct told facts[] = {{.rank = TS_RANK_JOB, .path = "parallelism.world_size", .integer = 8},
				     {.rank = TS_RANK_JOB, .path = "work.samples_per_step", .integer = 16}};
	struct ts_reduction r;

	(void)state;
	add_steps(0, 100, 0, true);
	add_steps(1, 100, 0, true);
	for (int64_t i = 0; i < 100; i++) {
		cells_add(&c, 0, "tokens", i, 1000);
		cells_add(&c, 1, "tokens", i, 3000);
		cells_add(&c, 0, "memory.alloc", i, 1e9 + (double)i);
		cells_add(&c, 0, "memory.peak_alloc", i, i == 3 ? 4e9 : 3e9);
		cells_add(&c, 1, "memory.alloc", i, i == 9 ? (double)INFINITY : 3.5e9);
		cells_add(&c, 1, "scalars.loss", i, (double)i);
	}
	r = reduce(facts, 2);
	metric(&r, TS_METRIC_TOKENS_PER_S, 4000 / 0.125);
	metric(&r, TS_METRIC_TOKENS_PER_S_DEVICE, 4000 / 0.125 / 8);
	metric(&r, TS_METRIC_SAMPLES_PER_S, 16 / 0.125);
	metric(&r, TS_METRIC_SAMPLES_PER_S_DEVICE, 2 / 0.125);
	metric(&r, TS_METRIC_PEAK_MEMORY, 4e9);
	metric(&r, TS_METRIC_LOSS, 94.5); /* over steps 90 to 99 */
	assert_int_equal(r.loss_column.len, 0);
	/* Another rank has what other loggers call the loss, and its steps have another one: scalars.loss comes first. */
	for (int64_t i = 0; i < 100; i++) {
		cells_add(&c, 0, "scalars.train/loss", i, 7);
		cells_add(&c, 0, "scalars.training_loss", i, 8);
	}
	r = reduce(facts, 2);
	metric(&r, TS_METRIC_LOSS, 94.5);
	for (size_t i = 0; i < c.n; i++)
		if (strcmp(c.items[i].name, "scalars.loss") == 0)
			c.items[i].name = "scalars.val_loss";
	r = reduce(facts, 2);
	metric(&r, TS_METRIC_LOSS, 7);
	assert_true(ts_span_is(r.loss_column, "scalars.train/loss"));
	set_cell(1, "tokens", 50, (double)NAN);
	r = reduce(facts, 2);
	unknown(&r, TS_METRIC_TOKENS_PER_S, "the column holds no number above 0");
	cells_free(&c);
}

static void mfu(void **state)
{
	const struct told facts[] = {{.rank = TS_RANK_JOB, .path = "work.flops_per_step", .integer = 1250000000000},
				     {.rank = TS_RANK_JOB, .path = "work.peak_flops", .integer = 100000000000000},
				     {.rank = TS_RANK_JOB, .path = "work.flops_convention", .text = "6N"}};
	struct ts_reduction r;

	(void)state;
	add_steps(0, 100, 0, true);
	r = reduce(facts, 3);
	metric(&r, TS_METRIC_MFU, 0.1); /* 1.25e12 FLOP in 0.125 s, of a peak of 1e14 FLOP/s */
	assert_true(r.mfu_basis.len > 0);
	cells_free(&c);
}

/* --- the workload, and the cache --- */

static bool same_key(const struct ts_gate_run *a, const struct ts_gate_run *b, enum ts_workload_part p)
{
	return ts_id_eq(&a->workload.key[p], &b->workload.key[p]);
}

/* The head has the devices of the lowest rank. If another rank has other devices, the workload is another one. */
static void devices_of_other_ranks(void **state)
{
	const struct told alike[] = {{.rank = TS_RANK_JOB, .path = "hardware.gpu", .text = "H100"},
				     {.rank = TS_RANK_JOB, .path = "session.collected_at", .text = "2026-11-20T11:27:00Z"}};
	const struct told mixed[] = {{.rank = TS_RANK_JOB, .path = "hardware.gpu", .text = "H100"},
				     {.rank = 1, .path = "hardware.gpu", .text = "A100"}};
	struct ts_gate_run a, b;

	(void)state;
	add_steps(0, 30, 0, true);
	add_steps(1, 30, 0, true);
	a = reduce_id(make_run(&w, &c, alike, 2));
	b = reduce_id(make_run(&w, &c, mixed, 2));
	assert_false(same_key(&a, &b, TS_WORKLOAD_HARDWARE));
	assert_true(same_key(&a, &b, TS_WORKLOAD_CONFIG));
	assert_int_equal(a.workload.started_ns, INT64_C(1795174020000000000));
	cells_free(&c);
}

static void same_reduction(const struct ts_reduction *a, const struct ts_reduction *b)
{
	for (size_t i = 0; i < TS_METRICS; i++) {
		assert_int_equal(a->metrics[i].known, b->metrics[i].known);
		assert_memory_equal(&a->metrics[i].value, &b->metrics[i].value, sizeof(double));
		assert_true(ts_span_eq(a->metrics[i].reason, b->metrics[i].reason));
	}
	assert_int_equal(a->n_parts, b->n_parts);
	for (size_t i = 0; i < a->n_parts; i++)
		assert_true(ts_span_eq(a->parts[i].name, b->parts[i].name) && a->parts[i].seconds == b->parts[i].seconds);
	assert_int_equal(a->n_ranks, b->n_ranks);
	assert_int_equal(a->counted, b->counted);
	assert_true(ts_span_eq(a->time_source, b->time_source));
}

/* The second reduction reads only the cache; every option that changes the result has its own entry. */
static void the_cache(void **state)
{
	struct ts_span glob = ts_span_str("config.*");
	struct ts_gate_run first, cached, other;
	struct ts_id id;

	(void)state;
	add_steps(0, 100, 0, true);
	add_steps(1, 100, 0, true);
	id = make_run(&w, &c, NULL, 0);
	assert_false(ts_reduce_cached(w.engine, &id, &policy, &w.arena, &cached));
	first = reduce_id(id);
	assert_true(ts_reduce_cached(w.engine, &id, &policy, &w.arena, &cached));
	same_reduction(&first.reduction, &cached.reduction);
	assert_memory_equal(first.workload.key, cached.workload.key, sizeof cached.workload.key);
	policy.reduce.warmup = 50;
	assert_false(ts_reduce_cached(w.engine, &id, &policy, &w.arena, &cached));
	assert_int_equal(reduce_id(id).reduction.counted, 50);
	policy.reduce.n_excludes = 1;
	excludes[0] = (struct ts_exclude){.kind = TS_EXCLUDE_EVERY, .every = 10};
	assert_false(ts_reduce_cached(w.engine, &id, &policy, &w.arena, &cached));
	other = reduce_id(id);
	excludes[0].every = 20;
	assert_false(ts_reduce_cached(w.engine, &id, &policy, &w.arena, &cached));
	assert_true(reduce_id(id).reduction.counted > other.reduction.counted);
	policy.ignore = (struct ts_ignore){.globs = &glob, .n = 1};
	assert_false(ts_reduce_cached(w.engine, &id, &policy, &w.arena, &cached));
	/* The metrics that are gated, and how strictly, have no effect on the entry. */
	policy = (struct ts_gate_policy){.alpha = 0.01, .reduce = {.has_warmup = true}};
	assert_true(ts_reduce_cached(w.engine, &id, &policy, &w.arena, &cached));
	cells_free(&c);
}

static void a_run_that_is_not_there(void **state)
{
	struct ts_gate_run run = {.group = 3};
	struct ts_id id = {{1}};

	(void)state;
	assert_int_equal(ts_reduce_run(&w.fetch, &id, &policy, &w.arena, &run, &err), TS_NOT_FOUND);
	assert_int_equal(run.group, 3);
	assert_int_equal(run.reduction.records, 0);
	cells_free(&c);
}

/* There are more phases than a reduction names, so the rest are combined in one part. */
static void very_many_phases(void **state)
{
	struct ts_reduction r;
	double sum = 0;

	(void)state;
	for (int p = 0; p < 80; p++)
		for (int64_t i = 0; i < 30; i++)
			cells_add(&c, 0, ts_arena_printf(&w.arena, "phases.p%02d", p), i, 0.001);
	r = reduce(NULL, 0);
	assert_int_equal(r.n_parts, TS_REDUCE_PARTS_MAX - 1);
	part(&r, "all other phases", 0.018);
	for (size_t i = 0; i < r.n_parts; i++)
		sum += r.parts[i].seconds;
	near(sum, 0.08);
	metric(&r, TS_METRIC_STEP_TIME, 0.08);
	cells_free(&c);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(golden_demo),
		TEST(golden_cross),
		TEST(golden_ranks),
		TEST(the_last_rank_ends_a_step),
		TEST(some_ranks_have_timestamps),
		TEST(without_timestamps),
		TEST(a_column_of_step_times),
		TEST(a_loss_of_another_name),
		TEST(nothing_to_measure),
		TEST(one_step),
		TEST(by_tag),
		TEST(by_phase_and_the_step_after),
		TEST(by_number),
		TEST(restarts),
		TEST(counts_of_work),
		TEST(mfu),
		TEST(devices_of_other_ranks),
		TEST(the_cache),
		TEST(a_run_that_is_not_there),
		TEST(very_many_phases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
