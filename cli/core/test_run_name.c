/* Names of runs by where they lie. */
#include "cli/core/run_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <limits.h>
#include <unistd.h>

static struct ts_arena arena;
static char root[] = "/tmp/tscope-names-XXXXXX";

static const char *at(const char *below)
{
	return ts_arena_printf(&arena, "%s/%s", root, below);
}

static int setup(void **state)
{
	static const char *const folders[] = {"lab/runs/exp1",
					      "lab/runs/exp1/traces",
					      "lab/runs/exp1/checkpoints/step_200",
					      "other/exp2/profiler_traces",
					      "lab/detect/train2",
					      "other/exp2/trace/iteration_10",
					      "lab/runs/gpt/exp1",
					      "lab/lightning_logs/version_0",
					      "lab/lightning_logs/gpt/version_3",
					      "lab/sweep/lr1/seed0",
					      "lab/sweep/lr2/seed0",
					      "repo/.git",
					      "repo/sweep/lr1/seed0",
					      "repo/code/runs/7",
					      "lab/runs/my run!",
					      "lab/runs/_hidden",
					      "lab/runs/läuf",
					      "lab/runs/---",
					      "lab/runs/l\xc2\xa0uf",
					      "lab/---/exp9",
					      "other/---/exp9"};

	(void)state;
	ts_arena_init(&arena, 0);
	if (!mkdtemp(root))
		return -1;
	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
		if (system(ts_arena_printf(&arena, "mkdir -p '%s'", at(folders[i]))))
			return -1;
	return system(
		ts_arena_printf(&arena, "cd %s && touch lab/runs/exp1/metrics.csv lab/all.db lab/detect/train2/results.csv "
				"other/exp2/results.csv && ln -s exp1 lab/runs/newest", root));
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(system(ts_arena_printf(&arena, "rm -r %s", root)), 0);
	ts_arena_finish(&arena);
	return 0;
}

static void called(const char *path, const char *part, const char *want, bool want_changed)
{
	struct ts_run_place place = {.path = path, .part = part};
	struct ts_error err;

	assert_int_equal(ts_run_names(&place, 1, &arena, &err), TS_OK);
	assert_null(place.failed);
	assert_string_equal(place.name, want);
	assert_int_equal(place.changed, want_changed);
	assert_false(place.longer);
}

static void below_the_folder_of_runs(void **state)
{
	(void)state;
	called(at("lab/runs/exp1"), NULL, "exp1", false);
	called(at("lab/runs/exp1//"), NULL, "exp1", false);
	called(at("lab/runs/gpt/../exp1/."), NULL, "exp1", false);
	called(at("lab/runs/newest"), NULL, "exp1", false); /* the link and the run are one */
	called(at("lab/runs/gpt/exp1"), NULL, "gpt/exp1", false);
	called(at("lab/lightning_logs/gpt/version_3"), NULL, "gpt/version_3", false);
	called(at("lab/lightning_logs/version_0"), NULL, "lab/lightning_logs/version_0", false);
	called(at("lab/runs/exp1/metrics.csv"), NULL, "exp1/metrics.csv", false);
	called(at("lab/runs/exp1/traces"), NULL, "exp1/traces", false);
	called(at("other/exp2/trace"), NULL, "exp2/trace", false);
	called(at("other/exp2/profiler_traces"), NULL, "exp2/profiler_traces", false);
	called(at("lab/runs/exp1/checkpoints"), NULL, "exp1/checkpoints", false);
	called(at("lab/runs/exp1/checkpoints/step_200"), NULL, "exp1/checkpoints/step_200", false);
	called(at("lab/detect/train2/results.csv"), NULL, "train2/results.csv", false);
	called(at("other/exp2/results.csv"), NULL, "exp2/results.csv", false);
	called(at("other/exp2/trace/iteration_10"), NULL, "exp2/trace/iteration_10", false);
	called(at("repo/sweep/lr1/seed0"), NULL, "sweep/lr1/seed0", false);
	called(at("repo/code/runs/7"), NULL, "code/runs/7", false);
	called(at("lab/sweep/lr1/seed0"), NULL, "seed0", false);
	called(at("lab/all.db"), "abc", "all.db/abc", false);
	called(at("lab/---/exp9"), NULL, "exp9", false);
}

/* From each folder, and with each word for it. */
static void however_it_is_reached(void **state)
{
	static const char *const ways[][2] = {{"", "lab/runs/gpt/exp1"},	 {"lab", "runs/gpt/exp1"}, {"lab", "./runs/gpt/exp1"},
					      {"lab/runs", "gpt/exp1"},		 {"lab/runs/gpt", "exp1"}, {"lab/runs/gpt/exp1", "."},
					      {"lab/sweep", "../runs/gpt/exp1/"}};
	char before[PATH_MAX];

	(void)state;
	assert_non_null(getcwd(before, sizeof before));
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		assert_int_equal(chdir(at(ways[i][0])), 0);
		called(ways[i][1], NULL, "gpt/exp1", false);
	}
	assert_int_equal(chdir(before), 0);
}

static void characters(void **state)
{
	struct ts_run_place none[] = {{.path = at("lab/runs/---")}, {.path = "/"}, {.path = at("nowhere")}};
	static const enum ts_status want[] = {TS_INVALID, TS_INVALID, TS_NOT_FOUND};
	struct ts_error err;

	(void)state;
	called(at("lab/runs/my run!"), NULL, "my-run-", true);
	called(at("lab/runs/_hidden"), NULL, "hidden", true);
	called(at("lab/runs/läuf"), NULL, "läuf", false);
	called(at("lab/runs/l\xc2\xa0uf"), NULL, "l-uf", true);
	assert_int_equal(ts_run_names(none, 3, &arena, &err), TS_OK);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(none[i].failed->status, want[i]);
}

static void told_apart(void **state)
{
	struct ts_run_place places[] = {{.path = at("lab/sweep/lr1/seed0")}, {.path = at("lab/runs/exp1")},
					{.path = at("lab/sweep/lr2/seed0")}, {.path = at("lab/runs/newest")},
					{.path = at("lab/---/exp9")},	     {.path = at("other/---/exp9")}};
	static const char *const want[] = {"lr1/seed0", "exp1", "lr2/seed0", "exp1", "lab/exp9", "other/exp9"};
	static const bool longer[] = {true, false, true, false, true, true};
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_run_names(places, 6, &arena, &err), TS_OK);
	for (size_t i = 0; i < 6; i++) {
		assert_string_equal(places[i].name, want[i]);
		assert_int_equal(places[i].longer, longer[i]);
	}
}

/* The name in the tool stands for the folder, unless two would get it, or nothing of it can be in a name. */
static void what_people_call_it(void **state)
{
	static const char sentence[] = "a name that somebody wrote as a sentence of more than a hundred bytes, "
				       "which is more than a name of a run can have";
	struct ts_run_place places[] = {{.path = at("lab/runs/exp1"), .own_name = "gpt tiny"},
					{.path = at("lab/runs/gpt/exp1"), .own_name = "twin"},
					{.path = at("lab/sweep/lr1/seed0"), .own_name = "!?"},
					{.path = at("lab/runs/my run!"), .own_name = "gpt/twin"},
					{.path = at("lab/runs/läuf"), .own_name = "same"},
					{.path = at("lab/runs/exp1"), .own_name = "gpt tiny"},
					{.path = at("lab/runs/_hidden"), .own_name = "same"},
					{.path = at("lab/all.db"), .part = "9f2c", .own_name = "calm mink"},
					{.path = at("lab/all.db"), .part = "77aa", .own_name = "base"},
					{.path = at("lab/all.db"), .part = "77ab", .own_name = "base"},
					{.path = at("lab/all.db"), .part = "77ac", .own_name = sentence}};
	static const char *const want[] = {"gpt-tiny", "gpt/twin", "seed0", "gpt-twin", "läuf",
					  "gpt-tiny", "hidden",	  "all.db/calm-mink", "all.db/77aa", "all.db/77ab", "all.db/77ac"};
	struct ts_error err;

	(void)state;
	if (ts_run_names(places, sizeof places / sizeof places[0], &arena, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
		assert_string_equal(places[i].name, want[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(below_the_folder_of_runs), cmocka_unit_test(however_it_is_reached),
					   cmocka_unit_test(characters), cmocka_unit_test(told_apart),
					   cmocka_unit_test(what_people_call_it)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
