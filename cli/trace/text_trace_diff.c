/* text_trace_diff.c - what differs between two traces, as text: the sentence, then the tables in which something stands out. */
#include "analysis/trace/device/kernel_sums.h"
#include "cli/report/pair_bars.h"
#include "cli/text/show_gate.h"
#include "cli/text/text_parts.h"
#include "cli/trace/diff_trace.h"
#include "cli/trace/trace_cells.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"
#include "proto/shape/shapes.h"

enum { ROWS_SHOWN = 12, FEW_ROWS_SHOWN = 6, MOMENTS_SHOWN = 2, NAME_DRAWN = 60 };

static const char *relative(struct ts_cli *cli, const struct ts_trace_diff_row *row)
{
	if (row->a.mean_ns <= 0)
		return row->difference_ns ? "new" : "-";
	return ts_arena_printf(&cli->arena, "%+.1f %%", 100.0 * (double)row->difference_ns / (double)row->a.mean_ns);
}

static const char *interval(struct ts_cli *cli, const struct ts_trace_diff_row *row)
{
	if (!row->decided)
		return "one step";
	return ts_arena_printf(&cli->arena, "%+.3f to %+.3f ms", (double)row->low_ns / 1e6, (double)row->high_ns / 1e6);
}

static const char *counts(struct ts_cli *cli, const struct ts_trace_diff_sum *s)
{
	if (s->least == s->most)
		return ts_show_count(s->most, &cli->arena);
	return ts_arena_printf(&cli->arena, "%" PRIu64 " to %" PRIu64, s->least, s->most);
}

static const char *verdict(struct ts_cli *cli, const struct ts_trace_diff_row *row)
{
	const char *by = row->replaced_by.len ? ts_show_brief(row->replaced_by, NAME_DRAWN, &cli->arena) : "";

	if (!by)
		return NULL;
	if (ts_trace_diff_appeared(row))
		return row->time_differs || row->count_differs ? "only in B" : "only in B, may be chance";
	if (*by)
		return ts_arena_printf(&cli->arena, "replaced by %s under %s", by,
				       ts_show_brief(row->replaced_under, NAME_DRAWN, &cli->arena));
	if (ts_trace_diff_vanished(row))
		return row->time_differs || row->count_differs ? "only in A" : "only in A, may be chance";
	if (row->time_differs)
		return row->count_differs ? "time and count differ" : (row->difference_ns > 0 ? "longer" : "shorter");
	if (row->count_differs)
		return "count differs";
	return row->decided ? "not different" : "";
}

static enum ts_status table_of(struct ts_cli *cli, const struct ts_trace_diff_row *rows, size_t n, bool counted, struct ts_error *err)
{
	static const struct ts_view_column made[] = {{.head = "of A", .align = TS_ALIGN_RIGHT, .key = "relative"},
						     {.head = "95 %", .align = TS_ALIGN_RIGHT, .key = "interval"},
						     {.head = "count A", .align = TS_ALIGN_RIGHT, .key = "count_a"},
						     {.head = "count B", .align = TS_ALIGN_RIGHT, .key = "count_b"},
						     {.head = "", .least = 24, .key = "verdict"}};
	struct ts_view view;

	ts_view_with(&view, &ts_shape_trace_diff_row,
		     counted ? "a.mean_ns b.mean_ns difference_ns relative interval count_a count_b verdict name"
			     : "a.mean_ns b.mean_ns difference_ns relative interval verdict name",
		     TS_VIEW_COLUMNS(made), &cli->arena);
	for (size_t i = 0; i < n; i++) {
		ts_view_row(&view, &rows[i]);
		ts_view_set(&view, "relative", TS_STYLE_PLAIN, relative(cli, &rows[i]));
		ts_view_set(&view, "interval", TS_STYLE_PLAIN, interval(cli, &rows[i]));
		if (counted) {
			ts_view_set(&view, "count_a", TS_STYLE_PLAIN, counts(cli, &rows[i].a));
			ts_view_set(&view, "count_b", TS_STYLE_PLAIN, counts(cli, &rows[i].b));
		}
		ts_view_set(&view, "verdict", TS_STYLE_PLAIN, verdict(cli, &rows[i]));
	}
	return ts_trace_print(cli, &view, err);
}

static const char *heading(enum ts_side_table of, bool device)
{
	static const char *const words[TS_SIDE_TABLES] = {
		[TS_SIDE_PARTS] = "Where a step's time on the devices goes (the parts add up to it)",
		[TS_SIDE_CATEGORIES] = "Device time by category (sums: what ran at once counts twice)",
		[TS_SIDE_KERNELS] = "Kernels, copies and fills by name without arguments (sums)",
		[TS_SIDE_DEVICE_OPERATORS] = "Device time by the operator that launched it (sums)",
		[TS_SIDE_OPERATORS] = "Operators by self time on the host, all threads",
		[TS_SIDE_FUNCTIONS] = "Python functions by self time, all threads",
		[TS_SIDE_CALLS] = "Calls of the runtime, all threads",
	};

	return of == TS_SIDE_PARTS && !device ? "Where a step's time on the host goes (the parts add up to it)" : words[of];
}

/* "1.200 ms in A, at 17 ns of its clock"; empty: the side has none. */
static const char *moment(struct ts_cli *cli, const struct ts_trace_diff_sum *s, const char *side)
{
	if (!s->has_longest)
		return "";
	return ts_arena_phrase(&cli->arena, "%s in %s, at %" PRId64 " ns of its clock", ts_trace_ms(cli, s->longest.ns), side,
			       s->longest.at_ns);
}

/* Where to look at the rows that differ most. */
static void moments(struct ts_cli *cli, const struct ts_trace_diff_table *t)
{
	size_t n = t->n_differ < MOMENTS_SHOWN ? t->n_differ : MOMENTS_SHOWN;

	for (size_t i = 0; i < n; i++) {
		const struct ts_trace_diff_row *row = &t->rows[i];
		const char *a = moment(cli, &row->a, "A"), *b = moment(cli, &row->b, "B");

		if (*a || *b)
			ts_text_wrapped(cli, TS_STYLE_DIM, 2,
					ts_arena_phrase(&cli->arena, "the longest %s: %s%s%s",
							ts_show_brief(row->name, NAME_DRAWN, &cli->arena), a, *a && *b ? "; " : "", b));
	}
}

/* Rows that differ are shown, and kernels of one side alone; with --all, or where nothing can be decided, the others, too. */
static enum ts_status table(struct ts_cli *cli, const struct ts_trace_diff *d, const struct ts_trace_diff_table *t, bool all,
			    struct ts_error *err)
{
	bool parts = t->of == TS_SIDE_PARTS, whole = all || (parts && !d->step.decided);
	size_t n = whole ? t->n : t->n_differ + (!parts && t->of < TS_SIDE_OPERATORS ? t->n_alone : 0),
	       most = all ? n : (parts || t->of == TS_SIDE_KERNELS ? ROWS_SHOWN : FEW_ROWS_SHOWN);
	size_t shown = n < most ? n : most;
	const char *text, *left;

	if (!n)
		return TS_OK;
	text = ts_arena_printf(&cli->arena, "%s: %s of %s", heading(t->of, d->device), ts_show_count(t->n_differ, &cli->arena),
			       ts_show_count(t->n, &cli->arena));
	text = text ? ts_arena_printf(&cli->arena, "%s %s", text, t->n_differ == 1 ? "differs" : "differ") : "";
	ts_text_heading(cli, text ? text : "");
	if (table_of(cli, t->rows, shown, !parts, err))
		return err->status;
	moments(cli, t);
	left = n > shown ? ts_arena_printf(&cli->arena, "and %s; --all shows them", ts_show_plural(n - shown, "row", &cli->arena)) : "";
	if (left && *left)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2, left);
	return TS_OK;
}

static const char *side(struct ts_cli *cli, const char *path, const struct ts_trace_diff_side *s)
{
	const char *steps;

	if (s->whole)
		return ts_arena_printf(&cli->arena, "%s, without ProfilerStep", path);
	steps = s->n == 1 ? ts_arena_printf(&cli->arena, "step %" PRId64, s->first)
			  : ts_arena_printf(&cli->arena, "%" PRIu64 " steps, %" PRId64 " to %" PRId64, s->n, s->first, s->last);
	if (steps && s->skipped)
		steps = s->skipped == 1
				? ts_arena_printf(&cli->arena, "%s; the first that was recorded is left out as warm-up", steps)
				: ts_arena_printf(&cli->arena, "%s; the first %" PRIu64 " that were recorded are left out as warm-up",
						  steps, s->skipped);
	return steps ? ts_arena_printf(&cli->arena, "%s, %s", path, steps) : NULL;
}

/* What no recording of one run can show. */
static const char *caption(bool device)
{
	return device ? "The 95 % interval is from how steps vary within each recording. Two recordings of the same program can differ "
			"by more."
		      : "The 95 % interval is from how steps vary within each recording. Two recordings of the same program can differ "
			"by "
			"more, on a busy host by much more.";
}

static const char *as_time(double ns, struct ts_arena *arena)
{
	return ts_show_seconds(ns / 1e9, arena);
}

/* On a page, the parts of a step on both sides. */
static void picture(struct ts_cli *cli, const struct ts_trace_diff *d)
{
	for (size_t i = 0; cli->term.page && i < d->n_tables; i++) {
		const struct ts_trace_diff_table *t = &d->tables[i];
		struct ts_pair_part *parts = ts_arena_array(&cli->arena, t->n, sizeof *parts);

		for (size_t k = 0; t->of == TS_SIDE_PARTS && parts && k < t->n; k++)
			parts[k] = (struct ts_pair_part){.label = ts_show_brief(t->rows[k].name, NAME_DRAWN, &cli->arena),
							 .a = (double)t->rows[k].a.mean_ns,
							 .b = (double)t->rows[k].b.mean_ns,
							 .colour = -1};
		if (t->of == TS_SIDE_PARTS && parts)
			ts_pair_bars(&cli->out, "where the time of a step goes, in A and in B", parts, t->n, as_time, &cli->arena);
	}
}

const char *ts_summary_words(const struct ts_trace_diff *d)
{
	if (d->a.summary && d->b.summary)
		return "Of both traces only the summaries of their kernels are kept, which say nothing of operators, functions and "
		       "calls.";
	return d->a.summary ? "Of A only the summary of its kernels is kept, which says nothing of operators, functions and calls."
			    : "Of B only the summary of its kernels is kept, which says nothing of operators, functions and calls.";
}

enum ts_status ts_trace_diff_tables_text(struct ts_cli *cli, const struct ts_trace_diff *d, bool all, struct ts_error *err)
{
	const struct ts_trace_diff_row steps[] = {d->step, d->host};

	ts_text_field(cli, "A", side(cli, d->path_a, &d->a));
	ts_text_field(cli, "B", side(cli, d->path_b, &d->b));
	ts_text_field(cli, "times",
		      d->device ? "means over steps, which end when the last event of a device that they launched does"
				: "means over steps, on the host: not both traces have work of a device");
	if (d->recorded_apart.len)
		ts_text_field(cli, "note", ts_show_text(d->recorded_apart, &cli->arena));
	if (d->a.summary || d->b.summary)
		ts_text_field(cli, "note", ts_summary_words(d));
	ts_text_heading(cli, "Step");
	if (table_of(cli, steps, d->has_host ? 2 : 1, false, err))
		return err->status;
	if (d->step.decided)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2, caption(d->device));
	picture(cli, d);
	for (size_t i = 0; i < d->n_tables; i++)
		if (table(cli, d, &d->tables[i], all, err))
			return err->status;
	return ts_arena_check(&cli->arena, err);
}

enum ts_status ts_render_trace_diff_text(struct ts_cli *cli, const struct ts_trace_diff *d, bool all, struct ts_error *err)
{
	ts_text_wrapped(cli, TS_STYLE_BOLD, 0, ts_show_text(d->sentence, &cli->arena));
	return ts_trace_diff_tables_text(cli, d, all, err);
}
