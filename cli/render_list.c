/* render_list.c - a page of runs, tags or branches: as a grid, and docs/schemas/list.schema.json. */
#include "cli/render.h"

#include "base/clock.h"
#include "cli/grid.h"
#include "cli/show_value.h"

static bool is_time(struct ts_span column)
{
	return ts_span_is(column, "pushed") || ts_span_is(column, "started");
}

/* Times come as RFC 3339 text; minutes are enough in a table. */
static const char *short_time(const struct ts_fact *value, struct ts_arena *arena)
{
	const char *text;
	int64_t ns;

	if (value->type != TS_FACT_TEXT || !ts_time_parse(value->text, &ns))
		return ts_show_fact(value, arena);
	text = ts_show_time(ns, arena);
	return text ? ts_arena_printf(arena, "%.16sZ", text) : NULL;
}

static struct ts_span without_project(const struct ts_listing *list, struct ts_span name)
{
	size_t n = list->project.len;

	if (n && name.len > n + 1 && ts_span_starts(name, list->project) && name.data[n] == '/')
		return ts_span_of(name.data + n + 1, name.len - n - 1);
	return name;
}

static void text_cell(struct ts_cli *cli, struct ts_grid *grid, const struct ts_listing *list,
		      const struct ts_list_row *row, size_t c)
{
	const struct ts_list_cell *cell = &row->cells[c];
	struct ts_span column = list->columns[c];

	if (ts_span_is(column, "name"))
		ts_grid_span(grid, TS_STYLE_BOLD, without_project(list, row->name));
	else if (ts_span_is(column, "id"))
		ts_grid_text(grid, TS_STYLE_DIM, ts_show_id(&row->id, &cli->arena));
	else if (!cell->known)
		ts_grid_text(grid, TS_STYLE_DIM, "-");
	else if (is_time(column))
		ts_grid_text(grid, TS_STYLE_PLAIN, short_time(&cell->value, &cli->arena));
	else if (cell->value.type == TS_FACT_TEXT)
		ts_grid_span(grid, TS_STYLE_PLAIN, cell->value.text);
	else
		ts_grid_text(grid, TS_STYLE_PLAIN, ts_show_fact(&cell->value, &cli->arena));
}

static bool is_numeric(const struct ts_listing *list, size_t c)
{
	for (size_t r = 0; r < list->n; r++) {
		const struct ts_list_cell *cell = &list->rows[r].cells[c];

		if (cell->known && cell->value.type != TS_FACT_INT && cell->value.type != TS_FACT_FLOAT &&
		    cell->value.type != TS_FACT_NUMBER)
			return false;
	}
	return !is_time(list->columns[c]) && !ts_span_is(list->columns[c], "name") &&
	       !ts_span_is(list->columns[c], "id");
}

static void nothing(struct ts_cli *cli, const struct ts_listing *list)
{
	const char *what = list->kind == TS_REF_TAG ? "tags" : list->kind == TS_REF_BRANCH ? "branches" : "runs";

	if (list->filtered)
		ts_cli_say(cli, "none of the %s matches", what);
	else if (list->project.len)
		ts_cli_say(cli, "no %s in project %.*s of %s", what, TS_SPAN_ARG(list->project), cli->target.where);
	else
		ts_cli_say(cli, "no %s in %s", what, cli->target.where);
	if (cli->target.absent)
		ts_cli_say(cli, "nothing was ever pushed there; 'tscope push DIRECTORY' makes it");
}

enum ts_status ts_render_list_text(struct ts_cli *cli, const struct ts_listing *list, struct ts_error *err)
{
	struct ts_grid_column columns[TS_GRID_COLUMNS];
	struct ts_grid grid;
	enum ts_status status;

	if (list->n_columns > TS_GRID_COLUMNS)
		return ts_error_set(err, TS_TOO_LARGE, "list: at most %d columns", TS_GRID_COLUMNS);
	if (list->n == 0) {
		nothing(cli, list);
		return TS_OK;
	}
	for (size_t c = 0; c < list->n_columns; c++) {
		bool numeric = is_numeric(list, c), fixed = numeric || ts_span_is(list->columns[c], "id");

		columns[c] = (struct ts_grid_column){
			.head = ts_show_text(list->columns[c], &cli->arena),
			.align = numeric ? TS_ALIGN_RIGHT : TS_ALIGN_LEFT,
			.least = fixed || is_time(list->columns[c]) ? 0 : 12,
		};
	}
	ts_grid_init(&grid, columns, list->n_columns, &cli->arena);
	for (size_t r = 0; r < list->n; r++)
		for (size_t c = 0; c < list->n_columns; c++)
			text_cell(cli, &grid, list, &list->rows[r], c);
	status = ts_grid_print(&grid, &cli->term, 0, &cli->out, err);
	if (!status && list->next_token.len)
		ts_cli_say(cli, "there are more; --all shows them, --page %.*s the next", TS_SPAN_ARG(list->next_token));
	return status;
}

static void json_cell(struct ts_json *j, struct ts_span column, const struct ts_list_cell *cell)
{
	ts_json_key_span(j, column);
	if (cell->known)
		ts_json_bare_fact(j, &cell->value);
	else
		ts_json_null(j);
}

void ts_render_list_json(struct ts_cli *cli, const struct ts_listing *list)
{
	struct ts_json json = ts_cli_json(cli), *j = &json;

	ts_json_object(j);
	ts_json_key(j, "kind");
	ts_json_string(j, ts_ref_word(list->kind));
	ts_json_text(j, "project", list->project);
	ts_json_key(j, "columns");
	ts_json_array(j);
	for (size_t c = 0; c < list->n_columns; c++)
		ts_json_span(j, list->columns[c]);
	ts_json_end(j);
	ts_json_key(j, "rows");
	ts_json_array(j);
	for (size_t r = 0; r < list->n; r++) {
		ts_json_object(j);
		ts_json_key(j, "name");
		ts_json_span(j, list->rows[r].name);
		ts_json_id(j, "id", &list->rows[r].id);
		ts_json_time(j, "pushed", list->rows[r].pushed_ns);
		ts_json_key(j, "values");
		ts_json_object(j);
		for (size_t c = 0; c < list->n_columns; c++)
			if (!ts_span_is(list->columns[c], "name") && !ts_span_is(list->columns[c], "id") &&
			    !ts_span_is(list->columns[c], "pushed"))
				json_cell(j, list->columns[c], &list->rows[r].cells[c]);
		ts_json_end(j);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_text(j, "next_page", list->next_token);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}
