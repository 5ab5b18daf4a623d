#include "cli/text/csv_list.h"

#include "base/limits.h"
#include "base/number.h"

static bool needs_quotes(struct ts_span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] == ',' || text.data[i] == '"' || text.data[i] == '\n' || text.data[i] == '\r')
			return true;
	return text.len == 0;
}

static void put_field(struct ts_buf *out, bool *io_first, struct ts_span text)
{
	if (!*io_first)
		ts_buf_char(out, ',');
	*io_first = false;
	if (!needs_quotes(text)) {
		ts_buf_span(out, text);
		return;
	}
	ts_buf_char(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '"')
			ts_buf_char(out, '"');
		ts_buf_u8(out, text.data[i]);
	}
	ts_buf_char(out, '"');
}

/* An unknown value is a field without quotes. */
static void put_unknown(struct ts_buf *out, bool *io_first)
{
	if (!*io_first)
		ts_buf_char(out, ',');
	*io_first = false;
}

static void put_cell(struct ts_buf *out, bool *io_first, const struct ts_list_cell *cell)
{
	struct ts_buf text = TS_BUF_INIT(2 * (size_t)TS_FACT_TEXT_MAX);

	if (!cell->known) {
		put_unknown(out, io_first);
		return;
	}
	ts_fact_print(&cell->value, &text);
	out->failed |= text.failed;
	put_field(out, io_first, ts_buf_view(&text));
	ts_buf_finish(&text);
}

static void put_number(struct ts_buf *out, bool *io_first, bool known, double v)
{
	put_cell(out, io_first, &(struct ts_list_cell){.known = known, .value = {.type = TS_FACT_FLOAT, .real = v}});
}

static void put_count(struct ts_buf *out, bool *io_first, uint64_t n)
{
	put_cell(out, io_first, &(struct ts_list_cell){.known = true, .value = {.type = TS_FACT_INT, .integer = (int64_t)n}});
}

void ts_render_list_csv(struct ts_cli *cli, const struct ts_listing *list)
{
	struct ts_buf *out = &cli->out;
	bool first = true;

	for (size_t c = 0; c < list->n_columns; c++)
		put_field(out, &first, list->columns[c]);
	ts_buf_char(out, '\n');
	for (size_t r = 0; r < list->n; r++) {
		first = true;
		for (size_t c = 0; c < list->n_columns; c++)
			put_cell(out, &first, &list->rows[r].cells[c]);
		ts_buf_char(out, '\n');
	}
}

static void put_name(struct ts_cli *cli, bool *io_first, struct ts_span column, const char *what)
{
	const char *name = ts_arena_printf(&cli->arena, "%.*s%s", TS_SPAN_ARG(column), what);

	cli->out.failed |= !name;
	put_field(&cli->out, io_first, ts_span_str(name ? name : ""));
}

void ts_render_groups_csv(struct ts_cli *cli, const struct ts_groups *groups, uint64_t limit)
{
	struct ts_buf *out = &cli->out;
	bool first = true;

	for (size_t i = 0; i < groups->n_by; i++)
		put_field(out, &first, groups->by[i]);
	put_field(out, &first, ts_span_str("runs"));
	for (size_t c = 0; c < groups->n_columns; c++) {
		put_name(cli, &first, groups->columns[c], ".mean");
		put_name(cli, &first, groups->columns[c], ".sd");
		put_name(cli, &first, groups->columns[c], ".runs");
	}
	ts_buf_char(out, '\n');
	for (size_t g = 0; g < groups->n && g < limit; g++) {
		const struct ts_run_group *group = &groups->groups[g];

		first = true;
		for (size_t i = 0; i < groups->n_by; i++)
			put_cell(out, &first, &group->by[i]);
		put_count(out, &first, group->runs);
		for (size_t c = 0; c < groups->n_columns; c++) {
			double sd = 0;
			bool has_sd = ts_group_sd(&group->stats[c], &sd);

			put_number(out, &first, group->stats[c].n > 0, group->stats[c].mean);
			put_number(out, &first, has_sd, sd);
			put_count(out, &first, group->stats[c].n);
		}
		ts_buf_char(out, '\n');
	}
}
