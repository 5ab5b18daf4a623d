/* diagnose_facts.c - explains a divergence by facts that differ: only where the effect of a fact is known
 * (effects.h) and the numbers show that effect.
 *
 * The signature of an effect is when it shows (in the first forward pass, after the first update) and how large (a rounding
 * difference, a finite one). A fact whose effect fits while nothing else can be at work gives high confidence; several that
 * fit, or facts whose effect is not known, take it away.
 */
#include "analysis/diverge/inquiry.h"

#include "analysis/answer/say.h"

#include "base/number.h"
#include "base/text.h"

enum { SHOWN_TEXT = 40 };

enum { SURFACE = 10 }; /* records within which a rounding difference from the first pass on is seen in a loss, measured 0 to 6 */

static bool grad_is_finite(const struct ts_inquiry *q)
{
	const struct ts_first *norm = &q->first[TS_KIND_GRAD_NORM];

	return norm->parts && norm->step <= q->f && norm->jump >= ts_cut_of(q, TS_CUT_GRAD);
}

static bool fits_push(const struct ts_inquiry *q, const struct ts_effect *effect)
{
	bool rounding = ts_is_rounding(q) && !grad_is_finite(q);

	if (q->coarse || q->late)
		return effect->push != TS_PUSH_NONE;
	if (effect->cause == TS_CAUSE_PRECISION && q->jump > ts_cut_of(q, TS_CUT_PRECISION))
		return false;
	if (effect->cause == TS_CAUSE_REDUCTION_ORDER && q->jump > ts_cut_of(q, TS_CUT_INIT))
		return false;
	switch (effect->push) {
	case TS_PUSH_ROUNDING:
		return rounding;
	case TS_PUSH_FINITE:
		return ts_is_finite(q);
	case TS_PUSH_ANY:
		return true;
	case TS_PUSH_NONE:
		break;
	}
	return false;
}

static bool fits_onset(const struct ts_inquiry *q, const struct ts_effect *effect)
{
	double after = ts_records(q, q->start, q->f);

	switch (effect->onset) {
	case TS_ONSET_FIRST:
		return after == 0 || (after <= SURFACE && ts_is_rounding(q));
	case TS_ONSET_UPDATE:
		return (after > 0 || q->cadence > 1) && after <= ts_cut_of(q, TS_CUT_LR_STEPS);
	case TS_ONSET_ANY:
		return true;
	case TS_ONSET_NEVER:
		break;
	}
	return false;
}

static bool says_below(const struct ts_facts *facts, const char *prefix)
{
	for (size_t i = 0; facts && i < facts->n; i++)
		if (ts_span_starts(facts->items[i].path, ts_span_str(prefix)))
			return true;
	return false;
}

bool ts_fact_differs(const struct ts_inquiry *q, const struct ts_fact_row *row)
{
	if (row->a && row->b)
		return true;
	return ts_span_starts(row->path, ts_span_str("determinism.env.")) &&
	       says_below(row->a ? q->e->facts_b : q->e->facts_a, "determinism.env");
}

static bool fits(const struct ts_inquiry *q, const struct ts_effect *effect)
{
	if (effect->by_schedule && ts_agrees_at(q, TS_KIND_LR, q->f))
		return false;
	return effect->cause != TS_CAUSE_UNKNOWN && fits_push(q, effect) && fits_onset(q, effect);
}

bool ts_config_known(const struct ts_inquiry *q)
{
	const struct ts_facts *sides[] = {q->e->facts_a, q->e->facts_b};

	for (size_t i = 0; i < 2; i++) {
		bool found = false;

		for (size_t k = 0; sides[i] && k < sides[i]->n && !found; k++)
			found = ts_span_starts(sides[i]->items[k].path, ts_span_str("config."));
		if (!found)
			return false;
	}
	return true;
}

bool ts_group_differs(const struct ts_inquiry *q, enum ts_group group)
{
	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_effect *effect = ts_effect_of(q->e->facts[i].path);

		if (q->e->facts[i].group == group && ts_fact_differs(q, &q->e->facts[i]) &&
		    (!effect || effect->onset != TS_ONSET_NEVER))
			return true;
	}
	return false;
}

static bool says(const struct ts_facts *facts, const char *const globs[])
{
	for (size_t i = 0; facts && i < facts->n; i++)
		for (size_t k = 0; globs[k]; k++)
			if (ts_glob(ts_span_str(globs[k]), facts->items[i].path))
				return true;
	return false;
}

bool ts_topology_known(const struct ts_inquiry *q)
{
	static const char *const globs[] = {"*topolog*", "*rank_map*", "*TOPO_FILE*", "*device_map*", NULL};

	return says(q->e->facts_a, globs) && says(q->e->facts_b, globs);
}

/* --- explanations --- */

/* Are several facts of different causes at work, or one whose effect is not known? */
struct candidates {
	const struct ts_fact_row *row; /* of the cause that counts */
	const struct ts_effect *effect;
	bool causes[TS_CAUSES];
	size_t n_causes, n_facts;
	bool unknown; /* an effect that is not known */
};

/* A push of the right size that is certain comes before one that may be anything. */
static int weight(const struct ts_effect *effect)
{
	if (effect->push == TS_PUSH_ANY)
		return 1;
	return effect->cause == TS_CAUSE_INIT_OR_DATA ? 2 : 3;
}

static void collect(const struct ts_inquiry *q, struct candidates *c)
{
	*c = (struct candidates){.n_facts = 0};
	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_effect *effect = ts_effect_of(q->e->facts[i].path);

		if (!ts_fact_differs(q, &q->e->facts[i]))
			continue;
		c->unknown = c->unknown || (!effect && q->e->facts[i].group != TS_GROUP_OTHER) ||
			     (effect && effect->cause == TS_CAUSE_UNKNOWN && effect->onset == TS_ONSET_ANY);
		if (!effect || !fits(q, effect))
			continue;
		c->n_facts++;
		c->n_causes += !c->causes[effect->cause];
		c->causes[effect->cause] = true;
		if (!c->effect || weight(effect) > weight(c->effect)) {
			c->effect = effect;
			c->row = &q->e->facts[i];
		}
	}
}

static bool seeds_agree(const struct ts_inquiry *q)
{
	static const char *const globs[] = {"seeds.*", NULL};

	return says(q->e->facts_a, globs) && says(q->e->facts_b, globs) && !ts_group_differs(q, TS_GROUP_SEEDS);
}

/* What lowers the confidence in a fact that fits. */
static enum ts_confidence confidence_of(struct ts_inquiry *q, const struct candidates *c)
{
	enum ts_confidence sure = TS_CONFIDENCE_HIGH;
	unsigned off = 0, unknown = 0;

	if (c->unknown) {
		ts_say_against(q, "the code or other facts differ too, and their effect is not known");
		sure = TS_CONFIDENCE_MEDIUM;
	}
	if (c->effect->cause == TS_CAUSE_INIT_OR_DATA || c->effect->cause == TS_CAUSE_DATA_ORDER ||
	    c->effect->cause == TS_CAUSE_DATA_SET || c->effect->cause == TS_CAUSE_INIT ||
	    c->effect->cause == TS_CAUSE_RNG_STREAM) {
		ts_say_against(
			q, "no digest of batches, parameters or random generators shows that the setting took effect");
		sure = TS_CONFIDENCE_MEDIUM;
	}
	if (ts_at_start(q) && ts_is_finite(q) && sure == TS_CONFIDENCE_HIGH && !seeds_agree(q)) {
		ts_say_against(q, "not both runs recorded their seeds, and different parameters or data would show at "
				  "the same step");
		sure = TS_CONFIDENCE_MEDIUM;
	}
	if (ts_is_rounding(q)) {
		ts_say_flags(q, &off, &unknown);
		if (off || unknown)
			sure = TS_CONFIDENCE_MEDIUM;
	}
	if (q->coarse) {
		ts_say_against(q,
			       "the first visible difference is only as large as the rounding of the written values");
		sure = TS_CONFIDENCE_LOW;
	} else if (q->late) {
		ts_say_hidden(q);
		sure = TS_CONFIDENCE_LOW;
	}
	if (c->n_causes > 1 && sure > TS_CONFIDENCE_LOW)
		sure = c->n_causes > 2 ? TS_CONFIDENCE_LOW : TS_CONFIDENCE_MEDIUM;
	return sure;
}

/* The value in a sentence; long texts are cut between characters. */
static struct ts_span value_of(struct ts_inquiry *q, const struct ts_fact *fact)
{
	char number[TS_DOUBLE_TEXT];
	struct ts_span text;

	if (!fact)
		return ts_span_str("not recorded");
	switch (fact->type) {
	case TS_FACT_BOOL:
		return ts_span_str(fact->boolean ? "true" : "false");
	case TS_FACT_INT:
		return ts_inquiry_text(q, "%" PRId64, fact->integer);
	case TS_FACT_FLOAT:
		return ts_inquiry_text(q, "%.*s", (int)ts_print_double(fact->real, number), number);
	case TS_FACT_TEXT:
	case TS_FACT_NUMBER:
		text = fact->text;
		if (text.len <= SHOWN_TEXT)
			return text;
		for (text.len = SHOWN_TEXT; text.len && !ts_utf8_valid(text);)
			text.len--;
		return ts_inquiry_text(q, "%.*s\xe2\x80\xa6", TS_SPAN_ARG(text));
	case TS_FACT_NULL:
	case TS_FACT_OBJECT:
	case TS_FACT_ARRAY:
	case TS_FACT_ABSENT:
	case TS_FACT_LONG:
		break;
	}
	return ts_span_str("a value that is not shown");
}

static struct ts_span values_of(struct ts_inquiry *q, const struct ts_fact_row *row)
{
	struct ts_span a = value_of(q, row->a), b = value_of(q, row->b);

	return ts_inquiry_text(q, "%.*s differs (%.*s in the first run, %.*s in the second)", TS_SPAN_ARG(row->path),
			       TS_SPAN_ARG(a), TS_SPAN_ARG(b));
}

bool ts_diagnose_facts(struct ts_inquiry *q)
{
	struct candidates c;
	struct ts_span said;
	enum ts_confidence sure;

	collect(q, &c);
	if (!c.effect)
		return false;
	sure = confidence_of(q, &c);
	said = values_of(q, c.row);
	ts_say_for(q, "%.*s, which %s", TS_SPAN_ARG(said), c.effect->says);
	if (ts_at_start(q))
		ts_say_for(q, "the two runs differ from their first common step on");
	else
		ts_say_for(q, "the two runs agree from step %" PRId64 " on and first differ at step %" PRId64, q->start,
			   q->f);
	ts_conclude(q, c.effect->cause, sure, "%.*s, which %s", TS_SPAN_ARG(said), c.effect->says);
	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_effect *effect = ts_effect_of(q->e->facts[i].path);

		if (effect && fits(q, effect) && ts_fact_differs(q, &q->e->facts[i]))
			ts_remain(q, effect->cause);
	}
	if (c.effect->cause == TS_CAUSE_INIT_OR_DATA) {
		ts_remain(q, TS_CAUSE_INIT);
		ts_remain(q, TS_CAUSE_DATA_ORDER);
		ts_remain(q, TS_CAUSE_RNG_STREAM);
	} else if (ts_is_rounding(q)) {
		ts_remain(q, TS_CAUSE_NONDETERMINISM);
	}
	return true;
}

/* Does it act on an update whose gradients agree? A rate does only where rates were not recorded. */
static bool acts_on_update(const struct ts_inquiry *q, const struct ts_effect *effect, int64_t update)
{
	if (!effect || effect->cause != TS_CAUSE_CONFIG || (effect->by_schedule && ts_agrees_at(q, TS_KIND_LR, update)))
		return false;
	return effect->onset == TS_ONSET_ANY ||
	       (effect->onset == TS_ONSET_UPDATE && ts_records(q, q->start, update) <= ts_cut_of(q, TS_CUT_LR_STEPS));
}

bool ts_diagnose_update(struct ts_inquiry *q, int64_t update, enum ts_confidence most)
{
	const struct ts_fact_row *row = NULL;
	const struct ts_effect *effect = NULL;
	struct candidates c;
	struct ts_span said;

	for (size_t i = 0; i < q->e->n_facts && !row; i++) {
		effect = ts_effect_of(q->e->facts[i].path);
		if (ts_fact_differs(q, &q->e->facts[i]) && acts_on_update(q, effect, update))
			row = &q->e->facts[i];
	}
	if (!row)
		return false;
	collect(q, &c);
	if (c.unknown) {
		ts_say_against(q, "the code or other facts differ too, and their effect is not known");
		most = TS_CONFIDENCE_MEDIUM;
	}
	said = values_of(q, row);
	ts_say_for(q,
		   "everything that went into the update of step %" PRId64
		   " agrees, but the parameters after it differ",
		   update);
	ts_say_for(q, "%.*s, which %s", TS_SPAN_ARG(said), effect->says);
	ts_conclude(q, TS_CAUSE_CONFIG, most, "%.*s, which %s", TS_SPAN_ARG(said), effect->says);
	q->d.step = update;
	ts_remain(q, TS_CAUSE_CORRUPTION);
	return true;
}

void ts_remain_facts(struct ts_inquiry *q)
{
	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_fact_row *row = &q->e->facts[i];
		const struct ts_effect *effect = ts_effect_of(row->path);

		if (effect && effect->onset != TS_ONSET_NEVER && !ts_fact_differs(q, row) && fits(q, effect))
			ts_remain(q, effect->cause);
		else if (!effect && row->group == TS_GROUP_CONFIG)
			ts_remain(q, TS_CAUSE_CONFIG);
		if (!effect && (row->group == TS_GROUP_CONFIG || row->group == TS_GROUP_DETERMINISM))
			ts_remain(q, TS_CAUSE_PRECISION);
	}
}

void ts_say_facts(struct ts_inquiry *q)
{
	size_t unknown = 0;

	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_fact_row *row = &q->e->facts[i];
		const struct ts_effect *effect = ts_effect_of(row->path);

		if (!effect) {
			unknown += row->group != TS_GROUP_OTHER;
			continue;
		}
		if (effect->onset == TS_ONSET_NEVER)
			continue;
		if (!ts_fact_differs(q, row)) {
			ts_say_against(q, "only one run recorded %.*s, so it is not known whether it differs",
				       TS_SPAN_ARG(row->path));
			continue;
		}
		if (fits(q, effect))
			continue;
		if (effect->cause == TS_CAUSE_UNKNOWN)
			ts_say_against(q, "%.*s differs: %s", TS_SPAN_ARG(row->path), effect->says);
		else if (q->d.cause == TS_CAUSE_CONFIG && effect->cause == TS_CAUSE_CONFIG)
			continue;
		else
			ts_say_against(
				q, "%.*s differs, which %s; the step and the size of the difference do not fit that",
				TS_SPAN_ARG(row->path), effect->says);
	}
	if (unknown)
		ts_say_against(q, "%s differ%s, and %s effect is not known",
			       ts_say_plural((double)unknown, "other fact").text, unknown == 1 ? "s" : "",
			       unknown == 1 ? "its" : "their");
}

/* --- flags --- */

void ts_say_flags(struct ts_inquiry *q, unsigned *ret_off, unsigned *ret_unknown)
{
	*ret_off = *ret_unknown = 0;
	for (size_t i = 0; i < ts_flags_n; i++) {
		const struct ts_flag *flag = &ts_flags[i];
		enum ts_flag_answer a = ts_flag_of(flag, q->e->facts_a, q->e->world_a),
				    b = ts_flag_of(flag, q->e->facts_b, q->e->world_b);

		if (a == TS_FLAG_OFF || b == TS_FLAG_OFF) {
			ts_say_for(q, "the flag \"%s\" is not set for repeatable runs in %s: %s", flag->name,
				   a == b ? "either run" : (a == TS_FLAG_OFF ? "the first run" : "the second run"),
				   flag->off);
			++*ret_off;
		} else if (a == TS_FLAG_UNKNOWN || b == TS_FLAG_UNKNOWN) {
			++*ret_unknown;
		} else if (a == TS_FLAG_WEAK || b == TS_FLAG_WEAK) {
			ts_say_for(q, "the flag \"%s\" is not set, which matters less from torch %u.%u on", flag->name,
				   flag->optional_from / 100, flag->optional_from % 100);
		}
	}
	if (*ret_unknown)
		ts_say_against(q, "%s of %s for repeatable runs %s not recorded", ts_say_count(*ret_unknown).text,
			       ts_say_plural((double)ts_flags_n, "flag").text, *ret_unknown == 1 ? "is" : "are");
}
