/* wire_sealed.c - PutObjectsRequest and GetObjectsReply, packed and unpacked by hand, so that the bytes of objects
 * are not copied.
 *
 * Both are one repeated field of SealedObject. protobuf-c would copy every object once more in each direction and push
 * lives on this path, so pack copies an object once (into the buffer) and unpack not at all: spans point into the input.
 * The form is protobuf's; a test lets protobuf-c read what this writes and the other way round. Source: the protobuf
 * encoding specification, protobuf.dev/programming-guides/encoding.
 */
#include "base/cursor.h"
#include "proto/wire_message.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
enum { VARINT_MAX = 10 };

/* Field numbers of tscope.proto. */
enum { OBJECTS = 1 };
enum { ID = 1, CODEC = 2, KIND = 3, REFS = 4, RAW_LEN = 5, CHECKSUM = 6, DATA = 7 };

static size_t varint_size(uint64_t v)
{
	size_t n = 1;

	for (; v >= 128; v >>= 7)
		n++;
	return n;
}

static void put_varint(struct ts_buf *out, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		ts_buf_u8(out, (uint8_t)(v | 128));
	ts_buf_u8(out, (uint8_t)v);
}

static void put_tag(struct ts_buf *out, unsigned field, unsigned type)
{
	ts_buf_u8(out, (uint8_t)(field << 3 | type));
}

static size_t uint_size(uint64_t v)
{
	return v ? 1 + varint_size(v) : 0;
}

static void put_uint(struct ts_buf *out, unsigned field, uint64_t v)
{
	if (v == 0)
		return;
	put_tag(out, field, VARINT);
	put_varint(out, v);
}

static void put_bytes(struct ts_buf *out, unsigned field, struct ts_span bytes)
{
	if (bytes.len == 0)
		return;
	put_tag(out, field, BYTES);
	put_varint(out, bytes.len);
	ts_buf_span(out, bytes);
}

static size_t object_size(const struct ts_sealed *s)
{
	return 2 + TS_ID_BYTES + uint_size(s->codec) + uint_size(s->kind) + uint_size(s->nrefs) +
	       uint_size(s->raw_len) + (s->checksum ? 9 : 0) +
	       (s->bytes.len ? 1 + varint_size(s->bytes.len) + s->bytes.len : 0);
}

static void put_object(struct ts_buf *out, const struct ts_sealed *s)
{
	put_tag(out, OBJECTS, BYTES);
	put_varint(out, object_size(s));
	put_bytes(out, ID, ts_id_span(&s->id));
	put_uint(out, CODEC, s->codec);
	put_uint(out, KIND, s->kind);
	put_uint(out, REFS, s->nrefs);
	put_uint(out, RAW_LEN, s->raw_len);
	if (s->checksum) {
		put_tag(out, CHECKSUM, FIXED64);
		ts_buf_u64(out, s->checksum);
	}
	put_bytes(out, DATA, s->bytes);
}

enum ts_status ts_wire_pack_put_request(const struct ts_put_request *in, struct ts_buf *out, struct ts_error *err)
{
	for (size_t i = 0; i < in->n; i++)
		put_object(out, &in->objects[i]);
	return ts_buf_check(out, err);
}

enum ts_status ts_wire_pack_objects_reply(const struct ts_put_request *in, struct ts_buf *out, struct ts_error *err)
{
	return ts_wire_pack_put_request(in, out, err);
}

static uint64_t take_varint(struct ts_cursor *c)
{
	uint64_t v = 0;

	for (int i = 0; i < VARINT_MAX; i++) {
		uint8_t byte = ts_cursor_u8(c);

		v |= (uint64_t)(byte & 127) << (7 * i);
		if (byte < 128)
			return v;
	}
	c->failed = true;
	return 0;
}

/* One field: its number, and its value as a number or as bytes. */
struct field {
	uint64_t number;
	unsigned type;
	uint64_t value;
	struct ts_span bytes;
};

static bool take_field(struct ts_cursor *c, struct field *ret)
{
	uint64_t tag = take_varint(c);

	ret->number = tag >> 3;
	ret->type = tag & 7;
	ret->value = 0;
	ret->bytes = ts_span_of(NULL, 0);
	switch (ret->type) {
	case VARINT:
		ret->value = take_varint(c);
		break;
	case FIXED64:
		ret->value = ts_cursor_u64(c);
		break;
	case FIXED32:
		ret->value = ts_cursor_u32(c);
		break;
	case BYTES:
		ret->value = take_varint(c);
		ret->bytes = ts_cursor_bytes(c, ret->value > SIZE_MAX ? SIZE_MAX : (size_t)ret->value);
		break;
	default:
		c->failed = true;
	}
	if (ret->number == 0)
		c->failed = true;
	return !c->failed;
}

static bool want(struct ts_wire_reader *r, const struct field *f, unsigned type, const char *name)
{
	if (f->type != type)
		ts_wire_fail(r, name, "is of the wrong type");
	return f->type == type;
}

static void read_field(struct ts_wire_reader *r, const struct field *f, struct ts_sealed *out, bool *io_has_id)
{
	ProtobufCBinaryData bytes = ts_wire_span(f->bytes);

	switch (f->number) {
	case ID:
		if (want(r, f, BYTES, "id"))
			*io_has_id = ts_wire_id_maybe(r, bytes, "id", &out->id);
		break;
	case CODEC:
		if (want(r, f, VARINT, "codec"))
			out->codec = (uint8_t)ts_wire_uint(r, f->value, UINT8_MAX, "codec");
		break;
	case KIND:
		if (want(r, f, VARINT, "kind"))
			out->kind = (uint8_t)ts_wire_uint(r, f->value, UINT8_MAX, "kind");
		break;
	case REFS:
		if (want(r, f, VARINT, "refs"))
			out->nrefs = (uint32_t)ts_wire_uint(r, f->value, TS_OBJECT_MAX / TS_ID_BYTES, "refs");
		break;
	case RAW_LEN:
		if (want(r, f, VARINT, "raw_len"))
			out->raw_len = (uint32_t)ts_wire_uint(r, f->value, TS_OBJECT_MAX, "raw_len");
		break;
	case CHECKSUM:
		if (want(r, f, FIXED64, "checksum"))
			out->checksum = f->value;
		break;
	case DATA:
		if (want(r, f, BYTES, "data"))
			out->bytes = ts_wire_bytes(r, bytes, TS_OBJECT_MAX, "data");
		break;
	default: /* a field of a later version */
		break;
	}
}

static void read_object(struct ts_wire_reader *r, struct ts_span in, struct ts_sealed *out)
{
	struct ts_cursor c = ts_cursor_of(in);
	struct field f;
	bool has_id = false;

	while (!r->status && ts_cursor_left(&c) && take_field(&c, &f))
		read_field(r, &f, out, &has_id);
	if (c.failed)
		ts_wire_fail(r, "objects", "holds bytes that are not a SealedObject");
	if (!has_id)
		ts_wire_fail(r, "id", "is not there: an id of 32 bytes must be");
}

static size_t count_objects(struct ts_wire_reader *r, struct ts_span in)
{
	struct ts_cursor c = ts_cursor_of(in);
	struct field f;
	size_t n = 0;

	while (ts_cursor_left(&c) && take_field(&c, &f))
		n += f.number == OBJECTS && want(r, &f, BYTES, "objects");
	if (c.failed && !r->status)
		r->status = ts_error_set(r->err, TS_INVALID, "byte %zu of %zu is not a field of a message of objects",
					 c.at, in.len);
	return n;
}

enum ts_status ts_wire_unpack_put_request(struct ts_span in, struct ts_arena *arena, struct ts_put_request *ret,
					  struct ts_error *err)
{
	struct ts_wire_reader r = {.arena = arena, .err = err};
	struct ts_cursor c = ts_cursor_of(in);
	struct ts_put_request out;
	struct field f;
	size_t i = 0;

	out.objects = ts_wire_array(&r, count_objects(&r, in), sizeof *out.objects, TS_IDS_MAX, "objects", &out.n);
	while (!r.status && i < out.n && take_field(&c, &f))
		if (f.number == OBJECTS)
			read_object(&r, f.bytes, &out.objects[i++]);
	if (r.status)
		return r.status;
	*ret = out;
	return TS_OK;
}

enum ts_status ts_wire_unpack_objects_reply(struct ts_span in, struct ts_arena *arena, struct ts_put_request *ret,
					    struct ts_error *err)
{
	return ts_wire_unpack_put_request(in, arena, ret, err);
}
