/* ranks_views.c - two more views of the ranks of a job: as TraceML sees them (culprit.h), and as plots that line up. */
#include "analysis/ranks/ranks_internal.h"
#include "base/order.h"

#include "analysis/ranks/culprit.h"
#include "analysis/stats/stats.h"
#include "base/door.h"

enum { METRICS = 7 };

static const struct {
	const char *subject, *missing;
} metrics[METRICS] = {
	{"traceml input_wait", "no rank has the phase data"},
	{"traceml forward", "no rank has the phase forward"},
	{"traceml backward", "no rank has the phase backward"},
	{"traceml optimizer", "no rank has the phase optimizer"},
	{"traceml compute", "no rank has all of forward, backward and optimizer"},
	{"traceml residual", "no rank has all of forward, backward and optimizer"},
	{"traceml step_time", "no step was compared"},
};

static double mean_phase(const struct ts_ranks *r, size_t rank, enum ts_rank_phase phase)
{
	const struct ts_rank_sums *s = &r->sums[rank];

	return s->has[phase] ? ts_tally_value(&s->phases[phase]) / (double)r->kept->n : (double)NAN;
}

/* Fills the values in the order of metrics[]. A value that is not measured is NaN, and so is every sum that contains
 * it. */
static void metrics_of(const struct ts_ranks *r, size_t rank, double *ret)
{
	ret[0] = mean_phase(r, rank, TS_RANK_DATA);
	ret[1] = mean_phase(r, rank, TS_RANK_FORWARD);
	ret[2] = mean_phase(r, rank, TS_RANK_BACKWARD);
	ret[3] = mean_phase(r, rank, TS_RANK_OPTIMIZER);
	ret[4] = ret[1] + ret[2] + ret[3];
	ret[6] = ts_tally_value(&r->sums[rank].total) / (double)r->kept->n;
	ret[5] = ret[6] - ret[4] - (isnan(ret[0]) ? 0 : ret[0]);
	ret[5] = ret[5] < 0 ? 0 : ret[5];
}

static bool metric_rows(struct ts_measures *m, struct ts_arena *arena, size_t metric, const struct ts_rank_spread *s)
{
	struct ts_span subject = ts_span_str(metrics[metric].subject);
	const char *missing = s ? NULL : metrics[metric].missing;

	if (missing)
		return ts_measure_unknown(m, arena, TS_M_TRACEML_MEDIAN, subject, missing);
	return ts_measure_add(m, arena, TS_M_TRACEML_MEDIAN, subject, s->median) &&
	       ts_measure_add(m, arena, TS_M_TRACEML_MEDIAN_RANK, subject, s->median_rank) &&
	       ts_measure_add(m, arena, TS_M_TRACEML_WORST, subject, s->worst_value) &&
	       ts_measure_add(m, arena, TS_M_TRACEML_WORST_RANK, subject, s->worst_rank) &&
	       (isnan(s->skew)
			? ts_measure_unknown(m, arena, TS_M_TRACEML_SKEW, subject, "the median rank has no such time")
			: ts_measure_add(m, arena, TS_M_TRACEML_SKEW, subject, s->skew));
}

static bool culprit_rows(struct ts_measures *m, struct ts_arena *arena, const struct ts_culprit *c)
{
	static const char FEW[] = "fewer than two ranks have the phases data and backward";

	if (!c)
		return ts_measure_unknown(m, arena, TS_M_TRACEML_SCORE, TS_NO_SUBJECT, FEW);
	return ts_measure_add(m, arena, TS_M_TRACEML_CULPRIT, TS_NO_SUBJECT, c->culprit) &&
	       ts_measure_add(m, arena, TS_M_TRACEML_VICTIM, TS_NO_SUBJECT, c->victim) &&
	       ts_measure_add(m, arena, TS_M_TRACEML_COST, TS_NO_SUBJECT, c->cost) &&
	       ts_measure_add(m, arena, TS_M_TRACEML_SCORE, TS_NO_SUBJECT, c->score) &&
	       ts_measure_text(m, arena, TS_M_TRACEML_VISIBLE, TS_NO_SUBJECT, ts_span_str(c->visible)) &&
	       ts_measure_text(m, arena, TS_M_TRACEML_COMPONENT, TS_NO_SUBJECT, ts_span_str(c->component)) &&
	       ts_measure_text(m, arena, TS_M_TRACEML_KIND, TS_NO_SUBJECT, ts_span_str(ts_culprit_kind_word(c->kind)));
}

enum ts_status ts_ranks_traceml(const struct ts_ranks *r, struct ts_arena *arena, struct ts_measures *measures,
				struct ts_error *err)
{
	size_t n = r->n_ranks;
	double *values = ts_arena_array(r->arena, n, METRICS * sizeof *values);
	double *scratch = ts_arena_array(r->arena, n, sizeof *scratch);
	struct ts_culprit_rank *means = ts_arena_array(r->arena, n, sizeof *means);
	struct ts_rank_spread spread;
	struct ts_culprit culprit;
	bool ok = true;

	TS_DOOR(ts_ranks_hold(r));
	TS_DOOR(ts_measures_hold(measures));
	if (!values || !scratch || !means)
		return ts_arena_error(r->arena, err);
	for (size_t a = 0; a < n; a++) {
		double of[METRICS];

		metrics_of(r, a, of);
		for (size_t k = 0; k < METRICS; k++)
			values[k * n + a] = of[k];
		means[a] = (struct ts_culprit_rank){
			.rank = r->ranks[a],
			.input = of[0],
			.h2d = (double)NAN,
			.forward = of[1],
			.backward = of[2],
			.step = of[6],
		};
	}
	for (size_t k = 0; ok && k < METRICS; k++) {
		bool any = ts_rank_spread(values + k * n, r->ranks, n, scratch, &spread);

		ok = metric_rows(measures, arena, k, any ? &spread : NULL);
	}
	ok = ok && culprit_rows(measures, arena, ts_culprit_find(means, n, r->fsdp, scratch, &culprit) ? &culprit : NULL);
	return ok ? TS_OK : ts_arena_error(arena, err);
}

/* ---- plots ---- */

struct placed {
	double slowdown;
	size_t rank;
};

TS_ORDER(slowest_first, struct placed, TS_DOWN(slowdown); TS_UP(rank))

TS_ORDER(by_rank, struct placed, TS_UP(rank))

/* Returns the ranks to plot, in their order. */
static struct placed *chosen(const struct ts_ranks *r, const struct ts_straggler_test *test, size_t *ret_n)
{
	struct placed *all = ts_arena_array(r->arena, r->n_ranks, sizeof *all);

	for (size_t a = 0; all && a < r->n_ranks; a++) {
		double slowdown = test->ranks[a].slowdown;

		all[a] = (struct placed){.slowdown = isnan(slowdown) ? 0 : slowdown, .rank = a};
	}
	*ret_n = r->n_ranks < TS_RANKS_PLOTTED ? r->n_ranks : TS_RANKS_PLOTTED;
	if (all) {
		TS_SORT(all, r->n_ranks, slowest_first);
		TS_SORT(all, *ret_n, by_rank);
	}
	return all;
}

/* Computes the median own time over ranks in each cell, and the step at which the cell begins. */
static enum ts_status cell_medians(const struct ts_ranks *r, const struct ts_rank_track *t, double *median, int64_t *first,
				   struct ts_error *err)
{
	const struct ts_rank_steps *k = r->kept;
	double *scratch = ts_arena_array(r->arena, r->n_ranks, sizeof *scratch);

	if (!scratch)
		return ts_arena_error(r->arena, err);
	for (size_t c = 0; c < k->cells; c++) {
		for (size_t a = 0; a < r->n_ranks; a++)
			scratch[a] = t->cells[a * k->n_cells + c];
		median[c] = ts_median_few(scratch, r->n_ranks);
		first[c] = k->steps[c * k->cell];
	}
	return TS_OK;
}

enum ts_status ts_ranks_plots(const struct ts_ranks *r, enum ts_rank_track_kind kind, const struct ts_straggler_test *test,
			      const struct ts_span *subjects, struct ts_arena *arena, struct ts_plots *plots,
			      size_t *ret_plotted, struct ts_error *err)
{
	const struct ts_rank_steps *k = r->kept;
	const struct ts_rank_track *t = &k->tracks[kind];
	double *median = ts_arena_array(r->arena, k->cells, sizeof *median);
	double *ratio = ts_arena_array(r->arena, k->cells, sizeof *ratio);
	int64_t *first = ts_arena_array(r->arena, k->cells, sizeof *first);
	struct placed *ranks = chosen(r, test, ret_plotted);

	TS_DOOR(ts_ranks_hold(r));
	TS_DOOR(ts_plots_hold(plots));
	if (!median || !ratio || !first || !ranks)
		return ts_arena_error(r->arena, err);
	if (cell_medians(r, t, median, first, err))
		return err->status;
	for (size_t i = 0; i < *ret_plotted; i++) {
		struct ts_plot plot;

		for (size_t c = 0; c < k->cells; c++)
			ratio[c] = median[c] > 0 ? t->cells[ranks[i].rank * k->n_cells + c] / median[c] : (double)NAN;
		if (ts_plot_begin(&plot, k->steps[0], k->steps[k->n - 1], TS_RANKS_PLOT_CELLS, arena, err))
			return err->status;
		plot.group = ts_answer_group_name(TS_ANSWER_RANKS);
		plot.subject = subjects[ranks[i].rank];
		plot.name = ts_span_str("slowdown");
		plot.unit = TS_UNIT_RATIO;
		ts_plot_add(&plot, first, ratio, k->cells);
		ts_plot_finish(&plot);
		if (!ts_plot_append(plots, arena, &plot))
			return ts_arena_error(arena, err);
	}
	return TS_OK;
}
