#include "ingest/core/test_support.h"

#include "base/file.h"

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

void test_run_init(struct test_run *t)
{
	struct ts_error err;

	memset(t, 0, sizeof *t);
	assert_int_equal(ts_digest_init(&err), TS_OK);
	(void)snprintf(t->base, sizeof t->base, "/tmp/test_ingest.XXXXXX");
	assert_non_null(mkdtemp(t->base));
	(void)snprintf(t->path, sizeof t->path, "%s/run", t->base);
	ts_arena_init(&t->arena, 0);
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static void forget(struct test_run *t)
{
	test_objects_finish(&t->objects);
	memset(&t->objects, 0, sizeof t->objects);
	ts_arena_finish(&t->arena);
	free(t->text);
	t->text = NULL;
}

void test_run_finish(struct test_run *t)
{
	forget(t);
	(void)nftw(t->base, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void test_write_bytes(struct test_run *t, const char *name, const void *bytes, size_t len)
{
	char path[512];
	struct ts_error err;
	int fd;

	(void)snprintf(path, sizeof path, "%s/%s", t->base, name);
	*strrchr(path, '/') = '\0';
	assert_int_equal(ts_make_dirs(path, 0777, &err), TS_OK);
	path[strlen(path)] = '/';
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	assert_true(fd >= 0);
	assert_int_equal(ts_write_full(fd, bytes, len, &err), TS_OK);
	assert_int_equal(close(fd), 0);
}

void test_write(struct test_run *t, const char *name, const char *text)
{
	test_write_bytes(t, name, text, strlen(text));
}

char *test_read(struct test_run *t, const char *name, size_t *ret_len)
{
	char path[512];
	struct ts_buf buf = TS_BUF_INIT(64 << 20);
	struct ts_error err;
	char *text;

	(void)snprintf(path, sizeof path, "%s/%s", t->base, name);
	if (ts_file_kind(path) == TS_FILE_NONE)
		return NULL;
	assert_int_equal(ts_file_read(path, &buf, &err), TS_OK);
	text = malloc(buf.len + 1);
	assert_non_null(text);
	if (buf.len)
		memcpy(text, buf.data, buf.len);
	text[buf.len] = '\0';
	*ret_len = buf.len;
	ts_buf_finish(&buf);
	return text;
}

enum ts_status test_ingest_path(struct test_run *t, const char *path)
{
	struct ts_ingest_options options = {
		.path = path, .top = t->top, .more = t->more, .n_more = t->n_more, .around = t->around, .strict = t->strict,
		.summarize = t->summarize,
		.artifacts = t->artifacts,
		.facts = t->facts};

	forget(t);
	ts_arena_init(&t->arena, 0);
	memset(&t->result, 0, sizeof t->result);
	t->err.status = TS_OK;
	return ts_ingest(&options, test_objects_sink, &t->objects, &t->arena, &t->result, &t->err);
}

enum ts_status test_ingest(struct test_run *t)
{
	return test_ingest_path(t, t->path);
}

void test_ingest_ok(struct test_run *t, const char *path)
{
	if (test_ingest_path(t, path))
		fail_msg("%s: %s", path, t->err.text);
}

enum ts_status test_ingest_text(struct test_run *t, const char *name, const char *text)
{
	char path[256];

	test_write(t, name, text);
	(void)snprintf(path, sizeof path, "%s/%s", t->base, name);
	return test_ingest_path(t, path);
}

void test_steps(struct test_run *t, const char *steps)
{
	test_write(t, "run/steps.jsonl", steps);
	test_ingest_ok(t, t->path);
}

void test_script(struct test_run *t, const char *script, const char *name, const char *file, const char *format, ...)
{
	static const char begin[] = "import json, math, sys\n"
				    "def flat(d, p=''):\n"
				    "    for k, v in d.items():\n"
				    "        if isinstance(v, dict): yield from flat(v, p + k + '.')\n"
				    "        else: yield p + k, v\n";
	struct ts_buf text = TS_BUF_INIT(1 << 20), command = TS_BUF_INIT(1 << 20);
	va_list args;
	char more[256];

	va_start(args, format);
	(void)vsnprintf(more, sizeof more, format, args);
	va_end(args);
	ts_buf_str(&text, begin);
	ts_buf_str(&text, script);
	test_write_bytes(t, "check.py", text.data, text.len);
	if (!file)
		test_write(t, "got.jsonl", test_jsonl(t));
	ts_buf_printf(&command, "python3 %s/check.py '", t->base);
	for (const char *c = name; *c; c++)
		ts_buf_printf(&command, *c == '\'' ? "'\\''" : "%c", *c);
	ts_buf_printf(&command, "' %s/%s %s", t->base, file ? file : "got.jsonl", more);
	ts_buf_char(&command, '\0');
	assert_int_equal(ts_buf_check(&command, &t->err), TS_OK);
	if (system((const char *)command.data) != 0)
		fail_msg("%s differs", name);
	ts_buf_finish(&command);
	ts_buf_finish(&text);
}

enum ts_status test_get(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret_object,
			struct ts_error *err)
{
	struct test_run *t = ctx;
	struct ts_span bytes;

	if (!test_objects_has(&t->objects, id))
		return ts_error_set(err, TS_NOT_FOUND, "no such object");
	bytes = test_objects_find(&t->objects, id);
	*ret_object = ts_span_of(ts_arena_dup(arena, bytes.data, bytes.len), bytes.len);
	return ret_object->data ? TS_OK : ts_arena_error(arena, err);
}

const char *test_jsonl(struct test_run *t)
{
	int fd = memfd_create("jsonl", MFD_CLOEXEC);
	off_t size;
	size_t n;

	assert_true(fd >= 0);
	if (ts_export_jsonl(&t->result.head, test_get, t, fd, &t->err))
		fail_msg("%s", t->err.text);
	size = lseek(fd, 0, SEEK_END);
	free(t->text);
	t->text = malloc((size_t)size + 1);
	assert_non_null(t->text);
	assert_int_equal(ts_pread_full(fd, t->text, (size_t)size, 0, &n, &t->err), TS_OK);
	t->text[size] = '\0';
	(void)close(fd);
	return t->text;
}

const struct ts_notice *test_notice(const struct test_run *t, const char *code)
{
	for (size_t i = 0; i < t->result.notices.n; i++)
		if (strcmp(t->result.notices.items[i].code, code) == 0)
			return &t->result.notices.items[i];
	return NULL;
}

void test_expect_notice(const struct test_run *t, const char *code, enum ts_notice_level level, uint64_t line,
			uint64_t count)
{
	const struct ts_notice *notice = test_notice(t, code);

	if (!notice)
		fail_msg("no notice %s", code);
	if (!notice)
		return;
	assert_int_equal(notice->level, level);
	assert_int_equal(notice->line, line);
	assert_int_equal(notice->count, count);
}

const char *test_fact(const struct test_run *t, const char *path)
{
	static char text[4096];
	const struct ts_fact *fact = ts_facts_find(&t->result.facts, ts_span_str(path));
	struct ts_buf buf = TS_BUF_INIT(sizeof text - 1);

	if (!fact)
		return "";
	ts_fact_print(fact, &buf);
	assert_int_equal(buf.failed, TS_OK);
	if (buf.len)
		memcpy(text, buf.data, buf.len);
	text[buf.len] = '\0';
	ts_buf_finish(&buf);
	return text;
}

void test_index(struct test_run *t, int32_t rank, struct ts_index *ret_index)
{
	struct ts_head head;

	if (ts_head_decode(test_objects_find(&t->objects, &t->result.head), &t->arena, &head, &t->err))
		fail_msg("%s", t->err.text);
	for (size_t i = 0; i < head.n_ranks; i++)
		if (head.ranks[i].rank == rank) {
			(void)test_objects_index(&t->objects, &head.ranks[i].index, &t->arena, ret_index);
			return;
		}
	fail_msg("no rank %d", (int)rank);
}

const struct ts_column *test_index_column(const struct ts_index *index, enum ts_table_kind kind, const char *name,
					  enum ts_column_type type, uint64_t rows, const struct ts_table **ret_table)
{
	const struct ts_column *c = ts_index_column(index, kind, ts_span_str(name), type, ret_table);

	if (!c)
		fail_msg("no column %s", name);
	assert_int_equal((*ret_table)->rows, rows);
	return c;
}

const double *test_index_numbers(struct test_run *t, const struct ts_index *index, enum ts_table_kind kind, const char *name,
				 uint64_t rows)
{
	const struct ts_table *table;
	const struct ts_column *c = test_index_column(index, kind, name, TS_COLUMN_F64, rows, &table);

	return (const double *)test_objects_words(&t->objects, table, c, &t->arena);
}

void test_round_trip(struct test_run *t)
{
	struct ts_id before = t->result.head;
	const struct ts_facts *facts = t->facts;
	char path[128];

	(void)snprintf(path, sizeof path, "%s/again", t->base);
	(void)nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	if (ts_export_run_dir(&before, test_get, t, path, NULL, &t->err))
		fail_msg("%s", t->err.text);
	t->facts = NULL;
	test_ingest_ok(t, path);
	t->facts = facts;
	assert_memory_equal(t->result.head.bytes, before.bytes, TS_ID_BYTES);
}
