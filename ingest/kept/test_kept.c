/* Which traces of a run are kept, whose they are, and that their columns say what the files say. */
#include "base/file.h"
#include "ingest/core/test_support.h"
#include "ingest/kept/kept.h"
#include "ingest/trace/trace_read.h"
#include "run/trace_columns.h"
#include "run/trace_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* A trace of one kernel, which says that it is of this rank; below 0: it says nothing. */
static void put_trace(struct test_run *t, const char *name, int rank, int start)
{
	char info[80] = "", text[400];

	if (rank >= 0)
		(void)snprintf(info, sizeof info, "\"distributedInfo\":{\"rank\":%d,\"world_size\":4},", rank);
	(void)snprintf(
		text, sizeof text,
		"{%s\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%d.001,\"dur\":2,"
		"\"args\":{\"device\":0,\"stream\":7,\"grid\":[1,2,3]}}]}",
		info, start);
	test_write(t, name, text);
}

static void put_steps(struct test_run *t, const char *name)
{
	test_write(t, name, "{\"step\":0,\"scalars\":{\"loss\":1.5}}\n");
}

/* "0 trace.json, 1 b.json; " for the traces of the run: rank and name. */
static const char *traces_of(struct test_run *t)
{
	static char text[1024];
	struct ts_run_trace *traces = NULL;
	struct ts_error err;
	size_t n = 0, at = 0;

	text[0] = '\0';
	assert_int_equal(ts_run_traces(test_get, t, &t->result.head, &t->arena, &traces, &n, &err), TS_OK);
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%d %.*s; ", (int)traces[i].rank, TS_SPAN_ARG(traces[i].name));
	return text;
}

static void every_name(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_steps(&t, "run/steps.jsonl");
	put_trace(&t, "run/trace.json", 0, 1);
	put_trace(&t, "run/kineto.json", 0, 2);
	put_trace(&t, "run/profiler_trace.json", -1, 3);
	put_trace(&t, "run/host_12.34.pt.trace.json", 0, 4);
	put_trace(&t, "run/mine.json", 0, 5); /* by its content */
	test_write(&t, "run/config.json", "{\"traces\": []}");
	test_write(&t, "run/list.json", "[1, 2]");
	test_ingest_ok(&t, t.path);
	assert_string_equal(traces_of(&t),
			    "0 host_12.34.pt.trace.json; 0 kineto.json; 0 mine.json; 0 profiler_trace.json; 0 trace.json; ");
	assert_int_equal(t.result.n_ranks, 1);
	test_round_trip(&t);
	test_run_finish(&t);
}

static void whose_they_are(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_steps(&t, "run/rank0/steps.jsonl");
	put_steps(&t, "run/rank1/steps.jsonl");
	put_trace(&t, "run/rank0/trace.json", 1, 1); /* in the folder of a rank it is that rank's */
	put_trace(&t, "run/rank1/profiler/x.pt.trace.json", 1, 2);
	put_trace(&t, "run/a.pt.trace.json", 1, 3);
	put_trace(&t, "run/b.pt.trace.json", 9, 4); /* the run has no such rank */
	put_trace(&t, "run/c.pt.trace.json", -1, 5);
	put_trace(&t, "run/x.pt.trace.json", 1, 6); /* rank 1 has a trace of this name */
	test_ingest_ok(&t, t.path);
	assert_string_equal(traces_of(&t),
			    "-1 b.pt.trace.json; -1 c.pt.trace.json; -1 x.pt.trace.json; 0 trace.json; 1 a.pt.trace.json; "
			    "1 x.pt.trace.json; ");
	test_round_trip(&t);
	test_run_finish(&t);
}

static void of_a_single_folder(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_steps(&t, "run/steps.jsonl");
	put_trace(&t, "run/trace/a.pt.trace.json", 0, 1);
	put_trace(&t, "run/trace/b.pt.trace.json", 3, 2);
	put_trace(&t, "run/trace/c.pt.trace.json", -1, 3);
	test_ingest_ok(&t, t.path);
	assert_string_equal(traces_of(&t), "-1 b.pt.trace.json; 0 a.pt.trace.json; 0 c.pt.trace.json; ");
	test_round_trip(&t);
	test_run_finish(&t);
}

static void folders_below(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_steps(&t, "run/steps.jsonl");
	put_trace(&t, "run/trace.json", 0, 1);
	put_trace(&t, "run/late/trace.json", 0, 2);
	put_trace(&t, "run/late/deep/trace.json", 0, 3); /* two folders below */
	put_trace(&t, "run/.hidden/trace.json", 0, 4);
	put_steps(&t, "run/other/steps.jsonl");
	put_trace(&t, "run/other/trace.json", 0, 5); /* of another run */
	test_ingest_ok(&t, t.path);
	assert_string_equal(traces_of(&t), "0 late.trace.json; 0 trace.json; ");
	test_round_trip(&t);
	test_run_finish(&t);
}

static void a_folder_of_traces(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_trace(&t, "run/one.pt.trace.json", 2, 1);
	put_trace(&t, "run/two.pt.trace.json", 2, 2); /* a later cycle of the schedule */
	put_trace(&t, "run/three.json", 0, 3);
	put_trace(&t, "run/four.json", -1, 4);
	test_ingest_ok(&t, t.path);
	assert_string_equal(t.result.format, "PyTorch profiler trace");
	assert_string_equal(traces_of(&t), "-1 four.json; 0 three.json; 2 one.pt.trace.json; 2 two.pt.trace.json; ");
	assert_string_equal(test_fact(&t, "parallelism.world_size"), "4");
	assert_true(t.result.n_ranks == 2 && t.result.n_missing == 2 && t.result.missing_ranks[0] == 1 &&
		    t.result.missing_ranks[1] == 3);
	test_round_trip(&t);
	test_run_finish(&t);
}

static void a_file(void **state)
{
	struct test_run t;
	char path[160];

	(void)state;
	test_run_init(&t);
	put_trace(&t, "run/one.json", -1, 1);
	test_write(&t, "run/bad/trace.json", "{\"trace_event\": [{]}");
	(void)snprintf(path, sizeof path, "%s/one.json", t.path);
	test_ingest_ok(&t, path);
	assert_string_equal(traces_of(&t), "0 one.json; ");
	test_round_trip(&t);
	(void)snprintf(path, sizeof path, "%s/bad/trace.json", t.path);
	assert_int_equal(test_ingest_path(&t, path), TS_INVALID);
	assert_non_null(strstr(t.err.text, "byte 18"));
	test_run_finish(&t);
}

/* What cannot be read is kept, and said; what could be read of it before is not. */
static void what_cannot_be_read(void **state)
{
	const struct ts_notice *notice;
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_steps(&t, "run/steps.jsonl");
	test_write(&t, "run/trace.json", "{\"trace_event\": [{]}");
	test_ingest_ok(&t, t.path);
	assert_string_equal(traces_of(&t), "");
	notice = test_notice(&t, "trace_not_read");
	assert_non_null(notice);
	assert_true(notice->level == TS_NOTICE_SKIPPED && ts_span_is(notice->file, "trace.json"));
	assert_true(ts_span_starts(notice->detail, ts_span_str("byte 18: ")));
	test_round_trip(&t);
	t.strict = true;
	assert_int_equal(test_ingest(&t), TS_INVALID);
	test_run_finish(&t);
}

static const char summary[] = "{\"kernel_summary\":1,\"rank\":1,\"world_size\":4,\"cut\":false,\"clock_ns\":1,\"steps\":[[null,9,0]],"
			      "\"parts\":[],\"kernels\":[]}\n";

/* A trace of rank 3 has no summary, and that of one of rank 2 would be too large. */
static enum ts_status stub(const struct ts_trace *trace, struct ts_arena *arena, struct ts_span *ret_text, struct ts_error *err)
{
	(void)arena;
	assert_int_equal(trace->rows.spans.n, 1);
	if (trace->about.rank == 2)
		return ts_error_set(err, TS_TOO_LARGE, "too large");
	*ret_text = trace->about.rank == 3 ? ts_span_of(NULL, 0) : ts_span_str(summary);
	return TS_OK;
}

static void summaries_in_the_place_of_traces(void **state)
{
	struct ts_index index;
	struct test_run t;

	(void)state;
	test_run_init(&t);
	t.summarize = stub;
	put_trace(&t, "run/one.json", 1, 1);
	put_trace(&t, "run/two.json", 2, 4);
	put_trace(&t, "run/three.json", 3, 2);
	put_trace(&t, "run/there.json", 1, 3);
	test_write(&t, "run/there.json.kernels.json", summary);
	test_write(&t, "run/kineto.json", "{\"trace_event\": [{]}");
	test_write(&t, "run/broken.kernels.json", "{\"kernel_summary\":1}");
	test_write(&t, "run/other.kernels.json", "{\"kernels\":[]}");
	test_ingest_ok(&t, t.path);
	assert_string_equal(t.result.format, "PyTorch profiler trace");
	/* What has no summary, or has one beside it, is kept as it is. */
	assert_string_equal(traces_of(&t), "1 there.json; 2 two.json; 3 three.json; ");
	test_index(&t, 1, &index);
	assert_int_equal(index.n_files, 3);
	assert_true(ts_span_is(index.files[0].name, "one.json.kernels.json") && index.files[0].size == sizeof summary - 1 &&
		    !index.files[0].has_columns);
	assert_true(ts_span_is(index.files[2].name, "there.json.kernels.json") && !index.files[2].has_columns);
	assert_true(ts_span_is(test_notice(&t, "summary_not_read")->file, "broken.kernels.json"));
	assert_true(ts_span_is(test_notice(&t, "trace_not_read")->file, "kineto.json"));
	assert_true(ts_span_is(test_notice(&t, "unread")->detail, "broken.kernels.json, other.kernels.json"));
	test_round_trip(&t);
	test_run_finish(&t);
}

/* A pickle of a dict with an empty list of segments, by protocol 2: what a snapshot has at least. */
static const char snapshot[] = "\x80\x02}X\x08\x00\x00\x00segments]s.";

static void snapshots_of_memory(void **state)
{
	struct ts_run_trace *listed = NULL;
	struct ts_index index;
	struct test_run t;
	size_t n = 0;

	(void)state;
	test_run_init(&t);
	put_steps(&t, "run/steps.jsonl");
	test_write_bytes(&t, "run/memory.pickle", snapshot, sizeof snapshot - 1);
	test_write_bytes(&t, "run/memory_snapshots/snapshot_step_5.pickle", snapshot, sizeof snapshot - 1);
	test_write_bytes(&t, "run/snapshot.pickle", "\x80\x02]q\x00", 5); /* cut */
	test_write_bytes(&t, "run/data.pickle", "\x80\x02K\x05.", 5);	  /* a number */
	test_write_bytes(&t, "run/text.pickle", "no pickle", 9);
	test_ingest_ok(&t, t.path);
	test_index(&t, 0, &index);
	assert_int_equal(index.n_files, 3);
	assert_true(ts_span_is(index.files[0].name, "memory.pickle") && ts_span_is(index.files[1].name, "snapshot.pickle") &&
		    ts_span_is(index.files[2].name, "snapshot_step_5.pickle"));
	assert_true(ts_span_is(test_notice(&t, "snapshot_not_read")->file, "snapshot.pickle"));
	/* What could not be read has no columns. */
	assert_string_equal(traces_of(&t), "");
	assert_int_equal(ts_run_snapshots(test_get, &t, &t.result.head, &t.arena, &listed, &n, &t.err), TS_OK);
	assert_int_equal(n, 2);
	assert_true(ts_span_is(listed[0].name, "memory.pickle") && ts_span_is(listed[1].name, "snapshot_step_5.pickle"));
	assert_true(ts_span_is(test_notice(&t, "unread")->detail, "data.pickle, text.pickle"));
	test_round_trip(&t);
	test_run_finish(&t);
}

/* "0 a.pickle, ..." for the snapshots of the run: rank and name. */
static const char *snapshots_of(struct test_run *t)
{
	static char text[1024];
	struct ts_run_trace *all = NULL;
	size_t n = 0, at = 0;

	text[0] = '\0';
	assert_int_equal(ts_run_snapshots(test_get, t, &t->result.head, &t->arena, &all, &n, &t->err), TS_OK);
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%d %.*s; ", (int)all[i].rank, TS_SPAN_ARG(all[i].name));
	return text;
}

static void put_snapshot(struct test_run *t, const char *name)
{
	test_write_bytes(t, name, snapshot, sizeof snapshot - 1);
}

static void a_folder_of_snapshots(void **state)
{
	const struct ts_notice *notice;
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_snapshot(&t, "run/rank0_memory_snapshot.pickle");
	put_snapshot(&t, "run/snapshot_rank_3.pickle");
	put_snapshot(&t, "run/whose.pickle");
	test_write(&t, "run/notes.txt", "");
	test_write_bytes(&t, "run/batches.pickle", "\x80\x02K\x05.", 5);
	test_ingest_ok(&t, t.path);
	assert_string_equal(t.result.format, "PyTorch memory snapshot");
	assert_string_equal(snapshots_of(&t), "-1 whose.pickle; 0 rank0_memory_snapshot.pickle; 3 snapshot_rank_3.pickle; ");
	notice = test_notice(&t, "rank_from_name");
	assert_true(notice && notice->count == 2 && notice->level == TS_NOTICE_INFO);
	assert_true(ts_span_is(test_notice(&t, "unread")->detail, "batches.pickle, notes.txt"));
	test_round_trip(&t);
	test_run_finish(&t);
}

/* The folder says the rank, so nothing is assumed. */
static void snapshots_of_ranks(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_snapshot(&t, "run/rank0/snapshot.pickle");
	put_snapshot(&t, "run/rank1/mine.pickle");
	put_snapshot(&t, "run/rank1/rank5_snapshot.pickle");
	test_write_bytes(&t, "run/rank2/batches.pickle", "\x80\x02K\x05.", 5);
	put_snapshot(&t, "run/rank3/memory/deep.pickle"); /* and nothing beside that folder */
	test_ingest_ok(&t, t.path);
	assert_string_equal(snapshots_of(&t), "0 snapshot.pickle; 1 mine.pickle; 1 rank5_snapshot.pickle; 3 deep.pickle; ");
	assert_null(test_notice(&t, "rank_from_name"));
	assert_non_null(test_notice(&t, "empty_rank"));
	test_round_trip(&t);
	test_run_finish(&t);
}

static void one_snapshot(void **state)
{
	struct test_run t;
	char path[160];

	(void)state;
	test_run_init(&t);
	put_snapshot(&t, "run/rank4_snapshot.pickle");
	test_ingest_ok(&t, t.path);
	assert_string_equal(snapshots_of(&t), "4 rank4_snapshot.pickle; ");
	test_round_trip(&t);
	(void)snprintf(path, sizeof path, "%s/rank4_snapshot.pickle", t.path);
	test_ingest_ok(&t, path);
	assert_string_equal(snapshots_of(&t), "4 rank4_snapshot.pickle; ");
	test_run_finish(&t);
}

/* Pickles of other things make no run, whatever their name; the begin of a snapshot does, and it is said what is wrong with it. */
static void pickles_of_other_things(void **state)
{
	struct test_run t;
	char path[160];

	(void)state;
	test_run_init(&t);
	test_write_bytes(&t, "run/batches.pickle", "\x80\x02K\x05.", 5);
	test_write_bytes(&t, "run/snapshot_of_users.pickle", "\x80\x02K\x05.", 5);
	test_write_bytes(&t, "run/empty_snapshot.pickle", "", 0);
	assert_int_equal(test_ingest(&t), TS_INVALID);
	test_write_bytes(&t, "run/snapshot.pickle", snapshot, sizeof snapshot - 3);
	test_ingest_ok(&t, t.path);
	assert_string_equal(snapshots_of(&t), "");
	assert_non_null(test_notice(&t, "snapshot_not_read"));
	(void)snprintf(path, sizeof path, "%s/snapshot.pickle", t.path);
	assert_int_equal(test_ingest_path(&t, path), TS_INVALID);
	assert_non_null(strstr(t.err.text, "byte"));
	test_run_finish(&t);
}

static void what_is_not_read(void **state)
{
	const struct ts_notice *notice;
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_steps(&t, "run/rank0/steps.jsonl");
	put_trace(&t, "run/rank0/trace/a.pt.trace.json", 0, 1);
	test_write(&t, "run/run.json", "{}");
	test_write(&t, "run/e.txt", "");
	test_write(&t, "run/d.txt", "");
	test_write(&t, "run/c/x", "");
	test_write(&t, "run/b.bin", "");
	test_write(&t, "run/a.yaml", "");
	test_write(&t, "run/.git/x", "");
	test_ingest_ok(&t, t.path);
	notice = test_notice(&t, "unread");
	assert_non_null(notice);
	assert_true(ts_span_is(notice->file, "") && notice->count == 5 && notice->level == TS_NOTICE_INFO);
	assert_true(ts_span_is(notice->detail, "a.yaml, b.bin, c/, d.txt and 1 more"));
	test_write(&t, "run/rank0/log", "");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.notices.n, 2);
	assert_true(ts_span_is(t.result.notices.items[1].file, "rank0/") && t.result.notices.items[1].count == 1);
	test_run_finish(&t);
}

/* A folder from which a trace is taken has been looked into, so what else lies in it is said as well; of one from which nothing is
 * taken the name is enough. */
static void what_lies_beside_a_trace(void **state)
{
	const struct ts_notice *notice;
	struct test_run t;

	(void)state;
	test_run_init(&t);
	put_trace(&t, "run/trace.json", 0, 1);
	put_trace(&t, "run/trace/a.pt.trace.json", 0, 1);
	test_write(&t, "run/trace/notes.txt", "");
	test_write(&t, "run/trace/deep/b.pt.trace.json", "");
	test_write(&t, "run/trace/.hidden", "");
	test_write(&t, "run/other/x", "");
	test_ingest_ok(&t, t.path);
	notice = test_notice(&t, "unread");
	assert_non_null(notice);
	assert_int_equal(notice->count, 3);
	assert_true(ts_span_is(notice->detail, "other/, trace/deep/, trace/notes.txt"));
	put_steps(&t, "run/rank0/steps.jsonl");
	put_trace(&t, "run/rank0/trace/a.pt.trace.json", 0, 1);
	test_write(&t, "run/rank0/trace/steps.txt", "");
	test_ingest_ok(&t, t.path);
	notice = t.result.notices.items + t.result.notices.n - 1;
	assert_true(ts_span_is(notice->file, "rank0/") && ts_span_is(notice->detail, "trace/steps.txt"));
	test_run_finish(&t);
}

static void no_links(void **state)
{
	struct test_run t;
	char from[160], to[160];

	(void)state;
	test_run_init(&t);
	put_steps(&t, "run/steps.jsonl");
	put_trace(&t, "elsewhere/trace.json", 0, 1);
	(void)snprintf(from, sizeof from, "%s/elsewhere/trace.json", t.base);
	(void)snprintf(to, sizeof to, "%s/trace.json", t.path);
	assert_int_equal(symlink(from, to), 0);
	(void)snprintf(from, sizeof from, "%s/elsewhere", t.base);
	(void)snprintf(to, sizeof to, "%s/profiler", t.path);
	assert_int_equal(symlink(from, to), 0);
	test_ingest_ok(&t, t.path);
	assert_string_equal(traces_of(&t), "");
	assert_non_null(test_notice(&t, "not_file"));
	test_run_finish(&t);
}

static struct ts_id columns_of(struct test_run *t)
{
	struct ts_run_trace *traces = NULL;
	struct ts_error err;
	size_t n = 0;

	test_ingest_ok(t, t->path);
	assert_int_equal(ts_run_traces(test_get, t, &t->result.head, &t->arena, &traces, &n, &err), TS_OK);
	assert_int_equal(n, 1);
	return traces[0].columns;
}

/* The same trace is the same objects, whatever its run, its rank and its name. */
static void stored_once(void **state)
{
	struct ts_id first, second;
	struct test_run t, u;

	(void)state;
	test_run_init(&t);
	test_run_init(&u);
	put_steps(&t, "run/steps.jsonl");
	put_trace(&t, "run/trace.json", 1, 1);
	test_write(&t, "run/run.json", "{\"name\":\"a\"}");
	put_steps(&u, "run/rank1/steps.jsonl");
	put_trace(&u, "run/rank1/kineto.json", 1, 1);
	first = columns_of(&t);
	second = columns_of(&u);
	assert_memory_equal(&first, &second, sizeof first);
	put_trace(&u, "run/rank1/kineto.json", 1, 2);
	second = columns_of(&u);
	assert_memory_not_equal(&first, &second, sizeof first);
	test_run_finish(&t);
	test_run_finish(&u);
}

/* A real trace, by the file and by its columns. */
static void what_the_file_says(void **state)
{
	static const char *const files[] = {"tests/golden/pytscope/trace_demo/trace.json", NULL};

	(void)state;
	for (size_t i = 0; files[i]; i++) {
		struct ts_source source = {.path = ts_span_str(files[i]), .name = ts_span_str("")};
		struct ts_run_trace *traces = NULL;
		struct ts_trace_record record;
		struct ts_trace_file file;
		struct ts_trace a, b;
		struct ts_notices notices;
		struct test_run t;
		size_t n = 0;

		test_run_init(&t);
		notices = (struct ts_notices){.arena = &t.arena};
		test_ingest_ok(&t, files[i]);
		assert_int_equal(ts_run_traces(test_get, &t, &t.result.head, &t.arena, &traces, &n, &t.err), TS_OK);
		assert_int_equal(n, 1);
		assert_int_equal(ts_trace_columns_load(test_get, &t, &traces[0].columns, &t.arena, &a, &record, &t.err), TS_OK);
		assert_int_equal(ts_file_open(files[i], &source.fd, &source.size, &t.err), TS_OK);
		assert_int_equal(ts_trace_load(&source, &(struct ts_trace_reading){.notices = &notices}, &b, &file, &t.err), TS_OK);
		(void)close(source.fd);
#define SAME_COLUMN(type, column) assert_true(!x->n || memcmp(x->column, y->column, x->n * sizeof(type)) == 0);
#define SAME_TABLE(table, member, columns)                                                                                             \
	{                                                                                                                              \
		const struct table *x = &a.rows.member, *y = &b.rows.member;                                                           \
		assert_int_equal(x->n, y->n);                                                                                          \
		columns(SAME_COLUMN)                                                                                                   \
	}
		TS_TRACE_TABLES(SAME_TABLE)
		for (size_t k = 0; k < b.n_names; k++)
			assert_true(ts_span_eq(a.names[k], b.names[k]));
		assert_true(a.n_threads == b.n_threads && record.events == file.events && record.bytes == file.bytes);
		ts_trace_finish(&a);
		ts_trace_finish(&b);
		ts_trace_file_finish(&file);
		test_run_finish(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name),	       cmocka_unit_test(whose_they_are),
		cmocka_unit_test(of_a_single_folder),  cmocka_unit_test(folders_below),
		cmocka_unit_test(a_folder_of_traces),  cmocka_unit_test(a_file),
		cmocka_unit_test(what_cannot_be_read), cmocka_unit_test(no_links),
		cmocka_unit_test(stored_once),	       cmocka_unit_test(what_the_file_says),
		cmocka_unit_test(summaries_in_the_place_of_traces),
		cmocka_unit_test(snapshots_of_memory), cmocka_unit_test(what_is_not_read),
		cmocka_unit_test(what_lies_beside_a_trace),
		cmocka_unit_test(a_folder_of_snapshots),
		cmocka_unit_test(snapshots_of_ranks),  cmocka_unit_test(one_snapshot),
		cmocka_unit_test(pickles_of_other_things),
	};
	struct ts_error err;

	if (ts_digest_init(&err))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
