/* recording_state.h - the struct behind a recording, shared by recording.c, recording_walk.c, rows_of_steps.c and rows_of_events.c
 * only. */
#ifndef TSCOPE_INGEST_RECORDING_RECORDING_STATE_H
#define TSCOPE_INGEST_RECORDING_RECORDING_STATE_H

#include "ingest/recording/columns.h"
#include "ingest/recording/recording.h"
#include "ingest/rows/run_columns.h"

#include <inttypes.h>

/* The kinds of frames that make rows. */
enum {
	TS_OF_STEPS = 1u << TS_FRAME_STEP,
	TS_OF_ADDED = 1u << TS_FRAME_LATE | 1u << TS_FRAME_REGION, /* what is added to the row of a step */
	TS_OF_EVENTS = 1u << TS_FRAME_EVENT | 1u << TS_FRAME_REGION,
	TS_OF_DIGESTS = 1u << TS_FRAME_DIGEST,
	TS_OF_FIRST = 1u << TS_FRAME_FIRST,
};

/* What the frames of one table are like in the order of a walk. */
struct ts_recorded {
	uint64_t n;
	int64_t last; /* time */
	bool mixed;   /* times go back, as lanes follow each other */
};

struct ts_recording {
	const struct ts_source *source;
	bool has_header;
	int32_t rank;
	int64_t unix_ns, mono_ns; /* the wall clock at that time of the recorder's clock */
	struct ts_chunks chunks;
	struct ts_declared columns;
	uint64_t frames;
	int64_t newest; /* time of all frames */
	int64_t first_time, first_step, last_time; /* of the steps, if there are any; the step at last_time is the newest one */
	int64_t newest_step;
	int64_t cut;	/* frames that were recorded later are left for the next reading */
	bool running;
	struct ts_recorded steps, events, digests;
	uint64_t added; /* frames of which something is added to a row */
	uint64_t waiting; /* values that waited for the first step */
	int64_t waiting_step, least_step; /* the number of the first of them; the least of the steps */
	bool scattered; /* they come in several lanes, or their steps go back */
	uint32_t added_lane;
	int64_t added_step;
	bool increase;	/* each step is above the one before, in the order of a walk */
	int64_t last_step;
	bool has_end;
	uint64_t end_steps, end_lost;
	uint32_t end_reason;
};

/* What is made of the recordings of a rank's attempts. */
struct ts_making {
	struct ts_recording *const *attempts;
	size_t n;
	struct ts_recording *r; /* the one that is read now */
	const struct ts_recording_into *into;
	struct ts_builder *builder;
	struct ts_own_columns own;
	uint64_t dropped;   /* values of columns for which there was no room */
	uint64_t unknown;   /* values of columns that were not declared */
};

/* The step that a LATE or REGION frame adds to. */
static inline int64_t ts_recording_step_added(const struct ts_frame *frame)
{
	return ts_frame_i64(frame->bytes, frame->kind == TS_FRAME_LATE ? TS_FRAME_LATE_STEP : TS_FRAME_REGION_STEP);
}

/* recording_walk.c: begins a walk over frames of some kinds. */
void ts_recording_walk(struct ts_recording *r, uint32_t kinds, struct ts_frame_walk *ret_walk);
/* The same as ts_frame_walk_next without the frames that are left for the next reading. */
enum ts_status ts_recording_next(const struct ts_recording *r, struct ts_frame_walk *w, struct ts_frame *ret_frame, bool *ret_more,
				 struct ts_error *err);
/* Unix seconds. */
double ts_recording_seconds(const struct ts_recording *r, int64_t time);

/* rows_of_steps.c: *ret_segments as in ts_recording_read. */
enum ts_status ts_making_steps(struct ts_making *m, uint64_t *ret_segments, struct ts_error *err);
/* rows_of_events.c: the events and regions, and the digests. */
enum ts_status ts_making_events(struct ts_making *m, struct ts_error *err);
enum ts_status ts_making_digests(struct ts_making *m, struct ts_error *err);

#endif
