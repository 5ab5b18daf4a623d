/* trace_fill.h - makes rows of events: which table, which kind, and what of an event is not kept. Threads: one at a time. */
#ifndef TSCOPE_INGEST_TRACE_TRACE_FILL_H
#define TSCOPE_INGEST_TRACE_TRACE_FILL_H

#include "ingest/trace/trace_lanes.h"
#include "ingest/trace/trace_places.h"
#include "ingest/trace/trace_read.h"

enum { TS_TRACE_BATCH = 4096, TS_TRACE_MARKS_MAX = 4 << 20 };

/* A duration event's begin or end, which is held until all are there: they need not be in order. */
struct ts_trace_mark {
	int64_t time_ns;
	uint32_t thread;
	uint32_t row; /* of begun; UINT32_MAX: an end */
	uint32_t name;
	uint32_t order;
};

struct ts_trace_fill {
	struct ts_trace_words *words;
	struct ts_trace_places places;
	struct ts_trace_lanes lanes;
	struct ts_trace_rows rows;
	ts_trace_take *take;
	void *ctx;
	struct ts_notices *notices;
	struct ts_span file; /* in notices */
	const char *unit;    /* of places in notices; NULL: "byte" */
	struct ts_trace begun;
	struct ts_trace_rows one;
	struct ts_trace_mark *marks;
	size_t n_marks, cap_marks;
	bool processes_apart; /* calls of two processes have no number in common */
	uint32_t caller;      /* a thread with calls, plus 1; 0: none yet */
};

enum ts_status ts_trace_fill_begin(struct ts_trace_fill *fill, struct ts_error *err);
/* Takes an event that began at byte `at` of the JSON; mends it in place. */
enum ts_status ts_trace_fill_event(struct ts_trace_fill *fill, struct ts_trace_event *e, uint64_t at, struct ts_error *err);
/* Pairs what began with what ended, and gives the last rows on. */
enum ts_status ts_trace_fill_end(struct ts_trace_fill *fill, struct ts_error *err);
void ts_trace_fill_finish(struct ts_trace_fill *fill);
/* trace_note.c: a notice with the byte. */
void ts_trace_note(struct ts_trace_fill *fill, const char *code, enum ts_notice_level level, uint64_t at, const char *what);

/* The number of a device or stream for a column of 32 bits; one that did not fit is said. */
int32_t ts_trace_place_without_room(struct ts_trace_fill *fill, int64_t said, uint64_t at) __attribute__((cold));
static inline int32_t ts_trace_place_put(struct ts_trace_fill *fill, int64_t said, uint64_t at)
{
	if (said >= 0 && said <= INT32_MAX)
		return (int32_t)said;
	return said == TS_TRACE_NONE ? TS_TRACE_NO_DEVICE : ts_trace_place_without_room(fill, said, at);
}

/* trace_details.c: what an event that became the span says for tables of details, to rows that have room; and the same from row `from`
 * of `begun`. */
enum ts_status ts_trace_details_put(struct ts_trace_fill *fill, struct ts_trace_rows *rows, uint32_t span,
				    const struct ts_trace_event *e, uint64_t at, struct ts_error *err);
void ts_trace_details_copy(struct ts_trace_rows *rows, uint32_t span, const struct ts_trace_rows *begun, uint32_t from);
/* A text that the span can do without; where there is no room for it, a notice says so. */
enum ts_status ts_trace_text_put(struct ts_trace_fill *fill, struct ts_trace_text text, uint64_t at, uint32_t *ret,
				 struct ts_error *err);

/* trace_pairs.c */
enum ts_status ts_trace_mark_add(struct ts_trace_fill *fill, const struct ts_trace_mark *mark, struct ts_error *err);
#define TS_TRACE_UNENDED INT64_MIN
/* Gives each row of `begun` its duration, or TS_TRACE_UNENDED. */
void ts_trace_pair(struct ts_trace_fill *fill);

#endif
