/* TensorBoard's event files: what TensorBoard itself reads of them (tests/golden/tensorboard/expected.json), and damage. */
#include "ingest/core/test_support.h"

#include "base/file.h"
#include "ingest/discover.h"
#include "ingest/tensorboard/tensor.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define GOLDEN "tests/golden/tensorboard/"

static const char check[] =
	"want = json.load(open('" GOLDEN "expected.json'))[sys.argv[1]]\n"
	"ours = {'Loss/train': 'scalars.loss', 'train/loss': 'scalars.loss', 'loss': 'scalars.loss', 'lr': 'scalars.lr',\n"
	"        'val/loss': 'scalars.eval_loss'}\n"
	"got = {}\n"
	"for line in open(sys.argv[2]):\n"
	"    row = dict(flat(json.loads(line)))\n"
	"    for k, v in row.items():\n"
	"        if k not in ('step', 'rank', 'timestamp', 'segment'): got.setdefault(k, []).append([row['step'], v])\n"
	"want = {ours.get(t, 'scalars.' + t): v for t, v in want.items()}\n"
	"assert set(got) == set(want), set(got) ^ set(want)\n"
	"for k in want: assert sorted(got[k]) == sorted(want[k]), (k, got[k], want[k])\n";

static void reads_what_tensorboard_reads(void **state)
{
	static const char *const runs[] = {"plain", "restarted", "x", "joined", "later", "hp/trial", "tensors"};

	(void)state;
	for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
		struct test_run t;
		char path[256];

		test_run_init(&t);
		(void)snprintf(path, sizeof path, GOLDEN "%s", runs[i]);
		test_ingest_ok(&t, path);
		test_script(&t, check, runs[i], NULL, " ");
		test_run_finish(&t);
	}
}

static void what_is_no_scalar_is_counted(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "plain");
	test_expect_notice(&t, "not_scalar", TS_NOTICE_SKIPPED, 0, 3); /* a histogram, a text, an image */
	assert_string_equal(t.result.format, "TensorBoard event files");
	assert_string_equal(test_fact(&t, "columns.scalars\\.loss.source"), "Loss/train");
	assert_string_equal(test_fact(&t, "columns.scalars\\.loss.precision"), "f32");
	test_round_trip(&t);
	t.strict = true;
	assert_int_equal(test_ingest_path(&t, GOLDEN "plain"), TS_INVALID);
	test_run_finish(&t);
}

static void a_restart_keeps_what_it_replaced(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "restarted");
	assert_int_equal(t.result.segments, 2);
	assert_int_equal(t.result.rows, 35);
	assert_int_equal(t.result.superseded, 10); /* steps 20 to 29 of the first file */
	assert_string_equal(test_fact(&t, "session.host"), "host-a");
	assert_string_equal(test_fact(&t, "session.started"), "1795000000");
	test_run_finish(&t);
}

static void hparams_are_configuration(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "hp/trial");
	assert_string_equal(test_fact(&t, "config.lr"), "0.125");
	assert_string_equal(test_fact(&t, "config.model"), "gpt-tiny");
	assert_string_equal(test_fact(&t, "config.layers"), "3"); /* as it was given to add_hparams */
	test_run_finish(&t);
}

/* Loads the only file of GOLDEN/x. */
static void load(uint8_t *bytes, size_t *len)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	DIR *d = opendir(GOLDEN "x");
	struct dirent *e;
	struct ts_error err;
	char path[512] = "";

	assert_non_null(d);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			(void)snprintf(path, sizeof path, GOLDEN "x/%s", e->d_name);
	(void)closedir(d);
	if (ts_file_read(path, &buf, &err))
		fail_msg("%s", err.text);
	assert_true(buf.len < 4096);
	memcpy(bytes, buf.data, buf.len);
	*len = buf.len;
	ts_buf_finish(&buf);
}

/* What add_hparams wrote into a folder of its own is the training's; a folder of such a name that has a series is a run. */
static void hparams_of_a_folder_join_its_training(void **state)
{
	struct ts_found_run *runs;
	struct test_run t;
	uint8_t bytes[4096];
	char folder[128];
	size_t len, n;

	(void)state;
	load(bytes, &len);
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "joined");
	assert_string_equal(test_fact(&t, "config.lr"), "0.125");
	assert_string_equal(test_fact(&t, "config.tied"), "true");
	assert_string_equal(test_fact(&t, "other.tensorboard.final.final/loss"), "0.5");
	assert_int_equal(t.result.rows, 8);
	test_write_bytes(&t, "run/events.out.tfevents.1.h", bytes, len);
	test_write_bytes(&t, "run/1795391825.08/events.out.tfevents.1.h", bytes, len);
	(void)snprintf(folder, sizeof folder, "%s/run", t.base);
	if (ts_discover(folder, &t.arena, &runs, &n, &t.err))
		fail_msg("%s", t.err.text);
	assert_int_equal(n, 2);
	assert_string_equal(runs[1].name, "1795391825.08");
	test_ingest_ok(&t, folder);
	assert_string_equal(test_fact(&t, "config.lr"), "");
	test_run_finish(&t);
}

/* What is no file beside event files is passed over and said; alone it is an error. */
static void links_and_fifos_are_passed_over(void **state)
{
	struct test_run t;
	uint8_t bytes[4096];
	char path[160], folder[128];
	size_t len;

	(void)state;
	load(bytes, &len);
	test_run_init(&t);
	test_write_bytes(&t, "run/events.out.tfevents.1.h", bytes, len);
	(void)snprintf(folder, sizeof folder, "%s/run", t.base);
	(void)snprintf(path, sizeof path, "%s/events.out.tfevents.2.h", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	test_ingest_ok(&t, folder);
	test_expect_notice(&t, "not_file", TS_NOTICE_SKIPPED, 0, 1);
	assert_int_equal(t.result.rows, 8);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("events.out.tfevents.1.h", path), 0);
	test_ingest_ok(&t, folder);
	test_expect_notice(&t, "not_file", TS_NOTICE_SKIPPED, 0, 1);
	(void)snprintf(path, sizeof path, "%s/events.out.tfevents.1.h", folder);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(test_ingest_path(&t, folder), TS_INVALID);
	assert_non_null(strstr(t.err.text, "its event files are links, or no files, and are not read"));
	test_run_finish(&t);
}

static void doubles_stay_doubles(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "tensors");
	assert_string_equal(test_fact(&t, "columns.scalars\\.f64_content.precision"), "");
	assert_string_equal(test_fact(&t, "columns.scalars\\.f32_content.precision"), "f32");
	assert_string_equal(test_fact(&t, "columns.scalars\\.bf16_content.precision"), "f32");
	test_run_finish(&t);
}

static void folders_hold_runs(void **state)
{
	static const char *const names[] = {"hp/trial", "joined", "later", "plain", "restarted", "tensors", "x"};
	struct ts_found_run *runs;
	struct ts_arena arena;
	struct ts_error err;
	size_t n;

	(void)state;
	ts_arena_init(&arena, 0);
	if (ts_discover(GOLDEN, &arena, &runs, &n, &err))
		fail_msg("%s", err.text);
	assert_int_equal(n, 7); /* hp itself has a file with only a header */
	for (size_t i = 0; i < n; i++)
		assert_string_equal(runs[i].name, names[i]);
	assert_int_equal(ts_discover("docs", &arena, &runs, &n, &err), TS_INVALID);
	ts_arena_finish(&arena);
}

/* --- damage --- */

#define NAME "run/events.out.tfevents.1795000000.h.1.0"

static void a_cut_tail_is_no_error(void **state)
{
	uint8_t bytes[4096];
	size_t len;

	(void)state;
	load(bytes, &len);
	for (size_t cut = 0; cut < len; cut++) {
		struct test_run t;
		char path[256];

		test_run_init(&t);
		test_write_bytes(&t, NAME, bytes, cut);
		(void)snprintf(path, sizeof path, "%s/" NAME, t.base);
		if (cut <= 128) { /* only a header: this is not a run */
			assert_int_equal(test_ingest_path(&t, path), TS_INVALID);
			test_run_finish(&t);
			continue;
		}
		test_ingest_ok(&t, path);
		assert_true(t.result.rows <= 8);
		assert_null(test_notice(&t, "bad_crc"));
		assert_true(test_notice(&t, "cut_record") || test_notice(&t, "no_steps") || t.result.rows > 0);
		test_run_finish(&t);
	}
}

/* If any byte is wrong, its record and all records behind it are not read, and a notice says so. */
static void a_wrong_byte_is_told(void **state)
{
	uint8_t bytes[4096];
	size_t len;

	(void)state;
	load(bytes, &len);
	for (size_t at = 0; at < len; at += 3) {
		struct test_run t;
		char path[256];

		bytes[at] ^= 0x10;
		test_run_init(&t);
		test_write_bytes(&t, NAME, bytes, len);
		(void)snprintf(path, sizeof path, "%s/" NAME, t.base);
		test_ingest_ok(&t, path);
		test_expect_notice(&t, "bad_crc", TS_NOTICE_SKIPPED, 0, 1);
		assert_true(t.result.rows < 8);
		test_run_finish(&t);
		bytes[at] ^= 0x10;
	}
}

static void tensors_that_do_not_fit(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		enum ts_tensor_kind kind;
	} cases[] = {
		{"\x08\x01\x22\x03" "abc", 7, TS_TENSOR_BROKEN}, /* three bytes of a float */
		{"\x08\x01\x32\x08" "abcdefgh", 12, TS_TENSOR_BROKEN}, /* double_val of a float */
		{"\x08\x07\x42\x01" "a", 5, TS_TENSOR_OTHER}, /* text */
		{"\x08\x01\x12\x02\x12\x00", 6, TS_TENSOR_OTHER}, /* a dimension of no size */
		{"\x08\x01\x12\x04\x12\x02\x08\x01\x2a\x04" "\0\0\x80\x3f", 14, TS_TENSOR_NUMBER}, /* 1 element */
		{"\x08\x01\x12\x04\x12\x02\x08\x02\x2a\x04" "\0\0\x80\x3f", 14, TS_TENSOR_OTHER}, /* 2 elements */
		{"\x08\x01\x12\x02\x18\x01\x2a\x04" "\0\0\x80\x3f", 12, TS_TENSOR_OTHER}, /* of unknown rank */
		{"\x08", 1, TS_TENSOR_BROKEN},
		{"", 0, TS_TENSOR_OTHER}, /* no type */
	};
	struct ts_tensor tensor;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(ts_tensor_scalar(ts_span_of(cases[i].bytes, cases[i].len), &tensor), cases[i].kind);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_tensorboard_reads),
		cmocka_unit_test(what_is_no_scalar_is_counted),
		cmocka_unit_test(a_restart_keeps_what_it_replaced),
		cmocka_unit_test(hparams_are_configuration),
		cmocka_unit_test(hparams_of_a_folder_join_its_training),
		cmocka_unit_test(links_and_fifos_are_passed_over),
		cmocka_unit_test(doubles_stay_doubles),
		cmocka_unit_test(folders_hold_runs),
		cmocka_unit_test(a_cut_tail_is_no_error),
		cmocka_unit_test(a_wrong_byte_is_told),
		cmocka_unit_test(tensors_that_do_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
