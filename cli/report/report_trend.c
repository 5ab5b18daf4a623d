/* report_trend.c - the report of a trend: one sentence, the runs and their levels, one row per change, and the runs that were left
 * out. */
#include "cli/report/report_diff.h"

#include "analysis/gate/trend.h"
#include "analysis/stats/change_point.h"
#include "analysis/stats/stats.h"
#include "base/words.h"
#include "cli/text/show_gate.h"
#include "cli/view/show_value.h"

#include <math.h>

enum {
	REASONS_SHOWN = 6,
	MOVED_SHOWN = 10,
	REASON_MOST = 120,
	COMMIT_MOST = 12,
	HOST_MOST = 40,
	PIECES = 16 /* of the line of a drift */
};

static const struct ts_events no_events;
static const struct ts_plots no_plots;
static const struct ts_measures no_rows;

static enum ts_style style_of(const struct ts_trend_change *c)
{
	return c->accepted || c->with_host || c->cost == TS_TREND_UNKNOWN ? TS_STYLE_DIM : c->worse ? TS_STYLE_A : TS_STYLE_B;
}

/* The letter that marks a change: "A" to "Z", then "a" to "z", then a dot. */
static const char *mark_of(struct ts_report *r, size_t i)
{
	if (i >= 52)
		return "·";
	return ts_report_say(r, "%c", (char)(i < 26 ? 'A' + (int)i : 'a' + (int)i - 26));
}

static const char *place(struct ts_report *r, const struct ts_trend_run *run)
{
	struct ts_span commit = ts_span_of(run->commit.data, run->commit.len < COMMIT_MOST ? run->commit.len : COMMIT_MOST);

	return commit.len ? ts_report_text(r, commit)
			  : ts_report_say(r, "run %s", ts_report_kept(r, ts_show_id(&run->id, r->arena)));
}

/* The name of a logged series is somebody else's text. */
static const char *title_of(struct ts_report *r, const struct ts_trend *t)
{
	return t->metric < TS_METRICS ? ts_metrics[t->metric].title : ts_report_text(r, t->name);
}

static const char *value(struct ts_report *r, const struct ts_trend *t, double v)
{
	return ts_report_kept(r, ts_show_metric(t->metric, v, r->arena));
}

static const char *change_text(struct ts_report *r, const struct ts_trend *t, const struct ts_trend_change *c)
{
	return ts_report_say(r, "%s to %s (%s) between %s and %s", value(r, t, c->before), value(r, t, c->after),
			     ts_report_kept(r, ts_show_change(c->size, r->arena)), place(r, &t->runs[c->last_before]),
			     place(r, &t->runs[c->at]));
}

/* One level of the figure: the median of the runs from first to end. */
static struct ts_level level_of(struct ts_report *r, const struct ts_trend *t, size_t i, double first_value)
{
	struct ts_level level = {.value = first_value, .mark = "", .text = ""};

	level.end = i < t->n_changes ? t->changes[i].at : t->n_runs;
	if (i == 0)
		return level;
	level.first = t->changes[i - 1].at;
	level.value = t->changes[i - 1].after;
	level.mark = mark_of(r, i - 1);
	level.style = style_of(&t->changes[i - 1]);
	level.text = change_text(r, t, &t->changes[i - 1]);
	return level;
}

/* A drift is drawn as a stair of short levels about the median of the runs. Returns how many. */
static size_t drift_line(struct ts_report *r, const struct ts_trend *t, const double *values, struct ts_level *items)
{
	double *known = ts_arena_array(r->arena, t->n_runs, sizeof *known), middle;
	size_t span = t->drift->to - t->drift->from + 1;

	if (!known) {
		r->failed = true;
		return 0;
	}
	middle = ts_median_finite(values, t->n_runs, known);
	if (isnan(middle))
		return 0;
	for (size_t k = 0; k < PIECES; k++)
		items[k] = (struct ts_level){.first = t->drift->from + span * k / PIECES,
					     .end = t->drift->from + span * (k + 1) / PIECES,
					     .value = middle + fabs(middle) * t->drift->size * ((k + 0.5) / PIECES - 0.5),
					     .mark = "",
					     .text = ""};
	return PIECES;
}

static const char *run_page(struct ts_report *r, const struct ts_trend_run *run)
{
	return ts_report_kept(r, ts_show_link("r/", &run->id, r->arena));
}

static const char *diff_page(struct ts_report *r, const struct ts_trend_run *a, const struct ts_trend_run *b)
{
	return ts_report_kept(r, ts_show_link(ts_report_say(r, "%s..", ts_report_kept(r, ts_show_link("diff/", &a->id, r->arena))),
					      &b->id, r->arena));
}

/* Has each dot lead to its run, while there are few enough to point at. */
static void lead(struct ts_report *r, const struct ts_trend *t, struct ts_levels *levels)
{
	const char **to = ts_arena_array(r->arena, t->n_runs, sizeof *to), **texts = ts_arena_array(r->arena, t->n_runs, sizeof *texts);

	if (!to || !texts) {
		r->failed = true;
		return;
	}
	for (size_t i = 0; i < t->n_runs; i++) {
		to[i] = run_page(r, &t->runs[i]);
		texts[i] = ts_report_say(r, "%s: %s, %s", place(r, &t->runs[i]), value(r, t, t->runs[i].value),
					 ts_report_kept(r, ts_show_time(t->runs[i].moved_ns, r->arena)));
	}
	levels->to = to;
	levels->texts = texts;
}

static void figure(struct ts_report *r, struct ts_section *s, const struct ts_trend *t)
{
	struct ts_levels *levels = ts_arena_array(r->arena, 1, sizeof *levels);
	double *values = ts_arena_array(r->arena, t->n_runs, sizeof *values);
	struct ts_level *items = ts_arena_array(r->arena, t->n_changes + 1 + PIECES, sizeof *items);
	size_t n = 0;

	if (!levels || !values || !items) {
		r->failed = true;
		return;
	}
	for (size_t i = 0; i < t->n_runs; i++)
		values[i] = t->runs[i].known ? t->runs[i].value : (double)NAN;
	/* Without a change, the runs themselves show the only level. */
	for (size_t i = 0; t->n_changes && i <= t->n_changes; i++)
		items[n++] = level_of(r, t, i, t->changes[0].before);
	if (t->drift)
		n = drift_line(r, t, values, items);
	*levels = (struct ts_levels){
		.values = values, .n = t->n_runs, .unit = ts_metrics[t->metric].unit, .items = items, .n_items = n};
	levels->first = ts_report_kept(r, ts_show_time(t->runs[0].moved_ns, r->arena));
	if (r->links && t->n_runs <= TS_LEVELS_POINTED_AT)
		lead(r, t, levels);
	levels->last = ts_report_kept(r, ts_show_time(t->runs[t->n_runs - 1].moved_ns, r->arena));
	ts_report_item(r, s, TS_ITEM_LEVELS, ts_report_say(r, "%s, one dot per run", title_of(r, t)))->levels = levels;
}

static const char *state_of(struct ts_report *r, const struct ts_trend *t, const struct ts_trend_change *c)
{
	bool logged = t->metric >= TS_METRICS; /* it need be no cost */

	if (c->with_host)
		return "host?";
	if (c->accepted)
		return "accepted";
	switch (c->cost) {
	case TS_TREND_WENT:
		return "went away again";
	case TS_TREND_CAME_BACK:
		return ts_report_say(r, "back from %s", mark_of(r, c->mate));
	case TS_TREND_MOVED:
		return "cost moved";
	case TS_TREND_TAKEN_OFF:
		return logged ? "better" : "cost taken off";
	case TS_TREND_UNKNOWN:
		return "better or worse?";
	case TS_TREND_ADDED:
		return logged ? "worse" : "cost added";
	}
	return TS_NEWER_WORD;
}

/* The two runs beside a change, each with its page; the size of the change leads to their diff. */
static void place_change(struct ts_report *r, struct ts_view *table, const struct ts_trend *t, const struct ts_trend_change *c,
			 const char *key, enum ts_style style)
{
	const struct ts_trend_run *before = &t->runs[c->last_before], *after = &t->runs[c->at];

	ts_view_set(table, "last before", TS_STYLE_PLAIN, place(r, before));
	ts_view_set(table, "first after", style, place(r, after));
	ts_view_lead(table, "last before", run_page(r, before));
	ts_view_lead(table, "first after", run_page(r, after));
	ts_view_lead(table, key, diff_page(r, before, after));
}

static void changes(struct ts_report *r, struct ts_section *s, const struct ts_trend *t)
{
	static const struct ts_view_column columns[] = {TS_LEFT("change", 0),
							{.head = "", .key = "state"},
							TS_LEFT("last before", 8),
							TS_LEFT("first after", 8),
							TS_LEFT("level", 0),
							TS_RIGHT("runs ago"),
							TS_RIGHT("p")};
	struct ts_view *table = ts_report_table(r, s, TS_VIEW_COLUMNS(columns));

	table->indented = true;
	for (size_t i = t->n_changes; i-- > 0;) {
		const struct ts_trend_change *c = &t->changes[i];
		const char *state = state_of(r, t, c);

		ts_view_row(table, NULL);
		ts_view_set(table, "change", style_of(c),
			    ts_report_say(r, "%s  %s", mark_of(r, i), ts_report_kept(r, ts_show_change(c->size, r->arena))));
		ts_view_set(table, "state", style_of(c), state);
		place_change(r, table, t, c, "change", TS_STYLE_BOLD);
		ts_view_set(table, "level", TS_STYLE_PLAIN,
			    ts_report_say(r, "%s to %s", value(r, t, c->before), value(r, t, c->after)));
		ts_view_set(table, "runs ago", TS_STYLE_PLAIN, ts_report_kept(r, ts_show_count(t->n_runs - c->at, r->arena)));
		ts_view_set(table, "p", TS_STYLE_DIM, ts_report_say(r, "%.2g", c->p));
	}
}

/* One line for each change that another workload has the other way. */
static void others(struct ts_report *r, struct ts_section *s, const struct ts_trend *t)
{
	for (size_t i = t->n_changes; i-- > 0;) {
		const struct ts_trend_change *c = &t->changes[i];

		if (c->other.len)
			ts_report_line(r, s, mark_of(r, i),
				       ts_report_say(r, "workload %s changed by %s at the same place",
						     ts_report_kept(r, ts_show_brief(c->other, HOST_MOST, r->arena)),
						     ts_report_kept(r, ts_show_change(c->other_size, r->arena))));
	}
}

/* One line for each change that comes with another host. */
static void hosts(struct ts_report *r, struct ts_section *s, const struct ts_trend *t)
{
	for (size_t i = t->n_changes; i-- > 0;) {
		const struct ts_trend_change *c = &t->changes[i];

		if (c->with_host)
			ts_report_line(r, s, mark_of(r, i),
				       ts_report_say(r, "comes with another host: %s, then %s",
						     ts_report_kept(r, ts_show_brief(c->host_before, HOST_MOST, r->arena)),
						     ts_report_kept(r, ts_show_brief(c->host_after, HOST_MOST, r->arena))));
	}
}

/* One line for each change behind which the machine was another. */
static void machines(struct ts_report *r, struct ts_section *s, const struct ts_trend *t)
{
	for (size_t i = t->n_changes; i-- > 0;) {
		const struct ts_trend_change *c = &t->changes[i];

		if (c->machines.len)
			ts_report_line(
				r, s, mark_of(r, i),
				ts_report_say(r,
					      "the machine of the first run after it, beside that of the last before: %s. This may "
					      "explain it, and proves nothing",
					      ts_report_text(r, c->machines)));
	}
}

/* What was taken out of the values before changes were looked for, and what is not claimed. */
static void remarks(struct ts_report *r, struct ts_section *s, const struct ts_trend *t)
{
	if (t->host_spread > 0)
		ts_report_line(r, s, "hosts",
			       ts_report_say(r, "differ by up to %s, which is taken out of the levels",
					     ts_report_kept(r, ts_show_change(t->host_spread, r->arena))));
	if (t->weekday_spread > 0)
		ts_report_line(r, s, "weekdays",
			       ts_report_say(r, "(of UTC) differ by up to %s, which is taken out of the levels",
					     ts_report_kept(r, ts_show_change(t->weekday_spread, r->arena))));
}

/* Where the level moved without a claim, newest first. */
static void moved(struct ts_report *r, const struct ts_trend *t)
{
	static const struct ts_view_column columns[] = {TS_LEFT("moved", 0), TS_LEFT("last before", 8), TS_LEFT("first after", 8),
							TS_LEFT("level", 0), TS_RIGHT("runs ago")};
	struct ts_section *s;
	struct ts_view *table;

	if (t->n_moved == 0)
		return;
	s = ts_report_section(r, TS_SECTION_MOVED_NOT_CLAIMED);
	table = ts_report_table(r, s, TS_VIEW_COLUMNS(columns));
	table->indented = true;
	for (size_t i = t->n_moved; i-- > 0 && i + MOVED_SHOWN >= t->n_moved;) {
		const struct ts_trend_change *c = &t->moved[i];

		ts_view_row(table, NULL);
		ts_view_set(table, "moved", TS_STYLE_DIM, ts_report_kept(r, ts_show_change(c->size, r->arena)));
		place_change(r, table, t, c, "moved", TS_STYLE_PLAIN);
		ts_view_set(table, "level", TS_STYLE_PLAIN,
			    ts_report_say(r, "%s to %s", value(r, t, c->before), value(r, t, c->after)));
		ts_view_set(table, "runs ago", TS_STYLE_PLAIN, ts_report_kept(r, ts_show_count(t->n_runs - c->at, r->arena)));
	}
	if (t->n_moved > MOVED_SHOWN)
		ts_report_line(r, s, NULL,
			       ts_report_say(r, "and %s before these, which --json lists",
					     ts_report_kept(r, ts_show_plural(t->n_moved - MOVED_SHOWN, "place", r->arena))));
	ts_report_line(
		r, s, NULL,
		"that the level wanders there, or that bursts come and go, is more likely than a change: runs of both commits side "
		"by side (tscope gate --paired) tell");
}

struct reason {
	struct ts_span text;
	uint64_t runs;
};

/* Counts the runs of each reason, newest reason first; *ret_others counts the runs whose reason is not among the first `most`. */
static size_t count_reasons(const struct ts_trend *t, struct reason *reasons, size_t most, uint64_t *ret_others)
{
	size_t n = 0;

	*ret_others = 0;
	for (size_t i = t->n_runs; i-- > 0;) {
		size_t k = 0;

		if (t->runs[i].known)
			continue;
		while (k < n && !ts_span_eq(reasons[k].text, t->runs[i].reason))
			k++;
		if (k == n && n == most) {
			++*ret_others;
			continue;
		}
		if (k == n)
			reasons[n++] = (struct reason){.text = t->runs[i].reason};
		reasons[k].runs++;
	}
	return n;
}

/* The reader may want another workload, so the report names its newest run for --like. */
static const char *other_workload(struct ts_report *r, const struct ts_trend *t)
{
	for (size_t i = t->n_runs; i-- > 0;)
		if (t->runs[i].another)
			return ts_report_say(r,
					     r->links ? "to see the trend of the other workload, show runs like %s" :
							"to see the trend of the other workload, use --like %s",
					     ts_report_kept(r, ts_show_id(&t->runs[i].id, r->arena)));
	return NULL;
}

static void left_out(struct ts_report *r, const struct ts_trend *t)
{
	struct reason reasons[REASONS_SHOWN];
	struct ts_section *s;
	uint64_t others;
	size_t n = count_reasons(t, reasons, REASONS_SHOWN, &others);

	if (n == 0)
		return;
	s = ts_report_section(r, TS_SECTION_LEFT_OUT);
	for (size_t i = 0; i < n; i++)
		ts_report_line(r, s, ts_report_kept(r, ts_show_plural(reasons[i].runs, "run", r->arena)),
			       ts_report_kept(r, ts_show_brief(reasons[i].text, REASON_MOST, r->arena)));
	if (others)
		ts_report_line(r, s, ts_report_kept(r, ts_show_plural(others, "run", r->arena)), "other reasons, which --json lists");
	ts_report_line(r, s, NULL, other_workload(r, t));
}

/* Says "120 runs, workload llama 7b; 5 runs are left out; 300 older entries were not read". */
static const char *view_of(struct ts_report *r, const struct ts_trend *t)
{
	const char *text = ts_report_kept(r, ts_show_plural(t->n_runs, "run", r->arena));

	if (t->workload.len)
		text = ts_report_say(r, "%s, workload %s", text, ts_report_kept(r, ts_show_brief(t->workload, REASON_MOST, r->arena)));
	if (t->left_out)
		text = ts_report_say(r, "%s; %s left out", text, ts_report_kept(r, ts_show_plural(t->left_out, "run", r->arena)));
	if (t->older)
		text = ts_report_say(r, "%s; %s older %s of the branch not read", text,
				     ts_report_kept(r, ts_show_count(t->older, r->arena)), t->older == 1 ? "entry" : "entries");
	if (t->pruned)
		text = ts_report_say(r, "%s; %s %s of the branch pruned, the last on %s", text,
				     ts_report_kept(r, ts_show_count(t->pruned, r->arena)), t->pruned == 1 ? "entry" : "entries",
				     ts_report_kept(r, ts_show_minute(t->pruned_ns, r->arena)));
	return text;
}

static enum ts_light light_of(const struct ts_trend *t)
{
	if (!ts_trend_is_worse(t) && t->n_runs - t->left_out < 2 * (size_t)TS_CHANGE_LEAST) /* too few to have shown a change */
		return TS_LIGHT_UNCHECKED;
	return ts_trend_is_worse(t) ? TS_LIGHT_HIGH : TS_LIGHT_CLEAR;
}

enum ts_status ts_report_of_trend(const struct ts_trend *t, const char *links, struct ts_arena *arena,
				  struct ts_report *ret_report, struct ts_error *err)
{
	struct ts_report r = {.arena = arena, .links = links, .whole = true, .rows = &no_rows, .events = &no_events,
			      .plots = &no_plots};
	struct ts_section *s;

	r.title = ts_report_text(&r, t->sentence);
	r.light = light_of(t);
	r.view = view_of(&r, t);
	r.name = ts_report_say(&r, "%s of %s", title_of(&r, t), ts_report_text(&r, t->branch));
	r.foot = ts_report_say(&r, "branch %s", ts_report_text(&r, t->branch));
	if (t->n_runs > t->left_out + 1) {
		s = ts_report_section(&r, TS_SECTION_RUNS);
		figure(&r, s, t);
		if (t->n_changes)
			changes(&r, s, t);
		others(&r, s, t);
		hosts(&r, s, t);
		machines(&r, s, t);
		remarks(&r, s, t);
		moved(&r, t);
	}
	left_out(&r, t);
	if (r.failed)
		return ts_arena_error(arena, err);
	*ret_report = r;
	return TS_OK;
}
