/* checks_efficiency.c - rules on model FLOP/s utilization (MFU) and on the time that could be won back. */
#include "analysis/rules/check.h"

/* The lines of the budget that are no useful work, with the words that sentences use for them. Nobody knows what is done
 * outside the phases, so nobody knows whether that time can be won back. */
static const struct {
	enum ts_budget_line line;
	const char *words;
	bool recoverable;
} lines[] = {
	{TS_LINE_DATA, "waiting for data", true},	 {TS_LINE_COMM, "on communication", true},
	{TS_LINE_WAIT, "waiting for other ranks", true}, {TS_LINE_OVERHEAD, "computing below the peak rate", true},
	{TS_LINE_OTHER, "in other phases", true},	 {TS_LINE_UNATTRIBUTED, "outside all phases", false},
};

/* Finds the largest of the lines, which becomes evidence. Without a budget the result is false and the rule is unchecked.
 * */
static bool need_greatest(struct ts_check *c, bool recoverable, double *ret_share, const char **ret_words)
{
	const char *greatest = NULL;

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		const char *line = ts_budget_lines[lines[i].line];
		double share;

		if ((recoverable && !lines[i].recoverable) ||
		    !ts_measure_value(c->measures, TS_M_BUDGET_SHARE, ts_span_str(line), &share) || !isfinite(share) ||
		    (greatest && share <= *ret_share))
			continue;
		greatest = line;
		*ret_share = share;
		*ret_words = lines[i].words;
	}
	/* Without any line the reason of the first is given. */
	return ts_check_need_of(c, TS_M_BUDGET_SHARE, greatest ? greatest : ts_budget_lines[lines[0].line], ret_share);
}

void ts_check_mfu_impossible(struct ts_check *c)
{
	double mfu;

	if (!ts_check_need(c, TS_M_MFU, &mfu))
		return;
	if (mfu > ts_check_threshold(c, "max_mfu"))
		ts_check_fire(
			c, TS_SEVERITY_HIGH,
			"An MFU of %s is impossible: the FLOPs of a step, the peak or the number of devices is wrong",
			ts_say_percent(mfu).text);
}

void ts_check_mfu_suspicious(struct ts_check *c)
{
	double mfu;

	if (!ts_check_need(c, TS_M_MFU, &mfu))
		return;
	if (mfu > ts_check_threshold(c, "max_mfu") && mfu <= 1)
		ts_check_fire(c, TS_SEVERITY_MEDIUM,
			      "An MFU of %s is higher than published runs reach; the FLOPs of a step may follow "
			      "another convention, "
			      "or the peak may be for another number format",
			      ts_say_percent(mfu).text);
}

void ts_check_low_mfu(struct ts_check *c)
{
	double mfu, share;
	const char *words;

	if (!ts_check_need(c, TS_M_MFU, &mfu) || !need_greatest(c, false, &share, &words))
		return;
	if (mfu >= ts_check_threshold(c, "max_mfu") || share < ts_check_threshold(c, "min_recoverable"))
		return;
	ts_check_fire(c, mfu < ts_check_threshold(c, "high_mfu") ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM,
		      "The model uses %s of the devices' peak; the largest part of the rest, %s of the wall time, is "
		      "spent %s",
		      ts_say_percent(mfu).text, ts_say_percent(share).text, words);
}

void ts_check_recoverable(struct ts_check *c)
{
	double mfu, share;
	const char *words;

	if (ts_measure_value(c->measures, TS_M_MFU, TS_NO_SUBJECT, &mfu)) {
		ts_check_applies_not(c);
		return;
	}
	if (!need_greatest(c, true, &share, &words) || share < ts_check_threshold(c, "min_share"))
		return;
	ts_check_fire(c, share >= ts_check_threshold(c, "high_share") ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM,
		      "%s of the wall time is spent %s", ts_say_percent(share).text, words);
}
