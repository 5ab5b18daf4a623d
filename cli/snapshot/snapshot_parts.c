#include "cli/snapshot/snapshot_parts.h"

#include "cli/text/show_gate.h"
#include "cli/view/show_value.h"
#include "proto/shape/shapes.h"

enum { FILE_PARTS = 2 };

const char *ts_snap_bytes(struct ts_report *r, uint64_t n)
{
	return ts_report_number(r, TS_UNIT_BYTES, (double)n);
}

const char *ts_snap_count(struct ts_report *r, uint64_t n)
{
	return ts_report_kept(r, ts_show_count(n, r->arena));
}

const char *ts_snap_plural(struct ts_report *r, uint64_t n, const char *word)
{
	return ts_report_kept(r, ts_show_plural(n, word, r->arena));
}

struct ts_span ts_snap_short_file(struct ts_span file)
{
	int parts = 0;

	for (size_t i = file.len; i-- > 0;)
		if ((file.data[i] == '/' || file.data[i] == '\\') && ++parts == FILE_PARTS)
			return ts_span_from(file, i + 1);
	return file;
}

const char *ts_snap_brief(struct ts_report *r, struct ts_span text, size_t most)
{
	return ts_report_kept(r, ts_show_brief(text, most, r->arena));
}

const char *ts_snap_place(struct ts_report *r, const struct ts_memory_who *who)
{
	if (!who->file.len || who->line <= 0)
		return "";
	return ts_report_say(r, "%s:%" PRId64, ts_snap_brief(r, ts_snap_short_file(who->file), TS_SNAP_NAME_MOST), who->line);
}

const char *ts_snap_function(struct ts_report *r, const struct ts_memory_who *who)
{
	return who->function.len ? ts_snap_brief(r, ts_memory_short_function(who->function), TS_SNAP_NAME_MOST) : "no stack";
}

void ts_snap_who_table(struct ts_report *r, enum ts_section_id id, const char *head, const struct ts_memory_whos *whos, size_t most)
{
	static const struct ts_view_column made[] = {TS_LEFT("where", 12)};
	struct ts_section *s;
	struct ts_view *table;

	if (!whos->n)
		return;
	s = ts_report_section(r, id);
	s->head = head;
	table = ts_report_view(r, s, &ts_shape_memory_who, "bytes count kind function where", TS_VIEW_COLUMNS(made));
	for (size_t i = 0; i < whos->n && i < most; i++) {
		ts_view_row(table, &whos->items[i]);
		ts_view_set(table, "function", TS_STYLE_PLAIN, ts_snap_function(r, &whos->items[i]));
		ts_view_set(table, "where", TS_STYLE_DIM, ts_snap_place(r, &whos->items[i]));
	}
	if (whos->more || whos->n > most)
		ts_report_line(r, s, NULL,
			       ts_report_say(r, "and %s more", ts_snap_count(r, whos->more + (whos->n > most ? whos->n - most : 0))));
}

struct ts_report ts_snap_report(struct ts_arena *arena, const char *name)
{
	static const struct ts_events no_events;
	static const struct ts_plots no_plots;
	static const struct ts_measures no_rows;
	struct ts_report r = {.arena = arena, .whole = true, .rows = &no_rows, .events = &no_events, .plots = &no_plots};

	r.name = ts_report_text(&r, ts_span_str(name));
	r.foot = "";
	return r;
}
