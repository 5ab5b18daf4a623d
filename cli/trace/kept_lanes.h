/* kept_lanes.h - the lanes of the traces that a process was asked about last, from which any stretch of a timeline is cut without
 * reading the trace again.
 *
 * A process remembers the lanes of TS_KEPT_LANES traces, each of at most TS_KEPT_LANES_BYTES; a timeline that takes more is made anew
 * each time. Lanes are a function of the columns of the trace, whose id names these bytes, so one table serves all stores. Who may not
 * read a trace does not get its id. Threads: safe.
 */
#ifndef TSCOPE_CLI_TRACE_KEPT_LANES_H
#define TSCOPE_CLI_TRACE_KEPT_LANES_H

#include "analysis/trace/host/lanes_view.h"
#include "base/digest.h"

enum { TS_KEPT_LANES = 4, TS_KEPT_LANES_BYTES = 256 << 20 };

/* Cuts a stretch of the lanes of these columns, if they are remembered (*ret_known). Everything of the view lies in the arena. */
enum ts_status ts_kept_lanes_view(const struct ts_id *columns, struct ts_stretch stretch, size_t cells, struct ts_arena *arena,
				  bool *ret_known, struct ts_lanes_view *ret, struct ts_error *err);
/* Remembers a copy of the lanes, if there is room for it. */
void ts_kept_lanes_put(const struct ts_id *columns, const struct ts_lanes *lanes);

#endif
