/* gate_gitlab.c - a verdict as an OpenMetrics text, GitLab's metrics report. See gate_render.h.
 *
 * GitLab also shows code quality reports in a merge request, but each entry of those belongs to a line of a file, and a slower step
 * belongs to no line. GitLab matches metrics by name and labels, so both stay the same from run to run.
 */
#include "cli/gate/gate_render.h"

#include "cli/text/show_gate.h"
#include "cli/view/show_value.h"

struct page {
	const struct ts_verdict *v;
	struct ts_arena *arena;
	struct ts_buf *out;
	const char *workload;
};

/* OpenMetrics wants the unit at the end of the name. It has no unit for "per second", so such a name stays as it is. */
static const char *unit_of(enum ts_unit unit)
{
	if (unit == TS_UNIT_SECONDS)
		return "seconds";
	if (unit == TS_UNIT_BYTES)
		return "bytes";
	return unit == TS_UNIT_RATIO ? "ratio" : NULL;
}

static void family(struct page *p, const char *name, const char *unit, const char *help)
{
	const char *under = unit ? "_" : "", *tail = unit ? unit : "";

	ts_buf_printf(p->out, "# TYPE tscope_%s%s%s gauge\n", name, under, tail);
	if (unit)
		ts_buf_printf(p->out, "# UNIT tscope_%s%s%s %s\n", name, under, tail, unit);
	ts_buf_printf(p->out, "# HELP tscope_%s%s%s %s\n", name, under, tail, help);
}

/* The names of a workload and of a series have no character that a label would have to escape (show_gate.h). */
static void sample(struct page *p, const char *name, const char *unit, const char *metric, double value)
{
	ts_buf_printf(p->out, "tscope_%s%s%s{workload=\"%s\"", name, unit ? "_" : "", unit ? unit : "", p->workload);
	if (metric)
		ts_buf_printf(p->out, ",metric=\"%s\"", metric);
	ts_buf_printf(p->out, "} %.3g\n", value);
}

static void values(struct page *p)
{
	bool any = false;

	for (size_t i = 0; i < p->v->n_rows; i++) {
		const struct ts_gate_row *row = &p->v->rows[i];
		const struct ts_metric_row *metric = &ts_metrics[row->metric];
		bool logged = row->metric >= TS_METRICS;

		if (!isfinite(row->candidate))
			continue;
		/* Logged series are one family, whatever their names. */
		if (!logged || !any)
			family(p, metric->name, unit_of(metric->unit), metric->what);
		any = any || logged;
		sample(p, metric->name, unit_of(metric->unit), logged ? ts_show_row_label(row, p->arena) : NULL, row->candidate);
	}
}

static bool finite_size(const struct ts_gate_row *row) { return isfinite(row->size); }
static bool finite_miss(const struct ts_gate_row *row) { return row->state == TS_GATE_PASS && isfinite(row->could_miss); }

static void of_metrics(struct page *p, const char *name, const char *help, bool (*known)(const struct ts_gate_row *), bool miss)
{
	bool any = false;

	for (size_t i = 0; i < p->v->n_rows; i++) {
		const struct ts_gate_row *row = &p->v->rows[i];

		if (!known(row))
			continue;
		if (!any)
			family(p, name, "ratio", help);
		any = true;
		sample(p, name, "ratio", ts_show_row_label(row, p->arena), miss ? row->could_miss : row->size);
	}
}

enum ts_status ts_render_gate_gitlab(const struct ts_verdict *v, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	struct page p = {.v = v, .arena = arena, .out = out, .workload = ts_show_workload(&v->input, arena)};

	if (!p.workload)
		return ts_arena_error(arena, err);
	values(&p);
	of_metrics(&p, "gate_change", "relative change of the metric against its baselines", finite_size, false);
	of_metrics(&p, "gate_could_miss", "relative size of a regression that the gate could have missed", finite_miss, true);
	family(&p, "gate_judged", NULL,
	       "1 the gate judged the run, 0 it has too few baselines to judge, or the runs are not comparable");
	sample(&p, "gate_judged", NULL, NULL, v->state != TS_GATE_COLLECTING && v->state != TS_GATE_INCONCLUSIVE);
	family(&p, "gate_exit_code", NULL, "0 pass, or not judged yet; 1 regression; 3 inconclusive or blind; 4 pairs needed");
	sample(&p, "gate_exit_code", NULL, NULL, v->exit_code);
	ts_buf_str(out, "# EOF\n");
	return ts_buf_check(out, err);
}
