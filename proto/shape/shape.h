/* shape.h - one table a struct: what of it travels, what JSON calls it, and within which bounds.
 *
 * A field of an answer is one row of the table of its struct. The wire form (shape_wire.h), the JSON of an answer and the JSON
 * Schema of that JSON are walks over the table, so that neither of them is written by hand:
 *
 *	#define TYPE struct ts_gap
 *	static const struct ts_shape_field gap_rows[] = {
 *		{"quantum", "quantum", F64(quantum)},
 *		{"visible_step", "visible_step", I64(visible_step), HAS(visible)},
 *		{"first", "first_ratio", F64(first), OR_NULL, BOUNDS(0, 2)},
 *		...
 *	};
 *	const struct ts_shape ts_shape_gap = {SHAPE("gap", gap, gap_rows)};
 *	#undef TYPE
 *
 * A row has three parts: the field of the message in tscope.proto (NULL: it does not travel), the key in JSON (NULL: it is not
 * shown), and what the member is, followed by what else is true of it. Rows stand in the order of the keys; the wire has its own
 * order, that of the field numbers. Macros of rows: shape_rows.h. Tables: shapes.h. What a table promises is held to the descriptors
 * of the generated code, row by row, by test_shape.c.
 *
 * What is not plain (a value of one of several types, a matrix of pairs) has functions of its own in the place of rows: struct
 * ts_shape_own. What holds between fields is checked by `check` once they are read.
 *
 * Threads: tables are constant. Every walk may run in several threads at once.
 */
#ifndef TSCOPE_PROTO_SHAPE_SHAPE_H
#define TSCOPE_PROTO_SHAPE_SHAPE_H

#include "base/json_writer.h"

#include <stddef.h>

struct ProtobufCMessageDescriptor; /* of the generated code, which is proto's own */
struct ts_wire_reader;
struct ts_shape;

/* C type; type in the .proto; JSON. */
enum ts_shape_kind {
	TS_SHAPE_F64,	/* double; double; a number, or "NaN", "Infinity", "-Infinity" */
	TS_SHAPE_U64,	/* uint64_t; uint64; a whole number, beyond 2^53 as text */
	TS_SHAPE_I64,	/* int64_t; sint64; the same */
	TS_SHAPE_U32,	/* uint32_t; uint32 */
	TS_SHAPE_SIZE,	/* size_t; uint32 */
	TS_SHAPE_I32,	/* int32_t; int32 or sint32 */
	TS_SHAPE_BOOL,	/* bool; bool */
	TS_SHAPE_HEX,	/* uint64_t; uint64 or fixed64; 16 hex digits */
	TS_SHAPE_TIME,	/* int64_t; sfixed64: nanoseconds since 1970; text in UTC */
	TS_SHAPE_ENUM,	/* an enum; an enum; its word */
	TS_SHAPE_BYTES, /* struct ts_span; bytes: any; text */
	TS_SHAPE_TEXT,	/* struct ts_span; string: UTF-8 without NUL; text */
	TS_SHAPE_WORD,	/* an enum; string: its word; its word */
	TS_SHAPE_ID,	/* struct ts_id; bytes: 32 of them; 64 hex digits. A list of n ids is one field of 32 * n bytes */
	TS_SHAPE_STRING, /* const char *; it does not travel; text */
	TS_SHAPE_ONE,	/* a struct with a table; a message; an object */
	TS_SHAPE_PTR,	/* const struct *, NULL: absent; a message; an object or null */
	TS_SHAPE_PART,	/* some fields of this very struct and message that JSON has in an object of their own; or the one field that
			 * the row names, which functions of its own (ts_shape_own) fill and read */
};

/* The values of an enum: `first` to the last are `least` to `most` on the wire. */
struct ts_shape_words {
	int least, most;
	int first;	     /* of the C enum: what `least` is */
	const int *values;   /* NULL, or what each of `least` to `most` is, where the C enum is not without gaps */
	const char *(*word)(int value); /* in JSON; NULL for a value that JSON has as null */
	bool bare;	     /* the word is JSON already: true, false */
	bool prose;	     /* the word is for people: the schema does not list it */
};

/* The i-th of them, from 0. */
static inline int ts_shape_nth(const struct ts_shape_words *words, int i)
{
	return words->values ? words->values[i] : words->first + i;
}

struct ts_shape_field {
	const char *wire; /* in the .proto */
	const char *key;  /* in JSON; its suffix is the unit. "": the members of a struct stand in the object around it */
	enum ts_shape_kind kind;
	bool list;
	bool fixed;	   /* a list: an array in the struct itself, of `entries`, no fewer */
	bool column;	   /* a list: of one member of the structs that the pointer is to */
	bool as_many;	   /* a list: it has as many entries as the one before it, which has the same count */
	bool maybe;	   /* may be absent on the wire */
	bool flagged;	   /* `has` is where a bool lies that says whether it is there; JSON has null where it is not */
	bool or_null;	   /* JSON: null for what stands for none: empty text, NaN, time 0, rank -1 */
	bool bounded;	   /* least and most are of the schema: a finite number between them, or as many entries */
	uint32_t at;	   /* where the member lies; of a list the pointer to its first entry, unless it is fixed */
	uint32_t step;	   /* bytes of the member, or from one entry to the next */
	uint32_t in_row;   /* of a column: where the value lies in the struct that is the entry */
	uint32_t n;	   /* of a list: where the count lies, a size_t */
	uint32_t cap;	   /* and the room, a size_t too; 0: none is kept */
	uint32_t has;
	size_t entries;	   /* of a list, at most */
	size_t max;	   /* BYTES, TEXT: bytes, at most; U64, U32, SIZE: the greatest, 0 for any */
	const struct ts_shape *of;	     /* ONE, PTR, PART */
	const struct ts_shape_words *words;  /* ENUM, WORD */
	bool (*when)(const void *in);	     /* JSON: null where this is false of the struct */
	double least, most;
	const char *units; /* the key ends in the unit of the answer: what it may be, as a regular expression */
	const char *about; /* what the schema says of it */
};

/* The first entry of a list, and how many there are. */
static inline const uint8_t *ts_shape_entries(const struct ts_shape_field *f, const void *in, size_t *ret_n)
{
	const uint8_t *base = in;

	*ret_n = f->fixed ? f->entries : *(const size_t *)(const void *)(base + f->n);
	return f->fixed ? base + f->at : *(const uint8_t *const *)(const void *)(base + f->at);
}

/* JSON on its way: the first failure is remembered, and comes back from ts_shape_json. */
struct ts_shape_writer {
	struct ts_json *json;
	struct ts_arena *arena; /* scratch */
	const char *unit; /* in which keys end that have `units`: "_s"; NULL: "" */
	struct ts_error *err;
	enum ts_status status;
};

/* For a struct that is not plain. Any of them may be NULL; rows are taken then. */
struct ts_shape_own {
	bool (*there)(const void *in); /* false: the message is absent */
	/* Fills a message that has its defaults. False: no memory. */
	bool (*fill)(const void *in, void *message, struct ts_arena *arena);
	void (*read)(struct ts_wire_reader *r, const void *message, void *ret);
	void (*json)(struct ts_shape_writer *w, const void *in);
	const char *schema; /* the definition, as JSON */
};

struct ts_shape_index; /* where fields lie in the generated struct: shape_wire.c finds them by name, once */

struct ts_shape {
	const char *name;  /* in the schemas: $defs/gap */
	const char *about; /* what the schema says of it */
	const struct ProtobufCMessageDescriptor *message; /* NULL: it does not travel */
	size_t size;
	const struct ts_shape_field *fields;
	size_t n;
	struct ts_shape_index *index;
	void (*check)(struct ts_wire_reader *r, void *in); /* once all fields were read and are sound */
	const char *(*unit)(const void *in); /* of the keys that have `units`, here and in what this holds */
	const struct ts_shape_own *own;
};

/* Writes the struct as one JSON value. */
enum ts_status ts_shape_json(const struct ts_shape *shape, const void *in, struct ts_json *json, struct ts_arena *arena,
			     struct ts_error *err);

/* Writes the definitions that a schema of n shapes needs, as members of the object that is open: those of the shapes, of all that
 * they hold, and of the numbers that every schema has (real, integer, count, time, id). Once each. */
void ts_shape_schema(const struct ts_shape *const *shapes, size_t n, struct ts_json *json);

#endif
