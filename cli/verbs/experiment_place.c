#include "cli/verbs/experiment_place.h"

#include "base/file.h"
#include "cli/verbs/again_words.h"
#include "launch/git.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHORT = 12 };

enum ts_status ts_experiment_clone(struct ts_cli *cli, const char **ret_clone, struct ts_error *err)
{
	const char *given = ts_args_text(&cli->args, "clone");
	char said[TS_GIT_SAID];

	if (!ts_git(given ? given : ".", (const char *const[]){"rev-parse", "--show-toplevel", NULL}, said))
		return ts_error_set(err, TS_INVALID,
				    "%s is in no clone of git: experiments run in worktrees of one; --clone DIR names it",
				    given ? given : "this folder");
	*ret_clone = ts_arena_printf(&cli->arena, "%s", said);
	return *ret_clone ? TS_OK : ts_arena_error(&cli->arena, err);
}

/* A folder of the user's below the state folder of the XDG specification. */
static const char *state_folder(struct ts_cli *cli, const char *name)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && state[0] == '/')
		return ts_arena_printf(&cli->arena, "%s/tscope/%s", state, name);
	return home && home[0] == '/' ? ts_arena_printf(&cli->arena, "%s/.local/state/tscope/%s", home, name) : NULL;
}

enum ts_status ts_experiment_state(struct ts_cli *cli, const char *name, const char **ret_folder, struct ts_error *err)
{
	const char *folder = state_folder(cli, name);

	if (!folder)
		return ts_error_set(err, TS_INVALID, "there is no home folder; XDG_STATE_HOME names another one");
	*ret_folder = folder;
	return ts_make_dirs(folder, 0700, err);
}

enum ts_status ts_experiment_runner(struct ts_cli *cli, struct ts_runner **ret_runner, struct ts_error *err)
{
	const char *folder = NULL;

	return ts_experiment_state(cli, "runner", &folder, err) ? err->status : ts_runner_open(folder, ret_runner, err);
}

enum ts_status ts_experiment_folder(struct ts_cli *cli, const char *name, const char **ret_folder, struct ts_error *err)
{
	const char *given = ts_args_text(&cli->args, "directory"), *folder = given ? given : state_folder(cli, name);
	char whole[PATH_MAX];

	if (!folder)
		return ts_error_set(err, TS_INVALID, "there is no home folder; --directory names where runs are kept");
	if (ts_make_dirs(folder, 0700, err))
		return err->status;
	if (!realpath(folder, whole))
		return ts_error_errno(err, ENOENT, "%s", folder);
	*ret_folder = ts_arena_printf(&cli->arena, "%s", whole);
	return *ret_folder ? TS_OK : ts_arena_error(&cli->arena, err);
}

enum ts_status ts_experiment_directory(struct ts_cli *cli, const char *what, const struct ts_id *a, const struct ts_id *b,
				       const char **ret_directory, struct ts_error *err)
{
	char hex_a[TS_ID_HEX + 1], hex_b[TS_ID_HEX + 1];

	return ts_experiment_folder(cli,
				    ts_arena_phrase(&cli->arena, "%s/%.*s-%.*s", what, SHORT, ts_id_hex(a, hex_a), SHORT,
						    ts_id_hex(b, hex_b)),
				    ret_directory, err);
}

enum ts_status ts_experiment_launcher(struct ts_cli *cli, const char *const **ret_words, struct ts_error *err)
{
	const char *text = ts_args_text(&cli->args, "runner");
	const char *const *words = text ? ts_again_words(ts_span_str(text), &cli->arena) : NULL;
	char whole[PATH_MAX];
	const char **made;
	size_t n = 0;

	*ret_words = NULL;
	if (!text)
		return TS_OK;
	if (!words)
		return ts_arena_check(&cli->arena, err)
			       ? err->status
			       : ts_error_set(err, TS_INVALID,
					      "--runner is a program with its words, such as 'srun -N1', and no shell reads it");
	while (words[n])
		n++;
	made = ts_arena_array(&cli->arena, n + 1, sizeof *made);
	for (size_t i = 0; made && i <= n; i++)
		made[i] = words[i];
	if (made && strchr(words[0], '/')) {
		if (!realpath(words[0], whole))
			return ts_error_set(err, TS_NOT_FOUND, "--runner: %s is not there", words[0]);
		made[0] = ts_arena_printf(&cli->arena, "%s", whole);
	}
	*ret_words = made;
	return ts_arena_check(&cli->arena, err);
}

enum ts_status ts_experiment_jobs(struct ts_cli *cli, size_t *ret_jobs, struct ts_error *err)
{
	uint64_t jobs = 1;
	bool given;

	if (ts_args_uint(&cli->args, "jobs", TS_RUNNER_JOBS, &given, &jobs, err))
		return err->status;
	if (given && !jobs)
		return ts_error_set(err, TS_INVALID, "--jobs is 1 or more");
	*ret_jobs = given ? jobs : 1;
	return TS_OK;
}

enum ts_status ts_experiment_confirm(struct ts_cli *cli, const char *what, struct ts_error *err)
{
	char answer[16] = "";

	if (ts_args_has(&cli->args, "yes"))
		return TS_OK;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return ts_error_set(err, TS_INVALID, "--yes is needed to %s, where nobody can be asked", what);
	(void)fprintf(stderr, "tscope: %s? [y/N] ", what);
	if (!fgets(answer, sizeof answer, stdin) || (answer[0] != 'y' && answer[0] != 'Y'))
		return ts_error_set(err, TS_INVALID, "it was not confirmed");
	return TS_OK;
}
