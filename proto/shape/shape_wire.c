/* shape_wire.c - see shape_wire.h. A member of a struct and a field of a message are told apart by const: what is read from is. */
#include "proto/shape/shape_wire.h"

#include "base/words.h"

#include <assert.h>
#include <pthread.h>

/* --- offsets of fields --- */

static pthread_mutex_t indexing = PTHREAD_MUTEX_INITIALIZER;

/* Most fields are numbers that are copied: these loops read only the slots, which take a sixth of the bytes of the rows. */
static uint32_t plain_bytes(const struct ts_shape_field *f)
{
	if (f->list || f->maybe || f->max)
		return 0;
	if (f->kind == TS_SHAPE_U32 || f->kind == TS_SHAPE_I32)
		return 4;
	return f->kind <= TS_SHAPE_I64 || f->kind == TS_SHAPE_HEX || f->kind == TS_SHAPE_TIME ? 8 : 0;
}

static void find(const struct ts_shape *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct ts_shape_field *f = &s->fields[i];
		const ProtobufCFieldDescriptor *d;

		if (!f->wire)
			continue;
		d = protobuf_c_message_descriptor_get_field_by_name(s->message, f->wire);
		assert(d); /* test_shape.c checks that every field is found */
		s->index->slots[i] = (struct ts_shape_slot){d->offset, d->quantifier_offset, d->id, f->at, plain_bytes(f)};
	}
}

static bool is_copied(const struct ts_shape_slot *slot, const void *from, void *to)
{
	if (slot->plain == 8)
		*(uint64_t *)to = *(const uint64_t *)from;
	else if (slot->plain == 4)
		*(uint32_t *)to = *(const uint32_t *)from;
	return slot->plain != 0;
}

static const struct ts_shape_slot *slots_of(const struct ts_shape *s)
{
	if (!s->index)
		return NULL;
	if (!s->index->ready) {
		pthread_mutex_lock(&indexing);
		if (!s->index->ready)
			find(s);
		s->index->ready = true;
		pthread_mutex_unlock(&indexing);
	}
	return s->index->slots;
}

static size_t *count_at(void *base, uint32_t at)
{
	return (size_t *)(void *)((uint8_t *)base + at);
}

static size_t count_of(const void *base, uint32_t at)
{
	return *(const size_t *)(const void *)((const uint8_t *)base + at);
}

static bool flag_of(const struct ts_shape_field *f, const void *in)
{
	return *((const bool *)in + f->has);
}

/* --- enums --- */

/* TS_NEWER stays what it is: a server that is asked with it refuses it. */
static int to_wire(const struct ts_shape_words *w, int value)
{
	if (value == TS_NEWER)
		return TS_NEWER;
	if (!w->values)
		return value - w->first + w->least;
	for (int i = w->most; i >= w->least; i--) /* of several wire values for one value, the last is taken */
		if (w->values[i - w->least] == value)
			return i;
	return 0; /* UNSPECIFIED */
}

static int from_wire(const struct ts_shape_words *w, struct ts_wire_reader *r, int value, const char *name)
{
	if (w->newer && !r->request && (value < w->least || value > w->most))
		return TS_NEWER;
	return ts_shape_nth(w, ts_wire_enum(r, value, w->least, w->most, name) - w->least);
}

static int from_word(const struct ts_shape_words *w, struct ts_wire_reader *r, ProtobufCBinaryData in, const char *name)
{
	struct ts_span text = ts_wire_text(r, in, TS_PATH_MAX, name);

	for (int i = 0; i <= w->most - w->least; i++) {
		const char *word = w->word(ts_shape_nth(w, i));

		if (word && ts_span_is(text, word))
			return ts_shape_nth(w, i);
	}
	if (text.len)
		ts_wire_unknown_word(r, text, name);
	else
		ts_wire_fail(r, name, "is missing");
	return ts_shape_nth(w, 0);
}

/* --- to a message --- */

static bool fill(const struct ts_shape *s, const void *in, void *message, struct ts_arena *arena);

/* Returns the size that protobuf-c uses for a value of that kind. */
static size_t wire_size(enum ts_shape_kind kind)
{
	switch (kind) {
	case TS_SHAPE_F64:
	case TS_SHAPE_U64:
	case TS_SHAPE_I64:
	case TS_SHAPE_HEX:
	case TS_SHAPE_TIME:
		return 8;
	case TS_SHAPE_U32:
	case TS_SHAPE_SIZE:
	case TS_SHAPE_I32:
	case TS_SHAPE_ENUM:
		return 4;
	case TS_SHAPE_BOOL:
		return sizeof(protobuf_c_boolean);
	case TS_SHAPE_BYTES:
	case TS_SHAPE_TEXT:
	case TS_SHAPE_WORD:
	case TS_SHAPE_ID:
		return sizeof(ProtobufCBinaryData);
	case TS_SHAPE_STRING:
	case TS_SHAPE_ONE:
	case TS_SHAPE_PTR:
	case TS_SHAPE_PART:
		break;
	}
	return sizeof(void *);
}

static bool put(const struct ts_shape_field *f, const void *from, void *to, struct ts_arena *arena)
{
	switch (f->kind) {
	case TS_SHAPE_F64:
	case TS_SHAPE_U64:
	case TS_SHAPE_I64:
	case TS_SHAPE_HEX:
	case TS_SHAPE_TIME:
		*(uint64_t *)to = *(const uint64_t *)from;
		return true;
	case TS_SHAPE_U32:
	case TS_SHAPE_I32:
		*(uint32_t *)to = *(const uint32_t *)from;
		return true;
	case TS_SHAPE_SIZE:
		*(uint32_t *)to = (uint32_t) * (const size_t *)from;
		return true;
	case TS_SHAPE_ENUM:
		*(int *)to = to_wire(f->words, *(const int *)from);
		return true;
	case TS_SHAPE_BOOL:
		*(protobuf_c_boolean *)to = *(const bool *)from;
		return true;
	case TS_SHAPE_BYTES:
	case TS_SHAPE_TEXT:
		*(ProtobufCBinaryData *)to = ts_wire_span(*(const struct ts_span *)from);
		return true;
	case TS_SHAPE_WORD:
		*(ProtobufCBinaryData *)to = ts_wire_span(ts_span_str(f->words->word(*(const int *)from)));
		return true;
	case TS_SHAPE_ID:
		*(ProtobufCBinaryData *)to = ts_wire_id_bytes(from);
		return true;
	case TS_SHAPE_PTR:
		from = *(const void *const *)from;
		if (!from)
			return true;
		break;
	case TS_SHAPE_STRING:
		return true;
	case TS_SHAPE_ONE:
	case TS_SHAPE_PART:
		break;
	}
	if (f->of->own && f->of->own->there && !f->of->own->there(from))
		return true;
	*(void **)to = ts_shape_build(f->of, from, arena);
	return *(void **)to != NULL;
}

/* Returns whether protobuf-c holds these numbers as the struct does, one after the other: then they need no copy. */
static bool lies_alike(const struct ts_shape_field *f)
{
	return !f->column && f->kind <= TS_SHAPE_I32 && f->kind != TS_SHAPE_SIZE;
}

static bool put_list(const struct ts_shape_field *f, const void *in, void *to, size_t *ret_n, struct ts_arena *arena)
{
	size_t size = wire_size(f->kind), n;
	const uint8_t *rows = ts_shape_entries(f, in, &n);
	uint8_t *out;

	if (f->kind == TS_SHAPE_ID) {
		*(ProtobufCBinaryData *)to = ts_wire_id_list((const struct ts_id *)(const void *)rows, n);
		return true;
	}
	*ret_n = n;
	if (lies_alike(f)) {
		memcpy(to, &rows, sizeof rows);
		return true;
	}
	out = f->kind == TS_SHAPE_ONE ? ts_shape_build_list(f->of, rows, n, arena) : ts_arena_array(arena, n, size);
	*(void **)to = out;
	for (size_t i = 0; out && f->kind != TS_SHAPE_ONE && i < n; i++)
		if (!put(f, rows + i * f->step + f->in_row, out + i * size, arena))
			return false;
	return out != NULL;
}

static bool put_field(const struct ts_shape_field *f, const struct ts_shape_slot *slot, const void *in, void *message,
		      struct ts_arena *arena)
{
	const uint8_t *from = (const uint8_t *)in + f->at;
	uint8_t *to = (uint8_t *)message + slot->at;

	if (f->kind == TS_SHAPE_PART)
		return fill(f->of, from, message, arena);
	if (!f->wire)
		return true;
	if (f->list)
		return put_list(f, in, to, count_at(message, slot->count), arena);
	if (f->flagged && !flag_of(f, in))
		return true;
	if (f->maybe && f->kind < TS_SHAPE_ID)
		memcpy((uint8_t *)message + slot->count, &slot->id, sizeof slot->id);
	return put(f, from, to, arena);
}

static bool fill(const struct ts_shape *s, const void *in, void *message, struct ts_arena *arena)
{
	const struct ts_shape_slot *slots = slots_of(s);

	if (s->own && s->own->fill)
		return s->own->fill(in, message, arena);
	for (size_t i = 0; i < s->n; i++)
		if (!is_copied(&slots[i], (const uint8_t *)in + slots[i].in, (uint8_t *)message + slots[i].at) &&
		    !put_field(&s->fields[i], &slots[i], in, message, arena))
			return false;
	return true;
}

void *ts_shape_build(const struct ts_shape *shape, const void *in, struct ts_arena *arena)
{
	void *message = ts_wire_new(arena, shape->message);

	return message && fill(shape, in, message, arena) ? message : NULL;
}

void *ts_shape_build_list(const struct ts_shape *shape, const void *rows, size_t n, struct ts_arena *arena)
{
	void **messages = ts_wire_rows(arena, n, shape->message);

	for (size_t i = 0; messages && i < n; i++)
		if (!fill(shape, (const uint8_t *)rows + i * shape->size, messages[i], arena))
			return NULL;
	return messages;
}

enum ts_status ts_shape_pack(const struct ts_shape *shape, const void *in, struct ts_buf *out, struct ts_error *err)
{
	struct ts_arena scratch;
	const ProtobufCMessage *message;
	enum ts_status status;

	ts_arena_init(&scratch, 0);
	message = ts_shape_build(shape, in, &scratch);
	status = message ? ts_wire_write(message, out, err) : ts_arena_error(&scratch, err);
	ts_arena_finish(&scratch);
	return status;
}

/* --- from a message --- */

/* Errors in a nested message name the field of the outer message first. */
void ts_shape_read_one(const struct ts_shape *shape, struct ts_wire_reader *r, const void *message, const char *name, void *ret)
{
	struct ts_wire_place place = {.outer = r->place, .name = name};

	if (!ts_wire_need(r, message, name))
		return;
	r->place = &place;
	ts_shape_read(shape, r, message, ret);
	r->place = place.outer;
}

static void take_ptr(const struct ts_shape_field *f, struct ts_wire_reader *r, const void *message, void *to)
{
	size_t n = 0;
	void *out = message ? ts_wire_array(r, 1, f->of->size, 1, f->wire, &n) : NULL;

	if (out)
		ts_shape_read_one(f->of, r, message, f->wire, out);
	*(void **)to = out;
}

static uint64_t at_most(const struct ts_shape_field *f, struct ts_wire_reader *r, uint64_t value)
{
	return f->max ? ts_wire_uint(r, value, f->max, f->wire) : value;
}

static void take(const struct ts_shape_field *f, struct ts_wire_reader *r, const void *from, void *to)
{
	switch (f->kind) {
	case TS_SHAPE_U64:
		*(uint64_t *)to = at_most(f, r, *(const uint64_t *)from);
		return;
	case TS_SHAPE_F64:
	case TS_SHAPE_I64:
	case TS_SHAPE_HEX:
	case TS_SHAPE_TIME:
		*(uint64_t *)to = *(const uint64_t *)from;
		return;
	case TS_SHAPE_U32:
		*(uint32_t *)to = (uint32_t)at_most(f, r, *(const uint32_t *)from);
		return;
	case TS_SHAPE_SIZE:
		*(size_t *)to = at_most(f, r, *(const uint32_t *)from);
		return;
	case TS_SHAPE_I32:
		*(int32_t *)to = *(const int32_t *)from;
		return;
	case TS_SHAPE_ENUM:
		*(int *)to = from_wire(f->words, r, *(const int *)from, f->wire);
		return;
	case TS_SHAPE_BOOL:
		*(bool *)to = *(const protobuf_c_boolean *)from;
		return;
	case TS_SHAPE_BYTES:
		*(struct ts_span *)to = ts_wire_bytes(r, *(const ProtobufCBinaryData *)from, f->max, f->wire);
		return;
	case TS_SHAPE_TEXT:
		*(struct ts_span *)to = ts_wire_text(r, *(const ProtobufCBinaryData *)from, f->max, f->wire);
		return;
	case TS_SHAPE_WORD:
		*(int *)to = from_word(f->words, r, *(const ProtobufCBinaryData *)from, f->wire);
		return;
	case TS_SHAPE_ID:
		*(struct ts_id *)to = ts_wire_id(r, *(const ProtobufCBinaryData *)from, f->wire);
		return;
	case TS_SHAPE_PTR:
		take_ptr(f, r, *(const void *const *)from, to);
		return;
	case TS_SHAPE_STRING:
		return;
	case TS_SHAPE_ONE:
	case TS_SHAPE_PART:
		break;
	}
	ts_shape_read_one(f->of, r, *(const void *const *)from, f->wire, to);
}

static void *read_list(const struct ts_shape *shape, struct ts_wire_reader *r, const void *messages, size_t n, size_t entries,
		       const char *name, size_t *ret_n)
{
	uint8_t *rows = ts_wire_array(r, n, shape->size, entries, name, ret_n);

	for (size_t i = 0; i < *ret_n && !r->status; i++)
		ts_shape_read_one(shape, r, ((const void *const *)messages)[i], name, rows + i * shape->size);
	return rows;
}

/* Copies the values into the array of the struct. */
static void take_fixed(const struct ts_shape_field *f, struct ts_wire_reader *r, const uint8_t *in, size_t n, uint8_t *rows)
{
	if (n != f->entries) {
		ts_wire_fail(r, f->wire, "has not as many entries as it must have");
		return;
	}
	for (size_t i = 0; i < n; i++)
		take(f, r, in + i * wire_size(f->kind), rows + i * f->step);
}

/* Ids of the struct itself are one field, as the ids of a list are. */
static void take_fixed_ids(const struct ts_shape_field *f, struct ts_wire_reader *r, ProtobufCBinaryData in, void *ids)
{
	if (in.len != f->entries * TS_ID_BYTES)
		ts_wire_fail(r, f->wire, "has not as many ids of 32 bytes as it must have");
	else
		memcpy(ids, in.data, in.len);
}

static void take_values(const struct ts_shape_field *f, struct ts_wire_reader *r, const uint8_t *in, uint8_t *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		take(f, r, in + i * wire_size(f->kind), rows + i * f->step + f->in_row);
}

/* *ret_n is the count of the list before this one, if the two have equally many entries. */
static void take_list(const struct ts_shape_field *f, struct ts_wire_reader *r, const void *from, size_t n, void *to, size_t *ret_n)
{
	const uint8_t *in = *(const uint8_t *const *)from;
	void *rows;

	if (f->as_many && n != *ret_n)
		ts_wire_fail(r, f->wire, "has not as many entries as the list that it belongs to");
	if (f->kind == TS_SHAPE_ONE) {
		rows = read_list(f->of, r, in, n, f->entries, f->wire, ret_n);
	} else if (f->kind == TS_SHAPE_ID) {
		rows = ts_wire_ids(r, *(const ProtobufCBinaryData *)from, f->entries, f->wire, ret_n);
	} else if (lies_alike(f)) {
		*ret_n = ts_wire_entries(r, n, f->entries, f->wire);
		memcpy(&rows, from, sizeof rows);
	} else {
		rows = f->column && f->as_many ? *(void **)to : ts_wire_array(r, n, f->step, f->entries, f->wire, ret_n);
		if (!r->status)
			take_values(f, r, in, rows, n);
	}
	*(void **)to = rows;
}

static bool is_there(const struct ts_shape_field *f, const struct ts_shape_slot *slot, const void *message, const void *from)
{
	if (f->kind >= TS_SHAPE_ONE)
		return *(void *const *)from != NULL;
	if (f->kind == TS_SHAPE_ID)
		return ((const ProtobufCBinaryData *)from)->len != 0;
	return *(const uint32_t *)(const void *)((const uint8_t *)message + slot->count) == slot->id;
}

static void take_field(const struct ts_shape_field *f, const struct ts_shape_slot *slot, struct ts_wire_reader *r,
		       const void *message, void *out)
{
	const uint8_t *from = (const uint8_t *)message + slot->at;
	uint8_t *to = (uint8_t *)out + f->at;

	if (f->kind == TS_SHAPE_PART) {
		ts_shape_read(f->of, r, message, to);
	} else if (f->fixed && f->wire && f->kind == TS_SHAPE_ID) {
		take_fixed_ids(f, r, *(const ProtobufCBinaryData *)(const void *)from, to);
	} else if (f->fixed && f->wire) {
		take_fixed(f, r, *(const uint8_t *const *)(const void *)from, count_of(message, slot->count), to);
	} else if (f->list && f->wire) {
		take_list(f, r, from, f->kind == TS_SHAPE_ID ? 0 : count_of(message, slot->count), to, count_at(out, f->n));
		if (f->cap)
			*count_at(out, f->cap) = *count_at(out, f->n);
	} else if (f->wire) {
		bool there = !f->maybe || is_there(f, slot, message, from);

		if (there)
			take(f, r, from, to);
		if (f->flagged)
			*((bool *)out + f->has) = there;
	}
}

void ts_shape_read(const struct ts_shape *shape, struct ts_wire_reader *r, const void *message, void *ret)
{
	const struct ts_shape_slot *slots = slots_of(shape);

	if (shape->own && shape->own->read) {
		shape->own->read(r, message, ret);
		return;
	}
	for (size_t i = 0; i < shape->n; i++)
		if (!is_copied(&slots[i], (const uint8_t *)message + slots[i].at, (uint8_t *)ret + slots[i].in))
			take_field(&shape->fields[i], &slots[i], r, message, ret);
	if (shape->check && !r->status)
		shape->check(r, ret);
}

enum ts_status ts_shape_unpack(const struct ts_shape *shape, struct ts_span in, struct ts_arena *arena, void *ret,
			       struct ts_error *err)
{
	struct ts_wire_reader r = {.arena = arena, .err = err};
	const void *message = ts_wire_parse(&r, in, shape->message);
	size_t n = 0;
	void *out = message ? ts_wire_array(&r, 1, shape->size, 1, shape->name, &n) : NULL;

	if (out)
		ts_shape_read(shape, &r, message, out);
	if (r.status)
		return r.status;
	memcpy(ret, out, shape->size);
	return TS_OK;
}
