/* path_collectives.h - by how much the work of a graph would be shorter if it had not waited for other ranks.
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_PATH_PATH_COLLECTIVES_H
#define TSCOPE_ANALYSIS_TRACE_PATH_PATH_COLLECTIVES_H

#include "analysis/trace/path/path_graph.h"

/* By work: what it took beyond the quickest collective of the same kind, group, size and type in the trace, which waited least. The
 * trace has to say the size. *ret_any: there is any such. */
enum ts_status ts_path_collectives(const struct ts_path_graph *g, struct ts_arena *arena, uint64_t *less, bool *ret_any,
				   struct ts_error *err);
/* By work: what is said of its span. */
enum ts_status ts_path_shorter(const struct ts_path_graph *g, const uint32_t *spans, const uint64_t *by_ns, size_t n,
			       struct ts_arena *arena, uint64_t *less, struct ts_error *err);

#endif
