/* stretch.h - reads a stretch of lines of one shape, whose steps increase, as columns: in pieces, which a helper parses beside the
 * caller.
 *
 *	ts_stretch_begin(&s, &source, &line, offset, step, 0)	false: out of memory; read records one by one instead
 *	ts_stretch_help(&s, helper)
 *	while (ts_stretch_next(&s, &rows)) ... rows.steps, rows.values
 *	ts_stretch_end(&s)					waits for the helper
 *
 * A piece is so many bytes of the file, and the lines that begin in them. Whoever is free parses the next piece; pieces are given to
 * the caller in their order. The stretch ends before the first line that is not of the shape, does not end in the file, or whose
 * step is not above the step before, and where the file cannot be read: what comes there, and its errors and notices, is for whoever
 * reads one by one. So the rows are the same with and without a helper.
 * Threads: the functions belong to one thread.
 */
#ifndef TSCOPE_INGEST_RUNDIR_STRETCH_H
#define TSCOPE_INGEST_RUNDIR_STRETCH_H

#include "base/helper.h"
#include "ingest/rundir/line.h"
#include "ingest/rundir/range.h"

#include <pthread.h>

/* Pieces that are being parsed or wait for the caller: while he writes the blocks of a table, the helper parses some ten. */
enum { TS_STRETCH_PIECES = 16 };

/* Rows that follow each other; they stay until the next call. values[i * stride + row] is the i-th number of a line. */
struct ts_stretch_rows {
	const int64_t *steps;
	const double *values;
	size_t n, stride;
	uint64_t end; /* where the lines end in the file */
};

struct ts_stretch_piece {
	uint8_t *text;
	int64_t *steps;
	double *values;
	size_t n;
	uint64_t end;
	bool read;  /* the file could be read */
	bool whole; /* every line that begins in the piece was taken */
	bool done;
	struct ts_kept kept[TS_LINE_NUMBERS];
};

struct ts_stretch {
	const struct ts_source *source;
	const struct ts_line *line;
	struct ts_helper *helper;
	uint64_t from, count;	/* where the stretch begins in the file, and how many pieces there are from there on */
	size_t piece, rows;	/* bytes of a piece, and the most lines that begin in it */
	struct ts_stretch_piece pieces[TS_STRETCH_PIECES];
	bool given, over;
	int64_t last; /* the step of the row before the next one */
	/* What follows is guarded by the lock. Piece number k is in pieces[k % TS_STRETCH_PIECES]. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t next, now; /* the first piece that nobody parses yet, and the next one to be given */
	bool stop;	    /* a piece before `next` ends the stretch */
};

/* Begins at a line of the file, after a row with this step; source and line must outlive the stretch. piece: bytes, 0 = 256 KiB. */
bool ts_stretch_begin(struct ts_stretch *s, const struct ts_source *source, const struct ts_line *line, uint64_t from,
		      int64_t last, size_t piece);
/* helper may be NULL, and does nothing else until the end. */
void ts_stretch_help(struct ts_stretch *s, struct ts_helper *helper);
/* Gives the rows of the next piece, which may be none; false after the piece in which the stretch ended. */
bool ts_stretch_next(struct ts_stretch *s, struct ts_stretch_rows *ret_rows);
void ts_stretch_end(struct ts_stretch *s);

#endif
