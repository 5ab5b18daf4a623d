#include "ingest/snapshot/intern.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/system.h"

typedef bool same_fn(const struct ts_intern *in, uint32_t number, const void *key);

enum ts_status ts_intern_init(struct ts_intern *in, struct ts_ration *ration, struct ts_error *err)
{
	*in = (struct ts_intern){.ration = ration};
	return ts_system_random(&in->secret, sizeof in->secret, err);
}

void ts_intern_finish(struct ts_intern *in)
{
	ts_vector_finish(in->ration, &in->bytes, 1);
	ts_vector_finish(in->ration, &in->texts, sizeof(struct ts_intern_text));
	ts_vector_finish(in->ration, &in->frames, sizeof(struct ts_snapshot_frame));
	ts_vector_finish(in->ration, &in->stacks, sizeof(struct ts_snapshot_stack));
	ts_vector_finish(in->ration, &in->stack_frames, sizeof(uint32_t));
	ts_vector_finish(in->ration, &in->of_texts.slots, sizeof(uint64_t));
	ts_vector_finish(in->ration, &in->of_frames.slots, sizeof(uint64_t));
	ts_vector_finish(in->ration, &in->of_stacks.slots, sizeof(uint64_t));
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
	return h ^ h >> 29;
}

static uint64_t hash_bytes(uint64_t h, struct ts_span bytes)
{
	size_t i = 0;

	h = mix(h, bytes.len);
	for (; bytes.len - i >= 8; i += 8)
		h = mix(h, ts_load_le(bytes.data + i, 8));
	for (uint64_t last = 0; i < bytes.len; i++) {
		last = last << 8 | bytes.data[i];
		if (i + 1 == bytes.len)
			h = mix(h, last);
	}
	return mix(h, h >> 32);
}

/* --- the table of numbers --- */

static bool rehash(struct ts_intern *in, struct ts_intern_slots *t)
{
	struct ts_vector old = t->slots, grown = {0};
	size_t cap = old.n ? old.n * 2 : 256;
	uint64_t *to;

	if (!ts_ration_take(in->ration, cap * sizeof *to))
		return false;
	to = ts_alloc_array(cap, sizeof *to);
	if (!to) {
		ts_ration_give(in->ration, cap * sizeof *to);
		in->ration->failed = TS_NO_MEMORY;
		return false;
	}
	grown = (struct ts_vector){.data = to, .n = cap, .cap = cap};
	for (size_t i = 0; i < old.n; i++) {
		uint64_t slot = ((const uint64_t *)old.data)[i];
		size_t at = (size_t)(slot >> 32) & (cap - 1);

		if (!slot)
			continue;
		while (to[at])
			at = (at + 1) & (cap - 1);
		to[at] = slot;
	}
	ts_vector_finish(in->ration, &t->slots, sizeof *to);
	t->slots = grown;
	return true;
}

/* The number of what has this hash and is the same as key, or TS_SNAPSHOT_NONE; then *ret_slot is where it belongs, or NULL if there is
 * no memory. */
static uint32_t find(struct ts_intern *in, struct ts_intern_slots *t, uint64_t hash, same_fn *same, const void *key,
		     uint64_t **ret_slot)
{
	uint64_t *slots;
	size_t at;

	*ret_slot = NULL;
	if (in->ration->failed || (t->used >= t->slots.n / 2 && !rehash(in, t)))
		return TS_SNAPSHOT_NONE;
	slots = t->slots.data;
	at = (size_t)(hash >> 32) & (t->slots.n - 1);
	for (; slots[at]; at = (at + 1) & (t->slots.n - 1))
		if (slots[at] >> 32 == hash >> 32 && same(in, (uint32_t)slots[at] - 1, key))
			return (uint32_t)slots[at] - 1;
	*ret_slot = &slots[at];
	return TS_SNAPSHOT_NONE;
}

static uint32_t settle(struct ts_intern *in, struct ts_intern_slots *t, uint64_t *slot, uint64_t hash, size_t number)
{
	if (number >= UINT32_MAX - 1) {
		in->ration->failed = TS_TOO_LARGE;
		return TS_SNAPSHOT_NONE;
	}
	*slot = (hash >> 32 << 32) | (uint32_t)(number + 1);
	t->used++;
	return (uint32_t)number;
}

/* --- texts --- */

struct ts_span ts_intern_text_of(const struct ts_intern *in, uint32_t text)
{
	const struct ts_intern_text *t = (const struct ts_intern_text *)in->texts.data + text;

	return ts_span_of((const uint8_t *)in->bytes.data + t->at, t->len);
}

static bool same_text(const struct ts_intern *in, uint32_t number, const void *key)
{
	return ts_span_eq(ts_intern_text_of(in, number), *(const struct ts_span *)key);
}

uint32_t ts_intern_text(struct ts_intern *in, struct ts_span text)
{
	uint64_t hash = hash_bytes(in->secret, text), *slot;
	uint32_t number = find(in, &in->of_texts, hash, same_text, &text, &slot);

	/* One byte more, so that the bytes of an empty text have a place. */
	if (!slot || !ts_vector_room(in->ration, &in->texts, sizeof(struct ts_intern_text), 1) ||
	    !ts_vector_room(in->ration, &in->bytes, 1, text.len + 1))
		return number;
	if (text.len)
		memcpy((uint8_t *)in->bytes.data + in->bytes.n, text.data, text.len);
	((struct ts_intern_text *)in->texts.data)[in->texts.n] = (struct ts_intern_text){in->bytes.n, (uint32_t)text.len};
	in->bytes.n += text.len;
	return settle(in, &in->of_texts, slot, hash, in->texts.n++);
}

/* --- frames --- */

static bool same_frame(const struct ts_intern *in, uint32_t number, const void *key)
{
	const struct ts_snapshot_frame *a = (const struct ts_snapshot_frame *)in->frames.data + number, *b = key;

	return a->file == b->file && a->function == b->function && a->line == b->line;
}

uint32_t ts_intern_frame(struct ts_intern *in, const struct ts_snapshot_frame *frame)
{
	uint64_t hash = mix(mix(in->secret, (uint64_t)frame->file << 32 | frame->function), (uint32_t)frame->line), *slot;
	uint32_t number;

	hash = mix(hash, hash >> 32);
	number = find(in, &in->of_frames, hash, same_frame, frame, &slot);
	if (!slot || !ts_vector_room(in->ration, &in->frames, sizeof *frame, 1))
		return number;
	((struct ts_snapshot_frame *)in->frames.data)[in->frames.n] = *frame;
	return settle(in, &in->of_frames, slot, hash, in->frames.n++);
}

/* --- stacks --- */

static bool same_stack(const struct ts_intern *in, uint32_t number, const void *key)
{
	const struct ts_snapshot_stack *s = (const struct ts_snapshot_stack *)in->stacks.data + number;
	const struct ts_span *frames = key;

	return ts_span_eq(ts_span_of((const uint32_t *)in->stack_frames.data + s->first, s->n * sizeof(uint32_t)), *frames);
}

uint32_t ts_intern_stack(struct ts_intern *in, const uint32_t *frames, uint32_t n)
{
	struct ts_span key = ts_span_of(frames, n * sizeof *frames);
	uint64_t hash = hash_bytes(in->secret + 1, key), *slot;
	uint32_t number = find(in, &in->of_stacks, hash, same_stack, &key, &slot);

	if (!slot || !ts_vector_room(in->ration, &in->stacks, sizeof(struct ts_snapshot_stack), 1) ||
	    !ts_vector_room(in->ration, &in->stack_frames, sizeof *frames, n))
		return number;
	memcpy((uint32_t *)in->stack_frames.data + in->stack_frames.n, frames, key.len);
	((struct ts_snapshot_stack *)in->stacks.data)[in->stacks.n] = (struct ts_snapshot_stack){in->stack_frames.n, n};
	in->stack_frames.n += n;
	return settle(in, &in->of_stacks, slot, hash, in->stacks.n++);
}
