#include "cli/snapshot/course_figure.h"

#include "cli/report/report_diff.h"
#include "cli/view/show_value.h"

enum { PLACES = 100, STRETCHES_MOST = 200, ROWS_MOST = 3 };

/* From below: what changes least first. */
static const struct {
	enum ts_memory_kind kind;
	int colour;
} parts[TS_MEMORY_KINDS] = {
	{TS_MEMORY_BEFORE, 5},	   {TS_MEMORY_PARAMETERS, 0},  {TS_MEMORY_MADE, 10},	     {TS_MEMORY_OPTIMIZER, 3},
	{TS_MEMORY_WORKSPACE, 11}, {TS_MEMORY_UNKNOWN, 6},     {TS_MEMORY_GRADIENTS, 2},     {TS_MEMORY_CASTS, 8},
	{TS_MEMORY_KEPT, 9},	   {TS_MEMORY_ACTIVATIONS, 7}, {TS_MEMORY_RECOMPUTATION, 1}, {TS_MEMORY_TEMPORARY, 4},
};

struct figure {
	struct ts_report *r;
	const struct ts_memory_device *d;
	const struct ts_course *c;
	struct ts_areas *areas;
};

int ts_course_colour(enum ts_memory_kind kind)
{
	size_t i = 0;

	while (i + 1 < TS_MEMORY_KINDS && parts[i].kind != kind)
		i++;
	return parts[i].colour;
}

/* The place of the state after an event: 0 is before the first. */
static double place(uint32_t event)
{
	return event == TS_REPLAY_BEFORE ? 0 : (double)event + 1;
}

static void *kept(struct figure *f, size_t n, size_t size)
{
	void *items = ts_arena_array(f->r->arena, n, size);

	f->r->failed |= !items;
	return items;
}

static void take_states(struct figure *f)
{
	double *x = kept(f, f->c->n, sizeof *x), *values = kept(f, f->c->n * TS_MEMORY_KINDS, sizeof *values);
	double *line = kept(f, f->c->n, sizeof *line);

	if (!x || !values || !line)
		return;
	for (size_t i = 0; i < f->c->n; i++) {
		x[i] = place(f->c->states[i].event);
		line[i] = (double)f->c->states[i].reserved_most;
		for (size_t k = 0; k < TS_MEMORY_KINDS; k++)
			values[i * TS_MEMORY_KINDS + k] = (double)f->c->states[i].kinds[parts[k].kind];
	}
	for (size_t k = 0; k < TS_MEMORY_KINDS; k++) {
		f->areas->parts[k] = ts_memory_kind_word(parts[k].kind);
		f->areas->colours[k] = parts[k].colour;
	}
	f->areas->n_parts = TS_MEMORY_KINDS;
	f->areas->x = x;
	f->areas->values = values;
	f->areas->line = line;
	f->areas->n = f->c->n;
}

/* --- what is said of a place --- */

static const char *block(struct ts_report *r, const struct ts_memory_device *d, uint32_t number)
{
	const struct ts_life *life = &d->replay->lives[number];
	struct ts_memory_who who = ts_memory_who_of(&d->memory, life->stack, r->arena);

	return ts_report_say(r, "%s %s, %s %s", ts_snap_bytes(r, life->requested),
			     ts_memory_kind_word((enum ts_memory_kind)d->memory.kinds[number]), ts_snap_function(r, &who),
			     ts_snap_place(r, &who));
}

static const char *state_text(struct figure *f, const struct ts_course_state *s)
{
	const char *when = s->event == TS_REPLAY_BEFORE ? "before the first event"
							: ts_report_say(f->r, "after event %s", ts_snap_count(f->r, s->event));
	const char *text = ts_report_say(f->r, "%s: %s in use, %s reserved", when, ts_snap_bytes(f->r, s->total),
					 ts_snap_bytes(f->r, s->reserved));

	for (int k = TS_MEMORY_KINDS; k-- > 0;)
		if (s->kinds[parts[k].kind])
			text = ts_report_say(f->r, "%s\n%s %s", text, ts_snap_bytes(f->r, s->kinds[parts[k].kind]),
					     ts_memory_kind_word(parts[k].kind));
	for (uint32_t i = 0; i < s->n_holds; i++)
		text = ts_report_say(f->r, "%s\n%s%s", text, i ? "" : "largest blocks:\n", block(f->r, f->d, s->holds[i]));
	return text;
}

/* Each place says the state in it where most is in use. */
static void take_says(struct figure *f)
{
	size_t n = f->c->n < PLACES ? f->c->n : PLACES, from = 0;
	struct ts_areas_mark *says = kept(f, n, sizeof *says);

	for (size_t i = 0; says && i < n; i++) {
		size_t end = f->c->n * (i + 1) / n;
		const struct ts_course_state *most = &f->c->states[from];

		for (size_t s = from; s < end; s++)
			most = f->c->states[s].total > most->total ? &f->c->states[s] : most;
		says[i] = (struct ts_areas_mark){.x = i ? says[i - 1].end : 0,
						 .end = end < f->c->n ? place(f->c->states[end].event) : f->areas->last,
						 .text = state_text(f, most)};
		from = end;
	}
	f->areas->says = says;
	f->areas->n_says = says ? n : 0;
}

static void take_lines(struct figure *f)
{
	const struct ts_replay *p = f->d->replay;
	struct ts_areas_mark *lines = kept(f, f->d->n_refused + 1, sizeof *lines);
	size_t n = 0;

	if (!lines)
		return;
	lines[n++] = (struct ts_areas_mark){
		.x = place(p->peak_event),
		.text = p->peak_event == TS_REPLAY_BEFORE
				? ts_report_say(f->r, "peak: %s, before the first event", ts_snap_bytes(f->r, p->peak))
				: ts_report_say(f->r, "peak: %s, after event %s", ts_snap_bytes(f->r, p->peak),
						ts_snap_count(f->r, p->peak_event))};
	for (size_t i = 0; i < f->d->n_refused; i++)
		lines[n++] = (struct ts_areas_mark){.x = (double)f->d->refused[i].event + 1,
						    .serious = true,
						    .text = ts_report_say(f->r, "event %s: a request of %s was refused",
									  ts_snap_count(f->r, f->d->refused[i].event),
									  ts_snap_bytes(f->r, f->d->refused[i].oom.requested))};
	f->areas->lines = lines;
	f->areas->n_lines = n;
}

static void take_stretches(struct figure *f)
{
	const struct ts_mark_stretches *all = &f->d->stretches;
	struct ts_areas_mark *marks = kept(f, all->n < STRETCHES_MOST ? all->n : STRETCHES_MOST, sizeof *marks);
	size_t n = 0;

	for (size_t i = 0; marks && i < all->n && n < STRETCHES_MOST; i++) {
		const struct ts_mark_stretch *s = &all->items[i];

		if (s->depth >= ROWS_MOST || s->end <= s->first)
			continue;
		marks[n++] = (struct ts_areas_mark){
			.x = s->first,
			.end = s->end,
			.row = (int)s->depth,
			.text = ts_snap_brief(f->r, ts_snapshot_text(f->d->replay->snapshot, s->name), TS_SNAP_NAME_MOST)};
		f->areas->n_rows = f->areas->n_rows > (int)s->depth + 1 ? f->areas->n_rows : (int)s->depth + 1;
	}
	f->areas->stretches = marks;
	f->areas->n_stretches = n;
}

void ts_course_figure(struct ts_report *r, struct ts_section *s, const struct ts_memory_device *d, const struct ts_course *course)
{
	struct figure f = {.r = r, .d = d, .c = course, .areas = ts_arena_array(r->arena, 1, sizeof *f.areas)};

	if (!f.areas || !d->replay->n_events) {
		r->failed |= !f.areas;
		return;
	}
	*f.areas = (struct ts_areas){.unit = TS_UNIT_BYTES, .last = d->replay->n_events, .x_title = "events", .line_name = "reserved"};
	take_states(&f);
	take_says(&f);
	take_lines(&f);
	take_stretches(&f);
	ts_report_item(r, s, TS_ITEM_AREAS,
		       d->stretches.n ? "memory in use by kind, over the events; below it what the profiler annotated"
				      : "memory in use by kind, over the events")
		->areas = f.areas;
}

void ts_course_largest(struct ts_report *r, const struct ts_memory_device *d, const struct ts_course *course)
{
	static const struct ts_view_column columns[] = {TS_LEFT("kind", 0), TS_RIGHT("bytes"),	     TS_RIGHT("from event"),
							TS_RIGHT("to"),	    TS_LEFT("function", 20), TS_LEFT("where", 12)};
	struct ts_section *s;
	struct ts_view *table;

	if (!course->n_largest)
		return;
	s = ts_report_section(r, TS_SECTION_LARGEST_BLOCKS);
	table = ts_report_table(r, s, TS_VIEW_COLUMNS(columns));
	for (size_t i = 0; i < course->n_largest; i++) {
		const struct ts_life *life = &d->replay->lives[course->largest[i]];
		struct ts_memory_who who = ts_memory_who_of(&d->memory, life->stack, r->arena);

		ts_view_row(table, NULL);
		ts_view_set(table, "kind", TS_STYLE_PLAIN,
			    ts_memory_kind_word((enum ts_memory_kind)d->memory.kinds[course->largest[i]]));
		ts_view_set(table, "bytes", TS_STYLE_BOLD, ts_show_bytes((double)life->requested, r->arena));
		ts_view_set(table, "from event", TS_STYLE_PLAIN,
			    life->born == TS_REPLAY_BEFORE ? "before" : ts_snap_count(r, life->born));
		ts_view_set(table, "to", TS_STYLE_PLAIN, life->died == TS_REPLAY_NEVER ? "the end" : ts_snap_count(r, life->died));
		ts_view_set(table, "function", TS_STYLE_PLAIN, ts_snap_function(r, &who));
		ts_view_set(table, "where", TS_STYLE_DIM, ts_snap_place(r, &who));
	}
}
