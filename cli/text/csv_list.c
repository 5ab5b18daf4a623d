#include "cli/text/csv_list.h"

#include "base/csv.h"
#include "base/limits.h"
#include "base/number.h"

struct csv {
	struct ts_buf *out;
	unsigned flags; /* of texts; numbers need none */
	bool first;	/* of its line */
};

static void put_separator(struct csv *c)
{
	if (!c->first)
		ts_buf_char(c->out, ',');
	c->first = false;
}

static void put_field(struct csv *c, struct ts_span text)
{
	put_separator(c);
	ts_csv_cell(c->out, text, c->flags);
}

static void put_cell(struct csv *c, const struct ts_list_cell *cell)
{
	struct ts_buf text = TS_BUF_INIT(2 * (size_t)TS_FACT_TEXT_MAX);

	if (!cell->known) {
		put_separator(c); /* an unknown value is a field without quotes */
		return;
	}
	ts_fact_print(&cell->value, &text);
	c->out->failed |= text.failed;
	put_field(c, ts_buf_view(&text));
	ts_buf_finish(&text);
}

static void put_number(struct csv *c, bool known, double v)
{
	put_cell(c, &(struct ts_list_cell){.known = known, .value = {.type = TS_FACT_FLOAT, .real = v}});
}

static void put_count(struct csv *c, uint64_t n)
{
	put_cell(c, &(struct ts_list_cell){.known = true, .value = {.type = TS_FACT_INT, .integer = (int64_t)n}});
}

static struct csv csv_of(struct ts_cli *cli)
{
	return (struct csv){.out = &cli->out, .flags = ts_args_has(&cli->args, "no-formulas") ? TS_CSV_NO_FORMULA : 0, .first = true};
}

void ts_render_list_csv(struct ts_cli *cli, const struct ts_listing *list)
{
	struct csv csv = csv_of(cli);

	for (size_t c = 0; c < list->n_columns; c++)
		put_field(&csv, list->columns[c]);
	ts_buf_char(csv.out, '\n');
	for (size_t r = 0; r < list->n; r++) {
		csv.first = true;
		for (size_t c = 0; c < list->n_columns; c++)
			put_cell(&csv, &list->rows[r].cells[c]);
		ts_buf_char(csv.out, '\n');
	}
}

static void put_name(struct ts_cli *cli, struct csv *c, struct ts_span column, const char *what)
{
	const char *name = ts_arena_printf(&cli->arena, "%.*s%s", TS_SPAN_ARG(column), what);

	cli->out.failed |= !name;
	put_field(c, ts_span_str(name ? name : ""));
}

void ts_render_groups_csv(struct ts_cli *cli, const struct ts_groups *groups, uint64_t limit)
{
	struct csv csv = csv_of(cli);

	for (size_t i = 0; i < groups->n_by; i++)
		put_field(&csv, groups->by[i]);
	put_field(&csv, ts_span_str("runs"));
	for (size_t c = 0; c < groups->n_columns; c++) {
		put_name(cli, &csv, groups->columns[c], ".mean");
		put_name(cli, &csv, groups->columns[c], ".sd");
		put_name(cli, &csv, groups->columns[c], ".runs");
	}
	ts_buf_char(csv.out, '\n');
	for (size_t g = 0; g < groups->n && g < limit; g++) {
		const struct ts_run_group *group = &groups->groups[g];

		csv.first = true;
		for (size_t i = 0; i < groups->n_by; i++)
			put_cell(&csv, &group->by[i]);
		put_count(&csv, group->runs);
		for (size_t c = 0; c < groups->n_columns; c++) {
			double sd = 0;
			bool has_sd = ts_group_sd(&group->stats[c], &sd);

			put_number(&csv, group->stats[c].n > 0, group->stats[c].mean);
			put_number(&csv, has_sd, sd);
			put_count(&csv, group->stats[c].n);
		}
		ts_buf_char(csv.out, '\n');
	}
}
