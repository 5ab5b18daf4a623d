/* trace_timeline.h - `tscope timeline`: what each stream and thread of a trace did in a stretch of time, as text, JSON and a page.
 *
 *	ts_timeline_view(cli, &choice, stretch, cells, &view, err)
 *	ts_timeline_text(cli, &view, err)
 */
#ifndef TSCOPE_CLI_TRACE_TRACE_TIMELINE_H
#define TSCOPE_CLI_TRACE_TRACE_TIMELINE_H

#include "analysis/trace/host/lanes_view.h"
#include "cli/trace/chosen_trace.h"

/* The stretch of the trace that is chosen, in at most so many cells (lanes_view.h). Everything lies in the command's arena. */
enum ts_status ts_timeline_view(struct ts_cli *cli, const struct ts_trace_choice *choice, struct ts_stretch stretch, size_t cells,
				struct ts_lanes_view *ret, struct ts_error *err);
/* text_timeline.c: "device 0, stream 7: 12.345678 ms, 45.6 %": of the stretch. */
const char *ts_lane_label(struct ts_cli *cli, const struct ts_lanes_view *view, const struct ts_lane_view *lane);
/* How many cells a terminal has room for. */
size_t ts_timeline_columns(const struct ts_term *term);
enum ts_status ts_timeline_text(struct ts_cli *cli, const struct ts_lanes_view *view, struct ts_error *err);
/* lanes_page.c: the view as a page of its own, where --html asks for it (ts_page_write). */
enum ts_status ts_timeline_page(struct ts_cli *cli, const struct ts_lanes_view *view, bool *ret_answered, struct ts_error *err);

#endif
