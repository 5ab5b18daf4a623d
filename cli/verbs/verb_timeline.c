/* verb_timeline.c - tscope timeline: what each stream and thread of a trace did in a stretch of time. */
#include "base/number.h"
#include "cli/core/names.h"
#include "cli/json/json_parts.h"
#include "cli/report/render_report.h"
#include "cli/trace/page_trace.h"
#include "cli/trace/trace_timeline.h"
#include "cli/verbs/verbs.h"

struct asked {
	struct ts_trace_choice choice;
	struct ts_stretch stretch;
	size_t cells;
};

/* Times of a trace's clock may lie before its base. */
static enum ts_status at_option(const struct ts_cli *cli, struct ts_stretch *io, struct ts_error *err)
{
	const char *text = ts_args_text(&cli->args, "at");

	io->has_at = text != NULL;
	if (text && !ts_parse_i64(ts_span_str(text), &io->at_ns))
		return ts_error_set(err, TS_INVALID, "--at takes a time of the trace's clock, in nanoseconds");
	return TS_OK;
}

static enum ts_status options(struct ts_cli *cli, struct asked *a, struct ts_error *err)
{
	uint64_t rank = 0, cells = 0;
	bool from, to, given;

	a->choice = (struct ts_trace_choice){.word = ts_cli_word(cli, 0), .name = ts_args_text(&cli->args, "trace")};
	if (ts_args_uint(&cli->args, "rank", INT32_MAX, &a->choice.has_rank, &rank, err) ||
	    ts_args_uint(&cli->args, "from", INT64_MAX, &from, &a->stretch.from_ns, err) ||
	    ts_args_uint(&cli->args, "to", INT64_MAX, &to, &a->stretch.to_ns, err) ||
	    ts_args_uint(&cli->args, "cells", TS_LANES_CELLS_MOST, &given, &cells, err))
		return err->status;
	if (at_option(cli, &a->stretch, err))
		return err->status;
	a->stretch.given = from || to;
	if (!to)
		a->stretch.to_ns = UINT64_MAX;
	if (a->stretch.from_ns >= a->stretch.to_ns)
		return ts_error_set(err, TS_INVALID, "--from has to be before --to");
	if (given && !cells)
		return ts_error_set(err, TS_INVALID, "--cells takes 1 to %d", TS_LANES_CELLS_MOST);
	a->choice.rank = (int32_t)rank;
	if (given)
		a->cells = (size_t)cells;
	else if (cli->json || ts_args_has(&cli->args, "html"))
		a->cells = TS_PAGE_LANE_CELLS;
	else
		a->cells = ts_timeline_columns(&cli->term);
	return ts_check_page_option(cli, "json", err);
}

enum ts_status ts_verb_timeline(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_lanes_view view;
	struct asked a;
	bool answered = false;

	if (ts_cli_settle(cli, err))
		return err->status;
	if (options(cli, &a, err) || ts_timeline_view(cli, &a.choice, a.stretch, a.cells, &view, err))
		return ts_error_prefix(err, "timeline");
	if (a.stretch.has_at && !view.has_mark)
		ts_cli_say(cli, "timeline: %s has nothing at %" PRId64 " ns of its clock, so all of it is shown", view.path,
			   a.stretch.at_ns);
	if (a.stretch.given && view.n_cells && a.stretch.from_ns >= view.length_ns)
		ts_cli_say(cli, "timeline: %s ends before --from, so all of it is shown", view.path);
	if (ts_timeline_page(cli, &view, &answered, err) || answered)
		return answered ? TS_OK : err->status;
	return cli->json ? ts_json_answer(cli, &ts_shape_lanes, &view, err) : ts_timeline_text(cli, &view, err);
}
