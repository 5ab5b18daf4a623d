/* shape_rows.h - the macros in which tables of shapes are written. Only files that hold a table include it, as its names are short.
 *
 * TYPE is the struct of the table. A member whose C type does not suit the kind does not compile; a name that the message does not
 * have fails in test_shape.c. SHAPE and OWN_SHAPE are for proto, with shape_wire.h; JSON_SHAPE and OWN_JSON need no generated code.
 */
#ifndef TSCOPE_PROTO_SHAPE_SHAPE_ROWS_H
#define TSCOPE_PROTO_SHAPE_SHAPE_ROWS_H

#include "base/limits.h"
#include "proto/shape/shape.h"
#include "proto/shape/shapes.h"

#include <math.h>

#define MEMBER(member) (((TYPE *)NULL)->member)
#define AT(member) .at = offsetof(TYPE, member), .step = sizeof MEMBER(member)
#define PLAIN(kind_, type, member)                                                                                     \
	.kind = TS_SHAPE_##kind_, .step = sizeof(type), .at = _Generic(MEMBER(member), type: offsetof(TYPE, member))

/* Members that are one value. */
#define F64(member) PLAIN(F64, double, member)
#define U64(member) PLAIN(U64, uint64_t, member)
#define I64(member) PLAIN(I64, int64_t, member)
#define U32(member) PLAIN(U32, uint32_t, member)
#define SIZE(member) PLAIN(SIZE, size_t, member)
#define I32(member) PLAIN(I32, int32_t, member)
#define BOOL(member) PLAIN(BOOL, bool, member)
#define HEX(member) PLAIN(HEX, uint64_t, member)
#define TIME(member) PLAIN(TIME, int64_t, member)
#define ENUM(member, words_) .kind = TS_SHAPE_ENUM, AT(member), .words = &(words_)
#define WORD(member, words_) .kind = TS_SHAPE_WORD, AT(member), .words = &(words_)
#define BYTES(member, max_) PLAIN(BYTES, struct ts_span, member), .max = (max_)
#define TEXT(member, max_) PLAIN(TEXT, struct ts_span, member), .max = (max_)
#define STRING(member) PLAIN(STRING, const char *, member)
#define ID(member) PLAIN(ID, struct ts_id, member)
#define ONE(member, shape) .kind = TS_SHAPE_ONE, AT(member), .of = &(shape)
#define PTR(member, shape) .kind = TS_SHAPE_PTR, .at = offsetof(TYPE, member), .step = sizeof *MEMBER(member), .of = &(shape)
/* HERE is this struct itself as another message, or as another piece of JSON. PART is some fields of this struct and message
 * together, or one field that has its own functions: {"policy", NULL, PART(policy_shape)}. */
#define HERE(shape) .kind = TS_SHAPE_ONE, .at = 0, .step = sizeof(TYPE), .of = &(shape)
#define PART(shape) .kind = TS_SHAPE_PART, .at = 0, .step = sizeof(TYPE), .of = &(shape)

/* A list: a pointer, and a count elsewhere in the struct. At most entries_ are read. */
#define LIST(kind_, member, count, entries_)                                                                           \
	.kind = TS_SHAPE_##kind_, .list = true, .at = offsetof(TYPE, member), .step = sizeof *MEMBER(member),          \
	.n = _Generic(MEMBER(count), size_t: offsetof(TYPE, count)), .entries = (entries_)
#define MANY(member, count, shape, entries_) LIST(ONE, member, count, entries_), .of = &(shape)
/* An array in the struct itself, all of which is serialized: FIXED(ONE, shares), OF(share_shape). */
#define FIXED(kind_, member)                                                                                           \
	.kind = TS_SHAPE_##kind_, .list = true, .fixed = true, .at = offsetof(TYPE, member), .step = sizeof MEMBER(member)[0],  \
	.entries = sizeof MEMBER(member) / sizeof MEMBER(member)[0]
/* One member of the structs in a list, which is serialized as a separate list. */
#define COLUMN(kind_, rows, row_type, member, count, entries_)                                                         \
	LIST(kind_, rows, count, entries_), .column = true, .in_row = offsetof(row_type, member)
/* ROOM is the capacity of a list, a size_t, which is set to the number of entries read. VECTOR is a struct with items, n and
 * cap. */
#define ROOM(member) .cap = _Generic(MEMBER(member), size_t: offsetof(TYPE, member))
#define VECTOR(member, shape, entries_) MANY(member.items, member.n, shape, entries_), ROOM(member.cap)

/* Further properties of a row. */
#define HAS(flag) .maybe = true, .flagged = true, .has = _Generic(MEMBER(flag), bool: offsetof(TYPE, flag))
#define MAYBE .maybe = true
#define OR_NULL .or_null = true
#define AS_MANY .as_many = true
/* The limit of a list whose entries take at least so many bytes when serialized. */
#define ENTRIES(bytes) TS_ENTRIES_OF(bytes)
#define MAX(max_) .max = (max_)
#define OF(shape) .of = &(shape)
#define WORDS(words_) .words = &(words_)
#define WHEN(function) .when = (function)
#define BOUNDS(least_, most_) .bounded = true, .least = (least_), .most = (most_)
/* The key is followed by the unit that `.unit` of a struct around it returns: IN_UNIT("(_s|_bytes)?"). */
#define IN_UNIT(pattern) .units = (pattern)
#define FINITE BOUNDS(-INFINITY, INFINITY)
#define ABOUT(text) .about = (text)
/* The column: {NULL, "idle_ns", U64(idle_ns), HEAD("idle")}. */
#define HEAD(text) .head = (text)
#define SHARE(text) .share = (text)
#define ABSENT(text) .absent = (text)
#define ABSENT_OF(function) .absent_of = (function)
#define SHOW(how) .show = TS_SHOW_##how
#define LEFT .align = TS_ALIGN_LEFT, .aligned = true
#define RIGHT .align = TS_ALIGN_RIGHT, .aligned = true
#define STRONG .weight = TS_WEIGHT_STRONG
#define DIM .weight = TS_WEIGHT_DIM
#define IDENTITY .weight = TS_WEIGHT_ID
#define NARROW(to) .narrow = (to)
/* A key which means that the members of the struct stand in the object around it. */
#define FLAT ""

/* The beginning of a table, `{SHAPE("gap", gap, gap_rows), .check = ...}`: its name in schemas, that of the message in
 * tscope__v1__gap__descriptor, and the rows. Further members of struct ts_shape may follow. */
#define SHAPE(name_, message_name, rows)                                                                               \
	JSON_SHAPE(name_, rows), .message = &tscope__v1__##message_name##__descriptor,                                 \
		.index = &(struct ts_shape_index){.slots = (struct ts_shape_slot[sizeof(rows) / sizeof((rows)[0])]){{0}}}
/* The same for a struct that has only JSON. */
#define JSON_SHAPE(name_, rows) .name = (name_), .size = sizeof(TYPE), .fields = (rows), .n = sizeof(rows) / sizeof((rows)[0])
/* The same for a struct that rows cannot describe, and for such a struct that has only JSON. */
#define OWN_SHAPE(name_, message_name, own_)                                                                           \
	OWN_JSON(name_, own_), .message = &tscope__v1__##message_name##__descriptor
#define OWN_JSON(name_, own_) .name = (name_), .size = sizeof(TYPE), .own = &(own_)

/* Defines a function over int that calls a function over an enum. */
#define WORD_OF(function, type, of)                                                                                    \
	static const char *function(int value)                                                                         \
	{                                                                                                              \
		return of((type)value);                                                                                \
	}                                                                                                              \
	struct ts_shape

#endif
