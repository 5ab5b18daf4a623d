/* Facts of the host, asked of programs and variables that the test puts there. */
#include "ingest/host/host.h"

#include "base/digest.h"
#include "ingest/core/test_support.h"
#include "ingest/host/spawn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Runs the command with $D = dir. */
static void run_shell(const char *command, const char *dir)
{
	assert_int_equal(setenv("D", dir, 1), 0);
	assert_int_equal(system(command), 0);
}

/* Collects into t->result.facts. Returns why the text of the patch was not kept. */
static const char *collect_wanted(struct test_run *t, const struct ts_host_wanted *wanted)
{
	const char *no_patch;

	ts_arena_finish(&t->arena);
	ts_arena_init(&t->arena, 0);
	t->result.facts = (struct ts_facts){0};
	if (ts_host_facts(wanted, &t->arena, &t->result.facts, &no_patch, &t->err))
		fail_msg("%s", t->err.text);
	(void)ts_facts_sort(&t->result.facts);
	return no_patch;
}

static void collect(struct test_run *t, const char *dir)
{
	assert_null(collect_wanted(t, &(struct ts_host_wanted){.dir = dir}));
}

#define GIT "git -c user.name=n -c user.email=e@x -c init.defaultBranch=trunk "

/* The text of uncommitted changes is kept byte for byte or not at all, and so is the folder of the repository. */
static void what_a_command_needs(struct test_run *t, const char *dir)
{
	char below[160];
	char *text;
	size_t len;

	(void)snprintf(below, sizeof below, "%s/deep er/x", dir);
	assert_null(collect_wanted(t, &(struct ts_host_wanted){.dir = dir, .command = " a --api-key b\n"}));
	assert_string_equal(test_fact(t, "session.command"), "a --api-key '<redacted>'");
	assert_string_equal(test_fact(t, "session.directory"), "");
	assert_string_equal(test_fact(t, "session.patch"), "");
	test_write(t, "code/deep er/x/y", "x");
	run_shell("cd $D && git diff --binary HEAD > ../patch", dir);
	assert_null(collect_wanted(t, &(struct ts_host_wanted){.dir = below, .command = "a", .patch = true}));
	assert_string_equal(test_fact(t, "session.directory"), "deep er/x");
	text = test_read(t, "patch", &len);
	text[len] = '\0';
	assert_true(len > 50);
	assert_string_equal(test_fact(t, "session.patch"), text);
	free(text);
	/* If the text is not UTF-8, has a secret or is too long, the digest is there, and a fact says why the text is not. */
	test_write(t, "code/a.txt", "\xff\n");
	assert_string_equal(collect_wanted(t, &(struct ts_host_wanted){.dir = dir, .patch = true}), "it is not UTF-8");
	assert_string_equal(test_fact(t, "session.patch"), "");
	assert_int_equal(strlen(test_fact(t, "code.patch_sha256")), 64);
	test_write(t, "code/a.txt", "b\npassword = 'x'\n");
	assert_string_equal(collect_wanted(t, &(struct ts_host_wanted){.dir = dir, .patch = true}),
			    "its line 8 looks like it has a secret");
	assert_string_equal(test_fact(t, "session.patch"), "");
	run_shell("cd $D && seq 200000 > a.txt", dir);
	assert_non_null(strstr(collect_wanted(t, &(struct ts_host_wanted){.dir = dir, .patch = true}),
			       "and the limit is 1048576"));
	assert_string_equal(test_fact(t, "session.patch"), "");
	assert_int_equal(strlen(test_fact(t, "code.patch_sha256")), 64);
	test_write(t, "code/a.txt", "two\n");
}

static void a_command_is_text(void **state)
{
	static const char *const bad[] = {"", " \n", "\xff"};
	struct test_run t;
	const char *no_patch;

	(void)state;
	test_run_init(&t);
	for (size_t i = 0; i < 3; i++) {
		const struct ts_host_wanted wanted = {.dir = "/", .command = bad[i]};
		struct ts_facts facts = {0};

		assert_int_equal(ts_host_facts(&wanted, &t.arena, &facts, &no_patch, &t.err), TS_INVALID);
	}
	test_run_finish(&t);
}

static void git_facts(void **state)
{
	struct test_run t;
	char dir[128];
	char expected[128];
	char *text;
	size_t len;

	(void)state;
	test_run_init(&t);
	(void)snprintf(dir, sizeof dir, "%s/code", t.base);
	test_write(&t, "code/a.txt", "one\n");
	collect(&t, dir);
	assert_string_equal(test_fact(&t, "code.commit"), "");
	assert_string_equal(test_fact(&t, "code.dirty"), "");
	run_shell("cd $D && " GIT "init -q . && git add a.txt && " GIT "commit -q -m one && " GIT
		  "commit -q --allow-empty -m two && git rev-parse HEAD > ../head && git rev-parse HEAD^ > ../parent",
		  dir);
	collect(&t, dir);
	text = test_read(&t, "head", &len);
	text[len - 1] = '\0';
	assert_string_equal(test_fact(&t, "code.commit"), text);
	free(text);
	text = test_read(&t, "parent", &len);
	text[len - 1] = '\0';
	assert_string_equal(test_fact(&t, "code.ancestors"), text);
	free(text);
	assert_string_equal(test_fact(&t, "code.branch"), "trunk");
	assert_string_equal(test_fact(&t, "code.dirty"), "false");
	assert_string_equal(test_fact(&t, "code.shallow"), "false");
	assert_string_equal(test_fact(&t, "code.patch_sha256"), "");
	assert_int_equal(t.result.facts.items[0].source, TS_SOURCE_HOST);
	/* An untracked file is no change. A changed file is one, and the digest of its patch is the one that sha256sum
	 * prints. */
	test_write(&t, "code/runs/steps.jsonl", "x");
	collect(&t, dir);
	assert_string_equal(test_fact(&t, "code.dirty"), "false");
	test_write(&t, "code/a.txt", "two\n");
	run_shell("cd $D && git diff --binary HEAD | sha256sum | cut -c1-64 > ../patch", dir);
	collect(&t, dir);
	assert_string_equal(test_fact(&t, "code.dirty"), "true");
	text = test_read(&t, "patch", &len);
	(void)snprintf(expected, sizeof expected, "%.64s", text);
	assert_string_equal(test_fact(&t, "code.patch_sha256"), expected);
	free(text);
	what_a_command_needs(&t, dir);
	/* The clone is shallow and has a detached HEAD. */
	run_shell("cd $D/.. && git clone -q --depth 1 file://$PWD/code shallow && cd shallow && git checkout -q --detach",
		  dir);
	(void)snprintf(dir, sizeof dir, "%s/shallow", t.base);
	collect(&t, dir);
	assert_string_equal(test_fact(&t, "code.shallow"), "true");
	assert_string_equal(test_fact(&t, "code.branch"), "");
	assert_string_equal(test_fact(&t, "code.ancestors"), "");
	test_run_finish(&t);
}

static void fake_program(struct test_run *t, const char *name, const char *script)
{
	char path[128];

	test_write(t, name, script);
	(void)snprintf(path, sizeof path, "%s/%s", t->base, name);
	assert_int_equal(chmod(path, 0755), 0);
}

static void gpu_facts(void **state)
{
	struct test_run t;
	char *path = strdup(getenv("PATH"));
	char fake[4096];

	(void)state;
	test_run_init(&t);
	(void)snprintf(fake, sizeof fake, "%s/bin:%s", t.base, path);
	assert_int_equal(setenv("PATH", fake, 1), 0);
	fake_program(&t, "bin/nvidia-smi",
		     "#!/bin/sh\nif [ \"$1\" = topo ]; then printf '\\033[4mGPU0\\tGPU1\\033[0m\\n X \\tNV18\\n'; exit 0; fi\n"
		     "echo 'NVIDIA H200, GPU-1111, 550.54.15, 143771'\necho 'NVIDIA H200, GPU-2222, 550.54.15, [N/A]'\n");
	collect(&t, "/");
	assert_string_equal(test_fact(&t, "hardware.gpus[0].name"), "NVIDIA H200");
	assert_string_equal(test_fact(&t, "hardware.gpus[0].uuid"), "GPU-1111");
	assert_string_equal(test_fact(&t, "hardware.gpus[0].driver"), "550.54.15");
	assert_string_equal(test_fact(&t, "hardware.gpus[0].memory"), "150754820096"); /* 143771 * 2^20 */
	assert_string_equal(test_fact(&t, "hardware.gpus[1].uuid"), "GPU-2222");
	assert_string_equal(test_fact(&t, "hardware.gpus[1].memory"), ""); /* a value that is not known is absent */
	assert_string_equal(test_fact(&t, "hardware.gpu_topology"), "GPU0\tGPU1\n X \tNV18");
	fake_program(&t, "bin/nvidia-smi", "#!/bin/sh\necho 'NVIDIA-SMI has failed'\nexit 9\n");
	collect(&t, "/");
	for (size_t i = 0; i < t.result.facts.n; i++)
		assert_false(ts_span_starts(t.result.facts.items[i].path, ts_span_str("hardware.")));
	assert_int_equal(setenv("PATH", path, 1), 0);
	free(path);
	test_run_finish(&t);
}

static void variables_on_the_list(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	assert_int_equal(setenv("NCCL_ALGO", "Ring", 1), 0);
	assert_int_equal(setenv("SLURM_JOB_ID", "77", 1), 0);
	assert_int_equal(setenv("TORCHINDUCTOR_MAX_AUTOTUNE", "1", 1), 0);
	assert_int_equal(setenv("MIOPEN_FIND_MODE", "2", 1), 0);
	assert_int_equal(setenv("GITHUB_SHA", "abc", 1), 0);
	assert_int_equal(setenv("LOCAL_RANK", "3", 1), 0);
	assert_int_equal(setenv("container", "lxc", 1), 0);
	assert_int_equal(setenv("NCCL_PROTO", "", 1), 0);
	assert_int_equal(setenv("GITHUB_TOKEN", "ghp_secret", 1), 0);
	assert_int_equal(setenv("MKL_CBWR", "\xff", 1), 0);
	collect(&t, "/");
	assert_string_equal(test_fact(&t, "determinism.env.NCCL_ALGO"), "Ring");
	assert_string_equal(test_fact(&t, "determinism.env.TORCHINDUCTOR_MAX_AUTOTUNE"), "1");
	assert_string_equal(test_fact(&t, "determinism.env.MIOPEN_FIND_MODE"), "2");
	assert_string_equal(test_fact(&t, "session.slurm.SLURM_JOB_ID"), "77");
	assert_string_equal(test_fact(&t, "session.ci.GITHUB_SHA"), "abc");
	assert_string_equal(test_fact(&t, "determinism.env.NCCL_PROTO"), "");
	assert_string_equal(test_fact(&t, "determinism.env.MKL_CBWR"), "");
	for (size_t i = 0; i < t.result.facts.n; i++)
		assert_false(ts_span_eq(t.result.facts.items[i].text, ts_span_str("ghp_secret")));
	assert_string_equal(test_fact(&t, "session.topology.LOCAL_RANK"), "3");
	if (access("/.dockerenv", F_OK) && access("/run/.containerenv", F_OK) && !getenv("KUBERNETES_SERVICE_HOST")) {
		assert_string_equal(test_fact(&t, "session.container"), "lxc");
		assert_int_equal(setenv("APPTAINER_CONTAINER", "/x.sif", 1), 0);
		collect(&t, "/");
		assert_string_equal(test_fact(&t, "session.container"), "apptainer");
	}
	assert_int_not_equal(strlen(test_fact(&t, "session.host")), 0);
	assert_int_equal(strlen(test_fact(&t, "session.boot_id")), 36);
	assert_int_equal(test_fact(&t, "session.collected_at")[10], 'T');
	test_run_finish(&t);
}

static void programs_have_limits(void **state)
{
	const char *const sleeper[] = {"sh", "-c", "echo start; sleep 60 & wait", NULL};
	const char *const talker[] = {"sh", "-c", "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done", NULL};
	const char *const missing[] = {"no-such-program-here", NULL};
	const char *const fails[] = {"sh", "-c", "exit 3", NULL};
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_spawn_output(sleeper, 200000000, &out, &err), TS_DEADLINE);
	ts_buf_reset(&out);
	assert_int_equal(ts_spawn_output(talker, INT64_C(20000000000), &out, &err), TS_TOO_LARGE);
	ts_buf_reset(&out);
	assert_int_equal(ts_spawn_output(missing, 200000000, &out, &err), TS_NOT_FOUND);
	assert_int_equal(ts_spawn_output(fails, INT64_C(20000000000), &out, &err), TS_IO);
	assert_non_null(strstr(err.text, "exit status 3"));
	ts_buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(git_facts),
		cmocka_unit_test(a_command_is_text),
		cmocka_unit_test(gpu_facts),
		cmocka_unit_test(variables_on_the_list),
		cmocka_unit_test(programs_have_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
