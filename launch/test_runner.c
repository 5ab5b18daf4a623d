/* test_runner.c - runs of scripts in a repository of git: what they see, how they end, and what is left when somebody is killed. */
#include "launch/runner.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static char top[64], clone[128], state[128], commit[41], alone[41];
static int made;

/* --- the repository --- */

static void shell(const char *format, ...)
{
	char line[4096];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof line, format, args);
	va_end(args);
	assert_int_equal(system(line), 0); // NOLINT
}

/* What a file has; "" where there is none. */
static const char *text_of(const char *format, ...)
{
	static char text[8192];
	char path[512];
	va_list args;
	size_t n = 0;
	FILE *file;

	va_start(args, format);
	(void)vsnprintf(path, sizeof path, format, args);
	va_end(args);
	file = fopen(path, "r");
	if (file) {
		n = fread(text, 1, sizeof text - 1, file);
		(void)fclose(file);
	}
	text[n] = '\0';
	return text;
}

static int set_up(void **unused)
{
	(void)unused;
	(void)snprintf(top, sizeof top, "/tmp/tscope-runner-XXXXXX");
	assert_non_null(mkdtemp(top));
	(void)snprintf(clone, sizeof clone, "%s/clone", top);
	(void)snprintf(state, sizeof state, "%s/state", top);
	shell("mkdir %s && cd %s && git init -q -b main . && git config user.name a && git config user.email a@b && mkdir sub &&"
	      " echo first > word && echo data.bin > .gitignore && git add -A && git commit -qm first &&"
	      " git rev-parse HEAD > ../first &&"
	      " echo second > word && git commit -qam second && echo mine > word && echo data > data.bin &&"
	      " touch ../hooked && printf '#!/bin/sh\\necho hook >> %s/hooked\\n' > .git/hooks/post-checkout &&"
	      " chmod +x .git/hooks/post-checkout &&"
	      " git commit-tree -m alone HEAD^{tree} > ../alone && git status --porcelain > ../status &&"
	      " echo 'test -z \"$(ls %s)\"' > ../empty",
	      clone, clone, top, state);
	(void)snprintf(commit, sizeof commit, "%.40s", text_of("%s/first", top));
	(void)snprintf(alone, sizeof alone, "%.40s", text_of("%s/alone", top));
	return 0;
}

static int tear_down(void **unused)
{
	(void)unused;
	shell("rm -rf %s", top);
	return 0;
}

/* The user's tree is as it was, no worktree is left, and the runner's folder is empty. */
static void untouched(void)
{
	shell("cd %s && test \"$(git worktree list | wc -l)\" = 1 && git status --porcelain | cmp - ../status &&"
	      " test \"$(cat word)\" = mine && test ! -s ../hooked && test -z \"$(ls ../state)\"",
	      clone);
}

/* --- one run --- */

static const char *const script_words[] = {"sh", "-c", "{script}", NULL};
static struct ts_recipe_pair script_slot = {"script", NULL};
static char folder[256];

static struct ts_recipe script(const char *text)
{
	(void)snprintf(folder, sizeof folder, "%s/runs/%d", top, made++);
	script_slot.value = text;
	return (struct ts_recipe){
		.argv = script_words, .slots = &script_slot, .n_slots = 1, .commit = commit, .folder = folder, .limit_ns = 60 * SECOND};
}

static struct ts_ran run(const struct ts_recipe *recipe)
{
	struct ts_runner *runner;
	struct ts_ran ran;
	struct ts_error err;
	uint32_t job;

	assert_int_equal(ts_runner_open(state, &runner, &err), TS_OK);
	assert_int_equal(ts_runner_begin(runner, clone, recipe, &job, &err), TS_OK);
	assert_int_equal(ts_runner_wait(runner, -1, &ran, &err), TS_OK);
	assert_int_equal(ran.job, job);
	assert_int_equal(ts_runner_wait(runner, -1, &ran, &err), TS_NOT_FOUND);
	ts_runner_close(runner);
	untouched();
	return ran;
}

static void test_a_run_sees_the_commit_and_not_the_users_tree(void **unused)
{
	struct ts_recipe recipe = script("cat word; ls; pwd > \"$TSCOPE_DIRECTORY/where\"; echo changed > word; echo $A$TSCOPE_STOP");
	const struct ts_recipe_pair variables[] = {{"A", "a"}};
	struct ts_ran ran;

	(void)unused;
	recipe.variables = variables;
	recipe.n_variables = 1;
	recipe.stops = true;
	recipe.stop = 7;
	ran = run(&recipe);
	assert_int_equal(ran.kind, TS_RAN_WELL);
	assert_string_equal(ran.why, "");
	assert_string_equal(text_of("%s/output.txt", folder), "first\nword\na7\n");
	assert_non_null(strstr(text_of("%s/where", folder), "/state/"));
}

static void test_a_patch_and_files_are_laid_over_it(void **unused)
{
	static const char patch[] = "diff --git a/word b/word\n--- a/word\n+++ b/word\n@@ -1 +1 @@\n-first\n+patched\n";
	static const char *const files[] = {"data.bin", "word", NULL};
	struct ts_recipe recipe = script("cat word data.bin; echo changed > data.bin");
	struct ts_ran ran;

	(void)unused;
	recipe.patch = ts_span_str(patch);
	recipe.files = files; /* of a file that the commit has, the commit's stays */
	ran = run(&recipe);
	assert_int_equal(ran.kind, TS_RAN_WELL);
	assert_string_equal(text_of("%s/output.txt", folder), "patched\ndata\n");
	assert_string_equal(text_of("%s/data.bin", clone), "data\n");
}

static void cannot(const struct ts_recipe *recipe, const char *why)
{
	struct ts_ran ran = run(recipe);

	assert_int_equal(ran.kind, TS_RAN_CANNOT);
	if (!strstr(ran.why, why))
		assert_string_equal(ran.why, why);
}

/* A container begins with no variables: this launcher stands for one. */
static void test_a_launcher_makes_the_run_elsewhere(void **unused)
{
	struct ts_recipe recipe = script("echo in $A-$B-$TSCOPE_STOP >> \"$TSCOPE_DIRECTORY/seen\"; exit 125");
	static const char *const launcher[] = {"sh", "elsewhere", "nine", NULL};
	const struct ts_recipe_pair variables[] = {{"A", "a b"}};
	struct ts_ran ran;
	char third[41];

	(void)unused;
	shell("cd %s && printf '%%s\n' 'n=$1; shift; cp \"$TSCOPE_RECIPE\" \"$TSCOPE_DIRECTORY/recipe\"'"
	      " 'for v in $TSCOPE_VARIABLES; do eval \"value=\\$$v\"; set -- \"$v=$value\" \"$@\"; done'"
	      " 'exec env -i PATH=\"$PATH\" B=$n \"$@\"' > elsewhere"
	      " && git add elsewhere && git commit -qm elsewhere && git rev-parse HEAD > ../third"
	      " && git status --porcelain > ../status",
	      clone);
	(void)snprintf(third, sizeof third, "%.40s", text_of("%s/third", top));
	recipe.commit = third;
	recipe.launcher = launcher;
	recipe.variables = variables;
	recipe.n_variables = 1;
	recipe.stops = true;
	recipe.stop = 7;
	ran = run(&recipe);
	assert_int_equal(ran.kind, TS_RAN_CANNOT);
	assert_string_equal(text_of("%s/seen", folder), "in a b-nine-7\n");
	assert_non_null(strstr(text_of("%s/recipe", folder), "\"command\":[\"sh\",\"-c\","));
	assert_non_null(strstr(text_of("%s/recipe", folder), "\"A\":\"a b\""));
	shell("cd %s && git rm -q elsewhere && git commit -qm gone && git status --porcelain > ../status", clone);
}

/* A launcher is told all that the recipe sets, or the run is not made, whichever allocation of its process fails. */
static void test_what_a_launcher_is_told_is_never_cut_short(void **unused)
{
	static const char *const launcher[] = {"env", NULL};
	bool said = false;

	(void)unused;
	for (size_t n = 1; n <= 16; n++) {
		struct ts_recipe recipe =
			script("test \"$TSCOPE_VARIABLES\" = 'TSCOPE_RUNNER TSCOPE_DIRECTORY' && test -s \"$TSCOPE_RECIPE\"");
		struct ts_runner *runner;
		struct ts_error err;
		struct ts_ran ran;
		uint32_t job;

		recipe.launcher = launcher;
		(void)ts_alloc_fail_at(n);
		if (ts_runner_open(state, &runner, &err)) {
			assert_int_equal(err.status, TS_NO_MEMORY);
			continue;
		}
		(void)ts_alloc_fail_at(0);
		assert_int_equal(ts_runner_begin(runner, clone, &recipe, &job, &err), TS_OK);
		if (!ts_runner_wait(runner, -1, &ran, &err)) {
			assert_int_not_equal(ran.kind, TS_RAN_FAILED);
			said |= strstr(ran.why, "out of memory") != NULL;
		}
		ts_runner_close(runner); /* what is left of a place is for the next one that opens the state */
	}
	assert_true(said);
}

static void test_what_cannot_be_tested_is_said(void **unused)
{
	static const char *const missing[] = {"no/such.bin", NULL}, *const none[] = {"/no/such/program", NULL};
	struct ts_recipe recipe = script("exit 125");

	(void)unused;
	cannot(&recipe, "it cannot be tested");
	recipe = script("true");
	recipe.commit = "0123456789012345678901234567890123456789";
	cannot(&recipe, "there is no commit 012345678901");
	recipe = script("true");
	recipe.commit = alone;
	cannot(&recipe, "it may be anybody's");
	recipe = script("true");
	recipe.patch = ts_span_str("diff --git a/word b/word\n--- a/word\n+++ b/word\n@@ -1 +1 @@\n-other\n+patched\n");
	cannot(&recipe, "the patch does not apply");
	recipe = script("true");
	recipe.patch = ts_span_str("diff --git a/../x b/../x\n--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+outside\n");
	cannot(&recipe, "the patch does not apply");
	recipe = script("true");
	recipe.files = missing;
	cannot(&recipe, "no/such.bin");
	recipe = script("true");
	recipe.directory = "sub"; /* git has no empty folder */
	cannot(&recipe, "could not be started");
	recipe = script("true");
	recipe.argv = none;
	cannot(&recipe, "could not be started");
}

static void test_a_failure_is_no_doubt(void **unused)
{
	struct ts_recipe recipe = script("exit 3");
	struct ts_ran ran = run(&recipe);

	(void)unused;
	assert_int_equal(ran.kind, TS_RAN_FAILED);
	assert_int_equal(ran.ended.code, 3);
	recipe = script("kill -ABRT $$");
	ran = run(&recipe);
	assert_int_equal(ran.kind, TS_RAN_FAILED);
	assert_int_equal(ran.ended.signal, SIGABRT);
}

static void test_a_folder_is_of_one_run(void **unused)
{
	struct ts_recipe recipe = script("true");
	struct ts_runner *runner;
	struct ts_error err;
	uint32_t job;

	(void)unused;
	shell("mkdir -p %s", folder);
	assert_int_equal(ts_runner_open(state, &runner, &err), TS_OK);
	assert_int_equal(ts_runner_begin(runner, clone, &recipe, &job, &err), TS_CONFLICT);
	ts_runner_close(runner);
	untouched();
}

/* --- processes --- */

/* Whether the process whose number a file has runs; one that nobody has waited for yet does not. */
static bool runs(const char *where)
{
	long pid = strtol(text_of("%s", where), NULL, 10);

	return pid > 1 && text_of("/proc/%ld/environ", pid)[0];
}

/* Waits until a file has something, ten seconds at most. */
static void wait_for(const char *path)
{
	for (int i = 0; i < 1000 && !text_of("%s", path)[0]; i++)
		(void)usleep(10000);
	assert_true(text_of("%s", path)[0]);
}

/* Leaves a process in a session of its own, which ignores what can be ignored. */
#define STRAYS "setsid sh -c 'trap \"\" TERM HUP; echo $$ > %s; exec sleep 1000' & "

static void test_a_training_that_never_ends_is_ended_with_all_that_it_began(void **unused)
{
	char text[1024], pid[256];
	struct ts_recipe recipe;
	struct ts_ran ran;

	(void)unused;
	(void)snprintf(pid, sizeof pid, "%s/pid1", top);
	(void)snprintf(text, sizeof text, STRAYS "while [ ! -s %s ]; do sleep 0.01; done; sleep 1000", pid, pid);
	recipe = script(text);
	recipe.limit_ns = SECOND;
	ran = run(&recipe);
	assert_int_equal(ran.kind, TS_RAN_LIMIT);
	assert_true(ran.took_ns >= SECOND);
	assert_false(runs(pid));
}

static void test_what_a_command_leaves_behind_ends_with_it(void **unused)
{
	char text[1024], pid[256];
	struct ts_recipe recipe;

	(void)unused;
	(void)snprintf(pid, sizeof pid, "%s/pid2", top);
	(void)snprintf(text, sizeof text, STRAYS "while [ ! -s %s ]; do sleep 0.01; done", pid, pid);
	recipe = script(text);
	assert_int_equal(run(&recipe).kind, TS_RAN_WELL);
	assert_false(runs(pid));
}

static void test_runs_stand_side_by_side_and_one_can_be_ended(void **unused)
{
	struct ts_runner *runner;
	uint32_t jobs[3];
	struct ts_ran ran;
	struct ts_error err;

	(void)unused;
	assert_int_equal(ts_runner_open(state, &runner, &err), TS_OK);
	for (int i = 0; i < 3; i++) {
		struct ts_recipe recipe = script(i < 2 ? "sleep 1000" : "true");

		assert_int_equal(ts_runner_begin(runner, clone, &recipe, &jobs[i], &err), TS_OK);
	}
	assert_int_equal(ts_runner_wait(runner, -1, &ran, &err), TS_OK);
	assert_int_equal(ran.job, jobs[2]);
	assert_int_equal(ran.kind, TS_RAN_WELL);
	assert_int_equal(ts_runner_wait(runner, 0, &ran, &err), TS_DEADLINE);
	ts_runner_end(runner, jobs[0]);
	ts_runner_end(runner, jobs[2]); /* it is over */
	assert_int_equal(ts_runner_wait(runner, -1, &ran, &err), TS_OK);
	assert_int_equal(ran.job, jobs[0]);
	assert_int_equal(ran.kind, TS_RAN_ENDED);
	ts_runner_close(runner); /* ends the other */
	untouched();
}

/* A driver that begins a run which never ends, in a process of its own. */
static pid_t driver(const char *pid_path)
{
	char text[1024];
	struct ts_recipe recipe;
	pid_t pid;

	(void)snprintf(text, sizeof text, STRAYS "sleep 1000", pid_path);
	recipe = script(text);
	pid = fork();
	if (pid == 0) {
		struct ts_runner *runner;
		struct ts_error err;
		uint32_t job;

		if (ts_runner_open(state, &runner, &err) || ts_runner_begin(runner, clone, &recipe, &job, &err))
			_exit(1);
		for (;;)
			(void)pause();
	}
	wait_for(pid_path);
	return pid;
}

static void test_a_driver_that_is_killed_leaves_nothing(void **unused)
{
	char path[256];
	pid_t pid;

	(void)unused;
	(void)snprintf(path, sizeof path, "%s/pid3", top);
	pid = driver(path);
	assert_true(runs(path));
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	for (int i = 0; i < 1500 && system(text_of("%s/empty", top)); i++) // NOLINT
		(void)usleep(10000);
	assert_false(runs(path));
	untouched();
}

/* The process whose parent this is; 0: there is none. */
static pid_t child_of(pid_t parent)
{
	char path[64];
	long pid;

	(void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
	pid = strtol(text_of("%s", path), NULL, 10);
	return (pid_t)pid;
}

/* Kills a driver, its runner and the process of its job, so that none of them clears up. */
static void kill_all(pid_t driver)
{
	pid_t runner = child_of(driver), job = child_of(runner);

	assert_true(runner > 1 && job > 1);
	(void)kill(runner, SIGSTOP);
	(void)kill(job, SIGKILL);
	(void)kill(runner, SIGKILL);
	(void)kill(driver, SIGKILL);
	(void)waitpid(driver, NULL, 0);
	(void)usleep(200000);
}

static void test_where_all_are_killed_the_next_start_clears_up(void **unused)
{
	char path[256];
	struct ts_recipe recipe;

	(void)unused;
	(void)snprintf(path, sizeof path, "%s/pid4", top);
	kill_all(driver(path));
	assert_true(runs(path)); /* nobody is left who would end it */
	recipe = script("true");
	assert_int_equal(run(&recipe).kind, TS_RAN_WELL);
	assert_false(runs(path));
}

/* Lays a git that runs lines of a shell first before the one in PATH, or takes it away again: NULL. */
static void lay_git(const char *lines)
{
	static char before[4096];
	char path[8192];

	if (!before[0])
		(void)snprintf(before, sizeof before, "%s", getenv("PATH"));
	(void)snprintf(path, sizeof path, "%s/bin:%s", top, before);
	if (lines)
		shell("mkdir -p %s/bin && cd %s/bin && cat > git <<'END' && chmod +x git\n"
		      "#!/bin/sh\nPATH=${PATH#*:}\n%s\nexec git \"$@\"\nEND",
		      top, top, lines);
	assert_int_equal(setenv("PATH", lines ? path : before, 1), 0);
}

static void test_where_git_outlives_all_a_later_start_clears_up(void **unused)
{
	char path[256], lines[1024];
	struct ts_recipe recipe;
	pid_t pid;

	(void)unused;
	(void)snprintf(path, sizeof path, "%s/pid5", top);
	(void)snprintf(lines, sizeof lines,
		       "case \"$*\" in *' worktree add '*) echo $$ > %s; until [ -e %s/go ]; do sleep 0.01; done;; esac", path, top);
	lay_git(lines);
	pid = driver(path);
	lay_git(NULL);
	kill_all(pid);
	recipe = script("true");
	assert_int_equal(run(&recipe).kind, TS_RAN_WELL);
	assert_true(runs(path)); /* git waits still */
	shell("touch %s/go", top);
	for (int i = 0; i < 1000 && runs(path); i++)
		(void)usleep(10000);
	shell("cd %s && test \"$(git worktree list | wc -l)\" = 2", clone); /* it has made the worktree of the dead job */
	recipe = script("true");
	assert_int_equal(run(&recipe).kind, TS_RAN_WELL);
}

/* Dead folders with what anybody may have written there about whose worktrees they are. Only the first of them may be true, and it has
 * the name of a worktree of the user, who keeps it. */
static void test_git_is_asked_only_where_a_dead_worktree_may_belong(void **unused)
{
	struct ts_runner *runner;
	char lines[256];
	struct ts_error err;

	(void)unused;
	shell("cd %s && n=0123456789abcdef && i=0 && git -c core.hooksPath=/dev/null worktree add -q --detach ../$n &&"
	      " mkdir -p ../b/worktrees/other && for said in \"$(cat ../$n/.git)\" 'gitdir: %s/b/worktrees/other' 'gitdir: %s/b'"
	      " \"gitdir: %s/b/worktrees/$n\" \"gitdir: /worktrees/$n\" gitdir ''; do"
	      " i=$((i + 1)) tree=%s/${n}012345678901234$i/$n && mkdir -p $tree && echo \"$said\" > $tree/.git; done",
	      clone, top, top, top, state);
	(void)snprintf(lines, sizeof lines, "echo \"$2\" >> %s/asked", top);
	lay_git(lines);
	assert_int_equal(ts_runner_open(state, &runner, &err), TS_OK);
	ts_runner_close(runner);
	lay_git(NULL);
	shell("cd %s && test \"$(cat ../asked)\" = %s && cd ../0123456789abcdef && test -s word && git worktree remove .", clone,
	      clone);
	untouched();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_run_sees_the_commit_and_not_the_users_tree),
		cmocka_unit_test(test_a_patch_and_files_are_laid_over_it),
		cmocka_unit_test(test_a_launcher_makes_the_run_elsewhere),
		cmocka_unit_test(test_what_a_launcher_is_told_is_never_cut_short),
		cmocka_unit_test(test_what_cannot_be_tested_is_said),
		cmocka_unit_test(test_a_failure_is_no_doubt),
		cmocka_unit_test(test_a_folder_is_of_one_run),
		cmocka_unit_test(test_a_training_that_never_ends_is_ended_with_all_that_it_began),
		cmocka_unit_test(test_what_a_command_leaves_behind_ends_with_it),
		cmocka_unit_test(test_runs_stand_side_by_side_and_one_can_be_ended),
		cmocka_unit_test(test_a_driver_that_is_killed_leaves_nothing),
		cmocka_unit_test(test_where_all_are_killed_the_next_start_clears_up),
		cmocka_unit_test(test_where_git_outlives_all_a_later_start_clears_up),
		cmocka_unit_test(test_git_is_asked_only_where_a_dead_worktree_may_belong),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
