#include "service/housekeeping.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"

#include <pthread.h>

struct ts_housekeeping {
	struct ts_engine *engine;
	int64_t interval_ns, keep_ns;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t stop; /* uses the monotonic clock */
	bool stopping;
	struct ts_budget budget; /* of the thread: without a limit, revoked when it must stop */
};

static void sweep(struct ts_engine *engine, int64_t keep_ns)
{
	int64_t began = ts_now_mono_ns();
	struct ts_sweep_options options = {
		.now_ns = ts_now_real_ns(), .lease_ns = TS_LEASE_SECONDS * INT64_C(1000000000), .removed_ns = keep_ns};
	struct ts_sweep_report report;
	struct ts_error err;
	struct ts_log line;

	if (engine->ops->sweep(engine, &options, &report, &err)) {
		ts_log_begin(&line, err.status == TS_CANCELLED ? TS_LOG_INFO : TS_LOG_ERROR, "gc");
		ts_log_str(&line, "status", ts_status_word(err.status));
		ts_log_str(&line, "reason", err.text);
	} else {
		ts_log_begin(&line, TS_LOG_INFO, "gc");
		ts_log_str(&line, "status", "ok");
		ts_log_i64(&line, "kept", (int64_t)report.kept);
		ts_log_i64(&line, "freed", (int64_t)report.freed);
		ts_log_i64(&line, "freed_bytes", (int64_t)report.freed_bytes);
		ts_log_i64(&line, "leased", (int64_t)report.leased);
	}
	ts_log_ms(&line, "ms", ts_now_mono_ns() - began);
	ts_log_end(&line);
}

/* The caller holds the mutex. Returns false when the thread must stop. */
static bool sleep_until(struct ts_housekeeping *h, int64_t when_ns)
{
	struct timespec when = {.tv_sec = when_ns / 1000000000, .tv_nsec = when_ns % 1000000000};

	while (!h->stopping && ts_now_mono_ns() < when_ns)
		(void)pthread_cond_timedwait(&h->stop, &h->mutex, &when);
	return !h->stopping;
}

static void *loop(void *arg)
{
	struct ts_housekeeping *h = arg;

	(void)ts_budget_enter(&h->budget);
	pthread_mutex_lock(&h->mutex);
	while (sleep_until(h, ts_now_mono_ns() + h->interval_ns)) {
		pthread_mutex_unlock(&h->mutex);
		sweep(h->engine, h->keep_ns);
		pthread_mutex_lock(&h->mutex);
	}
	pthread_mutex_unlock(&h->mutex);
	return NULL;
}

static void destroy(struct ts_housekeeping *h)
{
	pthread_cond_destroy(&h->stop);
	pthread_mutex_destroy(&h->mutex);
	ts_free(h);
}

enum ts_status ts_housekeeping_start(struct ts_engine *engine, int64_t interval_ns, int64_t keep_ns, struct ts_housekeeping **ret,
				     struct ts_error *err)
{
	struct ts_housekeeping *h = ts_alloc_array(1, sizeof *h);
	pthread_condattr_t attr;
	int errnum;

	if (!h)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for housekeeping");
	h->engine = engine;
	h->interval_ns = interval_ns;
	h->keep_ns = keep_ns;
	ts_budget_init(&h->budget, NULL, "housekeeping", 0, 0);
	pthread_mutex_init(&h->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&h->stop, &attr);
	pthread_condattr_destroy(&attr);
	errnum = pthread_create(&h->thread, NULL, loop, h);
	if (errnum) {
		destroy(h);
		return ts_error_errno(err, errnum, "start the housekeeping thread");
	}
	*ret = h;
	return TS_OK;
}

void ts_housekeeping_stop(struct ts_housekeeping *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->mutex);
	h->stopping = true;
	pthread_cond_signal(&h->stop);
	pthread_mutex_unlock(&h->mutex);
	ts_budget_revoke(&h->budget); /* a gc that is at work ends where it is, and the next one goes on */
	pthread_join(h->thread, NULL);
	destroy(h);
}
