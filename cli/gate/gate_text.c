/* gate_text.c - prints a verdict, and the baselines of a candidate, on a terminal. */
#include "cli/gate/gate_text.h"

#include "cli/text/show_gate.h"
#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"

#include <math.h>

#define SHARE_LEAST 0.01

enum { REASON_MOST = 300, VALUE_MOST = 120, SESSION_SHOWN = 8, PASSED_MOST = 8, COMMIT_SHOWN = 12 };

static enum ts_style style_of(enum ts_gate_state state)
{
	switch (state) {
	case TS_GATE_PASS:
	case TS_GATE_IMPROVEMENT:
		return TS_STYLE_GREEN;
	case TS_GATE_REGRESSION:
		return TS_STYLE_RED;
	case TS_GATE_SUSPECT:
	case TS_GATE_INCONCLUSIVE:
	case TS_GATE_COLLECTING:
	case TS_GATE_BLIND:
		break;
	}
	return TS_STYLE_YELLOW;
}

static const char *brief(struct ts_cli *cli, struct ts_span text, size_t most)
{
	return ts_show_brief(text, most, &cli->arena);
}

/* A dash in a table means "not known". */
static const char *or_dash(double known, const char *text)
{
	return isnan(known) ? "-" : text;
}

/* The columns of the table of metrics, or of its two halves where the terminal is too narrow for it. */
enum half { WHOLE, CHANGES, BOUNDS };

static void metric_row(struct ts_cli *cli, struct ts_view *view, enum half half, const struct ts_verdict *v,
		       const struct ts_gate_row *row)
{
	enum ts_style style = row->counts ? TS_STYLE_BOLD : TS_STYLE_DIM;
	struct ts_arena *arena = &cli->arena;
	const char *candidate = ts_show_row_candidate(v, row, "-", arena), *title = ts_gate_title(&v->input, row->metric, arena);

	ts_view_row(view, NULL);
	ts_view_set(view, "metric", style, title ? ts_show_text(ts_span_str(title), arena) : NULL);
	if (half != BOUNDS) {
		ts_view_set(view, "baseline", TS_STYLE_PLAIN, or_dash(row->base, ts_show_metric(row->metric, row->base, arena)));
		ts_view_set(view, "candidate", TS_STYLE_PLAIN, candidate);
		ts_view_set(view, "change", TS_STYLE_PLAIN, or_dash(row->size, ts_show_row_change(row, arena)));
	}
	if (half != CHANGES) {
		ts_view_set(view, "interval", TS_STYLE_PLAIN, or_dash(row->low + row->high, ts_show_row_interval(row, arena)));
		ts_view_set(view, "missed", TS_STYLE_PLAIN, or_dash(row->could_miss, ts_show_row_missed(row, arena)));
	}
	if (half == BOUNDS)
		return;
	if (row->counts)
		ts_view_set(view, "verdict", style_of(row->state), ts_gate_state_word(row->state));
	else
		ts_view_set(view, "verdict", TS_STYLE_DIM, ts_arena_printf(arena, "(%s)", ts_gate_state_word(row->state)));
}

/* On one device, the rate of a device is that of the job. */
static bool is_same_again(const struct ts_verdict *v, const struct ts_gate_row *row)
{
	bool device = row->metric == TS_METRIC_TOKENS_PER_S_DEVICE || row->metric == TS_METRIC_SAMPLES_PER_S_DEVICE;

	return device && !row->counts && row->candidate == v->rows[row->metric - 1].candidate;
}

/* Lists the metrics that decide first. A metric that neither side has gets a row only if it decides. */
static void metric_rows(struct ts_cli *cli, enum half half, const struct ts_verdict *v, struct ts_view *ret_view)
{
	static const struct ts_view_column columns[] = {TS_LEFT("metric", 10),
							TS_RIGHT("baseline"),
							TS_RIGHT("candidate"),
							TS_RIGHT("change"),
							{.head = "99 % interval", .align = TS_ALIGN_RIGHT, .key = "interval"},
							{.head = "could miss", .align = TS_ALIGN_RIGHT, .key = "missed"},
							TS_LEFT("verdict", 0)};
	static const char *const keys[] = {[WHOLE] = "metric baseline candidate change interval missed verdict",
					   [CHANGES] = "metric baseline candidate change verdict",
					   [BOUNDS] = "metric interval missed"};

	ts_view_with(ret_view, NULL, keys[half], TS_VIEW_COLUMNS(columns), &cli->arena);
	for (int counts = 1; counts >= 0; counts--)
		for (size_t i = 0; i < v->n_rows; i++)
			if (v->rows[i].counts == counts && ts_show_gate_row(&v->rows[i]) && !is_same_again(v, &v->rows[i]))
				metric_row(cli, ret_view, half, v, &v->rows[i]);
}

static enum ts_status metrics(struct ts_cli *cli, const struct ts_verdict *v, struct ts_error *err)
{
	struct ts_view view;

	metric_rows(cli, WHOLE, v, &view);
	ts_buf_char(&cli->out, '\n');
	if (ts_view_fits(&view, &cli->term, 2))
		return ts_view_print(&view, &cli->term, 2, &cli->out, err);
	metric_rows(cli, CHANGES, v, &view);
	if (ts_view_print(&view, &cli->term, 2, &cli->out, err))
		return err->status;
	metric_rows(cli, BOUNDS, v, &view);
	ts_buf_char(&cli->out, '\n');
	return ts_view_print(&view, &cli->term, 2, &cli->out, err);
}

/* Parts with almost no share of the difference appear only in the JSON. kind: TS_GATE_PART_OTHER for those of time. */
static void why(struct ts_cli *cli, const struct ts_verdict *v, enum ts_gate_part kind)
{
	const char *time = v->state == TS_GATE_IMPROVEMENT ? "Where the step became faster" : "Where the step became slower";
	bool any = false;

	for (size_t i = 0; i < v->n_why; i++) {
		enum ts_gate_part part = ts_gate_part_of(v->why[i].kind);
		bool memory = part == TS_GATE_PART_MEMORY, machine = part == TS_GATE_PART_MACHINE;

		if (fabs(v->why[i].share) < SHARE_LEAST || (kind ? part != kind : memory || machine))
			continue;
		if (!any)
			ts_text_heading(cli, memory ? "What holds more memory" : machine ? "What else differs" : time);
		any = true;
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2, ts_show_why(&v->why[i], &cli->arena));
	}
}

static const char *side(struct ts_cli *cli, struct ts_span value)
{
	return value.len ? brief(cli, value, VALUE_MOST) : "not recorded";
}

static void change(struct ts_view *view, struct ts_cli *cli, const char *what, struct ts_span path, struct ts_span a, struct ts_span b)
{
	ts_view_row(view, NULL);
	ts_view_set(view, "", TS_STYLE_PLAIN, what);
	ts_view_set(view, "fact", TS_STYLE_BOLD, brief(cli, path, VALUE_MOST));
	ts_view_set(view, "newest baseline", TS_STYLE_PLAIN, side(cli, a));
	ts_view_set(view, "candidate", TS_STYLE_PLAIN, side(cli, b));
}

/* A fact in which the workloads differ is listed only once, as a difference of the workload. */
static bool is_difference(const struct ts_gate_input *in, struct ts_span path)
{
	for (size_t i = 0; i < in->n_differences; i++)
		if (ts_span_eq(in->differences[i].path, path))
			return true;
	return false;
}

static enum ts_status changes(struct ts_cli *cli, const struct ts_gate_input *in, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_LEFT("", 0), TS_LEFT("fact", 12), TS_LEFT("newest baseline", 12),
							TS_LEFT("candidate", 12)};
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < in->n_differences; i++)
		change(&view, cli, ts_workload_part_word(in->differences[i].part), in->differences[i].path, in->differences[i].a,
		       in->differences[i].b);
	for (size_t i = 0; i < in->n_facts; i++)
		if (!is_difference(in, in->facts[i].path))
			change(&view, cli, "", in->facts[i].path, in->facts[i].a, in->facts[i].b);
	if (ts_view_n(&view) == 0 && in->loss.sentence.len == 0)
		return TS_OK;
	ts_text_heading(cli, "What else changed");
	if (ts_view_n(&view) && ts_view_print(&view, &cli->term, 2, &cli->out, err))
		return err->status;
	if (in->facts_more)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				ts_arena_printf(&cli->arena, "and %s more",
						ts_show_plural(in->facts_more, "fact", &cli->arena)));
	if (in->loss.sentence.len)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				ts_arena_printf(&cli->arena, "loss: %s", brief(cli, in->loss.sentence, REASON_MOST)));
	return TS_OK;
}

static struct ts_span head_of(struct ts_span text, size_t most)
{
	return ts_span_of(text.data, text.len < most ? text.len : most);
}

static void run_row(struct ts_cli *cli, struct ts_view *view, const struct ts_gate_run *run)
{
	const struct ts_workload *w = &run->workload;
	const struct ts_reduced *time = &run->reduction.metrics[TS_METRIC_STEP_TIME];
	struct ts_span commit = head_of(w->commit, COMMIT_SHOWN);

	ts_view_row(view, NULL);
	ts_view_set(view, "", TS_STYLE_DIM,
		    run->role >= TS_GATE_PAIR_BASE
			    ? ts_arena_printf(&cli->arena, "%s %u", ts_gate_role_word(run->role), (unsigned)run->group)
			    : ts_gate_role_word(run->role));
	ts_view_set(view, "run", TS_STYLE_BOLD, ts_show_gate_run(run, &cli->arena));
	ts_view_set(view, "id", TS_STYLE_PLAIN, ts_show_id(&run->id, &cli->arena));
	ts_view_lead(view, "id", ts_show_link("r/", &run->id, &cli->arena));
	ts_view_set(view, "commit", TS_STYLE_PLAIN,
		    commit.len ? ts_arena_printf(&cli->arena, "%s%s", brief(cli, commit, COMMIT_SHOWN), w->dirty ? "+" : "") : "-");
	ts_view_set(view, "session", TS_STYLE_PLAIN,
		    w->session.len ? brief(cli, head_of(w->session, SESSION_SHOWN), SESSION_SHOWN) : "-");
	ts_view_set(view, "step time", TS_STYLE_PLAIN,
		    time->known ? ts_show_metric(TS_METRIC_STEP_TIME, time->value, &cli->arena) : "not known");
}

static const struct ts_view_column run_columns[] = {
	TS_LEFT("", 0), TS_LEFT("run", 12), TS_LEFT("id", 0), TS_LEFT("commit", 0), TS_LEFT("session", 0), TS_RIGHT("step time"),
};

static enum ts_status passed_over(struct ts_cli *cli, const struct ts_gate_input *in, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_LEFT("run", 12), TS_LEFT("reason", 24)};
	struct ts_view view;

	if (in->n_passed_over == 0)
		return TS_OK;
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < in->n_passed_over && i < PASSED_MOST; i++) {
		const struct ts_gate_passed_over *row = &in->passed_over[i];

		ts_view_row(&view, NULL);
		ts_view_set(&view, "run", TS_STYLE_BOLD,
			    row->name.len ? brief(cli, row->name, VALUE_MOST) : ts_show_id(&row->id, &cli->arena));
		ts_view_set(&view, "reason", TS_STYLE_PLAIN, brief(cli, row->reason, REASON_MOST));
	}
	ts_text_heading(cli, "Runs that do not count");
	if (ts_view_print(&view, &cli->term, 2, &cli->out, err))
		return err->status;
	if (in->n_passed_over > PASSED_MOST)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				ts_arena_printf(&cli->arena, "and %s more",
						ts_show_plural(in->n_passed_over - PASSED_MOST, "run", &cli->arena)));
	return TS_OK;
}

static enum ts_status runs(struct ts_cli *cli, const struct ts_gate_input *in, struct ts_error *err)
{
	size_t history = 0;
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(run_columns), &cli->arena);
	for (size_t i = 0; i < in->n_runs; i++) {
		if (in->runs[i].role == TS_GATE_HISTORY)
			history++;
		else
			run_row(cli, &view, &in->runs[i]);
	}
	ts_text_heading(cli, "Runs");
	ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
			ts_arena_printf(&cli->arena, "baselines: %s%s%s", brief(cli, in->sentence, REASON_MOST),
					history ? "; the spread between runs is known from " : "",
					history ? ts_show_plural(history, "earlier run", &cli->arena) : ""));
	if (ts_view_n(&view) && ts_view_print(&view, &cli->term, 2, &cli->out, err))
		return err->status;
	return passed_over(cli, in, err);
}

enum ts_status ts_render_gate_text(struct ts_cli *cli, const struct ts_verdict *v, struct ts_error *err)
{
	ts_text_wrapped(cli, style_of(v->state), 0, brief(cli, v->sentence, SIZE_MAX));
	if (v->rates.len)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 0, brief(cli, v->rates, SIZE_MAX));
	for (size_t i = 0; i < v->n_warnings; i++)
		ts_text_wrapped(cli, TS_STYLE_YELLOW, 0,
				ts_arena_printf(&cli->arena, "warning: %s", brief(cli, v->warnings[i], SIZE_MAX)));
	if (metrics(cli, v, err))
		return err->status;
	why(cli, v, TS_GATE_PART_OTHER);
	why(cli, v, TS_GATE_PART_MEMORY);
	why(cli, v, TS_GATE_PART_MACHINE);
	return changes(cli, &v->input, err) || runs(cli, &v->input, err) ? err->status : TS_OK;
}

enum ts_status ts_render_baseline_text(struct ts_cli *cli, const struct ts_gate_input *in, struct ts_error *err)
{
	bool some = false;

	for (size_t i = 0; i < in->n_runs; i++)
		some |= in->runs[i].role == TS_GATE_BASELINE;
	ts_text_wrapped(cli, some ? TS_STYLE_PLAIN : TS_STYLE_YELLOW, 0, brief(cli, in->sentence, SIZE_MAX));
	if (in->not_comparable.len)
		ts_text_wrapped(cli, TS_STYLE_YELLOW, 0, brief(cli, in->not_comparable, SIZE_MAX));
	if (in->lost.len)
		ts_text_wrapped(cli, TS_STYLE_YELLOW, 0, brief(cli, in->lost, SIZE_MAX));
	return runs(cli, in, err);
}
