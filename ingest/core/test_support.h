/* test_support.h - for tests of this room: a run directory of its own, what ingest made of it, and all of it as text.
 *
 * Everything asserts.
 */
#ifndef TSCOPE_INGEST_CORE_TEST_SUPPORT_H
#define TSCOPE_INGEST_CORE_TEST_SUPPORT_H

#include "ingest/export/export.h"
#include "ingest/ingest.h"
#include "run/test_objects.h"

struct test_run {
	char base[64];	/* a fresh directory, removed by test_run_finish */
	char path[128]; /* base/run, not made yet */
	struct test_objects objects;
	struct ts_arena arena;
	struct ts_ingest_result result;
	struct ts_error err;
	const struct ts_facts *facts; /* of the pusher */
	bool strict;
	char *text; /* of the last test_jsonl */
};

void test_run_init(struct test_run *t);
void test_run_finish(struct test_run *t);
/* Writes base/name, making directories. */
void test_write(struct test_run *t, const char *name, const char *text);
void test_write_bytes(struct test_run *t, const char *name, const void *bytes, size_t len);
/* Reads base/name; NULL if it is not there. The caller frees. */
char *test_read(struct test_run *t, const char *name, size_t *ret_len);

/* Ingests t->path, or another one; earlier results are forgotten. */
enum ts_status test_ingest(struct test_run *t);
enum ts_status test_ingest_path(struct test_run *t, const char *path);
/* The same, and it goes well. */
void test_ingest_ok(struct test_run *t, const char *path);
/* A file of its own at base/name, and then as above. */
enum ts_status test_ingest_text(struct test_run *t, const char *name, const char *text);
/* A run directory with this steps.jsonl. */
void test_steps(struct test_run *t, const char *steps);

/* The steps as ts_export_jsonl writes them. */
const char *test_jsonl(struct test_run *t);
/* Runs a script of Python, which is to end well, with the arguments name, the path of base/file (NULL: of what test_jsonl gives) and
 * what the format gives. It has json, math, sys and flat(d): the leaves of a dict of dicts as ("a.b", value). */
void test_script(struct test_run *t, const char *script, const char *name, const char *file, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
const struct ts_notice *test_notice(const struct test_run *t, const char *code);
/* There is exactly this notice: level, line, count. */
void test_expect_notice(const struct test_run *t, const char *code, enum ts_notice_level level, uint64_t line,
			uint64_t count);
/* path of an effective fact of the head, printed; "" if there is none. Lives until the next call. */
const char *test_fact(const struct test_run *t, const char *path);
/* The index of a rank. */
void test_index(struct test_run *t, int32_t rank, struct ts_index *ret_index);
ts_object_source test_get;

/* Exports t's run to base/again, ingests that and expects the same id. */
void test_round_trip(struct test_run *t);

#endif
