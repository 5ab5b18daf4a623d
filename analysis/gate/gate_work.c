/* gate_work.c - how much work a step is: where the candidate's steps do other work than those of its baselines, a time says nothing of
 * their speed, and MFU, or tokens or samples per second and device, is compared instead. And what changed between time and MFU.
 *
 * The work of a step on one device is its rate multiplied by the step time: MFU times step time is FLOPs over the peak, which is the
 * same for two runs of one mfu_basis.
 */
#include "analysis/gate/gate_internal.h"

#include "analysis/answer/say.h"
#include "base/door.h"

#include <math.h>

/* FLOPs are declared, or counted once. Tokens and samples may be counted anew in each run, and then they vary a little. */
static const struct {
	enum ts_metric rate;
	double same;	  /* logarithms of the work that differ by less count as the same work */
	const char *unit; /* "with 33 % more FLOPs a step" */
} rates[] = {
	{TS_METRIC_MFU, 0.005, "FLOPs"},
	{TS_METRIC_TOKENS_PER_S_DEVICE, 0.05, "tokens"},
	{TS_METRIC_SAMPLES_PER_S_DEVICE, 0.05, "samples"},
};

enum { RATES = sizeof rates / sizeof rates[0] };

/* Of a metric of the table. */
static bool both_have(const struct ts_gate_run *a, const struct ts_gate_run *b, enum ts_metric metric)
{
	struct ts_span ignored;
	double value;

	return ts_gate_value(NULL, a, metric, &value, &ignored) && ts_gate_value(NULL, b, metric, &value, &ignored) &&
	       ts_span_eq(ts_gate_basis(a, metric), ts_gate_basis(b, metric));
}

/* Compares the work of a step by the first rate that both runs have. Returns its index, or RATES if they have none in common. */
static size_t compare_work(const struct ts_gate_run *candidate, const struct ts_gate_run *run, double *ret_more)
{
	const struct ts_reduced *a = run->reduction.metrics, *b = candidate->reduction.metrics;

	if (!both_have(candidate, run, TS_METRIC_STEP_TIME))
		return RATES;
	for (size_t i = 0; i < RATES; i++)
		if (both_have(candidate, run, rates[i].rate)) {
			*ret_more = log(b[rates[i].rate].value / a[rates[i].rate].value) +
				    log(b[TS_METRIC_STEP_TIME].value / a[TS_METRIC_STEP_TIME].value);
			return i;
		}
	return RATES;
}

static struct ts_span more_of(struct ts_gate_court *c, double more, const char *unit)
{
	return ts_gate_text(c, "%s %s %s", ts_say_percent(fabs(expm1(more))).text, more > 0 ? "more" : "fewer", unit);
}

bool ts_gate_other_work(struct ts_gate_court *c, const struct ts_gate_run *run, struct ts_span *ret_reason)
{
	double more = 0;
	size_t rate = c->candidate ? compare_work(c->candidate, run, &more) : RATES;

	TS_DOOR(ts_gate_court_holds(c));
	if (rate == RATES || !(fabs(more) > rates[rate].same))
		return false;
	*ret_reason = ts_gate_text(c, "a step of the candidate does %.*s", TS_SPAN_ARG(more_of(c, more, rates[rate].unit)));
	return true;
}

bool ts_gate_per_step(enum ts_metric metric)
{
	return ts_metrics[metric].unit == TS_UNIT_SECONDS || metric == TS_METRIC_PEAK_MEMORY || metric == TS_METRIC_LOSS ||
	       metric >= TS_METRICS;
}

static bool is_base(const struct ts_gate_run *run)
{
	return run->role == TS_GATE_BASELINE || run->role == TS_GATE_PAIR_BASE;
}

/* Returns the rate that decides in place of step time, or TS_METRICS if no rate is known of the candidate and of a baseline or the
 * base of a pair. */
static enum ts_metric stand_in(const struct ts_gate_court *c)
{
	for (size_t i = 0; i < RATES; i++)
		for (size_t k = 0; c->candidate && k < c->input->n_runs; k++) {
			const struct ts_gate_run *run = &c->input->runs[k];

			if (is_base(run) && both_have(c->candidate, run, rates[i].rate))
				return rates[i].rate;
		}
	return TS_METRICS;
}

/* Baselines of the same work count, where there are enough of them. Otherwise all count, and a rate is compared. */
void ts_gate_work_find(struct ts_gate_court *c)
{
	size_t same = 0, other = 0;
	struct ts_span how = ts_span_str(""), reason;

	TS_DOOR(ts_gate_court_holds(c));
	c->stands_in = TS_METRICS;
	for (size_t i = 0; i < c->input->n_runs && !c->candidate; i++)
		if (c->input->runs[i].role == TS_GATE_CANDIDATE)
			c->candidate = &c->input->runs[i];
	for (size_t i = 0; i < c->input->n_runs; i++) {
		if (c->input->runs[i].role != TS_GATE_BASELINE)
			continue;
		if (!ts_gate_other_work(c, &c->input->runs[i], &reason)) {
			same++;
		} else if (other++ == 0) {
			how = ts_gate_text(c, "%.*s than one of its baselines", TS_SPAN_ARG(reason));
		}
	}
	if (c->input->other_work.len)
		how = c->input->other_work;
	else if (!other || same >= TS_GATE_LEAST || (same && other < TS_GATE_LEAST))
		return;
	c->other_work = how;
	if (c->input->policy.other_work)
		c->stands_in = stand_in(c);
}

void ts_gate_work_gates(struct ts_gate_court *c)
{
	bool timed = false;

	TS_DOOR(ts_gate_court_holds(c));
	for (size_t i = 0; i < TS_METRICS; i++) {
		struct ts_gate_row *row = &c->v.rows[i];

		if (c->stands_in == TS_METRICS || !row->gates || ts_metrics[i].unit != TS_UNIT_SECONDS)
			continue;
		timed = true;
		row->gates = row->counts = false;
	}
	if (timed)
		c->v.rows[c->stands_in].gates = c->v.rows[c->stands_in].counts = true;
}

/* --- what changed between time and rate --- */

static struct ts_span level(struct ts_gate_court *c, enum ts_metric metric, double value)
{
	if (ts_metrics[metric].unit == TS_UNIT_RATIO)
		return ts_gate_text(c, "%.1f %%", 100 * value);
	return ts_gate_text(c, "%s", value >= 1000 && value < 1e15 ? ts_say_count(round(value)).text : ts_say_number(value).text);
}

/* "MFU 38.1 % -> 42.5 % (99 % interval 42.1 % to 42.9 %)" */
static struct ts_span change_of(struct ts_gate_court *c, const struct ts_gate_row *row)
{
	struct ts_span before = ts_span_str(""), range = ts_span_str("");
	struct ts_span value = level(c, row->metric, row->candidate);

	if (isfinite(row->base))
		before = ts_gate_text(c, "%.*s -> ", TS_SPAN_ARG(level(c, row->metric, row->base)));
	if (isfinite(row->value_low) && isfinite(row->value_high))
		range = ts_gate_text(c, " (99 %% interval %.*s to %.*s)", TS_SPAN_ARG(level(c, row->metric, row->value_low)),
				     TS_SPAN_ARG(level(c, row->metric, row->value_high)));
	return ts_gate_text(c, "%s %.*s%.*s%.*s", ts_metrics[row->metric].title, TS_SPAN_ARG(before), TS_SPAN_ARG(value),
			    TS_SPAN_ARG(range));
}

/* How much more work of this kind a step of the candidate does than one of the first baseline, or base of a pair, that has both: of two
 * runs this is exact, while the levels of two rows are medians of their own. NaN: no run has both. */
static double more_work(const struct ts_gate_court *c, size_t rate)
{
	double more;

	for (size_t i = 0; c->candidate && i < c->input->n_runs; i++) {
		const struct ts_gate_run *run = &c->input->runs[i];

		if (is_base(run) && compare_work(c->candidate, run, &more) == rate)
			return more;
	}
	return (double)NAN;
}

/* "steps are 12 % longer, with 33 % more FLOPs a step" */
static struct ts_span of_a_step(struct ts_gate_court *c, size_t rate)
{
	double longer = log(c->v.rows[TS_METRIC_STEP_TIME].candidate / c->v.rows[TS_METRIC_STEP_TIME].base);
	double more = more_work(c, rate);
	struct ts_span work = ts_gate_text(c, "the same %s", rates[rate].unit);

	if (!isfinite(more) || !isfinite(longer))
		return ts_span_str("");
	if (fabs(more) > rates[rate].same)
		work = more_of(c, more, rates[rate].unit);
	return ts_gate_text(c, ": steps are %s %s, with %.*s a step", ts_say_percent(fabs(expm1(longer))).text,
			    longer < 0 ? "shorter" : "longer", TS_SPAN_ARG(work));
}

void ts_gate_work_say(struct ts_gate_court *c)
{
	const struct ts_gate_row *mfu = &c->v.rows[TS_METRIC_MFU], *tokens = &c->v.rows[TS_METRIC_TOKENS_PER_S_DEVICE];
	struct ts_span first = ts_span_str(""), second = ts_span_str("");

	TS_DOOR(ts_gate_court_holds(c));
	if (isfinite(mfu->candidate))
		first = ts_gate_text(c, "%.*s%.*s", TS_SPAN_ARG(change_of(c, mfu)), TS_SPAN_ARG(of_a_step(c, 0)));
	if (isfinite(tokens->candidate))
		second = ts_gate_text(c, "%.*s%.*s", TS_SPAN_ARG(change_of(c, tokens)),
				      TS_SPAN_ARG(first.len ? ts_span_str("") : of_a_step(c, 1)));
	c->v.rates = ts_gate_text(c, "%.*s%s%.*s", TS_SPAN_ARG(first), first.len && second.len ? "; " : "", TS_SPAN_ARG(second));
	if (!c->other_work.len)
		return;
	if (c->stands_in == TS_METRICS && !c->input->policy.other_work)
		ts_gate_warn(c,
			     "%.*s, so step time says nothing of the speed, and the policy (GATE.other_work = off) lets no rate decide",
			     TS_SPAN_ARG(c->other_work));
	else if (c->stands_in == TS_METRICS)
		ts_gate_warn(
			c,
			"%.*s, so step time says nothing of the speed, and neither MFU nor tokens or samples per second and device "
			"are known of both sides: record work.flops_per_step and work.dtype, or work.tokens_per_step",
			TS_SPAN_ARG(c->other_work));
	else
		ts_gate_warn(c, "%.*s, so the gate compares %s in place of step time", TS_SPAN_ARG(c->other_work),
			     ts_metrics[c->stands_in].title);
	if (c->stands_in != TS_METRICS && c->stands_in != TS_METRIC_MFU)
		ts_gate_warn(
			c,
			"the FLOPs of a step or the peak of the device are not known of both sides, so MFU could not decide: if the "
			"model or the length of its sequences changed, %s are other work; record work.flops_per_step and work.dtype",
			c->stands_in == TS_METRIC_TOKENS_PER_S_DEVICE ? "tokens" : "samples");
}
