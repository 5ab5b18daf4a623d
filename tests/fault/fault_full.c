/* fault_full DIR - fills a disk that powerlog.so pretends is full, and says on stdout what went wrong, or "ok". */
#include "base/clock.h"
#include "tests/fault/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static struct ts_error err;

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
	MUST(e->ops->verify(e, NULL, NULL, arena, &report, &err) == TS_OK);
	MUST(report.damaged == 0 && report.missing == 0);
	return 0;
}

static int run(const char *dir, struct ts_engine *e, struct ts_arena *arena)
{
	uint64_t n = 0;
	struct ts_id id;

	while (n < 3)
		MUST(fault_push(e, n++, arena, &id, &err) == TS_OK);
	for (long more = 0; more < 40; more++) { /* full at each multiple of 1.7 KB: whole writes fail, others are cut short */
		enum ts_status status;
		struct ts_ref ref;
		char name[32];
		int tries = 0;

		give_room(dir, more * 1700);
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
	}
	return check(e, n, arena);
}

int main(int argc, char **argv)
{
	struct ts_lmdb_options options = {.path = argc > 1 ? argv[1] : "", .create = true};
	struct ts_engine *e;
	struct ts_arena arena;
	int rc;

	MUST(ts_digest_init(&err) == TS_OK);
	MUST(ts_lmdb_open(&options, &e, &err) == TS_OK);
	ts_arena_init(&arena, 0);
	rc = run(options.path, e, &arena);
	ts_arena_finish(&arena);
	ts_engine_destroy(e);
	MUST(ts_lmdb_open(&options, &e, &err) == TS_OK); /* the store can also be opened again */
	ts_engine_destroy(e);
	if (rc == 0)
		(void)puts("ok");
	return rc;
}
