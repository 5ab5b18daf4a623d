#include "launch/git.h"

#include "base/alloc.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 24 };

extern char **environ;

const char **ts_git_environment(void)
{
	static const char *const ours[] = {"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"};
	static const char *const left_out[] = {
		"LC_ALL=",	   "GIT_OPTIONAL_LOCKS=", "GIT_TERMINAL_PROMPT=", "GIT_DIR=",
		"GIT_WORK_TREE=",  "GIT_INDEX_FILE=",	  "GIT_PREFIX=",	  "GIT_OBJECT_DIRECTORY=",
		"GIT_COMMON_DIR=", "GIT_NAMESPACE=",	  "GIT_EXTERNAL_DIFF="};
	enum { OURS = sizeof ours / sizeof *ours };
	size_t n = 0, k = 0;
	const char **made;

	while (environ && environ[n])
		n++;
	made = ts_alloc_array(n + OURS + 1, sizeof *made);
	if (!made)
		return NULL;
	for (size_t i = 0; i < OURS; i++)
		made[k++] = ours[i];
	for (size_t i = 0; i < n; i++) {
		bool out = false;

		for (size_t m = 0; m < sizeof left_out / sizeof *left_out; m++)
			out |= strncmp(environ[i], left_out[m], strlen(left_out[m])) == 0;
		if (!out)
			made[k++] = environ[i];
	}
	return made;
}

/* Takes the first line that tells something, and lets the program print the rest. */
static void take_line(int fd, char ret_said[TS_GIT_SAID])
{
	char bytes[512];
	size_t used = 0;
	bool over = false;
	ssize_t n;

	while ((n = read(fd, bytes, sizeof bytes)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		for (ssize_t i = 0; i < n && !over; i++) {
			over = (bytes[i] == '\n' && used) || used + 1 == TS_GIT_SAID;
			if (!over && bytes[i] != '\n')
				ret_said[used++] = bytes[i];
		}
	}
	ret_said[used] = '\0';
}

static int begin(const char *const *argv, const char *const *env, int out, pid_t *ret_pid)
{
	posix_spawn_file_actions_t files;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc)
		return rc;
	rc = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	rc = rc ? rc : posix_spawn_file_actions_adddup2(&files, out, 1);
	rc = rc ? rc : posix_spawn_file_actions_adddup2(&files, out, 2);
	/* posix_spawnp takes char *const[] but does not change the strings. */
	rc = rc ? rc : posix_spawnp(ret_pid, argv[0], &files, NULL, (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)env);
	(void)posix_spawn_file_actions_destroy(&files);
	return rc;
}

bool ts_git(const char *folder, const char *const *words, char ret_said[TS_GIT_SAID])
{
	const char *argv[WORDS] = {
		"git", "-C", folder, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "advice.detachedHead=false"};
	char said[TS_GIT_SAID] = "";
	const char **env = ts_git_environment();
	size_t n = 9;
	int ends[2] = {-1, -1}, status = -1;
	pid_t pid;

	while (*words && n + 1 < WORDS)
		argv[n++] = *words++;
	if (env && !*words && ts_system_pipe(ends) == 0) {
		int rc = begin(argv, env, ends[1], &pid);

		(void)close(ends[1]);
		if (rc == 0) {
			take_line(ends[0], said);
			while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
				;
		} else {
			(void)memcpy(said, "git cannot be run", sizeof "git cannot be run");
		}
		(void)close(ends[0]);
	}
	ts_free(env);
	if (ret_said)
		memcpy(ret_said, said, sizeof said);
	return status == 0;
}

bool ts_git_tracks(const char *folder, const char *path)
{
	return ts_git(folder, (const char *const[]){"--literal-pathspecs", "ls-files", "--error-unmatch", "--", path, NULL}, NULL);
}
