#include "analysis/snapshot/holders.h"

#include "base/door.h"
#include "base/order.h"
#include <stdlib.h>

/* A life with what it is grouped by. */
struct part {
	uint64_t key[2];
	uint64_t bytes;
	uint32_t stack;
	uint8_t kind;
};

/* By group, within it by stack. */
TS_ORDER(compare_parts, struct part, TS_UP(key[0]); TS_UP(key[1]); TS_UP(stack))

TS_ORDER(compare_holders, struct ts_holder, TS_DOWN(bytes); TS_UP(stack); TS_UP(key))

static uint32_t source_of(const struct ts_memory *m, uint32_t stack)
{
	return stack == TS_SNAPSHOT_NONE ? TS_SNAPSHOT_NONE : m->origins[stack].frame;
}

static struct part part_of(const struct ts_memory *m, uint32_t i, enum ts_holder_by by)
{
	const struct ts_life *life = &m->replay->lives[i];
	const struct ts_snapshot *s = m->replay->snapshot;
	uint32_t frame = source_of(m, life->stack);
	struct part part = {.bytes = life->requested, .stack = life->stack, .kind = m->kinds[i]};

	switch (by) {
	case TS_BY_STACK:
		part.key[0] = life->stack;
		break;
	case TS_BY_FUNCTION:
		part.key[1] = frame == TS_SNAPSHOT_NONE ? frame : s->frames[frame].function;
		part.key[0] = frame == TS_SNAPSHOT_NONE ? frame : s->frames[frame].file;
		break;
	case TS_BY_FILE:
		part.key[0] = frame == TS_SNAPSHOT_NONE ? frame : s->frames[frame].file;
		break;
	case TS_BY_KIND:
		part.key[0] = part.kind;
		break;
	case TS_BY_SIZE:
		part.key[0] = life->requested;
		break;
	}
	return part;
}

/* One holder of parts that have one key, sorted by stack. */
static struct ts_holder sum(const struct ts_memory *m, const struct part *parts, size_t n)
{
	struct ts_holder h = {.key = parts[0].key[0], .stack = parts[0].stack};
	uint64_t of_kind[TS_MEMORY_KINDS] = {0}, of_stack = 0, most = 0;

	for (size_t i = 0; i < n; i++) {
		of_stack = i && parts[i].stack == parts[i - 1].stack ? of_stack + parts[i].bytes : parts[i].bytes;
		if (of_stack > most) {
			most = of_stack;
			h.stack = parts[i].stack;
		}
		of_kind[parts[i].kind] += parts[i].bytes;
		h.bytes += parts[i].bytes;
		h.largest = parts[i].bytes > h.largest ? parts[i].bytes : h.largest;
		h.n++;
	}
	for (uint8_t k = 0; k < TS_MEMORY_KINDS; k++)
		h.kind = of_kind[k] > of_kind[h.kind] ? k : h.kind;
	h.frame = source_of(m, h.stack);
	return h;
}

static enum ts_status gather(const struct ts_memory *m, struct part *parts, size_t n, struct ts_arena *arena, struct ts_holders *ret,
			     struct ts_error *err)
{
	struct ts_holders out = {.lives = (uint32_t)n};
	size_t groups = 0;

	TS_SORT(parts, n, compare_parts);
	for (size_t i = 0; i < n; i++)
		groups += !i || parts[i].key[0] != parts[i - 1].key[0] || parts[i].key[1] != parts[i - 1].key[1];
	out.items = ts_arena_array(arena, groups, sizeof *out.items);
	if (!out.items)
		return ts_arena_error(arena, err);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && parts[end].key[0] == parts[i].key[0] && parts[end].key[1] == parts[i].key[1];)
			end++;
		out.items[out.n] = sum(m, parts + i, end - i);
		out.bytes += out.items[out.n++].bytes;
	}
	TS_SORT(out.items, out.n, compare_holders);
	*ret = out;
	return TS_OK;
}

bool ts_memory_holds(const struct ts_memory *m)
{
	for (uint32_t i = 0; i < m->replay->n_lives; i++)
		if (m->kinds[i] >= TS_MEMORY_KINDS)
			return false;
	return ts_replay_holds(m->replay);
}

enum ts_status ts_holders_among(const struct ts_memory *m, const uint8_t *chosen, enum ts_holder_by by, struct ts_arena *arena,
				struct ts_holders *ret_holders, struct ts_error *err)
{
	struct part *parts = ts_arena_array(arena, m->replay->n_lives, sizeof *parts);
	size_t n = 0;

	TS_DOOR(ts_memory_holds(m));
	if (!parts)
		return ts_arena_error(arena, err);
	for (uint32_t i = 0; i < m->replay->n_lives; i++)
		if (chosen[i])
			parts[n++] = part_of(m, i, by);
	return gather(m, parts, n, arena, ret_holders, err);
}

enum ts_status ts_holders_at(const struct ts_memory *m, uint32_t event, enum ts_holder_by by, struct ts_arena *arena,
			     struct ts_holders *ret_holders, struct ts_error *err)
{
	uint8_t *chosen = ts_arena_array(arena, m->replay->n_lives, 1);

	TS_DOOR(ts_memory_holds(m));
	for (uint32_t i = 0; chosen && i < m->replay->n_lives; i++)
		chosen[i] = ts_life_at(&m->replay->lives[i], event);
	return chosen ? ts_holders_among(m, chosen, by, arena, ret_holders, err) : ts_arena_error(arena, err);
}

enum ts_status ts_holders_of_all(const struct ts_memory *m, enum ts_holder_by by, struct ts_arena *arena,
				 struct ts_holders *ret_holders, struct ts_error *err)
{
	uint8_t *chosen = ts_arena_array(arena, m->replay->n_lives, 1);

	TS_DOOR(ts_memory_holds(m));
	for (uint32_t i = 0; chosen && i < m->replay->n_lives; i++)
		chosen[i] = m->replay->lives[i].born != TS_REPLAY_BEFORE;
	return chosen ? ts_holders_among(m, chosen, by, arena, ret_holders, err) : ts_arena_error(arena, err);
}
