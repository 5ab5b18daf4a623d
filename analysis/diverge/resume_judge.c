/* resume_judge.c - makes a verdict, a cause and the next experiment of what the series of a resumed run show. */
#include "analysis/diverge/resume_internal.h"
#include "base/text.h"

#include <stdarg.h>

enum { NEXT_MAX = 8, CAUSES_MAX = 8, NEXT_STEPS = 20, ONE_SIDE_LEAST = 5 };

/* A difference at the resume of this size or more is from other data, or from state of which much was lost; a smaller one may be a
 * few other draws. Source: docs/divergence.md. */
#define DATA_JUMP 5e-2
/* A step takes longer if the median is so much greater, and the fastest steps are slower than the parent's median. */
#define SLOWER 1.25
/* A score of an evaluation that is no loss may count single answers that rounding turns. */
#define SCORE_LIMIT 5e-2
/* How much further than losses an evaluation may lie apart. */
#define EVAL_TIMES 10

static void may_be(struct ts_resume_judge *j, enum ts_cause cause)
{
	for (size_t i = 0; i < j->out->n_remaining; i++)
		if (j->out->remaining[i] == cause)
			return;
	if (cause != j->out->cause && j->out->n_remaining < CAUSES_MAX)
		j->out->remaining[j->out->n_remaining++] = cause;
}

static void next(struct ts_resume_judge *j, uint64_t steps, const char *what, const char *command, const char *splits)
{
	if (j->out->n_experiments < NEXT_MAX)
		j->out->experiments[j->out->n_experiments++] = (struct ts_experiment){
			.what = ts_span_str(what), .command = ts_span_str(command), .splits = ts_span_str(splits), .steps = steps};
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

/* --- what the table of resume_parts.c says of the state that was loaded --- */

static bool equal_at_resume(const struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	return ts_resume_at(j, look) && look->first_bits > 0;
}

static bool differs_at_resume(const struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	return ts_resume_at(j, look) && look->first_bits == 0;
}

static bool is_lost(const struct ts_resume_judge *j, enum ts_resume_part part)
{
	return j->parts[part].state == TS_PART_LOST;
}

static bool is_restored(const struct ts_resume_judge *j, enum ts_resume_part part)
{
	return j->parts[part].state == TS_PART_RESTORED;
}

/* Returns whether the parameters that the first update left are known to agree. */
static bool update_agrees(const struct ts_resume_judge *j)
{
	const struct ts_resume_look *params = ts_resume_worst(j, TS_RESUME_PARAMS);
	size_t at = params && params->series->when == TS_DIGEST_AFTER ? 0 : 1;

	return ts_resume_at(j, params) && at < params->series->n && params->first_bits > at &&
	       ts_resume_step(params, at) == moved(j->e->step, (int64_t)at);
}

/* Says what else was not restored, behind the sentence that says what was not. */
static const char *nor_generators(const struct ts_resume_judge *j)
{
	return is_lost(j, TS_PART_GENERATORS) ? "; the random generators were not restored either" : "";
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
	if (!is_lost(j, TS_PART_DATA))
		return false;
	wrong_data(j, j->parts[TS_PART_DATA].by);
	next(j, NEXT_STEPS,
	     "resume again with the sampler's epoch and position, and the loader's generator, restored from the "
	     "checkpoint",
	     "", "whether only the data position was not restored");
	return true;
}

/* "; from there on it is that of step 0 on": only of a rate that changes, since a constant one is found anywhere. */
static const char *rates_of_before(struct ts_resume_judge *j, const struct ts_resume_look *rate)
{
	const struct ts_resume_series *s = rate->series;
	size_t at = rate->first_beyond;
	const char *text;

	if (s->shift.answer != TS_SHIFT_FOUND || s->shift.by >= 0 || at + 2 >= s->n || s->b[at] == s->b[at + 1] ||
	    s->b[at + 1] == s->b[at + 2])
		return "";
	text = ts_arena_phrase(j->arena, "; from there on it is that of step %" PRId64 " on, so the schedule began anew",
			       (int64_t)((uint64_t)ts_resume_step(rate, at) + (uint64_t)s->shift.by));
	return text;
}

static bool judge_rate(struct ts_resume_judge *j)
{
	const struct ts_resume_look *rate = j->parts[TS_PART_SCHEDULE].by;
	size_t at;

	if (!is_lost(j, TS_PART_SCHEDULE))
		return false;
	at = rate->first_beyond;
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH,
		 "The schedule of the learning rate was not restored: at step %" PRId64 " the learning rate is %s, but %s has %s%s",
		 ts_resume_step(rate, at), ts_say_number(rate->series->b[at]).text, first_run(j),
		 ts_say_number(rate->series->a[at]).text, rates_of_before(j, rate));
	next(j, NEXT_STEPS, "resume again with the state of the scheduler restored from the checkpoint", "",
	     "whether only the schedule was not restored");
	return true;
}

static bool judge_scaler(struct ts_resume_judge *j)
{
	const struct ts_part *part = &j->parts[TS_PART_SCALER];
	size_t at;

	if (!is_lost(j, TS_PART_SCALER))
		return false;
	at = part->by->first_beyond;
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, part->sure ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		 "The gradient scaler was not restored: at step %" PRId64 " %s is %s, but %s has %s", ts_resume_step(part->by, at),
		 ts_resume_name(j, part->by), ts_say_number(part->by->series->b[at]).text, first_run(j),
		 ts_say_number(part->by->series->a[at]).text);
	next(j, NEXT_STEPS, "resume again with the state of the gradient scaler restored from the checkpoint", "",
	     "whether only the scaler was not restored");
	return true;
}

/* Equal gradients applied to equal weights gave other weights, so the optimizer state differed. A sum of squares for
 * clipping may differ in its last bit; a loss within the tolerance of full precision shows that nothing else
 * differs. */
static bool judge_update(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	const struct ts_resume_look *params = ts_resume_worst(j, TS_RESUME_PARAMS);
	const struct ts_resume_look *grads = ts_resume_worst(j, TS_RESUME_GRADS);

	if (!params || ts_resume_equal(params) || !equal_at_resume(j, grads) || !loss || loss->greatest < TS_RESUME_SUDDEN ||
	    is_lost(j, TS_PART_WEIGHTS) || is_restored(j, TS_PART_OPTIMIZER) || update_agrees(j))
		return false;
	/* Digests of the weights before the update differ one step later, those after the update at once. */
	if (!ts_resume_at(j, params) || ts_resume_step(params, params->first_bits) > moved(j->e->step, 1))
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

static bool judge_optimizer(struct ts_resume_judge *j)
{
	const struct ts_resume_look *state = j->parts[TS_PART_OPTIMIZER].by;

	if (!is_lost(j, TS_PART_OPTIMIZER))
		return false;
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH,
		 "The optimizer state was not restored: %s differs at step %" PRId64 ", %s%s", ts_resume_name(j, state),
		 ts_resume_step(state, 0),
		 state->series->when == TS_DIGEST_BEFORE ? "before the first update" : "after an update from equal gradients",
		 nor_generators(j));
	next(j, NEXT_STEPS, "resume again with the optimizer state restored from the checkpoint", "",
	     "whether only the optimizer state was not restored");
	return true;
}

/* The weights differ too, but a digest of after the first update follows the draws of that step. */
static const char *weights_beside(struct ts_resume_judge *j)
{
	const struct ts_resume_look *params = ts_resume_worst(j, TS_RESUME_PARAMS);
	const char *text;

	if (is_restored(j, TS_PART_WEIGHTS))
		return "; the weights agree there, so they were restored";
	if (!differs_at_resume(j, params) || params->series->when == TS_DIGEST_BEFORE)
		return "";
	if (params->series->when == TS_DIGEST_AFTER)
		return "; the weights differ only after the first update, which these draws explain";
	text = ts_arena_phrase(j->arena,
			       "; %s differs too, and it is not known whether the weights were restored, because nobody "
			       "declared whether it is of before or after the update (columns.%s.when)",
			       ts_resume_name(j, params), ts_resume_name(j, params));
	return text;
}

static bool judge_generators(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	const struct ts_resume_look *rng = ts_resume_worst(j, TS_RESUME_RNG), *params = ts_resume_worst(j, TS_RESUME_PARAMS);
	bool other = loss && !ts_resume_fine(loss) && differs_at_resume(j, params) &&
		     params->series->when == TS_DIGEST_UNKNOWN;
	bool sure = j->parts[TS_PART_GENERATORS].sure;

	if (!rng || ts_resume_equal(rng))
		return false;
	if (!is_lost(j, TS_PART_GENERATORS))
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_MEDIUM,
			 "The random generators %s step %" PRId64 ", but differ from step %" PRId64
			 " on: a generator was not restored that their digest shows only later, or the runs drew "
			 "differently%s",
			 rng->first_bits ? "agree at the first common step," : "are not known before", ts_resume_step(rng, 0),
			 ts_resume_step(rng, rng->first_bits), weights_beside(j));
	else
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, other || !sure ? TS_CONFIDENCE_MEDIUM : TS_CONFIDENCE_HIGH,
			 "The random generators were not restored%s: their state differs from step %" PRId64
			 " on, so dropout and other random draws differ%s",
			 sure ? "" : ", or the first pass drew otherwise", ts_resume_step(rng, rng->first_bits), weights_beside(j));
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
	const char *text = ts_arena_phrase(
		j->arena, "%s at step %" PRId64 " is %s, but %s has %s (relative difference %s)",
		ts_resume_name(j, look), ts_resume_step(look, i), ts_say_number(look->series->b[i]).text, first_run(j),
		ts_say_number(look->series->a[i]).text, ts_resume_percent(ts_resume_off(look, i)).text);

	return text;
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
	if (!is_restored(j, TS_PART_GENERATORS))
		may_be(j, TS_CAUSE_RNG_STREAM);
}

/* The losses do not show that the weights differ. Kernels that round otherwise in a run that did not write the checkpoint change
 * the state of the optimizer, too. */
static void slightly_other_weights(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	const struct ts_resume_look *params = j->parts[TS_PART_WEIGHTS].by;
	bool moments = is_restored(j, TS_PART_OPTIMIZER), wrote = moments || j->e->wrote || j->e->restart;
	const char *seen = "no loss was compared";

	if (loss) {
		seen = ts_arena_phrase(j->arena, "%s differs by %s at most", ts_resume_name(j, loss),
				       ts_resume_percent(loss->greatest).text);
	}
	if (wrote)
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, moments ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
			 "The weights are not those of the checkpoint: %s differs at step %" PRId64
			 ", before the first update%s. They were stored or loaded with fewer digits, or in part: %s",
			 ts_resume_name(j, params), ts_resume_step(params, 0),
			 moments ? ", while the state of the optimizer agrees" : "", seen ? seen : "");
	else
		conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_NONE,
			 "This cannot be decided: %s differs at step %" PRId64
			 ", before the first update, although %s. The weights were not restored exactly, or the parent is not the "
			 "run that wrote the checkpoint",
			 ts_resume_name(j, params), ts_resume_step(params, 0), seen ? seen : "");
	next(j, 0, "compare with the run that wrote the checkpoint, at the step of the resume", "",
	     "whether the weights were restored in every bit");
}

static bool judge_weights(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	bool shown = loss && ts_resume_at(j, loss) && loss->first_beyond == 0;
	/* So they do where the parent is another run of the recipe, which rounded otherwise before. */
	bool other_run = !j->e->wrote && !j->e->restart && is_lost(j, TS_PART_OPTIMIZER);

	if (!is_lost(j, TS_PART_WEIGHTS))
		return false;
	if (!loss || ts_resume_fine(loss)) {
		slightly_other_weights(j, loss);
		return true;
	}
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, shown && !other_run ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		 "The weights are not those of the %s: the parameters differ before the first update, and %s%s",
		 other_run ? "parent" : "checkpoint",
		 off_at(j, loss, loss->first_beyond < loss->series->n ? loss->first_beyond : loss->first_bits), nor_generators(j));
	if (!shown || other_run)
		may_be(j, TS_CAUSE_NONDETERMINISM);
	next(j, NEXT_STEPS, "resume again with the weights restored from the checkpoint", "",
	     "whether only the weights were not restored");
	return true;
}

/* The weights of the pass are known to agree. */
static void same_weights(struct ts_resume_judge *j, const char *inputs, const char *off)
{
	if (is_restored(j, TS_PART_GENERATORS))
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
	if (is_restored(j, TS_PART_GENERATORS))
		may_be(j, TS_CAUSE_RNG_STREAM);
	may_be(j, TS_CAUSE_PRECISION);
}

/* The batch agrees, and it is not known which weights the pass used. */
static void same_batch(struct ts_resume_judge *j, const char *off)
{
	bool draws = !is_restored(j, TS_PART_GENERATORS);

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

/* Does b lie on one side of a throughout? Other batches are as often easier as they are harder. */
static bool is_one_sided(const struct ts_resume_look *loss)
{
	size_t n = loss->series->n, above = 0;

	if (isfinite(loss->series->a[0]) && !isfinite(loss->series->b[0]))
		return true;
	for (size_t i = 0; i < n; i++)
		above += loss->series->b[i] > loss->series->a[i];
	return n >= ONE_SIDE_LEAST && (above == 0 || above == n);
}

/* Nothing is known of batches and weights but what the losses show together. */
static void by_ups_and_downs(struct ts_resume_judge *j, const struct ts_resume_look *loss, double jump, const char *off)
{
	bool weights = is_restored(j, TS_PART_WEIGHTS), much = jump >= DATA_JUMP;
	double rho;
	enum ts_resume_alike alike = ts_resume_alike_of(loss, &rho);

	if (alike == TS_ALIKE_OTHER)
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_MEDIUM,
			 "The resumed run seems to train on different data: %s, and from step to step it does not rise and fall as in "
			 "%s (correlation %.2f), so the position or the order of the data was not restored%s",
			 off, first_run(j), rho,
			 weights	       ? "; the weights agree"
			 : !is_one_sided(loss) ? "; its level is the same, so the weights are likely right"
					       : "");
	else if (alike == TS_ALIKE_SAME && much && !weights)
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM,
			 "The state of the training was not restored: %s, while from step to step it rises and falls as in %s "
			 "(correlation %.2f), so the batches are likely the same",
			 off, first_run(j), rho);
	else if (much && !weights && is_one_sided(loss))
		conclude(
			j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW,
			"The run did not resume correctly: %s, at once and by much; weights or other state, or the data position, were "
			"not restored, and without digests it is not known which",
			off);
	else if (much)
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_LOW,
			 "The resumed run seems to train on different data: %s, at once and by much, as when the data "
			 "position was not restored%s",
			 off, weights ? "; the weights agree" : "");
	else if (alike == TS_ALIKE_SAME)
		conclude(
			j, TS_RESUME_WRONG, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW,
			"The run did not resume correctly: %s, at once but by little, while from step to step it rises and falls as in "
			"%s (correlation %.2f), so the batches are likely the same; %sa part of the state or a different kernel is the "
			"cause",
			off, first_run(j), rho, is_restored(j, TS_PART_GENERATORS) ? "" : "random draws, ");
	else
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW,
			 "The run did not resume correctly: %s, at once but by little; %s it is not known whether %sa small "
			 "shift of the data or a different kernel is the cause",
			 off, weights ? "the weights agree, but" : "without digests",
			 is_restored(j, TS_PART_GENERATORS) ? "" : "random draws, ");
	if (!weights)
		may_be(j, TS_CAUSE_RESUME_STATE);
	may_be_draws(j);
	may_be(j, TS_CAUSE_RESUME_DATA);
	if (!much)
		may_be(j, TS_CAUSE_PRECISION);
}

/* The loss is off at the resume itself: the forward pass already had another input or state. */
static void judge_immediate(struct ts_resume_judge *j, const struct ts_resume_look *loss, double jump)
{
	const char *off = off_at(j, loss, 0);

	if (!equal_at_resume(j, ts_resume_worst(j, TS_RESUME_BATCH)))
		by_ups_and_downs(j, loss, jump, off);
	else if (is_restored(j, TS_PART_WEIGHTS))
		same_weights(j, "The same batch and the same weights", off);
	else
		same_batch(j, off);
}

/* The first forward pass agrees, the second does not: the update between them differed, unless a record shows that it did
 * not. */
static void judge_later(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	const struct ts_resume_look *norm = ts_resume_worst(j, TS_RESUME_GRAD_NORM);
	bool scaled = ts_resume_at(j, norm) && norm->first_beyond == 0;
	const char *off = off_at(j, loss, 1);
	double rho;

	if (!ts_resume_equal(ts_resume_worst(j, TS_RESUME_BATCH)) && ts_resume_alike_of(loss, &rho) == TS_ALIKE_OTHER) {
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_MEDIUM,
			 "The resumed run seems to train on different data from its second step on: %s, and from step to step it does "
			 "not "
			 "rise and fall as in %s (correlation %.2f)",
			 off, first_run(j), rho);
		may_be(j, TS_CAUSE_RESUME_STATE);
		return;
	}
	if (update_agrees(j)) {
		same_weights(j, "The weights after the first update", off);
		if (!ts_resume_equal(ts_resume_worst(j, TS_RESUME_BATCH)))
			may_be(j, TS_CAUSE_RESUME_DATA);
		return;
	}
	if (scaled || is_restored(j, TS_PART_OPTIMIZER)) {
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
		 j->e->step, ts_resume_at(j, norm) ? " and the gradient norm agree" : " agrees", off);
	may_be(j, TS_CAUSE_CONFIG);
}

/* The loss is off somewhere, but the records do not show where it began. */
static void judge_unclear(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	size_t at = loss->first_beyond < loss->series->n ? loss->first_beyond : loss->first_bits;
	bool batches = equal_at_resume(j, ts_resume_worst(j, TS_RESUME_BATCH));
	double rho;
	enum ts_resume_alike alike = ts_resume_alike_of(loss, &rho);
	bool data = !batches &&
		    (alike == TS_ALIKE_OTHER || (alike == TS_ALIKE_UNKNOWN && loss->greatest >= DATA_JUMP && !is_one_sided(loss)));
	enum ts_cause cause = data ? TS_CAUSE_RESUME_DATA : TS_CAUSE_RESUME_STATE;
	const char *off = off_at(j, loss, at), *ups = "";

	if (alike != TS_ALIKE_UNKNOWN) {
		ups = ts_arena_phrase(j->arena, "; from point to point it %s as in %s (correlation %.2f)%s",
				      alike == TS_ALIKE_SAME ? "rises and falls" : "does not rise and fall", first_run(j), rho,
				      alike == TS_ALIKE_OTHER && !is_one_sided(loss)
					      ? ", while its level is the same, so the batches are likely others and the weights right"
					      : "");
	}
	if (at < TS_RESUME_FIRST && j->e->slack > 0)
		conclude(j, TS_RESUME_WRONG, cause, TS_CONFIDENCE_LOW,
			 "The run did not resume correctly: %s; the %s before it have no record, so it is not known whether "
			 "the first pass or the first update differed%s",
			 off, ts_say_plural((double)j->e->slack, "step").text, ups ? ups : "");
	else if (at < TS_RESUME_FIRST)
		conclude(j, TS_RESUME_WRONG, cause, TS_CONFIDENCE_LOW,
			 "The run did not resume correctly: %s; the step of the resume itself, %" PRId64
			 ", is not a common step, so it is not known whether state or data was not restored%s",
			 off, j->e->step, ups ? ups : "");
	else
		conclude(j, TS_RESUME_WRONG, cause, TS_CONFIDENCE_LOW,
			 "The first %d common steps agree, but %s, and the difference stays: something that is used "
			 "later was "
			 "not restored%s",
			 TS_RESUME_FIRST, off, ups ? ups : "");
	may_be(j, TS_CAUSE_RESUME_STATE);
	if (!batches)
		may_be(j, TS_CAUSE_RESUME_DATA);
	may_be_draws(j);
	if (at >= TS_RESUME_FIRST)
		may_be(j, TS_CAUSE_NONDETERMINISM);
}

/* The beginning is searched below a wide tolerance too, because rounding has not grown that far in the first steps. */
static void judge_wrong(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	bool first = ts_resume_at(j, loss);
	bool adjacent = first && loss->series->n > 1 && ts_resume_step(loss, 1) == moved(ts_resume_step(loss, 0), 1);
	struct ts_resume_look near = *loss;

	if (j->tolerance > TS_RESUME_SUDDEN)
		(void)ts_resume_look_at(loss->series, ts_resume_earliest(j),
					ts_resume_limits_of(loss->series->kind, TS_RESUME_SUDDEN), j->arena, &near);
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
		     ? ts_arena_phrase(
			       j->arena,
			       "resume once more from the same checkpoint into a new directory, and run %d steps",
			       NEXT_STEPS)
		     : ts_arena_phrase(j->arena, "run the parent %d steps beyond the checkpoint, to step %" PRId64,
				       NEXT_STEPS, moved(j->e->step, NEXT_STEPS)),
	     "", "whether the resume is correct");
}

/* The first losses may be within a wide tolerance and still be unusual. */
static void tell_sudden(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	for (size_t i = 0; i < TS_RESUME_FIRST && i < loss->series->n; i++) {
		double r = ts_resume_off(loss, i);

		if (loss->coarse || !(r >= TS_RESUME_SUDDEN))
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

/* Something that was compared differs, and nothing above says why. */
static void judge_unexplained(struct ts_resume_judge *j, const struct ts_resume_look *loss, const struct ts_resume_look *other)
{
	conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_NONE,
		 "This cannot be decided: %s agrees with %s, but %s differs from step %" PRId64 " on, and no record shows why",
		 loss ? ts_resume_name(j, loss) : "no loss", first_run(j), ts_resume_name(j, other),
		 ts_resume_step(other, other->first_beyond < other->series->n ? other->first_beyond : other->first_bits));
	ask_for_digests(j);
}

/* The only way to a correct resume: there is none while something differs that no rounding explains. */
__attribute__((format(printf, 5, 6))) static void correct(struct ts_resume_judge *j, const struct ts_resume_look *loss,
							  enum ts_cause cause, enum ts_confidence confidence, const char *format, ...)
{
	const struct ts_resume_look *other = ts_resume_unexplained(j);
	va_list args;

	if (other) {
		judge_unexplained(j, loss, other);
		return;
	}
	va_start(args, format);
	j->verdict = TS_RESUME_CORRECT;
	j->out->cause = cause;
	j->out->confidence = confidence;
	j->out->sentence = ts_resume_vsay(j, format, args);
	va_end(args);
}

static void judge_right(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	bool records_agree = ts_resume_equal(ts_resume_worst(j, TS_RESUME_BATCH)) &&
			     ts_resume_equal(ts_resume_worst(j, TS_RESUME_RNG));
	struct ts_say steps = ts_say_plural((double)loss->series->n, "common step");
	const char *name = ts_resume_name(j, loss), *count = steps.text;

	if (ts_resume_equal(loss) && !loss->coarse)
		correct(j, loss, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH,
			"The run resumed correctly at step %" PRId64 ": every bit of %s agrees with %s at %s", j->e->step, name,
			first_run(j), count);
	else if (ts_resume_equal(loss))
		correct(j, loss, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_MEDIUM,
			"The run resumed correctly at step %" PRId64
			", as far as the log shows: %s agrees with %s at %s, as it was written, in steps of %s",
			j->e->step, name, first_run(j), count, ts_say_number(loss->grid).text);
	else
		correct(j, loss, TS_CAUSE_NONDETERMINISM, records_agree ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
			"The run resumed correctly at step %" PRId64
			": %s agrees with %s at %s within %s; the greatest relative difference is %s",
			j->e->step, name, first_run(j), count,
			j->e->has_tolerance ? "the tolerance that was asked for" : "what rounding explains",
			ts_say_number(loss->greatest).text);
	if (j->verdict == TS_RESUME_CORRECT)
		tell_sudden(j, loss);
}

/* A value between two that can be written becomes either: a unit here and there shows nothing, and one that is often off little. */
static void judge_units(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_NONE,
		 "This cannot be decided: %s differs by no more than one unit of its last written digit, %s, but does so at %zu of %s, "
		 "from step %" PRId64 " on. It resumed nearly right: the difference is small, but more than equal values show",
		 ts_resume_name(j, loss), ts_say_number(loss->grid).text, loss->units,
		 ts_say_plural((double)loss->series->n, "common step").text, ts_resume_step(loss, loss->first_bits));
	next(j, NEXT_STEPS, "log the loss of both runs with all its digits", "", "how large the difference is");
	ask_for_digests(j);
}

/* The unknown format matters only for the first losses, because later ones are compared under the same format in
 * both. */
static void judge_either(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	size_t at = loss->first_beyond;

	conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_NONE,
		 "This cannot be decided, because the number format is not declared: at step %" PRId64
		 " %s has a relative difference of %s, which is within what rounding explains in bf16, but not in fp32",
		 ts_resume_step(loss, at), ts_resume_name(j, loss), ts_resume_percent(ts_resume_off(loss, at)).text);
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

	conclude(j, TS_RESUME_WRONG, TS_CAUSE_REPORTING,
		 ts_resume_equal(ts_resume_worst(j, TS_RESUME_PARAMS)) ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		 "The training goes on as in %s, but %s is logged differently: every bit of the gradient norm agrees at %s, while %s "
		 "has a relative difference of up to %s, as where a mean over several steps began anew",
		 first_run(j), name, ts_say_plural((double)ts_resume_worst(j, TS_RESUME_GRAD_NORM)->series->n, "common step").text,
		 name, ts_resume_percent(loss->greatest).text);
}

/* --- what differs beside a loss that agrees --- */

/* "val_loss at step 79 is 3.349, but the parent has 3.356"; a digest has no value to show. */
static const char *beside_at(struct ts_resume_judge *j, const struct ts_resume_look *look)
{
	const char *text;

	if (!look->digest)
		return off_at(j, look, look->first_beyond);
	text = ts_arena_phrase(j->arena, "%s differs from step %" PRId64 " on", ts_resume_name(j, look),
			       ts_resume_step(look, look->first_beyond));
	return text;
}

static bool judge_norm(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	const struct ts_resume_look *norm = ts_resume_worst(j, TS_RESUME_GRAD_NORM);

	if (!norm || norm == loss || ts_resume_fine(norm))
		return false;
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW,
		 "The loss agrees, but the gradient norm does not: %s. The gradient scaler, the clipping or the accumulation was not "
		 "restored, or the norm is logged differently",
		 off_at(j, norm, norm->first_beyond));
	may_be(j, TS_CAUSE_GRADIENT_PATH);
	may_be(j, TS_CAUSE_REPORTING);
	ask_for_digests(j);
	return true;
}

static bool judge_counts(struct ts_resume_judge *j)
{
	const struct ts_resume_look *count = j->parts[TS_PART_COUNTS].by;

	if (!is_lost(j, TS_PART_COUNTS))
		return false;
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM,
		 "A count was not restored: %s at step %" PRId64 " is %s, but %s has %s; what depends on it, such as the data of the "
		 "next epoch, will differ",
		 ts_resume_name(j, count), ts_resume_step(count, count->first_beyond),
		 ts_say_number(count->series->b[count->first_beyond]).text, first_run(j),
		 ts_say_number(count->series->a[count->first_beyond]).text);
	may_be(j, TS_CAUSE_REPORTING);
	next(j, NEXT_STEPS, "resume again with the counts of steps, samples and epochs restored from the checkpoint", "",
	     "whether only they were not restored");
	return true;
}

/* The training agrees in every bit, and something else does not, which is made of state of its own. */
static bool judge_average(struct ts_resume_judge *j)
{
	const struct ts_resume_look *by = j->parts[TS_PART_AVERAGE].by;
	bool eval = by && by->series->kind == TS_RESUME_EVAL;

	if (!is_lost(j, TS_PART_AVERAGE))
		return false;
	if (eval)
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM,
			 "The training agrees in every bit, but its evaluation does not: %s. What only an evaluation uses was not "
			 "restored, such as an average of the weights (EMA) or running statistics, or it is evaluated otherwise",
			 beside_at(j, by));
	else
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, by->digest ? TS_CONFIDENCE_MEDIUM : TS_CONFIDENCE_LOW,
			 "The loss agrees, but not all state does: %s. What it is made of was not restored, such as an average over "
			 "steps or of the weights, or a part of the model that is not trained",
			 beside_at(j, by));
	may_be(j, eval ? TS_CAUSE_EVALUATION : TS_CAUSE_REPORTING);
	next(j, NEXT_STEPS, "resume again with averages of weights, buffers and running statistics restored from the checkpoint", "",
	     "whether only these were not restored");
	return true;
}

/* An evaluation beside losses that agree within rounding, or as far as they were written. */
static bool judge_evaluation(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	const struct ts_resume_look *eval = ts_resume_worst(j, TS_RESUME_EVAL);
	bool equal = ts_resume_equal(loss);

	if (!eval || ts_resume_fine(eval))
		return false;
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, equal ? TS_CONFIDENCE_MEDIUM : TS_CONFIDENCE_LOW,
		 "The loss agrees %s, but the evaluation does not: %s. An average of the weights (EMA) or running "
		 "statistics may not have been restored",
		 equal ? "as far as it was written" : "within what rounding explains", beside_at(j, eval));
	may_be(j, TS_CAUSE_EVALUATION);
	may_be(j, TS_CAUSE_NONDETERMINISM);
	return true;
}

static bool is_finely_written(const struct ts_resume_look *look)
{
	return !look->coarse || look->grid <= TS_RESUME_SUDDEN * look->size;
}

/* Would the values show a difference of 1e-4? They must be written finely enough, and change by much more than a unit. */
static bool would_show(const struct ts_resume_look *loss)
{
	const struct ts_resume_series *s = loss->series;
	double least = INFINITY;

	for (size_t i = 1; i < s->n; i++)
		least = fmin(least, fabs(s->a[i] - s->a[i - 1]));
	return !loss->coarse || (is_finely_written(loss) && least >= 4 * loss->grid);
}

static bool is_enough(const struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	bool every = ts_resume_equal(loss) && ts_resume_step(loss, 0) == j->e->step && would_show(loss);

	return loss->series->n >= (every ? TS_RESUME_BITS : TS_RESUME_ENOUGH);
}

/* Loss and gradient norm agree at the resume, so that its pass was computed alike, in whatever format; what differs one step later by
 * more than full precision rounds is of the update. */
static bool is_update_off(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	const struct ts_resume_look *norm = ts_resume_worst(j, TS_RESUME_GRAD_NORM);
	struct ts_resume_look full;

	if (j->e->has_tolerance || norm == loss || !equal_at_resume(j, loss) || !equal_at_resume(j, norm) || loss->series->n < 2 ||
	    ts_resume_step(loss, 1) != moved(j->e->step, 1) || !is_finely_written(loss) || !is_finely_written(norm))
		return false;
	if (!ts_resume_look_at(loss->series, ts_resume_earliest(j), ts_resume_limits_of(TS_RESUME_LOSS, TS_RESUME_FULL), j->arena,
			       &full))
		return false;
	return full.first_beyond == 1;
}

static void judge_loss(struct ts_resume_judge *j, const struct ts_resume_look *loss)
{
	struct ts_resume_look reduced;

	if (is_update_off(j, loss) && !is_report_alone(j, loss)) {
		judge_later(j, loss);
		ask_for_digests(j);
		return;
	}
	if (ts_resume_fine(loss)) {
		if (judge_norm(j, loss) || judge_average(j) || judge_evaluation(j, loss) || judge_counts(j))
			return;
		if (is_enough(j, loss)) {
			judge_right(j, loss);
			return;
		}
		conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE,
			 "This cannot be decided: the common steps agree, but there %s only %s from the resume at step "
			 "%" PRId64 " on",
			 loss->series->n == 1 ? "is" : "are",
			 ts_say_plural((double)loss->series->n, "common step").text, j->e->step);
		tell_sudden(j, loss);
		ask_for_steps(j);
		return;
	}
	if (is_report_alone(j, loss)) {
		judge_report(j, loss);
		return;
	}
	if (!j->e->has_tolerance && loss->by_units) {
		judge_units(j, loss);
		return;
	}
	if (!j->e->has_tolerance && j->e->format == TS_FORMAT_UNKNOWN) {
		if (!ts_resume_look_at(loss->series, ts_resume_earliest(j),
				       ts_resume_limits_of(loss->series->kind, TS_RESUME_REDUCED), j->arena, &reduced) ||
		    ts_resume_fine(&reduced)) {
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

/* What the losses show of how far the training differs, as far as they were written. */
static double greatest_loss_gap(const struct ts_resume_judge *j)
{
	double greatest = 0;

	for (size_t i = 0; i < j->n; i++) {
		const struct ts_resume_look *look = &j->looks[i];

		if (look->series->kind == TS_RESUME_LOSS && look->size > 0)
			greatest = fmax(greatest, fmax(look->greatest, look->grid / look->size));
	}
	return greatest;
}

/* The limits of an evaluation and of other numbers depend on how far the training agrees. */
static struct ts_resume_limits limits_beside(const struct ts_resume_judge *j, const struct ts_resume_series *s)
{
	double limit = j->tolerance;

	if (ts_resume_trains_equal(j))
		return (struct ts_resume_limits){limit, limit, true};
	limit = fmax(limit, fmin(EVAL_TIMES * greatest_loss_gap(j), SCORE_LIMIT));
	if (!ts_glob(ts_span_str("*loss*"), s->name))
		limit = fmax(limit, SCORE_LIMIT);
	return (struct ts_resume_limits){limit, fmax(limit, SCORE_LIMIT), true};
}

/* Rounding grows from the last loss on that was looked at: an evaluation may come long after it. */
static int64_t last_loss(const struct ts_resume_judge *j)
{
	int64_t last = j->e->step;

	for (size_t i = 0; i < j->n; i++) {
		const struct ts_resume_series *s = &j->e->series[i];

		if (s->kind == TS_RESUME_LOSS && s->n > 0 && s->steps[s->n - 1] > last)
			last = s->steps[s->n - 1];
	}
	return last;
}

static bool is_beside(enum ts_resume_kind kind)
{
	return kind == TS_RESUME_EVAL || kind == TS_RESUME_SCALAR;
}

/* Looks at the training first, then at what stands beside it. */
static bool look(struct ts_resume_judge *j)
{
	for (size_t i = 0; i < j->n; i++)
		j->looks[i] = (struct ts_resume_look){.series = &j->e->series[i]};
	for (int beside = 0; beside < 2; beside++)
		for (size_t i = 0; i < j->n; i++) {
			const struct ts_resume_series *s = &j->e->series[i];
			struct ts_resume_limits limits;

			if (is_beside(s->kind) != (beside == 1))
				continue;
			limits = beside ? limits_beside(j, s) : ts_resume_limits_of(s->kind, j->tolerance);
			if (!ts_resume_look_at(s, beside ? last_loss(j) : ts_resume_earliest(j), limits, j->arena, &j->looks[i]))
				return false;
		}
	ts_resume_find_parts(j);
	return true;
}

/* Says that a step takes longer than in the parent: behind the verdict, for nothing of what was computed shows it. */
static void tell_pace(struct ts_resume_judge *j)
{
	const struct ts_resume_pace *p = &j->e->pace;

	if (!p->known || !(p->child >= SLOWER * p->parent) || !(p->child_fast > p->parent))
		return;
	j->out->sentence =
		ts_span_str(ts_arena_phrase(j->arena, "%.*s. A step takes %.1f times as long as in the parent: %s instead of %s",
						  TS_SPAN_ARG(j->out->sentence), p->child / p->parent, ts_say_seconds(p->child).text,
						  ts_say_seconds(p->parent).text));
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
	const struct ts_resume_look *loss = ts_resume_main(j), *params = ts_resume_worst(j, TS_RESUME_PARAMS);

	if (j->e->said == TS_RESUME_SAID_NOT) {
		judge_nowhere(j);
		return;
	}
	j->out->has_step = true;
	j->out->step = j->e->step;
	ts_resume_tell(j);
	if (judge_data(j) || judge_rate(j) || judge_scaler(j))
		return;
	/* Without its weights nothing else of a run can agree; with them, a generator that differs is a separate
	 * fault. */
	if (judge_weights(j, loss) || judge_update(j, loss) || judge_optimizer(j) || judge_generators(j, loss))
		return;
	if (loss)
		judge_loss(j, loss);
	else if (params && ts_resume_equal(params) && params->series->n >= TS_RESUME_BITS)
		correct(j, NULL, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH,
			"The run resumed correctly at step %" PRId64 ": every bit of the parameters agrees at %s", j->e->step,
			ts_say_plural((double)params->series->n, "common step").text);
	else
		judge_level(j);
}

enum ts_status ts_resume_decide(const struct ts_resume_evidence *e, struct ts_arena *arena, struct ts_resume *ret,
				struct ts_error *err)
{
	struct ts_diagnosis why = {.cause = TS_CAUSE_UNKNOWN};
	struct ts_resume_judge j = {
		.e = e, .arena = arena, .out = &why, .n = e->n_series, .tolerance = tolerance_of(e)};

	if (!room(&j) || !look(&j))
		return ts_arena_error(arena, err);
	judge(&j);
	tell_pace(&j);
	ts_resume_rows(&j);
	ts_resume_tiers(&j, ts_resume_main(&j));
	if (ts_arena_check(arena, err))
		return err->status;
	ret->verdict = j.verdict;
	ret->why = why;
	return TS_OK;
}
