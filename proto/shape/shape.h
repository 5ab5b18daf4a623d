/* shape.h - one table per struct says which of its members are serialized, their names in JSON, and their bounds.
 *
 * A field of an answer is one row of the table of its struct. Serialization (shape_wire.h), the JSON of an answer and the JSON
 * Schema of that JSON all read the table, so that none of them is written by hand:
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
 * A row has three parts: the name of the field in tscope.proto (NULL: it is not serialized), the key in JSON (NULL: it is not
 * shown), and the type and place of the member, followed by further properties. The rows are in the order of the JSON keys; the
 * serialized form has its own order, that of the field numbers. shape_rows.h has the macros for rows, shapes.h declares the
 * tables, and test_shape.c checks each row against the descriptors of the generated code.
 *
 * A row with a heading is also a column where people see a table of such structs (cli/view/view.h): its unit is the one at the end of
 * the key, and what is null in JSON is unknown there, too.
 *
 * A struct that rows cannot describe (a value of one of several types, a matrix of pairs) has its own functions instead: struct
 * ts_shape_own. `check` tests conditions between fields once all fields are read.
 *
 * Threads: tables are constant. Every walk may run in several threads at once.
 */
#ifndef TSCOPE_PROTO_SHAPE_SHAPE_H
#define TSCOPE_PROTO_SHAPE_SHAPE_H

#include "base/json_writer.h"

#include <stddef.h>

struct ProtobufCMessageDescriptor; /* of the generated code, which only proto may include */
struct ts_wire_reader;
struct ts_shape;

/* The kinds of members. Each comment names the C type; the type in the .proto file; the form in JSON. */
enum ts_shape_kind {
	TS_SHAPE_F64,	/* double; double; a number, or "NaN", "Infinity", "-Infinity" */
	TS_SHAPE_U64,	/* uint64_t; uint64; a whole number, beyond 2^53 as text */
	TS_SHAPE_I64,	/* int64_t; sint64; a whole number, beyond 2^53 as text */
	TS_SHAPE_U32,	/* uint32_t; uint32; a whole number */
	TS_SHAPE_SIZE,	/* size_t; uint32; a whole number */
	TS_SHAPE_I32,	/* int32_t; int32 or sint32; a whole number */
	TS_SHAPE_BOOL,	/* bool; bool; true or false */
	TS_SHAPE_HEX,	/* uint64_t; uint64 or fixed64; 16 hex digits */
	TS_SHAPE_TIME,	/* int64_t; sfixed64: nanoseconds since 1970; text in UTC */
	TS_SHAPE_ENUM,	/* an enum; an enum; its word */
	TS_SHAPE_BYTES, /* struct ts_span; bytes, any; text */
	TS_SHAPE_TEXT,	/* struct ts_span; string, which is UTF-8 without NUL; text */
	TS_SHAPE_WORD,	/* an enum; string, its word; its word */
	TS_SHAPE_ID,	/* struct ts_id; bytes, 32 of them; 64 hex digits. A list of n ids is one field of 32 * n bytes */
	TS_SHAPE_STRING, /* const char *; not serialized; text */
	TS_SHAPE_ONE,	/* a struct with a table; a message; an object */
	TS_SHAPE_PTR,	/* const struct *, NULL if absent; a message; an object or null */
	TS_SHAPE_PART,	/* some fields of the same struct and message, which JSON has in an object of their own; or the one field
			 * that the row names, which its own functions (ts_shape_own) fill and read */
};

/* The values of an enum. The C values from `first` on are serialized as `least` to `most`. */
struct ts_shape_words {
	int least, most;
	int first;	     /* the C value of `least` */
	const int *values;   /* the C value of each of `least` to `most`, if the C enum has gaps; else NULL */
	const char *(*word)(int value); /* the word in JSON; NULL for a value that is null in JSON */
	bool bare;	     /* the word is JSON already: true, false */
	bool prose;	     /* the word is for people: the schema does not list it */
	bool newer;	     /* another value in a reply is TS_NEWER (base/words.h); else it is TS_UNSUPPORTED, as in every request */
};

/* The i-th C value, from 0. */
static inline int ts_shape_nth(const struct ts_shape_words *words, int i)
{
	return words->values ? words->values[i] : words->first + i;
}

/* How people see a value. */
enum ts_show {
	TS_SHOW_UNIT,	   /* by the end of the key: _ns 1.234567 ms, _bytes 1.2 MiB; a count 1,234; other whole numbers as digits */
	TS_SHOW_SOME,	   /* the same, and nothing for 0 */
	TS_SHOW_DIGITS,	   /* 1234 */
	TS_SHOW_COUNT,	   /* 1,234 */
	TS_SHOW_NS,	   /* 1234 ns */
	TS_SHOW_NS_CHANGE, /* +1234 ns */
	TS_SHOW_CHANGE,	   /* by the unit, with its sign: +1.2 MiB */
	TS_SHOW_NAME,	   /* a name that a hostile file may make long */
	TS_SHOW_KERNEL,	   /* such a name of a kernel, without its arguments and the words that most have */
};

enum ts_align {
	TS_ALIGN_LEFT,
	TS_ALIGN_RIGHT,
	TS_ALIGN_NAME, /* left; a text that is cut keeps its begin and its end, as a name needs it */
};

/* The weight of a column beside the others. */
enum ts_weight { TS_WEIGHT_PLAIN, TS_WEIGHT_STRONG, TS_WEIGHT_DIM, TS_WEIGHT_ID };

struct ts_shape_field {
	const char *wire; /* name in the .proto file; NULL: not serialized */
	const char *key;  /* key in JSON, whose suffix is the unit. "": the members of a struct stand in the object around it */
	enum ts_shape_kind kind;
	bool list;
	bool fixed;	   /* a list that is an array in the struct itself, of exactly `entries` */
	bool column;	   /* a list of one member of the structs that the pointer points to */
	bool as_many;	   /* a list that shares its count with the list before it */
	bool maybe;	   /* may be absent in the message */
	bool flagged;	   /* a bool at `has` says whether the member is there; if not, JSON has null */
	bool or_null;	   /* JSON has null for values that stand for "none": empty text, NaN, time 0, rank -1 */
	bool bounded;	   /* the schema has bounds: the number is finite from least to most, or a list has so many entries */
	uint32_t at;	   /* offset of the member; for a list that is not fixed, of the pointer to its first entry */
	uint32_t step;	   /* size of the member, or the bytes from one entry to the next */
	uint32_t in_row;   /* column: offset of the value in the struct that is the entry */
	uint32_t n;	   /* list: offset of its count, a size_t */
	uint32_t cap;	   /* list: offset of its capacity, a size_t; 0: there is none */
	uint32_t has;	   /* offset of the bool, if flagged */
	size_t entries;	   /* list: most entries */
	size_t max;	   /* BYTES, TEXT: most bytes; U64, U32, SIZE: greatest value, 0 for any */
	const struct ts_shape *of;	     /* for ONE, PTR, PART: the table of the struct */
	const struct ts_shape_words *words;  /* for ENUM, WORD: its values */
	bool (*when)(const void *in);	     /* JSON has null if this returns false for the struct */
	double least, most;
	const char *units; /* regular expression for the unit of the answer, which is appended to the key; NULL: none is */
	const char *about; /* the description in the schema */
	/* Its column. */
	const char *head;			  /* the heading; NULL: it has none */
	const char *share;			  /* the heading of the column of its share of a whole */
	const char *absent;			  /* what stands for null; NULL: "-" */
	const char *(*absent_of)(const void *in); /* the same, where another member of the struct decides it */
	enum ts_show show;
	enum ts_weight weight;
	enum ts_align align; /* if aligned; else numbers are aligned to the right, and other values to the left */
	bool aligned;
	int narrow; /* the column may be cut to so many characters; 0: it is never cut */
};

/* The member, or the struct that it points to; NULL where JSON has null: it is absent, it is not shown for this struct, or it is the
 * value that stands for none. Not for lists. */
const void *ts_shape_member(const struct ts_shape_field *f, const void *in);

/* Returns the first entry of a list, and in *ret_n the number of entries. */
static inline const uint8_t *ts_shape_entries(const struct ts_shape_field *f, const void *in, size_t *ret_n)
{
	const uint8_t *base = in;

	*ret_n = f->fixed ? f->entries : *(const size_t *)(const void *)(base + f->n);
	return f->fixed ? base + f->at : *(const uint8_t *const *)(const void *)(base + f->at);
}

/* The state while JSON is written. It remembers the first failure, which ts_shape_json returns. */
struct ts_shape_writer {
	struct ts_json *json;
	struct ts_arena *arena; /* scratch */
	const char *unit; /* suffix of the keys that have `units`: "_s"; NULL: "" */
	struct ts_error *err;
	enum ts_status status;
};

/* Functions for a struct that rows cannot describe. Any of them may be NULL; then the rows are used. */
struct ts_shape_own {
	bool (*there)(const void *in); /* false: the message is absent */
	/* Fills a message, which has its defaults. False: no memory. */
	bool (*fill)(const void *in, void *message, struct ts_arena *arena);
	void (*read)(struct ts_wire_reader *r, const void *message, void *ret);
	void (*json)(struct ts_shape_writer *w, const void *in);
	const char *schema; /* the definition in the schema, as JSON */
};

struct ts_shape_index; /* the offsets of fields in the generated struct; shape_wire.c finds them by name, once */

struct ts_shape {
	const char *name;  /* its name in schemas: $defs/gap */
	const char *about; /* the description in the schema */
	const struct ProtobufCMessageDescriptor *message; /* NULL: it is not serialized */
	size_t size;
	const struct ts_shape_field *fields;
	size_t n;
	struct ts_shape_index *index;
	void (*check)(struct ts_wire_reader *r, void *in); /* called once all fields were read and are valid */
	const char *(*unit)(const void *in); /* the suffix of the keys that have `units`, in this struct and those inside it */
	const struct ts_shape_own *own;
};

/* Writes the struct as one JSON value. */
enum ts_status ts_shape_json(const struct ts_shape *shape, const void *in, struct ts_json *json, struct ts_arena *arena,
			     struct ts_error *err);

/* Writes the definitions that a schema of n shapes needs, as members of the object that is open in json: those of the shapes,
 * of all shapes inside them, and of the numbers that every schema has (real, integer, count, time, id). Each is written
 * once. */
void ts_shape_schema(const struct ts_shape *const *shapes, size_t n, struct ts_json *json);

#endif
