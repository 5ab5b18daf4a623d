/* report_moment.c - the report of one moment of a snapshot: the event, what was in use then, the segments, and the blocks around it. */
#include "cli/snapshot/report_moment.h"

#include "cli/snapshot/snapshot_parts.h"
#include "cli/view/show_value.h"
#include "proto/shape/shapes.h"

enum { HOLDERS_SHOWN = 10, STACKS_SHOWN = 3, CALLS_SHOWN = 24, CALL_MOST = 120 };

/* --- the event --- */

static const char *what(struct ts_report *r, const struct ts_moment *m)
{
	const struct ts_snapshot_event *e = m->row;
	const char *word = ts_snapshot_actions[e->action];
	const char *bytes = ts_snap_bytes(r, e->size);

	if (e->action == TS_ACTION_OOM)
		return ts_report_say(r, "oom: a request of %s was refused; the device had %s left", bytes,
				     ts_snap_bytes(r, e->address));
	return ts_report_say(r, "%s of %s at 0x%" PRIx64 ", stream %" PRIu64, word ? word : "an action that is not known", bytes,
			     e->address, e->stream);
}

static const char *life(struct ts_report *r, const struct ts_moment *m)
{
	const char *born = m->born_recorded ? ts_report_say(r, "allocated by event %s", ts_snap_count(r, m->life_born))
					    : "allocated before the first event";
	const char *died = m->died_recorded ? ts_report_say(r, "free from event %s on", ts_snap_count(r, m->life_died)) : "never freed";
	const char *place = ts_snap_place(r, &m->life);
	const char *where = m->life.function.len || m->life.file.len
				    ? ts_report_say(r, " in %s%s%s", ts_snap_function(r, &m->life), *place ? " " : "", place)
				    : "";

	return ts_report_say(r, "%s (%s), %s%s, %s", ts_snap_bytes(r, m->life.bytes), ts_memory_kind_word(m->life.kind), born, where,
			     died);
}

/* The frames of Python; where there are none, the innermost of compiled code. */
static void calls(struct ts_report *r, struct ts_section *s, const struct ts_moment *m)
{
	size_t python = 0, shown = 0;

	for (size_t i = 0; i < m->n_calls; i++)
		python += m->python[i];
	for (size_t i = 0; i < m->n_calls && shown < CALLS_SHOWN; i++)
		if (m->python[i] == (python > 0))
			ts_report_line(r, s, shown++ ? " " : "stack", ts_snap_brief(r, m->calls[i], CALL_MOST));
	if (!m->n_calls)
		ts_report_line(r, s, "stack", "none was recorded");
	else if (m->n_calls + m->more_calls > shown)
		ts_report_line(r, s, " ",
			       ts_report_say(r, "and %s more%s; --json has them",
					     ts_snap_plural(r, m->n_calls + m->more_calls - shown, "frame"),
					     python && python == shown ? " of compiled code" : ""));
}

static void event(struct ts_report *r, const struct ts_moment *m)
{
	struct ts_section *s;

	if (!m->row)
		return;
	s = ts_report_section(r, TS_SECTION_EVENT);
	ts_report_line(r, s, "what", what(r, m));
	if (m->row->time_us != INT64_MIN)
		ts_report_line(r, s, "time", ts_report_say(r, "%" PRId64 " µs since 1970", m->row->time_us));
	if (m->has_life)
		ts_report_line(r, s, "memory", life(r, m));
	ts_report_line(r, s, "phase",
		       ts_report_say(r, "%s by its stack%s%s", ts_memory_phase_word(m->phase), m->annotation.len ? "; within " : "",
				     m->annotation.len ? ts_snap_brief(r, m->annotation, TS_SNAP_NAME_MOST) : ""));
	calls(r, s, m);
}

/* --- what is in use --- */

static void memory(struct ts_report *r, const struct ts_memory *of, const struct ts_moment *m)
{
	struct ts_section *s = ts_report_section(r, TS_SECTION_MEMORY);

	ts_report_line(r, s, "requested",
		       ts_report_say(r, "%s in %s%s", ts_snap_bytes(r, m->requested), ts_snap_plural(r, m->count, "block"),
				     of->replay->baseline_error
					     ? ts_report_say(r, ", not certain: events and blocks contradict each other by %s",
							     ts_snap_bytes(r, of->replay->baseline_error))
					     : ""));
	ts_report_line(r, s, "reserved",
		       m->known ? ts_report_say(r, "%s in %s; %s free, the largest gap has %s", ts_snap_bytes(r, m->reserved),
						ts_snap_plural(r, m->n_ranges, "segment"), ts_snap_bytes(r, m->free),
						ts_snap_bytes(r, m->largest))
				: ts_snap_bytes(r, m->reserved));
	if (!m->known)
		ts_report_line(r, s, "free", "not known: too many segments came and went afterwards");
}

static void kinds(struct ts_report *r, const struct ts_moment *m)
{
	static const char *const heads[] = {"bytes", "blocks", NULL};
	struct ts_section *s = ts_report_section(r, TS_SECTION_BY_KIND);
	struct ts_item *item = ts_report_bars(r, s, heads, "kind");

	for (int i = 1; i <= TS_MEMORY_KINDS; i++) {
		const struct ts_moment_kind *k = &m->kinds[i % TS_MEMORY_KINDS]; /* what is unknown comes last */
		struct ts_bar bar = {.label = ts_memory_kind_word(k->kind), .known = true};

		if (!k->count)
			continue;
		bar.share = m->requested ? (double)k->bytes / (double)m->requested : 0;
		bar.values[0] = ts_snap_bytes(r, k->bytes);
		bar.values[1] = ts_snap_count(r, k->count);
		ts_report_bar(r, item, TS_MEMORY_KINDS, &bar);
	}
}

static void stacks(struct ts_report *r, const struct ts_moment *m)
{
	struct ts_section *s = NULL;

	for (size_t i = 0; i < m->by_stack.n && i < STACKS_SHOWN; i++) {
		const struct ts_memory_who *who = &m->by_stack.items[i];

		if (!who->calls.len)
			continue;
		s = s ? s : ts_report_section(r, TS_SECTION_LARGEST_STACKS);
		ts_report_line(r, s, ts_snap_bytes(r, who->bytes), ts_report_text(r, who->calls));
	}
}

/* --- the segments --- */

static const char *map(struct ts_report *r, const struct ts_moment_range *g)
{
	struct ts_buf out = TS_BUF_INIT(4096);
	const char *text;

	for (int i = 0; i < TS_MOMENT_CELLS; i++)
		ts_buf_str(&out, g->used_percent[i] == 0 ? "·" : g->used_percent[i] < 50 ? "░" : g->used_percent[i] < 100 ? "▒" : "█");
	text = ts_report_text(r, ts_buf_view(&out));
	r->failed |= out.failed != TS_OK;
	ts_buf_finish(&out);
	return text;
}

static void segments(struct ts_report *r, const struct ts_moment *m)
{
	static const struct ts_view_column made[] = {
		{.head = "", .key = "mark"}, {.head = "bytes", .align = TS_ALIGN_RIGHT, .key = "size"}, TS_LEFT("map", 20)};
	struct ts_section *s;
	struct ts_view *table;

	if (!m->n_shown)
		return;
	s = ts_report_section(r, TS_SECTION_SEGMENTS);
	s->head = ts_report_say(r, "█ in use, ▒ from half, ░ below half, · free%s", m->ranges[0].here ? "; > that of the event" : "");
	table = ts_report_view(r, s, &ts_shape_moment_segment, "mark size in_use_bytes free_bytes largest_gap_bytes map",
			       TS_VIEW_COLUMNS(made));
	for (size_t i = 0; i < m->n_shown; i++) {
		const struct ts_heap_range *g = &m->ranges[i].range;

		ts_view_row(table, &m->ranges[i]);
		ts_view_set(table, "mark", TS_STYLE_MARK, m->ranges[i].here ? ">" : "");
		ts_view_set(table, "size", TS_STYLE_PLAIN, ts_show_bytes((double)(g->end - g->begin), r->arena));
		ts_view_set(table, "map", TS_STYLE_DIM, map(r, &m->ranges[i]));
	}
	if (m->n_ranges > m->n_shown)
		ts_report_line(r, s, NULL, ts_report_say(r, "and %s smaller", ts_snap_count(r, m->n_ranges - m->n_shown)));
}

static const char *since(struct ts_report *r, const struct ts_moment_piece *p)
{
	if (!p->used)
		return "";
	return p->recorded ? ts_snap_count(r, p->born) : "before";
}

static void pieces(struct ts_report *r, const struct ts_moment *m)
{
	static const struct ts_view_column made[] = {{.head = "", .key = "mark"}, TS_RIGHT("at"),	   TS_LEFT("what", 0),
						     TS_RIGHT("since"),		  TS_LEFT("function", 16), TS_LEFT("where", 12)};
	struct ts_section *s;
	struct ts_view *table;

	if (!m->n_pieces)
		return;
	s = ts_report_section(r, TS_SECTION_AROUND_IT);
	s->head = ts_report_say(r, "a segment of %s from 0x%" PRIx64 " on",
				ts_snap_bytes(r, m->ranges[0].range.end - m->ranges[0].range.begin), m->ranges[0].range.begin);
	if (m->before)
		ts_report_line(r, s, NULL, ts_report_say(r, "%s before", ts_snap_plural(r, m->before, "block or gap")));
	table = ts_report_view(r, s, &ts_shape_moment_piece, "mark at bytes what since function where", TS_VIEW_COLUMNS(made));
	for (size_t i = 0; i < m->n_pieces; i++) {
		const struct ts_moment_piece *p = &m->pieces[i];

		ts_view_row(table, p);
		ts_view_set(table, "mark", TS_STYLE_MARK, p->here ? ">" : "");
		ts_view_set(table, "at", TS_STYLE_DIM, ts_report_with(r, "+", ts_show_bytes((double)p->offset, r->arena), ""));
		ts_view_set(table, "what", TS_STYLE_PLAIN, p->used ? ts_memory_kind_word(p->who.kind) : "free");
		ts_view_set(table, "since", TS_STYLE_PLAIN, since(r, p));
		ts_view_set(table, "function", TS_STYLE_PLAIN, p->used ? ts_snap_function(r, &p->who) : "");
		ts_view_set(table, "where", TS_STYLE_DIM, p->used ? ts_snap_place(r, &p->who) : "");
	}
	if (m->after)
		ts_report_line(r, s, NULL, ts_report_say(r, "%s behind", ts_snap_plural(r, m->after, "block or gap")));
}

enum ts_status ts_report_of_moment(const struct ts_memory_device *of, const struct ts_moment *m, const char *name,
				   struct ts_arena *arena, struct ts_report *ret_report, struct ts_error *err)
{
	struct ts_report r = ts_snap_report(arena, name);
	const char *when = m->row		  ? ts_report_say(&r, "after event %s", ts_snap_count(&r, m->event))
			   : of->replay->n_events ? "before the first event"
						  : "at the end";

	r.title = ts_report_say(&r, "%s: device %u holds %s %s", r.name, of->replay->device, ts_snap_bytes(&r, m->requested), when);
	r.view = of->replay->n_events ? ts_report_say(&r, "%s; --at takes any of them, start, peak, end or oom",
						      ts_snap_plural(&r, of->replay->n_events, "event"))
				      : of->no_history;
	event(&r, m);
	memory(&r, &of->memory, m);
	kinds(&r, m);
	ts_snap_who_table(&r, TS_SECTION_HELD, NULL, &m->by_function, HOLDERS_SHOWN);
	stacks(&r, m);
	segments(&r, m);
	pieces(&r, m);
	if (r.failed || arena->failed)
		return ts_arena_error(arena, err);
	*ret_report = r;
	return TS_OK;
}
