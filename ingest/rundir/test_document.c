/* docs/run-directory.md: its writer writes what is read, and its table has every notice that the code knows. */
#include "ingest/core/test_support.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static char *document(void)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	struct ts_error err;

	if (ts_file_read("docs/run-directory.md", &buf, &err))
		fail_msg("%s", err.text);
	ts_buf_char(&buf, '\0');
	return (char *)buf.data;
}

static void the_writer_writes_what_is_read(void **state)
{
	static const char use[] = "import sys\n"
				  "for rank in range(2):\n"
				  "    with Run(sys.argv[1], name='doc', config={'lr': 0.5}, rank=rank, world_size=2,\n"
				  "             facts={'seeds': {'torch': 1234 + rank}}, flush_every=2) as run:\n"
				  "        for step in range(3):\n"
				  "            run.step(step, phases={'forward': 0.25}, scalars={'loss': float('nan') if step == 2 "
				  "else 1 / (step + 1)},\n"
				  "                     memory={'alloc': 1024.0}, tokens=8192, samples=4, tags=['a', 'b'],\n"
				  "                     digests={'w': '%016x' % step}, mine={'x': step})\n";
	char *text = document();
	char *code = strstr(text, "```python\n");
	char *end = code ? strstr(code, "\n```\n") : NULL;
	struct ts_buf script = TS_BUF_INIT(1 << 20);
	struct test_run t;
	char command[256];
	char *line;

	(void)state;
	assert_non_null(end);
	code += strlen("```python\n");
	ts_buf_bytes(&script, code, (size_t)(end - code));
	ts_buf_str(&script, "\n");
	ts_buf_str(&script, use);
	test_run_init(&t);
	test_write_bytes(&t, "writer.py", script.data, script.len);
	(void)snprintf(command, sizeof command, "python3 %s/writer.py %s/run", t.base, t.base);
	assert_int_equal(system(command), 0);
	if (test_ingest(&t))
		fail_msg("%s", t.err.text);
	assert_int_equal(t.result.notices.n, 0);
	assert_int_equal(t.result.n_ranks, 2);
	assert_int_equal(t.result.n_missing, 0);
	assert_int_equal(t.result.rows, 6);
	assert_true(t.result.finished);
	assert_true(ts_span_is(t.result.own_name, "doc"));
	assert_string_equal(test_fact(&t, "config.lr"), "0.5");
	assert_string_equal(test_fact(&t, "seeds.torch"), "1234");
	assert_string_equal(test_fact(&t, "session.n_steps"), "3");
	line = strstr(test_jsonl(&t), "{\"rank\":1,\"step\":2,");
	assert_non_null(line);
	assert_non_null(strstr(line, ",\"phases\":{\"forward\":0.25},\"scalars\":{\"loss\":\"NaN\"},\"memory\":{\"alloc\":1024.0},"
				     "\"digests\":{\"w\":\"0000000000000002\"},\"mine\":{\"x\":2.0},\"samples\":4.0,\"tags\":"
				     "[\"a\",\"b\"],\"tokens\":8192.0}\n"));
	test_round_trip(&t);
	test_run_finish(&t);
	ts_buf_finish(&script);
	ts_buf_finish(&(struct ts_buf){.data = (uint8_t *)text});
}

static void every_notice_is_documented(void **state)
{
	static const char script[] =
		"import re, glob\n"
		"code = set()\n"
		"for f in glob.glob('ingest/**/*.c', recursive=True):\n"
		"    if '/test_' in f: continue\n"
		"    s = open(f).read()\n"
		"    code |= set(re.findall(r'\"([a-z0-9_]+)\",\\s*TS_NOTICE_(?:INFO|SKIPPED)', s))\n"
		"    code |= set(re.findall(r'reject\\(p, \"([a-z_]+)\"', s))\n"
		"    code |= set(re.findall(r'(?<!sub)code = \"([a-z_]+)\"', s))\n"
		"    for m in re.findall(r'p->rejected = nul .*', s): code |= set(re.findall(r'\"([a-z0-9_]+)\"', m))\n"
		"text = open('docs/run-directory.md').read() + open('docs/importers.md').read() + open('docs/trace.md').read()\n"
		"doc = dict(re.findall(r'^\\| `([a-z0-9_]+)` \\| (skipped|info) \\|', text, re.M))\n"
		"assert code == set(doc), code ^ set(doc)\n"
		"assert len(code) > 25, code\n";
	struct test_run t;
	char command[256];

	(void)state;
	test_run_init(&t);
	test_write(&t, "check.py", script);
	(void)snprintf(command, sizeof command, "python3 %s/check.py", t.base);
	assert_int_equal(system(command), 0);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_writer_writes_what_is_read),
		cmocka_unit_test(every_notice_is_documented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
