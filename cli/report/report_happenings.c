/* report_happenings.c - the section of what a run recorded when it happened: exceptions, restarts, checkpoints, what it says. */
#include "cli/report/report_diff.h"
#include "cli/report/report_parts.h"
#include "cli/text/show_happening.h"

/* A text that was made in the report's arena. */
static const char *taken(struct ts_report *r, const char *text)
{
	r->failed |= !text;
	return text ? text : "";
}

void ts_report_happenings(struct ts_report *r)
{
	static const struct ts_sheet_column columns[] = {
		{"event", false, 10}, {"step", true, 0}, {"time", true, 0}, {"rank", true, 0}, {"says", false, 16}};
	const struct ts_happenings *h = &r->a->happenings;
	bool ranks = ts_happenings_name_ranks(h, r->a->run.ranks);
	struct ts_sheet_column used[5];
	struct ts_section *s;
	struct ts_sheet *table;
	size_t n = 0;

	if (!h->n)
		return;
	for (size_t c = 0; c < 5; c++)
		if (c != 3 || ranks)
			used[n++] = columns[c];
	s = ts_report_section(r, "EVENTS");
	s->head = ts_report_kept(r, ts_show_happenings(h, r->arena));
	table = ts_report_sheet(r, s, used, n);
	table->indented = true;
	for (size_t i = 0; i < h->n; i++) {
		const struct ts_happening *e = &h->items[i];
		struct ts_sheet_cell cells[5];
		size_t at = 0;

		cells[at++] = (struct ts_sheet_cell){taken(r, ts_show_happening_name(e, r->arena)),
						     e->kind <= TS_HAPPENING_SIGNAL ? TS_TONE_MARK : TS_TONE_STRONG};
		cells[at++] = (struct ts_sheet_cell){taken(r, ts_show_happening_step(e, r->arena)), TS_TONE_PLAIN};
		cells[at++] = (struct ts_sheet_cell){e->has_time ? ts_report_number(r, TS_UNIT_SECONDS, e->time_s) : "-",
						     TS_TONE_PLAIN};
		if (ranks)
			cells[at++] = (struct ts_sheet_cell){taken(r, ts_show_happening_ranks(e, r->arena)), TS_TONE_PLAIN};
		cells[at++] = (struct ts_sheet_cell){taken(r, ts_show_happening_says(e, r->arena)), TS_TONE_PLAIN};
		ts_report_cells(r, table, cells);
	}
	table->more = h->more;
	table->counted = true;
}
