/* report_ranks.c - the section of several ranks: what they lose, and who is to blame, worst first. */
#include "analysis/answer/row_words.h"
#include "base/order.h"
#include "cli/report/report_parts.h"

enum { RANKS_SHOWN = 14 };

/* The measures of one rank that are known. */
struct rank_view {
	int64_t rank;
	const struct ts_measure *slowest_share, *own, *wait, *slowdown, *blame;
	const struct ts_measure *straggler, *onset, *period, *p_value;
};

struct rank_row {
	int64_t rank;
	const struct ts_measure *row;
};

TS_ORDER(by_rank, struct rank_row, TS_UP(rank); TS_UP(row))

static void take(struct rank_view *v, const struct ts_measure *m)
{
	if (ts_measure_is(m, TS_M_RANK_SLOWEST_SHARE))
		v->slowest_share = m;
	else if (ts_measure_is(m, TS_M_RANK_OWN))
		v->own = m;
	else if (ts_measure_is(m, TS_M_RANK_WAIT))
		v->wait = m;
	else if (ts_measure_is(m, TS_M_RANK_SLOWDOWN))
		v->slowdown = m;
	else if (ts_measure_is(m, TS_M_RANK_BLAME))
		v->blame = m;
	else if (ts_measure_is(m, TS_M_RANK_STRAGGLER))
		v->straggler = m;
	else if (ts_measure_is(m, TS_M_RANK_ONSET))
		v->onset = m;
	else if (ts_measure_is(m, TS_M_RANK_PERIOD))
		v->period = m;
	else if (ts_measure_is(m, TS_M_RANK_P_VALUE))
		v->p_value = m;
}

/* Replaces an unknown value and NaN by a number below all others, so that sorting has a defined order. */
static double or_least(const struct ts_measure *m)
{
	return m && !isnan(m->value) ? m->value : -HUGE_VAL;
}

/* Sorts stragglers first, then by the time that they cost, then by how often they are the slowest, then by rank. */
TS_ORDER(worst_first, struct rank_view, TS_BY(b->straggler != NULL, a->straggler != NULL);
	 TS_BY(or_least(b->blame), or_least(a->blame)); TS_BY(or_least(b->slowest_share), or_least(a->slowest_share));
	 TS_UP(rank))

static struct rank_view *views_of(struct ts_report *r, size_t *ret_n)
{
	const struct ts_measures *m = &r->a->measures;
	struct rank_row *rows = ts_arena_array(r->arena, m->n, sizeof *rows);
	struct rank_view *views = ts_arena_array(r->arena, m->n, sizeof *views);
	size_t n_rows = 0, n = 0;

	*ret_n = 0;
	if (!rows || !views) {
		r->failed = true;
		return NULL;
	}
	for (size_t i = 0; i < m->n; i++) {
		int64_t rank;

		if (m->items[i].known && ts_measure_in(&m->items[i], TS_ANSWER_RANKS) &&
		    ts_measure_number(TS_M_RANK_OWN, m->items[i].subject, &rank))
			rows[n_rows++] = (struct rank_row){rank, &m->items[i]};
	}
	TS_SORT(rows, n_rows, by_rank);
	for (size_t i = 0; i < n_rows; i++) {
		if (i == 0 || rows[i].rank != rows[i - 1].rank)
			views[n++].rank = rows[i].rank;
		take(&views[n - 1], rows[i].row);
	}
	TS_SORT(views, n, worst_first);
	*ret_n = n;
	return views;
}

static const char *shown(struct ts_report *r, const struct ts_measure *m)
{
	return m ? ts_report_number(r, m->unit, m->value) : NULL;
}

/* Says "late, from step 90, p 0.001". */
static const char *judgement(struct ts_report *r, const struct rank_view *v)
{
	const char *text = v->straggler ? ts_report_text(r, v->straggler->text) : NULL;

	if (!text)
		return NULL;
	text = ts_report_join(r, text, ", ", ts_report_with(r, "from step ", shown(r, v->onset), ""));
	text = ts_report_join(r, text, ", ", ts_report_with(r, "every ", shown(r, v->period), " steps"));
	if (!v->p_value)
		return text;
	/* For a probability this small, its digits tell nothing. */
	if (v->p_value->value < 1e-6)
		return ts_report_join(r, text, ", ", "p\u00a0<\u00a00.000001");
	return ts_report_join(r, text, ", ", ts_report_say(r, "p\u00a0%.2g", v->p_value->value));
}

/* The severity of the findings that name this rank, but not all n of them. A bar has no rule of its own. */
static enum ts_severity severity_of(const struct ts_report *r, int64_t rank, size_t n)
{
	const struct ts_findings *f = &r->a->findings;
	enum ts_severity worst = 0;

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; f->items[i].n_ranks < n && k < f->items[i].n_ranks && f->items[i].severity > worst; k++)
			if (f->items[i].ranks[k] == rank)
				worst = f->items[i].severity;
	return worst;
}

static void rank_bars(struct ts_report *r, struct ts_section *s)
{
	static const char *const heads[TS_BAR_VALUES] = {"slowest", "own", "wait", "slowdown", "blame", "straggler"};
	size_t n;
	struct rank_view *views = views_of(r, &n);
	struct ts_item *item;

	if (n == 0)
		return;
	item = ts_report_bars(r, s, heads, "rank");
	item->right[5] = false;
	for (size_t i = 0; i < n; i++) {
		const struct rank_view *v = &views[i];
		struct ts_bar bar = {.label = ""};

		if (i < RANKS_SHOWN) {
			bar.label = ts_report_say(r, "rank %" PRId64, v->rank);
			bar.known = v->slowest_share != NULL;
			bar.share = v->slowest_share ? v->slowest_share->value : 0;
			bar.severity = severity_of(r, v->rank, n);
			bar.values[0] = shown(r, v->slowest_share);
			bar.values[1] = shown(r, v->own);
			bar.values[2] = shown(r, v->wait);
			bar.values[3] = shown(r, v->slowdown);
			bar.values[4] = shown(r, v->blame);
			bar.values[5] = judgement(r, v);
		}
		ts_report_bar(r, item, RANKS_SHOWN, &bar);
	}
	ts_report_line(
		r, s, "columns",
		"slowest: share of the steps in which the rank is the slowest; own: its time per step without waiting; "
		"blame: time that all ranks would save without it");
}

/* Says every row of TraceML's verdict unchanged, or only that its rule names no rank. */
static const char *traceml(struct ts_report *r)
{
	const struct ts_measures *m = &r->a->measures;
	const struct ts_measure *kind = ts_measure_find(m, TS_M_TRACEML_KIND, TS_NO_SUBJECT);
	const char *text = NULL;

	if (kind && kind->known && ts_culprit_kind_of(kind->text) == TS_CULPRIT_NONE)
		return "its rule names no straggler";
	for (size_t i = 0; i < m->n; i++) {
		const struct ts_measure *row = &m->items[i];
		const char *value;

		if (!row->known || !ts_measure_in(row, TS_ANSWER_RANKS) ||
		    !ts_span_is(row->subject, ts_measure_specs[TS_M_TRACEML_KIND].subject))
			continue;
		value = row->unit == TS_UNIT_TEXT ? ts_report_text(r, row->text)
						  : ts_report_number(r, row->unit, row->value);
		text = ts_report_join(r, text, ", ",
				      ts_report_say(r, "%s\u00a0%s", ts_report_text(r, row->name), value));
	}
	return text;
}

static const char *decidable(struct ts_report *r)
{
	const char *text = ts_report_value(r, TS_M_RANKS_DECIDABLE);

	return text && ts_answered_of(ts_span_str(text)) == TS_ANSWERED_YES ? NULL : text;
}

void ts_report_ranks(struct ts_report *r)
{
	static const struct ts_figure head[] = {{TS_M_RANKS_ALIGNED_STEPS, "% steps on all of them"},
						{TS_M_RANKS_STRAGGLERS, "stragglers:"},
						{0, NULL}};
	static const struct ts_figure step[] = {{TS_M_RANKS_WALL, ""},
						{TS_M_RANKS_TRANSFER, "% of it transfer"},
						{TS_M_RANKS_WAIT, "% wait for slower ranks"},
						{TS_M_RANKS_MODE, "collectives: %"},
						{0, NULL}};
	static const struct ts_figure lost[] = {{TS_M_RANKS_LOST_SHARE, "% of the devices' time"},
						{TS_M_RANKS_LOST, " (% in all)"},
						{TS_M_RANKS_IMBALANCE_CV, "coefficient of variation of own time"},
						{TS_M_RANKS_SKEW, "slowest rank % above the median"},
						{0, NULL}};
	const struct ts_measure *present = ts_report_row(r, TS_M_RANKS_PRESENT, TS_NO_SUBJECT);
	struct ts_section *s;

	/* A single rank has no other rank to wait for. A run that should have had more ranks says so. */
	if (!ts_report_known(r, TS_ANSWER_RANKS) ||
	    (present && present->value < 2 && !ts_report_row(r, TS_M_RANKS_MISSING_LIST, TS_NO_SUBJECT)))
		return;
	s = ts_report_section(r, TS_SECTION_RANKS);
	s->head = ts_report_with(r, "", ts_report_value(r, TS_M_RANKS_PRESENT), " ranks");
	s->head = ts_report_join(r, s->head, " of ", ts_report_value(r, TS_M_RANKS_WORLD_SIZE));
	s->head = ts_report_join(r, s->head, ", ", ts_report_figures(r, TS_NO_SUBJECT, head));
	ts_report_line(r, s, "missing", ts_report_value(r, TS_M_RANKS_MISSING_LIST));
	ts_report_line(r, s, "step", ts_report_figures(r, TS_NO_SUBJECT, step));
	ts_report_line(r, s, "lost", ts_report_figures(r, TS_NO_SUBJECT, lost));
	ts_report_line(r, s, "undecided", decidable(r));
	rank_bars(r, s);
	ts_report_line(r, s, "TraceML", traceml(r));
}
