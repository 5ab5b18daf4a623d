/* gate_length.c - how long the runs are: a run that ended in its warm-up cannot be judged, and a short run scatters more than the long
 * ones whose spread is known.
 *
 * What a run of n records scatters within itself is known from pieces of the baselines that are as long (struct ts_reduced_piece), so
 * that whatever dependence the steps have is in it. Beyond the longest pieces the variance falls with 1/n.
 */
#include "analysis/gate/gate_internal.h"

#include "analysis/answer/say.h"
#include "analysis/stats/stats.h"
#include "analysis/stats/student.h"
#include "base/door.h"

#include <math.h>

#define HUGE_DF 1e6 /* Student's t is normal */
/* Runs whose lengths differ by more than this share end at other steps: a loss goes on falling. */
#define END_APART 0.1

enum { WARM_SHARE = 4 /* one in so many counted records may lie in the warm-up: a median hardly feels them */ };

static double records_of(const struct ts_reduction *r)
{
	return (double)r->records;
}

static double warmup_of(const struct ts_reduction *r)
{
	return (double)r->warmup;
}

/* Returns the median of the baselines whose step time is known; 0: there are none. */
static double usual_of(struct ts_gate_court *c, double (*of)(const struct ts_reduction *))
{
	double *all = ts_arena_array(c->arena, c->input->n_runs, sizeof *all);
	size_t n = 0;

	if (!all) {
		c->full = true;
		return 0;
	}
	for (size_t i = 0; i < c->input->n_runs; i++)
		if (c->input->runs[i].role == TS_GATE_BASELINE && c->input->runs[i].reduction.metrics[TS_METRIC_STEP_TIME].known)
			all[n++] = of(&c->input->runs[i].reduction);
	return n ? ts_median_few(all, n) : 0;
}

/* Returns the median of the last steps of a logged series in the baselines that have it; 0: there are none. */
static double usual_end(struct ts_gate_court *c, enum ts_metric metric)
{
	double *all = ts_arena_array(c->arena, c->input->n_runs, sizeof *all);
	size_t n = 0;

	if (!all) {
		c->full = true;
		return 0;
	}
	for (size_t i = 0; i < c->input->n_runs; i++) {
		const struct ts_gate_run *run = &c->input->runs[i];
		const struct ts_reduced_series *series = ts_gate_series(&c->input->policy, &run->reduction, metric);

		if ((run->role == TS_GATE_BASELINE || run->role == TS_GATE_PAIR_BASE) && series && series->value.known)
			all[n++] = (double)series->last_step;
	}
	return n ? ts_median_few(all, n) : 0;
}

/* A series that was logged up to another step than in the baselines is of another part of training. */
static bool series_ends_elsewhere(struct ts_gate_court *c, const struct ts_gate_run *run, enum ts_metric metric,
				  struct ts_span *ret_reason)
{
	const struct ts_reduced_series *series = ts_gate_series(&c->input->policy, &run->reduction, metric);
	double usual, last = series ? (double)series->last_step : 0;

	if (!series || !isfinite(series->value.value))
		return false;
	usual = usual_end(c, metric);
	if (!(usual > 0) || fabs(last / usual - 1) <= END_APART)
		return false;
	*ret_reason = ts_gate_text(c, "its series ends at step %.0f, and that of its baselines at step %.0f", last, usual);
	return true;
}

bool ts_gate_ends_elsewhere(struct ts_gate_court *c, const struct ts_gate_run *run, enum ts_metric metric, struct ts_span *ret_reason)
{
	double usual, records = (double)run->reduction.records;

	TS_DOOR(ts_gate_court_holds(c));
	if (metric >= TS_METRICS)
		return series_ends_elsewhere(c, run, metric, ret_reason);
	if ((metric != TS_METRIC_LOSS && metric != TS_METRIC_STEP_TIME_END) || !(records > 0) ||
	    !isfinite(run->reduction.metrics[metric].value))
		return false;
	usual = usual_of(c, records_of);
	if (!(usual > 0) || fabs(records / usual - 1) <= END_APART)
		return false;
	*ret_reason = ts_gate_text(c, "it has %s, and its baselines have %.0f: they end at other steps",
				   ts_say_plural(records, "record").text, usual);
	return true;
}

bool ts_gate_still_warm(struct ts_gate_court *c, const struct ts_gate_run *run, struct ts_span *ret_reason)
{
	const struct ts_reduction *r = &run->reduction;
	double usual = usual_of(c, warmup_of), inside = usual - (double)r->warmup, counted = (double)r->counted;

	TS_DOOR(ts_gate_court_holds(c));
	if (!(inside > 0) || (counted - inside >= TS_REDUCE_LEAST && inside * WARM_SHARE <= counted))
		return false;
	if (inside >= counted)
		*ret_reason = ts_gate_text(
			c, "the run ended in its warm-up: it has %s, and its baselines leave out the first %.0f as warm-up",
			ts_say_plural((double)r->records, "record").text, usual);
	else
		*ret_reason = ts_gate_text(c,
					   "the run ended soon after its warm-up: it has %s, its baselines leave out the first %.0f as "
					   "warm-up, and too few come after that",
					   ts_say_plural((double)r->records, "record").text, usual);
	return true;
}

/* The variance of pieces of each length over all baselines that have pieces so long. */
struct curve {
	double variance[TS_REDUCE_PIECES];
	size_t n;
};

/* Where a few spikes make one piece in many much longer, the deviation alone would call each of them a change: then it is that of
 * normal values whose greatest is as great. */
static double variance_of_pieces(const struct ts_gate_input *input, bool of_mean, size_t k)
{
	double squares = 0, n = 0, most = 0, tall;

	for (size_t i = 0; i < input->n_runs; i++) {
		const struct ts_reduction *r = &input->runs[i].reduction;
		const struct ts_reduced_piece *piece = &r->pieces[k];
		double sd;

		if (input->runs[i].role != TS_GATE_BASELINE || r->n_pieces <= k)
			continue;
		sd = of_mean ? piece->mean_sd : piece->time_sd;
		squares += sd * sd * (double)piece->n;
		n += (double)piece->n;
		most = fmax(most, of_mean ? piece->mean_most : piece->time_most);
	}
	if (!(n > 2))
		return (double)NAN;
	tall = most / ts_student_quantile(1 - 1 / n, HUGE_DF);
	return fmax(squares / n, tall * tall);
}

static struct curve curve_of(const struct ts_gate_input *input, enum ts_metric metric)
{
	struct curve curve = {.n = 0};

	while (curve.n < TS_REDUCE_PIECES) {
		double variance = variance_of_pieces(input, metric == TS_METRIC_STEP_TIME_MEAN, curve.n);

		if (!isfinite(variance))
			break;
		curve.variance[curve.n++] = variance;
	}
	return curve;
}

static double variance_at(const struct curve *curve, double records)
{
	double at = log2(records / TS_REDUCE_WINDOW), low;
	size_t k, last = curve->n - 1;

	if (at <= 0)
		return curve->variance[0] * TS_REDUCE_WINDOW / fmax(records, 1);
	if (at >= (double)last)
		return curve->variance[last] * exp2((double)last - at);
	low = floor(at);
	k = (size_t)low;
	return curve->variance[k] + (at - low) * (curve->variance[k + 1] - curve->variance[k]);
}

/* Returns the mean variance of the runs of a role by their lengths; 0: there are none. */
static double variance_of(const struct ts_gate_input *input, const struct curve *curve, enum ts_gate_role role, enum ts_metric metric,
			  size_t *ret_n)
{
	double part = metric == TS_METRIC_STEP_TIME_END ? 0.25 : 1, sum = 0;

	*ret_n = 0;
	for (size_t i = 0; i < input->n_runs; i++)
		if (input->runs[i].role == role && input->runs[i].reduction.metrics[metric].known) {
			sum += variance_at(curve, part * (double)input->runs[i].reduction.counted);
			++*ret_n;
		}
	return *ret_n ? sum / (double)*ret_n : 0;
}

double ts_gate_shorter(const struct ts_gate_input *input, enum ts_metric metric, enum ts_gate_role role, size_t *ret_n)
{
	struct curve curve = curve_of(input, metric);
	double own, usual;
	size_t ignored;

	*ret_n = 0;
	if (!ts_gate_timed(metric) || metric == TS_METRIC_STALL_SHARE || curve.n == 0)
		return 0;
	own = variance_of(input, &curve, role, metric, ret_n);
	usual = variance_of(input, &curve, TS_GATE_BASELINE, metric, &ignored);
	return *ret_n && own > usual ? own - usual : 0;
}
