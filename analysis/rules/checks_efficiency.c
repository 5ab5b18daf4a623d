/* checks_efficiency.c - rules on model FLOP/s utilization (MFU) and on the time that could be won back. */
#include "analysis/rules/check.h"

/* The lines of the budget that are no useful work, with the words that sentences use for them. Nobody knows what is done
 * outside the phases, so nobody knows whether that time can be won back. Some have rules of their own. */
static const struct {
	enum ts_budget_line line;
	enum ts_job_line job; /* that of all ranks, which counts where it is known: a straggler itself waits for nobody */
	const char *words;
	bool recoverable, told;
} lines[] = {
	{TS_LINE_DATA, TS_JOB_LINES, "waiting for data", true, true},
	{TS_LINE_COMM, TS_JOB_COMM, "on communication", true, true},
	{TS_LINE_WAIT, TS_JOB_WAIT, "waiting for other ranks", true, true},
	{TS_LINE_OVERHEAD, TS_JOB_LINES, "computing below the peak rate", true, false},
	{TS_LINE_OTHER, TS_JOB_LINES, "in other phases", true, false},
	{TS_LINE_UNATTRIBUTED, TS_JOB_LINES, "outside all phases", false, false},
};

/* A line of the budget, and of which measure it is. */
struct share {
	enum ts_measure_name what;
	const char *of;
	double value;
};

static bool known_share(const struct ts_check *c, enum ts_measure_name what, const char *of, struct share *ret)
{
	*ret = (struct share){.what = what, .of = of};
	return ts_measure_value(c->measures, what, ts_span_str(of), &ret->value) && isfinite(ret->value);
}

static bool share_of(const struct ts_check *c, size_t i, struct share *ret)
{
	return (lines[i].job < TS_JOB_LINES && known_share(c, TS_M_JOB_SHARE, ts_job_lines[lines[i].job], ret)) ||
	       known_share(c, TS_M_BUDGET_SHARE, ts_budget_lines[lines[i].line], ret);
}

/* Finds the largest of the lines, which becomes evidence. Without a budget the result is false and the rule is unchecked.
 * */
static bool need_greatest(struct ts_check *c, bool recoverable, double *ret_share, const char **ret_words, bool *ret_told)
{
	/* Without any line the reason of the first is given. */
	struct share greatest = {TS_M_BUDGET_SHARE, ts_budget_lines[lines[0].line], -HUGE_VAL}, share;

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		if ((recoverable && !lines[i].recoverable) || !share_of(c, i, &share) || share.value <= greatest.value)
			continue;
		greatest = share;
		*ret_words = lines[i].words;
		*ret_told = lines[i].told;
	}
	return ts_check_need_of(c, greatest.what, greatest.of, ret_share);
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
	bool told;

	if (!ts_check_need(c, TS_M_MFU, &mfu) || !need_greatest(c, false, &share, &words, &told))
		return;
	if (mfu >= ts_check_threshold(c, "max_mfu") || share < ts_check_threshold(c, "min_recoverable"))
		return;
	ts_check_fire(c, mfu < ts_check_threshold(c, "high_mfu") ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM,
		      "The model uses %s of the devices' peak; the largest part of the rest, %s of the wall time, is "
		      "spent %s",
		      ts_say_percent(mfu).text, ts_say_percent(share).text, words);
}

/* Applies only to a run that logs one. */
void ts_check_logged_mfu(struct ts_check *c)
{
	struct ts_span error = ts_check_text(c, TS_M_LOGGED_ERROR), note = ts_check_text(c, TS_M_LOGGED_NOTE);
	double logged, times, most = ts_check_threshold(c, "max_times");
	bool compared = ts_check_want(c, TS_M_LOGGED_TIMES, &times);

	if (error.len) {
		ts_check_fire(c, TS_SEVERITY_MEDIUM, "%c%.*s", error.data[0] & ~32, (int)error.len - 1, (const char *)error.data + 1);
		return;
	}
	if (!compared && !ts_check_want(c, TS_M_LOGGED_MFU, &logged)) {
		ts_check_applies_not(c);
		return;
	}
	if (!compared) {
		ts_check_leave(c, "the run logs an MFU, and none can be computed here to compare it with");
		return;
	}
	if (note.len && (times >= most || times <= 1 / most))
		ts_check_fire(c, TS_SEVERITY_LOW, "%c%.*s", note.data[0] & ~32, (int)note.len - 1, (const char *)note.data + 1);
}

void ts_check_recoverable(struct ts_check *c)
{
	double mfu, share;
	const char *words;
	bool told;

	if (ts_measure_value(c->measures, TS_M_MFU, TS_NO_SUBJECT, &mfu)) {
		ts_check_applies_not(c);
		return;
	}
	if (!need_greatest(c, true, &share, &words, &told) || told || share < ts_check_threshold(c, "min_share"))
		return;
	ts_check_fire(c, TS_SEVERITY_MEDIUM, "%s of the wall time is spent %s", ts_say_percent(share).text, words);
}
