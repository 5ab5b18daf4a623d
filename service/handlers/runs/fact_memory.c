#include "service/handlers/runs/fact_memory.h"

#include "base/alloc.h"
#include "base/cursor.h"

#include <pthread.h>

enum { COLUMNS = 16, PATH = 256, TAG = 16, TEXT = 21, LEAST_LOG2 = 10, MOST_LOG2 = 20 };

/* A fact of one run. */
struct slot {
	uint8_t tag[TAG]; /* of the id; nobody can make two ids with the same 16 bytes */
	uint8_t known;	  /* enum ts_recall; TS_RECALL_NOTHING: the slot is empty */
	uint8_t type, source, len;
	uint8_t value[TEXT]; /* a text, or the bits of a number */
};

/* What was asked for by one path. */
struct column {
	uint8_t path[PATH];
	size_t path_len; /* 0: there is none */
	uint64_t used_at;
	struct slot *slots; /* a power of two of them, at most three quarters used */
	size_t n;
	int log2;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct column columns[COLUMNS];
static uint64_t uses;
static size_t bytes;

static size_t bytes_of(int log2)
{
	return sizeof(struct slot) << log2;
}

static void forget(struct column *c)
{
	if (c->slots)
		bytes -= bytes_of(c->log2);
	ts_free(c->slots);
	*c = (struct column){.path_len = 0};
}

static struct column *column_of(struct ts_span path)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (columns[i].path_len && ts_span_eq(ts_span_of(columns[i].path, columns[i].path_len), path))
			return &columns[i];
	return NULL;
}

/* The column that was not asked for longest, but for one; NULL: there is no other. */
static struct column *oldest(const struct column *but)
{
	struct column *found = NULL;

	for (size_t i = 0; i < COLUMNS; i++)
		if (&columns[i] != but && columns[i].path_len && (!found || columns[i].used_at < found->used_at))
			found = &columns[i];
	return found;
}

static struct column *add_column(struct ts_span path)
{
	struct column *c = NULL;

	for (size_t i = 0; i < COLUMNS && !c; i++)
		if (!columns[i].path_len)
			c = &columns[i];
	if (!c) {
		c = oldest(NULL);
		forget(c);
	}
	memcpy(c->path, path.data, path.len);
	c->path_len = path.len;
	return c;
}

/* The slot of a run, or the empty one where it would be. */
static struct slot *slot_of(struct slot *slots, int log2, const uint8_t *tag)
{
	size_t mask = ((size_t)1 << log2) - 1, at = (size_t)ts_load_le(tag, 8) & mask;

	while (slots[at].known != TS_RECALL_NOTHING && memcmp(slots[at].tag, tag, TAG) != 0)
		at = (at + 1) & mask;
	return &slots[at];
}

/* Makes room for one more; false: there is none. */
static bool grow(struct column *c)
{
	int more = c->slots ? c->log2 + 1 : LEAST_LOG2;
	struct column *other;
	struct slot *slots;

	if (c->slots && c->n < ((size_t)3 << c->log2) / 4)
		return true;
	if (more > MOST_LOG2)
		return false;
	while (bytes + bytes_of(more) > TS_FACT_MEMORY && (other = oldest(c)))
		forget(other);
	if (bytes + bytes_of(more) > TS_FACT_MEMORY)
		return false;
	slots = ts_alloc_array((size_t)1 << more, sizeof *slots);
	if (!slots)
		return false;
	for (size_t i = 0; c->slots && i < (size_t)1 << c->log2; i++)
		if (c->slots[i].known != TS_RECALL_NOTHING)
			*slot_of(slots, more, c->slots[i].tag) = c->slots[i];
	if (c->slots)
		bytes -= bytes_of(c->log2);
	ts_free(c->slots);
	c->slots = slots;
	c->log2 = more;
	bytes += bytes_of(more);
	return true;
}

/* False: the fact is too long, or of a kind that lies elsewhere. */
static bool pack(const struct ts_fact *fact, struct slot *ret)
{
	if (!fact) {
		ret->known = TS_RECALL_ABSENT;
		return true;
	}
	if (fact->type == TS_FACT_LONG || fact->text.len > TEXT)
		return false;
	ret->known = TS_RECALL_FACT;
	ret->type = (uint8_t)fact->type;
	ret->source = (uint8_t)fact->source;
	if (fact->type == TS_FACT_TEXT || fact->type == TS_FACT_NUMBER) {
		ret->len = (uint8_t)fact->text.len;
		if (ret->len)
			memcpy(ret->value, fact->text.data, ret->len);
		return true;
	}
	memcpy(ret->value, &fact->integer, sizeof fact->integer);
	memcpy(ret->value + 8, &fact->real, sizeof fact->real);
	ret->value[16] = fact->boolean;
	return true;
}

static enum ts_status unpack(const struct slot *slot, struct ts_arena *arena, struct ts_fact *ret, struct ts_error *err)
{
	struct ts_fact fact = {.type = (enum ts_fact_type)slot->type, .source = (enum ts_fact_source)slot->source};

	if (fact.type == TS_FACT_TEXT || fact.type == TS_FACT_NUMBER) {
		fact.text = ts_arena_span(arena, ts_span_of(slot->value, slot->len));
		if (!fact.text.data)
			return ts_arena_error(arena, err);
	} else {
		memcpy(&fact.integer, slot->value, sizeof fact.integer);
		memcpy(&fact.real, slot->value + 8, sizeof fact.real);
		fact.boolean = slot->value[16];
	}
	*ret = fact;
	return TS_OK;
}

enum ts_status ts_fact_memory_find(struct ts_span path, const struct ts_id *head, struct ts_arena *arena, enum ts_recall *ret_known,
				   struct ts_fact *ret_fact, struct ts_error *err)
{
	struct slot slot = {.known = TS_RECALL_NOTHING};
	struct column *c;

	pthread_mutex_lock(&lock);
	c = column_of(path);
	if (c) {
		c->used_at = ++uses;
		if (c->slots)
			slot = *slot_of(c->slots, c->log2, head->bytes);
	}
	pthread_mutex_unlock(&lock);
	*ret_known = (enum ts_recall)slot.known;
	return slot.known == TS_RECALL_FACT ? unpack(&slot, arena, ret_fact, err) : TS_OK;
}

void ts_fact_memory_keep(struct ts_span path, const struct ts_id *head, const struct ts_fact *fact)
{
	struct slot slot = {.known = TS_RECALL_NOTHING}, *at;
	struct column *c;

	if (path.len == 0 || path.len > PATH || !pack(fact, &slot))
		return;
	memcpy(slot.tag, head->bytes, TAG);
	pthread_mutex_lock(&lock);
	c = column_of(path);
	if (!c)
		c = add_column(path);
	c->used_at = ++uses;
	if (grow(c)) {
		at = slot_of(c->slots, c->log2, slot.tag);
		c->n += at->known == TS_RECALL_NOTHING;
		*at = slot;
	}
	pthread_mutex_unlock(&lock);
}
