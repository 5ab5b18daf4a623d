/* run/trace.h: rows of batches as one table, and what is too much. */
#include "run/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Two batches of three spans, of which the second and the third say something. */
static void details_follow_their_spans(void **state)
{
	static const uint32_t spans[] = {1, 2, 4, 5};
	struct ts_trace trace = {0};
	struct ts_trace_rows rows = {0};
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_trace_rows_reserve(&rows, 3, &err), TS_OK);
	for (int batch = 0; batch < 2; batch++) {
		ts_trace_rows_clear(&rows);
		rows.spans.n = 3;
		for (size_t i = 0; i < 3; i++)
			rows.spans.start_ns[i] = batch * 3 + (int64_t)i;
		rows.frames.n = 2;
		for (uint32_t i = 0; i < 2; i++) {
			rows.frames.span[i] = i + 1;
			rows.frames.id[i] = batch * 3 + (int64_t)i + 1;
		}
		assert_int_equal(ts_trace_append(&trace, &rows, &err), TS_OK);
	}
	assert_int_equal(trace.rows.spans.n, 6);
	assert_int_equal(trace.rows.frames.n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(trace.rows.frames.span[i], spans[i]);
		assert_int_equal(trace.rows.frames.id[i], trace.rows.spans.start_ns[spans[i]]);
		assert_int_equal(ts_trace_detail(trace.rows.frames.span, 4, spans[i]), i);
	}
	assert_true(ts_trace_detail(trace.rows.frames.span, 4, 0) == SIZE_MAX);
	assert_true(ts_trace_detail(trace.rows.frames.span, 4, 3) == SIZE_MAX);
	assert_true(ts_trace_detail(trace.rows.frames.span, 4, 6) == SIZE_MAX);
	assert_int_equal(trace.rows.kernels.n, 0);
	ts_trace_rows_finish(&rows);
	ts_trace_finish(&trace);
}

/* The counts are looked at before a column is. */
static void too_many_rows(void **state)
{
	struct ts_trace trace = {.rows.spans.n = TS_TRACE_ROWS_MAX};
	struct ts_trace_rows one = {.spans.n = 1};
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_trace_append(&trace, &one, &err), TS_TOO_LARGE);
	assert_string_equal(err.text, "more than 33554432 spans, flows, allocations or counters");
	/* A row of spans has 73 bytes, one of operators 36 and one of collectives 48. */
	trace.rows.spans.n = trace.rows.operators.n = trace.rows.collectives.n = (UINT64_C(4) << 30) / (73 + 36 + 48) + 1;
	assert_int_equal(ts_trace_append(&trace, &one, &err), TS_TOO_LARGE);
	assert_string_equal(err.text, "more than 4 GiB of columns");
	/* All Python functions that the tables have room for: a row of frames has 28 bytes. */
	assert_true(TS_TRACE_ROWS_MAX * (73 + 28) <= TS_TRACE_BYTES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(details_follow_their_spans),
		cmocka_unit_test(too_many_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
