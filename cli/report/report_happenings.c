/* report_happenings.c - the section of what a run recorded when it happened: exceptions, restarts, checkpoints, what it says. */
#include "base/number.h"
#include "base/text.h"
#include "cli/report/report_diff.h"
#include "cli/report/report_parts.h"
#include "cli/text/show_value.h"
#include "run/head.h"

enum { TEXT_SHOWN = 400 };

static const char *where_of(struct ts_report *r, const struct ts_happening *e)
{
	if (!e->has_step)
		return "-";
	return ts_report_say(r, "%s%" PRId64, e->after ? "after " : "", e->step);
}

static const char *ranks_of(struct ts_report *r, const struct ts_happening *e)
{
	if (e->n_ranks > 1)
		return ts_report_say(r, "%zu ranks", e->n_ranks);
	return !e->n_ranks ? "-" : e->ranks[0] == TS_RANK_JOB ? "job" : ts_report_say(r, "%" PRId32, e->ranks[0]);
}

static const char *text_of(struct ts_report *r, const struct ts_happening *e)
{
	char digits[TS_DOUBLE_TEXT];
	struct ts_span cut = ts_utf8_cut(e->text, TEXT_SHOWN);
	const char *text = e->text.len ? ts_report_text(r, cut) : "";

	if (cut.len < e->text.len)
		text = ts_report_say(r, "%s…", text);
	if (!e->has_value)
		return text;
	return ts_report_join(r, ts_report_say(r, "%.*s", (int)ts_print_double(e->value, digits), digits), " ", text);
}

static const char *head_of(struct ts_report *r, const struct ts_happenings *h)
{
	const char *text = ts_report_kept(r, ts_show_plural(h->all, "recorded event", r->arena));

	if (!h->regions)
		return text;
	return ts_report_say(r, "%s; %s %s not listed", text, ts_report_kept(r, ts_show_plural(h->regions, "region", r->arena)),
			     h->regions == 1 ? "is" : "are");
}

static bool of_ranks(const struct ts_report *r, const struct ts_happenings *h)
{
	bool job = false;

	for (size_t i = 0; i < h->n; i++)
		job |= h->items[i].n_ranks && h->items[i].ranks[0] == TS_RANK_JOB;
	return job || r->a->run.ranks > 1;
}

void ts_report_happenings(struct ts_report *r)
{
	static const struct ts_sheet_column columns[] = {
		{"event", false, 10}, {"step", true, 0}, {"time", true, 0}, {"rank", true, 0}, {"says", false, 16}};
	const struct ts_happenings *h = &r->a->happenings;
	bool ranks = of_ranks(r, h);
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
	s->head = head_of(r, h);
	table = ts_report_sheet(r, s, used, n);
	table->indented = true;
	for (size_t i = 0; i < h->n; i++) {
		const struct ts_happening *e = &h->items[i];
		struct ts_sheet_cell cells[5];
		size_t at = 0;

		cells[at++] = (struct ts_sheet_cell){ts_report_text(r, ts_utf8_cut(e->name, TEXT_SHOWN)),
						     e->kind <= TS_HAPPENING_SIGNAL ? TS_TONE_MARK : TS_TONE_STRONG};
		cells[at++] = (struct ts_sheet_cell){where_of(r, e), TS_TONE_PLAIN};
		cells[at++] = (struct ts_sheet_cell){e->has_time ? ts_report_number(r, TS_UNIT_SECONDS, e->time_s) : "-",
						     TS_TONE_PLAIN};
		if (ranks)
			cells[at++] = (struct ts_sheet_cell){ranks_of(r, e), TS_TONE_PLAIN};
		cells[at++] = (struct ts_sheet_cell){text_of(r, e), TS_TONE_PLAIN};
		ts_report_cells(r, table, cells);
	}
	table->more = h->more;
	table->counted = true;
}
