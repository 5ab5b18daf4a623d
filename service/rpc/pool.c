#include "service/rpc/pool.h"

#include "base/alloc.h"

#include <pthread.h>

struct ts_pool {
	pthread_mutex_t mutex;
	pthread_cond_t pushed;
	struct ts_pool_task *first, **last;
	bool stopping;
	unsigned started;
	pthread_t threads[];
};

static struct ts_pool_task *take(struct ts_pool *pool)
{
	struct ts_pool_task *task;

	pthread_mutex_lock(&pool->mutex);
	while (!pool->first && !pool->stopping)
		pthread_cond_wait(&pool->pushed, &pool->mutex);
	task = pool->first;
	if (task) {
		pool->first = task->next;
		if (!pool->first)
			pool->last = &pool->first;
	}
	pthread_mutex_unlock(&pool->mutex);
	return task;
}

static void *worker(void *arg)
{
	struct ts_pool *pool = arg;
	struct ts_arena arena;
	struct ts_pool_task *task;

	while ((task = take(pool))) {
		/* The arena is new for each task, so that a big analysis does not keep its memory while the thread waits. */
		ts_arena_init(&arena, 0);
		task->run(task, &arena);
		ts_arena_finish(&arena);
	}
	return NULL;
}

enum ts_status ts_pool_create(unsigned threads, struct ts_pool **ret_pool, struct ts_error *err)
{
	struct ts_pool *pool = ts_alloc_array(1, sizeof *pool + threads * sizeof pool->threads[0]);

	if (!pool)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %u threads", threads);
	pthread_mutex_init(&pool->mutex, NULL);
	pthread_cond_init(&pool->pushed, NULL);
	pool->last = &pool->first;
	for (; pool->started < threads; pool->started++) {
		int errnum = pthread_create(&pool->threads[pool->started], NULL, worker, pool);

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
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->pushed);
	pthread_mutex_destroy(&pool->mutex);
	ts_free(pool);
}

void ts_pool_push(struct ts_pool *pool, struct ts_pool_task *task)
{
	task->next = NULL;
	pthread_mutex_lock(&pool->mutex);
	*pool->last = task;
	pool->last = &task->next;
	pthread_cond_signal(&pool->pushed);
	pthread_mutex_unlock(&pool->mutex);
}
