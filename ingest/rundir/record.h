/* record.h - one record of steps.jsonl, or of a file beside it: from its text to a step and cells.
 *
 *	ts_record_init(&p, TS_RECORD_STEP, err)
 *	ts_record_parse(&p, text, &outcome, err)	the value at the start of text, whatever it is
 *	if (!outcome.rejected) ... p.step, p.cells[0..p.n)
 *	ts_record_finish(&p)
 *
 * Which key becomes which column is written in docs/run-directory.md. Nested objects flatten; a cell with type 0 was
 * replaced by a later key of the same name. Two paths give the same cells: the general one here, and ts_record_fast, which
 * expects the text between two numbers to be what it was in a record before (fast.c); a property test holds them together.
 * Spans of cells point into text, or live until the next parse. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_RUNDIR_RECORD_H
#define TSCOPE_INGEST_RUNDIR_RECORD_H

#include "base/json_reader.h"
#include "ingest/facts/keys.h"

/* Distinct keys of one file that are told apart; values under further ones are left out and counted. */
enum { TS_KEYS_MAX = 65536 };

struct ts_cell {
	uint32_t key;
	uint32_t type; /* enum ts_column_type; 0 = replaced */
	union {
		double real;
		uint64_t word;
	};
	struct ts_span text;
};

/* What a record must have. Only in the form STEP is its step no cell. */
enum ts_record_form {
	TS_RECORD_STEP,	  /* a step; else no_step, bad_step */
	TS_RECORD_EVENT,  /* of a pipeline: the numbers stage, start, end; else bad_event */
	TS_RECORD_DIGEST, /* of an operation: step, name, out; in and occurrence are right or missing; else bad_digest */
};

/* A column that the form knows. */
struct ts_known_column {
	uint32_t key;
	enum ts_column_type type;
};

enum { TS_KNOWN_COLUMNS = 5 };

/* Things that are odd in one record; they matter once the record is taken. */
enum ts_oddity {
	TS_ODD_NULL,	     /* null_value */
	TS_ODD_DUPLICATE,    /* duplicate_key */
	TS_ODD_NEGATIVE,     /* negative_phase */
	TS_ODD_BIG_INTEGER,  /* big_integer */
	TS_ODD_NULL_SECTION, /* null_section */
	TS_ODD_SECTION,	     /* bad_section */
	TS_ODD_EMPTY_KEY,    /* empty_key */
	TS_ODD_LONG_KEY,     /* long_key */
	TS_ODD_MANY_KEYS,    /* too_many_columns */
	TS_ODDITIES,
};

struct ts_outcome {
	const char *rejected; /* the notice's code, or NULL: the record is good */
	size_t used;	      /* bytes of text that are dealt with */
	bool malformed;	      /* not JSON: what comes after `used` may be a record of its own */
	bool ends_early;      /* malformed because the text ends */
	char detail[200];
	uint32_t odd[TS_ODDITIES];
	uint32_t odd_key[TS_ODDITIES]; /* of the first; its parent where the key itself has no number */
};

/* Where a number stood in the text: what lies between is what fast.c expects next time. */
struct ts_spot {
	uint32_t at, len;
	uint32_t key; /* TS_KEY_ROOT: the step itself */
};

struct ts_shape;

struct ts_record {
	int64_t step;
	struct ts_cell *cells;
	size_t n, cap;
	struct ts_keys keys;
	/* The rest is the parser's own. */
	uint64_t serial;
	struct ts_buf text; /* of cells that do not lie in the input as they are */
	struct ts_buf scratch;
	struct ts_json_reader reader;
	uint32_t key_step, key_phases, key_scalars, key_memory, key_digests;
	bool has_step;
	enum ts_record_form form;
	struct ts_known_column known[TS_KNOWN_COLUMNS];
	size_t n_known;
	const char *rejected;
	struct ts_outcome *out;
	struct ts_buf spots; /* struct ts_spot each */
	bool plain;	     /* only numbers so far, nothing odd */
	struct ts_shape *shapes;
	size_t n_shapes;
};

enum ts_status ts_record_init(struct ts_record *p, enum ts_record_form form, struct ts_error *err);
void ts_record_finish(struct ts_record *p);

/* Errors are TS_NO_MEMORY only; whatever is wrong with the text is in *ret_outcome. */
enum ts_status ts_record_parse(struct ts_record *p, struct ts_span text, struct ts_outcome *ret_outcome,
			       struct ts_error *err);

/* Tries the shapes seen before on the record at the start of text; it must end with a newline inside text. Returns the
 * bytes used including the newline, 0 if it is anything but plain: then nothing is known about it. */
size_t ts_record_fast(struct ts_record *p, struct ts_span text);
/* After ts_record_parse took a record from text: remembers its shape, if it is a plain one. */
void ts_record_learn(struct ts_record *p, struct ts_span text, size_t used);
void ts_shapes_finish(struct ts_record *p);

/* Room for one more cell. */
struct ts_cell *ts_record_cell(struct ts_record *p);

#endif
