/* wire_message.h - functions that the wire*.c files share: they build, serialize, parse and check one generated message.
 *
 * Packing: build_X fills a generated message in a scratch arena (NULL: no memory); WIRE_PACK serializes it and frees the arena.
 * Unpacking: protobuf-c allocates from the caller's arena; read_X then copies field by field through the ts_wire_* checks
 * below. The reader remembers the first check that fails, with the field's name; later checks do nothing and return empty
 * values, so that a read_X function is a list of assignments. Only the wire files of proto/ may include this header.
 */
#ifndef TSCOPE_PROTO_WIRE_MESSAGE_H
#define TSCOPE_PROTO_WIRE_MESSAGE_H

#include "base/limits.h"
#include "proto/wire.h"

#include <tscope/v1/tscope.pb-c.h>

enum {
	TS_WIRE_SPEC_MAX = 512, /* a run spec: a kind, a project and a name, or an id */
	TS_WIRE_WHO_MAX = 512,
	TS_WIRE_TEXT_MAX = 4096, /* filters, reasons, messages, notes */
	TS_WIRE_CELL_MAX = TS_FACT_TEXT_MAX,
	TS_WIRE_COLUMNS_MAX = 64, /* columns of one list */
	TS_WIRE_IGNORE_MAX = 256,
	TS_WIRE_POLICY_MAX = 1024, /* settings of one policy */
	TS_WIRE_REPEATS_MAX = 64,
	TS_WIRE_REPORTED_MAX = 64, /* ids in a verify report, names of a run */
	TS_WIRE_PROJECTS_MAX = 512, /* bytes of the projects of a token */
	TS_WIRE_LIFETIME_MAX = 10 * 366 * 86400, /* seconds that a token lives */
	TS_WIRE_HEADS_MAX = TS_CHANNEL_HEADS,
};

/* The place of the reader: in which field of which message it is. */
struct ts_wire_place {
	const struct ts_wire_place *outer;
	const char *name;
};

struct ts_wire_reader {
	struct ts_arena *arena;
	struct ts_error *err;
	enum ts_status status; /* the first failure */
	const struct ts_wire_place *place; /* prefix of field names in errors; NULL: the outermost message */
	bool request; /* the message asks for something: what this version does not know of it is refused */
};

#define WIRE_DESCRIPTOR(name) (&tscope__v1__##name##__descriptor)

/* Returns a message with its defaults, or an array of pointers to n such messages, which is protobuf-c's form of a repeated field.
 * NULL: no memory. */
void *ts_wire_new(struct ts_arena *arena, const ProtobufCMessageDescriptor *descriptor);
void *ts_wire_rows(struct ts_arena *arena, size_t n, const ProtobufCMessageDescriptor *descriptor);
enum ts_status ts_wire_write(const ProtobufCMessage *message, struct ts_buf *out, struct ts_error *err);
/* A field of a request from this number on may be left out by a server that does not know it. */
enum { TS_WIRE_FIRST_HINT = 1000 };

/* Parses a message. NULL: it failed, and r->status says why. Unknown fields of a reply are left out; one of a request is
 * TS_UNSUPPORTED, unless it is a hint. */
void *ts_wire_parse(struct ts_wire_reader *r, struct ts_span in, const ProtobufCMessageDescriptor *descriptor);

/* Casts the const away, since protobuf-c's structs have no const; nobody writes through the result. */
static inline ProtobufCBinaryData ts_wire_span(struct ts_span s)
{
	ProtobufCBinaryData out = {.len = s.len};

	memcpy(&out.data, &s.data, sizeof out.data);
	return out;
}

static inline ProtobufCBinaryData ts_wire_id_bytes(const struct ts_id *id)
{
	return ts_wire_span(ts_id_span(id));
}

/* n ids, which lie one after the other without gaps. */
static inline ProtobufCBinaryData ts_wire_id_list(const struct ts_id *ids, size_t n)
{
	return ts_wire_span(ts_span_of(ids, n * TS_ID_BYTES));
}

/* The same array as protobuf-c's repeated int32; it is not copied. */
static inline int32_t *ts_wire_ranks(const int32_t *ranks)
{
	int32_t *out;

	memcpy(&out, &ranks, sizeof out);
	return out;
}

void ts_wire_fail(struct ts_wire_reader *r, const char *field, const char *problem);
/* Checks that a field is UTF-8 without NUL, of at most max bytes. */
struct ts_span ts_wire_text(struct ts_wire_reader *r, ProtobufCBinaryData in, size_t max, const char *field);
/* Checks a field with data of a run: any bytes, at most max. */
struct ts_span ts_wire_bytes(struct ts_wire_reader *r, ProtobufCBinaryData in, size_t max, const char *field);
struct ts_id ts_wire_id(struct ts_wire_reader *r, ProtobufCBinaryData in, const char *field);
/* Reads an id that may be absent, which is an empty field. Returns whether it is there. */
bool ts_wire_id_maybe(struct ts_wire_reader *r, ProtobufCBinaryData in, const char *field, struct ts_id *ret_id);
struct ts_id *ts_wire_ids(struct ts_wire_reader *r, ProtobufCBinaryData in, size_t max, const char *field,
			  size_t *ret_n);
/* Fails with TS_UNSUPPORTED, as ts_wire_enum does. */
void ts_wire_unknown_word(struct ts_wire_reader *r, struct ts_span word, const char *field);
/* Returns the value, or, with TS_UNSUPPORTED, least if it is out of range: a later version has more values. */
int ts_wire_enum(struct ts_wire_reader *r, int value, int least, int most, const char *field);
uint64_t ts_wire_uint(struct ts_wire_reader *r, uint64_t value, uint64_t most, const char *field);
/* Returns n; if it is above max, returns 0 and fails. */
size_t ts_wire_entries(struct ts_wire_reader *r, size_t n, size_t max, const char *field);
/* Allocates n zeroed rows of size bytes. Returns NULL with *ret_n = 0 if n is 0 or above max, or if there is no memory. */
void *ts_wire_array(struct ts_wire_reader *r, size_t n, size_t size, size_t max, const char *field, size_t *ret_n);
/* Returns false and fails if a required message is absent. */
bool ts_wire_need(struct ts_wire_reader *r, const void *message, const char *field);

/* Defines ts_wire_pack_NAME from build_NAME(in, arena), which returns the message's base or NULL. */
#define WIRE_PACK(name, type)                                                                                          \
	enum ts_status ts_wire_pack_##name(const struct type *in, struct ts_buf *out, struct ts_error *err)            \
	{                                                                                                              \
		struct ts_arena scratch;                                                                               \
		const ProtobufCMessage *message;                                                                       \
		enum ts_status status;                                                                                 \
                                                                                                                       \
		ts_arena_init(&scratch, 0);                                                                            \
		message = build_##name(in, &scratch);                                                                  \
		status = message ? ts_wire_write(message, out, err) : ts_arena_error(&scratch, err);                   \
		ts_arena_finish(&scratch);                                                                             \
		return status;                                                                                         \
	}                                                                                                              \
	struct type

/* Defines ts_wire_unpack_NAME from read_NAME(reader, message, ret). */
#define WIRE_UNPACK(name, type, message_name)                                                                          \
	enum ts_status ts_wire_unpack_##name(struct ts_span in, struct ts_arena *arena, struct type *ret,              \
					     struct ts_error *err)                                                     \
	{                                                                                                              \
		struct ts_wire_reader r = {.arena = arena, .err = err};                                                \
		struct type out;                                                                                       \
		const void *message = ts_wire_parse(&r, in, WIRE_DESCRIPTOR(message_name));                            \
                                                                                                                       \
		memset(&out, 0, sizeof out);                                                                           \
		if (message)                                                                                           \
			read_##name(&r, message, &out);                                                                \
		if (r.status)                                                                                          \
			return r.status;                                                                               \
		*ret = out;                                                                                            \
		return TS_OK;                                                                                          \
	}                                                                                                              \
	struct type

#endif
