/* report_memory.c - the report of a memory snapshot: what was refused and why, the course of the device that held most, by kind and by
 * function, what was churned, what is free; and a line for each other device. */
#include "cli/snapshot/report_memory.h"

#include "cli/snapshot/course_figure.h"
#include "cli/snapshot/report_scaling.h"
#include "proto/shape/shapes.h"

enum { FIXES_SHOWN = 3, FINDINGS_SHOWN = 3, HOLDERS_SHOWN = 8, SIZES_SHOWN = 4, GAPS_SHOWN = 3, REFUSED_SHOWN = 3, KEYS_SHOWN = 6 };

/* --- what was refused --- */

static void refused(struct ts_report *r, const struct ts_memory_device *d)
{
	struct ts_section *s;

	if (!d->n_refused)
		return;
	s = ts_report_section(r, TS_SECTION_OUT_OF_MEMORY);
	s->head = ts_report_say(r, "%s refused", ts_snap_plural(r, d->allocator.n_ooms, "request"));
	for (size_t i = 0; i < d->n_refused && i < REFUSED_SHOWN; i++)
		for (int k = 0; k < TS_MEMORY_OOM_LINES; k++)
			ts_report_line(r, s, k ? " " : ts_report_say(r, "event %s", ts_snap_count(r, d->refused[i].event)),
				       ts_report_text(r, d->refused[i].lines[k]));
}

/* --- findings --- */

static void advice(struct ts_report *r, const struct ts_memory_advice *a)
{
	struct ts_section *s;

	if (!a->n_fixes && !a->sentence.len)
		return;
	s = ts_report_section(r, TS_SECTION_WHAT_TO_TRY);
	s->head = ts_report_text(r, a->sentence);
	ts_report_memory_fixes(r, s, a, FIXES_SHOWN);
	if (!a->n_fixes)
		ts_report_line(r, s, NULL, "the snapshot shows no fix of the playbook that would save memory at the peak");
}

static void findings(struct ts_report *r, const struct ts_findings *f)
{
	const char *others = NULL;
	struct ts_section *s;

	if (!f->n)
		return;
	s = ts_report_section(r, TS_SECTION_FINDINGS);
	for (size_t i = 0; i < f->n && i < FINDINGS_SHOWN; i++)
		ts_report_item(r, s, TS_ITEM_FINDING, "")->finding = &f->items[i];
	for (size_t i = FINDINGS_SHOWN; i < f->n; i++)
		others = ts_report_join(r, others, ", ", ts_report_text(r, f->items[i].code));
	ts_report_line(r, s, NULL, ts_report_with(r, "and also: ", others, "; --json has them"));
}

/* What could not be asked, each reason once. That the capacity is not known stands with the head-room. */
static void unchecked(struct ts_report *r, const struct ts_memory_device *d)
{
	const struct ts_findings *f = &d->findings;
	struct ts_section *s = NULL;

	for (size_t i = 0; i < f->n_unchecked; i++) {
		const char *codes = NULL;
		bool said = !d->has_capacity && ts_span_is(f->unchecked[i].code, "MEMORY.HEADROOM");

		for (size_t k = 0; k < i; k++)
			said |= ts_span_eq(f->unchecked[k].reason, f->unchecked[i].reason);
		for (size_t k = i; k < f->n_unchecked && !said; k++)
			if (ts_span_eq(f->unchecked[k].reason, f->unchecked[i].reason))
				codes = ts_report_join(r, codes, ", ", ts_report_text(r, f->unchecked[k].code));
		if (said)
			continue;
		s = s ? s : ts_report_section(r, TS_SECTION_NOT_CHECKED);
		ts_report_line(r, s, NULL, ts_report_say(r, "%s: %s", codes, ts_report_text(r, f->unchecked[i].reason)));
	}
}

/* --- the course --- */

static const struct ts_plot *course(struct ts_report *r, const struct ts_replay *replay, bool reserved)
{
	struct ts_plot *p = ts_arena_array(r->arena, 1, sizeof *p);
	double *values = ts_arena_array(r->arena, replay->n_points * 3, sizeof *values);
	uint64_t *counts = ts_arena_array(r->arena, replay->n_points, sizeof *counts);

	if (!p || !values || !counts) {
		r->failed = true;
		return NULL;
	}
	*p = (struct ts_plot){
		.unit = TS_UNIT_BYTES, .width = replay->n_points > 1 ? replay->points[1].first : 1, .n = replay->n_points};
	p->min = values;
	p->max = values + p->n;
	p->mean = values + 2 * p->n;
	p->count = counts;
	for (size_t i = 0; i < p->n; i++) {
		const struct ts_replay_point *at = &replay->points[i];

		p->min[i] = reserved ? (double)at->reserved_max : (double)at->requested_min;
		p->max[i] = reserved ? (double)at->reserved_max : (double)at->requested_max;
		p->mean[i] = (p->min[i] + p->max[i]) / 2;
		counts[i] = 1;
	}
	return p;
}

static void draw(struct ts_report *r, struct ts_section *s, const struct ts_replay *replay, bool reserved, const char *label)
{
	const struct ts_plot *plot = course(r, replay, reserved);

	if (plot && plot->n > 1)
		ts_report_item(r, s, TS_ITEM_PLOT, label)->plot = plot;
}

static const char *peak_text(struct ts_report *r, const struct ts_replay *p)
{
	if (p->peak_event == TS_REPLAY_BEFORE)
		return ts_report_say(r, "%s, before the first event", ts_snap_bytes(r, p->peak));
	return ts_report_say(r, "%s, after event %s of %s", ts_snap_bytes(r, p->peak), ts_snap_count(r, p->peak_event),
			     ts_snap_count(r, p->n_events));
}

static const char *baseline_text(struct ts_report *r, const struct ts_replay *p)
{
	if (p->baseline_error)
		return ts_report_say(r, "%s before the first event, not certain: events and blocks contradict each other by %s",
				     ts_snap_bytes(r, p->baseline), ts_snap_bytes(r, p->baseline_error));
	return ts_report_say(r, "%s before the first event, exact if recording went on until the snapshot",
			     ts_snap_bytes(r, p->baseline));
}

/* What a refused request tells: what was reserved and what the device had left then. */
static const char *at_least(struct ts_report *r, const struct ts_memory_device *d)
{
	uint64_t most = 0;

	for (size_t i = 0; i < d->n_refused; i++) {
		const struct ts_oom *o = &d->refused[i].oom;

		if (o->known && o->device_free <= UINT64_MAX - o->reserved && o->reserved + o->device_free > most)
			most = o->reserved + o->device_free;
	}
	return most ? ts_report_say(r, "; by the refused request it is at least %s", ts_snap_bytes(r, most)) : "";
}

static const char *source_text(struct ts_report *r, const struct ts_memory_device *d)
{
	return d->capacity_source ? ts_report_say(r, " (%s)", d->capacity_source) : "";
}

/* The most of the device that others held when a request was refused: the head-room was not this allocator's alone. */
static const char *others_text(struct ts_report *r, const struct ts_memory_device *d)
{
	uint64_t most = 0;

	for (size_t i = 0; i < d->n_refused; i++) {
		const struct ts_oom *o = &d->refused[i].oom;

		if (o->known && o->reserved <= d->capacity && o->device_free <= d->capacity - o->reserved &&
		    d->capacity - o->reserved - o->device_free > most)
			most = d->capacity - o->reserved - o->device_free;
	}
	if (!most)
		return "";
	return ts_report_say(r, "; %s were held outside of the allocator when a request was refused", ts_snap_bytes(r, most));
}

static void memory(struct ts_report *r, const struct ts_memory_device *d, const struct ts_course *course)
{
	const struct ts_replay *p = d->replay;
	struct ts_section *s = ts_report_section(r, TS_SECTION_MEMORY);

	s->head = ts_report_say(r, "device %" PRIu64 ": %s reserved, %s allocated", d->device, ts_snap_bytes(r, p->reserved),
				ts_snap_bytes(r, p->allocated));
	if (d->traced && course) {
		ts_course_figure(r, s, d, course);
	} else if (d->traced) {
		draw(r, s, p, false, "requested");
		if (p->reserved_peak > p->reserved || d->allocator.n_taken)
			draw(r, s, p, true, "reserved");
	}
	if (d->traced) {
		ts_report_line(
			r, s, "peak",
			ts_report_say(r, "%s; the blocks took at least %s", peak_text(r, p), ts_snap_bytes(r, d->peak_allocated)));
		ts_report_line(r, s, "baseline", baseline_text(r, p));
	} else {
		ts_report_line(r, s, "peak", ts_report_say(r, "unknown: %s", d->no_history));
	}
	ts_report_line(r, s, "at the end",
		       ts_report_say(r, "%s requested in %s; rounding takes %s more", ts_snap_bytes(r, p->requested),
				     ts_snap_plural(r, p->n_in_use, "block"), ts_snap_bytes(r, p->rounding)));
	if (d->has_capacity && d->headroom >= 0)
		ts_report_line(r, s, "head-room",
			       ts_report_say(r, "%s of %s%s%s", ts_snap_bytes(r, (uint64_t)d->headroom), ts_snap_bytes(r, d->capacity),
					     source_text(r, d), others_text(r, d)));
	else if (d->has_capacity)
		ts_report_line(r, s, "head-room",
			       ts_report_say(r, "none: %s%s is less than what was reserved", ts_snap_bytes(r, d->capacity),
					     source_text(r, d)));
	else
		ts_report_line(r, s, "head-room",
			       ts_report_say(r, "not known: the snapshot does not say what the device has (--device-memory does)%s",
					     at_least(r, d)));
}

/* --- by kind and by function --- */

static void kinds(struct ts_report *r, const struct ts_memory_device *d)
{
	static const char *const heads[] = {"at peak", "at end", "asked for", NULL};
	uint64_t whole = d->traced ? d->replay->peak : d->replay->requested;
	struct ts_section *s = ts_report_section(r, TS_SECTION_BY_KIND);
	struct ts_item *item = ts_report_bars(r, s, heads, "kind");

	for (int i = 1; i <= TS_MEMORY_KINDS; i++) {
		const struct ts_memory_kind_sum *k = &d->kinds[i % TS_MEMORY_KINDS]; /* what is unknown comes last */
		struct ts_bar bar = {.label = ts_memory_kind_word(k->kind), .known = true};

		if (!k->at_end && !(d->traced && (k->at_peak || k->churned)))
			continue;
		bar.share = whole ? (double)(d->traced ? k->at_peak : k->at_end) / (double)whole : 0;
		bar.values[0] = d->traced ? ts_snap_bytes(r, k->at_peak) : "unknown";
		bar.values[1] = ts_snap_bytes(r, k->at_end);
		bar.values[2] = d->traced ? ts_snap_bytes(r, k->churned) : "unknown";
		ts_report_bar(r, item, TS_MEMORY_KINDS, &bar);
	}
}

static const char *sizes_text(struct ts_report *r, const struct ts_memory_device *d)
{
	const char *text = NULL;

	for (size_t i = 0; i < d->by_size.n && i < SIZES_SHOWN; i++)
		text = ts_report_join(r, text, "; ",
				      ts_report_say(r, "%s of %s", ts_snap_count(r, d->by_size.items[i].count),
						    ts_snap_bytes(r, d->by_size.items[i].size)));
	return ts_report_with(r, "sizes: ", text, "");
}

/* --- what is free, and what it cost --- */

/* "2 of less than 2 MiB (4 MiB), 7 of 2 to 64 MiB (140 MiB)": many small ones are what expandable segments would join. */
static const char *segments(struct ts_report *r, const struct ts_memory_device *d)
{
	static const char *const sizes[TS_FRAGMENT_CLASSES] = {"of less than 2 MiB", "of 2 to 64 MiB", "of 64 to 256 MiB",
							       "of 256 MiB to 1 GiB", "of 1 GiB and more"};
	const char *text = NULL;

	for (int i = 0; i < TS_FRAGMENT_CLASSES; i++)
		if (d->fragments.classes[i].n)
			text = ts_report_join(r, text, ", ",
					      ts_report_say(r, "%s %s (%s)", ts_snap_count(r, d->fragments.classes[i].n), sizes[i],
							    ts_snap_bytes(r, d->fragments.classes[i].reserved)));
	return text;
}

static void free_memory(struct ts_report *r, const struct ts_memory_device *d)
{
	const struct ts_fragments *f = &d->fragments;
	struct ts_section *s = ts_report_section(r, TS_SECTION_FREE);

	s->head = ts_report_say(r, "%s of what is reserved", ts_snap_bytes(r, f->free));
	ts_report_line(r, s, "cache",
		       ts_report_say(r, "%s in %s%s; empty_cache returns it", ts_snap_bytes(r, f->cached + f->pages),
				     ts_snap_plural(r, f->n_cached, "whole segment"), f->pages ? " and in whole pages" : ""));
	ts_report_line(r, s, "fragments",
		       ts_report_say(r, "%s that empty_cache does not return%s", ts_snap_bytes(r, f->stuck),
				     f->n_pinned ? ts_report_say(r, "; %s of less than 2 MiB between two gaps",
								 ts_snap_plural(r, f->n_pinned, "block"))
						 : ""));
	if (d->replay->n_segments)
		ts_report_line(r, s, "segments", segments(r, d));
	for (size_t i = 0; i < d->n_gaps && i < GAPS_SHOWN; i++) {
		const struct ts_memory_who *beside = d->gaps[i].before.file.len ? &d->gaps[i].before : &d->gaps[i].after;

		ts_report_line(r, s, i ? " " : "largest gaps",
			       ts_report_say(r, "%s of a segment of %s%s%s", ts_snap_bytes(r, d->gaps[i].bytes),
					     ts_snap_bytes(r, d->gaps[i].segment), beside->file.len ? ", beside " : "",
					     beside->file.len
						     ? ts_report_say(r, "%s %s", ts_snap_function(r, beside), ts_snap_place(r, beside))
						     : ""));
	}
	if (f->n_expandable)
		ts_report_line(
			r, s, "expandable",
			ts_report_say(r, "%s in %s", ts_snap_bytes(r, f->expandable), ts_snap_plural(r, f->n_expandable, "segment")));
	if (f->in_pools)
		ts_report_line(r, s, "pools",
			       ts_report_say(r, "%s of the fragments belong to private pools", ts_snap_bytes(r, f->in_pools)));
}

static void allocator(struct ts_report *r, const struct ts_memory_device *d)
{
	const struct ts_allocator *a = &d->allocator;
	const struct ts_spans *l = &d->spans;
	struct ts_section *s;

	if (!d->traced)
		return;
	s = ts_report_section(r, TS_SECTION_ALLOCATOR);
	ts_report_line(r, s, "device",
		       ts_report_say(r, "taken from it %s (%s), given back %s (%s)", ts_snap_plural(r, a->n_taken, "time"),
				     ts_snap_bytes(r, a->taken), ts_snap_plural(r, a->n_given, "time"), ts_snap_bytes(r, a->given)));
	if (a->timed && a->n_taken + a->n_given)
		ts_report_line(r, s, "its time",
			       ts_report_say(r, "at most %s, by the times of the events before each%s",
					     ts_report_number(r, TS_UNIT_SECONDS, (double)a->most_us / 1e6),
					     a->n_retries
						     ? ts_report_say(r, "; in retries at least %s",
								     ts_report_number(r, TS_UNIT_SECONDS, (double)a->retry_us / 1e6))
						     : ""));
	if (a->n_retries)
		ts_report_line(r, s, "retries",
			       ts_report_say(r, "%s gave %s back and asked the device again",
					     ts_snap_plural(r, a->n_retries, "request"), ts_snap_bytes(r, a->retried)));
	if (l->n)
		ts_report_line(r, s, "life spans",
			       l->timed ? ts_report_say(r, "median %s, 99 %% up to %s, longest %s",
							ts_report_number(r, TS_UNIT_SECONDS, (double)l->median_us / 1e6),
							ts_report_number(r, TS_UNIT_SECONDS, (double)l->p99_us / 1e6),
							ts_report_number(r, TS_UNIT_SECONDS, (double)l->longest_us / 1e6))
					: ts_report_say(r, "median %s, longest %s", ts_snap_plural(r, l->median_events, "event"),
							ts_snap_count(r, l->longest_events)));
}

static void annotations(struct ts_report *r, const struct ts_memory_device *d)
{
	struct ts_section *s;
	struct ts_view *table;

	if (!d->n_annotations)
		return;
	s = ts_report_section(r, TS_SECTION_ANNOTATIONS_OF_THE_PROFILER);
	table = ts_report_view(r, s, &ts_shape_memory_annotation, "kept_bytes peak_bytes count name", NULL, 0);
	for (size_t i = 0; i < d->n_annotations && i < HOLDERS_SHOWN; i++) {
		ts_view_row(table, &d->annotations[i]);
		ts_view_set(table, "name", TS_STYLE_PLAIN, ts_snap_brief(r, d->annotations[i].name, TS_SNAP_NAME_MOST));
	}
	if (d->n_annotations + d->more_annotations > HOLDERS_SHOWN)
		ts_report_line(
			r, s, NULL,
			ts_report_say(r, "and %s more", ts_snap_count(r, d->n_annotations + d->more_annotations - HOLDERS_SHOWN)));
}

static void others(struct ts_report *r, const struct ts_memory_answer *m, const struct ts_memory_device *shown)
{
	struct ts_section *s;

	if (m->n < 2)
		return;
	s = ts_report_section(r, TS_SECTION_OTHER_DEVICES);
	for (size_t i = 0; i < m->n; i++) {
		const struct ts_memory_device *d = &m->devices[i];
		const char *peak = d->traced ? ts_snap_bytes(r, d->replay->peak) : "unknown";

		if (d != shown)
			ts_report_line(r, s, ts_report_say(r, "device %" PRIu64, d->device),
				       ts_report_say(r, "peak %s, at the end %s requested, %s reserved%s", peak,
						     ts_snap_bytes(r, d->replay->requested), ts_snap_bytes(r, d->replay->reserved),
						     d->n_refused ? "; requests were refused" : ""));
	}
}

static const char *cut_text(struct ts_report *r, const struct ts_snapshot *s)
{
	const char *what = s->damaged ? "what was packed is damaged, so that any number may be wrong; it is read to byte"
				      : "the file ends; what stands before is read, to byte";
	const char *begin = ts_report_say(r, "%s %" PRIu64 " of the pickle", what, s->pickle_bytes);

	if (!s->traced)
		return ts_report_say(r, "%s, so that more segments, and all events, may be missing", begin);
	if (!s->n_cut_events)
		return begin;
	return ts_report_say(r, "%s, but for %s of the history in which it ends: levels are counted back from its last event", begin,
			     ts_snap_plural(r, s->n_cut_events, "event"));
}

static void passed_over(struct ts_report *r, const struct ts_memory_answer *m)
{
	const char *keys = NULL;
	struct ts_section *s;

	if (!m->n_unknown && !m->n_lost && !m->snapshot->n_passed && !m->snapshot->trailing_bytes &&
	    !m->snapshot->cut)
		return;
	s = ts_report_section(r, TS_SECTION_NOT_READ);
	if (m->snapshot->cut)
		ts_report_line(r, s, "cut", cut_text(r, m->snapshot));
	for (size_t i = 0; i < m->n_unknown && i < KEYS_SHOWN; i++)
		keys = ts_report_join(r, keys, ", ",
				      ts_report_say(r, "%s (%s)", ts_snap_brief(r, m->unknown[i].key, TS_SNAP_NAME_MOST),
						    ts_snap_plural(r, m->unknown[i].n, "time")));
	if (m->n_unknown > KEYS_SHOWN)
		keys = ts_report_join(r, keys, ", ", ts_report_say(r, "%zu more", m->n_unknown - KEYS_SHOWN));
	ts_report_line(r, s, "unknown keys", keys);
	for (size_t i = 0; i < m->n_lost && i < KEYS_SHOWN; i++)
		ts_report_line(r, s, "not readable",
			       ts_report_say(r, "\"%s\" has %s of another type or out of range, the first at byte %" PRIu64
					     " of the pickle; what it should say counts as unknown",
					     ts_snap_brief(r, m->lost[i].key, TS_SNAP_NAME_MOST),
					     ts_snap_plural(r, m->lost[i].n, "value"), m->lost[i].at));
	if (m->n_lost > KEYS_SHOWN)
		ts_report_line(r, s, "not readable", ts_report_say(r, "and values of %zu more keys", m->n_lost - KEYS_SHOWN));
	if (m->snapshot->n_passed)
		ts_report_line(r, s, "values", ts_snap_plural(r, m->snapshot->n_passed, "value"));
	if (m->snapshot->trailing_bytes)
		ts_report_line(r, s, "behind the end", "there are bytes behind the pickle");
}

/* --- the whole --- */

/* A file that ends within its segments lacks others. */
static const char *title(struct ts_report *r, const struct ts_snapshot *s, const struct ts_memory_device *d, const char *name)
{
	const char *on = ts_report_say(r, "%s: %sdevice %" PRIu64, ts_report_text(r, ts_span_str(name)),
				       s->damaged ? "the file is damaged, and any number may be wrong: " : "", d->device);
	const char *least = s->cut && !s->traced ? "at least " : "";

	if (d->n_refused)
		return ts_report_say(r, "%s ran out of memory, holding %s", on, ts_snap_bytes(r, d->refused[0].oom.live));
	if (!d->traced)
		return ts_report_say(r, "%s holds %s%s of %s%s reserved", on, least, ts_snap_bytes(r, d->replay->requested), least,
				     ts_snap_bytes(r, d->replay->reserved));
	return ts_report_say(r, "%s held %s at its peak, with %s reserved", on, ts_snap_bytes(r, d->replay->peak),
			     ts_snap_bytes(r, d->replay->reserved_peak));
}

/* course: of a page, which has room for longer tables; else NULL. */
static void sections(struct ts_report *r, const struct ts_memory_answer *m, const struct ts_memory_device *d,
		     const struct ts_course *course)
{
	size_t shown = course ? TS_MEMORY_HOLDERS : HOLDERS_SHOWN, fewer = course ? TS_MEMORY_HOLDERS : HOLDERS_SHOWN / 2;

	refused(r, d);
	advice(r, &d->advice);
	findings(r, &d->findings);
	if (m->scaling)
		ts_report_scaling(r, m->scaling);
	memory(r, d, course);
	kinds(r, d);
	if (d->traced)
		ts_snap_who_table(r, TS_SECTION_HELD_AT_THE_PEAK, NULL, &d->at_peak, shown);
	ts_snap_who_table(r, TS_SECTION_HELD_AT_THE_END, NULL, &d->at_end, d->traced ? fewer : shown);
	if (course)
		ts_course_largest(r, d, course);
	ts_snap_who_table(r, TS_SECTION_ASKED_FOR, sizes_text(r, d), &d->churn, shown);
	ts_snap_who_table(r, TS_SECTION_CARRIED_FROM_STEP_TO_STEP, NULL, &d->carried, fewer);
	free_memory(r, d);
	allocator(r, d);
	annotations(r, d);
	others(r, m, d);
	unchecked(r, d);
	passed_over(r, m);
}

enum ts_status ts_report_of_memory(const struct ts_memory_answer *m, const struct ts_memory_device *d, const char *name, bool page,
				   struct ts_arena *arena, struct ts_report *ret_report, struct ts_error *err)
{
	struct ts_report r = ts_snap_report(arena, name);
	struct ts_course course;

	if (d && page && ts_course_of(&d->memory, arena, &course, err))
		return err->status;
	if (!d) {
		r.title = ts_report_say(&r, "%s: a snapshot without any segment or event", r.name);
	} else {
		r.title = title(&r, m->snapshot, d, name);
		r.light = d->n_refused ? TS_LIGHT_HIGH : TS_LIGHT_NONE;
		r.view = ts_report_say(&r, "%s, %s, %s", ts_snap_plural(&r, d->replay->n_events, "event"),
				       ts_snap_plural(&r, d->replay->n_segments, "segment"),
				       ts_snap_plural(&r, m->snapshot->n_stacks, "stack"));
		sections(&r, m, d, page ? &course : NULL);
	}
	if (r.failed || arena->failed)
		return ts_arena_error(arena, err);
	*ret_report = r;
	return TS_OK;
}
