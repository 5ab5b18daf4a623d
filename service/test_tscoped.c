/* The program itself, as a service manager and a person run it. */
#include "service/handlers/channel.h"
#include "service/rpc/client.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/user.h"
#include "base/version.h"
#include "proto/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char dir[64], socket_path[96], store[96], log_path[96], program[512];
static struct ts_error err;

static int setup(void **state)
{
	const char *build = getenv("TS_BUILD");

	(void)state;
	(void)snprintf(dir, sizeof dir, "/tmp/tscoped-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	(void)snprintf(socket_path, sizeof socket_path, "%s/run/s", dir);
	(void)snprintf(store, sizeof store, "%s/store", dir);
	(void)snprintf(log_path, sizeof log_path, "%s/log", dir);
	assert_non_null(build);
	(void)snprintf(program, sizeof program, "%s/tscoped", build);
	unsetenv("NOTIFY_SOCKET");
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	(void)snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command);
}

/* Starts tscoped with flags after --socket and --store; NULL ends them. stderr goes to the log, stdout to `out` beside it. */
static pid_t start(const char *const *flags)
{
	const char *argv[24] = {program, "--socket", socket_path, "--store", store};
	posix_spawn_file_actions_t actions;
	char out[96];
	size_t n = 5;
	pid_t pid;

	while (*flags)
		argv[n++] = *flags++;
	(void)snprintf(out, sizeof out, "%s/out", dir);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_addopen(&actions, 2, log_path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	assert_int_equal(posix_spawn(&pid, program, &actions, NULL, (char **)(uintptr_t)argv, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static const char *read_log(const char *path)
{
	static char text[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return text;
}

static void wait_for_line(const char *what)
{
	int64_t until = ts_now_mono_ns() + 60000000000;

	while (!strstr(read_log(log_path), what)) {
		if (ts_now_mono_ns() > until)
			fail_msg("'%s' never came:\n%s", what, read_log(log_path));
		(void)poll(NULL, 0, 10);
	}
}

static int wait_exit(pid_t pid)
{
	int how;

	assert_int_equal(waitpid(pid, &how, 0), pid);
	return WIFEXITED(how) ? WEXITSTATUS(how) : 1000 + WTERMSIG(how);
}

static int run(const char *a, const char *b, const char *c)
{
	const char *flags[] = {a, b, c, NULL};

	return wait_exit(start(flags));
}

static enum ts_status server_info(const char *address, struct ts_info_reply *info)
{
	static struct ts_arena arena;
	struct ts_channel *ch;
	struct ts_span reply;
	enum ts_status status;

	status = ts_client_open(address, NULL, &ch, &err);
	if (status)
		return status;
	ts_arena_finish(&arena);
	ts_arena_init(&arena, 1 << 20);
	status = ch->ops->call(ch, "ServerInfo", ts_span_of(NULL, 0), &arena, &reply, &err);
	if (!status)
		status = ts_wire_unpack_info_reply(reply, &arena, info, &err);
	ch->ops->destroy(ch);
	return status;
}

static void serves_until_told_to_stop(void **state)
{
	char want[128], user[TS_USER_TEXT];
	static const char *const flags[] = {"--listen", "tcp:127.0.0.1:0", "--socket-mode", "0600", NULL};
	char address[128] = "unix:", tcp[64] = "";
	struct ts_info_reply info;
	const char *at;
	struct stat st;
	pid_t pid = start(flags);

	(void)state;
	wait_for_line("event=ready");
	assert_int_equal(stat(socket_path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	(void)snprintf(address, sizeof address, "unix:%s", socket_path);
	assert_int_equal(server_info(address, &info), TS_OK);
	assert_true(ts_span_is(info.version, ts_version()));
	assert_false(info.read_only);
	/* The line has the port that the kernel chose. */
	at = strstr(read_log(log_path), "address=127.0.0.1:");
	assert_non_null(at);
	(void)snprintf(tcp, sizeof tcp, "%.*s", (int)strcspn(at + 8, " \n"), at + 8);
	assert_int_equal(server_info(tcp, &info), TS_OK);
	kill(pid, SIGHUP);
	wait_for_line("event=reload");
	kill(pid, SIGTERM);
	assert_int_equal(wait_exit(pid), 0);
	assert_int_not_equal(stat(socket_path, &st), 0);
	assert_non_null(strstr(read_log(log_path), "event=stopped"));
	(void)snprintf(want, sizeof want, "event=call method=ServerInfo peer=%s ", ts_user_name(geteuid(), user));
	assert_non_null(strstr(read_log(log_path), want));
}

static void a_second_one_is_refused_and_a_killed_one_replaced(void **state)
{
	static const char *const none[] = {NULL};
	struct ts_info_reply info;
	char address[128];
	pid_t pid = start(none);

	(void)state;
	(void)snprintf(address, sizeof address, "unix:%s", socket_path);
	wait_for_line("event=ready");
	assert_int_equal(run(NULL, NULL, NULL), 2);
	assert_non_null(strstr(read_log(log_path), "status=conflict"));
	assert_int_equal(server_info(address, &info), TS_OK);
	kill(pid, SIGKILL);
	assert_int_equal(wait_exit(pid), 1000 + SIGKILL);
	assert_int_equal(unlink(log_path), 0);
	pid = start(none);
	wait_for_line("event=ready");
	assert_int_equal(server_info(address, &info), TS_OK);
	kill(pid, SIGINT);
	assert_int_equal(wait_exit(pid), 0);
}

static void systemd_is_told(void **state)
{
	static const char *const none[] = {NULL};
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char message[64] = "";
	pid_t pid;

	(void)state;
	(void)snprintf(name.sun_path, sizeof name.sun_path, "%s/notify", dir);
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
	setenv("NOTIFY_SOCKET", name.sun_path, 1);
	pid = start(none);
	unsetenv("NOTIFY_SOCKET");
	assert_int_equal(poll(&p, 1, 60000), 1);
	assert_true(recv(fd, message, sizeof message - 1, 0) > 0);
	assert_string_equal(message, "READY=1");
	kill(pid, SIGTERM);
	assert_int_equal(poll(&p, 1, 60000), 1);
	memset(message, 0, sizeof message);
	assert_true(recv(fd, message, sizeof message - 1, 0) > 0);
	assert_string_equal(message, "STOPPING=1");
	assert_int_equal(wait_exit(pid), 0);
	close(fd);
}

static void a_read_only_server_says_so(void **state)
{
	static const char *const none[] = {NULL}, *const read_only[] = {"--read-only", NULL};
	struct ts_info_reply info;
	char address[128];
	pid_t pid;

	(void)state;
	assert_int_equal(run("--read-only", NULL, NULL), 2); /* there is no store yet, and a read-only server may not make one */
	(void)snprintf(address, sizeof address, "unix:%s", socket_path);
	pid = start(none);
	wait_for_line("event=ready");
	kill(pid, SIGTERM);
	assert_int_equal(wait_exit(pid), 0);
	assert_int_equal(unlink(log_path), 0);
	pid = start(read_only);
	wait_for_line("event=ready");
	assert_int_equal(server_info(address, &info), TS_OK);
	assert_true(info.read_only);
	kill(pid, SIGTERM);
	assert_int_equal(wait_exit(pid), 0);
}

static void a_backup_is_a_store(void **state)
{
	static const char *const none[] = {NULL};
	char copy[96], address[128];
	struct ts_info_reply info;
	pid_t pid = start(none);

	(void)state;
	(void)snprintf(copy, sizeof copy, "%s/copy", dir);
	wait_for_line("event=ready");
	assert_int_equal(run("--backup", copy, NULL), 0);
	kill(pid, SIGTERM);
	assert_int_equal(wait_exit(pid), 0);
	assert_int_equal(run("--backup", copy, NULL), 2); /* an existing file is never overwritten */
	memcpy(store, copy, sizeof copy);
	assert_int_equal(unlink(log_path), 0);
	pid = start(none);
	wait_for_line("event=ready");
	(void)snprintf(address, sizeof address, "unix:%s", socket_path);
	assert_int_equal(server_info(address, &info), TS_OK);
	assert_true(ts_span_is(info.store, copy));
	kill(pid, SIGTERM);
	assert_int_equal(wait_exit(pid), 0);
}

/* Turns a bit behind the header of each column of numbers, which is stored as it is; returns how many there were. */
static size_t damage_columns(const char *path)
{
	static const char head[] = "tsob\x04";
	static char data[1 << 20];
	int fd = open(path, O_RDWR | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, data, sizeof data);
	size_t hits = 0;

	assert_true(n > 0 && (size_t)n < sizeof data);
	for (ssize_t i = 0; i + 24 < n; i++)
		if (memcmp(data + i, head, sizeof head - 1) == 0) {
			data[i + 20] ^= 1;
			hits++;
		}
	assert_int_equal(pwrite(fd, data, (size_t)n, 0), n);
	close(fd);
	return hits;
}

/* A backup of a damaged store is as damaged: the copy is kept, since it may be the best there is, and the end is no success. */
static void a_backup_of_a_damaged_store_says_so(void **state)
{
	char copy[96], text[256];
	struct stat st;

	(void)state;
	(void)snprintf(copy, sizeof copy, "%s/copy", dir);
	(void)snprintf(text, sizeof text, "mkdir %s && cp tests/golden/store-v1/data.mdb %s/", store, store);
	assert_int_equal(system(text), 0);
	(void)snprintf(text, sizeof text, "%s/data.mdb", store);
	assert_true(damage_columns(text) > 0);
	assert_int_equal(run("--backup", copy, NULL), 2);
	wait_for_line("objects of the store are damaged and 0 are missing; tscope verify names them");
	assert_null(strstr(read_log(log_path), "event=backup"));
	assert_int_equal(stat(copy, &st), 0);
}

/* tests/golden/store-v1 has four runs with their states, a tag, a branch and a note, all in p. */
static void an_older_store_is_counted(void **state)
{
	static const char *const flags[] = {"--quota", "p names 6", NULL};
	struct ts_usage_reply usage;
	struct ts_arena arena;
	struct ts_channel *ch;
	struct ts_span reply;
	char text[256];
	pid_t pid;

	(void)state;
	(void)snprintf(text, sizeof text, "mkdir %s && cp tests/golden/store-v1/data.mdb %s/", store, store);
	assert_int_equal(system(text), 0);
	pid = start(flags);
	wait_for_line("event=count status=ok");
	wait_for_line("event=ready");
	(void)snprintf(text, sizeof text, "unix:%s", socket_path);
	assert_int_equal(ts_client_open(text, NULL, &ch, &err), TS_OK);
	ts_arena_init(&arena, 0);
	assert_int_equal(ch->ops->call(ch, "GetUsage", ts_span_of(NULL, 0), &arena, &reply, &err), TS_OK);
	assert_int_equal(ts_wire_unpack_usage_reply(reply, &arena, &usage, &err), TS_OK);
	assert_false(usage.uncounted);
	assert_int_equal(usage.n_projects, 1);
	assert_true(ts_span_is(usage.projects[0].project, "p"));
	assert_int_equal(usage.projects[0].names, 6);
	assert_int_equal(usage.projects[0].notes, 5);
	assert_true(usage.projects[0].has_names_limit && usage.projects[0].names_limit == 6);
	assert_true(usage.projects[0].sealed_bytes > 0 && usage.projects[0].raw_bytes > usage.projects[0].sealed_bytes);
	ch->ops->destroy(ch);
	ts_arena_finish(&arena);
	kill(pid, SIGTERM);
	assert_int_equal(wait_exit(pid), 0);
}

static void words_on_the_command_line(void **state)
{
	char out[96], line[96];

	(void)state;
	(void)snprintf(out, sizeof out, "%s/out", dir);
	assert_int_equal(run("--version", NULL, NULL), 0);
	(void)snprintf(line, sizeof line, "tscoped %s\n", ts_version());
	assert_string_equal(read_log(out), line);
	assert_int_equal(run("--help", NULL, NULL), 0);
	assert_memory_equal(read_log(out), "usage: tscoped", 14);
	assert_int_equal(run("--manual", NULL, NULL), 0);
	assert_memory_equal(read_log(out), ".TH TSCOPED 8", 13);
	assert_int_equal(run("--config", "deploy/tscoped.conf", "--check"), 0);
	assert_memory_equal(read_log(out), "settings     ok      deploy/tscoped.conf\n", 41);
	assert_int_equal(run("--print-socket", NULL, NULL), 0);
	assert_memory_equal(read_log(out), socket_path, strlen(socket_path));
	assert_int_equal(run("--pool", "0", NULL), 2);
	assert_string_equal(read_log(out), "");
	assert_int_equal(run("--listen", "tcp:0.0.0.0:0", NULL), 2);
	assert_non_null(strstr(read_log(log_path), "status=denied"));
}

/* --check refuses the settings that the start would refuse, and makes no store for them. */
static void a_check_refuses_what_the_start_refuses(void **state)
{
	static const char path_too_long[] = "/tmp/tscope-a-path-that-is-longer-than-the-107-bytes-which-a-unix-socket-has-room-for/"
					    "and-that-goes-on-and-on/s";
	static char store_too_long[4500];
	static const struct {
		const char *flags[4];
		const char *logged, *said; /* by the start; by the check, NULL: it logs the same */
	} refused[] = {
		{{"--listen", "tcp:0.0.0.0:0"}, "status=denied", "0.0.0.0:0"},
		{{"--listen", "tcp:192.0.2.1:7443"}, "status=denied", "192.0.2.1:7443"},
		{{"--listen", "tcp:[::]:0"}, "status=denied", "[::]:0"},
		{{"--listen", "tcp:127.0.0.1:0,tcp:[2001:db8::1]:1"}, "status=denied", "[2001:db8::1]:1"},
		{{"--socket", path_too_long}, "status=too_large", "107"},
		{{"--store", store_too_long}, "status=too_large", NULL},
		{{"--listen", "tcp:127.0.0.1:47443,tcp:127.0.0.1:47443"}, "status=conflict", "the same port"},
		{{"--listen", "tcp:0.0.0.0:47443,tcp:127.0.0.1:47443", "--allow-remote"}, "status=conflict", "the same port"},
		{{"--listen", "tcp:[::]:47443,tcp:[::1]:47443", "--allow-remote"}, "status=conflict", "the same port"},
	};

	char out[96];

	(void)state;
	(void)snprintf(out, sizeof out, "%s/out", dir);
	memset(store_too_long, '/', sizeof store_too_long - 1);
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		for (int check = 1; check >= 0; check--) {
			const char *const *f = refused[i].flags;
			const char *flags[5] = {f[0], f[1], f[2], check ? "--check" : NULL};

			if (!flags[2]) {
				flags[2] = flags[3];
				flags[3] = NULL;
			}
			(void)unlink(log_path);
			assert_int_equal(wait_exit(start(flags)), 2);
			if (check && refused[i].said)
				assert_non_null(strstr(read_log(out), refused[i].said));
			else
				assert_non_null(strstr(read_log(log_path), refused[i].logged));
			assert_int_equal(access(store, F_OK), -1);
		}
	}
	assert_int_equal(run("--check", "--listen", "tcp:127.0.0.1:0,tcp:127.0.0.1:0,tcp:[::1]:47443,tcp:127.0.0.1:47443"), 0);
	assert_int_equal(wait_exit(start((const char *const[]){"--check", "--allow-remote", "--listen", "tcp:0.0.0.0:0", NULL})), 0);
}

/* ---- SIGHUP ---- */

static void write_config(char path[96], const char *text)
{
	FILE *f;

	(void)snprintf(path, 96, "%s/conf", dir);
	f = fopen(path, "w");
	assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* The words of the n-th line of the log with event=reload, from 1. */
static void reloaded(pid_t pid, int n, const char *want)
{
	int64_t until = ts_now_mono_ns() + 60000000000;

	kill(pid, SIGHUP);
	for (;;) {
		const char *at = read_log(log_path);
		int seen = 0;

		for (at = strstr(at, "event=reload "); at && ++seen < n; at = strstr(at + 1, "event=reload "))
			;
		if (at && strchr(at, '\n')) {
			const char *found = strstr(at, want);

			if (!found || found > strchr(at, '\n'))
				fail_msg("'%s' is not in: %s", want, at);
			return;
		}
		if (ts_now_mono_ns() > until)
			fail_msg("reload %d never came:\n%s", n, read_log(log_path));
		(void)poll(NULL, 0, 10);
	}
}

static enum ts_status list_runs(const char *address)
{
	struct ts_channel *ch;
	struct ts_arena arena;
	struct ts_span reply;
	enum ts_status status = ts_client_open(address, NULL, &ch, &err);

	if (status)
		return status;
	ts_arena_init(&arena, 1 << 20);
	status = ch->ops->call(ch, "ListRuns", ts_span_of(NULL, 0), &arena, &reply, &err);
	ts_arena_finish(&arena);
	ch->ops->destroy(ch);
	return status;
}

/* Who calls by plain TCP has what `anyone` is given. */
static void a_reload_gives_and_takes_grants(void **state)
{
	char config[96], tcp[64];
	const char *flags[] = {"--listen", "tcp:127.0.0.1:0", "--config", config, NULL}, *at;
	pid_t pid;

	(void)state;
	write_config(config, "grant = anyone read *\n");
	pid = start(flags);
	wait_for_line("event=ready");
	at = strstr(read_log(log_path), "address=127.0.0.1:");
	assert_non_null(at);
	(void)snprintf(tcp, sizeof tcp, "%.*s", (int)strcspn(at + 8, " \n"), at + 8);
	assert_int_equal(list_runs(tcp), TS_OK);
	reloaded(pid, 1, "changed=none\n");
	write_config(config, "grant = group:root read *\nprotect = main, release\ndrain = 3\n");
	reloaded(pid, 2, "changed=grant,protect,drain\n");
	assert_int_equal(list_runs(tcp), TS_DENIED);
	write_config(config, "grant = anyone read *\nthreads = 2\nmax-calls = 77\n");
	reloaded(pid, 3, "changed=grant,protect,drain needs_restart=threads,max-calls\n");
	assert_int_equal(list_runs(tcp), TS_OK);
	write_config(config, "grant = anyone read *\nmax-calls = 77\n"); /* against the start, not the reload before */
	reloaded(pid, 4, "changed=none needs_restart=max-calls\n");
	kill(pid, SIGTERM);
	assert_int_equal(wait_exit(pid), 0);
}

/* A mistake anywhere leaves everything: also the level and the grants that stand before it in the file. */
static void a_reload_of_a_broken_file_changes_nothing(void **state)
{
	char config[96], tcp[64], want[200];
	const char *flags[] = {"--listen", "tcp:127.0.0.1:0", "--config", config, NULL}, *at;
	pid_t pid;

	(void)state;
	write_config(config, "grant = anyone read *\n");
	pid = start(flags);
	wait_for_line("event=ready");
	at = strstr(read_log(log_path), "address=127.0.0.1:");
	assert_non_null(at);
	(void)snprintf(tcp, sizeof tcp, "%.*s", (int)strcspn(at + 8, " \n"), at + 8);
	write_config(config, "grant = group:root read *\nlog-level = error\ndrian = 3\n");
	(void)snprintf(want, sizeof want, "%s:3: there is no setting", config);
	reloaded(pid, 1, want);
	assert_int_equal(list_runs(tcp), TS_OK);
	write_config(config, "log-level = error\ngrant = group:root read *\ngrant = user:no-such-user-here read *\n");
	(void)snprintf(want, sizeof want, "%s:3: grant 'user:no-such-user-here read *': this machine has no user", config);
	reloaded(pid, 2, want);
	assert_int_equal(list_runs(tcp), TS_OK);
	assert_int_equal(unlink(config), 0);
	reloaded(pid, 3, config);
	assert_int_equal(list_runs(tcp), TS_OK);
	write_config(config, "grant = group:root read *\nlog-level = warning\n");
	reloaded(pid, 4, "changed=grant,log-level\n");
	assert_int_equal(list_runs(tcp), TS_DENIED);
	kill(pid, SIGTERM);
	assert_int_equal(wait_exit(pid), 0);
	assert_null(strstr(read_log(log_path), "event=stopped")); /* which is information */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(serves_until_told_to_stop, setup, teardown),
		cmocka_unit_test_setup_teardown(a_second_one_is_refused_and_a_killed_one_replaced, setup, teardown),
		cmocka_unit_test_setup_teardown(systemd_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(a_read_only_server_says_so, setup, teardown),
		cmocka_unit_test_setup_teardown(a_backup_is_a_store, setup, teardown),
		cmocka_unit_test_setup_teardown(a_backup_of_a_damaged_store_says_so, setup, teardown),
		cmocka_unit_test_setup_teardown(an_older_store_is_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(words_on_the_command_line, setup, teardown),
		cmocka_unit_test_setup_teardown(a_check_refuses_what_the_start_refuses, setup, teardown),
		cmocka_unit_test_setup_teardown(a_reload_gives_and_takes_grants, setup, teardown),
		cmocka_unit_test_setup_teardown(a_reload_of_a_broken_file_changes_nothing, setup, teardown),
	};

	return cmocka_run_group_tests_name("tscoped", tests, NULL, NULL);
}
