/* record.h - parses one record of steps.jsonl, or of a file beside it, into a step and cells.
 *
 *	ts_record_init(&p, TS_RECORD_STEP, err)
 *	ts_record_parse(&p, text, &outcome, err)	parses the value at the start of text
 *	if (!outcome.rejected) ... p.step, p.cells[0..p.n)
 *	ts_record_finish(&p)
 *
 * docs/run-directory.md says which key becomes which column. Nested objects are flattened; a cell with type 0 was
 * replaced by a later key of the same name. Two parsers give the same cells: the general one here, and ts_record_fast, which
 * expects the same text between numbers as in an earlier record (fast.c); a property test compares the two.
 * Spans of cells point into text, or live until the next parse. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_RUNDIR_RECORD_H
#define TSCOPE_INGEST_RUNDIR_RECORD_H

#include "base/json_reader.h"
#include "ingest/facts/keys.h"
#include "ingest/rundir/line.h"

/* The most distinct keys of one file; values under further keys are left out and counted. */
enum { TS_KEYS_MAX = 65536 };

struct ts_cell {
	uint32_t key;
	uint32_t type; /* enum ts_column_type; 0 = replaced */
	union {
		double real;
		uint64_t word;
		struct ts_span text;
	};
};

/* What a record must have. Only in the form STEP the step is the key of the row, and not a cell. */
enum ts_record_form {
	TS_RECORD_STEP,	  /* a step; else the notice is no_step or bad_step */
	TS_RECORD_EVENT,  /* an event of a pipeline: the numbers stage, start, end; else bad_event */
	TS_RECORD_DIGEST, /* an operation: step, name, out; in and occurrence are valid or missing; else bad_digest */
	TS_RECORD_TIMED,  /* what happened at a time: the number time and the text name; else bad_event */
	/* A tensor: step, name, kind, and count, squares, sums or same; the rest is valid or missing; else bad_sketch. */
	TS_RECORD_SKETCH,
};

/* A column whose type the form prescribes. */
struct ts_known_column {
	uint32_t key;
	enum ts_column_type type;
};

enum { TS_KNOWN_COLUMNS = 12 };

/* Kinds of oddities in a record, each with its notice; they are reported only if the record is taken. */
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
	const char *rejected; /* the notice's code; NULL: the record is good */
	size_t used;	      /* how many bytes of text were consumed */
	bool malformed;	      /* not JSON: what comes after `used` may be a record of its own */
	bool ends_early;      /* malformed because the text ends */
	char detail[200];
	uint32_t odd[TS_ODDITIES];
	uint32_t odd_key[TS_ODDITIES]; /* the key of the first case; its parent if the key itself has no number */
};

/* Where a number stood in the text. fast.c expects the text between the numbers to be the same next time. */
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
	/* The members below are private to the parser. */
	uint64_t serial;
	struct ts_buf text; /* texts of cells that differ from their form in the input, such as unescaped ones */
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
	bool plain;	     /* so far the record has only numbers and no oddity */
	struct ts_shape *shapes;
	size_t n_shapes;
};

enum ts_status ts_record_init(struct ts_record *p, enum ts_record_form form, struct ts_error *err);
void ts_record_finish(struct ts_record *p);

/* Fails with TS_NO_MEMORY only; *ret_outcome says what is wrong with the text. */
enum ts_status ts_record_parse(struct ts_record *p, struct ts_span text, struct ts_outcome *ret_outcome,
			       struct ts_error *err);

/* Tries the shapes of earlier records on the record at the start of text, which must end with a newline inside text. Returns the
 * number of bytes used, with the newline; 0 if no shape fits, and then the record has to be parsed by ts_record_parse. */
size_t ts_record_fast(struct ts_record *p, struct ts_span text);
/* Remembers the shape of a record that ts_record_parse has just taken from text, if the record is plain. */
void ts_record_learn(struct ts_record *p, struct ts_span text, size_t used);
void ts_shapes_finish(struct ts_record *p);
/* Gives the line of a plain record at the start of text, whose numbers have these n keys in this order; false if there is no such
 * shape. *ret_line is set only if there is. */
bool ts_record_line(const struct ts_record *p, struct ts_span text, const uint32_t *keys, size_t n, struct ts_line *ret_line);

/* Appends a cell for the caller to fill. */
struct ts_cell *ts_record_cell(struct ts_record *p);

#endif
