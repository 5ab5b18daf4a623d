/* wire_message.c - see wire_message.h. */
#include "proto/wire_message.h"

#include "base/text.h"

void *ts_wire_new(struct ts_arena *arena, const ProtobufCMessageDescriptor *descriptor)
{
	void *message = ts_arena_alloc(arena, descriptor->sizeof_message);

	if (message)
		protobuf_c_message_init(descriptor, message);
	return message;
}

void *ts_wire_rows(struct ts_arena *arena, size_t n, const ProtobufCMessageDescriptor *descriptor)
{
	uint8_t *rows = ts_arena_array(arena, n, descriptor->sizeof_message);
	void **pointers = ts_arena_array(arena, n, sizeof *pointers);

	if (!rows || !pointers)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		pointers[i] = rows + i * descriptor->sizeof_message;
		protobuf_c_message_init(descriptor, pointers[i]);
	}
	return pointers;
}

enum ts_status ts_wire_write(const ProtobufCMessage *message, struct ts_buf *out, struct ts_error *err)
{
	size_t size = protobuf_c_message_get_packed_size(message);
	uint8_t *at = size ? ts_buf_reserve(out, size) : NULL;

	if (at)
		out->len += protobuf_c_message_pack(message, at);
	return ts_buf_check(out, err);
}

/* protobuf-c returns NULL both for bytes that do not parse and when memory is exhausted; this struct keeps the difference. */
struct arena_allocator {
	struct ts_arena *arena;
	bool refused;
};

static void *arena_alloc(void *data, size_t size)
{
	struct arena_allocator *a = data;
	void *block = ts_arena_alloc(a->arena, size);

	a->refused |= !block;
	return block;
}

static void arena_free(void *data, void *block)
{
	(void)data;
	(void)block;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static const ProtobufCMessage *const *messages_of(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *f, size_t *ret_n)
{
	const uint8_t *at = (const uint8_t *)message + f->offset;
	const void *count = (const uint8_t *)message + f->quantifier_offset;

	if (f->label == PROTOBUF_C_LABEL_REPEATED) {
		*ret_n = *(const size_t *)count;
		return *(const ProtobufCMessage *const *const *)(const void *)at;
	}
	*ret_n = f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF && *(const uint32_t *)count != f->id ? 0 : 1;
	return (const ProtobufCMessage *const *)(const void *)at;
}

/* A caller who sets a field wants what it stands for: an answer that leaves it out would be a wrong one. Messages do not nest
 * without end (the contract forbids it). Returns whether there is no such field. */
static bool knows_all(struct ts_wire_reader *r, const ProtobufCMessage *message)
{
	const ProtobufCMessageDescriptor *d = message->descriptor;

	for (size_t i = 0; i < message->n_unknown_fields; i++) {
		if (message->unknown_fields[i].tag >= TS_WIRE_FIRST_HINT)
			continue;
		r->status = ts_error_set(r->err, TS_UNSUPPORTED, "%s has a field %u, which this version does not know", d->short_name,
					 message->unknown_fields[i].tag);
		return false;
	}
	for (unsigned i = 0; i < d->n_fields; i++) {
		size_t n = 0;
		const ProtobufCMessage *const *parts =
			d->fields[i].type == PROTOBUF_C_TYPE_MESSAGE ? messages_of(message, &d->fields[i], &n) : NULL;

		for (size_t k = 0; k < n; k++)
			if (parts[k] && !knows_all(r, parts[k]))
				return false;
	}
	return true;
}

void *ts_wire_parse(struct ts_wire_reader *r, struct ts_span in, const ProtobufCMessageDescriptor *descriptor)
{
	struct arena_allocator a = {.arena = r->arena};
	ProtobufCAllocator hooks = {arena_alloc, arena_free, &a};
	void *message = protobuf_c_message_unpack(descriptor, &hooks, in.len, in.data);

	if (!message && a.refused)
		r->status = ts_arena_error(r->arena, r->err);
	else if (!message)
		r->status =
			ts_error_set(r->err, TS_INVALID, "%zu bytes are not a %s message", in.len, descriptor->name);
	r->request = strcmp(descriptor->package_name, "tscope.v1") == 0 && ends_with(descriptor->short_name, "Request");
	return message && r->request && !knows_all(r, message) ? NULL : message;
}

enum { PATH_TEXT = 256 };

/* Returns a path such as "series.gap.first": the outer messages, then the field. */
static const char *path_of(const struct ts_wire_reader *r, const char *field, char path[PATH_TEXT])
{
	size_t at = PATH_TEXT - 1, len = strlen(field);

	path[at] = '\0';
	for (const struct ts_wire_place *place = r->place;; place = place->outer) {
		if (len + 1 > at)
			return path + at;
		at -= len;
		memcpy(path + at, field, len);
		if (!place)
			return path + at;
		path[--at] = '.';
		field = place->name;
		len = strlen(field);
	}
}

void ts_wire_fail(struct ts_wire_reader *r, const char *field, const char *problem)
{
	char path[PATH_TEXT];

	if (!r->status)
		r->status = ts_error_set(r->err, TS_INVALID, "field %s %s", path_of(r, field, path), problem);
}

static void too_large(struct ts_wire_reader *r, const char *field, size_t is, size_t max, const char *what)
{
	char path[PATH_TEXT];

	if (!r->status)
		r->status = ts_error_set(r->err, TS_INVALID, "field %s has %zu %s, the limit is %zu", path_of(r, field, path), is,
					 what, max);
}

struct ts_span ts_wire_bytes(struct ts_wire_reader *r, ProtobufCBinaryData in, size_t max, const char *field)
{
	if (in.len > max) {
		too_large(r, field, in.len, max, "bytes");
		return (struct ts_span){NULL, 0};
	}
	return ts_span_of(in.data, in.len);
}

struct ts_span ts_wire_text(struct ts_wire_reader *r, ProtobufCBinaryData in, size_t max, const char *field)
{
	struct ts_span text = ts_wire_bytes(r, in, max, field);

	if (text.len && memchr(text.data, 0, text.len))
		ts_wire_fail(r, field, "holds a NUL byte");
	else if (!ts_utf8_valid(text))
		ts_wire_fail(r, field, "is not UTF-8");
	return text;
}

bool ts_wire_id_maybe(struct ts_wire_reader *r, ProtobufCBinaryData in, const char *field, struct ts_id *ret_id)
{
	if (in.len == 0)
		return false;
	if (in.len != TS_ID_BYTES) {
		ts_wire_fail(r, field, "is not an id of 32 bytes");
		return false;
	}
	memcpy(ret_id->bytes, in.data, TS_ID_BYTES);
	return true;
}

struct ts_id ts_wire_id(struct ts_wire_reader *r, ProtobufCBinaryData in, const char *field)
{
	struct ts_id id = {{0}};

	if (!ts_wire_id_maybe(r, in, field, &id))
		ts_wire_fail(r, field, "is not there: an id of 32 bytes must be");
	return id;
}

struct ts_id *ts_wire_ids(struct ts_wire_reader *r, ProtobufCBinaryData in, size_t max, const char *field,
			  size_t *ret_n)
{
	struct ts_id *ids;

	if (in.len % TS_ID_BYTES)
		ts_wire_fail(r, field, "is not a whole number of ids of 32 bytes");
	ids = ts_wire_array(r, in.len / TS_ID_BYTES, sizeof *ids, max, field, ret_n);
	if (ids)
		memcpy(ids, in.data, *ret_n * TS_ID_BYTES);
	return ids;
}

int ts_wire_enum(struct ts_wire_reader *r, int value, int least, int most, const char *field)
{
	char path[PATH_TEXT];

	if (value >= least && value <= most)
		return value;
	if (!r->status)
		r->status = ts_error_set(r->err, TS_UNSUPPORTED, "field %s has the value %d, which this version does not know",
					 path_of(r, field, path), value);
	return least;
}

void ts_wire_unknown_word(struct ts_wire_reader *r, struct ts_span word, const char *field)
{
	char path[PATH_TEXT];

	word = ts_utf8_cut(word, 64);
	if (!r->status)
		r->status = ts_error_set(r->err, TS_UNSUPPORTED, "field %s has the word '%.*s', which this version does not know",
					 path_of(r, field, path), TS_SPAN_ARG(word));
}

uint64_t ts_wire_uint(struct ts_wire_reader *r, uint64_t value, uint64_t most, const char *field)
{
	char path[PATH_TEXT];

	if (value <= most)
		return value;
	if (!r->status)
		r->status = ts_error_set(r->err, TS_INVALID, "field %s is %" PRIu64 ", the limit is %" PRIu64,
					 path_of(r, field, path), value, most);
	return 0;
}

size_t ts_wire_entries(struct ts_wire_reader *r, size_t n, size_t max, const char *field)
{
	if (n <= max)
		return n;
	too_large(r, field, n, max, "entries");
	return 0;
}

void *ts_wire_array(struct ts_wire_reader *r, size_t n, size_t size, size_t max, const char *field, size_t *ret_n)
{
	void *rows;

	*ret_n = 0;
	if (!ts_wire_entries(r, n, max, field) || r->status)
		return NULL;
	rows = ts_arena_array(r->arena, n, size);
	if (!rows) {
		r->status = ts_arena_error(r->arena, r->err);
		return NULL;
	}
	*ret_n = n;
	return rows;
}

bool ts_wire_need(struct ts_wire_reader *r, const void *message, const char *field)
{
	if (!message)
		ts_wire_fail(r, field, "is not there");
	return message != NULL;
}
