/* sessions.c - see sessions.h. */
#include "web/sessions.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/system.h"

#include <pthread.h>
#include <stdio.h>

struct kept {
	struct ts_id digest; /* of the id */
	int64_t began_ns;    /* 0: free */
	struct ts_session session;
};

struct ts_sessions {
	pthread_mutex_t lock;
	struct kept items[TS_SESSIONS];
};

static const int64_t lives_ns = (int64_t)TS_SESSION_HOURS * 3600 * 1000000000;

enum ts_status ts_sessions_open(struct ts_sessions **ret, struct ts_error *err)
{
	struct ts_sessions *s;

	if (ts_digest_init(err))
		return err->status;
	s = ts_alloc(sizeof *s);
	if (!s)
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory for sessions");
	memset(s, 0, sizeof *s);
	pthread_mutex_init(&s->lock, NULL);
	*ret = s;
	return TS_OK;
}

void ts_sessions_close(struct ts_sessions *s)
{
	pthread_mutex_destroy(&s->lock);
	memset(s, 0, sizeof *s);
	ts_free(s);
}

static bool lives(const struct kept *k, int64_t now_ns)
{
	return k->began_ns && now_ns - k->began_ns < lives_ns;
}

/* A free one, else the oldest. */
static struct kept *place(struct ts_sessions *s, int64_t now_ns)
{
	struct kept *oldest = &s->items[0];

	for (size_t i = 0; i < TS_SESSIONS; i++) {
		if (!lives(&s->items[i], now_ns))
			return &s->items[i];
		if (s->items[i].began_ns < oldest->began_ns)
			oldest = &s->items[i];
	}
	return oldest;
}

enum ts_status ts_sessions_begin(struct ts_sessions *s, struct ts_span token, struct ts_span who, int64_t now_ns,
				 char ret_id[TS_SESSION_ID], struct ts_error *err)
{
	struct ts_id random, digest;
	char hex[TS_ID_HEX + 1];
	struct kept *k;

	if (token.len >= TS_SESSION_TOKEN || who.len >= TS_SESSION_WHO)
		return ts_error_set(err, TS_INVALID, "this is no token");
	if (ts_system_random(random.bytes, sizeof random.bytes, err))
		return err->status;
	(void)ts_id_hex(&random, ret_id);
	ts_digest(ts_span_str(ret_id), &digest);
	(void)ts_id_hex(&digest, hex);
	pthread_mutex_lock(&s->lock);
	k = place(s, now_ns);
	*k = (struct kept){.digest = digest, .began_ns = now_ns};
	(void)snprintf(k->session.token, sizeof k->session.token, "%.*s", TS_SPAN_ARG(token));
	(void)snprintf(k->session.who, sizeof k->session.who, "%.*s", TS_SPAN_ARG(who));
	(void)snprintf(k->session.key, sizeof k->session.key, "%.16s", hex);
	pthread_mutex_unlock(&s->lock);
	return TS_OK;
}

bool ts_sessions_find(struct ts_sessions *s, struct ts_span id, int64_t now_ns, struct ts_session *ret)
{
	struct ts_id digest;
	bool found = false;

	if (id.len != TS_SESSION_ID - 1)
		return false;
	ts_digest(id, &digest);
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; !found && i < TS_SESSIONS; i++)
		if (lives(&s->items[i], now_ns) && ts_id_eq(&s->items[i].digest, &digest)) {
			*ret = s->items[i].session;
			found = true;
		}
	pthread_mutex_unlock(&s->lock);
	return found;
}

bool ts_sessions_of_key(struct ts_sessions *s, const char *key, int64_t now_ns, struct ts_session *ret)
{
	bool found = false;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; !found && i < TS_SESSIONS; i++)
		if (lives(&s->items[i], now_ns) && strcmp(s->items[i].session.key, key) == 0) {
			*ret = s->items[i].session;
			found = true;
		}
	pthread_mutex_unlock(&s->lock);
	return found;
}

void ts_sessions_end(struct ts_sessions *s, struct ts_span id)
{
	struct ts_id digest;

	ts_digest(id, &digest);
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < TS_SESSIONS; i++)
		if (s->items[i].began_ns && ts_id_eq(&s->items[i].digest, &digest))
			memset(&s->items[i], 0, sizeof s->items[i]);
	pthread_mutex_unlock(&s->lock);
}
