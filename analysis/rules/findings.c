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

/* Each rank has rows of its own in these groups. */
static bool is_of_rank(enum ts_answer_group group)
{
	return group == TS_ANSWER_TIMING || group == TS_ANSWER_MEMORY || group == TS_ANSWER_CONVERGENCE || group == TS_ANSWER_CROSS ||
	       group == TS_ANSWER_TRACE || group == TS_ANSWER_SNAPSHOT;
}

static const struct ts_measure *row_of(const struct ts_check *c, enum ts_measure_name what, const char *of)
{
	bool of_rank = is_of_rank(ts_measure_specs[what].group);

	return ts_measure_find(of_rank ? c->measures : c->job, what, ts_span_str(of));
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

bool ts_check_several(const struct ts_check *c)
{
	double n;

	return (ts_measure_value(c->job, TS_M_RANKS_WORLD_SIZE, TS_NO_SUBJECT, &n) && n > 1) ||
	       (ts_measure_value(c->job, TS_M_RANKS_PRESENT, TS_NO_SUBJECT, &n) && n > 1);
}

bool ts_check_ranks(struct ts_check *c)
{
	if (ts_check_several(c))
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

void ts_check_worse(struct ts_check *c, double badness)
{
	c->badness = badness;
}

void ts_check_chance(struct ts_check *c, double chance, double level)
{
	c->may_be_chance = true;
	c->chance = chance < level ? chance / level : 1;
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
	char *text = ts_say_ranks(c->finding.ranks, c->finding.n_ranks, c->arena);

	c->no_memory |= !text;
	return text ? text : "";
}

/* The engine. */

/* What there is to ask about. */
struct asked {
	const struct ts_measures *measures;
	const struct ts_events *events;
	const struct ts_rank_rows *ranks;
	size_t n_ranks;
	const struct ts_policy *policy;
	struct ts_arena *arena;
	struct ts_findings *out;
};

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

static bool unchecked_add(struct ts_findings *out, struct ts_arena *arena, const struct ts_unchecked *unchecked)
{
	if (!out->unchecked) {
		out->unchecked = ts_arena_array(arena, ts_rules_n, sizeof *out->unchecked);
		out->cap_unchecked = ts_rules_n;
	}
	if (!out->unchecked)
		return false;
	out->unchecked[out->n_unchecked++] = *unchecked;
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

/* Asks a rule of the rows of one rank, or of the answer. */
static struct ts_check ask(const struct asked *a, const struct ts_rule *rule, const struct ts_measures *measures,
			   const struct ts_events *events)
{
	struct ts_check c = {
		.rule = rule,
		.policy = a->policy,
		.measures = measures,
		.events = events,
		.job = a->measures,
		.arena = a->arena,
	};

	rule->check(&c);
	return c;
}

static bool record(const struct asked *a, const struct ts_check *c)
{
	const struct ts_unchecked unchecked = {.code = ts_span_str(c->rule->code), .reason = c->reason};

	if (c->no_memory)
		return false;
	if (c->end == TS_CHECK_FIRED)
		return finding_add(a->out, a->arena, &c->finding);
	return c->end != TS_CHECK_UNCHECKED || unchecked_add(a->out, a->arena, &unchecked);
}

/* How a rule ended on each rank. */
struct over_ranks {
	struct ts_check *checks;
	size_t worst;	/* of those that fired */
	size_t without; /* the first that is unchecked */
	size_t fired, unchecked, passed;
};

static bool is_worse(const struct ts_check *a, const struct ts_check *b)
{
	const struct ts_finding *x = &a->finding, *y = &b->finding;

	if (x->severity != y->severity)
		return x->severity > y->severity;
	if (a->badness > b->badness || a->badness < b->badness)
		return a->badness > b->badness;
	return x->has_steps && y->has_steps && x->first_step < y->first_step;
}

static int by_chance(const void *x, const void *y)
{
	const double *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static bool fired_by_chance(const struct ts_check *c)
{
	return c->end == TS_CHECK_FIRED && c->may_be_chance;
}

/* Lets those ranks pass that fired by no more than the chance of many ranks explains (check.h). */
static bool allow_for_ranks(const struct asked *a, struct ts_check *checks)
{
	double *chances = ts_arena_array(a->arena, a->n_ranks, sizeof *chances), bar = -1;
	size_t n = 0, asked = 0;

	if (!chances)
		return false;
	for (size_t i = 0; i < a->n_ranks; i++) {
		asked += checks[i].end == TS_CHECK_FIRED || checks[i].end == TS_CHECK_PASSED;
		if (fired_by_chance(&checks[i]))
			chances[n++] = checks[i].chance;
	}
	if (n)
		qsort(chances, n, sizeof *chances, by_chance);
	for (size_t i = 0; i < n; i++)
		if (chances[i] * (double)asked <= (double)(i + 1))
			bar = chances[i];
	for (size_t i = 0; i < a->n_ranks; i++)
		if (fired_by_chance(&checks[i]) && checks[i].chance > bar)
			checks[i].end = TS_CHECK_PASSED;
	return true;
}

static bool ask_ranks(const struct asked *a, const struct ts_rule *rule, struct over_ranks *o)
{
	o->checks = ts_arena_array(a->arena, a->n_ranks, sizeof *o->checks);
	if (!o->checks)
		return false;
	for (size_t i = 0; i < a->n_ranks; i++) {
		o->checks[i] = ask(a, rule, &a->ranks[i].measures, &a->ranks[i].events);
		if (o->checks[i].no_memory)
			return false;
	}
	if (!allow_for_ranks(a, o->checks))
		return false;
	for (size_t i = 0; i < a->n_ranks; i++) {
		const struct ts_check *c = &o->checks[i];

		if (c->end == TS_CHECK_FIRED && (o->fired++ == 0 || is_worse(c, &o->checks[o->worst])))
			o->worst = i;
		if (c->end == TS_CHECK_UNCHECKED && o->unchecked++ == 0)
			o->without = i;
		o->passed += c->end == TS_CHECK_PASSED;
	}
	return true;
}

static int32_t *ranks_that(const struct asked *a, const struct over_ranks *o, enum ts_check_end end, size_t n)
{
	int32_t *ranks = ts_arena_array(a->arena, n, sizeof *ranks);
	size_t at = 0;

	for (size_t i = 0; ranks && i < a->n_ranks; i++)
		if (o->checks[i].end == end)
			ranks[at++] = a->ranks[i].rank;
	return ranks;
}

/* "; the other 7 ranks do not", "; 5 other ranks do not, and 2 could not be checked": what the ranks do that do not fire. */
static const char *the_others(const struct over_ranks *o, struct ts_arena *arena)
{
	if (!o->passed && !o->unchecked)
		return "";
	if (o->passed && o->unchecked)
		return ts_arena_printf(arena, "; %s %s not, and %zu could not be checked",
				       ts_say_plural((double)o->passed, "other rank").text, o->passed == 1 ? "does" : "do",
				       o->unchecked);
	if (o->passed + o->unchecked == 1)
		return o->passed ? "; the other rank does not" : "; the other rank could not be checked";
	return ts_arena_printf(arena, "; the other %zu ranks %s", o->passed + o->unchecked,
			       o->passed ? "do not" : "could not be checked");
}

/* Adds to the detail which ranks show it: "Only rank 3 shows this; the other 7 ranks do not." */
static bool say_ranks(const struct asked *a, const struct over_ranks *o, struct ts_finding *f)
{
	const char *others = the_others(o, a->arena), *ranks = ts_say_ranks(f->ranks, f->n_ranks, a->arena);
	char *detail = NULL;

	if (!others || !ranks)
		return false;
	if (o->fired == 1)
		detail = ts_arena_printf(a->arena, o->passed ? "%.*s Only rank %d shows this%s." : "%.*s This is rank %d%s.",
					 TS_SPAN_ARG(f->detail), (int)f->rank, others);
	else if (o->fired == a->n_ranks)
		detail = ts_arena_printf(a->arena, "%.*s These are the numbers of rank %d; all %zu ranks show this.",
					 TS_SPAN_ARG(f->detail), (int)f->rank, a->n_ranks);
	else
		detail = ts_arena_printf(a->arena, "%.*s These are the numbers of rank %d; of %zu ranks, %s show this%s.",
					 TS_SPAN_ARG(f->detail), (int)f->rank, a->n_ranks, ranks, others);
	f->detail = ts_span_str(detail ? detail : "");
	return detail;
}

static bool fold_fired(const struct asked *a, const struct over_ranks *o)
{
	struct ts_finding f = o->checks[o->worst].finding;

	f.ranks = ranks_that(a, o, TS_CHECK_FIRED, o->fired);
	f.n_ranks = o->fired;
	f.has_rank = true;
	f.rank = a->ranks[o->worst].rank;
	return f.ranks && say_ranks(a, o, &f) && finding_add(a->out, a->arena, &f);
}

/* A rule that no rank could be asked of is unchecked; otherwise the answer says on which ranks it is. */
static bool fold_unchecked(const struct asked *a, const struct over_ranks *o)
{
	const struct ts_check *c = &o->checks[o->without];
	struct ts_unchecked u = {.code = ts_span_str(c->rule->code), .reason = c->reason};

	if (o->unchecked < a->n_ranks) {
		u.ranks = ranks_that(a, o, TS_CHECK_UNCHECKED, o->unchecked);
		u.n_ranks = o->unchecked;
	}
	return (u.ranks || u.n_ranks == 0) && unchecked_add(a->out, a->arena, &u);
}

static bool ask_rule(const struct asked *a, const struct ts_rule *rule)
{
	struct over_ranks o = {.fired = 0};
	struct ts_check c = {.rule = rule, .arena = a->arena};

	if (is_off(a->policy, rule->code)) {
		ts_check_leave(&c, "the policy switched the rule off");
		return record(a, &c);
	}
	if (!rule->each_rank || a->n_ranks == 0 ||
	    (rule->of_snapshot && ts_rank_rows_snapshot_of_any(a->measures, a->ranks, a->n_ranks))) {
		c = ask(a, rule, a->measures, a->events);
		return record(a, &c);
	}
	return ask_ranks(a, rule, &o) && (!o.fired || fold_fired(a, &o)) && (!o.unchecked || fold_unchecked(a, &o));
}

enum ts_status ts_findings_check(const struct ts_measures *measures, const struct ts_events *events,
				 const struct ts_rank_rows *ranks, size_t n_ranks, const struct ts_policy *policy,
				 struct ts_arena *arena, struct ts_findings *ret_findings, struct ts_error *err)
{
	struct ts_findings out = {.n = 0};
	const struct asked a = {measures, events, ranks, n_ranks, policy, arena, &out};

	for (size_t i = 0; i < ts_rules_n; i++)
		if (!ask_rule(&a, &ts_rules[i]))
			return ts_arena_error(arena, err);
	sort(&out);
	*ret_findings = out;
	return TS_OK;
}

/* Asks the rules on what stands alone: a trace, those of ranks, or a memory snapshot. */
static enum ts_status ask_alone(const struct ts_measures *measures, const struct ts_rank_rows *ranks, size_t n_ranks, bool of_trace,
				const struct ts_policy *policy, struct ts_arena *arena, struct ts_findings *ret_findings,
				struct ts_error *err)
{
	const struct ts_events none = {0};
	struct ts_findings out = {.n = 0};
	const struct asked a = {measures, &none, ranks, n_ranks, policy, arena, &out};

	for (size_t i = 0; i < ts_rules_n; i++)
		if ((of_trace ? ts_rules[i].of_trace : ts_rules[i].of_snapshot) && !ask_rule(&a, &ts_rules[i]))
			return ts_arena_error(arena, err);
	sort(&out);
	*ret_findings = out;
	return TS_OK;
}

enum ts_status ts_findings_of_trace(const struct ts_measures *measures, const struct ts_policy *policy, struct ts_arena *arena,
				    struct ts_findings *ret_findings, struct ts_error *err)
{
	return ask_alone(measures, NULL, 0, true, policy, arena, ret_findings, err);
}

enum ts_status ts_findings_of_ranks(const struct ts_rank_rows *ranks, size_t n_ranks, const struct ts_policy *policy,
				    struct ts_arena *arena, struct ts_findings *ret_findings, struct ts_error *err)
{
	const struct ts_measures none = {0};

	return ask_alone(&none, ranks, n_ranks, true, policy, arena, ret_findings, err);
}

enum ts_status ts_findings_of_snapshot(const struct ts_measures *measures, const struct ts_policy *policy, struct ts_arena *arena,
				       struct ts_findings *ret_findings, struct ts_error *err)
{
	return ask_alone(measures, NULL, 0, false, policy, arena, ret_findings, err);
}
