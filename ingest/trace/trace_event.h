/* trace_event.h - one event of a Chrome trace, taken apart in place: what the reader asks for, and the forms of the scanner.
 *
 * The bytes lie in a window that ends with TS_TRACE_PAD quotes behind `end`, which are no input: so each scan stops without looking at
 * its bounds, and whoever finds itself at or behind `end` has too few bytes. Texts point into the window.
 *
 * There are three forms of the same code (trace_scan.h): for AVX2, for SSE2 and for any machine. All give the same answers. The one to
 * use is chosen when the program runs. Threads: the functions keep nothing but what `place` has.
 */
#ifndef TSCOPE_INGEST_TRACE_TRACE_EVENT_H
#define TSCOPE_INGEST_TRACE_TRACE_EVENT_H

#include "run/trace.h"

enum {
	TS_TRACE_PAD = 128,
	TS_TRACE_DEPTH = 64, /* of nested values */
	TS_TRACE_KEYS = 256,
	TS_TRACE_FIRST_KEYS = 64,
};

struct ts_trace_text {
	const uint8_t *data; /* NULL: not there */
	uint32_t len;	     /* the window has fewer bytes: an event clears a dozen of these */
	bool escaped; /* it has a backslash */
	bool json;    /* it is a value: white space outside of its strings counts for nothing */
};

/* A number, or a text. */
struct ts_trace_name {
	int64_t number; /* TS_TRACE_NONE: not there, or a text */
	struct ts_trace_text text;
};

/* The tables of details of which an event has arguments. */
enum ts_trace_says {
	TS_TRACE_SAYS_OPERATOR = 1,
	TS_TRACE_SAYS_FRAME = 2,
	TS_TRACE_SAYS_KERNEL = 4,
	TS_TRACE_SAYS_COLLECTIVE = 8,
	TS_TRACE_SAYS_SYNC = 16,
};

struct ts_trace_event {
	uint8_t phase;	/* 0: not there */
	bool rounded;	/* a time had digits below the nanosecond */
	bool too_large; /* an integer had more than 64 bits, or a time more than 63 of nanoseconds; it counts as not there */
	struct ts_trace_text category, name;
	struct ts_trace_name pid, tid, id;
	int64_t time_ns, duration_ns;
	/* Of args: integers, texts, and one JSON. */
	int64_t correlation, external, bytes, stream, device, address, allocated, reserved, device_type, device_id;
	struct ts_trace_text arg_name, labels, collective, group, shapes;
	struct ts_trace_text args; /* all of them, with their braces */
	/* The columns of the tables of details, each of which is unset where `says` lacks its bit. */
	uint8_t says;
	struct ts_trace_says_operator {
		int64_t sequence, forward_thread;
		struct ts_trace_text stack, module, types, inputs;
	} operators;
	struct ts_trace_says_frame {
		int64_t id, parent, module;
	} frames;
	struct ts_trace_says_kernel {
		struct ts_trace_text grid, block;
		double occupancy, warps;
		int64_t registers, shared_bytes, graph, node;
		struct ts_trace_text name; /* of a call: the kernel */
	} kernels;
	struct ts_trace_says_collective {
		int64_t elements_in, elements_out, group_size, sequence, rank, source, destination;
		struct ts_trace_text type, ranks, about;
	} collectives;
	struct ts_trace_says_sync {
		int64_t on_stream, event, recorded_by;
		struct ts_trace_text what;
	} syncs;
};

/* A place in the window. On failure p is where, and `expected` what does not stand there. */
struct ts_trace_place {
	const uint8_t *p, *end;
	const char *expected;
	/* For speed alone, kept from event to event, at first 0: how long the key was that stood behind a key (by a hash of it), or
	 * first among the arguments of a category. */
	uint8_t key_lens[TS_TRACE_KEYS + TS_TRACE_FIRST_KEYS];
};

struct ts_trace_scanner {
	const char *name; /* "avx2", "sse2", "portable" */
	/* The first byte from p on that is no white space; at most `end`. */
	const uint8_t *(*blanks)(const uint8_t *p);
	/* Takes the object that begins at p apart; returns the byte behind it. NULL: see place. */
	const uint8_t *(*event)(struct ts_trace_place *place, const uint8_t *p, struct ts_trace_event *ret_event);
	/* Goes over any value. NULL: see place. */
	const uint8_t *(*value)(struct ts_trace_place *place, const uint8_t *p);
};

extern const struct ts_trace_scanner ts_trace_scanner_portable;
extern const struct ts_trace_scanner ts_trace_scanner_sse2;
extern const struct ts_trace_scanner ts_trace_scanner_avx2;

/* The n-th scanner that this machine can run, the fastest first; NULL when there are no more. */
const struct ts_trace_scanner *ts_trace_scanner_at(size_t n);

/* Writes what a text with escapes reads, and returns its length. 0: it is none of the names that the scanner looks for, because it is
 * longer than `cap`, or has bytes beyond ASCII, or other escapes than those of letters and slashes. */
size_t ts_trace_plain(const uint8_t *p, size_t len, uint8_t *to, size_t cap);

/* Reads an integer with a fraction of zeros, "7.0", as those write it who keep all numbers as doubles; of others *ret is left alone. */
void ts_trace_whole(struct ts_span text, int64_t *ret);

/* Reads a number of microseconds of any JSON form as nanoseconds, to the nearest, halves to the even one. Returns the byte behind it;
 * NULL: there is no number. *ret_ns is TS_TRACE_NONE if it is out of range. Reads up to the first byte that cannot belong to it. */
const uint8_t *ts_trace_micros(const uint8_t *p, int64_t *ret_ns, bool *ret_rounded);

/* Reads any value of a time: a number, one in quotes; of others *ret is left alone. over: goes over a value. */
const uint8_t *ts_trace_time_value(struct ts_trace_place *place, const uint8_t *p, int64_t *ret, struct ts_trace_event *e,
				   const uint8_t *(*over)(struct ts_trace_place *, const uint8_t *));

/* Reads any value as a double: a finite number, one in quotes; of others *ret is left alone. */
const uint8_t *ts_trace_double_value(struct ts_trace_place *place, const uint8_t *p, double *ret,
				     const uint8_t *(*over)(struct ts_trace_place *, const uint8_t *));

#endif
