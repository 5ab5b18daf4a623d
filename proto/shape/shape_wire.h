/* shape_wire.h - converts structs to messages and back by their tables. Only proto/ includes it.
 *
 * The fields of a generated struct are found by name at the first use of its table and kept in the table's index, so that later
 * packing and unpacking needs no look-up. A failure names the field by its whole path: "series.gap.first".
 */
#ifndef TSCOPE_PROTO_SHAPE_SHAPE_WIRE_H
#define TSCOPE_PROTO_SHAPE_SHAPE_WIRE_H

#include "proto/shape/shape.h"
#include "proto/wire_message.h"

/* Where the field of one row lies. */
struct ts_shape_slot {
	uint32_t at;	/* offset in the generated struct */
	uint32_t count; /* offset of the count (n_...) of a repeated field, or of the case of a field in a oneof */
	uint32_t id;	/* the field's number, which the case of a oneof holds */
	uint32_t in;	/* offset of the member in our struct */
	uint32_t plain; /* size of a number that is only copied in both directions; 0: it needs more than a copy */
};

struct ts_shape_index {
	_Atomic(bool) ready;
	struct ts_shape_slot *slots; /* one per row */
};

/* Makes a message of the struct. NULL: no memory. Texts, ids and arrays of numbers are not copied and must outlive the message. */
void *ts_shape_build(const struct ts_shape *shape, const void *in, struct ts_arena *arena);
/* Reads the message into ret, which must be zeroed. The reader remembers a failure. */
void ts_shape_read(const struct ts_shape *shape, struct ts_wire_reader *r, const void *message, void *ret);

/* For the functions of a ts_shape_own: one reads a required message, the field `name`; the other builds a list (NULL: no
 * memory). */
void ts_shape_read_one(const struct ts_shape *shape, struct ts_wire_reader *r, const void *message, const char *name, void *ret);
void *ts_shape_build_list(const struct ts_shape *shape, const void *rows, size_t n, struct ts_arena *arena);

enum ts_status ts_shape_pack(const struct ts_shape *shape, const void *in, struct ts_buf *out, struct ts_error *err);
enum ts_status ts_shape_unpack(const struct ts_shape *shape, struct ts_span in, struct ts_arena *arena, void *ret,
			       struct ts_error *err);

/* Defines ts_wire_pack_NAME and ts_wire_unpack_NAME of wire.h. */
#define WIRE_SHAPE(name, type, shape)                                                                                  \
	enum ts_status ts_wire_pack_##name(const struct type *in, struct ts_buf *out, struct ts_error *err)            \
	{                                                                                                              \
		return ts_shape_pack(&(shape), in, out, err);                                                          \
	}                                                                                                              \
	enum ts_status ts_wire_unpack_##name(struct ts_span in, struct ts_arena *arena, struct type *ret,              \
					     struct ts_error *err)                                                     \
	{                                                                                                              \
		return ts_shape_unpack(&(shape), in, arena, ret, err);                                                 \
	}                                                                                                              \
	struct type

#endif
