#include "ingest/snapshot/intern.h"

#include "base/system.h"

static void finish_map(struct ts_intern *in, struct ts_map *map)
{
	ts_ration_give(in->ration, map->size * sizeof *map->slots);
	ts_map_finish(map);
}

enum ts_status ts_intern_init(struct ts_intern *in, struct ts_ration *ration, struct ts_error *err)
{
	*in = (struct ts_intern){.ration = ration};
	return ts_system_random(in->key, sizeof in->key, err);
}

void ts_intern_finish(struct ts_intern *in)
{
	ts_vector_finish(in->ration, &in->bytes, 1);
	ts_vector_finish(in->ration, &in->texts, sizeof(struct ts_intern_text));
	ts_vector_finish(in->ration, &in->frames, sizeof(struct ts_snapshot_frame));
	ts_vector_finish(in->ration, &in->stacks, sizeof(struct ts_snapshot_stack));
	ts_vector_finish(in->ration, &in->stack_frames, sizeof(uint32_t));
	finish_map(in, &in->of_texts);
	finish_map(in, &in->of_frames);
	finish_map(in, &in->of_stacks);
}

/* --- numbers by hashes --- */

/* Adds what is there now, with the memory that the ration has for it. */
static bool add(struct ts_intern *in, struct ts_map *map, uint64_t hash, size_t number)
{
	size_t bytes = ts_map_grows_by(map), before = map->size * sizeof *map->slots;

	if (number >= UINT32_MAX - 1) {
		in->ration->failed = TS_TOO_LARGE;
		return false;
	}
	if (bytes && !ts_ration_take(in->ration, bytes))
		return false;
	if (!ts_map_add(map, hash, (uint32_t)number)) {
		ts_ration_give(in->ration, bytes);
		in->ration->failed = TS_NO_MEMORY;
		return false;
	}
	if (bytes)
		ts_ration_give(in->ration, before);
	return true;
}

/* --- texts --- */

struct ts_span ts_intern_text_of(const struct ts_intern *in, uint32_t text)
{
	const struct ts_intern_text *t = (const struct ts_intern_text *)in->texts.data + text;

	return ts_span_of((const uint8_t *)in->bytes.data + t->at, t->len);
}

uint32_t ts_intern_text(struct ts_intern *in, struct ts_span text)
{
	uint64_t hash = ts_hash_bytes(in->key, text);
	uint32_t number;

	TS_MAP_FIND(in->of_texts, hash, i, ts_span_eq(ts_intern_text_of(in, i), text), number);
	/* One byte more, so that the bytes of an empty text have a place. */
	if (number != TS_MAP_NONE || !ts_vector_room(in->ration, &in->texts, sizeof(struct ts_intern_text), 1) ||
	    !ts_vector_room(in->ration, &in->bytes, 1, text.len + 1) || !add(in, &in->of_texts, hash, in->texts.n))
		return number;
	if (text.len)
		memcpy((uint8_t *)in->bytes.data + in->bytes.n, text.data, text.len);
	((struct ts_intern_text *)in->texts.data)[in->texts.n] = (struct ts_intern_text){in->bytes.n, (uint32_t)text.len};
	in->bytes.n += text.len;
	return (uint32_t)in->texts.n++;
}

/* --- frames --- */

static bool same_frame(const struct ts_intern *in, uint32_t number, const struct ts_snapshot_frame *b)
{
	const struct ts_snapshot_frame *a = (const struct ts_snapshot_frame *)in->frames.data + number;

	return a->file == b->file && a->function == b->function && a->line == b->line;
}

uint32_t ts_intern_frame(struct ts_intern *in, const struct ts_snapshot_frame *frame)
{
	uint64_t hash = ts_hash_u64(in->key, (uint64_t)frame->file << 32 | frame->function);
	uint32_t number;

	hash = ts_hash_u64(in->key, hash ^ (uint32_t)frame->line);
	TS_MAP_FIND(in->of_frames, hash, i, same_frame(in, i, frame), number);
	if (number != TS_MAP_NONE || !ts_vector_room(in->ration, &in->frames, sizeof *frame, 1) ||
	    !add(in, &in->of_frames, hash, in->frames.n))
		return number;
	((struct ts_snapshot_frame *)in->frames.data)[in->frames.n] = *frame;
	return (uint32_t)in->frames.n++;
}

/* --- stacks --- */

static struct ts_span frames_of(const struct ts_intern *in, uint32_t stack)
{
	const struct ts_snapshot_stack *s = (const struct ts_snapshot_stack *)in->stacks.data + stack;

	return ts_span_of((const uint32_t *)in->stack_frames.data + s->first, s->n * sizeof(uint32_t));
}

uint32_t ts_intern_stack(struct ts_intern *in, const uint32_t *frames, uint32_t n)
{
	struct ts_span bytes = ts_span_of(frames, n * sizeof *frames);
	uint64_t hash = ts_hash_bytes(in->key, bytes);
	uint32_t number;

	TS_MAP_FIND(in->of_stacks, hash, i, ts_span_eq(frames_of(in, i), bytes), number);
	if (number != TS_MAP_NONE || !ts_vector_room(in->ration, &in->stacks, sizeof(struct ts_snapshot_stack), 1) ||
	    !ts_vector_room(in->ration, &in->stack_frames, sizeof *frames, n) || !add(in, &in->of_stacks, hash, in->stacks.n))
		return number;
	memcpy((uint32_t *)in->stack_frames.data + in->stack_frames.n, frames, bytes.len);
	((struct ts_snapshot_stack *)in->stacks.data)[in->stacks.n] = (struct ts_snapshot_stack){in->stack_frames.n, n};
	in->stack_frames.n += n;
	return (uint32_t)in->stacks.n++;
}
