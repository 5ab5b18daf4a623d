#include "service/handlers/core/sight.h"

#include "base/cursor.h"
#include "base/object.h"

#include <pthread.h>

enum { PAGE = 256, SLOTS = 1 << 14 };

/* Heads by who sent them. A head whose place was taken by another is sent again with its push. */
struct slot {
	uint64_t who; /* 0: empty */
	struct ts_id head;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot slots[SLOTS];

static uint64_t key_of(const struct ts_identity *who)
{
	return ts_peer_key(who->peer->kind, ts_span_str(who->name));
}

static struct slot *slot_of(uint64_t who, const struct ts_id *head)
{
	return &slots[(ts_load_le(head->bytes, 8) ^ who) % SLOTS];
}

void ts_sight_note(const struct ts_identity *who, const struct ts_id *head)
{
	uint64_t key = key_of(who);

	pthread_mutex_lock(&lock);
	*slot_of(key, head) = (struct slot){key, *head};
	pthread_mutex_unlock(&lock);
}

static bool was_sent(const struct ts_identity *who, const struct ts_id *head)
{
	uint64_t key = key_of(who);
	const struct slot *slot = slot_of(key, head);
	bool found;

	pthread_mutex_lock(&lock);
	found = slot->who == key && ts_id_eq(&slot->head, head);
	pthread_mutex_unlock(&lock);
	return found;
}

struct search {
	const struct ts_call *call;
	const struct ts_id *head;
	bool logs; /* look at what names pointed at before, not at what they point at now */
};

static enum ts_status had(const struct search *s, const struct ts_ref *ref, struct ts_arena *arena, bool *io_found,
			  struct ts_error *err)
{
	struct ts_engine *base = s->call->access.base;
	struct ts_log_entry *entries;
	size_t n;

	if (ref->seq <= 1)
		return TS_OK;
	if (base->ops->ref_log(base, ref->kind, ref->name, 0, arena, &entries, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status; /* the name was removed meanwhile */
	for (size_t i = 0; i < n && !*io_found; i++)
		*io_found = ts_id_eq(&entries[i].id, s->head);
	return TS_OK;
}

static enum ts_status look_at(const struct search *s, const struct ts_ref *refs, size_t n, bool *io_found, struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status = TS_OK;

	ts_arena_init(&arena, TS_CALL_ARENA);
	for (size_t i = 0; i < n && !*io_found && !status; i++) {
		struct ts_span project = ts_span_through(refs[i].name, '/');

		if (!project.len || !ts_auth_may(s->call->who, TS_AUTH_READ, ts_span_of(project.data, project.len - 1)))
			continue;
		if (!s->logs)
			*io_found = ts_id_eq(&refs[i].id, s->head);
		else
			status = had(s, &refs[i], &arena, io_found, err);
		ts_arena_reset(&arena);
	}
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status look_in(const struct search *s, enum ts_ref_kind kind, struct ts_arena pages[2], bool *io_found,
			      struct ts_error *err)
{
	struct ts_engine *base = s->call->access.base;
	struct ts_ref_query query = {.kind = kind, .order = TS_ORDER_NAME, .limit = PAGE};
	int turn = 0;

	do {
		struct ts_ref *refs;
		struct ts_span next;
		size_t n;

		turn = !turn;
		ts_arena_reset(&pages[turn]); /* the token of the page before is in the other */
		if (ts_call_check(s->call, err) || base->ops->ref_list(base, &query, &pages[turn], &refs, &n, &next, err) ||
		    look_at(s, refs, n, io_found, err))
			return err->status;
		query.after = next;
	} while (query.after.len && !*io_found);
	return TS_OK;
}

enum ts_status ts_sight_of(const struct ts_call *call, const struct ts_id *head, bool *ret_sees, struct ts_error *err)
{
	static const enum ts_ref_kind kinds[] = {TS_REF_RUN, TS_REF_TAG, TS_REF_BRANCH};
	enum { KINDS = sizeof kinds / sizeof kinds[0] };
	struct search s = {.call = call, .head = head};
	struct ts_arena pages[2];
	enum ts_status status = TS_OK;
	bool found = was_sent(call->who, head);

	ts_arena_init(&pages[0], TS_CALL_ARENA);
	ts_arena_init(&pages[1], TS_CALL_ARENA);
	for (int i = 0; i < 2 * KINDS && !found && !status; i++) {
		s.logs = i >= KINDS;
		status = look_in(&s, kinds[i % KINDS], pages, &found, err);
	}
	ts_arena_finish(&pages[0]);
	ts_arena_finish(&pages[1]);
	if (!status)
		*ret_sees = found;
	return status;
}
