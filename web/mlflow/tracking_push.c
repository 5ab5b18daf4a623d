/* tracking_push.c - see tracking_push.h. */
#include "web/mlflow/tracking_push.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/system.h"
#include "web/mlflow/tracking_runs.h"

#include <pthread.h>
#include <signal.h>

enum { ARENA = 4 << 20, LAST_SECONDS = 2, TIMES_AS_LONG = 10, DAY_SECONDS = 86400, PRUNE_SECONDS = 3600 };

static const int64_t second_ns = 1000000000;

struct ts_tracking_push {
	struct ts_spool *spool;
	struct ts_tracking_wanted wanted;
	pthread_mutex_t lock, pushing; /* pushing is held during a push */
	pthread_cond_t come;
	pthread_t thread;
	bool stops, hurries;
	int64_t prune_ns; /* when runs leave next */
};

static const char *state_of(const struct ts_spool_run *run)
{
	static const char *const states[] = {[TS_SPOOL_RUNNING] = "running",
					     [TS_SPOOL_SCHEDULED] = "unknown",
					     [TS_SPOOL_FINISHED] = "finished",
					     [TS_SPOOL_FAILED] = "crashed",
					     [TS_SPOOL_KILLED] = "killed"};

	return states[run->status];
}

static enum ts_status push_as(struct ts_tracking_push *p, const struct ts_spool_run *run, const char *name, bool begins,
			      struct ts_arena *arena, enum ts_tracking_kept *ret_kept, struct ts_error *err)
{
	const char *folder = ts_spool_folder(p->spool, run, arena);
	enum ts_status status;

	if (!folder)
		return ts_arena_error(arena, err);
	status = p->wanted.push(p->wanted.ctx, p->wanted.token, folder, name, state_of(run), begins, ret_kept, err);
	if (!status)
		ts_spool_begun(p->spool, run->id);
	return status;
}

/* Under its name; where another run has taken that since the name was chosen, the begin of the run's id tells them apart. */
static enum ts_status push_named(struct ts_tracking_push *p, const struct ts_spool_run *run, struct ts_span name,
				 struct ts_arena *arena, enum ts_tracking_kept *ret_kept, struct ts_error *err)
{
	bool begins = ts_spool_begins(p->spool, run->id);
	enum ts_status status = push_as(p, run, (const char *)name.data, begins, arena, ret_kept, err);
	const char *other;

	if (status != TS_CONFLICT || !begins)
		return status;
	other = ts_arena_printf(arena, "%.*s-%.6s", TS_SPAN_ARG(name), run->id);
	if (!other)
		return ts_arena_error(arena, err);
	if (ts_spool_put_tag(p->spool, run, ts_span_str(TS_TRACKING_NAME_TAG), ts_span_str(other), err))
		return err->status;
	return push_as(p, run, other, begins, arena, ret_kept, err);
}

/* What is deleted is read by no push, and a run has no name yet where its first call was cut off: neither counts as pushed for good. */
static enum ts_status push_run(struct ts_tracking_push *p, const char *id, enum ts_spool_outcome *ret, struct ts_error *err)
{
	enum ts_tracking_kept kept = TS_TRACKING_NO_ROOM;
	struct ts_spool_run run;
	struct ts_arena arena;
	struct ts_span name;
	enum ts_status status;

	ts_arena_init(&arena, ARENA);
	status = ts_spool_run(p->spool, ts_span_str(id), &arena, &run, err);
	if (!status)
		status = ts_spool_tag(p->spool, &run, TS_TRACKING_NAME_TAG, &arena, &name, err);
	if (!status && !run.deleted && name.len)
		status = push_named(p, &run, name, &arena, &kept, err);
	if (status)
		*ret = TS_SPOOL_FAILED_PUSH;
	else if (kept == TS_TRACKING_NO_ROOM || run.status < TS_SPOOL_FINISHED)
		*ret = TS_SPOOL_PUSHED;
	else
		*ret = kept == TS_TRACKING_KEPT_ALL ? TS_SPOOL_STORED : TS_SPOOL_ENDED;
	ts_arena_finish(&arena);
	return status;
}

/* change: what of the run is pushed by this at least. */
static enum ts_status push(struct ts_tracking_push *p, const char *id, uint64_t change, struct ts_error *err)
{
	int64_t began, took, wait;
	enum ts_spool_outcome outcome;
	enum ts_status status;

	pthread_mutex_lock(&p->pushing);
	began = ts_now_mono_ns();
	status = push_run(p, id, &outcome, err);
	took = ts_now_mono_ns() - began;
	wait = status ? TS_TRACKING_AGAIN_S * second_ns : TS_TRACKING_PUSH_S * second_ns;
	if (TIMES_AS_LONG * took > wait)
		wait = TIMES_AS_LONG * took;
	ts_spool_pushed(p->spool, id, change, outcome, ts_now_mono_ns() + wait);
	pthread_mutex_unlock(&p->pushing);
	return status;
}

enum ts_status ts_tracking_push_now(struct ts_tracking_push *p, const char *id, struct ts_error *err)
{
	return push(p, id, UINT64_MAX, err); /* whatever changes meanwhile is pushed by the thread */
}

void ts_tracking_push_soon(struct ts_tracking_push *p, const char *id)
{
	ts_spool_pushed(p->spool, id, UINT64_MAX, TS_SPOOL_FAILED_PUSH, 0);
	pthread_mutex_lock(&p->lock);
	p->hurries = true;
	pthread_cond_signal(&p->come);
	pthread_mutex_unlock(&p->lock);
}

static void push_all(struct ts_tracking_push *p, int64_t due_ns, int64_t until_ns)
{
	char id[TS_SPOOL_ID];
	struct ts_error err;
	uint64_t change;

	while (ts_now_mono_ns() < until_ns && ts_spool_next(p->spool, due_ns, id, &change))
		if (push(p, id, change, &err) && due_ns == INT64_MAX)
			return;
}

static void prune(struct ts_tracking_push *p)
{
	int64_t now_ns = ts_now_mono_ns();
	size_t n;

	if (!p->wanted.days || now_ns < p->prune_ns)
		return;
	p->prune_ns = now_ns + PRUNE_SECONDS * second_ns;
	n = ts_spool_prune(p->spool, ts_now_real_ns() / second_ns - (int64_t)p->wanted.days * DAY_SECONDS);
	if (n)
		p->wanted.left(p->wanted.ctx, p->wanted.folder, n);
}

static void *run(void *ctx)
{
	struct ts_tracking_push *p = ctx;

	pthread_mutex_lock(&p->lock);
	while (!p->stops) {
		struct timespec limit = ts_system_cond_limit(ts_now_mono_ns() + second_ns / 2);

		if (!p->hurries)
			pthread_cond_timedwait(&p->come, &p->lock, &limit);
		p->hurries = false;
		pthread_mutex_unlock(&p->lock);
		push_all(p, ts_now_mono_ns(), INT64_MAX);
		prune(p);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	push_all(p, INT64_MAX, ts_now_mono_ns() + LAST_SECONDS * second_ns);
	return NULL;
}

static void free_push(struct ts_tracking_push *p)
{
	pthread_cond_destroy(&p->come);
	pthread_mutex_destroy(&p->pushing);
	pthread_mutex_destroy(&p->lock);
	ts_free(p);
}

enum ts_status ts_tracking_push_start(struct ts_spool *spool, const struct ts_tracking_wanted *wanted, struct ts_tracking_push **ret,
				      struct ts_error *err)
{
	struct ts_tracking_push *p = ts_alloc(sizeof *p);
	sigset_t all, before;
	int failed;

	if (!p)
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory to push runs");
	*p = (struct ts_tracking_push){.spool = spool, .wanted = *wanted};
	pthread_mutex_init(&p->lock, NULL);
	pthread_mutex_init(&p->pushing, NULL);
	ts_system_cond_init(&p->come);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&p->thread, NULL, run, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed) {
		free_push(p);
		return ts_error_set(err, TS_UNAVAILABLE, "the system gives no thread to push runs");
	}
	*ret = p;
	return TS_OK;
}

void ts_tracking_push_stop(struct ts_tracking_push *p)
{
	pthread_mutex_lock(&p->lock);
	p->stops = true;
	pthread_cond_signal(&p->come);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	free_push(p);
}
