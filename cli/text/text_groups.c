#include "cli/text/text_groups.h"

#include "cli/view/show_value.h"
#include "cli/view/view.h"

/* The number of runs stands beside the mean where not all runs of the group record the value. */
static void add_stat(struct ts_cli *cli, struct ts_view *view, const struct ts_run_group *group, const struct ts_group_stat *stat)
{
	struct ts_arena *arena = &cli->arena;
	const char *mean = stat->n ? ts_show_rounded(stat->mean, arena) : "-";
	double sd;

	if (mean && stat->n && stat->n < group->runs)
		mean = ts_arena_printf(arena, "%s (of %s)", mean, ts_show_count(stat->n, arena));
	ts_view_text(view, stat->n ? TS_STYLE_PLAIN : TS_STYLE_DIM, mean);
	if (ts_group_sd(stat, &sd))
		ts_view_text(view, TS_STYLE_PLAIN, ts_show_rounded(sd, arena));
	else
		ts_view_text(view, TS_STYLE_DIM, "-");
}

static void add_group(struct ts_cli *cli, struct ts_view *view, const struct ts_groups *groups, const struct ts_run_group *group)
{
	for (size_t i = 0; i < groups->n_by; i++)
		ts_view_text(view, group->by[i].known ? TS_STYLE_BOLD : TS_STYLE_DIM,
			     group->by[i].known ? ts_show_fact(&group->by[i].value, &cli->arena) : "-");
	ts_view_text(view, TS_STYLE_PLAIN, ts_show_count(group->runs, &cli->arena));
	for (size_t c = 0; c < groups->n_columns; c++)
		add_stat(cli, view, group, &group->stats[c]);
}

enum ts_status ts_render_groups_text(struct ts_cli *cli, const struct ts_groups *groups, uint64_t limit, struct ts_error *err)
{
	struct ts_view_column columns[TS_VIEW_COLUMNS_MAX];
	size_t n = 0, shown = groups->n < limit ? groups->n : (size_t)limit;
	struct ts_view view;

	if (groups->n_by + 1 + 2 * groups->n_columns > TS_VIEW_COLUMNS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "list: groups can have at most %d columns", TS_VIEW_COLUMNS_MAX);
	for (size_t i = 0; i < groups->n_by; i++)
		columns[n++] =
			(struct ts_view_column){.head = ts_show_text(groups->by[i], &cli->arena), .align = TS_ALIGN_RIGHT, .least = 12};
	columns[n++] = (struct ts_view_column)TS_RIGHT("runs");
	for (size_t c = 0; c < groups->n_columns; c++) {
		columns[n++] = (struct ts_view_column)TS_RIGHT(ts_show_text(groups->columns[c], &cli->arena));
		columns[n++] = (struct ts_view_column)TS_RIGHT("sd");
	}
	ts_view_init(&view, columns, n, &cli->arena);
	for (size_t i = 0; i < shown; i++)
		add_group(cli, &view, groups, &groups->groups[i]);
	return ts_view_print(&view, &cli->term, 0, &cli->out, err);
}
