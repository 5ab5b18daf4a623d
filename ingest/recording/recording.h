/* recording.h - reads a recording.tscope (docs/recording.md), or those of several attempts: what a rank recorded, also while it still
 * records.
 *
 *	ts_recording_open(&source, notices, &rec, err)		reads it once: what is in it, what is damaged, how far it goes
 *	ts_recording_facts(rec, arena, &facts, err)
 *	ts_recording_read(&rec, 1, &into, &builder, &segments, err)	the rows of steps, events and digests
 *	ts_recording_close(rec)
 *
 * Where the recorder writes while this reads, every frame that was recorded before a moment is read and none after it, so that what
 * is read is a part of what will be read later, and a push extends the one before. Rows whose steps increase and that nothing is added
 * to go straight to the builder; otherwise they are sorted by step in bounded memory (rows/spill.h).
 *
 * Errors name the file: TS_INVALID (a recording of another version), TS_TOO_LARGE, TS_IO, TS_NO_MEMORY. The source must outlive the
 * recording. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_RECORDING_RECORDING_H
#define TSCOPE_INGEST_RECORDING_RECORDING_H

#include "ingest/core/notice.h"
#include "ingest/core/sink_count.h"
#include "ingest/core/source.h"
#include "run/builder.h"

struct ts_recording;

struct ts_recording_into {
	int32_t rank;
	const struct ts_facts *facts; /* the effective facts, for columns.<name>.precision; may be NULL */
	struct ts_notices *notices;
	struct ts_sink_count *sink;
	size_t memory; /* bytes for sorting; 0: 64 MiB; tests use less */
};

enum ts_status ts_recording_open(const struct ts_source *source, struct ts_notices *notices, struct ts_recording **ret_recording,
				 struct ts_error *err);
void ts_recording_close(struct ts_recording *r); /* NULL is allowed */

/* The clock of each phase, columns.<name>.clock, and of a recording that is not closed session.end (run/ending.h), as facts of
 * facts.json, sorted. */
enum ts_status ts_recording_facts(const struct ts_recording *r, struct ts_arena *arena, struct ts_facts *ret_facts,
				  struct ts_error *err);
/* The rank that the file says; -1: its header is damaged. */
int32_t ts_recording_rank(const struct ts_recording *r);
/* Whether the recorder closed it. */
bool ts_recording_ended(const struct ts_recording *r);

/* What is known of an attempt as a whole. Times are Unix seconds. */
struct ts_recording_extent {
	bool timed;	     /* the header is sound: the times are known */
	double began, ended; /* ended: by its END frame, or the newest frame of one that is not closed */
	bool running;
	uint64_t steps;
	int64_t first_step, last_step; /* by time, if there are steps */
};
void ts_recording_extent(const struct ts_recording *r, struct ts_recording_extent *ret_extent);

/* Reads the recordings of the n > 0 attempts of a rank, in their order: each that has steps begins a segment, and the rows of those
 * steps that a later one executed again are superseded. *ret_builder has the rows; the caller owns it. *ret_segments as ts_steps_read
 * gives it. Once for each recording. */
enum ts_status ts_recording_read(struct ts_recording *const *attempts, size_t n, const struct ts_recording_into *into,
				 struct ts_builder **ret_builder, uint64_t *ret_segments, struct ts_error *err);

#endif
