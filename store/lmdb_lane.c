/* lmdb_lane.c - the lane, a queue for all writes: one thread runs the writes of all waiting threads in one transaction, with
 * one sync.
 *
 * LMDB has one writer at a time, and a commit waits for the disk. So the thread that finds the lane free becomes the leader:
 * it takes all waiting jobs, runs them one after the other in one transaction, and commits once for all of them.
 *
 * Invariants:
 *  1. A job is answered TS_OK only after the commit of the transaction that it ran in.
 *  2. A job that fails before it wrote leaves nothing behind, and the others go on. A job that fails after it wrote, or whose
 *     commit fails, undoes the transaction; then each job is run again in a transaction of its own, so that no job fails because of
 *     another.
 *  3. A full map is grown with no transaction open, and everything is run again.
 */
#include "store/lmdb_internal.h"

#include "base/budget.h"
#include "base/held.h"

#include <assert.h>

enum { JOBS_MAX = 64, BYTES_MAX = 16 << 20, GROWS_MAX = 24 };

enum outcome { COMMITTED, ALONE, GROW, FAILED };

/* Runs the jobs of a list in one open transaction. COMMITTED here means that they are ready to be committed. */
static enum outcome run_jobs(struct ts_write *w, struct ts_lmdb_job *jobs, bool *ret_dirty)
{
	for (struct ts_lmdb_job *job = jobs; job; job = job->next) {
		w->dirty = false;
		w->rc = 0;
		job->status = job->run(w, job->ctx, job->err);
		*ret_dirty |= w->dirty;
		if (!job->status || (!w->dirty && !w->rc))
			continue;
		if (w->rc == MDB_MAP_FULL)
			return GROW;
		return jobs->next ? ALONE : FAILED;
	}
	return COMMITTED;
}

/* A failed commit makes every job fail that had succeeded so far. */
static enum outcome commit_failed(struct ts_lmdb_env *env, int rc, struct ts_lmdb_job *jobs)
{
	if (rc == MDB_MAP_FULL)
		return GROW;
	if (jobs->next)
		return ALONE;
	jobs->status = ts_env_error(env, rc, jobs->err);
	return FAILED;
}

static enum outcome run_once(struct ts_lmdb_env *env, struct ts_lmdb_job *jobs)
{
	struct ts_write w = {.kv = &env->kv};
	enum outcome outcome;
	bool dirty = false;
	struct ts_lmdb_txn *txn;
	int rc;

	if (ts_env_begin(env, true, &txn, jobs->err)) {
		jobs->status = jobs->err->status;
		return jobs->next ? ALONE : FAILED;
	}
	w.txn = txn;
	outcome = run_jobs(&w, jobs, &dirty);
	if (outcome != COMMITTED || !dirty) {
		ts_env_abort(env, txn);
		return outcome;
	}
	ts_lmdb_cache_flush(env, txn);
	rc = ts_env_commit(env, txn);
	return rc ? commit_failed(env, rc, jobs) : COMMITTED;
}

static void run_alone(struct ts_lmdb_env *env, struct ts_lmdb_job *job);

static void run_group(struct ts_lmdb_env *env, struct ts_lmdb_job *jobs)
{
	enum outcome outcome = run_once(env, jobs);

	for (int grows = 0; outcome == GROW; grows++) {
		struct ts_error err;

		if (grows == GROWS_MAX || ts_env_grow(env, &err)) {
			for (struct ts_lmdb_job *job = jobs; job; job = job->next)
				job->status = ts_env_error(env, MDB_MAP_FULL, job->err);
			return;
		}
		outcome = run_once(env, jobs);
	}
	while (outcome == ALONE && jobs) {
		struct ts_lmdb_job *next = jobs->next;

		run_alone(env, jobs);
		jobs->next = next;
		jobs = next;
	}
}

static void run_alone(struct ts_lmdb_env *env, struct ts_lmdb_job *job)
{
	job->next = NULL;
	run_group(env, job);
}

/* Takes waiting jobs off the queue, within bounds and at least one. */
static struct ts_lmdb_job *take_group(struct ts_lmdb_lane *lane)
{
	struct ts_lmdb_job *group = lane->first;
	struct ts_lmdb_job *last = group;
	size_t bytes = group->bytes;

	TS_DOOR_HELD(&lane->lock);
	for (int n = 1; last->next && n < JOBS_MAX && bytes + last->next->bytes <= BYTES_MAX; n++) {
		last = last->next;
		bytes += last->bytes;
	}
	lane->first = last->next;
	if (!lane->first)
		lane->last = NULL;
	last->next = NULL;
	return group;
}

static void lead(struct ts_lmdb_env *env)
{
	struct ts_lmdb_lane *lane = &env->lane;
	struct ts_lmdb_job *group = take_group(lane);
	struct ts_budget *own;

	assert(!lane->busy && group);
	lane->busy = true;
	pthread_mutex_unlock(&lane->lock);
	own = ts_budget_enter(NULL); /* what others write neither counts as the leader's nor ends when its client goes */
	run_group(env, group);
	(void)ts_budget_enter(own);
	pthread_mutex_lock(&lane->lock);
	while (group) {
		struct ts_lmdb_job *next = group->next; /* the job is freed once its caller sees it done */

		group->done = true;
		group = next;
	}
	lane->busy = false;
	pthread_cond_broadcast(&lane->turn);
}

enum ts_status ts_lane_run(struct ts_kv *kv, ts_write_fn *run, void *ctx, size_t bytes, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(kv);
	struct ts_lmdb_lane *lane = &env->lane;
	struct ts_error own = {0};
	struct ts_lmdb_job job = {.run = run, .ctx = ctx, .bytes = bytes, .err = &own};

	pthread_mutex_lock(&lane->lock);
	if (lane->last)
		lane->last->next = &job;
	else
		lane->first = &job;
	lane->last = &job;
	while (!job.done) {
		if (lane->busy)
			pthread_cond_wait(&lane->turn, &lane->lock);
		else
			lead(env);
	}
	pthread_mutex_unlock(&lane->lock);
	if (job.status)
		*err = own;
	return job.status;
}

void ts_lane_finish(struct ts_lmdb_env *env)
{
	struct ts_error ignored;
	struct ts_lmdb_txn *txn;

	if (env->mdb_read_only || !env->kv.spare.waiting.n || ts_env_begin(env, true, &txn, &ignored))
		return;
	ts_lmdb_cache_flush(env, txn);
	(void)ts_env_commit(env, txn);
}
