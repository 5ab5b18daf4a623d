#include "cli/text/text_comparison.h"

#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"

static const char *interval(struct ts_cli *cli, double low, double high)
{
	return ts_arena_printf(&cli->arena, "%.4g to %.4g", low, high);
}

static const char *setting_name(struct ts_cli *cli, const struct ts_compared_setting *s)
{
	if (!s->word.len)
		return ts_show_text(s->path, &cli->arena);
	return ts_arena_printf(&cli->arena, "%s = %s", ts_show_text(s->path, &cli->arena), ts_show_text(s->word, &cli->arena));
}

static const char *why_not_known(struct ts_cli *cli, const struct ts_compared_setting *s)
{
	if (s->state == TS_SETTING_MOVES)
		return ts_arena_printf(&cli->arena, "it moves with %s", ts_show_text(s->with, &cli->arena));
	return s->state == TS_SETTING_FEW ? "too few runs" : "";
}

static enum ts_status settings(struct ts_cli *cli, const struct ts_comparison *c, struct ts_error *err)
{
	static const char *const said[] = {"yes", "not shown", "not known", "not known"};
	static const struct ts_view_column columns[] = {TS_LEFT("setting", 12),	     TS_RIGHT("runs"),	       TS_RIGHT("rank corr."),
							TS_RIGHT("95 % interval"), TS_LEFT("goes with", 9), TS_LEFT("because", 26)};
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < c->n_settings; i++) {
		const struct ts_compared_setting *s = &c->settings[i];
		bool yes = s->state == TS_SETTING_GOES_WITH;

		ts_view_row(&view, NULL);
		ts_view_set(&view, "setting", yes ? TS_STYLE_BOLD : TS_STYLE_PLAIN, setting_name(cli, s));
		ts_view_set(&view, "runs", TS_STYLE_PLAIN, ts_show_count(s->runs, &cli->arena));
		ts_view_set(&view, "rank corr.", s->known ? TS_STYLE_PLAIN : TS_STYLE_DIM,
			    s->known ? ts_arena_printf(&cli->arena, "%.2f", s->rho) : "-");
		ts_view_set(&view, "95 % interval", s->known ? TS_STYLE_PLAIN : TS_STYLE_DIM,
			    s->known ? ts_arena_printf(&cli->arena, "%.2f to %.2f", s->low, s->high) : "-");
		ts_view_set(&view, "goes with", yes ? TS_STYLE_BOLD : TS_STYLE_DIM, said[s->state]);
		ts_view_set(&view, "because", TS_STYLE_DIM, why_not_known(cli, s));
	}
	ts_text_heading(cli, "SETTINGS");
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}

static enum ts_status groups(struct ts_cli *cli, const struct ts_comparison *c, struct ts_error *err)
{
	static const char *const said[] = {"the best", "yes", "not shown", "not known: few runs"};
	const char *head = ts_show_text(c->by, &cli->arena);
	const struct ts_view_column columns[] = {{.head = head, .align = TS_ALIGN_LEFT, .least = 12},
						 TS_RIGHT("runs"),
						 TS_RIGHT("mean"),
						 TS_RIGHT("95 % interval"),
						 TS_RIGHT("to the best"),
						 TS_RIGHT("its interval"),
						 TS_LEFT("worse", 12)};
	struct ts_view view;

	if (!head)
		return ts_arena_error(&cli->arena, err);
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < c->n_groups; i++) {
		const struct ts_compared_group *g = &c->groups[i];
		enum ts_style style = g->compared ? TS_STYLE_PLAIN : TS_STYLE_DIM;

		ts_view_row(&view, NULL);
		ts_view_set(&view, head, g->name.len ? TS_STYLE_BOLD : TS_STYLE_DIM,
			    g->name.len ? ts_show_text(g->name, &cli->arena) : "-");
		ts_view_set(&view, "runs", TS_STYLE_PLAIN, ts_show_count(g->runs, &cli->arena));
		ts_view_set(&view, "mean", TS_STYLE_PLAIN, ts_show_rounded(g->mean, &cli->arena));
		ts_view_set(&view, "95 % interval", g->runs > 1 ? TS_STYLE_PLAIN : TS_STYLE_DIM,
			    g->runs > 1 ? interval(cli, g->low, g->high) : "-");
		ts_view_set(&view, "to the best", style, g->compared ? ts_arena_printf(&cli->arena, "%+.4g", g->difference) : "-");
		ts_view_set(&view, "its interval", style, g->compared ? interval(cli, g->least, g->most) : "-");
		ts_view_set(&view, "worse", g->state == TS_GROUP_WORSE ? TS_STYLE_BOLD : TS_STYLE_DIM, said[g->state]);
	}
	ts_text_heading(cli, "GROUPS");
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}

enum ts_status ts_render_comparison_text(struct ts_cli *cli, const struct ts_comparison *c, struct ts_error *err)
{
	for (size_t i = 0; i < c->n_sentences; i++)
		ts_text_wrapped(cli, i ? TS_STYLE_PLAIN : TS_STYLE_BOLD, 0, ts_show_text(c->sentences[i], &cli->arena));
	if ((c->n_groups && groups(cli, c, err)) || (c->n_settings && settings(cli, c, err)))
		return err->status;
	if (c->n_settings)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2,
				"This is no proof of a cause: who chose the settings by hand has changed others, too. Runs at random "
				"or on a grid tell more.");
	return ts_arena_check(&cli->arena, err);
}
