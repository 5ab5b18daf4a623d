/* process_linux.c - the keeper's process on Linux. It is started as posix_spawn does it, without a copy of what starts it, however
 * large that is; but by a process between the two, so that training gets no SIGCHLD, and its own wait() finds nothing. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "record/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 8, ASIDE = 16, STACK = 65536 };

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

struct image {
	const char *program, *title;
	const int *aside;
	int n, error; /* why it could not be started */
	uint8_t *stacks; /* of the one between, and of the keeper until it is another program; each ends where the next begins */
};

/* What runs on a stack that is given back without a return from it: a sanitizer would take its frames for living ones. */
#define ASTRAY __attribute__((no_sanitize("address", "undefined", "thread")))

/* The new process, in the memory of the old one, which stands still meanwhile: it makes nothing but system calls. */
ASTRAY static int become(void *arg)
{
	struct image *image = arg;
	char *const words[] = {(char *)(uintptr_t)"tscope-keeper", (char *)(uintptr_t)image->title, NULL};
	int null = open("/dev/null", O_RDWR);

	for (int i = 0; i < TS_PROCESS_FIRST && null >= 0; i++) {
		if (i != null)
			(void)dup2(null, i);
	}
	for (int i = 0; i < image->n && null >= 0; i++) {
		if (dup2(image->aside[i], TS_PROCESS_FIRST + i) < 0)
			null = -1;
	}
	if (null >= 0)
		(void)execve(image->program, words, environ);
	image->error = errno;
	_exit(127);
}

/* The one between: when it has gone, the keeper has no parent here. Its end is no signal. */
ASTRAY static int begin(void *arg)
{
	struct image *image = arg;

	if (clone(become, image->stacks + STACK + STACK, CLONE_VM | CLONE_VFORK, image) < 0)
		image->error = errno;
	_exit(0);
}

/* All signals are blocked while the two share their memory, and stay so in the new process. */
static int spawn(struct image *image, pid_t *ret_pid)
{
	sigset_t all, before;
	void *stacks = mmap(NULL, STACK + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (stacks == MAP_FAILED)
		return errno;
	image->stacks = stacks;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	*ret_pid = clone(begin, image->stacks + STACK, CLONE_VM | CLONE_VFORK, image);
	if (*ret_pid < 0)
		image->error = errno;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)munmap(stacks, STACK + STACK);
	return image->error;
}

int ts_process_start(const char *program, const char *title, const int *descriptors, int n)
{
	int aside[MOST] = {0}, error = n <= MOST ? put_aside(descriptors, n, aside) : EINVAL;
	struct image image = {.program = program, .title = title, .aside = aside, .n = n};
	pid_t pid = -1;

	if (error)
		return error;
	error = spawn(&image, &pid);
	for (int i = 0; i < n; i++)
		(void)close(aside[i]);
	while (pid > 0 && waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
		;
	return error;
}

bool ts_process_wake(int link)
{
	return send(link, "", 1, MSG_NOSIGNAL) == 1;
}

void ts_process_detach(int n)
{
	(void)setsid();
#ifdef SYS_close_range
	if (syscall(SYS_close_range, (unsigned)(TS_PROCESS_FIRST + n), ~0u, 0u) == 0)
		return;
#endif
	for (int i = TS_PROCESS_FIRST + n; i < (int)sysconf(_SC_OPEN_MAX) && i < 65536; i++)
		(void)close(i);
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
