/* diagnose_tensors.c - what digests of operations and sketches of tensors say: where in a pass a difference is seen first. They are the
 * strongest records of a place, so they lead: what scalars alone would call rounding or a jump is not called so beside them.
 */
#include "analysis/diverge/inquiry.h"
#include "analysis/diverge/testimony.h"

#include "analysis/answer/say.h"
#include "base/door.h"
#include "run/head.h"
#include "run/role.h"

static const struct ts_op_row *first_operation(const struct ts_inquiry *q)
{
	return q->e->ops && q->e->ops->n ? &q->e->ops->rows[0] : NULL;
}

static const struct ts_sketch_row *first_tensor(const struct ts_inquiry *q)
{
	return q->e->sketches ? ts_sketch_told(q->e->sketches) : NULL;
}

bool ts_any_operation_or_tensor(const struct ts_inquiry *q)
{
	return first_operation(q) || first_tensor(q) || (q->e->ops && ts_op_inserted(q->e->ops));
}

/* "Only the second run has ...": a clause with a capital letter. */
static struct ts_span begin_sentence(struct ts_inquiry *q, struct ts_span clause)
{
	if (clause.len == 0)
		return clause;
	return ts_inquiry_text(q, "%c%.*s", clause.data[0] >= 'a' && clause.data[0] <= 'z' ? clause.data[0] - 32 : clause.data[0],
			       (int)clause.len - 1, clause.data + 1);
}

/* Every operation of one run is there several times in a step of the other: how many times; 0: that is not so. */
static uint64_t passes(const struct ts_op_diff *ops)
{
	uint64_t alone = ops->only_a ? ops->only_a : ops->only_b;

	if ((ops->only_a && ops->only_b) || ops->compared == 0 || alone == 0 || alone % ops->compared)
		return 0;
	return 1 + alone / ops->compared;
}

/* A batch is cut into parts, or a forward pass is computed again: neither is another operation. */
static void more_passes(struct ts_inquiry *q, const struct ts_op_row *apart, uint64_t times)
{
	ts_conclude(q, TS_CAUSE_CONFIG, TS_CONFIDENCE_LOW,
		    "In a step the %s run has each operation %" PRIu64 " times as often as the other run, from step %" PRId64
		    " on: it passes its batch in %" PRIu64 " parts (gradient accumulation), or computes passes again",
		    apart->role == TS_OP_ONLY_A ? "first" : "second", times, apart->step, times);
	q->d.has_step = true;
	q->d.step = q->has_f && q->f < apart->step ? q->f : apart->step;
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_REDUCTION_ORDER);
}

/* The runs execute different operations: the code differs, or a setting or library that chooses them. */
static void other_operations(struct ts_inquiry *q)
{
	const struct ts_op_row *apart = ts_op_inserted(q->e->ops);
	uint64_t times = apart->role == TS_OP_MOVED ? 0 : passes(q->e->ops);
	struct ts_span text;
	bool code;

	if (times) {
		more_passes(q, apart, times);
		return;
	}
	text = begin_sentence(q, ts_op_apart_says(apart, q->arena));
	code = ts_fact_names(q, TS_CAUSE_CODE);
	ts_conclude(q, code ? TS_CAUSE_CODE : TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM,
		    "%.*s: the two runs do not execute the same operations, so the code, a setting or a library differs",
		    TS_SPAN_ARG(text));
	q->d.has_step = true;
	q->d.step = q->has_f && q->f < apart->step ? q->f : apart->step;
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_PLATFORM);
	ts_remain(q, TS_CAUSE_PRECISION);
}

void ts_say_operations(struct ts_inquiry *q)
{
	const struct ts_op_row *op = first_operation(q), *apart = q->e->ops ? ts_op_inserted(q->e->ops) : NULL;
	struct ts_span where;

	TS_DOOR(ts_inquiry_holds(q));
	if (apart)
		ts_say_for(q, "%.*s", TS_SPAN_ARG(ts_op_apart_says(apart, q->arena)));
	if (!op)
		return;
	where = op->rank == TS_RANK_JOB ? ts_span_str("") : ts_inquiry_text(q, " on rank %" PRId32, op->rank);
	ts_say_for(q, "the first operation that differs is %.*s, at step %" PRId64 "%.*s: %s", TS_SPAN_ARG(op->name), op->step,
		   TS_SPAN_ARG(where), ts_op_role_says(op));
}

/* It says where a difference is seen first, and not why. */
void ts_say_tensors(struct ts_inquiry *q)
{
	const struct ts_sketch_diff *sketches = q->e->sketches;
	struct ts_span claim;

	TS_DOOR(ts_inquiry_holds(q));
	if (!sketches || !sketches->has_first)
		return;
	claim = ts_sketch_claims(sketches, q->arena);
	q->full |= claim.len == 0;
	ts_say_for(q, "%.*s", TS_SPAN_ARG(claim));
}

/* Digests of operations show more than a loss does. */
bool ts_diagnose_operations(struct ts_inquiry *q)
{
	const struct ts_op_row *op = first_operation(q);

	TS_DOOR(ts_inquiry_holds(q));
	if (!op && q->e->ops && ts_op_inserted(q->e->ops)) {
		other_operations(q);
		return true;
	}
	if (!op)
		return false;
	ts_say_operations(q);
	ts_conclude(q, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW,
		    "The operation %.*s differs from step %" PRId64 " on, but no other record shows a difference",
		    TS_SPAN_ARG(op->name), op->step);
	q->d.has_step = true;
	q->d.step = op->step;
	ts_remain(q, TS_CAUSE_NONDETERMINISM);
	ts_remain(q, TS_CAUSE_PRECISION);
	ts_remain(q, TS_CAUSE_PLATFORM);
	ts_remain(q, TS_CAUSE_CORRUPTION);
	return true;
}

/* Sketches show less than a bit and more than a loss of few decimals. */
bool ts_diagnose_tensors(struct ts_inquiry *q)
{
	const struct ts_sketch_row *row = first_tensor(q);

	TS_DOOR(ts_inquiry_holds(q));
	if (!row)
		return false;
	if (ts_sketch_explained(q->e->sketches)) {
		ts_say_for(q, "%.*s", TS_SPAN_ARG(q->e->sketches->sentence));
		ts_conclude(q, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM,
			    "Tensors differ at step %" PRId64 ", but by no more than rounding, and no other record shows a "
			    "difference",
			    row->step);
	} else {
		ts_conclude(q, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW,
			    "The tensor %.*s (%.*s) differs at step %" PRId64 ", but no other record shows a difference",
			    TS_SPAN_ARG(row->name), TS_SPAN_ARG(row->kind), row->step);
		ts_remain(q, TS_CAUSE_CODE);
		ts_remain(q, TS_CAUSE_CONFIG);
	}
	q->d.has_step = true;
	q->d.step = row->step;
	ts_remain(q, TS_CAUSE_PRECISION);
	ts_remain(q, TS_CAUSE_PLATFORM);
	ts_remain(q, TS_CAUSE_NONDETERMINISM);
	return true;
}

/* --- they lead --- */

/* Classes that scalars alone lead to: they say how large a difference is, not where it is. */
static bool is_by_size(enum ts_cause cause)
{
	return cause == TS_CAUSE_UNKNOWN || cause == TS_CAUSE_ROUNDING || cause == TS_CAUSE_JUMP || cause == TS_CAUSE_COMPUTATION ||
	       cause == TS_CAUSE_INIT_OR_DATA || cause == TS_CAUSE_KERNEL_RNG_OR_DATA || cause == TS_CAUSE_NONDETERMINISM ||
	       cause == TS_CAUSE_REPORTING;
}

/* What the first operation of the step was given differs already, though the batch agrees: its parts come in another order. */
static bool fed_otherwise(struct ts_inquiry *q, const struct ts_op_row *op)
{
	if (!op || op->role != TS_OP_RECEIVER || !op->has_inputs || op->ordinal || op->step != q->f ||
	    !ts_agrees_at(q, TS_KIND_BATCH, op->step) || !ts_same_parameters(q))
		return false;
	ts_conclude(q, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_LOW,
		    "The first operation, %.*s, is given other inputs at step %" PRId64
		    ", though the batch of that step agrees: its parts come in another order, or are cut or prepared otherwise",
		    TS_SPAN_ARG(op->name), op->step);
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_RNG_STREAM);
	return true;
}

/* Rounding was measured, and explains every tensor that differs. */
static bool explained(const struct ts_sketch_diff *sketches)
{
	bool any = false;

	if (!sketches || !sketches->has_rounding || sketches->has_first || !ts_sketch_explained(sketches))
		return false;
	for (size_t i = 0; i < sketches->n; i++)
		any |= sketches->rows[i].state == TS_SKETCH_WITHIN;
	return any;
}

/* Another kernel or order of sums rounds otherwise from the first step on. What begins later may be small and no rounding. */
static void lead_by_rounding(struct ts_inquiry *q, const struct ts_op_row *op)
{
	const char *judged = ts_say_plural((double)ts_sketch_judged(q->e->sketches), "tensor").text;
	enum ts_cause cause = ts_at_start(q) ? TS_CAUSE_ROUNDING : TS_CAUSE_COMPUTATION;

	if (op && op->role == TS_OP_ORIGIN)
		ts_conclude(q, cause, TS_CONFIDENCE_MEDIUM,
			    "The operation %.*s gives a different output from equal inputs at step %" PRId64
			    ", but none of %s that were judged differs by more than rounding",
			    TS_SPAN_ARG(op->name), op->step, judged);
	else
		ts_conclude(q, cause, TS_CONFIDENCE_MEDIUM,
			    "The two runs differ from step %" PRId64
			    " on, but none of %s that were judged differs by more than rounding",
			    q->f, judged);
	if (cause == TS_CAUSE_COMPUTATION) {
		ts_remain(q, TS_CAUSE_CODE);
		ts_remain(q, TS_CAUSE_CONFIG);
		ts_remain(q, TS_CAUSE_CORRUPTION);
	}
	ts_remain(q, TS_CAUSE_PRECISION);
	ts_remain(q, TS_CAUSE_REDUCTION_ORDER);
	ts_remain(q, TS_CAUSE_NONDETERMINISM);
	ts_remain(q, TS_CAUSE_PLATFORM);
}

/* Tensors before it in its step agree as far as rounding goes: what the step was given is the same. */
static void lead_by_sketch(struct ts_inquiry *q)
{
	const struct ts_sketch_diff *sketches = q->e->sketches;
	struct ts_span text = begin_sentence(q, ts_sketch_claims(sketches, q->arena));
	enum ts_cause old = q->d.cause;

	/* Digests show a part of the step from which bits differ; further behind, rounding alone may have grown. */
	if (old == TS_CAUSE_COMPUTATION && ts_sketch_told(sketches)->step > q->f) {
		q->d.sentence =
			ts_inquiry_text(q, "%.*s; %.*s", TS_SPAN_ARG(q->d.sentence), TS_SPAN_ARG(ts_sketch_claims(sketches, q->arena)));
		return;
	}
	if (sketches->before == 0 && (old == TS_CAUSE_INIT_OR_DATA || old == TS_CAUSE_KERNEL_RNG_OR_DATA)) {
		q->d.sentence = ts_inquiry_text(q, "%.*s; %.*s", TS_SPAN_ARG(text), TS_SPAN_ARG(q->d.sentence));
		return;
	}
	if (sketches->apart_first)
		ts_conclude(q, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM, "%.*s; %.*s",
			    TS_SPAN_ARG(begin_sentence(q, sketches->apart)), TS_SPAN_ARG(ts_sketch_claims(sketches, q->arena)));
	else if (sketches->why.len)
		ts_conclude(q, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM, "%.*s: %.*s", TS_SPAN_ARG(text), TS_SPAN_ARG(sketches->why));
	else if (sketches->apart.len)
		ts_conclude(q, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM, "%.*s; %.*s", TS_SPAN_ARG(text),
			    TS_SPAN_ARG(sketches->apart));
	else
		ts_conclude(q, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM,
			    "%.*s: something else than rounding differs there, such as the code, a setting or a damaged state",
			    TS_SPAN_ARG(text));
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_PRECISION);
	ts_remain(q, TS_CAUSE_CORRUPTION);
}

static void lead_by_origin(struct ts_inquiry *q, const struct ts_op_row *op)
{
	ts_conclude(q, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM,
		    "The operation %.*s gives a different output from equal inputs at step %" PRId64
		    ": a kernel, a setting, the code or a damaged state differs there",
		    TS_SPAN_ARG(op->name), op->step);
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_PRECISION);
	ts_remain(q, TS_CAUSE_NONDETERMINISM);
	ts_remain(q, TS_CAUSE_PLATFORM);
	ts_remain(q, TS_CAUSE_CORRUPTION);
}

void ts_lead_by_tensors(struct ts_inquiry *q)
{
	const struct ts_op_diff *ops = q->e->ops;
	const struct ts_op_row *op = ops ? ts_op_culprit(ops) : NULL;

	TS_DOOR(ts_inquiry_holds(q));
	/* Digests of parameters of another number of ranks may be of other parts of them, while tensors are compared as a whole. */
	if (!q->has_f || !(is_by_size(q->d.cause) ||
			   ((q->d.cause == TS_CAUSE_INIT || q->d.cause == TS_CAUSE_REDUCTION_ORDER) && ts_worlds_differ(q))))
		return;
	if (ops && ts_op_inserted(ops) && ts_op_inserted(ops)->role != TS_OP_MOVED)
		other_operations(q);
	else if (explained(q->e->sketches) && q->d.cause != TS_CAUSE_NONDETERMINISM && q->d.cause != TS_CAUSE_REPORTING)
		lead_by_rounding(q, op);
	else if (fed_otherwise(q, first_operation(q)))
		return;
	else if (q->e->sketches && q->e->sketches->has_first)
		lead_by_sketch(q);
	else if (op && op->role == TS_OP_ORIGIN && q->d.cause != TS_CAUSE_ROUNDING && q->d.cause != TS_CAUSE_NONDETERMINISM)
		lead_by_origin(q, op);
}
