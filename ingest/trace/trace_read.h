/* trace_read.h - reads a trace of the PyTorch profiler (Kineto's Chrome JSON), plain or in gzip, to columns, through one window.
 *
 *	struct ts_trace trace; struct ts_trace_file file;
 *	ts_trace_load(&source, &reading, &trace, &file, err)
 *	... trace.rows, trace.names, trace.about: docs/trace.md ...
 *	ts_trace_finish(&trace); ts_trace_file_finish(&file);
 *
 * ts_trace_read holds a few thousand rows at once and gives them on; what grows with the file beside them are its distinct names and
 * its threads, which have limits. Metadata may stand before the events or behind them; the list of events may stand alone, and may
 * lack its end. A file that ends too early gives the events before its end, and the notice `trace_cut`. An event that is no JSON costs
 * itself (trace_damage.h), if any event is whole; other JSON that is none is TS_INVALID, gzip that is damaged TS_DAMAGED; errors name
 * the byte, of the JSON where it is packed. What was left out or mended is counted in notices (docs/trace.md). Threads: one at a time;
 * a helper reads ahead where the machine has a core for it.
 */
#ifndef TSCOPE_INGEST_TRACE_TRACE_READ_H
#define TSCOPE_INGEST_TRACE_TRACE_READ_H

#include "ingest/core/notice.h"
#include "ingest/core/source.h"
#include "ingest/trace/trace_words.h"

typedef enum ts_status ts_trace_take(void *ctx, const struct ts_trace_rows *rows, struct ts_error *err);

struct ts_trace_reading {
	const struct ts_trace_scanner *scanner; /* NULL: the fastest that this machine has */
	size_t window;				/* bytes; 0: as many as are good for speed */
	uint64_t columns_most;			/* of ts_trace_load: bytes that columns may take; 0: as many as run/trace.h allows */
	ts_trace_take *take;			/* called with a few thousand rows at a time; ts_trace_load sets it */
	void *ctx;
	struct ts_notices *notices;
};

/* What lives as long as the columns are looked at: names, threads, metadata. */
struct ts_trace_file {
	struct ts_trace_words words;
	struct ts_arena arena; /* of about */
	struct ts_trace_about about;
	uint64_t events; /* in the list, whatever became of them */
	uint64_t bytes;	 /* of JSON */
	bool cut;
	bool bare;	     /* the list of events stands alone */
	bool list_any;	     /* the first list has entries */
	uint64_t list_begin; /* places in the JSON: behind the '[' of the first list, */
	uint64_t list_end;   /* and behind the last whole entry of the last */
};

/* A taker of rows that keeps them all; most: bytes that columns may take, 0: any. */
struct ts_trace_gathering {
	struct ts_trace trace;
	uint64_t most;
};
enum ts_status ts_trace_gather(void *gathering, const struct ts_trace_rows *rows, struct ts_error *err);

/* On failure nothing is to be freed. */
enum ts_status ts_trace_read(const struct ts_source *source, const struct ts_trace_reading *reading, struct ts_trace_file *ret_file,
			     struct ts_error *err);
enum ts_status ts_trace_load(const struct ts_source *source, const struct ts_trace_reading *reading, struct ts_trace *ret_trace,
			     struct ts_trace_file *ret_file, struct ts_error *err);
/* What was read beside the rows, as members of a trace, which are valid as long as the file is. */
void ts_trace_file_columns(const struct ts_trace_file *file, struct ts_trace *ret_trace);
/* What reading found, with what was noted, in the arena. */
enum ts_status ts_trace_file_record(const struct ts_trace_file *file, const struct ts_notices *notices, struct ts_arena *arena,
				    struct ts_trace_record *ret_record, struct ts_error *err);
void ts_trace_file_finish(struct ts_trace_file *file);

#endif
