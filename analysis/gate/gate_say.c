/* gate_say.c - the sentences of a verdict and its warnings, written for a person who looks at a failed job. */
#include "analysis/gate/gate_internal.h"

#include "analysis/answer/say.h"
#include "base/door.h"

#include <math.h>

enum { SHORT_ID = 12 };

#define FACTOR_MOST 10.0
#define CLEARLY 0.75 /* a metric that sees this share of what another one sees is the better one */

static struct ts_span name_of(struct ts_gate_court *c, const struct ts_gate_run *run)
{
	char hex[TS_ID_HEX + 1];

	return run->name.len ? run->name : ts_gate_text(c, "%.*s", SHORT_ID, ts_id_hex(&run->id, hex));
}

/* The column of the loss, or of a logged series, of the first run of these roles that has one; empty: the usual one, or there is
 * none. */
static struct ts_span column_of(const struct ts_gate_input *input, enum ts_metric metric, enum ts_gate_role role,
				enum ts_gate_role of_pair, bool *ret_found)
{
	*ret_found = false;
	for (size_t i = 0; i < input->n_runs; i++) {
		const struct ts_gate_run *run = &input->runs[i];
		const struct ts_reduced_series *series = ts_gate_series(&input->policy, &run->reduction, metric);

		if ((run->role != role && run->role != of_pair) || !ts_gate_reduced(&input->policy, &run->reduction, metric)->known)
			continue;
		*ret_found = true;
		return series ? series->column : run->reduction.loss_column;
	}
	return ts_span_of(NULL, 0);
}

const char *ts_gate_title(const struct ts_gate_input *input, enum ts_metric metric, struct ts_arena *arena)
{
	const char *title = ts_gate_metric_title(&input->policy, metric),
		   *usual = metric < TS_METRICS ? ts_metrics[metric].name : title;
	bool has_candidate, has_base;
	struct ts_span candidate, base;

	if (metric < TS_METRICS && metric != TS_METRIC_LOSS)
		return title;
	candidate = column_of(input, metric, TS_GATE_CANDIDATE, TS_GATE_PAIR_CANDIDATE, &has_candidate);
	base = column_of(input, metric, TS_GATE_BASELINE, TS_GATE_PAIR_BASE, &has_base);
	return ts_metric_title(title, usual, has_candidate ? candidate : base, has_base ? base : candidate, "baselines", arena);
}

/* The title without columns. */
static const char *short_title(const struct ts_gate_court *c, enum ts_metric metric)
{
	return ts_gate_metric_title(&c->input->policy, metric);
}

static const char *title_of(struct ts_gate_court *c, const struct ts_gate_row *row)
{
	const char *title = ts_gate_title(c->input, row->metric, c->arena);

	c->full = c->full || !title;
	return title ? title : "";
}

/* Returns the name that the sentence is about: that of the first candidate, or of the first candidate among the
 * pairs. */
static struct ts_span subject(struct ts_gate_court *c)
{
	const struct ts_gate_run *first = NULL, *of_pairs = NULL;
	size_t n = 0;

	for (size_t i = 0; i < c->input->n_runs; i++) {
		const struct ts_gate_run *run = &c->input->runs[i];

		if (run->role == TS_GATE_CANDIDATE && n++ == 0)
			first = run;
		if (run->role == TS_GATE_PAIR_CANDIDATE && !of_pairs)
			of_pairs = run;
	}
	if (n > 1)
		return ts_gate_text(c, "%.*s and %s", TS_SPAN_ARG(name_of(c, first)), ts_say_plural((double)(n - 1), "more run").text);
	if (first || of_pairs)
		return name_of(c, first ? first : of_pairs);
	return ts_span_str("the candidate");
}

static struct ts_span baseline(const struct ts_gate_court *c)
{
	return c->input->baseline.len ? c->input->baseline : ts_span_str("its baselines");
}

static const char *way(enum ts_metric metric, bool more)
{
	if (ts_metrics[metric].unit == TS_UNIT_SECONDS)
		return more ? "longer" : "shorter";
	return more ? "higher" : "lower";
}

/* Says what the difference was computed from: "12 baselines", "12 baselines that ran in 8 sessions, each counted once", "4 baselines of
 * the nearer of two kinds", "4 pairs on one allocation". */
static struct ts_span what_of(struct ts_gate_court *c, const struct ts_gate_row *row)
{
	const struct ts_gate_sample *s = &c->samples[row->metric];
	bool own = s->kinds.own >= 0 && s->kinds.better;
	const char *kind = s->nearer >= 0 ? " of the nearer of two kinds" : own ? " of its own kind" : "";
	uint64_t runs = ts_gate_runs_compared(s);

	if (row->paired)
		return ts_gate_text(c, "%s on one allocation", ts_say_plural((double)row->pairs, "pair").text);
	if (s->one_session)
		return ts_gate_text(c, "%s of the same session", ts_say_plural((double)row->base_draws, "baseline").text);
	if (runs > row->base_draws)
		return ts_gate_text(c, "%s%s that ran in %s, each counted once", ts_say_plural((double)runs, "baseline").text, kind,
				    ts_say_plural((double)row->base_draws, "session").text);
	return ts_gate_text(c, "%s%s", ts_say_plural((double)runs, "baseline").text, kind);
}

/* Says a size of ten times or more without digits that mean nothing. */
static struct ts_say times(double size)
{
	static const struct ts_say most = {"more than 10 times"};

	return size > FACTOR_MOST - 1 ? most : ts_say_percent(size);
}

static struct ts_span interval(struct ts_gate_court *c, const struct ts_gate_row *row)
{
	if (ts_metrics[row->metric].log_scale && 1 + row->high > FACTOR_MOST * (1 + row->low))
		return ts_span_str("wider than a factor of 10");
	return ts_gate_text(c, "%s to %s", ts_say_percent(row->low).text, ts_say_percent(row->high).text);
}

/* "it is 8.1 % shorter than that of main (99 % confidence interval of the change -9.0 % to -7.2 %, from 12 baselines)" */
static struct ts_span difference(struct ts_gate_court *c, const struct ts_gate_row *row)
{
	struct ts_span of = what_of(c, row);
	bool more = row->size >= 0;
	double sign = more ? 1 : -1;

	if (isnan(row->size))
		return ts_gate_text(c, "it is %s, and that of %.*s is %s (from %.*s)",
				    ts_say_value(row->candidate, ts_metrics[row->metric].unit).text, TS_SPAN_ARG(baseline(c)),
				    ts_say_value(row->base, ts_metrics[row->metric].unit).text, TS_SPAN_ARG(of));
	return ts_gate_text(c, "it is %s %s than that of %.*s (99 %% confidence interval of the change %.*s, from %.*s)%s",
			    times(sign * row->size).text, way(row->metric, more), TS_SPAN_ARG(baseline(c)),
			    TS_SPAN_ARG(interval(c, row)), TS_SPAN_ARG(of),
			    c->samples[row->metric].ahead && !row->paired ? ", which one run cannot attribute to the commit" : "");
}

/* What a test of the row looks for. */
static const char *sought(const struct ts_gate_row *row)
{
	return row->better == TS_BETTER_UNKNOWN ? "change" : "regression";
}

static struct ts_span missed(struct ts_gate_court *c, const struct ts_gate_row *row)
{
	if (isnan(row->could_miss))
		return ts_gate_text(c, "how large a %s the gate could have missed is not known", sought(row));
	return ts_gate_text(c, "the gate could have missed a %s of up to %s", sought(row),
			    row->could_miss > FACTOR_MOST - 1 ? "a factor of 10 and more" : ts_say_percent(row->could_miss).text);
}

static struct ts_span pass(struct ts_gate_court *c, const struct ts_gate_row *row, struct ts_span who)
{
	const char *title = title_of(c, row);
	struct ts_span what = difference(c, row), miss = missed(c, row);

	if (row->paired && row->p < c->input->policy.suspect_alpha)
		return ts_gate_text(c, "%s of %.*s was suspect at the first look, and the pairs do not confirm a %s: %.*s; %.*s", title,
				    TS_SPAN_ARG(who), sought(row), TS_SPAN_ARG(what), TS_SPAN_ARG(miss));
	return ts_gate_text(c, "%s of %.*s shows no %s: %.*s; %.*s", title, TS_SPAN_ARG(who), sought(row), TS_SPAN_ARG(what),
			    TS_SPAN_ARG(miss));
}

/* Why pairs of one order decide nothing: "in each of 2 pairs the base ran first, ..." */
struct ts_span ts_gate_one_order(struct ts_gate_court *c, enum ts_metric metric)
{
	const struct ts_gate_sample *s = &c->samples[metric];

	TS_DOOR(ts_gate_court_holds(c));
	return ts_gate_text(
		c,
		"in each of %s the %s ran first, and a machine whose second run is slower or faster than its first looks the "
		"same as a change",
		ts_say_plural((double)s->n_pairs, "pair").text, s->first > 0 ? "base" : "candidate");
}

static struct ts_span one_order(struct ts_gate_court *c, const struct ts_gate_row *row, struct ts_span who)
{
	const char *other = c->samples[row->metric].first > 0 ? "candidate" : "base";
	struct ts_span what = difference(c, row), more = ts_span_str("");

	if (c->v.ask.pairs)
		more = ts_gate_text(c, "; run another %s on one allocation, beginning with the %s",
				    ts_say_plural((double)c->v.ask.pairs, "pair").text, other);
	return ts_gate_text(c, "%s of %.*s is not judged yet: %.*s (%.*s)%.*s", title_of(c, row), TS_SPAN_ARG(who),
			    TS_SPAN_ARG(row->reason), TS_SPAN_ARG(what), TS_SPAN_ARG(more));
}

static struct ts_span blind(struct ts_gate_court *c, const struct ts_gate_row *row, struct ts_span who)
{
	struct ts_span what = difference(c, row), miss = missed(c, row);

	return ts_gate_text(c, "%s of %.*s shows no %s, but this test is blind: %.*s, and GATE.must_catch is %s; %.*s",
			    title_of(c, row), TS_SPAN_ARG(who), sought(row), TS_SPAN_ARG(miss),
			    ts_say_percent(c->input->policy.must_catch).text, TS_SPAN_ARG(what));
}

struct ts_span ts_gate_moved_text(struct ts_gate_court *c, const struct ts_gate_row *row)
{
	const char *name = ts_gate_metric_name(&c->input->policy, row->metric);

	TS_DOOR(ts_gate_court_holds(c));
	return ts_gate_text(c,
			    "%.*s, and whether that is better or worse is not known: state GATE.%s.better = lower or higher (--better)",
			    TS_SPAN_ARG(difference(c, row)), name);
}

/* "it is 35.1 % (99 % interval 34.5 % to 35.7 %), and GATE.mfu.least is 38 %" */
struct ts_span ts_gate_floor_text(struct ts_gate_court *c, const struct ts_gate_row *row)
{
	const struct ts_metric_row *metric = &ts_metrics[row->metric];

	TS_DOOR(ts_gate_court_holds(c));
	if (metric->unit == TS_UNIT_RATIO)
		return ts_gate_text(c, "it is %.1f %% (99 %% interval %.1f %% to %.1f %%), and GATE.%s.least is %.4g %%",
				    100 * row->candidate, 100 * row->value_low, 100 * row->value_high, metric->name, 100 * row->least);
	return ts_gate_text(c, "it is %s (99 %% interval %s to %s), and GATE.%s.least is %s",
			    ts_say_value(row->candidate, metric->unit).text, ts_say_value(row->value_low, metric->unit).text,
			    ts_say_value(row->value_high, metric->unit).text, ts_gate_metric_name(&c->input->policy, row->metric),
			    ts_say_value(row->least, metric->unit).text);
}

static struct ts_span of_floor(struct ts_gate_court *c, const struct ts_gate_row *row, struct ts_span who)
{
	const char *what = "cannot be judged";

	if (row->state == TS_GATE_REGRESSION)
		what = "lies below its floor";
	else if (row->state == TS_GATE_PASS)
		what = "lies above its floor";
	else if (row->state == TS_GATE_BLIND || row->state == TS_GATE_COLLECTING)
		what = "may lie below its floor, because its interval spans it";
	return ts_gate_text(c, "%s of %.*s %s: %.*s", title_of(c, row), TS_SPAN_ARG(who), what, TS_SPAN_ARG(row->reason));
}

static struct ts_span sentence_of(struct ts_gate_court *c, const struct ts_gate_row *row)
{
	const char *title = title_of(c, row);
	struct ts_span who = subject(c), what;

	if (row->floored)
		return of_floor(c, row, who);
	if (c->samples[row->metric].first)
		return one_order(c, row, who);
	switch (row->state) {
	case TS_GATE_INCONCLUSIVE:
		if (row->better == TS_BETTER_UNKNOWN && isfinite(row->p))
			return ts_gate_text(c, "%s of %.*s moved: %.*s", title, TS_SPAN_ARG(who), TS_SPAN_ARG(row->reason));
		return ts_gate_text(c, "%s of %.*s cannot be judged: %.*s", title, TS_SPAN_ARG(who), TS_SPAN_ARG(row->reason));
	case TS_GATE_COLLECTING:
		return ts_gate_text(c, "%s of %.*s is not judged yet, which is no pass: %.*s", title, TS_SPAN_ARG(who),
				    TS_SPAN_ARG(row->reason));
	case TS_GATE_PASS:
		return pass(c, row, who);
	case TS_GATE_BLIND:
		return blind(c, row, who);
	case TS_GATE_SUSPECT:
	case TS_GATE_REGRESSION:
	case TS_GATE_IMPROVEMENT:
		break;
	}
	if (row->state == TS_GATE_REGRESSION && row->reason.len)
		return ts_gate_text(c, "%s of %.*s has regressed: %.*s", title, TS_SPAN_ARG(who), TS_SPAN_ARG(row->reason));
	what = difference(c, row);
	if (row->state == TS_GATE_SUSPECT && row->better == TS_BETTER_UNKNOWN)
		return ts_gate_text(
			c,
			"%s of %.*s may have moved: %.*s; whether that is better or worse is not known: state GATE.%s.better = "
			"lower or higher (--better), or run %s%s of base and candidate on one allocation to confirm it",
			title, TS_SPAN_ARG(who), TS_SPAN_ARG(what), ts_gate_metric_name(&c->input->policy, row->metric),
			row->pairs ? "another " : "", ts_say_plural((double)c->v.ask.pairs, "pair").text);
	if (row->state == TS_GATE_SUSPECT)
		return ts_gate_text(
			c, "%s of %.*s may have regressed: %.*s; run %s%s of base and candidate on one allocation to confirm it", title,
			TS_SPAN_ARG(who), TS_SPAN_ARG(what), row->pairs ? "another " : "",
			ts_say_plural((double)c->v.ask.pairs, "pair").text);
	return ts_gate_text(c, "%s of %.*s has %s: %.*s", title, TS_SPAN_ARG(who),
			    row->state == TS_GATE_REGRESSION ? "regressed" : "improved", TS_SPAN_ARG(what));
}

/* Returns the row that the sentence is about. Among the rows that count and have the verdict's state, one that
 * decides comes before one that is watched, and then the one with the smallest p; where no p is known, the first of
 * them. */
const struct ts_gate_row *ts_gate_deciding(const struct ts_verdict *v)
{
	const struct ts_gate_row *found = NULL;

	for (size_t i = 0; i < v->n_rows; i++) {
		const struct ts_gate_row *row = &v->rows[i];

		if (!row->counts || row->state != v->state)
			continue;
		if (!found || row->gates > found->gates || (row->gates == found->gates && row->p < found->p))
			found = row;
	}
	return found;
}

/* --- warnings --- */

static void warn_lacking(struct ts_gate_court *c, const char *title, const char *what, const struct ts_gate_lacking *l)
{
	struct ts_span more = ts_span_str("");
	uint64_t named = 0;

	for (size_t i = 0; i < l->names.len; i++)
		named += l->names.data[i] == ',';
	if (l->names.len && l->runs > named + 1)
		more = ts_gate_text(c, " and %" PRIu64 " more", l->runs - named - 1);
	if (l->names.len && l->runs < l->of)
		ts_gate_warn(c, "%" PRIu64 " of %" PRIu64 " %s %s not count for %s (%.*s%.*s): %.*s", l->runs, l->of, what,
			     l->runs == 1 ? "does" : "do", title, TS_SPAN_ARG(l->names), TS_SPAN_ARG(more), TS_SPAN_ARG(l->reason));
	else if (l->runs && l->runs < l->of)
		ts_gate_warn(c, "%" PRIu64 " of %" PRIu64 " %s %s not count for %s: %.*s", l->runs, l->of, what,
			     l->runs == 1 ? "does" : "do", title, TS_SPAN_ARG(l->reason));
}

static bool is_odd(const struct ts_gate_sample *s, const struct ts_gate_run *run)
{
	for (size_t i = 0; i < s->n_odd; i++)
		if (s->odd[i] == run)
			return true;
	return false;
}

/* Warns of baselines of which some are slower than the others for a reason that is not in the code. */
static void warn_kinds(struct ts_gate_court *c, const struct ts_gate_row *row)
{
	const struct ts_gate_sample *s = &c->samples[row->metric];
	const struct ts_gate_kinds *k = &s->kinds;
	const char *title = short_title(c, row->metric);
	struct ts_say apart = ts_say_percent(ts_metrics[row->metric].log_scale ? expm1(k->apart) : k->apart);

	if (k->better && k->own >= 0)
		ts_gate_warn(
			c,
			"the baselines are of two kinds, whose %s differs by %s, and the fact %.*s tells them apart: the candidate is "
			"compared with the %zu of its own kind only",
			title, apart.text, TS_SPAN_ARG(k->path), k->own ? k->worse : k->better);
	else if (k->better && k->path.len)
		ts_gate_warn(
			c,
			"the baselines are of two kinds, %zu and %zu, whose %s differs by %s: the fact %.*s tells them apart, but no "
			"baseline shares the candidate's value of it, so a change of that size cannot be told from the other kind",
			k->better, k->worse, title, apart.text, TS_SPAN_ARG(k->path));
	else if (k->better)
		ts_gate_warn(
			c,
			"the baselines are of two kinds, %zu and %zu, whose %s differs by %s, and no recorded fact tells them apart, "
			"so "
			"a change of that size cannot be told from the other kind: record what differs between the machines, such as "
			"session.host, hardware.gpus[0].name, hardware.clock or hardware.power_limit",
			k->better, k->worse, title, apart.text);
}

/* Warns of a drift of the baselines, and of candidates that are much shorter. */
static void warn_allowance(struct ts_gate_court *c, const struct ts_gate_row *row)
{
	const struct ts_gate_sample *s = &c->samples[row->metric];
	const struct ts_metric_row *metric = &ts_metrics[row->metric];
	double by = s->sign * s->base_drift;

	if (s->base_drift != 0)
		ts_gate_warn(c,
			     "the %s of each baseline is on average %s %s than that of the one before it: the candidate is compared "
			     "with where "
			     "that drift leads; tscope trend looks for its cause",
			     short_title(c, row->metric), ts_say_percent(fabs(metric->log_scale ? expm1(by) : by)).text,
			     way(row->metric, by > 0));
	if (!row->paired && s->allowance.variance > row->sd * row->sd / 4)
		ts_gate_warn(c,
			     "the candidate has fewer steps than its baselines, so its %s scatters by a further %s, which the test "
			     "allows for; "
			     "run as many steps as the baselines to see smaller changes",
			     short_title(c, row->metric), ts_say_percent(sqrt(s->allowance.variance)).text);
}

/* By how much the i-th odd baseline differs from the median baseline: above 0 where it is worse. */
static double odd_by(enum ts_metric metric, const struct ts_gate_sample *s, size_t i)
{
	double by = s->sign * s->odd_by[i];

	return ts_metrics[metric].log_scale ? expm1(by) : by;
}

static void warn_odd_baseline(struct ts_gate_court *c, const struct ts_gate_row *row, size_t i, struct ts_span only)
{
	const struct ts_gate_sample *s = &c->samples[row->metric];
	struct ts_span name = name_of(c, s->odd[i]);
	double by = odd_by(row->metric, s, i);

	ts_gate_warn(c,
		     "the %s of baseline %.*s is %s %s than that of the median baseline, far outside the spread of the "
		     "baselines, so this baseline does not count; %s%.*s%sif its machine was disturbed, mark the run with "
		     "tscope note %.*s bad='why'",
		     short_title(c, row->metric), TS_SPAN_ARG(name), ts_say_percent(fabs(by)).text, way(row->metric, by > 0),
		     only.len ? "what no other baseline has: " : "", TS_SPAN_ARG(only), only.len ? "; " : "", TS_SPAN_ARG(name));
}

/* Warns of baselines that are outliers: their names, by how much they differ, and what to do. Those of which no fact tells what is
 * special about them share a sentence. */
static void warn_odd_baselines(struct ts_gate_court *c, const struct ts_gate_row *row)
{
	const struct ts_gate_sample *s = &c->samples[row->metric];
	struct ts_span list = ts_span_str(""), none = ts_span_str("");
	const struct ts_gate_run **others;
	size_t n = 0, listed = 0, last = 0;

	if (s->n_odd == 0)
		return;
	others = ts_arena_array(c->arena, c->input->n_runs, sizeof *others);
	c->full = c->full || !others;
	for (size_t i = 0; others && i < c->input->n_runs; i++)
		if (c->input->runs[i].role == TS_GATE_BASELINE && !is_odd(s, &c->input->runs[i]))
			others[n++] = &c->input->runs[i];
	for (size_t i = 0; others && i < s->n_odd; i++) {
		struct ts_span only = ts_gate_only_of(c, s->odd[i], others, n);
		double by = odd_by(row->metric, s, i);

		if (only.len) {
			warn_odd_baseline(c, row, i, only);
			continue;
		}
		list = ts_gate_text(c, "%.*s%s%.*s (%s %s)", TS_SPAN_ARG(list), listed++ ? ", " : "",
				    TS_SPAN_ARG(name_of(c, s->odd[i])), ts_say_percent(fabs(by)).text, way(row->metric, by > 0));
		last = i;
	}
	if (listed == 1)
		warn_odd_baseline(c, row, last, none);
	else if (listed)
		ts_gate_warn(c,
			     "the %s of %zu baselines lies far outside the spread of the baselines, so they do not count: %.*s "
			     "than that of the median baseline; if their machine was disturbed, mark each with "
			     "tscope note RUN bad='why'",
			     short_title(c, row->metric), listed, TS_SPAN_ARG(list));
	if (s->faster > 0)
		ts_gate_warn(c,
			     "several of those are better than the others, by %s: a candidate of their kind that became worse by as "
			     "much would look like the others, so the gate could miss it",
			     ts_say_percent(ts_metrics[row->metric].log_scale ? expm1(s->faster) : s->faster).text);
}

/* Warns of pairs that are outliers, and of a machine that got slower from run to run. */
static void warn_odd_pairs(struct ts_gate_court *c, const struct ts_gate_row *row)
{
	const struct ts_gate_sample *s = &c->samples[row->metric];
	const char *title = short_title(c, row->metric);

	if (!row->paired)
		return;
	for (size_t i = 0; i < s->n_pairs; i++)
		if (s->pairs[i].odd)
			ts_gate_warn(c,
				     "the difference of pair %u in %s lies far outside the spread of the other pairs, so this pair "
				     "does not count",
				     s->pairs[i].number, title);
	if (isfinite(s->drift) && fabs(s->drift) > c->input->policy.delta)
		ts_gate_warn(c,
			     "on the allocation of the pairs, the %s of each run was %s %s than that of the run before, no matter "
			     "whether it was a run of the base or of the candidate; this drift is removed from the comparison",
			     title, ts_say_percent(fabs(s->drift)).text, way(row->metric, s->drift > 0));
}

/* Warns once of pairs that all have one order, where the policy takes them as they are. */
static void warn_order(struct ts_gate_court *c)
{
	int first = 0;

	for (size_t i = 0; i < c->v.n_rows && !first; i++)
		if (c->v.rows[i].counts && c->v.rows[i].paired && !c->samples[i].first)
			first = c->samples[i].taken_first;
	if (first)
		ts_gate_warn(
			c,
			"in every pair the %s ran first, so a machine whose second run is slower could look like a change; run pairs "
			"in the order base, candidate, candidate, base",
			first > 0 ? "base" : "candidate");
}

/* Asks whether other work on the machine disturbs the metric less than step time. A rate is step time on another scale. */
static bool resists_noise(enum ts_metric metric)
{
	return metric == TS_METRIC_STEP_TIME_P10 || metric == TS_METRIC_STEP_TIME_FLOOR || metric == TS_METRIC_CPU_TIME;
}

/* Lists metrics of the same runs that resist noise and would have seen a change of this size, or, if none would, that would have seen a
 * clearly smaller one: "step_time_floor (a change of 4 %), cpu_time (a change of 3 %)". */
static struct ts_span sighted(struct ts_gate_court *c, double size)
{
	struct ts_span list = ts_span_of(NULL, 0);

	for (size_t i = 0; i < c->v.n_rows; i++) {
		const struct ts_gate_row *row = &c->v.rows[i];

		if (!resists_noise(row->metric) || row->state != TS_GATE_PASS || !(row->could_miss <= size))
			continue;
		list = ts_gate_text(c, "%.*s%s%s (a change of %s)", TS_SPAN_ARG(list), list.len ? ", " : "", ts_metrics[i].name,
				    ts_say_percent(row->could_miss).text);
	}
	return list;
}

/* Tells what a team can do about a row that is blind: pairs while the gate asks for them, then a metric that resists the noise, or a
 * quieter machine. */
static void warn_blind(struct ts_gate_court *c, const struct ts_gate_row *row)
{
	struct ts_span others, must = ts_gate_text(c, "%s", ts_say_percent(c->input->policy.must_catch).text);
	const struct ts_gate_row *floor = &c->v.rows[TS_METRIC_STEP_TIME_FLOOR];
	const char *title = short_title(c, row->metric);

	if (row->state != TS_GATE_BLIND || row->floored || c->samples[row->metric].first)
		return;
	if (row->metric == TS_METRIC_STEP_TIME && floor->state == TS_GATE_REGRESSION && floor->paired && floor->counts &&
	    !floor->gates) {
		ts_gate_warn(c,
			     "the %s of runs of the same code differs too much to show a change of %.*s, in pairs as well, so its "
			     "floor decides, which other work on the machine disturbs less",
			     title, TS_SPAN_ARG(must));
		return;
	}
	others = ts_span_str("");
	if (ts_gate_timed(row->metric))
		others = sighted(c, c->input->policy.must_catch);
	if (ts_gate_timed(row->metric) && !others.len)
		others = sighted(c, CLEARLY * row->could_miss);
	if (c->v.ask.pairs)
		ts_gate_warn(
			c,
			"the %s of runs of the same code differs too much to show a change of %.*s: run %s%s of base and candidate "
			"on one machine (--paired)",
			title, TS_SPAN_ARG(must), row->pairs ? "another " : "", ts_say_plural((double)c->v.ask.pairs, "pair").text);
	else
		ts_gate_warn(c, "the %s of runs of the same code differs too much to show a change of %.*s%s: %s", title,
			     TS_SPAN_ARG(must), row->paired ? ", in pairs as well" : "",
			     row->metric >= TS_METRICS ? "gate several runs of the commit, with seeds of their own, or state a larger "
							 "GATE.must_catch"
			     : others.len	       ? "let another metric decide, or measure longer or on a quieter machine"
						       : "measure longer or on a quieter machine");
	if (others.len)
		ts_gate_warn(
			c,
			"less disturbed by other work on the machine, and able to decide (GATE.metrics): %.*s, the smallest that the "
			"metric would have seen",
			TS_SPAN_ARG(others));
}

static void warn_row(struct ts_gate_court *c, const struct ts_gate_row *row, const struct ts_gate_row *said)
{
	const struct ts_gate_sample *s = &c->samples[row->metric];
	const char *title = short_title(c, row->metric);

	warn_blind(c, row);
	warn_odd_baselines(c, row);
	warn_kinds(c, row);
	warn_allowance(c, row);
	warn_odd_pairs(c, row);
	warn_lacking(c, title, "baselines", &s->no_base);
	warn_lacking(c, title, "candidates", &s->no_candidate);
	warn_lacking(c, title, "pairs", &s->no_pair);
	if (s->no_pair.runs && s->no_pair.runs == s->no_pair.of)
		ts_gate_warn(c, "no pair counts for %s: %.*s", title, TS_SPAN_ARG(s->no_pair.reason));
	if (row->state == TS_GATE_COLLECTING && row != said) /* of that one the verdict's sentence says it */
		ts_gate_warn(c, "%s is not judged yet: %.*s", title, TS_SPAN_ARG(row->reason));
}

/* Warns once of baselines that do not record their session: those of the metric that has the most of them. The metrics are named where
 * the others have none. */
static void warn_unnamed(struct ts_gate_court *c)
{
	const struct ts_gate_sample *most = NULL;
	struct ts_span titles = ts_span_str("");
	size_t judged = 0, concerned = 0;

	for (size_t i = 0; i < c->v.n_rows; i++) {
		const struct ts_gate_sample *s = &c->samples[i];

		if (!c->v.rows[i].counts || c->v.rows[i].state == TS_GATE_INCONCLUSIVE)
			continue;
		judged++;
		if (!s->unnamed)
			continue;
		titles = ts_gate_text(c, "%.*s%s%s", TS_SPAN_ARG(titles), concerned++ ? ", " : "", short_title(c, (enum ts_metric)i));
		if (!most || s->unnamed > most->unnamed)
			most = s;
	}
	if (!most)
		return;
	if (concerned < judged)
		titles = ts_gate_text(c, " (for %.*s)", TS_SPAN_ARG(titles));
	else
		titles = ts_span_str("");
	ts_gate_warn(c,
		     "%" PRIu64 " of %s %s not record the session%.*s: the gate counts each as a session of its own, and it "
		     "underestimates the noise between sessions if several of them ran in one session",
		     most->unnamed, ts_say_plural((double)(most->no_base.of - most->no_base.runs), "baseline").text,
		     most->unnamed == 1 ? "does" : "do", TS_SPAN_ARG(titles));
}

static void warn_pairs(struct ts_gate_court *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->n_pairs; i++) {
		if (c->pairs[i].why_not)
			ts_gate_warn(c, "pair %u does not count: %s", c->pairs[i].number, c->pairs[i].why_not);
		else
			count++;
	}
	if (count > c->input->policy.pairs_most)
		ts_gate_warn(c, "the last %s %s not count: GATE.pairs_most of the policy is %" PRIu64,
			     ts_say_plural((double)(count - c->input->policy.pairs_most), "pair").text,
			     count - c->input->policy.pairs_most == 1 ? "does" : "do", c->input->policy.pairs_most);
}

void ts_gate_say_fill(struct ts_gate_court *c)
{
	const struct ts_gate_row *row = ts_gate_deciding(&c->v);
	const struct ts_gate_policy *policy = &c->input->policy;

	TS_DOOR(ts_gate_court_holds(c));
	ts_gate_work_say(c);
	if (c->without)
		c->v.sentence = ts_gate_text(c,
					     "there is no verdict on %.*s: %.*s; it would be %s with what is left. Pairs decide, or "
					     "somebody who maintains the project, who writes the marks anew ('tscope note RUN "
					     "bad=WHY') or takes them away",
					     TS_SPAN_ARG(subject(c)), TS_SPAN_ARG(c->input->lost), c->without);
	else if (row)
		c->v.sentence = sentence_of(c, row);
	else
		c->v.sentence = ts_span_str("nothing is judged: GATE.metrics of the policy names no metric that decides");
	for (size_t i = 0; i < c->v.n_rows; i++)
		if (c->v.rows[i].counts)
			warn_row(c, &c->v.rows[i], c->without ? NULL : row);
	warn_unnamed(c);
	warn_order(c);
	warn_pairs(c);
	if (policy->gates[TS_METRIC_MFU] && policy->gates[TS_METRIC_STEP_TIME] && !c->v.rows[TS_METRIC_MFU].gates)
		ts_gate_warn(c, "MFU is computed from step time, so a test of it would be the same test again: MFU is shown and does "
				"not decide");
	if (c->input->lost.len && !c->without)
		ts_gate_warn(c, "%.*s", TS_SPAN_ARG(c->input->lost));
	if (c->v.state == TS_GATE_INCONCLUSIVE && !c->without && policy->on_inconclusive == TS_GATE_GREEN)
		ts_gate_warn(c, "the verdict is inconclusive, and the policy (GATE.inconclusive = pass) makes that exit 0");
	if (c->v.state == TS_GATE_BLIND && policy->on_blind == TS_GATE_GREEN)
		ts_gate_warn(c, "the verdict is blind, and the policy (GATE.blind = pass) makes that exit 0");
}
