/* analyze_snapshot_rows.h: runs with steps and memory snapshots whose bytes were found on paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_words.h"
#include "analysis/policy.h"
#include "analysis/rank/test_expected.h"
#include "analysis/snapshot/test_snapshot_made.h"
#include "service/handlers/analyze/analyze_run.h"
#include "service/handlers/core/test_series_runs.h"

#define MIB(n) ((uint64_t)(n) << 20)
#define A MIB(1000)
#define FORWARD "/app/net.py:forward < /v/site-packages/torch/nn/modules/module.py:_call_impl < /app/train.py:step"

enum { STEPS = 12 };

/* A request of `refused` MiB that the device, which has 100 MiB of 60 in use, did not serve. */
static const struct ts_snapshot *refusing(uint64_t refused)
{
	made_begin();
	made_event(TS_ACTION_ALLOC, A, MIB(60), FORWARD);
	made_event(TS_ACTION_OOM, MIB(2), MIB(refused), FORWARD);
	made_segment(A, MIB(100));
	made_block(MIB(60), MIB(60), TS_BLOCK_ACTIVE, FORWARD);
	made_block(MIB(40), 0, TS_BLOCK_INACTIVE, NULL);
	return made_end();
}

static struct ts_id make(struct world *w, int32_t ranks, const struct kept_snapshot *snapshots, size_t n)
{
	struct cells c = {.n = 0};
	struct ts_id id;

	for (int32_t rank = 0; rank < ranks; rank++)
		for (int64_t i = 0; i < STEPS; i++)
			cells_add(&c, rank, "phases.forward", i, 1.0);
	w->snapshots = snapshots;
	w->n_snapshots = n;
	id = make_run(w, &c, NULL, 0);
	cells_free(&c);
	return id;
}

static void analyze(struct world *w, struct ts_id id, struct ts_analyze_request options, struct ts_analysis *ret)
{
	struct ts_error err;

	must(ts_analyze_run(&w->fetch, &id, &options, &w->arena, ret, &err), &err);
}

static const struct ts_finding *finding(const struct ts_analysis *a, const char *code)
{
	for (size_t i = 0; i < a->findings.n; i++)
		if (ts_span_is(a->findings.items[i].code, code))
			return &a->findings.items[i];
	return NULL;
}

static bool noted(const struct ts_analysis *a, const char *text)
{
	for (size_t i = 0; i < a->n_notes; i++)
		if (ts_span_is(a->notes[i], text))
			return true;
	return false;
}

static void the_rules_on_snapshots_are_asked(void **state)
{
	struct kept_snapshot kept = {0, "snapshot.pickle", NULL};
	struct ts_analyze_request request = {.has_device_bytes = true, .device_bytes = (double)MIB(101)};
	struct ts_policy_item off = {.code = ts_span_str("MEMORY.OUT_OF_MEMORY"), .off = true};
	struct ts_analysis a;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	kept.snapshot = refusing(200);
	id = make(&w, 1, &kept, 1);
	for (int again = 0; again < 2; again++) { /* the second is the one that was kept */
		analyze(&w, id, request, &a);
		expect_measure(&a.measures, "snapshot", "refused", "requested_bytes", (double)MIB(200));
		expect_measure(&a.measures, "snapshot", "capacity", "headroom_bytes", (double)MIB(1));
		expect_measure(&a.measures, "timing", "step", "mean_s", 1);
		assert_non_null(finding(&a, "MEMORY.OUT_OF_MEMORY"));
		assert_int_equal(finding(&a, "MEMORY.OUT_OF_MEMORY")->severity, TS_SEVERITY_HIGH);
		assert_non_null(finding(&a, "MEMORY.HEADROOM"));
	}
	request.policy = (struct ts_policy){&off, 1};
	analyze(&w, id, request, &a);
	assert_null(finding(&a, "MEMORY.OUT_OF_MEMORY"));
	/* The same steps without a snapshot have none of its rows, nor the finding. */
	id = make(&w, 1, NULL, 0);
	analyze(&w, id, (struct ts_analyze_request){.fresh = false}, &a);
	assert_null(test_find(&a.measures, "snapshot", "refused", "requested_bytes"));
	assert_null(finding(&a, "MEMORY.OUT_OF_MEMORY"));
	world_close(&w);
}

static void each_rank_has_its_own(void **state)
{
	struct kept_snapshot kept[] = {{0, "s.pickle", NULL}, {1, "s-9.pickle", NULL}, {1, "s-10.pickle", NULL}};
	struct ts_analysis a;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	kept[0].snapshot = kept[1].snapshot = kept[2].snapshot = refusing(30); /* which was free */
	id = make(&w, 2, &kept[1], 2);
	analyze(&w, id, (struct ts_analyze_request){.fresh = false}, &a);
	assert_int_equal(a.rank, 0);
	assert_null(test_find(&a.measures, "snapshot", "refused", "requested_bytes"));
	assert_non_null(finding(&a, "MEMORY.OOM_FRAGMENTED"));
	assert_int_equal(finding(&a, "MEMORY.OOM_FRAGMENTED")->rank, 1);
	assert_int_equal(finding(&a, "MEMORY.OOM_FRAGMENTED")->n_ranks, 1);
	assert_true(noted(&a, "rank 1 has 2 memory snapshots, of which s-10.pickle, the last by name, counts"));
	/* The rank whose memory is shortest says whether memory limits the job. */
	assert_true(ts_span_is(a.bound.memory.sentence, "on rank 1 memory limits the run: a request of 30 MiB was refused"));
	id = make(&w, 2, kept, 2);
	analyze(&w, id, (struct ts_analyze_request){.fresh = false}, &a);
	assert_true(ts_span_is(a.bound.memory.sentence, "memory limits the run: a request of 30 MiB was refused"));
	assert_int_equal(finding(&a, "MEMORY.OOM_FRAGMENTED")->n_ranks, 2);
	world_close(&w);
}

/* One among the job's files: by its name, as that of the only rank, or of nobody knows whom. */
static void whose_it_is(void **state)
{
	struct kept_snapshot kept = {TS_RANK_JOB, "memory_rank1.pickle", NULL};
	struct ts_analysis a;
	struct world w;
	struct ts_id id;

	(void)state;
	world_open(&w);
	kept.snapshot = refusing(200);
	id = make(&w, 2, &kept, 1);
	analyze(&w, id, (struct ts_analyze_request){.fresh = false}, &a);
	assert_int_equal(finding(&a, "MEMORY.OUT_OF_MEMORY")->rank, 1);
	kept.name = "rank7.pickle"; /* there is none */
	id = make(&w, 2, &kept, 1);
	analyze(&w, id, (struct ts_analyze_request){.fresh = false}, &a);
	assert_non_null(finding(&a, "MEMORY.OUT_OF_MEMORY"));
	assert_false(finding(&a, "MEMORY.OUT_OF_MEMORY")->has_rank);
	assert_true(noted(&a, "nothing says of which rank the memory snapshot rank7.pickle is; it counts as one of the run"));
	analyze(&w, id, (struct ts_analyze_request){.has_rank = true, .rank = 0}, &a);
	assert_null(finding(&a, "MEMORY.OUT_OF_MEMORY"));
	assert_true(noted(&a, "nothing says of which rank the memory snapshot rank7.pickle is; it does not count: tscope analyze RUN "
			      "--snapshot NAME shows it"));
	kept.name = "local_rank0.pickle"; /* of which host? */
	id = make(&w, 2, &kept, 1);
	analyze(&w, id, (struct ts_analyze_request){.fresh = false}, &a);
	assert_true(noted(&a, "nothing says of which rank the memory snapshot local_rank0.pickle is; it counts as one of the run"));
	id = make(&w, 1, &kept, 1);
	analyze(&w, id, (struct ts_analyze_request){.has_rank = true, .rank = 0}, &a);
	assert_non_null(finding(&a, "MEMORY.OUT_OF_MEMORY"));
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rules_on_snapshots_are_asked),
		cmocka_unit_test(each_rank_has_its_own),
		cmocka_unit_test(whose_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
