/* report_happenings.c - the section of what a run recorded when it happened: exceptions, restarts, checkpoints, what it says. */
#include "cli/report/report_parts.h"
#include "cli/text/show_happening.h"

void ts_report_happenings(struct ts_report *r)
{
	static const struct ts_view_column columns[] = {TS_LEFT("event", 10), TS_RIGHT("step"), TS_RIGHT("time"), TS_RIGHT("rank"),
							TS_LEFT("says", 16)};
	const struct ts_happenings *h = &r->a->happenings;
	bool ranks = ts_happenings_name_ranks(h, r->a->run.ranks);
	struct ts_view_column used[5];
	struct ts_section *s;
	struct ts_view *table;
	size_t n = 0;

	if (!h->n)
		return;
	for (size_t c = 0; c < 5; c++)
		if (c != 3 || ranks)
			used[n++] = columns[c];
	s = ts_report_section(r, "EVENTS");
	s->head = ts_report_kept(r, ts_show_happenings(h, r->arena));
	table = ts_report_table(r, s, used, n);
	table->indented = true;
	for (size_t i = 0; i < h->n; i++) {
		const struct ts_happening *e = &h->items[i];

		ts_view_text(table, e->kind <= TS_HAPPENING_SIGNAL ? TS_STYLE_MARK : TS_STYLE_BOLD,
			     ts_report_kept(r, ts_show_happening_name(e, r->arena)));
		ts_view_text(table, TS_STYLE_PLAIN, ts_report_kept(r, ts_show_happening_step(e, r->arena)));
		ts_view_text(table, TS_STYLE_PLAIN, e->has_time ? ts_report_number(r, TS_UNIT_SECONDS, e->time_s) : "-");
		if (ranks)
			ts_view_text(table, TS_STYLE_PLAIN, ts_report_kept(r, ts_show_happening_ranks(e, r->arena)));
		ts_view_text(table, TS_STYLE_PLAIN, ts_report_kept(r, ts_show_happening_says(e, r->arena)));
	}
	table->more = h->more;
	table->counted = true;
}
