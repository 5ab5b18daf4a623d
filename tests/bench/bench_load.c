/* bench_load [SECONDS [CLIENTS [READERS]]] - a server under the load of a team: 64 clients that push runs of 10,000 steps beside 16
 * that list, diff and analyze, each on a connection of its own, over a unix socket to a tscoped of this build.
 *
 * The runs are made before the clock starts (ingest is the client's work), each of noise of its own, so that every object is new. A
 * push asks which objects are missing, sends them, and commits. Beside it, in the same run: the same messages to handlers that
 * throw them away (what the network costs), and the same bytes into LMDB (what the disk costs). All processes share the machine's
 * cores; clients cost as much as they do elsewhere.
 *
 * TSCOPE_BENCH_SOAK=SECONDS: goes on so long after that, and prints descriptors and anonymous memory of the server as it goes. */
#include "base/clock.h"
#include "base/digest.h"
#include "base/limits.h"
#include "bench_store.h"
#include "proto/wire.h"
#include "service/rpc/client.h"
#include "service/rpc/server.h"
#include "service/rpc/testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <lmdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 10000, RUNS_A_SECOND = 120, SAMPLES = 1 << 18, OLD_RUNS = 8, KINDS = 3 };

static const char *const kinds[KINDS] = {"list", "diff", "analyze"};
static const struct bench_column columns[] = {{"phases.data", 0.01},   {"phases.forward", 0.1}, {"phases.backward", 0.2},
					      {"scalars.loss", 2},     {"scalars.lr", 0.001},	{"memory.allocated", 9},
					      {"scalars.grad_norm", 1}};

/* ---- runs, made beforehand ---- */

struct run {
	struct ts_id head;
	struct ts_sealed *objects;
	size_t n, bytes;
};

/* An engine to which a run is put, and which keeps it for the pushes. */
struct catcher {
	struct ts_engine engine;
	struct ts_arena arena;
	struct run *run;
};

static enum ts_status catch_objects(struct ts_engine *e, const struct ts_sealed *objects, size_t n, struct ts_put_stats *ret_stats,
				    struct ts_error *err)
{
	struct catcher *c = (struct catcher *)(void *)e;

	(void)ret_stats;
	(void)err;
	for (size_t i = 0; i < n; i++) {
		struct ts_sealed *kept = realloc(c->run->objects, (c->run->n + 1) * sizeof *kept);

		if (!kept)
			exit(1);
		c->run->objects = kept;
		kept[c->run->n] = objects[i];
		kept[c->run->n].bytes = ts_arena_span(&c->arena, objects[i].bytes);
		c->run->bytes += objects[i].bytes.len;
		c->run->n++;
	}
	return TS_OK;
}

static struct run *runs;
static size_t n_runs;

static void make_runs(size_t n)
{
	static const struct ts_engine_ops ops = {.put_many = catch_objects};
	struct catcher c = {.engine.ops = &ops};

	ts_arena_init(&c.arena, 0);
	runs = calloc(n, sizeof *runs);
	for (n_runs = 0; runs && n_runs < n; n_runs++) {
		c.run = &runs[n_runs];
		c.run->head = bench_run_of(&c.engine, bench_rank(&c.engine, 0, n_runs * 7919 + 1, columns, 7, STEPS));
	}
}

/* ---- the server ---- */

static char dir[64], address[96];
static pid_t server_pid;
static struct ts_client_login login; /* none: the user behind the socket */

static void die(const char *what, const struct ts_error *err)
{
	(void)fprintf(stderr, "bench_load: %s: %s\n", what, err ? err->text : "failed");
	if (server_pid > 0)
		(void)kill(server_pid, SIGKILL);
	_exit(1);
}

static void start_server(const char *self)
{
	char program[512], store[96], socket[96];
	const char *argv[] = {program, "--socket", socket, "--store", store, "--log-level", "error", "--max-calls", "1024", NULL};
	const char *slash = strrchr(self, '/');
	struct ts_channel *ch;
	struct ts_error err;

	(void)snprintf(program, sizeof program, "%.*s/tscoped", slash ? (int)(slash - self) : 1, slash ? self : ".");
	(void)snprintf(store, sizeof store, "%s/store", dir);
	(void)snprintf(socket, sizeof socket, "%s/s", dir);
	(void)snprintf(address, sizeof address, "unix:%s/s", dir);
	if (posix_spawn(&server_pid, program, NULL, NULL, (char **)(uintptr_t)argv, environ) != 0)
		die(program, NULL);
	for (int i = 0; i < 100; i++) {
		if (ts_client_open(address, &login, &ch, &err) == TS_OK) {
			ch->ops->destroy(ch);
			return;
		}
		(void)poll(NULL, 0, 50);
	}
	die("tscoped", &err);
}

static unsigned count_descriptors(void)
{
	char path[64];
	unsigned n = 0;
	DIR *d;

	(void)snprintf(path, sizeof path, "/proc/%d/fd", (int)server_pid);
	d = opendir(path);
	while (d && readdir(d))
		n++;
	if (d)
		(void)closedir(d);
	return n;
}

static double anonymous_mb(void)
{
	char path[64], line[256];
	double kb = 0;
	FILE *f;

	(void)snprintf(path, sizeof path, "/proc/%d/status", (int)server_pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, "RssAnon:", 8) == 0)
			kb = strtod(line + 8, NULL);
	if (f)
		(void)fclose(f);
	return kb / 1024;
}

/* ---- a push ---- */

static void ask(struct ts_channel *ch, const char *method, struct ts_buf *request, struct ts_arena *arena, struct ts_span *ret_reply)
{
	struct ts_error err;

	if (ch->ops->call(ch, method, ts_buf_view(request), arena, ret_reply, &err))
		die(method, &err);
	ts_buf_reset(request);
}

static void upload(struct ts_channel *ch, const char *method, const struct run *run, struct ts_buf *message, struct ts_arena *arena)
{
	struct ts_upload *up;
	struct ts_span reply;
	struct ts_error err;

	if (ch->ops->upload_open(ch, method, &up, &err))
		die(method, &err);
	for (size_t at = 0, n; at < run->n; at += n) {
		struct ts_put_request request = {.objects = run->objects + at};
		size_t bytes = 0;

		for (n = 0; at + n < run->n && bytes < TS_BATCH_BYTES; n++)
			bytes += run->objects[at + n].bytes.len;
		request.n = n;
		ts_buf_reset(message);
		if (ts_wire_pack_put_request(&request, message, &err) || ch->ops->upload_send(up, ts_buf_view(message), &err))
			die(method, &err);
	}
	if (ch->ops->upload_finish(up, arena, &reply, &err))
		die(method, &err);
	ts_buf_reset(message);
}

/* With echo, to handlers that do nothing: Echo, Sum, Echo. */
static void push(struct ts_channel *ch, const struct run *run, const char *name, bool echo, struct ts_buf *message,
		 struct ts_arena *arena)
{
	struct ts_commit_request commit = {.name = ts_span_str(name), .head = run->head, .state = ts_span_str("finished")};
	struct ts_has_request has = {.ids = ts_arena_array(arena, run->n, sizeof *has.ids), .n = run->n};
	struct ts_span reply;
	struct ts_error err;

	for (size_t i = 0; i < run->n; i++)
		has.ids[i] = run->objects[i].id;
	if (ts_wire_pack_has_request(&has, message, &err))
		die("HasObjects", &err);
	ask(ch, echo ? "Echo" : "HasObjects", message, arena, &reply);
	upload(ch, echo ? "Sum" : "PutObjects", run, message, arena);
	if (ts_wire_pack_commit_request(&commit, message, &err))
		die("CommitRun", &err);
	ask(ch, echo ? "Echo" : "CommitRun", message, arena, &reply);
	ts_arena_reset(arena);
}

/* ---- clients ---- */

static atomic_size_t next_run, last_run, pushed;
static atomic_bool over;

struct client {
	pthread_t thread;
	const char *address;
	bool echo;
	unsigned number;
	double *samples[KINDS]; /* of a reader: seconds */
	size_t n[KINDS];
};

static void *push_runs(void *arg)
{
	struct client *client = arg;
	struct ts_buf message = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_arena arena;
	struct ts_channel *ch;
	struct ts_error err;
	size_t at;

	if (ts_client_open(client->address, &login, &ch, &err))
		die("a client", &err);
	ts_arena_init(&arena, 0);
	while (!atomic_load(&over) && (at = atomic_fetch_add(&next_run, 1)) < atomic_load(&last_run)) {
		char name[32];

		(void)snprintf(name, sizeof name, "load/run%zu", at);
		push(ch, &runs[at % n_runs], name, client->echo, &message, &arena);
		atomic_fetch_add(&pushed, 1);
	}
	ts_arena_finish(&arena);
	ts_buf_finish(&message);
	ch->ops->destroy(ch);
	return NULL;
}

static void pack_question(unsigned kind, unsigned turn, struct ts_buf *out)
{
	char a[32], b[32];
	struct ts_error err;
	enum ts_status status;

	(void)snprintf(a, sizeof a, "load/old%u", turn % OLD_RUNS);
	(void)snprintf(b, sizeof b, "load/old%u", (turn + 1) % OLD_RUNS);
	if (kind == 0)
		status = ts_wire_pack_list_request(&(struct ts_list_request){.kind = TS_REF_RUN, .project = ts_span_str("load")}, out,
						   &err);
	else if (kind == 1)
		status = ts_wire_pack_diff_request(&(struct ts_diff_request){.a = ts_span_str(a), .b = ts_span_str(b)}, out, &err);
	else
		status = ts_wire_pack_analyze_request(&(struct ts_analyze_request){.spec = ts_span_str(a), .fresh = true}, out, &err);
	if (status)
		die(kinds[kind], &err);
}

static void *read_answers(void *arg)
{
	static const char *const methods[KINDS] = {"ListRuns", "Diff", "Analyze"};
	struct client *client = arg;
	struct ts_buf request = TS_BUF_INIT(1 << 20);
	struct ts_arena arena;
	struct ts_channel *ch;
	struct ts_span reply;
	struct ts_error err;

	if (ts_client_open(client->address, &login, &ch, &err))
		die("a reader", &err);
	ts_arena_init(&arena, 0);
	for (unsigned turn = client->number; !atomic_load(&over); turn++) {
		unsigned kind = turn % KINDS;
		int64_t began = ts_now_mono_ns();

		pack_question(kind, turn, &request);
		ask(ch, methods[kind], &request, &arena, &reply);
		if (client->n[kind] < SAMPLES)
			client->samples[kind][client->n[kind]++] = (double)(ts_now_mono_ns() - began) / 1e9;
		ts_arena_reset(&arena);
		/* A person or a script thinks before it asks again. */
		(void)poll(NULL, 0, 100);
	}
	ts_arena_finish(&arena);
	ts_buf_finish(&request);
	ch->ops->destroy(ch);
	return NULL;
}

/* ---- phases ---- */

static int by_value(const void *a, const void *b)
{
	double x, y;

	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x > y) - (x < y);
}

struct answers {
	double p50[KINDS], p99[KINDS];
	size_t n[KINDS];
};

static void gather(struct client *readers, unsigned n, struct answers *ret)
{
	double *all = malloc(SAMPLES * sizeof *all);

	for (unsigned k = 0; k < KINDS; k++) {
		size_t total = 0;

		for (unsigned i = 0; i < n; i++)
			for (size_t s = 0; s < readers[i].n[k] && total < SAMPLES; s++)
				all[total++] = readers[i].samples[k][s];
		qsort(all, total, sizeof *all, by_value);
		ret->n[k] = total;
		ret->p50[k] = total ? all[total / 2] : 0;
		ret->p99[k] = total ? all[total * 99 / 100] : 0;
	}
	free(all);
}

/* Runs clients and readers. With clients, until the runs [from, to) are pushed; without, for some seconds. Returns pushes/s. */
static double phase(unsigned clients, unsigned readers, const char *at, bool echo, size_t from, size_t to, double seconds,
		    struct answers *ret)
{
	struct client *all = calloc(clients + readers, sizeof *all);
	int64_t began = ts_now_mono_ns();
	double took;

	atomic_store(&next_run, from);
	atomic_store(&last_run, to);
	atomic_store(&pushed, 0);
	atomic_store(&over, false);
	for (unsigned i = 0; i < clients + readers; i++) {
		all[i] = (struct client){.address = at, .echo = echo, .number = i};
		for (unsigned k = 0; i >= clients && k < KINDS; k++)
			all[i].samples[k] = calloc(SAMPLES, sizeof(double));
		if (pthread_create(&all[i].thread, NULL, i < clients ? push_runs : read_answers, &all[i]) != 0)
			die("a thread", NULL);
	}
	for (unsigned i = 0; i < clients; i++)
		(void)pthread_join(all[i].thread, NULL);
	took = (double)(ts_now_mono_ns() - began) / 1e9;
	if (!clients)
		(void)poll(NULL, 0, (int)(seconds * 1000));
	atomic_store(&over, true);
	for (unsigned i = clients; i < clients + readers; i++)
		(void)pthread_join(all[i].thread, NULL);
	if (ret)
		gather(all + clients, readers, ret);
	for (unsigned i = clients; i < clients + readers; i++)
		for (unsigned k = 0; k < KINDS; k++)
			free(all[i].samples[k]);
	free(all);
	return (double)atomic_load(&pushed) / took;
}

/* ---- the limits beside it ---- */

static double echo_limit(unsigned clients, size_t from, size_t to)
{
	struct testing t;
	double per_s;

	testing_init(&t);
	t.options.max_calls = 1024;
	testing_start(&t);
	per_s = phase(clients, 0, t.unix_address, true, from, to, 0, NULL);
	testing_finish(&t);
	return per_s;
}

/* Transactions of `group` runs each: the server, too, lets pushes that come together share a sync. */
static double lmdb_limit(size_t from, size_t to, size_t group)
{
	char path[96];
	int64_t began;
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
	uint64_t key = 0;

	(void)snprintf(path, sizeof path, "%s/bare%zu", dir, group);
	if (mkdir(path, 0700) != 0 || mdb_env_create(&env) || mdb_env_set_mapsize(env, (size_t)1 << 36) ||
	    mdb_env_open(env, path, 0, 0600))
		die("LMDB", NULL);
	began = ts_now_mono_ns();
	for (size_t i = from; i < to; i++) {
		if ((i - from) % group == 0 && (mdb_txn_begin(env, NULL, 0, &txn) || mdb_dbi_open(txn, NULL, MDB_INTEGERKEY, &dbi)))
			die("LMDB", NULL);
		for (size_t k = 0; k < runs[i].n; k++, key++) {
			MDB_val id = {.mv_size = sizeof key, .mv_data = &key};
			MDB_val value = {.mv_size = runs[i].objects[k].bytes.len,
					 .mv_data = (void *)(uintptr_t)runs[i].objects[k].bytes.data};

			if (mdb_put(txn, dbi, &id, &value, MDB_APPEND))
				die("LMDB", NULL);
		}
		if (((i - from) % group == group - 1 || i + 1 == to) && mdb_txn_commit(txn))
			die("LMDB", NULL);
	}
	mdb_env_close(env);
	return (double)(to - from) / ((double)(ts_now_mono_ns() - began) / 1e9);
}

static void soak(unsigned clients, unsigned readers, double seconds)
{
	int64_t until = ts_now_mono_ns() + (int64_t)(seconds * 1e9);
	size_t round = 2;

	(void)printf("\n%10s %12s %16s\n", "pushes", "descriptors", "anonymous MiB");
	(void)printf("%10d %12u %16.1f\n", 0, count_descriptors(), anonymous_mb());
	for (; ts_now_mono_ns() < until; round++) {
		(void)phase(clients, readers, address, false, round * n_runs, (round + 1) * n_runs, 0, NULL);
		(void)printf("%10zu %12u %16.1f\n", (round - 1) * n_runs, count_descriptors(), anonymous_mb());
		(void)fflush(stdout);
	}
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static void push_old_runs(void)
{
	struct ts_buf message = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_arena arena;
	struct ts_channel *ch;
	struct ts_error err;

	if (ts_client_open(address, &login, &ch, &err))
		die("a client", &err);
	ts_arena_init(&arena, 0);
	for (unsigned i = 0; i < OLD_RUNS; i++) {
		char name[32];

		(void)snprintf(name, sizeof name, "load/old%u", i);
		push(ch, &runs[n_runs - 1 - i], name, false, &message, &arena);
	}
	ts_arena_finish(&arena);
	ts_buf_finish(&message);
	ch->ops->destroy(ch);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 3, bytes = 0, alone, beside;
	unsigned clients = argc > 2 ? (unsigned)atoi(argv[2]) : 64, readers = argc > 3 ? (unsigned)atoi(argv[3]) : 16;
	const char *soak_s = getenv("TSCOPE_BENCH_SOAK");
	struct answers quiet, loaded;
	struct ts_error err;
	size_t half;

	(void)signal(SIGPIPE, SIG_IGN);
	(void)snprintf(dir, sizeof dir, "/tmp/tscope-load-XXXXXX");
	if (!mkdtemp(dir) || ts_digest_init(&err))
		die("a folder", NULL);
	make_runs((size_t)(2 * seconds * RUNS_A_SECOND) + OLD_RUNS);
	half = (n_runs - OLD_RUNS) / 2;
	for (size_t i = 0; i < n_runs; i++)
		bytes += (double)runs[i].bytes;
	start_server(argv[0]);
	push_old_runs();
	(void)phase(0, readers, address, false, 0, 0, seconds, &quiet);
	alone = phase(clients, 0, address, false, 0, half, 0, NULL);
	beside = phase(clients, readers, address, false, half, 2 * half, 0, &loaded);
	(void)printf("%u clients push runs of %d steps (%zu objects, %.0f KiB each), %u readers\n\n", clients, STEPS, runs[0].n,
		     bytes / (double)n_runs / 1024, readers);
	(void)printf("%-52s %9.0f\n", "pushes/s", alone);
	(void)printf("%-52s %9.0f\n", "pushes/s, readers beside", beside);
	(void)printf("%-52s %9.0f\n", "the same messages, thrown away", echo_limit(clients, 0, half));
	(void)printf("%-52s %9.0f\n", "the same bytes into LMDB, no network, a sync a run", lmdb_limit(0, half, 1));
	(void)printf("%-52s %9.0f\n", "the same, a sync for as many runs as clients", lmdb_limit(0, half, clients));
	(void)printf("\n%-10s %8s %10s %10s %8s %14s %14s %8s\n", "reader", "n", "p50 ms", "p99 ms", "n", "p50 beside", "p99 beside",
		     "p99 ratio");
	for (unsigned k = 0; k < KINDS; k++)
		(void)printf("%-10s %8zu %10.2f %10.2f %8zu %14.2f %14.2f %7.1fx\n", kinds[k], quiet.n[k], 1e3 * quiet.p50[k],
			     1e3 * quiet.p99[k], loaded.n[k], 1e3 * loaded.p50[k], 1e3 * loaded.p99[k], loaded.p99[k] / quiet.p99[k]);
	if (soak_s)
		soak(clients, readers, strtod(soak_s, NULL));
	(void)kill(server_pid, SIGTERM);
	(void)waitpid(server_pid, NULL, 0);
	(void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
