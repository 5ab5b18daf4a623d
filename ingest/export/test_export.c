/* CSV and npz as other programs read them; what export never does to files. Round trips of run directories are tested
 * beside what they are made of (test_steps, test_segments, test_run_dir, test_corpus). */
#include "ingest/core/test_support.h"

#include "base/alloc.h"
#include "base/file.h"
#include "ingest/formats/zip.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char rank0[] =
	"{\"step\":0,\"timestamp\":1.5,\"scalars\":{\"loss\":NaN},\"memory\":{\"a\":1},\"tags\":[\"x\",\"y\"]}\n"
	"{\"step\":1,\"timestamp\":2.5,\"note\":\"a,\\\"b\\\"\",\"digests\":{\"w\":\"00000000000000ff\"}}\n"
	"{\"step\":2,\"timestamp\":3.5,\"note\":\"\"}\n";
static const char rank1[] = "{\"step\":7,\"scalars\":{\"lr\":-0.0,\"loss\":\"bad\"},\"rank\":5}\n";

static void make_run(struct test_run *t)
{
	test_run_init(t);
	test_write(t, "run/rank0/steps.jsonl", rank0);
	test_write(t, "run/rank1/steps.jsonl", rank1);
	assert_int_equal(test_ingest(t), TS_OK);
}

typedef enum ts_status export_to_fd(const struct ts_id *head, ts_object_source *get, void *ctx, int fd,
				    struct ts_error *err);

static void export_file(struct test_run *t, export_to_fd *export, const char *name)
{
	char path[128];
	int fd;

	(void)snprintf(path, sizeof path, "%s/%s", t->base, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	assert_true(fd >= 0);
	if (export(&t->result.head, test_get, t, fd, &t->err))
		fail_msg("%s", t->err.text);
	(void)close(fd);
}

static void csv(void **state)
{
	struct test_run t;
	char *text;
	size_t len;

	(void)state;
	make_run(&t);
	export_file(&t, ts_export_csv, "out.csv");
	text = test_read(&t, "out.csv", &len);
	assert_string_equal(text, "rank,step,timestamp,scalars.loss,scalars.lr,memory.a,digests.w,note,record.rank,tags\n"
				  "0,0,1.5,NaN,,1.0,,,,\"[\"\"x\"\",\"\"y\"\"]\"\n"
				  "0,1,2.5,,,,00000000000000ff,\"a,\"\"b\"\"\",,\n"
				  "0,2,3.5,,,,,\"\",,\n"
				  "1,7,,\"bad\",-0.0,,,,5.0,\n");
	free(text);
	test_run_finish(&t);
}

static void jsonl(void **state)
{
	struct test_run t;

	(void)state;
	make_run(&t);
	assert_string_equal(test_jsonl(&t),
			    "{\"rank\":0,\"step\":0,\"timestamp\":1.5,\"scalars\":{\"loss\":\"NaN\"},\"memory\":{\"a\":1.0},"
			    "\"tags\":[\"x\",\"y\"]}\n"
			    "{\"rank\":0,\"step\":1,\"timestamp\":2.5,\"digests\":{\"w\":\"00000000000000ff\"},\"note\":"
			    "\"a,\\\"b\\\"\"}\n"
			    "{\"rank\":0,\"step\":2,\"timestamp\":3.5,\"note\":\"\"}\n"
			    "{\"rank\":1,\"step\":7,\"scalars\":{\"loss\":\"bad\",\"lr\":-0.0},\"record.rank\":5.0}\n");
	test_run_finish(&t);
}

/* What is hard to tell apart in CSV: texts that look like numbers, lists or truths, digests that do, names with dots, a record's own
 * rank and segment, lists, empty texts and objects, integers beyond 2^53, no value. */
static const char hard[] =
	"{\"step\":-1,\"scalars\":{\"loss\":5e-324,\"a.b\":{\"c\":1},\"n\":\"12\",\"t\":\"true\",\"f\":true},\"segment\":4,"
	"\"rank\":7}\n"
	"{\"step\":0,\"digests\":{\"w\":\"1234567890123456\"},\"big\":9007199254740993,\"list\":[1,\"a,b\",null],\"empty\":{}}\n"
	"{\"step\":1,\"x\":\"\"}\n"
	"{\"step\":9,\"scalars\":{\"loss\":-Infinity,\"n\":\"nan\"},\"note\":\"two\\nlines, \\\"q\\\" \u00fc\"}\n";

/* The head has the same id: the same columns, ranks and values, bit for bit; this run has no facts. */
static void exports_come_back(void **state)
{
	static const struct {
		export_to_fd *export;
		const char *name;
	} forms[] = {{ts_export_csv, "out.csv"}, {ts_export_jsonl, "out.jsonl"}};

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		struct test_run t;
		struct ts_id head;
		char path[128];

		make_run(&t);
		test_write(&t, "run/rank3/steps.jsonl", hard);
		assert_int_equal(test_ingest(&t), TS_OK);
		head = t.result.head;
		export_file(&t, forms[i].export, forms[i].name);
		(void)snprintf(path, sizeof path, "%s/%s", t.base, forms[i].name);
		test_ingest_ok(&t, path);
		assert_string_equal(t.result.format, "tscope export");
		assert_int_equal(t.result.n_ranks, 3);
		assert_int_equal(ts_notices_skipped(&t.result.notices), 0);
		assert_memory_equal(&t.result.head, &head, sizeof head);
		test_run_finish(&t);
	}
}

/* A table of somebody else has no groups; a rank that comes again, and a row that is cut, are no part of an export. */
static void what_is_no_export(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	assert_int_equal(test_ingest_text(&t, "a.csv", "rank,step,loss\n0,1,0.5\n"), TS_OK);
	assert_string_equal(t.result.format, "CSV table");
	assert_int_equal(test_ingest_text(&t, "a.jsonl", "{\"rank\":0,\"step\":1,\"loss\":0.5}\n"), TS_OK);
	assert_string_equal(t.result.format, "JSON Lines");
	assert_int_equal(test_ingest_text(&t, "b.csv", "rank,step,scalars.loss\n1,1,0.5\n0,1,0.5\n"), TS_INVALID);
	assert_non_null(strstr(t.err.text, "line 3: rank 0 is not above the rank before it"));
	assert_int_equal(test_ingest_text(&t, "b.csv", "rank,step,scalars.loss\n1,1,0.5\n1,2\n1,3,0.2"), TS_OK);
	test_expect_notice(&t, "ragged_row", TS_NOTICE_SKIPPED, 3, 1);
	test_expect_notice(&t, "cut_line", TS_NOTICE_SKIPPED, 4, 1);
	assert_int_equal(t.result.rows, 1);
	assert_int_equal(test_ingest_text(&t, "b.jsonl",
					  "{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":1}}\n{\"rank\":0,\"st\n[]\n{\"step\":1}\n"),
			 TS_OK);
	test_expect_notice(&t, "bad_json", TS_NOTICE_SKIPPED, 2, 3);
	assert_int_equal(t.result.rows, 1);
	test_run_finish(&t);
}

/* NumPy reads the file and compares it. */
static void npz(void **state)
{
	static const char script[] =
		"import sys, numpy, math, zipfile\n"
		"p = sys.argv[1]\n"
		"assert zipfile.ZipFile(p).testzip() is None\n"
		"z = numpy.load(p)\n"
		"assert sorted(z.files) == sorted(['rank0/timestamp', 'rank0/timestamp.step', 'rank0/scalars.loss',\n"
		"  'rank0/scalars.loss.step', 'rank0/memory.a', 'rank0/memory.a.step', 'rank0/tags.json.bytes',\n"
		"  'rank0/tags.json.offset', 'rank0/tags.json.step', 'rank0/note.text.bytes', 'rank0/note.text.offset',\n"
		"  'rank0/note.text.step', 'rank0/digests.w', 'rank0/digests.w.step', 'rank1/scalars.lr',\n"
		"  'rank1/scalars.lr.step', 'rank1/scalars.loss.text.bytes', 'rank1/scalars.loss.text.offset',\n"
		"  'rank1/scalars.loss.text.step', 'rank1/rank', 'rank1/rank.step']), z.files\n"
		"assert z['rank0/timestamp'].tolist() == [1.5, 2.5, 3.5] and z['rank0/timestamp'].dtype == 'float64'\n"
		"assert z['rank0/timestamp.step'].tolist() == [0, 1, 2] and z['rank0/timestamp.step'].dtype == 'int64'\n"
		"assert math.isnan(z['rank0/scalars.loss'][0]) and z['rank0/scalars.loss.step'].tolist() == [0]\n"
		"assert z['rank0/digests.w'].tolist() == [255] and z['rank0/digests.w'].dtype == 'uint64'\n"
		"b, o = z['rank0/note.text.bytes'].tobytes(), z['rank0/note.text.offset'].tolist()\n"
		"assert [b[o[i]:o[i+1]] for i in range(2)] == [b'a,\"b\"', b''], (b, o)\n"
		"assert z['rank0/tags.json.bytes'].tobytes() == b'[\"x\",\"y\"]'\n"
		"assert math.copysign(1, z['rank1/scalars.lr'][0]) == -1\n";
	struct test_run t;
	char command[256];

	(void)state;
	make_run(&t);
	export_file(&t, ts_export_npz, "out.npz");
	test_write(&t, "check.py", script);
	(void)snprintf(command, sizeof command, "python3 %s/check.py %s/out.npz", t.base, t.base);
	assert_int_equal(system(command), 0);
	test_run_finish(&t);
}

/* The archive has more members than a directory without zip64 can count. */
static void zip64(void **state)
{
	struct test_run t;
	struct ts_zip zip;
	char command[512];
	char path[128];
	int fd;

	(void)state;
	test_run_init(&t);
	(void)snprintf(path, sizeof path, "%s/many.zip", t.base);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	assert_true(fd >= 0);
	ts_zip_init(&zip, fd);
	for (int i = 0; i < 65540; i++) {
		char name[32];

		(void)snprintf(name, sizeof name, "m%d", i);
		assert_int_equal(ts_zip_begin(&zip, ts_span_str(name), 2, &t.err), TS_OK);
		assert_int_equal(ts_zip_add(&zip, ts_span_str("ab"), &t.err), TS_OK);
		assert_int_equal(ts_zip_end(&zip, &t.err), TS_OK);
	}
	assert_int_equal(ts_zip_close(&zip, &t.err), TS_OK);
	ts_zip_finish(&zip);
	(void)close(fd);
	(void)snprintf(command, sizeof command,
		       "python3 -c \"import zipfile; z = zipfile.ZipFile('%s'); assert len(z.namelist()) == 65540; assert "
		       "z.read('m65539') == b'ab'; assert b'PK\\x06\\x06' in open('%s', 'rb').read()[-200:]\"",
		       path, path);
	assert_int_equal(system(command), 0);
	test_run_finish(&t);
}

static void nothing_is_overwritten(void **state)
{
	struct test_run t;
	char path[128];
	char *text;
	size_t len;

	(void)state;
	make_run(&t);
	test_write(&t, "out/precious", "mine");
	(void)snprintf(path, sizeof path, "%s/out", t.base);
	assert_int_equal(ts_export_run_dir(&t.result.head, test_get, &t, path, NULL, &t.err), TS_INVALID);
	assert_non_null(strstr(t.err.text, "out is there already"));
	text = test_read(&t, "out/precious", &len);
	assert_string_equal(text, "mine");
	free(text);
	/* A link to a directory is refused too. */
	(void)snprintf(path, sizeof path, "%s/link", t.base);
	assert_int_equal(symlink("elsewhere", path), 0);
	assert_int_equal(ts_export_run_dir(&t.result.head, test_get, &t, path, NULL, &t.err), TS_INVALID);
	(void)snprintf(path, sizeof path, "%s/elsewhere", t.base);
	assert_int_equal(ts_file_kind(path), TS_FILE_NONE);
	test_run_finish(&t);
}

/* Makes t's run one whose kept file has this name, whoever may have pushed it. */
static void rename_kept(struct test_run *t, struct ts_span name)
{
	struct ts_buf scratch = TS_BUF_INIT(1 << 20);
	struct ts_index index = {0};
	struct ts_head head;

	assert_int_equal(ts_head_decode(test_objects_find(&t->objects, &t->result.head), &t->arena, &head, &t->err), TS_OK);
	(void)test_objects_index(&t->objects, &head.ranks[0].index, &t->arena, &index);
	assert_int_equal(index.n_files, 1);
	index.files[0].name = name;
	assert_int_equal(ts_index_encode(&index, test_objects_sink, &t->objects, &scratch, &head.ranks[0].index, &t->err), TS_OK);
	ts_buf_reset(&scratch);
	assert_int_equal(ts_head_encode(&head, &scratch, &t->err), TS_OK);
	ts_digest(ts_buf_view(&scratch), &t->result.head);
	assert_int_equal(test_objects_sink(&t->objects, &t->result.head, ts_buf_view(&scratch), &t->err), TS_OK);
	ts_buf_finish(&scratch);
}

/* A run that a hostile client pushed names its files as it likes. What a name of a run may not be is refused with the index; any other
 * name is exported under one that does no harm. */
static void hostile_names_stay_in_the_directory(void **state)
{
	static const struct {
		const char *name;
		size_t len;
		const char *kept; /* NULL: refused */
	} cases[] = {{"../x", 4, NULL},
		     {"/tmp/tscope-x", 13, NULL},
		     {"..", 2, NULL},
		     {".", 1, NULL},
		     {"", 0, NULL},
		     {"a/b", 3, NULL},
		     {"trace\0.json", 11, NULL},
		     {"a\nb", 3, "a%0Ab"},
		     {"\x1b[2Ja", 5, "%1B[2Ja"},
		     {"\xff", 1, "%FF"},
		     {"steps.jsonl", 11, "steps.jsonl.kept"}};
	struct test_run t;
	char path[128], outside[128], kept[192];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		test_run_init(&t);
		test_write(&t, "run/steps.jsonl", rank0);
		test_write(&t, "run/trace.json", "kept");
		assert_int_equal(test_ingest(&t), TS_OK);
		rename_kept(&t, ts_span_of(cases[i].name, cases[i].len));
		(void)snprintf(path, sizeof path, "%s/out", t.base);
		(void)snprintf(outside, sizeof outside, "%s/x", t.base);
		if ((ts_export_run_dir(&t.result.head, test_get, &t, path, NULL, &t.err) == TS_OK) != (cases[i].kept != NULL))
			fail_msg("case %zu was %s", i, cases[i].kept ? "refused" : "exported");
		(void)snprintf(kept, sizeof kept, "%s/%s", path, cases[i].kept ? cases[i].kept : "");
		assert_int_equal(ts_file_kind(kept), cases[i].kept ? TS_FILE_REGULAR : TS_FILE_NONE);
		assert_int_equal(ts_file_kind(outside), TS_FILE_NONE);
		for (const char *c = t.err.text; !cases[i].kept && *c; c++)
			assert_true((unsigned char)*c >= ' ');
		test_run_finish(&t);
	}
}

struct failing {
	struct test_run *t;
	int left;
};

static enum ts_status get_some(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret_object,
			       struct ts_error *err)
{
	struct failing *f = ctx;

	if (f->left-- == 0)
		return ts_error_set(err, TS_UNAVAILABLE, "the server is gone");
	return test_get(f->t, id, arena, ret_object, err);
}

/* If any object cannot be fetched, the error is passed on and everything that was written is removed. */
static void a_failed_export_leaves_nothing(void **state)
{
	struct test_run t;
	char path[128];
	int n = 0;

	(void)state;
	make_run(&t);
	(void)snprintf(path, sizeof path, "%s/out", t.base);
	for (;; n++) {
		struct failing f = {&t, n};
		enum ts_status status = ts_export_run_dir(&t.result.head, get_some, &f, path, NULL, &t.err);

		if (status == TS_OK)
			break;
		assert_int_equal(status, TS_UNAVAILABLE);
		assert_int_equal(ts_file_kind(path), TS_FILE_NONE);
	}
	assert_true(n > 10);
	assert_int_equal(ts_file_kind(path), TS_FILE_DIRECTORY);
	test_run_finish(&t);
}

/* The same holds if any allocation fails, in each format of the export. */
static void any_allocation_may_fail(void **state)
{
	static export_to_fd *const exports[] = {ts_export_csv, ts_export_jsonl, ts_export_npz};
	struct test_run t;
	char path[128];
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)state;
	make_run(&t);
	test_write(&t, "run/rank0/steps.jsonl", "{\"step\":0,\"t\":\"a\"}\n{\"step\":1,\"x\":1}\n{\"step\":0,\"t\":\"b\"}\n");
	test_write(&t, "run/rank0/run.json", "{\"name\":\"n\",\"config\":{\"l\":[1,2]}}");
	test_write(&t, "run/facts.json", "{\"code\":{\"a\":1}}");
	assert_int_equal(test_ingest(&t), TS_OK);
	(void)snprintf(path, sizeof path, "%s/out", t.base);
	for (size_t way = 0; way < 4; way++)
		for (size_t at = 1;; at++) {
			enum ts_status status;

			(void)ts_alloc_fail_at(at);
			status = way < 3 ? exports[way](&t.result.head, test_get, &t, fd, &t.err)
					 : ts_export_run_dir(&t.result.head, test_get, &t, path, NULL, &t.err);
			if (ts_alloc_fail_at(0) < at) {
				assert_int_equal(status, TS_OK);
				break;
			}
			assert_int_equal(status, TS_NO_MEMORY);
			assert_int_equal(ts_file_kind(path), TS_FILE_NONE);
		}
	(void)close(fd);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv),
		cmocka_unit_test(jsonl),
		cmocka_unit_test(npz),
		cmocka_unit_test(zip64),
		cmocka_unit_test(nothing_is_overwritten),
		cmocka_unit_test(a_failed_export_leaves_nothing),
		cmocka_unit_test(any_allocation_may_fail),
		cmocka_unit_test(hostile_names_stay_in_the_directory),
		cmocka_unit_test(exports_come_back),
		cmocka_unit_test(what_is_no_export),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
