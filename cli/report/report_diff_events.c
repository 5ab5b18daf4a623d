/* report_diff_events.c - the section of a diff's report on events and regions: which of them one run has and the other has not. */
#include "base/number.h"
#include "base/words.h"
#include "cli/report/report_diff.h"
#include "cli/view/show_value.h"
#include "run/head.h"

enum { EVENTS_SHOWN = 8 };

static const char *counted(struct ts_report *r, uint64_t n, const char *what)
{
	return ts_report_say(r, "%s %s", ts_report_kept(r, ts_show_count(n, r->arena)), what);
}

static const char *head_of(struct ts_report *r, const struct ts_event_diff *e)
{
	const char *text = counted(r, e->compared - e->values, e->compared - e->values == 1 ? "agrees" : "agree");

	if (e->values)
		text = ts_report_join(r, text, ", ", counted(r, e->values, e->values == 1 ? "has another value" : "have other values"));
	if (e->only_a)
		text = ts_report_join(r, text, ", ", counted(r, e->only_a, "only in a"));
	if (e->only_b)
		text = ts_report_join(r, text, ", ", counted(r, e->only_b, "only in b"));
	if (e->beyond_a)
		text = ts_report_join(r, text, ", ", counted(r, e->beyond_a, "of a behind the last step of b"));
	if (e->beyond_b)
		text = ts_report_join(r, text, ", ", counted(r, e->beyond_b, "of b behind the last step of a"));
	if (e->reordered)
		text = ts_report_join(r, text, ", ",
				      ts_report_say(r, "the order differs at %s",
						    ts_report_kept(r, ts_show_plural(e->reordered, "place", r->arena))));
	return text;
}

/* Says "after step 199". */
static const char *where_of(struct ts_report *r, const struct ts_event_row *row)
{
	switch (row->where) {
	case TS_EVENT_IN:
		return ts_report_say(r, "in step %" PRId64, row->step);
	case TS_EVENT_BEHIND:
		return ts_report_say(r, "after step %" PRId64, row->step);
	case TS_EVENT_BEFORE_ALL:
		return "before the first step";
	case TS_EVENT_NOWHERE:
		break;
	}
	return "at a time between steps that is not known";
}

static const char *value_of(struct ts_report *r, const struct ts_event_side *side)
{
	char digits[TS_DOUBLE_TEXT];

	if (!side->has_value)
		return side->text.len ? ts_report_text(r, side->text) : "neither value nor text";
	return ts_report_say(r, "%.*s", (int)ts_print_double(side->value, digits), digits);
}

static const char *what_of(struct ts_report *r, const struct ts_event_row *row)
{
	const struct ts_event_side *side = row->change == TS_EVENT_ONLY_B ? &row->b : &row->a;
	bool says = side->has_value || side->text.len;

	switch (row->change) {
	case TS_EVENT_ONLY_A:
	case TS_EVENT_ONLY_B:
		return ts_report_say(r, "only in %s%s%s", row->change == TS_EVENT_ONLY_A ? "a" : "b", says ? ": " : "",
				     says ? value_of(r, side) : "");
	case TS_EVENT_VALUE:
		return ts_report_say(r, "%s in a, %s in b", value_of(r, &row->a), value_of(r, &row->b));
	case TS_EVENT_ORDER:
		return "comes earlier in b";
	}
	return "differs in a way " TS_NEWER_WORD;
}

static const char *name_of(struct ts_report *r, const struct ts_event_row *row)
{
	const char *name = ts_report_text(r, row->name);

	if (row->region)
		name = ts_report_say(r, "%s (region)", name);
	return row->occurrence ? ts_report_say(r, "%s (occurrence %s)", name,
					       ts_report_kept(r, ts_show_count(row->occurrence, r->arena)))
			       : name;
}

/* A run without any may be one in which nothing happened, or one whose program records none. */
static const char *missing(struct ts_report *r, const struct ts_event_diff *e)
{
	if (e->all_a && e->all_b)
		return NULL;
	return ts_report_say(r, "%s has no event at all: nothing happened there, or nothing was recorded", e->all_a ? "b" : "a");
}

void ts_report_diff_events(struct ts_report *r, const struct ts_diff *diff)
{
	static const struct ts_view_column columns[] = {TS_RIGHT("rank"), TS_LEFT("where", 0), TS_LEFT("event", 12),
							TS_LEFT("difference", 12)};
	const struct ts_event_diff *e = &diff->events;
	size_t n = r->whole || e->n <= EVENTS_SHOWN ? e->n : EVENTS_SHOWN;
	struct ts_section *s;
	struct ts_view *table;

	if (!e->n)
		return;
	s = ts_report_section(r, TS_SECTION_EVENTS);
	s->head = head_of(r, e);
	ts_report_line(r, s, NULL, e->n > 1 ? "the first that differs on each rank:" : "the first that differs:");
	table = ts_report_table(r, s, TS_VIEW_COLUMNS(columns));
	table->indented = true;
	for (size_t i = 0; i < n; i++) {
		const struct ts_event_row *row = &e->rows[i];

		ts_view_row(table, NULL);
		ts_view_set(table, "rank", TS_STYLE_PLAIN, row->rank == TS_RANK_JOB ? "job" : ts_report_say(r, "%d", row->rank));
		ts_view_set(table, "where", TS_STYLE_PLAIN, where_of(r, row));
		ts_view_set(table, "event", TS_STYLE_BOLD, name_of(r, row));
		ts_view_set(table, "difference", TS_STYLE_PLAIN, what_of(r, row));
	}
	table->more = e->n - n;
	ts_report_line(r, s, NULL, missing(r, e));
	if (e->cut)
		ts_report_line(r, s, NULL, "of a rank only the first million events are looked at");
}
