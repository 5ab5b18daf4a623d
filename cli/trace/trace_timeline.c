#include "cli/trace/trace_timeline.h"

#include "cli/trace/kept_lanes.h"
#include "cli/trace/stored_trace.h"
#include "cli/view/show_value.h"

static enum ts_status lanes_of(struct ts_cli *cli, const struct ts_trace *trace, struct ts_lanes *ret, struct ts_error *err)
{
	struct ts_host_waits waits;
	struct ts_host_names names;
	struct ts_timelines lines;
	struct ts_nest nest;

	if (ts_nest(trace, &cli->arena, &nest, err) || ts_timelines(trace, &cli->arena, &lines, err) ||
	    ts_host_names(trace, &cli->arena, &names, err) || ts_host_waits(trace, &nest, &lines, &cli->arena, &waits, err))
		return err->status;
	return ts_lanes(trace, &nest, &names, waits.waiting, &cli->arena, ret, err);
}

/* A view of a trace that is not remembered; one that was pushed is, from then on. */
static enum ts_status view_anew(struct ts_cli *cli, const struct ts_found_trace *found, struct ts_stretch stretch, size_t cells,
				struct ts_lanes_view *ret, struct ts_error *err)
{
	struct ts_chosen_trace chosen;
	struct ts_lanes lanes;
	enum ts_status status;

	if (ts_load_found(cli, found, &chosen, err))
		return err->status;
	status = lanes_of(cli, &chosen.trace, &lanes, err);
	if (!status && found->stored)
		ts_kept_lanes_put(&found->stored->columns, &lanes);
	if (!status)
		status = ts_lanes_view(&lanes, stretch, cells, &cli->arena, ret, err);
	ts_chosen_trace_finish(&chosen);
	return status;
}

enum ts_status ts_timeline_view(struct ts_cli *cli, const struct ts_trace_choice *choice, struct ts_stretch stretch, size_t cells,
				struct ts_lanes_view *ret, struct ts_error *err)
{
	struct ts_found_trace found;
	bool known = false;

	if (ts_find_trace(cli, choice, &found, err))
		return err->status;
	if (found.stored && ts_kept_lanes_view(&found.stored->columns, stretch, cells, &cli->arena, &known, ret, err))
		return err->status;
	if (!known && view_anew(cli, &found, stretch, cells, ret, err))
		return err->status;
	ret->path = found.stored ? ts_show_text(found.stored->name, &cli->arena) : found.path;
	return ts_arena_check(&cli->arena, err);
}
