/* process_linux.c - the keeper's process on Linux, by posix_spawn: what starts it is not copied, however large it is. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "record/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 8, ASIDE = 16 };

extern char **environ;

/* Copies lie where no target of dup2 is. */
static int put_aside(const int *descriptors, int n, int aside[MOST])
{
	for (int i = 0; i < n; i++) {
		aside[i] = fcntl(descriptors[i], F_DUPFD_CLOEXEC, ASIDE);
		if (aside[i] >= 0)
			continue;
		while (i-- > 0)
			(void)close(aside[i]);
		return errno;
	}
	return 0;
}

static int spawn(const char *program, const char *title, const int *aside, int n, pid_t *ret_pid)
{
	char name[] = "tscope-keeper", text[256];
	char *words[] = {name, text, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t all;
	int error;

	(void)snprintf(text, sizeof text, "%s", title);
	(void)sigfillset(&all);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawnattr_init(&attributes);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	(void)posix_spawnattr_setsigmask(&attributes, &all);
	for (int i = 0; i < TS_PROCESS_FIRST; i++)
		(void)posix_spawn_file_actions_addopen(&actions, i, "/dev/null", O_RDWR, 0);
	for (int i = 0; i < n; i++)
		(void)posix_spawn_file_actions_adddup2(&actions, aside[i], TS_PROCESS_FIRST + i);
	error = posix_spawn(ret_pid, program, &actions, &attributes, words, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)posix_spawnattr_destroy(&attributes);
	return error;
}

int ts_process_start(const char *program, const char *title, const int *descriptors, int n)
{
	int aside[MOST] = {0}, status = 0, error = n <= MOST ? put_aside(descriptors, n, aside) : EINVAL;
	pid_t pid;

	if (error)
		return error;
	error = spawn(program, title, aside, n, &pid);
	for (int i = 0; i < n; i++)
		(void)close(aside[i]);
	if (error)
		return error;
	/* It leaves a child of its own behind and ends. Where the program ignores its children there is nothing to wait for. */
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return 0;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : ECHILD;
}

int ts_process_detach(int n)
{
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (pid > 0)
		_exit(0);
	(void)setsid();
#ifdef SYS_close_range
	if (syscall(SYS_close_range, (unsigned)(TS_PROCESS_FIRST + n), ~0u, 0u) == 0)
		return 0;
#endif
	for (int i = TS_PROCESS_FIRST + n; i < (int)sysconf(_SC_OPEN_MAX) && i < 65536; i++)
		(void)close(i);
	return 0;
}

int ts_process_watch(uint32_t process)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, (pid_t)process, 0u);
#else
	(void)process;
	return -1;
#endif
}

bool ts_process_lives(uint32_t process)
{
	return kill((pid_t)process, 0) == 0 || errno != ESRCH;
}

bool ts_process_has_memory(uint32_t process)
{
	char path[64], line[512];
	bool found = false;
	FILE *maps;

	(void)snprintf(path, sizeof path, "/proc/%u/maps", (unsigned)process);
	maps = fopen(path, "re");
	if (!maps)
		return false;
	while (!found && fgets(line, sizeof line, maps))
		found = strstr(line, "/memfd:tscope") != NULL;
	(void)fclose(maps);
	return found;
}
