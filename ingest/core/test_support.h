/* test_support.h - for the tests of ingest: gives each test its own run directory, ingests it, and shows the result as text.
 *
 * Every function asserts that it succeeds.
 */
#ifndef TSCOPE_INGEST_CORE_TEST_SUPPORT_H
#define TSCOPE_INGEST_CORE_TEST_SUPPORT_H

#include "ingest/export/export.h"
#include "ingest/ingest.h"
#include "run/test_objects.h"

struct test_run {
	char base[64];	/* a fresh directory, removed by test_run_finish */
	char path[128]; /* base/run, which does not exist yet */
	struct test_objects objects;
	struct ts_arena arena;
	struct ts_ingest_result result;
	struct ts_error err;
	const struct ts_facts *facts; /* of the pusher */
	bool strict, artifacts;
	ts_summarize *summarize;
	const char *const *more; /* further parts of the run */
	size_t n_more;
	const char *top; /* NULL: the path itself */
	const struct ts_around *around;
	char *text; /* the result of the last test_jsonl */
};

void test_run_init(struct test_run *t);
void test_run_finish(struct test_run *t);
/* Writes base/name and makes its directories. */
void test_write(struct test_run *t, const char *name, const char *text);
void test_write_bytes(struct test_run *t, const char *name, const void *bytes, size_t len);
/* Reads base/name; NULL if it is not there. The caller frees. */
char *test_read(struct test_run *t, const char *name, size_t *ret_len);

/* Ingests t->path, or the given path; earlier results are forgotten. */
enum ts_status test_ingest(struct test_run *t);
enum ts_status test_ingest_path(struct test_run *t, const char *path);
/* Does the same and asserts that it succeeds. */
void test_ingest_ok(struct test_run *t, const char *path);
/* Writes text to base/name and ingests that file. */
enum ts_status test_ingest_text(struct test_run *t, const char *name, const char *text);
/* Makes a run directory with this steps.jsonl. */
void test_steps(struct test_run *t, const char *steps);

/* The steps as ts_export_jsonl writes them. */
const char *test_jsonl(struct test_run *t);
/* Runs a Python script and asserts that it succeeds. Its arguments are name, the path of base/file (NULL: of a file with the
 * text of test_jsonl) and the formatted text. The script has json, math, sys and flat(d), which gives the leaves of a dict of
 * dicts as ("a.b", value). */
void test_script(struct test_run *t, const char *script, const char *name, const char *file, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
const struct ts_notice *test_notice(const struct test_run *t, const char *code);
/* Asserts that there is a notice with this code, level, line and count. */
void test_expect_notice(const struct test_run *t, const char *code, enum ts_notice_level level, uint64_t line,
			uint64_t count);
/* The printed value of the head's effective fact at path; "" if there is none. The text lives until the next call. */
const char *test_fact(const struct test_run *t, const char *path);
/* The index of a rank. */
void test_index(struct test_run *t, int32_t rank, struct ts_index *ret_index);
/* A column of a table that has so many rows, and the values of one of doubles, in t's arena; the test fails where it is not there. */
const struct ts_column *test_index_column(const struct ts_index *index, enum ts_table_kind kind, const char *name,
					  enum ts_column_type type, uint64_t rows, const struct ts_table **ret_table);
const double *test_index_numbers(struct test_run *t, const struct ts_index *index, enum ts_table_kind kind, const char *name,
				 uint64_t rows);
ts_object_source test_get;

/* Exports t's run to base/again, ingests that and expects the same id. */
void test_round_trip(struct test_run *t);

#endif
