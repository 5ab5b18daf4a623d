#include "service/rpc/pool.h"

#include "base/alloc.h"
#include "base/held.h"
#include "base/limits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

struct worker {
	struct ts_pool *pool;
	pthread_t thread;
	uint64_t peer; /* whose task it runs */
	bool busy;
};

struct ts_pool {
	const char *name;
	int step;
	pthread_mutex_t mutex;
	pthread_cond_t pushed;
	struct ts_pool_task *turn; /* a list of peers, by the first task of each, in the order of their turns */
	atomic_uint waiting;
	unsigned busy;
	bool stopping;
	unsigned started, threads;
	struct worker workers[];
};

static bool may_run(const struct ts_pool *pool, uint64_t peer)
{
	unsigned own = 0, free;

	for (unsigned i = 0; i < pool->threads; i++)
		own += pool->workers[i].busy && pool->workers[i].peer == peer;
	free = pool->threads - (pool->busy - own);
	return own == 0 || pool->stopping || own + 1 <= free * TS_SHARE_THREADS / 100;
}

static void add_peer(struct ts_pool *pool, struct ts_pool_task *first)
{
	struct ts_pool_task **at = &pool->turn;

	TS_DOOR_HELD(&pool->mutex);
	while (*at)
		at = &(*at)->next_peer;
	first->next_peer = NULL;
	*at = first;
}

/* The caller holds the mutex. Takes the first task of the first peer that may have one more thread, and puts that peer last. */
static struct ts_pool_task *next_task(struct ts_pool *pool)
{
	struct ts_pool_task **at = &pool->turn, *task;

	TS_DOOR_HELD(&pool->mutex);
	while (*at && !may_run(pool, (*at)->peer))
		at = &(*at)->next_peer;
	task = *at;
	if (!task)
		return NULL;
	*at = task->next_peer;
	if (task->next) {
		task->next->last = task->last;
		add_peer(pool, task->next);
	}
	atomic_fetch_sub(&pool->waiting, 1);
	return task;
}

static struct ts_pool_task *take(struct worker *w)
{
	struct ts_pool *pool = w->pool;
	struct ts_pool_task *task;

	pthread_mutex_lock(&pool->mutex);
	pool->busy -= w->busy;
	w->busy = false;
	while (!(task = next_task(pool)) && !pool->stopping)
		pthread_cond_wait(&pool->pushed, &pool->mutex);
	if (task) {
		w->busy = true;
		w->peer = task->peer;
		pool->busy++;
	}
	pthread_mutex_unlock(&pool->mutex);
	return task;
}

/* In Linux a thread has a nice of its own. */
static void stand_behind(const struct ts_pool *pool)
{
	(void)pthread_setname_np(pthread_self(), pool->name);
	(void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + pool->step);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct ts_pool_task *task;

	stand_behind(w->pool);
	while ((task = take(w)))
		task->run(task);
	return NULL;
}

enum ts_status ts_pool_create(const char *name, unsigned threads, int step, struct ts_pool **ret_pool, struct ts_error *err)
{
	struct ts_pool *pool = ts_alloc_array(1, sizeof *pool + threads * sizeof pool->workers[0]);

	if (!pool)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %u threads", threads);
	pthread_mutex_init(&pool->mutex, NULL);
	pthread_cond_init(&pool->pushed, NULL);
	pool->threads = threads;
	pool->name = name;
	pool->step = step;
	for (; pool->started < threads; pool->started++) {
		struct worker *w = &pool->workers[pool->started];
		int errnum;

		w->pool = pool;
		errnum = pthread_create(&w->thread, NULL, work, w);
		if (errnum) {
			ts_error_errno(err, errnum, "start thread %u of %u", pool->started + 1, threads);
			ts_pool_destroy(pool);
			return err->status;
		}
	}
	*ret_pool = pool;
	return TS_OK;
}

void ts_pool_destroy(struct ts_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->mutex);
	pool->stopping = true;
	pthread_cond_broadcast(&pool->pushed);
	pthread_mutex_unlock(&pool->mutex);
	for (unsigned i = 0; i < pool->started; i++)
		pthread_join(pool->workers[i].thread, NULL);
	pthread_cond_destroy(&pool->pushed);
	pthread_mutex_destroy(&pool->mutex);
	ts_free(pool);
}

void ts_pool_push(struct ts_pool *pool, struct ts_pool_task *task)
{
	struct ts_pool_task *first;

	task->next = NULL;
	pthread_mutex_lock(&pool->mutex);
	for (first = pool->turn; first && first->peer != task->peer; first = first->next_peer)
		;
	if (first) {
		first->last->next = task;
		first->last = task;
	} else {
		task->last = task;
		add_peer(pool, task);
	}
	atomic_fetch_add(&pool->waiting, 1);
	pthread_cond_signal(&pool->pushed);
	pthread_mutex_unlock(&pool->mutex);
}

bool ts_pool_waits(const struct ts_pool *pool)
{
	return atomic_load_explicit(&pool->waiting, memory_order_relaxed) > 0;
}
