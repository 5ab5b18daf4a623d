/* diagnose_patterns.c - what exact patterns between two runs say: steps counted at another rate, an objective that is multiplied, an
 * update that only one run skipped.
 */
#include "analysis/diverge/inquiry.h"
#include "analysis/diverge/pattern_factor.h"

#include "analysis/answer/say.h"
#include "base/door.h"
#include "base/text.h"
#include "run/role.h"

/* --- the steps of one run are counted at another rate --- */

bool ts_diagnose_stride(struct ts_inquiry *q)
{
	const struct ts_pattern_stride *stride = &q->e->stride;
	const char *sign = stride->plus < 0 ? "-" : "+";
	double plus = stride->plus < 0 ? -(double)stride->plus : (double)stride->plus;
	struct ts_span behind;

	TS_DOOR(ts_inquiry_holds(q));
	if (!stride->found)
		return false;
	behind = stride->plus ? ts_inquiry_text(q, " %s %s", sign, ts_say_count(plus).text) : ts_span_str("");
	ts_say_for(q, "every loss, gradient norm and digest of the training agrees in every bit between these steps, %s of them",
		   ts_say_count((double)stride->steps).text);
	ts_say_for(q, "a program that counts the updates of several optimizers, or every micro-step of accumulated gradients, "
		      "counts so");
	ts_conclude(q, TS_CAUSE_STEP_NUMBERING, TS_CONFIDENCE_HIGH,
		    "The two runs count their steps at different rates, and their values agree: step s of the %s run is step %s s%.*s "
		    "of the %s run",
		    stride->second ? "first" : "second", ts_say_count((double)stride->times).text, TS_SPAN_ARG(behind),
		    stride->second ? "second" : "first");
	return true;
}

/* --- the objective or its gradient is multiplied --- */

static struct ts_span fact_text(struct ts_inquiry *q, const struct ts_pattern_factor *p)
{
	uint32_t a = q->e->world_a, b = q->e->world_b;

	if (p->fact)
		return ts_inquiry_text(q, "; %.*s differs by the same factor", TS_SPAN_ARG(p->fact->path));
	if (a && b && a != b && fmax(a, b) == p->factor * fmin(a, b))
		return ts_span_str("; the number of ranks differs by the same factor");
	return ts_span_str("");
}

static const char *whose(bool second)
{
	return second ? "second" : "first";
}

/* What went into the first pass is not known to differ, and no rate does. */
static bool inputs_agree(const struct ts_inquiry *q)
{
	static const enum ts_series_kind kinds[] = {TS_KIND_BATCH, TS_KIND_RNG, TS_KIND_LR};
	const struct ts_first *params = &q->first[TS_KIND_PARAMS];

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (q->first[kinds[i]].parts && q->first[kinds[i]].step <= q->f)
			return false;
	return !(params->parts && params->step <= q->f && q->params_time == TS_DIGEST_BEFORE);
}

static struct ts_span times_text(struct ts_inquiry *q, const struct ts_pattern_factor *p)
{
	struct ts_span where = p->throughout ? ts_inquiry_text(q, "at every one of %s",
							       ts_say_plural((double)p->points, "step").text)
					     : ts_inquiry_text(q, "at step %" PRId64 ", the first that both runs have", p->step);

	return ts_inquiry_text(q, "of the %s run %s %s times %s of the %s run, %.*s", whose(p->second),
			       p->of == TS_FACTOR_OBJECTIVE ? "are" : "is", ts_say_number(p->factor).text,
			       p->of == TS_FACTOR_OBJECTIVE ? "those" : "that", whose(!p->second), TS_SPAN_ARG(where));
}

void ts_say_factor(struct ts_inquiry *q)
{
	struct ts_pattern_factor p = ts_pattern_factor_find(q->e);

	TS_DOOR(ts_inquiry_holds(q));
	if (p.of != TS_FACTOR_GRADIENT)
		return;
	if (!p.throughout)
		ts_say_for(q, "the gradient norm %.*s", TS_SPAN_ARG(times_text(q, &p)));
	else
		q->d.sentence = ts_inquiry_text(q,
						"The gradient norm %.*s, but the losses agree: it is logged in another unit, or the "
						"optimizer divides a factor of the gradient out, as Adam does",
						TS_SPAN_ARG(times_text(q, &p)));
}

bool ts_diagnose_factor(struct ts_inquiry *q)
{
	struct ts_pattern_factor p = ts_pattern_factor_find(q->e);
	struct ts_span times, fact;
	bool set;

	TS_DOOR(ts_inquiry_holds(q));
	if (p.of == TS_FACTOR_NONE || !ts_at_start(q) || !inputs_agree(q))
		return false;
	times = times_text(q, &p);
	fact = fact_text(q, &p);
	set = p.fact && p.fact->group == TS_GROUP_CONFIG;
	if (p.of == TS_FACTOR_OBJECTIVE) {
		ts_say_for(q, "another initialization or other data would not give the same factor in the loss and in the "
			      "gradient norm");
		ts_conclude(q, set ? TS_CAUSE_CONFIG : TS_CAUSE_CODE, TS_CONFIDENCE_MEDIUM,
			    "The objective is multiplied by %s: the loss and the gradient norm %.*s%.*s", ts_say_number(p.factor).text,
			    TS_SPAN_ARG(times), TS_SPAN_ARG(fact));
	} else {
		ts_say_for(q, "the first loss agrees: the forward pass is the same");
		ts_conclude(q, set ? TS_CAUSE_CONFIG : TS_CAUSE_CODE, TS_CONFIDENCE_MEDIUM,
			    "The gradient is multiplied by %s, but the first loss is not: the gradient norm %.*s%.*s",
			    ts_say_number(p.factor).text, TS_SPAN_ARG(times), TS_SPAN_ARG(fact));
	}
	ts_say_for(q, "a sum over ranks or micro-batches where the other run has their mean gives such a factor, and so does a "
		      "gradient that was not unscaled");
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_CODE);
	return true;
}

/* --- an update that only one run skipped --- */

enum { SKIP_RECORDS = 2 }; /* from the skipped update to the first difference */

static bool is_scaler_setting(struct ts_span path)
{
	static const char *const globs[] = {"config.*loss_scal*",     "config.*grad_scal*",   "config.*growth_interval*",
					    "config.*growth_factor*", "config.*backoff*",     "config.*init*_scale*",
					    "config.*hysteresis*",    "config.*scale_window*", "config.*min_scale*",
					    "config.*scaler*",	      "determinism.grad_scaler.*"};

	for (size_t i = 0; i < sizeof globs / sizeof globs[0]; i++)
		if (ts_glob(ts_span_str(globs[i]), path))
			return true;
	return false;
}

/* The settings of the scaler that differ, in words; empty: none does. */
static struct ts_span scaler_settings(struct ts_inquiry *q)
{
	struct ts_span text = ts_span_str("");

	for (size_t i = 0; i < q->e->n_facts; i++)
		if (is_scaler_setting(q->e->facts[i].path) && ts_fact_differs(q, &q->e->facts[i]))
			text = ts_inquiry_text(q, "%.*s%s%.*s", TS_SPAN_ARG(text), text.len ? ", " : "",
					       TS_SPAN_ARG(q->e->facts[i].path));
	return text;
}

/* Factors are powers of two. */
static struct ts_say say_scale(double scale)
{
	return scale < 1 ? ts_say_number(scale) : ts_say_count(scale);
}

static struct ts_span skip_text(struct ts_inquiry *q, const struct ts_skip *skip)
{
	struct ts_span fall = ts_span_str("");

	if (skip->lowered)
		fall = ts_inquiry_text(q, "the loss scale falls from %s to %s", say_scale(skip->from).text,
				       say_scale(skip->to).text);
	if (!skip->overflowed)
		return fall;
	return ts_inquiry_text(q, "its gradient norm is not a finite number%s%.*s", fall.len ? " and " : "", TS_SPAN_ARG(fall));
}

/* The scale differs, and no update was skipped by one run alone: a power of two changes no bit of a gradient that does not overflow. */
static bool scale_alone(struct ts_inquiry *q)
{
	const struct ts_first *scale = &q->first[TS_KIND_SCALE];
	struct ts_span settings;
	int64_t resume;

	if (!scale->parts || q->has_f)
		return false;
	settings = scaler_settings(q);
	ts_say_for(q, "the loss scale first differs at step %" PRId64 ": it is %.*s", scale->step,
		   TS_SPAN_ARG(ts_values_text(q, scale->series->a, scale->series->b)));
	if (!settings.len && ts_resume_before(q, scale->step, &resume))
		ts_conclude(q, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM,
			    "The loss scale differs from step %" PRId64 " on, behind the resume at step %" PRId64
			    ", as where the gradient scaler was not restored. The training agrees up to step %" PRId64
			    ", because a scale that is a power of two changes nothing until a gradient overflows",
			    scale->step, resume, q->last);
	else
		ts_conclude(q, settings.len ? TS_CAUSE_CONFIG : TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM,
			    "The loss scale differs from step %" PRId64 " on, but the training agrees up to step %" PRId64
			    ": a scale that is a power of two changes nothing until a gradient overflows%s%.*s",
			    scale->step, q->last, settings.len ? "; these settings of the scaler differ: " : "",
			    TS_SPAN_ARG(settings));
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_RESUME_STATE);
	ts_remain(q, TS_CAUSE_CODE);
	q->d.has_step = true;
	q->d.step = scale->step;
	return true;
}

bool ts_diagnose_scale(struct ts_inquiry *q)
{
	return scale_alone(q);
}

/* No loss scale was recorded: that an update was skipped is a guess. */
static void passed(struct ts_inquiry *q, const struct ts_skip *skip, const char *run)
{
	ts_conclude(q, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW,
		    "Only the %s run has a gradient norm that is not finite, at step %" PRId64
		    ", and goes on with finite losses: it skipped that update or replaced the gradient, and the runs differ "
		    "from there on",
		    run, skip->step);
	ts_remain(q, TS_CAUSE_BLOW_UP);
}

static const struct ts_skip *skip_of(const struct ts_inquiry *q, const struct ts_pattern_skips *skips)
{
	return ts_pattern_skip_in(skips, q->f - SKIP_RECORDS * q->cadence, q->f);
}

/* Where both did, they do not differ by it. */
bool ts_one_skipped(const struct ts_inquiry *q)
{
	return q->e->skips_a.looked && q->e->skips_b.looked && !skip_of(q, &q->e->skips_a) != !skip_of(q, &q->e->skips_b);
}

/* The scales differ before an update was skipped, or at its own record, where the run still has the scale that it skipped with. */
static bool scale_differed(const struct ts_inquiry *q, const struct ts_skip *skip, bool second)
{
	const struct ts_first *scale = &q->first[TS_KIND_SCALE];

	if (!scale->parts || scale->step >= skip->step)
		return scale->parts && scale->step == skip->step && skip->lowered &&
		       (second ? scale->series->b : scale->series->a) == skip->from;
	return true;
}

/* Where the losses agree there, so did what the pass was given, and the gradient of one run alone overflowed. */
static enum ts_cause unexplained(const struct ts_inquiry *q, const struct ts_skip *skip)
{
	return ts_agrees_at(q, TS_KIND_LOSS, skip->step) ? TS_CAUSE_COMPUTATION : TS_CAUSE_UNKNOWN;
}

bool ts_diagnose_skip(struct ts_inquiry *q)
{
	const struct ts_skip *a = skip_of(q, &q->e->skips_a), *b = skip_of(q, &q->e->skips_b), *skip = a ? a : b;
	const struct ts_first *scale = &q->first[TS_KIND_SCALE];
	struct ts_span settings;
	bool earlier;

	TS_DOOR(ts_inquiry_holds(q));
	if (!ts_one_skipped(q))
		return false;
	settings = scaler_settings(q);
	earlier = scale_differed(q, skip, !a);
	ts_say_for(q, "at step %" PRId64 " of the %s run %.*s; the other run made its update there", skip->step, whose(!a),
		   TS_SPAN_ARG(skip_text(q, skip)));
	if (earlier)
		ts_say_for(q, "the loss scale differs from step %" PRId64 " on: it is %.*s", scale->step,
			   TS_SPAN_ARG(ts_values_text(q, scale->series->a, scale->series->b)));
	if (skip->lowered)
		ts_conclude(q, settings.len || earlier ? TS_CAUSE_CONFIG : unexplained(q, skip),
			    settings.len || earlier ? TS_CONFIDENCE_MEDIUM : TS_CONFIDENCE_LOW,
			    "Only the %s run skipped its update, at step %" PRId64
			    ", where %.*s: nothing blew up, and the runs differ from there on%s%.*s",
			    whose(!a), skip->step, TS_SPAN_ARG(skip_text(q, skip)),
			    settings.len ? "; these settings of the scaler differ: " : "", TS_SPAN_ARG(settings));
	else
		passed(q, skip, whose(!a));
	q->d.has_step = true;
	q->d.step = skip->step;
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_PRECISION);
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CORRUPTION);
	ts_remain(q, TS_CAUSE_DATA_ORDER);
	return true;
}
