/* checks_modes.c - the rules on models that are trained in evaluation mode. */
#include "analysis/rules/check.h"

/* What of the model rests in evaluation mode. */
struct resting {
	double observed, norms, dropouts, updated, parameters;
};

static bool resting_of(struct ts_check *c, struct resting *r)
{
	if (!ts_check_want(c, TS_M_MODES_OBSERVED, &r->observed)) {
		ts_check_applies_not(c);
		return false;
	}
	return ts_check_need(c, TS_M_MODES_NORMS, &r->norms) && ts_check_need(c, TS_M_MODES_DROPOUTS, &r->dropouts) &&
	       ts_check_need(c, TS_M_MODES_UPDATED, &r->updated) && ts_check_need(c, TS_M_MODES_PARAMETERS, &r->parameters);
}

/* ": BatchNorm2d (20), Dropout (3)" */
static const char *classes(struct ts_check *c)
{
	struct ts_span text = ts_check_text(c, TS_M_MODES_CLASSES);

	return text.len ? ts_arena_phrase(c->arena, ": %.*s", TS_SPAN_ARG(text)) : "";
}

static enum ts_severity severity_of(const struct ts_check *c, const struct resting *r)
{
	if (!(r->parameters > 0) || r->updated < ts_check_threshold(c, "min_updated") * r->parameters)
		return TS_SEVERITY_LOW;
	return r->norms > 0 ? TS_SEVERITY_HIGH : r->dropouts > 0 ? TS_SEVERITY_MEDIUM : TS_SEVERITY_LOW;
}

void ts_check_eval_mode(struct ts_check *c)
{
	struct resting r;
	double whole, from, modules;

	if (!resting_of(c, &r) || !ts_check_need(c, TS_M_MODES_WHOLE, &whole) || !(whole > 0) ||
	    !ts_check_need(c, TS_M_MODES_WHOLE_AT, &from) || !ts_check_need(c, TS_M_MODES_MODULES, &modules))
		return;
	ts_check_worse(c, whole);
	ts_check_steps(c, (int64_t)from, (int64_t)from);
	ts_check_fire(c, severity_of(c, &r),
		      "At %s of %s that were looked at, from step %.0f on, the optimizer updates a model all of whose %s are in "
		      "evaluation mode; %s in it would do something else in training mode%s",
		      ts_say_count(whole).text, ts_say_plural(r.observed, "step").text, from, ts_say_plural(modules, "module").text,
		      r.norms + r.dropouts > 0 ? ts_say_plural(r.norms + r.dropouts, "module").text : "no known module", classes(c));
}

void ts_check_eval_part(struct ts_check *c)
{
	struct resting r;
	double whole, part, from, modules;

	if (!resting_of(c, &r) || !ts_check_need(c, TS_M_MODES_PART, &part) || !ts_check_need(c, TS_M_MODES_WHOLE, &whole) ||
	    !(part > 0) || whole > 0 || !(r.norms + r.dropouts > 0) || !ts_check_need(c, TS_M_MODES_PART_AT, &from) ||
	    !ts_check_need(c, TS_M_MODES_MODULES, &modules))
		return;
	ts_check_worse(c, part);
	ts_check_steps(c, (int64_t)from, (int64_t)from);
	ts_check_fire(c, TS_SEVERITY_LOW,
		      "At %s of %s that were looked at, from step %.0f on, the optimizer updates a model of whose %s some are in "
		      "evaluation mode; %s of them would do something else in training mode%s",
		      ts_say_count(part).text, ts_say_plural(r.observed, "step").text, from, ts_say_plural(modules, "module").text,
		      ts_say_count(r.norms + r.dropouts).text, classes(c));
}
