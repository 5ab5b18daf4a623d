/* spans.h - how long lives last, and which are carried from one step into the one after the next.
 *
 * Spans are of lives that began and ended in the events: in microseconds where the snapshot has times, and in events. A step ends where
 * the events come to an optimizer from another phase. A life is carried if two such ends lie within it and its kind is none that is
 * meant to stay (parameters, gradients, optimizer state). All memory is the arena's. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_SPANS_H
#define TSCOPE_ANALYSIS_SNAPSHOT_SPANS_H

#include "analysis/snapshot/holders.h"

struct ts_spans {
	uint32_t n; /* lives that began and ended */
	bool timed;
	int64_t median_us, p99_us, longest_us;
	uint32_t median_events, p99_events, longest_events;
	uint64_t short_bytes; /* of lives that ended within 16 events: memory that was asked for again and again */
	uint32_t n_short;
	uint32_t steps;		   /* ends of steps among the events */
	struct ts_holders carried; /* by stack; none are known with fewer than two ends */
};

enum { TS_SPANS_SHORT = 16 };

enum ts_status ts_spans_of(const struct ts_memory *m, struct ts_arena *arena, struct ts_spans *ret_spans, struct ts_error *err);

#endif
