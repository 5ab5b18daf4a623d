/* ssh:// against a real sshd on a port of loopback, with keys of its own. Skipped only where no sshd is installed. */
#include "service/rpc/testing.h"

#include "base/clock.h"
#include "base/user.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <glob.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SSHD "/usr/sbin/sshd"

extern char **environ;

static struct testing t;
static struct ts_error err;
static char text[256], user[64];
static unsigned port;
static pid_t sshd;

static int run(const char *command)
{
	char shell[] = "/bin/sh", dash_c[] = "-c";
	char *argv[] = {shell, dash_c, (char *)(uintptr_t)command, NULL};
	pid_t pid;
	int how;

	assert_int_equal(posix_spawn(&pid, shell, NULL, NULL, argv, environ), 0);
	assert_int_equal(waitpid(pid, &how, 0), pid);
	return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

static unsigned free_port(void)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof in;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&in, sizeof in), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	close(fd);
	return ntohs(in.sin_port);
}

static void start_sshd(void)
{
	char command[2048], config[96], address[64];
	char path[] = SSHD, dash_d[] = "-D", dash_f[] = "-f", dash_e[] = "-e";
	char *argv[] = {path, dash_d, dash_e, dash_f, config, NULL};
	posix_spawn_file_actions_t actions;
	int64_t until = ts_now_mono_ns() + 20000000000;

	if (geteuid() == 0)
		(void)mkdir("/run/sshd", 0755);
	port = free_port();
	(void)snprintf(config, sizeof config, "%s/sshd_config", t.dir);
	(void)snprintf(command, sizeof command,
		       "cd %s && ssh-keygen -q -t ed25519 -N '' -f host && ssh-keygen -q -t ed25519 -N '' -f user && "
		       "ssh-keygen -q -t ed25519 -N '' -f stranger && cp user.pub authorized_keys && "
		       "printf '%%s\\n' 'Port %u' 'ListenAddress 127.0.0.1' 'HostKey %s/host' 'AuthorizedKeysFile %s/authorized_keys' "
		       "'PidFile none' 'StrictModes no' 'UsePAM no' 'PasswordAuthentication no' 'PermitRootLogin yes' "
		       "'KbdInteractiveAuthentication no' 'LogLevel ERROR' > sshd_config",
		       t.dir, port, t.dir, t.dir);
	assert_int_equal(run(command), 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	assert_int_equal(posix_spawn(&sshd, SSHD, &actions, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	(void)snprintf(address, sizeof address, "127.0.0.1:%u", port);
	for (;;) {
		struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
					 .sin_port = htons((uint16_t)port)};
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		int failed = connect(fd, (struct sockaddr *)&in, sizeof in);

		close(fd);
		if (!failed)
			return;
		assert_true(ts_now_mono_ns() < until);
		(void)poll(NULL, 0, 10);
	}
}

static void use_key(const char *key)
{
	char command[512];

	(void)snprintf(command, sizeof command,
		       "ssh -F /dev/null -i %s/%s -o IdentitiesOnly=yes -o StrictHostKeyChecking=no "
		       "-o UserKnownHostsFile=/dev/null -o BatchMode=yes -o LogLevel=QUIET", t.dir, key);
	assert_int_equal(setenv("TSCOPE_SSH", command, 1), 0);
}

static int group_setup(void **state)
{
	struct passwd *me = getpwuid(geteuid());

	(void)state;
	if (access(SSHD, X_OK) != 0)
		return 0;
	assert_non_null(me);
	(void)snprintf(user, sizeof user, "%s", me->pw_name);
	testing_init(&t);
	/* The tunnels are in a directory of this test, apart from other tests that run at the same time. */
	setenv("XDG_RUNTIME_DIR", t.dir, 1);
	testing_start(&t);
	start_sshd();
	return 0;
}

static int group_teardown(void **state)
{
	(void)state;
	if (!sshd)
		return 0;
	kill(sshd, SIGTERM);
	waitpid(sshd, NULL, 0);
	testing_finish(&t);
	return 0;
}

static void need_sshd(void)
{
	if (sshd)
		return;
	print_message("skipped: " SSHD " is not there (package openssh-server)\n");
	skip();
}

static const char *address_of(const char *path)
{
	static char address[300];

	(void)snprintf(address, sizeof address, "ssh://%s@127.0.0.1:%u%s", user, port, path);
	return address;
}

static size_t tunnels_left(void)
{
	char pattern[300];
	size_t n = 0;
	glob_t found;

	(void)snprintf(pattern, sizeof pattern, "%s/tscope-ssh-*", t.dir);
	if (glob(pattern, 0, NULL, &found) == 0)
		n = found.gl_pathc;
	globfree(&found);
	return n;
}

static void a_server_is_reached_through_ssh(void **state)
{
	size_t before = tunnels_left();
	struct ts_channel *ch;
	char want[TS_USER_TEXT];

	(void)state;
	need_sshd();
	use_key("user");
	ch = testing_client(address_of(t.socket));
	assert_int_equal(tunnels_left(), before + 1);
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("far away"), text), TS_OK);
	assert_string_equal(text, "far away");
	ts_user_name(geteuid(), want);
	assert_int_equal(testing_call(ch, "Who", ts_span_str(""), text), TS_OK);
	assert_string_equal(text, want);
	ch->ops->destroy(ch);
	assert_int_equal(tunnels_left(), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), 0); /* sshd runs, ssh does not */
}

static void much_passes_through_ssh(void **state)
{
	struct ts_upload *upload;
	struct ts_channel *ch;
	struct ts_span reply;
	struct ts_arena arena;
	char *bytes;

	(void)state;
	need_sshd();
	bytes = calloc(1, 1 << 20);
	assert_non_null(bytes);
	use_key("user");
	ch = testing_client(address_of(t.socket));
	assert_int_equal(ch->ops->upload_open(ch, "Sum", &upload, &err), TS_OK);
	for (int i = 0; i < 16; i++)
		assert_int_equal(ch->ops->upload_send(upload, ts_span_of(bytes, 1 << 20), &err), TS_OK);
	ts_arena_init(&arena, 4096);
	assert_int_equal(ch->ops->upload_finish(upload, &arena, &reply, &err), TS_OK);
	assert_true(ts_span_is(reply, "16 16777216"));
	ts_arena_finish(&arena);
	ch->ops->destroy(ch);
	free(bytes);
}

static void refused(const char *address, const char *why)
{
	size_t before = tunnels_left();
	struct ts_channel *ch = NULL;

	assert_int_equal(ts_client_open(address, NULL, &ch, &err), TS_UNAVAILABLE);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
	assert_int_equal(tunnels_left(), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), 0);
}

static void what_fails_is_told_apart(void **state)
{
	(void)state;
	need_sshd();
	use_key("user");
	refused(address_of("/nonexistent/tscoped.sock"), "ssh reaches 127.0.0.1, but no tscoped answers at /nonexistent/tscoped.sock");
	use_key("stranger");
	refused(address_of(t.socket), "exit status 255");
	assert_int_equal(setenv("TSCOPE_SSH", "/nonexistent/ssh -v", 1), 0);
	refused(address_of(t.socket), "cannot run /nonexistent/ssh");
}

/* Acts as a client for the next test: it opens the tunnel, reports that, and waits to be killed. */
static int hold(const char *address)
{
	struct ts_channel *ch;

	if (ts_client_open(address, NULL, &ch, &err) || write(STDOUT_FILENO, "+", 1) != 1)
		return 1;
	for (;;)
		(void)pause();
}

/* Its output goes into *ret_out, which its ssh inherits: the pipe ends when both have ended. */
static pid_t spawn_holder(const char *address, int *ret_out)
{
	char self[] = "/proc/self/exe", word[] = "hold";
	char *argv[] = {self, word, (char *)(uintptr_t)address, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	assert_int_equal(posix_spawn(&pid, self, &actions, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	*ret_out = ends[0];
	return pid;
}

static ssize_t read_soon(int fd, char *to)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};

	if (poll(&pollfd, 1, 20000) != 1)
		return -1;
	return read(fd, to, 1);
}

static void a_client_that_is_killed_takes_its_ssh_along(void **state)
{
	static const int signals[] = {SIGKILL, SIGTERM, SIGINT, SIGABRT};
	size_t before = tunnels_left();

	(void)state;
	need_sshd();
	use_key("user");
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		int64_t until;
		pid_t pid;
		char byte;
		int out;

		pid = spawn_holder(address_of(t.socket), &out);
		assert_int_equal(read_soon(out, &byte), 1);
		assert_int_equal(tunnels_left(), before + 1);
		kill(pid, signals[i]);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		if (read_soon(out, &byte) != 0)
			fail_msg("after signal %d ssh lives on", signals[i]);
		close(out);
		until = ts_now_mono_ns() + 20000000000;
		while (tunnels_left() != before && ts_now_mono_ns() < until)
			(void)poll(NULL, 0, 10);
		assert_int_equal(tunnels_left(), before);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_is_reached_through_ssh),
		cmocka_unit_test(much_passes_through_ssh),
		cmocka_unit_test(what_fails_is_told_apart),
		cmocka_unit_test(a_client_that_is_killed_takes_its_ssh_along),
	};

	if (argc == 3 && strcmp(argv[1], "hold") == 0)
		return hold(argv[2]);
	return cmocka_run_group_tests_name("ssh", tests, group_setup, group_teardown);
}
