/* diagnose_inputs.c - explains a divergence by hard evidence: what went into a step (batch, random state,
 * parameters) differs before what came out.
 *
 * An input explains a difference only if it differs at its step or a few records before: batches that differ for hundreds of
 * steps while the loss agrees to the bit did not matter to it. Digests of parameters may be of before or after the update of
 * their step; where nobody said which, they are not taken for an initialization that differs.
 */
#include "analysis/diverge/inquiry.h"

#include "analysis/answer/say.h"
#include "run/role.h"

#define NAME(series) TS_SPAN_ARG(ts_column_said((series)->name))

/* The step at which the effect shows: of the losses and norms, if they were recorded, since an update that differs shows in the
 * digest of its own step. */
static bool effect_step(const struct ts_inquiry *q, int64_t *ret_step)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS], *norm = &q->first[TS_KIND_GRAD_NORM];

	if (!loss->parts && !norm->parts)
		return false;
	*ret_step = !norm->parts || (loss->parts && loss->step <= norm->step) ? loss->step : norm->step;
	return true;
}

static bool precedes(struct ts_inquiry *q, enum ts_series_kind kind, enum ts_cut most)
{
	const struct ts_first *input = &q->first[kind];
	double distance;

	if (!input->parts)
		return false;
	distance = ts_records(q, input->step, q->f);
	if (distance >= 0 && distance <= ts_cut_of(q, most))
		return true;
	if (distance > 0)
		ts_say_against(q,
			       "%.*s differs from step %" PRId64
			       " on, but nothing else changed for %s: it is not the cause",
			       NAME(input->series), input->step, ts_say_plural(distance, "record").text);
	else
		ts_say_against(q,
			       "%.*s differs only from step %" PRId64
			       " on, when the training already differed: it is not the cause",
			       NAME(input->series), input->step);
	return false;
}

/* --- learning rate --- */

static void name_settings(struct ts_inquiry *q)
{
	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_effect *effect = ts_effect_of(q->e->facts[i].path);

		if (effect && effect->by_schedule && ts_fact_differs(q, &q->e->facts[i]))
			ts_say_for(q, "%.*s differs, which %s", TS_SPAN_ARG(q->e->facts[i].path), effect->says);
	}
}

static bool by_learning_rate(struct ts_inquiry *q)
{
	const struct ts_first *lr = &q->first[TS_KIND_LR];
	enum ts_confidence sure = TS_CONFIDENCE_HIGH;
	int64_t effect = q->f;
	bool shown = effect_step(q, &effect);
	struct ts_span values;
	double distance;

	if (!lr->parts)
		return false;
	distance = ts_records(q, lr->step, effect);
	if (distance < 0 || distance > ts_cut_of(q, TS_CUT_LR_STEPS)) {
		(void)precedes(q, TS_KIND_LR, TS_CUT_LR_STEPS);
		return false;
	}
	/* A learning rate acts on the losses after its step; within one interval of records, or after an update, both show in
	 * one record. */
	if (shown && distance == 0 && q->cadence == 1) {
		if (ts_at_first_pass(q)) {
			ts_say_against(q, "the learning rate differs from the first step on, but so does the loss, and "
					  "no update had "
					  "acted on that loss yet");
			return false;
		}
		sure = TS_CONFIDENCE_MEDIUM;
		ts_say_against(q, "a learning rate acts on the record after its own, but here both first differ in the "
				  "same record");
	}
	/* What differs in the update alone cannot have moved a batch. */
	if (q->first[TS_KIND_BATCH].parts && q->first[TS_KIND_BATCH].step <= effect)
		return false;
	values = ts_values_text(q, lr->series->a, lr->series->b);
	ts_say_for(q, "at step %" PRId64 " the learning rate is %.*s%s", lr->step, TS_SPAN_ARG(values),
		   shown && distance > 0 ? "; everything that was computed before that update agrees" : "");
	name_settings(q);
	ts_conclude(q, TS_CAUSE_CONFIG, sure, "The learning rate differs from step %" PRId64 " on: it is %.*s",
		    lr->step, TS_SPAN_ARG(values));
	q->d.step = lr->step;
	return true;
}

/* --- batches --- */

static enum ts_cause data_facts(const struct ts_inquiry *q)
{
	enum ts_cause cause = TS_CAUSE_UNKNOWN;

	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_effect *effect = ts_effect_of(q->e->facts[i].path);

		if (!effect || !ts_fact_differs(q, &q->e->facts[i]))
			continue;
		if (effect->cause == TS_CAUSE_DATA_SET)
			return TS_CAUSE_DATA_SET;
		if ((effect->cause == TS_CAUSE_DATA_ORDER || effect->cause == TS_CAUSE_INIT_OR_DATA))
			cause = TS_CAUSE_DATA_ORDER;
	}
	return cause;
}

/* Both say which data they read, and say the same. */
static bool same_data_said(const struct ts_inquiry *q)
{
	const struct ts_facts *facts = q->e->facts_a;

	if (!facts || !q->e->facts_b)
		return false;
	for (size_t i = 0; i < facts->n; i++) {
		const struct ts_fact *a = &facts->items[i], *b;
		const struct ts_effect *effect = ts_effect_of(a->path);

		if (!effect || effect->cause != TS_CAUSE_DATA_SET)
			continue;
		b = ts_facts_find(q->e->facts_b, a->path);
		if (b && ts_fact_same(a, b))
			return data_facts(q) != TS_CAUSE_DATA_SET;
	}
	return false;
}

static void data_position(struct ts_inquiry *q, int64_t step)
{
	int64_t shift = q->e->batches.shift;

	ts_conclude(q, TS_CAUSE_DATA_POSITION, TS_CONFIDENCE_HIGH,
		    "From step %" PRId64 " on the second run trains on the batches that the first run has %s %s", step,
		    ts_say_plural(shift < 0 ? -(double)shift : (double)shift, "step").text,
		    shift < 0 ? "earlier" : "later");
}

static void data_elsewhere(struct ts_inquiry *q, int64_t step)
{
	const struct ts_batch_relation *r = &q->e->batches;

	ts_say_for(q, "from that step on %s of the second run %s in the first run at a different step (compared: %s)",
		   ts_say_plural((double)r->shared, "batch digest").text, r->shared == 1 ? "is" : "are",
		   ts_say_count((double)r->compared).text);
	if (r->answer == TS_BATCHES_OVERLAP && data_facts(q) == TS_CAUSE_DATA_SET) {
		ts_conclude(q, TS_CAUSE_DATA_SET, TS_CONFIDENCE_HIGH,
			    "The data differ from step %" PRId64 " on, and the recorded facts say so", step);
		ts_remain(q, TS_CAUSE_DATA_ORDER);
		return;
	}
	ts_conclude(q, TS_CAUSE_DATA_ORDER,
		    r->answer == TS_BATCHES_REORDERED ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		    "The batches come in a different order from step %" PRId64 " on", step);
	if (r->answer == TS_BATCHES_OVERLAP)
		ts_remain(q, TS_CAUSE_DATA_SET);
}

/* Batches that differ and are nowhere else, among others that stayed where they were. */
static void data_replaced(struct ts_inquiry *q, int64_t step)
{
	const struct ts_batch_relation *r = &q->e->batches;
	bool same = same_data_said(q), said = data_facts(q) == TS_CAUSE_DATA_SET;

	ts_say_for(q,
		   "from that step on %s of %s agree at the same step, and the others are nowhere in the first run: no "
		   "batch has "
		   "moved",
		   ts_say_count((double)r->kept).text, ts_say_plural((double)r->compared, "batch digest").text);
	if (same) {
		ts_say_against(q, "both runs say that they read the same data: samples may have changed places between "
				  "batches or "
				  "within a batch");
		ts_conclude(q, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_LOW,
			    "Some batches hold different samples from step %" PRId64
			    " on, although both runs say that they read the same data",
			    step);
		ts_remain(q, TS_CAUSE_DATA_SET);
		return;
	}
	ts_conclude(q, TS_CAUSE_DATA_SET, said ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		    "Some batches hold different samples from step %" PRId64
		    " on, but the order of the batches is the same%s",
		    step, said ? "; the recorded facts say that the data differ" : "");
	if (!said)
		ts_remain(q, TS_CAUSE_DATA_ORDER);
}

/* No batch is in both: another order of samples, or other samples. */
static void data_unlike(struct ts_inquiry *q, int64_t step)
{
	if (data_facts(q) == TS_CAUSE_DATA_SET) {
		ts_conclude(q, TS_CAUSE_DATA_SET, TS_CONFIDENCE_HIGH,
			    "The data differ from step %" PRId64 " on, and the recorded facts say so", step);
		return;
	}
	if (same_data_said(q)) {
		ts_say_for(q, "both runs say that they read the same data");
		ts_conclude(q, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_HIGH,
			    "The same data are read in a different order from step %" PRId64 " on", step);
		return;
	}
	ts_say_against(q, "no batch of one run is in the other run, and the same samples in a different order would "
			  "look like different samples");
	ts_conclude(q, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_MEDIUM,
		    "The batches differ from step %" PRId64
		    " on: the data order or the data set differs, and no recorded fact shows which",
		    step);
	ts_remain(q, TS_CAUSE_DATA_SET);
}

/* Where the batches of one run lie in the other was not looked for. */
static void data_unknown(struct ts_inquiry *q, int64_t step)
{
	struct ts_span why = q->e->batches_unknown;

	if (data_facts(q) == TS_CAUSE_DATA_SET) {
		ts_conclude(q, TS_CAUSE_DATA_SET, TS_CONFIDENCE_HIGH,
			    "The batches differ from step %" PRId64
			    " on, and the recorded facts say that the data differ",
			    step);
		return;
	}
	ts_say_against(q, "tscope did not look for the batches of one run in the other run%s%.*s", why.len ? ": " : "",
		       TS_SPAN_ARG(why));
	if (same_data_said(q)) {
		ts_say_for(q, "both runs say that they read the same data");
		ts_conclude(
			q, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_MEDIUM,
			"The same data are read in a different order, or from a different position, from step %" PRId64
			" on",
			step);
	} else {
		ts_conclude(q, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_MEDIUM,
			    "The batches differ from step %" PRId64
			    " on: it is not known whether the data order, the data position or the data set differs",
			    step);
		ts_remain(q, TS_CAUSE_DATA_SET);
	}
	ts_remain(q, TS_CAUSE_DATA_POSITION);
}

/* Where steps before the first common one are missing on a side, anything may have moved the parameters by then. */
static bool init_differs(const struct ts_inquiry *q)
{
	const struct ts_first *params = &q->first[TS_KIND_PARAMS];

	return params->parts && params->step == q->start && params->from_first && q->e->params_time == TS_DIGEST_BEFORE;
}

static bool by_batches(struct ts_inquiry *q)
{
	const struct ts_first *batch = &q->first[TS_KIND_BATCH];
	int64_t resume;

	if (!precedes(q, TS_KIND_BATCH, TS_CUT_INPUT_STEPS))
		return false;
	if (ts_resume_before(q, batch->step, &resume)) {
		if (q->e->batches.answer == TS_BATCHES_SHIFTED)
			ts_say_for(
				q,
				"from that step on the second run trains on the batches that the first run has %s %s",
				ts_say_plural(fabs((double)q->e->batches.shift), "step").text,
				q->e->batches.shift < 0 ? "earlier" : "later");
		ts_conclude(q, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH,
			    "After the resume at step %" PRId64 " the data continue from a different position", resume);
	} else if (init_differs(q)) {
		ts_conclude(q, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_HIGH,
			    "Both the initial parameters and the batches differ from step %" PRId64 " on", batch->step);
	} else if (q->e->batches.answer == TS_BATCHES_SHIFTED) {
		data_position(q, batch->step);
	} else if (q->e->batches.answer == TS_BATCHES_REORDERED || q->e->batches.answer == TS_BATCHES_OVERLAP) {
		data_elsewhere(q, batch->step);
	} else if (q->e->batches.answer == TS_BATCHES_REPLACED) {
		data_replaced(q, batch->step);
	} else if (q->e->batches.answer == TS_BATCHES_UNKNOWN) {
		data_unknown(q, batch->step);
	} else {
		data_unlike(q, batch->step);
	}
	q->d.step = batch->step;
	if (batch->step == q->start && q->first[TS_KIND_PARAMS].parts && q->e->params_time == TS_DIGEST_UNKNOWN)
		ts_remain(q, TS_CAUSE_INIT);
	return true;
}

/* --- parameters at the beginning --- */

/* A fact differs that is known to change what one forward pass and one update come to. */
static bool computes_otherwise(const struct ts_inquiry *q)
{
	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_effect *effect = ts_effect_of(q->e->facts[i].path);

		if (effect && ts_fact_differs(q, &q->e->facts[i]) &&
		    (effect->cause == TS_CAUSE_PRECISION || effect->cause == TS_CAUSE_REDUCTION_ORDER ||
		     effect->cause == TS_CAUSE_PLATFORM || effect->cause == TS_CAUSE_CONFIG))
			return true;
	}
	return false;
}

static bool by_parameters(struct ts_inquiry *q)
{
	const struct ts_first *params = &q->first[TS_KIND_PARAMS];
	bool batch = ts_agrees_at(q, TS_KIND_BATCH, q->start), rng = ts_agrees_at(q, TS_KIND_RNG, q->start);
	int64_t resume;

	if (!params->parts || params->step != q->start)
		return false;
	if (ts_resume_before(q, q->start, &resume) && q->e->params_time == TS_DIGEST_BEFORE) {
		ts_conclude(q, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH,
			    "The resume at step %" PRId64 " did not restore the same parameters", resume);
		return true;
	}
	if (!params->from_first)
		return false;
	if (init_differs(q)) {
		ts_conclude(q, TS_CAUSE_INIT, TS_CONFIDENCE_HIGH,
			    "The parameters differ before the first update, at step %" PRId64, q->start);
		return true;
	}
	/* Digests that were taken after the update follow from whatever changed the loss, and these may be such. */
	if (q->e->params_time == TS_DIGEST_AFTER || computes_otherwise(q) || !ts_at_start(q) || !q->first[TS_KIND_LOSS].parts ||
	    q->first[TS_KIND_LOSS].step != q->start || !ts_is_finite(q) || !batch)
		return false;
	if (!rng)
		ts_say_against(
			q,
			"the random generators were not recorded, and it was not declared whether the digest is from "
			"before or after the first update");
	ts_conclude(q, TS_CAUSE_INIT, rng ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		    "The parameters differ at the first step, but the batch agrees: the initialization differs");
	ts_remain(q, TS_CAUSE_RNG_STREAM);
	return true;
}

/* --- generators --- */

static bool by_generators(struct ts_inquiry *q)
{
	const struct ts_first *rng = &q->first[TS_KIND_RNG];
	bool batch, params;
	int64_t resume;

	if (!precedes(q, TS_KIND_RNG, TS_CUT_INPUT_STEPS))
		return false;
	batch = ts_agrees_at(q, TS_KIND_BATCH, rng->step);
	params = ts_agrees_at(q, TS_KIND_PARAMS, rng->step - 1) ||
		 (rng->step == q->start && ts_agrees_at(q, TS_KIND_PARAMS, q->start)) ||
		 (rng->step > q->start && ts_agrees_at(q, TS_KIND_LOSS, rng->step - q->cadence));
	if (ts_resume_before(q, rng->step, &resume)) {
		ts_conclude(q, TS_CAUSE_RESUME_STATE, batch ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
			    "The resume at step %" PRId64 " did not restore the state of the random generators",
			    resume);
		ts_remain(q, TS_CAUSE_RESUME_DATA);
	} else {
		if (!batch)
			ts_say_against(q,
				       "the batches were not recorded, and a random generator may have drawn them too");
		if (!params)
			ts_say_against(q, "the parameters before their first update were not recorded, and a random "
					  "generator may have "
					  "drawn them too");
		ts_conclude(q, TS_CAUSE_RNG_STREAM, batch && params ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
			    "The states of the random generators differ from step %" PRId64
			    " on%s: dropout and other random draws differ",
			    rng->step, batch ? ", but the batches agree" : "");
		ts_remain(q, TS_CAUSE_DATA_ORDER);
		if (!params)
			ts_remain(q, TS_CAUSE_INIT);
	}
	q->d.step = rng->step;
	return true;
}

/* --- gradients and state of a few ranks --- */

static bool forward_agrees(const struct ts_inquiry *q, int64_t step)
{
	const struct ts_first *params = &q->first[TS_KIND_PARAMS];

	if (params->parts && (params->step < step || (params->step == step && q->e->params_time == TS_DIGEST_BEFORE)))
		return false;
	return ts_agrees_at(q, TS_KIND_LOSS, step) && !q->first[TS_KIND_BATCH].parts;
}

/* Gradients differ on some ranks of several; the losses of that step agree and differ later. On every rank at once it is a
 * kernel that adds in no fixed order. */
static bool by_gradients(struct ts_inquiry *q)
{
	const struct ts_first *grads = &q->first[TS_KIND_GRADS], *loss = &q->first[TS_KIND_LOSS],
			      *norm = &q->first[TS_KIND_GRAD_NORM];
	bool pushed = norm->parts && norm->step == grads->step && norm->jump >= ts_cut_of(q, TS_CUT_GRAD);

	if (!grads->parts || grads->ranks < 2 || grads->parted_first == grads->ranks || grads->step != q->f || !loss->parts ||
	    loss->step <= grads->step || !forward_agrees(q, grads->step))
		return false;
	ts_say_for(q, "the losses agree at step %" PRId64 " and first differ %s later", grads->step,
		   ts_say_plural(ts_records(q, grads->step, loss->step), "record").text);
	ts_conclude(q, TS_CAUSE_GRADIENT_PATH, pushed ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		    "The gradients first differ at step %" PRId64
		    ", after equal forward passes, on %u of %u ranks (rank %" PRId32 " is one)",
		    grads->step, grads->parted_first, grads->ranks, grads->series->rank);
	if (!pushed) {
		ts_say_against(
			q, "the gradient norm changed by no more than a different order of summation would change it");
		ts_remain(q, TS_CAUSE_NONDETERMINISM);
	}
	ts_remain(q, TS_CAUSE_CORRUPTION);
	return true;
}

/* The update after which parameters differ: of their own step if their digest is of after it, or if all of that step agrees. */
static int64_t update_before(const struct ts_inquiry *q)
{
	int64_t step = q->first[TS_KIND_PARAMS].step;
	bool own = ts_agrees_at(q, TS_KIND_LOSS, step) &&
		   (ts_agrees_at(q, TS_KIND_GRADS, step) || ts_agrees_at(q, TS_KIND_GRAD_NORM, step));

	if (q->e->params_time == TS_DIGEST_AFTER || (q->e->params_time == TS_DIGEST_UNKNOWN && own && step == q->start))
		return step;
	return step - q->cadence;
}

/* It was not declared when the digest of the parameters is taken, and after an equal forward pass the gradients of its step
 * differ too. */
static bool gradients_first(const struct ts_inquiry *q)
{
	const struct ts_first *params = &q->first[TS_KIND_PARAMS], *grads = &q->first[TS_KIND_GRADS],
			      *norm = &q->first[TS_KIND_GRAD_NORM];

	return q->e->params_time == TS_DIGEST_UNKNOWN && ts_agrees_at(q, TS_KIND_LOSS, params->step) &&
	       ((grads->parts && grads->step == params->step) || (norm->parts && norm->step == params->step));
}

/* Parameters differ although everything that went into their update agrees. */
static bool by_state(struct ts_inquiry *q)
{
	const struct ts_first *params = &q->first[TS_KIND_PARAMS];
	bool several = q->first[TS_KIND_GRADS].ranks > 1 || params->ranks > 1 || q->e->world_a > 1 || q->e->world_b > 1;
	bool grads, some, finite = ts_is_finite(q) || ts_is_pushed(q);
	int64_t before, resume;

	if (!params->parts || params->step != q->f)
		return false;
	before = update_before(q);
	if (before < q->start)
		return false;
	grads = ts_agrees_at(q, TS_KIND_GRADS, before);
	some = params->ranks > 1 && params->parted_first < params->ranks;
	if (ts_resume_before(q, params->step, &resume) || q->first[TS_KIND_LR].parts ||
	    !(grads || ts_agrees_at(q, TS_KIND_GRAD_NORM, before)) || !ts_agrees_at(q, TS_KIND_LOSS, before))
		return false;
	if (ts_diagnose_update(q, before, grads ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM))
		return true;
	if (params->step == q->start || gradients_first(q))
		return false;
	/* Without digests of gradients a small difference may have come from them, and with several ranks from their sum. */
	if (!some && !finite && (!grads || several))
		return false;
	ts_say_for(q, "the %s agree up to step %" PRId64 ", and so do the learning rates%s",
		   grads ? "gradients" : "gradient norms", before,
		   q->first[TS_KIND_LR].recorded ? "" : ", as far as they were recorded");
	ts_conclude(q, TS_CAUSE_CORRUPTION,
		    some && grads ? TS_CONFIDENCE_HIGH
		    : finite	  ? TS_CONFIDENCE_MEDIUM
				  : TS_CONFIDENCE_LOW,
		    "The parameters first differ at step %" PRId64
		    "%s, although nothing that went into their update differs",
		    params->step, some ? " on some ranks only" : "");
	ts_say_against(
		q, "the optimizer state has no digest, and a different setting of the optimizer would look the same");
	if (!some)
		ts_remain(q, TS_CAUSE_RESUME_STATE);
	ts_remain(q, TS_CAUSE_CONFIG);
	if (!finite) {
		ts_say_against(q, "%s: an update that rounds differently would look the same",
			       isnan(q->jump) ? "no loss or gradient norm shows the difference"
					      : "the difference that follows begins no larger than rounding");
		ts_remain(q, TS_CAUSE_NONDETERMINISM);
	}
	return true;
}

/* The parameters that the forward pass of step f used are equal: those of after its update tell it of the step before. */
static bool same_parameters(const struct ts_inquiry *q)
{
	return ts_agrees_at(q, TS_KIND_PARAMS, q->f) || (q->e->params_time == TS_DIGEST_AFTER && q->f > q->start &&
							 ts_agrees_at(q, TS_KIND_PARAMS, q->f - q->cadence));
}

/* The gradients differ first, and no loss of their step was recorded, or a coarse one: it may differ there too. */
static bool loss_unseen(const struct ts_inquiry *q)
{
	const struct ts_first *grads = &q->first[TS_KIND_GRADS], *loss = &q->first[TS_KIND_LOSS];
	bool coarse = ts_cut_of(q, TS_CUT_QUANTUM) * q->quantum > q->limit;

	return grads->parts && grads->step == q->f && q->hidden > 0 && loss->step > q->f &&
	       (coarse || !ts_agrees_at(q, TS_KIND_LOSS, q->f));
}

/* Parameters, batch and generators agree, and the loss does not. */
static bool by_exclusion(struct ts_inquiry *q)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS];

	if (!loss->parts || (loss->step != q->f && !loss_unseen(q)) || !(ts_is_finite(q) || ts_is_pushed(q)) ||
	    !same_parameters(q) || !ts_agrees_at(q, TS_KIND_BATCH, q->f) || !ts_agrees_at(q, TS_KIND_RNG, q->f))
		return false;
	if (ts_diagnose_facts(q))
		return true;
	if (loss->step == q->f) {
		ts_say_for(q,
			   "the parameters, the batch and the random generators agree at step %" PRId64
			   ", but the loss does not",
			   q->f);
	} else {
		ts_say_for(q,
			   "the parameters, the batch and the random generators agree at step %" PRId64
			   ", but the gradients do not",
			   q->f);
		ts_say_against(q, "no loss of that step shows the result of its forward pass, which may have agreed");
		ts_remain(q, TS_CAUSE_NONDETERMINISM);
		ts_remain(q, TS_CAUSE_GRADIENT_PATH);
	}
	if (q->first[TS_KIND_PARAMS].through <= q->f && !q->first[TS_KIND_PARAMS].bits) {
		ts_say_against(q, "no parameters after that step were recorded: they would show whether the training "
				  "differs or only "
				  "a logged value");
		ts_remain(q, TS_CAUSE_REPORTING);
	}
	ts_conclude(q, TS_CAUSE_PRECISION, q->d.n_remaining ? TS_CONFIDENCE_LOW : TS_CONFIDENCE_MEDIUM,
		    "Step %" PRId64
		    " computes different values from equal inputs: the precision, a kernel or a setting differs",
		    q->f);
	if (!ts_config_known(q))
		ts_remain(q, TS_CAUSE_CONFIG);
	if (q->f > q->start)
		ts_remain(q, TS_CAUSE_CORRUPTION);
	ts_remain(q, TS_CAUSE_PLATFORM);
	return true;
}

bool ts_diagnose_inputs(struct ts_inquiry *q)
{
	if (q->dealt)
		ts_say_against(q, "the two runs split their batches over a different number of ranks: digests of "
				  "batches cannot be compared");
	return by_learning_rate(q) || by_batches(q) || by_parameters(q) || by_generators(q) || by_gradients(q) || by_state(q) ||
	       by_exclusion(q);
}
