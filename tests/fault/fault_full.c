/* fault_full DIR POINTS - fills a disk that powerlog.so pretends is full, at so many points, and says on stdout what went wrong, or its
 * counts.
 *
 * Without a reserve, writes fail at every byte and nothing is lost. With one, what fills the store can be removed again, also when
 * another program has eaten the reserve. */
#include "base/clock.h"
#include "tests/fault/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROOM = 68000 }; /* bytes, more than a push here takes: the disk is full at points up to there */

static struct ts_error err;
static long points, acknowledged, refused, freed;

#define MUST(condition) \
	do { \
		if (!(condition)) { \
			(void)printf("line %d: %s (%s)\n", __LINE__, #condition, err.text); \
			return 1; \
		} \
	} while (0)

/* Limits the file to `more` bytes beyond its present size. -1 removes the limit. */
static void give_room(const char *dir, long more)
{
	char path[1024];
	char text[32];
	struct stat st = {0};

	(void)snprintf(path, sizeof path, "%s/data.mdb", dir);
	(void)stat(path, &st);
	(void)snprintf(text, sizeof text, "%" PRId64, st.st_size + more);
	(void)(more < 0 ? unsetenv("TS_POWERLOG_ENOSPC_AFTER") : setenv("TS_POWERLOG_ENOSPC_AFTER", text, 1));
}

/* Checks that everything pushed so far can be read. */
static int check(struct ts_engine *e, uint64_t n, struct ts_arena *arena)
{
	struct ts_verify_report report;
	struct ts_ref ref;
	char name[32];

	for (uint64_t i = 0; i < n; i++) {
		struct ts_sealed sealed;

		(void)snprintf(name, sizeof name, "p/%" PRIu64, i);
		MUST(e->ops->ref_get(e, TS_REF_RUN, ts_span_str(name), arena, &ref, &err) == TS_OK);
		MUST(e->ops->get(e, &ref.id, arena, &sealed, &err) == TS_OK);
	}
	MUST(e->ops->verify(e, NULL, arena, &report, &err) == TS_OK);
	MUST(report.damaged == 0 && report.missing == 0);
	return 0;
}

static int run(const char *dir, struct ts_engine *e, struct ts_arena *arena)
{
	uint64_t n = 0;
	struct ts_id id;

	while (n < 3)
		MUST(fault_push(e, n++, arena, &id, &err) == TS_OK);
	for (long point = 0; point < points; point++) { /* whole writes fail, others are cut short */
		enum ts_status status;
		struct ts_ref ref;
		char name[32];
		int tries = 0;

		give_room(dir, ROOM / points * point);
		while ((status = fault_push(e, n, arena, &id, &err)) == TS_OK && tries++ < 20) /* some pushes fit into free pages */
			n++;
		MUST(status == TS_FULL);
		(void)snprintf(name, sizeof name, "p/%" PRIu64, n);
		MUST(e->ops->ref_get(e, TS_REF_RUN, ts_span_str(name), arena, &ref, &err) == TS_NOT_FOUND);
		MUST(fault_push(e, n, arena, &id, &err) == TS_FULL); /* a second try gives the same error: the store is not stuck */
		if (check(e, n, arena))
			return 1;
		give_room(dir, -1);
		MUST(fault_push(e, n++, arena, &id, &err) == TS_OK);
		ts_arena_reset(arena);
		refused += 2;
	}
	acknowledged = (long)n;
	return check(e, n, arena);
}

/* Removes every name and sweeps. */
static int clear(struct ts_engine *e, uint64_t from, uint64_t to, struct ts_arena *arena)
{
	struct ts_sweep_options now = {.now_ns = ts_now_real_ns() + 1};
	struct ts_sweep_report swept;
	char name[32];

	for (uint64_t i = from; i < to; i++) {
		struct ts_ref_update u = {.kind = TS_REF_RUN, .remove = true};

		(void)snprintf(name, sizeof name, "p/%" PRIu64, i);
		u.name = ts_span_str(name);
		MUST(e->ops->commit(e, &u, 1, arena, NULL, &err) == TS_OK);
	}
	MUST(e->ops->sweep(e, &now, &swept, &err) == TS_OK);
	MUST(swept.freed >= 5 * (to - from));
	freed += (long)(to - from);
	return check(e, 0, arena);
}

/* Pushes runs until the store refuses more; then another program takes the rest of the disk, and small objects what is left in the
 * file. */
static int fill(const char *dir, struct ts_engine *e, uint64_t *io_n, struct ts_arena *arena)
{
	static uint64_t litter = 1 << 20;
	enum ts_status status = TS_OK;
	struct ts_id id;

	while (!status && *io_n < 5000) {
		ts_arena_reset(arena);
		status = fault_push(e, *io_n, arena, &id, &err);
		*io_n += !status;
		if (!status)
			status = fault_litter(e, *io_n, 200, arena, &err);
	}
	MUST(status == TS_FULL);
	give_room(dir, 0);
	while (fault_litter(e, litter++, 1, arena, &err) == TS_OK)
		ts_arena_reset(arena);
	MUST(err.status == TS_FULL);
	return 0;
}

static int run_reserve(const char *dir, struct ts_engine *e, struct ts_arena *arena)
{
	uint64_t n = 0, from = 0;

	for (int round = 0; round < 3; round++) {
		give_room(dir, round ? 0 : 6 << 20);
		if (fill(dir, e, &n, arena))
			return 1;
		MUST(round || (n > 20 && strstr(err.text, "rm and gc still work")));
		MUST(n > from); /* what gc freed is used again, on a disk without room for another byte */
		if (clear(e, from, n, arena))
			return 1;
		from = n;
	}
	return 0;
}

static int try(const char *dir, int64_t reserve, int (*run)(const char *dir, struct ts_engine *e, struct ts_arena *arena))
{
	struct ts_lmdb_options options = {.path = dir, .create = true, .reserve_bytes = reserve};
	struct ts_engine *e;
	struct ts_arena arena;
	int rc;

	MUST(ts_lmdb_open(&options, &e, &err) == TS_OK);
	ts_arena_init(&arena, 0);
	rc = run(options.path, e, &arena);
	ts_arena_finish(&arena);
	ts_engine_destroy(e);
	MUST(ts_lmdb_open(&options, &e, &err) == TS_OK); /* the store can also be opened again */
	ts_engine_destroy(e);
	return rc;
}

int main(int argc, char **argv)
{
	const char *dir = argc > 1 ? argv[1] : "";
	char other[1024];
	int rc;

	MUST(ts_digest_init(&err) == TS_OK);
	points = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	MUST(points > 0 && points <= ROOM);
	rc = try(dir, -1, run);
	(void)snprintf(other, sizeof other, "%s/reserve", dir);
	(void)unsetenv("TS_POWERLOG_ENOSPC_AFTER");
	if (rc == 0)
		rc = try(other, 2 << 20, run_reserve);
	if (rc == 0)
		(void)printf("full at %ld points: %ld pushes refused, %ld acknowledged, 0 lost; with a reserve: %ld runs freed\n",
			     points, refused, acknowledged, freed);
	return rc;
}
