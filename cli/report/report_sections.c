/* report_sections.c - what each section of the report says, from the rows of an answer.
 *
 * A row that is not there or not known leaves its words out; NOT KNOWN has all of those, each reason once. A section
 * without a known row is left out. Lists are cut to what a screen holds; --rows and --json have everything.
 */
#include "analysis/answer/row_words.h"
#include "cli/report/report_parts.h"

#include "analysis/answer/say.h"
#include "analysis/rules/rule.h"
#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"

#include <stdlib.h>

enum {
	PHASES_SHOWN = 10,
	SERIES_SHOWN = 6,
	STAGES_SHOWN = 12,
	FIXES_SHOWN = 3, /* of time and of memory together, of each one at least */
	CHECKS_SHOWN = 2,
	STEPS_SHOWN = 5,
	BUDGET_SHOWN = 10,
	COINCIDENCES_SHOWN = 8,
};

#define FIX_LEAST 0.05 /* of wall time */
static const double UNSEEN = 0.0005; /* a share that is shown as 0.0 % */

/* --- pieces --- */

static void plot_item(struct ts_report *r, struct ts_section *s, const char *label, const struct ts_plot *plot)
{
	struct ts_item *item;

	if (!plot)
		return;
	item = ts_report_item(r, s, TS_ITEM_PLOT, label);
	item->plot = plot;
	if (plot->nonfinite)
		item->text = ts_report_say(r, "%s\u00a0not\u00a0finite",
					   ts_report_number(r, TS_UNIT_COUNT, (double)plot->nonfinite));
}

/* Says "1200 to 1210". Steps are written without separators, because they are names. */
static const char *steps(struct ts_report *r, int64_t first, int64_t last)
{
	if (first == last)
		return ts_report_say(r, "%" PRId64, first);
	return ts_report_say(r, "%" PRId64 " to %" PRId64, first, last);
}

/* --- events --- */

/* The events of one kind and subject: the strongest few, sorted by step, and the total number. */
struct happened {
	const struct ts_event *top[STEPS_SHOWN];
	size_t n_top;
	const struct ts_event *strongest;
	double total;
};

static bool stronger(const struct ts_event *a, const struct ts_event *b)
{
	return a->score > b->score || (a->score == a->score && b->score != b->score);
}

/* When all places are taken, a stronger event replaces the weakest. Of two equally strong events, the earlier one stays. */
static void keep_strongest(struct happened *h, const struct ts_event *e)
{
	size_t weakest = 0;

	if (!h->strongest || stronger(e, h->strongest))
		h->strongest = e;
	if (h->n_top < STEPS_SHOWN) {
		h->top[h->n_top++] = e;
		return;
	}
	for (size_t i = 1; i < h->n_top; i++)
		if (!stronger(h->top[i], h->top[weakest]))
			weakest = i;
	if (!stronger(e, h->top[weakest]))
		return;
	memmove(h->top + weakest, h->top + weakest + 1, (h->n_top - weakest - 1) * sizeof h->top[0]);
	h->top[h->n_top - 1] = e;
}

/* If subject is NULL, the events of all subjects are taken. */
static struct happened happened(const struct ts_report *r, enum ts_answer_group group, const struct ts_span *subject,
				enum ts_event_kind kind)
{
	struct happened h = {.n_top = 0};

	for (size_t i = 0; i < r->a->events.n; i++) {
		const struct ts_event *e = &r->a->events.items[i];

		if (e->kind != kind || !ts_span_eq(e->group, ts_answer_group_name(group)) ||
		    (subject && !ts_span_eq(e->subject, *subject)))
			continue;
		keep_strongest(&h, e);
		h.total++;
	}
	return h;
}

/* Says which events a line shows. shifts, spikes and dips name the rows that count all events, because the list may
 * have only the strongest. */
struct events_of {
	enum ts_answer_group group;
	struct ts_span subject;
	enum ts_unit unit;
	enum ts_measure_name shifts, spikes, dips; /* TS_MEASURE_NAMES: not counted */
	struct ts_span of;			   /* the subject of these rows, as ts_report_row has it */
};

static struct happened counted(const struct ts_report *r, const struct events_of *e, enum ts_event_kind kind,
			       enum ts_measure_name count)
{
	const struct ts_measure *row = count < TS_MEASURE_NAMES ? ts_report_row(r, count, e->of) : NULL;
	struct happened h = happened(r, e->group, &e->subject, kind);

	if (row && row->value > h.total)
		h.total = row->value;
	return h;
}

static const char *when(struct ts_report *r, const struct happened *h)
{
	const char *text = NULL;

	for (size_t i = 0; i < h->n_top; i++)
		text = ts_report_join(r, text, ", ", steps(r, h->top[i]->first_step, h->top[i]->last_step));
	if (h->total > (double)h->n_top)
		text = ts_report_say(r, "%s and %s more", text,
				     ts_report_number(r, TS_UNIT_COUNT, h->total - (double)h->n_top));
	return text;
}

/* Says "3, at step 17, 33, 40; the strongest reaches 60 ms, usual are 13 ms". */
static const char *excursions(struct ts_report *r, const struct happened *h, enum ts_unit unit)
{
	const struct ts_event *e = h->strongest;
	const char *text = ts_report_say(r, "%s, at step %s; %s%s", ts_report_number(r, TS_UNIT_COUNT, h->total),
					 when(r, h), h->total > 1 ? "the strongest reaches " : "it reaches ",
					 ts_report_number(r, unit, e->value));

	if (isnan(e->expected))
		return text;
	return ts_report_say(r, "%s (usual: %s)", text, ts_report_number(r, unit, e->expected));
}

static const char *shifts(struct ts_report *r, const struct happened *h, enum ts_unit unit)
{
	const char *text = NULL;

	for (size_t i = 0; i < h->n_top; i++)
		text = ts_report_join(r, text, "; ",
				      ts_report_say(r, "at step %" PRId64 " from %s to %s", h->top[i]->first_step,
						    ts_report_number(r, unit, h->top[i]->expected),
						    ts_report_number(r, unit, h->top[i]->value)));
	if (h->total > (double)h->n_top)
		text = ts_report_say(r, "%s; and %s more", text,
				     ts_report_number(r, TS_UNIT_COUNT, h->total - (double)h->n_top));
	return text;
}

static void event_lines(struct ts_report *r, struct ts_section *s, const struct events_of *e, const char *indent)
{
	struct happened h = counted(r, e, TS_EVENT_NONFINITE, TS_MEASURE_NAMES);

	if (h.total)
		ts_report_line(r, s, ts_report_say(r, "%snot finite", indent),
			       ts_report_say(r, "at step %s", when(r, &h)));
	h = counted(r, e, TS_EVENT_BLOW_UP, TS_MEASURE_NAMES);
	if (h.total)
		ts_report_line(r, s, ts_report_say(r, "%sblow-up", indent),
			       ts_report_say(r, "from step %" PRId64 " on, up to %s", h.strongest->first_step,
					     ts_report_number(r, e->unit, h.strongest->value)));
	h = counted(r, e, TS_EVENT_SHIFT, e->shifts);
	if (h.total)
		ts_report_line(r, s, ts_report_say(r, "%slevel", indent), shifts(r, &h, e->unit));
	h = counted(r, e, TS_EVENT_SPIKE, e->spikes);
	if (h.total)
		ts_report_line(r, s, ts_report_say(r, "%sspikes", indent), excursions(r, &h, e->unit));
	if (e->group == TS_ANSWER_TIMING)
		ts_report_line(r, s, "tagged", ts_report_value(r, TS_M_STEP_TAGGED));
	h = counted(r, e, TS_EVENT_DIP, e->dips);
	if (h.total)
		ts_report_line(r, s, ts_report_say(r, "%sdips", indent), excursions(r, &h, e->unit));
}

/* --- verdict and findings --- */

static bool decided(const struct ts_bound *b)
{
	for (size_t i = 0; i < sizeof b->shares / sizeof b->shares[0]; i++)
		if (b->shares[i].known)
			return true;
	return false;
}

void ts_report_memory_fixes(struct ts_report *r, struct ts_section *s, const struct ts_memory_advice *advice, size_t n)
{
	for (size_t i = 0; i < advice->n_fixes && i < n; i++) {
		const struct ts_memory_fix *f = &advice->fixes[i];
		const char *text = ts_report_join(r, ts_report_text(r, f->name), ": ", ts_report_text(r, f->how));
		const char *costs = f->costs.len ? ts_report_say(r, " (costs: %s)", ts_report_text(r, f->costs)) : "";

		if (i == 0)
			ts_report_line(r, s, "try", "memory at the peak that each fix could save:");
		ts_report_line(r, s, "",
			       ts_report_say(r, "up\u00a0to\u00a0%s: %s%s", ts_report_number(r, TS_UNIT_BYTES, f->saves_most), text,
					     costs));
	}
}

/* What wins little beside what the run is bound by is no advice for a screen. */
static bool is_shown(const struct ts_bound *b, const struct ts_fix *f)
{
	return f->of == b->kind || f->wins_most_ratio >= FIX_LEAST;
}

/* What stands before the first semicolon: the rest is for whoever tries it, and --json and the playbook have it. */
static struct ts_span first_part(struct ts_span how)
{
	const uint8_t *end = memchr(how.data, ';', how.len);

	return end ? ts_span_part(how, 0, (size_t)(end - how.data)) : how;
}

static void worth_checking(struct ts_report *r, struct ts_section *s)
{
	const struct ts_bound *b = &r->a->bound;

	for (size_t i = 0; i < b->n_to_check && i < CHECKS_SHOWN - (b->memory.n_fixes > 0); i++) {
		const struct ts_to_check *c = &b->to_check[i];

		if (i == 0)
			ts_report_line(r, s, "check", "fixes that may help; nothing recorded shows whether, or how much:");
		ts_report_line(r, s, "",
			       ts_report_say(r, "%s: %s. What tells: %s", ts_report_text(r, c->name),
					     ts_report_text(r, first_part(c->how)), ts_report_text(r, c->check)));
	}
}

static void fixes(struct ts_report *r, struct ts_section *s)
{
	const struct ts_bound *b = &r->a->bound;
	size_t most = FIXES_SHOWN - (b->memory.n_fixes > 0 || b->n_to_check > 0), n = 0;

	for (size_t i = 0; i < b->n_fixes && n < most; i++) {
		const struct ts_fix *f = &b->fixes[i];
		const char *text = ts_report_join(r, ts_report_text(r, f->name), ": ", ts_report_text(r, f->how));

		if (!is_shown(b, f))
			continue;
		if (n++ == 0)
			ts_report_line(r, s, "try", "share of wall time that each fix could save:");
		ts_report_line(r, s, "",
			       ts_report_say(r, "up\u00a0to\u00a0%s: %s",
					     ts_report_number(r, TS_UNIT_RATIO, f->wins_most_ratio), text));
	}
	if (b->memory.sentence.len)
		ts_report_line(r, s, "memory", ts_report_text(r, b->memory.sentence));
	ts_report_memory_fixes(r, s, &b->memory, FIXES_SHOWN - n);
	worth_checking(r, s);
}

static void verdict(struct ts_report *r)
{
	static const char *const heads[TS_BAR_VALUES] = {""};
	const struct ts_bound *b = &r->a->bound;
	struct ts_section *s;
	struct ts_item *bars;

	if (!b->sentence.len && !decided(b))
		return;
	s = ts_report_section(r, TS_SECTION_VERDICT);
	s->head = ts_report_text(r, b->sentence);
	if (decided(b)) {
		bars = ts_report_bars(r, s, heads, NULL);
		for (size_t i = 0; i < sizeof b->shares / sizeof b->shares[0]; i++) {
			const struct ts_bound_share *share = &b->shares[i];
			struct ts_bar bar = {
				.label = ts_bound_word(share->kind), .known = share->known, .share = share->share};

			bar.values[0] = share->known ? ts_report_number(r, TS_UNIT_RATIO, share->share) : "unknown";
			if (share->kind != TS_BOUND_UNKNOWN)
				ts_report_bar(r, bars, 5, &bar);
		}
	}
	fixes(r, s);
	for (size_t i = 0; i < b->n_unknowns; i++)
		ts_report_line(r, s, i ? "" : "not known", ts_report_text(r, b->unknowns[i]));
}

static void findings(struct ts_report *r)
{
	const struct ts_findings *f = &r->a->findings;
	struct ts_section *s = ts_report_section(r, TS_SECTION_FINDINGS);

	for (size_t i = 0; i < f->n; i++)
		ts_report_item(r, s, TS_ITEM_FINDING, "")->finding = &f->items[i];
}

/* --- timing --- */

static void phases(struct ts_report *r, struct ts_section *s)
{
	static const char *const heads[TS_BAR_VALUES] = {"", "mean", "median", "p95"};
	struct ts_item *item = NULL;

	for (size_t i = 0; i < r->a->measures.n; i++) {
		const struct ts_measure *m = &r->a->measures.items[i];
		struct ts_bar bar = {.known = true};

		if (!m->known || !ts_measure_is(m, TS_M_PHASE_SHARE))
			continue;
		bar.label = ts_report_text(r, m->subject);
		bar.share = m->value;
		bar.severity = ts_report_severity(r, m);
		bar.values[0] = ts_report_number(r, TS_UNIT_RATIO, m->value);
		bar.values[1] = ts_report_value_of(r, TS_M_PHASE_MEAN, m->subject);
		bar.values[2] = ts_report_value_of(r, TS_M_PHASE_MEDIAN, m->subject);
		bar.values[3] = ts_report_value_of(r, TS_M_PHASE_P95, m->subject);
		if (!item)
			item = ts_report_bars(r, s, heads, "phase");
		ts_report_bar(r, item, PHASES_SHOWN, &bar);
	}
}

/* The layers that take most, where the run recorded layers. */
static void layers(struct ts_report *r, struct ts_section *s)
{
	static const char *const heads[TS_BAR_VALUES] = {"of layers", "forward", "backward", "steps"};
	const struct ts_measure *count = ts_report_row(r, TS_M_LAYERS_COUNT, TS_NO_SUBJECT);
	struct ts_item *item = NULL;
	size_t shown = 0;

	for (size_t i = 0; count && i < r->a->measures.n; i++) {
		const struct ts_measure *m = &r->a->measures.items[i];
		struct ts_bar bar = {.known = true};
		struct ts_span name;

		if (!m->known || !ts_measure_is(m, TS_M_LAYER_SHARE) || !ts_measure_part(TS_M_LAYER_SHARE, m->subject, &name))
			continue;
		bar.label = ts_report_text(r, name);
		bar.share = m->value;
		bar.values[0] = ts_report_number(r, TS_UNIT_RATIO, m->value);
		bar.values[1] = ts_report_value_of(r, TS_M_LAYER_FORWARD, m->subject);
		bar.values[2] = ts_report_value_of(r, TS_M_LAYER_BACKWARD, m->subject);
		bar.values[3] = ts_report_value_of(r, TS_M_LAYER_STEPS, m->subject);
		if (!item)
			item = ts_report_bars(r, s, heads, "layer");
		ts_report_bar(r, item, PHASES_SHOWN, &bar);
		shown++;
	}
	if (count && shown && count->value > (double)shown)
		ts_report_line(r, s, "layers",
			       ts_report_say(r, "the %zu of %.0f that take most time, by their medians; shares are of the time of all "
					     "layers", shown, count->value));
}

static void warmup_line(struct ts_report *r, struct ts_section *s)
{
	static const struct ts_figure levels[] = {
		{TS_M_WARMUP_BEFORE, "their median is"}, {TS_M_WARMUP_AFTER, "after them it is"}, {0, NULL}};
	const struct ts_measure *cut = ts_report_row(r, TS_M_WARMUP_CUT, TS_NO_SUBJECT);
	const char *method = ts_report_value(r, TS_M_WARMUP_METHOD), *text;

	if (!cut && !method)
		return;
	text = cut && cut->value > 0
		       ? ts_report_say(r, "%s steps left out", ts_report_number(r, TS_UNIT_COUNT, cut->value))
		       : "no steps left out";
	text = ts_report_join(r, text, " ", ts_report_with(r, "(", method, ")"));
	if (cut && cut->value > 0)
		text = ts_report_join(r, text, "; ", ts_report_figures(r, TS_NO_SUBJECT, levels));
	ts_report_line(r, s, "warm-up", text);
}

/* Phases that overlap, or whose clock is finer than that of the timestamps, take more than the wall time. */
static const char *wall_text(struct ts_report *r)
{
	static const struct ts_figure wall[] = {{TS_M_WALL_TOTAL, ""},
						{TS_M_WALL_UNATTRIBUTED, "% outside all phases"},
						{TS_M_WALL_UNATTRIBUTED_SHARE, " (%)"},
						{0, NULL}};
	const struct ts_measure *beyond = ts_report_row(r, TS_M_WALL_UNATTRIBUTED, TS_NO_SUBJECT);
	const struct ts_measure *share = ts_report_row(r, TS_M_WALL_UNATTRIBUTED_SHARE, TS_NO_SUBJECT);
	const char *total = ts_report_value(r, TS_M_WALL_TOTAL);

	if (!total || !beyond || !beyond->known || !(beyond->value < 0))
		return ts_report_figures(r, TS_NO_SUBJECT, wall);
	if (share && share->known && share->value > -UNSEEN)
		return ts_report_say(r, "%s, nothing outside all phases", total);
	return ts_report_say(r, "%s; the phases add up to %s more", total, ts_report_number(r, TS_UNIT_SECONDS, -beyond->value));
}

/* What steps of 3 medians and more cost (timing.h). Those that come back after equally many steps are no part of it. */
static const char *long_steps(struct ts_report *r)
{
	static const struct ts_figure cost[] = {{TS_M_STEP_STALL, "long steps cost %"}, {0, NULL}};
	const struct ts_measure *share = ts_report_row(r, TS_M_STEP_STALL, TS_NO_SUBJECT);
	bool periods = false;

	if (!share || !share->known)
		return NULL;
	for (size_t i = 0; i < r->a->measures.n; i++)
		periods |= ts_measure_is(&r->a->measures.items[i], TS_M_PERIOD_COST);
	if (share->value > 0)
		return ts_report_join(r, ts_report_figures(r, TS_NO_SUBJECT, cost), "", periods ? " beside those of the period" : NULL);
	return periods ? "no step outside of the period 3 times" : "no step 3 times";
}

/* What was lost between steps, at which, and whether it comes back. */
static const char *between_text(struct ts_report *r)
{
	const struct ts_measure *n = ts_report_row(r, TS_M_BETWEEN_LONG, TS_NO_SUBJECT);
	const struct ts_measure *every = ts_report_row(r, TS_M_BETWEEN_EVERY, TS_NO_SUBJECT);
	const char *lost = ts_report_value(r, TS_M_BETWEEN_LOST), *share = ts_report_value(r, TS_M_BETWEEN_SHARE);
	const char *longest = ts_report_value(r, TS_M_BETWEEN_LONGEST), *at = ts_report_value(r, TS_M_BETWEEN_STEPS);

	if (!n || !n->known || !lost || !longest || !at)
		return NULL;
	return ts_report_say(r, "%s lost%s%s%s between steps, before %s%s; %s at most", lost, share ? " (" : "", share ? share : "",
			     share ? ")" : "", at, every && every->known ? ts_report_say(r, ", every %.0f", every->value) : "",
			     longest);
}

static void timing(struct ts_report *r)
{
	static const struct ts_figure head[] = {
		{TS_M_STEP_COUNT, "% steps"}, {TS_M_STEP_MEAN, "mean"}, {TS_M_STEP_RATE, "rate"}, {0, NULL}};
	static const struct ts_figure step[] = {{TS_M_STEP_MEDIAN, "median"},	{TS_M_STEP_P95, "p95"},
						{TS_M_STEP_P99, "p99"},		{TS_M_STEP_MAX, "max"},
						{TS_M_STEP_MAX_AT, " at step"}, {0, NULL}};
	static const struct ts_figure variation[] = {{TS_M_STEP_CV, "coefficient of variation"}, {0, NULL}};
	static const struct ts_figure waits[] = {{TS_M_CPU_WAIT, "waited %"}, {TS_M_CPU_WAIT_SHARE, "% of the step time"}, {0, NULL}};
	static const struct ts_figure gaps[] = {
		{TS_M_WALL_GAP, "% of that"}, {TS_M_WALL_GAPS, " in % gaps"}, {0, NULL}};
	const struct events_of events = {
		.group = TS_ANSWER_TIMING,
		.subject = ts_span_str("step"),
		.unit = TS_UNIT_SECONDS,
		.shifts = TS_M_STEP_SHIFTS,
		.spikes = TS_M_STEP_SPIKES,
		.dips = TS_MEASURE_NAMES,
	};
	const struct ts_measure *gap = ts_report_row(r, TS_M_WALL_GAP, TS_NO_SUBJECT);
	const struct ts_measure *tail = ts_report_row(r, TS_M_STEP_TAIL, TS_NO_SUBJECT);
	const char *ratio = NULL;
	struct ts_section *s;

	if (!ts_report_known(r, TS_ANSWER_TIMING))
		return;
	s = ts_report_section(r, TS_SECTION_TIMING);
	s->head = ts_report_figures(r, TS_NO_SUBJECT, head);
	plot_item(r, s, "step time", ts_report_plot(r, TS_ANSWER_TIMING, ts_span_str("step")));
	ts_report_line(r, s, "step", ts_report_figures(r, TS_NO_SUBJECT, step));
	if (tail)
		ratio = ts_report_say(r, "p95 is %s times the median", ts_report_number(r, TS_UNIT_NONE, tail->value));
	ratio = ts_report_join(r, ts_report_figures(r, TS_NO_SUBJECT, variation), ", ", ratio);
	ts_report_line(r, s, "variation", ts_report_join(r, ratio, ", ", long_steps(r)));
	ts_report_line(r, s, "for a CPU", ts_report_figures(r, TS_NO_SUBJECT, waits));
	phases(r, s);
	layers(r, s);
	ts_report_line(r, s, "wall time",
		       ts_report_join(r, wall_text(r), ", ",
				      gap && gap->value > 0 ? ts_report_figures(r, TS_NO_SUBJECT, gaps) : NULL));
	ts_report_line(r, s, "between", between_text(r));
	warmup_line(r, s);
	event_lines(r, s, &events, "");
}

/* --- memory --- */

static void growth_line(struct ts_report *r, struct ts_section *s)
{
	static const struct ts_interval slope = {TS_M_GROWTH_SLOPE, TS_M_GROWTH_SLOPE_LOW, TS_M_GROWTH_SLOPE_HIGH};
	const char *text = ts_report_interval(r, slope, TS_NO_SUBJECT);
	const char *jump = ts_report_with(r, "a jump of ", ts_report_value(r, TS_M_GROWTH_JUMP), "");

	text = ts_report_join(r, text, ", ",
			      ts_report_with(r, "", ts_report_value(r, TS_M_GROWTH_TOTAL), " over the run"));
	text = ts_report_join(r, text, ", ", ts_report_chance(r, TS_M_GROWTH_P_VALUE));
	jump = ts_report_join(r, jump, " ", ts_report_with(r, "at step ", ts_report_value(r, TS_M_GROWTH_JUMP_AT), ""));
	ts_report_line(r, s, "growth", ts_report_join(r, text, "; ", jump));
}

static void capacity_lines(struct ts_report *r, struct ts_section *s)
{
	static const char *const heads[TS_BAR_VALUES] = {"", ""};
	static const struct ts_interval left = {TS_M_CAPACITY_STEPS_LEFT, TS_M_CAPACITY_STEPS_LEFT_LOW,
						TS_M_CAPACITY_STEPS_LEFT_HIGH};
	const struct ts_measure *pressure = ts_report_row(r, TS_M_CAPACITY_PRESSURE, TS_NO_SUBJECT);
	const char *device = ts_report_value(r, TS_M_CAPACITY_DEVICE);

	if (pressure) {
		struct ts_bar bar = {.label = "device",
				     .known = true,
				     .share = pressure->value,
				     .severity = ts_report_severity(r, pressure)};

		bar.values[0] = ts_report_number(r, TS_UNIT_RATIO, pressure->value);
		bar.values[1] = ts_report_with(r, "of\u00a0", device, "");
		ts_report_bar(r, ts_report_bars(r, s, heads, NULL), 1, &bar);
	} else {
		ts_report_line(r, s, "device", device);
	}
	ts_report_line(r, s, "full in",
		       ts_report_with(r, "", ts_report_interval(r, left, TS_NO_SUBJECT),
				      " steps, if memory goes on to grow like this"));
}

static void memory(struct ts_report *r)
{
	static const char *const words[TS_MEMORY_COLUMNS] = {
		[TS_MEMORY_ALLOC] = "allocated",
		[TS_MEMORY_RESERVED] = "reserved",
		[TS_MEMORY_PEAK_ALLOC] = "peak alloc.",
		[TS_MEMORY_PEAK_RESERVED] = "peak res.",
	};
	static const struct ts_figure level[] = {{TS_M_MEMORY_PEAK, "peak"},	     {TS_M_MEMORY_PEAK_AT, " at step"},
						 {TS_M_MEMORY_MEAN, "mean"},	     {TS_M_MEMORY_LAST, "last"},
						 {TS_M_MEMORY_INVALID, "% invalid"}, {0, NULL}};
	static const struct ts_figure fragmentation[] = {
		{TS_M_FRAGMENTATION, "% of reserved memory is unused"}, {TS_M_FRAGMENTATION_UNUSED, " (%)"}, {0, NULL}};
	static const struct ts_figure creep[] = {{TS_M_CREEP_KIND, "TraceML's rule says"},
						 {TS_M_CREEP_DELTA, "rise"},
						 {TS_M_CREEP_SCORE, "score"},
						 {TS_M_CREEP_METRIC, "metric"},
						 {0, NULL}};
	struct ts_section *s;

	if (!ts_report_known(r, TS_ANSWER_MEMORY))
		return;
	s = ts_report_section(r, TS_SECTION_MEMORY);
	for (size_t i = 0; i < TS_MEMORY_COLUMNS; i++)
		plot_item(r, s, words[i], ts_report_plot(r, TS_ANSWER_MEMORY, ts_span_str(ts_memory_columns[i])));
	for (size_t i = 0; i < TS_MEMORY_COLUMNS; i++)
		ts_report_line(r, s, words[i], ts_report_figures(r, ts_span_str(ts_memory_columns[i]), level));
	capacity_lines(r, s);
	growth_line(r, s);
	ts_report_line(r, s, "fragments", ts_report_figures(r, TS_NO_SUBJECT, fragmentation));
	ts_report_line(r, s, "creep", ts_report_figures(r, TS_NO_SUBJECT, creep));
}

/* --- convergence --- */

static void series(struct ts_report *r, struct ts_section *s, const struct ts_measure *first)
{
	static const struct ts_figure values[] = {{TS_M_SERIES_FIRST, "first"},
						  {TS_M_SERIES_LAST, "last"},
						  {TS_M_SERIES_BEST, "best"},
						  {TS_M_SERIES_BEST_AT, " at step"},
						  {TS_M_SERIES_COUNT, "% values"},
						  {TS_M_SERIES_NONFINITE, "% not finite"},
						  {0, NULL}};
	static const struct ts_figure moved[] = {{TS_M_SERIES_MOVE, ""},
						 {TS_M_SERIES_MOVE_AT, " from step"},
						 {TS_M_SERIES_MOVE_BEFORE, "level before"},
						 {TS_M_SERIES_MOVE_AFTER, "and after"},
						 {TS_M_SERIES_LOST, "NaN or infinite from step % to the end"},
						 {0, NULL}};
	static const struct ts_interval changes = {TS_M_SERIES_CHANGE, TS_M_SERIES_CHANGE_LOW, TS_M_SERIES_CHANGE_HIGH};
	const struct ts_span of = first->subject;
	const struct events_of events = {
		.group = TS_ANSWER_CONVERGENCE,
		.subject = of,
		.unit = TS_UNIT_NONE,
		.shifts = TS_M_SERIES_SHIFTS,
		.spikes = TS_M_SERIES_SPIKES,
		.dips = TS_M_SERIES_DIPS,
		.of = of,
	};
	const char *label = ts_report_text(r, of);
	const struct ts_plot *plot = ts_report_plot(r, TS_ANSWER_CONVERGENCE, of);
	const char *trend = ts_report_value_of(r, TS_M_SERIES_TREND, of);
	const char *change = ts_report_interval(r, changes, of);

	plot_item(r, s, label, plot);
	ts_report_line(r, s, plot ? "" : label, ts_report_figures(r, of, values));
	trend = ts_report_join(r, trend, " ",
			       ts_report_with(r, "from about step ", ts_report_value_of(r, TS_M_SERIES_RISE_AT, of), " on"));
	ts_report_line(r, s, "  trend", ts_report_join(r, trend, ", ", ts_report_with(r, "change ", change, "")));
	ts_report_line(r, s, plot ? "  moved" : label, ts_report_figures(r, of, moved));
	event_lines(r, s, &events, "  ");
}

static void convergence(struct ts_report *r)
{
	const struct ts_measures *m = &r->a->measures;
	const struct ts_measure *shown[SERIES_SHOWN] = {NULL}, *last = NULL;
	struct ts_section *s;
	size_t n = 0;

	if (!ts_report_known(r, TS_ANSWER_CONVERGENCE))
		return;
	s = ts_report_section(r, TS_SECTION_CONVERGENCE);
	for (size_t i = 0; i < m->n; i++) {
		bool seen = !m->items[i].known || !ts_measure_in(&m->items[i], TS_ANSWER_CONVERGENCE) ||
			    ts_measure_is(&m->items[i], TS_M_MOVES_ASKED) || (last && ts_span_eq(last->subject, m->items[i].subject));

		for (size_t k = 0; k < n && k < SERIES_SHOWN && !seen; k++)
			seen = ts_span_eq(shown[k]->subject, m->items[i].subject);
		if (seen)
			continue;
		last = &m->items[i];
		if (n < SERIES_SHOWN)
			shown[n] = last;
		n++;
	}
	for (size_t i = 0; i < n && i < SERIES_SHOWN; i++)
		series(r, s, shown[i]);
	if (n > SERIES_SHOWN)
		ts_report_line(r, s, NULL, ts_report_say(r, "and %zu more series", n - SERIES_SHOWN));
}

/* --- coincidences --- */

static void coincidences(struct ts_report *r)
{
	static const struct ts_figure counts[] = {{TS_M_COINCIDENCES_COUNT, "% found"},
						  {TS_M_COINCIDENCES_EXPECTED, "% expected by chance"},
						  {TS_M_COINCIDENCES_SIGNIFICANT, "% significant"},
						  {0, NULL}};
	struct happened h = happened(r, TS_ANSWER_CROSS, NULL, TS_EVENT_COINCIDENCE);
	struct ts_section *s;
	size_t listed = 0;

	if (h.total == 0)
		return;
	s = ts_report_section(r, TS_SECTION_COINCIDENCES);
	s->head = ts_report_join(r, ts_report_figures(r, TS_NO_SUBJECT, counts), ", ",
				 ts_report_chance(r, TS_M_COINCIDENCES_P_VALUE));
	ts_report_line(r, s, "signals", ts_report_value(r, TS_M_AXES_PRESENT));
	for (size_t i = 0; i < r->a->events.n; i++) {
		const struct ts_event *e = &r->a->events.items[i];

		if (e->kind != TS_EVENT_COINCIDENCE || !ts_span_eq(e->group, ts_answer_group_name(TS_ANSWER_CROSS)) ||
		    listed++ >= COINCIDENCES_SHOWN)
			continue;
		ts_report_line(r, s, listed > 1 ? "" : "at step",
			       ts_report_say(r, isfinite(e->score) ? "%s: %s (p\u00a0%.2g)" : "%s: %s",
					     steps(r, e->first_step, e->last_step), ts_report_text(r, e->subject),
					     pow(10, -e->score)));
	}
	if (listed > COINCIDENCES_SHOWN)
		ts_report_line(r, s, NULL, ts_report_say(r, "and %zu more", listed - COINCIDENCES_SHOWN));
}

/* --- efficiency --- */

static const char *spaced(struct ts_report *r, struct ts_span name)
{
	struct ts_buf text = TS_BUF_INIT(1 << 16);
	const char *out;

	for (size_t i = 0; i < name.len; i++)
		ts_buf_char(&text, name.data[i] == '_' ? ' ' : (char)name.data[i]);
	r->failed |= text.failed != TS_OK;
	out = ts_report_text(r, ts_buf_view(&text));
	ts_buf_finish(&text);
	return out;
}

/* Adds a bar for each line of the budget of the analyzed rank, or of the whole job. Empty lines are left out. */
static void budget_bars(struct ts_report *r, struct ts_section *s, bool job)
{
	const char *heads[TS_BAR_VALUES] = {job ? "all ranks" : r->a->run.ranks > 1 ? ts_report_say(r, "rank %d", r->a->rank) : "", ""};
	struct ts_item *item = NULL;

	for (size_t i = 0; i < r->a->measures.n; i++) {
		const struct ts_measure *m = &r->a->measures.items[i];
		struct ts_bar bar = {.known = true};
		struct ts_span line = m->subject;

		if (!m->known || !ts_measure_is(m, TS_M_BUDGET_SHARE) || m->value == 0 ||
		    ts_measure_part(TS_M_JOB_SHARE, m->subject, &line) != job)
			continue;
		bar.label = spaced(r, line);
		bar.share = m->value;
		bar.severity = ts_report_severity(r, m);
		bar.values[0] = ts_report_number(r, TS_UNIT_RATIO, m->value);
		bar.values[1] = ts_report_value_of(r, job ? TS_M_JOB_SECONDS : TS_M_BUDGET_SECONDS, m->subject);
		if (!item)
			item = ts_report_bars(r, s, heads, "line");
		ts_report_bar(r, item, BUDGET_SHOWN, &bar);
	}
}

/* Whether phases overlap, so that they add up to more than the wall time, and timestamps say how long steps take. */
static bool shares_are_of_phases(struct ts_report *r)
{
	const struct ts_measure *source = ts_report_row(r, TS_M_STEP_SOURCE, TS_NO_SUBJECT);
	const struct ts_measure *overlap = ts_report_row(r, TS_M_BUDGET_OVERLAP, TS_NO_SUBJECT);

	return source && source->known && ts_time_source_of(source->text) == TS_TIME_BY_STAMPS && overlap && overlap->known;
}

static void budget(struct ts_report *r)
{
	static const struct ts_figure mfu[] = {{TS_M_MFU, ""},
					       {TS_M_MFU_PEAK, "of a peak of"},
					       {TS_M_MFU_DEVICE, "on"},
					       {TS_M_MFU_DTYPE, "in"},
					       {TS_M_MFU_PEAK_SOURCE, "peak from"},
					       {TS_M_MFU_FLOPS_PER_STEP, "a step has"},
					       {0, NULL}};
	static const struct ts_figure counted[] = {{TS_M_MFU_CONVENTION, "counted as"}, {0, NULL}};
	static const struct ts_figure ratio[] = {{TS_M_GOODPUT, ""},
						 {TS_M_GOODPUT_PRODUCTIVE, "% productive"},
						 {TS_M_GOODPUT_SESSION, "% of the session"},
						 {0, NULL}};
	/* Beside the figure over all attempts, where a step that waits for data counts whole, this one says what it divides. */
	static const struct ts_figure within[] = {{TS_M_GOODPUT, "% of the budget above"},
						  {TS_M_GOODPUT_PRODUCTIVE, "% in compute phases"},
						  {0, NULL}};
	static const struct ts_figure attempts[] = {{TS_M_ATTEMPTS_COUNT, ""},
						    {TS_M_ATTEMPTS_GOODPUT, "goodput over all of them"},
						    {TS_M_ATTEMPTS_PRODUCTIVE, "% in steps that count"},
						    {TS_M_ATTEMPTS_WALL, "of"},
						    {0, NULL}};
	static const struct ts_figure lost[] = {
		{TS_M_ATTEMPTS_REPEATED, "% to repeated steps"},    {TS_M_ATTEMPTS_REPEATED_STEPS, " (% steps)"},
		{TS_M_ATTEMPTS_STARTUP, "% to start-up"},	    {TS_M_ATTEMPTS_UNFINISHED, "% behind last steps"},
		{TS_M_ATTEMPTS_GAPS, "% to gaps between attempts"}, {0, NULL}};
	static const struct ts_figure logged[] = {{TS_M_LOGGED_MFU, "MFU"},
						  {TS_M_LOGGED_MFU_COLUMN, "by"},
						  {TS_M_LOGGED_MFU_UNIT, "read as"},
						  {TS_M_LOGGED_HFU, "HFU"},
						  {TS_M_LOGGED_HFU_COLUMN, "by"},
						  {TS_M_LOGGED_HFU_UNIT, "read as"},
						  {TS_M_LOGGED_RATE, ""},
						  {TS_M_LOGGED_RATE_COLUMN, "by"},
						  {TS_M_LOGGED_RATE_OF, "of"},
						  {TS_M_LOGGED_RATE_SHARE, "% of the peak"},
						  {TS_M_LOGGED_PEAK, "so divided by a peak of"},
						  {TS_M_LOGGED_SPEED, ""},
						  {TS_M_LOGGED_SPEED_COLUMN, "by"},
						  {0, NULL}};
	static const struct ts_figure rates[] = {{TS_M_THROUGHPUT_TOKENS, "tokens"},
						 {TS_M_THROUGHPUT_TOKENS_PER_DEVICE, " (% per device)"},
						 {TS_M_THROUGHPUT_SAMPLES, "samples"},
						 {TS_M_THROUGHPUT_SAMPLES_PER_DEVICE, " (% per device)"},
						 {0, NULL}};
	const char *share = ts_report_value(r, TS_M_MFU), *as_logged = ts_report_value(r, TS_M_LOGGED_MFU), *wall;
	const char *rate = ts_report_value(r, TS_M_LOGGED_RATE);
	const struct ts_measure *ranks = ts_report_row(r, TS_M_MFU_FLOPS_RANKS, TS_NO_SUBJECT);
	struct ts_section *s;

	if (!ts_report_known(r, TS_ANSWER_BUDGET) && !ts_report_known(r, TS_ANSWER_EFFICIENCY))
		return;
	s = ts_report_section(r, TS_SECTION_EFFICIENCY_BUDGET);
	as_logged = as_logged ? as_logged : ts_report_value(r, TS_M_LOGGED_RATE_SHARE);
	wall = ts_report_with(r, shares_are_of_phases(r) ? "phases " : "wall time ", ts_report_value(r, TS_M_BUDGET_WALL), "");
	s->head = ts_report_join(r,
				 share	     ? ts_report_say(r, "MFU %s", share)
				 : as_logged ? ts_report_say(r, "MFU %s as the run logs it", as_logged)
				 : rate	     ? ts_report_say(r, "%s as the run logs it", rate)
				 : ts_report_row(r, TS_M_LOGGED_MFU_COLUMN, TS_NO_SUBJECT) ? ""
											   : "MFU not known",
				 ", ", wall);
	budget_bars(r, s, false);
	budget_bars(r, s, true);
	ts_report_line(r, s, "error", ts_report_value(r, TS_M_MFU_ERROR));
	if (share)
		ts_report_line(
			r, s, "MFU",
			ts_report_join(r,
				       ts_report_join(r, ts_report_figures(r, TS_NO_SUBJECT, mfu), " on ",
						      ranks ? ts_report_say(r, "%s", ts_say_plural(ranks->value, "rank").text) : NULL),
				       ", ", ts_report_figures(r, TS_NO_SUBJECT, counted)));
	ts_report_line(r, s, "HFU", ts_report_value(r, TS_M_HFU));
	ts_report_line(r, s, "logged", ts_report_figures(r, TS_NO_SUBJECT, logged));
	ts_report_line(r, s, "warm-up", ts_report_value(r, TS_M_LOGGED_WARMUP));
	ts_report_line(r, s, "error", ts_report_value(r, TS_M_LOGGED_ERROR));
	ts_report_line(r, s, "compared", ts_report_value(r, TS_M_LOGGED_NOTE));
	ts_report_line(r, s, "goodput",
		       ts_report_figures(r, TS_NO_SUBJECT, ts_report_value(r, TS_M_ATTEMPTS_GOODPUT) ? within : ratio));
	ts_report_line(r, s, "attempts", ts_report_figures(r, TS_NO_SUBJECT, attempts));
	ts_report_line(r, s, "lost", ts_report_figures(r, TS_NO_SUBJECT, lost));
	ts_report_line(r, s, "throughput", ts_report_figures(r, TS_NO_SUBJECT, rates));
}

/* --- pipeline --- */

static void pipeline(struct ts_report *r)
{
	static const struct ts_figure head[] = {
		{TS_M_PIPELINE_STAGES, "% stages"}, {TS_M_PIPELINE_MICROBATCHES, "% microbatches"},
		{TS_M_PIPELINE_BUBBLE, "bubble"},   {TS_M_PIPELINE_IDEAL, "ideal"},
		{TS_M_PIPELINE_EXCESS, "excess"},   {0, NULL}};
	static const struct ts_figure rest[] = {{TS_M_PIPELINE_MAKESPAN, "makespan"},
						{TS_M_PIPELINE_STEPS, "% steps"},
						{TS_M_PIPELINE_EVENTS, "% events"},
						{TS_M_PIPELINE_SKIPPED, "% skipped"},
						{TS_M_PIPELINE_VIRTUAL_STAGES, "% chunks per stage"},
						{TS_M_PIPELINE_BUSIEST, "busiest"},
						{TS_M_PIPELINE_IDLEST, "idlest"},
						{0, NULL}};
	static const char *const heads[TS_BAR_VALUES] = {"busy", "", "bubble"};
	struct ts_item *item = NULL;
	struct ts_section *s;

	if (!ts_report_known(r, TS_ANSWER_PIPELINE))
		return;
	s = ts_report_section(r, TS_SECTION_PIPELINE);
	s->head = ts_report_figures(r, TS_NO_SUBJECT, head);
	ts_report_line(r, s, "all", ts_report_figures(r, TS_NO_SUBJECT, rest));
	for (size_t i = 0; i < r->a->measures.n; i++) {
		const struct ts_measure *m = &r->a->measures.items[i];
		struct ts_bar bar = {.known = true};

		if (!m->known || !ts_measure_is(m, TS_M_STAGE_BUBBLE))
			continue;
		bar.label = ts_report_text(r, m->subject);
		bar.share = 1 - m->value;
		bar.severity = ts_report_severity(r, m);
		bar.values[0] = ts_report_number(r, TS_UNIT_RATIO, 1 - m->value);
		bar.values[1] = ts_report_value_of(r, TS_M_STAGE_BUSY, m->subject);
		bar.values[2] = ts_report_number(r, TS_UNIT_RATIO, m->value);
		if (!item)
			item = ts_report_bars(r, s, heads, "stage");
		ts_report_bar(r, item, STAGES_SHOWN, &bar);
	}
}

static void notes(struct ts_report *r)
{
	struct ts_section *s;

	if (r->a->n_notes == 0)
		return;
	s = ts_report_section(r, TS_SECTION_NOTES);
	for (size_t i = 0; i < r->a->n_notes; i++)
		ts_report_line(r, s, NULL, ts_report_text(r, r->a->notes[i]));
}

static void sections(struct ts_report *r)
{
	verdict(r);
	findings(r);
	ts_report_happenings(r);
	timing(r);
	memory(r);
	convergence(r);
	coincidences(r);
	ts_report_ranks(r);
	budget(r);
	pipeline(r);
	ts_report_machine(r);
	ts_report_unknown(r);
	notes(r);
}

enum ts_status ts_report_of(const struct ts_analysis *a, struct ts_arena *arena, struct ts_report *ret_report,
			    struct ts_error *err)
{
	struct ts_report r = {.a = a, .arena = arena, .rows = &a->measures, .events = &a->events, .plots = &a->plots};
	const char *title = ts_show_run(&a->run, arena), *left_out = NULL, *id = ts_show_hex(&a->run.id, arena);

	r.title = title ? title : "";
	r.name = a->run.own_name.len ? ts_report_text(&r, a->run.own_name) : "a run without a name";
	r.foot = ts_report_say(&r, "run %s", id ? id : "");
	r.failed |= !title || !id;
	if (a->ending.sentence.len)
		r.ended[0] = ts_report_text(&r, a->ending.sentence);
	if (a->warmup_cut)
		left_out = ts_report_say(
			&r, "without the first %s",
			ts_report_say(&r, "%" PRIu64 " %s", a->warmup_cut, a->warmup_cut == 1 ? "step" : "steps"));
	r.view = ts_report_join(&r, ts_report_say(&r, "rank %d", a->rank), ", ", left_out);
	sections(&r);
	if (r.failed)
		return ts_arena_error(arena, err);
	*ret_report = r;
	return TS_OK;
}
