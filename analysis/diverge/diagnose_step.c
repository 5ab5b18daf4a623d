/* diagnose_step.c - explains a divergence by the part of a step that gave other results from equal inputs, as far as
 * digests show it: the forward and backward pass, the gradients of a few ranks, the update.
 *
 * Equal inputs and another result say where it happened, not why: a setting, the code, a kernel and a damaged state look the same.
 * A fact that differs names the cause; without one the class is `computation`, or `rounding` where the difference is no larger.
 */
#include "analysis/diverge/inquiry.h"

#include "analysis/answer/say.h"

/* --- gradients of a few ranks --- */

static bool forward_agrees(const struct ts_inquiry *q, int64_t step)
{
	const struct ts_first *params = &q->first[TS_KIND_PARAMS];

	if (params->parts && (params->step < step || (params->step == step && q->params_time == TS_DIGEST_BEFORE)))
		return false;
	return ts_agrees_at(q, TS_KIND_LOSS, step) && !q->first[TS_KIND_BATCH].parts;
}

/* Gradients differ on some ranks of several; the losses of that step agree and differ later. If they differ on every
 * rank at once, the cause is a kernel that adds in no fixed order. */
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

/* --- the update --- */

/* Returns the update after which parameters differ: that of their own step if their digest is taken after it, or if
 * the rest of that step agrees. */
static int64_t update_before(const struct ts_inquiry *q)
{
	int64_t step = q->first[TS_KIND_PARAMS].step;
	bool own = ts_agrees_at(q, TS_KIND_LOSS, step) &&
		   (ts_agrees_at(q, TS_KIND_GRADS, step) || ts_agrees_at(q, TS_KIND_GRAD_NORM, step));

	if (q->params_time == TS_DIGEST_AFTER || (q->params_time == TS_DIGEST_UNKNOWN && own))
		return step;
	return step - q->cadence;
}

static void say_small(struct ts_inquiry *q)
{
	ts_say_against(q, "%s: an update that rounds differently would look the same",
		       isnan(q->jump) ? "no loss or gradient norm shows the difference"
				      : "the difference that follows begins no larger than rounding");
	ts_remain(q, TS_CAUSE_NONDETERMINISM);
	ts_remain(q, TS_CAUSE_PRECISION);
}

/* The state of the optimizer tells an update that did not run from one that was damaged. */
static void say_optimizer(struct ts_inquiry *q)
{
	const struct ts_first *optimizer = &q->first[TS_KIND_OPTIMIZER];
	int64_t step = q->first[TS_KIND_PARAMS].step;

	if (!optimizer->recorded)
		ts_say_against(q, "the optimizer state has no digest, and a different setting of the optimizer would look the same");
	else if (optimizer->parts && optimizer->step <= step)
		ts_say_for(q, "the optimizer state differs from step %" PRId64 " on", optimizer->step);
	else if (ts_agrees_at(q, TS_KIND_OPTIMIZER, step))
		ts_say_for(q, "the optimizer state agrees at step %" PRId64 ": the update that changed it did run", step);
	else
		ts_say_against(q, "the optimizer state was not recorded at step %" PRId64, step);
}

/* Ranks that hold the same parameters make the same update of them. */
static void some_ranks(struct ts_inquiry *q, int64_t update)
{
	const struct ts_first *params = &q->first[TS_KIND_PARAMS];
	bool ran = ts_agrees_at(q, TS_KIND_OPTIMIZER, params->step);

	ts_conclude(q, TS_CAUSE_CORRUPTION,
		    ran && ts_agrees_at(q, TS_KIND_GRADS, update) ? TS_CONFIDENCE_HIGH
		    : ts_agrees_at(q, TS_KIND_GRADS, update)	  ? TS_CONFIDENCE_MEDIUM
								  : TS_CONFIDENCE_LOW,
		    "The parameters first differ at step %" PRId64
		    " on some ranks only, although nothing that went into their update differs: %s",
		    params->step,
		    ran ? "their state was damaged" : "either their state was damaged, or these ranks skipped their update");
}

/* Code and settings act on every update: where the same ones made equal updates before, they do not explain one that differs. */
static bool alone_damaged(const struct ts_inquiry *q, int64_t update)
{
	return update > q->start && ts_recipe_agrees(q) && ts_agrees_at(q, TS_KIND_OPTIMIZER, q->first[TS_KIND_PARAMS].step) &&
	       ts_agrees_at(q, TS_KIND_GRADS, update);
}

/* The first common step is the first of the training: nothing was damaged before it, and no state was restored. */
static bool begins_here(const struct ts_inquiry *q)
{
	return q->start >= 0 && q->start <= q->cadence && q->first[TS_KIND_LOSS].from_first && q->first[TS_KIND_PARAMS].from_first;
}

/* "first" or "second": the run that alone has the parameters of its record before, although the other made an update; NULL: neither. */
static const char *who_skipped(const struct ts_inquiry *q)
{
	bool a = q->e->params_back[0].previous, b = q->e->params_back[1].previous;

	return a == b ? NULL : a ? "first" : "second";
}

/* The run whose optimizer alone has the state of its first record again, no later than its parameters differ; NULL: neither. */
static const char *who_began_anew(const struct ts_inquiry *q)
{
	const struct ts_first *optimizer = &q->first[TS_KIND_OPTIMIZER];
	bool a = q->e->optimizer_back[0].first, b = q->e->optimizer_back[1].first;

	if (a == b || !optimizer->parts || optimizer->step > q->first[TS_KIND_PARAMS].step)
		return NULL;
	return a ? "first" : "second";
}

/* Both digests are from the same moment of a step, and the parameters still agree where the state of the optimizer does not: the update
 * that wrote both is the same. */
static bool optimizer_alone(const struct ts_inquiry *q)
{
	const struct ts_first *optimizer = &q->first[TS_KIND_OPTIMIZER];

	return optimizer->parts && optimizer->step < q->first[TS_KIND_PARAMS].step &&
	       optimizer->step > q->start && q->e->params_time != TS_DIGEST_UNKNOWN && q->e->optimizer_time == q->e->params_time &&
	       ts_agrees_at(q, TS_KIND_OPTIMIZER, optimizer->step - q->cadence);
}

static void skipped(struct ts_inquiry *q, const char *who)
{
	ts_conclude(q, TS_CAUSE_CODE, TS_CONFIDENCE_LOW,
		    "At step %" PRId64
		    " the %s run still has the parameters of its record before, although its gradients are those of the other run, "
		    "which made an update: that update was skipped, or undone",
		    q->first[TS_KIND_PARAMS].step, who);
}

static void began_anew(struct ts_inquiry *q, const char *who)
{
	ts_conclude(q, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM,
		    "At step %" PRId64
		    " the optimizer of the %s run has the state of its first record again, and the parameters differ from step %" PRId64
		    " on: it began anew, as where a run goes on from a checkpoint that has no state of the optimizer",
		    q->first[TS_KIND_OPTIMIZER].step, who, q->first[TS_KIND_PARAMS].step);
}

/* No record explains the difference. */
static void other_update(struct ts_inquiry *q, int64_t update, bool some)
{
	const struct ts_first *params = &q->first[TS_KIND_PARAMS];
	bool finite = ts_is_finite(q) || ts_is_pushed(q);

	if (some)
		some_ranks(q, update);
	else if (who_skipped(q))
		skipped(q, who_skipped(q));
	else if (who_began_anew(q))
		began_anew(q, who_began_anew(q));
	else if (optimizer_alone(q) && ts_recipe_agrees(q))
		ts_conclude(q, TS_CAUSE_CORRUPTION, TS_CONFIDENCE_MEDIUM,
			    "The state of the optimizer first differs at step %" PRId64
			    ", where the parameters that the same update wrote still agree, and code and settings are the same: it was "
			    "damaged, or something else wrote it",
			    q->first[TS_KIND_OPTIMIZER].step);
	else if (alone_damaged(q, update))
		ts_conclude(q, TS_CAUSE_CORRUPTION, TS_CONFIDENCE_MEDIUM,
			    "The parameters first differ at step %" PRId64
			    ", although their update ran from the same gradients and left the same state of the optimizer, as all "
			    "updates before it did with the same code and settings: they were damaged, or something else wrote them",
			    params->step);
	else if (finite && update == q->start && begins_here(q))
		ts_conclude(q, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM,
			    "The first update makes other parameters of equal ones and equal gradients (step %" PRId64
			    "), by more than rounding: the code of the update differs, or a setting of the optimizer that is not "
			    "recorded",
			    params->step);
	else
		ts_conclude(q, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM,
			    "The parameters first differ at step %" PRId64
			    ", although nothing recorded that went into their update differs: a setting of the optimizer, the "
			    "code, or a state that was damaged",
			    params->step);
	say_optimizer(q);
	if (!some && update > q->start && !ts_agrees_at(q, TS_KIND_OPTIMIZER, params->step))
		ts_remain(q, TS_CAUSE_RESUME_STATE);
	if (some || update == q->start || !ts_recipe_agrees(q)) {
		ts_remain(q, TS_CAUSE_CODE);
		ts_remain(q, TS_CAUSE_CONFIG);
	}
	ts_remain(q, TS_CAUSE_CORRUPTION);
	if (!finite)
		say_small(q);
}

/* If nobody declared when a digest was taken, and it differs together with the gradients of its step, it may be from
 * after the update: then only inputs that are known to agree leave the step itself. */
static bool may_be_inputs(const struct ts_inquiry *q)
{
	int64_t step = q->first[TS_KIND_PARAMS].step;
	bool beside = q->first[TS_KIND_GRADS].parts && q->first[TS_KIND_GRADS].step == step;

	beside = beside || (q->first[TS_KIND_GRAD_NORM].parts && q->first[TS_KIND_GRAD_NORM].step == step);
	beside = beside || (q->first[TS_KIND_LOSS].parts && q->first[TS_KIND_LOSS].step == step);
	return q->params_time == TS_DIGEST_UNKNOWN && beside &&
	       !(ts_agrees_at(q, TS_KIND_BATCH, step) && ts_agrees_at(q, TS_KIND_RNG, step));
}

/* Parameters differ although all inputs of their update agree. */
static bool by_state(struct ts_inquiry *q)
{
	const struct ts_first *params = &q->first[TS_KIND_PARAMS], *lr = &q->first[TS_KIND_LR];
	int64_t before, resume;
	bool some;

	if (!params->parts || params->step != q->f || may_be_inputs(q))
		return false;
	before = update_before(q);
	if (before < q->start || ts_resume_before(q, params->step, &resume) ||
	    (ts_resume_guessed(q, &resume) && resume == before) || (lr->parts && lr->step <= before) ||
	    !(ts_agrees_at(q, TS_KIND_GRADS, before) || ts_agrees_at(q, TS_KIND_GRAD_NORM, before)) ||
	    !ts_agrees_at(q, TS_KIND_LOSS, before))
		return false;
	ts_say_for(q, "the %s agree up to step %" PRId64 ", and so do the learning rates%s",
		   ts_agrees_at(q, TS_KIND_GRADS, before) ? "gradients" : "gradient norms", before,
		   lr->recorded ? "" : ", as far as they were recorded");
	some = params->ranks > 1 && params->parted_first < params->ranks;
	if (some || !ts_diagnose_facts(q, TS_PLACE_UPDATE)) {
		other_update(q, before, some);
	} else {
		ts_say_for(q, "everything that went into the update of step %" PRId64 " agrees, but the parameters after it differ",
			   before);
		ts_remain(q, TS_CAUSE_CORRUPTION);
	}
	if (before == q->start || !some)
		q->d.step = before < params->step && q->d.cause == TS_CAUSE_CONFIG ? before : params->step;
	return true;
}

/* --- the pass --- */

static bool differs_at(const struct ts_inquiry *q, enum ts_series_kind kind)
{
	return q->first[kind].parts && q->first[kind].step == q->f;
}

/* One run computes a number there that the other does not have. */
static bool is_lost_in_one(const struct ts_inquiry *q)
{
	static const enum ts_series_kind kinds[] = {TS_KIND_LOSS, TS_KIND_GRAD_NORM};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const struct ts_first *first = &q->first[kinds[i]];

		if (differs_at(q, kinds[i]) && first->series && isfinite(first->series->a) != isfinite(first->series->b))
			return !ts_at_start(q);
	}
	return false;
}

/* The generators agree before the pass and no longer at the next record: the pass drew more or fewer numbers, or something beside it
 * did. */
static bool drew_otherwise(const struct ts_inquiry *q)
{
	const struct ts_first *rng = &q->first[TS_KIND_RNG];

	return differs_at(q, TS_KIND_LOSS) && ts_agrees_at(q, TS_KIND_RNG, q->f) && rng->parts && rng->step == q->f + q->cadence &&
	       ts_config_known(q) && !ts_group_differs(q, TS_GROUP_CONFIG) && ts_is_finite(q);
}

static void other_draws(struct ts_inquiry *q)
{
	ts_conclude(q, ts_recipe_agrees(q) ? TS_CAUSE_RNG_STREAM : TS_CAUSE_CODE, TS_CONFIDENCE_LOW,
		    "Step %" PRId64
		    " computes another loss from equal parameters, batch and generators, and the generators differ from the next "
		    "record on: more or fewer numbers are drawn in that step, by its code or by something beside it",
		    q->f);
}

/* No cause names a kernel alone: the code, a setting that was not recorded or a damaged state would look the same. */
static void other_pass(struct ts_inquiry *q, bool forward, bool rng)
{
	const char *what = forward ? "the loss" : "the gradients";

	unsigned off = 0, unknown = 0;
	bool by_chance = false;

	if (ts_is_rounding(q)) {
		ts_say_flags(q, &off, &unknown);
		by_chance = off && ts_same_recipe_and_platform(q) && q->e->repeats.answer != TS_REPEATS_EQUAL;
	}
	if (is_lost_in_one(q))
		ts_conclude(q, TS_CAUSE_BLOW_UP, TS_CONFIDENCE_MEDIUM,
			    "Only one of the two runs blows up, at step %" PRId64
			    ": it computes a value that is NaN or infinite from inputs that are equal in both",
			    q->f);
	else if (drew_otherwise(q))
		other_draws(q);
	else if (by_chance && !ts_is_pushed(q))
		ts_conclude(q, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_LOW,
			    "Step %" PRId64
			    " computes %s from equal inputs with a different rounding, although code, settings, libraries and devices "
			    "are recorded and the same: kernels seem not to repeat, as flags that prevent it are not set",
			    q->f, what);
	else if (ts_is_rounding(q) && !ts_is_pushed(q))
		ts_conclude(q, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM,
			    "Step %" PRId64 " computes %s from equal inputs with a different rounding", q->f, what);
	else if (forward && rng && q->jump > ts_cut_of(q, TS_CUT_PRECISION) && ts_at_first_pass(q) && begins_here(q))
		ts_conclude(q, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM,
			    "Step %" PRId64
			    " computes another loss from equal inputs, by more than a kernel or a precision changes it: the code "
			    "differs, or a setting that is not recorded",
			    q->f);
	else
		ts_conclude(q, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM,
			    "Step %" PRId64
			    " computes different values from equal inputs: the code, a setting, a kernel or a damaged state differs",
			    q->f);
	if (ts_is_rounding(q)) {
		if (by_chance)
			ts_remain(q, TS_CAUSE_NONDETERMINISM);
		ts_remain(q, TS_CAUSE_PRECISION);
		ts_remain(q, TS_CAUSE_REDUCTION_ORDER);
		ts_remain(q, TS_CAUSE_NONDETERMINISM);
		ts_remain(q, TS_CAUSE_PLATFORM);
	}
	if (ts_damage_first(q))
		ts_remain(q, TS_CAUSE_CORRUPTION);
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_PRECISION);
	ts_remain(q, TS_CAUSE_CORRUPTION);
	if (forward) {
		ts_say_against(q, "%s", rng ? "a generator that the digest does not cover would look the same"
					    : "the random generators were not recorded");
		ts_remain(q, TS_CAUSE_RNG_STREAM);
	}
}

static void say_later(struct ts_inquiry *q)
{
	const struct ts_first *params = &q->first[TS_KIND_PARAMS];

	if (params->bits || (params->recorded && params->through > q->f))
		return;
	ts_say_against(q, "no parameters after that step were recorded: they would show whether the training differs or only "
			  "a logged value");
	ts_remain(q, TS_CAUSE_REPORTING);
}

/* Digests taken after the update do not show where a state was changed: in the update before, which they show, or in
 * the pass. */
static bool by_pass(struct ts_inquiry *q)
{
	bool forward = differs_at(q, TS_KIND_LOSS), rng = ts_agrees_at(q, TS_KIND_RNG, q->f);
	bool backward = differs_at(q, TS_KIND_GRADS) || differs_at(q, TS_KIND_GRAD_NORM);
	int64_t resume;

	/* An equal loss of an equal batch shows that its parameters were equal. */
	if (!(forward || backward) || !ts_agrees_at(q, TS_KIND_BATCH, q->f) ||
	    !(ts_same_parameters(q) || ts_agrees_at(q, TS_KIND_LOSS, q->f)))
		return false;
	if (ts_resume_before(q, q->f, &resume) && !rng)
		return false;
	ts_say_for(q, "the parameters%s and the batch agree at step %" PRId64 ", but the %s", rng ? ", the random generators" : "",
		   q->f, forward ? "loss does not" : "gradients do not");
	if (!ts_diagnose_facts(q, rng ? TS_PLACE_PASS : TS_PLACE_UNKNOWN))
		other_pass(q, forward, rng);
	say_later(q);
	return true;
}

/* The parameters that the pass used are not known, but no input differs: the cause is another initialization, or the
 * pass. */
static bool by_first_pass(struct ts_inquiry *q)
{
	if (!ts_at_first_pass(q) || !differs_at(q, TS_KIND_LOSS) || !ts_agrees_at(q, TS_KIND_BATCH, q->f) ||
	    !ts_agrees_at(q, TS_KIND_RNG, q->f))
		return false;
	if (ts_diagnose_facts(q, TS_PLACE_UNKNOWN))
		return true;
	ts_conclude(q, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW,
		    "The batch and the random generators agree at the first step, but the loss does not: either the initialization "
		    "differs, or the first step computes something else");
	if (ts_is_rounding(q)) {
		ts_remain(q, TS_CAUSE_PRECISION);
		ts_remain(q, TS_CAUSE_REDUCTION_ORDER);
	}
	ts_remain_of_first_pass(q);
	return true;
}

bool ts_diagnose_step(struct ts_inquiry *q)
{
	return by_gradients(q) || by_state(q) || by_pass(q) || by_first_pass(q);
}
