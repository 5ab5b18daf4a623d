/* analyze_bound.h - what a run is bound by, of the rank in view; whether memory limits it, of the rank whose memory is shortest. */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_BOUND_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_BOUND_H

#include "analysis/analysis.h"
#include "base/error.h"

/* Fills io->bound from its measures and ranks. A job ends where its first rank runs out of memory, so the rows of memory snapshots are
 * those of the rank that had a request refused, else of one with retries, else of that which reserved the largest share of its device;
 * among equals the rank in view. Time of the allocator is taken from that of the rank in view only if the snapshot is that rank's. */
enum ts_status ts_analyze_bound(struct ts_analysis *io, struct ts_arena *arena, struct ts_error *err);

#endif
