#include "cli/text/text_determinism.h"

#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"

static const enum ts_style styles[] = {TS_STYLE_RED, TS_STYLE_YELLOW, TS_STYLE_GREEN, TS_STYLE_DIM};

static void line(struct ts_cli *cli, const char *what, struct ts_span text)
{
	if (text.len)
		ts_text_wrapped(cli, TS_STYLE_DIM, 4, ts_arena_phrase(&cli->arena, "%s%s", what, ts_show_text(text, &cli->arena)));
}

/* A row that is to be read: what it is, what prevents it, what that costs, and who says so. */
static void one(struct ts_cli *cli, const struct ts_determinism_row *row)
{
	const char *name = ts_show_text(row->name, &cli->arena);

	if (row->recorded.len)
		name = ts_arena_phrase(&cli->arena, "%s (recorded: %s)", name, ts_show_text(row->recorded, &cli->arena));
	ts_text_wrapped(cli, styles[row->state], 2, name);
	line(cli, "", row->says);
	line(cli, "prevented by: ", row->prevent);
	line(cli, "cost: ", row->cost);
	line(cli, "source: ", row->source);
}

static bool is_one(const struct ts_determinism_row *row, bool elsewhere, enum ts_hazard_state state)
{
	return row->elsewhere == elsewhere && row->state == state;
}

static void whole(struct ts_cli *cli, const struct ts_determinism *answer, const char *heading, bool elsewhere,
		  enum ts_hazard_state state)
{
	bool any = false;

	for (size_t i = 0; i < answer->n; i++) {
		if (!is_one(&answer->rows[i], elsewhere, state))
			continue;
		if (!any)
			ts_text_heading(cli, heading);
		any = true;
		one(cli, &answer->rows[i]);
	}
}

/* Names alone, in one paragraph. */
static void names(struct ts_cli *cli, const struct ts_determinism *answer, const char *heading, enum ts_hazard_state state)
{
	const char *text = "";

	for (size_t i = 0; i < answer->n; i++)
		if (is_one(&answer->rows[i], false, state))
			text = ts_arena_phrase(&cli->arena, "%s%s%s", text, *text ? ", " : "",
					       ts_show_text(answer->rows[i].name, &cli->arena));
	if (!*text)
		return;
	ts_text_heading(cli, heading);
	ts_text_wrapped(cli, TS_STYLE_PLAIN, 2, text);
}

enum ts_status ts_render_determinism_text(struct ts_cli *cli, const struct ts_determinism *answer, struct ts_error *err)
{
	ts_text_wrapped(cli,
			answer->exit_code == TS_EXIT_YES  ? TS_STYLE_GREEN
			: answer->exit_code == TS_EXIT_NO ? TS_STYLE_RED
							  : TS_STYLE_YELLOW,
			0, ts_show_text(answer->sentence, &cli->arena));
	for (size_t i = 0; i < 2; i++)
		if (answer->folders[i].len)
			ts_text_wrapped(cli, TS_STYLE_DIM, 0,
					ts_arena_phrase(&cli->arena, "Run %zu is in %s.", i + 1,
							ts_show_text(answer->folders[i], &cli->arena)));
	whole(cli, answer, "KNOWN TO BREAK IT", false, TS_HAZARD_BREAKS);
	whole(cli, answer, "UNPROVED", false, TS_HAZARD_UNPROVED);
	names(cli, answer, "CONTROLLED", TS_HAZARD_CONTROLLED);
	names(cli, answer, "CANNOT ACT HERE", TS_HAZARD_IDLE);
	whole(cli, answer, "ACTS ON ANOTHER MACHINE, NOT BETWEEN RUNS HERE", true, TS_HAZARD_BREAKS);
	whole(cli, answer, "MAY ACT ON ANOTHER MACHINE", true, TS_HAZARD_UNPROVED);
	return ts_arena_check(&cli->arena, err);
}
