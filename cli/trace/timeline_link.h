/* timeline_link.h - where the timeline of a run's trace is among the pages of its project. */
#ifndef TSCOPE_CLI_TRACE_TIMELINE_LINK_H
#define TSCOPE_CLI_TRACE_TIMELINE_LINK_H

#include "cli/core/context.h"
#include "run/trace_list.h"

/* "timeline/exp1?trace=step100.json&rank=3&at=1234", as ts_text_link takes it: the page of a run's trace. run: its name or id.
 * at_ns: of the trace's clock; NULL: none. Empty without memory. */
const char *ts_timeline_link(struct ts_cli *cli, const char *run, const struct ts_run_trace *trace, const int64_t *at_ns);

#endif
