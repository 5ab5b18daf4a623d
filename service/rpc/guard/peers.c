#include "service/rpc/guard/peers.h"

#include "base/held.h"

#include <string.h>

enum { PROBES = 16 };

static const struct ts_rate connects = {500, 50}, resets = {500, 50};
static const double resets_a_call = 0.5;

void ts_peers_init(struct ts_peers *peers, unsigned most)
{
	memset(peers, 0, sizeof *peers);
	pthread_mutex_init(&peers->mutex, NULL);
	peers->most = most;
}

void ts_peers_finish(struct ts_peers *peers)
{
	pthread_mutex_destroy(&peers->mutex);
}

/* The entry of the key, else one that may become its; NULL if there is none. */
static struct ts_peers_entry *find(struct ts_peers *peers, uint64_t key, int64_t now_ns)
{
	struct ts_peers_entry *best = NULL;

	for (unsigned i = 0; i < PROBES; i++) {
		struct ts_peers_entry *one = &peers->all[((key >> 20) + i) % TS_PEERS_MAX];

		if (one->key == key) {
			best = one;
			break;
		}
		if (!one->connections && (!best || one->used_ns < best->used_ns))
			best = one;
	}
	if (best && best->key != key)
		*best = (struct ts_peers_entry){.key = key};
	if (best)
		best->used_ns = now_ns;
	return best;
}

/* The caller holds the mutex. */
static enum ts_cutoff join(struct ts_peers *peers, struct ts_peers_entry *entry, unsigned *ret_place)
{
	TS_DOOR_HELD(&peers->mutex);
	if (!entry)
		return TS_CUTOFF_PEERS;
	*ret_place = (unsigned)(entry - peers->all);
	if (entry->connections >= peers->most)
		return TS_CUTOFF_PEER_CONNECTIONS;
	entry->connections++;
	return TS_CUTOFF_NONE;
}

enum ts_cutoff ts_peers_connect(struct ts_peers *peers, uint64_t key, int64_t now_ns, unsigned *ret_place)
{
	struct ts_peers_entry *entry;
	enum ts_cutoff cause;

	pthread_mutex_lock(&peers->mutex);
	entry = find(peers, key, now_ns);
	if (entry && !ts_allowance_spend(&entry->connects, &connects, 1, now_ns))
		cause = TS_CUTOFF_CONNECT_RATE;
	else
		cause = join(peers, entry, ret_place);
	pthread_mutex_unlock(&peers->mutex);
	return cause;
}

enum ts_cutoff ts_peers_move(struct ts_peers *peers, uint64_t key, int64_t now_ns, unsigned *place)
{
	unsigned to;
	enum ts_cutoff cause;

	pthread_mutex_lock(&peers->mutex);
	cause = join(peers, find(peers, key, now_ns), &to);
	if (!cause) {
		peers->all[*place].connections--;
		*place = to;
	}
	pthread_mutex_unlock(&peers->mutex);
	return cause;
}

void ts_peers_leave(struct ts_peers *peers, unsigned place)
{
	pthread_mutex_lock(&peers->mutex);
	peers->all[place].connections--;
	pthread_mutex_unlock(&peers->mutex);
}

bool ts_peers_settle(struct ts_peers *peers, unsigned place, unsigned calls, bool first, unsigned n_resets, int64_t now_ns)
{
	struct ts_peers_entry *entry = &peers->all[place];
	bool fine;

	pthread_mutex_lock(&peers->mutex);
	ts_allowance_earn(&entry->resets, calls * resets_a_call);
	if (first)
		ts_allowance_earn(&entry->connects, 1);
	fine = ts_allowance_spend(&entry->resets, &resets, n_resets, now_ns);
	pthread_mutex_unlock(&peers->mutex);
	return fine;
}

unsigned ts_peers_connections(struct ts_peers *peers, unsigned place)
{
	unsigned n;

	pthread_mutex_lock(&peers->mutex);
	n = peers->all[place].connections;
	pthread_mutex_unlock(&peers->mutex);
	return n;
}

unsigned ts_peers_largest(struct ts_peers *peers)
{
	unsigned largest = 0;

	pthread_mutex_lock(&peers->mutex);
	for (unsigned i = 1; i < TS_PEERS_MAX; i++)
		if (peers->all[i].connections > peers->all[largest].connections)
			largest = i;
	pthread_mutex_unlock(&peers->mutex);
	return largest;
}
