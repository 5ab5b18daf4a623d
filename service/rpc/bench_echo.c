/* bench_echo [SECONDS] - calls a second of a bare C-core echo, and of the same client against our server, in one run; over a unix
 * socket, and over TLS with and without a token.
 *
 * A child process holds three servers, each on a unix socket: a bare one (one queue, one thread, one registered method, nothing
 * else), ours with echoes in its table, and ours with the real handlers over a store on disk; a call is logged, to /dev/null. Each
 * listens by TLS, too, the bare one with C-core's own; a token is looked up in the store for each call.
 * HasObjects asks for an object that is there, with a fresh lease, and for one that is not. The client is C-core itself with 1 or
 * 8 calls in flight; the last row is our own client. Rounds of all rows alternate, and the best of three is printed: a machine
 * that is busy with something else slows a round, never quickens it.
 *
 * The rows "by the pool" show what is paid for a method that may read or write much: it wakes another thread. */
#include "base/clock.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/object.h"
#include "proto/wire.h"
#include "service/rpc/client.h"
#include "service/auth/token.h"
#include "service/rpc/core.h"
#include "service/rpc/guard/test_cert.h"
#include "service/rpc/server.h"
#include "service/rpc/testing.h"
#include "store/test_seal.h"

#include <fcntl.h>
#include <grpc/byte_buffer.h>
#include <grpc/grpc_security.h>
#include <grpc/slice.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 3, SAMPLES_MAX = 1 << 20, FLIGHT_MAX = 8 };
enum server { BARE, ECHO_TABLE, REAL, SERVERS };

static const char *const names[SERVERS] = {"bare", "echo", "real"};
static char dir[64], cert_path[96], key_path[96], ca_path[96];
static unsigned ports[SERVERS]; /* by TLS */
static char *secret;		/* of a token of the real server; shared with the child, who makes it */

static void die(const char *what)
{
	(void)fprintf(stderr, "bench_echo: %s\n", what);
	_exit(2);
}

/* ---- TLS ---- */

static void make_certificates(void)
{
	struct test_cert ca = test_cert_make("an authority", NULL, NULL, 30), own = test_cert_make("a server", "IP:127.0.0.1", &ca, 30);

	(void)snprintf(cert_path, sizeof cert_path, "%s/cert.pem", dir);
	(void)snprintf(key_path, sizeof key_path, "%s/key.pem", dir);
	(void)snprintf(ca_path, sizeof ca_path, "%s/ca.pem", dir);
	test_cert_write(&own, cert_path, key_path);
	test_cert_write(&ca, ca_path, NULL);
	test_cert_free(&own);
	test_cert_free(&ca);
}

/* Ports that are free now. */
static void choose_ports(void)
{
	int fds[SERVERS];

	for (int i = 0; i < SERVERS; i++) {
		struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		socklen_t len = sizeof at;

		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fds[i] < 0 || bind(fds[i], (struct sockaddr *)&at, len) || getsockname(fds[i], (struct sockaddr *)&at, &len))
			die("a free port");
		ports[i] = ntohs(at.sin_port);
	}
	for (int i = 0; i < SERVERS; i++)
		(void)close(fds[i]);
}

/* As text that ends with a zero. */
static const char *read_pem(const char *path, struct ts_buf *out)
{
	struct ts_error err;

	if (ts_file_read(path, out, &err))
		die(err.text);
	ts_buf_char(out, 0);
	return (const char *)out->data;
}

/* ---- the bare server ---- */

struct bare_call {
	grpc_call *call;
	gpr_timespec deadline;
	grpc_metadata_array metadata;
	grpc_byte_buffer *payload;
	int cancelled;
	bool answered;
};

static grpc_server *bare;
static grpc_completion_queue *bare_queue;
static void *bare_method;

static void bare_arm(void)
{
	struct bare_call *c = calloc(1, sizeof *c);

	if (!c)
		die("no memory");
	grpc_metadata_array_init(&c->metadata);
	if (grpc_server_request_registered_call(bare, bare_method, &c->call, &c->deadline, &c->metadata, &c->payload, bare_queue,
						bare_queue, c) != GRPC_CALL_OK)
		die("request_registered_call");
}

static void bare_answer(struct bare_call *c)
{
	grpc_op ops[4] = {{.op = GRPC_OP_SEND_INITIAL_METADATA}, {.op = GRPC_OP_SEND_MESSAGE},
			  {.op = GRPC_OP_SEND_STATUS_FROM_SERVER}, {.op = GRPC_OP_RECV_CLOSE_ON_SERVER}};

	c->answered = true;
	ops[1].data.send_message.send_message = c->payload;
	ops[2].data.send_status_from_server.status = GRPC_STATUS_OK;
	ops[3].data.recv_close_on_server.cancelled = &c->cancelled;
	if (!c->payload || grpc_call_start_batch(c->call, ops, 4, c, NULL) != GRPC_CALL_OK)
		die("bare batch");
}

static grpc_server_credentials *bare_tls(void)
{
	struct ts_buf cert = TS_BUF_INIT(1 << 16), key = TS_BUF_INIT(1 << 16);
	grpc_ssl_pem_key_cert_pair pair = {.cert_chain = read_pem(cert_path, &cert), .private_key = read_pem(key_path, &key)};
	grpc_server_credentials *made = grpc_ssl_server_credentials_create(NULL, &pair, 1, 0, NULL);

	ts_buf_finish(&cert);
	ts_buf_finish(&key);
	return made;
}

static void bare_loop(const char *address)
{
	grpc_server_credentials *credentials = grpc_insecure_server_credentials_create(), *tls = bare_tls();
	char by_tls[32];

	bare_queue = grpc_completion_queue_create_for_next(NULL);
	bare = grpc_server_create(NULL, NULL);
	grpc_server_register_completion_queue(bare, bare_queue, NULL);
	bare_method = grpc_server_register_method(bare, TS_SERVICE_PATH "Echo", NULL, GRPC_SRM_PAYLOAD_READ_INITIAL_BYTE_BUFFER, 0);
	(void)snprintf(by_tls, sizeof by_tls, "127.0.0.1:%u", ports[BARE]);
	if (!grpc_server_add_http2_port(bare, address, credentials) || !grpc_server_add_http2_port(bare, by_tls, tls))
		die("bare port");
	grpc_server_start(bare);
	bare_arm();
	for (;;) {
		grpc_event event = grpc_completion_queue_next(bare_queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
		struct bare_call *c = event.tag;

		if (!c->answered) {
			bare_arm();
			bare_answer(c);
			continue;
		}
		grpc_byte_buffer_destroy(c->payload);
		grpc_metadata_array_destroy(&c->metadata);
		grpc_call_unref(c->call);
		free(c);
	}
}

/* Makes an object of a chunk of a file, four bytes long. */
static struct ts_sealed make_object(struct ts_arena *arena)
{
	struct ts_buf object = TS_BUF_INIT(4096);
	struct ts_sealed sealed;
	struct ts_error err;

	ts_object_begin(&object, 3, 1, TS_LAYOUT_BYTES, NULL, 0);
	ts_buf_bytes(&object, "four", 4);
	if (test_seal_bytes(ts_arena_span(arena, ts_buf_view(&object)), arena, &sealed, &err))
		die(err.text);
	ts_buf_finish(&object);
	return sealed;
}

static struct ts_engine *make_store(const struct ts_sealed *object)
{
	struct ts_lmdb_options options = {.create = true};
	struct ts_engine *engine;
	struct ts_error err;
	char path[96];

	(void)snprintf(path, sizeof path, "%s/store", dir);
	options.path = path;
	if (ts_lmdb_open(&options, &engine, &err) || engine->ops->put_many(engine, object, 1, NULL, &err))
		die(err.text);
	return engine;
}

static void serve(const struct ts_sealed *object)
{
	static struct ts_server_facts facts = {.version = "bench", .store = "bench"};
	struct ts_shared_policy *policy;
	char addresses[SERVERS][96], by_tls[SERVERS][96];
	struct ts_listener echo_at[2] = {{.address = addresses[ECHO_TABLE]}, {.address = by_tls[ECHO_TABLE]}};
	struct ts_listener real_at[2] = {{.address = addresses[REAL]}, {.address = by_tls[REAL]}};
	struct ts_server_options options = {.facts = &facts, .handlers = testing_handlers, .n_handlers = testing_n_handlers,
					    .listeners = echo_at, .n_listeners = 2, .tls = {.cert = cert_path, .key = key_path}};
	struct ts_token token = {.name = "bench", .role = TS_AUTH_PUSH, .projects = "*", .maker = "bench", .expires_ns = INT64_MAX};
	struct ts_server *server;
	struct ts_error err;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (int i = 0; i < SERVERS; i++) {
		(void)snprintf(addresses[i], sizeof addresses[i], "unix:%s/%s", dir, names[i]);
		(void)snprintf(by_tls[i], sizeof by_tls[i], "tls:127.0.0.1:%u", ports[i]);
	}
	if (ts_server_create(&options, &server, &err))
		die(err.text);
	options.handlers = ts_handlers(&options.n_handlers);
	options.listeners = real_at;
	options.engine = make_store(object);
	if (ts_shared_policy_create(&policy, &err))
		die(err.text);
	policy->auth.uid = geteuid();
	options.policy = policy;
	if (ts_token_make(options.engine, &token, secret, &err) || ts_server_create(&options, &server, &err))
		die(err.text);
	(void)dup2(null, STDERR_FILENO);
	bare_loop(addresses[BARE]);
}

/* ---- the client ---- */

struct flight {
	grpc_call *call;
	grpc_metadata_array initial, trailing;
	grpc_byte_buffer *reply;
	grpc_status_code code;
	grpc_slice details;
	int64_t began;
};

struct row {
	const char *name;
	enum server server;
	enum { BY_SOCKET, BY_TLS, BY_TOKEN } way; /* the last by TLS, too */
	const char *method;
	unsigned in_flight; /* 0: the tscope client */
	struct ts_span request;
	double per_s, p50_us, p99_us;
};

static int64_t *samples;
static size_t n_samples;

/* What all calls of a row have in common. */
struct core_client {
	grpc_channel *channel;
	grpc_completion_queue *queue;
	grpc_slice path;
	grpc_byte_buffer *request;
	grpc_metadata bearer;
	size_t n_bearer;
};

static void send_off(struct flight *f, struct core_client *c)
{
	grpc_op ops[6] = {{.op = GRPC_OP_SEND_INITIAL_METADATA}, {.op = GRPC_OP_SEND_MESSAGE},
			  {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT}, {.op = GRPC_OP_RECV_INITIAL_METADATA},
			  {.op = GRPC_OP_RECV_MESSAGE}, {.op = GRPC_OP_RECV_STATUS_ON_CLIENT}};

	f->began = ts_now_mono_ns();
	f->reply = NULL;
	f->details = grpc_empty_slice();
	grpc_metadata_array_init(&f->initial);
	grpc_metadata_array_init(&f->trailing);
	f->call = grpc_channel_create_call(c->channel, NULL, GRPC_PROPAGATE_DEFAULTS, c->queue, c->path, NULL,
					   ts_core_deadline(f->began + 60000000000), NULL);
	ops[0].data.send_initial_metadata.metadata = &c->bearer;
	ops[0].data.send_initial_metadata.count = c->n_bearer;
	ops[1].data.send_message.send_message = c->request;
	ops[3].data.recv_initial_metadata.recv_initial_metadata = &f->initial;
	ops[4].data.recv_message.recv_message = &f->reply;
	ops[5].data.recv_status_on_client.status = &f->code;
	ops[5].data.recv_status_on_client.status_details = &f->details;
	ops[5].data.recv_status_on_client.trailing_metadata = &f->trailing;
	if (grpc_call_start_batch(f->call, ops, 6, f, NULL) != GRPC_CALL_OK)
		die("client batch");
}

static void take_back(struct flight *f)
{
	if (f->code != GRPC_STATUS_OK || !f->reply)
		die("a call failed");
	if (n_samples < SAMPLES_MAX)
		samples[n_samples++] = ts_now_mono_ns() - f->began;
	grpc_byte_buffer_destroy(f->reply);
	grpc_slice_unref(f->details);
	grpc_metadata_array_destroy(&f->initial);
	grpc_metadata_array_destroy(&f->trailing);
	grpc_call_unref(f->call);
}

static grpc_channel *open_channel(const struct row *row)
{
	struct ts_buf ca = TS_BUF_INIT(1 << 16);
	grpc_channel_credentials *credentials = row->way == BY_SOCKET
							? grpc_insecure_credentials_create()
							: grpc_ssl_credentials_create(read_pem(ca_path, &ca), NULL, NULL, NULL);
	grpc_channel *channel;
	char address[96];

	if (row->way == BY_SOCKET)
		(void)snprintf(address, sizeof address, "unix:%s/%s", dir, names[row->server]);
	else
		(void)snprintf(address, sizeof address, "127.0.0.1:%u", ports[row->server]);
	channel = grpc_channel_create(address, credentials, NULL);
	grpc_channel_credentials_release(credentials);
	ts_buf_finish(&ca);
	return channel;
}

static void open_core(const struct row *row, struct core_client *c)
{
	char text[TS_TOKEN_SECRET + 16];

	*c = (struct core_client){.channel = open_channel(row),
				  .queue = grpc_completion_queue_create_for_next(NULL),
				  .request = ts_core_message(row->request)};
	(void)snprintf(text, sizeof text, TS_SERVICE_PATH "%s", row->method);
	c->path = grpc_slice_from_copied_string(text);
	if (row->way != BY_TOKEN)
		return;
	(void)snprintf(text, sizeof text, "Bearer %s", secret);
	c->bearer.key = grpc_slice_from_static_string("authorization");
	c->bearer.value = grpc_slice_from_copied_string(text);
	c->n_bearer = 1;
}

static void close_core(struct core_client *c)
{
	if (c->n_bearer)
		grpc_slice_unref(c->bearer.value);
	grpc_slice_unref(c->path);
	grpc_byte_buffer_destroy(c->request);
	grpc_channel_destroy(c->channel);
	grpc_completion_queue_shutdown(c->queue);
	while (grpc_completion_queue_next(c->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type != GRPC_QUEUE_SHUTDOWN)
		continue;
	grpc_completion_queue_destroy(c->queue);
}

/* Makes one call, so that the connection stands before the clock starts. */
static void make_one(struct core_client *c)
{
	struct flight first;

	send_off(&first, c);
	take_back(grpc_completion_queue_next(c->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).tag);
	n_samples = 0;
}

/* Returns the seconds that the calls took. */
static double run_core(const struct row *row, double seconds)
{
	struct flight flights[FLIGHT_MAX];
	struct core_client c;
	int64_t began, until;
	unsigned out = 0;

	open_core(row, &c);
	make_one(&c);
	began = ts_now_mono_ns();
	until = began + (int64_t)(seconds * 1e9);
	for (; out < row->in_flight; out++)
		send_off(&flights[out], &c);
	while (out > 0) {
		grpc_event event = grpc_completion_queue_next(c.queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);

		take_back(event.tag);
		if (ts_now_mono_ns() < until)
			send_off(event.tag, &c);
		else
			out--;
	}
	seconds = (double)(ts_now_mono_ns() - began) / 1e9;
	close_core(&c);
	return seconds;
}

static double run_ours(const struct row *row, double seconds)
{
	struct ts_client_login login = {.ca = ca_path, .token = row->way == BY_TOKEN ? secret : NULL, .from = "bench_echo"};
	int64_t began, until, at;
	struct ts_channel *ch;
	struct ts_arena arena;
	struct ts_span reply;
	struct ts_error err;
	char address[96];

	if (row->way == BY_SOCKET)
		(void)snprintf(address, sizeof address, "unix:%s/%s", dir, names[row->server]);
	else
		(void)snprintf(address, sizeof address, "tls:127.0.0.1:%u", ports[row->server]);
	if (ts_client_open(address, row->way == BY_SOCKET ? NULL : &login, &ch, &err))
		die(err.text);
	ts_arena_init(&arena, 1 << 20);
	began = ts_now_mono_ns();
	until = began + (int64_t)(seconds * 1e9);
	for (at = began; at < until;) {
		int64_t before = at;

		if (ch->ops->call(ch, row->method, row->request, &arena, &reply, &err))
			die(err.text);
		ts_arena_reset(&arena);
		at = ts_now_mono_ns();
		if (n_samples < SAMPLES_MAX)
			samples[n_samples++] = at - before;
	}
	ts_arena_finish(&arena);
	ch->ops->destroy(ch);
	return (double)(at - began) / 1e9;
}

static int by_value(const void *a, const void *b)
{
	int64_t x, y;

	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x > y) - (x < y);
}

static void measure(struct row *row, double seconds)
{
	double took, per_s;

	n_samples = 0;
	took = row->in_flight ? run_core(row, seconds) : run_ours(row, seconds);
	per_s = (double)n_samples / took;
	if (per_s <= row->per_s || n_samples == 0)
		return;
	qsort(samples, n_samples, sizeof samples[0], by_value);
	row->per_s = per_s;
	row->p50_us = (double)samples[n_samples / 2] / 1e3;
	row->p99_us = (double)samples[n_samples * 99 / 100] / 1e3;
}

/* Each is held against the bare server over the same transport. */
static void print_rows(const struct row *rows, size_t n)
{
	double plain[2][2] = {{0}}; /* by TLS, one in flight */

	(void)printf("%-52s %10s %9s %9s %14s\n", "", "calls/s", "p50 us", "p99 us", "p50 of bare");
	for (size_t i = 0; i < n; i++) {
		double *of = &plain[rows[i].way != BY_SOCKET][rows[i].in_flight != 8];

		if (rows[i].server == BARE)
			*of = rows[i].p50_us;
		(void)printf("%-52s %10.0f %9.1f %9.1f %13.2fx\n", rows[i].name, rows[i].per_s, rows[i].p50_us, rows[i].p99_us,
			     rows[i].p50_us / *of);
	}
}

static void wait_for_servers(void)
{
	struct stat st;

	for (int i = 0; i < SERVERS; i++) {
		char path[96];

		(void)snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		for (int tries = 0; stat(path, &st) != 0; tries++) {
			if (tries > 2000)
				die("a server did not start");
			(void)poll(NULL, 0, 5);
		}
	}
	(void)poll(NULL, 0, 100);
}

static void clean_up(pid_t child)
{
	char command[128];

	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	(void)snprintf(command, sizeof command, "rm -rf %s", dir);
	if (system(command) != 0)
		die(command);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 1.0;
	struct ts_buf has = TS_BUF_INIT(4096);
	struct ts_id ids[2] = {{{0}}, {{1, 2, 3}}};
	struct ts_has_request question = {.ids = ids, .n = 2};
	struct ts_sealed object;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_span small = ts_span_str("sixteen bytes ..");
	pid_t child;

	ts_arena_init(&arena, 1 << 20);
	(void)snprintf(dir, sizeof dir, "/tmp/tscope-bench-XXXXXX");
	if (ts_digest_init(&err) || !mkdtemp(dir))
		die("cannot begin");
	make_certificates();
	choose_ports();
	secret = mmap(NULL, TS_TOKEN_SECRET + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (secret == MAP_FAILED)
		die("no memory");
	object = make_object(&arena);
	ids[0] = object.id;
	if (ts_wire_pack_has_request(&question, &has, &err))
		die(err.text);
	/* The fork comes before C-core starts, because C-core does not survive a fork. */
	child = fork();
	if (child == 0)
		serve(&object);
	wait_for_servers();
	grpc_init();
	samples = calloc(SAMPLES_MAX, sizeof samples[0]);
	if (!samples)
		die("no memory");
	{
		struct row rows[] = {
			{"bare echo, 1 in flight", BARE, BY_SOCKET, "Echo", 1, small, 0, 0, 0},
			{"bare echo, 8 in flight", BARE, BY_SOCKET, "Echo", 8, small, 0, 0, 0},
			{"tscoped echo, 1 in flight", ECHO_TABLE, BY_SOCKET, "Echo", 1, small, 0, 0, 0},
			{"tscoped echo, 8 in flight", ECHO_TABLE, BY_SOCKET, "Echo", 8, small, 0, 0, 0},
			{"tscoped ServerInfo, 1 in flight", REAL, BY_SOCKET, "ServerInfo", 1, {NULL, 0}, 0, 0, 0},
			{"tscoped ServerInfo, 8 in flight", REAL, BY_SOCKET, "ServerInfo", 8, {NULL, 0}, 0, 0, 0},
			{"tscoped HasObjects, 1 in flight", REAL, BY_SOCKET, "HasObjects", 1, ts_buf_view(&has), 0, 0, 0},
			{"tscoped HasObjects, 8 in flight", REAL, BY_SOCKET, "HasObjects", 8, ts_buf_view(&has), 0, 0, 0},
			{"tscoped echo by the pool, 1 in flight", ECHO_TABLE, BY_SOCKET, "PoolEcho", 1, small, 0, 0, 0},
			{"tscoped echo by the pool, 8 in flight", ECHO_TABLE, BY_SOCKET, "PoolEcho", 8, small, 0, 0, 0},
			{"tscoped ServerInfo, our own client", REAL, BY_SOCKET, "ServerInfo", 0, {NULL, 0}, 0, 0, 0},
			{"TLS, bare echo (C-core's TLS), 1 in flight", BARE, BY_TLS, "Echo", 1, small, 0, 0, 0},
			{"TLS, bare echo (C-core's TLS), 8 in flight", BARE, BY_TLS, "Echo", 8, small, 0, 0, 0},
			{"TLS, tscoped echo, 1 in flight", ECHO_TABLE, BY_TLS, "Echo", 1, small, 0, 0, 0},
			{"TLS, tscoped echo, 8 in flight", ECHO_TABLE, BY_TLS, "Echo", 8, small, 0, 0, 0},
			{"TLS, a token, tscoped HasObjects, 1 in flight", REAL, BY_TOKEN, "HasObjects", 1, ts_buf_view(&has), 0, 0, 0},
			{"TLS, a token, tscoped HasObjects, 8 in flight", REAL, BY_TOKEN, "HasObjects", 8, ts_buf_view(&has), 0, 0, 0},
			{"TLS, a token, tscoped ServerInfo, our own client", REAL, BY_TOKEN, "ServerInfo", 0, {NULL, 0}, 0, 0, 0},
		};
		size_t n = sizeof rows / sizeof rows[0];

		for (int round = 0; round < ROUNDS; round++) {
			for (size_t i = 0; i < n; i++)
				measure(&rows[i], seconds);
		}
		print_rows(rows, n);
	}
	clean_up(child);
	free(samples);
	ts_buf_finish(&has);
	ts_arena_finish(&arena);
	grpc_shutdown_blocking();
	return 0;
}
