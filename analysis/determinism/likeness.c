#include "analysis/determinism/likeness.h"

#include "analysis/determinism/megatron.h"
#include "analysis/diverge/gap.h"
#include "base/door.h"
#include "base/number.h"
#include "base/text.h"
#include "base/words.h"

#include <inttypes.h>
#include <math.h>

/* Limits: docs/divergence.md. Rounding in float32 stays below 1e-6 for hundreds of steps, and a change of the training is 4e-6 or more
 * at once; in bf16 rounding grows to 1e-3 to 1e-2. */
const struct ts_profile ts_profiles[] = {
	{.name = "bitwise",
	 .holds = "every recorded loss, gradient norm and digest has the same bits at every step",
	 .misses = "what was not recorded: tensors without a digest, steps between digests, other ranks"},
	{.name = "float32",
	 .relative = 2e-6,
	 .holds = "every recorded number agrees to 2e-6 at every step; digests do not count",
	 .misses = "a change whose effect is no larger than rounding in these steps, such as a state that acts later, or one unit in "
		   "the last place of a few weights"},
	{.name = "bf16",
	 .relative = 5e-3,
	 .holds = "every recorded number agrees to 5e-3 at every step; digests do not count",
	 .misses = "a change of a learning rate or of an optimizer's state by a few percent, whose effect in the first tens of steps "
		   "lies "
		   "below 5e-3"},
	{.name = "repeats",
	 .repeats = true,
	 .times = 3,
	 .holds = "every recorded number lies within 3 times of what repeats here differ by; digests do not count",
	 .misses = "whatever is smaller than the scatter of the repeats, and all of a training that scatters much"},
	{.name = "megatron",
	 .megatron = true,
	 .exact = true,
	 .holds = "the exact comparison of Megatron-LM's functional tests passes: numbers agree to 5 decimals, times and memory to 5 %",
	 .misses = "whatever acts below the fifth decimal, and steps and series that the golden record does not name"},
	{.name = "megatron-approximate",
	 .megatron = true,
	 .holds = "the approximate comparison of Megatron-LM's functional tests passes: numbers agree to 5 %, num-zeros "
		  "to 20 %, but for one step in a hundred, at least one",
	 .misses = "a spike at one step, and whatever changes a loss by less than 5 % in these steps, as most faults do at first"},
};
const size_t ts_profiles_n = sizeof ts_profiles / sizeof ts_profiles[0];

TS_WORDS(ts_proof_word, enum ts_proof, "unproved", [TS_PROOF_GREEN] = "green", [TS_PROOF_RED] = "red", [TS_PROOF_UNPROVED] = "unproved")

const struct ts_profile *ts_profile_find(struct ts_span name)
{
	for (size_t i = 0; i < ts_profiles_n; i++)
		if (ts_span_is(name, ts_profiles[i].name))
			return &ts_profiles[i];
	return NULL;
}

/* --- pairs --- */

/* Letters and digits count: "num-zeros" is num_zeros. */
static bool alike(struct ts_span a, struct ts_span b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++) {
		bool plain_a = ts_is_alpha(a.data[i]) || ts_is_digit(a.data[i]);
		bool plain_b = ts_is_alpha(b.data[i]) || ts_is_digit(b.data[i]);

		if (plain_a != plain_b || (plain_a && (a.data[i] | 32) != (b.data[i] | 32)))
			return false;
	}
	return true;
}

/* Without what our columns have in front; Megatron-LM's loss has a name of its own. */
static struct ts_span bare(struct ts_span name)
{
	static const char prefix[] = "scalars.", of_megatron[] = "lm_loss";

	if (ts_span_starts(name, ts_span_str(prefix)))
		name = ts_span_from(name, strlen(prefix));
	return alike(name, ts_span_str(of_megatron)) ? ts_span_str("loss") : name;
}

bool ts_likeness_same_name(struct ts_span a, struct ts_span b)
{
	return alike(bare(a), bare(b));
}

static const struct ts_golden_series *find(const struct ts_golden *golden, const struct ts_golden_series *of)
{
	for (size_t i = 0; i < golden->n; i++)
		if (golden->series[i].digest == of->digest && ts_likeness_same_name(golden->series[i].name, of->name))
			return &golden->series[i];
	return NULL;
}

enum ts_status ts_likeness_keep(struct ts_golden *golden, const struct ts_span *names, size_t n, struct ts_arena *arena,
				struct ts_error *err)
{
	struct ts_golden_series *kept = ts_arena_array(arena, n, sizeof *kept);

	if (!kept)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		kept[i] = (struct ts_golden_series){.name = names[i]};
		for (size_t k = 0; k < golden->n; k++)
			if (ts_likeness_same_name(golden->series[k].name, names[i]))
				kept[i] = golden->series[k];
	}
	golden->series = kept;
	golden->n = n;
	return TS_OK;
}

/* What a machine took, and no number of the training. */
static bool is_cost(const struct ts_golden *golden, struct ts_span name)
{
	return golden->nvidia && (ts_span_is(name, "iteration-time") || ts_span_starts(name, ts_span_str("mem-")));
}

/* --- values --- */

static bool same_bits(double a, double b)
{
	return ts_double_bits(a) == ts_double_bits(b) || (isnan(a) && isnan(b));
}

/* The reference was rounded to so many decimals: the other one is, too. */
static bool same_decimals(double a, double b)
{
	double scale = pow(10, TS_GOLDEN_NVIDIA_DECIMALS);

	/* A tie may be rounded to either side. */
	return same_bits(a, b) || fabs(a - b) * scale <= 0.5 + 1e-9 * fabs(a) * scale;
}

static bool agrees(const struct ts_golden_series *s, const struct ts_golden_value *a, const struct ts_golden_value *b,
		   const struct ts_profile *profile, double limit)
{
	double slack = s->rounded ? 0.5 * pow(10, -TS_GOLDEN_NVIDIA_DECIMALS) : 0;

	if (s->digest)
		return a->word == b->word;
	if (!profile->relative && !profile->repeats)
		return s->rounded ? same_decimals(a->real, b->real) : same_bits(a->real, b->real);
	return same_bits(a->real, b->real) || ts_gap_ratio(a->real, b->real) <= limit ||
	       (slack > 0 && fabs(a->real - b->real) <= slack + limit * fabs(a->real));
}

struct comparing {
	const struct ts_profile *profile;
	struct ts_likeness *out;
};

static void one(struct comparing *c, const struct ts_golden_series *s, const struct ts_golden_series *seen, double limit)
{
	struct ts_likeness *out = c->out;
	bool any = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct ts_golden_value *a = &s->values[i], *b = ts_golden_at(seen, a->step);
		double r;

		if (!b) {
			out->no_points++;
			continue;
		}
		any = true;
		out->points++;
		r = s->digest ? 0 : ts_gap_ratio(a->real, b->real);
		out->greatest = r > out->greatest ? r : out->greatest;
		if (agrees(s, a, b, c->profile, limit) || (out->differs && out->step <= a->step))
			continue;
		out->differs = true;
		out->name = s->name;
		out->step = a->step;
		out->a = *a;
		out->b = *b;
		out->digest = s->digest;
	}
	out->series += any;
}

/* A run's series may be scalars.iteration-time, or iteration_time. */
static enum ts_megatron_what what_of(struct ts_span name)
{
	static const char memory[] = "mem-";
	struct ts_span own = bare(name);

	if (alike(own, ts_span_str("iteration-time")))
		return TS_MEGATRON_TIME;
	if (alike(own, ts_span_str("num-zeros")))
		return TS_MEGATRON_ZEROS;
	return own.len > strlen(memory) && alike(ts_span_part(own, 0, strlen(memory)), ts_span_str(memory)) ? TS_MEGATRON_MEMORY
													    : TS_MEGATRON_NUMBER;
}

static void one_of_megatron(struct comparing *c, const struct ts_golden_series *s, const struct ts_golden_series *seen)
{
	struct ts_likeness *out = c->out;
	struct ts_megatron m;

	ts_megatron_of(s, seen, what_of(s->name), c->profile->exact, &m);
	out->no_series += !m.points;
	out->series += m.points > 0;
	out->points += m.points;
	out->let += m.alike ? m.others : 0;
	if (m.alike || !m.points || (out->differs && out->step <= m.step))
		return;
	out->differs = true;
	out->name = s->name;
	out->step = m.step;
	out->a.real = m.golden;
	out->b.real = m.seen;
	out->digest = false;
}

static const char *counted(struct ts_arena *arena, uint64_t n, const char *what)
{
	return ts_arena_phrase(arena, "%" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
}

static struct ts_span say(const struct ts_likeness *l, const struct ts_profile *profile, struct ts_arena *arena)
{
	const char *text;

	if (l->differs && l->digest)
		text = ts_arena_phrase(arena, "%.*s differs first at step %" PRId64 ": %016" PRIx64 " against %016" PRIx64,
				       TS_SPAN_ARG(l->name), l->step, l->a.word, l->b.word);
	else if (l->differs && profile->megatron && what_of(l->name) == TS_MEGATRON_TIME)
		text = ts_arena_phrase(arena,
				       "the median of %.*s over the steps that count, from step %" PRId64
				       " on, is %.17g against %.17g, a relative difference of %.2g",
				       TS_SPAN_ARG(l->name), l->step, l->a.real, l->b.real, ts_gap_ratio(l->a.real, l->b.real));
	else if (l->differs)
		text = ts_arena_phrase(arena,
				       "%.*s differs first at step %" PRId64 ": %.17g against %.17g, a relative difference of %.2g",
				       TS_SPAN_ARG(l->name), l->step, l->a.real, l->b.real, ts_gap_ratio(l->a.real, l->b.real));
	else if (!l->points)
		text = "there is nothing that both have and that counts";
	else if (l->no_series || l->no_points)
		text = ts_arena_phrase(arena, "%s agree%s, but %" PRIu64 " of the series and %s of the reference are not there",
				       counted(arena, l->points, "value"), l->points == 1 ? "s" : "", l->no_series,
				       counted(arena, l->no_points, "value"));
	else if (profile->megatron)
		text = ts_arena_phrase(
			arena, "%s of %" PRIu64 " series pass%s%s", counted(arena, l->points, "value"), l->series,
			l->points == 1 ? "es" : "",
			l->let ? ts_arena_phrase(arena, ", of which %" PRIu64 " differ%s by more than the limit, which is let pass",
						 l->let, l->let == 1 ? "s" : "")
			       : "");
	else
		text = ts_arena_phrase(arena, "%s of %" PRIu64 " series agree%s%s%s", counted(arena, l->points, "value"), l->series,
				       l->points == 1 ? "s" : "",
				       profile->relative || profile->repeats ? ", to " : " in every bit",
				       profile->relative || profile->repeats ? ts_arena_phrase(arena, "%.2g", l->greatest) : "");
	return ts_span_str(text);
}

enum ts_status ts_likeness_of(const struct ts_golden *reference, const struct ts_golden *seen, const struct ts_profile *profile,
			      const double *limits, struct ts_arena *arena, struct ts_likeness *ret, struct ts_error *err)
{
	struct comparing c = {.profile = profile, .out = ret};
	bool bitwise = !profile->relative && !profile->repeats && !profile->megatron;

	TS_DOOR(!profile->repeats || limits);
	*ret = (struct ts_likeness){.proof = TS_PROOF_UNPROVED};
	for (size_t i = 0; i < reference->n; i++) {
		const struct ts_golden_series *s = &reference->series[i], *other;

		if ((is_cost(reference, s->name) && !profile->megatron) || (s->digest && !bitwise))
			continue;
		ret->no_points += profile->megatron ? 0 : s->n_empty;
		other = s->n || s->n_empty ? find(seen, s) : NULL;
		if (other && profile->megatron)
			one_of_megatron(&c, s, other);
		else if (other)
			one(&c, s, other, profile->repeats ? profile->times * limits[i] : profile->relative);
		else
			ret->no_series++;
	}
	ret->proof = ret->differs					 ? TS_PROOF_RED
		     : ret->points && !ret->no_series && !ret->no_points ? TS_PROOF_GREEN
									 : TS_PROOF_UNPROVED;
	ret->sentence = say(ret, profile, arena);
	return ts_arena_check(arena, err);
}

void ts_likeness_widen(const struct ts_golden *reference, const struct ts_golden *repeat, double *limits)
{
	for (size_t i = 0; i < reference->n; i++) {
		const struct ts_golden_series *s = &reference->series[i], *other = s->digest ? NULL : find(repeat, s);

		for (size_t k = 0; other && k < s->n; k++) {
			const struct ts_golden_value *b = ts_golden_at(other, s->values[k].step);
			double r = b ? ts_gap_ratio(s->values[k].real, b->real) : 0;

			limits[i] = r > limits[i] ? r : limits[i];
		}
	}
}
