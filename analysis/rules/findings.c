/* findings.c - the engine asks every rule of the table and sorts the findings. See rule.h. */
#include "analysis/rules/check.h"

#include "base/suggest.h"

#include <assert.h>
#include <stdlib.h>

const struct ts_rule *ts_rule_find(struct ts_span code)
{
	for (size_t i = 0; i < ts_rules_n; i++)
		if (ts_span_is(code, ts_rules[i].code))
			return &ts_rules[i];
	return NULL;
}

const char *ts_rule_near(struct ts_span code)
{
	char typed[TS_SUGGEST_MAX + 1];
	size_t n = code.len < TS_SUGGEST_MAX ? code.len : TS_SUGGEST_MAX, bound;
	const char *best = NULL;

	for (size_t i = 0; i < n; i++) {
		char c = (char)code.data[i];

		typed[i] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
	}
	typed[n] = '\0';
	bound = ts_suggest_bound(typed);
	for (size_t i = 0; i < ts_rules_n; i++) {
		const char *short_code = strchr(ts_rules[i].code, '.');

		best = ts_suggest(typed, ts_rules[i].code, best, &bound);
		/* The short code, JITTER, is enough to know which rule was meant. */
		if (short_code && ts_suggest(typed, short_code + 1, NULL, &bound))
			best = ts_rules[i].code;
	}
	return best;
}

static const struct ts_threshold *threshold_of(const struct ts_rule *rule, const char *name)
{
	for (const struct ts_threshold *t = rule->thresholds; t->name; t++)
		if (strcmp(t->name, name) == 0)
			return t;
	assert(!"a rule is asked for a threshold that it does not have");
	return NULL;
}

double ts_rule_threshold(const struct ts_policy *policy, const char *code, const char *name)
{
	const struct ts_rule *rule = ts_rule_find(ts_span_str(code));
	const struct ts_threshold *t;

	assert(rule);
	t = threshold_of(rule, name);
	for (size_t i = policy ? policy->n : 0; i > 0; i--) {
		const struct ts_policy_item *item = &policy->items[i - 1];

		if (item->threshold.len && ts_span_is(item->code, code) && ts_span_is(item->threshold, name))
			return item->value;
	}
	return t->value;
}

static bool is_off(const struct ts_policy *policy, const char *code)
{
	for (size_t i = policy ? policy->n : 0; i > 0; i--) {
		const struct ts_policy_item *item = &policy->items[i - 1];

		if (!item->threshold.len && ts_span_is(item->code, code))
			return item->off;
	}
	return false;
}

/* The functions that checks call (check.h). */

double ts_check_threshold(const struct ts_check *c, const char *name)
{
	return ts_rule_threshold(c->policy, c->rule->code, name);
}

static struct ts_span printed(struct ts_check *c, const char *format, va_list args)
{
	struct ts_buf buf = TS_BUF_INIT(16 << 10);
	struct ts_span text;

	ts_buf_vprintf(&buf, format, args);
	if (buf.len && buf.data[buf.len - 1] == '.')
		buf.len--;
	text = ts_arena_span(c->arena, ts_buf_view(&buf));
	c->no_memory |= buf.failed || !text.data;
	ts_buf_finish(&buf);
	return text;
}

void ts_check_leave(struct ts_check *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	c->end = TS_CHECK_UNCHECKED;
	c->reason = printed(c, format, args);
	va_end(args);
}

void ts_check_applies_not(struct ts_check *c)
{
	c->end = TS_CHECK_APPLIES_NOT;
}

void ts_check_evidence(struct ts_check *c, const struct ts_measure *row)
{
	struct ts_finding *f = &c->finding;

	if (f->n_evidence == c->cap_evidence) {
		size_t cap = c->cap_evidence ? 2 * c->cap_evidence : 8;
		struct ts_measure *rows = ts_arena_array(c->arena, cap, sizeof *rows);

		if (!rows) {
			c->no_memory = true;
			return;
		}
		if (f->n_evidence)
			memcpy(rows, f->evidence, f->n_evidence * sizeof *rows);
		f->evidence = rows;
		c->cap_evidence = cap;
	}
	f->evidence[f->n_evidence++] = *row;
}

static const struct ts_measure *row_of(const struct ts_check *c, enum ts_measure_name what, const char *of)
{
	return ts_measure_find(c->measures, what, ts_span_str(of));
}

bool ts_check_want_of(struct ts_check *c, enum ts_measure_name what, const char *of, double *ret_value)
{
	const struct ts_measure *row = row_of(c, what, of);

	if (!row || !row->known || !isfinite(row->value))
		return false;
	ts_check_evidence(c, row);
	*ret_value = row->value;
	return true;
}

bool ts_check_need_of(struct ts_check *c, enum ts_measure_name what, const char *of, double *ret_value)
{
	const struct ts_measure *row = row_of(c, what, of);
	struct ts_measure want = ts_measure_row(what, ts_span_str(of));

	if (ts_check_want_of(c, what, of, ret_value))
		return true;
	if (!row && ts_measure_is_kind(what) && ts_measure_specs[what].group == TS_ANSWER_TIMING)
		ts_check_leave(c, "the run has no column phases.%s", of);
	else if (!row)
		ts_check_leave(c, "the analysis has no value of %.*s %.*s %.*s%s", TS_SPAN_ARG(want.group),
			       TS_SPAN_ARG(want.subject), TS_SPAN_ARG(want.name), ts_measure_suffix(&want));
	else if (!row->known)
		ts_check_leave(c, "%.*s", TS_SPAN_ARG(row->reason));
	else
		ts_check_leave(c, "the value of %.*s %.*s %.*s%s is not finite", TS_SPAN_ARG(want.group),
			       TS_SPAN_ARG(want.subject), TS_SPAN_ARG(want.name), ts_measure_suffix(&want));
	return false;
}

struct ts_span ts_check_text_of(struct ts_check *c, enum ts_measure_name what, const char *of)
{
	const struct ts_measure *row = row_of(c, what, of);

	if (!row || !row->known)
		return ts_span_of(NULL, 0);
	ts_check_evidence(c, row);
	return row->text;
}

bool ts_check_want(struct ts_check *c, enum ts_measure_name what, double *ret_value)
{
	return ts_check_want_of(c, what, "", ret_value);
}

bool ts_check_need(struct ts_check *c, enum ts_measure_name what, double *ret_value)
{
	return ts_check_need_of(c, what, "", ret_value);
}

struct ts_span ts_check_text(struct ts_check *c, enum ts_measure_name what)
{
	return ts_check_text_of(c, what, "");
}

bool ts_check_enough(struct ts_check *c, double n, const char *threshold, const char *what)
{
	double least = ts_check_threshold(c, threshold);

	if (n >= least)
		return true;
	if (n > 0)
		ts_check_leave(c, "the run has only %s, and the rule needs %s", ts_say_plural(n, what).text,
			       ts_say_count(least).text);
	else
		ts_check_leave(c, "the run has no %ss, and the rule needs %s", what, ts_say_count(least).text);
	return false;
}

bool ts_check_ranks(struct ts_check *c)
{
	double n;

	if ((ts_measure_value(c->measures, TS_M_RANKS_WORLD_SIZE, TS_NO_SUBJECT, &n) && n > 1) ||
	    (ts_measure_value(c->measures, TS_M_RANKS_PRESENT, TS_NO_SUBJECT, &n) && n > 1))
		return true;
	ts_check_applies_not(c);
	return false;
}

const struct ts_event *ts_check_event(const struct ts_check *c, enum ts_event_kind kind, enum ts_answer_group group,
				      const char *subject, size_t *io_at)
{
	while (*io_at < c->events->n) {
		const struct ts_event *e = &c->events->items[(*io_at)++];

		if (e->kind == kind && ts_span_eq(e->group, ts_answer_group_name(group)) &&
		    (!subject || ts_span_is(e->subject, subject)))
			return e;
	}
	return NULL;
}

const struct ts_measure *ts_check_rank_row(const struct ts_check *c, enum ts_measure_name what, size_t *io_at,
					   int32_t *ret_rank)
{
	while (*io_at < c->measures->n) {
		const struct ts_measure *row = &c->measures->items[(*io_at)++];
		int64_t rank;

		if (!row->known || (row->unit != TS_UNIT_TEXT && !isfinite(row->value)) || !ts_measure_is(row, what) ||
		    !ts_measure_number(what, row->subject, &rank) || rank < 0 || rank > INT32_MAX)
			continue;
		*ret_rank = (int32_t)rank;
		return row;
	}
	return NULL;
}

void ts_check_fire(struct ts_check *c, enum ts_severity severity, const char *format, ...)
{
	struct ts_finding *f = &c->finding;
	struct ts_span text;
	va_list args;
	char *detail;

	va_start(args, format);
	text = printed(c, format, args);
	va_end(args);
	detail = ts_arena_printf(c->arena, "%.*s.", TS_SPAN_ARG(text));
	c->no_memory |= !detail;
	c->end = TS_CHECK_FIRED;
	f->severity = severity;
	f->code = ts_span_str(c->rule->code);
	f->title = ts_span_str(c->rule->title);
	f->detail = ts_span_str(detail ? detail : "");
	f->advice = ts_span_str(c->rule->advice);
}

void ts_check_steps(struct ts_check *c, int64_t first, int64_t last)
{
	c->finding.has_steps = true;
	c->finding.first_step = first;
	c->finding.last_step = last;
}

void ts_check_rank(struct ts_check *c, int32_t rank)
{
	struct ts_finding *f = &c->finding;
	size_t at = f->n_ranks;

	if (f->n_ranks == c->cap_ranks) {
		size_t cap = c->cap_ranks ? 2 * c->cap_ranks : 8;
		int32_t *ranks = ts_arena_array(c->arena, cap, sizeof *ranks);

		if (!ranks) {
			c->no_memory = true;
			return;
		}
		if (f->n_ranks)
			memcpy(ranks, f->ranks, f->n_ranks * sizeof *ranks);
		f->ranks = ranks;
		c->cap_ranks = cap;
	}
	for (; at > 0 && f->ranks[at - 1] > rank; at--)
		f->ranks[at] = f->ranks[at - 1];
	f->ranks[at] = rank;
	f->n_ranks++;
}

const char *ts_check_ranks_text(struct ts_check *c)
{
	enum { STRETCHES = 8 };
	const struct ts_finding *f = &c->finding;
	struct ts_buf buf = TS_BUF_INIT(4096);
	const char *text;
	size_t i = 0;

	ts_buf_str(&buf, f->n_ranks == 1 ? "rank " : "ranks ");
	for (int n = 0; i < f->n_ranks && n < STRETCHES; n++) {
		size_t last = i;

		while (last + 1 < f->n_ranks && f->ranks[last + 1] == f->ranks[last] + 1)
			last++;
		if (last == i + 1) /* "1 to 2" is not shorter than "1 and 2" */
			last = i;
		if (n)
			ts_buf_str(&buf, last + 1 == f->n_ranks ? " and " : ", ");
		ts_buf_printf(&buf, "%d", (int)f->ranks[i]);
		if (last > i)
			ts_buf_printf(&buf, " to %d", (int)f->ranks[last]);
		i = last + 1;
	}
	if (i < f->n_ranks)
		ts_buf_printf(&buf, " and %zu more", f->n_ranks - i);
	ts_buf_char(&buf, '\0');
	text = buf.failed ? NULL : ts_arena_dup(c->arena, buf.data, buf.len);
	c->no_memory |= !text;
	ts_buf_finish(&buf);
	return text ? text : "";
}

/* The engine. */

static bool finding_add(struct ts_findings *out, struct ts_arena *arena, const struct ts_finding *finding)
{
	if (!out->items) {
		out->items = ts_arena_array(arena, ts_rules_n, sizeof *out->items);
		out->cap = ts_rules_n;
	}
	if (!out->items)
		return false;
	out->items[out->n++] = *finding;
	return true;
}

static bool unchecked_add(struct ts_findings *out, struct ts_arena *arena, const char *code, struct ts_span reason)
{
	if (!out->unchecked) {
		out->unchecked = ts_arena_array(arena, ts_rules_n, sizeof *out->unchecked);
		out->cap_unchecked = ts_rules_n;
	}
	if (!out->unchecked)
		return false;
	out->unchecked[out->n_unchecked++] = (struct ts_unchecked){ts_span_str(code), reason};
	return true;
}

/* Sorts the most severe findings first; insertion keeps the order of the table among equals. */
static void sort(struct ts_findings *out)
{
	for (size_t i = 1; i < out->n; i++) {
		struct ts_finding f = out->items[i];
		size_t at = i;

		for (; at > 0 && out->items[at - 1].severity < f.severity; at--)
			out->items[at] = out->items[at - 1];
		out->items[at] = f;
	}
}

enum ts_status ts_findings_check(const struct ts_measures *measures, const struct ts_events *events,
				 const struct ts_policy *policy, struct ts_arena *arena, struct ts_findings *ret_findings,
				 struct ts_error *err)
{
	struct ts_findings out = {.n = 0};

	for (size_t i = 0; i < ts_rules_n; i++) {
		struct ts_check c = {
			.rule = &ts_rules[i],
			.policy = policy,
			.measures = measures,
			.events = events,
			.arena = arena,
		};
		bool ok = true;

		if (is_off(policy, c.rule->code))
			ts_check_leave(&c, "the policy switched the rule off");
		else
			c.rule->check(&c);
		if (c.end == TS_CHECK_FIRED)
			ok = finding_add(&out, arena, &c.finding);
		else if (c.end == TS_CHECK_UNCHECKED)
			ok = unchecked_add(&out, arena, c.rule->code, c.reason);
		if (!ok || c.no_memory)
			return ts_arena_error(arena, err);
	}
	sort(&out);
	*ret_findings = out;
	return TS_OK;
}
