/* test_runs.h - makes small runs in an engine in memory behind a local channel, and calls methods through it, for tests.
 *
 * A function must_* fails the test when the call fails; the others return the status, with the error in store->err.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_TEST_RUNS_H
#define TSCOPE_SERVICE_HANDLERS_CORE_TEST_RUNS_H

#include "proto/wire.h"
#include "service/handlers/channel.h"
#include "service/handlers/core/handler.h"
#include "service/handlers/core/test_must.h"

struct test_store {
	struct ts_engine *engine;
	struct ts_channel *channel;
	struct ts_arena arena; /* holds replies; grows until the store is closed */
	struct ts_error err;
};

void test_store_open(struct test_store *s);
void test_store_close(struct test_store *s);

/* Describes a run with ranks first_rank .. first_rank + ranks - 1, each with steps 0 .. steps - 1 and columns scalars.loss
 * (every step) and scalars.eval (every tenth). Rank r's loss at step i is scale / (1 + i + r); from step part_at on (0 = never)
 * it differs. Each rank has the fact parallelism.rank; only rank 0 has config.only_zero, only rank 1 config.only_one. */
struct test_run {
	int32_t first_rank, ranks;
	int64_t steps;
	int64_t first_step;
	double scale;
	int64_t part_at;
	int64_t world; /* parallelism.world_size; 0 = not recorded */
	double lr; /* config.lr; 0 = not recorded */
	const char *own; /* session.name; NULL = not recorded */
	double started; /* session.started; 0 = not recorded */
	int64_t push_every; /* session.launch.push_every, of a run that goes on; 0 = not recorded */
};

/* A run of one rank and ten steps. */
struct test_run test_run_plain(void);
/* Seals and puts all objects of the run; returns its id. */
struct ts_id test_run_put(struct test_store *s, const struct test_run *run);

/* Makes of a run that is there one whose first index has another reference (counted as they stand in the object) at `at`: an index
 * that a client may send, and whose objects are all there. Returns its id. */
struct ts_id test_run_forge(struct test_store *s, struct ts_id run, uint32_t at, struct ts_id other);
/* The n-th reference of the run's first index; how many there are. */
struct ts_id test_run_ref(struct test_store *s, struct ts_id run, uint32_t at, uint32_t *ret_n);

enum ts_status test_call(struct test_store *s, const char *method, const struct ts_buf *request,
			 struct ts_span *ret_reply);
enum ts_status test_commit(struct test_store *s, const struct ts_commit_request *request, struct ts_commit_reply *ret);
/* Commits a run under a name by the ordinary rule. */
struct ts_commit_reply must_commit(struct test_store *s, const char *name, struct ts_id id);
enum ts_status test_list(struct test_store *s, const struct ts_list_request *request, struct ts_list_reply *ret);
enum ts_status test_update(struct test_store *s, const struct ts_ref_request *request, struct ts_ref_reply *ret);
enum ts_status test_note(struct test_store *s, const char *name, const char *key, const char *value);
enum ts_status test_get(struct test_store *s, const char *spec, struct ts_get_reply *ret);
/* Seals an object that the test has written. */
struct ts_sealed test_seal(struct test_store *s, struct ts_span object);

#endif
