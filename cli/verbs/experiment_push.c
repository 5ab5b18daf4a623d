#include "cli/verbs/experiment_push.h"

#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MOST = 64 };

extern char **environ;

static bool run_self(const char *const *words)
{
	posix_spawn_file_actions_t actions;
	int status = 0;
	pid_t pid, got;

	if (posix_spawn_file_actions_init(&actions))
		return false;
	/* What push prints is no part of this command's answer; its errors are. */
	if (posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) ||
	    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) ||
	    posix_spawnp(&pid, ts_system_program(), &actions, NULL, (char *const *)(uintptr_t)words, environ))
		pid = -1;
	(void)posix_spawn_file_actions_destroy(&actions);
	if (pid < 0)
		return false;
	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	return got == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void ts_experiment_push(struct ts_cli *cli, const char *folder, const char *name, const struct ts_experiment_fact *facts, size_t n,
			bool *ret_pushed)
{
	static const char *const passed[] = {"project", "server", "store"};
	const char *words[WORDS_MOST] = {"tscope", "push", "--quiet", ts_arena_phrase(&cli->arena, "--name=%s", name)};
	size_t k = 4;

	for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
		const char *value = ts_args_text(&cli->args, passed[i]);

		if (value)
			words[k++] = ts_arena_phrase(&cli->arena, "--%s=%s", passed[i], value);
	}
	for (size_t i = 0; i < n && k < WORDS_MOST - 3; i++)
		words[k++] = ts_arena_phrase(&cli->arena, "--fact=%s=%s", facts[i].path, facts[i].value);
	words[k++] = "--";
	words[k++] = folder;
	words[k] = NULL;
	*ret_pushed = run_self(words);
}
