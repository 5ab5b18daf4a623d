/* gate_explain.c - the test in words, with the numbers of a policy: what `tscope gate --explain` prints. */
#include "analysis/gate/gate.h"
#include "analysis/gate/gate_paired.h"

#include "analysis/answer/say.h"

#include <math.h>

static void line(struct ts_buf *out, const char *text)
{
	ts_buf_str(out, text);
	ts_buf_char(out, '\n');
}

/* MFU is step time seen through a constant, and no second test. */
static bool decides(const struct ts_gate_policy *policy, size_t metric)
{
	return policy->gates[metric] && !(metric == TS_METRIC_MFU && policy->gates[TS_METRIC_STEP_TIME]);
}

static void metrics(const struct ts_gate_policy *policy, struct ts_buf *out)
{
	size_t n = 0;

	ts_buf_str(out, "What decides: ");
	for (size_t i = 0; i < TS_METRICS; i++) {
		if (!decides(policy, i))
			continue;
		ts_buf_printf(out, "%s%s (%s)", n ? "; " : "", ts_metrics[i].title, ts_metrics[i].what);
		n++;
	}
	line(out, n ? "." : "nothing. A verdict is always inconclusive.");
	if (n > 1)
		line(out, "Levels are shared among these by Holm's procedure: the smallest p is held to the level over their number, the "
			  "next to the level over one less, until one misses.");
}

static void prior(const struct ts_gate_policy *policy, struct ts_buf *out)
{
	if (isfinite(policy->prior_sd))
		ts_buf_printf(out,
			      "A spread of %s between runs is believed beforehand, as if measured with %s degrees of freedom.\n",
			      ts_say_percent(policy->prior_sd).text, ts_say_number(policy->prior_df).text);
	else if (policy->prior_df_most > 0)
		ts_buf_printf(out,
			      "Earlier runs of the project add what they scattered by, each group around its own mean, with %s degrees of "
			      "freedom at most.\n",
			      ts_say_number(policy->prior_df_most).text);
}

static void sizes(const struct ts_gate_policy *policy, struct ts_buf *out)
{
	for (size_t i = 0; i < TS_METRICS; i++) {
		if (!decides(policy, i))
			continue;
		ts_buf_printf(out, "A change of %s below %s does not matter", ts_metrics[i].title,
			      ts_say_percent(policy->min_size[i]).text);
		if (ts_metrics[i].min_absolute > 0)
			ts_buf_printf(out, ", and neither does one below %s",
				      ts_say_value(ts_metrics[i].min_absolute, ts_metrics[i].unit).text);
		line(out, ", whatever the test says.");
	}
}

static void second_look(const struct ts_gate_policy *policy, struct ts_buf *out)
{
	bool once = policy->pairs == policy->pairs_most;

	ts_buf_printf(out,
		      "\nPairs. A suspect is no verdict: it asks (exit 4) for %llu pairs, base and candidate one after the other on one allocation, "
		      "where both have the same luck. What counts is the difference within each pair.\n",
		      (unsigned long long)policy->pairs);
	if (once)
		ts_buf_printf(out, "It is a regression if their mean is above %s with p below %s, and large enough to matter; else a pass.\n",
			      ts_say_percent(policy->delta).text, ts_say_number(policy->alpha).text);
	else
		ts_buf_printf(out,
			      "It is a regression if their mean is above %s with p below %s, and large enough to matter; a pass if the mean is %s "
			      "or less; otherwise %llu more are asked for, which decide by the same test on all %llu. Two looks at half of %s each "
			      "are wrong by chance in %s of changes of %s at most.\n",
			      ts_say_percent(policy->delta).text, ts_say_number(policy->alpha / 2).text,
			      ts_say_percent(policy->delta).text, (unsigned long long)(policy->pairs_most - policy->pairs),
			      (unsigned long long)policy->pairs_most, ts_say_number(policy->alpha).text,
			      ts_say_percent(policy->alpha).text, ts_say_percent(policy->delta).text);
	ts_buf_printf(out,
		      "The spread of a difference is pooled from the pairs and from runs of one session among baselines and history; where those "
		      "give fewer than %d degrees of freedom, the s of the first look takes their place, which is no smaller. Pairs that scatter "
		      "more than %s times as much are held to their own scatter alone, and two pairs that disagree so much ask for the others.\n",
		      TS_GATE_WITHIN_LEAST, ts_say_number(TS_GATE_NOISY).text);
	line(out, "The side that runs first changes from pair to pair. A drift of the machine from run to run is estimated from that and taken out of the "
		  "difference; where one side always ran first, it is taken from the middles of the pairs. A pair that lies far outside the scatter of "
		  "the others does not count.");
}

void ts_gate_explain(const struct ts_gate_policy *policy, struct ts_buf *out)
{
	double first = policy->rerun ? policy->suspect_alpha : policy->alpha;

	metrics(policy, out);
	line(out, "\nThe unit. A run gives one value a metric. Runs of one session (one allocation of the same hosts) share its luck and count as one "
		  "draw, their mean. Times and rates are compared by ratio, through logarithms.");
	ts_buf_printf(out,
		      "\nThe first look. With means x of R baseline draws and y of K candidate draws, D = mean y - mean x, worse being above 0, and "
		      "s the spread between draws, pooled:\n    T = (D - log(1 + %s)) / (s sqrt(1/R + 1/K)), held to Student's t.\n",
		      ts_say_number(policy->delta).text);
	prior(policy, out);
	line(out, "A baseline that lies far outside the scatter of the others does not count, in the mean or in the spread, and is named: its distance "
		  "from the median is more than 3.9 + 31/m robust standard deviations of m draws. Where more than a quarter would be that far, all count.");
	ts_buf_printf(out, "It is %s if a T so large has a probability below %s where the change is %s, and below %s where there is none.\n",
		      policy->rerun ? "suspect" : "a regression", ts_say_number(first).text, ts_say_percent(policy->delta).text,
		      ts_say_number(first < TS_GATE_CLEAN_ALPHA ? first : TS_GATE_CLEAN_ALPHA).text);
	ts_buf_printf(out, "An improvement is the mirror image, at %s.\n", ts_say_number(policy->alpha).text);
	sizes(policy, out);
	if (policy->rerun)
		second_look(policy, out);
	line(out, "\nA pass says what it could have missed: the size from which a worsening would have been found with 95 % probability.");
	if (isfinite(policy->must_catch))
		ts_buf_printf(out, "Above %s that is a warning.\n", ts_say_percent(policy->must_catch).text);
	ts_buf_printf(out,
		      "\nFewer than %d baseline draws: nothing is judged, exit 0 with a warning; %llu are wanted. Not comparable, or a value that is "
		      "missing: inconclusive, never a pass (%s).\n",
		      TS_GATE_LEAST, (unsigned long long)policy->collect,
		      policy->on_inconclusive == TS_INCONCLUSIVE_EXIT_3 ? "exit 3"
		      : policy->on_inconclusive == TS_INCONCLUSIVE_FAIL ? "exit 1, by this policy"
									: "exit 0 with a warning, by this policy");
}
