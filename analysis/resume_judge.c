/* resume_judge.c - from what the series say to a verdict, a cause, and what to run next. */
#include "analysis/resume_internal.h"
#include "analysis/say.h"

#include <inttypes.h>

enum { SENTENCES = 64, NEXT_MAX = 8, CAUSES_MAX = 8, NEXT_STEPS = 20 };

/* Off at the resume by this much or more: other data; by less, it may be a few other draws. Source: docs/divergence.md. */
#define DATA_JUMP 5e-2
/* Rounding alone is seldom seen at the first step, whatever the format: what is there came with the checkpoint. */
#define SUDDEN 1e-4
#define RATE_TOLERANCE 1e-9

struct judge {
	const struct ts_resume_evidence *e;
	struct ts_arena *arena;
	struct ts_diagnosis *out;
	struct ts_resume_look *looks;
	size_t n;
	double tolerance;
	bool failed; /* the arena is full */
	enum ts_resume_verdict verdict;
};

/* --- what is said --- */

static struct ts_span text_of(struct judge *j, const char *text)
{
	j->failed |= !text;
	return text ? ts_span_str(text) : ts_span_of(NULL, 0);
}

static void say_for(struct judge *j, const char *text)
{
	if (j->out->n_for < SENTENCES)
		j->out->evidence_for[j->out->n_for++] = text_of(j, text);
}

static void say_against(struct judge *j, const char *text)
{
	if (j->out->n_against < SENTENCES)
		j->out->evidence_against[j->out->n_against++] = text_of(j, text);
}

static void may_be(struct judge *j, enum ts_cause cause)
{
	if (j->out->n_remaining < CAUSES_MAX)
		j->out->remaining[j->out->n_remaining++] = cause;
}

static void next(struct judge *j, uint64_t steps, const char *what, const char *command, const char *splits)
{
	if (j->out->n_experiments < NEXT_MAX)
		j->out->experiments[j->out->n_experiments++] = (struct ts_experiment){
			text_of(j, what), ts_span_str(command), ts_span_str(splits), steps};
}

static void conclude(struct judge *j, enum ts_resume_verdict verdict, enum ts_cause cause, enum ts_confidence confidence,
		     const char *sentence)
{
	j->verdict = verdict;
	j->out->cause = cause;
	j->out->confidence = confidence;
	j->out->sentence = text_of(j, sentence);
}

static const char *first_run(const struct judge *j)
{
	return j->e->restart ? "the first execution" : "the parent";
}

static const char *second_run(const struct judge *j)
{
	return j->e->restart ? "the second execution" : "the resumed run";
}

/* "loss", "loss on rank 3". */
static const char *name_of(struct judge *j, const struct ts_resume_look *look)
{
	struct ts_span name = look->series->name, prefix = ts_span_str("scalars.");
	const char *text;

	if (ts_span_starts(name, prefix) && name.len > prefix.len)
		name = ts_span_of(name.data + prefix.len, name.len - prefix.len);
	for (size_t i = 0; i < j->n; i++)
		if (j->e->series[i].rank != j->e->series[0].rank) {
			text = ts_arena_printf(j->arena, "%.*s on rank %" PRId32, TS_SPAN_ARG(name), look->series->rank);
			j->failed |= !text;
			return text ? text : "";
		}
	text = ts_arena_printf(j->arena, "%.*s", TS_SPAN_ARG(name));
	j->failed |= !text;
	return text ? text : "";
}

static int64_t step_at(const struct ts_resume_look *look, size_t i)
{
	return look->series->steps[i];
}

/* --- the worst series of a kind --- */

static bool is_worse(const struct ts_resume_look *x, const struct ts_resume_look *y)
{
	bool beyond_x = x->first_beyond < x->series->n, beyond_y = y->first_beyond < y->series->n;

	if (beyond_x != beyond_y)
		return beyond_x;
	if (beyond_x && step_at(x, x->first_beyond) != step_at(y, y->first_beyond))
		return step_at(x, x->first_beyond) < step_at(y, y->first_beyond);
	return x->greatest > y->greatest;
}

/* NULL where both have no such series with a common step. Of several ranks, the one that parts first. */
static const struct ts_resume_look *worst(const struct judge *j, enum ts_resume_kind kind)
{
	const struct ts_resume_look *found = NULL;

	for (size_t i = 0; i < j->n; i++) {
		const struct ts_resume_look *look = &j->looks[i];

		if (look->series->kind == kind && look->series->n > 0 && (!found || is_worse(look, found)))
			found = look;
	}
	return found;
}

/* The series that is judged: the loss, else a gradient norm, else another number. */
static const struct ts_resume_look *main_series(const struct judge *j)
{
	static const enum ts_resume_kind kinds[] = {TS_RESUME_LOSS, TS_RESUME_GRAD_NORM, TS_RESUME_SCALAR};
	const struct ts_resume_look *look = NULL;

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !look; i++)
		look = worst(j, kinds[i]);
	return look;
}

static bool at_resume(const struct judge *j, const struct ts_resume_look *look)
{
	return look && step_at(look, 0) == j->e->step;
}

static bool all_equal(const struct ts_resume_look *look)
{
	return look && look->equal == look->series->n;
}

static bool equal_at_resume(const struct judge *j, const struct ts_resume_look *look)
{
	return at_resume(j, look) && look->first_bits > 0;
}

static bool differs_at_resume(const struct judge *j, const struct ts_resume_look *look)
{
	return at_resume(j, look) && look->first_bits == 0;
}

/* --- evidence, series by series --- */

/* Where no step is common the first batches may still say something. */
static void tell_batches(struct judge *j)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct ts_resume_series *s = &j->e->series[i];
		const struct ts_resume_shift *shift = &s->shift;

		if (s->kind != TS_RESUME_BATCH || s->n > 0 || shift->answer == TS_SHIFT_UNKNOWN)
			continue;
		if (shift->answer == TS_SHIFT_ABSENT)
			say_for(j, ts_arena_printf(j->arena, "data: none of the first %zu batches was trained on before the resume", shift->of));
		else if (shift->answer == TS_SHIFT_FOUND)
			say_against(j, ts_arena_printf(j->arena, "data: the first %zu batches are those of step %" PRId64 " on; unless an epoch began "
						       "again there, the data position was not restored", shift->matched, j->e->step + shift->by));
		else
			say_against(j, ts_arena_printf(j->arena, "data: %zu of the first %zu batches were trained on before the resume", shift->seen, shift->of));
		return;
	}
}

static void tell_digest(struct judge *j, enum ts_resume_kind kind, const char *what, const char *missing)
{
	const struct ts_resume_look *look = worst(j, kind);
	const char *name = look ? name_of(j, look) : "";

	if (!look)
		say_against(j, missing);
	else if (all_equal(look))
		say_for(j, ts_arena_printf(j->arena, "%s: equal at all %s", what,
					   ts_say_plural((double)look->series->n, "common step").text));
	else
		say_against(j, ts_arena_printf(j->arena, "%s: %s differs first at step %" PRId64, what, name,
					       step_at(look, look->first_bits)));
}

/* "7.4 %", "3.1e-07": as a share where it is one that people know. */
static struct ts_say percent(double r)
{
	return r >= 1e-3 ? ts_say_percent(r) : ts_say_number(r);
}

static double off_by(const struct ts_resume_look *look, size_t i)
{
	double a = look->series->a[i], b = look->series->b[i], r = fabs(a - b) / fmax(fabs(a), fabs(b));

	return isfinite(r) ? r : 1;
}

static void tell_number(struct judge *j, const struct ts_resume_look *look)
{
	const char *name = name_of(j, look);
	const char *count = ts_arena_printf(j->arena, "%s", ts_say_plural((double)look->series->n, "common step").text);

	j->failed |= !count;
	if (!count)
		return;
	if (all_equal(look))
		say_for(j, ts_arena_printf(j->arena, "%s: every bit agrees at %s", name, count));
	else if (look->first_beyond == look->series->n)
		say_for(j, ts_arena_printf(j->arena, "%s: within the tolerance at %s, off by %s at most", name, count,
					   ts_say_number(look->greatest).text));
	else
		say_against(j, ts_arena_printf(j->arena, "%s: beyond the tolerance first at step %" PRId64 ", by %s; by %s at most, at step %" PRId64,
					       name, step_at(look, look->first_beyond), percent(off_by(look, look->first_beyond)).text,
					       percent(look->greatest).text, look->greatest_step));
	if (look->grid > 0)
		say_against(j, ts_arena_printf(j->arena, "%s: written in steps of %s; what is smaller cannot be seen", name,
					       ts_say_number(look->grid).text));
}

static void tell_all(struct judge *j)
{
	static const enum ts_resume_kind numbers[] = {TS_RESUME_LOSS, TS_RESUME_GRAD_NORM, TS_RESUME_RATE, TS_RESUME_SCALAR};

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		const struct ts_resume_look *look = worst(j, numbers[i]);

		if (look)
			tell_number(j, look);
	}
	if (!worst(j, TS_RESUME_GRAD_NORM))
		say_against(j, "gradient norm: no common step has it on both sides");
	if (!worst(j, TS_RESUME_RATE))
		say_against(j, "learning rate: no common step has it on both sides, so its continuity is not known");
	tell_batches(j);
	tell_digest(j, TS_RESUME_BATCH, "data", "data position: not known, no common step has digests.batch on both sides");
	tell_digest(j, TS_RESUME_PARAMS, "parameters", "parameters: not known, no common step has digests.params on both sides");
	tell_digest(j, TS_RESUME_RNG, "random generators", "random generators: not known, no common step has digests.rng on both sides");
	if (j->e->ranks_left_out)
		say_against(j, "only the first ranks were looked at");
}

/* --- records that decide alone --- */

static const char *data_sentence(struct judge *j, const struct ts_resume_look *batch)
{
	const struct ts_resume_shift *shift = &batch->series->shift;
	int64_t step = step_at(batch, batch->first_bits);
	const char *who = second_run(j), *other = first_run(j);

	switch (shift->answer) {
	case TS_SHIFT_FOUND:
		return ts_arena_printf(j->arena, "The data position was not restored: at step %" PRId64 " %s trains on the batch that %s had at step %" PRId64
				       ", %s %s", step, who, other, step + shift->by,
				       ts_say_plural(fabs((double)shift->by), "step").text, shift->by < 0 ? "earlier" : "later");
	case TS_SHIFT_SCATTERED:
		return ts_arena_printf(j->arena, "The order of the data was not restored: from step %" PRId64 " on %s trains on other batches than %s; %zu of "
				       "%zu of them stand elsewhere in it", step, who, other, shift->seen, shift->of);
	case TS_SHIFT_ABSENT:
		return ts_arena_printf(j->arena, "The data was not restored: from step %" PRId64 " on %s trains on batches that %s never had", step, who, other);
	case TS_SHIFT_UNKNOWN:
		break;
	}
	return ts_arena_printf(j->arena, "The data position was not restored: the batch of step %" PRId64 " is another", step);
}

static bool judge_data(struct judge *j)
{
	const struct ts_resume_look *batch = worst(j, TS_RESUME_BATCH);

	if (!batch || all_equal(batch))
		return false;
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH, data_sentence(j, batch));
	next(j, NEXT_STEPS, "resume again with the sampler's epoch and position, and the loader's generator, restored from the checkpoint",
	     "", "whether the data was all that was not restored");
	return true;
}

static bool judge_rate(struct judge *j)
{
	const struct ts_resume_look *rate = worst(j, TS_RESUME_RATE);
	size_t at = rate ? rate->first_beyond : 0;

	if (!rate || at == rate->series->n)
		return false;
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH,
		 ts_arena_printf(j->arena, "The learning rate does not go on: %s at step %" PRId64 ", where %s has %s; the schedule was not restored",
				 ts_say_number(rate->series->b[at]).text, step_at(rate, at), first_run(j),
				 ts_say_number(rate->series->a[at]).text));
	next(j, NEXT_STEPS, "resume again with the scheduler's state restored from the checkpoint", "",
	     "whether the schedule was all that was not restored");
	return true;
}

static bool judge_generators(struct judge *j)
{
	const struct ts_resume_look *rng = worst(j, TS_RESUME_RNG);

	if (!rng || all_equal(rng))
		return false;
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_HIGH,
		 ts_arena_printf(j->arena, "The random generators were not restored: their state differs from step %" PRId64
				 " on, so dropout and other draws are other ones", step_at(rng, rng->first_bits)));
	next(j, NEXT_STEPS, "resume again with the states of all generators restored: python, numpy, torch, each device, each loader's worker",
	     "", "whether the generators were all that was not restored");
	return true;
}

/* --- the loss --- */

/* "the loss at step 50 is off by 0.032". */
static const char *off_at(struct judge *j, const struct ts_resume_look *look, size_t i)
{
	double a = look->series->a[i], b = look->series->b[i];

	return ts_arena_printf(j->arena, "%s at step %" PRId64 " is %s, %s has %s (off by %s)", name_of(j, look), step_at(look, i),
			       ts_say_number(b).text, first_run(j), ts_say_number(a).text,
			       percent(off_by(look, i)).text);
}

static void ask_for_digests(struct judge *j)
{
	next(j, NEXT_STEPS, "record digests.batch, digests.params and digests.rng in both for 20 steps behind the checkpoint", "",
	     "data position, weights, optimizer and random draws from each other");
	next(j, NEXT_STEPS, "resume twice from the same checkpoint", "",
	     "what the checkpoint lacks (both agree) from kernels without a fixed order (they part)");
}

/* Off at the resume itself: the forward pass already saw something else. */
static void judge_immediate(struct judge *j, const struct ts_resume_look *loss, double jump)
{
	bool data_agrees = equal_at_resume(j, worst(j, TS_RESUME_BATCH));
	bool weights_agree = equal_at_resume(j, worst(j, TS_RESUME_PARAMS));
	const char *off = off_at(j, loss, 0);

	j->failed |= !off;
	if (data_agrees && differs_at_resume(j, worst(j, TS_RESUME_PARAMS))) {
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH,
			 ts_arena_printf(j->arena, "The weights are not those of the checkpoint: %s, on the same batch, with other parameters", off));
	} else if (data_agrees && weights_agree) {
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_MEDIUM,
			 ts_arena_printf(j->arena, "The same batch and the same weights give another loss: %s; random draws such as dropout were not restored, or "
					 "another kernel ran", off));
		may_be(j, TS_CAUSE_PRECISION);
	} else if (data_agrees) {
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW,
			 ts_arena_printf(j->arena, "The same batch gives another loss: %s; weights or random draws were not restored", off));
		may_be(j, TS_CAUSE_RNG_STREAM);
		may_be(j, TS_CAUSE_PRECISION);
	} else if (jump >= DATA_JUMP) {
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_MEDIUM,
			 ts_arena_printf(j->arena, "The resumed run looks as if it trained on other data: %s, at once and by much, as a data position that was "
					 "not restored does", off));
		may_be(j, TS_CAUSE_RESUME_STATE);
	} else {
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW,
			 ts_arena_printf(j->arena, "Not resumed as it was: %s, at once but by little; random draws, a small shift of the data or another kernel "
					 "cannot be told apart without digests", off));
		may_be(j, TS_CAUSE_RNG_STREAM);
		may_be(j, TS_CAUSE_RESUME_DATA);
		may_be(j, TS_CAUSE_PRECISION);
	}
}

/* The first forward pass agrees, the second does not: the update between them was another. */
static void judge_later(struct judge *j, const struct ts_resume_look *loss)
{
	const struct ts_resume_look *norm = worst(j, TS_RESUME_GRAD_NORM);
	const char *off = off_at(j, loss, 1);

	j->failed |= !off;
	if (at_resume(j, norm) && norm->first_beyond == 0) {
		conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW,
			 ts_arena_printf(j->arena, "The gradient scaler or the clipping was not restored: the loss of step %" PRId64 " agrees, its gradient norm "
					 "does not, and %s", j->e->step, off));
		may_be(j, TS_CAUSE_GRADIENT_PATH);
		return;
	}
	conclude(j, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM,
		 ts_arena_printf(j->arena, "The optimizer's state was not restored: the first step %" PRId64 " agrees%s, but %s, as after an update with lost "
				 "moments, another rate or another gradient scale", j->e->step,
				 at_resume(j, norm) ? ", its gradient norm too" : "", off));
	may_be(j, TS_CAUSE_CONFIG);
}

/* Off somewhere, but where it began was not seen. */
static void judge_unclear(struct judge *j, const struct ts_resume_look *loss)
{
	size_t at = loss->first_beyond < loss->series->n ? loss->first_beyond : loss->first_bits;
	bool much = loss->greatest >= DATA_JUMP && !equal_at_resume(j, worst(j, TS_RESUME_BATCH));
	const char *off = off_at(j, loss, at);

	j->failed |= !off;
	conclude(j, TS_RESUME_WRONG, much ? TS_CAUSE_RESUME_DATA : TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW,
		 at < TS_RESUME_FIRST
			 ? ts_arena_printf(j->arena, "Not resumed as it was: %s; the step of the resume itself, %" PRId64 ", is not among the common ones, so state "
					   "and data cannot be told apart", off, j->e->step)
			 : ts_arena_printf(j->arena, "The first %d common steps agree, but %s, and it stays so: something that is used later was not restored", TS_RESUME_FIRST, off));
	may_be(j, much ? TS_CAUSE_RESUME_STATE : TS_CAUSE_RESUME_DATA);
	may_be(j, TS_CAUSE_RNG_STREAM);
	if (at >= TS_RESUME_FIRST)
		may_be(j, TS_CAUSE_NONDETERMINISM);
}

/* Where it began is looked for below a wide tolerance too: rounding has not grown that far in the first steps. */
static void judge_wrong(struct judge *j, const struct ts_resume_look *loss)
{
	bool first = at_resume(j, loss);
	bool adjacent = first && loss->series->n > 1 && step_at(loss, 1) - step_at(loss, 0) == 1;
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

static void ask_for_steps(struct judge *j)
{
	next(j, NEXT_STEPS,
	     j->e->restart ? ts_arena_printf(j->arena, "resume once more from the same checkpoint and run %d steps, in a directory of its own", NEXT_STEPS)
			   : ts_arena_printf(j->arena, "run the parent %d steps beyond the checkpoint, to step %" PRId64, NEXT_STEPS,
					     j->e->step + NEXT_STEPS),
	     "", "a resume that is right from one that is not");
}

static void judge_right(struct judge *j, const struct ts_resume_look *loss)
{
	bool bits = all_equal(loss) && loss->grid == 0;
	const char *name = name_of(j, loss), *count = ts_say_plural((double)loss->series->n, "common step").text;

	if (bits) {
		conclude(j, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH,
			 ts_arena_printf(j->arena, "Resumed correctly at step %" PRId64 ": every bit of %s agrees with %s at %s", j->e->step, name,
					 first_run(j), count));
		return;
	}
	conclude(j, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM,
		 all_equal(worst(j, TS_RESUME_BATCH)) && all_equal(worst(j, TS_RESUME_RNG)) ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		 ts_arena_printf(j->arena, "Resumed correctly at step %" PRId64 ": %s agrees with %s at %s, the first within %s, off by %s at most",
				 j->e->step, name, first_run(j), count, ts_say_number(j->tolerance).text,
				 ts_say_number(loss->greatest).text));
	if (loss->at_start >= SUDDEN)
		say_against(j, ts_arena_printf(j->arena, "%s is off by %s at the first common step already, which rounding alone seldom does: random draws may not have "
					       "been restored", name, ts_say_number(loss->at_start).text));
}

/* The format is not known, and it matters. */
static void judge_either(struct judge *j, const struct ts_resume_look *loss)
{
	conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_NONE,
		 ts_arena_printf(j->arena, "It depends on the number format, which is not declared: %s is off by %s, within what bf16 allows (0.005), not "
				 "within what fp32 does (1e-06)", name_of(j, loss), ts_say_number(loss->greatest).text));
	next(j, 0, "declare the format of the matrix products and ask again", "tscope push --fact work.dtype=bf16 DIRECTORY",
	     "a wrong resume in fp32 from rounding in a reduced format");
}

static bool is_fine(const struct ts_resume_look *loss)
{
	return loss->first_ok && loss->following_ok;
}

/* The gradients of another loss would be others: what differs is what was reported of it. */
static bool is_report_alone(const struct judge *j, const struct ts_resume_look *loss)
{
	const struct ts_resume_look *norm = worst(j, TS_RESUME_GRAD_NORM);

	return norm && norm != loss && all_equal(norm) && norm->grid == 0 && norm->series->n >= TS_RESUME_ENOUGH;
}

static void judge_report(struct judge *j, const struct ts_resume_look *loss)
{
	conclude(j, TS_RESUME_CORRECT, TS_CAUSE_REPORTING,
		 worst(j, TS_RESUME_PARAMS) && all_equal(worst(j, TS_RESUME_PARAMS)) ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		 ts_arena_printf(j->arena, "Resumed correctly at step %" PRId64 ", but %s is reported otherwise: every bit of the gradient norm agrees at %s, "
				 "while %s is off by %s at most", j->e->step, name_of(j, loss),
				 ts_say_plural((double)worst(j, TS_RESUME_GRAD_NORM)->series->n, "common step").text, name_of(j, loss),
				 percent(loss->greatest).text));
}

static void judge_loss(struct judge *j, const struct ts_resume_look *loss)
{
	bool bits = all_equal(loss) && loss->grid == 0 && at_resume(j, loss);
	struct ts_resume_look reduced;

	if (is_fine(loss) && loss->series->n < (bits ? TS_RESUME_BITS : TS_RESUME_ENOUGH)) {
		conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE,
			 ts_arena_printf(j->arena, "Cannot be decided: what is there agrees, but there %s only %s from the resume at step %" PRId64 " on",
					 loss->series->n == 1 ? "is" : "are", ts_say_plural((double)loss->series->n, "common step").text, j->e->step));
		ask_for_steps(j);
		return;
	}
	if (is_fine(loss)) {
		judge_right(j, loss);
		return;
	}
	if (is_report_alone(j, loss)) {
		judge_report(j, loss);
		return;
	}
	if (!j->e->has_tolerance && j->e->format == TS_FORMAT_UNKNOWN) {
		j->failed |= !ts_resume_look_at(loss->series, TS_RESUME_REDUCED, j->arena, &reduced);
		if (j->failed || is_fine(&reduced)) {
			judge_either(j, loss);
			return;
		}
	}
	judge_wrong(j, loss);
}

/* --- no common step --- */

static void judge_level(struct judge *j)
{
	const struct ts_resume_level *level = &j->e->level;
	double jump = level->after - level->before;
	bool goes_on = fabs(jump) <= 3 * level->spread;

	if (level->known)
		conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE,
			 ts_arena_printf(j->arena, "Cannot be decided: the parent ends at step %" PRId64 ", before the resume at step %" PRId64 "; the level of the loss "
					 "%s (%s, then %s), which is weak evidence", level->last_step, j->e->step,
					 goes_on ? "goes on" : "jumps", ts_say_number(level->before).text,
					 ts_say_number(level->after).text));
	else
		conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE,
			 ts_arena_printf(j->arena, "Cannot be decided: no step from the resume at step %" PRId64 " on has a number of the trajectory in both",
					 j->e->step));
	if (level->known && goes_on)
		say_for(j, ts_arena_printf(j->arena, "loss: its level moves by %s, within three times its spread of %s",
					   ts_say_number(jump).text, ts_say_number(level->spread).text));
	else if (level->known)
		say_against(j, ts_arena_printf(j->arena, "loss: its level moves by %s, more than three times its spread of %s",
					       ts_say_number(jump).text, ts_say_number(level->spread).text));
	if (level->known && j->e->step > level->last_step && j->e->step - level->last_step > 1)
		say_against(j, ts_arena_printf(j->arena, "steps %" PRId64 " to %" PRId64 " are in neither", level->last_step + 1, j->e->step - 1));
	ask_for_steps(j);
}

static void judge_nowhere(struct judge *j)
{
	if (j->e->restart) {
		conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE,
			 j->e->absent_parent.len
				 ? ts_arena_printf(j->arena, "Cannot be decided: nothing was executed twice in this run, and its parent %.*s is not here",
						   TS_SPAN_ARG(j->e->absent_parent))
				 : "Cannot be decided: nothing was executed twice in this run, and it names no parent");
		next(j, 0, "name the run that it goes on from", "tscope check-resume PARENT RUN", "a resume that is right from one that is not");
		return;
	}
	conclude(j, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE,
		 "Cannot be decided: where the child resumes is not recorded, and it begins no later than the parent");
	next(j, 0, "record the first step after the checkpoint was loaded", "tscope push --fact lineage.resumed_step=STEP DIRECTORY",
	     "the steps that were copied from those that were resumed");
}

/* --- rows --- */

static const char *subject_of(struct judge *j, const struct ts_resume_look *look)
{
	return name_of(j, look);
}

static void row(struct judge *j, struct ts_span subject, const char *name, enum ts_unit unit, double value)
{
	j->failed |= !ts_measure_add(&j->out->features, j->arena, "resume", subject, name, unit, value);
}

static void series_rows(struct judge *j, const struct ts_resume_look *look)
{
	const struct ts_resume_series *s = look->series;
	struct ts_span subject = ts_span_str(subject_of(j, look));

	row(j, subject, "common", TS_UNIT_COUNT, (double)s->n);
	row(j, subject, "equal", TS_UNIT_COUNT, (double)look->equal);
	if (look->first_bits < s->n) {
		row(j, subject, "first_differing", TS_UNIT_STEP, (double)step_at(look, look->first_bits));
		if (!look->digest)
			row(j, subject, "there", TS_UNIT_RATIO, look->at_bits);
	}
	if (look->digest)
		return;
	if (look->first_beyond < s->n)
		row(j, subject, "first_beyond", TS_UNIT_STEP, (double)step_at(look, look->first_beyond));
	row(j, subject, "greatest", TS_UNIT_RATIO, look->greatest);
	if (!isnan(look->following))
		row(j, subject, "following", TS_UNIT_RATIO, look->following);
}

static void shift_row(struct judge *j, const struct ts_resume_look *look)
{
	if (look->series->kind == TS_RESUME_BATCH && look->series->shift.answer == TS_SHIFT_FOUND)
		row(j, ts_span_str(subject_of(j, look)), "shift", TS_UNIT_COUNT, (double)look->series->shift.by);
}

static void all_rows(struct judge *j)
{
	static const struct {
		enum ts_resume_kind kind;
		const char *subject, *reason;
	} wanted[] = {
		{TS_RESUME_LOSS, "loss", "no loss that both have at a common step"},
		{TS_RESUME_GRAD_NORM, "grad_norm", "no gradient norm that both have at a common step"},
		{TS_RESUME_RATE, "lr", "no learning rate that both have at a common step"},
		{TS_RESUME_BATCH, "digests.batch", "no digests.batch that both have at a common step"},
		{TS_RESUME_PARAMS, "digests.params", "no digests.params that both have at a common step"},
		{TS_RESUME_RNG, "digests.rng", "no digests.rng that both have at a common step"},
	};
	static const char *const formats[] = {"not declared", "full precision", "reduced precision"};

	if (j->e->said != TS_RESUME_SAID_NOT)
		row(j, ts_span_str("resume"), "at", TS_UNIT_STEP, (double)j->e->step);
	row(j, ts_span_str("resume"), "tolerance", TS_UNIT_RATIO, j->tolerance);
	j->failed |= !ts_measure_text(&j->out->features, j->arena, "resume", ts_span_str("resume"), "format",
				      ts_span_str(formats[j->e->format]));
	for (size_t i = 0; i < j->n; i++) {
		if (j->looks[i].series->n == 0)
			continue;
		series_rows(j, &j->looks[i]);
		shift_row(j, &j->looks[i]);
	}
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
		if (!worst(j, wanted[i].kind))
			j->failed |= !ts_measure_unknown(&j->out->features, j->arena, "resume", ts_span_str(wanted[i].subject), "common",
							 TS_UNIT_COUNT, wanted[i].reason);
}

/* --- tiers --- */

static void tiers(struct judge *j, const struct ts_resume_look *loss)
{
	size_t compared = 0, equal = 0;

	for (size_t i = 0; i < j->n; i++) {
		compared += j->looks[i].series->n > 0;
		equal += j->looks[i].series->n > 0 && all_equal(&j->looks[i]);
	}
	j->out->bits.answer = compared == 0 ? TS_TIER_UNKNOWN : compared == equal ? TS_TIER_HOLDS : TS_TIER_FAILS;
	j->out->bits.why = text_of(j, compared == 0 ? "no common step"
						    : ts_arena_printf(j->arena, "%zu of %zu series agree in every bit from the resume on", equal, compared));
	j->out->numeric.answer = !loss ? TS_TIER_UNKNOWN : is_fine(loss) ? TS_TIER_HOLDS : TS_TIER_FAILS;
	j->out->numeric.why = text_of(j, !loss ? "no number of the trajectory in both"
					       : ts_arena_printf(j->arena, "%s, the first %d within %s", name_of(j, loss), TS_RESUME_FIRST,
								 ts_say_number(j->tolerance).text));
	j->out->statistical.why = ts_span_str("one run on each side");
}

static double tolerance_of(const struct ts_resume_evidence *e)
{
	if (e->has_tolerance)
		return e->tolerance;
	return e->format == TS_FORMAT_REDUCED ? TS_RESUME_REDUCED : TS_RESUME_FULL;
}

/* A rate is computed from the step's number, or goes on from the last: nothing but rounding moves it. */
static double tolerance_for(const struct ts_resume_series *s, double tolerance)
{
	return s->kind == TS_RESUME_RATE ? RATE_TOLERANCE : tolerance;
}

static bool room(struct judge *j)
{
	struct ts_diagnosis *out = j->out;

	j->looks = ts_arena_array(j->arena, j->n, sizeof *j->looks);
	out->evidence_for = ts_arena_array(j->arena, SENTENCES, sizeof *out->evidence_for);
	out->evidence_against = ts_arena_array(j->arena, SENTENCES, sizeof *out->evidence_against);
	out->remaining = ts_arena_array(j->arena, CAUSES_MAX, sizeof *out->remaining);
	out->experiments = ts_arena_array(j->arena, NEXT_MAX, sizeof *out->experiments);
	return j->looks && out->evidence_for && out->evidence_against && out->remaining && out->experiments;
}

static void judge(struct judge *j)
{
	const struct ts_resume_look *loss = main_series(j), *params = worst(j, TS_RESUME_PARAMS);

	if (j->e->said == TS_RESUME_SAID_NOT) {
		judge_nowhere(j);
		return;
	}
	j->out->has_step = true;
	j->out->step = j->e->step;
	tell_all(j);
	if (judge_data(j) || judge_rate(j))
		return;
	/* Without its weights nothing else of a run can agree; with them, a generator that differs is a fault of its own. */
	if (loss && !is_fine(loss) && differs_at_resume(j, params) && equal_at_resume(j, worst(j, TS_RESUME_BATCH))) {
		judge_wrong(j, loss);
		return;
	}
	if (judge_generators(j))
		return;
	if (loss)
		judge_loss(j, loss);
	else if (params && all_equal(params) && params->series->n >= TS_RESUME_BITS)
		conclude(j, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH,
			 ts_arena_printf(j->arena, "Resumed correctly at step %" PRId64 ": the parameters agree in every bit at %s", j->e->step,
					 ts_say_plural((double)params->series->n, "common step").text));
	else
		judge_level(j);
}

enum ts_status ts_resume_decide(const struct ts_resume_evidence *e, struct ts_arena *arena, struct ts_resume *ret,
				struct ts_error *err)
{
	struct ts_diagnosis why = {.cause = TS_CAUSE_UNKNOWN};
	struct judge j = {.e = e, .arena = arena, .out = &why, .n = e->n_series, .tolerance = tolerance_of(e)};

	if (!room(&j))
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < j.n; i++)
		if (!ts_resume_look_at(&e->series[i], tolerance_for(&e->series[i], j.tolerance), arena, &j.looks[i]))
			return ts_arena_error(arena, err);
	judge(&j);
	all_rows(&j);
	tiers(&j, main_series(&j));
	if (j.failed)
		return ts_arena_error(arena, err);
	ret->verdict = j.verdict;
	ret->why = why;
	return TS_OK;
}
