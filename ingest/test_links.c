/* What a link below a run leads to does not change what is read: every file and folder of recorded runs of each format is put outside
 * and replaced by a link, and then by a named pipe. */
#include "ingest/core/test_support.h"
#include "ingest/discover.h"

#include "base/file.h"
#include "base/path.h"
#include "run/head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIGNATURE = 1 << 16 };

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(command, sizeof command, format, args);
	va_end(args);
	assert_int_equal(system(command), 0);
}

/* The ids of all runs below base/run in text. */
static void read_all(struct test_run *t, char text[SIGNATURE])
{
	struct ts_found_run *runs;
	struct ts_arena arena;
	char hex[TS_ID_HEX + 1];
	struct ts_error err;
	size_t n, at = 0;

	text[0] = '\0';
	ts_arena_init(&arena, 0);
	if (ts_discover(t->path, &arena, &runs, &n, &err))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		struct ts_ingest_options options = {.path = runs[i].path,
						    .top = runs[i].top,
						    .part = runs[i].part,
						    .more = runs[i].more,
						    .n_more = runs[i].n_more,
						    .around = runs[i].around};
		struct ts_ingest_result result;
		enum ts_status status = ts_ingest(&options, test_objects_sink, &t->objects, &arena, &result, &err);

		at += (size_t)snprintf(text + at, SIGNATURE - at, "%s %s\n", runs[i].name, status ? "-" : ts_id_hex(&result.head, hex));
		assert_true(at < SIGNATURE - 1);
	}
	test_objects_finish(&t->objects);
	memset(&t->objects, 0, sizeof t->objects);
	ts_arena_finish(&arena);
}

/* Puts a link to, or a pipe, in the place of base/run/name, whose content lies at base/out. */
static void try_one(struct test_run *t, const char *name, bool folder)
{
	static char first[SIGNATURE], other[SIGNATURE];

	shell("cd %s && rm -rf out && mv 'run/%s' out && ln -s %s/out 'run/%s'", t->base, name, t->base, name);
	read_all(t, first);
	shell("cd %s && mv out kept && %s out", t->base, folder ? "mkdir" : "touch");
	read_all(t, other);
	if (strcmp(first, other) != 0)
		fail_msg("what lies outside was read through %s:\n%s-- and of nothing\n%s", name, first, other);
	shell("cd %s && rm -rf out 'run/%s' && mkfifo 'run/%s'", t->base, name, name);
	(void)alarm(60);
	read_all(t, other);
	(void)alarm(0);
	shell("cd %s && rm 'run/%s' && mv kept 'run/%s'", t->base, name, name);
}

static void try_all(struct test_run *t, const char *below)
{
	const char *folder = ts_path_join(&t->arena, t->path, below);
	struct ts_error err;
	char **names;
	size_t n;

	assert_int_equal(ts_list_dir(folder, &t->arena, &names, &n, &err), TS_OK);
	for (size_t i = 0; i < n; i++) {
		const char *name = ts_arena_printf(&t->arena, "%s%s%s", below, *below ? "/" : "", names[i]);
		bool is_folder = ts_file_kind(ts_path_join(&t->arena, t->path, name)) == TS_FILE_DIRECTORY;

		try_one(t, name, is_folder);
		if (is_folder)
			try_all(t, name);
	}
}

/* Returns whether the tree changes what is read at all, without which the test would prove nothing. */
static void try_tree(const char *source)
{
	static char whole[SIGNATURE];
	struct test_run t;

	test_run_init(&t);
	shell("cp -rL '%s' %s/run && chmod -R u+w %s/run", source, t.base, t.base);
	read_all(&t, whole);
	assert_non_null(strstr(whole, "\n"));
	if (strstr(whole, " -\n"))
		fail_msg("%s: %s", source, whole);
	try_all(&t, "");
	test_run_finish(&t);
}

static void recorded_runs(void **state)
{
	static const char *const sources[] = {
		"tests/golden/deepspeed/csv_monitor", "tests/golden/files/dvclive", "tests/golden/files/lightning_logs",
		"tests/golden/huggingface/rounded",   "tests/golden/mlflow/mlruns", "tests/golden/tensorboard/hp",
		"tests/golden/tensorboard/joined",    "tests/golden/traceml/summary", "tests/golden/trackers/sacred",
		"tests/golden/wandb/wandb",	      "tests/golden/pytscope/ddp_manual", "tests/golden/pytscope/trace_demo",
	};

	(void)state;
	for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
		try_tree(sources[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_runs)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
