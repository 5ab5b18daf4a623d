#include "service/auth/shares.h"

#include "base/alloc.h"
#include "base/held.h"
#include "base/limits.h"

#include <pthread.h>
#include <stdio.h>

struct ts_share {
	struct ts_share *next; /* in its bucket, or among those that are free */
	uint64_t key;
	unsigned calls, waiting;
	struct ts_budget memory;
	char whose[TS_PEER_TEXT + 16];
};

struct ts_shares {
	pthread_mutex_t mutex;
	unsigned max, calls;
	struct ts_budget memory;
	size_t n_buckets; /* a power of two */
	struct ts_share **buckets, *free;
	struct ts_share shares[];
};

enum ts_status ts_shares_create(unsigned calls, size_t memory, struct ts_shares **ret_shares, struct ts_error *err)
{
	struct ts_shares *s = ts_alloc_array(1, sizeof *s + calls * sizeof s->shares[0]);

	if (!s)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the shares of %u calls", calls);
	for (s->n_buckets = 1; s->n_buckets < calls; s->n_buckets *= 2)
		;
	s->buckets = ts_alloc_array(s->n_buckets, sizeof *s->buckets);
	if (!s->buckets) {
		ts_free(s);
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the shares of %u calls", calls);
	}
	pthread_mutex_init(&s->mutex, NULL);
	s->max = calls;
	ts_budget_init(&s->memory, NULL, "the calls of all users", memory, 0);
	for (unsigned i = 0; i < calls; i++) {
		s->shares[i].next = s->free;
		s->free = &s->shares[i];
	}
	*ret_shares = s;
	return TS_OK;
}

void ts_shares_destroy(struct ts_shares *s)
{
	if (!s)
		return;
	pthread_mutex_destroy(&s->mutex);
	ts_free(s->buckets);
	ts_free(s);
}

static struct ts_share **bucket_of(struct ts_shares *s, uint64_t key)
{
	return &s->buckets[key & (s->n_buckets - 1)];
}

static struct ts_share *find(struct ts_shares *s, uint64_t key)
{
	struct ts_share *share = *bucket_of(s, key);

	TS_DOOR_HELD(&s->mutex);
	while (share && share->key != key)
		share = share->next;
	return share;
}

/* There is a free place, because a peer has at least one call, and there are as many places as calls. */
static struct ts_share *add(struct ts_shares *s, const struct ts_peer *peer)
{
	struct ts_share *share = s->free, **bucket = bucket_of(s, peer->key);

	TS_DOOR_HELD(&s->mutex);
	s->free = share->next;
	*share = (struct ts_share){.next = *bucket, .key = peer->key};
	*bucket = share;
	(void)snprintf(share->whose, sizeof share->whose, "the calls of %s", peer->name);
	ts_budget_init(&share->memory, &s->memory, share->whose, 0, s->memory.limit ? TS_SHARE_MEMORY : 0);
	return share;
}

/* Every peer may have one call while there is room for one at all. */
static unsigned part(unsigned of, unsigned percent)
{
	unsigned n = of * percent / 100;

	return n ? n : 1;
}

static enum ts_status refuse(const struct ts_shares *s, const struct ts_peer *peer, const struct ts_share *share, bool waits,
			     struct ts_error *err)
{
	unsigned own = share ? share->calls : 0, others = s->calls - own;
	unsigned limit = part(s->max - others, TS_SHARE_CALLS), waiting = part(limit, TS_SHARE_WAITING);

	if (s->calls >= s->max)
		return ts_error_set(err, TS_UNAVAILABLE, "the server has %u calls already, which is its limit; try again later",
				    s->calls);
	if (own >= limit)
		return ts_error_set(err, TS_UNAVAILABLE,
				    "%s has %u calls already, which is the share of one user while others have %u of the server's %u; "
				    "try again later",
				    peer->name, own, others, s->max);
	if (share && waits && share->waiting >= waiting)
		return ts_error_set(err, TS_UNAVAILABLE,
				    "%s has %u uploads, downloads, watches and analyses already, which is the share of one user while "
				    "others have %u of the server's %u calls; try again later",
				    peer->name, share->waiting, others, s->max);
	return TS_OK;
}

enum ts_status ts_shares_enter(struct ts_shares *s, const struct ts_peer *peer, bool waits, struct ts_share **ret_share,
			       struct ts_error *err)
{
	struct ts_share *share;
	enum ts_status status;

	pthread_mutex_lock(&s->mutex);
	share = find(s, peer->key);
	status = refuse(s, peer, share, waits, err);
	if (!status) {
		if (!share)
			share = add(s, peer);
		share->calls++;
		share->waiting += waits;
		s->calls++;
		*ret_share = share;
	}
	pthread_mutex_unlock(&s->mutex);
	return status;
}

void ts_shares_leave(struct ts_shares *s, struct ts_share *share, bool waits)
{
	pthread_mutex_lock(&s->mutex);
	s->calls--;
	share->waiting -= waits;
	if (--share->calls == 0) {
		struct ts_share **at = bucket_of(s, share->key);

		while (*at != share)
			at = &(*at)->next;
		*at = share->next;
		share->next = s->free;
		s->free = share;
	}
	pthread_mutex_unlock(&s->mutex);
}

struct ts_budget *ts_share_memory(struct ts_share *share)
{
	return &share->memory;
}

const struct ts_budget *ts_shares_memory(const struct ts_shares *s)
{
	return &s->memory;
}
