/* line.h - reads lines of one known shape: the text between their numbers is compared, and only the numbers are parsed.
 *
 *	ts_record_line(&record, text, keys, n, &line)		the line at the start of text; the keys are those of its numbers
 *	n = ts_line_take(&line, kept, text, &step, to, stride)	0: the text does not begin with such a line
 *
 * A line is taken only if the general parser would take it, with the same cells and without a notice (fast.c says why). A ts_line
 * points into the shapes of the record, and is valid until the record learns or is finished. Threads: lines may be shared; whoever
 * takes lines has kept numbers of his own.
 */
#ifndef TSCOPE_INGEST_RUNDIR_LINE_H
#define TSCOPE_INGEST_RUNDIR_LINE_H

#include "base/span.h"

#include <stdbool.h>

/* Lines with more numbers are not read this way. */
enum { TS_LINE_NUMBERS = 64 };

/* Numbers of up to this many bytes are remembered with the byte behind them: many columns repeat their value line after line. */
enum { TS_LINE_KEPT = 23 };

struct ts_kept {
	uint8_t text[TS_LINE_KEPT + 1]; /* of a number in an earlier line, and one byte more */
	uint32_t len;			/* without that byte; 0 = none */
	uint32_t others;		/* numbers since its last use */
	double value;
};

enum ts_follows { TS_FOLLOWS_NUMBER, TS_FOLLOWS_STEP, TS_FOLLOWS_END };

struct ts_line_part {
	const uint8_t *literal;
	uint32_t len; /* at least 1 */
	enum ts_follows follows;
	bool phase; /* a negative value gives a notice, so it is the general parser's */
};

struct ts_line {
	struct ts_line_part parts[TS_LINE_NUMBERS + 2]; /* one for each number, for the step and for the end */
	size_t n, numbers;
	size_t least; /* no such line has fewer bytes */
};

/* Reads one line, with its end. The i-th number goes to to[i * stride]. Returns the number of bytes. */
size_t ts_line_take(const struct ts_line *line, struct ts_kept *kept, struct ts_span text, int64_t *ret_step, double *to,
		    size_t stride);

/* The parts of which it is made; each returns the number of bytes, or 0 if something else stands at `at`. */
size_t ts_line_number(struct ts_kept *kept, bool phase, const uint8_t *at, const uint8_t *end, double *ret);
size_t ts_line_step(const uint8_t *at, const uint8_t *end, int64_t *ret);
size_t ts_line_end(const uint8_t *at, const uint8_t *end);

#endif
