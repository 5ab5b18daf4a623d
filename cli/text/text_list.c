/* text_list.c - a page of runs, tags or branches as a grid. */
#include "cli/text/text_list.h"

#include "base/clock.h"
#include "cli/core/context.h"
#include "cli/core/listing.h"
#include "cli/text/grid.h"
#include "cli/text/show_value.h"
#include "run/score.h"

static bool is_time(struct ts_span column)
{
	return ts_span_is(column, "pushed") || ts_span_is(column, "started");
}

static bool is_metric(struct ts_span column)
{
	struct ts_span series;
	enum ts_stat stat;

	return ts_metric_split(column, &series, &stat);
}

/* A time is RFC 3339 text. In a table, minutes are precise enough. */
static const char *short_time(const struct ts_fact *value, struct ts_arena *arena)
{
	int64_t ns;

	if (value->type != TS_FACT_TEXT || !ts_time_parse(value->text, &ns))
		return ts_show_fact(value, arena);
	return ts_show_minute(ns, arena);
}

static struct ts_span without_project(const struct ts_listing *list, struct ts_span name)
{
	size_t n = list->project.len;

	if (n && name.len > n + 1 && ts_span_starts(name, list->project) && name.data[n] == '/')
		return ts_span_of(name.data + n + 1, name.len - n - 1);
	return name;
}

const char *ts_list_cell_text(const struct ts_listing *list, const struct ts_list_row *row, size_t column, struct ts_arena *arena)
{
	const struct ts_list_cell *cell = &row->cells[column];
	struct ts_span name = list->columns[column];

	if (ts_span_is(name, "name"))
		return ts_show_text(without_project(list, row->name), arena);
	if (ts_span_is(name, "id"))
		return ts_show_id(&row->id, arena);
	if (!cell->known)
		return "-";
	if (is_metric(name) && cell->value.type == TS_FACT_FLOAT)
		return ts_show_rounded(cell->value.real, arena);
	return is_time(name) ? short_time(&cell->value, arena) : ts_show_fact(&cell->value, arena);
}

static enum ts_style style_of(const struct ts_listing *list, const struct ts_list_row *row, size_t c)
{
	if (ts_span_is(list->columns[c], "name"))
		return TS_STYLE_BOLD;
	return ts_span_is(list->columns[c], "id") || !row->cells[c].known ? TS_STYLE_DIM : TS_STYLE_PLAIN;
}

bool ts_list_is_numeric(const struct ts_listing *list, size_t column)
{
	for (size_t r = 0; r < list->n; r++) {
		const struct ts_list_cell *cell = &list->rows[r].cells[column];

		if (cell->known && cell->value.type != TS_FACT_INT && cell->value.type != TS_FACT_FLOAT &&
		    cell->value.type != TS_FACT_NUMBER)
			return false;
	}
	return !is_time(list->columns[column]) && !ts_span_is(list->columns[column], "name") &&
	       !ts_span_is(list->columns[column], "id");
}

static void nothing(struct ts_cli *cli, const struct ts_listing *list)
{
	const char *what = list->kind == TS_REF_TAG ? "tags" : list->kind == TS_REF_BRANCH ? "branches" : "runs";

	if (cli->target.absent)
		ts_cli_say(cli, "there are no %s: %s; 'tscope push DIRECTORY' stores a run", what, cli->target.absent);
	else if (list->filtered)
		ts_cli_say(cli, "none of the %s matches", what);
	else if (list->project.len)
		ts_cli_say(cli, "there are no %s in project %.*s of %s", what, TS_SPAN_ARG(list->project),
			   cli->target.where);
	else
		ts_cli_say(cli, "there are no %s in %s", what, cli->target.where);
}

enum ts_status ts_render_list_text(struct ts_cli *cli, const struct ts_listing *list, struct ts_error *err)
{
	struct ts_grid_column columns[TS_GRID_COLUMNS];
	struct ts_grid grid;

	if (list->n_columns > TS_GRID_COLUMNS)
		return ts_error_set(err, TS_TOO_LARGE, "list: a list can have at most %d columns", TS_GRID_COLUMNS);
	if (list->n == 0) {
		nothing(cli, list);
		return TS_OK;
	}
	for (size_t c = 0; c < list->n_columns; c++) {
		bool numeric = ts_list_is_numeric(list, c), fixed = numeric || ts_span_is(list->columns[c], "id");

		columns[c] = (struct ts_grid_column){
			.head = ts_show_text(list->columns[c], &cli->arena),
			.align = numeric ? TS_ALIGN_RIGHT : TS_ALIGN_LEFT,
			.least = fixed || is_time(list->columns[c]) ? 0 : 12,
		};
	}
	ts_grid_init(&grid, columns, list->n_columns, &cli->arena);
	for (size_t r = 0; r < list->n; r++)
		for (size_t c = 0; c < list->n_columns; c++)
			ts_grid_text(&grid, style_of(list, &list->rows[r], c), ts_list_cell_text(list, &list->rows[r], c, &cli->arena));
	return ts_grid_print(&grid, &cli->term, 0, &cli->out, err);
}
