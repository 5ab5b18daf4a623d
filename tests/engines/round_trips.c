/* round_trips.c - how often a store in PostgreSQL asks its database: for a push of few and of many objects, for a list of few and of
 * many names, for the bytes of objects, which are read one by one, and for a verify, which reads a pack once for all of its objects.
 * The client library is the real one, and each sync that it sends is counted; the end of a snapshot, which nobody waits for, is one,
 * too. Before it a store is opened, which has to know the time of its database then. Prints a table. Ends with 77 where PostgreSQL's
 * programs are not. */
#include "base/alloc.h"
#include "store/cluster/cluster.h"
#include "store/cluster/cluster_kv.h"
#include "store/cluster/database.h"
#include "store/store_internal.h"
#include "store/test_store.h"
#include "tests/engines/postgres.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	FEW = 20,
	MANY = 1500,
	MORE = 6,
	MOST = 24,
	NAME = 64,
	EACH = 3 /* entry, bytes, and the end of the snapshot */,
	EACH_NAME = 7 /* its log, its place in the order of lists and back, and some more for all */
};

enum call { ASK, SEND, COMMIT, ASK_AGAIN, KNOW, LIST, READ, VERIFY, CALLS };

static const char *const words[CALLS] = {
	[ASK] = "has_many of what is not there",
	[SEND] = "put_many",
	[COMMIT] = "commit",
	[ASK_AGAIN] = "has_many of what is there",
	[KNOW] = "known_many",
	[LIST] = "a page of the newest names",
	[READ] = "get of each object",
	[VERIFY] = "verify",
};

static struct ts_libpq counted;
static int (*sync_of_libpq)(struct pg_conn *conn);
static unsigned long syncs;

static int count_sync(struct pg_conn *conn)
{
	syncs++;
	return sync_of_libpq(conn);
}

static void must(enum ts_status status, const struct ts_error *err)
{
	if (!status)
		return;
	(void)fprintf(stderr, "round_trips: %s\n", err->text);
	exit(1);
}

static char *copy(const char *text)
{
	char *out = ts_alloc(strlen(text) + 1);

	if (!out)
		exit(1);
	return memcpy(out, text, strlen(text) + 1);
}

/* The connection that the file names. */
static void read_conninfo(char *out, size_t size)
{
	FILE *file = fopen(postgres_file(), "r");
	char line[1024] = "";

	while (file && strncmp(line, "postgresql = ", 13) != 0)
		if (!fgets(line, sizeof line, file))
			exit(1);
	if (!file)
		exit(1);
	(void)fclose(file);
	line[strcspn(line, "\n")] = 0;
	(void)snprintf(out, size, "%s", line + 13);
}

/* What writes and sweeps before anything else does goes by the clock of the database, too: opening told it. */
static void knows_the_time(void)
{
	struct ts_engine *e;
	struct ts_error err;

	must(ts_cluster_open(&(struct ts_cluster_options){.file = postgres_file()}, &e, &err), &err);
	if (!atomic_load(&ts_cluster_database(ts_kv_of(e))->ahead_ns))
		must(ts_error_set(&err, TS_INTERNAL, "a store that was opened does not know what time it is for all"), &err);
	ts_engine_destroy(e);
}

static struct ts_engine *open_counted(void)
{
	const struct ts_store as = {.read_only = false};
	const struct ts_libpq *real;
	struct ts_engine *e;
	struct ts_error err;
	char conninfo[1024];
	struct ts_kv *kv;

	must(ts_cluster_open(&(struct ts_cluster_options){.file = postgres_file()}, &e, &err), &err); /* makes the tables */
	ts_engine_destroy(e);
	knows_the_time();
	must(ts_libpq_load(&real, &err), &err);
	counted = *real;
	sync_of_libpq = real->PQpipelineSync;
	counted.PQpipelineSync = count_sync;
	read_conninfo(conninfo, sizeof conninfo);
	must(ts_cluster_kv(&counted, copy("cluster:counted"), copy(conninfo), 4, &kv, &err), &err);
	must(ts_store_open(kv, &as, &e, &err), &err);
	return e;
}

/* Pushes a run of n blocks, then names it n times; counts what each call asks. */
static void count(struct ts_engine *e, size_t n, uint64_t seed, unsigned long ret[CALLS])
{
	struct ts_sealed *objects = calloc(n + 2, sizeof *objects);
	struct ts_id *ids = calloc(n + 2, sizeof *ids);
	enum ts_known *known = calloc(n + 2, sizeof *known);
	bool *present = calloc(n + 2, sizeof *present), leased;
	struct ts_span project = ts_span_str("p"), next;
	struct ts_viewer viewer = {.sender = ts_span_str("ada"), .projects = &project, .n = 1};
	struct ts_ref_update *updates = calloc(n, sizeof *updates);
	struct ts_verify_report verified;
	struct ts_put_stats stats;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_ref *refs;
	size_t n_objects, n_refs;

	if (!objects || !ids || !known || !present || !updates)
		exit(1);
	ts_arena_init(&arena, 0);
	n_objects = test_run(&arena, seed, n, objects);
	for (size_t i = 0; i < n_objects; i++)
		ids[i] = objects[i].id;
	for (size_t i = 0; i < n; i++) {
		char *name = ts_arena_array(&arena, NAME, 1);

		(void)snprintf(name, NAME, "p/%zu-%zu", n, i);
		updates[i] = test_update(TS_REF_RUN, name, &ids[0], (int64_t)(seed + i));
	}
	syncs = 0;
	must(e->ops->has_many(e, ids, n_objects, present, &err), &err);
	ret[ASK] = syncs;
	must(e->ops->upload_many(e, viewer.sender, objects, n_objects, &stats, &err), &err);
	ret[SEND] = syncs;
	must(e->ops->commit(e, updates, 1, &arena, NULL, &err), &err);
	ret[COMMIT] = syncs;
	must(e->ops->has_many(e, ids, n_objects, present, &err), &err);
	ret[ASK_AGAIN] = syncs;
	must(e->ops->known_many(e, &viewer, ids, n_objects, known, &leased, &err), &err);
	ret[KNOW] = syncs;
	for (size_t i = 0; i < n_objects; i++)
		if (!present[i] || known[i] != TS_KNOWN_REACHED)
			must(ts_error_set(&err, TS_NOT_FOUND, "object %zu is not there", i), &err);
	must(e->ops->commit(e, updates + 1, n - 1, &arena, NULL, &err), &err);
	ret[LIST] = syncs;
	must(e->ops->ref_list(e, &(struct ts_ref_query){.kind = TS_REF_RUN, .prefix = ts_span_str("p/"), .limit = n}, &arena, &refs,
			      &n_refs, &next, &err),
	     &err);
	ret[LIST] = syncs - ret[LIST];
	ret[READ] = syncs;
	for (size_t i = 0; i < n_objects; i++) {
		struct ts_sealed sealed;

		must(e->ops->get(e, &ids[i], &arena, &sealed, &err), &err);
	}
	ret[READ] = syncs - ret[READ];
	ret[VERIFY] = syncs;
	must(e->ops->verify(e, NULL, &arena, &verified, &err), &err);
	if (verified.objects < n_objects || verified.damaged + verified.missing + verified.records)
		must(ts_error_set(&err, TS_DAMAGED, "verify finds damage in a sound store"), &err);
	ret[VERIFY] = syncs - ret[VERIFY];
	for (enum call i = KNOW; i > ASK; i--)
		ret[i] -= ret[i - 1];
	ts_arena_finish(&arena);
	free(objects);
	free(ids);
	free(known);
	free(present);
	free(updates);
}

int main(void)
{
	unsigned long few[CALLS], many[CALLS];
	struct ts_engine *e;
	int failed = 0;
	char text[256];

	if (!postgres_start(text, sizeof text)) {
		printf("round_trips: skipped: %s\n", text);
		return 77;
	}
	e = open_counted();
	count(e, FEW, 1, few);
	count(e, MANY, 1000000, many);
	printf("%-32s %8d %8d\n", "syncs, by objects or names", FEW, MANY);
	for (enum call i = ASK; i < CALLS; i++) {
		bool bad = i == READ	 ? many[i] > EACH * (MANY + 2)
			   : i == VERIFY ? many[i] > EACH_NAME * MANY
			   : i == LIST	 ? many[i] > few[i]
					 : many[i] > few[i] + MORE || many[i] > MOST;

		failed += bad;
		printf("%-32s %8lu %8lu%s\n", words[i], few[i], many[i], bad ? "  TOO MANY" : "");
	}
	ts_engine_destroy(e);
	postgres_stop();
	return failed ? 1 : 0;
}
