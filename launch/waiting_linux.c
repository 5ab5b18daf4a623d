#include "launch/waiting.h"

#include "base/system.h"
#include "base/text.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SPY_MS = 5000 };

/* Reads the beginning of a file below /proc/PID; nothing where it may not be read. */
static void read_of(int64_t pid, const char *name, char *to, size_t room)
{
	char path[64];
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof path, "/proc/%" PRId64 "/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, to, room - 1);
	if (fd >= 0)
		(void)close(fd);
	to[n > 0 ? n : 0] = '\0';
}

/* The state letter of "4711 (name with spaces) S 1 ..."; '\0': there is none. */
static char state_of(const char *stat)
{
	const char *end = strrchr(stat, ')');

	return end && end[1] == ' ' ? end[2] : '\0';
}

/* The name of the first function of the kernel's stack, "[<0>] futex_wait_queue+0x63/0x90". */
static void first_frame(const char *stack, char *to, size_t room)
{
	const char *begin = strstr(stack, "] ");
	size_t n = begin ? strcspn(begin + 2, "+\n") : 0;

	(void)snprintf(to, room, "%.*s", (int)(n < room ? n : room - 1), begin ? begin + 2 : "");
}

/* The innermost call of Python, by py-spy. */
static void spy(int64_t pid, char *to, size_t room)
{
	char number[24], text[4096];
	const char *thread, *line;
	size_t n = 0;
	int ends[2];
	pid_t child;

	to[0] = '\0';
	(void)snprintf(number, sizeof number, "%" PRId64, pid);
	if (ts_system_pipe(ends) < 0)
		return;
	child = fork();
	if (child == 0) {
		(void)dup2(ends[1], STDOUT_FILENO);
		(void)execlp("py-spy", "py-spy", "dump", "--nonblocking", "--pid", number, (char *)NULL);
		_exit(127);
	}
	(void)close(ends[1]);
	while (child > 0 && n + 1 < sizeof text) {
		struct pollfd ready = {.fd = ends[0], .events = POLLIN};
		ssize_t got = poll(&ready, 1, SPY_MS) > 0 ? read(ends[0], text + n, sizeof text - 1 - n) : 0;

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	text[n] = '\0';
	(void)close(ends[0]);
	if (child > 0) {
		(void)kill(child, SIGKILL);
		(void)waitpid(child, NULL, 0);
	}
	thread = strstr(text, "\"MainThread\"");
	line = thread ? strchr(thread, '\n') : NULL;
	if (!line || line[1] != ' ')
		return;
	line += 1 + strspn(line + 1, " ");
	(void)snprintf(to, room, "%.*s", (int)strcspn(line, "\n"), line);
}

void ts_waiting_of(int64_t pid, char ret_text[TS_WAITING_TEXT])
{
	char stat[1024], name[64], wchan[64], stack[1024], frame[64], python[160];
	const char *words = "runs", *in;

	read_of(pid, "stat", stat, sizeof stat);
	read_of(pid, "comm", name, sizeof name);
	read_of(pid, "wchan", wchan, sizeof wchan);
	read_of(pid, "stack", stack, sizeof stack);
	name[strcspn(name, "\n")] = '\0';
	first_frame(stack, frame, sizeof frame);
	in = frame[0] ? frame : strcmp(wchan, "0") == 0 ? "" : wchan;
	spy(pid, python, sizeof python);
	switch (state_of(stat)) {
	case '\0':
		(void)snprintf(ret_text, TS_WAITING_TEXT, "process %" PRId64 " is not there", pid);
		return;
	case 'S':
	case 'I':
		words = "sleeps";
		break;
	case 'D':
		words = "waits for a disk or a device, and cannot be interrupted";
		break;
	case 'T':
	case 't':
		words = "is stopped";
		break;
	case 'Z':
		words = "has ended, and nobody has asked how";
		break;
	default:
		break;
	}
	(void)snprintf(ret_text, TS_WAITING_TEXT, "process %" PRId64 "%s%s%s %s%s%s%s%s", pid, name[0] ? " (" : "", name,
		       name[0] ? ")" : "", words, in[0] ? " in " : "", in, python[0] ? ", Python in " : "", python);
}
