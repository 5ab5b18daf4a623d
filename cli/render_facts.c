/* render_facts.c - every fact of a run with its type and who said it: text, and docs/schemas/facts.schema.json. */
#include "cli/render.h"

#include "base/text.h"
#include "cli/grid.h"
#include "cli/show_value.h"

static bool wanted(const struct ts_fact_listing *list, const struct ts_fact *fact)
{
	return list->glob.len == 0 || ts_glob(list->glob, fact->path);
}

/* Facts are sorted by path, then source: the last of a path is the one that counts. */
static bool effective(const struct ts_facts *facts, size_t i)
{
	return i + 1 == facts->n || !ts_span_eq(facts->items[i].path, facts->items[i + 1].path);
}

static const char *value_of(struct ts_cli *cli, const struct ts_fact *fact)
{
	return fact->type == TS_FACT_ABSENT ? "not recorded for this rank" : ts_show_fact(fact, &cli->arena);
}

static void add_row(struct ts_cli *cli, struct ts_grid *grid, const struct ts_rank_facts *rank, size_t i)
{
	const struct ts_fact *fact = &rank->facts.items[i];
	enum ts_style style = effective(&rank->facts, i) ? TS_STYLE_PLAIN : TS_STYLE_DIM;

	if (rank->rank == TS_RANK_JOB)
		ts_grid_span(grid, style, fact->path);
	else
		ts_grid_text(grid, style,
			     ts_arena_printf(&cli->arena, "%.*s (rank %d)", TS_SPAN_ARG(fact->path), rank->rank));
	ts_grid_text(grid, style, value_of(cli, fact));
	ts_grid_text(grid, TS_STYLE_DIM, fact->type == TS_FACT_ABSENT ? "" : ts_fact_type_word(fact->type));
	ts_grid_text(grid, TS_STYLE_DIM,
		     ts_arena_printf(&cli->arena, "%s%s", ts_source_name(fact->source),
				     effective(&rank->facts, i) ? "" : ", overruled"));
}

static size_t add_group(struct ts_cli *cli, struct ts_grid *grid, const struct ts_fact_listing *list,
			enum ts_group group)
{
	size_t n = 0;

	for (size_t r = 0; r < list->n_ranks; r++) {
		const struct ts_rank_facts *rank = &list->ranks[r];

		for (size_t i = 0; i < rank->facts.n; i++) {
			enum ts_group of;

			if (!wanted(list, &rank->facts.items[i]) || !ts_group_of(rank->facts.items[i].path, &of) ||
			    of != group)
				continue;
			add_row(cli, grid, rank, i);
			n++;
		}
	}
	return n;
}

enum ts_status ts_render_facts_text(struct ts_cli *cli, const struct ts_fact_listing *list, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {
		{NULL, TS_ALIGN_LEFT, 20}, {NULL, TS_ALIGN_LEFT, 16}, {NULL, TS_ALIGN_LEFT, 0},
		{NULL, TS_ALIGN_LEFT, 0},
	};
	struct ts_grid grid;
	size_t n = 0;

	/* One grid for all groups, so that columns stay where they are; groups follow each other in their order. */
	ts_grid_init(&grid, columns, 4, &cli->arena);
	for (int g = 0; g < TS_GROUPS; g++)
		n += add_group(cli, &grid, list, (enum ts_group)g);
	if (n == 0) {
		ts_cli_say(cli, list->glob.len ? "no recorded fact has a path like %.*s" : "no facts are recorded%.*s",
			   TS_SPAN_ARG(list->glob));
		return TS_OK;
	}
	return ts_grid_print(&grid, &cli->term, 0, &cli->out, err);
}

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

			if (!wanted(list, fact) || !ts_group_of(fact->path, &group))
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
			ts_json_bool(j, effective(&rank->facts, i));
			ts_json_key(j, "fact");
			ts_json_fact(j, fact);
			ts_json_end(j);
		}
	}
	ts_json_end(j);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}
