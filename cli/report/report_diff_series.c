/* report_diff_series.c - the sections of a diff's report on series: the first step at which each differs, the order in which ranks
 * begin to differ, the values there, and the curves.
 *
 * Series of several ranks are one row, of the rank that differs first; with --all every rank has its own. Times and memory are one
 * line, because they always differ.
 */
#include "base/order.h"
#include "cli/report/report_diff.h"

#include "base/text.h"
#include "cli/view/show_value.h"
#include "run/head.h"
#include "run/role.h"

enum { SERIES_SHOWN = 12, VALUES_SHOWN = 3, NAMES_SHOWN = 8, RANKS_SHOWN = 8, GROUPS_SHOWN = 4, TEXT_BEFORE = 12, TEXT_LONG = 40 };

/* A series that differs, and the ranks on which it differs. */
struct entry {
	const struct ts_series_row *row; /* the row of the rank that differs first */
	size_t more;			 /* the number of other ranks */
};

const char *ts_report_run(struct ts_report *r, const struct ts_run_ref *run)
{
	return run->own_name.len ? ts_report_text(r, run->own_name) : ts_report_kept(r, ts_show_id(&run->id, r->arena));
}

const char *ts_report_series_name(struct ts_report *r, struct ts_span name)
{
	return ts_report_text(r, ts_column_said(name));
}

static bool gathered(const struct ts_series_row *row, struct entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (entries[i].row->type == row->type && ts_span_eq(entries[i].row->name, row->name)) {
			entries[i].more++;
			return true;
		}
	}
	return false;
}

/* Lists the rows that differ. Ranks of a series are joined unless everything is asked for. The rows are already sorted
 * by first_step. */
static struct entry *parting(struct ts_report *r, const struct ts_diff *diff, size_t *ret_n)
{
	struct entry *entries = ts_arena_array(r->arena, diff->n_series + 1, sizeof *entries);
	size_t n = 0;

	r->failed |= !entries;
	for (size_t i = 0; entries && i < diff->n_series; i++) {
		const struct ts_series_row *row = &diff->series[i];

		if (row->state != TS_SERIES_PARTS || (row->role == TS_ROLE_OBSERVATION && !r->whole))
			continue;
		if (r->whole || !gathered(row, entries, n))
			entries[n++] = (struct entry){row, 0};
	}
	*ret_n = n;
	return entries;
}

/* --- first steps --- */

static const char *rank_of(struct ts_report *r, const struct entry *e)
{
	const char *rank = e->row->rank == TS_RANK_JOB ? "job" : ts_report_say(r, "%d", e->row->rank);

	return e->more ? ts_report_say(r, "%s +%zu", rank, e->more) : rank;
}

/* If steps are missing between the last equal step and the first different one, only this interval is known. */
static const char *first_step(struct ts_report *r, const struct ts_series_row *row)
{
	/* The subtraction is unsigned, because the two steps may lie further apart than an int64 holds. */
	if (row->after_known && row->after_step < row->first_step &&
	    (uint64_t)row->first_step - (uint64_t)row->after_step > 1)
		return ts_report_say(r, "%" PRId64 " to %" PRId64, row->after_step, row->first_step);
	return ts_report_say(r, "%" PRId64, row->first_step);
}

static const char *visible(struct ts_report *r, const struct ts_gap *gap)
{
	if (!gap->known)
		return "-";
	return gap->visible ? ts_report_say(r, "%" PRId64, gap->visible_step) : "never";
}

enum { GAP_COLUMNS = 7 };

/* Says by how much a series differs, one column for each number. */
static void gap_cells(struct ts_report *r, const struct ts_gap *gap, const char *ret_cells[GAP_COLUMNS])
{
	const double far[] = {gap->visible ? gap->at_visible : gap->first, gap->after_10, gap->after_30, gap->after_100, gap->slope,
			      gap->saturation};

	ret_cells[0] = visible(r, gap);
	for (size_t k = 1; k < GAP_COLUMNS; k++)
		ret_cells[k] = gap->known ? ts_report_kept(r, ts_show_apart(far[k - 1], r->arena)) : "-";
}

/* Explains the columns that are shown. */
static void legend(struct ts_report *r, struct ts_section *s, const bool used[GAP_COLUMNS], bool more_ranks)
{
	static const char *const meanings[GAP_COLUMNS] = {
		"visible: the first with a difference above the rounding of the values",
		"r: |a - b| / max(|a|, |b|) at that step",
		"r+10: r 10 points later",
		"", /* the same as r+10 */
		"",
		"slope: growth of ln r per step",
		"r end: r in the last tenth of the points",
	};
	const char *text = "first step: the first with different bits";

	for (size_t k = 0; k < GAP_COLUMNS; k++)
		if (used[k])
			text = ts_report_join(r, text, "; ", meanings[k]);
	ts_report_line(r, s, NULL, ts_report_join(r, text, "; ", more_ranks ? "+2: and 2 more ranks" : NULL));
}

/* A column in which nothing is known of any series is left out. The column of ranks is left out if there is only one rank. */
static void first_steps(struct ts_report *r, struct ts_section *s, const struct entry *entries, size_t n, bool ranks)
{
	static const struct ts_view_column fixed[] = {TS_LEFT("series", 12), TS_LEFT("rank", 0), TS_RIGHT("first step")};
	static const struct ts_view_column gaps[GAP_COLUMNS] = {TS_RIGHT("visible"), TS_RIGHT("r"),	TS_RIGHT("r+10"),
								TS_RIGHT("r+30"),    TS_RIGHT("r+100"), TS_RIGHT("slope"),
								TS_RIGHT("r end")};
	size_t shown = r->whole || n <= SERIES_SHOWN ? n : SERIES_SHOWN, n_columns = 0;
	struct ts_view_column columns[TS_VIEW_COLUMNS_MAX];
	const char *cells[GAP_COLUMNS];
	bool used[GAP_COLUMNS] = {false}, more_ranks = false;
	struct ts_view *table;

	for (size_t i = 0; i < shown; i++) {
		more_ranks |= entries[i].more > 0;
		gap_cells(r, &entries[i].row->gap, cells);
		for (size_t k = 0; k < GAP_COLUMNS; k++)
			used[k] |= strcmp(cells[k], "-") != 0;
	}
	for (size_t c = 0; c < sizeof fixed / sizeof fixed[0]; c++)
		if (c != 1 || ranks)
			columns[n_columns++] = fixed[c];
	for (size_t k = 0; k < GAP_COLUMNS; k++)
		if (used[k])
			columns[n_columns++] = gaps[k];
	table = ts_report_table(r, s, columns, n_columns);
	table->indented = true;
	for (size_t i = 0; i < shown; i++) {
		const struct ts_series_row *row = entries[i].row;
		const char *name = ts_report_series_name(r, row->name);

		if (row->role == TS_ROLE_UNKNOWN)
			name = ts_report_say(r, "%s (unknown role)", name);
		ts_view_text(table, TS_STYLE_BOLD, name);
		if (ranks)
			ts_view_text(table, TS_STYLE_PLAIN, rank_of(r, &entries[i]));
		ts_view_text(table, TS_STYLE_PLAIN, first_step(r, row));
		gap_cells(r, &row->gap, cells);
		for (size_t k = 0; k < GAP_COLUMNS; k++)
			if (used[k])
				ts_view_text(table, TS_STYLE_PLAIN, cells[k]);
	}
	table->more = n - shown;
	legend(r, s, used, more_ranks);
}

/* --- ranks --- */

struct rank_first {
	int32_t rank;
	int64_t step;
};

TS_ORDER(by_rank, struct rank_first, TS_UP(rank); TS_UP(step))

TS_ORDER(by_step, struct rank_first, TS_UP(step); TS_UP(rank))

/* Lists each rank that differs in a series of the trajectory and its first step, sorted by this step. */
static struct rank_first *firsts(struct ts_report *r, const struct ts_diff *diff, size_t *ret_n)
{
	struct rank_first *ranks = ts_arena_array(r->arena, diff->n_series + 1, sizeof *ranks);
	size_t n = 0, kept = 0;

	r->failed |= !ranks;
	for (size_t i = 0; ranks && i < diff->n_series; i++)
		if (diff->series[i].state == TS_SERIES_PARTS && diff->series[i].role == TS_ROLE_TRAJECTORY &&
		    diff->series[i].rank != TS_RANK_JOB)
			ranks[n++] = (struct rank_first){diff->series[i].rank, diff->series[i].first_step};
	TS_SORT(ranks, n, by_rank);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || ranks[i].rank != ranks[i - 1].rank)
			ranks[kept++] = ranks[i];
	TS_SORT(ranks, kept, by_step);
	*ret_n = kept;
	return ranks;
}

static const char *order_of_group(struct ts_report *r, const char *who, size_t n, bool first, int64_t step)
{
	const char *noun = n == 1 ? "rank" : "ranks", *verb = n == 1 ? "differs" : "differ";

	if (first)
		return ts_report_say(r, "%s %s %s first, at step %" PRId64, noun, who, verb, step);
	return ts_report_say(r, "%s %s at step %" PRId64, noun, who, step);
}

/* Says "rank 1 differs first, at step 80; then ranks 0, 2 at step 81". With one rank there is nothing to say. */
static const char *order_of_ranks(struct ts_report *r, const struct ts_diff *diff)
{
	size_t n, groups = 0;
	const struct rank_first *ranks = firsts(r, diff, &n);
	int32_t *list = ts_arena_array(r->arena, RANKS_SHOWN, sizeof *list);
	const char *text = NULL;

	r->failed |= !list;
	if (!ranks || !list || !n || (diff->a.ranks < 2 && diff->b.ranks < 2))
		return NULL;
	for (size_t i = 0, end; i < n; i = end) {
		size_t shown;
		const char *who;

		for (end = i; end < n && ranks[end].step == ranks[i].step; end++)
			;
		if (groups++ == GROUPS_SHOWN)
			return ts_report_say(r, "%s; %zu more ranks later", text, n - i);
		if (end - i == n && n > 1)
			return ts_report_say(r, "all %zu ranks that differ first differ at step %" PRId64, n,
					     ranks[i].step);
		shown = end - i < RANKS_SHOWN ? end - i : RANKS_SHOWN;
		for (size_t k = 0; k < shown; k++)
			list[k] = ranks[i + k].rank;
		who = ts_report_kept(r, ts_show_ranks(list, shown, end - i, r->arena));
		text = ts_report_join(r, text, "; then ", order_of_group(r, who, end - i, text == NULL, ranks[i].step));
	}
	return text;
}

/* --- values --- */

/* A long text is shown from a little before the place where it differs. */
static const char *from_parting(struct ts_report *r, const char *text, int column)
{
	int start = column - TEXT_BEFORE;

	if (strlen(text) <= TEXT_LONG || start <= 0)
		return text;
	while (start > 0 && ((unsigned char)text[start] & 0xc0) == 0x80)
		start--;
	return ts_report_say(r, "…%s", text + start);
}

/* The number of columns in front of the place where the two texts differ. Up to there the bytes are those of a, apart
 * from the padding. */
static int caret(const char *a, const struct ts_parting *p)
{
	int bytes = p->column - p->pad_a;

	return bytes <= 0 ? p->column : p->pad_a + ts_text_width(ts_span_of(a, (size_t)bytes));
}

/* Says "step 80", or with an axis "tokens 4096: steps 10 and 20". */
static const char *where_of(struct ts_report *r, const struct ts_series_row *row, struct ts_span axis)
{
	if (!axis.len)
		return ts_report_say(r, "step %" PRId64, row->first_step);
	return ts_report_say(r, "%s %" PRId64 ": steps %" PRId64 " and %" PRId64, ts_report_text(r, axis),
			     row->first_step, row->step_a, row->step_b);
}

static void value_rows(struct ts_report *r, struct ts_view *table, const struct entry *e, struct ts_span axis, bool ranks)
{
	const struct ts_series_row *row = e->row;
	const char *a = ts_report_kept(r, ts_show_cell_value(&row->a, r->arena));
	const char *b = ts_report_kept(r, ts_show_cell_value(&row->b, r->arena));
	const char *where = where_of(r, row, axis);
	struct ts_parting p = ts_show_parting(a, b);

	if (p.column > TEXT_BEFORE && (strlen(a) > TEXT_LONG || strlen(b) > TEXT_LONG)) {
		a = from_parting(r, a, p.column);
		b = from_parting(r, b, p.column);
		p = ts_show_parting(a, b);
	}
	if (ranks && row->rank != TS_RANK_JOB)
		where = ts_report_say(r, "%s, rank %d", where, row->rank);
	ts_view_row(table, NULL);
	ts_view_set(table, "series", TS_STYLE_BOLD, ts_report_series_name(r, row->name));
	ts_view_set(table, "value", TS_STYLE_PLAIN, ts_report_say(r, "a  %*s%s", p.pad_a, "", a));
	ts_view_row(table, NULL);
	ts_view_set(table, "series", TS_STYLE_DIM, where);
	ts_view_set(table, "value", TS_STYLE_PLAIN, ts_report_say(r, "b  %*s%s", p.pad_b, "", b));
	ts_view_row(table, NULL);
	ts_view_set(table, "series", TS_STYLE_PLAIN, "");
	ts_view_set(table, "value", TS_STYLE_MARK, ts_report_say(r, "   %*s^", caret(a, &p), ""));
}

/* Numbers come first, in the order of their first steps. Digests come last, because their values tell people nothing. */
static const struct entry *nth_value(const struct entry *entries, size_t n, size_t nth)
{
	for (int words = 0; words < 2; words++)
		for (size_t i = 0; i < n; i++)
			if ((entries[i].row->type == TS_COLUMN_U64) == words && nth-- == 0)
				return &entries[i];
	return NULL;
}

/* Shows the values of some series that differ. For the other series, the table says by how much they differ. */
static void values(struct ts_report *r, struct ts_section *s, const struct entry *entries, size_t n, struct ts_span axis,
		   bool ranks)
{
	static const struct ts_view_column columns[] = {{.key = "series", .least = 12}, {.key = "value", .least = 24}};
	struct ts_view *table = ts_report_table(r, s, TS_VIEW_COLUMNS(columns));

	table->mono = true;
	for (size_t i = 0; i < n && (r->whole || i < VALUES_SHOWN); i++)
		value_rows(r, table, r->whole ? &entries[i] : nth_value(entries, n, i), axis, ranks);
}

/* --- names --- */

static bool same_entry(const struct ts_series_row *x, const struct ts_series_row *y)
{
	return ts_span_eq(x->name, y->name) && x->other_types == y->other_types && (!x->other_types || x->type == y->type);
}

/* Says "mood". If the other side has the same name with another type, it says why no step was compared: "mood (f64;
 * text in b)". */
static const char *lone_name(struct ts_report *r, const struct ts_series_row *row)
{
	const char *text = ts_report_series_name(r, row->name), *lead = "";

	if (!row->other_types)
		return text;
	text = ts_report_say(r, "%s (%s; ", text, ts_column_type_word(row->type));
	for (unsigned t = TS_COLUMN_F64; t <= TS_COLUMN_JSON; t++) {
		if (!(row->other_types >> t & 1))
			continue;
		text = ts_report_say(r, "%s%s%s", text, lead, ts_column_type_word((enum ts_column_type)t));
		lead = " and ";
	}
	return ts_report_say(r, "%s in %s)", text, row->state == TS_SERIES_ONLY_A ? "b" : "a");
}

const char *ts_report_names_in(struct ts_report *r, const struct ts_diff *diff, enum ts_series_state state, bool observation)
{
	const struct ts_series_row **names = ts_arena_array(r->arena, diff->n_series + 1, sizeof *names);
	const char *text = NULL;
	size_t n = 0, shown;

	r->failed |= !names;
	for (size_t i = 0; names && i < diff->n_series; i++) {
		const struct ts_series_row *row = &diff->series[i];
		size_t k = n;

		if (row->state != state || (row->role == TS_ROLE_OBSERVATION) != observation)
			continue;
		/* Ranks of one series usually follow each other, so the search begins at the end. */
		while (k > 0 && !same_entry(names[k - 1], row))
			k--;
		if (k == 0)
			names[n++] = row;
	}
	shown = r->whole || n <= NAMES_SHOWN ? n : NAMES_SHOWN;
	for (size_t i = 0; i < shown; i++)
		text = ts_report_join(r, text, ", ", lone_name(r, names[i]));
	return n > shown ? ts_report_say(r, "%s and %zu more", text, n - shown) : text;
}

/* Says which run has more events of a pipeline. The events that both runs have agree. */
static const char *more_events(struct ts_report *r, const struct ts_diff *diff)
{
	for (size_t i = 0; i < diff->n_series; i++) {
		const struct ts_series_row *row = &diff->series[i];

		if (row->state == TS_SERIES_EXTENT && ts_span_starts(row->name, ts_span_str("pipeline[].")))
			return ts_report_say(
				r, "the runs do not have the same number of pipeline events: %s in a, %s in b",
				ts_report_kept(r, ts_show_count(row->steps_a, r->arena)),
				ts_report_kept(r, ts_show_count(row->steps_b, r->arena)));
	}
	return NULL;
}

/* Says "10 series differ, 8 are the same (counted on each rank)". */
static const char *series_head(struct ts_report *r, const struct ts_diff *diff, size_t n, bool ranks)
{
	const char *same = diff->n_same ? ts_report_kept(r, ts_show_count(diff->n_same, r->arena)) : n ? "none" : "no";
	const char *is = diff->n_same > 1 ? "are" : "is", *text;

	if (n)
		text = ts_report_say(r, "%zu series %s, %s %s the same", n, n == 1 ? "differs" : "differ", same, is);
	else
		text = ts_report_say(r, "%s series %s the same", same, is);
	if (ranks)
		text = ts_report_say(r, "%s (counted on each rank)", text);
	return diff->axis.len
		       ? ts_report_say(r, "%s; the first step is a value of %s", text, ts_report_text(r, diff->axis))
		       : text;
}

void ts_report_diff_series(struct ts_report *r, const struct ts_diff *diff)
{
	bool ranks = diff->a.ranks > 1 || diff->b.ranks > 1;
	struct ts_section *s = ts_report_section(r, TS_SECTION_SERIES);
	size_t n, all = 0;
	const struct entry *entries = parting(r, diff, &n);

	for (size_t i = 0; i < n; i++)
		all += 1 + entries[i].more;
	s->head = series_head(r, diff, all, ranks);
	if (n) {
		first_steps(r, s, entries, n, ranks);
		ts_report_line(r, s, "ranks", order_of_ranks(r, diff));
		values(r, s, entries, n, diff->axis, ranks);
	}
	ts_report_line(r, s, "agree",
		       ts_report_with(r, "these series agree at all common steps: ",
				      ts_report_names_in(r, diff, TS_SERIES_EXTENT, false), ""));
	if (!r->whole)
		ts_report_line(r, s, "costs",
			       ts_report_with(r, "these series differ, but do not decide: ",
					      ts_report_names_in(r, diff, TS_SERIES_PARTS, true), ""));
	ts_report_line(r, s, "events", more_events(r, diff));
}

/* --- curves --- */

static const struct ts_series_row *row_of(const struct ts_diff *diff, struct ts_span name)
{
	for (size_t i = 0; i < diff->n_series; i++)
		if (diff->series[i].state == TS_SERIES_PARTS && ts_span_eq(diff->series[i].name, name))
			return &diff->series[i];
	return NULL;
}

/* The last cell may end after the last step. */
static int64_t last_of(const struct ts_diff *diff, const struct ts_plot *plot)
{
	int64_t end = diff->a.last_step > diff->b.last_step ? diff->a.last_step : diff->b.last_step;
	uint64_t covered = (uint64_t)plot->n * plot->width - 1;

	return (uint64_t)end - (uint64_t)plot->first_step < covered ? end : (int64_t)((uint64_t)plot->first_step + covered);
}

/* If the curve around the first difference already shows the whole run, the curve of the whole run would be the same. */
static bool drawn_already(const struct ts_plots *plots, size_t at)
{
	const struct ts_plot *plot = &plots->items[at];

	for (size_t i = 0; i < at; i++) {
		const struct ts_plot *other = &plots->items[i];

		if (ts_span_is(other->group, "around") && ts_span_eq(other->subject, plot->subject) &&
		    ts_span_eq(other->name, plot->name) && other->first_step == plot->first_step &&
		    other->width == plot->width && other->n == plot->n)
			return true;
	}
	return false;
}

void ts_report_diff_curves(struct ts_report *r, const struct ts_diff *diff)
{
	const struct ts_plots *plots = &diff->plots;
	struct ts_section *s = NULL;
	bool was_near = false;

	for (size_t i = 0; i + 1 < plots->n; i++) {
		const struct ts_plot *a = &plots->items[i], *b = &plots->items[i + 1];
		const struct ts_series_row *row = row_of(diff, a->subject);
		struct ts_item *item;
		bool near;

		/* Two plots are drawn in one figure only if they have the same series and the same cells. */
		if (!row || !ts_span_is(a->name, "a") || !ts_span_is(b->name, "b") || !ts_span_eq(a->group, b->group) ||
		    !ts_span_eq(a->subject, b->subject) || a->n != b->n || a->first_step != b->first_step ||
		    a->width != b->width || a->n == 0)
			continue;
		near = ts_span_is(a->group, "around");
		if (!near && drawn_already(plots, i))
			continue;
		if (!s || near != was_near)
			s = ts_report_section(r, near ? TS_SECTION_CURVES_AROUND_THE_FIRST_DIFFERENCE
						      : TS_SECTION_CURVES_OF_THE_WHOLE_RUN);
		was_near = near;
		item = ts_report_item(r, s, TS_ITEM_CURVES, ts_report_series_name(r, a->subject));
		item->curves = (struct ts_curves){a, b, row->first_step, last_of(diff, a), near, ts_report_run(r, &diff->a),
						   ts_report_run(r, &diff->b)};
		if (diff->a.ranks > 1 && row->rank != TS_RANK_JOB)
			item->text = ts_report_say(r, "rank %d", row->rank);
	}
}

struct ts_plot *ts_curves_apart(const struct ts_curves *c, struct ts_arena *arena)
{
	struct ts_plot *p = ts_arena_alloc(arena, sizeof *p);
	double *values = ts_arena_array(arena, c->a->n, sizeof *values);
	uint64_t *count = ts_arena_array(arena, c->a->n, sizeof *count);

	if (!p || !values || !count)
		return NULL;
	for (size_t i = 0; i < c->a->n; i++) {
		double a = c->a->mean[i], b = c->b->mean[i];
		/* The values are halved, because their difference may exceed the range of a double. */
		double far = fabs(a / 2 - b / 2) / fmax(fabs(a), fabs(b)) * 2;

		values[i] = NAN;
		if (c->a->count[i] && c->b->count[i] && far > 0)
			values[i] = far;
		count[i] = !isnan(values[i]);
	}
	*p = (struct ts_plot){.group = c->a->group,
			      .subject = c->a->subject,
			      .name = ts_span_str("apart"),
			      .first_step = c->a->first_step,
			      .width = c->a->width,
			      .n = c->a->n,
			      .min = values,
			      .max = values,
			      .mean = values,
			      .count = count,
			      .finite = count};
	return p;
}
