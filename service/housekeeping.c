#include "service/housekeeping.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/held.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/system.h"
#include "service/handlers/store/keep_to.h"

#include <pthread.h>

enum { POLICY_MAX = 1 << 20 };

struct ts_housekeeping {
	struct ts_housekeeping_options options;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t stop; /* uses the monotonic clock */
	bool stopping;
	struct ts_budget budget; /* of the thread: without a limit, revoked when it must stop */
};

enum ts_status ts_housekeeping_check(const char *path, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(POLICY_MAX);
	enum ts_status status = ts_file_read(path, &text, err);

	if (!status)
		status = ts_keep_to_check(ts_buf_view(&text), path, err);
	ts_buf_finish(&text);
	return status;
}

/* A policy that cannot be read lets nothing go. */
static void retain(struct ts_engine *engine, const char *path)
{
	struct ts_buf text = TS_BUF_INIT(POLICY_MAX);
	struct ts_kept_to done = {0};
	int64_t began = ts_now_mono_ns();
	struct ts_error err;
	struct ts_log line;
	enum ts_status status = ts_file_read(path, &text, &err);

	if (!status)
		status = ts_keep_to(engine, ts_buf_view(&text), path, &done, &err);
	ts_buf_finish(&text);
	ts_log_begin(&line, status ? TS_LOG_ERROR : TS_LOG_INFO, "retention");
	ts_log_str(&line, "status", ts_status_word(status));
	if (status)
		ts_log_str(&line, "reason", err.text);
	ts_log_i64(&line, "names", (int64_t)done.names);
	ts_log_i64(&line, "entries", (int64_t)done.entries);
	ts_log_ms(&line, "ms", ts_now_mono_ns() - began);
	ts_log_end(&line);
}

static void sweep(struct ts_engine *engine, int64_t keep_ns)
{
	int64_t began = ts_now_mono_ns();
	struct ts_sweep_clock clock;
	struct ts_sweep_options options = {.now_ns = ts_now_real_ns(), .clock = &clock,
					   .lease_ns = TS_LEASE_SECONDS * INT64_C(1000000000), .removed_ns = keep_ns};
	struct ts_sweep_report report;
	struct ts_error err;
	struct ts_log line;

	ts_sweep_clock_read(false, &clock);
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
		if (report.ahead_ns > 0) /* what nothing proves of the time since the last gc */
			ts_log_i64(&line, "clock_ahead_s", report.ahead_ns / 1000000000);
	}
	ts_log_ms(&line, "ms", ts_now_mono_ns() - began);
	ts_log_end(&line);
}

/* A mirror, which the store may become and cease to be, is swept by whoever brings it up to date. */
static bool is_mirror(struct ts_engine *engine)
{
	struct ts_mirrored mirrored;
	struct ts_error ignored;
	struct ts_arena arena;
	bool is;

	ts_arena_init(&arena, TS_CALL_ARENA);
	is = ts_mirrored_get(engine, &arena, &mirrored, &ignored) == TS_OK && mirrored.of.len > 0;
	ts_arena_finish(&arena);
	return is;
}

/* Counts what a store of an older version did not count. */
static void count_once(struct ts_engine *engine)
{
	int64_t began = ts_now_mono_ns();
	uint64_t used[TS_USES];
	enum ts_status status;
	struct ts_error err;
	struct ts_log line;
	bool counted;

	if (engine->ops->usage_get(engine, false, ts_span_of(NULL, 0), used, &counted, &err) || counted)
		return;
	status = engine->ops->recount(engine, &err);
	ts_log_begin(&line, status ? TS_LOG_ERROR : TS_LOG_INFO, "count");
	ts_log_str(&line, "status", ts_status_word(status));
	if (status)
		ts_log_str(&line, "reason", err.text);
	ts_log_ms(&line, "ms", ts_now_mono_ns() - began);
	ts_log_end(&line);
}

/* The caller holds the mutex. Returns false when the thread must stop. */
static bool sleep_until(struct ts_housekeeping *h, int64_t when_ns)
{
	struct timespec when = ts_system_cond_limit(when_ns);

	TS_DOOR_HELD(&h->mutex);
	while (!h->stopping && ts_now_mono_ns() < when_ns)
		(void)pthread_cond_timedwait(&h->stop, &h->mutex, &when);
	return !h->stopping;
}

static void *loop(void *arg)
{
	struct ts_housekeeping *h = arg;

	(void)ts_budget_enter(&h->budget);
	if (!is_mirror(h->options.engine))
		count_once(h->options.engine);
	pthread_mutex_lock(&h->mutex);
	while (sleep_until(h, ts_now_mono_ns() + h->options.interval_ns)) {
		pthread_mutex_unlock(&h->mutex);
		if (!is_mirror(h->options.engine)) {
			if (h->options.retention[0])
				retain(h->options.engine, h->options.retention);
			sweep(h->options.engine, h->options.keep_ns);
		}
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

enum ts_status ts_housekeeping_start(const struct ts_housekeeping_options *options, struct ts_housekeeping **ret, struct ts_error *err)
{
	struct ts_housekeeping *h;
	int errnum;

	if (options->retention[0] && ts_housekeeping_check(options->retention, err))
		return ts_error_prefix(err, "retention");
	h = ts_alloc_array(1, sizeof *h);
	if (!h)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for housekeeping");
	h->options = *options;
	ts_budget_init(&h->budget, NULL, "housekeeping", 0, 0);
	pthread_mutex_init(&h->mutex, NULL);
	ts_system_cond_init(&h->stop);
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
