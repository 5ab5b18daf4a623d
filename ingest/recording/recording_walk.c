/* recording_walk.c - the frames of a recording up to its cut, and their times by the wall clock. */
#include "ingest/recording/recording_state.h"

void ts_recording_walk(struct ts_recording *r, uint32_t kinds, struct ts_frame_walk *ret_walk)
{
	ts_frame_walk_init(ret_walk, r->source, &r->chunks, kinds, NULL);
	for (size_t i = 0; r->source->progress && i < r->chunks.n; i++)
		if (r->chunks.items[i].kinds & kinds)
			r->source->progress->total += r->chunks.items[i].end;
}

enum ts_status ts_recording_next(const struct ts_recording *r, struct ts_frame_walk *w, struct ts_frame *ret_frame, bool *ret_more,
				 struct ts_error *err)
{
	do {
		if (ts_frame_walk_next(w, ret_frame, ret_more, err))
			return err->status;
	} while (*ret_more && ret_frame->time > r->cut);
	return TS_OK;
}

double ts_recording_seconds(const struct ts_recording *r, int64_t time)
{
	uint64_t ns = (uint64_t)r->unix_ns + (uint64_t)time - (uint64_t)r->mono_ns;

	return (double)(int64_t)ns / 1e9;
}
