/* report_diff_layers.c - the section of a diff's report on layers: which differ first and most, and how many agree. */
#include "cli/report/report_diff.h"
#include "cli/view/show_value.h"

static const char *counted(struct ts_report *r, uint64_t n, const char *what)
{
	return ts_report_say(r, "%s %s", ts_report_kept(r, ts_show_count(n, r->arena)), what);
}

static const char *head_of(struct ts_report *r, const struct ts_layer_drift *d)
{
	uint64_t same = d->layers - d->visible - d->within;
	const char *text = ts_report_say(r, "%s compared", ts_report_kept(r, ts_show_plural(d->layers, "layer", r->arena)));

	if (d->visible)
		text = ts_report_join(r, text, ", ", counted(r, d->visible, d->visible == 1 ? "differs" : "differ"));
	if (d->within)
		text = ts_report_join(r, text, ", ", counted(r, d->within, "within the rounding of the values"));
	return same ? ts_report_join(r, text, ", ", counted(r, same, same == 1 ? "agrees to the bit" : "agree to the bit")) : text;
}

static const char *ratio(struct ts_report *r, double value)
{
	return isnan(value) ? "-" : ts_report_say(r, "%.2g", value);
}

void ts_report_diff_layers(struct ts_report *r, const struct ts_diff *diff)
{
	static const struct ts_view_column columns[] = {TS_LEFT("layer", 12),  TS_LEFT("number", 8), TS_RIGHT("from step"),
							TS_RIGHT("largest r"), TS_RIGHT("at step"),  TS_RIGHT("r end"),
							TS_RIGHT("rank")};
	const struct ts_layer_drift *d = &diff->layers;
	bool ranks = diff->a.ranks > 1 || diff->b.ranks > 1;
	struct ts_section *s;
	struct ts_view *table;

	if (!d->visible && !d->within)
		return;
	s = ts_report_section(r, TS_SECTION_LAYERS);
	s->head = head_of(r, d);
	if (!d->n)
		return;
	if (d->visible > d->n)
		ts_report_line(r, s, NULL, "those that differ first, and the one that differs most:");
	table = ts_report_table(r, s, columns, sizeof columns / sizeof columns[0] - !ranks);
	table->indented = true;
	for (size_t i = 0; i < d->n; i++) {
		const struct ts_layer_row *row = &d->rows[i];

		ts_view_row(table, NULL);
		ts_view_set(table, "layer", TS_STYLE_BOLD, ts_report_text(r, row->layer));
		ts_view_set(table, "number", TS_STYLE_PLAIN, ts_report_text(r, row->what));
		ts_view_set(table, "from step", TS_STYLE_PLAIN, ts_report_say(r, "%" PRId64, row->visible_step));
		ts_view_set(table, "largest r", TS_STYLE_PLAIN, ratio(r, row->greatest));
		ts_view_set(table, "at step", TS_STYLE_PLAIN, ts_report_say(r, "%" PRId64, row->greatest_step));
		ts_view_set(table, "r end", TS_STYLE_PLAIN, ratio(r, row->end));
		if (ranks)
			ts_view_set(table, "rank", TS_STYLE_PLAIN, ts_report_say(r, "%" PRId32, row->rank));
	}
	table->more = (size_t)(d->visible - d->n);
	table->counted = true;
	if (d->cut)
		ts_report_line(r, s, NULL, "the first 262,144 numbers of layers are looked at, which are those of the lower ranks");
}
