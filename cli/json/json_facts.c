/* json_facts.c - docs/schemas/facts.schema.json. */
#include "cli/json/json_facts.h"

#include "base/text.h"
#include "cli/core/context.h"
#include "cli/core/listing.h"
#include "cli/json/json_parts.h"

void ts_render_facts_json(struct ts_cli *cli, const struct ts_fact_listing *list)
{
	struct ts_json json = ts_cli_json(cli), *j = &json;

	ts_json_object(j);
	ts_json_run(j, "run", list->run);
	ts_json_key(j, "facts");
	ts_json_array(j);
	for (size_t r = 0; r < list->n_ranks; r++) {
		const struct ts_rank_facts *rank = &list->ranks[r];

		for (size_t i = 0; i < rank->facts.n; i++) {
			const struct ts_fact *fact = &rank->facts.items[i];
			enum ts_group group;

			if (!ts_fact_wanted(list, fact) || !ts_group_of(fact->path, &group))
				continue;
			ts_json_object(j);
			ts_json_key(j, "path");
			ts_json_span(j, fact->path);
			ts_json_key(j, "group");
			ts_json_string(j, ts_group_name(group));
			ts_json_key(j, "rank");
			if (rank->rank == TS_RANK_JOB)
				ts_json_null(j);
			else
				ts_json_i64(j, rank->rank);
			ts_json_key(j, "source");
			ts_json_string(j, ts_source_name(fact->source));
			ts_json_key(j, "effective");
			ts_json_bool(j, ts_fact_counts(&rank->facts, i));
			ts_json_key(j, "fact");
			ts_json_fact(j, fact);
			ts_json_end(j);
		}
	}
	ts_json_end(j);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}
