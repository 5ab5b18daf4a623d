/* page_trace.h - `tscope analyze ./trace.json.gz --html FILE`: what is said of a trace, as one page, with flame graphs. */
#ifndef TSCOPE_CLI_TRACE_PAGE_TRACE_H
#define TSCOPE_CLI_TRACE_PAGE_TRACE_H

#include "analysis/trace/advice/trace_answer.h"
#include "analysis/trace/diff/trace_diff.h"
#include "analysis/trace/host/flame.h"
#include "analysis/trace/host/lanes_view.h"
#include "analysis/trace/ranks/job.h"
#include "cli/report/page.h"

enum { TS_PAGE_LANE_CELLS = 300 }; /* of the timeline on a page */

/* Draws the page where --html asks for it (ts_page_write). The text of the answer is drawn by the functions that write it on a
 * terminal, so that whatever that says the page says, too. */
enum ts_status ts_trace_page(struct ts_cli *cli, const struct ts_trace *trace, const struct ts_trace_answer *answer, bool *ret_answered,
			     struct ts_error *err);
/* The same of the ranks of a job, without flame graphs. */
enum ts_status ts_trace_job_page(struct ts_cli *cli, const struct ts_trace_job *job, bool *ret_answered, struct ts_error *err);

/* What differs between two traces, with a picture of where the time of a step goes. */
enum ts_status ts_trace_diff_page(struct ts_cli *cli, const struct ts_trace_diff *diff, bool *ret_answered, struct ts_error *err);

/* flame_page.c: ends a section, then draws a flame graph of the host's time and one of the devices', where there is something to
 * show, the last section of which is left open. Names are escaped, and the graphs have a bound of some two megabytes. */
enum ts_status ts_flame_page(struct ts_cli *cli, const struct ts_flame *flame, struct ts_buf *out, struct ts_error *err);
/* lanes_page.c: draws a timeline into a section that is open; nothing where no time is known. */
enum ts_status ts_lanes_page(struct ts_cli *cli, const struct ts_lanes_view *view, struct ts_buf *out, struct ts_error *err);
/* Whether there is any of these graphs, behind which the script goes. */
bool ts_flame_is_drawn(const struct ts_flame *flame);
extern const struct ts_page_script ts_flame_script;

#endif
