/* test_trace_text.h - reads a trace from text for tests, and shows its spans as text: one line each, with all that was said of it.
 *
 * Every function asserts that it succeeds. */
#ifndef TSCOPE_INGEST_TRACE_TEST_TRACE_TEXT_H
#define TSCOPE_INGEST_TRACE_TEST_TRACE_TEXT_H

#include "ingest/trace/trace_read.h"

struct test_trace {
	struct ts_arena arena;
	struct ts_notices notices;
	struct ts_trace trace;
	struct ts_trace_file file;
	struct ts_error err;
	bool loaded;
	char *shown;
};

/* Reads with a scanner and a window (0: as the program does). */
enum ts_status test_trace_try(struct test_trace *t, struct ts_span bytes, const struct ts_trace_scanner *scanner, size_t window);
/* Reads by each scanner through windows of several sizes, and asserts that all show the same. */
enum ts_status test_trace_read(struct test_trace *t, struct ts_span bytes);
/* The same, and asserts that it succeeds. */
void test_trace_ok(struct test_trace *t, const char *json);
void test_trace_finish(struct test_trace *t);
/* "kind start+duration name [...]" of each span in order with its details, and what stands in the other tables. Asserts that the
 * rows of details are in order. */
const char *test_trace_show(struct test_trace *t);
/* The count of a notice; 0: there is none. */
uint64_t test_trace_notice(const struct test_trace *t, const char *code);

#endif
