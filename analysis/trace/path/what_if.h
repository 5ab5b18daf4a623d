/* what_if.h - how long the windows of a critical path would take if some of their stretches took no time.
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_PATH_WHAT_IF_H
#define TSCOPE_ANALYSIS_TRACE_PATH_WHAT_IF_H

#include "analysis/trace/path/path_graph.h"

/* Where to begin and end: points before `begin_ns` stay; the end is the latest of the sinks. */
struct ts_what_if_range {
	int64_t begin_ns, end_ns;
	const uint8_t *sink; /* by point: whether the windows wait for it */
};

struct ts_what_if_change {
	uint64_t none;	      /* bits by path_what.h: these take no time */
	const uint64_t *less; /* by work, or NULL: how much less it takes */
};

/* The windows' length under a change. spare has room for a number for each point. */
uint64_t ts_what_if_ns(const struct ts_path_graph *g, const struct ts_what_if_range *range, const struct ts_what_if_change *change,
		       uint64_t *spare);

#endif
