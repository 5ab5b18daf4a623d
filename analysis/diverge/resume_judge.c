/* resume_judge.c - makes a verdict, a cause and the next experiment of what the series of a resumed run show. */
#include "analysis/diverge/resume_internal.h"

#include <stdarg.h>

enum { NEXT_MAX = 8, CAUSES_MAX = 8, NEXT_STEPS = 20 };

/* A difference at the resume of this size or more is from other data; a smaller one may be a few other draws.
 * Source: docs/divergence.md. */
#define DATA_JUMP 5e-2
/* Rounding alone is seldom visible at the first step, whatever the format: a difference there came with the
 * checkpoint. */
#define SUDDEN 1e-4
#define RATE_TOLERANCE 1e-9

static void may_be(struct ts_resume_judge *j, enum ts_cause cause)
{
	if (j->out->n_remaining < CAUSES_MAX)
		j->out->remaining[j->out->n_remaining++] = cause;
}

static void next(struct ts_resume_judge *j, uint64_t steps, const char *what, const char *command, const char *splits)
{
	if (j->out->n_experiments < NEXT_MAX)
		j->out->experiments[j->out->n_experiments++] = (struct ts_experiment){
			ts_resume_text(j, what), ts_span_str(command), ts_span_str(splits), steps};
}

__attribute__((format(printf, 5, 6))) static void conclude(struct ts_resume_judge *j, enum ts_resume_verdict verdict,
							   enum ts_cause cause, enum ts_confidence confidence,
							   const char *format, ...)
{
	va_list args;

	va_start(args, format);
	j->verdict = verdict;
	j->out->cause = cause;
	j->out->confidence = confidence;
	j->out->sentence = ts_resume_vsay(j, format, args);
	va_end(args);
}

/* Steps are any int64, and are not converted. */
static int64_t moved(int64_t step, int64_t by)
{
	int64_t out;

	if (__builtin_add_overflow(step, by, &out))
		return by > 0 ? INT64_MAX : INT64_MIN;
	return out;
}

static const char *first_run(const struct ts_resume_judge *j)
{
	return j->e->restart ? "the first execution" : "the parent";
}

static const char *second_run(const struct ts_resume_judge *j)
{
	return j->e->restart ? "the second execution" : "the resumed run";
}

/* --- the worst series of a kind --- */

/* Returns the series that is judged: the loss, otherwise a gradient norm, otherwise another number. */
static const struct ts_resume_look *main_series(const struct ts_resume_judge *j)
{
	static const enum ts_resume_kind kinds[] = {TS_RESUME_LOSS, TS_RESUME_GRAD_NORM, TS_RESUME_SCALAR};
	const struct ts_resume_look *look = NULL;

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !look; i++)
		look = ts_resume_worst(j, kinds[i]);
	return look;
}

static bool at_resume(const struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	return look && ts_resume_step(look, 0) == j->e->step;
}

static bool equal_at_resume(const struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	return at_resume(j, look) && look->first_bits > 0;
}

static bool differs_at_resume(const struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	return at_resume(j, look) && look->first_bits == 0;
}

/* --- what the records say of the state that was loaded --- */

enum loaded { LOADED_UNKNOWN, LOADED_EQUAL, LOADED_OTHER };

/* A digest that agrees at the first common step shows the state that was loaded, whenever in its step it was taken: an
 * update from a different state would not end in the same one. One that differs shows it only if it was taken before the
 * update. */
static enum loaded loaded_of(const struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	if (!look)
		return LOADED_UNKNOWN;
	if (look->first_bits > 0)
		return LOADED_EQUAL;
	return at_resume(j, look) && look->series->when == TS_DIGEST_BEFORE ? LOADED_OTHER : LOADED_UNKNOWN;
}

static enum loaded loaded(const struct ts_resume_judge *j, enum ts_resume_kind kind)
{
	return loaded_of(j, ts_resume_worst(j, kind));
}

/* What a step draws depends on no other part of the state: generators that differ at the resume were not restored, whenever
 * in their step the digest was taken. */
static enum loaded loaded_generators(const struct ts_resume_judge *j)
{
	const struct ts_resume_look *rng = ts_resume_worst(j, TS_RESUME_RNG);

	return differs_at_resume(j, rng) ? LOADED_OTHER : loaded_of(j, rng);
}

/* Returns whether the parameters that the first update left are known to agree. */
static bool update_agrees(const struct ts_resume_judge *j)
{
	const struct ts_resume_look *params = ts_resume_worst(j, TS_RESUME_PARAMS);
	size_t at = params && params->series->when == TS_DIGEST_AFTER ? 0 : 1;

	return at_resume(j, params) && at < params->series->n && params->first_bits > at &&
	       ts_resume_step(params, at) == moved(j->e->step, (int64_t)at);
}

/* Says what else was not restored, behind the sentence that says what was not. */
static const char *nor_generators(const struct ts_resume_judge *j)
{
	return loaded_generators(j) == LOADED_OTHER ? "; the random generators were not restored either" : "";
}

/* --- records that decide alone --- */

static void wrong_data(struct ts_resume_judge *j, const struct ts_resume_look *batch)
{
	const struct ts_resume_shift *shift = &batch->series->shift;
	int64_t step = ts_resume_step(batch, batch->first_bits);
	const char *who = second_run(j), *other = first_run(j);

	switch (shift->answer) {
	case TS_SHIFT_FOUND:
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH,
			 "The data position was not restored: at step %" PRId64
			 " %s trains on the batch that %s had at step %" PRId64 ", %s %s",
			 step, who, other, (int64_t)((uint64_t)step + (uint64_t)shift->by),
			 ts_say_plural(fabs((double)shift->by), "step").text, shift->by < 0 ? "earlier" : "later");
		return;
	case TS_SHIFT_SCATTERED:
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH,
			 "The data order was not restored: from step %" PRId64
			 " on %s trains on different batches than %s, which has %zu of the first %zu of them at other "
			 "steps",
			 step, who, other, shift->seen, shift->of);
		return;
	case TS_SHIFT_ABSENT:
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH,
			 "The data were not restored: from step %" PRId64 " on %s trains on batches that %s never had",
			 step, who, other);
		return;
	case TS_SHIFT_UNKNOWN:
		break;
	}
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH,
		 "The data position was not restored: the batch of step %" PRId64 " differs", step);
}

static bool judge_data(struct ts_resume_judge *j)
{
	const struct ts_resume_look *batch = ts_resume_worst(j, TS_RESUME_BATCH);

	if (!batch || ts_resume_equal(batch))
		return false;
	wrong_data(j, batch);
	next(j, NEXT_STEPS,
	     "resume again with the sampler's epoch and position, and the loader's generator, restored from the "
	     "checkpoint",
	     "", "whether only the data position was not restored");
	return true;
}

static bool judge_rate(struct ts_resume_judge *j)
{
	const struct ts_resume_look *rate = ts_resume_worst(j, TS_RESUME_RATE);
	size_t at = rate ? rate->first_beyond : 0;

	if (!rate || at == rate->series->n)
		return false;
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH,
		 "The schedule of the learning rate was not restored: at step %" PRId64
		 " the learning rate is %s, but %s has %s",
		 ts_resume_step(rate, at), ts_say_number(rate->series->b[at]).text, first_run(j),
		 ts_say_number(rate->series->a[at]).text);
	next(j, NEXT_STEPS, "resume again with the state of the scheduler restored from the checkpoint", "",
	     "whether only the schedule was not restored");
	return true;
}

/* Equal gradients applied to equal weights gave other weights, so the optimizer state differed. A sum of squares for
 * clipping may differ in its last bit; a loss within the tolerance of full precision shows that nothing else
 * differs. */
static bool judge_update(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	const struct ts_resume_look *params = ts_resume_worst(j, TS_RESUME_PARAMS);
	const struct ts_resume_look *grads = ts_resume_worst(j, TS_RESUME_GRADS);

	if (!params || ts_resume_equal(params) || !equal_at_resume(j, grads) || !loss || loss->greatest < SUDDEN ||
	    loaded(j, TS_RESUME_PARAMS) == LOADED_OTHER || loaded(j, TS_RESUME_OPTIMIZER) == LOADED_EQUAL || update_agrees(j))
		return false;
	/* Digests of the weights before the update differ one step later, those after the update at once. */
	if (!at_resume(j, params) || ts_resume_step(params, params->first_bits) > moved(j->e->step, 1))
		return false;
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH,
		 "The optimizer state was not restored: the first update, from equal gradients at step %" PRId64
		 ", gives different weights%s",
		 j->e->step, nor_generators(j));
	if (!ts_resume_worst(j, TS_RESUME_RATE))
		may_be(j, TS_CAUSE_CONFIG);
	next(j, NEXT_STEPS, "resume again with the optimizer state restored from the checkpoint", "",
	     "whether only the optimizer state was not restored");
	return true;
}

/* The digest of the optimizer itself differs: before the update it is what was loaded, after it it follows from equal
 * gradients. */
static bool judge_optimizer(struct ts_resume_judge *j)
{
	const struct ts_resume_look *state = ts_resume_worst(j, TS_RESUME_OPTIMIZER);
	bool before = loaded_of(j, state) == LOADED_OTHER;

	if (!differs_at_resume(j, state) || !(before || equal_at_resume(j, ts_resume_worst(j, TS_RESUME_GRADS))))
		return false;
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH,
		 "The optimizer state was not restored: its digest differs at step %" PRId64 ", %s%s", j->e->step,
		 before ? "before the first update" : "after an update from equal gradients", nor_generators(j));
	next(j, NEXT_STEPS, "resume again with the optimizer state restored from the checkpoint", "",
	     "whether only the optimizer state was not restored");
	return true;
}

/* The weights differ too, but a digest of after the first update follows the draws of that step. */
static const char *weights_beside(struct ts_resume_judge *j)
{
	const struct ts_resume_look *params = ts_resume_worst(j, TS_RESUME_PARAMS);
	const char *text;

	if (loaded(j, TS_RESUME_PARAMS) == LOADED_EQUAL)
		return "; the weights agree there, so they were restored";
	if (!differs_at_resume(j, params) || params->series->when == TS_DIGEST_BEFORE)
		return "";
	if (params->series->when == TS_DIGEST_AFTER)
		return "; the weights differ only after the first update, which these draws explain";
	text = ts_arena_printf(j->arena,
			       "; %s differs too, and it is not known whether the weights were restored, because nobody "
			       "declared whether it is of before or after the update (columns.%s.when)",
			       ts_resume_name(j, params), ts_resume_name(j, params));
	j->failed |= !text;
	return text ? text : "";
}

static bool judge_generators(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	const struct ts_resume_look *rng = ts_resume_worst(j, TS_RESUME_RNG), *params = ts_resume_worst(j, TS_RESUME_PARAMS);
	bool other = loss && !ts_resume_fine(loss) && differs_at_resume(j, params) &&
		     params->series->when == TS_DIGEST_UNKNOWN;

	if (!rng || ts_resume_equal(rng))
		return false;
	if (loaded_generators(j) == LOADED_EQUAL)
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_MEDIUM,
			 "The random generators agree at the first common step, %" PRId64
			 ", but differ from step %" PRId64
			 " on: a generator was not restored that their digest shows only later, or the runs drew "
			 "differently%s",
			 ts_resume_step(rng, 0), ts_resume_step(rng, rng->first_bits), weights_beside(j));
	else
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, other ? TS_CONFIDENCE_MEDIUM : TS_CONFIDENCE_HIGH,
			 "The random generators were not restored: their state differs from step %" PRId64
			 " on, so dropout and other random draws differ%s",
			 ts_resume_step(rng, rng->first_bits), weights_beside(j));
	if (other)
		may_be(j, TS_CAUSE_RESUME_STATE);
	next(j, NEXT_STEPS,
	     "resume again with the states of all random generators restored: python, numpy, torch, each device, each "
	     "worker of the data loader",
	     "", "whether only the random generators were not restored");
	return true;
}

/* --- the loss --- */

/* "loss at step 50 is 2.1, but the parent has 2 (relative difference 4.8 %)". */
static const char *off_at(struct ts_resume_judge *j, const struct ts_resume_look *look, size_t i)
{
	const char *text = ts_arena_printf(
		j->arena, "%s at step %" PRId64 " is %s, but %s has %s (relative difference %s)",
		ts_resume_name(j, look), ts_resume_step(look, i), ts_say_number(look->series->b[i]).text, first_run(j),
		ts_say_number(look->series->a[i]).text, ts_resume_percent(ts_resume_off(look, i)).text);

	j->failed |= !text;
	return text ? text : "";
}

static void ask_for_digests(struct ts_resume_judge *j)
{
	next(j, NEXT_STEPS,
	     "record digests.batch, digests.params and digests.rng in both runs for 20 steps after the checkpoint", "",
	     "which of data position, weights, optimizer state and random draws was not restored");
	next(j, NEXT_STEPS, "resume twice from the same checkpoint", "",
	     "whether the checkpoint lacks something (then both resumed runs agree) or kernels are nondeterministic "
	     "(then they differ)");
}

/* Draws are blamed only where no record of the generators shows that they were restored. */
static void may_be_draws(struct ts_resume_judge *j)
{
	if (loaded_generators(j) != LOADED_EQUAL)
		may_be(j, TS_CAUSE_RNG_STREAM);
}

/* The weights before the first update differ. Where the first loss shows nothing of it, the two runs may have differed by
 * their kernels before the checkpoint. */
static bool judge_weights(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	bool shown = loss && at_resume(j, loss) && loss->first_beyond == 0;

	if (!loss || ts_resume_fine(loss) || loaded(j, TS_RESUME_PARAMS) != LOADED_OTHER)
		return false;
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, shown ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		 "The weights are not those of the checkpoint: the parameters differ before the first update, and %s%s",
		 off_at(j, loss, loss->first_beyond < loss->series->n ? loss->first_beyond : loss->first_bits),
		 nor_generators(j));
	if (!shown)
		may_be(j, TS_CAUSE_NONDETERMINISM);
	next(j, NEXT_STEPS, "resume again with the weights restored from the checkpoint", "",
	     "whether only the weights were not restored");
	return true;
}

/* The weights of the pass are known to agree. */
static void same_weights(struct ts_resume_judge *j, const char *inputs, const char *off)
{
	if (loaded_generators(j) == LOADED_EQUAL)
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM,
			 "%s and the same random generators give a different loss: %s; the state was restored, but a "
			 "different kernel, precision or setting ran, or a generator that the digest does not cover was not "
			 "restored",
			 inputs, off);
	else
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_MEDIUM,
			 "%s give a different loss: %s; random draws such as dropout were not restored, or a different "
			 "kernel ran",
			 inputs, off);
	if (loaded_generators(j) == LOADED_EQUAL)
		may_be(j, TS_CAUSE_RNG_STREAM);
	may_be(j, TS_CAUSE_PRECISION);
}

/* The batch agrees, and it is not known which weights the pass used. */
static void same_batch(struct ts_resume_judge *j, const char *off)
{
	bool draws = loaded_generators(j) != LOADED_EQUAL;

	if (draws)
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW,
			 "The same batch gives a different loss: %s; the weights or random draws were not restored", off);
	else
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM,
			 "The same batch and the same random generators give a different loss: %s; the weights seem not to be "
			 "those of the checkpoint",
			 off);
	may_be_draws(j);
	may_be(j, TS_CAUSE_PRECISION);
}

/* The loss is off at the resume itself: the forward pass already had another input or state. */
static void judge_immediate(struct ts_resume_judge *j, const struct ts_resume_look *loss, double jump)
{
	bool data_agrees = equal_at_resume(j, ts_resume_worst(j, TS_RESUME_BATCH));
	enum loaded weights = loaded(j, TS_RESUME_PARAMS);
	const char *off = off_at(j, loss, 0);

	if (data_agrees && weights == LOADED_EQUAL) {
		same_weights(j, "The same batch and the same weights", off);
	} else if (data_agrees) {
		same_batch(j, off);
	} else if (jump >= DATA_JUMP) {
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_MEDIUM,
			 "The resumed run seems to train on different data: %s, at once and by much, as when the data "
			 "position was not restored%s",
			 off, weights == LOADED_EQUAL ? "; the weights agree" : "");
		if (weights == LOADED_EQUAL)
			may_be_draws(j);
		else
			may_be(j, TS_CAUSE_RESUME_STATE);
	} else {
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW,
			 "The run did not resume correctly: %s, at once but by little; %s it is not known whether %sa small "
			 "shift of the data or a different kernel is the cause",
			 off, weights == LOADED_EQUAL ? "the weights agree, but" : "without digests",
			 loaded_generators(j) == LOADED_EQUAL ? "" : "random draws, ");
		may_be_draws(j);
		may_be(j, TS_CAUSE_RESUME_DATA);
		may_be(j, TS_CAUSE_PRECISION);
	}
}

/* The first forward pass agrees, the second does not: the update between them differed, unless a record shows that it did
 * not. */
static void judge_later(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	const struct ts_resume_look *norm = ts_resume_worst(j, TS_RESUME_GRAD_NORM);
	bool scaled = at_resume(j, norm) && norm->first_beyond == 0;
	const char *off = off_at(j, loss, 1);

	if (update_agrees(j)) {
		same_weights(j, "The weights after the first update", off);
		if (!ts_resume_equal(ts_resume_worst(j, TS_RESUME_BATCH)))
			may_be(j, TS_CAUSE_RESUME_DATA);
		return;
	}
	if (scaled || loaded(j, TS_RESUME_OPTIMIZER) == LOADED_EQUAL) {
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW,
			 "The gradient scaler or the clipping was not restored: at step %" PRId64 " the loss %s, and %s",
			 j->e->step,
			 scaled ? "agrees, but the gradient norm does not"
				: "and the digest of the optimizer state agree, but not what follows the update",
			 off);
		may_be(j, TS_CAUSE_GRADIENT_PATH);
		return;
	}
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM,
		 "The optimizer state was not restored: at the first step, %" PRId64
		 ", the loss%s, but %s, as after an update with lost moments, a different learning rate or a different "
		 "gradient scale",
		 j->e->step, at_resume(j, norm) ? " and the gradient norm agree" : " agrees", off);
	may_be(j, TS_CAUSE_CONFIG);
}

/* The loss is off somewhere, but the records do not show where it began. */
static void judge_unclear(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	size_t at = loss->first_beyond < loss->series->n ? loss->first_beyond : loss->first_bits;
	bool much = loss->greatest >= DATA_JUMP && !equal_at_resume(j, ts_resume_worst(j, TS_RESUME_BATCH));
	enum ts_cause cause = much ? TS_CAUSE_RESUME_DATA : TS_CAUSE_RESUME_STATE;
	const char *off = off_at(j, loss, at);

	if (at < TS_RESUME_FIRST)
		conclude(j, TS_RESUME_WRONG, cause, TS_CONFIDENCE_LOW,
			 "The run did not resume correctly: %s; the step of the resume itself, %" PRId64
			 ", is not a common step, so it is not known whether state or data was not restored",
			 off, j->e->step);
	else
		conclude(j, TS_RESUME_WRONG, cause, TS_CONFIDENCE_LOW,
			 "The first %d common steps agree, but %s, and the difference stays: something that is used "
			 "later was "
			 "not restored",
			 TS_RESUME_FIRST, off);
	may_be(j, much ? TS_CAUSE_RESUME_STATE : TS_CAUSE_RESUME_DATA);
	may_be(j, TS_CAUSE_RNG_STREAM);
	if (at >= TS_RESUME_FIRST)
		may_be(j, TS_CAUSE_NONDETERMINISM);
}

/* The beginning is searched below a wide tolerance too, because rounding has not grown that far in the first steps. */
static void judge_wrong(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	bool first = at_resume(j, loss);
	bool adjacent = first && loss->series->n > 1 && ts_resume_step(loss, 1) == moved(ts_resume_step(loss, 0), 1);
	struct ts_resume_look near = *loss;

	if (j->tolerance > SUDDEN && !ts_resume_look_at(loss->series, SUDDEN, j->arena, &near))
		j->failed = true;
	if (first && near.first_beyond == 0)
		judge_immediate(j, loss, loss->at_start);
	else if (adjacent && near.first_beyond == 1)
		judge_later(j, loss);
	else
		judge_unclear(j, loss);
	ask_for_digests(j);
}

static void ask_for_steps(struct ts_resume_judge *j)
{
	next(j, NEXT_STEPS,
	     j->e->restart
		     ? ts_arena_printf(
			       j->arena,
			       "resume once more from the same checkpoint into a new directory, and run %d steps",
			       NEXT_STEPS)
		     : ts_arena_printf(j->arena, "run the parent %d steps beyond the checkpoint, to step %" PRId64,
				       NEXT_STEPS, moved(j->e->step, NEXT_STEPS)),
	     "", "whether the resume is correct");
}

/* The first losses may be within a wide tolerance and still be unusual. */
static void tell_sudden(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	for (size_t i = 0; i < TS_RESUME_FIRST && i < loss->series->n; i++) {
		double r = ts_resume_off(loss, i);

		if (loss->coarse || !(r >= SUDDEN))
			continue;
		ts_resume_against(
			j,
			"%s already differs at step %" PRId64
			" (relative difference %s), which rounding alone seldom causes: %s may not have been restored",
			ts_resume_name(j, loss), ts_resume_step(loss, i), ts_resume_percent(r).text,
			i == 0 ? "random draws" : "the optimizer state");
		return;
	}
}

static void judge_right(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	bool bits = ts_resume_equal(loss) && !loss->coarse;
	bool records_agree = ts_resume_equal(ts_resume_worst(j, TS_RESUME_BATCH)) &&
			     ts_resume_equal(ts_resume_worst(j, TS_RESUME_RNG));
	struct ts_say steps = ts_say_plural((double)loss->series->n, "common step");
	const char *name = ts_resume_name(j, loss), *count = steps.text;

	if (bits) {
		conclude(j, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH,
			 "The run resumed correctly at step %" PRId64 ": every bit of %s agrees with %s at %s",
			 j->e->step, name, first_run(j), count);
		return;
	}
	conclude(j, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM,
		 records_agree ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		 "The run resumed correctly at step %" PRId64
		 ": %s agrees with %s at %s, at the first of them within a tolerance of %s; the greatest relative "
		 "difference is %s",
		 j->e->step, name, first_run(j), count, ts_say_number(j->tolerance).text,
		 ts_say_number(loss->greatest).text);
	tell_sudden(j, loss);
}

/* The unknown format matters only for the first losses, because later ones are compared under the same format in
 * both. */
static void judge_either(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	double off = 0;

	for (size_t i = 0; i < TS_RESUME_FIRST && i < loss->series->n; i++)
		off = fmax(off, ts_resume_off(loss, i));
	conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_NONE,
		 "This cannot be decided, because the number format is not declared: at first %s has a relative "
		 "difference "
		 "of %s, which is within the tolerance for bf16 (0.005), but not within that for fp32 (1e-06)",
		 ts_resume_name(j, loss), ts_resume_percent(off).text);
	tell_sudden(j, loss);
	next(j, 0, "declare the format of the matrix products and ask again",
	     "tscope push --fact work.dtype=bf16 DIRECTORY",
	     "whether the resume is wrong (fp32) or the difference is rounding (a reduced format)");
}

/* Another loss would have other gradients, so only the report of the loss differs. */
static bool is_report_alone(const struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	const struct ts_resume_look *norm = ts_resume_worst(j, TS_RESUME_GRAD_NORM);

	return norm && norm != loss && ts_resume_equal(norm) && !norm->coarse && norm->series->n >= TS_RESUME_ENOUGH;
}

static void judge_report(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	const char *name = ts_resume_name(j, loss);

	conclude(j, TS_RESUME_CORRECT, TS_CAUSE_REPORTING,
		 ts_resume_equal(ts_resume_worst(j, TS_RESUME_PARAMS)) ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		 "The run resumed correctly at step %" PRId64
		 ", but %s is logged differently: every bit of the gradient norm "
		 "agrees at %s, while %s has a relative difference of up to %s",
		 j->e->step, name,
		 ts_say_plural((double)ts_resume_worst(j, TS_RESUME_GRAD_NORM)->series->n, "common step").text, name,
		 ts_resume_percent(loss->greatest).text);
}

static void judge_loss(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	bool bits = ts_resume_equal(loss) && !loss->coarse && at_resume(j, loss);
	struct ts_resume_look reduced;

	if (ts_resume_fine(loss) && loss->series->n < (bits ? TS_RESUME_BITS : TS_RESUME_ENOUGH)) {
		conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE,
			 "This cannot be decided: the common steps agree, but there %s only %s from the resume at step "
			 "%" PRId64 " on",
			 loss->series->n == 1 ? "is" : "are",
			 ts_say_plural((double)loss->series->n, "common step").text, j->e->step);
		tell_sudden(j, loss);
		ask_for_steps(j);
		return;
	}
	if (ts_resume_fine(loss)) {
		judge_right(j, loss);
		return;
	}
	if (is_report_alone(j, loss)) {
		judge_report(j, loss);
		return;
	}
	if (!j->e->has_tolerance && j->e->format == TS_FORMAT_UNKNOWN) {
		j->failed |= !ts_resume_look_at(loss->series, TS_RESUME_REDUCED, j->arena, &reduced);
		if (j->failed || ts_resume_fine(&reduced)) {
			judge_either(j, loss);
			return;
		}
	}
	judge_wrong(j, loss);
}

/* --- no common step --- */

static void judge_level(struct ts_resume_judge *j)
{
	const struct ts_resume_level *level = &j->e->level;
	double jump = level->after - level->before;
	bool goes_on = fabs(jump) <= 3 * level->spread;

	if (level->known)
		conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE,
			 "This cannot be decided: the parent ends at step %" PRId64
			 ", before the resume at step %" PRId64
			 "; the level of the loss %s (%s, then %s), which is weak evidence",
			 level->last_step, j->e->step, goes_on ? "continues" : "jumps",
			 ts_say_number(level->before).text, ts_say_number(level->after).text);
	else
		conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE,
			 "This cannot be decided: from the resume at step %" PRId64
			 " on the two runs have no common step of a loss or of another number of the trajectory",
			 j->e->step);
	if (level->known && goes_on)
		ts_resume_for(j, "loss: the level changes by %s, which is within three times its spread of %s",
			      ts_say_number(jump).text, ts_say_number(level->spread).text);
	else if (level->known)
		ts_resume_against(j, "loss: the level changes by %s, which is more than three times its spread of %s",
				  ts_say_number(jump).text, ts_say_number(level->spread).text);
	if (level->known && moved(level->last_step, 1) < j->e->step)
		ts_resume_against(j, "neither run has the steps %" PRId64 " to %" PRId64, moved(level->last_step, 1),
				  moved(j->e->step, -1));
	ask_for_steps(j);
}

static void judge_nowhere(struct ts_resume_judge *j)
{
	if (j->e->restart) {
		if (j->e->absent_parent.len)
			conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE,
				 "This cannot be decided: no step was executed twice in this run, and its parent %.*s "
				 "is "
				 "not in this store",
				 TS_SPAN_ARG(j->e->absent_parent));
		else
			conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE,
				 "This cannot be decided: no step was executed twice in this run, and it names no "
				 "parent");
		next(j, 0, "name the run that this one continues", "tscope check-resume PARENT RUN",
		     "whether the resume is correct");
		return;
	}
	conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE,
		 "This cannot be decided: the child did not record the step of its resume, and it begins no later than "
		 "the parent");
	next(j, 0, "record the first step after the checkpoint was loaded",
	     "tscope push --fact lineage.resumed_step=STEP DIRECTORY",
	     "which steps were copied and which were executed after the resume");
}

static double tolerance_of(const struct ts_resume_evidence *e)
{
	if (e->has_tolerance)
		return e->tolerance;
	return e->format == TS_FORMAT_REDUCED ? TS_RESUME_REDUCED : TS_RESUME_FULL;
}

/* A rate is computed from the step's number, or continues from the last one: only rounding changes it. */
static double tolerance_for(const struct ts_resume_series *s, double tolerance)
{
	return s->kind == TS_RESUME_RATE ? RATE_TOLERANCE : tolerance;
}

static bool room(struct ts_resume_judge *j)
{
	struct ts_diagnosis *out = j->out;

	j->looks = ts_arena_array(j->arena, j->n, sizeof *j->looks);
	out->evidence_for = ts_arena_array(j->arena, TS_RESUME_SENTENCES, sizeof *out->evidence_for);
	out->evidence_against = ts_arena_array(j->arena, TS_RESUME_SENTENCES, sizeof *out->evidence_against);
	out->remaining = ts_arena_array(j->arena, CAUSES_MAX, sizeof *out->remaining);
	out->experiments = ts_arena_array(j->arena, NEXT_MAX, sizeof *out->experiments);
	return j->looks && out->evidence_for && out->evidence_against && out->remaining && out->experiments;
}

static void judge(struct ts_resume_judge *j)
{
	const struct ts_resume_look *loss = main_series(j), *params = ts_resume_worst(j, TS_RESUME_PARAMS);

	if (j->e->said == TS_RESUME_SAID_NOT) {
		judge_nowhere(j);
		return;
	}
	j->out->has_step = true;
	j->out->step = j->e->step;
	ts_resume_tell(j);
	if (judge_data(j) || judge_rate(j))
		return;
	/* Without its weights nothing else of a run can agree; with them, a generator that differs is a separate
	 * fault. */
	if (judge_weights(j, loss) || judge_update(j, loss) || judge_optimizer(j) || judge_generators(j, loss))
		return;
	if (loss)
		judge_loss(j, loss);
	else if (params && ts_resume_equal(params) && params->series->n >= TS_RESUME_BITS)
		conclude(j, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH,
			 "The run resumed correctly at step %" PRId64 ": every bit of the parameters agrees at %s",
			 j->e->step, ts_say_plural((double)params->series->n, "common step").text);
	else
		judge_level(j);
}

enum ts_status ts_resume_decide(const struct ts_resume_evidence *e, struct ts_arena *arena, struct ts_resume *ret,
				struct ts_error *err)
{
	struct ts_diagnosis why = {.cause = TS_CAUSE_UNKNOWN};
	struct ts_resume_judge j = {
		.e = e, .arena = arena, .out = &why, .n = e->n_series, .tolerance = tolerance_of(e)};

	if (!room(&j))
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < j.n; i++)
		if (!ts_resume_look_at(&e->series[i], tolerance_for(&e->series[i], j.tolerance), arena, &j.looks[i]))
			return ts_arena_error(arena, err);
	judge(&j);
	ts_resume_rows(&j);
	ts_resume_tiers(&j, main_series(&j));
	if (j.failed)
		return ts_arena_error(arena, err);
	ret->verdict = j.verdict;
	ret->why = why;
	return TS_OK;
}
