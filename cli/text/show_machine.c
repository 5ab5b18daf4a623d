#include "cli/text/show_machine.h"

#include "analysis/answer/say.h"
#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"

static bool ends(const char *name, const char *end)
{
	return ts_span_ends(ts_span_str(name), end);
}

/* A unit by the end of a name, which is not part of what the column is called. */
static const struct {
	const char *end, *unit;
} units[] = {{"_mhz", " MHz"}, {"_w", " W"}, {"_c", " C"}};

static bool is_share(const char *name)
{
	static const char *const shares[] = {"waiting", "throttled", "steal", "busy", "blocked", "_by_power", "_by_heat", "_by_others"};

	for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
		if (ends(name, shares[i]))
			return true;
	return false;
}

static const char *unit_of(const char *name)
{
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (ends(name, units[i].end))
			return units[i].unit;
	return ends(name, "per_s") ? " /s" : "";
}

/* Bytes, shares and plain numbers, by what the name says. */
static const char *value_of(struct ts_cli *cli, const char *name, double value)
{
	struct ts_say said = ends(name, "bytes") || ends(name, "bytes_per_s") ? ts_say_bytes(value)
			     : is_share(name)				      ? ts_say_percent(value)
									      : ts_say_number(value);

	return ts_arena_printf(&cli->arena, "%s%s", said.text, unit_of(name));
}

/* "cpu_quota_cores" as people read it: "cpu quota cores"; without its unit. */
static const char *title(struct ts_cli *cli, const char *name)
{
	char *text = ts_arena_printf(&cli->arena, "%s", name);
	char *unit = text ? strstr(text, "_bytes") : NULL;

	if (unit)
		*unit = '\0';
	unit = text ? strstr(text, "_per_s") : NULL;
	if (unit)
		*unit = '\0';
	for (size_t i = 0; text && i < sizeof units / sizeof units[0]; i++)
		if (ends(text, units[i].end))
			text[strlen(text) - strlen(units[i].end)] = '\0';
	for (char *at = text; at && *at; at++)
		*at = *at == '_' ? ' ' : *at;
	return text;
}

enum ts_status ts_machine_show(struct ts_cli *cli, const struct ts_machine_about *about, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_LEFT("machine", 12), TS_RIGHT("median"), TS_RIGHT("mean"),
							TS_RIGHT("least"),	TS_RIGHT("most"),   TS_RIGHT("most at")};
	struct ts_view view;

	ts_text_wrapped(cli, TS_STYLE_PLAIN, 0,
			ts_arena_printf(&cli->arena, "%s over %s; what is not here was not told by the system",
					ts_show_plural(about->rows, "observation", &cli->arena),
					ts_show_seconds(about->seconds, &cli->arena)));
	ts_buf_char(&cli->out, '\n');
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < about->n; i++) {
		const struct ts_machine_sum *sum = &about->sums[i];

		if (!sum->n)
			continue;
		ts_view_row(&view, NULL);
		ts_view_set(&view, "machine", TS_STYLE_PLAIN, title(cli, sum->name));
		ts_view_set(&view, "median", TS_STYLE_PLAIN, value_of(cli, sum->name, sum->median));
		ts_view_set(&view, "mean", TS_STYLE_PLAIN, value_of(cli, sum->name, sum->mean));
		ts_view_set(&view, "least", TS_STYLE_PLAIN, value_of(cli, sum->name, sum->least));
		ts_view_set(&view, "most", TS_STYLE_PLAIN, value_of(cli, sum->name, sum->most));
		ts_view_set(&view, "most at", TS_STYLE_DIM, ts_show_seconds(sum->most_at, &cli->arena));
	}
	return ts_view_print(&view, &cli->term, 0, &cli->out, err);
}
