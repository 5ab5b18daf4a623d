/* intern.h - texts, frames and stacks of a snapshot, each kept once and named by a number from 0 on, in the order in which they came.
 *
 * A failure is remembered in the ration: the functions return TS_SNAPSHOT_NONE then. The hash has a random key, so that a
 * file cannot be written in advance whose texts fall into one place. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_SNAPSHOT_INTERN_H
#define TSCOPE_INGEST_SNAPSHOT_INTERN_H

#include "base/map.h"
#include "ingest/snapshot/ration.h"
#include "run/snapshot.h"

struct ts_intern_text {
	size_t at;
	uint32_t len;
};

struct ts_intern {
	struct ts_ration *ration;
	uint64_t key[2]; /* of the hashes */
	struct ts_vector bytes;	       /* of all texts */
	struct ts_vector texts;	       /* struct ts_intern_text */
	struct ts_vector frames;       /* struct ts_snapshot_frame */
	struct ts_vector stacks;       /* struct ts_snapshot_stack */
	struct ts_vector stack_frames; /* uint32_t */
	struct ts_map of_texts, of_frames, of_stacks;
};

enum ts_status ts_intern_init(struct ts_intern *in, struct ts_ration *ration, struct ts_error *err);
void ts_intern_finish(struct ts_intern *in);

uint32_t ts_intern_text(struct ts_intern *in, struct ts_span text);
uint32_t ts_intern_frame(struct ts_intern *in, const struct ts_snapshot_frame *frame);
/* n is at least 1. */
uint32_t ts_intern_stack(struct ts_intern *in, const uint32_t *frames, uint32_t n);

/* Good until the next text comes. */
struct ts_span ts_intern_text_of(const struct ts_intern *in, uint32_t text);

#endif
