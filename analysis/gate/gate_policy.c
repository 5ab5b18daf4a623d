/* gate_policy.c - applies settings to a policy, and prints a policy as text. gate_setting.c has the table of settings. */
#include "analysis/gate/gate_setting.h"

#include "base/digest.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"

#include <math.h>

enum { POLICY_TEXT = 64 << 10 };

#define SPAN(text)                                                                                                     \
	{                                                                                                              \
		(const uint8_t *)(text), sizeof(text) - 1                                                              \
	}

/* These facts only identify one of several runs of a recipe, or say where it writes. */
static const struct ts_span ignored[] = {
	SPAN("config.seed"),	 SPAN("config.*_seed"),		 SPAN("config.run_name"),    SPAN("config.run_id"),
	SPAN("config.exp_name"), SPAN("config.experiment_name"), SPAN("config.output*"),     SPAN("config.*_dir"),
	SPAN("config.wandb*"),	 SPAN("config.comment"),	 SPAN("config.description"),
};

void ts_gate_policy_default(struct ts_gate_policy *ret_policy)
{
	*ret_policy = (struct ts_gate_policy){
		.delta = 0.01,
		.alpha = 0.005,
		.suspect_alpha = 0.1,
		.must_catch = 0.1,
		.rerun = true,
		.pairs = 2,
		.pairs_most = 6,
		.baselines = 20,
		.collect = 10,
		.prior_sd = (double)NAN,
		.prior_df = 30,
		.prior_df_most = 30,
		.other_work = true,
		.ignore = {ignored, sizeof ignored / sizeof ignored[0]},
	};
	ret_policy->gates[TS_METRIC_STEP_TIME] = true;
	for (size_t m = 0; m < TS_METRICS_ALL; m++) {
		ret_policy->min_size[m] = ts_metrics[m].min_size;
		ret_policy->least[m] = (double)NAN;
		ret_policy->watch[m] = ts_metrics[m].watch > 0;
	}
}

/* --- metrics --- */

size_t ts_gate_policy_metrics(const struct ts_gate_policy *policy)
{
	return TS_METRICS + policy->n_logged;
}

const char *ts_gate_metric_name(const struct ts_gate_policy *policy, enum ts_metric metric)
{
	return metric < TS_METRICS ? ts_metrics[metric].name : policy->logged[metric - TS_METRICS];
}

const char *ts_gate_metric_title(const struct ts_gate_policy *policy, enum ts_metric metric)
{
	return metric < TS_METRICS ? ts_metrics[metric].title : policy->logged[metric - TS_METRICS];
}

enum ts_better ts_gate_metric_better(const struct ts_gate_policy *policy, enum ts_metric metric)
{
	if (!ts_metric_is_logged(metric))
		return ts_metrics[metric].less_is_better ? TS_BETTER_LOWER : TS_BETTER_HIGHER;
	if (policy->better[metric] != TS_BETTER_UNKNOWN)
		return policy->better[metric];
	return ts_better_of(ts_span_str(policy->logged[metric - TS_METRICS]));
}

const struct ts_reduced_series *ts_gate_series(const struct ts_gate_policy *policy, const struct ts_reduction *r, enum ts_metric metric)
{
	for (size_t i = 0; metric >= TS_METRICS && i < r->n_series; i++)
		if (ts_span_is(r->series[i].name, policy->logged[metric - TS_METRICS]))
			return &r->series[i];
	return NULL;
}

const struct ts_reduced *ts_gate_reduced(const struct ts_gate_policy *policy, const struct ts_reduction *r, enum ts_metric metric)
{
	static const char why[] = "its series was not reduced: the bundle or record was made for other metrics";
	static const struct ts_reduced not_reduced = {.reason = {(const uint8_t *)why, sizeof why - 1}};
	const struct ts_reduced_series *series = ts_gate_series(policy, r, metric);

	if (metric < TS_METRICS)
		return &r->metrics[metric];
	return series ? &series->value : &not_reduced;
}

/* The place of a series, or TS_METRICS_ALL. */
static enum ts_metric logged_find(const struct ts_gate_policy *policy, struct ts_span name)
{
	for (size_t i = 0; i < policy->n_logged; i++)
		if (ts_span_is(name, policy->logged[i]))
			return (enum ts_metric)(TS_METRICS + i);
	return TS_METRICS_ALL;
}

/* Moves what the policy sets of a series to another place. */
static void move_place(struct ts_gate_policy *policy, enum ts_metric from, enum ts_metric to)
{
	policy->better[to] = policy->better[from];
	policy->min_size[to] = policy->min_size[from];
	policy->least[to] = policy->least[from];
}

enum ts_metric ts_gate_policy_only(struct ts_gate_policy *io_policy, const char *name)
{
	enum ts_metric metric = TS_METRICS, found;
	bool logged = !ts_metric_find(ts_span_str(name), &metric);

	if (logged) {
		found = logged_find(io_policy, ts_span_str(name));
		if (found < TS_METRICS_ALL)
			move_place(io_policy, found, metric);
		io_policy->logged[0] = name;
	}
	io_policy->n_logged = logged;
	memset(io_policy->gates, 0, sizeof io_policy->gates);
	io_policy->gates[metric] = true;
	return metric;
}

/* --- onto a policy --- */

static void *member(struct ts_gate_policy *policy, const struct ts_gate_setting *s)
{
	return (char *)policy + s->at;
}

static const void *member_of(const struct ts_gate_policy *policy, const struct ts_gate_setting *s)
{
	return (const char *)policy + s->at;
}

static void set_metrics(struct ts_span text, bool *metrics)
{
	struct ts_span name;
	enum ts_metric metric;

	memset(metrics, 0, TS_METRICS_ALL * sizeof *metrics);
	while (ts_gate_list_next(&text, &name))
		if (ts_metric_find(name, &metric))
			metrics[metric] = true;
}

/* The metrics that decide may be logged series. Returns false if the arena is full. */
static bool set_gates(struct ts_span text, struct ts_arena *arena, struct ts_gate_policy *policy)
{
	struct ts_span name;
	enum ts_metric metric;

	set_metrics(text, policy->gates);
	policy->n_logged = 0;
	while (ts_gate_list_next(&text, &name)) {
		if (ts_metric_find(name, &metric) || logged_find(policy, name) < TS_METRICS_ALL || policy->n_logged == TS_LOGGED_MOST)
			continue;
		policy->logged[policy->n_logged] = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(name));
		if (!policy->logged[policy->n_logged])
			return false;
		policy->gates[TS_METRICS + policy->n_logged++] = true;
	}
	return true;
}

static void set_parts(struct ts_span text, bool *across)
{
	struct ts_span name;
	enum ts_workload_part part;

	memset(across, 0, TS_WORKLOAD_PARTS * sizeof *across);
	while (ts_gate_list_next(&text, &name))
		if (ts_workload_part_parse(name, &part))
			across[part] = true;
}

static bool set_globs(struct ts_span text, bool none, struct ts_arena *arena, struct ts_ignore *ret)
{
	struct ts_span *globs = ts_arena_array(arena, ts_gate_list_count(text), sizeof *globs);
	size_t n = 0;

	if (!globs)
		return false;
	while (!none && ts_gate_list_next(&text, &globs[n]))
		n++;
	*ret = (struct ts_ignore){globs, n};
	return true;
}

static bool set_excludes(struct ts_span text, bool none, struct ts_arena *arena, struct ts_reduce_options *options)
{
	struct ts_exclude *excludes = ts_arena_array(arena, ts_gate_list_count(text), sizeof *excludes);
	struct ts_span item;
	size_t n = 0;

	if (!excludes)
		return false;
	while (!none && ts_gate_list_next(&text, &item))
		n += ts_gate_exclude_parse(item, &excludes[n]);
	options->excludes = excludes;
	options->n_excludes = n;
	return true;
}

static void set_size(double *sizes, size_t metric, double value)
{
	for (size_t m = 0; m < TS_METRICS_ALL; m++)
		if (metric == TS_METRICS_ALL || metric == m)
			sizes[m] = value;
}

static void set_better(enum ts_better *all, size_t metric, struct ts_span word)
{
	for (size_t m = TS_METRICS; m < TS_METRICS_ALL; m++)
		if (metric == TS_METRICS_ALL || metric == m)
			(void)ts_gate_better_parse(word, &all[m]);
}

/* Applies an item that was checked before. Returns false if the arena is full. */
static bool item_set(const struct ts_gate_setting *s, size_t metric, const struct ts_policy_item *item,
		     struct ts_arena *arena, struct ts_gate_policy *policy)
{
	void *at = member(policy, s);
	bool word = s->word && ts_span_is(item->text, s->word);

	switch (s->kind) {
	case TS_SETTING_RATIO:
	case TS_SETTING_NUMBER:
		*(double *)at = word ? (double)NAN : item->value;
		break;
	case TS_SETTING_SIZES:
		set_size(at, metric, item->value);
		break;
	case TS_SETTING_FLOORS:
		((double *)at)[metric] = word ? (double)NAN : item->value;
		break;
	case TS_SETTING_COUNT:
		*(uint64_t *)at = (uint64_t)item->value;
		break;
	case TS_SETTING_SWITCH:
		*(bool *)at = ts_span_is(item->text, "on");
		break;
	case TS_SETTING_NAME:
		*(struct ts_span *)at = word ? ts_span_of(NULL, 0) : item->text;
		break;
	case TS_SETTING_METRICS:
		set_metrics(item->text, at);
		break;
	case TS_SETTING_GATES:
		return set_gates(item->text, arena, policy);
	case TS_SETTING_BETTER:
		set_better(at, metric, item->text);
		break;
	case TS_SETTING_PARTS:
		set_parts(item->text, at);
		break;
	case TS_SETTING_GLOBS:
		return set_globs(item->text, word, arena, at);
	case TS_SETTING_EXCLUDES:
		return set_excludes(item->text, word, arena, at);
	case TS_SETTING_WARMUP:
		policy->reduce.has_warmup = !word;
		policy->reduce.warmup = word ? 0 : (uint64_t)item->value;
		break;
	case TS_SETTING_ENDING:
		(void)ts_gate_ending_parse(item->text, at);
		break;
	}
	return true;
}

/* Asks whether one of the items, even one that a later one overrides, names this series in GATE.metrics. */
static bool is_named(const struct ts_policy *items, struct ts_span series)
{
	for (size_t i = 0; i < items->n; i++) {
		const struct ts_policy_item *item = &items->items[i];
		struct ts_span rest = item->text, name;

		if (!ts_span_is(item->code, TS_GATE_CODE) || !ts_span_is(item->threshold, "metrics"))
			continue;
		while (ts_gate_list_next(&rest, &name))
			if (ts_span_eq(name, series))
				return true;
	}
	return false;
}

/* A setting of a series that no GATE.metrics names is a typing error. */
static enum ts_status not_named(const struct ts_gate_policy *policy, const struct ts_policy_item *item, struct ts_span series,
				struct ts_error *err)
{
	struct ts_shown typed = ts_show(series);
	size_t bound = ts_suggest_bound(typed.text);
	const char *near = NULL;

	for (size_t m = 0; m < ts_gate_policy_metrics(policy); m++)
		near = ts_suggest(typed.text, ts_gate_metric_name(policy, (enum ts_metric)m), near, &bound);
	return ts_error_set(err, TS_INVALID, "policy: %s.%s is about a metric that GATE.metrics does not name%s%s%s", TS_GATE_CODE,
			    ts_show(item->threshold).text, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* Finds the place of the metric of a setting. *ret_metric: TS_METRICS_ALL: none, the setting belongs to no single metric. False: it is
 * of a series that does not decide here. */
static bool place_of(const struct ts_gate_policy *policy, const struct ts_policy_item *item, size_t *io_metric)
{
	if (*io_metric == TS_METRICS)
		*io_metric = logged_find(policy, ts_gate_setting_series(item->threshold));
	else
		return true;
	return *io_metric != TS_METRICS_ALL;
}

/* What is set of one metric overrides what is set of all metrics, wherever the two stand in the file. */
static enum ts_status apply(const struct ts_policy *items, bool of_metrics, struct ts_arena *arena,
			    struct ts_gate_policy *policy, struct ts_error *err)
{
	for (size_t i = 0; i < items->n; i++) {
		const struct ts_policy_item *item = &items->items[i];
		const struct ts_gate_setting *s;
		size_t metric;

		if (!ts_span_is(item->code, TS_GATE_CODE))
			continue;
		s = ts_gate_setting_find(item->threshold, &metric);
		if (!s || (metric != TS_METRICS_ALL) != of_metrics)
			continue;
		if (metric == TS_METRICS && !is_named(items, ts_gate_setting_series(item->threshold)))
			return not_named(policy, item, ts_gate_setting_series(item->threshold), err);
		if (place_of(policy, item, &metric) && !item_set(s, metric, item, arena, policy))
			return ts_arena_error(arena, err);
	}
	return TS_OK;
}

static enum ts_status check_whole(const struct ts_gate_policy *p, struct ts_error *err)
{
	if (p->pairs_most < p->pairs)
		return ts_error_set(err, TS_INVALID,
				    "policy: GATE.pairs_most is %" PRIu64 ", which is less than GATE.pairs, %" PRIu64,
				    p->pairs_most, p->pairs);
	for (size_t m = TS_METRICS; m < ts_gate_policy_metrics(p); m++)
		if (!isnan(p->least[m]) && ts_gate_metric_better(p, (enum ts_metric)m) != TS_BETTER_HIGHER)
			return ts_error_set(err, TS_INVALID,
					    "policy: GATE.%s.least is the floor of a series of which more is better, and %s; state "
					    "GATE.%s.better = higher if it is",
					    p->logged[m - TS_METRICS],
					    ts_gate_metric_better(p, (enum ts_metric)m) == TS_BETTER_LOWER
						    ? "of this one less is better"
						    : "its name does not tell which is better",
					    p->logged[m - TS_METRICS]);
	return TS_OK;
}

enum ts_status ts_gate_policy_apply(const struct ts_policy *items, struct ts_arena *arena,
				    struct ts_gate_policy *io_policy, struct ts_error *err)
{
	struct ts_gate_policy out = *io_policy;

	if (apply(items, false, arena, &out, err) || apply(items, true, arena, &out, err) || check_whole(&out, err))
		return err->status;
	*io_policy = out;
	return TS_OK;
}

/* --- as text --- */

static void put_number(struct ts_buf *out, double value)
{
	char text[TS_DOUBLE_TEXT];

	ts_buf_bytes(out, text, ts_print_double(value, text));
}

static void put_item(struct ts_buf *out, size_t *n, struct ts_span item)
{
	ts_buf_str(out, (*n)++ ? ", " : "");
	ts_buf_span(out, item);
}

static void put_excludes(struct ts_buf *out, const struct ts_reduce_options *options)
{
	static const char *const words[] = {
		[TS_EXCLUDE_TAG] = "tag:", [TS_EXCLUDE_PHASE] = "phase:", [TS_EXCLUDE_EVERY] = "every:"};

	for (size_t i = 0; i < options->n_excludes; i++) {
		const struct ts_exclude *e = &options->excludes[i];

		ts_buf_printf(out, "%s%s", i ? ", " : "", words[e->kind]);
		if (e->kind == TS_EXCLUDE_EVERY)
			ts_buf_printf(out, "%" PRIu64, e->every);
		else
			ts_buf_span(out, e->name);
	}
}

static void put_list(struct ts_buf *out, const struct ts_gate_setting *s, const struct ts_gate_policy *p)
{
	size_t before = out->len, n = 0;

	for (size_t m = 0; (s->kind == TS_SETTING_METRICS || s->kind == TS_SETTING_GATES) && m < ts_gate_policy_metrics(p); m++)
		if (((const bool *)member_of(p, s))[m])
			put_item(out, &n, ts_span_str(ts_gate_metric_name(p, (enum ts_metric)m)));
	for (int i = 0; s->kind == TS_SETTING_PARTS && i < TS_WORKLOAD_PARTS; i++)
		if (p->across[i])
			put_item(out, &n, ts_span_str(ts_workload_part_word((enum ts_workload_part)i)));
	for (size_t i = 0; s->kind == TS_SETTING_GLOBS && i < p->ignore.n; i++)
		put_item(out, &n, p->ignore.globs[i]);
	if (s->kind == TS_SETTING_EXCLUDES)
		put_excludes(out, &p->reduce);
	if (out->len == before && s->word)
		ts_buf_str(out, s->word);
}

/* Prints the value of any setting except those that have a value for each metric. */
static void put_value(struct ts_buf *out, const struct ts_gate_setting *s, const struct ts_gate_policy *p)
{
	const void *at = member_of(p, s);
	double value;

	switch (s->kind) {
	case TS_SETTING_RATIO:
	case TS_SETTING_NUMBER:
		value = *(const double *)at;
		if (isnan(value) && s->word)
			ts_buf_str(out, s->word);
		else
			put_number(out, value);
		break;
	case TS_SETTING_COUNT:
		ts_buf_printf(out, "%" PRIu64, *(const uint64_t *)at);
		break;
	case TS_SETTING_SWITCH:
		ts_buf_str(out, *(const bool *)at ? "on" : "off");
		break;
	case TS_SETTING_NAME:
		ts_buf_span(out, p->workload.len ? p->workload : ts_span_str(s->word));
		break;
	case TS_SETTING_WARMUP:
		if (p->reduce.has_warmup)
			ts_buf_printf(out, "%" PRIu64, p->reduce.warmup);
		else
			ts_buf_str(out, s->word);
		break;
	case TS_SETTING_ENDING:
		ts_buf_str(out, ts_gate_ending_words[*(const enum ts_gate_ending *)at]);
		break;
	case TS_SETTING_METRICS:
	case TS_SETTING_GATES:
	case TS_SETTING_PARTS:
	case TS_SETTING_GLOBS:
	case TS_SETTING_EXCLUDES:
		put_list(out, s, p);
		break;
	case TS_SETTING_FLOORS:
	case TS_SETTING_BETTER:
		ts_buf_str(out, s->word);
		break;
	case TS_SETTING_SIZES:
		break;
	}
}

/* A metric without a floor has no line. */
static void put_sizes(struct ts_buf *out, const struct ts_gate_setting *s, const struct ts_gate_policy *p)
{
	const double *sizes = member_of(p, s);

	for (size_t m = 0; m < ts_gate_policy_metrics(p); m++) {
		if (isnan(sizes[m]))
			continue;
		ts_buf_printf(out, "%s.%s.%s = ", TS_GATE_CODE, ts_gate_metric_name(p, (enum ts_metric)m), s->name);
		put_number(out, sizes[m]);
		ts_buf_char(out, '\n');
	}
}

/* A series whose name tells its direction has no line, unless the policy says it too. */
static void put_better(struct ts_buf *out, const struct ts_gate_setting *s, const struct ts_gate_policy *p)
{
	for (size_t m = TS_METRICS; m < ts_gate_policy_metrics(p); m++)
		if (p->better[m] != TS_BETTER_UNKNOWN)
			ts_buf_printf(out, "%s.%s.%s = %s\n", TS_GATE_CODE, ts_gate_metric_name(p, (enum ts_metric)m), s->name,
				      ts_better_word(p->better[m]));
}

void ts_gate_policy_print(const struct ts_gate_policy *policy, struct ts_buf *out)
{
	for (const struct ts_gate_setting *s = ts_gate_settings; s->name; s++) {
		if (s->kind == TS_SETTING_SIZES || s->kind == TS_SETTING_FLOORS) {
			put_sizes(out, s, policy);
			continue;
		}
		if (s->kind == TS_SETTING_BETTER) {
			put_better(out, s, policy);
			continue;
		}
		ts_buf_printf(out, "%s.%s = ", TS_GATE_CODE, s->name);
		put_value(out, s, policy);
		ts_buf_char(out, '\n');
	}
}

enum ts_status ts_gate_policy_digest(const struct ts_gate_policy *policy, struct ts_id *ret_digest,
				     struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(POLICY_TEXT);
	enum ts_status status;

	ts_gate_policy_print(policy, &text);
	status = ts_buf_check(&text, err);
	if (!status)
		ts_digest(ts_buf_view(&text), ret_digest);
	ts_buf_finish(&text);
	return status;
}

static void put_percent(struct ts_buf *out, double ratio)
{
	ts_buf_printf(out, "%g %%", ratio * 100);
}

void ts_gate_policy_markdown(struct ts_buf *out)
{
	struct ts_gate_policy p;

	ts_gate_policy_default(&p);
	ts_buf_str(out, "| setting | default | takes | what |\n|---|---|---|---|\n");
	for (const struct ts_gate_setting *s = ts_gate_settings; s->name; s++) {
		double ratio = s->kind == TS_SETTING_RATIO ? *(const double *)member_of(&p, s)
							   : p.min_size[TS_METRIC_STEP_TIME];

		ts_buf_printf(out, "| `%s.%s%s` | ", TS_GATE_CODE, s->kind == TS_SETTING_FLOORS ? "METRIC." : "", s->name);
		if (ts_gate_setting_is_ratio(s) && s->kind != TS_SETTING_FLOORS && !isnan(ratio))
			put_percent(out, ratio);
		else
			put_value(out, s, &p);
		ts_buf_str(out, s->kind == TS_SETTING_SIZES ? " of times | " : " | ");
		ts_buf_printf(out, "%s%s%s | %s |\n", s->unit, s->word ? ", or " : "", s->word ? s->word : "", s->what);
	}
}
