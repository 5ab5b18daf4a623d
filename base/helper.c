#include "base/helper.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/system.h"

#include <pthread.h>

struct ts_helper {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	ts_helper_task *task; /* NULL: nothing to do */
	void *ctx;
	struct ts_budget *budget; /* of whoever gave the task */
	bool over;
};

static pthread_mutex_t hiring = PTHREAD_MUTEX_INITIALIZER;
static int hired, allowed = -1;

static bool take_place(void)
{
	bool free;

	pthread_mutex_lock(&hiring);
	free = hired < (allowed < 0 ? ts_system_cores() - 1 : allowed);
	hired += free;
	pthread_mutex_unlock(&hiring);
	return free;
}

static void leave_place(void)
{
	pthread_mutex_lock(&hiring);
	hired--;
	pthread_mutex_unlock(&hiring);
}

void ts_helpers_allow(int most)
{
	pthread_mutex_lock(&hiring);
	allowed = most;
	pthread_mutex_unlock(&hiring);
}

static void *serve(void *self)
{
	struct ts_helper *h = self;

	pthread_mutex_lock(&h->lock);
	while (!h->over || h->task) {
		if (!h->task) {
			pthread_cond_wait(&h->changed, &h->lock);
			continue;
		}
		pthread_mutex_unlock(&h->lock);
		(void)ts_budget_enter(h->budget);
		h->task(h->ctx);
		pthread_mutex_lock(&h->lock);
		h->task = NULL;
		pthread_cond_signal(&h->changed);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

struct ts_helper *ts_helper_hire(void)
{
	struct ts_helper *h;

	if (!take_place())
		return NULL;
	h = ts_alloc_array(1, sizeof *h);
	if (h) {
		pthread_mutex_init(&h->lock, NULL);
		pthread_cond_init(&h->changed, NULL);
		if (pthread_create(&h->thread, NULL, serve, h) == 0)
			return h;
		pthread_cond_destroy(&h->changed);
		pthread_mutex_destroy(&h->lock);
		ts_free(h);
	}
	leave_place();
	return NULL;
}

void ts_helper_give(struct ts_helper *h, ts_helper_task *task, void *ctx)
{
	if (!h) {
		task(ctx);
		return;
	}
	pthread_mutex_lock(&h->lock);
	h->task = task;
	h->ctx = ctx;
	h->budget = ts_budget_current();
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

void ts_helper_wait(struct ts_helper *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->lock);
	while (h->task)
		pthread_cond_wait(&h->changed, &h->lock);
	pthread_mutex_unlock(&h->lock);
}

void ts_helper_dismiss(struct ts_helper *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->lock);
	h->over = true;
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->thread, NULL);
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->lock);
	ts_free(h);
	leave_place();
}
