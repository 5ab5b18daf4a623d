/* pickle.h - an interpreter of the opcodes of pickle that plain data needs. It calls, imports and executes nothing: every other
 * opcode is an error that names it and its byte.
 *
 *	struct ts_pickle p;
 *	ts_pickle_init(&p, in, path, err)
 *	ts_pickle_run(&p, &top, err)		the value before STOP
 *	... p.objects, p.names and the rows that snapshot_rows.h made of it
 *	ts_pickle_finish(&p)			also after a failure of either
 *
 * Reads forward, once. A value is a number, a text, a frame or an object (list, dict, tuple). As soon as a dict or a tuple is filled,
 * snapshot_rows.h looks whether it is a row of a table (an event, a block, a frame, ...). If so, only the row's number remains of it;
 * of a list of rows that follow one another remain first and count, and of a list of frames the number of a stack. So memory is a few
 * bytes for each row and each distinct text, frame and stack, and one memo entry for each value that the pickle numbers.
 *
 * What is once a row cannot be changed: a pickle that goes on filling it is an error. Nothing recurses, however deep the values are
 * nested. Errors name path and byte: TS_INVALID, TS_DAMAGED where it ends too early, TS_TOO_LARGE (ration.h), TS_NO_MEMORY.
 * Threads: one at a time. Source: Lib/pickle.py and Lib/pickletools.py of CPython 3.13.
 */
#ifndef TSCOPE_INGEST_SNAPSHOT_PICKLE_H
#define TSCOPE_INGEST_SNAPSHOT_PICKLE_H

#include "ingest/core/inflow.h"
#include "ingest/snapshot/intern.h"

enum {
	TS_PICKLE_TEXT_MAX = 1 << 20,  /* the longest text that is kept: names of C++ templates have thousands of bytes */
	TS_PICKLE_STACK_MAX = 1 << 20, /* values that wait for their list or dict: Python writes batches of 1,000 */
};

enum ts_pickle_kind {
	TS_VALUE_UNSET = 0, /* of the memo: no value has this number */
	TS_VALUE_NONE,
	TS_VALUE_FALSE,
	TS_VALUE_TRUE,
	TS_VALUE_INT,
	TS_VALUE_UINT, /* above INT64_MAX */
	TS_VALUE_FLOAT,
	TS_VALUE_OTHER, /* an integer of more than 64 bits, or a text of more than TS_PICKLE_TEXT_MAX bytes: nothing of it is kept */
	TS_VALUE_TEXT,
	TS_VALUE_BYTES, /* as text, whatever it holds */
	TS_VALUE_FRAME,
	TS_VALUE_ROW, /* in lists: a row of table `row` */
	TS_VALUE_OBJECT,
};

struct ts_pickle_value {
	uint8_t kind; /* enum ts_pickle_kind */
	uint8_t row;  /* enum ts_row_kind */
	union {
		int64_t i;
		uint64_t u;
		double f;
		uint32_t id; /* text, frame, row or object */
	};
};

enum ts_pickle_shape {
	TS_SHAPE_LIST_EMPTY,
	TS_SHAPE_LIST,	/* items */
	TS_SHAPE_STACK, /* a list of frames: `first` is its stack */
	TS_SHAPE_ROWS,	/* a list of rows from `first` on, n of them */
	TS_SHAPE_TUPLE,
	TS_SHAPE_DICT_EMPTY,
	TS_SHAPE_DICT,	/* items: key, value, key, value */
	TS_SHAPE_ROW,	/* a dict that is row `first` */
	TS_SHAPE_FRAME, /* a dict that is frame `first` */
};

struct ts_pickle_object {
	struct ts_pickle_value *items;
	uint32_t n, cap; /* of items; TS_SHAPE_ROWS: n rows */
	uint32_t first;
	uint8_t shape; /* enum ts_pickle_shape */
	uint8_t row;   /* enum ts_row_kind */
	bool taken;    /* a row holds it: it cannot change any more */
};

struct ts_rows;

struct ts_pickle {
	struct ts_span path; /* in errors */
	struct ts_inflow *in;
	uint8_t *window;
	const uint8_t *at, *end; /* what of the window is not read yet */
	uint64_t window_at;	 /* of the pickle: where the window begins */
	uint64_t op_at;		 /* the opcode that is executed */
	struct ts_ration ration;
	struct ts_intern intern;
	struct ts_vector stack;	  /* struct ts_pickle_value */
	struct ts_vector marks;	  /* size_t, into the stack */
	struct ts_vector memo;	  /* uint64_t: kind << 56 | id */
	size_t memo_used;	  /* entries that are set */
	struct ts_vector objects; /* struct ts_pickle_object */
	struct ts_vector scratch; /* uint32_t */
	struct ts_rows *rows;
	struct ts_error *err;
	uint64_t frame_end; /* the last byte that a FRAME promises, and 1 */
	bool stopped;
};

/* The inflow must outlive it. Text number i is rows' known key i (snapshot_rows.h). */
enum ts_status ts_pickle_init(struct ts_pickle *p, struct ts_inflow *in, struct ts_span path, struct ts_error *err);
void ts_pickle_finish(struct ts_pickle *p);
enum ts_status ts_pickle_run(struct ts_pickle *p, struct ts_pickle_value *ret_top, struct ts_error *err);
/* After ts_pickle_run failed because the file ends too early: fills lists and the outermost dict with the values that are whole, as if
 * each that is open ended here. A dict within another value that is open is left out. False: there is no value. */
bool ts_pickle_settle(struct ts_pickle *p, struct ts_pickle_value *ret_top);
/* Bytes of the pickle that were read so far. */
uint64_t ts_pickle_offset(const struct ts_pickle *p);
/* Lets go of what only further opcodes would need. */
void ts_pickle_forget(struct ts_pickle *p);

/* pickle_list.c, for the rows: an error at the opcode that is executed; returns false. */
bool ts_pickle_fail(struct ts_pickle *p, enum ts_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The error of the ration, if it failed. */
bool ts_pickle_fail_memory(struct ts_pickle *p);

static inline struct ts_pickle_object *ts_pickle_object_of(const struct ts_pickle *p, uint32_t id)
{
	return (struct ts_pickle_object *)p->objects.data + id;
}

/* The i-th of a list, a tuple or a list of rows. */
struct ts_pickle_value ts_pickle_item(const struct ts_pickle_object *o, uint32_t i);
bool ts_pickle_are_frames(const struct ts_pickle_value *items, size_t n); /* all of them, and there is one */
/* The number of the stack of these frames. False: the error is set. */
bool ts_pickle_stack_put(struct ts_pickle *p, const struct ts_pickle_value *items, size_t n, uint32_t *ret_stack);
/* *ret_frames: the value is a list or tuple of frames, or None; then *ret_stack is its stack, TS_SNAPSHOT_NONE if it is empty, and the
 * list cannot change any more. False: the error is set. */
bool ts_pickle_stack_of(struct ts_pickle *p, struct ts_pickle_value value, bool *ret_frames, uint32_t *ret_stack);

#endif
