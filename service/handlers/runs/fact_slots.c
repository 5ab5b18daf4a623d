#include "service/handlers/runs/fact_slots.h"

#include "base/cursor.h"

enum { ROW = TS_FACT_MARK + 4, ROWS = TS_FACT_SLOTS * ROW, DAYS_KEPT = 7 };
#define DAY_NS (INT64_C(86400) * 1000000000)
#define RECORD "list/facts"

/* The record as it was read, and as it becomes. */
struct slots {
	struct ts_arena arena;
	struct ts_record *read;
	size_t n_read;
	uint8_t rows[ROWS];
	size_t n;
	uint32_t today;
};

static bool read_slots(struct ts_engine *store, int64_t now_ns, struct slots *s)
{
	struct ts_span value = {0};
	struct ts_error ignored;

	s->n = 0;
	s->today = (uint32_t)(now_ns / DAY_NS);
	if (store->ops->record_list(store, ts_span_str(RECORD), &s->arena, &s->read, &s->n_read, &ignored) || s->n_read > 1)
		return false;
	if (s->n_read)
		value = s->read[0].value;
	if (value.len > ROWS || value.len % ROW)
		return false; /* of a newer tscope */
	s->n = value.len / ROW;
	if (value.len)
		memcpy(s->rows, value.data, value.len);
	return true;
}

/* False: another wrote it meanwhile, or the store is not written. */
static bool write_slots(struct ts_engine *store, const struct slots *s)
{
	struct ts_record record = {ts_span_str(RECORD), ts_span_of(s->rows, s->n * ROW)};
	struct ts_records_seen seen = {record.key, s->read, s->n_read};
	struct ts_error ignored;

	return !store->ops->record_put(store, &record, &seen, &ignored);
}

static uint32_t day_of(const struct slots *s, size_t i)
{
	return ts_load_u32(s->rows + i * ROW + TS_FACT_MARK);
}

/* The slot with this mark, or s->n. */
static size_t find(const struct slots *s, const uint8_t *mark)
{
	size_t i = 0;

	while (i < s->n && memcmp(s->rows + i * ROW, mark, TS_FACT_MARK) != 0)
		i++;
	return i;
}

/* A slot for another fact; TS_FACT_SLOTS: there is none. A day that is to come counts as long ago: the clock was wrong. */
static size_t choose(const struct slots *s)
{
	size_t oldest = 0;

	if (s->n < TS_FACT_SLOTS)
		return s->n;
	for (size_t i = 0; i < s->n; i++) {
		if (day_of(s, i) > s->today + 1)
			return i;
		oldest = day_of(s, i) < day_of(s, oldest) ? i : oldest;
	}
	return day_of(s, oldest) + DAYS_KEPT < s->today ? oldest : TS_FACT_SLOTS;
}

static void key_of(size_t slot, struct ts_extract_key *ret)
{
	const uint8_t text[] = {'f', 'a', 'c', 't', 1, (uint8_t)slot}; /* 1: the version of fact_pack.h */
	struct ts_id id;

	ts_digest(ts_span_of(text, sizeof text), &id);
	memcpy(ret->bytes, id.bytes, sizeof ret->bytes);
}

static bool look_up(struct ts_engine *store, struct slots *s, bool take, struct ts_fact_slot *io)
{
	size_t at = find(s, io->mark);
	bool is_new = at == s->n;

	if (is_new)
		at = take ? choose(s) : TS_FACT_SLOTS;
	if (at == TS_FACT_SLOTS)
		return false;
	key_of(at, &io->key);
	if (!is_new && day_of(s, at) == s->today)
		return true;
	s->n += at == s->n;
	memcpy(s->rows + at * ROW, io->mark, TS_FACT_MARK);
	ts_store_u32(s->rows + at * ROW + TS_FACT_MARK, s->today);
	return write_slots(store, s) || !is_new;
}

static bool slot_of(struct ts_engine *store, struct ts_span path, int64_t now_ns, bool take, struct ts_fact_slot *ret_slot)
{
	struct ts_fact_slot slot;
	struct slots s;
	struct ts_id id;
	bool has;

	ts_digest(path, &id);
	memcpy(slot.mark, id.bytes, TS_FACT_MARK);
	ts_arena_init(&s.arena, ROWS * 16);
	has = read_slots(store, now_ns, &s) && look_up(store, &s, take, &slot);
	ts_arena_finish(&s.arena);
	if (has)
		*ret_slot = slot;
	return has;
}

bool ts_fact_slot_find(struct ts_engine *store, struct ts_span path, int64_t now_ns, struct ts_fact_slot *ret_slot)
{
	return slot_of(store, path, now_ns, false, ret_slot);
}

bool ts_fact_slot_take(struct ts_engine *store, struct ts_span path, int64_t now_ns, struct ts_fact_slot *ret_slot)
{
	return slot_of(store, path, now_ns, true, ret_slot);
}
