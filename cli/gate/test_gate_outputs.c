/* The options by which gate leaves files and commands: several at once, none lost in silence, and an answer on GitHub that no name of
 * a run can turn into a command. */
#include "cli/gate/gate_outputs.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static const struct ts_option options[] = {
	{"baseline", 'b', "NAME", "", TS_COMPLETE_NONE, NULL, true}, {"paired", 0, "RUN", "", TS_COMPLETE_NONE, NULL, true},
	{"junit", 0, "FILE", "", TS_COMPLETE_NONE, NULL, false},     {"markdown", 0, "FILE", "", TS_COMPLETE_NONE, NULL, false},
	{"gitlab", 0, "FILE", "", TS_COMPLETE_NONE, NULL, false},    {"request", 0, "FILE", "", TS_COMPLETE_NONE, NULL, false},
	{"github", 0, NULL, "", TS_COMPLETE_NONE, NULL, false},	     {NULL, 0, NULL, NULL, TS_COMPLETE_NONE, NULL, false},
};

struct fixture {
	struct ts_cli cli;
	struct ts_verdict v;
	struct ts_gate_run run;
	struct ts_error err;
	char dir[64];
};

static struct fixture *f;

static int set_up(void **state)
{
	(void)state;
	f = calloc(1, sizeof *f);
	ts_arena_init(&f->cli.arena, 0);
	f->cli.out = TS_BUF_INIT(1 << 22);
	ts_buf_str(&f->cli.out, "::error::of a name\n");
	strcpy(f->dir, "/tmp/tscope-outputs-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->v.state = TS_GATE_SUSPECT;
	f->v.exit_code = 4;
	f->v.ask.pairs = 1;
	f->v.sentence = ts_span_str("slower");
	f->run.role = TS_GATE_CANDIDATE;
	f->v.input.runs = &f->run;
	f->v.input.n_runs = 1;
	f->v.rows = ts_arena_array(&f->cli.arena, TS_METRICS, sizeof *f->v.rows);
	f->v.n_rows = TS_METRICS;
	for (size_t i = 0; i < TS_METRICS; i++)
		f->v.rows[i] = (struct ts_gate_row){.metric = (enum ts_metric)i,
						    .name = ts_span_str(ts_metrics[i].name),
						    .state = TS_GATE_INCONCLUSIVE,
						    .base = NAN,
						    .candidate = NAN,
						    .size = NAN};
	unsetenv("GITHUB_STEP_SUMMARY");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(system(ts_arena_printf(&f->cli.arena, "rm -r %s", f->dir)), 0);
	ts_buf_finish(&f->cli.out);
	ts_arena_finish(&f->cli.arena);
	free(f);
	return 0;
}

static const char *path(const char *name)
{
	return ts_arena_printf(&f->cli.arena, "%s/%s", f->dir, name);
}

static enum ts_status outputs(int argc, const char *const *argv)
{
	assert_int_equal(ts_args_parse(&f->cli.args, options, NULL, argc, argv, false, &f->cli.arena, &f->err), TS_OK);
	return ts_gate_outputs_check(&f->cli, &f->err) ? f->err.status : ts_gate_outputs(&f->cli, &f->v, &f->err);
}

static const char *read_all(const char *name)
{
	struct ts_buf text = TS_BUF_INIT(1 << 20);
	struct ts_error err;
	const char *copy;

	assert_int_equal(ts_file_read(path(name), &text, &err), TS_OK);
	copy = (const char *)ts_arena_span(&f->cli.arena, ts_buf_view(&text)).data;
	ts_buf_finish(&text);
	return copy;
}

static const char *out(void)
{
	return (const char *)ts_arena_span(&f->cli.arena, ts_buf_view(&f->cli.out)).data;
}

static void several_files_at_once(void **state)
{
	const char *argv[] = {"exp9",	  "-b",	       "main",	   "--junit", path("j.xml"), "--markdown", path("c.md"),
			      "--gitlab", path("m"), "--request", path("r"), "--paired", "old"};

	(void)state;
	assert_int_equal(outputs(13, argv), TS_OK);
	assert_non_null(strstr(read_all("j.xml"), "<testsuites"));
	assert_non_null(strstr(read_all("c.md"), "<!-- tscope-gate:unknown -->"));
	assert_non_null(strstr(read_all("m"), "# EOF"));
	/* The command of the next look has the words of this command and more pairs, but none of its output files. */
	assert_non_null(strstr(read_all("r"), "\n# tscope gate exp9 --baseline main --paired old --paired 'pair-000000000000-*'\n"
					      "base 1 - pair-"));
	assert_string_equal(out(), "::error::of a name\n");
}

static void a_file_that_cannot_be_written_is_an_error(void **state)
{
	const char *argv[] = {"exp9", "--markdown", path("no/such/folder/c.md")};

	(void)state;
	assert_int_not_equal(outputs(3, argv), TS_OK);
	assert_ptr_equal(strstr(f->err.text, "--markdown: "), f->err.text);
	assert_non_null(strstr(f->err.text, "no/such/folder/c.md"));
}

static void a_file_without_a_name_is_an_error(void **state)
{
	const char *empty[] = {"exp9", "--junit", ""}, *dash[] = {"exp9", "--request", "-"};

	(void)state;
	assert_int_equal(outputs(3, empty), TS_INVALID);
	assert_string_equal(f->err.text, "--junit needs the path of a file to write");
	f->cli.args = (struct ts_args){0};
	assert_int_equal(outputs(3, dash), TS_INVALID);
}

static void github_gets_commands_and_no_name_becomes_one(void **state)
{
	const char *argv[] = {"exp9", "--github"}, *text;
	char token[33] = "";

	(void)state;
	setenv("GITHUB_STEP_SUMMARY", path("summary"), 1);
	assert_int_equal(outputs(2, argv), TS_OK);
	text = out();
	assert_int_equal(sscanf(text, "::stop-commands::%32[0-9a-f]\n", token), 1);
	assert_int_equal(strlen(token), 32);
	assert_ptr_equal(
		strstr(text, ts_arena_printf(&f->cli.arena,
					     "\n::error::of a name\n::%s::\n::warning title=tscope gate%%3A suspect::slower\n", token)),
		text + strlen("::stop-commands::") + 32);
	assert_int_equal(strncmp(read_all("summary"), "### tscope gate: suspect\n", 25), 0);
	/* The text is appended, because other steps write to the same file. */
	f->cli.out.len = 0;
	assert_int_equal(ts_gate_outputs(&f->cli, &f->v, &f->err), TS_OK);
	assert_non_null(strstr(strstr(read_all("summary"), "###") + 1, "### tscope gate: suspect\n"));
	assert_null(strstr(out(), token)); /* each call draws a new token */
}

static void a_summary_that_cannot_be_written_is_an_error(void **state)
{
	const char *argv[] = {"exp9", "--github"};

	(void)state;
	setenv("GITHUB_STEP_SUMMARY", path("no/folder"), 1);
	assert_int_not_equal(outputs(2, argv), TS_OK);
	assert_non_null(strstr(f->err.text, "GITHUB_STEP_SUMMARY: "));
}

static void json_and_commands_do_not_go_together(void **state)
{
	const char *argv[] = {"exp9", "--github"};

	(void)state;
	f->cli.json = true;
	assert_int_equal(outputs(2, argv), TS_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(several_files_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_file_that_cannot_be_written_is_an_error, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_file_without_a_name_is_an_error, set_up, tear_down),
		cmocka_unit_test_setup_teardown(github_gets_commands_and_no_name_becomes_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_summary_that_cannot_be_written_is_an_error, set_up, tear_down),
		cmocka_unit_test_setup_teardown(json_and_commands_do_not_go_together, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
