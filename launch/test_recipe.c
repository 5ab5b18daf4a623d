/* test_recipe.c - the words and the environment of a recipe, and which recipes are refused. */
#include "launch/recipe.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

static const char *const words[] = {"python", "train.py", "--lr={lr}", "{\"lr\": 1}", "{lr}{lr}", "{none}", NULL};

static struct ts_recipe sound(void)
{
	return (struct ts_recipe){.argv = words, .commit = COMMIT, .folder = "/tmp/a"};
}

static void test_a_slot_is_filled_within_its_word(void **unused)
{
	static const struct ts_recipe_pair slots[] = {{"lr", "1e-3 --out {lr}; rm -rf /"}};
	static const char *const before[] = {"nice", "{lr}", NULL};
	struct ts_recipe recipe = sound();
	const char *const *made;
	struct ts_arena arena;
	struct ts_error err;

	(void)unused;
	ts_arena_init(&arena, 1 << 20);
	recipe.slots = slots;
	recipe.n_slots = 1;
	recipe.launcher = before;
	assert_int_equal(ts_recipe_words(&recipe, &arena, &made, &err), TS_OK);
	assert_string_equal(made[0], "nice");
	assert_string_equal(made[1], "{lr}"); /* the launcher has no slots */
	assert_string_equal(made[2], "python");
	assert_string_equal(made[4], "--lr=1e-3 --out {lr}; rm -rf /"); /* one word, and what it says is not looked at again */
	assert_string_equal(made[5], "{\"lr\": 1}");
	assert_string_equal(made[6], "1e-3 --out {lr}; rm -rf /1e-3 --out {lr}; rm -rf /");
	assert_string_equal(made[7], "{none}");
	assert_null(made[8]);
	ts_arena_finish(&arena);
}

static void test_the_recipe_alone_says_what_the_recorder_is_asked_for(void **unused)
{
	static const char *const from[] = {"HOME=/home/ada", "TSCOPE_STOP=3", "SEED=1", "SEEDS=2", NULL};
	static const struct ts_recipe_pair variables[] = {{"SEED", NULL}, {"OMP_NUM_THREADS", "1"}};
	struct ts_recipe recipe = sound();
	const char *const *made;
	struct ts_arena arena;
	struct ts_error err;
	size_t inherited;

	(void)unused;
	ts_arena_init(&arena, 1 << 20);
	recipe.variables = variables;
	recipe.n_variables = 2;
	assert_int_equal(ts_recipe_environment(&recipe, from, &arena, &made, &inherited, &err), TS_OK);
	assert_string_equal(made[0], "HOME=/home/ada");
	assert_string_equal(made[1], "SEEDS=2");
	assert_string_equal(made[2], "OMP_NUM_THREADS=1");
	assert_string_equal(made[3], "TSCOPE_DIRECTORY=/tmp/a");
	assert_null(made[4]);
	assert_int_equal(inherited, 2);
	recipe.stops = true; /* behind step 0 */
	recipe.watch = (struct ts_recipe_steps){3, 5};
	recipe.operations = (struct ts_recipe_steps){7, 1};
	recipe.aten = true;
	recipe.bare = true;
	assert_int_equal(ts_recipe_environment(&recipe, from, &arena, &made, &inherited, &err), TS_OK);
	assert_string_equal(made[0], "OMP_NUM_THREADS=1");
	assert_string_equal(made[2], "TSCOPE_STOP=0");
	assert_string_equal(made[3], "TSCOPE_WATCH=3-7");
	assert_string_equal(made[4], "TSCOPE_OPERATIONS=7-7:aten");
	assert_null(made[5]);
	assert_int_equal(inherited, 0);
	ts_arena_finish(&arena);
}

static void refuse(const struct ts_recipe *recipe, enum ts_status status)
{
	struct ts_error err;

	assert_int_equal(ts_recipe_check(recipe, &err), status);
}

static void test_what_leads_elsewhere_is_refused(void **unused)
{
	static const char *const directories[] = {"/etc", "..", "a/../b", "a/..", ".git", "a/.git/hooks"};
	static const char *const fine[] = {"", "a/b", "..a", "a..", ".gitlab", "a/"};
	static const char *const commits[] = {"HEAD", "--help", COMMIT "0", "0123456789ABCDEF0123456789abcdef01234567", ""};
	static const char *const none[] = {NULL}, *const files[] = {"data.bin", "../data.bin", NULL};
	static const struct ts_recipe_pair variables[] = {{"A=B", "1"}}, slots[] = {{"lr", NULL}};
	struct ts_recipe recipe = sound();

	(void)unused;
	refuse(&recipe, TS_OK);
	for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
		recipe.directory = fine[i];
		refuse(&recipe, TS_OK);
	}
	for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
		recipe.directory = directories[i];
		refuse(&recipe, TS_INVALID);
	}
	for (size_t i = 0; i < sizeof commits / sizeof *commits; i++) {
		recipe = sound();
		recipe.commit = commits[i];
		refuse(&recipe, TS_INVALID);
	}
	recipe = sound();
	recipe.argv = none;
	refuse(&recipe, TS_INVALID);
	recipe = sound();
	recipe.files = files;
	refuse(&recipe, TS_INVALID);
	recipe = sound();
	recipe.folder = "runs/a";
	refuse(&recipe, TS_INVALID);
	recipe = sound();
	recipe.variables = variables;
	recipe.n_variables = 1;
	refuse(&recipe, TS_INVALID);
	recipe = sound();
	recipe.slots = slots;
	recipe.n_slots = 1;
	refuse(&recipe, TS_INVALID);
	recipe = sound();
	recipe.stops = true;
	recipe.stop = -1;
	refuse(&recipe, TS_INVALID);
	recipe = sound();
	recipe.watch = (struct ts_recipe_steps){INT64_MAX, 2};
	refuse(&recipe, TS_INVALID);
	recipe = sound();
	recipe.patch = ts_span_of("x", TS_RECIPE_PATCH + 1);
	refuse(&recipe, TS_TOO_LARGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_slot_is_filled_within_its_word),
		cmocka_unit_test(test_the_recipe_alone_says_what_the_recorder_is_asked_for),
		cmocka_unit_test(test_what_leads_elsewhere_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
