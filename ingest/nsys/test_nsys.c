/* nsys_read.h: what an export says, what it does not say, and files that mean harm. tests/golden/nsys holds whole files to SQL. */
#include "ingest/core/test_support.h"
#include "ingest/nsys/nsys_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct fixture {
	struct test_run run;
	struct ts_notices notices;
	struct ts_trace trace;
	struct ts_trace_file file;
	struct ts_error err;
	char path[128];
	bool loaded;
};

static enum ts_status load(struct fixture *f, const char *sql)
{
	char command[512];

	*f = (struct fixture){.loaded = false};
	test_run_init(&f->run);
	f->notices.arena = &f->run.arena;
	test_write(&f->run, "x.sql", sql);
	(void)snprintf(f->path, sizeof f->path, "%s/x.sqlite", f->run.base);
	(void)snprintf(command, sizeof command,
		       "python3 -c \"import sqlite3; sqlite3.connect('%s').executescript(open('%s/x.sql').read())\"", f->path,
		       f->run.base);
	assert_int_equal(system(command), 0);
	f->loaded = !ts_nsys_load(f->path, &(struct ts_trace_reading){.notices = &f->notices}, &f->trace, &f->file, &f->err);
	if (f->loaded)
		assert_int_equal(ts_trace_check(&f->trace, &f->err), TS_OK);
	return f->loaded ? TS_OK : f->err.status;
}

static void finish(struct fixture *f)
{
	if (f->loaded) {
		ts_trace_finish(&f->trace);
		ts_trace_file_finish(&f->file);
	}
	test_run_finish(&f->run);
}

static bool is_named(const struct fixture *f, size_t span, const char *name)
{
	return ts_span_is(f->trace.names[f->trace.rows.spans.name[span]], name);
}

static uint64_t noticed(const struct fixture *f, const char *code)
{
	for (size_t i = 0; i < f->notices.n; i++)
		if (strcmp(f->notices.items[i].code, code) == 0)
			return f->notices.items[i].count;
	return 0;
}

#define STRINGS "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
#define KERNELS                                                                                                                        \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL "                                                                                     \
	"(start, end, deviceId, streamId, correlationId, demangledName, shortName, graphNodeId);"

static const char what_is_said_sql[] = STRINGS KERNELS
	"INSERT INTO StringIds VALUES (1, 'gemm<\"a\\b\">'), (2, 'cudaLaunchKernel_ptsz_v7000'), "
	"(3, 'aten::mm, seq = 3, op_id = 7, sizes = [[2, 30], []], input_op_ids = [1]'), (4, 'aten::bad, sizes = [[2,]');"
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 150, 1, 7, 9, 1, 5, 12884901890), "
	"(160, 170, 1, 4294967295, NULL, 5, 1, NULL);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (90, 95, 281483566645268, 9, 2);"
	"CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid, textId);"
	"INSERT INTO NVTX_EVENTS VALUES (1, 200, 59, 'step 1', 281483566645268, NULL), (2, 3, 60, NULL, 1, 3), (2, 3, 59, NULL, 1, 4), "
	"(4, NULL, 59, 'open', 1, NULL), (5, 9, 75, 'domain', 1, NULL);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, streamId, correlationId, graphId);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (300, 400, 0, 7, 10, 5);"
	"CREATE TABLE TARGET_INFO_GPU (id, name, totalMemory, smCount);"
	"INSERT INTO TARGET_INFO_GPU VALUES (0, 'H100', 85, 132);"
	"CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs); INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700);";

static void what_is_said(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(load(&f, what_is_said_sql), TS_OK);
	assert_int_equal(f.trace.rows.spans.n, 7);
	/* The call, then ranges, then the work of devices. */
	assert_true(is_named(&f, 0, "cudaLaunchKernel"));
	assert_int_equal(f.trace.rows.spans.kind[0], TS_TRACE_RUNTIME);
	assert_int_equal(f.trace.threads[f.trace.rows.spans.thread[0]].pid, 512);
	assert_int_equal(f.trace.threads[f.trace.rows.spans.thread[0]].tid, 20);
	assert_int_equal(f.trace.rows.spans.kind[1], TS_TRACE_ANNOTATION);
	assert_true(is_named(&f, 2, "aten::mm"));
	assert_int_equal(f.trace.rows.spans.kind[2], TS_TRACE_OPERATOR);
	assert_true(ts_span_is(f.trace.names[f.trace.rows.spans.shapes[2]], "[[2,30],[]]"));
	assert_true(is_named(&f, 3, "aten::bad"));
	assert_int_equal(f.trace.rows.spans.shapes[3], 0);
	assert_true(is_named(&f, 4, "gemm<\"a\\b\">"));
	assert_int_equal(f.trace.rows.spans.correlation[4], 9);
	assert_int_equal(f.trace.rows.spans.duration_ns[4], 50);
	assert_int_equal(f.trace.rows.kernels.graph[0], 3);
	assert_int_equal(f.trace.rows.kernels.node[0], 12884901890);
	assert_int_equal(f.trace.rows.spans.stream[5], TS_TRACE_NO_DEVICE);
	assert_true(is_named(&f, 5, "gemm<\"a\\b\">")); /* by shortName, because there is no word 5 */
	assert_true(is_named(&f, 6, "CUDA graph 5"));
	assert_int_equal(noticed(&f, "nsys_graphs"), 1);
	assert_int_equal(f.trace.about.base_ns, 1700);
	assert_int_equal(f.trace.about.n_devices, 1);
	finish(&f);
}

/* Values of other types and out of range cost the value, or the row where they are its times. */
static void bad_values(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(load(&f, KERNELS "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 'x', X'00', 1.5, 1, 1, 'n'), "
					  "(NULL, 2, 0, 7, 1, 1, 1, 1), ('a', 'b', 0, 7, 1, 1, 1, 1), (9, 5, 0, 7, 1, 1, 1, 1), "
					  "(-9223372036854775807, 9223372036854775807, 0, 7, 1, 1, 1, 1), "
					  "(9, 9223372036854775807, 0, 7, 1, 1, 1, -1);"),
			 TS_OK);
	assert_int_equal(noticed(&f, "trace_no_time"), 3);
	assert_int_equal(noticed(&f, "trace_negative"), 1);
	assert_int_equal(f.trace.rows.spans.n, 3);
	assert_int_equal(f.trace.rows.spans.device[0], TS_TRACE_NO_DEVICE);
	assert_int_equal(f.trace.rows.spans.correlation[0], TS_TRACE_NONE);
	assert_int_equal(f.trace.rows.spans.duration_ns[1], 0);
	assert_true(is_named(&f, 0, ""));
	finish(&f);
}

static void no_such_file(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(load(&f, "CREATE TABLE t (a);"), TS_INVALID);
	assert_false(ts_nsys_is(f.path));
	finish(&f);
	/* A view would run code. */
	assert_int_equal(load(&f, "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT 1 AS start, 2 AS end;"), TS_INVALID);
	assert_false(ts_nsys_is(f.path));
	finish(&f);
	assert_int_equal(load(&f, KERNELS), TS_INVALID);
	assert_true(ts_nsys_is(f.path));
	assert_non_null(strstr(f.err.text, "has no kernel"));
	finish(&f);
}

#define COUNT "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"

/* 20,000 kernels, each of whose names would be looked for among 20,000 words without an index. */
static void takes_no_end_of_steps(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(load(&f, "CREATE TABLE StringIds (id, value TEXT);" KERNELS COUNT
				  " INSERT INTO StringIds SELECT i, 'w' FROM n;" COUNT
				  " INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i, i + 1, 0, 7, i, 0, 0, NULL FROM n;"),
			 TS_INVALID);
	assert_non_null(strstr(f.err.text, "too many steps"));
	finish(&f);
}

/* 5,000 ranges of one name of 1 MB. */
static void names_take_steps(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(load(&f, STRINGS "INSERT INTO StringIds VALUES (1, printf('%.*c', 1000000, 'n'));"
					  "CREATE TABLE NVTX_EVENTS (start, end, eventType, globalTid, text, textId);" COUNT
					  " INSERT INTO NVTX_EVENTS SELECT i, i + 1, 59, 1, NULL, 1 FROM n WHERE i <= 5000;"),
			 TS_INVALID);
	assert_non_null(strstr(f.err.text, "too many steps"));
	finish(&f);
}

static void too_large_a_name(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(load(&f, STRINGS KERNELS "INSERT INTO StringIds VALUES (1, printf('%.*c', 5000000, 'n')), (2, 'gemm');"
						  "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, 7, 1, 1, NULL, NULL), "
						  "(3, 4, 0, 7, 1, 2, NULL, NULL), (5, 6, 0, 7, 1, 1, 2, NULL);"),
			 TS_OK);
	assert_int_equal(f.trace.rows.spans.n, 3);
	assert_true(is_named(&f, 0, ""));
	assert_true(is_named(&f, 1, "gemm"));
	assert_true(is_named(&f, 2, "gemm"));
	assert_int_equal(noticed(&f, "nsys_name"), 2);
	finish(&f);
}

/* Processes 20 and 30, whose calls have one number; (20 << 24) + 1 is 335544321, (30 << 24) + 1 is 503316481. */
#define CALLS_OF_TWO                                                                                                                   \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);"                                     \
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 12, 335544321, 5, NULL), (11, 13, 503316481, 5, NULL);"

static void processes_number_apart(void **state)
{
	const int64_t *correlation;
	struct fixture f;

	(void)state;
	assert_int_equal(load(&f, CALLS_OF_TWO "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET "
					       "(start, end, deviceId, streamId, correlationId, globalPid, bytes);"
					       "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (20, 21, 0, 7, 5, 335544320, 1), "
					       "(20, 22, 1, 7, 5, 503316480, 1), (20, 23, 1, 7, 5, NULL, 1), "
					       "(20, 24, 1, 7, 4294967296, 503316480, 1);"),
			 TS_OK);
	correlation = f.trace.rows.spans.correlation;
	assert_int_equal(correlation[0], 5); /* of the first process as it stands */
	assert_int_not_equal(correlation[1], 5);
	assert_int_equal(correlation[2], correlation[0]);
	assert_int_equal(correlation[3], correlation[1]);
	assert_int_equal(correlation[4], TS_TRACE_NONE);
	assert_int_equal(correlation[5], TS_TRACE_NONE); /* CUPTI has no such number */
	assert_int_equal(noticed(&f, "nsys_process"), 1);
	assert_int_equal(noticed(&f, "trace_processes"), 0);
	finish(&f);
}

/* A version without the column: of one process its launches are known, of two they are not. */
static void no_processes_of_work(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(load(&f, CALLS_OF_TWO KERNELS "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20, 21, 0, 7, 5, 0, 0, NULL);"),
			 TS_OK);
	assert_int_equal(f.trace.rows.spans.correlation[2], TS_TRACE_NONE);
	assert_int_equal(noticed(&f, "nsys_process"), 1);
	finish(&f);
}

/* Ranges between start and end are on a thread beside the one that began them: they do not nest with those that are pushed. */
static void ranges_that_overlap(void **state)
{
	const struct ts_trace_thread *threads;
	struct fixture f;
	uint32_t on[3];

	(void)state;
	assert_int_equal(load(&f, "CREATE TABLE StringIds (id, value);"
				  "CREATE TABLE NVTX_EVENTS (start, end, eventType, globalTid, text);"
				  "INSERT INTO NVTX_EVENTS VALUES (1, 9, 59, 335544321, 'pushed'), (5, 20, 60, 335544321, 'started'), "
				  "(6, 8, 59, 335544321, 'within');"),
			 TS_OK);
	for (size_t i = 0; i < 3; i++)
		on[i] = f.trace.rows.spans.thread[i];
	threads = f.trace.threads;
	assert_int_equal(on[0], on[2]);
	assert_int_not_equal(on[1], on[0]);
	assert_int_equal(threads[on[1]].pid, 20);
	assert_true(ts_span_is(f.trace.names[threads[on[1]].tid_text], "start/end 1"));
	finish(&f);
}

static void say(const struct fixture *f, const char *python)
{
	char command[512];

	(void)snprintf(command, sizeof command, "python3 -c \"import os, sqlite3; path = '%s'; %s\"", f->path, python);
	assert_int_equal(system(command), 0);
}

/* Those that SQLite cannot read are exports still, and its own reason is given. */
static void cannot_be_asked(void **state)
{
	struct ts_trace_reading reading = {.notices = NULL};
	struct ts_error err;
	struct fixture f;

	(void)state;
	assert_int_equal(load(&f, KERNELS "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, 7, 1, 0, 0, NULL);"), TS_OK);
	ts_trace_finish(&f.trace);
	ts_trace_file_finish(&f.file);
	f.loaded = false;
	say(&f, "os.symlink('/nowhere', path + '-wal')");
	assert_true(ts_nsys_is(f.path));
	reading.notices = &f.notices;
	assert_int_equal(ts_nsys_load(f.path, &reading, &f.trace, &f.file, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "x.sqlite-wal: not a regular file"));
	say(&f, "os.unlink(path + '-wal'); os.truncate(path, 4096)");
	assert_true(ts_nsys_is(f.path));
	assert_int_equal(ts_nsys_load(f.path, &reading, &f.trace, &f.file, &err), TS_DAMAGED);
	assert_non_null(strstr(err.text, "SQLite says: "));
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_said),		  cmocka_unit_test(bad_values),		  cmocka_unit_test(no_such_file),
		cmocka_unit_test(takes_no_end_of_steps),  cmocka_unit_test(names_take_steps),	  cmocka_unit_test(too_large_a_name),
		cmocka_unit_test(processes_number_apart), cmocka_unit_test(no_processes_of_work), cmocka_unit_test(ranges_that_overlap),
		cmocka_unit_test(cannot_be_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
