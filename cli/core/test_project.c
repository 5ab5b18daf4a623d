/* .tscope files: the nearest upward, errors with file and line; names made of paths. */
#include "cli/core/project.h"

#include "base/file.h"
#include "base/test_arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static void names(const char *text, const char *want)
{
	const char *project = "untouched";
	struct ts_error err;

	assert_int_equal(ts_project_parse(ts_span_str(text), "f", &arena, &project, &err), TS_OK);
	if (want)
		assert_string_equal(project, want);
	else
		assert_null(project);
}

static void refuses_bytes(struct ts_span text, const char *says)
{
	const char *project = "untouched";
	struct ts_error err;

	assert_int_equal(ts_project_parse(text, "dir/.tscope", &arena, &project, &err), TS_INVALID);
	assert_string_equal(project, "untouched");
	if (!strstr(err.text, says))
		fail_msg("'%s' does not say '%s'", err.text, says);
}

static void refuses(const char *text, const char *says)
{
	refuses_bytes(ts_span_str(text), says);
}

static void files(void **state)
{
	(void)state;
	names("project = vision\n", "vision");
	names("project=vision", "vision");
	names("# a remark\n\n  project =  v1.0+x_y-z \r\n", "v1.0+x_y-z");
	names("", NULL);
	names("# nothing\n", NULL);
	names("project = a\nproject = b\n", "b");
	refuses("project\n", "dir/.tscope:1: the line must be 'project = NAME'");
	refuses("\n\nprojects = x\n", "dir/.tscope:3: the line must be 'project = NAME'");
	refuses("project =\n", "dir/.tscope:1: project: a project name must have 1 to 127 characters");
	refuses("project = a/b\n", "dir/.tscope:1: project: 'a/b' is not a project name");
	refuses("project = .a\n", "dir/.tscope:1");
	refuses_bytes(ts_span_of("project = a\0b\n", 14), "dir/.tscope:1: project: a NUL byte");
}

static void make(const char *dir, const char *name, const char *text)
{
	const char *path = ts_arena_printf(&arena, "%s/%s", dir, name);
	struct ts_error err;

	assert_int_equal(ts_make_dirs(dir, 0700, &err), TS_OK);
	assert_int_equal(ts_file_replace(path, ts_span_str(text), 0600, &err), TS_OK);
}

static void nearest_upward(void **state)
{
	char root[] = "/tmp/tscope-project-XXXXXX";
	const char *project;
	struct ts_error err;

	(void)state;
	assert_non_null(mkdtemp(root));
	make(root, ".tscope", "project = outer\n");
	make(ts_arena_printf(&arena, "%s/a/b", root), "x", "");
	make(ts_arena_printf(&arena, "%s/c/d", root), ".tscope", "project = inner\n");
	assert_int_equal(ts_project_find(ts_arena_printf(&arena, "%s/a/b", root), &arena, &project, &err), TS_OK);
	assert_string_equal(project, "outer");
	assert_int_equal(ts_project_find(ts_arena_printf(&arena, "%s/c/d", root), &arena, &project, &err), TS_OK);
	assert_string_equal(project, "inner");
	assert_int_equal(ts_project_find(ts_arena_printf(&arena, "%s/c", root), &arena, &project, &err), TS_OK);
	assert_string_equal(project, "outer");
	assert_int_equal(ts_project_find("/nonexistent", &arena, &project, &err), TS_OK);
	assert_null(project);
	assert_int_equal(system(ts_arena_printf(&arena, "rm -r %s", root)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(files), cmocka_unit_test(nearest_upward)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
