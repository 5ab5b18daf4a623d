/* report_diff_repeats.c - the section of a diff's report on repeats: those of the first run's recipe, and the second
 * run against them. */
#include "cli/report/report_diff.h"

#include "cli/view/show_value.h"

enum { REPEATS_SHOWN = 8 };

/* Says "base, rerun, base2 and 4 more". */
static const char *names(struct ts_report *r, const struct ts_diff_matrix *m)
{
	size_t n = r->whole || m->n <= REPEATS_SHOWN ? m->n : REPEATS_SHOWN;
	const char *text = NULL;

	for (size_t i = 0; i < n; i++)
		text = ts_report_join(r, text, ", ", ts_report_run(r, &m->runs[i]));
	return n < m->n ? ts_report_say(r, "%s and %zu more", text, m->n - n) : text;
}

static const char *ratio(struct ts_report *r, double value)
{
	return ts_report_kept(r, ts_show_apart(value, r->arena));
}

static void row_cells(struct ts_report *r, struct ts_view *table, const struct ts_envelope_row *row)
{
	const char *count = ts_report_kept(r, ts_show_count(row->points, r->arena));
	const char *outside = ts_report_kept(r, ts_show_count(row->outside, r->arena));
	const char *from = "-";

	if (row->known && (row->real || row->grown))
		from = ts_report_say(r, "%" PRId64 "%s", row->first_step, row->grown ? " (grown)" : "");

	ts_view_row(table, NULL);
	ts_view_set(table, "series", TS_STYLE_BOLD, ts_report_series_name(r, row->name));
	ts_view_set(table, "points", TS_STYLE_PLAIN, row->known ? count : "-");
	ts_view_set(table, "repeats differ by", TS_STYLE_A, row->known ? ratio(r, row->spread) : "-");
	ts_view_set(table, "b differs by", TS_STYLE_B, row->known ? ratio(r, row->greatest) : "-");
	ts_view_set(table, "outside", TS_STYLE_PLAIN, row->known ? outside : "-");
	ts_view_set(table, "from step", row->real ? TS_STYLE_MARK : TS_STYLE_DIM, from);
}

void ts_report_diff_repeats(struct ts_report *r, const struct ts_diff *diff)
{
	static const struct ts_view_column columns[] = {TS_LEFT("series", 8),	  TS_RIGHT("points"),  TS_RIGHT("repeats differ by"),
							TS_RIGHT("b differs by"), TS_RIGHT("outside"), TS_RIGHT("from step")};
	const struct ts_repeats *p = &diff->repeats;
	struct ts_section *s;
	struct ts_view *table;

	if (!p->asked)
		return;
	s = ts_report_section(r, TS_SECTION_REPEATS);
	s->head = ts_report_text(r, p->sentence);
	ts_report_line(r, s, "runs", names(r, &p->matrix));
	ts_report_line(r, s, "envelope", ts_report_text(r, p->verdict));
	/* Without an axis, the level is listed among the tiers instead. */
	if (diff->axis.len)
		ts_report_line(r, s, "level", ts_report_text(r, p->statistical.why));
	if (p->n_rows == 0)
		return;
	table = ts_report_table(r, s, TS_VIEW_COLUMNS(columns));
	for (size_t i = 0; i < p->n_rows; i++)
		row_cells(r, table, &p->rows[i]);
}
