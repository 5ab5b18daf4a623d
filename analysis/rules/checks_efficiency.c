/* checks_efficiency.c - rules on model FLOP/s utilization and on what could be won back. */
#include "analysis/rules/check.h"

/* Lines of the budget that are no useful work, as the budget names them and as sentences do. What time in no phase is
 * spent on is not known, so neither is whether it can be won back. */
static const struct {
	const char *subject, *words;
	bool recoverable;
} lines[] = {
	{"data_stall", "waiting for data", true},
	{"communication", "communication", true},
	{"wait", "waiting for other ranks", true},
	{"compute_overhead", "computing below the peak", true},
	{"other", "other phases", true},
	{"unattributed", "time in no phase", false},
};

/* The greatest of the lines, which becomes evidence. False and unchecked when there is no budget. */
static bool need_greatest(struct ts_check *c, bool recoverable, double *ret_share, const char **ret_words)
{
	const char *subject = NULL;

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		double share;

		if ((recoverable && !lines[i].recoverable) ||
		    !ts_measure_value(c->measures, "budget", lines[i].subject, "share_ratio", &share) || !isfinite(share) ||
		    (subject && share <= *ret_share))
			continue;
		subject = lines[i].subject;
		*ret_share = share;
		*ret_words = lines[i].words;
	}
	/* Without any line the reason of the first is given. */
	return ts_check_need(c, "budget", subject ? subject : lines[0].subject, "share_ratio", ret_share);
}

void ts_check_mfu_impossible(struct ts_check *c)
{
	double mfu;

	if (!ts_check_need(c, "efficiency", "mfu", "ratio", &mfu))
		return;
	if (mfu > ts_check_threshold(c, "max_mfu"))
		ts_check_fire(c, TS_SEVERITY_HIGH,
			      "An MFU of %s cannot be: the FLOPs of a step, the peak or the number of devices is wrong",
			      ts_say_percent(mfu).text);
}

void ts_check_mfu_suspicious(struct ts_check *c)
{
	double mfu;

	if (!ts_check_need(c, "efficiency", "mfu", "ratio", &mfu))
		return;
	if (mfu > ts_check_threshold(c, "max_mfu") && mfu <= 1)
		ts_check_fire(c, TS_SEVERITY_MEDIUM,
			      "An MFU of %s is more than published runs reach; the FLOPs of a step or the peak may be of "
			      "another convention or type of number",
			      ts_say_percent(mfu).text);
}

void ts_check_low_mfu(struct ts_check *c)
{
	double mfu, share;
	const char *words;

	if (!ts_check_need(c, "efficiency", "mfu", "ratio", &mfu) || !need_greatest(c, false, &share, &words))
		return;
	if (mfu >= ts_check_threshold(c, "max_mfu") || share < ts_check_threshold(c, "min_recoverable"))
		return;
	ts_check_fire(c, mfu < ts_check_threshold(c, "high_mfu") ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM,
		      "The model uses %s of the devices' peak; the greatest part of the rest, %s of the wall time, goes into %s",
		      ts_say_percent(mfu).text, ts_say_percent(share).text, words);
}

void ts_check_recoverable(struct ts_check *c)
{
	double mfu, share;
	const char *words;

	if (ts_measure_value(c->measures, "efficiency", "mfu", "ratio", &mfu)) {
		ts_check_applies_not(c);
		return;
	}
	if (!need_greatest(c, true, &share, &words) || share < ts_check_threshold(c, "min_share"))
		return;
	ts_check_fire(c, share >= ts_check_threshold(c, "high_share") ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM,
		      "%s of the wall time goes into %s", ts_say_percent(share).text, words);
}
