/* diagnose.c - the order in which the causes are asked for; each step ends the search by concluding. */
#include "analysis/diverge/inquiry.h"
#include "analysis/diverge/testimony.h"

#include "analysis/answer/say.h"
#include "run/head.h"
#include "run/role.h"

#include <stdio.h>

#define NAME(series) TS_SPAN_ARG(ts_column_said((series)->name))

static bool is_decimals(struct ts_resolution r)
{
	return r.precision == TS_PRECISION_DECIMALS;
}

static const char *precision_text(struct ts_inquiry *q, const struct ts_evidence_series *s)
{
	struct ts_resolution a = s->writing_a.resolution, b = s->writing_b.resolution;

	if (is_decimals(a) || is_decimals(b)) {
		unsigned digits = is_decimals(a) ? a.digits : b.digits;

		if (a.precision == b.precision && b.digits < digits)
			digits = b.digits;
		return (const char *)ts_inquiry_text(q, "%u decimals", digits).data;
	}
	return a.precision == TS_PRECISION_F32 || b.precision == TS_PRECISION_F32 ? "float32" : "float64";
}

enum agreeing { AS_WRITTEN, IN_EVERY_BIT };

/* Lists the series that both runs have and that agree so, one for each kind: "loss (float64, 3 ranks), digests.params (3 ranks)". */
static struct ts_span name_recorded(struct ts_inquiry *q, enum agreeing which)
{
	struct ts_span names = ts_span_str("");

	for (int k = 0; k < TS_KINDS; k++) {
		const struct ts_evidence_series *s = NULL;
		uint32_t ranks = q->first[k].ranks;
		bool number = k < TS_KIND_PARAMS;

		for (size_t i = 0; i < q->e->n_series && !s; i++)
			if ((int)q->e->series[i].kind == k && q->e->series[i].in_a && q->e->series[i].in_b &&
			    q->e->series[i].common)
				s = &q->e->series[i];
		if (!s || k == TS_KIND_OTHER || (which == IN_EVERY_BIT && q->first[k].bits))
			continue;
		names = ts_inquiry_text(q, "%.*s%s%.*s", TS_SPAN_ARG(names), names.len ? ", " : "", NAME(s));
		if (number || ranks > 1)
			names = ts_inquiry_text(q, "%.*s (%s%s%s)", TS_SPAN_ARG(names),
						number ? precision_text(q, s) : "", number && ranks > 1 ? ", " : "",
						ranks > 1 ? ts_say_plural(ranks, "rank").text : "");
	}
	return names.len ? names : ts_span_str("no series of a known kind");
}

static bool same_writing(const struct ts_writing *a, const struct ts_writing *b)
{
	return a->inferred && b->inferred && a->resolution.precision == b->resolution.precision &&
	       a->resolution.digits == b->resolution.digits;
}

/* "loss is float32 (seen in 160 values of each run)" */
static struct ts_span add_writing(struct ts_inquiry *q, struct ts_span text, const struct ts_evidence_series *s,
				  const struct ts_writing *w, const char *whose)
{
	const char *how = w->resolution.precision == TS_PRECISION_F32
				  ? "is float32"
				  : (const char *)ts_inquiry_text(q, "has %u decimals", w->resolution.digits).data;

	return ts_inquiry_text(q, "%.*s%s%.*s %s (seen in %s of %s run)", TS_SPAN_ARG(text), text.len ? ", " : "",
			       NAME(s), how, ts_say_plural((double)w->values, "value").text, whose);
}

/* Returns the series of a kind that differs first, otherwise the first that both runs have. */
static const struct ts_evidence_series *series_of(const struct ts_inquiry *q, enum ts_series_kind kind)
{
	const struct ts_evidence_series *s = q->first[kind].series;

	for (size_t i = 0; i < q->e->n_series && !s; i++)
		if (q->e->series[i].kind == kind && q->e->series[i].common)
			s = &q->e->series[i];
	return s;
}

/* Says with which precision values were written, where this was not declared but inferred. */
static void say_inferred(struct ts_inquiry *q)
{
	static const enum ts_series_kind kinds[] = {TS_KIND_LOSS, TS_KIND_GRAD_NORM};
	struct ts_span text = ts_span_str("");

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const struct ts_evidence_series *s = series_of(q, kinds[i]);

		if (s && same_writing(&s->writing_a, &s->writing_b)) {
			text = add_writing(q, text, s, &s->writing_a, "each");
			continue;
		}
		if (s && s->writing_a.inferred)
			text = add_writing(q, text, s, &s->writing_a, "the first");
		if (s && s->writing_b.inferred)
			text = add_writing(q, text, s, &s->writing_b, "the second");
	}
	if (text.len)
		ts_say_for(q, "the precision of the written values was not declared, so tscope inferred it: %.*s",
			   TS_SPAN_ARG(text));
}

/* --- too little --- */

static bool digests_part(const struct ts_inquiry *q)
{
	for (int k = TS_KIND_PARAMS; k < TS_KINDS; k++)
		if (q->first[k].parts)
			return true;
	return false;
}

/* An agreement is stated over any number of steps, and so is a tensor that rounding does not explain. */
static bool too_little(struct ts_inquiry *q)
{
	double least = ts_cut_of(q, TS_CUT_COMMON);

	if (!q->has_start && ts_any_operation_or_tensor(q))
		return false;
	if (q->has_start &&
	    ((double)q->common >= least || !q->has_f || digests_part(q) || (q->e->sketches && q->e->sketches->has_first)))
		return false;
	if (!q->has_start)
		ts_conclude(q, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE,
			    "The two runs have no common step of a loss, a gradient norm or a digest: nothing shows "
			    "whether they "
			    "computed the same");
	else
		ts_conclude(q, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE,
			    "The two runs differ from step %" PRId64
			    " on, but they have only %s: at least %s are needed to look for "
			    "a cause",
			    q->f, ts_say_plural((double)q->common, "common step").text, ts_say_count(least).text);
	return true;
}

/* --- nothing of the training differs --- */

static bool evaluation_only(struct ts_inquiry *q)
{
	struct ts_span recorded = name_recorded(q, IN_EVERY_BIT), values;
	const struct ts_first *eval = &q->first[TS_KIND_EVAL];

	if (!eval->parts)
		return false;
	values = ts_values_text(q, eval->series->a, eval->series->b);
	ts_say_for(q, "%.*s first differs at step %" PRId64 ": it is %.*s", NAME(eval->series), eval->series->first,
		   TS_SPAN_ARG(values));
	ts_say_for(q, "the training agrees bit for bit over %s: %.*s",
		   ts_say_plural((double)q->common, "common step").text, TS_SPAN_ARG(recorded));
	ts_conclude(q, TS_CAUSE_EVALUATION,
		    q->first[TS_KIND_PARAMS].recorded ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		    "The evaluation differs from step %" PRId64
		    " on, but the training agrees: compare what is evaluated, on which data and in which precision",
		    eval->step);
	q->d.has_step = true;
	q->d.step = eval->step;
	return true;
}

/* The values were rounded when they were written, and no digest says more. */
static bool is_coarse(const struct ts_inquiry *q)
{
	bool coarse = false;

	for (size_t i = 0; i < q->e->n_series; i++) {
		const struct ts_evidence_series *s = &q->e->series[i];

		coarse = coarse || ((s->kind == TS_KIND_LOSS || s->kind == TS_KIND_GRAD_NORM) &&
				    (is_decimals(s->writing_a.resolution) || is_decimals(s->writing_b.resolution)));
	}
	return coarse && !q->first[TS_KIND_PARAMS].recorded;
}

/* A number that may follow from the training differs, and what would show whether the training does was written coarsely. */
static bool number_only(struct ts_inquiry *q)
{
	const struct ts_first *other = &q->first[TS_KIND_OTHER];
	struct ts_span name = other->parts ? ts_column_said(other->series->name) : ts_column_said(q->e->unrated);
	int64_t step = other->parts ? other->step : q->e->unrated_step;

	if (!is_coarse(q) || !(other->parts || q->e->unrated.len))
		return false;
	ts_conclude(q, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW,
		    "%.*s differs from step %" PRId64
		    " on. The loss and the gradient norm agree, but they were rounded when they were written: the training may differ "
		    "by less than they show, or %.*s alone is logged differently",
		    TS_SPAN_ARG(name), step, TS_SPAN_ARG(name));
	q->d.has_step = true;
	q->d.step = step;
	ts_remain(q, TS_CAUSE_NONDETERMINISM);
	ts_remain(q, TS_CAUSE_PRECISION);
	ts_remain(q, TS_CAUSE_REDUCTION_ORDER);
	ts_remain(q, TS_CAUSE_PLATFORM);
	ts_remain(q, TS_CAUSE_REPORTING);
	ts_remain_facts(q);
	ts_remain_rest(q);
	return true;
}

/* Nothing else of the training differs: buffers that were lost at a resume, or a pass that is none of the training's. */
static void conclude_buffers(struct ts_inquiry *q, int64_t step)
{
	int64_t resume;

	if (ts_buffers_lost(q, &resume)) {
		ts_conclude(q, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM,
			    "After the resume at step %" PRId64
			    " the model's buffers (running statistics) differ, but nothing else of the training differs up to step "
			    "%" PRId64 ": they were not restored",
			    resume, q->last);
		ts_remain(q, TS_CAUSE_EVALUATION);
		return;
	}
	ts_conclude(q, TS_CAUSE_EVALUATION, TS_CONFIDENCE_MEDIUM,
		    "The model's buffers (running statistics) differ from step %" PRId64
		    " on, but nothing else of the training differs up to step %" PRId64
		    ": look for a forward pass in training mode that is none of the training's, such as an evaluation without "
		    "model.eval()",
		    step, q->last);
}

/* Which samples the sampler drew otherwise, where that is the batch that differs first. */
static void say_samples(struct ts_inquiry *q, enum ts_series_kind kind, const struct ts_first *first)
{
	if (kind == TS_KIND_BATCH && q->e->samples.len && q->e->samples_step == first->step)
		ts_say_for(q, "%.*s", TS_SPAN_ARG(q->e->samples));
}

/* An input was recorded differently, and nothing else changed. */
static bool input_only(struct ts_inquiry *q)
{
	struct ts_span recorded = name_recorded(q, IN_EVERY_BIT);
	static const enum ts_series_kind kinds[] = {TS_KIND_LR,	    TS_KIND_BATCH, TS_KIND_RNG,
						    TS_KIND_BUFFERS, TS_KIND_DIGEST, TS_KIND_SCALE, TS_KIND_OTHER};
	const struct ts_first *found = NULL;
	enum ts_series_kind kind = TS_KIND_OTHER;

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const struct ts_first *first = &q->first[kinds[i]];

		if (first->parts && (!found || first->step < found->step)) {
			found = first;
			kind = kinds[i];
		}
	}
	if (!found)
		return false;
	ts_say_for(q, "%.*s first differs at step %" PRId64, NAME(found->series), found->step);
	say_samples(q, kind, found);
	ts_say_for(q, "the training agrees bit for bit up to step %" PRId64 ": %.*s", q->last, TS_SPAN_ARG(recorded));
	if (kind == TS_KIND_LR && ts_records(q, found->step, q->last) < 2)
		ts_conclude(q, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM,
			    "The learning rate differs from step %" PRId64
			    " on, too close to the end of the runs for an effect to be seen",
			    found->step);
	else if (kind == TS_KIND_RNG)
		ts_conclude(q, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_MEDIUM,
			    "The states of the random generators differ from step %" PRId64
			    " on, but nothing else of the training differs up to step %" PRId64
			    ": what is drawn from them there does not reach it",
			    found->step, q->last);
	else if (kind == TS_KIND_BUFFERS)
		conclude_buffers(q, found->step);
	else if (kind == TS_KIND_BATCH && q->passed_over)
		ts_conclude(q, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM,
			    "%.*s differs at step %" PRId64
			    " alone, with which one run begins: batches that were used before may have been passed over there. "
			    "Nothing else of the training differs up to step %" PRId64,
			    NAME(found->series), found->step, q->last);
	else
		ts_conclude(q, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM,
			    "%.*s is logged differently from step %" PRId64
			    " on, but nothing else of the training differs up to step %" PRId64,
			    NAME(found->series), found->step, q->last);
	if (q->d.cause == TS_CAUSE_REPORTING && is_coarse(q)) {
		q->d.confidence = TS_CONFIDENCE_LOW;
		ts_say_against(q, "the loss and the gradient norm were rounded when they were written, and an effect that is smaller "
				  "cannot be seen");
		ts_remain(q, kind == TS_KIND_LR ? TS_CAUSE_CONFIG : kind == TS_KIND_RNG ? TS_CAUSE_RNG_STREAM : TS_CAUSE_DATA_ORDER);
	}
	q->d.has_step = true;
	q->d.step = found->step;
	return true;
}

static bool quantized_only(struct ts_inquiry *q)
{
	struct ts_span recorded = name_recorded(q, AS_WRITTEN);
	const struct ts_first *loss = &q->first[TS_KIND_LOSS], *norm = &q->first[TS_KIND_GRAD_NORM];

	if (!loss->bits && !norm->bits)
		return false;
	ts_say_for(q, "over %s no difference exceeds half the rounding step of the more coarsely written run: %.*s",
		   ts_say_plural((double)q->common, "common step").text, TS_SPAN_ARG(recorded));
	ts_conclude(q, TS_CAUSE_QUANTIZATION,
		    q->first[TS_KIND_PARAMS].recorded ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		    "The two runs differ by no more than the rounding with which one of them was written");
	return true;
}

static enum ts_confidence identical_sure(const struct ts_inquiry *q, bool coarse)
{
	if ((double)q->common < ts_cut_of(q, TS_CUT_COMMON))
		return TS_CONFIDENCE_LOW;
	if (q->first[TS_KIND_PARAMS].recorded && !coarse)
		return TS_CONFIDENCE_HIGH;
	/* A number that nobody can place may follow from weights that the loss does not tell of. */
	return coarse || !q->first[TS_KIND_LOSS].recorded || q->first[TS_KIND_OTHER].parts || q->e->unrated.len ? TS_CONFIDENCE_MEDIUM
														 : TS_CONFIDENCE_HIGH;
}

/* The loss and the gradient norm agree to the bit, and another series only as far as the more coarsely written run tells: a log of
 * float32 beside one of doubles has the losses of both, which were float32, but not the learning rate. */
static bool coarser_only(struct ts_inquiry *q)
{
	struct ts_span recorded = name_recorded(q, IN_EVERY_BIT);
	const struct ts_evidence_series *found = NULL;

	for (size_t i = 0; i < q->e->n_series; i++) {
		const struct ts_evidence_series *s = &q->e->series[i];

		if (q->first[s->kind].parts)
			return false;
		found = found || !s->parts ? found : s;
	}
	if (!found)
		return false;
	ts_say_for(q, "%.*s differs by no more than half the rounding step of the more coarsely written run", NAME(found));
	ts_say_for(q, "the loss and the gradient norm, as far as they were recorded, agree bit for bit up to step %" PRId64 ": %.*s",
		   q->last, TS_SPAN_ARG(recorded));
	ts_conclude(q, TS_CAUSE_QUANTIZATION, identical_sure(q, is_coarse(q)),
		    "The two runs differ by no more than the rounding with which one of them was written");
	return true;
}

static void nothing_parts(struct ts_inquiry *q)
{
	struct ts_span recorded = name_recorded(q, IN_EVERY_BIT);
	bool coarse = false;

	if (ts_diagnose_operations(q) || ts_diagnose_tensors(q) || quantized_only(q) || evaluation_only(q) ||
	    number_only(q) || ts_diagnose_scale(q) || input_only(q) || coarser_only(q))
		return;
	for (size_t i = 0; i < q->e->n_series; i++)
		coarse = coarse || is_decimals(q->e->series[i].writing_a.resolution) ||
			 is_decimals(q->e->series[i].writing_b.resolution);
	ts_say_for(q, "the runs agree bit for bit over %s: %.*s", ts_say_plural((double)q->common, "common step").text,
		   TS_SPAN_ARG(recorded));
	if (coarse && !q->first[TS_KIND_PARAMS].recorded)
		ts_say_against(
			q, "the values were rounded when they were written, and a smaller difference cannot be seen");
	if ((double)q->common < ts_cut_of(q, TS_CUT_COMMON))
		ts_say_against(q, "the two runs have only %s", ts_say_plural((double)q->common, "common step").text);
	ts_conclude(q, TS_CAUSE_IDENTICAL, identical_sure(q, coarse),
		    "Nothing of the training differs up to step %" PRId64 ", the last step that both runs have",
		    q->last);
}

/* --- a report differs, the state does not --- */

/* The numbers differ only because one side is written as float32. */
static bool fine(const struct ts_inquiry *q, enum ts_series_kind kind)
{
	for (size_t i = 0; i < q->e->n_series; i++)
		if (q->e->series[i].kind == kind && (is_decimals(q->e->series[i].writing_a.resolution) ||
						     is_decimals(q->e->series[i].writing_b.resolution)))
			return false;
	return !q->first[kind].parts;
}

/* Counts the records from `step` on over which the state agrees to the bit, or to that of a float32, by its digests
 * or by the gradient norm. */
static double state_agrees(const struct ts_inquiry *q, enum ts_series_kind kind, int64_t step)
{
	const struct ts_first *state = &q->first[kind];

	return state->recorded && (!state->bits || (kind < TS_KIND_PARAMS && fine(q, kind)))
		       ? ts_records(q, step, state->through)
		       : -1;
}

static void conclude_report(struct ts_inquiry *q, const struct ts_first *report, const struct ts_first *state, double records,
			    enum ts_confidence confidence)
{
	const struct ts_gap *gap = &report->series->gap;
	struct ts_span values = ts_values_text(q, report->series->a, report->series->b);
	bool now_and_then = gap->differing * 10 < gap->points * 9;

	ts_say_for(q, "%.*s first differs at step %" PRId64 " (relative difference %s): it is %.*s",
		   NAME(report->series), report->series->first, ts_say_number(report->jump).text, TS_SPAN_ARG(values));
	ts_say_for(q, "%s agrees bit for bit over %s from that step on, and a changed model would show in it",
		   state == &q->first[TS_KIND_PARAMS]	? "the digest of the parameters"
		   : state == &q->first[TS_KIND_GRADS]	? "the digest of the gradients"
		   : report == &q->first[TS_KIND_LOSS] ? "the gradient norm"
						       : "the loss",
		   ts_say_plural(records + 1, "record").text);
	if (gap->known && gap->points > 1)
		ts_say_for(q,
			   "%s of the %s from that step on differ (relative difference at most %s): the difference "
			   "does not grow, "
			   "as it would if the training itself differed",
			   ts_say_count((double)gap->differing).text, ts_say_plural((double)gap->points, "point").text,
			   ts_say_number(gap->greatest).text);
	q->d.step = report->step;
	if ((state == &q->first[TS_KIND_PARAMS] || now_and_then) && gap->known && gap->points > 1 &&
	    gap->greatest < ts_cut_of(q, TS_CUT_NUMERIC) && !q->coarse) {
		ts_conclude(q, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM,
			    "%.*s differs from step %" PRId64
			    " on by no more than rounding, and the training itself agrees: it is summed or converted in another way",
			    NAME(report->series), report->step);
		ts_remain(q, TS_CAUSE_REDUCTION_ORDER);
		ts_remain(q, TS_CAUSE_NONDETERMINISM);
		ts_remain(q, TS_CAUSE_REPORTING);
		return;
	}
	ts_conclude(q, TS_CAUSE_REPORTING, confidence,
		    "%.*s is logged differently from step %" PRId64
		    " on, but the training itself agrees: check what is logged, not the model",
		    NAME(report->series), report->step);
}

enum { REPORT_FEW = 3 }; /* records over which the state agrees while a report differs by more than rounding */

enum { VARIES_PERCENT = 1 };

/* The values are equal except for how they were written: a training that differed would not stay so. */
static bool constant_ratio(const struct ts_gap *gap)
{
	return gap->known && gap->points >= 10 && gap->differing + gap->zeros == gap->points && gap->ratio_least <= gap->ratio_most &&
	       gap->spread_a * 100 >= VARIES_PERCENT;
}

static double ratio_of(const struct ts_gap *gap)
{
	return gap->ratio_least + (gap->ratio_most - gap->ratio_least) / 2;
}

/* With as many digits as it takes to see that it is not 1. */
static struct ts_say say_ratio(const struct ts_gap *gap)
{
	double ratio = ratio_of(gap), off = fabs(ratio - 1);
	struct ts_say s;
	int digits = 4;

	while (digits < 17 && off > 0 && off < 5 * pow(10, -digits))
		digits++;
	(void)snprintf(s.text, sizeof s.text, "%.*g", digits, ratio);
	return s;
}

/* A unit seldom changes in mid-run. An objective that is multiplied there looks the same, because an optimizer such as
 * Adam divides the factor out of its updates. */
static void only_from(struct ts_inquiry *q, const struct ts_first *loss)
{
	ts_say_against(q,
		       "the losses agree before step %" PRId64
		       ", and no other record shows whether the training changed there: an objective that is multiplied from "
		       "that step on gives the same ratio where the optimizer scales its updates, as Adam does",
		       loss->step);
	ts_conclude(q, TS_CAUSE_REPORTING, TS_CONFIDENCE_LOW,
		    "From step %" PRId64
		    " on, the loss of the second run is %s times that of the first: it may only be logged in a different "
		    "unit from there on, or the objective itself was multiplied",
		    loss->step, say_ratio(&loss->series->gap).text);
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CONFIG);
}

/* A sum over micro-batches or ranks, or a weight, where the other run has none. */
static bool is_whole(double ratio)
{
	double factor = ratio < 1 ? 1 / ratio : ratio;

	return fabs(factor - round(factor)) < 1e-6 * factor;
}

static void maybe_multiplied(struct ts_inquiry *q, const struct ts_first *loss)
{
	ts_say_against(q, "no other record shows whether the training agrees: an objective that is multiplied gives the same ratio "
			  "where the optimizer scales its updates, as Adam does");
	ts_conclude(q, ts_fact_names(q, TS_CAUSE_CODE) ? TS_CAUSE_CODE : TS_CAUSE_REPORTING, TS_CONFIDENCE_LOW,
		    "The loss of the second run is %s times that of the first at every step: it is logged in a different unit or "
		    "reduction, or the objective itself is multiplied",
		    say_ratio(&loss->series->gap).text);
	ts_remain(q, TS_CAUSE_REPORTING);
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CONFIG);
}

/* Every loss that differs is the other run's loss in another unit. */
static bool other_unit(struct ts_inquiry *q)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS];
	bool shown = q->first[TS_KIND_GRAD_NORM].recorded || q->e->others_same;
	uint32_t n = 0;

	for (size_t i = 0; i < q->e->n_series; i++) {
		const struct ts_evidence_series *s = &q->e->series[i];

		if (s->kind != TS_KIND_LOSS || !s->parts)
			continue;
		if (!constant_ratio(&s->gap))
			return false;
		n++;
	}
	if (n == 0 || q->first[TS_KIND_GRAD_NORM].parts || q->first[TS_KIND_LR].parts)
		return false;
	/* A factor that rounding to another type makes is none. */
	if (!shown && fabs(ratio_of(&loss->series->gap) - 1) < ts_cut_of(q, TS_CUT_NUMERIC))
		return false;
	ts_say_for(q,
		   "at every one of %s the loss of the second run is %s times that of the first run, as precisely as they were written",
		   ts_say_plural((double)loss->series->gap.points, "step").text, say_ratio(&loss->series->gap).text);
	if (!shown && loss->step != q->start)
		only_from(q, loss);
	else if (!shown && is_whole(ratio_of(&loss->series->gap)))
		maybe_multiplied(q, loss);
	else
		ts_conclude(q, TS_CAUSE_REPORTING, shown ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
			    "The loss is logged in a different unit or reduction, by a constant factor of %s, but the "
			    "training itself agrees",
			    say_ratio(&loss->series->gap).text);
	q->d.step = loss->step;
	return true;
}

/* Two or more numbers that follow from the training agree in every bit over all steps; one is enough where the loss
 * differs by more than rounding over as many records as scalars are judged by. */
static bool others_agree(struct ts_inquiry *q, const struct ts_first *report)
{
	bool one = q->e->others_same == 1 && report->jump >= ts_cut_of(q, TS_CUT_INIT) &&
		   ts_records(q, report->step, q->last) >= ts_cut_of(q, TS_CUT_COMMON);

	/* Ranks that differ from others may have gone their own ways. */
	if (report->parted < report->ranks)
		return false;
	/* Few decimals of another number do not show what moves a loss by as little as its last one. */
	if ((q->e->others_same < 2 && !one) || (q->coarse && is_coarse(q)) || q->first[TS_KIND_OTHER].parts ||
	    q->first[TS_KIND_GRAD_NORM].parts)
		return false;
	if (q->e->others_same == 1)
		ts_say_for(q, "another series that follows from the training agrees bit for bit at every step: %.*s",
			   TS_SPAN_ARG(ts_column_said(q->e->other_same)));
	else
		ts_say_for(q, "%s other series that follow from the training agree bit for bit at every step: %.*s is one",
			   ts_say_count(q->e->others_same).text, TS_SPAN_ARG(ts_column_said(q->e->other_same)));
	ts_conclude(q, TS_CAUSE_REPORTING, one ? TS_CONFIDENCE_LOW : TS_CONFIDENCE_MEDIUM,
		    "%.*s is logged differently from step %" PRId64
		    " on, but the training itself agrees: check what is logged, not the model",
		    NAME(report->series), report->step);
	q->d.step = report->step;
	return true;
}

static struct ts_span rule_text(struct ts_inquiry *q, const struct ts_pattern_report *r)
{
	const char *log = r->second ? "second" : "first", *other = r->second ? "first" : "second";

	switch (r->rule) {
	case TS_REPORT_PLUS:
		return ts_inquiry_text(q, "The loss of the %s run is that of the %s run %s %s at every step", log, other,
				       r->number < 0 ? "minus" : "plus", ts_say_number(fabs(r->number)).text);
	case TS_REPORT_LATE:
		return ts_inquiry_text(q, "The loss of the %s run is, at every step, that of the %s run %s before", log, other,
				       ts_say_plural((double)r->records, "record").text);
	case TS_REPORT_SMOOTHED:
		return ts_inquiry_text(q,
				       "The %s run logs an exponential moving average of the losses of the %s run, with a factor of %s",
				       log, other, ts_say_number(r->number).text);
	case TS_REPORT_RUNNING:
		return ts_inquiry_text(q,
				       "The %s run logs the mean of the losses of the %s run since the first step, or since that of an "
				       "interval or an epoch",
				       log, other);
	case TS_REPORT_WINDOW:
		return ts_inquiry_text(q, "The %s run logs the mean of the last %s of the losses of the %s run", log,
				       ts_say_count((double)r->records).text, other);
	case TS_REPORT_ROOT:
		return ts_inquiry_text(q, "The %s run logs the square root of the losses of the %s run", log, other);
	case TS_REPORT_EXP:
		return ts_inquiry_text(q, "The %s run logs the exponential of the losses of the %s run, as a perplexity is", log,
				       other);
	case TS_REPORT_NONE:
		break;
	}
	return ts_span_str("");
}

/* The losses of one run are computed from those of the other, which a training that differs would not let them be. */
static bool other_rule(struct ts_inquiry *q)
{
	const struct ts_pattern_report *r = &q->e->report;
	const struct ts_first *loss = &q->first[TS_KIND_LOSS];
	bool shown = q->first[TS_KIND_GRAD_NORM].recorded || q->first[TS_KIND_PARAMS].recorded || q->e->others_same;

	if (r->rule == TS_REPORT_NONE || !loss->parts || q->first[TS_KIND_GRAD_NORM].parts || q->first[TS_KIND_LR].parts ||
	    q->first[TS_KIND_OTHER].parts)
		return false;
	ts_say_for(q,
		   "this gives %s of the loss, as precisely as they were written: losses of a training that differs would not follow",
		   ts_say_plural((double)r->points, "value").text);
	ts_conclude(q, TS_CAUSE_REPORTING, shown ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM, "%.*s, but the training itself agrees",
		    TS_SPAN_ARG(rule_text(q, r)));
	q->d.step = loss->step;
	return true;
}

/* Where significant digits were written, a value has up to ten times the unit of the least one, by which the quantum is told. */
enum { DIGIT = 10 };

/* The losses agree, and every gradient norm from there on is that of the other run times one number. An optimizer such as Adam divides
 * a factor of the gradient out of its updates, so the losses do not tell whether the gradient was multiplied, or only its norm. */
static bool scaled_norm(struct ts_inquiry *q, const struct ts_first *norm)
{
	const struct ts_gap *gap = &norm->series->gap;

	if (q->first[TS_KIND_LOSS].parts || !constant_ratio(gap))
		return false;
	ts_conclude(q, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW,
		    "From step %" PRId64
		    " on, the gradient norm of the second run is %s times that of the first, but the losses agree: it is logged in "
		    "another unit, or the optimizer divides a factor of the gradient out, as Adam does",
		    norm->step, say_ratio(gap).text);
	q->d.step = norm->step;
	ts_remain(q, TS_CAUSE_REPORTING);
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CONFIG);
	return true;
}

static bool report_only(struct ts_inquiry *q)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS], *norm = &q->first[TS_KIND_GRAD_NORM],
			      *params = &q->first[TS_KIND_PARAMS];
	const struct ts_first *lr = &q->first[TS_KIND_LR];
	const struct ts_first *report = loss->parts ? loss : norm;
	double least = ts_cut_of(q, TS_CUT_REPORT), records;

	/* The losses of other ranks' shares do not report the same quantity. */
	if (!report->parts || params->bits || q->first[TS_KIND_GRADS].bits || q->first[TS_KIND_BATCH].bits || ts_worlds_differ(q))
		return false;
	if (other_unit(q) || other_rule(q))
		return true;
	/* One more digest is enough: parameters that agree after the report differed were not changed by the cause
	 * of that difference. */
	records = state_agrees(q, TS_KIND_PARAMS, report->step);
	if (records >= 1) {
		conclude_report(q, report, params, records, TS_CONFIDENCE_HIGH);
		return true;
	}
	/* So do gradients that agree after it: they are of the parameters that the step before left. */
	records = state_agrees(q, TS_KIND_GRADS, report->step);
	if (records >= 1) {
		conclude_report(q, report, &q->first[TS_KIND_GRADS], records, TS_CONFIDENCE_MEDIUM);
		return true;
	}
	/* A learning rate that differs earlier may change a loss that little. */
	if ((loss->parts && norm->parts) || (lr->parts && lr->step <= report->step))
		return false;
	/* A loss of few decimals does not show what a gradient norm shows. */
	if (!loss->parts && !fine(q, TS_KIND_LOSS))
		return false;
	/* Nor does a norm of few decimals show what moves a loss now and then by as little as its last decimal. */
	if ((q->coarse || report->jump <= DIGIT * ts_cut_of(q, TS_CUT_QUANTUM) * q->quantum) && is_coarse(q) &&
	    report->series->gap.differing * 10 < report->series->gap.points * 9)
		return false;
	records = state_agrees(q, loss->parts ? TS_KIND_GRAD_NORM : TS_KIND_LOSS, report->step);
	if (records < least && !(records >= REPORT_FEW && report->jump >= q->limit))
		return others_agree(q, report);
	if (scaled_norm(q, report))
		return true;
	conclude_report(q, report, norm, records, records < least ? TS_CONFIDENCE_LOW : TS_CONFIDENCE_MEDIUM);
	if (records < least) {
		ts_say_against(q, "this was compared over only %s: a difference may reach the other series later",
			       ts_say_plural(records + 1, "record").text);
		ts_remain(q, TS_CAUSE_PRECISION);
		ts_remain(q, TS_CAUSE_NONDETERMINISM);
	}
	if (report->series->gap.known && report->series->gap.differing * 10 < report->series->gap.points * 9) {
		q->d.confidence = TS_CONFIDENCE_LOW;
		ts_say_against(
			q,
			"the value differs at some points only: a difference of the training that is too small for the "
			"gradient norm to show would look the same");
		ts_remain(q, TS_CAUSE_NONDETERMINISM);
	}
	return true;
}

/* --- all --- */

static void say_where(struct ts_inquiry *q)
{
	static const enum ts_series_kind kinds[] = {TS_KIND_LOSS,  TS_KIND_GRAD_NORM, TS_KIND_LR,  TS_KIND_PARAMS,
						    TS_KIND_GRADS, TS_KIND_BATCH,     TS_KIND_RNG, TS_KIND_EVAL};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const struct ts_first *first = &q->first[kinds[i]];
		const char *which = "";

		if (!first->parts)
			continue;
		if (first->ranks > 1 && first->parted_first == first->ranks)
			which = ", on all ranks";
		else if (first->ranks > 1)
			which = (const char *)ts_inquiry_text(q, ", on %u of %u ranks (%srank %" PRId32 ")",
							      first->parted_first, first->ranks,
							      first->parted_first > 1 ? "for example " : "",
							      first->series->rank)
					.data;
		if (isnan(first->jump))
			ts_say_for(q, "%.*s first differs at step %" PRId64 "%s", NAME(first->series), first->step,
				   which);
		else
			ts_say_for(q, "%.*s first differs at step %" PRId64 " (relative difference %s)%s",
				   NAME(first->series), first->step, ts_say_number(first->jump).text, which);
		say_samples(q, kinds[i], first);
	}
}

/* The evidence that remains here is less certain: the norm's cut-offs are wide. */
static void leave_means(struct ts_inquiry *q)
{
	if (!ts_without_means(q))
		return;
	ts_say_against(q, "the two runs log the loss at different intervals, and no value agrees: one of them may log "
			  "means, so the loss was not used");
	if (!q->has_f)
		ts_conclude(q, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW,
			    "The two runs log the loss at different intervals, and one of them may log means; nothing "
			    "else differs up to step %" PRId64,
			    q->last);
}

/* --- the same run, written otherwise --- */

static bool renumbered(struct ts_inquiry *q)
{
	const struct ts_moved *moved = &q->e->moved;

	if (!moved->by)
		return false;
	ts_say_for(q, "step s of the first run is step s %s %s of the second run in every bit, at %s", moved->by > 0 ? "+" : "-",
		   ts_say_count(fabs((double)moved->by)).text, ts_say_plural((double)moved->steps, "step").text);
	ts_conclude(q, TS_CAUSE_STEP_NUMBERING, TS_CONFIDENCE_HIGH,
		    "The two runs count their steps from a different number: the second run is %s %s, and nothing else differs",
		    ts_say_plural(fabs((double)moved->by), "step").text, moved->by > 0 ? "ahead" : "behind");
	return true;
}

static bool exchanged(struct ts_inquiry *q)
{
	if (!q->e->ranks_exchanged)
		return false;
	ts_say_for(q,
		   "every rank of the second run has the batches, or the losses, of a rank of the first run with a different number");
	ts_conclude(q, TS_CAUSE_RANK_ORDER, TS_CONFIDENCE_HIGH,
		    "The two runs do the same work, on ranks with different numbers");
	return true;
}

/* A loss, or a digest of a batch, that differs at its first step. */
static bool begins_otherwise(const struct ts_evidence_series *s)
{
	return s->parts && s->first == s->first_common && ((s->kind == TS_KIND_LOSS && isfinite(s->b)) || s->kind == TS_KIND_BATCH);
}

static bool as_another(const struct ts_evidence_series *s, const struct ts_evidence_series *of)
{
	return s->kind == TS_KIND_LOSS ? s->a == of->b : s->word_a == of->word_b;
}

/* Another rank of the first run begins with the loss, or the batch, with which this one begins in the second. */
static bool begins_elsewhere(const struct ts_inquiry *q, const struct ts_evidence_series *of)
{
	for (size_t i = 0; i < q->e->n_series; i++) {
		const struct ts_evidence_series *s = &q->e->series[i];

		if (begins_otherwise(s) && s->rank != of->rank && s->first == of->first && ts_span_eq(s->name, of->name) &&
		    as_another(s, of))
			return true;
	}
	return false;
}

enum { VALUES_A_RANK = 100 }; /* so many times as many values as ranks: of two ranks by chance 1 in 10,000 begins so, of more fewer */

/* Losses of few decimals are those of other ranks by chance. */
static bool tells_ranks(const struct ts_inquiry *q, size_t ranks)
{
	return q->jump > (double)ranks * VALUES_A_RANK * q->quantum;
}

/* From the first update on, sums over the ranks are taken in another order, and no series is that of another rank any more. */
static bool begins_exchanged(struct ts_inquiry *q)
{
	size_t n = 0;

	if (ts_worlds_differ(q) || !ts_at_start(q))
		return false;
	for (size_t i = 0; i < q->e->n_series; i++) {
		if (!begins_otherwise(&q->e->series[i]))
			continue;
		if (!begins_elsewhere(q, &q->e->series[i]))
			return false;
		n += q->e->series[i].kind == TS_KIND_LOSS;
	}
	if (n < 2 || !tells_ranks(q, n))
		return false;
	ts_say_for(q, "every rank whose first loss differs begins with that of a rank of the first run with a different number, in "
		      "every bit");
	ts_conclude(q, TS_CAUSE_RANK_ORDER, TS_CONFIDENCE_MEDIUM,
		    "The two runs begin with the same work on ranks with different numbers: their losses at step %" PRId64
		    " are exchanged, and sums over the ranks are taken in another order from there on",
		    q->f);
	return true;
}

/* A rank logs the loss of its own share of a batch, and the shares differ because the number of ranks does. */
static bool local_losses(struct ts_inquiry *q)
{
	const struct ts_rank_means *m = &q->e->means;
	double off = fabs(m->a - m->b) / fmax(fabs(m->a), fabs(m->b));
	bool same = m->known && off < ts_cut_of(q, TS_CUT_NUMERIC) * 10;

	if (!ts_worlds_differ(q) || !ts_at_start(q) || !q->first[TS_KIND_LOSS].parts || ts_is_rounding(q))
		return false;
	/* Tensors that agree, and then one that does not, are of the same batch. */
	if (q->e->sketches && q->e->sketches->has_first && q->e->sketches->before)
		return false;
	if (m->known && !same && off > q->quantum * ts_cut_of(q, TS_CUT_QUANTUM)) {
		ts_say_against(q,
			       "the number of ranks differs, but so does the mean of the losses of all ranks at the first step "
			       "(relative difference %s): equal shares of one batch would give the same mean",
			       ts_say_number(off).text);
		return false;
	}
	if (same)
		ts_say_for(q, "the mean of the losses of all ranks is the same at the first step (relative difference %s)",
			   ts_say_number(off).text);
	ts_conclude(q, TS_CAUSE_LOCAL_LOSSES, same ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_LOW,
		    "The runs have a different number of ranks, and each rank logs the loss of its own share of the batch%s",
		    same ? ": over all ranks the first losses are the same" : "");
	ts_remain(q, TS_CAUSE_REDUCTION_ORDER);
	ts_remain(q, TS_CAUSE_CONFIG);
	return true;
}

static void diagnose(struct ts_inquiry *q)
{
	if (renumbered(q) || ts_diagnose_stride(q) || exchanged(q))
		return;
	if (too_little(q))
		return;
	if (!q->has_f) {
		nothing_parts(q);
		return;
	}
	if (!ts_one_skipped(q) && report_only(q)) {
		ts_say_factor(q);
		return;
	}
	say_where(q);
	ts_say_operations(q);
	leave_means(q);
	if (!q->has_f)
		return;
	/* A recorded difference is a candidate before anything else. */
	ts_remain_facts(q);
	if (!local_losses(q) && !begins_exchanged(q) && !ts_diagnose_factor(q) && !ts_diagnose_inputs(q) && !ts_diagnose_skip(q) &&
	    !ts_diagnose_step(q) && !ts_diagnose_resume(q) && !ts_diagnose_facts(q, TS_PLACE_UNKNOWN))
		ts_diagnose_scalars(q);
	if (q->means && q->d.confidence == TS_CONFIDENCE_MEDIUM)
		q->d.confidence = TS_CONFIDENCE_LOW;
	ts_say_facts(q);
	ts_remain_rest(q);
}

/* High confidence needs a record that proves the cause; and what may be the cause is said at once. */
static void settle(struct ts_inquiry *q)
{
	enum ts_cause cause = q->d.cause;

	if (q->d.confidence == TS_CONFIDENCE_HIGH && !ts_proves(q, q->d.cause)) {
		q->d.confidence = TS_CONFIDENCE_MEDIUM;
		ts_remain_rest(q);
	}
	if (q->has_f ? cause != TS_CAUSE_REPORTING && cause != TS_CAUSE_STEP_NUMBERING && cause != TS_CAUSE_RANK_ORDER
		     : cause == TS_CAUSE_EVALUATION)
		ts_name_facts(q);
}

enum ts_status ts_diagnose(const struct ts_evidence *evidence, const struct ts_cuts *cuts, struct ts_arena *arena,
			   struct ts_diagnosis *ret_diagnosis, struct ts_error *err)
{
	struct ts_cuts defaults;
	struct ts_inquiry q;

	ts_cuts_default(&defaults);
	if (!ts_inquiry_begin(&q, evidence, cuts ? cuts : &defaults, arena))
		return ts_arena_error(arena, err);
	diagnose(&q);
	ts_lead_by_tensors(&q);
	settle(&q);
	ts_say_tensors(&q);
	say_inferred(&q);
	ts_diagnose_tiers(&q);
	ts_diagnose_features(&q);
	ts_diagnose_experiments(&q);
	if (q.full)
		return ts_arena_error(arena, err);
	*ret_diagnosis = q.d;
	return TS_OK;
}
