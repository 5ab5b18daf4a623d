/* gate_policy.c - the table of what a team may set about its gate, and how text becomes a setting and a setting text. */
#include "analysis/gate.h"

#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"

#include <math.h>
#include <stddef.h>

enum {
	NAMES_MAX = 64, /* of one list */
	NAME_MAX_LEN = 256,
	TEXT_MAX = 4096, /* of one setting: what a request carries */
	POLICY_TEXT = 64 << 10,
	COUNT_MAX = 1000000000,
};

enum kind {
	RATIO,	  /* double; 5 % or 0.05 */
	NUMBER,	  /* double */
	COUNT,	  /* uint64_t */
	SWITCH,	  /* bool; on, off */
	NAME,	  /* struct ts_span */
	METRICS,  /* bool[TS_METRICS] */
	SIZES,	  /* double[TS_METRICS]: min_size for all, METRIC.min_size for one */
	PARTS,	  /* bool[TS_WORKLOAD_PARTS] */
	GLOBS,	  /* struct ts_ignore */
	EXCLUDES, /* struct ts_reduce_options */
	WARMUP,	  /* the same */
	INCONCLUSIVE,
};

struct setting {
	const char *name;
	enum kind kind;
	size_t at; /* in struct ts_gate_policy */
	double least, most;
	bool above;	  /* least itself is too little */
	const char *word; /* what may stand in the place of a number: NaN in the struct; of a list: empty */
	const char *unit;
	const char *what; /* one sentence, no full stop */
};

#define AT(member) offsetof(struct ts_gate_policy, member)
#define SPAN(text)                                                                                                     \
	{                                                                                                              \
		(const uint8_t *)(text), sizeof(text) - 1                                                              \
	}

static const struct setting settings[] = {
	{"metrics", METRICS, AT(gates), 0, 0, false, NULL, "metrics",
	 "what decides; the others are shown. With several, alpha is shared among them"},
	{"min_size", SIZES, AT(min_size), 0, 1, false, NULL, "ratio",
	 "a change below this does not matter, whatever the test says; METRIC.min_size sets that of one metric"},
	{"delta", RATIO, AT(delta), 0, 0.5, false, NULL, "ratio", "a change up to this is none"},
	{"alpha", RATIO, AT(alpha), 0, 0.2, true, NULL, "ratio",
	 "how often a change of delta may fail the gate by chance, over all metrics that decide"},
	{"suspect_alpha", RATIO, AT(suspect_alpha), 0, 0.2, true, NULL, "ratio",
	 "how often a change of delta may be suspected by chance at the first look, which asks for pairs"},
	{"must_catch", RATIO, AT(must_catch), 0, 10, true, "off", "ratio",
	 "a pass that could have missed a change of this size is a warning"},
	{"rerun", SWITCH, AT(rerun), 0, 0, false, NULL, "on, off",
	 "a suspect asks for pairs of base and candidate on one allocation; off: one look decides, at alpha"},
	{"pairs", COUNT, AT(pairs), 2, 256, false, NULL, "pairs", "asked for at first"},
	{"pairs_most", COUNT, AT(pairs_most), 2, 256, false, NULL, "pairs",
	 "asked for in all, where the first do not decide"},
	{"baselines", COUNT, AT(baselines), TS_GATE_LEAST, 400, false, NULL, "runs",
	 "of a branch that count, the newest"},
	{"collect", COUNT, AT(collect), TS_GATE_LEAST, 400, false, NULL, "runs",
	 "wanted, as 'collecting 2 of 10' says"},
	{"prior_sd", RATIO, AT(prior_sd), 0, 1, true, "history", "ratio",
	 "standard deviation between runs, believed beforehand; history: from earlier runs of the project"},
	{"prior_df", NUMBER, AT(prior_df), 0, 1000, false, NULL, "degrees of freedom",
	 "how much a prior_sd that is set weighs"},
	{"prior_df_most", NUMBER, AT(prior_df_most), 0, 1000, false, NULL, "degrees of freedom",
	 "how much history weighs at most"},
	{"across", PARTS, AT(across), 0, 0, false, "none", "config, hardware, parallelism, libraries",
	 "what may differ between runs that are compared"},
	{"workload", NAME, AT(workload), 0, 0, false, "by-key", "name",
	 "compare with runs that declare this work.workload; by-key: with runs of the same key"},
	{"ignore", GLOBS, AT(ignore), 0, 0, false, "none", "globs of fact paths",
	 "facts that are no part of a workload's key"},
	{"exclude", EXCLUDES, AT(reduce), 0, 0, false, "none", "tag:NAME, phase:NAME, every:N",
	 "steps left out: by tag; where that phase took time, with the step after; those that N divides"},
	{"warmup", WARMUP, AT(reduce), 0, COUNT_MAX, false, "auto", "records",
	 "left out at the start of each segment; auto: what the times show to be warm-up"},
	{"inconclusive", INCONCLUSIVE, AT(on_inconclusive), 0, 0, false, NULL, "exit-3, fail, pass",
	 "what becomes of what cannot be compared: exit 3, exit 1, or exit 0 with a warning"},
};

enum { SETTINGS = sizeof settings / sizeof settings[0] };

static const char *const inconclusive_words[] = {
	[TS_INCONCLUSIVE_EXIT_3] = "exit-3", [TS_INCONCLUSIVE_FAIL] = "fail", [TS_INCONCLUSIVE_PASS] = "pass"};

/* Which of several runs of one recipe this is, and where it writes. */
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
		.must_catch = (double)NAN,
		.rerun = true,
		.pairs = 2,
		.pairs_most = 6,
		.baselines = 20,
		.collect = 10,
		.prior_sd = (double)NAN,
		.prior_df = 30,
		.prior_df_most = 30,
		.ignore = {ignored, sizeof ignored / sizeof ignored[0]},
	};
	ret_policy->gates[TS_METRIC_STEP_TIME] = true;
	for (size_t m = 0; m < TS_METRICS; m++)
		ret_policy->min_size[m] = ts_metrics[m].min_size;
}

/* --- names --- */

static const struct setting *setting_find(struct ts_span name)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (ts_span_is(name, settings[i].name))
			return &settings[i];
	return NULL;
}

/* "peak_memory.min_size": *ret_metric is TS_METRICS for a setting that is of no metric. */
static const struct setting *name_find(struct ts_span name, size_t *ret_metric)
{
	const uint8_t *dot = name.len ? memchr(name.data, '.', name.len) : NULL;
	const struct setting *setting;
	enum ts_metric metric;

	*ret_metric = TS_METRICS;
	if (!dot)
		return setting_find(name);
	if (!ts_metric_find(ts_span_of(name.data, (size_t)(dot - name.data)), &metric))
		return NULL;
	setting = setting_find(ts_span_of(dot + 1, name.len - (size_t)(dot + 1 - name.data)));
	*ret_metric = metric;
	return setting && setting->kind == SIZES ? setting : NULL;
}

static const char *name_near(const char *typed)
{
	size_t bound = ts_suggest_bound(typed);
	const char *near = NULL;

	for (size_t i = 0; i < SETTINGS; i++)
		near = ts_suggest(typed, settings[i].name, near, &bound);
	return near;
}

bool ts_gate_setting_name(struct ts_span name, struct ts_buf *why)
{
	struct ts_shown typed = ts_show(name);
	const char *near = name_near(typed.text);
	size_t metric;

	if (name_find(name, &metric))
		return true;
	ts_buf_printf(why, "%s has no setting %s; ", TS_GATE_CODE, typed.text);
	if (near) {
		ts_buf_printf(why, "did you mean %s?", near);
		return false;
	}
	ts_buf_str(why, "it has ");
	for (size_t i = 0; i < SETTINGS; i++)
		ts_buf_printf(why, "%s%s", i ? ", " : "", settings[i].name);
	ts_buf_str(why, ", and METRIC.min_size");
	return false;
}

/* --- lists --- */

/* The next of "a, b, c"; false behind the last. */
static bool list_next(struct ts_span *rest, struct ts_span *ret)
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

static size_t list_count(struct ts_span text)
{
	struct ts_span item;
	size_t n = 0;

	while (list_next(&text, &item))
		n++;
	return n;
}

static bool part_check(struct ts_span name, struct ts_buf *why)
{
	enum ts_workload_part part;

	if (ts_workload_part_parse(name, &part))
		return true;
	ts_buf_printf(why, "'%s' is no part of a workload; those are", ts_show(name).text);
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
	ts_buf_str(why, "there are");
	for (size_t m = 0; m < TS_METRICS; m++)
		ts_buf_printf(why, "%s %s", m ? "," : "", ts_metrics[m].name);
	return false;
}

static bool cut_prefix(struct ts_span *s, const char *prefix)
{
	struct ts_span p = ts_span_str(prefix);

	if (!ts_span_starts(*s, p))
		return false;
	*s = ts_span_of(s->data + p.len, s->len - p.len);
	return true;
}

static bool exclude_parse(struct ts_span text, struct ts_exclude *ret)
{
	*ret = (struct ts_exclude){.kind = TS_EXCLUDE_TAG};
	if (cut_prefix(&text, "every:")) {
		ret->kind = TS_EXCLUDE_EVERY;
		return ts_parse_u64(text, &ret->every) && ret->every >= 2 && ret->every <= COUNT_MAX;
	}
	if (cut_prefix(&text, "phase:"))
		ret->kind = TS_EXCLUDE_PHASE;
	else if (!cut_prefix(&text, "tag:"))
		return false;
	ret->name = text;
	return text.len > 0;
}

static bool exclude_check(struct ts_span text, struct ts_buf *why)
{
	struct ts_exclude exclude;

	if (exclude_parse(text, &exclude))
		return true;
	ts_buf_printf(why, "'%s' excludes nothing: tag:NAME, phase:NAME or every:N with N from 2 to %d",
		      ts_show(text).text, COUNT_MAX);
	return false;
}

static bool list_check(const struct setting *s, struct ts_span text, struct ts_buf *why)
{
	struct ts_span item, rest = text;
	size_t n = list_count(text), len = 2 * n;

	if (s->word && ts_span_is(text, s->word))
		return true;
	if (n > NAMES_MAX) {
		ts_buf_printf(why, "%s.%s names %zu, at most %d are taken", TS_GATE_CODE, s->name, n, NAMES_MAX);
		return false;
	}
	while (list_next(&rest, &item)) {
		len += item.len;
		if (item.len == 0 || item.len > NAME_MAX_LEN) {
			ts_buf_printf(why,
				      item.len ? "a name in %s.%s has more than %d bytes" : "%s.%s has an empty name",
				      TS_GATE_CODE, s->name, NAME_MAX_LEN);
			return false;
		}
		if ((s->kind == METRICS && !metric_check(item, why)) || (s->kind == PARTS && !part_check(item, why)) ||
		    (s->kind == EXCLUDES && !exclude_check(item, why)))
			return false;
	}
	if (len > TEXT_MAX)
		ts_buf_printf(why, "%s.%s has more than %d bytes", TS_GATE_CODE, s->name, TEXT_MAX);
	return len <= TEXT_MAX;
}

/* --- what a setting may be --- */

static bool is_numeric(const struct setting *s)
{
	return s->kind == RATIO || s->kind == SIZES || s->kind == NUMBER || s->kind == COUNT || s->kind == WARMUP;
}

static bool is_ratio(const struct setting *s)
{
	return s->kind == RATIO || s->kind == SIZES;
}

static bool is_whole(const struct setting *s)
{
	return s->kind == COUNT || s->kind == WARMUP;
}

static bool number_good(const struct setting *s, double v)
{
	return isfinite(v) && v >= s->least && v <= s->most && !(s->above && v == s->least) &&
	       !(is_whole(s) && v != floor(v));
}

static void number_bad(const struct setting *s, struct ts_span name, struct ts_span typed, struct ts_buf *why)
{
	ts_buf_printf(why, "%s.%s is %s %s %g %s%g", TS_GATE_CODE, ts_show(name).text,
		      is_whole(s)   ? "a whole number"
		      : is_ratio(s) ? "a ratio"
				    : "a number",
		      s->above ? "above" : "from", s->least, s->above ? "and at most " : "to ", s->most);
	if (is_ratio(s))
		ts_buf_str(why, ", as 0.05 or 5 %");
	if (s->word)
		ts_buf_printf(why, ", or %s", s->word);
	ts_buf_printf(why, ", not '%s'", ts_show(typed).text);
}

static bool choice_parse(struct ts_span text, enum ts_on_inconclusive *ret)
{
	for (int i = 0; i < 3; i++)
		if (ts_span_is(text, inconclusive_words[i])) {
			*ret = (enum ts_on_inconclusive)i;
			return true;
		}
	return false;
}

/* What would not come back when a policy is printed and read. */
static bool text_good(struct ts_span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] < ' ' || text.data[i] == 0x7f || text.data[i] == '#')
			return false;
	return ts_utf8_valid(text) && ts_trim(text).len == text.len && text.len > 0;
}

static bool text_check(const struct setting *s, struct ts_span name, struct ts_span text, struct ts_buf *why)
{
	enum ts_on_inconclusive choice;

	if (is_numeric(s)) {
		if (s->word && ts_span_is(text, s->word))
			return true;
		number_bad(s, name, text, why);
		return false;
	}
	if (!text_good(text)) {
		ts_buf_printf(why, text.len ? "%s.%s is no text of printable characters without '#'" : "%s.%s is empty",
			      TS_GATE_CODE, s->name);
		return false;
	}
	switch (s->kind) {
	case SWITCH:
		if (ts_span_is(text, "on") || ts_span_is(text, "off"))
			return true;
		break;
	case INCONCLUSIVE:
		if (choice_parse(text, &choice))
			return true;
		break;
	case NAME:
		if (text.len <= NAME_MAX_LEN)
			return true;
		ts_buf_printf(why, "%s.%s has more than %d bytes", TS_GATE_CODE, s->name, NAME_MAX_LEN);
		return false;
	case METRICS:
	case PARTS:
	case GLOBS:
	case EXCLUDES:
		return list_check(s, text, why);
	case RATIO:
	case NUMBER:
	case COUNT:
	case SIZES:
	case WARMUP:
		break;
	}
	ts_buf_printf(why, "%s.%s is one of %s, not '%s'", TS_GATE_CODE, s->name, s->unit, ts_show(text).text);
	return false;
}

bool ts_gate_setting_check(const struct ts_policy_item *item, struct ts_buf *why)
{
	char typed[TS_DOUBLE_TEXT];
	const struct setting *s;
	size_t metric;

	if (!ts_gate_setting_name(item->threshold, why))
		return false;
	s = name_find(item->threshold, &metric);
	if (!is_numeric(s) || item->text.len)
		return text_check(s, item->threshold, item->text, why);
	if (number_good(s, item->value))
		return true;
	number_bad(s, item->threshold, ts_span_of(typed, ts_print_double(item->value, typed)), why);
	return false;
}

/* "5 %" is 0.05. */
static bool number_read(const struct setting *s, struct ts_span text, double *ret)
{
	bool percent = is_ratio(s) && text.len && text.data[text.len - 1] == '%';

	if (percent)
		text = ts_trim(ts_span_of(text.data, text.len - 1));
	if (!ts_parse_double(text, ret))
		return false;
	*ret = percent ? *ret / 100 : *ret;
	return true;
}

bool ts_gate_setting_read(struct ts_span text, struct ts_policy_item *item, struct ts_buf *why)
{
	const struct setting *s;
	size_t metric;

	if (!ts_gate_setting_name(item->threshold, why))
		return false;
	s = name_find(item->threshold, &metric);
	item->off = false;
	item->value = 0;
	item->text = ts_span_of(NULL, 0);
	if (!is_numeric(s)) {
		item->text = text;
	} else if (!number_read(s, text, &item->value)) {
		item->text = text;
	} else if (!number_good(s, item->value)) {
		number_bad(s, item->threshold, text, why);
		return false;
	}
	if (item->text.len)
		return text_check(s, item->threshold, item->text, why);
	if (is_numeric(s) && text.len)
		return true;
	ts_buf_printf(why, "%s.%s is empty", TS_GATE_CODE, ts_show(item->threshold).text);
	return false;
}

/* --- onto a policy --- */

static void *member(struct ts_gate_policy *policy, const struct setting *s)
{
	return (char *)policy + s->at;
}

static const void *member_of(const struct ts_gate_policy *policy, const struct setting *s)
{
	return (const char *)policy + s->at;
}

static void set_metrics(struct ts_span text, bool *gates)
{
	struct ts_span name;
	enum ts_metric metric;

	memset(gates, 0, TS_METRICS * sizeof *gates);
	while (list_next(&text, &name))
		if (ts_metric_find(name, &metric))
			gates[metric] = true;
}

static void set_parts(struct ts_span text, bool *across)
{
	struct ts_span name;
	enum ts_workload_part part;

	memset(across, 0, TS_WORKLOAD_PARTS * sizeof *across);
	while (list_next(&text, &name))
		if (ts_workload_part_parse(name, &part))
			across[part] = true;
}

static bool set_globs(struct ts_span text, bool none, struct ts_arena *arena, struct ts_ignore *ret)
{
	struct ts_span *globs = ts_arena_array(arena, list_count(text), sizeof *globs);
	size_t n = 0;

	if (!globs)
		return false;
	while (!none && list_next(&text, &globs[n]))
		n++;
	*ret = (struct ts_ignore){globs, n};
	return true;
}

static bool set_excludes(struct ts_span text, bool none, struct ts_arena *arena, struct ts_reduce_options *options)
{
	struct ts_exclude *excludes = ts_arena_array(arena, list_count(text), sizeof *excludes);
	struct ts_span item;
	size_t n = 0;

	if (!excludes)
		return false;
	while (!none && list_next(&text, &item))
		n += exclude_parse(item, &excludes[n]);
	options->excludes = excludes;
	options->n_excludes = n;
	return true;
}

static void set_size(double *sizes, size_t metric, double value)
{
	for (size_t m = 0; m < TS_METRICS; m++)
		if (metric == TS_METRICS || metric == m)
			sizes[m] = value;
}

/* The item is a good one. False: the arena is full. */
static bool item_set(const struct setting *s, size_t metric, const struct ts_policy_item *item, struct ts_arena *arena,
		     struct ts_gate_policy *policy)
{
	void *at = member(policy, s);
	bool word = s->word && ts_span_is(item->text, s->word);

	switch (s->kind) {
	case RATIO:
	case NUMBER:
		*(double *)at = word ? (double)NAN : item->value;
		break;
	case SIZES:
		set_size(at, metric, item->value);
		break;
	case COUNT:
		*(uint64_t *)at = (uint64_t)item->value;
		break;
	case SWITCH:
		*(bool *)at = ts_span_is(item->text, "on");
		break;
	case NAME:
		*(struct ts_span *)at = word ? ts_span_of(NULL, 0) : item->text;
		break;
	case METRICS:
		set_metrics(item->text, at);
		break;
	case PARTS:
		set_parts(item->text, at);
		break;
	case GLOBS:
		return set_globs(item->text, word, arena, at);
	case EXCLUDES:
		return set_excludes(item->text, word, arena, at);
	case WARMUP:
		policy->reduce.has_warmup = !word;
		policy->reduce.warmup = word ? 0 : (uint64_t)item->value;
		break;
	case INCONCLUSIVE:
		(void)choice_parse(item->text, at);
		break;
	}
	return true;
}

/* A size of one metric counts over that of all, wherever it stands. */
static enum ts_status apply(const struct ts_policy *items, bool of_metrics, struct ts_arena *arena,
			    struct ts_gate_policy *policy, struct ts_error *err)
{
	for (size_t i = 0; i < items->n; i++) {
		const struct setting *s;
		size_t metric;

		if (!ts_span_is(items->items[i].code, TS_GATE_CODE))
			continue;
		s = name_find(items->items[i].threshold, &metric);
		if (s && (metric != TS_METRICS) == of_metrics && !item_set(s, metric, &items->items[i], arena, policy))
			return ts_arena_error(arena, err);
	}
	return TS_OK;
}

static enum ts_status check_whole(const struct ts_gate_policy *p, struct ts_error *err)
{
	if (p->pairs_most < p->pairs)
		return ts_error_set(err, TS_INVALID, "policy: GATE.pairs_most is %llu, below GATE.pairs, %llu",
				    (unsigned long long)p->pairs_most, (unsigned long long)p->pairs);
	return TS_OK;
}

enum ts_status ts_gate_policy_apply(const struct ts_policy *items, struct ts_arena *arena,
				    struct ts_gate_policy *policy, struct ts_error *err)
{
	struct ts_gate_policy out = *policy;

	if (ts_policy_check(items, err) || apply(items, false, arena, &out, err) ||
	    apply(items, true, arena, &out, err) || check_whole(&out, err))
		return err->status;
	*policy = out;
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
			ts_buf_printf(out, "%llu", (unsigned long long)e->every);
		else
			ts_buf_span(out, e->name);
	}
}

static void put_list(struct ts_buf *out, const struct setting *s, const struct ts_gate_policy *p)
{
	size_t before = out->len, n = 0;

	for (size_t m = 0; s->kind == METRICS && m < TS_METRICS; m++)
		if (p->gates[m])
			put_item(out, &n, ts_span_str(ts_metrics[m].name));
	for (int i = 0; s->kind == PARTS && i < TS_WORKLOAD_PARTS; i++)
		if (p->across[i])
			put_item(out, &n, ts_span_str(ts_workload_part_word((enum ts_workload_part)i)));
	for (size_t i = 0; s->kind == GLOBS && i < p->ignore.n; i++)
		put_item(out, &n, p->ignore.globs[i]);
	if (s->kind == EXCLUDES)
		put_excludes(out, &p->reduce);
	if (out->len == before && s->word)
		ts_buf_str(out, s->word);
}

/* Of every setting but the sizes, which are one for each metric. */
static void put_value(struct ts_buf *out, const struct setting *s, const struct ts_gate_policy *p)
{
	const void *at = member_of(p, s);
	double value;

	switch (s->kind) {
	case RATIO:
	case NUMBER:
		value = *(const double *)at;
		if (isnan(value) && s->word)
			ts_buf_str(out, s->word);
		else
			put_number(out, value);
		break;
	case COUNT:
		ts_buf_printf(out, "%llu", (unsigned long long)*(const uint64_t *)at);
		break;
	case SWITCH:
		ts_buf_str(out, *(const bool *)at ? "on" : "off");
		break;
	case NAME:
		ts_buf_span(out, p->workload.len ? p->workload : ts_span_str(s->word));
		break;
	case WARMUP:
		if (p->reduce.has_warmup)
			ts_buf_printf(out, "%llu", (unsigned long long)p->reduce.warmup);
		else
			ts_buf_str(out, s->word);
		break;
	case INCONCLUSIVE:
		ts_buf_str(out, inconclusive_words[p->on_inconclusive]);
		break;
	case METRICS:
	case PARTS:
	case GLOBS:
	case EXCLUDES:
		put_list(out, s, p);
		break;
	case SIZES:
		break;
	}
}

void ts_gate_policy_print(const struct ts_gate_policy *policy, struct ts_buf *out)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *s = &settings[i];

		for (size_t m = 0; s->kind == SIZES && m < TS_METRICS; m++) {
			ts_buf_printf(out, "%s.%s.%s = ", TS_GATE_CODE, ts_metrics[m].name, s->name);
			put_number(out, policy->min_size[m]);
			ts_buf_char(out, '\n');
		}
		if (s->kind == SIZES)
			continue;
		ts_buf_printf(out, "%s.%s = ", TS_GATE_CODE, s->name);
		put_value(out, s, policy);
		ts_buf_char(out, '\n');
	}
}

enum ts_status ts_gate_policy_parse(struct ts_span text, const char *name, struct ts_arena *arena,
				    struct ts_gate_policy *ret_policy, struct ts_error *err)
{
	struct ts_gate_policy policy;
	struct ts_policy items;

	ts_gate_policy_default(&policy);
	if (ts_policy_parse(text, name, arena, &items, err) || ts_gate_policy_apply(&items, arena, &policy, err))
		return err->status;
	*ret_policy = policy;
	return TS_OK;
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
	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *s = &settings[i];
		double ratio = s->kind == RATIO ? *(const double *)member_of(&p, s) : p.min_size[TS_METRIC_STEP_TIME];

		ts_buf_printf(out, "| `%s.%s` | ", TS_GATE_CODE, s->name);
		if (is_ratio(s) && !isnan(ratio))
			put_percent(out, ratio);
		else
			put_value(out, s, &p);
		ts_buf_str(out, s->kind == SIZES ? " of times | " : " | ");
		ts_buf_printf(out, "%s%s%s | %s |\n", s->unit, s->word ? ", or " : "", s->word ? s->word : "", s->what);
	}
}
