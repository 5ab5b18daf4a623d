/* report_happenings.c - the section of what a run recorded when it happened: exceptions, restarts, checkpoints, what it says. */
#include "cli/report/report_parts.h"
#include "cli/text/show_happening.h"

void ts_report_happenings(struct ts_report *r)
{
	const struct ts_happenings *h = &r->a->happenings;
	struct ts_section *s;
	struct ts_view *table;

	if (!h->n)
		return;
	s = ts_report_section(r, TS_SECTION_EVENTS);
	s->head = ts_report_kept(r, ts_show_happenings(h, r->arena));
	table = ts_report_table(r, s, NULL, 0);
	ts_view_happenings(table, h, r->a->run.ranks, r->arena);
	table->indented = true;
	table->more = h->more;
	table->counted = true;
}
