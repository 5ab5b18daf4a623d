/* What Comet and ClearML keep offline: archives that they wrote (tests/golden/trackers), and damaged ones. */
#include "ingest/core/test_support.h"
#include "ingest/formats/unzip.h"
#include "ingest/trackers/reader_clearml.h"
#include "ingest/trackers/reader_comet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define GOLDEN "tests/golden/trackers/"

static const char losses[] = "rows = [json.loads(line) for line in open(sys.argv[2])]\n"
			     "assert [r['step'] for r in rows] == list(range(12))\n"
			     "for i in range(12): assert rows[i]['scalars']['loss'] == 2 + 9 * math.exp(-i / 12)\n"
			     "for r in rows: assert r['timestamp'] > 1.79e9\n";

static void as_comet_writes(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "comet.zip");
	assert_string_equal(t.result.format, "Comet offline archive");
	assert_int_equal(ts_notices_skipped(&t.result.notices), 0);
	test_script(&t, losses, "x", NULL, "x");
	assert_non_null(strstr(test_jsonl(&t), "\"bad\":\"NaN\""));
	assert_string_equal(test_fact(&t, "session.name"), "run-a");
	assert_string_equal(test_fact(&t, "config.lr"), "0.01");
	assert_string_equal(test_fact(&t, "config.api_key"), "<redacted>");
	assert_string_equal(test_fact(&t, "config.curr_step"), "");
	assert_string_equal(test_fact(&t, "other.comet.note"), "x");
	assert_string_equal(test_fact(&t, "other.comet.project_name"), "toy");
	test_round_trip(&t);
	test_run_finish(&t);
}

/* The folder and its archive are the same run. */
static void as_clearml_writes(void **state)
{
	struct test_run t;
	struct ts_id id;
	char command[256];

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN "clearml.zip");
	id = t.result.head;
	assert_string_equal(t.result.format, "ClearML offline task");
	test_expect_notice(&t, "not_scalar", TS_NOTICE_SKIPPED, t.result.notices.items[0].line, 1);
	test_script(&t, losses, "x", NULL, "x");
	assert_non_null(strstr(test_jsonl(&t), "\"accuracy\":0.5"));
	assert_string_equal(test_fact(&t, "columns.scalars\\.loss.source"), "loss/train");
	assert_string_equal(test_fact(&t, "session.name"), "run-a");
	assert_string_equal(test_fact(&t, "config.layers"), "2");
	assert_string_equal(test_fact(&t, "config.deep"), "true");
	assert_string_equal(test_fact(&t, "config.api_key"), "<redacted>");
	assert_string_equal(test_fact(&t, "config.Optimizer.kind"), "adam");
	assert_string_equal(test_fact(&t, "code.commit"), "0123456789012345678901234567890123456789");
	assert_string_equal(test_fact(&t, "code.branch"), "main");
	assert_string_equal(test_fact(&t, "other.clearml.project"), "toy");
	test_round_trip(&t);
	(void)snprintf(command, sizeof command, "python3 -m zipfile -e " GOLDEN "clearml.zip %s/folder", t.base);
	assert_int_equal(system(command), 0);
	(void)snprintf(t.path, sizeof t.path, "%s/folder", t.base);
	test_ingest_ok(&t, t.path);
	assert_memory_equal(t.result.head.bytes, id.bytes, TS_ID_BYTES);
	test_run_finish(&t);
}

static void lines_that_are_damaged(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/task.json",
		   "{\"name\": 7, \"hyperparams\": {\"Args\": 7, \"x\": {\"y\": {\"type\": \"int\", \"value\": \"z\"}}}}");
	test_write(&t, "run/metrics.jsonl",
		   "[{\"type\": \"training_stats_scalar\", \"iter\": 1, \"metric\": \"loss\", \"variant\": \"loss\", \"value\": 2.5},\n"
		   "{\"a\": 1}\n"
		   "[{\"type\": \"plot\"}, {\"type\": \"training_stats_scalar\", \"iter\": 1}]\n"
		   "[{\"type\": \"training_stats_scalar\", \"iter\": 2, \"metric\": \"loss\", \"value\": 2.25}]\n"
		   "[{\"type\": \"training_stats_sc");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.rows, 2);
	test_expect_notice(&t, "bad_json", TS_NOTICE_SKIPPED, 1, 1);
	test_expect_notice(&t, "not_object", TS_NOTICE_SKIPPED, 2, 1);
	test_expect_notice(&t, "not_scalar", TS_NOTICE_SKIPPED, 3, 1);
	test_expect_notice(&t, "bad_metric", TS_NOTICE_SKIPPED, 3, 1);
	test_expect_notice(&t, "cut_line", TS_NOTICE_SKIPPED, 5, 1);
	assert_string_equal(test_fact(&t, "config.x.y"), "z");
	test_run_finish(&t);
}

/* --- archives --- */

/* Makes base/x.zip by a script of Python that has z, a zipfile opened for writing, and its path. */
static void make_archive(struct test_run *t, const char *script)
{
	char text[2048], command[256];

	(void)snprintf(t->path, sizeof t->path, "%s/x.zip", t->base);
	(void)snprintf(text, sizeof text,
		       "import struct, warnings, zipfile\nwarnings.simplefilter('ignore')\npath = '%s'\n"
		       "z = zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED)\n"
		       "def put(name, text): z.writestr(name, text)\n"
		       "def patch(old, new):\n"
		       "    data = open(path, 'rb').read()\n"
		       "    assert old in data\n"
		       "    open(path, 'wb').write(data.replace(old, new))\n"
		       "%s",
		       t->path, script);
	test_write(t, "make.py", text);
	(void)snprintf(command, sizeof command, "python3 %s/make.py", t->base);
	assert_int_equal(system(command), 0);
}

static void archives_that_are_refused(void **state)
{
	static const struct {
		const char *script, *want;
		enum ts_status status;
	} cases[] = {
		{"put('messages.json', '{}'); put('../experiment.json', '{}'); z.close()",
		 "../experiment.json: a name that leads out", TS_INVALID},
		{"put('messages.json', '{}'); put('/etc/x', '{}'); z.close()", "/etc/x: a name that leads out", TS_INVALID},
		{"put('messages.json', '{}'); put('messages.json', '{}'); z.close()",
		 "messages.json: two members have this name", TS_INVALID},
		{"put('messages.json', '{}' * 50); z.close()\n"
		 "d = bytearray(open(path, 'rb').read()); i = d.rindex(b'PK\\x01\\x02'); d[i + 8] |= 1; open(path, 'wb').write(d)",
		 "messages.json: this member is encrypted", TS_UNSUPPORTED},
		{"put('messages.json', '{}' * 50); z.close()\n"
		 "d = bytearray(open(path, 'rb').read()); i = d.rindex(b'PK\\x01\\x02'); d[i + 10] = 12; open(path, 'wb').write(d)",
		 "messages.json: this member is packed by a method that is not read", TS_UNSUPPORTED},
		{"put('messages.json', '{}' * 50); z.close()\n"
		 "d = bytearray(open(path, 'rb').read()); i = d.rindex(b'PK\\x01\\x02'); d[i + 16] ^= 1; open(path, 'wb').write(d)",
		 "messages.json: this member is damaged", TS_DAMAGED},
		{"put('messages.json', '{}' * 50); z.close()\n"
		 "d = bytearray(open(path, 'rb').read()); i = d.rindex(b'PK\\x01\\x02'); d[i + 24] -= 1; open(path, 'wb').write(d)",
		 "messages.json: this member is damaged", TS_DAMAGED},
		{"put('messages.json', '{}' * 50); z.close()\n"
		 "d = bytearray(open(path, 'rb').read()); i = d.rindex(b'PK\\x01\\x02'); d[i + 42] = 9; open(path, 'wb').write(d)",
		 "messages.json: this member does not lie where", TS_DAMAGED},
		{"put('messages.json', b'0' * (300 << 20)); z.close()", "messages.json: this member is too large", TS_TOO_LARGE},
		{"put('x', '1' * 999); z.close(); d = open(path, 'rb').read(); open(path, 'wb').write(d[:-9])",
		 "not a whole zip archive",
		 TS_INVALID},
		{"put('x', '1'); z.close(); d = open(path, 'rb').read(); open(path, 'wb').write(d[20:])",
		 "directory is damaged", TS_DAMAGED},
		{"put('x', '1'); z.close()", "there is no messages.json in it", TS_INVALID},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;
		struct ts_ingest_options options = {.path = t.path};

		test_run_init(&t);
		make_archive(&t, cases[i].script);
		assert_int_equal(ts_comet_read(&options, test_objects_sink, &t.objects, &t.arena, &t.result, &t.err), cases[i].status);
		if (!strstr(t.err.text, cases[i].want) || !strstr(t.err.text, "x.zip"))
			fail_msg("case %zu: %s", i, t.err.text);
		test_run_finish(&t);
	}
}

/* Stored members, a comment behind the directory, a member without bytes. */
static void archives_that_are_read(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	make_archive(&t, "z.compression = zipfile.ZIP_STORED\n"
			 "put('experiment.json', '{}')\nz.compression = zipfile.ZIP_DEFLATED\nput('empty', '')\n"
			 "put('messages.json', '{\"type\": \"metric_msg\", \"payload\": {\"metric\": {\"metricName\": \"loss\", "
			 "\"metricValue\": 2.5, \"step\": 1}}}\\n{\"type\": \"metric_msg\", \"payload\": {\"metric\": 7}}\\n{\"ty')\n"
			 "z.comment = b'PK\\x05\\x06' * 9\nz.close()");
	assert_true(ts_comet_sniff(t.path) > 0);
	test_ingest_ok(&t, t.path);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":2.5}}\n");
	test_expect_notice(&t, "bad_metric", TS_NOTICE_SKIPPED, 2, 1);
	test_expect_notice(&t, "bad_json", TS_NOTICE_SKIPPED, 3, 1);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_comet_writes),
		cmocka_unit_test(as_clearml_writes),
		cmocka_unit_test(lines_that_are_damaged),
		cmocka_unit_test(archives_that_are_refused),
		cmocka_unit_test(archives_that_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
