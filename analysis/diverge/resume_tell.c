/* resume_tell.c - what each series of a resumed run shows, as evidence and as rows of the answer.
 *
 * resume_judge.c decides.
 */
#include "analysis/diverge/resume_internal.h"
#include "base/door.h"
#include "run/role.h"

#include <stdio.h>

enum { SENTENCE = 2048 };

/* --- sentences --- */

/* A name that is too long for a sentence is cut: names of series come from outside. */
struct ts_span ts_resume_vsay(struct ts_resume_judge *j, const char *format, va_list args)
{
	char text[SENTENCE];

	TS_DOOR(ts_resume_judge_holds(j));
	(void)vsnprintf(text, sizeof text, format, args);
	return ts_span_str(ts_arena_phrase(j->arena, "%s", text));
}

void ts_resume_for(struct ts_resume_judge *j, const char *format, ...)
{
	va_list args;

	TS_DOOR(ts_resume_judge_holds(j));
	va_start(args, format);
	if (j->out->n_for < TS_RESUME_SENTENCES)
		j->out->evidence_for[j->out->n_for++] = ts_resume_vsay(j, format, args);
	va_end(args);
}

void ts_resume_against(struct ts_resume_judge *j, const char *format, ...)
{
	va_list args;

	TS_DOOR(ts_resume_judge_holds(j));
	va_start(args, format);
	if (j->out->n_against < TS_RESUME_SENTENCES)
		j->out->evidence_against[j->out->n_against++] = ts_resume_vsay(j, format, args);
	va_end(args);
}

/* "loss", "loss on rank 3". */
const char *ts_resume_name(struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	struct ts_span name = ts_column_said(look->series->name);
	const char *text;

	TS_DOOR(ts_resume_look_holds(look));
	TS_DOOR(ts_resume_judge_holds(j));
	for (size_t i = 0; i < j->n; i++)
		if (j->e->series[i].rank != j->e->series[0].rank) {
			text = ts_arena_phrase(j->arena, "%.*s on rank %" PRId32, TS_SPAN_ARG(name),
					       look->series->rank);
			return text;
		}
	text = ts_arena_phrase(j->arena, "%.*s", TS_SPAN_ARG(name));
	return text;
}

/* "7.4 %", "3.1e-07": printed as a percentage where that is readable. */
struct ts_say ts_resume_percent(double r)
{
	return r >= 1e-3 ? ts_say_percent(r) : ts_say_number(r);
}

/* --- evidence, series by series --- */

/* Even where no step is common, the first batches may be compared. */
static void tell_batches(struct ts_resume_judge *j)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct ts_resume_series *s = &j->e->series[i];
		const struct ts_resume_shift *shift = &s->shift;

		if (s->kind != TS_RESUME_BATCH || s->n > 0 || shift->answer == TS_SHIFT_UNKNOWN)
			continue;
		if (shift->answer == TS_SHIFT_ABSENT)
			ts_resume_for(j, "data: none of the first %zu batches was trained on before the resume",
				      shift->of);
		else if (shift->answer == TS_SHIFT_FOUND)
			ts_resume_against(j,
					  "data: the first %zu batches are those of step %" PRId64
					  " on; unless a new epoch began there, the data position was not restored",
					  shift->matched, (int64_t)((uint64_t)j->e->step + (uint64_t)shift->by));
		else
			ts_resume_against(j, "data: %zu of the first %zu batches were trained on before the resume",
					  shift->seen, shift->of);
		return;
	}
}

/* What the table of parts says of a digest that differs: the state itself, or what follows from it. */
static const char *meaning(const struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	for (size_t p = 0; p < TS_PARTS; p++)
		if (j->parts[p].state == TS_PART_LOST && j->parts[p].by == look)
			return "";
	if (!ts_resume_is_judged(j, look))
		return ", as it does where a pass before it was rounded otherwise";
	return "";
}

static void tell_digest(struct ts_resume_judge *j, const struct ts_resume_look *look, const char *what)
{
	static const char *const times[] = {
		[TS_DIGEST_UNKNOWN] = ", before or after its update: nobody declared which",
		[TS_DIGEST_BEFORE] = ", before its update",
		[TS_DIGEST_AFTER] = ", after its update",
	};
	enum ts_resume_kind kind = look->series->kind;
	bool updated = kind == TS_RESUME_PARAMS || kind == TS_RESUME_OPTIMIZER;

	if (ts_resume_equal(look)) {
		ts_resume_for(j, "%s: the digests agree at all %s", what, ts_say_plural((double)look->series->n, "common step").text);
		return;
	}
	ts_resume_against(j, "%s: %s first differs at step %" PRId64 "%s%s", what, ts_resume_name(j, look),
			  ts_resume_step(look, look->first_bits), updated ? times[look->series->when] : "", meaning(j, look));
	if (updated && look->first_bits > 0)
		ts_resume_for(j, "%s: the digests agree at the first common step, %" PRId64, what, ts_resume_step(look, 0));
}

/* What the limits are of. */
static const char *allowed(const struct ts_resume_judge *j)
{
	return j->e->has_tolerance ? "the tolerance" : "what rounding explains";
}

/* "1e-06 at the resume, growing to 0.005" */
static struct ts_span limits_text(struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	struct ts_resume_limits limits = look->limits;

	if (limits.first >= limits.later)
		return ts_span_str(ts_arena_phrase(j->arena, "%s", ts_say_number(limits.later).text));
	return ts_span_str(ts_arena_phrase(j->arena, "%s %s, growing to %s", ts_say_number(limits.first).text,
						 limits.every ? "up to the last loss" : "at the resume",
						 ts_say_number(limits.later).text));
}

static void tell_beyond(struct ts_resume_judge *j, const struct ts_resume_look *look, const char *name, const char *count)
{
	if (look->coarse && look->by_units) {
		ts_resume_against(
			j,
			"%s: differs by one unit of its last written digit, %s, at %zu of %s: more often than values that are "
			"nearly equal before they are written",
			name, ts_say_number(look->grid).text, look->units, count);
		return;
	}
	ts_resume_against(j,
			  "%s: beyond %s (%.*s) from step %" PRId64
			  " on (relative difference %s); the greatest relative difference is %s, at step %" PRId64,
			  name, allowed(j), TS_SPAN_ARG(limits_text(j, look)), ts_resume_step(look, look->first_beyond),
			  ts_resume_percent(ts_resume_off(look, look->first_beyond)).text, ts_resume_percent(look->greatest).text,
			  look->greatest_step);
}

static void tell_unjudged(struct ts_resume_judge *j, const struct ts_resume_look *look, const char *name)
{
	int64_t step = ts_resume_step(look, look->first_bits);
	const char *most = ts_resume_percent(look->greatest).text;

	if (ts_resume_sums_up(look) && ts_resume_trains_equal(j))
		ts_resume_against(
			j,
			"%s: differs at step %" PRId64
			", its only common step, by %s; it is not judged, because one value may sum up a whole run, and the resumed "
			"run is shorter",
			name, step, most);
	else
		ts_resume_against(j,
				  "%s: differs from step %" PRId64
				  " on, by %s at most; it is not judged, because it may follow from how the training was rounded",
				  name, step, most);
}

static void tell_number(struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	const char *name = ts_resume_name(j, look);
	const char *count = ts_arena_phrase(j->arena, "%s", ts_say_plural((double)look->series->n, "common step").text);

	if (ts_resume_equal(look) && look->coarse)
		ts_resume_for(j, "%s: every value agrees as it was written, at %s", name, count);
	else if (ts_resume_equal(look))
		ts_resume_for(j, "%s: every bit agrees at %s", name, count);
	else if (!ts_resume_is_judged(j, look))
		tell_unjudged(j, look, name);
	else if (look->fine && look->beyond == 0)
		ts_resume_for(j, "%s: within %s (%.*s) at %s; the greatest relative difference is %s", name, allowed(j),
			      TS_SPAN_ARG(limits_text(j, look)), count, ts_resume_percent(look->greatest).text);
	else if (look->fine)
		ts_resume_for(j,
			      "%s: within %s (%.*s) but for %zu of %s, a quarter of which may be beyond it; the "
			      "greatest relative difference is %s",
			      name, allowed(j), TS_SPAN_ARG(limits_text(j, look)), look->beyond, count,
			      ts_resume_percent(look->greatest).text);
	else
		tell_beyond(j, look, name, count);
	if (look->coarse && look->series->kind != TS_RESUME_COUNT && look->series->kind != TS_RESUME_SCALE)
		ts_resume_against(j,
				  "%s: the values are written in steps of %s, and a smaller difference cannot be seen",
				  name, ts_say_number(look->grid).text);
}

static bool is_told(const struct ts_resume_judge *j, size_t upto, const struct ts_resume_series *s)
{
	for (size_t i = 0; i < upto; i++)
		if (ts_span_eq(j->e->series[i].name, s->name) && ts_span_eq(j->e->series[i].name_a, s->name_a))
			return true;
	return false;
}

/* Says which series were paired by names that are alike: once, whatever the number of ranks. */
static void tell_names(struct ts_resume_judge *j)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct ts_resume_series *s = &j->e->series[i];

		if (s->name_a.len && !is_told(j, i, s))
			ts_resume_for(j, "%.*s of the resumed run is compared with %.*s of its parent, as one series under two names",
				      TS_SPAN_ARG(ts_column_said(s->name)), TS_SPAN_ARG(ts_column_said(s->name_a)));
	}
}

/* What a kind of series is called in a sentence, and in which series it would be looked for; missing: NULL where nobody expects it. */
static const struct told {
	enum ts_resume_kind kind;
	const char *what, *missing, *subject;
} told[] = {
	{TS_RESUME_LOSS, "loss", NULL, "loss"},
	{TS_RESUME_GRAD_NORM, "gradient norm", "not known", "grad_norm"},
	{TS_RESUME_RATE, "learning rate", "not known whether it continues", "lr"},
	{TS_RESUME_SCALE, "gradient scale", NULL, NULL},
	{TS_RESUME_COUNT, "count", NULL, NULL},
	{TS_RESUME_EVAL, "evaluation", NULL, NULL},
	{TS_RESUME_SCALAR, "another number", NULL, NULL},
	{TS_RESUME_BATCH, "data", "not known whether the data position was restored", "digests.batch"},
	{TS_RESUME_PARAMS, "parameters", "not known", "digests.params"},
	{TS_RESUME_GRADS, "gradients", NULL, NULL},
	{TS_RESUME_OPTIMIZER, "optimizer state", "not known", "digests.optimizer"},
	{TS_RESUME_RNG, "random generators", "not known", "digests.rng"},
	{TS_RESUME_DIGEST, "other state", NULL, NULL},
};

enum { TOLD = sizeof told / sizeof told[0] };

void ts_resume_tell(struct ts_resume_judge *j)
{
	TS_DOOR(ts_resume_judge_holds(j));
	tell_names(j);
	tell_batches(j);
	for (size_t i = 0; i < TOLD; i++) {
		const struct ts_resume_look *look = ts_resume_worst(j, told[i].kind);

		if (!look && told[i].missing)
			ts_resume_against(j, "%s: %s, because the runs have no common step with %s", told[i].what, told[i].missing,
					  told[i].subject);
		else if (look && look->digest)
			tell_digest(j, look, told[i].what);
		else if (look)
			tell_number(j, look);
	}
	if (j->e->ranks_left_out)
		ts_resume_against(j, "only the first ranks were compared");
}

/* --- rows --- */

static void row(struct ts_resume_judge *j, enum ts_measure_name what, struct ts_span of, double value)
{
	(void)ts_measure_add(&j->out->features, j->arena, what, of, value);
}

static void series_rows(struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	const struct ts_resume_series *s = look->series;
	struct ts_span subject = ts_span_str(ts_resume_name(j, look));

	row(j, TS_M_RESUMED_COMMON, subject, (double)s->n);
	row(j, TS_M_RESUMED_EQUAL, subject, (double)look->equal);
	if (look->first_bits < s->n) {
		row(j, TS_M_RESUMED_FIRST_DIFFERING, subject, (double)ts_resume_step(look, look->first_bits));
		if (!look->digest)
			row(j, TS_M_RESUMED_THERE, subject, look->at_bits);
	}
	if (look->digest)
		return;
	if (look->first_beyond < s->n)
		row(j, TS_M_RESUMED_FIRST_BEYOND, subject, (double)ts_resume_step(look, look->first_beyond));
	row(j, TS_M_RESUMED_GREATEST, subject, look->greatest);
	if (!isnan(look->following))
		row(j, TS_M_RESUMED_FOLLOWING, subject, look->following);
}

static void shift_row(struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	if (look->series->kind == TS_RESUME_BATCH && look->series->shift.answer == TS_SHIFT_FOUND)
		row(j, TS_M_RESUMED_SHIFT, ts_span_str(ts_resume_name(j, look)), (double)look->series->shift.by);
}

void ts_resume_rows(struct ts_resume_judge *j)
{
	static const char *const formats[] = {"not declared", "full precision", "reduced precision"};

	TS_DOOR(ts_resume_judge_holds(j));
	if (j->e->said != TS_RESUME_SAID_NOT)
		row(j, TS_M_RESUME_AT, TS_NO_SUBJECT, (double)j->e->step);
	row(j, TS_M_RESUME_TOLERANCE, TS_NO_SUBJECT, j->tolerance);
	(void)ts_measure_text(&j->out->features, j->arena, TS_M_RESUME_FORMAT, TS_NO_SUBJECT,
			      ts_span_str(formats[j->e->format]));
	for (size_t i = 0; i < j->n; i++) {
		if (j->looks[i].series->n == 0)
			continue;
		series_rows(j, &j->looks[i]);
		shift_row(j, &j->looks[i]);
	}
	for (size_t i = 0; i < TOLD; i++) {
		const char *reason;

		if (!told[i].subject || ts_resume_worst(j, told[i].kind))
			continue;
		reason = ts_arena_phrase(j->arena, "the runs have no common step with %s", told[i].subject);
		(void)ts_measure_unknown(&j->out->features, j->arena, TS_M_RESUMED_COMMON, ts_span_str(told[i].subject), reason);
	}
}

/* --- tiers --- */

void ts_resume_tiers(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	size_t compared = 0, equal = 0;

	TS_DOOR(!loss || ts_resume_look_holds(loss));
	TS_DOOR(ts_resume_judge_holds(j));
	for (size_t i = 0; i < j->n; i++) {
		compared += j->looks[i].series->n > 0;
		equal += j->looks[i].series->n > 0 && ts_resume_equal(&j->looks[i]);
	}
	j->out->bits.answer = compared == 0 ? TS_TIER_UNKNOWN : compared == equal ? TS_TIER_HOLDS : TS_TIER_FAILS;
	j->out->bits.why = ts_span_str(
		compared == 0 ? "the two runs have no common step"
			      : ts_arena_phrase(j->arena, "%zu of %zu series agree in every bit from the resume on", equal, compared));
	j->out->numeric.answer = !loss ? TS_TIER_UNKNOWN : ts_resume_unexplained(j) ? TS_TIER_FAILS : TS_TIER_HOLDS;
	j->out->numeric.why = ts_span_str(!loss ? "the two runs have no common number of the trajectory"
						: ts_arena_phrase(j->arena, "%s may differ by %.*s", ts_resume_name(j, loss),
								  TS_SPAN_ARG(limits_text(j, loss))));
	j->out->statistical.why = ts_span_str("one run on each side does not show how much runs vary by chance");
}
