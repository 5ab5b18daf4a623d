#include "service/handlers/core/sight.h"

#include "base/cursor.h"
#include "base/object.h"
#include "run/kind.h"

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

enum ts_status ts_sight_of(const struct ts_call *call, const struct ts_id *head, bool *ret_sees, struct ts_error *err)
{
	char hex[TS_ID_HEX + 1];
	struct ts_arena arena;
	enum ts_status status;
	struct ts_id *ids;
	size_t n;

	ts_arena_init(&arena, TS_CALL_ARENA);
	status = ts_sight_find(call, ts_span_of(ts_id_hex(head, hex), TS_ID_HEX), 1, &arena, &ids, &n, err);
	ts_arena_finish(&arena);
	if (!status)
		*ret_sees = n > 0;
	return status;
}

struct search {
	struct ts_engine *base;
	struct ts_span hex;
	struct ts_arena *arena;
	struct ts_id *ids;
	size_t n, cap;
};

static void add(struct search *s, const struct ts_id *id)
{
	for (size_t i = 0; i < s->n; i++)
		if (ts_id_eq(&s->ids[i], id))
			return;
	if (s->n < s->cap)
		s->ids[s->n++] = *id;
}

/* Every project is asked, so that what is found in the first costs what is found in none. */
static enum ts_status look_in(struct search *s, struct ts_span project, struct ts_error *err)
{
	struct ts_id *ids;
	size_t n;

	if (s->base->ops->heads_find(s->base, project, s->hex, s->cap, s->arena, &ids, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		add(s, &ids[i]);
	return TS_OK;
}

/* A log keeps entries whose objects are gone. */
static enum ts_status keep_present(struct search *s, struct ts_error *err)
{
	struct ts_outline *outlines = ts_arena_array(s->arena, s->n + 1, sizeof *outlines);
	size_t kept = 0;

	if (!outlines)
		return ts_arena_error(s->arena, err);
	if (s->n && s->base->ops->outline_many(s->base, s->ids, s->n, outlines, err))
		return err->status;
	for (size_t i = 0; i < s->n; i++)
		if (outlines[i].present && outlines[i].kind == TS_KIND_HEAD)
			s->ids[kept++] = s->ids[i];
	s->n = kept;
	return TS_OK;
}

enum ts_status ts_sight_find(const struct ts_call *call, struct ts_span hex, size_t limit, struct ts_arena *arena,
			     struct ts_id **ret_ids, size_t *ret_n, struct ts_error *err)
{
	struct search s = {.base = call->access.base, .hex = hex, .arena = arena, .cap = limit};
	struct ts_span project;
	struct ts_id whole;
	size_t at = 0;

	s.ids = ts_arena_array(arena, limit + 1, sizeof *s.ids);
	if (!s.ids)
		return ts_arena_error(arena, err);
	while (ts_identity_next_project(call->who, &at, &project))
		if (ts_auth_may(call->who, TS_AUTH_READ, project) && look_in(&s, project, err))
			return err->status;
	if (keep_present(&s, err))
		return err->status;
	if (ts_id_parse(hex, &whole) && was_sent(call->who, &whole))
		add(&s, &whole);
	*ret_ids = s.ids;
	*ret_n = s.n;
	return TS_OK;
}
