/* short_runs.c - see short_runs.h. */
#include "cli/verbs/short_runs.h"

#include "base/clock.h"
#include "base/file.h"
#include "cli/core/path_run.h"
#include "cli/verbs/experiment_copies.h"
#include "cli/verbs/experiment_place.h"
#include "cli/why/run_output.h"
#include "ingest/host/spawn.h"
#include "launch/git.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define GIT_NS (INT64_C(60) * 1000000000)

/* The changes of files that git tracks, as git apply reads them. */
static enum ts_status patch_of(struct ts_cli *cli, struct ts_short *s, struct ts_error *err)
{
	const char *const argv[] = {"git",	     "-C",	   s->clone,   "diff", "--no-ext-diff",
				    "--no-textconv", "--no-color", "--binary", "HEAD", NULL};
	struct ts_buf text = TS_BUF_INIT(TS_RECIPE_PATCH);
	enum ts_status status = ts_spawn_output(argv, GIT_NS, &text, err);

	if (status)
		ts_error_prefix(err, "the changes that are not committed could not be had from git");
	else
		s->recipe.patch = ts_arena_span(&cli->arena, ts_buf_view(&text));
	ts_buf_finish(&text);
	return status;
}

static enum ts_status code_of(struct ts_cli *cli, struct ts_short *s, struct ts_error *err)
{
	const char *here = ts_args_text(&cli->args, "clone") ? s->clone : ".";
	char commit[TS_GIT_SAID], prefix[TS_GIT_SAID];

	if (!ts_git(s->clone, (const char *const[]){"rev-parse", "--verify", "HEAD", NULL}, commit))
		return ts_error_set(err, TS_INVALID, "%s has no commit: runs are made in worktrees of one", s->clone);
	if (!ts_git(here, (const char *const[]){"rev-parse", "--show-prefix", NULL}, prefix))
		prefix[0] = '\0';
	if (prefix[0] && prefix[strlen(prefix) - 1] == '/')
		prefix[strlen(prefix) - 1] = '\0';
	s->recipe.commit = ts_arena_printf(&cli->arena, "%s", commit);
	s->recipe.directory = ts_arena_printf(&cli->arena, "%s", prefix);
	return patch_of(cli, s, err);
}

enum ts_status ts_short_of(struct ts_cli *cli, const char *const *words, const char *what, struct ts_short *ret_short,
			   struct ts_error *err)
{
	struct ts_short s = {.recipe = {.argv = words}};
	const char *named = ts_arena_phrase(&cli->arena, "%s/%" PRId64 "-%d", what, ts_now_real_ns() / 1000000000, (int)getpid());
	uint64_t limit_s = 0;
	bool given;

	if (!words[0])
		return ts_error_set(err, TS_INVALID, "there is no command behind --");
	if (ts_args_seconds(&cli->args, "limit", &given, &limit_s, err) || ts_experiment_clone(cli, &s.clone, err) ||
	    ts_experiment_launcher(cli, &s.recipe.launcher, err) || code_of(cli, &s, err) ||
	    ts_experiment_copies(cli, s.clone, NULL, 0, &s.recipe.files, err) ||
	    ts_experiment_folder(cli, named, &s.directory, err))
		return err->status;
	s.recipe.limit_ns = (int64_t)limit_s * 1000000000;
	*ret_short = s;
	return ts_arena_check(&cli->arena, err);
}

void ts_short_steps(struct ts_short *s, int64_t n, bool operations)
{
	s->recipe.stops = true;
	s->recipe.stop = n - 1;
	s->recipe.watch = (struct ts_recipe_steps){0, n};
	s->recipe.operations = (struct ts_recipe_steps){0, operations ? n : 0};
	s->recipe.aten = true;
}

/* Ingests the folder; that nothing is there is no error. */
static enum ts_status ingest(struct ts_cli *cli, struct ts_short_run *run, struct ts_error *err)
{
	bool quiet = cli->quiet;
	enum ts_status status;

	if (ts_file_kind(run->folder) == TS_FILE_NONE)
		return TS_OK;
	cli->quiet = true;
	status = ts_path_run(cli, run->folder, &run->spec, err);
	cli->quiet = quiet;
	return status == TS_NOT_FOUND || status == TS_INVALID ? TS_OK : status;
}

enum ts_status ts_short_run(struct ts_cli *cli, struct ts_runner *runner, const struct ts_short *s, unsigned number,
			    struct ts_short_run *ret_run, struct ts_error *err)
{
	struct ts_recipe recipe = s->recipe;
	struct ts_short_run run = {.folder = ts_arena_printf(&cli->arena, "%s/%u", s->directory, number)};
	struct ts_ran ran;
	uint32_t job;

	if (!run.folder)
		return ts_arena_error(&cli->arena, err);
	recipe.folder = run.folder;
	if (ts_runner_begin(runner, s->clone, &recipe, &job, err) || ts_runner_wait(runner, -1, &ran, err))
		return err->status;
	if (ran.kind == TS_RAN_ENDED)
		return ts_error_set(err, TS_CANCELLED, "the run was ended");
	if (ran.kind != TS_RAN_WELL)
		run.problem = ts_run_output_problem(ran.why, run.folder, s->clone, recipe.directory, &cli->arena);
	if (ingest(cli, &run, err))
		return err->status;
	if (!run.problem && !run.spec.len)
		run.problem = "it ran, and recorded nothing; a program is recorded by the package tscope, as with python -m tscope";
	*ret_run = run;
	return ts_arena_check(&cli->arena, err);
}
