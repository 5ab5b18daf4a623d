#include "tests/engines/promises.h"

#include "base/clock.h"
#include "store/test_store.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUN = 8 }; /* objects of a run: a head, an index, and blocks */

/* One question to one subject. */
struct ask {
	struct subject *s;
	struct ts_arena arena;
	struct ts_error err;
	char *text;
};

static bool wrong(struct ask *a, const char *what)
{
	(void)snprintf(a->text, PROMISE_TEXT, "%s", what);
	return false;
}

static bool failed(struct ask *a, const char *what)
{
	(void)snprintf(a->text, PROMISE_TEXT, "%s: %.180s", what, a->err.text);
	return false;
}

static struct ask begin(struct subject *s, char text[PROMISE_TEXT])
{
	struct ask a = {.s = s, .text = text};

	ts_arena_init(&a.arena, 0);
	return a;
}

static bool end(struct ask *a, bool holds)
{
	ts_arena_finish(&a->arena);
	return holds;
}

static bool is_named(struct ask *a, const char *name)
{
	struct ts_ref ref;

	return a->s->e->ops->ref_get(a->s->e, TS_REF_RUN, ts_span_str(name), &a->arena, &ref, &a->err) == TS_OK;
}

static enum ts_status put(struct ask *a, const struct ts_sealed *objects, size_t n)
{
	return a->s->e->ops->put_many(a->s->e, objects, n, NULL, &a->err);
}

static enum ts_status commit(struct ask *a, const struct ts_ref_update *u)
{
	return a->s->e->ops->commit(a->s->e, u, 1, &a->arena, NULL, &a->err);
}

static enum ts_status push(struct ask *a, const char *name, const struct ts_sealed *run)
{
	struct ts_ref_update u = test_update(TS_REF_RUN, name, &run[0].id, 1);

	return put(a, run, RUN) ? a->err.status : commit(a, &u);
}

static bool reads(struct ask *a, struct ts_engine *e, const struct ts_sealed *objects, size_t n)
{
	struct ts_sealed got;

	for (size_t i = 0; i < n; i++)
		if (e->ops->get(e, &objects[i].id, &a->arena, &got, &a->err) || !ts_span_eq(got.bytes, objects[i].bytes))
			return false;
	return true;
}

static const char *name_of(struct ask *a, int number)
{
	return ts_arena_printf(&a->arena, "p/%d", number);
}

/* ---- P1 ---- */

enum { KILLS = 6, PUSHES = 40 };

/* Pushes runs, and counts those that were acknowledged where its parent sees it, until it is killed or has done all. */
static void push_until_killed(struct subject *s, volatile int *acknowledged)
{
	struct ask a = {.s = s};

	ts_arena_init(&a.arena, 0);
	if (subject_open(s, &a.err))
		_exit(1);
	for (int i = *acknowledged; i < PUSHES; i++) {
		struct ts_sealed run[RUN];

		test_run(&a.arena, (uint64_t)i, RUN - 2, run);
		if (push(&a, name_of(&a, i), run))
			_exit(1);
		*acknowledged = i + 1;
		if (i % (PUSHES / KILLS) == PUSHES / KILLS - 1)
			(void)raise(SIGKILL); /* right after it was acknowledged */
	}
	_exit(0);
}

static bool survived(struct ask *a, int acknowledged)
{
	if (subject_open(a->s, &a->err))
		return failed(a, "it does not open after kill -9");
	for (int i = 0; i < acknowledged; i++) {
		struct ts_sealed run[RUN];

		test_run(&a->arena, (uint64_t)i, RUN - 2, run);
		if (!is_named(a, name_of(a, i)) || !reads(a, a->s->e, run, RUN))
			return wrong(a, "a run that was acknowledged is not there after kill -9");
	}
	return true;
}

static bool p1_survives(struct subject *s, char text[PROMISE_TEXT])
{
	struct ask a = begin(s, text);
	volatile int *acknowledged = mmap(NULL, sizeof *acknowledged, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool holds = acknowledged != MAP_FAILED;
	int status = SIGKILL;

	subject_close(s);
	while (holds && WIFSIGNALED(status)) { /* a process that has an engine open must not fork */
		pid_t child = fork();

		if (child == 0)
			push_until_killed(s, acknowledged);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		holds = WIFSIGNALED(status) || WEXITSTATUS(status) == 0 ? survived(&a, *acknowledged)
									: wrong(&a, "a push fails after kill -9");
		subject_close(s);
	}
	(void)munmap((void *)(uintptr_t)acknowledged, sizeof *acknowledged);
	return end(&a, holds);
}

/* ---- P2 ---- */

static bool refuses_without(struct ask *a, const struct ts_sealed *run, size_t missing)
{
	const char *name = name_of(a, (int)missing);
	struct ts_ref_update u = test_update(TS_REF_RUN, name, &run[0].id, 1);
	struct ts_sweep_report report;
	char hex[TS_ID_HEX + 1];

	if (put(a, run, missing) || put(a, run + missing + 1, RUN - missing - 1))
		return failed(a, "objects cannot be sent");
	if (commit(a, &u) != TS_NOT_FOUND)
		return wrong(a, "a commit of a run that lacks an object does not say TS_NOT_FOUND");
	if (!strstr(a->err.text, ts_id_hex(&run[missing].id, hex)))
		return wrong(a, "a commit of a run that lacks an object does not name it");
	if (is_named(a, name))
		return wrong(a, "a run that lacks an object has a name");
	/* What was sent goes again, so that the next object is the one that lacks. */
	return test_sweep_now(a->s->e, &report) ? wrong(a, "sweep fails") : true;
}

static bool p2_no_incomplete_run(struct subject *s, char text[PROMISE_TEXT])
{
	struct ask a = begin(s, text);
	struct ts_sealed run[RUN];
	bool holds = true;

	test_run(&a.arena, 1, RUN - 2, run);
	for (size_t missing = 0; missing < RUN && holds; missing++)
		holds = refuses_without(&a, run, missing);
	if (holds && push(&a, "p/whole", run))
		holds = failed(&a, "a run that is complete cannot be pushed");
	return end(&a, holds && (is_named(&a, "p/whole") || wrong(&a, "a run that was pushed has no name")));
}

/* ---- P3 ---- */

static bool p3_stored_once(struct subject *s, char text[PROMISE_TEXT])
{
	struct ask a = begin(s, text);
	struct ts_engine *e = s->e;
	struct ts_sealed objects[RUN + 1];
	struct ts_store_stats once, twice;
	struct ts_put_stats first, second;

	test_run(&a.arena, 1, RUN - 2, objects);
	objects[RUN] = objects[RUN - 1]; /* twice in one call */
	if (e->ops->put_many(e, objects, RUN + 1, &first, &a.err) || e->ops->stats(e, &once, &a.err) ||
	    e->ops->put_many(e, objects, RUN + 1, &second, &a.err) || e->ops->stats(e, &twice, &a.err))
		return end(&a, failed(&a, "objects cannot be sent"));
	if (first.new_objects != RUN || second.new_objects || second.new_bytes)
		return end(&a, wrong(&a, "an object that is there counts as new"));
	if (once.objects != twice.objects || once.stored_bytes != twice.stored_bytes || once.stored_bytes != first.new_bytes)
		return end(&a, wrong(&a, "an object that was there takes room once more"));
	return end(&a, true);
}

/* ---- P4 ---- */

enum { RACERS = 4, MOVES = 24 };

struct racer {
	struct ts_engine *e;
	const struct ts_sealed *heads;
	unsigned won;
	enum ts_status failed;
};

/* Moves a branch on from where it is, until it has moved often enough; counts the moves that were acknowledged. */
static void *race(void *ctx)
{
	struct racer *r = ctx;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	for (;;) {
		struct ts_ref_update u = test_update(TS_REF_BRANCH, "p/main", &r->heads[0].id, 1);
		struct ts_ref ref = {0};
		enum ts_status status = r->e->ops->ref_get(r->e, TS_REF_BRANCH, u.name, &arena, &ref, &err);

		if (status == TS_OK && ref.seq >= MOVES)
			break;
		r->failed = status == TS_NOT_FOUND ? TS_OK : status;
		if (r->failed)
			break;
		u.expect = status == TS_OK ? TS_EXPECT_ID : TS_EXPECT_ABSENT;
		u.expected = ref.id;
		u.id = r->heads[(ref.seq + 1) % 2].id;
		status = r->e->ops->commit(r->e, &u, 1, &arena, NULL, &err);
		r->failed = status == TS_CONFLICT ? TS_OK : status;
		if (r->failed)
			break;
		r->won += status == TS_OK;
		ts_arena_reset(&arena);
	}
	ts_arena_finish(&arena);
	return NULL;
}

static bool racers_lose_nothing(struct ask *a, const struct ts_sealed heads[2])
{
	struct racer racers[RACERS];
	pthread_t threads[RACERS];
	struct ts_log_entry *log;
	enum ts_status failure = TS_OK;
	unsigned won = 0;
	size_t n;

	for (int i = 0; i < RACERS; i++) {
		racers[i] = (struct racer){.e = a->s->e, .heads = heads};
		if (pthread_create(&threads[i], NULL, race, &racers[i]) != 0)
			abort();
	}
	for (int i = 0; i < RACERS; i++) {
		pthread_join(threads[i], NULL);
		won += racers[i].won;
		failure = racers[i].failed ? racers[i].failed : failure;
	}
	if (failure)
		return wrong(a, "one of several that move a branch fails otherwise than by TS_CONFLICT");
	if (a->s->e->ops->ref_log(a->s->e, TS_REF_BRANCH, ts_span_str("p/main"), 0, &a->arena, &log, &n, &a->err))
		return failed(a, "the log of a branch that several moved cannot be read");
	if (n != won)
		return wrong(a, "not every move that was acknowledged is in the log once");
	for (size_t i = 0; i < n; i++)
		if (log[i].seq != n - i || !ts_id_eq(&log[i].id, &heads[(n - i) % 2].id))
			return wrong(a, "a move does not follow the one before");
	return true;
}

static bool p4_compare_and_set(struct subject *s, char text[PROMISE_TEXT])
{
	struct ask a = begin(s, text);
	struct ts_sealed heads[2] = {test_node(&a.arena, TEST_HEAD, NULL, 0, 1), test_node(&a.arena, TEST_HEAD, NULL, 0, 2)};
	struct ts_ref_update u = test_update(TS_REF_RUN, "p/x", &heads[0].id, 1), both[2];

	if (put(&a, heads, 2))
		return end(&a, failed(&a, "objects cannot be sent"));
	u.expect = TS_EXPECT_ID;
	u.expected = heads[1].id;
	if (commit(&a, &u) != TS_CONFLICT || is_named(&a, "p/x"))
		return end(&a, wrong(&a, "a name that is not there moves"));
	u.expect = TS_EXPECT_ABSENT;
	if (commit(&a, &u) != TS_OK || commit(&a, &u) != TS_CONFLICT)
		return end(&a, wrong(&a, "a name that is expected to be absent is made twice"));
	u.expect = TS_EXPECT_ID;
	if (commit(&a, &u) != TS_CONFLICT)
		return end(&a, wrong(&a, "a name moves from where it is not"));
	both[0] = test_update(TS_REF_TAG, "p/t", &heads[0].id, 1);
	both[1] = u;
	if (s->e->ops->commit(s->e, both, 2, &a.arena, NULL, &a.err) != TS_CONFLICT)
		return end(&a, wrong(&a, "of two moves, of which one is refused, both are acknowledged"));
	if (s->e->ops->ref_get(s->e, TS_REF_TAG, both[0].name, &a.arena, &(struct ts_ref){0}, &a.err) != TS_NOT_FOUND)
		return end(&a, wrong(&a, "of two moves, of which one was refused, one was made"));
	return end(&a, racers_lose_nothing(&a, heads));
}

/* ---- P5 ---- */

static bool p5_full(struct subject *s, char text[PROMISE_TEXT])
{
	struct ask a = begin(s, text);
	struct ts_sealed runs[2][RUN];
	struct ts_ref_update u;
	struct ts_sweep_report swept;
	bool holds = true;

	for (uint64_t i = 0; i < 2; i++)
		test_run(&a.arena, i + 1, RUN - 2, runs[i]);
	if (push(&a, "p/0", runs[0]))
		return end(&a, failed(&a, "a run cannot be pushed"));
	subject_disks_are_full = true;
	u = test_update(TS_REF_RUN, "p/0", &runs[0][0].id, 2);
	u.remove = true;
	if (put(&a, runs[1], RUN) != TS_FULL)
		holds = wrong(&a, "a write of objects to a full store does not say TS_FULL");
	else if (!is_named(&a, "p/0") || !reads(&a, s->e, runs[0], RUN))
		holds = wrong(&a, "a full store cannot be read");
	else if (commit(&a, &u))
		holds = failed(&a, "a name cannot be removed from a full store");
	else if (test_sweep_now(s->e, &swept) || swept.freed != RUN)
		holds = wrong(&a, "a full store cannot be swept");
	subject_disks_are_full = false;
	return end(&a, holds);
}

/* ---- P6 ---- */

/* Turns a bit in the middle of an object where it lies on the disk. */
static bool turn_bit(const struct subject *s, const struct ts_sealed *object)
{
	char path[300];
	uint8_t *bytes = NULL, *at = NULL;
	size_t size;
	FILE *file;
	long len;

	(void)snprintf(path, sizeof path, "%s/data.mdb", s->dir);
	file = fopen(path, "r+b");
	if (!file)
		return false;
	if (fseek(file, 0, SEEK_END) == 0 && (len = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0) {
		size = (size_t)len;
		bytes = malloc(size);
		if (bytes && fread(bytes, 1, size, file) == size)
			at = memmem(bytes, size, object->bytes.data, object->bytes.len);
	}
	if (at && fseek(file, (long)((size_t)(at - bytes) + object->bytes.len / 2), SEEK_SET) == 0)
		(void)fputc(at[object->bytes.len / 2] ^ 4, file);
	free(bytes);
	return fclose(file) == 0 && at;
}

static bool bit_is_found(struct ask *a, const struct ts_sealed *run)
{
	struct ts_verify_report report;
	struct ts_sealed got;
	struct subject *s = a->s;

	subject_close(s);
	if (!turn_bit(s, &run[3]))
		return wrong(a, "the object is not in the file");
	if (subject_open(s, &a->err))
		return failed(a, "a store with a damaged object does not open");
	if (s->e->ops->verify(s->e, NULL, &a->arena, &report, &a->err) || report.damaged != 1 ||
	    !ts_id_eq(&report.ids[0], &run[3].id))
		return wrong(a, "verify does not name the object that was damaged");
	if (s->e->ops->get(s->e, &run[3].id, &a->arena, &got, &a->err) != TS_DAMAGED)
		return wrong(a, "a damaged object is served");
	return reads(a, s->e, run + 4, RUN - 4) || wrong(a, "what is not damaged cannot be read");
}

/* What lies below, and is not what its id says, is not served. Only what comes from another machine is held to its id at once. */
static bool server_is_not_trusted(struct ask *a, const struct ts_sealed *lie)
{
	struct ts_sealed got;

	if (a->s->below->ops->put_many(a->s->below, lie, 1, NULL, &a->err))
		return failed(a, "an object cannot be sent");
	if (a->s->e->ops->get(a->s->e, &lie->id, &a->arena, &got, &a->err) != TS_DAMAGED)
		return wrong(a, "what a server sends for another object is served");
	return true;
}

static bool p6_damage(struct subject *s, char text[PROMISE_TEXT])
{
	struct ask a = begin(s, text);
	struct ts_sealed run[RUN], lie;
	struct ts_verify_report report;

	test_run(&a.arena, 1, RUN - 2, run);
	lie = run[3];
	lie.id.bytes[0] ^= 1;
	if (push(&a, "p/0", run))
		return end(&a, failed(&a, "a run cannot be pushed"));
	if (s->remote && !server_is_not_trusted(&a, &lie))
		return end(&a, false);
	if (s->kind->files && !bit_is_found(&a, run))
		return end(&a, false);
	if (s->kind->files)
		return end(&a, true);
	if (put(&a, &lie, 1) || s->e->ops->verify(s->e, NULL, &a.arena, &report, &a.err))
		return end(&a, failed(&a, "an object cannot be sent and verified"));
	if (report.damaged != 1 || report.n_ids != 1 || !ts_id_eq(&report.ids[0], &lie.id))
		return end(&a, wrong(&a, "verify does not name an object that is not what its id says"));
	return end(&a, true);
}

/* ---- P7 ---- */

static size_t present(struct ask *a, const struct ts_sealed *run)
{
	struct ts_outline outlines[RUN];
	struct ts_id ids[RUN];
	size_t n = 0;

	for (size_t i = 0; i < RUN; i++)
		ids[i] = run[i].id;
	if (a->s->e->ops->outline_many(a->s->e, ids, RUN, outlines, &a->err))
		return 0;
	for (size_t i = 0; i < RUN; i++)
		n += outlines[i].present;
	return n;
}

struct pusher {
	struct ts_engine *e;
	bool pushed;
};

/* Pushes as clients do, and asks again when a sweep came between. */
static void *push_beside(void *ctx)
{
	struct pusher *p = ctx;
	struct ts_arena arena;
	struct ts_error err = {0};
	int done = 0;

	ts_arena_init(&arena, 0);
	for (int i = 0; i < 10; i++) {
		struct ts_sealed run[RUN];
		struct ts_ref_update u;

		test_run(&arena, 100 + (uint64_t)i, RUN - 2, run);
		u = test_update(TS_REF_RUN, ts_arena_printf(&arena, "q/%d", i), &run[0].id, 1);
		for (int tries = 0; tries < 1000; tries++) {
			err = (struct ts_error){0};
			if (p->e->ops->put_many(p->e, run, RUN, NULL, &err) || !p->e->ops->commit(p->e, &u, 1, &arena, NULL, &err) ||
			    err.status != TS_NOT_FOUND)
				break;
		}
		done += err.status == TS_OK;
	}
	p->pushed = done == 10;
	ts_arena_finish(&arena);
	return NULL;
}

static bool sweeps_beside_a_push(struct ask *a)
{
	struct pusher pusher = {.e = a->s->e};
	struct ts_sweep_report swept;
	pthread_t thread;

	if (pthread_create(&thread, NULL, push_beside, &pusher) != 0)
		abort();
	for (int i = 0; i < 20; i++)
		if (test_sweep_now(a->s->e, &swept))
			pusher.e = NULL;
	pthread_join(thread, NULL);
	if (!pusher.e || !pusher.pushed)
		return wrong(a, "a push beside sweeps fails");
	for (int i = 0; i < 10; i++) {
		struct ts_sealed run[RUN];

		test_run(&a->arena, 100 + (uint64_t)i, RUN - 2, run);
		if (present(a, run) != RUN)
			return wrong(a, "a sweep took objects of a run that was pushed beside it");
	}
	return true;
}

static bool p7_sweep(struct subject *s, char text[PROMISE_TEXT])
{
	const int64_t hour = (int64_t)3600 * 1000000000;
	struct ask a = begin(s, text);
	struct ts_sealed named[RUN], leased[RUN], old[RUN];
	struct ts_sweep_report swept;

	test_run(&a.arena, 1, RUN - 2, named);
	test_run(&a.arena, 2, RUN - 2, leased);
	test_run(&a.arena, 3, RUN - 2, old);
	if (push(&a, "p/0", named) || put(&a, leased, 1) || put(&a, leased + 1, RUN - 1) || put(&a, old, RUN))
		return end(&a, failed(&a, "a run cannot be pushed"));
	for (size_t i = 1; i < RUN; i++)
		test_age(s->e, &leased[i].id, 48 * 3600); /* only the head has its lease, which covers the rest */
	for (size_t i = 0; i < RUN; i++)
		test_age(s->e, &old[i].id, 48 * 3600);
	if (TEST_SWEEP(s->e, &swept, &a.err, .now_ns = ts_now_real_ns() + TEST_LATER, .lease_ns = 24 * hour))
		return end(&a, failed(&a, "sweep fails"));
	if (present(&a, named) != RUN)
		return end(&a, wrong(&a, "sweep freed what a name reaches"));
	if (present(&a, leased) != RUN)
		return end(&a, wrong(&a, "sweep freed what a lease covers"));
	if (present(&a, old) != 0 || swept.freed != RUN)
		return end(&a, wrong(&a, "sweep left what nothing reaches"));
	return end(&a, sweeps_beside_a_push(&a));
}

/* ---- P8 ---- */

static void *push_on(void *ctx)
{
	struct pusher *p = ctx;
	struct ask a = {.s = &(struct subject){.e = p->e}};

	ts_arena_init(&a.arena, 0);
	p->pushed = true;
	for (int i = 10; i < 40 && p->pushed; i++) {
		struct ts_sealed run[RUN];

		test_run(&a.arena, (uint64_t)i, RUN - 2, run);
		p->pushed = push(&a, name_of(&a, i), run) == TS_OK;
	}
	ts_arena_finish(&a.arena);
	return NULL;
}

static bool copy_is_whole(struct ask *a, const char *path)
{
	struct ts_lmdb_options options = {.path = path, .read_only = true};
	struct ts_ref_query query = {.kind = TS_REF_RUN, .order = TS_ORDER_NAME, .limit = 100};
	struct subject copy = {.kind = a->s->kind};
	struct ask of = {.s = &copy, .text = a->text};
	struct ts_verify_report report;
	struct ts_span next;
	struct ts_ref *refs;
	bool holds = true;
	size_t n;

	if (ts_lmdb_open(&options, &copy.e, &a->err))
		return failed(a, "a backup does not open");
	ts_arena_init(&of.arena, 0);
	for (int i = 0; i < 10 && holds; i++)
		holds = is_named(&of, name_of(a, i)) || wrong(a, "a backup lacks a run that was acknowledged before it began");
	if (holds && (copy.e->ops->verify(copy.e, NULL, &a->arena, &report, &a->err) || report.damaged || report.missing))
		holds = wrong(a, "a backup lacks objects of its names");
	if (holds && copy.e->ops->ref_list(copy.e, &query, &a->arena, &refs, &n, &next, &a->err))
		holds = failed(a, "the names of a backup cannot be listed");
	ts_arena_finish(&of.arena);
	ts_engine_destroy(copy.e);
	return holds;
}

static bool p8_backup(struct subject *s, char text[PROMISE_TEXT])
{
	struct ask a = begin(s, text);
	struct pusher pusher = {.e = s->e};
	pthread_t thread;
	bool holds = true;
	char path[300];

	(void)snprintf(path, sizeof path, "%s/backup", s->dir);
	for (int i = 0; i < 10; i++) {
		struct ts_sealed run[RUN];

		test_run(&a.arena, (uint64_t)i, RUN - 2, run);
		if (push(&a, name_of(&a, i), run))
			return end(&a, failed(&a, "a run cannot be pushed"));
	}
	if (pthread_create(&thread, NULL, push_on, &pusher) != 0)
		abort();
	if (s->e->ops->backup(s->e, path, &a.err))
		holds = failed(&a, "backup fails");
	pthread_join(thread, NULL);
	if (holds && !pusher.pushed)
		holds = wrong(&a, "a push beside a backup fails");
	return end(&a, holds && copy_is_whole(&a, path));
}

/* ---- P9 ---- */

static bool p9_retire(struct subject *s, char text[PROMISE_TEXT])
{
	struct ask a = begin(s, text);
	struct ts_engine *e = s->e;
	struct ts_sealed heads[3];
	struct ts_retired items[2];
	struct ts_retire what = {.items = items, .n = 2, .planned_ns = 100, .now_ns = 200, .who = ts_span_str("ann")};
	enum ts_retire_outcome outcomes[2];
	struct ts_sweep_report swept;
	struct ts_ref ref;

	for (uint64_t i = 0; i < 3; i++)
		heads[i] = test_node(&a.arena, TEST_HEAD, NULL, 0, i);
	if (put(&a, heads, 3))
		return end(&a, failed(&a, "objects cannot be sent"));
	for (int i = 0; i < 2; i++) {
		struct ts_ref_update u = test_update(TS_REF_RUN, name_of(&a, i), &heads[i].id, i ? 101 : 100);

		if (commit(&a, &u))
			return end(&a, failed(&a, "a run cannot be named"));
		items[i] = (struct ts_retired){.kind = TS_REF_RUN, .name = u.name, .id = u.id};
	}
	if (e->ops->retire(e, &what, outcomes, &a.err))
		return end(&a, failed(&a, "retire fails"));
	if (outcomes[0] != TS_RETIRED || is_named(&a, "p/0"))
		return end(&a, wrong(&a, "a name that was retired is there"));
	if (outcomes[1] != TS_STAYS_CHANGED || !is_named(&a, "p/1"))
		return end(&a, wrong(&a, "a name that moved since the plan was retired"));
	if (TEST_SWEEP(e, &swept, &a.err, .now_ns = ts_now_real_ns() + TEST_LATER, .removed_ns = INT64_MAX / 2))
		return end(&a, failed(&a, "sweep fails"));
	if (e->ops->ref_restore(e, TS_REF_RUN, items[0].name, ts_span_of(NULL, 0), &a.arena, &ref, &a.err))
		return end(&a, failed(&a, "a name that was retired does not come back"));
	if (!is_named(&a, "p/0") || !reads(&a, e, heads, 1))
		return end(&a, wrong(&a, "a name that was retired comes back without its run"));
	return end(&a, true);
}

const struct promise promises[PROMISES] = {
	{"acknowledged survives kill -9", true, false, "it ends with its process", p1_survives},
	{"no incomplete run is visible", false, false, NULL, p2_no_incomplete_run},
	{"equal content is stored once", false, false, NULL, p3_stored_once},
	{"a name moves by compare-and-set", false, false, NULL, p4_compare_and_set},
	{"a full disk lets read, remove and sweep", false, true, "it has no disk that could be full", p5_full},
	{"damage is reported and never served", false, false, NULL, p6_damage},
	{"sweep frees all that nothing reaches, alone", false, false, NULL, p7_sweep},
	{"a backup is consistent while others write", false, true, "it has no files that could be copied", p8_backup},
	{"retire lets go, and gives back", false, false, NULL, p9_retire},
};
