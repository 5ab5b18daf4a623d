/* gate_setting.c - see gate_setting.h. */
#include "analysis/gate/gate_setting.h"

#include "analysis/gate/gate.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"

#include <math.h>
#include <stddef.h>

enum {
	NAMES_MAX = 64, /* names in one list */
	NAME_MAX_LEN = 256,
	TEXT_MAX = 4096, /* bytes in one setting, which is what a request can carry */
	COUNT_MAX = 1000000000,
};

#define AT(member) offsetof(struct ts_gate_policy, member)

const struct ts_gate_setting ts_gate_settings[] = {
	{"metrics", TS_SETTING_GATES, AT(gates), 0, 0, false, NULL, "metrics, logged series",
	 "the metrics that decide the verdict; the others are only shown. A name that is none of the table is that of a series that "
	 "the runs log, such as val_bpb. Several metrics share alpha"},
	{"better", TS_SETTING_BETTER, AT(better), 0, 0, false, "by-name", "lower, higher",
	 "which way logged series are better, where their names do not tell it; SERIES.better sets it for one, as in "
	 "GATE.kl_coef.better = lower"},
	{"watch", TS_SETTING_METRICS, AT(watch), 0, 0, false, "none", "metrics",
	 "metrics that do not decide, but of which a gross worsening counts: mean step time by 4 %, step time at the end by 10 %, peak "
	 "memory by 5 %, loss by 25 % or to NaN"},
	{"min_size", TS_SETTING_SIZES, AT(min_size), 0, 1, false, NULL, "ratio",
	 "a change below this size is ignored, whatever p the test gives; METRIC.min_size sets it for one metric"},
	{"least", TS_SETTING_FLOORS, AT(least), 0, 1e18, true, "off", "ratio or number",
	 "the floor of a metric of which more is better, as in GATE.mfu.least = 38 %: the gate fails if the 99 % interval of the "
	 "candidate lies below it, and is blind if the interval spans it"},
	{"delta", TS_SETTING_RATIO, AT(delta), 0, 0.5, false, NULL, "ratio",
	 "the tolerance: a change up to this size counts as no change"},
	{"alpha", TS_SETTING_RATIO, AT(alpha), 0, 0.2, true, NULL, "ratio",
	 "how often a change of size delta may fail the gate by chance, over all metrics that decide"},
	{"suspect_alpha", TS_SETTING_RATIO, AT(suspect_alpha), 0, 0.2, true, NULL, "ratio",
	 "how often a change of size delta may be suspect by chance at the first look, so that the gate asks for pairs"},
	{"must_catch", TS_SETTING_RATIO, AT(must_catch), 0, 10, true, "off", "ratio",
	 "the regression that the gate must be able to find: a pass that could have missed a larger one is blind, which is not a pass"},
	{"rerun", TS_SETTING_SWITCH, AT(rerun), 0, 0, false, NULL, "on, off",
	 "on: a suspect candidate needs pairs of base and candidate on one allocation; off: the first look decides, at alpha"},
	{"pairs", TS_SETTING_COUNT, AT(pairs), 2, 256, false, NULL, "pairs", "how many pairs the gate asks for at first"},
	{"pairs_most", TS_SETTING_COUNT, AT(pairs_most), 2, 256, false, NULL, "pairs",
	 "how many pairs the gate asks for in total, if the first ones do not decide"},
	{"baselines", TS_SETTING_COUNT, AT(baselines), TS_GATE_LEAST, 400, false, NULL, "runs",
	 "how many of the newest runs of a branch serve as baselines, at most"},
	{"collect", TS_SETTING_COUNT, AT(collect), TS_GATE_LEAST, 400, false, NULL, "runs",
	 "how many baselines the gate recommends while there are too few of them to judge"},
	{"prior_sd", TS_SETTING_RATIO, AT(prior_sd), 0, 1, true, "history", "ratio",
	 "the standard deviation between runs that the test assumes beforehand; history: that of earlier runs of the project"},
	{"prior_df", TS_SETTING_NUMBER, AT(prior_df), 0, 1000, false, NULL, "degrees of freedom",
	 "the weight of a prior_sd that the policy sets"},
	{"prior_df_most", TS_SETTING_NUMBER, AT(prior_df_most), 0, 1000, false, NULL, "degrees of freedom",
	 "the weight of the history, at most"},
	{"across", TS_SETTING_PARTS, AT(across), 0, 0, false, "none", "config, hardware, parallelism, libraries",
	 "the parts of the workload that may differ between compared runs"},
	{"other_work", TS_SETTING_SWITCH, AT(other_work), 0, 0, false, NULL, "on, off",
	 "on: where no baseline does the candidate's work (another batch, model or length of sequences), MFU decides in place of step "
	 "time, or tokens or samples per second and device, against other work on the same devices; off: inconclusive"},
	{"workload", TS_SETTING_NAME, AT(workload), 0, 0, false, "by-key", "name",
	 "the gate compares with runs that declare this work.workload; by-key: with runs of the same workload key"},
	{"ignore", TS_SETTING_GLOBS, AT(ignore), 0, 0, false, "none", "globs of fact paths",
	 "facts that are not part of a workload's key"},
	{"exclude", TS_SETTING_EXCLUDES, AT(reduce), 0, 0, false, "none", "tag:NAME, phase:NAME, every:N",
	 "steps to leave out: those with the tag; those in which the phase took time, each with the step after it; those whose number "
	 "N divides"},
	{"warmup", TS_SETTING_WARMUP, AT(reduce), 0, COUNT_MAX, false, "auto", "records",
	 "how many records to leave out as warm-up at the start of each segment; auto: as many as the step times show"},
	{"inconclusive", TS_SETTING_ENDING, AT(on_inconclusive), 0, 0, false, NULL, "exit-3, fail, pass",
	 "how the gate ends if the runs cannot be compared: exit 3, exit 1, or exit 0 with a warning"},
	{"blind", TS_SETTING_ENDING, AT(on_blind), 0, 0, false, NULL, "exit-3, fail, pass",
	 "how the gate ends if it found no regression and could have missed one above must_catch"},
	{.name = NULL},
};

const char *const ts_gate_ending_words[] = {
	[TS_GATE_EXIT_3] = "exit-3", [TS_GATE_FAILS] = "fail", [TS_GATE_GREEN] = "pass"};

/* --- names --- */

static const struct ts_gate_setting *setting_find(struct ts_span name)
{
	for (const struct ts_gate_setting *s = ts_gate_settings; s->name; s++)
		if (ts_span_is(name, s->name))
			return s;
	return NULL;
}

const struct ts_gate_setting *ts_gate_setting_find(struct ts_span name, size_t *ret_metric)
{
	struct ts_span series = ts_gate_setting_series(name);
	const struct ts_gate_setting *setting;
	enum ts_metric metric = TS_METRICS;
	bool logged;

	*ret_metric = TS_METRICS_ALL;
	if (!series.len) {
		setting = setting_find(name);
		return setting && setting->kind == TS_SETTING_FLOORS ? NULL : setting;
	}
	logged = !ts_metric_find(series, &metric);
	setting = setting_find(ts_span_of(name.data + series.len + 1, name.len - series.len - 1));
	*ret_metric = metric;
	/* Whether more of a logged series is better is known of the whole policy. */
	if (setting && setting->kind == TS_SETTING_FLOORS && (logged || !ts_metrics[metric].less_is_better))
		return setting;
	if (setting && setting->kind == TS_SETTING_BETTER && logged)
		return setting;
	return setting && setting->kind == TS_SETTING_SIZES ? setting : NULL;
}

struct ts_span ts_gate_setting_series(struct ts_span name)
{
	size_t len = name.len;

	while (len && name.data[len - 1] != '.')
		len--;
	return len ? ts_span_of(name.data, len - 1) : ts_span_of(NULL, 0);
}

static const char *name_near(const char *typed)
{
	size_t bound = ts_suggest_bound(typed);
	const char *near = NULL;

	for (const struct ts_gate_setting *s = ts_gate_settings; s->name; s++)
		if (s->kind != TS_SETTING_FLOORS)
			near = ts_suggest(typed, s->name, near, &bound);
	return near;
}

bool ts_gate_setting_name(struct ts_span name, struct ts_buf *why)
{
	struct ts_shown typed = ts_show(name);
	const char *near = name_near(typed.text);
	size_t metric;

	if (ts_gate_setting_find(name, &metric))
		return true;
	ts_buf_printf(why, "%s has no setting %s; ", TS_GATE_CODE, typed.text);
	if (near) {
		ts_buf_printf(why, "did you mean %s?", near);
		return false;
	}
	ts_buf_str(why, "it has ");
	for (const struct ts_gate_setting *s = ts_gate_settings; s->name; s++)
		if (s->kind != TS_SETTING_FLOORS)
			ts_buf_printf(why, "%s%s", s == ts_gate_settings ? "" : ", ", s->name);
	ts_buf_str(why, ", METRIC.min_size, SERIES.better, and METRIC.least of a metric of which more is better");
	return false;
}

/* --- lists --- */

bool ts_gate_list_next(struct ts_span *rest, struct ts_span *ret)
{
	const uint8_t *comma;
	size_t len;

	if (!rest->data)
		return false;
	comma = rest->len ? memchr(rest->data, ',', rest->len) : NULL;
	len = comma ? (size_t)(comma - rest->data) : rest->len;
	*ret = ts_trim(ts_span_of(rest->data, len));
	*rest = comma ? ts_span_of(comma + 1, rest->len - len - 1) : ts_span_of(NULL, 0);
	return true;
}

size_t ts_gate_list_count(struct ts_span text)
{
	struct ts_span item;
	size_t n = 0;

	while (ts_gate_list_next(&text, &item))
		n++;
	return n;
}

static bool part_check(struct ts_span name, struct ts_buf *why)
{
	enum ts_workload_part part;

	if (ts_workload_part_parse(name, &part))
		return true;
	ts_buf_printf(why, "'%s' is not a part of a workload; the parts are", ts_show(name).text);
	for (int p = 0; p < TS_WORKLOAD_PARTS; p++)
		ts_buf_printf(why, "%s %s", p ? "," : "", ts_workload_part_word((enum ts_workload_part)p));
	return false;
}

static bool metric_check(struct ts_span name, struct ts_buf *why)
{
	struct ts_shown typed = ts_show(name);
	size_t bound = ts_suggest_bound(typed.text);
	const char *near = NULL;
	enum ts_metric metric;

	if (ts_metric_find(name, &metric))
		return true;
	for (size_t m = 0; m < TS_METRICS; m++)
		near = ts_suggest(typed.text, ts_metrics[m].name, near, &bound);
	ts_buf_printf(why, "there is no metric '%s'; ", typed.text);
	if (near) {
		ts_buf_printf(why, "did you mean %s?", near);
		return false;
	}
	ts_buf_str(why, "the metrics are");
	for (size_t m = 0; m < TS_METRICS; m++)
		ts_buf_printf(why, "%s %s", m ? "," : "", ts_metrics[m].name);
	return false;
}

/* A line of a policy is cut at its first '='. */
static bool series_check(struct ts_span name, struct ts_buf *why)
{
	if (!memchr(name.data, '=', name.len))
		return true;
	ts_buf_printf(why, "the name of the series '%s' has a '=', which no setting can spell", ts_show(name).text);
	return false;
}

/* A name that the table does not have is that of a logged series. */
static size_t count_logged(struct ts_span text)
{
	struct ts_span name;
	enum ts_metric metric;
	size_t n = 0;

	while (ts_gate_list_next(&text, &name))
		n += !ts_metric_find(name, &metric);
	return n;
}

bool ts_gate_exclude_parse(struct ts_span text, struct ts_exclude *ret)
{
	*ret = (struct ts_exclude){.kind = TS_EXCLUDE_TAG};
	if (ts_span_skip(&text, "every:")) {
		ret->kind = TS_EXCLUDE_EVERY;
		return ts_parse_u64(text, &ret->every) && ret->every >= 2 && ret->every <= COUNT_MAX;
	}
	if (ts_span_skip(&text, "phase:"))
		ret->kind = TS_EXCLUDE_PHASE;
	else if (!ts_span_skip(&text, "tag:"))
		return false;
	ret->name = text;
	return text.len > 0;
}

static bool exclude_check(struct ts_span text, struct ts_buf *why)
{
	struct ts_exclude exclude;

	if (ts_gate_exclude_parse(text, &exclude))
		return true;
	ts_buf_printf(why, "'%s' is not a rule to exclude steps; write tag:NAME, phase:NAME, or every:N with N from 2 to %d",
		      ts_show(text).text, COUNT_MAX);
	return false;
}

static bool list_check(const struct ts_gate_setting *s, struct ts_span text, struct ts_buf *why)
{
	struct ts_span item, rest = text;
	size_t n = ts_gate_list_count(text), len = 2 * n;

	if (s->word && ts_span_is(text, s->word))
		return true;
	if (n > NAMES_MAX) {
		ts_buf_printf(why, "%s.%s lists %zu names, and it takes at most %d", TS_GATE_CODE, s->name, n, NAMES_MAX);
		return false;
	}
	if (s->kind == TS_SETTING_GATES && count_logged(text) > TS_LOGGED_MOST) {
		ts_buf_printf(why, "%s.%s lists %zu series, and it takes at most %d", TS_GATE_CODE, s->name, count_logged(text),
			      TS_LOGGED_MOST);
		return false;
	}
	while (ts_gate_list_next(&rest, &item)) {
		len += item.len;
		if (item.len == 0 || item.len > NAME_MAX_LEN) {
			ts_buf_printf(why,
				      item.len ? "a name in %s.%s is longer than %d bytes" : "a name in %s.%s is empty",
				      TS_GATE_CODE, s->name, NAME_MAX_LEN);
			return false;
		}
		if ((s->kind == TS_SETTING_METRICS && !metric_check(item, why)) ||
		    (s->kind == TS_SETTING_GATES && !series_check(item, why)) ||
		    (s->kind == TS_SETTING_PARTS && !part_check(item, why)) ||
		    (s->kind == TS_SETTING_EXCLUDES && !exclude_check(item, why)))
			return false;
	}
	if (len > TEXT_MAX)
		ts_buf_printf(why, "%s.%s is longer than %d bytes", TS_GATE_CODE, s->name, TEXT_MAX);
	return len <= TEXT_MAX;
}

/* --- what a setting may be --- */

static bool is_numeric(const struct ts_gate_setting *s)
{
	return ts_gate_setting_is_ratio(s) || s->kind == TS_SETTING_NUMBER || s->kind == TS_SETTING_COUNT ||
	       s->kind == TS_SETTING_WARMUP;
}

bool ts_gate_setting_is_ratio(const struct ts_gate_setting *s)
{
	return s->kind == TS_SETTING_RATIO || s->kind == TS_SETTING_SIZES || s->kind == TS_SETTING_FLOORS;
}

static bool is_whole(const struct ts_gate_setting *s)
{
	return s->kind == TS_SETTING_COUNT || s->kind == TS_SETTING_WARMUP;
}

/* The floor of a metric that is a ratio is at most 1: 38 instead of 38 % would fail every run. */
static double most_of(const struct ts_gate_setting *s, size_t metric)
{
	return s->kind == TS_SETTING_FLOORS && metric < TS_METRICS && ts_metrics[metric].unit == TS_UNIT_RATIO ? 1 : s->most;
}

static bool number_good(const struct ts_gate_setting *s, double most, double v)
{
	return isfinite(v) && v >= s->least && v <= most && !(s->above && v == s->least) &&
	       !(is_whole(s) && v != floor(v));
}

static void number_bad(const struct ts_gate_setting *s, double most, struct ts_span name, struct ts_span typed, struct ts_buf *why)
{
	bool ratio = ts_gate_setting_is_ratio(s) && most <= 10;

	ts_buf_printf(why, "%s.%s must be %s %s %g %s%g", TS_GATE_CODE, ts_show(name).text,
		      is_whole(s) ? "a whole number"
		      : ratio	  ? "a ratio"
				  : "a number",
		      s->above ? "above" : "from", s->least, s->above ? "and at most " : "to ", most);
	if (ratio)
		ts_buf_str(why, ", such as 0.05 or 5 %");
	if (s->word)
		ts_buf_printf(why, ", or %s", s->word);
	ts_buf_printf(why, "; it is '%s'", ts_show(typed).text);
}

bool ts_gate_ending_parse(struct ts_span text, enum ts_gate_ending *ret)
{
	for (int i = 0; i < 3; i++)
		if (ts_span_is(text, ts_gate_ending_words[i])) {
			*ret = (enum ts_gate_ending)i;
			return true;
		}
	return false;
}

/* Returns false for a text that would change when the policy is printed and read again. */
static bool text_good(struct ts_span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] < ' ' || text.data[i] == 0x7f || text.data[i] == '#')
			return false;
	return ts_utf8_valid(text) && ts_trim(text).len == text.len && text.len > 0;
}

bool ts_gate_better_parse(struct ts_span text, enum ts_better *ret)
{
	for (int i = 1; i < TS_BETTERS; i++)
		if (ts_span_is(text, ts_better_word((enum ts_better)i))) {
			*ret = (enum ts_better)i;
			return true;
		}
	if (!ts_span_is(text, "by-name"))
		return false;
	*ret = TS_BETTER_UNKNOWN;
	return true;
}

static bool text_check(const struct ts_gate_setting *s, double most, struct ts_span name, struct ts_span text, struct ts_buf *why)
{
	enum ts_gate_ending choice;
	enum ts_better better;

	if (is_numeric(s)) {
		if (s->word && ts_span_is(text, s->word))
			return true;
		number_bad(s, most, name, text, why);
		return false;
	}
	if (!text_good(text)) {
		ts_buf_printf(why, text.len ? "%s.%s must be a text of printable characters without '#'" : "%s.%s is empty",
			      TS_GATE_CODE, s->name);
		return false;
	}
	switch (s->kind) {
	case TS_SETTING_SWITCH:
		if (ts_span_is(text, "on") || ts_span_is(text, "off"))
			return true;
		break;
	case TS_SETTING_ENDING:
		if (ts_gate_ending_parse(text, &choice))
			return true;
		break;
	case TS_SETTING_BETTER:
		if (ts_gate_better_parse(text, &better))
			return true;
		break;
	case TS_SETTING_NAME:
		if (text.len <= NAME_MAX_LEN)
			return true;
		ts_buf_printf(why, "%s.%s is longer than %d bytes", TS_GATE_CODE, s->name, NAME_MAX_LEN);
		return false;
	case TS_SETTING_METRICS:
	case TS_SETTING_GATES:
	case TS_SETTING_PARTS:
	case TS_SETTING_GLOBS:
	case TS_SETTING_EXCLUDES:
		return list_check(s, text, why);
	case TS_SETTING_RATIO:
	case TS_SETTING_NUMBER:
	case TS_SETTING_COUNT:
	case TS_SETTING_SIZES:
	case TS_SETTING_FLOORS:
	case TS_SETTING_WARMUP:
		break;
	}
	ts_buf_printf(why, "%s.%s must be one of %s; it is '%s'", TS_GATE_CODE, s->name, s->unit, ts_show(text).text);
	return false;
}

bool ts_gate_setting_check(const struct ts_policy_item *item, struct ts_buf *why)
{
	char typed[TS_DOUBLE_TEXT];
	const struct ts_gate_setting *s;
	size_t metric;

	if (!ts_gate_setting_name(item->threshold, why))
		return false;
	s = ts_gate_setting_find(item->threshold, &metric);
	if (!is_numeric(s) || item->text.len)
		return text_check(s, most_of(s, metric), item->threshold, item->text, why);
	if (number_good(s, most_of(s, metric), item->value))
		return true;
	number_bad(s, most_of(s, metric), item->threshold, ts_span_of(typed, ts_print_double(item->value, typed)), why);
	return false;
}

/* Reads a number; "5 %" is 0.05. */
static bool number_read(const struct ts_gate_setting *s, struct ts_span text, double *ret)
{
	bool percent = ts_gate_setting_is_ratio(s) && text.len && text.data[text.len - 1] == '%';

	if (percent)
		text = ts_trim(ts_span_of(text.data, text.len - 1));
	if (!ts_parse_double(text, ret))
		return false;
	*ret = percent ? *ret / 100 : *ret;
	return true;
}

bool ts_gate_setting_read(struct ts_span text, struct ts_policy_item *item, struct ts_buf *why)
{
	const struct ts_gate_setting *s;
	size_t metric;

	if (!ts_gate_setting_name(item->threshold, why))
		return false;
	s = ts_gate_setting_find(item->threshold, &metric);
	item->off = false;
	item->value = 0;
	item->text = ts_span_of(NULL, 0);
	if (!is_numeric(s)) {
		item->text = text;
	} else if (!number_read(s, text, &item->value)) {
		item->text = text;
	} else if (!number_good(s, most_of(s, metric), item->value)) {
		number_bad(s, most_of(s, metric), item->threshold, text, why);
		return false;
	}
	if (item->text.len)
		return text_check(s, most_of(s, metric), item->threshold, item->text, why);
	if (is_numeric(s) && text.len)
		return true;
	ts_buf_printf(why, "%s.%s is empty", TS_GATE_CODE, ts_show(item->threshold).text);
	return false;
}
