/* Traces and snapshots of memory that lie beside the log of another tool: of which run they are, and under which name. */
#include "ingest/core/test_support.h"
#include "ingest/discover.h"

#include "base/file.h"
#include "base/path.h"
#include "run/head.h"
#include "run/trace_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { SAID = 4096 };

/* A trace of one kernel, of this rank; below 0: it does not say. */
static void put_trace(struct test_run *t, const char *name, int rank)
{
	char info[80] = "", text[400];

	if (rank >= 0)
		(void)snprintf(info, sizeof info, "\"distributedInfo\":{\"rank\":%d,\"world_size\":4},", rank);
	(void)snprintf(text, sizeof text,
		       "{%s\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":2,"
		       "\"args\":{\"device\":0,\"stream\":7}}]}",
		       info);
	test_write(t, name, text);
}

/* A pickle of a dict with an empty list of segments, by protocol 2. */
static void put_snapshot(struct test_run *t, const char *name)
{
	static const char bytes[] = "\x80\x02}X\x08\x00\x00\x00segments]s.";

	test_write_bytes(t, name, bytes, sizeof bytes - 1);
}

static void put_table(struct test_run *t, const char *name)
{
	test_write(t, name, "step,loss\n0,1.5\n1,1.25\n2,1.125\n");
}

static void put_events(struct test_run *t, const char *name)
{
	static const char from[] = "tests/golden/tensorboard/plain/events.out.tfevents.1795302945.vm.11627.0";
	struct ts_buf bytes = TS_BUF_INIT(64 << 20);
	struct ts_error err;

	assert_int_equal(ts_file_read(from, &bytes, &err), TS_OK);
	test_write_bytes(t, name, bytes.data, bytes.len);
	ts_buf_finish(&bytes);
}

/* " 0:trace.json job:x.json" for the kept files of the run in the order of ranks and names. */
static size_t say_files(struct test_run *t, char *text, size_t cap)
{
	struct ts_head head;
	struct ts_error err;
	struct ts_span bytes;
	size_t at = 0;

	assert_int_equal(test_get(t, &t->result.head, &t->arena, &bytes, &err), TS_OK);
	assert_int_equal(ts_head_decode(bytes, &t->arena, &head, &err), TS_OK);
	for (size_t r = 0; r < head.n_ranks; r++) {
		struct ts_index index;

		test_index(t, head.ranks[r].rank, &index);
		for (size_t i = 0; i < index.n_files; i++)
			at += (size_t)snprintf(text + at, cap - at, " %d:%.*s%s", (int)head.ranks[r].rank,
					       TS_SPAN_ARG(index.files[i].name), index.files[i].has_columns ? "" : "?");
	}
	return at;
}

/* "metrics.csv: 3 steps 0:trace.json; " for the runs below base/run; each comes back from its export as the same run. */
static const char *runs_of(struct test_run *t)
{
	static char text[SAID];
	struct ts_found_run *runs;
	struct ts_arena arena;
	struct ts_error err;
	size_t n, at = 0;

	ts_arena_init(&arena, 0);
	assert_int_equal(ts_discover(t->path, &arena, &runs, &n, &err), TS_OK);
	for (size_t i = 0; i < n; i++) {
		t->top = runs[i].top;
		t->around = runs[i].around;
		test_ingest_ok(t, runs[i].path);
		at += (size_t)snprintf(text + at, sizeof text - at, "%s: %u steps", runs[i].name, (unsigned)t->result.steps);
		at += say_files(t, text + at, sizeof text - at);
		at += (size_t)snprintf(text + at, sizeof text - at, "; ");
		t->top = NULL;
		t->around = NULL;
		if (i + 1 == n)
			test_round_trip(t);
	}
	ts_arena_finish(&arena);
	return text;
}

static void beside_a_table(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_table(&t, "run/metrics.csv");
	put_trace(&t, "run/host_1.5.pt.trace.json", 0);
	put_trace(&t, "run/profile/host_1.5.pt.trace.json", 0);
	put_trace(&t, "run/other.json", 3); /* of a rank that the log has not */
	put_snapshot(&t, "run/memory/deep/deeper/snapshot.pickle");
	put_snapshot(&t, "run/memory/deep/deeper/deepest/lost.pickle");
	/* One that lies too deep is a run of its own: push says so. */
	assert_string_equal(runs_of(&t), "memory/deep/deeper/deepest: 0 steps 0:lost.pickle; metrics.csv: 3 steps -1:other.json "
					 "0:host_1.5.pt.trace.json 0:profile.host_1.5.pt.trace.json 0:snapshot.pickle; ");
	test_run_finish(&t);
}

/* The name of a folder may end in a slash. */
static void with_a_slash(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_table(&t, "run/metrics.csv");
	put_trace(&t, "run/trace.json", 0);
	put_trace(&t, "run/profile/kineto.json", 0);
	(void)snprintf(t.path, sizeof t.path, "%s/run/", t.base);
	assert_string_equal(runs_of(&t), "metrics.csv: 3 steps 0:kineto.json 0:trace.json; ");
	test_run_finish(&t);
}

/* Nothing outside of a path that is named is read. */
static void a_table_that_is_named(void **state)
{
	struct test_run t;
	struct ts_index index;
	char path[160];

	(void)state;
	test_run_init(&t);
	put_table(&t, "run/metrics.csv");
	put_trace(&t, "run/trace.json", 0);
	(void)snprintf(path, sizeof path, "%s/metrics.csv", t.path);
	test_ingest_ok(&t, path);
	test_index(&t, 0, &index);
	assert_int_equal(index.n_files, 0);
	test_run_finish(&t);
}

/* Whose would they be? */
static void beside_two_tables(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_table(&t, "run/a.csv");
	put_table(&t, "run/b.csv");
	put_trace(&t, "run/trace.json", 0);
	assert_string_equal(runs_of(&t), ": 0 steps 0:trace.json; a.csv: 3 steps; b.csv: 3 steps; ");
	test_run_finish(&t);
}

static void beside_a_text_log(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/train.log", "step: 1  loss: 2.5\nstep: 2  loss: 2.25\n");
	put_snapshot(&t, "run/snapshot.pickle");
	assert_string_equal(runs_of(&t), "train.log: 2 steps 0:snapshot.pickle; ");
	test_run_finish(&t);
}

/* A folder of TensorBoard may have others below it; what torch-tb-profiler wrote is no run. */
static void below_events(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_events(&t, "run/events.out.tfevents.1795302945.vm.11627.0");
	put_trace(&t, "run/plugins/profile/2026_11_21/vm.pt.trace.json", 0);
	put_trace(&t, "run/rank1/vm.pt.trace.json", -1);
	put_events(&t, "run/eval/events.out.tfevents.1795302946.vm.11627.0");
	put_trace(&t, "run/eval/vm.pt.trace.json", 0);
	put_trace(&t, "run/a/b/c/d/vm.pt.trace.json", 0); /* too deep to be of a run above it */
	assert_string_equal(runs_of(&t), ": 40 steps -1:rank1.vm.pt.trace.json 0:vm.pt.trace.json; a/b/c/d: 0 steps "
					 "0:vm.pt.trace.json; eval: 40 steps 0:vm.pt.trace.json; ");
	test_run_finish(&t);
}

/* A folder of traces may have runs below it, which keep what is theirs. */
static void above_a_run(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_trace(&t, "run/trace.json", 0);
	put_trace(&t, "run/late/trace.json", 0);
	put_table(&t, "run/one/metrics.csv");
	put_trace(&t, "run/one/kineto.json", 0);
	assert_string_equal(runs_of(&t), ": 0 steps 0:late.trace.json 0:trace.json; one/metrics.csv: 3 steps 0:kineto.json; ");
	test_run_finish(&t);
}

/* torchtitan writes a folder for each iteration that it profiles. */
static void iterations(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_trace(&t, "run/profile_trace/iteration_10/rank0_trace.json", 0);
	put_trace(&t, "run/profile_trace/iteration_10/rank1_trace.json", 1);
	put_trace(&t, "run/profile_trace/iteration_20/rank0_trace.json", -1);
	put_trace(&t, "run/profile_trace/iteration_20/rank1_trace.json", -1);
	put_snapshot(&t, "run/memory_snapshot/iteration_20_exit/rank0_memory_snapshot.pickle");
	put_snapshot(&t, "run/memory_snapshot/iteration_20_exit/rank1_memory_snapshot.pickle");
	assert_string_equal(runs_of(&t),
			    "memory_snapshot/iteration_20_exit: 0 steps 0:rank0_memory_snapshot.pickle 1:rank1_memory_snapshot.pickle; "
			    "profile_trace/iteration_10: 0 steps 0:rank0_trace.json 1:rank1_trace.json; "
			    "profile_trace/iteration_20: 0 steps 0:rank0_trace.json 1:rank1_trace.json; ");
	test_run_finish(&t);
}

static void hostile_files(void **state)
{
	struct test_run t;
	char from[160], to[160];

	(void)state;
	test_run_init(&t);
	put_table(&t, "run/metrics.csv");
	put_trace(&t, "outside/trace.json", 0);
	(void)snprintf(from, sizeof from, "%s/outside/trace.json", t.base);
	(void)snprintf(to, sizeof to, "%s/trace.json", t.path);
	assert_int_equal(symlink(from, to), 0);
	(void)snprintf(from, sizeof from, "%s/outside", t.base);
	(void)snprintf(to, sizeof to, "%s/profile", t.path);
	assert_int_equal(symlink(from, to), 0);
	(void)snprintf(to, sizeof to, "%s/kineto.json", t.path);
	assert_int_equal(mkfifo(to, 0600), 0);
	test_write(&t, "run/empty.pt.trace.json", "");
	test_write(&t, "run/cut.pt.trace.json", "{\"traceEvents\":[{\"ph\":\"X\",\"na");
	test_write_bytes(&t, "run/snapshot.pickle", "\x80\x02}X\x08\x00\x00\x00segm", 13);
	test_write_bytes(&t, "run/weights.pickle", "\x80\x02K\x05.", 5);
	put_trace(&t, "run/good.json", 0);
	assert_string_equal(runs_of(&t),
			    "metrics.csv: 3 steps 0:cut.pt.trace.json 0:empty.pt.trace.json? 0:good.json 0:snapshot.pickle?; ");
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beside_a_table),    cmocka_unit_test(a_table_that_is_named), cmocka_unit_test(beside_two_tables),
		cmocka_unit_test(beside_a_text_log), cmocka_unit_test(below_events),	      cmocka_unit_test(above_a_run),
		cmocka_unit_test(iterations),	     cmocka_unit_test(hostile_files),	      cmocka_unit_test(with_a_slash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
