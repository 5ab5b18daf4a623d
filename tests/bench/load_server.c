#include "load_server.h"

#include "proto/wire.h"
#include "service/rpc/guard/test_cert.h"

#include <dirent.h>
#include <lmdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECRET = 128, SERVERS = 4 };

char load_cert[96], load_key[96], load_ca[96];

static struct {
	pid_t started_by, pids[SERVERS];
} servers;

/* Children die alone; who started the servers takes them along. */
void load_die(const char *what, const struct ts_error *err)
{
	(void)fprintf(stderr, "bench_load: %s: %s\n", what, err ? err->text : "failed");
	for (size_t i = 0; i < SERVERS && servers.started_by == getpid(); i++)
		if (servers.pids[i] > 0)
			(void)kill(servers.pids[i], SIGKILL);
	_exit(1);
}

static void remember(pid_t pid, pid_t instead_of)
{
	servers.started_by = getpid();
	for (size_t i = 0; i < SERVERS; i++)
		if (servers.pids[i] == instead_of) {
			servers.pids[i] = pid;
			return;
		}
}

void load_in_child(void (*run)(void *ctx), void *ctx)
{
	pid_t child = fork();
	int status = 1;

	if (child == 0) {
		run(ctx);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		load_die("a child", NULL);
}

void load_server_certify(const char *dir)
{
	struct test_cert ca = test_cert_make("an authority", NULL, NULL, 30);
	struct test_cert own = test_cert_make("a server", "DNS:localhost,IP:127.0.0.1", &ca, 30);

	(void)snprintf(load_cert, sizeof load_cert, "%s/cert", dir);
	(void)snprintf(load_key, sizeof load_key, "%s/key", dir);
	(void)snprintf(load_ca, sizeof load_ca, "%s/ca", dir);
	test_cert_write(&own, load_cert, load_key);
	test_cert_write(&ca, load_ca, NULL);
	test_cert_free(&own);
	test_cert_free(&ca);
}

/* ---- start ---- */

/* A port that was free a moment ago. */
static unsigned free_port(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || getsockname(fd, (struct sockaddr *)&at, &len) != 0)
		load_die("a free port", NULL);
	(void)close(fd);
	return ntohs(at.sin_port);
}

struct greeting {
	const struct load_server *server;
	char *secret; /* shared with the parent; NULL: no token is wanted */
};

static void make_token(struct ts_channel *ch, char *secret)
{
	struct ts_make_token_request request = {
		.name = ts_span_str("load"), .role = ts_span_str("push"), .projects = ts_span_str("load")};
	struct ts_buf bytes = TS_BUF_INIT(4096);
	struct ts_tokens_reply made;
	struct ts_arena arena;
	struct ts_span reply;
	struct ts_error err;

	ts_arena_init(&arena, 1 << 20);
	if (ts_wire_pack_make_token_request(&request, &bytes, &err) ||
	    ch->ops->call(ch, "MakeToken", ts_buf_view(&bytes), &arena, &reply, &err) ||
	    ts_wire_unpack_tokens_reply(reply, &arena, &made, &err))
		load_die("a token", &err);
	(void)snprintf(secret, SECRET, "%.*s", TS_SPAN_ARG(made.secret));
	ts_arena_finish(&arena);
	ts_buf_finish(&bytes);
}

static void greet(void *ctx)
{
	const struct greeting *greeting = ctx;
	struct ts_channel *ch;
	struct ts_error err;

	for (int i = 0; i < 100; i++) {
		if (ts_client_open(greeting->server->socket, NULL, &ch, &err) == TS_OK) {
			if (greeting->secret)
				make_token(ch, greeting->secret);
			ch->ops->destroy(ch);
			return;
		}
		(void)poll(NULL, 0, 50);
	}
	load_die("tscoped", &err);
}

void load_server_start(struct load_server *server, const char *program, const char *dir, const char *name, bool tls)
{
	char metrics[16], listen[96];
	const char *argv[] = {program, "--socket", server->socket + strlen("unix:"), "--store", server->store, "--log-level", "error",
			      "--max-calls", "1024", "--metrics-port", metrics, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
	const char *const more[] = {"--listen", listen, "--tls-cert", load_cert, "--tls-key", load_key};
	struct greeting greeting = {.server = server};

	*server = (struct load_server){.metrics_port = free_port()};
	(void)snprintf(metrics, sizeof metrics, "%u", server->metrics_port);
	(void)snprintf(server->store, sizeof server->store, "%s/%s", dir, name);
	(void)snprintf(server->socket, sizeof server->socket, "unix:%s/%s.sock", dir, name);
	(void)snprintf(server->address, sizeof server->address, "%s", server->socket);
	if (tls) {
		(void)snprintf(server->address, sizeof server->address, "tls:127.0.0.1:%u", free_port());
		(void)snprintf(listen, sizeof listen, "%s", server->address);
		memcpy(argv + 11, more, sizeof more);
		greeting.secret = mmap(NULL, SECRET, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		server->login = (struct ts_client_login){.token = greeting.secret, .from = "bench_load", .ca = load_ca};
	}
	if (posix_spawn(&server->pid, program, NULL, NULL, (char **)(uintptr_t)argv, environ) != 0)
		load_die(program, NULL);
	remember(server->pid, 0);
	load_in_child(greet, &greeting);
}

void load_server_stop(struct load_server *server)
{
	(void)kill(server->pid, SIGTERM);
	(void)waitpid(server->pid, NULL, 0);
	remember(0, server->pid);
}

/* ---- what the system says ---- */

unsigned load_server_descriptors(const struct load_server *server)
{
	char path[64];
	unsigned n = 0;
	DIR *d;

	(void)snprintf(path, sizeof path, "/proc/%d/fd", (int)server->pid);
	d = opendir(path);
	while (d && readdir(d))
		n++;
	if (d)
		(void)closedir(d);
	return n > 2 ? n - 2 : 0; /* without . and .. */
}

double load_server_anonymous_mb(const struct load_server *server)
{
	char path[64], line[256];
	double kb = 0;
	FILE *f;

	(void)snprintf(path, sizeof path, "/proc/%d/status", (int)server->pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, "RssAnon:", 8) == 0)
			kb = strtod(line + 8, NULL);
	if (f)
		(void)fclose(f);
	return kb / 1024;
}

unsigned load_server_reader_slots(const struct load_server *server)
{
	MDB_envinfo info;
	MDB_env *env;

	if (mdb_env_create(&env))
		load_die("LMDB", NULL);
	if (mdb_env_open(env, server->store, MDB_RDONLY, 0600) || mdb_env_info(env, &info))
		load_die(server->store, NULL);
	mdb_env_close(env);
	return info.me_numreaders;
}

/* ---- what the server says ---- */

/* Reads the whole answer, as text. */
static void scrape(unsigned port, char *text, size_t size)
{
	static const char request[] = "GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n";
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ssize_t got;
	size_t n = 0;

	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) != 0 || write(fd, request, sizeof request - 1) < 0)
		load_die("the metrics", NULL);
	while (n + 1 < size && (got = read(fd, text + n, size - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	(void)close(fd);
}

static double value_of(const char *text, const char *metric, const char *method)
{
	char line[128];
	const char *at;

	(void)snprintf(line, sizeof line, "\n%s{method=\"%s\"} ", metric, method);
	at = strstr(text, line);
	return at ? strtod(at + strlen(line), NULL) : 0;
}

void load_server_times(const struct load_server *server, const char *method, struct load_times *ret_times)
{
	static char text[1 << 20];

	scrape(server->metrics_port, text, sizeof text);
	*ret_times = (struct load_times){.seconds = value_of(text, "tscoped_call_seconds_sum", method),
					 .queued = value_of(text, "tscoped_queue_seconds_sum", method),
					 .calls = value_of(text, "tscoped_call_seconds_count", method)};
}
