/* fault_writer DIR FIRST COUNT THREADS - pushes COUNT runs (0 = until killed), numbered from FIRST on, into the store at DIR,
 * sweeping now and then and retiring what is old of a branch, and acknowledges each on descriptor 3 once its commit has returned:
 * 8 bytes number, 32 bytes id, in one write. What is pushed follows from the number alone, so that whoever reads the
 * acknowledgement can check it. */
#include "base/clock.h"
#include "base/cursor.h"
#include "tests/fault/fault.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct ts_engine *engine;
static atomic_ullong next_number;
static uint64_t last_number;
static atomic_bool failed;

static bool acknowledge(uint64_t number, const struct ts_id *id)
{
	uint8_t record[FAULT_ACK];

	ts_store_u64(record, number);
	memcpy(record + 8, id->bytes, TS_ID_BYTES);
	return write(FAULT_ACK_FD, record, sizeof record) == (ssize_t)sizeof record;
}

/* A sweep in another process may remove objects that no name refers to yet. They are then sent again. */
static enum ts_status push(uint64_t number, struct ts_arena *arena, struct ts_id *ret_id, struct ts_error *err)
{
	enum ts_status status;

	do {
		ts_arena_reset(arena);
		status = fault_push(engine, number, arena, ret_id, err);
		if (!status)
			status = fault_history(engine, number, ret_id, arena, err);
	} while (status == TS_NOT_FOUND);
	return status;
}

static void *push_all(void *ctx)
{
	struct ts_arena arena;
	struct ts_error err;
	struct ts_id id;

	(void)ctx;
	ts_arena_init(&arena, 0);
	for (;;) {
		uint64_t number = atomic_fetch_add(&next_number, 1);

		if (number >= last_number || atomic_load(&failed))
			break;
		if (push(number, &arena, &id, &err)) {
			(void)fprintf(stderr, "%" PRIu64 ": %s\n", number, err.text);
			atomic_store(&failed, true);
			break;
		}
		if (!acknowledge(number, &id))
			break;
		if (number % 16 == 15) {
			struct ts_sweep_options now = {.now_ns = ts_now_real_ns() + 1};
			struct ts_sweep_report swept;

			if (engine->ops->sweep(engine, &now, &swept, &err) && err.status != TS_CONFLICT) {
				(void)fprintf(stderr, "sweep: %s\n", err.text);
				atomic_store(&failed, true);
			}
		}
	}
	ts_arena_finish(&arena);
	return NULL;
}

int main(int argc, char **argv)
{
	struct ts_lmdb_options options = {.path = argc > 1 ? argv[1] : "", .create = true};
	pthread_t threads[16];
	struct ts_error err;
	int n;

	if (argc != 5)
		return 2;
	n = (int)strtol(argv[4], NULL, 10);
	atomic_store(&next_number, strtoull(argv[2], NULL, 10));
	last_number = strtoull(argv[3], NULL, 10);
	last_number = last_number ? next_number + last_number : ~0ull;
	if (n < 1 || n > 16 || ts_digest_init(&err) || ts_lmdb_open(&options, &engine, &err)) {
		(void)fprintf(stderr, "%s: %s\n", argv[1], err.text);
		return 1;
	}
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, push_all, NULL))
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	ts_engine_destroy(engine);
	return atomic_load(&failed) ? 1 : 0;
}
