/* bench_load [SECONDS [CLIENTS [READERS]]] - a server under the load of a team: 64 clients that push runs of 10,000 steps beside 16
 * that list, diff and analyze, each a process with a connection of its own, to a tscoped of this build; over a unix socket, then over
 * TLS with tokens.
 *
 * A push asks which objects are missing, sends them, and commits. Beside it, in the same run: the same messages to handlers that
 * throw them away (what the network costs), and the same bytes into LMDB (what the disk costs). All processes share the machine's
 * cores; clients cost as much as they do elsewhere.
 *
 * Readers ask while nobody pushes, while the clients push to another server with a store of its own, and while they push to the
 * server that is asked. The second takes the same cores and the same disk, so what the third takes longer is the server's doing; what
 * the second takes longer than the first is the machine's. The three alternate in rounds, since other work on a machine comes and goes.
 * What was in the server is its own meter's: from the arrival of a call to its end.
 *
 * At the end a soak: the same load for SECONDS more (TSCOPE_BENCH_SOAK names others), and what the server holds meanwhile. */
#include "base/clock.h"
#include "base/digest.h"
#include "load_team.h"
#include "service/rpc/testing.h"

#include <ftw.h>
#include <lmdb.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 3, RUNS_A_SECOND = 150, SITUATIONS = 3, ASKED = 0, OTHER = 1 };

static const char *const situations[SITUATIONS] = {"nobody pushes", "pushes to another server", "pushes to this server"};

static char dir[64], program[512];
static unsigned clients = 64, readers = 16;
static double seconds = 4;
static struct load_run *runs;
static size_t n_runs, part; /* runs that one phase pushes */

/* ---- the limits beside it ---- */

struct echo {
	atomic_bool up, over;
	char address[96];
};

static void serve_echo(struct echo *echo, bool tls)
{
	struct testing t;

	testing_init(&t);
	t.options.max_calls = 1024;
	if (tls) {
		t.listeners[1].address = "tls:127.0.0.1:0";
		t.options.tls = (struct ts_tls_files){.cert = load_cert, .key = load_key};
	}
	testing_start(&t);
	(void)snprintf(echo->address, sizeof echo->address, "%s", tls ? testing_tcp(&t) : t.unix_address);
	atomic_store(&echo->up, true);
	while (!atomic_load(&echo->over))
		(void)usleep(10000);
	testing_finish(&t);
}

static double echo_limit(bool tls)
{
	struct echo *echo = mmap(NULL, sizeof *echo, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct ts_client_login login = {.ca = load_ca};
	struct load_team team = {
		.clients = clients, .runs = runs, .to = part, .push_at = echo->address, .push_as = &login, .echo = true};
	pid_t server = fork();
	double per_s;

	if (server < 0)
		load_die("fork", NULL);
	if (server == 0) {
		serve_echo(echo, tls);
		_exit(0);
	}
	while (!atomic_load(&echo->up))
		(void)usleep(10000);
	per_s = load_team_run(&team, NULL);
	atomic_store(&echo->over, true);
	(void)waitpid(server, NULL, 0);
	(void)munmap(echo, sizeof *echo);
	return per_s;
}

/* Transactions of `group` runs each: the server, too, lets pushes that come together share a sync. */
static double lmdb_limit(size_t group)
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
		load_die("LMDB", NULL);
	began = ts_now_mono_ns();
	for (size_t i = 0; i < part; i++) {
		if (i % group == 0 && (mdb_txn_begin(env, NULL, 0, &txn) || mdb_dbi_open(txn, NULL, MDB_INTEGERKEY, &dbi)))
			load_die("LMDB", NULL);
		for (size_t k = 0; k < runs[i].n; k++, key++) {
			MDB_val id = {.mv_size = sizeof key, .mv_data = &key};
			MDB_val value = {.mv_size = runs[i].objects[k].bytes.len,
					 .mv_data = (void *)(uintptr_t)runs[i].objects[k].bytes.data};

			if (mdb_put(txn, dbi, &id, &value, MDB_APPEND))
				load_die("LMDB", NULL);
		}
		if ((i % group == group - 1 || i + 1 == part) && mdb_txn_commit(txn))
			load_die("LMDB", NULL);
	}
	mdb_env_close(env);
	return (double)part / ((double)(ts_now_mono_ns() - began) / 1e9);
}

/* ---- a block: one way to reach a server ---- */

struct block {
	struct load_server servers[2]; /* the one that is asked, and the other */
	double alone, beside[SITUATIONS]; /* pushes a second: without readers; in each situation, of the last round */
	struct load_answers *answers[SITUATIONS];
	struct load_times times[SITUATIONS][LOAD_KINDS];
};

static void add_times(const struct block *b, double sign, struct load_times *io)
{
	for (unsigned k = 0; k < LOAD_KINDS; k++) {
		struct load_times at;

		load_server_times(&b->servers[ASKED], load_methods[k], &at);
		io[k].seconds += sign * at.seconds;
		io[k].queued += sign * at.queued;
		io[k].calls += sign * at.calls;
	}
}

static void situation(struct block *b, unsigned which, size_t round)
{
	const struct load_server *asked = &b->servers[ASKED], *pushed = which == 1 ? &b->servers[OTHER] : asked;
	struct load_team team = {.clients = which ? clients : 0,
				 .readers = readers,
				 .runs = runs,
				 .from = (round + 1) * part,
				 .to = (round + 2) * part,
				 .push_at = pushed->address,
				 .push_as = &pushed->login,
				 .ask_at = asked->address,
				 .ask_as = &asked->login,
				 .seconds = seconds};

	add_times(b, -1, b->times[which]);
	b->beside[which] = load_team_run(&team, b->answers[which]);
	add_times(b, 1, b->times[which]);
}

static int by_value(const void *a, const void *b)
{
	double x, y;

	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x > y) - (x < y);
}

static void print_reader(struct block *b, unsigned kind)
{
	double quiet = 0, other = 0;

	for (unsigned s = 0; s < SITUATIONS; s++) {
		const struct load_times *in = &b->times[s][kind];
		double *all = b->answers[s]->seconds[kind], sum = 0, p99;
		size_t n = atomic_load(&b->answers[s]->n[kind]);

		n = n < LOAD_SAMPLES ? n : LOAD_SAMPLES;
		if (n == 0 || in->calls <= 0)
			continue;
		qsort(all, n, sizeof *all, by_value);
		for (size_t i = 0; i < n; i++)
			sum += all[i];
		p99 = all[n * 99 / 100];
		(void)printf("%-8s %-24s %6zu %8.2f %8.2f %8.2f %10.2f %10.2f", s ? "" : load_kinds[kind], situations[s], n,
			     1e3 * all[n / 2], 1e3 * p99, 1e3 * sum / (double)n, 1e3 * in->seconds / in->calls,
			     1e3 * in->queued / in->calls);
		if (s == 0)
			quiet = p99;
		else
			(void)printf(" %9.1fx", p99 / quiet);
		if (s == 1)
			other = p99;
		if (s == 2)
			(void)printf(" %9.1fx", p99 / other);
		(void)printf("\n");
	}
}

static void print_block(struct block *b, bool tls)
{
	(void)printf("\n%s\n", tls ? "over TLS, with tokens" : "over a unix socket");
	(void)printf("%-52s %9.0f\n", "pushes/s", b->alone);
	(void)printf("%-52s %9.0f\n", "pushes/s, readers beside", b->beside[2]);
	(void)printf("%-52s %9.0f\n", "pushes/s to another server, readers beside", b->beside[1]);
	(void)printf("%-52s %9.0f\n", "the same messages, thrown away", echo_limit(tls));
	(void)printf("\n%-8s %-24s %6s %8s %8s %8s %10s %10s %10s %10s\n", "reader", "while", "n", "p50 ms", "p99 ms", "mean ms",
		     "in server", "in a queue", "p99/nobody", "p99/other");
	for (unsigned k = 0; k < LOAD_KINDS; k++)
		print_reader(b, k);
	(void)fflush(stdout);
}

static void print_held(const struct load_server *server, double at, size_t pushes)
{
	(void)printf("%10.0f %10zu %12u %14u %16.1f\n", at, pushes, load_server_descriptors(server), load_server_reader_slots(server),
		     load_server_anonymous_mb(server));
	(void)fflush(stdout);
}

/* Pushes the same runs again under other names; what a push costs is then mostly names and questions, and the store still grows. */
static void soak(const struct load_server *server)
{
	const char *wanted = getenv("TSCOPE_BENCH_SOAK");
	double limit = wanted ? strtod(wanted, NULL) : seconds, at = 0;
	int64_t began = ts_now_mono_ns();
	struct load_team team = {.clients = clients,
				 .readers = readers,
				 .runs = runs,
				 .push_at = server->address,
				 .push_as = &server->login,
				 .ask_at = server->address,
				 .ask_as = &server->login};
	struct load_answers *answers = load_answers_make();
	size_t pushes = 0;

	(void)printf("\n%10s %10s %12s %14s %16s\n", "soak, s", "pushes", "descriptors", "reader slots", "anonymous MiB");
	print_held(server, 0, 0);
	while (at < limit) {
		team.from = team.to % (part * ROUNDS);
		team.to = team.from + part;
		team.named = 1000000 + pushes;
		(void)load_team_run(&team, answers);
		pushes += part;
		at = (double)(ts_now_mono_ns() - began) / 1e9;
		print_held(server, at, pushes);
	}
}

static void run_block(bool tls)
{
	struct block *b = calloc(1, sizeof *b);
	struct load_team alone = {.clients = clients, .runs = runs, .to = part};

	if (!b)
		load_die("memory", NULL);
	load_server_start(&b->servers[ASKED], program, dir, tls ? "tls" : "unix", tls);
	load_server_start(&b->servers[OTHER], program, dir, tls ? "tls-other" : "unix-other", tls);
	load_push_old(&b->servers[ASKED], runs + n_runs - LOAD_OLD_RUNS);
	alone.push_at = b->servers[ASKED].address;
	alone.push_as = &b->servers[ASKED].login;
	b->alone = load_team_run(&alone, NULL);
	for (unsigned s = 0; s < SITUATIONS; s++)
		b->answers[s] = load_answers_make();
	for (size_t round = 0; round < ROUNDS; round++)
		for (unsigned s = 0; s < SITUATIONS; s++)
			situation(b, s, round);
	print_block(b, tls);
	soak(&b->servers[ASKED]);
	load_server_stop(&b->servers[ASKED]);
	load_server_stop(&b->servers[OTHER]);
	free(b);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	struct ts_error err;

	if (argc > 1)
		seconds = strtod(argv[1], NULL);
	if (argc > 2)
		clients = (unsigned)atoi(argv[2]);
	if (argc > 3)
		readers = (unsigned)atoi(argv[3]);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)snprintf(program, sizeof program, "%.*s/tscoped", slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
	(void)snprintf(dir, sizeof dir, "/tmp/tscope-load-XXXXXX");
	if (!mkdtemp(dir) || ts_digest_init(&err))
		load_die("a folder", NULL);
	part = (size_t)(seconds * RUNS_A_SECOND);
	n_runs = (ROUNDS + 1) * part + LOAD_OLD_RUNS;
	runs = load_runs_make(n_runs);
	load_server_certify(dir);
	(void)printf("%u clients push runs of %d steps (%zu objects, %zu KiB each), %u readers\n\n", clients, LOAD_STEPS, runs[0].n,
		     runs[0].bytes / 1024, readers);
	(void)printf("%-52s %9.0f\n", "a run's bytes into LMDB alone, a sync a run, runs/s", lmdb_limit(1));
	(void)printf("%-52s %9.0f\n", "the same, a sync for as many runs as clients", lmdb_limit(clients));
	(void)fflush(stdout);
	run_block(false);
	run_block(true);
	(void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
