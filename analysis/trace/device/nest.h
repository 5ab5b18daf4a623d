/* nest.h - what stands within what: the span that encloses each span of the host, and the call and the operator that launched each
 * event of a device.
 *
 * On one thread a span encloses another if it begins no later, ends no earlier, and has not ended when the other begins. Of two that
 * begin and end together the outer one is the annotation, then the Python function, the operator, the call; of one kind the one
 * that stands first in the trace. The parent is the innermost span that encloses: of those, the one that began last. So a span which
 * ends after its neighbour did, which clocks of microseconds make, is a sibling and no child.
 *
 * An event of a device has as its parent the call of the same correlation. Its operator is the innermost one that encloses that call;
 * without such a call, the one whose "External id" it has, unless the trace repeats the correlation there, as some versions do.
 *
 * Linear memory; n log n time, linear for spans that are nearly in order. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DEVICE_NEST_H
#define TSCOPE_ANALYSIS_TRACE_DEVICE_NEST_H

#include "base/arena.h"
#include "run/trace.h"

#define TS_NEST_NONE UINT32_MAX

/* Rows of spans, each array one for each span. */
struct ts_nest {
	uint32_t *parent;      /* the innermost span that encloses it; of an event of a device the call that launched it */
	uint32_t *in_operator; /* the innermost operator that encloses it; of an event of a device the one that launched it */
	uint32_t *order;       /* the spans of the host, by thread, by begin, the outer before the inner: parents come first */
	size_t n_order;
};

/* Everything lies in the arena. */
enum ts_status ts_nest(const struct ts_trace *trace, struct ts_arena *arena, struct ts_nest *ret, struct ts_error *err);
/* Gives its arrays back to the arena; for a nest that nobody needs any more. */
void ts_nest_give(const struct ts_nest *nest, struct ts_arena *arena);

/* Whether each row is one of the trace, and in the order of the host's spans a parent comes before what stands in it: for doors
 * (base/door.h). */
bool ts_nest_holds(const struct ts_nest *nest, const struct ts_trace *trace);

/* The operators by their "External id", for ts_launch_of; none where the work of devices repeats its correlation there. */
struct ts_launches;
enum ts_status ts_operators_by_external(const struct ts_trace *trace, struct ts_arena *arena, struct ts_launches *ret,
					struct ts_error *err);

/* Whether a call of this name launches a graph, and so many events of devices. */
bool ts_is_graph_launch(struct ts_span name);

/* --- self_times.c --- */

/* Of each span, in the arena; of work of devices 0. */
enum ts_status ts_self_times(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena, uint64_t **ret,
			     struct ts_error *err);

#endif
