#include "service/member.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/system.h"
#include "service/rpc/client.h"
#include "service/rpc/token_file.h"

#define SECOND INT64_C(1000000000)
enum { STOP_SECONDS = 2 };

/* --- jobs and parts --- */

void ts_member_job_release(struct ts_member_job *job)
{
	struct ts_arena arena;
	bool last;

	pthread_mutex_lock(&job->mutex);
	last = --job->refs == 0;
	pthread_mutex_unlock(&job->mutex);
	if (!last)
		return;
	for (size_t i = 0; i < job->n_parts; i++)
		ts_arena_finish(&job->parts[i].arena);
	pthread_mutex_destroy(&job->mutex);
	arena = job->arena; /* the job lies in it */
	ts_arena_finish(&arena);
}

bool ts_member_part_move(struct ts_member_part *part, enum ts_part_state from, enum ts_part_state to)
{
	bool moves;

	pthread_mutex_lock(&part->job->mutex);
	moves = part->state == from && !(to == TS_PART_ASKED && atomic_load(&part->job->over));
	if (moves)
		part->state = to;
	pthread_mutex_unlock(&part->job->mutex);
	return moves;
}

/* --- the thread --- */

static void disconnect(struct ts_member *m)
{
	if (m->channel)
		m->channel->ops->destroy(m->channel);
	m->channel = NULL;
	ts_arena_reset(&m->arena);
}

/* The token is read for each connection, so that it can be exchanged. */
static enum ts_status connect_to(struct ts_member *m, struct ts_error *err)
{
	struct ts_client_login login;

	if (m->channel)
		return TS_OK;
	if (ts_token_file_login(m->options->token_file, m->options->ca, &m->arena, &login, err))
		return err->status;
	return ts_client_open(m->address, &login, &m->channel, err);
}

static enum ts_status ask_once(struct ts_member *m, struct ts_member_part *part, struct ts_error *err)
{
	int64_t left = part->job->deadline_ns == INT64_MAX ? INT64_MAX : part->job->deadline_ns - ts_now_mono_ns();
	int64_t limit = TS_MEMBER_PART_SECONDS * SECOND < left ? TS_MEMBER_PART_SECONDS * SECOND : left;
	enum ts_status status;

	if (limit <= 0)
		return ts_error_set(err, TS_DEADLINE, "the time given for the call is over");
	if (connect_to(m, err))
		return err->status;
	m->channel->stop = &part->job->over;
	status = ts_client_call(m->channel, part->job->method, part->request, limit, &part->arena, &part->answer, err);
	m->channel->stop = NULL;
	return status;
}

/* A connection that stood may have been closed since: a server closes what is idle for long, and ends when it is exchanged. */
static enum ts_status ask(struct ts_member *m, struct ts_member_part *part, struct ts_error *err)
{
	bool stood = m->channel;
	enum ts_status status = ask_once(m, part, err);

	if (status != TS_UNAVAILABLE || !stood)
		return status;
	disconnect(m);
	return ask_once(m, part, err);
}

static void say(const struct ts_member *m, const struct ts_error *err)
{
	struct ts_log line;

	ts_log_begin(&line, err ? TS_LOG_WARNING : TS_LOG_INFO, "member");
	ts_log_str(&line, "address", m->address);
	ts_log_str(&line, "status", err ? ts_status_word(err->status) : "ok");
	if (err)
		ts_log_str(&line, "reason", err->text);
	ts_log_end(&line);
}

static void fail(struct ts_member *m, const struct ts_error *err)
{
	disconnect(m);
	atomic_store(&m->away_until_ns, ts_now_mono_ns() + TS_MEMBER_AWAY_SECONDS * SECOND);
	atomic_fetch_add(&m->failures, 1);
	if (!m->failing)
		say(m, err);
	m->failing = true;
}

/* Whether a part ended as it did because its call did, or had no more time than it had. */
static bool ended_by_call(const struct ts_member_part *part, enum ts_status status, int64_t began_ns)
{
	return status == TS_CANCELLED || (status == TS_DEADLINE && part->job->deadline_ns - began_ns < TS_MEMBER_PART_SECONDS * SECOND);
}

/* A part that nobody waits for any more says nothing of the member, unless it had more than enough time. */
static void ask_and_tell(struct ts_member *m, struct ts_member_part *part)
{
	int64_t began_ns = ts_now_mono_ns();
	struct ts_error err;
	enum ts_status status = ask(m, part, &err);
	bool innocent = ended_by_call(part, status, began_ns) && ts_now_mono_ns() - began_ns <= TS_MEMBER_AWAY_SECONDS * SECOND;

	(void)ts_member_part_move(part, TS_PART_ASKED, status ? TS_PART_FAILED : TS_PART_ANSWERED);
	if (status && !innocent) {
		fail(m, &err);
	} else if (!status && m->failing) {
		m->failing = false;
		say(m, NULL);
	}
}

static void do_part(struct ts_member *m, struct ts_member_part *part)
{
	if (!ts_member_part_move(part, TS_PART_WAITS, TS_PART_ASKED))
		return;
	if (ts_member_is_away(m))
		(void)ts_member_part_move(part, TS_PART_ASKED, TS_PART_FAILED);
	else
		ask_and_tell(m, part);
}

/* The next part; NULL when the thread must end. */
static struct ts_member_part *next_part(struct ts_member *m)
{
	struct ts_member_part *part;

	pthread_mutex_lock(&m->mutex);
	while (!m->first && !m->stopping)
		(void)pthread_cond_wait(&m->wake, &m->mutex);
	part = m->first;
	if (part)
		m->first = part->next;
	pthread_mutex_unlock(&m->mutex);
	return part;
}

static void *loop(void *arg)
{
	struct ts_member *m = arg;
	struct ts_member_part *part;

	(void)ts_budget_enter(&m->budget);
	while ((part = next_part(m))) {
		do_part(m, part);
		ts_member_job_release(part->job);
	}
	disconnect(m);
	pthread_mutex_lock(&m->mutex);
	m->ended = true;
	pthread_cond_broadcast(&m->wake);
	pthread_mutex_unlock(&m->mutex);
	return NULL;
}

void ts_member_give(struct ts_member *m, struct ts_member_part *part)
{
	part->next = NULL;
	pthread_mutex_lock(&m->mutex);
	if (m->first)
		m->last->next = part;
	else
		m->first = part;
	m->last = part;
	pthread_cond_signal(&m->wake);
	pthread_mutex_unlock(&m->mutex);
}

bool ts_member_is_away(const struct ts_member *m)
{
	return atomic_load(&m->away_until_ns) > ts_now_mono_ns();
}

enum ts_status ts_member_start(struct ts_member *m, const char *address, const struct ts_members_options *options, struct ts_error *err)
{
	int errnum;

	m->address = address;
	m->options = options;
	ts_arena_init(&m->arena, TS_CALL_ARENA);
	ts_budget_init(&m->budget, NULL, "members", 0, 0);
	pthread_mutex_init(&m->mutex, NULL);
	ts_system_cond_init(&m->wake);
	errnum = pthread_create(&m->thread, NULL, loop, m);
	m->started = !errnum;
	return errnum ? ts_error_errno(err, errnum, "start the thread that asks %s", address) : TS_OK;
}

bool ts_member_stop(struct ts_member *m)
{
	int64_t until = ts_now_mono_ns() + STOP_SECONDS * SECOND;
	struct timespec when = ts_system_cond_limit(until);
	bool ended;

	pthread_mutex_lock(&m->mutex);
	m->stopping = true;
	pthread_cond_broadcast(&m->wake);
	while (m->started && !m->ended && ts_now_mono_ns() < until)
		(void)pthread_cond_timedwait(&m->wake, &m->mutex, &when);
	ended = m->ended || !m->started;
	pthread_mutex_unlock(&m->mutex);
	if (!ended)
		return false;
	if (m->started)
		pthread_join(m->thread, NULL);
	ts_arena_finish(&m->arena);
	pthread_cond_destroy(&m->wake);
	pthread_mutex_destroy(&m->mutex);
	return true;
}
