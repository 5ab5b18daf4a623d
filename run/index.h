/* index.h - what a rank recorded: tables, their columns, the ids of their blocks; files; facts that only this rank stated.
 *
 * A table holds the columns that are present at exactly the same keys. Its rows are cut into blocks; every column of a table
 * is cut at the same rows, and the keys are blocks like the values. A long index is a chain of objects, each of which refers
 * to the next. ts_index_decode reads one object and appends it to the index.
 */
#ifndef TSCOPE_RUN_INDEX_H
#define TSCOPE_RUN_INDEX_H

#include "run/fact.h"
#include "run/kind.h"

enum ts_table_kind {
	TS_TABLE_STEPS = 1,	 /* key = step */
	TS_TABLE_SUPERSEDED = 2, /* rows of steps that a later segment recorded again; key = ordinal in (step, segment) order */
	TS_TABLE_PIPELINE = 3,	 /* events of a pipeline: stage, start, end, ...; key = ordinal */
	TS_TABLE_DIGESTS = 4,	 /* digests of tensors and operations: step, name, out, ...; key = ordinal in order of execution */
	TS_TABLE_EVENTS = 5,	 /* events and regions by time: time, name, value or text or duration; key = ordinal in order of time */
	TS_TABLE_SKETCHES = 6,	 /* sketches of tensors: step, name, kind, sums, ...; key = ordinal in order of execution */
	TS_TABLE_RANK_KINDS = TS_TABLE_SKETCHES, /* those above stand in the columns of a file alone; key = ordinal */
	TS_TABLE_SPANS = 7,			 /* 7 to 15: the tables of run/trace.h, in that order */
	TS_TABLE_FLOWS = 8,
	TS_TABLE_ALLOCATIONS = 9,
	TS_TABLE_COUNTERS = 10,
	TS_TABLE_OPERATORS = 11,
	TS_TABLE_FRAMES = 12,
	TS_TABLE_KERNELS = 13,
	TS_TABLE_COLLECTIVES = 14,
	TS_TABLE_SYNCS = 15,
	TS_TABLE_NAMES = 16, /* 16 to 21: what these refer to, and what a trace says of itself; run/trace_tables.h */
	TS_TABLE_THREADS = 17,
	TS_TABLE_DEVICES = 18,
	TS_TABLE_SAID = 19,
	TS_TABLE_NOTICES = 20,
	TS_TABLE_ABOUT = 21,
	TS_TABLE_SNAPSHOT_FRAMES = 22, /* 22 to 31: the tables of run/snapshot.h, in that order, with the names of 16 */
	TS_TABLE_SNAPSHOT_STACKS = 23,
	TS_TABLE_SNAPSHOT_STACK_FRAMES = 24,
	TS_TABLE_SNAPSHOT_SEGMENTS = 25,
	TS_TABLE_SNAPSHOT_BLOCKS = 26,
	TS_TABLE_SNAPSHOT_EVENTS = 27,
	TS_TABLE_SNAPSHOT_MARKS = 28,
	TS_TABLE_SNAPSHOT_SETTINGS = 29,
	TS_TABLE_SNAPSHOT_UNKNOWN = 30,
	TS_TABLE_SNAPSHOT_DEVICES = 31,
	TS_TABLE_SNAPSHOT_ABOUT = 32,
	TS_TABLE_KINDS = TS_TABLE_SNAPSHOT_ABOUT,
};

enum ts_column_type {
	TS_COLUMN_F64 = 1,
	TS_COLUMN_U64 = 2,
	TS_COLUMN_TEXT = 3,
	TS_COLUMN_JSON = 4, /* text that is raw JSON (arrays) */
};

enum ts_precision {
	TS_PRECISION_F64 = 0,
	TS_PRECISION_F32 = 1,
	TS_PRECISION_DECIMALS = 2, /* decimal numbers with .digits digits after the point */
};

/* One block of a table: rows [first_row, first_row + rows). */
struct ts_block {
	int64_t first_key;
	int64_t last_key;
	uint32_t rows;
	struct ts_id keys;
};

struct ts_column {
	struct ts_span
		name; /* "timestamp", "phases.forward", "scalars.loss", "memory.alloc", "extra.a.b": an escaped path */
	enum ts_column_type type;
	enum ts_precision precision;
	uint8_t digits;
	struct ts_id *blocks; /* one for each block of the table */
};

struct ts_table {
	enum ts_table_kind kind;
	uint8_t key_log2; /* blocks are cut at multiples of 2^key_log2 of the key */
	uint64_t rows;
	struct ts_block *blocks;
	size_t n_blocks;
	struct ts_column *columns; /* sorted by name bytes, then type */
	size_t n_columns;
};

struct ts_file {
	struct ts_span name; /* "trace.json.gz": one path component */
	uint64_t size;
	struct ts_id *chunks;
	size_t n_chunks;
	bool has_columns;
	struct ts_id columns; /* an index of its own, of rank -1: what the file says, as tables (run/trace_columns.h) */
};

/* How far the objects of a chain have been decoded. The caller zeroes it with the index; then only ts_index_decode uses it. */
struct ts_index_chain {
	uint32_t objects; /* objects decoded so far */
	uint8_t last; /* type of the record with which the last object ended */
	size_t ids; /* number of ids of the last column or file so far */
	size_t spare; /* bytes that were left in the last object */
};

struct ts_index {
	int32_t rank;
	struct ts_facts facts; /* facts that the head lacks or has with another value; sorted */
	struct ts_table *tables; /* sorted by kind, then first column's name and type */
	size_t n_tables;
	struct ts_file *files; /* sorted by name */
	size_t n_files;
	struct ts_index_chain chain;
};

/* A function that takes one object and its id, which the maker of the object has computed. */
typedef enum ts_status ts_object_sink(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err);

/* A function that returns the object with that id, in the arena. */
typedef enum ts_status ts_object_source(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret_object,
					struct ts_error *err);

/* Gives the objects of the chain to sink, the last one first, so that the id of its successor is known for each. *ret_id is
 * the id of the first object of the chain. The contents of scratch are overwritten. */
enum ts_status ts_index_encode(const struct ts_index *index, ts_object_sink *sink, void *ctx, struct ts_buf *scratch,
			       struct ts_id *ret_id, struct ts_error *err);

/* Decodes one object of a chain and appends its tables, columns, files and facts to *index, which the caller zeroes before
 * the first object. If *ret_more, *ret_next is the id of the next object. Spans point into object; arrays lie in the arena.
 * TS_DAMAGED if the object is not canonical. */
enum ts_status ts_index_decode(struct ts_span object, struct ts_arena *arena, struct ts_index *index, bool *ret_more,
			       struct ts_id *ret_next, struct ts_error *err);

/* Comparisons for the orders in an index: columns by name, then type; tables by kind, then first column (a table without
 * columns comes first). */
int ts_column_cmp(const struct ts_column *a, const struct ts_column *b);
int ts_table_cmp(const struct ts_table *a, const struct ts_table *b);
/* Blocks follow one another and have the rows of the table together; columns are sorted, each once, and of a type that there is. */
bool ts_table_holds(const struct ts_table *table);
/* Its tables do and are sorted, its files are sorted, each once, and so are its facts. */
bool ts_index_holds(const struct ts_index *index);

/* True if the name is one path component: 1 to 255 bytes without '/' and NUL, and neither "." nor "..". */
bool ts_file_name_valid(struct ts_span name);

/* The first column of this name in a table of this kind, or NULL; type 0 stands for any type. *ret_table, unless NULL, is its
 * table. */
const struct ts_column *ts_index_column(const struct ts_index *index, enum ts_table_kind kind, struct ts_span name,
					enum ts_column_type type, const struct ts_table **ret_table);
/* The first block of the table whose last key is not below the key; n_blocks if there is none. */
size_t ts_table_block_of(const struct ts_table *table, int64_t key);
/* Rows that are no steps of the run, because a restart executed their step again; as many as the longest such table has. */
uint64_t ts_index_superseded(const struct ts_index *index);

const char *ts_table_word(enum ts_table_kind kind);	   /* "steps", "superseded", "pipeline", ..., "trace spans" */
const char *ts_column_type_word(enum ts_column_type type); /* "f64", "u64", "text", "json" */

/* floor(key / 2^key_log2), rounded down for negative keys too. */
static inline int64_t ts_key_cell(int64_t key, uint8_t key_log2)
{
	return key < 0 ? ~(int64_t)((uint64_t)~key >> key_log2) : (int64_t)((uint64_t)key >> key_log2);
}

#endif
