#include "service/handlers/runs/list_facts.h"

#include "base/clock.h"
#include "base/grow.h"
#include "base/map.h"
#include "service/handlers/runs/fact_slots.h"

enum { TOGETHER = 4096, FIRST = 1024, TEXT_MAX = TS_EXTRACT_MAX - TS_FACT_MARK - 2 };

/* A fact of one run. */
struct known {
	struct ts_id id;
	struct ts_span packed; /* as it is in the store: behind the mark */
	bool is_new;
};

struct ts_list_fact {
	struct ts_list_fact *next;
	struct ts_span path;
	struct ts_fact_slot slot;
	size_t asked;	/* and not known, before the column was read */
	size_t singles; /* how many may be asked so; 0: not decided yet */
	bool whole;	/* the column was read, or there is none */
	struct known *items;
	size_t n, cap, n_new;
	struct ts_map by_id;
};

void ts_list_facts_init(struct ts_list_facts *f, struct ts_call *call)
{
	*f = (struct ts_list_facts){.call = call};
	ts_arena_init(&f->arena, TS_ANALYSIS_ARENA);
}

/* The records of a store are an administrator's, and this one follows from what was asked: so it is the server that reads it. */
static struct ts_engine *store_of(const struct ts_call *call)
{
	return call->access.base ? call->access.base : call->engine;
}

static struct ts_list_fact *fact_of(const struct ts_list_facts *f, struct ts_span path)
{
	struct ts_list_fact *fact = f->facts;

	while (fact && !ts_span_eq(fact->path, path))
		fact = fact->next;
	return fact;
}

enum ts_status ts_list_facts_add(struct ts_list_facts *f, struct ts_span path, struct ts_error *err)
{
	struct ts_list_fact *fact;

	if (fact_of(f, path))
		return TS_OK;
	fact = ts_arena_array(&f->arena, 1, sizeof *fact);
	if (!fact)
		return ts_arena_error(&f->arena, err);
	fact->path = path;
	fact->next = f->facts;
	f->facts = fact;
	return TS_OK;
}

static uint64_t hash_of(const struct ts_id *id)
{
	return ts_hash_u64(ts_hash_open, ts_load_le(id->bytes, 8));
}

static struct known *find(const struct ts_list_fact *fact, const struct ts_id *id)
{
	uint32_t at;

	TS_MAP_FIND(fact->by_id, hash_of(id), i, ts_id_eq(&fact->items[i].id, id), at);
	return at == TS_MAP_NONE ? NULL : &fact->items[at];
}

/* Without memory a run stays unknown. */
static void add(struct ts_list_facts *f, struct ts_list_fact *fact, const struct ts_id *id, struct ts_span packed, bool is_new)
{
	struct ts_span kept = ts_arena_span(&f->arena, packed);

	if (!kept.data || !TS_GROW_IN(&f->arena, fact->items, fact->cap, fact->n + 1, FIRST) ||
	    !ts_map_add(&fact->by_id, hash_of(id), (uint32_t)fact->n))
		return;
	fact->items[fact->n++] = (struct known){*id, kept, is_new};
	fact->n_new += is_new;
}

struct reading {
	struct ts_list_facts *f;
	struct ts_list_fact *fact;
};

/* A ts_extract_visit. What has another mark is of a fact that had the slot before. */
static enum ts_status take(void *ctx, const struct ts_id *id, struct ts_span value, struct ts_error *err)
{
	struct reading *r = ctx;
	struct ts_list_fact *fact = r->fact;
	struct known *known;

	(void)err;
	if (value.len <= TS_FACT_MARK || memcmp(value.data, fact->slot.mark, TS_FACT_MARK) != 0)
		return TS_OK;
	known = find(fact, id);
	if (!known)
		add(r->f, fact, id, value, false);
	else if (known->is_new) {
		known->is_new = false;
		fact->n_new--;
	}
	return TS_OK;
}

static size_t refs_of(const struct ts_call *call)
{
	struct ts_engine *store = store_of(call);
	struct ts_store_stats stats;
	struct ts_error ignored;

	return store->ops->stats(store, &stats, &ignored) ? 0 : (size_t)stats.refs;
}

static void read_column(struct ts_list_facts *f, struct ts_list_fact *fact)
{
	struct ts_engine *store = store_of(f->call);
	struct reading reading = {f, fact};
	struct ts_error ignored;

	fact->whole = true;
	if (ts_fact_slot_find(store, fact->path, ts_now_real_ns(), &fact->slot) &&
	    TS_GROW_IN(&f->arena, fact->items, fact->cap, refs_of(f->call), fact->n + 1))
		(void)store->ops->extracts_walk(store, &fact->slot.key, take, &reading, &ignored);
}

/* Whether the column is to be read now. */
static bool is_enough(const struct ts_list_facts *f, struct ts_list_fact *fact)
{
	if (!fact->singles) {
		size_t share = refs_of(f->call) / TS_LIST_FACTS_FEW;

		fact->singles = share > TS_LIST_FACTS_FEW ? share : TS_LIST_FACTS_FEW;
	}
	return fact->asked++ >= fact->singles;
}

enum ts_recall ts_list_facts_find(struct ts_list_facts *f, struct ts_span path, const struct ts_id *head, struct ts_fact *ret_fact)
{
	struct ts_list_fact *fact = fact_of(f, path);
	const struct known *known = fact ? find(fact, head) : NULL;

	if (fact && !known && !fact->whole && is_enough(f, fact)) {
		read_column(f, fact);
		known = find(fact, head);
	}
	return known ? ts_fact_unpack(ts_span_from(known->packed, TS_FACT_MARK), ret_fact) : TS_RECALL_NOTHING;
}

void ts_list_facts_expect(const struct ts_list_facts *f, const struct ts_ref *refs, size_t n)
{
	for (const struct ts_list_fact *fact = f->facts; fact; fact = fact->next) {
		if (!fact->whole || fact->n == 0)
			continue;
		for (size_t i = 0; i < n; i++)
			__builtin_prefetch(&fact->by_id.slots[hash_of(&refs[i].id) >> 32 & (fact->by_id.size - 1)]);
		for (size_t i = 0; i < n; i++) {
			uint32_t number = (uint32_t)fact->by_id.slots[hash_of(&refs[i].id) >> 32 & (fact->by_id.size - 1)];

			__builtin_prefetch(&fact->items[number ? number - 1 : 0]);
		}
		for (size_t i = 0; i < n; i++) {
			uint32_t number = (uint32_t)fact->by_id.slots[hash_of(&refs[i].id) >> 32 & (fact->by_id.size - 1)];

			__builtin_prefetch(fact->items[number ? number - 1 : 0].packed.data);
		}
	}
}

void ts_list_facts_keep(struct ts_list_facts *f, struct ts_span path, const struct ts_id *head, const struct ts_fact *said)
{
	struct ts_list_fact *fact = fact_of(f, path);
	uint8_t room[TS_EXTRACT_MAX];
	struct ts_buf packed = {.data = room, .cap = sizeof room, .ceiling = sizeof room};
	struct ts_id digest;

	if (!fact || find(fact, head))
		return;
	ts_digest(path, &digest);
	ts_buf_bytes(&packed, digest.bytes, TS_FACT_MARK);
	if (ts_fact_pack(said, TEXT_MAX, &packed))
		add(f, fact, head, ts_buf_view(&packed), true);
}

/* Writes what is new of items [from, to). False: the store does not take it, and will not take the rest. */
static bool write_items(struct ts_list_facts *f, const struct ts_list_fact *fact, size_t from, size_t to)
{
	struct ts_extract *extracts = ts_arena_array(&f->arena, to - from, sizeof *extracts);
	struct ts_extracts *runs = ts_arena_array(&f->arena, to - from, sizeof *runs);
	struct ts_engine *store = store_of(f->call);
	struct ts_error ignored;
	size_t n = 0;

	if (!extracts || !runs)
		return false;
	for (size_t i = from; i < to; i++) {
		if (!fact->items[i].is_new)
			continue;
		extracts[n] = (struct ts_extract){fact->slot.key, fact->items[i].packed};
		runs[n] = (struct ts_extracts){fact->items[i].id, &extracts[n], 1};
		n++;
	}
	return n == 0 || !store->ops->extracts_put(store, runs, n, &ignored);
}

static void write_new(struct ts_list_facts *f, struct ts_list_fact *fact)
{
	bool taken = ts_fact_slot_take(store_of(f->call), fact->path, ts_now_real_ns(), &fact->slot);

	for (size_t from = 0; taken && from < fact->n; from += TOGETHER)
		taken = write_items(f, fact, from, from + TOGETHER < fact->n ? from + TOGETHER : fact->n);
}

void ts_list_facts_finish(struct ts_list_facts *f)
{
	for (struct ts_list_fact *fact = f->facts; fact; fact = fact->next) {
		if (fact->whole && fact->n_new >= TS_LIST_FACTS_FEW)
			write_new(f, fact);
		ts_map_finish(&fact->by_id);
	}
	ts_arena_finish(&f->arena);
}
