#include "service/rpc/tunnel.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/span.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { WORDS_MAX = 48, COMMAND_MAX = 2048 };

struct ts_tunnel {
	pid_t pid;   /* of ssh; 0 = none. Reaped by close alone, so that the number stays its own while the guard may use it */
	pid_t guard; /* 0 = none */
	int alive;   /* a pipe that nobody writes to: it ends with this process. -1 = none */
	char dir[80];
	char path[96];
};

/* Splits TSCOPE_SSH at spaces, in place. Returns the number of words. */
static size_t split_words(char *text, char *words[], size_t max)
{
	size_t n = 0;

	for (char *at = text; *at && n < max;) {
		while (*at == ' ')
			*at++ = 0;
		if (!*at)
			break;
		words[n++] = at;
		while (*at && *at != ' ')
			at++;
	}
	return n;
}

static enum ts_status make_dir(struct ts_tunnel *tunnel, struct ts_error *err)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	/* A socket path can have at most 108 bytes, so a long runtime directory is not used. */
	if (!runtime || runtime[0] != '/' || strlen(runtime) > 48)
		runtime = "/tmp";
	(void)snprintf(tunnel->dir, sizeof tunnel->dir, "%s/tscope-ssh-XXXXXX", runtime);
	if (!mkdtemp(tunnel->dir)) {
		tunnel->dir[0] = 0;
		return ts_error_errno(err, errno, "directory for ssh's socket in %s", runtime);
	}
	(void)snprintf(tunnel->path, sizeof tunnel->path, "%s/s", tunnel->dir);
	return TS_OK;
}

/* The command: the words of TSCOPE_SSH, else "ssh", and after them the arguments of the tunnel. */
struct command {
	char own[COMMAND_MAX]; /* TSCOPE_SSH, cut into words */
	char forward[400], target[400];
	char *argv[WORDS_MAX];
};

static enum ts_status make_command(struct command *c, const struct ts_tunnel *tunnel, const struct ts_address *address,
				   struct ts_error *err)
{
	const char *own = getenv("TSCOPE_SSH"), *port = address->port[0] ? address->port : NULL;
	const char *ours[] = {"-N", "-T", "-o",	    "ExitOnForwardFailure=yes", "-L", c->forward, port ? "-p" : NULL,
			      port, "--", c->target};
	enum { OURS = sizeof ours / sizeof ours[0] };
	size_t n;

	if (!own || !*own)
		own = "ssh";
	if (strlen(own) >= sizeof c->own)
		return ts_error_set(err, TS_TOO_LARGE, "TSCOPE_SSH is longer than %d bytes", COMMAND_MAX - 1);
	memcpy(c->own, own, strlen(own) + 1);
	n = split_words(c->own, c->argv, WORDS_MAX - OURS - 1);
	if (n == 0)
		return ts_error_set(err, TS_INVALID, "TSCOPE_SSH names no command");
	(void)snprintf(c->forward, sizeof c->forward, "%s:%s", tunnel->path, address->path);
	(void)snprintf(c->target, sizeof c->target, "%s%s%s", address->user, address->user[0] ? "@" : "", address->host);
	for (size_t i = 0; i < OURS; i++)
		if (ours[i])
			c->argv[n++] = (char *)(uintptr_t)ours[i]; /* nobody writes to it */
	c->argv[n] = NULL;
	return TS_OK;
}

/* ssh asks on the terminal and is ended by ^C there: its signals are set as for any command. */
static enum ts_status spawn(struct ts_tunnel *tunnel, const struct ts_address *address, struct ts_error *err)
{
	posix_spawnattr_t attr;
	sigset_t none, ordinary;
	struct command command;
	int errnum;

	if (make_command(&command, tunnel, address, err))
		return err->status;
	posix_spawnattr_init(&attr);
	sigemptyset(&none);
	sigemptyset(&ordinary);
	sigaddset(&ordinary, SIGPIPE);
	sigaddset(&ordinary, SIGINT);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &ordinary);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	errnum = posix_spawnp(&tunnel->pid, command.argv[0], NULL, &attr, command.argv, environ);
	posix_spawnattr_destroy(&attr);
	if (errnum) {
		tunnel->pid = 0;
		return ts_error_set(err, TS_UNAVAILABLE, "cannot run %s: %s", command.argv[0], strerror(errnum));
	}
	return TS_OK;
}

/* Starts a guard, which ends ssh and cleans up when its standard input ends, as it does however this process dies. A
 * signal to the whole process group must not end the guard before. */
static enum ts_status spawn_guard(struct ts_tunnel *tunnel, struct ts_error *err)
{
	static char shell[] = "/bin/sh", dash_c[] = "-c", name[] = "tscope-ssh-guard",
		    script[] = "read -r none; kill \"$1\"; rm -f -- \"$2\"; rmdir -- \"$3\"";
	char pid[24];
	char *argv[] = {shell, dash_c, script, name, pid, tunnel->path, tunnel->dir, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t all;
	int ends[2], errnum;

	if (ts_system_pipe(ends) != 0)
		return ts_error_errno(err, errno, "pipe to the guard of ssh");
	(void)snprintf(pid, sizeof pid, "%ld", (long)tunnel->pid);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	posix_spawnattr_init(&attr);
	sigfillset(&all);
	sigdelset(&all, SIGCHLD);
	posix_spawnattr_setsigmask(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	errnum = posix_spawn(&tunnel->guard, shell, &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[0]);
	tunnel->alive = ends[1];
	if (errnum) {
		tunnel->guard = 0;
		return ts_error_set(err, TS_UNAVAILABLE, "cannot run %s: %s", shell, strerror(errnum));
	}
	return TS_OK;
}

static enum ts_status wait_there(struct ts_tunnel *tunnel, const struct ts_address *address, struct ts_error *err)
{
	int64_t until = ts_now_mono_ns() + TS_SSH_SECONDS * INT64_C(1000000000);
	struct stat st;

	while (ts_now_mono_ns() < until) {
		siginfo_t how = {.si_pid = 0};

		if (waitid(P_PID, (id_t)tunnel->pid, &how, WEXITED | WNOHANG | WNOWAIT) == 0 && how.si_pid == tunnel->pid)
			return ts_error_set(err, TS_UNAVAILABLE, "ssh to %s ended before it forwarded %s (exit status %d); its message "
					    "is above", address->host, address->path,
					    how.si_code == CLD_EXITED ? how.si_status : -1);
		if (stat(tunnel->path, &st) == 0 && S_ISSOCK(st.st_mode))
			return TS_OK;
		(void)poll(NULL, 0, 5);
	}
	return ts_error_set(err, TS_UNAVAILABLE, "ssh to %s has not forwarded %s within %d s", address->host, address->path,
			    TS_SSH_SECONDS);
}

enum ts_status ts_tunnel_open(const struct ts_address *address, struct ts_tunnel **ret_tunnel, struct ts_error *err)
{
	struct ts_tunnel *tunnel = ts_alloc_array(1, sizeof *tunnel);

	if (!tunnel)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for ssh");
	tunnel->alive = -1;
	if (make_dir(tunnel, err) || spawn(tunnel, address, err) || spawn_guard(tunnel, err) || wait_there(tunnel, address, err)) {
		ts_tunnel_close(tunnel);
		return err->status;
	}
	*ret_tunnel = tunnel;
	return TS_OK;
}

const char *ts_tunnel_path(const struct ts_tunnel *tunnel)
{
	return tunnel->path;
}

static void reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

void ts_tunnel_close(struct ts_tunnel *tunnel)
{
	if (!tunnel)
		return;
	if (tunnel->alive >= 0)
		close(tunnel->alive);
	if (tunnel->guard > 0)
		reap(tunnel->guard);
	if (tunnel->pid > 0) {
		(void)kill(tunnel->pid, SIGTERM);
		reap(tunnel->pid);
	}
	if (tunnel->dir[0]) {
		(void)unlink(tunnel->path);
		(void)rmdir(tunnel->dir);
	}
	ts_free(tunnel);
}
