/* gate_explain.c - the test explained in words, with the numbers of a policy: what `tscope gate --explain` prints. */
#include "analysis/gate/gate.h"
#include "analysis/gate/gate_paired.h"

#include "analysis/answer/say.h"

#include <math.h>

static void line(struct ts_buf *out, const char *text)
{
	ts_buf_str(out, text);
	ts_buf_char(out, '\n');
}

/* MFU is computed from step time, so where step time decides, MFU would be the same test again. */
static bool decides(const struct ts_gate_policy *policy, size_t metric)
{
	return policy->gates[metric] && !(metric == TS_METRIC_MFU && policy->gates[TS_METRIC_STEP_TIME]);
}

static void metrics(const struct ts_gate_policy *policy, struct ts_buf *out)
{
	size_t n = 0;

	ts_buf_str(out, "Metrics that decide: ");
	for (size_t i = 0; i < ts_gate_policy_metrics(policy); i++) {
		if (!decides(policy, i))
			continue;
		ts_buf_printf(out, "%s%s (%s)", n ? "; " : "", ts_gate_metric_title(policy, (enum ts_metric)i), ts_metrics[i].what);
		n++;
	}
	line(out, n ? "." : "none. The verdict is always inconclusive.");
	if (n > 1)
		line(out,
		     "These metrics share each significance level by Holm's procedure: the smallest p is compared with the level "
		     "divided by the number of metrics, the next p with the level divided by one less, and so on until one p is above "
		     "its level.");
}

static void prior(const struct ts_gate_policy *policy, struct ts_buf *out)
{
	if (isfinite(policy->prior_sd))
		ts_buf_printf(out,
			      "The policy sets the standard deviation between runs to %s beforehand, with the weight of %s degrees of "
			      "freedom.\n",
			      ts_say_percent(policy->prior_sd).text, ts_say_number(policy->prior_df).text);
	else if (policy->prior_df_most > 0)
		ts_buf_printf(
			out,
			"The spread of earlier runs of the project, each group around its own mean, is pooled into s with at most %s "
			"degrees of freedom.\n",
			ts_say_number(policy->prior_df_most).text);
}

/* What holds of a logged series in place of what is said of all metrics. */
static void series(const struct ts_gate_policy *policy, enum ts_metric metric, struct ts_buf *out)
{
	const char *name = ts_gate_metric_name(policy, metric);
	enum ts_better better = ts_gate_metric_better(policy, metric);

	ts_buf_printf(out,
		      "Of the series %s differences relative to the baseline are compared, and a change up to %s counts as no change. ",
		      name, ts_say_percent(fmin(policy->delta, policy->min_size[metric])).text);
	if (better == TS_BETTER_UNKNOWN)
		ts_buf_printf(out,
			      "Nobody knows which way it is better: the way in which the candidate differs is tested at half of each "
			      "level, and a series that moved is inconclusive; GATE.%s.better = lower or higher states it.\n",
			      name);
	else
		ts_buf_printf(out, "It is better if it is %s.\n", ts_better_word(better));
}

static void sizes(const struct ts_gate_policy *policy, struct ts_buf *out)
{
	for (size_t i = 0; i < ts_gate_policy_metrics(policy); i++) {
		if (!decides(policy, i))
			continue;
		ts_buf_printf(out, "A change of %s below %s", ts_gate_metric_title(policy, (enum ts_metric)i),
			      ts_say_percent(policy->min_size[i]).text);
		if (ts_metrics[i].min_absolute > 0)
			ts_buf_printf(out, ", or below %s,", ts_say_value(ts_metrics[i].min_absolute, ts_metrics[i].unit).text);
		line(out, " is ignored, whatever p the test gives.");
		if (i >= TS_METRICS)
			series(policy, (enum ts_metric)i, out);
	}
}

static const char *ending(enum ts_gate_ending how)
{
	return how == TS_GATE_EXIT_3  ? "exit 3"
	       : how == TS_GATE_FAILS ? "exit 1, by this policy"
				      : "exit 0 with a warning, by this policy";
}

static void second_look(const struct ts_gate_policy *policy, struct ts_buf *out)
{
	bool once = policy->pairs == policy->pairs_most;

	ts_buf_printf(out,
		      "\nPairs. A suspect metric is not yet a regression. The gate exits with 4 and asks for %" PRIu64
		      " pairs: base and candidate, run one "
		      "after the other on one allocation, so that both run under the same conditions. The test then "
		      "uses the difference within "
		      "each pair.\n",
		      policy->pairs);
	if (once)
		ts_buf_printf(
			out,
			"The metric has regressed if the mean difference is above %s with p below %s and is not ignored as too small; "
			"otherwise it passes.\n",
			ts_say_percent(policy->delta).text, ts_say_number(policy->alpha).text);
	else
		ts_buf_printf(out,
			      "The metric has regressed if the mean difference is above %s with p below %s and is not "
			      "ignored as too small. It "
			      "passes if the mean difference is %s or less and the pairs could have seen what must be caught. "
			      "Otherwise the gate asks for %" PRIu64 " more pairs, and the same test on all "
			      "%" PRIu64 " decides. With two looks at half of %s each, at most %s of changes of %s fail by chance.\n",
			      ts_say_percent(policy->delta).text, ts_say_number(policy->alpha / 2).text,
			      ts_say_percent(policy->delta).text, policy->pairs_most - policy->pairs, policy->pairs_most,
			      ts_say_number(policy->alpha).text, ts_say_percent(policy->alpha).text,
			      ts_say_percent(policy->delta).text);
	ts_buf_printf(
		out,
		"The spread of a difference is pooled from the pairs and from runs of one session among the baselines and the "
		"history. Where those give fewer than %d degrees of freedom, the gate uses s of the first look instead, which is "
		"not smaller. The error within the runs that goes beyond that of the baselines is added. Pairs that scatter more than "
		"%s "
		"times as much, whose runs of one side do more than %s times, or whose steps show a larger error, are tested with "
		"their own spread alone, and for two such pairs the gate asks for the others.\n",
		TS_GATE_WITHIN_LEAST, ts_say_number(TS_GATE_NOISY).text, ts_say_number(TS_GATE_SIDES).text);
	line(out, "The side that runs first changes from pair to pair, so that the gate can estimate a drift of the machine from run "
		  "to run and remove it from the difference. Where one side always ran first, the gate estimates the drift from the "
		  "middles of the pairs. A pair that lies far outside the spread of the other pairs does not count.");
}

void ts_gate_explain(const struct ts_gate_policy *policy, struct ts_buf *out)
{
	double first = policy->rerun ? policy->suspect_alpha : policy->alpha;

	metrics(policy, out);
	line(out, "\nThe unit. Each run gives one value per metric. Runs of one session (one allocation of the same hosts) ran under "
		  "the same conditions, so they count as one session value, which is their mean. Times and rates are compared by "
		  "ratio, through logarithms.");
	ts_buf_printf(out,
		      "\nThe first look. x are the values of R baseline sessions, y those of K candidate sessions, and D = mean y - "
		      "mean x, where D above 0 is worse. s is the pooled standard deviation between sessions. The test statistic, "
		      "compared with Student's t, is\n    T = (D - log(1 + %s)) / (s sqrt(1/R + 1/K)).\n",
		      ts_say_number(policy->delta).text);
	prior(policy, out);
	line(out, "A baseline that lies far from the other baselines counts neither in the mean nor in the spread, and the verdict "
		  "names it: its distance from the median is more than 3.9 + 31/m robust standard deviations of m session values. "
		  "Where more than a quarter of them would be that far away, all count.");
	ts_buf_printf(
		out,
		"A metric %s if a T so large has a probability below %s where the true change is %s, and below %s where there is no "
		"change.\n",
		policy->rerun ? "is suspect" : "has regressed", ts_say_number(first).text, ts_say_percent(policy->delta).text,
		ts_say_number(first < TS_GATE_CLEAN_ALPHA ? first : TS_GATE_CLEAN_ALPHA).text);
	if (policy->rerun)
		line(out,
		     "A metric that is better passes: one run cannot show whether the commit or the machine is better. Pairs can, by "
		     "the mirror image of their test.");
	else
		ts_buf_printf(out, "A metric has improved if the mirror image of this test holds at %s.\n",
			      ts_say_number(policy->alpha).text);
	sizes(policy, out);
	if (policy->rerun)
		second_look(policy, out);
	line(out, "\nA pass names the regression that the gate could have missed: the size from which a regression would have been "
		  "found with 95 % probability.");
	if (isfinite(policy->must_catch))
		ts_buf_printf(out, "If that size is above %s, the verdict is blind, which is never a pass (%s).\n",
			      ts_say_percent(policy->must_catch).text, ending(policy->on_blind));
	ts_buf_printf(out,
		      "\nWith baselines of fewer than %d sessions and no history of at least %g degrees of freedom, the gate assumes "
		      "that runs of the same code differ by %s: only a change that stands out from that is suspect, and any other "
		      "exits with 0 and a warning. %" PRIu64 " sessions are "
		      "recommended. If the runs are not comparable, or a value is missing, the verdict is "
		      "inconclusive, which is never a pass "
		      "(%s).\n",
		      TS_GATE_LEAST, TS_GATE_KNOWN_DF, ts_say_percent(TS_GATE_ASSUMED_SD).text, policy->collect,
		      ending(policy->on_inconclusive));
}
