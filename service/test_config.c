/* The settings: what wins, what is refused and how it is said, and that file and texts agree with the table. */
#include "service/config.h"

#include "base/file.h"
#include "base/log.h"
#include "base/system.h"
#include "service/config_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct ts_config config;
static struct ts_error err;
static char file[64];

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < ts_n_options; i++) {
		char name[64];
		size_t n = (size_t)snprintf(name, sizeof name, "TSCOPED_%s", ts_options[i].name);

		for (size_t c = 8; c < n; c++)
			name[c] = (char)(name[c] == '-' ? '_' : name[c] - 32);
		unsetenv(name);
	}
	unsetenv("TSCOPE_STORE");
	setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
	setenv("XDG_DATA_HOME", "/home/x/.data", 1);
	ts_config_init(&config);
	(void)snprintf(file, sizeof file, "/tmp/tscope-conf-XXXXXX");
	close(mkstemp(file));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(file);
	ts_config_finish(&config);
	return 0;
}

static void write_bytes(const char *text, size_t n)
{
	int fd = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_int_equal(write(fd, text, n), n);
	close(fd);
}

static void write_file(const char *text)
{
	write_bytes(text, strlen(text));
}

/* Loads with up to six arguments, NULL after the last. */
static enum ts_status load(const char *a, const char *b, const char *c, const char *d, const char *e)
{
	const char *words[] = {"tscoped", a, b, c, d, e};
	char *argv[7];
	int argc = 0;

	for (size_t i = 0; i < 6 && words[i]; i++)
		argv[argc++] = (char *)(uintptr_t)words[i];
	argv[argc] = NULL;
	ts_config_finish(&config);
	ts_config_init(&config);
	return ts_config_load(&config, argc, argv, &err);
}

static void defaults(void **state)
{
	(void)state;
	assert_int_equal(load(NULL, NULL, NULL, NULL, NULL), TS_OK);
	assert_string_equal(config.socket, geteuid() == 0 ? "/run/tscope/tscoped.sock" : "/run/user/7/tscope/tscoped.sock");
	assert_string_equal(config.store, "/home/x/.data/tscope/store");
	assert_int_equal(config.socket_mode, 0660);
	assert_int_equal(config.n_listen, 0);
	assert_int_equal(config.threads, 1);
	assert_int_equal(config.pool, 4);
	assert_int_equal(config.gc_hours, 24);
	assert_int_equal(config.log_level, TS_LOG_INFO);
	assert_false(config.allow_remote);
	assert_false(config.read_only);
}

static void a_policy_needs_a_gc(void **state)
{
	(void)state;
	assert_int_equal(load("--retention=/etc/keep.policy", NULL, NULL, NULL, NULL), TS_OK);
	assert_string_equal(config.retention, "/etc/keep.policy");
	assert_int_equal(load("--retention=/etc/keep.policy", "--gc-interval=0", NULL, NULL, NULL), TS_INVALID);
	assert_non_null(strstr(err.text, "gc-interval = 0"));
}

static void flags_beat_environment_beats_file_beats_defaults(void **state)
{
	(void)state;
	write_file("# settings\n\npool = 5\nthreads=2\n  drain =  7  \nlog-level = debug\nread-only = yes\n");
	setenv("TSCOPED_POOL", "6", 1);
	setenv("TSCOPED_THREADS", "3", 1);
	assert_int_equal(load("--config", file, "--pool=7", NULL, NULL), TS_OK);
	assert_int_equal(config.pool, 7);
	assert_int_equal(config.threads, 3);
	assert_int_equal(config.drain_s, 7);
	assert_int_equal(config.log_level, TS_LOG_DEBUG);
	assert_true(config.read_only);
	assert_int_equal(config.max_calls, 256);
}

/* Three quarters of what there is, which on no machine that runs this is less than 64 MiB; an explicit word wins. */
static void memory_is_derived_or_said(void **state)
{
	(void)state;
	assert_int_equal(load("--socket=/x", NULL, NULL, NULL, NULL), TS_OK);
	assert_int_equal(config.memory, ts_system_memory() * 3 / 4 / 1048576);
	assert_true(config.memory > 64);
	assert_int_equal(load("--memory=100", NULL, NULL, NULL, NULL), TS_OK);
	assert_int_equal(config.memory, 100);
	assert_int_equal(load("--memory=0", NULL, NULL, NULL, NULL), TS_OK);
	assert_int_equal(config.memory, 0);
}

static void the_environment_names_the_file_and_the_store(void **state)
{
	(void)state;
	write_file("pool = 9\n");
	setenv("TSCOPED_CONFIG", file, 1);
	setenv("TSCOPE_STORE", "/srv/runs", 1);
	assert_int_equal(load(NULL, NULL, NULL, NULL, NULL), TS_OK);
	assert_int_equal(config.pool, 9);
	assert_string_equal(config.store, "/srv/runs");
	setenv("TSCOPED_STORE", "/srv/other", 1);
	assert_int_equal(load(NULL, NULL, NULL, NULL, NULL), TS_OK);
	assert_string_equal(config.store, "/srv/other");
}

static void a_list_replaces_the_one_before(void **state)
{
	(void)state;
	write_file("listen = tcp:127.0.0.1:1\nlisten = tcp:[::1]:2\n");
	assert_int_equal(load("--config", file, NULL, NULL, NULL), TS_OK);
	assert_int_equal(config.n_listen, 2);
	assert_string_equal(config.listen[1], "tcp:[::1]:2");
	assert_int_equal(load("--config", file, "--listen", "tcp:localhost:3", NULL), TS_OK);
	assert_int_equal(config.n_listen, 1);
	assert_string_equal(config.listen[0], "tcp:localhost:3");
	assert_int_equal(load("--listen=tcp:a:1", "--listen=tcp:b:2", NULL, NULL, NULL), TS_OK);
	assert_int_equal(config.n_listen, 2);
	assert_string_equal(config.listen[0], "tcp:a:1");
	setenv("TSCOPED_LISTEN", "tcp:127.0.0.1:4, tcp:127.0.0.1:5", 1);
	assert_int_equal(load(NULL, NULL, NULL, NULL, NULL), TS_OK);
	assert_int_equal(config.n_listen, 2);
	assert_string_equal(config.listen[1], "tcp:127.0.0.1:5");
}

static void refused(const char *text, const char *where, const char *why)
{
	char want[128];

	write_file(text);
	assert_int_not_equal(load("--config", file, NULL, NULL, NULL), TS_OK);
	(void)snprintf(want, sizeof want, "%s%s", file, where);
	if (!strstr(err.text, want) || !strstr(err.text, why))
		fail_msg("'%s' names neither '%s' nor '%s'", err.text, want, why);
}

static void a_bad_file_is_named_with_its_line(void **state)
{
	(void)state;
	refused("pool = 4\npool = 0\n", ":2: pool", "'0'");
	refused("\n\npool = many\n", ":3: pool", "'many'");
	refused("pool 4\n", ":1", "key = value");
	refused("# a\nspeed = 9\n", ":2", "speed");
	refused("help = yes\n", ":1", "help");
	refused("socket-mode = 888\n", ":1: socket-mode", "octal");
	refused("log-level = loud\n", ":1: log-level", "loud");
	refused("read-only = perhaps\n", ":1: read-only", "perhaps");
	refused("listen = 1:1,1:2,1:3,1:4,1:5,1:6,1:7,1:8\n", ":1: listen", "more than");
	refused("max-calls = 99999999999999999999\n", ":1: max-calls", "65536");
}

/* A NUL byte must not end a setting before its line ends. */
static void a_nul_byte_is_refused(void **state)
{
	static const char listen[] = "listen = 127.0.0.1:1\0, h:2\n", store[] = "store = /a\0b\n";

	(void)state;
	write_bytes(listen, sizeof listen - 1);
	assert_int_equal(load("--config", file, NULL, NULL, NULL), TS_INVALID);
	assert_non_null(strstr(err.text, ":1: listen: a NUL byte"));
	write_bytes(store, sizeof store - 1);
	assert_int_equal(load("--config", file, NULL, NULL, NULL), TS_INVALID);
	assert_non_null(strstr(err.text, ":1: store: a NUL byte"));
}

static void bad_flags_are_named(void **state)
{
	(void)state;
	assert_int_equal(load("--nonsense", NULL, NULL, NULL, NULL), TS_INVALID);
	assert_non_null(strstr(err.text, "--nonsense"));
	assert_int_equal(load("stray", NULL, NULL, NULL, NULL), TS_INVALID);
	assert_int_equal(load("--pool", NULL, NULL, NULL, NULL), TS_INVALID);
	assert_non_null(strstr(err.text, "--pool N"));
	assert_int_equal(load("--config", "/nonexistent/file", NULL, NULL, NULL), TS_NOT_FOUND);
	assert_int_equal(load("--listen", "unix:/x", NULL, NULL, NULL), TS_INVALID);
	assert_int_equal(load("--listen", "noport", NULL, NULL, NULL), TS_INVALID);
	assert_int_equal(load("--socket", "none", NULL, NULL, NULL), TS_INVALID);
	assert_non_null(strstr(err.text, "socket is none"));
	setenv("TSCOPED_DRAIN", "soon", 1);
	assert_int_equal(load(NULL, NULL, NULL, NULL, NULL), TS_INVALID);
	assert_non_null(strstr(err.text, "TSCOPED_DRAIN"));
}

static void an_address_says_whether_others_can_read(void **state)
{
	(void)state;
	assert_int_equal(load("--listen", "127.0.0.1:1", NULL, NULL, NULL), TS_INVALID);
	assert_non_null(strstr(err.text, "tls:127.0.0.1:1"));
	assert_non_null(strstr(err.text, "tcp:127.0.0.1:1"));
	assert_int_equal(load("--listen", "tls:unix:/x", NULL, NULL, NULL), TS_INVALID);
	assert_int_equal(load("--listen", "tcp:tls:h:1", NULL, NULL, NULL), TS_INVALID);
	assert_int_equal(load("--listen", "tls:h:1", NULL, NULL, NULL), TS_INVALID);
	assert_non_null(strstr(err.text, "tls-cert"));
	assert_int_equal(load("--listen", "tls:h:1", "--tls-cert=/c", NULL, NULL), TS_INVALID);
	assert_int_equal(load("--listen", "tls:h:1", "--tls-cert=/c", "--tls-key=/k", NULL), TS_OK);
	assert_string_equal(config.tls_client_auth, "none");
	assert_int_equal(load("--tls-client-auth", "perhaps", NULL, NULL, NULL), TS_INVALID);
	assert_non_null(strstr(err.text, "'perhaps'"));
	assert_int_equal(load("--tls-client-auth", "required", NULL, NULL, NULL), TS_INVALID);
	assert_non_null(strstr(err.text, "tls-client-ca"));
	assert_int_equal(load("--tls-client-auth=optional", "--tls-client-ca=/a", NULL, NULL, NULL), TS_OK);
}

static void a_server_of_tcp_alone(void **state)
{
	(void)state;
	assert_int_equal(load("--socket", "none", "--listen", "tcp:127.0.0.1:0", NULL), TS_OK);
	assert_string_equal(config.socket, "");
}

static void the_example_is_well(void **state)
{
	(void)state;
	assert_int_equal(load("--config", "deploy/tscoped.conf", NULL, NULL, NULL), TS_OK);
	assert_string_equal(config.store, "/var/lib/tscope/store");
}

static void what_the_example_shows_commented_out_is_the_default(void **state)
{
	struct ts_buf example = TS_BUF_INIT(1 << 16), shown = TS_BUF_INIT(1 << 16);
	struct ts_config defaults;

	(void)state;
	assert_int_equal(load("--socket=/x", NULL, NULL, NULL, NULL), TS_OK);
	defaults = config;
	config.arena = (struct ts_arena){0};
	assert_int_equal(ts_file_read("deploy/tscoped.conf", &example, &err), TS_OK);
	ts_buf_char(&example, 0);
	for (const char *line = (const char *)example.data; *line; line += strcspn(line, "\n") + 1) {
		const char *text = line + (line[0] == '#' && line[1] >= 'a' && line[1] <= 'z');

		ts_buf_bytes(&shown, text, strcspn(text, "\n") + 1);
	}
	ts_buf_char(&shown, 0);
	assert_int_equal(ts_buf_check(&shown, &err), TS_OK);
	for (size_t i = 0; i < ts_n_options; i++) {
		char line[64];

		(void)snprintf(line, sizeof line, "\n%s = ", ts_options[i].name);
		assert_true((ts_options[i].when == TS_BY_FLAG) == !strstr((const char *)shown.data, line));
	}
	write_file((const char *)shown.data);
	assert_int_equal(load("--config", file, "--socket=/x", NULL, NULL), TS_OK);
	assert_int_equal(config.allow_remote, defaults.allow_remote);
	assert_int_equal(config.read_only, defaults.read_only);
	assert_int_equal(config.n_grants, 0);
	assert_string_equal(config.protect, defaults.protect);
	assert_int_equal(config.socket_mode, defaults.socket_mode);
	assert_int_equal(config.threads, defaults.threads);
	assert_int_equal(config.pool, defaults.pool);
	assert_int_equal(config.max_connections, defaults.max_connections);
	assert_int_equal(config.peer_connections, defaults.peer_connections);
	assert_int_equal(config.max_calls, defaults.max_calls);
	assert_int_equal(config.drain_s, defaults.drain_s);
	assert_int_equal(config.gc_hours, defaults.gc_hours);
	assert_int_equal(config.log_level, defaults.log_level);
	ts_arena_finish(&defaults.arena);
	ts_buf_finish(&example);
	ts_buf_finish(&shown);
}

static void texts_name_every_option(void **state)
{
	struct ts_buf help = TS_BUF_INIT(1 << 20), manual = TS_BUF_INIT(1 << 20);

	(void)state;
	ts_config_help(&help);
	ts_config_manual(&manual);
	ts_buf_char(&help, 0);
	ts_buf_char(&manual, 0);
	assert_int_equal(ts_buf_check(&help, &err), TS_OK);
	assert_int_equal(ts_buf_check(&manual, &err), TS_OK);
	for (size_t i = 0; i < ts_n_options; i++) {
		char flag[64];

		(void)snprintf(flag, sizeof flag, "  --%s", ts_options[i].name);
		assert_non_null(strstr((const char *)help.data, flag));
	}
	for (const char *line = (const char *)help.data; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 110);
	ts_buf_finish(&help);
	ts_buf_finish(&manual);
}

static void grants_are_looked_up(void **state)
{
	struct ts_shared_policy *policy;

	(void)state;
	write_file("grant = user:root push a\ngrant = group:0 read *, cert:spiffe://x/y maintain b\nprotect = main, release\n"
		   "closed = gated\n");
	assert_int_equal(load("--config", file, NULL, NULL, NULL), TS_OK);
	assert_int_equal(config.n_grants, 3);
	assert_int_equal(ts_config_policy(&config, &policy, &err), TS_OK);
	ts_config_finish(&config); /* nothing of it is in the policy */
	assert_int_equal(policy->auth.n_grants, 3);
	assert_int_equal(policy->auth.grants[0].id, 0);
	assert_int_equal(policy->auth.grants[1].subject, TS_SUBJECT_GROUP);
	assert_int_equal(policy->auth.grants[1].id, 0);
	assert_true(ts_span_is(policy->auth.grants[2].name, "spiffe://x/y"));
	assert_int_equal(policy->auth.uid, geteuid());
	assert_int_equal(policy->auth.protected.n, 2);
	assert_true(ts_auth_protects(&policy->auth, ts_span_str("release")));
	assert_false(ts_auth_protects(&policy->auth, ts_span_str("mai")));
	assert_int_equal(policy->auth.closed.n, 1);
	assert_true(ts_auth_closes(&policy->auth, ts_span_str("gated")) && ts_auth_protects(&policy->auth, ts_span_str("gated")));
	assert_false(ts_auth_closes(&policy->auth, ts_span_str("main")));
	ts_shared_policy_release(policy);
	assert_int_equal(load("--config", file, "--grant", "user:no-such-user-here read *", NULL), TS_OK);
	assert_int_equal(config.n_grants, 1);
	assert_int_equal(ts_config_policy(&config, &policy, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "this machine has no user no-such-user-here"));
	write_file("# who\ngrant = user:root push a, group:no-such-group-here read *\n");
	assert_int_equal(load("--config", file, NULL, NULL, NULL), TS_OK);
	assert_int_equal(ts_config_policy(&config, &policy, &err), TS_INVALID);
	assert_non_null(strstr(err.text, ":2: grant 'group:no-such-group-here read *': this machine has no group"));
	refused("\ngrant = user:ada write p\n", ":2: grant", "'write' is not read, push, maintain or admin");
}

static void quotas_are_read(void **state)
{
	struct ts_quotas quotas = {.n = 0};

	(void)state;
	write_file("quota = * sealed 50GiB, speed names 100\nquota = user:ada unnamed 1GiB\n");
	assert_int_equal(load("--config", file, NULL, NULL, NULL), TS_OK);
	assert_int_equal(ts_config_quotas(&config, &quotas, &err), TS_OK);
	assert_int_equal(quotas.n, 3);
	assert_int_equal(ts_quota_limit(&quotas, TS_USE_SEALED, ts_span_str("p")), UINT64_C(50) << 30);
	assert_int_equal(ts_quota_limit(&quotas, TS_USE_NAMES, ts_span_str("speed")), 100);
	assert_int_equal(ts_quota_limit(&quotas, TS_USE_UNNAMED, ts_span_str("ada")), 1 << 30);
	assert_int_equal(load("--config", file, "--quota", "* notes 5", NULL), TS_OK);
	assert_int_equal(config.n_quotas, 1);
	refused("\nquota = speed space 5\n", ":2: quota", "'space' is not sealed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(defaults, setup, teardown),
		cmocka_unit_test_setup_teardown(a_policy_needs_a_gc, setup, teardown),
		cmocka_unit_test_setup_teardown(flags_beat_environment_beats_file_beats_defaults, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_is_derived_or_said, setup, teardown),
		cmocka_unit_test_setup_teardown(the_environment_names_the_file_and_the_store, setup, teardown),
		cmocka_unit_test_setup_teardown(a_list_replaces_the_one_before, setup, teardown),
		cmocka_unit_test_setup_teardown(a_bad_file_is_named_with_its_line, setup, teardown),
		cmocka_unit_test_setup_teardown(a_nul_byte_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(bad_flags_are_named, setup, teardown),
		cmocka_unit_test_setup_teardown(a_server_of_tcp_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(an_address_says_whether_others_can_read, setup, teardown),
		cmocka_unit_test_setup_teardown(the_example_is_well, setup, teardown),
		cmocka_unit_test_setup_teardown(what_the_example_shows_commented_out_is_the_default, setup, teardown),
		cmocka_unit_test_setup_teardown(grants_are_looked_up, setup, teardown),
		cmocka_unit_test_setup_teardown(quotas_are_read, setup, teardown),
		cmocka_unit_test_setup_teardown(texts_name_every_option, setup, teardown),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
