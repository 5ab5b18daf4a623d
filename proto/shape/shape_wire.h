/* shape_wire.h - structs to messages and back, by their tables. Include only from proto/.
 *
 * The fields of generated structs are found by name at the first use of a table and kept in its index, so that to pack or unpack a
 * struct looks nothing up. A failure names the field by its whole path: "series.gap.first".
 */
#ifndef TSCOPE_PROTO_SHAPE_SHAPE_WIRE_H
#define TSCOPE_PROTO_SHAPE_SHAPE_WIRE_H

#include "proto/shape/shape.h"
#include "proto/wire_message.h"

/* Where a field lies in the generated struct. */
struct ts_shape_slot {
	uint32_t at;
	uint32_t count; /* of a repeated field its n_, of one in a oneof its case */
	uint32_t id;	/* the field's number, which is what the case says */
	uint32_t in;	/* where the member lies in the struct */
	uint32_t plain; /* bytes of a number that is copied either way and no more; 0: there is more to it */
};

struct ts_shape_index {
	_Atomic(bool) ready;
	struct ts_shape_slot *slots; /* one a row */
};

/* A message of the struct; NULL: no memory. What is not copied (texts, ids, arrays of numbers) must outlive it. */
void *ts_shape_build(const struct ts_shape *shape, const void *in, struct ts_arena *arena);
/* ret is zeroed. Failures are remembered by the reader. */
void ts_shape_read(const struct ts_shape *shape, struct ts_wire_reader *r, const void *message, void *ret);

/* For functions of a table's own: one that must be there, as the field `name`, and a list. NULL: no memory. */
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
