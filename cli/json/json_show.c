/* json_show.c - docs/schemas/show.schema.json. */
#include "cli/json/json_show.h"

#include "cli/core/context.h"
#include "cli/core/listing.h"
#include "cli/json/json_parts.h"
#include "cli/text/show_value.h"

static void json_columns(struct ts_json *j, const struct ts_get_reply *run)
{
	ts_json_key(j, "series");
	ts_json_array(j);
	for (size_t i = 0; i < run->n_columns; i++) {
		const struct ts_column_info *c = &run->columns[i];

		ts_json_object(j);
		ts_json_key(j, "name");
		ts_json_span(j, c->name);
		ts_json_key(j, "table");
		ts_json_string(j, ts_table_word(c->table));
		ts_json_key(j, "type");
		ts_json_string(j, ts_column_type_word(c->type));
		ts_json_key(j, "role");
		ts_json_string(j, ts_role_name(c->role));
		ts_json_key(j, "lowest_rank");
		ts_json_i64(j, c->rank);
		ts_json_count(j, "rank_count", c->ranks);
		ts_json_count(j, "row_count", c->rows_all);
		ts_json_key(j, "first_key");
		ts_json_i64(j, c->first_key);
		ts_json_key(j, "last_key");
		ts_json_i64(j, c->last_key);
		ts_json_end(j);
	}
	ts_json_end(j);
}

static void json_files(struct ts_json *j, const struct ts_get_reply *run)
{
	ts_json_key(j, "files");
	ts_json_array(j);
	for (size_t i = 0; i < run->n_files; i++) {
		ts_json_object(j);
		ts_json_key(j, "name");
		ts_json_span(j, run->files[i].name);
		ts_json_key(j, "rank");
		if (run->files[i].rank == TS_RANK_JOB)
			ts_json_null(j);
		else
			ts_json_i64(j, run->files[i].rank);
		ts_json_count(j, "size_bytes", run->files[i].size);
		ts_json_end(j);
	}
	ts_json_end(j);
}

void ts_render_show_json(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_head *head)
{
	struct ts_json json = ts_cli_json(cli), *j = &json;
	size_t counts[TS_GROUPS];

	ts_json_object(j);
	ts_json_run(j, "run", &run->run);
	ts_json_key(j, "names");
	ts_json_array(j);
	for (size_t i = 0; i < run->n_names; i++)
		ts_json_ref(j, &run->names[i]);
	ts_json_end(j);
	ts_json_notes(j, "notes", run->notes, run->n_notes);
	ts_json_key(j, "lineage");
	if (run->lineage.named)
		(void)ts_shape_json(&ts_shape_lineage, &run->lineage, j, NULL, NULL);
	else
		ts_json_null(j);
	ts_json_key(j, "fact_counts");
	ts_json_object(j);
	ts_facts_by_group(&head->facts, counts);
	for (int g = 0; g < TS_GROUPS; g++)
		ts_json_count(j, ts_group_name((enum ts_group)g), counts[g]);
	ts_json_end(j);
	json_columns(j, run);
	json_files(j, run);
	ts_json_ranks(j, "missing_ranks", run->missing_ranks, run->n_missing < 64 ? run->n_missing : 64);
	ts_json_count(j, "missing_rank_count", run->n_missing);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}
