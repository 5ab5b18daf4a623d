/* follower.c - see follower.h. */
#include "service/follower.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/system.h"
#include "base/text.h"
#include "proto/wire.h"
#include "service/rpc/client.h"
#include "service/rpc/token_file.h"

#include <pthread.h>

#define SECOND INT64_C(1000000000)
enum { STOP_SECONDS = 2, AGAIN_SECONDS = 2 };

struct ts_follow {
	struct ts_follow_options options;
	pthread_t thread;
	pthread_mutex_t mutex; /* of the rest */
	pthread_cond_t wake;   /* uses the monotonic clock */
	bool stopping, ended;
	int64_t held_ns; /* monotonic time at which the store was the leader's; 0: never */
	uint64_t turns, failures, records;
	struct ts_budget budget;
	/* of the thread alone */
	struct ts_channel *channel;
	struct ts_mirror mirror;
	struct ts_arena arena;
	uint8_t moment[TS_MOMENT];
	bool failing; /* it was said that the leader does not answer */
};

static bool is_stopping(struct ts_follow *f)
{
	bool stopping;

	pthread_mutex_lock(&f->mutex);
	stopping = f->stopping;
	pthread_mutex_unlock(&f->mutex);
	return stopping;
}

/* The token is read each time, so that it can be exchanged. */
static enum ts_status connect_to(struct ts_follow *f, struct ts_error *err)
{
	struct ts_client_login login;

	if (f->channel)
		return TS_OK;
	if (ts_token_file_login(f->options.token_file, f->options.ca, &f->arena, &login, err))
		return err->status;
	return ts_client_open(f->options.leader, &login, &f->channel, err);
}

static void disconnect(struct ts_follow *f)
{
	if (f->channel)
		f->channel->ops->destroy(f->channel);
	f->channel = NULL;
	ts_arena_reset(&f->arena);
}

static enum ts_status take_part(void *ctx, struct ts_span message, struct ts_error *err)
{
	struct ts_follow *f = ctx;
	struct ts_follow_part part;
	struct ts_arena own;
	enum ts_status status;

	if (is_stopping(f))
		return ts_error_set(err, TS_CANCELLED, "the server stops");
	ts_arena_init(&own, TS_CALL_ARENA);
	status = ts_wire_unpack_follow_part(message, &own, &part, err);
	if (!status)
		status = ts_mirror_take(&f->mirror, part.items, err);
	ts_arena_finish(&own);
	return status;
}

/* Asks with what the store holds; without it, only for the moment. */
static enum ts_status ask(struct ts_follow *f, struct ts_span holds, struct ts_error *err)
{
	struct ts_buf request = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status = ts_wire_pack_follow_request(&(struct ts_follow_request){holds}, &request, err);

	ts_mirror_finish(&f->mirror);
	ts_mirror_begin(&f->mirror, f->options.engine);
	if (!status)
		status = f->channel->ops->download(f->channel, "Follow", ts_buf_view(&request), take_part, f, err);
	ts_buf_finish(&request);
	if (!status && !f->mirror.ended)
		status = ts_error_set(err, TS_UNAVAILABLE, "the leader ended in the middle of an answer");
	return status;
}

static enum ts_status turn(struct ts_follow *f, struct ts_error *err)
{
	struct ts_buf holds = TS_BUF_INIT(TS_FOLLOW_MAX);
	static const uint8_t none[TS_MOMENT];
	enum ts_status status = connect_to(f, err);

	if (!status)
		status = ask(f, ts_span_of(f->moment, TS_MOMENT), err);
	if (!status && memcmp(f->mirror.moment, f->moment, TS_MOMENT) == 0 && memcmp(f->moment, none, TS_MOMENT) != 0)
		return TS_OK;
	if (!status)
		status = ts_mirror_ask(f->options.engine, f->moment, &holds, err);
	if (!status)
		status = ask(f, ts_buf_view(&holds), err);
	if (!status)
		memcpy(f->moment, f->mirror.moment, TS_MOMENT);
	ts_buf_finish(&holds);
	return status;
}

static void say(struct ts_follow *f, const struct ts_error *err, int64_t began_ns)
{
	struct ts_log line;

	ts_log_begin(&line, err ? TS_LOG_WARNING : TS_LOG_INFO, "follow");
	ts_log_str(&line, "leader", f->options.leader);
	ts_log_str(&line, "status", err ? ts_status_word(err->status) : "ok");
	if (err)
		ts_log_str(&line, "reason", err->text);
	else
		ts_log_i64(&line, "records", (int64_t)f->mirror.records);
	ts_log_ms(&line, "ms", ts_now_mono_ns() - began_ns);
	ts_log_end(&line);
}

/* A leader that does not answer is said once, and once more when it answers again. */
static bool take_turn(struct ts_follow *f)
{
	int64_t began_ns = ts_now_mono_ns();
	struct ts_error err;
	bool ok = turn(f, &err) == TS_OK, came = ok && f->mirror.records > 0;

	pthread_mutex_lock(&f->mutex);
	f->held_ns = ok ? began_ns : f->held_ns;
	if (ok)
		atomic_store(f->options.held_ns, ts_now_real_ns() - (ts_now_mono_ns() - began_ns));
	f->failures += !ok;
	f->turns += came;
	f->records += f->mirror.records;
	pthread_mutex_unlock(&f->mutex);
	if (!ok && !f->failing && !is_stopping(f))
		say(f, &err, began_ns);
	else if (came || (ok && f->failing))
		say(f, NULL, began_ns);
	f->failing = !ok;
	if (!ok)
		disconnect(f);
	return ok;
}

/* Returns false when the thread must stop. */
static bool sleep_for(struct ts_follow *f, int64_t ns)
{
	int64_t until = ts_now_mono_ns() + ns;
	struct timespec when = ts_system_cond_limit(until);
	bool go_on;

	pthread_mutex_lock(&f->mutex);
	while (!f->stopping && ts_now_mono_ns() < until)
		(void)pthread_cond_timedwait(&f->wake, &f->mutex, &when);
	go_on = !f->stopping;
	pthread_mutex_unlock(&f->mutex);
	return go_on;
}

static void *loop(void *arg)
{
	struct ts_follow *f = arg;
	int64_t wait = 0, again = AGAIN_SECONDS * SECOND;

	(void)ts_budget_enter(&f->budget);
	while (sleep_for(f, wait)) {
		wait = f->options.interval_ns;
		if (!take_turn(f) && again < wait)
			wait = again;
	}
	disconnect(f);
	pthread_mutex_lock(&f->mutex);
	f->ended = true;
	pthread_cond_signal(&f->wake);
	pthread_mutex_unlock(&f->mutex);
	return NULL;
}

static void destroy(struct ts_follow *f)
{
	ts_mirror_finish(&f->mirror);
	ts_arena_finish(&f->arena);
	pthread_cond_destroy(&f->wake);
	pthread_mutex_destroy(&f->mutex);
	ts_free(f);
}

enum ts_status ts_follow_start(const struct ts_follow_options *options, struct ts_follow **ret_follow, struct ts_error *err)
{
	struct ts_follow *f;
	int errnum;

	if (ts_span_starts(ts_span_str(options->leader), ts_span_str("ssh:")))
		return ts_error_set(err, TS_INVALID,
				    "follow: a server starts no ssh; follow tls:HOST:PORT, or forward the socket of the leader");
	f = ts_alloc_array(1, sizeof *f);
	if (!f)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to follow %s", options->leader);
	f->options = *options;
	ts_arena_init(&f->arena, TS_CALL_ARENA);
	ts_mirror_begin(&f->mirror, options->engine);
	ts_budget_init(&f->budget, NULL, "follow", 0, 0);
	pthread_mutex_init(&f->mutex, NULL);
	ts_system_cond_init(&f->wake);
	errnum = pthread_create(&f->thread, NULL, loop, f);
	if (errnum) {
		destroy(f);
		return ts_error_errno(err, errnum, "start the thread that follows %s", options->leader);
	}
	*ret_follow = f;
	return TS_OK;
}

void ts_follow_look(struct ts_follow *f, struct ts_follow_state *ret)
{
	pthread_mutex_lock(&f->mutex);
	*ret = (struct ts_follow_state){.behind_s = f->held_ns ? (double)(ts_now_mono_ns() - f->held_ns) / 1e9 : -1,
					.turns = f->turns, .failures = f->failures, .records = f->records};
	pthread_mutex_unlock(&f->mutex);
}

bool ts_follow_stop(struct ts_follow *f)
{
	int64_t until = ts_now_mono_ns() + STOP_SECONDS * SECOND;
	struct timespec when = ts_system_cond_limit(until);
	bool ended;

	if (!f)
		return true;
	pthread_mutex_lock(&f->mutex);
	f->stopping = true;
	pthread_cond_broadcast(&f->wake);
	while (!f->ended && ts_now_mono_ns() < until)
		(void)pthread_cond_timedwait(&f->wake, &f->mutex, &when);
	ended = f->ended;
	pthread_mutex_unlock(&f->mutex);
	if (!ended)
		return false;
	pthread_join(f->thread, NULL);
	destroy(f);
	return true;
}
