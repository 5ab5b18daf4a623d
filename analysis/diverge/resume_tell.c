/* resume_tell.c - what each series of a resumed run shows, as evidence and as rows of the answer.
 *
 * resume_judge.c decides.
 */
#include "analysis/diverge/resume_internal.h"
#include "run/role.h"

#include <stdio.h>

enum { SENTENCE = 2048 };

/* --- the worst series of a kind --- */

int64_t ts_resume_step(const struct ts_resume_look *look, size_t i)
{
	return look->series->steps[i];
}

bool ts_resume_equal(const struct ts_resume_look *look)
{
	return look && look->equal == look->series->n;
}

bool ts_resume_fine(const struct ts_resume_look *loss)
{
	return loss->first_ok && loss->following_ok;
}

static bool is_worse(const struct ts_resume_look *x, const struct ts_resume_look *y)
{
	bool beyond_x = x->first_beyond < x->series->n, beyond_y = y->first_beyond < y->series->n;

	if (beyond_x != beyond_y)
		return beyond_x;
	if (beyond_x && ts_resume_step(x, x->first_beyond) != ts_resume_step(y, y->first_beyond))
		return ts_resume_step(x, x->first_beyond) < ts_resume_step(y, y->first_beyond);
	return x->greatest > y->greatest;
}

/* Returns NULL where the runs have no such series with a common step. Of several ranks, it is the one that differs
 * first. */
const struct ts_resume_look *ts_resume_worst(const struct ts_resume_judge *j, enum ts_resume_kind kind)
{
	const struct ts_resume_look *found = NULL;

	for (size_t i = 0; i < j->n; i++) {
		const struct ts_resume_look *look = &j->looks[i];

		if (look->series->kind == kind && look->series->n > 0 && (!found || is_worse(look, found)))
			found = look;
	}
	return found;
}

/* --- sentences --- */

struct ts_span ts_resume_text(struct ts_resume_judge *j, const char *text)
{
	j->failed |= !text;
	return text ? ts_span_str(text) : ts_span_of(NULL, 0);
}

/* A name that is too long for a sentence is cut: names of series come from outside. */
struct ts_span ts_resume_vsay(struct ts_resume_judge *j, const char *format, va_list args)
{
	char text[SENTENCE];

	(void)vsnprintf(text, sizeof text, format, args);
	return ts_resume_text(j, ts_arena_printf(j->arena, "%s", text));
}

void ts_resume_for(struct ts_resume_judge *j, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (j->out->n_for < TS_RESUME_SENTENCES)
		j->out->evidence_for[j->out->n_for++] = ts_resume_vsay(j, format, args);
	va_end(args);
}

void ts_resume_against(struct ts_resume_judge *j, const char *format, ...)
{
	va_list args;

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

	for (size_t i = 0; i < j->n; i++)
		if (j->e->series[i].rank != j->e->series[0].rank) {
			text = ts_arena_printf(j->arena, "%.*s on rank %" PRId32, TS_SPAN_ARG(name),
					       look->series->rank);
			j->failed |= !text;
			return text ? text : "";
		}
	text = ts_arena_printf(j->arena, "%.*s", TS_SPAN_ARG(name));
	j->failed |= !text;
	return text ? text : "";
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

static void tell_digest(struct ts_resume_judge *j, enum ts_resume_kind kind, const char *what, const char *missing)
{
	static const char *const times[] = {
		[TS_DIGEST_UNKNOWN] = ", before or after its update: nobody declared which",
		[TS_DIGEST_BEFORE] = ", before its update",
		[TS_DIGEST_AFTER] = ", after its update",
	};
	const struct ts_resume_look *look = ts_resume_worst(j, kind);
	const char *name = look ? ts_resume_name(j, look) : "";
	bool updated = kind == TS_RESUME_PARAMS || kind == TS_RESUME_OPTIMIZER;

	if (!look)
		ts_resume_against(j, "%s", missing);
	else if (ts_resume_equal(look))
		ts_resume_for(j, "%s: the digests agree at all %s", what,
			      ts_say_plural((double)look->series->n, "common step").text);
	else
		ts_resume_against(j, "%s: %s first differs at step %" PRId64 "%s", what, name,
				  ts_resume_step(look, look->first_bits), updated ? times[look->series->when] : "");
	if (look && updated && look->first_bits > 0 && !ts_resume_equal(look))
		ts_resume_for(j, "%s: the digests agree at the first common step, %" PRId64, what, ts_resume_step(look, 0));
}

static void tell_number(struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	const char *name = ts_resume_name(j, look);
	const char *count = ts_arena_printf(j->arena, "%s", ts_say_plural((double)look->series->n, "common step").text);

	j->failed |= !count;
	if (!count)
		return;
	if (ts_resume_equal(look))
		ts_resume_for(j, "%s: every bit agrees at %s", name, count);
	else if (look->first_beyond == look->series->n)
		ts_resume_for(j, "%s: within the tolerance at %s; the greatest relative difference is %s", name, count,
			      ts_say_number(look->greatest).text);
	else
		ts_resume_against(j,
				  "%s: first beyond the tolerance at step %" PRId64
				  " (relative difference %s); the greatest relative difference is %s, at step %" PRId64,
				  name, ts_resume_step(look, look->first_beyond),
				  ts_resume_percent(ts_resume_off(look, look->first_beyond)).text,
				  ts_resume_percent(look->greatest).text, look->greatest_step);
	if (look->coarse)
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

void ts_resume_tell(struct ts_resume_judge *j)
{
	static const enum ts_resume_kind numbers[] = {TS_RESUME_LOSS, TS_RESUME_GRAD_NORM, TS_RESUME_RATE,
						      TS_RESUME_SCALAR};

	tell_names(j);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		const struct ts_resume_look *look = ts_resume_worst(j, numbers[i]);

		if (look)
			tell_number(j, look);
	}
	if (!ts_resume_worst(j, TS_RESUME_GRAD_NORM))
		ts_resume_against(j, "gradient norm: not known, because the runs have no common step with it");
	if (!ts_resume_worst(j, TS_RESUME_RATE))
		ts_resume_against(
			j,
			"learning rate: not known whether it continues, because the runs have no common step with it");
	tell_batches(j);
	tell_digest(j, TS_RESUME_BATCH, "data",
		    "data position: not known, because the runs have no common step with digests.batch");
	tell_digest(j, TS_RESUME_PARAMS, "parameters",
		    "parameters: not known, because the runs have no common step with digests.params");
	if (ts_resume_worst(j, TS_RESUME_OPTIMIZER))
		tell_digest(j, TS_RESUME_OPTIMIZER, "optimizer state", "");
	tell_digest(j, TS_RESUME_RNG, "random generators",
		    "random generators: not known, because the runs have no common step with digests.rng");
	if (j->e->ranks_left_out)
		ts_resume_against(j, "only the first ranks were compared");
}

/* --- rows --- */

static void row(struct ts_resume_judge *j, enum ts_measure_name what, struct ts_span of, double value)
{
	j->failed |= !ts_measure_add(&j->out->features, j->arena, what, of, value);
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
	static const struct {
		enum ts_resume_kind kind;
		const char *subject, *reason;
	} wanted[] = {
		{TS_RESUME_LOSS, "loss", "the runs have no common step with a loss"},
		{TS_RESUME_GRAD_NORM, "grad_norm", "the runs have no common step with a gradient norm"},
		{TS_RESUME_RATE, "lr", "the runs have no common step with a learning rate"},
		{TS_RESUME_BATCH, "digests.batch", "the runs have no common step with digests.batch"},
		{TS_RESUME_PARAMS, "digests.params", "the runs have no common step with digests.params"},
		{TS_RESUME_RNG, "digests.rng", "the runs have no common step with digests.rng"},
	};
	static const char *const formats[] = {"not declared", "full precision", "reduced precision"};

	if (j->e->said != TS_RESUME_SAID_NOT)
		row(j, TS_M_RESUME_AT, TS_NO_SUBJECT, (double)j->e->step);
	row(j, TS_M_RESUME_TOLERANCE, TS_NO_SUBJECT, j->tolerance);
	j->failed |= !ts_measure_text(&j->out->features, j->arena, TS_M_RESUME_FORMAT, TS_NO_SUBJECT,
				      ts_span_str(formats[j->e->format]));
	for (size_t i = 0; i < j->n; i++) {
		if (j->looks[i].series->n == 0)
			continue;
		series_rows(j, &j->looks[i]);
		shift_row(j, &j->looks[i]);
	}
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
		if (!ts_resume_worst(j, wanted[i].kind))
			j->failed |= !ts_measure_unknown(&j->out->features, j->arena, TS_M_RESUMED_COMMON,
							 ts_span_str(wanted[i].subject), wanted[i].reason);
}

/* --- tiers --- */

void ts_resume_tiers(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	size_t compared = 0, equal = 0;

	for (size_t i = 0; i < j->n; i++) {
		compared += j->looks[i].series->n > 0;
		equal += j->looks[i].series->n > 0 && ts_resume_equal(&j->looks[i]);
	}
	j->out->bits.answer = compared == 0 ? TS_TIER_UNKNOWN : compared == equal ? TS_TIER_HOLDS : TS_TIER_FAILS;
	j->out->bits.why = ts_resume_text(
		j, compared == 0 ? "the two runs have no common step"
				 : ts_arena_printf(j->arena, "%zu of %zu series agree in every bit from the resume on",
						   equal, compared));
	j->out->numeric.answer = !loss ? TS_TIER_UNKNOWN : ts_resume_fine(loss) ? TS_TIER_HOLDS : TS_TIER_FAILS;
	j->out->numeric.why = ts_resume_text(
		j,
		!loss ? "the two runs have no common number of the trajectory"
		      : ts_arena_printf(j->arena, "%s: the first %d common steps are compared with a tolerance of %s",
					ts_resume_name(j, loss), TS_RESUME_FIRST, ts_say_number(j->tolerance).text));
	j->out->statistical.why = ts_span_str("one run on each side does not show how much runs vary by chance");
}
