/* diagnose_facts.c - explains a divergence by facts that differ.
 *
 * A fact that differs is a candidate unless it is known to be harmless or a record contradicts it: a learning rate where that series
 * agrees, an order of data where the batches agree. What is known of its effect (effects.h: when it shows, how large it is) says
 * which candidate comes first, never which one is left out. High confidence needs digests that show that everything else that
 * went into the step agrees, an effect that is known, and no other candidate.
 */
#include "analysis/diverge/inquiry.h"
#include "analysis/diverge/setting_names.h"
#include "analysis/diverge/testimony.h"

#include "analysis/answer/say.h"

#include "base/door.h"
#include "base/number.h"
#include "base/text.h"

enum { SHOWN_TEXT = 40 };

enum { SURFACE = 10 }; /* records within which a rounding difference from the first pass on shows in a loss; measured 0 to 6 */

/* How well a fact that differs fits the observed differences. */
enum fit {
	FIT_NONE = 0,	      /* harmless, or not known to differ */
	FIT_CONTRADICTED = 1, /* a record shows that it had no effect */
	FIT_IDLE = 2,	      /* its effect is not known, and by its name it has none */
	FIT_ODD = 3,	      /* its effect usually shows at another place or in another way */
	FIT_ANY = 4,	      /* its effect is not known, or may show anywhere */
	FIT_TYPICAL = 5,
};

/* --- what is typical --- */

static bool grad_is_finite(const struct ts_inquiry *q)
{
	const struct ts_first *norm = &q->first[TS_KIND_GRAD_NORM];

	return norm->parts && norm->step <= q->f && norm->jump >= ts_cut_of(q, TS_CUT_GRAD);
}

static bool fits_push(const struct ts_inquiry *q, const struct ts_effect *effect)
{
	bool rounding = ts_is_rounding(q) && !grad_is_finite(q);

	if (q->coarse || q->late || isnan(q->jump))
		return effect->push != TS_PUSH_NONE;
	if (effect->cause == TS_CAUSE_PRECISION && q->jump > ts_cut_of(q, TS_CUT_PRECISION))
		return false;
	if (effect->cause == TS_CAUSE_REDUCTION_ORDER && q->jump > ts_cut_of(q, TS_CUT_INIT))
		return false;
	switch (effect->push) {
	case TS_PUSH_ROUNDING:
		return rounding;
	case TS_PUSH_FINITE:
		/* The first updates of an adaptive optimizer hardly show its settings. */
		return ts_is_finite(q) || effect->onset == TS_ONSET_UPDATE;
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
		/* Of two networks, the second is trained on the output of the first after its update, within one
		 * step. */
		return (after > 0 || q->cadence > 1 || !ts_at_first_pass(q) || ts_in_turn(q) || !q->first[TS_KIND_LOSS].parts ||
			q->first[TS_KIND_LOSS].step > q->f) &&
		       after <= ts_cut_of(q, TS_CUT_LR_STEPS);
	case TS_ONSET_ANY:
		return true;
	case TS_ONSET_NEVER:
		break;
	}
	return false;
}

/* Digests show where in the step the difference began: a setting of the update does not change a loss of the same
 * step. */
static bool fits_place(const struct ts_inquiry *q, const struct ts_effect *effect, enum ts_place place)
{
	if (place == TS_PLACE_UPDATE)
		return effect->onset == TS_ONSET_UPDATE || effect->onset == TS_ONSET_ANY;
	if (place == TS_PLACE_PASS)
		return effect->onset != TS_ONSET_UPDATE || ts_in_turn(q);
	if (place == TS_PLACE_BATCH)
		return effect->cause != TS_CAUSE_PRECISION && effect->cause != TS_CAUSE_PLATFORM && effect->onset != TS_ONSET_UPDATE;
	return true;
}

/* --- what a record contradicts --- */

static bool inputs_agree(const struct ts_inquiry *q)
{
	return ts_agrees_at(q, TS_KIND_BATCH, q->f) && ts_agrees_at(q, TS_KIND_RNG, q->f) && ts_same_parameters(q);
}

static bool contradicted(const struct ts_inquiry *q, const struct ts_effect *effect)
{
	if (effect->by_schedule == TS_SCHEDULE_ALL && ts_agrees_at(q, TS_KIND_LR, q->f))
		return true;
	if (effect->cause == TS_CAUSE_DATA_ORDER || effect->cause == TS_CAUSE_DATA_SET || effect->cause == TS_CAUSE_INIT)
		return ts_contradicts(q, effect->cause) != NULL;
	return effect->cause == TS_CAUSE_INIT_OR_DATA && inputs_agree(q);
}

/* Returns what an unknown key stands for, or NULL where its group says nothing about that. */
static const struct ts_effect *effect_of_group(enum ts_group group)
{
	static const struct ts_effect setting = {
		{NULL}, TS_CAUSE_CONFIG, TS_ONSET_ANY, TS_PUSH_ANY, false, "is a setting whose effect tscope does not know", ""};
	static const struct ts_effect flag = {
		{NULL}, TS_CAUSE_PRECISION, TS_ONSET_ANY, TS_PUSH_ANY, false, "is a flag whose effect tscope does not know", ""};
	static const struct ts_effect library = {
		{NULL}, TS_CAUSE_PLATFORM, TS_ONSET_ANY, TS_PUSH_ANY, false, "is a library whose effect tscope does not know", ""};

	if (group == TS_GROUP_CONFIG)
		return &setting;
	if (group == TS_GROUP_DETERMINISM)
		return &flag;
	return group == TS_GROUP_LIBRARIES ? &library : NULL;
}

static const struct ts_effect *effect_of(const struct ts_fact_row *row, bool *ret_known)
{
	const struct ts_effect *effect = ts_effect_of(row->path);

	*ret_known = effect != NULL;
	return effect ? effect : effect_of_group(row->group);
}

static bool of_loader(struct ts_span path)
{
	return ts_span_starts(path, ts_span_str("work.loader."));
}

/* Where the sampler draws the same, a seed of the data is not the sampler's. */
static const struct ts_effect made_data = {{NULL},
					   TS_CAUSE_DATA_SET,
					   TS_ONSET_ANY,
					   TS_PUSH_FINITE,
					   TS_SCHEDULE_NONE,
					   "is a seed of the data, and makes other data where the sampler draws the same",
					   ""};

static bool is_seed_of_data(struct ts_span path)
{
	return ts_glob(ts_span_str("*data*"), path) && ts_glob(ts_span_str("*seed*"), path);
}

/* A seed beside one of the initialization and one of the data is of what is drawn while training. */
static const struct ts_effect other_draws = {
	{NULL},
	TS_CAUSE_RNG_STREAM,
	TS_ONSET_ANY,
	TS_PUSH_FINITE,
	TS_SCHEDULE_NONE,
	"is neither the seed of the initialization nor that of the data, which agree: it gives other "
	"dropout masks or other random draws",
	""};

/* A sum in another order rounds otherwise, and does no more to the first loss. */
static const struct ts_effect other_shares = {{NULL},
					      TS_CAUSE_CONFIG,
					      TS_ONSET_FIRST,
					      TS_PUSH_FINITE,
					      TS_SCHEDULE_NONE,
					      "may give each rank another share of the data, and other draws of its own",
					      ""};

/* Ranks that have parts of one model share their data: how many parts there are gives no rank other data. */
static bool shares_differ(const struct ts_inquiry *q, const struct ts_fact_row *row, const struct ts_effect *effect)
{
	return (ts_span_is(row->path, "parallelism.world_size") || ts_glob(ts_span_str("parallelism.*data_parallel*"), row->path)) &&
	       effect->cause == TS_CAUSE_REDUCTION_ORDER && ts_worlds_differ(q) && ts_at_start(q) && !q->coarse &&
	       q->jump > ts_cut_of(q, TS_CUT_INIT);
}

static bool has_seed_of(const struct ts_facts *facts, enum ts_cause cause)
{
	for (size_t i = 0; facts && i < facts->n; i++) {
		const struct ts_effect *effect = ts_effect_of(facts->items[i].path);

		if (ts_span_starts(facts->items[i].path, ts_span_str("seeds.")) && effect && effect->cause == cause)
			return true;
	}
	return false;
}

/* Only this one of the seeds differs, and both runs say those of the initialization and of the data. */
static bool is_other_seed(const struct ts_inquiry *q, const struct ts_fact_row *row)
{
	if (row->group != TS_GROUP_SEEDS)
		return false;
	for (size_t i = 0; i < q->e->n_facts; i++)
		if (q->e->facts[i].group == TS_GROUP_SEEDS && !ts_span_eq(q->e->facts[i].path, row->path))
			return false;
	return has_seed_of(q->e->facts_a, TS_CAUSE_INIT) && has_seed_of(q->e->facts_b, TS_CAUSE_INIT) &&
	       has_seed_of(q->e->facts_a, TS_CAUSE_DATA_ORDER) && has_seed_of(q->e->facts_b, TS_CAUSE_DATA_ORDER);
}

static enum fit fit_of(const struct ts_inquiry *q, const struct ts_fact_row *row, enum ts_place place,
		       const struct ts_effect **ret_effect)
{
	bool known;
	const struct ts_effect *effect = effect_of(row, &known);

	if (effect && effect->cause == TS_CAUSE_DATA_ORDER && is_seed_of_data(row->path) && ts_agrees_at(q, TS_KIND_INDICES, q->f))
		effect = &made_data;
	if (effect && effect->cause == TS_CAUSE_INIT_OR_DATA && is_other_seed(q, row))
		effect = &other_draws;
	if (effect && shares_differ(q, row, effect))
		effect = &other_shares;
	*ret_effect = effect;
	if (!effect || effect->onset == TS_ONSET_NEVER)
		return FIT_NONE;
	/* Each of more ranks has a smaller share of the same batch. */
	if (row->group == TS_GROUP_WORK && ts_worlds_differ(q))
		return FIT_NONE;
	if (contradicted(q, effect))
		return FIT_CONTRADICTED;
	if (row->group == TS_GROUP_LIBRARIES && !known)
		return FIT_ODD;
	if (!known && ts_setting_guess_of(row->path) == TS_SETTING_IDLE)
		return FIT_IDLE;
	if (!known || effect->cause == TS_CAUSE_CODE || of_loader(row->path))
		return FIT_ANY;
	/* Where digests show the place in the step where it began, the size adds nothing. */
	return ((place != TS_PLACE_UNKNOWN && effect->push != TS_PUSH_ROUNDING) || fits_push(q, effect)) && fits_onset(q, effect) &&
			       fits_place(q, effect, place)
		       ? FIT_TYPICAL
		       : FIT_ODD;
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
	TS_DOOR(ts_inquiry_holds(q));
	if ((row->a && row->b) || q->whole[row->group])
		return true;
	return ts_span_starts(row->path, ts_span_str("determinism.env.")) &&
	       says_below(row->a ? q->e->facts_b : q->e->facts_a, "determinism.env");
}

bool ts_config_known(const struct ts_inquiry *q)
{
	const struct ts_facts *sides[] = {q->e->facts_a, q->e->facts_b};

	TS_DOOR(ts_inquiry_holds(q));
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
	TS_DOOR(ts_inquiry_holds(q));
	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_fact_row *row = &q->e->facts[i];

		if (row->group == group && ts_fact_differs(q, row) && ts_effect_may_act(row->path))
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

	TS_DOOR(ts_inquiry_holds(q));
	return says(q->e->facts_a, globs) && says(q->e->facts_b, globs);
}

/* --- explanations --- */

enum { LIKELIEST = 3 };

/* The facts that may be the cause, and the likeliest of them. */
struct candidates {
	const struct ts_fact_row *row;
	const struct ts_effect *effect;
	enum fit fit;
	const struct ts_fact_row *likeliest[LIKELIEST]; /* settings of unknown effect that are not idle by their names */
	size_t n_likeliest, n_unknown;
	size_t n_known; /* facts of known effect */
	bool causes[TS_CAUSES];
	size_t n_causes;
};

static bool draws(enum ts_cause cause)
{
	return cause == TS_CAUSE_INIT || cause == TS_CAUSE_DATA_ORDER || cause == TS_CAUSE_RNG_STREAM ||
	       cause == TS_CAUSE_INIT_OR_DATA;
}

/* Of facts that fit equally well, one whose effect is known comes before one that may have any effect; the code,
 * which may have any effect, is last. What a loader says of itself follows from a setting: one that acts by its name comes first. */
static int weight(enum fit fit, const struct ts_effect *effect, struct ts_span path)
{
	int w = (int)fit * 8;

	if (effect->cause == TS_CAUSE_CODE)
		return w;
	if (of_loader(path))
		return w + 2;
	if (!effect->paths[0])
		return w + (ts_setting_guess_of(path) == TS_SETTING_ACTS ? 3 : 1);
	if (effect->push == TS_PUSH_ANY)
		return w + 4;
	return w + (effect->cause == TS_CAUSE_INIT_OR_DATA ? 5 : 6);
}

static bool is_unknown_setting(const struct ts_fact_row *row, const struct ts_effect *effect, enum fit fit)
{
	return row->group == TS_GROUP_CONFIG && !effect->paths[0] && fit == FIT_ANY;
}

/* Those that act by their names come first, each in the order of the paths. */
static void note_likely(struct candidates *c, const struct ts_fact_row *row)
{
	bool acts = ts_setting_guess_of(row->path) == TS_SETTING_ACTS;
	size_t at = c->n_likeliest;

	c->n_unknown++;
	while (acts && at > 0 && ts_setting_guess_of(c->likeliest[at - 1]->path) != TS_SETTING_ACTS)
		at--;
	if (at >= LIKELIEST)
		return;
	c->n_likeliest += c->n_likeliest < LIKELIEST;
	memmove(&c->likeliest[at + 1], &c->likeliest[at], (c->n_likeliest - at - 1) * sizeof(c->likeliest[0]));
	c->likeliest[at] = row;
}

static void collect(const struct ts_inquiry *q, enum ts_place place, struct candidates *c)
{
	*c = (struct candidates){.row = NULL};
	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_effect *effect;
		enum fit fit = fit_of(q, &q->e->facts[i], place, &effect);

		if (fit <= FIT_IDLE || !ts_fact_differs(q, &q->e->facts[i]))
			continue;
		c->n_causes += !c->causes[effect->cause];
		c->causes[effect->cause] = true;
		c->n_known += effect->paths[0] && effect->cause != TS_CAUSE_CODE;
		if (is_unknown_setting(&q->e->facts[i], effect, fit))
			note_likely(c, &q->e->facts[i]);
		if (!c->effect || weight(fit, effect, q->e->facts[i].path) > weight(c->fit, c->effect, c->row->path)) {
			c->effect = effect;
			c->row = &q->e->facts[i];
			c->fit = fit;
		}
	}
}

/* A setting may make other data, but other data do not make another setting: what is known of the data comes second to a setting of
 * unknown effect. */
static bool makes_data(const struct ts_inquiry *q, const struct ts_fact_row *row)
{
	return row->group == TS_GROUP_CONFIG && !ts_effect_of(row->path) && ts_setting_guess_of(row->path) != TS_SETTING_IDLE &&
	       ts_fact_differs(q, row);
}

bool ts_setting_makes_data(const struct ts_inquiry *q)
{
	TS_DOOR(ts_inquiry_holds(q));
	for (size_t i = 0; i < q->e->n_facts; i++)
		if (makes_data(q, &q->e->facts[i]))
			return true;
	return false;
}

static void setting_before_data(const struct ts_inquiry *q, enum ts_place place, struct candidates *c)
{
	if (!c->row || c->row->group != TS_GROUP_DATA || c->effect->cause != TS_CAUSE_DATA_SET)
		return;
	for (size_t i = 0; i < q->e->n_facts; i++) {
		if (!makes_data(q, &q->e->facts[i]))
			continue;
		c->row = &q->e->facts[i];
		c->fit = fit_of(q, c->row, place, &c->effect);
		return;
	}
}

/* The facts that declare it agree where a batch, a parameter or a mask is drawn, and no digest shows which. */
static bool only_draws(const struct candidates *c)
{
	for (int i = 0; i < TS_CAUSES; i++)
		if (c->causes[i] && !draws((enum ts_cause)i))
			return false;
	return c->n_causes > 1;
}

bool ts_fact_names(const struct ts_inquiry *q, enum ts_cause cause)
{
	struct candidates c;

	TS_DOOR(ts_inquiry_holds(q));
	collect(q, TS_PLACE_UNKNOWN, &c);
	return c.causes[cause];
}

static bool code_known(const struct ts_facts *facts)
{
	const struct ts_fact *commit = facts ? ts_facts_find(facts, ts_span_str("code.commit")) : NULL;
	const struct ts_fact *dirty = facts ? ts_facts_find(facts, ts_span_str("code.dirty")) : NULL;

	return commit && dirty && dirty->type == TS_FACT_BOOL && !dirty->boolean;
}

bool ts_recipe_agrees(const struct ts_inquiry *q)
{
	return ts_config_known(q) && code_known(q->e->facts_a) && code_known(q->e->facts_b) &&
	       !ts_group_differs(q, TS_GROUP_CODE) && !ts_group_differs(q, TS_GROUP_CONFIG);
}

/* Both recorded some fact of that group, and none that has an effect differs. */
static bool group_agrees(const struct ts_inquiry *q, enum ts_group group, const char *glob)
{
	const char *const globs[] = {glob, NULL};

	return says(q->e->facts_a, globs) && says(q->e->facts_b, globs) && !ts_group_differs(q, group);
}

bool ts_same_recipe_and_platform(const struct ts_inquiry *q)
{
	TS_DOOR(ts_inquiry_holds(q));
	return ts_recipe_agrees(q) && group_agrees(q, TS_GROUP_LIBRARIES, "libraries.*") &&
	       group_agrees(q, TS_GROUP_HARDWARE, "hardware.*") && group_agrees(q, TS_GROUP_DETERMINISM, "determinism.*") &&
	       !ts_worlds_differ(q);
}

static bool seeds_agree(const struct ts_inquiry *q)
{
	static const char *const globs[] = {"seeds.*", NULL};

	return says(q->e->facts_a, globs) && says(q->e->facts_b, globs) && !ts_group_differs(q, TS_GROUP_SEEDS);
}

enum { LATE_RECORDS = 10 };

/* Lists what lowers the confidence in a fact. */
static enum ts_confidence confidence_of(struct ts_inquiry *q, const struct candidates *c, enum ts_place place)
{
	enum ts_confidence sure = place == TS_PLACE_UNKNOWN ? TS_CONFIDENCE_MEDIUM : TS_CONFIDENCE_HIGH;
	unsigned off = 0, unknown = 0;

	if (c->causes[TS_CAUSE_CODE] && c->effect->cause != TS_CAUSE_CODE) {
		ts_say_against(q, "the code differs too, and may have any effect");
		sure = TS_CONFIDENCE_LOW;
	}
	if (c->effect->cause == TS_CAUSE_CODE && ts_records(q, q->start, q->f) >= LATE_RECORDS) {
		ts_say_against(q, "the two runs agree over %s before, and other code mostly acts from the first step on",
			       ts_say_plural(ts_records(q, q->start, q->f), "record").text);
		sure = TS_CONFIDENCE_LOW;
	}
	if (c->fit == FIT_ODD) {
		ts_say_against(q, "the step and the size of the difference are not typical of it, but no record contradicts it "
				  "and nothing else that was recorded explains the difference");
		sure = TS_CONFIDENCE_LOW;
	} else if (c->fit == FIT_ANY && sure == TS_CONFIDENCE_HIGH) {
		sure = TS_CONFIDENCE_MEDIUM;
	}
	if (place == TS_PLACE_UNKNOWN && (draws(c->effect->cause) || c->effect->cause == TS_CAUSE_DATA_SET))
		ts_say_against(
			q, "no digest of batches, parameters or random generators shows that the setting took effect");
	if (ts_at_start(q) && ts_is_finite(q) && place == TS_PLACE_UNKNOWN && !draws(c->effect->cause) && !seeds_agree(q)) {
		ts_say_against(q, "not both runs recorded their seeds, and different parameters or data would show at "
				  "the same step");
		sure = TS_CONFIDENCE_LOW;
	}
	if (ts_is_rounding(q) && !ts_is_pushed(q) && place == TS_PLACE_UNKNOWN) {
		ts_say_flags(q, &off, &unknown);
		if (c->effect->push == TS_PUSH_ANY && c->fit != FIT_TYPICAL)
			sure = TS_CONFIDENCE_LOW;
	}
	if (q->coarse) {
		ts_say_against(q,
			       "the first visible difference is only as large as the rounding of the written values");
		sure = TS_CONFIDENCE_LOW;
	} else if (q->late) {
		ts_say_hidden(q);
		sure = TS_CONFIDENCE_LOW;
	}
	/* Another fact of known effect is excluded by no record. */
	if (sure == TS_CONFIDENCE_HIGH && c->n_known > 1)
		sure = TS_CONFIDENCE_MEDIUM;
	return c->n_causes > 1 ? TS_CONFIDENCE_LOW : sure;
}

/* Returns the value as a sentence shows it; long texts are cut between characters. */
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
	struct ts_span absent = ts_span_str(row->group == TS_GROUP_LIBRARIES ? "not installed" : "not set");
	struct ts_span a = row->a ? value_of(q, row->a) : absent, b = row->b ? value_of(q, row->b) : absent;

	return ts_inquiry_text(q, "%.*s differs (%.*s in the first run, %.*s in the second)", TS_SPAN_ARG(row->path),
			       TS_SPAN_ARG(a), TS_SPAN_ARG(b));
}

/* True for what somebody can set: not for a library, device or commit. */
static bool can_be_set(const struct ts_fact_row *row)
{
	return row->group == TS_GROUP_CONFIG || row->group == TS_GROUP_SEEDS || row->group == TS_GROUP_DETERMINISM;
}

const struct ts_fact_row *ts_setting_to_put_back(struct ts_inquiry *q, struct ts_span *ret_value)
{
	const struct ts_fact_row *found = NULL;
	int most = 0;

	TS_DOOR(ts_inquiry_holds(q));
	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_fact_row *row = &q->e->facts[i];
		const struct ts_effect *effect;
		enum fit fit = fit_of(q, row, TS_PLACE_UNKNOWN, &effect);

		if (fit <= FIT_IDLE || !row->a || !row->b || !can_be_set(row) || weight(fit, effect, row->path) <= most)
			continue;
		most = weight(fit, effect, row->path);
		found = row;
	}
	if (found)
		*ret_value = value_of(q, found->a);
	return found;
}

static void conclude_draws(struct ts_inquiry *q)
{
	ts_conclude(q, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW,
		    "Several seeds differ, and no digest shows which of them acts first: the initialization, the data or random "
		    "draws differ");
	ts_remain(q, TS_CAUSE_INIT);
	ts_remain(q, TS_CAUSE_DATA_ORDER);
	ts_remain(q, TS_CAUSE_RNG_STREAM);
}

/* "config.a (1, then 2), config.b (not set, then 3) and config.c": a few, so that a person can try them in that order. */
static struct ts_span list_of(struct ts_inquiry *q, const struct ts_fact_row *const rows[], size_t n)
{
	struct ts_span text = ts_span_str("");

	for (size_t i = 0; i < n; i++)
		text = ts_inquiry_text(q, "%.*s%s%.*s", TS_SPAN_ARG(text),
				       i == 0	    ? ""
				       : i + 1 == n ? " and "
						    : ", ",
				       TS_SPAN_ARG(rows[i]->path));
	return text;
}

/* Nothing tells which of them it is: none is named alone. */
static void conclude_several(struct ts_inquiry *q, const struct candidates *c)
{
	struct ts_span list = list_of(q, c->likeliest, c->n_likeliest);

	for (size_t i = 0; i < c->n_likeliest; i++)
		ts_say_for(q, "%.*s", TS_SPAN_ARG(values_of(q, c->likeliest[i])));
	if (c->n_unknown > c->n_likeliest)
		ts_conclude(
			q, TS_CAUSE_CONFIG, TS_CONFIDENCE_LOW,
			"%zu settings differ whose effect tscope does not know, and any of them may be the cause; by their names the "
			"likeliest are %.*s",
			c->n_unknown, TS_SPAN_ARG(list));
	else
		ts_conclude(q, TS_CAUSE_CONFIG, TS_CONFIDENCE_LOW,
			    "%zu settings differ whose effect tscope does not know, and any of them may be the cause: %.*s",
			    c->n_unknown, TS_SPAN_ARG(list));
}

/* A batch that is split otherwise rounds otherwise; what differs by more is a batch of another size. */
static enum ts_cause cause_of(const struct ts_inquiry *q, const struct candidates *c, enum ts_place place)
{
	bool other = c->row->group == TS_GROUP_CONFIG && c->effect->cause == TS_CAUSE_REDUCTION_ORDER &&
		     !ts_worlds_differ(q) && (place == TS_PLACE_BATCH || q->first[TS_KIND_BATCH].parts ||
					      (ts_is_finite(q) && q->jump > ts_cut_of(q, TS_CUT_INIT)));

	return other ? TS_CAUSE_CONFIG : c->effect->cause;
}

/* A setting of unknown effect: one whose whole effect on a pass is rounding selects another kernel or precision, and where the effect
 * is small a kernel and a setting look the same. */
static void by_size(struct ts_inquiry *q, struct ts_span path)
{
	bool acts = ts_setting_guess_of(path) == TS_SETTING_ACTS, rounding = ts_is_rounding(q) && !ts_is_pushed(q);

	if (!rounding && (acts || !(q->jump < ts_cut_of(q, TS_CUT_PRECISION))))
		return;
	if (rounding && acts && !ts_at_first_pass(q))
		return;
	q->d.cause = rounding ? TS_CAUSE_PRECISION : TS_CAUSE_COMPUTATION;
	ts_say_for(q, "the pass differs by a relative difference of %s, as small as with another kernel or precision",
		   ts_say_number(q->jump).text);
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_PRECISION);
}

bool ts_diagnose_facts(struct ts_inquiry *q, enum ts_place place)
{
	struct candidates c;
	struct ts_span said;
	enum ts_confidence sure;

	TS_DOOR(ts_inquiry_holds(q));
	collect(q, place, &c);
	setting_before_data(q, place, &c);
	if (!c.effect)
		return false;
	if (only_draws(&c)) {
		conclude_draws(q);
		return true;
	}
	if (is_unknown_setting(c.row, c.effect, c.fit) && c.n_unknown > 1) {
		conclude_several(q, &c);
		return true;
	}
	sure = confidence_of(q, &c, place);
	said = values_of(q, c.row);
	ts_say_for(q, "%.*s, which %s", TS_SPAN_ARG(said), c.effect->says);
	if (place == TS_PLACE_UNKNOWN && ts_at_start(q))
		ts_say_for(q, "the two runs differ from their first common step on");
	else if (place == TS_PLACE_UNKNOWN)
		ts_say_for(q, "the two runs agree from step %" PRId64 " on and first differ at step %" PRId64, q->start,
			   q->f);
	ts_conclude(q, cause_of(q, &c, place), sure, "%.*s, which %s", TS_SPAN_ARG(said), c.effect->says);
	if (is_unknown_setting(c.row, c.effect, c.fit) &&
	    (place == TS_PLACE_PASS || (place == TS_PLACE_UNKNOWN && ts_same_parameters(q) && ts_agrees_at(q, TS_KIND_BATCH, q->f))))
		by_size(q, c.row->path);
	return true;
}

/* True for a setting whose effect is known, except one that only one run recorded. */
static void remain_fits(struct ts_inquiry *q, enum fit least, bool differs)
{
	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_effect *effect;

		if (ts_fact_differs(q, &q->e->facts[i]) == differs && fit_of(q, &q->e->facts[i], TS_PLACE_UNKNOWN, &effect) == least)
			ts_remain(q, effect->cause);
	}
}

void ts_remain_facts(struct ts_inquiry *q)
{
	TS_DOOR(ts_inquiry_holds(q));
	remain_fits(q, FIT_TYPICAL, true);
	remain_fits(q, FIT_ANY, true);
	remain_fits(q, FIT_ODD, true);
	remain_fits(q, FIT_TYPICAL, false);
}

bool ts_other_fact_known(struct ts_inquiry *q, enum ts_cause cause)
{
	TS_DOOR(ts_inquiry_holds(q));
	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_effect *effect;

		if (fit_of(q, &q->e->facts[i], TS_PLACE_UNKNOWN, &effect) >= FIT_ODD && ts_fact_differs(q, &q->e->facts[i]) &&
		    effect->paths[0] && effect->cause != cause)
			return true;
	}
	return false;
}

/* --- in the first sentence --- */

/* The likeliest facts that no record contradicts, and how many there are. */
static size_t likeliest_of(struct ts_inquiry *q, const struct ts_fact_row *rows[LIKELIEST], size_t *ret_all)
{
	int weights[LIKELIEST];
	size_t n = 0;

	*ret_all = 0;
	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_fact_row *row = &q->e->facts[i];
		const struct ts_effect *effect;
		enum fit fit = fit_of(q, row, TS_PLACE_UNKNOWN, &effect);
		size_t at;

		if (fit <= FIT_IDLE || !ts_fact_differs(q, row))
			continue;
		/* Where the training agrees, what acts on it is not the cause. */
		if (!q->has_f && effect->paths[0])
			continue;
		++*ret_all;
		for (at = n; at > 0 && weights[at - 1] < weight(fit, effect, row->path); at--)
			;
		if (at == LIKELIEST)
			continue;
		n += n < LIKELIEST;
		memmove(&rows[at + 1], &rows[at], (n - at - 1) * sizeof(rows[0]));
		memmove(&weights[at + 1], &weights[at], (n - at - 1) * sizeof(weights[0]));
		rows[at] = row;
		weights[at] = weight(fit, effect, row->path);
	}
	return n;
}

/* Other code may have any effect, and comes last: where a setting is named, it must not be forgotten. */
static void name_code(struct ts_inquiry *q)
{
	if (q->d.cause != TS_CAUSE_CONFIG || !q->has_f || !ts_fact_names(q, TS_CAUSE_CODE) ||
	    ts_span_has(q->d.sentence, ts_span_str("code.")))
		return;
	q->d.sentence = ts_inquiry_text(q, "%.*s; the code differs too (code.commit)", TS_SPAN_ARG(q->d.sentence));
}

void ts_name_facts(struct ts_inquiry *q)
{
	const struct ts_fact_row *rows[LIKELIEST];
	size_t all, n = likeliest_of(q, rows, &all);
	struct ts_span list;

	TS_DOOR(ts_inquiry_holds(q));
	if (n == 0)
		return;
	if (ts_span_has(q->d.sentence, rows[0]->path)) {
		name_code(q);
		return;
	}
	if (n == 1) {
		struct ts_span values = values_of(q, rows[0]);

		q->d.sentence = ts_inquiry_text(q, "%.*s; %.*s, and no record excludes it as the cause", TS_SPAN_ARG(q->d.sentence),
						TS_SPAN_ARG(values));
		return;
	}
	list = list_of(q, rows, n);
	q->d.sentence =
		ts_inquiry_text(q, "%.*s; %zu recorded facts differ that no record excludes as the cause%s%.*s",
				TS_SPAN_ARG(q->d.sentence), all, all > n ? ", the likeliest of them " : ": ", TS_SPAN_ARG(list));
}

static struct ts_span contradiction_of(struct ts_inquiry *q, const struct ts_effect *effect)
{
	const struct ts_testimony *row = ts_contradicts(q, effect->cause);

	if (effect->by_schedule)
		return ts_span_str("the learning rates agree");
	if (effect->cause == TS_CAUSE_INIT_OR_DATA)
		return ts_span_str("the parameters, the batches and the generators agree");
	return row ? ts_testimony_text(q, row) : ts_span_str("the batches agree");
}

/* Says why a fact that differs is not the cause. */
static void say_other(struct ts_inquiry *q, const struct ts_fact_row *row, const struct ts_effect *effect, enum fit fit)
{
	if (fit == FIT_CONTRADICTED)
		ts_say_against(q, "%.*s differs, which %s; a record contradicts that: %.*s", TS_SPAN_ARG(row->path), effect->says,
			       TS_SPAN_ARG(contradiction_of(q, effect)));
	else if (effect->cause != q->d.cause)
		ts_say_against(q, "%.*s differs too, which %s", TS_SPAN_ARG(row->path), effect->says);
}

void ts_say_facts(struct ts_inquiry *q)
{
	size_t unknown = 0;

	TS_DOOR(ts_inquiry_holds(q));
	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_fact_row *row = &q->e->facts[i];
		const struct ts_effect *effect;
		enum fit fit = fit_of(q, row, TS_PLACE_UNKNOWN, &effect);

		if (!effect) {
			unknown += row->group != TS_GROUP_OTHER;
			continue;
		}
		if (fit == FIT_NONE)
			continue;
		if (!ts_fact_differs(q, row))
			ts_say_against(q, "only one run recorded %.*s, so it is not known whether it differs",
				       TS_SPAN_ARG(row->path));
		else
			say_other(q, row, effect, fit);
	}
	if (unknown)
		ts_say_against(q, "%s differ%s, and %s effect is not known",
			       ts_say_plural((double)unknown, "other fact").text, unknown == 1 ? "s" : "",
			       unknown == 1 ? "its" : "their");
}

/* --- flags --- */

void ts_say_flags(struct ts_inquiry *q, unsigned *ret_off, unsigned *ret_unknown)
{
	TS_DOOR(ts_inquiry_holds(q));
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
