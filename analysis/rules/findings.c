/* findings.c - the engine asks every rule of the table and sorts the findings. See rule.h. */
#include "analysis/rules/check.h"
#include "base/order.h"

#include "base/door.h"
#include "base/suggest.h"

#include <assert.h>

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

double ts_rule_threshold(const struct ts_policy *policy, const char *code, const char *name)
{
	const struct ts_rule *rule = ts_rule_find(ts_span_str(code));

	assert(rule);
	return ts_check_threshold(&(struct ts_check){.rule = rule, .policy = policy}, name);
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

	if (c->arena->failed)
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
	TS_SORT(chances, n, ts_by_double);
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
		if (a->arena->failed)
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
		return ts_arena_phrase(arena, "; %s %s not, and %zu could not be checked",
				       ts_say_plural((double)o->passed, "other rank").text, o->passed == 1 ? "does" : "do",
				       o->unchecked);
	if (o->passed + o->unchecked == 1)
		return o->passed ? "; the other rank does not" : "; the other rank could not be checked";
	return ts_arena_phrase(arena, "; the other %zu ranks %s", o->passed + o->unchecked,
			       o->passed ? "do not" : "could not be checked");
}

/* Adds to the detail which ranks show it: "Only rank 3 shows this; the other 7 ranks do not." */
static bool say_ranks(const struct asked *a, const struct over_ranks *o, struct ts_finding *f)
{
	const char *others = the_others(o, a->arena), *ranks = ts_say_ranks(f->ranks, f->n_ranks, a->arena), *detail;

	if (!ranks)
		return false;
	if (o->fired == 1)
		detail = ts_arena_phrase(a->arena, o->passed ? "%.*s Only rank %d shows this%s." : "%.*s This is rank %d%s.",
					 TS_SPAN_ARG(f->detail), (int)f->rank, others);
	else if (o->fired == a->n_ranks)
		detail = ts_arena_phrase(a->arena, "%.*s These are the numbers of rank %d; all %zu ranks show this.",
					 TS_SPAN_ARG(f->detail), (int)f->rank, a->n_ranks);
	else
		detail = ts_arena_phrase(a->arena, "%.*s These are the numbers of rank %d; of %zu ranks, %s show this%s.",
					 TS_SPAN_ARG(f->detail), (int)f->rank, a->n_ranks, ranks, others);
	f->detail = ts_span_str(detail);
	return !a->arena->failed;
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
	    (rule->of_snapshot && ts_rank_rows_of_any(TS_M_SNAPSHOT_RESERVED, a->measures, a->ranks, a->n_ranks)) ||
	    (rule->of_machine && ts_rank_rows_of_any(TS_M_MACHINE_COUNT, a->measures, a->ranks, a->n_ranks))) {
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

	TS_DOOR(ts_events_hold(events));
	TS_DOOR(ts_measures_hold(measures));
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
