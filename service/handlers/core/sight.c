#include "service/handlers/core/sight.h"

#include "base/cursor.h"
#include "base/object.h"
#include "service/handlers/core/each_ref.h"

#include <pthread.h>

enum { SETS = 1 << 11, WAYS = 8 };

/* Heads by who sent them, the last one of a set first. A head whose place was taken by another is sent again with its push; that takes
 * eight others of its set, since many push at once. */
struct slot {
	uint64_t who; /* 0: empty */
	struct ts_id head;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot sets[SETS][WAYS];

static uint64_t key_of(const struct ts_identity *who)
{
	return ts_peer_key(who->peer->kind, ts_span_str(who->name));
}

static struct slot *set_of(uint64_t who, const struct ts_id *head)
{
	return sets[(ts_load_le(head->bytes, 8) ^ who) % SETS];
}

void ts_sight_note(const struct ts_identity *who, const struct ts_id *head)
{
	uint64_t key = key_of(who);
	struct slot *set = set_of(key, head);

	pthread_mutex_lock(&lock);
	memmove(set + 1, set, (WAYS - 1) * sizeof *set);
	set[0] = (struct slot){key, *head};
	pthread_mutex_unlock(&lock);
}

static bool was_sent(const struct ts_identity *who, const struct ts_id *head)
{
	uint64_t key = key_of(who);
	const struct slot *set = set_of(key, head);
	bool found = false;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < WAYS; i++)
		found |= set[i].who == key && ts_id_eq(&set[i].head, head);
	pthread_mutex_unlock(&lock);
	return found;
}

struct search {
	const struct ts_call *call;
	const struct ts_id *head;
	bool found;
	bool logs; /* look at what names pointed at before, not at what they point at now */
	struct ts_arena arena;
};

static enum ts_status had(struct search *s, const struct ts_ref *ref, bool *ret_found, struct ts_error *err)
{
	struct ts_engine *base = s->call->access.base;
	struct ts_log_entry *entries;
	size_t n;

	if (ref->seq <= 1)
		return TS_OK;
	ts_arena_reset(&s->arena);
	if (base->ops->ref_log(base, ref->kind, ref->name, 0, &s->arena, &entries, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status; /* the name was removed meanwhile */
	for (size_t i = 0; i < n && !s->found; i++)
		s->found = ts_id_eq(&entries[i].id, s->head);
	*ret_found = s->found;
	return TS_OK;
}

/* A ts_ref_visit. */
static enum ts_status look_at(void *ctx, const struct ts_ref *ref, bool *ret_found, struct ts_error *err)
{
	struct ts_span project = ts_span_through(ref->name, '/');
	struct search *s = ctx;

	if (!project.len || !ts_auth_may(s->call->who, TS_AUTH_READ, ts_span_of(project.data, project.len - 1)))
		return TS_OK;
	if (s->logs)
		return had(s, ref, ret_found, err);
	s->found = *ret_found = ts_id_eq(&ref->id, s->head);
	return TS_OK;
}

enum ts_status ts_sight_of(const struct ts_call *call, const struct ts_id *head, bool *ret_sees, struct ts_error *err)
{
	static const enum ts_ref_kind kinds[] = {TS_REF_RUN, TS_REF_TAG, TS_REF_BRANCH};
	enum { KINDS = sizeof kinds / sizeof kinds[0] };
	struct search s = {.call = call, .head = head, .found = was_sent(call->who, head)};
	enum ts_status status = TS_OK;

	ts_arena_init(&s.arena, TS_CALL_ARENA);
	for (int i = 0; i < 2 * KINDS && !s.found && !status; i++) {
		s.logs = i >= KINDS;
		status = ts_each_ref(call, call->access.base, kinds[i % KINDS], ts_span_of(NULL, 0), look_at, &s, err);
	}
	ts_arena_finish(&s.arena);
	if (!status)
		*ret_sees = s.found;
	return status;
}
