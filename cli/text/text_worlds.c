#include "cli/text/text_worlds.h"

#include "analysis/answer/say.h"
#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"

#include <math.h>

static const char *percent(struct ts_cli *cli, double ratio)
{
	return ts_arena_printf(&cli->arena, "%s", ts_say_percent(fabs(ratio) < 5e-4 ? 0 : ratio).text);
}

static enum ts_status table(struct ts_cli *cli, const struct ts_worlds *w, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_RIGHT("ranks"),     TS_LEFT("run", 12),  TS_RIGHT("per second"),
							TS_RIGHT("batch"),     TS_RIGHT("speedup"), TS_RIGHT("±"),
							TS_RIGHT("efficiency")};
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < w->n; i++) {
		const struct ts_world *row = &w->rows[i];

		ts_view_row(&view, NULL);
		ts_view_set(&view, "ranks", TS_STYLE_PLAIN, ts_show_count(row->seen.ranks, &cli->arena));
		ts_view_set_span(&view, "run", TS_STYLE_BOLD, row->seen.run.own_name);
		ts_view_set(&view, "per second", TS_STYLE_PLAIN,
			    ts_arena_printf(&cli->arena, "%s %s", ts_say_number(row->seen.rate).text,
					    row->seen.tokens ? "tokens" : "samples"));
		ts_view_set(&view, "batch", TS_STYLE_PLAIN, ts_arena_printf(&cli->arena, "%s", ts_say_count(row->batch).text));
		ts_view_set(&view, "speedup", row->slower ? TS_STYLE_RED : TS_STYLE_PLAIN,
			    ts_arena_printf(&cli->arena, "%s", ts_say_number(row->speedup).text));
		ts_view_set(&view, "±", TS_STYLE_DIM, ts_arena_printf(&cli->arena, "%.2g", row->speedup_half));
		ts_view_set(&view, "efficiency", TS_STYLE_PLAIN, percent(cli, row->efficiency));
	}
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}

/* What the rank-seconds went into that the smallest world does not need for a sample. */
static enum ts_status losses(struct ts_cli *cli, const struct ts_worlds *w, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_RIGHT("ranks"),     TS_RIGHT("lost"),  TS_RIGHT("communication"),
							TS_RIGHT("imbalance"), TS_RIGHT("input"), TS_RIGHT("computation"),
							TS_RIGHT("other")};
	struct ts_view view;
	bool any = false;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < w->n; i++) {
		const struct ts_world *row = &w->rows[i];

		if (row->seen.ranks == w->base_ranks)
			continue;
		any = true;
		ts_view_row(&view, NULL);
		ts_view_set(&view, "ranks", TS_STYLE_PLAIN, ts_show_count(row->seen.ranks, &cli->arena));
		ts_view_set(&view, "lost", TS_STYLE_BOLD, percent(cli, 1 - row->efficiency));
		for (int k = 0; k < TS_WORLD_LINES; k++)
			ts_view_set(&view, ts_world_line_words[k], row->split ? TS_STYLE_PLAIN : TS_STYLE_DIM,
				    row->split ? percent(cli, row->lost[k]) : "-");
	}
	if (!any)
		return TS_OK;
	ts_text_heading(cli, "WHAT IS LOST, of the time of all ranks");
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}

enum ts_status ts_render_worlds_text(struct ts_cli *cli, const struct ts_worlds *worlds, struct ts_error *err)
{
	for (size_t i = 0; i < worlds->n_sentences; i++)
		ts_text_wrapped(cli, i ? TS_STYLE_PLAIN : TS_STYLE_BOLD, 0, ts_show_text(worlds->sentences[i], &cli->arena));
	ts_text_heading(cli, "WORLDS");
	if (table(cli, worlds, err) || losses(cli, worlds, err))
		return err->status;
	ts_text_wrapped(
		cli, TS_STYLE_DIM, 2,
		"± is half of the 95 % interval from how the steps vary within each run. Runs of the same code differ by more: name "
		"several of each world. A loss below 0 is time that the smallest world needs and this one does not.");
	return ts_arena_check(&cli->arena, err);
}
