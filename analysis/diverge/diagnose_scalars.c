/* diagnose_scalars.c - explains a divergence by losses, gradient norms and events, where no digest and no fact
 * decides.
 *
 * The best single feature is the size of the first difference that can be seen: rounding begins below numeric_jump and a
 * changed weight, batch or rate above it. Windows of ten steps mix the two. What follows from a first difference no larger than
 * a few quanta of a coarse source is nothing.
 */
#include "analysis/diverge/inquiry.h"

#include "analysis/answer/say.h"
#include "base/door.h"
#include "run/role.h"

enum { FIRST_UPDATES = 2 }; /* records after the first at which the first updates show, with momentum as well */

/* --- resume --- */

/* A digest of the optimizer's state that differs no later than what follows from it; NULL: none is recorded, or it agrees. */
static const struct ts_evidence_series *other_moments(const struct ts_inquiry *q)
{
	const struct ts_first *optimizer = &q->first[TS_KIND_OPTIMIZER];

	return optimizer->parts && optimizer->step <= q->f ? optimizer->series : NULL;
}

/* Of the state, what no record shows to agree. */
static void other_state(struct ts_inquiry *q, int64_t resume, bool forward)
{
	const struct ts_evidence_series *moments = other_moments(q);
	bool generators = ts_agrees_at(q, TS_KIND_RNG, resume);

	if (moments)
		ts_conclude(q, TS_CAUSE_RESUME_STATE, forward ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
			    "The resume at step %" PRId64 " did not restore the state of the optimizer: %.*s differs from step %" PRId64
			    " on",
			    resume, TS_SPAN_ARG(ts_column_said(moments->name)), moments->first);
	else
		ts_conclude(q, TS_CAUSE_RESUME_STATE, forward ? TS_CONFIDENCE_MEDIUM : TS_CONFIDENCE_LOW,
			    "The two runs first differ right after the resume at step %" PRId64 ": the optimizer%s not restored%s",
			    resume, generators ? " or the gradient scaler was" : ", the gradient scaler or the random generators were",
			    forward || ts_batches_seem_same(q) ? "" : ", or the data continue from a different position");
	if (generators)
		ts_say_for(q, "the random generators agree at step %" PRId64 ", so they were restored", resume);
}

/* Equal batches mean that only the state is left; so does a forward pass that agrees, on whatever batch. An
 * immediate difference may be either: another batch, or other random draws. */
static void state_or_data(struct ts_inquiry *q, int64_t resume)
{
	bool batch = ts_agrees_at(q, TS_KIND_BATCH, q->f) || q->passed_over; /* those behind the first agree */
	bool forward = batch || ts_agrees_at(q, q->first[TS_KIND_LOSS].recorded ? TS_KIND_LOSS : TS_KIND_GRAD_NORM, resume);
	bool data = !forward && q->f == resume &&
		    (q->jump >= ts_cut_of(q, TS_CUT_RESUME_DATA) ? !ts_batches_seem_same(q) : ts_batches_seem_other(q));

	ts_say_noise(q);

	if (data)
		ts_conclude(q, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_LOW,
			    "The two runs first differ at the resume at step %" PRId64
			    ", at once with a relative difference of %s: the data continue from a different position, or the random "
			    "generators were not restored",
			    resume, ts_say_number(q->jump).text);
	else
		other_state(q, resume, forward);
	if (!data && !forward && !ts_batches_seem_same(q))
		ts_say_against(q, "no record shows that the first forward pass after the resume agrees: different data "
				  "may cause this "
				  "too");
	ts_remain(q, data ? TS_CAUSE_RESUME_STATE : TS_CAUSE_RESUME_DATA);
	ts_remain(q, TS_CAUSE_RNG_STREAM);
}

/* The run begins with the parameters of the other run, and with another state of the optimizer. */
static bool begins_without_moments(struct ts_inquiry *q, int64_t begins)
{
	const struct ts_first *optimizer = &q->first[TS_KIND_OPTIMIZER];

	if (!optimizer->parts || optimizer->step != begins || !ts_agrees_at(q, TS_KIND_PARAMS, begins))
		return false;
	ts_conclude(q, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM,
		    "The %s run begins at step %" PRId64
		    ", where the other was under way, with the same parameters and another state of the optimizer: it was not restored",
		    q->e->first_step_b == begins ? "second" : "first", begins);
	ts_remain(q, TS_CAUSE_RESUME_DATA);
	return true;
}

/* The run has the first loss of the other run in every bit, and no longer behind its first update. */
static bool begins_and_parts(struct ts_inquiry *q, int64_t begins)
{
	if (q->f <= begins || ts_records(q, begins, q->f) > 1 ||
	    !ts_agrees_at(q, TS_KIND_LOSS, begins) || ts_is_rounding(q) || q->coarse || ts_fact_names(q, TS_CAUSE_CONFIG) ||
	    ts_fact_names(q, TS_CAUSE_CODE))
		return false;
	ts_conclude(q, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW,
		    "The %s run begins at step %" PRId64
		    ", where the other was under way, with the same loss, and differs from step %" PRId64
		    " on: if it was resumed, the optimizer, the gradient scaler or the random generators were not restored",
		    q->e->first_step_b == begins ? "second" : "first", begins, q->f);
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_RESUME_DATA);
	return true;
}

/* The first record of one run differs from what the other run has there, and neither says that it was resumed. A fact of known
 * effect that differs comes first. */
static bool begins_other(struct ts_inquiry *q)
{
	int64_t begins;

	if (!ts_resume_guessed(q, &begins))
		return false;
	ts_say_for(q,
		   "the %s run begins at step %" PRId64 ", where the other was under way, as a resumed run does in a folder of its own",
		   q->e->first_step_b == begins ? "second" : "first", begins);
	if (begins_without_moments(q, begins) || begins_and_parts(q, begins))
		return true;
	if (!ts_at_start(q) || ts_is_rounding(q) || q->coarse || ts_fact_names(q, TS_CAUSE_CONFIG) || ts_fact_names(q, TS_CAUSE_CODE))
		return false;
	ts_say_noise(q);
	ts_conclude(q, ts_batches_seem_other(q) ? TS_CAUSE_RESUME_DATA : TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW,
		    "The %s run begins at step %" PRId64
		    ", where the other was under way, and differs there at once, with a relative difference of %s. If it was resumed, "
		    "%s",
		    q->e->first_step_b == begins ? "second" : "first", begins, ts_say_number(q->jump).text,
		    ts_batches_seem_other(q)  ? "its data continue from a different position, or in a different order"
		    : ts_batches_seem_same(q) ? "not all state was restored"
					      : "not all state was restored, or the data continue from a different position");
	ts_remain(q, TS_CAUSE_RESUME_STATE);
	ts_remain(q, TS_CAUSE_RESUME_DATA);
	ts_remain(q, TS_CAUSE_RNG_STREAM);
	ts_remain(q, TS_CAUSE_INIT_OR_DATA);
	return true;
}

bool ts_diagnose_resume(struct ts_inquiry *q)
{
	int64_t resume;

	TS_DOOR(ts_inquiry_holds(q));
	if (!ts_resume_before(q, q->f, &resume))
		return begins_other(q);
	ts_say_for(q, "a run was resumed at step %" PRId64 ", %s before the first difference", resume,
		   ts_say_plural(ts_records(q, resume, q->f), "record").text);
	if (ts_is_rounding(q)) {
		ts_say_against(q,
			       "the first difference (relative difference %s) is no larger than rounding: a resume "
			       "that restored "
			       "everything may cause it too",
			       ts_say_number(q->jump).text);
		return false;
	}
	if (q->coarse)
		ts_say_against(q,
			       "the first visible difference is only as large as the rounding of the written values");
	else if (q->late)
		ts_say_hidden(q);
	state_or_data(q, resume);
	if (q->coarse || q->late)
		q->d.confidence = TS_CONFIDENCE_LOW;
	return true;
}

/* --- blow-up --- */

/* One run has a value that is NaN or infinite, or values ten times those that the other run ever has. A relative
 * difference does not show this where a loss crosses zero. */
static bool blew_up(struct ts_inquiry *q)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS], *norm = &q->first[TS_KIND_GRAD_NORM];
	const struct ts_first *first = norm->parts && !(isfinite(norm->series->a) && isfinite(norm->series->b)) &&
						       (!loss->parts || norm->step <= loss->step)
					       ? norm
					       : (loss->parts ? loss : norm);
	const struct ts_evidence_series *s = first->parts ? first->series : NULL;
	bool nan = s && isfinite(s->a) != isfinite(s->b), stays;
	struct ts_span values;
	int64_t step;

	if (!s || !s->gap.known || ts_at_start(q) ||
	    !(nan || (s->gap.greatest >= ts_cut_of(q, TS_CUT_BLOW_UP) && s->gap.only_one_grows)))
		return false;
	step = nan ? s->first : s->gap.greatest_step;
	if (ts_records(q, q->f, step) > ts_cut_of(q, TS_CUT_BLOW_STEPS))
		return false;
	/* Of a loss that went back towards zero the relative difference alone says nothing. */
	stays = !nan && s->gap.ends_grown && s->gap.saturation >= ts_cut_of(q, TS_CUT_BLOW_UP);
	values = ts_values_text(q, s->a, s->b);
	ts_say_for(q, "at step %" PRId64 " %.*s is %.*s; at step %" PRId64 " the relative difference is %s", s->first,
		   TS_SPAN_ARG(ts_column_said(s->name)), TS_SPAN_ARG(values), step,
		   ts_say_number(nan ? 1 : s->gap.greatest).text);
	if (stays)
		ts_say_for(q, "the relative difference of %.*s is %s at the end: it did not come back",
			   TS_SPAN_ARG(ts_column_said(s->name)), ts_say_number(s->gap.saturation).text);
	ts_conclude(q, TS_CAUSE_BLOW_UP, nan || stays ? TS_CONFIDENCE_MEDIUM : TS_CONFIDENCE_LOW,
		    "Only one of the two runs blows up, at step %" PRId64 "; the runs differ from step %" PRId64 " on",
		    step, q->f);
	ts_remain(q, TS_CAUSE_CORRUPTION);
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, ts_is_rounding(q) ? TS_CAUSE_NONDETERMINISM : TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_DATA_ORDER);
	return true;
}

/* --- the first step --- */

static void remain_inputs(struct ts_inquiry *q)
{
	ts_remain(q, TS_CAUSE_DATA_ORDER);
	ts_remain(q, TS_CAUSE_INIT);
	ts_remain(q, TS_CAUSE_RNG_STREAM);
	ts_remain(q, TS_CAUSE_DATA_SET);
	ts_remain(q, TS_CAUSE_DATA_POSITION);
}

/* Another model, objective or precision shows at the same step; only a record of both recipes excludes it. */
static void remain_recipe(struct ts_inquiry *q)
{
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_PRECISION);
}

/* Returns the value that is more than rounding: where the first loss is not, its gradient norm or a later value. */
static struct ts_span push_text(struct ts_inquiry *q)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS], *norm = &q->first[TS_KIND_GRAD_NORM];

	if (!ts_is_rounding(q))
		return ts_inquiry_text(q, "the first loss has a relative difference of %s",
				       ts_say_number(q->jump).text);
	if (norm->parts && norm->jump >= ts_cut_of(q, TS_CUT_GRAD))
		return ts_inquiry_text(q,
				       "the gradient norm has a relative difference of %s and the first loss one of %s",
				       ts_say_number(norm->jump).text, ts_say_number(q->jump).text);
	return ts_inquiry_text(
		q, "ten records later the loss has a relative difference of %s, at first it had one of %s",
		ts_say_number(loss->parts ? loss->series->gap.after_10 : q->jump).text, ts_say_number(q->jump).text);
}

/* The first pass gives another loss of batches that seem to be the same. */
static void same_batches_at_start(struct ts_inquiry *q, struct ts_span push, enum ts_confidence sure)
{
	static const enum ts_cause other[] = {TS_CAUSE_CONFIG,	   TS_CAUSE_CODE, TS_CAUSE_PRECISION,
					      TS_CAUSE_RNG_STREAM, TS_CAUSE_INIT, TS_CAUSE_DATA_SET};

	ts_conclude(q, TS_CAUSE_COMPUTATION, sure,
		    "The two runs differ at their first common step, but their losses rise and fall together: %.*s. The batches seem "
		    "to be the same; a setting of the model or the objective, the code, the precision, random draws or the "
		    "initial parameters differ",
		    TS_SPAN_ARG(push));
	if (q->jump <= ts_cut_of(q, TS_CUT_INIT))
		ts_remain(q, TS_CAUSE_PRECISION);
	if (ts_recipe_agrees(q)) {
		ts_remain(q, TS_CAUSE_RNG_STREAM);
		ts_remain(q, TS_CAUSE_INIT);
	}
	for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
		ts_remain(q, other[i]);
}

static void finite_at_start(struct ts_inquiry *q)
{
	const struct ts_first *eval = &q->first[TS_KIND_EVAL];
	struct ts_span push = push_text(q);
	enum ts_confidence sure = ts_recipe_agrees(q) && ts_at_first_pass(q) ? TS_CONFIDENCE_MEDIUM : TS_CONFIDENCE_LOW;
	bool same_init = ts_agrees_at(q, TS_KIND_PARAMS, q->start) ||
			 (eval->recorded && eval->start <= q->start && eval->through >= q->start);

	ts_say_noise(q);
	if (ts_batches_seem_same(q)) {
		same_batches_at_start(q, push, sure);
	} else if (q->jump > ts_cut_of(q, TS_CUT_INIT) && !same_init) {
		ts_conclude(q, TS_CAUSE_INIT_OR_DATA, sure,
			    "The first loss has a relative difference of %s: the initialization, the data or random "
			    "draws differ, "
			    "and scalars alone cannot tell which",
			    ts_say_number(q->jump).text);
	} else {
		ts_conclude(q, TS_CAUSE_KERNEL_RNG_OR_DATA, sure,
			    "The two runs differ at their first common step: %.*s; a different kernel or precision, different random "
			    "draws and different data look the same here",
			    TS_SPAN_ARG(push));
		ts_remain(q, TS_CAUSE_PRECISION);
	}
	if (same_init)
		ts_say_against(q, "the parameters of the first step agree, or its evaluation does: the initialization is not the "
				  "cause");
	remain_inputs(q);
	if (sure == TS_CONFIDENCE_LOW)
		ts_say_against(q, "not both runs recorded their code and their configuration, and other code or a different setting "
				  "would look the same");
	remain_recipe(q);
	if (ts_at_first_pass(q))
		return;
	ts_say_against(q, "there were updates before the first record that both runs have, and the difference may have "
			  "begun in them");
	ts_remain(q, TS_CAUSE_CORRUPTION);
}

/* --- rounding --- */

static bool any_facts(const struct ts_inquiry *q)
{
	return q->e->facts_a && q->e->facts_b && q->e->facts_a->n && q->e->facts_b->n;
}

static void remain_rounding(struct ts_inquiry *q)
{
	ts_remain(q, TS_CAUSE_NONDETERMINISM);
	if ((q->e->world_a != 1 || q->e->world_b != 1) && !ts_topology_known(q))
		ts_say_against(q, "the topology of collectives and the mapping of ranks to devices are not "
				  "recorded: runs that "
				  "repeat within one rack often differ between racks");
	if (!any_facts(q))
		ts_say_against(q, "not both runs recorded their devices, libraries and flags");
	ts_remain(q, TS_CAUSE_PRECISION);
	ts_remain(q, TS_CAUSE_REDUCTION_ORDER);
	ts_remain(q, TS_CAUSE_PLATFORM);
	ts_remain(q, TS_CAUSE_CORRUPTION);
}

static void say_growth(struct ts_inquiry *q)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS], *norm = &q->first[TS_KIND_GRAD_NORM];
	const struct ts_gap *gap = loss->parts ? &loss->series->gap : NULL;

	if (gap && gap->known && gap->slope >= ts_cut_of(q, TS_CUT_LATCH))
		ts_say_for(q,
			   "the logarithm of the relative difference grows by %s per step, as when low precision "
			   "amplifies rounding",
			   ts_say_number(gap->slope).text);
	if (loss->parts && norm->parts && norm->step > loss->step)
		ts_say_for(q, "the gradient norm first differs %s after the loss, because a norm averages rounding out",
			   ts_say_plural(ts_records(q, loss->step, norm->step), "record").text);
	if (loss->parts && norm->parts && norm->step < loss->step)
		ts_say_for(
			q,
			"the gradient norm differs before the loss, after an equal forward pass: this is typical of a "
			"nondeterministic backward pass, such as that of attention");
}

enum { EQUAL_BEFORE = 5 }; /* records before the first difference */

bool ts_damage_first(const struct ts_inquiry *q)
{
	int64_t resume;

	TS_DOOR(ts_inquiry_holds(q));
	return (ts_is_finite(q) || ts_is_pushed(q)) && q->cadence == 1 && ts_records(q, q->start, q->f) >= EQUAL_BEFORE &&
	       !ts_resume_before(q, q->f, &resume) && !ts_is_epoch(q, q->f) && ts_same_recipe_and_platform(q);
}

/* Repeats of one recipe that differ prove nondeterministic kernels; a flag that is off only allows them. */
static void rounding(struct ts_inquiry *q)
{
	bool repeats = q->e->repeats.runs >= 3;
	unsigned off, unknown;

	ts_say_for(q, "the first visible difference (relative difference %s) is no larger than rounding causes",
		   ts_say_number(q->jump).text);
	say_growth(q);
	ts_say_flags(q, &off, &unknown);
	if (repeats && q->e->repeats.answer == TS_REPEATS_SCATTERED) {
		ts_say_for(q, "the %s of the first run differ from one another, and first at different steps",
			   ts_say_plural((double)q->e->repeats.runs, "repeat").text);
		ts_conclude(q, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM,
			    "Rounding differs from step %" PRId64 " on, as it does between repeats of the first run", q->f);
		if (q->e->repeats.inside == TS_TIER_FAILS) {
			ts_say_against(q, "the second run leaves the envelope of these repeats: something besides "
					  "their rounding is at work");
			q->d.confidence = TS_CONFIDENCE_LOW;
		}
	} else if (off && ts_same_recipe_and_platform(q) && !(repeats && q->e->repeats.answer == TS_REPEATS_EQUAL)) {
		ts_conclude(q, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_LOW,
			    "Rounding differs from step %" PRId64
			    " on, although code, settings, libraries and devices are recorded and the same: kernels seem not to "
			    "repeat, as flags that prevent it are not set",
			    q->f);
	} else {
		ts_conclude(q, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM,
			    "Rounding differs from step %" PRId64
			    " on: a kernel, an order of summation or a device is different, or kernels do not repeat%s",
			    q->f,
			    off	      ? "; flags that prevent this are not set"
			    : unknown ? ""
				      : ", although every flag for repeatable runs is set: compare digests of operations");
	}
	if (repeats && q->e->repeats.answer == TS_REPEATS_EQUAL)
		ts_say_against(q, "the %s of the first run are equal bit for bit: its kernels do repeat",
			       ts_say_plural((double)q->e->repeats.runs, "repeat").text);
	remain_rounding(q);
}

/* Digests differ, and the loss agrees to its end: the difference is smaller than the loss can show. */
static bool below_loss(struct ts_inquiry *q)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS];

	if (!loss->recorded || loss->bits || loss->through <= q->f)
		return false;
	ts_say_for(q, "the loss agrees up to step %" PRId64 ": the difference is too small to show in it",
		   loss->through);
	ts_conclude(q, TS_CAUSE_ROUNDING, TS_CONFIDENCE_LOW,
		    "Digests differ from step %" PRId64 " on, by less than the loss can show, as with rounding", q->f);
	remain_rounding(q);
	return true;
}

/* --- a jump --- */

static void remain_jump(struct ts_inquiry *q, bool norm_first)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS];

	if (ts_damage_first(q) && ts_batches_seem_same(q))
		ts_remain(q, norm_first && ts_several_ranks(q) ? TS_CAUSE_GRADIENT_PATH : TS_CAUSE_CORRUPTION);

	if (loss->parts && loss->step == q->f && ts_records(q, q->start, q->f) == 1) {
		ts_say_for(q, "the first loss agrees and the second does not: the first update differs, as with a setting of the "
			      "optimizer, or the second batch");
		ts_remain(q, TS_CAUSE_CONFIG);
		ts_remain(q, TS_CAUSE_CODE);
	}
	if (ts_is_epoch(q, q->f)) {
		ts_say_for(q, "an epoch begins at step %" PRId64 ", and the data are shuffled again there", q->f);
		ts_remain(q, TS_CAUSE_DATA_ORDER);
	}
	if (norm_first) {
		ts_remain(q, TS_CAUSE_GRADIENT_PATH);
		ts_remain(q, TS_CAUSE_CODE);
		ts_remain(q, TS_CAUSE_CONFIG);
		ts_remain(q, TS_CAUSE_NONDETERMINISM);
	}
	ts_remain(q, TS_CAUSE_CORRUPTION);
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_DATA_ORDER);
	ts_remain(q, TS_CAUSE_DATA_SET);
	ts_remain(q, TS_CAUSE_DATA_POSITION);
	ts_remain(q, TS_CAUSE_RNG_STREAM);
	ts_remain(q, TS_CAUSE_RESUME_STATE);
	ts_remain(q, TS_CAUSE_PRECISION);
}

/* Says why it is not rounding, with the step if that is not the first. */
static struct ts_span jump_text(struct ts_inquiry *q, bool norm_first)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS], *norm = &q->first[TS_KIND_GRAD_NORM];

	if (norm_first && loss->parts)
		return ts_inquiry_text(
			q, "the gradient norm has a relative difference of %s, and the loss one of %s at step %" PRId64,
			ts_say_number(norm->jump).text, ts_say_number(loss->jump).text, loss->step);
	if (norm_first)
		return ts_inquiry_text(q, "the gradient norm has a relative difference of %s",
				       ts_say_number(norm->jump).text);
	if (loss->parts && loss->step > q->f)
		return ts_inquiry_text(q, "the loss has a relative difference of %s at step %" PRId64,
				       ts_say_number(q->jump).text, loss->step);
	if (loss->parts && ts_is_rounding(q))
		return push_text(q);
	return ts_inquiry_text(q, "%s has a relative difference of %s", loss->parts ? "the loss" : "a recorded series",
			       ts_say_number(q->jump).text);
}

/* Where an epoch is that many records long, another cause seldom begins with it by chance. */
enum { EPOCH_RECORDS = 10 };

/* The data are shuffled anew where an epoch begins, and that is where another order shows: some losses are higher for it, and some
 * lower. A pass that agrees at first has the same batch. */
static bool begins_with_epoch(const struct ts_inquiry *q, bool norm_first)
{
	return ts_is_epoch(q, q->f) && !norm_first && !q->e->noise.one_way && q->first[TS_KIND_LOSS].step == q->f &&
	       ts_records(q, q->start, q->f) >= EPOCH_RECORDS;
}

/* Other batches make losses part for good, and so do weights that a bold first update has moved: one that differs shows at the first
 * records, and other batches seldom begin there. */
static bool takes_other_batches(const struct ts_inquiry *q)
{
	return ts_batches_seem_other(q) && q->f > q->start && ts_records(q, q->start, q->f) > FIRST_UPDATES;
}

static void jump(struct ts_inquiry *q)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS], *norm = &q->first[TS_KIND_GRAD_NORM];
	bool norm_first = norm->parts && (!loss->parts || norm->step < loss->step);
	bool exact = loss->parts && norm->parts && norm->step == loss->step;
	bool others = !norm_first && takes_other_batches(q);
	struct ts_span push;

	if (exact)
		ts_say_for(q, "the loss and the gradient norm first differ at the same step, as with different weights "
			      "or a different batch");
	else if (norm_first)
		ts_say_for(q, "the gradient norm differs first, after an equal forward pass");
	push = jump_text(q, norm_first);
	ts_say_noise(q);
	if (others && ts_is_epoch(q, q->f))
		ts_conclude(q, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_LOW,
			    "The two runs suddenly differ at step %" PRId64
			    ", and from there on their losses no longer rise and fall together: their batches come in another order or "
			    "from another position, from an epoch's beginning on: %.*s",
			    q->f, TS_SPAN_ARG(push));
	else if (others) {
		ts_conclude(q, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW,
			    "The two runs suddenly differ at step %" PRId64
			    ", and from there on their losses no longer rise and fall together: their batches come in another order or "
			    "from another position, or they draw other random numbers: %.*s",
			    q->f, TS_SPAN_ARG(push));
		ts_remain(q, TS_CAUSE_DATA_ORDER);
		ts_remain(q, TS_CAUSE_RNG_STREAM);
	} else if (begins_with_epoch(q, norm_first) && !ts_batches_seem_same(q))
		ts_conclude(q, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_LOW,
			    "The two runs suddenly differ at step %" PRId64
			    ", where an epoch begins: its data come in another order, or what is done between epochs drew other "
			    "numbers: %.*s",
			    q->f, TS_SPAN_ARG(push));
	else
		ts_conclude(q, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW,
			    "The two runs suddenly differ at step %" PRId64 ", and nothing recorded explains it: %.*s", q->f,
			    TS_SPAN_ARG(push));
	remain_jump(q, norm_first);
}

/* The size of the difference at its beginning is not known: values are written coarsely, or not at every step. */
static void unseen(struct ts_inquiry *q)
{
	if (q->coarse)
		ts_say_against(q,
			       "the first visible difference (relative difference %s) is only as large as the rounding "
			       "of the written "
			       "values (%s): where and how the difference began cannot be seen",
			       ts_say_number(q->jump).text, ts_say_number(q->quantum).text);
	else
		ts_say_hidden(q);
	ts_conclude(q, ts_at_start(q) ? TS_CAUSE_KERNEL_RNG_OR_DATA : TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW,
		    "The two runs first differ at step %" PRId64
		    " or earlier, but their values were written too %s to say why",
		    q->f, q->coarse ? "coarsely" : "rarely");
	ts_remain(q, TS_CAUSE_NONDETERMINISM);
	ts_remain(q, TS_CAUSE_REDUCTION_ORDER);
	ts_remain(q, TS_CAUSE_PRECISION);
	ts_remain(q, TS_CAUSE_PLATFORM);
	ts_remain(q, TS_CAUSE_CONFIG);
	remain_inputs(q);
	ts_remain(q, TS_CAUSE_CORRUPTION);
}

/* The gradient norm differs at the first step, and the loss of that step agrees in every bit of a fine value. */
static bool gradient_alone(const struct ts_inquiry *q)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS], *norm = &q->first[TS_KIND_GRAD_NORM];

	return norm->parts && norm->step == q->f && loss->parts && loss->step > q->f && loss->series->first > q->f && q->quantum == 0;
}

static void scalars(struct ts_inquiry *q)
{
	if (blew_up(q))
		return;
	if (isnan(q->jump) && below_loss(q))
		return;
	if (isnan(q->jump)) {
		ts_conclude(q, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW,
			    "Digests first differ at step %" PRId64 ", and no loss or gradient norm shows by how much",
			    q->f);
		remain_inputs(q);
		ts_remain(q, TS_CAUSE_NONDETERMINISM);
	} else if (q->coarse || (q->late && !ts_is_pushed(q))) {
		unseen(q);
	} else if (ts_at_start(q) && !gradient_alone(q) && (ts_is_finite(q) || ts_is_pushed(q))) {
		finite_at_start(q);
	} else if (ts_is_rounding(q) && !ts_is_pushed(q)) {
		rounding(q);
	} else {
		jump(q);
	}
}

void ts_diagnose_scalars(struct ts_inquiry *q)
{
	scalars(q);
}
