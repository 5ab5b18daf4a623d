#include "ingest/host/spawn.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Returns the environment with LC_ALL=C and without git's locks, or NULL if memory runs out. */
static const char **child_environment(void)
{
	static const char *const ours[] = {"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"};
	size_t n = 0, k = 0;
	const char **env;

	while (environ && environ[n])
		n++;
	env = ts_alloc_array(n + sizeof ours / sizeof ours[0] + 1, sizeof *env);
	if (!env)
		return NULL;
	for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
		env[k++] = ours[i];
	for (size_t i = 0; i < n; i++) {
		if (strncmp(environ[i], "LC_ALL=", 7) != 0 && strncmp(environ[i], "GIT_OPTIONAL_LOCKS=", 19) != 0)
			env[k++] = environ[i];
	}
	return env;
}

static int start(const char *const argv[], int out, pid_t *ret_pid)
{
	const char **env = child_environment();
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, defaults;
	int rc;

	if (!env)
		return ENOMEM;
	(void)sigemptyset(&none);
	(void)sigemptyset(&defaults);
	(void)sigaddset(&defaults, SIGPIPE);
	rc = posix_spawn_file_actions_init(&files);
	if (rc) {
		ts_free(env);
		return rc;
	}
	rc = posix_spawnattr_init(&attr);
	if (!rc) {
		(void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
							      POSIX_SPAWN_SETSIGDEF);
		(void)posix_spawnattr_setsigmask(&attr, &none);
		(void)posix_spawnattr_setsigdefault(&attr, &defaults);
		rc = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
		rc = rc ? rc : posix_spawn_file_actions_adddup2(&files, out, 1);
		rc = rc ? rc : posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
		/* posix_spawnp takes char *const[] but does not change the strings. */
		rc = rc ? rc
			: posix_spawnp(ret_pid, argv[0], &files, &attr, (char *const *)(uintptr_t)argv,
				       (char *const *)(uintptr_t)env);
		(void)posix_spawnattr_destroy(&attr);
	}
	(void)posix_spawn_file_actions_destroy(&files);
	ts_free(env);
	return rc;
}

static enum ts_status read_output(int fd, int64_t limit_ns, bool (*take)(void *ctx, struct ts_span bytes), void *ctx,
				  struct ts_error *err)
{
	int64_t end = ts_now_mono_ns() + limit_ns;
	uint8_t bytes[16384];

	for (;;) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		int64_t left_ms = (end - ts_now_mono_ns()) / 1000000;
		ssize_t n;

		if (left_ms <= 0)
			return ts_error_set(err, TS_DEADLINE, "it took longer than %" PRId64 " s",
					    limit_ns / 1000000000);
		if (poll(&ready, 1, left_ms > 1000 ? 1000 : (int)left_ms) <= 0)
			continue;
		n = read(fd, bytes, sizeof bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ts_error_errno(err, errno, "read");
		if (n == 0)
			return TS_OK;
		if (!take(ctx, ts_span_of(bytes, (size_t)n)))
			return ts_error_set(err, TS_TOO_LARGE, "it printed more than the limit");
	}
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum ts_status ts_spawn(const char *const argv[], int64_t limit_ns, bool (*take)(void *ctx, struct ts_span bytes),
			void *ctx, struct ts_error *err)
{
	enum ts_status status;
	int ends[2];
	pid_t pid;
	int rc;

	if (ts_system_pipe(ends) < 0)
		return ts_error_errno(err, errno, "pipe");
	rc = start(argv, ends[1], &pid);
	(void)close(ends[1]);
	if (rc) {
		(void)close(ends[0]);
		return ts_error_errno(err, rc, "%s", argv[0]);
	}
	status = read_output(ends[0], limit_ns, take, ctx, err);
	(void)close(ends[0]);
	if (status)
		(void)kill(-pid, SIGKILL);
	rc = wait_for(pid);
	if (status)
		return ts_error_prefix(err, "%s", argv[0]);
	return rc == 0 ? TS_OK : ts_error_set(err, TS_IO, "%s: failed with exit status %d", argv[0], rc);
}

static bool take_into(void *ctx, struct ts_span bytes)
{
	struct ts_buf *out = ctx;

	ts_buf_span(out, bytes);
	return out->failed == TS_OK;
}

enum ts_status ts_spawn_output(const char *const argv[], int64_t limit_ns, struct ts_buf *out, struct ts_error *err)
{
	return ts_spawn(argv, limit_ns, take_into, out, err);
}
