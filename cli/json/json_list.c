/* json_list.c - docs/schemas/list.schema.json. */
#include "cli/json/json_list.h"

#include "base/clock.h"
#include "cli/core/context.h"
#include "cli/core/listing.h"
#include "cli/json/json_parts.h"
#include "cli/view/show_value.h"

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
	ts_json_spans(j, "unrecorded", list->unrecorded, list->n_unrecorded);
	ts_json_count(j, "unscored_count", list->unscored);
	ts_json_text(j, "next_page", list->next_token);
	if (list->copy.of.len) {
		ts_json_text(j, "copy_of", list->copy.of);
		ts_json_time(j, "copy_held", list->copy.held_ns);
	}
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}
