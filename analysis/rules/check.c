#include "analysis/rules/check.h"

#include "base/grow.h"

#include <assert.h>

static const struct ts_threshold *threshold_of(const struct ts_rule *rule, const char *name)
{
	for (const struct ts_threshold *t = rule->thresholds; t->name; t++)
		if (strcmp(t->name, name) == 0)
			return t;
	assert(!"a rule is asked for a threshold that it does not have");
	return NULL;
}

double ts_check_threshold(const struct ts_check *c, const char *name)
{
	const struct ts_threshold *t = threshold_of(c->rule, name);

	for (size_t i = c->policy ? c->policy->n : 0; i > 0; i--) {
		const struct ts_policy_item *item = &c->policy->items[i - 1];

		if (item->threshold.len && ts_span_is(item->code, c->rule->code) && ts_span_is(item->threshold, name))
			return item->value;
	}
	return t->value;
}

static struct ts_span printed(struct ts_check *c, const char *format, va_list args)
{
	char *said = ts_arena_vprintf(c->arena, format, args);
	size_t len = said ? strlen(said) : 0;

	if (len && said[len - 1] == '.')
		said[--len] = '\0';
	return ts_span_of(said ? said : "", len);
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

	if (!TS_GROW_IN(c->arena, f->evidence, c->cap_evidence, f->n_evidence + 1, 8))
		return;
	f->evidence[f->n_evidence++] = *row;
}

/* Each rank has rows of its own in these groups. */
static bool is_of_rank(enum ts_answer_group group)
{
	return group == TS_ANSWER_TIMING || group == TS_ANSWER_MEMORY || group == TS_ANSWER_CONVERGENCE || group == TS_ANSWER_CROSS ||
	       group == TS_ANSWER_TRACE || group == TS_ANSWER_SNAPSHOT || group == TS_ANSWER_MACHINE;
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

	if (ts_check_want_of(c, what, of, ret_value))
		return true;
	if (!row && ts_measure_is_kind(what) && ts_measure_specs[what].group == TS_ANSWER_TIMING)
		ts_check_leave(c, "the run has no column phases.%s", of);
	else if (!row)
		ts_check_leave(c, "nothing recorded gives a figure that the rule needs");
	else if (!row->known)
		ts_check_leave(c, "%.*s", TS_SPAN_ARG(row->reason));
	else
		ts_check_leave(c, "a figure that the rule needs is not finite");
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

	va_start(args, format);
	text = printed(c, format, args);
	va_end(args);
	c->end = TS_CHECK_FIRED;
	f->severity = severity;
	f->code = ts_span_str(c->rule->code);
	f->title = ts_span_str(c->rule->title);
	f->detail = ts_span_str(ts_arena_phrase(c->arena, "%.*s.", TS_SPAN_ARG(text)));
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

	if (!TS_GROW_IN(c->arena, f->ranks, c->cap_ranks, f->n_ranks + 1, 8))
		return;
	for (; at > 0 && f->ranks[at - 1] > rank; at--)
		f->ranks[at] = f->ranks[at - 1];
	f->ranks[at] = rank;
	f->n_ranks++;
}

const char *ts_check_ranks_text(struct ts_check *c)
{
	char *text = ts_say_ranks(c->finding.ranks, c->finding.n_ranks, c->arena);

	return text ? text : "";
}
